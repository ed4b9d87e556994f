"""Under valgrind, with the suppressions of tools/valgrind.supp, nothing is reported of a program that uses ocior."""

import os
import platform
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import HAS_GIL

import ocior

SUPPRESSIONS = Path(__file__).resolve().parents[3] / "tools" / "valgrind.supp"

PROGRAM = """
import datetime, decimal, json, uuid
import ocior

for letter in "a", "\\xe9", "\\u4e2d", "\\U0001f600":
    for length in 0, 1, 7, 8, 16, 33, 65, 1000, 5000:
        text = letter * length
        texts = [text, "a" + text, ("\\u4e2d" + letter + "x") * length, 'escaped"\\\\\\n' + text]
        value = [texts, {text: [1.5, -7, length, None, True], "k": "x" * length}, [[1, 2], [3.25]]]
        for keywords in {}, {"ensure_ascii": False}, {"indent": 1}:
            document = json.dumps(value, **keywords)
            assert ocior.dumps(value, **keywords) == document
            for source in document, document.encode(), bytearray(document.encode()):
                assert json.dumps(ocior.loads(source), **keywords) == document
        assert ocior.dumps_to_bytes(value, separators=(", ", ": "), ensure_ascii=True) == json.dumps(value).encode()
        for cut in range(12):
            written = json.dumps(text[cut:], ensure_ascii=False)
            assert ocior.loads(written) == ocior.loads(written.encode()) == text[cut:]
        for spoiled in document[:-1], document[:-2] + "x", document + "]":
            for source in spoiled, spoiled.encode():
                try:
                    ocior.loads(source)
                except ValueError:
                    pass
records = [{"id": i, "name": f"n{i}", "score": i / 7, "tags": ["a", "b"]} for i in range(50)]
rich = [datetime.datetime(2024, 2, 29), uuid.UUID(int=7), decimal.Decimal("1.5"), b"abc"]
for _ in range(3):
    assert ocior.dumps(records) == json.dumps(records)
    assert ocior.loads(json.dumps(records)) == records == ocior.loads(json.dumps(records).encode())
    written = ocior.dumps(rich, default=ocior.Default(bytes="base64"))
    assert written == '["2024-02-29T00:00:00", "00000000-0000-0000-0000-000000000007", 1.5, "YWJj"]', written
"""


# memcheck follows the instructions of this level.
LEVEL = "v2" if platform.machine() == "x86_64" else "neon"


def reports_on(program):
    """What memcheck reports, by its kind and the function that it happens in."""
    environment = {**os.environ, "PYTHONMALLOC": "malloc", "PYTHONPATH": str(Path(ocior.__file__).parents[1]), "OCIOR_ISA": LEVEL}
    command = ["valgrind", "-q", f"--suppressions={SUPPRESSIONS}", "--error-limit=no", sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-6000:]
    return {
        (kind, place): stack for kind, stack, place in re.findall(r"== (\w.*)\n((?:==.* +at .*: (.*)\n)(?:==.* +by .*\n)*)", done.stderr)
    }


@pytest.mark.skipif(not HAS_GIL, reason="without a GIL, CPython's objects do not come from malloc")
@pytest.mark.skipif(not shutil.which("valgrind"), reason="needs valgrind")
@pytest.mark.skipif(not find_spec(f"ocior._core_{LEVEL}"), reason=f"needs level {LEVEL}")
def test_nothing_is_reported():
    of_python = reports_on("import datetime, decimal, json, uuid")  # CPython 3.11.7 has a report of its own
    of_ocior = {what: stack for what, stack in reports_on(PROGRAM).items() if what not in of_python}
    assert not of_ocior
