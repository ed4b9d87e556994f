"""Policies of an ocior.Default: which numbers, strings and keys are written as what, how deep containers may be nested, how the text is
laid out; on every road, in values, keys and arrays, beside other policies, and against values whose own code changes what is written."""

import array
import collections
import dataclasses
import enum
import itertools
import json
import math
import os
import random
import runpy
import struct
import sys
import types
from decimal import Decimal

import pytest
from pages import ROOT
from rich_values import ROADS, by_encoder, dump_bytes, dump_text, in_pieces, to_bytes
from support import WIDTHS, call

import ocior
import ocior.compat.orjson
from ocior import Default, Raw

try:
    import numpy
except ImportError:
    numpy = None

NAN, INF = math.nan, math.inf
needs_numpy = pytest.mark.skipif(numpy is None, reason="without numpy")


KEYWORDS = [
    {},
    {"ensure_ascii": False},
    {"indent": 1},
    {"indent": "\u4e2d", "ensure_ascii": False, "separators": (" ,", " =")},
    {"separators": (",", ":"), "check_circular": False},
    {"sort_keys": True},
]


def places(value):
    """Where a value may stand: alone, among others, and behind text of each width, so that the whole is written again at that width."""
    yield value
    yield [value, 1, value]
    yield {"key": value, "b": (value,)}
    for char in WIDTHS.values():
        yield [char, {"k" + char: value}]


def assert_written(value, twin, options, **ways):
    """That `value` is written as json writes its twin, everywhere."""
    default = Default(**options)
    for place, expected in zip(places(value), places(twin)):
        for keywords, road in itertools.product(KEYWORDS, ROADS):
            keywords = {**keywords, **ways}
            assert road(place, default=default, **keywords) == json.dumps(expected, **keywords), (road, keywords)


def assert_refused(value, options, error, words):
    default = Default(**options)
    for place, keywords, road in itertools.product(places(value), KEYWORDS, ROADS):
        found = call(road, place, default=default, **{**keywords, "check_circular": True}).error
        assert type(found) is error and words in str(found), (road, keywords, found)


# ---- what Default takes ----

REPRS = [
    {"non_finite": "null"},
    {"non_finite": "error", "big_integers": "float", "surrogates": "replace", "integer_bits": 53, "max_depth": 7},
    {"big_integers": "str", "max_depth": 0},
    {"surrogates": "error", "duplicate_keys": "error"},
    {"canonical": True, "non_finite": "null"},
    {"short_arrays": 80},
]
REFUSED = [
    ({"non_finite": "zero"}, ValueError, "non_finite must be 'name', 'error' or 'null', not 'zero'"),
    ({"non_finite": None}, ValueError, "non_finite must be 'name', 'error' or 'null', not None"),
    ({"big_integers": 1}, ValueError, "big_integers must be 'exact', 'float', 'str' or 'error', not 1"),
    ({"surrogates": "drop"}, ValueError, "surrogates must be 'keep', 'error' or 'replace', not 'drop'"),
    ({"integer_bits": 32}, ValueError, "integer_bits must be 64 or 53, not 32"),
    ({"integer_bits": 2**70}, ValueError, "integer_bits must be 64 or 53, not 1180591620717411303424"),
    ({"integer_bits": "53"}, ValueError, "integer_bits must be 64 or 53, not '53'"),
    ({"max_depth": -1}, ValueError, "max_depth must be None or an int from 0 to 65536, not -1"),
    ({"max_depth": 65537}, ValueError, "max_depth must be None or an int from 0 to 65536, not 65537"),
    ({"short_arrays": -1}, ValueError, "short_arrays must be None or an int from 0 to 2147483647, not -1"),
    ({"short_arrays": "x"}, ValueError, "short_arrays must be None or an int from 0 to 2147483647, not 'x'"),
    ({"max_depth": 1.0}, ValueError, "max_depth must be None or an int from 0 to 65536, not 1.0"),
    ({"max_depth": True}, ValueError, "max_depth must be None or an int from 0 to 65536, not True"),
]


@pytest.mark.parametrize("options", REPRS, ids=str)
def test_repr(options):
    shown = repr(Default(**options))
    assert shown.startswith("ocior.Default(") and repr(eval(shown)) == shown
    assert sorted(eval("dict" + shown[len("ocior.Default") :]).items()) == sorted(options.items())


UNASKED = {"duplicate_keys": "keep", "canonical": False, "short_arrays": None}


def test_usual_values_change_nothing():
    usual = Default(non_finite="name", big_integers="exact", surrogates="keep", integer_bits=64, max_depth=None, **UNASKED)
    assert repr(usual) == "ocior.Default()"
    value = [NAN, 2**100, "\ud800", {1: [[[]]]}]
    for keywords, road in itertools.product(KEYWORDS, ROADS):
        if not (road is dump_bytes or (road is to_bytes and keywords.get("ensure_ascii") is False)):
            assert road(value, default=usual, **keywords) == json.dumps(value, **keywords)


@pytest.mark.parametrize("options, error, words", REFUSED, ids=str)
def test_refused_options(options, error, words):
    with pytest.raises(error) as found:
        Default(**options)
    assert words in str(found.value)


def test_one_default_does_not_serve_another():
    """Options are kept from call to call; each Default has its own."""
    value = [NAN, 2**53]
    ways = [({}, "[NaN, 9007199254740992]"), ({"non_finite": "null"}, "[null, 9007199254740992]")]
    ways.append(({"big_integers": "str", "integer_bits": 53}, '[NaN, "9007199254740992"]'))
    for _ in range(20):
        for options, expected in ways:
            default = Default(**options)
            assert ocior.dumps(value, default=default) == expected
            assert ocior.dumps(value, default=default) == expected
            encoder = ocior.JSONEncoder(default=ways)
            encoder.default = default
            assert encoder.encode(value) == expected and encoder.encode(value) == expected


def test_as_a_function_of_others():
    default = Default(non_finite="error", big_integers="error", surrogates="error", integer_bits=53, max_depth=0)
    assert default({2**60}) == [2**60] and str(default((NAN, {1}))) == "[nan, [1]]" and default(Raw('"\\ud800"')) == "\ud800"
    assert json.dumps([{2**60}, NAN], default=default) == "[[1152921504606846976], NaN]"
    orjson = ocior.compat.orjson
    assert orjson.dumps([2**53, {2**64: NAN}], default=Default(big_integers="str", integer_bits=53)) == (
        b'["9007199254740992",{"18446744073709551616":null}]'
    )


# ---- numbers ----


class Level(enum.IntEnum):
    HUGE = 2**64
    TINY = -(2**63) - 1
    WIDE = 2**53
    ONE = 1


class Number(int):
    def __repr__(self):
        return "Number"


@pytest.mark.parametrize("value", [NAN, INF, -INF, Decimal("sNaN1"), Decimal("-Infinity"), array.array("d", [1.0, NAN])], ids=repr)
def test_non_finite(value):
    twin = [1.0, None] if isinstance(value, array.array) else None
    assert_written(value, twin, {"non_finite": "null"})
    assert_written(value, twin, {"non_finite": "null"}, allow_nan=False)
    assert_refused(value, {"non_finite": "error"}, ValueError, "Out of range float values are not JSON compliant")


def test_non_finite_keys_and_runs():
    assert ocior.dumps({NAN: 1, 1.5: INF}, default=Default(non_finite="null")) == '{"null": 1, "1.5": null}'
    assert_refused({NAN: 1}, {"non_finite": "error"}, ValueError, "Out of range float values are not JSON compliant")
    floats = [0.5 * i for i in range(50)]
    points = [[float(i), INF, i] for i in range(20)]
    for value in (floats[:17] + [NAN] + floats, points, tuple(points)):
        twin = json.loads(json.dumps(value), parse_constant=lambda _: None)
        assert_written(value, twin, {"non_finite": "null"})


IN_RANGE = {53: [0, -1, 2**53 - 1, -(2**53) + 1, 2**31, Level.ONE, True], 64: [2**53, 2**64 - 1, -(2**63), 2**63, Level.WIDE, 2**60]}
BIG = {53: [2**53, -(2**53), 2**63, Level.WIDE, Number(2**60)], 64: [2**64, -(2**63) - 1, 10**30, Level.HUGE, Level.TINY, Number(2**65)]}


@pytest.mark.parametrize("bits", [53, 64])
def test_integers_in_range(bits):
    for big_integers, value in itertools.product(("float", "str", "error"), IN_RANGE[53] + (IN_RANGE[64] if bits == 64 else [])):
        options = {"big_integers": big_integers, "integer_bits": bits}
        expected = json.dumps([value, {value: 1}])
        assert ocior.dumps([value, {value: 1}], default=Default(**options)) == expected, (value, options)
    assert_written(IN_RANGE[bits], IN_RANGE[bits], {"big_integers": "error", "integer_bits": bits})


@pytest.mark.parametrize("bits", [53, 64])
def test_big_integers(bits):
    for value in BIG[53] + BIG[64] if bits == 53 else BIG[64]:
        assert_written(value, str(int(value)), {"big_integers": "str", "integer_bits": bits})
        assert_written(value, float(value), {"big_integers": "float", "integer_bits": bits})
        assert_refused(value, {"big_integers": "error", "integer_bits": bits}, ValueError, "Out of range integer values are refused: ")
        for big_integers in ("str", "float"):
            default = Default(big_integers=big_integers, integer_bits=bits, keys=True)
            assert ocior.dumps({value: 0}, default=default) == json.dumps({value: 0})
        assert_refused({value: 0}, {"big_integers": "error", "integer_bits": bits}, ValueError, "Out of range integer values are refused: ")


def test_integers_beyond_doubles():
    with pytest.raises(OverflowError):
        ocior.dumps(10**400, default=Default(big_integers="float"))
    assert ocior.dumps(10**400, default=Default(big_integers="str")) == f'"{10**400}"'
    if hasattr(sys, "get_int_max_str_digits"):
        with pytest.raises(ValueError):
            ocior.dumps(10**5000, default=Default(big_integers="str"))


class Plain(enum.Enum):
    BIG = 2**70


def test_enums_as_keys():
    for big_integers in ("str", "float"):
        assert ocior.dumps({Plain.BIG: Plain.BIG.value}, default=Default(keys=True)) == f'{{"{2**70}": {2**70}}}'
        assert json.loads(ocior.dumps({Plain.BIG: 1}, default=Default(keys=True, big_integers=big_integers))) == {str(2**70): 1}
    assert_refused({Plain.BIG: 1}, {"keys": True, "big_integers": "error"}, ValueError, "Out of range integer")


@needs_numpy
def test_numbers_of_numpy():
    for kind in ("int64", "uint64", "int32", ">i8"):
        values = numpy.array([[1, 2**31 - 1, 3]] * 2, kind)
        assert_written(values, values.tolist(), {"big_integers": "error", "integer_bits": 53})
        if kind != "int32":
            values = numpy.array([[1, 2**53], [2**60 + 1, 3]], kind)
            assert_written(values, [[1, float(2**53)], [float(2**60), 3]], {"big_integers": "float", "integer_bits": 53})
            assert_written(values.T, [[1, str(2**60 + 1)], [str(2**53), 3]], {"big_integers": "str", "integer_bits": 53})
            assert_refused(values, {"big_integers": "error", "integer_bits": 53}, ValueError, "Out of range integer values")
            assert_written(values, values.tolist(), {"big_integers": "error"})
    for scalar in (numpy.int64(-(2**53)), numpy.uint64(2**64 - 1)):
        assert_written(scalar, str(scalar), {"big_integers": "str", "integer_bits": 53})
        default = Default(keys=True, big_integers="str", integer_bits=53)
        assert ocior.dumps({scalar: 1}, default=default) == f'{{"{scalar}": 1}}'
        assert_refused({scalar: 1}, {"keys": True, "big_integers": "error", "integer_bits": 53}, ValueError, "Out of range integer")
    for scalar in (numpy.float64(NAN), numpy.float32(INF), numpy.float16(NAN)):
        assert_written(scalar, None, {"non_finite": "null"})
    values = numpy.array([1.5, NAN] * 20, "f4")
    assert_written(values, [1.5, None] * 20, {"non_finite": "null"})
    assert_refused(values, {"non_finite": "error"}, ValueError, "Out of range float values")


# ---- strings ----

SURROGATES = ["\ud800", "a\udfffb", "\ud83d\ude00", "\xe9\udc00", "\U0001f600\udbff", "x" * 3000 + "\ud900", "\u4e2d" * 5000 + "\udc01" * 3]
WHOLE = ["", "plain", "\xe9", "\u4e2d\ufffd", "\U0001f600", "x" * 5000, '"\\\n', "\u4e2d" * 3000]


class Text(str):
    pass


def replaced(text):
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


@pytest.mark.parametrize("text", SURROGATES + WHOLE, ids=lambda text: ascii(text[:9] + text[-3:]))
def test_surrogates(text):
    for value, twin in ((text, replaced(text)), (Text(text), replaced(text)), ({text: [text]}, {replaced(text): [replaced(text)]})):
        assert_written(value, twin, {"surrogates": "replace"})
        if replaced(text) == text:
            assert_written(value, twin, {"surrogates": "error"})
        else:
            assert_refused(value, {"surrogates": "error"}, UnicodeEncodeError, "surrogates not allowed")
    if replaced(text) == text:
        assert_written({text: Text(text)}, {text: text}, {"surrogates": "replace", "html_safe": True})
    else:
        error = call(ocior.dumps, [text], default=Default(surrogates="error")).error
        expected = call(str.encode, text).error
        assert (error.encoding, error.object, error.start, error.end, error.reason) == (
            expected.encoding, expected.object, expected.start, expected.end, expected.reason)  # fmt: skip


def test_surrogates_in_ready_json():
    raw = Raw('"\ud800"', check=False)
    assert_written(raw, "\ufffd", {"surrogates": "replace"}, ensure_ascii=False)
    assert_refused(raw, {"surrogates": "error"}, UnicodeEncodeError, "surrogates not allowed")


# ---- depth ----


def nested(depth, make, innermost):
    for _ in range(depth):
        innermost = make(innermost)
    return innermost


MAKERS = {
    "list": lambda item: [item],
    "dict": lambda item: {"a": item},
    "subclass": lambda item: type("Sub", (list,), {})([item]),
    "named": lambda item: type("Names", (dict,), {})(a=item),
    "keys": lambda item: {1: item},
    "set": lambda item: {"k": item}.values(),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("depth", [0, 1, 2, 31, 32, 33, 100])
def test_max_depth(make, depth):
    default = Default(str, max_depth=depth)
    words = "maximum recursion depth exceeded while encoding a JSON object"
    for innermost, height in ((1, 0), ("x", 0), (1j, 0), ([], 1), ({}, 1), ((), 1), (array.array("d", [1.0]), 1)):
        for keywords, road in itertools.product([{}, {"indent": 1}, {"check_circular": False, "ensure_ascii": False}], ROADS):
            if depth >= height:
                fits = nested(depth - height, make, innermost)
                assert road(fits, default=default, **keywords) == road(fits, default=Default(str), **keywords)
            error = call(road, nested(depth - height + 1, make, innermost), default=default, **keywords).error
            assert type(error) is RecursionError and str(error) == words


@needs_numpy
def test_depth_of_arrays():
    for dimensions in range(1, 6):
        cube = numpy.zeros((1,) * dimensions)
        assert json.loads(ocior.dumps([cube], default=Default(max_depth=dimensions + 1))) == [cube.tolist()]
        with pytest.raises(RecursionError):
            ocior.dumps([cube], default=Default(max_depth=dimensions))
    # Nothing is nested in a dimension without items.
    for shape in ((0,), (0, 3), (0, 3, 0), (2, 0), (2, 0, 5), (1, 1, 0, 7)):
        levels = shape.index(0) + 1
        for road in ROADS:
            assert json.loads(road(numpy.zeros(shape), default=Default(max_depth=levels))) == numpy.zeros(shape).tolist()
            with pytest.raises(RecursionError):
                road(numpy.zeros(shape), default=Default(max_depth=levels - 1))


def test_cycles_are_found_first():
    cycle = []
    cycle.append(cycle)
    with pytest.raises(ValueError, match="Circular reference detected"):
        ocior.dumps(cycle, default=Default(max_depth=100))
    with pytest.raises(RecursionError):
        ocior.dumps(cycle, default=Default(max_depth=100), check_circular=False)


def test_hooks_do_not_count_as_levels():
    class Wrapped:
        def __init__(self, value):
            self.value = value

    default = Default(lambda wrapped: wrapped.value, max_depth=1)
    assert ocior.dumps([nested(50, Wrapped, 1)], default=default) == "[1]"
    with pytest.raises(RecursionError):
        ocior.dumps([nested(50, Wrapped, [])], default=default)


# ---- keys ----


class OddText(str):
    """Strings of the same text that are different keys."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other


class Listed(dict):
    def __init__(self, pairs):
        super().__init__(used=1)
        self.pairs = pairs

    def items(self):
        return self.pairs


UNIQUE = [
    {},
    {"a": 1, "b": [{}], "c": {"a": {}}},
    {9: 1, 10: 2, 1.5: None},
    {None: {True: 1}},
    {OddText("b"): 1, OddText("a"): 2},
    Listed([("b", 1), ("a", [Listed([(3, 4), (1, 2)])])]),
    Listed([]),
    Listed(()),
    {f"key {i}": {str(j): j for j in range(i)} for i in range(50)},
    {str(i): i for i in range(5000)},
    {i: {"\xe9\u4e2d\U0001f600": i} for i in range(300)},
    {Level.ONE: 1, 2: 3},
]
TWICE = [
    ({1: 1, "1": 2}, "1"),
    ({"1": 1, "a": 2, 1: 3}, "1"),
    ({None: 1, "null": 2}, "null"),
    ({"true": 1, True: 2}, "true"),
    ({1.5: 1, "1.5": 2}, "1.5"),
    ({OddText("a"): 1, "a": 2}, "a"),
    ({OddText("\u4e2d"): 1, OddText("\u4e2d"): 2}, "\u4e2d"),
    (Listed([("a", 1), ("b", 2), ("a", 3)]), "a"),
    ({NAN: 1, "NaN": 2}, "NaN"),
]


@pytest.mark.parametrize("value", UNIQUE, ids=lambda value: str(value)[:30])
def test_unique_keys(value):
    for keywords in KEYWORDS:
        for road in ROADS:
            ours = call(road, value, default=Default(duplicate_keys="error"), **keywords)
            theirs = call(json.dumps, value, **keywords)
            assert ours.value == theirs.value and type(ours.error) is type(theirs.error), (road, keywords)


@pytest.mark.parametrize("value, key", TWICE, ids=str)
def test_duplicate_keys(value, key):
    for keywords in ({}, {"ensure_ascii": False, "indent": 1}, {"skipkeys": True}):
        for place, road in itertools.product(places(value), ROADS):
            error = call(road, place, default=Default(duplicate_keys="error"), **keywords).error
            assert type(error) is ValueError and str(error) == f"Duplicate key: {key!r}"
            if not isinstance(value, Listed):
                assert road(value, default=ocior.default, **keywords) == json.dumps(value, **keywords)


def test_duplicates_that_other_policies_make():
    default = Default(duplicate_keys="error", surrogates="replace")
    assert ocior.dumps({"\ud800": 1, "\ud800a": 2}, default=default, ensure_ascii=False) == '{"\ufffd": 1, "\ufffda": 2}'
    for value in ({"\ud800": 1, "\udfff": 2}, {"\ufffd": 1, "\ud800": 2}):
        with pytest.raises(ValueError, match="Duplicate key: '\ufffd'"):
            ocior.dumps(value, default=default)
    with pytest.raises(ValueError, match="Duplicate key: 'null'"):
        ocior.dumps({NAN: 1, INF: 2}, default=Default(duplicate_keys="error", non_finite="null"))
    keys = Default(duplicate_keys="error", keys=True)
    assert ocior.dumps({Plain.BIG: 1, "x": {Decimal("1.0"): 2, 3: 4}}, default=keys) == f'{{"{2**70}": 1, "x": {{"1.0": 2, "3": 4}}}}'
    with pytest.raises(ValueError, match="Duplicate key"):
        ocior.dumps({Plain.BIG: 1, 2**70: 2}, default=keys)


def test_keys_that_are_skipped_or_refused():
    default = Default(duplicate_keys="error")
    assert ocior.dumps({(1,): 1, (2,): 2, "a": 3}, default=default, skipkeys=True) == '{"a": 3}'
    for keywords in ({"skipkeys": True}, {"skipkeys": True, "indent": 1}):
        assert ocior.dumps([{(1,): 1}], default=default, **keywords) == json.dumps([{(1,): 1}], **keywords)
    with pytest.raises(TypeError, match="keys must be str, int, float, bool or None, not tuple"):
        ocior.dumps({"a": 3, (1,): 1}, default=default)
    with pytest.raises(ValueError, match="items must return 2-tuples"):
        ocior.dumps(Listed([("a", 1), ("b",)]), default=default)


# ---- canonical text: RFC 8785 ----

CANONICAL = Default(canonical=True)

# RFC 8785, sections 3.2.2 and 3.2.3.
DOCUMENTS = [
    (
        {
            "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
            "literals": [None, True, False],
        },
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    ),
    (
        {
            "\u20ac": "Euro Sign",
            "\r": "Carriage Return",
            "\ufb33": "Hebrew Letter Dalet With Dagesh",
            "1": "One",
            "\U0001f600": "Emoji: Grinning Face",
            "\u0080": "Control",
            "\u00f6": "Latin Small Letter O With Diaeresis",
        },
        '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",'
        '"\u20ac":"Euro Sign","\U0001f600":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ),
    ([], "[]"),
    ({}, "{}"),
    ([{}, [], "", None], '[{},[],"",null]'),
    ("\b\t\n\f\r\x00\x1f\x7f\u2028/<>&\xe9", '"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\u2028/<>&\xe9"'),
    ({10: 1, 9: 2, None: 3, True: 4, 1.0: 5}, '{"10":1,"9":2,"null":3,"true":5}'),
    ({"b": {"\U0001f600": 1, "\ue000": 2}, "a": [-(2**53) + 1, 2**53 - 1]}, '{"a":[-9007199254740991,9007199254740991],"b":{"\U0001f600":1,"\ue000":2}}'),
    ({"\U0001f600\U0001f601": 1, "\U0001f600": 2, "\U0001f600\uffff": 3, "\U00010000": 4}, '{"\U00010000":4,"\U0001f600":2,"\U0001f600\U0001f601":1,"\U0001f600\uffff":3}'),
    (Level.ONE, "1"),
    ([Decimal("1.50"), Decimal("1E+21"), Decimal("-0"), Decimal("NaN").is_nan()], "[1.5,1e+21,0,true]"),
]  # fmt: skip

# Appendix B of RFC 8785: the bits of a double, and its text.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


def ecmascript(number):
    """Number::toString of ECMAScript, step by step, from the digits and the exponent of repr."""
    if number == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    s, k, minus = "".join(map(str, digits)), len(digits), "-" if sign else ""
    n = exponent + k  # the value is 0.s times ten to the power of n
    if k <= n <= 21:
        return minus + s + "0" * (n - k)
    if 0 < n <= 21:
        return minus + s[:n] + "." + s[n:]
    if -6 < n <= 0:
        return minus + "0." + "0" * -n + s
    mantissa = s if k == 1 else s[0] + "." + s[1:]
    return f"{minus}{mantissa}e{n - 1:+d}"


@pytest.mark.parametrize("value, text", DOCUMENTS, ids=lambda side: ascii(side)[:30])
def test_canonical_documents(value, text):
    for keywords in ({}, {"ensure_ascii": True, "separators": (" , ", "\u4e2d")}, {"sort_keys": False, "ensure_ascii": False}):
        for road in ROADS:
            assert road(value, default=CANONICAL, **keywords) == text
            assert road([1, value], default=CANONICAL, **keywords) == f"[1,{text}]"
    assert ocior.dumps_to_bytes(value, default=CANONICAL) == text.encode()
    with pytest.raises(ValueError, match="canonical text has no indent"):
        ocior.dumps(value, default=CANONICAL, indent=0)


def test_canonical_numbers():
    for bits, text in NUMBERS:
        (number,) = struct.unpack(">d", bytes.fromhex(bits))
        assert ecmascript(number) == text
        for road in ROADS:
            assert road(number, default=CANONICAL) == text
            assert road(["\u4e2d", number, array.array("d", [number])], default=CANONICAL) == f'["\u4e2d",{text},[{text}]]'
        assert ocior.dumps({number: 1}, default=CANONICAL) == f'{{"{text}":1}}'


def test_canonical_doubles():
    """Against the steps of ECMAScript: a million in a long run."""
    rng = random.Random(8785)
    count = 1_000_000 if os.environ.get("OCIOR_HYPOTHESIS_PROFILE") == "long" else 30_000
    numbers = [struct.unpack("d", rng.randbytes(8))[0] for _ in range(count // 2)]
    numbers += [
        rng.choice((1, -1)) * rng.randrange(1, 10 ** rng.randrange(1, 18)) * 10.0 ** rng.randrange(-25, 25) for _ in range(count // 2)
    ]
    numbers += [sign * float(f"1e{i}") for sign in (1, -1) for i in range(-320, 309)]
    numbers = [number for number in numbers if math.isfinite(number)]
    expected = [ecmascript(number) for number in numbers]
    for value in (numbers, array.array("d", numbers), tuple(numbers)):
        assert ocior.dumps(value, default=CANONICAL)[1:-1].split(",") == expected
    assert ocior.dumps(["\u4e2d", *numbers], default=CANONICAL)[5:-1].split(",") == expected
    assert [float(text) for text in expected] == numbers


def test_canonical_numbers_of_the_reference():
    """The checksum of the reference implementation's file: a hundred million doubles in a long run."""
    script = runpy.run_path(os.path.join(ROOT, "tests/long/rfc8785_doubles.py"))
    lines = 100_000_000 if os.environ.get("OCIOR_HYPOTHESIS_PROFILE") == "long" else 100_000
    assert script["checksum_of"](lines) == script["CHECKSUMS"][lines]


@needs_numpy
def test_canonical_numbers_of_numpy():
    rng = random.Random(32)
    narrow = numpy.frombuffer(rng.randbytes(80000), "f4")
    for values in (narrow[numpy.isfinite(narrow)], numpy.arange(0x7C00, dtype="u2").view("f2")):
        written = ocior.dumps(values, default=CANONICAL)[1:-1].split(",")
        usual = ocior.dumps(values, default=ocior.default)[1:-1].split(", ")
        assert written == [ecmascript(float(text)) for text in usual]
        assert [ocior.dumps(value, default=CANONICAL) for value in values[:2000]] == written[:2000]
    assert (
        ocior.dumps([numpy.float64(1e20), numpy.float32(-0.0), numpy.float16(1e-7)], default=CANONICAL) == "[100000000000000000000,0,1e-7]"
    )
    with pytest.raises(ValueError, match="Out of range integer"):
        ocior.dumps(numpy.array([2**53]), default=CANONICAL)


NOT_CANONICAL = [
    (NAN, ValueError, "Out of range float values"),
    ([1, -INF], ValueError, "Out of range float values"),
    (2**53, ValueError, "Out of range integer values are refused: 9007199254740992"),
    (-(2**64), ValueError, "Out of range integer values"),
    ({2**53: 1}, ValueError, "Out of range integer values"),
    ("\ud800", UnicodeEncodeError, "surrogates not allowed"),
    ({"a": {"b": 1, "\udfff": 2}}, UnicodeEncodeError, "surrogates not allowed"),
    ({1: 1, "1": 2}, ValueError, "Duplicate key: '1'"),
    (Raw("1"), ValueError, "ready JSON cannot be made canonical"),
    (Decimal("0.12345678901234567890"), ValueError, "Decimal values that are no double are not canonical: "),
    (Decimal("1e400"), ValueError, "Out of range float values"),
    (Decimal("Infinity"), ValueError, "Out of range float values"),
    ({1, 2}, TypeError, "Object of type set is not JSON serializable"),
    (frozenset(), TypeError, "Object of type frozenset is not JSON serializable"),
]


@pytest.mark.parametrize("value, error, words", NOT_CANONICAL, ids=lambda side: ascii(side)[:30])
def test_what_is_not_canonical(value, error, words):
    for place, road in itertools.product(places(value), ROADS):
        found = call(road, place, default=CANONICAL).error
        assert type(found) is error and words in str(found)


def test_canonical_beside_other_policies():
    def written(value, fallback=None, **options):
        return ocior.dumps(value, default=Default(fallback, canonical=True, **options))

    assert (
        written([2**53, 2**70, {2**60: 1}], big_integers="float") == '[9007199254740992,1.1805916207174113e+21,{"1152921504606846976":1}]'
    )
    assert written([2**53, 2**53 - 1], big_integers="str", integer_bits=64) == '["9007199254740992",9007199254740991]'
    assert written([NAN, {"a": INF}], non_finite="null") == '[null,{"a":null}]'
    assert written({"\ud800": "\udfff"}, surrogates="replace") == '{"\ufffd":"\ufffd"}'
    assert written([{3, 1, 2}, frozenset("ba")], sorted) == '[[1,2,3],["a","b"]]'
    assert written(Decimal("0.12345678901234567890"), decimal="str") == '"0.12345678901234567890"'
    for too_large in (Decimal("1e400"), Decimal("-1e400")):
        with pytest.raises(ValueError, match="^Decimal values that are no double are not canonical: "):
            written([too_large], non_finite="null")
    with pytest.raises(ValueError, match="canonical text has no extra escapes"):
        Default(canonical=True, html_safe=True)
    assert CANONICAL({1.0, 2.5}) == [1.0, 2.5] and type(CANONICAL({1.0})[0]) is float and CANONICAL(Raw("[1]")) == [1]


@dataclasses.dataclass
class Fields:
    z: int
    a: object


def test_canonical_order_of_fields():
    text = '{"a":{"a":null,"z":2},"z":1}'
    assert ocior.dumps(Fields(1, Fields(2, None)), default=CANONICAL) == text
    names = collections.namedtuple("names", "z a")
    assert ocior.dumps(names(1, names(2, None)), default=Default(canonical=True, namedtuple_as_object=True)) == text
    assert ocior.dumps({"b": 1, "a": types.MappingProxyType({"d": 1, "c": 2})}, default=CANONICAL) == '{"a":{"c":2,"d":1},"b":1}'


def random_value(rng, depth):
    kind = rng.randrange(9 if depth else 7)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.randrange(-(10 ** rng.randrange(1, 15)), 10 ** rng.randrange(1, 15))
    if kind == 2:
        return rng.uniform(-1, 1) * 10.0 ** rng.randrange(-30, 30)
    if kind == 3:
        return float(rng.randrange(-1000, 10**6))
    if kind < 7:
        return "".join(rng.choice('ab"\\\n\x01\x7f/\xe9\u4e2d\ufb33\ue000\U0001f600\U0010ffff') for _ in range(rng.randrange(12)))
    if kind == 7:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(6))]
    return {random_value(random.Random(rng.random()), 0).__str__(): random_value(rng, depth - 1) for _ in range(rng.randrange(8))}


def test_against_rfc8785():
    rfc8785 = pytest.importorskip("rfc8785")
    rng = random.Random(11)
    for _ in range(2000):
        value = random_value(rng, 5)
        assert ocior.dumps_to_bytes(value, default=CANONICAL) == rfc8785.dumps(value)
        assert ocior.dumps(value, default=CANONICAL).encode() == rfc8785.dumps(value)


# ---- hooks that change what is written ----


def test_hooks_that_change_dicts():
    """A dict whose keys are looked at first is written as it was then."""

    class Changes:
        def __init__(self, change):
            self.change = change

    def default(value):
        value.change()
        return 0

    for options in ({"duplicate_keys": "error"}, {"canonical": True}, {"duplicate_keys": "error", "surrogates": "replace"}):
        for first in ("a", 0, OddText("a"), "\ufffd"):
            for size in (3, 5000):
                victim = {}
                victim[first] = Changes(lambda: (victim.pop("0 last"), victim.update({i: i for i in range(50)}), victim.clear()))
                victim.update({f"k{i}": [i] for i in range(size)})
                victim["0 last"] = Changes(lambda: None)
                expected = {str(key): 0 if isinstance(item, Changes) else item for key, item in victim.items()}
                written = ocior.dumps(victim, default=Default(default, **options))
                assert json.loads(written) == expected and not victim


def test_keys_that_change_their_dict():
    class Key(int):
        def __repr__(self):
            victim.clear()
            return "key"

    class Items(dict):
        def items(self):
            victim.update(x=1, y=2)
            return [("a", victim), ("b", 1)]

    for options in ({"duplicate_keys": "error"}, {"canonical": True}):
        victim = {Key(1): [1], "b": [2], 3: [3]}
        assert json.loads(ocior.dumps(victim, default=Default(**options))) == {"1": [1], "b": [2], "3": [3]}
        victim = Items(c=1)
        with pytest.raises(ValueError, match="Circular reference detected"):
            ocior.dumps(victim, default=Default(**options))


def test_errors_from_keys():
    class Bad(dict):
        def items(self):
            raise KeyError("items")

    class Broken(enum.Enum):
        A = 1

        @property
        def value(self):
            raise LookupError("value")

    for options in ({"duplicate_keys": "error"}, {"canonical": True}):
        for road in ROADS:
            with pytest.raises(KeyError, match="items"):
                road([Bad(a=1)], default=Default(**options))
            with pytest.raises(LookupError, match="value"):
                road({"x": {Broken.A: 1}}, default=Default(keys=True, **options))


# ---- short arrays ----


def laid_out(value, most, keywords, level=0):
    """The oracle: json's layout, but that an array without containers, other than empty ones, stands on one line if it fits."""
    item, key = keywords.get("separators", (",", ": "))
    indent = keywords["indent"]
    unit = indent if isinstance(indent, str) else " " * indent
    scalar = {name: option for name, option in keywords.items() if name == "ensure_ascii"}
    if isinstance(value, (list, tuple)) and value:
        parts = [laid_out(one, most, keywords, level + 1) for one in value]
        line = "[" + (item if item.endswith(" ") else item + " ").join(parts) + "]"
        if not any(isinstance(one, (list, tuple, dict)) and one for one in value) and len(line) <= most:
            return line
    elif isinstance(value, dict) and value:
        parts = [
            json.dumps(name, **scalar) + key + laid_out(one, most, keywords, level + 1)
            for name, one in (sorted(value.items()) if keywords.get("sort_keys") else value.items())
        ]
    else:
        return json.dumps(value, **scalar)
    brackets = "{}" if isinstance(value, dict) else "[]"
    inner, outer = "\n" + unit * (level + 1), "\n" + unit * level
    return brackets[0] + inner + (item + inner).join(parts) + outer + brackets[1]


LAYOUTS = [
    {"indent": 2},
    {"indent": 0, "ensure_ascii": False},
    {"indent": "\t", "separators": (", ", ":"), "ensure_ascii": False},
    {"indent": "<\u4e2d\n>", "separators": (" ;\n", " ="), "ensure_ascii": False},
    {"indent": "\n", "separators": ("\n,\n", ": "), "sort_keys": True},
    {"indent": 40, "separators": ("", "")},
    {"indent": "", "separators": ("a rather long separator ", ": ")},
    {"indent": 1, "separators": ("\u4e2d", "\U0001f600")},
]
ARRAYS = [
    [],
    [1, 2, 3],
    [[1, 2, 3], [4.5, "x"], [None] * 9],
    {"a": [1], "b": {"c": [[], {}, 1], "d": ["\n", "\xe9", "\u4e2d" * 7, "\U0001f600"]}, "e": [{"x": [1, 2]}, 3]},
    [["x" * n] for n in range(0, 40)],
    [list(range(n)) for n in range(0, 20)],
    [[[[[[1]], 2]], (3, 4)], "y" * 30, [True, False, None, 2**70, 1e300]],
    ["z" * 3000, ["z" * 2000, "\u4e2d" * 1500]],
]


@pytest.mark.parametrize("keywords", LAYOUTS, ids=str)
def test_short_arrays(keywords):
    for value, most in itertools.product(ARRAYS, (0, 3, 9, 10, 11, 33, 80, 5000)):
        default = Default(short_arrays=most)
        expected = laid_out(value, most, keywords)
        for road in (ocior.dumps, in_pieces, by_encoder, dump_text):
            assert road(value, default=default, **keywords) == expected, (road, value, most)
        if expected.isascii():
            assert to_bytes(value, default=default, **keywords) == expected
            assert dump_bytes(value, default=default, **keywords) == expected


def test_short_arrays_without_lines():
    for value, keywords in itertools.product(ARRAYS, ({}, {"separators": (",", ":"), "ensure_ascii": False})):
        assert ocior.dumps(value, default=Default(short_arrays=80), **keywords) == json.dumps(value, **keywords)
    assert ocior.dumps([1, 2], default=Default(short_arrays=None), indent=1) == json.dumps([1, 2], indent=1)


def test_short_arrays_count_bytes():
    for most in range(6, 20):
        value = [["\xe9", "\u4e2d"], [1]]
        fits = len('["\xe9", "\u4e2d"]'.encode()) <= most
        line = b'["\xc3\xa9", "\xe4\xb8\xad"]' if fits else b'[\n  "\xc3\xa9",\n  "\xe4\xb8\xad"\n ]'
        assert ocior.dumps_to_bytes(value, default=Default(short_arrays=most), indent=1) == b"[\n " + line + b",\n [1]\n]"


def test_short_arrays_of_other_types():
    default = Default(lambda value: [value.real, value.imag], short_arrays=20)
    rows = [{1}, 0, 1 + 2j, collections.deque([1, 2]), array.array("d", [1.5, 2.5]), OddText("x")]
    twin = [[1], 0, [1.0, 2.0], [1, 2], [1.5, 2.5], "x"]
    assert ocior.dumps(rows, default=default, indent=2) == laid_out(twin, 20, {"indent": 2})
    assert ocior.dumps([Raw("1"), 2], default=default, indent=0) == "[\n1,\n2\n]"
    assert ocior.dumps([1, Raw("[\n1,\n2]")], default=default, indent=0) == "[\n1,\n[\n1,\n2]\n]"
    assert ocior.dumps([[1, [2]], 3], default=default, indent=0) == "[\n[\n1,\n[2]\n],\n3\n]"
    assert ocior.dumps([{(1,): 1}, 3], default=default, indent=0, skipkeys=True).startswith("[\n{")
    markup = Default(short_arrays=12, html_safe=True)
    assert ocior.dumps([["<"], ["<<"]], default=markup, indent=0) == '[\n["\\u003c"],\n[\n"\\u003c\\u003c"\n]\n]'


@needs_numpy
def test_short_arrays_of_numpy():
    for keywords, most in itertools.product(LAYOUTS, (0, 9, 30, 200)):
        for values in (numpy.arange(24).reshape(2, 3, 4), numpy.ones((3, 0)), numpy.array([[0.5, 1e300], [NAN, 1]]), numpy.eye(20) > 0):
            default = Default(short_arrays=most, non_finite="null")
            twin = json.loads(json.dumps(values.tolist()), parse_constant=lambda _: None)
            expected = laid_out(twin, most, keywords)
            for road in (ocior.dumps, dump_text):
                assert road(values, default=default, **keywords) == expected


@pytest.mark.parametrize("most", [0, 50, 700, 5000, 100_000])
def test_short_arrays_in_pieces(most):
    """Where a piece ends nothing is torn apart that would be joined, and pieces stay small where arrays are long."""
    rng = random.Random(most)
    value = [
        [rng.randrange(10 ** rng.randrange(1, 12)) for _ in range(rng.randrange(most // 6 + 9))] for _ in range(200_000 // (most + 200))
    ]
    value.append(["x" * rng.randrange(2, most + 4000) for _ in range(60)])
    value += [[0.5] * 50_000, {"a": ["\u4e2d" * rng.randrange(1, most + 100)] * 3 for _ in range(50)}, [1]]
    for keywords in ({"indent": 1}, {"indent": 7, "ensure_ascii": False}):
        default = Default(short_arrays=most)
        expected = laid_out(value, most, keywords)
        pieces = list(ocior.JSONEncoder(default=default, **keywords).iterencode(value))
        assert (
            ocior.dumps(value, default=default, **keywords) == "".join(pieces) == dump_text(value, default=default, **keywords) == expected
        )
        assert max(map(len, pieces)) < 140_000 + 30 * most


def test_random_layouts():
    rng = random.Random(5)
    for _ in range(400):
        value, keywords, most = random_value(rng, 5), rng.choice(LAYOUTS), rng.choice((5, 12, 40, 100))
        assert ocior.dumps(value, default=Default(short_arrays=most), **keywords) == laid_out(value, most, keywords)


def test_hooks_that_change_arrays():
    class Changes:
        def __init__(self, change):
            self.change = change

    def default(value):
        value.change()
        return "new"

    for size in (1, 3, 2000):
        victim = [0, Changes(lambda: victim.extend(range(size)))]
        text = ocior.dumps([victim, 1], default=Default(default, short_arrays=30), indent=1)
        assert text == laid_out([[0, "new", *range(size)], 1], 30, {"indent": 1})
        victim = [*range(size), Changes(lambda: victim.clear()), 1, 2]
        text = ocior.dumps([victim, 1], default=Default(default, short_arrays=30), indent=1)
        assert text == laid_out([[*range(size), "new"], 1], 30, {"indent": 1})


def test_classes_that_override_iterencode():
    """What json's methods would do for them, they do not do: json knows nothing of what a Default asks for."""

    class Whole(ocior.JSONEncoder):
        def iterencode(self, o, _one_shot=False):
            return super().iterencode(o, _one_shot)

    class ByName(ocior.JSONEncoder):
        def iterencode(self, o, _one_shot=False):
            yield from super().iterencode(o=o, _one_shot=_one_shot)

    class OfTheClass(Whole):
        default = Default(html_safe=True, non_finite="null", big_integers="str", keys=True, surrogates="replace")

    rich = OfTheClass.default
    values = ["</script>", math.nan, [1 << 70, {1.5: "\ud800&"}], {Decimal("1.50"): [Decimal("2.50")]}, [set(), b""][:1], []]
    for value in values:
        for keywords in ({}, {"indent": 1}):
            expected = ocior.dumps(value, default=rich, **keywords)
            for cls in (Whole, ByName):
                assert ocior.dumps(value, cls=cls, default=rich, **keywords) == expected
                assert dump_text(value, cls=cls, default=rich, **keywords) == expected
                assert cls(default=rich, **keywords).encode(value) == expected
                assert "".join(cls(default=rich, **keywords).iterencode(value)) == expected
            assert OfTheClass(**keywords).encode(value) == expected
            for arguments in ((value, True), (value, False)):
                assert "".join(ocior.JSONEncoder(default=rich, **keywords).iterencode(*arguments)) == expected
    for arguments, keywords in (((), {}), ((1, True, 2), {}), ((1,), {"x": 1}), ((1, True), {"_one_shot": True}), ((1,), {"o": 1})):
        with pytest.raises(TypeError):
            Whole(default=rich).iterencode(*arguments, **keywords)
        with pytest.raises(TypeError):
            super(Whole, Whole(default=rich)).iterencode(*arguments, **keywords)
    assert list(Whole().iterencode([1, "a"])) == list(json.JSONEncoder().iterencode([1, "a"]))  # json's tokens
