"""The results file: what was measured where, written anew after each cell, so that an interrupted run can go on from it.

    {"schema": 2, "machine": {...}, "settings": {...}, "notes": [...],
     "cells": [{"key", "group", "document", "condition", "unit", "byte_len", "shape", "nominal_len", "rounds",
                "values": {library: figure}, "wrong": {library: why it has none},
                "spread": {library: {"rounds", "min", "p05", "p25", "p50", "p75", "p95", "max", "mean"}}}]}

`values` are nanoseconds per document (per pass over all lines of a stream) or, where `unit` says so, bytes. `key` names
everything that the figures depend on: two cells of one key are the same measurement.
"""

import json
import os
from dataclasses import asdict, dataclass, field, fields

from ocior.bench.runner import Cell

SCHEMA = 2


@dataclass
class Results:
    machine: dict
    settings: dict
    cells: list[Cell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def by_key(self):
        return {cell.key: cell for cell in self.cells}

    def of(self, condition, group=None):
        return [cell for cell in self.cells if cell.condition == condition and group in (None, cell.group)]

    def library_names(self):
        return list(self.machine["libraries"])

    def as_dict(self):
        return {"schema": SCHEMA, **asdict(self)}

    def save(self, path):
        """Replaces the file in one step: whoever reads it finds a whole one."""
        beside = f"{path}.part"
        with open(beside, "w", encoding="utf-8") as file:
            json.dump(self.as_dict(), file, indent=1)
        os.replace(beside, path)


def load(path):
    """What `save` wrote. Raises ValueError for a file that is something else, or of another schema."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise ValueError(f"{path} holds no results of schema {SCHEMA}")
    known = {one.name for one in fields(Cell)}
    cells = [Cell(**{name: value for name, value in cell.items() if name in known}) for cell in found["cells"]]
    return Results(found["machine"], found["settings"], cells, found["notes"])


def cell_key(group, document, condition, libraries, machine, effort):
    """`effort`: how much time or how many rounds a cell gets, in words."""
    own = machine["ocior"]
    measured = ",".join(f"{library.name} {library.version}" for library in libraries)
    source = f"{document.name}@{document.identity}"
    interpreter = f"{machine['implementation']} {machine['python']}{' free-threaded' if machine['free_threaded'] else ''}"
    core = f"{own.get('level')} {own.get('core')}"
    return "|".join((group.name, source, condition.name, measured, core, interpreter, machine["processor"], effort))
