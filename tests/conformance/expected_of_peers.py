"""What may come out of a peer's own tests other than "passed" when ocior's module of that name runs them, and why.

The rows are those of expected.py; `test` is the end of pytest's id, Class::method, or function where there is no class. It
names one case of a parametrized test with the brackets, and all of them without. What a test skips by its own decision has
no row of its own: the reasons that are known are listed, whichever tests they skip.
"""

import sys
from typing import NamedTuple

from expected import FAILED, Row


class Skip(NamedTuple):
    because: str  # the whole reason, as a regular expression
    why: str


SKIPS = {
    "orjson": (
        Skip(r"Test depends on \./data dir that contains fixtures", "the source package comes without the documents that these read"),
        Skip(
            r"(pytz|dateutil) optional|(numpy|pandas|pendulum|psutil)( is)? not installed|faker not available",
            "a package that these need is not installed",
        ),
        Skip("memoryview|bytearray", "the one of two variants that is for interpreters with a GIL, or for those without"),
        Skip(r"python3\.15", "frozendict came with Python 3.15"),
        Skip("ORJSON_RUNNER_MEMORY_GIB not defined", "needs more memory than most machines have"),
        Skip(r"tolist\(\) conversion .*", "skipped by orjson whatever happens"),
    ),
    "ujson": (Skip("Free threading properties unavailable", "asks what Python 3.13 and newer can answer"),),
    "ssrjson": (
        Skip("GIL enabled( or lockfree build)?", "is for interpreters without a GIL"),
        Skip("psutil not installed", "a package that these need is not installed"),
    ),
}

# What ocior's modules do in another way than the peers, and on purpose.
PICKLED = "a function says that it is of ocior.compat.orjson, where pickle finds it"
STANDING_IN: dict[str, tuple[Row, ...]] = {
    "orjson": tuple(
        Row(f"TestApi::test_{name}_module_str", FAILED, "assert 'ocior.compat.orjson' == 'orjson'", PICKLED) for name in ("dumps", "loads")
    ),
    "ujson": (),
    "ssrjson": (),
}

LACKING = "reads a document that the source package lacks"
# These hold for the peer itself as well.
ANY_MODULE: dict[str, tuple[Row, ...]] = {
    "orjson": (),
    "ujson": (),
    "ssrjson": (
        *(
            Row(f"TestFixture::test_{name}", FAILED, "'NoneType' object has no attribute 'decode'", LACKING)
            for name in ("apache canada citm_catalog github instruments mesh mqaq2016 truenull tweet twitter").split()
        ),
        Row("TestIndentedOutput::test_github_pretty", FAILED, "'NoneType' object has no attribute 'decode'", LACKING),
        Row("TestIndentedOutput::test_citm_catalog_pretty", FAILED, "'NoneType' object has no attribute 'decode'", LACKING),
        Row("TestSubclass::test_subclass_str", FAILED, "DID NOT RAISE", "0.0.24 writes subclasses of str, which 0.0.16 refused"),
    ),
}

# How many tests there are, so that none is lost on the way: those of optional packages are counted where they are skipped.
FEWEST = {"orjson": 1645, "ujson": 478, "ssrjson": 700}


def rows(peer: str, is_peer: bool) -> tuple[Row, ...]:
    version = sys.version_info[:2]
    known = ANY_MODULE[peer] if is_peer else ANY_MODULE[peer] + STANDING_IN[peer]
    return tuple(row for row in known if row.versions[0] <= version <= row.versions[1])


def is_named(row: Row, test_id: str) -> bool:
    name = test_id.partition("::")[2]
    return row.test in (name, name.partition("[")[0])


def row_of(test_id: str, known: tuple[Row, ...]) -> Row | None:
    return next((row for row in known if is_named(row, test_id)), None)
