"""Lines into paths and into files of others, from the beginning or appended."""

import codecs
import functools
import gc
import io
import os
import pathlib
import socket
import tempfile
import threading

import pytest
from line_writers import COMPRESSIONS, EACH_WAY, ENDS, LINES, RECORDS, TEXT, by_write, by_write_all, by_writer
from support import call

import ocior
from ocior import _core
from ocior._stream.writing import Writer, write

# ---- paths ----


class Path:
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


@EACH_WAY
@pytest.mark.parametrize("as_target", [str, pathlib.Path, Path, lambda path: Path(os.fsencode(path))])
def test_paths(tmp_path, way, as_target):
    path = os.path.join(str(tmp_path), "\u4e2d.jsonl")
    pathlib.Path(path).write_text("what was there is gone")
    assert way(RECORDS, as_target(path)) == 300
    assert pathlib.Path(path).read_bytes() == TEXT
    with Writer(as_target(path)) as writer:
        assert writer.name == path and writer.count == 0 and not writer.closed


@EACH_WAY
@pytest.mark.parametrize("append", [False, True])
def test_no_objects(tmp_path, way, append):
    path = tmp_path / "empty"
    assert way([], path, append=append) == 0 and path.read_bytes() == b""


@EACH_WAY
def test_options(tmp_path, way):
    options = dict(sort_keys=True, separators=(", ", ": "), ensure_ascii=True, default=repr)
    objects = [{"b": "\xe9", "a": 1j}, "x"]
    assert way(objects, tmp_path / "file", **options) == 2
    assert (tmp_path / "file").read_text() == "".join(ocior.dumps(obj, **options) + "\n" for obj in objects)


WRONG = [
    ({"indent": 1}, TypeError, "takes no indent"),
    ({"sep": 1}, TypeError, "unexpected keyword argument 'sep'"),
    ({"separators": ("\n", ":")}, ValueError, "line end"),
    ({"compression": "zip"}, ValueError, "'gzip', 'bz2', 'zstd', 'xz' or None, not 'zip'"),
    ({"compression": ".gz"}, ValueError, "not '.gz'"),
    ({"compression": 5}, TypeError, "compression must be a str or None, not int"),
    ({"storage_options": {"key": 1}}, ValueError, "are for a URL"),
]


@pytest.mark.parametrize("function", [Writer, functools.partial(write, [1])], ids=["Writer", "write"])
@pytest.mark.parametrize("options, error, words", WRONG, ids=lambda value: repr(value)[:40])
def test_wrong_options_leave_the_file_alone(tmp_path, function, options, error, words):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(error, match=words):
        function(path, **options)
    assert path.read_text() == "old"


def test_a_single_object_leaves_the_file_alone(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    for objects in ({"a": 1}, "text", 5):
        with pytest.raises(TypeError, match="iterable of objects"):
            write(objects, path)
    assert path.read_text() == "old"


@pytest.mark.parametrize("target", [None, 1, b"path", ["path"], object()], ids=repr)
def test_what_is_no_target(target):
    for function in (Writer, functools.partial(write, [1])):
        with pytest.raises(TypeError, match=f"not to {type(target).__name__}"):
            function(target)


def test_errors_of_the_file_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        write([1], tmp_path / "none" / "file")
    with pytest.raises(OSError):
        write([1], tmp_path)


def test_an_error_in_the_middle(tmp_path):
    path = tmp_path / "file"
    for function in (by_writer, by_write, by_write_all):
        with pytest.raises(TypeError, match="not JSON serializable"):
            function([*RECORDS, {"a": object()}, 1], path)
        assert path.read_bytes() == TEXT
    path.write_text("old")
    with pytest.raises(TypeError):
        write([object()], path)
    assert path.read_bytes() == b""  # as documented


def test_going_on_after_an_error(tmp_path):
    with Writer(tmp_path / "file") as writer:
        for obj in RECORDS:
            with pytest.raises(TypeError):
                writer.write({"x" * 100: object()})
            with pytest.raises(TypeError):
                writer.write_all([obj, {"x" * 100: object()}, 1])
        assert writer.count == 300
    assert (tmp_path / "file").read_bytes() == TEXT


@EACH_WAY
def test_large_records(tmp_path, way):
    objects = ["x" * 400_000, 1, "\u4e2d" * 300_000, *range(50_000), "y" * 140_000]
    assert way(objects, tmp_path / "file") == len(objects)
    assert (tmp_path / "file").read_bytes() == _core.dump_lines_to_bytes(objects)


def test_flush(tmp_path):
    path = tmp_path / "file"
    writer = Writer(path)
    writer.write(1)
    assert path.read_bytes() == b""
    writer.flush()
    assert path.read_bytes() == b"1\n"
    writer.write(2)
    writer.close()
    assert path.read_bytes() == b"1\n2\n"


def test_closed_writers(tmp_path):
    writer = Writer(tmp_path / "file")
    assert writer.write(1) is None and writer.write_all([]) is None and "count=1" in repr(writer)
    writer.close()
    writer.close()
    assert writer.closed and writer.count == 1 and repr(writer).endswith("closed>")
    for use in (lambda: writer.write(2), lambda: writer.write_all([2]), writer.flush, writer.__enter__):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert (tmp_path / "file").read_bytes() == b"1\n"


def test_a_writer_that_nobody_closes(tmp_path):
    writer = Writer(tmp_path / "file")
    writer.write(1)
    del writer
    gc.collect()
    assert (tmp_path / "file").read_bytes() == b"1\n"


def test_no_file_stays_open(tmp_path):
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc")
    count = len(os.listdir("/proc/self/fd"))
    for number in range(30):
        write([1, 2], tmp_path / f"{number}.gz", append=number % 2 == 0)
        call(write, [object()], tmp_path / f"{number}")
        call(write, [1], tmp_path / f"{number}", compression="zip")
    assert len(os.listdir("/proc/self/fd")) == count


# ---- appending ----


@EACH_WAY
@pytest.mark.parametrize("there, between", ENDS, ids=repr)
def test_appending_to_a_path(tmp_path, way, there, between):
    path = tmp_path / "file"
    path.write_bytes(there)
    way([], path, append=True)
    assert path.read_bytes() == there
    way(RECORDS, path, append=True)
    assert path.read_bytes() == there + between + TEXT
    way(["x" * 300_000], path, append=True)
    assert path.read_bytes() == there + between + TEXT + b'"' + b"x" * 300_000 + b'"\n'


def test_appending_to_a_new_path(tmp_path):
    write([1], tmp_path / "file", append=True)
    assert (tmp_path / "file").read_bytes() == b"1\n"


@EACH_WAY
@pytest.mark.parametrize("there, between", ENDS, ids=repr)
def test_appending_to_binary_files(tmp_path, way, there, between):
    path = tmp_path / "file"
    for mode, buffering in (("r+b", -1), ("r+b", 0), ("a+b", -1)):
        path.write_bytes(there)
        with open(path, mode, buffering) as file:
            way([1, 2], file, append=True)
        assert path.read_bytes() == there + between + b"1\n2\n"
    memory = io.BytesIO(there)
    way([1, 2], memory, append=True)
    assert memory.getvalue() == there + between + b"1\n2\n"


@EACH_WAY
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16", "utf-32-be"])
@pytest.mark.parametrize("there, between", ENDS, ids=repr)
def test_appending_to_text_files(tmp_path, way, encoding, there, between):
    path, text = tmp_path / "file", there.decode().replace("\r", "")
    path.write_bytes(text.encode(encoding))
    with open(path, "r+", encoding=encoding, newline="\n") as file:
        way(["\u4e2d"], file, append=True)
    assert path.read_bytes().decode(encoding).replace("\ufeff", "") == text + between.decode() + '"\u4e2d"\n'
    memory = io.StringIO()
    memory.write(text)
    memory.seek(0)
    way(["\u4e2d"], memory, append=True)
    assert memory.getvalue() == text + between.decode() + '"\u4e2d"\n'


def test_appending_where_nothing_can_be_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"torn")
    with open(path, "ab") as file:
        write([1], file, append=True)
    with open(path, "a") as file:
        write([2], file, append=True)
    assert path.read_bytes() == b"torn1\n2\n"


@EACH_WAY
@pytest.mark.parametrize("compression, suffix, decompress", COMPRESSIONS)
def test_appending_a_member(tmp_path, way, compression, suffix, decompress):
    path = tmp_path / f"file.jsonl{suffix}"
    way(RECORDS, path)
    first = path.read_bytes()
    way([1, 2], path, append=True)
    assert path.read_bytes().startswith(first) and decompress(path.read_bytes()) == TEXT + b"1\n2\n"


# ---- files of others ----


@EACH_WAY
def test_binary_files_stay_open(tmp_path, way):
    for file in (io.BytesIO(), open(tmp_path / "a", "wb"), open(tmp_path / "b", "wb", 0), tempfile.TemporaryFile()):
        with file:
            file.write(b"before\n")
            assert way(RECORDS, file) == 300
            file.write(b"behind\n")
            if isinstance(file, io.BytesIO):
                assert file.getvalue() == b"before\n" + TEXT + b"behind\n"
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == b"before\n" + TEXT + b"behind\n"


@EACH_WAY
def test_text_files_stay_open(tmp_path, way):
    for file in (
        io.StringIO(),
        open(tmp_path / "a", "w", encoding="utf-16", newline=""),
        codecs.getwriter("utf-8")(open(tmp_path / "b", "wb")),
    ):
        with file:
            file.write("before\n")
            assert way(RECORDS, file) == 300
            file.write("behind\n")
            if isinstance(file, io.StringIO):
                assert file.getvalue() == "before\n" + TEXT.decode() + "behind\n"
    assert (tmp_path / "a").read_text("utf-16") == (tmp_path / "b").read_text("utf-8") == "before\n" + TEXT.decode() + "behind\n"


@EACH_WAY
@pytest.mark.parametrize("mode", ["w", "wb"])
def test_named_temporary_files(way, mode):
    with tempfile.NamedTemporaryFile(mode) as file:
        with Writer(file) as writer:
            assert writer.name == file.name
        assert way([1, "x"], file) == 2
        file.flush()
        assert pathlib.Path(file.name).read_text() == '1\n"x"\n'


@EACH_WAY
def test_anything_with_a_write(way):
    class Takes:
        def __init__(self, cls):
            self.written, self.cls = [], cls

        def write(self, data):
            if not isinstance(data, self.cls):
                raise TypeError(f"not {self.cls.__name__}")
            self.written.append(data)
            return 0  # means nothing here

    for cls, text in ((bytes, TEXT), (str, TEXT.decode()), (object, TEXT)):
        target = Takes(cls)
        assert way(RECORDS, target) == 300 and cls in (object, type(text)) and text[:0].join(target.written) == text
        if way is by_writer:
            assert target.written == (list(LINES) if cls is not str else [line.decode() for line in LINES])
    with pytest.raises(TypeError, match="not int"):
        way([1], Takes(int))


@EACH_WAY
def test_sockets_and_pipes(way):
    one, other = socket.socketpair()
    with one, other, one.makefile("wb", 0) as file:
        assert way([1, "x"], file, append=True) == 2
        assert other.recv(100) in (b"1\n", b'1\n"x"\n')
    read, written = os.pipe()
    with open(read, "rb") as reader, open(written, "wb", 0) as file:
        got = []
        thread = threading.Thread(target=lambda: got.append(reader.read()))
        thread.start()
        assert way(RECORDS * 20, file) == 6000
        file.close()
        thread.join()
        assert got == [TEXT * 20]


@pytest.mark.parametrize("append", [False, True])
def test_named_pipes(tmp_path, append):
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs named pipes")
    os.mkfifo(tmp_path / "pipe")
    got = []
    thread = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    thread.start()
    assert write(RECORDS, tmp_path / "pipe", append=append) == 300
    thread.join()
    assert got == [TEXT]


def test_text_that_the_encoding_has_not():
    file = io.TextIOWrapper(io.BytesIO(), "ascii")
    with Writer(file) as writer:
        writer.write("a")
        with pytest.raises(UnicodeEncodeError):
            writer.write("\u4e2d")
        writer.write("b")
        assert writer.count == 2
    file.flush()
    assert file.buffer.getvalue().split() == [b'"a"', b'"b"']


@pytest.mark.parametrize("name, known", [("text", "text"), (5, None), (None, None), (b"x", None)], ids=repr)
def test_names_of_files(name, known):
    file = io.BytesIO()
    file.name = name
    assert Writer(file).name == known
