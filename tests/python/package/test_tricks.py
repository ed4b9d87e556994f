"""Private knowledge of CPython, each piece by its name: shown, switched off alone or with all others, and not missed."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support import HAS_GIL, IS_QUICK, check_python, run_python, some

import ocior

TESTS = Path(__file__).resolve().parents[1]
TRICKS = ocior.get_current_features()["tricks"]
NAMES = (
    "direct_scalars",
    "keys_table",
    "list_items",
    "utf8_forms",
    "inline_values",
    "key_order",
    "pool_blocks",
    "page_blocks",
    "allocator_table",
    "container_headers",
    "huge_pages",
)
# Pieces of no use, or not to be had, without another one.
NEEDS = {"allocator_table": "pool_blocks"} if HAS_GIL else {"allocator_table": "page_blocks", "container_headers": "page_blocks"}

# What passes whatever is switched off: files of tests by their names, besides the differential ones.
FILES = (
    "hostile/test_page_edge",
    "encoder/test_encoder",
    "loads/test_input",
    "dumps/test_dumps",
    "loads/test_exceptions",
    "dumps/test_dump",
    "loads/test_scanner",
    "loads/test_decoder",
    "hostile/test_mutation_default",
    "loads/test_jsontestsuite",
    "dumps/test_keywords",
    "loads/test_keywords",
    "values/test_strings",
)


def tricks_with(setting, **options):
    done = run_python(
        "import ocior; print(*(name for name, is_on in ocior.get_current_features()['tricks'].items() if is_on))",
        env={"OCIOR_TRICKS": setting},
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr


def test_names():
    assert tuple(TRICKS) == NAMES
    assert all(type(is_on) is bool for is_on in TRICKS.values())


@pytest.mark.skipif(
    not HAS_GIL or not sys.platform.startswith("linux") or not (3, 12) <= sys.version_info < (3, 16),
    reason="they need a GIL, Linux and a version that was studied",
)
@pytest.mark.skipif(os.environ.get("OCIOR_TRICKS", "1") not in ("", "1") or "PYTHONMALLOC" in os.environ, reason="some are off")
def test_all_are_proved_where_they_can_be():
    # (Values behind instances came with 3.13; with a GIL mimalloc does not serve; huge pages are the system's choice; 3.14 and 3.15 have had
    # collectors of other kinds.)
    expected = set(NAMES) - {"page_blocks", "huge_pages", *(["inline_values"] if sys.version_info < (3, 13) else [])}
    if not (3, 12) <= sys.version_info < (3, 14) and not (3, 14, 7) <= sys.version_info < (3, 15):
        expected.remove("container_headers")
    assert expected <= set(tricks_with("")[0])


@pytest.mark.skipif(HAS_GIL or not (3, 13) <= sys.version_info < (3, 16), reason="of free-threaded versions that were studied")
@pytest.mark.skipif(
    os.environ.get("OCIOR_TRICKS", "1") not in ("", "1") or bool(sysconfig.get_config_var("Py_DEBUG")), reason="some are off"
)
def test_objects_are_made_by_hand_without_a_gil():
    expected = {"direct_scalars", "keys_table", "list_items"}
    if sys.platform.startswith("linux") and "PYTHONMALLOC" not in os.environ:
        expected |= {"page_blocks", "allocator_table", *(["container_headers"] if (3, 14) <= sys.version_info < (3, 15) else [])}
    assert expected <= set(tricks_with("")[0])


@pytest.mark.parametrize("setting", ["", "1", ","])
def test_nothing_is_switched_off(setting):
    on, said = tricks_with(setting)
    assert "OCIOR_TRICKS" not in said
    for name in NAMES:
        off, said = tricks_with(f"-{name}")
        assert "OCIOR_TRICKS" not in said
        assert off == [other for other in on if name not in (other, NEEDS.get(other))]


@pytest.mark.skipif(not TRICKS["pool_blocks"], reason="it is off")
def test_proved_among_pools_that_are_nearly_full():
    """Where a program has left one free block in each of many pools."""
    code = """
        import sys
        size = int(sys.argv[1])
        held = [bytes(size - sys.getsizeof(b"")) for _ in range(16384 // size * 500)]
        for first in range(0, len(held), (16384 - 48) // size):
            held[first] = None
        import ocior
        assert ocior.get_current_features()["tricks"]["pool_blocks"]
    """
    for size in (64, 496):
        check_python(code, size)


def test_several_and_all_are_switched_off():
    on, _ = tricks_with("")
    assert tricks_with("0") == ([], "")
    off, said = tricks_with("-list_items,-pool_blocks,-page_blocks,-utf8_forms")
    gone = ("list_items", "pool_blocks", "page_blocks", "utf8_forms")
    assert said == "" and off == [name for name in on if name not in gone and NEEDS.get(name) not in gone]


@pytest.mark.parametrize(
    "entry", ["pool_blocks", "-pool_block", "-pool_blocks ", "+pool_blocks", "--pool_blocks", "-", "off", "-\u00e9", "00"]
)
def test_what_is_not_known_is_told(entry):
    on, said = tricks_with("")
    still_on, said = tricks_with(f"-list_items,{entry},-keys_table", flags=["-X", "utf8"])
    assert still_on == [name for name in on if name not in ("list_items", "keys_table")]
    assert "RuntimeWarning" in said and repr(entry) in said and all(f"-{name}" in said for name in NAMES)


def test_what_is_not_known_can_be_an_error():
    done = run_python("import ocior", env={"OCIOR_TRICKS": "-speed"}, flags=["-W", "error::RuntimeWarning"])
    assert done.returncode == 1 and "'-speed'" in done.stderr.splitlines()[-1]


def test_the_setting_is_that_of_os_environ():
    """Which a program may change before it imports ocior; what stands there need not be text."""
    code = """
        import os, sys
        os.environ = {environ}
        import ocior
        print(*(name for name, is_on in ocior.get_current_features()["tricks"].items() if is_on))
    """
    on, _ = tricks_with("")
    for environ, expected in (
        ("{'OCIOR_TRICKS': '-list_items'}", [name for name in on if name != "list_items"]),
        ("{'OCIOR_TRICKS': '0'}", []),
        ("{}", on),
    ):
        done = run_python(code.format(environ=environ), env={"OCIOR_TRICKS": "-keys_table"})
        assert done.returncode == 0 and done.stdout.split() == expected, done.stderr


SETTINGS = [*(f"-{name}" for name in NAMES), "0"]


@pytest.mark.parametrize("setting", some(SETTINGS, 3))
def test_nothing_else_changes(setting):
    """The differential tests, and other ones in turn, with a piece switched off. (One run of all tests has all of them off.)"""
    if setting != "0" and not TRICKS[setting[1:]]:
        pytest.skip("it is off anyway")
    files = ["hostile/test_differential"] if IS_QUICK else ["hostile/test_differential", FILES[SETTINGS.index(setting) % len(FILES)]]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *(TESTS / f"{name}.py" for name in files)],
        env={**os.environ, "OCIOR_TRICKS": setting, "OCIOR_HYPOTHESIS_PROFILE": "quick"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
