"""Records read from asynchronous sources, and from all others without keeping the event loop waiting.

A feed finds the records; here its input is awaited. `ocior.lines.aread` makes the feed and calls `aread`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator

from ocior._stream.compression import CHUNK_BYTES, check_compression, uncompressed
from ocior._stream.files import check_no_storage_options, chunk_of
from ocior._stream.sources import BufferSource, is_coroutine_function, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from typing import Any


def aread(feed: Any, source: Any, *, compression: str | None = "infer", storage_options: Mapping[str, Any] | None = None) -> AsyncReader:
    """An asynchronous iterator over the records that `feed` finds in `source`.

    feed: an object whose push(chunk) and close() return the records that have become complete.
    source: an object whose read() is a coroutine function, as of asyncio.StreamReader, aiofiles and aiohttp; an asynchronous iterable of
        bytes-like or str chunks, as httpx gives it; or whatever `source_of` takes, which is read in another thread if that may wait.
    compression, storage_options: as for `source_of`.

    Raises what `source_of` raises.

        async with aread(feed, response.aiter_bytes()) as records:
            async for record in records: ...
    """
    check_compression(compression)
    if is_coroutine_function(getattr(source, "read", None)):
        giver: Any = _FileGiver(source)
    elif hasattr(source, "__aiter__"):
        giver = _ChunkGiver(source)
    else:
        made = source_of(source, compression=compression, storage_options=storage_options)
        if isinstance(made, bytes):
            made = BufferSource(made)
        is_at_hand = isinstance(made, BufferSource) or isinstance(source, (list, tuple))
        return AsyncReader(feed, _Waiting(made) if is_at_hand else _Threaded(made))
    check_no_storage_options(storage_options)
    return AsyncReader(feed, _Awaited(giver, compression))


class AsyncReader:
    """An asynchronous iterator over records, and an asynchronous context manager. Made by `aread`.

    A call that is cancelled while it waits loses nothing: the next one goes on where it was. But a source that is an asynchronous generator
    ends when it is cancelled, and the next call raises RuntimeError. Several tasks may share a reader: each record goes to one of them.
    """

    __slots__ = ("_feed", "_chunks", "_ready", "_lock", "_ended", "_gave", "__weakref__")

    def __init__(self, feed: Any, chunks: Any) -> None:
        self._feed = feed
        self._chunks = chunks
        self._ready: deque[Any] = deque()
        self._lock: asyncio.Lock | None = None
        self._ended = False
        self._gave = False

    @property
    def name(self) -> str | None:
        """The path or name of the source, if it has one."""
        return self._chunks.name  # type: ignore[no-any-return]

    def __aiter__(self) -> AsyncReader:
        return self

    async def __anext__(self) -> Any:
        ready = self._ready
        if ready:
            return ready.popleft()
        if self._lock is None:
            import asyncio

            self._lock = asyncio.Lock()
        async with self._lock:
            while not ready:
                if self._ended:
                    raise StopAsyncIteration
                await self._more()
            return ready.popleft()

    async def __aenter__(self) -> AsyncReader:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the iteration. Closes a file that was opened here, and a generator; a file that was lent stays open. May be called twice."""
        self._ended = True
        self._ready.clear()
        await self._chunks.aclose()

    async def _more(self) -> None:
        """Pushes one chunk, or ends."""
        try:
            if self._gave:
                # A feed that meets a mistake behind good records gives those first and raises at its next call, which is not to wait.
                self._gave = False
                self._ready.extend(self._feed.push(b""))
                if self._ready:
                    return
            chunk = await self._chunks.next()
            if self._ended:  # closed meanwhile
                return
            records: Iterable[Any]
            if chunk is None:
                self._ended = True
                records = self._feed.close()
            else:
                records = self._feed.push(chunk)
                self._gave = bool(records)
            self._ready.extend(records)
        except Exception as error:
            if not isinstance(error, BlockingIOError):
                self._ended = True
                await self._chunks.aclose()
            raise
        if self._ended:
            await self._chunks.aclose()


class _Waiting:
    """The chunks of a source that never waits for anything, with a turn for other tasks behind each."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self.name: str | None = source.name

    async def next(self) -> Any:
        import asyncio

        await asyncio.sleep(0)
        return self._source.read()

    async def aclose(self) -> None:
        self._source.close()


class _Threaded:
    """The chunks of a source that may wait, each read by a thread. What a thread reads for a task that is cancelled is kept."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._pending: asyncio.Future[Any] | None = None
        self.name: str | None = source.name

    async def next(self) -> Any:
        import asyncio

        if self._pending is None:
            self._pending = asyncio.ensure_future(asyncio.to_thread(self._source.read))
        await asyncio.wait([self._pending])  # this one, being cancelled, lets it run
        pending, self._pending = self._pending, None
        return None if pending is None or pending.cancelled() else pending.result()

    async def aclose(self) -> None:
        pending, self._pending = self._pending, None
        if pending is None or pending.done():
            self._source.close()
        else:  # the thread reads, for as long as it takes; nothing may be closed under it
            pending.add_done_callback(self._close_after)

    def _close_after(self, done: asyncio.Future[Any]) -> None:
        if not done.cancelled():
            done.exception()  # which nobody waits for any more
        self._source.close()


class _Awaited:
    """The uncompressed chunks of an asynchronous source."""

    def __init__(self, giver: Any, compression: str | None) -> None:
        self._giver = giver
        self._given = _Given()
        self._source = uncompressed(self._given, compression)
        self.name: str | None = giver.name

    async def next(self) -> Any:
        while True:
            chunk = self._source.read()
            if chunk is None or len(chunk):
                return chunk
            if self._given.wants_more:
                self._given.put(await self._giver.next())

    async def aclose(self) -> None:
        self._source.close()
        await self._giver.aclose()


class _Given:
    """A source of what has been put into it: nothing for as long as nothing more is there."""

    name = None
    offset = 0

    def __init__(self) -> None:
        self._chunk: Any = b""
        self.wants_more = False

    def put(self, chunk: Any) -> None:
        self._chunk = chunk
        self.wants_more = False

    def read(self) -> Any:
        chunk = self._chunk
        if chunk is not None:
            self._chunk = b""
            self.wants_more = not len(chunk)
        return chunk

    def close(self) -> None:
        self._chunk = None


class _FileGiver:
    """The chunks that the read() of an asynchronous file gives. The file stays open."""

    def __init__(self, file: Any) -> None:
        self._read: Callable[[int], Awaitable[Any]] = file.read
        name = getattr(file, "name", None)
        self.name = name if isinstance(name, str) else None

    async def next(self) -> Any:
        chunk = chunk_of(await self._read(CHUNK_BYTES), "read() of a source")
        return chunk if len(chunk) else None

    async def aclose(self) -> None:
        pass


class _ChunkGiver:
    """What an asynchronous iterable gives. A generator, and an iterator made here, are closed."""

    name = None

    def __init__(self, chunks: Any) -> None:
        self._chunks: Any = chunks
        self._iterator: Any = None
        self._is_cut = False

    async def next(self) -> Any:
        if self._is_cut:
            raise RuntimeError("the source, an asynchronous generator, was cancelled while a chunk was awaited, and has ended")
        if self._iterator is None:
            self._iterator = self._chunks.__aiter__()
        try:
            chunk = await self._iterator.__anext__()
        except StopAsyncIteration:
            return None
        except BaseException:
            self._is_cut = getattr(self._iterator, "ag_frame", self) is None  # it would only say that it is at its end
            raise
        return chunk_of(chunk, "an asynchronous iterable of chunks")

    async def aclose(self) -> None:
        chunks, iterator = self._chunks, self._iterator
        self._chunks = self._iterator = None
        if iterator is None:
            iterator = chunks
        if isinstance(iterator, AsyncGenerator) or (iterator is not chunks and hasattr(iterator, "aclose")):
            await iterator.aclose()
