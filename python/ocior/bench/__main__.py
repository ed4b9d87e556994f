"""The command `python -m ocior.bench`: which groups, documents and libraries, how long; prints tables, can write JSON."""

import argparse
import json
import sys
from time import monotonic

from ocior.bench import documents, libraries, machine, memory
from ocior.bench.cjk import measure_cjk
from ocior.bench.groups import GROUPS
from ocior.bench.runner import measure
from ocior.bench.summary import summarize

# Time is shared out by size: large documents need it for few rounds, small ones have many in little.
_SMALL_WEIGHT, _LARGE_WEIGHT, _LARGE_BYTES = 1.0, 3.0, 1_000_000
_CJK_SHARE = 0.08


def _arguments(argv):
    names = [group.name for group in GROUPS]
    parser = argparse.ArgumentParser(
        prog="python -m ocior.bench",
        description="Decodes and encodes real documents with ocior and its peers, checks every result against json, "
        "and prints how many times faster than json each library is.",
    )
    parser.add_argument("--seconds", type=float, default=65, help="time for measuring speed, about (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="a quarter of the time and fewer documents for memory")
    parser.add_argument("--documents", metavar="DIR", help="measure the *.json of a directory instead of the standard eleven")
    parser.add_argument("--only", metavar="NAME,...", help="only these documents, by file name without .json")
    parser.add_argument("--groups", metavar="NAME,...", help=f"only some of: {', '.join(names)}, cjk, memory")
    parser.add_argument("--libraries", metavar="NAME,...", help=f"only some of: {', '.join(libraries.NAMES)}")
    parser.add_argument("--json", metavar="FILE", help="write every figure there too")
    options = parser.parse_args(argv)
    options.groups = _names(parser, options.groups, [*names, "cjk", "memory"])
    options.libraries = _names(parser, options.libraries, libraries.NAMES)
    return options


def _names(parser, given, known):
    if given is None:
        return list(known)
    chosen = [name for name in given.replace(",", " ").split()]
    for name in chosen:
        if name not in known:
            parser.error(f"unknown name {name!r}; known: {', '.join(known)}")
    return chosen


def _weight(document):
    return _SMALL_WEIGHT + (_LARGE_WEIGHT - _SMALL_WEIGHT) * min(1.0, document.byte_len / _LARGE_BYTES)


class Progress:
    """What is being measured, on stderr: a moving bar on a terminal, a line per step in a log."""

    def __init__(self, steps):
        from rich.console import Console
        from rich.progress import BarColumn, Progress as Bar, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        console = Console(stderr=True)
        self._start = monotonic()
        self._bar = None
        if console.is_terminal:
            self._bar = Bar(
                TextColumn("{task.description:<42}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
                console=console, transient=True,
                auto_refresh=False,  # no thread of its own: the measuring processes are forked from this one
            )
            self._task = self._bar.add_task("", total=steps)
            self._bar.start()

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

    def close(self):
        if self._bar:
            self._bar.stop()


def main(argv=None):
    options = _arguments(argv)
    try:
        from ocior.bench import tables
    except ImportError as error:
        sys.exit(f"{error}; `pip install 'ocior[bench]'` installs what the measuring command needs")
    try:
        corpus = documents.from_directory(options.documents) if options.documents else documents.standard()
    except FileNotFoundError as error:
        sys.exit(str(error))
    if options.only:
        wanted = options.only.replace(",", " ").split()
        corpus = [document for document in corpus if document.name in wanted]
        if not corpus:
            sys.exit(f"no document is called {options.only}")
    measured = libraries.available(options.libraries)
    names = [library.name for library in measured]
    seconds = options.seconds / (4 if options.quick else 1)

    console = tables.make_console()
    report = {"machine": machine.describe(measured), "cells": [], "groups": {}, "cjk": [], "memory": []}
    _print_heading(console, report["machine"])

    groups = [group for group in GROUPS if group.name in options.groups]
    total_weight = sum(map(_weight, corpus)) * len(groups)
    remaining_weight = total_weight
    deadline = monotonic() + seconds * (1 - _CJK_SHARE)
    progress = Progress(total_weight + (total_weight * _CJK_SHARE if "cjk" in options.groups else 0) + 8)
    finished_groups = []
    try:
        for group in groups:
            cells = []
            for document in corpus:
                progress.now(f"{group.title}: {document.name}")
                weight = _weight(document)
                # What one cell took too long, all that follow make up for.
                share = (deadline - monotonic()) * weight / remaining_weight
                cells.append(measure(group, document, measured, share))
                remaining_weight -= weight
                progress.advance(weight)
            finished_groups.append((group, cells))
            progress.finished(group.title)
        cjk_rows = []
        if "cjk" in options.groups:
            progress.now("long CJK strings")
            cjk_rows = list(measure_cjk(measured, seconds * _CJK_SHARE))
            progress.advance(total_weight * _CJK_SHARE)
            progress.finished("long CJK strings")
        if "memory" in options.groups:
            count = memory.affordable_count(100 if options.quick else memory.FULL_COUNT)
            if count:
                for result in memory.measure_all(names, count):
                    progress.now(f"memory: {result['library']}, {result['road']}")
                    progress.advance(8 / (2 * len(names)))
                    report["memory"].append(result)
                progress.finished("memory")
    finally:
        progress.close()

    problems = []
    for group, cells in finished_groups:
        tables.print_group(console, group, cells, names)
        report["cells"] += [cell.as_dict() for cell in cells]
        report["groups"][group.name] = summarize(cells, names)
        problems += [(group.title, cell.document, name, what) for cell in cells for name, what in cell.wrong.items()]
    if cjk_rows:
        tables.print_cjk(console, cjk_rows, names)
        report["cjk"] = [{"title": title, **cell.as_dict()} for title, cell in cjk_rows]
        problems += [(title, "cjk", name, what) for title, cell in cjk_rows for name, what in cell.wrong.items()]
    if report["memory"]:
        tables.print_memory(console, report["memory"], names)
        problems += [
            ("memory", result["road"], result["library"], result["error"])
            for result in report["memory"]
            if "error" in result
        ]
    for where, document, name, what in problems:
        console.print(f"{name} on {document} ({where}): {what}", markup=False, highlight=False)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=1)
    return 1 if any(name == libraries.OWN for _, _, name, _ in problems) else 0


def _print_heading(console, facts):
    versions = ", ".join(f"{name} {version}" for name, version in facts["libraries"].items())
    level = facts["ocior"].get("level") or facts["ocior"].get("simd") or "?"
    console.print(f"{facts['processor']}; CPython {facts['python']}", highlight=False, markup=False)
    console.print(f"{versions}; ocior's level: {level}", highlight=False, markup=False)
    console.print()


if __name__ == "__main__":
    sys.exit(main())
