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


# What is not run at all, below the folder of the tests.
NO_JSON = "about what is not JSON"
LEFT_OUT = {
    "msgspec": {
        "prof": "measures",
        "typing": "is for checkers of types",
        "unit/test_convert.py": NO_JSON,
        "unit/test_cpylint.py": "reads msgspec's sources",
        "unit/test_msgpack.py": NO_JSON,
        "unit/test_performance.py": "measures",
        "unit/test_to_builtins.py": NO_JSON,
        "unit/test_toml.py": NO_JSON,
        "unit/test_utils.py": "about msgspec's own functions",
        "unit/test_yaml.py": NO_JSON,
    }
}

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
    "msgspec": (
        Skip(r"frozendict was added in 3\.15", "frozendict came with Python 3.15"),
        Skip(r"unquoted forward references require PEP 649 \(Python 3\.14\+\)", "such annotations came with Python 3.14"),
        Skip(r"3\.12\+ only", "such type parameters came with Python 3.12"),
        Skip(
            "Python 3.12 harcodes the C recursion limit, making this behavior harder to test in CI",
            "skipped by msgspec on Python 3.12 and newer",
        ),
        Skip("nonfinite values not supported", "is for MessagePack alone"),
    ),
    "ssrjson": (
        Skip("GIL enabled( or lockfree build)?", "is for interpreters without a GIL"),
        Skip("psutil not installed", "a package that these need is not installed"),
    ),
}

# What ocior's modules do in another way than the peers, and on purpose.
PICKLED = "a function says that it is of ocior.compat.orjson, where pickle finds it"
COLLECTED = "a Struct is tracked by the garbage collector if the types of its fields could hold containers"
DEEP = "what is nested deeper than the interpreter lets calls be is written"
BEFORE_3_12 = ((3, 10), (3, 11))
EQUAL_KEYS = "equal keys of a document are one object, of whatever length"
STANDING_IN: dict[str, tuple[Row, ...]] = {
    "orjson": tuple(
        Row(f"TestApi::test_{name}_module_str", FAILED, "assert 'ocior.compat.orjson' == 'orjson'", PICKLED) for name in ("dumps", "loads")
    ),
    "ujson": (),
    "ssrjson": (),
    "msgspec": (
        *(
            Row(f"TestStruct::test_struct_gc_maybe_untracked_on_decode[{is_array}]", FAILED, "assert not True", COLLECTED)
            for is_array in (False, True)
        ),
        Row("TestDatetime::test_decode_timezone_cache", FAILED, "assert datetime.timezone", "each value has a time zone of its own"),
        Row("TestDict::test_decode_dict_string_cache[33]", FAILED, "assert 1 == 3", EQUAL_KEYS),
        Row("TestDict::test_decode_dict_string_cache_ascii_only", FAILED, "assert", EQUAL_KEYS),
        Row("TestEncoderMisc::test_encode_enc_hook", FAILED, "getrefcount", "msgspec's encoder has another reference to the hook"),
        Row("TestEncoderMisc::test_encode_into_handles_errors_properly", FAILED, "assert bytearray", "the buffer stays as it was"),
        Row("TestRaw::test_decode_raw_is_view", FAILED, "is not", "Raw is a copy"),
        *(
            Row(f"TestRecursion::test_encode_highly_recursive_msg_errors[json-{convert}]", FAILED, "DID NOT RAISE", DEEP, BEFORE_3_12)
            for convert in (False, True)
        ),
        Row("test_decode_naive_datetime[json]", FAILED, "assert", "the decoder that is kept for the type refers to None", BEFORE_3_12),
    ),
}

LACKING = "reads a document that the source package lacks"
# These hold for the peer itself as well.
ANY_MODULE: dict[str, tuple[Row, ...]] = {
    "orjson": (),
    "ujson": (),
    "msgspec": (),
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
FEWEST = {"msgspec": 4866, "orjson": 1645, "ujson": 478, "ssrjson": 700}


def rows(peer: str, is_peer: bool) -> tuple[Row, ...]:
    version = sys.version_info[:2]
    known = ANY_MODULE[peer] if is_peer else ANY_MODULE[peer] + STANDING_IN[peer]
    return tuple(row for row in known if row.versions[0] <= version <= row.versions[1])


def is_named(row: Row, test_id: str) -> bool:
    name = test_id.partition("::")[2]
    return row.test in (name, name.partition("[")[0])


def row_of(test_id: str, known: tuple[Row, ...]) -> Row | None:
    return next((row for row in known if is_named(row, test_id)), None)
