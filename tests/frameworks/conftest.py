"""What the framework tests share: running a block of docs/frameworks.md, and seeing that it was ocior who worked."""

import json
import os
import sys
import threading

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python", "shared"))  # pages.py

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
def json_is_idle():
    """No method of json's classes may do the work: ocior's own may inherit from them, but encode and decode natively. They are watched,
    not replaced: a replaced method is one that ocior calls, as json would. Calling the fixture ends the watch, for json to be the judge."""
    methods = json.JSONEncoder.encode, json.JSONEncoder.iterencode, json.JSONDecoder.decode, json.JSONDecoder.raw_decode
    watched = {method.__code__ for method in methods}
    seen = []

    def watch(frame, event, argument):
        if event == "call" and frame.f_code in watched and not isinstance(frame.f_locals.get("s"), bytes):  # refused by json, in its words
            seen.append(f"{type(frame.f_locals.get('self')).__name__}.{frame.f_code.co_name}")

    def judge():
        sys.setprofile(None)
        threading.setprofile(None)
        assert not seen, f"json did the work of {seen}"

    sys.setprofile(watch)
    threading.setprofile(watch)
    yield judge
    judge()


@pytest.fixture
def snippet():
    """snippet(NAME, names, url=...): runs that block of the page, on top of what it takes for granted, and gives its names."""

    def run(name, names=None, **given):
        return SNIPPETS[name].run({} if names is None and not given else {**(names or {}), **given})

    return run
