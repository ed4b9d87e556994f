"""What the tests of an ocior.Default share: objects of types that json has not, and every road over which they are written, in every place,
against what json writes of a twin made of json's own types."""

import collections
import dataclasses
import datetime
import enum
import io
import ipaddress
import json
import pathlib
import re
import uuid
from collections.abc import Mapping
from decimal import Decimal

from support import WIDTHS

import ocior
from ocior import Raw

KEYWORDS = [
    {},
    {"ensure_ascii": False},
    {"indent": 1},
    {"indent": "\u4e2d", "ensure_ascii": False, "separators": (" ,", " =")},
    {"sort_keys": True, "separators": (",", ":")},
    {"check_circular": False, "indent": 0},
]

PLAIN_KEYWORDS = [keywords for keywords in KEYWORDS if keywords.get("indent") != "\u4e2d"]  # what comes out is JSON


def dump_text(obj, **keywords):
    file = io.StringIO()
    ocior.dump(obj, file, **keywords)
    return file.getvalue()


def dump_bytes(obj, **keywords):
    file = io.BytesIO()
    ocior.dump(obj, file, **keywords)
    return file.getvalue().decode()


def to_bytes(obj, **keywords):
    if keywords.get("indent") is None:
        keywords = {"separators": (", ", ": "), **keywords}
    return ocior.dumps_to_bytes(obj, **{"ensure_ascii": True, **keywords}).decode()


def in_pieces(obj, **keywords):
    return "".join(ocior.JSONEncoder(**keywords).iterencode(obj))


def by_encoder(obj, **keywords):
    return ocior.JSONEncoder(**keywords).encode(obj)


ROADS = [ocior.dumps, to_bytes, in_pieces, by_encoder, dump_text, dump_bytes]


def places(value):
    """Where a value may stand: alone, among others, and behind text of each width, so that the whole is written again at that width."""
    yield value
    yield [value, 1, value]
    yield {"key": value, "b": [value], "a": None}
    for char in WIDTHS.values():
        yield [char, {"k" + char: value}, (value, char)]


def check(value, twin, default=ocior.default, keywords=KEYWORDS):
    """Written as `twin` is, which is made of json's own types."""
    for ours, theirs in zip(places(value), places(twin)):
        for options in keywords:
            expected = json.dumps(ours if default is None else theirs, **options)
            for road in ROADS:
                assert road(ours, default=default, **options) == expected, (road, options)


@dataclasses.dataclass
class Point:
    x: object
    y: object = 2
    _private: object = "\xe9"


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: object = 1


@dataclasses.dataclass
class Derived(Point):
    z: object = None
    y: object = "other"


@dataclasses.dataclass(slots=True)
class Slots:
    b: object
    a: object = 5


@dataclasses.dataclass
class Empty:
    pass


class Color(enum.Enum):
    RED = 1
    TEXT = "\u20ac"
    DATE = datetime.date(2020, 1, 2)
    LIST = (1, "a")
    NONE = None
    HALF = 0.5


class Alias(enum.Enum):
    INNER = Color.TEXT


class Text(str):
    pass


class Nest(enum.Enum):
    """Values that are written by way of another one, or of their base."""

    PATH = pathlib.PurePosixPath("/\u4e2d")
    ADDRESS = ipaddress.ip_address("::1")
    MEMBER = Color.DATE
    DERIVED = Text("\xe9")
    PATTERN = re.compile("b+")
    TUPLES = ((1,),)


class Endless(enum.Enum):
    A = 1

    @property
    def value(self):
        return self


class OwnValue(enum.Enum):
    A = 1

    @property
    def value(self):
        return {"mine": self.name}


class Number(enum.IntEnum):
    ONE = 1


class Word(str, enum.Enum):
    HELLO = "hello"


class Pair(collections.namedtuple("Pair", "b a")):
    __slots__ = ()


class OfItsOwn:
    def __init__(self, value):
        self.value = value

    def __json__(self):
        return self.value


class Table(Mapping):
    def __init__(self, items):
        self.items_ = items

    def __getitem__(self, key):
        return self.items_[key]

    def __iter__(self):
        return iter(self.items_)

    def __len__(self):
        return len(self.items_)


class OnPath:
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


class Moment(datetime.datetime):
    pass


class Shifted(datetime.tzinfo):
    """A zone of Python code."""

    def __init__(self, answer):
        self.answer = answer

    def utcoffset(self, when):
        return self.answer() if callable(self.answer) else self.answer


class Unknown:
    pass


def zone(**parts):
    return datetime.timezone(datetime.timedelta(**parts))


UTC = datetime.timezone.utc
IDENTITY = uuid.UUID("0123456789abcdef0123456789abcdef")


# Keys, and the one string, number or word that each is written as; None stands for what cannot be a key.
KEYS = [
    (datetime.date(2020, 1, 2), "2020-01-02"),
    (datetime.datetime(2020, 1, 2, 3, tzinfo=UTC), "2020-01-02T03:00:00+00:00"),
    (datetime.time(1), "01:00:00"),
    (datetime.timedelta(1), "P1D"),
    (IDENTITY, str(IDENTITY)),
    (Decimal("1.50"), "1.50"),
    (Decimal("9" * 100), "9" * 100),
    (pathlib.PurePosixPath("/\u4e2d"), "/\u4e2d"),
    (ipaddress.ip_address("::1"), "::1"),
    (re.compile("a+"), "a+"),
    (Color.RED, "1"),
    (Color.TEXT, "\u20ac"),
    (Color.DATE, "2020-01-02"),
    (Color.NONE, "null"),
    (Color.HALF, "0.5"),
    (Color.LIST, None),
    (Nest.PATH, "/\u4e2d"),
    (Nest.ADDRESS, "::1"),
    (Nest.MEMBER, "2020-01-02"),
    (Nest.DERIVED, "\xe9"),
    (Nest.PATTERN, "b+"),
    (Nest.TUPLES, None),
    (Endless.A, None),
    (OwnValue.A, None),
    (OfItsOwn("own"), "own"),
    (OfItsOwn(True), "true"),
    (OfItsOwn([1]), None),
    (b"ab", "YWI="),
    ((1, 2), None),
    (frozenset([1]), None),
    (Frozen(), None),
    (Unknown(), None),
    (Raw("1"), None),
    (float("nan"), "NaN"),
    (True, "true"),
    (None, "null"),
    (10**50, str(10**50)),
]
