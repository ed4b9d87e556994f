"""`ocior.table`, `scan` and `infer`: JSON records as the columns of a table. Arguments are made into those of the core, which reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ocior import _core
from ocior._tables.schema import Schema, schema_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Scan", "Table", "infer", "scan", "table"]

Table = _core.Table
Scan = _core.Scan

_LARGEST = (1 << 63) - 1


def table(
    source: Any,
    *,
    at: str | None = None,
    schema: Any = None,
    columns: Iterable[str] | None = None,
    mixed: str = "json",
    unexpected: str = "raise",
    workers: int = 1,
    max_columns: int = 10_000,
    on_error: str | Callable[[Any], Any] = "raise",
    tail: str = "raise",
    max_record: int = 256 << 20,
    compression: str | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
) -> Any:
    """A Table of the records of a source, each of them a JSON object and so a row: its keys are columns, in the layout of Apache Arrow.

    The types are inferred from all of the input, so that no key and no value is lost, wherever it stands. Missing keys and null are null.
    Numbers are int64, uint64 if one needs it and none is negative, or float64 if one has a fraction or an exponent and all are exact so.
    Objects are structs, arrays lists, strings stay strings.

    `source`: whatever `ocior.lines.read` takes. `at`: a JSON Pointer to an array in the one document that the source is; its items are the
    records. `schema`: a Schema, or what Schema takes: exactly these columns and types. `columns`: the names of the columns to read, in
    their order; with none of them the table has rows only. What is left out is checked as JSON.

    `mixed`: what becomes of a column with values of several kinds, integers beyond 64 bits, or integers that are not exact beside floats:
    "json", each as JSON text, which is marked as such (arrow.json); "str", strings as they are and all else as JSON text; "raise", a bad
    record. `unexpected`: a key that `schema` lacks is a bad record ("raise"), or left out ("ignore"). `max_columns`: so many columns are
    made at most, those of structs included.

    `workers`: so many threads read blocks of lines at the same time; not beside `at`. `on_error`, `tail`, `max_record`, `compression`,
    `storage_options`: as for `ocior.lines.read`.

    The Table can be given to pyarrow, polars, duckdb, pandas and others that take `__arrow_c_stream__`, none of which is needed for it.

    Raises RecordError for the first record that is bad, TypeError and ValueError for wrong arguments, and what the source raises.

        >>> t = table(b'{"id": 1, "tags": ["a"]}\\n{"id": 2, "late": 0.5}\\n')
        >>> len(t), t.column_names
        (2, ['id', 'tags', 'late'])
    """
    options = _options(at, columns, mixed, workers, max_columns, on_error, tail, max_record)
    form = _declared(schema, options, unexpected)
    return _core.read_table(_opened(source, compression, storage_options), form=form, **options)


def scan(
    source: Any,
    *,
    at: str | None = None,
    schema: Any = None,
    columns: Iterable[str] | None = None,
    mixed: str = "json",
    unexpected: str = "raise",
    workers: int = 1,
    max_columns: int = 10_000,
    on_error: str | Callable[[Any], Any] = "raise",
    tail: str = "raise",
    max_record: int = 256 << 20,
    compression: str | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
) -> Any:
    """A Scan of the records of a source: an iterator of Tables, each a batch of rows, in bounded memory.

    All batches have one schema: the one that is given, or the one that is inferred from the first block. A record that does not fit is a
    bad one then; `unexpected="ignore"` leaves out keys that came later. `ocior.infer` gives the schema that fits all of a source.
    Arguments and errors are those of `ocior.table`. Nothing is read before the first batch, or `schema`, is asked for.

    A Scan is a context manager, and has `close()`. Who takes `__arrow_c_stream__` can read it once.

        >>> with scan(b'{"id": 1}\\n{"id": 2}\\n') as batches:
        ...     sum(map(len, batches))
        2
    """
    options = _options(at, columns, mixed, workers, max_columns, on_error, tail, max_record)
    form = _declared(schema, options, unexpected)
    return _core.open_scan(_opened(source, compression, storage_options), form=form, **options)


def infer(
    source: Any,
    *,
    at: str | None = None,
    columns: Iterable[str] | None = None,
    mixed: str = "json",
    workers: int = 1,
    max_columns: int = 10_000,
    on_error: str | Callable[[Any], Any] = "raise",
    tail: str = "raise",
    max_record: int = 256 << 20,
    compression: str | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
) -> Schema:
    """The Schema of all records of a source: the one that `ocior.table` would give it. Arguments and errors are those of `ocior.table`.

    The schemas of several sources are joined by `|`, which gives what would have been inferred from all of them together.

        >>> infer(b'{"id": 1}\\n') | infer(b'{"id": null, "name": "x"}\\n')
        Schema of 2 columns
            id: int64
            name: string
    """
    options = _options(at, columns, mixed, workers, max_columns, on_error, tail, max_record)
    return schema_of(_core.infer_form(_opened(source, compression, storage_options), **options), mixed)


def _opened(source: Any, compression: str | None, storage_options: Mapping[str, Any] | None) -> Any:
    from ocior._stream.sources import source_of

    return source_of(source, compression=compression, storage_options=storage_options)


def _options(
    at: Any, columns: Any, mixed: Any, workers: Any, max_columns: Any, on_error: Any, tail: Any, max_record: Any
) -> dict[str, Any]:
    """The keywords that all functions of the core take."""
    if at is not None and not isinstance(at, str):
        raise TypeError(f"at must be a str, not {type(at).__name__}")
    return {
        "at": at,
        "columns": _names(columns),
        "mixed": mixed,
        "workers": _number("workers", workers, 1),
        "max_columns": _number("max_columns", max_columns, 0),
        "on_error": on_error,
        "tail": tail,
        "max_record": _number("max_record", max_record, 0),
    }


def _declared(schema: Any, options: dict[str, Any], unexpected: Any) -> Any:
    """The form of a schema, of which only the columns that are asked for are left. Adds `unexpected` to the options."""
    options["unexpected"] = unexpected
    if schema is None:
        return None
    if isinstance(schema, Schema):
        form = schema._form
    else:
        from ocior._tables.declared import form_of

        form = form_of(schema)
    columns = options["columns"]
    if columns is None:
        return form
    by_name = {child[0]: child for child in form[2]}
    missing = next((name for name in columns if name not in by_name), None)
    if missing is not None:
        raise ValueError(f"columns has {missing!r}, which the schema lacks")
    return form[0], form[1], tuple(by_name[name] for name in columns)


def _names(columns: Any) -> tuple[str, ...] | None:
    if columns is None:
        return None
    if isinstance(columns, (str, bytes)):
        raise TypeError(f"columns must be an iterable of str, not {type(columns).__name__}")
    names = tuple(columns)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"columns must be an iterable of str, not of {type(name).__name__}")
    if len(set(names)) != len(names):
        raise ValueError(f"columns has {next(name for name in names if names.count(name) > 1)!r} twice")
    return names


def _number(name: str, value: Any, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _LARGEST:
        raise ValueError(f"{name} must be an int from {least} to {_LARGEST}, not {value!r}")
    return int(value)
