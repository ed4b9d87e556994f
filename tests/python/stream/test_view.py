"""view: a document whose parts become objects when they are asked for, compared with what loads gives."""

import copy
import decimal
import json
import os
import pickle
import random
import weakref
from collections.abc import Mapping, Sequence

import pytest
from growth import LARGE, SMALL, check_growth
from jsontestsuite_cases import CASES
from pointer_values import NOTHING, follow, random_document, random_form, random_pointer, random_policies
from support import WIDTHS, GuardedPages, assert_same, call, error_facts, facts, some
from threads import together

import ocior
from ocior import PointerError, view

DOCUMENT = '{"id":7,"tags":["a","b",["c",{}]],"inner":{"x":{"y":null}},"id":8,"\\u0061":1.5,"":[]}'
VALUE = json.loads(DOCUMENT)


def forms():
    """The document in each kind of text, as (form, the same in a str)."""
    for text in (DOCUMENT, *(DOCUMENT.replace("b", sample) for sample in WIDTHS.values()), f" \n{DOCUMENT}\r\t"):
        for form in (
            text,
            text.encode(),
            bytearray(text.encode()),
            memoryview(text.encode()),
            text.encode("utf-16"),
            text.encode("utf-8-sig"),
        ):
            yield form, text


def unfolded(value):
    """A view with all that is in it as plain objects, by the ways of a Mapping and a Sequence alone."""
    if isinstance(value, Mapping):
        assert not isinstance(value, dict)
        return {key: unfolded(value[key]) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, str):
        assert not isinstance(value, list)
        return [unfolded(value[index]) for index in range(len(value))]
    return value


def test_all_forms():
    for form, text in forms():
        plain, lazy = json.loads(text), view(form)
        assert facts(unfolded(lazy)) == facts(plain) == facts(lazy.load())
        assert lazy == plain == lazy and lazy != [] and lazy != 7 and lazy == view(text)
        assert len(lazy) == len(plain) and list(lazy) == list(plain) and list(reversed(lazy)) == list(reversed(plain))
        assert list(lazy.keys()) == list(plain) and dict(lazy.items()) == plain and list(lazy.values()) == list(plain.values())
        assert lazy["id"] == 8 and lazy.get("id") == 8 and lazy.get("no") is None and lazy.get("no", 3) == 3
        assert "id" in lazy and "no" not in lazy and 7 not in lazy
        with pytest.raises(KeyError, match="^'no'$"):
            lazy["no"]
        with pytest.raises(KeyError):
            lazy[0]


def test_arrays():
    plain = [1, "two", None, [3, [4]], {"five": 5}, -6.5, True]
    lazy = view(json.dumps(plain))
    assert lazy == plain and lazy != tuple(plain) and list(lazy) == plain and list(reversed(lazy)) == plain[::-1]
    for index in range(-len(plain), len(plain)):
        assert lazy[index] == plain[index]
    for index in (len(plain), -len(plain) - 1, 10**30, -(10**30)):
        with pytest.raises(IndexError):
            lazy[index]
    for first in (None, 0, 2, -3, 99, -99):
        for last in (None, 0, 5, -1, 99, -99):
            for step in (None, 1, 2, -1, -2, 50):
                part = lazy[first:last:step]
                assert type(part) is list and part == plain[first:last:step]
    for wrong in ("0", 1.0, None, (0,)):
        with pytest.raises(TypeError):
            lazy[wrong]
    assert lazy[True] == "two" and "two" in lazy and 7 not in lazy and [3, [4]] in lazy
    assert lazy.index(None) == 2 and lazy.count(1) == 2
    with pytest.raises(ValueError):
        lazy.index("three")


@pytest.mark.parametrize("text", ["7", "-2.5e3", "null", "true", ' "x\\n\u4e2d" ', '""', "NaN", "12345678901234567890"])
def test_other_values_are_themselves(text):
    for form in (text, text.encode(), text.encode("utf-32")):
        assert facts(view(form)) == facts(json.loads(text))


@pytest.mark.parametrize("text", ["[]", "{}", " [ ] ", "{\n}"])
def test_empty_containers(text):
    lazy = view(text)
    assert len(lazy) == 0 and not lazy and list(lazy) == [] and lazy == json.loads(text) and lazy.load() == json.loads(text)


def test_at():
    for form, text in forms():
        plain, lazy = json.loads(text), view(form)
        for pointer in ("", "/id", "/tags", "/tags/0", "/tags/2/0", "/tags/2/1", "/inner/x/y", "/a", "/"):
            assert lazy.at(pointer) == follow(plain, pointer) and lazy.at(pointer, default=NOTHING) == follow(plain, pointer)
        for pointer in (
            "/no",
            "/tags/3",
            "/tags/-",
            "/tags/00",
            "/tags/\u0661",
            "/tags/" + "9" * 5000,
            "/inner/x/y/z",
            "/id/0",
            "/tags/2/1/a",
        ):
            assert lazy.at(pointer, default=None) is None and lazy.at([pointer, "/id"], 3) == (3, 8)
            error = call(lazy.at, pointer).error
            assert type(error) is PointerError and str(error) == f"no value at {pointer!r}" and error.pointer == pointer
        assert lazy.at(("/id", "/tags/1")) == (8, plain["tags"][1]) and lazy.at([]) == ()
        assert lazy["inner"].at("/x/y") is None and lazy["tags"].at("/2") == ["c", {}]
    lazy = view('{"~":{"/":1},"~1":2}')
    assert lazy.at("/~0/~1") == 1 and lazy.at("/~01") == 2
    for wrong in ("a", "/~", "/~2", "/~~0", "~0"):
        assert error_facts(call(lazy.at, wrong).error) == error_facts(call(ocior.at, "{}", wrong).error)
    for wrong in (None, 3, b"/a", [3]):
        with pytest.raises(TypeError):
            lazy.at(wrong)


@pytest.mark.parametrize("name", CASES)
def test_jsontestsuite(name):
    for document in (CASES[name], CASES[name].decode("latin-1")):
        expected, lazy = call(ocior.loads, document), call(view, document)
        if expected.error is not None:
            assert error_facts(lazy.error) == error_facts(expected.error)
            assert vars(lazy.error).get("path") == vars(expected.error).get("path")
        elif len(document) < 10_000:  # the others are nested deeper than unfolded() goes
            assert facts(unfolded(lazy.value)) == facts(expected.value)


@pytest.mark.parametrize("seed", some(range(40), 8))
def test_random_documents(seed):
    chance = random.Random(seed)
    for _ in range(60):
        document, policies = random_form(chance, random_document(chance)), random_policies(chance)
        whole, lazy = call(ocior.loads, document, **policies), call(view, document, **policies)
        if whole.error is not None:
            assert_same(lazy, whole, str((document, policies)))
            continue
        assert facts(unfolded(lazy.value)) == facts(whole.value), (document, policies)
        if isinstance(lazy.value, (Mapping, Sequence)) and not isinstance(lazy.value, str):
            for pointer in (random_pointer(chance) for _ in range(5)):
                found = lazy.value.at(pointer, NOTHING)
                assert facts(unfolded(found)) == facts(follow(whole.value, pointer)), (document, pointer, policies)


def test_mistakes_are_told_at_once():
    for text in ('{"a":[1,2', '{"a":tru}', "[1] 2", '{"a":"\\ud8"}', "", "[1,]", b'{"a":"\xff"}', b'["\xed\xa0\x80"', "\ufeff[]"):
        assert error_facts(call(view, text).error) == error_facts(call(ocior.loads, text).error)
    for policies in (
        {"duplicate_keys": "error"},
        {"big_integers": "error"},
        {"non_finite": "error"},
        {"surrogates": "error"},
        {"max_depth": 2},
    ):
        text = '[1,{"a":1},[[{"a":1,"b":98765432109876543210,"a":NaN,"c":"\\ud800"}]]]'
        assert error_facts(call(view, text, **policies).error) == error_facts(call(ocior.loads, text, **policies).error)
    for number in ("9" * 5000, "-" + "9" * 5000):
        text = f'{{"a":[{number}]}}'
        assert error_facts(call(view, text).error) == error_facts(call(ocior.loads, text).error)
    assert view('["\t"]', strict=False)[0] == "\t" and call(view, '["\t"]').error is not None
    for wrong in ([], None, 3, object()):
        assert error_facts(call(view, wrong).error) == error_facts(call(ocior.loads, wrong).error)
    for keywords in ({"cls": None}, {"type": int}, {"strct": True}, {"view_of_object": 3}):
        with pytest.raises(TypeError):
            view("[]", **keywords)


def test_hooks():
    text = '{"a":[1,2.5,NaN],"b":{"c":{}}}'
    lazy = view(text, parse_int=str, parse_float=decimal.Decimal, parse_constant=len)
    assert list(lazy["a"]) == ["1", decimal.Decimal("2.5"), 3]
    lazy = view(text, object_hook=lambda value: sorted(value))
    assert lazy.load() == ["a", "b"] and lazy["b"].load() == ["c"] and isinstance(lazy["b"]["c"], Mapping)
    assert view(text, object_pairs_hook=tuple)["b"].load() == (("c", ()),)

    def fail(text):
        raise ZeroDivisionError

    lazy = view(text, parse_int=fail)
    with pytest.raises(ZeroDivisionError):
        lazy["a"][0]
    assert lazy["a"][1] == 2.5


def test_copies_are_plain():
    for form, text in forms():
        lazy, plain = view(form), json.loads(text)
        for made in (pickle.loads(pickle.dumps(lazy)), copy.copy(lazy), copy.deepcopy(lazy), lazy.load(), copy.deepcopy([lazy])[0]):
            assert type(made) is dict and type(made["tags"]) is list and made == plain
        assert type(pickle.loads(pickle.dumps(lazy["tags"]))) is list
    with pytest.raises(TypeError, match="unhashable"):
        hash(view("[]"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1,2,3]", "<view of an array of 3>"),
        ("{}", "<view of an object of 0>"),
        ('{"a":1,"\\n":2}', "<view of an object of 2: 'a', '\\n'>"),
        ('{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', "<view of an object of 6: 'a', 'b', 'c', 'd', 'e', ...>"),
        ('{"' + "x" * 99 + '":1}', "<view of an object of 1: '" + "x" * 35 + "...>"),
    ],
)
def test_repr(text, expected):
    assert repr(view(text)) == expected


def test_patterns():
    match view(DOCUMENT):
        case {"id": number, "tags": [first, *_]}:
            assert (number, first) == (8, "a")
        case _:
            raise AssertionError
    (only,) = view("[5]")
    assert only == 5 and {**view('{"a":1}')} == {"a": 1} and [*view("[1,2]")] == [1, 2]


def test_the_document_stays_as_it_was():
    for make in (bytearray, lambda data: memoryview(bytearray(data))):
        data = make(DOCUMENT.encode())
        lazy = view(data)
        data[:] = b" " * len(data)
        assert lazy == VALUE and lazy["tags"][2] == ["c", {}]
    data = bytearray(b"[1,2]")
    lazy = view(data)
    data.clear()  # no export is held
    assert lazy == [1, 2]
    part = view("[" + "[[1]]," * 99 + "2]")[0]
    assert part == [[1]] and weakref.ref(part)() is part


@pytest.mark.skipif("OCIOR_SANITIZED" in os.environ, reason="a sanitizer takes the wall for a mistake")
def test_text_that_ends_against_an_inaccessible_page():
    pages = GuardedPages()
    for length in range(70):
        document = json.dumps({"k" * length: [length, "x" * length], "z": {"y": "x" * length}}).encode()
        placed = pages.place(document)
        assert unfolded(view(placed)) == json.loads(document)
        placed.release()


def test_offsets_of_no_value():
    """What only a program can ask for that goes behind the views."""
    viewed = view('[1, "x", {"a": 2}]')._viewed
    for offset in (2, 3, 16, 17, 18, 10**6, -1, -(2**63)):
        for read in (viewed.load, viewed.children, viewed.value):
            assert type(call(read, offset).error) is ValueError, offset
    for wrong in ("1", None, 1.5, 2**70):
        assert type(call(viewed.load, wrong).error) in (TypeError, IndexError)
    with pytest.raises(TypeError):
        type(viewed)()


def test_time_grows_as_the_input():
    def walk(text):
        lazy = view(text)
        for key in lazy:
            lazy[key]
        return lazy.at("/k9/0")

    small, large = ("{" + ",".join(f'"k{number}":[{number},"x"]' for number in range(count)) + "}" for count in (SMALL, LARGE))
    check_growth(walk, json.loads, small, large)


def test_threads():
    text = json.dumps([{"name": "\u4e2d" * number, "sub": {"x": [number] * number}} for number in range(200)])
    plain, shared = json.loads(text), [view(text)]

    def work(number):
        for turn in range(200):
            place = (turn * 7 + number) % 200
            if turn % 50 == 0:
                shared[0] = view(text)
            assert shared[0][place] == plain[place] and len(shared[0]) == 200

    together(work)
