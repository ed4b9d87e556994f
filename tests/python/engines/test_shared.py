"""What the engines share, without any of them: which files a path stands for, what is sampled, and folders that are written as a whole."""

import gzip
import os
import pickle
import subprocess
import sys

import pytest

import ocior
from ocior._engines import reading
from ocior._engines.files import files_of, parts_of
from ocior._engines.folder import Folder
from ocior.lines import Part

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture
def folder(tmp_path):
    for name in ("b.jsonl", "a.json", ".hidden", "_log", "sub/c.gz", ".git/d", "sub/_tmp/e"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}\n")
    return tmp_path


@pytest.mark.parametrize("as_url", [False, True], ids=["path", "url"])
@pytest.mark.parametrize(
    "asked, files",
    [
        ("", ["a.json", "b.jsonl", "sub/c.gz"]),
        ("b.jsonl", ["b.jsonl"]),
        ("missing", ["missing"]),
        ("*.json*", ["a.json", "b.jsonl"]),
        ("**/*.gz", ["sub/c.gz"]),
        ("*.csv", []),
        ("_log", ["_log"]),
    ],
)
def test_files(folder, asked, files, as_url):
    if as_url:
        pytest.importorskip("fsspec")
    prefix = folder.as_uri() if as_url else str(folder)
    assert files_of(f"{prefix}/{asked}" if asked else prefix) == [f"{prefix}/{file}" for file in files]


def test_lists_of_files(folder):
    assert files_of([folder / "b.jsonl", str(folder / "a.*"), folder / "b.jsonl"]) == [
        str(folder / name) for name in ("b.jsonl", "a.json", "b.jsonl")
    ]
    assert files_of("https://example.org/a?b=*") == ["https://example.org/a?b=*"]
    assert files_of("lines.jsonl") == [os.path.abspath("lines.jsonl")]  # a worker may stand elsewhere
    odd = folder / "[1]"
    odd.write_bytes(b"")
    assert files_of(odd) == [str(odd)]


def test_parts(folder):
    (folder / "b.jsonl").write_bytes(b"{}\n" * 4)
    (folder / "sub/c.gz").write_bytes(gzip.compress(b"{}\n" * 4))
    names = [str(folder / name) for name in ("a.json", "b.jsonl", "sub/c.gz")]
    assert parts_of(folder, 6, None) == [Part(names[0], 0, 3), Part(names[1], 0, 6), Part(names[1], 6, 12), Part(names[2])]
    assert parts_of(folder, 6, None, is_whole=True) == [Part(name) for name in names]
    (folder / "empty").write_bytes(b"")
    assert parts_of(folder / "empty", 6, None) == [Part(folder / "empty")]
    with pytest.raises(FileNotFoundError):
        parts_of(folder / "*.csv", 6, None)


def test_samples(tmp_path, monkeypatch):
    options = {"storage_options": None}
    monkeypatch.setattr(reading, "SAMPLE_BYTES", 10)
    small = [Part("a", 0, 40), Part("a", 40, 80), Part("b", 0, 10)]
    assert list(reading.sample_of(small, options)) == small
    large = [Part(f"{file}", begin, begin + 50) for file in range(7) for begin in range(0, 250, 50)]
    assert list(reading.sample_of(large, options)) == [Part(f"{file}", begin, begin + 10) for file in (0, 3, 6) for begin in (0, 100, 200)]
    whole = [Part("a"), Part("b")]
    assert list(reading.sample_of(whole, {**options, "at": "/rows"})) == whole
    path = tmp_path / "packed"
    path.write_bytes(gzip.compress(b"1234\n" * 100))
    (head,) = reading.sample_of([Part(path)], options)
    assert head.name == str(path) and b"".join(iter(lambda: head.read(1), b"")) == b"1234\n" * 2


def test_a_reading_pickles_without_its_parts(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    made = reading.Reading(path)
    again = pickle.loads(pickle.dumps(made))
    assert again.parts == [] and again.schema == made.schema
    assert again.table(made.parts[0]).to_pylist() == [{"a": 1}]


def test_plain_schemas():
    nested = pyarrow.struct([("u", pyarrow.uint64()), ("j", pyarrow.list_(pyarrow.json_()))])
    schema = pyarrow.schema([("a", pyarrow.json_()), ("b", pyarrow.list_(nested)), ("c", pyarrow.uint16())])
    plain = pyarrow.struct([("u", pyarrow.uint64()), ("j", pyarrow.list_(pyarrow.string()))])
    assert reading.plain_schema(schema) == pyarrow.schema([("a", pyarrow.string()), ("b", pyarrow.list_(plain)), ("c", pyarrow.uint16())])
    signed = reading.plain_schema(schema, unsigned=False)
    assert signed.field("b").type.value_type.field("u").type == pyarrow.decimal128(20, 0)
    assert signed.field("c").type == pyarrow.int32()


# --- folders -------------------------------------------------------------------------------------------------------

ROWS = pyarrow.table({"a": [1, 2]})


@pytest.mark.parametrize("as_url", [False, True], ids=["path", "url"])
def test_a_folder_shows_what_was_committed(tmp_path, as_url):
    if as_url:
        pytest.importorskip("fsspec")
    out = tmp_path / "deep" / "out"
    with Folder(out.as_uri() if as_url else out) as folder:
        worker = pickle.loads(pickle.dumps(folder))
        names = [worker.write(ROWS, 1), worker.write(ROWS, 0), worker.write(ROWS, 1)]
        assert files_of(out) == []
        folder.commit([*names[:2], None])
    files = sorted(os.listdir(out))
    assert [file.rpartition("-")[0] for file in files] == ["part-00000", "part-00001"]
    assert [(out / file).read_bytes() for file in files] == [b'{"a":1}\n{"a":2}\n'] * 2


def test_a_folder_that_is_not_committed_stays_empty(tmp_path):
    with pytest.raises(ZeroDivisionError), Folder(tmp_path) as folder:
        folder.write(ROWS, 0)
        1 / 0
    assert os.listdir(tmp_path) == []


def test_overwriting_removes_what_was_written_before_and_nothing_else(tmp_path):
    for overwrite, count in ((False, 2), (False, 3), (True, 2)):
        with Folder(tmp_path, overwrite=overwrite, compression="gzip") as folder:
            folder.commit([folder.write(ROWS, 0)])
        (tmp_path / "mine").write_text("")
        assert len(os.listdir(tmp_path)) == count


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no SIGKILL")
def test_a_writer_that_is_killed_shows_nothing(tmp_path):
    """In the middle of its file."""
    program = """
import os, pickle, pyarrow, signal, sys
folder = pickle.loads(bytes.fromhex(sys.argv[1]))
def batches():
    yield pyarrow.record_batch({"a": ["x" * 1_000_000]})
    yield pyarrow.record_batch({"a": ["x" * 1_000_000]})
    os.kill(os.getpid(), signal.SIGKILL)
folder.write(pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"a": pyarrow.string()}), batches()), 0)
"""
    with Folder(tmp_path) as folder:
        assert subprocess.run([sys.executable, "-c", program, pickle.dumps(folder).hex()], check=False).returncode == -9
        folder.commit([folder.write(ROWS, 0)])
    assert [name.partition("-")[0] for name in os.listdir(tmp_path)] == ["part"]


def test_no_engine_is_imported_with_ocior():
    program = "import sys, ocior; sys.exit(any(name in sys.modules for name in ('ray', 'dask', 'pyspark', 'pyarrow', 'ocior._engines')))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
