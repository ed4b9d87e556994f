"""What the tests of writing lines share: each way to write lines, and the text that they have to be."""

import bz2
import dataclasses
import gzip
import importlib.util
import io
import json
import lzma

import pytest

import ocior
from ocior import _core
from ocior._stream.writing import Writer, write


def lines_of_blocks(objects, **options):
    return b"".join(_core.LineEncoder(objects, **options))


def lines_one_by_one(objects, **options):
    return b"".join(map(_core.LineEncoder((), **options).encode, objects))


def lines_gathered(objects, **options):
    encoder = _core.LineEncoder((), **options)
    length, count = 0, 0
    for obj in objects:
        longer = encoder.gather(obj)
        assert longer > length
        length, count = longer, count + 1
    lines = encoder.take(False)
    assert len(lines) == length and encoder.count == count and encoder.take(True) == b""
    return lines


# What writes lines, and what gives the text of each.
TO_STR = (_core.dump_lines, ocior.dumps)
TO_BYTES = [(function, ocior.dumps_to_bytes) for function in (_core.dump_lines_to_bytes, lines_of_blocks, lines_one_by_one, lines_gathered)]
ALL = pytest.mark.parametrize("function, single", [TO_STR, *TO_BYTES], ids=lambda function: function.__name__)


def expected(single, objects, options):
    texts = [single(obj, **options) for obj in objects]
    return "".join(text + "\n" for text in texts) if single is ocior.dumps else b"".join(text + b"\n" for text in texts)


@dataclasses.dataclass
class Order:
    order_id: int
    note: str


class Encodes(json.JSONEncoder):
    """encode() is its own, so that it is called for each line."""

    def encode(self, o):
        return "<" + super().encode(o) + "\xe9>"


RECORDS = [{"id": number, "text": "\u4e2d\n" * (number % 5)} for number in range(300)]
LINES = [ocior.dumps_to_bytes(obj) + b"\n" for obj in RECORDS]
TEXT = b"".join(LINES)
# What a file ends with, and what has to come between that and the next line.
ENDS = [(b"", b""), (b"1\n", b""), (b"1", b"\n"), (b'{"a":', b"\n"), (b"1\n\n", b""), (b"1\r\n", b""), (b"\n", b""), (b"1\n ", b"\n")]


try:
    from compression.zstd import decompress as decompress_zstd
except ImportError:
    try:
        from backports.zstd import decompress as decompress_zstd
    except ImportError:
        try:
            from zstandard import ZstdDecompressor
        except ImportError:
            decompress_zstd = None
        else:

            def decompress_zstd(data):
                return ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True).read()


needs_zstd = pytest.mark.skipif(decompress_zstd is None, reason="needs a module for zstd")
COMPRESSIONS = [
    pytest.param("gzip", ".gz", gzip.decompress, id="gzip"),
    pytest.param("bz2", ".bz2", bz2.decompress, id="bz2"),
    pytest.param("xz", ".xz", lzma.decompress, id="xz"),
    pytest.param("zstd", ".zst", decompress_zstd, id="zstd", marks=needs_zstd),
]


def by_write(objects, target, **options):
    return write(objects, target, **options)


def by_writer(objects, target, **options):
    with Writer(target, **options) as writer:
        for obj in objects:
            writer.write(obj)
    return writer.count


def by_write_all(objects, target, **options):
    objects = list(objects)
    with Writer(target, **options) as writer:
        writer.write_all(objects[:2])
        writer.flush()
        writer.write_all(iter(objects[2:]))
    return writer.count


EACH_WAY = pytest.mark.parametrize("way", [by_write, by_writer, by_write_all], ids=lambda way: way.__name__)


needs_fsspec = pytest.mark.skipif(importlib.util.find_spec("fsspec") is None, reason="needs fsspec")


class Raw(io.RawIOBase):
    """A file without a buffer that takes a few bytes at a time, and answers as told."""

    def __init__(self, most=10**9, answers=()):
        self.written, self.most, self.answers = b"", most, list(answers)

    def writable(self):
        return True

    def write(self, data):
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, BaseException):
            raise answer
        if answer == "none":
            return None
        if isinstance(answer, tuple):
            return answer[0]
        count = min(self.most, len(data)) if answer is None else answer
        self.written += bytes(data)[:count]
        return count
