"""Feeds and their snapshots under attack: time and memory in proportion to the text, allocations that fail, and nothing that leaks."""

import gc
import importlib.util
import json
import sys
import tracemalloc

import pytest
from growth import check_growth
from support import HAS_GIL, call, check_python

import ocior
from ocior import lines

FEEDS = pytest.mark.parametrize("make", [lines.Feed, ocior.Feed], ids=["lines", "values"])


def by_chunks(make, size, with_snapshots=False, **options):
    """A function that feeds a text by chunks of that size."""

    def feed_text(text):
        feed = make(on_error="skip", **options)
        push, snapshot = feed.push, feed.snapshot
        for place in range(0, len(text), size):
            push(text[place : place + size])
            if with_snapshots:
                snapshot(strings=False)
        feed.close()

    return feed_text


def json_by_chunks(text):
    """json's work for as many chunks: what the interpreter itself takes for them is in it."""
    for place in range(len(text)):
        text[place : place + 1]  # noqa: B018
    json.loads(text)


def one_list(unit):
    return lambda count: b"[" + b",".join([unit] * count) + b"]"


# A text of so many units.
TEXTS = {
    "lines": lambda count: b'{"a": 1}\n' * count,
    "a list": one_list(b"12"),
    "a list of objects": one_list(b'{"a":"b"}'),
    "a string": lambda count: b'"' + b"abcd" * count + b'"',
    "backslashes": lambda count: b'"' + b"\\\\" * count + b'"',
    "escapes": lambda count: b'"' + b"\\ud83d\\ude00" * count + b'"',
    "a key": lambda count: b'{"' + b"abcd" * count + b'":1}',
    "digits": lambda count: b"[0." + b"1234" * count + b"]",
    "spaces": lambda count: b"[" + b"    " * count + b"]",
    "spaces before": lambda count: b"    " * count + b"1",
    "blank lines": lambda count: b"\n\r\n" * count + b"1",
    "words": lambda count: b"true " * count,
    "half a word": lambda count: b"trut" * count,
    "separators": lambda count: b"\x1e" * count,
    "brackets": lambda count: b"[" * count,
    "closing brackets": lambda count: b"]" * count,
    "mistakes": lambda count: b"[x]\n" * (count // 20),
}


@FEEDS
@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize("name", TEXTS)
def test_time(name, size, make):
    make_text = TEXTS[name]
    gc.disable()  # its full collections are the interpreter's own growth
    try:
        check_growth(by_chunks(make, size), json_by_chunks_if_valid, make_text(500), make_text(64_000))
    finally:
        gc.enable()


def json_by_chunks_if_valid(text):
    call(json_by_chunks, text)


@pytest.mark.parametrize("name", ["lines", "a string", "backslashes", "escapes", "a key", "digits", "spaces", "words", "half a word"])
def test_time_of_snapshots(name):
    """Without strings, and where no container grows, a snapshot after each chunk reads each token once."""
    make_text = TEXTS[name]
    gc.disable()
    try:
        ours = by_chunks(ocior.Feed, 16, True, max_depth=8)
        check_growth(ours, json_by_chunks_if_valid, make_text(500), make_text(64_000))
    finally:
        gc.enable()


def test_one_big_chunk_after_small_ones():
    """What is moved when the block grows is in proportion to what comes."""
    feed = ocior.Feed()
    feed.push(b'["')
    for _ in range(20_000):
        feed.push(b"x" * 100)
    assert len(feed.push(b'"]')[0][0]) == 2_000_000


def peak_of(work):
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@FEEDS
def test_memory(make):
    """A feed keeps the record that has begun, and nothing of those before it."""

    def work(count):
        feed = make()
        for _ in range(count):
            feed.push(b'{"a": "' + b"x" * 100)
            feed.snapshot()
            feed.push(b'"}\n')
        feed.close()

    work(10)
    few, many = peak_of(lambda: work(100)), peak_of(lambda: work(5000))
    assert many < few + 20_000


def test_a_feed_lets_go_of_a_record():
    """What snapshots have shared is let go of when the record is whole."""
    feed = ocior.Feed()
    feed.push(b'[["a string of some length", 1234567], ')
    shared = feed.snapshot()[0]
    before = sys.getrefcount(shared)
    assert feed.push(b"2]") == [[["a string of some length", 1234567], 2]]
    assert sys.getrefcount(shared) == before - 1


# What a feed of 100 MB is given, a MB at a time, which stays below the sizes that are asked for.
LARGE_TEXTS = {
    "records": (b'{"a": "' + b"x" * 990 + b'"}\n', {}, 102_400),
    "one record": (b"x" * 1000, {"max_record": 1000, "on_error": "skip"}, 0),
    "one record of escapes": (b"\\\\" * 500, {"max_record": 5_000_000, "on_error": "skip"}, 0),
    "bad records": (b'{"a": "' + b"x" * 990 + b'"]\n', {"on_error": "skip"}, 0),
}


@FEEDS
@pytest.mark.skipif(importlib.util.find_spec("resource") is None, reason="needs the module resource")
@pytest.mark.parametrize("name", LARGE_TEXTS)
def test_memory_of_the_process(name, make):
    """100 MB pass through a feed that keeps a few: the record that has begun, the chunk, and what has been given."""
    piece, options, count = LARGE_TEXTS[name]
    check_python(
        """
        import sys, resource, ocior, ocior.lines
        piece, options, count = eval(sys.argv[2])
        feed = (ocior.Feed if sys.argv[1] == "Feed" else ocior.lines.Feed)(**options)
        chunk, given = piece * 1024, 0
        if count == 0 and not piece.startswith(b"{"):
            feed.push(b'["')
        feed.push(chunk)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(99):
            given += len(feed.push(chunk))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * (1 if sys.platform == "darwin" else 1024)
        assert grown < 30_000_000, grown
        assert given == count * 99 // 100, given
        """,
        "Feed" if make is ocior.Feed else "lines.Feed",
        repr((piece, options, count)),
    )


# What is called, and the options of the feed.
JOBS = {
    "push": ("feed.push(raw), feed.push(b'\\n'), feed.close()", "{}"),
    "chunks": ("[feed.push(raw[place : place + 7]) for place in range(0, len(raw), 7)], feed.close()", "{}"),
    "str chunks": ("feed.push(wide), feed.push(wide[:9]), feed.push(wide[9:]), feed.close()", "{}"),
    "buffers": ("feed.push(bytearray(raw)), feed.push(memoryview(raw)), feed.close()", "{}"),
    "snapshot": (
        "feed.push(raw[:-3]), feed.snapshot(), feed.push(b'x'), feed.snapshot(), feed.snapshot(False), feed.close()",
        "{'tail': 'drop'}",
    ),
    "snapshots": ("[(feed.push(raw[place : place + 30]), feed.snapshot()) for place in range(0, len(raw), 30)], feed.close()", "{}"),
    "mistake": ("feed.push(b'1 \\n[x] \\n2 '), feed.push(b'')", "{}"),
    "mistake of a snapshot": ("feed.push(b'[1, [2}, '), feed.snapshot()", "{}"),
    "skip": ("feed.push(b'1\\n[x]\\n2\\n'), feed.push(b'')", "{'on_error': 'skip'}"),
    "call": ("feed.push(b'1\\n[x]\\n2\\n'), feed.push(b'')", "{'on_error': str}"),
    "hooks": ("feed.push(raw), feed.push(b'')", "{'object_hook': len, 'parse_int': str}"),
    "fields": ("feed.push(raw), feed.push(b'')", "{'fields': ('/0/id', '/1/name')}"),
    "policies": ("feed.push(raw), feed.push(b'')", "{'duplicate_keys': 'first', 'surrogates': 'replace', 'big_integers': 'str'}"),
    "too long": ("feed.push(raw), feed.push(b'')", "{'max_record': 20, 'on_error': 'skip'}"),
}


@FEEDS
@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.parametrize("name", JOBS)
def test_every_allocation_may_fail(name, make):
    """Let the n-th allocation fail (and then all from the n-th on), for every n until the call succeeds."""
    check_python(
        r"""
        import sys, json, ocior, ocior.lines
        from failing import fail_each_allocation
        from ocior._stream import errors
        records = [{"id": 1, "name": "\u4e2d\u6587" * 3, "n": [1.5, 2, None]}, {"id": 2, "name": "x" * 100}, "\\"]
        wide = json.dumps(records, ensure_ascii=False) + "\n"
        raw = wide.encode()
        feed_of = ocior.Feed if sys.argv[2] == "Feed" else ocior.lines.Feed
        job = eval("lambda feed: (" + sys.argv[1] + ")")
        options = eval(sys.argv[3])
        mistakes = (ValueError, TypeError)
        try:
            expected = job(feed_of(**options))
        except mistakes:
            expected = None
        fail_each_allocation(lambda: job(feed_of(**options)), mistakes, expected)
        for _ in range(3):
            try:
                assert job(feed_of(**options)) == expected or expected is None
            except mistakes:
                assert expected is None
    """,
        JOBS[name][0],
        "Feed" if make is ocior.Feed else "lines.Feed",
        JOBS[name][1],
    )


class Key(str):
    pass


def raiser(*arguments):
    raise LookupError


def use(make, chunks, at_end=True, **options):
    feed = make(**options)
    for chunk in chunks:
        call(feed.push, chunk)
        call(feed.snapshot)
        call(feed.snapshot, False)
    if at_end:
        call(feed.close)


LEAKS = {
    "values": ([b'[1, {"a": "\xe4\xb8', b'\xad"}, [2.5]]\n'], {}),
    "left open": ([b'[1, {"a": ["x", {"b": "y'], {}),
    "str": (['["\u4e2d', '"]\n'], {}),
    "mistake": ([b"1 [x] ", b"2", b"3"], {}),
    "mistake of a snapshot": ([b'{"a": [1, {"b": 2 x'], {}),
    "skip": ([b"1\n[x]\n2\n"], {"on_error": "skip"}),
    "call": ([b"1\n[x]\n2\n"], {"on_error": str}),
    "call that raises": ([b"1\n[x]\n2\n"], {"on_error": raiser}),
    "hook": ([b'{"a": {}}\n'], {"object_hook": lambda value: [value]}),
    "hook that raises": ([b'1\n{"a": {}}\n', b"2"], {"object_hook": raiser}),
    "fields": ([b'{"a": {"b": 1}}\n'], {"fields": ("/a/b", "/c")}),
    "type": ([b'{"a": 1}\n', b'"x"\n'], {"type": dict}),
    "equal keys": ([b'{"a": [], "a": [1], "b": "x', b'"}\n'], {"duplicate_keys": "first"}),
    "equal keys refused": ([b'{"a": [], "a": [1], "b": "x', b'"}\n'], {"duplicate_keys": "error"}),
    "no chunk": ([None, memoryview(b"1234")[::2], b"[1]\n"], {}),
    "no option": ([], {"tail": "drop"}),
    "too long": ([b"[1, 2, 3, 4", b", 5]\n"], {"max_record": 4, "on_error": "skip"}),
    "deep": ([b"[[[[[", b"[" * 100], {"max_depth": 3}),
}


@pytest.mark.skipif(not HAS_GIL, reason="blocks of other threads' heaps count")
@FEEDS
@pytest.mark.parametrize("at_end", [True, False], ids=["closed", "dropped"])
@pytest.mark.parametrize("name", LEAKS)
def test_leaks(name, at_end, make):
    chunks, options = LEAKS[name]

    def blocks_after(count):
        for _ in range(count):
            use(make, chunks, at_end, **options)
        gc.collect()
        return sys.getallocatedblocks()

    blocks_after(50)
    grown = [blocks_after(200) for _ in range(3)]
    assert grown[2] - grown[0] < 100, grown
