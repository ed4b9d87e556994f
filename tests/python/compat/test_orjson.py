"""ocior.compat.orjson in orjson's place: its names, arguments and errors, without a leak; and against orjson itself, where it is installed,
the words of errors and how deep values and documents may be."""

import gc
import inspect
import itertools
import json
import random
import sys
import weakref

import pytest
from orjson_values import DEEP, DUMPS, READ, REFUSED, WRONG, Int, Point, hook, options, theirs
from support import call, check_pickled

import ocior
import ocior.compat.orjson as ours


def test_arguments():
    for function, arguments, keywords, words in [
        (ours.dumps, (), {}, "dumps() missing 1 required positional argument: 'obj'"),
        (ours.dumps, (1,), {"x": 1}, "dumps() got an unexpected keyword argument"),
        (ours.dumps, (1, None), {"default": None}, "dumps() got multiple values for argument: 'default'"),
        (ours.dumps, (1, None, 0), {"option": 0}, "dumps() got multiple values for argument: 'option'"),
        (ours.loads, (), {}, "takes exactly one argument (0 given)"),
        (ours.loads, ("1", "2"), {}, "takes exactly one argument (2 given)"),
        (ours.loads, (), {"obj": "1"}, "takes no keyword arguments"),
        (ours.Fragment, (), {}, "orjson.Fragment() takes exactly 1 positional argument"),
        (ours.Fragment, ("1", "2"), {}, "orjson.Fragment() takes exactly 1 positional argument"),
    ]:
        error = call(function, *arguments, **keywords).error
        assert type(error) is TypeError and str(error).endswith(words), error
    for option in (1.0, True, "1", -1, 1 << 12, 2**70, [], Int(1)):
        error = call(ours.dumps, 1, option=option).error
        assert type(error) is TypeError and str(error) == "Invalid opts"


def test_names():
    assert all(hasattr(ours, name) for name in ours.__all__)
    assert ours.__version__.startswith("3.")
    assert issubclass(ours.JSONDecodeError, json.JSONDecodeError) and issubclass(ours.JSONDecodeError, ValueError)
    bits = [getattr(ours, name) for name in ours.__all__ if name.startswith("OPT_")]
    assert sorted(bits) == [0, 0, *(1 << n for n in range(12))]
    assert str(inspect.signature(ours.dumps)) == "(obj, /, default=None, option=None)"
    assert str(inspect.signature(ours.loads)) == "(obj, /)"


def test_the_module_instead_of_orjson():
    """A program that catches json's error, or ValueError, catches these."""
    for kind in (ValueError, json.JSONDecodeError, ocior.JSONDecodeError, ours.JSONDecodeError):
        with pytest.raises(kind):
            ours.loads("[")


def test_pickle():
    check_pickled(ours, "dumps", "loads", "JSONDecodeError")


def test_no_leaks():
    values = [value for value, _, _ in itertools.chain(DUMPS, REFUSED) if value is not DEEP]
    documents = [*READ, *(text for text, _, _ in WRONG)]

    def run(times):
        for _ in range(times):
            for value, names in itertools.product(
                values, ("", "NON_STR_KEYS SORT_KEYS", "INDENT_2 PASSTHROUGH_SUBCLASS PASSTHROUGH_DATETIME")
            ):
                call(ours.dumps, [value], option=options(names))
                call(ours.dumps, {"k": value}, hook, options(names))
            for text in documents:
                call(ours.loads, text)
        gc.collect()
        return sys.getallocatedblocks()

    run(2)
    sizes = [run(10) for _ in range(5)]
    assert min(after - before for before, after in itertools.pairwise(sizes)) < 60, sizes


RIGHT = ['{"a": [1, -2.5e+7, "x\\u00e9y", null, true], "b": {"c": "\\n\\ud83d\\ude00", "d": []}}', '{"é": ["ü€😀", -1e5, false], "0": 0}']


def mutate(generator, text):
    """The text with one or two characters left out, changed or added, or with its end cut off."""
    for _ in range(generator.randrange(1, 3)):
        at = generator.randrange(len(text) + 1)
        added = generator.choice('{}[],:"\\0123456789eE+-.tfnu \n\x00é')
        text = generator.choice([text[:at] + text[at + 1 :], text[:at] + added + text[at + 1 :], text[:at] + added + text[at:], text[:at]])
    return text


def test_words_as_orjson(theirs):
    for value, names, words in REFUSED:
        if not isinstance(value, ours.Fragment):
            mine, other = (call(module.dumps, value, option=options(names)).error for module in (ours, theirs))
            assert (type(mine), str(mine)) == (type(other), str(other)), (value, names)
    generator = random.Random(8)
    mutated = [mutate(generator, generator.choice(RIGHT)) for _ in range(3000)]
    for text in [text for text, _, words in WRONG if words] + mutated:
        if call(theirs.loads, text).error:
            mine, other = (call(module.loads, text).error for module in (ours, theirs))
            assert (str(mine), mine.pos, mine.lineno, mine.colno) == (str(other), other.pos, other.lineno, other.colno), text
    for name in ours.__all__:
        if name.startswith("OPT_"):
            assert getattr(ours, name) == getattr(theirs, name)


def test_nesting_as_orjson(theirs):
    """But for tuples, which orjson does not count: those nested some 100,000 deep crash it."""
    for depth, inner in itertools.product((1, 253, 254, 255, 256), (1, "x", None, 2.5)):
        for make in (lambda item: [item], lambda item: {"k": item}, Point):
            value = inner
            for _ in range(depth):
                value = make(value)
            mine, other = call(ours.dumps, value), call(theirs.dumps, value)
            assert (mine.value, str(mine.error)) == (other.value, str(other.error)), (depth, inner)
    for depth in (1023, 1024, 1025, 3000):
        for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
            assert (call(ours.loads, text).error is None) == (call(theirs.loads, text).error is None), depth


def test_fragment_in_a_cycle_is_collected():
    class Watched:
        pass

    items = [Watched()]
    items.append(ours.Fragment(items))
    watched = weakref.ref(items[0])
    del items
    gc.collect()
    assert watched() is None
