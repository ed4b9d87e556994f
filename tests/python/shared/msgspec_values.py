"""Types, documents and values for the tests of ocior.compat.msgspec: chosen ones, and random ones. Needs msgspec."""

import datetime
import decimal
import enum
import math
import random
import uuid
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Optional, TypedDict, Union

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

try:
    import attrs
except ModuleNotFoundError:
    attrs = None


class Point(Struct):
    a: int
    b: str = "x"
    c: list[int] = []


class Camel(Struct, tag=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    first_name: Any
    other: Optional["Camel"] = None
    unset: Union[Any, UnsetType] = UNSET
    items: list[Any] = []


class Tagged(Struct, tag=True):
    x: float = 1.0


class Numbered(Struct, tag=7, tag_field="n"):
    a: Any = None


class Row(Struct, array_like=True):
    a: int
    b: float = 2.0
    c: str = "c"


class TaggedRow(Struct, array_like=True, tag="row"):
    a: Any


class Nested(Struct, array_like=True):
    a: int
    b: Optional["Nested"] = None


class Odd(Struct, weakref=True, dict=True, frozen=True, cache_hash=True, kw_only=True):
    b: int = 2
    a: int


class Untracked(Struct, gc=False):
    a: int
    b: list[Any] = []


class Checked(Struct):
    a: int

    def __post_init__(self):
        if self.a == 3:
            raise ValueError("three")


@dataclass
class Plain:
    a: Any
    b: str = "d"
    c: list[int] = field(default_factory=list)
    _d: int = 4


@dataclass
class Slotted:
    __slots__ = ("a", "b")
    a: int
    b: Any


@dataclass
class Late:
    a: int
    b: int = field(init=False)
    c: int = field(init=False, default=3)


@dataclass
class Partial:
    a: Any
    u: Union[int, UnsetType] = UNSET


@dataclass
class Counted:
    kind: ClassVar[int] = 3
    a: Any = 1


@dataclass
class Derived(Plain):
    z: Any = 1


class Undecorated(Plain):
    pass


class Keyed(TypedDict, total=False):
    a: int
    b: str


class Named(NamedTuple):
    a: int
    b: str = "n"


class Letter(enum.Enum):
    A = "a"
    B = "b"


class Mixed(enum.Enum):
    A = "a"
    B = 2
    C = 1.5
    D = None


class Word(str, enum.Enum):
    A = "sä"


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Bits(enum.IntFlag):
    ONE = 1
    TWO = 2


class Custom:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Custom) and self.value == other.value

    __hash__ = None


class List(list):
    pass


class Dict(dict):
    pass


class Deceiver(dict):
    def items(self):
        return [("deceived", 1)]

    def __iter__(self):
        return iter(["deceived"])


class Str(str):
    pass


class Int(int):
    pass


class Uuid(uuid.UUID):
    pass


# Read by ocior.
TYPES = [
    *(Any, int, float, str, bool, None, bytes, bytearray, decimal.Decimal, uuid.UUID),
    *(datetime.datetime, datetime.date, datetime.time, datetime.timedelta),
    *(Letter, Number, Literal["a", 1, None], Numbered, list[int], tuple[int, ...], tuple[int, str], set[int], frozenset[str]),
    *(dict[str, int], dict[int, str], dict[Letter, int], dict[Literal["a"], int], dict[uuid.UUID, int], dict[datetime.date, int]),
    *(Point, Camel, Tagged, Union[Camel, Tagged], Optional[Point], Row, Nested, Odd, Untracked, Checked, Plain, Late, Partial, Counted),
    *(Derived, Keyed, Named, list[Point], dict[str, list[Plain]], dict[str, Any], msgspec.Raw),
    *(Optional[Letter], Union[int, float], Union[int, str, None], Union[list[int], int, Point], Union[dict[str, int], list[str]]),
    *(Optional[float], Optional[decimal.Decimal], list[float], Union[Literal["a", "b"], int, None]),
    *(Annotated[int, Meta(gt=1, le=5)], Annotated[float, Meta(ge=1)], Annotated[float, Meta(lt=2)], Annotated[int, Meta(multiple_of=3)]),
    *(Annotated[str, Meta(min_length=2, max_length=3, pattern="a")], Annotated[bytes, Meta(max_length=3)]),
    *(Annotated[list[int], Meta(min_length=1, max_length=2)], Annotated[dict[str, int], Meta(min_length=1)]),
    *(Annotated[datetime.datetime, Meta(tz=True)], Annotated[datetime.time, Meta(tz=False)], Annotated[int, Meta(title="t")]),
]

# Left to msgspec as a whole.
LEFT_TYPES = [
    Union[Literal[1, 2], float],
    Annotated[float, Meta(multiple_of=0.5)],
    TaggedRow,
    dict[float, int],
    dict[Number, int],
    memoryview,
]

if attrs:

    @attrs.define
    class Attrs:
        a: Any
        b: str = "q"
        _c: int = 3

    @attrs.define(slots=False)
    class Loose:
        a: Any
        b: Any = "q"
        _c: Any = 3

    @attrs.define
    class Longer(Attrs):
        z: Any = 5

    @attrs.define
    class Validated:
        a: int = attrs.field(validator=attrs.validators.gt(2))

    TYPES += [Attrs, Loose, Longer, Validated]

SCALARS = [
    *("null", "true", "false", "0", "-0", "1", "2", "3", "4", "6", "-1", "1.0", "-0.0", "2.5", "1e3", "5e-324", "0e0"),
    *("1e400", "18446744073709551616", "9223372036854775807", "-9223372036854775809", "123456789012345678901234567890"),
    *('"a"', '"b"', '"ab"', '"abc"', '""', '"1"', '"1.5"', '"x"', '"\\u00e9"', '"\\ud83d\\ude00"', '"€"', '"\\ud800"', '"a\\u0000"'),
    *("NaN", "Infinity", "-Infinity", "1_0", "01", "1.", ".5", "+1", "-", "1e", '"\t"', '"\\x"', "tru", ""),
    *('"YQ=="', '"YWI="', '"YWJj"', '"YR=="', '"YWJ"', '"YW Jj"', '"Y==="'),
    *('"2020-01-02"', '"2020-02-30"', '"0000-01-01"', '"2020-1-2"', '"2020-01-02\\u0000"'),
    *('"2020-01-02T03:04:05"', '"2020-01-02T03:04:05Z"', '"2020-01-02T03:04:05.123456+01:30"', '"2020-01-02T03:04"'),
    *('"2020-01-02 03:04:05.1234564z"', '"2020-01-02 03:04:05.1234565z"', '"9999-12-31T23:59:59.9999995Z"'),
    *('"2020-02-28t23:59:59.9999996-0030"', '"2019-12-31T23:59:59.9999999"', '"2020-01-02T03:04:05-00:00"', '"2020-01-02T03:04:05+24:00"'),
    *('"2020-01-02T03:04:05,5"', '"2020-01-02T24:00:00"', '"2020-01-02T23:59:60"', '"2020-01-02T03:04:05."'),
    *('"23:59:59.9999996"', '"03:04:05Z"', '"03:04:05"', '"24:00:00"', '"00:00:00.1"', '"23:59:59\\u0000x"'),
    *('"P1D"', '"PT1.5S"', '"P1W"', '"PT0.1234567S"', '"PT0.000001S"', '"P1DT2H3M4.5S"', '"-P1D"', '"-PT0.5S"', '"P0.5D"', '"+PT1M"'),
    *('"P1Y"', '"p1d"', '"PT"', '"P"', '"P1DT"', '"PT1H1H"', '"P999999999DT86399.999999S"', '"P1000000000D"', '"-P999999999D"'),
    *('"NaN"', '"Infinity"', '"-nan"', '"+inf"', '"INF"', '"1e5"', '"1E400"', '"-1e400"', '"-0"', '"+1"', '" 1"', '"01"', '"-0.0"', '".5"'),
    *('"12345678-1234-1234-1234-123456789abc"', '"123456781234123412341234567890AB"', '"12345678-1234-1234-1234-123456789abg"'),
    *('"null"', '"NULL"', '"true"', '"FALSE"', '"nan"', "1700000000", "99999999999999", "1.5"),
]

DOCUMENTS = [
    *(
        '{"a":1}',
        '{"a":1,"b":"z"}',
        '{"a":1,"b":"z","c":[1]}',
        '{"b":"z","a":1}',
        '{"a":1,"a":2}',
        '{"a":3}',
        '{"b":2}',
        '{"a":1,"b":null}',
    ),
    *("[1]", '[1,2.5,"q"]', '[1,2.5,"q",4]', "[]", "{}", "[1,[2,[3,null]]]", '[1,"x"]', "[1.5]", "[1,2]", '["a"]', "[-0]", "[1,1]"),
    *('{"firstName":"a","other":{"firstName":"b"}}', '{"type":"Camel","firstName":"a"}', '{"firstName":"a","type":"Camel"}'),
    *('{"x":3,"type":"Tagged"}', '{"type":"Tagged","x":-0}', '{"type":"Nobody"}', '{"type":1}', '{"firstName":1,"zz":2}'),
    *('{"1":"x"}', '{"-0":"x"}', '{"01":"x"}', '{"a":1,"_c":5,"_d":6}', '{"a":1,"b":2,"c":3}', '{"a":1,"u":5}', '{"a":"1"}'),
    *('{"a":1,"zz":"\\ud800"}', '{"a":1,"zz":[NaN]}', '{"a":1,"zz":1e999}', '{"a":1} x', "[1,2", '{"a":1,}', "[1,]", '{"a" 1}', "{1:2}"),
    *(
        b'{"a":1,"zz":"\xff"}',
        b'"\xc3\xa9"',
        b'"\xff"',
        b"\xef\xbb\xbf1",
        "\ufeff1",
        "1".encode("utf-16"),
        '{"a":1,"zz":"\ud800"}',
        '"\ud800"',
    ),
    "[" * 300 + "]" * 300,
    bytearray(b'{"a":1}'),
    memoryview(b'{"a":1}'),
]


class Documents:
    """Random ones."""

    keys = ("a", "b", "c", "x", "type", "firstName", "other", "unset", "first_name", "_c", "1", "-0", "é", "2020-01-02")

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def make(self, depth=0):
        rng = self.rng
        form = rng.random()
        if depth > 2 or form < 0.4:
            return rng.choice(SCALARS) or "null"
        if form < 0.6:
            return f"[{','.join(self.make(depth + 1) for _ in range(rng.randrange(4)))}]"
        return f"{{{','.join(self.member(depth) for _ in range(rng.randrange(5)))}}}"

    def member(self, depth):
        name = '"Camel"', '"Tagged"', '"Nobody"', "1"
        return f'"{self.rng.choice(self.keys)}":{self.rng.choice(name) if self.rng.random() < 0.3 else self.make(depth + 1)}'


class Values:
    """Random ones, of all types that msgspec writes, and some that it does not write."""

    texts = ("", "a", "é", "€", "😀", 'a"b\\c/\n\x00\x7f\u2028', "x" * 40, "ä" * 70, "a\x1f")
    floats = (0.0, -0.0, 1.0, 1e15, 1e16, 123456789012345680.0, 1e-4, 1e-5, 1.5e-5, 1e-6, 1e-7, 1.2e22, 1e100, 5e-324, 1e308)
    integers = (0, 1, -1, 2**63, -(2**63), 2**64 - 1, 2**64, -(2**63) - 1, 2**200)
    decimals = ("1", "1.0", "1E+2", "-0", "NaN", "Infinity", "1E-30", "0.000001", "1.23456789012345678901234567890", "0E-10", "-1E+400")

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def float(self):
        rng = self.rng
        others = (math.nan, math.inf, -math.inf, rng.random(), rng.uniform(-1e20, 1e20), rng.uniform(-1, 1) * 10 ** rng.randrange(-20, 25))
        return rng.choice((*self.floats, *others))

    def zone(self):
        hours = datetime.timedelta(hours=self.rng.randrange(-12, 13), minutes=self.rng.choice((0, 30, 45)))
        seconds = datetime.timedelta(seconds=self.rng.randrange(-86399, 86399))
        return self.rng.choice((None, datetime.timezone.utc, datetime.timezone(hours), datetime.timezone(seconds)))

    def datetime(self):
        rng = self.rng
        date = rng.choice((1, 1900, 1999, 2024, 9998)), rng.randrange(1, 13), rng.randrange(1, 29)
        clock = rng.randrange(24), rng.randrange(60), rng.randrange(60), rng.choice((0, 100, 999999, rng.randrange(10**6)))
        return datetime.datetime(*date, *clock, tzinfo=self.zone())

    def duration(self):
        rng = self.rng
        parts = rng.randrange(-1000, 1000), rng.randrange(86400), rng.choice((0, 1, 500000, 999999, rng.randrange(10**6)))
        delta = datetime.timedelta
        return rng.choice((delta(0), delta.max, delta.min, delta(-1), delta(0, -1), delta(0, 0, -1), delta(1), delta(*parts)))

    def scalar(self):
        rng, at = self.rng, self.datetime()
        usual = (None, True, False, rng.choice(self.integers), self.float(), rng.choice(self.texts), rng.randrange(10**6))
        times = (
            at,
            at.date(),
            at.timetz(),
            self.duration(),
            uuid.UUID(int=rng.getrandbits(128)),
            decimal.Decimal(rng.choice(self.decimals)),
        )
        data = rng.randbytes(rng.randrange(9))
        others = (
            *(data, bytearray(data), memoryview(data), memoryview(b"abcd")[::2], msgspec.Raw(b"[1, 2]"), UNSET, Letter.A),
            *(
                *Mixed,
                Word.A,
                Number.ONE,
                Bits.ONE | Bits.TWO,
                Str("x"),
                Int(3),
                Uuid(int=5),
                Custom(1),
                1j,
                "\ud800",
                range(3),
                int,
                Point,
            ),
        )
        return rng.choice(rng.choice((usual, usual, times, others)))

    def key(self):
        rng, at = self.rng, self.datetime()
        if rng.random() < 0.6:
            return rng.choice(self.texts)
        others = (Word.A, Number.ONE, Mixed.A, Mixed.B, Mixed.C, Bits.ONE, Str("k"), Int(4), uuid.UUID(int=7), True, None, (1,), b"x")
        return rng.choice((*others, rng.choice(self.integers), self.float(), at, at.date(), self.duration(), decimal.Decimal("1.50")))

    def make(self, depth=0):
        if depth > 3 or self.rng.random() < 0.4:
            return self.scalar() if depth == 0 or self.rng.random() < 0.4 else self.rng.choice((None, True, 1, 2.5, "a"))
        return self.rng.choice((self.container, self.container, self.instance))(depth + 1)

    def container(self, depth):
        items = [self.make(depth) for _ in range(self.rng.randrange(4))]
        named = {self.rng.choice(self.texts): item for item in items}
        makes = (
            *(lambda: items, lambda: tuple(items), lambda: List(items), lambda: {self.key(): item for item in items}),
            *(lambda: Dict(named), lambda: Deceiver(named), lambda: OrderedDict(named), lambda: defaultdict(int, named)),
            lambda: [self.float() for _ in range(20)],
            *(lambda: {1, 2, 3}, lambda: frozenset(["a"]), lambda: set(), lambda: Named(*items[:1] or [1])),
        )
        return self.rng.choice(makes)()

    def instance(self, depth):
        value, other = self.make(depth), self.make(depth)
        made = [
            *(Point(value, other), Camel(value), Camel(value, other, other, [value]), Numbered(value), Row(value), TaggedRow(value)),
            *(Odd(a=value), Untracked(value), Plain(value, other), Slotted(value, other), Partial(value), Partial(value, other)),
            *(Counted(value), Derived(value, z=other), Undecorated(value)),
        ]
        if attrs:
            made += [Attrs(value), Loose(value, other), Longer(value, z=other)]
        instance = self.rng.choice(made)
        if hasattr(instance, "__dict__") and not isinstance(instance, Struct) and self.rng.random() < 0.2:
            instance.more, instance._more = other, value
        if hasattr(instance, "a") and not isinstance(instance, Struct) and self.rng.random() < 0.1:
            del instance.a
        return instance


def hook(value):
    """An enc_hook, which knows some types."""
    if isinstance(value, (complex, range)):
        return str(value)
    if isinstance(value, Custom):
        return [value.value]
    raise NotImplementedError(f"no {type(value).__name__}")


def is_same(one, other):
    """Whether two values are equal, of the same types, with the same signs of zeros."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return (one == other and math.copysign(1, one) == math.copysign(1, other)) or (one != one and other != other)
    if isinstance(one, decimal.Decimal):
        return str(one) == str(other)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict):
        return (
            one.keys() == other.keys()
            and {repr(key) for key in one} == {repr(key) for key in other}
            and all(is_same(one[key], other[key]) for key in one)
        )
    if isinstance(one, msgspec.Raw):
        return bytes(one) == bytes(other)
    if hasattr(one, "__struct_fields__"):
        return all(is_same(getattr(one, name, None), getattr(other, name, None)) for name in one.__struct_fields__)
    if hasattr(one, "__dataclass_fields__") and hasattr(one, "__dict__"):
        return is_same(vars(one), vars(other))
    return bool(one == other)
