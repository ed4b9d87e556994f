"""Parts of a file: whatever their size, each record is in one of them, whole, and its place is known."""

import bz2
import copy
import gc
import gzip
import itertools
import lzma
import os
import pathlib
import pickle
import random
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from ocior._stream import files
from ocior._stream.parts import Part, split
from ocior._stream.sources import source_of

FILES = {
    "lines": b'{"a": 1}\n[2]\n3\n',
    "no newline at the end": b'{"a": 1}\n[2]\n3',
    "one line": b"[1, 2, 3]\n",
    "one line without its newline": b"[1, 2, 3]",
    "one byte": b"1",
    "one newline": b"\n",
    "blank lines": b"\n\n1\n\n\n2\n\n",
    "CRLF": b"1\r\n[2]\r\n\r\n3\r\n",
    "CRLF, no newline at the end": b"1\r\n22\r\n333",
    "mark": b'\xef\xbb\xbf{"a": 1}\n2\n',
    "mark alone": b"\xef\xbb\xbf",
    "mark and newline": b"\xef\xbb\xbf\n1",
    "a long line": b"1\n" + b"2" * 40 + b"\n3\n",
    "UTF-8": '"\u4e2d"\n"\U0001f600\u2028"\n'.encode(),
    "a beginning like bzip2's": b"BZ\n1\n",
}


def read(part, **keywords):
    """The bytes of a Part and where they begin."""
    source = source_of(part, **keywords)
    chunk = source.read()
    offset = source.offset
    data = b"" if chunk is None else chunk + b"".join(iter(source.read, None))
    assert source.read() is None
    assert source.name == part.source
    return data, offset


@pytest.fixture(params=[1, 2, 3, 7, 1 << 18])
def small_chunks(request, monkeypatch):
    """Files are read so many bytes at a time, so that borders lie everywhere."""
    monkeypatch.setattr(files, "CHUNK_BYTES", request.param)


def owned(data, begin, end):
    """The lines whose first byte lies in [begin, end), found one by one, and where the first begins."""
    place, lines, first = 0, [], None
    for line in data.split(b"\n"):
        line += b"\n"
        if begin <= place < end and place < len(data):
            lines.append(line)
            first = place if first is None else first
        place += len(line)
    return b"".join(lines)[: len(data) - first if lines else 0], first


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_each_size(data, tmp_path, small_chunks):
    path = tmp_path / "lines"
    path.write_bytes(data)
    for size in range(1, len(data) + 2):
        parts = split(path, size)
        assert parts == [Part(path, begin, min(begin + size, len(data))) for begin in range(0, len(data), size)]
        together = b""
        for part in parts:
            given, offset = read(part)
            lines, first = owned(data, part.begin, part.end)
            assert given == lines, part
            if given:
                assert offset == first == len(together), part
            together += given
        assert together == data
        assert [b"\xef\xbb\xbf" in read(part)[0] for part in parts[1:]] == [False] * (len(parts) - 1)


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_each_pair_of_offsets(data, tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(data)
    for begin, end in itertools.combinations_with_replacement(range(len(data) + 3), 2):
        assert read(Part(path, begin, end))[0] == owned(data, begin, end)[0]
    for begin in range(len(data) + 3):
        assert read(Part(path, begin))[0] == owned(data, begin, len(data))[0]


def test_random_files(tmp_path):
    path, rng = tmp_path / "lines", random.Random(5)
    for _ in range(10):
        data = b"".join(rng.choice([b"\n", b"\r\n", b"x", b"x" * rng.choice([10, 100_000])]) for _ in range(60))
        path.write_bytes(data)
        for size in (len(data) // 7 + 1, 65_536, 262_144, 262_145):
            parts = split(path, size)
            assert b"".join(read(part)[0] for part in parts) == data
            for part in rng.sample(parts, min(3, len(parts))):
                assert read(part)[0] == owned(data, part.begin, part.end)[0]


def test_large_records(tmp_path):
    path = tmp_path / "lines"
    data = (b"1" * 700_000 + b"\n") * 3
    path.write_bytes(data)
    parts = split(path, 100_000)
    lengths = [len(read(part)[0]) for part in parts]
    assert sum(lengths) == len(data) and sorted(lengths)[-3:] == [700_001] * 3 and lengths.count(0) == len(parts) - 3


def test_a_part_reads_no_more_than_it_must(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"1234567\n" * 1_000_000)
    source = source_of(Part(path, 4_000_000, 4_001_000))
    source._opener = opener = Counting(source._opener)
    assert sum(map(len, iter(source.read, None))) == 1000
    assert opener.byte_len <= files.CHUNK_BYTES
    long = tmp_path / "one line"
    long.write_bytes(b"1" * 4_000_000)
    source = source_of(Part(long, 1_000_000, 1_001_000))
    source._opener = opener = Counting(source._opener)
    assert source.read() is None
    assert opener.byte_len <= files.CHUNK_BYTES


class Counting:
    """Opens a file that counts what is read of it."""

    def __init__(self, opener):
        self.opener = opener
        self.byte_len = 0

    def __call__(self):
        self.file = self.opener()
        return self

    def read(self, size):
        data = self.file.read(size)
        self.byte_len += len(data)
        return data

    def seek(self, *place):
        return self.file.seek(*place)

    def close(self):
        self.file.close()


def test_no_parts(tmp_path):
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert split(path) == []
    assert read(Part(path)) == (b"", 0)
    assert read(Part(path, 0, 0)) == (b"", 0)


def test_a_file_that_has_grown(tmp_path):
    """Parts that were made before lose nothing of what they had, and go to the end of their last line."""
    path = tmp_path / "lines"
    path.write_bytes(b"1\n2\n3")
    parts = split(path, 2)
    with open(path, "ab") as file:
        file.write(b"3\n4\n")
    assert [read(part)[0] for part in parts] == [b"1\n", b"2\n", b"33\n"]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=lambda pack: pack.__module__)
def test_compressed_files(pack, tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_bytes(pack(b"1\n2\n"))
    assert split(path, 1) == [Part(path)]
    assert read(Part(path)) == (b"1\n2\n", 0)
    method = {"gzip": "gzip", "bz2": "bz2", "lzma": "xz"}[pack.__module__]
    assert read(Part(path), compression=method) == (b"1\n2\n", 0)
    assert read(Part(path), compression=None)[0] == path.read_bytes()
    for part in (Part(path, 0, 10), Part(path, 1)):
        with pytest.raises(ValueError, match="one Part"):
            source_of(part, compression=method)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert split(path, 1) == [Part(path)]  # without waiting for someone who writes
    with ThreadPoolExecutor(1) as pool:
        pool.submit(path.write_bytes, b"1\n2\n")
        assert read(Part(path)) == (b"1\n2\n", 0)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_files_that_have_no_length():
    assert split("/proc/self/status", 10) == [Part("/proc/self/status")]


def test_what_cannot_be_split(tmp_path):
    for missing in (tmp_path / "missing", tmp_path):
        with pytest.raises(OSError):
            split(missing)
    for source in (None, 5, b"1\n", [b"1\n"], open, Part("lines")):
        with pytest.raises(TypeError, match="path"):
            split(source)
    for size in (0, -1):
        with pytest.raises(ValueError, match="1 byte"):
            split("lines", size)
    for size in (1.5, "1", None):
        with pytest.raises(TypeError):
            split("lines", size)
    with pytest.raises(ValueError, match="storage_options"):
        split("lines", storage_options={"anon": True})


def test_part_is_a_value():
    part = Part("lines", 1, 5)
    assert (part.source, part.begin, part.end) == ("lines", 1, 5)
    assert repr(part) == "Part('lines', 1, 5)"
    assert part == Part(pathlib.Path("lines"), 1, 5) == eval(repr(part))
    assert len({part, Part("lines", 1, 5), Part("lines", 1), Part("lines", 2, 5), Part("line", 1, 5)}) == 4
    assert part != ("lines", 1, 5) and part != "lines"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(part, protocol)) == part
    assert copy.copy(part) == copy.deepcopy(part) == part
    assert Part("lines") == Part("lines", 0, None)
    for name in ("source", "begin", "end", "other"):
        with pytest.raises(AttributeError):
            setattr(part, name, 0)
        with pytest.raises(AttributeError):
            delattr(part, name)
    assert part == Part("lines", 1, 5)
    match part:
        case Part(source, begin, end):
            assert (source, begin, end) == ("lines", 1, 5)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((5,), TypeError),
        ((None,), TypeError),
        ((b"lines",), TypeError),
        (("lines", -1), ValueError),
        (("lines", 5, 4), ValueError),
        (("lines", "1"), TypeError),
        (("lines", 0, 1.5), TypeError),
        (("lines", None), TypeError),
    ],
)
def test_no_parts_of(arguments, error):
    with pytest.raises(error):
        Part(*arguments)


def test_parts_of_a_missing_file(tmp_path):
    source = source_of(Part(tmp_path / "missing", 1, 5))
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            source.read()


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="open files are counted in /proc")
def test_half_read_parts_leave_no_file_open(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"1234567\n" * 200_000)
    before = len(os.listdir("/proc/self/fd"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sources = [source_of(part) for part in split(path, 400_000)]
        for source in sources:
            source.read()
        assert len(os.listdir("/proc/self/fd")) == before + len(sources)
        del sources, source
        gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before
    for part in split(path, 1000)[:20]:
        read(part)
    assert len(os.listdir("/proc/self/fd")) == before


def test_workers(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"".join(b"%d\n" % number for number in range(100_000)))
    with ThreadPoolExecutor(4) as pool:
        lines = [line for data, _ in pool.map(read, split(path, 10_000)) for line in data.split()]
    assert [int(line) for line in lines] == list(range(100_000))


# --- URLs ----------------------------------------------------------------------------------------------------------


def test_urls(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    filesystem = fsspec.filesystem("memory")
    data = b"".join(b"%d\n" % number for number in range(1000))
    filesystem.pipe({"/lines": data, "/lines.gz": gzip.compress(data), "/empty": b""})
    try:
        parts = split("memory://lines", 100)
        assert parts[1] == Part("memory://lines", 100, 200)
        assert b"".join(read(part)[0] for part in parts) == data
        assert split("memory://lines.gz", 100) == [Part("memory://lines.gz")]
        assert read(Part("memory://lines.gz")) == (data, 0)
        assert split("memory://empty") == []
        with pytest.raises(FileNotFoundError):
            split("memory://missing")
    finally:
        filesystem.store.clear()
    path = tmp_path / "lines"
    path.write_bytes(data)
    parts = split(path.as_uri(), 1000, storage_options={"auto_mkdir": False})
    assert len(parts) == 4
    assert b"".join(read(part, storage_options={"auto_mkdir": False})[0] for part in parts) == data


class Server:
    """What fsspec gives for a URL of a server that knows no ranges, or no length."""

    def __init__(self, data, seekable):
        self.data, self.position, self.seekable = data, 0, seekable

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def read(self, size):
        data = self.data[self.position : self.position + size]
        self.position += len(data)
        return data

    def seek(self, place, whence=0):
        if self.seekable == "no length":
            raise TypeError("unsupported operand type(s) for +: 'NoneType' and 'int'")
        if self.seekable == "no ranges":
            if whence == 2:
                return len(self.data)
            raise ValueError("Cannot seek streaming HTTP file")
        return place


@pytest.mark.parametrize("seekable", ["no length", "no ranges"])
def test_servers_that_cannot_seek(seekable, monkeypatch):
    monkeypatch.setattr("ocior._stream.files.opener_of", lambda path, options: lambda: Server(b"1\n2\n", seekable))
    assert split("https://example.org/lines", 1) == [Part("https://example.org/lines")]
