"""The text of dumps and dumps_to_bytes, while it grows and becomes wider: at every item, in rows and dicts, and from one call to the
next."""

import io
import json

import pytest
from dumps_values import Fixed, Items
from layouts import each_layout, layouts
from support import json_to_bytes

import ocior


def test_growth_of_the_output_at_every_step():
    """Every kind of item as the one that meets a full buffer: prefixes of all lengths before it."""
    tails = [
        "\x00" * 50,
        "\U0001f600" * 40,
        "a" * 200,
        -(2**63),
        1.7976931348623157e308,
        None,
        True,
        False,
        [],
        {},
        [[1]],
        {"k": -5e-324},
        {"\ud83d": 1},
        10**60,
        {10**30: 1.5},
        {1.5: {}},
        "",
        "\xe9" * 90,
    ]
    for length in [
        *range(0, 70),
        *range(100, 300, 7),
        *range(480, 540, 3),
        *range(1000, 1050, 5),
        *range(2030, 2060, 3),
        *range(4070, 4110, 3),
        *range(8180, 8200, 3),
        *range(16370, 16390, 3),
        *range(65500, 65540, 5),
    ]:
        for filler in ("a", "\xe9", "\u4e2d") if length < 5000 else ("a",):
            obj = ["x"]
            for tail in tails:
                obj = [filler * length, tail]
                assert ocior.dumps(obj) == json.dumps(obj)
                assert ocior.dumps(obj, ensure_ascii=False) == json.dumps(obj, ensure_ascii=False)
                if tail != {"\ud83d": 1}:
                    assert ocior.dumps_to_bytes(obj) == json_to_bytes(obj)


def test_widening_at_every_point():
    """Text turns wider in the middle of a document: before, inside and behind every kind of item."""
    wide = ["\xe9", "\u4e2d", "\U0001f600", "\x80\u0100\U00010000", "a\xe9", "a" * 40 + "\u4e2d", "\u4e2d" * 40 + "\U0001f600"]
    items = [1, 1.5, None, "abc", [1, 2], {"k": "v"}, [], {}, "x" * 100, "\n"]
    for first in wide:
        for second in wide + items:
            for item in items:
                for obj in (
                    [item, first, item, second, item],
                    {"k": item, first: second, "z": item},
                    [[[item, {"a": first}], second], {second if isinstance(second, str) else "q": first}],
                    {first: {"a": [item, second]}, "b": item},
                ):
                    for keywords in layouts("unescaped", "indent 1 unescaped"):
                        assert ocior.dumps(obj, **keywords) == json.dumps(obj, **keywords)
                    assert ocior.dumps_to_bytes(obj) == json_to_bytes(obj)
    for length in range(0, 200):
        obj = ["a" * length, "\xe9", "b" * length, "\u4e2d", "c" * length, "\U0001f600", length]
        assert ocior.dumps(obj, ensure_ascii=False) == json.dumps(obj, ensure_ascii=False)
        assert ocior.dumps(obj, ensure_ascii=False, indent=2) == json.dumps(obj, ensure_ascii=False, indent=2)
        assert ocior.dumps_to_bytes(obj) == json_to_bytes(obj)


def test_large_texts_of_other_kinds_one_after_the_other():
    """A large text begins in an object like that of the last one, and ends in one of its own kind."""
    documents = [
        ["a" * length, filler, "b" * 10] for length in (3_000, 9_000, 40_000, 300_000) for filler in ("a", "\xe9", "\u4e2d", "\U0001f600")
    ]
    expected = [json.dumps(document, ensure_ascii=False) for document in documents]
    for first in range(len(documents)):
        for second in range(len(documents)):
            for i in (first, second, second):
                text = ocior.dumps(documents[i], ensure_ascii=False)
                assert text == expected[i] and text.isascii() == expected[i].isascii()


@each_layout("compact", "json")
def test_rows_and_dicts_at_the_end_of_the_room(keywords):
    """The output grows, or a piece ends, between any two items of a row, and between dicts that follow each other."""
    tails = [
        ["a" * 32, "b" * 32, 1.5, -(2**60)],
        ["\x00" * 32, "c" * 250],
        ["\u4e2d" * 16, "\xe9" * 32],
        ["d", {"k": "\x01" * 40}],
        Fixed(("a" * 32, "\x00" * 32, "\u4e2d" * 16, -(2**60))),
        Items(["c" * 250, Fixed(["\xe9" * 32])]),
        {"a" * 32: "b" * 32, "\x00" * 32: -(2**60)},
        {"e": {"\u4e2d" * 16: "\xe9" * 32}},
    ]
    for tail in tails:
        for length in [*range(180, 560, 7), *range(16_000, 16_400, 7), *range(65_100, 65_600, 7)]:
            value = ["x" * length, tail, tail, tail]
            for more in layouts("json", "unescaped"):
                ocior.dumps([1])  # the next text does not begin in a block of the size of the last one
                assert ocior.dumps(value, **more, **keywords) == json.dumps(value, **more, **keywords)
            assert ocior.dumps_to_bytes(value) == json_to_bytes(value)
    rows = [["a" * (i % 50), i, None, i / 4] for i in range(9000)] + tails * 99
    file = io.StringIO()
    ocior.dump([rows, rows], file, **keywords)
    assert file.getvalue() == json.dumps([rows, rows], **keywords)
