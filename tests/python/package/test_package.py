"""The package: what it exports, what get_current_features says, which level is imported and what is said if none can be."""

import inspect
import json
import os
import pickle
import sys
from importlib import metadata

import pytest
from support import call, run_python

import ocior
from ocior.compat import orjson as compat_orjson
from ocior.compat import ssrjson as compat_ssrjson
from ocior.compat import ujson as compat_ujson

LEVELS = ("v2", "v3", "v4", "neon")


def test_names():
    for name in (
        "load",
        "loads",
        "JSONDecoder",
        "detect_encoding",
        "decoder",
        "scanner",
        "dumps",
        "dumps_to_bytes",
        "write_utf8_cache",
        "get_current_features",
        "JSONDecodeError",
    ):
        assert hasattr(ocior, name)
    assert issubclass(ocior.JSONDecodeError, json.JSONDecodeError)


def test_functions_are_pickled_by_the_names_of_the_package():
    """Not by those of the core, which another machine may not have."""
    for owner in (ocior, ocior.lines, ocior.encoder, ocior.decoder):
        for name in (*(name for name in ocior.__all__ if name.islower()), "encode_basestring", "encode_basestring_ascii", "scanstring"):
            function = getattr(owner, name, None)
            if inspect.isbuiltin(function) and function.__module__ != "_json":
                assert function.__module__ == owner.__name__ or owner is not ocior, (owner, name)
                pickled = pickle.dumps(function)
                assert b"_core" not in pickled and pickle.loads(pickled) is function


def test_no_python_frame_in_between():
    assert not inspect.isfunction(ocior.dumps) and not inspect.isfunction(ocior.loads)
    frames = []

    def default(obj):
        frames.append(sys._getframe(1).f_code.co_name)
        return 1

    ocior.dumps(object(), default=default)
    ocior.dumps_to_bytes(object(), default=default)
    ocior.loads("{}", object_hook=default)
    assert frames == ["test_no_python_frame_in_between"] * 3


def test_features():
    features = ocior.get_current_features()
    assert isinstance(features, dict) and features["level"] in LEVELS
    assert ocior.__version__ == features["version"]
    json.dumps(features)
    features["level"] = "changed"
    assert ocior.get_current_features()["level"] in LEVELS
    assert ocior.get_current_features()["write_utf8_cache"] is False
    ocior.write_utf8_cache(True)
    assert ocior.get_current_features()["write_utf8_cache"] is True
    ocior.write_utf8_cache(False)
    assert ocior.get_current_features()["write_utf8_cache"] is False


def test_version_is_that_of_the_installation():
    try:
        installed = metadata.distribution("ocior")
    except metadata.PackageNotFoundError:
        pytest.skip("built in place, not installed")
    if os.path.realpath(installed.locate_file("ocior")) != os.path.realpath(os.path.dirname(ocior.__file__)):
        pytest.skip("what is imported is not the installation")
    assert installed.version == ocior.__version__


def test_docstrings_and_signatures():
    for function in (ocior.load, ocior.loads, ocior.dumps, ocior.dumps_to_bytes, ocior.write_utf8_cache, ocior.get_current_features):
        assert function.__doc__ and function.__name__ in dir(ocior)
    for function, oracle in ((ocior.loads, json.loads), (ocior.load, json.load), (ocior.dumps, json.dumps)):
        signature = call(inspect.signature, function).value
        if signature is not None:
            wanted = {
                name: parameter
                for name, parameter in inspect.signature(oracle).parameters.items()
                if parameter.kind is not inspect.Parameter.VAR_KEYWORD
            }
            for name, parameter in wanted.items():
                assert signature.parameters[name].default == parameter.default


def load_with(level):
    return run_python("import ocior, sys; print(ocior.get_current_features()['level'])", env={"OCIOR_ISA": level})


@pytest.mark.parametrize("level", LEVELS)
def test_chosen_level(level):
    """Every level either works or says in an ImportError what is missing."""
    done = load_with(level)
    if done.returncode == 0:
        assert done.stdout.strip() == level
    else:
        assert "ImportError" in done.stderr and level in done.stderr, done.stderr


@pytest.mark.parametrize("level", ["v9", "avx2", "V3", " v3", "x86-64-v3", "../v3", "_core_v3"])
def test_unknown_level(level):
    done = load_with(level)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError") and repr(level) in last and all(name in last for name in LEVELS)


def test_empty_override_is_none():
    assert (
        load_with("").stdout.strip()
        == run_python(
            "import ocior; print(ocior.get_current_features()['level'])", env={"OCIOR_ISA": os.environ.get("OCIOR_ISA", "")}
        ).stdout.strip()
        or "OCIOR_ISA" in os.environ
    )


def test_all_installed_levels_in_one_process():
    """Every level this machine runs, side by side: same results, errors of one type."""
    done = run_python("""
        import json
        from ocior import _select
        cores = []
        for level in _select.usable_levels():
            try:
                cores.append(_select.load_level(level))
            except ImportError:
                pass
        assert cores
        value = [{"a": "\\u4e2d\\n" * 20, "b": [1.5, -7, 10**30, None]}, "\\U0001f600" * 50, "x" * 200, {"\\xe9": []}]
        for core in cores + cores:
            text = core.dumps(value)
            assert text == json.dumps(value)
            for other in cores:
                assert other.loads(text) == value == other.loads(core.dumps_to_bytes(value))
            try:
                core.loads("[x]")
            except json.JSONDecodeError as error:
                assert error.pos == 1
    """)
    assert done.returncode == 0, done.stderr


def test_in_place_of_json():
    """`import ocior as json` in other people's code: what frameworks call."""
    assert (
        ocior.dumps({"b": 1, "a": "\xe9"}, default=str, ensure_ascii=True, sort_keys=True, separators=(",", ":")) == '{"a":"\\u00e9","b":1}'
    )
    with pytest.raises(json.JSONDecodeError):
        ocior.loads("{")
    with pytest.raises(ValueError):
        ocior.loads(b"\xff")
    with pytest.raises(TypeError):
        ocior.dumps(object())


def test_signatures_of_the_classes():
    own = ["array_hook", "duplicate_keys", "non_finite", "big_integers", "integer_bits", "surrogates", "max_depth"]
    for ours, theirs, more in ((ocior.JSONEncoder, json.JSONEncoder, []), (ocior.JSONDecoder, json.JSONDecoder, own)):
        expected = inspect.signature(theirs).parameters
        for cls in (ours, type("Derived", (ours,), {})):
            parameters = inspect.signature(cls).parameters
            assert list(parameters) == [*expected, *(name for name in more if name not in expected)]
            assert all(str(parameters[name]) == str(expected[name]) for name in expected)
        own = type("Own", (ours,), {"__init__": lambda self, x, *, y=1: None})
        assert str(inspect.signature(own)) == "(x, *, y=1)"


def test_every_name_of_jsons_package_is_there():
    for name in dir(json):
        assert hasattr(ocior, name), name
    assert type(ocior._default_encoder) is ocior.JSONEncoder and type(ocior._default_decoder) is ocior.JSONDecoder
    with pytest.raises(AttributeError, match="module 'ocior' has no attribute 'dumpz'"):
        ocior.dumpz


def test_access_to_the_functions_can_be_specialized():
    """CPython looks at every access into the dict of a module that has a __getattr__ of its own."""
    for module in (ocior, ocior.decoder, ocior.encoder, ocior.scanner, compat_orjson, compat_ssrjson, compat_ujson):
        assert "__getattr__" not in vars(module) and type(module) is type(json)


def test_submodules_of_json_are_not_taken_over():
    script = "import json.tool, ocior; print(hasattr(ocior, 'tool'), ocior.decoder.scanner is json.scanner, ocior.codecs is json.codecs)"
    assert run_python(script).stdout.split() == ["False", "True", "True"]
