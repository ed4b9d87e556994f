"""Paths, URLs, folders and patterns made into files, and files into Parts."""

from __future__ import annotations

import glob
import os

from ocior.lines import Part, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


def parts_of(paths: Any, part_size: int, storage_options: Mapping[str, Any] | None, *, is_whole: bool = False) -> list[Part]:
    """The Parts of all files, in the order of the files; at least one, which may be empty. `is_whole`: each file is one Part.

    Raises FileNotFoundError where there is no file, and what `ocior.lines.split` raises.
    """
    from concurrent.futures import ThreadPoolExecutor

    files = files_of(paths, storage_options)
    if not files:
        raise FileNotFoundError(f"there is no file at {paths!r}")
    if is_whole:
        return [Part(file) for file in files]
    with ThreadPoolExecutor(min(32, len(files))) as pool:  # each file is opened, and a store may be far away
        of_files = pool.map(lambda file: split(file, part_size, storage_options=storage_options), files)
        return [part for parts in of_files for part in parts] or [Part(files[0])]


def files_of(paths: Any, storage_options: Mapping[str, Any] | None = None) -> list[str]:
    """The files that paths, URLs and patterns stand for, in the order in which they are given, those of a folder or a pattern by name.

    A folder stands for all files below it, but for those with a name, of their own or of a folder, that begins with "." or "_".
    """
    if not isinstance(paths, (str, os.PathLike)):
        return [file for path in paths for file in files_of(path, storage_options)]
    path = absolute(paths)
    if path.startswith(("http://", "https://")) or "::" in path:
        return [path]  # a "?" is no pattern there, and to ask for a folder would cost a request
    if "://" in path:
        return _files_of_url(path, storage_options or {})
    if os.path.isdir(path):
        return _visible((os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names), path)
    if os.path.exists(path) or not glob.has_magic(path):
        return [path]
    return sorted(file for file in glob.glob(path, recursive=True) if not os.path.isdir(file))


def absolute(path: str | os.PathLike[str]) -> str:
    """A path that means the same wherever a worker stands; a URL as it is."""
    text = os.fsdecode(path)
    return text if "://" in text or "::" in text else os.path.abspath(text)


def _files_of_url(url: str, storage_options: Mapping[str, Any]) -> list[str]:
    from fsspec.core import url_to_fs

    system, path = url_to_fs(url, **storage_options)
    if glob.has_magic(path):
        files = sorted(file for file, about in system.glob(path, detail=True).items() if about["type"] != "directory")
    else:
        files = _visible(system.find(path), path) if system.isdir(path) else [path]
    return [system.unstrip_protocol(file) for file in files]


def _visible(files: Iterable[str], folder: str) -> list[str]:
    def is_hidden(file: str) -> bool:
        return any(name.startswith((".", "_")) for name in file[len(folder) :].replace(os.sep, "/").split("/"))

    return sorted(file for file in files if not is_hidden(file))
