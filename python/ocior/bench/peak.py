"""Peak memory: by how much the resident set of a fresh process rises above its input during one call, result included.

As a program (`python -m ocior.bench.peak LIBRARY GROUP INPUT`) it measures one call; INPUT is a file of marshal, made by
`freeze`. The kernel's own high-water mark is set back before the call (or, where that is refused, read as it is). Linux alone has one.
"""

import ctypes
import gc
import marshal
import mmap
import sys
from pathlib import Path

from ocior.bench import groups, isolation
from ocior.bench.libraries import load
from ocior.bench.memory_sizes import resident_bytes

_FORMAT = 4


def freeze(group, document, path):
    """Writes what the process starts from: the arguments of the calls, of a group whose arguments are text, plain values or paths."""
    with open(path, "wb") as file:
        marshal.dump(group.fresh(document), file, _FORMAT)
    if group.small:
        _small(path).write_bytes(group.small)


def _small(path):
    """Where a small document lies that is read before anything is measured."""
    return Path(f"{path}.small")


def thaw(path):
    """Read from a mapping, which is gone afterwards: a buffer would leave a hole in the heap for the call to fill unseen."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return marshal.loads(mapped)


def _high_water_bytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024


def _set_back():
    """Whether the high-water mark now is the present size."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return True
    except OSError:
        return False


def measure_here(spec, group_name, path):
    if not sys.platform.startswith("linux"):
        sys.exit("not measured: only Linux tells the peak of one call")
    group = groups.BY_NAME[group_name]
    call = load(spec).calls[group_name]
    arguments = thaw(path)
    if group.small:
        warm = str(_small(path))
    elif group.decodes:
        warm = b'{"a": [1]}' if group_name == "loads_bytes" else '{"a": [1]}'
    else:
        warm = {"a": [1]}
    call(warm)  # whatever is set up at the first call
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:  # another C library
        pass
    gc.disable()

    exact = _set_back()
    before = resident_bytes()
    result = None
    for argument in arguments:  # one after the other, of a stream
        result = None
        result = call(argument)
    peak = _high_water_bytes()
    kept = resident_bytes() - before
    del result
    return {"peak": max(0, peak - before), "kept": kept, "exact": exact}


if __name__ == "__main__":
    isolation.be_program(measure_here, *sys.argv[1:])
