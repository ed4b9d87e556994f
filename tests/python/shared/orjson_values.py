"""What the tests of ocior.compat.orjson share: values of all the types that orjson knows, rows of what is written, refused and read, and orjson
itself where it is installed."""

import collections
import dataclasses
import datetime
import enum
import json
import uuid

import pytest
from facades import imitated

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


# What is written: a value, options, and the text.
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

# Documents that are read as json reads them.
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

# Documents that are refused, where, and in which words; None: in others.
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

INTEGERS = [0, -1, 255, 2**31, 2**53 - 1, 2**53, -(2**53) + 1, -(2**53), 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 10**20]


def options(names):
    bits = 0
    for name in (names or "").split():
        bits |= getattr(ours, f"OPT_{name}")
    return bits


def hook(value):
    if isinstance(value, (set, bytes)):
        return repr(value)
    if isinstance(value, Unknown):
        return {"u": Text("\xe9")}
    if isinstance(value, tuple):
        return list(value)
    raise ValueError("no")


@pytest.fixture(scope="module")
def theirs():
    """A fixture of every file that imports it."""
    return imitated(ours)
