"""Where the figures were measured: processor, system, interpreter, and the versions of what was measured."""

import platform
import sys
import sysconfig


def processor():
    try:
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith(("model name", "Model")):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def describe(libraries):
    features = {}
    try:
        from ocior import get_current_features

        features = get_current_features()
    except ImportError:
        pass
    return {
        "processor": processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "compiler": platform.python_compiler(),
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "optimized": "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or ""),
        "executable": sys.executable,
        "libraries": {library.name: library.version for library in libraries},
        "ocior": {name: value if isinstance(value, (str, int, float, bool, dict, list)) else str(value) for name, value in features.items()},
    }
