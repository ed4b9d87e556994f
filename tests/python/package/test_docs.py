"""The examples in README.md and docs/ do what the pages say. Those of docs/frameworks.md have their own place,
tests/frameworks, and those of docs/command-line.md are in tool/test_tool.py."""

import dataclasses
import datetime
import decimal
import doctest
import io
import json
import re
import traceback

import pytest
from pages import ROOT, blocks

import ocior

PAGES = (
    *("README.md", "CONTRIBUTING.md", "SECURITY.md"),
    *(
        "docs/differences.md",
        "docs/lines.md",
        "docs/migrating.md",
        "docs/measuring.md",
        "docs/policies.md",
        "docs/tables.md",
        "docs/typed.md",
        "docs/types.md",
    ),
)
ALL_PAGES = (
    *(*PAGES, "CHANGELOG.md", "docs/command-line.md", "docs/engines.md", "docs/figures.md", "docs/frameworks.md"),
    *("docs/architecture.md", "docs/adding.md", "docs/free-threading.md", "docs/releasing.md", "docs/tried.md"),
)

# A file or folder of this repository, maybe with * in its name.
PLACE = re.compile(r"(?<![\w./-])(?:src|tests|tools|python|docs|cmake)/[\w./*-]*[\w*/]")


class Point:
    from_dict = staticmethod(dict)


@dataclasses.dataclass
class Order:
    x: float
    y: int


# What the tour in the README takes for granted.
GIVEN = {
    "text": '{"x": 1.5, "y": 2}',
    "obj": {"b": {1.5: None}, "a": ["中文"]},
    "Decimal": decimal.Decimal,
    "date": datetime.date,
    "Point": Point,
    "Order": Order,
    "file": io.StringIO(),
}


@pytest.mark.parametrize("page", PAGES)
def test_examples(page, monkeypatch, tmp_path):
    """Blocks that show a session (>>>) must print what they show, the others must run. Each sees the names of those before it."""
    # An error with notes has several lines, of which doctest compares the last one up to CPython 3.11.3.
    lines_of = traceback.format_exception_only
    monkeypatch.setattr(traceback, "format_exception_only", lambda *error: ["".join(lines_of(*error))])
    names = {"ocior": ocior, "json": json, **GIVEN}
    monkeypatch.chdir(tmp_path)  # what the examples write
    failures = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    for block in blocks(page):
        if block.language != "python" or not block.fits():
            continue
        if ">>> " not in block.code:
            block.run(names)
            continue
        example = doctest.DocTestParser().get_doctest(block.code, names, page, page, block.line - 1)
        runner.run(example, out=failures.append, clear_globs=False)
        names.update(example.globs)  # the parser works on a copy
    assert not failures, "".join(failures)


def test_every_page_is_covered():
    assert {page.relative_to(ROOT).as_posix() for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))} == set(ALL_PAGES)


@pytest.mark.parametrize("page", ALL_PAGES)
def test_places(page):
    """Every page that a page links to is there, and so is every file that it names."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / page).parent.joinpath(link).exists(), link
    for place in PLACE.findall(text):
        assert any(ROOT.glob(place)), place


def test_arrows():
    """The rooms of the core include one another as docs/architecture.md says."""
    (listed,) = (block.code for block in blocks("docs/architecture.md") if block.language == "arrows")
    allowed = {room: set(others.split()) for room, others in (line.split("→") for line in listed.splitlines())}
    allowed = {room.strip(): others | {room.strip()} for room, others in allowed.items()}
    for source in sorted(ROOT.glob("src/*/**/*.*")):
        room = source.relative_to(ROOT / "src").parts[0]
        included = set(re.findall(r'^#include "(\w+)/', source.read_text(encoding="utf-8"), re.MULTILINE))
        assert included <= allowed.get(room, {room}), (source, included)


def test_other_libraries():
    """Only src/compat names the libraries that it stands in for."""
    naming = [source for source in ROOT.glob("src/**/*.*") if re.search("orjson|ujson", source.read_text(encoding="utf-8"), re.IGNORECASE)]
    assert {source.relative_to(ROOT / "src").parts[0] for source in naming} == {"compat"}
