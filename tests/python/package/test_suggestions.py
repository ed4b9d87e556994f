"""A keyword that there is not: the one that was meant is told, in the message where that is our own, else in a note."""

import io
import json
import sys

import pytest
from support import call, error_facts

import ocior

NAME = "unexpected keyword argument"


def loads(**keywords):
    return ocior.loads("1", **keywords)


def load(**keywords):
    return ocior.load(io.StringIO("1"), **keywords)


def loads_by_class(**keywords):
    return ocior.loads("1", cls=ocior.JSONDecoder, **keywords)


def dumps(**keywords):
    return ocior.dumps(1, **keywords)


def dump(**keywords):
    return ocior.dump(1, io.StringIO(), **keywords)


def dumps_to_bytes(**keywords):
    return ocior.dumps_to_bytes(1, **keywords)


@pytest.mark.parametrize(
    "function, given, meant",
    [
        (loads, "max_dept", "max_depth"),
        (loads, "Duplicate_keys", "duplicate_keys"),
        (loads, "duplicatekeys", "duplicate_keys"),
        (loads, "object_hok", "object_hook"),
        (loads, "clss", "cls"),
        (load, "big_integer", "big_integers"),
        (loads_by_class, "surrogate", "surrogates"),
        (ocior.JSONDecoder, "non_finit", "non_finite"),
        (ocior.JSONDecoder, "parse_intt", "parse_int"),
        (type("Derived", (ocior.JSONDecoder,), {}), "array_hoook", "array_hook"),
        (dumps, "sort_key", "sort_keys"),
        (dump, "Indent", "indent"),
        (dumps_to_bytes, "is_write_cach", "is_write_cache"),
        (dumps_to_bytes, "seperators", "separators"),
        (ocior.JSONEncoder, "defaults", "default"),
        (ocior.Default, "naiv_utc", "naive_utc"),
        (ocior.Default, "Canonical", "canonical"),
        (ocior.Default, "fall_back", "fallback"),
        (ocior.Default, "\ud800ax_depth", "max_depth"),
    ],
)
def test_similar_keywords(function, given, meant):
    error = call(function, **{given: None}).error
    assert type(error) is TypeError and f"{NAME} '{given}'" in str(error)
    hint = f"Did you mean '{meant}'?"
    if function is ocior.Default:
        assert str(error).endswith(f"{NAME} '{given}'. {hint}")
    elif sys.version_info >= (3, 11):
        assert "\n".join([str(error), *getattr(error, "__notes__", [])]).endswith(hint)


@pytest.mark.parametrize(
    "function", [loads, load, loads_by_class, dumps, dump, dumps_to_bytes, ocior.JSONDecoder, ocior.JSONEncoder, ocior.Default]
)
@pytest.mark.parametrize("given", ["zzzzzz", "", "x" * 1000, "\U0001f600", "\ud800"])
def test_other_keywords(function, given):
    error = call(function, **{given: None}).error
    assert type(error) is TypeError and str(error).endswith(f"{NAME} '{given}'") and not hasattr(error, "__notes__")


@pytest.mark.parametrize("given", ["max_dept", "object_hok", "sort_key", "is_write_cach", "obj", "fp", "s", "zz"])
@pytest.mark.parametrize("function", ["loads", "dumps"])
def test_messages_are_those_of_json(function, given):
    ours, theirs = (call(getattr(module, function), "1", **{given: 1}).error for module in (ocior, json))
    assert error_facts(ours) == error_facts(theirs)


@pytest.mark.parametrize("function", [ocior.loads, ocior.dumps])
def test_errors_of_other_classes(function):
    """A class of the user's has keywords of its own."""

    class Decoder(ocior.JSONDecoder):
        def __init__(self, **keywords):
            raise TypeError(f"{NAME} 'max_dept'")

    class Encoder(ocior.JSONEncoder):
        def __init__(self, **keywords):
            raise TypeError(f"{NAME} 'max_dept'")

    error = call(function, "1", cls=Decoder if function is ocior.loads else Encoder, max_dept=1).error
    assert str(error) == f"{NAME} 'max_dept'" and not hasattr(error, "__notes__")
