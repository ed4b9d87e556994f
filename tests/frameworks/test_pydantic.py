"""Models, dataclasses and types of pydantic: an ocior.Default writes what their model_dump_json() gives, spaced as the call wants it."""

import collections
import dataclasses
import datetime
import decimal
import enum
import itertools
import json
import math
import pathlib
import sys
import typing
import uuid
import warnings

import pytest

import ocior
from ocior import Default

pydantic = pytest.importorskip("pydantic", minversion="2")
import pydantic_core  # noqa: E402
from pydantic import BaseModel, ConfigDict, Field, RootModel, SecretBytes, SecretStr, TypeAdapter, field_serializer  # noqa: E402

NAN, INF = float("nan"), float("inf")
DAY = datetime.date(2020, 1, 2)
ID = uuid.UUID(int=7)

KEYWORDS = [
    {},
    {"ensure_ascii": False},
    {"indent": 2},
    {"indent": "\t", "separators": (" ,", " : ")},
    {"sort_keys": True, "separators": (",", ":")},
]


class Kind(enum.Enum):
    NUMBER = 1
    WORD = "word"
    DAY = DAY


class Pair(typing.NamedTuple):
    a: int = 1
    b: object = NAN


@dataclasses.dataclass
class Point:
    x: object = NAN
    y: object = b"a"


class Text(str):
    pass


VALUES = {
    "nan": NAN,
    "infinities": [INF, -INF],
    "nan in a dict": {"k": NAN},
    "keys that are floats": {NAN: 1, -INF: 2, 1.5: 3},
    "keys that are words": {True: 1, None: 2},
    "two keys with one text": {1: 1, "1": 2},
    "bytes": b"ab",
    "a key of bytes": {b"k": b"v"},
    "bytearray": bytearray(b"q"),
    "timedelta": datetime.timedelta(days=1, microseconds=5),
    "a key that is a timedelta": {datetime.timedelta(1): 1},
    "decimal": [decimal.Decimal("1.50"), decimal.Decimal("1E+30"), decimal.Decimal("NaN")],
    "a key that is a decimal": {decimal.Decimal("1.5"): 1},
    "UUID": [ID, {ID: ID}],
    "enum": list(Kind),
    "keys that are members": {kind: kind for kind in Kind},
    "tuple": (1, (2,)),
    "a key that is a tuple": {(1, "a", DAY): 1},
    "dates and times": [DAY, datetime.time(1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5, 6, datetime.timezone.utc)],
    "a key that is a date": {DAY: 1},
    "sets": [{1}, frozenset("a")],
    "path": [pathlib.Path("/a"), {pathlib.Path("/a"): 1}],
    "complex": [1 + 2j, {1j: 2}],
    "big integers": [2**70, -(2**70)],
    "floats": [1e22, 1e-7, 1e16, -0.0, 5e-324, 1.7976931348623157e308, 123456789.123, 0.1, 100.0],
    "characters": '\x00\x1f\x7f\x80\xe9\u2028\u4e2d\U0001f600/"\\<&>',
    "key with characters": {"\x00\xe9\u2028\U0001f600": 1},
    "secret": [SecretStr("x"), SecretBytes(b"x")],
    "URL": [pydantic.HttpUrl("https://a.b/c"), pydantic.AnyUrl("x://y")],
    "a key that is a URL": {pydantic.HttpUrl("https://a.b/c"): 1},
    "derived": [Text("s"), {Text("k"): 1}, collections.OrderedDict(a=NAN), collections.Counter("aab")],
    "named tuple": Pair(),
    "dataclass": [Point(), Point(Point(DAY))],
    "empty": ["", [], {}, (), None],
    "nested": {"a": {"b": {1: {2.5: [NAN, [[b"x"]]]}}}},
}

CONFIGS = [
    {},
    *({"ser_json_inf_nan": word} for word in ("null", "constants", "strings")),
    *({"ser_json_bytes": word} for word in ("utf8", "base64", "hex")),
    *({"ser_json_timedelta": word} for word in ("iso8601", "float")),
]


def same(found, expected):
    """As text, in which NaN is equal to itself."""
    return json.dumps(json.loads(found)) == json.dumps(json.loads(expected))


def check(value, expected):
    """That ocior writes what pydantic has written, at every place, spaced as json spaces it."""
    twin = json.loads(expected)
    for place in (lambda it: it, lambda it: [it, 1, it], lambda it: {"\u4e2d": (it, {"k": it})}):
        for keywords in KEYWORDS:
            assert ocior.dumps(place(value), default=ocior.default, **keywords) == json.dumps(place(twin), **keywords)
        assert same(ocior.dumps_to_bytes(place(value), default=ocior.default), json.dumps(place(twin)))
        assert "".join(ocior.JSONEncoder(default=ocior.default).iterencode(place(value))) == json.dumps(place(twin))
        assert json.dumps(place(value), default=ocior.default) == json.dumps(place(twin))


@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize("name", VALUES)
def test_values(name, config):
    """In a model, a RootModel and a dataclass of pydantic, by each of pydantic's settings."""
    settings = ConfigDict(arbitrary_types_allowed=True, **config)

    class Model(BaseModel):
        model_config = settings
        v: typing.Any

    class Root(RootModel[typing.Any]):
        model_config = settings

    @pydantic.dataclasses.dataclass(config=settings)
    class Data:
        v: typing.Any

    value = VALUES[name]
    for made in (Model(v=value), Root(value)):
        check(made, made.model_dump_json())
    check(Data(value), TypeAdapter(Data).dump_json(Data(value)))


class Fields(BaseModel):
    a: float = 1.0
    b: dict[float, float] = {}
    c: list[float] = []
    d: float | None = None
    e: typing.Union[float, str] = 1.0
    f: bytes = b""
    g: datetime.timedelta = datetime.timedelta(1)
    h: dict[bytes, bytes] = {}
    i: dict[tuple[int, datetime.date], int] = {}
    j: dict[Kind, Kind] = {}
    k: set[int] = set()
    l: decimal.Decimal = decimal.Decimal("1.50")  # noqa: E741
    m: tuple[int, ...] = ()


@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize(
    "fields",
    [
        {"a": NAN},
        {"a": INF},
        {"a": 1e22},
        {"b": {NAN: NAN, INF: -INF}},
        {"c": [NAN, INF, 1e22, 1e-9]},
        {"d": NAN},
        {"e": -INF},
        {"f": b"\x00a"},
        {"h": {b"k": b"v"}},
        {"i": {(1, DAY): 5}},
        {"j": {Kind.DAY: Kind.NUMBER}},
        {"k": {5}, "m": (1, 2), "l": decimal.Decimal("NaN")},
    ],
    ids=str,
)
def test_fields(fields, config):
    """Of a type that pydantic knows."""
    model = type("Model", (Fields,), {"model_config": ConfigDict(allow_inf_nan=True, **config), "__annotations__": {}})
    made = model.model_construct(**{**{name: field.default for name, field in model.model_fields.items()}, **fields})
    check(made, made.model_dump_json())


def test_a_serializer_for_json_alone():
    """A number that is masked does not go out."""

    class Card(BaseModel):
        number: str

        @field_serializer("number", when_used="json")
        def mask(self, number):
            return "*" * 12 + number[-4:]

    @pydantic.dataclasses.dataclass
    class Holder:
        card: Card
        pin: int

        @field_serializer("pin", when_used="json")
        def hide(self, pin):
            return None

    class Wallet(Card):
        cards: list[Card]
        by_name: dict[datetime.date, Card]

    card = Card(number="4111111111111111")
    wallet = Wallet(number="1" * 16, cards=[card], by_name={DAY: card})
    for value in (card, [card], {"k": (card,)}, Holder(card, 1234), Point(card, None), wallet):
        text = ocior.dumps(value, default=ocior.default)
        assert "4111" not in text.replace("*1111", "") and "1234" not in text and "************1111" in text
    check(card, card.model_dump_json())
    check(wallet, wallet.model_dump_json())


T = typing.TypeVar("T")


class Cat(BaseModel):
    kind: typing.Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: typing.Literal["dog"] = "dog"
    bones: list[pathlib.Path] = [pathlib.Path("/b")]


class Owner(BaseModel, typing.Generic[T]):
    pet: typing.Annotated[Cat | Dog, Field(discriminator="kind")]
    more: T


class Node(BaseModel):
    children: "list[Node]" = []
    at: datetime.date = DAY


class Aliased(BaseModel):
    model_config = ConfigDict(extra="allow", alias_generator=lambda name: name.upper(), populate_by_name=True)
    first: int = 1
    second: datetime.date = Field(DAY, serialization_alias="other one")

    @pydantic.computed_field
    @property
    def both(self) -> complex:
        return complex(self.first)


class ByAlias(Aliased):
    model_config = ConfigDict(serialize_by_alias=True)


class Whole(BaseModel):
    x: int = 1

    @pydantic.model_serializer
    def serialize(self):
        return [self.x, DAY]


class Excluded(BaseModel):
    x: int = 1
    y: int = Field(2, exclude=True)
    _private: int = 3


class Late(BaseModel):
    model_config = ConfigDict(defer_build=True)
    x: datetime.date = DAY


@pytest.mark.parametrize(
    "model",
    [
        Owner[datetime.date](pet=Dog(), more=DAY),
        Owner[Cat](pet=Cat(), more=Cat(lives=2)),
        Node(children=[Node(), Node(children=[Node()])]),
        Aliased(first=5, third=b"x"),
        ByAlias(first=5, third=b"x"),
        RootModel[dict[datetime.date, ByAlias]]({DAY: ByAlias()}),
        RootModel[str]("text"),
        RootModel[int](2**70),
        RootModel[None](None),
        Whole(),
        Excluded(),
        Late(),
        Late.model_construct(),
        Excluded.model_construct(x=DAY),
    ],
    ids=lambda model: type(model).__name__,
)
def test_classes(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(model, model.model_dump_json())


def test_keys():
    """A model is a key where its JSON is a string, a number or a word."""

    class Key(RootModel[typing.Any]):
        model_config = ConfigDict(frozen=True)

    keys = Default(keys=True)
    assert ocior.dumps({Key("k"): 1, Key(1.5): 2, Key(None): 3, Key(DAY): 4}, default=keys) == (
        '{"k": 1, "1.5": 2, "null": 3, "2020-01-02": 4}'
    )
    assert ocior.dumps({Key("b"): 1, Key("a"): 2}, default=keys, sort_keys=True) == '{"a": 2, "b": 1}'
    for key in (Key((1,)), Cat):
        with pytest.raises(TypeError):
            ocior.dumps({key: 1}, default=keys)
    with pytest.raises(TypeError):
        ocior.dumps({Key("k"): 1}, default=ocior.default)


def test_policies():
    """They hold for what a model writes."""

    class Model(BaseModel):
        model_config = ConfigDict(ser_json_inf_nan="constants")
        b: typing.Any
        a: typing.Any = "</\u2028>"

    for options, value, expected in [
        ({"non_finite": "null"}, NAN, '{"b": null, "a": "</\\u2028>"}'),
        ({"big_integers": "str"}, 2**70, '{"b": "1180591620717411303424", "a": "</\\u2028>"}'),
        ({"html_safe": True}, 1, '{"b": 1, "a": "\\u003c/\\u2028\\u003e"}'),
        ({"canonical": True}, [1e21, 1.0], '{"a":"</\u2028>","b":[1e+21,1]}'),
        ({"private_fields": False, "enum": "name"}, Kind.NUMBER, '{"b": 1, "a": "</\\u2028>"}'),
    ]:
        assert ocior.dumps(Model(b=value), default=Default(**options)) == expected
    assert ocior.dumps(Model(b=[1, [2]]), default=Default(short_arrays=9), indent=1, sort_keys=True) == (
        '{\n "a": "</\\u2028>",\n "b": [\n  1,\n  [2]\n ]\n}'
    )
    for options, value, keywords in [
        ({"non_finite": "error"}, NAN, {}),
        ({}, NAN, {"allow_nan": False}),
        ({"big_integers": "error"}, 2**70, {}),
        ({"duplicate_keys": "error"}, {1: 2, "1": 3}, {}),
        ({"canonical": True}, {1: 2, "1": 3}, {}),
    ]:
        with pytest.raises(ValueError):
            ocior.dumps([Model(b=value)], default=Default(**options), **keywords)
    with pytest.raises(RecursionError):
        ocior.dumps([Model(b=[[1]])], default=Default(max_depth=3))


def test_types_that_pydantic_does_not_know():
    """Are written as the Default has them, and are its fallback's else."""
    numpy = pytest.importorskip("numpy")

    class Odd:
        pass

    class Model(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        v: typing.Any
        w: numpy.ndarray = numpy.arange(3)

    assert ocior.dumps(Model(v=numpy.float32(1.5)), default=ocior.default) == '{"v": 1.5, "w": [0, 1, 2]}'
    assert ocior.dumps(Model(v=[Odd()]), default=Default(lambda value: {DAY})) == '{"v": [["2020-01-02"]], "w": [0, 1, 2]}'
    with pytest.raises(ValueError, match="Odd is not JSON serializable") as caught:
        ocior.dumps([0, Model(v=Odd())], default=ocior.default)
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__[-1] == "when serializing list item 1"


def test_methods_of_a_model():
    """Its own model_dump_json() counts; its model_dump() does not, as in pydantic."""

    class Own(BaseModel):
        x: int = 1
        y: int | None = None

        def model_dump_json(self, **keywords):
            return super().model_dump_json(exclude_none=True, indent=3, **keywords)

    class Dump(BaseModel):
        x: int = 1

        def model_dump(self, **keywords):
            raise AssertionError

    class Holder(BaseModel):
        own: Own = Own()

    assert ocior.dumps([Own()], default=ocior.default) == '[{"x": 1}]'
    for model in (Dump(), Holder()):
        check(model, model.model_dump_json())


def test_attributes_of_a_model():
    """What an instance has by the names that are looked up in its class changes nothing."""

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        x: int = 1

    model = Open(**{"__json__": 1, "model_dump_json": 2, "to_json": 3})
    vars(model).update(__json__=1, __pydantic_serializer__=2)
    check(model, type(model).__pydantic_serializer__.to_json(model))


def test_errors():
    """pydantic's own, with notes of the place."""

    class Model(BaseModel):
        v: typing.Any

        @field_serializer("v")
        def serialize(self, v):
            return v() if callable(v) else v

    def fail():
        raise ZeroDivisionError("here")

    for value in (fail, b"\xff", "\ud800"):
        with pytest.raises(ValueError) as expected:
            Model(v=value).model_dump_json()
        with pytest.raises(ValueError) as found:
            ocior.dumps({"a": [0, Model(v=value)]}, default=ocior.default)
        assert type(found.value) is type(expected.value) and str(found.value) == str(expected.value)
        if sys.version_info >= (3, 11):
            assert found.value.__notes__ == ["when serializing list item 1", "when serializing dict item 'a'"]


def test_a_serializer_that_changes_what_is_written():
    class Model(BaseModel):
        v: int = 1

        @field_serializer("v")
        def serialize(self, v):
            outer.clear()
            inner[:] = ["x"] * 100
            return v

    def in_pieces(value, **keywords):
        return "".join(ocior.JSONEncoder(**keywords).iterencode(value))

    for road, keywords in itertools.product((ocior.dumps, in_pieces), KEYWORDS):
        inner, outer = [], {}
        for values in ([inner, 1], [outer, inner], [Point(outer, inner), inner]):
            inner[:] = [Model(), Model(), 3]
            outer.update({"a": inner, "b": [inner]})
            try:
                json.loads(road(values, default=ocior.default, **keywords))
            except RuntimeError as error:  # the words of json
                assert "changed size during iteration" in str(error)


def test_circles_and_depth():
    """Also where each turn goes through pydantic and back."""

    class Odd:
        def __json__(self):
            return self.model

    class Model(BaseModel):
        v: typing.Any = None

    model, odd = Model(), Odd()
    model.v = odd
    odd.model = [model]
    with pytest.raises((ValueError, RecursionError)):
        ocior.dumps(model, default=ocior.default)
    model.v = [model]
    with pytest.raises(ValueError):
        ocior.dumps(model, default=ocior.default)
    model = Model()
    for depth in range(1, 5000):
        odd = Odd()
        odd.model = model
        model = Model.model_construct(v=odd)
        if depth == 25:
            assert ocior.dumps(model, default=ocior.default) == '{"v": ' * 26 + "null" + "}" * 26
    with pytest.raises((ValueError, RecursionError)):
        ocior.dumps(model, default=ocior.default)
    while odd:  # whose objects would be freed by recursion
        model, odd = None, getattr(odd.model, "v", None)


class Code(pydantic.Secret[int]):
    pass


def test_types():
    """URLs and secrets outside of a model are written as inside."""
    for value in [
        pydantic.HttpUrl("https://a.b/\xe9"),
        pydantic.PostgresDsn("postgres://u:p@h:1/d"),
        pydantic.AnyUrl("x://y"),
        SecretStr("x"),
        SecretBytes(b"x"),
        Code(5),
    ]:
        check(value, TypeAdapter(type(value)).dump_json(value))
    url = pydantic.HttpUrl("https://a.b/")
    assert ocior.dumps({url: url}, default=Default(keys=True)) == '{"https://a.b/": "https://a.b/"}'
    check([pydantic_core.Url("https://a.b"), pydantic_core.MultiHostUrl("x://a,b")], '["https://a.b/", "x://a,b"]')


def test_old_models():
    """Of pydantic 1: what json() gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = pytest.importorskip("pydantic.v1", exc_type=ImportError)
        try:

            class Inner(old.BaseModel):
                at: datetime.date = DAY
                secret: old.SecretStr = old.SecretStr("x")
                data: bytes = b"b"

            class Model(old.BaseModel):
                class Config:
                    arbitrary_types_allowed = True
                    json_encoders = {complex: str}

                c: complex = 1j
                inner: Inner = Inner()
                n: float = math.inf

        except Exception as error:  # pydantic.v1 does not go on every version of Python
            pytest.skip(str(error))
    check(Model(), Model().json())
