"""Objects of every kind of class: how they are made, which code of the class runs, and what they have of their own."""

import abc
import collections
import dataclasses
import gc
import sys
import typing
import weakref
from dataclasses import InitVar, dataclass, field
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, Optional, Protocol, TypedDict, TypeVar, Union

import pytest

import ocior
from ocior import MISSING, Alias, Convert, Decoder, Limits, Missing, Rest, Rules, ValidationError

try:
    import attrs
except ImportError:
    attrs = None
try:
    import msgspec
except ImportError:
    msgspec = None
needs_attrs = pytest.mark.skipif(attrs is None, reason="attrs is not installed")
needs_msgspec = pytest.mark.skipif(msgspec is None, reason="msgspec is not installed")
T = TypeVar("T")


def decode(found, document, **keywords):
    """The same from str and bytes, twice, so that keys are also predicted, and as an item of a list beside others."""
    decoder = Decoder(found, **keywords)
    made = [decoder.decode(source) for source in (document, document.encode(), document, f" {document} ".encode())]
    made += Decoder(list[found], **keywords).decode(f"[{document},{document}]")
    if type(made[0]).__eq__ is not object.__eq__:
        assert all(one == made[0] for one in made)
    assert all(type(one) is type(made[0]) for one in made)
    return made[0]


def problems(found, document, **keywords):
    told = []
    for source in (document, document.encode()):
        with pytest.raises(ValidationError) as caught:
            Decoder(found, **keywords).decode(source)
        told.append([(problem.code, problem.path) for problem in caught.value.errors])
    assert told[0] == told[1]
    return told[0]


LAYOUTS = {
    "plain": {},
    "slots": {"slots": True},
    "frozen": {"frozen": True},
    "frozen slots": {"frozen": True, "slots": True},
    "keyword only": {"kw_only": True},
    "order, no eq": {"eq": False},
    "unsafe hash": {"unsafe_hash": True},
}
if sys.version_info >= (3, 11):
    LAYOUTS["weakref slot"] = {"slots": True, "weakref_slot": True}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [0, 1, 2, 5, 29, 30, 31, 32, 40, 254, 300])
def test_layouts(layout, count):
    """Fields of all numbers lie where setattr would have put them: those with defaults, too."""
    fields = [(f"f{index}", int, field(default=index)) for index in range(count)]
    cls = dataclasses.make_dataclass("Many", fields, **LAYOUTS[layout])
    names = [name for name, *_ in fields]
    for given in (names, names[::-1], names[::2], names[1::3], []):
        document = "{" + ",".join(f'"{name}":{int(name[1:]) + 1000}' for name in given) + "}"
        expected = cls(**{name: int(name[1:]) + 1000 for name in given})
        made = Decoder(cls).decode(document)
        assert [getattr(made, name) for name in names] == [getattr(expected, name) for name in names]
        assert dataclasses.astuple(made) == dataclasses.astuple(expected)
        if hasattr(made, "__dict__"):
            assert list(vars(made)) == names  # in the order of the fields, whatever that of the document
            vars(made)["more"] = 1
            del vars(made)["more"]
        if not LAYOUTS[layout].get("frozen"):
            for name in names:
                setattr(made, name, -1)
                delattr(made, name)
                setattr(made, name, -2)
            assert all(getattr(made, name) == -2 for name in names)
        gc.collect()


def test_a_default_is_in_the_instance():
    @dataclass
    class Order:
        a: int
        b: int = 5

    made = decode(Order, '{"a":1}')
    assert vars(made) == {"a": 1, "b": 5}
    Order.b = 6
    assert made.b == 5


def test_factories_are_called_per_object():
    counts = iter(range(100))

    @dataclass
    class Order:
        a: list = field(default_factory=list)
        b: dict = field(default_factory=dict)
        c: set = field(default_factory=set)
        d: int = field(default_factory=lambda: next(counts))

    made = Decoder(list[Order]).decode("[{},{}]")
    assert made == [Order([], {}, set(), 0), Order([], {}, set(), 1)]
    for name in "abc":
        assert getattr(made[0], name) is not getattr(made[1], name)


def test_fields_with_init_false_are_not_read():
    @dataclass
    class Order:
        a: int
        b: int = field(init=False, default=7)
        c: list = field(init=False, default_factory=list)
        d: int = field(init=False)

        def __post_init__(self):
            self.d = self.a * 2

    made = decode(Order, '{"b":100,"a":3,"d":100,"c":[100]}')
    assert (made.a, made.b, made.c, made.d) == (3, 7, [], 6)
    assert problems(Order, '{"a":1,"b":2}', unknown="forbid") == [("unknown", ("b",))]


def test_post_init_edits_and_raises():
    calls = []

    @dataclass
    class Order:
        a: int

        def __post_init__(self):
            calls.append(self.a)
            self.a += 1
            if self.a == 6:
                raise ValueError("six")

    assert decode(Order, '{"a":1}').a == 2
    calls.clear()
    assert problems(list[Order], '[{"a":1},{"a":5},{"a":7}]') == [("hook", (1,))]
    assert calls == [1, 5, 1, 5]


def test_post_init_is_called_once():
    calls = []

    @dataclass
    class Order:
        a: int

        def __post_init__(self):
            calls.append(self)

    Decoder(Order).decode('{"a":1}')
    assert len(calls) == 1


def test_init_var():
    @dataclass
    class Order:
        a: int
        factor: InitVar[int]
        b: int = 0
        add: InitVar[int] = 1

        def __post_init__(self, factor, add):
            self.b += self.a * factor + add

    assert decode(Order, '{"a":3,"factor":10,"b":2}').b == 33
    assert decode(Order, '{"add":5,"a":3,"factor":10}').b == 35
    assert problems(Order, '{"a":3}') == [("missing", ())]
    assert problems(Order, '{"a":3,"factor":"x"}') == [("type", ("factor",))]


def test_inherited():
    @dataclass
    class Base:
        a: int
        b: str = "x"

    @dataclass
    class Middle(Base):
        b: int = 5  # type: ignore[assignment]
        c: int = 0

    class Plain(Middle):
        d: int = 9

    @dataclass
    class Last(Plain):
        a: float = 1.5

    assert decode(Middle, '{"a":1}') == Middle(1, 5, 0)
    assert problems(Middle, '{"a":1,"b":"x"}') == [("type", ("b",))]
    assert decode(Plain, '{"a":1,"d":3}') == Plain(1)
    assert decode(Last, '{"c":3,"a":2}') == Last(2.0, 5, 3)


def test_slots_of_bases():
    @dataclass(slots=True)
    class Base:
        a: int

    @dataclass(slots=True)
    class Derived(Base):
        b: int = 2

    @dataclass
    class WithDict(Derived):
        c: int = 3

    assert decode(Derived, '{"a":1}') == Derived(1, 2)
    made = decode(WithDict, '{"c":5,"a":1}')
    assert made == WithDict(1, 2, 5) and vars(made) == {"c": 5}


def test_slots_beside_a_dict():
    @dataclass
    class Both:
        __slots__ = ("a", "__dict__")
        a: int
        b: int

    made = decode(Both, '{"b":2,"a":1}')
    assert (made.a, made.b, vars(made)) == (1, 2, {"b": 2})


def test_weak_references():
    @dataclass(eq=False)
    class Plain:
        a: int

    @dataclass(eq=False)
    class Slotted:
        __slots__ = ("a", "__weakref__")
        a: int

    for cls in (Plain, Slotted):
        for document in ('{"a":1}', '{"a":123456}'):
            ended = []
            made = Decoder(cls).decode(document)
            seen = weakref.ref(made, lambda one: ended.append(1))
            assert seen() is made
            gc.collect()
            assert seen() is made
            del made
            assert seen() is None and ended == [1]


def test_generic():
    @dataclass
    class Box(Generic[T]):
        value: T
        more: "Optional[list[T]]" = None

    @dataclass
    class IntBox(Box[int]):
        pass

    assert decode(Box[int], '{"value":1,"more":[2]}') == Box(1, [2])
    assert decode(Box, '{"value":"x"}') == Box("x")
    assert decode(Box[Box[str]], '{"value":{"value":"x"}}') == Box(Box("x"))
    for found in (Box[int], IntBox):
        assert problems(found, '{"value":"x","more":["y"]}') == [("type", ("value",)), ("type", ("more", 0))]


def test_called_classes():
    """What has a constructor of its own is called, by keyword."""
    seen = []

    class Init:
        pass

    @dataclass(init=False)
    class OwnInit:
        a: int
        b: int

        def __init__(self, a, *, b=7):
            seen.append((a, b))
            self.a, self.b = a * 10, b

    @dataclass
    class OwnNew:
        a: int
        b: int = 2

        def __new__(cls, *args, **keywords):
            seen.append((args, keywords))
            return super().__new__(cls)

    @dataclass
    class OwnSetattr:
        a: int
        b: int = 2

        def __setattr__(self, name, value):
            seen.append(name)
            object.__setattr__(self, name, value * 10)

    class Meta(type):
        def __call__(cls, *args, **keywords):
            seen.append(cls)
            return super().__call__(*args, **keywords)

    @dataclass
    class OwnMeta(metaclass=Meta):
        a: int
        b: int = 2

    class Descriptor:
        def __set_name__(self, owner, name):
            self.name = "_" + name

        def __get__(self, instance, owner):
            return 3 if instance is None else getattr(instance, self.name, 3)

        def __set__(self, instance, value):
            seen.append(value)
            setattr(instance, self.name, value * 10)

    @dataclass
    class OwnDescriptor:
        a: int
        b: int = Descriptor()

    for cls, document, expected in (
        (OwnInit, '{"a":1}', (10, 7)),
        (OwnInit, '{"b":2,"a":1}', (10, 2)),
        (OwnNew, '{"a":1}', (1, 2)),
        (OwnSetattr, '{"a":1}', (10, 20)),
        (OwnMeta, '{"b":5,"a":1}', (1, 5)),
        (OwnDescriptor, '{"b":5,"a":1}', (1, 50)),
    ):
        seen.clear()
        made = decode(cls, document)
        assert (made.a, made.b) == expected and seen
    assert problems(OwnInit, '{"b":1}') == [("missing", ())]


def test_parameters_by_position_alone():
    @dataclass(init=False)
    class Order:
        a: int
        b: int
        c: int
        d: int

        def __init__(self, a, b=2, c=3, /, d=4):
            self.a, self.b, self.c, self.d = a, b, c, d

    assert decode(Order, '{"a":1,"c":30}') == Order(1, 2, 30)
    assert decode(Order, '{"d":5,"a":1}') == Order(1, d=5)


def test_constructors_that_refuse():
    @dataclass(init=False)
    class Order:
        a: int

        def __init__(self, a):
            if a == 2:
                raise ValueError("two")
            if a == 3:
                raise KeyError("three")
            self.a = a

    assert problems(list[Order], '[{"a":1},{"a":2}]') == [("hook", (1,))]
    with pytest.raises(KeyError):
        Decoder(list[Order]).decode('[{"a":3}]')


def test_bases_with_a_layout_of_their_own():
    """msgspec writes into the memory of these."""

    @dataclass
    class Failure(Exception):
        code: int
        text: str = "x"

    made = decode(Failure, '{"code":5}')
    assert (made.code, made.text, isinstance(made, Exception)) == (5, "x", True)

    @dataclass
    class OfDict(dict):
        a: int
        b: list = field(default_factory=list)

    @dataclass
    class OfDeque(collections.deque):
        a: int
        b: str = "x"

    @dataclass
    class OfInt(int):
        a: int

    assert decode(OfDict, '{"a":1,"b":[2]}').b == [2]
    made = decode(OfDeque, '{"b":"y","a":1}')
    made.append(5)
    assert (made.a, made.b, list(made)) == (1, "y", [5])
    with pytest.raises((TypeError, ValidationError)):
        Decoder(OfInt).decode('{"a":[]}')

    class Mapped(dict):
        pass

    assert decode(Mapped, '{"a":1}') == Mapped(a=1)

    class Listed(list):
        pass

    assert type(Decoder(Listed).decode("[1]")) is Listed


def test_abstract_classes_and_protocols_are_refused():
    @dataclass
    class Abstract(abc.ABC):
        a: int

        @abc.abstractmethod
        def work(self): ...

    class Proto(Protocol):
        a: int

    for found in (Abstract, Proto):
        with pytest.raises(TypeError):
            Decoder(found)


def test_getattr_does_not_hide_missing_fields():
    @dataclass
    class Order:
        a: int
        b: int

        def __getattr__(self, name):
            return 5

    assert problems(Order, '{"a":1}') == [("missing", ())]


def test_class_variables():
    @dataclass
    class Order:
        a: int
        b: ClassVar[int] = 3
        c: "ClassVar[int]" = 4
        d: "typing.ClassVar[int]" = 5

    made = decode(Order, '{"a":1,"b":10,"c":10,"d":10}')
    assert vars(made) == {"a": 1}


def test_names():
    @dataclass
    class Order:
        first: Annotated[int, Alias("firstName", "first_name", "first")]
        café: int = 0
        plain: int = 0

    for name in ("firstName", "first_name", "first", "fir\\u0073t", "\\u0066irstName"):
        assert decode(Order, f'{{"{name}":1,"caf\xe9":2,"plain":3}}') == Order(1, 2, 3)
        assert decode(Order, f'{{"caf\\u00e9":2,"{name}":1}}') == Order(1, 2)
    assert problems(Order, '{"plain":1}') == [("missing", ())]
    assert decode(Order, '{"firstName":1,"first_name":2}').first == 2
    assert problems(Order, '{"firstName":1,"first_name":2}', duplicate_keys="error") == [("duplicate", ("first_name",))]
    # Names are compared by code points: the same letter in two code points is another name.
    assert problems(Order, '{"first":1,"cafe\u0301":2}', unknown="forbid") == [("unknown", ("cafe\u0301",))]


@pytest.mark.parametrize(
    "rename, name",
    [
        ("camel", "longName"),
        ("pascal", "LongName"),
        ("kebab", "long-name"),
        ("upper", "LONG_NAME"),
        (str.title, "Long_Name"),
        ({"long_name": "l"}, "l"),
    ],
)
def test_renamed(rename, name):
    @dataclass
    class Order:
        long_name: int

    assert decode(Order, f'{{"{name}":1}}', rules={Order: Rules(rename=rename)}) == Order(1)


def test_keys_in_every_order_and_never_the_same():
    """Predictions that fail: every permutation, then thousands of unknown keys."""
    import itertools

    @dataclass
    class Order:
        a: int
        bb: str
        ccc: float = 0.5
        dddd: Optional[int] = None

    decoder = Decoder(Order)
    values = {"a": "1", "bb": '"x"', "ccc": "2.5", "dddd": "4"}
    for names in itertools.permutations(values):
        for source in (str, str.encode):
            assert decoder.decode(source("{" + ",".join(f'"{name}":{values[name]}' for name in names) + "}")) == Order(1, "x", 2.5, 4)
    for number in range(3000):
        assert decoder.decode(f'{{"a":1,"k{number}":[{number}],"bb":"x","l{number % 7}":{{}}}}') == Order(1, "x")


def test_missing_is_the_default_of_absent_fields():
    @dataclass
    class Order:
        a: Union[int, Missing] = MISSING
        b: Union[int, None, Missing] = MISSING

    assert decode(Order, "{}").a is MISSING
    assert decode(Order, '{"b":null}').b is None
    assert problems(Order, '{"a":null}') == [("type", ("a",))]


def test_optional_without_a_default_is_required():
    @dataclass
    class Order:
        a: Optional[int]

    assert decode(Order, '{"a":null}') == Order(None)
    assert problems(Order, "{}") == [("missing", ())]


def test_rest_keeps_other_keys():
    @dataclass
    class Order:
        a: int
        rest: Annotated[dict[str, Any], Rest()]
        b: int = 2

    made = decode(Order, '{"x":[1],"a":1,"rest":{"y":2},"\\u4e2d":null,"b":3}')
    assert made == Order(1, {"x": [1], "rest": {"y": 2}, "\u4e2d": None}, 3)
    assert decode(Order, '{"a":1}') == Order(1, {})

    @dataclass(slots=True)
    class Typed:
        rest: Annotated[dict[str, list[int]], Rest()]
        a: int = 0

    made = decode(Typed, "{" + ",".join(f'"k{index}":[{index}]' for index in range(200)) + "}")
    assert made.rest == {f"k{index}": [index] for index in range(200)}
    assert problems(Typed, '{"x":[1,"y"]}') == [("type", ("x", 1))]


def test_rest_in_a_called_class():
    @dataclass
    class Order:
        a: int
        rest: Annotated[dict[str, int], Rest()]
        add: InitVar[int] = 1

        def __post_init__(self, add):
            self.a += add

    assert decode(Order, '{"x":5,"a":1}') == Order(1, {"x": 5})


def test_unknown_keys():
    @dataclass
    class Order:
        a: int = 0

    @dataclass
    class Forbids:
        __ocior__ = Rules(unknown="forbid")
        a: int = 0

    assert decode(Order, '{"b":[1,{"c":"}"}],"a":1}') == Order(1)
    assert problems(Order, '{"b":1}', unknown="forbid") == [("unknown", ("b",))]
    assert problems(Forbids, '{"b":1,"a":"x"}') == [("unknown", ("b",)), ("type", ("a",))]
    assert decode(Forbids, '{"b":1}', rules={Forbids: Rules(unknown="ignore")}) == Forbids()


def test_classes_that_are_arrays():
    @dataclass
    class Order:
        __ocior__ = Rules(array=True)
        a: int
        b: str = "x"
        c: list = field(default_factory=list)

    @dataclass
    class Skips:
        __ocior__ = Rules(array=True)
        a: int
        b: int = field(init=False, default=7)
        c: int = 3
        d: list = field(init=False, default_factory=list)
        e: int = 5

    @dataclass
    class Recursive:
        __ocior__ = Rules(array=True)
        a: int
        child: "Optional[Recursive]" = None
        children: "list[Recursive]" = field(default_factory=list)

    assert decode(Order, "[1]") == Order(1)
    assert decode(Order, '[1,"y",[2]]') == Order(1, "y", [2])
    for document in ("[]", '[1,"y",[],4]', '[1,"y",[],1e400,{"x":NaN}]'):
        assert problems(Order, document) == [("length", ())]
    assert problems(Order, "{}") == [("type", ())]
    for count in range(1, 4):
        made = decode(Skips, str(list(range(100, 100 + count))))
        assert (made.a, made.b, made.c, made.d, made.e) == (100, 7, 101 if count > 1 else 3, [], 102 if count > 2 else 5)
    Recursive.__annotations__ = {"a": int, "child": Optional[Recursive], "children": list[Recursive]}
    for name, found in Recursive.__annotations__.items():
        Recursive.__dataclass_fields__[name].type = found
    assert decode(Recursive, "[1,[2,[3]],[[4,null,[[5]]]]]") == Recursive(
        1, Recursive(2, Recursive(3)), [Recursive(4, None, [Recursive(5)])]
    )
    many = dataclasses.make_dataclass(
        "Many", [(f"f{index}", int, index) for index in range(200)], namespace={"__ocior__": Rules(array=True)}
    )
    assert decode(many, "[]") == many()
    assert Decoder(list[many]).decode("[" + ",".join(["[7]"] * 50) + "]") == [many(7)] * 50


def test_named_tuples():
    class Pair(NamedTuple):
        a: int
        b: str = "x"

    class Empty(NamedTuple):
        pass

    class Own(Pair):
        __slots__ = ()

        def __new__(cls, a, b="y"):
            return super().__new__(cls, a * 10, b)

    assert decode(Pair, "[1]") == Pair(1) and decode(Pair, '[1,"y"]') == Pair(1, "y")
    assert decode(Empty, "[]") == Empty()
    assert decode(Own, '[1,"z"]') == Own(1, "z")
    for document in ("[]", '[1,"y",3]'):
        assert problems(Pair, document) == [("length", ())]
    assert problems(Pair, '["x",1]') == [("type", (0,)), ("type", (1,))]


def test_typed_dicts():
    class Base(TypedDict):
        a: int

    class Derived(Base, total=False):
        b: str
        café: list[int]

    made = decode(Derived, '{"caf\xe9":[1],"a":1}')
    assert made == {"a": 1, "caf\xe9": [1]} and type(made) is dict
    assert decode(Derived, '{"b":"x","a":1,"caf\\u00e9":[],"other":5}') == {"a": 1, "b": "x", "caf\xe9": []}
    assert problems(Derived, '{"b":"x"}') == [("missing", ())]
    many = TypedDict("Many", {f"k{index}": int for index in range(300)}, total=False)
    assert decode(many, "{" + ",".join(f'"k{index}":{index}' for index in range(300)) + "}") == {f"k{index}": index for index in range(300)}
    made = decode(many, '{"k7":7}')
    made["more"] = made
    assert list(made) == ["k7", "more"]


def test_recursive_types():
    @dataclass
    class Tree:
        value: int
        left: "Optional[Tree]" = None
        right: "Optional[Tree]" = None
        others: "dict[str, list[Tree]]" = field(default_factory=dict)

    for name, found in {"left": Optional[Tree], "right": Optional[Tree], "others": dict[str, list[Tree]]}.items():
        Tree.__annotations__[name] = Tree.__dataclass_fields__[name].type = found
    made = decode(Tree, '{"value":1,"left":{"value":2},"right":{"value":3,"others":{"x":[{"value":4}]}}}')
    assert made == Tree(1, Tree(2), Tree(3, others={"x": [Tree(4)]}))
    assert problems(Tree, '{"value":1,"right":{"value":3,"others":{"x":[{"value":4},{}]}}}') == [("missing", ("right", "others", "x", 1))]


def test_a_decoder_of_many_classes():
    classes = [dataclasses.make_dataclass(f"Class{index}", [("a", int), (f"b{index}", str, "x")]) for index in range(120)]
    found = tuple[tuple(classes)]
    document = "[" + ",".join(f'{{"b{index}":"y","a":{index}}}' for index in range(120)) + "]"
    assert Decoder(found).decode(document) == tuple(cls(index, "y") for index, cls in enumerate(classes))


# ---- attrs


@needs_attrs
def test_attrs():
    @attrs.define
    class Slotted:
        a: int
        _b: str = "x"
        c: list = attrs.field(factory=list)
        d: int = attrs.field(init=False, default=9)

    @attrs.define(slots=False)
    class Plain:
        a: int
        b: str = "x"

    @attrs.frozen
    class Frozen:
        a: int
        b: str = "x"

    assert decode(Slotted, '{"a":1,"b":"y"}') == Slotted(1, "y")
    assert decode(Slotted, '{"a":1,"d":5}') == Slotted(1)
    assert decode(Plain, '{"a":1}') == Plain(1)
    assert decode(Frozen, '{"b":"y","a":1}') == Frozen(1, "y")
    assert problems(Slotted, '{"b":"x","c":5}') == [("type", ("c",)), ("missing", ())]


@needs_attrs
def test_attrs_that_call_code():
    calls = []

    def check(instance, attribute, value):
        calls.append(value)
        if value < 0:
            raise ValueError("negative")

    @attrs.define
    class Order:
        a: int = attrs.field(validator=check)
        b: float = attrs.field(default="1.5", converter=float)
        c: int = attrs.field(alias="see", default=3, kw_only=True)
        d: list = attrs.field(default=attrs.Factory(lambda self: [self.a], takes_self=True))

    made = decode(Order, '{"a":1,"see":4}')
    assert (made.a, made.b, made.c, made.d) == (1, 1.5, 4, [1]) and calls
    assert decode(Order, '{"a":1,"b":2,"d":[5]}').d == [5]
    assert problems(list[Order], '[{"a":1},{"a":-1}]') == [("hook", (1,))]


# ---- Struct of msgspec


@needs_msgspec
def test_structs():
    class Plain(msgspec.Struct):
        a: int
        b: str = "x"
        c: list = []
        d: dict = msgspec.field(default_factory=dict)

    class Frozen(msgspec.Struct, frozen=True):
        a: int
        b: Any = None

    class Untracked(msgspec.Struct, gc=False):
        a: int
        b: Any = None

    class KeywordOnly(msgspec.Struct, kw_only=True):
        a: int = 0
        b: str

    class Listed(msgspec.Struct, array_like=True):
        a: int
        b: str = "x"

    class Forbids(msgspec.Struct, forbid_unknown_fields=True):
        a: int = 0

    class Renamed(msgspec.Struct, rename="camel"):
        long_name: int
        other: int = msgspec.field(name="o", default=2)

    class Weak(msgspec.Struct, weakref=True, dict=True):
        a: int

    class Posts(msgspec.Struct):
        a: int

        def __post_init__(self):
            self.a += 1
            if self.a == 6:
                raise ValueError("six")

    first, second = Decoder(list[Plain]).decode('[{"a":1},{"a":2}]')
    assert first == Plain(1) and first.c is not second.c and first.d is not second.d
    assert decode(Frozen, '{"b":[1],"a":1}') == Frozen(1, [1])
    assert decode(Untracked, '{"b":{"x":1},"a":1}') == Untracked(1, {"x": 1})
    assert decode(KeywordOnly, '{"b":"y"}') == KeywordOnly(b="y")
    assert decode(Listed, "[1]") == Listed(1) and decode(Listed, '[1,"y"]') == Listed(1, "y")
    assert problems(Forbids, '{"b":1}') == [("unknown", ("b",))]
    assert decode(Renamed, '{"longName":1,"o":3}') == Renamed(1, 3)
    weak = decode(Weak, '{"a":1}')
    assert weakref.ref(weak)() is weak
    weak.more = 1
    assert decode(Posts, '{"a":1}').a == 2
    assert problems(list[Posts], '[{"a":1},{"a":5}]') == [("hook", (1,))]


@needs_msgspec
def test_tagged_structs():
    class Base(msgspec.Struct, tag_field="kind", tag=str.lower):
        a: int

    class Cat(Base):
        pass

    class Dog(Base):
        b: int = 0

    class Number(msgspec.Struct, tag=5):
        pass

    class Other(msgspec.Struct, tag=6):
        pass

    assert decode(Union[Cat, Dog], '{"a":1,"kind":"dog"}') == Dog(1)
    assert decode(Union[Cat, Dog], '{"kind":"cat","a":1}') == Cat(1)
    assert decode(Cat, '{"a":1}') == Cat(1)
    assert problems(Cat, '{"a":1,"kind":"dog"}') == [("tag", ("kind",))]
    assert decode(Union[Number, Other], '{"type":6}') == Other()


@needs_msgspec
def test_cycles_of_structs_are_collected():
    class Node(msgspec.Struct, weakref=True):
        a: int
        b: Any = None

    for document in ('{"a":1}', '{"a":1,"b":[]}', '{"a":1,"b":"text"}'):
        made = Decoder(Node).decode(document)
        seen = weakref.ref(made)
        made.b = made
        del made
        gc.collect()
        assert seen() is None


@needs_msgspec
def test_decoded_structs_are_those_that_msgspec_makes():
    class Line(msgspec.Struct):
        name: str
        count: int = 1

    class Order(msgspec.Struct):
        id: int
        lines: list[Line]
        note: Optional[str] = None

    document = b'{"id":1,"lines":[{"name":"a"},{"name":"\xc3\xa9","count":2}]}'
    made, expected = Decoder(Order).decode(document), msgspec.json.decode(document, type=Order)
    assert made == expected
    assert msgspec.json.encode(made) == msgspec.json.encode(expected)
    assert gc.is_tracked(made) or not gc.is_tracked(expected)
    made.note = [made]
    assert repr(made)
    import copy
    import pickle  # noqa: F401

    assert copy.copy(expected) == expected and copy.deepcopy(Decoder(Line).decode('{"name":"a"}')) == Line("a")


# ---- Any round trip


def test_what_is_encoded_is_decoded():
    import datetime
    import decimal
    import enum
    import uuid

    class Color(enum.Enum):
        RED = "red"

    @dataclass
    class Line:
        name: str
        price: decimal.Decimal
        tags: set[str] = field(default_factory=set)

    @dataclass(slots=True)
    class Order:
        id: uuid.UUID
        at: datetime.datetime
        lines: list[Line]
        color: Color = Color.RED
        took: Optional[datetime.timedelta] = None
        data: bytes = b""

    if not hasattr(ocior, "Encoder"):
        pytest.skip("there is no Encoder yet")
    value = Order(
        uuid.UUID(int=7),
        datetime.datetime(2024, 2, 29, 1, 2, 3, 4, datetime.timezone.utc),
        [Line("a", decimal.Decimal("1.50"), {"x"}), Line("\xe9\u4e2d\U0001f600", decimal.Decimal(0))],
        took=datetime.timedelta(1, 2, 3),
        data=b"\x00\xff",
    )
    encoder = ocior.Encoder(Order, default=ocior.Default(bytes="base64"))
    assert Decoder(Order).decode(encoder.encode(value)) == value


def test_repr_and_type_of_a_decoder():
    decoder = Decoder(list[int])
    assert decoder.type == list[int] and repr(decoder) == "ocior.Decoder(list[int])"
    with pytest.raises(AttributeError):
        decoder.type = int
    with pytest.raises(TypeError):
        Decoder()
    with pytest.raises(TypeError):
        Decoder(int, odd=1)
    with pytest.raises(ValueError):
        Decoder(int, unknown="keep")


def test_what_pydantic_models_raise_is_told():
    pydantic = pytest.importorskip("pydantic")

    class Model(pydantic.BaseModel):
        a: int
        b: str = "x"

    assert decode(Model, '{"a":1}') == Model(a=1)
    assert Decoder(list[Optional[Model]]).decode('[null,{"a":"5"}]') == [None, Model(a=5)]
    assert problems(list[Model], '[{"a":1},{"a":"x"}]') == [("hook", (1,))]
    with pytest.raises(ocior.JSONDecodeError):
        Decoder(list[Model]).decode('[{"a":1},{"a":]')


def test_convert():
    class Money:
        def __init__(self, cents):
            self.cents = cents

        def __eq__(self, other):
            return self.cents == other.cents

    def parse(text):
        if not text.endswith("EUR"):
            raise ValueError("no EUR")
        return Money(int(text[:-3]))

    @dataclass
    class Order:
        price: Annotated[Money, Convert(load=parse, takes=str)]

    assert decode(Order, '{"price":"5EUR"}') == Order(Money(5))
    assert problems(Order, '{"price":"5"}') == [("hook", ("price",))]
    assert problems(Order, '{"price":5}') == [("type", ("price",))]
    assert Decoder(list[Money], convert={Money: Convert(load=parse, takes=str)}).decode('["1EUR"]') == [Money(1)]
    assert Decoder(Annotated[int, Limits(gt=0), Convert(lambda value: value * 2, takes=int)]).decode("4") == 8


def test_literal_fields_of_one_class():
    @dataclass
    class Order:
        kind: Literal["a"]
        n: int = 0

    assert decode(Order, '{"n":1,"kind":"a"}') == Order("a", 1)
    assert problems(Order, '{"kind":"b"}') == [("choice", ("kind",))]
