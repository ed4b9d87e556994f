"""What the framework tests share: running a block of docs/frameworks.md, and seeing that it was ocior who worked."""
import json
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))  # pages.py

import ocior
from pages import blocks

SNIPPETS = {block.name: block for block in blocks("docs/frameworks.md") if block.name}


class Spy:
    """A function that keeps its calls. Like a built-in function, it does not turn into a method as a class attribute."""

    def __init__(self, function):
        self.function = function
        self.arguments, self.keywords, self.results = [], [], []

    def __call__(self, *arguments, **keywords):
        self.arguments.append(arguments)
        self.keywords.append(keywords)
        result = self.function(*arguments, **keywords)
        self.results.append(result)
        return result


@pytest.fixture
def spies(monkeypatch):
    """ocior's functions replaced by ones that tell what they were called with and gave: spies.dumps.results, ..."""

    class Spies:
        pass

    for name in ("dumps", "dumps_to_bytes", "loads"):
        setattr(Spies, name, Spy(getattr(ocior, name)))
        monkeypatch.setattr(ocior, name, getattr(Spies, name))
    return Spies


@pytest.fixture
def json_is_idle(monkeypatch):
    """No class of json may do the work: ocior's own may inherit from them, but encode and decode natively."""

    def refuse(self, *arguments, **keywords):
        raise AssertionError(f"json did the work of {type(self).__name__}")

    for name in ("encode", "iterencode"):
        monkeypatch.setattr(json.JSONEncoder, name, refuse)
    for name in ("decode", "raw_decode"):
        monkeypatch.setattr(json.JSONDecoder, name, refuse)


@pytest.fixture
def snippet():
    """snippet(NAME, names, url=...): runs that block of the page, on top of what it takes for granted, and gives its names."""

    def run(name, names=None, **given):
        return SNIPPETS[name].run({} if names is None and not given else {**(names or {}), **given})

    return run
