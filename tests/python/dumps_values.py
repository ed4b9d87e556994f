"""What the tests of dumps and dumps_to_bytes share: a few values, in which each keyword that changes the text changes something."""

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
