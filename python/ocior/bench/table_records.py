"""Documents for tables: records, one on each line of a file, those of streams and two that are wider."""

import hashlib
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from ocior.bench import stream_items, stream_records, table_calls, words
from ocior.bench.shapes import size_name
from ocior.bench.stream_records import Kind, StreamDocument

_WIDE_COLUMNS = 120
_SPARSE_KEYS, _SPARSE_PRESENT = 300, 8
_SIZE = 20_000_000
# Where most of the cells are null there are more of them, and they take the peers longer.
_SPARSE_SIZE = 8_000_000


def wide(rng, index):
    """A row of 120 columns: integers, some of them null, floats, words."""
    kinds = (
        lambda: rng.randrange(100_000),
        lambda: round(rng.uniform(0, 100), 3),
        lambda: rng.choice(words.ENGLISH),
        lambda: rng.choice((None, rng.randrange(1000), rng.randrange(10))),
    )
    return {f"column_{number:03}": kinds[number % 4]() for number in range(_WIDE_COLUMNS)}


def sparse(rng, index):
    """What many sensors tell: 8 of 300 keys, in any order."""
    kinds = (lambda: rng.randrange(100_000), lambda: round(rng.uniform(0, 100), 3), lambda: rng.choice(words.ENGLISH))
    return {f"sensor_{number:03}": kinds[number % 3]() for number in rng.sample(range(_SPARSE_KEYS), _SPARSE_PRESENT)}


KINDS = (
    Kind("table_flat", stream_items.event, ("id", "user", "price"), (_SIZE,)),
    Kind("table_nested", stream_items.push, ("id", "type", "created_at"), (_SIZE,)),
    Kind("table_text", stream_items.text, ("id", "meta"), (_SIZE,)),  # has no third one but the text
    Kind("table_wide", wide, ("column_001", "column_042", "column_119"), (_SIZE,)),
    Kind("table_sparse", sparse, ("sensor_001", "sensor_042", "sensor_299"), (_SPARSE_SIZE,)),
)
BY_NAME = {kind.name: kind for kind in KINDS}
_SOURCES = (__file__, stream_records.__file__, stream_items.__file__, words.__file__)
_GENERATOR = hashlib.sha256(b"".join(Path(file).read_bytes() for file in _SOURCES)).hexdigest()[:12]


class TableDocument(StreamDocument):
    """So many rows, in a file."""

    sort = "table"

    @property
    def identity(self):
        return f"generator {_GENERATOR}, {self._count}"

    def problem(self):
        return None if find_spec("pyarrow") else "pyarrow is not installed"

    def fresh_path_and_columns(self, limit=None):
        return [(*self.fresh_lines_path(), list(self.kind.fields))]

    def fresh_frames(self, limit=None):
        return [self._frames]

    @cached_property
    def _frames(self):
        """What is written: nothing is kept in columns of Arrow, so that all calls may have the same."""
        return table_calls.Frames(table_calls.of_json()["table_read"](*self.fresh_lines_path()), str(self._directory))


def documents(names, directory, sizes=None):
    """The documents of these kinds, in sizes of their own or in these. Files are written into the directory when they are needed."""
    found = []
    for kind in map(BY_NAME.__getitem__, names):
        for size in sizes or kind.sizes:
            name = f"{kind.name}-{size_name(size)}" if sizes else kind.name
            found.append(TableDocument(kind, name, stream_records.count_for(kind, size), size, directory))
    return found
