"""`--to`: the records of the input as a table in a file of another kind."""

import gzip
import io
import os
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

import pytest
from command_line import NEEDS_POSIX, run

from ocior.tool import main

LINES = b'{"id": 1, "tags": ["a", "b"], "deep": {"x": null}}\n\n{"id": 2, "odd": {}, "late": "\xe4\xb8\xad, \\"x\\""}\n'
ROWS = [
    {"id": 1, "tags": ["a", "b"], "deep": {"x": None}, "odd": None, "late": None},
    {"id": 2, "tags": None, "deep": None, "odd": {}, "late": '\u4e2d, "x"'},
]
DOCUMENT = b'{"more": 1, "rows": [' + b", ".join(LINES.split(b"\n\n")).strip() + b"]}"


def outcome(*arguments, input=b""):
    """Status, output and message of the command, in this process: pyarrow takes long to import."""
    stdout, stderr = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    status, said = 0, ""
    with redirect_stdout(stdout), redirect_stderr(stderr), mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(input), "utf-8")):
        try:
            main(arguments)
        except SystemExit as error:
            status, said = (error.code, "") if isinstance(error.code, int) else (1, f"{error.code}\n")
    return status, stdout.buffer.getvalue(), stderr.getvalue() + said


def outcome_of_process(*arguments, **keywords):
    done = run(*arguments, **keywords)
    return done.returncode, done.stdout, done.stderr.decode()


def rows_in(to, data):
    """The rows of a file, empty objects and JSON text as they were."""
    if to == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        table = parquet.read_table(io.BytesIO(data))
    else:
        table = pytest.importorskip("pyarrow").ipc.open_file(io.BytesIO(data)).read_all()
    table.validate(full=True)
    return [{**row, "odd": {} if row.get("odd") == "{}" else row.get("odd")} if "odd" in row else row for row in table.to_pylist()]


@pytest.fixture(autouse=True)
def _needs_pyarrow(request):
    if "without" not in request.node.name:
        pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize("to", ["parquet", "arrow"])
@pytest.mark.parametrize(
    "content, options", [(LINES, ()), (gzip.compress(LINES), ()), (DOCUMENT, ("--at", "/rows")), (LINES.decode().encode("utf-16"), ())]
)
def test_files(to, content, options, tmp_path):
    infile, outfile = tmp_path / "in.jsonl", tmp_path / "out"
    infile.write_bytes(content)
    assert outcome("--to", to, *options, str(infile), str(outfile)) == (0, b"", "")
    assert rows_in(to, outfile.read_bytes()) == ROWS


@pytest.mark.parametrize("to", ["parquet", "arrow"])
def test_standard_streams(to):
    """A pipe is read once and its copy twice."""
    status, shown, message = outcome_of_process("--to", to, input=LINES)
    assert (status, message) == (0, "") and rows_in(to, shown) == ROWS
    status, shown, message = outcome("--to", to, "--at", "/rows", input=gzip.compress(DOCUMENT))
    assert (status, message) == (0, "") and rows_in(to, shown) == ROWS


def test_csv(tmp_path):
    """What is nested is JSON text there."""
    expected = b'"id","tags","deep","odd","late"\n1,"[""a"", ""b""]","{""x"": null}",,\n2,,,"{}","\xe4\xb8\xad, ""x"""\n'
    infile = tmp_path / "in.jsonl"
    infile.write_bytes(LINES)
    assert outcome("--to", "csv", str(infile)) == (0, expected, "")
    assert outcome("--to", "csv", input=LINES) == (0, expected, "")
    mixed = b'{"a": 1}\n{"a": "x"}\n{"a": [2]}\n'
    assert outcome("--to", "csv", input=mixed) == (0, b'"a"\n"1"\n"""x"""\n"[2]"\n', "")


def test_columns(tmp_path):
    assert outcome("--to", "csv", "--columns", "late,id", input=LINES) == (0, b'"late","id"\n,1\n"\xe4\xb8\xad, ""x""",2\n', "")
    outfile = tmp_path / "out"
    assert outcome("--to", "arrow", "--columns=id,never", "-", str(outfile), input=LINES) == (0, b"", "")
    assert rows_in("arrow", outfile.read_bytes()) == [{"id": 1, "never": None}, {"id": 2, "never": None}]


@pytest.mark.parametrize("to", ["parquet", "arrow"])
def test_mixed_and_late(to, tmp_path):
    """Types are those of all records, however many there are."""
    content = b"".join(b'{"id": %d, "text": "%s"}\n' % (number, b"x" * 100) for number in range(50_000))
    content += b'{"id": 18446744073709551615, "late": [1]}\n{"id": 1, "late": [0.5], "text": {"a": 1}}\n'
    infile, outfile = tmp_path / "in.jsonl", tmp_path / "out"
    infile.write_bytes(content)
    assert outcome("--to", to, str(infile), str(outfile)) == (0, b"", "")
    rows = rows_in(to, outfile.read_bytes())
    assert len(rows) == 50_002 and rows[7]["id"] == 7 and rows[7]["late"] is None
    assert rows[-2]["id"] == 2**64 - 1 and [row["late"] for row in rows[-2:]] == [[1.0], [0.5]]
    assert rows[0]["text"] == f'"{"x" * 100}"' and rows[-1]["text"].replace(" ", "") == '{"a":1}'


@pytest.mark.parametrize("to", ["parquet", "arrow", "csv"])
@pytest.mark.parametrize("content", [b"", b"\n\n", b"{}\n{}\n", b'{"a": null}\n', b'{"a": []}\n'])
def test_little(to, content, tmp_path):
    outfile = tmp_path / "out"
    status, shown, message = outcome("--to", to, "-", str(outfile), input=content)
    assert (status, shown, message) == (0, b"", "")
    if to != "csv" and b"a" in content:
        assert len(rows_in(to, outfile.read_bytes())) == 1


@pytest.mark.parametrize("by_name", [True, False])
def test_bad_records(by_name, tmp_path):
    """Nothing is written."""
    infile, outfile = tmp_path / "in.jsonl", tmp_path / "out"
    infile.write_bytes(LINES + b"[1]\n")
    given = {} if by_name else {"input": infile.read_bytes()}
    status, shown, message = outcome("--to", "parquet", str(infile) if by_name else "-", str(outfile), **given)
    assert (status, shown) == (1, b"") and not outfile.exists()
    assert "line 4 column 1" in message and (str(infile) if by_name else "standard input") in message and "Traceback" not in message


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("--to json", "argument --to: invalid choice"),
        ("--to csv --items", "argument --items: not allowed with argument --to"),
        ("--to csv --at /a --at /b", "argument --to: allowed with one --at only"),
        ("--to csv --at /a --json-lines", "argument --json-lines: not allowed with arguments --to and --at"),
        ("--columns a", "argument --columns: allowed with argument --to only"),
        ("--to csv --at a", "a JSON pointer is empty or begins with '/'"),
    ],
)
def test_wrong_options(arguments, message):
    status, shown, text = outcome(*arguments.split(), input=LINES)
    assert (status, shown) == (2, b"") and message in text


def test_files_that_will_not_do(tmp_path):
    infile = tmp_path / "in.jsonl"
    infile.write_bytes(LINES)
    status, _, message = outcome("--to", "csv", str(infile), str(infile))
    assert (status, message) == (1, "cannot write over the input: what is written is not JSON\n") and infile.read_bytes() == LINES
    status, _, message = outcome("--to", "csv", str(tmp_path / "none"))
    assert (status, message) == (1, f"cannot read {tmp_path / 'none'}: No such file or directory\n")
    status, _, message = outcome("--to", "csv", str(infile), str(tmp_path / "none" / "out"))
    assert status == 1 and message.startswith(f"cannot write {tmp_path / 'none' / 'out'}: ")
    status, _, message = outcome("--to", "csv", "--at", "/nowhere", input=DOCUMENT)
    assert status == 1 and "/nowhere" in message and "Traceback" not in message
    status, _, message = outcome("--to", "csv", input=gzip.compress(LINES)[:-9])
    assert status == 1 and message.startswith("cannot read standard input: Compressed file ended")


@NEEDS_POSIX
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_full_device():
    with open("/dev/full", "wb") as full:
        status, _, message = outcome_of_process("--to", "csv", input=LINES, stdout=full)
    assert status == 1 and message.startswith("cannot write standard output: ") and "Traceback" not in message


def test_without_pyarrow(tmp_path):
    """What is missing is said, as for a wrong option."""
    (tmp_path / "pyarrow.py").write_text("raise ImportError('none here')")
    done = run("--to", "csv", input=LINES, path=[str(tmp_path)])
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().endswith("error: argument --to: csv needs pyarrow, which cannot be imported: none here\n")
    # Nothing else of the command needs it.
    assert run("--compact", input=b"[1]", path=[str(tmp_path)]).stdout == b"[1]\n"


@NEEDS_POSIX
def test_nothing_for_a_terminal():
    import pty

    ours, theirs = pty.openpty()
    try:
        status, _, message = outcome_of_process("--to", "parquet", input=LINES, stdout=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert status == 2 and "parquet is not for a terminal" in message


def test_the_command_imports_little():
    done = run(flags=("-X", "importtime"), input=b"[1]")
    assert b"ocior._tool.tables" not in done.stderr and b"pyarrow" not in done.stderr
    assert done.returncode == 0
