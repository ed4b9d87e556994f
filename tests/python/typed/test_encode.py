"""What an ocior.Encoder writes of classes that say how: names, tags, what is left out, what is among the fields, functions."""

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import typing
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar, Union

import pytest

import ocior
from ocior._typed.markers import MISSING, Alias, Convert, Missing, Rest, Rules

T = TypeVar("T")


@dataclass
class Plain:
    first_name: str = "Ada"
    number: int = 1


@dataclass
class Money:
    cents: int

    def __str__(self):
        return f"${self.cents / 100}"


class Coin(Money):
    pass


@dataclass
class Camel:
    __ocior__ = Rules(rename="camel")
    first_name: str
    _private_one: int = 2
    odd: Annotated[int, Alias("a-b", "ab")] = 3
    wide: Annotated[int, Alias("\u4e2d\u6587")] = 4
    quoted: Annotated[int, Alias('q"\\\n')] = 5
    long: Annotated[int, Alias("k" * 70)] = 6


@dataclass
class Derived(Camel):
    one_more: int = 7


@dataclass
class Tagged:
    __ocior__ = Rules(tag=("kind", "a"))
    x: Any


@dataclass
class Numbered:
    __ocior__ = Rules(tag=("n", 5))
    x: Any


@dataclass
class TaggedByField:
    __ocior__ = Rules(tag=("kind", "b"))
    x: int = 1
    kind: Literal["b"] = "b"


@dataclass
class NoFields:
    __ocior__ = Rules(tag=("kind", "none"))


@dataclass
class NoNone:
    __ocior__ = Rules(omit="none")
    a: Any = None
    b: Any = 2
    c: Any = None


class Color(enum.Enum):
    RED = 1


@dataclass
class NoDefaults:
    __ocior__ = Rules(omit="defaults")
    required: int
    text: str = "abc"
    number: int = 1000
    real: float = 0.0
    nan: float = float("nan")
    none: Any = None
    many: list = field(default_factory=list)
    named: dict = field(default_factory=dict)
    some: set = field(default_factory=set)
    exact: decimal.Decimal = decimal.Decimal("1.5")
    day: datetime.date = datetime.date(2026, 1, 2)
    pair: tuple = (1, 2)
    color: Color = Color.RED


@dataclass
class MadeByFunction:
    """Whose default is not known before it is made."""

    __ocior__ = Rules(omit="defaults")
    made: list = field(default_factory=lambda: [1])


@dataclass
class Gone:
    a: Union[int, Missing] = MISSING
    b: int = 2
    c: Union[str, None, Missing] = MISSING


@dataclass
class Kept:
    a: int
    rest: Annotated[dict[str, Any], Rest()] = field(default_factory=dict)
    z: int = 9


@dataclass
class Dumped:
    price: Annotated[Money, Convert(dump=str)]
    others: Annotated[list, Convert(dump=len)] = field(default_factory=list)
    maybe: Union[Annotated[Money, Convert(dump=str)], None] = None


@dataclass
class AsArray:
    __ocior__ = Rules(array=True)
    a: int
    b: Any = None
    c: Union[int, Missing] = MISSING
    d: Union[int, Missing] = MISSING


@dataclass
class Slotted:
    __slots__ = ("first_name", "second_name")
    __ocior__ = Rules(rename="camel")
    first_name: str
    second_name: Any


@dataclass(frozen=True)
class Frozen:
    __ocior__ = Rules(rename="upper", omit="none")
    one: int
    two: Any = None


class WithGetattr:
    """No dataclass by itself; the decorator makes one of it."""

    __ocior__ = Rules(rename="camel")
    first_name: int = 1

    def __getattr__(self, name):
        raise AttributeError(name)


WithGetattr.__annotations__ = {"first_name": int}
WithGetattr = dataclass(WithGetattr)

Wide = dataclasses.make_dataclass(
    "Wide", [(f"field_{i}", int, i) for i in range(40)], namespace={"__ocior__": Rules(rename="camel", tag=("t", 1))}
)
WidePlain = dataclasses.make_dataclass("WidePlain", [(f"field_{i}", int, i) for i in range(40)])
WideShort = dataclasses.make_dataclass(
    "WideShort", [(f"field_{i}", int, i) for i in range(40)], namespace={"__ocior__": Rules(omit="defaults")}
)


@dataclass
class Box(Generic[T]):
    __ocior__ = Rules(rename="camel")
    the_item: T


@dataclass
class Node:
    __ocior__ = Rules(rename="camel", omit="none")
    the_next: "Node | None" = None
    all_children: "list[Node]" = field(default_factory=list)


class Typed(TypedDict):
    a_b: int
    c: Any


class Named(NamedTuple):
    a: int
    money: Annotated[Money, Convert(dump=str)]


class Status(enum.IntEnum):
    ON = 1


class Key(str, enum.Enum):
    KIND = "kind of"
    NAME = "na me"


@dataclass
class NamedByEnum:
    __ocior__ = Rules(tag=(Key.KIND, Key.NAME))
    x: Annotated[int, Alias(Key.NAME)] = 1
    y: int = 2


@dataclass
class NumberedByEnum:
    __ocior__ = Rules(tag=("t", Status.ON), rename=lambda name: Key.NAME)
    x: Any = 1


@dataclass
class Strict:
    """Its constructor takes other arguments than fields: it could not be read."""

    __ocior__ = Rules(rename="camel")
    my_x: int
    my_function: typing.Callable[[int], str] = str

    def __init__(self, other):
        self.my_x = other
        self.my_function = None


MONEY_AS_TEXT = {Money: Convert(dump=str)}
WIDE_TEXT = {"t": 1, **{f"field{i}": i for i in range(40)}}

ROWS = {
    "plain": (Plain, Plain("\xe9"), {}, {"first_name": "\xe9", "number": 1}),
    "names": (Camel, Camel("x"), {}, {"firstName": "x", "_privateOne": 2, "a-b": 3, "\u4e2d\u6587": 4, 'q"\\\n': 5, "k" * 70: 6}),
    "names by rules=": (Plain, Plain(), {"rules": {Plain: Rules(rename="pascal")}}, {"FirstName": "Ada", "Number": 1}),
    "names by a function": (Plain, Plain(), {"rules": {Plain: Rules(rename=str.title)}}, {"First_Name": "Ada", "Number": 1}),
    "names by a mapping": (Plain, Plain(), {"rules": {Plain: Rules(rename={"number": "n"})}}, {"first_name": "Ada", "n": 1}),
    "names by Annotated": (Annotated[Plain, Rules(rename="kebab")], Plain(), {}, {"first-name": "Ada", "number": 1}),
    "names in slots": (Slotted, Slotted("a", Slotted("b", None)), {}, {"firstName": "a", "secondName": {"firstName": "b", "secondName": None}}),
    "names of what is frozen": (Frozen, Frozen(1), {}, {"ONE": 1}),
    "names with __getattr__": (WithGetattr, WithGetattr(), {}, {"firstName": 1}),
    "names without private fields": (Camel, Camel("x"), {"default": ocior.Default(private_fields=False)},
                                     {"firstName": "x", "a-b": 3, "\u4e2d\u6587": 4, 'q"\\\n': 5, "k" * 70: 6}),
    "subclass": (Camel, Derived("x"), {}, {"firstName": "x", "_privateOne": 2, "a-b": 3, "\u4e2d\u6587": 4, 'q"\\\n': 5, "k" * 70: 6, "oneMore": 7}),
    "subclass by rules=": (Plain, type("Sub", (Plain,), {})(), {"rules": {Plain: Rules(rename="upper")}}, {"FIRST_NAME": "Ada", "NUMBER": 1}),
    "another class than declared": (int, [Tagged(1)], {}, [{"kind": "a", "x": 1}]),
    "tag": (Tagged, Tagged(Tagged("x")), {}, {"kind": "a", "x": {"kind": "a", "x": "x"}}),
    "names of an enum": (NamedByEnum, [NamedByEnum()] * 2, {}, [{"kind of": "na me", "na me": 1, "y": 2}] * 2),
    "tag of an enum": (NumberedByEnum, NumberedByEnum(NumberedByEnum()), {}, {"t": 1, "na me": {"t": 1, "na me": 1}}),
    "tag of an int": (Union[Tagged, Numbered], Numbered(Numbered(1.5)), {}, {"n": 5, "x": {"n": 5, "x": 1.5}}),
    "tag that is a field": (TaggedByField, TaggedByField(), {}, {"x": 1, "kind": "b"}),
    "tag alone": (NoFields, [NoFields(), {"k": NoFields()}], {}, [{"kind": "none"}, {"k": {"kind": "none"}}]),
    "omit none": (NoNone, [NoNone(), NoNone(0, None, "")], {}, [{"b": 2}, {"a": 0, "c": ""}]),
    "omit none, and nothing is left": (NoNone, [NoNone(b=None), [NoNone(b=None)]], {}, [{}, [{}]]),
    "omit none in slots": (list[Frozen], [Frozen(1), Frozen(None), Frozen(None, 2)], {}, [{"ONE": 1}, {}, {"TWO": 2}]),
    "omit defaults": (NoDefaults, NoDefaults(5), {}, {"required": 5}),
    "omit equal defaults": (NoDefaults, NoDefaults(5, "".join(["a", "bc"]), int("1000"), -0.0, exact=decimal.Decimal("1.50"), pair=tuple([1, 2])), {},
                            {"required": 5, "real": -0.0}),
    "omit no defaults of another type": (NoDefaults, NoDefaults(5, number=1000.0, real=0, many=(), named=[], exact=1.5, pair=[1, 2], color=1), {},
                                         {"required": 5, "number": 1000.0, "real": 0, "many": [], "named": [], "exact": 1.5, "pair": [1, 2],
                                          "color": 1}),
    "omit no other values": (NoDefaults, NoDefaults(5, "abd", many=[1], named={"k": 1}, some={1}), {},
                             {"required": 5, "text": "abd", "many": [1], "named": {"k": 1}, "some": [1]}),
    "omit no default that a function makes": (MadeByFunction, MadeByFunction(), {}, {"made": [1]}),
    "missing": (Gone, [Gone(), Gone(1, c=None), Gone(c="x")], {}, [{"b": 2}, {"a": 1, "b": 2, "c": None}, {"b": 2, "c": "x"}]),
    "rest": (Kept, Kept(1, {"x": [2], "\xe9": {"y": None}}), {}, {"a": 1, "x": [2], "\xe9": {"y": None}, "z": 9}),
    "rest that is empty": (Kept, [Kept(1), Kept(1, None), Kept(1, {})], {}, [{"a": 1, "z": 9}] * 3),
    "rest of many": (Kept, Kept(1, {f"k{i}": i for i in range(100)}), {}, {"a": 1, **{f"k{i}": i for i in range(100)}, "z": 9}),
    "rest of more than is read at once": (Kept, [Kept(1, {f"k{i}": i for i in range(5000)})], {},
                                          [{"a": 1, **{f"k{i}": i for i in range(5000)}, "z": 9}]),
    "rest with other keys": (Kept, Kept(1, {2: "a", None: "b", True: "c", "d": "d"}), {}, {"a": 1, "2": "a", "null": "b", "true": "c", "d": "d", "z": 9}),
    "rest of another mapping": (Kept, [Kept(1, collections.OrderedDict(x=1)), Kept(1, collections.ChainMap({"y": 2}))], {},
                                [{"a": 1, "x": 1, "z": 9}, {"a": 1, "y": 2, "z": 9}]),
    "dump of a field": (Dumped, Dumped(Money(150), [1, 2]), {}, {"price": "$1.5", "others": 2, "maybe": None}),
    "dump of a subclass": (Dumped, Dumped(Coin(150), [], Coin(5)), {}, {"price": "$1.5", "others": 0, "maybe": "$0.05"}),
    "dump of another class": (Dumped, Dumped(3), {}, {"price": 3, "others": 0, "maybe": None}),
    "dump of a class": (Money, [Money(1), {"k": Coin(2)}], {"convert": MONEY_AS_TEXT}, ["$0.01", {"k": "$0.02"}]),
    "dump of a class in fields": (Box[Money], Box(Money(1)), {"convert": MONEY_AS_TEXT}, {"theItem": "$0.01"}),
    "dump of an enum": (Status, [Status.ON], {"convert": {Status: Convert(dump=lambda value: value.name)}}, ["ON"]),
    "dump to an object": (Money, [Money(1)], {"convert": {Money: Convert(dump=lambda value: {"c": [value.cents, Tagged(1)]})}},
                          [{"c": [1, {"kind": "a", "x": 1}]}]),
    "dump of json's types": (list[float], [1.25, 2], {"convert": {float: Convert(dump=round)}}, [1, 2]),
    "dump in a list": (list[Annotated[int, Convert(dump=hex)]], [1, 17, None], {}, ["0x1", "0x11", None]),
    "dump in a dict": (dict[str, Annotated[list[int], Convert(dump=sum)]], {"k": [1, 2]}, {}, {"k": 3}),
    "dump in a tuple": (tuple[int, Annotated[int, Convert(dump=hex)]], (17, 17, 17), {}, [17, "0x11", 17]),
    "dump in a named tuple": (Named, Named(1, Money(100)), {}, [1, "$1.0"]),
    "dump of what is abstract": (Annotated[Sequence, Convert(dump=len)], (1, 2), {}, 2),
    "dump of anything": (list[Annotated[Any, Convert(dump=str)]], [1, None, Money(1)], {}, ["1", "None", "$0.01"]),
    "dump in a union": (list[Union[Annotated[int, Convert(dump=hex)], str, None]], [17, "a", None], {}, ["0x11", "a", None]),
    "array": (AsArray, [AsArray(1), AsArray(1, [2]), AsArray(1, 2, 3), AsArray(1, 2, 3, 4), AsArray(1, d=4)], {},
              [[1, None], [1, [2]], [1, 2, 3], [1, 2, 3, 4], [1, None, None, 4]]),
    "array by rules=": (Plain, Plain(), {"rules": {Plain: Rules(array=True)}}, ["Ada", 1]),
    "array with a tag": (Plain, Plain(), {"rules": {Plain: Rules(array=True, tag=("t", "x"))}}, ["x", "Ada", 1]),
    "wide": (Wide, [Wide(), Wide(field_3="\xe9")], {}, [WIDE_TEXT, {**WIDE_TEXT, "field3": "\xe9"}]),
    "wide and plain": (WidePlain, [WidePlain()] * 2, {}, [{f"field_{i}": i for i in range(40)}] * 2),
    "wide and omitting": (WideShort, [WideShort(), WideShort(field_39=5)], {}, [{}, {"field_39": 5}]),
    "generic": (Box[list[Camel]], Box([Box(1)]), {}, {"theItem": [{"theItem": 1}]}),
    "recursive": (Node, Node(Node(), [Node()]), {}, {"theNext": {"allChildren": []}, "allChildren": [{"allChildren": []}]}),
    "typed dict": (Typed, {"a_b": 1, "c": Plain()}, {}, {"a_b": 1, "c": {"first_name": "Ada", "number": 1}}),
    "typed dict with names": (Annotated[Typed, Rules(rename="camel")], {"a_b": 1, "c": None, "more": 2}, {}, {"aB": 1, "c": None, "more": 2}),
    "typed dicts with names": (list[Annotated[Typed, Rules(rename="camel", omit="none", tag=("t", 1))]], [{"a_b": 1, "c": None}, {"c": 2}], {},
                               [{"t": 1, "aB": 1}, {"c": 2}]),
    "no constructor": (Strict, Strict(4), {}, {"myX": 4, "myFunction": None}),
    "abstract types": (Sequence[Tagged], (Tagged(1), Tagged(2)), {}, [{"kind": "a", "x": 1}, {"kind": "a", "x": 2}]),
    "scalars": (Any, [datetime.date(2026, 1, 2), decimal.Decimal("1.5")], {}, ["2026-01-02", 1.5]),
}  # fmt: skip

LAYOUTS = {
    "compact": {},
    "ascii": {"ensure_ascii": True},
    "json's": {"separators": (", ", ": "), "ensure_ascii": True},
    "indented": {"indent": 2},
    "sorted": {"sort_keys": True},
    "other separators": {"separators": (";", "\u4e2d")},
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_what_is_written(row, layout):
    type_, value, keywords, twin = row
    encoder = ocior.Encoder(type_, **keywords, **layout)
    expected = ocior.dumps_to_bytes(twin, **layout)
    for _ in range(3):
        assert encoder.encode(value) == expected
        assert encoder.encode_str(value) == expected.decode()
    if not keywords:
        assert ocior.dumps_to_bytes(value, type=type_, **layout) == expected
        usual = {"ensure_ascii": False, "separators": (",", ": ") if "indent" in layout else (",", ":"), **layout}
        assert ocior.dumps(value, type=type_, **usual) == expected.decode()


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_many_of_them(row):
    """In lists and dicts, beside each other, so that each road is taken: with frames, and without."""
    type_, value, keywords, twin = row
    encoder = ocior.Encoder(Any if keywords.get("rules") is None and keywords.get("convert") is None else type_, **keywords)
    if "Annotated" in repr(type_) or "dump in" in repr(twin) or type_ in (list[float],) or type_ is Named:
        return  # what is said of places, not of classes
    if isinstance(type_, type) or typing.get_origin(type_) is not list:
        values = [value, [value] * 20, {"k": value}, {"k": [value]}, 1.5, "x" * 300, [[[value]]]]
        twins = [twin, [twin] * 20, {"k": twin}, {"k": [twin]}, 1.5, "x" * 300, [[[twin]]]]
        assert json.loads(encoder.encode(values)) == json.loads(json.dumps(twins))
        assert encoder.encode(values) == ocior.dumps_to_bytes(twins)


def test_dumps_by_default():
    """The text is that of the function, and its defaults hold."""
    value = Tagged("\xe9")
    assert ocior.dumps(value, type=Tagged) == '{"kind": "a", "x": "\\u00e9"}'
    assert ocior.dumps_to_bytes(value, type=Tagged) == '{"kind":"a","x":"\xe9"}'.encode()
    assert ocior.dumps([value], type=list[Tagged], indent=1) == '[\n {\n  "kind": "a",\n  "x": "\\u00e9"\n }\n]'
    assert ocior.dumps({1, 2}, type=set[int]) == "[1, 2]"  # as with default=ocior.default
    assert ocior.dumps(Tagged(1), type=None, default=ocior.default) == '{"x": 1}'


def test_without_a_type_nothing_changes():
    for value, twin in ((Camel("x"), None), (Tagged(1), {"x": 1}), (Kept(1, {"b": 2}), {"a": 1, "rest": {"b": 2}, "z": 9})):
        ocior.dumps(value, type=type(value))
        assert json.loads(ocior.dumps(value, default=ocior.default)) == (dataclasses.asdict(value) if twin is None else twin)


def test_dump_to_a_file(tmp_path):
    path = tmp_path / "a.json"
    for mode in ("w", "wb"):
        with path.open(mode) as file:
            ocior.dump([Tagged("x" * 300)] * 1000, file, type=list[Tagged])
        assert json.loads(path.read_text()) == [{"kind": "a", "x": "x" * 300}] * 1000
    with path.open("w") as file:
        ocior.dump([1, 17], file, type=list[Annotated[int, Convert(dump=hex)]])
    assert path.read_text() == '["0x1", "0x11"]'


def test_with_cls_the_type_goes_there():
    class Own(json.JSONEncoder):
        def __init__(self, *, type, **keywords):
            super().__init__(**keywords)
            self.type = type

        def default(self, value):
            return self.type

    for _ in range(3):
        assert ocior.dumps(Tagged(1), cls=Own, type="t") == '"t"'
        with pytest.raises(TypeError, match="type"):
            ocior.dumps(1, cls=json.JSONEncoder, type=int)


@pytest.mark.parametrize(
    "default, expected",
    {
        "none": (None, TypeError),
        "function": (lambda value: "hook", [{"kind": "a", "x": "hook"}, "2026-01-02"]),
        "Default": (ocior.Default(lambda value: "hook", utc_z=True), [{"kind": "a", "x": "hook"}, "2026-01-02"]),
    }.values(),
)
def test_hooks_for_other_types(default, expected):
    value = [Tagged(object()), datetime.date(2026, 1, 2)]
    for road in (
        lambda: ocior.Encoder(list[Tagged], default=default).encode(value),
        lambda: ocior.dumps(value, type=list[Tagged], default=default),
    ):
        if expected is TypeError:
            with pytest.raises(TypeError, match="object is not JSON serializable|not JSON"):
                road()
        else:
            assert json.loads(road()) == expected


@pytest.mark.parametrize(
    "policies, value, expected",
    {
        "canonical": ({"canonical": True}, Kept(1e30, {"\U0001f600": 1, "\ufb33": 2}), '{"a":1e+30,"z":9,"\U0001f600":1,"\ufb33":2}'),
        "canonical, the names": ({"canonical": True}, Frozen(1, {"b": 1, "a": 2}), '{"ONE":1,"TWO":{"a":2,"b":1}}'),
        "unique": ({"duplicate_keys": "error"}, Kept(1, {"b": 2}), '{"a":1,"b":2,"z":9}'),
        "not unique": ({"duplicate_keys": "error"}, Kept(1, {"a": 2}), ValueError),
        "not unique in the rest": ({"duplicate_keys": "error"}, Kept(1, {"1": 2, 1: 3}), ValueError),
        "canonical, and not unique": ({"canonical": True}, Kept(1, {"a": 2}), ValueError),
        "surrogates": ({"surrogates": "replace"}, Kept("\ud800", {"\ud800": "\udfff"}), '{"a":"\ufffd","\ufffd":"\ufffd","z":9}'),
        "surrogates refused": ({"surrogates": "error"}, Kept("\ud800"), UnicodeEncodeError),
        "depth": ({"max_depth": 2}, Kept(1, {"b": [[]]}), RecursionError),
        "depth that is just allowed": ({"max_depth": 2}, Kept(1, {"b": []}), '{"a":1,"b":[],"z":9}'),
        "integers": ({"integer_bits": 53, "big_integers": "str"}, Kept(2**60, {"b": 2**60}), f'{{"a":"{2**60}","b":"{2**60}","z":9}}'),
        "non-finite": ({"non_finite": "null"}, Kept(float("nan"), {"b": float("inf")}), '{"a":null,"b":null,"z":9}'),
        "slashes": ({"escape_slashes": True}, Kept("/", {"/": "/"}), '{"a":"\\/","\\/":"\\/","z":9}'),
        "keys": ({"keys": True}, Kept(1, {datetime.date(2026, 1, 2): 1}), '{"a":1,"2026-01-02":1,"z":9}'),
        "keys that are none": ({}, Kept(1, {datetime.date(2026, 1, 2): 1}), TypeError),
    }.values(),
)
def test_policies(policies, value, expected):
    encoder = ocior.Encoder(type(value), default=ocior.Default(**policies))
    if isinstance(expected, str):
        assert encoder.encode_str(value) == expected
        assert encoder.encode(value) == expected.encode()
        return
    for method in (encoder.encode, encoder.encode_str):
        with pytest.raises(expected):
            method(value)


def test_skipped_keys():
    assert ocior.Encoder(Kept, skipkeys=True).encode(Kept(1, {(1,): 2, "b": 3})) == b'{"a":1,"b":3,"z":9}'


@pytest.mark.parametrize(
    "type_, keywords, words",
    {
        "no type": (5, {}, "5 is no type"),
        "a value": ([1], {}, "is no type"),
        "two names": (Plain, {"rules": {Plain: Rules(rename=lambda name: "a")}}, "Plain: two fields are 'a' in JSON"),
        "wrong rules": (Plain, {"rules": {Plain: 5}}, "must be an ocior.Rules, not int"),
        "wrong convert": (Plain, {"convert": {Plain: str}}, "must be an ocior.Convert, not type"),
        "no dict": (Plain, {"rules": 5}, "rules must be a dict by class, not int"),
        "unknown keyword": (Plain, {"ruels": {}}, "unexpected keyword argument 'ruels'. Did you mean 'rules'"),
        "json's class": (Plain, {"cls": json.JSONEncoder}, "unexpected keyword argument 'cls'"),
        "default": (Plain, {"default": 5}, "default must be callable or None, not int"),
        "indent": (Plain, {"indent": 1.5}, "indent must be an int"),
        "separators": (Plain, {"separators": (",",)}, "separators a tuple of two str"),
        "rules of no class with fields": (
            Annotated[int, Rules(rename="camel")],
            {},
            "Rules stand beside a class with fields, not beside int",
        ),
        "a rest in an array": (Kept, {"rules": {Kept: Rules(array=True)}}, "Kept.rest: Rest stands once in a class"),
        "two ways": (
            tuple[Annotated[Plain, Rules(rename="camel")], Annotated[Plain, Rules(rename="upper")]],
            {},
            "Plain would have to be written in two ways",
        ),
    }.values(),
)
def test_what_is_refused(type_, keywords, words):
    with pytest.raises(TypeError, match=words.replace("(", r"\(")):
        ocior.Encoder(type_, **keywords)


def test_an_encoder():
    encoder = ocior.Encoder(Plain)
    assert repr(encoder) == "ocior.Encoder(Plain)" and repr(ocior.Encoder(list[int])) == "ocior.Encoder(list[int])"
    with pytest.raises(TypeError):
        ocior.Encoder()
    with pytest.raises(TypeError):
        ocior.Encoder(Plain, Plain)
    with pytest.raises(TypeError):
        encoder.encode()
    with pytest.raises((AttributeError, TypeError)):
        encoder.encode = None


def test_missing_of_other_libraries():
    msgspec = pytest.importorskip("msgspec")
    some = dataclasses.make_dataclass("Some", [("a", Union[int, msgspec.UnsetType], msgspec.UNSET), ("b", int, 2)])
    assert ocior.Encoder(some).encode([some(), some(1)]) == b'[{"b":2},{"a":1,"b":2}]'


def test_structs():
    msgspec = pytest.importorskip("msgspec")
    tagged = msgspec.defstruct("Tagged", [("my_x", object)], tag=True, rename="camel")
    plain = msgspec.defstruct("Plain", [("my_x", object), ("y", object, None)])
    value = [tagged(plain(1)), plain(tagged(2), [3])]
    assert ocior.Encoder(list[Union[tagged, plain]]).encode(value) == msgspec.json.encode(value)
    rules = {plain: Rules(rename="camel", omit="none", tag=("t", 1))}
    assert ocior.Encoder(plain, rules=rules).encode(plain(1)) == b'{"t":1,"myX":1}'
    assert ocior.Encoder(tagged, rules={tagged: Rules(array=True)}).encode(tagged(1)) == b'["Tagged",1]'


def test_attrs():
    attr = pytest.importorskip("attr")
    made = attr.make_class("Made", {"my_x": attr.ib(), "y": attr.ib(default=5), "z": attr.ib(factory=list)}, slots=True)
    assert ocior.Encoder(made, rules={made: Rules(rename="camel", omit="defaults")}).encode([made(1), made(1, 2, [3])]) == (
        b'[{"myX":1},{"myX":1,"y":2,"z":[3]}]'
    )


def test_models_of_pydantic():
    """They are written by their own serializer, as without a type."""
    pydantic = pytest.importorskip("pydantic")

    class Model(pydantic.BaseModel):
        my_x: int = pydantic.Field(1, serialization_alias="myX")

    value = [Model(), Tagged(Model())]
    assert ocior.Encoder(list[Union[Model, Tagged]]).encode(value) == b'[{"my_x":1},{"kind":"a","x":{"my_x":1}}]'
