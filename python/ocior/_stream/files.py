"""Sources that are files: those that a program lends, and those that are opened here by a path or a URL.

A source is an object with
- read(), which gives the next chunk as soon as some of it has come, b"" if nothing has, and None at the end. A chunk may be overwritten by
  whoever made it once read() is called again;
- close(), which may be called twice;
- `name`, for messages, or None;
- `offset`, how many bytes of the data come before the first chunk; it is known when that has been read.
Two threads must not call the methods of a source at the same time.
"""

from __future__ import annotations

import errno
import io
import os
import sys

from ocior._stream.compression import CHUNK_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def chunk_of(chunk: Any, giver: str) -> Any:
    """`chunk` as bytes, a bytearray or a memoryview of bytes. `giver` says in a TypeError where it came from."""
    if isinstance(chunk, (bytes, bytearray)):
        return chunk
    if isinstance(chunk, str):
        return str.encode(chunk, "utf-8", "surrogatepass")
    try:
        view = memoryview(chunk)
    except TypeError:
        words = ""
        if isinstance(chunk, (dict, list, tuple)):
            words = ": values are written by ocior.lines.write"
        elif hasattr(chunk, "__await__"):
            words = ": ocior.lines.aread reads asynchronous sources, whose read() must be defined by `async def`"
            if hasattr(chunk, "close"):
                chunk.close()  # a coroutine would warn that nobody has awaited it
        raise TypeError(f"{giver} must give bytes-like objects or str, not {type(chunk).__name__}{words}") from None
    return view if view.format == "B" and view.ndim == 1 and view.c_contiguous else view.tobytes()


class FileSource:
    """A binary or text file that someone else has opened, from where it stands. It stays open."""

    __slots__ = ("_file", "_read", "name", "offset", "__weakref__")

    def __init__(self, file: Any, name: str | None) -> None:
        self._file: Any = file
        self._read: Callable[[int], Any] | None = None
        self.name = name
        self.offset = 0

    def read(self) -> Any:
        """The next chunk, None at the end.

        Raises BlockingIOError if a file that does not wait has nothing yet. read() may be called again later.
        """
        if self._file is None:
            return None
        chunk = self._read(CHUNK_BYTES) if self._read else self._read_first()
        if chunk is None:
            raise BlockingIOError(errno.EAGAIN, "the source has no data yet")
        chunk = chunk_of(chunk, "read() of a source")
        if len(chunk):
            return chunk
        if _does_not_wait(self._file):
            chunk = self._read_again()
            if len(chunk):
                return chunk
        _check_all_came(self._file)
        self.close()
        return None

    @property
    def read_into(self) -> Callable[[memoryview], int | None] | None:
        """What writes the next bytes into memory and returns how many there are, None at the end. None where there is only read()."""
        return None

    def close(self) -> None:
        self._file = self._read = None

    def _read_first(self) -> Any:
        """The first chunk, by the method that gives what is there without waiting for more."""
        file = self._file
        if isinstance(file, io.TextIOWrapper):
            # Its read() waits until it has all that it was asked for, which a pipe brings late, or never.
            self._read = file.read if file.seekable() else file.readline
            return self._read(CHUNK_BYTES)
        if hasattr(file, "read1"):
            try:
                chunk = file.read1(CHUNK_BYTES)
            except (io.UnsupportedOperation, AttributeError):  # a class of io that does not have it, or a wrapper of such a file
                pass
            else:
                self._read = file.read1
                return chunk
        chunk = file.read(CHUNK_BYTES)
        self._read = file.read
        return chunk

    def _read_again(self) -> Any:
        """Some bytes of a file that does not wait. Its read1() gives nothing both at the end and if there is nothing yet."""
        chunk = self._file.read(CHUNK_BYTES)
        if chunk is None:
            raise BlockingIOError(errno.EAGAIN, "the source has no data yet")
        return chunk


class PathSource(FileSource):
    """A file that `opener` opens when it is read first. It is closed at its end, by close() and with this object."""

    __slots__ = ("_opener",)

    def __init__(self, opener: Callable[[], Any], name: str) -> None:
        super().__init__(None, name)
        self._opener: Callable[[], Any] | None = opener

    def read(self) -> Any:
        if self._opener is not None:
            self._file = self._opener()
            self._opener = None
        return super().read()

    @property
    def read_into(self) -> Callable[[memoryview], int | None] | None:
        # A file of another kind might keep the memory, which is used for other bytes later.
        return self._read_into if type(self._file) is io.FileIO else None

    def _read_into(self, memory: memoryview) -> int | None:
        if self._file is None:
            return None
        byte_len = self._file.readinto(memory)
        if byte_len:
            return byte_len  # type: ignore[no-any-return]
        self.close()
        return None

    def close(self) -> None:
        file = self._file
        self._opener = None
        super().close()
        if file is not None:
            file.close()

    def __del__(self) -> None:  # without it a file would warn that nobody has closed it
        self.close()


def is_url(path: Any) -> bool:
    return isinstance(path, str) and "://" in path


def opener_of(path: str | bytes, storage_options: Mapping[str, Any] | None) -> Callable[[], Any]:
    """What opens a path, or a URL by fsspec with `storage_options`, as a binary file.

    Raises ImportError if it is a URL and fsspec is missing, ValueError if it is none and there are options for one.
    """
    if not is_url(path):
        check_no_storage_options(storage_options)
        return lambda: open(path, "rb", buffering=0)
    find = finder_of(path, storage_options, "reading")

    def open_url() -> Any:
        filesystem, inner_path = find()
        return filesystem.open(inner_path, "rb")

    return open_url


def finder_of(url: str | bytes, storage_options: Mapping[str, Any] | None, doing: str) -> Callable[[], tuple[Any, str]]:
    """What gives fsspec's file system for a URL, and the path in it. Raises ImportError if fsspec is missing; `doing` says for what."""
    options = dict(storage_options or {})
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise ImportError(f"{doing} {url!r} needs the package fsspec: `pip install fsspec`", name="fsspec") from None
    return lambda: url_to_fs(url, **options)


def check_no_storage_options(storage_options: Mapping[str, Any] | None) -> None:
    if storage_options:
        raise ValueError("storage_options are for a URL, such as 's3://bucket/key', and none is given")


def _does_not_wait(file: Any) -> bool:
    """Whether `file` is a buffer over a file that does not wait for data."""
    if not isinstance(file, io.BufferedIOBase):
        return False
    try:
        return not os.get_blocking(file.fileno())
    except (OSError, AttributeError, ValueError):
        return False


def _check_all_came(file: Any) -> None:
    """read1() of a response of http.client takes a connection that broke down for the end. The response knows how much is missing."""
    client = sys.modules.get("http.client")
    if client is not None and isinstance(file, client.HTTPResponse):
        missing = getattr(file, "length", None)
        if missing:
            raise client.IncompleteRead(b"", missing)
