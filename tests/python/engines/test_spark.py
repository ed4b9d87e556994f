"""What is Spark's alone: the format, schemas of its own, and types that it lacks."""

import decimal

import pytest
from engine_clusters import rows_of

import ocior

pytest.importorskip("pyarrow")


@pytest.fixture
def session(on_spark):
    on_spark.module.register(on_spark.session)
    return on_spark.session


def test_the_format(session, events):
    read = session.read.format("ocior").option("part_size", 9000).load(str(events))
    assert read.toArrow().to_pylist() == list(rows_of(400))
    assert read.rdd.getNumPartitions() == len(ocior.lines.split(events, 9000))
    assert session.read.format("ocior").option("infer", "all").load([str(events), str(events)]).count() == 800


def test_a_schema_of_spark_is_the_projection(session, events):
    read = session.read.format("ocior").schema("user struct<on: boolean, id: int>, id decimal(6, 1)").load(str(events))
    assert read.take(2)[1].asDict(recursive=True) == {"user": {"on": False, "id": -1}, "id": decimal.Decimal("1.0")}
    assert read.count() == 400


def test_integers_without_a_sign(on_spark, tmp_path):
    path = tmp_path / "large.jsonl"
    path.write_bytes(b'{"n": 1, "list": [18446744073709551615]}\n{"n": 18446744073709551615, "list": []}\n')
    read = on_spark.read(path)
    assert [row.asDict() for row in read.collect()] == [{"n": 1, "list": [2**64 - 1]}, {"n": 2**64 - 1, "list": []}]
    assert read.dtypes[0] == ("n", "decimal(20,0)")


def test_written_by_the_format(session, events, tmp_path):
    out = tmp_path / "out"
    read = session.read.format("ocior").option("part_size", 9000).load(str(events))
    read.write.format("ocior").option("compression", "gzip").mode("append").save(str(out))
    assert all(name.suffixes == [".jsonl", ".gz"] for name in out.iterdir())
    assert session.read.format("ocior").load(str(out)).toArrow().to_pylist() == list(rows_of(400))


def test_wrong_options_are_named(session, events):
    with pytest.raises(Exception, match="'partsize' is no option"):
        session.read.format("ocior").option("partsize", 1).load(str(events)).count()
    with pytest.raises(Exception, match="path is missing"):
        session.read.format("ocior").load()
