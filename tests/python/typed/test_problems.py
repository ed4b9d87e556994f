"""What is told of a document that does not fit its type: ValidationError, Problem, and the functions that the core calls."""

import copy
import pickle
import sys
import time
import traceback
from decimal import Decimal
from fractions import Fraction

import pytest
from ocior._typed import places
from ocior._typed.problems import Problem, Refusal, ValidationError, multiple_of, note_path, raise_errors

has_notes = pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes before Python 3.11")


class Order:
    pass


DOCUMENT = '{"id": 1,\n "lines": [{"count": "x"}]}'
AT = DOCUMENT.index('"x"')


def error_of(*problems, document=DOCUMENT, type=Order, count=None):
    with pytest.raises(ValidationError) as caught:
        raise_errors(document, list(problems), type, len(problems) if count is None else count)
    return caught.value


FIRST = ("type", ("lines", 0, "count"), AT, AT + 3, "int", "string", None)


def test_the_first_problem_is_what_the_error_tells():
    error = error_of(FIRST, ("missing", (), 0, len(DOCUMENT), "total", None, None), count=3)
    assert str(error) == "$.lines[0].count: expected int, got string (line 2 column 22), and 2 more"
    assert (error.path, error.pos, error.lineno, error.colno) == ("$.lines[0].count", AT, 2, 22)
    assert error.snippet == ' "lines": [{"count": "x"}]}\n' + " " * 21 + "^"
    assert isinstance(error, ValueError) and len(error.errors) == 2
    assert repr(error).startswith("ValidationError('$.lines[0].count: ")


def test_one_problem():
    (problem,) = error_of(FIRST).errors
    assert str(error_of(FIRST)) == "$.lines[0].count: expected int, got string (line 2 column 22)"
    assert (problem.code, problem.path, problem.where, problem.pointer) == (
        "type",
        ("lines", 0, "count"),
        "$.lines[0].count",
        "/lines/0/count",
    )
    assert (problem.start, problem.end, problem.expected, problem.got, problem.cause) == (AT, AT + 3, "int", "string", None)
    assert DOCUMENT[problem.start : problem.end] == '"x"'
    assert repr(problem) == "<Problem type at $.lines[0].count: expected int, got string>"
    assert problem == copy.copy(problem) and hash(problem) == hash(copy.copy(problem))
    assert problem != Problem("type", (), 0, 1)


MESSAGES = [
    ("type", "int", "string", "expected int, got string"),
    ("missing", "total", None, "missing total"),
    ("unknown", None, None, "unknown key"),
    ("value", "datetime", "string", "expected datetime, got string"),
    ("choice", "'a' or 'b'", None, "expected 'a' or 'b'"),
    ("tag", "'a' or 'b'", None, "expected 'a' or 'b' as the tag"),
    ("length", "array of 2 values", "3 values", "expected array of 2 values, got 3 values"),
    ("gt", 0, None, "expected more than 0"),
    ("ge", Decimal("0.50"), None, "expected 0.50 or more"),
    ("lt", 9, None, "expected less than 9"),
    ("le", 9, None, "expected 9 or less"),
    ("multiple_of", Decimal("0.1"), None, "expected a multiple of 0.1"),
    ("min_length", 3, None, "expected a length of 3 or more"),
    ("max_length", 3, None, "expected a length of 3 or less"),
    ("pattern", __import__("re").compile("^a"), None, "expected a match of '^a'"),
    ("tz", "an offset", None, "expected an offset"),
    ("key", "int", None, "expected int as a key"),
    ("duplicate", None, None, "duplicate key"),
    ("range", "datetime", None, "number out of range"),
    ("hook", None, None, "refused"),
]


@pytest.mark.parametrize(("code", "expected", "got", "message"), MESSAGES)
def test_messages(code, expected, got, message):
    problem = Problem(code, (), 0, 1, expected, got)
    assert problem.message == message == problem.summary


def test_what_a_hook_says_is_told_by_the_problem_alone():
    cause = ValueError("4711 is no price")
    error = error_of(("hook", ("price",), 1, 2, None, None, cause))
    assert error.errors[0].message == "ValueError: 4711 is no price"
    assert error.errors[0].cause is cause and error.__cause__ is cause
    assert str(error) == "$.price: refused by ValueError (line 1 column 2)"
    assert Problem("hook", (), 0, 1, cause=ValueError()).message == "ValueError"


def test_what_our_own_hooks_refuse_has_the_code_of_its_reason():
    refusal = Refusal("gt", 5)
    error = error_of(("hook", (), 0, 1, "int", None, refusal))
    assert (error.errors[0].code, error.errors[0].expected, error.errors[0].message) == ("gt", 5, "expected more than 5")
    assert error.__cause__ is None


@has_notes
def test_the_note_shows_the_place():
    error = error_of(FIRST)
    assert error.__notes__ == ['at $.lines[0].count in Order\n     "lines": [{"count": "x"}]}\n    ' + " " * 21 + "^"]
    error.add_note("mine")
    assert len(error.__notes__) == 2
    assert '"count": "x"' in "".join(traceback.format_exception(error)) and "mine" in "".join(traceback.format_exception(error))


@has_notes
def test_notes_of_what_passes_through():
    error = KeyError("x")
    note_path(error, ("a", 0))
    assert error.__notes__ == ["while decoding $.a[0]"]


def test_notes_where_there_are_none():
    note_path(KeyError("x"), ("a", 0))


class Unpicklable(ValueError):
    def __reduce__(self):
        raise TypeError("cannot be pickled")


def test_errors_go_through_pickle():
    error = error_of(FIRST, ("hook", (), 0, 1, None, None, Unpicklable("x")), ("hook", (), 0, 1, None, None, ValueError("y")), count=9)
    other = pickle.loads(pickle.dumps(error))
    assert str(other) == str(error) and other.snippet == error.snippet and type(other) is ValidationError
    assert other.errors[0] == error.errors[0] and other.errors[1].cause.args == ("Unpicklable: x",)
    assert type(other.errors[2].cause) is ValueError and other.errors[2].cause.args == ("y",)
    if sys.version_info >= (3, 11):
        assert other.__notes__ == error.__notes__
    assert str(copy.copy(error)) == str(copy.deepcopy(error)) == str(error)


PATHS = [
    ((), "$", ""),
    (("a", 0, "b"), "$.a[0].b", "/a/0/b"),
    (("odd key",), '$["odd key"]', "/odd key"),
    (('"\\',), '$["\\"\\\\"]', '/"\\'),
    (("a/b", "c~d"), '$["a/b"]["c~d"]', "/a~1b/c~0d"),
    (("",), '$[""]', "/"),
    (("\n\ud800",), '$["\\u000a\\ud800"]', "/\n\ud800"),
    (("\U000e0001",), '$["\\udb40\\udc01"]', "/\U000e0001"),
    (("größe",), "$.größe", "/größe"),
    (("k" * 41,), f'$["{"k" * 40}..."]', f"/{'k' * 41}"),
    (tuple(range(30)), "$" + "".join(f"[{i}]" for i in range(12)) + "..." + "".join(f"[{i}]" for i in range(18, 30)), None),
]


@pytest.mark.parametrize(("path", "where", "pointer"), PATHS, ids=lambda value: None)
def test_paths(path, where, pointer):
    problem = Problem("type", path, 0, 0)
    assert problem.where == where
    if pointer is not None:
        assert problem.pointer == pointer


@pytest.mark.parametrize(
    "document",
    [
        "[1, x]",
        '{"a": [true, {"b": x}]}',
        "[\n\n  1,\t x]",
        '["中文", x]',
        '["' + "a" * 200 + '", x' + "," * 200,
        "[x" + " " * 90,
        "\u0301[\r\n x",
    ],
)
def test_places_are_worded_as_the_core_words_them(document):
    """The core says the same of what is no JSON there."""
    loads = pytest.importorskip("ocior").loads if hasattr(pytest.importorskip("ocior"), "loads") else None
    if loads is None:
        pytest.skip("the core is not built")
    with pytest.raises(ValueError) as caught:
        loads(document)
    error = caught.value
    assert places.snippet(document, error.pos) == error.snippet
    assert places.line_and_column(document, error.pos) == (error.lineno, error.colno)


MULTIPLES = [
    ("0.3", "0.1", True),
    ("0.35", "0.1", False),
    ("10", "3", False),
    ("12", "3", True),
    ("-12", "3", True),
    ("0", "7", True),
    ("-0.0", "7", True),
    ("1e3", "8", True),
    ("1e2", "8", False),
    ("1E+2", "0.001", True),
    ("1e-2", "0.1", False),
    ("1.50", "0.5", True),
    ("0.0000000000000000000000000000000000001", "0.1", False),
    ("1e1000000000000000000000", "8", True),
    ("1e1000000000000000000000", "3", False),
    ("1e-1000000000000000000000", "3", False),
    ("9" * 5000, "9", True),
    ("9" * 5000, "7", int("9" * 50) % 7 == 0 and 5000 % 6 == 0),
    ("123456789012345678901234567890", "1E+1", True),
    ("NaN", "1", False),
    ("Infinity", "1", False),
    ("-Infinity", "1", False),
]


@pytest.mark.parametrize(("text", "of", "expected"), MULTIPLES, ids=lambda value: str(value)[:20])
def test_multiples(text, of, expected):
    assert multiple_of(text, Decimal(of)) is expected


@pytest.mark.parametrize("of", ["0.1", "0.25", "3", "7", "1E+1", "12.5", "0.003"])
def test_multiples_are_those_of_fractions(of):
    for mantissa in (*range(60), 125, 1000, 12345):
        for exponent in range(-4, 4):
            text = f"{mantissa}e{exponent}"
            expected = (Fraction(text) / Fraction(of)).denominator == 1
            assert multiple_of(text, Decimal(of)) is expected, text


def test_multiples_of_long_texts_take_linear_time():
    begin = time.perf_counter()
    multiple_of("1" * 1_000_000 + "e" + "9" * 1_000_000, Decimal("7"))
    assert time.perf_counter() - begin < 5
