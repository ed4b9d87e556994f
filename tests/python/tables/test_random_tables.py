"""Random records as tables, against the slow reader, against pyarrow's own inference where that knows the types, and by every way."""

import json
from random import Random

import arrow_reader
import pytest
import random_records
import slow_table
from support import some

import ocior
from ocior._tables.schema import schema_of

SEEDS = pytest.mark.parametrize("seed", some(range(120), 4))
FEWER_SEEDS = pytest.mark.parametrize("seed", some(range(1000, 1040), 4))
PLAIN = {"n", "b", "l", "g", "u", "+l", "+s"}  # what pyarrow infers alike


def made(seed, **options):
    random = Random(seed)
    return random, random_records.document(random, **options)


def check(table, slow):
    """A Table has the columns, types and values of a SlowTable."""
    assert table.schema == schema_of(slow.form)
    assert len(table) == table.num_rows == len(slow.rows)
    assert table.column_names == [name for name, _, _ in slow.form[2]] and table.num_columns == len(table.column_names)
    assert table.skipped == slow.skipped
    read = arrow_reader.read(table)
    assert sum(read.batches) == len(table)
    assert slow_table.comparable(read.rows, slow.form) == slow.comparable()


@SEEDS
def test_same_as_the_slow_reader(seed):
    _, data = made(seed)
    check(ocior.table(data, workers=1 + seed % 4), slow_table.read(data))


@SEEDS
def test_same_by_pyarrow(seed):
    pa = pytest.importorskip("pyarrow")
    _, data = made(seed)
    slow = slow_table.read(data)
    arrow = pa.table(ocior.table(data))
    arrow.validate(full=True)
    assert slow_table.comparable(arrow.to_pylist(), slow.form) == slow.comparable()


@SEEDS
def test_same_as_pyarrow_infers(seed):
    pa = pytest.importorskip("pyarrow")
    _, data = made(seed, is_mixed=False)
    slow = slow_table.read(data)
    if not kinds_of(slow.form) <= PLAIN or not slow.rows or not slow.form[2]:
        pytest.skip("a type that pyarrow infers otherwise")
    arrow = pa.table(ocior.table(data))
    theirs = pa.Table.from_pylist([slow_table.filled(row, slow.form) for row in slow.rows])
    assert arrow.schema == theirs.schema
    assert repr(arrow.to_pylist()) == repr(theirs.to_pylist())


def kinds_of(form):
    return {form[0]}.union(*(kinds_of(child) for _, _, child in form[2]))


@SEEDS
def test_infer(seed):
    random, data = made(seed)
    schema = ocior.infer(data, workers=1 + seed % 4)
    assert schema == schema_of(slow_table.read(data).form) == ocior.table(data).schema
    lines = data.split(b"\n")
    cuts = sorted(random.randint(0, len(lines)) for _ in range(2))
    parts = [b"\n".join(part) for part in (lines[: cuts[0]], lines[cuts[0] : cuts[1]], lines[cuts[1] :])]
    first, second, third = map(ocior.infer, parts)
    assert (first | second) | third == first | (second | third) == schema


@SEEDS
def test_joined_schemas_forget_nothing(seed):
    """What has been seen decides what comes of more: each join is that of all values."""
    random = Random(seed)
    pool = [*random_records.SMALL, *random_records.LARGE, *random_records.ABOVE, *random_records.BEYOND, *random_records.FLOATS[:5]]
    rows = [b'{"a": %s}' % str(value).encode() for value in random.sample(pool, random.randint(2, 4))]
    joined = ocior.infer(rows[0])
    for count, row in enumerate(rows[1:], 2):
        joined = joined | ocior.infer(row)
        assert joined == ocior.infer(b"\n".join(rows[:count]))


@FEWER_SEEDS
def test_scan_by_the_schema_of_all(seed):
    _, data = made(seed)
    slow = slow_table.read(data)
    schema = ocior.infer(data)
    with ocior.scan(data, schema=schema, workers=1 + seed % 3) as scan:
        assert scan.schema == schema
        rows = [row for batch in scan for row in arrow_reader.read(batch).rows]
    assert slow_table.comparable(rows, slow.form) == slow.comparable()
    check(ocior.table(data, schema=schema), slow)


@FEWER_SEEDS
def test_columns(seed):
    random, data = made(seed)
    names = [name for name, _, _ in slow_table.read(data).form[2]]
    names = random.sample(names, random.randint(0, len(names)))
    if random.random() < 0.3:
        names.insert(random.randint(0, len(names)), "never there")
    check(ocior.table(data, columns=names, workers=1 + seed % 2), slow_table.read(data, columns=names))
    assert ocior.infer(data, columns=names).names == names


@FEWER_SEEDS
@pytest.mark.parametrize("mixed", ["str", "raise"])
def test_mixed(seed, mixed):
    _, data = made(seed)
    try:
        slow = slow_table.read(data, mixed=mixed)
    except slow_table.SlowBad as bad:
        with pytest.raises(ocior.RecordError) as caught:
            ocior.table(data, mixed=mixed, workers=1 + seed % 4)
        assert (caught.value.lineno, caught.value.offset) == (bad.lineno, bad.offset)
        return
    table = ocior.table(data, mixed=mixed)
    assert table.schema == schema_of(slow.form) == ocior.infer(data, mixed=mixed)
    if mixed == "raise":
        check(table, slow)
    else:
        assert text_meant(arrow_reader.read(table).rows, slow.rows, slow.form)


def text_meant(got, rows, form):
    """Whether texts in columns of strings are the strings, or JSON text of other values."""
    return all(_is_meant(value, slow_table.filled(row, form), form) for value, row in zip(got, rows, strict=True))


def _is_meant(got, wanted, form):
    kind, _, children = form
    if isinstance(wanted, slow_table.Written):
        return slow_table.meant_as_text(got) == slow_table.meant_as_text(wanted.value)
    if kind == "+s" and wanted is not None:
        return all(_is_meant(got[name], wanted[name], child) for name, _, child in children)
    if kind == "+l" and wanted is not None:
        return len(got) == len(wanted) and all(_is_meant(one, other, children[0][2]) for one, other in zip(got, wanted))
    return repr(got) == repr(wanted)


@FEWER_SEEDS
def test_items_of_an_array(seed):
    _, data = made(seed)
    rows = b",".join(line for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip())
    slow = slow_table.read(data)
    check(ocior.table(b'{"more": [1], "in": [0, {"r/s": [%s]}], "last": 1}' % rows, at="/in/1/r~1s"), slow)
    check(ocior.table(b"[%s]" % rows, at=""), slow)


@FEWER_SEEDS
def test_bad_lines_in_between(seed):
    random, data = made(seed)
    bad = [b"[]", b"1", b"x", b'{"a": 1', b'{"a": "\\ud800"}', b'{"a": "\xff"}', b'{"a": 1} {}', b'"', b"null", b'{"a": [1, 2}', b"{,}"]
    lines = data.split(b"\n")
    for _ in range(random.randint(1, 5)):
        lines.insert(random.randint(1, len(lines)), random.choice(bad))
    data = b"\n".join(lines)
    slow = slow_table.read(data, on_error="skip")
    check(ocior.table(data, on_error="skip", workers=1 + seed % 4), slow)
    with pytest.raises(slow_table.SlowBad) as wanted:
        slow_table.read(data)
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(data, workers=1 + seed % 4)
    assert (caught.value.lineno, caught.value.offset) == (wanted.value.lineno, wanted.value.offset)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_many_blocks(workers):
    """Keys and kinds that first come in a later block, which another thread may read."""
    random = Random(workers)
    lines = []
    for number in range(30_000):
        row = {"id": number, "text": "x" * random.randint(0, 500), "list": [number] * (number % 4), "deep": {"a": None}}
        if number == 20_000:
            row.update(late={"x": [1.5]}, list=[0.5])
        if number == 29_000:
            row.update(id=2**64 - 1, deep={"a": {"b": True}})
        if number > 29_990:
            row["late"] = {"y": "z"}
        lines.append(json.dumps(row))
    data = "\n".join(lines).encode()
    check(ocior.table(data, workers=workers), slow_table.read(data))
    check(ocior.table([data[at : at + 77_777] for at in range(0, len(data), 77_777)], workers=workers), slow_table.read(data))
