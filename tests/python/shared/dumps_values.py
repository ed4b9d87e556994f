"""What the tests of dumps and dumps_to_bytes share: a few values, in which each keyword that changes the text changes something, and
classes of lists, tuples and objects."""

import collections

SAMPLES = [
    1,
    "a\u4e2d\n",
    [],
    {},
    [1],
    {"a": 1},
    [1, [2, {"b": [], "a": {}}], "\xe9"],
    {"b": [1, 2, {"x": "\U0001f600"}], "a": {"d": None, "c": 1.5}},
    [[], {}, [[]], {"": {}}],
]

Point = collections.namedtuple("Point", "x y")


class Plain:
    def __init__(self):
        self.a, self.b, self.c = 1, "two", [3]


class Items(list):
    pass


class Fixed(tuple):
    pass
