"""Policies of an ocior.Default: what it takes, which numbers and strings are written as what, how deep containers may be nested; on every
road, in values, keys and arrays, and in classes that override iterencode()."""

import array
import itertools
import json
import math
import sys
from decimal import Decimal

import pytest
from layouts import layouts
from policy_values import INF, KEYWORDS, NAN, Level, Plain, assert_refused, assert_written, needs_numpy, numpy
from rich_values import ROADS, dump_bytes, dump_text, to_bytes
from support import call

import ocior
import ocior.compat.orjson
from ocior import Default, Raw

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
        for keywords in layouts("json", "indent 1"):
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
