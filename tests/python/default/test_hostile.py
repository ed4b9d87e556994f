"""Values whose own code runs while an ocior.Default writes them: it changes what is being written, claims what is not so, fails, or calls
ocior again."""

import dataclasses
import datetime
import enum
import gc
import itertools
import json
from collections.abc import Mapping
from decimal import Decimal

import pytest
from rich_values import KEYWORDS, PLAIN_KEYWORDS, ROADS, Color, Frozen, Point, Shifted, Unknown, check
from support import call, collect

import ocior
from ocior import Default, Raw


def finish(outcome):
    """Well-formed JSON, or an ordinary error."""
    if outcome.error is None:
        json.loads(outcome.value)
    else:
        assert isinstance(outcome.error, (RuntimeError, TypeError, ValueError, LookupError, AttributeError)), outcome.error


def hostile(change):
    """Values that call `change` while they are read."""

    @dataclasses.dataclass
    class Watched:
        x: object
        y: object = 1

    def read(self):
        change()
        collect()
        return "x" * 80

    Watched.x = property(read, lambda self, value: None)

    @dataclasses.dataclass
    class Asked:
        x: object = "x"

        def __getattribute__(self, name):
            if name == "x":
                read(self)
            return object.__getattribute__(self, name)

    class Own:
        def __json__(self):
            return [read(self)]

    class Path:
        def __fspath__(self):
            return read(self)

    class Items(Mapping):
        def __getitem__(self, key):
            return read(self)

        def __iter__(self):
            read(self)
            return iter("ab")

        def __len__(self):
            return 2

    class Fraction(Decimal):
        def __str__(self):
            read(self)
            return "1.25"

    class Later(datetime.datetime):
        def isoformat(self, *arguments):
            return read(self)

    class Valued(enum.Enum):
        A = 1

        @property
        def value(self):
            return read(self)

    class Elements:
        def __iter__(self):
            read(self)
            return iter([read(self)])

    class Failure(Exception):
        def __str__(self):
            return read(self)

    when = datetime.datetime(2020, 1, 1, tzinfo=Shifted(lambda: read(None) and datetime.timedelta(hours=1)))
    yield from (
        Watched(1),
        Asked(),
        Own(),
        Path(),
        Items(),
        Fraction(1),
        Later(2020, 1, 1),
        Valued.A,
        Elements(),
        Failure(),
        when,
        when.timetz(),
        Unknown(),
    )


CHANGES = {
    "clear": lambda container: container.clear(),
    "grow": lambda container: (
        container.extend(["new" * 9] * 50) if isinstance(container, list) else container.update({f"{n}new": n for n in range(50)})
    ),
    "shrink": lambda container: container.pop() if isinstance(container, list) and container else None,
    "replace": lambda container: [
        container.__setitem__(key, "other" * 9) for key in (range(len(container)) if isinstance(container, list) else [*container])
    ],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_values_that_change_their_container(change):
    container = None

    def fire():
        change(container)

    def fallback(value):
        fire()
        return ["fallen"]

    default = Default(fallback, keys=True, iterable_as_array=True, exceptions=True)
    for position, options, road in itertools.product(range(13), PLAIN_KEYWORDS, ROADS):
        for is_list in (True, False):
            value = next(itertools.islice(hostile(fire), position, None))
            values = ["\u20ac\U0001f600" * (position % 2), value, ["z" * 60], Point(value, [1]), value, "last" * 20]
            container = values if is_list else {f"{n}key" * 10: item for n, item in enumerate(values)}
            finish(call(road, container, default=default, **options))


def test_values_that_change_themselves():
    """The object is edited, or its class is, while one of its fields is being written: what was read first is what is written."""

    def fallback(value):
        change()
        collect()
        return "fallen"

    for change in [
        lambda: point.__dict__.clear(),
        lambda: setattr(point, "y", None),
        lambda: delattr(point, "_private"),
        lambda: setattr(point, "__dict__", {}),
        lambda: setattr(point, "__class__", Frozen),
        lambda: point.y.clear(),
    ]:
        for options, road in itertools.product(KEYWORDS, ROADS):
            point = Point(Unknown(), ["y" * 50], "z" * 60)
            last = point.y if change.__code__.co_names[-1:] != ("clear",) or "y" not in change.__code__.co_names else []
            expected = json.dumps([{"x": "fallen", "y": list(last), "_private": "z" * 60}], **options)
            assert road([point], default=Default(fallback), **options) == expected


def test_hooks_that_edit_a_sorted_dict():
    """The names and values are those of the moment when the dict is met."""

    def fallback(value):
        table.clear()
        collect()
        return "fallen"

    for options, hook, road in itertools.product(KEYWORDS, (fallback, Default(fallback)), ROADS):
        table = {"b": Unknown(), "\u4e2d": [1], "a": Unknown(), "c": ["x" * 50]}
        expected = json.dumps({"a": "fallen", "b": "fallen", "c": ["x" * 50], "\u4e2d": [1]}, **options)
        assert road(table, default=hook, **{**options, "sort_keys": True}) == expected


def test_keys_that_run_code_when_compared():
    class Key(str):
        def __lt__(self, other):
            table.clear()
            return str.__lt__(self, other)

        __hash__ = str.__hash__

    for options, default, road in itertools.product(KEYWORDS, (None, ocior.default, Default(keys=True)), ROADS):
        table = {Key("b"): 1, Key("a"): 2, "c": ["x" * 50]}
        assert road(table, default=default, **{**options, "sort_keys": True}) == json.dumps({"a": 2, "b": 1, "c": ["x" * 50]}, **options)


def test_classes_that_change_the_container_when_asked():
    """A metaclass, a class of collections.abc and finalizers run when it is found out how a type is written."""
    box = []

    class Meta(type):
        def __getattr__(cls, name):
            box.clear()
            raise AttributeError(name)

    class Asking(Mapping):
        @classmethod
        def __subclasshook__(cls, other):
            box.clear()
            return NotImplemented

    class Finalized:
        def __init__(self):
            self.circle = self

        def __del__(self):
            box.clear()

    default = Default(lambda value: "hook")
    for make in (lambda: Meta("Made", (), {})(), lambda: type("Made", (), {})()):
        for road in ROADS:
            gc.collect()  # So that none begins by itself before the first item is written.
            box[:] = [1, make(), "abc", 2]
            Finalized()
            assert json.loads(road(box, default=default))[:2] == [1, "hook"]
    del Asking
    gc.collect()


def test_a_look_that_fails_is_told_and_not_remembered():
    class Meta(type):
        def __getattr__(cls, name):
            raise error

    class Made(metaclass=Meta):
        pass

    for error in (KeyboardInterrupt("now"), MemoryError("none")):
        for place in (lambda value: [value], lambda value: {value: 1}):
            for road in ROADS:
                with pytest.raises(type(error), match=str(error)):
                    road(place(Made()), default=Default(str, keys=True))
    error = AttributeError("missing")
    for road in ROADS:
        assert json.loads(road([Made()], default=Default(lambda value: "hook"))) == ["hook"]


def test_classes_that_claim_to_be_mappings():
    class Wrong:
        keys = 5

    class Endless:
        def keys(self):
            return ["k"]

        def __getitem__(self, key):
            return self

    class Few:
        def keys(self):
            return ["k"]

        def __getitem__(self, key):
            raise LookupError(key)

    for kind, error in ((Wrong, TypeError), (Endless, ValueError), (Few, LookupError)):
        Mapping.register(kind)
        for road in ROADS:
            assert type(call(road, [kind()], default=ocior.default).error) is error


def test_what_a_metaclass_has_is_not_the_instances_own():
    names = ("__json__", "_fields", "model_dump", "__pydantic_core_schema__", "__fspath__", "__getitem__", "__dataclass_fields__")
    names += ("__attrs_attrs__", "__struct_fields__", "isoformat", "value", "utcoffset")

    class Claims(type):
        def __getattr__(cls, name):
            return lambda *given: 1 // 0

    for meta in (Claims, *(type("Has", (type,), {name: lambda *given: 1 // 0}) for name in names if name != "__struct_fields__")):
        for bases in ((), (tuple,), (Unknown,)):
            value = meta("Value", bases, {})()
            default = Default(lambda value: "fallen", namedtuple_as_object=True, iterable_as_array=bool(bases), keys=True)
            check(value, [] if bases == (tuple,) else "fallen", default=default)
            for road in ROADS:
                if bases != (tuple,):
                    assert type(call(road, {value: 1}, default=default).error) is TypeError


def test_calls_within_calls():
    class Nested:
        def __json__(self):
            return Raw(ocior.dumps([Point(1), Color.RED], default=Default(private_fields=False)))

    check(
        [Nested(), Point(Nested())],
        [[{"x": 1, "y": 2}, 1], {"x": [{"x": 1, "y": 2}, 1], "y": 2, "_private": "\xe9"}],
        keywords=KEYWORDS[:2],
    )


def number_shown_as(returned):
    """A class in the place of decimal.Decimal, and a value of it."""
    cls = type("Decimal", (), {"__str__": lambda self: returned})
    return cls, cls()


@pytest.mark.parametrize("returned", [b"1.5", 5, None, ["1.5"], bytearray(3)], ids=repr)
def test_classes_in_the_place_of_decimals_that_show_no_text(monkeypatch, returned):
    cls, value = number_shown_as(returned)
    monkeypatch.setattr("decimal.Decimal", cls)
    for written in (value, [value], {value: 1}, {"k": [value, value]}):
        error = call(ocior.dumps, written, default=Default(keys=True)).error
        assert (type(error), *error.args) == (TypeError, f"__str__ returned non-string (type {type(returned).__name__})")


@pytest.mark.parametrize("returned", ["1.5", "-0", "1e5", "word", type("Text", (str,), {})("2.5"), "7" * 90], ids=repr)
def test_classes_in_the_place_of_decimals(monkeypatch, returned):
    cls, value = number_shown_as(returned)
    monkeypatch.setattr("decimal.Decimal", cls)
    outcome = call(ocior.dumps, [value], default=Default())
    if returned == "word":
        assert isinstance(outcome.error, AttributeError)  # it is asked whether it is infinite
    else:
        assert outcome.value == f"[{returned}]"
