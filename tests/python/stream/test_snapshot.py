"""snapshot(): the value so far, after every prefix of documents, against a slow reader in Python; and what it must leave alone."""

import json
import random

import pytest
from feed_oracles import random_text, slow_snapshot
from jsontestsuite_cases import CASES
from support import call, facts, fresh, some

import ocior
from ocior import lines

VALID = {name: data for name, data in CASES.items() if name[0] == "y" and len(data) < 300}
DOCUMENTS = {
    "numbers": b'[0, -1, 12, 1.5, -0.25e-3, 1E5, 12345678901234567890, 0.1, {"a": -0}]',
    "words": b"[true, false, null, NaN, Infinity, -Infinity]",
    "strings": '["", "a", "\u00e9", "\u4e2d\u6587", "\U0001f600\U0010ffff", "x\u4e2d"]'.encode(),
    "escapes": b'["\\"", "\\\\", "a\\nb\\u00e9c\\u4E2Dd", "\\\\\\"\\\\", "\\/\\b\\f\\r\\t"]',
    "pairs of surrogates": b'["\\uD83D\\uDE00", "x\\ud83d\\ude00y", "\\\\\\uD83D\\uDE00"]',
    "halves of pairs": b'["\\uD83D", "\\uD83Dx", "\\uD83D\\n", "\\uDE00", "\\uD83D\\uD83D\\uDE00", "\\uD83D\\u0041"]',
    "backslashes that look like halves": b'["\\\\uD83D", "\\\\\\\\uD83D", "\\\\\\uD83D"]',
    "halves of pairs in UTF-8": '["\ud83d", "\ud83d\ude00"]'.encode("utf-8", "surrogatepass"),
    "keys": '{"": 1, "a": 2, "\u4e2d": 3, "\\uD83D\\uDE00": 4, "\\"": {"\\\\": 5}}'.encode(),
    "nests": b'{"a": {"b": [1, [2, [3, {"c": {}}], []], {}], "d": {}}, "e": [[], [[]], {"f": {"g": "h"}}]}',
    "equal keys": b'{"a": 1, "b": 2, "a": [3], "a": {"c": 4, "c": 5}}',
    "white space": b' \t\r\n{ \n "a" \t:\r [ 1 , 2 ] , "b" : { } }  ',
    "a string": b'"a\\u4e2d\xe4\xb8\xadz"',
    "a number": b"-12.5",
    "a word": b"true",
    "all in one": json.dumps(
        {"user": {"name": "Ann\u00e9 \U0001f600", "tags": ["x", "y\n"], "age": 42.5, "ok": True, "no": None}}
    ).encode(),
    "brackets in strings": b'["[{", "]}", {"}": "]"}, "\\"]"]',
}
FEEDS = {"lines": lines.Feed, "values": ocior.Feed}


def check_prefixes(data, make=ocior.Feed, sizes=(1, 3, 16)):
    for strings in (True, False):
        feed = make()
        for place in range(len(data)):
            if feed.push(data[place : place + 1]):
                assert feed.snapshot() is None
                break
            assert facts(feed.snapshot(strings=strings)) == facts(slow_snapshot(data[: place + 1], strings)), (data[: place + 1], strings)
        for place in some(range(len(data)), 5):  # the first snapshot of a value of which much has come
            feed = make()
            if not feed.push(data[:place]):
                assert facts(feed.snapshot(strings=strings)) == facts(slow_snapshot(data[:place], strings)), (data[:place], strings)
    for size in sizes:
        feed, given = make(), []
        for place in range(0, len(data), size):
            given += feed.push(data[place : place + size])
            if not given:
                assert facts(feed.snapshot()) == facts(slow_snapshot(data[: place + size])), (data[: place + size], size)
        assert facts(given + feed.close()) == facts([json.loads(data)]), data


@pytest.mark.parametrize("kind", FEEDS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_prefix(name, kind):
    data = DOCUMENTS[name]
    check_prefixes(data.replace(b"\n", b" ") if kind == "lines" else data, FEEDS[kind])


@pytest.mark.parametrize("name", VALID)
def test_suite(name):
    check_prefixes(VALID[name])


@pytest.mark.parametrize("seed", some(range(20), 4))
def test_random_documents(seed):
    source = random.Random(seed)
    for _ in range(20):
        check_prefixes(random_text(source, 3).encode(), sizes=(source.randint(1, 20),))


# What jiter gives for partial_mode=True is our strings=False, and "trailing-strings" is strings=True, but that no number counts before its end
# is seen, nor a key before its value begins.
ROWS = [
    (b"", None, None),
    (b" ", None, None),
    (b"[", [], []),
    (b"{", {}, {}),
    (b"[1", [], []),
    (b"[1,", [1], [1]),
    (b"[1 ", [1], [1]),
    (b"[-", [], []),
    (b"[-1e", [], []),
    (b"[tru", [], []),
    (b"[true", [], []),
    (b"[true,", [True], [True]),
    (b"[nul", [], []),
    (b'["', [""], []),
    (b'["a', ["a"], []),
    (b'["a"', ["a"], ["a"]),
    (b'["a\\', ["a"], []),
    (b'["a\\u', ["a"], []),
    (b'["a\\u00', ["a"], []),
    (b'["a\\u00e9', ["a\u00e9"], []),
    (b'["\\ud83d', [""], []),
    (b'["\\ud83d\\', [""], []),
    (b'["\\ud83d\\ude0', [""], []),
    (b'["\\ud83d\\ude00', ["\U0001f600"], []),
    (b'["\\ud83d\\n', ["\ud83d\n"], []),
    (b'["\\ud83dx', ["\ud83dx"], []),
    (b'["\xf0\x9f\x98', [""], []),
    (b'["\xf0\x9f\x98\x80', ["\U0001f600"], []),
    (b'["\xe4', [""], []),
    (b'{"', {}, {}),
    (b'{"a', {}, {}),
    (b'{"a"', {}, {}),
    (b'{"a":', {}, {}),
    (b'{"a":1', {}, {}),
    (b'{"a":1,', {"a": 1}, {"a": 1}),
    (b'{"a":"', {"a": ""}, {}),
    (b'{"a":[', {"a": []}, {"a": []}),
    (b'{"a":{"b":"c', {"a": {"b": "c"}}, {"a": {}}),
    (b'{"a":1,"a":"x', {"a": "x"}, {"a": 1}),
    (b'{"a":1,"b', {"a": 1}, {"a": 1}),
    (b'["a",{"b":[1,2', ["a", {"b": [1]}], ["a", {"b": [1]}]),
    (b'"ab', "ab", None),
    (b"12", None, None),
    (b"tru", None, None),
]


@pytest.mark.parametrize("data, with_strings, without", ROWS, ids=[repr(row[0])[2:-1] or "nothing" for row in ROWS])
def test_rows(data, with_strings, without):
    for make in (ocior.Feed, lines.Feed):
        feed = make()
        assert feed.push(data) == []
        for _ in range(2):
            assert facts(feed.snapshot()) == facts(fresh(with_strings))
            assert facts(feed.snapshot(strings=False)) == facts(fresh(without))
            assert facts(feed.snapshot(False)) == facts(fresh(without))


MISTAKES = [
    b"[1 2",
    b"[1,,",
    b"[,",
    b"{,",
    b"[1,]x",
    b'{"a":1,}x',
    b'{"a":1,]',
    b"{1",
    b'{"a" 1',
    b'{"a"]',
    b'{"a"::',
    b'{"a":}x',
    b'{"a":1]',
    b"[1}",
    b'[1, {"b": [2, x ',
    b"[tru,",
    b"[01,",
    b"[1.,",
    b"[1e,",
    b"[-,",
    b"[+1,",
    b"['a',",
    b'["\\x',
    b'["\\u12x4',
    b'["a\\u12"',
    b'["a\x01',
    b'["\x00',
    b'[1, "a\tb", ',
    b"[\x00,",
]


IN_STRINGS = [b'["\\x', b'["\\u12x4', b'["a\x01', b'["\x00']  # which are open: only looked into where they count


def told(error):
    return type(error), error.msg, error.pos, error.doc, error.lineno, error.offset, error.record


@pytest.mark.parametrize("data", MISTAKES, ids=repr)
@pytest.mark.parametrize("before", [b"", b"[0]\n  "])
def test_mistakes(data, before):
    """A mistake that has come is told in the words of loads, at its place in what has come. It changes nothing of what the feed does later."""
    wanted = call(ocior.loads, data.decode()).error
    end = b" \n"
    plain, feed = lines.Feed(), lines.Feed()
    plain.push(before + data)
    feed.push(before + data)
    for strings in (True, False, True):
        error = call(feed.snapshot, strings).error
        if not strings and data in IN_STRINGS:
            assert error is None
            continue
        assert type(error) is ocior.RecordError
        assert (error.msg, error.pos, error.doc) == (wanted.msg, wanted.pos, data.decode())
        assert (error.lineno, error.offset, error.record) == (1 + before.count(b"\n"), len(before), before.count(b"\n"))
        assert feed.push(b"") == []
    errors = [call(one.push, end).error for one in (feed, plain)]
    assert told(errors[0]) == told(errors[1])


@pytest.mark.parametrize("data", MISTAKES, ids=repr)
def test_mistakes_byte_by_byte(data):
    """With a snapshot after each byte, a mistake is told at the same place, and again whenever it is asked for."""
    wanted = call(ocior.loads, data.decode()).error
    feed = lines.Feed()
    error = None
    for place in range(len(data)):
        assert feed.push(data[place : place + 1]) == []
        before, error = error, call(feed.snapshot).error
        if error:
            assert place >= wanted.pos
            assert (error.pos, error.doc) == (wanted.pos, data[: place + 1].decode())
        else:
            assert before is None
    assert error.msg == wanted.msg


@pytest.mark.parametrize("half", ["\u00e9", "\u4e2d", "\U0001f600"])
def test_a_mistake_before_half_a_character(half):
    for cut in range(1, len(half.encode())):
        error = call(snapshot_of, b'[1 2, "' + half.encode()[:cut]).error
        assert type(error) is ocior.RecordError
        assert (error.msg, error.pos) == ("Expecting ',' delimiter", 3)


BAD_UTF8 = [b'["a\xc0\xaf', b'["a", "\xe4x', b'{"\xff":', b'["\xff", ', b'["\xffa']


@pytest.mark.parametrize("data", BAD_UTF8, ids=repr)
def test_bad_utf8(data):
    feed = lines.Feed()
    feed.push(data)
    errors = call(feed.snapshot).error, call(feed.push, b"\n").error
    for error in errors:
        assert type(error) is ocior.RecordError
        assert error.msg.startswith("Invalid UTF-8")
        assert type(error.__cause__) is UnicodeDecodeError
    assert errors[0].pos == errors[1].pos


def test_between_records():
    feed = ocior.Feed()
    assert feed.snapshot() is None
    assert feed.push(b"[1] ") == [[1]]
    assert feed.snapshot() is None
    assert feed.push(b'{"a": [2, ') == []
    assert feed.snapshot() == {"a": [2]}
    assert feed.push(b'3]} {"b": ') == [{"a": [2, 3]}]
    assert feed.snapshot() == {}
    assert feed.push(b'"x') == []
    assert feed.snapshot() == {"b": "x"}
    assert feed.push(b'"}\x1e[') == [{"b": "x"}]
    assert feed.snapshot() == []
    with pytest.raises(ocior.RecordError):
        feed.close()
    assert feed.snapshot() is None
    feed = lines.Feed()
    assert feed.push(b"\xef\xbb") == []
    assert feed.snapshot() is None
    assert feed.push(b"\xbf\n\n  [1") == []
    assert feed.snapshot() == []
    assert feed.push(b", 2]") == []
    assert feed.snapshot() == [1, 2]
    assert feed.push(b"\n[") == [[1, 2]]
    assert feed.snapshot() == []
    assert feed.push(b"]\n12") == [[]]
    assert feed.snapshot() is None
    assert feed.push(b"\r") == []
    assert feed.snapshot() == 12
    assert feed.close() == [12]
    assert feed.snapshot() is None


def test_identity():
    """What is complete is the same object in each snapshot; what is open is new, and the caller's to change."""
    feed = ocior.Feed()
    feed.push('{"done": {"a": [1, 2]}, "text": "\u4e2d", "open": [[3], {"b": ')
    first, second = feed.snapshot(), feed.snapshot()
    assert first == second == {"done": {"a": [1, 2]}, "text": "\u4e2d", "open": [[3], {}]}
    assert first["done"] is second["done"]
    assert first["text"] is second["text"]
    assert first["open"][0] is second["open"][0]
    assert first is not second
    assert first["open"] is not second["open"]
    assert first["open"][1] is not second["open"][1]
    first["open"][1]["x"] = 1
    first["open"].clear()
    first.clear()
    del second["open"][1]
    feed.push(b'4}], "c')
    third = feed.snapshot()
    assert third == {"done": {"a": [1, 2]}, "text": "\u4e2d", "open": [[3], {"b": 4}]}
    assert third["open"] is feed.snapshot()["open"]
    third["open"].append(5)  # is complete, and thus in later snapshots, too; but not in the value
    assert feed.snapshot()["open"] == [[3], {"b": 4}, 5]
    assert feed.push(b'": 0}') == [{"done": {"a": [1, 2]}, "text": "\u4e2d", "open": [[3], {"b": 4}], "c": 0}]


def snapshot_of(data, **options):
    feed = ocior.Feed(**options)
    feed.push(data)
    return feed.snapshot()


def raiser(*arguments):
    raise ZeroDivisionError


class Point:
    def __init__(self, x: int) -> None:
        self.x = x


HOOKS = [
    {"object_hook": raiser},
    {"object_pairs_hook": raiser},
    {"array_hook": raiser},
    {"parse_int": raiser},
    {"parse_float": raiser},
    {"parse_constant": raiser},
    {"type": int},
    {"type": list[dict[str, str]]},
    {"fields": "/x"},
    {"fields": ("/0/a", "/1"), "default": 7},
    {"cls": json.JSONDecoder},
]


@pytest.mark.parametrize("options", HOOKS, ids=str)
def test_hooks_and_types_do_not_count(options):
    assert snapshot_of(b'[{"a": [1, 2.5, NaN], "b": {}}, ', **options) == [
        {"a": [1, 2.5, pytest.approx(float("nan"), nan_ok=True)], "b": {}}
    ]


POLICIES = [
    ({"duplicate_keys": "first"}, b'[{"a": 1, "a": 2, "b": {"c": 3, "c": [4]}}]'),
    ({"duplicate_keys": "last"}, b'[{"a": 1, "a": 2, "b": {"c": 3, "c": [4]}}]'),
    ({"surrogates": "replace"}, b'["\\ud800", "\\udc00x", {"\\ud800": "\\ud83d\\ude00"}]'),
    ({"surrogates": "keep"}, b'["\\ud800", "\\udc00x", {"\\ud800": "\\ud83d\\ude00"}]'),
    ({"big_integers": "float"}, b"[18446744073709551616, 1, -9223372036854775809]"),
    ({"big_integers": "str", "integer_bits": 53}, b"[9007199254740993, 1]"),
    ({"non_finite": "null"}, b"[NaN, 1, -Infinity]"),
    ({"non_finite": "constant"}, b"[Infinity, 1, -Infinity]"),
    ({"strict": False}, b'["a\tb", {"\x01": 1}]'),
    ({}, b"[" + b"9" * 400 + b", 1e400, -1e400, 0." + b"3" * 400 + b"]"),
]


@pytest.mark.parametrize("options, data", POLICIES, ids=[str(options) for options, _ in POLICIES])
def test_policies_count(options, data):
    """What is complete in a snapshot is what the value will hold."""
    if call(ocior.loads, data, **options).error is not None:
        with pytest.raises(ValueError):
            ocior.Feed(**options)
        return
    wanted = ocior.loads(data, **options)
    assert facts(snapshot_of(data[:-1] + b" ", **options)) == facts(fresh(wanted))
    feed, given = ocior.Feed(**options), []
    for place in range(len(data)):
        given += feed.push(data[place : place + 1])
        feed.snapshot()
    assert facts(given) == facts(fresh([wanted]))


REFUSED = [
    ({"non_finite": "error"}, b"[1, NaN, "),
    ({"duplicate_keys": "error"}, b'[{"a": 1, "a": '),
    ({"surrogates": "error"}, b'["\\ud800", '),
    ({"big_integers": "error"}, b"[18446744073709551616, "),
    ({"max_depth": 2}, b"[[["),
    ({"max_depth": 2}, b'{"a": [{'),
]


@pytest.mark.parametrize("options, data", REFUSED, ids=[str(options) for options, _ in REFUSED])
def test_policies_refuse(options, data):
    feed = ocior.Feed(**options)
    feed.push(data)
    closing = data.rstrip(b", ") + (b"0" if data.endswith(b": ") else b"") + (b"}]" if b"{" in data else b"]]]")
    wanted = call(ocior.loads, closing.decode(), **options).error
    assert wanted is not None
    for _ in range(2):
        error = call(feed.snapshot).error
        assert type(error) is ocior.RecordError
        assert error.msg == getattr(wanted, "msg", str(wanted))
        assert error.pos == getattr(wanted, "pos", 0)


def test_depth():
    feed = ocior.Feed()
    feed.push(b"[" * 900)
    value, depth = feed.snapshot(), 0
    while value:
        (value,), depth = value, depth + 1
    assert depth == 899
    limit = 65_536  # the most
    feed = ocior.Feed(max_depth=limit)
    feed.push(b'[{"a":' * (limit // 2))
    value, depth = feed.snapshot(), 0
    while value:
        value, depth = value[0] if type(value) is list else value["a"], depth + 1
    assert depth == limit - 1
    feed.push(b"[")
    assert isinstance(call(feed.snapshot).error.__cause__, RecursionError)
    feed = ocior.Feed()
    feed.push(b"[" * 1_000_000)
    for _ in range(3):
        assert isinstance(call(feed.snapshot).error.__cause__, RecursionError)


@pytest.mark.parametrize("character", ["x", "\u00e9", "\u4e2d", "\U0001f600", "\\n", "\\u4e2d", "\\\\"], ids=ascii)
def test_a_long_string(character):
    text = character * 1_000_000
    feed = ocior.Feed()
    feed.push(b'{"key": "')
    feed.push(text)
    wanted = json.loads(f'"{text}"')
    assert feed.snapshot() == {"key": wanted}
    feed.push(b"\\ud83d")
    assert feed.snapshot() == {"key": wanted}
    assert feed.snapshot(strings=False) == {}
    assert feed.push(b'\\ude00"}') == [{"key": wanted + "\U0001f600"}]


@pytest.mark.parametrize("arguments, keywords", [((1, 2), {}), ((), {"string": True}), ((True,), {"strings": True})], ids=str)
def test_wrong_arguments(arguments, keywords):
    with pytest.raises(TypeError):
        ocior.Feed().snapshot(*arguments, **keywords)
