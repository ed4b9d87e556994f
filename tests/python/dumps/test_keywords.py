"""The keywords of dumps and dumps_to_bytes, with sensible, odd and wrong values, alone and together. indent and separators are in
dumps/test_spacing.py, sort_keys and skipkeys in dumps/test_keys.py, check_circular in dumps/test_circles.py."""

import itertools
import json

import pytest
from dumps_values import SAMPLES
from layouts import each_layout
from support import assert_same, call, json_to_bytes, same_dumps

import ocior


class NoBool:
    def __bool__(self):
        raise ZeroDivisionError


TRUTHS = [None, 0, 1, "", "x", [], [0], 0.0, 1.5, object()]


@pytest.mark.parametrize("name", ["skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys"])
def test_switches_take_any_truth(name):
    for truth in TRUTHS:
        for obj in SAMPLES + [{"b": 1, "a": float("nan")}, {(): 1, "a": "\xe9"}]:
            same_dumps(obj, **{name: truth})
            same_dumps(obj, indent=1, **{name: truth})


@pytest.mark.parametrize("name", ["skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys"])
def test_switch_whose_truth_raises(name):
    for obj in SAMPLES:
        assert_same(call(ocior.dumps, obj, **{name: NoBool()}), call(json.dumps, obj, **{name: NoBool()}), f"{name} {obj!r}")


def test_all_combinations():
    mixed = {"b": ["\xe9", 1.5, {"z": [], "y": {}}], "a": {"\u4e2d": None}}
    keyed = {2: 1, 1: [True], 3: "\U0001f600"}
    for values in itertools.product(
        [False, True], [False, True], [False, True], [None, 0, 3, "\u2003"], [None, (",", ":"), ("\xe9", "==")], [None, str]
    ):
        keywords = dict(zip(("skipkeys", "ensure_ascii", "sort_keys", "indent", "separators", "default"), values))
        for obj in (mixed, keyed, [object] if values[-1] else []):
            same_dumps(obj, **keywords)


def raising(error):
    def hook(obj):
        raise error

    return hook


class Boom(BaseException):
    pass


@each_layout("json", "indent 2", "sorted", "unescaped", "no circles sought")
def test_default(keywords):
    class Wrapped:
        def __init__(self, value):
            self.value = value

    unwrap = lambda obj: obj.value  # noqa: E731
    for value in (
        1,
        "\u4e2d",
        None,
        [Wrapped(1)],
        {"a": Wrapped([Wrapped({})])},
        Wrapped(Wrapped(Wrapped("x"))),
        (1, 2),
        {1: Wrapped(2)},
        1.5,
        True,
        10**30,
    ):
        same_dumps(Wrapped(value), default=unwrap, **keywords)
        same_dumps([Wrapped(value), {"k": Wrapped(value)}] * 2, default=unwrap, **keywords)
    seen = []
    thing = Wrapped(1)
    ocior.dumps([thing, thing, 1, "x"], default=lambda obj: seen.append(obj) or 0)
    assert seen == [thing, thing]
    for bad in (5, "x", [], object(), False):
        same_dumps([thing], default=bad)
        same_dumps([1], default=bad)
    same_dumps({thing: 1}, default=str)  # keys are not given to default


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        TypeError("y"),
        StopIteration(),
        RecursionError("z"),
        MemoryError(),
        KeyError(1),
        UnicodeError(),
        Boom(),
        KeyboardInterrupt(),
    ],
    ids=repr,
)
@each_layout("json", "indent 1", "no circles sought")
def test_raising_default_passes_through(error, keywords):
    for function in (ocior.dumps, ocior.dumps_to_bytes):
        for obj in (object(), [object()], {"a": [1, object()]}):
            kind = type(error)
            if kind is StopIteration:  # of which json makes a RuntimeError where it is made of generators
                kind = type(call(json.dumps, obj, default=raising(error), **keywords).error)
            with pytest.raises(kind) as caught:
                function(obj, default=raising(error), **keywords)
            assert type(caught.value) is kind
            if not isinstance(error, StopIteration):
                assert caught.value is error


class Encoder(json.JSONEncoder):
    def default(self, obj):
        return f"<{type(obj).__name__}>"


class Recorder(json.JSONEncoder):
    def __init__(self, **keywords):
        self.given = sorted((name, repr(value)) for name, value in keywords.items())
        keywords.pop("extra", None)
        super().__init__(**keywords)

    def encode(self, obj):
        return super().encode([self.given, obj])


class Iterates(json.JSONEncoder):
    def iterencode(self, obj, _one_shot=False):
        yield "<"
        yield from super().iterencode(obj, _one_shot)
        yield ">"


@pytest.mark.parametrize("kind", [None, json.JSONEncoder, Encoder, Recorder, Iterates], ids=repr)
def test_encoder_class(kind):
    for obj in (1, "\u4e2d", [1, object], {"b": [Encoder], "a": 1}, [float("nan")]):
        for keywords in (
            {},
            {"indent": 2},
            {"separators": (";", "=")},
            {"sort_keys": True},
            {"ensure_ascii": False},
            {"allow_nan": False},
            {"skipkeys": 1},
            {"check_circular": 0},
            {"extra": 1},
            {"foo": 2},
        ):
            if kind is Recorder:
                assert_same(call(ocior.dumps, obj, cls=kind, **keywords), call(json.dumps, obj, cls=kind, **keywords), f"{keywords}")
                assert (call(ocior.dumps_to_bytes, obj, cls=kind, **keywords).error is None) == (
                    call(json_to_bytes, obj, cls=kind, **keywords).error is None
                )
            else:
                same_dumps(obj, cls=kind, **keywords)


def test_odd_classes():
    class NotText:
        def __init__(self, **keywords):
            pass

        def encode(self, obj):
            return obj

    for obj in (1, [1], "x", None):
        assert ocior.dumps(obj, cls=NotText) is json.dumps(obj, cls=NotText)
    for kind in (5, int, object, json.JSONDecoder, lambda **keywords: Encoder(**keywords)):
        assert_same(call(ocior.dumps, [1], cls=kind), call(json.dumps, [1], cls=kind), repr(kind))
    assert call(ocior.dumps_to_bytes, [1], cls=NotText).error is not None
    assert ocior.dumps_to_bytes("x", cls=NotText) == b"x"


def test_wrong_arguments():
    for arguments, keywords in [
        ((), {}),
        ((1, 2), {}),
        ((1,), {"foo": 1}),
        ((1,), {"encoding": "utf-8"}),
        ((), {"foo": 1}),
        ((1,), {"obj": 2}),
        ((object(),), {"foo": 1}),
        (("x",), {"foo": 1, "indent": 1.5}),
    ]:
        assert_same(
            call(ocior.dumps, *arguments, **keywords), call(json.dumps, *arguments, **keywords), f"{arguments}{keywords}", types_only=True
        )
        assert type(call(ocior.dumps_to_bytes, *arguments, **keywords).error) is TypeError
    assert_same(call(ocior.dumps, 1, foo=1), call(json.dumps, 1, foo=1), "unknown keyword")
    assert ocior.dumps(obj=[1]) == "[1]" and ocior.dumps_to_bytes(obj=[1]) == b"[1]"
    assert call(ocior.dumps, 1, is_write_cache=True).error is not None  # dumps has json's keywords only


def test_bytes_defaults():
    obj = {"\u4e2d": ["\xe9", 1.5, None], "b": {}}
    assert ocior.dumps_to_bytes(obj) == '{"\u4e2d":["\xe9",1.5,null],"b":{}}'.encode()
    assert ocior.dumps_to_bytes(obj, ensure_ascii=True) == json.dumps(obj, separators=(",", ":")).encode()
    assert ocior.dumps_to_bytes(obj, indent=2) == json.dumps(obj, indent=2, ensure_ascii=False).encode()
    assert (
        ocior.dumps_to_bytes(obj, indent=2, separators=(",", ":"))
        == json.dumps(obj, indent=2, ensure_ascii=False, separators=(",", ":")).encode()
    )
    assert ocior.dumps_to_bytes(obj, separators=(", ", ": ")) == json.dumps(obj, ensure_ascii=False).encode()
    assert type(ocior.dumps_to_bytes(obj)) is bytes and type(ocior.dumps(obj)) is str
