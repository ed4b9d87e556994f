"""What the tests of the measuring command share: a document to measure, a folder of two, and results as a run would have made them."""

import sys

import pytest

from ocior.bench import documents, results as results_file, shapes
from ocior.bench.runner import Cell

NEEDS_PROC = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "sample.json"
    path.write_text('{"é": ["中文", "\\ud83d\\ude00", 1, 1.0, true, null], "ascii": [{"é": "b"}, {"é": "c"}]}', encoding="utf-8")
    return documents.Document("sample", path)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ascii.json").write_text('{"a": [1, 2, {"b": null}]}')
    (tmp_path / "lines.ndjson").write_text('{"é": 1}\n[2]\n', encoding="utf-8", newline="\n")
    return tmp_path


def sample(ocior=50.0, lost=90.0):
    """Results as a run would have made them."""
    spread = {"rounds": 9, "min": 1.0, "p05": 1.0, "p25": 1.0, "p50": 1.0, "p75": 1.0, "p95": 1.0, "max": 1.0, "mean": 1.0}

    def cell(group, document, values, **more):
        spreads = {name: {**spread, **{key: value * 1.01 for key in ("p25", "p50", "p75")}} for name, value in values.items()}
        return Cell(group, document, values, {}, byte_len=1000, spread=spreads, rounds=9, **more)

    cells = [cell("loads_bytes", "won", {"json": 200.0, "peer": 100.0, "ocior": ocior})]
    cells.append(cell("loads_bytes", "lost", {"json": 200.0, "peer": 80.0, "ocior": lost}))
    for size in (1000, 100_000):
        values = {"json": 2.0 * size, "peer": 1.0 * size, "ocior": 0.5 * size}
        cells.append(cell("loads_bytes", f"records-{shapes.size_name(size)}", values, shape="records", nominal_len=size))
        cells[-1].byte_len = size
    cells.append(cell("dumps_str", "won", {"json": 200.0, "peer": 100.0, "ocior": 20.0}, condition="cold"))
    for count in (1, 2):
        cells.append(cell("dumps_str", "won", {"json": 200.0, "ocior": 20.0 / count}, condition=f"threads={count}"))
    cells.append(cell("loads_str", "won", {"json": 3e6, "peer": 1e6, "ocior": 2e6}, condition="peak", unit="bytes"))
    machine = {
        "processor": "P",
        "processors": 2,
        "governor": None,
        "load_average": [0.1, 0, 0],
        "implementation": "CPython",
        "python": "3",
        "optimized": True,
        "free_threaded": False,
        "compiler": "C",
        "system": "S",
        "timer": "t",
        "time": "now",
        "libraries": {"json": "3", "peer": "1", "ocior": "0"},
        "ocior": {"level": "v3"},
    }
    return results_file.Results(machine, {"rounds": 9}, cells, ["a note"])
