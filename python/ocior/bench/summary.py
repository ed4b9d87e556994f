"""From cells to figures: ratios, geometric means, the fastest peer, what is lost. Numbers only, no layout."""

from dataclasses import dataclass
from statistics import geometric_mean

from ocior.bench.libraries import BASELINE, OWN


def ratio(cell, name):
    """How many times faster (or smaller) than `json` a library is, or None."""
    own, base = cell.values.get(name), cell.values.get(BASELINE)
    return base / own if own and base and own > 0 and base > 0 else None


def fastest_peer(cell):
    """The name of the fastest library that is neither ocior nor `json`, or None."""
    peers = [name for name in cell.values if name not in (BASELINE, OWN)]
    return min(peers, key=cell.values.__getitem__, default=None)


def lead(cell):
    """How many times faster than the fastest peer ocior is, or None."""
    peer = fastest_peer(cell)
    own = cell.values.get(OWN)
    if peer is None or not own or own <= 0 or cell.values[peer] <= 0:
        return None
    return cell.values[peer] / own


def is_close(cell):
    """Whether the middle halves of ocior's rounds and its fastest peer's overlap: another run may turn the order."""
    own, peer = cell.spread.get(OWN), cell.spread.get(fastest_peer(cell))
    if not own or not peer:
        return False
    return own["p25"] <= peer["p75"] and peer["p25"] <= own["p75"]


def mean(ratios):
    """The geometric mean, or None unless there is a figure for every document."""
    ratios = list(ratios)
    return geometric_mean(ratios) if ratios and None not in ratios else None


def summarize(cells, names):
    """One group's means: of each library against `json`, of ocior against the library whose mean is best, and of
    ocior against whichever peer is fastest on each document, which is the harder test."""
    means = {name: mean(ratio(cell, name) for cell in cells) for name in names}
    peers = {name: value for name, value in means.items() if name not in (BASELINE, OWN) and value is not None}
    best = max(peers, key=peers.get, default=None)
    own = means.get(OWN)
    leads = [one for one in map(lead, cells) if one is not None]
    return {
        "mean": means,
        "best_peer": best,
        "lead_of_means": own / peers[best] if best is not None and own is not None else None,
        "mean_of_leads": mean(map(lead, cells)),
        "worst_lead": min(leads, default=None),
        "lost": sum(one < 1 for one in leads),
        "compared": len(leads),
    }


@dataclass
class Verdict:
    """Of all timed cells: where ocior is ahead of every peer, where it is not, where it has no result."""

    won: list
    lost: list  # worst first
    failed: list

    @property
    def compared(self):
        return len(self.won) + len(self.lost)


def verdict(cells):
    timed = [cell for cell in cells if cell.unit == "ns"]
    led = [(one, cell) for cell in timed if (one := lead(cell)) is not None]
    return Verdict(
        [cell for one, cell in led if one >= 1],
        [cell for one, cell in sorted(led, key=lambda pair: pair[0]) if one < 1],
        [cell for cell in timed if OWN in cell.wrong or "all" in cell.wrong],
    )


def problems(cells):
    """(cell, library, what) for everything that went wrong."""
    return [(cell, name, what) for cell in cells for name, what in cell.wrong.items()]


def scaling(cells):
    """{(group, document): {library: {threads: speed against one thread}}} of cells measured in threads."""
    found = {}
    for cell in cells:
        if cell.condition.startswith("threads="):
            count = int(cell.condition.partition("=")[2])
            for name, value in cell.values.items():
                found.setdefault((cell.group, cell.document), {}).setdefault(name, {})[count] = value
    for by_library in found.values():
        for name, times in by_library.items():
            by_library[name] = {count: times[1] / times[count] for count in sorted(times)} if 1 in times else {}
    return found
