"""`schema=`: values cast to the types that are declared, or the record is a bad one that names the column."""

import datetime
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Optional

import arrow_reader
import pytest

import ocior
from ocior import Schema

UTC = datetime.timezone.utc


def lines_of(values, name="col"):
    return "".join(f'{{"{name}": {value}}}\n' for value in values).encode()


def cast(type, *values):
    """What becomes of JSON values in a column of a type, with all of Arrow's types by pyarrow."""
    pa = pytest.importorskip("pyarrow")
    arrow = pa.table(ocior.table(lines_of(values), schema={"col": type}))
    arrow.validate(full=True)
    assert pa.schema(Schema({"col": type})) == arrow.schema
    return arrow.column("col").to_pylist()


def refused(type, value, good="null"):
    """The error for a value that stands in the second line."""
    data = lines_of([good, value])
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(data, schema={"col": type})
    error = caught.value
    assert (error.lineno, error.offset, error.record) == (2, data.index(b"\n") + 1, 1)
    assert "col" in str(error)
    return error


BOUNDS = {
    f"{sign}int{bits}": (0 if sign else -(2 ** (bits - 1)), 2 ** (bits - (not sign)) - 1) for sign in ("", "u") for bits in (8, 16, 32, 64)
}
INTEGERS = pytest.mark.parametrize("name, least, most", [(name, *bounds) for name, bounds in BOUNDS.items()], ids=list(BOUNDS))


@INTEGERS
def test_integers(name, least, most):
    read = arrow_reader.read(ocior.table(lines_of([least, most, 0, "null", 1, "-0"]), schema={"col": name}))
    assert [row["col"] for row in read.rows] == [least, most, 0, None, 1, 0]


@INTEGERS
@pytest.mark.parametrize("how", ["below", "above", "far", "1.5", "1.0", "1e2", '"1"', "true", "[1]", "{}", "NaN"])
def test_no_integers(name, least, most, how):
    refused(name, {"below": least - 1, "above": most + 1, "far": 10**40}.get(how, how), good=most)


@pytest.mark.parametrize(
    "name, values, expected",
    [
        ("float16", ["0.5", "1", "-2", "null"], [0.5, 1.0, -2.0, None]),
        ("float32", ["0.5", "3", "0.1", "null"], [0.5, 3.0, 0.10000000149011612, None]),
        ("float64", ["0.1", "3", "-0.0", "1e300", "9007199254740992", "null"], [0.1, 3.0, -0.0, 1e300, 2.0**53, None]),
        ("float64", ["NaN", "Infinity"], ["nan", "inf"]),
        ("bool", ["true", "false", "null"], [True, False, None]),
        ("string", ['""', '"\\u00e9\\ud83d\\ude00"', "null"], ["", "\xe9\U0001f600", None]),
        ("large_string", ['"x"', "null", '"\\n"'], ["x", None, "\n"]),
        ("string_view", ['"x"', "null", '"longer than twelve bytes"', '"exactly 12 b"'], ["x", None, "longer than twelve bytes", "exactly 12 b"]),
        ("null", ["null"], [None]),
        ("binary", ['""', '"AAEC"', '"/+8="', "null"], [b"", b"\0\1\2", b"\xff\xef", None]),
        ("fixed_size_binary[2]", ['"/+8="', "null"], [b"\xff\xef", None]),
        ("date32", ['"2026-01-02"', '"1969-12-31"', '"0001-01-01"', '"9999-12-31"', "null"], ["2026-01-02", "1969-12-31", "0001-01-01", "9999-12-31", None]),
        ("date64", ['"2024-02-29"', "null"], ["2024-02-29", None]),
        ("time32[s]", ['"23:59:59"', "null"], ["23:59:59", None]),
        ("time32[ms]", ['"01:02:03.004"'], ["01:02:03.004000"]),
        ("time64[us]", ['"01:02:03.000004"', '"00:00:00"'], ["01:02:03.000004", "00:00:00"]),
        ("timestamp[us, UTC]", ['"2026-01-02T03:04:05.678901Z"', '"2026-01-02T03:04:05+02:00"', '"1950-01-01T00:00:00z"', "null"],
         ["2026-01-02 03:04:05.678901+00:00", "2026-01-02 01:04:05+00:00", "1950-01-01 00:00:00+00:00", None]),
        ("timestamp[us]", ['"2026-01-02T03:04:05.678901"', '"2026-01-02 03:04:05"', "null"], ["2026-01-02 03:04:05.678901", "2026-01-02 03:04:05", None]),
        ("timestamp[s, UTC]", ['"2026-01-02T03:04:05Z"'], ["2026-01-02 03:04:05+00:00"]),
        ("timestamp[ms]", ['"2026-01-02T03:04:05.678"'], ["2026-01-02 03:04:05.678000"]),
        ("duration[us]", ['"P1DT2H3M4.5S"', '"-PT1S"', '"P2W"', '"PT0S"', "null"], ["1 day, 2:03:04.500000", "-1 day, 23:59:59", "14 days, 0:00:00", "0:00:00", None]),
        ("duration[s]", ['"PT1M"'], ["0:01:00"]),
        ("decimal128(10, 2)", ["1.5", "-12345678.91", "0", "1e2", "12345678.9", "null", "1.50", "1.500"], ["1.50", "-12345678.91", "0.00", "100.00", "12345678.90", None, "1.50", "1.50"]),
        ("decimal128(38, 0)", [10**38 - 1, -(10**38) + 1], [str(10**38 - 1), str(-(10**38) + 1)]),
        ("decimal128(38, 18)", ["0.1", "0.000000000000000001"], ["0.100000000000000000", "1E-18"]),
        ("decimal256(76, 2)", [10**73, "-0.01"], [f"{10**73}.00", "-0.01"]),
        ("dictionary<int32, string>", ['"a"', '"b"', "null", '"a"', '""'], ["a", "b", None, "a", ""]),
        ("dictionary<int8, string>", [f'"{number}"' for number in range(128)], [str(number) for number in range(128)]),
        ("json", ['{"a": [1, "x"]}', "1.50", '"x"', "null"], [{"a": [1, "x"]}, 1.5, "x", None]),
        ("list<int8>", ["[]", "[1, null, -128]", "null"], [[], [1, None, -128], None]),
        ("large_list<string>", ['["a"]', "null", "[]"], [["a"], None, []]),
        ("fixed_size_list<float32, 2>", ["[1, 0.5]", "null", "[null, 2]"], [[1.0, 0.5], None, [None, 2.0]]),
        ("map<string, int64>", ['{"b": 1, "a": null}', "{}", "null"], [[("b", 1), ("a", None)], [], None]),
        ("map<string, list<bool>>", ['{"k": [true]}'], [[("k", [True])]]),
        ("struct<a: int8, b: struct<c: date32>>", ['{"b": {"c": "2026-01-02"}, "a": 1}', "{}", "null"],
         [{"a": 1, "b": {"c": datetime.date(2026, 1, 2)}}, {"a": None, "b": None}, None]),
        ("list<struct<x: list<int8>>>", ['[{"x": [1]}, null, {}]'], [[{"x": [1]}, None, {"x": None}]]),
    ],
)  # fmt: skip
def test_casts(name, values, expected):
    got = cast(name, *values)
    if name == "json":
        got = [None if text is None else json.loads(text) for text in got]
    if any(name.startswith(kind) for kind in ("date", "time", "dur", "dec")) or "nan" in expected:
        got = [None if value is None else str(value) for value in got]
    assert repr(got) == repr(expected)


def test_nanoseconds():
    """Which Python's own classes do not hold."""
    data = b'{"t": "12:00:00.123456789", "at": "2026-01-02T03:04:05.123456789Z", "d": "PT0.000000001S"}'
    read = arrow_reader.read(ocior.table(data, schema={"t": "time64[ns]", "at": "timestamp[ns, UTC]", "d": "duration[ns]"}))
    seconds = int(datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp())
    assert read.rows == [{"t": 43_200_123_456_789, "at": seconds * 10**9 + 123_456_789, "d": 1}]


@pytest.mark.parametrize(
    "name, values",
    [
        ("float64", ['"1"', "true", "[]", "{}"]),
        ("float32", ['"1"', "false"]),
        ("bool", ["1", "0", '"true"', "[]"]),
        ("string", ["1", "true", "[]", "{}", "1.5", "NaN", '"\\ud800"']),
        ("large_string", ["1", '"\\udfff"']),
        ("null", ["1", '""', "[]"]),
        ("binary", ['"AAE"', '"A"', '"AA=="[:-1]', '"_-8="', '"AA A"', "1", '"\\u00e9"']),
        ("fixed_size_binary[2]", ['"AAEC"', '""', '"AA=="']),
        ("date32", ['"2026-02-30"', '"2026-1-2"', '"2026-01-02T00:00:00"', '""', "20260102", '"x"']),
        ("time64[us]", ['"24:00:00"', '"12:60:00"', '"12"', '"12:00:00Z"', "1"]),
        ("timestamp[us, UTC]", ['"2026-01-02T03:04:05"', '"2026-01-02"', '"2026-13-01T00:00:00Z"', '"2026-01-02T24:00:00Z"', "1700000000", '""']),
        ("timestamp[us]", ['"2026-01-02T03:04:05Z"', '"2026-01-02T03:04:05+00:00"', '"now"']),
        ("timestamp[ns, UTC]", ['"3000-01-01T00:00:00Z"', '"1500-01-01T00:00:00Z"']),
        ("duration[us]", ['"1 day"', '"P"', '"PT"', '"P1Y"', "5", '""']),
        ("decimal128(10, 2)", ["0.125", "123456789", "1e8", "true", "[]", "NaN", '"x"']),
        ("decimal128(38, 0)", ["0.5", str(10**38)]),
        ("dictionary<int32, string>", ["1", "true", '["a"]']),
        ("list<int8>", ["1", "{}", '"x"', "[128]", '["x"]', "[1, [2]]"]),
        ("fixed_size_list<float32, 2>", ["[]", "[1]", "[1, 2, 3]", "1"]),
        ("map<string, int64>", ["[]", "1", '{"a": "x"}', '{"a": 1.5}']),
        ("struct<a: int8, b: struct<c: date32>>", ["1", "[]", '{"a": 128}', '{"b": {"c": "x"}}', '{"z": 1}', '{"b": {"z": null}}']),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_refused(name, values):
    for value in values:
        refused(name, value)


@pytest.mark.parametrize(
    "name, value, path, pointer",
    [
        ("int8", "300", "$.col", "/col"),
        ("list<int8>", "[1, 2, 300]", "$.col[2]", "/col/2"),
        ("struct<a: list<struct<b: int8>>>", '{"a": [{"b": 1}, {"b": "x"}]}', "$.col.a[1].b", "/col/a/1/b"),
        ('struct<"x y/": int8>', '{"x y/": true}', '$.col["x y/"]', "/col/x y~1"),
    ],
)
def test_errors_name_the_place(name, value, path, pointer):
    error = refused(name, value)
    assert error.path == path and pointer in str(error)


@dataclass
class Sub:
    a: int
    b: Optional[int] = None


@dataclass
class Row:
    id: int
    sub: Optional[Sub] = None
    items: Optional[list[int]] = None


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"id": null}',
        '{"sub": {"a": 1}}',
        '{"id": 1, "sub": {}}',
        '{"id": 1, "sub": {"b": 1}}',
        '{"id": 1, "sub": {"a": null}}',
        '{"id": 1, "items": [1, null]}',
        '{"id": 1, "id": null}',
    ],
)
def test_what_is_not_nullable_is_there(line):
    data = b'{"id": 1}\n' + line.encode()
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(data, schema=Row)
    assert (caught.value.lineno, caught.value.offset) == (2, 10)
    assert any(name in str(caught.value) for name in ("id", "sub", "items"))
    table = ocior.table(data + b'\n{"id": 2, "sub": {"a": 3}}', schema=Row, on_error="skip")
    assert table.skipped == 1
    assert arrow_reader.read(table).rows == [{"id": 1, "sub": None, "items": None}, {"id": 2, "sub": {"a": 3, "b": None}, "items": None}]
    assert not arrow_reader.read(table).fields[0].is_nullable


def test_columns_are_those_of_the_schema():
    """In its order, also where nothing has them."""
    table = ocior.table(b'{"b": 1, "a": "x"}\n{"a": "y"}', schema={"never": "date32", "a": str, "b": "int8"})
    assert table.column_names == ["never", "a", "b"]
    assert arrow_reader.read(table).rows == [{"never": None, "a": "x", "b": 1}, {"never": None, "a": "y", "b": None}]
    assert ocior.table(b"", schema={"a": "int8"}).schema == Schema({"a": "int8"})


def test_unexpected_keys():
    data = b'{"a": 1}\n{"a": 2, "new": [1]}\n{"a": 3, "s": {"x": 1, "new": 2}}\n'
    schema = {"a": "int8", "s": "struct<x: int8>"}
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(data, schema=schema)
    assert (caught.value.lineno, caught.value.offset) == (2, 9) and "new" in str(caught.value)
    assert ocior.table(data, schema=schema, on_error="skip").skipped == 2
    table = ocior.table(data, schema=schema, unexpected="ignore")
    assert [tuple(row.values()) for row in arrow_reader.read(table).rows] == [(1, None), (2, None), (3, {"x": 1})]
    # What is left out is JSON all the same.
    with pytest.raises(ocior.RecordError):
        ocior.table(b'{"a": 1, "new": [1,]}', schema=schema, unexpected="ignore")


def test_columns_of_a_schema():
    schema = Schema({"a": "int8", "b": "string not null", "c": "bool"})
    table = ocior.table(b'{"a": 1, "b": 5, "c": true, "d": 0}', schema=schema, columns=["c", "a"])
    assert table.schema == Schema({"c": "bool", "a": "int8"}) and arrow_reader.read(table).rows == [{"c": True, "a": 1}]
    assert len(ocior.table(b'{"a": 1}\n{}', schema=schema, columns=[])) == 2
    with pytest.raises(ValueError, match="columns has 'x', which the schema lacks"):
        ocior.table(b"{}", schema=schema, columns=["a", "x"])


def test_a_value_of_an_equal_key_that_is_passed_over_must_not_fit():
    """Whether it must fit is left open; the value that counts is the last."""
    table = ocior.table(b'{"a": 1, "a": 2}', schema={"a": "int8"})
    assert arrow_reader.read(table).rows == [{"a": 2}]


def test_a_class_of_every_type():
    pa = pytest.importorskip("pyarrow")

    @dataclass
    class Event:
        id: int
        at: datetime.datetime
        day: datetime.date
        price: Decimal
        raw: bytes
        extra: Any
        point: tuple[float, float]
        labels: dict[str, str]

    event = {"id": 7, "at": "2026-01-02T03:04:05+01:00", "day": "2026-01-02", "price": 1.25, "raw": "AAE=", "extra": {"a": [1, "x"]}}
    line = json.dumps({**event, "point": [1, 2.5], "labels": {"a": "b"}})
    arrow = pa.table(ocior.table(line.encode(), schema=Event))
    arrow.validate(full=True)
    (row,) = arrow.to_pylist()
    assert row.pop("at") == datetime.datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert json.loads(row.pop("extra")) == event["extra"]
    assert row == {
        "id": 7,
        "day": datetime.date(2026, 1, 2),
        "price": Decimal("1.25"),
        "raw": b"\0\1",
        "point": [1.0, 2.5],
        "labels": [("a", "b")],
    }
    # A Scan gives batches of these types, too.
    with ocior.scan(f"{line}\n".encode() * 3, schema=Event) as scan:
        assert pa.concat_tables(map(pa.table, scan)).schema == arrow.schema
