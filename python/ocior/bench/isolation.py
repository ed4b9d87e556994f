"""One measurement per process: runs a function in a forked child and brings its result back.

What one measurement leaves in the allocator (which sizes come from the heap, which are mapped afresh and faulted in
page by page) can change the next one's figures by a factor. A child starts from the state of a process that has
imported the libraries and done nothing. A library that crashes or hangs takes only its child with it.
"""

import ctypes
import json
import os
import pickle
import select
import signal
import subprocess
import sys
import traceback
from time import monotonic

# What hangs is given up after so many seconds: one round of all libraries on the largest document stays far below.
PATIENCE = 600.0


def run(function, *arguments, patience=PATIENCE):
    """The result of function(*arguments), made in a child. Raises RuntimeError where the child failed, died or hung."""
    if not hasattr(os, "fork"):
        return function(*arguments)
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        _be_child(writable, function, arguments)
    os.close(writable)
    answer = None
    try:
        with os.fdopen(readable, "rb", buffering=0) as pipe:
            answer = _read_all(pipe, monotonic() + patience)
    finally:
        if answer is None:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if answer is None:
        raise RuntimeError(f"the measuring process hung: no result after {patience:.0f} s")
    if not answer:
        raise RuntimeError(f"the measuring process died: {_describe(status)}")
    fine, result = pickle.loads(answer)
    if not fine:
        raise RuntimeError(result)
    return result


def _read_all(pipe, deadline):
    """All that is written before its other end is closed; None if that takes too long."""
    pieces = []
    while select.select([pipe], [], [], max(0.0, deadline - monotonic()))[0]:
        piece = pipe.read(1 << 20)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
    return None


def die_with_parent():
    """Has the system end this process when the one that started it is gone, where it can: a killed run leaves none that measures on."""
    parent_death_signal = 1
    try:
        ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGKILL)
    except (AttributeError, OSError, TypeError):
        pass


def _be_child(writable, function, arguments):
    status = 1
    try:
        try:
            die_with_parent()
            answer = (True, function(*arguments))
        except BaseException as error:
            answer = (False, "".join(traceback.format_exception_only(type(error), error)).strip())
        with os.fdopen(writable, "wb") as pipe:
            pickle.dump(answer, pipe)
        status = 0
    finally:
        os._exit(status)  # nothing of the parent's may run twice


def _describe(status):
    return _describe_code(os.waitstatus_to_exitcode(status))


def _describe_code(code):
    return f"signal {-code}" if code < 0 else f"exit status {code}"


def run_program(module, arguments):
    """The result of a program of this package that ends in `be_program`; or {"error": why there is none}."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return {"error": f"the measuring process hung: no result after {PATIENCE:.0f} s"}
    if done.returncode != 0 or not done.stdout:
        return {"error": done.stderr.strip().rsplit("\n", 1)[-1] or f"the measuring process died: {_describe_code(done.returncode)}"}
    return json.loads(done.stdout)


def be_program(function, *arguments):
    """Prints the result of function(*arguments) as JSON. What a library prints meanwhile goes to stderr."""
    die_with_parent()
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        json.dump(function(*arguments), out)
