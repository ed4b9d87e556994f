"""The command line: checks JSON and prints it anew, as `python -m json.tool` does, in colour on a terminal.

    $ echo '{"json": "obj"}' | python -m ocior
    {
        "json": "obj"
    }
    $ echo '{ 1.2:3.4}' | python -m ocior
    Expecting property name enclosed in double quotes: line 1 column 3 (char 2)
    $ python -m ocior --json-lines --compact events.jsonl     # any size, one line in memory at a time
    $ python -m ocior --at /users/0/name users.json.gz        # what a JSON Pointer leads to, here in a compressed file
    $ python -m ocior --items --at /users users.json          # one by one, in as much memory as one takes
    $ python -m ocior settings.json settings.json             # in place; a file that is no JSON stays as it is
    $ python -m ocior --to parquet events.jsonl events.parquet  # lines as a table, with pyarrow

`python -m ocior.tool` is the same command. Options, output and exit statuses are those of `json.tool` in CPython 3.14, on
every version: 1 for a document or a file that will not do, 2 for a wrong option, the number of EPIPE when the reader of the
output has gone. What is added: `--at`, `--items` and `--to`; compressed files, UTF-16 and UTF-32 are read too, an error shows the place in
the document, and a file that cannot be opened gives one line instead of a traceback. What is left out: colour that is forced by the
environment does not go into files, where it would spoil the JSON.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from itertools import chain, islice
from typing import Any

from ocior import __version__
from ocior import at as value_at
from ocior._tool.reading import opened
from ocior._tool.terminal import is_terminal
from ocior._tool.writing import output


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command with the arguments `argv`, by default those of the process. Raises SystemExit, with the message or
    the status, if it fails.

    >>> main(["--compact", "settings.json"])  # doctest: +SKIP
    {"colour":true}
    """
    options = _arguments(argv)
    at = options.at or None
    layout = {"sort_keys": options.sort_keys, "indent": options.indent, "ensure_ascii": options.ensure_ascii}
    if options.compact:
        layout.update(indent=None, separators=(",", ":"))
    try:
        if options.to:
            from ocior._tool import tables  # brings what few calls need

            return tables.convert(options.infile, options.outfile, options.to, at[0] if at else None, options.columns, options.fail)
        with ExitStack() as stack:
            # Lines are printed while others are read: a bar must not share their terminal.
            streamed = options.json_lines or options.items
            lines_seen = streamed and options.outfile is None and is_terminal(sys.stdout)
            source = stack.enter_context(opened(options.infile, with_bar=not lines_seen))
            if options.items:
                items = source.items(at[0] if at else "")
                documents: Iterator[Any] = chain(list(islice(items, 1)), items)  # a pointer that leads nowhere leaves no empty file behind
            elif options.json_lines:
                documents = source.documents(at)
            else:  # read before the output is opened: a wrong document leaves no empty file behind
                documents = iter([source.document(at)])
                stack.close()
            if at and not options.items:
                documents = chain.from_iterable(documents)
            with output(options.outfile, layout, source) as put:
                for document in documents:
                    put(document)
    except BrokenPipeError as error:
        _abandon(options.outfile)
        raise SystemExit(error.errno) from None
    except OSError as error:  # what concerns the input has ended the command already
        _abandon(options.outfile)
        raise SystemExit(f"cannot write {options.outfile or 'standard output'}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # characters that the output's encoding lacks; too deep for json
        raise SystemExit(str(error)) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # what a shell says of a process that SIGINT ended


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ocior", description="Checks JSON documents and prints them anew, indented or compact.")
    parser.add_argument("--version", action="version", version=f"ocior {__version__}")
    parser.add_argument("infile", nargs="?", default="-", help="the JSON file to read (default: standard input)")
    parser.add_argument("outfile", nargs="?", help="the file to write, which may be infile (default: standard output)")
    parser.add_argument("--sort-keys", action="store_true", help="write the keys of each object in alphabetical order")
    parser.add_argument("--no-ensure-ascii", dest="ensure_ascii", action="store_false", help="write characters beyond ASCII as they are")
    parser.add_argument(
        "--json-lines",
        action="store_true",
        help="read one document per line, in as much memory as a line takes; with --no-indent or --compact, write one per line too",
    )
    parser.add_argument(
        "--items",
        action="store_true",
        help="write the items of an array, the document or what --at leads to, one by one, in as much memory as an item takes; of an "
        "object its pairs",
    )
    parser.add_argument(
        "--at",
        action="append",
        type=_pointer,
        metavar="POINTER",
        help="write only what a JSON Pointer leads to, as /users/0/name; may be given several times, for values one below the other",
    )
    parser.add_argument(
        "--to",
        choices=("parquet", "arrow", "csv"),
        help="write a table, of which each line, or each item of the array that --at leads to, is a row; needs pyarrow",
    )
    parser.add_argument(
        "--columns", type=lambda names: names.split(","), metavar="NAMES", help="with --to: only these columns, separated by commas"
    )
    layout = parser.add_mutually_exclusive_group()
    layout.add_argument("--indent", type=int, default=4, metavar="N", help="indent by N spaces (default: %(default)s)")
    layout.add_argument("--tab", dest="indent", action="store_const", const="\t", help="indent by tabs")
    layout.add_argument("--no-indent", dest="indent", action="store_const", const=None, help="write each document on one line")
    layout.add_argument("--compact", action="store_true", help="write each document on one line, without any spaces")
    options = parser.parse_args(argv)
    if options.items and options.json_lines:
        parser.error("argument --items: not allowed with argument --json-lines")
    if options.items and len(options.at or ()) > 1:
        parser.error("argument --items: allowed with one --at only")
    if options.to and options.items:
        parser.error("argument --items: not allowed with argument --to")
    if options.to and options.json_lines and options.at:
        parser.error("argument --json-lines: not allowed with arguments --to and --at")
    if options.to and len(options.at or ()) > 1:
        parser.error("argument --to: allowed with one --at only")
    if options.columns and not options.to:
        parser.error("argument --columns: allowed with argument --to only")
    options.fail = parser.error
    return options


def _pointer(text: str) -> str:
    try:
        value_at("0", text, default=None)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _abandon(outfile: str | None) -> None:
    """Closes a standard output that has failed, so that the interpreter does not try, and complain, once more at its end."""
    if outfile is None:
        with suppress(OSError):
            sys.stdout.close()


if __name__ == "__main__":
    main()
