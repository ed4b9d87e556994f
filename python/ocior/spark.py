"""JSON lines as a data source of Spark: one large file is read by many tasks, all by one schema, and written by Arrow.

import ocior.spark

events = ocior.spark.read_json(spark, "s3://bucket/events/*.jsonl", columns=["user", "bytes"])
ocior.spark.write_json(events.where("bytes > 0"), "s3://bucket/copy")
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from pyspark.sql import datasource
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

import ocior
from ocior._engines.files import absolute
from ocior._engines.folder import Folder
from ocior._engines.reading import Reading, plain_schema
from ocior._tables.schema import schema_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from ocior.lines import Part

__all__ = ["read_json", "register", "write_json"]

_SETTLED = "settled_schema"  # an option that only read_json gives


def register(spark: SparkSession) -> None:
    """Makes "ocior" a format that the session reads and writes. ocior must be installed where the workers run.

    Options are those of `read_json` and `write_json`; numbers, lists and dicts are given as JSON. With `.schema(...)`, what it lacks is not
    read. Without, the schema is inferred where Spark plans, by one process even with `infer="all"`.
    """
    spark.dataSource.register(JSONLinesSource)


def read_json(
    spark: SparkSession,
    paths: Any,
    *,
    schema: Any = None,
    columns: Sequence[str] | None = None,
    infer: str = "sample",
    part_size: int = 64 << 20,
    storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> DataFrame:
    """A data frame of the rows of files of JSON lines. Each task reads one Part of a file, all by one schema.

    The arguments are those of `ocior.ray.read_json`; `on_error` is no function here. Spark does not tell which columns a query uses: all are
    read that `columns` or `schema` name. Mixed values are strings of JSON, and integers of a column with some above 2**63-1 are
    DECIMAL(20, 0).

    Raises what that raises, but that a bad record fails the query with an error of Spark's, whose message names file and byte.
    """

    def run(function: Callable[[Part], Any], parts: list[Part]) -> list[Any]:
        return spark.sparkContext.parallelize(parts, len(parts)).map(function).collect()  # type: ignore[no-any-return]

    paths = [absolute(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    given = {"columns": columns, "part_size": part_size, "storage_options": storage_options, **options}
    reading = Reading(paths, schema=schema, infer=infer, run=run, **given)
    settled = [reading.schema.__reduce__()[1], reading.is_sampled]  # what Arrow can say of a schema is less
    register(spark)
    strings = _strings({**given, "paths": paths, _SETTLED: settled})
    return spark.read.format("ocior").options(**strings).load()


def write_json(
    frame: DataFrame,
    folder: Any,
    *,
    overwrite: bool = False,
    compression: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> None:
    """Writes a data frame into a folder as files of JSON lines, one for each task, as `ocior.ray.write_json` does a dataset."""
    register(frame.sparkSession)
    strings = _strings({"compression": compression, "storage_options": storage_options, **options})
    frame.write.format("ocior").mode("overwrite" if overwrite else "append").options(**strings).save(absolute(folder))


def _strings(options: dict[str, Any]) -> dict[str, str]:
    """Options as Spark takes them; `JSONLinesSource` reads them."""
    return {name: one if isinstance(one, str) else ocior.dumps(one) for name, one in options.items()}


class JSONLinesSource(datasource.DataSource):
    """The data source. Spark makes it, and calls each method, in processes of their own."""

    _settled: Any = None  # the schema, if it is ours; that of Spark knows of no mixed values
    _is_sampled = False

    @classmethod
    def name(cls) -> str:
        return "ocior"

    def schema(self) -> StructType:
        reading = Reading(**self._options())
        self._settled, self._is_sampled = reading.schema, self._is_sampled or reading.is_sampled  # Spark keeps both with this object
        return from_arrow_schema(plain_schema(reading.arrow_schema(), unsigned=False))

    def reader(self, schema: StructType) -> JSONLinesReader:
        options = self._options()
        if self._settled is None:  # the schema is one that somebody has given to Spark
            options.update(schema=to_arrow_schema(schema, timezone="UTC"), columns=schema.names)
        else:
            options.update(schema=self._settled)
        reading = Reading(**options)
        reading.is_sampled = self._is_sampled
        return JSONLinesReader(reading, schema)

    def writer(self, schema: StructType, overwrite: bool) -> JSONLinesWriter:
        options = self._options()
        return JSONLinesWriter(Folder(options.pop("paths"), overwrite=overwrite, **options).__enter__())

    def _options(self) -> dict[str, Any]:
        options = {name.lower(): _value(text) for name, text in self.options.items()}
        if options.pop("path", None) is not None:
            options["paths"] = self.options["path"]
        elif "paths" not in options:
            raise ValueError("a path is missing: load(path), save(path)")
        if _SETTLED in options:
            arguments, self._is_sampled = options.pop(_SETTLED)
            options["schema"] = schema_of(*_tuples(arguments))
        return options


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _value(text: str) -> Any:
    """The value of an option: what is no JSON is a string."""
    try:
        return ocior.loads(text)
    except ValueError:
        return text


class JSONLinesReader(datasource.DataSourceReader):
    """One task for each Part."""

    def __init__(self, reading: Reading, schema: StructType) -> None:
        self._reading = reading
        self._partitions = [datasource.InputPartition(part) for part in reading.parts]
        self._schema = schema

    def partitions(self) -> list[datasource.InputPartition]:
        return self._partitions

    def read(self, partition: datasource.InputPartition) -> Iterator[Any]:
        schema = to_arrow_schema(self._schema, timezone="UTC")
        for table in self._reading.tables(partition.value):
            yield from table.cast(schema).to_batches(max_chunksize=1 << 16)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_partitions": []}


@dataclass
class OneFile(datasource.WriterCommitMessage):
    name: str | None


class JSONLinesWriter(datasource.DataSourceArrowWriter):
    """One file for each task."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def write(self, iterator: Iterator[Any]) -> OneFile:
        from itertools import chain

        import pyarrow
        from pyspark import TaskContext

        first = next(iterator, None)
        if first is None:
            return OneFile(None)
        batches = pyarrow.RecordBatchReader.from_batches(first.schema, chain([first], iterator))
        return OneFile(self._folder.write(batches, TaskContext.get().partitionId()))

    def commit(self, messages: list[OneFile | None]) -> None:
        with self._folder:
            self._folder.commit(message.name for message in messages if message is not None)

    def abort(self, messages: list[OneFile | None]) -> None:
        self._folder.__exit__()
