"""One schema for all Parts of some files, and how each Part is read by it.

A `Reading` is made where the program runs, and pickled to the workers. What a Part gives depends on the file alone, so an engine may have
it read again whenever a worker has died.
"""

from __future__ import annotations

from uuid import uuid4

import ocior
from ocior._engines.files import parts_of
from ocior.lines import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

# A sample has at most three places of three files, so many bytes of each. What is not larger than all of them is read as a whole.
SAMPLE_BYTES = 1 << 20

# What is taken beside schema, columns and storage_options, with the meaning that `ocior.table` gives it.
OPTIONS = ("at", "mixed", "unexpected", "max_columns", "on_error", "tail", "max_record", "compression")


class Reading:
    """The Parts of some files, their schema, and the options with which each is read.

    paths: a path or URL of a file or a folder, a pattern, or several of these.
    schema: what `ocior.Schema` takes, or None. Then `infer` says of what it is inferred: "sample", a few places of a few files, or "all".
    columns: the names of the columns that are read, or None.
    run: calls a function with each of some Parts and returns the list of the results; an engine has its workers do that.

    Raises FileNotFoundError where there is no file, ValueError and TypeError for wrong options, and what `ocior.infer` raises.
    """

    def __init__(
        self,
        paths: Any,
        *,
        schema: Any = None,
        columns: Sequence[str] | None = None,
        infer: str = "sample",
        part_size: int = 64 << 20,
        storage_options: Mapping[str, Any] | None = None,
        run: Callable[[Callable[[Part], Any], list[Part]], list[Any]] | None = None,
        **options: Any,
    ) -> None:
        for name in options:
            if name not in OPTIONS:
                raise TypeError(
                    f"{name!r} is no option; beside schema, columns, infer, part_size and storage_options there are {', '.join(OPTIONS)}"
                )
        if infer not in ("sample", "all"):
            raise ValueError(f"infer must be 'sample' or 'all', not {infer!r}")
        if isinstance(columns, str):
            raise TypeError("columns must be a list of names, not a str")
        self._token = uuid4().hex
        self.columns = None if columns is None else list(columns)
        self.unexpected = options.pop("unexpected", "raise")
        self.options = {**options, "storage_options": dict(storage_options) if storage_options else None}
        self.parts = parts_of(paths, part_size, storage_options, is_whole=options.get("at") is not None)
        self.is_sampled = schema is None and infer == "sample"
        if schema is None:
            schema = self._settled(infer, run or (lambda function, parts: [function(part) for part in parts]))
        self.schema = schema if isinstance(schema, ocior.Schema) else ocior.Schema(schema)
        for name in self.columns or ():
            if name not in self.schema.names:
                raise ValueError(f"the schema has no column {name!r}")

    def table(self, part: Part, columns: Sequence[str] | None = None) -> Any:
        """The rows of a Part as a pyarrow.Table; `columns`: only these. Raises RecordError, with file and byte, for a bad record."""
        import pyarrow

        try:
            return pyarrow.table(self._read(ocior.table, part, columns))
        except ocior.RecordError as error:
            raise self._explained(error) from None

    def tables(self, part: Part, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The rows of a Part as pyarrow.Tables: one, or many of a file that cannot be cut, which then need not fit into memory."""
        import pyarrow

        if part.end is not None:
            yield self.table(part, columns)
            return
        try:
            yield from map(pyarrow.table, self._read(ocior.scan, part, columns))
        except ocior.RecordError as error:
            raise self._explained(error) from None

    def arrow_schema(self, columns: Sequence[str] | None = None) -> Any:
        """The pyarrow.Schema of what `table` gives."""
        import pyarrow

        schema = pyarrow.schema(self.schema)
        names = self.columns if columns is None else columns
        return schema if names is None else pyarrow.schema([schema.field(name) for name in names])

    def __dask_tokenize__(self) -> str:
        return self._token  # a file may have changed since it was read last, so what Dask has kept of that is not taken

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "parts": []}  # each Part is sent to who reads it

    def _read(self, function: Callable[..., Any], part: Part, columns: Sequence[str] | None) -> Any:
        names = self.columns if columns is None else list(columns)
        return function(part, schema=self.schema, columns=names, unexpected=self.unexpected, **self.options)

    def _explained(self, error: ocior.RecordError) -> ocior.RecordError:
        """The error, with what to do about it where a record does not fit what was seen of others."""
        if not self.is_sampled or not error.msg.startswith(("Expected ", "Unexpected key")):
            return error
        message = f'{error.msg} (the schema is that of a sample; infer="all" makes one that fits)'
        first_line = error.lineno - error.doc.count("\n", 0, error.pos)
        where = (first_line, error.offset, error.record, error.source, error.path, error.snippet)
        return ocior.RecordError(message, error.doc, error.pos, *where)

    def _settled(self, infer: str, run: Callable[[Callable[[Part], Any], list[Part]], list[Any]]) -> Any:
        import pyarrow

        if self.columns == []:
            return pyarrow.schema([])
        settle = Settling(self.columns, self.options)
        first, *others = run(settle, self.parts) if infer == "all" else map(settle, sample_of(self.parts, self.options))
        for schema in others:
            first = first | schema
        return first


class Settling:
    """Infers the schema of a Part, or of the head of a file. It pickles."""

    def __init__(self, columns: list[str] | None, options: dict[str, Any]) -> None:
        self.columns = columns
        self.options = options

    def __call__(self, source: Any) -> Any:
        options = self.options if isinstance(source, Part) else {**self.options, "compression": None, "storage_options": None}
        return ocior.infer(source, columns=self.columns, **options)


def sample_of(parts: list[Part], options: dict[str, Any]) -> Iterator[Any]:
    """What a schema is inferred from: all Parts if they are small, else the beginnings of some."""
    byte_len = sum(9 * SAMPLE_BYTES + 1 if part.end is None else part.end - part.begin for part in parts)
    if byte_len <= 9 * SAMPLE_BYTES:
        yield from parts
        return
    of_file: dict[str, list[Part]] = {}
    for part in parts:
        of_file.setdefault(part.source, []).append(part)
    for some in _three(list(of_file.values())):
        for part in _three(some):
            if options.get("at") is not None:
                yield part  # a document has no head
            elif part.end is None:
                yield Head(part, options)
            else:
                yield Part(part.source, part.begin, min(part.end, part.begin + SAMPLE_BYTES))


def _three(items: list[Any]) -> list[Any]:
    """The first, the middle one and the last, each once."""
    return [items[place] for place in sorted({0, len(items) // 2, len(items) - 1})]


class Head:
    """The first lines of a file that cannot be cut, uncompressed, as a file: SAMPLE_BYTES, and on to the end of that line."""

    def __init__(self, part: Part, options: dict[str, Any]) -> None:
        from ocior._stream.sources import source_of

        self.name = part.source
        self._source = source_of(part, compression=options.get("compression", "infer"), storage_options=options["storage_options"])
        self._left = SAMPLE_BYTES

    def read(self, size: int = -1) -> bytes:
        """The next chunk, of whatever size; b"" at the end."""
        chunk = self._source.read()
        while chunk is not None and not len(chunk):
            chunk = self._source.read()
        if chunk is None:
            return b""
        chunk = bytes(chunk)
        end = chunk.find(b"\n", max(self._left - 1, 0)) + 1
        self._left -= len(chunk)
        if not end:
            return chunk
        self._source.close()
        return chunk[:end]


def plain_schema(schema: Any, *, unsigned: bool = True) -> Any:
    """A pyarrow.Schema without extension types, which are replaced by what they are stored as: mixed values become strings of JSON.

    `unsigned`: false makes wider integers of those without a sign, and decimals of the widest, for who has none.
    """
    import pyarrow

    return pyarrow.schema([_plain_field(field, unsigned) for field in schema])


def plain_table(table: Any) -> Any:
    """A pyarrow.Table of such a schema."""
    return table.cast(plain_schema(table.schema)) if table.num_columns else table  # cast() loses the number of rows


def _plain_field(field: Any, unsigned: bool) -> Any:
    import pyarrow

    kind = field.type
    if isinstance(kind, pyarrow.BaseExtensionType):
        kind = kind.storage_type
    if pyarrow.types.is_unsigned_integer(kind) and not unsigned:
        kind = {8: pyarrow.int16(), 16: pyarrow.int32(), 32: pyarrow.int64(), 64: pyarrow.decimal128(20, 0)}[kind.bit_width]
    elif pyarrow.types.is_struct(kind):
        kind = pyarrow.struct([_plain_field(kind.field(place), unsigned) for place in range(kind.num_fields)])
    elif pyarrow.types.is_list(kind):
        kind = pyarrow.list_(_plain_field(kind.value_field, unsigned))
    return pyarrow.field(field.name, kind, field.nullable)
