"""The bytes of a Part, as a source; parts.py says which they are."""

from __future__ import annotations

from ocior._stream.compression import uncompressed
from ocior._stream.files import PathSource, opener_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ocior._stream.parts import Part


def part_source(part: Part, compression: str | None, storage_options: Mapping[str, Any] | None) -> Any:
    """The source of a Part's records. Raises ValueError if a file that is said to be compressed has been cut."""
    opener = opener_of(part.source, storage_options)
    if part.begin == 0 and part.end is None:
        return uncompressed(PathSource(opener, part.source), compression)
    if compression not in (None, "infer"):
        raise ValueError(f"a compressed file has one Part, which begins at 0 and has no end, not {part!r}")
    return PartSource(opener, part)


class PartSource(PathSource):
    """The bytes [cut(begin), cut(end)) of a file."""

    __slots__ = ("_part", "_position", "_has_begun")
    read_into = None

    def __init__(self, opener: Callable[[], Any], part: Part) -> None:
        super().__init__(opener, part.source)
        self._part = part
        self._position = max(part.begin - 1, 0)  # where the next chunk begins
        self._has_begun = False
        self.offset = part.begin

    def read(self) -> Any:
        """The next chunk, None at the end. The first call reads until it knows where the first record begins."""
        if self._opener is not None:
            self._file = self._opener()
            self._opener = None
            self._file.seek(self._position)
        return self._cut(self._next()) if self._has_begun else self._first()

    def _next(self) -> bytes | None:
        chunk = super().read()
        return None if chunk is None else bytes(chunk)

    def _first(self) -> bytes | None:
        part, chunk = self._part, self._next()
        if part.begin:
            while chunk is not None and b"\n" not in chunk:
                self._position += len(chunk)
                # A newline at part.end - 1 or later begins a record of the next Part, or ends the file.
                is_over = part.end is not None and self._position >= part.end - 1
                chunk = None if is_over else self._next()
            if chunk is not None:
                count = chunk.index(b"\n") + 1
                chunk = chunk[count:]
                self._position += count
        if chunk is None or (part.end is not None and self._position >= part.end):
            self.close()
            return None
        self.offset = self._position
        self._has_begun = True
        return self._cut(chunk)

    def _cut(self, chunk: bytes | None) -> bytes | None:
        """`chunk` up to where the Part ends."""
        if chunk is None:
            return None
        end, begin = self._part.end, self._position
        self._position += len(chunk)
        if end is None or self._position < end:
            return chunk
        place = chunk.find(b"\n", max(end - 1 - begin, 0))
        if place < 0:
            return chunk
        self.close()
        return chunk[: place + 1]
