"""ocior.Feed and lines.Feed: chunks of each kind, the end, mistakes, options, hooks that come back, and threads."""

import array
import gc
import json
import pickle
import sys
import weakref

import pytest
from support import call, facts, fresh
from threads import together

import ocior
from ocior import lines

FEEDS = pytest.mark.parametrize("make", [lines.Feed, ocior.Feed], ids=["lines", "values"])
SEVERAL = [{"a": [1, "\u4e2d"]}, "\U0001f600", [2.5], {}]
TEXT = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in SEVERAL)


class Bytes(bytes):
    pass


class Str(str):
    def encode(self, *arguments):
        raise ZeroDivisionError


CHUNKS = {
    "bytes": lambda text: text.encode(),
    "bytes subclass": lambda text: Bytes(text.encode()),
    "bytearray": lambda text: bytearray(text.encode()),
    "memoryview": lambda text: memoryview(text.encode()),
    "part of a buffer": lambda text: memoryview(b'"x' + text.encode() + b'"[{')[2:-3],
    "array": lambda text: array.array("B", text.encode()),
    "array of words": lambda text: array.array("H", text.encode() + b" " * (len(text.encode()) % 2)),
    "str": lambda text: text,
    "str subclass": Str,
}


@FEEDS
@pytest.mark.parametrize("kind", CHUNKS)
def test_kinds_of_chunks(kind, make):
    feed = make()
    assert facts(feed.push(CHUNKS[kind](TEXT))) == facts(fresh(SEVERAL))
    assert feed.close() == []
    if kind != "array of words":
        feed = make()
        assert facts([value for char in TEXT for value in feed.push(CHUNKS[kind](char))]) == facts(fresh(SEVERAL))


@FEEDS
def test_buffers_are_free_again(make):
    """The caller may overwrite, resize and release a buffer as soon as push has returned."""
    feed, buffer, given = make(), bytearray(7), []
    data = TEXT.encode() * 50
    for place in range(0, len(data), 7):
        part = data[place : place + 7]
        buffer[: len(part)] = part
        with memoryview(buffer)[: len(part)] as view:
            given += feed.push(view)
        buffer[:] = b"\xff" * 7
    assert given == SEVERAL * 50
    feed = make()
    assert feed.push(buffer) == []
    buffer += b"more"


WRONG = [None, 7, 1.5, [b"1"], ["1"], (), object(), b"1".__class__]


@FEEDS
@pytest.mark.parametrize("chunk", WRONG, ids=repr)
def test_no_chunks(chunk, make):
    feed = make()
    assert feed.push(b'{"a": ') == []
    with pytest.raises(TypeError, match="chunk must be bytes-like or str"):
        feed.push(chunk)
    assert feed.push(b"1}\n") == [{"a": 1}]


@FEEDS
def test_chunks_that_cannot_be_read(make):
    feed = make()
    feed.push(b"[1")
    with pytest.raises(BufferError):
        feed.push(memoryview(b"2x3x")[::2])
    released = memoryview(b"4")
    released.release()
    with pytest.raises(ValueError):
        feed.push(released)
    for arguments in ((), (b"1", b"2")):
        with pytest.raises(TypeError):
            feed.push(*arguments)
    assert feed.push(b"]\n") == [[1]]


@FEEDS
def test_empty_chunks(make):
    feed = make()
    for chunk in (b"", "", bytearray(), memoryview(b"")):
        assert feed.push(chunk) == []
        assert feed.snapshot() is None
    assert [feed.push(chunk) for chunk in (b"[1", b"", "", b", 2]", b"\n", b"")].count([[1, 2]]) == 1
    assert feed.close() == []
    assert make().close() == []
    feed = make()
    feed.push(b"")
    assert feed.close() == []


@FEEDS
def test_the_end(make):
    feed = make()
    assert feed.push(b"[1]\n 12") == [[1]]
    assert feed.close() == [12]
    for _ in range(2):
        assert feed.close() == []
        assert feed.snapshot() is None
        assert (feed.skipped, feed.dropped) == (0, 0)
        for chunk in (b"1\n", b"", None):
            with pytest.raises(ValueError, match="closed"):
                feed.push(chunk)


TORN = [b"[1", b'{"a": "x', b'"\\ud83d\\', b"tru", b"-", b"1e", b"\xe4\xb8", b'"\xe4\xb8', b"{"]


@FEEDS
@pytest.mark.parametrize("end", TORN, ids=repr)
def test_a_torn_end(end, make):
    feed = make()
    assert feed.push(b"[0]\n" + end) == [[0]]
    with pytest.raises(ocior.RecordError) as caught:
        feed.close()
    assert (caught.value.offset, caught.value.lineno, caught.value.record) == (4, 2, 1)
    assert feed.close() == []
    feed = make(tail="drop")
    assert feed.push(b"[0]\n" + end) == [[0]]
    assert feed.close() == []
    assert (feed.dropped, feed.skipped) == (len(end), 0)
    feed = make(on_error="skip")
    assert feed.push(b"[0]\n" + end) == [[0]]
    assert feed.close() == []
    assert (feed.dropped, feed.skipped) == (0, 1)


@FEEDS
def test_a_mistake_behind_values(make):
    """The values before it are given, and the next call raises, whichever it is. Then the feed has ended."""
    for late in (lambda feed: feed.push(b"4\n"), lambda feed: feed.push(b""), lambda feed: feed.close(), lambda feed: feed.snapshot()):
        feed = make()
        assert feed.push(b"1\n[2]\n[x]\n3\n") == [1, [2]]
        with pytest.raises(ocior.RecordError) as caught:
            late(feed)
        error = caught.value
        assert (error.msg, error.pos, error.doc) == ("Expecting value", 1, "[x]")
        assert (error.lineno, error.colno, error.offset, error.record, error.source) == (3, 2, 6, 2, None)
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
        with pytest.raises(ValueError, match="ended with an error"):
            feed.push(b"4\n")
        assert feed.snapshot() is None
        assert feed.close() == []


PLACES = [
    (b"x\n", 1, 0, 0, 0),
    (b"1\n\n\nx\n", 4, 4, 1, 0),
    (b"\xef\xbb\xbfx\n", 1, 3, 0, 0),
    (b"\xef\xbb\xbf1\r\n  [1,\t}\r\n", 2, 8, 1, 4),
    ('"\u4e2d\u6587"\n["\u4e2d", x]\n'.encode(), 2, 9, 1, 6),
    (b"1\n2\n3\n" * 100 + b"[" + b"1," * 500 + b"x]\n", 301, 600, 300, 1001),
]


@FEEDS
@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("data, line, offset, record, pos", PLACES, ids=[repr(row[0][:20]) for row in PLACES])
def test_places(data, line, offset, record, pos, size, make):
    feed = make()
    with pytest.raises(ocior.RecordError) as caught:
        for place in range(0, len(data), size):
            feed.push(data[place : place + size])
        feed.close()
    error = caught.value
    assert (error.lineno, error.offset, error.record, error.pos, error.colno) == (line, offset, record, pos, pos + 1)


MIXED = b'1\n[x]\n{"a": 2}\nnul\n"\xff"\n[3]\n[4'


@FEEDS
@pytest.mark.parametrize("size", [1, 5, 100])
def test_skip(size, make):
    feed, given = make(on_error="skip"), []
    for place in range(0, len(MIXED), size):
        given += feed.push(MIXED[place : place + size])
    assert given + feed.close() == [1, {"a": 2}, [3]]
    assert (feed.skipped, feed.dropped) == (4, 0)


@FEEDS
@pytest.mark.parametrize("size", [1, 5, 100])
def test_call(size, make):
    errors = []
    feed, given = make(on_error=errors.append, tail="drop"), []
    for place in range(0, len(MIXED), size):
        given += feed.push(MIXED[place : place + size])
    assert given + feed.close() == [1, {"a": 2}, [3]]
    assert (feed.skipped, feed.dropped) == (3, 2)
    assert all(type(error) is ocior.RecordError for error in errors)
    assert [(error.record, error.lineno, error.offset) for error in errors] == [(1, 2, 2), (3, 4, 15), (4, 5, 19)]


@FEEDS
def test_a_call_that_raises(make):
    def refuse(error):
        raise LookupError(error.record)

    feed = make(on_error=refuse)
    assert feed.push(b"1\nx\n2\n") == [1]
    with pytest.raises(LookupError, match="1"):
        feed.push(b"")
    with pytest.raises(ValueError):
        feed.push(b"")


@FEEDS
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_max_record(size, make):
    data = b"[1]\n" + b'"' + b"x" * 8 + b'"\n' + b'"' + b"y" * 9 + b'"\n' + b"[2]\n" + b"[" + b" " * 10_000 + b"]\n[3]\n"
    errors, given = [], []
    feed = make(max_record=10, on_error=errors.append)
    for place in range(0, len(data), size):
        given += feed.push(data[place : place + size])
    assert given + feed.close() == [[1], "xxxxxxxx", [2], [3]]
    assert feed.skipped == 2
    assert [(error.record, error.lineno, error.offset) for error in errors] == [(2, 3, 15), (4, 5, 31)]
    assert all("max_record" in error.msg for error in errors)


LONG_RECORDS = [
    (b"[1,2,3,4,5,6,7] 8 9\n10 ", [8, 9, 10]),
    (b'{\n "a": [\n1,\n2,\n3\n]\n}\n4 ', [4]),
    (b'"a string with \\" and ] in it"5 ', [5]),
    (b"12345678901234567890[6]", [[6]]),
    (b"[1, 2, 3, 4, 5\x1e7 ", [7]),
    (b'["an open string\x1e[8]', [[8]]),
]


@pytest.mark.parametrize("size", [1, 4, 100])
@pytest.mark.parametrize("data, values", LONG_RECORDS, ids=[repr(row[0][:20]) for row in LONG_RECORDS])
def test_values_that_are_too_long(data, values, size):
    """However they are cut, they are passed over up to their end, whatever stands in them."""
    feed, given = ocior.Feed(max_record=10, on_error="skip"), []
    for place in range(0, len(data), size):
        given += feed.push(data[place : place + size])
        assert feed.snapshot() is None or place + size < len(data)
    assert given + feed.close() == values
    assert feed.skipped == 1


OPTIONS = [
    ({"object_hook": lambda value: sorted(value)}, b'{"b": {}, "a": 1}', ["a", "b"]),
    ({"object_pairs_hook": list}, b'{"b": 1, "a": 1}', [("b", 1), ("a", 1)]),
    ({"array_hook": tuple}, b"[1, [2]]", (1, (2,))),
    ({"parse_int": str}, b"[12, 3]", ["12", "3"]),
    ({"parse_float": str}, b"[1.50]", ["1.50"]),
    ({"parse_constant": str}, b"[NaN]", ["NaN"]),
    ({"duplicate_keys": "first"}, b'{"a": 1, "a": 2}', {"a": 1}),
    ({"surrogates": "replace"}, b'["\\ud800"]', ["\ufffd"]),
    ({"big_integers": "float"}, b"[18446744073709551616]", [2.0**64]),
    ({"non_finite": "null"}, b"[NaN]", [None]),
    ({"strict": False}, b'["a\tb"]', ["a\tb"]),
    ({"fields": "/a/1"}, b'{"a": [1, {"b": 2}]}', {"b": 2}),
    ({"fields": ("/a", "/x"), "default": 7}, b'{"a": [1]}', ([1], 7)),
    ({"fields": "/a", "check": False}, b'{"a": [1]}', [1]),
    ({"type": list[int]}, b"[1, 2]", [1, 2]),
    ({"type": dict[str, float]}, b'{"a": 1}', {"a": 1.0}),
    ({"cls": json.JSONDecoder}, b"[1]", [1]),
]


@FEEDS
@pytest.mark.parametrize("options, data, value", OPTIONS, ids=[str(list(row[0])) for row in OPTIONS])
def test_options(options, data, value, make):
    for size in (1, 4, 1000):
        feed, given, text = make(**options), [], data + b"\n" + data
        for place in range(0, len(text), size):
            given += feed.push(text[place : place + size])
        assert facts(given + feed.close()) == facts(fresh([value, value]))


REFUSED = [
    ({"non_finite": "error"}, b"[NaN]"),
    ({"duplicate_keys": "error"}, b'{"a": 1, "a": 2}'),
    ({"surrogates": "error"}, b'["\\ud800"]'),
    ({"big_integers": "error"}, b"[18446744073709551616]"),
    ({"max_depth": 2}, b"[[[]]]"),
    ({"type": list[int]}, b'[1, "2"]'),
    ({}, b"[" * 100_000 + b"]" * 100_000),
    ({}, b"[1\x00]"),
]


@FEEDS
@pytest.mark.parametrize("options, data", REFUSED, ids=[str(row[0]) + repr(row[1][:12]) for row in REFUSED])
def test_what_options_refuse(options, data, make):
    feed = make(on_error="skip", **options)
    assert feed.push(b"\n" + data + b"\n") == []
    assert feed.skipped == 1
    feed = make(**options)
    with pytest.raises(ocior.RecordError):
        feed.push(data + b"\n")


# What the first bytes of a document say of its encoding; a record is UTF-8.
OTHER_ENCODINGS = [b"1\x00", b"\x001", b"[\x00]\x00", b"\xef\xbb\xbf2", "[1]".encode("utf-16"), "[1]".encode("utf-32-le")]
WAYS = [{}, {"type": int}, {"fields": ""}, {"array_hook": list}, {"fields": "", "array_hook": list}, {"cls": json.JSONDecoder}]


@FEEDS
@pytest.mark.parametrize("options", WAYS, ids=str)
@pytest.mark.parametrize("data", OTHER_ENCODINGS, ids=repr)
def test_other_encodings(data, options, make):
    feed = make(**options)
    with pytest.raises(ocior.RecordError) as caught:
        assert feed.push(b"3\n" + data + b"\n") == [3]
        feed.close()
    assert caught.value.doc == data.decode("utf-8", "replace") or make is ocior.Feed


WRONG_OPTIONS = [
    ({"at": "/a"}, TypeError),
    ({"nothing": 1}, TypeError),
    ({"on_error": "ignore"}, ValueError),
    ({"on_error": 7}, ValueError),
    ({"tail": "keep"}, ValueError),
    ({"max_record": -1}, ValueError),
    ({"max_record": "7"}, ValueError),
    ({"fields": 7}, TypeError),
    ({"fields": "a"}, ValueError),
    ({"type": int, "fields": ""}, TypeError),
    ({"type": int, "object_hook": len}, TypeError),
    ({"strict": None, "duplicate_keys": "none"}, ValueError),
]


@FEEDS
@pytest.mark.parametrize("options, error", WRONG_OPTIONS, ids=str)
def test_wrong_options(options, error, make):
    for _ in range(2):
        assert isinstance(call(make, **options).error, error)
    assert isinstance(call(make, b"1").error, TypeError)


@FEEDS
@pytest.mark.parametrize("act", ["push", "close", "snapshot", "skipped", "dropped"])
@pytest.mark.parametrize("option", ["object_hook", "on_error"])
def test_reentrancy(option, act, make):
    """Code that a feed calls cannot use it: a RuntimeError, and no thread waits for itself."""
    caught = []

    def come_back(argument):
        outcome = call(lambda: getattr(feed, act)(*[b"5\n"][: act == "push"]) if act[0] != "s" and act != "dropped" else read())
        caught.append(outcome.error)
        return argument

    read = lambda: feed.snapshot() if act == "snapshot" else getattr(feed, act)
    feed = make(**{option: come_back})
    assert feed.push(b'{"a": 1}\n[x]\n'[: None if option == "on_error" else 9]) in ([{"a": 1}], [])
    assert [type(error) for error in caught] == [RuntimeError]
    assert feed.push(b"7\n") == [7]


@FEEDS
def test_a_hook_that_raises(make):
    """Its exception passes; the record is gone, and no other, nor any chunk."""

    def hook(value):
        if value.get("bad"):
            raise LookupError
        return value

    good, bad = b'{"a": 1}\n', b'{"bad": 1}\n'
    feed = make(object_hook=hook)
    with pytest.raises(LookupError):
        feed.push(bad + good)
    assert feed.push(b"") == [{"a": 1}]
    assert feed.push(good + bad + b"2\n") == [{"a": 1}]
    with pytest.raises(LookupError):
        feed.push(b"3\n4")
    assert feed.push(b"5\n") == [2, 3, 45]
    assert feed.close() == []


@FEEDS
def test_threads(make):
    """Threads that share a feed get each value once."""
    feed, given = make(), [[] for _ in range(6)]

    def work(number):
        for count in range(300):
            given[number] += feed.push(b'{"thread": %d, "count": %d, "text": "%s"}\n' % (number, count, b"x" * (count % 50)))
            if feed.skipped:
                raise AssertionError
            feed.snapshot()

    together(work)
    assert sorted((one["thread"], one["count"]) for part in given for one in part) == [(n, m) for n in range(6) for m in range(300)]


@FEEDS
def test_garbage_is_found(make):
    class Hook:
        def __call__(self, value):
            return value

    def build(shares):
        hook = Hook()
        feed = make(object_hook=hook)
        feed.push(b'[[1], "')
        if shares:
            feed.snapshot()[0].append(feed)  # tied by what a snapshot shares
        else:
            hook.feed = feed
        return weakref.ref(hook)

    for shares in (False, True):
        reference = build(shares)
        gc.collect()
        assert reference() is None


@FEEDS
def test_what_garbage_has_given(make):
    """A list that a feed has given is the caller's, also when the feed goes with a cycle."""

    class Hook:
        def __call__(self, value):
            return value

    hook = Hook()
    hook.feed = make(object_hook=hook)
    given = [hook.feed.push(chunk) for chunk in (b"[", b"1", b"", b"2")]
    for number, one in enumerate(given):
        assert one == []
        one.append(number)
    reference = weakref.ref(hook)
    del hook
    first, second, third, fourth = given
    del given
    gc.collect()
    assert reference() is None
    assert (first, second, third, fourth) == ([0], [1], [2], [3])


def test_names():
    for make, module in ((lines.Feed, "ocior.lines"), (ocior.Feed, "ocior")):
        assert (make.__module__, make.__qualname__) == (module, "Feed")
        assert make.__doc__.startswith("Reads JSON")
        assert isinstance(make(), make)
        assert getattr(sys.modules[module], "Feed") is make
