"""Binary files as the command line needs them: those that do not wait are waited for, and compressed ones are uncompressed."""

import io
import os
import select
import time
from typing import Any

from ocior._stream.compression import compression_of, uncompressed
from ocior._stream.files import FileSource


def waiting(file: Any) -> Any:
    """`file`, or if it gives nothing where nothing has come yet, one that waits."""
    try:
        waits = os.get_blocking(file.fileno())
    except (OSError, AttributeError):
        waits = True
    return file if waits else io.BufferedReader(_Rest(b"", file))


def with_head(file: Any, is_enough: Any) -> tuple[bytes, Any]:
    """The first bytes of `file`, and a file that still has them. `is_enough(head)`: whether no more of them are needed; a pipe brings what
    was written at once, be it a byte. `file` has `peek`, or no buffer."""
    if not hasattr(file, "peek"):
        file = io.BufferedReader(file)
    head: bytes = file.peek(8)[:8]
    if not head or is_enough(head):
        return head, file
    head = b""
    while not is_enough(head) and (more := file.read1(1)):
        head += more
    return head, io.BufferedReader(_Rest(head, file))


def plain(file: Any) -> tuple[Any, bool]:
    """A file that has the data of `file` uncompressed, and whether they are compressed."""
    head, file = with_head(file, lambda head: bool(head) and compression_of(head) != "infer")
    if compression_of(head) in (None, "infer"):
        return file, False
    return io.BufferedReader(_Uncompressed(file), 1 << 18), True


class _Rest(io.RawIOBase):
    """What `file` still has, after the bytes that were taken from it; waited for where `file` does not wait itself."""

    def __init__(self, taken: bytes, file: Any) -> None:
        self._taken = taken
        self._file = file

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()  # type: ignore[no-any-return]

    def readinto(self, buffer: Any) -> int:
        if self._taken:
            count = min(len(self._taken), len(buffer))
            buffer[:count] = self._taken[:count]
            self._taken = self._taken[count:]
            return count
        while (read := self._file.readinto1(buffer)) is None:
            _wait_for(self._file)
        return read  # type: ignore[no-any-return]


class _Uncompressed(io.RawIOBase):
    """The data of a compressed file. What is wrong with them is an OSError, as what is wrong with a file."""

    def __init__(self, file: Any) -> None:
        self._source = uncompressed(FileSource(file, None), "infer")
        self._chunk = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._chunk:
            try:
                chunk = self._source.read()
            except OSError:
                raise
            except Exception as error:  # each of the modules that uncompress has its own
                raise OSError(str(error)) from error
            if chunk is None:
                return 0
            self._chunk = memoryview(chunk)
        count = min(len(self._chunk), len(buffer))
        buffer[:count] = self._chunk[:count]
        self._chunk = self._chunk[count:]
        return count


def _wait_for(file: Any) -> None:
    try:
        select.select([file], [], [])
    except OSError:  # on Windows it waits for sockets only
        time.sleep(0.01)
