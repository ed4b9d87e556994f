"""Allocations that fail, for code in an interpreter of its own: what it finds may end it."""

import gc

import _testcapi


def fail_each_allocation(
    job,
    mistakes,
    expected=None,
    *,
    failures=MemoryError,
    system_errors=("error return without exception set",),
    is_exact=False,
    is_over=lambda: False,
    most=3000,
    clean_calls=40,
):
    """Calls `job` and lets the n-th allocation fail, and then all from the n-th on, for every n, until as many calls as `clean_calls` meet
    no failure: one that fails without harm may come in between.

    A call gives `expected`, or raises one of `failures`; with `is_exact` one of `mistakes` only where `expected` is None. `system_errors`:
    how the message of a SystemError may begin that says that the interpreter has no memory for a frame. `is_over`: whether nothing is left
    to call. Ends the process where more than `most` allocations fail.
    """
    gc.disable()

    # A short function: CPython 3.11.2 makes an int of where in the code an exception is handled, and where that fails it tries again for
    # ever; the first 256 places need no memory.
    def attempt(first, last):  # 0: all from the first on
        try:
            _testcapi.set_nomemory(first, last)
            return job()
        except failures:
            return MemoryError
        except mistakes:
            return None
        except SystemError as error:
            if not str(error).startswith(system_errors):
                raise
            return MemoryError
        finally:
            _testcapi.remove_mem_hooks()

    for forever in (False, True):
        clean = 0
        for n in range(1, most):
            result = attempt(n, 0 if forever else n + 1)
            failed = result is MemoryError
            if not failed and (is_exact or (result is not None and expected is not None)):
                assert result == expected, (n, result)
            clean = 0 if failed else clean + 1
            if clean > clean_calls or is_over():
                break
        else:
            raise SystemExit("never succeeds")
