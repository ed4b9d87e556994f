"""What records can be read from: paths, files, data in memory, iterables of chunks and Parts, made into one kind of object.

`source_of` is what the readers call. The objects that it gives are described in files.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping

from ocior._stream.compression import CHUNK_BYTES, check_compression, compression_of, uncompressed
from ocior._stream.files import FileSource, PathSource, check_no_storage_options, chunk_of, opener_of
from ocior._stream.part_sources import part_source
from ocior._stream.parts import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_COROUTINE = 0x80  # inspect.CO_COROUTINE; inspect takes long to import


def source_of(source: Any, *, compression: str | None = "infer", storage_options: Mapping[str, Any] | None = None) -> Any:
    """What the readers of records read `source` by: `bytes` that are not compressed as they are, anything else as an object with
    read(), close(), name and offset.

    source: a path (str or os.PathLike; a str with "://" is opened by fsspec), a binary or text file, bytes or another contiguous buffer, an
        iterable of bytes-like or str chunks, or a Part. Nothing is opened or read before the first read().
    compression: "infer" (by the first bytes), "gzip", "bz2", "zstd", "xz", or None for data that are not compressed.
    storage_options: a dict of what fsspec is to be told about a URL.

    Raises TypeError if `source` is none of these, ValueError for another compression, for options without a URL and for a Part of a
    compressed file, and ImportError if a URL needs fsspec, or `compression` a package, that is not installed.

        source_of("events.jsonl.gz").read()  # the first bytes, uncompressed
    """
    check_compression(compression)
    if isinstance(source, Part):
        return part_source(source, compression, storage_options)
    if isinstance(source, str):
        return uncompressed(PathSource(opener_of(source, storage_options), source), compression)
    check_no_storage_options(storage_options)
    if isinstance(source, bytes) and (compression is None or (compression == "infer" and compression_of(source) in (None, "infer"))):
        return source
    return uncompressed(_local_source(source), compression)


def _local_source(source: Any) -> Any:
    if _is_buffer(source):
        return BufferSource(source)
    if hasattr(source, "read"):
        if is_coroutine_function(source.read):
            raise _asynchronous(source)
        if source is sys.stdin:  # as text it waits for whole lines, and in another encoding than UTF-8
            source = getattr(source, "buffer", source)
        name = getattr(source, "name", None)
        return FileSource(source, name if isinstance(name, str) else None)
    if isinstance(source, os.PathLike):
        path = os.fspath(source)
        return PathSource(opener_of(path, None), os.fsdecode(path))
    if hasattr(source, "__aiter__") or hasattr(source, "__anext__"):
        raise _asynchronous(source)
    if hasattr(source, "__iter__") and not isinstance(source, (Mapping, type)):
        return ChunkSource(source)
    raise TypeError(
        f"a source must be a path, a file, bytes or another buffer, an iterable of chunks, or a Part, not {type(source).__name__}"
    )


def is_coroutine_function(function: Any) -> bool:
    """Whether `function` or bound method is defined by `async def`."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return bool(getattr(code, "co_flags", 0) & _COROUTINE)


def _asynchronous(source: Any) -> TypeError:
    return TypeError(f"a source must not be asynchronous, as {type(source).__name__} is: ocior.lines.aread takes those")


def _is_buffer(source: Any) -> bool:
    try:
        view = memoryview(source)
    except TypeError:
        return False
    with view:
        if not view.c_contiguous:
            raise TypeError(f"a source in memory must be contiguous, which this {type(source).__name__} is not")
        return view.format != "O"  # numpy's arrays of objects, of which the memory holds addresses; they may be chunks


class BufferSource:
    """Data in memory, copied out chunk by chunk: between two calls nothing keeps the owner from resizing, or freeing, its buffer."""

    __slots__ = ("_buffer", "_row", "name", "offset", "__weakref__")
    read_into = None

    def __init__(self, buffer: Any) -> None:
        self._buffer = buffer
        self._row = 0
        self.name = None
        self.offset = 0

    def read(self) -> bytes | None:
        if self._buffer is None:
            return None
        with memoryview(self._buffer) as view:
            # Rows: only they can be counted and cut whatever the format and the number of dimensions is.
            row_count = len(view) if view.ndim else 1
            if self._row < row_count:
                count = max(1, CHUNK_BYTES // max(1, view.nbytes // row_count))
                chunk = (view[self._row : self._row + count] if view.ndim else view).tobytes()
                self._row += count
                return chunk
        self.close()
        return None

    def close(self) -> None:
        self._buffer = None


class ChunkSource:
    """What an iterable gives. A generator, and an iterator made here, are closed at the end, by close() and with this object."""

    __slots__ = ("_chunks", "_iterator", "name", "offset", "__weakref__")
    read_into = None

    def __init__(self, chunks: Any) -> None:
        self._chunks: Any = chunks
        self._iterator: Any = None
        self.name = None
        self.offset = 0

    def read(self) -> Any:
        if self._iterator is None:
            if self._chunks is None:
                return None
            self._iterator = iter(self._chunks)
        for chunk in self._iterator:
            return chunk_of(chunk, "an iterable of chunks")
        self.close()
        return None

    def close(self) -> None:
        chunks, iterator = self._chunks, self._iterator
        self._chunks = self._iterator = None
        if iterator is None:
            iterator = chunks  # not begun: a generator is closed all the same
        if isinstance(iterator, Generator) or (iterator is not chunks and hasattr(iterator, "close")):
            iterator.close()

    def __del__(self) -> None:
        self.close()
