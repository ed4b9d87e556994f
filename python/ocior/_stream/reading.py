"""What reads parts of a text when they are asked for: `ocior.lines.read` and `aread`, `ocior.values`, `ocior.items`, `ocior.view`."""

from __future__ import annotations

from collections.abc import Mapping

from ocior import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ocior._stream.asynchronous import AsyncReader

__all__ = ["aread", "items", "read", "values", "view"]

Reader = _core.RecordReader


def read(source: Any, *, compression: str | None = "infer", storage_options: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """A Reader of the lines of a source, each a JSON record, which are read as they are asked for.

    `source`: a path, a URL if fsspec is installed, a binary or text file, bytes or another buffer, an iterable of chunks (bytes-like or
    str, cut anywhere), or a Part. Nothing is opened or read before the first record is asked for; what was opened is closed at the end, by
    close(), and with the Reader. Files that are lent stay open.

    `compression`: "infer" (by the first bytes), "gzip", "bz2", "xz", "zstd", or None. `storage_options`: for fsspec. `fields`, `default`,
    `check`, `on_error`, `tail`, `max_record`, and the options of `ocior.loads`: as for `ocior.lines.loads`.

    Raises TypeError and ValueError for what is no source and no option. The Reader raises RecordError for a record that is wrong, after
    all records before it, and what the source and hooks raise.

        >>> list(read([b'{"id": 1}\\n{"id"', b': 2}\\n']))
        [{'id': 1}, {'id': 2}]
    """
    return _reader("lines", source, compression, storage_options, options)


def values(source: Any, *, compression: str | None = "infer", storage_options: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """A Reader of the JSON values of a source, which may span lines, with white space, nothing, or record separators (RFC 7464) between
    them. Arguments and errors are those of `ocior.lines.read`.

    A value whose brackets do not close reaches to the next record separator, or to the end.

        >>> list(values([b'{"id": 1}{"id":', b' 2} [3] "x"']))
        [{'id': 1}, {'id': 2}, [3], 'x']
    """
    return _reader("values", source, compression, storage_options, options)


def items(
    source: Any, at: str = "", *, compression: str | None = "infer", storage_options: Mapping[str, Any] | None = None, **options: Any
) -> Any:
    """A Reader of the items of one array, or the pairs (key, value) of one object, in a document, which need not fit into memory.

    `at`: a JSON Pointer (RFC 6901) to it, the whole document if empty; of equal keys on the way the first counts. What stands before it is
    checked and passed over; the reading ends where the array or object does. Other arguments are those of `ocior.lines.read`.

    The Reader raises PointerError where the pointer leads to no array or object, and RecordError for what is wrong.

        >>> list(items([b'{"rows": [{"id": 1}, {"id"', b': 2}], "more": 0}'], "/rows"))
        [{'id': 1}, {'id': 2}]
    """
    return _reader("items", source, compression, storage_options, {"at": at, **options})


def aread(
    source: Any, *, compression: str | None = "infer", storage_options: Mapping[str, Any] | None = None, **options: Any
) -> AsyncReader:
    """An asynchronous iterator over the lines of a source, each a JSON record.

    `source`: an object whose read() is a coroutine function, as of asyncio.StreamReader, aiofiles and aiohttp; an asynchronous iterable of
    bytes-like or str chunks, as httpx gives; or whatever `ocior.lines.read` takes, which is read in another thread if that may wait. Other
    arguments and errors are those of `ocior.lines.read`.

        async with httpx.AsyncClient() as client, client.stream("GET", url) as response:
            async for record in lines.aread(response.aiter_bytes()):
                ...
    """
    from ocior._stream import asynchronous

    return asynchronous.aread(_core.LineFeed(**options), source, compression=compression, storage_options=storage_options)


def view(data: Any, **options: Any) -> Any:
    """A view of the JSON document in `data`, which is what `loads` takes.

    Of an object a `Mapping`, of an array a `Sequence`, of anything else the value itself. The document is checked as a whole at once, so
    that reading from the view raises nothing more; a buffer that others may write into is copied. The parts of an object or array are
    found when one of them is asked for first, and strings, numbers and words are read each time they are asked for: a view that is used
    again is worth keeping. `options`: the keywords of `loads` without `cls` and `type`. Hooks are called when what they change is read, so
    those for objects and arrays only by `load()`.

    `view.at(pointer, default=...)` is what a JSON pointer leads to from there, `view.load()` the plain object. A view is equal to what
    `load()` gives; copied or pickled it becomes that.

    Raises what `loads` raises for the document.

        >>> lazy = view('{"id": 7, "tags": ["a", "b"]}')
        >>> lazy["id"], lazy["tags"][-1], lazy.at("/tags/0"), len(lazy)
        (7, 'b', 'a', 2)
    """
    from ocior._stream.view import ArrayView, ObjectView

    return _core.view(data, ObjectView, ArrayView, **options)


def _reader(framing: str, source: Any, compression: str | None, storage_options: Mapping[str, Any] | None, options: dict[str, Any]) -> Any:
    from ocior._stream.sources import source_of

    return Reader(framing, source_of(source, compression=compression, storage_options=storage_options), **options)
