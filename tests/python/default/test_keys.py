"""Keys of dicts that an ocior.Default writes: which objects become keys and which do not, rows of them, and the order that sort_keys gives
to keys and fields."""

import collections
import datetime
import enum
import itertools
import json
import random
import re
import uuid
from decimal import Decimal

import pytest
from layouts import each_layout
from rich_values import (
    IDENTITY,
    KEYS,
    KEYWORDS,
    PLAIN_KEYWORDS,
    ROADS,
    UTC,
    Color,
    Frozen,
    Number,
    OnPath,
    Pair,
    Point,
    Slots,
    Table,
    Text,
    Unknown,
    Word,
    check,
    places,
)
from support import call

import ocior
from ocior import Default


@pytest.mark.parametrize("key, text", [row for row in KEYS if row[1] is not None], ids=lambda side: type(side).__name__)
def test_keys(key, text):
    default = Default(keys=True, bytes="base64")
    check({key: 1}, {text: 1}, default)
    check(
        {"a": 0, key: [{key: False}]},
        {"a": 0, text: [{text: False}]},
        default,
        [options for options in KEYWORDS if "sort_keys" not in options],
    )


VALUES_BEHIND_KEYS = [
    (1, 1),
    ("\U0001f600", "\U0001f600"),
    (None, None),
    (0.5, 0.5),
    (2**100, 2**100),
    ([], []),
    ({}, {}),
    ([IDENTITY], [str(IDENTITY)]),
    ({IDENTITY: {5: 6}}, {str(IDENTITY): {"5": 6}}),
    (IDENTITY, str(IDENTITY)),
    (Color.TEXT, "\u20ac"),
    (datetime.date(2020, 1, 2), "2020-01-02"),
    (Frozen({8: []}), {"a": {"8": []}}),
    ("x" * 5000, "x" * 5000),
]


def test_rows_of_keys():
    """Many keys of one type in a dict, and of many types in turn, with values of all kinds behind them."""
    default = Default(keys=True, decimal="str")
    times = {datetime.datetime(2020, 1, n + 1, tzinfo=UTC): f"2020-01-{n + 1:02}T00:00:00+00:00" for n in range(14)}
    rows = [
        {n * 10**9 - 5: str(n * 10**9 - 5) for n in range(14)},
        {uuid.UUID(int=IDENTITY.int + n): str(uuid.UUID(int=IDENTITY.int + n)) for n in range(14)},
        {datetime.date(2020, 1, n + 1): f"2020-01-{n + 1:02}" for n in range(14)},
        times,
        {Decimal(n) / 4: str(Decimal(n) / 4) for n in range(14)},
        {datetime.time(n): f"{n:02}:00:00" for n in range(14)},
        {2**59 + n * 2**58: str(2**59 + n * 2**58) for n in range(14)},
        {Word.HELLO: "hello", Number.ONE: "1", Color.TEXT: "\u20ac", Color.HALF: "0.5"},
        {Color.RED: "1", 5: "5", None: "null", IDENTITY: str(IDENTITY), "\u4e2d": "\u4e2d", **times},
    ]
    keywords = [options for options in KEYWORDS if "sort_keys" not in options]
    for row in rows:
        for shift in range(3):
            pairs = VALUES_BEHIND_KEYS[shift:] + VALUES_BEHIND_KEYS
            check(
                {key: value for key, (value, _) in zip(row, pairs)},
                {text: twin for text, (_, twin) in zip(row.values(), pairs)},
                default,
                [*keywords[:3], {"indent": 400}] if shift else keywords,
            )


def test_rows_of_keys_end_with_an_error():
    """The places that notes tell are those of a dict with keys of str; a key that cannot be one is skipped, or refused."""
    default = Default(keys=True, surrogates="error")
    for road, options in itertools.product(ROADS, KEYWORDS[:2]):
        for last in (Unknown(), [Unknown()], {5: Unknown()}):
            errors = [call(road, {first: 2, "7": last, 8: 9}, default=default, **options).error for first in ("1", 1, IDENTITY)]
            assert {type(error) for error in errors} == {TypeError}
            assert len({str(getattr(error, "__notes__", "")) for error in errors}) == 1
        value = {1: 2, IDENTITY: 3, (1, 2): 4, 7: {8: 9, (): 10}}
        assert type(call(road, value, default=default, **options).error) is TypeError
        text = road(value, default=default, skipkeys=True, **options)
        assert json.loads(text) == {"1": 2, str(IDENTITY): 3, "7": {"8": 9}}
    for lone in ("\ud800", "a" * 50 + "\ud800"):
        value = {1: 2, enum.Enum("Kind", {"A": lone}).A: 3, 5: 6}
        for _ in range(2):
            assert isinstance(call(ocior.dumps_to_bytes, value, default=Default(keys=True)).error, UnicodeEncodeError)
            assert isinstance(call(ocior.dumps, value, default=default).error, UnicodeEncodeError)
            text = ocior.dumps_to_bytes(value, default=Default(keys=True, surrogates="replace"))
            assert json.loads(text) == {"1": 2, lone.replace("\ud800", "\ufffd"): 3, "5": 6}


@pytest.mark.parametrize("key", [key for key, text in KEYS if text is None], ids=lambda key: type(key).__name__)
def test_what_cannot_be_a_key(key):
    default = Default(keys=True, bytes="base64")
    for value, options, road in itertools.product(({key: 1}, [{key: 2, "a": 1}]), KEYWORDS, ROADS):
        error = call(road, value, default=default, **options).error
        assert type(error) is TypeError
        if len(value) == 1 or not options.get("sort_keys"):
            assert re.match("keys must be str, int, float, bool or None, not |'<' not supported", str(error)), error
        if not options.get("sort_keys"):
            twin = {(): 1} if isinstance(value, dict) else [{(): 2, "a": 1}]
            assert road(value, default=default, skipkeys=True, **options) == json.dumps(twin, skipkeys=True, **options)


def test_keys_are_refused_unless_asked_for():
    for key in (datetime.date(2020, 1, 2), IDENTITY, Color.RED, OnPath("/"), b"x"):
        for road in ROADS:
            with pytest.raises(TypeError, match="^keys must be str, int, float, bool or None, not "):
                road({key: 1}, default=Default(bytes="base64"))


def test_enums_by_name_as_keys():
    class Number(enum.IntEnum):
        ONE = 1
        TEN = 10

    class Word(str, enum.Enum):
        A = "z"

    by_name, all_keys = Default(enum="name"), Default(enum="name", keys=True)
    for default in (by_name, all_keys):
        check({Number.TEN: Number.ONE, Word.A: [Word.A]}, {"TEN": "ONE", "A": ["A"]}, default, [{}, {"indent": 1}])
        check({"a": 1, Word.A: 2}, {"a": 1, "A": 2}, default, [{}])
    for road in ROADS:
        # json compares the keys, an option the texts that they become.
        assert list(json.loads(road({10: 0, Number.ONE: 0, 9: 0}, default=by_name, sort_keys=True))) == ["ONE", "9", "10"]
        assert list(json.loads(road({10: 0, Number.ONE: 0, 9: 0}, default=all_keys, sort_keys=True))) == ["10", "9", "ONE"]
        with pytest.raises(TypeError, match="^keys must be str, int, float, bool or None, not "):
            road({Color.RED: 1}, default=by_name)
        assert json.loads(road({Color.RED: 1}, default=by_name, skipkeys=True)) == {}
        assert json.loads(road({Color.RED: 1}, default=all_keys)) == {"RED": 1}


def test_sorted_keys():
    """By the text that they become."""
    default = Default(keys=True)
    value = {Color.DATE: 1, "b": 2, IDENTITY: 3, None: 4, 7: 5, "\u4e2d": 6, "a": {Color.TEXT: 1, "": 2}, 1.5: 8}
    twin = {"2020-01-02": 1, "b": 2, str(IDENTITY): 3, "null": 4, "7": 5, "\u4e2d": 6, "a": {"\u20ac": 1, "": 2}, "1.5": 8}
    check(value, twin, default, [{**options, "sort_keys": True} for options in KEYWORDS])


def test_sorted_fields():
    twin = {"x": {"b": 1, "a": 5}, "y": 2, "_private": "\xe9"}
    check(Point(Slots(1)), twin, keywords=[{**options, "sort_keys": True} for options in KEYWORDS])
    assert ocior.dumps(Pair(1, 2), default=Default(namedtuple_as_object=True), sort_keys=True) == '{"a": 2, "b": 1}'


def hook(value):
    return {"b": type(value).__name__, "a": 1}


@each_layout("indent 2", "json", "skipping keys", "unescaped")
def test_sorted_dicts_of_many_kinds(keywords):
    """Sorted as json does, without a Default: by the keys themselves."""

    class Text(str):
        pass

    rng = random.Random(7)
    words = ["", "a", "A", "\x7f", "\xe9", "\u4e2d", "\uffff", "\U0001f600", "aa", "a\x00", "key" * 30]
    rows = [{word: index for index, word in enumerate(rng.sample(words, n))} for n in range(len(words) + 1)]
    rows += [{Text("b"): 1, "a": 2, Text(""): 3}, {2: 1, 10: 2, True: 3, 1.5: 4}, {"a": 1, 2: 2}, {None: 1, "a": 2}, {None: 1}, {(1,): 1}]
    rows += [{(1,): 1, (0, 5): 2}, {"b": {"d": Unknown(), "c": []}, "a": Unknown()}, dict.fromkeys(map(str, range(500)), Unknown())]
    rows += [collections.OrderedDict(b=1, a=2), type("Dict", (dict,), {})(b={"d": 1, "c": 2}, a=2)]
    for row, value in itertools.product(rows, places(None)):
        wrapped = [row, value, {"z": row, "a": row}]
        for sample in (row, wrapped):
            ours, theirs = (call(module.dumps, sample, sort_keys=True, default=hook, **keywords) for module in (ocior, json))
            assert (type(ours.error), ours.value) == (type(theirs.error), theirs.value)


def test_mappings_of_every_class_are_ordered_by_the_text_of_their_keys():
    keys = [10, 9, "a", datetime.date(2020, 1, 2), None, 1.5, IDENTITY, "10"]
    plain = dict.fromkeys(keys, 0)
    plain[9] = {IDENTITY: 1, "0": 2}
    texts = sorted(["10", "9", "a", "2020-01-02", "null", "1.5", str(IDENTITY), "10"])
    own_items = type("OwnItems", (dict,), {"items": lambda self: list(dict.items(self))})
    kinds = [dict, collections.OrderedDict, collections.Counter, lambda items: collections.defaultdict(int, items), own_items]
    kinds += [type("Derived", (dict,), {}), collections.UserDict, Table]
    for kind, road in itertools.product(kinds, ROADS):
        for default in (Default(keys=True), Default(keys=True, max_depth=5), Default(keys=True, surrogates="replace")):
            for options in PLAIN_KEYWORDS:
                keywords = {**options, "sort_keys": True}
                text = road(kind(plain), default=default, **keywords)
                pairs = json.loads(text, object_pairs_hook=list)
                assert [key for key, _ in pairs] == texts and dict(pairs)["9"] == [("0", 2), (str(IDENTITY), 1)]
                skipped = road(kind({**plain, (1, 2): 3}), default=default, skipkeys=True, **keywords)
                assert skipped == text
                with pytest.raises(TypeError, match="^keys must be str"):
                    road(kind({**plain, (1, 2): 3}), default=default, **keywords)


def test_keys_of_several_types_are_ordered_by_their_text():
    class Word(str, enum.Enum):
        A = "a"

    for road in ROADS:
        for keys in ([Text("x"), 2, "b"], [Word.A, 3, None], [Text("b"), "a", 1.5], [IDENTITY, Text("0")]):
            texts = list(json.loads(road(dict.fromkeys(keys), default=Default(keys=True), sort_keys=True)))
            assert texts == sorted(texts) and len(texts) == len(keys)
        with pytest.raises(TypeError, match="not supported between instances"):
            road({Text("x"): 1, 2: 1}, default=ocior.default, sort_keys=True)
