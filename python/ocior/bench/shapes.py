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

from ocior.bench import words
from ocior.bench.documents import Document

_FRESH_BYTES = 8_000_000
_TREE_LEVELS = 8
_WIDE_KEYS = 500
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


def _record(rng, index):
    """A row of a table, 10 keys."""
    return {
        "id": index,
        "name": rng.choice(words.NAMES),
        "email": f"user{rng.randrange(10**6)}@example.com",
        "age": rng.randrange(18, 90),
        "active": rng.random() < 0.7,
        "balance": round(rng.uniform(-1e3, 1e5), 2),
        "created_at": _time(rng),
        "city": rng.choice(words.CITIES),
        "score": rng.random(),
        "parent": rng.choice((None, rng.randrange(10**5))),
    }


def _tree(rng, index, level=1):
    """A tree exactly eight levels deep; most branches end earlier."""
    node = {"name": f"node-{index}-{level}", "size": rng.randrange(10**6), "kind": rng.choice(("dir", "file", "link"))}
    if level < _TREE_LEVELS:
        widest = 3 if level in (2, 4) else 1
        children = [_tree(rng, index, level + 1)]
        children += [{"name": f"leaf-{rng.randrange(1000)}", "size": rng.randrange(10**4), "kind": "file"} for _ in range(widest)]
        node["children"] = children
    return node


def _api(rng, index):
    """One resource of an API's answer: several shapes nested, some keys only now and then."""
    resource = {
        "id": f"{rng.getrandbits(64):016x}",
        "type": rng.choice(("order", "invoice", "refund")),
        "attributes": {
            "total": {"amount": rng.randrange(10**6), "currency": rng.choice(("EUR", "USD", "JPY"))},
            "placed_at": _time(rng),
            "note": rng.choice((None, "", _phrase(rng, words.ENGLISH, 12))),
            "paid": rng.random() < 0.5,
        },
        "items": [
            {"sku": f"A-{rng.randrange(10**5):05}", "quantity": rng.randrange(1, 9), "price": round(rng.uniform(1, 300), 2)}
            for _ in range(rng.randrange(1, 5))
        ],
        "links": {"self": f"https://api.example.com/v2/orders/{index}", "next": f"https://api.example.com/v2/orders/{index + 1}"},
    }
    if rng.random() < 0.3:
        resource["customer"] = {"name": rng.choice(words.NAMES), "city": rng.choice(words.CITIES), "tags": ["new", "eu"]}
    if rng.random() < 0.1:
        resource["errors"] = [{"code": rng.randrange(400, 500), "detail": _phrase(rng, words.ENGLISH, 6)}]
    return resource


def _wide(rng, index):
    """A row of 500 columns, as data frames are sent."""
    kinds = (lambda: rng.randrange(1000), lambda: round(rng.uniform(0, 100), 3), lambda: rng.choice(words.ENGLISH), lambda: None)
    return {f"column_{number:03}": kinds[number % 4]() for number in range(_WIDE_KEYS)}


def _log_line(rng, index):
    line = {
        "time": _time(rng),
        "level": rng.choice(("INFO", "INFO", "INFO", "WARNING", "ERROR")),
        "logger": "app.orders",
        "message": _phrase(rng, words.ENGLISH, rng.randrange(4, 20)),
        "request": f"{rng.getrandbits(128):032x}",
        "duration_ms": round(rng.expovariate(0.02), 3),
        "status": rng.choice((200, 200, 201, 304, 404, 500)),
    }
    if rng.random() < 0.2:
        line["user"] = {"id": rng.randrange(10**6), "roles": ["reader", "writer"]}
    return line


def _prose(vocabulary):
    def item(rng, index):
        return {
            "id": index,
            "author": _phrase(rng, vocabulary, 2),
            "title": _phrase(rng, vocabulary, rng.randrange(2, 7)),
            "text": _phrase(rng, vocabulary, rng.randrange(8, 60)),
            "tags": [rng.choice(vocabulary) for _ in range(rng.randrange(4))],
        }

    return item


def _cjk(rng, index):
    def run(least, most):
        return "".join(map(chr, (rng.randrange(0x4E00, 0x9FA5) for _ in range(rng.randrange(least, most)))))

    return {"id": index, "作者": run(2, 4), "标题": run(4, 20), "正文": run(20, 140) + "。", "标签": [run(2, 5) for _ in range(3)]}


def _long_cjk(rng, index):
    """Long strings as keys and values, where UTF-8 copies show: the memory experiment's strings, made unlike each other."""
    character = chr(0x4E00 + index % 0x5000)
    return character * 2 ** (index % 16), "文" * 2 ** (index % 16 + 1)


def _escapes(rng, index):
    """JSON inside JSON, Windows paths, quotations, lines of a traceback."""
    folder = "\\".join(rng.choice(words.ENGLISH) for _ in range(rng.randrange(2, 7)))
    return {
        "payload": json.dumps({"id": index, "inner": json.dumps(_record(rng, index)), "quote": '"'}),
        "path": f"C:\\Users\\{rng.choice(words.NAMES)}\\{folder}.txt",
        "log": f'Traceback:\n\tFile "{rng.choice(words.ENGLISH)}.py", line {index}\n\t\traise "{_phrase(rng, words.ENGLISH, 4)}"\r\n',
    }


def _lines(rng, index):
    """A message of a few lines with a quotation, in one of four scripts."""
    vocabulary = (words.LATIN1, words.CYRILLIC, words.EMOJI, words.CJK)[index % 4]
    lines = [_phrase(rng, vocabulary, rng.randrange(3, 12)) for _ in range(rng.randrange(1, 6))]
    return {"id": index, "quote": f'"{_phrase(rng, vocabulary, 3)}"', "message": "\n".join(lines)}


def _integer(rng, index):
    kind = index % 5
    if kind < 2:
        return rng.randrange(-1000, 1000)
    return (rng.getrandbits(31), 1_700_000_000_000 + rng.randrange(10**10), rng.getrandbits(63) - (1 << 62))[kind - 2]


def _float(rng, index):
    kind = index % 4
    if kind == 0:
        return round(rng.uniform(0, 1000), 2)
    if kind == 1:
        return round(rng.uniform(-180, 180), 6)
    return rng.random() if kind == 2 else rng.uniform(1, 10) * 10.0 ** rng.randrange(-30, 30)


def _literal(rng, index):
    return rng.choice((True, False, None))


def _tiny(rng, index):
    """A request of under 200 bytes."""
    return (
        lambda: {"jsonrpc": "2.0", "method": "orders.get", "params": {"id": rng.randrange(10**6)}, "id": index},
        lambda: {"user": rng.choice(words.NAMES), "ok": True},
        lambda: [rng.randrange(1000), rng.random(), None],
        lambda: {"event": "click", "x": rng.randrange(2000), "y": rng.randrange(1200), "at": _time(rng), "target": "#buy"},
    )[rng.randrange(4)]()


def _unique(rng, index):
    return f"{rng.getrandbits(64):016x}", {"n": index, f"k{rng.getrandbits(40):x}": rng.choice(words.ENGLISH)}


def _time(rng):
    day = f"20{rng.randrange(10, 27)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
    return f"{day}T{rng.randrange(24):02}:{rng.randrange(60):02}:00Z"


def _phrase(rng, vocabulary, count):
    return " ".join(rng.choices(vocabulary, k=count))


SHAPES = (
    Shape("records", "flat records, 10 keys", _record),
    Shape("tree", "deep trees, 8 levels", _tree),
    Shape("api", "mixed API answers", _api),
    Shape("wide", "wide rows, 500 keys", _wide),
    Shape("ndjson", "NDJSON, a call per line", _log_line, "lines"),
    Shape("latin1", "Latin-1 text", _prose(words.LATIN1), is_ascii=False),
    Shape("cyrillic", "Cyrillic text", _prose(words.CYRILLIC), is_ascii=False),
    Shape("cjk", "CJK text", _cjk, is_ascii=False),
    Shape("emoji", "emoji in text", _prose(words.EMOJI), is_ascii=False),
    Shape("escapes", "escape-heavy: JSON in JSON, paths", _escapes),
    Shape("lines", "lines and quotations in four scripts", _lines, is_ascii=False),
    Shape("ascii", "four scripts, escaped to ASCII", _lines, is_ascii=False, encode=_encode_as_by_default),
    Shape("integers", "integers", _integer),
    Shape("floats", "floats", _float),
    Shape("literals", "true, false, null", _literal),
    Shape("tiny", "requests under 200 bytes, a call each", _tiny, "lines"),
    Shape("unique", "unique keys", _unique, "object"),
    Shape("long_cjk", "long CJK strings", _long_cjk, "object", is_ascii=False),
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


# The text of a document is a function of shape, size and these two files.
_SOURCES = Path(__file__).read_bytes() + Path(words.__file__).read_bytes()
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
