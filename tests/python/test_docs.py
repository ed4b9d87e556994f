"""The examples in README.md and docs/ do what the pages say. Those of docs/frameworks.md have their own place, tests/frameworks."""

import decimal
import doctest
import io
import json
import re

import pytest
from pages import ROOT, blocks

import ocior

PAGES = ("README.md", "docs/differences.md", "docs/migrating.md", "docs/measuring.md")


class Point:
    from_dict = staticmethod(dict)


# What the tour in the README takes for granted.
GIVEN = {
    "text": '{"x": 1.5, "y": 2}',
    "obj": {"b": {1.5: None}, "a": ["中文"]},
    "Decimal": decimal.Decimal,
    "Point": Point,
    "file": io.StringIO(),
}


@pytest.mark.parametrize("page", PAGES)
def test_examples(page):
    """Blocks that show a session (>>>) must print what they show, the others must run. Each sees the names of those before it."""
    names = {"ocior": ocior, "json": json, **GIVEN}
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


def test_links():
    """Every page that a page links to is there."""
    for page in PAGES + ("docs/frameworks.md",):
        for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8")):
            assert (ROOT / page).parent.joinpath(link).exists(), f"{page}: {link}"
