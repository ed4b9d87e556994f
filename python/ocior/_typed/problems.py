"""What is wrong with a document for a type: `ValidationError`, its `Problem`s, and the functions with which the core raises them.

Everything that costs time is made when it is asked for.
"""

from __future__ import annotations

import sys

from ocior._typed import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any, NoReturn

    from ocior._typed.places import Path

__all__ = ["Problem", "ValidationError", "multiple_of", "note_path", "raise_errors"]

_HAS_NOTES = sys.version_info >= (3, 11)


class Refusal(ValueError):
    """What ocior's own hooks raise: it becomes a problem of `code` instead of "hook"."""

    def __init__(self, code: str, expected: Any) -> None:
        super().__init__(code, expected)
        self.code = code
        self.expected = expected


class Problem:
    """One value of a document that its type does not allow.

    `code`: type, missing, unknown, value, choice, tag, length, gt, ge, lt, le, multiple_of, min_length, max_length, pattern, tz, key,
    duplicate, range, hook. `path`: a tuple of str and int; `where`: the same as `$.lines[3].name`; `pointer`: the same as a JSON Pointer
    (RFC 6901). `start`, `end`: the code points of the document that enclose the value, also where it was bytes. `expected`: what the type
    wants, or the bound that is broken. `got`: the kind of value that is there. `cause`: the exception of a hook, else None. `message`: all
    of that in words; of the document it quotes nothing, but it does quote what a hook says.
    """

    __slots__ = ("code", "path", "start", "end", "expected", "got", "cause")

    def __init__(
        self, code: str, path: Path, start: int, end: int, expected: Any = None, got: str | None = None, cause: BaseException | None = None
    ) -> None:
        self.code = code
        self.path = tuple(path)
        self.start = start
        self.end = end
        self.expected = expected
        self.got = got
        self.cause = cause

    @property
    def where(self) -> str:
        return places.where(self.path)

    @property
    def pointer(self) -> str:
        return places.pointer(self.path)

    @property
    def message(self) -> str:
        if self.code == "hook" and self.cause is not None:
            text = str(self.cause)
            return f"{type(self.cause).__name__}: {text}" if text else type(self.cause).__name__
        return self.summary

    @property
    def summary(self) -> str:
        """The message without what hooks say, which may quote the document."""
        if self.code == "hook":
            return f"refused by {type(self.cause).__name__}" if self.cause is not None else "refused"
        words = _WORDS.get(self.code, "expected {expected}")
        text = words.format(expected=_shown(self.expected))
        return f"{text}, got {self.got}" if self.got and self.code in _TELL_WHAT_THEY_GOT else text

    def _values(self) -> tuple[Any, ...]:
        return self.code, self.path, self.start, self.end, self.expected, self.got, self.cause

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.code, self.path, self.start, self.end))

    def __repr__(self) -> str:
        return f"<Problem {self.code} at {self.where}: {self.summary}>"

    def __reduce__(self) -> Any:
        return Problem, _picklable(self._values())


_WORDS = {
    "missing": "missing {expected}",
    "unknown": "unknown key",
    "choice": "expected {expected}",
    "tag": "expected {expected} as the tag",
    "gt": "expected more than {expected}",
    "ge": "expected {expected} or more",
    "lt": "expected less than {expected}",
    "le": "expected {expected} or less",
    "multiple_of": "expected a multiple of {expected}",
    "min_length": "expected a length of {expected} or more",
    "max_length": "expected a length of {expected} or less",
    "pattern": "expected a match of {expected}",
    "key": "expected {expected} as a key",
    "duplicate": "duplicate key",
    "range": "number out of range",
}
_TELL_WHAT_THEY_GOT = ("type", "value", "length", "min_length", "max_length", "key")


def _shown(expected: Any) -> str:
    if isinstance(expected, str):
        return expected
    pattern = getattr(expected, "pattern", None)
    if isinstance(pattern, str):
        return repr(pattern)
    return str(expected)


class ValidationError(ValueError):
    """A document is JSON, and not what its type allows.

    `errors`: a tuple of Problem, in the order of the document, at most as many as the decoder's `max_errors`. Of the first of them:
    `path`, as `$.lines[3].count`; `pos`, `lineno`, `colno`, in code points, counted as in JSONDecodeError; `snippet`, two lines with a
    caret under the place.

    The text of the error quotes no value of the document; the snippet, which from Python 3.11 on is a note of the error, does.
    """

    def __init__(self, document: str, problems: Any, type: Any = None, count: int | None = None) -> None:
        super().__init__()
        self._document = document
        self._problems = problems
        self._type = type
        self._count = len(problems) if count is None else count
        self._errors: tuple[Problem, ...] | None = None
        self._notes: list[str] | None = None

    @property
    def errors(self) -> tuple[Problem, ...]:
        if self._errors is None:
            # No generator: CPython 3.13 ends itself where it has no memory for the function of one.
            errors = []
            for problem in self._problems:
                errors.append(problem if isinstance(problem, Problem) else _problem(*problem))
            self._errors = tuple(errors)
        return self._errors

    @property
    def path(self) -> str:
        return self.errors[0].where

    @property
    def pos(self) -> int:
        return self.errors[0].start

    @property
    def lineno(self) -> int:
        return places.line_and_column(self._document, self.pos)[0]

    @property
    def colno(self) -> int:
        return places.line_and_column(self._document, self.pos)[1]

    @property
    def snippet(self) -> str:
        return places.snippet(self._document, self.pos)

    def __str__(self) -> str:
        first = self.errors[0]
        line, column = places.line_and_column(self._document, first.start)
        more = self._count - 1
        return f"{first.where}: {first.summary} (line {line} column {column})" + (f", and {more} more" if more > 0 else "")

    def __repr__(self) -> str:
        return f"ValidationError({str(self)!r})"

    def __reduce__(self) -> Any:
        name = self._type if isinstance(self._type, str) or self._type is None else _name_of(self._type)
        return _restore, (type(self), self._document, list(self.errors), name, self._count, self._notes)

    if _HAS_NOTES:
        # A property, so that the note is made when somebody looks; add_note() appends to what it gives.
        @property
        def __notes__(self) -> list[str]:
            if self._notes is None:
                of = "" if self._type is None else f" in {_name_of(self._type)}"
                lines = "".join(f"\n    {line}" for line in self.snippet.split("\n"))
                self._notes = [f"at {self.path}{of}{lines}"]
            return self._notes

        @__notes__.setter
        def __notes__(self, notes: list[str]) -> None:
            self._notes = notes


def _restore(cls: Any, document: str, problems: list[Problem], name: Any, count: int, notes: list[str] | None) -> ValidationError:
    error = cls(document, problems, name, count)
    error._notes = notes
    return error


def _problem(
    code: str, path: Path, start: int, end: int, expected: Any = None, got: str | None = None, cause: BaseException | None = None
) -> Problem:
    if code == "hook" and isinstance(cause, Refusal):
        return Problem(cause.code, path, start, end, cause.expected, got, cause.__cause__)
    return Problem(code, path, start, end, expected, got, cause)


def _name_of(type: Any) -> str:
    if isinstance(type, str):
        return type
    name = getattr(type, "__qualname__", None) or str(type)
    return name if not getattr(type, "__args__", None) else str(type).replace("typing.", "")


def _picklable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values, with what cannot be pickled told in words: causes are exceptions of any kind."""
    import pickle

    made = []
    for value in values:
        try:
            pickle.loads(pickle.dumps(value))
        except Exception:
            value = RuntimeError(f"{type(value).__name__}: {value}") if isinstance(value, BaseException) else repr(value)
        made.append(value)
    return tuple(made)


def raise_errors(document: str, problems: list[tuple[Any, ...]], type: Any, count: int) -> NoReturn:
    """Raises the ValidationError of these problems, each a tuple (code, path, start, end, expected, got, cause). `count`: how many there
    are in all, which may be more. The cause of the first is the cause of the error."""
    error = ValidationError(document, problems, type, count)
    cause = error.errors[0].cause
    try:
        if cause is not None:
            raise error from cause
        raise error
    finally:
        # Else the frame, of which the traceback knows, would keep the error, and the document, until garbage is collected.
        del error, cause


def note_path(error: BaseException, path: Path) -> None:
    """Tells in a note of an exception that passes through where in the document it came up. Before Python 3.11 exceptions have none."""
    if _HAS_NOTES:
        error.add_note(f"while decoding {places.where(path)}")


def multiple_of(text: str, of: Decimal) -> bool:
    """Whether the number with this text, as JSON has it, is a multiple of `of`, which is greater than zero. Both are taken as decimals,
    exactly. The time is linear in the length of the text, whatever the exponent. NaN and infinities are no multiples."""
    digits, exponent = _decimal_parts(text)
    if digits is None:
        return False
    digits = digits.strip("0") and digits.lstrip("0")
    if not digits:
        return True
    _, step_digits, step_exponent = of.as_tuple()
    step = int("".join(map(str, step_digits)))
    power = exponent - int(step_exponent)
    if power < 0:
        # A multiple of step * 10**-power ends with so many zeros.
        zeros = len(digits) - len(digits.rstrip("0"))
        if zeros < -power:
            return False
        digits, power = digits[:power], 0
    rest = 0
    for at in range(0, len(digits), 400):
        part = digits[at : at + 400]
        rest = (rest * pow(10, len(part), step) + int(part)) % step
    # A higher power of ten has no more of the factors of `step`.
    return rest * pow(10, min(power, 4 * step.bit_length() + 4), step) % step == 0


def _decimal_parts(text: str) -> tuple[str | None, int]:
    """The digits of a number and the exponent of the last one; None for what is none."""
    text = text.strip().lower().lstrip("+-")
    mantissa, _, power = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    if not digits or not digits.isascii() or not digits.isdigit():
        return None, 0
    # Exponents beyond any that could matter are as good as this one, and int() refuses very long ones.
    sign = -1 if power.startswith("-") else 1
    power = power.lstrip("+-").lstrip("0")
    if power and not power.isdigit():
        return None, 0
    exponent = sign * (10**18 if len(power) > 18 else int(power or "0"))
    return digits, exponent - len(fraction)
