"""Whether time grows as the input does. A unit of a large input is dearer than one of a small input by what its memory costs: with neighbours
in the caches, or pages that the machine has to find first, many times as much. json, timed in turns with ocior, says how much that is."""

import sys
import time
from typing import NamedTuple

# Windows counts the processor time of a thread by its ticks, of 16 ms.
clock = time.perf_counter if sys.platform == "win32" else time.thread_time

SMALL, LARGE = 500, 64_000  # units of an input
# A unit of the large input may take so many times as long; where work is quadratic, it takes LARGE / SMALL = 128 times as long.
MOST = 16
# It may take more by so many times what json takes longer for it, whose memory is that of the same values.
SHARE = 2
ROUNDS = 15


class Times(NamedTuple):
    """The least processor times per unit, in seconds, that a function has taken for the small input and the large one."""

    small: float = float("inf")
    large: float = float("inf")


def processor_time(function, argument):
    start = clock()
    function(argument)
    return clock() - start


def time_again(function, small, large, before):
    # A small input is done within microseconds, and a mistake in its time would hide a growth.
    of_small = min(processor_time(function, small) for _ in range(25)) / SMALL
    return Times(min(before.small, of_small), min(before.large, processor_time(function, large) / LARGE))


def check_growth(ours, theirs, small, large):
    """Fails unless `ours`, a function of ocior, takes time in proportion to its input. `theirs` is json's function for the same, `small`
    and `large` are inputs of SMALL and LARGE units. Ends as soon as that is seen."""
    our_times = their_times = Times()
    for _ in range(ROUNDS):
        our_times = time_again(ours, small, large, our_times)
        if our_times.large < MOST * our_times.small:
            return
        their_times = time_again(theirs, small, large, their_times)
        if our_times.large < MOST * our_times.small + SHARE * max(0, their_times.large - their_times.small):
            return
    ours, theirs = (f"{times.small * 1e9:.1f} and {times.large * 1e9:.1f} ns" for times in (our_times, their_times))
    raise AssertionError(f"a unit of a small and of a large input take {ours}; with json they take {theirs}")
