"""What the wheel and the sdist carry: what git tracks of them, and nothing else.

`make test` runs this in a checkout, with the wheel that it installed in OCIOR_WHEEL, and scikit-build-core and twine beside pytest.
"""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Of the repository, what says how it is kept and not what is in it.
NOT_IN_SDIST = (".ci/", ".github/", ".gitignore")
LEVELS = ("v2", "v3", "v4", "neon")


@pytest.fixture(scope="module")
def tracked():
    """The files of the repository, those that are new among them: it is not yet committed what is tried."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs git and a checkout")
    return {name for name in os.fsdecode(listed.stdout).split("\0") if name and (ROOT / name).exists()}


@pytest.fixture(scope="module")
def wheel():
    if not os.environ.get("OCIOR_WHEEL"):
        pytest.skip("needs a wheel, in OCIOR_WHEEL")
    with zipfile.ZipFile(ROOT / os.environ["OCIOR_WHEEL"]) as archive:
        yield archive


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    pytest.importorskip("scikit_build_core")
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, check=True)
    (path,) = folder.iterdir()
    with tarfile.open(path) as archive:
        yield archive


def test_pypi_would_take_both(wheel, sdist):
    pytest.importorskip("twine")
    check = [sys.executable, "-m", "twine", "check", "--strict"]
    checked = subprocess.run([*check, wheel.filename, sdist.name], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def metadata(file):
    return BytesParser().parse(file)


def test_wheel(wheel, tracked):
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    info = {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" in name}
    assert len(info) == 1
    (info,) = info
    names = set(wheel.namelist())
    assert len(names) == len(wheel.namelist())
    package = {name.removeprefix("python/") for name in tracked if name.startswith("python/ocior/")}
    cores = {f"ocior/_core_{level}{suffix}" for level in LEVELS} & names
    assert cores
    about = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
    assert names == package | cores | {f"ocior/_cpu{suffix}"} | about


def test_sdist(sdist, tracked):
    members = sdist.getmembers()
    top = {member.name.split("/")[0] for member in members}
    assert len(top) == 1
    names = {member.name.partition("/")[2] for member in members if not member.isdir()}
    assert names == {name for name in tracked if not name.startswith(NOT_IN_SDIST)} | {"PKG-INFO"}


def test_what_both_say_of_themselves(wheel, sdist):
    (in_wheel,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    (in_sdist,) = (name for name in sdist.getnames() if name.count("/") == 1 and name.endswith("/PKG-INFO"))
    with wheel.open(in_wheel) as file:
        of_wheel = metadata(file)
    of_sdist = metadata(sdist.extractfile(in_sdist))
    assert of_wheel.items() == of_sdist.items()
    assert of_wheel["Name"] == "ocior" and of_wheel["Requires-Python"] == ">=3.10"
    assert (of_wheel["License-Expression"], of_wheel.get_all("License-File")) == ("MIT", ["LICENSE"])
    assert f'__version__ = "{of_wheel["Version"]}"' in (ROOT / "python/ocior/__init__.py").read_text(encoding="utf-8")
    assert of_wheel.get_payload().startswith("# ocior")
