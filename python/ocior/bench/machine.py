"""Where the figures were measured: processor, system, interpreter, how busy it was, and the versions of what was measured."""

import hashlib
import os
import platform
import sys
import sysconfig
from pathlib import Path
from time import strftime

from ocior.bench import timing


def processor():
    try:
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith(("model name", "Model")):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _read(path):
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def _total_memory():
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _own_features():
    """ocior's own account of itself, and the first digits of its core's SHA-256, which tells one build from another."""
    from ocior import dumps, get_current_features

    found = {}
    for name, value in get_current_features().items():
        found[name] = value if isinstance(value, (str, int, float, bool, dict, list)) else str(value)
    core = getattr(sys.modules.get(dumps.__module__), "__file__", None) or _core_file(found.get("level"))
    if core:
        found["core"] = hashlib.sha256(Path(core).read_bytes()).hexdigest()[:12]
    return found


def _core_file(level):
    return getattr(sys.modules.get(f"ocior._core_{level}"), "__file__", None)


def load_average():
    try:
        return [round(one, 2) for one in os.getloadavg()]
    except (AttributeError, OSError):
        return None


class Bustle:
    """How many tasks want a processor while the measuring goes on, by a look between the cells. A load average would tell of the
    minutes before, in which `make bench` compiles."""

    def __init__(self):
        self._seen = []

    def look(self):
        """Counts the tasks that run or wait for a processor, this one among them."""
        try:
            with open("/proc/loadavg") as load:
                self._seen.append(int(load.read().split()[3].split("/")[0]))
        except (OSError, ValueError, IndexError):  # no system that tells
            pass

    def complaint(self):
        """A plain line if the machine had more to do than it has processors for, else None."""
        processors, wanting = os.cpu_count() or 1, sum(self._seen) / max(len(self._seen), 1)
        if wanting < processors + 0.5:  # what the system itself does for moments
            return None
        return (
            f"a busy machine: {wanting:.1f} tasks on average for its {processors} processors; "
            "figures taken so mean little, measure again when nothing else runs"
        )


def describe(libraries):
    frequency = "/sys/devices/system/cpu/cpu0/cpufreq"
    return {
        "processor": processor(),
        "processors": os.cpu_count(),
        "memory": _total_memory(),
        "governor": _read(f"{frequency}/scaling_governor"),
        "turbo_off": _read("/sys/devices/system/cpu/intel_pstate/no_turbo"),
        "load_average": load_average(),
        "system": platform.platform(),
        "implementation": platform.python_implementation(),
        "python": platform.python_version(),
        "compiler": platform.python_compiler(),
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "optimized": "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or ""),
        "timer": f"a loop in {timing.LOOP}",
        "time": strftime("%Y-%m-%d %H:%M %z"),
        "libraries": {library.name: library.version for library in libraries},
        "ocior": _own_features(),
    }
