"""Runs `python -m ocior` in processes of its own, with an environment that asks for no colours of its own accord."""

import os
import subprocess
import sys

import pytest

import ocior

# What Windows lacks: pseudo-terminals, named pipes, devices with names, a look at how full a pipe is, signals to a process.
NEEDS_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files or signals")


def command(*arguments, module="ocior", flags=()):
    return [sys.executable, *flags, "-m", module, *arguments]


def environment(path=(), **changes):
    ours = ("PYTHON_COLORS", "NO_COLOR", "FORCE_COLOR", "PYTHONUNBUFFERED")
    environ = {name: value for name, value in os.environ.items() if name not in ours}
    package_root = os.path.dirname(os.path.dirname(ocior.__file__))
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, [*path, package_root, environ.get("PYTHONPATH")]))
    return {**environ, "PYTHONIOENCODING": "utf-8", **changes}


def run(*arguments, module="ocior", flags=(), env=None, path=(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords):
    """The finished process, its output as bytes. `keywords` are those of subprocess.run: `input` or `stdin`."""
    return subprocess.run(
        command(*arguments, module=module, flags=flags),
        env=environment(path, **(env or {})),
        stdout=stdout,
        stderr=stderr,
        timeout=60,
        **keywords,
    )
