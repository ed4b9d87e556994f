"""Values one behind the other, with white space, nothing, or record separators between them."""

import json
import random

import pytest
from jsontestsuite_cases import CASES
from support import call, facts, fresh

import ocior

RS = b"\x1e"


def chunked(data, size):
    return [data[begin : begin + size] for begin in range(0, len(data), size)] if size else [data]


def values(data, size=None, **keywords):
    return list(ocior.values(chunked(data, size), **keywords))


SIZES = (None, 1, 2, 3, 5, 63, 64, 65)

ROWS = {
    "nothing": (b"", []),
    "white space": (b" \r\n\t", []),
    "separators": (RS + b"\n" + RS + RS, []),
    "a mark": (b"\xef\xbb\xbf[1]", [[1]]),
    "a mark alone": (b"\xef\xbb\xbf", []),
    "nothing between": (b'{"a":1}{"b":2}[3]"x""y"[][]{}', [{"a": 1}, {"b": 2}, [3], "x", "y", [], [], {}]),
    "numbers": (b"1 2\n3\t4\r5", [1, 2, 3, 4, 5]),
    "numbers beside others": (b'1[2]3"x"4{"a":5}true"y"null[6]', [1, [2], 3, "x", 4, {"a": 5}, True, "y", None, [6]]),
    "over lines": (b'{\n  "a": [\n    1\n  ]\n}\n{\n}\n', [{"a": [1]}, {}]),
    "RFC 7464": (RS + b'{"a":1}\n' + RS + b"2\n" + RS + b'"x"\n', [{"a": 1}, 2, "x"]),
    "separators without newlines": (RS + b"1" + RS + b"2" + RS + b"[3]", [1, 2, [3]]),
    "brackets in strings": (b'["]"]{"}":"{"}"[" "\\"]" ["\\\\"]', [["]"], {"}": "{"}, "[", '"]', ["\\"]]),
    "backslashes": (b'"\\\\""\\\\\\\\""\\\\\\""', ["\\", "\\\\", '\\"']),
    "no newline at the end": (b"1 23", [1, 23]),
    "long strings": (b'"' + b"a" * 200 + b'"["' + b"\\\\" * 100 + b'"]1', ["a" * 200, ["\\" * 100], 1]),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name):
    data, wanted = ROWS[name]
    for size in SIZES:
        assert facts(values(data, size)) == facts(fresh(wanted))
    assert facts(list(ocior.values(data))) == facts(fresh(wanted))
    assert facts(list(ocior.values(bytearray(data)))) == facts(fresh(wanted))


BAD_ROWS = {
    # data: good records; (offset, line, pos) of each bad one
    "a cut record": (RS + b'{"a":1' + RS + b'{"b":2}\n', [{"b": 2}], [(1, 1, 6)]),
    "a cut string": (RS + b'"abc' + RS + b"1\n" + RS + b'["x' + RS + b"2", [1, 2], [(1, 1, 0), (9, 2, 1)]),
    "a cut word": (RS + b"tru" + RS + b"true\n", [True], [(1, 1, 0)]),
    "a cut escape": (RS + b'"\\' + RS + b"1", [1], [(1, 1, 0)]),
    "commas between": (b'{"a":1},{"a":2}, 3', [{"a": 1}, {"a": 2}, 3], [(7, 1, 0), (15, 1, 0)]),
    "closing brackets": (b"1]2}3", [1, 2, 3], [(1, 1, 0), (3, 1, 0)]),
    "wrong words": (b"1 tru 2 nulll 3 x", [1, 2, 3], [(2, 1, 0), (8, 1, 4), (16, 1, 0)]),
    "inside": (b'[1,]\n{"a" 1}\n2', [2], [(0, 1, None), (5, 2, 5)]),
    "NUL": (b"1 \x00 2", [1, 2], [(2, 1, 0)]),
    "a second mark": (b"\xef\xbb\xbf\xef\xbb\xbf 1", [1], [(3, 1, 0)]),
    "a torn array": (b"1 [2, 3", [1], [(2, 1, 5)]),
    "a torn string": (b'1\n"abc', [1], [(2, 2, 0)]),
    "bad UTF-8": (b'"\xff" 1 "\xe4\xb8" 2', [1, 2], [(0, 1, 1), (6, 1, 1)]),
    "kinds of brackets": (b"[1} {2] 3", [3], [(0, 1, 2), (4, 1, 1)]),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows(name):
    data, good, places = BAD_ROWS[name]
    for size in SIZES:
        errors = []
        reader = ocior.values(chunked(data, size), on_error=errors.append)
        assert list(reader) == good
        assert [(error.offset, error.lineno) for error in errors] == [place[:2] for place in places]
        assert all(place[2] in (None, error.pos) for place, error in zip(places, errors))
        reader = ocior.values(chunked(data, size), on_error="skip")
        assert (list(reader), reader.skipped, reader.offset) == (good, len(places), len(data))
        error = call(values, data, size).error
        assert (error.offset, error.lineno) == places[0][:2]


TORN = {
    b"1 2 tru": ([1, 2], 3),
    b"[1,2": ([], 4),
    b"1 ": ([1], 0),
    b"1": ([1], 0),
    b'{"a":1}{': ([{"a": 1}], 1),
    b'"a" "b': (["a"], 2),
    b'["\xe4\xb8': ([], 4),
    b"-": ([], 1),
}


@pytest.mark.parametrize("data", TORN)
def test_torn_ends(data):
    good, dropped = TORN[data]
    for size in SIZES:
        reader = ocior.values(chunked(data, size), tail="drop")
        assert (list(reader), reader.dropped, reader.skipped) == (good, dropped, 0)


def test_a_bad_record_before_the_end_is_not_torn():
    with pytest.raises(ocior.RecordError):
        values(b"tru 1", tail="drop")
    with pytest.raises(ocior.RecordError):
        values(RS + b"[1" + RS + b"2", tail="drop")


def test_errors_over_lines():
    error = call(values, b'1\n{\n "a":\n  x}\n').error
    assert (error.lineno, error.colno, error.pos, error.offset, error.record) == (4, 3, 10, 2, 1)


@pytest.mark.parametrize("name", [name for name in CASES if name[0] == "y"])
def test_the_suite(name):
    data = CASES[name]
    wanted = facts([ocior.loads(data)])
    for size in SIZES[:5]:
        assert facts(values(data, size)) == wanted
        assert facts(values(RS + data + RS, size)) == wanted
        assert facts(values(data + b"\n" + data, size)) == facts([ocior.loads(data)] * 2)


@pytest.mark.parametrize("name", [name for name in CASES if name[0] == "n"])
def test_the_refused_suite(name):
    """What loads() refuses gives no value alone, unless it is several, and does no harm to what stands behind a separator."""
    data = CASES[name]
    outcome = call(ocior.loads, data)
    for size in (None, 1) if len(data) < 1000 else (4096,):
        got = call(values, data, size)
        if outcome.error is not None and data.removeprefix(b"\xef\xbb\xbf").strip() and getattr(outcome.error, "msg", "") != "Extra data":
            assert type(got.error) is ocior.RecordError
        assert values(data + RS + b'{"a": 1}', size, on_error="skip")[-1:] == [{"a": 1}]


@pytest.mark.parametrize("seed", range(30))
def test_random_values_and_chunks(seed):
    rng = random.Random(seed)

    def value(depth):
        kind = rng.randrange(6 if depth < 4 else 4)
        if kind < 4:
            return rng.choice(
                [1, -2.5, True, None, 'a"b', "\\", '\\"' * rng.randrange(70), "{[" * rng.randrange(40), "\u4e2d\U0001f600", ""]
            )
        many = rng.randrange(5)
        if kind == 4:
            return [value(depth + 1) for _ in range(many)]
        return {rng.choice('"\\}\u00e9') * rng.randrange(3) + str(i): value(depth + 1) for i in range(many)}

    wanted, data = [], b""
    for _ in range(60):
        one = value(0)
        text = json.dumps(one, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 2])).encode()
        closes = text[-1:] in b'"]}' or text[:1] in b'"[{'
        data += text + rng.choice([b" ", b"\n", RS, b"\r\n" + RS] + [b""] * closes)
        wanted.append(one)
    for _ in range(4):
        most, chunks, place = rng.choice([1, 4, 90, 3000]), [], 0
        while place < len(data):
            size = rng.randrange(most + 1)
            chunks.append(data[place : place + size])
            place += size
        assert facts(list(ocior.values(chunks))) == facts(fresh(wanted))


OPTIONS = {
    "strict": ({"strict": False}, b'"a\nb" "c"', ["a\nb", "c"]),
    "fields": ({"fields": "/a"}, b'{"a": 1}{"b": 2}3', [1, None, None]),
    "unchecked fields": ({"fields": "/a", "check": False}, b'{"a": 1, x}{"a": 2}', [1, 2]),
    "type": ({"type": int}, b"1 2", [1, 2]),
    "hooks": ({"object_hook": len, "parse_int": str}, b'{"a": {}}[1]2', [1, ["1"], "2"]),
    "cls": ({"cls": json.JSONDecoder}, b'{"a": 1}[2]', [{"a": 1}, [2]]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    keywords, data, wanted = OPTIONS[name]
    for size in (None, 1, 3):
        assert values(data, size, **keywords) == wanted
