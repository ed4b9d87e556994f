#!/usr/bin/env python3
"""Runs the running interpreter's own test.test_json with ocior in json's place, and counts what comes of it.

usage: python tests/conformance/run.py [--with MODULE] [--verbose]

Both halves of the suite get the module, as json's C implementation and as its Python one, together with the doctests and
the command line. `--with json` is the control, `--with PEER` shows how far another module gets. Exit status: 0 if every
test passed or ended as expected.py says, 1 if not, 3 if the interpreter came without the suite.
"""

import argparse
import faulthandler
import os
import sys
import tempfile
import time
import unittest
from collections import Counter

import expected
import stand_in


class Record(unittest.TestResult):
    """The outcome of each test with its message; a test with failing subtests failed."""

    def __init__(self):
        super().__init__()
        self.outcomes = {}

    def note(self, test, outcome, message=""):
        known, before = self.outcomes.get(test.id(), (expected.PASSED, ""))
        if known == expected.PASSED:
            self.outcomes[test.id()] = (outcome, message)
        elif known in (outcome, expected.SKIPPED):
            self.outcomes[test.id()] = (outcome, f"{before}\n{message}")

    def addSuccess(self, test):
        self.note(test, expected.PASSED)

    def addFailure(self, test, error):
        self.note(test, expected.FAILED, self._exc_info_to_string(error, test))

    def addError(self, test, error):
        self.note(test, expected.ERROR, self._exc_info_to_string(error, test))

    def addSkip(self, test, reason):
        self.note(getattr(test, "test_case", test), expected.SKIPPED, reason)

    def addExpectedFailure(self, test, error):
        self.note(test, expected.PASSED)

    def addUnexpectedSuccess(self, test):
        self.note(test, expected.FAILED, "unexpected success")

    def addSubTest(self, test, subtest, error):
        if error is not None:
            failed = issubclass(error[0], test.failureException)
            self.note(test, expected.FAILED if failed else expected.ERROR, self._exc_info_to_string(error, subtest))


def run(cases) -> dict:
    record = Record()
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:  # the command line's tests write files beside them
        os.chdir(folder)
        try:
            unittest.TestSuite(cases).run(record)
        finally:
            os.chdir(here)
    for case in cases:  # one that never reported back, because its class could not be set up
        record.outcomes.setdefault(case.id(), (expected.ERROR, "did not run"))
    return record.outcomes


def last_line(message: str) -> str:
    return next((line.strip() for line in reversed(message.splitlines()) if line.strip(" -")), "")


def report(outcomes: dict, known: tuple, verbose: bool) -> int:
    """Prints what did not pass, and the counts; returns how much of it was not expected."""
    unexpected = 0
    for test, (outcome, message) in sorted(outcomes.items()):
        row = expected.row_of(test, known)
        if outcome == expected.PASSED:
            if row is not None and row.certain:
                unexpected += 1
                print(f"UNEXPECTED  {test}: passed, but expected.py says {row.outcome}: {row.why}")
            elif verbose:
                print(f"passed      {test}")
        elif row is not None and expected.is_expected(row, outcome, message):
            print(f"{outcome:11} {test}: as expected, {row.why}")
        else:
            unexpected += 1
            print(f"UNEXPECTED  {test}: {outcome}\n            {message.strip() if verbose else last_line(message)}")
    for row in known:
        if row.certain and not any(test.endswith("." + row.test) for test in outcomes):
            unexpected += 1
            print(f"UNEXPECTED  {row.test}: expected.py names it, but the suite has no such test")
    if len(outcomes) < expected.fewest():
        unexpected += 1
        print(f"UNEXPECTED  {len(outcomes)} tests; the suite of this version has at least {expected.fewest()}")
    return unexpected


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description="CPython's own test.test_json around another module")
    parser.add_argument("--with", dest="module", default="ocior", metavar="MODULE", help="what stands in json's place (ocior)")
    parser.add_argument("--verbose", action="store_true", help="whole tracebacks, and the tests that passed")
    options = parser.parse_args(arguments)
    faulthandler.enable()
    start = time.monotonic()
    try:
        cases = stand_in.load_suite(options.module)
    except stand_in.NoSuite as missing:
        print(f"skipped: {missing}", file=sys.stderr)
        return 3
    outcomes = run(cases)
    unexpected = report(outcomes, expected.rows(options.module == "json"), options.verbose)
    counts = Counter(outcome for outcome, _ in outcomes.values())
    failed = counts[expected.FAILED] + counts[expected.ERROR]
    print(
        f"{options.module} on {sys.version.split()[0]}: {len(outcomes)} tests, {counts[expected.PASSED]} passed, {failed} failed, "
        f"{counts[expected.SKIPPED]} skipped; {unexpected} not as expected; {time.monotonic() - start:.1f} s"
    )
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
