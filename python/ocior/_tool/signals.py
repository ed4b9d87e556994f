"""When signals take effect while a file is rewritten in place.

Only the main thread hears of signals; elsewhere these do nothing. Handlers of a program that calls the command stay its own.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn

# What ends a process politely: Ctrl-C, kill, a terminal that is closed; Ctrl-Break on Windows.
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]


@contextmanager
def raised() -> Iterator[None]:
    """A signal that would end the process at once raises SystemExit in this block, so that what is open is cleaned up. The
    status is what a shell says of a process that the signal ended."""

    def leave(number: int, frame: Any) -> NoReturn:
        raise SystemExit(128 + number)

    with ExitStack() as stack:
        for number in _ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                _handle(number, leave, stack)
        yield


@contextmanager
def deferred() -> Iterator[None]:
    """Signals take effect when the block ends."""
    came: list[int] = []
    with ExitStack() as stack:
        stack.callback(_raise_all, came)  # the last one to be called
        for number in _ENDING:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):  # None: not Python's, and could not be put back
                _handle(number, lambda number, frame: came.append(number), stack)
        yield


def _raise_all(numbers: list[int]) -> None:
    for number in numbers:
        signal.raise_signal(number)


def _handle(number: int, handler: Callable[[int, Any], Any], stack: ExitStack) -> None:
    try:
        stack.callback(signal.signal, number, signal.signal(number, handler))
    except ValueError:  # not the main thread
        pass
