"""Who owns the columns: buffers outlive the table, are freed anywhere and at any time, and other libraries read them where they lie."""

import gc
import os
import sys
import threading

import arrow_reader
import pytest
from support import check_python
from threads import together

import ocior

DATA = b"".join(b'{"id": %d, "text": "number %d", "list": [%d], "deep": {"x": 0.5}}\n' % (n, n, n) for n in range(20_000))


def test_a_stream_outlives_its_table():
    table = ocior.table(DATA, workers=2)
    capsules = [table.__arrow_c_stream__() for _ in range(3)]
    del table
    gc.collect()
    for capsule in capsules:
        assert len(arrow_reader.read(Lent(capsule)).rows) == 20_000


class Lent:
    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


def test_slices_outlive_the_table():
    pa = pytest.importorskip("pyarrow")
    table = ocior.table(DATA)
    arrow = pa.table(table)
    parts = [arrow.slice(at, 3) for at in (0, 7_777, 19_997)]
    column = arrow.column("text").chunk(0).slice(5, 2)
    del table, arrow
    gc.collect()
    ocior.table(DATA)
    assert [part.column("id").to_pylist() for part in parts] == [[0, 1, 2], [7_777, 7_778, 7_779], [19_997, 19_998, 19_999]]
    assert column.to_pylist() == ["number 5", "number 6"]
    for part in parts:
        part.validate(full=True)


def test_batches_are_freed_in_other_threads():
    pa = pytest.importorskip("pyarrow")
    kept = [[pa.table(ocior.table(DATA)), ocior.table(DATA)] for _ in range(8)]

    def free(number):
        kept[number].clear()

    together(free, 8)
    assert not any(kept)


def test_threads_share_a_table():
    table = ocior.table(DATA)
    expected = arrow_reader.read(table).rows[::1000]
    together(lambda number: [check_same(table, expected) for _ in range(2)], 4)


def check_same(table, expected):
    assert arrow_reader.read(table).rows[::1000] == expected
    assert len(table) == 20_000 and table.schema.names == ["id", "text", "list", "deep"] and "20,000 rows" in repr(table)


def test_threads_read_at_the_same_time():
    wanted = arrow_reader.read(ocior.table(DATA)).rows

    def work(number):
        assert arrow_reader.read(ocior.table(DATA, workers=1 + number)).rows == wanted

    together(work, 3)


def test_at_the_end_of_the_interpreter():
    check_python("""
        import ocior, threading
        data = b'{"a": [1, "x"], "b": {"c": null}}\\n' * 50_000
        table = ocior.table(data, workers=2)
        capsule = table.__arrow_c_stream__()
        scan = ocior.scan(data, workers=2)
        next(scan)
        import builtins
        builtins.kept = (table, capsule, scan)
    """)


def test_buffers_of_others_at_the_end_of_the_interpreter():
    pytest.importorskip("pyarrow")
    check_python("""
        import builtins, ocior, pyarrow
        data = b'{"a": [1, "x"], "b": {"c": null}}\\n' * 50_000
        builtins.kept = pyarrow.table(ocior.table(data, workers=2)).slice(3)
        builtins.reader = pyarrow.RecordBatchReader.from_stream(ocior.scan(iter([data])))
        builtins.batch = builtins.reader.read_next_batch()
    """)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork():
    """A child reads tables by workers of its own, and the parent reads on."""
    check_python(
        """
        import os, sys, ocior
        data = b'{"a": 1, "b": "x"}\\n' * 200_000
        table = ocior.table(data, workers=3)
        scan = ocior.scan(data, workers=3)
        first = next(scan)
        child = os.fork()
        if child == 0:
            assert len(table) == 200_000
            assert len(ocior.table(data, workers=3)) == 200_000
            del table
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert len(first) + sum(map(len, scan)) == 200_000
        assert len(ocior.table(data, workers=2)) == 200_000
        """,
        flags=("-W", "ignore"),
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize(
    "job",
    [
        "ocior.table(data())",
        "ocior.table(data(), workers=3)",
        "ocior.table(data(), on_error='skip', schema={'b': 'int8 not null'})",
        "ocior.infer(data(), workers=2)",
        "list(ocior.scan(data(), workers=2))",
        "ocior.table(b'{}\\n' * 100_000_000, columns=['a'])",
    ],
)
def test_an_interrupt_ends_a_long_read(job):
    check_python(
        f"""
        import ocior, signal, time
        def data():
            block = b'{{"a": 1, "b": [2, null, "x"]}}\\n' * 10_000
            while True:
                yield block
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            {job}
        except KeyboardInterrupt:
            pass
        else:
            raise SystemExit("not interrupted")
        assert len(ocior.table(b'{{}}', workers=2)) == 1
        """
    )


@pytest.mark.skipif(sys.version_info < (3, 13), reason="needs _interpreters as it is since 3.13")
def test_subinterpreters():
    check_python(
        """
        import _interpreters, sys
        code = '''
        import sys
        sys.path[:] = {path!r}
        import ocior
        data = b'{{"a": 1, "b": ["x"]}}\\\\n' * 100_000
        table = ocior.table(data, workers=2)
        assert len(table) == 100_000 and table.schema.names == ["a", "b"]
        assert sum(map(len, ocior.scan(iter([data]), workers=2))) == 100_000
        '''.format(path=sys.path)
        import textwrap
        for _ in range(2):
            interpreter = _interpreters.create()
            failed = _interpreters.run_string(interpreter, textwrap.dedent(code))
            assert failed is None, failed
            _interpreters.destroy(interpreter)
        """
    )


def test_interpreters_free_what_others_have_made():
    """A stream of a generator that belongs to a thread which has ended."""
    made = []

    def make():
        made.append(ocior.scan(iter([DATA])).__arrow_c_stream__())

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    assert len(arrow_reader.read(Lent(made.pop())).rows) == 20_000


def test_other_libraries():
    """Each reads the very same values."""
    ours = ocior.table(DATA)
    wanted = arrow_reader.read(ours).rows[1234]
    seen = 0
    for name in ("polars", "pandas", "duckdb", "nanoarrow"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        seen += 1
        if name == "polars":
            got = module.DataFrame(ours).row(1234, named=True)
        elif name == "pandas":
            if not hasattr(module.DataFrame, "from_arrow"):
                continue
            got = module.DataFrame.from_arrow(ours)[["id", "text"]].iloc[1234].to_dict()
        elif name == "duckdb":
            found = module.sql("select * from ours where id = 1234")
            got = dict(zip(found.columns, found.fetchall()[0]))
        else:
            got = next(row for number, row in enumerate(module.ArrayStream(ours).iter_py()) if number == 1234)
        assert got == {key: wanted[key] for key in got}, name
    if not seen:
        pytest.skip("none of them is installed")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
@pytest.mark.parametrize(
    "job",
    [
        "ocior.table(data, workers=2)",
        "ocior.table(data).__arrow_c_stream__()",
        "arrow_reader.read(ocior.table(few))",
        "ocior.infer(data) | ocior.infer(few)",
        "next(ocior.scan(iter([data])))",
        "ocior.scan(iter([data])).__arrow_c_stream__()",
        "list(ocior.scan(data, workers=2))",
        "refused(data + b'x', workers=2)",
        "refused(data, mixed='raise')",
        "refused(data, schema={'id': 'int8'})",
        "ocior.table(data, on_error='skip', schema={'id': 'int32', 'text': 'dictionary<int32, string>', 'mixed': 'json', 'list': 'list<int64>'})",
        "[repr(ocior.table(few)), ocior.infer(few).__arrow_c_schema__()]",
        "ocior.Schema({'a': 'struct<x: list<int8>>'}).__arrow_c_schema__()",
    ],
)
@pytest.mark.skipif("OCIOR_SANITIZED" in os.environ, reason="a sanitizer keeps what is freed")
def test_nothing_is_left(job):
    check_python(
        f"""
        import arrow_reader, gc, ocior, os
        data = b"".join(
            b'{{"id": %d, "text": "number %d", "list": [%d], "mixed": %s}}\\n' % (n, n, n, [b"1", b'"x"'][n > 10_000]) for n in range(15_000)
        )
        few = data[: data.index(b"\\n", 99_999) + 1]
        def refused(data, **options):
            try:
                ocior.table(data, **options)
            except ocior.RecordError:
                return
            raise SystemExit("no error")
        def resident():
            gc.collect()
            return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        for _ in range(10):
            {job}
        before = resident()
        for _ in range(60):
            {job}
        # A table has about a megabyte.
        assert resident() - before < 20 << 20, (resident() - before) >> 20
        """
    )
