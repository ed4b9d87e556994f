"""Tables back to JSON: an array of rows by `dumps`, alone and within other values, a line for each row by `lines`; and the first rows,
which are shown. The oracle is what json writes of the rows as dicts."""

import io
import json

import arrow_reader
import pytest

import ocior
from ocior import lines

END = b" " * (1 << 20) + b"\n"  # of a block of text, and so of a batch
TABLES = {
    "rows": ocior.table(b'{"b":1,"a":"x"}\n{"b":null,"a":"\xc3\xa9","c":[{"z":0.5,"y":true},null]}\n{"c":[]}\n'),
    "batches": ocior.table(b"".join(b'{"b":%d,"a":{"d":[%d],"c":null}}\n%s' % (number, number, END) for number in range(4))),
    "no rows": ocior.table(b"", schema={"a": int, "b": "list<string>"}),
    "no columns": ocior.table(b"{}\n{}\n{}\n"),
    "nothing": ocior.table(b""),
    "a column of nulls": ocior.table(b'{"a":null}\n{}\n'),
}
ROWS = {name: arrow_reader.read(table).rows for name, table in TABLES.items()}
OPTIONS = [
    {},
    {"indent": 2},
    {"indent": "\t"},
    {"sort_keys": True},
    {"indent": 1, "sort_keys": True},
    {"separators": (",", ":")},
    {"ensure_ascii": False},
]
each_table = pytest.mark.parametrize("name", TABLES)


def test_the_tables_are_what_they_are_meant_to_be():
    assert len(arrow_reader.read(TABLES["batches"]).batches) == 4
    assert {name: len(rows) for name, rows in ROWS.items()} == {
        "rows": 3,
        "batches": 4,
        "no rows": 0,
        "no columns": 3,
        "nothing": 0,
        "a column of nulls": 2,
    }


@each_table
@pytest.mark.parametrize("options", OPTIONS, ids=repr)
@pytest.mark.parametrize("default", [None, ocior.default], ids=["plain", "default"])
def test_dumps(name, options, default):
    table, rows = TABLES[name], ROWS[name]
    for value, plain in (
        (table, rows),
        ([table], [rows]),
        ([1, table, table], [1, rows, rows]),
        ({"b": table, "a": [table]}, {"b": rows, "a": [rows]}),
    ):
        text = json.dumps(plain, **options)
        assert ocior.dumps(value, default=default, **options) == text
        file = io.StringIO()
        ocior.dump(value, file, default=default, **options)
        assert file.getvalue() == text
        assert json.loads(ocior.dumps_to_bytes(value, default=default, **options)) == plain
    assert ocior.dumps_to_bytes(table) == json.dumps(rows, separators=(",", ":"), ensure_ascii=False).encode()


@each_table
def test_lines(name, tmp_path):
    table, rows = TABLES[name], ROWS[name]
    assert lines.dumps(table) == "".join(json.dumps(row) + "\n" for row in rows)
    assert lines.dumps(table, sort_keys=True) == "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows)
    compact = "".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows).encode()
    assert lines.dumps_to_bytes(table) == compact
    path = tmp_path / "rows.jsonl"
    assert lines.write(table, path) == len(rows)
    assert list(lines.read(path)) == rows
    again = ocior.table(path, schema=table.schema)
    assert again.schema == table.schema and arrow_reader.read(again).rows == rows


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("source", ["one", "many", "none"])
def test_lines_of_a_scan(source, workers, tmp_path):
    data = {"one": b'{"a": 1, "b": ["x"]}\n{"a": 2}\n', "many": (b'{"a": 1}\n' + END) * 5, "none": b""}[source]
    rows = arrow_reader.read(ocior.table(data)).rows
    path = tmp_path / "rows.jsonl"
    scan = ocior.scan(data, workers=workers)
    assert lines.write(scan, path) == len(rows)
    assert list(lines.read(path)) == rows
    assert list(scan) == [], "it is consumed"
    assert json.loads(ocior.dumps(ocior.scan(data, workers=workers), default=ocior.default)) == rows
    assert lines.loads(lines.dumps(ocior.scan(data, workers=workers))) == rows


@each_table
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 1000])
def test_the_first_rows(name, count):
    assert TABLES[name]._head(count) == "".join(json.dumps(row) + "\n" for row in ROWS[name][:count]).encode()


@pytest.mark.parametrize(
    "count, more",
    [(0, None), (1, None), (5, None), (6, "    and 1 more row"), (7, "    and 2 more rows"), (2005, "    and 2,000 more rows")],
)
def test_the_rows_that_are_shown(count, more):
    table = ocior.table(b"".join(b'{"a": %d}\n' % number for number in range(count)), schema={"a": int})
    parts = repr(table).split("\n")
    assert parts[0] == f"Table of {count:,} row{'s' * (count != 1)} and 1 column"
    assert parts[1] == "    a: int64 not null"
    shown = [f"    {cell}" for cell in ("a", *range(min(count, 5)))] if count else []
    assert parts[2:] == shown + ([more] if more else [])


@pytest.mark.parametrize("name, shown", [("no rows", 2), ("no columns", 0), ("nothing", 0)])
def test_nothing_to_show(name, shown):
    parts = repr(TABLES[name]).split("\n")
    assert len(parts) == 1 + shown and parts[0].startswith(f"Table of {len(TABLES[name])} rows and {shown} column")


def test_rows_of_several_batches_are_shown():
    assert repr(TABLES["batches"]).split("\n")[3:] == [
        "    b  a",
        *(f'    {number}  {{"d": [{number}], "c": null}}' for number in range(4)),
    ]
