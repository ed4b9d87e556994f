"""What declares a schema: classes of every family, dicts of names to types, schemas of others; and what is refused."""

import collections
import datetime
import enum
import ipaddress
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypedDict, TypeVar, Union

import pytest

import ocior
from ocior import MISSING, Alias, Convert, Lax, Limits, Missing, Rest, Rules, Schema, Tag

T = TypeVar("T")
Id = NewType("Id", int)


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Bits(enum.IntFlag):
    A = 1
    B = 2


class Odd(enum.Enum):
    A = "a"
    B = 1


@dataclass
class Point:
    x: float
    y: Optional[float]


class Pair(NamedTuple):
    first: int
    second: str = "x"


class Base(TypedDict):
    a: int


class Some(Base, total=False):
    b: str
    c: Optional[int]


@dataclass
class Page(Generic[T]):
    items: list[T]
    next: Optional["Page[T]"] = None


@dataclass
class Whole(Generic[T]):
    item: T


@pytest.mark.parametrize(
    "type, name",
    [
        (int, "int64 not null"),
        (Id, "int64 not null"),
        (Bits, "int64 not null"),
        (Level, "int64 not null"),
        (float, "float64 not null"),
        (Union[int, float], "float64 not null"),
        (bool, "bool not null"),
        (str, "string not null"),
        (uuid.UUID, "string not null"),
        (pathlib.Path, "string not null"),
        (ipaddress.IPv4Address, "string not null"),
        (bytes, "binary not null"),
        (bytearray, "binary not null"),
        (datetime.datetime, "timestamp[us, UTC] not null"),
        (Annotated[datetime.datetime, Limits(tz=True)], "timestamp[us, UTC] not null"),
        (Annotated[datetime.datetime, Limits(tz=False)], "timestamp[us] not null"),
        (datetime.date, "date32 not null"),
        (datetime.time, "time64[us] not null"),
        (datetime.timedelta, "duration[us] not null"),
        (Decimal, "decimal128(38, 18) not null"),
        (Color, "dictionary<int32, string> not null"),
        (Literal["a", "b"], "dictionary<int32, string> not null"),
        (Literal["a", None], "dictionary<int32, string>"),
        (Literal[1, 2], "int64 not null"),
        (Literal[True], "bool not null"),
        (Union[Color, str], "string not null"),
        (None, "null"),
        (Any, "json"),
        (object, "json"),
        (ocior.Raw, "json"),
        (Union[Any, int], "json"),
        (Optional[int], "int64"),
        (Optional[Color], "dictionary<int32, string>"),
        (Optional[Decimal], "decimal128(38, 18)"),
        (Union[int, float, None], "float64"),
        (list, "list<json> not null"),
        (list[int], "list<int64 not null> not null"),
        (Optional[list[Optional[int]]], "list<int64>"),
        (set[str], "list<string not null> not null"),
        (frozenset[str], "list<string not null> not null"),
        (collections.deque[bool], "list<bool not null> not null"),
        (Sequence[int], "list<int64 not null> not null"),
        (tuple[int, ...], "list<int64 not null> not null"),
        (tuple[float, float], "fixed_size_list<float64 not null, 2> not null"),
        (dict, "map<string, json> not null"),
        (dict[str, Optional[int]], "map<string, int64> not null"),
        (Mapping[str, list[int]], "map<string, list<int64 not null> not null> not null"),
        (collections.Counter[str], "map<string, int64 not null> not null"),
        (Point, "struct<x: float64 not null, y: float64> not null"),
        (Optional[Point], "struct<x: float64 not null, y: float64>"),
        (list[Point], "list<struct<x: float64 not null, y: float64> not null> not null"),
        (Whole[bytes], "struct<item: binary not null> not null"),
        (Pair, "struct<first: int64 not null, second: string> not null"),
        (Some, "struct<a: int64 not null, b: string, c: int64> not null"),
        (Annotated[int, Limits(ge=0)], "int64 not null"),
        (Annotated[str, Limits(pattern="x", max_length=3)], "string not null"),
        ({"x": int, "y": "date32"}, "struct<x: int64 not null, y: date32>"),
    ],
)
def test_types(type, name):
    schema = Schema({"column": type})
    assert repr(schema) == f"Schema of 1 column\n    column: {name}" and schema == Schema({"column": name})


@dataclass
class Names:
    __ocior__ = Rules(rename="camel", unknown="forbid")
    first_name: str
    mail: Annotated[Optional[str], Alias("e-mail")] = None
    height: Union[float, Missing] = MISSING
    tags: list[str] = field(default_factory=list)
    kept: int = field(init=False, default=3)


@dataclass
class Tagged:
    __ocior__ = Rules(tag=("kind", "t"))
    x: int


def test_classes_with_fields():
    assert Schema(Names) == Schema(
        {"firstName": "string not null", "e-mail": "string", "height": "float64", "tags": "list<string not null>"}
    )
    assert Schema(Tagged) == Schema({"kind": "string", "x": "int64 not null"})
    assert Schema(Point) == Schema({"x": float, "y": Optional[float]})
    assert Schema(Some) == Schema({"a": int, "b": "string", "c": "int64"})
    assert Schema(Pair) == Schema({"first": int, "second": "string"})
    assert Schema(Whole[int]) == Schema({"item": int})


def test_a_named_tuple_with_a_constructor():
    class Checked(Pair):
        def __new__(cls, first, second="y"):
            return super().__new__(cls, first, second)

    assert Schema(Checked) == Schema(Pair) and Schema({"a": Checked}) == Schema({"a": Pair})


def test_classes_of_others():
    attrs, msgspec = pytest.importorskip("attrs"), pytest.importorskip("msgspec")

    @attrs.define
    class Attrs:
        a: int
        _b: Optional[str] = None

    class Struct(msgspec.Struct, rename="camel"):
        first_name: str
        more: list[Attrs] = []  # noqa: RUF012

    assert Schema(Attrs) == Schema({"a": int, "b": Optional[str]})
    assert Schema(Struct) == Schema({"firstName": str, "more": "list<struct<a: int64 not null, b: string> not null>"})


@dataclass
class Bad:
    fine: int
    union: Union[int, str]


@dataclass
class Deep:
    points: list[Bad]


@dataclass
class Kept:
    a: int
    others: Annotated[dict[str, Any], Rest()]


@dataclass
class TwoNames:
    a: Annotated[int, Alias("b", "c")]


@dataclass
class InArray:
    __ocior__ = Rules(array=True)
    a: int


@dataclass
class Circle:
    radius: float


@dataclass
class Twice:
    shape: Annotated[Union[Point, Circle], Tag("kind", {"p": Point, "c": Circle})]


@dataclass
class Calls:
    a: Annotated[int, Convert(abs, takes=int)]


@pytest.mark.parametrize(
    "declared, message",
    [
        (Bad, "Bad.union: a column has one type, and not int or str"),
        (Deep, "Deep.points[].union: a column has one type"),
        (Page[int], "next: a type that is part of itself"),
        (Kept, "Kept.others: a Rest is no column"),
        (TwoNames, "TwoNames.a: a column has one name, and this field is read by 2"),
        (Calls, "Calls.a: the functions of a Convert are not called"),
        (Twice, "Twice.shape: a column has one type"),
        ({"a": InArray}, "a: a class that is an array"),
        ({"a": Union[int, str]}, "a: a column has one type, and not int or str"),
        ({"a": Union[Decimal, float]}, "a: a column has one type"),
        ({"a": Union[Decimal, str]}, "a: a column has one type"),
        ({"a": Union[datetime.datetime, datetime.date]}, "a: a column has one type"),
        ({"a": Union[Point, list[int]]}, "a: a column has one type"),
        ({"a": Union[Point, Pair]}, "a: a column has one type"),
        ({"a": Odd}, "a: a column has one type, and not Odd"),
        ({"a": Literal["x", 1]}, "a: a column has one type, and not 'x' or 1"),
        ({"a": Annotated[int, Lax()]}, "a: a column has one type, and not int"),
        ({"a": tuple[int, str]}, "a: the items of a list have one type"),
        ({"a": tuple[()]}, "a: the items of a list have one type"),
        ({"a": dict[int, str]}, "a: the keys of a map are of type str"),
        ({"a": dict[Color, str]}, "a: the keys of a map are of type str"),
        ({"a": complex}, "a: "),
        ({"a": list[complex]}, "a: "),
        ({"a": 3}, "a: "),
        ({"a": {"b": [int]}}, "a.b: "),
        ({"a": {"b": {3: int}}}, "a.b: the name of a column must be a str, not an int"),
        ({3: int}, "the name of a column must be a str, not an int"),
        (int, "int: a schema is declared by a class with fields"),
        (list[Point], "list[Point]: a schema is declared by a class with fields"),
        (dict[str, int], "dict[str, int]: a schema is declared by a class with fields"),
        (Union[Point, Circle], "Point | Circle: a "),
        (3, "not by an int"),
        (None, "not by a NoneType"),
        ("int64", "not by a str"),
        (["a"], "not by a list"),
        (Point(1, 2), "not by a Point"),
    ],
    ids=lambda value: getattr(value, "__name__", None) or str(value)[:40],
)
def test_refused(declared, message):
    with pytest.raises(TypeError) as caught:
        Schema(declared)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "declared, place", [({"s": "struct<a: int8, a: int8>"}, "s.a"), ({"s": "list<struct<a: struct<b: int8, b: int8>>>"}, "s.a.b")]
)
def test_names_are_there_once(declared, place):
    with pytest.raises(ValueError, match=f"{place}: two fields have this name"):
        Schema(declared)


def test_columns_of_one_name():
    pa = pytest.importorskip("pyarrow")
    with pytest.raises((TypeError, ValueError), match="two columns"):
        Schema(pa.schema([("a", pa.int8()), ("a", pa.int8())]))


def test_schemas_of_pyarrow():
    pa = pytest.importorskip("pyarrow")
    theirs = pa.schema([pa.field("a", pa.int8(), nullable=False), ("b", pa.list_(pa.string())), ("c", pa.timestamp("us", "UTC"))])
    schema = Schema(theirs)
    assert schema == Schema({"a": "int8 not null", "b": "list<string>", "c": "timestamp[us, UTC]"})
    assert pa.schema(schema) == theirs
    assert Schema({"a": pa.int8(), "b": pa.field("", pa.int8(), nullable=False)}) == Schema({"a": "int8", "b": "int8 not null"})
    assert Schema(pa.struct([("x", pa.bool_())])) == Schema({"x": "bool"})
    with pytest.raises(TypeError, match="not by one type"):
        Schema(pa.int8())
    for other in (pa.run_end_encoded(pa.int32(), pa.int8()), pa.dense_union([pa.field("a", pa.int8())]), pa.month_day_nano_interval()):
        with pytest.raises(TypeError):
            Schema(pa.schema([("a", other)]))
        with pytest.raises(TypeError, match="col: "):
            Schema({"col": other})
