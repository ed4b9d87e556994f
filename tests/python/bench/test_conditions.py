"""The conditions under which the measuring command measures: cold, by threads, with caches emptied, the memory that calls take, and what
comes after decoding."""

import json
import os
import sys
import threading

import pytest
from bench_values import NEEDS_PROC, folder

from ocior.bench import (
    __main__ as command,
    after,
    conditions,
    documents,
    isolation,
    libraries,
    measuring,
    memory_sizes,
    peak,
    results as results_file,
    shapes,
    summary,
    tables,
)
from ocior.bench.groups import BY_NAME
from ocior.bench.runner import measure


@pytest.mark.parametrize("name", ["usual", "cold", "gc", "kept", "threads=2"])
@pytest.mark.parametrize("shape", ["records", "tiny"])
def test_conditions(name, shape, tmp_path, monkeypatch):
    monkeypatch.setattr(conditions, "eviction_bytes", lambda: 1 << 20)
    document = shapes.document(shape, 1000, tmp_path)
    shapes.write(shape, 1000, document.path)
    contestants = libraries.available(["json", "ocior"])
    cell = measure(BY_NAME["loads_bytes"], document, contestants, 0, conditions.named(name), rounds=4)
    assert not cell.wrong and cell.rounds == 4
    assert set(cell.values) == {"json", "ocior"}
    assert cell.spread["ocior"]["rounds"] == 4
    assert cell.values["ocior"] == cell.spread["ocior"][conditions.named(name).figure] > 0


@pytest.mark.parametrize(
    "name, objects, makers", [("threads=3", 6, 3), ("threads=3 shared", 1, 1), ("threads=3 foreign", 6, 1), ("threads=1 foreign", 2, 1)]
)
def test_whose_objects_threads_encode(name, objects, makers):
    made, seen = {}, []

    def fresh(limit=None):
        one = [object()]
        made[id(one[0])] = threading.get_ident()
        return one

    work = conditions.Work(seen.append, fresh, False, 0, 1, {"calls": 2})
    assert conditions.named(name).round(work) > 0
    count, whose = conditions.threads_of(name)
    assert len(seen) == 2 * count and len({id(one) for one in seen}) == objects
    assert len({made[id(one)] for one in seen}) <= makers  # the number of a thread that has ended may be given again
    assert (threading.get_ident() in made.values()) == (whose != "own")


@pytest.mark.parametrize(
    "is_free_threaded, is_enabled, said", [(0, True, "has a GIL"), (1, True, "has switched the GIL on"), (1, False, None)]
)
def test_why_threads_are_not_measured(is_free_threaded, is_enabled, said, monkeypatch):
    monkeypatch.setattr(conditions.sysconfig, "get_config_var", {"Py_GIL_DISABLED": is_free_threaded}.get)
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: is_enabled, raising=False)
    reason = conditions.why_no_threads()
    assert reason is None if said is None else said in reason


@NEEDS_PROC
def test_caches_are_emptied_with_memory_that_is_there(monkeypatch):
    monkeypatch.setattr(conditions, "eviction_bytes", lambda: 64 << 20)
    before = memory_sizes.resident_bytes()
    buffer = conditions.eviction_buffer()
    assert memory_sizes.resident_bytes() - before > 32 << 20  # some of it may have been there
    assert buffer.find(b"\2") == -1


def test_each_line_of_a_stream_is_cold(tmp_path, monkeypatch):
    passes = []
    monkeypatch.setattr(conditions, "eviction_buffer", lambda: type("Buffer", (), {"find": lambda self, what: passes.append(what)})())
    document = shapes.document("tiny", 10_000, tmp_path)
    shapes.write("tiny", 10_000, document.path)
    work = conditions.Work(lambda text: passes.append("call"), document.fresh_bytes, True, 0, document.byte_len, {})
    assert conditions.named("cold").round(work) > 0
    assert len(document.parts) > 60 and len(passes) < 100
    assert passes == [b"\2", "call"] * (len(passes) // 2)


@NEEDS_PROC
def test_memory_is_measured(folder, monkeypatch):
    monkeypatch.setattr(measuring, "_QUICK_DOCUMENTS", 3)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    words = ["--documents", str(folder / "ascii.json"), "--libraries", "json,ocior", "--groups", "loads_str,dumps_str"]
    out = folder / "memory.json"
    assert command.main([*words, "--conditions", "peak,left", "--quick", "--json", str(out), "--no-tables"]) == 0
    found = results_file.load(out)
    assert [(cell.condition, cell.group) for cell in found.cells] == [
        ("peak", "loads_str"),
        ("peak", "dumps_str"),
        ("left", "dumps_bytes"),
        ("left", "loads_bytes"),
        ("left", "dumps_str"),
        ("left", "loads_str"),
    ]
    assert all(set(cell.values) == {"json", "ocior"} and cell.unit == "bytes" for cell in found.cells)


@NEEDS_PROC
def test_peak_sees_what_a_call_takes(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    path = tmp_path / "big.json"
    path.write_text(json.dumps(["x" * 1000] * 20_000))
    peak.freeze(BY_NAME["loads_bytes"], documents.Document("big", path), tmp_path / "input")
    found = isolation.run_program("ocior.bench.peak", ("ocior", "loads_bytes", tmp_path / "input"))
    assert 20_000_000 < found["peak"] < 60_000_000


def test_what_comes_after_decoding(folder, monkeypatch):
    monkeypatch.setattr(after, "_SECONDS", 0.01)
    monkeypatch.setattr(after, "_PROCESSES", 1)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    out = folder / "after.json"
    words = ["--documents", str(folder / "ascii.json"), "--libraries", "json,ocior", "--groups", "loads_bytes", "--json", str(out)]
    page = folder / "after.html"
    assert command.main([*words, "--conditions", "after", "--no-tables", "--html", str(page)]) == 0
    found = results_file.load(out)
    assert [cell.condition for cell in found.cells] == [f"after={name}" for name in after.OPERATIONS]
    assert all(set(cell.values) == {"json", "ocior"} and cell.rounds >= 3 and not cell.wrong for cell in found.cells)
    # It is no contest of libraries: nothing is won or lost.
    assert summary.verdict(found.cells).compared == 0
    (table,) = tables.all_tables(found)
    assert len(table.rows) == len(after.OPERATIONS) and "After decoding" in page.read_text()


def test_the_walk_sees_everything():
    assert after.walk({"a": [1, None, {"b": "c"}], "d": 2.5, "e": [[], {}]}) == 3
