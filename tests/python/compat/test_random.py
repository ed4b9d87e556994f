"""A few rounds of tests/fuzz/compat.py: random values, options and documents, each module of ocior.compat against the library whose name it
has."""

import sys
from pathlib import Path

import pytest
from support import IS_QUICK

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fuzz"))
import compat as fuzz  # noqa: E402


@pytest.mark.parametrize("name", fuzz.LIBRARIES)
def test_random_rounds(name):
    if not fuzz.pair(name):
        pytest.skip(f"{name} is not installed, or another version")
    lines = []
    failed = fuzz.run(name, 150 if IS_QUICK else 600, 1, lines.append)
    assert not failed, "\n".join(lines)
