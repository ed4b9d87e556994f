"""What only people see: colours on a terminal, by the rules and the theme of CPython 3.14, and a progress bar."""

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, BinaryIO, NamedTuple

# Files from this size on take long enough that people want to see something move.
LARGE_BYTES = 50_000_000


def is_terminal(file: Any) -> bool:
    """Whether `file`, which may be None or closed, is a terminal."""
    try:
        return bool(file.isatty())
    except (AttributeError, ValueError, OSError):
        return False


# --- colours -------------------------------------------------------------------------------------------------------


class Palette(NamedTuple):
    """The control sequences that begin each kind of token, and the one that ends them all."""

    key: str = "\x1b[1m"  # bold
    string: str = "\x1b[32m"  # green
    number: str = "\x1b[33m"  # yellow
    keyword: str = "\x1b[1;34m"  # bold blue
    reset: str = "\x1b[0m"


def palette(file: Any) -> Palette | None:
    """The colours for `file`, or None if it should have none.

    From 3.14 on the interpreter itself knows, and knows the theme that the user has set.
    """
    try:
        from _colorize import can_colorize, get_theme  # type: ignore[import-not-found,unused-ignore]

        if not can_colorize(file=file):
            return None
        theme = get_theme(tty_file=file).syntax
        return Palette(theme.definition, theme.string, theme.number, theme.keyword, theme.reset)
    except (ImportError, AttributeError, TypeError):  # an older version, or one that has changed what it keeps to itself
        return Palette() if _wants_colour(file) else None


def _wants_colour(file: Any) -> bool:
    environ = os.environ
    if not sys.flags.ignore_environment and environ.get("PYTHON_COLORS") in ("0", "1"):
        return environ["PYTHON_COLORS"] == "1"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return environ.get("TERM") != "dumb" and is_terminal(file)


# A string with the colon that makes it a key, or a number or word. A string whose end is not there yet matches up to the
# end of the text, in time linear in its length: no two parts of the pattern can take the same character.
_TOKEN = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*\\?"?)(:?)|[^\s"\[\]{},:]+', re.DOTALL)


class Painter(io.TextIOBase):
    """A text file that puts the JSON written to it into another one, in colour. It takes a document in pieces, cut anywhere;
    what it keeps is a piece, or a token if that is longer. To be closed after each document; the other file stays open."""

    _LEAST_LEN = 1 << 14

    def __init__(self, file: Any, colours: Palette) -> None:
        self._file = file
        self._colours = colours
        self._pieces: list[str] = []
        self._len = 0
        self._enough_len = self._LEAST_LEN

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._pieces.append(text)
        self._len += len(text)
        if self._len >= self._enough_len:
            self._paint(last=False)
        return len(text)

    def __exit__(self, kind: Any, *error: Any) -> None:
        if kind is not None:
            self._pieces = []  # of a document that has failed, or for a file that has
        super().__exit__(kind, *error)

    def close(self) -> None:
        try:
            if not self.closed:
                self._paint(last=True)
        finally:
            super().close()  # or it would be tried again when this object goes

    def _paint(self, last: bool) -> None:
        text = "".join(self._pieces)
        kept = ""

        def paint(match: re.Match[str]) -> str:
            nonlocal kept
            if not last and match.end() == len(text):
                kept = match[0]  # it may go on
                return ""
            string, colon = match.groups()
            if string is None:
                colour = self._colours.keyword if match[0] in ("true", "false", "null") else self._colours.number
                return f"{colour}{match[0]}{self._colours.reset}"
            return f"{self._colours.key if colon else self._colours.string}{string}{self._colours.reset}{colon}"

        self._file.write(_TOKEN.sub(paint, text))
        self._pieces = [kept]
        self._len = len(kept)
        # A long string is looked at again only when twice as much of it is there: linear time, however it comes.
        self._enough_len = max(self._LEAST_LEN, 2 * len(kept))


# --- progress ------------------------------------------------------------------------------------------------------


def with_progress(file: BinaryIO, name: str, chunk_bytes: int) -> AbstractContextManager[BinaryIO]:
    """`file`, or in its place one that shows on stderr how far it is read: if it is large, people are watching, and the
    library rich (`pip install ocior[cli]`) is there."""
    byte_len = os.fstat(file.fileno()).st_size  # 0 for what is no regular file
    if byte_len < LARGE_BYTES or not is_terminal(sys.stderr):
        return nullcontext(file)
    try:
        from rich import progress
        from rich.console import Console
        from rich.markup import escape
    except ImportError:
        return nullcontext(file)
    # Left to itself, it would also take sys.stdout and send what is printed to stderr.
    bar = progress.Progress(
        *progress.Progress.get_default_columns(),
        progress.DownloadColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    return _read_with(bar, file, byte_len, escape(os.path.basename(name)), chunk_bytes)


@contextmanager
def _read_with(bar: Any, file: BinaryIO, byte_len: int, description: str, chunk_bytes: int) -> Iterator[BinaryIO]:
    with bar, bar.wrap_file(file, byte_len, description=description) as reader:
        yield io.BufferedReader(reader, chunk_bytes)  # the bar moves with each chunk, not with each line
