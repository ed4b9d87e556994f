"""What Ray, Dask and Spark do alike: rows beside one `ocior.table`, whatever becomes of a worker, and folders that are written whole."""

import bz2
import datetime
import decimal
import gzip
import os
import re

import pytest
from engine_clusters import kill_once, rows_of

import ocior

pyarrow = pytest.importorskip("pyarrow")

FIRST = pyarrow.schema([("id", pyarrow.int64()), ("name", pyarrow.string())])


def expected(path, **options):
    return pyarrow.table(ocior.table(path, **options)).to_pylist()


def visible(folder):
    return sorted(os.listdir(folder))


# --- reading -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part_size", [3000, 40_000, 64 << 20])
@pytest.mark.parametrize("infer", ["sample", "all"])
def test_rows_in_order(engine, events, part_size, infer):
    read = engine.read(events, part_size=part_size, infer=infer)
    assert engine.table(read).to_pylist() == expected(events) == list(rows_of(400))
    assert engine.names(read) == ["id", "name", "part", "tags", "user"]


def test_parts_smaller_than_a_record(engine, tmp_path):
    path = tmp_path / "few.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 1}\r\n\n{"id": 2}\n{"id": 3}')
    assert engine.table(engine.read(path, part_size=4)).to_pylist() == [{"id": 1}, {"id": 2}, {"id": 3}]


def test_many_files(engine, tmp_path):
    """A list in its order, with compressed files and an empty one in it; a folder, a pattern and a URL by name."""
    lines = [ocior.lines.dumps_to_bytes(rows_of(50, first)) for first in (0, 50, 100)]
    for name, data in {"c.jsonl": lines[0], "b": gzip.compress(lines[1]), "a": bz2.compress(lines[2]), "d": b"", "_c": b"?"}.items():
        (tmp_path / name).write_bytes(data)
    named = [tmp_path / "c.jsonl", str(tmp_path / "b"), tmp_path / "d", tmp_path / "a"]
    assert engine.table(engine.read(named, part_size=1000)).to_pylist() == list(rows_of(150))
    ids = [*range(100, 150), *range(50, 100), *range(50)]
    for paths in (tmp_path, str(tmp_path / "[a-d]*"), tmp_path.as_uri()):
        assert engine.table(engine.read(paths, columns=["id"])).column("id").to_pylist() == ids


def test_nothing_to_read(engine, tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    assert engine.count(engine.read(tmp_path / "empty", schema=FIRST)) == 0
    for missing in (tmp_path / "missing", tmp_path / "missing*"):
        with pytest.raises(FileNotFoundError, match="missing"):
            engine.read(missing)


def test_columns(engine, events):
    rows = list(rows_of(400))
    read = engine.read(events, columns=["part", "id"], part_size=9000)
    assert engine.names(read) == ["part", "id"]
    assert engine.table(read).to_pylist() == [{"part": row["part"], "id": row["id"]} for row in rows]
    selected = engine.select(engine.read(events, part_size=9000), ["user", "id"])
    assert engine.table(selected).to_pylist() == [{"user": row["user"], "id": row["id"]} for row in rows]


def test_count(engine, events):
    assert engine.count(engine.read(events, part_size=9000)) == 400
    assert engine.count(engine.read(events, part_size=9000, columns=["id"])) == 400
    events.write_bytes(gzip.compress(events.read_bytes()))
    assert engine.count(engine.read(events)) == 400


def test_schema(engine, events):
    schema = pyarrow.schema([("part", pyarrow.float64()), ("id", pyarrow.int32())])
    table = engine.table(engine.read(events, schema=schema, unexpected="ignore"))
    assert table.schema.types == schema.types
    assert table.column("id").to_pylist() == list(range(400))


def test_declared_types(engine, tmp_path):
    path = tmp_path / "declared.jsonl"
    path.write_text('{"n": 7, "small": 5, "at": "2026-11-29T12:00:00Z", "price": 1.10}\n' * 2)
    schema = {"n": int, "small": "uint16", "at": "timestamp[us, UTC]", "price": "decimal128(10, 2)"}
    when = datetime.datetime(2026, 11, 29, 12, tzinfo=datetime.timezone.utc)
    rows = engine.table(engine.read(path, schema=schema, part_size=50)).to_pylist()
    assert rows == [{"n": 7, "small": 5, "at": when, "price": decimal.Decimal("1.10")}] * 2


def test_items_of_a_document(engine, tmp_path):
    path = tmp_path / "document.json"
    path.write_text(ocior.dumps({"n": 20, "rows": list(rows_of(20))}, indent=1))
    assert engine.table(engine.read([path, path], at="/rows", part_size=10)).to_pylist() == [*rows_of(20), *rows_of(20)]


def test_mixed_values_are_json(engine, tmp_path):
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"a": 1, "b": [1]}\n{"a": "x", "b": ["y"]}\n{"a": {"k": []}}\n')
    rows = engine.table(engine.read(path)).to_pylist()
    assert [row["a"] if row["a"] is None else ocior.loads(row["a"]) for row in rows] == [1, "x", {"k": []}]
    assert [row["b"] and [ocior.loads(one) for one in row["b"]] for row in rows] == [[1], ["y"], None]
    rows = engine.table(engine.read(path, mixed="str")).to_pylist()
    assert [row["a"] for row in rows][:2] == ["1", "x"]


# --- one schema ----------------------------------------------------------------------------------------------------


LATE = pyarrow.schema([("id", pyarrow.float64()), ("name", pyarrow.string())])


@pytest.fixture
def late(tmp_path, small_samples):
    """The last rows have a key more, and another kind of number. Both are behind what is sampled."""
    path = tmp_path / "late.jsonl"
    rows = [{"id": number, "name": "n"} for number in range(198)]
    ocior.lines.write([*rows, {"id": 0.5, "name": "n"}, {"id": 199, "name": "n", "late": [True]}], path)
    return path


def test_late_keys_are_found_by_reading_all(engine, late):
    table = engine.table(engine.read(late, infer="all", part_size=1000))
    assert table.column_names == ["id", "name", "late"]
    assert table.schema.field("id").type == pyarrow.float64()
    assert table.to_pylist()[197:] == [
        {"id": 197.0, "name": "n", "late": None},
        {"id": 0.5, "name": "n", "late": None},
        {"id": 199.0, "name": "n", "late": [True]},
    ]


def test_late_keys_behind_a_sample_are_told(engine, late):
    with pytest.raises(Exception, match=r"that of a sample; infer=.*at byte \d+ of .*late.jsonl"):
        engine.table(engine.read(late, part_size=1000))
    with pytest.raises(Exception, match="Unexpected key at /late: line") as raised:
        engine.table(engine.read(late, part_size=1000, schema=LATE))
    assert "late.jsonl" in str(raised.value)


def test_late_keys_may_be_left_out(engine, late):
    table = engine.table(engine.read(late, schema=LATE, unexpected="ignore", part_size=1000))
    assert table.column_names == ["id", "name"] and len(table) == 200


# --- bad records ---------------------------------------------------------------------------------------------------


@pytest.fixture
def broken(events):
    """The file and the byte of its bad record, of which 300 stand before it."""
    lines = events.read_bytes().splitlines(keepends=True)
    lines.insert(300, b'{"id": 300, "name": ?}\n')
    events.write_bytes(b"".join(lines))
    return events, len(b"".join(lines[:300]))


def test_the_place_of_a_bad_record_reaches_the_driver(engine, broken, small_samples):
    path, offset = broken
    with pytest.raises(Exception, match=re.escape(f"at byte {offset} of {path}")) as raised:
        engine.table(engine.read(path, part_size=5000))
    assert "Expecting value" in str(raised.value)


def test_the_place_of_a_bad_record_in_a_sample(engine, broken):
    path, offset = broken
    with pytest.raises(ocior.RecordError, match=re.escape(f"at byte {offset} of {path}")):
        engine.read(path, part_size=5000)


def test_bad_records_may_be_skipped(engine, broken):
    assert engine.table(engine.read(broken[0], part_size=5000, on_error="skip")).to_pylist() == list(rows_of(400))


def test_a_torn_end_may_be_dropped(engine, events):
    with open(events, "ab") as file:
        file.write(b'{"id": 400, "na')
    assert engine.count(engine.read(events, part_size=5000, tail="drop")) == 400


@pytest.mark.parametrize(
    "options, error",
    [
        ({"infer": "some"}, ValueError),
        ({"part_size": 0}, ValueError),
        ({"columns": "id"}, TypeError),
        ({"columns": ["other"], "schema": FIRST}, ValueError),
        ({"partsize": 1}, TypeError),
        ({"on_error": "ignore"}, ValueError),
        ({"storage_options": {"anon": True}}, ValueError),
    ],
    ids=str,
)
def test_wrong_options(engine, events, options, error):
    with pytest.raises(error):
        engine.read(events, **options)


# --- workers that die ----------------------------------------------------------------------------------------------


def test_a_worker_that_is_killed_loses_nothing(engine, events, tmp_path):
    read = engine.each(engine.read(events, part_size=5000), kill_once(tmp_path / "killed"))
    assert engine.table(read).to_pylist() == list(rows_of(400))
    assert (tmp_path / "killed").exists()


def test_a_writer_that_is_killed_leaves_nothing(engine, events, tmp_path):
    read = engine.each(engine.read(events, part_size=5000), kill_once(tmp_path / "killed"))
    engine.write(read, tmp_path / "out")
    assert (tmp_path / "killed").exists()
    assert all(name.startswith("part-") and name.endswith(".jsonl") for name in visible(tmp_path / "out"))
    assert list(ocior.lines.read(b"".join((tmp_path / "out" / name).read_bytes() for name in visible(tmp_path / "out")))) == list(
        rows_of(400)
    )


def test_a_writing_that_fails_leaves_nothing(engine, broken, tmp_path, small_samples):
    with pytest.raises(Exception, match="Expecting value"):
        engine.write(engine.read(broken[0], part_size=5000), tmp_path / "out")
    assert visible(tmp_path / "out") == []


# --- writing -------------------------------------------------------------------------------------------------------


def test_written_and_read_back(engine, events, tmp_path):
    read = engine.read(events, part_size=9000)
    engine.write(read, tmp_path / "out")
    assert 1 < len(visible(tmp_path / "out"))
    assert engine.table(engine.read(tmp_path / "out")).to_pylist() == list(rows_of(400))


@pytest.mark.parametrize("compression, suffix", [("gzip", ".jsonl.gz"), ("xz", ".jsonl.xz")])
def test_compressed(engine, events, tmp_path, compression, suffix):
    engine.write(engine.read(events), tmp_path / "out", compression=compression)
    names = visible(tmp_path / "out")
    assert names and all(name.endswith(suffix) for name in names)
    assert [row for name in names for row in ocior.lines.read(tmp_path / "out" / name)] == list(rows_of(400))


def test_written_again(engine, events, tmp_path):
    """Files are added, or take the place of those that were written before, but of no others."""
    read, out = engine.read(events, columns=["id"]), tmp_path / "out"
    engine.write(read, out)
    (out / "notes").write_text("mine")
    engine.write(read, out)
    assert engine.count(engine.read(str(out / "part-*"))) == 800
    engine.write(read, out, overwrite=True)
    assert engine.count(engine.read(str(out / "part-*"))) == 400
    assert (out / "notes").read_text() == "mine"


def test_compression_is_asked_for(engine, tmp_path):
    path = tmp_path / "packed"
    path.write_bytes(gzip.compress(b'{"id": 1}\n'))
    for compression in ("infer", "gzip"):
        assert engine.count(engine.read(path, compression=compression)) == 1
    with pytest.raises(ocior.RecordError):
        engine.read(path, compression=None)
    assert engine.count(engine.read(path, compression=None, schema=FIRST, on_error="skip")) == 0


def test_wrong_compression(engine, events, tmp_path):
    with pytest.raises(Exception, match="compression"):
        engine.write(engine.read(events), tmp_path / "out", compression="zip")
