#!/usr/bin/env python3
"""Runs the tests that a peer released with ocior's module of that name in the peer's place, and counts what comes of it.

usage: python tests/conformance/peers.py orjson|ujson|ssrjson|msgspec [--with MODULE] [--verbose]

The tests come from the peer's source package (released.py), nothing of them is copied. What they import, and what the
processes that they start import, is the module. Of msgspec, `msgspec.json` alone is ocior's. `--with PEER` is the control: the peer itself, of the same release. Exit
status: 0 if every test passed or ended as expected_of_peers.py says, 1 if not, 3 if the machine lacks something for it.
"""

import argparse
import faulthandler
import importlib
import importlib.metadata
import importlib.util
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import expected
import expected_of_peers
import released
from run import last_line

# What worse thing happened to a test in one of its phases stands.
RANKS = (expected.PASSED, expected.SKIPPED, expected.FAILED, expected.ERROR)


class Record:
    """A plugin of pytest that keeps the outcome of each test with its message, and says nothing meanwhile."""

    def __init__(self):
        self.outcomes = {}
        self.collected = []
        self.latest = ""
        self.broken = ""  # what pytest itself failed at

    def note(self, test, outcome, message=""):
        known, before = self.outcomes.get(test, (expected.PASSED, ""))
        if RANKS.index(outcome) > RANKS.index(known) or test not in self.outcomes:
            self.outcomes[test] = (outcome, message)
        elif outcome == known and message:
            self.outcomes[test] = (outcome, f"{before}\n{message}")

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.note(report.nodeid, expected.FAILED if report.when == "call" else expected.ERROR, report.longreprtext)
        elif report.skipped and not hasattr(report, "wasxfail"):
            self.note(report.nodeid, expected.SKIPPED, reason_of(report))
        else:
            self.note(report.nodeid, expected.PASSED)  # a failure that the peer itself expects among them

    def pytest_collectreport(self, report):
        if report.failed:
            self.note(report.nodeid, expected.ERROR, report.longreprtext)
        elif report.skipped:
            self.note(report.nodeid, expected.SKIPPED, reason_of(report))

    def pytest_collection_finish(self, session):
        self.collected = [item.nodeid for item in session.items]

    def pytest_runtest_logstart(self, nodeid):
        self.latest = nodeid

    def pytest_internalerror(self, excrepr):
        self.broken = str(excrepr)

    def pytest_keyboard_interrupt(self, excinfo):
        self.broken = f"{self.latest} ended the run: {excinfo.exconly()}"


def reason_of(report) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    return reason.removeprefix("Skipped: ")


def is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError as missing:
        if missing.name and f"{module}.".startswith(f"{missing.name}."):
            return False
        raise


def stand_in(peer: str, name: str, folder: Path) -> None:
    """From here on `import PEER` is the module called `name`, also in the processes that are started."""
    module = importlib.import_module(name)
    (folder / f"{peer}.py").write_text(f"import importlib, sys\n\nsys.modules[__name__] = importlib.import_module({name!r})\n")
    top = Path(sys.modules[name.partition(".")[0]].__file__)
    root = top.parent.parent if top.name == "__init__.py" else top.parent
    inherited = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), str(root), *inherited])
    sys.path.insert(0, str(folder))
    if importlib.import_module(peer) is not module:
        raise AssertionError(f"{peer} was imported before {name} could stand in for it")


def stand_in_part(peer: str, part: str, name: str) -> None:
    """From here on the module `part` of the package is the module called `name`, in this process."""
    module = importlib.import_module(name)
    setattr(importlib.import_module(peer), part, module)
    sys.modules[f"{peer}.{part}"] = module


def run(pytest, tests: Path, left_out=()) -> Record:
    record = Record()
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # whatever else is installed has no part in it
    root = str(tests.parent)
    os.chdir(root)
    silent = ["-p", "no:terminal", "-p", "no:cacheprovider"]
    status = pytest.main(
        ["--rootdir", root, "-c", str(tests.parent / "pyproject.toml"), "--continue-on-collection-errors", *silent]
        + [f"--ignore={tests / name}" for name in left_out]
        + [str(tests)],
        plugins=[record],
    )
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not record.broken:
        record.broken = f"pytest ended with {status!r}"
    for test in record.collected:
        record.outcomes.setdefault(test, (expected.ERROR, "did not run"))
    return record


def headline(message: str) -> str:
    """The line of a message from pytest that says most: the first that it marks as the error."""
    return next((line[1:].strip() for line in message.splitlines() if re.match(r"E\s+\S", line)), last_line(message))


def report(peer: str, record: Record, known: tuple, verbose: bool) -> int:
    """Prints what did not pass, what was skipped by its reasons; returns how much of it was not expected."""
    unexpected = 0
    skipped = Counter()
    for test, (outcome, message) in sorted(record.outcomes.items()):
        row = expected_of_peers.row_of(test, known)
        skip = next((skip for skip in expected_of_peers.SKIPS[peer] if re.fullmatch(skip.because, message)), None)
        if outcome == expected.PASSED:
            if row is not None and row.certain:
                unexpected += 1
                print(f"UNEXPECTED  {test}: passed, but expected_of_peers.py says {row.outcome}: {row.why}")
            elif verbose:
                print(f"passed      {test}")
        elif row is not None and expected.is_expected(row, outcome, message):
            print(f"{outcome:11} {test}: as expected, {row.why}")
        elif outcome == expected.SKIPPED and skip is not None:
            skipped[skip.why] += 1
        else:
            unexpected += 1
            print(f"UNEXPECTED  {test}: {outcome}\n            {message.strip() if verbose else headline(message)}")
    for why, count in skipped.most_common():
        print(f"skipped     {count} {'test' if count == 1 else 'tests'}: as expected, {why}")
    for row in known:
        if row.certain and not any(expected_of_peers.is_named(row, test) for test in record.outcomes):
            unexpected += 1
            print(f"UNEXPECTED  {row.test}: expected_of_peers.py names it, but {peer} has no such test")
    if len(record.outcomes) < expected_of_peers.FEWEST[peer]:
        unexpected += 1
        print(f"UNEXPECTED  {len(record.outcomes)} tests; this release of {peer} has {expected_of_peers.FEWEST[peer]}")
    if record.broken:
        unexpected += 1
        print(f"UNEXPECTED  {record.broken if verbose else last_line(record.broken)}")
    return unexpected


def lacking(release, module: str) -> str:
    """What the machine lacks for a run, "" if nothing."""
    if not is_there("pytest"):
        return "pytest is not installed"
    for needed in {module, release.name if release.part else module}:
        if not is_there(needed):
            return f"there is no module {needed}"
    if (module == release.name or release.part) and (installed := importlib.metadata.version(release.name)) != release.interface:
        return f"the tests are for {release.name} {release.interface}, installed is {installed}"
    return ""


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description="a peer's own tests around another module")
    parser.add_argument("peer", choices=released.RELEASES)
    parser.add_argument("--with", dest="module", metavar="MODULE", help="what stands in the peer's place (ocior.compat.PEER)")
    parser.add_argument("--verbose", action="store_true", help="whole tracebacks, and the tests that passed")
    options = parser.parse_args(arguments)
    faulthandler.enable()
    start = time.monotonic()
    release = released.RELEASES[options.peer]
    module = options.module or ".".join(["ocior.compat", options.peer, *filter(None, [release.part])])
    if why := lacking(release, module):
        print(f"skipped: {why}", file=sys.stderr)
        return 3
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        try:
            tests = released.unpack(release, Path(folder, "released"))
        except released.Unavailable as missing:
            print(f"skipped: {missing}", file=sys.stderr)
            return 3
        except released.NotAsReleased as other:
            print(f"error: {other}", file=sys.stderr)
            return 1
        if module != options.peer and release.part:
            stand_in_part(options.peer, release.part, module)
        elif module != options.peer:
            modules = Path(folder, "modules")
            modules.mkdir()
            stand_in(options.peer, module, modules)
        try:
            record = run(importlib.import_module("pytest"), tests, expected_of_peers.LEFT_OUT.get(options.peer, ()))
        finally:
            os.chdir(here)
    unexpected = report(options.peer, record, expected_of_peers.rows(options.peer, module == options.peer), options.verbose)
    counts = Counter(outcome for outcome, _ in record.outcomes.values())
    failed = counts[expected.FAILED] + counts[expected.ERROR]
    print(
        f"{module} for {release}: {len(record.outcomes)} tests, {counts[expected.PASSED]} passed, {failed} failed, "
        f"{counts[expected.SKIPPED]} skipped; {unexpected} not as expected; {time.monotonic() - start:.1f} s"
    )
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
