"""The slow reader (typed_reference), which judges the core: rows of the table of types, what is read and what is told instead."""

import collections
import datetime
import enum
import json
import pathlib
import uuid
from collections import OrderedDict, defaultdict, deque
from dataclasses import InitVar, dataclass, field, make_dataclass
from datetime import date, timedelta, timezone
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, NamedTuple, Optional, Set, Tuple, TypedDict, Union

import pytest
from ocior._typed.hints import compile
from ocior._typed.markers import MISSING, Alias, Convert, Limits, Missing, Rest, Rules, Tag
from ocior._typed.problems import Refusal
from typed_reference import Problems, decode

UTC = timezone.utc


class Color(enum.Enum):
    RED = "red"
    ONE = 1
    HALF = 0.5
    NOTHING = None


class Yes(enum.Enum):
    YES = True


class Asking(enum.Enum):
    A = "a"

    @classmethod
    def _missing_(cls, value):
        if value == "broken":
            raise ValueError("broken")
        return cls.A if value in ("A", 1) else None


class Right(enum.IntFlag):
    READ = 1
    WRITE = 2


@dataclass
class Item:
    name: str
    count: int = 1
    tags: List[str] = field(default_factory=list)


@dataclass
class Checked:
    x: int
    twice: int = field(init=False)

    def __post_init__(self):
        if self.x < 0:
            raise ValueError("negative")
        self.twice = 2 * self.x


@dataclass
class Seeded:
    x: int
    seed: InitVar[int] = 5
    y: int = 3

    def __post_init__(self, seed):
        self.x += seed


class Point(NamedTuple):
    x: int
    y: int = 7


class Movie(TypedDict, total=False):
    title: str


@dataclass
class Cat:
    kind: Literal["cat"]
    lives: int


@dataclass
class Dog:
    kind: Literal["dog"]
    name: str


@dataclass
class Circle:
    radius: float


@dataclass
class Square:
    side: float


@dataclass
class Anything:
    label: str = ""


@dataclass
class Patch:
    a: Union[int, None, Missing] = MISSING


@dataclass
class Named:
    x: Annotated[int, Alias("X", "x1")]


@dataclass
class Open:
    x: int
    rest: Annotated[Dict[str, int], Rest()]


Tagged = make_dataclass("Tagged", [("x", int)], namespace={"__ocior__": Rules(tag=("t", "tagged"))})


def same(left, right):
    """Equal, and of the same types all the way down."""
    if type(left) is not type(right):
        return False
    if isinstance(left, (list, tuple, deque)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(a, b) for a, b in zip(left, right)) and all(map(same, left.values(), right.values()))
    if isinstance(left, Decimal):
        return str(left) == str(right)
    if hasattr(left, "__dataclass_fields__"):
        return same(vars(left), vars(right))
    if isinstance(left, float):
        return repr(left) == repr(right)
    return left == right


READ = [
    (None, "null", None),
    (bool, "true", True),
    (int, "12345678901234567890123", 12345678901234567890123),
    (int, "-0", 0),
    (float, "1", 1.0),
    (float, "1e400", float("inf")),
    (float, "NaN", float("nan")),
    (float, "-0", -0.0),
    (Decimal, "1.500", Decimal("1.500")),
    (Decimal, "10", Decimal("10")),
    (Decimal, '"1e5"', Decimal("1e5")),
    (Decimal, '"NaN"', Decimal("NaN")),
    (Decimal, '"Infinity"', Decimal("Infinity")),
    (str, r'"a\u00e9\n"', "aé\n"),
    (bytes, '"QUI="', b"AB"),
    (bytes, '""', b""),
    (bytearray, '"QUI="', bytearray(b"AB")),
    (pathlib.PurePosixPath, '"/a/b"', pathlib.PurePosixPath("/a/b")),
    (IPv4Address, '"1.2.3.4"', IPv4Address("1.2.3.4")),
    (Union[IPv4Address, IPv6Address], '"::1"', IPv6Address("::1")),
    (uuid.UUID, '"00000000-0000-0000-0000-00000000000a"', uuid.UUID(int=10)),
    (uuid.UUID, '"0000000000000000000000000000000A"', uuid.UUID(int=10)),
    (datetime.datetime, '"2026-01-02T03:04:05Z"', datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
    (datetime.datetime, '"2026-01-02t03:04:05.1234567z"', datetime.datetime(2026, 1, 2, 3, 4, 5, 123456, tzinfo=UTC)),
    (datetime.datetime, '"2026-01-02 03:04:05+0130"', datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(minutes=90)))),
    (datetime.datetime, '"2026-01-02T03:04:05-00:00"', datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
    (datetime.datetime, '"2026-01-02T03:04:05"', datetime.datetime(2026, 1, 2, 3, 4, 5)),
    (datetime.date, '"2024-02-29"', date(2024, 2, 29)),
    (datetime.time, '"03:04:05.5-01:00"', datetime.time(3, 4, 5, 500000, timezone(timedelta(hours=-1)))),
    (timedelta, '"P1DT2H3M4.5S"', timedelta(days=1, hours=2, minutes=3, seconds=4.5)),
    (timedelta, '"-PT1M"', timedelta(minutes=-1)),
    (timedelta, '"P2W"', timedelta(weeks=2)),
    (timedelta, '"PT0.5H"', timedelta(minutes=30)),
    (Color, '"red"', Color.RED),
    (Color, "1", Color.ONE),
    (Color, "0.5", Color.HALF),
    (Color, "null", Color.NOTHING),
    (Yes, "true", Yes.YES),
    (Asking, '"A"', Asking.A),
    (Asking, "1", Asking.A),
    (Right, "3", Right.READ | Right.WRITE),
    (Literal[1, "a", None], "null", None),
    (List[int], "[1, 2]", [1, 2]),
    (Set[int], "[1, 1, 2]", {1, 2}),
    (FrozenSet[str], '["a"]', frozenset({"a"})),
    (deque[int], "[1]", deque([1])),
    (Tuple[int, ...], "[1, 2]", (1, 2)),
    (Tuple[int, str], '[1, "a"]', (1, "a")),
    (Point, "[1]", Point(1, 7)),
    (Point, "[1, 2]", Point(1, 2)),
    (Dict[str, int], '{"a": 1, "a": 2}', {"a": 2}),
    (Dict[int, str], '{"1": "a", "-2": "b"}', {1: "a", -2: "b"}),
    (Dict[bool, int], '{"TRUE": 1, "0": 2}', {True: 1, False: 2}),
    (Dict[uuid.UUID, int], '{"0000000000000000000000000000000a": 1}', {uuid.UUID(int=10): 1}),
    (Dict[Color, int], '{"red": 1, "1": 2}', {Color.RED: 1, Color.ONE: 2}),
    (OrderedDict[str, int], '{"a": 1}', OrderedDict(a=1)),
    (defaultdict[str, List[int]], '{"a": [1]}', defaultdict(list, {"a": [1]})),
    (collections.Counter[str], '{"a": 1}', collections.Counter({"a": 1})),
    (Any, '[1.5, {"a": null}]', [1.5, {"a": None}]),
    (Item, '{"name": "n", "unknown": [1, {}]}', Item("n")),
    (Item, '{"count": 3, "name": "n", "tags": ["t"]}', Item("n", 3, ["t"])),
    (Checked, '{"x": 4}', None),
    (Seeded, '{"x": 4}', Seeded(4)),
    (Seeded, '{"x": 4, "seed": 1, "y": 2}', Seeded(4, 1, 2)),
    (Movie, "{}", {}),
    (Movie, '{"title": "t", "x": 1}', {"title": "t"}),
    (Patch, "{}", Patch()),
    (Patch, '{"a": null}', Patch(None)),
    (Named, '{"X": 1}', Named(1)),
    (Named, '{"x1": 1}', Named(1)),
    (Open, '{"a": 1, "x": 2, "b": 3}', Open(2, {"a": 1, "b": 3})),
    (Tagged, '{"x": 2}', Tagged(2)),
    (Tagged, '{"t": "tagged", "x": 2}', Tagged(2)),
    (Annotated[Item, Rules(array=True)], '["n", 2]', Item("n", 2)),
    (Union[Cat, Dog], '{"name": "n", "kind": "dog"}', Dog("dog", "n")),
    (Union[Cat, Dog, Dict[str, int]], '{"x": 1}', {"x": 1}),
    (Union[Circle, Square, Anything], '{"side": 1}', Square(1.0)),
    (Union[Circle, Square, Anything], '{"else": 1}', Anything()),
    (Annotated[Union[Circle, Square], Tag("t", {"c": Circle, "s": Square})], '{"side": 1, "t": "s"}', Square(1.0)),
    (Union[int, float], "1", 1),
    (Union[int, float], "1.0", 1.0),
    (Union[float, Decimal], '"1.50"', Decimal("1.50")),
    (Union[int, Decimal], "1.50", Decimal("1.50")),
    (Union[uuid.UUID, date, str], '"2026-01-02"', date(2026, 1, 2)),
    (Union[uuid.UUID, date, str], '"2026-01-32"', "2026-01-32"),
    (Union[Literal["auto"], int], '"auto"', "auto"),
    (Annotated[int, Convert(lambda value: value + 1, takes=int)], "1", 2),
    (Annotated[complex, Convert(lambda value: complex(*value))], "[1, 2]", 1 + 2j),
    (Union[Annotated[int, Limits(gt=9)], Annotated[int, Limits(lt=0)]], "-1", -1),
]


@pytest.mark.parametrize(("type", "text", "value"), READ, ids=lambda value: value if isinstance(value, str) else None)
def test_what_is_read(type, text, value):
    if type is Checked:
        made = decode(compile(type), text)
        assert (made.x, made.twice) == (4, 8)
        return
    assert same(decode(compile(type), text), value)


LAX = [
    (int, '"12"', 12),
    (int, "1.0", 1),
    (int, "1e3", 1000),
    (bool, "1", True),
    (bool, '"False"', False),
    (None, '"NULL"', None),
    (float, '"1.5"', 1.5),
    (float, '"-inf"', float("-inf")),
    (float, '"NaN"', float("nan")),
    (datetime.datetime, "0.5", datetime.datetime(1970, 1, 1, 0, 0, 0, 500000, tzinfo=UTC)),
    (datetime.datetime, "-1", datetime.datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
    (timedelta, "1.25", timedelta(seconds=1.25)),
    (Literal[1], '"1"', 1),
    (Union[int, str], '"1"', "1"),
    (Union[int, None], '"null"', None),
]


@pytest.mark.parametrize(("type", "text", "value"), LAX, ids=lambda value: value if isinstance(value, str) else None)
def test_what_is_read_lax(type, text, value):
    assert same(decode(compile(type, strict=False), text), value)
    if type != Union[int, str]:
        assert isinstance(decode(compile(type), text), Problems)


REFUSED = [
    (int, "1.0", [("type", ())]),
    (int, '"1"', [("type", ())]),
    (bool, "1", [("type", ())]),
    (str, "null", [("type", ())]),
    (float, '"1"', [("type", ())]),
    (Literal[1], "true", [("type", ())]),
    (Literal[1], "1.0", [("type", ())]),
    (Literal[1], "2", [("choice", ())]),
    (Literal["a"], '"b"', [("choice", ())]),
    (Yes, "1", [("type", ())]),
    (Yes, "false", [("choice", ())]),
    (Asking, '"b"', [("choice", ())]),
    (Asking, '"broken"', [("choice", ())]),
    (Decimal, "NaN", [("type", ())]),
    (Decimal, '"1_0"', [("value", ())]),
    (Decimal, '" 1"', [("value", ())]),
    (bytes, '"QUI"', [("value", ())]),
    (bytes, '"QU I="', [("value", ())]),
    (uuid.UUID, '"{00000000-0000-0000-0000-00000000000a}"', [("value", ())]),
    (uuid.UUID, '"0000000000000000000000000000000"', [("value", ())]),
    (datetime.datetime, '"2026-01-02"', [("value", ())]),
    (datetime.datetime, '"2026-01-02T24:00:00Z"', [("value", ())]),
    (datetime.datetime, '"2026-01-02T23:59:60Z"', [("value", ())]),
    (datetime.datetime, '"2026-01-02T03:04Z"', [("value", ())]),
    (datetime.datetime, '"2026-02-30T03:04:05Z"', [("value", ())]),
    (datetime.datetime, '"2026-01-02T03:04:05Z\\u0000"', [("value", ())]),
    (datetime.datetime, '"2026-01-02T03:04:05."', [("value", ())]),
    (datetime.datetime, '"1704067200"', [("value", ())]),
    (datetime.date, '"2026-1-02"', [("value", ())]),
    (datetime.date, '"0000-01-01"', [("value", ())]),
    (timedelta, '"P"', [("value", ())]),
    (timedelta, '"PT"', [("value", ())]),
    (timedelta, '"P1Y"', [("value", ())]),
    (timedelta, '"1D"', [("value", ())]),
    (timedelta, '"P1DT"', [("value", ())]),
    (timedelta, '"PT1.5H30M"', [("value", ())]),
    (timedelta, '"P9999999999D"', [("value", ())]),
    (IPv4Address, '"1.2.3"', [("value", ())]),
    (List[int], '[1, "a", null, 2]', [("type", (1,)), ("type", (2,))]),
    (Tuple[int, str], "[1]", [("length", ())]),
    (Tuple[int, str], '[1, "a", 2]', [("length", ())]),
    (Point, "[]", [("length", ())]),
    (Dict[int, str], '{"a": "b", "1": 2}', [("key", ("a",)), ("type", ("1",))]),
    (Item, "[]", [("type", ())]),
    (Item, '{"name": 1, "tags": [1]}', [("type", ("name",)), ("type", ("tags", 0))]),
    (Item, "{}", [("missing", ())]),
    (Annotated[Item, Rules(unknown="forbid")], '{"name": "n", "x": 1}', [("unknown", ("x",))]),
    (Checked, '{"x": -1}', [("hook", ())]),
    (Checked, '{"x": 1, "twice": "x"}', None),
    (List[Checked], '[{"x": "a"}, {"x": -1}]', [("type", (0, "x"))]),
    (Named, '{"x": 1}', [("missing", ())]),
    (Open, '{"x": 1, "a": "b"}', [("type", ("a",))]),
    (Tagged, '{"t": "other", "x": 1}', [("tag", ("t",))]),
    (Union[Cat, Dog], '{"kind": "bird"}', [("tag", ("kind",))]),
    (Union[Cat, Dog], "{}", [("tag", ())]),
    (Union[Cat, Dog], '{"kind": "cat", "name": "n"}', [("missing", ())]),
    (Union[Circle, Square], "{}", [("tag", ())]),
    (Union[Circle, Square], '{"radius": 1, "side": "x"}', None),
    (Union[int, float], '"1"', [("type", ())]),
    (Union[int, str, None], "1.5", [("type", ())]),
    (Annotated[int, Limits(gt=5)], "5", [("gt", ())]),
    (Annotated[int, Limits(ge=5)], "4", [("ge", ())]),
    (Annotated[float, Limits(lt=5)], "5.0", [("lt", ())]),
    (Annotated[Decimal, Limits(le=5)], '"5.1"', [("le", ())]),
    (Annotated[float, Limits(gt=5)], "NaN", [("gt", ())]),
    (Annotated[Decimal, Limits(gt=5)], '"NaN"', [("gt", ())]),
    (Annotated[float, Limits(multiple_of=0.1)], "0.35", [("multiple_of", ())]),
    (Annotated[str, Limits(min_length=2)], '"é"', [("min_length", ())]),
    (Annotated[str, Limits(max_length=1)], '"ab"', [("max_length", ())]),
    (Annotated[str, Limits(pattern="^b")], '"ab"', [("pattern", ())]),
    (Annotated[bytes, Limits(max_length=1)], '"QUI="', [("max_length", ())]),
    (Annotated[List[int], Limits(min_length=1)], "[]", [("min_length", ())]),
    (Annotated[Set[int], Limits(min_length=2)], "[1, 1]", [("min_length", ())]),
    (Annotated[Dict[str, int], Limits(max_length=1)], '{"a": 1, "b": 2}', [("max_length", ())]),
    (Annotated[datetime.datetime, Limits(tz=True)], '"2026-01-02T03:04:05"', [("tz", ())]),
    (Annotated[datetime.time, Limits(tz=False)], '"03:04:05Z"', [("tz", ())]),
    (Annotated[date, Limits(gt=date(2026, 1, 1))], '"2026-01-01"', [("gt", ())]),
    (Annotated[timedelta, Limits(ge=timedelta(0))], '"-PT1S"', [("ge", ())]),
    (Union[Annotated[int, Limits(gt=9)], Annotated[int, Limits(lt=0)]], "5", [("gt", ())]),
    (Annotated[Union[date, datetime.time], Limits(gt=date(2026, 1, 1))], '"2026-01-01"', [("gt", ())]),
    (Annotated[Union[date, datetime.time], Limits(gt=date(2026, 1, 1))], '"03:04:05"', None),
    (Union[Annotated[float, Limits(multiple_of=0.5)], Annotated[int, Limits(gt=9)]], "5", [("gt", ())]),
    (Union[Annotated[float, Limits(multiple_of=0.5)], Annotated[int, Limits(gt=9)]], "0.7", [("multiple_of", ())]),
    (Union[Annotated[float, Limits(multiple_of=0.5)], Annotated[int, Limits(gt=9)]], "1.5", None),
    (Union[Annotated[float, Limits(le=5)], Annotated[int, Limits(gt=9)]], "NaN", [("le", ())]),
    (Union[Annotated[Decimal, Limits(multiple_of=2)], Annotated[int, Limits(gt=9)]], "3.0", [("multiple_of", ())]),
    (Union[Annotated[datetime.datetime, Limits(tz=True)], Annotated[datetime.time, Limits(tz=False)]], '"03:04:05Z"', [("tz", ())]),
    (Union[Annotated[datetime.datetime, Limits(tz=True)], Annotated[datetime.time, Limits(tz=False)]], '"03:04:05"', None),
    (Union[Annotated[str, Limits(min_length=3)], Annotated[str, Limits(pattern="^a")]], '"b"', [("min_length", ())]),
    (Union[Annotated[str, Limits(min_length=3)], Annotated[str, Limits(pattern="^a")]], '"a"', None),
    (Union[Literal["x"], Annotated[str, Limits(min_length=3)], Annotated[str, Limits(pattern="^a")]], '"x"', None),
    (Annotated[int, Convert(lambda value: [][value], takes=int)], "1", IndexError),
    (Annotated[int, Convert(lambda value: int("x"), takes=int)], "1", [("hook", ())]),
]


@pytest.mark.parametrize(("type", "text", "problems"), REFUSED, ids=lambda value: value if isinstance(value, str) else None)
def test_what_is_told(type, text, problems):
    if problems is IndexError:
        with pytest.raises(IndexError):
            decode(compile(type), text)
        return
    found = decode(compile(type), text)
    if problems is None:
        assert not isinstance(found, Problems)
        return
    assert isinstance(found, Problems)
    assert [(code, path) for code, path, _, _ in found] == problems


def test_where_problems_stand():
    text = '{"name" : [1 , {}],\n "tags":["a", 22]}'
    found = decode(compile(Item), text)
    assert [(code, path, text[start:end]) for code, path, start, end in found] == [
        ("type", ("name",), "[1 , {}]"),
        ("type", ("tags", 1), "22"),
    ]


def test_what_is_wrong_with_a_key_stands_at_the_key():
    text = '{"x": 1, "name": "n"}'
    assert decode(compile(Annotated[Item, Rules(unknown="forbid")]), text) == [("unknown", ("x",), 6, 7)]
    assert decode(compile(Dict[int, int]), '{"1": 2, "x": 3}') == [("key", ("x",), 9, 12)]


@pytest.mark.parametrize("text", ["", "[", '{"a" 1}', "[1,]", "nul", '"\\x"', "01", "[1] 2"])
def test_what_is_no_json(text):
    with pytest.raises(json.JSONDecodeError):
        decode(compile(Any), text)


def test_any_is_what_json_reads():
    for text in ("1", "-1.5e3", '"a\\ud83d\\ude00"', "[]", " [ 1 , [ ] , { } ] ", '{"a": {"b": [true, false, null]}}', "Infinity"):
        assert decode(compile(Any), text) == json.loads(text)
        assert decode(compile(List[Any]), f"[{text}]") == [json.loads(text)]


def test_a_refusal_has_its_own_code():
    def refuse(value):
        raise Refusal("pattern", "x")

    assert decode(compile(Annotated[str, Convert(refuse, takes=str)]), '"a"') == [("pattern", (), 0, 3)]


def test_optional_of_everything():
    for type in (int, str, List[int], Item, Union[Cat, Dog], Color, uuid.UUID):
        assert decode(compile(Optional[type]), "null") is (Color.NOTHING if type is Color else None)
