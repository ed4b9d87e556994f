"""What a wrong document is told to be: code, path, place of each problem, how many of them, and what passes through."""

import dataclasses
import datetime
import enum
import gc
import json
import sys
import time
import uuid
import weakref
from decimal import Decimal
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import pytest

import ocior
from ocior import Alias, Convert, Decoder, Lax, Limits, Rest, Rules, ValidationError


@dataclasses.dataclass
class Line:
    name: str
    count: int = 1


@dataclasses.dataclass
class Order:
    id: int
    lines: list[Line] = dataclasses.field(default_factory=list)
    note: Optional[str] = None


@dataclasses.dataclass
class Strict:
    __ocior__ = Rules(unknown="forbid")
    a: int = 0


@dataclasses.dataclass
class Renamed:
    first_name: Annotated[str, Alias("firstName", "first_name")]
    caf: Annotated[int, Alias("caf\xe9")] = 0


@dataclasses.dataclass
class Cat:
    kind: Literal["cat"]
    lives: int = 9


@dataclasses.dataclass
class Dog:
    kind: Literal["dog"]
    inner: "Cat | Dog | None" = None


@dataclasses.dataclass
class Row:
    __ocior__ = Rules(array=True)
    a: int
    b: str = "x"


class Item(TypedDict):
    a: int
    b: str


class Color(enum.Enum):
    RED = "red"
    ONE = 1


def problems_of(found, document, **keywords):
    with pytest.raises(ValidationError) as caught:
        Decoder(found, **keywords).decode(document)
    return caught.value


# type, document, code, path, the text that start and end enclose
ROWS = [
    (int, '"x"', "type", (), '"x"'),
    (int, " 1.0 ", "type", (), "1.0"),
    (int, "true", "type", (), "true"),
    (int, "null", "type", (), "null"),
    (int, "[1, [2]]", "type", (), "[1, [2]]"),
    (int, '{"a": {"b": "}"}}', "type", (), '{"a": {"b": "}"}}'),
    (str, "-1.5e3", "type", (), "-1.5e3"),
    (bool, "1", "type", (), "1"),
    (None, "false", "type", (), "false"),
    (float, "[]", "type", (), "[]"),
    (float, '"1"', "type", (), '"1"'),
    (list[int], "{}", "type", (), "{}"),
    (dict, "[]", "type", (), "[]"),
    (Order, "[1]", "type", (), "[1]"),
    (list[int], '[1, "a\\"b", 2]', "type", (1,), '"a\\"b"'),
    (list[list[int]], "[[], [1, 2, []]]", "type", (1, 2), "[]"),
    (dict[str, int], '{"a": 1, "b c": NaN}', "type", ("b c",), "NaN"),
    (dict[str, list[int]], '{"a\\u00e9": [1, -Infinity]}', "type", ("a\xe9", 1), "-Infinity"),
    (Order, '{"id": 1, "lines": [{"name": "a"}, {"name": 5}]}', "type", ("lines", 1, "name"), "5"),
    (Order, '{"id": "\xe9", "unknown": [1, 2]}', "type", ("id",), '"\xe9"'),
    (Order, '{"lines": []}', "missing", (), '{"lines": []}'),
    (Order, '{"id": 1, "lines": [ {"count": 2} ]}', "missing", ("lines", 0), '{"count": 2}'),
    (Item, '{"a": 1}', "missing", (), '{"a": 1}'),
    (Strict, '{"a": 1, "b": 2}', "unknown", ("b",), "2"),
    (list[Strict], '[{"caf\\u00e9": {}}]', "unknown", (0, "caf\xe9"), "{}"),
    (uuid.UUID, '"12345678-1234-5678-1234-56781234567"', "value", (), '"12345678-1234-5678-1234-56781234567"'),
    (datetime.date, '"2023-02-29"', "value", (), '"2023-02-29"'),
    (list[bytes], '["QQ==", "QQ"]', "value", (1,), '"QQ"'),
    (Annotated[int, Lax()], "1.5", "value", (), "1.5"),
    (Annotated[int, Lax()], '"1.5"', "value", (), '"1.5"'),
    (Literal["a", "b"], '"c"', "choice", (), '"c"'),
    (Literal[1, 2], "3", "choice", (), "3"),
    (Literal[True], "false", "choice", (), "false"),
    (Color, '"blue"', "choice", (), '"blue"'),
    (Color, "1.0", "type", (), "1.0"),
    (Union[Cat, Dog], '{"kind": "cow"}', "tag", ("kind",), '"cow"'),
    (Union[Cat, Dog], '{"lives": 3, "kind": [1]}', "tag", ("kind",), "[1]"),
    (Union[Cat, Dog], ' {"lives": 3}', "tag", (), '{"lives": 3}'),
    (Union[Cat, Dog], '{"kind": "dog", "inner": {"kind": null}}', "tag", ("inner", "kind"), "null"),
    (tuple[int, str], "[1]", "length", (), "[1]"),
    (tuple[int, str], '[1, "a", {"x": [1e400]}, 5]', "length", (), '[1, "a", {"x": [1e400]}, 5]'),
    (tuple[()], "[1]", "length", (), "[1]"),
    (Row, "[]", "length", (), "[]"),
    (Row, '[1, "a", 2]', "length", (), '[1, "a", 2]'),
    (Annotated[int, Limits(gt=5)], "5", "gt", (), "5"),
    (Annotated[int, Limits(ge=5)], "4", "ge", (), "4"),
    (Annotated[float, Limits(lt=5)], "5.0", "lt", (), "5.0"),
    (Annotated[Decimal, Limits(le=5)], "5.01", "le", (), "5.01"),
    (Annotated[Decimal, Limits(le=5)], '"5.01"', "le", (), '"5.01"'),
    (Annotated[float, Limits(le=5)], "NaN", "le", (), "NaN"),
    (Annotated[Decimal, Limits(le=5)], '"NaN"', "le", (), '"NaN"'),
    (Annotated[float, Limits(multiple_of=0.1)], "0.25", "multiple_of", (), "0.25"),
    (Annotated[Decimal, Limits(multiple_of=Decimal("0.1"))], '"0.25"', "multiple_of", (), '"0.25"'),
    (Annotated[str, Limits(min_length=2)], '"\U0001f600"', "min_length", (), '"\U0001f600"'),
    (Annotated[str, Limits(max_length=2)], '"\U0001f600\\ud83d\\ude00x"', "max_length", (), '"\U0001f600\\ud83d\\ude00x"'),
    (Annotated[bytes, Limits(max_length=1)], '"AAEC"', "max_length", (), '"AAEC"'),
    (Annotated[list[int], Limits(min_length=2)], "[ 1 ]", "min_length", (), "[ 1 ]"),
    (Annotated[dict[str, int], Limits(min_length=2)], '{"a": 1, "a": 2}', "min_length", (), '{"a": 1, "a": 2}'),
    (Annotated[str, Limits(pattern="^a+$")], '"ab"', "pattern", (), '"ab"'),
    (Annotated[datetime.datetime, Limits(tz=True)], '"2024-01-01T00:00:00"', "tz", (), '"2024-01-01T00:00:00"'),
    (Annotated[datetime.time, Limits(tz=False)], '"00:00:00Z"', "tz", (), '"00:00:00Z"'),
    (dict[int, str], '{"1": "a", "x": "b"}', "key", ("x",), '"x"'),
    (dict[Annotated[str, Limits(max_length=1)], int], '{"\xe9\xe9": 1}', "key", ("\xe9\xe9",), '"\xe9\xe9"'),
    (Decimal, "1e1000000000000000000000", "range", (), "1e1000000000000000000000"),
    (Annotated[datetime.datetime, Lax()], "1e300", "range", (), "1e300"),
    (Annotated[datetime.timedelta, Lax()], "99999999999999999999", "range", (), "99999999999999999999"),
    (Renamed, "{}", "missing", (), "{}"),
]


@pytest.mark.parametrize("in_front", ["", '["\xe9", "\u4e2d\\n", "\U0001f600"]'], ids=["alone", "behind wide text"])
@pytest.mark.parametrize("found, document, code, path, text", ROWS, ids=[f"{row[2]} {row[1][:30]!a}" for row in ROWS])
def test_problems(found, document, code, path, text, in_front):
    """Alone, and behind text that is no ASCII: the place counts code points, of bytes as of str."""
    step = ()
    if in_front:
        document, found, step = f"[{in_front},{document}]", tuple[Any, found], (1,)
    for source in (document, document.encode(), bytearray(document.encode()), document.encode("utf-16"), document.encode("utf-32-le")):
        error = problems_of(found, source)
        assert [(problem.code, problem.path) for problem in error.errors] == [(code, step + path)]
        problem = error.errors[0]
        assert document[problem.start : problem.end] == text
        assert error.pos == problem.start and error.path == problem.where
        assert (error.lineno, error.colno) == (1, problem.start + 1)
        assert problem.message and str(error).startswith(f"{problem.where}: ")


@pytest.mark.parametrize("sample", ["a", "\xe9", "\u4e2d", "\U0001f600"])
@pytest.mark.parametrize("policy", [{}, {"surrogates": "error"}, {"duplicate_keys": "error"}])
def test_places_in_each_width(sample, policy):
    key = sample * 3
    document = f'{{"{key}": ["{sample}", 1,\n "{sample * 40}", [2]]}}'
    for source in (document, document.encode()):
        error = problems_of(dict[str, list[int]], source, **policy)
        assert [document[problem.start : problem.end] for problem in error.errors] == [f'"{sample}"', f'"{sample * 40}"', "[2]"]
        assert [problem.path for problem in error.errors] == [(key, 0), (key, 2), (key, 3)]
        assert error.lineno == 1 and error.errors[1].start == document.index(sample * 40) - 1


def test_a_byte_order_mark_is_no_code_point_of_the_document():
    document = '["\xe9", 1]'
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert (problems_of(list[int], document.encode(encoding)).errors[0].start) == 1


PATHS = [
    (("a",), "$.a", "/a"),
    (("odd key",), '$["odd key"]', "/odd key"),
    (("a/b", "c~d"), '$["a/b"]["c~d"]', "/a~1b/c~0d"),
    (("", ""), '$[""][""]', "//"),
    (("caf\xe9", "\u4e2d"), None, "/caf\xe9/\u4e2d"),
    (('q"q', "b\\b", "\n"), None, '/q"q/b\\b/\n'),
    (("\ud800",), None, "/\ud800"),
]


@pytest.mark.parametrize(
    "path, where, pointer", PATHS, ids=[pointer.encode("ascii", "backslashreplace").decode() for _, _, pointer in PATHS]
)
def test_where_and_pointer(path, where, pointer):
    """The words of `where` are those of JSONDecodeError for the same place."""
    document = '"x"'
    found = int
    for step in reversed(path):
        document, found = "{%s: %s}" % (json.dumps(step), document), dict[str, found]
    problem = problems_of(found, document).errors[0]
    assert problem.path == path and problem.pointer == pointer
    with pytest.raises(ocior.JSONDecodeError) as caught:
        ocior.loads(document.replace('"x"', "x"))
    assert problem.where == caught.value.path
    assert where in (None, problem.where)


def test_all_problems_of_a_document():
    document = '{"id": "x", "lines": [{"name": 1}, {"count": "\xe9"}, 5, {"name": "a", "count": []}], "note": 7, "other": [}'.replace(
        "[}", "[]}"
    )
    expected = [
        ("type", ("id",)),
        ("type", ("lines", 0, "name")),
        ("type", ("lines", 1, "count")),
        ("missing", ("lines", 1)),
        ("type", ("lines", 2)),
        ("type", ("lines", 3, "count")),
        ("type", ("note",)),
    ]
    for source in (document, document.encode()):
        error = problems_of(Order, source)
        assert [(problem.code, problem.path) for problem in error.errors] == expected
        assert str(error).endswith(", and 6 more")


@pytest.mark.parametrize("most", [1, 2, 7, 100])
def test_max_errors(most):
    error = problems_of(list[int], json.dumps(["x"] * 50), max_errors=most)
    assert [problem.path for problem in error.errors] == [(index,) for index in range(min(most, 50))]
    assert str(error) == "$[0]: expected int, got string (line 1 column 2), and 49 more"


def test_max_errors_by_default_is_100():
    assert len(problems_of(list[int], json.dumps(["x"] * 500)).errors) == 100


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "5", None])
def test_max_errors_that_is_no_count(wrong):
    with pytest.raises((TypeError, ValueError)):
        Decoder(int, max_errors=wrong)


def _growth(make, small, large):
    """How many times longer a unit of the large input takes than one of the small input, at best."""
    times = []
    for count in (small, large):
        work = make(count)
        best = float("inf")
        for _ in range(5):
            start = time.thread_time() if hasattr(time, "thread_time") else time.perf_counter()
            work()
            best = min(best, (time.thread_time() if hasattr(time, "thread_time") else time.perf_counter()) - start)
        times.append(best / count)
    return times[1] / times[0]


def _failing(found, document, **keywords):
    decoder = Decoder(found, **keywords)

    def work():
        with pytest.raises(ValidationError) as caught:
            decoder.decode(document)
        return caught.value

    return work


WIDE_RECORD = '{"id": 1, "lines": [{"name": "\u4e2d\u6587"}, {"count": 3}]}'
LINEAR = {
    "types, all told": lambda count: _failing(list[int], "[" + ",".join(['"\xe9"'] * count) + "]", max_errors=10**9),
    "types, few told": lambda count: _failing(list[int], "[" + ",".join(['"\xe9"'] * count) + "]"),
    "bytes": lambda count: _failing(list[int], ("[" + ",".join(['"\xe9"'] * count) + "]").encode(), max_errors=10**9),
    "missing": lambda count: _failing(list[Order], ("[" + ",".join([WIDE_RECORD] * count) + "]").encode(), max_errors=10**9),
    "unknown": lambda count: _failing(Strict, "{" + ",".join(f'"k{i}":{i}' for i in range(count)) + "}", max_errors=10**9),
    "keys": lambda count: _failing(dict[int, int], "{" + ",".join(f'"k{i}":{i}' for i in range(count)) + "}", max_errors=10**9),
    "tags": lambda count: _failing(list[Union[Cat, Dog]], "[" + ",".join(['{"x":[1,2,3],"kind":"cow"}'] * count) + "]", max_errors=10**9),
    "doubles": lambda count: _failing(Strict, "{" + ",".join(['"a":1'] * count) + "}", max_errors=10**9, duplicate_keys="error"),
    "surplus": lambda count: _failing(tuple[int], "[" + ",".join(["1"] * count) + "]"),
    "nested, few told": lambda count: _failing(Dog, '{"x":1,"inner":' * min(count, 60_000) + "5" + "}" * min(count, 60_000)),
}


@pytest.mark.parametrize("name", LINEAR)
def test_problems_take_linear_time(name):
    """100 000 problems in one document; pydantic told them all, whatever they took."""
    assert min(_growth(LINEAR[name], 800, 50_000) for _ in range(2)) < 12


def test_100_000_problems():
    work = LINEAR["bytes"](100_000)
    start = time.perf_counter()
    error = work()
    assert len(error.errors) == 100_000 and time.perf_counter() - start < 20


# ---- what is no JSON

NO_JSON = [
    ('[{"id": "x"}, {"id": 1,}]', Order),
    ('{"id": "x", "lines": [1, 2', Order),
    ('[5, "a", tru]', int),
    ('["x" "y"]', int),
    ('["x"] ]', int),
    ('["x", "\n"]', int),
    ('["x", "\\q"]', int),
    ('["x", {"a" 1}]', int),
    ('{"unknown": [1, 2}, "id": 3}', Order),
    ('{"unknown": "\\x", "id": "3"}', Order),
    ('[{"kind": "cow", "x": [1,]}]', Union[Cat, Dog]),
    ('[{"x": [1,], "kind": "cat"}]', Union[Cat, Dog]),
    ('[{"x" 1, "kind": "cat"}]', Union[Cat, Dog]),
    ('[{"x": 1, "kind" "cat"}]', Union[Cat, Dog]),
    ("[{", Union[Cat, Dog]),
    ("", int),
    ("[1, 01]", int),
    ('["x", 1.]', int),
    ('["x", -]', int),
    ('{"1": 2, "x": 3,}', dict[int, int]),
    ('["a", "b', ocior.Raw),
    ('["a", {"b": [}]', ocior.Raw),
    ('["a", {"b": [}]', Any),
]


@pytest.mark.parametrize("document, item", NO_JSON, ids=[row[0][:30] or "empty" for row in NO_JSON])
def test_what_is_no_json_wins(document, item):
    """Whatever is wrong before it, the error is that of loads, at the same place."""
    for source in (document, document.encode(), document.replace("x", "\u4e2d"), document.replace("x", "\u4e2d").encode()):
        with pytest.raises(ocior.JSONDecodeError) as expected:
            ocior.loads(source)
        for found in (item, list[item], dict[str, item], Optional[item], tuple[item, item]):
            with pytest.raises(ocior.JSONDecodeError) as caught:
                Decoder(found).decode(source)
            assert (caught.value.msg, caught.value.pos, caught.value.path) == (expected.value.msg, expected.value.pos, expected.value.path)
            assert caught.value.doc == expected.value.doc


@pytest.mark.parametrize("place", ['{"a": 1, "skipped": "%s"}', '{"a": "wrong", "b": "%s"}', '{"%s": 1}', '{"a": 1, "x": [{"%s": 1}]}'])
@pytest.mark.parametrize("wrong", [b"\xff", b"\xc3", b"\xed\xa0\x80"[:2] + b"(", b"\xf5\x80\x80\x80", b"\xc0\xaf"])
def test_invalid_utf8_anywhere(place, wrong):
    """Also in what no field takes."""
    document = place.encode() % wrong
    with pytest.raises(UnicodeDecodeError) as expected:
        ocior.loads(document)
    for found in (dataclasses.make_dataclass("One", [("a", int, 0)]), dict[str, Any], int, ocior.Raw, Union[Cat, Dog]):
        with pytest.raises(UnicodeDecodeError) as caught:
            Decoder(found).decode(document)
        assert (caught.value.start, caught.value.end) == (expected.value.start, expected.value.end)


# ---- exceptions of hooks


def raising(error):
    def hook(value):
        raise error

    return hook


@pytest.mark.parametrize("kind", [ValueError, TypeError, UnicodeError, json.JSONDecodeError])
@pytest.mark.parametrize(
    "written, text",
    [("null", "null"), ("true", "true"), ("1", "1"), ("1.5", "1.5"), ('"x"', '"x"'), ("[1]", "[1]"), ('{"a":1}', '{"a":1}')],
)
def test_errors_of_hooks_are_problems(kind, written, text):
    error = kind("m", "d", 0) if kind is json.JSONDecodeError else kind("no")
    found = Annotated[Any, Convert(raising(error))]
    for document in (f'{{"\xe9":[0,{written}]}}', f'{{"\xe9":[0,{written}]}}'.encode()):
        caught = problems_of(dict[str, tuple[Any, found]], document)
        problem = caught.errors[0]
        assert (problem.code, problem.path) == ("hook", ("\xe9", 1))
        assert problem.cause is error and caught.__cause__ is error
        assert f'{{"\xe9":[0,{written}]}}'[problem.start : problem.end] == text
        assert "no" not in str(caught) or kind is json.JSONDecodeError


def test_after_the_first_problem_no_hook_is_called():
    seen = []
    found = Annotated[int, Convert(lambda value: seen.append(value) or value, takes=int)]

    @dataclasses.dataclass
    class Posted:
        a: found

        def __post_init__(self):
            seen.append("post")

    problems_of(list[Posted], '[{"a": 1}, {"a": "x"}, {"a": 3}]')
    assert seen == [1, "post"]


def test_problems_behind_one_of_a_hook_are_told():
    found = tuple[Annotated[int, Convert(raising(ValueError("no")), takes=int)], int, int]
    assert [(problem.code, problem.path) for problem in problems_of(found, '[1, "x", 2]').errors] == [("hook", (0,)), ("type", (1,))]


def inner_error():
    try:
        Decoder(int).decode('"secret"')
    except ValidationError as error:
        return error


def test_a_validation_error_from_inside_stays():
    error = inner_error()
    for found in (Annotated[Any, Convert(raising(error))], dict[str, Annotated[Any, Convert(raising(error))]]):
        with pytest.raises(ValidationError) as caught:
            Decoder(found).decode('{"a": 1}')
        assert caught.value is error

    @dataclasses.dataclass
    class Posted:
        a: int

        def __post_init__(self):
            raise error

    with pytest.raises(ValidationError) as caught:
        Decoder(list[Posted]).decode('[{"a": 1}]')
    assert caught.value is error


@pytest.mark.parametrize("kind", [KeyError, AttributeError, ZeroDivisionError, StopIteration, RuntimeError, OSError])
def test_other_errors_pass_with_a_note_of_the_path(kind):
    @dataclasses.dataclass
    class Posted:
        a: int

        def __post_init__(self):
            raise kind("no")

    class Called:
        pass

    places = [(Annotated[Any, Convert(raising(kind("no")))], '{"x": [1, {"a": 2}]}'), (Posted, '{"x": [1, {"a": 2}]}')]
    for found, document in places:
        with pytest.raises(kind) as caught:
            Decoder(dict[str, tuple[int, found]]).decode(document)
        assert caught.value.args == ("no",)
        if sys.version_info >= (3, 11):
            assert caught.value.__notes__ == ["while decoding $.x[1]"]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_a_program_passes(kind):
    with pytest.raises(kind) as caught:
        Decoder(list[Annotated[Any, Convert(raising(kind()))]]).decode("[1]")
    assert not hasattr(caught.value, "__notes__")


def test_errors_of_factories():
    def factory():
        raise ValueError("no")

    found = dataclasses.make_dataclass("Made", [("a", int), ("b", int, dataclasses.field(default_factory=factory))])
    error = problems_of(list[found], '[{"a": 1, "b": 2}, {"a": 1}]')
    assert [(problem.code, problem.path) for problem in error.errors] == [("hook", (1,))]


def test_errors_of_missing_are_the_cause():
    class Asks(enum.Enum):
        A = "a"

        @classmethod
        def _missing_(cls, value):
            raise ValueError(f"asked for {value!r}")

    for written, value in (('"b"', "b"), ("2", 2), ("true", True), ("1.5", 1.5)):
        error = problems_of(Asks, written)
        assert error.errors[0].code == "choice"
        assert str(error.errors[0].cause) == f"asked for {value!r}"
        assert error.__cause__ is error.errors[0].cause


def test_rest_has_paths():
    found = dataclasses.make_dataclass("Keeps", [("a", int), ("rest", Annotated[dict[str, list[int]], Rest()])])
    error = problems_of(found, '{"x": [1, "\xe9"], "a": 1, "y": 5}')
    assert [(problem.code, problem.path) for problem in error.errors] == [("type", ("x", 1)), ("type", ("y",))]


def test_what_is_missing_is_told_by_its_written_name():
    error = problems_of(Renamed, '{"caf\xe9": 1}')
    assert (error.errors[0].expected, error.errors[0].message) == ("firstName", "missing firstName")


def test_the_text_of_an_error_quotes_no_value():
    for found, document in [(int, '"secret"'), (Literal["a"], '"secret"'), (Annotated[str, Limits(max_length=2)], '"secret"')]:
        error = problems_of(list[found], f"[{document}]")
        assert "secret" not in str(error) and "secret" in error.snippet


@pytest.mark.parametrize(
    "keywords", [{"object_hook": dict}, {"object_pairs_hook": list}, {"parse_int": int}, {"parse_float": float}, {"parse_constant": str}]
)
def test_hooks_of_json_beside_type_are_refused(keywords):
    with pytest.raises(TypeError, match=next(iter(keywords))):
        ocior.loads("1", type=int, **keywords)


def test_success_leaves_no_problem():
    decoder = Decoder(list[int])
    for _ in range(3):
        with pytest.raises(ValidationError):
            decoder.decode('["x"]')
        assert decoder.decode("[1]") == [1]


@pytest.mark.parametrize("found", [int, Annotated[Any, Convert(raising(ValueError("no")))]], ids=["type", "hook"])
def test_an_error_ends_when_nobody_holds_it(found):
    """It is part of no cycle, so it, and the document that it quotes, are not kept until garbage is collected."""
    gc.disable()
    try:
        for function in (Decoder(found).decode, lambda document: ocior.loads(document, type=found)):
            try:
                function('"x"')
            except ValidationError as error:
                seen = weakref.ref(error)
                str(error), error.errors, error.snippet
            assert seen() is None
    finally:
        gc.enable()
