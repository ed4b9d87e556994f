"""ocior.compat.orjson: orjson's options, texts, values and errors as rows, which need no orjson; and against orjson itself, where it is
installed, over values and documents made at random."""

import array
import collections
import contextlib
import dataclasses
import datetime
import enum
import functools
import gc
import inspect
import itertools
import json
import random
import sys
import uuid

import pytest
from support import call, check_pickled

import ocior
import ocior.compat.orjson as ours

UTC = datetime.timezone.utc
IDENTITY = uuid.UUID("0123456789abcdef0123456789abcdef")


class Text(str):
    pass


class Int(int):
    pass


class Float(float):
    pass


class List(list):
    pass


class Dict(dict):
    pass


class Tuple(tuple):
    pass


Named = collections.namedtuple("Named", "a b")


class Unknown:
    pass


class Moment(datetime.datetime):
    pass


class Kind(enum.Enum):
    WORD = "x"
    DATE = datetime.date(2020, 1, 2)
    HALF = 0.5
    NONE = None
    TRUE = True
    DERIVED = Text("b")
    LIST = [1, "a"]  # noqa: an enum may hold one
    WIDE = "\u20ac"
    NUMBER = 7


class Number(enum.IntEnum):
    ONE = 1


class Word(str, enum.Enum):
    HELLO = "hello"


class Bits(enum.Flag):
    A = 1


@dataclasses.dataclass
class Point:
    x: object
    y: object = 2
    _hidden: object = 3


@dataclasses.dataclass
class Slots:
    __slots__ = ("b", "a")
    b: object
    a: object


@dataclasses.dataclass(frozen=True)
class Empty:
    pass


def zone(**parts):
    return datetime.timezone(datetime.timedelta(**parts))


def nested(depth, inner=1):
    for _ in range(depth):
        inner = [inner]
    return inner


def facts(value):
    """What tells 1, 1.0 and True apart, 0.0 and -0.0, and the order of keys."""
    if isinstance(value, dict):
        return [(key, facts(item)) for key, item in value.items()]
    return [type(value), *map(facts, value)] if isinstance(value, list) else (type(value), repr(value))


# ---- rows of dumps: a value, options, and the text ----

DUMPS = [
    (None, 0, "null"),
    ([True, False, None], 0, "[true,false,null]"),
    ({"a": [1, 2.5, "\xe9\u4e2d\U0001f600"], "b": {}}, 0, '{"a":[1,2.5,"\xe9\u4e2d\U0001f600"],"b":{}}'),
    ((1, (2,)), 0, "[1,[2]]"),
    ([float("nan"), float("inf"), -float("inf"), -0.0], 0, "[null,null,null,-0.0]"),
    ('"\\\n\t\b\f\r\x00\x1f\x7f/', 0, '"\\"\\\\\\n\\t\\b\\f\\r\\u0000\\u001f\x7f/"'),
    ([2**63 - 1, -(2**63), 2**64 - 1, 2**63], 0, "[9223372036854775807,-9223372036854775808,18446744073709551615,9223372036854775808]"),
    ([2**53 - 1, -(2**53) + 1], "STRICT_INTEGER", "[9007199254740991,-9007199254740991]"),
    ([1e-05, -1.5e-05, 1e-06, -1.25e-07, 1e-10, 1e16], 0, "[0.00001,-0.000015,1e-6,-1.25e-7,1e-10,1e+16]"),
    ([[1.2345678901234567e-05, 1]] * 9, 0, "[" + ",".join(["[0.000012345678901234568,1]"] * 9) + "]"),
    ([1e-05, "\u20ac"] * 9, 0, "[" + ",".join(['0.00001,"\u20ac"'] * 9) + "]"),
    ({1e-05: 1e-07}, "NON_STR_KEYS", '{"0.00001":1e-7}'),
    ([Text("\xe9"), Int(5), List([1]), Dict(a=1)], 0, '["\xe9",5,[1],{"a":1}]'),
    ({"b": 1, "a": {"d": 1, "c": [{"f": 1, "e": 2}]}}, "SORT_KEYS", '{"a":{"c":[{"e":2,"f":1}],"d":1},"b":1}'),
    ({"\U0001f600": 1, "\uffff": 2, "a": 3, "": 4, "\xe9": 5}, "SORT_KEYS", '{"":4,"a":3,"\xe9":5,"\uffff":2,"\U0001f600":1}'),
    ({"a": [1, {}], "b": []}, "INDENT_2", '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}'),
    ([], "APPEND_NEWLINE", "[]\n"),
    ([1], "APPEND_NEWLINE INDENT_2", "[\n  1\n]\n"),
    ("x", "APPEND_NEWLINE", '"x"\n'),
    (5, "APPEND_NEWLINE STRICT_INTEGER", "5\n"),
    (datetime.datetime(2026, 1, 2, 3, 4, 5), 0, '"2026-01-02T03:04:05"'),
    (datetime.datetime(1, 1, 2, 3, 4, 5, 6, UTC), 0, '"0001-01-02T03:04:05.000006+00:00"'),
    (datetime.datetime(2026, 1, 2, tzinfo=zone(hours=-5, minutes=-30)), 0, '"2026-01-02T00:00:00-05:30"'),
    (datetime.datetime(2026, 1, 2), "NAIVE_UTC", '"2026-01-02T00:00:00+00:00"'),
    (datetime.datetime(2026, 1, 2), "NAIVE_UTC UTC_Z", '"2026-01-02T00:00:00Z"'),
    (datetime.datetime(2026, 1, 2, tzinfo=UTC), "UTC_Z", '"2026-01-02T00:00:00Z"'),
    (datetime.datetime(2026, 1, 2, tzinfo=zone(hours=1)), "UTC_Z NAIVE_UTC", '"2026-01-02T00:00:00+01:00"'),
    (datetime.datetime(2026, 1, 2, 3, 4, 5, 6), "OMIT_MICROSECONDS", '"2026-01-02T03:04:05"'),
    ([datetime.date(987, 1, 2), datetime.time(1, 2, 3), datetime.time(1, 2, 3, 4)], 0, '["0987-01-02","01:02:03","01:02:03.000004"]'),
    (datetime.time(1, 2, 3, 4), "OMIT_MICROSECONDS", '"01:02:03"'),
    (IDENTITY, 0, f'"{IDENTITY}"'),
    (IDENTITY, "SERIALIZE_UUID", f'"{IDENTITY}"'),
    ([*Kind, Word.HELLO], 0, '["x","2020-01-02",0.5,null,true,"b",[1,"a"],"\u20ac",7,"hello"]'),
    ([Number.ONE, Bits.A], 0, "[1,1]"),
    (Point(Point(1)), 0, '{"x":{"x":1,"y":2},"y":2}'),
    (Slots(1, Empty()), "SERIALIZE_DATACLASS", '{"b":1,"a":{}}'),
    (Slots(1, 2), "INDENT_2", '{\n  "b": 1,\n  "a": 2\n}'),
    ({1: 1, True: 2, None: 3, 2.5: 4, "a": 5}, "NON_STR_KEYS", '{"1":2,"null":3,"2.5":4,"a":5}'),
    ({float("nan"): 1, 2**64 - 1: 2, -(2**63): 3}, "NON_STR_KEYS", '{"null":1,"18446744073709551615":2,"-9223372036854775808":3}'),
    ({2**60: 1}, "NON_STR_KEYS STRICT_INTEGER", '{"1152921504606846976":1}'),
    (
        {IDENTITY: 1, Kind.DATE: 2, Word.HELLO: 3, datetime.time(1): 4},
        "NON_STR_KEYS",
        f'{{"{IDENTITY}":1,"2020-01-02":2,"hello":3,"01:00:00":4}}',
    ),
    ({datetime.datetime(2026, 1, 2): 1}, "NON_STR_KEYS UTC_Z NAIVE_UTC", '{"2026-01-02T00:00:00Z":1}'),
    ({datetime.date(2020, 1, 2): 1}, "NON_STR_KEYS PASSTHROUGH_DATETIME", '{"2020-01-02":1}'),
    ({Kind.DATE: 1, Kind.DERIVED: 2}, "NON_STR_KEYS PASSTHROUGH_DATETIME PASSTHROUGH_SUBCLASS", '{"2020-01-02":1,"b":2}'),
    ({Word.HELLO: 1, Text("0"): 2, 1: 3}, "NON_STR_KEYS SORT_KEYS", '{"0":2,"1":3,"hello":1}'),
    (
        {10: 1, 9: 2, "1": 3, None: 4, datetime.date(2020, 1, 2): 5},
        "NON_STR_KEYS SORT_KEYS",
        '{"1":3,"10":1,"2020-01-02":5,"9":2,"null":4}',
    ),
    ({Text("a"): 1}, "NON_STR_KEYS", '{"a":1}'),
    (ours.Fragment(b'{"a":  1}'), 0, '{"a":  1}'),
    ([ours.Fragment("\xe9"), {"k": ours.Fragment(b"no JSON")}, ours.Fragment("")], 0, '[\xe9,{"k":no JSON},]'),
    ([ours.Fragment("[1, 2]")], "INDENT_2", "[\n  [1, 2]\n]"),
    (nested(254), 0, "[" * 254 + "1" + "]" * 254),
    ({"a" * n: "b" * n for n in range(70)}, 0, json.dumps({"a" * n: "b" * n for n in range(70)}, separators=(",", ":"))),
]


def options(names):
    bits = 0
    for name in (names or "").split():
        bits |= getattr(ours, f"OPT_{name}")
    return bits


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


DEEP = nested(100000)

# Errors of dumps: a value, options, and the words.
REFUSED = [
    (Unknown(), 0, "Type is not JSON serializable: Unknown"),
    ({1, 2}, 0, "Type is not JSON serializable: set"),
    (b"x", 0, "Type is not JSON serializable: bytes"),
    (datetime.timedelta(1), 0, "Type is not JSON serializable: datetime.timedelta"),
    (Point, 0, "Type is not JSON serializable: type"),
    (Float(1.5), 0, "Type is not JSON serializable: Float"),
    (Tuple(), 0, "Type is not JSON serializable: Tuple"),
    (Named(1, 2), 0, "Type is not JSON serializable: Named"),
    (Moment(2020, 1, 1), 0, "Type is not JSON serializable: Moment"),
    (Text("a"), "PASSTHROUGH_SUBCLASS", "Type is not JSON serializable: Text"),
    (Int(1), "PASSTHROUGH_SUBCLASS", "Type is not JSON serializable: Int"),
    (List(), "PASSTHROUGH_SUBCLASS", "Type is not JSON serializable: List"),
    (Dict(a=1), "PASSTHROUGH_SUBCLASS", "Type is not JSON serializable: Dict"),
    (datetime.date(2020, 1, 2), "PASSTHROUGH_DATETIME", "Type is not JSON serializable: datetime.date"),
    (datetime.datetime(2020, 1, 2), "PASSTHROUGH_DATETIME", "Type is not JSON serializable: datetime.datetime"),
    (datetime.time(1), "PASSTHROUGH_DATETIME", "Type is not JSON serializable: datetime.time"),
    (Empty(), "PASSTHROUGH_DATACLASS", "Type is not JSON serializable: Empty"),
    (datetime.time(1, tzinfo=UTC), 0, "datetime.time must not have tzinfo set"),
    (2**64, 0, "Integer exceeds 64-bit range"),
    (-(2**63) - 1, 0, "Integer exceeds 64-bit range"),
    (10**100, 0, "Integer exceeds 64-bit range"),
    (2**53, "STRICT_INTEGER", "Integer exceeds 53-bit range"),
    (-(2**53), "STRICT_INTEGER", "Integer exceeds 53-bit range"),
    (2**64 - 1, "STRICT_INTEGER", "Integer exceeds 53-bit range"),
    (2**64, "STRICT_INTEGER", "Integer exceeds 64-bit range"),
    (-(2**63) - 1, "STRICT_INTEGER", "Integer exceeds 64-bit range"),
    ("\ud800", 0, "str is not valid UTF-8: surrogates not allowed"),
    ("a" * 100 + "\u4e2d\udfff", 0, "str is not valid UTF-8: surrogates not allowed"),
    ({"\ud800": 1}, 0, "str is not valid UTF-8: surrogates not allowed"),
    (ours.Fragment("\ud800"), 0, "str is not valid UTF-8: surrogates not allowed"),
    (ours.Fragment(5), 0, "orjson.Fragment's content is not of type bytes or str"),
    ({1: 2}, 0, "Dict key must be str"),
    ({"a": 1, Text("b"): 2}, 0, "Dict key must be str"),
    ({Text("b"): 2, "a": 1}, "SORT_KEYS", "Dict key must be str"),
    ({Text("b"): 2}, "PASSTHROUGH_SUBCLASS", "Dict key must be str"),
    ({None: 2}, "SORT_KEYS", "Dict key must be str"),
    ({(1,): 2}, "NON_STR_KEYS", "Dict key must a type serializable with OPT_NON_STR_KEYS"),
    ({b"x": 2}, "NON_STR_KEYS", "Dict key must a type serializable with OPT_NON_STR_KEYS"),
    ({Empty(): 2}, "NON_STR_KEYS", "Dict key must a type serializable with OPT_NON_STR_KEYS"),
    (nested(255), 0, "Recursion limit reached"),
    (DEEP, 0, "Recursion limit reached"),
]


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


def test_arguments():
    for function, arguments, keywords, words in [
        (ours.dumps, (), {}, "dumps() missing 1 required positional argument: 'obj'"),
        (ours.dumps, (1,), {"x": 1}, "dumps() got an unexpected keyword argument"),
        (ours.dumps, (1, None), {"default": None}, "dumps() got multiple values for argument: 'default'"),
        (ours.dumps, (1, None, 0), {"option": 0}, "dumps() got multiple values for argument: 'option'"),
        (ours.loads, (), {}, "takes exactly one argument (0 given)"),
        (ours.loads, ("1", "2"), {}, "takes exactly one argument (2 given)"),
        (ours.loads, (), {"obj": "1"}, "takes no keyword arguments"),
        (ours.Fragment, (), {}, "orjson.Fragment() takes exactly 1 positional argument"),
        (ours.Fragment, ("1", "2"), {}, "orjson.Fragment() takes exactly 1 positional argument"),
    ]:
        error = call(function, *arguments, **keywords).error
        assert type(error) is TypeError and str(error).endswith(words), error
    for option in (1.0, True, "1", -1, 1 << 12, 2**70, [], Int(1)):
        error = call(ours.dumps, 1, option=option).error
        assert type(error) is TypeError and str(error) == "Invalid opts"


def test_names():
    assert all(hasattr(ours, name) for name in ours.__all__)
    assert ours.__version__.startswith("3.")
    assert issubclass(ours.JSONDecodeError, json.JSONDecodeError) and issubclass(ours.JSONDecodeError, ValueError)
    bits = [getattr(ours, name) for name in ours.__all__ if name.startswith("OPT_")]
    assert sorted(bits) == [0, 0, *(1 << n for n in range(12))]
    assert str(inspect.signature(ours.dumps)) == "(obj, /, default=None, option=None)"
    assert str(inspect.signature(ours.loads)) == "(obj, /)"


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


# ---- rows of loads ----

READ = [
    "null",
    "[]",
    "{}",
    " [ 1 , -2.5e3 ] ",
    '{"a": {"b": [true, false, null]}, "a": 2}',
    '"\\u00e9\\ud83d\\ude00\\n\\/"',
    "0",
    "-0",
    "-0.0",
    "1e400"[:3],
]


@pytest.mark.parametrize("text", READ)
def test_loads(text):
    for document in (text, text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        assert facts(ours.loads(document)) == facts(json.loads(text))


def test_loads_of_numbers():
    for text, value in [
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", float(2**64)),
        ("1" * 30, float("1" * 30)),
        ("-" + "1" * 30, -float("1" * 30)),
        ("1e-400", 0.0),
        ("1.7976931348623157e308", 1.7976931348623157e308),
    ]:
        assert facts(ours.loads(text)) == facts(value) and facts(ours.loads(f"[{text}]".encode())) == facts([value])


# Documents that are refused, where, and in which words; None: in others.
RIGHT = ['{"a": [1, -2.5e+7, "x\\u00e9y", null, true], "b": {"c": "\\n\\ud83d\\ude00", "d": []}}', '{"é": ["ü€😀", -1e5, false], "0": 0}']


def mutate(generator, text):
    """The text with one or two characters left out, changed or added, or with its end cut off."""
    for _ in range(generator.randrange(1, 3)):
        at = generator.randrange(len(text) + 1)
        added = generator.choice('{}[],:"\\0123456789eE+-.tfnu \n\x00é')
        text = generator.choice([text[:at] + text[at + 1 :], text[:at] + added + text[at + 1 :], text[:at] + added + text[at:], text[:at]])
    return text


WRONG = [
    ("", 0, "Input is a zero-length, empty document"),
    ("[", 1, "unexpected end of data"),
    ('{"a"', 4, "unexpected end of data"),
    ('"abc', 4, "unexpected end of data"),
    ("[1,]", 2, "trailing comma is not allowed"),
    ('{"a":1,}', 6, "trailing comma is not allowed"),
    ("{'a':1}", 1, "unexpected character, expected a string key"),
    ('{"a" 1}', 5, "unexpected character, expected ':' after key"),
    ("1 2", 2, "unexpected content after document"),
    ('"\n"', 1, "unexpected control character in string"),
    ("[1]]", 3, "unexpected content after document"),
    ("NaN", 0, "unexpected character, expected a JSON value"),
    ("[Infinity]", 1, "unexpected character, expected a JSON value"),
    ("-Infinity", 1, "no digit after sign"),
    ("[1e400]", 1, "number is infinity when parsed as double"),
    ("1" * 400, 0, "number is infinity when parsed as double"),
    ("01", 0, "number with leading zero is not allowed"),
    ("[-01]", 2, "number with leading zero is not allowed"),
    ("1.", 2, "unexpected end of data"),
    ("[1.]", 3, "no digit after decimal point"),
    ("[1e+]", 4, "no digit after exponent sign"),
    ("[1e5e5]", 4, "unexpected character, expected ',' or ']'"),
    ("[-]", 2, "no digit after sign"),
    ("+1", 0, "no digit after sign"),
    (".5", 0, "no digit after sign"),
    ("'a'", 0, "unexpected character, expected a JSON value"),
    ("tru", 3, "unexpected end of data"),
    ("[nul]", 1, "invalid literal, expected 'null'"),
    (" ", 0, "input data is empty"),
    ("\ufeff1", 0, "UTF-8 byte order mark (BOM) is not supported"),
    ('"a\\ud800"', 2, "no low surrogate in string"),
    ('"\\ud800\\u0041"', 1, "invalid low surrogate in string"),
    ('"\\ud800\\u004"', 1, "invalid escape in string"),
    ('"\\udc00\\ud800"', 1, "invalid high surrogate in string"),
    ('{"\\ud800": 1}', 2, "no low surrogate in string"),
    ('["\\ud800\\', 9, "unexpected end of data"),
    ('["\\ud800\\n', 2, "no low surrogate in string"),
    ('["\\ud800\\uDc0', 13, "unexpected end of data"),
    ('["\\ud800\\u12', 2, "invalid escape in string"),
    ('["\\ud800\\udb0', 2, "invalid escape in string"),
    ('["\\udc00\\ud', 11, "unexpected end of data"),
    ('["\\udc00\\n', 2, "invalid high surrogate in string"),
    ('"\\x"', 1, "invalid escaped sequence in string"),
    ('"\\u12"', 1, "invalid escaped sequence in string"),
    ('"\\u12', 5, "unexpected end of data"),
    ("[1 2]", 3, "unexpected character, expected ',' or ']'"),
    ('{"a":[{}] "b"}', 10, "unexpected character, expected ',' or '}'"),
    ('["{", 1 ""]', 8, "unexpected character, expected ',' or ']'"),
    ("// 1", 0, "unexpected character, expected a JSON value"),
    ("[" * 1025 + "]" * 1025, None, None),
    ("\ud800", None, None),
]


@pytest.mark.parametrize("text, position, words", WRONG)
def test_wrong_documents(text, position, words):
    for document in (text, text.encode(errors="surrogatepass"), bytearray(text.encode(errors="surrogatepass"))):
        error = call(ours.loads, document).error
        assert type(error) is ours.JSONDecodeError
        if words:
            assert (error.msg, error.pos) == (words, position)
            assert str(error) == f"{words}: line {error.lineno} column {error.colno} (char {position})"


def test_arrays_of_the_library_are_for_the_default_function():
    value = array.array("i", [1, 2])
    assert "array.array" in str(call(ours.dumps, value, option=ours.OPT_SERIALIZE_NUMPY).error)
    assert ours.dumps(value, default=list, option=ours.OPT_SERIALIZE_NUMPY) == b"[1,2]"


def test_what_loads_does_not_take():
    for document in (5, None, [], array_of_bytes(), memoryview(b"[ 1 ]")[::2]):
        error = call(ours.loads, document).error
        assert type(error) is ours.JSONDecodeError and error.msg == "Input must be bytes, bytearray, memoryview, or str"
    assert call(ours.loads, "\ud800").error.msg == "str is not valid UTF-8: surrogates not allowed"
    for document in (b"\xff", b'["\xc3"]'):
        assert call(ours.loads, document).error.msg == "str is not valid UTF-8: surrogates not allowed"
    assert type(call(ours.loads, "[1]".encode("utf-16")).error) is ours.JSONDecodeError
    assert len(json.dumps(ours.loads("[" * 1024 + "]" * 1024))) == 2048


def array_of_bytes():
    import array

    return array.array("B", b"1")


def test_the_module_instead_of_orjson():
    """A program that catches json's error, or ValueError, catches these."""
    for kind in (ValueError, json.JSONDecodeError, ocior.JSONDecodeError, ours.JSONDecodeError):
        with pytest.raises(kind):
            ours.loads("[")


# ---- against orjson itself ----


@pytest.fixture(scope="module")
def theirs():
    orjson = pytest.importorskip("orjson")
    if not orjson.__version__.startswith(ours.__version__.rsplit(".", 1)[0]):
        pytest.skip(f"orjson {orjson.__version__}")
    return orjson


CHARACTERS = ["a", '"', "\\", "\n", "\x00", "\x1f", "\x7f", "\xe9", "\x80", "\u20ac", "\u2028", "\U0001f600", "\ufeff", "\uffff", "/", "_"]
INTEGERS = [0, -1, 255, 2**31, 2**53 - 1, 2**53, -(2**53) + 1, -(2**53), 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 10**20]
ZONES = [None, None, UTC, zone(hours=-5, minutes=-30), zone(seconds=30), zone(hours=5, seconds=17), zone(hours=-5, seconds=-31)]


class Ready:
    """A Fragment, of whichever module writes it."""

    def __init__(self, contents):
        self.contents = contents


class Values:
    """Random values of all the types that the two write. Floats are of the size that both spell in the same way."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.pick = self.rng.choice

    def text(self):
        letters = CHARACTERS if self.rng.random() < 0.3 else "abcxyz_01"
        text = "".join(self.pick(letters) for _ in range(self.pick([0, 1, 2, 3, 8, 15, 16, 17, 31, 33, 64, 100])))
        return text + "\ud800" if self.rng.random() < 0.01 else text

    def integer(self):
        return self.pick([*INTEGERS, self.rng.randrange(-(10**18), 10**18)])

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


def hook(value):
    if isinstance(value, (set, bytes)):
        return repr(value)
    if isinstance(value, Unknown):
        return {"u": Text("\xe9")}
    if isinstance(value, tuple):
        return list(value)
    raise ValueError("no")


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


NUMBERS = [
    "0",
    "-0",
    "1",
    "0.0",
    "-0.0",
    "1e5",
    "1E+5",
    "1e-5",
    "1.5",
    "01",
    "-01",
    "1.",
    ".5",
    "-",
    "+1",
    "1e",
    "1e400",
    "1e309",
    "4.9e-324",
]
NUMBERS += [
    "1e-400",
    *map(str, INTEGERS[:-1]),
    "1" * 30,
    "1" * 310,
    "NaN",
    "-Infinity",
    "nan",
    "0x1",
    "1_0",
    "0." + "0" * 30 + "1",
    "00",
    "-0e1",
]
NUMBERS.remove(str(-(2**63) - 1))
STRINGS = [
    '""',
    '"a"',
    '"\xe9"',
    '"\u20ac"',
    '"\U0001f600"',
    '"\\u00e9"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\udc00"',
    '"\\x"',
    '"\\u12"',
    '"\\""',
]
STRINGS += ['"\x00"', '"\x1f"', '"\x7f"', f'"{"a" * 40}"', f'"{"a" * 20}\\u20ac{"b" * 20}"', '"\\u0000"', '"\\/"', '"\ufeff"', '"\\ud83dx"']


def document(rng, depth=0):
    def space():
        return rng.choice(["", "", " ", "\n", "\t", "\r\n", "\x0b", "\xa0"] if rng.random() < 0.05 else ["", "", " "])

    chance = rng.random()
    if depth < 5 and chance < 0.4:
        inner = [space() + document(rng, depth + 1) + space() for _ in range(rng.choice([0, 1, 2, 3, 6]))]
        if chance < 0.2:
            return "[" + space() + ",".join(inner) + "]"
        return "{" + space() + ",".join(f"{space()}{rng.choice(STRINGS[:7])}{space()}:{item}" for item in inner) + "}"
    if chance < 0.6:
        return rng.choice(STRINGS)
    if chance < 0.9:
        return (
            rng.choice(NUMBERS)
            if rng.random() < 0.6
            else repr(rng.choice([rng.random(), rng.getrandbits(60), rng.random() * 10.0 ** rng.randrange(-300, 300)]))
        )
    return rng.choice(
        ["true", "false", "null", "True", "nul", "{", "]", ",", ":", "//c"] if rng.random() < 0.1 else ["true", "false", "null"]
    )


def damaged(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            data[place : place + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del data[place : place + 1]
        elif kind == 2:
            data.insert(place, rng.choice(b'[]{},:"\\0-9eE. \xff\xc3\xed\xa0\x80ntf'))
        elif kind == 3:
            del data[place:]
        else:
            data[place:place] = data[place : place + rng.randrange(1, 8)]
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
def test_loads_as_orjson(theirs, seed):
    rng = random.Random(seed)
    for _ in range(8000):
        data = document(rng).encode(errors="surrogatepass")
        data = damaged(rng, data) if rng.random() < 0.7 else data
        if b"9223372036854775809" in data:
            continue
        for given in (data, data.decode(errors="surrogateescape") if rng.random() < 0.3 else bytearray(data)):
            mine, other = call(ours.loads, given), call(theirs.loads, given)
            if other.error is not None:
                assert type(mine.error) is ours.JSONDecodeError, (given, mine, other)
            else:
                assert mine.error is None and facts(mine.value) == facts(other.value), (given, mine, other)


def test_words_as_orjson(theirs):
    for value, names, words in REFUSED:
        if not isinstance(value, ours.Fragment):
            mine, other = (call(module.dumps, value, option=options(names)).error for module in (ours, theirs))
            assert (type(mine), str(mine)) == (type(other), str(other)), (value, names)
    generator = random.Random(8)
    mutated = [mutate(generator, generator.choice(RIGHT)) for _ in range(3000)]
    for text in [text for text, _, words in WRONG if words] + mutated:
        if call(theirs.loads, text).error:
            mine, other = (call(module.loads, text).error for module in (ours, theirs))
            assert (str(mine), mine.pos, mine.lineno, mine.colno) == (str(other), other.pos, other.lineno, other.colno), text
    for name in ours.__all__:
        if name.startswith("OPT_"):
            assert getattr(ours, name) == getattr(theirs, name)


def test_nesting_as_orjson(theirs):
    """But for tuples, which orjson does not count: those nested some 100,000 deep crash it."""
    for depth, inner in itertools.product((1, 253, 254, 255, 256), (1, "x", None, 2.5)):
        for make in (lambda item: [item], lambda item: {"k": item}, Point):
            value = inner
            for _ in range(depth):
                value = make(value)
            mine, other = call(ours.dumps, value), call(theirs.dumps, value)
            assert (mine.value, str(mine.error)) == (other.value, str(other.error)), (depth, inner)
    for depth in (1023, 1024, 1025, 3000):
        for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
            assert (call(ours.loads, text).error is None) == (call(theirs.loads, text).error is None), depth


@pytest.fixture(scope="module")
def np():
    return pytest.importorskip("numpy")


def test_numpy(np):
    """What needs no orjson to compare with."""
    numpy = ours.OPT_SERIALIZE_NUMPY
    assert ours.dumps(np.arange(6).reshape(2, 3), option=numpy) == b"[[0,1,2],[3,4,5]]"
    assert ours.dumps([np.float32(0.1), np.int8(-1), np.bool_(True), np.float64(2.5)], option=numpy) == b"[0.1,-1,true,2.5]"
    assert ours.dumps(np.datetime64("2020-01-02T03:04:05.000006"), option=numpy) == b'"2020-01-02T03:04:05.000006"'
    assert ours.dumps(np.array([np.nan, 1.5]), option=numpy) == b"[null,1.5]"
    for value, option, words in [
        (np.arange(2), 0, "Type is not JSON serializable: numpy.ndarray"),
        (np.float32(1), 0, "Type is not JSON serializable: numpy.float32"),
        (np.arange(4)[::2], numpy, "numpy array is not C contiguous; use ndarray.tolist() in default"),
        (np.array([1, "a"], object), numpy, "unsupported datatype in numpy array"),
        (np.array([1j]), numpy, "unsupported datatype in numpy array"),
        (np.longdouble(1.5), numpy, "Type is not JSON serializable: numpy.longdouble"),
        (np.longlong(1), numpy, "Type is not JSON serializable: numpy.longlong"),
        (type("Own", (np.float64,), {})(1.5), numpy, "Type is not JSON serializable: Own"),
        (type("Own", (np.float32,), {})(1.5), numpy, "Type is not JSON serializable: Own"),
        (np.array(5), numpy, "unsupported datatype in numpy array"),
    ]:
        error = call(ours.dumps, [value], option=option).error
        assert type(error) is TypeError and str(error) == words
    for value, words in [
        (np.arange(2).astype(np.dtype("i4").newbyteorder()), "numpy array is not native-endianness"),
        (np.array(5, np.dtype("i4").newbyteorder()), "numpy array is not native-endianness"),
        (np.array("a", np.dtype("U1").newbyteorder()), "numpy array is not native-endianness"),
        (np.array([1], "M8[ps]"), "unsupported numpy.datetime64 unit: picoseconds"),
        (np.datetime64("NaT"), "unsupported numpy.datetime64 unit: NaT"),
        (np.zeros(1, "M8"), "unsupported numpy.datetime64 unit: NaT"),
        (np.datetime64("NaT", "ms"), f"unrepresentable numpy.datetime64: {-(2**63)} milliseconds"),
        (np.datetime64(8030, "Y"), "unrepresentable numpy.datetime64: 8030 years"),
        (np.array([-1971], "M8[Y]"), "unrepresentable numpy.datetime64: -1971 years"),
        (np.array([0, 10**8], "M8[D]"), "unrepresentable numpy.datetime64: 100000000 days"),
    ]:
        for hook in ({}, {"default": lambda value: "not asked"}):
            error = call(ours.dumps, [value], option=numpy, **hook).error
            assert type(error) is TypeError and str(error) == words
    assert ours.dumps([np.zeros((0, 2), "M8[ps]"), np.zeros((2, 0), "M8")], option=numpy) == b"[[],[[],[]]]"
    assert ours.dumps(np.arange(4)[::2], option=numpy, default=lambda value: value.tolist()) == b"[0,2]"
    assert ours.dumps([np.array([1, "a"], object)], option=numpy, default=lambda value: value.tolist()) == b'[[1,"a"]]'


def test_numpy_as_orjson(theirs, np):
    rng = random.Random(9)
    kinds = [
        "?",
        "i1",
        "i2",
        "i4",
        "i8",
        "u1",
        "u2",
        "u4",
        "u8",
        "f2",
        "f4",
        "f8",
        "M8[s]",
        "M8[ms]",
        "M8[us]",
        "M8[ns]",
        "M8[D]",
        "M8[Y]",
        "M8[h]",
        "O",
        "c8",
        "U2",
    ]
    for _ in range(3000):
        kind = rng.choice(kinds)
        shape = rng.choice([(0,), (1,), (3,), (2, 2), (2, 0), (0, 2), (2, 1, 2)])
        count = int(np.prod(shape))
        if kind[0] == "M":
            values = np.array([rng.randrange(-400, 8000) for _ in range(count)], "i8").view(kind)
        elif kind[0] == "f":
            values = np.array([rng.choice([0.5, 1.5, -0.0, np.nan, np.inf, 1000.25]) for _ in range(count)]).astype(kind)
        elif kind == "U2":
            values = np.full(count, "ab")
        else:
            values = np.array([rng.randrange(100) for _ in range(count)]).astype(kind)
        value = values.reshape(shape)
        if value.size and kind not in ("U2", "O") and rng.random() < 0.3:
            value = value.flat[0]
        elif rng.random() < 0.1:
            value = value.T if value.ndim > 1 else value[::2]
        option = ours.OPT_SERIALIZE_NUMPY
        for bit in range(12):
            option |= (rng.random() < 0.2) << bit
        keywords = {"option": option, **({"default": lambda value: value.tolist()} if rng.random() < 0.3 else {})}
        mine, other = call(ours.dumps, [value], **keywords), call(theirs.dumps, [value], **keywords)
        assert (mine.value, type(mine.error)) == (other.value, type(other.error)), (value, keywords, mine, other)


def test_no_leaks():
    values = [value for value, _, _ in itertools.chain(DUMPS, REFUSED) if value is not DEEP]
    documents = [*READ, *(text for text, _, _ in WRONG)]

    def run(times):
        for _ in range(times):
            for value, names in itertools.product(
                values, ("", "NON_STR_KEYS SORT_KEYS", "INDENT_2 PASSTHROUGH_SUBCLASS PASSTHROUGH_DATETIME")
            ):
                call(ours.dumps, [value], option=options(names))
                call(ours.dumps, {"k": value}, hook, options(names))
            for text in documents:
                call(ours.loads, text)
        gc.collect()
        return sys.getallocatedblocks()

    run(2)
    sizes = [run(10) for _ in range(5)]
    assert min(after - before for before, after in itertools.pairwise(sizes)) < 60, sizes


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


def test_pickle():
    check_pickled(ours, "dumps", "loads", "JSONDecodeError")


@pytest.mark.parametrize("base", [tuple, float, str, int, list, dict])
def test_dataclasses_derived_from_types_of_json(base):
    """Only what is stored in a str, int, list or dict comes before the fields, and not where such classes are passed to the hook."""
    value = dataclasses.make_dataclass("Derived", [("a", int, 1)], bases=(base,))()
    fields, stored = b'{"a":1}', {str: b'""', int: b"0", list: b"[]", dict: b"{}"}
    assert ours.dumps(value) == stored.get(base, fields)
    assert ours.dumps(value, option=ours.OPT_PASSTHROUGH_SUBCLASS) == fields
    both = ours.OPT_PASSTHROUGH_SUBCLASS | ours.OPT_PASSTHROUGH_DATACLASS
    assert ours.dumps(value, lambda value: "hook", both) == b'"hook"'
