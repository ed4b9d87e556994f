"""The stopwatch: nanoseconds of single calls, each with an argument of its own."""

import gc
from contextlib import contextmanager
from time import perf_counter_ns

try:
    # A loop in C, which adds some 20 ns to a call where the one below adds 80. It frees each result untimed.
    from ssrjson_benchmark._ssrjson_benchmark import benchmark_bin as _c_loop
except (ImportError, SystemError):  # without a GIL that package does not load
    _c_loop = None

LOOP = "C" if _c_loop is not None else "Python"


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


@contextmanager
def collector_on():
    gc.enable()
    try:
        yield
    finally:
        gc.disable()


def time_one(function, argument):
    """One call, as it comes. For calls that are long against the stopwatch."""
    start = perf_counter_ns()
    result = function(argument)
    elapsed = perf_counter_ns() - start
    del result
    return elapsed


def time_each(function, arguments):
    """The times of the calls with all arguments but the first, which warms up. For short calls."""
    if _c_loop is not None:
        return _c_loop(function, arguments)[1]
    return [time_one(function, argument) for argument in arguments][1:]


def time_keeping(function, arguments, kept):
    """The times of the calls with all arguments, whose results are appended to a list."""
    times = []
    for argument in arguments:
        start = perf_counter_ns()
        result = function(argument)
        times.append(perf_counter_ns() - start)
        kept.append(result)
    return times
