"""Numbers both ways: texts of every kind, right and wrong, in every place; long digit strings; classes derived from int and float; what is
not finite, and other numbers. Integers are in values/test_integers.py, floats in values/test_floats.py and values/test_runs.py."""

import decimal
import enum
import fractions
import json
import math

import pytest
from layouts import each_layout
from support import assert_same, call, same_dumps, same_everywhere, same_loads

import ocior

TOKENS = [
    "-0",
    "0",
    "-0.0",
    "0.0",
    "0e0",
    "-0e0",
    "0E+5",
    "0e-5",
    "0e999999999999999999999",
    "-0e-999999999999999999999",
    "0.000e400",
    "1e400",
    "-1e400",
    "1e309",
    "1.8e308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "179769313486231570000e289",
    "1e-400",
    "-1e-400",
    "2e-324",
    "3e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "4.9e-324",
    "1e5",
    "1E5",
    "1e+5",
    "1E-5",
    "1e05",
    "1e-05",
    "1e0000000000000000005",
    "1e-0000000000000000005",
    "1.0",
    "1.50",
    "1.5e3",
    "-1.5E+3",
    "1e22",
    "1e23",
    "9007199254740993",
    "9007199254740993.0",
    "9007199254740992.5",
    "9007199254740993e0",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "18446744073709551615.0",
    "-18446744073709551616e0",
    "1e18446744073709551616",
    "1e-18446744073709551616",
    "1e2147483647",
    "1e2147483648",
    "1e-2147483649",
    "1e4294967296",
    "1e4294967297",
    "1e65536",
    "1e-65537",
    "0." + "0" * 400 + "1",
    "0." + "0" * 320 + "123456e10",
    "1" + "0" * 400 + "e-400",
    "1" + "0" * 308,
    "1" + "0" * 309,
    "1" + "0" * 400 + ".0",
    "0." + "3" * 1000,
    "3." + "1415926535897932384626433832795028841971" * 20,
    "123456789012345678",
    "1234567890123456789",
    "12345678901234567890",
    "1234567890123456789.5",
    "0.1234567890123456789",
    "12345678901234567890.12345678901234567890e-20",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "6.631236846766476e-316",
    "7.2057594037927933e16",
    "7.2057594037927936e16",
    "8.98846567431158e307",
    "0.500000000000000166533453693773481063544750213623046875",
    "3.518437208883201171875e13",
    "62.5364939768271845828",
    "8.10109172351e-10",
    "1.50000000000000011102230246251565",
    "9007199254740991.4999999999999999999999999999999995",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    "5e-324",
    "100000000000000000000000e-23",
    "0.000000000000000000000000000000000000000001e42",
    "1e1000000000000000000000000000000000000000000",
    "123e-8000000000000000000000000",
    "00",
    "01.5",
    "-01",
    "1.",
    "-",
    "1e",
    "1e+",
    ".5",
    "1.e1",
    "-.1",
    "+1",
    "1.5.5",
    "1e5e5",
    "--1",
    "0x1",
    "1_0",
    "1e5_0",
    "1.5f",
    "NaN",
    "-NaN",
    "Infinity",
    "-Infinity",
    "+Infinity",
    "-Infinit",
    "infinity",
    "nan",
    "1e5.",
    "1-1",
    "1+1",
    "1e",
    "0e",
    "-e5",
    "e5",
]


@pytest.mark.parametrize("index", range(len(TOKENS)))
def test_tokens(index):
    token = TOKENS[index]
    for document in (
        token,
        f"[{token}]",
        f" {token} ",
        f"[{token},{token}]",
        f"[{token} ,\n{token} ]",
        f'{{"a":{token}}}',
        f'{{"a":{token},"b":{token}}}',
        token + " " * 70,
        f"[{token}" + "]" * 70,
        token + "\x00",
        token + "\xe9",
    ):
        same_everywhere(document)
    for hook in (str, float, decimal.Decimal, len):
        same_loads(f"[{token}]", parse_float=hook)
        same_loads(f"[{token}]".encode(), parse_int=hook)
        same_loads(f'["\u4e2d",{token}]', parse_constant=hook, parse_int=hook, parse_float=hook, types_only=True)


def test_digit_counts_and_points_everywhere():
    """Every split of up to 45 digits by a point, with exponents: the paths by digit count and by exponent."""
    digits = "12345678901234567890123456789012345678901234567"
    texts = []
    for count in range(1, 46):
        for point in range(0, count + 1):
            base = (digits[:point] or "0") + ("." + digits[point:count] if point < count else "")
            texts += [base, "-" + base, base + "e5", base + "E-25", base + "e+300", base + "e-310"]
    document = "[" + ",".join(texts) + "]"
    expected = json.loads(document)
    assert list(map(repr, ocior.loads(document))) == list(map(repr, expected))
    assert list(map(repr, ocior.loads(document.encode()))) == list(map(repr, expected))
    assert list(map(repr, ocior.loads("[" + " , ".join(texts) + ' ,"\u4e2d"]')[:-1])) == list(map(repr, expected))
    for text in texts:
        assert repr(ocior.loads(text)) == repr(json.loads(text))


class Color(enum.IntEnum):
    RED = 1
    BIG = 1 << 70


class Flag(enum.IntFlag):
    A = 1
    B = 2


class Whole(int):
    def __repr__(self):
        return "oops"

    __str__ = __format__ = __repr__

    def __int__(self):
        raise AssertionError

    __index__ = __float__ = __int__


class Real(float):
    def __repr__(self):
        return "oops"

    __str__ = __format__ = __repr__

    def __float__(self):
        raise AssertionError


@pytest.mark.parametrize(
    "value",
    [
        Color.RED,
        Color.BIG,
        Flag.A | Flag.B,
        Whole(7),
        Whole(-7),
        Whole(1 << 70),
        Whole(0),
        Real(1.5),
        Real("nan"),
        Real("-inf"),
        Real(-0.0),
        True,
        False,
    ],
    ids=lambda value: f"{type(value).__name__}-{json.dumps(value)[:12]}",
)
@each_layout("json", "indent 2", "sorted", "skipping keys", "finite")
def test_number_subclasses(value, keywords):
    for obj in (value, [value], (value, value), {"a": value}, {value: value}, {value: {value: [value]}}):
        ours, theirs = call(ocior.dumps, obj, **keywords), call(json.dumps, obj, **keywords)
        assert_same(ours, theirs, f"{type(value)} {keywords}", types_only=True)
        assert (ours.error is None) == (call(ocior.dumps_to_bytes, obj, **keywords).error is None)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=repr)
def test_not_finite(value):
    for obj in (value, [value], {"a": value}, {value: 1}, [1, [2, {"b": value}]]):
        for keywords in (
            {},
            {"allow_nan": True},
            {"allow_nan": False},
            {"allow_nan": 0},
            {"indent": 1},
            {"indent": 1, "allow_nan": False},
            {"skipkeys": True, "allow_nan": False},
            {"sort_keys": True, "allow_nan": False},
        ):
            same_dumps(obj, **keywords)


@pytest.mark.parametrize("value", [decimal.Decimal("1.5"), fractions.Fraction(1, 3), 1j], ids=repr)
def test_other_numbers_are_refused_alike(value):
    for obj in (value, [value], {"a": value}, {value: 1}):
        same_dumps(obj)
        same_dumps(obj, default=str)
        same_dumps(obj, skipkeys=True)
