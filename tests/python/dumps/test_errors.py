"""What dumps and dumps_to_bytes refuse: the words, and the notes that tell where it was, though a note may fail while it is made."""

import dataclasses
import datetime
import enum
import io
import json
import sys

import pytest
from dumps_values import Plain
from support import call, error_facts, json_notes, json_to_bytes

import ocior
from ocior.compat import orjson, ssrjson, ujson


def test_unknown_things_name_their_class():
    for obj in (object(), b"x", {1}, Plain()):
        ours, theirs = call(ocior.dumps, [obj]), call(json.dumps, [obj])
        assert str(ours.error) == str(theirs.error) and type(obj).__name__ in str(ours.error)


def test_error_notes_tell_where():
    """Notes on errors ("when serializing list item 0"): as json gives them since 3.14, and as it would since 3.11."""

    def fail(obj):
        raise ZeroDivisionError("x")

    for obj in (
        [object()],
        {"a": object()},
        {"a": [1, {2: object()}]},
        (1, (object(),)),
        object(),
        [float("nan")],
        [["a"], ["b", "c", object(), "d"]],
        [("a", "b", float("nan"))],
        {"a": float("nan")},
        {float("nan"): 1},
        {b"x": 1},
        [{(): 1}],
        [1, [10**5000]],
    ):
        for keywords in ({}, {"default": lambda value: [b"x"]}, {"default": fail}, {"allow_nan": False}, {"indent": 1}):
            for function, oracle in ((ocior.dumps, json.dumps), (ocior.dumps_to_bytes, json_to_bytes)):
                ours, theirs = call(function, obj, **keywords), call(oracle, obj, **keywords)
                notes = json_notes(ours.error)
                if sys.version_info >= (3, 14):
                    assert notes == json_notes(theirs.error)
                elif sys.version_info >= (3, 11):
                    assert all(note.startswith("when serializing ") for note in notes or [])
    if sys.version_info >= (3, 11):
        deep = object()
        for _ in range(3000):
            deep = [deep]
        assert len(call(ocior.dumps, deep).error.__notes__) == (3000 if sys.version_info >= (3, 14) else 1024)
        ours = call(ocior.dumps, {"a": [1, (True, object())]})
        assert ours.error.__notes__ == ["when serializing tuple item 1", "when serializing list item 1", "when serializing dict item 'a'"]


@dataclasses.dataclass
class Dated:
    day: datetime.date


class Level(enum.Enum):
    LOW = "low"
    PAIR = (1, 2)


class Refusing(type):
    """Of classes of which little can be found out."""

    def __getattribute__(cls, name):
        if name not in ("__name__", "__qualname__", "__module__", "__class__"):
            raise ZeroDivisionError
        return type.__getattribute__(cls, name)


WRITTEN = "dumps(..., default=ocior.default) writes it"
WRITTEN_AS_KEY = "dumps(..., default=ocior.Default(keys=True)) writes it"
DAY = datetime.date(2026, 1, 2)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes since 3.11")
@pytest.mark.parametrize(
    "value, keywords, notes",
    [
        (DAY, {}, [WRITTEN]),
        ([{1, 2}], {}, ["when serializing list item 0", WRITTEN]),
        ({"a": [Level.PAIR]}, {}, ["when serializing list item 0", "when serializing dict item 'a'", WRITTEN]),
        (Dated(DAY), {}, [WRITTEN]),
        (object(), {}, None),
        (b"x", {}, None),
        (1j, {"default": None}, None),
        (Refusing("Odd", (), {})(), {}, None),
        ({DAY: 1}, {}, [WRITTEN_AS_KEY]),
        ({DAY: 1}, {"default": ocior.default}, [WRITTEN_AS_KEY]),
        ({Level.LOW: 1}, {"default": ocior.Default(enum="name")}, [WRITTEN_AS_KEY]),
        ([{Level.LOW: 1}], {}, ["when serializing list item 0", WRITTEN_AS_KEY]),
        ({Level.PAIR: 1}, {}, None),
        ({b"x": 1}, {}, None),
        ({(1,): 1}, {}, None),
        ({(1,): 1}, {"default": ocior.Default(keys=True)}, None),
        ({DAY: 1}, {"default": str}, None),
    ],
)
@pytest.mark.parametrize(
    "road",
    [
        ocior.dumps,
        ocior.dumps_to_bytes,
        lambda value, **keywords: ocior.dump(value, io.StringIO(), **keywords),
        lambda value, **keywords: ocior.JSONEncoder(**keywords).encode(value),
        lambda value, **keywords: list(ocior.JSONEncoder(**keywords).iterencode(value)),
        lambda value, **keywords: ocior.dumps(value, indent=1, **keywords),
    ],
)
def test_notes_that_tell_of_default(value, keywords, notes, road):
    """What an ocior.Default would write is refused with a hint, behind json's own notes; all else without one."""
    error = call(road, value, **keywords).error
    assert type(error) is TypeError
    assert getattr(error, "__notes__", None) == notes


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes since 3.11")
@pytest.mark.parametrize("module", [orjson, ujson, ssrjson], ids=lambda module: module.__name__)
def test_other_libraries_do_not_tell_of_default(module):
    for value in ([frozenset()], {DAY: 1}, Level.PAIR):
        assert not hasattr(call(module.dumps, value).error, "__notes__")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes since 3.11")
@pytest.mark.parametrize("failure", (RuntimeError, KeyboardInterrupt, SystemExit), ids=lambda failure: failure.__name__)
def test_errors_while_a_note_is_made(failure):
    """A key's repr may raise. Since 3.14 that is told, as by json; before, where json makes no notes, only what is to end the program.
    json's encoder in Python asks the exception's own add_note, too."""

    class Key(str):
        def __repr__(self):
            raise failing

    class NoNotes(Exception):
        def add_note(self, note):
            raise failing

    def fail(obj):
        raise NoNotes

    def error_of(encode, obj):
        nonlocal failing
        failing = failure(1)
        try:
            encode(obj)
        except BaseException as error:
            return error

    def roads(module):
        return (
            module.dumps,
            lambda obj: module.dumps(obj, indent=1),
            lambda obj: list(module.JSONEncoder().iterencode(obj)),
            lambda obj: module.dumps(obj, default=fail),
            lambda obj: list(module.JSONEncoder(default=fail).iterencode(obj)),
        )

    failing = None
    for encode, encode_by_json in zip(roads(ocior), roads(json)):
        for obj in ([{Key("a"): 1j}], [{Key("a"): [1j]}], [{"a": 1j}]):
            ours, theirs = error_of(encode, obj), error_of(encode_by_json, obj)
            if sys.version_info < (3, 14) and issubclass(failure, Exception):
                assert error_facts(ours) == error_facts(theirs)
            elif sys.version_info < (3, 14):
                ends = type(next(iter(obj[0]))) is Key
                assert type(ours) is (failure if ends else type(theirs))
                assert error_facts(ours.__context__ if ends else ours) == error_facts(theirs)
            else:
                assert error_facts(ours) == error_facts(theirs)
                assert json_notes(ours) == json_notes(theirs)
                assert ours.__context__ is theirs.__context__ or error_facts(ours.__context__) == error_facts(theirs.__context__)
