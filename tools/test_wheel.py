#!/usr/bin/env python3
"""Tests an installed wheel as a release does: tests/python at every level that this machine runs, and the best level once more with
PYTHONMALLOC=debug, where CPython puts guards around all that it allocates. For the interpreter that runs it; needs the extra `test`.

    python3 tools/test_wheel.py [OPTIONS of pytest...]

What is imported is the installation, wherever this is called from. Random tests try as few examples as in `make test QUICK=1`.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main():
    import ocior
    from ocior import _select

    if ROOT / "python" in Path(ocior.__file__).resolve().parents:
        sys.exit(f"error: {ocior.__file__} is the checkout's, not an installation")
    here = Path(ocior.__file__).parent
    print(f"ocior {ocior.__version__} in {here}", flush=True)
    levels = [level for level in _select.usable_levels() if list(here.glob(f"_core_{level}.*"))]
    runs = [*({"OCIOR_ISA": level} for level in levels), {"OCIOR_ISA": levels[0], "PYTHONMALLOC": "debug"}]
    failed = []
    for settings in runs:
        name = " ".join("=".join(setting) for setting in settings.items())
        print(f"==> {name}", flush=True)
        environment = {**os.environ, "OCIOR_HYPOTHESIS_PROFILE": "quick", **settings}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *sys.argv[1:], str(ROOT / "tests" / "python")]
        if subprocess.run(command, env=environment).returncode != 0:
            failed.append(name)
    if failed:
        sys.exit("failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
