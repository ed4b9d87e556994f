"""What default() returns, in every place where a value can stand: the text, the errors and their notes, and the calls are those of json."""

import itertools
import json
import sys

import pytest
from layouts import layouts
from support import assert_same, call, same_dumps

import ocior


class Unknown:
    pass


def make_circle():
    circle = [1]
    circle.append(circle)
    return circle


# Each makes what a hook returns, anew for each call.
MADE = {
    "small int": lambda: 7,
    "int of many digits": lambda: 12345678901234567890123456789012345678901234567890,
    "int of 4301 digits": lambda: 10**4300,
    "float": lambda: 0.1,
    "nan": lambda: float("nan"),
    "constant": lambda: None,
    "short text": lambda: "short",
    "text with escapes": lambda: 'a"\\\n\x00\x7f',
    "long text": lambda: "0123456789" * 500,
    "wide text": lambda: "\u4e2d\u6587",
    "wider text": lambda: "a\U0001f600",
    "lone surrogate": lambda: "\ud800",
    "empty list": list,
    "empty dict": dict,
    "list": lambda: [1, "a", None, 2.5, True],
    "list of many": lambda: list(range(40)),
    "list with wide text": lambda: [1, "\u4e2d", "b"],
    "list with nan": lambda: [1, float("nan")],
    "tuple": lambda: (1, (2, ()), "x"),
    "dict": lambda: {"a": 1, "b": [1, 2], "c": {"d": None}},
    "dict of unsorted keys": lambda: {"b": 1, "a": {"d": 1, "c": 2}},
    "dict with other keys": lambda: {1: 2, None: 3, True: [], 1.5: "x"},
    "dict with a key that is refused": lambda: {"a": 1, (1,): 2},
    "list with an unknown object": lambda: [1, 2, Unknown()],
    "dict with an unknown object": lambda: {"a": [1], "b": {"c": Unknown()}},
    "circle": make_circle,
    "unknown object": Unknown,
}
PLACES = {
    "root": lambda value: value(),
    "list": lambda value: [value(), 1, value(), value(), [value()]],
    "dict": lambda value: {"a": value(), "b": 1, "c": {"d": value()}, "e": value()},
    "records": lambda value: [{"id": number, "value": value(), "text": "\u00e9" * number} for number in range(5)],
    "deep": lambda value: [[[[[[[[{"a": [[value()]]}]]]]]]]],
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_what_a_hook_returns(make, place):
    def hook(obj):
        assert next(left) >= 0, "endless"
        return make()

    for layout in layouts("json", "indent 1", "sorted", "unescaped", "compact", "finite"):
        left = itertools.count(100, -1)
        expected = call(json.dumps, place(Unknown), default=hook, **layout)
        json_left = next(left)
        left = itertools.count(100, -1)
        got = call(ocior.dumps, place(Unknown), default=hook, **layout)
        assert_same(got, expected, layout)
        if sys.version_info >= (3, 14):  # before, json gives no notes
            assert getattr(got.error, "__notes__", None) == getattr(expected.error, "__notes__", None), layout
        assert next(left) == json_left, "other calls"


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_hooks_that_return_known_objects(make):
    """What is returned stands in the value, too, and is returned again."""
    made = make()
    same_dumps([Unknown(), Unknown(), made, [Unknown()]], default=lambda obj: made if isinstance(obj, Unknown) else str(obj))


def test_circles_by_way_of_small_containers():
    obj = Unknown()
    for made in ([obj], {"a": obj}, [[1], {"a": [obj]}], (obj,)):
        for value in (obj, [obj], {"k": obj}, [1, [2, obj]]):
            same_dumps(value, default=lambda _, made=made: made)


def test_hooks_that_return_containers_of_hooked_objects():
    """After a few that could not be written at once, those that can be are still right."""

    def hook(obj):
        return {"n": obj.n, "next": obj.next, "list": [obj.n]}

    class Node:
        def __init__(self, n, next):
            self.n, self.next = n, next

    nodes = []
    for number in range(40):
        nodes.append(Node(number, nodes[-1] if number % 20 > 2 else None))
    same_dumps(nodes[:30], default=hook)
    same_dumps({str(node.n): node for node in nodes}, default=hook)


def test_a_hook_gets_each_object_once_though_its_text_is_wide():
    class Text:
        def __init__(self, text):
            self.text = text

    for texts in (["a", "\u4e2d", "b", "\U0001f600", "c"], ["\U0001f600"] * 3, ["a" * 70000, "\u4e2d" * 70000]):
        seen = []

        def hook(obj, seen=seen):
            seen.append(obj.text)
            return [obj.text, obj.text] if len(seen) % 2 else obj.text

        value = [Text(text) for text in texts]
        assert json.loads(ocior.dumps(value, default=hook, ensure_ascii=False)) == json.loads(
            json.dumps(value, default=lambda obj, count=itertools.count(1): [obj.text, obj.text] if next(count) % 2 else obj.text)
        )
        assert seen == texts
