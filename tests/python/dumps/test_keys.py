"""Keys that dumps and dumps_to_bytes write, skip or refuse, of every type; and sort_keys: the order, which is remembered for other objects
of the same keys."""

import io
import itertools
import json
import random
import sys

import pytest
from layouts import each_layout
from support import call, same_dumps

import ocior

KEYED = [
    {"b": 1, "a": 2},
    {2: 1, 10: 2, 1: 3},
    {1.5: 1, -1: 2},
    {True: 1, False: 2},
    {"a": 1, 2: 3},
    {None: 1, "a": 2},
    {None: 1},
    {1: 1, "1": 2},
    {1: 1, 1.5: 2, True: 3},
    {(): 1},
    {(1,): 1, "a": 2},
    {b"x": 1},
    {float("nan"): 1, float("nan"): 2},
    {float("inf"): 1, 1: 2},
    {"\ud800": 1, "\U0001f600": 2, "\uffff": 3, "\xe9": 4, "a": 5, "": 6},
    {"a" * n: n for n in range(40, 0, -1)},
    {object(): 1},
    {object(): 1, "a": 2, 3: 4},
    {"x": {(): 1, "b": {2: 3, "y": 4}}},
    {1: {2: {3: {}}}},
    {(): {(): 1}},
    {(): object()},
    {(): 1, (1,): 2},
    {"k": [{(): 1}, {"b": 1, "a": 2}]},
    {10**30: 1, -(10**30): 2},
    {0.0: 1},
    {-0.0: 1},
    {1e100: 1, 5e-324: 2},
]


@pytest.mark.parametrize("index", range(len(KEYED)))
def test_keys(index):
    for keywords in (
        {},
        {"sort_keys": True},
        {"skipkeys": True},
        {"sort_keys": True, "skipkeys": True},
        {"indent": 2},
        {"indent": 0, "skipkeys": True},
        {"ensure_ascii": False, "sort_keys": True, "indent": "x"},
        {"allow_nan": False},
        {"default": str},
        {"allow_nan": False, "skipkeys": True, "indent": 1},
    ):
        same_dumps(KEYED[index], **keywords)


@each_layout("compact", "json", "indent 1", "spaced")
def test_dicts_whose_keys_are_no_str(keywords):
    """Read where they lie, with gaps, and more often than once where the text becomes wider, or a piece ends."""
    rng = random.Random(8)
    keys = [*range(-5, 5), 10**9, -(2**53), 2**60, 2**62, -(2**64), 10**30, 1.5, float("inf"), True, False, None, "a", "\xe9" * 40]
    values = [0, "b", "\u4e2d", None, True, -1.5, 10**30, [], {}, [1, {2: 3}], {4: [5]}, {"c": {6: "\U0001f600"}}]
    for _ in range(150):
        value = {rng.choice(keys): rng.choice(values) for _ in range(rng.randrange(1, 40))}
        for key in rng.sample(list(value), rng.randrange(len(value))):
            del value[key]
        value["last"] = value.get(True)
        same_dumps(value, **keywords)
        same_dumps([value, {7: value}], ensure_ascii=False, **keywords)
    large = {index: rng.choice(values) for index in range(20_000)}
    for index in rng.sample(range(20_000), 7_000):
        del large[index]
    file = io.StringIO()
    ocior.dump({1: large, "2": large}, file, **keywords)
    assert file.getvalue() == json.dumps({1: large, "2": large}, **keywords)

    def edited_meanwhile(dumps, length):
        edited = {index: 1j if index == 3 else index for index in range(length)}

        def shrink(value):
            for key in list(edited)[5:]:
                del edited[key]

        return call(dumps, edited, default=shrink, **keywords)

    for length in (6, 50):
        ours, theirs = edited_meanwhile(ocior.dumps, length), edited_meanwhile(json.dumps, length)
        if sys.version_info >= (3, 13):  # before, json may have taken all items at once
            assert (ours.value, type(ours.error)) == (theirs.value, type(theirs.error))


class Lower(str):
    """Keys that sort their own way."""

    def __lt__(self, other):
        return self[::-1] < other[::-1]


class NoOrder(str):
    def __lt__(self, other):
        raise ZeroDivisionError


def test_sorting_asks_the_keys():
    for keys in (["ab", "ba", "cc", "ac"], ["x"], ["aa", "b", ""]):
        for kind in (Lower, NoOrder):
            same_dumps({kind(key): 1 for key in keys}, sort_keys=True)
            same_dumps({kind(key): 1 for key in keys}, sort_keys=True, indent=1)
    original = {"b": 1, "a": 2}
    ocior.dumps(original, sort_keys=True)
    assert list(original) == ["b", "a"]


def _key_sets(rng):
    """Sets of keys that begin with the same key and have as many, or the same first characters, or are wide, or many."""
    same = ["b", *(f"same text {index}" for index in range(20)), "", "\x00", "a", "same tex", "same text"]
    units = "a\xe9\u4e2d\ue000\ufffe\uffff\U00010000\U0001f600\U0010ffff"
    wide = ["b", "~", *units, *("".join(rng.choices(units, k=rng.randrange(2, 6))) for _ in range(30))]
    many = ["b", *(f"{rng.randrange(1000)}" for _ in range(600)), *same]
    starts = ("measurement_", "measurement_of_", "\xe9" * 9, "\u4e2d" * 5, "\U0001f600" * 3, "")
    long = ["b", *(start + "".join(rng.choices("a\x00\xe9", k=rng.randrange(4))) for start in starts for _ in range(5))]
    for words in (same, wide, many, long, list("bacdefgh")):
        for _ in range(4):
            rest = rng.sample(sorted({*words} - {"b"}), rng.choice((1, 3, 6, len({*words}) - 1)))
            yield ["b", *rest]
    yield ["b", *(f"k{rng.random()}" for _ in range(5000))]


@pytest.mark.parametrize("seed", range(4))
def test_sorted_objects_of_the_same_keys(seed):
    """Orders that are known from objects before, and such as look as if they were."""
    rng = random.Random(seed)
    sets = list(_key_sets(rng))
    for keys in sets[:-1]:
        sets.append(["b", *rng.sample(keys[1:], len(keys) - 1)])
    sets += [["".join(list(key)) for key in keys] for keys in sets]  # other objects with the same text
    few, lone = sets[:3], ("\ud800", "\udbff", "\udfff", "\uffff", "", "\U0001f600")
    for chosen in (few, few[:1], sets):
        rows = [dict.fromkeys(rng.choice(chosen), {"b": index, "a": 1}) for index in range(60)]
        same_dumps(rows, sort_keys=True)
        assert ocior.dumps(rows, sort_keys=True, default=ocior.Default(canonical=False)) == json.dumps(rows, sort_keys=True)
        surrogates = [{f"{rng.choice(lone)}{key}": 1 for key in row} for row in rows[:9]]
        same_dumps(surrogates, sort_keys=True)
        canonical = json.loads(ocior.dumps(rows, default=ocior.Default(canonical=True)))
        for ours, row in zip(canonical, rows):
            assert list(ours) == sorted(row, key=lambda key: key.encode("utf-16-be"))


def test_keys_that_die_while_objects_are_sorted():
    """What a hook puts in their place has the same addresses, perhaps, and another order."""

    class Item:
        pass

    def new_keys(order):
        return [f"key {number} {round}" for number in order]

    def hook(item):
        nonlocal calls
        calls += 1
        if calls == 1:
            rows[0].clear()
            rows[1].clear()
        else:
            keys = new_keys((1, 2, 3) if round % 2 else (3, 2, 1))
            rows.append(dict.fromkeys(["b", *keys[::-1]] if round % 4 < 2 else ["b", *keys], 1))

    for round in range(20):
        calls = 0
        keys = ["b", *new_keys((1, 2, 3))]
        rows = [dict.fromkeys(keys, 1), {**dict.fromkeys(keys, 1), keys[1]: Item()}, {"z": Item()}]
        del keys
        text = ocior.dumps(rows, sort_keys=True, default=hook)
        written = json.loads(text)
        assert calls == 2 and len(written) == 4
        assert list(written[3]) == sorted(written[3]) and len(written[3]) == 4


def test_sorting_leaves_no_references():
    key = "a key of its own"
    rows = [{key: 1, "z": 2, "b": [{key: 3, "a": 4}]} for _ in range(5)]
    before = sys.getrefcount(key)
    for _ in range(3):
        ocior.dumps(rows, sort_keys=True)
        with pytest.raises(TypeError):
            ocior.dumps([*rows, {"z": rows, key: object()}], sort_keys=True)
    assert sys.getrefcount(key) == before


def test_many_orders_are_remembered_and_forgotten():
    """More shapes than have a place, in pairs, the second of which is what an order is remembered for, and shapes that share a place."""
    names = [f"key {number}" for number in range(8)]
    rows = []
    for turn in range(3):
        for order in itertools.islice(itertools.permutations(names), 0, 4000, 13):
            rows += [dict.fromkeys(order, turn), dict.fromkeys(order, [turn])]
        for shift in range(200):  # the first key and the last one stay
            middle = names[1:-1][shift % 6 :] + names[1:-1][: shift % 6]
            rows.append(dict.fromkeys([names[0], *middle, names[-1]], turn))
    before = [sys.getrefcount(name) for name in names]
    for _ in range(3):
        assert ocior.dumps(rows, sort_keys=True) == json.dumps(rows, sort_keys=True)
    assert [sys.getrefcount(name) for name in names] == before
