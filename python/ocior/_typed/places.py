"""Where in a document something lies, for people: paths, pointers, and the piece of a line with a caret under it.

The core words paths and snippets of a JSONDecodeError so (`src/decode/errors`); these are the twins for documents that obey the grammar.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Path = tuple[str | int, ...]

_ENDS_SHOWN = 12  # of a long path: so many steps of its beginning, and of its end
_KEY_SHOWN = 40  # code points of a long key
_SHOWN = 80  # code points of a line, the marks of a cut included
_CUT = "..."
_ROOM = _SHOWN - 2 * len(_CUT)
_BEHIND = 30  # of a line cut on both sides: so many from the place on
_WIDE_SPACE = "\u3000"


def where(path: Path) -> str:
    """The path as `$.lines[3]["odd key"]`. Long paths lose their middle, long keys their end."""
    if len(path) <= 2 * _ENDS_SHOWN:
        return "$" + "".join(map(_step, path))
    return "$" + "".join(map(_step, path[:_ENDS_SHOWN])) + _CUT + "".join(map(_step, path[-_ENDS_SHOWN:]))


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    is_whole = len(step) <= _KEY_SHOWN
    if is_whole and step.isidentifier():
        return f".{step}"
    return '["' + "".join(map(_escaped, step[:_KEY_SHOWN])) + ('"]' if is_whole else _CUT + '"]')


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code_point = ord(character)
    if code_point < 0x10000:
        return f"\\u{code_point:04x}"
    return f"\\u{0xD800 + ((code_point - 0x10000) >> 10):04x}\\u{0xDC00 + ((code_point - 0x10000) & 0x3FF):04x}"


def pointer(path: Path) -> str:
    """The path as a JSON Pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def line_and_column(document: str, offset: int) -> tuple[int, int]:
    """Both from 1, counted as `json` does, in code points."""
    return document.count("\n", 0, offset) + 1, offset - document.rfind("\n", 0, offset)


def snippet(document: str, offset: int) -> str:
    """The part of the line around `offset`, of at most 80 characters, all of them printable; below it a caret under the place."""
    offset = min(max(offset, 0), len(document))
    first = last = offset
    while first > 0 and offset - first <= _SHOWN and document[first - 1] not in "\r\n":
        first -= 1
    while last < len(document) and last - offset <= _SHOWN and document[last] not in "\r\n":
        last += 1
    if last - first > _SHOWN:
        behind = min(last - offset, _BEHIND)
        first = offset - min(offset - first, _ROOM - behind)
        last = min(last, first + _ROOM)
    text = caret = ""
    if first > 0 and document[first - 1] not in "\r\n":
        text, caret = _CUT, " " * len(_CUT)
    for i in range(first, last):
        character = _shown(document[i])
        text += character
        if i < offset:
            caret += _space_like(character)
    if last < len(document) and document[last] not in "\r\n":
        text += _CUT
    return f"{text}\n{caret}^"


def _shown(character: str) -> str:
    if character.isprintable() or character == _WIDE_SPACE:
        return character
    return " " if character < " " or character == "\x7f" or character.isspace() else "\ufffd"


def _space_like(character: str) -> str:
    """As wide as the character is in a terminal; nothing for marks that stand over their neighbour."""
    if any(first <= character <= last for first, last in (("\u0300", "\u036f"), ("\u20d0", "\u20f0"), ("\ufe00", "\ufe0f"))):
        return ""
    from unicodedata import east_asian_width

    return _WIDE_SPACE if east_asian_width(character) in "WF" else " "
