"""The command line: what `python -m json.tool` of the running interpreter prints, in all its options; errors, exit statuses,
rewriting in place, JSON Lines as a stream. Colours and the progress bar are in tool/test_terminal.py."""

import errno
import io
import itertools
import json.tool
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import types

import command_line
import pytest
from command_line import NEEDS_POSIX, run, text_of
from pages import blocks

import ocior
from ocior import tool
from ocior._tool import replacing


def run_main(main, arguments, monkeypatch, tmp_path, stdin=b"", errors="strict"):
    """(status, output, message) of a main function in this process, with standard streams as a UTF-8 locale has them.

    The streams are those of a process that was given files, so `main` may close them, and write below them.
    """
    (tmp_path / "stdin").write_bytes(stdin)
    for name in ("PYTHON_COLORS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    status, message = 0, ""
    with (
        open(tmp_path / "stdin", encoding="utf-8", errors=errors, newline="\n") as source,
        open(tmp_path / "stdout", "w", encoding="utf-8", errors=errors, newline="\n") as sink,
        monkeypatch.context() as patch,
    ):
        patch.setattr(sys, "argv", ["tool", *arguments])
        patch.setattr(sys, "stdin", source)
        patch.setattr(sys, "stdout", sink)
        patch.setattr(sys, "stderr", io.StringIO())
        try:
            main()
        except SystemExit as error:
            if error.code is not None:
                status, message = (error.code, sys.stderr.getvalue()) if isinstance(error.code, int) else (1, str(error.code))
    return types.SimpleNamespace(status=status, stdout=(tmp_path / "stdout").read_bytes(), message=message)


def test_whose_tool():
    """json.tool was imported first here, and must not be what `from ocior import tool` finds."""
    assert (tool.__name__, json.tool.__name__) == ("ocior.tool", "json.tool")


@pytest.mark.parametrize("module", ["ocior", "ocior.tool"])
def test_version(module):
    done = run("--version", module=module, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ocior {ocior.__version__}\n".encode(), b"")


OPTIONS = [
    "",
    "--sort-keys",
    "--no-ensure-ascii",
    "--indent 2",
    "--indent 0",
    "--indent -3",
    "--tab",
    "--no-indent",
    "--compact",
    "--compact --sort-keys --no-ensure-ascii",
    "--json-lines",
    "--json-lines --compact",
    "--json-lines --no-indent --sort-keys",
    "--json-lines --tab --no-ensure-ascii",
    "--ind 1",
]

DOCUMENTS = {
    "nested": b' {"b":[1,2.5,-0.0,1e400,{}],"a":{"c":[],"\xc3\xa9":null,"":true}} ',
    "scalars": b'[NaN,-Infinity,Infinity,1E5,12345678901234567890123,"\\u0000\\ud83d\\ude00\\ud800x\\/\\b"]',
    "script": '["中文", "\U0001f600", "\u2028\x7f", "\\"\\\\"]'.encode(),
    "string": b'"x"',
    "number": b"12",
    "literal": b"null\n",
    "twice the key": b'{"a":1,"b":2,"a":3}',
    "lines": b'{"a":1}\n[2, "\xc3\xa9"]\n"three"',
    "lines with an end": b'{"b":1,"a":2}\n2\n',
    "lines, CRLF": b'{"a":1}\r\n2\r\n',
    "lines, CR": b"1\r2\r3",
    "line, CR LF and LF": b"[1,\r\n\n\r\r\n2]",
    "blank line": b'{"a":1}\n\n2\n',
    "blank": b" \t\n",
    "empty": b"",
    "trailing comma": b"[1,]",
    "after CRLF": b"[1,\r\n\r 2,,]",
    "cut": b'{"a": [1, 2',
    "extra": b"1 2",
    "no JSON": b"hello",
    "control": b'"a\x0cb"',
    "CR in a string": b'["a\rb"]',
    "wrong line": b"1\n[2, 3}\n4\n",
    "digits": b"[" + b"1" * 5000 + b"]",
    "NUL and lines": b"\0{}\n",
    "NUL and a line": b'\0{"a":1}\n2\n',
    "NUL later": b"1\0\n2\n",
    "NULs": b"\0\0{}\n1\n",
    "only NULs": b"\0\0\0\0\n",
    "byte order mark": b"\xef\xbb\xbf[1]",
    "byte order mark later": b"1\n\xef\xbb\xbf2\n",
    "NUL": b"\0",
    "NUL in a string": b'"\0"',
    "no UTF-8": b'["\xff"]',
    "cut UTF-8": b'"\xe4\xb8',
    "deep": b"[" * 100 + b"]" * 100,
}

# Where the text has characters that UTF-8 lacks, json.tool stops after some tokens, and counts within one of them.
ABOUT_ENCODING = "codec can't encode"


def same(ours, theirs):
    if ABOUT_ENCODING in theirs.message:
        assert ours.status == 1 and ABOUT_ENCODING in ours.message
        return
    first_line = ours.message.split("\n")[0]
    if "unexpected end of data" in first_line:  # among lines, json.tool counts from where its buffer began
        first_line = first_line.replace("position 1-2", "position 0-1") if "0-1" in theirs.message else first_line
    assert first_line == theirs.message
    assert (ours.status, ours.stdout) == (theirs.status, theirs.stdout)


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
@pytest.mark.parametrize("options", OPTIONS)
def test_stdin_as_json_tool(options, errors, monkeypatch, tmp_path):
    """surrogateescape is what the locales C and C.UTF-8 give standard streams."""
    for document in [*DOCUMENTS.values(), b'["\xed\xa0\x80"]']:
        if document.startswith(b'["\xed') and errors == "strict":
            continue  # see test_lone_surrogates_in_utf8
        theirs = run_main(json.tool.main, options.split(), monkeypatch, tmp_path, document, errors)
        same(run_main(tool.main, options.split(), monkeypatch, tmp_path, document, errors), theirs)


@pytest.mark.parametrize("options", OPTIONS[::2])
def test_file_as_json_tool(options, monkeypatch, tmp_path):
    infile, outfile = tmp_path / "in.json", tmp_path / "out.json"
    for document in DOCUMENTS.values():
        infile.write_bytes(document)
        theirs = run_main(json.tool.main, [*options.split(), str(infile)], monkeypatch, tmp_path)
        if theirs.message == "I/O operation on closed file.":  # no version before 3.14 can read lines from a file
            unified = document.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            theirs = run_main(json.tool.main, options.split(), monkeypatch, tmp_path, unified)
        same(run_main(tool.main, [*options.split(), str(infile)], monkeypatch, tmp_path), theirs)
        copied = run_main(tool.main, [*options.split(), str(infile), str(outfile)], monkeypatch, tmp_path)
        assert copied.stdout == b""
        if copied.status == 0:
            copied.stdout = text_of(outfile)
            same(copied, theirs)


def test_text_streams(monkeypatch):
    """A program that has put text files in the place of the standard streams."""
    for options, given, expected in ((["--compact"], "[1, 2]", "[1,2]\n"), (["--json-lines"], "1\n2", "1\n2\n")):
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        tool.main(options)
        assert sys.stdout.getvalue() == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO('["é"]\n[1]'.encode("utf-16")), "utf-16"))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "latin-1", newline="\n"))
    tool.main(["--json-lines", "--no-ensure-ascii", "--compact"])
    assert sys.stdout.buffer.getvalue() == b'["\xe9"]\n[1]\n'


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("options", [[], ["--json-lines"]])
def test_other_encodings(encoding, options, monkeypatch, tmp_path):
    infile = tmp_path / "in.json"
    infile.write_bytes('["\xe9\u4e2d\U0001f600"]\r\n'.encode(encoding))
    options = [*options, "--compact", "--no-ensure-ascii"]
    done = run_main(tool.main, [*options, str(infile)], monkeypatch, tmp_path)
    assert done.message == "" and done.stdout.decode() == '["\xe9\u4e2d\U0001f600"]\n'
    assert run_main(tool.main, options, monkeypatch, tmp_path, infile.read_bytes()).stdout == done.stdout


def feed(process, source, sink, piece):
    """Writes `piece` into the pipe, and waits until the process has taken it."""
    import fcntl
    import termios

    os.write(sink, piece)
    deadline = time.monotonic() + 30
    while process.poll() is None and any(fcntl.ioctl(source, termios.FIONREAD, bytes(4))):
        assert time.monotonic() < deadline
        time.sleep(0.005)


@NEEDS_POSIX
@pytest.mark.parametrize(
    "pieces, expected",
    [
        ([b"\xff", b"\xfe[\0001\0]\0\n\0"], b"[1]\n"),
        ([b"\xff\xfe", b"\0\0[\0\0\0]\0\0", b"\0\n\0\0\0"], b"[]\n"),
        ([b"\0", b"[", b"\0", b"]\0\n\0[\0]"], b"[]\n[]\n"),
        ([b'"', b'\0\x2d\x4e"\0\n\0'], b'"\\u4e2d"\n'),
        ([b"1", b"2", b"\n[", b"3]\n"], b"12\n[3]\n"),
        ([b"1"], b"1\n"),
        ([b"[]\n1"], b"[]\n1\n"),
        ([], b""),
        ([b"1\n", None, b"2\n", None], b"1\n2\n"),  # None: the output so far is there before anything else comes
    ],
)
@pytest.mark.parametrize("blocking", [True, False])
def test_pieces_of_lines(pieces, expected, blocking):
    """A pipe may bring less than what tells the encoding, and may be one that does not wait."""
    source, sink = os.pipe()
    os.set_blocking(source, blocking)
    with subprocess.Popen(
        command_line.command("--json-lines", "--compact"),
        stdin=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=command_line.environment(PYTHONUNBUFFERED="1"),
    ) as process:
        shown = b""
        for piece in pieces:
            if piece is None:
                shown += process.stdout.readline()
                assert shown == expected[: len(shown)] != b""
            else:
                feed(process, source, sink, piece)
        os.close(source)
        os.close(sink)
        shown += process.stdout.read()
        assert (process.wait(30), shown, process.stderr.read()) == (0, expected, b"")


@NEEDS_POSIX
def test_stdin_that_does_not_wait():
    """One document, too."""
    source, sink = os.pipe()
    os.set_blocking(source, False)
    with subprocess.Popen(
        command_line.command("--compact"), stdin=source, stdout=subprocess.PIPE, env=command_line.environment()
    ) as process:
        for piece in (b"[1", b",", b"2]"):
            feed(process, source, sink, piece)
        os.close(source)
        os.close(sink)
        assert (process.stdout.read(), process.wait(30)) == (b"[1,2]\n", 0)


def test_byte_order_mark_of_the_stream():
    """The encoding utf-8-sig takes one at the beginning, and no other."""
    env = {"PYTHONIOENCODING": "utf-8-sig"}
    mark = "\ufeff".encode()
    for document in (mark + b"1\n[2]\n", b"1\n2\n", mark + b"1\n" + mark + b"2\n"):
        ours, theirs = [run("--json-lines", input=document, env=env, module=module) for module in ("ocior", "json.tool")]
        assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout)
        assert ours.stderr.split(b"\n")[0] == theirs.stderr.strip()


def test_wrong_utf16(monkeypatch, tmp_path):
    for document, message in (("\ufeff[1,".encode("utf-16-le"), "Expecting value"), (b"\xff\xfe[\0x", "truncated data")):
        done = run_main(tool.main, [], monkeypatch, tmp_path, document)
        assert done.status == 1 and message in done.message


def test_lone_surrogates_in_utf8(monkeypatch, tmp_path):
    """ocior reads them, like json.loads; json.tool decodes with other rules, and refuses."""
    assert run_main(tool.main, [], monkeypatch, tmp_path, b'"\xed\xa0\x80"').stdout == b'"\\ud800"\n'


# --- errors --------------------------------------------------------------------------------------------------------


def test_place_of_an_error(monkeypatch, tmp_path):
    """The first line is json.tool's, then the line of a file of lines, and what the exception knows."""
    infile = tmp_path / "in.jsonl"
    infile.write_bytes(b'{"a": [1, 2]}\r\n{"a": [1, oops]}\r\n')
    with pytest.raises(json.JSONDecodeError) as caught:
        ocior.loads('{"a": [1, oops]}\n')
    path, snippet = getattr(caught.value, "path", None), getattr(caught.value, "snippet", None)
    done = run_main(tool.main, ["--json-lines", "--compact", str(infile)], monkeypatch, tmp_path)
    lines = [str(caught.value), f"  line 2 of {infile}" + (f", at {path}" if path else "")]
    lines += [f"  {line}" for line in snippet.split("\n")] if snippet else []
    assert (done.status, done.stdout, done.message) == (1, b'{"a":[1,2]}\n', "\n".join(lines))


def test_place_is_shown(monkeypatch, tmp_path):
    def refuse(text):
        error = json.JSONDecodeError("No", "[1, x]", 4)
        error.path, error.snippet = "$[1]", "[1, x]\n    ^"
        raise error

    monkeypatch.setattr(ocior, "loads", refuse)
    expected = "No: line 1 column 5 (char 4)\n  at $[1]\n  [1, x]\n      ^"
    assert run_main(tool.main, [], monkeypatch, tmp_path, b"[1, x]").message == expected
    expected = "No: line 1 column 5 (char 4)\n  line 1 of standard input, at $[1]\n  [1, x]\n      ^"
    assert run_main(tool.main, ["--json-lines"], monkeypatch, tmp_path, b"[1, x]").message == expected


@pytest.mark.parametrize(
    "infile, outfile, message",
    [
        ("none.json", None, "cannot read none.json: No such file or directory"),
        pytest.param(".", None, "cannot read .: Is a directory", marks=NEEDS_POSIX),
        ("good.json", "none/out.json", "cannot write none/out.json: No such file or directory"),
        pytest.param("good.json", ".", "cannot write .: Is a directory", marks=NEEDS_POSIX),
        ("bad.json", "none/out.json", "Expecting value: line 1 column 1 (char 0)"),
        pytest.param("good.json", "/dev/full", "cannot write /dev/full: No space left on device", marks=NEEDS_POSIX),
    ],
)
def test_files_that_will_not_do(infile, outfile, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.json").write_text("[1]")
    (tmp_path / "bad.json").write_text("")
    done = run_main(tool.main, [infile, outfile] if outfile else [infile], monkeypatch, tmp_path)
    assert (done.status, done.stdout, done.message.split("\n")[0]) == (1, b"", message)


def test_a_wrong_document_opens_no_output(monkeypatch, tmp_path):
    infile, outfile = tmp_path / "in.json", tmp_path / "out.json"
    infile.write_bytes(b"[1,")
    assert run_main(tool.main, [str(infile), str(outfile)], monkeypatch, tmp_path).status == 1
    assert not outfile.exists()


@pytest.mark.parametrize("arguments", ["--indent x", "--tab --compact", "--indent 1 --no-indent", "a b c", "--nothing"])
def test_wrong_options(arguments, monkeypatch, tmp_path):
    done = run_main(tool.main, arguments.split(), monkeypatch, tmp_path)
    assert done.status == 2 and "usage: python -m ocior" in done.message


def test_too_deep(monkeypatch, tmp_path):
    done = run_main(tool.main, [], monkeypatch, tmp_path, b"[" * 200_000)
    assert done.status == 1 and "recursion" in done.message


def test_interrupt(monkeypatch, tmp_path):
    def interrupt(text):
        raise KeyboardInterrupt

    monkeypatch.setattr(ocior, "loads", interrupt)
    done = run_main(tool.main, [], monkeypatch, tmp_path, b"1")
    assert (done.status, done.stdout, done.message) == (130, b"", "")


# --- processes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["ocior", "ocior.tool"])
def test_commands(module):
    done = run(input=b'{"a": [1, "\xc3\xa9"]}', module=module)
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{\n    "a": [\n        1,\n        "\\u00e9"\n    ]\n}\n', b"")
    done = run(input=b"[1", module=module)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"Expecting ',' delimiter: line 1 column 3 (char 2)\n")
    done = run("-h", module=module)
    assert done.returncode == 0 and done.stdout.startswith(b"usage: python -m ocior ") and done.stderr == b""


@pytest.mark.parametrize(
    "env, expected",
    [
        ({"PYTHONIOENCODING": "latin-1"}, b'"\xe9"\n'),
        ({"PYTHONIOENCODING": "utf-8:surrogateescape"}, b'"\xe9"\n'),
        ({"PYTHONIOENCODING": "utf-8"}, None),
        ({"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "latin-1"}, b'"\xe9"\n'),
    ],
)
def test_encoding_of_standard_streams(env, expected):
    """Bytes pass in and out by the encoding and the error handler of the streams."""
    done = run("--no-ensure-ascii", input=b'"\xe9"', env=env)
    assert done.stdout == (expected or b"") and done.returncode == (0 if expected else 1)


@NEEDS_POSIX
def test_broken_pipe():
    """As json.tool: the status is EPIPE, and nobody complains, whether the text fits a buffer or not."""
    for document, env in itertools.product((b"1", b"[" + b"1," * 500_000 + b"1]"), ({}, {"FORCE_COLOR": "1"})):
        with subprocess.Popen(
            command_line.command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=command_line.environment(**env),
        ) as process:
            process.stdout.close()
            process.stdin.write(document)
            process.stdin.close()
            assert process.stderr.read() == b""
            assert process.wait(30) == errno.EPIPE


@NEEDS_POSIX
@pytest.mark.parametrize("env", [{}, {"FORCE_COLOR": "1"}])
@pytest.mark.parametrize("document", [b"1", b"[" + b"1," * 500_000 + b"1]"])
def test_full_device(document, env):
    with open("/dev/full", "wb") as full:
        done = run(input=document, stdout=full, env=env)
    assert (done.returncode, done.stderr) == (1, b"cannot write standard output: No space left on device\n")


def test_output_before_the_wrong_line_and_the_message_after_it():
    done = run("--json-lines", "--compact", input=b"1\n[2]\nx\n3\n", stderr=subprocess.STDOUT)
    assert done.stdout.startswith(b"1\n[2]\nExpecting value: line 1 column 1 (char 0)\n  line 3 of standard input")


@NEEDS_POSIX
def test_examples_of_the_page(tmp_path):
    """A session in a shell prints what the page shows."""
    sessions = [block.code for block in blocks("docs/command-line.md") if block.language == "console"]
    assert sessions
    for session in sessions:
        commands = [line[2:] for line in session.splitlines() if line.startswith("$ ")]
        expected = "".join(line for line in session.splitlines(keepends=True) if not line.startswith("$ "))
        script = "\n".join(commands).replace("python -m ocior", f"'{sys.executable}' -m ocior")
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=command_line.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
        )
        assert done.stdout.decode() == expected


def test_little_is_imported():
    """Neither the bar's library nor anything else that takes time."""
    done = run(input=b"1", flags=["-X", "importtime"])
    imported = {line.split(b"|")[-1].strip().decode() for line in done.stderr.splitlines()}
    assert "ocior._tool.writing" in imported
    assert not imported & {"rich", "logging", "asyncio", "unittest", "typing_extensions", "tempfile"}


@NEEDS_POSIX
def test_lines_in_bounded_memory():
    """Two hundred thousand lines, 60 MB, through a pipe: the process stays as small as with two."""
    line = b'{"id": 12345, "name": "' + b"x" * 200 + b'", "list": [1, 2.5, null, true, "abc", {"a": "b"}]}\n'
    if os.environ.get("OCIOR_SANITIZED"):
        pytest.skip("a sanitizer keeps what is freed")
    peaks = []
    for count in (2, 200):
        code = (
            "import ocior.tool, resource, sys; ocior.tool.main(); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        command = [sys.executable, "-c", code, "--json-lines", "--compact"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=command_line.environment()
        ) as process:

            def feed(stream=process.stdin, count=count):
                with stream:
                    for _ in range(count):
                        stream.write(line * 1000)

            feeder = threading.Thread(target=feed)
            feeder.start()
            seen = sum(block.count(b"\n") for block in iter(lambda: process.stdout.read(1 << 20), b""))
            feeder.join()
            assert seen == count * 1000
            peaks.append(int(process.stderr.read()) / 1024)
    assert peaks[1] < peaks[0] + 8, f"{peaks} MB"


# --- in place ------------------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path):
    """A directory with nothing but the file under test."""
    (tmp_path / "place").mkdir()
    path = tmp_path / "place" / "data.json"
    path.write_bytes(b'{"b":1,"a":2}\n')
    return path


def test_in_place(place, monkeypatch, tmp_path):
    place.chmod(0o640)
    assert run_main(tool.main, ["--sort-keys", str(place), str(place)], monkeypatch, tmp_path).status == 0
    assert text_of(place) == b'{\n    "a": 2,\n    "b": 1\n}\n'
    assert stat.S_IMODE(place.stat().st_mode) == (0o666 if sys.platform == "win32" else 0o640)
    assert os.listdir(place.parent) == ["data.json"]


@pytest.mark.parametrize(
    "options, content",
    [([], b'{"b":1,'), ([], b""), ([], b'"\xff"'), (["--json-lines"], b'{"b":1}\n2\noops\n'), (["--no-ensure-ascii"], b'["x", "\\ud800"]')],
)
def test_a_wrong_file_stays(options, content, place, monkeypatch, tmp_path):
    place.write_bytes(content)
    before = place.stat()
    assert run_main(tool.main, [*options, str(place), str(place)], monkeypatch, tmp_path).status == 1
    assert place.read_bytes() == content and os.path.samestat(before, place.stat()) and os.listdir(place.parent) == ["data.json"]


def test_lines_in_place(place, monkeypatch, tmp_path):
    place.write_bytes(b'{"a": [1, 2]}\n' * 100_000)
    assert run_main(tool.main, ["--json-lines", "--compact", str(place), str(place)], monkeypatch, tmp_path).status == 0
    assert text_of(place) == b'{"a":[1,2]}\n' * 100_000


@NEEDS_POSIX
def test_in_place_through_links(place, monkeypatch, tmp_path):
    """Links stay links: the file behind them is new."""
    symbolic, hard = place.parent / "symbolic", place.parent / "hard"
    symbolic.symlink_to("data.json")
    assert run_main(tool.main, ["--indent", "1", str(symbolic), str(symbolic)], monkeypatch, tmp_path).status == 0
    assert symbolic.is_symlink() and text_of(place) == b'{\n "b": 1,\n "a": 2\n}\n'
    hard.hardlink_to(place)
    assert run_main(tool.main, ["--compact", str(symbolic), str(hard)], monkeypatch, tmp_path).status == 0
    assert os.path.samefile(hard, place) and text_of(place) == b'{"b":1,"a":2}\n'
    assert sorted(os.listdir(place.parent)) == ["data.json", "hard", "symbolic"]


def test_in_place_where_no_file_can_be_made(place, monkeypatch, tmp_path):
    def refuse(*arguments, **keywords):
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    assert run_main(tool.main, ["--tab", str(place), str(place)], monkeypatch, tmp_path).status == 0
    assert text_of(place) == b'{\n\t"b": 1,\n\t"a": 2\n}\n'


class OnFullDisk(io.FileIO):
    """An unbuffered file that can be changed, but not grow by more than `room`."""

    room = 12

    def __init__(self, path, mode, buffering):
        super().__init__(path, mode)
        self.most_len = os.fstat(self.fileno()).st_size + self.room

    def write(self, data):
        count = min(len(data), self.most_len - self.tell())
        if count <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data[:count])


@pytest.mark.parametrize("options, status", [("--indent 2", 1), ("--compact", 0), ("--indent 0", 0)])
def test_overwriting_on_a_full_disk(options, status, place, monkeypatch, tmp_path):
    """Where the content itself must be exchanged, none of it is lost before the room for the new one is there."""
    old = b'{"b":1, "a":[2] }\n'
    new = {"--indent 2": old, "--compact": b'{"b":1,"a":[2]}\n', "--indent 0": b'{\n"b": 1,\n"a": [\n2\n]\n}\n'}
    (place.parent / "hard").hardlink_to(place)
    place.write_bytes(old)
    monkeypatch.setattr(replacing, "open", OnFullDisk, raising=False)
    done = run_main(tool.main, [*options.split(), str(place), str(place)], monkeypatch, tmp_path)
    assert done.status == status and ("No space left on device" in done.message) == bool(status)
    assert text_of(place) == new[options]


@pytest.mark.parametrize("indent", ["0", "9"])
def test_interrupt_while_overwriting(indent, place, monkeypatch, tmp_path):
    """Ctrl-C takes effect when the copy is whole."""

    class Interrupted(io.FileIO):
        def __init__(self, path, mode, buffering):
            super().__init__(path, mode)

        def write(self, data):
            count = super().write(data[:4])
            signal.raise_signal(signal.SIGINT)
            return count

    (place.parent / "hard").hardlink_to(place)
    monkeypatch.setattr(replacing, "open", Interrupted, raising=False)
    assert run_main(tool.main, ["--indent", indent, str(place), str(place)], monkeypatch, tmp_path).status == 130
    assert json.loads(text_of(place)) == {"b": 1, "a": 2}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@NEEDS_POSIX
@pytest.mark.parametrize("name, status", [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
@pytest.mark.parametrize("links", [1, 2])
def test_signals_leave_nothing_behind(name, status, links, place):
    if links == 2:
        (place.parent.parent / "hard").hardlink_to(place)
    code = f"import ocior, ocior.tool, signal; ocior.dump = lambda *a, **k: signal.raise_signal(signal.{name}); ocior.tool.main()"
    done = subprocess.run(
        [sys.executable, "-c", code, str(place), str(place)], env=command_line.environment(), timeout=60, stderr=subprocess.PIPE
    )
    assert (done.returncode, done.stderr) == (status, b"")
    assert os.listdir(place.parent) == ["data.json"] and place.read_bytes() == b'{"b":1,"a":2}\n'


def test_signals_of_a_program(place, monkeypatch, tmp_path):
    """A program that handles signals itself, or runs the command in a thread, keeps its handlers."""
    seen = []
    monkeypatch.setattr(ocior, "dump", lambda *a, dump=ocior.dump, **k: (signal.raise_signal(signal.SIGTERM), dump(*a, **k)))
    before = signal.signal(signal.SIGTERM, lambda *arguments: seen.append(arguments[0]))
    try:
        assert run_main(tool.main, ["--tab", str(place), str(place)], monkeypatch, tmp_path).status == 0
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [signal.SIGTERM] and text_of(place) == b'{\n\t"b": 1,\n\t"a": 2\n}\n'
    monkeypatch.undo()
    (place.parent / "hard").hardlink_to(place)
    thread = threading.Thread(target=tool.main, args=[["--compact", str(place), str(place)]])
    thread.start()
    thread.join()
    assert text_of(place) == b'{"b":1,"a":2}\n'


def test_in_place_by_redirection(place):
    """Standard input or output may be the other file, too: nothing is cut off, and nothing comes in again."""
    with open(place, "rb") as source:
        assert run("--json-lines", "--indent", "1", "-", str(place), stdin=source).returncode == 0
    assert text_of(place) == b'{\n "b": 1,\n "a": 2\n}\n'
    lines = b'{"b":1}\n' * 20_000
    for env in ({}, {"PYTHONUNBUFFERED": "1"}):
        place.write_bytes(lines)
        with open(place, "ab") as sink:
            assert run("--json-lines", "--compact", str(place), stdout=sink, env=env).returncode == 0
        assert text_of(place) == lines * 2


@NEEDS_POSIX
def test_special_files(place):
    """What is no regular file is written as it is."""
    document = place.read_bytes()
    assert run("--compact", str(place), "/dev/stdout").stdout == document
    assert run("--compact", "/dev/stdin", "/dev/stdout", input=document).stdout == document
    assert run(str(place), "/dev/null").stdout == b""
    fifo = place.parent / "fifo"
    os.mkfifo(fifo)
    with subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE) as reader:
        assert run("--compact", str(place), str(fifo)).returncode == 0
        assert reader.stdout.read() == document and stat.S_ISFIFO(fifo.stat().st_mode)
