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
    """The finished process, its output as bytes, with "\\n" at the ends of lines on every system. `keywords` are those of subprocess.run:
    `input` or `stdin`."""
    done = subprocess.run(
        command(*arguments, module=module, flags=flags),
        env=environment(path, **(env or {})),
        stdout=stdout,
        stderr=stderr,
        timeout=60,
        **keywords,
    )
    done.stdout, done.stderr = (shown and shown.replace(os.linesep.encode(), b"\n") for shown in (done.stdout, done.stderr))
    return done


def text_of(path):
    """What a file holds that the command has written, with "\\n" at the ends of lines on every system."""
    return path.read_bytes().replace(os.linesep.encode(), b"\n")
