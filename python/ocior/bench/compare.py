"""This run held against an earlier one, cell by cell: two commits on one machine, or two machines.

What did not change between the runs, the peers of the same version, tells how much the machine itself did; ocior's change is
shown with that taken off.
"""

from dataclasses import dataclass
from statistics import geometric_mean, median

from ocior.bench.libraries import OWN

# A change smaller than this is noise, whatever the spread says.
_NOISE = 0.03


@dataclass
class Change:
    group: str
    document: str
    condition: str
    unit: str
    raw: float  # earlier value / present value: above 1 is better now
    drift: float  # the same of the unchanged libraries, their median
    is_clear: bool  # outside the noise and the middle halves of both runs

    @property
    def corrected(self):
        return self.raw / self.drift


def compare(now, earlier):
    """The changes of ocior in all cells that both have, by how much worse they are."""
    before = {_place(cell): cell for cell in earlier.cells}
    versions = earlier.machine["libraries"]
    unchanged = {name for name, version in now.machine["libraries"].items() if name != OWN and versions.get(name) == version}
    found = []
    for cell in now.cells:
        other = before.get(_place(cell))
        if other is None or not _positive(cell, other, OWN):
            continue
        moved = [other.values[name] / cell.values[name] for name in unchanged if _positive(cell, other, name)]
        drift = median(moved) if moved and cell.unit == "ns" else 1.0
        raw = other.values[OWN] / cell.values[OWN]
        found.append(Change(cell.group, cell.document, cell.condition, cell.unit, raw, drift, _is_clear(cell, other, raw / drift, drift)))
    return sorted(found, key=lambda change: change.corrected)


def by_group(changes):
    """{(condition, group): (geometric mean of the corrected changes, how many are clearly worse, clearly better, all)}"""
    grouped = {}
    for change in changes:
        grouped.setdefault((change.condition, change.group), []).append(change)
    return {
        place: (
            geometric_mean(change.corrected for change in ones),
            sum(change.is_clear and change.corrected < 1 for change in ones),
            sum(change.is_clear and change.corrected > 1 for change in ones),
            len(ones),
        )
        for place, ones in grouped.items()
    }


def _place(cell):
    return cell.group, cell.document, cell.condition, cell.byte_len


def _positive(cell, other, name):
    return cell.values.get(name, 0) > 0 and other.values.get(name, 0) > 0


def _is_clear(cell, other, corrected, drift):
    if abs(corrected - 1) < _NOISE:
        return False
    now, before = cell.spread.get(OWN), other.spread.get(OWN)
    if not now or not before:
        return True
    if corrected < 1:
        return now["p25"] * drift > before["p75"]
    return now["p75"] * drift < before["p25"]
