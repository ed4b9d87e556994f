"""Lists and dicts that dumps and dumps_to_bytes write by loops of their own: those of one item, words in a row, rows of scalars, dicts
behind dicts; with something else at every place. Runs of numbers are in values/test_runs.py."""

import collections
import enum
import io
import json
import math
import random

import pytest
from dumps_values import Fixed, Items, Plain, Point
from layouts import each_layout
from support import call, frozen, json_to_bytes, same_dumps

import ocior


@each_layout("json", "unescaped", "compact unescaped", "indent 1")
@pytest.mark.parametrize("filler", ("a", "\xe9", "\u0416", "\u4e2d", "\U0001f600", "\u0416\u4e2d", "a\u0416"), ids=ascii)
def test_lists_of_one_string(keywords, filler):
    """In lists and dicts, of every length and width, plain and with something to escape; among others, and nested."""
    for length in range(70):
        for text in (filler * length, filler * length + '"', "\n" + filler * length, filler * length + "\ud800"):
            box = [[text], (text,), {"k": [text], "l": (text,)}, [[text]], [[text], [text, text], []], [1, [text]]]
            assert call(ocior.dumps, box, **keywords).value == json.dumps(box, **keywords)
            if "\ud800" not in text:
                assert ocior.dumps_to_bytes(box, **keywords) == json_to_bytes(box, **keywords)


def test_dicts_of_one_entry():
    """The same of dicts: every kind of key and of value, tables of every kind, with room left in the output and without."""

    def pruned(key, value):
        dict_ = {"gone": 1, key: value}
        del dict_["gone"]
        return dict_

    def attributes(key, value):
        plain = Plain()
        vars(plain).clear()
        vars(plain)[key] = value
        return vars(plain)

    texts = [
        "",
        "a",
        '"',
        "a" * 31,
        "a" * 32,
        "a" * 33,
        "a" * 32 + "\n",
        "\x7f",
        "\xe9",
        "\u0416" * 9,
        "\u4e2d",
        "\U0001f600",
        "\ud800",
        type("S", (str,), {})("s"),
    ]
    values = [
        *texts,
        0,
        -1,
        2**30,
        -(2**60) + 1,
        2**60,
        -(10**30),
        enum.IntEnum("E", {"A": 5}).A,
        True,
        False,
        None,
        1.5,
        -0.0,
        float("nan"),
        [],
        [1],
        (),
        {},
        {"b": 1},
        {"b": {"c": "d"}},
        frozen(b=1),
        object(),
    ]
    for key in [*texts, 1, None, 1.5]:
        for value in values if key in ("a", "a" * 32) else values[:20]:
            for made in ({key: value}, pruned(key, value), collections.OrderedDict({key: value})):
                for keywords in (
                    {},
                    {"ensure_ascii": False, "separators": (",", ":")},
                    {"separators": (", ", " : ")},
                    {"indent": 1},
                    {"sort_keys": True},
                    {"default": str},
                ):
                    same_dumps([made, "\u20ac", {"k": made, "l": made}], **keywords)
    for made in (attributes("a", "b"), attributes("a", 1), attributes("a", {"b": None})):
        same_dumps([made, {"a": made}])
    for length in [*range(0, 1100), *range(65_000, 65_600)]:
        value = ["x" * length, *[{"a" * 32: "b" * 32}] * 3, {"c" * 300: {"d": -5}}]
        assert ocior.dumps(value) == json.dumps(value)
        assert ocior.dumps_to_bytes(value) == json_to_bytes(value)


@pytest.mark.parametrize(
    "keywords",
    [
        {"separators": (",", ":")},
        {},
        {"indent": 2},
        {"indent": 0},
        {"indent": "\t"},
        {"indent": 33},
        {"indent": 9},
        {"indent": "\u4e2d"},
        {"separators": (" ; ", "=")},
    ],
    ids=str,
)
def test_runs_of_words(keywords):
    """true, false and null in a row are written by a loop of their own: with something else at every place, at any depth, where the output
    grows."""
    rng = random.Random(9)
    for length in (1, 2, 3, 9, 300, 5000):
        words = [rng.choice((True, False, None)) for _ in range(length)]
        for first in ([], ["\xe9"], ["\u4e2d"], ["\U0001f600"]):
            same_dumps(first + words, ensure_ascii=False, **keywords)
        same_dumps({"a": [[[[words]]], words], "b": None}, **keywords)
        for at in range(min(length, 9)):
            for one in (1, 1.5, "a", "\u4e2d", [], {}, [None], 10**30):
                same_dumps([words[:at] + [one] + words[at + 1 :]], ensure_ascii=False, **keywords)
    file = io.StringIO()
    ocior.dump([words] * 3, file, **keywords)
    assert file.getvalue() == json.dumps([words] * 3, **keywords)


class Text(str):
    pass


@pytest.mark.parametrize(
    "keywords",
    [
        {"separators": (",", ":")},
        {},
        {"ensure_ascii": False},
        {"ensure_ascii": False, "separators": (",", ":")},
        {"allow_nan": False},
        {"indent": 1},
        {"default": lambda value: ["shown", 1.5]},
        {"default": lambda value: "shown", "sort_keys": True},
    ],
    ids=str,
)
def test_rows(keywords):
    """Short lists of scalars in a list are written by a loop of their own: with something else at every place of one."""
    others = [1, -(2**70), 10**40, 1.5, math.nan, math.inf, True, None, "", "a", '"', "x" * 40, "x" * 300, "\n" * 300]
    others += ["\xe9", "\u0416" * 9, "\u4e2d" * 300, "\U0001f600", "\ud800", Text("a"), Text("\u4e2d"), Plain(), Point(1, "b")]
    others += [[], (), {}, [1], ["a"], ("b",), {"k": "v"}, [[]], [1.5] * 9]
    for length in (1, 2, 3, 8, 16, 17):
        for place in {0, 1, length // 2, length - 1} & {*range(length)}:
            for other in others:
                for filler in ("a", 1.5) if length != 3 else ("a", "\xe9", "\u4e2d", None, 7, 1.5):
                    odd = [filler] * place + [other] + [filler] * (length - place - 1)
                    derived = [Items("b"), Items(odd), Fixed(odd), {"k": Fixed(odd), "l": Items(odd)}, Items(), Fixed(), Point(1, "d")]
                    for rows in ([["b", 1], odd, ["c"] * length], (("b",), tuple(odd), odd, [1, None]), derived):
                        same_dumps(rows, types_only=True, **keywords)
    for depth in range(26, 38):
        nested = [["a", 1], ["b", ["c"], "d"]]
        for _ in range(depth):
            nested = [nested]
        same_dumps(nested, **keywords)
    for row in (["a"], ["a", 1], Items(["a", 1])):
        row.append(row)
        same_dumps([["b"], row], types_only=True, **keywords)
        same_dumps([row, row], types_only=True, **keywords)


@each_layout("compact", "json", "indent 1", "sorted")
def test_dicts_that_follow_each_other(keywords):
    """Behind a dict in a list or a tuple comes another one, of every kind, or anything else."""
    dicts = [
        {"a": 1},
        {},
        {"b": {"c": "\u4e2d"}},
        {"d": {}, "e": []},
        {"f": [{"g": 1.5}, {"h": None}]},
        {1: "i", None: 2},
        {"j" * 40: "k" * 400},
        collections.OrderedDict(l=1),
        type("D", (dict,), {})(m=1),
    ]
    others = [[], ["n", 1], "o", None, 7, 1.5, (), [{"p": 1}]]
    for first in dicts:
        for second in [*dicts, *others]:
            for third in (dicts[0], dicts[4], "q"):
                same_dumps([first, second, third], types_only=True, **keywords)
                same_dumps({"r": (first, second, third), "s": 1}, types_only=True, **keywords)
    for depth in range(26, 38):
        nested = [dicts[0], dicts[2], {"t": dicts}]
        for _ in range(depth):
            nested = [nested, dicts[0]]
        same_dumps(nested, types_only=True, **keywords)
    circle = {"u": 1}
    circle["v"] = [{"w": 1}, circle]
    same_dumps([{"x": 1}, circle], types_only=True, **keywords)
    same_dumps([{"x": 1}, {1j: 2}], types_only=True, **keywords)
    same_dumps([{"x": 1}, {"y": 1j}], types_only=True, **keywords)
