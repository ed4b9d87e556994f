"""Puts a module in json's place, and loads the running interpreter's own test.test_json around it.

The suite comes from the interpreter, nothing of it is copied. It has two base classes, for json with and without its C
half, whose attributes its tests use; the tests and doctests that import json find the module in sys.modules; those of the
command line start another process, whose -m is rewritten on the way.
"""

import doctest
import importlib
import os
import subprocess
import sys
import types
import unittest
import unittest.mock

SUBMODULES = ("decoder", "encoder", "scanner", "tool")


class NoSuite(Exception):
    """This interpreter came without its tests."""


def load_suite(name: str) -> list:
    """Every test of the suite, once each, around the module called `name`."""
    try:
        suite = importlib.import_module("test.test_json")  # around json as yet: the doctests are json's
    except ImportError as error:
        raise NoSuite(
            f"{sys.executable} came without test.test_json ({error}); "
            f"Debian has it in the package libpython{sys.version_info[0]}.{sys.version_info[1]}-testsuite"
        ) from None
    if name != "json":
        replace(suite, name)
    cases = {}
    for case in flat(unittest.defaultTestLoader.loadTestsFromModule(suite)):
        cases.setdefault(case.id(), case)  # the package's load_tests calls itself: some come twice
    if name != "json" and (tool := sys.modules.get("test.test_json.test_tool")):
        redirect_command_line(tool, name)
    return list(cases.values())


def flat(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flat(item)
        else:
            yield item


def replace(suite, name: str) -> None:
    module = importlib.import_module(name)
    modules = {"json": module}
    for submodule in SUBMODULES:
        importlib.import_module(f"json.{submodule}")  # whoever wants json's own has to have it by now
        try:
            modules[f"json.{submodule}"] = importlib.import_module(f"{name}.{submodule}")
        except ImportError:
            modules[f"json.{submodule}"] = None  # a later import of it fails, and its tests with it
    originals = {key: sys.modules[key] for key in modules}
    sys.modules.update(modules)

    def doctests_of(json_module):
        with unittest.mock.patch.dict(sys.modules, originals):  # doctest looks a class's module up by name
            return doctest.DocTestSuite(json_module)

    suite.doctest = types.SimpleNamespace(DocTestSuite=doctests_of)
    suite.cjson = suite.pyjson = module
    for base in (suite.CTest, suite.PyTest):
        base.json = module
        for attribute in ("loads", "dumps", "JSONDecodeError"):
            if hasattr(module, attribute):
                setattr(base, attribute, staticmethod(getattr(module, attribute)))
            else:
                delattr(base, attribute)


def redirect_command_line(test_tool, name: str) -> None:
    """`python -m json` and `-m json.tool` become those of the module in all that test_tool starts."""

    def redirect(command):
        command = list(command)
        for place, word in enumerate(command[1:], 1):
            if command[place - 1] == "-m" and word in ("json", "json.tool"):
                command[place] = name + word[len("json") :]
        return command

    def run(command, *arguments, **keywords):
        return subprocess.run(redirect(command), *arguments, **keywords)

    def popen(command, *arguments, **keywords):
        return subprocess.Popen(redirect(command), *arguments, **keywords)

    root = os.path.dirname(os.path.dirname(os.path.abspath(sys.modules[name].__file__)))
    path = os.environ["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    assert_python_ok = test_tool.assert_python_ok

    def not_isolated_python_ok(*arguments, **environment):
        # An isolated interpreter sees installed packages only, not a build in the tree.
        return assert_python_ok(*redirect(arguments), **{**environment, "PYTHONPATH": path, "__isolated": False})

    test_tool.assert_python_ok = not_isolated_python_ok
    test_tool.subprocess = types.SimpleNamespace(**{**vars(subprocess), "run": run, "Popen": popen})
