"""Objects written as lines of JSON, all at once or one after the other: `ocior.lines.write` and `ocior.lines.Writer`."""

from __future__ import annotations

from _thread import RLock

from ocior import _core  # type: ignore[attr-defined]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from ocior._stream.targets import Target

__all__ = ["Writer", "write"]

# Short lines are gathered up to so many bytes before they are written to a file of our own.
_GATHERED_BYTES = 128 * 1024
_IN_USE = "the Writer is in the middle of a write"


class Writer:
    """Writes objects to one target, each as a line of JSON.

    `target`: a path, a URL if fsspec is installed, a binary file, a text file, or anything with a `write` that takes bytes or str. What
    the Writer opens it closes; a file that is lent stays open. A path is opened at once; without `append` what was there is gone then.

    `append`: goes on at the end of what is there. Where that ends within a line, the first line begins with a line feed. A compressed file
    gets one more member; how its last line ends is not looked at.

    `compression`: "gzip", "bz2", "xz", "zstd", None, or "infer": by the end of a path's name (.gz, .bz2, .xz, .zst), and none for files.
    `storage_options`: a dict of what fsspec is told of a URL. The other options are those of `ocior.dumps_to_bytes`, without `indent`;
    they are read once.

    An object is encoded before any byte of it is written, and its line is given to the target in one call. Lines for paths and compressors
    are gathered; `flush` writes them. Where writing to a path fails in a line, its beginning is taken back, and the lines that were not
    written are kept: `flush` and `close` try again. Threads may share a Writer; each of their lines stays whole.

    `count`: how many objects have been written. `name`: the path, or the file's name if that is a str, else None. `closed`.

    Raises TypeError for what is no target and for an indent, ValueError for an unknown compression, ImportError that names what to install,
    OSError of the file system, and for an object what `ocior.dumps_to_bytes` raises.

        >>> with Writer("events.jsonl") as writer:      # doctest: +SKIP
        ...     writer.write({"id": 1})
        ...     writer.write_all({"id": n} for n in range(2, 5))
    """

    _closed = True  # until there is a target

    def __init__(
        self,
        target: Any,
        *,
        append: bool = False,
        compression: str | None = "infer",
        storage_options: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        from ocior._stream.targets import open_target  # which imports io

        self._encoder = _core.LineEncoder((), **options)  # wrong options are refused before the file is touched
        self._encode = self._encoder.encode
        self._lock = RLock()
        self._target: Target = open_target(target, append, compression, storage_options)
        self._closed = False
        self._is_writing = False
        self._waiting = 0  # about so many bytes are gathered
        self._left = bytearray()  # that were gathered before those
        self._count = 0  # of those that were not gathered
        self._before = b"\n" if self._target.is_torn else b""  # the next line
        self._settle()
        self.name = self._target.name

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def count(self) -> int:
        return self._count + int(self._encoder.count)

    def write(self, obj: Any) -> None:
        """Writes one object; of a table, as for `write`, each row. Raises ValueError if the Writer is closed."""
        if self._waiting >= _GATHERED_BYTES:
            with self._lock:
                self._check_open()
                self._write_gathered()
        gather = self._gather  # another thread may close the Writer
        if gather is not None:
            waiting = gather(obj)
            if waiting is None:
                return self.write_all(obj)
            self._waiting = waiting
            return
        line = self._encode(obj)
        if line is None:
            return self.write_all(obj)
        with self._lock:
            if self._plain_write is not None:
                self._plain_write(line)
            else:
                self._put(line)
            self._count += 1

    def write_all(self, objects: Any) -> None:
        """Writes the objects of an iterable, or the rows of a table. Where one cannot be written, or the iterable raises, those before it
        have been written."""
        self._write_blocks(self._encoder.blocks(objects))

    def flush(self) -> None:
        """Writes the lines that were gathered, and flushes the file, and the compressor as far as it can."""
        with self._lock:
            self._check_open()
            self._write_gathered()
            self._target.flush()

    def close(self) -> None:
        """Writes what was gathered, ends the compression, and closes what the Writer has opened. Another call does nothing."""
        with self._lock:
            if self._closed:
                return
            if self._is_writing:
                raise RuntimeError(_IN_USE)
            try:
                self._write_gathered(is_last=True)
            finally:
                self._closed = True
                self._settle()
                self._target.close()

    def __enter__(self) -> Writer:
        self._check_open()
        return self

    def __exit__(self, cls: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._closed:
            self.close()

    def __repr__(self) -> str:
        return f"<ocior.lines.Writer name={self.name!r} count={self.count}{' closed' if self._closed else ''}>"

    def _write_blocks(self, blocks: Any) -> None:
        counted = 0
        for block in blocks:
            with self._lock:
                self._put(block)
                self._count += blocks.count - counted
            counted = blocks.count

    def _settle(self) -> None:
        """Finds the short ways of write(): a native function gathers lines for a target of our own, and a plain file needs no more."""
        target = self._target
        is_usual = not (self._closed or self._before or target.is_broken)
        self._gather = self._encoder.gather if is_usual and target.gathers else None
        self._plain_write = target.plain_write if is_usual else None

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the Writer is closed")
        if self._is_writing:  # a signal handler, or the file itself
            raise RuntimeError(_IN_USE)
        if self._target.is_broken:
            raise OSError("an earlier write has failed, after which this file cannot be gone on with")

    def _put(self, lines: bytes) -> None:
        self._check_open()
        if self._gather is not None and len(lines) < _GATHERED_BYTES:
            self._take()
            if len(self._left) + len(lines) >= _GATHERED_BYTES:
                self._write_gathered()
            self._left += lines
            return
        self._write_gathered()
        try:
            self._send(self._before + lines)
            self._before = b""
        except BaseException:
            if 0 < len(self._target.left) < len(lines):
                self._before = b"\n"  # the target has the beginning of a line
            raise
        finally:
            self._settle()

    def _write_gathered(self, is_last: bool = False) -> None:
        """Where that fails, what was not written is kept for the next time. `is_last`: nothing is gathered any more."""
        self._take(is_last)
        if self._left and not self._target.is_broken:
            try:
                self._send(bytes(self._left))
                self._left.clear()
            except BaseException:
                del self._left[: len(self._left) - len(self._target.left)]
                self._settle()
                raise

    def _take(self, is_last: bool = False) -> None:
        if self._target.gathers:
            self._left += self._encoder.take(is_last)
            self._waiting = 0

    def _send(self, lines: bytes) -> None:
        self._is_writing = True
        try:
            self._target.put(lines)
        finally:
            self._is_writing = False


def write(
    objects: Any,
    target: Any,
    *,
    append: bool = False,
    compression: str | None = "infer",
    storage_options: dict[str, Any] | None = None,
    **options: Any,
) -> int:
    """Writes each object as a line of JSON, and returns how many there were.

    The target and the keywords are those of `Writer`; objects is any iterable but a dict, a str or bytes, or a table: an object that has
    `__arrow_c_stream__` or `__arrow_c_array__`, of which each row has a line. It is iterated over as it is written, some 256 KB at a time.

    Raises what `Writer` raises. Where an object cannot be written, or the iterable raises, the lines before it have been written. What was
    in a file is gone even if that is the first object: to have the old file or the whole new one, write to another name, and `os.replace`
    the old one.

        >>> write([{"id": 1}, {"id": 2}], "events.jsonl.gz")  # doctest: +SKIP
        2
    """
    blocks = _core.LineEncoder(objects, **options)
    with Writer(target, append=append, compression=compression, storage_options=storage_options, **options) as writer:
        writer._write_blocks(blocks)
    return writer.count
