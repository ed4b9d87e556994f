"""Dataclasses, TypedDicts and named tuples as nodes: which fields they have, by which names, and how an instance is made."""

import abc
import typing
from collections import defaultdict
from dataclasses import InitVar, dataclass, field, make_dataclass
from typing import Annotated, Any, ClassVar, Dict, Final, Generic, List, Literal, NamedTuple, Optional, Protocol, TypedDict, TypeVar, Union

import pytest
from ocior._typed.hints import NOTHING, compile
from ocior._typed.markers import MISSING, Alias, Convert, Lax, Limits, Missing, Rest, Rules, Tag
from typed_nodes import fields_of, object_of, of, shown

try:
    import typing_extensions as extensions
except ImportError:
    extensions = None
needs_extensions = pytest.mark.skipif(extensions is None, reason="typing_extensions is not installed")

T = TypeVar("T")
U = TypeVar("U")


@dataclass
class Plain:
    x: int
    name: str = "a"
    items: List[int] = field(default_factory=list)


@dataclass
class Derived(Plain):
    more: "Optional[Derived]" = None


@dataclass(frozen=True)
class Frozen:
    x: int

    def __post_init__(self):
        pass


@dataclass
class Slots:
    __slots__ = ("x",)
    x: int


@dataclass
class Computed:
    x: int
    size: int = field(init=False)
    kind: str = field(init=False, default="k")
    version: ClassVar[int] = 3
    noted: "ClassVar[int]" = 4
    other: "typing.ClassVar[int]" = 5
    fixed: Final[int] = 6


@dataclass
class Box(Generic[T]):
    item: T
    items: List[T]


@dataclass
class Two(Box[int], Generic[U]):
    second: U


@dataclass
class OfInts(Box[int]):
    pass


@dataclass
class Shadowed:
    # The default is found under the name of the type.
    date: "Optional[List]" = None
    List: "Optional[int]" = None


@dataclass
class WithInitVar:
    x: int
    seed: InitVar[int]
    late: "InitVar[str]" = "s"


@dataclass
class OwnInit:
    x: int
    y: int

    def __init__(self, x, *, y=7):
        self.x, self.y = x, y


@dataclass
class OwnNew:
    x: int

    def __new__(cls, *args, **keywords):
        return super().__new__(cls)


@dataclass
class OwnSetattr:
    x: int

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class CallingMeta(type):
    def __call__(cls, *args, **keywords):
        return super().__call__(*args, **keywords)


@dataclass
class OfMeta(metaclass=CallingMeta):
    x: int


class Descriptor:
    def __get__(self, instance, owner=None):
        return 5

    def __set__(self, instance, value):
        pass


@dataclass
class WithDescriptor:
    x: int = Descriptor()


@dataclass
class Failure(Exception):
    code: int


@dataclass
class Counts(Dict[str, int]):
    code: int = 0


@dataclass(init=False)
class NoInit:
    x: int


class PlainChild(Plain):
    note: str


class Mixin:
    x: str


@dataclass
class Mixed(Mixin, Plain):
    pass


MADE = [
    (Plain, "store"),
    (Derived, "store"),
    (Frozen, "store"),
    (Slots, "store"),
    (Computed, "store"),
    (Box[int], "store"),
    (NoInit, "store"),
    (PlainChild, "store"),
    (WithInitVar, "call"),
    (OwnInit, "call"),
    (OwnNew, "call"),
    (OwnSetattr, "call"),
    (OfMeta, "call"),
    (WithDescriptor, "call"),
    (Failure, "call"),
    (Counts, "call"),
    (make_dataclass("Made", [("x", int)]), "store"),
]


@pytest.mark.parametrize(("type", "make"), MADE, ids=lambda value: getattr(value, "__name__", None))
def test_how_an_instance_is_made(type, make):
    assert object_of(type).make == make


@dataclass(slots=True, frozen=True, kw_only=True)
class Modern:
    x: int
    y: int = 5


def test_slots_and_keywords():
    found = object_of(Modern)
    assert found.make == "store" and fields_of(Modern) == ["x integer=int", "y? integer=int = 5"]


@dataclass
class Ordered:
    first: int
    last: int = field(kw_only=True)
    middle: InitVar[int] = 5


def test_parameters_by_position_stand_first():
    fields = object_of(Ordered).fields
    assert [(one.name, one.positional) for one in fields] == [("first", True), ("middle", True), ("last", False)]


FIELDS = [
    (Plain, ["x integer=int", "name? string=str = 'a'", "items? list<integer=int> = list()"]),
    (Mixed, ["x integer=int", "name? string=str = 'a'", "items? list<integer=int> = list()"]),
    (PlainChild, ["x integer=int", "name? string=str = 'a'", "items? list<integer=int> = list()"]),
    (Computed, ["x integer=int", "size? integer=int unread", "kind? string=str = 'k' unread", "fixed? integer=int = 6"]),
    (Box[str], ["item string=str", "items list<string=str>"]),
    (Box, ["item any", "items list<any>"]),
    (OfInts, ["item integer=int", "items list<integer=int>"]),
    (Two[str], ["item integer=int", "items list<integer=int>", "second string=str"]),
    (Box[List[T]][int], ["item list<integer=int>", "items list<list>"]),
    (Shadowed, ["date? null list<any> = None", "List? null integer=int = None"]),
    (WithInitVar, ["x integer=int", "seed integer=int", "late? string=str = 's'"]),
    # A constructor of one's own knows its defaults itself.
    (OwnInit, ["x integer=int", "y? integer=int"]),
]


@pytest.mark.parametrize(("type", "expected"), FIELDS, ids=repr)
def test_fields_of_a_dataclass(type, expected):
    assert fields_of(type) == expected


def test_a_class_that_refers_to_itself():
    node = compile(Derived)
    assert fields_of(Derived)[-1] == "more? null Derived = None"
    assert node.object.fields[-1].node.object is node.object


def test_fields_not_read_have_no_name():
    found = object_of(Computed)
    assert found.names == {"x": 0, "fixed": 3}
    assert [one.init for one in found.fields] == [True, False, False, True]


def test_the_post_init_is_that_of_classes_which_are_not_called():
    assert object_of(Frozen).post_init is Frozen.__post_init__
    assert object_of(Plain).post_init is None
    assert object_of(WithInitVar).post_init is None


def test_a_handwritten_constructor_is_called_by_keyword():
    assert [(one.positional, one.keyword) for one in object_of(OwnInit).fields] == [(False, "x"), (False, "y")]
    assert object_of(OwnInit).fields[1].default is NOTHING


def test_annotations_that_are_no_fields_are_not_looked_up():
    class Base:
        other: "Nowhere"  # noqa: F821

    @dataclass
    class Order(Base):
        x: int
        shared: "ClassVar[Nowhere]" = 3  # noqa: F821

    assert fields_of(Order) == ["x integer=int"]


def test_arguments_whose_metadata_cannot_be_hashed():
    argument = Annotated[int, {"a": 1}]
    assert fields_of(Box[argument]) == ["item integer=int", "items list<integer=int>"]

    @dataclass
    class Again(Generic[T]):
        item: T
        more: "Dict[str, Again[T]]" = field(default_factory=dict)

    globals()["Again"] = Again
    assert fields_of(Again[argument])[0] == "item integer=int"


def test_fields_that_are_not_read_may_be_of_any_type():
    class Cache:
        pass

    @dataclass
    class Holder:
        cache: Cache
        order: "Order"

    @dataclass
    class Order:
        x: int
        cache: Cache = field(init=False)
        known: Holder = field(init=False)
        both: Union[bytes, str] = field(init=False, default="")
        self: Plain = field(init=False)

    globals()["Order"] = Order
    assert fields_of(Order) == ["x integer=int", "cache? any unread", "known? any unread", "both? any = '' unread", "self? Plain unread"]
    with pytest.raises(TypeError, match="Holder.cache: ocior does not know how to read"):
        compile(Union[Order, Holder])


def test_a_base_that_is_met_twice():
    class Bare(Box):
        pass

    @dataclass
    class Twice(Bare, Box[int]):
        pass

    assert fields_of(Twice)[0] == "item integer=int"


@needs_extensions
def test_variables_for_several_types():
    shapes = extensions.TypeVarTuple("shapes")

    @dataclass
    class Shaped(Generic[extensions.Unpack[shapes]]):
        x: int

    assert fields_of(Shaped) == ["x integer=int"]
    with pytest.raises(TypeError, match="Shaped: a TypeVarTuple or a ParamSpec"):
        compile(Shaped[int, str])


def test_fields_that_a_called_class_sets_itself_are_written():
    @dataclass
    class Order(Exception):
        x: int
        y: int = field(init=False, default=3)

    assert fields_of(Order) == ["x integer=int", "y? integer=int unread"]


def test_classes_are_compiled_once():
    node = compile(List[Union[Plain, None]])
    assert node.array.item.object is not None

    @dataclass
    class Both:
        one: Plain
        two: Optional[Plain]

    one, two = object_of(Both).fields
    assert one.node.object is two.node.object


class Movie(TypedDict):
    title: str
    year: "int"


class Rated(Movie, total=False):
    stars: float
    review: "Optional[str]"


def test_fields_of_a_typed_dict():
    assert fields_of(Movie) == ["title string=str", "year integer=int"]
    assert fields_of(Rated) == ["title string=str", "year integer=int", "stars? integer=float real=float", "review? null string=str"]
    found = object_of(Rated)
    assert (found.kind, found.make, found.type) == ("typeddict", "typeddict", Rated)


@needs_extensions
def test_qualifiers_of_typing_extensions():

    class Base(extensions.TypedDict, total=False):
        must: extensions.Required[int]
        may: str
        read: extensions.ReadOnly[int]

    class Child(Base):
        late: "extensions.NotRequired[int]"

    assert fields_of(Child)[-1] == "late? integer=int"
    assert fields_of(Base) == ["must integer=int", "may? string=str", "read? integer=int"]

    class Strict(extensions.TypedDict, closed=True):
        x: int

    assert object_of(Strict).unknown == "forbid"
    assert object_of(Base).unknown == "ignore"

    class More(extensions.TypedDict, extra_items=int):
        x: int

    with pytest.raises(TypeError, match="More: a TypedDict with extra_items"):
        compile(More)


@needs_extensions
def test_a_generic_typed_dict():

    class Page(extensions.TypedDict, Generic[T]):
        items: List[T]
        next: extensions.NotRequired[str]

    class Ints(Page[int]):
        total: int

    assert fields_of(Page[str]) == ["items list<string=str>", "next? string=str"]
    assert fields_of(Ints) == ["items list<integer=int>", "next? string=str", "total integer=int"]


class Point(NamedTuple):
    x: int
    y: "int" = 0


class Deeper(Point):
    __slots__ = ()


class Checked(Point):
    def __new__(cls, x, y=0):
        return super().__new__(cls, abs(x), y)


def test_named_tuples():
    assert of(Point) == "namedtuple<integer=int, integer=int; 0>"
    assert of(Deeper) == "namedtuple<integer=int, integer=int; 0>"
    node = compile(Checked)
    assert shown(node) == "fixed<integer=int, integer=int> hooks=0000010"
    assert node.hooks[5]((-1, 2)) == Checked(1, 2)


# ---- names


@dataclass
class Renamed:
    __ocior__ = Rules(rename="camel")
    first_name: str
    last_name: Annotated[str, Alias("surname", "lastName", "last_name")]
    _hidden_one: int = 0
    url_: str = ""


def test_names_of_fields():
    assert fields_of(Renamed) == [
        "first_name->firstName string=str",
        "last_name->surname<-surname,lastName,last_name string=str",
        "_hidden_one->_hiddenOne? integer=int = 0",
        "url_? string=str = ''",
    ]
    assert object_of(Renamed).names == {"firstName": 0, "surname": 1, "lastName": 1, "last_name": 1, "_hiddenOne": 2, "url_": 3}


@pytest.mark.parametrize(
    ("rename", "names"),
    [
        ("camel", ["firstName", "aB1"]),
        ("pascal", ["FirstName", "AB1"]),
        ("kebab", ["first-name", "a-b1"]),
        ("upper", ["FIRST_NAME", "A_B1"]),
        (lambda name: name[::-1], ["eman_tsrif", "1b_a"]),
        (lambda name: None, ["first_name", "a_b1"]),
        ({"first_name": "given"}, ["given", "a_b1"]),
    ],
    ids=["camel", "pascal", "kebab", "upper", "function", "none", "mapping"],
)
def test_styles_of_names(rename, names):
    made = make_dataclass("Made", [("first_name", int), ("a_b1", int)])
    assert list(object_of(made, rules={made: Rules(rename=rename)}).names) == names
    assert list(object_of(Annotated[made, Rules(rename=rename)]).names) == names


def test_later_rules_win():
    ruled = make_dataclass("Ruled", [("a_b", int)], namespace={"__ocior__": Rules(rename="camel", unknown="forbid", omit="none")})
    found = object_of(Annotated[ruled, Rules(rename="kebab", omit="defaults")], rules={ruled: Rules(rename="upper")})
    assert (list(found.names), found.unknown, found.fields[0].omit) == (["A_B"], "forbid", "defaults")


def test_unknown_keys_are_what_the_decoder_says_unless_rules_do():
    assert object_of(Plain).unknown == "ignore"
    assert object_of(Plain, unknown="forbid").unknown == "forbid"
    assert object_of(Plain, unknown="forbid", rules={Plain: Rules(unknown="ignore")}).unknown == "ignore"


def test_rules_hold_for_their_class_alone():
    @dataclass
    class Outer:
        a_b: int
        inner: Plain

    found = object_of(Annotated[Outer, Rules(unknown="forbid")])
    assert (found.unknown, found.fields[1].node.object.unknown) == ("forbid", "ignore")


def test_one_class_with_and_without_rules():
    @dataclass
    class Both:
        one: Annotated[Plain, Rules(rename="upper")]
        two: Plain

    one, two = object_of(Both).fields
    assert (list(one.node.object.names), list(two.node.object.names)) == (["X", "NAME", "ITEMS"], ["x", "name", "items"])


def test_a_class_as_an_array():
    assert of(Annotated[Plain, Rules(array=True)]) == "array of Plain"
    found = object_of(Plain, rules={Plain: Rules(array=True)})
    assert found.array and [one.name for one in found.fields] == ["x", "name", "items"]


def test_a_field_for_the_other_keys():
    @dataclass
    class Open:
        x: int
        rest: Annotated[Dict[str, int], Rest()]

    found = object_of(Open)
    assert found.rest == 1 and found.names == {"x": 0}
    assert shown(found.fields[1].node) == "integer=int" and found.fields[1].factory is dict and not found.fields[1].required


def test_absent_values():
    @dataclass
    class Patch:
        x: Union[int, Missing] = MISSING
        y: Union[int, None, Missing] = MISSING
        z: Union[int, Missing] = 3

    assert fields_of(Patch) == ["x? integer=int = MISSING", "y? null integer=int = MISSING", "z? integer=int = 3"]
    assert [one.missing for one in object_of(Patch).fields] == [True, True, False]


def test_what_is_written_goes_with_the_field():
    @dataclass
    class Priced:
        __ocior__ = Rules(omit="defaults")
        price: Annotated[complex, Convert(load=complex, takes=str, dump=str)] = 0j
        count: int = 0

    price, count = object_of(Priced).fields
    assert price.dump(3j) == "3j" and price.omit == "defaults"
    assert count.dump is None


def test_lax_fields():
    @dataclass
    class Form:
        age: Annotated[int, Lax()]
        name: str
        size: int

    assert fields_of(Form) == ["age integer=int real=int string=int", "name string=str", "size integer=int"]


# ---- classes in unions


@dataclass
class Cat:
    kind: Literal["cat"]
    lives: int


@dataclass
class Dog:
    kind: Literal["dog", "hound"]
    name: str


@dataclass
class Circle:
    radius: float
    label: Optional[str] = None


@dataclass
class Square:
    side: float
    label: Optional[str] = None


@dataclass
class Labelled:
    label: Optional[str] = None


class Movement(TypedDict):
    speed: int


def _tagged(name, value, **fields):
    return make_dataclass(name, list(fields.items()), namespace={"__ocior__": Rules(tag=("type", value))})


One = _tagged("One", 1, x=int)
Other = _tagged("Other", "two", x=int)

UNIONS = [
    (Union[Cat, Dog], "union(Cat, Dog by kind={'cat': 0, 'dog': 1, 'hound': 1})"),
    (Union[Cat, Dog, None], "null union(Cat, Dog by kind={'cat': 0, 'dog': 1, 'hound': 1})"),
    (Union[Cat, Dog, Dict[str, int]], "union(Cat, Dog by kind={'cat': 0, 'dog': 1, 'hound': 1} rest dict<...>)"),
    (Union[One, Other], "union(One, Other by type={1: 0, 'two': 1})"),
    (Union[Circle, Square], "union(Circle, Square by {'radius': 0, 'side': 1})"),
    (Union[Circle, Labelled], "union(Circle, Labelled by {'radius': 0} else Labelled)"),
    (Union[Circle, Dict[str, Any]], "union(Circle by {'radius': 0} rest dict<...>)"),
    (Union[Circle, Movement], "union(Circle, Movement by {'radius': 0, 'speed': 1})"),
    (Union[Cat, Circle], "union(Cat, Circle by {'kind': 0, 'lives': 0, 'radius': 1})"),
    (Annotated[Union[Circle, Square], Tag("t", {"c": Circle, "s": Square})], "union(Circle, Square by t={'c': 0, 's': 1})"),
    (Annotated[Union[Cat, Dog], Tag("kind")], "union(Cat, Dog by kind={'cat': 0, 'dog': 1, 'hound': 1})"),
    (
        Annotated[Union[Circle, Square, int, None], Tag("t", {"c": Circle, "s": Square, "q": Square})],
        "null integer=int union(Circle, Square, Square by t={'c': 0, 's': 1, 'q': 2})",
    ),
    (
        Annotated[Union[Annotated[Circle, Rules(rename="upper")], Square], Tag("t", {"c": Circle, "s": Square})],
        "union(Circle, Square by t={'c': 0, 's': 1})",
    ),
    (Union[Cat, int, List[Cat]], "integer=int list<Cat> Cat"),
]


@pytest.mark.parametrize(("type", "expected"), UNIONS, ids=repr)
def test_classes_in_a_union(type, expected):
    assert of(type) == expected


def test_a_tag_that_is_no_field_is_a_member_of_its_own():
    found = object_of(One)
    assert (found.tag_name, found.tag_value, found.names) == ("type", 1, {"x": 0})
    members = compile(Annotated[Union[Circle, Square], Tag("t", {"c": Circle, "s": Square})]).object.members
    assert [(member.tag_name, member.tag_value) for member in members] == [("t", "c"), ("t", "s")]
    assert object_of(Circle).tag_name is None


def test_a_tag_that_is_a_literal_stays_a_field():
    @dataclass
    class Bird:
        __ocior__ = Rules(tag=("kind", "bird"))
        kind: Literal["bird"] = "bird"

    assert object_of(Bird).tag_name is None and object_of(Bird).names == {"kind": 0}


def test_a_union_in_a_recursive_class():
    assert fields_of(Branch) == ["left union(Branch, Leaf by {'left': 0, 'value': 1})"]


@dataclass
class Branch:
    left: "Union[Branch, Leaf]"


@dataclass
class Leaf:
    value: int


# ---- types that are nothing but names


@needs_extensions
def test_a_recursive_alias():
    Json = extensions.TypeAliasType("Json", "Union[Dict[str, Json], List[Json], str, int, None]")
    assert (
        shown(compile(Json), 1)
        == "null integer=int string=str list<null integer=int string=str list dict<...>> dict<null integer=int string=str list dict<...>>"
    )
    limited = compile(Annotated[Json, Limits(min_length=1)])
    assert limited.array.min_length == limited.object.min_length == limited.string_limits[0] == 1
    assert limited.array.item.array.min_length is None


@needs_extensions
def test_an_alias_of_an_optional_of_itself():
    Chain = extensions.TypeAliasType("Chain", Dict[str, "Optional[Chain]"])
    node = compile(Chain)
    assert node.object.value.null and node.object.value.object is node.object


@needs_extensions
def test_generic_aliases():
    Pair = extensions.TypeAliasType("Pair", typing.Tuple[T, T], type_params=(T,))
    assert of(Pair[int]) == "fixed<integer=int, integer=int>"
    assert of(Pair) == "fixed<any, any>"


def test_values_of_a_defaultdict_that_are_classes():
    empty = make_dataclass("Empty", [("x", int, 5)])
    assert compile(defaultdict[str, empty]).object.factory is empty
    assert compile(defaultdict[str, Plain]).object.factory is None


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...


@dataclass
class AbstractShape(Shape):
    x: int


@dataclass
class Proto(Protocol):
    x: int


@pytest.mark.parametrize(
    ("type", "words"), [(AbstractShape, "AbstractShape: AbstractShape is abstract: it lacks area"), (Proto, "Proto: Proto is a protocol")]
)
def test_classes_without_instances(type, words):
    with pytest.raises(TypeError, match=words):
        compile(type)
