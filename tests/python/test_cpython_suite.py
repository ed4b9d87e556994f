"""CPython's own test.test_json of the running interpreter, with loads and dumps replaced by ours."""
import io
import json
import unittest

import pytest

import ocior

test_json = pytest.importorskip("test.test_json")

# Tests of things that are json's alone: the modules' own names, the encoder's C helpers, the command line.
NOT_OURS = ("test_tool", "TestMain", "test_speedups", "TestTool", "test_dump.", "test_c_make", "test_scanstring", "test_encode_basestring", "test_all", "test_pyjson", "test_cjson", "test_for_json")


def suite_of_the_c_classes(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from suite_of_the_c_classes(item)
        elif isinstance(item, test_json.CTest) and not any(word in item.id() for word in NOT_OURS):
            yield item


def collect():
    try:
        loaded = unittest.defaultTestLoader.discover(test_json.__path__[0], top_level_dir=test_json.__path__[0].rsplit("/test/", 1)[0])
    except Exception as error:  # a distribution without its tests
        pytest.skip(f"test.test_json cannot be loaded: {error}")
    return list(suite_of_the_c_classes(loaded))


def test_cpython_suite(monkeypatch):
    monkeypatch.setattr(test_json.CTest, "loads", staticmethod(ocior.loads))
    monkeypatch.setattr(test_json.CTest, "dumps", staticmethod(ocior.dumps))
    cases = collect()
    assert len(cases) > 50
    result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(unittest.TestSuite(cases))
    assert result.testsRun > 50 and json.dumps([1]) == "[1]"
    trouble = [f"{case.id()}\n{trace[-1500:]}" for case, trace in result.errors + result.failures]
    assert not trouble, "\n\n".join(trouble)
