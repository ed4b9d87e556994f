"""Memory left behind: in a fresh process, how much a library's calls add to the resident set while the documents live.

Every document is encoded once and decoded once, every result dropped at once; documents and texts stay, as they do in a
program that works with them. What remains then is a copy that the library keeps, in the strings or in itself. Each library
is called as it is by default.

As a program (`python -m ocior.bench.memory LIBRARY ROAD COUNT`) it measures one library on one road.
"""

import gc
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from ocior.bench import isolation
from ocior.bench.documents import Document
from ocior.bench.libraries import load
from ocior.bench.memory_sizes import available_bytes, resident_bytes

ROADS = ("bytes", "str")
FULL_COUNT = 1000
# A document, its text and what a peer may keep of both.
_BYTES_PER_DOCUMENT = 2_000_000
_AT_ONCE = 2


def cjk_value():
    """About 0.4 MB of CJK text in 32 strings of doubling length that nobody else has."""
    return {"中" * 2**i: "文" * 2 ** (i + 1) for i in range(16)}


def described(count, directory):
    """The documents as one, for the report: so many times the text of `cjk_value`."""
    path = directory / f"cjk-times-{count}.json"
    path.write_text(json.dumps(cjk_value(), ensure_ascii=False), encoding="utf-8")
    return Document(path.stem, path)


def affordable_count(full=FULL_COUNT):
    """How many documents to use: fewer on a small machine, where two processes at once must not swap."""
    available = available_bytes()
    return 0 if available is None else min(full, available // (_AT_ONCE + 1) // _BYTES_PER_DOCUMENT)


def measure_here(spec, road, count):
    """Growth of this process, in bytes, by encoding and by decoding, and the seconds that took."""
    calls = load(spec).calls
    decode = calls[f"loads_{road}"]
    encode = calls.get(f"dumps_{road}_by_default") or calls[f"dumps_{road}"]
    decode(encode({"a": [1]}))  # whatever is set up at the first call

    documents = [cjk_value() for _ in range(count)]
    text = json.dumps(cjk_value(), ensure_ascii=False)
    texts = [text.encode() if road == "bytes" else (text + " ")[:-1] for _ in range(count)]
    gc.collect()

    before, start = resident_bytes(), perf_counter()
    for document in documents:
        encode(document)
    encoded, middle = resident_bytes(), perf_counter()
    for one in texts:
        decode(one)
    decoded, end = resident_bytes(), perf_counter()
    return {
        "documents": count,
        "encode_growth": encoded - before,
        "decode_growth": decoded - encoded,
        "encode_seconds": middle - start,
        "decode_seconds": end - middle,
    }


def measure_all(libraries, road, count):
    """By library: its measurement on that road, each made in a process of its own."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda library: isolation.run_program("ocior.bench.memory", (library.spec, road, count)), libraries)
        return {library.name: result for library, result in zip(libraries, found)}


if __name__ == "__main__":
    isolation.be_program(measure_here, sys.argv[1], sys.argv[2], int(sys.argv[3]))
