"""What the measuring command makes of times: ratios, means, verdicts and tables, which never flatter, and the comparison with earlier
results."""

import io

import pytest
from bench_values import sample

from ocior.bench import after, compare, conditions, markdown, results as results_file, runner, summary, tables, terminal
from ocior.bench.runner import Cell
from ocior.bench.summary import fastest_peer, lead, ratio, summarize


def test_rich_types_are_held_against_their_twins():
    cells = [
        Cell("rich_bytes", "uuids", {"json": 90.0, "peer": 8.0, "ocior": 6.0}, {}),
        Cell("twin_bytes", "uuids", {"json": 30.0, "ocior": 4.0}, {}),
        Cell("twin_bytes", "enums", {"json": 30.0, "ocior": 4.0}, {}),
        Cell("twin_bytes", "uuids", {"json": 1.0, "ocior": 1.0}, {}, "cold"),
    ]
    assert summary.over_twins(cells, "rich_bytes") == [("uuids", {"json": 3.0, "ocior": 1.5})]
    assert summary.over_twins(cells, "rich_str") == []


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


def test_who_gives_something_else_is_no_peer():
    cells = [
        Cell("table_read", "one", {"json": 100.0, "fast": 10.0, "slow": 50.0, "ocior": 5.0}, {}, differs={"fast": "lacks late"}),
        Cell("table_read", "two", {"json": 100.0, "fast": 10.0, "slow": 20.0, "ocior": 5.0}, {}),
        Cell("table_read", "three", {"json": 100.0, "fast": 10.0, "ocior": 5.0}, {}, differs={"fast": "lacks late"}),
    ]
    assert [fastest_peer(cell) for cell in cells] == ["slow", "fast", None]
    assert [lead(cell) for cell in cells] == [10, 2, None]
    total = summarize(cells, ["fast", "slow", "ocior"])
    assert (total["best_peer"], total["lead_of_means"]) == ("fast", 2)
    assert [what for _, _, what in summary.differences(cells)] == ["lacks late"] * 2
    table = tables._group(results_file.Results({"libraries": {"json": "", "fast": "", "slow": "", "ocior": ""}}, {}), "t", cells)
    assert [row[2].text for row in table.rows[:3]] == ["10.00 ≠", "10.00", "10.00 ≠"] and tables.DIFFERS_NOTE in table.notes


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


def test_markdown_is_what_it_shows():
    table = tables.Table("t", ["document", "<b>|x"], [[tables.Entry("a\n|<img>"), tables.Entry("1.00*")]])
    text = markdown.page([table], ["one"], ["two\n- three"])
    assert "| a \\|&lt;img> | 1.00\\* |" in text and "&lt;b>\\|x" in text and "\n- two - three\n" in text


def test_objects_that_cost_more_are_marked():
    cells = [Cell("loads_bytes", "d", {"json": 100.0, "ocior": ns}, {}, "after=walk", after.UNIT) for ns in (104.0, 106.0)]
    assert [tables.costs_more(cell) for cell in cells] == [False, True]
    (table,) = tables.all_tables(results_file.Results({"libraries": {"json": "3", "ocior": "0"}}, {}, cells))
    assert [row[-1].mark for row in table.rows] == ["", "lose"]


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
