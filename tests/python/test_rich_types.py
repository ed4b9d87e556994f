"""Types that json has not, written by an ocior.Default: every type over every road, in every place, against what json writes of a twin made
of json's own types; its options; keys; errors; and values whose own code changes what is being written."""

import array
import base64
import collections
import copy
import dataclasses
import datetime
import enum
import gc
import importlib.util
import io
import ipaddress
import itertools
import json
import pathlib
import pickle
import random
import re
import struct
import sys
import types
import uuid
import weakref
import zoneinfo
from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar

import pytest
from support import WIDTHS, call, check_python, collect, run_python, some

import ocior
from ocior import Default, Raw

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
class Odd:
    of_class: ClassVar[int] = 4
    only_init: dataclasses.InitVar[int] = 5
    last: object = dataclasses.field(default=6, repr=False, compare=False)
    more: object = dataclasses.field(default_factory=list, init=False)


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


class Huge(enum.Enum):
    A = 2**70
    B = -(2**64)


class Number(enum.IntEnum):
    ONE = 1


class Word(str, enum.Enum):
    HELLO = "hello"


class Bits(enum.Flag):
    A = 1
    B = 2


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

TWINS = [
    (Point(1), {"x": 1, "y": 2, "_private": "\xe9"}),
    (
        Point([Point("\U0001f600", 2.5)], Frozen()),
        {"x": [{"x": "\U0001f600", "y": 2.5, "_private": "\xe9"}], "y": {"a": 1}, "_private": "\xe9"},
    ),
    (Derived(1), {"x": 1, "y": "other", "_private": "\xe9", "z": None}),
    (Slots(1, {"k": Slots(None)}), {"b": 1, "a": {"k": {"b": None, "a": 5}}}),
    (Odd(), {"last": 6, "more": []}),
    (Empty(), {}),
    (datetime.datetime(2026, 1, 2, 3, 4, 5), "2026-01-02T03:04:05"),
    (datetime.datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00+00:00"),
    (datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), "9999-12-31T23:59:59.999999+00:00"),
    (datetime.datetime(2026, 1, 2, 3, 4, 5, 6, zone(hours=-5, minutes=-30)), "2026-01-02T03:04:05.000006-05:30"),
    (datetime.datetime(2026, 1, 2, tzinfo=zone(hours=5, seconds=29)), "2026-01-02T00:00:00+05:00"),
    (datetime.datetime(2026, 1, 2, tzinfo=zone(hours=-5, seconds=-31)), "2026-01-02T00:00:00-05:01"),
    (datetime.datetime(2026, 1, 2, tzinfo=zone(seconds=-29)), "2026-01-02T00:00:00+00:00"),
    (datetime.datetime(2026, 1, 2, tzinfo=Shifted(datetime.timedelta(hours=1))), "2026-01-02T00:00:00+01:00"),
    (datetime.datetime(2026, 1, 2, tzinfo=Shifted(None)), "2026-01-02T00:00:00"),
    (Moment(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
    (datetime.date(987, 6, 5), "0987-06-05"),
    (datetime.time(), "00:00:00"),
    (datetime.time(23, 59, 58, 100), "23:59:58.000100"),
    (datetime.time(1, tzinfo=zone(hours=2)), "01:00:00+02:00"),
    (datetime.timedelta(), "PT0S"),
    (datetime.timedelta(days=1), "P1D"),
    (datetime.timedelta(days=1, hours=2, minutes=3, seconds=4, microseconds=500000), "P1DT2H3M4.5S"),
    (datetime.timedelta(minutes=61), "PT1H1M"),
    (datetime.timedelta(microseconds=1), "PT0.000001S"),
    (datetime.timedelta(microseconds=-1), "-PT0.000001S"),
    (datetime.timedelta(days=100000000), "P100000000D"),
    (datetime.timedelta(days=-100000000, seconds=1), "-P99999999DT23H59M59S"),
    (datetime.timedelta.max, "P999999999DT23H59M59.999999S"),
    (datetime.timedelta.min, "-P999999999D"),
    (datetime.timedelta(seconds=-1, microseconds=1), "-PT0.999999S"),
    (IDENTITY, str(IDENTITY)),
    (uuid.UUID(int=0), str(uuid.UUID(int=0))),
    (uuid.UUID(int=2**128 - 1), str(uuid.UUID(int=2**128 - 1))),
    (type("Named", (uuid.UUID,), {})(int=1), str(uuid.UUID(int=1))),
    (list(Color), [1, "\u20ac", "2020-01-02", [1, "a"], None, 0.5]),
    ({"a": Color.LIST, "b": Color.NONE, "c": Alias.INNER}, {"a": [1, "a"], "b": None, "c": "\u20ac"}),
    (OwnValue.A, {"mine": "A"}),
    (Huge.A, 2**70),
    ({"a": Huge.A, "b": [Huge.B, 1]}, {"a": 2**70, "b": [-(2**64), 1]}),
    ([Number.ONE, Word.HELLO, Bits.A | Bits.B], [1, "hello", 3]),
    (pathlib.PurePosixPath("/a/\u4e2d"), "/a/\u4e2d"),
    (pathlib.PureWindowsPath("c:/x"), "c:\\x"),
    (OnPath("\U0001f600"), "\U0001f600"),
    (OnPath(b"/bytes"), "/bytes"),
    ({5}, [5]),
    (frozenset(["\xe9"]), ["\xe9"]),
    (set(), []),
    (collections.deque([1, collections.deque()]), [1, []]),
    ({"a": 1}.keys(), ["a"]),
    ({"a": 1}.values(), [1]),
    ({"a": 1}.items(), [["a", 1]]),
    (types.MappingProxyType({"a": {1}}), {"a": [1]}),
    (Table({"a": Table({})}), {"a": {}}),
    (collections.ChainMap({"a": 1}, {"a": 2}), {"a": 1}),
    (collections.UserDict(a=1), {"a": 1}),
    (ipaddress.ip_address("10.0.0.1"), "10.0.0.1"),
    (ipaddress.ip_address("::1"), "::1"),
    (ipaddress.ip_network("10.0.0.0/8"), "10.0.0.0/8"),
    (ipaddress.ip_interface("10.0.0.1/8"), "10.0.0.1/8"),
    (re.compile("\u4e2d+"), "\u4e2d+"),
    (OfItsOwn("text"), "text"),
    (OfItsOwn({"k": OfItsOwn([OfItsOwn(None)])}), {"k": [None]}),
    (Pair(1, Pair(2, {3})), [1, [2, [3]]]),
    (collections.OrderedDict(b=1, a={2}), {"b": 1, "a": [2]}),
    (array.array("b", [-1, 2]), [-1, 2]),
]


@pytest.mark.parametrize("value, twin", TWINS, ids=lambda side: type(side).__name__)
def test_types(value, twin):
    check(value, twin)


@pytest.mark.parametrize("value, twin", TWINS, ids=lambda side: type(side).__name__)
def test_as_an_ordinary_function(value, twin):
    """In other hands it returns what json can write."""
    assert ocior.default(value) == twin
    assert json.dumps([value, value], default=ocior.default) == json.dumps([twin, twin])


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
def test_json_s_own_types(keywords):
    """They are written as if there were no Default, classes derived from them, too."""
    value = [1, 2.5, 2**70, float("nan"), "\xe9", None, True, (1, [2]), {"b": 1, "a": {}}, Number.ONE, Word.HELLO]
    value += [type("Text", (str,), {})("x"), type("List", (list,), {})([1]), type("Dict", (dict,), {})(b=2, a=1), {2: 3, 10: 4}]
    expected = json.dumps(value, **keywords)
    for road in ROADS:
        assert road(value, default=ocior.default, **keywords) == expected


# Options: the keywords of Default, a value, and its twin.
OPTIONS = [
    ({"naive_utc": True}, datetime.datetime(2026, 1, 2), "2026-01-02T00:00:00+00:00"),
    ({"naive_utc": True}, datetime.datetime(2026, 1, 2, tzinfo=zone(hours=1)), "2026-01-02T00:00:00+01:00"),
    ({"naive_utc": True}, datetime.time(1), "01:00:00"),
    ({"utc_z": True}, datetime.datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
    ({"utc_z": True}, datetime.datetime(2026, 1, 2), "2026-01-02T00:00:00"),
    ({"utc_z": True}, datetime.time(1, tzinfo=UTC), "01:00:00Z"),
    ({"utc_z": True}, datetime.datetime(2026, 1, 2, tzinfo=zone(hours=1)), "2026-01-02T00:00:00+01:00"),
    ({"utc_z": True}, datetime.datetime(2026, 1, 2, tzinfo=zone(seconds=29)), "2026-01-02T00:00:00+00:00"),  # no UTC, but near it
    ({"utc_z": True}, datetime.time(1, tzinfo=zone(seconds=-29)), "01:00:00+00:00"),
    ({"utc_z": True, "naive_utc": True}, datetime.datetime(2026, 1, 2), "2026-01-02T00:00:00Z"),
    ({"microseconds": False}, datetime.datetime(2026, 1, 2, 3, 4, 5, 6, UTC), "2026-01-02T03:04:05+00:00"),
    ({"microseconds": False}, datetime.time(1, 2, 3, 4), "01:02:03"),
    ({"microseconds": False}, datetime.timedelta(seconds=1, microseconds=5), "PT1S"),
    ({"microseconds": False}, datetime.timedelta(microseconds=-5), "PT0S"),
    ({"private_fields": False}, Point(1), {"x": 1, "y": 2}),
    ({"private_fields": False}, dataclasses.make_dataclass("Hidden", ["_a", "__b"])(1, 2), {}),
    ({"namedtuple_as_object": True}, Pair(1, Pair({2}, ())), {"b": 1, "a": {"b": [2], "a": []}}),
    ({"namedtuple_as_object": True}, collections.namedtuple("Nothing", "")(), {}),
    ({"namedtuple_as_object": True}, (1, 2), [1, 2]),
    ({"namedtuple_as_object": False}, Pair(1, 2), [1, 2]),
    ({"iterable_as_array": True}, range(3), [0, 1, 2]),
    ({"iterable_as_array": True}, collections.UserList([1, [2]]), [1, [2]]),
    ({"exceptions": True}, ValueError("\xe9"), {"type": "ValueError", "message": "\xe9"}),
    ({"exceptions": True}, KeyboardInterrupt(), {"type": "KeyboardInterrupt", "message": ""}),
    ({"enum": "name"}, [*Color, Number.ONE, Word.HELLO, OwnValue.A], ["RED", "TEXT", "DATE", "LIST", "NONE", "HALF", "ONE", "HELLO", "A"]),
    ({"enum": "value"}, Color.RED, 1),
    ({"decimal": "str"}, [Decimal("1.10"), Decimal("NaN"), Decimal("-1E+5")], ["1.10", "NaN", "-1E+5"]),
    (
        {"bytes": "base64"},
        [b"", b"ab", bytearray(b"\xff" * 100), memoryview(b"x")],
        ["", "YWI=", base64.b64encode(b"\xff" * 100).decode(), "eA=="],
    ),
    ({"bytes": "error", "keys": False}, Point(1), {"x": 1, "y": 2, "_private": "\xe9"}),
    ({"fallback": lambda value: "fallen"}, [Unknown(), Point(Unknown())], ["fallen", {"x": "fallen", "y": 2, "_private": "\xe9"}]),
    ({"fallback": lambda value: {Color.RED}}, Unknown(), [1]),
    ({"fallback": Default(fallback=type, iterable_as_array=True, exceptions=True)}, range(2), [0, 1]),
    ({"fallback": None}, 5, 5),
]


@pytest.mark.parametrize("options, value, twin", OPTIONS)
def test_options(options, value, twin):
    check(value, twin, default=Default(**options))


def test_private_attributes_of_iterators():
    """One that is used up by the first look at it."""
    assert ocior.dumps([iter("ab"), (n for n in [1])], default=Default(iterable_as_array=True)) == '[["a", "b"], [1]]'


DECIMALS = [
    ("1.10", "1.10"),
    ("-0", "-0"),
    ("-12.05", "-12.05"),
    ("1234567890.01", "1234567890.01"),
    ("0.00", "0.00"),
    ("0.000000", "0.000000"),
    ("0.000001", "0.000001"),
    ("-9999999999999999999", "-9999999999999999999"),
    ("123.4567890123456789", "123.4567890123456789"),
    ("123.00000000000000001", "123.00000000000000001"),
    ("0E-7", "0E-7"),
    ("1E-7", "1E-7"),
    ("1E+5", "1E+5"),
    ("1E-400", "1E-400"),
    ("123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789"),
    ("9" * 300, "9" * 300),
    ("NaN", "NaN"),
    ("-NaN12", "NaN"),
    ("sNaN", "NaN"),
    ("Infinity", "Infinity"),
    ("-Infinity", "-Infinity"),
]


@pytest.mark.parametrize("number, text", DECIMALS)
def test_decimals(number, text):
    """All digits are written."""
    value = Decimal(number)
    for road in ROADS:
        assert road(value, default=ocior.default) == text
        assert (
            road([value, "\u4e2d\U0001f600", value], default=ocior.default, ensure_ascii=False) == f'[{text}, "\u4e2d\U0001f600", {text}]'
        )
        assert road({"k": value}, default=ocior.default, indent=1) == f'{{\n "k": {text}\n}}'
        if not value.is_finite():
            with pytest.raises(ValueError, match="^Out of range float values are not JSON compliant"):
                road([value], default=ocior.default, allow_nan=False)


# Keys: what is written as one string, number or word.
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


@pytest.mark.parametrize("key, text", [row for row in KEYS if row[1] is not None], ids=lambda side: type(side).__name__)
def test_keys(key, text):
    default = Default(keys=True, bytes="base64")
    check({key: 1}, {text: 1}, default)
    check(
        {"a": 0, key: [{key: False}]},
        {"a": 0, text: [{text: False}]},
        default,
        [options for options in KEYWORDS if "sort_keys" not in options],
    )


VALUES_BEHIND_KEYS = [
    (1, 1),
    ("\U0001f600", "\U0001f600"),
    (None, None),
    (0.5, 0.5),
    (2**100, 2**100),
    ([], []),
    ({}, {}),
    ([IDENTITY], [str(IDENTITY)]),
    ({IDENTITY: {5: 6}}, {str(IDENTITY): {"5": 6}}),
    (IDENTITY, str(IDENTITY)),
    (Color.TEXT, "\u20ac"),
    (datetime.date(2020, 1, 2), "2020-01-02"),
    (Frozen({8: []}), {"a": {"8": []}}),
    ("x" * 5000, "x" * 5000),
]


def test_rows_of_keys():
    """Many keys of one type in a dict, and of many types in turn, with values of all kinds behind them."""
    default = Default(keys=True, decimal="str")
    times = {datetime.datetime(2020, 1, n + 1, tzinfo=UTC): f"2020-01-{n + 1:02}T00:00:00+00:00" for n in range(14)}
    rows = [
        {n * 10**9 - 5: str(n * 10**9 - 5) for n in range(14)},
        {uuid.UUID(int=IDENTITY.int + n): str(uuid.UUID(int=IDENTITY.int + n)) for n in range(14)},
        {datetime.date(2020, 1, n + 1): f"2020-01-{n + 1:02}" for n in range(14)},
        times,
        {Decimal(n) / 4: str(Decimal(n) / 4) for n in range(14)},
        {datetime.time(n): f"{n:02}:00:00" for n in range(14)},
        {2**59 + n * 2**58: str(2**59 + n * 2**58) for n in range(14)},
        {Word.HELLO: "hello", Number.ONE: "1", Color.TEXT: "\u20ac", Color.HALF: "0.5"},
        {Color.RED: "1", 5: "5", None: "null", IDENTITY: str(IDENTITY), "\u4e2d": "\u4e2d", **times},
    ]
    keywords = [options for options in KEYWORDS if "sort_keys" not in options]
    for row in rows:
        for shift in range(3):
            pairs = VALUES_BEHIND_KEYS[shift:] + VALUES_BEHIND_KEYS
            check(
                {key: value for key, (value, _) in zip(row, pairs)},
                {text: twin for text, (_, twin) in zip(row.values(), pairs)},
                default,
                [*keywords[:3], {"indent": 400}] if shift else keywords,
            )


def test_rows_of_keys_end_with_an_error():
    """The places that notes tell are those of a dict with keys of str; a key that cannot be one is skipped, or refused."""
    default = Default(keys=True, surrogates="error")
    for road, options in itertools.product(ROADS, KEYWORDS[:2]):
        for last in (Unknown(), [Unknown()], {5: Unknown()}):
            errors = [call(road, {first: 2, "7": last, 8: 9}, default=default, **options).error for first in ("1", 1, IDENTITY)]
            assert {type(error) for error in errors} == {TypeError}
            assert len({str(getattr(error, "__notes__", "")) for error in errors}) == 1
        value = {1: 2, IDENTITY: 3, (1, 2): 4, 7: {8: 9, (): 10}}
        assert type(call(road, value, default=default, **options).error) is TypeError
        text = road(value, default=default, skipkeys=True, **options)
        assert json.loads(text) == {"1": 2, str(IDENTITY): 3, "7": {"8": 9}}
    for lone in ("\ud800", "a" * 50 + "\ud800"):
        value = {1: 2, enum.Enum("Kind", {"A": lone}).A: 3, 5: 6}
        for _ in range(2):
            assert isinstance(call(ocior.dumps_to_bytes, value, default=Default(keys=True)).error, UnicodeEncodeError)
            assert isinstance(call(ocior.dumps, value, default=default).error, UnicodeEncodeError)
            text = ocior.dumps_to_bytes(value, default=Default(keys=True, surrogates="replace"))
            assert json.loads(text) == {"1": 2, lone.replace("\ud800", "\ufffd"): 3, "5": 6}


@pytest.mark.parametrize("key", [key for key, text in KEYS if text is None], ids=lambda key: type(key).__name__)
def test_what_cannot_be_a_key(key):
    default = Default(keys=True, bytes="base64")
    for value, options, road in itertools.product(({key: 1}, [{key: 2, "a": 1}]), KEYWORDS, ROADS):
        error = call(road, value, default=default, **options).error
        assert type(error) is TypeError
        if len(value) == 1 or not options.get("sort_keys"):
            assert re.match("keys must be str, int, float, bool or None, not |'<' not supported", str(error)), error
        if not options.get("sort_keys"):
            twin = {(): 1} if isinstance(value, dict) else [{(): 2, "a": 1}]
            assert road(value, default=default, skipkeys=True, **options) == json.dumps(twin, skipkeys=True, **options)


def test_keys_are_refused_unless_asked_for():
    for key in (datetime.date(2020, 1, 2), IDENTITY, Color.RED, OnPath("/"), b"x"):
        for road in ROADS:
            with pytest.raises(TypeError, match="^keys must be str, int, float, bool or None, not "):
                road({key: 1}, default=Default(bytes="base64"))


def test_sorted_keys():
    """By the text that they become."""
    default = Default(keys=True)
    value = {Color.DATE: 1, "b": 2, IDENTITY: 3, None: 4, 7: 5, "\u4e2d": 6, "a": {Color.TEXT: 1, "": 2}, 1.5: 8}
    twin = {"2020-01-02": 1, "b": 2, str(IDENTITY): 3, "null": 4, "7": 5, "\u4e2d": 6, "a": {"\u20ac": 1, "": 2}, "1.5": 8}
    check(value, twin, default, [{**options, "sort_keys": True} for options in KEYWORDS])


def test_sorted_fields():
    twin = {"x": {"b": 1, "a": 5}, "y": 2, "_private": "\xe9"}
    check(Point(Slots(1)), twin, keywords=[{**options, "sort_keys": True} for options in KEYWORDS])
    assert ocior.dumps(Pair(1, 2), default=Default(namedtuple_as_object=True), sort_keys=True) == '{"a": 2, "b": 1}'


def hook(value):
    return {"b": type(value).__name__, "a": 1}


@pytest.mark.parametrize("keywords", [{"indent": 2}, {}, {"skipkeys": True}, {"ensure_ascii": False}], ids=str)
def test_sorted_dicts_of_many_kinds(keywords):
    """Sorted as json does, without a Default: by the keys themselves."""

    class Text(str):
        pass

    rng = random.Random(7)
    words = ["", "a", "A", "\x7f", "\xe9", "\u4e2d", "\uffff", "\U0001f600", "aa", "a\x00", "key" * 30]
    rows = [{word: index for index, word in enumerate(rng.sample(words, n))} for n in range(len(words) + 1)]
    rows += [{Text("b"): 1, "a": 2, Text(""): 3}, {2: 1, 10: 2, True: 3, 1.5: 4}, {"a": 1, 2: 2}, {None: 1, "a": 2}, {None: 1}, {(1,): 1}]
    rows += [{(1,): 1, (0, 5): 2}, {"b": {"d": Unknown(), "c": []}, "a": Unknown()}, dict.fromkeys(map(str, range(500)), Unknown())]
    rows += [collections.OrderedDict(b=1, a=2), type("Dict", (dict,), {})(b={"d": 1, "c": 2}, a=2)]
    for row, value in itertools.product(rows, places(None)):
        wrapped = [row, value, {"z": row, "a": row}]
        for sample in (row, wrapped):
            ours, theirs = (call(module.dumps, sample, sort_keys=True, default=hook, **keywords) for module in (ocior, json))
            assert (type(ours.error), ours.value) == (type(theirs.error), theirs.value)


# Errors: the keywords of Default, what cannot be written, the class of the error, and its words.
ERRORS = [
    ({}, Unknown(), TypeError, "Object of type Unknown is not JSON serializable"),
    ({}, b"x", TypeError, "Object of type bytes is not JSON serializable"),
    ({}, bytearray(), TypeError, "Object of type bytearray is not JSON serializable"),
    ({}, 1j, TypeError, "Object of type complex is not JSON serializable"),
    ({}, range(2), TypeError, "Object of type range is not JSON serializable"),
    ({}, ValueError(), TypeError, "Object of type ValueError is not JSON serializable"),
    ({}, Point, TypeError, "Object of type type is not JSON serializable"),
    ({}, re.compile(b"x"), TypeError, "Object of type bytes is not JSON serializable"),
    ({}, types.SimpleNamespace(), TypeError, "Object of type SimpleNamespace is not JSON serializable"),
    ({}, Color, TypeError, "Object of type Enum(Meta|Type) is not JSON serializable"),
    ({}, {1, Frozen}, TypeError, "Object of type type is not JSON serializable"),
    ({}, datetime.time(tzinfo=Shifted(5)), TypeError, r"tzinfo.utcoffset\(\) must return None or a timedelta, not 'int'"),
    ({}, datetime.datetime(2020, 1, 1, tzinfo=Shifted("x")), TypeError, r"tzinfo.utcoffset\(\) must return None or a timedelta, not 'str'"),
    ({}, datetime.datetime(2020, 1, 1, tzinfo=Shifted(datetime.timedelta(1))), ValueError, "offset must be a timedelta strictly between"),
    ({}, datetime.datetime(2020, 1, 1, tzinfo=Shifted(lambda: 1 // 0)), ZeroDivisionError, ""),
    ({"fallback": lambda value: value}, Unknown(), ValueError, "Circular reference detected"),
    ({"fallback": lambda value: [value]}, Unknown(), ValueError, "Circular reference detected"),
    ({"fallback": lambda value: 1 // 0}, Unknown(), ZeroDivisionError, ""),
    ({"fallback": lambda value: Unknown}, Unknown(), ValueError, "Circular reference detected"),
    ({"iterable_as_array": True}, (1 // n for n in [1, 0]), ZeroDivisionError, ""),
]


@pytest.mark.parametrize("options, value, error, words", ERRORS, ids=lambda side: type(side).__name__)
def test_errors(options, value, error, words):
    default = Default(**options)
    rows = [value] if isinstance(value, types.GeneratorType) else [value, [1, value], {"a": ["\U0001f600", value]}]
    for row, keywords, road in itertools.product(rows, KEYWORDS, ROADS):
        if isinstance(value, types.GeneratorType) and (keywords or road is not ocior.dumps):
            continue
        found = call(road, row, default=default, **{**keywords, "check_circular": True}).error
        assert type(found) is error and re.match(words, str(found)), found


def test_calls_of_default():
    assert repr(ocior.default) == "ocior.Default()"
    assert repr(Default(len, keys=True, enum="name", microseconds=False, decimal="number")) == (
        "ocior.Default(fallback=<built-in function len>, microseconds=False, keys=True, enum='name')"
    )
    assert Default(len).fallback is len and Default(fallback=len).fallback is len and ocior.default.fallback is None
    assert type(ocior.default) is Default
    for arguments, keywords, error, words in [
        ((5,), {}, TypeError, "fallback must be callable or None, not int"),
        ((len, len), {}, TypeError, "Default() takes at most 1 positional argument (2 given)"),
        ((len,), {"fallback": len}, TypeError, "Default() got multiple values for argument 'fallback'"),
        ((), {"nope": 1}, TypeError, "Default() got an unexpected keyword argument 'nope'"),
        ((), {"enum": "x"}, ValueError, "enum must be 'value' or 'name', not 'x'"),
        ((), {"decimal": 5}, ValueError, "decimal must be 'number' or 'str', not 5"),
        ((), {"bytes": None}, ValueError, "bytes must be 'error' or 'base64', not None"),
    ]:
        found = call(Default, *arguments, **keywords).error
        assert (type(found), str(found)) == (error, words)
    for arguments, keywords in [((), {}), ((1, 2), {}), ((), {"value": 1}), ((1,), {"x": 1})]:
        with pytest.raises(TypeError, match="^a Default takes exactly one argument$"):
            ocior.default(*arguments, **keywords)
    with pytest.raises(TypeError):
        type("Derived", (Default,), {})
    with pytest.raises(AttributeError):
        ocior.default.fallback = None


def test_a_default_in_a_cycle_is_collected():
    class Hook:
        def __call__(self, value):
            return None

    hook = Hook()
    hook.default = Default(hook)
    seen = weakref.ref(hook)
    del hook
    gc.collect()
    assert seen() is None


# ---- ready JSON ----


@pytest.mark.parametrize("text", ["1", '"\xe9\u4e2d\U0001f600"', '{"a": [1, 2.50]}', "[\n1]", '"\\ud83d\\ude00\\n"', '"\x7f"'])
def test_raw(text):
    """As it stands, but for what only the output asks for."""
    for content in (text, text.encode(), bytearray(text.encode())):
        for check_it in (True, False):
            value = Raw(content, check=check_it)
            assert value.text == (text if isinstance(content, str) else text.encode())
            for default in (None, ocior.default):
                for options in KEYWORDS:
                    for road in ROADS:
                        written = road(value, default=default, **options)
                        assert written == (text if not options.get("ensure_ascii", True) or text.isascii() else written)
                        assert written.isascii() or not options.get("ensure_ascii", True)
                        assert json.loads(written) == json.loads(text)
                for place, twin in zip(places(value), places(json.loads(text))):
                    for road in ROADS:
                        assert json.loads(road(place, default=default)) == json.loads(json.dumps(twin))
                        assert json.loads(road(place, default=default, ensure_ascii=False)) == json.loads(json.dumps(twin))


def test_raw_is_trusted_only_if_asked():
    assert ocior.dumps([Raw("no JSON", check=False), Raw("", check=False)]) == "[no JSON, ]"
    for text in ("", "[1,", "nul", "{'a': 1}", b"1 2"):
        ours, theirs = call(Raw, text).error, call(json.loads, text).error
        assert type(ours) is type(theirs) and ours.args == theirs.args
    with pytest.raises(UnicodeDecodeError):
        Raw(b'"\xff"')
    with pytest.raises(UnicodeDecodeError):
        ocior.dumps(Raw(b'"\xff"', check=False))
    with pytest.raises(UnicodeEncodeError):
        ocior.dumps_to_bytes(["a", Raw('"\ud800"')])
    assert ocior.dumps(Raw('"\ud800"'), ensure_ascii=False) == '"\ud800"'
    for arguments, keywords in [((), {}), ((1,), {}), ((None,), {}), (("1", "2"), {}), (("1",), {"text": "2"})]:
        with pytest.raises(TypeError):
            Raw(*arguments, **keywords)
    assert repr(Raw("[1]")) == "ocior.Raw('[1]')"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])
def test_raw_is_utf8(encoding):
    with pytest.raises(ValueError):
        Raw("[1]".encode(encoding))
    with pytest.raises(ValueError):
        Raw(b'"\xed\xa0\x80"')


def test_raw_longer_than_a_piece():
    text = "[" + ", ".join(['"\xe9\u20ac"'] * 60000) + "]"
    for content in (text, text.encode()):
        value = ["a" * 50, Raw(content), "\U0001f600", Raw(content)]
        expected = json.dumps(["a" * 50, json.loads(text), "\U0001f600", json.loads(text)], ensure_ascii=False)
        for road in ROADS:
            assert road(value, ensure_ascii=False) == expected
            assert json.loads(road(value)) == json.loads(expected)


# ---- other libraries' classes ----


def test_attrs():
    attr = pytest.importorskip("attr")
    value = attr.make_class("Value", ["x", "_y"], slots=False)(1, {2})
    slots = attr.make_class("Slotted", ["x", "z"], slots=True)(value, "\xe9")
    check(slots, {"x": {"x": 1, "_y": [2]}, "z": "\xe9"})
    check(value, {"x": 1}, Default(private_fields=False))


def test_msgspec():
    msgspec = pytest.importorskip("msgspec")
    value = msgspec.defstruct("Value", ["b", ("a", object, None)])
    check(value(value(1, {2}), "\xe9"), {"b": {"b": 1, "a": [2]}, "a": "\xe9"})


def test_msgspec_structs_of_other_forms():
    """Names, tags, arrays and what is left out, as msgspec has them."""
    msgspec = pytest.importorskip("msgspec")
    define, unset = msgspec.defstruct, msgspec.UNSET
    Renamed = define("Renamed", [("my_field", int), ("other_one", object, 3)], rename="camel")
    Tagged = define("Tagged", ["x", ("_y", object, None)], tag=True)
    Kind = define("Kind", ["x"], tag=5, tag_field="kind", rename={"x": "X"})
    Array = define("Array", ["x", ("y", object, "q")], array_like=True, tag="t")
    made = [(name, kind, msgspec.field(default_factory=kind)) for name, kind in (("a", list), ("b", dict), ("c", set))]
    Short = define("Short", [("x", int, 0), *made, ("z", str, "a")], omit_defaults=True)
    Some = define("Some", [("a", object, unset), ("b", int, 2)])
    values = [Renamed(1), Renamed(1, Renamed(2)), Tagged(2), Kind(2), Array(3), Short(), Short(1, [1], {"k": 0}, {5}, "b"), Short(x=True)]
    values += [Some(), Some(5), Some([Some(), Array(Some(1))])]
    for value in values:
        check(value, json.loads(msgspec.json.encode(value)))
    check(Tagged(2), {"type": "Tagged", "x": 2}, Default(private_fields=False))
    Usual = define("Usual", [("x", object, type("Factory", (), {"factory": list})())], omit_defaults=True)
    check(Usual([]), {"x": []})  # whose default is no factory of msgspec's
    check({"k": Short()}, {"k": {}}, keywords=[{}])
    del values[0].other_one
    with pytest.raises(AttributeError):
        ocior.dumps(values[0], default=ocior.default)


def test_pydantic():
    pydantic = pytest.importorskip("pydantic", minversion="2")
    model = pydantic.create_model("Model", x=(int, 1), at=(datetime.date, datetime.date(2020, 1, 2)))
    check([model(), model(x=5)], [{"x": 1, "at": "2020-01-02"}, {"x": 5, "at": "2020-01-02"}])


def test_pandas():
    pandas = pytest.importorskip("pandas")
    check(pandas.Series([1, 2]), [1, 2])
    check(pandas.Index(["a"]), ["a"])
    check(pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}), [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    check([pandas.NaT, pandas.NA], [None, None])
    for text in ("2020-01-02T03:04:05.123456789", "1969-12-31T23:59:59.000000001", "2020-01-02T00:00:00"):
        moment = pandas.Timestamp(text)
        check(moment, text)
        check(moment.tz_localize("UTC"), f"{text}Z", default=Default(utc_z=True))
        check(moment, f"{text[:19]}+00:00", default=Default(naive_utc=True, microseconds=False))
    for nanoseconds, text in ((1, "PT0.000000001S"), (-1, "-PT0.000000001S"), (86400 * 10**9 + 1001, "P1DT0.000001001S"), (10**9, "PT1S")):
        check(pandas.Timedelta(nanoseconds, "ns"), text)
    for seconds, text in ((10**14, "P1157407407DT9H46M40S"), (-(10**14), "-P1157407407DT9H46M40S")):
        check(pandas.Timedelta(importlib.import_module("numpy").timedelta64(seconds, "s")), text)


def test_a_timedelta_of_something_called_pandas(monkeypatch):
    """Which need not have what the real one has."""

    class Timedelta:
        __slots__ = ("days", "seconds", "microseconds", "nanoseconds")

    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(Timedelta=Timedelta))
    value = Timedelta()
    for road in ROADS:
        assert type(call(road, [value], default=ocior.default).error) is AttributeError
    value.days, value.seconds, value.microseconds, value.nanoseconds = -1, 86399, 999999, 999
    check(value, "-PT0.000000001S")
    value.days, value.nanoseconds = 2**63 - 1, 0
    check(value, f"P{2**63 - 1}DT23H59M59.999999S")
    for value.nanoseconds in (-1, 1000, 2**64, "x"):
        for road in ROADS:
            assert type(call(road, [value], default=ocior.default).error) in (ValueError, OverflowError, TypeError)


def test_mappings_where_nobody_has_imported_collections_abc():
    check_python(
        """
        import collections, sys, ocior
        sys.modules.pop("collections.abc", None)
        assert ocior.dumps([collections.UserDict(a=1), collections.ChainMap({"b": 2})], default=ocior.default) == '[{"a": 1}, {"b": 2}]'
        """
    )


def test_polars():
    polars = pytest.importorskip("polars")
    check(polars.Series([1, 2]), [1, 2])
    check(polars.DataFrame({"a": [1], "b": ["x"]}), [{"a": 1, "b": "x"}])


# ---- in pieces ----


def test_large_documents():
    """More than one piece, with pieces ending anywhere between the fields, and each width of text first met at another place."""
    points = [Point("y" * (n % 700), {"k": Slots(n, "a\xe9\u4e2d\U0001f600"[n % 4] * (n % 300))}) for n in range(1500)]
    days = [datetime.date.fromordinal(700000 + n) for n in range(20000)]
    numbers = [Decimal(n) / 8 for n in range(20000)]
    value, twin = [points, days], [[dataclasses.asdict(point) for point in points], [str(day) for day in days]]
    for options in KEYWORDS:
        expected = json.dumps(twin, **options)
        for road in ROADS:
            assert road(value, default=ocior.default, **options) == expected
    for road in ROADS:
        assert road(numbers, default=ocior.default) == "[" + ", ".join(map(str, numbers)) + "]"


def test_a_default_outlives_its_encoder():
    """Nobody else holds it while pieces are taken."""
    for change in (lambda encoder: setattr(encoder, "default", None), lambda encoder: None):
        encoder = ocior.JSONEncoder(default=Default(lambda value: "fallen" * 5))
        pieces = encoder.iterencode([Unknown()] * 20000)
        first = next(pieces)
        change(encoder)
        del encoder
        gc.collect()
        others = [Default(lambda value: "other") for _ in range(50)]
        assert first + "".join(pieces) == json.dumps(["fallen" * 5] * 20000)
        del others


LONGEST = "n_" + "x" * 27  # of a field whose name is kept ready to be written
Longest = dataclasses.make_dataclass("Longest", [LONGEST, ("a_", object, None)])
Wide = dataclasses.make_dataclass("Wide", ["\u4e2d", (LONGEST + "x", object, 1.5)], slots=True)


def random_item(rng, levels):
    """An item of a dataclass, and its twin: most are what is written without a frame, some are what is not, or only just."""
    kind = rng.randrange(14 if levels else 9)
    if kind < 9:
        scalars = [None, True, rng.randrange(-(10**6), 10**6), rng.random(), rng.choice(["", "a", "short", '"\\', "x" * rng.randrange(70)])]
        scalars += [-(2**63), 2**64 - 1, "\xe9" * rng.randrange(40), "\u4e2d" * rng.randrange(40), "a\U0001f600", "\n" * 256]
        odd = [2**70, float("nan"), float("-inf"), "x" * 257, "\x00" * 5000, "\udc80", "\xff" * 257, [], {}, (), "\u20ac" * 3000]
        scalar = rng.choice(scalars if rng.random() < 0.95 else odd)
        rich = [(IDENTITY, str(IDENTITY)), (Number.ONE, 1), (Word.HELLO, "hello"), (Color.LIST, [1, "a"]), (Color.HALF, 0.5)]
        rich += [(datetime.date(2026, 1, 2), "2026-01-02"), (Alias.INNER, "\u20ac"), ({5}, [5]), (Text("own"), "own"), (Empty(), {})]
        return rng.choice(rich) if kind == 0 else (scalar, scalar)
    count = rng.choice((0, 1, 2, 15, 16, 17)) if kind < 11 else 1
    items = [random_item(rng, levels - 1) for _ in range(count)]
    if kind == 9:
        twin = [twin for _, twin in items]
        return rng.choice((list, tuple))([item for item, _ in items]), twin
    if kind == 10:
        keys = [rng.choice(("k", "\xe9", "\u4e2d" * 20, "k" * 300, '"')) + str(n) if rng.random() < 0.98 else n for n in range(count)]
        return dict(zip(keys, [item for item, _ in items])), dict(zip(keys, [twin for _, twin in items]))
    (item, twin) = items[0]
    if kind == 11:
        return Slots(item, (item, 1)), {"b": twin, "a": [twin, 1]}
    if kind == 12:
        return Point(item, y=item), {"x": twin, "y": twin, "_private": "\xe9"}
    if rng.random() < 0.8:
        return Longest(item), {LONGEST: twin, "a_": None}
    return Wide(item), {"\u4e2d": twin, LONGEST + "x": 1.5}


@pytest.mark.parametrize("seed", some(range(6), 2))
def test_objects_in_objects(seed):
    rng = random.Random(seed)
    for _ in range(30):
        pairs = [random_item(rng, 1 + seed * 2) for _ in range(rng.choice((1, 3, 12)))]
        pairs = [(Point(item, 1.5), {"x": twin, "y": 1.5, "_private": "\xe9"}) for item, twin in pairs]
        value, twin = [item for item, _ in pairs], [twin for _, twin in pairs]
        for options, road in itertools.product(({}, {"ensure_ascii": False}, {"separators": (",", ":")}, {"indent": 1}), ROADS):
            for ours, theirs in ((value, twin), (value[0], twin[0])):
                found, expected = call(road, ours, default=ocior.default, **options), call(road, theirs, **options)
                if expected.error is None:
                    assert found.value == expected.value == json.dumps(theirs, **options)
                else:  # a surrogate in UTF-8
                    assert type(found.error) is UnicodeEncodeError and str(found.error) == str(expected.error)


def test_errors_of_items_in_objects():
    """Where they are is told as of any container."""
    for item, keywords, error in [
        ("\udc80", {}, UnicodeEncodeError),
        (float("nan"), {"allow_nan": False}, ValueError),
        (Unknown(), {}, TypeError),
    ]:
        for holder, notes in [
            (Point(1, item), ["when serializing {}Point item 'y'"]),
            (Slots(Point(item)), ["when serializing {}Point item 'x'", "when serializing {}Slots item 'b'"]),
            (
                [Point(1), Point([1, item])],
                ["when serializing list item 1", "when serializing {}Point item 'x'", "when serializing list item 1"],
            ),
            (Point({"k": item}), ["when serializing dict item 'k'", "when serializing {}Point item 'x'"]),
        ]:
            found = call(ocior.dumps_to_bytes, holder, default=ocior.default, **keywords).error
            assert type(found) is error
            if sys.version_info >= (3, 11):
                module = f"{__name__}." if sys.version_info >= (3, 13) else ""
                own = [note.format(module) for note in notes]
                assert found.__notes__[-len(own) :] == own


# ---- instances and classes in every state ----


def states():
    """Instances whose attributes lie in different ways, or are not there."""
    for change in [
        lambda one: None,
        lambda one: one.__dict__,
        lambda one: one.__dict__.clear(),
        lambda one: one.__dict__.update(x=7, zz=8),
        lambda one: one.__dict__.update({5: 6}),
        lambda one: one.__dict__.pop("x"),
        lambda one: setattr(one, "__dict__", {"x": 9}),
        lambda one: setattr(one, "__dict__", {}),
        lambda one: delattr(one, "x"),
        lambda one: delattr(one, "y"),
        lambda one: [setattr(one, f"more{n}", n) for n in range(40)],
        lambda one: [one.__dict__.__setitem__(f"more{n}", n) for n in range(40)],
        lambda one: setattr(one, "__class__", Derived),
        lambda one: setattr(one, "__class__", Frozen),
        lambda one: setattr(one, "extra", 1),
    ]:
        one = Point([1])
        change(one)
        yield one
        taken = Point("taken")
        attributes = taken.__dict__
        change(taken)
        yield taken
        late = Point.__new__(Point)
        late.__dict__ = attributes
        yield late
        yield copy.copy(one)
    backwards = Point.__new__(Point)
    for name in ("z", "_private", "y", "x"):
        setattr(backwards, name, name)
    yield backwards
    yield Point.__new__(Point)
    half = Slots(1)
    del half.b
    yield half


def test_states_of_instances():
    for one in itertools.chain(states(), states()):
        expected = call(lambda: json.dumps({field.name: getattr(one, field.name) for field in dataclasses.fields(one)}))
        for road in ROADS:
            found = call(road, one, default=ocior.default)
            assert found.value == expected.value and type(found.error) is type(expected.error), (
                vars(one) if hasattr(one, "__dict__") else one
            )


def test_classes_that_change():
    """What was learnt of a class is forgotten when it changes."""

    @dataclasses.dataclass
    class Changing:
        x: object
        y: object = 2

    def answer(self, name):
        return f"no {name}"

    one = Changing(1)
    for name, thing, expected in [
        (None, None, {"x": 1, "y": 2}),
        ("x", property(lambda self: "property"), {"x": "property", "y": 2}),
        ("x", 5, {"x": 1, "y": 2}),
        ("__getattribute__", lambda self, name: object.__getattribute__(self, name) if name[0] == "_" else name, {"x": "x", "y": "y"}),
        ("__json__", lambda self: ["own"], ["own"]),
        ("__getattr__", answer, {"x": 1, "y": 2}),
        ("__dataclass_fields__", {"y": Changing.__dataclass_fields__["y"]}, {"y": 2}),
    ]:
        before = ocior.dumps(one, default=ocior.default)
        assert before == '{"x": 1, "y": 2}'
        if name:
            had, kept = name in vars(Changing), vars(Changing).get(name)
            setattr(Changing, name, thing)
        for road in ROADS:
            assert road([one, one], default=ocior.default) == json.dumps([expected, expected]), name
        if name:
            setattr(Changing, name, kept) if had else delattr(Changing, name)


def test_many_classes():
    """More than are remembered, each dead soon, some followed by another at the same address."""
    rng = random.Random(3)
    for turn in range(400):
        names = [f"f{rng.randrange(9)}_{n}" for n in range(rng.randrange(6))]
        kind = dataclasses.make_dataclass("Kind", names, slots=True) if turn % 3 == 0 else dataclasses.make_dataclass("Kind", names)
        values = [kind(*range(n, n + len(names))) for n in range(3)]
        expected = json.dumps([dataclasses.asdict(value) for value in values])
        assert ocior.dumps(values, default=ocior.default) == expected
        assert in_pieces(values, default=ocior.default) == expected
        del values, kind
        if turn % 40 == 0:
            gc.collect()


# ---- circles and depth ----


def test_circles():
    point, own, held = Point(1), OfItsOwn(None), Slots(None)
    point.x = [point]
    own.value = {"k": own}
    held.a = {"d": collections.deque([held])}
    for value in (point, own, held):
        for place, options, road in itertools.product(places(value), KEYWORDS, ROADS):
            error = call(road, place, default=ocior.default, **options).error
            if options.get("check_circular", True):
                assert type(error) is ValueError and str(error) == "Circular reference detected"
            else:
                assert type(error) in (RecursionError, MemoryError)
    point.x = own.value = held.a = None


def test_depth():
    for depth, is_written in ((2000, True), (100000, False)):
        for make in (
            Point,
            lambda value: Slots(value),
            lambda value: OfItsOwn([value]),
            lambda value: types.MappingProxyType({"k": value}),
        ):
            value = None
            for _ in range(depth):
                value = make(value)
            for road in (ocior.dumps, in_pieces, to_bytes):
                found = call(road, value, default=ocior.default, check_circular=False)
                assert (found.error is None) if is_written else isinstance(found.error, (RecursionError, MemoryError))
            if not is_written:
                break  # the others are let go of by recursion


# ---- values whose own code changes what is being written ----


def finish(outcome):
    """Well-formed JSON, or an ordinary error."""
    if outcome.error is None:
        json.loads(outcome.value)
    else:
        assert isinstance(outcome.error, (RuntimeError, TypeError, ValueError, LookupError, AttributeError)), outcome.error


def hostile(change):
    """Values that call `change` while they are read."""

    @dataclasses.dataclass
    class Watched:
        x: object
        y: object = 1

    def read(self):
        change()
        collect()
        return "x" * 80

    Watched.x = property(read, lambda self, value: None)

    @dataclasses.dataclass
    class Asked:
        x: object = "x"

        def __getattribute__(self, name):
            if name == "x":
                read(self)
            return object.__getattribute__(self, name)

    class Own:
        def __json__(self):
            return [read(self)]

    class Path:
        def __fspath__(self):
            return read(self)

    class Items(Mapping):
        def __getitem__(self, key):
            return read(self)

        def __iter__(self):
            read(self)
            return iter("ab")

        def __len__(self):
            return 2

    class Fraction(Decimal):
        def __str__(self):
            read(self)
            return "1.25"

    class Later(datetime.datetime):
        def isoformat(self, *arguments):
            return read(self)

    class Valued(enum.Enum):
        A = 1

        @property
        def value(self):
            return read(self)

    class Elements:
        def __iter__(self):
            read(self)
            return iter([read(self)])

    class Failure(Exception):
        def __str__(self):
            return read(self)

    when = datetime.datetime(2020, 1, 1, tzinfo=Shifted(lambda: read(None) and datetime.timedelta(hours=1)))
    yield from (
        Watched(1),
        Asked(),
        Own(),
        Path(),
        Items(),
        Fraction(1),
        Later(2020, 1, 1),
        Valued.A,
        Elements(),
        Failure(),
        when,
        when.timetz(),
        Unknown(),
    )


CHANGES = {
    "clear": lambda container: container.clear(),
    "grow": lambda container: (
        container.extend(["new" * 9] * 50) if isinstance(container, list) else container.update({f"{n}new": n for n in range(50)})
    ),
    "shrink": lambda container: container.pop() if isinstance(container, list) and container else None,
    "replace": lambda container: [
        container.__setitem__(key, "other" * 9) for key in (range(len(container)) if isinstance(container, list) else [*container])
    ],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_values_that_change_their_container(change):
    container = None

    def fire():
        change(container)

    def fallback(value):
        fire()
        return ["fallen"]

    default = Default(fallback, keys=True, iterable_as_array=True, exceptions=True)
    for position, options, road in itertools.product(range(13), PLAIN_KEYWORDS, ROADS):
        for is_list in (True, False):
            value = next(itertools.islice(hostile(fire), position, None))
            values = ["\u20ac\U0001f600" * (position % 2), value, ["z" * 60], Point(value, [1]), value, "last" * 20]
            container = values if is_list else {f"{n}key" * 10: item for n, item in enumerate(values)}
            finish(call(road, container, default=default, **options))


def test_values_that_change_themselves():
    """The object is edited, or its class is, while one of its fields is being written: what was read first is what is written."""

    def fallback(value):
        change()
        collect()
        return "fallen"

    for change in [
        lambda: point.__dict__.clear(),
        lambda: setattr(point, "y", None),
        lambda: delattr(point, "_private"),
        lambda: setattr(point, "__dict__", {}),
        lambda: setattr(point, "__class__", Frozen),
        lambda: point.y.clear(),
    ]:
        for options, road in itertools.product(KEYWORDS, ROADS):
            point = Point(Unknown(), ["y" * 50], "z" * 60)
            last = point.y if change.__code__.co_names[-1:] != ("clear",) or "y" not in change.__code__.co_names else []
            expected = json.dumps([{"x": "fallen", "y": list(last), "_private": "z" * 60}], **options)
            assert road([point], default=Default(fallback), **options) == expected


def test_hooks_that_edit_a_sorted_dict():
    """The names and values are those of the moment when the dict is met."""

    def fallback(value):
        table.clear()
        collect()
        return "fallen"

    for options, hook, road in itertools.product(KEYWORDS, (fallback, Default(fallback)), ROADS):
        table = {"b": Unknown(), "\u4e2d": [1], "a": Unknown(), "c": ["x" * 50]}
        expected = json.dumps({"a": "fallen", "b": "fallen", "c": ["x" * 50], "\u4e2d": [1]}, **options)
        assert road(table, default=hook, **{**options, "sort_keys": True}) == expected


def test_keys_that_run_code_when_compared():
    class Key(str):
        def __lt__(self, other):
            table.clear()
            return str.__lt__(self, other)

        __hash__ = str.__hash__

    for options, default, road in itertools.product(KEYWORDS, (None, ocior.default, Default(keys=True)), ROADS):
        table = {Key("b"): 1, Key("a"): 2, "c": ["x" * 50]}
        assert road(table, default=default, **{**options, "sort_keys": True}) == json.dumps({"a": 2, "b": 1, "c": ["x" * 50]}, **options)


def test_classes_that_claim_to_be_mappings():
    class Wrong:
        keys = 5

    class Endless:
        def keys(self):
            return ["k"]

        def __getitem__(self, key):
            return self

    class Few:
        def keys(self):
            return ["k"]

        def __getitem__(self, key):
            raise LookupError(key)

    for kind, error in ((Wrong, TypeError), (Endless, ValueError), (Few, LookupError)):
        Mapping.register(kind)
        for road in ROADS:
            assert type(call(road, [kind()], default=ocior.default).error) is error


def test_classes_that_change_the_container_when_asked():
    """A metaclass, a class of collections.abc and finalizers run when it is found out how a type is written."""
    box = []

    class Meta(type):
        def __getattr__(cls, name):
            box.clear()
            raise AttributeError(name)

    class Asking(Mapping):
        @classmethod
        def __subclasshook__(cls, other):
            box.clear()
            return NotImplemented

    class Finalized:
        def __init__(self):
            self.circle = self

        def __del__(self):
            box.clear()

    for make in (lambda: Meta("Made", (), {})(), lambda: type("Made", (), {})()):
        for road in ROADS:
            box[:] = [1, make(), "abc", 2]
            Finalized()
            assert json.loads(road(box, default=Default(lambda value: "hook")))[:2] == [1, "hook"]
    del Asking
    gc.collect()


def test_a_look_that_fails_is_told_and_not_remembered():
    class Meta(type):
        def __getattr__(cls, name):
            raise error

    class Made(metaclass=Meta):
        pass

    for error in (KeyboardInterrupt("now"), MemoryError("none")):
        for place in (lambda value: [value], lambda value: {value: 1}):
            for road in ROADS:
                with pytest.raises(type(error), match=str(error)):
                    road(place(Made()), default=Default(str, keys=True))
    error = AttributeError("missing")
    for road in ROADS:
        assert json.loads(road([Made()], default=Default(lambda value: "hook"))) == ["hook"]


def test_decimals_that_show_themselves_in_another_way():
    class Money(Decimal):
        def __str__(self):
            return "$1.5"

    check(Money("1.5"), 1.5, keywords=[{}])


def test_offsets_of_nearly_a_day():
    check(datetime.datetime(2026, 1, 2, tzinfo=zone(days=-1, microseconds=1)), "2026-01-02T00:00:00-23:59")
    for seconds, text in ((30, "+00:01"), (29, "+00:00"), (-29, "+00:00"), (-30, "-00:01")):
        check(datetime.datetime(2026, 1, 2, tzinfo=zone(seconds=seconds)), f"2026-01-02T00:00:00{text}")
    check(datetime.datetime(2026, 1, 2, tzinfo=zone(seconds=-30, microseconds=1)), "2026-01-02T00:00:00+00:00")
    far = datetime.datetime(2026, 1, 2, tzinfo=zone(hours=23, minutes=59, seconds=59))
    check([far, far.replace(tzinfo=zone(hours=-23, minutes=-59, seconds=-59))], ["2026-01-02T00:00:00+23:59", "2026-01-02T00:00:00-23:59"])


def test_base64_that_is_none(monkeypatch):
    import binascii

    monkeypatch.setattr(binascii, "b2a_base64", lambda data, newline: 5)
    for road in ROADS:
        assert type(call(road, [b"x"], default=Default(bytes="base64")).error) is TypeError


def test_classes_derived_from_those_of_datetime():
    """They take the options, and what they have an isoformat() for is told by that."""

    class Loud(datetime.datetime):
        def isoformat(self, sep="T", timespec="auto"):
            return super().isoformat(sep, timespec) if self.year < 3000 else self.words

    class Hour(datetime.time):
        def isoformat(self, timespec="auto"):
            return super().isoformat(timespec)

    class Day(datetime.date):
        def isoformat(self):
            return super().isoformat().replace("-", "/")

    everything = [{}, {"naive_utc": True}, {"utc_z": True}, {"naive_utc": True, "utc_z": True}, {"microseconds": False}]
    everything += [{"naive_utc": True, "utc_z": True, "microseconds": False}]
    zones = [None, UTC, zone(hours=-3, minutes=-30), zone(seconds=29), zone(hours=5, seconds=31), zone(seconds=-30, microseconds=1)]
    for options, tzinfo, parts in itertools.product(everything, zones, [(), (0, 0, 0, 1), (23, 59, 59, 999999)]):
        default = Default(**options)
        for exact, kinds in (
            (datetime.datetime(2026, 1, 2, *parts, tzinfo=tzinfo), (Moment, Loud)),
            (datetime.time(*parts, tzinfo=tzinfo), (Hour,)),
        ):
            twin = json.loads(ocior.dumps(exact, default=default))
            for kind in kinds:
                moment = kind.fromisoformat(exact.isoformat())
                check([moment, {"a": moment}], [twin, {"a": twin}], default=default, keywords=[{}])
    check(Day(2026, 1, 2), "2026/01/02", default=Default(utc_z=True, naive_utc=True, microseconds=False))
    loud = Loud(3000, 1, 1)
    texts = [
        "",
        "T",
        "noon",
        "T12:00",
        "3000-01-01T00:00:00z",
        "3000-01-01T00:00:00+0",
        "3000-01-01T00:00:00+01:00 ",
        "3000-01-01 00:00:00",
    ]
    texts += [
        "3000-01-01T00:00:00+01:0",
        "3000-01-01T00:00:00+01:00:0",
        "3000-01-01T00:00:00+1:000",
        "T00:00:00+00:00:00.x",
        "\u4e2d",
        "x" * 200,
    ]
    texts += ["T00:00:00+01:00:00.", "T00:00:00.+01:00", "T00:00:00-00:00"]
    texts += ["3000-01-01T00-00-00+01:00", "3000-01-01T00:00:00Z", "T00:00:00.5Z"]
    texts += ["T??:??:??", "T24:00:00", "T12:60:00", "T12:00:61", "T12:00:00+24:00", "T12:00:00+12:60", "T12:00:00+12:00:60"]
    for loud.words in texts:
        check(loud, loud.words, default=Default(naive_utc=True, utc_z=True))
    loud.words = "2016-12-31T23:59:60.5+00:00"
    check(loud, "2016-12-31T23:59:60Z", default=Default(microseconds=False, utc_z=True))
    loud.words = "week 1T00:00:00.25+00:00:00.000001"
    check(loud, "week 1T00:00:00Z", default=Default(microseconds=False, utc_z=True))
    for loud.words in (b"x", None, 5):
        assert ocior.dumps([loud], default=Default(lambda value: 0)) == json.dumps([0 if loud.words == b"x" else loud.words])


def test_what_a_metaclass_has_is_not_the_instances_own():
    names = ("__json__", "_fields", "model_dump", "__pydantic_core_schema__", "__fspath__", "__getitem__", "__dataclass_fields__")
    names += ("__attrs_attrs__", "__struct_fields__", "isoformat", "value", "utcoffset")

    class Claims(type):
        def __getattr__(cls, name):
            return lambda *given: 1 // 0

    for meta in (Claims, *(type("Has", (type,), {name: lambda *given: 1 // 0}) for name in names if name != "__struct_fields__")):
        for bases in ((), (tuple,), (Unknown,)):
            value = meta("Value", bases, {})()
            default = Default(lambda value: "fallen", namedtuple_as_object=True, iterable_as_array=bool(bases), keys=True)
            check(value, [] if bases == (tuple,) else "fallen", default=default)
            for road in ROADS:
                if bases != (tuple,):
                    assert type(call(road, {value: 1}, default=default).error) is TypeError


def test_classes_in_the_place_of_those_of_datetime(monkeypatch):
    """As tests put them there: their objects have another layout."""

    class Other:
        __slots__ = ()

    class Derived(datetime.datetime):
        pass

    real = datetime.datetime(2026, 1, 2)
    for name in ("datetime", "date", "time", "timedelta"):
        with monkeypatch.context() as patch:
            patch.setattr(datetime, name, Other)
            for road in ROADS:
                assert type(call(road, [Other()] * 3, default=ocior.default).error) is TypeError
                assert json.loads(road([real, Derived(2026, 1, 2)], default=ocior.default)) == ["2026-01-02T00:00:00"] * 2


@pytest.mark.parametrize("most_digits", [9, 15, 17, 21, 40, 80])
def test_decimals_at_random(most_digits):
    rng = random.Random(most_digits)

    def number():
        number = rng.randrange(10 ** rng.randrange(1, most_digits + 1))
        number = number // 10**19 * 10**19 if rng.randrange(4) == 0 else number  # a word of zeros
        return Decimal((0, tuple(map(int, str(number))), -rng.randrange(most_digits + 8)))

    numbers = [number() for _ in range(3000)]
    texts = [str(number) for number in numbers]
    assert ocior.dumps(numbers, default=ocior.default) == "[" + ", ".join(texts) + "]"
    assert ocior.dumps([number.copy_negate() for number in numbers if number], default=Default(decimal="str")) == json.dumps(
        ["-" + text for number, text in zip(numbers, texts) if number]
    )


def text_of_moment(moment):
    """With its offset as RFC 3339 has it: the nearest whole minutes."""
    seconds = int(moment.utcoffset().total_seconds())
    minutes = min((abs(seconds) + 30) // 60, 24 * 60 - 1)
    sign = "-" if seconds < 0 and minutes else "+"
    return f"{moment.replace(tzinfo=None).isoformat()}{sign}{minutes // 60:02}:{minutes % 60:02}"


def zone_file(rule, changes, offsets):
    """A file of RFC 8536: `changes` are pairs of a time and the index of the offset that begins then."""
    counts = (0, 0, 0, len(changes), len(offsets), 4)
    parts = [b"TZif2", bytes(15), bytes(24), b"TZif2", bytes(15), struct.pack(">6l", *counts)]
    parts += [struct.pack(">q", time) for time, _ in changes] + [bytes([period]) for _, period in changes]
    parts += [struct.pack(">lBB", offset, 0, 0) for offset in offsets] + [b"ABC\0", b"\n", rule.encode(), b"\n"]
    return io.BytesIO(b"".join(parts))


def zones_of_zoneinfo(rng):
    hour = 3600
    seasons = [(5**12 * n, n % 2) for n in range(-8, 8)]  # some eight years apart
    often = [(hour * n, n % 3) for n in range(200)]
    for rule in ("ABC-1", "ABC+23:59:59", "ABC-1DEF,M3.5.0,M10.5.0"):
        for changes in ([], seasons[:1], seasons[:4], seasons):
            yield zoneinfo.ZoneInfo.from_file(zone_file(rule, changes, (hour, -12345, 86399))), changes
        yield zoneinfo.ZoneInfo.from_file(zone_file(rule, often, (hour, 0, hour // 2))), often
    names = sorted(zoneinfo.available_timezones())
    for name in rng.sample(names, min(len(names), 40)):
        yield zoneinfo.ZoneInfo(name), [(rng.randrange(-(10**10), 10**10), 0) for _ in range(30)]


def test_zones_of_zoneinfo():
    """Around each change and far from all, of both times that are the same."""
    rng = random.Random(5)
    utc = datetime.datetime(1970, 1, 1)
    least, most = datetime.datetime(1, 1, 2), datetime.datetime(9999, 12, 30)
    for zone, changes in zones_of_zoneinfo(rng):
        locals_ = [utc + datetime.timedelta(seconds=time + rng.randrange(-(10**5), 10**5)) for time, _ in changes for _ in range(20)]
        locals_ += [least + (most - least) * rng.random() for _ in range(50)] + [least, most]
        moments = [local.replace(microsecond=0, tzinfo=zone, fold=rng.randrange(2)) for local in locals_]
        texts = list(map(text_of_moment, moments))
        for road in (ocior.dumps, to_bytes):
            assert json.loads(road(moments, default=ocior.default)) == texts
            assert json.loads(road(dict(enumerate(moments)), default=ocior.default)) == {str(i): text for i, text in enumerate(texts)}


def test_runs_of_scalars():
    """Values of one type that follow each other, what ends such a run, and what is in it that has to be asked for."""
    rng = random.Random(6)
    day, clock, number = datetime.date(2026, 1, 2), datetime.time(3, 4, 5, 6), Decimal("-12.50")
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5)
    odd = datetime.datetime(2026, 1, 2, tzinfo=Shifted(datetime.timedelta(minutes=5)))
    values = [
        *(moment, moment.replace(microsecond=7), moment.replace(tzinfo=UTC), moment.replace(tzinfo=zone(hours=-3)), odd),
        *(day, clock, clock.replace(tzinfo=UTC), IDENTITY, datetime.timedelta(seconds=5)),
        *(number, Decimal(0), Decimal("0.000"), Decimal("1e30"), Decimal("NaN"), Decimal("1" * 70), Color.RED, 1, "a", None),
    ]
    texts = {id(value): ocior.dumps(value, default=ocior.default) for value in values}
    for count in (1, 2, 3, 10, 300):
        for most in (1, 2, 9):
            items = [value for _ in range(count) for value in [rng.choice(values)] * rng.randrange(1, most + 1)]
            expected = [texts[id(value)] for value in items]
            for wide in ("", "\u4e2d"):
                for separators in ((", ", ": "), (",", ":")):
                    text = separators[0].join([*expected, json.dumps(wide, ensure_ascii=False)])
                    for road in ROADS:
                        found = road([*items, wide], default=ocior.default, ensure_ascii=False, separators=separators)
                        assert found == f"[{text}]", road


@pytest.mark.parametrize("options", [{}, {"naive_utc": True}, {"utc_z": True}, {"microseconds": False}], ids=str)
def test_datetimes_that_follow_each_other(options):
    """Several are written at once: with another value at every place among them."""
    rng = random.Random(7)
    default = Default(**options)
    least = datetime.datetime.min
    moments = [least + datetime.timedelta(rng.randrange(3650000), microseconds=rng.choice((0, rng.randrange(10**9)))) for _ in range(19)]
    bytes_of_any_value = bytearray(moments[0].__reduce__()[1][0])
    bytes_of_any_value[5] = 200
    others = [datetime.datetime(bytes(bytes_of_any_value)), datetime.datetime.max, type("Moment", (datetime.datetime,), {})(2026, 1, 2)]
    others += [moments[1].replace(tzinfo=of) for of in (None, UTC, zone(hours=-3))] + [datetime.date(2026, 1, 2), "a", None]
    for of in (None, UTC, zone(hours=5)):
        same = [moment.replace(tzinfo=of) for moment in moments]
        for place in range(len(same) + 1):
            for other in [*others, same[0]]:
                items = [*same[:place], other, *same[place:]]
                text = ",".join(ocior.dumps(item, default=default) for item in items)
                for road in ROADS:
                    assert road(items, default=default, separators=(",", ":")) == f"[{text}]", road


def test_datetimes_and_times_as_isoformat():
    rng = random.Random(5)
    least, most = datetime.datetime.min, datetime.datetime.max
    days, microseconds = (most - least).days, 86400 * 10**6

    def later(microsecond):
        return least + datetime.timedelta(rng.randrange(days), microseconds=rng.randrange(microseconds) // microsecond * microsecond)

    moments = [least, most, *(later(step) for step in (1, 10**3, 10**6, 3600 * 10**6) for _ in range(1000))]
    for values in (moments, [moment.time() for moment in moments]):
        check(values, [value.isoformat() for value in values])


def test_times_with_bytes_of_any_value():
    """As a pickle may make them: the last digits are written that there is room for."""
    text = "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}"
    rng = random.Random(5)
    for place in range(10):
        for byte in (99, 100, 127, 128, 199, 255):
            state = bytearray(datetime.datetime(2026, 1, 2, 3, 4, 5, 678901).__reduce__()[1][0])
            state[place] = byte
            for _ in range(2):
                if not 1 <= state[2] & 0x7F <= 12:
                    continue  # is refused
                value = datetime.datetime(bytes(state))
                parts = (value.year % 25600 % 10000, *(part % 100 for part in value.timetuple()[1:6]), value.microsecond % 10**6)
                check([value], [text.format(*parts)])
                state[rng.randrange(3, 10)] = byte
    value = datetime.time(b"\x17\x7f\x64\xff\xff\xff")
    check([value], ["23:27:00.777215"])
    check([datetime.date(b"\xff\xff\x0c\xff")], ["4335-12-55"])


def test_wide_enums_behind_other_entries():
    """The text is written again from the key on, with wider units."""

    class Mark(enum.Enum):
        NARROW = "\xe9"
        WIDE = "\u20ac"
        WIDEST = "\U0001f600"
        LONG = "\u20ac" * 5000

    for mark in Mark:
        for values in ([0, mark], [{}, mark], [[], mark, mark], [Mark.NARROW, mark]):
            names = "abc"[: len(values)]
            twins = [value.value if isinstance(value, Mark) else value for value in values]
            check(dict(zip(names, values)), dict(zip(names, twins)), keywords=[{}, {"ensure_ascii": False}])
            check([Point(*values[:2])], [Point(*twins[:2]).__dict__], keywords=[{}, {"ensure_ascii": False}])


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
def test_a_struct_that_is_first_met_without_memory():
    """What could not be read of its class is read again."""
    pytest.importorskip("msgspec")
    check_python(
        """
        import _testcapi, msgspec, ocior
        def attempt(value, n):
            try:
                _testcapi.set_nomemory(n, n + 1)
                return ocior.dumps(value, default=ocior.default)
            except MemoryError:
                return None
            finally:
                _testcapi.remove_mem_hooks()
        for n in range(1, 90):
            fields = [("my_a", int, 1), ("b", list, msgspec.field(default_factory=list))]
            value = msgspec.defstruct("Fresh", fields, rename="camel", omit_defaults=True)(2)
            assert attempt(value, n) in (None, '{"myA": 2}'), n
            assert ocior.dumps(value, default=ocior.default) == '{"myA": 2}', n
        """
    )


def test_a_class_that_dies_while_it_is_asked():
    """What looks like a struct, whose class has no instance and no name any more in the middle of a look at it."""
    check_python(
        """
        import gc, types, ocior
        class Other: pass
        class Meta(type):
            @property
            def __struct_fields__(cls):
                if doomed:
                    doomed.pop().__class__ = Other
                    gc.collect()
                    fill.extend(bytearray(b"A" * 1700) for _ in range(3000))
                return ("a",)
            __struct_encode_fields__ = ("b",)
            __struct_defaults__ = ()
            __struct_config__ = types.SimpleNamespace(tag="x", tag_field="y", array_like=False, omit_defaults=False)
        doomed, fill = [], []
        for _ in range(3):
            values = [Meta("Struct", (), {"a": 1})()]
            assert ocior.dumps(values, default=ocior.default) == '[{"y": "x", "b": 1}]'
            doomed.append(values[0])
            try:
                ocior.dumps(values, default=ocior.default)
            except (AttributeError, TypeError):
                pass
        """
    )


def test_views_of_mappings():
    pairs = {"a": 1, "b": [2]}
    for mapping in (pairs, collections.OrderedDict(pairs), collections.UserDict(pairs), collections.ChainMap(pairs)):
        check(mapping.keys(), list(mapping), keywords=[{}])
        check(mapping.values(), list(mapping.values()), keywords=[{}])
        check(mapping.items(), [list(item) for item in mapping.items()], keywords=[{}])


def test_enums_by_name_as_keys():
    class Number(enum.IntEnum):
        ONE = 1
        TEN = 10

    class Word(str, enum.Enum):
        A = "z"

    by_name, all_keys = Default(enum="name"), Default(enum="name", keys=True)
    for default in (by_name, all_keys):
        check({Number.TEN: Number.ONE, Word.A: [Word.A]}, {"TEN": "ONE", "A": ["A"]}, default, [{}, {"indent": 1}])
        check({"a": 1, Word.A: 2}, {"a": 1, "A": 2}, default, [{}])
    for road in ROADS:
        # json compares the keys, an option the texts that they become.
        assert list(json.loads(road({10: 0, Number.ONE: 0, 9: 0}, default=by_name, sort_keys=True))) == ["ONE", "9", "10"]
        assert list(json.loads(road({10: 0, Number.ONE: 0, 9: 0}, default=all_keys, sort_keys=True))) == ["10", "9", "ONE"]
        with pytest.raises(TypeError, match="^keys must be str, int, float, bool or None, not "):
            road({Color.RED: 1}, default=by_name)
        assert json.loads(road({Color.RED: 1}, default=by_name, skipkeys=True)) == {}
        assert json.loads(road({Color.RED: 1}, default=all_keys)) == {"RED": 1}


def test_mappings_of_every_class_are_ordered_by_the_text_of_their_keys():
    keys = [10, 9, "a", datetime.date(2020, 1, 2), None, 1.5, IDENTITY, "10"]
    plain = dict.fromkeys(keys, 0)
    plain[9] = {IDENTITY: 1, "0": 2}
    texts = sorted(["10", "9", "a", "2020-01-02", "null", "1.5", str(IDENTITY), "10"])
    own_items = type("OwnItems", (dict,), {"items": lambda self: list(dict.items(self))})
    kinds = [dict, collections.OrderedDict, collections.Counter, lambda items: collections.defaultdict(int, items), own_items]
    kinds += [type("Derived", (dict,), {}), collections.UserDict, Table]
    for kind, road in itertools.product(kinds, ROADS):
        for default in (Default(keys=True), Default(keys=True, max_depth=5), Default(keys=True, surrogates="replace")):
            for options in PLAIN_KEYWORDS:
                keywords = {**options, "sort_keys": True}
                text = road(kind(plain), default=default, **keywords)
                pairs = json.loads(text, object_pairs_hook=list)
                assert [key for key, _ in pairs] == texts and dict(pairs)["9"] == [("0", 2), (str(IDENTITY), 1)]
                skipped = road(kind({**plain, (1, 2): 3}), default=default, skipkeys=True, **keywords)
                assert skipped == text
                with pytest.raises(TypeError, match="^keys must be str"):
                    road(kind({**plain, (1, 2): 3}), default=default, **keywords)


def test_keys_of_several_types_are_ordered_by_their_text():
    class Word(str, enum.Enum):
        A = "a"

    for road in ROADS:
        for keys in ([Text("x"), 2, "b"], [Word.A, 3, None], [Text("b"), "a", 1.5], [IDENTITY, Text("0")]):
            texts = list(json.loads(road(dict.fromkeys(keys), default=Default(keys=True), sort_keys=True)))
            assert texts == sorted(texts) and len(texts) == len(keys)
        with pytest.raises(TypeError, match="not supported between instances"):
            road({Text("x"): 1, 2: 1}, default=ocior.default, sort_keys=True)


def test_copies_and_pickles():
    policies = Default(len, keys=True, enum="name", microseconds=False, short_arrays=80, integer_bits=53, max_depth=7, non_finite="null")
    for value in (ocior.default, Default(html_safe=True), policies, Raw("[1, 2]"), Raw(b"1"), Raw("no JSON", check=False)):
        assert copy.copy(value) is value and copy.deepcopy([value])[0] is value
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(value, protocol))
            assert type(again) is type(value) and repr(again) == repr(value)
    assert ocior.dumps([IDENTITY], default=pickle.loads(pickle.dumps(ocior.default))) == f'["{IDENTITY}"]'


def test_uuids_whose_int_was_replaced():
    for number, text in ((5, '"00000000-0000-0000-0000-000000000005"'), (-1, None), (2**128, None), ("x", None), (None, None)):
        value = uuid.UUID(int=1)
        object.__setattr__(value, "int", number)
        found = call(ocior.dumps, value, default=ocior.default)
        assert found.value == text and (text or type(found.error) is TypeError)


def test_enums_whose_value_was_replaced():
    class Kind(enum.Enum):
        A = 1

    Kind.A._value_ = [Kind.A]
    for road in ROADS:
        assert str(call(road, Kind.A, default=ocior.default).error) == "Circular reference detected"
    Kind.A._value_ = {"k": "\u20ac" * 100000}
    check(Kind.A, {"k": "\u20ac" * 100000}, keywords=[{}, {"ensure_ascii": False}])


def test_more_members_than_are_remembered():
    """Each member has a value of its own, which nothing holds when all is written."""
    kinds = [enum.Enum(f"Kind{n}", {f"M{i}": f"a value {n} {i}" if i % 3 else (n + 1) * 10**6 + i for i in range(300)}) for n in range(3)]
    members = [member for kind in kinds for member in kind]
    values = [member.value for member in members]
    before = [sys.getrefcount(value) for value in values]
    for _ in range(2):
        check([members, members[::-1]], [values, values[::-1]])
        check(dict(zip(map(str, range(len(members))), members)), dict(zip(map(str, range(len(members))), values)))
    assert [sys.getrefcount(value) for value in values] == before


def test_enums_whose_value_is_replaced_meanwhile():
    """Each member is written by the value that it has when its turn comes, once a hook has put another one there, or another dict."""

    class Kind(enum.Enum):
        A = "first"

    def set_value(_):
        if turn := next(turns):
            Kind.A.__dict__["_value_"] = ["of its dict", 5, None, 0.5][turn % 4]
        else:
            Kind.A._value_ = "second"
        if turn == 3:
            Kind.A.__dict__ = {**Kind.A.__dict__, "_value_": "of another dict"}
        return turn

    value = [Kind.A, Unknown()] * 5
    expected = ["first", 0, "second", 1, 5, 2, None, 3, "of another dict", 4]
    for road in ROADS:
        for keywords in KEYWORDS[:2]:
            Kind.A._value_, turns = "first", itertools.count()
            assert json.loads(road(value, default=Default(set_value), **keywords)) == expected


def test_calls_within_calls():
    class Nested:
        def __json__(self):
            return Raw(ocior.dumps([Point(1), Color.RED], default=Default(private_fields=False)))

    check(
        [Nested(), Point(Nested())],
        [[{"x": 1, "y": 2}, 1], {"x": [{"x": 1, "y": 2}, 1], "y": 2, "_private": "\xe9"}],
        keywords=KEYWORDS[:2],
    )


def test_no_leaks():
    """Every type, and every error, again and again: no more objects are left each time."""
    values = [value for value, _ in TWINS] + [value for _, value, _, _ in ERRORS if not isinstance(value, types.GeneratorType)]
    keys = [key for key, _ in KEYS]
    defaults = [ocior.default, Default(lambda value: value, keys=True, iterable_as_array=True)]

    def run(times):
        for _, default in itertools.product(range(times), defaults):
            for value in itertools.chain(values, ({key: 1, "a": 2} for key in keys)):
                for place in (value, {"k": [value]}):
                    call(ocior.dumps, place, default=default, sort_keys=True)
                    call(in_pieces, place, default=default)
        gc.collect()
        return sys.getallocatedblocks()

    run(2)
    sizes = [run(15)]
    for _ in range(10):  # without a GIL what is freed is counted late
        sizes.append(run(15))
        if sizes[-1] - sizes[-2] < 90:  # an object left by one value would be 120
            return
    raise AssertionError(sizes)


def test_paths_that_show_themselves_in_another_way():
    class Shown(pathlib.PurePosixPath):
        def __str__(self):
            return "shown " + super().__str__()

    class Found(pathlib.PurePosixPath):
        def __fspath__(self):
            return b"found"

    class Other:
        def __fspath__(self):
            return "other"

    values = [pathlib.PurePosixPath("a/b"), pathlib.PureWindowsPath("a/b"), Shown("a"), Found("a"), Other()]
    check(values, ["a/b", "a\\b", "shown a", "found", "other"])


def test_zones_that_drop_the_only_reference_to_themselves():
    check_python(
        """
        import datetime
        import ocior

        class Zone(datetime.tzinfo):
            def utcoffset(self, moment):
                container.clear()
                return datetime.timedelta(hours=1)

        def moment():
            return datetime.datetime(2024, 1, 1, tzinfo=Zone())

        def dumps():
            return ocior.dumps(container, default=ocior.Default(keys=True))

        for _ in range(50):
            for make, text in ((moment, "2024-01-01T00:00:00+01:00"), (lambda: datetime.time(1, tzinfo=Zone()), "01:00:00+01:00")):
                container = [make()]
                assert dumps() == f'["{text}"]', dumps()
                container = {"a": make()}
                assert dumps() == f'{{"a": "{text}"}}', dumps()
            container = {moment(): 1}
            assert dumps() == '{"2024-01-01T00:00:00+01:00": 1}', dumps()
        """,
        env={"PYTHONMALLOC": "debug"},
    )


def test_zones_that_calls_before_have_met():
    """What is remembered of UTC and of zoneinfo's class holds for these alone: not for derived classes, and not where the module is new."""
    done = run_python(
        """
        import datetime, gc, sys, weakref, zoneinfo
        import ocior

        class Shifted(zoneinfo.ZoneInfo):
            def utcoffset(self, moment):
                return datetime.timedelta(hours=5)

        def text(*zones):
            return ocior.dumps([datetime.datetime(2026, 7, 1, tzinfo=zone) for zone in zones], default=ocior.default).replace("2026-07-01T00:00:00", "")

        paris, shifted = zoneinfo.ZoneInfo("Europe/Paris"), Shifted("Europe/Paris")
        for _ in range(2):
            print(text(paris, datetime.timezone.utc, shifted, paris))
        print(sorted(value.utcoffset().seconds for value in [datetime.datetime(2026, 7, 1, tzinfo=shifted)]))
        for name in ("datetime", "_datetime", "zoneinfo", "_zoneinfo", "zoneinfo._common"):
            sys.modules.pop(name, None)
        import datetime, zoneinfo
        new = zoneinfo.ZoneInfo("Europe/Paris")
        print(text(new, datetime.timezone.utc, paris, shifted))
        old = weakref.ref(type(paris))
        del paris, shifted, Shifted
        for _ in range(4):
            gc.collect()
        print(old() is None or sys.version_info < (3, 12))  # before, the class is never freed
        """
    )
    if "ZoneInfoNotFoundError" in done.stderr:
        pytest.skip("there are no zones on this machine")
    assert done.returncode == 0, done.stderr
    *rows, new, is_freed = done.stdout.splitlines()
    assert is_freed == "True"
    assert rows == ['["+02:00", "+00:00", "+05:00", "+02:00"]'] * 2 + ["[18000]"] and new == '["+02:00", "+00:00", "+02:00", "+05:00"]'


def test_an_error_behind_a_replaced_value():
    """What was written in the place of an earlier value is not written again."""

    class Broken(datetime.tzinfo):
        def utcoffset(self, moment):
            raise ZeroDivisionError

    value = [pathlib.PurePosixPath("a"), datetime.datetime(2020, 1, 1, tzinfo=Broken())]
    for function, before in ((ocior.dumps, []), (ocior.dumps_to_bytes, []), (ocior.dumps, ["\u4e2d"])):
        with pytest.raises(ZeroDivisionError):
            function(before + value, default=ocior.default, ensure_ascii=False)


def test_strings_of_derived_classes_in_a_row():
    """Written without leaving the row, but for long ones; escapes, every width, and rows that end anywhere."""

    class Text(str):
        pass

    texts = [
        "",
        "a",
        'a"b',
        "\n" * 40,
        "\x00",
        "\xe9" * 20,
        "\u4e2d",
        "\U0001f600" * 9,
        "x" * 1023,
        "x" * 1024,
        "x" * 1025,
        "\u4e2d" * 5000,
    ]
    rows = [[one] for one in texts] + [texts[: i + 1] * 3 for i in range(len(texts))] + [texts[::-1] * 40]
    for row in rows:
        value = [*map(Text, row), 1, {"k": [*map(Text, row)], "l": Text(row[0])}]
        for keywords in ({}, {"ensure_ascii": False}, {"indent": 1}, {"separators": (",", ":"), "ensure_ascii": False}):
            expected = json.dumps(value, **keywords)
            assert ocior.dumps(value, default=ocior.default, **keywords) == expected
            file = io.StringIO()
            ocior.dump(value, file, default=ocior.default, **keywords)
            assert file.getvalue() == expected
        expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        assert ocior.dumps_to_bytes(value, default=ocior.default).decode() == expected
    value = [Text("a\ud800b"), Text("\udfff"), 2] * 20
    assert ocior.dumps(value, default=ocior.Default(surrogates="replace"), ensure_ascii=False) == json.dumps(
        ["a\ufffdb", "\ufffd", 2] * 20, ensure_ascii=False
    )
    with pytest.raises(UnicodeEncodeError):
        ocior.dumps(value, default=ocior.Default(surrogates="error"))
