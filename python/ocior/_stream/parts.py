"""Parts of a file of records, which many workers can read at the same time, each record in one of them.

A Part owns the records whose first byte lies in [begin, end). Let cut(0) = 0, and cut(x) be the offset behind the first newline at x - 1 or
later. Then a Part is the bytes [cut(begin), cut(end)): wherever a file is cut, two neighbours agree, and none needs to see the other.
Reading a Part gives those bytes, so what reads records need not know of Parts.
"""

from __future__ import annotations

import os
import stat
from operator import index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn


class Part:
    """The records of a file whose first byte lies in [begin, end): a source for `ocior.lines.read`, in this process or another.

    source: a path or a URL.
    begin, end: offsets in bytes; `end` None is the end of the file, wherever that is. A file that is compressed, or can only be read from
        its beginning, has one Part, `Part(path)`.

    A Part cannot be changed, is equal to another with the same values, can be a key, and pickles.

    Raises TypeError or ValueError if these are no path and no such offsets.

        with multiprocessing.Pool() as pool:
            pool.map(count_records, ocior.lines.split("events.jsonl"))
    """

    __slots__ = __match_args__ = ("source", "begin", "end")

    source: str
    begin: int
    end: int | None

    def __init__(self, source: str | os.PathLike[str], begin: int = 0, end: int | None = None) -> None:
        begin = index(begin)
        end = None if end is None else index(end)
        if begin < 0 or (end is not None and end < begin):
            raise ValueError(f"a Part must begin at 0 or later and end where it begins or later, not [{begin}, {end})")
        for name, value in zip(self.__slots__, (_path_of(source), begin, end)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Part cannot be changed: {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Part cannot be changed: {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Part):
            return NotImplemented
        return (self.source, self.begin, self.end) == (other.source, other.begin, other.end)

    def __hash__(self) -> int:
        return hash((self.source, self.begin, self.end))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.begin, self.end)

    def __repr__(self) -> str:
        return f"Part({self.source!r}, {self.begin}, {self.end})"


def split(source: str | os.PathLike[str], size: int = 64 << 20, *, storage_options: Mapping[str, Any] | None = None) -> list[Part]:
    """The Parts of a file of lines, each of `size` bytes but the last: read one after the other, they give each record once.

    source: a path, or a URL for fsspec, which is told `storage_options`. What is compressed, or a pipe, or comes from a server that gives
    no length or no ranges, is one Part, without an end. An empty file has no Parts. Only the first bytes and the last one are read.

    Raises OSError if the file cannot be opened, ValueError if `size` is less than 1, TypeError if `source` is no path, ImportError if a URL
    needs fsspec and that is not installed.

        ocior.lines.split("events.jsonl", 1 << 20)  # [Part('events.jsonl', 0, 1048576), Part('events.jsonl', 1048576, 2097152), ...]
    """
    from ocior._stream.compression import MAGIC_BYTES, compression_of  # few programs need these
    from ocior._stream.files import is_url, opener_of

    path, size = _path_of(source), index(size)
    if size < 1:
        raise ValueError(f"size must be at least 1 byte, not {size}")
    opener = opener_of(path, storage_options)
    if not is_url(path) and not _may_be_cut(path):
        return [Part(path)]
    with opener() as file:
        head = file.read(MAGIC_BYTES)
        if not head:
            return []
        if compression_of(bytes(head)) not in (None, "infer"):
            return [Part(path)]
        byte_len = _byte_len(file)
    if byte_len is None:
        return [Part(path)]
    return [Part(path, begin, min(begin + size, byte_len)) for begin in range(0, byte_len, size)]


def _path_of(source: Any) -> str:
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"only a path or a URL can have Parts, not {type(source).__name__}")
    return os.fsdecode(source)


def _may_be_cut(path: str) -> bool:
    """False for what has no size or is read once, and may wait when it is opened, as a pipe does. A folder is opened, for its error."""
    mode = os.stat(path).st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _byte_len(file: Any) -> int | None:
    """The length of a file, None if it cannot tell or cannot be read from any place."""
    try:
        byte_len: int = file.seek(0, os.SEEK_END)
        file.seek(byte_len - 1)
        return byte_len if len(file.read(1)) == 1 else None
    except (OSError, ValueError, TypeError, NotImplementedError):
        return None
