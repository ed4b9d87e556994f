"""Numbers both ways against int(), float() and repr(): every size, the digit limit, halves, long digit strings."""

import decimal
import enum
import fractions
import io
import json
import math
import random
import struct
import sys

import pytest
from support import assert_same, call, facts, same_dumps, same_everywhere, same_loads, some

import ocior

INTEGERS = sorted(
    {
        sign * (base**power + offset)
        for base, top in ((2, 130), (10, 45))
        for power in range(top)
        for offset in (-2, -1, 0, 1, 2)
        for sign in (1, -1)
    }
    | set(range(-1100, 1100))
    | {int("9" * n) for n in range(1, 60)}
    | {int("1234567890" * 40)}
)


def test_integers_out():
    for value in INTEGERS:
        assert ocior.dumps(value) == str(value)
    assert ocior.dumps(INTEGERS) == json.dumps(INTEGERS)
    assert ocior.dumps_to_bytes(INTEGERS) == json.dumps(INTEGERS, separators=(",", ":")).encode()
    keyed = dict.fromkeys(INTEGERS, 0)
    assert ocior.dumps(keyed) == json.dumps(keyed)
    assert ocior.dumps_to_bytes(keyed, indent=1) == json.dumps(keyed, indent=1).encode()


def test_integers_in():
    for value in INTEGERS:
        text = str(value)
        for document in (text, text.encode(), f" {text} "):
            result = ocior.loads(document)
            assert result == value and type(result) is int
            assert (result is ocior.loads(document)) == (json.loads(text) is json.loads(text))  # as many small ones are kept
    for text in (
        json.dumps(INTEGERS),
        json.dumps(INTEGERS) + " " * 70,
        json.dumps(INTEGERS, indent=1),
        json.dumps(INTEGERS, separators=(",", ":")),
    ):
        assert facts(ocior.loads(text)) == facts(INTEGERS)
        assert facts(ocior.loads(text.encode())) == facts(INTEGERS)
    for wide in ("\xe9", "\u4e2d", "\U0001f600"):
        assert ocior.loads(json.dumps([wide, *INTEGERS], ensure_ascii=False))[1:] == INTEGERS


def test_small_integers_are_the_shared_ones():
    values = ocior.loads(json.dumps(list(range(-5, 257))))
    assert all(value is int(str(value)) for value in values)


# What may stand between two integers of an array, and in place of one.
GAPS = (",", ", ", ",  ", " ,", ",\n", ",\t", ",,", " ", "", ";", ",]", "],[", ",-", ",+", ",.")
ODD_ITEMS = (
    "-1",
    "01",
    "00",
    "-0",
    "1.5",
    "1e5",
    "1E-2",
    "0.0",
    "123456789",
    "12345678901234567890",
    "null",
    '"1"',
    "[7]",
    "{}",
    "1a",
    "1/",
    "1:",
    "1 2",
    "",
)


@pytest.mark.parametrize("behind", ["", ',"\u4e2d"', ',"\U0001f600"'])
@pytest.mark.parametrize("gap", [",", ", "])
def test_runs_of_short_integers(gap, behind):
    rng = random.Random(5)
    for count in (*range(12), 30, 60, 70, 200):
        for most in (0, 1, 2, 4, 8, 9, 12):
            items = [str(rng.randrange(10 ** rng.randint(0, most))) for _ in range(count)]
            same_loads(f"[[{gap.join([*items, '5'])}]{behind}]")
            same_loads(f"[[{gap.join(['1', '22', *items, '5'])}]{behind}]")
    for place in range(40):
        items = ["7"] + [str(rng.randrange(10 ** rng.randint(0, 3))) for _ in range(45)]
        for odd in ODD_ITEMS:
            same_loads(f"[[{gap.join(items[:place] + [odd] + items[place:])}]{behind}]")
        for odd in GAPS:
            text = f"[[{gap.join(items[:place] + ['5'])}{odd}{gap.join(items[place:])}]{behind}]"
            same_loads(text)
            same_loads(text[: text.index(odd, 2) + 1])


def test_a_run_of_short_integers_calls_the_hook():
    text = json.dumps([*range(300)] * 3)
    seen = []
    assert ocior.loads(text, parse_int=lambda digits: seen.append(digits) or -int(digits)) == [-n for n in range(300)] * 3
    assert seen == [str(n) for n in range(300)] * 3
    same_loads(text, parse_int=float)
    same_loads(text, parse_int=lambda digits: 1 // (int(digits) - 250))


@pytest.mark.parametrize(
    "digits", [1, 15, 16, 17, 18, 19, 20, 21, 22, 38, 39, 40, 63, 64, 65, 100, 640, 641, 4299, 4300, 4301, 5000, 20_000]
)
def test_integer_lengths_and_the_digit_limit(digits):
    for lead in ("9", "1", "-9", "-1"):
        text = lead + "7" * (digits - 1)
        same_loads(text)
        same_loads(text.encode())
        same_loads(f'{{"\u4e2d":[{text},{text}]}}')
        same_loads(text + "x")
        same_loads(text, parse_int=str)
        same_loads(text, parse_int=decimal.Decimal)
        same_loads("-" + text)
        same_loads("0" + text)
        same_loads(text + ".5")
        same_loads(text + "e-3")
    value = int(math.log2(10) * digits)
    same_dumps(1 << value)
    same_dumps([-(1 << value)])
    same_dumps({1 << value: 1})


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="no digit limit in this version")
def test_digit_limit_follows_the_interpreter():
    for limit in (640, 700, 0, 10_000):
        sys.set_int_max_str_digits(limit)
        for digits in (600, 640, 641, 700, 701, 4300, 4301, 10_000, 10_001):
            same_loads("7" * digits)
            same_loads(b"[1, -" + b"7" * digits + b"]")
            same_loads("7" * digits + ".0")
            value = (1 << int(digits * 3.3219)) + 1
            same_dumps(value)
            same_dumps({"a": [value]})
            same_dumps({value: 1})


FLOATS = [
    0.0,
    -0.0,
    0.1,
    0.2,
    0.3,
    1.0,
    -1.0,
    1.5,
    10.0,
    100.0,
    1e15,
    1e16,
    1e17,
    123456789012345680.0,
    9007199254740991.0,
    9007199254740992.0,
    9007199254740993.0,
    1e21,
    1e22,
    1e23,
    1e-3,
    1e-4,
    1e-5,
    1e-6,
    1e-7,
    0.0001,
    0.00012345,
    0.000099999,
    9.5e-5,
    1e100,
    1e300,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    2.2250738585072014e-308,
    2.225073858507201e-308,
    5e-324,
    -5e-324,
    1e-323,
    4.35,
    0.3 - 0.1,
    math.pi,
    math.e,
    1 / 3,
    2 / 3,
    9.999999999999999e15,
    9999999999999998.0,
    1e16 - 2,
    123456.789,
    5e-5,
    4.9406564584124654e-324,
    8.41e21,
    2.0**63,
    2.0**64,
    -(2.0**63),
    2.0**53 + 2,
    9.5367431640625e-07,
    5.764607523034235e39,
    1.152921504606847e40,
    2.305843009213694e40,
    1.8531501765868567e21,
    -3.347727380279489e33,
    1.9430376160308388e16,
]
FLOATS += [float(f"1e{exponent}") for exponent in range(-324, 309)] + [math.ldexp(1.0, exponent) for exponent in range(-1074, 1024)]
FLOATS += (
    [math.nextafter(math.ldexp(1.0, exponent), side) for exponent in range(-1074, 1024) for side in (0.0, math.inf)]
    if hasattr(math, "nextafter")
    else []
)


def test_floats_out():
    for value in FLOATS:
        assert ocior.dumps(value) == repr(value)
        assert ocior.dumps_to_bytes(-value) == repr(-value).encode()
    assert ocior.dumps(FLOATS) == json.dumps(FLOATS)
    keyed = dict.fromkeys(FLOATS)
    assert ocior.dumps(keyed) == json.dumps(keyed)


def test_floats_in():
    for value in FLOATS:
        assert facts(ocior.loads(repr(value))) == facts(value)
    text = json.dumps(FLOATS)
    assert facts(ocior.loads(text)) == facts(FLOATS) == facts(ocior.loads(text.encode()))


def random_doubles(count, seed):
    source = random.Random(seed)
    for _ in range(count):
        bits = source.getrandbits(64)
        value = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
        if math.isfinite(value):
            yield value
        yield source.uniform(-180, 180)
        yield source.random()
        yield round(source.uniform(0, 10_000), source.randrange(6))
        yield float(source.getrandbits(source.randrange(1, 70)))


def test_random_doubles_both_ways():
    values = list(random_doubles(20_000, 1))
    assert ocior.dumps(values) == json.dumps(values)
    assert ocior.dumps_to_bytes(values) == json.dumps(values, separators=(",", ":")).encode()
    assert list(map(repr, ocior.loads(json.dumps(values)))) == list(map(repr, values))


def halves(value):
    """The decimal expansions of the midpoints around a double, exactly and a hair to either side."""
    below, above = (fractions.Fraction(value) + fractions.Fraction(math.nextafter(value, side)) for side in (-math.inf, math.inf))
    for middle in (below / 2, above / 2):
        if middle == 0:
            continue
        sign = "-" if middle < 0 else ""
        middle = abs(middle)
        twos = middle.denominator.bit_length() - 1
        digits = str(middle.numerator * 5**twos)  # middle == digits / 10**twos
        for tail in ("", "1", "0" * 30 + "1"):
            yield f"{sign}{digits}{tail}e-{twos + len(tail)}"
        yield f"{sign}{int(digits) * 10 - 1}e-{twos + 1}"
        whole = digits.rjust(twos + 1, "0")
        yield f"{sign}{whole[: len(whole) - twos]}.{whole[len(whole) - twos :] or '0'}"
        yield f"{sign}{digits[0]}.{digits[1:] or '0'}e{len(digits) - 1 - twos}"


SPACINGS = [
    {"separators": (",", ":")},
    {},
    {"indent": 2},
    {"indent": 0},
    {"indent": "\t", "separators": (",", ": ")},
    {"indent": 33},
    {"indent": 31},
    {"indent": 16},
    {"separators": (" ; ", "=")},
]


@pytest.mark.parametrize("keywords", SPACINGS, ids=str)
def test_runs_of_floats(keywords):
    """Floats in a row are written by a loop of their own: something else at every place, at the start and the end of it."""
    odd = [
        0.0,
        -0.0,
        5e-324,
        2.0**-1022,
        2.0**80,
        1e16,
        float("nan"),
        float("-inf"),
        1,
        2**70,
        True,
        None,
        "a",
        "\u4e2d",
        [],
        [1.5],
        {},
        enum.Enum("E", {"A": 1.5}, type=float).A,
    ]
    for length in (1, 7, 8, 9, 30, 75):
        run = [(i - 5) / 7 * 10 ** (i % 20 - 5) for i in range(length)]
        same_dumps(run, **keywords)
        same_dumps({"a": [run, {"b": run}], "c": 1.5}, ensure_ascii=False, **keywords)
        for at in range(length) if length < 40 else (0, 8, 63, 64, 74):
            for one in odd:
                same_dumps(run[:at] + [one] + run[at + 1 :], ensure_ascii=False, **keywords)


@pytest.mark.parametrize("keywords", SPACINGS, ids=str)
@pytest.mark.parametrize("allow_nan", [True, False])
def test_what_is_not_finite_in_runs_of_floats(keywords, allow_nan):
    rng = random.Random(11)
    for share in (0.02, 0.1, 0.5, 1):
        for length in (2, 8, 40, 300):
            for _ in range(10):
                run = [
                    rng.choice((math.nan, -math.nan, math.inf, -math.inf)) if rng.random() < share else rng.uniform(-1e3, 1e3)
                    for _ in range(length)
                ]
                same_dumps([run, {"a": run}], allow_nan=allow_nan, **keywords)
                same_dumps([run[at : at + at % 4 + 1] for at in range(0, length, 3)], allow_nan=allow_nan, **keywords)
                same_dumps([(one, 5) for one in run], allow_nan=allow_nan, **keywords)


@pytest.mark.parametrize("keywords", some(SPACINGS, len(SPACINGS)), ids=str)
def test_long_runs_of_floats(keywords):
    """The output grows in the middle of a run; before it the text is as wide as it may be."""
    rng = random.Random(7)
    for length in (300, 1000, 5000, 20_000):
        run = [struct.unpack("d", rng.randbytes(8))[0] for _ in range(length)]
        run = [one if math.isfinite(one) else 0.1 for one in run]
        for first in ([], ["\xe9"], ["\u4e2d"], ["\U0001f600"]):
            same_dumps(first + run, ensure_ascii=False, **keywords)
    file = io.StringIO()
    ocior.dump([run, run], file, **keywords)
    assert file.getvalue() == json.dumps([run, run], **keywords)


@pytest.mark.parametrize("keywords", some(SPACINGS, len(SPACINGS)), ids=str)
def test_runs_of_points(keywords):
    """So are short lists of numbers in a row: every length, something else in every place, as an item and as a coordinate."""

    def points(count, size):
        return [[(i / 7 - 2, i - 3, -0.0, 1.0, 2**40 + i, -(10**17) - i)[(i + j) % 6] for j in range(size)] for i in range(count)]

    odd = [
        float("nan"),
        float("-inf"),
        5e-324,
        2**60 - 1,
        2**60,
        -(2**60),
        -(2**70),
        True,
        None,
        "a",
        "\u4e2d",
        [],
        [1.5],
        [1],
        (1, 2),
        {},
        {"a": [[1, 2], [3, 4]]},
        enum.IntEnum("E", {"A": 1}).A,
        enum.Enum("E", {"A": 1.5}, type=float).A,
        type("L", (list,), {})([1, 2]),
    ]
    for size in (*range(6), 11, 16, 17):
        same_dumps({"a": [points(9, size), {"b": points(2, size)}], "c": points(1, size)}, ensure_ascii=False, **keywords)
        for at in range(5):
            for one in odd:
                run = points(5, size)
                same_dumps(run[:at] + [one] + run[at + 1 :], ensure_ascii=False, **keywords)
                same_dumps((*map(tuple, run[:at]), one, *map(tuple, run[at + 1 :])), ensure_ascii=False, **keywords)
                for place in range(size) if size < 6 else (0, size // 2, size - 1):
                    run = points(5, size)
                    run[at][place] = one
                    same_dumps(run, ensure_ascii=False, **keywords)
    for size in (1, 2, 3, 4, 5, 12, 16, 17):  # nothing but floats, and something else in their midst
        floats = [[(i - 5 + j) / 7 * 10 ** ((i + j) % 20 - 5) for j in range(size)] for i in range(90)]
        same_dumps(floats, **keywords)
        same_dumps([tuple(one) if i % 3 else one for i, one in enumerate(floats)], **keywords)
        same_dumps([one[: i % (size + 1)] for i, one in enumerate(floats)], **keywords)
        for at in (0, 21, 32, 89):
            for one in odd:
                same_dumps(floats[:at] + [one] + floats[at + 1 :], ensure_ascii=False, **keywords)
                same_dumps(floats[:at] + [floats[at][1:] + [one]] + floats[at + 1 :], ensure_ascii=False, **keywords)
    nested = points(20, 2)
    for _ in range(40):
        nested = [points(3, 3), nested, points(3, 2)]
        same_dumps(nested, **keywords)


@pytest.mark.parametrize("keywords", some(SPACINGS, len(SPACINGS)), ids=str)
def test_long_runs_of_points(keywords):
    """The output grows in the middle of a run; before it the text is as wide as it may be; a piece ends within it."""
    rng = random.Random(8)
    longest = [-2.2250738585072014e-308, -(2**60) + 1]
    for length in (100, 1000, 9000):
        run = [
            [rng.choice(longest) if rng.random() < 0.5 else rng.uniform(-1e3, 1e3) for _ in range(rng.choice((1, 2, 3, 4, 9, 16)))]
            for _ in range(length)
        ]
        for first in ([], ["\xe9"], ["\u4e2d"], ["\U0001f600"]):
            same_dumps(first + run, ensure_ascii=False, **keywords)
    file = io.StringIO()
    ocior.dump([run, run], file, **keywords)
    assert file.getvalue() == json.dumps([run, run], **keywords)


@pytest.mark.parametrize("keywords", ({}, {"indent": 15}), ids=str)
def test_points_at_the_end_of_the_room(keywords):
    """Points of many long numbers begin where there is just, or just no longer, room for them. (Too much is seen by AddressSanitizer.)"""
    points = [[-2.2250738585072014e-308] * 16 for _ in range(2)]
    step = len(json.dumps(["x", "x"], **keywords)) - len(json.dumps(["x"], **keywords))
    for count in range(13_000 // step, 17_000 // step):
        for road in (ocior.dumps, ocior.dumps_to_bytes):
            road([1])  # the next text does not begin in a block of the size of the last one
            value = ["x"] * count + points
            text = road(value, **keywords)
            expected = json.dumps(value, **keywords)
            if road is ocior.dumps:
                assert text == expected
            else:
                assert text.decode() == expected.replace(", ", ",")


@pytest.mark.skipif(not hasattr(math, "nextafter"), reason="needs math.nextafter")
def test_halfway_cases():
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    source = random.Random(2)
    values = [
        5e-324,
        1e-323,
        2.2250738585072014e-308,
        2.225073858507201e-308,
        1.0,
        2.0**53,
        2.0**53 + 2,
        1e22,
        1e23,
        1.5,
        0.1,
        1e-10,
        8.5e300,
    ]
    values += [value for value in random_doubles(150, 3) if value and abs(value) < 1.7e308]
    values += [math.ldexp(1 + source.random(), source.randrange(-1074, 1023)) for _ in range(100)]
    texts = [text for value in values for text in halves(value)]
    for text in texts:
        assert repr(ocior.loads(text)) == repr(float(text)), text
    document = "[" + ",".join(texts) + "]"
    expected = [repr(float(text)) for text in texts]
    assert list(map(repr, ocior.loads(document.encode()))) == expected
    assert list(map(repr, ocior.loads('["\u4e2d",' + document + "]")[1])) == expected


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
def test_number_subclasses(value):
    for obj in (value, [value], (value, value), {"a": value}, {value: value}, {value: {value: [value]}}):
        for keywords in ({}, {"indent": 2}, {"sort_keys": True}, {"skipkeys": True}, {"allow_nan": False}):
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
