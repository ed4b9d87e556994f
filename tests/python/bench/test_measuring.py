"""How the measuring command measures a cell: never a wrong result, each library in a process that may die, told where the machine is
busy."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bench_values import NEEDS_PROC, document
from command_line import NEEDS_POSIX

from ocior.bench import (
    documents,
    isolation,
    libraries,
    machine,
    measuring,
    options,
    peak,
    rich_types,
    runner,
    stream_calls,
    stream_records,
    typed_types,
)
from ocior.bench.groups import BY_NAME, FEED, GROUPS, STREAM
from ocior.bench.runner import measure

LIBRARIES = libraries.available()


@pytest.mark.parametrize("group", [group for group in GROUPS if group.sort == "json"], ids=lambda group: group.name)
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
        if group.suits(document):
            check = group.checker(document)
            calls = {library.name: group.call_of(library.calls, document) for library in LIBRARIES}
            assert calls["json"] and calls["ocior"]
            for name, call in calls.items():
                assert call is None or name == "json" or check(call, name == libraries.OWN) is None, (group.name, name)


# Of declared types: the kinds of documents that a library has no call for, though it has calls for others.
UNABLE = {
    "msgspec": {"tagged_dataclass", "tagged_slots", "tagged_typeddict"},
    "cattrs": {"tagged_typeddict", "partial_typeddict"},
    "mashumaro": {"tagged_typeddict"},
}


@pytest.mark.parametrize("kind", typed_types.KINDS, ids=lambda kind: kind.name)
def test_every_adapter_knows_declared_types(kind):
    (document,) = typed_types.documents([kind.name], [3000])
    if problem := document.problem():
        pytest.skip(problem)
    for group in GROUPS:
        if not group.suits(document):
            continue
        check = group.checker(document)
        for library in LIBRARIES:
            call = group.call_of(library.calls, document)
            if call is not None:
                assert check(call, library.name == libraries.OWN) is None, (group.name, library.name)
            elif library.name in ("cattrs", "mashumaro", "pydantic"):
                assert kind.sort == "struct" or kind.name in UNABLE.get(library.name, ()), (group.name, library.name)
            elif library.name in ("json", "orjson", "msgspec", "ocior"):
                assert kind.name in UNABLE.get(library.name, ()) and group.decodes, (group.name, library.name)


# Which groups of streams a library has calls for.
STREAM_GROUPS = {
    "json": set(STREAM) - {"snapshot"},
    "ocior": set(STREAM),
    "orjson": set(STREAM) - {"snapshot"},
    "msgspec": set(STREAM) - {"snapshot"},
    "fastsimdjson": set(STREAM) - {"snapshot"},
    "jiter": set(STREAM) - {"lines_write"},
    "ijson": {"lines_file", "items", *FEED},
    "orjsonl": {"lines_file", "lines_gzip"},
}


@pytest.mark.parametrize("kind", stream_records.KINDS, ids=lambda kind: kind.name)
def test_every_adapter_reads_and_writes_streams(kind, tmp_path):
    (document,) = stream_records.documents([kind.name], tmp_path, [5000])
    for group in GROUPS:
        if not group.suits(document):
            continue
        check = group.checker(document)
        for library in LIBRARIES:
            call = group.call_of(library.calls, document)
            assert (call is not None) == (group.name in STREAM_GROUPS.get(library.name, ())), (group.name, library.name)
            if call is not None:
                assert check(call, library.name == libraries.OWN) is None, (group.name, library.name)
                call(*group.fresh(document))


@pytest.mark.parametrize(
    "change",
    [
        lambda records: records[:-1],
        lambda records: [*records, {}],
        lambda records: [{**records[0], "id": True}, *records[1:]],
        lambda records: [dict(reversed(records[0].items())), *records[1:]],
        lambda records: [{**records[0], "price": str(records[0]["price"])}, *records[1:]],
    ],
)
@pytest.mark.parametrize("name", ["lines_bytes", "lines_each", "lines_gzip", "items", "feed_64"])
def test_records_that_are_not_those_of_json_are_refused(name, change, tmp_path):
    (document,) = stream_records.documents(["stream_flat"], tmp_path, [5000])
    group = BY_NAME[name]
    right = stream_calls.of_json()[name]
    assert group.checker(document)(right, False) is None
    wrong = stream_calls.OneByOne(lambda argument: iter(change(group.result(right, document))))
    assert group.checker(document)(wrong, False) == "gives other records than json"


@pytest.mark.parametrize(
    "change, problem",
    [
        (lambda kept: kept, None),
        (lambda kept: [*kept[:-1], kept[-1][:-1]], "at the end"),
        (lambda kept: [[*kept[0][:-2], {}, kept[0][-1]], *kept[1:]], "while the array comes"),
        (lambda kept: [[], *kept[1:]], "while the array comes"),
        (lambda kept: [kept[2], kept[0], *kept[2:]], "while the array comes"),
    ],
)
def test_snapshots_that_are_not_those_of_the_array_are_refused(change, problem, tmp_path):
    (document,) = stream_records.documents(["snapshot_flat"], tmp_path, [5000])
    right = stream_calls.of_ocior()["snapshot"]
    said = BY_NAME["snapshot"].checker(document)(lambda argument: change(right(argument)), True)
    assert said is None if problem is None else said.endswith(problem)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value[:-1],
        lambda value: tuple(value),
        lambda value: [vars(value[0]), *value[1:]],
        lambda value: [dataclasses.replace(value[0], id=True), *value[1:]],
        lambda value: [dataclasses.replace(value[0], balance=value[0].balance + 1e-9), *value[1:]],
        lambda value: [dataclasses.replace(value[0], parent=""), *value[1:]],
        lambda value: [dataclasses.replace(value[0], balance=str(value[0].balance)), *value[1:]],
    ],
)
def test_objects_that_are_not_those_of_code_by_hand_are_refused(change):
    (document,) = typed_types.documents(["flat_dataclass"], [1000])
    check = BY_NAME["typed_decode"].checker(document)
    read = BY_NAME["typed_decode"].reference(document.kind)
    assert check(read, False) is None
    assert check(lambda data: change(read(data)), False) == "decodes to other values than code by hand"


@pytest.mark.parametrize(
    "write, of_ocior, of_others",
    [
        (lambda text: text, None, None),
        (lambda text: text.replace("+00:00", "Z"), "another text", None),
        (lambda text: json.dumps([dict(reversed(item.items())) for item in json.loads(text)]), "another text", None),
        (lambda text: text.replace('"quantity":', '"quantity":1'), "another text", "other values"),
        (lambda text: text.replace('"note":null', '"nota":null'), "another text", "other values"),
        (lambda text: text.encode(), "gives bytes", "gives bytes"),
    ],
)
def test_texts_of_declared_types_are_those_of_their_twins(write, of_ocior, of_others):
    (document,) = typed_types.documents(["orders_slots"], [3000])
    check = BY_NAME["typed_encode_str"].checker(document)
    text = json.dumps(document.twins[0], separators=(",", ":"))
    for is_ocior, problem in ((True, of_ocior), (False, of_others)):
        said = check(lambda value: write(text), is_ocior)
        assert said is None if problem is None else problem in said


@NEEDS_POSIX
def test_a_crash_stays_in_its_process():
    with pytest.raises(RuntimeError, match="signal 9"):
        isolation.run(lambda: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        isolation.run(lambda: 1 / 0)
    with pytest.raises(RuntimeError, match="hung"):
        isolation.run(time.sleep, 60, patience=0.05)
    assert isolation.run(sum, [1, 2]) == 3
    assert len(isolation.run(bytes, 5_000_000)) == 5_000_000


@NEEDS_POSIX
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


def own_adapter():
    return {"loads_bytes": json.loads, "loads_str": lambda text: []}


def test_an_adapter_from_elsewhere(document, monkeypatch):
    monkeypatch.setitem(sys.modules, "their_adapters", sys.modules[__name__])
    *_, theirs, own = libraries.available(["json", "ocior"], ["theirs=their_adapters:own_adapter"])
    assert (theirs.name, theirs.version, own.name) == ("theirs", "?", "ocior")
    assert "theirs" in measure(BY_NAME["loads_bytes"], document, [theirs, own], 0, rounds=1).values
    assert "theirs" in measure(BY_NAME["loads_str"], document, [theirs, own], 0, rounds=1).wrong


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
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGKILL", None)])
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
