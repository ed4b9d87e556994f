"""After decoding: what the objects that a library has made cost those who work with them, against the objects that `json` makes.

How objects lie in memory is decided when they are made and paid for ever after: by a walk in Python, by encoders, by copies, by the
garbage collector, and by freeing them.

As a program (`python -m ocior.bench.after LIBRARY GROUP OPERATION INPUT SECONDS`) it measures one operation on what one library makes;
INPUT is a file that `peak.freeze` has made. Each library has processes of its own: what another has left in the heap would decide for it.
"""

import copy
import gc
import json
import sys
from time import monotonic, perf_counter_ns

import ocior
from ocior.bench import isolation, peak
from ocior.bench.libraries import load

# Of its cells: the time is not the library's own, and takes no part in who is the fastest.
UNIT = "ns of others"
# More than this, against what json's objects cost, is marked.
MOST = 1.05
# Processes for each library, and how long each works: the best round of all counts.
_PROCESSES = 2
_SECONDS = 1.0
_LEAST_ROUNDS = 3


def walk(value):
    """Looks at every value, containers as they come; the number of scalars."""
    count = 0
    for item in value.values() if type(value) is dict else value:
        if type(item) is dict or type(item) is list:
            count += walk(item)
        elif item is not None:
            count += 1
    return count


def _collect(value):
    gc.collect()


def _encode(value):
    ocior.dumps_to_bytes(value)


def _call(operation, held):
    operation(held[0])


def _free(operation, held):
    held.clear()


# By name: what it is called, the operation, and how it is applied to a list that holds the value alone.
OPERATIONS = {
    "walk": ("a walk in Python", walk, _call),
    "dumps": ("json.dumps", json.dumps, _call),
    "encode": ("ocior.dumps_to_bytes", _encode, _call),
    "copy": ("copy.deepcopy", copy.deepcopy, _call),
    "collect": ("gc.collect", _collect, _call),
    "free": ("freeing", None, _free),
}


def measure_here(spec, group_name, name, path, seconds):
    """The shortest round, in nanoseconds, and the number of rounds."""
    decode = load(spec).calls[group_name]
    _, operation, apply = OPERATIONS[name]
    (argument,) = peak.thaw(path)
    gc.collect()
    gc.disable()
    apply(operation, [decode(argument)])  # whatever is set up at the first call
    times = []
    end = monotonic() + float(seconds)
    while len(times) < _LEAST_ROUNDS or monotonic() < end:
        held = [decode(argument)]
        start = perf_counter_ns()
        apply(operation, held)
        times.append(perf_counter_ns() - start)
    return {"ns": min(times), "rounds": len(times)}


def measure_all(libraries, group_name, name, path):
    """By library: its measurement, the best of its processes', which take turns."""
    found = {}
    for _ in range(_PROCESSES):
        for library in libraries:
            result = isolation.run_program("ocior.bench.after", (library.spec, group_name, name, path, _SECONDS))
            best = found.setdefault(library.name, result)
            if "error" not in result and ("error" in best or result["ns"] < best["ns"]):
                found[library.name] = result
    return found


if __name__ == "__main__":
    isolation.be_program(measure_here, *sys.argv[1:])
