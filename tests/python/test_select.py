"""The choice of a core, for processors other than this one too, and what is said when none can be chosen."""

import os
import shutil
import subprocess
import sys

import pytest

import ocior
from ocior import _select

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
        (ANCIENT, None, ["v2", "lacks ssse3"]),
        (ANCIENT, "v3", ["v3", "lacks ssse3, avx2", "usable on this machine: none"]),
        (ARM, "v3", ["v3", "another processor architecture", "usable on this machine: neon"]),
        ({}, None, ["x86-64", "aarch64"]),
    ],
)
def test_refusal_says_what_is_missing(machine, override, said):
    with pytest.raises(ImportError) as caught:
        _select.choose(machine, override)
    for words in said:
        assert words in str(caught.value)


def test_missing_module_is_named(monkeypatch):
    monkeypatch.setattr(_select, "_module_name", lambda level: f"ocior._no_core_{level}")
    level = _select.usable_levels()[0]
    with pytest.raises(ImportError, match=f"ocior._no_core_{level}"):
        _select.load_level(level)
    monkeypatch.delenv("OCIOR_ISA", raising=False)
    with pytest.raises(ImportError, match="ocior._no_core_.*usable and installed: none"):
        _select.select()


def test_source_tree_without_a_build_says_what_to_do(tmp_path):
    package = tmp_path / "ocior"
    shutil.copytree(os.path.dirname(ocior.__file__), package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", "import ocior"], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: ocior is not built for {sys.executable}: {package} has no _cpu."), done.stderr
    assert f"make build PYTHON={sys.executable}" in last and "pip install ." in last


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
