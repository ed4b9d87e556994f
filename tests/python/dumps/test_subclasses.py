"""Classes derived from JSON's own types, as dumps and dumps_to_bytes write them: lists and tuples that are hard to iterate over, dicts
whose items() are strange, runs of strings and integers."""

import enum
import json
import random

import pytest
from layouts import each_layout
from support import assert_same, call, same_dumps

import ocior


class Strange(list):
    """Subclasses that override iteration: json's C encoder takes the storage, its Python one the iterator."""

    def __iter__(self):
        return iter(["iterated"])


@each_layout("json", "indent 1", "unescaped")
def test_list_subclass_with_its_own_iterator(keywords):
    obj = Strange([1, 2])
    assert_same(call(ocior.dumps, obj, **keywords), call(json.dumps, obj, **keywords), f"{keywords}")


@pytest.mark.parametrize("base", [list, tuple])
@each_layout("json", "unescaped", "indent 1")
def test_sequences_that_are_hard_to_iterate_over(base, keywords):
    """json neither asks for the length of a subclass nor says why one cannot be iterated over."""

    def fail(self):
        raise ZeroDivisionError("own")

    def refuse(self):
        raise TypeError("own")

    for methods in (
        {"__iter__": None},
        {"__iter__": fail},
        {"__iter__": refuse},
        {"__iter__": lambda self: 5},
        {"__len__": fail},
        {"__len__": refuse},
        {"__length_hint__": fail},
    ):
        made = type("Hard", (base,), methods)((1, [2]))
        for box in (made, [made], {"a": made}):
            same_dumps(box, **keywords)


class BadItems(dict):
    def __init__(self, answer, **keywords):
        super().__init__(**keywords)
        self.answer = answer

    def items(self):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [("a", 1)],
        (("a", 1),),
        iter([("a", 1)]),
        [["a", 1]],
        ["ab"],
        [("a",)],
        [("a", 1, 2)],
        [1],
        5,
        None,
        "ab",
        {"ab": 1},
        [("a", 1), None],
        ValueError("x"),
    ],
    ids=repr,
)
@each_layout("json", "sorted")
def test_strange_items(answer, keywords):
    for function in (ocior.dumps, ocior.dumps_to_bytes):
        if hasattr(answer, "__next__"):
            answer = [("a", 1)]
        ours, theirs = call(function, BadItems(answer, k=1), **keywords), call(json.dumps, BadItems(answer, k=1), **keywords)
        assert (ours.error is None) == (theirs.error is None), (ours, theirs)
        if theirs.error is None:
            assert json.loads(ours.value) == json.loads(theirs.value)
        else:
            assert type(ours.error) is type(theirs.error)


@each_layout("compact", "json", "indent 1", "unescaped")
def test_runs_of_subclasses_of_str_and_int(keywords):
    """Of one class and of several, short and long, narrow and wide, with what ends such a run."""

    class Text(str):
        def __str__(self):
            return "other"

    class Number(int):
        def __repr__(self):
            return "other"

    class Level(enum.IntEnum):
        LOW = -1
        HIGH = 2**70

    class Color(str, enum.Enum):
        RED = "red"
        WIDE = "\u4e2d"

    rng = random.Random(9)
    values = [
        *(Text("a"), Text(""), Text("\xe9" * 20), Text("\u4e2d"), Text("\U0001f600"), Text('"\\\n' * 9), Text("b" * 3000)),
        *(Number(0), Number(-5), Number(2**63), Number(10**40), Level.LOW, Level.HIGH, Color.RED, Color.WIDE),
        *("a", 1, None, True, 10**40, 1.5, [], {}, [Number(1)], {"k": Text("c")}, (Level.LOW, Color.WIDE)),
    ]
    for count in (1, 2, 5, 30, 400):
        for few in (1, 2, len(values)):
            for _ in range(5):
                some = rng.sample(values, few)
                items = [rng.choice(some) for _ in range(count)]
                same_dumps(items, **keywords)
                same_dumps({"a": items, "b": dict(enumerate(items))}, **keywords)
    huge = [Text("x" * 200_000), Text("\u4e2d" * 100_000), Number(3)]
    same_dumps(huge, **keywords)
    for broken, error in (([Text("a"), Text("\ud800")], UnicodeEncodeError), ([Number(1), 1j], TypeError)):
        assert type(call(ocior.dumps_to_bytes, broken).error) is error
