"""Measures one cell of the report, all libraries on one document in one group: verifies them, then lets them take turns."""

from dataclasses import asdict, dataclass
from time import monotonic

from ocior.bench import isolation
from ocior.bench.libraries import BASELINE, OWN
from ocior.bench.timing import collector_off, time_batch, time_one

# A call shorter than this is timed in batches.
_SHORT_CALL_NS = 100_000
_BATCH_NS = 200_000
_MAX_BATCH = 40
# The baseline is slow and its exact time matters least: it sits out this many of all rounds but one.
_BASELINE_EVERY = 3
_MIN_ROUNDS = 3
_MAX_ROUNDS = 4000


@dataclass
class Cell:
    """The best time of each library, in ns, and what was wrong with those that have none."""

    group: str
    document: str
    ns: dict[str, float]
    wrong: dict[str, str]
    rounds: int = 0

    def as_dict(self):
        return asdict(self)


def measure(group, document, libraries, seconds):
    """One cell, within about `seconds`, in a process of its own. Libraries that cannot do the work are left out;
    those with wrong results have no time."""
    try:
        return isolation.run(_measure_here, group, document, libraries, seconds)
    except RuntimeError as error:  # some library took the process with it
        return Cell(group.name, document.name, {}, {"all": str(error)})


def _measure_here(group, document, libraries, seconds):
    cell = Cell(group.name, document.name, {}, {})
    check = group.checker(document)
    deadline = monotonic() + seconds
    contestants = []
    with collector_off():
        for library in libraries:
            call = library.calls.get(group.name)
            if call is None:
                continue
            # The baseline is right by definition.
            problem = None
            if library.name != BASELINE:
                problem = _verify(call, group.fresh(document), check, library.name == OWN)
            if problem is None:
                contestants.append((library.name, call))
            else:
                cell.wrong[library.name] = problem
        if contestants:
            _take_turns(cell, contestants, lambda: group.fresh(document), deadline)
    return cell


def _verify(call, argument, check, is_ocior):
    try:
        return check(call(argument), is_ocior)
    except Exception as error:  # a peer may fail in any way it likes
        return f"raises {type(error).__name__}: {error}"


def _take_turns(cell, contestants, fresh, deadline):
    estimate = {name: min(time_one(call, fresh()) for _ in range(2)) for name, call in contestants}
    shortest = min(estimate.values())
    batch = 0
    if shortest < _SHORT_CALL_NS:
        batch = max(4, min(_MAX_BATCH, _BATCH_NS // max(1, shortest)))

    best = cell.ns
    while cell.rounds < _MIN_ROUNDS or (monotonic() < deadline and cell.rounds < _MAX_ROUNDS):
        turn = cell.rounds % len(contestants)
        for name, call in contestants[turn:] + contestants[:turn]:
            if name == BASELINE and cell.rounds % _BASELINE_EVERY and len(contestants) > 1:
                continue
            if batch:
                size = batch if name != BASELINE else max(2, batch // 4)
                elapsed = time_batch(call, [fresh() for _ in range(size + 1)])
            else:
                elapsed = time_one(call, fresh())
            best[name] = min(elapsed, best.get(name, elapsed))
        cell.rounds += 1
