"""ocior.Default and ocior.Raw: every type that json has not, over every road, in every place, against what json writes of a twin made of
json's own types; the options; the errors; the two objects themselves."""

import array
import base64
import collections
import copy
import dataclasses
import datetime
import enum
import gc
import ipaddress
import itertools
import json
import pathlib
import pickle
import re
import sys
import types
import uuid
import weakref
from collections.abc import Sequence
from decimal import Decimal
from typing import ClassVar

import pytest
from rich_values import (
    IDENTITY,
    KEYS,
    KEYWORDS,
    ROADS,
    UTC,
    Alias,
    Color,
    Derived,
    Empty,
    Frozen,
    Moment,
    Number,
    OfItsOwn,
    OnPath,
    OwnValue,
    Pair,
    Point,
    Shifted,
    Slots,
    Table,
    Unknown,
    Word,
    check,
    in_pieces,
    places,
    zone,
)
from support import call, check_python

import ocior
from ocior import Default, Raw


class Row(Sequence):
    def __init__(self, *items):
        self.items = items

    def __getitem__(self, index):
        return self.items[index]

    def __len__(self):
        return len(self.items)


@Sequence.register
class Registered:
    def __iter__(self):
        return iter("ab")


@dataclasses.dataclass
class Odd:
    of_class: ClassVar[int] = 4
    only_init: dataclasses.InitVar[int] = 5
    last: object = dataclasses.field(default=6, repr=False, compare=False)
    more: object = dataclasses.field(default_factory=list, init=False)


class Huge(enum.Enum):
    A = 2**70
    B = -(2**64)


class Bits(enum.Flag):
    A = 1
    B = 2


TWINS = [
    (Point(1), {"x": 1, "y": 2, "_private": "\xe9"}),
    (
        Point([Point("\U0001f600", 2.5)], Frozen()),
        {"x": [{"x": "\U0001f600", "y": 2.5, "_private": "\xe9"}], "y": {"a": 1}, "_private": "\xe9"},
    ),
    (Derived(1), {"x": 1, "y": "other", "_private": "\xe9", "z": None}),
    (Slots(1, {"k": Slots(None)}), {"b": 1, "a": {"k": {"b": None, "a": 5}}}),
    (Odd(), {"last": 6, "more": []}),
    (Empty(), {}),
    (datetime.datetime(2026, 1, 2, 3, 4, 5), "2026-01-02T03:04:05"),
    (datetime.datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00+00:00"),
    (datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), "9999-12-31T23:59:59.999999+00:00"),
    (datetime.datetime(2026, 1, 2, 3, 4, 5, 6, zone(hours=-5, minutes=-30)), "2026-01-02T03:04:05.000006-05:30"),
    (datetime.datetime(2026, 1, 2, tzinfo=zone(hours=5, seconds=29)), "2026-01-02T00:00:00+05:00"),
    (datetime.datetime(2026, 1, 2, tzinfo=zone(hours=-5, seconds=-31)), "2026-01-02T00:00:00-05:01"),
    (datetime.datetime(2026, 1, 2, tzinfo=zone(seconds=-29)), "2026-01-02T00:00:00+00:00"),
    (datetime.datetime(2026, 1, 2, tzinfo=Shifted(datetime.timedelta(hours=1))), "2026-01-02T00:00:00+01:00"),
    (datetime.datetime(2026, 1, 2, tzinfo=Shifted(None)), "2026-01-02T00:00:00"),
    (Moment(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
    (datetime.date(987, 6, 5), "0987-06-05"),
    (datetime.time(), "00:00:00"),
    (datetime.time(23, 59, 58, 100), "23:59:58.000100"),
    (datetime.time(1, tzinfo=zone(hours=2)), "01:00:00+02:00"),
    (datetime.timedelta(), "PT0S"),
    (datetime.timedelta(days=1), "P1D"),
    (datetime.timedelta(days=1, hours=2, minutes=3, seconds=4, microseconds=500000), "P1DT2H3M4.5S"),
    (datetime.timedelta(minutes=61), "PT1H1M"),
    (datetime.timedelta(microseconds=1), "PT0.000001S"),
    (datetime.timedelta(microseconds=-1), "-PT0.000001S"),
    (datetime.timedelta(days=100000000), "P100000000D"),
    (datetime.timedelta(days=-100000000, seconds=1), "-P99999999DT23H59M59S"),
    (datetime.timedelta.max, "P999999999DT23H59M59.999999S"),
    (datetime.timedelta.min, "-P999999999D"),
    (datetime.timedelta(seconds=-1, microseconds=1), "-PT0.999999S"),
    (IDENTITY, str(IDENTITY)),
    (uuid.UUID(int=0), str(uuid.UUID(int=0))),
    (uuid.UUID(int=2**128 - 1), str(uuid.UUID(int=2**128 - 1))),
    (type("Named", (uuid.UUID,), {})(int=1), str(uuid.UUID(int=1))),
    (list(Color), [1, "\u20ac", "2020-01-02", [1, "a"], None, 0.5]),
    ({"a": Color.LIST, "b": Color.NONE, "c": Alias.INNER}, {"a": [1, "a"], "b": None, "c": "\u20ac"}),
    (OwnValue.A, {"mine": "A"}),
    (Huge.A, 2**70),
    ({"a": Huge.A, "b": [Huge.B, 1]}, {"a": 2**70, "b": [-(2**64), 1]}),
    ([Number.ONE, Word.HELLO, Bits.A | Bits.B], [1, "hello", 3]),
    (pathlib.PurePosixPath("/a/\u4e2d"), "/a/\u4e2d"),
    (pathlib.PureWindowsPath("c:/x"), "c:\\x"),
    (OnPath("\U0001f600"), "\U0001f600"),
    (OnPath(b"/bytes"), "/bytes"),
    ({5}, [5]),
    (frozenset(["\xe9"]), ["\xe9"]),
    (set(), []),
    (collections.deque([1, collections.deque()]), [1, []]),
    ({"a": 1}.keys(), ["a"]),
    ({"a": 1}.values(), [1]),
    ({"a": 1}.items(), [["a", 1]]),
    (types.MappingProxyType({"a": {1}}), {"a": [1]}),
    (Table({"a": Table({})}), {"a": {}}),
    (collections.ChainMap({"a": 1}, {"a": 2}), {"a": 1}),
    (collections.UserDict(a=1), {"a": 1}),
    (collections.UserList([1, collections.UserList()]), [1, []]),
    (collections.UserString("\u4e2d"), "\u4e2d"),
    (type("Named", (collections.UserString,), {})("\xe9"), "\xe9"),
    (range(3), [0, 1, 2]),
    (range(10, 0, -5), [10, 5]),
    (range(2**70, 2**70 + 2), [2**70, 2**70 + 1]),
    (range(0), []),
    (pathlib.PurePosixPath("/a/b").parents, ["/a", "/"]),
    (Row(1, {2}), [1, [2]]),
    (Registered(), ["a", "b"]),
    (ipaddress.ip_address("10.0.0.1"), "10.0.0.1"),
    (ipaddress.ip_address("::1"), "::1"),
    (ipaddress.ip_network("10.0.0.0/8"), "10.0.0.0/8"),
    (ipaddress.ip_interface("10.0.0.1/8"), "10.0.0.1/8"),
    (re.compile("\u4e2d+"), "\u4e2d+"),
    (OfItsOwn("text"), "text"),
    (OfItsOwn({"k": OfItsOwn([OfItsOwn(None)])}), {"k": [None]}),
    (Pair(1, Pair(2, {3})), [1, [2, [3]]]),
    (collections.OrderedDict(b=1, a={2}), {"b": 1, "a": [2]}),
    (array.array("b", [-1, 2]), [-1, 2]),
]


@pytest.mark.parametrize("value, twin", TWINS, ids=lambda side: type(side).__name__)
def test_types(value, twin):
    check(value, twin)


@pytest.mark.parametrize("value, twin", TWINS, ids=lambda side: type(side).__name__)
def test_as_an_ordinary_function(value, twin):
    """In other hands it returns what json can write."""
    assert ocior.default(value) == twin
    assert json.dumps([value, value], default=ocior.default) == json.dumps([twin, twin])


@pytest.mark.parametrize(
    "text",
    [
        "\ud83d\ude00",
        "\ude00\ud83d",
        "\ud83d",
        "a\ud83d\ude00\U0001f600\u4e2d",
        "\xe9" * 40 + "\ud83d\ude00",
        "<\u2028\ud83d\ude00&/",
        "\ufeff",
        '\x00\x1f"\\',
    ],
    ids=ascii,
)
@pytest.mark.parametrize("default", [ocior.default, Default(html_safe=True, escape_slashes=True)], ids=["default", "escaping"])
def test_strings_in_other_hands(text, default):
    """They are returned as they are: two lone surrogates in a row are no character."""
    for value, same in [
        ({text: 1}.keys(), [text]),
        (types.MappingProxyType({text: [text]}), {text: [text]}),
        (Pair(text, {text}), [text, [text]]),
    ]:
        assert default(value) == same
        assert json.dumps([value], default=default, ensure_ascii=False) == json.dumps([same], ensure_ascii=False)


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
def test_json_s_own_types(keywords):
    """They are written as if there were no Default, classes derived from them, too."""
    value = [1, 2.5, 2**70, float("nan"), "\xe9", None, True, (1, [2]), {"b": 1, "a": {}}, Number.ONE, Word.HELLO]
    value += [type("Text", (str,), {})("x"), type("List", (list,), {})([1]), type("Dict", (dict,), {})(b=2, a=1), {2: 3, 10: 4}]
    expected = json.dumps(value, **keywords)
    for road in ROADS:
        assert road(value, default=ocior.default, **keywords) == expected


def test_views_of_mappings():
    pairs = {"a": 1, "b": [2]}
    for mapping in (pairs, collections.OrderedDict(pairs), collections.UserDict(pairs), collections.ChainMap(pairs)):
        check(mapping.keys(), list(mapping), keywords=[{}])
        check(mapping.values(), list(mapping.values()), keywords=[{}])
        check(mapping.items(), [list(item) for item in mapping.items()], keywords=[{}])


def test_mappings_where_nobody_has_imported_collections_abc():
    check_python(
        """
        import collections, sys, ocior
        sys.modules.pop("collections.abc", None)
        assert ocior.dumps([collections.UserDict(a=1), collections.ChainMap({"b": 2})], default=ocior.default) == '[{"a": 1}, {"b": 2}]'
        """
    )


# Options: the keywords of Default, a value, and its twin.
OPTIONS = [
    ({"naive_utc": True}, datetime.datetime(2026, 1, 2), "2026-01-02T00:00:00+00:00"),
    ({"naive_utc": True}, datetime.datetime(2026, 1, 2, tzinfo=zone(hours=1)), "2026-01-02T00:00:00+01:00"),
    ({"naive_utc": True}, datetime.time(1), "01:00:00"),
    ({"utc_z": True}, datetime.datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
    ({"utc_z": True}, datetime.datetime(2026, 1, 2), "2026-01-02T00:00:00"),
    ({"utc_z": True}, datetime.time(1, tzinfo=UTC), "01:00:00Z"),
    ({"utc_z": True}, datetime.datetime(2026, 1, 2, tzinfo=zone(hours=1)), "2026-01-02T00:00:00+01:00"),
    ({"utc_z": True}, datetime.datetime(2026, 1, 2, tzinfo=zone(seconds=29)), "2026-01-02T00:00:00+00:00"),  # no UTC, but near it
    ({"utc_z": True}, datetime.time(1, tzinfo=zone(seconds=-29)), "01:00:00+00:00"),
    ({"utc_z": True, "naive_utc": True}, datetime.datetime(2026, 1, 2), "2026-01-02T00:00:00Z"),
    ({"microseconds": False}, datetime.datetime(2026, 1, 2, 3, 4, 5, 6, UTC), "2026-01-02T03:04:05+00:00"),
    ({"microseconds": False}, datetime.time(1, 2, 3, 4), "01:02:03"),
    ({"microseconds": False}, datetime.timedelta(seconds=1, microseconds=5), "PT1S"),
    ({"microseconds": False}, datetime.timedelta(microseconds=-5), "PT0S"),
    ({"private_fields": False}, Point(1), {"x": 1, "y": 2}),
    ({"private_fields": False}, dataclasses.make_dataclass("Hidden", ["_a", "__b"])(1, 2), {}),
    ({"namedtuple_as_object": True}, Pair(1, Pair({2}, ())), {"b": 1, "a": {"b": [2], "a": []}}),
    ({"namedtuple_as_object": True}, collections.namedtuple("Nothing", "")(), {}),
    ({"namedtuple_as_object": True}, (1, 2), [1, 2]),
    ({"namedtuple_as_object": False}, Pair(1, 2), [1, 2]),
    ({"iterable_as_array": True}, range(3), [0, 1, 2]),
    ({"iterable_as_array": True}, collections.UserString("ab"), "ab"),
    ({"canonical": False, "keys": True}, {collections.UserString("k"): 1}, {"k": 1}),
    ({"iterable_as_array": True}, zip([1, 2][:0]), []),
    ({"iterable_as_array": True}, collections.UserList([1, [2]]), [1, [2]]),
    ({"exceptions": True}, ValueError("\xe9"), {"type": "ValueError", "message": "\xe9"}),
    ({"exceptions": True}, KeyboardInterrupt(), {"type": "KeyboardInterrupt", "message": ""}),
    ({"enum": "name"}, [*Color, Number.ONE, Word.HELLO, OwnValue.A], ["RED", "TEXT", "DATE", "LIST", "NONE", "HALF", "ONE", "HELLO", "A"]),
    ({"enum": "value"}, Color.RED, 1),
    ({"decimal": "str"}, [Decimal("1.10"), Decimal("NaN"), Decimal("-1E+5")], ["1.10", "NaN", "-1E+5"]),
    (
        {"bytes": "base64"},
        [b"", b"ab", bytearray(b"\xff" * 100), memoryview(b"x")],
        ["", "YWI=", base64.b64encode(b"\xff" * 100).decode(), "eA=="],
    ),
    ({"bytes": "error", "keys": False}, Point(1), {"x": 1, "y": 2, "_private": "\xe9"}),
    ({"fallback": lambda value: "fallen"}, [Unknown(), Point(Unknown())], ["fallen", {"x": "fallen", "y": 2, "_private": "\xe9"}]),
    ({"fallback": lambda value: {Color.RED}}, Unknown(), [1]),
    ({"fallback": Default(fallback=type, iterable_as_array=True, exceptions=True)}, range(2), [0, 1]),
    ({"fallback": None}, 5, 5),
]


@pytest.mark.parametrize("options, value, twin", OPTIONS)
def test_options(options, value, twin):
    check(value, twin, default=Default(**options))


def test_private_attributes_of_iterators():
    """One that is used up by the first look at it."""
    assert ocior.dumps([iter("ab"), (n for n in [1])], default=Default(iterable_as_array=True)) == '[["a", "b"], [1]]'


# Errors: the keywords of Default, what cannot be written, the class of the error, and its words.
ERRORS = [
    ({}, Unknown(), TypeError, "Object of type Unknown is not JSON serializable"),
    ({}, b"x", TypeError, "Object of type bytes is not JSON serializable"),
    ({}, bytearray(), TypeError, "Object of type bytearray is not JSON serializable"),
    ({}, 1j, TypeError, "Object of type complex is not JSON serializable"),
    ({}, zip(), TypeError, "Object of type zip is not JSON serializable"),
    ({}, ValueError(), TypeError, "Object of type ValueError is not JSON serializable"),
    ({}, Point, TypeError, "Object of type type is not JSON serializable"),
    ({}, re.compile(b"x"), TypeError, "Object of type bytes is not JSON serializable"),
    ({}, types.SimpleNamespace(), TypeError, "Object of type SimpleNamespace is not JSON serializable"),
    ({}, Color, TypeError, "Object of type Enum(Meta|Type) is not JSON serializable"),
    ({}, {1, Frozen}, TypeError, "Object of type type is not JSON serializable"),
    ({}, datetime.time(tzinfo=Shifted(5)), TypeError, r"tzinfo.utcoffset\(\) must return None or a timedelta, not 'int'"),
    ({}, datetime.datetime(2020, 1, 1, tzinfo=Shifted("x")), TypeError, r"tzinfo.utcoffset\(\) must return None or a timedelta, not 'str'"),
    ({}, datetime.datetime(2020, 1, 1, tzinfo=Shifted(datetime.timedelta(1))), ValueError, "offset must be a timedelta strictly between"),
    ({}, datetime.datetime(2020, 1, 1, tzinfo=Shifted(lambda: 1 // 0)), ZeroDivisionError, ""),
    ({"fallback": lambda value: value}, Unknown(), ValueError, "Circular reference detected"),
    ({"fallback": lambda value: [value]}, Unknown(), ValueError, "Circular reference detected"),
    ({"fallback": lambda value: 1 // 0}, Unknown(), ZeroDivisionError, ""),
    ({"fallback": lambda value: Unknown}, Unknown(), ValueError, "Circular reference detected"),
    ({"iterable_as_array": True}, (1 // n for n in [1, 0]), ZeroDivisionError, ""),
]


@pytest.mark.parametrize("options, value, error, words", ERRORS, ids=lambda side: type(side).__name__)
def test_errors(options, value, error, words):
    default = Default(**options)
    rows = [value] if isinstance(value, types.GeneratorType) else [value, [1, value], {"a": ["\U0001f600", value]}]
    for row, keywords, road in itertools.product(rows, KEYWORDS, ROADS):
        if isinstance(value, types.GeneratorType) and (keywords or road is not ocior.dumps):
            continue
        found = call(road, row, default=default, **{**keywords, "check_circular": True}).error
        assert type(found) is error and re.match(words, str(found)), found


def test_an_error_behind_a_replaced_value():
    """What was written in the place of an earlier value is not written again."""

    class Broken(datetime.tzinfo):
        def utcoffset(self, moment):
            raise ZeroDivisionError

    value = [pathlib.PurePosixPath("a"), datetime.datetime(2020, 1, 1, tzinfo=Broken())]
    for function, before in ((ocior.dumps, []), (ocior.dumps_to_bytes, []), (ocior.dumps, ["\u4e2d"])):
        with pytest.raises(ZeroDivisionError):
            function(before + value, default=ocior.default, ensure_ascii=False)


CLASS_GIVEN = "(default= takes ocior.default or ocior.Default(...), not the class)"


def test_calls_of_default():
    assert repr(ocior.default) == "ocior.Default()"
    assert repr(Default(len, keys=True, enum="name", microseconds=False, decimal="number")) == (
        "ocior.Default(fallback=<built-in function len>, microseconds=False, keys=True, enum='name')"
    )
    assert Default(len).fallback is len and Default(fallback=len).fallback is len and ocior.default.fallback is None
    assert type(ocior.default) is Default
    for arguments, keywords, error, words in [
        ((), {"fallback": 5}, TypeError, "fallback must be callable or None, not int"),
        ((5,), {}, TypeError, f"fallback must be callable or None, not int {CLASS_GIVEN}"),
        ((len, len), {}, TypeError, "Default() takes at most 1 positional argument (2 given)"),
        ((len,), {"fallback": len}, TypeError, "Default() got multiple values for argument 'fallback'"),
        ((), {"nope": 1}, TypeError, "Default() got an unexpected keyword argument 'nope'"),
        ((), {"enum": "x"}, ValueError, "enum must be 'value' or 'name', not 'x'"),
        ((), {"decimal": 5}, ValueError, "decimal must be 'number' or 'str', not 5"),
        ((), {"bytes": None}, ValueError, "bytes must be 'error' or 'base64', not None"),
    ]:
        found = call(Default, *arguments, **keywords).error
        assert (type(found), str(found)) == (error, words)
    for arguments, keywords in [((), {}), ((1, 2), {}), ((), {"value": 1}), ((1,), {"x": 1})]:
        with pytest.raises(TypeError, match="^a Default takes exactly one argument$"):
            ocior.default(*arguments, **keywords)
    with pytest.raises(TypeError):
        type("Derived", (Default,), {})
    with pytest.raises(AttributeError):
        ocior.default.fallback = None
    with pytest.raises(TypeError, match=re.escape(f"fallback must be callable or None, not datetime.date {CLASS_GIVEN}")):
        ocior.dumps([datetime.date(2026, 1, 2)], default=Default)


def test_a_default_in_a_cycle_is_collected():
    class Hook:
        def __call__(self, value):
            return None

    hook = Hook()
    hook.default = Default(hook)
    seen = weakref.ref(hook)
    del hook
    gc.collect()
    assert seen() is None


def test_a_default_outlives_its_encoder():
    """Nobody else holds it while pieces are taken."""
    for change in (lambda encoder: setattr(encoder, "default", None), lambda encoder: None):
        encoder = ocior.JSONEncoder(default=Default(lambda value: "fallen" * 5))
        pieces = encoder.iterencode([Unknown()] * 20000)
        first = next(pieces)
        change(encoder)
        del encoder
        gc.collect()
        others = [Default(lambda value: "other") for _ in range(50)]
        assert first + "".join(pieces) == json.dumps(["fallen" * 5] * 20000)
        del others


def test_copies_and_pickles():
    policies = Default(len, keys=True, enum="name", microseconds=False, short_arrays=80, integer_bits=53, max_depth=7, non_finite="null")
    for value in (ocior.default, Default(html_safe=True), policies, Raw("[1, 2]"), Raw(b"1"), Raw("no JSON", check=False)):
        assert copy.copy(value) is value and copy.deepcopy([value])[0] is value
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(value, protocol))
            assert type(again) is type(value) and repr(again) == repr(value)
    assert ocior.dumps([IDENTITY], default=pickle.loads(pickle.dumps(ocior.default))) == f'["{IDENTITY}"]'


@pytest.mark.parametrize("text", ["1", '"\xe9\u4e2d\U0001f600"', '{"a": [1, 2.50]}', "[\n1]", '"\\ud83d\\ude00\\n"', '"\x7f"'])
def test_raw(text):
    """As it stands, but for what only the output asks for."""
    for content in (text, text.encode(), bytearray(text.encode())):
        for check_it in (True, False):
            value = Raw(content, check=check_it)
            assert value.text == (text if isinstance(content, str) else text.encode())
            for default in (None, ocior.default):
                for options in KEYWORDS:
                    for road in ROADS:
                        written = road(value, default=default, **options)
                        assert written == (text if not options.get("ensure_ascii", True) or text.isascii() else written)
                        assert written.isascii() or not options.get("ensure_ascii", True)
                        assert json.loads(written) == json.loads(text)
                for place, twin in zip(places(value), places(json.loads(text))):
                    for road in ROADS:
                        assert json.loads(road(place, default=default)) == json.loads(json.dumps(twin))
                        assert json.loads(road(place, default=default, ensure_ascii=False)) == json.loads(json.dumps(twin))


def test_raw_is_trusted_only_if_asked():
    assert ocior.dumps([Raw("no JSON", check=False), Raw("", check=False)]) == "[no JSON, ]"
    for text in ("", "[1,", "nul", "{'a': 1}", b"1 2"):
        ours, theirs = call(Raw, text).error, call(json.loads, text).error
        assert type(ours) is type(theirs) and ours.args == theirs.args
    with pytest.raises(UnicodeDecodeError):
        Raw(b'"\xff"')
    with pytest.raises(UnicodeDecodeError):
        ocior.dumps(Raw(b'"\xff"', check=False))
    with pytest.raises(UnicodeEncodeError):
        ocior.dumps_to_bytes(["a", Raw('"\ud800"')])
    assert ocior.dumps(Raw('"\ud800"'), ensure_ascii=False) == '"\ud800"'
    for arguments, keywords in [((), {}), ((1,), {}), ((None,), {}), (("1", "2"), {}), (("1",), {"text": "2"})]:
        with pytest.raises(TypeError):
            Raw(*arguments, **keywords)
    assert repr(Raw("[1]")) == "ocior.Raw('[1]')"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])
def test_raw_is_utf8(encoding):
    with pytest.raises(ValueError):
        Raw("[1]".encode(encoding))
    with pytest.raises(ValueError):
        Raw(b'"\xed\xa0\x80"')


def test_raw_longer_than_a_piece():
    text = "[" + ", ".join(['"\xe9\u20ac"'] * 60000) + "]"
    for content in (text, text.encode()):
        value = ["a" * 50, Raw(content), "\U0001f600", Raw(content)]
        expected = json.dumps(["a" * 50, json.loads(text), "\U0001f600", json.loads(text)], ensure_ascii=False)
        for road in ROADS:
            assert road(value, ensure_ascii=False) == expected
            assert json.loads(road(value)) == json.loads(expected)


def test_no_leaks():
    """Every type, and every error, again and again: no more objects are left each time."""
    values = [value for value, _ in TWINS] + [value for _, value, _, _ in ERRORS if not isinstance(value, types.GeneratorType)]
    keys = [key for key, _ in KEYS]
    defaults = [ocior.default, Default(lambda value: value, keys=True, iterable_as_array=True)]

    def run(times):
        for _, default in itertools.product(range(times), defaults):
            for value in itertools.chain(values, ({key: 1, "a": 2} for key in keys)):
                for place in (value, {"k": [value]}):
                    call(ocior.dumps, place, default=default, sort_keys=True)
                    call(in_pieces, place, default=default)
        gc.collect()
        return sys.getallocatedblocks()

    run(2)
    sizes = [run(15)]
    for _ in range(10):  # without a GIL what is freed is counted late
        sizes.append(run(15))
        if sizes[-1] - sizes[-2] < 90:  # an object left by one value would be 120
            return
    raise AssertionError(sizes)
