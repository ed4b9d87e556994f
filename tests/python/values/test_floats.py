"""Floats both ways against float() and repr(): every exponent, at random, and texts that lie halfway between two of them."""

import fractions
import json
import math
import random
import struct
import sys

import pytest
from support import facts

import ocior

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
