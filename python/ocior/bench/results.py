"""The results file: what was measured where, written anew after each cell, so that an interrupted run can go on from it.

    {"schema": 2, "machine": {...}, "settings": {...}, "notes": [...], "refused": {document: why it was not measured},
     "cells": [{"key", "group", "document", "condition", "unit", "byte_len", "shape", "nominal_len", "rounds",
                "values": {library: figure}, "wrong": {library: why it has none},
                "differs": {library: what is other in the result that has a figure},
                "spread": {library: {"rounds", "min", "p05", "p25", "p50", "p75", "p95", "max", "mean"}}}]}

`values` are nanoseconds per document (per pass over all lines of a stream) or, where `unit` says so, bytes, or nanoseconds of others. `key` names
everything that the figures depend on: two cells of one key are the same measurement.
"""

import json
import os
from dataclasses import asdict, dataclass, field, fields

from ocior.bench import conditions, groups
from ocior.bench.runner import Cell

SCHEMA = 2
# Of the machine, what every report tells.
_SHOWN = {
    "processor",
    "processors",
    "governor",
    "load_average",
    "system",
    "implementation",
    "python",
    "compiler",
    "free_threaded",
    "optimized",
    "timer",
    "time",
    "libraries",
    "ocior",
}


@dataclass
class Results:
    machine: dict
    settings: dict
    cells: list[Cell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)  # documents that were not measured, and why

    def reusable(self):
        """The cells by their keys, but for those in which nothing could be measured."""
        return {cell.key: cell for cell in self.cells if "all" not in cell.wrong}

    def of(self, condition, group=None):
        return [cell for cell in self.cells if cell.condition == condition and group in (None, cell.group)]

    def library_names(self):
        return list(self.machine["libraries"])

    def as_dict(self):
        return {"schema": SCHEMA, **asdict(self)}

    def save(self, path):
        """Replaces the file (where a link leads to one, that) in one step: whoever reads it finds a whole one."""
        path = os.path.realpath(path)
        is_file = os.path.isfile(path) or not os.path.exists(path)
        beside = f"{path}.part" if is_file else path
        with open(beside, "w", encoding="utf-8") as file:
            json.dump(self.as_dict(), file, indent=1)
        if is_file:
            os.replace(beside, path)


def load(path):
    """What `save` wrote. Raises ValueError for a file that is something else, of another schema, or damaged."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except ValueError as error:
        raise ValueError(f"{path} is no results file: {error}") from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise ValueError(f"{path} holds no results of schema {SCHEMA}")
    try:
        return _from_dict(found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {type(error).__name__}: {error}") from None


def _from_dict(found):
    known = {one.name for one in fields(Cell)}
    cells = [Cell(**{name: value for name, value in cell.items() if name in known}) for cell in found["cells"]]
    for cell in cells:
        groups.BY_NAME[cell.group], conditions.named(cell.condition)
        [*cell.values.values(), *cell.wrong.values(), *cell.differs.values(), *cell.spread.values()]
    missing = _SHOWN.difference(found["machine"])
    if missing:
        raise KeyError(*sorted(missing))
    return Results(found["machine"], found["settings"], cells, found["notes"], found.get("refused", {}))


def cell_key(group, document, condition, libraries, machine, effort):
    """`effort`: how much time or how many rounds a cell gets, in words."""
    own = machine["ocior"]
    measured = ",".join(f"{library.name} {library.version}" for library in libraries)
    source = f"{document.name}@{document.identity}"
    interpreter = f"{machine['implementation']} {machine['python']}{' free-threaded' if machine['free_threaded'] else ''}"
    core = f"{own.get('level')} {own.get('core')}"
    return "|".join((group.name, source, condition.name, measured, core, interpreter, machine["processor"], effort))


def is_of_same_place(key, other):
    """Whether two cells were measured with the same libraries, core and interpreter on the same processor."""
    return key.rsplit("|", 5)[1:5] == other.rsplit("|", 5)[1:5]
