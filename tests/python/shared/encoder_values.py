"""What the tests of encoders share: values and keywords of every kind, and a class derived from ocior's encoder as another is from json's."""

import collections
import json

import ocior

VALUES = [
    None,
    True,
    1,
    -5,
    2**70,
    1.5,
    1e300,
    float("nan"),
    "",
    'a"\n\x00\xe9\u4e2d\U0001f600',
    [],
    {},
    (),
    [[]],
    [{}],
    {"a": []},
    {"a": {}},
    [1, [2, [3]]],
    {"b": 1, "a": {"d": 2, "c": [None, True]}},
    {1: 2, None: 3, 1.5: 4, True: 5},
    collections.OrderedDict(b=1, a=2),
    ["x" * 5000, "\u4e2d" * 3000, "\xe9\n" * 2000],
    {"k" * 3000: "v" * 3000},
    list(range(2000)),
    [{"id": i, "t": (i, "\u4e2d")} for i in range(400)],
    object(),
    [object()],
    {"a": object()},
    {(): 1},
    {b"x": 1, "a": 2},
    [1, {"a": {1, 2}}],
]
KEYWORDS = [
    {},
    {"ensure_ascii": False},
    {"indent": 2},
    {"indent": "\t", "ensure_ascii": False},
    {"indent": 0},
    {"separators": (",", ":")},
    {"separators": ("\u4e2d", "\xe9")},
    {"indent": 1, "separators": (" ;", "=")},
    {"sort_keys": True},
    {"skipkeys": True},
    {"check_circular": False},
    {"allow_nan": False},
    {"default": repr},
    {"default": lambda o: [o.__class__.__name__]},
    {"separators": [",", ":"]},
]


class Defaulting:
    """What a user's subclass overrides most: default() alone."""

    def default(self, o):
        if isinstance(o, set):
            return sorted(o)
        if type(o) is object:
            return {"object": True}
        return super().default(o)


class Ours(Defaulting, ocior.JSONEncoder):
    pass


class Theirs(Defaulting, json.JSONEncoder):
    pass
