"""Streams as people write them: lines, values, items, feeds, pointers, views, writing. mypy and pyright check what types come out, and
that they notice what is wrong (each `type: ignore` must be needed); then it is run."""

import asyncio
import io
import pickle
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

import ocior
from ocior import lines
from typing_extensions import assert_type

T = TypeVar("T")
TEXT = '{"id": 1, "tags": ["a"]}\n{"id": 2, "tags": []}\n'


@dataclass
class Event:
    id: int
    tags: list[str]


def log(error: ocior.RecordError) -> None:
    assert error.offset >= 0


def events_of(path: Path) -> lines.Reader[Event]:
    return lines.read(path, type=Event, on_error="skip")


def first_of(reader: lines.Reader[T]) -> T:
    return next(reader)


def reading() -> None:
    assert_type(lines.loads(TEXT), list[Any])
    assert_type(lines.loads(TEXT.encode(), parse_float=Decimal, object_hook=dict, on_error="skip", tail="drop"), list[Any])
    assert_type(lines.loads(bytearray(b"1\n"), cls=ocior.JSONDecoder, max_record=100), list[Any])
    assert_type(lines.loads(TEXT, type=Event), list[Event])
    assert_type(lines.loads("1\nnull\n", type=Optional[int]), list[Optional[int]])
    assert_type(lines.loads("1\n", type=Union[int, str], strict=False, on_error=log), list[Union[int, str]])
    assert_type(lines.loads(TEXT, fields="/id"), list[Any])
    assert_type(lines.loads(TEXT, fields=("/id", "/tags/0"), default=0, check=False), list[tuple[Any, ...]])
    assert_type(lines.loads(TEXT, fields=["/id"], parse_int=str), list[tuple[Any, ...]])
    with TemporaryDirectory() as folder:
        path = Path(folder, "events.jsonl")
        path.write_text(TEXT)
        assert_type(lines.read(path), lines.Reader[Any])
        assert_type(first_of(events_of(path)), Event)
        assert_type(lines.read(str(path), fields="/id", compression=None), lines.Reader[Any])
        assert_type(list(lines.read(path, fields=("/id", "/tags"), tail="drop")), list[tuple[Any, ...]])
        with open(path, "rb") as binary_file, open(path) as text_file:
            assert_type(list(lines.read(binary_file)), list[Any])
            assert_type(list(lines.read(text_file, type=Event)), list[Event])
        parts = lines.split(path, 1 << 20)
        assert_type(parts, list[lines.Part])
        assert_type((parts[0].source, parts[0].begin, parts[0].end), tuple[str, int, Optional[int]])
        assert_type(list(lines.read(parts[0], type=Event)), list[Event])
        with lines.read([TEXT, TEXT.encode()]) as reader:
            assert_type(reader, lines.Reader[Any])
            as_iterator: Iterator[Any] = reader
            assert len(list(as_iterator)) == 4
            assert_type((reader.offset, reader.lineno, reader.skipped, reader.dropped), tuple[int, int, int, int])
            assert_type(reader.close(), None)


def documents() -> None:
    assert_type(ocior.values(b'{"id": 1}[2]'), lines.Reader[Any])
    assert_type(ocior.values([b"1 ", "2"], type=int), lines.Reader[int])
    assert_type(ocior.values(b'{"id": 1}', fields=("/id",)), lines.Reader[tuple[Any, ...]])
    assert_type(ocior.items(b'{"rows": [1, 2]}', "/rows"), lines.Reader[Any])
    assert_type(ocior.items(io.BytesIO(b"[1, 2]"), type=int), lines.Reader[int])
    assert_type(list(ocior.items(b'{"rows": [{"id": 1}]}', at="/rows", fields="/id", default=None)), list[Any])
    assert_type(ocior.at(TEXT.split("\n")[0], "/id"), Any)
    assert_type(ocior.at(b'{"id": 1.5}', ("/id", "/name"), default=None, check=False, parse_float=Decimal), tuple[Any, ...])
    lazy = ocior.view('{"id": 7, "tags": ["a"]}', parse_int=str)
    assert_type(lazy, Any)
    assert lazy["tags"][0] == "a" and lazy.at("/id") == "7"


def feeds() -> None:
    feed = ocior.Feed()
    assert_type(feed, ocior.Feed[Any])
    assert_type(feed.push('{"a": [1'), list[Any])
    assert_type(feed.snapshot(), Any)
    assert_type(feed.snapshot(strings=False), Any)
    assert_type(feed.push(b"]}"), list[Any])
    assert_type(feed.close(), list[Any])
    typed = lines.Feed(type=Event, on_error="skip")
    assert_type(typed, lines.Feed[Event])
    assert_type(typed.push(TEXT), list[Event])
    assert_type((typed.skipped, typed.dropped), tuple[int, int])
    kept: ocior.Feed[tuple[Any, ...]] = ocior.Feed(fields=("/id", "/tags"), default=None)
    assert kept.push(TEXT) == [(1, ["a"]), (2, [])]
    assert_type(lines.Feed(fields="/id").push(TEXT), list[Any])


async def chunks() -> AsyncIterator[bytes]:
    for chunk in TEXT.encode().splitlines(keepends=True):
        yield chunk


async def awaiting() -> None:
    async with lines.aread(chunks(), type=Event) as records:
        async for record in records:
            assert_type(record, Event)
    assert_type([record async for record in lines.aread([TEXT], fields=("/id",))], list[tuple[Any, ...]])
    reader = lines.aread(io.BytesIO(TEXT.encode()), on_error=log)
    assert_type(reader.name, Optional[str])
    await reader.aclose()
    stream = asyncio.StreamReader()
    stream.feed_data(TEXT.encode())
    stream.feed_eof()
    assert_type([record async for record in lines.aread(stream)], list[Any])


def writing() -> None:
    events = lines.loads(TEXT, type=Event)
    assert_type(lines.dumps([{"id": 1}], sort_keys=True, separators=(",", ":")), str)
    assert_type(lines.dumps_to_bytes(events, type=Event, default=ocior.default, is_write_cache=False), bytes)
    file = io.BytesIO()
    assert_type(lines.write(events, file, type=Event, compression="gzip"), int)
    assert_type(lines.write(({"id": n} for n in range(3)), io.StringIO(), ensure_ascii=True), int)
    with TemporaryDirectory() as folder, lines.Writer(Path(folder, "events.jsonl"), append=True, default=str) as writer:
        assert_type(writer, lines.Writer)
        assert_type(writer.write({"id": 1}), None)
        writer.write_all({"id": n} for n in range(3))
        writer.flush()
        assert_type((writer.count, writer.name, writer.closed), tuple[int, Optional[str], bool])


class Frame:
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...


def tables(frame: Frame) -> None:  # is checked, and not run
    assert_type(lines.dumps(frame, sort_keys=True), str)
    assert_type(lines.dumps_to_bytes(frame), bytes)
    assert_type(lines.write(frame, "frame.jsonl.gz"), int)
    lines.Writer("frame.jsonl").write_all(frame)


def errors() -> None:
    try:
        lines.loads('{"id": 1}\n{"id": x}\n')
    except ocior.RecordError as error:
        assert_type((error.msg, error.doc, error.pos, error.lineno, error.colno), tuple[str, str, int, int, int])
        assert_type((error.offset, error.record), tuple[int, int])
        assert_type((error.source, error.path, error.snippet), tuple[Optional[str], Optional[str], Optional[str]])
        assert error.path == "$.id" and error.record == 1
        as_usual: ocior.JSONDecodeError = error
        assert pickle.loads(pickle.dumps(as_usual)).offset == error.offset
    try:
        ocior.at("[1]", "/1")
    except ocior.PointerError as nothing:
        assert_type(nothing.pointer, str)
    as_standard: type[LookupError] = ocior.PointerError
    assert not issubclass(as_standard, ValueError)


if TYPE_CHECKING:  # what the checkers have to refuse
    lines.loads(1)  # type: ignore
    lines.loads(data="1")  # type: ignore
    lines.loads("1", type=3)  # type: ignore
    lines.loads("1", type=int, fields="/a")  # type: ignore
    lines.loads("1", type=int, cls=ocior.JSONDecoder)  # type: ignore
    lines.loads("1", type=int, object_hook=dict)  # type: ignore
    lines.loads("1", fields=1)  # type: ignore
    lines.loads("1", on_error="ignore")  # type: ignore
    lines.loads("1", tail="skip")  # type: ignore
    lines.loads("1", compression=None)  # type: ignore
    lines.loads("1", at="/a")  # type: ignore
    lines.read(1)  # type: ignore
    lines.read("path.jsonl", compression="lzma")  # type: ignore
    lines.read("path.jsonl", max_recrod=1)  # type: ignore
    lines.read(chunks())  # type: ignore
    lines.read("path.jsonl").snapshot()  # type: ignore
    wrong_item: list[str] = list(lines.read("path.jsonl", type=int))  # type: ignore
    ocior.values("path.json", at="/a")  # type: ignore
    ocior.items("path.json", 1)  # type: ignore
    ocior.items("path.json", type=int, fields="/a")  # type: ignore
    ocior.at("1")  # type: ignore
    ocior.at("1", 1)  # type: ignore
    ocior.at("1", "", type=int)  # type: ignore
    ocior.view("1", type=int)  # type: ignore
    ocior.Feed("1")  # type: ignore
    ocior.Feed(type=int, fields="/a")  # type: ignore
    ocior.Feed(compression=None)  # type: ignore
    ocior.Feed().push(1)  # type: ignore
    wrong_value: list[str] = ocior.Feed(type=int).close()  # type: ignore
    lines.dumps([1], indent=2)  # type: ignore
    lines.dumps(1)  # type: ignore
    lines.dumps([1], is_write_cache=True)  # type: ignore
    lines.write([1])  # type: ignore
    lines.write([1], 5)  # type: ignore
    lines.write([1], "path.jsonl", compression="lz4")  # type: ignore
    lines.Writer("path.jsonl", indent=2)  # type: ignore
    lines.Part("path.jsonl").begin = 5  # type: ignore
    lines.split(b"path.jsonl")  # type: ignore
    lines.split(io.BytesIO())  # type: ignore


if __name__ == "__main__":
    for usage in (reading, documents, feeds, writing, errors):
        usage()
    asyncio.run(awaiting())
