"""Loaded lists and dicts are ordinary ones: they share nothing, grow, shrink, are tracked and collected, hash right."""

import copy
import ctypes
import gc
import json
import os
import pickle
import random
import sys
import weakref

import pytest
from support import HAS_GIL, IS_QUICK, check_python, facts, same_everywhere, same_loads, some

import ocior

# A dict that begins gets its table later; whether it then lies before what it holds is also a matter of the allocator.
MAKES_PARENTS_FIRST = (
    sys.version_info >= (3, 12)
    and ocior.get_current_features()["tricks"]["keys_table"]
    and HAS_GIL
    and not os.environ.get("OCIOR_SANITIZED")
)


def check_dict(loaded, expected):
    """Use a loaded dict in all the ways that go through its hash table."""
    assert facts(loaded) == facts(expected)
    for key in expected:
        assert key in loaded and loaded["".join(list(key))] == expected[key]
        assert hash(key) == hash("".join(list(key)))
    assert "no such key" not in loaded and loaded == expected == copy.copy(loaded)
    assert len(loaded) == len(expected) and list(reversed(loaded)) == list(reversed(expected))
    twin = dict(loaded)
    for index in range(12):
        twin[f"new {index}"] = index
    for key in list(expected)[::2]:
        del twin[key]
    assert len(twin) == len(expected) + 12 - len(list(expected)[::2])
    assert facts(loaded) == facts(expected)  # the copy's life is its own
    assert loaded.__sizeof__() > 0


SIZES = [
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    15,
    16,
    17,
    21,
    22,
    31,
    32,
    33,
    42,
    43,
    63,
    64,
    65,
    85,
    86,
    127,
    128,
    129,
    170,
    171,
    300,
    1000,
    6000,
]


@pytest.mark.parametrize("size", some(SIZES, 3))
def test_dicts_of_every_size(size):
    for make in (
        lambda i: f"key{i}",
        lambda i: f"{i}",
        lambda i: "k" * i,
        lambda i: f"\xe9{i}",
        lambda i: f"\u4e2d{i}",
        lambda i: f"\U0001f600{i}",
        lambda i: f"k\n{i}",
    ):
        if size > 300 and make(200) == "k" * 200:
            continue
        expected = {make(index): index for index in range(size)}
        for text in (
            json.dumps(expected),
            json.dumps(expected, ensure_ascii=False),
            json.dumps(expected, indent=1).encode(),
            json.dumps(expected, ensure_ascii=False, separators=(",", ":")).encode(),
        ):
            check_dict(ocior.loads(text), expected)
            records = ocior.loads(
                b"[" + text.encode() + b"," + text.encode() + b"]"
                if isinstance(text, str)
                else b"[" + text + b"," + text + b"," + text + b"]"
            )
            for record in records:
                check_dict(record, expected)


@pytest.mark.parametrize("size", SIZES)
def test_lists_of_every_size(size):
    expected = list(range(size))
    for text in (json.dumps(expected), json.dumps(expected).encode()):
        value, twin = ocior.loads(text), json.loads(text)
        assert value == expected and sys.getrefcount(value) == sys.getrefcount(twin)
        value.append("more")
        value.extend(range(50))
        value.insert(0, "first")
        assert value == ["first", *expected, "more", *range(50)]
        value.sort(key=str)
        while value:
            value.pop()
        value.append(1)
        value[:] = range(1000)
        value.clear()
        assert value == []


@pytest.mark.parametrize("separator", some([",", ", ", ",  ", " ,", ",\n", ",\t"], 6), ids=repr)
def test_lists_of_words(separator):
    """Words in a row are read by loops of their own: rows that end at every place, and something else in each of them."""
    rng = random.Random(5)
    odd = ["false", "1", "[]", '"a"', "{}", "nul", "nulll", "tru", "True", "NaN", "\xe9", "x", "", "}", "]", "{", "\u4e2d", "\x00"]
    odd += ["fals", "falsee", "False"]
    for kinds, lengths in (("true", "null"), (1, 2, 3, 4, 9, 70)), (("true", "null", "false"), (2, 3, 10, 19, 70)):
        for length in lengths:
            words = ["null", *(rng.choice(kinds) for _ in range(length - 1))]
            for wide in ("", "\xe9", "\u4e2d", "\U0001f600"):
                lead = [f'"{wide}"'] if wide else []
                same_everywhere("[" + separator.join(lead + words) + "]")
                same_everywhere("[[" + separator.join(lead + words) + "]" + separator + '{"a":null' + separator + '"b":true}]')
                for at in range(min(length, 12)):
                    for one in odd:
                        same_everywhere("[" + separator.join(lead + words[:at] + [one] + words[at + 1 :]) + "]")
        for length in (500, 510, 511, 512, 513, 1020, 1025, 5000):
            mixed = ["null"] * (length // 2) + [rng.choice(kinds) for _ in range(length - length // 2)]
            for words in (["null"] * (length // 2) + ["true"] + ["null"] * ((length - 1) // 2), mixed):
                same_everywhere("[" + separator.join(words) + "]")
                same_everywhere("[1" + separator + separator.join(words))


@pytest.mark.parametrize("wide", ["", "\xe9", "\u4e2d", "\U0001f600"], ids=ascii)
def test_indentation_of_every_width(wide):
    """The white space behind a comma is expected to come again: what is expected, nearly so, and cut off."""
    for spaces in (*range(36), 61, 62, 63, 64, 65, 130):
        gap = "\n" + " " * spaces
        items = [f'"{wide}"', "1", '"a"', "[]", "null", '{"k":1,' + gap + '"l":2}']
        whole = "[" + ("," + gap).join(items * 3)
        same_everywhere(whole + "]")
        for other in (gap + " ", gap[:-1], gap + "\t", gap[:-1] + "\t", gap + wide, gap + "\x00", gap[:-1] + "\x0b", ""):
            same_everywhere(whole + "," + other + "2," + gap + "3]")
        for rest in (",", "," + gap, "," + gap[: spaces // 2]):
            same_everywhere(whole + rest)


def test_records_of_one_shape_are_independent():
    """However dicts are built from those before them, changing one leaves the others alone."""
    document = json.dumps([{"id": i, "name": f"n{i}", "tags": ["a"], "sub": {"x": i, "y": None}} for i in range(50)])
    for text in (document, document.encode(), document.replace("name", "n\u4e2dme")):
        expected = json.loads(text)
        records = ocior.loads(text)
        records[3]["extra"] = 1
        del records[4]["id"]
        records[5].clear()
        records[6]["id"] = "changed"
        records[7].update({f"k{i}": i for i in range(100)})
        records[8].popitem()
        records[9]["sub"].pop("x")
        records[10].setdefault("id", 5)
        records[11][5] = "a key that is no string"
        first_sub = records[12]["sub"]
        first_sub["z"] = records[12]
        for index in [*range(3), *range(13, 50)]:
            check_dict(records[index], expected[index])
        again = ocior.loads(text)
        for got, wanted in zip(again, expected):
            check_dict(got, wanted)
        del records, again
        gc.collect()
        check_dict(ocior.loads(text)[0], expected[0])


def test_records_that_vary():
    """Keys missing, reordered, added, repeated, of other types of value: every turn a prediction can take."""
    source = random.Random(7)
    keys = [f"k{i}" for i in range(12)] + [
        "id",
        "i",
        "",
        "id ",
        "\u4e2d",
        "\xe9",
        "a" * 63,
        "a" * 64,
        "a" * 65,
        "a" * 62 + '"',
        "a\\nb",
        "k1\n",
        "\U0001f600",
    ]
    values = ["1", '"x"', "null", "[]", '{"k1":1}', "1.5", '["a",{"id":2}]', '"\\u4e2d"', "true"]
    for round_number in range(150):
        chosen = source.sample(keys, source.randrange(1, 10))
        records = []
        for _ in range(source.randrange(1, 20)):
            row = [key for key in chosen if source.random() > 0.08]
            if source.random() < 0.15:
                source.shuffle(row)
            if source.random() < 0.1 and row:
                row.append(source.choice(row))
            if source.random() < 0.1:
                row.insert(source.randrange(len(row) + 1), source.choice(keys))
            space = source.choice(["", "", " ", "\n  "])
            pairs = [json.dumps(key, ensure_ascii=source.random() < 0.3) + ":" + space + source.choice(values) for key in row]
            records.append("{" + ("," + space).join(pairs) + "}")
        document = "[" + ",".join(records) + "]"
        same_loads(document)
        same_loads(document.encode())
        if "\u4e2d" not in document:
            same_loads(document.encode("utf-16"))


def test_duplicate_keys():
    for document in (
        '{"a":1,"a":2}',
        '{"a":1,"b":2,"a":3}',
        '{"a":{"a":1,"a":2},"a":{"a":3}}',
        '[{"a":1,"a":2},{"a":3,"a":4},{"a":5},{"a":6,"a":7,"b":8}]',
        r'{"a":1,"\u0061":2}',
        r'{"\u0061":1,"a":2,"b":3}',
        '{"\u4e2d":1,"\\u4e2d":2}',
        '{"":1,"":2}',
        "{" + ",".join(['"k":1'] * 100) + "}",
        "{" + ",".join(f'"k{i % 7}":{i}' for i in range(100)) + "}",
        "[" + ",".join(['{"x":1,"y":2,"x":3}'] * 40) + "]",
    ):
        same_everywhere(document)
        same_loads(document, object_pairs_hook=list)
        same_loads(document, object_hook=lambda value: sorted(value.items(), key=str))


@pytest.mark.parametrize("size", [*some([43_690, 43_691], 2), *([] if IS_QUICK else [150_000])])
def test_large_dicts(size):
    """Tables whose index has four bytes a slot, and the last without; a key that comes again, near or far, and one that is longer."""
    keys = [f"k{index * 7919 % 1_000_003}" for index in range(size)]
    for wide in ("", "\u4e2d"):
        expected = {key + wide: index for index, key in enumerate(keys)}
        text = json.dumps(expected, ensure_ascii=False)
        for document in (text, text.encode()):
            loaded = ocior.loads(document)
            assert loaded == expected and list(loaded) == list(expected)
            check_dict(loaded, expected)
    for first, again in ((0, 1), (0, size - 1), (size // 2, size - 2)):
        pairs = [[key, index] for index, key in enumerate(keys)]
        pairs[again][0] = pairs[first][0]
        text = "{" + ",".join(f'"{key}":{index}' for key, index in pairs) + "}"
        assert list(ocior.loads(text).items()) == list(dict(pairs).items())


@pytest.mark.parametrize("size", some([63, 64, 65, 127, 128, 129, 300, 1023, 1024, 1025, 2500], 5))
def test_many_keys_again_and_again(size):
    """What is known of an object's keys grows from one to the next, up to a bound; rows leave the known ones anywhere."""
    source = random.Random(size)
    for name, mark in (
        ("k", ""),
        ("a key of some length, as message catalogues have them: ", ""),
        ("k", "\u4e2d"),
        ("message ", "\U0001f600" * 8),
    ):
        keys = [f"{name}{index}{mark}" for index in range(size)]
        rows = []
        for turn in range(12):
            row = {key: {"message": turn, "more": [key[:3]]} if index % 50 == 0 else index for index, key in enumerate(keys)}
            if turn % 3 == 2:
                del row[source.choice(keys)]
                row[f"other{turn}"] = None
            rows.append(row)
        for row in rows:
            text = json.dumps(row, ensure_ascii=False)
            for document in (text, text.encode()):
                check_dict(ocior.loads(document), row)
        text = json.dumps(rows)
        assert ocior.loads(text) == ocior.loads(text.encode()) == rows
        same_loads(text[: len(text) * 2 // 3])


def test_keys_with_the_same_start_and_length():
    base = "x" * 100
    for position in (0, 1, 15, 16, 31, 32, 62, 63, 64, 65, 99):
        keys = [base[:position] + mark + base[position + 1 :] for mark in "abcxyz"] + [base[:position], base[: position + 1]]
        expected = [dict.fromkeys(keys, 1), dict.fromkeys(reversed(keys), 2), {keys[0]: 3}, {keys[1]: 4}, {keys[-1]: 5}] * 5
        text = json.dumps(expected)
        for value, wanted in zip(ocior.loads(text), expected):
            check_dict(value, wanted)
        for value, wanted in zip(ocior.loads(text.encode()), expected):
            check_dict(value, wanted)


class Thing:
    pass


@pytest.mark.parametrize(
    "document",
    ('[{"a": [1]}, [2], {"b": {"c": []}}, [], {}]', b'[{"a": [1]}, [2], {"b": {"c": []}}, [], {}]', "[[1,2],[3,4],[5,6],[],{}]"),
    ids=repr,
)
def test_cycles_through_loaded_containers_are_collected(document):
    for _ in range(3):
        value = ocior.loads(document)
        thing = Thing()
        watch = weakref.ref(thing)
        for item in value:
            if isinstance(item, list):
                item.extend([thing, value])
            else:
                item["thing"], item["root"] = thing, value
        value.append(value)
        thing.root = value
        del value, item, thing
        gc.collect()
        assert watch() is None


def test_tracking():
    value = ocior.loads('[[1], {"a": [1]}, {"a": {"b": []}}]')
    assert gc.is_tracked(value) and all(map(gc.is_tracked, value))
    for container in gc.get_objects():
        if container is value:
            break
    else:
        raise AssertionError("the collector does not know the list")
    for text in ('{"a": NaN}', '[{"a": 1, "b": -Infinity}, {"a": 2, "b": 3.5}]', '{"a": [], "b": Infinity}', '{"a": "b"}'):
        for _ in range(3):
            ours, theirs = ocior.loads(text), json.loads(text)
            assert list(map(gc.is_tracked, [ours, *ours])) == list(map(gc.is_tracked, [theirs, *theirs])), text


# More than CPython keeps of freed ones, so that most are new to the collector.
MANY = "[" + ", ".join('[[1], {"a": [2], "b": 3}, {"c": 4}]' for _ in range(1000)) + "]"
COUNT = 5001  # of them


def test_the_collector_counts_them():
    doubt = 200 if HAS_GIL else 1000  # without one, a thread keeps some hundreds to itself before it tells

    def count():
        return gc.get_count()[0]

    gc.collect()
    gc.disable()
    ocior.loads(MANY)  # those that CPython keeps of freed ones are as many as can be
    before = count()
    value = ocior.loads(MANY)
    assert COUNT - doubt <= count() - before <= COUNT + (50 if HAS_GIL else doubt)
    value[0].append(value)
    del value
    assert count() - before >= COUNT - doubt
    assert gc.collect() >= 3001  # the dicts without containers are none of its business
    assert not HAS_GIL or len(gc.get_objects(generation=0)) < 100
    values = [ocior.loads(MANY) for _ in range(3)]
    assert sum(map(gc.is_tracked, values[2])) == 1000 and gc.is_tracked(values[1][500][1])
    assert gc.is_tracked(values[1][500][2]) == gc.is_tracked(json.loads('{"c": 4}'))
    before = count()
    del values
    assert count() <= max(0, before - 3 * COUNT + 2 * doubt)  # others may have been freed that were counted long ago


@pytest.mark.skipif(not HAS_GIL, reason="without a GIL the collector counts otherwise")
def test_the_collector_is_asked_to_look_for_garbage():
    """As soon as there is more than its threshold, by the call that has made it."""
    for loads in (ocior.loads, ocior.JSONDecoder().decode, lambda text: ocior.JSONDecoder().raw_decode(text)[0]):
        loads(MANY)
        gc.collect()
        before = gc.get_stats()[0]["collections"]
        kept = loads(MANY)
        assert gc.get_stats()[0]["collections"] > before
        gc.disable()
        before = gc.get_stats()[0]["collections"]
        kept = loads(MANY)
        assert kept and gc.get_stats()[0]["collections"] == before
        gc.enable()


@pytest.mark.skipif(not HAS_GIL or sys.version_info >= (3, 14), reason="dicts have no number of their own")
def test_every_dict_has_a_number_of_its_own():
    """By which some programs tell whether one has changed."""

    def number_of(dict):
        return ctypes.c_uint64.from_address(id(dict) + 24).value

    values = [ocior.loads(MANY) for _ in range(40)]
    dicts = [item for value in values for items in value for item in items[1:]]
    numbers = {*map(number_of, dicts)}
    assert len(numbers) == len(dicts) == 80_000
    for item in dicts:
        item["d"] = 5
    assert len(numbers | {*map(number_of, dicts)}) == 160_000


def test_collector_running_all_the_time():
    document = json.dumps([{"k": [i, {"x": str(i)}], "\u4e2d": {}} for i in range(300)])
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        for _ in range(3):
            value = ocior.loads(document)
            assert value == json.loads(document)
            assert ocior.dumps(value) == document
    finally:
        gc.set_threshold(*before)


# In texts of some length a container that is expected to hold nests is made when it begins, as large as the last one there.
LONG_GAP = " " * 300_000


def _nested(rng, depth):
    """A list or dict of random size, with as much in it: what the last one of its place was like says little of the next."""
    fill = (lambda: _nested(rng, depth - 1)) if depth else (lambda: rng.choice((1, "a", None, 2.5, [], {}, [1], {"b": 2})))
    size = rng.choice((0, 1, 2, 3, 4, 5, 6, 11, 22, 70) if depth < 2 else (1, 2, 3, 6))
    if rng.random() < 0.5:
        return [fill() for _ in range(size)]
    return {f"key {index}" if rng.random() < 0.97 else f"other {rng.random()}": fill() for index in range(size)}


@pytest.mark.parametrize("seed", some(range(6), 6))
def test_nests_of_any_size(seed):
    rng = random.Random(seed)
    value = [_nested(rng, depth) for depth in (1, 2, 3, 4) for _ in range(4)]
    same_everywhere(LONG_GAP + json.dumps(value))
    loaded = ocior.loads(LONG_GAP + json.dumps(value))
    gc.collect()
    assert loaded == value and pickle.loads(pickle.dumps(loaded)) == value
    pending = [(ocior.loads(LONG_GAP + json.dumps(value)), json.loads(json.dumps(value)))]
    while pending:
        ours, theirs = pending.pop()
        assert gc.is_tracked(ours) == gc.is_tracked(theirs), ours
        if isinstance(ours, (list, dict)):
            pending += zip(*(one.values() if isinstance(one, dict) else one for one in (ours, theirs)))
    same_loads(LONG_GAP + json.dumps(value), object_pairs_hook=dict)


def test_nests_of_a_shape_that_comes_again():
    """Each as the last one, then one of another size, one with a key twice, an empty one, one of more keys than a shape has."""
    nest = {"a": {"b": [{"c": {}}, [[]]]}, "d": 1}
    odd = [{}, [], {**nest, "e": 1, "f": 2, "g": 3, "h": 4}, {"a": 1}, {f"k{i}": nest for i in range(300)}, [nest] * 90, 1]
    items = []
    for item in odd:
        items += [nest, {"a": [nest]}, {"a": [nest, nest]}, {"a": item}, {"a": [nest] * 7}, {"a": {"b": item, "d": 2}}]
    text = LONG_GAP + json.dumps(items)
    same_everywhere(text)
    same_everywhere(text.replace('"d": 2', '"b": 2'))


def test_nests_may_end_anywhere():
    """Whatever is open when a text ends or fails is given back."""
    nest = [[{"a": {"b": [[1.5], [2.5]], "c": ["text", {}]}, "d": [[[0]]]}]] * 3
    text = json.dumps(nest)

    def fail(size):
        for cut in range(len(text)):
            try:
                ocior.loads(LONG_GAP[:size] + text[:cut])
            except ValueError:
                pass

    fail(len(LONG_GAP))
    before = sys.getallocatedblocks()
    fail(len(LONG_GAP))
    assert abs(sys.getallocatedblocks() - before) < 50


@pytest.mark.skipif(not MAKES_PARENTS_FIRST, reason="no table can be prepared for a dict, or the allocator has an order of its own")
def test_who_holds_others_lies_before_them():
    """Nearly always: the outermost list does not, nor the first containers of a place. The text is put together of strings: dicts
    that had been freed before would be reused in an order of CPython's own."""
    check_python("""
        import ocior
        node = '{"name": "node", "children": []}'
        for level in range(7):
            node = '{"name": "node", "children": [%s, {"name": "leaf"}]}' % node
        tree = ocior.loads("[" + ", ".join([node] * 1000) + "]")
        before = total = 0
        pending = list(tree)
        while pending:
            parent = pending.pop()
            for child in parent.get("children", ()):
                total += 1
                before += id(parent) < id(child)
                pending.append(child)
        assert total == 14000 and before > 0.8 * total, (before, total)
    """)


def test_results_live_their_own_life():
    value = ocior.loads(
        b'{"a": [1, 2.5, "x", "\xe4\xb8\xad", null, true, 123456789012345678901234567890, 1000], "b": {"c": -7, "d": 5000.25}}'
    )
    assert repr(copy.deepcopy(value)) == repr(pickle.loads(pickle.dumps(value))) == repr(value)
    value["a"][0] += 1
    assert value["a"][1] * 2 == 5.0 and value["a"][7] + value["b"]["c"] == 993 and value["a"][2] + value["a"][3] == "x\u4e2d"
    assert value["a"][6] % 97 == 123456789012345678901234567890 % 97 and -value["b"]["c"] == 7
    assert len({value["a"][i] for i in range(8)}) == 8
    arguments = ocior.loads('{"a": 1, "b": 2}')
    assert (lambda **kw: kw)(**arguments) == {"a": 1, "b": 2}
    target = Thing()
    target.__dict__.update(arguments)
    assert target.a == 1 and getattr(target, list(arguments)[1]) == 2
    owner = Thing()
    owner.__dict__ = ocior.loads('[{"a": 1, "b": 2}, {"a": 3, "b": 4}]')[1]
    owner.c = 5
    assert vars(owner) == {"a": 3, "b": 4, "c": 5}
    assert sys.intern(list(arguments)[0]) == "a"


def test_same_document_again_and_again():
    """Caches fill, are reused, and are emptied: the thousandth result is as good as the first."""
    document = json.dumps([{f"key{i % 37}": i, "name": "x" * (i % 50)} for i in range(100)])
    expected = facts(json.loads(document))
    for number in range(200):
        assert facts(ocior.loads(document if number % 2 else document.encode())) == expected
        ocior.loads(f'{{"other{number}": 1, "{"z" * (number % 70)}": 2}}')
        if number % 10 == 0:
            gc.collect()


@pytest.mark.parametrize("count", (20, 24, 25, 300, 5000))
def test_known_keys_after_many_unknown_ones(count):
    """A parser that has given up on looking a place's keys through still reads those it knew."""
    for prefix in ("k", "key_of_some_length_"):
        rows = [{f"{prefix}{index}": index, "id": index} for index in range(count)]
        known = [{f"{prefix}{index}": [index], "id": {}} for index in (0, 1, 23, 24, count - 1)] * 3
        value = rows + known + rows[::-1] + [{"": 1}, {"a": 2}, {"ab": 3}, {prefix + "0": None, prefix + "1": True}]
        for text in (json.dumps(value), json.dumps([value, "\u4e2d"], ensure_ascii=False), json.dumps(value, indent=1)):
            for _ in range(2):
                assert ocior.loads(text) == ocior.loads(text.encode()) == json.loads(text)


def test_keys_with_escapes_after_many_unknown_ones():
    """What a place's keys are no longer looked up by has to be read each time: it is the same key, however it was written."""
    source = random.Random(28)
    names = [
        *(f"Region/Place {index}" for index in range(200)),
        "a/b",
        "/",
        "//",
        "\n/",
        'say "so"',
        "C:\\x",
        "\b\f\n\r\t",
        "/" * 63,
        "/" * 64,
        "/" * 65,
        "x" * 62 + "/",
        "x" * 63 + "/",
        "x" * 64 + "/",
        "\u4e2d/",
        "/\u4e2d",
        "\xe9/",
        "/" + "y" * 200,
        "plain",
        "a\x7f/",
    ]
    value = [{name: index for name in source.sample(names, source.randrange(1, 30))} for index in range(2000)]
    for ensure_ascii in (True, False):
        document = json.dumps(value, ensure_ascii=ensure_ascii)
        for text in (document, document.replace("/", "\\/"), document.replace("/", "\\u002f"), document.replace("/", "\\/", 9000)):
            for _ in range(2):
                loaded = ocior.loads(text)
                assert loaded == ocior.loads(text.encode()) == value
                for row in loaded[::50]:
                    check_dict(row, value[next(iter(row.values()))])
    escaped = ocior.loads(json.dumps(value).replace("/", "\\/"))
    keys = [key for row in escaped for key in row if key.startswith("Region")]
    assert len({id(key) for key in keys}) < len(keys) / 4
    for bad in ('"a\\', '"a\\x"', '"\\/\\', '"\\/a\nb"', '"\\/' + "a" * 70, '"\\/\\u12"', '"a\\/b"', '"a\\/b":'):
        same_loads("[" + json.dumps(value)[1:-1].replace("/", "\\/") + ",{" + bad)
