"""Where a mistake lies: path, snippet and note of a decode error."""

import io
import json
import pickle
import sys
import traceback
import unicodedata

import pytest
from support import call, check_python, error_facts

import ocior
import ocior.compat.orjson
import ocior.decoder
from ocior.compat import orjson, ssrjson, ujson

NAMES_COMMA = sys.version_info >= (3, 13)  # a trailing comma is blamed itself, not what follows it

PATHS = [
    ("", "$"),
    ("x", "$"),
    ("  x", "$"),
    ("[1] 2", "$"),
    ("\ufeff1", "$"),
    ('"abc', "$"),
    ('  "a\\q"', "$"),
    ("-", "$"),
    ("[", "$[0]"),
    ("[x", "$[0]"),
    ("[1, x", "$[1]"),
    ("[1 2]", "$[0]"),
    ("[1, [2, 3, tru]]", "$[1][2]"),
    ("[[], [], x]", "$[2]"),
    ('["a,b[", x]', "$[1]"),
    ('["\\"[", x]', "$[1]"),
    ('["a\\q"]', "$[0]"),
    ("[[1], 2 3]", "$[1]"),
    ("{", "$"),
    ("{x", "$"),
    ('{"a', "$"),
    ('{"a"', "$.a"),
    ('{"a" 1}', "$.a"),
    ('{"a": x}', "$.a"),
    ('{"a": 1', "$.a"),
    ('{"a": 1 x', "$.a"),
    ('{"a": 1, x', "$"),
    ('{"a": 1, "b', "$"),
    ('{"a": 1, "b": x', "$.b"),
    ('{"a": {"b": [1, {"c": x', "$.a.b[1].c"),
    ('{"a": [1], "b": x', "$.b"),
    ('{"a": [1] x', "$.a"),
    ('{"a": {} x', "$.a"),
    ('{"a": "b:c,d", "e": x', "$.e"),
    ('{"users": [1, 2, {"name": tru}]}', "$.users[2].name"),
    ('{"odd key": x', '$["odd key"]'),
    ('{"": x', '$[""]'),
    ('{"1": x', '$["1"]'),
    ('{"a\\"b": x', '$["a\\"b"]'),
    ('{"a\\\\b": x', '$["a\\\\b"]'),
    ('{"\\u0061\\u0062": x', "$.ab"),
    ('{"\\n\\t": x', '$["\\u000a\\u0009"]'),
    ('{"\u4e2d\u6587": x', "$.\u4e2d\u6587"),
    ('{"\\u4e2d": x', "$.\u4e2d"),
    ('{"\xe9 \xe9": x', '$["\xe9 \xe9"]'),
    ('{"\U0001f600": x', '$["\U0001f600"]'),
    ('{"\\ud83d\\ude00": x', '$["\U0001f600"]'),
    ('{"\\ud83d": x', '$["\\ud83d"]'),
    ('{"\ud800z": x', '$["\\ud800z"]'),
    ('{"\\u200b": x', '$["\\u200b"]'),
    ('{"\U000e0001": x', '$["\\udb40\\udc01"]'),
    ('{"' + "k" * 40 + '": x', "$." + "k" * 40),
    ('{"' + "k" * 41 + '": x', '$["' + "k" * 40 + '..."]'),
    ('{"class": x', "$.class"),
    ('{"a b": [{"c": x', '$["a b"][0].c'),
    ("[" * 24 + "x", "$" + "[0]" * 24),
    ("[" * 25 + "x", "$" + "[0]" * 12 + "..." + "[0]" * 12),
    ("[" * 60_000 + "x", "$" + "[0]" * 12 + "..." + "[0]" * 12),
    ('{"a":' * 1000 + "x", "$" + ".a" * 12 + "..." + ".a" * 12),
]


def error_of(document, function=ocior.loads, *arguments, **keywords):
    return call(function, document, *arguments, **keywords).error


@pytest.mark.parametrize("document, path", PATHS, ids=lambda value: ascii(value)[:40])
def test_path(document, path):
    assert error_of(document).path == path
    assert error_of("\n " + document).path == (path if not document.startswith("\ufeff") else "$")
    if document.startswith("\ufeff"):
        return
    assert error_of(document.encode("utf-8", "surrogatepass")).path == path
    assert error_of('["\U0001f600", ' + document).path.startswith("$[1]" if document else "$")
    assert error_of(document, ocior.JSONDecoder().decode).path == path
    assert error_of(io.StringIO(document), ocior.load).path == path
    assert error_of(document, cls=ocior.JSONDecoder).path == path
    assert error_of(document, cls=json.JSONDecoder).path == path


def test_path_with_indexes():
    document = "[" + "1," * 1234 + '{"a": [' + "[]," * 7 + "nul"
    assert error_of(document).path == "$[1234].a[7]"
    assert error_of("[1,\n 2,]").path == ("$[1]" if NAMES_COMMA else "$[2]")


def test_path_of_one_value():
    """raw_decode and scanners: the path begins at the value that was asked for."""
    document = '[1, {"a": x}]  {"b": [1, tru]}'
    for error in (error_of(document, ocior.JSONDecoder().raw_decode, 15), error_of(document + ",", ocior.JSONDecoder().raw_decode, idx=15)):
        assert error.path == "$.b[1]" and error.pos == 25
        assert error.snippet.splitlines()[1].index("^") == 25
    assert error_of(document, ocior.JSONDecoder().raw_decode, 4).path == "$.a"
    assert error_of(document, ocior.JSONDecoder().raw_decode, 13).path == "$"
    assert error_of('["a", "b\\q"]', ocior.decoder.scanstring, 7).path == "$"
    assert error_of("[1, 2", ocior.JSONDecoder().scan_once, 0).path == "$[1]"


@pytest.mark.parametrize("document, index, snippet", [("[1]", 3, "[1]\n   ^"), ("[1]", 99, "[1]\n   ^"), ("", 7, "")])
def test_index_outside(document, index, snippet):
    error = error_of(document, ocior.JSONDecoder().raw_decode, index)
    assert (error.pos, error.path, error.snippet) == (index, "$", snippet)
    error = error_of("ab", ocior.decoder.scanstring, 0)
    assert (error.pos, error.path, error.snippet) == (-1, "$", "ab\n^")


SNIPPETS = [
    ("x", "x\n^"),
    ("[1,]", "[1,]\n  ^" if NAMES_COMMA else "[1,]\n   ^"),
    ('{"a": tru}', '{"a": tru}\n      ^'),
    ("[1,\n  2,\n  x]", "  x]\n  ^"),
    ("[1\r\n x]", " x]\n ^"),
    ("[1,\n", "[1,\n   ^"),
    ("[1\n", "[1\n  ^"),
    ("[1\n \r\n\n\t", "[1\n  ^"),
    ("[\n 1 ", " 1 \n   ^"),
    ("[1,\tx]", "[1, x]\n    ^"),
    ('["\x01"]', '[" "]\n  ^'),
    ("[\x7fx]", "[ x]\n ^"),
    ('["\u4e2d", x]', '["\u4e2d", x]\n  \u3000   ^'),
    ('["\uff21\xe9\U0001f600", x]', '["\uff21\xe9\U0001f600", x]\n  \u3000 \u3000   ^'),
    ('["e\u0301", x]', '["e\u0301", x]\n      ^'),
    ('["\ud800\u200b", x]', '["\ufffd\ufffd", x]\n       ^'),
    ('["\u3000", x]', '["\u3000", x]\n  \u3000   ^'),
    ("[" + "1," * 100 + "x]", "..." + "1," * 36 + "x]\n" + " " * 75 + "^"),
    ("[x" + ", 1" * 100, "[x" + ", 1" * 24 + "...\n ^"),
    ('["' + "a" * 100 + '" x ' + "b" * 100, "..." + "a" * 42 + '" x ' + "b" * 28 + "...\n" + " " * 47 + "^"),
    ("[" + "1" * 77 + ",x", "[" + "1" * 77 + ",x\n" + " " * 79 + "^"),
]


@pytest.mark.parametrize("document, snippet", SNIPPETS, ids=lambda value: ascii(value)[:40])
def test_snippet(document, snippet):
    error = error_of(document)
    assert error.snippet == snippet
    text, caret = error.snippet.split("\n")
    assert len(text) <= 80 and text.replace("\u3000", "").isprintable() and set(caret) <= set(" \u3000^") and caret.endswith("^")
    assert call(ocior.loads, document.encode("utf-8", "surrogatepass")).error.snippet == snippet


def test_snippet_is_bounded_and_points_at_the_place():
    for before in range(0, 200, 3):
        for behind in range(0, 200, 7):
            error = error_of("[" + "1" * before + "? " + "2" * behind)
            text, caret = error.snippet.split("\n")
            assert len(text) <= 80 and text[len(caret) - 1] in "?", (before, behind)


def test_columns_are_those_of_unicode():
    """The caret's line is as wide as the text before it; characters newer than this Python's Unicode are not compared."""
    for first in range(0xA1, 0x30000, 64):
        sample = [
            chr(code)
            for code in range(first, first + 64)
            if chr(code).isprintable() and not unicodedata.category(chr(code)).startswith("M")
        ]
        for character in sample:
            wide = unicodedata.east_asian_width(character) in "WF"
            caret = error_of(f'"{character}" x').snippet.split("\n")[1]
            assert (caret[1] == "\u3000") == wide or sys.version_info < (3, 14), hex(ord(character))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes since 3.11")
def test_note():
    error = error_of('{"users": [1, 2, {"name": tru}]}')
    assert error.__notes__ == ['at $.users[2].name\n    {"users": [1, 2, {"name": tru}]}\n                              ^']
    assert error.__notes__[0] in "".join(traceback.format_exception(error))


@pytest.mark.parametrize(
    "document, note",
    [
        ("", "at $: the document is empty"),
        (" ", "at $: the document is nothing but white space"),
        ("\n\t\r\n", "at $: the document is nothing but white space"),
    ],
)
@pytest.mark.parametrize("function", [ocior.loads, lambda text: ocior.loads(text.encode()), ocior.JSONDecoder().decode])
def test_blank_documents(document, note, function):
    """There is nothing that a caret could stand under."""
    error = error_of(document, function)
    assert (error.path, error.snippet) == ("$", "")
    if sys.version_info >= (3, 11):
        assert error.__notes__ == [note]


UNDECODABLE = [
    (b'{"users": [1, {"name": "a\xffb"}]}', "$.users[1].name", '{"users": [1, {"name": "a\ufffdb"}]}\n' + " " * 25 + "^"),
    (b"\x80", "$", "\ufffd\n^"),
    (b'["\xe4\xb8\xad", "\xe4\xb8', "$[1]", '["\u4e2d", "\ufffd\n' + "  \u3000    ^"),
    (b'[1,\n  {"a": \xc3(}]', "$[1].a", '  {"a": \ufffd(}]\n        ^'),
    (b"[1] \xff", "$", "[1] \ufffd\n    ^"),
    (b'["\xed\xa0\x80", \xff]', "$[1]", '["\ufffd", \ufffd]\n      ^'),
    (b"\xef\xbb\xbf[1, \xff]", "$[1]", "[1, \ufffd]\n    ^"),
    ('[1, "a'.encode("utf-16-le") + b"\x00\xdc" + '"]'.encode("utf-16-le") + b"\x00", "$", None),
    ('{"a": 1'.encode("utf-16-be") + b"\x00", "$.a", '{"a": 1\ufffd\n       ^'),
    ('["a'.encode("utf-32-le") + b"\xff\xff\xff\xff", "$[0]", '["a\ufffd\n   ^'),
    (b'{"a": [' * 30 + b"\xff" + b"x" * 1000, "$" + ".a[0]" * 6 + "..." + ".a[0]" * 6, None),
    (b'{"\xff', "$", '{"\ufffd\n  ^'),
]


@pytest.mark.parametrize("document, path, snippet", UNDECODABLE)
@pytest.mark.parametrize(
    "function",
    [
        ocior.loads,
        lambda document: ocior.loads(bytearray(document)),
        lambda document: ocior.load(io.BytesIO(document)),
        lambda document: ocior.loads(document, object_hook=dict),
        lambda document: ocior.loads(document, cls=ocior.JSONDecoder),
    ],
)
def test_bytes_that_are_no_text(document, path, snippet, function):
    """json's UnicodeDecodeError, which tells of the place in the document, too."""
    error, theirs = error_of(document, function), call(json.loads, document).error
    assert type(error) is type(theirs) is UnicodeDecodeError
    assert error_facts(error) == error_facts(theirs) and error.args == theirs.args and str(error) == str(theirs)
    assert error.path == path and snippet in (None, error.snippet)
    if sys.version_info >= (3, 11):
        line, caret = error.snippet.split("\n")
        their_notes = getattr(theirs, "__notes__", [])  # the name of a codec
        assert error.__notes__ == [*their_notes, f"at {path}\n    {line}\n    {caret}"]


@pytest.mark.parametrize("module", [orjson, ujson, ssrjson], ids=lambda module: module.__name__)
@pytest.mark.parametrize("document", [document for document, *_ in UNDECODABLE], ids=ascii)
def test_other_libraries_do_not_tell_of_the_place(module, document):
    """But orjson's error is a JSONDecodeError, which has both."""
    error = error_of(document, module.loads)
    assert type(error) is not UnicodeDecodeError or not hasattr(error, "path")


def test_the_rest_is_json_s():
    for document, _ in PATHS[:-3]:
        ours, theirs = error_of(document), call(json.loads, document).error
        assert type(ours) is json.JSONDecodeError and error_facts(ours) == error_facts(theirs) and str(ours) == str(theirs)
        assert error_facts(pickle.loads(pickle.dumps(ours))) == error_facts(theirs)


@pytest.mark.parametrize("document", ["x", "[1,", '{"a": [1, {"b": tru}]}', "\u4e2d", '["\\x', "[1] 2"], ids=ascii)
@pytest.mark.parametrize("library", ["ocior", "orjson"])
def test_refusing_runs_no_python_code(library, document):
    """json's error is made by a function in Python, which takes longer than all the rest."""
    loads = ocior.loads if library == "ocior" else ocior.compat.orjson.loads
    for text in (document, document.encode()):
        frames = []
        sys.setprofile(lambda frame, event, _: frames.append(frame.f_code.co_name) if event == "call" else None)
        try:
            loads(text)
        except json.JSONDecodeError as error:
            sys.setprofile(None)
            assert error.doc == document and error.path.startswith("$")
        finally:
            sys.setprofile(None)
        assert not frames


def test_attributes_have_json_s_order():
    ours, theirs = error_of("[1,\n x"), call(json.loads, "[1,\n x").error
    names = list(vars(theirs))
    notes = ["__notes__"] if sys.version_info >= (3, 11) else []
    assert list(vars(ours)) == [*names, "path", "snippet", *notes]
    assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]
    assert (ours.__suppress_context__, ours.__cause__) == (theirs.__suppress_context__, theirs.__cause__)


@pytest.mark.parametrize("filler", ["a", "\xe9", "\u4e2d", "\U0001f600", "\n"], ids=ascii)
@pytest.mark.parametrize("length", [0, 1, 7, 254, 255, 256, 509, 510, 511, 1021])
def test_lines_and_columns(length, filler):
    for document in (filler * length + "\n", "\n" + filler * length, "\n" * 300 + filler * length + "\n" * 2):
        document = f'["{document}"' if filler != "\n" else f"[{document}"
        ours, theirs = error_of(document, strict=False), call(json.loads, document, strict=False).error
        assert error_facts(ours) == error_facts(theirs) and str(ours) == str(theirs)


def test_documents_that_count_in_their_own_way():
    class Odd(str):
        def count(self, *arguments):
            return 41

    ours, theirs = error_of(Odd("[1,\nx")), call(json.loads, Odd("[1,\nx")).error
    assert error_facts(ours) == error_facts(theirs) and ours.lineno == 42


@pytest.mark.parametrize(
    "change, seen",
    [
        ("error.__init__ = lambda self, msg, doc, pos: setattr(self, 'seen', (msg, pos))", "('Expecting value', 1)"),
        ("error.__setattr__ = lambda self, name, value: object.__setattr__(self, name, 'seen')", None),
        ("error.seen = 5", "5"),
        ("error.__str__ = lambda self: 'changed'", None),
    ],
)
def test_class_that_has_been_changed(change, seen):
    """A program may change the class; json's own errors are the oracle."""
    check_python(f"""
        import json, ocior, ocior.compat.orjson
        error = json.JSONDecodeError
        def caught(function):
            try:
                function("[")
            except error as caught:
                return caught
        caught(ocior.loads)
        try:
            {change}
        except (AttributeError, TypeError):
            raise SystemExit
        ours, theirs = caught(ocior.loads), caught(json.loads)
        for name in set(vars(theirs)) | {{"args"}}:
            assert getattr(ours, name) == getattr(theirs, name), name
        assert str(ours) == str(theirs) and type(ours) is type(theirs)
        if {seen!r}:
            assert repr(ours.seen) == repr(theirs.seen) == {seen!r}
            assert hasattr(caught(ocior.compat.orjson.loads), "seen")
    """)


def test_printing_never_fails():
    for document, _ in PATHS + SNIPPETS:
        error = error_of(document)
        for text in (error.path, error.snippet, *getattr(error, "__notes__", ())):
            text.encode("utf-8")


def test_stop_iteration_out_of_a_hook():
    def hook(value):
        raise StopIteration(4)

    error = error_of('[1, {"a": 2}]', object_hook=hook)
    assert (error.msg, error.pos, error.path) == ("Expecting value", 4, "$[1]")
    for odd in (100, -1, None, 10**30):

        def odd_hook(value):
            raise StopIteration(odd)

        error = error_of('[1, {"a": 2}]', object_hook=odd_hook)
        assert error is not None and (type(error) is not json.JSONDecodeError or error.path.startswith("$"))


@pytest.mark.parametrize("failure", [KeyboardInterrupt, SystemExit, type("Ending", (BaseException,), {})])
def test_what_ends_the_program_is_told(failure):
    """Even if the bytes further on are no text, which json would have found first."""

    def hook(value):
        raise failure

    with pytest.raises(failure):
        ocior.loads(b'[{"a": 1}, "\xff"]', object_hook=hook)


def test_failing_again_and_again_stays_cheap():
    """Extra data and a mistake at the start need no walk through the document."""
    document = "[" + "1," * 2_000_000 + "1] x"
    decoder = ocior.JSONDecoder()
    for _ in range(200):
        assert error_of(document, decoder.raw_decode, len(document) - 1).path == "$"
    for _ in range(3):
        assert error_of(document).path == "$"


@pytest.mark.parametrize("made", ["None", "5", "()", "b'12345678'", "object()"])
def test_error_class_that_makes_something_else(made):
    """A test may have patched it."""
    check_python(f"""
        import json, ocior
        from unittest import mock
        def stop(value): raise StopIteration(3)
        attempts = [
            lambda: ocior.loads("["),
            lambda: ocior.JSONDecoder(object_hook=stop).decode("{{}}"),
            lambda: ocior.loads(b"[1,"),
        ]
        with mock.patch.object(json.JSONDecodeError, "__new__", return_value={made}):
            for _ in range(5):
                for attempt in attempts:
                    try:
                        attempt()
                    except TypeError as error:
                        assert "BaseException" in str(error), error
                    else:
                        raise AssertionError
    """)
