"""The measuring command's own arithmetic and checks: what it must never do is flatter or pass a wrong result."""
import json
import os
import signal

import pytest

from ocior.bench import documents, isolation, libraries
from ocior.bench.groups import GROUPS
from ocior.bench.runner import Cell, measure
from ocior.bench.summary import fastest_peer, lead, ratio, summarize

BY_NAME = {group.name: group for group in GROUPS}


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
    assert summarize([Cell("g", "one", {"json": 1.0}, {})], ["fast"])["mean"]["fast"] is None
