"""Annotations that are strings, or are not evaluated yet: `from __future__ import annotations`, the syntax of 3.12, annotations of 3.14."""

from __future__ import annotations

import dataclasses
import sys
import typing
from dataclasses import InitVar, dataclass, field
from typing import Annotated, ClassVar, Dict, Final, Generic, List, Literal, NamedTuple, Optional, TypedDict, TypeVar, Union

import pytest
from ocior._typed.hints import compile
from ocior._typed.markers import MISSING, Alias, Limits, Missing, Rest, Rules
from typed_nodes import fields_of, object_of, of

T = TypeVar("T")
U = TypeVar("U")

if typing.TYPE_CHECKING:
    from somewhere import KnownToCheckersAlone


def module_of(source):
    """A module of this text, registered, as classes look their names up in sys.modules."""
    name = f"typed_module_{len(sys.modules)}"
    module = type(sys)(name)
    sys.modules[name] = module
    exec(compile_source(source), module.__dict__)
    return module


def compile_source(source):
    import builtins

    return builtins.compile(source, "<module>", "exec", dont_inherit=True)


@dataclass
class Order:
    __ocior__: ClassVar[Rules] = Rules(rename="camel")
    order_id: Annotated[int, Limits(gt=0)]
    lines: List[Line]
    parent: Optional[Order] = None
    note: Union[str, Missing] = MISSING
    name: Annotated[str, Alias("NAME")] = "n"
    known: ClassVar[KnownToCheckersAlone] = None
    other: typing.ClassVar[int] = 3
    fixed: Final[int] = 4
    seed: InitVar[int] = 5
    rest: Annotated[Dict[str, int], Rest()] = field(default_factory=dict)


@dataclass
class Line:
    kind: Literal["line"]


def test_a_dataclass():
    assert fields_of(Order) == [
        "order_id->orderId integer=int numbers(0,,,,)",
        "lines list<Line>",
        "parent? null Order = None",
        "note? string=str = MISSING",
        "name->NAME? string=str = 'n'",
        "fixed? integer=int = 4",
        "seed? integer=int = 5",
        "rest? integer=int = dict()",
    ]
    found = object_of(Order)
    assert found.make == "call" and found.rest == 7 and found.fields[3].missing


@dataclass
class Date:
    # What the class assigns under the name of a type is no type.
    Line: Optional[Line] = None
    int: int = 3


def test_fields_with_the_name_of_their_type():
    assert fields_of(Date) == ["Line? null Line = None", "int? integer=int = 3"]


class Movie(TypedDict, total=False):
    title: str
    parts: List[Movie]


class Point(NamedTuple):
    x: int
    next: Optional[Point] = None


def test_typed_dicts_and_named_tuples():
    assert fields_of(Movie) == ["title? string=str", "parts? list<Movie>"]
    assert of(Point, strict=True).startswith("namedtuple<integer=int, null namedtuple<")


@dataclass
class Box(Generic[T]):
    item: T
    more: Dict[str, Box[T]] = field(default_factory=dict)


@dataclass
class Pair(Box[List[U]], Generic[T, U]):
    other: T = None


@dataclass
class Ints(Pair[str, int]):
    pass


def test_generic_bases_in_other_orders():
    assert fields_of(Ints)[0] == "item list<integer=int>" and fields_of(Ints)[2] == "other? string=str = None"
    assert fields_of(Pair[bool, float])[0] == "item list<integer=float real=float>"
    box = object_of(Box[int])
    assert box.fields[1].node.object.value.object is box


@dataclass(frozen=True)
class FrozenSlots:
    __slots__ = ("x",)
    x: int


def test_frozen_slots():
    assert fields_of(FrozenSlots) == ["x integer=int"] and object_of(FrozenSlots).make == "store"
    made = dataclasses.make_dataclass("Made", [("x", "int", 5)], frozen=True, slots=True)
    assert fields_of(made) == ["x? integer=int = 5"] and object_of(made).make == "store"


def test_required_and_not_required_in_strings():
    extensions = pytest.importorskip("typing_extensions")
    module = module_of(
        "from __future__ import annotations\n"
        f"from {extensions.__name__} import TypedDict, Required, NotRequired, ReadOnly, Annotated\n"
        "class Base(TypedDict, total=False):\n    a: Required[int]\n    b: str\n"
        "class Child(Base):\n    c: NotRequired[Annotated[int, 'x']]\n    d: Annotated[ReadOnly[str], 'x']\n"
    )
    assert fields_of(module.Base) == ["a integer=int", "b? string=str"]
    assert fields_of(module.Child) == ["a integer=int", "b? string=str", "c? integer=int", "d string=str"]


def test_bases_of_another_module():
    base = module_of(
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import TypedDict\nimport decimal as Own\n"
        "@dataclass\nclass Base:\n    amount: Own.Decimal\n"
        "class Items(TypedDict):\n    amount: Own.Decimal\n"
    )

    @dataclass
    class Child(base.Base):
        x: int

    class More(base.Items):
        x: int

    assert fields_of(Child) == ["amount integer=decimal real=decimal string=decimal", "x integer=int"]
    assert fields_of(More) == ["amount integer=decimal real=decimal string=decimal", "x integer=int"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax of Python 3.12")
@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"], ids=["now", "postponed"])
def test_type_parameters(future):
    module = module_of(
        f"{future}from dataclasses import dataclass, field\nfrom typing import TypedDict, NamedTuple\n"
        "@dataclass\nclass Box[T]:\n    item: T\n    more: list[T] = field(default_factory=list)\n"
        "@dataclass\nclass Ints[U](Box[int]):\n    other: U | None = None\n"
        "class Page[T](TypedDict):\n    items: list[T]\n"
        "class Named[T](TypedDict):\n    name: T\n"
        "class Pair[A, B](NamedTuple):\n    a: A\n    b: B\n"
        "class Limited[T: int](TypedDict):\n    x: T\n"
        "type Tree[T] = T | list[Tree[T]]\n"
        "type Table = dict[str, Table | None]\n"
    )
    assert fields_of(module.Box[int]) == ["item integer=int", "more? list<integer=int> = list()"]
    assert fields_of(module.Ints[str])[-1] == "other? null string=str = None"
    assert fields_of(module.Ints[str])[0] == "item integer=int"
    assert fields_of(module.Page[int]) == ["items list<integer=int>"]
    assert fields_of(module.Limited) == ["x integer=int"]
    assert of(module.Pair[int, str]) == "namedtuple<integer=int, string=str>"
    tree = compile(module.Tree[int])
    assert tree.integer == "int" and tree.array.item.array is tree.array
    assert compile(module.Table).object.value.null


@pytest.mark.skipif(sys.version_info < (3, 13), reason="defaults of type parameters came with Python 3.13")
def test_defaults_of_type_parameters():
    module = module_of("from dataclasses import dataclass\n@dataclass\nclass Box[T = int]:\n    item: T\n")
    assert fields_of(module.Box) == ["item integer=int"] and fields_of(module.Box[str]) == ["item string=str"]


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated late from Python 3.14 on")
def test_annotations_that_are_evaluated_late():
    module = module_of(
        "from dataclasses import dataclass\nfrom typing import TypedDict, NamedTuple\n"
        "def make():\n"
        "    @dataclass(slots=True)\n    class Order:\n        line: Line\n        more: list[Order | None]\n"
        "    class Items(TypedDict):\n        line: Line\n"
        "    class Pair(NamedTuple):\n        line: Line\n"
        "    @dataclass\n    class Line:\n        x: int\n"
        "    return Order, Items, Pair\n"
        "@dataclass\nclass Broken:\n    x: int\n    y: list[Nowhere]\n"
    )
    order, items, pair = module.make()
    assert fields_of(order) == ["line Line", "more list<null Order>"]
    assert fields_of(items) == ["line Line"] and of(pair) == "namedtuple<Line>"
    with pytest.raises(TypeError, match="Broken.y: its type cannot be looked up: NameError"):
        compile(module.Broken)


def test_a_name_that_is_not_there():
    with pytest.raises(TypeError, match="Broken.y: its type cannot be looked up: NameError: name 'KnownToCheckersAlone'"):

        @dataclass
        class Broken:
            x: int
            y: KnownToCheckersAlone

        compile(Broken)
