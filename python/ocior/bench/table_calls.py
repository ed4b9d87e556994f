"""How each library is called for tables: lines of a file to columns, and back. What they give has `__arrow_c_stream__`.

The libraries are imported when they are first called, in the process that measures: how many threads polars has is told to it before. A
library that has two ways is two libraries here: as it comes, and told to look at all rows.
"""

import json
import os
from importlib.util import find_spec


class Frames:
    """A table as each library has it: what `make(arrow)` gives is made once."""

    def __init__(self, arrow, directory):
        self.arrow, self.directory = arrow, directory
        self._made = {}

    def of(self, make):
        if make not in self._made:
            self._made[make] = make(self.arrow)
        return self._made[make]


def _reads(read, with_columns=None):
    """The calls of `read(path, threads)`, and of `with_columns(path, columns)` in one thread."""
    calls = {"table_read": lambda path: read(path, 1), "table_read_2": lambda path: read(path, 2)}
    return {**calls, "table_columns": lambda argument: with_columns(*argument)} if with_columns else calls


def _need(name):
    if find_spec(name) is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def of_json():
    """json's records, and pyarrow's arrays of what each key has: what is right."""

    def read(path, columns=None):
        import pyarrow

        with open(path, "rb") as file:
            records = list(map(json.loads, file))
        names = dict.fromkeys(name for record in records for name in record) if columns is None else columns
        return pyarrow.table({name: pyarrow.array([record.get(name) for record in records]) for name in names})

    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    return {
        "table_read": read,
        "table_read_2": read,
        "table_columns": lambda argument: read(*argument),
        "table_write": lambda frames: "".join([encode(row) + "\n" for row in frames.arrow.to_pylist()]).encode(),
    }


def _pyarrow(threads):
    import pyarrow

    pyarrow.set_cpu_count(threads)
    return pyarrow


def of_pyarrow():
    _need("pyarrow")

    def read(path, threads):
        _pyarrow(threads)
        from pyarrow.json import ReadOptions, read_json

        return read_json(path, read_options=ReadOptions(use_threads=threads > 1))

    return _reads(read)


def _polars(threads):
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    if polars.thread_pool_size() != threads:
        raise RuntimeError(f"polars has {polars.thread_pool_size()} threads already")
    return polars


def of_polars(rows=None):
    """`rows`: how many of them it looks at, to see what the columns are; all."""
    _need("polars")

    def read(path, threads):
        return _polars(threads).read_ndjson(path, infer_schema_length=rows)

    def with_columns(path, columns):
        return _polars(1).scan_ndjson(path, infer_schema_length=rows).select(columns).collect()

    def write(frames):
        from io import BytesIO

        file = BytesIO()
        frames.of(_polars(1).DataFrame).write_ndjson(file)
        return file.getvalue()

    return {**_reads(read, with_columns), **({"table_write": write} if rows is None else {})}


def of_polars_100():
    return of_polars(100)


def _duckdb(threads):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    return connection


def of_duckdb(options=", sample_size = -1"):
    _need("duckdb")

    def read(path, threads, columns="*"):
        query = f"SELECT {columns} FROM read_json('{path}', format = 'newline_delimited'{options})"
        return _duckdb(threads).sql(query).to_arrow_table()

    def with_columns(path, columns):
        return read(path, 1, ", ".join(f'"{name}"' for name in columns))

    def own(arrow):
        """A table of duckdb's own, for it would read columns of Arrow anew each time."""
        connection = _duckdb(1)
        connection.register("arrow", arrow)
        connection.execute("CREATE TABLE own AS SELECT * FROM arrow")
        return connection

    def write(frames):
        path = os.path.join(frames.directory, "duckdb.jsonl")
        frames.of(own).execute(f"COPY own TO '{path}' (FORMAT json)")
        with open(path, "rb") as file:
            return file.read()

    return {**_reads(read, with_columns), **({"table_write": write} if options else {})}


def of_duckdb_sample():
    return of_duckdb("")


def of_pandas():
    """Alone it has one thread."""
    _need("pandas")
    _need("pyarrow")  # for what it gives is looked at as columns of Arrow

    def read(path):
        import pandas

        return pandas.read_json(path, lines=True)

    def frame(arrow):
        return arrow.to_pandas()

    return {"table_read": read, "table_write": lambda frames: frames.of(frame).to_json(orient="records", lines=True).encode()}


def of_pandas_pyarrow():
    _need("pandas")
    _need("pyarrow")

    def read(path, threads):
        _pyarrow(threads)
        import pandas

        return pandas.read_json(path, lines=True, engine="pyarrow")

    return _reads(read)


def of_fastsimdjson(module):
    """From version 0.10 on. It wants all of the text in memory."""
    if not hasattr(module, "loads_arrow"):
        return {}

    def read(path):
        with open(path, "rb") as file:
            return module.loads_arrow(file.read())

    return {"table_read": read, "table_write": lambda frames: module.dumpb_arrow(frames.arrow)}


def of_ocior(module=None):
    """`module`: what has the public names of ocior."""
    if module is None:
        import ocior as module
    if not hasattr(module, "table"):
        return {}
    table, lines = module.table, module.lines
    return {
        **_reads(lambda path, threads: table(path, workers=threads), lambda path, columns: table(path, columns=columns)),
        "table_write": lambda frames: lines.dumps_to_bytes(frames.arrow),
    }
