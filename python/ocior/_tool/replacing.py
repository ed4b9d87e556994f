"""Writing over the file that is being read: it is not touched before all of the new text is there."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

_CHUNK_BYTES = 1 << 20


@contextmanager
def replaced(path: str) -> Iterator[BinaryIO]:
    """A file whose content takes the place of the content of `path` when the block ends, unless by an exception.

    It is made beside the old file and renamed, so that there is a whole file at any time. Where a rename would leave something
    of the old file behind (other hard links, its owner), or nothing can be made beside it, its content is copied in the end.
    """
    path = os.path.realpath(path)  # the file, not a symbolic link to it
    with open(path, "r+b", buffering=0) as old:  # it must be writable, as for writing it directly
        beside = _beside(path, os.fstat(old.fileno()))
        if beside is None:
            with gathered(old) as new:
                yield new
            old.truncate()
            return
    new, name = beside
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


@contextmanager
def gathered(target: BinaryIO) -> Iterator[BinaryIO]:
    """A file whose content is written to `target` when the block ends, unless by an exception."""
    with tempfile.TemporaryFile() as new:
        yield new
        new.seek(0)
        while chunk := new.read(_CHUNK_BYTES):
            rest = memoryview(chunk)
            while rest:  # an unbuffered target may take less than it is given, as on a disk that is nearly full
                rest = rest[target.write(rest) :]


def _beside(path: str, known: os.stat_result) -> tuple[BinaryIO, str] | None:
    """A new, empty file in the directory of `path`, with its owner, mode and extended attributes, and its name."""
    if known.st_nlink > 1:
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
