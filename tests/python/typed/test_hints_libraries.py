"""Classes and markers of other libraries, which are known by their attributes: attrs, msgspec, pydantic, annotated-types."""

import datetime
import subprocess
import sys
from dataclasses import make_dataclass
from typing import Annotated, Any, Generic, List, Literal, Optional, TypeVar, Union

import pytest
from ocior._typed.hints import compile
from ocior._typed.markers import Rules
from typed_nodes import fields_of, object_of, of, shown

T = TypeVar("T")


def test_none_of_them_is_imported():
    code = (
        "import sys\n"
        "from dataclasses import dataclass\n"
        "from ocior._typed.hints import compile\n"
        "from ocior._typed.schema import json_schema\n"
        "@dataclass\nclass A:\n    x: int\n    y: 'list[A]'\n"
        "compile(A), json_schema(A)\n"
        "print([name for name in ('attr', 'attrs', 'msgspec', 'pydantic', 'annotated_types', 'typing_extensions') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_markers_and_problems_import_nothing_slow():
    code = (
        "import json, sys\nbefore = set(sys.modules)\nimport ocior._typed.markers, ocior._typed.problems\n"
        "print(sorted({'typing', 'dataclasses', 'inspect', 'decimal', 'unicodedata', 'datetime'} & (set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


class TestAttrs:
    attrs = pytest.importorskip("attrs")

    def test_fields(self):
        attrs = self.attrs

        @attrs.define
        class Order:
            id: int
            _secret: str
            lines: List[int] = attrs.Factory(list)
            note: Optional[str] = attrs.field(default=None, alias="remark", kw_only=True)
            made: int = attrs.field(init=False, default=7)

        found = object_of(Order)
        assert found.make == "store" and found.post_init is None
        assert fields_of(Order) == [
            "id integer=int",
            "_secret->secret string=str",
            "lines? list<integer=int> = list()",
            "note->remark? null string=str = None",
            "made? integer=int = 7 unread",
        ]

    def test_what_only_the_constructor_does(self):
        attrs = self.attrs

        @attrs.define
        class Converted:
            x: int = attrs.field(converter=abs)

        @attrs.define
        class Validated:
            x: int = attrs.field(validator=attrs.validators.gt(0))

        @attrs.define
        class OfInstance:
            x: int
            y: int = attrs.Factory(lambda instance: instance.x, takes_self=True)
            z: int = 3

        @attrs.define
        class After:
            x: int

            def __attrs_post_init__(self):
                pass

        for cls in (Converted, Validated, OfInstance, After):
            assert object_of(cls).make == "call", cls
        y, z = object_of(OfInstance).fields[1:]
        assert fields_of(OfInstance) == ["x integer=int", "y? integer=int", "z? integer=int = 3"]
        assert (y.positional, z.positional) == (False, False)

    def test_a_converter_is_given_what_its_parameter_is_declared_as(self):
        attrs = self.attrs

        def from_text(text: str) -> int:
            return int(text)

        @attrs.define
        class Order:
            x: int = attrs.field(converter=from_text)
            y: int = attrs.field(converter=int)
            z: int = attrs.field(converter=attrs.converters.optional(from_text), default=None)

        assert fields_of(Order) == ["x string=str", "y integer=int", "z? null string=str = None"]

    @pytest.mark.parametrize("decorate", ["define", "frozen", "mutable"])
    @pytest.mark.parametrize("slots", [True, False])
    def test_frozen_or_not(self, decorate, slots):
        @getattr(self.attrs, decorate)(slots=slots)
        class Order:
            x: int

        assert object_of(Order).make == "store"

    def test_generic_and_derived(self):
        attrs = self.attrs

        @attrs.define
        class Box(Generic[T]):
            item: T

        @attrs.define
        class Ints(Box[int]):
            more: str = ""

        assert fields_of(Box[str]) == ["item string=str"]
        assert fields_of(Ints) == ["item integer=int", "more? string=str = ''"]

    def test_a_constructor_of_its_own(self):
        @self.attrs.define(init=False)
        class Order:
            x: int

            def __init__(self, x):
                self.__attrs_init__(x)

        assert object_of(Order).make == "call"


class TestMsgspec:
    msgspec = pytest.importorskip("msgspec")

    def test_fields(self):
        msgspec = self.msgspec

        class Order(msgspec.Struct, rename="camel", forbid_unknown_fields=True, omit_defaults=True, tag_field="kind", tag="order"):
            order_id: int
            lines: List[int] = []
            note: Union[str, None, msgspec.UnsetType] = msgspec.UNSET
            size: Annotated[int, msgspec.Meta(gt=0)] = msgspec.field(default=1, name="SIZE")
            data: dict = msgspec.field(default_factory=lambda: {"a": 1})

        found = object_of(Order)
        assert (found.make, found.unknown, found.tag_name, found.tag_value) == ("struct", "forbid", "kind", "order")
        assert fields_of(Order) == [
            "order_id->orderId integer=int",
            "lines? list<integer=int> = list()",
            "note? null string=str = UNSET",
            "size->SIZE? integer=int numbers(0,,,,) = 1",
            "data? dict<any> = <lambda>()",
        ]
        assert [one.missing for one in found.fields] == [False, False, True, False, False]
        assert {one.omit for one in found.fields} == {"defaults"}

    def test_generic_keyword_only_and_array(self):
        msgspec = self.msgspec

        class Box(msgspec.Struct, Generic[T], kw_only=True):
            b: int = 1
            item: T

        class Row(msgspec.Struct, array_like=True):
            a: int
            b: str = "x"

        assert fields_of(Box[str]) == ["b? integer=int = 1", "item string=str"]
        assert of(Row) == "array of Row" and fields_of(Row) == ["a integer=int", "b? string=str = 'x'"]

    def test_tags_tell_structs_apart(self):
        msgspec = self.msgspec

        class A(msgspec.Struct, tag=True):
            x: int

        class B(msgspec.Struct, tag=True):
            x: int

        assert of(Union[A, B]) == "union(A, B by type={'A': 0, 'B': 1})"
        with pytest.raises(TypeError, match="a class with a tag is no array"):
            compile(A, rules={A: Rules(array=True)})

    def test_names_of_rules_go_before_its_own(self):
        msgspec = self.msgspec

        class Order(msgspec.Struct, rename="camel"):
            order_id: int

        assert list(object_of(Order, rules={Order: Rules(rename="kebab")}).names) == ["order-id"]

    def test_raw_is_made_of_the_text(self):
        assert of(self.msgspec.Raw) == "model" and compile(self.msgspec.Raw).model(b"[1]") == self.msgspec.Raw(b"[1]")

    def test_the_post_init(self):
        class Order(self.msgspec.Struct):
            x: int

            def __post_init__(self):
                pass

        assert object_of(Order).post_init is Order.__post_init__

    @pytest.mark.parametrize(
        ("keywords", "type", "expected"),
        [
            ({"ge": 1, "lt": 5, "multiple_of": 2}, int, "integer=int numbers(,1,5,,2)"),
            ({"min_length": 1, "pattern": "^a"}, str, "string=str strings(1,,^a)"),
            ({"tz": True}, datetime.datetime, "string=datetime aware"),
            ({"max_length": 2}, list, "list[:2]<any>"),
        ],
        ids=repr,
    )
    def test_meta(self, keywords, type, expected):
        assert of(Annotated[type, self.msgspec.Meta(**keywords)]) == expected

    def test_descriptions(self):
        node = compile(Annotated[int, self.msgspec.Meta(title="t", description="d", examples=[1], extra_json_schema={"x": 1})])
        assert node.notes == {"title": "t", "description": "d", "examples": [1], "extra": {"x": 1}}


class TestPydantic:
    pydantic = pytest.importorskip("pydantic")

    def test_a_model_is_a_leaf(self):
        class Model(self.pydantic.BaseModel):
            x: int

        node = compile(Model)
        assert shown(node) == "model" and node.model(b'{"x": 1}') == Model(x=1)
        assert shown(compile(Optional[Model])) == "null model"
        assert of(List[Model]) == "list<model>"

    def test_a_dataclass_of_pydantic_is_a_leaf(self):
        @self.pydantic.dataclasses.dataclass
        class Model:
            x: int

        node = compile(Model)
        assert shown(node) == "model" and node.model('{"x": 1}') == Model(x=1)

    def test_a_generic_model(self):
        class Box(self.pydantic.BaseModel, Generic[T]):
            item: T

        assert compile(Box[int]).model('{"item": 3}').item == 3

    def test_fields_know_their_names_and_bounds(self):
        pydantic = self.pydantic
        order = make_dataclass(
            "Order",
            [
                ("a", Annotated[int, pydantic.Field(gt=0, alias="A")]),
                ("b", Annotated[str, pydantic.Field(max_length=3, validation_alias=pydantic.AliasChoices("x", "y"), pattern="^a")]),
                ("c", Annotated[int, pydantic.Field(serialization_alias="C", description="d")]),
                ("d", Annotated[int, pydantic.Field(strict=False)]),
            ],
        )
        assert fields_of(order) == [
            "a->A integer=int numbers(0,,,,)",
            "b<-x,y string=str strings(,3,^a)",
            "c->C<-c integer=int",
            "d integer=int real=int string=int",
        ]
        assert object_of(order).fields[2].notes == {"description": "d"}

    def test_a_discriminator(self):
        a = make_dataclass("A", [("kind", Literal["a"])])
        b = make_dataclass("B", [("kind", Literal["b"])])
        assert of(Annotated[Union[a, b], self.pydantic.Field(discriminator="kind")]) == "union(A, B by kind={'a': 0, 'b': 1})"

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (lambda pydantic: pydantic.BeforeValidator(int), "pydantic's BeforeValidator"),
            (lambda pydantic: pydantic.StringConstraints(strip_whitespace=True), "ocior does not know strip_whitespace"),
            (lambda pydantic: pydantic.Field(decimal_places=2), "ocior does not know decimal_places"),
            (lambda pydantic: pydantic.Field(validation_alias=pydantic.AliasPath("a", 0)), "an AliasPath"),
        ],
        ids=["before", "strip", "places", "path"],
    )
    def test_what_would_be_passed_over_is_refused(self, make, words):
        order = make_dataclass("Order", [("a", Annotated[Any if "Before" in words else str, make(self.pydantic)])])
        with pytest.raises(TypeError, match=f"Order.a: .*{words}|Order.a: {words}"):
            compile(order)

    def test_a_validator_behind_the_type_is_a_hook(self):
        node = compile(Annotated[int, self.pydantic.AfterValidator(abs)])
        assert node.hooks[2] is abs

    def test_absent_values(self):
        pydantic_core = pytest.importorskip("pydantic_core")
        if not hasattr(pydantic_core, "MISSING"):
            pytest.skip("this pydantic has no MISSING")
        missing = pydantic_core.MISSING
        order = make_dataclass("Order", [("a", Union[int, missing], missing)])
        assert object_of(order).fields[0].missing and of(order) == "Order"


class TestAnnotatedTypes:
    types = pytest.importorskip("annotated_types")

    @pytest.mark.parametrize(
        ("type", "make", "expected"),
        [
            (int, lambda at: [at.Gt(0), at.Le(9)], "integer=int numbers(0,,,9,)"),
            (int, lambda at: [at.Interval(ge=0, lt=9)], "integer=int numbers(,0,9,,)"),
            (float, lambda at: [at.MultipleOf(0.5)], "integer=float real=float numbers(,,,,0.5)"),
            (str, lambda at: [at.Len(1, 3)], "string=str strings(1,3,)"),
            (list, lambda at: [at.MinLen(2)], "list[2:]<any>"),
            (datetime.datetime, lambda at: [at.Timezone(...)], "string=datetime aware"),
            (datetime.datetime, lambda at: [at.Timezone(None)], "string=datetime naive"),
            (str, lambda at: [at.Predicate(str.isdigit)], "string=str hooks=0000100"),
            (int, lambda at: [at.Unit("m")], "integer=int"),
            (int, lambda at: ["a word", at.doc("documented") if callable(at.doc) else 0], "integer=int"),
        ],
    )
    def test_markers(self, type, make, expected):
        made = type
        for marker in make(self.types):
            made = Annotated[made, marker]
        assert of(made) == expected

    def test_a_predicate(self):
        node = compile(Annotated[str, self.types.Predicate(str.isdigit)])
        assert node.hooks[4]("12") == "12"
        with pytest.raises(ValueError) as caught:
            node.hooks[4]("x")
        assert (caught.value.code, caught.value.expected) == ("value", "isdigit")

    def test_finite_numbers(self):
        node = compile(self.types.IsFinite[float])
        assert node.hooks[3](1.5) == 1.5
        with pytest.raises(ValueError):
            node.hooks[3](float("inf"))

    def test_one_certain_zone(self):
        with pytest.raises(TypeError, match="a Timezone of one certain offset"):
            compile(Annotated[datetime.datetime, self.types.Timezone("Africa/Abidjan")])
