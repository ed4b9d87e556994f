"""JSON Schemas of types; and that what a schema accepts, the slow reader in typed_reference reads."""

import datetime
import enum
import ipaddress
import json
import sys
import typing
import uuid
from collections import deque
from dataclasses import dataclass, field, make_dataclass
from decimal import Decimal
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, NamedTuple, Optional, Set, Tuple, TypedDict, Union

import pytest
from ocior._typed.hints import compile
from ocior._typed.markers import MISSING, Alias, Convert, Limits, Missing, Rest, Rules, Tag
from ocior._typed.schema import json_schema
from typed_reference import Problems, decode

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Color(enum.Enum):
    """What paint is like."""

    RED = "red"
    BLUE = "blue"


class Mixed(enum.Enum):
    B = 2
    A = "a"


@dataclass
class Item:
    """A thing.

    With a price.
    """

    name: str
    price: Annotated[Decimal, Limits(ge=0)] = Decimal("0.5")
    tags: List[str] = field(default_factory=list)
    parent: "Optional[Item]" = None


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
class Same:
    radius: float


class Point(NamedTuple):
    x: int
    y: int = 0


class Movie(TypedDict, total=False):
    title: str


def of(type, **keywords):
    """The schema without its dialect."""
    made = json_schema(type, **keywords)
    assert made.pop("$schema") == DIALECT
    return made


SIMPLE = [
    (None, {"type": "null"}),
    (bool, {"type": "boolean"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (str, {"type": "string"}),
    (Any, {}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.time, {"type": "string", "format": "time"}),
    (datetime.timedelta, {"type": "string", "format": "duration"}),
    (ipaddress.IPv6Address, {"type": "string", "format": "ipv6"}),
    (ipaddress.IPv4Network, {"type": "string", "format": "ipv4network"}),
    (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    (Union[int, str, None], {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
    (Union[int, Any], {}),
    (Literal["a"], {"const": "a"}),
    (Literal["a", 1, None, True], {"enum": ["a", 1, True, None]}),
    (List[int], {"type": "array", "items": {"type": "integer"}}),
    (list, {"type": "array"}),
    (Set[int], {"type": "array", "items": {"type": "integer"}}),
    (Annotated[Set[int], Limits(min_length=1)], {"type": "array", "items": {"type": "integer"}, "minItems": 1, "uniqueItems": True}),
    (Tuple[int, str], {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"type": "integer"}, {"type": "string"}]}),
    (Tuple[()], {"type": "array", "minItems": 0, "maxItems": 0}),
    (Dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (dict, {"type": "object"}),
    (Dict[uuid.UUID, Any], {"type": "object", "propertyNames": {"type": "string", "format": "uuid"}}),
    (Dict[Literal["a", "b"], Any], {"type": "object", "propertyNames": {"enum": ["a", "b"]}}),
    (Annotated[Dict[str, Any], Limits(min_length=1, max_length=2)], {"type": "object", "minProperties": 1, "maxProperties": 2}),
    (Annotated[int, Limits(gt=0, le=9)], {"type": "integer", "exclusiveMinimum": 0, "maximum": 9}),
    (
        Annotated[float, Limits(ge=0.5, lt=1, multiple_of=0.25)],
        {"type": "number", "minimum": 0.5, "exclusiveMaximum": 1, "multipleOf": 0.25},
    ),
    (Annotated[str, Limits(min_length=1, max_length=3, pattern="^a")], {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^a"}),
    (Annotated[Union[int, str], Limits(gt=0)], {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "string"}]}),
    (Annotated[complex, Convert(complex, takes=str)], {"type": "string"}),
]


@pytest.mark.parametrize(("type", "expected"), SIMPLE, ids=repr)
def test_a_schema_without_definitions(type, expected):
    assert of(type) == expected


def test_what_lax_reading_takes_besides():
    assert of(int, strict=False) == {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?(?:0|[1-9][0-9]*)$"}]}
    assert of(int, strict=False, mode="encode") == {"type": "integer"}


def test_a_class():
    assert of(Item) == {
        "$ref": "#/$defs/Item",
        "$defs": {
            "Item": {
                "title": "Item",
                "description": "A thing.\n\nWith a price.",
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "price": {
                        "anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": of(Decimal)["anyOf"][1]["pattern"]}]
                    },
                    "tags": {"type": "array", "items": {"type": "string"}, "default": []},
                    "parent": {"anyOf": [{"$ref": "#/$defs/Item"}, {"type": "null"}], "default": None},
                },
                "required": ["name"],
            }
        },
    }


def test_what_is_written():
    made = of(Item, mode="encode")["$defs"]["Item"]
    assert made["required"] == ["name", "price", "tags", "parent"]
    assert made["properties"]["price"] == {"type": "number", "minimum": 0}


def test_an_enum():
    assert of(Color) == {
        "$ref": "#/$defs/Color",
        "$defs": {"Color": {"title": "Color", "description": "What paint is like.", "enum": ["red", "blue"]}},
    }
    assert of(Mixed)["$defs"]["Mixed"]["enum"] == [2, "a"]


def test_references_by_a_template():
    made = of(List[Item], ref_template="#/components/schemas/{name}")
    assert made["items"] == {"$ref": "#/components/schemas/Item"}
    assert made["$defs"]["Item"]["properties"]["parent"]["anyOf"][0] == {"$ref": "#/components/schemas/Item"}


class Outer:
    @dataclass
    class Item:
        x: int


def test_names_that_are_alike():
    names = list(of(Tuple[Item, Outer.Item])["$defs"])
    assert names == [f"{__name__}.Item", f"{__name__}.Outer.Item"]
    first, second = (make_dataclass("Same", [("x", int)]) for _ in range(2))
    made = of(Tuple[first, second])
    assert len(made["$defs"]) == 2
    assert [item["$ref"] for item in made["prefixItems"]] == [f"#/$defs/{name}" for name in made["$defs"]]


def test_a_class_of_which_two_forms_are_used():
    made = of(Tuple[Item, Annotated[Item, Rules(rename="upper")]])
    assert sorted(list(found["properties"])[0] for found in made["$defs"].values()) == ["NAME", "name"]


def test_classes_by_a_tag():
    made = of(Union[Cat, Dog])
    assert made["oneOf"] == [{"$ref": "#/$defs/Cat", "required": ["kind"]}, {"$ref": "#/$defs/Dog", "required": ["kind"]}]
    assert made["discriminator"] == {"propertyName": "kind", "mapping": {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"}}
    tagged = of(Annotated[Union[Circle, Square], Tag("t", {"c": Circle, "s": Square})])
    assert tagged["$defs"]["Circle"]["properties"]["t"] == {"const": "c"}
    assert tagged["discriminator"]["mapping"] == {"c": "#/$defs/Circle", "s": "#/$defs/Square"}


def test_classes_by_their_keys():
    assert of(Union[Circle, Square])["anyOf"] == [
        {"$ref": "#/$defs/Circle", "not": {"required": ["side"]}},
        {"$ref": "#/$defs/Square", "not": {"required": ["radius"]}},
    ]


def test_names_and_unknown_keys():
    @dataclass
    class Order:
        __ocior__ = Rules(rename="camel", unknown="forbid")
        order_id: int
        name: Annotated[str, Alias("n", "name")]
        note: Annotated[str, Alias("x", "y")] = ""

    made = of(Order)["$defs"]["Order"]
    assert list(made["properties"]) == ["orderId", "n", "name", "x", "y"]
    assert made["required"] == ["orderId"] and made["anyOf"] == [{"required": ["n"]}, {"required": ["name"]}]
    assert made["additionalProperties"] is False
    written = of(Order, mode="encode")["$defs"]["Order"]
    assert list(written["properties"]) == ["orderId", "n", "x"] and "additionalProperties" not in written


def test_the_other_keys():
    @dataclass
    class Open:
        x: int
        rest: Annotated[Dict[str, int], Rest()]

    made = of(Open)["$defs"]["Open"]
    assert made["properties"] == {"x": {"type": "integer"}} and made["additionalProperties"] == {"type": "integer"}


def test_what_may_be_absent():
    @dataclass
    class Patch:
        __ocior__ = Rules(omit="none")
        a: Union[int, Missing] = MISSING
        b: Optional[int] = None
        c: int = 3

    assert of(Patch)["$defs"]["Patch"]["properties"]["a"] == {"type": "integer"}
    assert of(Patch, mode="encode")["$defs"]["Patch"]["required"] == ["c"]


def test_fields_that_are_not_read_are_written():
    @dataclass
    class Computed:
        x: int
        size: int = field(init=False, default=0)

    assert list(of(Computed)["$defs"]["Computed"]["properties"]) == ["x"]
    assert list(of(Computed, mode="encode")["$defs"]["Computed"]["properties"]) == ["x", "size"]


def test_what_could_not_be_read_can_be_written():
    class Money:
        pass

    order = make_dataclass(
        "Order",
        [("price", Annotated[Money, Convert(dump=str)]), ("rest", Money), ("text", Union[bytes, str]), ("any", Union[Circle, Same])],
    )
    fields = of(order, mode="encode")["$defs"]["Order"]["properties"]
    assert fields["price"] == {} and fields["rest"] == {} and [one["type"] for one in fields["text"]["anyOf"]] == ["string", "string"]
    assert fields["any"] == {"anyOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Same"}]}
    with pytest.raises(TypeError, match="Order.price: ocior does not know how to read Money"):
        json_schema(order)


def test_arrays_of_fields():
    row = of(Annotated[Circle, Rules(array=True)])["$defs"]["Circle"]
    assert row["prefixItems"] == [{"title": "radius", "type": "number"}] and row["minItems"] == 1
    point = of(Point)["$defs"]["Point"]
    assert point["prefixItems"] == [{"title": "x", "type": "integer"}, {"title": "y", "type": "integer", "default": 0}]
    assert (point["minItems"], point["maxItems"]) == (1, 2)
    assert of(Point, mode="encode")["$defs"]["Point"]["minItems"] == 2


def test_descriptions_in_metadata():
    class Doc:
        documentation = "how many"

    assert of(Annotated[int, Doc()]) == {"type": "integer", "description": "how many"}
    order = make_dataclass("Order", [("item", Annotated[Circle, Doc()]), ("count", Annotated[int, Doc()], 5)])
    fields = of(order)["$defs"]["Order"]["properties"]
    assert fields["count"] == {"type": "integer", "description": "how many", "default": 5}
    assert fields["item"] == {"$ref": "#/$defs/Circle", "description": "how many"}


def test_defaults_that_json_has_no_form_for_are_left_out():
    order = make_dataclass("Order", [("a", Any, object()), ("b", Color, Color.RED), ("c", float, float("nan"))])
    fields = of(order)["$defs"]["Order"]["properties"]
    assert fields["a"] == {} and fields["b"] == {"$ref": "#/$defs/Color", "default": "red"} and fields["c"] == {"type": "number"}


def test_recursive_aliases_are_definitions():
    extensions = pytest.importorskip("typing_extensions")
    Json = extensions.TypeAliasType("Json", Union[Dict[str, "Json"], List["Json"], str, None])
    assert of(Json) == {
        "$ref": "#/$defs/Json",
        "$defs": {
            "Json": {
                "anyOf": [
                    {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
                    {"type": "array", "items": {"$ref": "#/$defs/Json"}},
                    {"type": "string"},
                    {"type": "null"},
                ]
            }
        },
    }


def test_models_of_pydantic_have_its_schema():
    pydantic = pytest.importorskip("pydantic")

    class Part(pydantic.BaseModel):
        x: int

    class Model(pydantic.BaseModel):
        part: Part
        more: "List[Model]" = []

    globals()["Model"] = Model
    made = of(List[Model])
    assert made["items"] == {"$ref": "#/$defs/Model"}
    assert made["$defs"]["Model"]["properties"]["part"] == {"$ref": "#/$defs/Part"}
    assert made["$defs"]["Model"]["properties"]["more"]["items"] == {"$ref": "#/$defs/Model"}
    assert made["$defs"]["Part"]["required"] == ["x"]


def test_structs_of_msgspec():
    msgspec = pytest.importorskip("msgspec")

    class Order(msgspec.Struct, tag="o", rename="camel"):
        order_id: Annotated[int, msgspec.Meta(title="number", description="of the order")]

    made = of(Order)["$defs"]["Order"]
    assert made["properties"] == {"type": {"const": "o"}, "orderId": {"type": "integer", "title": "number", "description": "of the order"}}


def test_arguments_that_are_refused():
    with pytest.raises(ValueError, match="mode is 'decode' or 'encode', not 'validation'"):
        json_schema(int, mode="validation")
    with pytest.raises(ValueError, match="ref_template has no {name}"):
        json_schema(int, ref_template="#/x")
    with pytest.raises(TypeError, match="complex: ocior does not know"):
        json_schema(complex)


TYPES = [
    int,
    float,
    Decimal,
    bytes,
    Optional[str],
    Union[int, str, None, bool],
    Annotated[int, Limits(gt=1, multiple_of=2)],
    Annotated[str, Limits(min_length=1, max_length=2, pattern="^a")],
    Annotated[bytes, Limits(min_length=3, max_length=3)],
    Literal["a", 1, None, True],
    Color,
    Mixed,
    List[int],
    FrozenSet[int],
    Annotated[Set[int], Limits(min_length=2)],
    deque[int],
    Tuple[int, str],
    Point,
    Dict[str, int],
    Dict[int, int],
    Dict[bool, int],
    Dict[Color, int],
    Annotated[Dict[str, int], Limits(min_length=1, max_length=1)],
    Item,
    Movie,
    Union[Cat, Dog],
    Union[Cat, Dog, Dict[str, str]],
    Union[Circle, Square],
    Union[Circle, Square, Dict[str, str]],
    Annotated[Union[Circle, Square], Tag("t", {"c": Circle, "s": Square})],
    Annotated[Circle, Rules(array=True)],
    Annotated[Circle, Rules(unknown="forbid")],
    make_dataclass("Aliased", [("x", Annotated[int, Alias("a", "b")]), ("y", Annotated[int, Alias("c", "d")]), ("z", int, 0)]),
    make_dataclass("Open", [("x", int), ("rest", Annotated[Dict[str, str], Rest()])]),
]

DOCUMENTS = [
    *("null", "true", "false", "0", "1", "2", "4", "-3", "1.5", "2.5", '""', '"a"', '"ab"', '"abc"', '"red"', '"1.5"', '"QUJD"', '"QQ=="'),
    *("[]", "[1]", "[1, 1]", "[1, 2]", '[1, "x"]', "[1, 2, 3]", '["x"]', "[[1]]"),
    *("{}", '{"a": 1}', '{"a": 1, "b": 2}', '{"a": "x"}', '{"1": 1}', '{"true": 1}', '{"red": 1}', '{"x": 1}', '{"x": 1, "y": "z"}'),
    *('{"name": "n"}', '{"name": "n", "price": "1.5"}', '{"name": "n", "price": -1}', '{"name": "n", "parent": {"name": "m"}}'),
    *('{"name": 1}', '{"name": "n", "parent": {}}', '{"title": "t"}', '{"title": 1}'),
    *('{"kind": "cat", "lives": 9}', '{"kind": "dog", "name": "n"}', '{"kind": "cat"}', '{"lives": 9}', '{"kind": "bird"}', '{"kind": 1}'),
    *(
        '{"radius": 1}',
        '{"side": 1}',
        '{"radius": 1, "side": 1}',
        '{"side": 1, "radius": "x"}',
        '{"radius": 1, "more": 2}',
        '{"t": "c", "radius": 1}',
    ),
    *('{"t": "s", "radius": 1}', '{"t": "q"}', '{"b": 1, "c": 2}', '{"a": 1, "d": 2, "z": 3}', '{"a": "x", "c": 2}', '{"b": "y"}'),
]


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lax"])
@pytest.mark.parametrize("type", TYPES, ids=lambda type: getattr(type, "__name__", None) or repr(type).replace("typing.", ""))
def test_what_the_schema_accepts_is_read(type, strict):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema(type, strict=strict)
    jsonschema.Draft202012Validator.check_schema(schema)
    accepts = jsonschema.Draft202012Validator(schema).is_valid
    node = compile(type, strict=strict)
    seen = {True: 0, False: 0}
    for document in DOCUMENTS:
        value = decode(node, document)
        is_read = not isinstance(value, Problems)
        is_accepted = accepts(json.loads(document))
        assert is_read or not is_accepted, document
        # Nothing in DOCUMENTS is what a decoder alone accepts, but for objects that tell members apart by the order of their keys.
        assert is_accepted == is_read or "radius" in document, document
        seen[is_read] += 1
    assert min(seen.values()) > 0


def test_schemas_can_be_written_as_json():
    for type in TYPES:
        for mode in ("decode", "encode"):
            json.dumps(json_schema(type, mode=mode), allow_nan=False)


if sys.version_info >= (3, 12):

    def test_aliases_of_the_syntax_of_3_12():
        names: dict = {}
        exec("type Tree[T] = dict[str, Tree[T]] | T", names)
        made = of(names["Tree"][int])
        (name,) = made["$defs"]
        assert made["$ref"] == f"#/$defs/{name}" and name.startswith("Tree")
        assert made["$defs"][name]["anyOf"][0]["additionalProperties"] == made_reference(name)


def made_reference(name):
    return {"$ref": f"#/$defs/{name}"}


def test_the_annotations_stay_as_they_are():
    before = typing.get_type_hints(Item, include_extras=True)
    json_schema(Item)
    assert typing.get_type_hints(Item, include_extras=True) == before
