"""From cells to figures: ratios, geometric means, the fastest peer. Numbers only, no layout."""

from statistics import geometric_mean

from ocior.bench.libraries import BASELINE, OWN


def ratio(cell, name):
    """How many times faster than `json` a library is, or None."""
    if name not in cell.ns or BASELINE not in cell.ns:
        return None
    return cell.ns[BASELINE] / cell.ns[name]


def fastest_peer(cell):
    """The name of the fastest library that is neither ocior nor `json`, or None."""
    peers = [name for name in cell.ns if name not in (BASELINE, OWN)]
    return min(peers, key=cell.ns.__getitem__, default=None)


def lead(cell):
    """How many times faster than the fastest peer ocior is, or None."""
    peer = fastest_peer(cell)
    if peer is None or OWN not in cell.ns:
        return None
    return cell.ns[peer] / cell.ns[OWN]


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
    return {
        "mean": means,
        "best_peer": best,
        "lead_of_means": own / peers[best] if best is not None and own is not None else None,
        "mean_of_leads": mean(lead(cell) for cell in cells),
    }
