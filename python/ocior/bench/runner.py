"""Measures one cell of the report, all libraries on one document in one group: verifies them, then lets them take turns."""

import json
from dataclasses import dataclass, field
from time import monotonic

from ocior.bench import isolation
from ocior.bench.conditions import USUAL, Work, batch_size
from ocior.bench.libraries import BASELINE, OWN
from ocior.bench.memory_sizes import available_bytes
from ocior.bench.table_same import Differs
from ocior.bench.timing import collector_off, time_one

# The baseline is slow: after these rounds, the least that a cell has, it takes part in every third one only. All multiples are
# of its time, and with a single round of its own on a busy machine some of them came out eight times too high.
_MIN_ROUNDS = 5
_BASELINE_EVERY = 3
_MAX_ROUNDS = 4000
# Where one round of all takes longer than this, one has to do.
_LONG_ROUND_NS = 15_000_000_000
# Text, values, frozen values and a library's working memory, per byte of text: what a cell needs to be measured at all.
_NEEDED_PER_BYTE = 30
# Where a cell has failed each library is tried alone, for so many seconds at most.
_PATIENCE_ALONE = 120.0
QUANTILES = {"min": 0.0, "p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95, "max": 1.0}


@dataclass
class Cell:
    """What each library needs for one document in one group under one condition, and what was wrong with those that have
    no figure. The value is the quantile that the condition names; the spread has them all."""

    group: str
    document: str
    values: dict[str, float]  # by library: nanoseconds per document, or bytes
    wrong: dict[str, str]
    condition: str = USUAL.name
    unit: str = "ns"
    byte_len: int = 0
    shape: str | None = None
    nominal_len: int | None = None
    rounds: int = 0
    spread: dict[str, dict[str, float]] = field(default_factory=dict)
    key: str = ""
    differs: dict[str, str] = field(default_factory=dict)  # by library that has a figure: what is other in its result


def quantile(ordered, fraction):
    place = fraction * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def spread_of(samples):
    ordered = sorted(samples)
    quantiles = {name: round(quantile(ordered, fraction), 1) for name, fraction in QUANTILES.items()}
    return {"rounds": len(ordered), **quantiles, "mean": round(sum(ordered) / len(ordered), 1)}


def new_cell(group, document, condition, unit="ns"):
    return Cell(group.name, document.name, {}, {}, condition.name, unit, document.byte_len, document.shape, document.nominal_len)


def fits(document):
    available = available_bytes()
    return available is None or (document.nominal_len or document.byte_len) * _NEEDED_PER_BYTE < available


def measure(group, document, libraries, seconds, condition=USUAL, rounds=None):
    """One cell, within about `seconds` (or so many rounds), in a process of its own. Libraries that cannot do the work are
    left out; those with wrong results have no time."""
    if not fits(document):
        cell = new_cell(group, document, condition)
        cell.wrong["all"] = "not measured: too little memory on this machine"
        return cell
    failed = {}
    patience = isolation.PATIENCE * (rounds or 1) + 2 * seconds
    try:
        try:
            return isolation.run(_measure_here, group, document, libraries, seconds, condition, rounds, patience=patience)
        except RuntimeError:  # some library took the process with it: the others are measured without it
            failed = _failures(group, document, libraries, condition)
            fine = [library for library in libraries if library.name not in failed]
            cell = isolation.run(_measure_here, group, document, fine, seconds, condition, rounds, patience=patience)
    except RuntimeError as error:
        cell = new_cell(group, document, condition)
        cell.wrong["all"] = str(error)
    cell.wrong.update(failed)
    return cell


def _failures(group, document, libraries, condition):
    """By library: how a process that measures it alone ends, if not well."""
    found = {}
    for library in libraries:
        try:
            isolation.run(_measure_here, group, document, [library], 0, condition, 1, patience=_PATIENCE_ALONE)
        except RuntimeError as error:
            found[library.name] = str(error)
    return found


def _call_of(library, group, document, condition):
    if condition.name == "defaults" and library.name == BASELINE:
        return json.loads if group.decodes else json.dumps
    return group.call_of(library.calls, document)


def _measure_here(group, document, libraries, seconds, condition, rounds):
    cell = new_cell(group, document, condition)
    deadline = monotonic() + seconds
    contestants = []
    with collector_off():
        check = group.checker(document)
        for library in libraries:
            call = _call_of(library, group, document, condition)
            if call is None:
                continue
            # The baseline is right by definition.
            problem = None if library.name == BASELINE else _verify(call, check, library.name == OWN)
            if problem is None or isinstance(problem, Differs):
                contestants.append((library.name, call))
                if problem is not None:
                    cell.differs[library.name] = str(problem)
            else:
                cell.wrong[library.name] = problem
        del check  # and the expected results with it
        if contestants:
            _take_turns(cell, contestants, group, document, condition, deadline, rounds)
    return cell


def _verify(call, check, is_ocior):
    try:
        return check(call, is_ocior)
    except Exception as error:  # a peer may fail in any way it likes
        return f"raises {type(error).__name__}: {error}"


def _first_time(call, fresh):
    """About how long a call takes: the second, unless the first was long enough to know."""
    first = time_one(call, *fresh(1))
    return first if first > 100_000_000 else min(first, time_one(call, *fresh(1)))


def _take_turns(cell, contestants, group, document, condition, deadline, rounds):
    def fresh(limit=None):
        return group.fresh(document, limit)

    parts = len(document.parts)
    estimates = [_first_time(call, fresh) for _, call in contestants]
    batch = 0 if document.is_stream else batch_size(min(estimates))
    least = rounds or (1 if sum(estimates) * parts > _LONG_ROUND_NS else _MIN_ROUNDS)
    state = {}
    works = {
        name: Work(call, fresh, document.is_stream, max(2, batch // 4) if batch and name == BASELINE else batch, document.byte_len, state)
        for name, call in contestants
    }

    samples = {name: [] for name, _ in contestants}
    while cell.rounds < least or (rounds is None and monotonic() < deadline and cell.rounds < _MAX_ROUNDS):
        turn = cell.rounds % len(contestants)
        for name, _ in contestants[turn:] + contestants[:turn]:
            if name == BASELINE and cell.rounds >= _MIN_ROUNDS and cell.rounds % _BASELINE_EVERY and len(contestants) > 1:
                continue
            samples[name].append(condition.round(works[name]))
        cell.rounds += 1
    for name, taken in samples.items():
        cell.spread[name] = spread_of(taken)
        cell.values[name] = cell.spread[name][condition.figure]
