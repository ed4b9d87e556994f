"""Records from asynchronous sources: each kind, what is awaited, and what is refused."""

import asyncio
import bz2
import gzip
import io

import pytest
from stream_sources import DATA, FEW, FEW_DATA, RECORDS, AsyncFile, Chunks, Feed, all_of, chunks_of, run, stream_of

import ocior
from ocior._stream.asynchronous import aread


class ReadThatIsNone(Chunks):
    """Has a read() that takes no size, as responses of httpx do, beside its chunks."""

    def read(self):
        raise AssertionError


SOURCES = {
    "StreamReader": lambda: stream_of(DATA[:1000], DATA[1000:]),
    "file": lambda: AsyncFile(DATA),
    "text file": lambda: AsyncFile(DATA.decode()),
    "generator": lambda: chunks_of(DATA),
    "generator of text": lambda: chunks_of(DATA.decode()),
    "iterable": lambda: Chunks(DATA),
    "iterable with another read": lambda: ReadThatIsNone(DATA),
    "compressed file": lambda: AsyncFile(gzip.compress(DATA), most=1000),
    "compressed generator": lambda: chunks_of(bz2.compress(DATA)),
    "members": lambda: chunks_of(gzip.compress(DATA[:5000]) + gzip.compress(DATA[5000:]), 7000),
    "bytes": lambda: DATA,
    "bytearray": lambda: bytearray(DATA),
    "compressed bytes": lambda: gzip.compress(DATA),
    "list": lambda: [DATA[:10], "", DATA[10:]],
    "iterator": lambda: iter([DATA[:10], DATA[10:]]),
    "file that waits": lambda: io.BytesIO(DATA),
    "text file that waits": lambda: io.StringIO(DATA.decode()),
    "compressed file that waits": lambda: io.BytesIO(gzip.compress(DATA)),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_kinds(kind):
    assert all_of(SOURCES[kind]) == RECORDS


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_small_chunks(size, pack):
    data = pack(FEW_DATA)
    for make in (
        lambda: chunks_of(data, size),
        lambda: AsyncFile(data, size),
        lambda: [data[at : at + size] for at in range(0, len(data), size)],
    ):
        assert all_of(make) == FEW


@pytest.mark.parametrize("data", [b"", b"\n\n", gzip.compress(b"")], ids=["nothing", "blank lines", "compressed"])
def test_no_records(data):
    for make in (lambda: stream_of(data), lambda: chunks_of(data), lambda: data, lambda: io.BytesIO(data), lambda: [data]):
        assert all_of(make) == []


def test_paths(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_bytes(DATA)
    assert all_of(lambda: path) == all_of(lambda: str(path)) == RECORDS
    path.write_bytes(gzip.compress(DATA))
    assert all_of(lambda: path) == RECORDS
    assert all_of(lambda: path, compression="gzip") == RECORDS

    async def names():
        return aread(Feed(), path).name, aread(Feed(), AsyncFile(b"", name="lines")).name, aread(Feed(), AsyncFile(b"", name=5)).name

    assert run(names) == (str(path), "lines", None)
    with pytest.raises(FileNotFoundError):
        all_of(lambda: tmp_path / "missing")


def test_files_of_packages(tmp_path):
    aiofiles = pytest.importorskip("aiofiles")
    path = tmp_path / "lines.jsonl"
    path.write_bytes(gzip.compress(DATA))

    async def read():
        async with aiofiles.open(path, "rb") as file:
            assert [record async for record in aread(Feed(), file)] == RECORDS
        path.write_bytes(DATA)
        async with aiofiles.open(path, encoding="utf-8") as file:
            assert [record async for record in aread(Feed(), file)] == RECORDS
            assert not file.closed

    run(read)


def test_responses_of_httpx():
    httpx = pytest.importorskip("httpx")

    async def read():
        transport = httpx.MockTransport(lambda request: httpx.Response(200, content=chunks_of(DATA)))
        async with httpx.AsyncClient(transport=transport) as client:
            for name in ("aiter_bytes", "aiter_raw", "aiter_text"):
                async with client.stream("GET", "https://example.org/lines") as response:
                    assert [record async for record in aread(Feed(), getattr(response, name)())] == RECORDS

    run(read)


def test_connections():
    async def read():
        async def serve(reader, writer):
            for begin in range(0, len(DATA), 50_000):
                writer.write(DATA[begin : begin + 50_000])
                await writer.drain()
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1") as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            records = [record async for record in aread(Feed(), reader)]
            writer.close()
            return records

    assert run(read) == RECORDS


def test_record_is_given_once_it_has_come():
    async def read():
        reader = asyncio.StreamReader()
        records = aread(Feed(), reader)
        for number in range(1, 5):
            reader.feed_data(b"1%d\n2" % number)
            assert await asyncio.wait_for(records.__anext__(), 5) == (11 if number == 1 else 210 + number)
        reader.feed_eof()
        assert await records.__anext__() == 2
        for _ in range(2):
            with pytest.raises(StopAsyncIteration):
                await records.__anext__()

    run(read)


def test_nothing_is_read_early():
    async def read():
        aread(Feed(), AsyncFile(None))
        aread(Feed(), "missing")
        aread(Feed(), chunks_of(b""))

    run(read)


@pytest.mark.parametrize("source", [None, 5, {"a": 1}, object()], ids=repr)
def test_what_is_no_source(source):
    with pytest.raises(TypeError, match=type(source).__name__):
        aread(Feed(), source)


def test_arguments():
    for source in (b"", AsyncFile(b""), Chunks(b"")):
        with pytest.raises(ValueError, match="compression"):
            aread(Feed(), source, compression="zip")
        with pytest.raises(ValueError, match="storage_options"):
            aread(Feed(), source, storage_options={"anon": True})


@pytest.mark.parametrize("chunk", [None, 5, {"a": 1}], ids=repr)
def test_chunk_of_another_type(chunk):
    class File:
        async def read(self, size):
            return chunk

    async def chunks():
        yield b"1\n"
        yield chunk

    for make in (File, chunks):
        with pytest.raises(TypeError, match=type(chunk).__name__):
            all_of(make)


def test_read_that_is_no_coroutine_function():
    class File:
        def read(self, size):
            return [size]

    with pytest.raises(TypeError, match="list"):
        all_of(File)


def test_mistakes():
    """Records before a mistake come first; then it is raised without waiting for more, and the reader has ended."""

    async def read():
        reader = asyncio.StreamReader()
        reader.feed_data(b"1\n2\nx\n3\n")
        records = aread(Feed(), reader)
        assert [await records.__anext__(), await records.__anext__()] == [1, 2]
        with pytest.raises(ocior.JSONDecodeError):
            await asyncio.wait_for(records.__anext__(), 5)
        with pytest.raises(StopAsyncIteration):
            await records.__anext__()

    run(read)


@pytest.mark.parametrize(
    "make", [lambda data: stream_of(data), lambda data: chunks_of(data), io.BytesIO], ids=["file", "generator", "thread"]
)
def test_file_that_is_cut(make):
    async def read():
        records = aread(Feed(), make(gzip.compress(b"1\n2\n3")[:-4]))
        assert [await records.__anext__(), await records.__anext__()] == [1, 2]
        with pytest.raises(EOFError):
            await records.__anext__()
        with pytest.raises(StopAsyncIteration):
            await records.__anext__()

    run(read)
