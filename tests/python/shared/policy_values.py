"""What the tests of the policies of an ocior.Default share: numbers, keys and values for several of them, and what is written, or refused,
in every place and over every road, against what json writes of a twin."""

import enum
import itertools
import json
import math
import random

import pytest
from rich_values import ROADS
from support import WIDTHS, call

from ocior import Default

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


class Level(enum.IntEnum):
    HUGE = 2**64
    TINY = -(2**63) - 1
    WIDE = 2**53
    ONE = 1


class Plain(enum.Enum):
    BIG = 2**70


class OddText(str):
    """Strings of the same text that are different keys."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other


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
