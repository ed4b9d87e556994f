"""What the tests of streams share: data in lines, and asynchronous sources with a feed that stands in for the native one."""

import asyncio
import io
import os
import warnings

import pytest

import ocior
from ocior._stream.asynchronous import aread

LINES = b'{"a": 1}\n' * 3 + '{"\u4e2d": "\U0001f600"}\n'.encode()
LONG = b"".join(b'{"number": %d}\n' % number for number in range(60_000))  # some chunks


def drain(source):
    """All that a source gives, after which it must have ended."""
    if isinstance(source, bytes):
        return source
    data = b"".join(iter(source.read, None))
    assert source.read() is None
    source.close()
    source.close()
    assert source.read() is None
    return data


def open_file_count():
    return len(os.listdir("/proc/self/fd"))


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="open files are counted in /proc")
needs_nonblocking = pytest.mark.skipif(os.name == "nt", reason="pipes always wait there, or cannot be asked")


class Trouble(Exception):
    pass


RECORDS = [{"number": number, "text": "\u4e2d\U0001f600"} for number in range(20_000)]
DATA = b"".join(ocior.dumps_to_bytes(record) + b"\n" for record in RECORDS)
FEW = [{"a": 1}, [2], 3, "\u4e2d"]
FEW_DATA = '{"a": 1}\n[2]\n\n3\n"\u4e2d"'.encode()


class Feed:
    """Finds lines as the native feed does: good records before a mistake come first, and the next call raises it."""

    def __init__(self):
        self.rest = b""
        self.error = None
        self.calls = []

    def push(self, chunk):
        assert isinstance(chunk, (bytes, bytearray, memoryview))
        self.calls.append(len(chunk))
        *lines, self.rest = (self.rest + bytes(chunk)).split(b"\n")
        return self.loads(lines)

    def close(self):
        self.calls.append("close")
        return self.loads([self.rest])

    def loads(self, lines):
        if self.error is not None:
            raise self.error
        records = []
        for line in lines:
            try:
                if line.strip():
                    records.append(ocior.loads(line))
            except ocior.JSONDecodeError as error:
                if not records:
                    raise
                self.error = error
                break
        return records


def run(make):
    """Runs a coroutine function. No warning may come of a coroutine that nobody awaited."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return asyncio.run(asyncio.wait_for(make(), 60))


def stream_of(*chunks):
    reader = asyncio.StreamReader()
    for chunk in chunks:
        reader.feed_data(chunk)
    reader.feed_eof()
    return reader


class AsyncFile:
    """As aiofiles and aiohttp have them."""

    def __init__(self, data, most=1 << 30, name=None):
        self.file = (io.StringIO if isinstance(data, str) else io.BytesIO)(data)
        self.most = most
        self.name = name
        self.closed = False

    async def read(self, size):
        await asyncio.sleep(0)
        return self.file.read(min(size, self.most))

    async def close(self):
        self.closed = True

    def __aiter__(self):
        raise AssertionError("by lines would be slower")


async def chunks_of(data, size=1 << 14):
    for begin in range(0, len(data), size):
        await asyncio.sleep(0)
        yield data[begin : begin + size]


class Chunks:
    """An asynchronous iterable that makes a generator."""

    def __init__(self, data):
        self.data = data

    def __aiter__(self):
        return chunks_of(self.data)


def all_of(make_source, feed=None, **keywords):
    async def read():
        return [record async for record in aread(feed or Feed(), make_source(), **keywords)]

    return run(read)
