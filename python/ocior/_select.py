"""Which core module to use: one per instruction-set level, the best that this machine runs, or the one in OCIOR_ISA.

`select()` is what the package calls; `load_level(name)` imports any level by name, so that one process can hold
several; `choose(...)` is the decision alone, without imports of cores, for those who want to ask or test it.

Every module that may be needed stands here in an import statement of its own: PyInstaller, cx_Freeze and Nuitka put into a program what
they find in such statements.
"""

import os

# Every level there is, over all architectures, from most to least. A name outside is a spelling mistake.
KNOWN_LEVELS = ("v4", "v3", "v2", "neon")

_INSTEAD = "Python's own json module serves there: `try: import ocior as json`, `except ImportError: import json`"

_DESCRIPTION = {"v4": "AVX-512 with VBMI2 and IFMA", "v3": "AVX2 and BMI2", "v2": "x86-64-v2, SSE4.2", "neon": "aarch64 Advanced SIMD"}


def machine_levels():
    """The levels of this architecture, best first, each with a tuple of the processor features it lacks here."""
    try:
        import ocior._cpu as cpu
    except ModuleNotFoundError as error:
        if error.name != "ocior._cpu":
            raise
        raise ImportError(_without_native_modules()) from None
    return cpu.levels()


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
            raise ImportError(f"ocior has no level for this processor architecture; it supports x86-64 and aarch64. {_INSTEAD}")
        least, missing = list(machine.items())[-1]
        raise ImportError(
            f"ocior needs at least level {least} ({_DESCRIPTION[least]}); this processor lacks {', '.join(missing)}. {_INSTEAD}"
        )
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
    if level == "v4":
        import ocior._core_v4 as core
    elif level == "v3":
        import ocior._core_v3 as core
    elif level == "v2":
        import ocior._core_v2 as core
    else:
        import ocior._core_neon as core
    return core


def _imported_by_the_core():
    """The modules that the core imports by name, when they are needed. Nobody calls this: it shows them to what reads import statements."""
    import _io  # noqa: F401
    import binascii  # noqa: F401
    import functools  # noqa: F401
    import gc  # noqa: F401
    import io  # noqa: F401
    import json.decoder
    import json.scanner  # noqa: F401

    import ocior._tables.showing
    import ocior._typed.cache
    import ocior._typed.encoding
    import ocior._typed.hints
    import ocior._typed.problems  # noqa: F401


def _without_native_modules():
    """Why not even the module that reads the processor is there."""
    import platform
    import sys
    from importlib.machinery import EXTENSION_SUFFIXES

    refusal = unsupported(
        sys.implementation.name, sys.version_info[:2], 64 if sys.maxsize > 2**32 else 32, platform.machine() or "a processor without a name"
    )
    if refusal:
        return refusal
    folder = os.path.dirname(__file__)
    if getattr(sys, "frozen", False) or "__compiled__" in globals():
        return (
            "this program was packed without the native modules of ocior. What packed it has to be told of ocior._cpu and of"
            f" {', '.join(map(_module_name, KNOWN_LEVELS))}, those that the installation has"
        )
    if not os.path.isdir(folder):
        return (
            f"ocior was imported from an archive, as {folder}: Python loads native modules, such as ocior's core, from files of their own"
            " only. Unpack the package into a folder, or install it, beside the archive"
        )
    # For this interpreter nothing was compiled.
    return (
        f"ocior is not built for {sys.executable}: {folder} has no _cpu{EXTENSION_SUFFIXES[0]}."
        f" In a source tree `make build PYTHON={sys.executable}` builds it; `pip install .` builds and installs it"
    )


def unsupported(implementation, version, pointer_bits, processor):
    """Why ocior cannot be built for such an interpreter, or None if it can."""
    # Wheels, builds and this text ask for what the core is written for: CPython's own objects, in words of 64 bits.
    if implementation != "cpython":
        return f"ocior works on the objects of CPython; this Python is {implementation}. {_INSTEAD}"
    if version < (3, 10):
        return f"ocior needs CPython 3.10 or newer; this is {'.'.join(map(str, version))}. {_INSTEAD}"
    if pointer_bits != 64:
        return f"ocior needs a Python of 64 bits; this one has {pointer_bits}. {_INSTEAD}"
    if processor.lower() not in ("x86_64", "amd64", "aarch64", "arm64"):
        return f"ocior supports x86-64 and aarch64; this processor is {processor}. {_INSTEAD}"
    return None


def _not_built(levels):
    """Why no level could be imported, and which ones could be."""
    from importlib.util import find_spec

    names = ", ".join(map(_module_name, levels))
    present = [level for level in usable_levels() if find_spec(_module_name(level))]
    return (
        f"this installation of ocior does not have {'the module' if len(levels) == 1 else 'any of the modules'} {names};"
        f" usable and installed: {', '.join(present) or 'none'}"
    )
