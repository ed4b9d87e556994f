"""Where lines are written: paths, URLs, and files that were opened by others, each with or without compression.

A target is given bytes of whole lines, and writes all of them or raises. `left` then tells what of them has not been written.
"""

from __future__ import annotations

import io
import os
import stat

from ocior._stream.compression import check_compression, zstd_module
from ocior._stream.files import check_no_storage_options, finder_of, is_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["Target", "open_target"]

_BY_SUFFIX = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
_MARK = b"\xef\xbb\xbf\xff\xfe\0"  # the bytes of byte order marks
# The command gzip and zlib use it, too. Python's own default takes several times as long and saves some percent.
_GZIP_LEVEL = 6


class Target:
    """What has opened it closes it: a file that was lent stays open.

    `name`: for messages, or None. `gathers`: nobody else writes there meanwhile, so that short lines may wait for more. `is_torn`: what is
    there ends within a line, so that the first one begins with a line feed. `is_broken`: nothing can be written any more.
    """

    name: str | None = None
    gathers = False
    is_torn = False
    is_broken = False
    left = b""
    plain_write: Callable[[bytes], Any] | None = None  # does all that put() has to do

    def put(self, data: bytes) -> None:
        raise NotImplementedError

    def flush(self) -> None:
        """Hands on what has been written as far as the target can."""

    def close(self) -> None:
        """Ends what belongs to the target alone."""


class _Path(Target):
    """A file of our own, without a buffer: what has been written is known when a write fails."""

    gathers = True

    def __init__(self, path: str, append: bool, is_text: bool) -> None:
        self.name = path
        self._file = _opened_to_append(path) if append and is_text else open(path, "ab" if append else "wb", buffering=0)
        self._is_regular = stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)
        self.is_torn = append and is_text and self._file.readable() and _ends_within_line(self._file)

    def put(self, data: bytes) -> None:
        self.left = data
        start = self._file.seek(0, 2) if self._is_regular else 0
        try:
            _write_all(self._file, data, self)
        except OSError:
            self._take_back(data, start)
            raise
        except BaseException:  # a signal may have come when a write was done, and before it was counted
            if self._is_regular:
                self.left = data[max(self._file.tell() - start, 0) :]
            self._take_back(data, start)
            raise

    def _take_back(self, data: bytes, start: int) -> None:
        """After a failure: cuts off what has been written since `start`, so that the file ends with a whole line. Where others may have
        appended to it meanwhile, it stays as it is."""
        written = len(data) - len(self.left)
        try:
            if self._is_regular and start + written == self._file.tell() == os.fstat(self._file.fileno()).st_size:
                self._file.seek(self._file.truncate(start))
                self.left = data
        except OSError:
            pass

    def close(self) -> None:
        self._file.close()


class _File(Target):
    """A file of others, or one that a library has opened for us: binary, of text, or anything with a method write()."""

    def __init__(self, file: Any, append: bool, is_text: bool, name: str | None = None) -> None:
        self._file = file
        self._write = file.write
        self._is_own = self.gathers = name is not None
        self._is_raw = isinstance(file, io.RawIOBase)
        self._takes_text: bool | None = isinstance(file, io.TextIOBase) or (False if isinstance(file, io.IOBase) or self._is_own else None)
        if type(file) in (io.BufferedWriter, io.BufferedRandom, io.BytesIO) and not self._is_own:
            self.plain_write = self._write
        known = name if name is not None else getattr(file, "name", None)
        self.name = known if isinstance(known, str) else None
        if append and not self._is_own and _is(file, "seekable"):
            file.seek(0, 2)
            self.is_torn = is_text and _ends_within_line(file)

    def put(self, data: bytes) -> None:
        self.left = data
        self.is_broken = self._is_own  # until it has not failed
        if self._is_raw:
            _write_all(self._file, data, self)
        elif self._takes_text is None:
            self._learn(data)
        else:
            self._write(data.decode() if self._takes_text else data)
        self.left = b""
        self.is_broken = False

    def _learn(self, data: bytes) -> None:
        """The first write to a file of an unknown class: bytes, or text where it refuses these."""
        try:
            self._write(data)
            self._takes_text = False
        except TypeError as refusal:
            try:
                self._write(data.decode())
            except TypeError:
                raise refusal from None
            self._takes_text = True

    def flush(self) -> None:
        flush = getattr(self._file, "flush", None)
        if flush is not None:
            flush()

    def close(self) -> None:
        if self._is_own:
            self._file.close()


class _Compressed(Target):
    """Compresses what is written to another target. Where that fails, the compressed text cannot be gone on with."""

    gathers = True

    def __init__(self, inner: Target, compressor: Callable[[Any], Any]) -> None:
        self.name = inner.name
        self._inner = inner
        self._below = _AsFile(inner)
        try:
            self._file = compressor(self._below)
        except BaseException:
            self._below.is_cut = True
            inner.close()
            raise

    def put(self, data: bytes) -> None:
        self.left = data
        try:
            self._file.write(data)
        except BaseException:
            self.is_broken = True
            raise
        self.left = b""

    def flush(self) -> None:
        self._file.flush()
        self._inner.flush()

    def close(self) -> None:
        self._below.is_cut = self.is_broken  # that it is cut off shows what is missing
        try:
            self._file.close()
        finally:
            self._inner.close()


class _AsFile:
    """A target as the file that a compressor writes to."""

    def __init__(self, target: Target) -> None:
        self.name = target.name or ""
        self.is_cut = False  # nothing arrives any more
        self._target = target

    def write(self, data: Any) -> int:
        if not self.is_cut:
            self._target.put(bytes(data))
        return len(data)

    def flush(self) -> None:
        """The compressor's own target is flushed by itself."""


def _write_all(file: Any, data: bytes, target: Target) -> None:
    """Writes bytes to a file without a buffer, which may take less than it is given; `target.left` is kept up to date."""
    while data:
        count = file.write(data)
        if count is None:
            raise BlockingIOError("write could not complete without blocking")
        if not 0 < count <= len(data):
            raise OSError(f"write() returned an impossible count: {count!r} of {len(data)} bytes")
        target.left = data = data[count:]


def _opened_to_append(path: str) -> Any:
    """A file without a buffer; it can be read, too, if it is a regular one that we may read."""
    try:
        if stat.S_ISREG(os.stat(path).st_mode):
            return open(path, "a+b", buffering=0)
    except (FileNotFoundError, PermissionError):
        pass
    return open(path, "ab", buffering=0)


def _ends_within_line(file: Any) -> bool:
    """Whether what is in a file, which stands at its end, has a last line without a line feed. False where that cannot be read."""
    below = file
    if isinstance(file, io.TextIOBase) and not isinstance(file, io.StringIO):
        file.flush()
        below = getattr(file, "buffer", None)
    if below is None or not _is(below, "readable"):
        return False
    end = below.seek(0, 2)
    if not end:
        return False
    below.seek(max(end - 4, 0))
    last = below.read(4)
    file.seek(0, 2)
    if isinstance(last, str):
        return not last.endswith("\n")
    if end <= 4 and not last.strip(_MARK):
        return False
    return not last.rstrip(b"\0").endswith(b"\n")  # the file may be one of UTF-16 or UTF-32


def _is(file: Any, ability: str) -> bool:
    ask = getattr(file, ability, None)
    return ask is not None and bool(ask())


def open_target(target: Any, append: bool, compression: str | None, storage_options: Mapping[str, Any] | None) -> Target:
    """The target that `target` stands for, opened. A module that it needs is looked for before anything is opened."""
    check_compression(compression)
    path = target
    if not isinstance(path, str):
        path = os.fsdecode(target) if isinstance(target, os.PathLike) else None
    if path is None and not callable(getattr(target, "write", None)):
        raise TypeError(f"lines are written to a path, or to a file or anything else with a method write(), not to {type(target).__name__}")
    if not is_url(path):
        check_no_storage_options(storage_options)
    if compression == "infer":
        compression = _BY_SUFFIX.get(os.path.splitext(path)[1].lower()) if path is not None else None
    if compression is not None and isinstance(target, io.TextIOBase):
        raise ValueError(f"{compression} makes bytes, and the file takes text")
    compressor = _compressor(compression) if compression is not None else None
    if path is None:
        inner: Target = _File(target, append, compressor is None)
    elif is_url(path):
        inner = _url(path, append, compressor is None, storage_options)
    else:
        inner = _Path(path, append, compressor is None)
    return _Compressed(inner, compressor) if compressor else inner


def _url(url: str, append: bool, is_text: bool, storage_options: Mapping[str, Any] | None) -> Target:
    system, path = finder_of(url, storage_options, "writing")()
    is_torn = False
    if append and is_text and system.exists(path):
        size = system.size(path)
        is_torn = bool(size) and system.cat_file(path, start=size - 1, end=size) != b"\n"
    target = _File(system.open(path, "ab" if append else "wb"), append, is_text, url)
    target.is_torn = is_torn
    return target


def _compressor(compression: str) -> Callable[[Any], Any]:
    """A function that makes of a file one whose bytes reach the first compressed; to close the latter leaves the first open."""
    if compression == "gzip":
        from gzip import GzipFile

        return lambda file: GzipFile(mode="wb", compresslevel=_GZIP_LEVEL, fileobj=file)
    if compression == "bz2":
        from bz2 import BZ2File

        return lambda file: BZ2File(file, "wb")
    if compression == "xz":
        from lzma import LZMAFile

        return lambda file: LZMAFile(file, "wb")
    zstd = zstd_module("writing")
    if hasattr(zstd, "ZstdFile"):
        return lambda file: zstd.ZstdFile(file, "wb")
    return lambda file: zstd.ZstdCompressor().stream_writer(file, closefd=False)
