"""Disks and files that fail or take little at a time, threads that share a Writer, and calls within calls."""

import errno
import gc
import gzip
import io
import os
import random
from functools import partial

import pytest
from line_writers import COMPRESSIONS, EACH_WAY, LINES, RECORDS, Raw, needs_fsspec
from support import check_python
from threads import together

import ocior
from ocior._stream.writing import Writer

# ---- disks that fail ----


@EACH_WAY
@pytest.mark.parametrize("most", [1, 7, 1000])
def test_short_writes(way, most):
    file = Raw(most)
    assert way(RECORDS[:50], file) == 50 and file.written == b"".join(LINES[:50])
    compressed = Raw(most)
    assert way(RECORDS[:50], compressed, compression="gzip") == 50 and gzip.decompress(compressed.written) == b"".join(LINES[:50])


@pytest.mark.parametrize(
    "answer, error", [("none", BlockingIOError), ((0,), OSError), ((-1,), OSError), ((100,), OSError), (OSError(28, "full"), OSError)]
)
def test_files_that_refuse(answer, error):
    file = Raw(answers=[None, answer])
    with Writer(file) as writer:
        writer.write("one")
        with pytest.raises(error):
            writer.write("two")
        writer.write("three")
        assert writer.count == 2
    assert file.written == b'"one"\n"three"\n'


def test_a_line_behind_a_torn_one():
    file = Raw(answers=[None, 3, OSError(28, "full")])
    with Writer(file) as writer:
        writer.write("one")
        with pytest.raises(OSError, match="full"):
            writer.write("two")
        writer.write("three")
        writer.write("four")
        assert writer.count == 3
    assert file.written == b'"one"\n"tw\n"three"\n"four"\n'


needs_limits = pytest.mark.skipif(os.name == "nt", reason="needs a limit on the size of files")


@needs_limits
@pytest.mark.parametrize("append", [False, True])
@pytest.mark.parametrize("gathered", [False, True])
def test_a_disk_that_is_full(tmp_path, append, gathered):
    """The file ends with a whole line, what was not written is written once there is room, and nothing comes twice."""
    check_python(
        """
        import os, resource, signal, sys
        from ocior._stream.writing import Writer
        path, append, gathered = sys.argv[1], sys.argv[2] == "True", sys.argv[3] == "True"
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if append:
            open(path, "wb").write(b"there\\n")
        objects = [{"id": number, "x": "y" * 90} for number in range(10_000)]
        unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_001, unlimited[1]))
        writer = Writer(path, append=append)
        failures = 0
        for first in range(0, 10_000, 100):
            part, before = objects[first : first + 100], writer.count
            try:
                writer.write_all(part) if not gathered else [writer.write(obj) for obj in part]
            except OSError:
                failures += 1
                assert open(path, "rb").read().endswith(b"\\n") and os.path.getsize(path) <= 300_001
                if failures == 3:
                    try:
                        writer.flush()
                    except OSError:
                        pass
                    else:
                        raise SystemExit("no error")
                    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
                for obj in part[writer.count - before :]:
                    try:
                        writer.write(obj)
                    except OSError:
                        failures += 1
                        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
                        writer.write(obj)
        writer.close()
        assert failures and writer.count == 10_000
        lines = open(path, "rb").read().splitlines()[append:]
        import json
        assert [json.loads(line) for line in lines] == objects
        """,
        str(tmp_path / "file"),
        str(append),
        str(gathered),
    )


@needs_limits
def test_closing_on_a_full_disk(tmp_path):
    check_python(
        """
        import os, resource, signal, sys
        from ocior._stream.writing import Writer
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for name, most in (("plain", 5), ("some.gz", 20)):
            path = os.path.join(sys.argv[1], name)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, -1))
            writer = Writer(path)
            writer.write_all(range(10))
            try:
                writer.close()
            except OSError:
                pass
            else:
                raise SystemExit("no error")
            assert writer.closed and os.path.getsize(path) == {"plain": 0, "some.gz": 15}[name]  # the header of gzip
            writer.close()
            resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (5, -1))
        try:
            Writer(path)
        except OSError:
            pass
        else:
            raise SystemExit("no error")
        """,
        str(tmp_path),
    )


@pytest.mark.parametrize("compression, suffix, decompress", COMPRESSIONS)
def test_a_compressor_whose_file_fails(compression, suffix, decompress):
    """Nothing goes on behind the gap, so that a reader notices it."""
    noise = ["%0400x" % random.Random(number).getrandbits(1600) for number in range(3000)]
    file = Raw()
    writer = Writer(file, compression=compression)
    writer.write_all(noise)
    writer.flush()
    file.answers = [OSError(errno.ENOSPC, "full")] * 2
    with pytest.raises(OSError, match="full"):
        while True:
            writer.write_all(noise)
            writer.flush()
    file.answers = []
    length = len(file.written)
    for use in (partial(writer.write, 1), partial(writer.write_all, [1]), writer.flush):
        with pytest.raises(OSError, match="earlier write has failed"):
            use()
    del use
    writer.close()
    assert writer.closed and len(file.written) == length
    del writer
    gc.collect()
    assert len(file.written) == length


@needs_fsspec
def test_a_url_whose_file_fails(monkeypatch):
    import fsspec

    system = fsspec.filesystem("memory")
    writer = Writer("memory://some/failing")
    writer.write_all([1, 2])
    writer.flush()
    monkeypatch.setattr(writer._target, "_write", lambda data: (_ for _ in ()).throw(OSError("gone")))
    with pytest.raises(OSError, match="gone"):
        writer.write_all(["x" * 300_000])
    with pytest.raises(OSError, match="earlier write has failed"):
        writer.write(3)
    writer.close()
    assert system.cat_file("/some/failing") == b"1\n2\n"


# ---- threads, and calls within calls ----


@pytest.mark.parametrize("make", [lambda path: path, lambda path: open(path, "wb", 0), lambda path: open(path, "w", newline="")])
def test_threads_share_a_writer(tmp_path, make):
    path = tmp_path / "file"
    target = make(path)
    with Writer(target) as writer:

        def work(number):
            for turn in range(200):
                if turn % 50 == 0:
                    writer.write_all([[number, turn, "x" * 300]] * 3)
                    writer.flush()
                writer.write([number, turn, "y" * 300])

        together(work, 4)
        assert writer.count == 4 * 212
    if target is not path:
        target.close()
    lines = [ocior.loads(line) for line in path.read_bytes().splitlines()]
    assert len(lines) == 4 * 212
    for number in range(4):
        mine = [line for line in lines if line[0] == number and line[2][0] == "y"]
        assert [line[1] for line in mine] == list(range(200))


def test_a_file_that_writes_to_its_writer():
    class Nested(io.RawIOBase):
        written = b""

        def writable(self):
            return True

        def write(self, data):
            for use in (lambda: writer.write("inner"), writer.flush, writer.close):
                with pytest.raises(RuntimeError, match="in the middle of a write"):
                    use()
            self.written += bytes(data)
            return len(data)

    file = Nested()
    with Writer(file) as writer:
        writer.write("outer")
    assert file.written == b'"outer"\n' and writer.count == 1


def test_hooks_and_generators_that_write_to_the_writer(tmp_path):
    with Writer(tmp_path / "file", default=lambda obj: writer.write("inner") or "outer") as writer:
        writer.write([1j])
        writer.write_all(writer.write(number) or str(number) for number in range(3))
        assert writer.count == 8
    assert sorted((tmp_path / "file").read_text().split()) == sorted(['"0"', '"1"', '"2"', '"inner"', '["outer"]', "0", "1", "2"])


def test_an_iterable_that_closes_the_writer(tmp_path):
    writer = Writer(tmp_path / "file")
    with pytest.raises(ValueError, match="closed"):
        writer.write_all(writer.close() or number for number in range(3))
    assert (tmp_path / "file").read_bytes() == b"" and writer.count == 0


@pytest.mark.parametrize("written", [0, 7, 400, None], ids=["nothing", "a part", "more", "all"])
@pytest.mark.parametrize("append", [False, True])
def test_a_signal_in_the_middle_of_a_write(tmp_path, written, append):
    """It may come when a write has been done, and before that is known. No line is lost, and none comes twice."""

    class Interrupted:
        def __init__(self, file):
            self.file, self.turns = file, 0

        def write(self, data):
            self.turns += 1
            count = self.file.write(data[:written] if self.turns == 2 else data)
            if self.turns == 2:
                raise KeyboardInterrupt
            return count

        def __getattr__(self, name):
            return getattr(self.file, name)

    path = tmp_path / "file"
    path.write_bytes(b"there\n")
    with Writer(path, append=append) as writer:
        writer._target._file = Interrupted(writer._target._file)
        writer.write_all(RECORDS[:100])
        writer.flush()
        for record in RECORDS[100:]:
            writer.write(record)
        with pytest.raises(KeyboardInterrupt):
            writer.flush()
        assert writer.count == 300
    assert path.read_bytes() == b"there\n" * append + b"".join(LINES)


def test_gathering_ends_when_the_writer_closes(tmp_path):
    writer = Writer(tmp_path / "file")
    gather = writer._gather
    assert gather("line") == 7
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        gather("late")
    assert (tmp_path / "file").read_bytes() == b'"line"\n'
