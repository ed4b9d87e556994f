"""What the command line reads: a file by name or standard input, compressed or not, as one document, as lines, or by items.

The result is the one that json.tool has, which reads everything as text in one encoding: what ocior.loads refuses is read
again in that way, for the same message and position, and for what that way accepts and ours does not (bytes that the locale's
error handler has escaped). What comes out is accepted, or ends the command with a message that shows the place.
"""

import codecs
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from json import detect_encoding
from typing import Any, NoReturn

import ocior
from ocior._tool import binary, terminal

# Read at a time: enough that a call costs nothing, little enough that a progress bar moves.
_CHUNK_BYTES = 1 << 18

_NOTHING: Any = object()  # stands for what a pointer does not lead to


@contextmanager
def opened(name: str, *, with_bar: bool) -> Iterator["Source"]:
    """The source called `name`, "-" for standard input. A progress bar may be shown while a large file is read."""
    if name == "-":
        stdin: Any = sys.stdin
        if stdin is None:
            raise SystemExit("cannot read standard input: it is closed")
        file = binary.waiting(getattr(stdin, "buffer", stdin))
        yield Source(file, "standard input", stdin.encoding or "utf-8", stdin.errors or "strict", any_newline=False)
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open(name, "rb", buffering=_CHUNK_BYTES))
        except OSError as error:
            cannot_read(name, error)
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
        self.name = name
        self._encoding = codecs.lookup(encoding).name
        self._errors = errors
        self._any_newline = any_newline
        self.status = regular_file(file)
        self._compressed: bool | None = None  # it is not known yet

    @property
    def is_compressed(self) -> bool:
        """Whether the input is, which its first bytes tell."""
        self._uncompress()
        return bool(self._compressed)

    def document(self, pointers: Sequence[str] | None = None) -> Any:
        """The whole input as one document, or what JSON Pointers lead to in it, as a tuple."""
        try:
            data = self._read()
            return _value(data, pointers) if isinstance(data, str) else self._decode(data, pointers)
        except OSError as error:
            cannot_read(self.name, error)
        except (ValueError, RecursionError, LookupError) as error:
            refuse(error)

    def documents(self, pointers: Sequence[str] | None = None) -> Iterator[Any]:
        """The document of each line, or what JSON Pointers lead to in it, as they are asked for.

        Blocks of lines are read by `lines.read`. From the line on that it refuses, or that is blank, which it passes over, each line of a
        block is read alone, as json.tool reads it.
        """
        number = 0  # of lines that are done
        blocks = self._blocks()
        while True:
            try:
                block = next(blocks, None)
                if block is None:
                    return
                done = 0
                if isinstance(block, bytes) and block.endswith(b"\n") and self._means_the_same_to_lines(block):
                    with suppress(ocior.RecordError):
                        reader = ocior.lines.read(block, compression=None, fields=pointers, default=_NOTHING)
                        for value in reader:
                            if reader.lineno != done + 1 or (pointers is not None and any(one is _NOTHING for one in value)):
                                break
                            done += 1
                            number += 1
                            yield value
                lines: Iterable[str | bytes] = [block] if isinstance(block, str) else islice(io.BytesIO(block), done, None)
                for line in lines:
                    value = _value(line if isinstance(line, str) else line.decode(self._encoding, self._errors), pointers)
                    number += 1
                    yield value
            except OSError as error:
                cannot_read(self.name, error)
            except (ValueError, RecursionError, LookupError) as error:
                refuse(error, f"line {number + 1} of {self.name}")

    def items(self, pointer: str) -> Iterator[Any]:
        """The items of the array, or the pairs of the object, that a JSON Pointer leads to in the input, which is one document."""
        number = 0
        reader = ocior.items(self.chunks(), pointer, compression=None)
        while True:
            try:
                item = next(reader, _NOTHING)
            except OSError as error:
                cannot_read(self.name, error)
            except (ValueError, RecursionError) as error:
                refuse(error, f"item {number + 1} of {self.name}")
            except LookupError as error:
                refuse(error)
            if item is _NOTHING:
                return
            number += 1
            yield item

    def _read(self) -> Any:
        chunks = []
        self._uncompress()
        while chunk := self._file.read(_CHUNK_BYTES):
            chunks.append(chunk)
        return chunk.join(chunks)  # the last one is empty

    def _uncompress(self) -> None:
        if self._compressed is None and not isinstance(self._file, io.TextIOBase):
            self._file, self._compressed = binary.plain(self._file)

    def _decode(self, data: bytes, pointers: Sequence[str] | None) -> Any:
        refusal = None
        if self._encoding == "utf-8" and not self._means_something_else(data):
            try:
                return _value(data, pointers)
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
        return _value(text, pointers)

    def _means_something_else(self, data: bytes) -> bool:
        """Whether ocior.loads may accept what json.tool reads in another way: a byte order mark, which it refuses, and
        encoded surrogates (ED A0..BF ..), of which an error handler makes three characters each."""
        return data.startswith(codecs.BOM_UTF8) or (self._errors != "strict" and b"\xed" in data)

    def _means_the_same_to_lines(self, block: bytes) -> bool:
        """Whether `lines.read` reads UTF-8 as this command does: it strips a byte order mark, and takes encoded surrogates."""
        if block.startswith(codecs.BOM_UTF8):
            return False
        with suppress(UnicodeDecodeError):
            return b"\xed" not in block or bool(block.decode())
        return False

    def _text_or_bytes(self) -> Any:
        """The file to read lines and items from: of text, or binary if that is UTF-8, in which a byte order mark stays."""
        if isinstance(self._file, io.TextIOBase):
            return self._file
        self._uncompress()
        encoding = self._encoding
        if encoding == "utf-8":
            head, self._file = binary.with_head(self._file, lambda head: len(head) >= 4 or _is_line(head))
            encoding = _encoding_of_lines(head[:4])
            if encoding.startswith("utf-8"):
                return self._file
        return io.TextIOWrapper(self._file, encoding, self._errors, None if self._any_newline else "\n")

    def chunks(self) -> Iterator[str | bytes]:
        """The input, uncompressed: bytes of UTF-8, or text."""
        file = self._text_or_bytes()
        read = file.read if isinstance(file, io.TextIOBase) else file.read1
        while chunk := read(_CHUNK_BYTES):
            yield chunk

    def _blocks(self) -> Iterator[str | bytes]:
        """Lines of text, or blocks of whole lines of UTF-8. A line without an end is alone."""
        file = self._text_or_bytes()
        if isinstance(file, io.TextIOBase):
            yield from file
            return
        begun: list[bytes] = []
        while chunk := file.read1(_CHUNK_BYTES):
            end = chunk.rfind(b"\n") + 1
            if end:
                yield self._with_newlines(b"".join([*begun, chunk[:end]]))
                begun.clear()
            begun.append(chunk[end:])
        *whole, last = self._with_newlines(b"".join(begun)).rpartition(b"\n")
        yield from filter(None, (b"".join(whole), last))

    def _with_newlines(self, block: bytes) -> bytes:
        return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if self._any_newline and b"\r" in block else block


def _value(data: str | bytes, pointers: Sequence[str] | None) -> Any:
    return ocior.loads(data) if pointers is None else ocior.at(data, pointers)


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


def refuse(error: Exception, where: str = "") -> NoReturn:
    """Ends the command. The first line is json.tool's; the place in the document follows, as far as `error` knows it."""
    path, snippet = getattr(error, "path", None), getattr(error, "snippet", None)
    at = f"at {path}" if path else ""
    place = ", ".join(filter(None, [where, at]))
    lines = [str(error), *([place] if place else []), *(snippet.split("\n") if snippet else [])]
    raise SystemExit("\n  ".join(lines)) from None


def cannot_read(name: str, error: OSError) -> NoReturn:
    raise SystemExit(f"cannot read {name}: {error.strerror or error}") from None
