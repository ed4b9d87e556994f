"""Sources that are uncompressed while they are read: gzip, bzip2, xz and zstd, in bounded memory.

What comes in is an object with read(), close(), name and offset, as files.py has them, and what goes out is another one. The method is told
by the first bytes of the data, with which no JSON can begin, and never by a name: HTTP clients uncompress what they get and keep its name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What a call of read() gives, more or less: enough that a call costs nothing, little enough to stay in a processor's caches.
CHUNK_BYTES = 1 << 18

# What a decompressor is given at a time. Behind a member's end it hands back what it has not used, which is copied: a file may have a
# member for each record.
_STEP_BYTES = 1 << 15

# The names are those of pandas.
METHODS = ("gzip", "bz2", "zstd", "xz")

# By the first byte: all bytes that tell a method, and its name. A zstd file may begin with a frame that is to be skipped.
_MAGIC = {
    0x1F: (b"\x1f\x8b", "gzip"),
    0x42: (b"BZh", "bz2"),
    0xFD: (b"\xfd7zXZ\0", "xz"),
    0x28: (b"\x28\xb5\x2f\xfd", "zstd"),
    **{first: (bytes((first,)) + b"\x2a\x4d\x18", "zstd") for first in range(0x50, 0x60)},
}
MAGIC_BYTES = max(len(magic) for magic, _ in _MAGIC.values())


def check_compression(compression: Any) -> None:
    """Raises TypeError or ValueError if `compression` is not "infer", the name of a method, or None."""
    if compression is None or compression == "infer":
        return
    if not isinstance(compression, str):
        raise TypeError(f"compression must be a str or None, not {type(compression).__name__}")
    if compression not in METHODS:
        raise ValueError(f"compression must be 'infer', {', '.join(map(repr, METHODS))} or None, not {compression!r}")


def compression_of(head: bytes) -> str | None:
    """The method that the first bytes of some data tell, None if they are not compressed, "infer" as long as they are too few to tell."""
    if not head:
        return "infer"
    magic, method = _MAGIC.get(head[0], (b"", None))
    if head.startswith(magic):
        return method
    return "infer" if magic.startswith(head) else None


def uncompressed(source: Any, compression: str | None) -> Any:
    """`source`, or one that reads it and gives its data uncompressed. Raises ImportError if the method is named and a module is missing."""
    return source if compression is None else Decompressed(source, compression)


class Decompressed:
    """The uncompressed data of `source`, or its data as they are if they turn out not to be compressed."""

    __slots__ = ("_source", "_method", "_open", "_head", "_member", "_data", "_begin", "_is_first", "_error", "__weakref__")

    def __init__(self, source: Any, compression: str) -> None:
        self._source = source
        self._method: str | None = compression
        self._open = None if compression == "infer" else _decompressor(compression)
        self._head = b""  # what has been read while it does not tell the method
        self._member: Any = None  # the decompressor of the member that has begun
        self._data = b""  # compressed, of which the part from `_begin` on has not been given to a decompressor
        self._begin = 0
        self._is_first = True
        self._error: Exception | None = None  # to be raised when the data before it have been given

    @property
    def name(self) -> str | None:
        return self._source.name  # type: ignore[no-any-return]

    @property
    def offset(self) -> int:
        return self._source.offset  # type: ignore[no-any-return]

    @property
    def read_into(self) -> Any:
        """That of the source, once it is known not to be compressed; else None."""
        return self._source.read_into if self._method is None else None

    def read(self) -> Any:
        """The next uncompressed bytes, None at the end.

        Raises EOFError if the data end within a member, what the decompressor raises, and what the source raises.
        """
        if self._method == "infer":
            chunk = self._read_head()
            if self._method is None or self._method == "infer":
                return chunk
            try:
                self._open = _decompressor(self._method)
            except ImportError:
                self.close()
                raise
            self._data = chunk
        elif self._method is None:
            return self._source.read()
        if self._error is not None:
            error, self._error = self._error, None
            self.close()
            raise error
        return self._decompress()

    def close(self) -> None:
        self._head = self._data = b""
        self._begin = 0
        self._member = self._error = None
        self._source.close()

    def _read_head(self) -> Any:
        """The first bytes, once they tell the method; nothing before that."""
        chunk = self._source.read()
        if chunk is None:
            self._method = None
            chunk, self._head = self._head or None, b""
            return chunk
        self._method = compression_of(self._head + bytes(memoryview(chunk)[:MAGIC_BYTES]))
        if self._method is None and not self._head:
            return chunk
        chunk = self._head + bytes(memoryview(chunk))
        self._head = chunk if self._method == "infer" else b""
        return b"" if self._method == "infer" else chunk

    def _decompress(self) -> bytes | None:
        """What the data that have been read give; more are read only if that is nothing."""
        pieces: list[bytes] = []
        byte_len = 0
        while byte_len < CHUNK_BYTES:
            try:
                piece = self._next_piece()
            except Exception as error:
                if not pieces:
                    self.close()
                    raise
                self._error = error
                break
            if piece:
                pieces.append(piece)
                byte_len += len(piece)
            elif piece is None:
                if pieces:
                    break
                data = self._source.read()
                if data is None:
                    return self._end()
                self._data = bytes(memoryview(data))
                self._begin = 0
                if not data:
                    return b""
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _next_piece(self) -> bytes | None:
        """Some uncompressed bytes, be it none; None if all data that have been read are used up."""
        member = self._member
        if member is not None and not member.needs_input:
            piece = member.decompress(b"", CHUNK_BYTES)
        else:
            if member is None and not self._is_first and self._data[self._begin : self._begin + 1] == b"\0":
                self._begin = len(self._data) - len(self._data[self._begin :].lstrip(b"\0"))  # the padding of a tape, or of xz
            step = self._data[self._begin : self._begin + _STEP_BYTES]
            if not step:
                return None
            if member is None:
                assert self._open is not None
                self._member = member = self._open()
                self._is_first = False
            piece = member.decompress(step, CHUNK_BYTES)
            self._begin += len(step)
        if member.eof:
            self._begin -= len(member.unused_data)
            self._member = None
        return piece  # type: ignore[no-any-return,unused-ignore]

    def _end(self) -> bytes | None:
        """What comes after all data: what a decompressor still holds of a member that is cut, then EOFError; or the end."""
        rest = b"" if self._member is None else self._member.decompress(b"", CHUNK_BYTES)
        if rest:
            return rest
        is_cut = self._member is not None
        self.close()
        if is_cut:
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        return None


def _decompressor(method: str) -> Callable[[], Any]:
    """What makes a decompressor with the interface of bz2.BZ2Decompressor. Raises ImportError if there is none."""
    if method == "gzip":
        try:
            from isal import igzip_lib
        except ImportError:
            return _ByZlib
        return lambda: igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
    if method == "bz2":
        from bz2 import BZ2Decompressor

        return BZ2Decompressor
    if method == "xz":
        import lzma

        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)
    zstd = zstd_module("reading")
    return zstd.ZstdDecompressor if hasattr(zstd, "ZstdFile") else _ByZstandard  # type: ignore[no-any-return,unused-ignore]


def zstd_module(doing: str) -> Any:
    """Python's own module for zstd or its backport, which have the same names, or else the package zstandard, which has no ZstdFile.

    Raises ImportError if there is none of them; `doing` says for what one is needed.
    """
    try:
        import compression.zstd as zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            import backports.zstd as zstd  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            try:
                import zstandard as zstd  # type: ignore[import-not-found,no-redef,unused-ignore]
            except ImportError:
                raise ImportError(
                    f"{doing} zstd needs Python 3.14 or a package: `pip install backports.zstd`, or zstandard", name="backports.zstd"
                ) from None
    return zstd


class _ByZlib:
    """zlib's decompressor of gzip, which hands back what it had no room for instead of keeping it."""

    __slots__ = ("_inner",)

    def __init__(self) -> None:
        from zlib import decompressobj

        self._inner = decompressobj(31)  # the largest window, and a gzip header

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


class _ByZstandard:
    """The decompressor of the package zstandard, which gives all that its input makes.

    Four bytes make a block of 128 KB at most, so it is given little at a time: what it gives stays below 9 MB.
    """

    __slots__ = ("_inner", "_data")

    _LITTLE_BYTES = 256

    def __init__(self) -> None:
        import zstandard

        self._inner = zstandard.ZstdDecompressor().decompressobj()
        self._data = b""

    @property
    def eof(self) -> bool:
        return self._inner.eof  # type: ignore[no-any-return,unused-ignore]

    @property
    def needs_input(self) -> bool:
        return not self._data

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data + self._data  # type: ignore[no-any-return,unused-ignore]

    def decompress(self, data: bytes, max_length: int) -> bytes:
        data = self._data + data
        begin = byte_len = 0
        pieces = []
        while begin < len(data) and byte_len < max_length and not self.eof:
            pieces.append(self._inner.decompress(data[begin : begin + self._LITTLE_BYTES]))
            byte_len += len(pieces[-1])
            begin += self._LITTLE_BYTES
        self._data = data[begin:]
        return b"".join(pieces)
