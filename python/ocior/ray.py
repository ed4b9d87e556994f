"""JSON lines read into, and written from, datasets of Ray, over all workers: one large file is read by many of them.

import ocior.ray

events = ocior.ray.read_json("s3://bucket/events/*.jsonl", columns=["user", "bytes"])
ocior.ray.write_json(events.filter(expr="bytes > 0"), "s3://bucket/copy")
"""

from __future__ import annotations

from functools import partial

import ray
import ray.data
from ray.data import Datasource, ReadTask
from ray.data.block import BlockAccessor, BlockMetadata
from ray.data.datasource import Datasink

from ocior._engines.folder import Folder
from ocior._engines.reading import Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ocior.lines import Part

__all__ = ["read_json", "write_json"]

# Ray's name for the column of a block that has rows only. It hides such a column, and needs it: without one a block counts as empty.
_ROWS_ONLY = "__bsp_stub"


def read_json(
    paths: Any,
    *,
    schema: Any = None,
    columns: Sequence[str] | None = None,
    infer: str = "sample",
    part_size: int = 64 << 20,
    storage_options: Mapping[str, Any] | None = None,
    ray_remote_args: dict[str, Any] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """A dataset of the rows of files of JSON lines, in their order. Each task reads one Part of a file, all by one schema.

    `paths`: a path or URL of a file or a folder, a pattern, or several of these. All workers must reach the files.
    `schema`: what `ocior.Schema` takes. Without it the schema is inferred at once: of a few places of a few files, or of all text, by the
    workers, with `infer="all"`. `columns`: only these. What a dataset selects later is all that is read, too.
    `part_size`: so many bytes of text are read by a task. A compressed file is read by one, and so is one with `at=`.
    `ray_remote_args`: for the tasks, as `num_cpus`. `storage_options`: for fsspec.
    The others are options of `ocior.table`: at, mixed, unexpected, max_columns, on_error, tail, max_record, compression.

    Raises FileNotFoundError where there is no file, ValueError and TypeError for wrong options, and what `ocior.infer` raises. A bad
    record raises RecordError, with the file and the byte, where the dataset is used.
    """
    run = partial(_run, ray_remote_args or {})
    reading = Reading(
        paths, schema=schema, columns=columns, infer=infer, part_size=part_size, storage_options=storage_options, run=run, **options
    )
    # Ray is told how many blocks there are, or else it splits those of each task, and runs what follows in tasks of their own. That is good
    # for large files that cannot be cut alone.
    count = len(reading.parts) if all(part.end is not None for part in reading.parts) else None
    return ray.data.read_datasource(JSONLinesDatasource(reading), override_num_blocks=count, **_named(ray_remote_args))


def write_json(
    dataset: ray.data.Dataset,
    folder: Any,
    *,
    overwrite: bool = False,
    compression: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    ray_remote_args: dict[str, Any] | None = None,
    **options: Any,
) -> None:
    """Writes a dataset into a folder, which all workers share, as files of JSON lines, one for each task.

    The files appear when all have been written; what a task has left that failed or was killed is never seen. They are added to what is
    there; `overwrite=True` removes what earlier calls have written. `compression`: "gzip", "bz2", "xz" or "zstd". The other options
    are those of `ocior.lines.write`.

    Raises ValueError for another compression, OSError of the file system, and what the tasks raise.
    """
    target = Folder(folder, overwrite=overwrite, compression=compression, storage_options=storage_options, **options)
    with target:
        dataset.write_datasink(JSONLinesDatasink(target), **_named(ray_remote_args))


class JSONLinesDatasource(Datasource):
    """What Ray plans the reading by: a task for each Part, of the columns that are used."""

    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self._reading = reading
        self._projection_map: dict[str, str] | None = None

    def get_name(self) -> str:
        return "JSONLines"

    def supports_projection_pushdown(self) -> bool:
        return True

    def estimate_inmemory_data_size(self) -> int | None:
        sizes = [_byte_len(part) for part in self._reading.parts]
        return None if None in sizes else sum(size for size in sizes if size)

    def get_read_tasks(self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None) -> list[ReadTask]:
        columns = self._get_data_columns()
        schema = self._reading.arrow_schema(columns)
        return [
            ReadTask(
                partial(_read, self._reading, part, columns),
                BlockMetadata(num_rows=None, size_bytes=_byte_len(part), input_files=[part.source], exec_stats=None),
                schema=schema,
                per_task_row_limit=per_task_row_limit,
            )
            for part in self._reading.parts
        ]


class JSONLinesDatasink(Datasink):
    """Writes the blocks of each task as one file. Its tasks return the names, of which Ray takes one of each task, however often it ran."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def get_name(self) -> str:
        return "JSONLines"

    def write(self, blocks: Iterable[Any], ctx: Any) -> str | None:
        import pyarrow

        tables = [BlockAccessor.for_block(block).to_arrow() for block in blocks]
        tables = [table for table in tables if table.num_rows]
        if not tables:
            return None
        return self._folder.write(pyarrow.concat_tables(tables, promote_options="permissive"), ctx.task_idx)

    def on_write_complete(self, write_result: Any) -> None:
        self._folder.commit(write_result.write_returns)


def _read(reading: Reading, part: Part, columns: list[str] | None) -> Iterator[Any]:
    import pyarrow

    for table in reading.tables(part, columns):
        yield table if table.num_columns else table.append_column(_ROWS_ONLY, pyarrow.nulls(table.num_rows))


def _named(ray_remote_args: dict[str, Any] | None) -> dict[str, Any]:
    """The keyword of Ray for it, which goes with Ray 2.64, if there is need of it."""
    return {"ray_remote_args": ray_remote_args} if ray_remote_args else {}


def _run(ray_remote_args: dict[str, Any], function: Callable[[Part], Any], parts: list[Part]) -> list[Any]:
    def call(part: Part) -> Any:
        return function(part)

    task = ray.remote(**ray_remote_args)(call) if ray_remote_args else ray.remote(call)
    return ray.get([task.remote(part) for part in parts])  # type: ignore[no-any-return]


def _byte_len(part: Part) -> int | None:
    return None if part.end is None else part.end - part.begin
