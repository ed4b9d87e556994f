"""What a release would build: .github/workflows/wheels.yml and cibuildwheel's settings in pyproject.toml, without building anything.

`make test` runs this in a checkout, with PyYAML and the cibuildwheel that the workflow names beside pytest.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = {"cp310", "cp311", "cp312", "cp313", "cp314", "cp314t"}
SYSTEMS = {
    *("manylinux_x86_64", "manylinux_aarch64", "musllinux_x86_64", "musllinux_aarch64"),
    *("macosx_x86_64", "macosx_arm64", "win_amd64", "win_arm64"),
}


@pytest.fixture(scope="module")
def workflow():
    yaml = pytest.importorskip("yaml")
    path = ROOT / ".github" / "workflows" / "wheels.yml"
    if not path.exists():
        pytest.skip("needs a checkout")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def commands(job):
    return "\n".join(step["run"] for step in job["steps"] if "run" in step)


def identifiers(runner):
    """What cibuildwheel builds on that runner, such as cp313-manylinux_x86_64."""
    platform = {"ubuntu": "linux", "macos": "macos", "windows": "windows"}[runner["os"].split("-")[0]]
    listing = [sys.executable, "-m", "cibuildwheel", "--platform", platform, "--print-build-identifiers", str(ROOT)]
    environment = {**os.environ, "CIBW_ARCHS": runner["archs"], "CIBW_SKIP": runner["skip"]}
    return subprocess.run(listing, env=environment, capture_output=True, text=True, check=True).stdout.split()


def test_wheels(workflow):
    """One of each Python for each system, each on one runner, and as many as the workflow counts before it publishes."""
    pytest.importorskip("cibuildwheel")
    built = [name for runner in workflow["jobs"]["wheels"]["strategy"]["matrix"]["include"] for name in identifiers(runner)]
    assert sorted(built) == sorted(f"{python}-{system}" for python in PYTHONS for system in SYSTEMS)
    assert f"'*.whl' | wc -l)\" -eq {len(built)}\n" in commands(workflow["jobs"]["check"])


def test_nothing_is_published_before_it_is_checked(workflow):
    jobs = workflow["jobs"]
    assert jobs["publish"]["needs"] == "check" and set(jobs["check"]["needs"]) == {"sdist", "wheels"}
    assert "twine" in commands(jobs["check"]) and "ref_type == 'tag'" in jobs["publish"]["if"]


def test_rights(workflow):
    """Only the job that uploads, and runs nothing of ours, may prove to PyPI who it is."""
    assert workflow["permissions"] == {"contents": "read"}
    rights = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert rights == {"publish": {"id-token": "write"}}
    assert not commands(workflow["jobs"]["publish"])


def test_versions_of_python():
    """The classifiers, the oldest version and what is built agree."""
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    classified = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', settings)
    oldest = re.search(r'requires-python = ">=(.*)"', settings)[1]
    (built,) = re.findall(r'^build = "(.*)"$', settings, re.MULTILINE)
    assert classified[0] == oldest
    assert {name.removesuffix("-*") for name in built.split()} == PYTHONS
    assert {"cp" + version.replace(".", "") for version in classified} >= {name.rstrip("t") for name in PYTHONS}
