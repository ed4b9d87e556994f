"""What dumps and dumps_to_bytes refuse: the words, and the notes that tell where it was, though a note may fail while it is made."""

import json
import sys

import pytest
from dumps_values import Plain
from support import call, error_facts, json_to_bytes

import ocior


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
                notes = getattr(ours.error, "__notes__", None)
                if sys.version_info >= (3, 14):
                    assert notes == getattr(theirs.error, "__notes__", None)
                elif sys.version_info >= (3, 11):
                    assert all(note.startswith("when serializing ") for note in notes or [])
    if sys.version_info >= (3, 11):
        deep = object()
        for _ in range(3000):
            deep = [deep]
        assert len(call(ocior.dumps, deep).error.__notes__) == (3000 if sys.version_info >= (3, 14) else 1024)
        ours = call(ocior.dumps, {"a": [1, (True, object())]})
        assert ours.error.__notes__ == ["when serializing tuple item 1", "when serializing list item 1", "when serializing dict item 'a'"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes since 3.11")
def test_errors_while_a_note_is_made():
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
    for failure in (RuntimeError, KeyboardInterrupt, SystemExit):
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
                    assert getattr(ours, "__notes__", None) == getattr(theirs, "__notes__", None)
                    assert ours.__context__ is theirs.__context__ or error_facts(ours.__context__) == error_facts(theirs.__context__)
