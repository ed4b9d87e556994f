"""What the command line writes: documents, each with a newline, on standard output, into a file, or over the input.

Wherever the text layer would change nothing, ocior.dump writes UTF-8 straight into the binary file below it.
"""

import codecs
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

import ocior
from ocior._tool import terminal
from ocior._tool.reading import Source, regular_file

# A file's buffer: small documents are gathered in it, chunks of larger ones pass it by.
_BUFFER_BYTES = 1 << 16

Put = Callable[[Any], None]


@contextmanager
def output(outfile: str | None, layout: dict[str, Any], source: Source) -> Iterator[Put]:
    """A function that writes one document, laid out by the keywords of json.dump, to `outfile` or to standard output.

    `source` is what is being read meanwhile; it may be the same file.
    """
    with ExitStack() as stack:
        if outfile is None:
            file, colours = _standard_output(stack, layout["ensure_ascii"], source)
        else:
            file, colours = _named_output(stack, outfile, source)
        yield _coloured(file, layout, colours) if colours else _plain(file, layout)


def _standard_output(stack: ExitStack, ensure_ascii: bool, source: Source) -> tuple[Any, terminal.Palette | None]:
    if sys.stdout is None:
        raise SystemExit("cannot write standard output: it is closed")
    out: Any = sys.stdout
    stack.callback(out.flush)
    colours = terminal.palette(out)
    binary = None if colours else _below(out, ensure_ascii)
    if _is_input(source, regular_file(out)):  # appending to the input: what is written must not be read in its turn
        from ocior._tool import replacing  # brings shutil and tempfile, which few calls need

        new = stack.enter_context(replacing.gathered(out.buffer))
        return new if binary else io.TextIOWrapper(new, out.encoding, out.errors, write_through=True), colours
    return binary or out, colours


def _named_output(stack: ExitStack, outfile: str, source: Source) -> tuple[Any, terminal.Palette | None]:
    if _is_input(source, regular_file(outfile)):
        from ocior._tool import replacing

        return _with_newlines(stack.enter_context(replacing.replaced(outfile))), None
    file = stack.enter_context(open(outfile, "wb", buffering=_BUFFER_BYTES))
    # Colour that the environment forces is for terminals and pipes: a file of JSON is to stay JSON.
    colours = terminal.palette(file) if terminal.is_terminal(file) else None
    if colours:
        return stack.enter_context(io.TextIOWrapper(file, "utf-8")), colours
    return _with_newlines(file), None


def _with_newlines(file: BinaryIO) -> Any:
    """The file itself, or as text where lines end otherwise than by "\\n", as json.tool writes it there."""
    return file if os.linesep == "\n" else io.TextIOWrapper(file, "utf-8", write_through=True)


def _plain(file: Any, layout: dict[str, Any]) -> Put:
    newline: Any = "\n" if isinstance(file, io.TextIOBase) else b"\n"

    def put(document: Any) -> None:
        ocior.dump(document, file, **layout)
        file.write(newline)

    return put


def _coloured(file: Any, layout: dict[str, Any], colours: terminal.Palette) -> Put:
    def put(document: Any) -> None:
        with terminal.Painter(file, colours) as painter:
            ocior.dump(document, painter, **layout)
        file.write("\n")

    return put


def _below(out: Any, ensure_ascii: bool) -> BinaryIO | None:
    """The binary file below `out` if UTF-8 written there is what `out` would write, and at the same time."""
    binary = getattr(out, "buffer", None)
    if not isinstance(binary, (io.BufferedIOBase, io.RawIOBase)) or out.line_buffering or os.linesep != "\n":
        return None
    encoding = codecs.lookup(out.encoding).name
    if ensure_ascii:
        same = encoding in ("utf-8", "ascii", "iso8859-1")
    else:
        same = encoding == "utf-8" and out.errors == "strict"
    if not same:
        return None
    out.flush()
    return binary  # type: ignore[return-value]


def _is_input(source: Source, status: os.stat_result | None) -> bool:
    if source.status is None or status is None or not os.path.samestat(source.status, status):
        return False
    if source.is_compressed:
        raise SystemExit("cannot write over the input: it is compressed, and what is written is not")
    return True
