"""What dumps of ocior.compat.orjson writes and refuses, as rows, which need no orjson; and against orjson itself, where it is installed, over
values made at random."""

import array
import contextlib
import dataclasses
import datetime
import enum
import functools
import json
import random
import uuid

import pytest
from facades import RandomValues
from orjson_values import (
    DUMPS,
    IDENTITY,
    INTEGERS,
    REFUSED,
    UTC,
    Bits,
    Dict,
    Empty,
    Float,
    Int,
    Kind,
    List,
    Moment,
    Named,
    Number,
    Point,
    Slots,
    Text,
    Unknown,
    Word,
    hook,
    options,
    theirs,
    zone,
)
from support import call

import ocior.compat.orjson as ours


@pytest.mark.parametrize("value, names, text", DUMPS)
def test_dumps(value, names, text):
    written = ours.dumps(value, option=options(names))
    assert type(written) is bytes and written.decode() == text
    assert ours.dumps(value, None, options(names)) == written
    if not names:
        assert ours.dumps(value) == ours.dumps(value, option=None) == ours.dumps(value, default=None) == written
        wide = ours.dumps(["\U0001f600", value, {"k": [value]}]) if text.count("[") < 200 else None
        assert wide is None or wide.decode() == f'["\U0001f600",{text},{{"k":[{text}]}}]'


def test_members_that_are_numbers_and_strings_are_written_as_these():
    class Number(int, enum.Enum):
        def __new__(cls, number):
            self = int.__new__(cls, number)
            self._value_ = f"value {number}"
            return self

        A = 5

    class Word(str, enum.Enum):
        def __new__(cls, text):
            self = str.__new__(cls, text + "!")
            self._value_ = len(text)
            return self

        A = "word"

    both = [Number.A, Word.A]
    assert ours.dumps([both, {"a": Word.A}]) == b'[[5,"word!"],{"a":"word!"}]'
    assert ours.dumps(dict(zip(both, both)), option=ours.OPT_NON_STR_KEYS) == b'{"5":5,"word!":"word!"}'
    assert ours.dumps(both, option=ours.OPT_PASSTHROUGH_SUBCLASS) == b'["value 5",4]'


def test_members_that_are_numbers_and_strings_are_written_by_their_value_if_subclasses_are_passed_through():
    """Wherever it lies: in the dict that the class shares its keys with, in another one, behind other attributes."""

    class One(enum.IntEnum):
        A = 1

    class Text(str, enum.Enum):
        A = "text"

    class Own(int, enum.Enum):
        def __new__(cls, number):
            self = int.__new__(cls, number)
            self.before, self.more, self._value_ = "no", "neither", f"own {number}"
            return self

        A = 5

    class Bits(enum.IntFlag):
        A = 1
        B = 2

    def dumps(value):
        return ours.dumps(value, option=ours.OPT_PASSTHROUGH_SUBCLASS)

    def check():
        for member in members:
            assert dumps([member, 0] * 3) == ours.dumps([member._value_, 0] * 3)

    members = [One.A, Text.A, Own.A, Bits.A, Bits.A | Bits.B]
    check()
    for value in (2**59, "x" * 3000, None, True, 0.5, [1], Kind.HALF):
        for member in members:
            member._value_ = value
        check()
        for member in members:
            member.__dict__["_value_"] = [value]
        check()
    with contextlib.suppress(TypeError):  # before 3.12 they are not alike
        Own.A.__class__ = One
    check()
    for member in members:
        member.__dict__[5] = 6
    check()
    for n, member in enumerate(members):
        member.__dict__ = {f"attribute{n}": n for n in range(40 * n)} | member.__dict__
        member._value_ = n
    check()
    del One.A._value_
    with pytest.raises(TypeError, match="_value_"):
        dumps([Own.A, One.A])


def test_floats():
    rng = random.Random(4)
    values = [rng.uniform(-1e15, 1e15) for _ in range(300)] + [rng.random() for _ in range(300)]
    values = [value for value in values if "e" not in repr(value)]
    assert ours.dumps(values).decode() == json.dumps(values, separators=(",", ":"))
    values = [rng.random() * 10.0 ** rng.randrange(-320, 308) for _ in range(1000)]
    assert json.loads(ours.dumps(values)) == values


@pytest.mark.parametrize("value, names, words", REFUSED, ids=lambda side: type(side).__name__)
def test_refused(value, names, words):
    assert ours.JSONEncodeError is TypeError
    for place in (value, ["\U0001f600", value], {"k": value}):
        error = call(ours.dumps, place, option=options(names)).error
        assert type(error) is TypeError and str(error) == words
        assert not getattr(error, "__notes__", None)


def test_default():
    assert ours.dumps([Unknown(), {"k": Unknown()}], lambda value: {"u": [Text("x")]}) == b'[{"u":["x"]},{"k":{"u":["x"]}}]'
    assert ours.dumps(Float(1.5), default=float) == b"1.5"
    assert ours.dumps(Named(1, (2,)), default=list) == b"[1,[2]]"
    assert ours.dumps(datetime.date(2020, 1, 2), default=str, option=ours.OPT_PASSTHROUGH_DATETIME) == b'"2020-01-02"'
    assert ours.dumps(Point(1), default=lambda value: "point", option=ours.OPT_PASSTHROUGH_DATACLASS) == b'"point"'
    assert ours.dumps([Text("a"), Dict()], default=lambda value: 5, option=ours.OPT_PASSTHROUGH_SUBCLASS) == b"[5,5]"
    chain = iter([Unknown(), Unknown(), "end"])
    assert ours.dumps(Unknown(), lambda value: next(chain)) == b'"end"'
    for hook, cause in ((lambda value: 1 // 0, ZeroDivisionError), (5, TypeError), (lambda: None, TypeError)):
        error = call(ours.dumps, [Unknown()], hook).error
        assert (type(error), str(error), type(error.__cause__)) == (TypeError, "Type is not JSON serializable: Unknown", cause)
    assert str(call(ours.dumps, Unknown(), lambda value: value).error) == "default serializer exceeds recursion limit"
    assert str(call(ours.dumps, Unknown(), lambda value: [value]).error) == "Recursion limit reached"
    assert ours.dumps(1, 5) == b"1"


def test_circles():
    for value in ([], {}, Point(1)):
        if isinstance(value, list):
            value.append(value)
        elif isinstance(value, dict):
            value["k"] = value
        else:
            value.x = value
        assert str(call(ours.dumps, value).error) == "Recursion limit reached"
        if not isinstance(value, Point):
            value.clear()
        else:
            value.x = None


def test_arrays_of_the_library_are_for_the_default_function():
    value = array.array("i", [1, 2])
    assert "array.array" in str(call(ours.dumps, value, option=ours.OPT_SERIALIZE_NUMPY).error)
    assert ours.dumps(value, default=list, option=ours.OPT_SERIALIZE_NUMPY) == b"[1,2]"


@pytest.mark.parametrize("base", [tuple, float, str, int, list, dict])
def test_dataclasses_derived_from_types_of_json(base):
    """Only what is stored in a str, int, list or dict comes before the fields, and not where such classes are passed to the hook."""
    value = dataclasses.make_dataclass("Derived", [("a", int, 1)], bases=(base,))()
    fields, stored = b'{"a":1}', {str: b'""', int: b"0", list: b"[]", dict: b"{}"}
    assert ours.dumps(value) == stored.get(base, fields)
    assert ours.dumps(value, option=ours.OPT_PASSTHROUGH_SUBCLASS) == fields
    both = ours.OPT_PASSTHROUGH_SUBCLASS | ours.OPT_PASSTHROUGH_DATACLASS
    assert ours.dumps(value, lambda value: "hook", both) == b'"hook"'


CHARACTERS = ["a", '"', "\\", "\n", "\x00", "\x1f", "\x7f", "\xe9", "\x80", "\u20ac", "\u2028", "\U0001f600", "\ufeff", "\uffff", "/", "_"]
ZONES = [None, None, UTC, zone(hours=-5, minutes=-30), zone(seconds=30), zone(hours=5, seconds=17), zone(hours=-5, seconds=-31)]


class Ready:
    """A Fragment, of whichever module writes it."""

    def __init__(self, contents):
        self.contents = contents


class Values(RandomValues):
    """Random values of all the types that the two write. Floats are of the size that both spell in the same way."""

    characters, integers = CHARACTERS, INTEGERS

    def text(self):
        text = super().text()
        return text + "\ud800" if self.rng.random() < 0.01 else text

    def real(self):
        return self.pick([0.0, -0.0, 1.5, 0.1, 1e15, 123456.789, float("nan"), float("inf"), round(self.rng.uniform(-1e9, 1e9), 3)])

    def moment(self):
        rng = self.rng
        year = self.pick([1, 999, 1900, 1970, 2024, 9998])
        clock = rng.randrange(24), rng.randrange(60), rng.randrange(60), self.pick([0, 1, 100, 123456, 999999])
        return datetime.datetime(year, rng.randrange(1, 13), rng.randrange(1, 29), *clock, tzinfo=self.pick(ZONES), fold=rng.randrange(2))

    def scalar(self):
        return self.pick([
            self.text, self.text, self.integer, self.real, self.moment, lambda: self.moment().date(), lambda: self.moment().time(),
            lambda: self.moment().timetz(), lambda: uuid.UUID(int=self.rng.getrandbits(128)), lambda: self.pick([None, True, False]),
            lambda: self.pick([*Kind, Number.ONE, Word.HELLO, Bits.A]), lambda: Text(self.text()), lambda: Int(self.integer()),
            lambda: self.pick([Float(1.5), Moment(2020, 1, 1), datetime.timedelta(1), b"x", Unknown(), {1}]),
            lambda: Ready(self.pick([b"[1]", '{"a":"\u20ac"}', b"", "raw", 5, None, "\ud800"])),
        ])()  # fmt: skip

    def key(self, share):
        if self.rng.random() >= share:
            return self.text()
        return self.pick([
            self.integer, self.real, self.moment, lambda: self.moment().date(), lambda: self.pick([None, True, IDENTITY, Number.ONE, Int(5)]),
            lambda: self.pick([Kind.WORD, Kind.HALF, Kind.NONE]), lambda: self.pick([(1, 2), b"x", Float(1.5), Empty(), Moment(2020, 1, 1)]),
        ])()  # fmt: skip

    def value(self, share, depth=0):
        if depth > 3 or self.rng.random() > 0.4:
            return self.scalar()
        items = [self.value(share, depth + 1) for _ in range(self.pick([0, 1, 2, 3, 5]))]
        return self.pick([
            lambda: items, lambda: tuple(items), lambda: {self.key(share): item for item in items}, lambda: Point(items), lambda: Slots(items, 1),
            lambda: List(items), lambda: Dict(b=items, a=1), lambda: Named(1, items), Empty, lambda: {self.key(share): item for item in items},
        ])()  # fmt: skip


def with_fragments(value, module):
    kind = type(value)
    convert = functools.partial(with_fragments, module=module)
    if kind is Ready:
        return module.Fragment(value.contents)
    if kind in (list, tuple, List):
        return kind(map(convert, value))
    if kind in (dict, Dict):
        return kind((key, convert(item)) for key, item in value.items())
    if kind in (Point, Slots):
        return kind(*(convert(getattr(value, name)) for name in (("x", "y") if kind is Point else ("b", "a"))))
    return value


@pytest.mark.parametrize("seed", range(8))
def test_dumps_as_orjson(theirs, seed):
    values = Values(seed)
    rng = values.rng
    for _ in range(1500):
        share = rng.choice([0, 0, 0.05, 0.5])
        value, option = values.value(share), 0
        for bit in range(12):
            option |= (rng.random() < 0.3) << bit
        option |= ours.OPT_NON_STR_KEYS if share > 0.1 else 0
        if any(name in repr(value) for name in ("Kind", "Number", "Bits")):
            option &= ~ours.OPT_STRICT_INTEGER
        keywords = {"option": option, **({"default": hook} if rng.random() < 0.4 else {})}
        mine, other = (call(module.dumps, with_fragments(value, module), **keywords) for module in (ours, theirs))
        assert (mine.value, type(mine.error)) == (other.value, type(other.error)), (value, keywords, mine, other)


@pytest.mark.parametrize("exponent", range(-324, 309))
def test_exponents(exponent, theirs):
    """Where orjson writes an exponent, and how, as a value, a key and in numpy's arrays."""
    np = pytest.importorskip("numpy")
    for digits in ("1", "1.5", "-2.25", "1.2345678901234567"):
        number = float(f"{digits}e{exponent}")
        for value in (number, [number, 1.5, number] * 5, {"k": number}, [[number, number]] * 5):
            assert ours.dumps(value) == theirs.dumps(value)
        assert ours.dumps({number: 1}, option=ours.OPT_NON_STR_KEYS) == theirs.dumps({number: 1}, option=ours.OPT_NON_STR_KEYS)
        with np.errstate(over="ignore"):
            kinds = (np.float64(number), np.float32(number), np.array([number] * 9), np.array([number] * 9, "f4"))
        for value in kinds:
            assert ours.dumps(value, option=ours.OPT_SERIALIZE_NUMPY) == theirs.dumps(value, option=ours.OPT_SERIALIZE_NUMPY)
