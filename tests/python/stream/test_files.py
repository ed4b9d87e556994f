"""Records from files: paths and URLs, files that are lent, pipes and what does not wait, what is given when, and what is left open."""

import gc
import gzip
import http.client
import io
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
import zipfile

import pytest
from stream_sources import LINES, LONG, drain, needs_nonblocking, needs_proc, open_file_count

from ocior import lines
from ocior._stream.files import PathSource
from ocior._stream.sources import source_of


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_bytes(LINES)
    return path


class Folder:
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


PATHS = {
    "str": str,
    "pathlib": pathlib.Path,
    "fspath": lambda path: Folder(str(path)),
    "fspath bytes": lambda path: Folder(os.fsencode(path)),
}


@pytest.mark.parametrize("kind", PATHS)
def test_paths(kind, path):
    source = source_of(PATHS[kind](path))
    assert drain(source) == LINES
    assert (source.name, source.offset) == (str(path), 0)


class OnlyRead:
    """A file that has no more than read()."""

    def __init__(self, data, most=7):
        self.file = (io.StringIO if isinstance(data, str) else io.BytesIO)(data)
        self.most = most

    def read(self, size):
        return self.file.read(min(size, self.most))


class OnlyReadOfIO(io.BufferedIOBase):
    """io gives it a read1() that only says that there is none."""

    def __init__(self, data):
        self.file = io.BytesIO(data)

    def read(self, size=-1):
        return self.file.read(size)


class TextOfIO(io.TextIOBase):
    def __init__(self, text):
        self.file = io.StringIO(text)

    def read(self, size=-1):
        return self.file.read(size)


def connected(data):
    one, other = socket.socketpair()
    with one:
        one.sendall(data)
    with other:
        return other.makefile("rb")


def spooled(data, mode):
    file = tempfile.SpooledTemporaryFile(mode=mode, encoding=None if "b" in mode else "utf-8", newline=None if "b" in mode else "\n")
    file.write(data)
    file.seek(0)
    return file


def zip_member(data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("lines.jsonl", data)
    return zipfile.ZipFile(file).open("lines.jsonl")


def response_of(data, length, chunked=False):
    """What http.client gives for an answer that promises `length` bytes."""
    headers = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % length
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data) if chunked else data
    file = connected(b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n\r\n" + body)

    class Socket:
        def makefile(self, mode):
            return file

    response = http.client.HTTPResponse(Socket())
    response.begin()
    return response


FILES = {
    "BytesIO": lambda path: io.BytesIO(LINES),
    "StringIO": lambda path: io.StringIO(LINES.decode()),
    "buffered": lambda path: open(path, "rb"),
    "raw": lambda path: open(path, "rb", buffering=0),
    "text": lambda path: open(path, encoding="utf-8", newline="\n"),
    "only read": lambda path: OnlyRead(LINES),
    "only read of text": lambda path: OnlyRead(LINES.decode()),
    "io without read1": lambda path: OnlyReadOfIO(LINES),
    "io of text": lambda path: TextOfIO(LINES.decode()),
    "gzip": lambda path: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(LINES))),
    "zip member": lambda path: zip_member(LINES),
    "socket": lambda path: connected(LINES),
    "response": lambda path: response_of(LINES, len(LINES)),
    "chunked response": lambda path: response_of(LINES, None, chunked=True),
    "spooled": lambda path: spooled(LINES, "w+b"),
    "spooled text": lambda path: spooled(LINES.decode(), "w+"),
}


@pytest.mark.parametrize("kind", FILES)
def test_files(kind, path):
    file = FILES[kind](path)
    source = source_of(file)
    assert drain(source) == LINES
    assert source.offset == 0
    assert source.name == (file.name if isinstance(getattr(file, "name", None), str) else None)
    if hasattr(file, "close"):
        assert kind.endswith("response") or not file.closed  # lent; a response closes itself
        file.close()


def test_file_is_read_from_where_it_stands(path):
    with open(path, "rb") as file:
        file.readline()
        assert drain(source_of(file)) == LINES[LINES.index(b"\n") + 1 :]


def test_file_of_another_encoding(path):
    path.write_text(LINES.decode(), encoding="utf-16", newline="\n")
    with open(path, encoding="utf-16", newline="\n") as file:
        assert drain(source_of(file)) == LINES


def test_name_that_is_a_number(path):
    descriptor = os.open(path, os.O_RDONLY)
    with open(descriptor, "rb") as file:
        assert source_of(file).name is None


@pytest.mark.parametrize("chunked", [False, True])
def test_response_that_is_cut(chunked):
    response = response_of(LINES, len(LINES) + 5)
    if chunked:
        file = connected(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s" % (len(LINES) + 5, LINES))
        response = http.client.HTTPResponse(type("Socket", (), {"makefile": lambda self, mode: file})())
        response.begin()
    source = source_of(response)
    assert source.read() == LINES
    with pytest.raises(http.client.IncompleteRead):
        source.read()


@pytest.mark.parametrize("compression", ["infer", None])
def test_pipe_gives_what_has_come(compression):
    """A chunk is given once it has come, be it a byte."""
    reading, writing = os.pipe()
    with open(reading, "rb") as file, open(writing, "wb", buffering=0) as out:
        source = source_of(file, compression=compression)
        for place in range(len(LINES)):
            out.write(LINES[place : place + 1])
            assert source.read() == LINES[place : place + 1]
        out.write(LINES)
        assert source.read() == LINES
        out.close()
        assert source.read() is None


@pytest.mark.parametrize("buffering", [0, -1], ids=["raw", "buffered"])
@pytest.mark.parametrize("first", [b"[*", b"BZ", b"\x1f", b"\xfd7zX", b"(\xb5/"], ids=ascii)
def test_pipe_that_may_be_compressed(first, buffering):
    """As long as the first bytes may begin something compressed, they are kept."""
    reading, writing = os.pipe()
    with open(reading, "rb", buffering) as file, open(writing, "wb", buffering=0) as out:
        source = source_of(file)
        for place in range(len(first)):
            out.write(first[place : place + 1])
            assert source.read() == b""
        out.write(b"x")
        assert source.read() == first + b"x"
        out.write(b"y")
        assert source.read() == b"y"
        out.write(first)
        out.close()
        assert drain(source) == first


@pytest.mark.parametrize("first", [b"[", b"BZ", b"\xfd7zXZ"], ids=ascii)
def test_end_that_may_be_compressed(first):
    assert drain(source_of(iter([first]))) == drain(source_of(first)) == drain(source_of(bytearray(first))) == first


def test_pipe_of_text():
    """A text file over a pipe gives each line when it has come."""
    code = r"import sys; [print(line, end='', flush=True) or input() for line in ('{}\n', '[1]\n', '2')]"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        source = source_of(process.stdout)
        for line in (b"{}\n", b"[1]\n"):
            assert source.read() == line
            process.stdin.write("\n")
            process.stdin.flush()
        process.stdin.write("\n")
        process.stdin.close()
        assert drain(source) == b"2"


@needs_nonblocking
@pytest.mark.parametrize("buffering", [0, -1], ids=["raw", "buffered"])
@pytest.mark.parametrize("compression", ["infer", None])
def test_file_that_does_not_wait(buffering, compression):
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with open(reading, "rb", buffering) as file, open(writing, "wb", buffering=0) as out:
        source = source_of(file, compression=compression)
        for data in (b"[1]\n", b"B", b"[2]\n"):
            with pytest.raises(BlockingIOError):
                source.read()
            out.write(data)
            assert source.read() == data
        with pytest.raises(BlockingIOError):
            source.read()
        out.close()
        assert source.read() is None


def test_file_that_gives_none():
    class File:
        chunks = [None, b"B", None, b"[1]", None, b""]

        def read(self, size):
            return self.chunks.pop(0)

    source = source_of(File())
    for expected in (None, b"", None, b"B[1]", None):
        if expected is None:
            with pytest.raises(BlockingIOError):
                source.read()
        else:
            assert source.read() == expected
    assert source.read() is None


def test_standard_input():
    code = (
        "import sys; from ocior._stream.sources import source_of; source = source_of(sys.stdin);"
        "sys.stdout.buffer.write(b''.join(iter(source.read, None)) + source.name.encode())"
    )
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], input=LINES, capture_output=True, env=environment)
    assert (done.stdout, done.stderr) == (LINES + b"<stdin>", b"")


def test_standard_input_that_is_replaced(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("[1]\n"))
    assert drain(source_of(sys.stdin)) == b"[1]\n"


def test_closed_files(path):
    with open(path, "rb") as binary, open(path, encoding="utf-8") as text, open(path, "ab") as writing:
        pass
    for file in (binary, text):
        with pytest.raises(ValueError):
            source_of(file).read()
    with open(path, "ab") as writing, pytest.raises(io.UnsupportedOperation):
        source_of(writing).read()


@needs_proc
@pytest.mark.parametrize("finish", ["close", "drop", "end"])
@pytest.mark.parametrize("compressed", [False, True])
def test_half_read_sources_leave_no_file_open(tmp_path, finish, compressed):
    path = tmp_path / "lines"
    path.write_bytes(gzip.compress(LONG) if compressed else LONG)
    before = open_file_count()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sources = [source_of(path) for _ in range(300)]
        assert open_file_count() == before
        for source in sources:
            assert len(source.read()) > 0
        assert open_file_count() == before + 300
        if finish == "end":
            for source in sources:
                assert drain(source)
        elif finish == "close":
            for source in sources:
                source.close()
                assert source.read() is None
        else:
            del sources, source
            gc.collect()
        assert open_file_count() == before


def test_standard_input_that_is_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(TypeError):
        source_of(sys.stdin)


def test_close_from_another_thread(path):
    source = source_of(path)
    source.read()
    thread = threading.Thread(target=source.close)
    thread.start()
    thread.join()
    assert source.read() is None


@pytest.fixture
def memory():
    fsspec = pytest.importorskip("fsspec")
    filesystem = fsspec.filesystem("memory")
    yield filesystem
    filesystem.store.clear()


def test_urls(memory, path):
    memory.pipe("/lines.jsonl", LINES)
    source = source_of("memory://lines.jsonl")
    assert drain(source) == LINES
    assert source.name == "memory://lines.jsonl"
    assert drain(source_of(path.as_uri())) == LINES
    assert drain(source_of(path.as_uri(), storage_options={"auto_mkdir": False})) == LINES
    with pytest.raises(FileNotFoundError):
        source_of("memory://missing").read()
    with pytest.raises(ValueError):
        source_of("nonsense://missing").read()


def test_files_of_fsspec(memory):
    memory.pipe("/lines.jsonl", LINES)
    with memory.open("/lines.jsonl") as file:
        assert drain(source_of(file)) == LINES


def test_urls_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ImportError, match="pip install fsspec"):
        source_of("s3://bucket/key")


@pytest.mark.parametrize("source", ["lines.jsonl", pathlib.Path("lines.jsonl"), b"", [], io.BytesIO(), bytearray()], ids=repr)
def test_options_without_a_url(source):
    with pytest.raises(ValueError, match="storage_options"):
        source_of(source, storage_options={"anon": True})
    source_of(source, storage_options={})


def test_options_that_are_no_mapping():
    with pytest.raises((TypeError, ValueError)):
        source_of("s3://bucket/key", storage_options=5)


def test_files_of_our_own_are_read_where_they_are_needed(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b'{"a": 1}\n' * 200_000)
    source = source_of(str(path))
    assert source.read_into is None  # before the first bytes have told whether they are compressed
    data = bytes(source.read())
    memory = bytearray(100_000)
    while byte_len := source.read_into(memoryview(memory)):
        data += memory[:byte_len]
    assert byte_len is None and data == path.read_bytes()
    assert source.read() is None
    with open(path, "rb") as lent:
        source = source_of(lent)
        source.read()
        assert source.read_into is None


def test_memory_that_a_failing_file_was_lent_is_taken_back(tmp_path, monkeypatch):
    lent = []

    def failing(self, memory):
        lent.append(memory)
        raise OSError("the disk is gone")

    monkeypatch.setattr(PathSource, "_read_into", failing)
    path = tmp_path / "lines"
    path.write_bytes(b"1\n" * 200_000)
    reader = lines.read(str(path))
    with pytest.raises(OSError, match="the disk is gone"):
        list(reader)
    with pytest.raises(ValueError, match="released"):
        lent[0][0]
