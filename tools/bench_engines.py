"""Measures ocior.ray, ocior.dask and ocior.spark beside what these engines have for JSON lines, each on two workers of this machine.

Some gigabytes of records are made, in one file and in many, and reduced: rows, two sums, and rows by a key, out of three of nine columns.
Each measurement has a process and a cluster of its own, which has reduced a small file before the time is taken. Whatever does not give
the right numbers is shown as failed. The table goes to the standard output and to a file; what was made is removed.

    python tools/bench_engines.py --megabytes 200 --engines ray,dask --parts 1,64
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

COLUMNS = ["country", "bytes", "ms"]
COUNTRIES = ["AR", "BR", "CN", "DE", "EG", "FR", "IN", "JP", "KE", "MX", "NG", "US"]
BLOCK_ROWS = 20_000
MEGABYTE = 1_000_000
# What each engine has: ocior with Parts of several sizes, its own reader of JSON, and its reader of text before orjson.
WAYS = {
    "ray": ["ocior", "read_json", "read_text"],
    "dask": ["ocior", "read_json", "read_text"],
    "spark": ["ocior", "read_json", "read_text"],
}


# --- records -------------------------------------------------------------------------------------------------------


def block():
    """The text of some rows, always the same, and what they reduce to."""
    rng, lines, rows = random.Random(1), [], []
    for number in range(BLOCK_ROWS):
        row = {
            "id": number,
            "at": f"2026-11-{rng.randrange(1, 31):02}T{rng.randrange(24):02}:00:{rng.randrange(60):02}Z",
            "country": rng.choice(COUNTRIES),
            "user": {"name": f"user {rng.randrange(100_000)}", "plan": rng.choice(["free", "paid"])},
            "bytes": rng.randrange(1 << 20),
            "ms": rng.randrange(1 << 16) / 64,
            "path": "/" + "/".join(rng.choice(["api", "v2", "items", "séarch", "users"]) for _ in range(4)),
            "tags": rng.sample(["new", "mobile", "beta", "cached"], rng.randrange(4)),
            "ok": rng.random() < 0.97,
        }
        rows.append(row)
        lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    return "".join(lines).encode(), rows


def make(folder, byte_len, file_count):
    """Files of so many bytes in all, and what they reduce to."""
    data, rows = block()
    repeats = max(1, round(byte_len / len(data) / file_count))
    folder.mkdir(parents=True)
    for number in range(file_count):
        with open(folder / f"{number:03}.jsonl", "wb") as file:
            for _ in range(repeats):
                file.write(data)
    times = repeats * file_count
    wanted = reduced(rows)
    return len(data) * times, {key: value * times for key, value in wanted.items()}


def reduced(rows):
    """What is asked for, of rows that are dicts."""
    result = {"rows": 0, "bytes": 0, "ms": 0.0}
    for row in rows:
        result["rows"] += 1
        result["bytes"] += row["bytes"]
        result["ms"] += row["ms"]
        result[row["country"]] = result.get(row["country"], 0) + 1
    return result


def reduced_table(table):
    """The same of a pyarrow.Table."""
    import pyarrow.compute as compute

    result = {"rows": len(table), "bytes": compute.sum(table["bytes"]).as_py() or 0, "ms": compute.sum(table["ms"]).as_py() or 0.0}
    for entry in compute.value_counts(table["country"].combine_chunks()).to_pylist():
        result[entry["values"]] = entry["counts"]
    return result


def together(results):
    """The sum of what several parts reduce to."""
    total = {}
    for result in results:
        for key, value in result.items():
            total[key] = total.get(key, 0) + value
    return total


# --- engines -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def ray_runner(way, part):
    import pyarrow
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def reduce_batch(table):
        return pyarrow.table({"reduced": [json.dumps(reduced_table(table))]})

    def run(folder):
        import orjson

        if way == "ocior":
            import ocior.ray

            dataset = ocior.ray.read_json(folder, part_size=part).select_columns(COLUMNS)
        elif way == "read_json":
            dataset = ray.data.read_json(folder).select_columns(COLUMNS)
        else:

            def load(row):
                record = orjson.loads(row["text"])
                return {name: record[name] for name in COLUMNS}

            dataset = ray.data.read_text(folder).map(load)
        results = dataset.map_batches(reduce_batch, batch_format="pyarrow", batch_size=None).take_all()
        return together(json.loads(row["reduced"]) for row in results)

    yield run
    ray.shutdown()


@contextlib.contextmanager
def dask_runner(way, part):
    import dask
    import dask.bag
    import dask.dataframe
    from dask.distributed import Client, LocalCluster

    def run(folder):
        import orjson

        files = sorted(str(file) for file in Path(folder).iterdir())
        if way == "read_text":
            bag = dask.bag.read_text(files, blocksize=part).map(orjson.loads)
            return bag.reduction(reduced, together).compute()
        if way == "ocior":
            import ocior.dask

            frame = ocior.dask.read_json(files, part_size=part)
        else:
            frame = dask.dataframe.read_json(files, lines=True, blocksize=part)
        frame = frame[COLUMNS]
        sizes = frame.groupby("country").size()
        total, ms, sizes = dask.compute(frame["bytes"].sum(), frame["ms"].sum(), sizes)
        return {"rows": int(sizes.sum()), "bytes": int(total), "ms": float(ms), **{key: int(value) for key, value in sizes.items()}}

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster):
        yield run


@contextlib.contextmanager
def spark_runner(way, part):
    from pyspark.sql import SparkSession, functions

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "ERROR", "spark.driver.memory": "4g"}
    settings["spark.sql.files.maxPartitionBytes"] = str(part)
    spark = SparkSession.builder.master("local[2,4]").config(map=settings).getOrCreate()

    def run(folder):
        import orjson

        if way == "read_text":
            texts = spark.sparkContext.textFile(folder, max(2, sum(file.stat().st_size for file in Path(folder).iterdir()) // part))
            return together(texts.map(orjson.loads).mapPartitions(lambda rows: [reduced(rows)]).collect())
        if way == "ocior":
            import ocior.spark

            frame = ocior.spark.read_json(spark, folder, part_size=part, columns=COLUMNS)
        else:
            frame = spark.read.json(folder)
        sums = frame.groupBy("country").agg(functions.count("*"), functions.sum("bytes"), functions.sum("ms")).collect()
        result = {"rows": 0, "bytes": 0, "ms": 0.0}
        for country, count, total, ms in sums:
            result[country] = count
            result = {**result, "rows": result["rows"] + count, "bytes": result["bytes"] + total, "ms": result["ms"] + ms}
        return result

    yield run
    spark.stop()


RUNNERS = {"ray": ray_runner, "dask": dask_runner, "spark": spark_runner}


# --- measuring -----------------------------------------------------------------------------------------------------


class Peaks:
    """The largest resident memory of each process below this one, which a thread looks up in /proc."""

    def __init__(self):
        self.of_process = {}  # (command, pid) -> kilobytes
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        while not self._stop.wait(0.2):
            self.look()

    def stop(self):
        self._stop.set()
        self._thread.join()
        self.look()

    def look(self):
        parents, facts = {}, {}
        for name in os.listdir("/proc"):
            if name.isdecimal():
                with contextlib.suppress(OSError, KeyError):
                    status = dict(line.split(":", 1) for line in Path(f"/proc/{name}/status").read_text().splitlines())
                    parents[int(name)] = int(status["PPid"])
                    command = Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    facts[int(name)] = (command, int(status["VmHWM"].split()[0]))
        for pid, (command, peak) in facts.items():
            above = parents.get(pid)
            while above not in (None, 0, 1, os.getpid()):
                above = parents.get(above)
            if above == os.getpid():
                kind = kind_of(command)
                if kind:
                    self.of_process[kind, pid] = max(peak, self.of_process.get((kind, pid), 0))

    def megabytes(self, kind):
        """The two largest processes of a kind."""
        peaks = (peak for (found, _), peak in self.of_process.items() if found == kind)
        return [round(peak * 1024 / MEGABYTE) for peak in sorted(peaks, reverse=True)[:2]]


def kind_of(command):
    """What a process is: a worker, the JVM that Spark's workers share, or None."""
    if "org.apache.spark" in command:
        return "jvm"
    return (
        "worker"
        if command.startswith("ray::") or "spawn_main" in command or "pyspark.daemon" in command or "pyspark/daemon" in command
        else None
    )


def measure(engine, way, part, folder, small):
    """Runs in a process of its own; what it finds out is its last line."""
    with RUNNERS[engine](way, part) as run:
        run(str(small))
        peaks = Peaks()
        begin = time.perf_counter()
        result = run(str(folder))
        seconds = time.perf_counter() - begin
        peaks.stop()
    print(json.dumps({"seconds": seconds, "result": result, "worker": peaks.megabytes("worker"), "jvm": peaks.megabytes("jvm")}))


def measured(arguments, engine, way, part, folder, small, wanted):
    """The figures of one measurement, or the reason why there are none."""
    command = [sys.executable, __file__, "--one", engine, way, str(part), str(folder), str(small)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.limit, check=False)
    except subprocess.TimeoutExpired:
        return f"more than {arguments.limit} s"
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
        return f"failed: {lines[-1].strip()[:80]}"
    figures = json.loads(done.stdout.splitlines()[-1])
    result = figures.pop("result")
    return figures if result == {**wanted, "ms": result.get("ms")} and abs(result["ms"] / wanted["ms"] - 1) < 1e-9 else "wrong numbers"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=4000, help="how much text is read (4000)")
    parser.add_argument("--files", default="1,40", help="in how many files (1,40)")
    parser.add_argument("--parts", default="1,16,64,256", help="sizes of Parts in megabytes (1,16,64,256)")
    parser.add_argument("--engines", default="ray,dask,spark")
    parser.add_argument("--ways", default="ocior,read_json,read_text")
    parser.add_argument("--limit", type=int, default=1800, help="seconds for one measurement (1800)")
    parser.add_argument("--folder", type=Path, default=Path("build/bench-engines"), help="where the records are made, and removed")
    parser.add_argument("--markdown", type=Path, default=Path("build/bench-engines.md"))
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        engine, way, part, folder, small = arguments.one
        return measure(engine, way, int(part), Path(folder), Path(small))
    lines = ["| engine | by | files | part, MB | seconds | MB/s | peak of two workers, MB | JVM, MB |", "|---|---|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    root = arguments.folder.absolute()
    try:
        make(root / "small", 1, 4)
        for file_count in map(int, arguments.files.split(",")):
            folder = root / f"{file_count}"
            byte_len, wanted = make(folder, arguments.megabytes * MEGABYTE, file_count)
            for engine in arguments.engines.split(","):
                for way in WAYS[engine]:
                    if way not in arguments.ways.split(","):
                        continue
                    for part in map(int, arguments.parts.split(",")) if way == "ocior" else [64]:
                        figures = measured(arguments, engine, way, part * MEGABYTE, folder, root / "small", wanted)
                        about = f"| {engine} | {way} | {file_count} | {part if way == 'ocior' or engine != 'ray' else '-'} |"
                        if isinstance(figures, str):
                            lines.append(f"{about} {figures} | | | |")
                        else:
                            workers, jvm = (", ".join(map(str, figures[kind])) for kind in ("worker", "jvm"))
                            lines.append(
                                f"{about} {figures['seconds']:.1f} | {byte_len / MEGABYTE / figures['seconds']:.0f} | {workers} | {jvm} |"
                            )
                        print(lines[-1], flush=True)
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    arguments.markdown.parent.mkdir(parents=True, exist_ok=True)
    arguments.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
