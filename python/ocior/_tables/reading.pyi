"""`ocior.table`, `scan` and `infer`: JSON records as the columns of a table."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, TypeAlias, final

from typing_extensions import CapsuleType, Self

from ocior import RecordError
from ocior._tables.schema import Schema, _Declared
from ocior.lines import _Source

__all__ = ["Scan", "Table", "infer", "scan", "table"]

_Mixed: TypeAlias = Literal["json", "str", "raise"]
_OnError: TypeAlias = Literal["raise", "skip"] | Callable[[RecordError], object]
_Compression: TypeAlias = Literal["infer", "gzip", "bz2", "xz", "zstd"] | None

@final
class Table:
    """JSON records as columns, in the layout of Apache Arrow; `ocior.table` makes it. It cannot be changed, and threads may share it.

    `pyarrow.table(t)`, `polars.DataFrame(t)`, `duckdb.sql("from t")` and whatever else takes `__arrow_c_stream__` read the columns where they
    lie, as often as they like; they stay as long as somebody needs them. `len()` is the number of rows.
    """

    @property
    def num_rows(self) -> int: ...
    @property
    def num_columns(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    @property
    def schema(self) -> Schema: ...
    @property
    def nbytes(self) -> int:
        """How many bytes the columns take."""

    @property
    def skipped(self) -> int:
        """How many bad records were passed over."""

    @property
    def dropped(self) -> int:
        """How many bytes of a torn end were left out."""

    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType:
        """A capsule of Arrow's C interface, a new one each time. `requested_schema` is not heeded."""

    def __arrow_c_schema__(self) -> CapsuleType: ...

@final
class Scan:
    """An iterator of Tables, each a batch of the records of a source, all of one schema; `ocior.scan` makes it. Threads may share it, and get
    each batch once.

    It is a context manager, and closes what it has opened at the end, by `close()`, and with itself. What takes `__arrow_c_stream__` can read
    what is left, once. Where a batch ends is not told.
    """

    @property
    def schema(self) -> Schema:
        """The schema of all batches. The first block is read for it, unless it was given."""

    @property
    def skipped(self) -> int: ...
    @property
    def dropped(self) -> int: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Table: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, type: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None, /) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType: ...

def table(
    source: _Source,
    *,
    at: str | None = None,
    schema: _Declared | None = None,
    columns: Iterable[str] | None = None,
    mixed: _Mixed = "json",
    unexpected: Literal["raise", "ignore"] = "raise",
    workers: int = 1,
    max_columns: int = 10_000,
    on_error: _OnError = "raise",
    tail: Literal["raise", "drop"] = "raise",
    max_record: int = 256 << 20,
    compression: _Compression = "infer",
    storage_options: Mapping[str, Any] | None = None,
) -> Table:
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

def scan(
    source: _Source,
    *,
    at: str | None = None,
    schema: _Declared | None = None,
    columns: Iterable[str] | None = None,
    mixed: _Mixed = "json",
    unexpected: Literal["raise", "ignore"] = "raise",
    workers: int = 1,
    max_columns: int = 10_000,
    on_error: _OnError = "raise",
    tail: Literal["raise", "drop"] = "raise",
    max_record: int = 256 << 20,
    compression: _Compression = "infer",
    storage_options: Mapping[str, Any] | None = None,
) -> Scan:
    """A Scan of the records of a source: an iterator of Tables, each a batch of rows, in bounded memory.

    All batches have one schema: the one that is given, or the one that is inferred from the first block. A record that does not fit is a
    bad one then; `unexpected="ignore"` leaves out keys that came later. `ocior.infer` gives the schema that fits all of a source.
    Arguments and errors are those of `ocior.table`. Nothing is read before the first batch, or `schema`, is asked for.

    A Scan is a context manager, and has `close()`. Who takes `__arrow_c_stream__` can read it once.

    >>> with scan(b'{"id": 1}\\n{"id": 2}\\n') as batches:
    ...     sum(map(len, batches))
    2
    """

def infer(
    source: _Source,
    *,
    at: str | None = None,
    columns: Iterable[str] | None = None,
    mixed: _Mixed = "json",
    workers: int = 1,
    max_columns: int = 10_000,
    on_error: _OnError = "raise",
    tail: Literal["raise", "drop"] = "raise",
    max_record: int = 256 << 20,
    compression: _Compression = "infer",
    storage_options: Mapping[str, Any] | None = None,
) -> Schema:
    """The Schema of all records of a source: the one that `ocior.table` would give it. Arguments and errors are those of `ocior.table`.

    The schemas of several sources are joined by `|`, which gives what would have been inferred from all of them together.

    >>> infer(b'{"id": 1}\\n') | infer(b'{"id": null, "name": "x"}\\n')
    Schema of 2 columns
        id: int64
        name: string
    """
