"""Records from data in memory and iterables of chunks; what is refused; sources that raise, or are not read to their end."""

import array
import ctypes
import gc
import gzip
import io
import mmap
import socket
import subprocess
import sys
import warnings
import weakref
from collections import deque

import pytest
from stream_sources import LINES, LONG, AsyncFile, Trouble, drain

from ocior._stream.compression import CHUNK_BYTES
from ocior._stream.sources import source_of

BUFFERS = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "slice": lambda data: memoryview(b"xx" + data + b"yy")[2:-2],
    "array": lambda data: array.array("B", data),
    "ctypes": lambda data: (ctypes.c_ubyte * len(data)).from_buffer_copy(data),
    "two dimensions": lambda data: memoryview(data).cast("B", (len(data) // 5, 5)),
    "words": lambda data: memoryview(data).cast("H"),
}


@pytest.mark.parametrize("kind", BUFFERS)
@pytest.mark.parametrize("data", [LINES[:30], LONG[: len(LONG) // 10 * 10]], ids=["short", "long"])
def test_buffers(kind, data):
    source = source_of(BUFFERS[kind](data))
    if kind == "bytes":
        assert source is data
    else:
        assert max(len(chunk) for chunk in iter(source_of(BUFFERS[kind](data)).read, None)) <= CHUNK_BYTES
        assert (source.name, source.offset) == (None, 0)
    assert drain(source) == data


def test_mapped_file(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(LONG)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        mapped.seek(10)  # a mapped file is memory: it is read from its beginning
        assert drain(source_of(mapped)) == LONG


@pytest.mark.parametrize("kind", ["bytes", "bytearray", "memoryview", "array"])
def test_empty_buffers(kind):
    assert drain(source_of(BUFFERS[kind](b""))) == b""


def test_class_derived_from_bytes():
    class Blob(bytes):
        def __bytes__(self):
            raise AssertionError("the data are those that lie there")

    blob = Blob(LINES)
    assert source_of(blob) is blob
    assert drain(source_of(Blob(gzip.compress(LINES)))) == LINES


@pytest.mark.parametrize("change", ["longer", "shorter", "empty"])
def test_buffer_that_is_resized_meanwhile(change):
    buffer = bytearray(LONG)
    source = source_of(buffer)
    first = source.read()
    assert first == LONG[:CHUNK_BYTES]
    if change == "longer":
        buffer += b"[1]\n" * 100_000
    else:
        del buffer[CHUNK_BYTES + 10 if change == "shorter" else 0 :]
    assert drain(source) == {"longer": LONG + b"[1]\n" * 100_000, "shorter": LONG[: CHUNK_BYTES + 10], "empty": first}[change][CHUNK_BYTES:]


def test_buffer_that_is_closed_meanwhile():
    mapped = mmap.mmap(-1, 2 * CHUNK_BYTES)
    source = source_of(mapped, compression=None)
    source.read()
    mapped.close()
    with pytest.raises(ValueError):
        source.read()


def generator():
    yield LINES[:10]
    yield b""
    yield LINES[10:]


class Iterable:
    """Has a generator for its iterator."""

    __iter__ = staticmethod(generator)


class Repeated:
    """An iterator that uses one buffer for all its chunks."""

    def __init__(self):
        self.chunks = [LINES[begin : begin + 8] for begin in range(0, len(LINES), 8)]
        self.buffer = bytearray(8)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.chunks:
            raise StopIteration
        chunk = self.chunks.pop(0)
        self.buffer[: len(chunk)] = chunk
        return memoryview(self.buffer)[: len(chunk)]


CHUNKS = {
    "list": lambda: [LINES[:3], LINES[3:]],
    "tuple": lambda: (LINES,),
    "deque": lambda: deque([LINES]),
    "empty chunks": lambda: [b"", LINES[:20], b"", "", bytearray(), LINES[20:], b""],
    "kinds": lambda: [bytearray(LINES[:5]), memoryview(LINES[5:9]), LINES[9:15].decode(), array.array("B", LINES[15:])],
    "text": lambda: iter(LINES.decode()),
    "one byte each": lambda: (LINES[place : place + 1] for place in range(len(LINES))),
    "strided": lambda: [memoryview(bytes(unit for pair in zip(LINES, LINES) for unit in pair))[::2]],
    "words": lambda: [memoryview(LINES[:4]).cast("I"), LINES[4:]],
    "generator": generator,
    "iterable": Iterable,
    "map": lambda: map(bytes, [LINES]),
    "one buffer": Repeated,
    "none": lambda: [],
    "none of it": lambda: iter([b"", b""]),
}


@pytest.mark.parametrize("kind", CHUNKS)
@pytest.mark.parametrize("compression", ["infer", None])
def test_chunks(kind, compression):
    source = source_of(CHUNKS[kind](), compression=compression)
    data = b"".join(bytes(chunk) for chunk in iter(source.read, None))
    assert data == (b"" if kind.startswith("none") else LINES)
    assert (source.read(), source.name, source.offset) == (None, None, 0)


def test_arrays_of_objects():
    numpy = pytest.importorskip("numpy")
    assert drain(source_of(numpy.array([b"[1]\n", "[2]\n"], dtype=object))) == b"[1]\n[2]\n"
    with pytest.raises(TypeError, match="dict"):
        source_of(numpy.array([{}], dtype=object)).read()
    assert drain(source_of(numpy.frombuffer(LINES, dtype="u1"))) == LINES


def test_half_pairs_of_surrogates():
    assert drain(source_of(["\ud83d", "\ude00"])) == b"\xed\xa0\xbd\xed\xb8\x80"
    assert drain(source_of(io.StringIO("\ud800"))) == b"\xed\xa0\x80"


def test_text_is_what_it_holds():
    class Text(str):
        def encode(self, *arguments):
            raise AssertionError

    assert drain(source_of([Text("[1]\n")])) == b"[1]\n"


REFUSED = {
    "None": None,
    "int": 7,
    "float": 1.5,
    "dict": {"a": 1},
    "object": object(),
    "class": list,
    "function": len,
    "socket": socket.socket,
    "strided": memoryview(b"abcdef")[::2],
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_source(kind):
    value = REFUSED[kind]
    with pytest.raises(TypeError) as caught:
        source_of(value)
    assert type(value).__name__ in str(caught.value)


class AsyncChunks:
    def __aiter__(self):
        raise AssertionError


async def async_generator():
    yield b""


@pytest.mark.parametrize("make", [lambda: AsyncFile(b""), AsyncChunks, async_generator], ids=["file", "iterable", "generator"])
def test_asynchronous_sources(make):
    with pytest.raises(TypeError, match="aread"):
        source_of(make())


@pytest.mark.parametrize("chunk", [{"a": 1}, [1], 7, 1.5, None, object()], ids=repr)
@pytest.mark.parametrize("kind", ["list", "generator", "file"])
def test_chunk_of_another_type(chunk, kind):
    if kind == "file" and chunk is None:
        pytest.skip("a file says by it that there is nothing yet")

    class File:
        def read(self, size):
            return chunk

    source = source_of({"list": [b"1\n", chunk], "generator": (given for given in [b"1\n", chunk]), "file": File()}[kind])
    if kind != "file":
        assert source.read() == b"1\n"
    with pytest.raises(TypeError, match=f"bytes-like.*str.*{type(chunk).__name__}"):
        source.read()


def test_chunk_that_should_be_awaited():
    class File:
        def read(self, size):
            return AsyncFile(b"").read(size)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match="aread.*async def"):
            source_of(File()).read()
        gc.collect()


def test_nothing_is_read_early(tmp_path):
    class File:
        def __getattr__(self, name):
            if name == "read":
                return self.fail
            raise AttributeError(name)

        def fail(self, size):
            raise AssertionError

    def chunks():
        raise AssertionError
        yield

    class Chunks:
        def __iter__(self):
            raise AssertionError

    for source in (File(), chunks(), Chunks(), str(tmp_path / "missing"), str(tmp_path), "memory://missing"):
        if source == "memory://missing":
            pytest.importorskip("fsspec")
        source_of(source).close()
    for source in (tmp_path / "missing", tmp_path):
        with pytest.raises(OSError):
            source_of(source).read()


class Tracked:
    """Chunks whose generator notes that it was closed."""

    def __init__(self):
        self.closed = False

    def chunks(self):
        try:
            while True:
                yield LINES
        finally:
            self.closed = True


def test_generators_are_closed():
    for is_given in (True, False):
        for finish in ("close", "collect"):
            for begun in (True, False):
                tracked = Tracked()
                given = tracked.chunks() if is_given else type("Chunks", (), {"__iter__": lambda self: tracked.chunks()})()  # noqa: B023
                source = source_of(given)
                if begun:
                    source.read()
                if finish == "close":
                    source.close()
                del source
                gc.collect()
                assert tracked.closed == begun
                if is_given:
                    assert given.gi_frame is None


def test_other_iterators_stay_open():
    class Chunks(Repeated):
        def close(self):
            raise AssertionError("it belongs to someone else")

    chunks = Chunks()
    source = source_of(chunks)
    source.read()
    source.close()
    del source
    assert next(chunks) == LINES[8:16]


def failing():
    yield LINES
    raise Trouble


class FailingFile:
    def __init__(self):
        self.count = 0

    def read(self, size):
        self.count += 1
        if self.count == 2:
            raise Trouble
        return LINES if self.count < 4 else b""


def test_sources_that_raise():
    for compression in ("infer", None):
        source = source_of(failing(), compression=compression)
        assert source.read() == LINES
        with pytest.raises(Trouble):
            source.read()
        assert source.read() is None
        source = source_of(FailingFile(), compression=compression)
        assert source.read() == LINES
        with pytest.raises(Trouble):
            source.read()
        assert drain(source) == LINES


def test_sources_can_be_referred_to_weakly():
    for source in (source_of("lines"), source_of(io.BytesIO()), source_of(bytearray()), source_of([])):
        assert weakref.ref(source)() is source


def test_import_is_lean():
    """What reads records is imported with the package: it brings nothing in that is not there, and no package for one source."""
    code = (
        "import json, sys; before = set(sys.modules); import ocior._stream.sources, ocior._stream.parts, ocior._stream.asynchronous;"
        "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('ocior')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    heavy = {"asyncio", "typing", "inspect", "dataclasses", "gzip", "bz2", "lzma", "isal", "backports", "zstandard", "fsspec"}
    assert done.returncode == 0, done.stderr
    assert not heavy & set(done.stdout.split()), done.stdout
