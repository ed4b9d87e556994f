"""Tables as people write them: table, scan, infer, schemas. mypy and pyright check what types come out, and that they notice what is wrong
(each `type: ignore` must be needed); then it is run."""

import io
import pickle
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Optional, TypedDict, TypeVar

import ocior
from ocior import lines
from typing_extensions import assert_type

T = TypeVar("T")
TEXT = b'{"id": 1, "tags": ["a"]}\n{"id": 2, "tags": []}\n'


@dataclass
class Event:
    id: int
    tags: list[str]
    at: Optional[datetime] = None


class Pair(NamedTuple):
    id: int
    tags: Any


class Item(TypedDict):
    id: int
    tags: Any


@dataclass
class Page(Generic[T]):
    id: T
    tags: Any


def log(error: ocior.RecordError) -> None:
    assert error.offset >= 0


def column_names(table: ocior.Table) -> list[str]:
    return table.column_names


def tables() -> None:
    table = ocior.table(TEXT)
    assert_type(table, ocior.Table)
    assert_type(len(table), int)
    assert_type((table.num_rows, table.num_columns, table.nbytes, table.skipped, table.dropped), tuple[int, int, int, int, int])
    assert_type(column_names(table), list[str])
    assert_type(table.schema, ocior.Schema)
    table.__arrow_c_stream__()
    assert_type(ocior.table(TEXT, schema=Event, unexpected="ignore", workers=2, on_error=log), ocior.Table)
    assert_type(ocior.table(TEXT, columns=["id"], mixed="str", on_error="skip", tail="drop", max_columns=5), ocior.Table)
    assert_type(ocior.table([TEXT], schema={"id": int, "tags": "list<string>"}, max_record=1000, compression=None), ocior.Table)
    assert_type(ocior.table(b'{"rows": [{}]}', at="/rows", columns=iter(["id"])), ocior.Table)
    with TemporaryDirectory() as folder:
        path = Path(folder, "events.jsonl")
        path.write_bytes(TEXT)
        assert_type(ocior.table(path), ocior.Table)
        with open(path, "rb") as file:
            assert_type(ocior.table(file), ocior.Table)
        assert_type([ocior.table(part, schema=Event) for part in lines.split(path)], list[ocior.Table])


def scans() -> None:
    with ocior.scan(TEXT, schema=Pair) as scan:
        assert_type(scan, ocior.Scan)
        assert_type(next(scan), ocior.Table)
        assert_type(sum(len(batch) for batch in scan), int)
        assert_type((scan.skipped, scan.dropped, scan.schema), tuple[int, int, ocior.Schema])
    other = ocior.scan(io.BytesIO(TEXT), workers=2, mixed="raise")
    other.__arrow_c_stream__()
    other.close()


def schemas() -> None:
    inferred = ocior.infer(TEXT) | ocior.infer(io.BytesIO(TEXT), at=None, workers=2)
    assert_type(inferred, ocior.Schema)
    assert_type(inferred.names, list[str])
    assert_type(len(inferred), int)
    assert_type(inferred == ocior.Schema(inferred), bool)
    for declared in (ocior.Schema(Event), ocior.Schema(Item), ocior.Schema(Page[int]), ocior.Schema({"id": "int32"})):
        assert pickle.loads(pickle.dumps(declared)) == declared
    inferred.__arrow_c_schema__()
    assert_type(ocior.table(TEXT, schema=inferred).schema, ocior.Schema)


if TYPE_CHECKING:
    ocior.table()  # type: ignore
    ocior.table(5)  # type: ignore
    ocior.table(TEXT, "/rows")  # type: ignore
    ocior.table(TEXT, at=5)  # type: ignore
    ocior.table(TEXT, schema=5)  # type: ignore
    ocior.table(TEXT, columns=[1])  # type: ignore
    ocior.table(TEXT, mixed="text")  # type: ignore
    ocior.table(TEXT, unexpected="add")  # type: ignore
    ocior.table(TEXT, workers="2")  # type: ignore
    ocior.table(TEXT, type=Event)  # type: ignore
    ocior.table(TEXT).schema = None  # type: ignore
    ocior.Table()["id"]  # type: ignore
    ocior.infer(TEXT, schema=Event)  # type: ignore
    ocior.infer(TEXT, unexpected="ignore")  # type: ignore
    ocior.infer(TEXT) | {"id": int}  # type: ignore
    ocior.Schema()  # type: ignore
    ocior.Schema(5)  # type: ignore
    ocior.Schema({}).names = []  # type: ignore
    ocior.scan(TEXT, compression="lz4")  # type: ignore
    wrong_batch: list[Event] = list(ocior.scan(TEXT))  # type: ignore


if __name__ == "__main__":
    for usage in (tables, scans, schemas):
        usage()
