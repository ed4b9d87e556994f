"""What is Dask's alone: the types of its columns, bags, and the columns that a partition reads."""

import pytest
from engine_clusters import kill_once, rows_of

import ocior

pyarrow = pytest.importorskip("pyarrow")


def test_partitions_have_equal_types(on_dask, tmp_path):
    """Nulls in one partition alone change nothing."""
    path = tmp_path / "nulls.jsonl"
    ocior.lines.write(
        [{"a": None if number < 50 else number, "b": [None] if number < 50 else [{"c": True}]} for number in range(100)], path
    )
    frame = on_dask.read(path, part_size=500)
    types = {str(part.dtypes.to_dict()) for part in map(lambda part: part.compute(), frame.partitions)}
    assert types == {str(frame.dtypes.to_dict())} and frame.npartitions > 2
    assert str(frame.dtypes["a"]) == "int64[pyarrow]"


def test_only_the_columns_that_are_used_are_read(on_dask, events, small_samples):
    """A value of the wrong kind is noticed where its column is read."""
    with open(events, "a") as file:
        file.write('{"id": 400, "name": 5}\n')
    frame = on_dask.read(events, part_size=5000)
    assert frame["id"].sum().compute() == 400 * 401 // 2
    assert frame[["part", "id"]].compute().columns.tolist() == ["part", "id"]
    with pytest.raises(ocior.RecordError, match="byte"):
        frame["name"].compute()


def test_rows_without_columns(on_dask, events):
    assert len(on_dask.read(events, part_size=5000, columns=[])) == 400


def test_groups(on_dask, events):
    frame = on_dask.read(events, part_size=5000)
    sums = frame.assign(hundred=frame["id"] // 100).groupby("hundred")["part"].sum().compute().sort_index()
    assert sums.tolist() == [sum(number / 8 for number in range(100 * hundred, 100 * hundred + 100)) for hundred in range(4)]


def test_bag(on_dask, tmp_path):
    path = tmp_path / "values.jsonl"
    path.write_bytes(b"".join(b'[%d, "x"]\n%d\n' % (number, number) for number in range(100)))
    values = [value for number in range(100) for value in ([number, "x"], number)]
    assert on_dask.module.read_bag(path, part_size=100).compute() == values
    assert on_dask.module.read_bag([path, path], part_size=300, fields="/0").filter(None).count().compute() == 198


def test_a_file_that_has_changed_is_read_again(on_dask, events):
    kept = on_dask.read(events, part_size=5000)[["id"]].persist()
    assert len(kept) == 400
    events.write_bytes(events.read_bytes().replace(b'"id":7,', b'"id":8,'))
    assert on_dask.read(events, part_size=5000)["id"].sum().compute() == 400 * 399 // 2 + 1


def test_the_error_is_ours(on_dask, events, small_samples):
    with open(events, "ab") as file:
        file.write(b"{]\n")
    with pytest.raises(ocior.RecordError) as raised:
        on_dask.table(on_dask.read(events, part_size=5000))
    assert (raised.value.offset, raised.value.source) == (events.stat().st_size - 3, str(events))


def test_a_reader_that_is_killed(on_dask, events, tmp_path):
    """In the middle of a Part: a function that is called for a bad record kills the worker, once."""
    schema = ocior.infer(events)
    with open(events, "ab") as file:
        file.write(b"{]\n")
    frame = on_dask.read(events, part_size=5000, schema=schema, on_error=kill_once(tmp_path / "killed"))
    assert on_dask.table(frame).to_pylist() == list(rows_of(400))
    assert (tmp_path / "killed").exists()
