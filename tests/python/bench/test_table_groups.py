"""How the measuring command measures tables: what a library gives is held against json and pyarrow, and one that gives other columns is told
apart from one that is wrong."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from ocior.bench import groups, libraries, peak, runner, table_calls, table_records
from ocior.bench.table_same import Differs, difference

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: tables are held against its own")

EXPECTED = pa.table({"a": pa.array([1, None]), "b": pa.array(["x", "y"]), "c": pa.array([[{"d": 1.5}], []])})


@pytest.fixture
def document(tmp_path):
    (made,) = table_records.documents(["table_sparse"], tmp_path, [20_000])
    return made


CHANGES = {
    "nothing": (lambda table: table, None),
    "order": (lambda table: table.select(["c", "a", "b"]), None),
    "large strings": (lambda table: table.set_column(1, "b", table["b"].cast(pa.large_string())), None),
    "views of strings": (lambda table: table.set_column(1, "b", table["b"].cast(pa.string_view())), None),
    "large lists": (lambda table: table.set_column(2, "c", table["c"].cast(pa.large_list(pa.struct({"d": pa.float64()})))), None),
    "rows": (lambda table: table.slice(1), "gives 1 rows instead of 2"),
    "a column less": (lambda table: table.drop_columns(["b"]), "lacks b"),
    "a column more": (lambda table: table.append_column("z", table["a"]), "adds z"),
    "floats": (lambda table: table.set_column(0, "a", table["a"].cast(pa.float64())), "gives a as double"),
    "integers": (lambda table: table.set_column(1, "b", table["a"]), "gives b as int64"),
    "a value": (lambda table: table.set_column(0, "a", pa.array([2, None])), "gives other values in a"),
    "a null": (lambda table: table.set_column(0, "a", pa.array([1, 0])), "gives other values in a"),
    "a value inside": (lambda table: table.set_column(2, "c", pa.array([[{"d": 1.25}], []])), "gives other values in c"),
}


@pytest.mark.parametrize("change, said", CHANGES.values(), ids=CHANGES)
def test_what_is_other_in_a_table(change, said):
    assert difference(change(EXPECTED), EXPECTED) == said


@pytest.mark.parametrize("name", CHANGES)
def test_ocior_has_to_give_the_very_table(name):
    change, _ = CHANGES[name]
    assert (difference(change(EXPECTED), EXPECTED, is_exact=True) is None) is (name == "nothing")


def test_long_lists_of_columns_are_cut():
    wide = pa.table({f"c{number}": [1] for number in range(9)})
    assert difference(wide.select(["c0"]), wide) == "lacks c1, c2, c3 and 5 more"


def test_who_gives_other_columns_is_measured_and_told_of(document):
    read = table_calls.of_json()["table_read"]
    contestants = [
        libraries.Library("json", "", {"table_read": read}),
        libraries.Library("loses", "", {"table_read": lambda path: read(path).drop_columns(["sensor_299"])}),
        libraries.Library("raises", "", {"table_read": lambda path: 1 / 0}),
        libraries.Library("ocior", "", {"table_read": lambda path: read(path).drop_columns(["sensor_299"])}),
    ]
    cell = runner.measure(groups.BY_NAME["table_read"], document, contestants, 0, rounds=1)
    assert set(cell.values) == {"json", "loses"} and cell.differs == {"loses": "lacks sensor_299"}
    assert cell.wrong == {"raises": "raises ZeroDivisionError: division by zero", "ocior": "lacks sensor_299"}


@pytest.mark.parametrize(
    "write, of_ocior, of_others",
    [
        (lambda text: text, None, None),
        (lambda text: text.replace(b":", b": "), "another text", None),
        (lambda text: text.replace(b".5,", b".50,"), "another text", None),
        (lambda text: text.replace(b'"sensor_000":null,', b""), "another text", "other values"),
        (lambda text: text.replace(b"null", b"0"), "another text", "other values"),
        (lambda text: text.decode(), "instead of bytes", "instead of bytes"),
    ],
)
def test_lines_are_held_against_those_of_json(write, of_ocior, of_others, document):
    check = groups.BY_NAME["table_write"].checker(document)
    right = table_calls.of_json()["table_write"]
    for is_ocior, problem in ((True, of_ocior), (False, of_others)):
        said = check(lambda frames: write(right(frames)), is_ocior)
        assert said is None if problem is None else problem in said and isinstance(said, Differs) is not is_ocior


@pytest.mark.parametrize("name, threads", [("table_read", 1), ("table_read_2", 2)])
def test_who_works_on_more_processors_than_the_group_has_threads_is_no_contestant(name, threads, document, monkeypatch):
    group = groups.BY_NAME[name]
    check = group.checker(document)
    now = [0.0, 0.0]

    def call_on(processors):
        def call(path):
            now[0] += 1
            now[1] += processors
            return table_calls.of_json()["table_read"](path)

        return call

    monkeypatch.setattr(groups, "perf_counter", lambda: now[0])
    monkeypatch.setattr(groups, "process_time", lambda: now[1])
    assert check(call_on(threads), False) is None
    assert check(call_on(threads + 0.7), False) == f"works on {threads + 0.7:.1f} processors"


def test_a_small_document_warms_up_what_is_measured_for_memory(document, tmp_path):
    peak.freeze(groups.BY_NAME["table_read"], document, tmp_path / "arguments")
    assert peak.thaw(tmp_path / "arguments") == document.fresh_lines_path()
    assert table_calls.of_json()["table_read"](str(tmp_path / "arguments.small")).to_pylist() == [{"a": 1}]


PEERS = ("duckdb", "pandas", "polars")


@pytest.mark.skipif(not all(map(find_spec, PEERS)), reason="needs duckdb, pandas and polars")
def test_the_peers_give_columns_of_arrow(tmp_path):
    """In a process of its own, for polars is told of its threads before it is imported."""
    out = tmp_path / "out.json"
    words = ["--groups", "table", "--documents", "table_flat,table_sparse", "--sizes", "150K", "--rounds", "1", "--conditions", "usual"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "ocior.bench", *words, "--no-tables", "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    for cell in json.loads(out.read_text())["cells"]:
        is_sparse = cell["document"].startswith("table_sparse")
        assert {"json", "ocior", "polars"} <= set(cell["values"]) and not {"json", "ocior", "polars"} & set(cell["differs"])
        # Where there are many keys, duckdb makes one column of type MAP.
        assert set(cell["wrong"]) == ({"duckdb", "duckdb-sample"} if is_sparse and cell["group"] == "table_columns" else set())
        if is_sparse and cell["group"].startswith("table_read"):
            assert cell["differs"]["polars-100"].startswith("lacks")
