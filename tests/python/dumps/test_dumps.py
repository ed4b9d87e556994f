"""What dumps and dumps_to_bytes make of every kind of object, alone and in others, and of values made at random: json's text, json's
refusals."""

import collections
import enum
import math
import random
import sys
import types

import pytest
from dumps_values import Plain, Point
from support import call, frozen, same_dumps

import ocior
import ocior.compat.orjson
import ocior.compat.ssrjson
import ocior.compat.ujson


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


@pytest.mark.parametrize("index", range(len(VALUES)), ids=lambda index: f"{index}-{type(VALUES[index]).__name__}")
def test_values(index):
    for keywords in KEYWORDS:
        if sys.version_info < (3, 13) and "indent" in keywords and isinstance(VALUES[index], (Odd, OddList, OddTuple)):
            continue  # until 3.12 Python code indents, which believes __len__ and __bool__, and writes no JSON where they are wrong
        same_dumps(VALUES[index], **keywords)
        same_dumps([VALUES[index]], **keywords)
        same_dumps({"key": VALUES[index], "more": [VALUES[index]]}, **keywords)


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
