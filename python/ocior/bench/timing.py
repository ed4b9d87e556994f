"""The stopwatch: nanoseconds of single calls, each with an argument of its own."""

import gc
from contextlib import contextmanager
from statistics import median
from time import perf_counter_ns

try:
    # A loop in C, which adds some 20 ns to a call where the one below adds 80. It frees each result untimed.
    from ssrjson_benchmark._ssrjson_benchmark import benchmark_bin as _c_loop
except ImportError:
    _c_loop = None


@contextmanager
def collector_off():
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def time_one(function, argument):
    """One call, cold as it comes. For calls that are long against the stopwatch."""
    start = perf_counter_ns()
    result = function(argument)
    elapsed = perf_counter_ns() - start
    del result
    return elapsed


def time_batch(function, arguments):
    """The median of the calls with all arguments but the first, which warms up. For short calls."""
    if _c_loop is not None:
        return median(_c_loop(function, arguments)[1])
    times = []
    for argument in arguments:
        times.append(time_one(function, argument))
    return median(times[1:])
