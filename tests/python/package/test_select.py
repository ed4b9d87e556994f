"""The choice of a core, for processors other than this one too, and what is said when none can be chosen."""

import os
import re
import shutil
import subprocess
import sys
from modulefinder import ModuleFinder
from pathlib import Path

import pytest

import ocior
from ocior import _select

PACKAGE = Path(ocior.__file__).parent

ALL = {"v4": (), "v3": (), "v2": ()}
NO_AVX512 = {"v4": ("avx512f", "os-avx512"), "v3": (), "v2": ()}
ANCIENT = {"v4": ("ssse3", "avx2", "avx512f"), "v3": ("ssse3", "avx2"), "v2": ("ssse3",)}
ARM = {"neon": ()}


@pytest.mark.parametrize(
    "machine, override, chosen",
    [
        (ALL, None, ["v4", "v3", "v2"]),
        (ALL, "", ["v4", "v3", "v2"]),
        (ALL, "v2", ["v2"]),
        (NO_AVX512, None, ["v3", "v2"]),
        (NO_AVX512, "v3", ["v3"]),
        (ARM, None, ["neon"]),
        (ARM, "neon", ["neon"]),
    ],
)
def test_choice(machine, override, chosen):
    assert _select.choose(machine, override) == chosen


@pytest.mark.parametrize(
    "machine, override, said",
    [
        (ALL, "avx2", ["avx2", "v4, v3, v2, neon", "usable on this machine: v4, v3, v2"]),
        (ALL, "neon", ["neon", "another processor architecture", "usable on this machine: v4, v3, v2"]),
        (NO_AVX512, "v4", ["v4", "lacks avx512f, os-avx512", "usable on this machine: v3, v2"]),
        (ANCIENT, None, ["v2", "SSE4.2", "lacks ssse3", "except ImportError: import json"]),
        (ANCIENT, "v3", ["v3", "lacks ssse3, avx2", "usable on this machine: none"]),
        (ARM, "v3", ["v3", "another processor architecture", "usable on this machine: neon"]),
        ({}, None, ["x86-64", "aarch64", "except ImportError: import json"]),
    ],
)
def test_refusal_says_what_is_missing(machine, override, said):
    with pytest.raises(ImportError) as caught:
        _select.choose(machine, override)
    for words in said:
        assert words in str(caught.value)


@pytest.mark.parametrize(
    "interpreter, said",
    [
        (("pypy", (3, 11), 64, "x86_64"), "works on the objects of CPython; this Python is pypy"),
        (("graalpy", (3, 12), 64, "arm64"), "this Python is graalpy"),
        (("cpython", (3, 9), 64, "x86_64"), "CPython 3.10 or newer; this is 3.9"),
        (("cpython", (3, 13), 32, "AMD64"), "a Python of 64 bits; this one has 32"),
        (("cpython", (3, 13), 64, "riscv64"), "x86-64 and aarch64; this processor is riscv64"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_interpreters_without_a_build_are_told_why(interpreter, said):
    refusal = _select.unsupported(*interpreter)
    assert said in refusal and "`except ImportError: import json`" in refusal


@pytest.mark.parametrize("processor", ["x86_64", "AMD64", "aarch64", "ARM64", "arm64"])
def test_interpreters_with_a_build_are_not_refused(processor):
    assert _select.unsupported("cpython", sys.version_info[:2], 64, processor) is None


def test_missing_module_is_named(monkeypatch):
    for level in _select.KNOWN_LEVELS:
        monkeypatch.setitem(sys.modules, f"ocior._core_{level}", None)
    level = _select.usable_levels()[0]
    with pytest.raises(ImportError, match=f"ocior._core_{level}"):
        _select.load_level(level)
    monkeypatch.delenv("OCIOR_ISA", raising=False)
    with pytest.raises(ImportError, match="ocior._core_.*usable and installed: none"):
        _select.select()


def refusal_of_import(path, program="import ocior"):
    """The last line of what a program says that finds ocior at `path`, as (message, whole output)."""
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(path)}, capture_output=True, text=True)
    return done.stderr.splitlines()[-1], done.stderr


@pytest.fixture
def package_without_native_modules(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "ocior", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    return tmp_path / "ocior"


def test_source_tree_without_a_build_says_what_to_do(package_without_native_modules):
    package = package_without_native_modules
    last, said = refusal_of_import(package.parent)
    assert last.startswith(f"ImportError: ocior is not built for {sys.executable}: {package} has no _cpu."), said
    assert f"make build PYTHON={sys.executable}" in last and "pip install ." in last


def test_other_pythons_are_told_so_before_anything_else(package_without_native_modules):
    """`make build` would be of no use to them."""
    pretence = "import sys; import json; sys.implementation.name = 'pypy'; import ocior"
    last, said = refusal_of_import(package_without_native_modules.parent, pretence)
    assert last.startswith("ImportError: ocior works on the objects of CPython; this Python is pypy"), said
    assert "make build" not in last


def test_program_packed_without_native_modules_says_what_to_do(package_without_native_modules):
    last, said = refusal_of_import(package_without_native_modules.parent, "import sys; sys.frozen = True; import ocior")
    assert last.startswith("ImportError: this program was packed without the native modules of ocior"), said
    assert "ocior._cpu" in last and "ocior._core_v3" in last and "make build" not in last


def test_archive_says_that_it_cannot_hold_native_modules(tmp_path):
    """Of a package in a zip, such as zipapp makes, its native modules among it."""
    shutil.copytree(PACKAGE, tmp_path / "app" / "ocior", ignore=shutil.ignore_patterns("__pycache__", "bench"))
    archive = shutil.make_archive(str(tmp_path / "app"), "zip", tmp_path / "app")
    last, said = refusal_of_import(archive)
    assert last.startswith(f"ImportError: ocior was imported from an archive, as {archive}"), said
    assert "make build" not in last


@pytest.fixture(scope="module")
def found_modules(tmp_path_factory):
    """What is named by import statements from `import ocior` on, which programs read that pack others. Where it is elsewhere than in the
    package, it is not read further."""
    program = tmp_path_factory.mktemp("program") / "program.py"
    program.write_text("import ocior")
    finder = ModuleFinder([str(PACKAGE.parent)])
    finder.run_script(str(program))
    return {*finder.modules, *finder.badmodules}


def test_native_modules_are_found_by_import_statements(found_modules):
    built = {f"ocior.{path.name.split('.')[0]}" for path in [*PACKAGE.glob("*.so"), *PACKAGE.glob("*.pyd")]}
    assert len(built) >= 2 and built <= found_modules


def test_what_the_core_imports_is_found_by_import_statements(found_modules):
    sources = Path(__file__).resolve().parents[3].glob("src/**/*.cpp")
    named = {name for path in sources for name in re.findall(r'PyImport_ImportModule\("([\w.]+)"\)', path.read_text())}
    assert {"json.decoder", "binascii"} <= named
    # Who has ssrjson's setup_numpy_types() use numpy gives arrays of numpy, and imports it.
    assert named - found_modules <= {"numpy"}


def test_load_level_refuses_unknown_names():
    with pytest.raises(ImportError, match="v4, v3, v2, neon"):
        _select.load_level("v5")


def test_package_exports_the_cores_own_objects():
    core = _select.load_level(ocior.get_current_features()["level"])
    for name in ("load", "loads", "dump", "dumps", "dumps_to_bytes", "JSONDecodeError", "get_current_features", "write_utf8_cache"):
        assert name in ocior.__all__ and getattr(ocior, name) is getattr(core, name)
    assert issubclass(ocior.JSONDecoder, core.Decoder) and issubclass(ocior.JSONEncoder, core.Encoder)


def test_import_is_lean():
    """Importing ocior brings in nothing heavier than json itself."""
    code = (
        "import sys, json; before = set(sys.modules); import ocior;"
        "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('ocior')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    heavy = {"typing", "re", "inspect", "dataclasses", "asyncio", "decimal", "importlib.metadata", "importlib.util"}
    assert done.returncode == 0, done.stderr
    assert not heavy & set(done.stdout.split()), done.stdout
