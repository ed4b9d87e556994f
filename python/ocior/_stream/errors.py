"""What is wrong with a record of a stream, `RecordError`, and with a JSON Pointer, `PointerError`; and the function by which the core makes
the former.
"""

from __future__ import annotations

from json import JSONDecodeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["PointerError", "RecordError", "record_error"]


class RecordError(JSONDecodeError):
    """A record of a stream that is no JSON, or not what was asked for. A `json.JSONDecodeError`, and so a `ValueError`.

    `msg`: what is wrong. `doc`: the record as text. `pos`, `colno`: where in it, in characters from 0, and in its line from 1. `lineno`:
    the line of the source, or of the part that was read, from 1. `offset`: how many uncompressed bytes of the source stand before the
    record. `record`: how many records do. `source`: the path or name of the source, None where it has none. `path`, `snippet`: as those
    of the errors of `loads`, None where nothing is known. What is known of the reason otherwise, a `ValidationError` or a
    `UnicodeDecodeError`, is the `__cause__`.
    """

    offset: int
    record: int
    source: str | None
    path: str | None
    snippet: str | None

    def __init__(
        self,
        msg: str,
        doc: str,
        pos: int,
        lineno: int = 1,
        offset: int = 0,
        record: int = 0,
        source: str | None = None,
        path: str | None = None,
        snippet: str | None = None,
    ) -> None:
        super().__init__(msg, doc, pos)
        first_line = lineno
        self.lineno = first_line + doc.count("\n", 0, pos)
        self.offset = offset
        self.record = record
        self.source = source
        self.path = path
        self.snippet = snippet
        where = f"line {self.lineno} column {self.colno} (char {pos} of the record at byte {offset}{f' of {source}' if source else ''})"
        self.args = (f"{msg}: {where}",)
        self._first_line = first_line

    def __reduce__(self) -> Any:
        values = (self.msg, self.doc, self.pos, self._first_line, self.offset, self.record, self.source, self.path, self.snippet)
        return type(self), values


class PointerError(LookupError):
    """A JSON Pointer that leads to nothing in a document, or not to what was asked for. `pointer`: the pointer."""

    def __init__(self, pointer: str, message: str | None = None) -> None:
        super().__init__(message or f"no value at {pointer!r}")
        self.pointer = pointer

    def __reduce__(self) -> Any:
        return type(self), (self.pointer, self.args[0])


def record_error(cause: BaseException, text: bytes, lineno: int, offset: int, record: int, source: str | None) -> RecordError:
    """The error for the record of that text, of which `cause` was raised."""
    path, snippet, notes = getattr(cause, "path", None), getattr(cause, "snippet", None), getattr(cause, "__notes__", ())
    if isinstance(cause, JSONDecodeError):
        error = RecordError(cause.msg, cause.doc, cause.pos, lineno, offset, record, source, path, snippet)
        cause = cause.__cause__  # type: ignore[assignment]
    else:
        pos = 0
        message = str(cause) or type(cause).__name__
        if isinstance(cause, UnicodeDecodeError):
            text = cause.object
            message = f"Invalid UTF-8, {cause.reason}"
            pos = len(text[: cause.start].decode("utf-8", "replace"))
        elif hasattr(cause, "errors"):  # a ValidationError
            pos = cause.pos
        doc = text.decode("utf-8", "replace")
        error = RecordError(message, doc, pos, lineno, offset, record, source, path, snippet)
    for note in notes:
        error.add_note(note)
    error.__cause__ = cause
    error.__suppress_context__ = True
    return error
