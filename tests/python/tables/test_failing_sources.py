"""Sources that raise: all that was read before comes first, rows and bad records alike, with any number of workers."""

import io
import signal

import arrow_reader
import pytest

import ocior
from ocior import lines

BLOCK = b'{"a":1}\n' * 2**17  # 1 MB
ROWS = 2**17
WORKERS = pytest.mark.parametrize("workers", [1, 2, 3, 4])


class Gone(Exception):
    pass


def failing(count, before=b"", error=Gone):
    yield before + BLOCK
    for _ in range(count - 1):
        yield BLOCK
    raise error("gone")


def rows_before(error, scan):
    count = 0
    with pytest.raises(error):
        for batch in scan:
            count += len(batch)
    assert list(scan) == []
    return count


@WORKERS
@pytest.mark.parametrize("count", [1, 2, 6])
def test_all_rows_before_an_error_come_first(count, workers):
    assert rows_before(Gone, ocior.scan(failing(count), workers=workers)) == count * ROWS
    for call in (ocior.table, ocior.infer):
        with pytest.raises(Gone, match="gone"):
            call(failing(count), workers=workers)


@WORKERS
@pytest.mark.parametrize("count", [1, 4])
def test_a_bad_record_before_an_error_comes_first(count, workers):
    for call in (ocior.table, ocior.infer, lambda *given, **options: list(ocior.scan(*given, **options))):
        with pytest.raises(ocior.RecordError) as caught:
            call(failing(count, b"x\n"), workers=workers)
        assert (caught.value.lineno, caught.value.offset) == (1, 0)


@WORKERS
def test_bad_records_before_an_error_are_told(workers):
    def data():
        for _ in range(4):
            yield BLOCK + b"x\n"
        raise Gone

    bad = []
    with pytest.raises(Gone):
        ocior.table(data(), on_error=bad.append, workers=workers)
    assert [error.lineno for error in bad] == [(ROWS + 1) * number for number in range(1, 5)]
    scan = ocior.scan(data(), on_error="skip", workers=workers)
    assert (rows_before(Gone, scan), scan.skipped) == (4 * ROWS, 4)


class File(io.BytesIO):
    """Fails when 5 MB have been read."""

    def read1(self, size=-1):
        if self.tell() >= 5 << 20:
            raise Gone
        return super().read1(size)

    read = read1


def test_files_give_as_many_rows_with_any_number_of_workers():
    counts = [rows_before(Gone, ocior.scan(File(BLOCK * 8), workers=workers)) for workers in (1, 2, 3, 4)]
    assert len(set(counts)) == 1 and 3 * ROWS <= counts[0] <= 5 * ROWS


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("error", [Gone, KeyboardInterrupt, SystemExit, MemoryError])
def test_every_error_stays_what_it_is(error, workers):
    for call in (ocior.table, ocior.infer, lambda *given, **options: list(ocior.scan(*given, **options))):
        with pytest.raises(error):
            call(failing(2, error=error), workers=workers)


@pytest.fixture
def interrupts():
    """What SIGINT has been told of; without an exception, so that nothing depends on where the interpreter looks next."""
    told = []
    before = signal.signal(signal.SIGINT, lambda *given: told.append(given[0]))
    yield told
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("reader", ["by hand", "lines", "pyarrow"])
def test_ctrl_c_in_a_stream_is_not_lost(reader, workers, interrupts, tmp_path):
    """A stream of Arrow can only tell words, of which its reader makes an error of its own."""
    scan = ocior.scan(failing(2, error=KeyboardInterrupt), workers=workers)
    if reader == "pyarrow":
        pa = pytest.importorskip("pyarrow")
        with pytest.raises((OSError, KeyboardInterrupt)):
            pa.RecordBatchReader.from_stream(scan).read_all()
    elif reader == "lines":
        with pytest.raises((OSError, KeyboardInterrupt)):
            lines.write(scan, tmp_path / "rows.jsonl")
    else:
        with pytest.raises((arrow_reader.StreamError, KeyboardInterrupt)):
            arrow_reader.read(scan)
    assert interrupts == [signal.SIGINT]
