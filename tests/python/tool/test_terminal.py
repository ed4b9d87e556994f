"""The command line on a terminal: when there is colour, which, in what pieces it may be put; the progress bar."""

import importlib.util
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import command_line
import pytest
from command_line import NEEDS_POSIX, run, text_of

from layouts import each_layout
from ocior._tool import terminal

KEY, STRING, NUMBER, KEYWORD, RESET = terminal.Palette()

COLOURED = [
    ("{}", "{}"),
    ("[]", "[]"),
    ("null", f"{KEYWORD}null{RESET}"),
    ("true", f"{KEYWORD}true{RESET}"),
    ("false", f"{KEYWORD}false{RESET}"),
    ("NaN", f"{NUMBER}NaN{RESET}"),
    ("-Infinity", f"{NUMBER}-Infinity{RESET}"),
    ("-1.25e+23", f"{NUMBER}-1.25e+23{RESET}"),
    ('"foo"', f'{STRING}"foo"{RESET}'),
    (r'" \"true\" : 1\\"', rf'{STRING}" \"true\" : 1\\"{RESET}'),
    (r'{"\\": ""}', f'{{\n    {KEY}"\\\\"{RESET}: {STRING}""{RESET}\n}}'),
    (
        r'{"\\\\": [1, "a:", {"é": null}]}',
        f'{{\n    {KEY}"\\\\\\\\"{RESET}: [\n        {NUMBER}1{RESET},\n        {STRING}"a:"{RESET},\n        {{\n'
        f'            {KEY}"\\u00e9"{RESET}: {KEYWORD}null{RESET}\n        }}\n    ]\n}}',
    ),
]


def test_colours():
    """One process for all rows, as lines."""
    lines = "".join(f"{document}\n" for document, _ in COLOURED).encode()
    done = run("--json-lines", input=lines, env={"FORCE_COLOR": "1"})
    assert done.stderr == b"" and done.stdout.decode() == "".join(f"{expected}\n" for _, expected in COLOURED)
    assert run(input=b"[1]", env={"PYTHON_COLORS": "1"}).stdout.decode() == f"[\n    {NUMBER}1{RESET}\n]\n"


@pytest.mark.skipif(sys.version_info < (3, 14), reason="json.tool has colour since 3.14")
@pytest.mark.parametrize("options", [[], ["--compact"], ["--no-ensure-ascii", "--tab"], ["--no-indent", "--sort-keys"]])
def test_colours_as_json_tool(options):
    document = b'{"a": [1, -2.5e3, "x\\n\\"y\\\\", "\xe4\xb8\xad", {}, [], true], "a:b": {"\\"": "c"}, "": "", "n": [NaN, -Infinity, null]}'
    env = {"FORCE_COLOR": "1"}
    assert run(*options, input=document, env=env).stdout == run(*options, input=document, env=env, module="json.tool").stdout


@pytest.mark.skipif(sys.version_info < (3, 14), reason="themes are there since 3.14")
def test_theme(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import _colorize as c\nc.set_theme(c.default_theme.copy_with(syntax=c.Syntax(number=c.ANSIColors.RED)))\n"
    )
    done = run("--compact", input=b"[1]", env={"FORCE_COLOR": "1"}, path=[str(tmp_path)])
    assert done.stdout == b"[\x1b[31m1\x1b[0m]\n"


class Recorder(io.StringIO):
    """A file that says what a test wants it to say."""

    def __init__(self, terminal=False):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal

    def fileno(self):
        raise OSError("none")


@pytest.mark.parametrize(
    "env, on_terminal, elsewhere",
    [
        ({}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"PYTHON_COLORS": "0"}, False, False),
        ({"PYTHON_COLORS": "0", "FORCE_COLOR": "1"}, False, False),
        ({"PYTHON_COLORS": "1", "NO_COLOR": "1"}, True, True),
        ({"PYTHON_COLORS": "x"}, True, False),
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_when_there_is_colour(env, on_terminal, elsewhere, own, monkeypatch):
    """By our own rules, and by those of the interpreter where it has some."""
    for name in ("PYTHON_COLORS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    if own:
        monkeypatch.setitem(sys.modules, "_colorize", None)
    assert (terminal.palette(Recorder(terminal=True)) is not None) == on_terminal
    assert (terminal.palette(Recorder()) is not None) == elsewhere


def painted(text, sizes):
    out = io.StringIO()
    painter = terminal.Painter(out, terminal.Palette())
    at = 0
    for size in sizes:
        painter.write(text[at : at + size])
        at += size
    painter.write(text[at:])
    painter.close()
    return out.getvalue()


@each_layout("json", "indent 2", "compact", "unescaped")
def test_pieces(monkeypatch, keywords):
    """However the text is cut, the colours are the same, and the text is the same without them."""
    monkeypatch.setattr(terminal.Painter, "_LEAST_LEN", 1)
    value = {"a": [1, -2.5, True, None, 'b\\"\\:', {"": "x" * 20}], 'c:"d': [float("nan"), float("-inf"), []], "é\n": "中"}
    text = json.dumps(value, **keywords)
    whole = painted(text, [])
    assert re.sub("\x1b\\[[0-9;]*m", "", whole) == text
    assert whole.count(KEY) == 4 and whole.count(STRING) - 3 == 0
    for at in range(len(text)):
        assert painted(text, [at]) == whole
    assert painted(text, [1] * len(text)) == whole
    chance = random.Random(5)
    for _ in range(100):
        assert painted(text, [chance.randrange(9) for _ in range(40)]) == whole


def test_long_string_in_pieces():
    """A string of many pieces is not looked at again with each of them."""
    text = json.dumps(['\\"' * 1_000_000, 1])
    coloured = painted(text, [1 << 12] * (len(text) >> 12))
    assert len(coloured) == len(text) + len(STRING + RESET + NUMBER + RESET)


def test_failing_output():
    """One message, and nothing of the document that failed."""
    done = run("--no-ensure-ascii", "--json-lines", "--compact", input=b'[1]\n[2,"\\ud800"]\n', env={"FORCE_COLOR": "1"})
    assert (done.returncode, done.stdout.decode()) == (1, f"[{NUMBER}1{RESET}]\n")
    assert done.stderr.startswith(b"'utf-8' codec can't encode character '\\ud800'") and done.stderr.count(b"\n") == 1
    out = io.StringIO()
    with pytest.raises(TypeError), terminal.Painter(out, terminal.Palette()) as painter:
        painter.write("[1, ")
        raise TypeError
    assert painter.closed and out.getvalue() == ""


def test_files_stay_json(tmp_path):
    """Colour that the environment forces is not for files."""
    path = tmp_path / "data.json"
    path.write_text("[1]")
    for target in (tmp_path / "copy.json", path):
        assert run("--compact", str(path), str(target), env={"FORCE_COLOR": "1"}).returncode == 0
        assert text_of(target) == b"[1]\n"


# --- a real terminal -----------------------------------------------------------------------------------------------


def on_terminal(*arguments, streams=("stdout", "stderr"), env=None, code=None):
    """What a process writes to a terminal that is its `streams`, its status, and what it writes on the other ones."""
    import pty  # which Windows lacks

    leader, follower = pty.openpty()
    command = [sys.executable, "-c", code, *arguments] if code else command_line.command(*arguments)
    with tempfile.TemporaryFile() as elsewhere:
        places = {name: follower if name in streams else elsewhere for name in ("stdout", "stderr")}
        environ = command_line.environment(TERM="xterm", **(env or {}))
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environ, **places) as process:
            os.close(follower)
            shown = b""
            try:
                while block := os.read(leader, 1 << 16):
                    shown += block
            except OSError:  # the other end is closed
                pass
            os.close(leader)
            status = process.wait(30)
        elsewhere.seek(0)
        return shown.decode().replace("\r\n", "\n"), status, elsewhere.read()


@NEEDS_POSIX
def test_colour_on_a_terminal(tmp_path):
    path = tmp_path / "data.json"
    path.write_text("[1]")
    assert on_terminal("--compact", str(path)) == (f"[{NUMBER}1{RESET}]\n", 0, b"")
    assert on_terminal("--compact", str(path), env={"NO_COLOR": "1"}) == ("[1]\n", 0, b"")
    assert on_terminal("--compact", str(path), "/dev/tty", streams=("stderr",))[2] == b""


@pytest.fixture
def large(tmp_path):
    """A file that takes some time: one document on one line."""
    path = tmp_path / "large.jsonl"
    with open(path, "wb") as file:
        file.write(b'["' + b"\\u0041" * (terminal.LARGE_BYTES // 6) + b'"]\n')
    yield path
    path.unlink()


@NEEDS_POSIX
@pytest.mark.skipif(importlib.util.find_spec("rich") is None, reason="the bar needs rich")
def test_progress_bar(large):
    expected = b'["' + b"A" * (terminal.LARGE_BYTES // 6) + b'"]\n'
    for options in (["--compact"], ["--compact", "--json-lines"]):
        shown, status, output = on_terminal(*options, str(large), streams=("stderr",))
        assert (status, output) == (0, expected) and "large.jsonl" in shown and "100%" in shown


@NEEDS_POSIX
@pytest.mark.skipif(importlib.util.find_spec("rich") is None, reason="the bar needs rich")
def test_progress_bar_and_output_on_one_terminal(large):
    """The bar has gone when a document is printed; among lines that are printed there is none."""
    large.write_bytes(b"[1" + b" " * terminal.LARGE_BYTES + b"]\n")
    shown, status, _ = on_terminal("--compact", str(large))
    assert status == 0 and "100%" in shown and shown.endswith(f"[{NUMBER}1{RESET}]\n")
    assert on_terminal("--compact", "--json-lines", str(large)) == (f"[{NUMBER}1{RESET}]\n", 0, b"")


@NEEDS_POSIX
def test_no_progress_bar(large, tmp_path):
    """Without a terminal, without the library, or for a file that is read in no time."""
    large.write_bytes(b"[1" + b" " * terminal.LARGE_BYTES + b"]\n")
    done = run("--compact", str(large))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"[1]\n", b"")
    code = "import sys; sys.modules['rich'] = None; import ocior.tool; ocior.tool.main()"
    assert on_terminal("--compact", str(large), streams=("stderr",), code=code) == ("", 0, b"[1]\n")
    large.write_bytes(b"[1]")
    assert on_terminal("--compact", str(large), streams=("stderr",)) == ("", 0, b"[1]\n")
