"""Sources that are compressed: each method by its first bytes, several members, files that are cut or corrupt, bombs in bounded memory."""

import bz2
import gzip
import importlib
import io
import lzma
import os
import random
import subprocess
import sys
import textwrap
import time
import tracemalloc
import zlib

import pytest

from ocior._stream.compression import CHUNK_BYTES, compression_of
from ocior._stream.sources import source_of

LINES = b"".join(b'{"number": %d, "text": "\xe4\xb8\xad"}\n' % number for number in range(30_000))


def found(*names):
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    return None


zstd = found("compression.zstd", "backports.zstd")
zstandard = found("zstandard")
igzip = found("isal.igzip_lib")

COMPRESS = {"gzip": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
if zstd or zstandard:
    COMPRESS["zstd"] = zstd.compress if zstd else zstandard.ZstdCompressor().compress

# Each method with each of the packages that it may be read by; the others are hidden.
READERS = {"gzip by zlib": ["isal"], "bz2": [], "xz": []}
if igzip:
    READERS["gzip by isal"] = []
if zstd:
    READERS["zstd"] = []
if zstandard:
    READERS["zstd by zstandard"] = ["compression.zstd", "backports.zstd"]

# Small files, and some of several chunks of input and output.
DATA = {"empty": b"", "short": b"[1]\n", "long": LINES, "random": random.Random(1).randbytes(700_000), "zeros": bytes(3_000_000)}


@pytest.fixture(params=READERS)
def method(request, monkeypatch):
    for name in READERS[request.param]:
        monkeypatch.setitem(sys.modules, name, None)
    return request.param.split()[0]


class Pieces:
    """A file that gives `most` bytes at a time."""

    def __init__(self, data, most):
        self.file = io.BytesIO(data)
        self.most = most

    def read(self, size):
        return self.file.read(min(size, self.most))


def drain(source):
    data = b"".join(bytes(chunk) for chunk in iter(source.read, None))
    assert source.read() is None
    return data


def drain_to_error(source):
    """What a source gives before it raises, and the error. Then it has ended."""
    chunks = []
    try:
        for chunk in iter(source.read, None):
            chunks.append(bytes(chunk))
    except Exception as error:
        assert source.read() is None
        return b"".join(chunks), error
    return b"".join(chunks), None


ERRORS = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)
ERRORS += tuple(module.ZstdError for module in (zstd, zstandard) if module) + ((igzip.error,) if igzip else ())


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
@pytest.mark.parametrize("said", [False, True], ids=["inferred", "said"])
def test_one_member(method, data, said):
    packed = COMPRESS[method](data)
    compression = method if said else "infer"
    for given in (packed, bytearray(packed), io.BytesIO(packed), [packed], Pieces(packed, 1000)):
        source = source_of(given, compression=compression)
        assert drain(source) == data
        assert (source.offset, source.name) == (0, None)


@pytest.mark.parametrize("padding", [b"", bytes(4), bytes(100_000)], ids=["", "padding", "long padding"])
@pytest.mark.parametrize("most", [1, 13, 1 << 20])
def test_several_members(method, padding, most):
    members = [LINES[:100], b"", b"\n", LINES[100:4000], b"", LINES[4000:4001]]
    if most == 1:
        padding = padding[:200]
    packed = b"".join(COMPRESS[method](member) + padding for member in members)
    assert drain(source_of(Pieces(packed, most))) == drain(source_of(packed)) == b"".join(members)


def test_each_cut_of_the_input(method):
    packed = COMPRESS[method](LINES[:300]) + COMPRESS[method](LINES[300:400])
    for place in range(len(packed)):
        assert drain(source_of([packed[:place], packed[place:]])) == LINES[:400]


def test_a_member_for_each_record(method):
    lines = LINES.splitlines(keepends=True)[:3000]
    packed = b"".join(map(COMPRESS[method], lines))
    begin = time.process_time()
    chunks = list(iter(source_of(io.BytesIO(packed)).read, None))
    assert b"".join(chunks) == b"".join(lines)
    assert time.process_time() - begin < 5
    assert len(chunks) < 10  # small ones are gathered


def test_each_cut_of_a_file(method):
    """What has come is given; then EOFError says that there should be more."""
    first = COMPRESS[method](LINES[:1000])
    packed = first + COMPRESS[method](LINES[1000:1200])
    for end in range(6, len(packed)):
        data, error = drain_to_error(source_of(io.BytesIO(packed[:end])))
        if end == len(first):
            assert (data, error) == (LINES[:1000], None)
        else:
            assert type(error) is EOFError, end
            assert LINES.startswith(data) and (end < len(first) or len(data) >= 1000)


def test_cut_file_gives_much_of_what_is_there(method):
    packed = COMPRESS[method](LINES * 3)
    data, error = drain_to_error(source_of(Pieces(packed[:-20], 1000)))
    assert type(error) is EOFError
    assert len(data) > len(LINES) and (LINES * 3).startswith(data)


def test_corrupt_data(method):
    whole, packed = COMPRESS[method](b"[1]\n"), bytearray(COMPRESS[method](LINES))
    middle = len(packed) // 2
    packed[middle : middle + 400] = b"\xff\xa5" * 200
    for most in (100, 1 << 20):
        data, error = drain_to_error(source_of(Pieces(whole + bytes(packed), most)))
        assert isinstance(error, ERRORS) and type(error) is not EOFError
        assert data.startswith(b"[1]\n") and (b"[1]\n" + LINES).startswith(data)


def test_something_else_behind_a_member(method):
    data, error = drain_to_error(source_of(COMPRESS[method](b"[1]\n") + b"x" * 100))
    assert data == b"[1]\n"
    assert isinstance(error, ERRORS)


def test_wrong_checksum(method):
    packed = bytearray(COMPRESS[method](b"[1]\n" * 100))
    if method == "zstd":
        pytest.skip("has none unless it is asked for")
    packed[-6 if method == "gzip" else 16 if method == "xz" else 12] ^= 1
    data, error = drain_to_error(source_of(bytes(packed)))
    assert isinstance(error, ERRORS)


def test_data_that_are_not_as_is_said(method):
    data, error = drain_to_error(source_of(b'{"a": 1}\n' * 5, compression=method))
    assert data == b"" and isinstance(error, ERRORS) and type(error) is not EOFError
    assert drain(source_of(b"", compression=method)) == b""


def test_compressed_data_taken_as_they_are(method):
    packed = COMPRESS[method](LINES[:100])
    assert source_of(packed, compression=None) is packed
    assert drain(source_of(io.BytesIO(packed), compression=None)) == packed


@pytest.mark.parametrize("kind", ["member", "members"])
def test_bombs(method, kind):
    """100 MB of one byte: each call gives little, and little is held."""
    count = 100 << 20
    if kind == "member":
        packed = io.BytesIO()
        if method == "zstd":
            block = (((128 << 10) << 3) | (1 << 1)).to_bytes(3, "little") + b" "  # a run of 128 KB, in 4 bytes
            packed.write(b"\x28\xb5\x2f\xfd\x00\x38" + block * (count >> 17) + b"\x01\x00\x00")
        else:
            compressor = {
                "gzip": lambda: zlib.compressobj(wbits=31),
                "bz2": bz2.BZ2Compressor,
                "xz": lambda: lzma.LZMACompressor(preset=0),
            }[method]()
            for _ in range(count >> 20):
                packed.write(compressor.compress(b" " * (1 << 20)))
            packed.write(compressor.flush())
        packed = packed.getvalue()
    else:
        packed = COMPRESS[method](b" " * (10 << 20)) * 10
    tracemalloc.start()
    try:
        source = source_of(packed)
        byte_len, most = 0, 0
        for chunk in iter(source.read, None):
            byte_len += len(chunk)
            most = max(most, len(chunk))
            if byte_len > 30 << 20 and method == "bz2":
                break  # it takes its time
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert byte_len == count or method == "bz2"
    assert most <= (9 << 20 if method == "zstd" else 2 * CHUNK_BYTES)
    assert peak < (32 << 20 if method == "zstd" else 16 << 20) + len(packed) * 2


def test_bomb_in_a_process():
    """The memory of decompressors themselves is not Python's: it is measured from outside."""
    pytest.importorskip("resource")
    code = """
        import bz2, io, lzma, resource, sys, zlib
        from ocior._stream.sources import source_of
        method = sys.argv[1]
        compressor = zlib.compressobj(wbits=31) if method == "gzip" else lzma.LZMACompressor(preset=1)
        packed = b"".join(compressor.compress(b" " * (1 << 20)) for _ in range(100)) + compressor.flush()
        source = source_of(io.BytesIO(packed))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert sum(map(len, iter(source.read, None))) == 100 << 20
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print((after - before) // (1 << (20 if sys.platform == "darwin" else 10)))
    """
    for method in ("gzip", "xz"):
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(code), method], capture_output=True, text=True)
        assert done.stderr == ""
        assert int(done.stdout) < 20  # MB


@pytest.mark.parametrize("name", COMPRESS)
def test_first_bytes(name):
    packed = COMPRESS[name](LINES[:10])
    assert compression_of(packed) == compression_of(packed[:6]) == name
    told = [compression_of(packed[:count]) for count in range(7)]
    assert set(told) == {"infer", name}
    assert told == sorted(told, key=["infer", name].index)


def test_no_json_is_taken_for_compressed():
    for first in range(256):
        for head in (bytes((first,)), bytes((first,)) + b"x"):
            told = compression_of(head)
            assert told in (None, "infer")
            if told == "infer":  # of these only `[` begins JSON, and then no `*` follows
                assert len(head) == 1 and (first == ord("[") or first not in b' \t\r\n{"-0123456789tfnIN\xef\x1e')
    for text in (b"{}", b"[1]", b" [", b"\n", b'"BZh"', b"1", b"true", b"NaN", b"\xef\xbb\xbf{}", b"\x1e1\n"):
        assert source_of(text) is text


@pytest.mark.parametrize("frame", [0x184D2A50, 0x184D2A5B, 0x184D2A5F], ids=hex)
def test_zstd_with_frames_to_skip(frame):
    if "zstd" not in COMPRESS:
        pytest.skip("needs zstd")
    skipped = frame.to_bytes(4, "little") + (5).to_bytes(4, "little") + b"hello"
    packed = skipped + COMPRESS["zstd"](LINES[:100]) + skipped + COMPRESS["zstd"](LINES[100:200]) + skipped
    for most in (1, 1 << 20):
        assert drain(source_of(Pieces(packed, most))) == LINES[:200]


@pytest.mark.parametrize("said", [False, True])
def test_without_a_package_for_zstd(monkeypatch, tmp_path, said):
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / "lines.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    if said:
        with pytest.raises(ImportError, match="pip install backports.zstd"):
            source_of(path, compression="zstd")
        return
    source = source_of(path)
    with pytest.raises(ImportError, match="pip install backports.zstd"):
        source.read()
    assert source.read() is None


@pytest.mark.parametrize("compression", ["GZIP", "gz", "zip", "tar", "", "none", "lzma"])
def test_other_methods(compression):
    with pytest.raises(ValueError, match="'infer', 'gzip', 'bz2', 'zstd', 'xz' or None"):
        source_of([], compression=compression)


@pytest.mark.parametrize("compression", [5, {"method": "gzip"}, b"gzip", True])
def test_methods_of_another_type(compression):
    with pytest.raises(TypeError, match="compression"):
        source_of([], compression=compression)


def test_name_of_a_file_tells_nothing(tmp_path):
    path = tmp_path / "lines.jsonl.gz"
    path.write_bytes(LINES)
    assert drain(source_of(path)) == LINES
    path = tmp_path / "lines.jsonl"
    path.write_bytes(gzip.compress(LINES))
    assert drain(source_of(path)) == LINES


@pytest.mark.skipif(os.name == "nt", reason="pipes always wait there")
def test_compressed_pipe_that_does_not_wait(method):
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    packed = COMPRESS[method](b"[1]\n") + COMPRESS[method](b"[2]\n")
    data = b""
    with open(reading, "rb") as file, open(writing, "wb", buffering=0) as out:
        source = source_of(file)
        for place in range(len(packed)):
            with pytest.raises(BlockingIOError):
                while True:
                    data += source.read()
            out.write(packed[place : place + 1])
        out.close()
        assert data + drain(source) == b"[1]\n[2]\n"
