"""What `--to` makes of the input: a table of its records, in a file of another kind. pyarrow writes it.

The records are the lines of the input, or the items of the array that `--at` leads to. They are read twice: the types are those of all of
them, and the rows are then written a batch at a time, in bounded memory. What cannot be read again, a pipe, is copied to a temporary file
first. Nothing is opened for writing before all of the input is known to be good.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn

import ocior
from ocior._tables.fitting import fitting
from ocior._tool import terminal
from ocior._tool.reading import Source, cannot_read, opened, refuse, regular_file

FORMATS = ("parquet", "arrow", "csv")

_NOTHING: Any = object()
_WORKERS = min(4, os.cpu_count() or 1)


def convert(infile: str, outfile: str | None, to: str, at: str | None, columns: list[str] | None, fail: Callable[[str], NoReturn]) -> None:
    """Writes the records of `infile` to `outfile`, or to standard output, as `to` says. `fail` ends the command for a wrong option."""
    pa = _library(to, fail)
    if outfile is None and to != "csv" and terminal.is_terminal(sys.stdout):
        fail(f"argument --to: {to} is not for a terminal; name a file to write")
    with ExitStack() as stack:
        again = _source(stack, infile)
        if outfile is not None and _is_same(infile, outfile):
            raise SystemExit("cannot write over the input: what is written is not JSON")
        options: dict[str, Any] = {"at": at, "columns": columns, "compression": None, "workers": _WORKERS if at is None else 1}
        with again() as source, _told(source.name):
            schema = fitting(ocior.infer(source.chunks(), **options), to)
        with again() as source:
            scan = stack.enter_context(ocior.scan(source.chunks(), schema=schema, **options))
            try:
                with _output(outfile) as file, _writer(pa, to, file, pa.schema(schema)) as put:
                    for batch in _batches(scan, source.name):
                        put(batch)
            except pa.ArrowException as error:  # what is no ValueError of theirs, as types that a file of this kind cannot hold
                raise SystemExit(f"cannot write {to}: {error}") from None


def _library(to: str, fail: Callable[[str], NoReturn]) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as error:
        fail(f"argument --to: {to} needs pyarrow, which cannot be imported: {error}")
    return pa


def _source(stack: ExitStack, infile: str) -> Callable[[], Any]:
    """A function that opens the input, each time from its beginning."""
    if infile != "-" and regular_file(infile) is not None:
        return lambda: opened(infile, with_bar=True)
    with opened(infile, with_bar=True) as source:
        copy = stack.enter_context(tempfile.TemporaryFile())
        with _told(source.name):
            for chunk in source.chunks():
                copy.write(chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else chunk)
        name = source.name

    @contextmanager
    def again() -> Iterator[Source]:
        copy.seek(0)
        yield Source(copy, name, "utf-8", "strict", any_newline=False)

    return again


def _is_same(infile: str, outfile: str) -> bool:
    try:
        return infile != "-" and os.path.samefile(infile, outfile)
    except OSError:
        return False


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Ends the command where the input will not do."""
    try:
        yield
    except OSError as error:
        cannot_read(name, error)
    except (ValueError, RecursionError, LookupError) as error:
        refuse(error, name)


def _batches(scan: Any, name: str) -> Iterator[Any]:
    while True:
        with _told(name):
            batch = next(scan, _NOTHING)
        if batch is _NOTHING:
            return
        yield batch


@contextmanager
def _output(outfile: str | None) -> Iterator[Any]:
    if outfile is not None:
        with open(outfile, "wb") as file:
            yield file
        return
    if sys.stdout is None:
        raise SystemExit("cannot write standard output: it is closed")
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


@contextmanager
def _writer(pa: Any, to: str, file: Any, schema: Any) -> Iterator[Callable[[Any], None]]:
    """A function that writes a batch. The file stays open."""
    if to == "csv":
        schema = pa.schema([(field.name, _in_csv(pa, field.type)) for field in schema])
    make = {"parquet": pa.parquet.ParquetWriter, "arrow": pa.ipc.new_file, "csv": pa.csv.CSVWriter}[to]
    with make(pa.PythonFile(file, mode="w"), schema) as writer:
        yield lambda batch: writer.write_table(_cast(pa, pa.table(batch), schema) if to == "csv" else pa.table(batch))


def _in_csv(pa: Any, type: Any) -> Any:
    return type if not isinstance(type, pa.BaseExtensionType) else type.storage_type


def _cast(pa: Any, table: Any, schema: Any) -> Any:
    """The table with the text of JSON columns as plain strings."""
    columns = []
    for column in table.columns:
        chunks = [chunk.storage if isinstance(chunk, pa.ExtensionArray) else chunk for chunk in column.chunks]
        columns.append(pa.chunked_array(chunks, _in_csv(pa, column.type)))
    return pa.table(columns, schema=schema)
