"""Canonical text, as RFC 8785 has it, that an ocior.Default writes: its documents and numbers, the order of keys, what has no such text;
against the steps of ECMAScript and the package rfc8785."""

import array
import collections
import dataclasses
import itertools
import math
import os
import random
import runpy
import struct
import types
from decimal import Decimal

import pytest
from pages import ROOT
from policy_values import INF, NAN, Level, needs_numpy, numpy, places, random_value
from rich_values import ROADS
from support import call

import ocior
from ocior import Default, Raw

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


def test_against_rfc8785():
    rfc8785 = pytest.importorskip("rfc8785")
    rng = random.Random(11)
    for _ in range(2000):
        value = random_value(rng, 5)
        assert ocior.dumps_to_bytes(value, default=CANONICAL) == rfc8785.dumps(value)
        assert ocior.dumps(value, default=CANONICAL).encode() == rfc8785.dumps(value)
