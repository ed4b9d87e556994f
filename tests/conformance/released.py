"""The source packages that the peers released: fetches one, compares its digest, unpacks what its tests need.

A package is asked for at the index that pip is configured with, by its file name alone: pip itself would build it to learn
what it depends on. It is kept where tools/lib.sh keeps what several runs share, so the network is needed once.
"""

import ast
import hashlib
import html.parser
import http.client
import io
import os
import ssl
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path, PurePosixPath
from typing import NamedTuple

SECONDS = 60  # that the index may be silent


class Release(NamedTuple):
    name: str
    version: str
    sha256: str
    folders: tuple[str, ...]  # what its tests need, the folder with the tests in it first
    also: tuple["Release", ...] = ()  # releases that carry folders which this one's tests read, but which it lacks
    stands_for: str = ""  # the version whose interface ocior has, where that one comes without tests
    part: str = ""  # the one module of the package that ocior's stands in for; all others remain the peer's

    @property
    def file_name(self) -> str:
        return f"{self.name}-{self.version}.tar.gz"

    @property
    def interface(self) -> str:
        return self.stands_for or self.version

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


# The last release of orjson that has the documents which its tests read. They are the same ones since then.
DOCUMENTS = Release("orjson", "3.10.12", "0a78bbda3aea0f9f079057ee1ee8a1ecf790d4f1af88dd67493c6b8ee52506ff", ("data",))

RELEASES = {
    release.name: release
    for release in (
        Release("orjson", "3.13.0", "d1de5eb04485110c5da4c657e49168995d55e076b1ce60f1a042e254f4186c4f", ("test",), (DOCUMENTS,)),
        Release("ujson", "6.1.0", "aef7ea4cd9e2e9f8a35c4538a9780d58c80d76c5da66a8dad269b4cc6d930c29", ("tests",)),
        # The last release of ssrjson that has its tests: later ones have those of the C code only.
        Release(
            "ssrjson",
            "0.0.16",
            "cd47b946b8d9e0f27f9a4d10b3e18d37252dfb36ea8096b80f24161dcc9c5be4",
            ("python-test", "test_data"),
            stands_for="0.0.24",
        ),
        Release("msgspec", "0.22.0", "0a13624a4969159fe35d8c2a3d377b2b61bbd8585e327440d5e52725affcce38", ("tests",), part="json"),
    )
}


class Unavailable(Exception):
    """This machine cannot have the package."""


class NotAsReleased(Exception):
    """What the index gave is another file than the one that was released."""


def unpack(release: Release, folder: Path) -> Path:
    """Writes the tests, what they read, and the settings that pytest reads, below `folder`; returns the folder of the tests."""
    for one in (*release.also, release):
        with tarfile.open(fileobj=io.BytesIO(package(one))) as archive:
            for member in archive:
                path = PurePosixPath(*PurePosixPath(member.name).parts[1:])  # the first is the name and the version
                wanted = path.parts[:1] and path.parts[0] in (*one.folders, "pyproject.toml")
                # Plain files alone, whose names go down and never up. Only since Python 3.12 has tarfile such a filter for certain.
                if member.isfile() and wanted and ".." not in path.parts:
                    place = folder / path
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(archive.extractfile(member).read())
    return folder / release.folders[0]


def package(release: Release) -> bytes:
    kept = cache_dir() / release.file_name
    if kept.is_file() and is_released(release, content := kept.read_bytes()):
        return content
    content = fetch(release)
    if not is_released(release, content):
        raise NotAsReleased(f"{release.file_name} from {without_user(index_url())} is not the file that was released: its SHA-256 differs")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        new = kept.with_name(f"{kept.name}.{os.getpid()}")  # several runs can do this at the same time
        new.write_bytes(content)
        new.replace(kept)
    except OSError:
        pass  # it is fetched again, then
    return content


def is_released(release: Release, content: bytes) -> bool:
    return hashlib.sha256(content).hexdigest() == release.sha256


def cache_dir() -> Path:
    """What cache_dir in tools/lib.sh prints."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "ocior"


def fetch(release: Release) -> bytes:
    index = index_url()
    try:
        page = get(f"{index.rstrip('/')}/{release.name}/", "text/html")
        links = Links()
        links.feed(page.read().decode())
        for link in links.found:
            url = urllib.parse.urljoin(page.url, link)
            if urllib.parse.urlsplit(url).path.endswith("/" + release.file_name):
                return get(url, "*/*").read()
        why = "it has no such file"
    except (OSError, ValueError, http.client.HTTPException) as error:
        why = str(error)
    raise Unavailable(
        f"{release.file_name} cannot be had from {without_user(index)} ({why}); a file of that name in {cache_dir()} is used as well"
    )


def get(url: str, accept: str):
    request = urllib.request.Request(without_user(url), headers={"Accept": accept})
    return urllib.request.urlopen(request, timeout=SECONDS, context=ssl.create_default_context(cafile=pip_setting("cert")))


def index_url() -> str:
    return pip_setting("index-url") or "https://pypi.org/simple"


def pip_setting(name: str):
    """The option of `pip download` that the environment sets, else the one that a file sets, or None."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    settings = dict(line.split("=", 1) for line in listed.stdout.splitlines() if "=" in line)
    found = (settings.get(f"{place}.{name}") for place in (":env:", "download", "global"))
    return next((ast.literal_eval(value) for value in found if value), None)


class Links(html.parser.HTMLParser):
    """Where the links of a page lead."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if tag == "a" and name == "href" and value]


def without_user(url: str) -> str:
    """The address without a user's name and password: urllib does not send them, and no message is to show them."""
    parts = urllib.parse.urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
