"""Decoding and encoding with declared types as people write it. mypy and pyright check what types come out, and that they notice what is
wrong (each `type: ignore` must be needed); then it is run."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, NamedTuple, Optional, TypeVar, Union
from uuid import UUID

import ocior
from ocior import MISSING, Alias, Convert, Decoder, Encoder, Lax, Limits, Missing, Rest, Rules, Tag
from typing_extensions import NotRequired, TypedDict, assert_type

T = TypeVar("T")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Money:
    cents: int

    @classmethod
    def parse(cls, text: str) -> "Money":
        return cls(round(Decimal(text) * 100))

    def __str__(self) -> str:
        return f"{self.cents / 100:.2f}"


@dataclass
class Line:
    __ocior__ = Rules(rename="camel", unknown="forbid", omit="defaults")
    unit_price: Annotated[Money, Convert(load=Money.parse, takes=str, dump=str)]
    count: Annotated[int, Limits(gt=0)] = 1
    note: Union[str, Missing] = MISSING


@dataclass
class Order:
    id: UUID
    due: date
    colour: Colour
    lines: list[Line] = field(default_factory=list[Line])
    first_name: Annotated[str, Alias("firstName", "first_name")] = ""
    rest: Annotated[dict[str, Any], Rest()] = field(default_factory=dict[str, Any])


class Point(NamedTuple):
    x: float
    y: float = 0.0


class Circle(TypedDict):
    kind: Literal["circle"]
    radius: float


class Square(TypedDict):
    kind: Literal["square"]
    side: float
    name: NotRequired[str]


@dataclass
class Page(Generic[T]):
    items: list[T]
    next: Optional[str] = None


Shape = Union[Circle, Square]
Tagged = Annotated[Union[Circle, Square], Tag("kind", {"circle": Circle, "square": Square})]

ORDER = (
    '{"id": "00000000-0000-0000-0000-000000000007", "due": "2026-01-02", "colour": "red", "lines": [{"unitPrice": "1.25"}],'
    ' "first_name": "Ada", "more": 1}'
)


def decoding() -> None:
    order = ocior.loads(ORDER, type=Order)
    assert_type(order, Order)
    assert_type(order.lines[0].unit_price, Money)
    assert order.lines[0].unit_price.cents == 125 and order.rest == {"more": 1} and order.first_name == "Ada"
    assert_type(ocior.loads(b"[1, 2]", type=list[int]), list[int])
    assert_type(ocior.loads(bytearray(b'{"a": null}'), type=dict[str, Optional[int]]), dict[str, Optional[int]])
    assert_type(ocior.loads("null", type=Optional[Order]), Optional[Order])
    assert_type(ocior.loads('"a"', type=Union[int, str]), Union[int, str])
    assert_type(ocior.loads('"red"', type=Colour), Colour)
    assert_type(ocior.loads('"a"', type=Literal["a", "b"]), Literal["a", "b"])
    assert_type(ocior.loads("[1, 2]", type=Point), Point)
    assert_type(ocior.loads('[1, "a"]', type=tuple[int, str]), tuple[int, str])
    assert_type(ocior.loads('{"kind": "circle", "radius": 1}', type=Circle), Circle)
    assert_type(ocior.loads('{"kind": "circle", "radius": 1}', type=Shape), Union[Circle, Square])
    assert_type(ocior.loads('{"kind": "circle", "radius": 1}', type=Tagged), Union[Circle, Square])
    assert_type(ocior.loads('{"items": [1]}', type=Page[int]), Page[int])
    assert_type(ocior.loads("[1]", type=Sequence[int]), Sequence[int])
    assert_type(ocior.loads("{}", type=Mapping[str, date]), Mapping[str, date])
    assert_type(ocior.loads("5", type=Annotated[int, Limits(le=5)]), int)
    anything: Any = ocior.loads("[1]", type=Any)
    assert anything == [1]
    assert_type(ocior.loads("[1]", type=None), Any)
    assert_type(ocior.loads('"12"', type=int, strict=False), int)
    assert_type(ocior.loads('["12"]', type=list[Annotated[int, Lax()]]), list[int])
    assert_type(ocior.loads("[1]", type=list[int], duplicate_keys="error", non_finite="null", max_depth=9), list[int])
    assert_type(ocior.load(io.BytesIO(b"[1]"), type=list[int]), list[int])
    assert_type(ocior.load(io.StringIO("1"), type=Union[int, str], strict=False), Union[int, str])


def decoder_of(type: type[T]) -> Decoder[T]:
    return Decoder(type)


def decoders() -> None:
    decoder = Decoder(list[Order], strict=False, unknown="ignore", max_errors=10, surrogates="error")
    assert_type(decoder, Decoder[list[Order]])
    assert_type(decoder.decode(f"[{ORDER}]"), list[Order])
    assert_type(decoder.decode(memoryview(b"[]")), list[Order])
    kept: Decoder[Union[int, str]] = Decoder(Union[int, str])
    assert_type(kept.decode("1"), Union[int, str])
    rules = {Money: Rules(rename={"cents": "c"})}
    assert_type(Decoder(Money, rules=rules).decode('{"c": 1}'), Money)
    convert = {complex: Convert(load=complex, takes=str, dump=str)}
    assert_type(Decoder(complex, convert=convert).decode('"1j"'), complex)
    assert_type(decoder_of(Order).decode(ORDER), Order)
    assert_type(decoder.type, Any)


def encoding() -> None:
    order = ocior.loads(ORDER, type=Order)
    encoder = Encoder(Order)
    assert_type(encoder.encode(order), bytes)
    assert_type(encoder.encode_str(order), str)
    assert_type(Encoder(list[Order], indent=2, default=repr, sort_keys=True).encode([order]), bytes)
    assert_type(Encoder(Union[int, None], ensure_ascii=True, allow_nan=False).encode(1), bytes)
    assert_type(ocior.dumps(order, type=Order), str)
    assert_type(ocior.dumps_to_bytes([order], type=list[Order], indent=2), bytes)
    ocior.dump(order, io.StringIO(), type=Order)
    assert_type(ocior.json_schema(list[Order]), dict[str, Any])
    assert_type(ocior.json_schema(Order, strict=False, unknown="forbid", rules={Money: Rules(array=True)}), dict[str, Any])
    assert_type(ocior.json_schema(Optional[int], mode="encode", ref_template="#/components/schemas/{name}"), dict[str, Any])


def absent() -> None:
    line = ocior.loads('{"unitPrice": "1"}', type=Line)
    if line.note is not MISSING:
        assert_type(line.note, str)
    elif line.note is ocior.MISSING:
        assert_type(line.note, Literal[Missing.MISSING])
    only: Missing = MISSING
    assert not only


def errors() -> None:
    try:
        ocior.loads('{"at": [1, "x"]}', type=dict[str, list[int]])
    except ocior.ValidationError as error:
        assert_type(error.errors, tuple[ocior.Problem, ...])
        assert_type((error.path, error.snippet), tuple[str, str])
        assert_type((error.pos, error.lineno, error.colno), tuple[int, int, int])
        problem = error.errors[0]
        assert_type(problem.path, tuple[Union[str, int], ...])
        assert_type((problem.code, problem.where, problem.pointer, problem.message), tuple[str, str, str, str])
        assert_type((problem.start, problem.end), tuple[int, int])
        assert_type(problem.expected, Any)
        assert_type(problem.cause, Optional[BaseException])
        assert problem.path == ("at", 1) and problem.pointer == "/at/1"
    as_standard: type[ValueError] = ocior.ValidationError
    assert not issubclass(as_standard, ocior.JSONDecodeError)


def markers() -> None:
    Rules(rename=str.upper, tag=("kind", 1), array=True)
    Rules(rename={"a": "b"}, omit="none", unknown="ignore")
    Limits(ge=datetime(2026, 1, 1), tz=False)
    Limits(multiple_of=Decimal("0.1"), min_length=1, max_length=9, pattern="^a")
    Convert(dump=str)
    assert_type(Alias("a", "b").names, tuple[str, ...])
    Tag("kind")


if TYPE_CHECKING:  # what the checkers have to refuse
    ocior.loads("1", type=3)  # type: ignore
    ocior.loads(1, type=int)  # type: ignore
    ocior.loads("1", int)  # type: ignore
    ocior.loads("1", type=int, object_hook=dict)  # type: ignore
    ocior.loads("1", type=int, parse_float=Decimal)  # type: ignore
    ocior.loads("1", type=int, strict="no")  # type: ignore
    ocior.loads("1", type=int, unknown="forbid")  # type: ignore
    ocior.loads("1", type=list[int], max_dept=1)  # type: ignore
    ocior.load("path.json", type=int)  # type: ignore
    wrong_class: str = ocior.loads("1", type=int)  # type: ignore
    wrong_item: list[str] = ocior.loads("[1]", type=list[int])  # type: ignore
    wrong_union: int = ocior.loads("1", type=Union[int, str])  # type: ignore
    ocior.loads("{}", type=Order).nothing  # type: ignore
    Decoder()  # type: ignore
    Decoder(3)  # type: ignore
    Decoder(Order, "strict")  # type: ignore
    Decoder(Order, unknown="keep")  # type: ignore
    Decoder(Order, max_errors=None)  # type: ignore
    Decoder(Order, rules={Order: "camel"})  # type: ignore
    Decoder(Order, convert={Money: Money.parse})  # type: ignore
    Decoder(Order).decode(1)  # type: ignore
    Decoder(Order).decode("1").nothing  # type: ignore
    wrong_decoder: Decoder[str] = Decoder(int)  # type: ignore
    Decoder(Order).encode("1")  # type: ignore
    Decoder(Order).type = Line  # type: ignore
    wrong_bytes: str = Encoder(Order).encode(1)  # type: ignore
    Encoder()  # type: ignore
    Encoder(type=Order)  # type: ignore
    Encoder(Order, strict=False)  # type: ignore
    Encoder(Order, indent=1.5)  # type: ignore
    ocior.dumps([1], type=3)  # type: ignore
    ocior.json_schema()  # type: ignore
    ocior.json_schema(Order, mode="read")  # type: ignore
    ocior.json_schema(Order, "encode")  # type: ignore
    Alias(1)  # type: ignore
    Limits(1)  # type: ignore
    Limits(min_length="1")  # type: ignore
    Limits(above=1)  # type: ignore
    Lax(True)  # type: ignore
    Rules(rename="snake")  # type: ignore
    Rules(omit=True)  # type: ignore
    Rules(tag="kind")  # type: ignore
    Convert(1)  # type: ignore
    Convert(dump="str")  # type: ignore
    Tag(1)  # type: ignore
    wrong_missing: int = MISSING  # type: ignore
    ocior.ValidationError("[]", []).errors = ()  # type: ignore


if __name__ == "__main__":
    for usage in (decoding, decoders, encoding, absent, errors, markers):
        usage()
