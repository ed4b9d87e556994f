"""Lines: each gives what loads() gives for it, wherever the chunks are cut, and only a newline ends one."""

import json
import os
import random

import pytest
from jsontestsuite_cases import CASES
from support import GuardedPages, call, facts, fresh

import ocior
from ocior import lines

MARK = b"\xef\xbb\xbf"
ONE_LINE = [name for name in CASES if b"\n" not in CASES[name] and CASES[name].strip(b" \t\r") and not CASES[name].startswith(MARK)]
# What loads() takes by its first bytes for UTF-16 or UTF-32, which lines are never in.
ONE_LINE = [name for name in ONE_LINE if json.detect_encoding(CASES[name]) == "utf-8"]


def read(data, size=None, **keywords):
    """The records of all chunks of `size` bytes, or of the data in one piece."""
    chunks = [data[begin : begin + size] for begin in range(0, len(data), size)] if size else [data]
    return list(lines.read(chunks, **keywords))


def ways(data, **keywords):
    """How lines can be read, each as a function without arguments."""
    yield lambda: lines.loads(data, **keywords)
    yield lambda: lines.loads(bytearray(data), **keywords)
    yield lambda: list(lines.read(data, **keywords))
    for size in (None, 1, 2, 3, 7, 64):
        yield lambda size=size: read(data, size, **keywords)


def check_same(data, record, **keywords):
    """The one line in `data` gives what loads() gives for `record`."""
    wanted = call(ocior.loads, record, **keywords)
    for way in ways(data, **keywords):
        got = call(way)
        if wanted.error is None:
            assert got.error is None, (data, got.error)
            assert facts(got.value) == facts([wanted.value])
        else:
            assert type(got.error) is ocior.RecordError, (data, got)
            if isinstance(wanted.error, json.JSONDecodeError):
                assert (got.error.msg, got.error.pos) == (wanted.error.msg, wanted.error.pos)
                assert got.error.__cause__ is None
            else:
                assert type(got.error.__cause__) is type(wanted.error)


@pytest.mark.parametrize("name", ONE_LINE)
def test_the_suite(name):
    document = CASES[name]
    if len(document) > 10_000:
        return check_deep(document)
    check_same(document, document)
    check_same(document + b"\n", document)
    check_same(b"\n \n" + document + b"\r\n\n", document + b"\r")
    return None


def check_deep(document):
    for data in (document, document + b"\n", b"1\n" + document + b"\n2\n"):
        got = lines.loads(data, on_error="skip")
        assert got == [1, 2][: 2 * data.startswith(b"1")]
        assert read(data, 4096, on_error="skip") == got


ROWS = {
    "nothing": (b"", []),
    "a newline": (b"\n", []),
    "white space": (b" \t\r\n \r\n ", []),
    "no newline at the end": (b"1\n2", [1, 2]),
    "CRLF": (b'{"a":1}\r\n[2]\r\n\r\n3\r\n', [{"a": 1}, [2], 3]),
    "blank lines": (b"\n\n1\n  \n\t\n2\n\n", [1, 2]),
    "white space around": (b"  1 \n\t[2]\t\n\r3\r\n", [1, [2], 3]),
    "a lone carriage return": (b"[1,\r2]\r\n", [[1, 2]]),
    "a mark": (MARK + b"1\n", [1]),
    "a mark alone": (MARK, []),
    "a mark and a newline": (MARK + b"\n1\n", [1]),
    "U+2028": ('["\u2028\u2029\x85"]\n1\n'.encode(), [["\u2028\u2029\x85"], 1]),
    "escaped newline": (b'"a\\nb"\n"\\u000a"\n', ["a\nb", "\n"]),
    "scalars": (b'1\n"a"\ntrue\nfalse\nnull\n-0.5e1\nNaN\n', None),
    "quotes and backslashes": (b'"\\""\n"\\\\"\n"\\\\\\""\n', ['"', "\\", '\\"']),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name):
    data, wanted = ROWS[name]
    if wanted is None:
        wanted = [json.loads(line) for line in data.splitlines()]
    for way in ways(data):
        assert facts(way()) == facts(fresh(wanted))
    text = data.decode()
    assert facts(lines.loads(text)) == facts(fresh(wanted))
    assert facts(list(lines.read([text[i : i + 1] for i in range(len(text))]))) == facts(fresh(wanted))


BAD_ROWS = {
    # data: records that are left, (msg, lineno, colno, pos, offset, record) of the first bad one
    "two on a line": (b'{"a":1} {"a":2}\n3\n', [3], ("Extra data", 1, 9, 8, 0, 0)),
    "over two lines": (b'{"a":\n1}\n2\n', [2], ("Expecting value", 1, 6, 5, 0, 0)),
    "NUL behind": (b"1\n2\x00\n3\n", [1, 3], ("Extra data", 2, 2, 1, 2, 1)),
    "NUL alone": (b"\x00\n3\n", [3], ("Expecting value", 1, 1, 0, 0, 0)),
    "NUL inside": (b"[1,\x002]\n3\n", [3], ("Expecting value", 1, 4, 3, 0, 0)),
    "a second mark": (MARK + MARK + b"1\n2\n", [2], ("Expecting value", 1, 1, 0, 3, 0)),
    "a mark on the second line": (b"1\n" + MARK + b"2\n3\n", [1, 3], ("Expecting value", 2, 1, 0, 2, 1)),
    "an open string": (b'1\n["abc\n2\n"]\n3\n', [1, 2, 3], ("Unterminated string starting at", 2, 2, 1, 2, 1)),
    "an open array": (b"1\n[2,\n3\n", [1, 3], ("Expecting value", 2, 4, 3, 2, 1)),
    "an open object": (b'{"a":1,\n"b":2}\n3\n', [3], None),
    "a carriage return between": (b"1\r2\n3\n", [3], ("Extra data", 1, 3, 2, 0, 0)),
    "behind a backslash": (b'"abc\\\n"\n3\n', [3], None),
    "comma": (b"1,\n2,\n3\n", [3], ("Extra data", 1, 2, 1, 0, 0)),
    "UTF-8 cut": (b'"\xe4\xb8\n"\xe4\xb8\xad"\n', ["\u4e2d"], None),
    "torn": (b'1\n{"a": [1, "b', [1], ("Unterminated string starting at", 2, 11, 10, 2, 1)),
    "torn number": (b"1\n-", [1], ("Expecting value", 2, 1, 0, 2, 1)),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows(name):
    data, wanted, place = BAD_ROWS[name]
    for way in ways(data, on_error="skip"):
        assert way() == wanted
    for way in ways(data, on_error="skip", strict=False):
        assert way() == wanted
    for way in ways(data):
        error = call(way).error
        assert type(error) is ocior.RecordError
        if place:
            assert (error.msg, error.lineno, error.colno, error.pos, error.offset, error.record) == place


OPTIONS = {
    "strict": ({"strict": False}, b'"a\tb"\n["\x01"]\n', ["a\tb", ["\x01"]]),
    "fields, one": ({"fields": "/a"}, b'{"a": 1}\n{"b": 2}\n', [1, None]),
    "fields, some": ({"fields": ("/a", "/b/0"), "default": 7}, b'{"a": 1, "b": [2]}\n{"b": {}}\n[]\n', [(1, 2), (7, 7), (7, 7)]),
    "fields, the last of equal keys": ({"fields": "/a"}, b'{"a": 1, "a": 2}\n', [2]),
    "fields, unchecked": ({"fields": "/a", "check": False}, b'{"a": 1, "a": 2, x\n{"a": 3}\n', [1, 3]),
    "fields, the whole record": ({"fields": ""}, b"[1]\n2\n", [[1], 2]),
    "fields, none": ({"fields": ()}, b"[1]\n2\n", [(), ()]),
    "type": ({"type": int}, b"1\n2\n", [1, 2]),
    "type, lists": ({"type": "list[int]"}, b"[1]\n[]\n", [[1], []]),
    "object_hook": ({"object_hook": len}, b'{"a": {}}\n[{}]\n', [1, [0]]),
    "object_pairs_hook": ({"object_pairs_hook": list}, b'{"a": 1}\n', [[("a", 1)]]),
    "parse_int": ({"parse_int": str}, b"1\n[2]\n", ["1", ["2"]]),
    "parse_float": ({"parse_float": str}, b"1.50\n", ["1.50"]),
    "parse_constant": ({"parse_constant": str}, b"NaN\n", ["NaN"]),
    "cls": ({"cls": json.JSONDecoder}, b'{"a": 1}\n2\n', [{"a": 1}, 2]),
    "cls with hooks": ({"cls": json.JSONDecoder, "parse_int": str}, b'{"a": 1}\n', [{"a": "1"}]),
    "fields with hooks": ({"fields": "/a", "parse_int": str}, b'{"a": 1}\n', ["1"]),
    "policies": ({"duplicate_keys": "first", "big_integers": "str"}, b'{"a": 1, "a": 2}\n18446744073709551616\n', None),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    keywords, data, wanted = OPTIONS[name]
    if wanted is None:
        wanted = [ocior.loads(line, **keywords) for line in data.splitlines()]
    if keywords.get("type") == "list[int]":
        keywords = {"type": list[int]}
    for way in ways(data, **keywords):
        assert facts(way()) == facts(fresh(wanted))


WRONG = {
    "unknown": ({"nope": 1}, TypeError, "nope"),
    "at": ({"at": "/a"}, TypeError, "at"),
    "on_error": ({"on_error": "ignore"}, ValueError, "on_error"),
    "tail": ({"tail": "skip"}, ValueError, "tail"),
    "max_record": ({"max_record": -1}, ValueError, "max_record"),
    "fields and type": ({"fields": "/a", "type": int}, TypeError, "fields"),
    "fields and cls": ({"fields": "/a", "cls": json.JSONDecoder}, TypeError, "fields"),
    "type and a hook": ({"type": int, "object_hook": len}, TypeError, "object_hook"),
    "no pointer": ({"fields": "a"}, ValueError, "a"),
    "no field": ({"fields": 1}, TypeError, "int"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_keywords(name):
    keywords, kind, word = WRONG[name]
    for function in (lambda: lines.loads(b"", **keywords), lambda: lines.read(b"", **keywords), lambda: lines.read([], **keywords)):
        with pytest.raises(kind, match=word):
            function()


@pytest.mark.parametrize("data", [1, None, [b"1"], object()])
def test_what_is_no_data(data):
    with pytest.raises(TypeError):
        lines.loads(data)


@pytest.mark.parametrize("chunk", [b"", bytearray(), memoryview(b""), ""])
def test_empty_chunks(chunk):
    assert list(lines.read([chunk])) == []
    assert list(lines.read([chunk, b"1\n", chunk, b"2", chunk, b"3\n", chunk])) == [1, 23]
    assert lines.loads(chunk) == []


def test_str_with_surrogates():
    assert lines.loads('"\ud800"\n"\U0001f600"\n') == ["\ud800", "\U0001f600"]
    assert list(lines.read(['"\ud800"', "\n1"])) == ["\ud800", 1]


def random_value(rng, depth=0):
    kind = rng.randrange(9 if depth < 4 else 6)
    if kind < 2:
        return rng.choice([None, True, False, 0, -1, 1.5, 10**19, -(2**63), 1e300])
    if kind < 6:
        alphabet = rng.choice(['a"\\\n', "\u4e2d\U0001f600\xe9 ", "[]{},:\x1e\u2028", "ab"])
        return "".join(rng.choice(alphabet) for _ in range(rng.choice([0, 1, 7, 31, 70])))
    if kind == 6:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {f"k{rng.randrange(9)}": random_value(rng, depth + 1) for _ in range(rng.randrange(5))}


def random_cuts(rng, data):
    most, chunks, place = rng.choice([1, 3, 40, 5000]), [], 0
    while place < len(data):
        size = rng.randrange(most + 1)
        chunks.append(data[place : place + size])
        place += size
    return chunks


@pytest.mark.parametrize("seed", range(30))
def test_random_records_and_chunks(seed):
    rng = random.Random(seed)
    values = [random_value(rng) for _ in range(60)]
    texts = [json.dumps(value, ensure_ascii=rng.random() < 0.5).encode() for value in values]
    data = b"".join(text + rng.choice([b"\n", b"\r\n", b"\n\n", b" \n\t\n"]) for text in texts)
    wanted = facts([ocior.loads(text) for text in texts])
    assert facts(lines.loads(data)) == wanted
    for _ in range(4):
        assert facts(list(lines.read(random_cuts(rng, data)))) == wanted


@pytest.mark.parametrize("seed", range(30))
def test_random_damage(seed):
    """Each line that loads() takes is there; each that it refuses is told by its line, offset and message."""
    rng = random.Random(seed)
    data = bytearray(b"\n".join(json.dumps(random_value(rng)).encode() for _ in range(40)))
    for _ in range(30):
        data[rng.randrange(len(data))] = rng.choice(b'"\\\n[]{},: 1x\x00\xff')
    good, bad, offset = [], [], 0
    for number, line in enumerate(bytes(data).split(b"\n")):
        if line.strip(b" \t\r"):
            first = len(line) - len(line.lstrip(b" \t\r"))
            text = line[first:]
            outcome = call(ocior.loads, text if json.detect_encoding(text) == "utf-8" else text.decode("latin-1"))
            if outcome.error is None:
                good.append(outcome.value)
            else:
                bad.append((number + 1, offset + first, getattr(outcome.error, "msg", None)))
        offset += len(line) + 1
    for chunks in (bytes(data), [bytes(data)], random_cuts(rng, bytes(data))):
        errors = []
        reader = lines.read(chunks, on_error=errors.append)
        assert facts(list(reader)) == facts(fresh(good))
        assert [(error.lineno, error.offset) for error in errors] == [place[:2] for place in bad]
        assert all(wanted[2] in (None, error.msg) for wanted, error in zip(bad, errors))
        assert (reader.skipped, reader.offset, reader.lineno) == (len(bad), len(data), data.count(b"\n"))


@pytest.mark.parametrize(
    "tail", [b"1", b"-", b"12.5", b"tru", b"true", b'"abc"', b'"abc', b"[1,2]", b"[1,", b'{"a"', b"\xe4", b"{}\n", b"1\r"]
)
@pytest.mark.skipif("OCIOR_SANITIZED" in os.environ, reason="a sanitizer takes the wall for a mistake")
def test_last_lines_at_a_pages_end(tail):
    pages = GuardedPages()
    for count in range(80):
        data = b"10\n" * count + tail
        view = pages.place(data)
        wanted = call(lines.loads, data + b"\n" * (tail[-1:] != b"\n") if count % 2 else data)
        got = call(lines.loads, view)
        assert got.value == wanted.value and getattr(got.error, "pos", None) == getattr(wanted.error, "pos", None)
        got = call(list, lines.read([view]))
        assert (got.value if got.error is None else None) == wanted.value
        view.release()
