"""Tables of several blocks of text: each block has columns of its own, which are joined. Columns that are all null in one block and widen
in another, more than one batch in a block, and as many columns as may be.

A block ends with the first line behind 1 MB, so a line of blanks makes one.
"""

import io
import itertools

import arrow_reader
import pytest
import slow_table

import ocior
from ocior import lines

END = b" " * (1 << 20) + b"\n"
OTHER = b'{"other": 1}\n'


def blocks_of(*records):
    return b"".join(record + b"\n" + END for record in records)


def check(data, schema, workers):
    """The table is what the slow reader makes of it."""
    wanted = slow_table.read(data)
    table = ocior.table(data, workers=workers)
    assert table.schema._form == wanted.form and table.schema == ocior.Schema(schema)
    assert slow_table.comparable(arrow_reader.read(table).rows, wanted.form) == wanted.comparable()
    assert ocior.infer(data, workers=workers) == table.schema


NULLS = [b'{"x": null}', OTHER.strip()]
VALUES = {
    "real": (b'{"x": 1}', b'{"x": 1.5}', "float64"),
    "text": (b'{"x": 1}', b'{"x": "y"}', "json"),
    "list": (b'{"x": 1}', b'{"x": [2, null]}', "json"),
    "struct": (b'{"x": 1}', b'{"x": {"y": 2}}', "json"),
    "bool": (b'{"x": true}', b'{"x": "y"}', "json"),
    "uint64": (b'{"x": 1}', b'{"x": 18446744073709551615}', "uint64"),
    "strings": (b'{"x": "y"}', b'{"x": 1}', "json"),
    "reals": (b'{"x": 0.5}', b'{"x": [0.5]}', "json"),
    "lists": (b'{"x": [1]}', b'{"x": {"y": [1]}}', "json"),
    "items": (b'{"x": [1, 2]}', b'{"x": [0.5, null]}', "list<float64>"),
    "mixed items": (b'{"x": [1]}', b'{"x": ["y"]}', "list<json>"),
    "children": (b'{"x": {"y": 1, "z": true}}', b'{"x": {"y": 0.5, "z": null}}', "struct<y: float64, z: bool>"),
    "mixed children": (b'{"x": {"y": {"z": 1}}}', b'{"x": {"y": {"z": "q"}}}', "struct<y: struct<z: json>>"),
    "struct and text": (b'{"x": {"y": [1], "z": null}}', b'{"x": "y"}', "json"),
}


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("null", NULLS, ids=["null", "missing"])
@pytest.mark.parametrize("first, last, name", VALUES.values(), ids=VALUES)
def test_a_block_of_nulls_between_two_types(first, last, name, null, workers):
    types = {"x": name} if b"x" in null else {"x": name, "other": "int64"}
    check(blocks_of(first, null, last), types, workers)


NESTED = {
    "items": (b'{"x": [1]}', b'{"x": [null, null]}', b'{"x": [1.5]}', "list<float64>"),
    "items, then text": (b'{"x": [1]}', b'{"x": [null, null]}', b'{"x": ["y"]}', "list<json>"),
    "no items": (b'{"x": [true]}', b'{"x": []}', b'{"x": ["y"]}', "list<json>"),
    "a list, then text": (b'{"x": [1]}', b'{"x": [null, null]}', b'{"x": "y"}', "json"),
    "a child": (b'{"x": {"y": 1}}', b'{"x": {"y": null}}', b'{"x": {"y": 0.5}}', "struct<y: float64>"),
    "no child": (b'{"x": {"y": 1}}', b'{"x": {}}', b'{"x": {"y": [0.5]}}', "struct<y: json>"),
    "a struct, then text": (b'{"x": {"y": 1}}', b'{"x": {"y": null}}', b'{"x": "y"}', "json"),
    "structs in lists": (b'{"x": [{"y": true}]}', b'{"x": [null, {"y": null}]}', b'{"x": [{"y": {"z": 1}}]}', "list<struct<y: json>>"),
    "lists in structs": (b'{"x": {"y": [1, 2]}}', b'{"x": {"y": [null]}}', b'{"x": {"y": [[]]}}', "struct<y: list<json>>"),
}


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("first, nulls, last, name", NESTED.values(), ids=NESTED)
def test_nulls_within_a_value(first, nulls, last, name, workers):
    check(blocks_of(first, nulls, last), {"x": name}, workers)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_any_block_may_have_the_nulls(order, workers):
    records = [b'{"x": 1, "y": {"z": [true]}}', b'{"x": null, "y": {"z": [null]}}', b'{"x": 0.5, "y": {"z": ["q"]}}']
    check(blocks_of(*(records[index] for index in order)), {"x": "float64", "y": "struct<z: list<json>>"}, workers)


@pytest.mark.parametrize("mixed", ["json", "str"])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_block_of_nulls_in_a_column_of_text(workers, mixed):
    table = ocior.table(blocks_of(b'{"x": 1}', b'{"x": null}', b'{"x": "y"}'), workers=workers, mixed=mixed)
    text = '"y"' if mixed == "json" else "y"
    assert [row["x"] for row in arrow_reader.read(table).rows] == ["1", None, text]


# The first block has more values than a batch: 251 columns of 70 000 rows.
WIDE = b"".join(b'{"c%d":1}\n' % (number % 250) for number in range(70_000)) + b'{"late":"new"}\n' * 100


@pytest.mark.parametrize("workers", [1, 2])
def test_all_batches_of_the_first_block_are_of_one_schema(workers):
    with ocior.scan(WIDE, workers=workers) as scan:
        first = next(scan)
        known = scan.schema
        batches = [first, *scan]
    assert len(WIDE) < 1 << 20 and len(batches) > 1
    assert all(batch.schema == known for batch in batches) and known.names[-1] == "late" and len(known) == 251
    assert known == ocior.infer(WIDE) and sum(map(len, batches)) == 70_100


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    "late, name, first",
    [(b"0.5", "float64", b"1.0"), (b'"x"', "json", b"1"), (b"18446744073709551615", "uint64", b"1")],
    ids=["real", "text", "uint64"],
)
def test_batches_of_the_first_block_are_of_the_types_of_the_last(late, name, first, workers):
    batches = list(ocior.scan(WIDE + b'{"c1": %s}\n' % late, workers=workers))
    assert len(batches) > 1 and all(batch.schema == batches[0].schema for batch in batches)
    assert batches[0].schema == ocior.Schema({**{f"c{number}": "int64" for number in range(250)}, "late": "string", "c1": name})
    # The values are looked at as lines, for reading each of them by ctypes takes seconds.
    assert b'"c0": null, "c1": %s, "c2": null' % first in batches[0]._head(2)
    assert b'"c0":null,"c1":%s,"c2":null' % late in lines.dumps_to_bytes(batches[-1]).splitlines()[-1]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_stream_has_the_schema_of_all_batches(workers):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: it reads the stream")
    table = pa.RecordBatchReader.from_stream(ocior.scan(WIDE, workers=workers)).read_all()
    table.validate(full=True)
    assert (table.num_columns, table.num_rows) == (251, 70_100) and table.column("late").null_count == 70_000


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    "nothing, skipped", [(b"\n" * 1_400_000, 0), (b"x\n" * 700_000, 700_000), (END * 3, 0)], ids=["blank lines", "bad lines", "blanks"]
)
def test_a_first_block_without_rows_settles_no_types(nothing, skipped, workers):
    scan = ocior.scan(nothing + b'{"a": 1}\n' * 3, workers=workers, on_error="skip")
    assert scan.schema == ocior.Schema({"a": "int64"})
    assert (sum(map(len, scan)), scan.skipped) == (3, skipped)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_mixed_values_of_two_blocks_may_be_refused(workers):
    """By their place, for one thread reads them whatever is asked for."""
    data = blocks_of(b'{"x": 1}', b'{"x": "y"}')
    with pytest.raises(ocior.RecordError, match="Values of several types at /x") as caught:
        ocior.table(data, mixed="raise", workers=workers)
    assert caught.value.lineno == 3
    assert ocior.table(data, mixed="raise", workers=workers, on_error="skip").skipped == 1


SIX = b'{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}'
OTHER_SIX = b'{"g":1,"h":1,"i":1,"j":1,"k":1,"l":1}'
SOURCES = {
    "file": io.BytesIO,
    "bytes": bytes,
    "iterable": lambda data: iter([data]),
    "chunks": lambda data: iter([data[start : start + 99_999] for start in range(0, len(data), 99_999)]),
}


def batches_of(source, **options):
    return list(ocior.scan(source, **options))


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("call", [ocior.table, ocior.infer])
def test_blocks_that_together_have_too_many_columns(call, make, workers):
    data = blocks_of(SIX, OTHER_SIX)
    with pytest.raises(ValueError, match=r"More than 10 columns \(max_columns\)") as caught:
        call(make(data), workers=workers, max_columns=10)
    assert workers > 1 or (type(caught.value) is ocior.RecordError and caught.value.lineno == 3)
    call(make(data), workers=workers, max_columns=12)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("call", [ocior.table, ocior.infer, batches_of])
def test_more_columns_are_asked_for_than_may_be(call, make, workers):
    """One of them never comes, so that no record is the one with too many. The batch is let go of once: 50 of them would show it."""
    for _ in range(50):
        with pytest.raises(ValueError, match="max_columns"):
            call(make(b'{"a": 1}\n'), columns=["a", "b"], max_columns=1, workers=workers)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 3])
def test_large_chunks(count, workers):
    """Chunks of 3 MB, which are no lines, give what small ones give."""
    row = b'{"id": %d, "text": "' + b"x" * 1000 + b'"}\n'
    data = b"".join(row % number for number in range(3 * count * 1000 + 5)) + b'{"id": 0.5}\n'
    chunks = [data[start : start + 3_000_000] for start in range(0, len(data), 3_000_000)]
    assert len(chunks) == count + 1
    table = ocior.table(iter(chunks), workers=workers)
    assert table.schema == ocior.table(data).schema == ocior.Schema({"id": "float64", "text": "string"})
    ids = [row["id"] for row in arrow_reader.read(table).rows]
    assert ids == [*range(len(ids) - 1), 0.5] and len(table) == 3 * count * 1000 + 6
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(iter([*chunks, b"x\n"]), workers=workers)
    assert (caught.value.lineno, caught.value.offset) == (len(table) + 1, len(data))
