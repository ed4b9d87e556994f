"""From cells to figures: ratios, geometric means, the fastest peer, what is lost. Numbers only, no layout."""

from dataclasses import dataclass
from statistics import geometric_mean

from ocior.bench import conditions, groups
from ocior.bench.libraries import BASELINE, OWN


def _times_faster(cell, name, other):
    own, base = cell.values.get(name), cell.values.get(other)
    return base / own if own and base and own > 0 and base > 0 else None


def ratio(cell, name):
    """How many times faster (or smaller) than `json` a library is, or None."""
    return _times_faster(cell, name, BASELINE)


def fastest_peer(cell):
    """The name of the fastest library but ocior, `json` included; None where there is no other than `json`. Whose result differs is no
    peer."""
    peers = [name for name in cell.values if name != OWN and name not in cell.differs]
    return None if peers in ([], [BASELINE]) else min(peers, key=cell.values.__getitem__)


def lead(cell):
    """How many times faster than the fastest peer ocior is, or None."""
    peer = fastest_peer(cell)
    return None if peer is None else _times_faster(cell, OWN, peer)


def is_close(cell):
    """Whether the middle halves of ocior's rounds and its fastest peer's overlap: another run may turn the order."""
    own, peer = cell.spread.get(OWN), cell.spread.get(fastest_peer(cell))
    if not own or not peer:
        return False
    return own["p25"] <= peer["p75"] and peer["p25"] <= own["p75"]


def _mean(ratios):
    """The geometric mean of those that there are, or None."""
    ratios = [one for one in ratios if one is not None]
    return geometric_mean(ratios) if ratios else None


def summarize(cells, names):
    """One group's means: of each library against `json`, of ocior against the peer that does best, on the documents that both
    have done, and of ocior against whichever peer is fastest on each document, which is the harder test. `partial` are the
    libraries that have no figure for some document that others have one for."""
    cells = [cell for cell in cells if cell.values]
    leads_over = {
        name: _mean(_times_faster(cell, OWN, name) for cell in cells if name not in cell.differs)
        for name in names
        if name not in (BASELINE, OWN)
    }
    best = min((name for name, value in leads_over.items() if value is not None), key=leads_over.get, default=None)
    leads = [one for one in map(lead, cells) if one is not None]
    means = {name: _mean(ratio(cell, name) for cell in cells) for name in names}
    return {
        "mean": means,
        "partial": [name for name, value in means.items() if value is not None and any(ratio(cell, name) is None for cell in cells)],
        "best_peer": best,
        "lead_of_means": leads_over.get(best),
        "mean_of_leads": _mean(leads),
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


def over_twins(cells, road):
    """[(document, {library: how many times as long rich types take as their plain twin})] of a group of rich types."""
    times = {(cell.group, cell.document): cell.values for cell in cells if cell.condition == "usual"}
    found = []
    for (group, document), values in times.items():
        twins = times.get((groups.TWINS[road], document), {})
        ratios = {name: value / twins[name] for name, value in values.items() if twins.get(name)}
        if group == road and ratios:
            found.append((document, ratios))
    return found


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


def differences(cells):
    """(cell, library, what) for every result that has a figure, and is other than that of the rest."""
    return [(cell, name, what) for cell in cells for name, what in cell.differs.items()]


def scaling(cells):
    """{(group, document, objects): {library: {threads: speed against one thread}}} of cells measured in threads. `objects` are those of
    `conditions.OBJECTS`; the one thread is one with objects of its own, so that the others tell what they cost, too."""
    found = {}
    for cell in cells:
        if threads := conditions.threads_of(cell.condition):
            count, objects = threads
            for name, value in cell.values.items():
                found.setdefault((cell.group, cell.document, objects), {}).setdefault(name, {})[count] = value
    alone = {
        (group, document, name): times[1]
        for (group, document, objects), by_library in found.items()
        for name, times in by_library.items()
        if objects == "own" and 1 in times
    }
    for (group, document, _), by_library in found.items():
        for name, times in by_library.items():
            one = alone.get((group, document, name)) or times.get(1)
            by_library[name] = {count: one / times[count] for count in sorted(times)} if one else {}
    return found
