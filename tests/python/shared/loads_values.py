"""What the tests of loads share: the words of its policies, texts for scanners, and what is read, or refused, by every way to read a document
and in text of every width."""

import io
import json

from places import check_place
from support import call, facts, fresh

import ocior
import ocior.scanner

# What makes the units of a str wide, and what it becomes.
WIDE = ["", "\xe9", "\u4e2d", "\U0001f600"]

# Texts in which a scanner begins at any index.
SCANNED_TEXTS = [
    '[1, 2.5, "a", null, true, false, {"b": [NaN, -Infinity, Infinity]}] x',
    '{"a":{"b":{"c":[[[]]]}}}',
    '"a\\n\\u4e2d\\ud83d\\ude00" "\\ud800"',
    "12 34 -5 6.7e8 1e400 01 -0",
    "nulltruefalseNaN",
    "[1,,2]",
    "[1,]",
    "[1 2]",
    '{"a":1,}',
    "{1:2}",
    '{"a" 1}',
    '{"a":}',
    '["\\q"]',
    '["\\u12"]',
    '["a\nb"]',
    "[",
    "{",
    '"',
    '"\\',
    "-",
    "tru",
    "  1",
    "[}",
    "{]",
    "]",
    '["\\u0000',
]

WORDS = {
    "duplicate_keys": ["last", "first", "error"],
    "non_finite": ["constant", "error", "null"],
    "big_integers": ["exact", "float", "str", "error"],
    "surrogates": ["keep", "error", "replace"],
}


def readers(document, **keywords):
    """Each way to read the str `document`, as (how, a function of no argument): all entries, and text of all widths."""
    utf8 = document.encode("utf-8", "surrogatepass")
    yield "str", lambda: ocior.loads(document, **keywords)
    yield "bytes", lambda: ocior.loads(utf8, **keywords)
    yield "bytearray", lambda: ocior.loads(bytearray(utf8), **keywords)
    yield "utf-16", lambda: ocior.loads(document.encode("utf-16", "surrogatepass"), **keywords)
    yield "load", lambda: ocior.load(io.StringIO(document), **keywords)
    yield "load bytes", lambda: ocior.load(io.BytesIO(utf8), **keywords)
    yield "cls", lambda: ocior.loads(document, cls=ocior.JSONDecoder, **keywords)
    yield "json.loads", lambda: json.loads(document, cls=ocior.JSONDecoder, **keywords)
    yield "decode", lambda: ocior.JSONDecoder(**keywords).decode(document)
    yield "scanner", lambda: ocior.scanner.make_scanner(ocior.JSONDecoder(**keywords))(document, 0)[0]
    for text in WIDE:
        yield f"in {text!r}", lambda text=text: ocior.loads(f'["{text}",{document}]', **keywords)[1]
        yield f"in bytes {text!r}", lambda text=text: ocior.loads(f'["{text}",{document}]'.encode("utf-8", "surrogatepass"), **keywords)[1]
        yield f"raw {text!r}", lambda text=text: ocior.JSONDecoder(**keywords).raw_decode(f"{document}x{text}")[0]
        yield f"raw at 1 {text!r}", lambda text=text: ocior.JSONDecoder(**keywords).raw_decode(f"x{document}{text}", 1)[0]


def gives(document, value, **keywords):
    expected = facts(fresh(value))
    for how, read in readers(document, **keywords):
        for _ in range(3):  # shapes are learned, and used
            assert facts(read()) == expected, (how, document, keywords)


def refuses(document, message, place, **keywords):
    """`place`: the offset of what is to blame."""
    for how, read in readers(document, **keywords):
        for _ in range(2):
            error = call(read).error
            if how == "scanner" and message == "Expecting value":
                assert repr(error) == f"StopIteration({place})"  # as of any value that is none
                continue
            assert type(error) is json.JSONDecodeError, (how, document, keywords, error)
            skipped = error.doc.index(document) if document in error.doc else 0
            assert (error.msg, error.pos - skipped) == (message, place), (how, document, keywords, error, error.pos)
            if how.startswith("raw at"):
                continue
            check_place(error)
