"""Types as nodes: what is read at a place for each type, as one line of text (typed_nodes.shown)."""

import collections
import collections.abc
import datetime
import decimal
import enum
import ipaddress
import pathlib
import typing
import uuid
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from datetime import timedelta, timezone
from decimal import Decimal
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, NamedTuple, NewType, Optional, Tuple, TypeVar, Union

import pytest
from ocior._typed.hints import compile
from ocior._typed.markers import Convert, Lax, Limits
from typed_nodes import of, shown

T = TypeVar("T")
Bound = TypeVar("Bound", bound=int)
Late = TypeVar("Late", bound="Color")
Chosen = TypeVar("Chosen", int, str)
UserId = NewType("UserId", int)
Pair = namedtuple("Pair", ["a", "b"], defaults=[7])
NOON = datetime.datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


class Point(NamedTuple):
    x: int
    y: "float" = 0.0


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    INTEGER = 1
    TEXT = "x"
    REAL = 2.5
    NULL = None


class Yes(enum.Enum):
    YES = True
    NO = False


class Asking(enum.Enum):
    A = "a"

    @classmethod
    def _missing_(cls, value):
        return cls.A


class Right(enum.IntFlag):
    READ = 1
    WRITE = 2


class Numbers(List[int]):
    pass


class Table(Dict[str, T]):
    pass


class Tree(Dict[str, "Tree"]):
    pass


@dataclass
class Item:
    name: str


SCALARS = [
    (None, "null"),
    (type(None), "null"),
    (bool, "boolean"),
    (int, "integer=int"),
    (float, "integer=float real=float"),
    (str, "string=str"),
    (bytes, "string=bytes"),
    (bytearray, "string=bytearray"),
    (Decimal, "integer=decimal real=decimal string=decimal"),
    (datetime.datetime, "string=datetime"),
    (datetime.date, "string=date"),
    (datetime.time, "string=time"),
    (timedelta, "string=timedelta"),
    (uuid.UUID, "string=uuid"),
    (pathlib.Path, "string=call"),
    (pathlib.PurePosixPath, "string=call"),
    (ipaddress.IPv4Address, "string=call"),
    (ipaddress.IPv6Network, "string=call"),
    (Any, "any"),
    (object, "any"),
    (T, "any"),
    (Bound, "integer=int"),
    (Late, "str:'red','blue'"),
    (Chosen, "integer=int string=str"),
    (UserId, "integer=int"),
    (typing.Final[int], "integer=int"),
]


@pytest.mark.parametrize(("type", "expected"), SCALARS, ids=repr)
def test_a_scalar(type, expected):
    assert of(type) == expected


LAX = [
    (None, "null string=null"),
    (bool, "boolean integer=bool string=bool"),
    (int, "integer=int real=int string=int"),
    (float, "integer=float real=float string=float"),
    (str, "string=str"),
    (Decimal, "integer=decimal real=decimal string=decimal"),
    (datetime.datetime, "integer=datetime real=datetime string=datetime"),
    (datetime.date, "string=date"),
    (timedelta, "integer=timedelta real=timedelta string=timedelta"),
    (Level, "str:'1','2' int:1,2"),
    (Literal[1, "a"], "str:'a','1' int:1"),
    (Right, "integer=int real=int string=int hooks=0011100"),
    (list[int], "list<integer=int real=int string=int>"),
    # str takes every string, so that nothing in strings is read as something else beside it.
    (Union[int, str], "integer=int real=int string=str"),
    (Union[bool, int, None], "null boolean integer=int real=int string=int,bool,null"),
    (Union[float, int], "integer=int real=float string=int,float"),
    (Union[datetime.datetime, int], "integer=int real=int string=datetime,int"),
    (Optional[bytes], "null string=bytes"),
    (Optional[pathlib.Path], "null string=call"),
]


@pytest.mark.parametrize(("type", "expected"), LAX, ids=repr)
def test_what_is_read_lax(type, expected):
    assert of(type, strict=False) == expected


@pytest.mark.parametrize(("type", "expected"), LAX, ids=repr)
def test_what_the_marker_makes_lax(type, expected):
    assert of(Annotated[type, Lax()]) == expected


def test_lax_holds_for_what_stands_inside_and_not_for_neighbours():
    assert of(Tuple[Annotated[List[int], Lax()], int]) == "fixed<list<integer=int real=int string=int>, integer=int>"


CHOICES = [
    (Color, "str:'red','blue'"),
    (Level, "int:1,2"),
    (Mixed, "str:'x' int:1 float:2.5 word:'null'"),
    (Yes, "word:'true','false'"),
    (Asking, "str:'a' asks"),
    (Right, "integer=int hooks=0010000"),
    (Literal["a", "b"], "str:'a','b'"),
    (Literal[1, True, None, "x"], "null str:'x' int:1 word:'true'"),
    (Literal[2**70], f"int:{2**70}"),
    (Literal[Color.RED], "str:'red'"),
    (Literal[Literal["a"], Literal["b", 1]], "str:'a','b' int:1"),
]


@pytest.mark.parametrize(("type", "expected"), CHOICES, ids=repr)
def test_values_that_stand_for_others(type, expected):
    assert of(type) == expected


def test_choices_give_what_they_stand_for():
    assert compile(Color).str_choices == {"red": Color.RED, "blue": Color.BLUE}
    assert compile(Literal[Color.RED, "x"]).str_choices == {"red": Color.RED, "x": "x"}
    assert [type(key) for key in compile(Level).int_choices] == [int, int]
    assert compile(Yes).word_choices == {"true": Yes.YES, "false": Yes.NO}


def test_the_missing_of_an_enum_is_asked_without_its_search_by_equality():
    class Number(enum.Enum):
        ONE = 1

        @classmethod
        def _missing_(cls, value):
            asked.append(value)
            return None

    asked = []
    (ask,) = compile(Number).missing
    with pytest.raises(ValueError, match="no member"):
        ask(True)
    assert asked == [True]


CONTAINERS = [
    (list, "list<any>"),
    (List, "list<any>"),
    (list[int], "list<integer=int>"),
    (List[str], "list<string=str>"),
    (set[int], "set<integer=int>"),
    (FrozenSet[str], "frozenset<string=str>"),
    (deque[int], "deque<integer=int>"),
    (typing.Deque[int], "deque<integer=int>"),
    (collections.abc.Sequence[int], "list<integer=int>"),
    (collections.abc.MutableSequence[int], "list<integer=int>"),
    (collections.abc.Collection[int], "list<integer=int>"),
    (collections.abc.Iterable[int], "list<integer=int>"),
    (collections.abc.Set[int], "set<integer=int>"),
    (typing.AbstractSet[int], "set<integer=int>"),
    (collections.abc.MutableSet[int], "set<integer=int>"),
    (tuple, "tuple<any>"),
    (tuple[int, ...], "tuple<integer=int>"),
    (tuple[int, str], "fixed<integer=int, string=str>"),
    (tuple[()], "fixed<>"),
    (Tuple[()], "fixed<>"),
    (Tuple, "tuple<any>"),
    (Point, "namedtuple<integer=int, integer=float real=float; 0.0>"),
    (Pair, "namedtuple<any, any; 7>"),
    (dict, "dict<any>"),
    (dict[str, int], "dict<integer=int>"),
    (Dict[Any, int], "dict<integer=int>"),
    (collections.abc.Mapping[str, int], "dict<integer=int>"),
    (collections.abc.MutableMapping[str, int], "dict<integer=int>"),
    (OrderedDict[str, int], "OrderedDict<integer=int>"),
    (defaultdict[str, int], "defaultdict<integer=int>"),
    (collections.Counter[str], "Counter<integer=int>"),
    (dict[int, str], "dict<integer=int real=int string=int: string=str>"),
    (dict[bool, str], "dict<boolean integer=bool string=bool: string=str>"),
    (dict[uuid.UUID, str], "dict<string=uuid: string=str>"),
    (dict[Level, str], "dict<str:'1','2' int:1,2: string=str>"),
    (dict[Literal["a", "b"], int], "dict<str:'a','b': integer=int>"),
    (dict[Annotated[str, Limits(min_length=1)], int], "dict<string=str strings(1,,): integer=int>"),
    (Numbers, "list<integer=int> hooks=0000010"),
    (Table[int], "Table<integer=int>"),
    (Table, "Table<any>"),
]


@pytest.mark.parametrize(("type", "expected"), CONTAINERS, ids=repr)
def test_a_container(type, expected):
    assert of(type) == expected


@pytest.mark.parametrize(
    ("type", "made"),
    [
        (defaultdict[str, int], 0),
        (defaultdict[str, List[int]], []),
        (defaultdict[str, collections.abc.Mapping[str, int]], {}),
        (defaultdict[str, Annotated[set[int], Limits(min_length=0)]], set()),
        (defaultdict[str, defaultdict[str, int]], defaultdict(int)),
    ],
    ids=repr,
)
def test_a_defaultdict_makes_what_its_values_are(type, made):
    assert compile(type).object.factory() == made


@pytest.mark.parametrize(
    "type", [defaultdict[str, Any], defaultdict[str, Optional[int]], defaultdict, defaultdict[str, uuid.UUID]], ids=repr
)
def test_a_defaultdict_of_values_that_nothing_makes(type):
    assert compile(type).object.factory is None


def test_classes_derived_of_containers_are_called():
    node = compile(Numbers)
    made = node.hooks[5]([1, 2])
    assert type(made) is Numbers and made == [1, 2]
    assert compile(Table[int]).object.type is Table


UNIONS = [
    (Optional[int], "null integer=int"),
    (Union[int, float], "integer=int real=float"),
    (Union[float, int], "integer=int real=float"),
    (Union[float, Decimal], "integer=float real=float string=decimal"),
    (Union[int, Decimal], "integer=int real=decimal string=decimal"),
    (Union[Decimal, str], "integer=decimal real=decimal string=str"),
    (Union[str, uuid.UUID, datetime.date], "string=uuid,date,str"),
    (Union[timedelta, datetime.time, datetime.datetime], "string=datetime,time,timedelta"),
    (Union[bool, int, str, None], "null boolean integer=int string=str"),
    (Union[Literal["auto"], int], "integer=int str:'auto'"),
    (Union[Literal["auto"], str], "string=str str:'auto'"),
    (Union[Color, Level, str], "string=str str:'red','blue' int:1,2"),
    (Union[Color, bytes], "string=bytes str:'red','blue'"),
    (Union[List[int], int, None], "null integer=int list<integer=int>"),
    (Union[Dict[str, int], List[str]], "list<string=str> dict<integer=int>"),
    (Union[ipaddress.IPv4Address, ipaddress.IPv6Address], "string=call"),
    (Union[int, Any], "any"),
    (Optional[Any], "any"),
    (Union[Annotated[int, Limits(gt=0)], str], "integer=int string=str numbers(0,,,,)"),
    (Optional[Annotated[str, Limits(max_length=3)]], "null string=str strings(,3,)"),
    (Union[Annotated[int, Limits(gt=0)], Annotated[float, Limits(gt=0)]], "integer=int real=float numbers(0,,,,)"),
]


@pytest.mark.parametrize(("type", "expected"), UNIONS, ids=repr)
def test_a_union_is_one_node(type, expected):
    assert of(type) == expected


def test_addresses_of_either_version_are_told_apart_by_ipaddress():
    assert compile(Union[ipaddress.IPv4Address, ipaddress.IPv6Address]).string_class is ipaddress.ip_address
    assert compile(Union[ipaddress.IPv6Network, ipaddress.IPv4Network]).string_class is ipaddress.ip_network
    assert compile(ipaddress.IPv4Address).string_class is ipaddress.IPv4Address


LIMITS = [
    (Annotated[int, Limits(gt=0, le=9)], "integer=int numbers(0,,,9,)"),
    (Annotated[int, Limits(gt=0), Limits(gt=5, le=9)], "integer=int numbers(5,,,9,)"),
    (Annotated[float, Limits(multiple_of=0.1)], "integer=float real=float numbers(,,,,0.1)"),
    (Annotated[int, Limits(multiple_of=4), Limits(multiple_of=6)], "integer=int numbers(,,,,12)"),
    (Annotated[Decimal, Limits(ge=Decimal("0.5"))], "integer=decimal real=decimal string=decimal numbers(,0.5,,,)"),
    (Annotated[str, Limits(min_length=1, max_length=9, pattern="^a")], "string=str strings(1,9,^a)"),
    (Annotated[bytes, Limits(max_length=16)], "string=bytes bytes(,16)"),
    (Annotated[list[int], Limits(min_length=1)], "list[1:]<integer=int>"),
    (Annotated[set[int], Limits(max_length=2)], "set[:2]<integer=int>"),
    (Annotated[dict[str, int], Limits(min_length=1, max_length=2)], "dict[1:2]<integer=int>"),
    (Annotated[datetime.datetime, Limits(gt=NOON)], "string=datetime times(2026-01-01 12:00:00+00:00,,,) aware"),
    (Annotated[datetime.datetime, Limits(tz=False)], "string=datetime naive"),
    (Annotated[datetime.date, Limits(lt=datetime.date(2026, 1, 1))], "string=date times(,,2026-01-01,)"),
    (Annotated[timedelta, Limits(ge=timedelta(0))], "string=timedelta times(,0:00:00,,)"),
    # In a union a constraint is for the members that it fits.
    (Annotated[Union[int, str, None], Limits(gt=0, min_length=1)], "null integer=int string=str numbers(0,,,,) strings(1,,)"),
    (Annotated[Union[List[int], str], Limits(min_length=1)], "string=str list[1:]<integer=int> strings(1,,)"),
    (Annotated[Union[Color, int], Limits(gt=0)], "integer=int str:'red','blue' numbers(0,,,,)"),
    # Where the node has no place for it a function checks.
    (Union[Annotated[int, Limits(gt=9)], Annotated[int, Limits(lt=0)]], "integer=int hooks=0011100"),
    (Annotated[Union[datetime.date, datetime.time], Limits(gt=datetime.date(2026, 1, 1))], "string=date,time hooks=0011100"),
    (Union[Annotated[int, Limits(gt=9)], float], "integer=int real=float hooks=0011100"),
]


@pytest.mark.parametrize(("type", "expected"), LIMITS, ids=repr)
def test_limits(type, expected):
    assert of(type) == expected


def test_a_convert_takes_what_it_says():
    def load(value):
        return value

    assert of(Annotated[Item, Convert(load, takes=str)]) == "string=str hooks=0000100"
    assert of(Annotated[complex, Convert(load)]) == "any hooks=1111111"
    assert of(Optional[Annotated[complex, Convert(load)]]) == "null any hooks=0111111"
    assert of(Annotated[complex, Convert(load, takes=Union[int, str])]) == "integer=int string=str hooks=0010100"
    assert of(Annotated[int, Convert(load, takes=int), Limits(gt=0)]) == "integer=int numbers(0,,,,) hooks=0010000"
    assert of(list[complex], convert={complex: Convert(load, takes=float)}) == "list<integer=float real=float hooks=0011000>"


def test_a_convert_behind_other_markers_is_a_validator():
    def check(value):
        return -value

    for made in (
        Annotated[int, Limits(gt=0), Convert(check, takes=int)],
        Annotated[int, Convert(check, takes=int), Limits(gt=0)],
        Annotated[Annotated[int, Limits(gt=0)], Convert(check, takes=int)],
    ):
        assert of(made) == "integer=int numbers(0,,,,) hooks=0010000"
        assert compile(made).hooks[2](3) == -3
    twice = compile(Annotated[int, Convert(check, takes=int), Convert(str, takes=int), Convert(dump=str)])
    assert twice.hooks[2](3) == "-3" and twice.dump(5) == "5"
    with pytest.raises(TypeError, match="a Convert that takes another type stands behind other markers"):
        compile(Annotated[int, Limits(gt=0), Convert(check)])
    with pytest.raises(TypeError, match="there are two Converts with dump"):
        compile(Annotated[int, Convert(dump=str), Convert(dump=repr)])


def test_a_convert_that_takes_the_type_itself_is_a_validator():
    def check(item):
        return item

    node = compile(Item, convert={Item: Convert(check, takes=Item)})
    assert shown(node) == "Item hooks=0000001" and node.hooks[6] is check


def test_hooks_of_a_union_are_called_for_their_member_alone():
    node = compile(Union[Annotated[int, Convert(lambda value: -value, takes=int)], float, str])
    assert node.hooks[2](7) == -7
    assert node.hooks[3] is None and node.hooks[4] is None
    mixed = compile(Union[Annotated[uuid.UUID, Convert(str, takes=uuid.UUID)], str])
    assert mixed.hooks[4](uuid.UUID(int=5)) == "00000000-0000-0000-0000-000000000005" and mixed.hooks[4]("a") == "a"
    beside_literal = compile(Union[Literal["auto"], Annotated[str, Convert(str.upper, takes=str)]])
    assert beside_literal.hooks[4]("auto") == "auto" and beside_literal.hooks[4]("x") == "X"


def test_a_convert_says_how_its_values_are_written():
    def dump(value):
        return f"<{value}>"

    assert compile(Annotated[int, Convert(dump=dump)]).dump(5) == "<5>"
    assert compile(Optional[Annotated[int, Convert(dump=dump)]]).dump(5) == "<5>"
    assert compile(Optional[Annotated[int, Convert(dump=dump)]]).dump(None) is None


EXPECTED = [
    (int, "int"),
    (Optional[str], "str or null"),
    (Union[None, int, str], "int, str or null"),
    (list[int], "array of int"),
    (list[list[int]], "array"),
    (dict[str, int], "object"),
    (tuple[int, str], "array of 2 values"),
    (bytes, "base64"),
    (Literal["a", 1, None], "'a' or 1 or null"),
    (Color, "Color"),
    (Item, "Item"),
    (Point, "Point"),
    (Any, "anything"),
]


@pytest.mark.parametrize(("type", "expected"), EXPECTED, ids=repr)
def test_what_is_expected_in_words(type, expected):
    assert compile(type).expected == expected


def test_a_class_that_is_only_called_like_one_of_the_table_is_not_it():
    class UUID:
        pass

    UUID.__module__ = "uuid"
    with pytest.raises(TypeError, match="does not know how to read"):
        compile(UUID)


def test_decimals_of_either_implementation_are_the_one_that_decimal_has():
    assert compile(decimal.Decimal).real == "decimal"


def test_raw_text():
    raw = getattr(pytest.importorskip("ocior"), "Raw", None)
    if raw is None:
        pytest.skip("the core is not built")
    assert of(raw) == "raw" and of(Optional[raw]) == "null raw" and of(List[raw]) == "list<raw>"


def test_recursive_containers():
    node = compile(Tree)
    assert node.object.value.object is not None
