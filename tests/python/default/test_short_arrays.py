"""Short arrays, which an ocior.Default writes on one line in indented text: in every layout, of every type, in pieces, and changed by hooks
meanwhile; against a layout that is worked out from json's."""

import array
import collections
import itertools
import json
import random

import pytest
from attacks import Changes
from policy_values import NAN, OddText, needs_numpy, numpy, random_value
from rich_values import by_encoder, dump_bytes, dump_text, in_pieces, to_bytes

import ocior
from ocior import Default, Raw


def laid_out(value, most, keywords, level=0):
    """The oracle: json's layout, but that an array without containers, other than empty ones, stands on one line if it fits."""
    item, key = keywords.get("separators", (",", ": "))
    indent = keywords["indent"]
    unit = indent if isinstance(indent, str) else " " * indent
    scalar = {name: option for name, option in keywords.items() if name == "ensure_ascii"}
    if isinstance(value, (list, tuple)) and value:
        parts = [laid_out(one, most, keywords, level + 1) for one in value]
        line = "[" + (item if item.endswith(" ") else item + " ").join(parts) + "]"
        if not any(isinstance(one, (list, tuple, dict)) and one for one in value) and len(line) <= most:
            return line
    elif isinstance(value, dict) and value:
        parts = [
            json.dumps(name, **scalar) + key + laid_out(one, most, keywords, level + 1)
            for name, one in (sorted(value.items()) if keywords.get("sort_keys") else value.items())
        ]
    else:
        return json.dumps(value, **scalar)
    brackets = "{}" if isinstance(value, dict) else "[]"
    inner, outer = "\n" + unit * (level + 1), "\n" + unit * level
    return brackets[0] + inner + (item + inner).join(parts) + outer + brackets[1]


INDENTED = [
    {"indent": 2},
    {"indent": 0, "ensure_ascii": False},
    {"indent": "\t", "separators": (", ", ":"), "ensure_ascii": False},
    {"indent": "<\u4e2d\n>", "separators": (" ;\n", " ="), "ensure_ascii": False},
    {"indent": "\n", "separators": ("\n,\n", ": "), "sort_keys": True},
    {"indent": 40, "separators": ("", "")},
    {"indent": "", "separators": ("a rather long separator ", ": ")},
    {"indent": 1, "separators": ("\u4e2d", "\U0001f600")},
]
ARRAYS = [
    [],
    [1, 2, 3],
    [[1, 2, 3], [4.5, "x"], [None] * 9],
    {"a": [1], "b": {"c": [[], {}, 1], "d": ["\n", "\xe9", "\u4e2d" * 7, "\U0001f600"]}, "e": [{"x": [1, 2]}, 3]},
    [["x" * n] for n in range(0, 40)],
    [list(range(n)) for n in range(0, 20)],
    [[[[[[1]], 2]], (3, 4)], "y" * 30, [True, False, None, 2**70, 1e300]],
    ["z" * 3000, ["z" * 2000, "\u4e2d" * 1500]],
]


@pytest.mark.parametrize("keywords", INDENTED, ids=str)
def test_short_arrays(keywords):
    for value, most in itertools.product(ARRAYS, (0, 3, 9, 10, 11, 33, 80, 5000)):
        default = Default(short_arrays=most)
        expected = laid_out(value, most, keywords)
        for road in (ocior.dumps, in_pieces, by_encoder, dump_text):
            assert road(value, default=default, **keywords) == expected, (road, value, most)
        if expected.isascii():
            assert to_bytes(value, default=default, **keywords) == expected
            assert dump_bytes(value, default=default, **keywords) == expected


def test_short_arrays_without_lines():
    for value, keywords in itertools.product(ARRAYS, ({}, {"separators": (",", ":"), "ensure_ascii": False})):
        assert ocior.dumps(value, default=Default(short_arrays=80), **keywords) == json.dumps(value, **keywords)
    assert ocior.dumps([1, 2], default=Default(short_arrays=None), indent=1) == json.dumps([1, 2], indent=1)


def test_short_arrays_count_bytes():
    for most in range(6, 20):
        value = [["\xe9", "\u4e2d"], [1]]
        fits = len('["\xe9", "\u4e2d"]'.encode()) <= most
        line = b'["\xc3\xa9", "\xe4\xb8\xad"]' if fits else b'[\n  "\xc3\xa9",\n  "\xe4\xb8\xad"\n ]'
        assert ocior.dumps_to_bytes(value, default=Default(short_arrays=most), indent=1) == b"[\n " + line + b",\n [1]\n]"


def test_short_arrays_of_other_types():
    default = Default(lambda value: [value.real, value.imag], short_arrays=20)
    rows = [{1}, 0, 1 + 2j, collections.deque([1, 2]), array.array("d", [1.5, 2.5]), OddText("x")]
    twin = [[1], 0, [1.0, 2.0], [1, 2], [1.5, 2.5], "x"]
    assert ocior.dumps(rows, default=default, indent=2) == laid_out(twin, 20, {"indent": 2})
    assert ocior.dumps([Raw("1"), 2], default=default, indent=0) == "[\n1,\n2\n]"
    assert ocior.dumps([1, Raw("[\n1,\n2]")], default=default, indent=0) == "[\n1,\n[\n1,\n2]\n]"
    assert ocior.dumps([[1, [2]], 3], default=default, indent=0) == "[\n[\n1,\n[2]\n],\n3\n]"
    assert ocior.dumps([{(1,): 1}, 3], default=default, indent=0, skipkeys=True).startswith("[\n{")
    markup = Default(short_arrays=12, html_safe=True)
    assert ocior.dumps([["<"], ["<<"]], default=markup, indent=0) == '[\n["\\u003c"],\n[\n"\\u003c\\u003c"\n]\n]'


@needs_numpy
def test_short_arrays_of_numpy():
    for keywords, most in itertools.product(INDENTED, (0, 9, 30, 200)):
        for values in (numpy.arange(24).reshape(2, 3, 4), numpy.ones((3, 0)), numpy.array([[0.5, 1e300], [NAN, 1]]), numpy.eye(20) > 0):
            default = Default(short_arrays=most, non_finite="null")
            twin = json.loads(json.dumps(values.tolist()), parse_constant=lambda _: None)
            expected = laid_out(twin, most, keywords)
            for road in (ocior.dumps, dump_text):
                assert road(values, default=default, **keywords) == expected


@pytest.mark.parametrize("most", [0, 50, 700, 5000, 100_000])
def test_short_arrays_in_pieces(most):
    """Where a piece ends nothing is torn apart that would be joined, and pieces stay small where arrays are long."""
    rng = random.Random(most)
    value = [
        [rng.randrange(10 ** rng.randrange(1, 12)) for _ in range(rng.randrange(most // 6 + 9))] for _ in range(200_000 // (most + 200))
    ]
    value.append(["x" * rng.randrange(2, most + 4000) for _ in range(60)])
    value += [[0.5] * 50_000, {"a": ["\u4e2d" * rng.randrange(1, most + 100)] * 3 for _ in range(50)}, [1]]
    for keywords in ({"indent": 1}, {"indent": 7, "ensure_ascii": False}):
        default = Default(short_arrays=most)
        expected = laid_out(value, most, keywords)
        pieces = list(ocior.JSONEncoder(default=default, **keywords).iterencode(value))
        assert (
            ocior.dumps(value, default=default, **keywords) == "".join(pieces) == dump_text(value, default=default, **keywords) == expected
        )
        assert max(map(len, pieces)) < 140_000 + 30 * most


def test_random_layouts():
    rng = random.Random(5)
    for _ in range(400):
        value, keywords, most = random_value(rng, 5), rng.choice(INDENTED), rng.choice((5, 12, 40, 100))
        assert ocior.dumps(value, default=Default(short_arrays=most), **keywords) == laid_out(value, most, keywords)


def test_hooks_that_change_arrays():
    for size in (1, 3, 2000):
        victim = [0, Changes(lambda: victim.extend(range(size)))]
        text = ocior.dumps([victim, 1], default=Default(Changes.fire, short_arrays=30), indent=1)
        assert text == laid_out([[0, "changed", *range(size)], 1], 30, {"indent": 1})
        victim = [*range(size), Changes(lambda: victim.clear()), 1, 2]
        text = ocior.dumps([victim, 1], default=Default(Changes.fire, short_arrays=30), indent=1)
        assert text == laid_out([[*range(size), "changed"], 1], 30, {"indent": 1})
