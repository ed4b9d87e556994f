"""Objects of fields that an ocior.Default writes: in each other, in large documents, in circles and deep; instances and classes in every
state; where their errors are."""

import collections
import copy
import dataclasses
import datetime
import gc
import itertools
import json
import random
import sys
import types
from decimal import Decimal

import pytest
from rich_values import (
    IDENTITY,
    KEYWORDS,
    ROADS,
    Alias,
    Color,
    Derived,
    Empty,
    Frozen,
    Number,
    OfItsOwn,
    Point,
    Slots,
    Text,
    Unknown,
    Word,
    in_pieces,
    places,
    to_bytes,
)
from support import call, some

import ocior

LONGEST = "n_" + "x" * 27  # of a field whose name is kept ready to be written
Longest = dataclasses.make_dataclass("Longest", [LONGEST, ("a_", object, None)])
Wide = dataclasses.make_dataclass("Wide", ["\u4e2d", (LONGEST + "x", object, 1.5)], slots=True)


def random_item(rng, levels):
    """An item of a dataclass, and its twin: most are what is written without a frame, some are what is not, or only just."""
    kind = rng.randrange(14 if levels else 9)
    if kind < 9:
        scalars = [None, True, rng.randrange(-(10**6), 10**6), rng.random(), rng.choice(["", "a", "short", '"\\', "x" * rng.randrange(70)])]
        scalars += [-(2**63), 2**64 - 1, "\xe9" * rng.randrange(40), "\u4e2d" * rng.randrange(40), "a\U0001f600", "\n" * 256]
        odd = [2**70, float("nan"), float("-inf"), "x" * 257, "\x00" * 5000, "\udc80", "\xff" * 257, [], {}, (), "\u20ac" * 3000]
        scalar = rng.choice(scalars if rng.random() < 0.95 else odd)
        rich = [(IDENTITY, str(IDENTITY)), (Number.ONE, 1), (Word.HELLO, "hello"), (Color.LIST, [1, "a"]), (Color.HALF, 0.5)]
        rich += [(datetime.date(2026, 1, 2), "2026-01-02"), (Alias.INNER, "\u20ac"), ({5}, [5]), (Text("own"), "own"), (Empty(), {})]
        return rng.choice(rich) if kind == 0 else (scalar, scalar)
    count = rng.choice((0, 1, 2, 15, 16, 17)) if kind < 11 else 1
    items = [random_item(rng, levels - 1) for _ in range(count)]
    if kind == 9:
        twin = [twin for _, twin in items]
        return rng.choice((list, tuple))([item for item, _ in items]), twin
    if kind == 10:
        keys = [rng.choice(("k", "\xe9", "\u4e2d" * 20, "k" * 300, '"')) + str(n) if rng.random() < 0.98 else n for n in range(count)]
        return dict(zip(keys, [item for item, _ in items])), dict(zip(keys, [twin for _, twin in items]))
    (item, twin) = items[0]
    if kind == 11:
        return Slots(item, (item, 1)), {"b": twin, "a": [twin, 1]}
    if kind == 12:
        return Point(item, y=item), {"x": twin, "y": twin, "_private": "\xe9"}
    if rng.random() < 0.8:
        return Longest(item), {LONGEST: twin, "a_": None}
    return Wide(item), {"\u4e2d": twin, LONGEST + "x": 1.5}


@pytest.mark.parametrize("seed", some(range(6), 2))
def test_objects_in_objects(seed):
    rng = random.Random(seed)
    for _ in range(30):
        pairs = [random_item(rng, 1 + seed * 2) for _ in range(rng.choice((1, 3, 12)))]
        pairs = [(Point(item, 1.5), {"x": twin, "y": 1.5, "_private": "\xe9"}) for item, twin in pairs]
        value, twin = [item for item, _ in pairs], [twin for _, twin in pairs]
        for options, road in itertools.product(({}, {"ensure_ascii": False}, {"separators": (",", ":")}, {"indent": 1}), ROADS):
            for ours, theirs in ((value, twin), (value[0], twin[0])):
                found, expected = call(road, ours, default=ocior.default, **options), call(road, theirs, **options)
                if expected.error is None:
                    assert found.value == expected.value == json.dumps(theirs, **options)
                else:  # a surrogate in UTF-8
                    assert type(found.error) is UnicodeEncodeError and str(found.error) == str(expected.error)


def test_large_documents():
    """More than one piece, with pieces ending anywhere between the fields, and each width of text first met at another place."""
    points = [Point("y" * (n % 700), {"k": Slots(n, "a\xe9\u4e2d\U0001f600"[n % 4] * (n % 300))}) for n in range(1500)]
    days = [datetime.date.fromordinal(700000 + n) for n in range(20000)]
    numbers = [Decimal(n) / 8 for n in range(20000)]
    value, twin = [points, days], [[dataclasses.asdict(point) for point in points], [str(day) for day in days]]
    for options in KEYWORDS:
        expected = json.dumps(twin, **options)
        for road in ROADS:
            assert road(value, default=ocior.default, **options) == expected
    for road in ROADS:
        assert road(numbers, default=ocior.default) == "[" + ", ".join(map(str, numbers)) + "]"


def test_errors_of_items_in_objects():
    """Where they are is told as of any container."""
    for item, keywords, error in [
        ("\udc80", {}, UnicodeEncodeError),
        (float("nan"), {"allow_nan": False}, ValueError),
        (Unknown(), {}, TypeError),
    ]:
        for holder, notes in [
            (Point(1, item), ["when serializing {}Point item 'y'"]),
            (Slots(Point(item)), ["when serializing {}Point item 'x'", "when serializing {}Slots item 'b'"]),
            (
                [Point(1), Point([1, item])],
                ["when serializing list item 1", "when serializing {}Point item 'x'", "when serializing list item 1"],
            ),
            (Point({"k": item}), ["when serializing dict item 'k'", "when serializing {}Point item 'x'"]),
        ]:
            found = call(ocior.dumps_to_bytes, holder, default=ocior.default, **keywords).error
            assert type(found) is error
            if sys.version_info >= (3, 11):
                module = f"{Point.__module__}." if sys.version_info >= (3, 13) else ""
                own = [note.format(module) for note in notes]
                assert found.__notes__[-len(own) :] == own


def states():
    """Instances whose attributes lie in different ways, or are not there."""
    for change in [
        lambda one: None,
        lambda one: one.__dict__,
        lambda one: one.__dict__.clear(),
        lambda one: one.__dict__.update(x=7, zz=8),
        lambda one: one.__dict__.update({5: 6}),
        lambda one: one.__dict__.pop("x"),
        lambda one: setattr(one, "__dict__", {"x": 9}),
        lambda one: setattr(one, "__dict__", {}),
        lambda one: delattr(one, "x"),
        lambda one: delattr(one, "y"),
        lambda one: [setattr(one, f"more{n}", n) for n in range(40)],
        lambda one: [one.__dict__.__setitem__(f"more{n}", n) for n in range(40)],
        lambda one: setattr(one, "__class__", Derived),
        lambda one: setattr(one, "__class__", Frozen),
        lambda one: setattr(one, "extra", 1),
    ]:
        one = Point([1])
        change(one)
        yield one
        taken = Point("taken")
        attributes = taken.__dict__
        change(taken)
        yield taken
        late = Point.__new__(Point)
        late.__dict__ = attributes
        yield late
        yield copy.copy(one)
    backwards = Point.__new__(Point)
    for name in ("z", "_private", "y", "x"):
        setattr(backwards, name, name)
    yield backwards
    yield Point.__new__(Point)
    half = Slots(1)
    del half.b
    yield half


def test_states_of_instances():
    for one in itertools.chain(states(), states()):
        expected = call(lambda: json.dumps({field.name: getattr(one, field.name) for field in dataclasses.fields(one)}))
        for road in ROADS:
            found = call(road, one, default=ocior.default)
            assert found.value == expected.value and type(found.error) is type(expected.error), (
                vars(one) if hasattr(one, "__dict__") else one
            )


def test_classes_that_change():
    """What was learnt of a class is forgotten when it changes."""

    @dataclasses.dataclass
    class Changing:
        x: object
        y: object = 2

    def answer(self, name):
        return f"no {name}"

    one = Changing(1)
    for name, thing, expected in [
        (None, None, {"x": 1, "y": 2}),
        ("x", property(lambda self: "property"), {"x": "property", "y": 2}),
        ("x", 5, {"x": 1, "y": 2}),
        ("__getattribute__", lambda self, name: object.__getattribute__(self, name) if name[0] == "_" else name, {"x": "x", "y": "y"}),
        ("__json__", lambda self: ["own"], ["own"]),
        ("__getattr__", answer, {"x": 1, "y": 2}),
        ("__dataclass_fields__", {"y": Changing.__dataclass_fields__["y"]}, {"y": 2}),
    ]:
        before = ocior.dumps(one, default=ocior.default)
        assert before == '{"x": 1, "y": 2}'
        if name:
            had, kept = name in vars(Changing), vars(Changing).get(name)
            setattr(Changing, name, thing)
        for road in ROADS:
            assert road([one, one], default=ocior.default) == json.dumps([expected, expected]), name
        if name:
            setattr(Changing, name, kept) if had else delattr(Changing, name)


def test_many_classes():
    """More than are remembered, each dead soon, some followed by another at the same address."""
    rng = random.Random(3)
    for turn in range(400):
        names = [f"f{rng.randrange(9)}_{n}" for n in range(rng.randrange(6))]
        kind = dataclasses.make_dataclass("Kind", names, slots=True) if turn % 3 == 0 else dataclasses.make_dataclass("Kind", names)
        values = [kind(*range(n, n + len(names))) for n in range(3)]
        expected = json.dumps([dataclasses.asdict(value) for value in values])
        assert ocior.dumps(values, default=ocior.default) == expected
        assert in_pieces(values, default=ocior.default) == expected
        del values, kind
        if turn % 40 == 0:
            gc.collect()


def test_circles():
    point, own, held = Point(1), OfItsOwn(None), Slots(None)
    point.x = [point]
    own.value = {"k": own}
    held.a = {"d": collections.deque([held])}
    for value in (point, own, held):
        for place, options, road in itertools.product(places(value), KEYWORDS, ROADS):
            error = call(road, place, default=ocior.default, **options).error
            if options.get("check_circular", True):
                assert type(error) is ValueError and str(error) == "Circular reference detected"
            else:
                assert type(error) in (RecursionError, MemoryError)
    point.x = own.value = held.a = None


def test_depth():
    for depth, is_written in ((2000, True), (100000, False)):
        for make in (
            Point,
            lambda value: Slots(value),
            lambda value: OfItsOwn([value]),
            lambda value: types.MappingProxyType({"k": value}),
        ):
            value = None
            for _ in range(depth):
                value = make(value)
            for road in (ocior.dumps, in_pieces, to_bytes):
                found = call(road, value, default=ocior.default, check_circular=False)
                assert (found.error is None) if is_written else isinstance(found.error, (RecursionError, MemoryError))
            if not is_written:
                break  # the others are let go of by recursion
