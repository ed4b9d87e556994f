"""What the command line reads beyond json.tool: compressed input, what pointers lead to, the items of one document."""

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import threading

import command_line
import pytest
from command_line import NEEDS_POSIX, run, text_of

LINES = b'{"id": 1, "tags": ["a"]}\n{"id": 2, "tags": []}\n'
DOCUMENT = b'{"name": "x", "rows": [{"id": 1}, {"id": [2.50]}], "more": {"a": 1, "b": null}}'

METHODS = pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bz2", "xz"])


def outcome(*arguments, **keywords):
    done = run(*arguments, **keywords)
    return done.returncode, done.stdout, done.stderr.decode()


@METHODS
@pytest.mark.parametrize(
    "options, content, expected",
    [
        ("--compact", DOCUMENT, b'{"name":"x","rows":[{"id":1},{"id":[2.5]}],"more":{"a":1,"b":null}}\n'),
        ("--json-lines --compact", LINES, b'{"id":1,"tags":["a"]}\n{"id":2,"tags":[]}\n'),
        ("--json-lines --compact", '["\xe9"]\n2\n'.encode("utf-16"), b'["\\u00e9"]\n2\n'),
        ("--at /rows/1/id/0", DOCUMENT, b"2.5\n"),
        ("--items --at /rows --compact", DOCUMENT, b'{"id":1}\n{"id":[2.5]}\n'),
    ],
)
def test_compressed(compress, options, content, expected, tmp_path):
    """Told by the first bytes, whatever the name; by name and as standard input."""
    infile = tmp_path / "in.json"
    infile.write_bytes(compress(content[:5]) + compress(content[5:]))
    assert outcome(*options.split(), str(infile)) == (0, expected, "")
    assert outcome(*options.split(), input=infile.read_bytes()) == (0, expected, "")


@pytest.mark.parametrize(
    "options, content, shown", [("--json-lines --compact", LINES * 1000, LINES.replace(b" ", b"") * 1000), ("--compact", DOCUMENT, b"")]
)
def test_cut_compressed(options, content, shown, tmp_path):
    """Lines before the cut are written."""
    infile = tmp_path / "in.jsonl.gz"
    infile.write_bytes(gzip.compress(content) + gzip.compress(b" " * 100)[:-9])
    message = f"cannot read {infile}: Compressed file ended before the end-of-stream marker was reached\n"
    assert outcome(*options.split(), str(infile)) == (1, shown, message)


def test_compressed_input_is_not_written_over(tmp_path):
    infile = tmp_path / "in.json.gz"
    infile.write_bytes(gzip.compress(DOCUMENT))
    before = infile.read_bytes()
    for options in ((), ("--items", "--at", "/rows"), ("--json-lines",)):
        status, shown, message = outcome(*options, str(infile), str(infile))
        assert (status, shown, infile.read_bytes()) == (1, b"", before)
        assert message == "cannot write over the input: it is compressed, and what is written is not\n"


@pytest.mark.parametrize(
    "options, content, expected",
    [
        ("--at /name", DOCUMENT, b'"x"\n'),
        ("--at= --compact", b"[1, 2]", b"[1,2]\n"),
        ("--at /more/b --at /rows/0 --compact", DOCUMENT, b'null\n{"id":1}\n'),
        ("--at /a~1b/c~0", b'{"a/b": {"c~": 7}}', b"7\n"),
        ("--at /a", '{"a": "\xe9"}'.encode("utf-16"), b'"\\u00e9"\n'),
        ("--json-lines --at /id", LINES, b"1\n2\n"),
        ("--json-lines --at /id", LINES.rstrip(), b"1\n2\n"),
        ("--json-lines --at /tags --at /id --compact", LINES, b'["a"]\n1\n[]\n2\n'),
        ("--json-lines --at /0", '["\ud55c"]\n'.encode() * 2, b'"\\ud55c"\n' * 2),
        ("--items", b"[]", b""),
        ("--items", b"[1, [2, 3], null]", b"1\n[\n    2,\n    3\n]\nnull\n"),
        ("--items --at /rows --compact", DOCUMENT, b'{"id":1}\n{"id":[2.5]}\n'),
        ("--items --at /more --no-indent", DOCUMENT, b'["a", 1]\n["b", null]\n'),
        ("--items --compact", '["\xe9", 1]'.encode("utf-16-le"), b'"\\u00e9"\n1\n'),
        ("--items --compact", b"\xef\xbb\xbf[1]", b"1\n"),
    ],
)
def test_pointers_and_items(options, content, expected, tmp_path):
    infile, outfile = tmp_path / "in.json", tmp_path / "out.json"
    infile.write_bytes(content)
    assert outcome(*options.split(), str(infile)) == (0, expected, "")
    assert outcome(*options.split(), input=content) == (0, expected, "")
    assert outcome(*options.split(), str(infile), str(outfile)) == (0, b"", "") and text_of(outfile) == expected
    assert outcome(*options.split(), str(infile), str(infile)) == (0, b"", "") and text_of(infile) == expected


@pytest.mark.parametrize(
    "options, content, shown, message",
    [
        ("--at /b", b'{"a": 1}', b"", "no value at '/b'"),
        ("--at /a", b'{"a": 1', b"", "Expecting ',' delimiter: line 1 column 8 (char 7)"),
        ("--json-lines --at /id", b'{"id": 1}\n{"ID": 2}\n', b"1\n", "no value at '/id'\n  line 2 of {file}"),
        ("--json-lines --at /id", b'{"id": 1}\n\n{"id": 2}\n', b"1\n", "Expecting value: line 2 column 1 (char 1)\n  line 2 of {file}"),
        ("--json-lines --at /id", b'{"id": 1}\n{"id": x}\n', b"1\n", "Expecting value: line 1 column 8 (char 7)\n  line 2 of {file}"),
        ("--items", b"7", b"", "no array or object at ''"),
        ("--items --at /b", b'{"a": [1]}', b"", "no array or object at '/b'"),
        ("--items", b"[1, x]", b"1\n", "Expecting value: line 1 column 1 (char 0 of the record at byte 4)\n  item 2 of {file}"),
    ],
)
def test_errors(options, content, shown, message, tmp_path):
    infile, outfile = tmp_path / "in.json", tmp_path / "out.json"
    infile.write_bytes(content)
    done = outcome(*options.split(), str(infile))
    assert done[:2] == (1, shown) and done[2].startswith(message.format(file=infile))
    assert outcome(*options.split(), str(infile), str(infile))[0] == 1 and infile.read_bytes() == content
    assert outcome(*options.split(), str(infile), str(outfile))[0] == 1 and outfile.exists() == bool(shown)


@pytest.mark.parametrize(
    "options, message",
    [
        ("--at a", "argument --at: "),
        ("--at /~2", "argument --at: "),
        ("--items --json-lines", "argument --items: not allowed with argument --json-lines"),
        ("--items --at /a --at /b", "argument --items: allowed with one --at only"),
    ],
)
def test_wrong_options(options, message):
    status, shown, said = outcome(*options.split(), input=b"{}")
    assert (status, shown) == (2, b"") and message in said


@NEEDS_POSIX
def test_items_in_bounded_memory():
    """A document of 60 MB, through a pipe: the process stays as small as with one of 600 KB."""
    if os.environ.get("OCIOR_SANITIZED"):
        pytest.skip("a sanitizer keeps what is freed")
    item = b'{"id": 12345, "name": "' + b"x" * 200 + b'", "list": [1, 2.5, null, true, "abc", {"a": "b"}]},\n'
    code = "import ocior.tool, resource, sys; ocior.tool.main(); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    peaks = []
    for count in (2, 200):
        command = [sys.executable, "-c", code, "--items", "--at", "/rows", "--compact"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=command_line.environment()
        ) as process:

            def feed(stream=process.stdin, count=count):
                with stream:
                    stream.write(b'{"rows": [')
                    for _ in range(count):
                        stream.write(item * 1000)
                    stream.write(b"0]}")

            feeder = threading.Thread(target=feed)
            feeder.start()
            seen = sum(block.count(b"\n") for block in iter(lambda: process.stdout.read(1 << 20), b""))
            feeder.join()
            assert seen == count * 1000 + 1
            peaks.append(int(process.stderr.read()) / 1024)
    assert peaks[1] < peaks[0] + 8, f"{peaks} MB"
