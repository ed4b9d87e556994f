"""A program that uses ocior, packed by PyInstaller as it is: no option and no hook says what ocior needs.

`make test` runs this with ocior installed and PyInstaller beside pytest.
"""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import datetime, sys
import ocior as json
from ocior.compat import orjson, ssrjson, ujson

value = {"a": [1, 2.5, None, "\u4e2d"], "b": {"c": 10**30}}
assert json.loads(json.dumps(value)) == value == json.loads(json.dumps_to_bytes(value, indent=1))
assert orjson.loads(orjson.dumps({"a": [1.5]})) == ujson.loads(ujson.dumps({"a": [1.5]})) == ssrjson.loads('{"a": [1.5]}')
assert json.loads("[1]", cls=json.JSONDecoder) == [1] and json.JSONEncoder(indent=2).encode([1]) == "[\\n  1\\n]"
written = json.dumps([datetime.date(2024, 2, 29), b"abc"], default=json.Default(bytes="base64"))
try:
    json.loads("[x]")
except json.JSONDecodeError as error:
    print(json.dumps({"frozen": sys.frozen, "level": json.get_current_features()["level"], "error": error.pos, "written": written}))
"""


def test_pyinstaller(tmp_path):
    pytest.importorskip("PyInstaller")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    packing = subprocess.run(
        [sys.executable, "-m", "PyInstaller", "--onedir", "--log-level", "ERROR", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    if "Python library not found" in packing.stderr or "PythonLibraryNotFoundError" in packing.stderr:
        pytest.skip("PyInstaller needs a Python that is a shared library")
    assert packing.returncode == 0, packing.stderr
    done = subprocess.run([tmp_path / "dist/program/program"], cwd="/", env={}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["frozen"] and told["error"] == 1 and told["written"] == '["2024-02-29", "YWJj"]'
