"""A folder of lines that many tasks write, of which readers see whole files only.

A task writes a file of its own into a hidden folder, and returns its name. When all have ended, the files of those that returned are moved
to where readers look, and the hidden folder is removed: what tasks have left that were killed, ran twice or failed is never seen.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from uuid import uuid4

from ocior import lines
from ocior._engines.files import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_SUFFIXES = {None: "", "gzip": ".gz", "bz2": ".bz2", "xz": ".xz", "zstd": ".zst"}


class Folder:
    """One writing of files into a folder. It pickles.

    folder: a path that all workers share, or a URL, which fsspec gets `storage_options` for.
    overwrite: whether the files that earlier writings have left there are removed.
    compression: "gzip", "bz2", "xz", "zstd" or None. options: keywords of `ocior.lines.write`.

    Raises ValueError for another compression.
    """

    def __init__(
        self, folder: Any, *, overwrite: bool = False, compression: str | None = None, storage_options: Any = None, **options: Any
    ) -> None:
        if compression not in _SUFFIXES:
            raise ValueError(f"compression must be one of {', '.join(map(repr, _SUFFIXES))}, not {compression!r}")
        self.folder = absolute(folder).rstrip("/")
        self.overwrite = overwrite
        self.options = {**options, "compression": compression}
        self.storage_options = dict(storage_options) if storage_options else None
        self._suffix = ".jsonl" + _SUFFIXES[compression]
        self._job = uuid4().hex[:12]
        self._hidden = posixpath.join(self.folder, f".ocior-{self._job}")

    def __enter__(self) -> Folder:
        """Makes the folder, and the hidden one in it. The program does that, before any task begins, and leaves when all have ended."""
        _system_of(self.folder, self.storage_options).makedirs(self._hidden)
        return self

    def __exit__(self, *_: object) -> None:
        """Removes the hidden folder with all that has been left in it."""
        _system_of(self.folder, self.storage_options).remove_folder(self._hidden)

    def write(self, table: Any, index: int) -> str:
        """Writes what has an Arrow stream as the file of that index, and returns the name under which it lies in the hidden folder."""
        name = f"part-{index:05}-{self._job}.{uuid4().hex[:12]}"
        lines.write(table, posixpath.join(self._hidden, name), storage_options=self.storage_options, **self.options)
        return name

    def commit(self, names: Iterable[str | None]) -> None:
        """Moves the files of those names to where readers look; None stands for a task that had nothing to write."""
        system = _system_of(self.folder, self.storage_options)
        earlier = [name for name in system.names(self.folder) if name.startswith("part-")] if self.overwrite else []
        for name in sorted(name for name in names if name is not None):
            system.move(posixpath.join(self._hidden, name), posixpath.join(self.folder, name.partition(".")[0] + self._suffix))
        for name in earlier:
            system.remove(posixpath.join(self.folder, name))


def _system_of(folder: str, storage_options: Mapping[str, Any] | None) -> Any:
    return _Remote(folder, storage_options or {}) if "://" in folder else _Local()


class _Local:
    def makedirs(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)

    def names(self, path: str) -> list[str]:
        return os.listdir(path)

    def move(self, path: str, target: str) -> None:
        os.replace(path, target)

    def remove(self, path: str) -> None:
        os.remove(path)

    def remove_folder(self, path: str) -> None:
        shutil.rmtree(path, ignore_errors=True)


class _Remote:
    """Those of fsspec. A store of objects has no folders, moves by copying, and shows an object when it is complete."""

    def __init__(self, url: str, storage_options: Mapping[str, Any]) -> None:
        from fsspec.core import url_to_fs

        self._system = url_to_fs(url, **storage_options)[0]

    def makedirs(self, path: str) -> None:
        self._system.makedirs(path, exist_ok=True)

    def names(self, path: str) -> list[str]:
        return [posixpath.basename(file) for file in self._system.ls(path, detail=False)]

    def move(self, path: str, target: str) -> None:
        self._system.mv(path, target)

    def remove(self, path: str) -> None:
        self._system.rm_file(path)

    def remove_folder(self, path: str) -> None:
        if self._system.exists(path):
            self._system.rm(path, recursive=True)
