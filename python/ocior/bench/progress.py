"""What is being measured, on stderr: a moving bar on a terminal (where rich is installed), a line per document elsewhere."""

import sys
from time import monotonic


class Progress:
    def __init__(self, steps):
        self._start = monotonic()
        self._bar = None
        try:
            from rich.console import Console
            from rich.progress import BarColumn, Progress as Bar, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        except ImportError:
            return
        console = Console(stderr=True)
        if console.is_terminal:
            self._bar = Bar(
                TextColumn("{task.description:<42}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
                auto_refresh=False,  # no thread of its own: the measuring processes are forked from this one
            )
            self._task = self._bar.add_task("", total=steps)
            self._bar.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._bar:
            self._bar.stop()

    def now(self, what):
        if self._bar:
            self._bar.update(self._task, description=what, refresh=True)

    def advance(self, amount=1.0):
        if self._bar:
            self._bar.advance(self._task, amount)
            self._bar.refresh()

    def finished(self, what):
        if not self._bar:
            print(f"[{monotonic() - self._start:5.1f} s] {what}", file=sys.stderr, flush=True)
