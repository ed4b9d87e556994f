"""The keywords indent and separators of dumps and dumps_to_bytes: of every type, width and size, at any depth, and changed between
calls."""

import json
import sys

import pytest
from dumps_values import SAMPLES
from support import call, check_python, same_dumps

import ocior


class Text(str):
    def __str__(self):
        return "oops"


class Whole(int):
    pass


class Indexed:
    def __index__(self):
        return 2


INDENTS = [
    None,
    0,
    1,
    2,
    3,
    4,
    8,
    17,
    64,
    100,
    -1,
    -5,
    -(2**70),
    True,
    False,
    "",
    " ",
    "\t",
    "--",
    "\u4e2d",
    "\xe9",
    "\U0001f600 ",
    "\ud800",
    '"',
    "\n",
    "ab" * 40,
    Text("  "),
    Whole(2),
    Whole(0),
    1.5,
    0.0,
    b" ",
    bytearray(b" "),
    [],
    [" "],
    (),
    Indexed(),
    object(),
    2**64,
    -(2**64),
    1j,
    float("nan"),
]


@pytest.mark.parametrize("index", range(len(INDENTS)), ids=lambda index: repr(INDENTS[index])[:20])
def test_indent(index):
    indent = INDENTS[index]
    kinds_only = not isinstance(indent, (int, str, type(None)))
    for obj in SAMPLES:
        for more in ({}, {"ensure_ascii": False}, {"separators": (",", ":")}, {"separators": (" , ", "")}, {"sort_keys": True}):
            same_dumps(obj, kinds_only, indent=indent, **more)


@pytest.mark.parametrize("depth", (1, 2, 10, 63, 64, 65, 200))
def test_indent_at_depth(depth):
    for indent in (1, 4, "\t", "\u4e2d", "abc"):
        obj = {"k": 1}
        for level in range(depth):
            obj = [obj, level] if level % 2 else {"k": obj}
        same_dumps(obj, indent=indent, ensure_ascii=False)


def test_huge_indents_do_not_hang_or_crash():
    """A gigabyte of spaces is refused or not needed; nothing overflows. In a process that may not grow."""
    out = (
        check_python("""
        import resource, sys, json, ocior
        resource.setrlimit(resource.RLIMIT_AS, (1200 << 20, 1200 << 20))
        for indent in (2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64, 10**30):
            for obj in ([], {}, 1, "a", [1], {"a": 1}, [[1]], [[[[1]]]]):
                for function in (ocior.dumps, ocior.dumps_to_bytes):
                    try:
                        text = function(obj, indent=indent)
                        assert len(text) < 5 or len(text) > indent
                        del text
                    except (MemoryError, OverflowError):
                        pass
        for indent in (-2**31, -2**63, -2**64, -10**30):
            for obj in ([], 1, [1], {"a": [1]}):
                try:
                    assert ocior.dumps(obj, indent=indent) == ocior.dumps(obj, indent=-1)
                except OverflowError:
                    pass
        big = " " * (50 << 20)
        try:
            ocior.dumps([[1, 2, [3]]] * 30, indent=big)
        except (MemoryError, OverflowError):
            pass
        try:
            ocior.dumps([1] * 100, separators=(big, ":"))
        except (MemoryError, OverflowError):
            pass
        print("done")
    """)
        if sys.platform.startswith("linux")
        else "done"
    )
    assert out.strip() == "done"


SEPARATORS = [
    None,
    (",", ":"),
    (", ", ": "),
    ("", ""),
    (";", "="),
    (",\n", " : "),
    ("\u4e2d", "\xe9"),
    ("\U0001f600", "\ud800"),
    (",", "\ud800"),
    ("x" * 7, "y" * 8),
    ("x" * 63, "y" * 65),
    ("x" * 1000, "\u4e2d" * 1000),
    [",", ":"],
    ",:",
    {",": 1, ":": 2},
    (Text(","), Text(":")),
    ('"', "\\"),
    ("\n", "\t"),
    (),
    (",",),
    (",", ":", "x"),
    ",",
    "",
    5,
    (1, 2),
    (None, None),
    (b",", b":"),
    (",", None),
    (None, ":"),
    1.5,
    True,
    object(),
    (",", 1),
    [[], []],
]


@pytest.mark.parametrize("index", range(len(SEPARATORS)), ids=lambda index: ascii(SEPARATORS[index])[:24])
def test_separators(index):
    separators = SEPARATORS[index]
    for obj in SAMPLES:
        for more in ({}, {"ensure_ascii": False}, {"indent": 1}, {"indent": "", "sort_keys": True}):
            same_dumps(obj, True, separators=separators, **more)


def test_separators_from_an_iterator():
    for obj in SAMPLES:
        assert ocior.dumps(obj, separators=iter(";=")) == json.dumps(obj, separators=iter(";="))
        assert call(ocior.dumps, obj, separators=iter(";")).error is not None


def test_surrogates_in_separators_and_indents():
    for keywords in ({"indent": "\ud800"}, {"separators": ("\udfff", ":")}, {"separators": (",", "a\ud800")}):
        assert isinstance(call(ocior.dumps_to_bytes, [{"a": 1}, {"b": 2}], **keywords).error, ValueError)
        assert ocior.dumps_to_bytes(1, **keywords) == b"1"
        same_dumps([{"a": 1}, {"b": 2}], ensure_ascii=False, **keywords)


def test_separators_that_change_between_calls():
    separators = [",", ":"]
    for sign in ",;+":
        separators[0] = sign
        assert ocior.dumps([1, 2, {"a": 3}], separators=separators) == f'[1{sign}2{sign}{{"a":3}}]'
    for text in (Text(";"), Text("+")):
        assert ocior.dumps([1, 2], separators=(text, ":")) == json.dumps([1, 2], separators=(text, ":"))
