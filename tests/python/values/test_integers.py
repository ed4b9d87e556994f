"""Integers both ways against int() and str(): every size, in runs of short ones, at the digit limit, and by hooks."""

import decimal
import json
import math
import random
import sys

import pytest
from support import facts, same_dumps, same_loads

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
