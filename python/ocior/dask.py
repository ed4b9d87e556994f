"""JSON lines read into, and written from, data frames and bags of Dask: one large file is read by many workers, all by one schema.

import ocior.dask

events = ocior.dask.read_json("s3://bucket/events/*.jsonl", columns=["user", "bytes"])
ocior.dask.write_json(events[events.bytes > 0], "s3://bucket/copy")
"""

from __future__ import annotations

import dask
import dask.bag
import dask.dataframe

import ocior
from ocior._engines.files import parts_of
from ocior._engines.folder import Folder
from ocior._engines.reading import Reading, plain_schema, plain_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ocior.lines import Part

__all__ = ["read_bag", "read_json", "write_json"]


def read_json(
    paths: Any,
    *,
    schema: Any = None,
    columns: Sequence[str] | None = None,
    infer: str = "sample",
    part_size: int = 64 << 20,
    storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> dask.dataframe.DataFrame:
    """A data frame of the rows of files of JSON lines, in their order. Each partition is one Part of a file, all by one schema.

    `paths`: a path or URL of a file or a folder, a pattern, or several of these. All workers must reach the files.
    `schema`: what `ocior.Schema` takes. Without it the schema is inferred at once: of a few places of a few files, or of all text, by the
    workers, with `infer="all"`. `columns`: only these. What is selected of the data frame later is all that is read, too.
    `part_size`: so many bytes of text make a partition. A compressed file makes one, and so does one with `at=`.
    `storage_options`: for fsspec.
    The others are options of `ocior.table`: at, mixed, unexpected, max_columns, on_error, tail, max_record, compression.

    The columns have the types of Arrow (`pandas.ArrowDtype`), so that each partition has the same ones, nulls or not; mixed values are
    strings of JSON. Each partition counts its index from 0.

    Raises FileNotFoundError where there is no file, ValueError and TypeError for wrong options, and what `ocior.infer` raises. A bad
    record raises RecordError, with the file and the byte, where the data frame is computed.
    """
    reading = Reading(
        paths, schema=schema, columns=columns, infer=infer, part_size=part_size, storage_options=storage_options, run=_run, **options
    )
    meta = _frame(plain_schema(reading.arrow_schema()).empty_table())
    return dask.dataframe.from_map(_read, reading.parts, reading=reading, meta=meta, label="read-json-lines")


def read_bag(paths: Any, *, part_size: int = 64 << 20, storage_options: Mapping[str, Any] | None = None, **options: Any) -> dask.bag.Bag:
    """A bag of the records of files of JSON lines, in their order, which need not be objects. Each partition is one Part of a file.

    `options`: those of `ocior.lines.read`, as `fields` and `type`; the others are as for `read_json`.
    """
    parts = parts_of(paths, part_size, storage_options)
    load = dask.delayed(_load)
    return dask.bag.from_delayed([load(part, {**options, "storage_options": storage_options}) for part in parts])


def write_json(
    frame: dask.dataframe.DataFrame,
    folder: Any,
    *,
    overwrite: bool = False,
    compression: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> None:
    """Writes a data frame into a folder, which all workers share, as files of JSON lines, one for each partition, without the index.

    The files appear when all have been written; what a task has left that failed or was killed is never seen. They are added to what is
    there; `overwrite=True` removes what earlier calls have written. `compression`: "gzip", "bz2", "xz" or "zstd". The other options
    are those of `ocior.lines.write`.

    Raises ValueError for another compression, OSError of the file system, and what the tasks raise.
    """
    target = Folder(folder, overwrite=overwrite, compression=compression, storage_options=storage_options, **options)
    write = dask.delayed(_write, pure=False)
    with target:
        target.commit(dask.compute(*[write(target, part, index) for index, part in enumerate(frame.to_delayed())]))


def _read(part: Part, columns: list[str] | None = None, *, reading: Reading) -> Any:
    """One partition. Dask passes the columns that are used by that keyword."""
    return _frame(plain_table(reading.table(part, columns)))


def _frame(table: Any) -> Any:
    import pandas

    if not table.num_columns:
        return pandas.DataFrame(index=pandas.RangeIndex(table.num_rows))
    return table.to_pandas(types_mapper=pandas.ArrowDtype)


def _load(part: Part, options: dict[str, Any]) -> list[Any]:
    return list(ocior.lines.read(part, **options))


def _write(folder: Folder, frame: Any, index: int) -> str | None:
    import pyarrow

    return folder.write(pyarrow.Table.from_pandas(frame, preserve_index=False), index) if len(frame) else None


def _run(function: Callable[[Part], Any], parts: list[Part]) -> list[Any]:
    call = dask.delayed(function, pure=False)
    return list(dask.compute(*[call(part) for part in parts]))
