"""Encoders whose functions fail, change what is being written, or are asked for what has changed; threads; what is kept, and what is not."""

import dataclasses
import gc
import importlib.util
import json
import sys
import threading
import weakref
from dataclasses import dataclass, field
from typing import Annotated, Any, Union

import pytest
from support import check_python

import ocior
from ocior._typed import encoding
from ocior._typed.markers import MISSING, Alias, Convert, Missing, Rest, Rules

NEEDS_NOTES = pytest.mark.skipif(sys.version_info < (3, 13), reason="notes are those of Python 3.13")


@dataclass
class Leaf:
    __ocior__ = Rules(rename="camel")
    my_x: Any = 1


def dumping(function):
    """A class one of whose fields is written by a function, between others; and an encoder for it."""

    @dataclass
    class Holder:
        a: Any = "a"
        b: Annotated[Any, Convert(dump=lambda value: function(value))] = "b"
        c: Any = "c"
        rest: Annotated[dict[str, Any], Rest()] = field(default_factory=lambda: {"r": Leaf(), "s": [1]})

    return Holder, ocior.Encoder(Holder)


class Odd(Exception):
    pass


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError, RecursionError, Odd], ids=lambda error: error.__name__)
@pytest.mark.parametrize(
    "place", [lambda value: value, lambda value: [1, value], lambda value: {"k": [value]}], ids=["root", "list", "deep"]
)
def test_functions_that_raise(error, place):
    def fail(value):
        raise raised

    raised = error("now")
    Holder, encoder = dumping(fail)
    for value, other in ((Holder(), encoder), (Leaf(), ocior.Encoder(Leaf, convert={Leaf: Convert(dump=fail)}))):
        for method in (other.encode, other.encode_str):
            for _ in range(3):
                with pytest.raises(error) as caught:
                    method(place(value))
                assert caught.value is raised
    assert ocior.Encoder(Leaf).encode(Leaf()) == b'{"myX":1}'


@NEEDS_NOTES
def test_where_a_function_has_failed():
    Holder, encoder = dumping(lambda value: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        encoder.encode({"k": [0, Holder()]})
    assert caught.value.__notes__ == ["when serializing list item 1", "when serializing dict item 'k'"]
    with pytest.raises(TypeError) as caught:
        ocior.Encoder(Leaf).encode([Leaf(Leaf(object()))])
    assert [note.rpartition(" ")[2] for note in caught.value.__notes__[:2]] == ["'myX'", "'myX'"]


def test_functions_that_change_the_object():
    """What is written of a field is what it holds when its turn comes; nothing is read that is gone."""
    changes = {
        "other value": (lambda held: setattr(held, "c", "new"), {"a": "a", "b": "b", "c": "new", "r": {"myX": 1}, "s": [1]}),
        "value before": (lambda held: setattr(held, "a", "new"), {"a": "a", "b": "b", "c": "c", "r": {"myX": 1}, "s": [1]}),
        "rest emptied": (lambda held: held.rest.clear(), {"a": "a", "b": "b", "c": "c"}),
        "rest exchanged": (lambda held: setattr(held, "rest", {"new": 1}), {"a": "a", "b": "b", "c": "c", "new": 1}),
        "itself": (lambda held: setattr(held, "b", None), {"a": "a", "b": "b", "c": "c", "r": {"myX": 1}, "s": [1]}),
        "deleted": (lambda held: delattr(held, "rest"), AttributeError),
        "dict emptied": (lambda held: held.__dict__.clear(), {"a": "a", "b": "b", "c": "c"}),
        "other class": (lambda held: setattr(held, "__class__", Other), {"a": "a", "b": "b", "c": "c", "r": {"myX": 1}, "s": [1]}),
    }

    class Other:
        pass

    for name, (change, expected) in changes.items():
        held = []

        def dump(value):
            if held:
                change(held.pop())
            gc.collect()
            return value

        Holder, encoder = dumping(dump)
        for outer in (lambda value: value, lambda value: [value], lambda value: {"k": value}):
            value = Holder()
            held.append(value)
            if name == "dict emptied":
                with pytest.raises(AttributeError):
                    encoder.encode(outer(value))
            elif expected is AttributeError:
                with pytest.raises(AttributeError):
                    encoder.encode(outer(value))
            else:
                assert json.loads(encoder.encode(outer(value))) == outer(expected), name


def test_hooks_that_change_the_object():
    """Of an object without functions all that is written is read at once."""

    @dataclass
    class Holder:
        __ocior__ = Rules(rename="upper", tag=("t", "x" * 40))
        a: Any
        rest: Annotated[dict[str, Any], Rest()]
        z: Any

    def hook(unknown):
        held.rest.clear()
        held.rest = held.a = held.z = None
        held.__dict__.clear()
        gc.collect()
        return "hook"

    unknown = type("Unknown", (), {})
    for keywords in ({}, {"sort_keys": True}, {"indent": 1}):
        encoder = ocior.Encoder(Holder, default=hook, **keywords)
        for outer in (lambda value: value, lambda value: [value, 1], lambda value: {"k": value}):
            held = Holder(unknown(), {"b": ["x" * 100], "c": Leaf([2])}, ["z" * 100])
            expected = {"t": "x" * 40, "A": "hook", "b": ["x" * 100], "c": {"myX": [2]}, "Z": ["z" * 100]}
            assert json.loads(encoder.encode(outer(held))) == outer(expected)


def test_functions_that_change_the_containers_around():
    around = []

    def dump(value):
        around.clear()
        gc.collect()
        return value

    Holder, encoder = dumping(dump)
    around[:] = [Holder(), Holder()]
    assert json.loads(encoder.encode(around))[0]["c"] == "c"
    around[:] = [{"k": Holder()}, 1]
    assert json.loads(encoder.encode([around]))[0][0]["k"]["a"] == "a"


def test_comparisons_in_python():
    """Defaults are compared by `__eq__`, which may do anything."""
    asked = []

    class Value:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            asked.append(self)
            held.__dict__.pop("later", None)
            if self.n == "bad":
                raise Odd
            return self.n == other.n

        __hash__ = object.__hash__

        def __json__(self):
            return self.n

    @dataclass
    class Holder:
        __ocior__ = Rules(omit="defaults")
        later: Any = 5
        value: Any = Value(1)

    encoder = ocior.Encoder(Holder)
    for n, expected in ((1, {}), (2, {"value": 2})):
        held = Holder(5, Value(n))
        assert json.loads(encoder.encode([held, held][:1])) == [expected]
    held = Holder(6, Value("bad"))
    with pytest.raises(Odd):
        encoder.encode([held])
    assert asked


def test_circles():
    leaf = Leaf()
    leaf.my_x = [leaf]
    encoder = ocior.Encoder(Leaf)
    for value in (leaf, [leaf], {"k": leaf}):
        with pytest.raises(ValueError, match="Circular reference"):
            encoder.encode(value)
    value = 1
    for _ in range(70_000):
        value = Leaf(value)
    with pytest.raises(RecursionError):
        encoder.encode(value)
    while isinstance(value, Leaf):  # let go of without recursion
        value = value.my_x


def test_dumps_of_the_class_itself():
    """A function that returns what it was given ends."""
    encoder = ocior.Encoder(Leaf, convert={Leaf: Convert(dump=lambda value: value)})
    with pytest.raises((ValueError, RecursionError)):
        encoder.encode(Leaf())
    encoder = ocior.Encoder(Leaf, convert={Leaf: Convert(dump=lambda value: Leaf())})
    with pytest.raises((ValueError, RecursionError)):
        encoder.encode(Leaf())


def test_nested_calls():
    """A function may use the same encoder."""
    Holder, encoder = dumping(lambda value: json.loads(encoder.encode(value)) if isinstance(value, Holder) else value)
    inner = {"a": "a", "b": "b", "c": "c", "r": {"myX": 1}, "s": [1]}
    assert json.loads(encoder.encode([Holder(b=Holder(b=Holder()))])) == [{**inner, "b": {**inner, "b": inner}}]


def test_every_encoder_has_plans_of_its_own():
    """Also those that are made where others were, and beside dumps without a type."""
    for n in range(300):
        encoder = ocior.Encoder(Leaf, rules={Leaf: Rules(rename={"my_x": f"n{n}"})})
        assert encoder.encode([Leaf(), Leaf()]) == b'[{"n%d":1},{"n%d":1}]' % (n, n)
        assert ocior.dumps(Leaf(), default=ocior.default) == '{"my_x": 1}'
        assert ocior.dumps(Leaf(), type=Leaf) == '{"myX": 1}'


def test_classes_that_change():
    """What a class says is read once; where its values are is looked at again."""

    @dataclass
    class Changing:
        __ocior__ = Rules(rename="camel")
        my_x: Any
        my_y: Any = 2

    encoder = ocior.Encoder(Changing)
    value = Changing(1)
    assert encoder.encode(value) == b'{"myX":1,"myY":2}'
    Changing.my_x = property(lambda self: "property", lambda self, value: None)
    assert encoder.encode(value) == b'{"myX":"property","myY":2}'
    del Changing.my_x
    assert encoder.encode(value) == b'{"myX":1,"myY":2}'
    Changing.__getattribute__ = lambda self, name: "asked"
    assert encoder.encode(value) == b'{"myX":"asked","myY":"asked"}'


def test_instances_of_every_kind():
    """Whose attributes are deleted, set in another order, more than there are fields, or in a dict of their own."""
    Wide = dataclasses.make_dataclass("Wide", [(f"f_{i}", Any, i) for i in range(35)], namespace={"__ocior__": Rules(rename="camel")})
    twin = {f"f{i}": i for i in range(35)}
    for cls, names, expected in ((Leaf, ["my_x"], {"myX": 1}), (Wide, [f"f_{i}" for i in range(35)], twin)):
        encoder = ocior.Encoder(cls)
        for prepare in (
            lambda value: None,
            lambda value: setattr(value, "more", 5),
            lambda value: value.__dict__,
            lambda value: setattr(value, "__dict__", dict(reversed(value.__dict__.items()))),
            lambda value: setattr(value, "__dict__", type("Dict", (dict,), {})(value.__dict__)),
            lambda value: value.__dict__.update({5: 6}),
        ):
            value = cls()
            prepare(value)
            assert json.loads(encoder.encode(value)) == expected
            assert json.loads(encoder.encode([value, value])) == [expected] * 2
        for name in names[:1] + names[-1:]:
            value = cls()
            setattr(value, name, "set")
            delattr(value, name)
            assert json.loads(encoder.encode(value)) == expected  # the class's default
            setattr(value, name, 7)
            assert 7 in json.loads(encoder.encode(value)).values()
        value = cls()
        value.__dict__.clear()
        assert json.loads(encoder.encode([value])) == [expected]
        delattr(cls, names[0])
        try:
            with pytest.raises(AttributeError):
                encoder.encode(value)
        finally:
            setattr(cls, names[0], 1 if cls is Leaf else 0)


def test_a_class_that_cannot_be_read_is_refused_when_it_is_met():
    class Meta(type):
        pass

    wrong = dataclasses.make_dataclass("Wrong", [("a", int), ("b", int)], namespace={"__ocior__": 5})
    with pytest.raises(TypeError, match="__ocior__ must be an ocior.Rules, not int"):
        ocior.Encoder(wrong)
    encoder = ocior.Encoder(Leaf)
    for _ in range(3):
        with pytest.raises(TypeError, match="__ocior__ must be an ocior.Rules, not int"):
            encoder.encode(Leaf([wrong(1, 2)]))
    assert encoder.encode(Leaf()) == b'{"myX":1}'
    with pytest.raises(TypeError, match=r"Unknown\.a: its type cannot be looked up: NameError"):
        ocior.Encoder(dataclasses.make_dataclass("Unknown", [("a", "Nowhere")]))
    # Of one that nobody has declared, the rules hold all the same.
    unknown = dataclasses.make_dataclass("Unknown", [("my_a", "Nowhere")], namespace={"__ocior__": Rules(rename="camel")})
    assert encoder.encode(unknown(1)) == b'{"myA":1}'


@pytest.mark.skipif(sys.version_info < (3, 11), reason="dataclasses themselves refuse such a class")
def test_classes_that_compare_in_their_own_way():
    class Meta(type):
        def __hash__(cls):
            return 0

        def __eq__(cls, other):
            return True

    @dataclass
    class Equal(metaclass=Meta):
        my_x: int = 3

    @dataclass
    class Same(metaclass=Meta):
        __ocior__ = Rules(rename="camel")
        my_x: int = 1

    assert ocior.Encoder(Any).encode([Equal(), Same(), Same(2), Equal()]) == b'[{"my_x":3},{"myX":1},{"myX":2},{"my_x":3}]'
    for _ in range(3):
        assert ocior.dumps(Same(), type=Same) == '{"myX": 1}'
        assert ocior.dumps(Equal(), type=Equal) == '{"my_x": 3}'


def test_what_is_kept_for_a_class_goes_with_it():
    def lives():
        @dataclass
        class Local:
            __ocior__ = Rules(rename="camel", omit="none", tag=("t", 1))
            my_x: int = 1
            my_y: Union[int, Missing] = MISSING
            z: Annotated[int, Alias("zz")] = 3

        for _ in range(5):
            assert ocior.dumps(Local(), type=Local) == '{"t": 1, "myX": 1, "zz": 3}'
            assert ocior.dumps_to_bytes([Local()], type=Local, indent=1)
            assert ocior.Encoder(Local).encode(Local(2)) == b'{"t":1,"myX":2,"zz":3}'
        return weakref.ref(Local)

    lives = [lives() for _ in range(20)]
    gc.collect()
    assert [life() for life in lives] == [None] * 20
    kept = encoding._kept[ocior._core.EncodePlans].of_classes._kept
    assert len(kept) < 20 or all(entry[0]() is not None for entry in kept.values())


def test_plans_of_other_types_are_kept_by_equality():
    others = encoding._kept.setdefault(ocior._core.EncodePlans, encoding.Kept()).of_others
    others.clear()
    for _ in range(3):
        assert ocior.dumps([Leaf()], type=list[Leaf]) == '[{"myX": 1}]'
    assert len(others) == 1
    for n in range(100):
        assert ocior.dumps(Leaf(), type=Annotated[Leaf, n]) == '{"myX": 1}'
    assert len(others) == 64
    assert ocior.dumps(Leaf(), type=Annotated[Leaf, []]) == '{"myX": 1}'  # cannot be hashed


def test_threads():
    """One encoder for all, first used by all at once; objects that others change meanwhile."""
    Holder, encoder = dumping(lambda value: value)
    Kinds = [
        dataclasses.make_dataclass(
            f"Kind{n}", [("my_x", Any, n), ("my_y", Any, None)], namespace={"__ocior__": Rules(rename="camel", tag=("t", n))}
        )
        for n in range(20)
    ]
    shared = [kind() for kind in Kinds] + [Holder()]
    start, failures = threading.Barrier(6), []

    def write(n):
        start.wait()
        try:
            for turn in range(150):
                own = [kind() for kind in Kinds]
                assert encoder.encode(own) == b"[" + b",".join(b'{"t":%d,"myX":%d,"myY":null}' % (k, k) for k in range(20)) + b"]"
                found = json.loads(encoder.encode(shared))
                assert [item["t"] for item in found[:-1]] == list(range(20))
                assert json.loads(ocior.dumps(own[n], type=Kinds[n]))["t"] == n
                for value in shared[:-1]:
                    value.my_y = [turn, "x" * turn]
                shared[-1].rest = {str(turn): turn}
                if turn % 10 == n:
                    shared[n].__dict__["more"] = n
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_nothing_leaks():
    Holder, encoder = dumping(lambda value: [value])
    failing, failing_encoder = dumping(lambda value: 1 / 0)
    sentinel = object()
    values = [Holder(sentinel and "a", "b"), Leaf({"k": Leaf()}), [Leaf()]]
    text = "x" * 100

    def run():
        for _ in range(50):
            encoder.encode(values)
            ocior.dumps(values, type=Leaf, sort_keys=True)
            ocior.Encoder(Holder, rules={Leaf: Rules(tag=("t", 1))}).encode_str(values)
            with pytest.raises(ZeroDivisionError):
                failing_encoder.encode([failing(text)])
            with pytest.raises(TypeError):
                encoder.encode([Leaf(sentinel)])

    run()
    gc.collect()
    before = [sys.getrefcount(value) for value in (sentinel, text, Leaf, Holder, encoder)], len(gc.get_objects())
    run()
    gc.collect()
    after = [sys.getrefcount(value) for value in (sentinel, text, Leaf, Holder, encoder)], len(gc.get_objects())
    assert all(b <= a + 8 for a, b in zip(before[0], after[0])), (before, after)
    assert after[1] < before[1] + 100


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.parametrize(
    "call",
    {
        "encode": "encoder.encode(value)",
        "encode_str": "encoder.encode_str(value)",
        "sorted": "ordered.encode(value)",
        "dumps": "ocior.dumps(value, type=Holder)",
    }.values(),
)
def test_allocations_that_fail(call):
    """Each once, and then all from it on: a MemoryError, or the right text; and the next call works."""
    check_python(
        f"""
        import _testcapi, dataclasses, typing
        import ocior
        from ocior._typed.markers import *
        @dataclasses.dataclass
        class Money:
            cents: int
        @dataclasses.dataclass
        class Holder:
            __ocior__ = Rules(rename="camel", tag=("t", 1), omit="defaults")
            my_x: typing.Any
            money: typing.Annotated[Money, Convert(dump=repr)]
            many: list = dataclasses.field(default_factory=list)
            rest: typing.Annotated[dict[str, typing.Any], Rest()] = dataclasses.field(default_factory=dict)
        @dataclasses.dataclass
        class Simple:
            __ocior__ = Rules(rename="camel", omit="none")
            my_y: typing.Any = None
            rest: typing.Annotated[dict[str, typing.Any], Rest()] = dataclasses.field(default_factory=lambda: {{"a": [1], 5: 6}})
        value = [Holder("x" * 100, Money(5), rest={{"k": Simple(Money(1))}}), Simple(1)]
        encoder, ordered = ocior.Encoder(Holder), ocior.Encoder(Holder, sort_keys=True)
        expected = {call}
        def attempt(first, last):
            try:
                _testcapi.set_nomemory(first, last)
                return {call}
            except MemoryError:
                return expected
            finally:
                _testcapi.remove_mem_hooks()
        for n in range(1, 400):
            for last in (n + 1, 0):
                assert attempt(n, last) == expected, (n, last)
                assert {call} == expected, (n, last)
        """
    )
