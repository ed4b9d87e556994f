"""Records made to hurt: time in proportion to what comes, memory in proportion to a record, no file left open, no allocation that may not
fail, nothing lost."""

import gc
import importlib.util
import sys
import weakref

import pytest
from growth import LARGE, SMALL, check_growth
from stream_sources import needs_proc, open_file_count
from support import HAS_GIL, check_python

import ocior
from ocior import lines


def times(text):
    return lambda count: text * count


# What is read: a function of the number of units that gives the input, and a function of the input.
GROWING = {
    "bad lines": (times(b"x\n"), lambda data: lines.loads(data, on_error="skip")),
    "bad lines, told": (times(b"x\n"), lambda data: lines.loads(data, on_error=lambda error: error.lineno)),
    "open arrays": (times(b"[\n"), lambda data: lines.loads(data, on_error="skip")),
    "open arrays with items": (times(b"[1,\n"), lambda data: lines.loads(data, on_error="skip")),
    "open objects": (times(b'{"a":\n'), lambda data: lines.loads(data, on_error="skip")),
    "open objects, read": (times(b'{"a":\n'), lambda data: list(lines.read(data, on_error="skip"))),
    "open arrays before all": (
        lambda count: b"[\n" * (count // 2) + b"1,\n" * (count // 2),
        lambda data: lines.loads(data, on_error="skip"),
    ),
    "open strings": (times(b'"a\n'), lambda data: lines.loads(data, on_error="skip", strict=False)),
    "open strings in open arrays": (
        lambda count: b"[\n" * (count // 2) + b'"' + b"a\n" * (count // 2),
        lambda data: lines.loads(data, on_error="skip", strict=False),
    ),
    "open arrays, fields": (times(b"[1,\n"), lambda data: lines.loads(data, on_error="skip", fields="/0")),
    "open arrays, unchecked fields": (times(b"[\n"), lambda data: lines.loads(data, on_error="skip", fields="/0", check=False)),
    "open arrays, type": (times(b"[1,\n"), lambda data: lines.loads(data, on_error="skip", type=list)),
    "one line, byte by byte": (times(b"1"), lambda data: list(lines.read([b"%c" % byte for byte in b'"' + data + b'"']))),
    "one value, byte by byte": (times(b"["), lambda data: list(ocior.values([b"%c" % byte for byte in data], tail="drop", max_depth=9))),
    "one item, byte by byte": (times(b"1,"), lambda data: list(ocior.items([b"%c" % byte for byte in b"[[" + data + b"1]]"]))),
    "cut records": (times(b"[\x1e"), lambda data: list(ocior.values(data, on_error="skip"))),
    "bad values": (times(b", "), lambda data: list(ocior.values(data, on_error="skip"))),
    "bad items": (times(b"x,"), lambda data: list(ocior.items(b"[" + data + b"1]", on_error="skip"))),
    "white space": (times(b" "), lambda data: list(lines.read([data[i : i + 9] for i in range(0, len(data), 9)]))),
    "white space in items": (times(b" "), lambda data: list(ocior.items([b"[", *[data[i : i + 9] for i in range(0, len(data), 9)], b"]"]))),
    "members on the way": (times(b'"k":[1],'), lambda data: list(ocior.items(b"{" + data + b'"r":[]}', "/r"))),
    "blank lines": (times(b"\n"), lambda data: list(lines.read(data))),
}


@pytest.mark.parametrize("name", GROWING)
def test_linear_time(name):
    make, read = GROWING[name]
    check_growth(read, lambda data: data.split(b"\n"), make(SMALL), make(LARGE))


PEAK = """
    import ocior, resource, sys
    from ocior import lines

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    def chunks(first, chunk, many, *last):
        yield first
        for _ in range(many):
            yield chunk
        yield from last

    before = peak()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in other units, or is not there")
@pytest.mark.parametrize(
    ("code", "most"),
    {
        "one line": ("lines.read(chunks(b'1\\n\"', b'a' * 100_000, 3000, b'\"\\n2\\n'), max_record=1 << 20, on_error='skip')", 24),
        "one value": ("ocior.values(chunks(b'1\\n\"', b'a' * 100_000, 3000, b'\"2'), max_record=1 << 20, on_error='skip')", 24),
        "one array": ("ocior.values(chunks(b'1\\n[', b'[],\"]\",' * 10_000, 3000, b'1]2'), max_record=1 << 20, on_error='skip')", 24),
        "one item": ("ocior.items(chunks(b'[1,\"', b'a' * 100_000, 3000, b'\",2]'), max_record=1 << 20, on_error='skip')", 24),
        "white space": ("lines.read(chunks(b'1\\n', b' ' * 100_000, 3000, b'2\\n'), max_record=1 << 20)", 24),
        "brackets": ("lines.read(chunks(b'1\\n', b'[' * 100_000, 300, b'\\n2\\n'), max_record=1 << 20, on_error='skip')", 24),
        "a long line without a newline": ("lines.read(chunks(b'1\\n2\\n', b'[' * 100_000, 3000), max_record=1 << 20, on_error='skip')", 24),
        "many items": ("(x for x in ocior.items(chunks(b'[1', b',[3,4]' * 10_000, 300, b',2]')) if type(x) is int)", 24),
        "bad lines": ("lines.read(chunks(b'1\\n', b'x\\n' * 10_000, 100, b'2\\n'), on_error='skip')", 24),
    }.values(),
)
def test_memory(code, most):
    check_python(f"{PEAK}\n    assert list({code}) == [1, 2]\n    assert peak() - before <= {most}, (before, peak())\n")


@pytest.mark.parametrize("make", [lines.read, ocior.values], ids=["lines", "values"])
def test_deep_records_that_are_skipped(make):
    deep = b"[" * 200_000
    separator = b"\n\x1e" if make is ocior.values else b"\n"
    for data in (deep + separator + b"1\n", b'{"a":' * 200_000 + separator + b"1\n", deep + b"]" * 200_000 + separator + b"1\n"):
        for chunks in (data, [data[begin : begin + 5000] for begin in range(0, len(data), 5000)]):
            assert list(make(chunks, on_error="skip", max_depth=1000)) == [1]
            assert list(make(chunks, on_error="skip", max_record=1000)) == [1]


@needs_proc
def test_half_read_readers_leave_no_file_open(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_bytes(b"1\n2\n" * 100_000)
    before = open_file_count()
    for make in (lines.read, ocior.values):
        for _ in range(300):
            assert next(make(path)) == 1
    gc.collect()
    assert open_file_count() == before
    readers = [lines.read(path) for _ in range(300)]
    assert open_file_count() == before  # nothing is opened before it is asked for
    assert [next(reader) for reader in readers[:20]] == [1] * 20
    assert open_file_count() == before + 20
    for reader in readers:
        reader.close()
    assert open_file_count() == before
    with pytest.raises(ocior.RecordError):
        list(lines.read(path, type=str))
    assert open_file_count() == before


def test_half_read_readers_close_generators():
    closed = []

    def chunks():
        try:
            while True:
                yield b"1\n"
        finally:
            closed.append(True)

    for make in (lines.read, ocior.values):
        reader = make(chunks())
        assert next(reader) == 1
        del reader
        gc.collect()
    assert closed == [True, True]
    reader = lines.read(chunks(), type=str)
    with pytest.raises(ocior.RecordError):
        next(reader)
    assert len(closed) == 3


def test_readers_in_circles_are_collected():
    class Hook:
        def __call__(self, value):
            return value

    class Source(list):
        pass

    for make in (
        lambda hook: lines.read(b"{}\n{}\n", object_hook=hook),
        lambda hook: lines.read(b"x\n{}\n", on_error=hook),
        lambda hook: lines.read(b'{"a": 1}\n', fields="/b", default=hook),
    ):
        hook = Hook()
        hook.reader = make(hook)
        next(hook.reader)
        gone = weakref.ref(hook)
        del hook
        gc.collect()
        assert gone() is None
    source = Source([b"1\n"])
    source.reader = lines.read(source)
    gone = weakref.ref(source)
    del source
    gc.collect()
    assert gone() is None


LEAKING = {
    "lines": lambda: list(lines.read([b'{"a": [1.5, "x"]}\n', b"2\n"])),
    "bad lines": lambda: lines.loads(b'{"a": [1\nx\n"\xff"\n', on_error="skip"),
    "bad lines, told": lambda: lines.loads(b'{"a": [1\nx\n"\xff"\n', on_error=repr),
    "digits": lambda: lines.loads(b"1" * 5000 + b"\n", on_error="skip"),
    "fields": lambda: lines.loads(b'{"a": 1, "b": [2]}\n{}\n{"a": 1,\n[', fields=("/a", "/b"), on_error="skip"),
    "unchecked fields": lambda: lines.loads(b'{"a":\n"b"}\n', fields="/a", check=False, on_error="skip"),
    "type": lambda: lines.loads(b'1\n"a"\n', type=int, on_error="skip"),
    "hooks": lambda: lines.loads(b'{"a": 1}\n{"a"\n', object_hook=dict, on_error="skip"),
    "values": lambda: list(ocior.values([b'[1] {"a": ', b"[2]} x \x1e[1\x1e2"], on_error="skip")),
    "items": lambda: list(ocior.items([b'{"x": [], "a": [1, x', b', {"b": 2}]}'], "/a", on_error="skip")),
    "pairs": lambda: list(ocior.items(b'{"a": [1], "b\\x": [2], "c": x}', on_error="skip")),
    "half read": lambda: next(lines.read([b"[1]\n[2]\n", b"3"])),
    "too long": lambda: list(lines.read([b"[1, 2, ", b"3]\n", b"4\n"], max_record=3, on_error="skip")),
}


@pytest.mark.skipif(not HAS_GIL, reason="blocks of other threads' heaps count")
@pytest.mark.parametrize("name", LEAKING)
def test_no_leaks(name):
    def blocks():
        gc.collect()
        return sys.getallocatedblocks()

    job = LEAKING[name]
    for _ in range(30):
        job()
    before = blocks()
    for _ in range(400):
        job()
    assert blocks() - before < 200  # less than one for two calls: an allocator that takes blocks ahead adds some dozens


FAILING = {
    "loads": ("lines.loads(data)", True),
    "loads bad": ("lines.loads(bad, on_error='skip')", True),
    "loads bytearray": ("lines.loads(bytearray(data))", True),
    "read": ("list(lines.read([data[:9], data[9:]]))", True),
    "read bad": ("list(lines.read([bad[:9], bad[9:]], on_error=id))", True),
    "read raising": ("list(lines.read([bad]))", False),
    "fields": ("lines.loads(data, fields=('/a', '/b'))", True),
    "hooks": ("lines.loads(data, object_hook=len)", True),
    "values": ("list(ocior.values([data]))", True),
    "items": ('list(ocior.items([b\'{"x": 1, "r": [1, {}, "a"]}\'], \'/r\'))', True),
    "pairs": ('list(ocior.items([b\'{"x": 1, "\\\\u4e2d": [1]}\']))', True),
}


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.skipif(hasattr(sys, "gettotalrefcount"), reason="a debug interpreter ends itself where it has no memory for a traceback")
@pytest.mark.parametrize("name", FAILING)
def test_every_allocation_may_fail(name):
    """Each allocation fails once, and then all from it on: MemoryError or the right result, and the next call works."""
    job, gives = FAILING[name]
    check_python(
        r"""
        import sys, ocior
        from failing import fail_each_allocation
        from ocior import lines
        data = '{"a": [1, 2.5, "x"], "b": "\u4e2d"}\n[]\n{"a": {}}\n'.encode() * 3
        bad = b'{"a": [1\n[2]\nx\n"\xff"\n3\n'
        job = eval("lambda: " + sys.argv[1])
        gives = sys.argv[2] == "True"
        try:
            expected = job()
        except ocior.RecordError:
            expected = None
        failures = MemoryError, SystemError
        fail_each_allocation(job, ValueError, expected, failures=failures, is_exact=True, clean_calls=60)
        try:
            assert job() == expected and gives
        except ocior.RecordError:
            assert not gives
        """,
        job,
        gives,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize(
    "job",
    [
        "lines.loads(b'1\\n' * 60_000_000)",
        "lines.loads(b'x\\n' * 60_000_000, on_error='skip')",
        "list(lines.read(b'x\\n' * 60_000_000, on_error='skip'))",
        "list(ocior.values(b'1 ' * 60_000_000))",
        "list(ocior.items(b'[' + b'1,' * 60_000_000))",
    ],
)
def test_an_interrupt_ends_a_long_call(job):
    check_python(
        f"""
        import ocior, signal, time
        from ocior import lines
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        begin = time.monotonic()
        try:
            {job}
        except KeyboardInterrupt:
            assert time.monotonic() - begin < 3, time.monotonic() - begin
        else:
            raise SystemExit("not interrupted")
        """
    )
