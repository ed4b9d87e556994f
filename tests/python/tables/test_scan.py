"""Scans: batches in bounded memory, of one schema, which is frozen after the first block or given."""

import threading

import arrow_reader
import pytest

import ocior
from ocior import Schema

# Some blocks, whatever the size of a block: the first has no key "late".
COUNT = 60_000
EARLY = b"".join(b'{"id": %d, "text": "%s"}\n' % (number, b"x" * 200) for number in range(COUNT))


def rows_of(batches):
    return [row for batch in batches for row in arrow_reader.read(batch).rows]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_batches(workers):
    scan = ocior.scan(EARLY, workers=workers)
    batches = list(scan)
    assert len(batches) > 1 and all(type(batch) is ocior.Table and len(batch) for batch in batches)
    assert [row["id"] for row in rows_of(batches)] == list(range(COUNT))
    assert all(batch.schema == scan.schema == Schema({"id": "int64", "text": "string"}) for batch in batches)
    assert list(scan) == [] and (scan.skipped, scan.dropped) == (0, 0)


def test_the_schema_comes_first():
    def chunks():
        asked.append(True)
        yield b'{"a": 1}\n'
        yield b'{"a": 2}\n'

    asked = []
    scan = ocior.scan(chunks())
    assert not asked, "nothing is read before it is asked for"
    assert scan.schema == Schema({"a": "int64"}) and asked
    assert rows_of(scan) == [{"a": 1}, {"a": 2}]
    given = ocior.scan(chunks(), schema={"a": "int8"})
    assert given.schema == Schema({"a": "int8"}) and len(asked) == 1
    given.close()
    empty = ocior.scan(b"")
    assert empty.schema == Schema({}) and list(empty) == []


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "late", [b'{"id": 1, "late": 2}', b'{"id": "x"}', b'{"id": 0.5}', b'{"text": ["x"]}', b'{"id": 18446744073709551615}']
)
def test_types_are_frozen_after_the_first_block(late, workers):
    data = EARLY + late + b'\n{"id": -1}\n'
    got = []
    with pytest.raises(ocior.RecordError) as caught, ocior.scan(data, workers=workers) as scan:
        for batch in scan:
            got += arrow_reader.read(batch).rows
    assert (caught.value.lineno, caught.value.offset) == (COUNT + 1, len(EARLY))
    assert len(got) <= COUNT and all(row["id"] == number for number, row in enumerate(got))
    with ocior.scan(data, workers=workers, on_error="skip") as scan:
        assert rows_of(scan)[-1] == {"id": -1, "text": None} and scan.skipped == 1
    # All of it fits the schema that is inferred from all.
    with ocior.scan(data, workers=workers, schema=ocior.infer(data)) as scan:
        assert len(rows_of(scan)) == COUNT + 2


def test_unexpected_keys_may_be_left_out():
    data = EARLY + b'{"late": 1, "id": 7}\n'
    with ocior.scan(data, unexpected="ignore") as scan:
        assert rows_of(scan)[-1] == {"id": 7, "text": None}
    with pytest.raises(ocior.RecordError), ocior.scan(EARLY + b'{"id": "x"}', unexpected="ignore") as scan:
        list(scan)


def test_columns_and_torn_ends():
    with ocior.scan(EARLY + b'{"id', columns=["id"], tail="drop") as scan:
        assert rows_of(scan) == [{"id": number} for number in range(COUNT)]
        assert scan.dropped == 4 and scan.schema.names == ["id"]
    with ocior.scan(b'{"a": 1}\n{}\n', columns=[]) as scan:
        assert sum(map(len, scan)) == 2


def test_good_batches_come_before_an_error():
    data = EARLY + b"x\n" + EARLY
    count = 0
    with pytest.raises(ocior.RecordError) as caught, ocior.scan(data) as scan:
        for batch in scan:
            count += len(batch)
    assert caught.value.lineno == COUNT + 1 and count > 0
    with pytest.raises(StopIteration):
        next(scan)


def test_close():
    closed = []

    def chunks():
        try:
            while True:
                yield EARLY
        finally:
            closed.append(True)

    with ocior.scan(chunks()) as scan:
        next(scan)
        assert not closed
    assert closed.pop() and list(scan) == []
    scan.close()
    scan = ocior.scan(chunks(), workers=3)
    next(scan)
    del scan
    assert closed.pop()


def test_the_stream_consumes():
    scan = ocior.scan(EARLY)
    read = arrow_reader.read(scan)
    assert len(read.rows) == COUNT and len(read.batches) > 1 and read.names == ["id", "text"]
    assert list(scan) == []
    # What has come before is not in it.
    scan = ocior.scan(EARLY)
    first = next(scan)
    assert len(arrow_reader.read(scan).rows) == COUNT - len(first)


def test_an_error_in_the_stream():
    scan = ocior.scan(EARLY + b"[]\n")
    with pytest.raises(arrow_reader.StreamError) as caught:
        arrow_reader.read(scan)
    status, text = caught.value.args
    assert status and f"line {COUNT + 1}" in text

    def chunks():
        yield b'{"a": 1}\n'
        raise OSError("no more")

    with pytest.raises(arrow_reader.StreamError, match="no more"):
        arrow_reader.read(ocior.scan(chunks()))


def test_a_stream_of_a_python_source_is_read_in_another_thread():
    def chunks():
        for at in range(0, len(EARLY), 100_000):
            yield EARLY[at : at + 100_000]

    scan, got = ocior.scan(chunks(), workers=2), []
    thread = threading.Thread(target=lambda: got.append(arrow_reader.read(scan)))
    thread.start()
    thread.join()
    assert len(got[0].rows) == COUNT


def test_by_pyarrow():
    pa = pytest.importorskip("pyarrow")
    reader = pa.RecordBatchReader.from_stream(ocior.scan(EARLY, workers=2))
    assert reader.schema == pa.schema([("id", pa.int64()), ("text", pa.string())])
    table = reader.read_all()
    table.validate(full=True)
    assert table.column("id").to_pylist() == list(range(COUNT))
    with pytest.raises((pa.ArrowInvalid, OSError, ocior.RecordError), match=f"line {COUNT + 1}"):
        pa.RecordBatchReader.from_stream(ocior.scan(EARLY + b"[]")).read_all()


def test_threads_share_a_scan():
    scan, got, lock = ocior.scan(EARLY), [], threading.Lock()

    def take():
        for batch in scan:
            with lock:
                got.append(batch)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(row["id"] for row in rows_of(got)) == list(range(COUNT))


def test_a_source_that_asks_for_the_scan():
    """A hook, or a source, that reads from the Scan that reads it gets an error, and no deadlock."""

    def chunks():
        yield b'{"a": 1}\n'
        with pytest.raises((RuntimeError, ValueError)):
            next(scan)
        yield b'{"a": 2}\n'

    scan = ocior.scan(chunks())
    assert rows_of(scan) == [{"a": 1}, {"a": 2}]
