"""Scanners and scanstring: the same answers as _json's, at every index. (Texts that end at a page edge: hostile/test_page_edge.py.)"""

import gc
import json
import json.decoder
import json.scanner
import sys
import weakref

import pytest
from loads_values import SCANNED_TEXTS
from support import assert_same, call

import ocior
import ocior.decoder
import ocior.scanner

make_ours = ocior.scanner.c_make_scanner
make_theirs = json.scanner.c_make_scanner
pytestmark = pytest.mark.skipif(make_theirs is None, reason="json without its accelerator")

TEXTS = [*SCANNED_TEXTS, "", "\ufeff"]


class Context:
    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float, parse_int = float, int
    parse_constant = json.JSONDecoder().parse_constant

    def __init__(self, **attributes):
        vars(self).update(attributes)


# What json's scanner asks a context for.
NAMES = [
    "strict",
    "object_hook",
    "object_pairs_hook",
    *["array_hook"] * (sys.version_info >= (3, 15)),
    "parse_float",
    "parse_int",
    "parse_constant",
]

CONTEXTS = [
    {},
    {"strict": False},
    {"strict": 0},
    {"object_hook": len},
    {"object_pairs_hook": list},
    {"parse_float": str},
    {"parse_int": str},
    {"parse_constant": str},
    {"parse_constant": {"NaN": 1, "Infinity": 2, "-Infinity": 3}.__getitem__},
    {"parse_float": None},
    {"parse_int": None},
    {"parse_constant": None},
    {"object_hook": 0},
    {"parse_int": 5},
]


@pytest.mark.parametrize("attributes", CONTEXTS, ids=repr)
def test_same_at_every_index(attributes):
    ours, theirs = make_ours(Context(**attributes)), make_theirs(Context(**attributes))
    for text in TEXTS:
        for variant in (text, text + "\xe9", text + "\u4e2d", text + "\U0001f600", text * 2):
            for index in range(len(variant) + 2):
                assert_same(call(ours, variant, index), call(theirs, variant, index), f"{variant!r} at {index}, {attributes}")


def test_members():
    context = Context(object_hook=len, parse_int=str, strict=[1])
    ours, theirs = make_ours(context), make_theirs(context)
    for name in NAMES:
        assert getattr(ours, name) == getattr(theirs, name)
        assert type(call(setattr, ours, name, 1).error) is type(call(setattr, theirs, name, 1).error) is AttributeError
    assert ours.array_hook is None
    assert make_ours(Context(array_hook=tuple))("[[1]]", 0) == (((1,),), 5)


def test_contexts_that_fail():
    class NoBool:
        def __bool__(self):
            raise ZeroDivisionError

    class Missing:
        """Has the first few of the attributes only."""

        def __init__(self, count):
            for name in NAMES[:count]:
                setattr(self, name, getattr(Context, name))

    class Raising(Context):
        @property
        def array_hook(self):
            raise ZeroDivisionError

    for arguments in ((), (1,), (Context(), 2), (Context(strict=NoBool()),), *((Missing(count),) for count in range(len(NAMES)))):
        assert_same(call(make_ours, *arguments), call(make_theirs, *arguments), repr(arguments))
    assert type(call(make_ours, Raising()).error) is ZeroDivisionError
    asked = []

    class Asked:
        def __getattr__(self, name):
            asked.append(name)
            return getattr(Context, name)

    make_ours(Asked())
    ours, asked[:] = list(asked), []
    make_theirs(Asked())
    assert asked == NAMES and [name for name in ours if name in NAMES] == NAMES


@pytest.mark.parametrize(
    "arguments, keywords",
    [
        ((), {}),
        (("1",), {}),
        (("1", 0, 0), {}),
        ((b"1", 0), {}),
        ((1, 0), {}),
        (("1", -1), {}),
        (("1", "0"), {}),
        (("1", 0.0), {}),
        (("1", 2**70), {}),
        (("1", True), {}),
        (("1", 1), {}),
        (("1", 99), {}),
        (("1",), {"idx": 0}),
        ((), {"string": "1", "idx": 0}),
        (("1", 0), {"foo": 0}),
        (("1", 0), {"idx": 0}),
        ((b"1", -1), {}),
        (("", 0), {}),
        (("", -1), {}),
    ],
    ids=repr,
)
def test_calls(arguments, keywords):
    assert_same(
        call(make_ours(Context()), *arguments, **keywords), call(make_theirs(Context()), *arguments, **keywords), f"{arguments} {keywords}"
    )


def test_index_of_another_type():
    class Index:
        def __index__(self):
            return 1

    assert make_ours(Context())("12", Index()) == (2, 2)


def test_subclass_and_collection():
    class Scanner(make_ours):
        def __call__(self, string, idx):
            return "mine", super().__call__(string, idx)

    assert Scanner(Context())("[1]", 0) == ("mine", ([1], 3))
    decoder = ocior.JSONDecoder()
    decoder.scan_once = Scanner(decoder)
    assert call(decoder.raw_decode, "[1]").value == ("mine", ([1], 3))

    class Token:
        pass

    token = Token()
    token.hook = lambda value: token
    token.scanner = make_ours(Context(object_hook=token.hook))
    seen = weakref.ref(token)
    del token
    gc.collect()
    assert seen() is None


def test_depth():
    for text in ("[" * 100_000, '{"a":' * 100_000):
        assert type(call(make_ours(Context()), text, 0).error) is RecursionError


# --- scanstring -----------------------------------------------------------------------------------------------------------


def test_scanstring_at_every_index():
    for text in TEXTS + [
        '"' + "a" * 70 + '\\n\u4e2d"',
        '"\\ud83d\\ude00\\ud83d"',
        '"\\u0000',
        '"\\u000',
        '"\\uD83D\\u',
        "a",
        '\x00"',
        '\t\\"',
    ]:
        for variant in (text, text + "\xe9", text + "\u4e2d", text + "\U0001f600"):
            for index in range(-1, len(variant) + 2):
                for rest in ((), (True,), (False,), (0,), (5,)):
                    assert_same(
                        call(ocior.decoder.scanstring, variant, index, *rest),
                        call(json.decoder.scanstring, variant, index, *rest),
                        f"{variant!r} at {index} {rest}",
                    )


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("a",),
        ("a", 0, 1, 2),
        (b"a", 0),
        (None, 1),
        ("a", "b"),
        ("a", 1.0),
        ("a", 2**70),
        ("a", None),
        ('x"', 0, []),
        ('x"', 0, 2**70),
        ('x"', 0, 0),
    ],
    ids=repr,
)
def test_scanstring_wrong_arguments(arguments):
    ours, theirs = call(ocior.decoder.scanstring, *arguments), call(json.decoder.scanstring, *arguments)
    assert_same(ours, theirs, repr(arguments), types_only=len(arguments) not in (2, 3))


# --- the module's names -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ours, theirs", [(ocior.decoder, json.decoder), (ocior.scanner, json.scanner)], ids=["decoder", "scanner"])
def test_every_name_of_json_s_module(ours, theirs):
    for name in dir(theirs):
        if not name.startswith("__"):
            assert hasattr(ours, name), name
    assert set(theirs.__all__) <= set(ours.__all__)
    with pytest.raises(AttributeError):
        ours.no_such_name


def test_names():
    assert ocior.decoder.JSONDecoder is ocior.JSONDecoder and ocior.decoder.JSONDecodeError is json.JSONDecodeError
    assert ocior.decoder.scanstring is ocior.decoder.c_scanstring and ocior.decoder.py_scanstring is json.decoder.py_scanstring
    assert ocior.scanner.make_scanner is make_ours and ocior.scanner.py_make_scanner is json.scanner.py_make_scanner
    assert ocior.detect_encoding is json.detect_encoding
    assert make_ours.__module__.startswith("ocior.") and ocior.decoder.scanstring.__doc__ and make_ours.__doc__
