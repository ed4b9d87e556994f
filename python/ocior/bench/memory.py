"""Memory left behind: in a fresh process, how much a library's calls add to the resident set while the documents live.

Every document is encoded once and decoded once, every result dropped at once; documents and texts stay, as they do in a
program that works with them. What remains then is a copy that the library keeps, in the strings or in itself.

As a program (`python -m ocior.bench.memory LIBRARY ROAD COUNT`) it measures one library on one road.
"""

import gc
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

ROADS = ("bytes", "str")
FULL_COUNT = 1000
# A document, its text and what a peer may keep of both.
_BYTES_PER_DOCUMENT = 2_000_000


def affordable_count(full=FULL_COUNT):
    """How many documents to use: fewer on a small machine, where two processes at once must not swap."""
    try:
        with open("/proc/meminfo") as info:
            available = next(int(line.split()[1]) for line in info if line.startswith("MemAvailable")) * 1024
    except (OSError, StopIteration):
        return 0
    return min(full, available // 3 // _BYTES_PER_DOCUMENT)


def resident_bytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_here(name, road, count):
    """Growth of this process, in bytes, by encoding and by decoding, and the seconds that took."""
    from ocior.bench.documents import cjk_value
    from ocior.bench.libraries import load

    calls = load(name).calls
    encode, decode = calls[f"dumps_{road}"], calls[f"loads_{road}"]
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
        "library": name,
        "road": road,
        "documents": count,
        "encode_growth": encoded - before,
        "decode_growth": decoded - encoded,
        "encode_seconds": middle - start,
        "decode_seconds": end - middle,
    }


def measure_all(names, count, at_once=2):
    """Yields the measurement of every library on every road, each made in a process of its own."""
    jobs = [(name, road) for name in names for road in ROADS]

    def run(job):
        command = [sys.executable, "-m", "ocior.bench.memory", job[0], job[1], str(count)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            reason = done.stderr.strip().rsplit("\n", 1)[-1] or f"exit {done.returncode}"
            return {"library": job[0], "road": job[1], "documents": count, "error": reason}
        return json.loads(done.stdout)

    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(run, jobs)


if __name__ == "__main__":
    print(json.dumps(measure_here(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
