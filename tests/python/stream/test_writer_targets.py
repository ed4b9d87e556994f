"""Compressed lines, lines for URLs, and what has to be installed for them."""

import gzip
import io
import subprocess
import sys
import zlib

import pytest
from line_writers import COMPRESSIONS, EACH_WAY, ENDS, RECORDS, TEXT, needs_fsspec
from support import check_python

from ocior._stream.writing import Writer, write

# ---- compression ----


@EACH_WAY
@pytest.mark.parametrize("compression, suffix, decompress", COMPRESSIONS)
def test_compression(tmp_path, way, compression, suffix, decompress):
    inferred, upper, told = tmp_path / f"a.jsonl{suffix}", tmp_path / f"b{suffix.upper()}", tmp_path / "c.jsonl"
    assert way(RECORDS * 40, inferred) == way(RECORDS * 40, upper) == way(RECORDS * 40, told, compression=compression) == 12_000
    for path in (inferred, upper, told):
        assert decompress(path.read_bytes()) == TEXT * 40 and path.stat().st_size < len(TEXT)
    assert way(RECORDS, inferred, compression=None) == 300 and inferred.read_bytes() == TEXT
    assert way(RECORDS, io.BytesIO()) == 300


@EACH_WAY
@pytest.mark.parametrize("compression, suffix, decompress", COMPRESSIONS)
@pytest.mark.parametrize("buffering", [-1, 0])
def test_compression_of_files(tmp_path, way, compression, suffix, decompress, buffering):
    with open(tmp_path / f"named{suffix}", "w+b", buffering) as file:
        assert way(RECORDS, file) == 300  # the name of a file that is lent says nothing
        file.seek(0)
        assert file.read() == TEXT
        file.truncate(0)
        file.seek(0)
        assert way(RECORDS, file, compression=compression) == way([1], file, compression=compression, append=True) + 299
        file.seek(0)
        assert decompress(file.read()) == TEXT + b"1\n"
    with pytest.raises(ValueError, match=f"{compression} makes bytes"):
        way(RECORDS, io.StringIO(), compression=compression)


@pytest.mark.parametrize("compression, suffix, decompress", COMPRESSIONS)
def test_a_compressor_without_lines(tmp_path, compression, suffix, decompress):
    write([], tmp_path / f"file{suffix}")
    data = (tmp_path / f"file{suffix}").read_bytes()
    assert data == b"" or decompress(data) == b""


def test_flush_of_gzip(tmp_path):
    with Writer(tmp_path / "file.gz") as writer:
        writer.write_all(RECORDS)
        writer.flush()
        assert zlib.decompressobj(31).decompress((tmp_path / "file.gz").read_bytes()) == TEXT


def test_what_zstd_needs(tmp_path):
    check_python(
        """
        import sys
        for name in ("compression", "compression.zstd", "backports", "backports.zstd", "zstandard"):
            sys.modules[name] = None
        from ocior._stream.writing import write
        path = sys.argv[1]
        open(path, "w").write("old")
        try:
            write([1], path)
        except ImportError as error:
            assert "writing zstd needs" in str(error) and "pip install backports.zstd" in str(error), error
        else:
            raise SystemExit("no error")
        assert open(path).read() == "old"
        """,
        str(tmp_path / "file.zst"),
    )


# ---- URLs ----


@needs_fsspec
@EACH_WAY
def test_urls(way):
    import fsspec

    system = fsspec.filesystem("memory")
    assert way(RECORDS, "memory://some/file.jsonl") == 300 and system.cat_file("/some/file.jsonl") == TEXT
    assert way(RECORDS, "memory://some/file.jsonl.gz") == 300 and gzip.decompress(system.cat_file("/some/file.jsonl.gz")) == TEXT
    for there, between in ENDS:
        system.pipe_file("/some/torn", there)
        assert way([1], "memory://some/torn", append=True, storage_options={}) == 1
        assert system.cat_file("/some/torn") == there + between + b"1\n"
    with Writer("memory://some/name") as writer:
        assert writer.name == "memory://some/name"


@needs_fsspec
def test_storage_options(tmp_path):
    url = f"file://{tmp_path.as_posix()}/new/file"
    with pytest.raises(FileNotFoundError):
        write([1], url)
    assert write([1], url, storage_options={"auto_mkdir": True}) == 1 and (tmp_path / "new" / "file").read_bytes() == b"1\n"


def test_what_urls_need():
    check_python("""
        import sys
        sys.modules["fsspec"] = sys.modules["fsspec.core"] = None
        from ocior._stream.writing import write
        try:
            write([1], "s3://bucket/key")
        except ImportError as error:
            assert "writing 's3://bucket/key' needs" in str(error) and "pip install fsspec" in str(error), error
        else:
            raise SystemExit("no error")
    """)


def test_import_stays_lean():
    code = "import sys, ocior; before = set(sys.modules); import ocior._stream.writing; print(*sorted(set(sys.modules) - before))"
    new = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(new) <= {"ocior._stream", "ocior._stream.writing"}
