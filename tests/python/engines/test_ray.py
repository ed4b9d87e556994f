"""What is Ray's alone: what it asks a source for, and the class of its errors."""

import pickle

import pytest
from engine_clusters import kill_once, rows_of

import ocior

pytest.importorskip("pyarrow")


def test_a_large_file_has_many_tasks(on_ray, events):
    read = on_ray.read(events, part_size=5000)
    parts = ocior.lines.split(events, 5000)
    assert read.materialize().num_blocks() == len(parts) > 5
    assert read.input_files() == [str(events)]


def test_the_schema_is_known_before_anything_is_read(on_ray, events):
    read = on_ray.read(events, part_size=5000)
    events.write_bytes(b"")
    assert read.schema().names == ["id", "name", "part", "tags", "user"]
    assert on_ray.select(read, ["user"]).schema().names == ["user"]


def test_only_the_columns_that_are_used_are_read(on_ray, events, small_samples):
    """A value of the wrong kind is noticed where its column is read."""
    with open(events, "a") as file:
        file.write('{"id": 400, "name": 5}\n')
    read = on_ray.read(events, part_size=5000)
    assert read.count() == 401
    assert read.sum("id") == 400 * 401 // 2
    with pytest.raises(ocior.RecordError, match="byte"):
        read.select_columns(["name"]).materialize()


def test_rows_without_columns(on_ray, events):
    read = on_ray.read(events, part_size=5000, columns=[])
    assert read.count() == 400
    assert on_ray.read(events).select_columns([]).count() == 400


def test_limit(on_ray, events):
    assert on_ray.read(events, part_size=5000).limit(70).count() == 70


def test_the_error_is_ours_and_theirs(on_ray, events, small_samples):
    ray = pytest.importorskip("ray")
    with open(events, "ab") as file:
        file.write(b"{]\n")
    offset = events.stat().st_size - 3
    with pytest.raises(ocior.RecordError) as raised:
        on_ray.count(on_ray.read(events, part_size=5000))
    assert isinstance(raised.value, ray.exceptions.RayTaskError)
    cause = pickle.loads(pickle.dumps(raised.value.cause))
    assert (cause.offset, cause.source, cause.doc.rstrip()) == (offset, str(events), "{]")


def test_a_reader_that_is_killed(on_ray, events, tmp_path):
    """In the middle of a Part: a function that is called for a bad record kills the worker, once."""
    with open(events, "ab") as file:
        file.write(b"{]\n")
    read = on_ray.read(
        events, part_size=5000, schema=on_ray.read(events, on_error="skip").schema().base_schema, on_error=kill_once(tmp_path / "killed")
    )
    assert on_ray.table(read).to_pylist() == list(rows_of(400))
    assert (tmp_path / "killed").exists()


def test_arguments_of_tasks(on_ray, events):
    read = on_ray.read(events, infer="all", part_size=5000, ray_remote_args={"num_cpus": 2})
    assert read.count() == 400
