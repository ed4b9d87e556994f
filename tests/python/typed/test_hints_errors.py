"""Types that are refused: a TypeError that names the place, and, of a union, two members that cannot be told apart."""

import collections.abc
import datetime
import enum
import pathlib
import typing
import uuid
from collections import deque
from dataclasses import dataclass, field, make_dataclass
from datetime import timezone
from decimal import Decimal
from typing import Annotated, Any, Callable, ClassVar, Dict, List, Literal, NamedTuple, Optional, Set, Tuple, Type, TypedDict, Union

import pytest
from ocior._typed.hints import compile
from ocior._typed.markers import MISSING, Alias, Convert, Limits, Missing, Rest, Rules, Tag
from ocior._typed.resolve import name_of
from typed_nodes import of


@dataclass
class A:
    x: int


@dataclass
class B:
    x: int


@dataclass
class Loose:
    y: int = 0


@dataclass
class Tight:
    z: int = 0


@dataclass
class Kind:
    kind: Literal["k"]


@dataclass
class SameKind:
    kind: Literal["k"]


class Unknown:
    pass


class ColorA(enum.Enum):
    RED = "red"


class ColorB(enum.Enum):
    RED = "red"


class Coordinates(enum.Enum):
    ORIGIN = (0, 0)


class Row(NamedTuple):
    x: "Nowhere"  # noqa: F821


class Items(TypedDict):
    x: "Nowhere"  # noqa: F821


def one(**fields):
    """A dataclass of the name Order with these fields; a pair is a type and a default."""
    return make_dataclass("Order", [(name, *value) if isinstance(value, tuple) else (name, value) for name, value in fields.items()])


NOON = datetime.datetime(2026, 1, 1, 12, tzinfo=timezone.utc)

UNKNOWN = [
    (complex, "complex: ocior does not know how to read complex"),
    (Unknown, "Unknown: ocior does not know how to read"),
    (list[Unknown], r"list\[.*Unknown\]: ocior does not know how to read"),
    (Type[int], r"type\[int\]: ocior does not know"),
    (Callable[[int], int], r"Callable\[\[int\], int\]: "),
    (collections.abc.Iterator[int], "Iterator is abstract"),
    (ClassVar[int], "ClassVar and InitVar stand in classes only"),
    ("Order", "'Order': the name 'Order' cannot be looked up"),
    (List["Order"], "cannot be looked up"),  # noqa: F821
    (3, "3: ocior does not know the type 3"),
    (Literal[b"x"], "Literal has a value of type bytes"),
    (Coordinates, "Coordinates: Coordinates has a value of type tuple"),
    (Missing, "Missing stands in the union of a field only"),
    (Union[int, Missing], "Missing stands in the union of a field only"),
    (Annotated[str, Alias("a")], "Alias stands around the whole type of a field only"),
    (Annotated[Dict[str, int], Rest()], "Rest stands around the whole type of a field only"),
    (Annotated[int, Limits], r"Limits stands in Annotated as a class; write Limits\(\.\.\.\)"),
    (Annotated[int, Rules(rename="camel")], "Rules stand beside a class with fields, not beside int"),
    (Annotated[Optional[A], Rules(rename="camel")], "Rules stand beside a class, not beside"),
    (Annotated[int, Tag("t")], "Tag stands beside a union of classes"),
    (Set[List[int]], "the items of a set must be hashable, and array of int is not"),
    (Set[A], "the items of a set must be hashable, and A is not"),
    (Dict[bytearray, int], "the keys of a dict must be hashable, and a bytearray is not"),
    (Dict[A, int], "keys of an object are strings, of which no A is made"),
    (Dict[Tuple[int, int], int], "keys of an object are strings, of which no array"),
    (Row, "Row.x: its type cannot be looked up: NameError"),
    (Items, "Items.x: its type cannot be looked up: NameError"),
]


@pytest.mark.parametrize(("type", "words"), UNKNOWN, ids=repr)
def test_a_type_that_is_refused(type, words):
    with pytest.raises(TypeError, match=words):
        compile(type)


FIELDS = [
    (one(lines=List[Unknown]), "Order.lines: ocior does not know how to read"),
    (one(a=int, b=Annotated[int, Alias("a")]), "Order: a and b are both 'a' in JSON"),
    (one(a=Annotated[int, Alias("x", "y")], b=Annotated[int, Alias("z", "y")]), "Order: a and b are both 'y' in JSON"),
    (one(a=Annotated[int, Rest()]), r"Order.a: Rest is for a field of type dict\[str, T\]"),
    (one(a=Annotated[Dict[int, int], Rest()]), r"Order.a: Rest is for a field of type dict\[str, T\]"),
    (one(a=Annotated[Dict[str, int], Rest()], b=Annotated[Dict[str, int], Rest()]), "Order.b: a is a Rest already"),
    (one(a=Annotated[Dict[str, int], Rest(), Limits(min_length=1)]), "Order.a: Rest goes with no other marker"),
    (one(a=Annotated[Dict[str, int], Rest(), Alias("b")]), "Order.a: Rest goes with no other marker"),
    (one(a=Missing), "Order.a: nothing but Missing"),
    (one(a=List[Union[int, Missing]]), "Order.a: Missing stands in the union of a field only"),
    (one(a=List[Annotated[int, Alias("b")]]), "Order.a: Alias stands around the whole type of a field only"),
    (one(a="Nowhere"), "Order.a: its type cannot be looked up: NameError"),
    (one(a=int, b="List["), "Order.b: its type cannot be looked up: SyntaxError"),
    (one(a=List[one(b=Unknown)]), "Order.b: ocior does not know"),
    (one(a=Union[bytes, str]), "Order.a: base64 and str cannot be told apart in a union: both are strings"),
    (one(a=Union[Kind, SameKind]), "Order.a: Kind and SameKind cannot be told apart in a union: no tag"),
]


@pytest.mark.parametrize(("type", "words"), FIELDS, ids=lambda value: None if isinstance(value, type) else value)
def test_the_place_of_a_field(type, words):
    with pytest.raises(TypeError, match=words):
        compile(type)


UNIONS = [
    (Union[bytes, str], "base64 and str"),
    (Union[bytes, uuid.UUID], "base64 and uuid"),
    (Union[bytes, bytearray], "base64 and base64"),
    (Union[pathlib.Path, str], "path and str"),
    (Union[pathlib.Path, datetime.date], "path and date"),
    (Union[List[int], Set[int]], "array of int and array of int"),
    (Union[List[int], deque[int], None], "array of int and array of int"),
    (Union[List[int], Tuple[int, int]], "array of int and array of 2 values"),
    (Union[Dict[str, int], Dict[str, str]], "object and object"),
    (Union[A, B], "A and B cannot be told apart in a union: no tag, no Literal and no required key"),
    (Union[Loose, Tight], "Loose and Tight"),
    (Union[Loose, Dict[str, int]], "Loose and object cannot be told apart in a union: no key of the former is required"),
    (Union[Kind, SameKind], "Kind and SameKind"),
    (Union[ColorA, ColorB], "ColorA and ColorB cannot be told apart in a union: 'red' is a value of both"),
    (Union[ColorA, Literal["red"]], "ColorA and 'red'"),
    (Union[Any, datetime.date], "anything and date"),
    (Union[Any, A], "anything and A"),
    (
        Union[Annotated[int, Convert(str, takes=int)], Annotated[int, Limits(gt=0)]],
        "int and int cannot be told apart in a union: a function",
    ),
]


@pytest.mark.parametrize(("type", "words"), UNIONS, ids=repr)
def test_members_that_cannot_be_told_apart(type, words):
    with pytest.raises(TypeError, match=f": {words}"):
        compile(type)


def test_lax_numbers_that_are_two_kinds_of_time():
    assert of(Union[datetime.datetime, datetime.timedelta]) == "string=datetime,timedelta"
    with pytest.raises(TypeError, match="datetime and duration cannot be told apart"):
        compile(Union[datetime.datetime, datetime.timedelta], strict=False)


TAGS = [
    (Annotated[Union[A, B], Tag("t")], "A has no Literal, Enum or tag 't'"),
    (Annotated[Union[Kind, SameKind], Tag("kind")], "Kind and SameKind cannot be told apart in a union: 'k' is a tag of both"),
    (Annotated[Union[A, B], Tag("t", {"a": A})], "the Tag has no value for B"),
    (Annotated[Union[A, B], Tag("t", {"a": A, "b": Kind})], "the Tag has a class that is no member of the union: Kind"),
    (Annotated[Union[A, B], Tag("t", {"a": A, "b": int})], "the Tag says 'b' for int, which is no class with fields"),
    (Annotated[Union[A, Kind], Tag("kind", {"a": A, "b": Kind})], "the Tag says 'b' for Kind, whose field 'kind' is 'k'"),
]


@pytest.mark.parametrize(("type", "words"), TAGS, ids=repr)
def test_tags_that_do_not_fit(type, words):
    with pytest.raises(TypeError, match=words):
        compile(type)


LIMITS = [
    (Annotated[int, Limits(min_length=1)], "min_length fits nothing of int"),
    (Annotated[str, Limits(gt=1)], "gt fits nothing of str"),
    (Annotated[bool, Limits(gt=0)], "gt fits nothing of bool"),
    (Annotated[int, Limits(pattern="a")], "pattern fits nothing of int"),
    (Annotated[int, Limits(tz=True)], "tz fits nothing of int"),
    (Annotated[datetime.date, Limits(tz=True)], "tz fits nothing of date"),
    (Annotated[Any, Limits(min_length=1)], "min_length fits nothing of anything"),
    (Annotated[Literal["a"], Limits(min_length=1)], "min_length fits nothing of 'a'"),
    (Annotated[ColorA, Limits(min_length=1)], "min_length fits nothing of ColorA"),
    (Annotated[datetime.date, Limits(gt=NOON)], "gt fits nothing of date"),
    (Annotated[int, Limits(gt=NOON)], "gt fits nothing of int"),
    (Annotated[int, Limits(gt="a")], "gt: a bound of type str"),
    (Annotated[int, Limits(gt=True)], "gt: a bound of type bool"),
    (Annotated[Tuple[int, int], Limits(min_length=1)], "min_length fits nothing of array of 2 values"),
    (Annotated[A, Limits(min_length=1)], "min_length fits nothing of A"),
    (Annotated[Union[A, int], Limits(pattern="a")], "pattern fits nothing of A or int"),
    (Annotated[datetime.datetime, Limits(tz=True), Limits(tz=False)], "tz: values must have an offset, and must not"),
    (Annotated[datetime.datetime, Limits(tz=False, gt=NOON)], "tz: values must have an offset, and must not"),
    (Annotated[datetime.datetime, Limits(tz=False), Limits(gt=NOON)], "gt: a bound with an offset does not go with values without"),
    (Annotated[str, Limits(pattern="a"), Limits(pattern="b")], "pattern: there are two patterns"),
]


@pytest.mark.parametrize(("type", "words"), LIMITS, ids=repr)
def test_limits_that_do_not_fit(type, words):
    with pytest.raises(TypeError, match=words):
        compile(type)


NAMES = [
    (Optional[List[A]], "list[A] | None"),
    (Dict[str, Union[int, Unknown]], "dict[str, int | Unknown]"),
    (Annotated[Tuple[A, ...], 5], "tuple[A, ...]"),
    (Callable[[int], A], "Callable[[int], A]"),
    (Literal["a", 1], "Literal['a', 1]"),
]


@pytest.mark.parametrize(("type", "name"), NAMES, ids=repr)
def test_types_in_words(type, name):
    assert name_of(type) == name


def test_markers_that_contradict_each_other():
    with pytest.raises(TypeError, match="Rules stand beside a Convert that takes another type"):
        compile(Annotated[A, Rules(rename="upper"), Convert(A, takes=int)])
    node = compile(Annotated[A, Rules(rename="upper"), Convert(lambda value: value, takes=A)])
    assert list(node.object.names) == ["X"] and node.hooks[6] is not None


def test_options_of_a_wrong_kind():
    with pytest.raises(ValueError, match="unknown is 'ignore' or 'forbid', not 'keep'"):
        compile(int, unknown="keep")
    with pytest.raises(TypeError, match="rules: what stands for A must be an ocior.Rules, not str"):
        compile(A, rules={A: "camel"})
    with pytest.raises(TypeError, match=r"rules: list\[A\] is no class"):
        compile(A, rules={List[A]: Rules(rename="camel")})
    with pytest.raises(TypeError, match="convert: what stands for A must be an ocior.Convert"):
        compile(A, convert={A: str})


def test_rules_of_a_wrong_kind_in_the_class():
    wrong = make_dataclass("Wrong", [("x", int)], namespace={"__ocior__": {"rename": "camel"}})
    with pytest.raises(TypeError, match="__ocior__ must be an ocior.Rules, not dict"):
        compile(wrong)


def test_a_function_for_names_that_gives_no_name():
    with pytest.raises(TypeError, match="Order.a: rename gives int, and no str"):
        order = one(a=int)
        compile(order, rules={order: Rules(rename=lambda name: 3)})


def test_constructors_that_do_not_fit_their_fields():
    @dataclass
    class Other:
        x: int

        def __init__(self, y):
            self.x = y

    with pytest.raises(TypeError, match="Other: Other has a constructor of its own, which has no parameter 'x'"):
        compile(Other)

    @dataclass
    class More:
        x: int

        def __init__(self, x, y):
            self.x = x + y

    with pytest.raises(TypeError, match="whose parameter 'y' is no field"):
        compile(More)


def test_tags_of_classes():
    wrong = make_dataclass("Wrong", [("kind", Literal["a"])], namespace={"__ocior__": Rules(tag=("kind", "b"))})
    with pytest.raises(TypeError, match="Wrong: the tag 'kind' is a field, which does not allow 'b'"):
        compile(wrong)
    array = make_dataclass("Array", [("x", int)], namespace={"__ocior__": Rules(tag=("kind", "b"), array=True)})
    with pytest.raises(TypeError, match="Array: a class with a tag is no array"):
        compile(array)


def test_rest_in_arrays_and_typed_dicts():
    rest = make_dataclass("Open", [("rest", Annotated[Dict[str, int], Rest()])], namespace={"__ocior__": Rules(array=True)})
    with pytest.raises(TypeError, match="Open.rest: Rest stands in classes that are objects"):
        compile(rest)
    items = TypedDict("Bag", {"rest": Annotated[Dict[str, int], Rest()]})
    with pytest.raises(TypeError, match="Bag.rest: Rest stands in classes that are objects"):
        compile(items)


def test_aliases_that_are_nothing_but_themselves():
    extensions = pytest.importorskip("typing_extensions")
    Itself = extensions.TypeAliasType("Itself", "Itself")
    with pytest.raises(TypeError, match="Itself is nothing but itself"):
        compile(Itself)
    Union_ = extensions.TypeAliasType("Union_", "Union[int, Union_]")
    with pytest.raises(TypeError, match="a union with itself"):
        compile(Union_)


def test_a_sentinel_is_a_default_and_no_type():
    order = make_dataclass("Order", [("a", int, field(default=MISSING))])
    assert compile(order).object.fields[0].missing is False
    assert typing.get_type_hints(order) == {"a": int}


def test_a_field_that_is_left_out_of_numbers():
    assert of(Union[Decimal, int]) == "integer=int real=decimal string=decimal"
