"""Tables: what becomes of records that others lose or round, bad lines, sources, options, and what a Table and its Schema tell."""

import bz2
import gzip
import io
import json
import lzma
import pathlib

import arrow_reader
import pytest
import slow_table

import ocior
from ocior import Schema, lines

TWO = b'{"id": 1, "tags": ["a"]}\n{"id": 2, "late": 0.5}\n'
ROWS_OF_TWO = [{"id": 1, "tags": ["a"], "late": None}, {"id": 2, "tags": None, "late": 0.5}]


def rows_of(table):
    return arrow_reader.read(table).rows


BIG = 2**53


@pytest.mark.parametrize(
    "texts, types, rows",
    [
        (['{"a": 1}'] * 3 + ['{"a": 2, "late": "x"}'], {"a": "int64", "late": "string"}, [(1, None)] * 3 + [(2, "x")]),
        (['{"a": null}', "{}", '{"a": [1]}'], {"a": "list<int64>"}, [(None,), (None,), ([1],)]),
        (['{"a": []}', '{"a": [{"b": 1}]}'], {"a": "list<struct<b: int64>>"}, [([],), ([{"b": 1}],)]),
        (['{"a": [null]}', '{"a": ["x", null]}'], {"a": "list<string>"}, [([None],), (["x", None],)]),
        (['{"a": [null]}', '{"a": []}'], {"a": "list<null>"}, [([None],), ([],)]),
        (['{"a": null}', "{}"], {"a": "null"}, [(None,), (None,)]),
        (["{}", "{}"], {}, [(), ()]),
        (['{"a": {}}', '{"a": null}'], {"a": "struct<>"}, [({},), (None,)]),
        (['{"a": {"b": null}}', '{"a": {}}', '{"a": null}'], {"a": "struct<b: null>"}, [({"b": None},), ({"b": None},), (None,)]),
        ([f'{{"a": {BIG + 1}}}', '{"a": 0.5}'], {"a": "json"}, [(BIG + 1,), (0.5,)]),
        (['{"a": 0.5}', f'{{"a": {BIG + 1}}}'], {"a": "json"}, [(0.5,), (BIG + 1,)]),
        ([f'{{"a": {BIG}}}', '{"a": 0.5}'], {"a": "float64"}, [(float(BIG),), (0.5,)]),
        (['{"a": 1}', f'{{"a": {2**64 - 1}}}'], {"a": "uint64"}, [(1,), (2**64 - 1,)]),
        ([f'{{"a": {2**63 - 1}}}', f'{{"a": {-(2**63)}}}'], {"a": "int64"}, [(2**63 - 1,), (-(2**63),)]),
        (['{"a": -1}', f'{{"a": {2**64 - 1}}}'], {"a": "json"}, [(-1,), (2**64 - 1,)]),
        ([f'{{"a": {2**64}}}', '{"a": 1}'], {"a": "json"}, [(2**64,), (1,)]),
        (['{"a": 1}', '{"a": "x"}', '{"a": [1, {"b": null}]}', '{"a": true}'], {"a": "json"}, [(1,), ("x",), ([1, {"b": None}],), (True,)]),
        (['{"a": [1, "x"]}', '{"a": [[2]]}'], {"a": "list<json>"}, [([1, "x"],), ([[2]],)]),
        (['{"a": {"b": 1}}', '{"a": {"b": "x"}}'], {"a": "struct<b: json>"}, [({"b": 1},), ({"b": "x"},)]),
        (['{"a": "2026-01-02T03:04:05Z"}'], {"a": "string"}, [("2026-01-02T03:04:05Z",)]),
        (['{"a": NaN}', '{"a": 1}', '{"a": -Infinity}', '{"a": 1e999}'], {"a": "float64"}, [(float("nan"),), (1.0,), (float("-inf"),), (float("inf"),)]),
        (['{"a": 1, "a": 2}', '{"a": null, "a": 3, "b": 4}', '{"a": 5, "a": null}'], {"a": "int64", "b": "int64"}, [(2, None), (3, 4), (None, None)]),
        (['{"a": [1, 2], "a": [3]}', '{"a": [4]}'], {"a": "list<int64>"}, [([3],), ([4],)]),
        (['{"a": "x", "a": ""}', '{"a": "y"}'], {"a": "string"}, [("",), ("y",)]),
        (['{"\\u0061": 1}', '{"a": 2, "\\u0061": 3}', '{"\\u0061": 4, "a": 5}'], {"a": "int64"}, [(1,), (3,), (5,)]),
        (['{"": 1, "a\\"b": 2, "\\ud83d\\ude00": 3}', '{"\U0001f600": 4}'], {"": "int64", 'a"b': "int64", "\U0001f600": "int64"}, [(1, 2, 3), (None, None, 4)]),
        (['{"a": "\\u0000\\ud83d\\ude00"}'], {"a": "string"}, [("\0\U0001f600",)]),
        (['{"b": 1, "a": 1}', '{"a": 1, "c": 1, "b": 1}'], {"b": "int64", "a": "int64", "c": "int64"}, [(1, 1, None), (1, 1, 1)]),
        (['{"a": 1.0}', '{"a": 1e2}', '{"a": -0.0}', '{"a": -0}'], {"a": "float64"}, [(1.0,), (100.0,), (-0.0,), (0.0,)]),
        (['{"a": true}', '{"a": null}', '{"a": false}'], {"a": "bool"}, [(True,), (None,), (False,)]),
        (['{"a": true}', '{"a": 1}'], {"a": "json"}, [(True,), (1,)]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("workers", [1, 3])
def test_types_and_values(texts, types, rows, workers):
    table = ocior.table("\n".join(texts).encode(), workers=workers)
    schema = Schema(types)
    assert table.schema == schema == ocior.infer("\n".join(texts).encode())
    wanted = [dict(zip(types, row)) for row in rows]
    got = slow_table.comparable(rows_of(table), schema._form)
    assert repr(got).replace("'-0.0'", "'0.0'") == repr(slow_table.comparable(wanted, schema._form, is_text=False)).replace(
        "'-0.0'", "'0.0'"
    )
    assert len(table) == len(rows)


def test_what_a_table_tells():
    table = ocior.table(TWO)
    assert (len(table), table.num_rows, table.num_columns) == (2, 2, 3)
    assert table.column_names == ["id", "tags", "late"] == table.schema.names
    assert table.schema == Schema({"id": "int64", "tags": "list<string>", "late": "float64"})
    assert 0 < table.nbytes < 100_000 and (table.skipped, table.dropped) == (0, 0)
    assert arrow_reader.read_schema(table) == arrow_reader.read_schema(table.schema)
    assert rows_of(table) == ROWS_OF_TWO
    assert bool(ocior.table(b'{"a": 1}'))


def test_repr():
    assert repr(ocior.table(TWO)) == (
        "Table of 2 rows and 3 columns\n"
        "    id: int64\n    tags: list<string>\n    late: float64\n"
        '    id  tags   late\n    1   ["a"]  null\n    2   null   0.5'
    )
    assert repr(ocior.table(b"")) == "Table of 0 rows and 0 columns"
    assert repr(ocior.table(b"{}\n" * 1000)) == "Table of 1,000 rows and 0 columns"
    assert repr(ocior.table(b"", schema={"a": int})) == "Table of 0 rows and 1 column\n    a: int64 not null"
    many = repr(ocior.table(b'{"a": "%s", "b\\n": 1}\n' % (b"x" * 100) * 9))
    assert many.endswith("    and 4 more rows") and many.count("\n") == 9 and f'"{"x" * 20}...' in many and '"b\\n": int64' in many
    wide = repr(ocior.table(json.dumps({f"column {number}": "x" * number for number in range(50)}).encode()))
    assert "    and 20 more columns" in wide and "..." in wide.splitlines()[-1] and max(map(len, wide.splitlines())) < 130
    huge = repr(ocior.table(b'{"a": %s}\n{"a": "%s"}' % (b"9" * 10_000, b"\\u001b[31m")))
    assert "\x1b" not in huge and "9..." in huge


def test_the_stream_may_be_asked_for_again():
    table = ocior.table(TWO)
    for _ in range(3):
        table.__arrow_c_stream__()  # dropped unused
        table.__arrow_c_stream__(None)
        assert rows_of(table) == ROWS_OF_TWO


def test_rows_without_columns():
    for table in (ocior.table(b"{}\n{}\n\n{}"), ocior.table(b'{"a": 1}\n{"b": [}]}\n'.replace(b"}]", b"]") + b"{}", columns=[])):
        assert (len(table), table.num_columns, table.column_names) == (3, 0, [])
        assert rows_of(table) == [{}] * 3
    pa = pytest.importorskip("pyarrow")
    assert pa.table(table).num_rows == 3


def test_no_rows():
    for data in (b"", b"\n\n", b"\xef\xbb\xbf", b" \r\n"):
        table = ocior.table(data)
        assert (len(table), table.num_columns) == (0, 0) and rows_of(table) == []
    assert ocior.table(b"", columns=["a"]).schema == Schema({"a": "null"})


@pytest.mark.parametrize("workers", [1, 2])
def test_columns(workers):
    data = b'{"a": 1, "b": {"x": 1}, "c": "\\ud83d\\ude00"}\n{"c": null, "b": 5, "a": [1]}\n'
    assert rows_of(ocior.table(data, columns=["c", "a"], workers=workers)) == [{"c": "\U0001f600", "a": "1"}, {"c": None, "a": "[1]"}]
    assert ocior.table(data, columns=iter(["never", "c"])).schema == Schema({"never": "null", "c": "string"})
    # What is skipped is checked as JSON.
    for bad in (b'{"a": 1, "b": [1,]}', b'{"a": 1, "b": "\xff"}', b'{"a": 1, "b": 01}', b'{"a": 1, "b": "\n"}'):
        with pytest.raises(ocior.RecordError):
            ocior.table(bad, columns=["a"], workers=workers)


def test_mixed():
    data = b'{"a": 1, "b": [1]}\n{"a": "x\\n", "b": [{"c": "y"}]}\n{"a": [1.5, "z"]}\n'
    first, second, third = rows_of(ocior.table(data, mixed="str"))
    assert first == {"a": "1", "b": ["1"]} and second["a"] == "x\n" and json.loads(second["b"][0]) == {"c": "y"}
    assert json.loads(third["a"]) == [1.5, "z"] and third["b"] is None
    read = arrow_reader.read(ocior.table(data))
    assert [field.extension for field in read.fields] == ["arrow.json", None]
    assert read.fields[1].children[0].extension == "arrow.json"
    assert [json.loads(row["a"]) for row in read.rows] == [1, "x\n", [1.5, "z"]]
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(data, mixed="raise")
    assert (caught.value.lineno, caught.value.offset) == (2, 19) and "a" in str(caught.value)
    table = ocior.table(data, mixed="raise", on_error="skip")
    assert table.skipped == 2 and rows_of(table) == [{"a": 1, "b": [1]}]


# Bad records

BAD = [
    b"[1]",
    b"1",
    b"null",
    b'"x"',
    b"x",
    b'{"a": 1',
    b'{"a": 1}}',
    b'{"a": 1} {"a": 2}',
    b'{"a": "\\ud800"}',
    b'{"a": "\\udc00\\ud800"}',
    b'{"\\udead": 1}',
    b'{"a": ["x", "\\ud800"]}',
    b'{"a": "\xff"}',
    b'{"a": "\xed\xa0\x80"}',
    b'{"a": 01}',
    b'{"a": [1, 2}',
    b'{"a": {"b": nul}}',
    b'{"a" 1}',
    b"{'a': 1}",
    b'{"a": "tab\t"}',
    b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: repr(bad[:20]))
@pytest.mark.parametrize("workers", [1, 4])
def test_bad_records(bad, workers):
    data = b'\n{"a": {"b": 1}}\n' + bad + b'\n{"a": null}\n' + bad
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(data, workers=workers)
    error = caught.value
    assert (error.lineno, error.offset, error.record) == (3, 17, 1)
    assert isinstance(error, json.JSONDecodeError)
    table = ocior.table(data, workers=workers, on_error="skip")
    assert (len(table), table.skipped) == (2, 2)
    # A record that is passed over leaves nothing in the types.
    assert table.schema == Schema({"a": "struct<b: int64>"})
    errors = []
    table = ocior.table(data, workers=workers, on_error=errors.append)
    assert sorted((error.lineno, error.offset) for error in errors) == [(3, 17), (5, len(data) - len(bad))]
    assert all(type(error) is ocior.RecordError for error in errors) and table.skipped == 2 and len(table) == 2


def test_a_callable_may_raise():
    class Trouble(Exception):
        pass

    def trouble(error):
        raise Trouble(error.lineno) from error

    for workers in (1, 3):
        with pytest.raises(Trouble) as caught:
            ocior.table(b'{"a": 1}\nx\n{"a": 2}\ny', on_error=trouble, workers=workers)
        assert caught.value.args == (2,)


def test_an_error_tells_its_source(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_bytes(b'{"a": 1}\n[]\n')
    for workers in (1, 2):
        with pytest.raises(ocior.RecordError) as caught:
            ocior.table(path, workers=workers)
        assert caught.value.source == str(path) and str(path) in str(caught.value)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_torn_end(workers):
    data = b'{"a": 1}\n{"a": 2, "b'
    with pytest.raises(ocior.RecordError):
        ocior.table(data, workers=workers)
    table = ocior.table(data, tail="drop", workers=workers)
    assert (len(table), table.dropped, table.column_names) == (1, 11, ["a"])
    assert ocior.table(b'{"a": 1}\n{"a": 2}', tail="drop").dropped == 0
    # Only at the end.
    with pytest.raises(ocior.RecordError):
        ocior.table(b'{"a": 1}\n{"a": 2, "b\n{"a": 3}\n', tail="drop", workers=workers)


@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.parametrize("bad_at", [(0.3, 0.6), (0.55,), (0.99, 0.3, 0.7)])
def test_the_first_bad_record_by_place(workers, bad_at):
    """Whichever worker meets one first."""
    records = [b'{"id": %d, "text": "%s"}' % (number, b"x" * 300) for number in range(50_000)]
    for share in bad_at:
        records[int(share * len(records))] = b'{"id": ]}'
    first = int(min(bad_at) * len(records))
    data = b"\n".join(records)
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(data, workers=workers)
    error = caught.value
    assert (error.lineno, error.offset, error.record) == (first + 1, sum(map(len, records[:first])) + first, first)
    errors = []
    table = ocior.table(data, workers=workers, on_error=errors.append)
    assert sorted(error.lineno for error in errors) == sorted(int(share * len(records)) + 1 for share in bad_at)
    assert len(table) == len(records) - len(bad_at) and table.skipped == len(bad_at)


def test_max_columns():
    row = json.dumps({f"c{number}": number for number in range(101)}).encode()
    assert ocior.table(row).num_columns == 101 == ocior.table(row, max_columns=1000).num_columns
    for bad in (row, row * 1 + b"\n" + row, b'{"a": %s}' % row):
        with pytest.raises(ocior.RecordError, match="max_columns"):
            ocior.table(bad, max_columns=100)
        assert ocior.table(bad, max_columns=100, on_error="skip").skipped >= 1
    assert ocior.table(row, columns=["c7"], max_columns=100).num_columns == 1
    # A million keys, each in a record of its own.
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(b"".join(b'{"k%d": 1}\n' % number for number in range(100_000)), workers=2)
    assert caught.value.lineno == 10_001


def test_max_record():
    data = b'{"a": "%s"}\n{"a": "y"}\n' % (b"x" * 1000)
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(data, max_record=500)
    assert caught.value.lineno == 1
    table = ocior.table(data, max_record=500, on_error="skip")
    assert (table.skipped, rows_of(table)) == (1, [{"a": "y"}])


# Sources


class Readable:
    """What has nothing but read()."""

    def __init__(self, data):
        self.file = io.BytesIO(data)

    def read(self, size=-1):
        return self.file.read(min(size, 5) if size >= 0 else 5)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "make",
    [
        bytes,
        bytearray,
        memoryview,
        io.BytesIO,
        Readable,
        lambda data: io.StringIO(data.decode()),
        lambda data: io.TextIOWrapper(io.BytesIO(data), "utf-8"),
        lambda data: [data[at : at + 1] for at in range(len(data))],
        lambda data: iter([data[:7], b"", data[7:]]),
        lambda data: (data.decode()[at : at + 3] for at in range(0, len(data), 3)),
        gzip.compress,
        lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]),
        bz2.compress,
        lzma.compress,
        lambda data: [gzip.compress(data)[:11], gzip.compress(data)[11:]],
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
    ],
    ids=lambda make: getattr(make, "__name__", ""),
)
def test_sources(make, workers):
    data = TWO + '{"tags": ["\u4e2d", "\U0001f600"]}'.encode()
    wanted = [*ROWS_OF_TWO, {"id": None, "tags": ["\u4e2d", "\U0001f600"], "late": None}]
    assert rows_of(ocior.table(make(data), workers=workers)) == wanted
    assert ocior.infer(make(data), workers=workers) == ocior.table(data).schema


@pytest.mark.parametrize("workers", [1, 2])
def test_paths_and_parts(tmp_path, workers):
    path = tmp_path / "some.jsonl"
    path.write_bytes(b"".join(b'{"id": %d}\n' % number for number in range(1000)))
    for source in (path, str(path), pathlib.PurePath(path), open(path, "rb")):  # noqa: SIM115
        assert len(ocior.table(source, workers=workers)) == 1000
    tables = [ocior.table(part, workers=workers) for part in lines.split(path, 999)]
    assert len(tables) > 5 and [row["id"] for table in tables for row in rows_of(table)] == list(range(1000))
    with pytest.raises(FileNotFoundError):
        ocior.table(tmp_path / "none.jsonl", workers=workers)


def test_a_cut_compressed_source():
    with pytest.raises(EOFError):
        ocior.table(gzip.compress(TWO)[:-9])


def test_sources_are_closed():
    closed = []

    def chunks(data):
        try:
            yield data
            yield b"\n"
        finally:
            closed.append(True)

    for data, workers in ((TWO, 1), (b"x", 1), (TWO, 3), (b"x", 3)):
        try:
            ocior.table(chunks(data), workers=workers)
        except ocior.RecordError:
            assert data == b"x"
        assert closed.pop() and not closed
    with open(__file__, "rb") as lent, pytest.raises(ocior.RecordError):
        try:
            ocior.table(lent)
        finally:
            assert not lent.closed


@pytest.mark.parametrize("workers", [1, 3])
def test_what_sources_raise(workers):
    class Trouble(Exception):
        pass

    def chunks():
        yield TWO
        raise Trouble("in the source")

    with pytest.raises(Trouble, match="in the source"):
        ocior.table(chunks(), workers=workers)
    with pytest.raises(TypeError):
        ocior.table(iter([TWO, 7]), workers=workers)


# The items of an array


@pytest.mark.parametrize(
    "document, at",
    [
        (b'[{"id": 1, "tags": ["a"]}, {"id": 2, "late": 0.5}]', ""),
        (b' \n[\n{"id": 1, "tags":\n ["a"]} ,{"id": 2,\r\n "late": 0.5}\n]\n\n', ""),
        (b'{"x": [3], "rows": [{"id": 1, "tags": ["a"]}, {"id": 2, "late": 0.5}], "z": 1}', "/rows"),
        (b'[0, {"a/b": {"~": [{"id": 1, "tags": ["a"]}, {"id": 2, "late": 0.5}]}}]', "/1/a~1b/~0"),
    ],
)
def test_at(document, at):
    assert rows_of(ocior.table(document, at=at)) == ROWS_OF_TWO
    chunks = [document[begin : begin + 1] for begin in range(len(document))]
    assert rows_of(ocior.table(chunks, at=at)) == ROWS_OF_TWO
    assert ocior.infer(document, at=at) == ocior.table(TWO).schema
    with ocior.scan(document, at=at) as scan:
        assert [row for batch in scan for row in rows_of(batch)] == ROWS_OF_TWO


def test_at_what_is_no_array():
    for document, at in ((b'{"a": 1}', ""), (b'{"a": 1}', "/a"), (b'{"a": []}', "/b"), (b'{"a": {"b": {}}}', "/a")):
        with pytest.raises((ocior.PointerError, ValueError)):
            ocior.table(document, at=at)
    assert len(ocior.table(b'{"a": []}', at="/a")) == 0


def test_bad_items():
    document = b'{"rows": [{"a": 1}, 2, {"a": 3}]}'
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(document, at="/rows")
    assert (caught.value.record, caught.value.offset) == (1, document.index(b"2"))
    table = ocior.table(document, at="/rows", on_error="skip")
    assert (rows_of(table), table.skipped) == ([{"a": 1}, {"a": 3}], 1)
    with pytest.raises(ocior.RecordError):
        ocior.table(document[:-10], at="/rows", on_error="skip")


# Arguments


@pytest.mark.parametrize("function", [ocior.table, ocior.scan, ocior.infer], ids=lambda function: function.__name__)
@pytest.mark.parametrize(
    "keywords, error",
    [
        ({"at": 1}, TypeError("at must be a str, not int")),
        ({"at": "x"}, ValueError("a JSON pointer is empty or begins with '/': 'x'")),
        ({"mixed": "text"}, ValueError("mixed must be 'json', 'str' or 'raise', not 'text'")),
        ({"on_error": "ignore"}, ValueError("on_error must be 'raise' or 'skip', not 'ignore'")),
        ({"tail": None}, ValueError("tail must be 'raise' or 'drop', not None")),
        ({"at": "", "workers": 2}, ValueError("workers are for lines, and cannot be given beside at")),
        ({"workers": 0}, ValueError("workers must be an int from 1 to 9223372036854775807, not 0")),
        ({"workers": True}, ValueError("workers must be an int from 1 to 9223372036854775807, not True")),
        ({"workers": None}, ValueError("workers must be an int from 1 to 9223372036854775807, not None")),
        ({"max_columns": -1}, ValueError("max_columns must be an int from 0 to 9223372036854775807, not -1")),
        ({"max_record": "1"}, ValueError("max_record must be an int from 0 to 9223372036854775807, not '1'")),
        ({"columns": "ab"}, TypeError("columns must be an iterable of str, not str")),
        ({"columns": ["a", 1]}, TypeError("columns must be an iterable of str, not of int")),
        ({"columns": ["a", "b", "a"]}, ValueError("columns has 'a' twice")),
        ({"compression": "lz4"}, ValueError(None)),
        ({"storage_options": {"a": 1}}, ValueError(None)),
        ({"other": 1}, TypeError(None)),
    ],
    ids=str,
)
def test_wrong_arguments(function, keywords, error):
    with pytest.raises(type(error)) as caught:
        function(TWO, **keywords)
    assert error.args == (None,) or str(caught.value) == str(error)


@pytest.mark.parametrize("source", [None, 7, {"a": 1}, object(), ocior], ids=lambda source: type(source).__name__)
def test_wrong_sources(source):
    for function in (ocior.table, ocior.scan, ocior.infer):
        with pytest.raises(TypeError, match="source"):
            function(source)


def test_wrong_schemas():
    for function in (ocior.table, ocior.scan):
        with pytest.raises(ValueError, match="unexpected must be 'raise' or 'ignore', not 'add'"):
            function(TWO, unexpected="add")
        with pytest.raises(TypeError, match="a: no type of a column is named 'int'"):
            function(TWO, schema={"a": "int"})
    with pytest.raises(TypeError):
        ocior.infer(TWO, schema={"a": int})


def test_tables_are_made_by_functions():
    for kind in (ocior.Table, ocior.Scan):
        with pytest.raises(TypeError):
            kind()
        assert kind.__module__ == "ocior"
