"""What the command line reads: a file by name or standard input, as one document or as lines, decoded by ocior itself.

The result is the one that json.tool has, which reads everything as text in one encoding: what ocior.loads refuses is read
again in that way, for the same message and position, and for what that way accepts and ours does not (bytes that the locale's
error handler has escaped). What comes out is accepted, or ends the command with a message that shows the place.
"""

import codecs
import io
import os
import select
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from json import detect_encoding
from typing import Any, NoReturn

import ocior
from ocior._tool import terminal

# Read at a time: enough that a call costs nothing, little enough that a progress bar moves.
_CHUNK_BYTES = 1 << 18


@contextmanager
def opened(name: str, *, with_bar: bool) -> Iterator["Source"]:
    """The source called `name`, "-" for standard input. A progress bar may be shown while a large file is read."""
    if name == "-":
        stdin: Any = sys.stdin
        if stdin is None:
            raise SystemExit("cannot read standard input: it is closed")
        file = getattr(stdin, "buffer", stdin)
        if _does_not_wait(file):
            file = io.BufferedReader(_Rest(b"", file))
        yield Source(file, "standard input", stdin.encoding or "utf-8", stdin.errors or "strict", any_newline=False)
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open(name, "rb", buffering=_CHUNK_BYTES))
        except OSError as error:
            _cannot_read(name, error)
        if with_bar:
            file = stack.enter_context(terminal.with_progress(file, name, _CHUNK_BYTES))
        yield Source(file, name, "utf-8", "strict", any_newline=True)


def regular_file(file: Any) -> os.stat_result | None:
    """What tells one regular file from another, for an open file or a path; None for anything else."""
    try:
        status = os.stat(file) if isinstance(file, str) else os.fstat(file.fileno())
    except (OSError, AttributeError):
        return None
    return status if stat.S_ISREG(status.st_mode) else None


class Source:
    """An open input. `file` is binary, or a text file where a program has put one in the place of standard input.

    `any_newline`: "\\r" and "\\r\\n" count as "\\n". That is so in files, and not on standard input.
    """

    def __init__(self, file: Any, name: str, encoding: str, errors: str, *, any_newline: bool) -> None:
        self._file = file
        self._name = name
        self._encoding = codecs.lookup(encoding).name
        self._errors = errors
        self._any_newline = any_newline
        self.status = regular_file(file)

    def document(self) -> Any:
        """The whole input as one document."""
        try:
            data = self._read()
            return ocior.loads(data) if isinstance(data, str) else self._decode(data)
        except OSError as error:
            _cannot_read(self._name, error)
        except (ValueError, RecursionError) as error:
            _refuse(error)

    def documents(self) -> Iterator[Any]:
        """The document of each line, as they are asked for."""
        number = 0
        lines = self._lines()
        while True:
            number += 1
            try:
                line = next(lines, None)
                if line is None:
                    return
                document = ocior.loads(line if isinstance(line, str) else line.decode(self._encoding, self._errors))
            except OSError as error:
                _cannot_read(self._name, error)
            except (ValueError, RecursionError) as error:
                _refuse(error, f"line {number} of {self._name}")
            yield document

    def _read(self) -> Any:
        chunks = []
        while chunk := self._file.read(_CHUNK_BYTES):
            chunks.append(chunk)
        return chunk.join(chunks)  # the last one is empty

    def _decode(self, data: bytes) -> Any:
        refusal = None
        if self._encoding == "utf-8" and not self._means_something_else(data):
            try:
                return ocior.loads(data)
            except (ocior.JSONDecodeError, UnicodeDecodeError) as error:
                refusal = error
        try:
            text = data.decode(self._encoding, self._errors)
        except UnicodeDecodeError:
            if refusal is not None and not detect_encoding(data).startswith("utf-8"):
                raise refusal from None  # the fault is in the UTF-16 or UTF-32, not that it is no UTF-8
            raise
        if self._any_newline:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return ocior.loads(text)

    def _means_something_else(self, data: bytes) -> bool:
        """Whether ocior.loads may accept what json.tool reads in another way: a byte order mark, which it refuses, and
        encoded surrogates (ED A0..BF ..), of which an error handler makes three characters each."""
        return data.startswith(codecs.BOM_UTF8) or (self._errors != "strict" and b"\xed" in data)

    def _lines(self) -> Iterator[str | bytes]:
        if isinstance(self._file, io.TextIOBase):
            return iter(self._file)
        if not hasattr(self._file, "peek"):
            self._file = io.BufferedReader(self._file)
        encoding = self._encoding
        if encoding == "utf-8":
            encoding = _encoding_of_lines(self._beginning())
            if encoding.startswith("utf-8"):  # a byte order mark is left there, to be refused
                return self._byte_lines()
        return iter(io.TextIOWrapper(self._file, encoding, self._errors, None if self._any_newline else "\n"))

    def _beginning(self) -> bytes:
        """The first 4 bytes, which are still to be read, or less if that is all or ends a line already."""
        head: bytes = self._file.peek(4)[:4]
        if 0 < len(head) < 4 and not _is_line(head):  # a pipe brings what was written at once, be it a byte
            head = b""
            while len(head) < 4 and not _is_line(head) and (more := self._file.read1(4 - len(head))):
                head += more
            self._file = io.BufferedReader(_Rest(head, self._file))
        return head

    def _byte_lines(self) -> Iterator[bytes]:
        for line in self._file:
            if self._any_newline and b"\r" in line:
                for piece in line.splitlines(keepends=True):
                    yield piece.rstrip(b"\r\n") + b"\n" if piece.endswith((b"\r", b"\n")) else piece
            else:
                yield line


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


def _wait_for(file: Any) -> None:
    try:
        select.select([file], [], [])
    except OSError:  # on Windows it waits for sockets only
        time.sleep(0.01)


def _does_not_wait(file: Any) -> bool:
    try:
        return not os.get_blocking(file.fileno())
    except (OSError, AttributeError):
        return False


def _is_line(head: bytes) -> bool:
    """Whether the beginning of some lines is a line of UTF-8, so that nothing more is needed to tell the encoding."""
    return b"\n" in head and b"\0" not in head and head[0] < 0x80


def _encoding_of_lines(head: bytes) -> str:
    """The encoding that json sees in the first 4 bytes, or UTF-8 where it cannot be: without a byte order mark, UTF-16 and
    UTF-32 are known by NULs alone."""
    encoding = detect_encoding(head)
    if encoding.endswith("e"):  # -le, -be: told by NULs
        text = head.decode(encoding, "replace")
        if not "\0" < text[0] < "\x80" or not (text[1:].isascii() or text[0] == '"'):  # only a string has more than ASCII
            return "utf-8"
    return encoding


def _refuse(error: Exception, where: str = "") -> NoReturn:
    """Ends the command. The first line is json.tool's; the place in the document follows, as far as `error` knows it."""
    path, snippet = getattr(error, "path", None), getattr(error, "snippet", None)
    at = f"at {path}" if path else ""
    place = ", ".join(filter(None, [where, at]))
    lines = [str(error), *([place] if place else []), *(snippet.split("\n") if snippet else [])]
    raise SystemExit("\n  ".join(lines)) from None


def _cannot_read(name: str, error: OSError) -> NoReturn:
    raise SystemExit(f"cannot read {name}: {error.strerror or error}") from None
