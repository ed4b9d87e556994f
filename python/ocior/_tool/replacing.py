"""Writing over the file that is being read: it is not touched before all of the new text is there."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from ocior._tool import signals

_CHUNK_BYTES = 1 << 20


@contextmanager
def replaced(path: str) -> Iterator[BinaryIO]:
    """A file whose content takes the place of the content of `path` when the block ends, unless by an exception.

    It is made beside the old file and renamed, so that there is a whole file at any time. Where a rename would leave something
    of the old file behind (other hard links, its owner), or nothing can be made beside it, the old file is overwritten in the
    end; on Windows always, where a file that is open cannot be replaced, and another one would have another access list.
    """
    path = os.path.realpath(path)  # the file, not a symbolic link to it
    with signals.raised(), open(path, "r+b", buffering=0) as old:  # it must be writable, as for writing it directly
        beside = _beside(path, os.fstat(old.fileno()))
        if beside is None:
            with tempfile.TemporaryFile() as new:
                yield new
                with signals.deferred():
                    _overwrite(old, new)
        else:
            with _renamed(path, *beside) as new:
                yield new


@contextmanager
def gathered(target: BinaryIO) -> Iterator[BinaryIO]:
    """A file whose content is written to `target` when the block ends, unless by an exception."""
    with tempfile.TemporaryFile() as new:
        yield new
        new.seek(0)
        _copy(new, target)


def _overwrite(old: BinaryIO, new: BinaryIO) -> None:
    """Gives `old` the content of `new`. What is longer than `old` is written first: if there is no room for it, nothing
    of `old` is lost; and what then takes the place of old bytes needs no room."""
    old_len = os.fstat(old.fileno()).st_size
    new_len = new.seek(0, os.SEEK_END)
    if new_len > old_len:
        try:
            _copy_from(old_len, new, old)
            os.fsync(old.fileno())  # some file systems find out only here
        except BaseException:
            old.truncate(old_len)
            raise
    _copy_from(0, new, old)
    old.truncate(new_len)


def _copy_from(offset: int, source: BinaryIO, target: BinaryIO) -> None:
    source.seek(offset)
    target.seek(offset)
    _copy(source, target)


def _copy(source: BinaryIO, target: BinaryIO) -> None:
    while chunk := source.read(_CHUNK_BYTES):
        rest = memoryview(chunk)
        while rest:  # an unbuffered target may take less than it is given, as on a disk that is nearly full
            rest = rest[target.write(rest) :]


@contextmanager
def _renamed(path: str, new: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """`new`, which becomes `path` instead of `name` when the block ends, unless by an exception."""
    try:
        with new:
            yield new
            new.flush()
            os.fsync(new.fileno())  # or a crash may leave the new name with no content
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _beside(path: str, known: os.stat_result) -> tuple[BinaryIO, str] | None:
    """A new, empty file in the directory of `path`, with its owner, mode and extended attributes, and its name."""
    if known.st_nlink > 1 or os.name == "nt":
        return None
    try:
        descriptor, name = tempfile.mkstemp(prefix=".ocior-", dir=os.path.dirname(path))
    except OSError:
        return None
    try:
        made = os.fstat(descriptor)
        if (made.st_uid, made.st_gid) != (known.st_uid, known.st_gid):
            os.fchown(descriptor, known.st_uid, known.st_gid)
        shutil.copystat(path, name)
    except OSError:
        os.close(descriptor)
        os.unlink(name)
        return None
    return os.fdopen(descriptor, "wb"), name
