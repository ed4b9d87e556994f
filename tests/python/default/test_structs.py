"""Structs of msgspec that are written otherwise than as objects of their fields, and dataclasses of more fields than instances keep values
for: without a frame, with one, sorted, indented, in every state."""

import dataclasses
import itertools
import json
from typing import Any

import pytest
from rich_values import ROADS

import ocior

LAYOUTS = [{}, {"indent": 2}, {"sort_keys": True}, {"ensure_ascii": False, "separators": (",", ":")}, {"separators": (";", "\u4e2d")}]


def structs():
    """Values by name, with what msgspec writes of them."""
    msgspec = pytest.importorskip("msgspec")
    define, unset = msgspec.defstruct, msgspec.UNSET
    tagged = define("Tagged", ["x", ("y", object, None)], tag=True)
    numbered = define("Numbered", [("my_x", object)], tag=5, tag_field="my kind", rename="camel")
    odd = define("Odd", [("a", object), ("b", object, 1)], rename={"a": "a/<&>", "b": "k" * 70}, tag="\u4e2d", tag_field="\xe9")
    short = define("Short", [("x", object, 0), ("many", list, msgspec.field(default_factory=list)), ("s", str, "abc")], omit_defaults=True)
    some = define("Some", [("a", object, unset), ("b", object, 2), ("c", object, unset)])
    array = define("Array", ["x", ("y", object, "q")], array_like=True, tag="t")
    empty = define("Nothing", [], tag="only")
    wide = define("Wide", [(f"field_{i}", object, i) for i in range(45)], rename="camel", tag=True)
    frozen = define("Frozen", [("my_x", object)], frozen=True, rename="pascal", gc=False)
    values = {
        "tagged": [tagged(1), tagged(tagged("\xe9"), [tagged(2)])],
        "numbered": [numbered(1), numbered({"k": numbered(None)})],
        "odd names": [odd(1), odd("\U0001f600", odd(2))],
        "defaults": [short(), short(1, [1], "abd"), short(0, [], "".join(["ab", "c"])), short(False)],
        "unset": [some(), some(1), some(c=[some()]), some(unset, unset, unset)],
        "array": [array(1), array([array(2), tagged(array(3))])],
        "empty": [empty(), [empty()], {"k": empty()}],
        "wide": [wide(), wide(field_44="x" * 300), wide([wide(0)])],
        "frozen": [frozen(1), frozen([frozen(2)])],
        "all": [tagged(numbered(odd(short(some(array(empty())))))), "x" * 500, tagged(float("1e300")), tagged(2**63)],
    }
    return {name: (value, json.loads(msgspec.json.encode(value))) for name, value in values.items()}


@pytest.mark.parametrize("keywords", LAYOUTS, ids=str)
def test_structs_as_msgspec_writes_them(keywords):
    for value, twin in structs().values():
        for one, other in ((value, twin), (value * 30, twin * 30), (value[0], twin[0]), ({"k": value}, {"k": twin})):
            for road in ROADS:
                assert road(one, default=ocior.default, **keywords) == road(other, **keywords)


def test_what_is_left_out_is_found_by_identity():
    msgspec = pytest.importorskip("msgspec")
    text = "".join(["some ", "text"])
    short = msgspec.defstruct("Short", [("x", object, "some text"), ("y", object, 1000), ("z", object, 1.5)], omit_defaults=True)
    for value in (short(), short(text), short(y=int("1000")), short(z=float("1.5")), short(True, True, True)):
        assert ocior.dumps_to_bytes(value, default=ocior.default) == msgspec.json.encode(value)


def test_tagged_structs_in_circles():
    msgspec = pytest.importorskip("msgspec")
    tagged = msgspec.defstruct("Tagged", [("x", object, None)], tag=True)
    value = tagged()
    value.x = [value]
    for road in ROADS:
        with pytest.raises(ValueError, match="Circular"):
            road(value, default=ocior.default)


def test_hooks_meanwhile():
    """What is held is there to the end, whatever a hook does to the object."""
    msgspec = pytest.importorskip("msgspec")
    tagged = msgspec.defstruct("Tagged", ["a", "b", "c"], tag=True)
    unknown = type("Unknown", (), {})

    def hook(value):
        held.a = held.b = held.c = None
        return "hook"

    for road in ROADS:
        held = tagged([1, 2], unknown(), ["x" * 100])
        assert json.loads(road([held], default=ocior.Default(hook))) == [{"type": "Tagged", "a": [1, 2], "b": "hook", "c": ["x" * 100]}]


NAMES = [f"field_{i}" for i in range(40)]
Wide = dataclasses.make_dataclass("Wide", [(name, Any, i) for i, name in enumerate(NAMES)])
WideFrozen = dataclasses.make_dataclass("WideFrozen", [(name, Any, i) for i, name in enumerate(NAMES)], frozen=True)
WideException = dataclasses.make_dataclass("WideException", [(name, Any, i) for i, name in enumerate(NAMES)], bases=(Exception,))
WideText = dataclasses.make_dataclass("WideText", [(name, Any, i) for i, name in enumerate(NAMES)], bases=(list,))
TWIN = {name: i for i, name in enumerate(NAMES)}

STATES = {
    "new": lambda value: None,
    "dict known": lambda value: value.__dict__,
    "one more": lambda value: setattr(value, "more", 5),
    "another dict": lambda value: setattr(value, "__dict__", dict(value.__dict__)),
    "another order": lambda value: setattr(value, "__dict__", dict(reversed(value.__dict__.items()))),
    "a derived dict": lambda value: setattr(value, "__dict__", type("Dict", (dict,), {})(value.__dict__)),
    "other keys": lambda value: value.__dict__.update({5: 6}),
    "one before": lambda value: setattr(value, "__dict__", {"before": 1, **value.__dict__}),
    "set again": lambda value: (delattr(value, NAMES[3]), setattr(value, NAMES[3], 3)),
    "deleted": lambda value: delattr(value, NAMES[3]),
    "emptied": lambda value: value.__dict__.clear(),
    "few": lambda value: setattr(value, "__dict__", {NAMES[0]: 0}),
}


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
@pytest.mark.parametrize("cls", [Wide, WideException], ids=lambda cls: cls.__name__)
def test_wide_dataclasses(cls, state):
    values = [cls() for _ in range(3)]
    for value in values:
        state(value)
    for keywords, road in itertools.product(LAYOUTS, ROADS):
        for one, other in ((values, [TWIN] * 3), (values[0], TWIN), ({"k": [values[1], 2]}, {"k": [TWIN, 2]})):
            assert road(one, default=ocior.default, **keywords) == road(other, **keywords)


def test_wide_dataclasses_of_other_kinds():
    values = [WideFrozen(field_2=[WideFrozen()]), Wide("\u4e2d", field_39=Wide())]
    twins = [{**TWIN, "field_2": [TWIN]}, {**TWIN, "field_0": "\u4e2d", "field_39": TWIN}]
    for road in ROADS:
        assert road(values, default=ocior.default) == road(twins)
        assert road([WideText()], default=ocior.default) == "[[]]"  # json writes it as a list
    values[0].__dict__["field_0"] = values[0]
    for road in ROADS:
        with pytest.raises(ValueError, match="Circular"):
            road(values, default=ocior.default)


def test_wide_dataclasses_with_descriptors():
    """What the class has of a field's name comes first where it says so."""
    cls = dataclasses.make_dataclass("Some", [(name, Any, i) for i, name in enumerate(NAMES)])
    value = cls()
    assert json.loads(ocior.dumps(value, default=ocior.default)) == TWIN
    cls.field_5 = property(lambda self: "property", lambda self, value: None)
    assert json.loads(ocior.dumps(value, default=ocior.default)) == {**TWIN, "field_5": "property"}
    cls.field_5 = type("NoData", (), {"__get__": lambda self, instance, owner: "hidden"})()
    assert json.loads(ocior.dumps(value, default=ocior.default)) == TWIN


def test_hooks_that_change_wide_dataclasses():
    def hook(unknown):
        value.__dict__.clear()
        for n in range(100):
            setattr(value, f"other_{n}", n)
        return "hook"

    for road in ROADS:
        value = Wide(field_3=type("Unknown", (), {})(), field_30=["x" * 100])
        text = road([value], default=ocior.Default(hook))
        assert json.loads(text) == [{**TWIN, "field_3": "hook", "field_30": ["x" * 100]}]


def test_wide_dataclasses_without_tricks():
    from support import check_python

    check_python(
        f"""
        import dataclasses, ocior
        names = [f"field_{{i}}" for i in range(40)]
        wide = dataclasses.make_dataclass("Wide", [(name, int, i) for i, name in enumerate(names)])
        assert not any(ocior.get_current_features()["tricks"].values())
        assert ocior.dumps(wide(), default=ocior.default) == ocior.dumps(dataclasses.asdict(wide()))
        """,
        env={"OCIOR_TRICKS": "0"},
    )
