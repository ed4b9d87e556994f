"""What dumps and dumps_to_bytes make of every kind of object: json's text, json's refusals."""

import collections
import enum
import io
import json
import math
import random
import sys
import types

import pytest
from support import assert_same, call, error_facts, frozen, json_to_bytes, same_dumps

import ocior
import ocior.compat.orjson
import ocior.compat.ssrjson
import ocior.compat.ujson

Point = collections.namedtuple("Point", "x y")


class Items(dict):
    """Says something else than it holds; json asks items()."""

    def items(self):
        return [("said", 1), ("instead", [2])]


class Odd(dict):
    def __iter__(self):
        return iter("zz")

    def keys(self):
        return ["zz"]

    def __getitem__(self, key):
        return "zz"

    def __len__(self):
        return 7

    def __bool__(self):
        return True


class FrozenItems(frozen):
    """Says something else than it holds."""

    def items(self):
        return [("said", 1), ("instead", frozen(a=2))]


class OddList(list):
    def __len__(self):
        return 7

    def __getitem__(self, index):
        return "zz"

    def __bool__(self):
        return True


class OddTuple(tuple):
    def __len__(self):
        return 7

    def __getitem__(self, index):
        return "zz"


class Plain:
    def __init__(self):
        self.a, self.b, self.c = 1, "two", [3]


class Slots:
    __slots__ = ("a",)


def split_table():
    objects = [Plain() for _ in range(3)]
    objects[1].d = 4
    del objects[2].a
    objects.append(Plain())
    objects[-1].__dict__["\u4e2d"] = 5
    return [vars(item) for item in objects]


def with_holes():
    value = {f"k{index}": index for index in range(50)}
    for index in range(0, 50, 3):
        del value[f"k{index}"]
    value["new"] = 1
    return value


def emptied():
    value = {f"k{index}": index for index in range(50)}
    for key in list(value):
        del value[key]
    return value


def only_the_last():
    value = {index: index for index in range(100)}
    for index in range(99):
        del value[index]
    return value


def popped_from_both_ends():
    value = collections.OrderedDict((f"k{index}", index) for index in range(20))
    value.popitem(last=False)
    value.move_to_end("k5")
    value.move_to_end("k7", last=False)
    return value


default_dict = collections.defaultdict(list, {"a": [1]})

VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    1.5,
    "",
    "a",
    [],
    (),
    {},
    [[]],
    [{}],
    {"a": {}},
    {"a": []},
    [[], {}],
    ((),),
    [None, True, False],
    (1, 2.5, "x"),
    {"a": 1, "b": [2, {"c": None}]},
    {"": ""},
    {1: 2, 2.5: 3, True: 4, None: 5, "x": 6},
    {False: 0},
    {-0.0: 1},
    {1e16: 1},
    {10**30: 1},
    {"a": {"b": {"c": {"d": [1, [2, [3]]]}}}},
    [[[[[]]]]],
    [1, [2, [3, [4, []], {}], {"a": []}]],
    Point(1, "y"),
    [Point([], {})],
    popped_from_both_ends(),
    collections.OrderedDict(b=1, a=2),
    default_dict,
    collections.Counter("abca"),
    Items(a=1),
    [Items(a=1)],
    Items(),
    Odd(a=1, b=2),
    Odd(),
    OddList([1, 2]),
    OddList(),
    OddTuple((1, 2)),
    OddTuple(),
    split_table(),
    with_holes(),
    emptied(),
    only_the_last(),
    vars(Plain()),
    list(range(2000)),
    ["x" * index for index in range(300)],
    {str(index): index for index in range(1000)},
    [[]] * 500,
    [{}] * 500,
    [{"a": 1}] * 300,
    ["\u4e2d", "a", "\U0001f600", "\xe9"] * 50,
    {"\u4e2d": {"\xe9": ["\U0001f600", "\ud800"]}},
    [1.5] * 1000,
    [True, None] * 700,
    [-1, 10**18, -(10**18), 2**64] * 100,
    "a" * 100_000,
    "\n" * 100_000,
    "\u4e2d" * 100_000,
    ["a" * 5000, "\u4e2d" * 5000, "\U0001f600" * 5000, "\xe9" * 5000],
    frozen(),
    frozen(b=1, a=[2, frozen(c={})]),
    [frozen({"\u4e2d": "\xe9"})] * 3,
    frozen({1: 2, 2.5: 3, None: 4}),
    frozen({(1, 2): 3}),
    frozen(a=object()),
    frozen({str(index): index for index in range(300)}),
    frozen(vars(Plain())),
    FrozenItems(a=1),
    FrozenItems(),
    # refused
    object,
    object(),
    b"bytes",
    bytearray(b"x"),
    {1, 2},
    frozenset(),
    range(3),
    1j,
    Slots,
    len,
    Ellipsis,
    NotImplemented,
    iter([]),
    {}.items(),
    {"a": 1}.keys(),
    types.MappingProxyType({"a": 1}),
    types.SimpleNamespace(a=1),
    collections.deque([1]),
    collections.UserDict(a=1),
    collections.ChainMap({}),
    memoryview(b"a"),
    [object()],
    {"a": b"x"},
    {"a": [1, {2, 3}]},
    {b"bytes": 1},
    {(1, 2): 3},
    {"a": 1, (): 2},
    {frozenset(): 1},
    [1, 2, {"x": {None: {object(): 1}}}],
    Exception("x"),
    enum.Enum("E", "A").A,
    [enum.Enum("E", "A").A],
]

KEYWORDS = [
    {},
    {"ensure_ascii": False},
    {"indent": 2},
    {"indent": 0, "ensure_ascii": False},
    {"indent": "\t", "separators": (";", "=")},
    {"separators": (",", ":")},
    {"sort_keys": True},
    {"skipkeys": True},
    {"skipkeys": True, "indent": 1},
    {"sort_keys": True, "skipkeys": True, "indent": 3},
    {"check_circular": False},
    {"allow_nan": False},
    {"default": str},
    {"default": lambda obj: [type(obj).__name__, {"n": 1}], "indent": 1},
    {"default": lambda obj: None, "sort_keys": True},
]


def stable(value):
    return value if not hasattr(value, "__next__") else None


@pytest.mark.parametrize("index", range(len(VALUES)), ids=lambda index: f"{index}-{type(VALUES[index]).__name__}")
def test_values(index):
    for keywords in KEYWORDS:
        if sys.version_info < (3, 13) and "indent" in keywords and isinstance(VALUES[index], (Odd, OddList, OddTuple)):
            continue  # until 3.12 Python code indents, which believes __len__ and __bool__, and writes no JSON where they are wrong
        same_dumps(VALUES[index], **keywords)
        same_dumps([VALUES[index]], **keywords)
        same_dumps({"key": VALUES[index], "more": [VALUES[index]]}, **keywords)


def test_lists_of_one_string():
    """In lists and dicts, of every length and width, plain and with something to escape; among others, and nested."""
    for filler in ("a", "\xe9", "\u0416", "\u4e2d", "\U0001f600", "\u0416\u4e2d", "a\u0416"):
        for length in range(70):
            for text in (filler * length, filler * length + '"', "\n" + filler * length, filler * length + "\ud800"):
                box = [[text], (text,), {"k": [text], "l": (text,)}, [[text]], [[text], [text, text], []], [1, [text]]]
                for keywords in ({}, {"ensure_ascii": False}, {"ensure_ascii": False, "separators": (",", ":")}, {"indent": 1}):
                    assert call(ocior.dumps, box, **keywords).value == json.dumps(box, **keywords)
                    if "\ud800" not in text:
                        assert ocior.dumps_to_bytes(box, **keywords) == json_to_bytes(box, **keywords)


LONE_ROADS = {
    "to str": lambda value: ocior.dumps(value),
    "unescaped": lambda value: ocior.dumps(value, ensure_ascii=False, separators=(",", ":")),
    "to bytes": lambda value: ocior.dumps_to_bytes(value),
    "in lines": lambda value: ocior.dumps(value, indent=1),
    "sorted": lambda value: ocior.dumps(value, sort_keys=True, default=str),
    "own separators": lambda value: ocior.dumps(value, separators=("\u4e2d", "\xe9"), ensure_ascii=False),
    "rich": lambda value: ocior.dumps_to_bytes(value, default=ocior.Default()),
    "escaped": lambda value: ocior.dumps(value, default=ocior.Default(html_safe=True, escape_slashes=True)),
    "canonical": lambda value: ocior.dumps_to_bytes(value, default=ocior.Default(canonical=True)),
    "by policies": lambda value: ocior.dumps(value, default=ocior.Default(big_integers="str", integer_bits=53, non_finite="null")),
    "orjson": lambda value: ocior.compat.orjson.dumps(value),
    "orjson, strict": lambda value: ocior.compat.orjson.dumps(value, option=ocior.compat.orjson.OPT_STRICT_INTEGER),
    "ssrjson": lambda value: ocior.compat.ssrjson.dumps(value),
    "ujson": lambda value: ocior.compat.ujson.dumps(value),
    "ujson, slashes": lambda value: ocior.compat.ujson.dumps(value, escape_forward_slashes=False, ensure_ascii=False),
}


@pytest.mark.parametrize("road", LONE_ROADS)
def test_lone_scalars(road):
    """A scalar that is the whole document has the text that it has in a list."""
    encode = LONE_ROADS[road]
    texts = ["a", "a" * 14, "a" * 15, "a" * 16, "a" * 17, "a" * 31, "a" * 32, "a" * 33, '"', "a\n", "\x7f", "\xe9", "\u4e2d", "</&>"]
    integers = [0, 9, 10, 2**30 - 1, 2**30, 2**53 - 1, 2**53, 2**60, 2**63, 2**64, 10**40]
    floats = [0.0, 1.5, 0.1, 1e-5, 1e-7, 1e16, 1e22, 1e300, 5e-324, 2.0**70, math.pi, math.inf, math.nan]
    numbers = [*integers, *floats, *(-number for number in integers + floats)]
    others = [type("S", (str,), {})("s"), type("I", (int,), {})(5), type("F", (float,), {})(2.5), True, None]
    for value in [*texts, *numbers, *others]:
        alone, listed = call(encode, value), call(encode, [value])
        if alone.error or listed.error:
            assert type(alone.error) is type(listed.error) and str(alone.error) == str(listed.error)
        else:
            assert alone.value == listed.value.strip()[1:-1].strip() and type(alone.value) is type(listed.value)


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
                    for keywords in ({"ensure_ascii": False}, {"ensure_ascii": False, "indent": 1}):
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


def test_random_values():
    source = random.Random(11)

    def value(depth):
        kind = source.randrange(12 if depth else 9)
        if kind < 2:
            return source.choice([None, True, False, 0, -1, source.getrandbits(source.randrange(1, 80)), -source.getrandbits(40)])
        if kind < 4:
            return source.choice(
                [source.random(), source.uniform(-1e9, 1e9), 10.0 ** source.randrange(-320, 308), float(source.randrange(100))]
            )
        if kind < 9:
            return "".join(
                source.choice('abcdefgh "\\\n\t/\x7f\xe9\u4e2d\U0001f600') if source.random() < 0.3 else "x"
                for _ in range(source.randrange(40))
            )
        if kind < 11:
            return [value(depth - 1) for _ in range(source.randrange(8))]
        return {
            source.choice([value(0), source.randrange(100), "k"]) if source.random() < 0.2 else f"k{index}": value(depth - 1)
            for index in range(source.randrange(8))
        }

    for _ in range(1500):
        obj = value(4)
        same_dumps(obj)
        same_dumps(obj, ensure_ascii=False, indent=source.choice([None, 0, 1, 2, 5]))


def test_unknown_things_name_their_class():
    for obj in (object(), b"x", {1}, Plain()):
        ours, theirs = call(ocior.dumps, [obj]), call(json.dumps, [obj])
        assert str(ours.error) == str(theirs.error) and type(obj).__name__ in str(ours.error)


def test_error_notes_tell_where():
    """Notes on errors ("when serializing list item 0"): as json gives them since 3.14, and as it would since 3.11."""

    def fail(obj):
        raise ZeroDivisionError("x")

    for obj in (
        [object()],
        {"a": object()},
        {"a": [1, {2: object()}]},
        (1, (object(),)),
        object(),
        [float("nan")],
        [["a"], ["b", "c", object(), "d"]],
        [("a", "b", float("nan"))],
        {"a": float("nan")},
        {float("nan"): 1},
        {b"x": 1},
        [{(): 1}],
        [1, [10**5000]],
    ):
        for keywords in ({}, {"default": lambda value: [b"x"]}, {"default": fail}, {"allow_nan": False}, {"indent": 1}):
            for function, oracle in ((ocior.dumps, json.dumps), (ocior.dumps_to_bytes, json_to_bytes)):
                ours, theirs = call(function, obj, **keywords), call(oracle, obj, **keywords)
                notes = getattr(ours.error, "__notes__", None)
                if sys.version_info >= (3, 14):
                    assert notes == getattr(theirs.error, "__notes__", None)
                elif sys.version_info >= (3, 11):
                    assert all(note.startswith("when serializing ") for note in notes or [])
    if sys.version_info >= (3, 11):
        deep = object()
        for _ in range(3000):
            deep = [deep]
        assert len(call(ocior.dumps, deep).error.__notes__) == (3000 if sys.version_info >= (3, 14) else 1024)
        ours = call(ocior.dumps, {"a": [1, (True, object())]})
        assert ours.error.__notes__ == ["when serializing tuple item 1", "when serializing list item 1", "when serializing dict item 'a'"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes since 3.11")
def test_errors_while_a_note_is_made():
    """A key's repr may raise. Since 3.14 that is told, as by json; before, where json makes no notes, only what is to end the program.
    json's encoder in Python asks the exception's own add_note, too."""

    class Key(str):
        def __repr__(self):
            raise failing

    class NoNotes(Exception):
        def add_note(self, note):
            raise failing

    def fail(obj):
        raise NoNotes

    def error_of(encode, obj):
        nonlocal failing
        failing = failure(1)
        try:
            encode(obj)
        except BaseException as error:
            return error

    def roads(module):
        return (
            module.dumps,
            lambda obj: module.dumps(obj, indent=1),
            lambda obj: list(module.JSONEncoder().iterencode(obj)),
            lambda obj: module.dumps(obj, default=fail),
            lambda obj: list(module.JSONEncoder(default=fail).iterencode(obj)),
        )

    failing = None
    for failure in (RuntimeError, KeyboardInterrupt, SystemExit):
        for encode, encode_by_json in zip(roads(ocior), roads(json)):
            for obj in ([{Key("a"): 1j}], [{Key("a"): [1j]}], [{"a": 1j}]):
                ours, theirs = error_of(encode, obj), error_of(encode_by_json, obj)
                if sys.version_info < (3, 14) and issubclass(failure, Exception):
                    assert error_facts(ours) == error_facts(theirs)
                elif sys.version_info < (3, 14):
                    ends = type(next(iter(obj[0]))) is Key
                    assert type(ours) is (failure if ends else type(theirs))
                    assert error_facts(ours.__context__ if ends else ours) == error_facts(theirs)
                else:
                    assert error_facts(ours) == error_facts(theirs)
                    assert getattr(ours, "__notes__", None) == getattr(theirs, "__notes__", None)
                    assert ours.__context__ is theirs.__context__ or error_facts(ours.__context__) == error_facts(theirs.__context__)


class Strange(list):
    """Subclasses that override iteration: json's C encoder takes the storage, its Python one the iterator."""

    def __iter__(self):
        return iter(["iterated"])


@pytest.mark.parametrize("keywords", [{}, {"indent": 1}, {"ensure_ascii": False}])
def test_list_subclass_with_its_own_iterator(keywords):
    obj = Strange([1, 2])
    assert_same(call(ocior.dumps, obj, **keywords), call(json.dumps, obj, **keywords), f"{keywords}")


@pytest.mark.parametrize("base", [list, tuple])
def test_sequences_that_are_hard_to_iterate_over(base):
    """json neither asks for the length of a subclass nor says why one cannot be iterated over."""

    def fail(self):
        raise ZeroDivisionError("own")

    def refuse(self):
        raise TypeError("own")

    for methods in (
        {"__iter__": None},
        {"__iter__": fail},
        {"__iter__": refuse},
        {"__iter__": lambda self: 5},
        {"__len__": fail},
        {"__len__": refuse},
        {"__length_hint__": fail},
    ):
        made = type("Hard", (base,), methods)((1, [2]))
        for keywords in ({}, {"ensure_ascii": False}, {"indent": 1}):
            for box in (made, [made], {"a": made}):
                same_dumps(box, **keywords)


class BadItems(dict):
    def __init__(self, answer, **keywords):
        super().__init__(**keywords)
        self.answer = answer

    def items(self):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [("a", 1)],
        (("a", 1),),
        iter([("a", 1)]),
        [["a", 1]],
        ["ab"],
        [("a",)],
        [("a", 1, 2)],
        [1],
        5,
        None,
        "ab",
        {"ab": 1},
        [("a", 1), None],
        ValueError("x"),
    ],
    ids=repr,
)
def test_strange_items(answer):
    for keywords in ({}, {"sort_keys": True}):
        for function in (ocior.dumps, ocior.dumps_to_bytes):
            if hasattr(answer, "__next__"):
                answer = [("a", 1)]
            ours, theirs = call(function, BadItems(answer, k=1), **keywords), call(json.dumps, BadItems(answer, k=1), **keywords)
            assert (ours.error is None) == (theirs.error is None), (ours, theirs)
            if theirs.error is None:
                assert json.loads(ours.value) == json.loads(theirs.value)
            else:
                assert type(ours.error) is type(theirs.error)


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


class Items(list):
    pass


class Fixed(tuple):
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


@pytest.mark.parametrize("keywords", [{"separators": (",", ":")}, {}, {"indent": 1}, {"sort_keys": True}], ids=str)
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


@pytest.mark.parametrize("keywords", [{"separators": (",", ":")}, {}, {"indent": 1}, {"separators": (" , ", " : ")}], ids=str)
def test_dicts_whose_keys_are_no_str(keywords):
    """Read where they lie, with gaps, and more often than once where the text becomes wider, or a piece ends."""
    rng = random.Random(8)
    keys = [*range(-5, 5), 10**9, -(2**53), 2**60, 2**62, -(2**64), 10**30, 1.5, float("inf"), True, False, None, "a", "\xe9" * 40]
    values = [0, "b", "\u4e2d", None, True, -1.5, 10**30, [], {}, [1, {2: 3}], {4: [5]}, {"c": {6: "\U0001f600"}}]
    for _ in range(150):
        value = {rng.choice(keys): rng.choice(values) for _ in range(rng.randrange(1, 40))}
        for key in rng.sample(list(value), rng.randrange(len(value))):
            del value[key]
        value["last"] = value.get(True)
        same_dumps(value, **keywords)
        same_dumps([value, {7: value}], ensure_ascii=False, **keywords)
    large = {index: rng.choice(values) for index in range(20_000)}
    for index in rng.sample(range(20_000), 7_000):
        del large[index]
    file = io.StringIO()
    ocior.dump({1: large, "2": large}, file, **keywords)
    assert file.getvalue() == json.dumps({1: large, "2": large}, **keywords)

    def edited_meanwhile(dumps, length):
        edited = {index: 1j if index == 3 else index for index in range(length)}

        def shrink(value):
            for key in list(edited)[5:]:
                del edited[key]

        return call(dumps, edited, default=shrink, **keywords)

    for length in (6, 50):
        ours, theirs = edited_meanwhile(ocior.dumps, length), edited_meanwhile(json.dumps, length)
        if sys.version_info >= (3, 13):  # before, json may have taken all items at once
            assert (ours.value, type(ours.error)) == (theirs.value, type(theirs.error))


@pytest.mark.parametrize("keywords", [{"separators": (",", ":")}, {}, {"indent": 1}, {"ensure_ascii": False}], ids=str)
def test_runs_of_subclasses_of_str_and_int(keywords):
    """Of one class and of several, short and long, narrow and wide, with what ends such a run."""

    class Text(str):
        def __str__(self):
            return "other"

    class Number(int):
        def __repr__(self):
            return "other"

    class Level(enum.IntEnum):
        LOW = -1
        HIGH = 2**70

    class Color(str, enum.Enum):
        RED = "red"
        WIDE = "\u4e2d"

    rng = random.Random(9)
    values = [
        *(Text("a"), Text(""), Text("\xe9" * 20), Text("\u4e2d"), Text("\U0001f600"), Text('"\\\n' * 9), Text("b" * 3000)),
        *(Number(0), Number(-5), Number(2**63), Number(10**40), Level.LOW, Level.HIGH, Color.RED, Color.WIDE),
        *("a", 1, None, True, 10**40, 1.5, [], {}, [Number(1)], {"k": Text("c")}, (Level.LOW, Color.WIDE)),
    ]
    for count in (1, 2, 5, 30, 400):
        for few in (1, 2, len(values)):
            for _ in range(5):
                some = rng.sample(values, few)
                items = [rng.choice(some) for _ in range(count)]
                same_dumps(items, **keywords)
                same_dumps({"a": items, "b": dict(enumerate(items))}, **keywords)
    huge = [Text("x" * 200_000), Text("\u4e2d" * 100_000), Number(3)]
    same_dumps(huge, **keywords)
    for broken, error in (([Text("a"), Text("\ud800")], UnicodeEncodeError), ([Number(1), 1j], TypeError)):
        assert type(call(ocior.dumps_to_bytes, broken).error) is error


@pytest.mark.parametrize("keywords", [{"separators": (",", ":")}, {}], ids=str)
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
            for more in ({}, {"ensure_ascii": False}):
                ocior.dumps([1])  # the next text does not begin in a block of the size of the last one
                assert ocior.dumps(value, **more, **keywords) == json.dumps(value, **more, **keywords)
            assert ocior.dumps_to_bytes(value) == json_to_bytes(value)
    rows = [["a" * (i % 50), i, None, i / 4] for i in range(9000)] + tails * 99
    file = io.StringIO()
    ocior.dump([rows, rows], file, **keywords)
    assert file.getvalue() == json.dumps([rows, rows], **keywords)
