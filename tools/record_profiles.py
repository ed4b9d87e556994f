#!/usr/bin/env python3
"""Records the profiles that a build with OCIOR_PGO=use is optimised by: builds cores that record, and trains each level that this machine
runs by tools/train.py. For the interpreter that runs it. tools/wheel calls it, and cibuildwheel before each wheel of a release.

    python3 tools/record_profiles.py [--into FOLDER] [--required] [CMAKE OPTIONS...]

The profiles come into FOLDER, build/profile of the checkout by default, which is where a build looks for them. A profile fits one state of
the sources and one interpreter, so what was recorded there before is removed. Where none can be recorded it says so and leaves no folder:
the build does without. With --required that is a failure.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def say(words):
    print(f"==> {words}", file=sys.stderr, flush=True)


def run(command, **environment):
    subprocess.run([str(part) for part in command], cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, check=True)


def build_recording(work, profiles, options):
    """The folder of a package whose cores record what they do into `profiles`, with every level that this machine runs."""
    cmake, ninja = os.environ.get("CMAKE", "cmake"), os.environ.get("NINJA", "ninja")
    places = {"OCIOR_PROFILE_DIR": profiles, "Python_EXECUTABLE": sys.executable, "CMAKE_MAKE_PROGRAM": shutil.which(ninja) or ninja}
    defined = [f"-D{name}={Path(place).as_posix()}" for name, place in places.items()]
    configure = [cmake, "-S", ROOT, "-B", work / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    run([*configure, *defined, "-DOCIOR_LEVELS=usable", "-DOCIOR_PGO=generate", *options])
    run([cmake, "--build", work / "build", "--parallel", os.environ.get("JOBS") or os.cpu_count()])
    shutil.copytree(ROOT / "python" / "ocior", work / "package" / "ocior", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    run([cmake, "--install", work / "build", "--prefix", work / "package"])
    return work / "package"


def train(package):
    """Runs every level that was built, each in a process of its own: it writes its profile when it ends."""
    listing = "from ocior import _select; print(*_select.usable_levels())"
    environment = {**os.environ, "PYTHONPATH": str(package)}
    usable = subprocess.run([sys.executable, "-c", listing], env=environment, capture_output=True, text=True, check=True).stdout.split()
    for level in usable:
        if list(package.glob(f"ocior/_core_{level}.*")):
            say(f"training level {level}")
            run([sys.executable, ROOT / "tools" / "train.py"], PYTHONPATH=str(package), OCIOR_ISA=level)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "profile", metavar="FOLDER")
    parser.add_argument("--required", action="store_true", help="fail where nothing can be recorded")
    arguments, options = parser.parse_known_args()
    profiles = arguments.into.resolve()
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir(parents=True)
    say("building what records profiles")
    failure = None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        try:
            train(build_recording(Path(work).resolve(), profiles, options))
        except subprocess.CalledProcessError as error:
            failure = f"`{' '.join(error.cmd[:3])} ...` ended with status {error.returncode}"
        except OSError as error:
            failure = str(error)
    recorded = sorted({path.parent.name for path in profiles.glob("*/*") if path.suffix in (".gcda", ".profraw")})
    if failure or not recorded:
        shutil.rmtree(profiles)
        say(f"no profiles can be recorded here, what is built next does without them: {failure or 'the cores wrote none'}")
        sys.exit(1 if arguments.required else 0)
    say(f"profiles of the levels {', '.join(recorded)} are in {profiles}")


if __name__ == "__main__":
    main()
