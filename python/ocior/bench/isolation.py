"""One measurement per process: runs a function in a forked child and brings its result back.

What one measurement leaves in the allocator (which sizes come from the heap, which are mapped afresh and faulted in
page by page) can change the next one's figures by a factor. A child starts from the state of a process that has
imported the libraries and done nothing. A library that crashes takes only its child with it.
"""

import os
import pickle
import traceback


def run(function, *arguments):
    """The result of function(*arguments), made in a child. Raises RuntimeError where the child failed or died."""
    if not hasattr(os, "fork"):
        return function(*arguments)
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        _be_child(writable, function, arguments)
    os.close(writable)
    with os.fdopen(readable, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if not answer:
        raise RuntimeError(f"the measuring process died: {_describe(status)}")
    fine, result = pickle.loads(answer)
    if not fine:
        raise RuntimeError(result)
    return result


def _be_child(writable, function, arguments):
    status = 1
    try:
        try:
            answer = (True, function(*arguments))
        except BaseException:
            answer = (False, traceback.format_exc())
        with os.fdopen(writable, "wb") as pipe:
            pickle.dump(answer, pipe)
        status = 0
    finally:
        os._exit(status)  # nothing of the parent's may run twice


def _describe(status):
    code = os.waitstatus_to_exitcode(status)
    return f"signal {-code}" if code < 0 else f"exit status {code}"
