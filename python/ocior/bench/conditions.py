"""The conditions of a measurement: how one round of one library is timed, and which figure of all rounds counts.

A round is one figure: the nanoseconds for the whole document, however many calls it takes.
"""

import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from statistics import fmean, median
from threading import Barrier, Thread
from time import perf_counter_ns

from ocior.bench.after import OPERATIONS
from ocior.bench.timing import collector_on, time_each, time_keeping, time_one

# A call shorter than this is timed in batches.
_SHORT_CALL_NS = 100_000
_BATCH_NS = 200_000
_MAX_BATCH = 40
# What the kept results may take, before they are dropped and the round after starts anew: a guess from the text's length.
_KEPT_BYTES = 400_000_000
_BYTES_PER_TEXT_BYTE = 8
# Each thread works so long in one round.
_THREAD_NS = 30_000_000
# More than any private cache; of a shared one that we cannot fill, what is read last stays.
_LEAST_EVICTION, _MOST_EVICTION = 32 << 20, 512 << 20
# Of a stream so many lines are timed, each after an eviction of its own.
_COLD_LINES = 16


@dataclass
class Work:
    """What one round does: the call of one library, and where its arguments come from."""

    call: Callable[[object], object]
    fresh: Callable[..., list]  # arguments that no call had; more than one for a stream, unless limited
    is_stream: bool
    batch: int  # how many calls to a round, 0 for a single one
    byte_len: int
    state: dict  # of the condition, shared by the rounds of a cell

    def many(self, count):
        return [argument for _ in range(count) for argument in self.fresh()]


@dataclass(frozen=True)
class Condition:
    name: str
    title: str
    round: Callable[[Work], float] | None  # None: measured by other means
    figure: str = "min"  # which of the rounds' quantiles is the cell's value
    needs_values: bool = False  # means something only where values are encoded

    @property
    def is_timed(self):
        return self.round is not None


def batch_size(shortest_ns):
    """How many calls to a round, for a cell whose fastest library takes this long. 0: one call, timed alone."""
    return max(4, min(_MAX_BATCH, _BATCH_NS // max(1, shortest_ns))) if shortest_ns < _SHORT_CALL_NS else 0


def _usual(work, of_batch=median):
    if work.is_stream:
        arguments = work.fresh()
        return float(sum(time_each(work.call, [*work.fresh(1), *arguments])))
    if work.batch:
        return of_batch(time_each(work.call, work.many(work.batch + 1)))
    (argument,) = work.fresh()
    return time_one(work.call, argument)


def _collecting(work):
    """The mean, not the median: what a collection costs falls on a few calls. Arguments are made with the collector off."""
    arguments = work.fresh() if work.is_stream else work.many(max(1, work.batch))
    arguments = [*work.fresh(1), *arguments]
    with collector_on():
        times = time_each(work.call, arguments)
    return float(sum(times)) if work.is_stream else fmean(times)


def _kept(work):
    kept = work.state.setdefault("kept", [])
    arguments = work.fresh() if work.is_stream else work.many(max(1, work.batch))
    used = work.state.get("bytes", 0) + (1 if work.is_stream else len(arguments)) * work.byte_len * _BYTES_PER_TEXT_BYTE
    if used > _KEPT_BYTES:
        kept.clear()
        used = 0
    work.state["bytes"] = used
    times = time_keeping(work.call, arguments, kept)
    return float(sum(times)) if work.is_stream else median(times)


def _cold(work):
    """One call per round: all that it reads and writes, its own code included, has left the caches before. Of a stream some lines,
    taken evenly, stand for all."""
    arguments = work.fresh()
    some = arguments[:: max(1, len(arguments) // _COLD_LINES)]
    if "buffer" not in work.state:
        work.state["buffer"] = eviction_buffer()
    times = []
    for argument in some:
        work.state["buffer"].find(b"\2")
        times.append(time_one(work.call, argument))
    return sum(times) * len(arguments) / len(some)


def eviction_buffer():
    """What is read between cold calls, to the last byte: of pages of its own, which one that was never written would not have."""
    return bytearray(b"\1") * eviction_bytes()


def eviction_bytes():
    """How much is read between cold calls: twice the last-level cache, within bounds."""
    largest = 0
    for size in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = size.read_text().strip()
        largest = max(largest, int(text[:-1]) << {"K": 10, "M": 20}.get(text[-1], 0) if text[:-1].isdigit() else 0)
    return min(max(2 * largest, _LEAST_EVICTION), _MOST_EVICTION)


def _in_threads(thread_count, objects):
    def round(work):
        """Wall time of all calls of all threads, per document."""
        if "calls" not in work.state:
            (first,) = work.fresh(1)
            work.state["calls"] = 1 if work.is_stream else max(1, min(200, _THREAD_NS // max(1, time_one(work.call, first))))
        repeats = work.state["calls"]
        arguments = [None] * thread_count
        if objects == "shared":
            arguments = [work.fresh() * repeats] * thread_count
        elif objects == "foreign":
            arguments = [work.many(repeats) for _ in range(thread_count)]
        barrier = Barrier(thread_count)
        spans = [None] * thread_count

        def run(index):
            call, own = work.call, arguments[index] or work.many(repeats)
            barrier.wait()
            start = perf_counter_ns()
            for argument in own:
                call(argument)
            spans[index] = (start, perf_counter_ns())

        threads = [Thread(target=run, args=(index,)) for index in range(thread_count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wall = max(end for _, end in spans) - min(start for start, _ in spans)
        return wall / (repeats * thread_count)

    return round


def why_no_threads():
    """Why threads cannot be measured, in words, or None."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "this interpreter has a GIL, so that threads take turns and cannot scale"
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        return "a library has switched the GIL on by being imported; --libraries can leave it out, PYTHON_GIL=0 keeps the GIL off"
    return None


def thread_counts():
    """1, 2, 4, ... and as many as there are processors."""
    most = cpu_count() or 1
    return sorted({most, *(1 << power for power in range(most.bit_length()) if 1 << power <= most)})


# Whose the objects are that threads encode, without a GIL: who has made an object counts references to it at less cost than others do.
OBJECTS = {"own": "each its own", "shared": "all one", "foreign": "another thread's"}


def of_threads(count, objects="own"):
    """Without a GIL: so many threads at once, on objects of their own, on one object, or on objects that another thread has made."""
    name, title = f"threads={count}", f"{count} thread{'s' * (count > 1)}"
    if objects != "own":
        name, title = f"{name} {objects}", f"{title}, {OBJECTS[objects]}"
    return Condition(name, title, _in_threads(count, objects), needs_values=objects != "own")


def all_of_threads():
    return [of_threads(count, objects) for objects in OBJECTS for count in thread_counts()]


def threads_of(name):
    """Count and objects of the name of such a condition, or None."""
    kind, _, rest = name.partition("=")
    count, _, objects = rest.partition(" ")
    return (int(count), objects or "own") if kind == "threads" and (objects or "own") in OBJECTS else None


def of_after(operation):
    return Condition(f"after={operation}", f"after decoding: {OPERATIONS[operation][0]}", None)


def named(name):
    """A condition by the name that results carry."""
    if name.startswith("after="):
        return of_after(name.partition("=")[2])
    if threads := threads_of(name):
        return of_threads(*threads)
    return BY_NAME[name]


USUAL = Condition("usual", "warm caches, collector off", _usual)
CONDITIONS = (
    USUAL,
    Condition("cold", "cold caches", _cold, "p50"),
    Condition("gc", "collector on", _collecting, "p50"),
    Condition("kept", "results kept alive", _kept, "p50"),
    # json is called as most people call it, with its defaults; the others keep their calls.
    Condition("defaults", "long CJK strings against json with its defaults", _usual),
    Condition("peak", "peak memory of one call above its input", None),
    Condition("left", "memory left behind", None),
)
BY_NAME = {condition.name: condition for condition in CONDITIONS}
