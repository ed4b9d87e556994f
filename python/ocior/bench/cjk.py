"""The CJK experiment's speed: one document of long CJK strings, against `json` called the way most people call it."""

import json

from ocior.bench.documents import CjkDocument
from ocior.bench.groups import GROUPS
from ocior.bench.libraries import BASELINE, Library
from ocior.bench.runner import measure

# Title, the group whose calls are measured, and the call of `json` with its defaults that they are held against.
_ROWS = (
    ("dumps(ensure_ascii=False)", "dumps_str", json.dumps),
    ("dumps_to_bytes", "dumps_bytes", json.dumps),
    ("loads(str)", "loads_str", json.loads),
    ("loads(bytes)", "loads_bytes", json.loads),
    ("dumps, escaped", "dumps_ascii", json.dumps),
)


def measure_cjk(libraries, seconds):
    """Yields (title, cell) per row. Each row has its share of `seconds`."""
    groups = {group.name: group for group in GROUPS}
    for title, name, default_call in _ROWS:
        contestants = [
            Library(BASELINE, library.version, {name: default_call}) if library.name == BASELINE else library
            for library in libraries
        ]
        yield title, measure(groups[name], CjkDocument(), contestants, seconds / len(_ROWS))
