"""The items of one array or object in a document, and what is wrong with it."""

import json
import random

import pytest
from jsontestsuite_cases import CASES
from support import call, facts, fresh

import ocior

DOCUMENT = {
    "a": [1, {"b": [2, "x]", {}]}, [[3], []]],
    "": {"": [0]},
    "m~n": {"s/t": [4]},
    "\u4e2d\U0001f600": {'q"\\': [5, 6]},
    "n": 7,
    "empty": [],
    "none": {},
    "ob": {"k": 1, "\u00e9": [2], "z\n": {"y": None}},
}


def chunked(data, size):
    return [data[begin : begin + size] for begin in range(0, len(data), size)] if size else [data]


def items(data, at="", size=None, **keywords):
    return list(ocior.items(chunked(data, size), at, **keywords))


def wanted_of(value):
    return list(value.items()) if isinstance(value, dict) else list(value)


FOUND = {
    "": DOCUMENT,
    "/a": DOCUMENT["a"],
    "/a/1": DOCUMENT["a"][1],
    "/a/1/b": DOCUMENT["a"][1]["b"],
    "/a/1/b/2": {},
    "/a/2": DOCUMENT["a"][2],
    "/a/2/0": [3],
    "/a/2/1": [],
    "/": {"": [0]},
    "//": [0],
    "/m~0n/s~1t": [4],
    '/\u4e2d\U0001f600/q"\\': [5, 6],
    "/empty": [],
    "/none": {},
    "/ob": DOCUMENT["ob"],
    "/ob/z\n": {"y": None},
}


@pytest.mark.parametrize("at", FOUND)
@pytest.mark.parametrize("keywords", [{}, {"ensure_ascii": False}, {"indent": 1}, {"separators": (",", ":")}], ids=str)
def test_found(at, keywords):
    data = json.dumps(DOCUMENT, **keywords).encode()
    for size in (None, 1, 2, 3, 5, 64):
        assert facts(items(data, at, size)) == facts(wanted_of(FOUND[at]))
        assert facts(items(b" \r\n" + data, at, size)) == facts(wanted_of(FOUND[at]))
        assert facts(items(b"\xef\xbb\xbf" + data, at, size)) == facts(wanted_of(FOUND[at]))
    assert facts(list(ocior.items(data, at))) == facts(wanted_of(FOUND[at]))
    assert facts(items(data, at, parse_int=str)) == facts(wanted_of(json.loads(json.dumps(FOUND[at]), parse_int=str)))


NOWHERE = [
    "/b",
    "/a/3",
    "/a/01",
    "/a/-",
    "/a/-1",
    "/a/1/c",
    "/a/0",
    "/n",
    "/n/0",
    "/ob/k/x",
    "/A",
    "/a/",
    "/empty/0",
    "/none/a",
    "/a/1/b/1",
    "/m~0n/s",
]


@pytest.mark.parametrize("at", NOWHERE)
def test_nowhere(at):
    data = json.dumps(DOCUMENT).encode()
    for size in (None, 1, 7):
        with pytest.raises(ocior.PointerError) as caught:
            items(data, at, size)
        assert caught.value.pointer == at and isinstance(caught.value, LookupError)


@pytest.mark.parametrize("document", [b"1", b'"a"', b"null", b"-1.5", b"NaN"])
def test_documents_without_items(document):
    for size in (None, 1):
        with pytest.raises(ocior.PointerError):
            items(document, "", size)


@pytest.mark.parametrize("at", ["a", "a/b", "/~", "/~2", "/a~"])
def test_no_pointers(at):
    with pytest.raises(ValueError):
        ocior.items(b"[]", at)
    with pytest.raises(TypeError):
        ocior.items(b"[]", 1)


ESCAPED = {
    b'{"a\\u0062\\ud83d\\ude00": [1]}': "/ab\U0001f600",
    b'{"\\/": [1]}': "/~1",
    b'{"\\"\\\\": [1]}': '/"\\',
    b'{"\\u00e9": [1]}': "/\xe9",
    '{"\u4e2d\\n": [1]}'.encode(): "/\u4e2d\n",
    b'{"\\ud800": [1]}': "/\ud800",
    b'{"ab": 0, "a": 0, "abc": [0], "a\\u0062c": [2], "abcd": [1]}': "/abcd",
}


@pytest.mark.parametrize("document", ESCAPED)
def test_escaped_keys(document):
    for size in (None, 1, 2):
        assert items(document, ESCAPED[document], size) == [1]


def test_the_first_of_equal_keys_counts():
    assert items(b'{"a": [1], "a": [2]}', "/a") == [1]
    with pytest.raises(ocior.PointerError):
        items(b'{"a": 1, "a": [2]}', "/a")


def test_pairs_with_equal_keys():
    assert items(b'{"a": 1, "a": 2}') == [("a", 1), ("a", 2)]


def test_reading_ends_where_the_items_do():
    read = []

    def chunks():
        for chunk in (b'{"a": [1, 2', b", 3]", b', "b": x', b"never"):
            read.append(chunk)
            yield chunk

    assert list(ocior.items(chunks(), "/a")) == [1, 2, 3]
    assert len(read) == 2


# document, pointer: items before the mistake; message; what the record at `offset` has at `pos`.
MISTAKES = {
    (b"", ""): ([], "Expecting value", 0),
    (b" ", ""): ([], "Expecting value", 1),
    (b"\xef\xbb\xbf", ""): ([], "Expecting value", 3),
    (b"xyz", ""): ([], "Expecting value", 0),
    (b"[", ""): ([], "Expecting value", 1),
    (b"[1", ""): ([], "Expecting ',' delimiter", 2),
    (b"[1 ", ""): ([1], "Expecting ',' delimiter", 3),
    (b"[1,", ""): ([1], "Expecting value", 3),
    (b"[1, 12", ""): ([1], "Expecting ',' delimiter", 6),
    (b"[1, tru", ""): ([1], "Expecting value", 4),
    (b"[1, true", ""): ([1], "Expecting ',' delimiter", 8),
    (b'[1, "a', ""): ([1], "Unterminated string starting at", 4),
    (b"[1, [2", ""): ([1], "Expecting ',' delimiter", 6),
    (b"[1 2]", ""): ([1], "Expecting ',' delimiter", 3),
    (b"[1}", ""): ([1], "Expecting ',' delimiter", 2),
    (b"[1,,2]", ""): ([1], "Expecting value", 3),
    (b"[,1]", ""): ([], "Expecting value", 1),
    (b"[1:2]", ""): ([1], "Expecting ',' delimiter", 2),
    (b"{", ""): ([], "Expecting property name enclosed in double quotes", 1),
    (b'{"a', ""): ([], "Unterminated string starting at", 1),
    (b'{"a"', ""): ([], "Expecting ':' delimiter", 4),
    (b'{"a":', ""): ([], "Expecting value", 5),
    (b'{"a": 12', ""): ([], "Expecting ',' delimiter", 8),
    (b'{"a": 1,', ""): ([("a", 1)], "Expecting property name enclosed in double quotes", 8),
    (b'{"a" 1}', ""): ([], "Expecting ':' delimiter", 5),
    (b"{1: 2}", ""): ([], "Expecting property name enclosed in double quotes", 1),
    (b'{"a": }', ""): ([], "Expecting value", 6),
    (b'{"a": 1]', ""): ([("a", 1)], "Expecting ',' delimiter", 7),
    (b'{"k\\x": 1}', ""): ([], "Invalid \\escape", 3),
    (b'{"k\x01": 1}', ""): ([], "Invalid control character at", 3),
    (b'{"x\\y": 1, "r": [1]}', "/r"): ([], "Invalid \\escape", 3),
    (b'{"x\x01": 1, "r": [1]}', "/r"): ([], "Invalid control character at", 3),
    (b'{"x": [1, y], "r": [1]}', "/r"): ([], "Expecting value", 10),
    (b'{"x": 1y, "r": [1]}', "/r"): ([], "Expecting ',' delimiter", 7),
    (b'{"x": "\x01", "r": [1]}', "/r"): ([], "Invalid control character at", 7),
    (b'{"x" 1, "r": [1]}', "/r"): ([], "Expecting ':' delimiter", 5),
    (b'{"x": 1 "r": [1]}', "/r"): ([], "Expecting ',' delimiter", 8),
    (b'{"x": [1, {"y": ', "/r"): ([], "Expecting value", 16),
    (b"[1 " + "x\u00e9".encode() + "\u00e9".encode() * 100, ""): ([1], "Expecting ',' delimiter", 3),
    (b"[1 " + "\u4e2d".encode() * 100, ""): ([1], "Expecting ',' delimiter", 3),
}


@pytest.mark.parametrize(("document", "at"), MISTAKES, ids=lambda value: repr(value)[:40])
def test_mistakes(document, at):
    found, message, place = MISTAKES[document, at]
    for size in (None, 1, 2, 3):
        reader, got = ocior.items(chunked(document, size), at), []
        with pytest.raises(ocior.RecordError) as caught:
            got.extend(reader)
        error = caught.value
        assert (got, error.msg) == (found, message), size
        assert error.offset + len(error.doc[: error.pos].encode()) == place, size
        assert error.record == len(found)
        assert list(reader) == []  # it has ended


@pytest.mark.parametrize("document", [b"[1,]", b'{"a": 1,}', b'{"r": [1,]}', b'{"x": [1,], "r": [1]}'])
def test_trailing_commas(document):
    """As loads() says, whose words are those of the version of Python."""
    theirs = call(ocior.loads, document).error
    at = "/r" if b"r" in document else ""
    for size in (None, 1):
        error = call(items, document, at, size).error
        assert error.msg == theirs.msg
        assert error.offset + error.pos == theirs.pos


SKIPPED = {
    (b'[1, x, 2, {"a": y}, "\\z", 3]', ""): ([1, 2, 3], 3),
    (b'{"a": 1, "b": tru, "c": 2}', ""): ([("a", 1), ("c", 2)], 1),
    (b'{"a\\x": 1, "b": 2}', ""): ([("b", 2)], 1),
    (b'{"a": {"b": [1, 1x, 2]}}', "/a/b"): ([1, 2], 1),
    (b'["\xff", 1, [[1}, 2], 3]', ""): ([1, 3], 2),
}


@pytest.mark.parametrize(("document", "at"), SKIPPED, ids=repr)
def test_skipped_items(document, at):
    good, skipped = SKIPPED[document, at]
    for size in (None, 1, 3):
        reader = ocior.items(chunked(document, size), at, on_error="skip")
        assert (list(reader), reader.skipped) == (good, skipped)
        errors = []
        assert items(document, at, size, on_error=errors.append) == good
        assert len(errors) == skipped


def test_between_items_nothing_can_be_skipped():
    errors = []
    for how in ("skip", errors.append):
        reader, got = ocior.items(b"[1, x 2, 3]", on_error=how), []
        with pytest.raises(ocior.RecordError):
            got.extend(reader)
        assert (got, reader.skipped) == ([1], 1)
    assert len(errors) == 1


TORN = {
    b"[1, 2": [1],
    b"[1, 2 ": [1, 2],
    b"[1, [2": [1],
    b'[1, "a': [1],
    b"[1, tru": [1],
    b"[1": [],
    b'{"a": 1, "b': [("a", 1)],
    b'{"a": 1, "b": 2': [("a", 1)],
    b"[1,": [1],
}


@pytest.mark.parametrize("document", TORN)
def test_torn_ends(document):
    for size in (None, 1):
        reader = ocior.items(chunked(document, size), tail="drop")
        assert list(reader) == TORN[document]
        assert list(reader) == []


def test_places():
    document = b'{"rows":\n [\n  1,\n  {"a":\n   x},\n  2\n ]}'
    for size in (None, 1, 2, 9):
        errors = []
        assert items(document, "/rows", size, on_error=errors.append) == [1, 2]
        (error,) = errors
        assert (error.lineno, error.colno, error.pos, error.offset, error.record) == (5, 4, 9, document.index(b'{"a"'), 1)
        errors = []
        assert items(b'{\n"a": 1,\n"b\\x":\n\n2}', "", size, on_error=errors.append) == [("a", 1)]
        (error,) = errors
        assert (error.lineno, error.colno, error.pos, error.offset, error.record) == (3, 3, 2, 10, 1)


OPTIONS = {
    "strict, skipped": ({"strict": False, "at": "/r"}, b'{"x\t": "a\nb", "r": ["a\tb"]}', ["a\tb"]),
    "strict, pairs": ({"strict": False}, b'{"k\t": 1}', [("k\t", 1)]),
    "surrogates of keys": ({"surrogates": "replace"}, b'{"k\\ud800": "\\ud800"}', [("k\ufffd", "\ufffd")]),
    "fields": ({"fields": ("/a", "/b")}, b'[{"a": 1}, {"b": 2, "a": 3}]', [(1, None), (3, 2)]),
    "fields of pairs": ({"fields": "/a", "default": 0}, b'{"x": {"a": 1}, "y": {}}', [("x", 1), ("y", 0)]),
    "unchecked fields": ({"fields": "/a", "check": False}, b'[{"a": 1, x}, {"a": 2}]', [1, 2]),
    "type": ({"type": int}, b"[1, 2]", [1, 2]),
    "type of pairs": ({"type": int}, b'{"a": 1}', [("a", 1)]),
    "hooks of pairs": ({"object_hook": len, "parse_int": str}, b'{"a": {"b": 1}, "c": 2}', [("a", 1), ("c", "2")]),
    "cls": ({"cls": json.JSONDecoder}, b'[{"a": 1}, 2]', [{"a": 1}, 2]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    keywords, document, wanted = OPTIONS[name]
    for size in (None, 1, 4):
        assert items(document, size=size, **keywords) == wanted


def test_surrogates_refused():
    with pytest.raises(ocior.RecordError):
        items(b'{"k\\ud800": 1}', surrogates="error")


def test_depth():
    deep = b"[" * 200_000 + b"]" * 200_000
    assert items(b"[" + deep + b", 1]", on_error="skip", max_depth=100) == [1]
    with pytest.raises(ocior.RecordError):
        items(b'{"x": ' + deep + b', "r": [1]}', "/r", max_depth=100)


@pytest.mark.parametrize("name", [name for name in CASES if name[0] == "y" and CASES[name].lstrip()[:1] in (b"[", b"{")])
def test_the_suite(name):
    value = ocior.loads(CASES[name])
    for size in (None, 1, 3):
        got = items(CASES[name], "", size)
        assert facts(dict(got) if isinstance(value, dict) else got) == facts(fresh(value))


@pytest.mark.parametrize("name", [name for name in CASES if name[0] == "n" and len(CASES[name]) < 1000])
def test_the_refused_suite(name):
    """What loads() refuses is refused, unless it is wrong behind the items, which are all that is read."""
    outcome = call(ocior.loads, CASES[name])
    if outcome.error is not None and getattr(outcome.error, "msg", "") != "Extra data":
        for size in (None, 1):
            assert isinstance(call(items, CASES[name], "", size).error, (ocior.RecordError, ocior.PointerError))


@pytest.mark.parametrize("seed", range(20))
def test_random_documents(seed):
    rng = random.Random(seed)

    def value(depth):
        kind = rng.randrange(5 if depth < 4 else 3)
        if kind < 3:
            return rng.choice([1, "a", None, 'x"]}', "\\", 2.5, "\u4e2d", ""])
        many = rng.randrange(4)
        if kind == 3:
            return [value(depth + 1) for _ in range(many)]
        return {rng.choice(['k"', "\u4e2d", "a/b", "~", "", "0"]) + str(i): value(depth + 1) for i in range(many)}

    document = [value(0) for _ in range(12)]
    data = json.dumps(document, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1])).encode()

    def check(value, at):
        if isinstance(value, (list, dict)):
            assert facts(items(data, at, rng.choice([None, 1, 3, 17]))) == facts(fresh(wanted_of(value)))
        else:
            with pytest.raises(ocior.PointerError):
                items(data, at)
        for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
            check(item, f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}")

    check(document, "")
