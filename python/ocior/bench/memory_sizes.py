"""What the kernel says of memory: how much this process has, and how much the machine can still give."""

import os


def resident_bytes():
    """What of this process lies in memory now."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def available_bytes():
    """What this machine can still give, or None where it does not tell."""
    try:
        with open("/proc/meminfo") as info:
            return next(int(line.split()[1]) for line in info if line.startswith("MemAvailable")) * 1024
    except (OSError, StopIteration):
        return None
