"""Where a decode error says that a document is wrong, worked out in another way: a tokenizer of one regular expression."""

import json
import re
import sys

from support import show

PIECES = re.compile(r'("(?:[^"\\]|\\.)*")|([][{},])|"', re.DOTALL)


def steps(text):
    """What is open at the end of the beginning of a document: an index for each list, a key or None for each object."""
    open_ones = []
    for string, mark in PIECES.findall(text):
        if not string and not mark:  # a string without an end
            break
        if mark and mark in "[{":
            open_ones.append([mark, 0 if mark == "[" else None])
        elif mark and mark in "]}":
            del open_ones[-1:]
        elif mark == "," and open_ones:
            open_ones[-1][1] = open_ones[-1][1] + 1 if open_ones[-1][0] == "[" else None
        elif string and open_ones and open_ones[-1] == ["{", None]:
            open_ones[-1][1] = json.loads(string, strict=False)
    return [step for _, step in open_ones]


def check_place(error):
    """The path of a decode error leads to its position, and the caret of the snippet stands under it."""
    expected = steps(error.doc[: error.pos])
    if len(expected) <= 24 and all(len(key) <= 40 and key.isprintable() for key in expected if isinstance(key, str)):
        path = "$" + "".join(
            f".{key}" if str(key).isidentifier() else f"[{json.dumps(key, ensure_ascii=False)}]" for key in expected if key is not None
        )
        assert error.path == path, f"{show(error.doc)}: {error.path}, expected {path}"
    if not error.doc.strip(" \n\r\t"):
        assert error.snippet == ""
        return
    line, caret = error.snippet.split("\n")
    assert len(line) <= 80 and caret.endswith("^") and not caret[:-1].strip(), f"{show(error.doc)}: {error.snippet!r}"
    if line.isascii() and error.pos < len(error.doc) and error.doc[error.pos].isprintable():
        assert line[len(caret) - 1] == error.doc[error.pos], f"{show(error.doc)}: {error.snippet!r}"
    if sys.version_info >= (3, 11):
        assert error.__notes__ == [f"at {error.path}\n    {line}\n    {caret}"], f"{show(error.doc)}: {error.__notes__}"
