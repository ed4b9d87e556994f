"""Records from asynchronous sources, among other tasks: calls that are cancelled, what is closed, threads, and several tasks."""

import asyncio
import gc
import gzip
import io
import os
import threading
import time

import pytest
from stream_sources import DATA, FEW, FEW_DATA, RECORDS, AsyncFile, Feed, Trouble, all_of, chunks_of, run

from ocior._stream.asynchronous import aread


def test_sources_that_raise():
    async def asynchronous():
        yield b"1\n2"
        raise Trouble

    def synchronous():
        yield b"1\n2"
        raise Trouble

    async def read():
        for source in (asynchronous(), synchronous()):
            feed = Feed()
            records = aread(feed, source)
            assert await records.__anext__() == 1
            with pytest.raises(Trouble):
                await records.__anext__()
            with pytest.raises(StopAsyncIteration):
                await records.__anext__()
            assert "close" not in feed.calls  # 2 may be the beginning of 23

    run(read)


class Tracked:
    def __init__(self):
        self.closed = False

    async def chunks(self):
        try:
            while True:
                yield b"1\n"
        finally:
            self.closed = True

    def blocking(self):
        try:
            while True:
                yield b"1\n"
        finally:
            self.closed = True


@pytest.mark.parametrize("finish", ["aclose", "with", "mistake"])
@pytest.mark.parametrize("kind", ["generator", "iterable", "generator that waits"])
def test_generators_are_closed(kind, finish):
    async def read():
        tracked = Tracked()
        source = {
            "generator": tracked.chunks,
            "iterable": type("Chunks", (), {"__aiter__": lambda self: tracked.chunks()}),
            "generator that waits": tracked.blocking,
        }[kind]()
        feed = Feed()
        async with aread(feed, source) as records:
            assert await records.__anext__() == 1
            assert not tracked.closed
            if finish == "aclose":
                await records.aclose()
                await records.aclose()
                assert tracked.closed
                with pytest.raises(StopAsyncIteration):
                    await records.__anext__()
            elif finish == "mistake":
                feed.error = Trouble()
                with pytest.raises(Trouble):
                    await records.__anext__()
                assert tracked.closed
        assert tracked.closed

    run(read)


def test_lent_files_stay_open(tmp_path):
    async def read():
        file = AsyncFile(FEW_DATA)
        async with aread(Feed(), file) as records:
            assert [record async for record in records] == FEW
        assert not file.closed
        waiting = io.BytesIO(FEW_DATA)
        async with aread(Feed(), waiting) as records:
            await records.__anext__()
        assert not waiting.closed

    run(read)


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="open files are counted in /proc")
def test_half_read_paths_leave_no_file_open(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(DATA)

    async def read():
        before = len(os.listdir("/proc/self/fd"))
        readers = [aread(Feed(), path) for _ in range(60)]
        for reader in readers:
            assert await reader.__anext__() == RECORDS[0]
        assert len(os.listdir("/proc/self/fd")) == before + 60
        for reader in readers[:30]:
            await reader.aclose()
        del readers[:30], reader
        readers.clear()
        gc.collect()
        assert len(os.listdir("/proc/self/fd")) == before

    async def warmed():  # the loop's pool of threads has files of its own
        await asyncio.to_thread(time.sleep, 0)
        await read()

    run(warmed)


@pytest.mark.parametrize("kind", ["StreamReader", "compressed", "thread"])
def test_cancelled_calls_lose_nothing(kind):
    """A call that waits too long is given up; later ones go on where it was."""

    async def read():
        if kind == "thread":
            reading, writing = os.pipe()
            source, out = open(reading, "rb"), open(writing, "wb", buffering=0)
            give, end = out.write, out.close
            parts = [FEW_DATA[at : at + 3] for at in range(0, len(FEW_DATA), 3)]
        else:
            source = asyncio.StreamReader()
            give, end = source.feed_data, source.feed_eof
            data = gzip.compress(FEW_DATA) if kind == "compressed" else FEW_DATA
            parts = [data[at : at + 3] for at in range(0, len(data), 3)]
        records, found = aread(Feed(), source), []
        for part in parts:
            try:
                found.append(await asyncio.wait_for(records.__anext__(), 0.01))
            except asyncio.TimeoutError:
                pass
            give(part)
        end()
        found += [record async for record in records]
        assert found == FEW
        if kind == "thread":
            source.close()

    run(read)


def test_cancelled_generator_does_not_pass_for_an_end():
    async def chunks():
        yield b"1\n2"
        await asyncio.sleep(60)

    async def read():
        feed = Feed()
        records = aread(feed, chunks())
        assert await records.__anext__() == 1
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(records.__anext__(), 0.01)
        with pytest.raises(RuntimeError, match="cancelled"):
            await records.__anext__()
        assert "close" not in feed.calls

    run(read)


def test_closed_while_a_thread_reads():
    async def read():
        reading, writing = os.pipe()
        closed = threading.Event()

        def chunks():
            try:
                with open(reading, "rb", buffering=0) as file:
                    yield file.read(10)
            finally:
                closed.set()

        records = aread(Feed(), chunks())
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(records.__anext__(), 0.01)
        await records.aclose()  # which does not wait for the thread
        with pytest.raises(StopAsyncIteration):
            await records.__anext__()
        os.write(writing, b"1\n")
        os.close(writing)
        while not closed.is_set():
            await asyncio.sleep(0.01)

    run(read)


def test_event_loop_does_not_wait():
    """While a thread waits for a pipe, other tasks run; and so they do while much is read from memory."""

    async def read():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        task = asyncio.ensure_future(tick())
        reading, writing = os.pipe()
        with open(reading, "rb") as file, open(writing, "wb", buffering=0) as out:
            records = aread(Feed(), file)
            waiting = asyncio.ensure_future(records.__anext__())
            while ticks < 100:
                await asyncio.sleep(0)
            assert not waiting.done()
            out.write(b"1\n")
            assert await waiting == 1
            await records.aclose()
        before = ticks
        assert [record async for record in aread(Feed(), DATA * 3)] == RECORDS * 3
        assert ticks - before >= len(DATA) * 3 // (1 << 18)
        task.cancel()

    run(read)


def test_tasks_that_share_a_reader():
    async def read():
        for make in (lambda: chunks_of(DATA, 1000), lambda: AsyncFile(DATA, 1000), lambda: io.BytesIO(DATA)):
            records = aread(Feed(), make())

            async def some():
                return [record["number"] async for record in records]  # noqa: B023

            shares = await asyncio.gather(*(some() for _ in range(4)))
            assert sorted(number for share in shares for number in share) == list(range(len(RECORDS)))

    run(read)


@pytest.mark.skipif(os.name == "nt", reason="pipes always wait there")
def test_file_that_does_not_wait():
    async def read():
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        with open(reading, "rb") as file, open(writing, "wb", buffering=0) as out:
            records = aread(Feed(), file)
            for number in range(3):
                with pytest.raises(BlockingIOError):
                    await records.__anext__()
                out.write(b"%d\n" % number)
                assert await records.__anext__() == number

    run(read)


def test_bomb():
    """What is read at a time gives little, and is pushed before more is uncompressed."""

    class Counting(Feed):
        def push(self, chunk):
            self.calls.append(len(chunk))
            return []

        def close(self):
            return []

    for make in (lambda data: chunks_of(data), lambda data: data, io.BytesIO):
        feed = Counting()
        packed = gzip.compress(bytes(50 << 20))
        assert all_of(lambda: make(packed), feed) == []  # noqa: B023
        assert sum(feed.calls) == 50 << 20
        assert max(feed.calls) <= 1 << 19


def test_break_and_go_on():
    async def read():
        records = aread(Feed(), FEW_DATA)
        async for record in records:
            assert record == FEW[0]
            break
        assert [record async for record in records] == FEW[1:]

    run(read)
