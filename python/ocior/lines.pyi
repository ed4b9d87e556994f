"""JSON Lines (NDJSON): a JSON record on each line, from any source and into any file, in as much memory as a record takes."""

import builtins
import json
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from types import GenericAlias, TracebackType
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypedDict, TypeVar, final, overload, type_check_only

from _typeshed import SupportsRead, SupportsWrite
from typing_extensions import Buffer, Self, TypeForm, Unpack

from ocior import RecordError

__all__ = ["Feed", "Part", "Reader", "Writer", "aread", "dumps", "dumps_to_bytes", "loads", "read", "split", "write"]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)

_Source: TypeAlias = str | PathLike[str] | PathLike[bytes] | Buffer | SupportsRead[str | Buffer] | Iterable[str | Buffer] | Part
_Target: TypeAlias = str | PathLike[str] | PathLike[bytes] | SupportsWrite[bytes] | SupportsWrite[str]

@type_check_only
class _SupportsArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@type_check_only
class _SupportsArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

_Objects: TypeAlias = Iterable[Any] | _SupportsArrowStream | _SupportsArrowArray

# Keywords that several functions take, each in one place. What they mean is told at `loads` here and at `loads` of the package.

@type_check_only
class _PolicyOptions(TypedDict, total=False):
    strict: bool
    duplicate_keys: Literal["last", "first", "error"]
    non_finite: Literal["constant", "error", "null"]
    big_integers: Literal["exact", "float", "str", "error"]
    integer_bits: Literal[64, 53]
    surrogates: Literal["keep", "error", "replace"]
    max_depth: int | None

@type_check_only
class _LoadsOptions(_PolicyOptions, total=False):
    object_hook: Callable[[dict[str, Any]], Any] | None
    parse_float: Callable[[str], Any] | None
    parse_int: Callable[[str], Any] | None
    parse_constant: Callable[[str], Any] | None
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None
    array_hook: Callable[[list[Any]], Any] | None

@type_check_only
class _RecordOptions(_PolicyOptions, total=False):
    on_error: Literal["raise", "skip"] | Callable[[RecordError], object]
    tail: Literal["raise", "drop"]
    max_record: int

@type_check_only
class _FieldOptions(_LoadsOptions, _RecordOptions, total=False):
    default: Any
    check: bool

@type_check_only
class _ClassOptions(_LoadsOptions, total=False):
    cls: type[json.JSONDecoder] | None

@type_check_only
class _AnyOptions(_ClassOptions, _FieldOptions, total=False): ...

@type_check_only
class _WriteOptions(TypedDict, total=False):
    type: TypeForm[Any] | None
    skipkeys: bool
    ensure_ascii: bool
    check_circular: bool
    allow_nan: bool
    cls: builtins.type[json.JSONEncoder] | None
    separators: tuple[str, str] | None
    default: Callable[[Any], Any] | None
    sort_keys: bool

@type_check_only
class _WriteBytesOptions(_WriteOptions, total=False):
    is_write_cache: bool | None

@type_check_only
class _AsyncFile(Protocol):
    async def read(self, size: int, /) -> str | Buffer: ...

@type_check_only
class _AsyncReader(AsyncIterator[_T_co], Protocol):
    @property
    def name(self) -> str | None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...
    async def aclose(self) -> None: ...

@overload
def loads(
    data: str | Buffer,
    /,
    *,
    fields: None = None,
    default: Any = None,
    check: bool = True,
    type: None = None,
    on_error: Literal["raise", "skip"] | Callable[[RecordError], object] = "raise",
    tail: Literal["raise", "drop"] = "raise",
    max_record: int = 268435456,
    **options: Unpack[_ClassOptions],
) -> list[Any]:
    """The list of the values of the lines in `data`: a `str`, or bytes-like UTF-8.

    Only "\\n" ends a line, and the last one may lack it; "\\r" is white space. Blank lines are passed over, and so is one byte order mark.

    `fields`: a JSON Pointer (RFC 6901), or several: of each record that value, or a tuple of them, of which nothing else is made. Of equal
    keys the last counts. `default`: what stands for a field that is missing. `check`: false leaves unread what stands behind the fields;
    then the first of equal keys counts.
    `type`: the type that each record is to become, as for `ocior.loads`. Not beside `fields`.
    `on_error`: "raise"; "skip", which passes over bad records; or a function that is called with the RecordError of each, and may raise.
    `tail`: "drop" forgives a bad record that no newline ends, as a writer that was killed leaves it.
    `max_record`: so many bytes a record has at most, 256 MB by default; a longer one is a bad one.
    The others are keywords of `ocior.loads`.

    Raises RecordError for a record that is wrong: no JSON, no UTF-8, of another type, nested too deeply, too long. What hooks raise passes
    through. Raises TypeError and ValueError for wrong keywords.

    >>> loads(b'{"id": 1, "tags": ["a"]}\\n{"id": 2}\\n')
    [{'id': 1, 'tags': ['a']}, {'id': 2}]
    >>> loads(b'{"id": 1, "tags": ["a"]}\\n{"id": 2}\\n', fields=("/id", "/tags/0"))
    [(1, 'a'), (2, None)]
    """

@overload
def loads(data: str | Buffer, /, *, type: type[_T], **options: Unpack[_RecordOptions]) -> list[_T]: ...
@overload
def loads(data: str | Buffer, /, *, type: TypeForm[_T], **options: Unpack[_RecordOptions]) -> list[_T]: ...
@overload
def loads(data: str | Buffer, /, *, fields: str, **options: Unpack[_FieldOptions]) -> list[Any]: ...
@overload
def loads(data: str | Buffer, /, *, fields: Sequence[str], **options: Unpack[_FieldOptions]) -> list[tuple[Any, ...]]: ...
@overload
def read(
    source: _Source,
    *,
    fields: None = None,
    type: None = None,
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_AnyOptions],
) -> Reader[Any]:
    """A Reader of the lines of a source, each a JSON record, which are read as they are asked for.

    `source`: a path, a URL if fsspec is installed, a binary or text file, bytes or another buffer, an iterable of chunks (bytes-like or
    `str`, cut anywhere), or a Part. Nothing is opened or read before the first record is asked for; what was opened is closed at the end,
    by `close()`, and with the Reader. Files that are lent stay open.
    `compression`: "infer" tells it by the first bytes, whatever the name. zstd needs Python 3.14, or `backports.zstd` or `zstandard`.
    `storage_options`: what fsspec is told.
    The others are those of `loads`.

    Raises TypeError and ValueError for what is no source and no option. The Reader raises RecordError for a record that is wrong, after all
    records before it, EOFError where compressed data are cut off, and what the source and hooks raise; then it has ended.

    >>> list(read([b'{"id": 1}\\n{"id"', b': 2}\\n']))
    [{'id': 1}, {'id': 2}]
    """

@overload
def read(
    source: _Source,
    *,
    type: type[_T],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_RecordOptions],
) -> Reader[_T]: ...
@overload
def read(
    source: _Source,
    *,
    type: TypeForm[_T],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_RecordOptions],
) -> Reader[_T]: ...
@overload
def read(
    source: _Source,
    *,
    fields: str,
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_FieldOptions],
) -> Reader[Any]: ...
@overload
def read(
    source: _Source,
    *,
    fields: Sequence[str],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_FieldOptions],
) -> Reader[tuple[Any, ...]]: ...
@overload
def aread(
    source: _Source | _AsyncFile | AsyncIterable[str | Buffer],
    *,
    fields: None = None,
    type: None = None,
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_AnyOptions],
) -> _AsyncReader[Any]:
    """An asynchronous iterator over the lines of a source, each a JSON record. It is an asynchronous context manager, too, has `aclose()`,
    and `name`, the path or name of the source.

    `source`: an object whose `read()` is a coroutine function, as of asyncio.StreamReader, aiofiles and aiohttp; an asynchronous iterable of
    bytes-like or `str` chunks, as httpx gives; or whatever `read` takes, which is read in another thread if that may wait.
    The others are those of `read`, and so are the errors.

    >>> import asyncio
    >>> async def collect():
    ...     return [record async for record in aread([b'{"id": 1}\\n{"id"', b': 2}\\n'])]
    >>> asyncio.run(collect())
    [{'id': 1}, {'id': 2}]
    """

@overload
def aread(
    source: _Source | _AsyncFile | AsyncIterable[str | Buffer],
    *,
    type: type[_T],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_RecordOptions],
) -> _AsyncReader[_T]: ...
@overload
def aread(
    source: _Source | _AsyncFile | AsyncIterable[str | Buffer],
    *,
    type: TypeForm[_T],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_RecordOptions],
) -> _AsyncReader[_T]: ...
@overload
def aread(
    source: _Source | _AsyncFile | AsyncIterable[str | Buffer],
    *,
    fields: str,
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_FieldOptions],
) -> _AsyncReader[Any]: ...
@overload
def aread(
    source: _Source | _AsyncFile | AsyncIterable[str | Buffer],
    *,
    fields: Sequence[str],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_FieldOptions],
) -> _AsyncReader[tuple[Any, ...]]: ...

@final
class Reader(Iterator[_T]):
    """The records of a source, read as they are asked for: what `read`, `ocior.values` and `ocior.items` return.

    An iterator, and a context manager that closes what was opened for it. It ends with the source, and behind an error. Threads may share
    one: each record goes to one of them.

    >>> with read(b'{"id": 1}\\n{"id": 2}\\n') as reader:
    ...     print(next(reader), reader.offset, reader.lineno)
    {'id': 1} 10 1
    """

    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> _T: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def close(self) -> None:
        """Closes the source, if it was opened for this Reader; no more records come."""

    @property
    def skipped(self) -> int:
        """How many bad records were passed over, with `on_error`."""

    @property
    def dropped(self) -> int:
        """How many bytes of a torn end were dropped, with `tail`."""

    @property
    def offset(self) -> int:
        """How many uncompressed bytes of the source have been read, to the end of the last record."""

    @property
    def lineno(self) -> int:
        """How many lines of the source have been read."""

@final
class Feed(Generic[_T]):
    """Reads JSON Lines out of a text that comes in chunks. The keywords are those of `loads`, and mean what they mean there.

    Takes time in proportion to the text, however small the chunks are.

    >>> feed = Feed()
    >>> feed.push(b'{"id": 1}\\n{"id"'), feed.push(b": 2}"), feed.close()
    ([{'id': 1}], [], [{'id': 2}])
    """

    @overload
    def __new__(cls, /, *, fields: None = None, type: None = None, **options: Unpack[_AnyOptions]) -> Feed[Any]: ...
    @overload
    def __new__(cls, /, *, type: builtins.type[_T], **options: Unpack[_RecordOptions]) -> Feed[_T]: ...
    @overload
    def __new__(cls, /, *, type: TypeForm[_T], **options: Unpack[_RecordOptions]) -> Feed[_T]: ...
    @overload
    def __new__(cls, /, *, fields: str, **options: Unpack[_FieldOptions]) -> Feed[Any]: ...
    @overload
    def __new__(cls, /, *, fields: Sequence[str], **options: Unpack[_FieldOptions]) -> Feed[tuple[Any, ...]]: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    def push(self, chunk: str | Buffer, /) -> list[_T]:
        """The list of the records that have become complete by a chunk of text, cut anywhere.

        Raises RecordError for a record that is wrong; where others are complete before it in the chunk, these are returned, and the next
        call raises. Raises ValueError after `close()`, and after an error.
        """

    def close(self) -> list[_T]:
        """The list of the records that the end of the text completes: the last line, if no newline ended it.

        Raises RecordError where the text ends inside of a record.
        """

    def snapshot(self, strings: bool = True) -> Any:
        """What has come so far of the record that is not complete, as `ocior.Feed.snapshot` gives it."""

    @property
    def skipped(self) -> int:
        """How many bad records were passed over, with `on_error`."""

    @property
    def dropped(self) -> int:
        """How many bytes of a torn end were dropped, with `tail`."""

def dumps(objects: _Objects, /, **options: Unpack[_WriteOptions]) -> str:
    """The objects as lines of JSON: the text that `ocior.dumps` gives for each, and "\\n".

    `objects`: any iterable but a dict, a `str` or bytes, which are surely single objects; or a table: an object of any library that has
    `__arrow_c_stream__` or `__arrow_c_array__`, of which each row has a line, whatever its types.
    The others are keywords of `ocior.dumps`; there is no `indent`. Line ends in ready JSON, an `ocior.Raw`, become spaces.

    Raises what `ocior.dumps` raises, TypeError for an indent, ValueError for separators with a line end, and what the iterable raises.

    >>> dumps([{"id": 1}, [2.5, None]])
    '{"id": 1}\\n[2.5, null]\\n'
    """

def dumps_to_bytes(objects: _Objects, /, **options: Unpack[_WriteBytesOptions]) -> bytes:
    """The objects as lines of JSON in UTF-8: the text that `ocior.dumps_to_bytes` gives for each, and "\\n".

    The keywords are those of `ocior.dumps_to_bytes`; all else is as for `dumps`. Raises UnicodeEncodeError, a ValueError, for a lone
    surrogate.

    >>> dumps_to_bytes([{"id": 1}, [2.5, None]])
    b'{"id":1}\\n[2.5,null]\\n'
    """

def write(
    objects: _Objects,
    target: _Target,
    *,
    append: bool = False,
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: dict[str, Any] | None = None,
    **options: Unpack[_WriteBytesOptions],
) -> int:
    """Writes each object as a line of JSON, and returns how many there were.

    `objects`: any iterable but a dict, a `str` or bytes, or a table, as for `dumps`. It is iterated over as it is written, some 256 KB at a
    time.
    `target` and the others are those of a Writer.

    Raises what a Writer raises. Where an object cannot be written, or the iterable raises, the lines before it have been written. What was
    in a file is gone even if that is the first object: to have the old file or the whole new one, write to another name, and `os.replace`
    the old one.

    >>> import io
    >>> file = io.BytesIO()
    >>> write(({"id": n} for n in range(2)), file), file.getvalue()
    (2, b'{"id":0}\\n{"id":1}\\n')
    """

class Writer:
    """Writes objects to one target, each as a line of JSON.

    `target`: a path, a URL if fsspec is installed, a binary file, a text file, or anything with a `write` that takes bytes or `str`. What
    the Writer opens it closes; a file that is lent stays open. A path is opened at once; without `append` what was there is gone then.
    `append`: goes on at the end of what is there. Where that ends within a line, the first line begins with a line feed. A compressed file
    gets one more member; how its last line ends is not looked at.
    `compression`: "infer" tells it by the end of a path's name (.gz, .bz2, .xz, .zst), and takes none for files.
    `storage_options`: what fsspec is told of a URL.
    The others are keywords of `ocior.dumps_to_bytes`, without `indent`; they are read once.

    An object is encoded before any byte of it is written, and its line is given to the target in one call. Lines for paths and compressors
    are gathered; `flush` writes them. Threads may share a Writer; each of their lines stays whole.

    Raises TypeError for what is no target and for an indent, ValueError for an unknown compression, ImportError that names what to install,
    OSError of the file system, and for an object what `ocior.dumps_to_bytes` raises.

    >>> import io
    >>> file = io.BytesIO()
    >>> with Writer(file) as writer:
    ...     writer.write({"id": 1})
    ...     writer.write_all({"id": n} for n in range(2, 5))
    >>> file.getvalue().count(b"\\n")
    4
    """

    name: str | None
    """The path, or the file's name if that is a `str`."""
    def __init__(
        self,
        target: _Target,
        *,
        append: bool = False,
        compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
        storage_options: dict[str, Any] | None = None,
        **options: Unpack[_WriteBytesOptions],
    ) -> None: ...
    @property
    def count(self) -> int:
        """How many objects have been written."""

    @property
    def closed(self) -> bool: ...
    def write(self, obj: Any) -> None:
        """Writes one object; of a table, as for `dumps`, each row. Raises ValueError if the Writer is closed."""

    def write_all(self, objects: _Objects) -> None:
        """Writes the objects of an iterable, or the rows of a table. Where one cannot be written, or the iterable raises, those before it
        have been written."""

    def flush(self) -> None:
        """Writes the lines that were gathered, and flushes the file, and the compressor as far as it can."""

    def close(self) -> None:
        """Writes what was gathered, ends the compression, and closes what the Writer has opened. Another call does nothing."""

    def __enter__(self) -> Self: ...
    def __exit__(self, cls: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    def __del__(self) -> None: ...

class Part:
    """The records of a file whose first byte lies in [begin, end): a source for `read`, in this process or another.

    `source`: a path or a URL. `begin`, `end`: offsets in bytes; an `end` of None is the end of the file, wherever that is. A file that is
    compressed, or can only be read from its beginning, has one Part, `Part(path)`.

    A Part cannot be changed, is equal to another with the same values, can be a key, and pickles.

    Raises TypeError or ValueError if these are no path and no such offsets.

    >>> Part("events.jsonl", 0, 1048576)
    Part('events.jsonl', 0, 1048576)
    """

    __match_args__ = ("source", "begin", "end")
    @property
    def source(self) -> str: ...
    @property
    def begin(self) -> int: ...
    @property
    def end(self) -> int | None: ...
    def __init__(self, source: str | PathLike[str], begin: int = 0, end: int | None = None) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

def split(source: str | PathLike[str], size: int = 67108864, *, storage_options: Mapping[str, Any] | None = None) -> list[Part]:
    """The Parts of a file of lines, each of `size` bytes but the last: read one after the other, they give each record once.

    `source`: a path, or a URL for fsspec, which is told `storage_options`. What is compressed, or a pipe, or comes from a server that gives
    no length or no ranges, is one Part, without an end. An empty file has no Parts. Only the first bytes and the last one are read.
    `size`: in bytes, 64 MB by default.

    Raises OSError if the file cannot be opened, ValueError if `size` is less than 1, TypeError if `source` is no path, ImportError if a URL
    needs fsspec and that is not installed.

    >>> split("events.jsonl", 1 << 20)  # doctest: +SKIP
    [Part('events.jsonl', 0, 1048576), Part('events.jsonl', 1048576, 1300000)]
    """
