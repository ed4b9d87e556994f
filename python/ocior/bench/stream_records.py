"""Documents for streams: records, one on each line, in memory, in files and in chunks; and single documents of which a part has come."""

import gzip
import hashlib
import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ocior.bench import stream_items, words
from ocior.bench.documents import Document
from ocior.bench.shapes import size_name

# How long a record is, is told from this many.
_SAMPLE = 200
# Where there are more chunks, of one byte each, less of the text is enough.
_MOST_CHUNKS = 200_000
_SNAPSHOT_CHUNK = 16
_SNAPSHOTS_KEPT = 4


@dataclass(frozen=True)
class Kind:
    name: str
    item: Callable[[random.Random, int], object]
    fields: tuple[str, ...]  # JSON Pointers to three fields that every record has, or names of columns
    sizes: tuple[int, ...] = (3_000_000,)
    is_partial: bool = False  # one array, read while it is incomplete


_ITEMS = (
    ("flat", stream_items.event, ("/id", "/user", "/price")),
    ("nested", stream_items.push, ("/id", "/actor/login", "/repo/name")),
    ("text", stream_items.text, ("/id", "/meta/lang", "/meta/score")),
)
KINDS = (
    *(Kind(f"stream_{name}", item, fields) for name, item, fields in _ITEMS),
    *(Kind(f"snapshot_{name}", item, fields, (16_000, 128_000), True) for name, item, fields in _ITEMS),
)
BY_NAME = {kind.name: kind for kind in KINDS}
_SOURCES = (__file__, stream_items.__file__, words.__file__)
_GENERATOR = hashlib.sha256(b"".join(Path(file).read_bytes() for file in _SOURCES)).hexdigest()[:12]


class StreamDocument(Document):
    """So many records. It is made when it is first asked for, and written to a file only for those that read files."""

    sort = "stream"
    has_non_ascii = False

    def __init__(self, kind, name, count, nominal_len, directory):
        super().__init__(name, None, nominal_len=nominal_len)
        self.kind = kind
        self._count, self._directory = count, directory

    @cached_property
    def lines(self):
        return [text.encode() for text in _texts(self.kind, self._count)]

    @cached_property
    def data(self):
        return b"[" + b",".join(self.lines) + b"]" if self.kind.is_partial else b"\n".join(self.lines) + b"\n"

    @property
    def parts(self):
        return [self.data]

    @cached_property
    def byte_len(self):
        return len(self.data)

    @property
    def value(self):
        """The records, new ones each time."""
        return list(map(json.loads, self.lines))

    @cached_property
    def _frozen(self):
        return [self.freeze_for_copies(self.value)]

    @property
    def identity(self):
        return f"generator {_GENERATOR}, {self._count}"

    def problem(self):
        return None

    def fresh_and_fields(self, limit=None):
        """The lines, and the pointers to what is wanted of each."""
        return [(bytes(memoryview(self.data)), self.kind.fields)]

    def fresh_lines_path(self, limit=None):
        return [self._file("jsonl", lambda: self.data)]

    def fresh_gzip_path(self, limit=None):
        return [self._file("jsonl.gz", lambda: gzip.compress(self.data, 6))]

    def fresh_array_path(self, limit=None):
        return [self._file("json", lambda: b"[" + b",".join(self.lines) + b"]")]

    def fresh_snapshots(self, limit=None):
        """Chunks of 16 bytes, and how many of them lie between two snapshots that the call is to return."""
        chunks = self.chunks(_SNAPSHOT_CHUNK)
        return [(chunks, -(-len(chunks) // _SNAPSHOTS_KEPT))]

    def chunks(self, size):
        """The lines in chunks of so many bytes; where these would be too many, the first of the lines."""
        end = min(len(self.data), size * _MOST_CHUNKS)
        if end < len(self.data):
            end = self.data.rfind(b"\n", 0, end) + 1
        return [self.data[start : min(start + size, end)] for start in range(0, end, size)]

    def _file(self, suffix, make):
        path = self._directory / f"{self.name}.{suffix}"
        if not path.exists():
            whole = path.with_name(f"{path.name}.part")
            whole.write_bytes(make())
            os.replace(whole, path)
        return str(path)


def fresh_chunks(size):
    """For a group: what gives a document's lines in chunks of so many bytes."""
    return lambda document, limit=None: [document.chunks(size)]


def _texts(kind, count):
    rng = random.Random(kind.item.__name__)
    return [json.dumps(kind.item(rng, index), ensure_ascii=False, separators=(",", ":")) for index in range(count)]


def documents(names, directory, sizes=None):
    """The documents of these kinds, in sizes of their own or in these. Files are written into the directory when they are needed."""
    found = []
    for kind in map(BY_NAME.__getitem__, names):
        for size in sizes or kind.sizes:
            name = f"{kind.name}-{size_name(size)}" if sizes or kind.is_partial else kind.name
            found.append(StreamDocument(kind, name, count_for(kind, size), size, directory))
    return found


def count_for(kind, size):
    """How many records of a kind have about so many bytes."""
    per_item = sum(len(text.encode()) + 1 for text in _texts(kind, _SAMPLE)) / _SAMPLE
    return max(1, round(size / per_item))
