"""Text that ends against an inaccessible page: no load may touch a byte behind it, at any length and alignment."""

import json
import json.decoder
import sys

import pytest
from loads_values import SCANNED_TEXTS
from support import PAGE, WIDTHS, GuardedPages, assert_same, call, facts

import ocior
import ocior.decoder

GIL = getattr(sys, "_is_gil_enabled", lambda: True)()


@pytest.fixture(scope="module")
def pages():
    return GuardedPages()


def check(pages, document, **keywords):
    view = pages.place(document)
    ours = call(ocior.loads, view, **keywords)
    if isinstance(ours.error, json.JSONDecodeError):
        ours.error.__traceback__ = None
    assert_same(ours, call(json.loads, document, **keywords), f"{document[:300]!r}")
    view.release()


@pytest.mark.parametrize("width", WIDTHS)
def test_strings_of_every_length(pages, width):
    sample = WIDTHS[width]
    for length in range(0, 301):
        text = (sample * length).encode()
        check(pages, b'"' + text + b'"')
        check(pages, b'"' + text)  # unterminated
        check(pages, b'["' + text + b'"]')
        check(pages, b'{"' + text + b'":0}')
        check(pages, b'{"' + text)
        check(pages, b'"' + text + b"\\")
        check(pages, b'"' + text + b"\\u12")
        check(pages, b'"' + text + b"\xe4\xb8")  # cut inside a character
        check(pages, b'"\\n' + text + b'"')
        check(pages, b'"' + text + b'\\n"', strict=False)


@pytest.mark.parametrize(
    "tail",
    [
        b"",
        b" ",
        b"\n",
        b"1",
        b"-",
        b"-1",
        b"1.5",
        b"1e",
        b"1e5",
        b"t",
        b"tru",
        b"true",
        b"fals",
        b"false",
        b"nul",
        b"null",
        b"N",
        b"NaN",
        b"Infinit",
        b"Infinity",
        b"-Infinit",
        b"-Infinity",
        b"[",
        b"[]",
        b"{",
        b"{}",
        b'{"a":',
        b'{"a"',
        b'{"a":1',
        b'{"a":1,',
        b"[1,",
        b"[1 ",
        b"x",
        b"\x00",
        b"\xff",
        b'"',
        b'""',
        b"12345678901234567890",
        b"0.1234567890123456789",
        b"1" * 40,
        b"[1,2]",
    ],
)
def test_every_ending_behind_every_padding(pages, tail):
    for padding in range(0, 140):
        check(pages, b" " * padding + tail)
        check(pages, b"[" + b"1," * padding + tail)
        check(pages, b"\n" * padding + tail)
    for padding in (PAGE - 2, PAGE - 1, PAGE, PAGE + 1):
        check(pages, b" " * padding + tail)


def test_digits_up_to_the_edge(pages):
    for count in range(1, 130):
        for text in (
            b"7" * count,
            b"-" + b"7" * count,
            b"0." + b"7" * count,
            b"7" * count + b".0",
            b"7" * count + b"e1",
            b"7." + b"3" * count + b"e-10",
            b"1e" + b"0" * count + b"1",
        ):
            check(pages, text)
            check(pages, b"[" + text)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-32-be", "utf-8-sig"])
def test_other_encodings(pages, encoding):
    for length in range(0, 80):
        check(pages, f'["{"a" * length}\u4e2d"]'.encode(encoding))
        check(pages, f'["{"a" * length}\u4e2d'.encode(encoding))


def test_mapping_filled_to_the_last_byte(pages):
    document = b'["' + b"a" * (pages.room - 4) + b'"]'
    check(pages, document)
    check(pages, document[:-1])
    check(pages, b" " * (pages.room - 1) + b"1")


@pytest.mark.skipif(not GIL or sys.flags.debug or hasattr(sys, "gettotalrefcount"), reason="hand-made str objects need a plain build")
class TestStrObjects:
    """str objects whose storage ends at the wall: as documents for loads, and as values and keys for dumps."""

    @pytest.mark.parametrize("width", WIDTHS)
    def test_dumps(self, pages, width):
        for length in range(1, 301):
            for text in (
                WIDTHS[width] * length,
                WIDTHS[width] * (length - 1) + '"',
                "\n" + WIDTHS[width] * (length - 1),
                "a" * (length - 1) + WIDTHS[width],
            ):
                edge = pages.place_str(text)
                for keywords in ({}, {"ensure_ascii": False}):
                    assert ocior.dumps(edge, **keywords) == json.dumps(text, **keywords)
                assert ocior.dumps([edge]) == json.dumps([text])
                assert ocior.dumps_to_bytes(edge) == json.dumps(text, ensure_ascii=False).encode()
                assert (
                    ocior.dumps_to_bytes({"\u4e2d": edge})
                    == json.dumps({"\u4e2d": text}, ensure_ascii=False, separators=(",", ":")).encode()
                )
                assert ocior.dumps([edge, "\U0001f600"], ensure_ascii=False) == json.dumps([text, "\U0001f600"], ensure_ascii=False)
                del edge

    @pytest.mark.parametrize("width", WIDTHS)
    def test_loads(self, pages, width):
        for length in range(0, 301):
            for document in (
                f'"{WIDTHS[width] * length}"',
                f'"{WIDTHS[width] * length}',
                f'["{WIDTHS[width] * length}",1',
                f'["{WIDTHS[width]}",{"7" * (length + 1)}',
                f'["{WIDTHS[width]}",{" " * length}',
            ):
                edge = pages.place_str(document)
                ours, theirs = call(ocior.loads, edge), call(json.loads, document)
                if theirs.error is None:
                    assert facts(ours.value) == facts(theirs.value)
                else:
                    assert (ours.error.msg, ours.error.pos) == (theirs.error.msg, theirs.error.pos)
                del edge, ours

    def test_surrogates_and_indent(self, pages):
        for length in range(1, 80):
            for sample in ("\ud800", "\uffff", "\U0010ffff", "\x00"):
                text = "\u4e2d" * length + sample
                edge = pages.place_str(text)
                assert ocior.dumps(edge) == json.dumps(text)
                assert ocior.dumps({"k": edge}, indent=1, ensure_ascii=False) == json.dumps({"k": text}, indent=1, ensure_ascii=False)
                call(ocior.dumps_to_bytes, edge)
                del edge
                pad = pages.place_str(sample * length)
                assert ocior.dumps([1], indent=pad) == json.dumps([1], indent=sample * length)
                assert ocior.dumps([1, 2], separators=(pad, pad)) == json.dumps([1, 2], separators=(sample * length,) * 2)
                # The keywords of the last calls are kept, and the next place_str ends what they refer to.
                for indent in range(1000, 1008):
                    ocior.dumps(1, indent=indent)
                del pad

    @pytest.mark.parametrize("width", WIDTHS)
    def test_one_value_out_of_a_text(self, pages, width):
        """Where the document's end lies at its page's, what is read has to be copied first, and only that."""
        texts = [
            *SCANNED_TEXTS,
            '[1, "' + "a" * 100 + '", {"k": [2]}] [3',
            "12 34",
            "1" * 40 + " 2",
            "1." + "5" * 40 + "e10,",
            "-Infinity5",
            '"a"b"c',
        ]
        for document in [text + WIDTHS[width] * 2 for text in texts]:
            edge = pages.place_str(document)
            for keywords in ({}, {"parse_int": str, "object_hook": len}, {"strict": False}):
                ours, theirs = ocior.JSONDecoder(**keywords).scan_once, json.JSONDecoder(**keywords).scan_once
                for index in range(len(document)):
                    outcome, expected = call(ours, edge, index), call(theirs, document, index)
                    if expected.error is None:
                        assert outcome.error is None and facts(outcome.value) == facts(expected.value), (document, index)
                    else:
                        assert (type(outcome.error), str(outcome.error)) == (type(expected.error), str(expected.error)), (document, index)
                    string, wanted = call(ocior.decoder.scanstring, edge, index), call(json.decoder.scanstring, document, index)
                    assert (string.value, str(string.error)) == (wanted.value, str(wanted.error)), (document, index)
                    del outcome, string
            del edge

    def test_hooks_run_once(self, pages):
        edge = pages.place_str('{"a": [1, 2], "b": {}} rest')
        calls = []
        decoder = ocior.JSONDecoder(
            parse_int=lambda text: calls.append(text) or int(text), object_hook=lambda value: calls.append(len(value)) or value
        )
        assert decoder.raw_decode(edge)[1] == 22
        assert calls == ["1", "2", 0, 2]

    def test_values_one_by_one(self):
        """A call costs what its value does: 200 000 copies of four megabytes would take an hour."""
        pages = GuardedPages(3000)
        edge = pages.place_str('{"id": [1, "\u4e2d\\n"]}  ' * 200_000)
        for decoder in (ocior.JSONDecoder(), ocior.JSONDecoder(object_hook=len)):
            position = seen = 0
            while position < len(edge):
                _, position = decoder.raw_decode(edge, position)
                position += 2
                seen += 1
            assert seen == 200_000
        del edge
