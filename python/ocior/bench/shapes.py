"""Generated documents in the shapes that real loads have, at any size from 1 KB up: the same text for the same shape and size,
on every machine.

A shape is a kind of item and a way to join items: the elements of one list, the members of one object, or the lines of a
stream, where each line is decoded and encoded by a call of its own. Items are drawn afresh up to 8 MB, which is more than a
processor learns by heart, and then repeated; the keys of `unique` never repeat.
"""

import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ocior.bench import items, words
from ocior.bench.documents import Document

_FRESH_BYTES = 8_000_000
_TINY_BYTES = 200
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_encode_as_by_default = json.JSONEncoder().encode


@dataclass(frozen=True)
class Shape:
    name: str
    title: str
    item: Callable[[random.Random, int], object]  # (rng, index): a value, or for an object a (key, value)
    joined: str = "list"  # list, object or lines
    is_ascii: bool = True
    encode: Callable[[object], str] = _encode


SHAPES = (
    Shape("records", "flat records, 10 keys", items.record),
    Shape("tree", "deep trees, 8 levels", items.tree),
    Shape("api", "mixed API answers", items.api),
    Shape("wide", "wide rows, 500 keys", items.wide),
    Shape("ndjson", "NDJSON, a call per line", items.log_line, "lines"),
    Shape("latin1", "Latin-1 text", items.prose(words.LATIN1), is_ascii=False),
    Shape("cyrillic", "Cyrillic text", items.prose(words.CYRILLIC), is_ascii=False),
    Shape("cjk", "CJK text", items.cjk, is_ascii=False),
    Shape("emoji", "emoji in text", items.prose(words.EMOJI), is_ascii=False),
    Shape("escapes", "escape-heavy: JSON in JSON, paths", items.escapes),
    Shape("logs", "log lines with terminal colours", items.log_text),
    Shape("base64", "base64, 400 to 4000 characters", items.base64_text),
    Shape("urls", "URLs", items.url),
    Shape("html", "HTML in strings", items.html),
    Shape("sql", "SQL in strings", items.sql),
    Shape("lines", "lines and quotations in four scripts", items.lines, is_ascii=False),
    Shape("ascii", "four scripts, escaped to ASCII", items.lines, is_ascii=False, encode=_encode_as_by_default),
    Shape("integers", "integers", items.integer),
    Shape("floats", "floats", items.floating),
    Shape("literals", "true, false, null", items.literal),
    Shape("tiny", "requests under 200 bytes, a call each", items.tiny, "lines"),
    Shape("unique", "unique keys", items.unique, "object"),
    Shape("long_cjk", "long CJK strings", items.long_cjk, "object", is_ascii=False),
)
BY_NAME = {shape.name: shape for shape in SHAPES}
_JOINTS = {"list": (b"[", b",", b"]"), "object": (b"{", b",", b"}"), "lines": (b"", b"\n", b"\n")}


def _item_text(shape, rng, index):
    if shape.joined == "object":
        key, value = shape.item(rng, index)
        return shape.encode({key: value})[1:-1].encode()
    text = shape.encode(shape.item(rng, index)).encode()
    assert shape.name != "tiny" or len(text) < _TINY_BYTES
    return text


def _items(shape, nominal_len):
    """The texts of all items, of about this length together: at least one."""
    rng = random.Random(f"{shape.name}, the first")
    fresh, total, index = [], 0, 0
    joint = len(_JOINTS[shape.joined][1])
    while True:
        if total >= _FRESH_BYTES and shape.joined != "object":
            text = fresh[index % len(fresh)]
        else:
            text = _item_text(shape, rng, index)
            fresh.append(text) if total < _FRESH_BYTES else None
        # Half an item too much is as near as half an item too little.
        if index and total + len(text) / 2 > nominal_len:
            return
        yield text
        total += len(text) + joint
        index += 1


def write(shape_name, nominal_len, path):
    """Writes one document."""
    shape = BY_NAME[shape_name]
    first, joint, last = _JOINTS[shape.joined]
    with open(path, "wb", buffering=1 << 20) as file:
        file.write(first)
        for number, text in enumerate(_items(shape, nominal_len)):
            file.write(joint + text if number else text)
        file.write(last)


# The text of a document is a function of shape, size and these three files.
_SOURCES = b"".join(Path(file).read_bytes() for file in (__file__, items.__file__, words.__file__))
_GENERATOR = f"generator {hashlib.sha256(_SOURCES).hexdigest()[:12]}"


class Generated(Document):
    """A document that `write` makes; what a plan asks of it is known before that."""

    @property
    def identity(self):
        return f"{_GENERATOR}, {self.nominal_len}"

    @property
    def has_non_ascii(self):
        return not BY_NAME[self.shape].is_ascii


def document(shape_name, nominal_len, directory):
    """The document of that shape and size, to be written into that directory when it is needed."""
    name = f"{shape_name}-{size_name(nominal_len)}"
    return Generated(name, directory / f"{name}.json", BY_NAME[shape_name].joined == "lines", shape_name, nominal_len)


_UNITS = {"K": 1000, "M": 1_000_000, "G": 1_000_000_000}


def parse_size(text):
    """Bytes from 800, 1K, 1.5M, with or without a B."""
    short = text.upper().removesuffix("B")
    factor = _UNITS.get(short[-1:], 1)
    size = round(float(short[:-1] if factor > 1 else short) * factor)
    if size <= 0:
        raise ValueError(text)
    return size


def size_name(byte_len):
    for unit, factor in reversed(_UNITS.items()):
        if byte_len >= factor:
            return f"{byte_len / factor:g}{unit}"
    return f"{byte_len}B"
