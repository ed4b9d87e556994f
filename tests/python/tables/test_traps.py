"""Documents on which readers of tables differ, and what ocior makes of each: the rows of the table in docs/tables.md, and some more.

A trap is read from a file, from memory and from small chunks, by one worker and by two, and has to give one table each time. pyarrow
judges it.
"""

import json
from typing import NamedTuple

import pytest

import ocior

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: it looks into the tables")

INT, UINT, FLOAT, STR, BOOL, NULL = pa.int64(), pa.uint64(), pa.float64(), pa.string(), pa.bool_(), pa.null()
JSON = pa.json_()
# More than any block: what follows is read when the types of the first block are known.
FAR = b'{"a":1,"p":"%s"}\n' % (b"x" * 1000) * 6000
MANY = 30_000


def line(**record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Trap(NamedTuple):
    name: str
    data: bytes
    types: dict  # by column, in their order
    last: list  # the last rows: all of them, where there are few

    def __str__(self):
        return self.name


TRAPS = [
    Trap("late key", line(a=1) * 2 + line(a=1, late=2), {"a": INT, "late": INT}, [[1, None], [1, None], [1, 2]]),
    Trap("late key after many", line(a=1) * MANY + line(late=2, a=1), {"a": INT, "late": INT}, [[1, None], [1, 2]]),
    Trap("late key after a block", FAR + line(a=2, late=3), {"a": INT, "p": STR, "late": INT}, [[2, None, 3]]),
    Trap(
        "late key inside",
        line(a={"b": 1}) + line(a={"c": 2}),
        {"a": pa.struct({"b": INT, "c": INT})},
        [[{"b": 1, "c": None}], [{"b": None, "c": 2}]],
    ),
    Trap("early key gone", line(a=1, b=2) + line(b=3) * 2, {"a": INT, "b": INT}, [[1, 2], [None, 3], [None, 3]]),
    Trap("2**53+1 beside 0.5", line(a=2**53 + 1) + line(a=0.5), {"a": JSON}, [["9007199254740993"], ["0.5"]]),
    Trap("0.5, then 2**53+1", line(a=0.5) + line(a=2**53 + 1), {"a": JSON}, [["0.5"], ["9007199254740993"]]),
    Trap("2**53+2 beside 0.5", line(a=2**53 + 2) + line(a=0.5), {"a": FLOAT}, [[2.0**53 + 2], [0.5]]),
    Trap("2**53+1 alone", line(a=2**53 + 1) + line(a=1), {"a": INT}, [[2**53 + 1], [1]]),
    Trap("2**64-1", line(a=2**64 - 1) + line(a=1), {"a": UINT}, [[2**64 - 1], [1]]),
    Trap("2**64-1 after many", line(a=1) * MANY + line(a=2**64 - 1), {"a": UINT}, [[1], [2**64 - 1]]),
    Trap("2**64-1 beside -1", line(a=2**64 - 1) + line(a=-1), {"a": JSON}, [[str(2**64 - 1)], ["-1"]]),
    Trap("2**64", line(a=2**64) + line(a=1), {"a": JSON}, [[str(2**64)], ["1"]]),
    Trap("-2**63", line(a=-(2**63)) + line(a=2**63 - 1), {"a": INT}, [[-(2**63)], [2**63 - 1]]),
    Trap("null first", line(a=None) * 3 + line(a="x"), {"a": STR}, [[None]] * 3 + [["x"]]),
    Trap("null first, an object after many", line(a=None) * MANY + line(a={"b": 1}), {"a": pa.struct({"b": INT})}, [[None], [{"b": 1}]]),
    Trap("null alone", line(a=None) * 2, {"a": NULL}, [[None]] * 2),
    Trap("[] first", line(a=[]) * 3 + line(a=[1]), {"a": pa.list_(INT)}, [[[]]] * 3 + [[[1]]]),
    Trap("[] first, [1] after many", line(a=[]) * MANY + line(a=[1]), {"a": pa.list_(INT)}, [[[]], [[1]]]),
    Trap("[] alone", line(a=[]) + line(a=None), {"a": pa.list_(NULL)}, [[[]], [None]]),
    Trap("{} alone", line(a={}) + line(a=None), {"a": pa.struct([])}, [[{}], [None]]),
    Trap("int and str", line(a=1) + line(a="x") + line(a=None), {"a": JSON}, [["1"], ['"x"'], [None]]),
    Trap("int and str after many", line(a=1) * MANY + line(a="x"), {"a": JSON}, [["1"], ['"x"']]),
    Trap("int and str after a block", FAR + line(a="x"), {"a": JSON, "p": STR}, [["1", "x" * 1000], ['"x"', None]]),
    Trap("object and list", line(a={"b": 1}) + line(a=[1]), {"a": JSON}, [['{"b":1}'], ["[1]"]]),
    Trap("bool and int", line(a=True) + line(a=1), {"a": JSON}, [["true"], ["1"]]),
    Trap(
        "mixed in a list", line(a=[1, "x", None, {"b": 2}]) + line(a=[2]), {"a": pa.list_(JSON)}, [[["1", '"x"', None, '{"b":2}']], [["2"]]]
    ),
    Trap("mixed in an object", line(a={"b": 1}) + line(a={"b": "x"}), {"a": pa.struct({"b": JSON})}, [[{"b": "1"}], [{"b": '"x"'}]]),
    Trap("a byte order mark", b"\xef\xbb\xbf" + line(a=1) + line(a=2), {"a": INT}, [[1], [2]]),
    Trap("equal keys", b'{"a":1,"a":2}\n{"a":3}\n', {"a": INT}, [[2], [3]]),
    Trap("a key with an escape", b'{"\\u0061":1}\n{"a":2}\n', {"a": INT}, [[1], [2]]),
    Trap("times", line(a="2026-11-01T00:00:00Z") + line(a="2026-11-02"), {"a": STR}, [["2026-11-01T00:00:00Z"], ["2026-11-02"]]),
    Trap("numbers in strings", line(a="1") + line(a="007"), {"a": STR}, [["1"], ["007"]]),
    Trap("U+2028", line(a="x\u2028y\x85z") + line(a="z"), {"a": STR}, [["x\u2028y\x85z"], ["z"]]),
    Trap("U+0000", b'{"a":"x\\u0000y"}\n', {"a": STR}, [["x\0y"]]),
    Trap(
        "a record larger than a block", line(a="x") + line(a="y" * 8_000_000) + line(a="z"), {"a": STR}, [["x"], ["y" * 8_000_000], ["z"]]
    ),
    Trap("blank lines, CRLF", b'\n{"a":1}\r\n\r\n \n{"a":2}\r\n', {"a": INT}, [[1], [2]]),
    Trap("no newline at the end", b'{"a":1}\n{"a":2}', {"a": INT}, [[1], [2]]),
    Trap(
        "a key a row",
        b"".join(line(**{f"k{key}": key}) for key in range(300)),
        {f"k{key}": INT for key in range(300)},
        [[None] * 299 + [299]],
    ),
    Trap("nothing", b"", {}, []),
    Trap("{}", b"{}\n" * 3, {}, [[], [], []]),
]
BY_NAME = {trap.name: trap for trap in TRAPS}

# What is no row: the document, the number of the bad line, and where its record begins.
BAD = {
    "a bad line": (line(a=1) + b'{"a":x}\n' + line(a=3), 2, 8),
    "a bad line after many": (line(a=1) * 5000 + b'{"a":x}\n' + line(a=3) * 5000, 5001, 40_000),
    "a bad line after a block": (FAR + b'{"a":1 "b":2}\n' + line(a=3) * 10, 6001, len(FAR)),
    "an open string": (line(a="1") + b'{"a":"x}\n' + line(a="3"), 2, 10),
    "a lone surrogate": (line(a="1") + b'{"a":"\\ud800"}\n' + line(a="3"), 2, 10),
    "a lone surrogate as a key": (line(a="1") + b'{"\\udc00":1}\n' + line(a="3"), 2, 10),
    "no UTF-8": (line(a="1") + b'{"a":"\xff"}\n' + line(a="3"), 2, 10),
    "two on a line": (line(a=1) + b'{"a":1} {"a":2}\n' + line(a=3), 2, 8),
    "a record over two lines": (line(a=1) + b'{"a":\n' + line(a=3), 2, 8),
    "a list": (line(a=1) + b"[1]\n" + line(a=3), 2, 8),
    "null": (line(a=1) + b"null\n" + line(a=3), 2, 8),
    "a string": (line(a=1) + b'"a"\n' + line(a=3), 2, 8),
}
TORN = {
    "within a key": (line(a=1) + b'{"a', 3),
    "within a string": (line(a=1) + b'{"a":"z', 7),
    "before a value": (line(a=1) + b'{"a":', 5),
}


def pieces(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.fixture(params=["file", "bytes", "chunks"])
def source_of(request, tmp_path):
    """What makes a source of a document: each kind of source goes its own way through the reader."""

    def make(data):
        if request.param == "file":
            path = tmp_path / "trap.jsonl"
            path.write_bytes(data)
            return path
        return data if request.param == "bytes" else pieces(data, 7 if len(data) < 1000 else 100_003)

    return make


def check(table, trap):
    judged = pa.table(table)
    judged.validate(full=True)
    assert {field.name: field.type for field in judged.schema} == trap.types
    assert judged.column_names == list(trap.types)
    last = judged.slice(max(0, judged.num_rows - len(trap.last))).to_pylist()
    assert last == [dict(zip(trap.types, row)) for row in trap.last]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_what_becomes_of_a_trap(trap, workers, source_of):
    table = ocior.table(source_of(trap.data), workers=workers)
    check(table, trap)
    assert len(table) == table.num_rows == sum(1 for one in trap.data.split(b"\n") if one.strip())
    assert (table.skipped, table.dropped) == (0, 0)


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_columns_are_inferred_alike_without_the_values(trap, source_of):
    assert ocior.infer(source_of(trap.data)) == ocior.table(trap.data).schema


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if "a" in trap.types], ids=str)
def test_one_column_of_a_trap(trap, source_of):
    only = Trap(trap.name, trap.data, {"a": trap.types["a"]}, [[row[list(trap.types).index("a")]] for row in trap.last])
    check(ocior.table(source_of(trap.data), columns=["a"]), only)


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_the_second_of_two_files_may_be_read_by_the_schema_of_the_first(trap):
    table = ocior.table(trap.data)
    again = ocior.table(trap.data, schema=table.schema)
    assert pa.table(again).equals(pa.table(table))


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if not trap.data.startswith(FAR) and trap.last], ids=str)
def test_a_trap_within_the_first_block_is_scanned_as_it_is_read(trap, source_of):
    with ocior.scan(source_of(trap.data)) as scan:
        batches = [pa.table(batch) for batch in scan]
    if trap.types:
        check(pa.concat_tables(batches), trap)
    else:  # which concat_tables takes for no rows
        assert sum(batch.num_rows for batch in batches) == len(trap.last)


@pytest.mark.parametrize("name", ["late key after a block", "int and str after a block"])
def test_a_trap_behind_the_first_block_is_a_bad_record_of_a_scan(name, source_of):
    scan = ocior.scan(source_of(BY_NAME[name].data))
    with pytest.raises(ocior.RecordError) as caught:
        sum(len(batch) for batch in scan)
    assert (caught.value.lineno, caught.value.offset) == (6001, len(FAR))


def test_a_scan_leaves_out_late_keys_if_it_is_told_to(source_of):
    scan = ocior.scan(source_of(BY_NAME["late key after a block"].data), unexpected="ignore")
    judged = pa.concat_tables([pa.table(batch) for batch in scan])
    assert (judged.column_names, judged.num_rows) == (["a", "p"], 6001)


@pytest.mark.parametrize(
    "name, mixed",
    [
        ("int and str", [["1"], ["x"], [None]]),
        ("object and list", [['{"b":1}'], ["[1]"]]),
        ("2**53+1 beside 0.5", [["9007199254740993"], ["0.5"]]),
        ("2**64-1 beside -1", [["18446744073709551615"], ["-1"]]),
        ("mixed in a list", [[["1", "x", None, '{"b":2}']], [["2"]]]),
    ],
)
def test_what_is_mixed_as_strings(name, mixed, source_of):
    trap = BY_NAME[name]
    types = {"a": pa.list_(STR) if name == "mixed in a list" else STR}
    check(ocior.table(source_of(trap.data), mixed="str"), Trap(name, trap.data, types, mixed))


@pytest.mark.parametrize("name", ["int and str", "int and str after many", "object and list", "2**53+1 beside 0.5", "mixed in an object"])
def test_what_is_mixed_may_be_refused(name, source_of):
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(source_of(BY_NAME[name].data), mixed="raise")
    assert caught.value.lineno == (MANY + 1 if "many" in name else 2)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_told_by_its_place(name, workers, source_of):
    data, lineno, offset = BAD[name]
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(source_of(data), workers=workers)
    assert (caught.value.lineno, caught.value.offset) == (lineno, offset)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_takes_no_other_along(name, workers, source_of):
    data, lineno, _ = BAD[name]
    lines = data.splitlines(keepends=True)
    table = ocior.table(source_of(data), workers=workers, on_error="skip")
    assert table.skipped == 1
    assert pa.table(table).equals(pa.table(ocior.table(b"".join(lines[: lineno - 1] + lines[lineno:]))))


@pytest.mark.parametrize("name", TORN)
def test_a_torn_end(name, source_of):
    data, dropped = TORN[name]
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(source_of(data))
    assert (caught.value.lineno, caught.value.offset) == (2, 8)
    table = ocior.table(source_of(data), tail="drop")
    assert (pa.table(table).to_pylist(), table.dropped, table.skipped) == ([{"a": 1}], dropped, 0)


def test_a_record_that_is_too_long(source_of):
    data = line(a="x") + line(a="y" * 5000) + line(a="z")
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(source_of(data), max_record=1000)
    assert caught.value.lineno == 2
    assert pa.table(ocior.table(source_of(data), max_record=1000, on_error="skip")).to_pylist() == [{"a": "x"}, {"a": "z"}]
