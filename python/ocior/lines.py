"""JSON Lines (NDJSON): a JSON record on each line, from any source and into any file, in as much memory as a record takes.

from ocior import lines

for record in lines.read("events.jsonl.gz"):  # a path, a file, chunks, ...
    ...
lines.write(records, "copy.jsonl")
"""

from ocior import _core
from ocior._stream.parts import Part, split
from ocior._stream.reading import aread, read
from ocior._stream.writing import Writer, write

__all__ = ["Feed", "Part", "Reader", "Writer", "aread", "dumps", "dumps_to_bytes", "loads", "read", "split", "write"]

Feed = _core.LineFeed
Reader = _core.RecordReader
loads = _core.load_lines
dumps = _core.dump_lines
dumps_to_bytes = _core.dump_lines_to_bytes

# Pickles and help() say where these are found.
for _one in (Part, Writer, aread, read, split, write, loads, dumps, dumps_to_bytes):
    _one.__module__ = __name__
del _one
