"""What may come out of CPython's suite other than "passed" when another module stands in json's place, and why.

A row says which test, which outcome, since and until which version, and the reason. A row that is `certain` has to come
true: if its test passes after all, the row is out of date and the run fails.
"""

import re
import sys
from typing import NamedTuple, Optional

PASSED, FAILED, ERROR, SKIPPED = "passed", "failed", "error", "skipped"
ALL = ((3, 10), (3, 99))


class Row(NamedTuple):
    test: str  # the end of the test's id: Class.method
    outcome: str
    because: str  # what the message or the skip's reason has to contain, as a regular expression
    why: str
    versions: tuple = ALL  # first and last
    certain: bool = True


# Where a function comes from is all that these ask; the module that stands in cannot have it from _json.
NOT_JSON = "asks that the function's __module__ is json's own"
# The interpreter's own decision, which it makes for json too.
STACK = "skipped where the C stack is unlimited or huge"

STANDING_IN = (
    Row("TestPyTest.test_pyjson", FAILED, r"'json\.\w+'", NOT_JSON),
    Row("TestCTest.test_cjson", FAILED, "'_json'", NOT_JSON),
    Row("TestSpeedups.test_scanstring", FAILED, "'_json'", NOT_JSON),
    Row("TestSpeedups.test_encode_basestring_ascii", FAILED, "'_json'", NOT_JSON),
)

# These hold for json itself as well.
ANY_MODULE = (
    Row("TestCEncodeBasestringAscii.test_overflow", SKIPPED, "memory", "needs more memory than any machine has"),
    Row("TestPyRecursion.test_highly_nested_objects_decoding", SKIPPED, "stack", STACK, ((3, 14), (3, 99)), certain=False),
    Row("TestCRecursion.test_highly_nested_objects_decoding", SKIPPED, "stack", STACK, ((3, 14), (3, 99)), certain=False),
    Row("TestPyRecursion.test_highly_nested_objects_encoding", SKIPPED, "stack", STACK, certain=False),
    Row("TestCRecursion.test_highly_nested_objects_encoding", SKIPPED, "stack", STACK, certain=False),
    Row("TestPyRecursion.test_endless_recursion", SKIPPED, "stack", STACK, ((3, 14), (3, 99)), certain=False),
    Row("TestCRecursion.test_endless_recursion", SKIPPED, "stack", STACK, ((3, 14), (3, 99)), certain=False),
)

# How many tests the suite has at least, so that none is lost on the way: bug-fix releases only add to them.
FEWEST = {(3, 13): 174, (3, 14): 200}
FEWEST_ANYWHERE = 160


def rows(is_json: bool) -> tuple:
    version = sys.version_info[:2]
    known = ANY_MODULE if is_json else ANY_MODULE + STANDING_IN
    return tuple(row for row in known if row.versions[0] <= version <= row.versions[1])


def fewest() -> int:
    return FEWEST.get(sys.version_info[:2], FEWEST_ANYWHERE)


def row_of(test_id: str, known: tuple) -> Optional[Row]:
    return next((row for row in known if test_id.endswith("." + row.test)), None)


def is_expected(row: Row, outcome: str, message: str) -> bool:
    return outcome == row.outcome and re.search(row.because, message) is not None
