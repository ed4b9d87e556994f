"""Floats in a row and points, which are short lists of numbers in a row, as dumps and dumps_to_bytes write them: something else at every
place, in long runs, and at the end of the room. How integers in a row are read is in values/test_integers.py."""

import enum
import io
import json
import math
import random
import struct

import pytest
from support import same_dumps, some

import ocior

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
@pytest.mark.parametrize("length", (1, 7, 8, 9, 30, 75))
def test_runs_of_floats(keywords, length):
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
    run = [(i - 5) / 7 * 10 ** (i % 20 - 5) for i in range(length)]
    same_dumps(run, **keywords)
    same_dumps({"a": [run, {"b": run}], "c": 1.5}, ensure_ascii=False, **keywords)
    for at in range(length) if length < 40 else (0, 8, 63, 64, 74):
        for one in odd:
            same_dumps(run[:at] + [one] + run[at + 1 :], ensure_ascii=False, **keywords)


@pytest.mark.parametrize("keywords", SPACINGS, ids=str)
@pytest.mark.parametrize("allow_nan", [True, False])
@pytest.mark.parametrize("share", (0.02, 0.1, 0.5, 1))
def test_what_is_not_finite_in_runs_of_floats(keywords, allow_nan, share):
    rng = random.Random(11)
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
