"""Which core module to use: one per instruction-set level, the best that this machine runs, or the one in OCIOR_ISA.

`select()` is what the package calls; `load_level(name)` imports any level by name, so that one process can hold
several; `choose(...)` is the decision alone, without imports of cores, for those who want to ask or test it.
"""

import os
from importlib import import_module

# Every level there is, over all architectures, from most to least. A name outside is a spelling mistake.
KNOWN_LEVELS = ("v4", "v3", "v2", "neon")

_DESCRIPTION = {"v4": "AVX-512 with VBMI2 and IFMA", "v3": "AVX2 and BMI2", "v2": "x86-64-v2, SSE4.2", "neon": "aarch64 Advanced SIMD"}


def machine_levels():
    """The levels of this architecture, best first, each with a tuple of the processor features it lacks here."""
    try:
        return import_module("ocior._cpu").levels()
    except ModuleNotFoundError as error:
        if error.name != "ocior._cpu":
            raise
        raise ImportError(_never_built()) from None


def usable_levels():
    """The names of the levels that this processor runs, best first, whether their modules are installed or not."""
    return [level for level, missing in machine_levels().items() if not missing]


def choose(machine, override=None, known=KNOWN_LEVELS):
    """The levels to try, best first. `machine` is what `machine_levels()` returns, `override` a name or None.

    Raises ImportError when nothing can be tried, and says what is missing.
    """
    usable = [level for level, missing in machine.items() if not missing]
    if override:
        if override not in known:
            raise ImportError(
                f"OCIOR_ISA={override!r} is no level of ocior; the levels are {', '.join(known)}"
                f" (usable on this machine: {', '.join(usable) or 'none'})"
            )
        _require(machine, override, usable)
        return [override]
    if not usable:
        if not machine:
            raise ImportError("ocior has no level for this processor architecture; it supports x86-64 and aarch64")
        least, missing = list(machine.items())[-1]
        raise ImportError(f"ocior needs at least level {least} ({_DESCRIPTION[least]}); this processor lacks {', '.join(missing)}")
    return usable


def load_level(level):
    """The core module of one level. Raises ImportError if the level is unknown, unusable here, or not installed."""
    machine = machine_levels()
    if level not in KNOWN_LEVELS:
        raise ImportError(f"ocior has no level {level!r}; the levels are {', '.join(KNOWN_LEVELS)}")
    _require(machine, level, [name for name, missing in machine.items() if not missing])
    try:
        return _import_core(level)
    except ModuleNotFoundError as error:
        if error.name != _module_name(level):
            raise
        raise ImportError(_not_built([level])) from None


def select():
    """The core module that `import ocior` uses."""
    levels = choose(machine_levels(), os.environ.get("OCIOR_ISA"))
    for level in levels:
        # A level that was not built is passed over; one that was built and fails to import is an error.
        try:
            core = _import_core(level)
        except ModuleNotFoundError as error:
            if error.name != _module_name(level):
                raise
            continue
        _warn_of_unknown_tricks(os.environ.get("OCIOR_TRICKS", ""), core.get_current_features()["tricks"])
        return core
    raise ImportError(_not_built(levels))


def _warn_of_unknown_tricks(setting, known):
    """Entries of OCIOR_TRICKS that switch nothing off: the core looks for those that it knows."""
    unknown = [entry for entry in setting.split(",") if entry not in ("", "0", "1", *(f"-{name}" for name in known))]
    if unknown:
        import warnings

        warnings.warn(
            f"OCIOR_TRICKS={setting!r}: {', '.join(map(repr, unknown))} switches nothing off; what does is 0 (all of them)"
            f" or, with commas between, {', '.join('-' + name for name in known)}",
            RuntimeWarning,
            stacklevel=3,
        )


def _require(machine, level, usable):
    """Raises ImportError, with the reason, unless this machine can run `level`."""
    instead = f"usable on this machine: {', '.join(usable) or 'none'}"
    if level not in machine:
        raise ImportError(f"level {level} ({_DESCRIPTION[level]}) is for another processor architecture; {instead}")
    if machine[level]:
        raise ImportError(f"this machine cannot run level {level} ({_DESCRIPTION[level]}): it lacks {', '.join(machine[level])}; {instead}")


def _module_name(level):
    return f"ocior._core_{level}"


def _import_core(level):
    return import_module(_module_name(level))


def _never_built():
    """Why not even the module that reads the processor is there: for this interpreter nothing was compiled."""
    import sys
    from importlib.machinery import EXTENSION_SUFFIXES

    return (
        f"ocior is not built for {sys.executable}: {os.path.dirname(__file__)} has no _cpu{EXTENSION_SUFFIXES[0]}."
        f" In a source tree `make build PYTHON={sys.executable}` builds it; `pip install .` builds and installs it"
    )


def _not_built(levels):
    """Why no level could be imported, and which ones could be."""
    from importlib.util import find_spec

    names = ", ".join(map(_module_name, levels))
    present = [level for level in usable_levels() if find_spec(_module_name(level))]
    return (
        f"this installation of ocior does not have {'the module' if len(levels) == 1 else 'any of the modules'} {names};"
        f" usable and installed: {', '.join(present) or 'none'}"
    )
