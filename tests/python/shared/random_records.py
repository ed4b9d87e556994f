"""Random records for tables, as lines of JSON: each key has a shape of its own, of which some values are missing, null, or of another shape.

`document(random)` gives bytes. The text varies, too: white space, escapes in keys and strings, numbers in several notations, blank lines.
"""

import json

KEYS = [
    "a",
    "b",
    "id",
    "name",
    "x y",
    "caf\xe9",
    "\u4e2d\u6587",
    "\U0001f600",
    "",
    'quote"',
    "back\\slash",
    "new\nline",
    "a.b",
    "/",
    "A" * 40,
]
STRINGS = [
    "",
    "a",
    "null",
    "12",
    "2026-01-02T03:04:05Z",
    "caf\xe9",
    "\u4e2d",
    "\U0001f600",
    "\ufeff",
    "\x00",
    'q"',
    "\\",
    "line\nend",
    "x" * 70,
]
SMALL = [0, 1, -1, 7, 127, -128, 255, 2**31, -(2**31) - 1]
LARGE = [2**53, -(2**53), 2**53 + 1, 2**63 - 1, -(2**63), 2**62 + 1]
ABOVE = [2**63, 2**64 - 1, 2**63 + 2**40]
BEYOND = [2**64, -(2**63) - 1, 10**30, -(10**20)]
FLOATS = ["0.5", "-0.25", "1.0", "1e2", "-0.0", "3.14159", "1E+5", "2.5e-3", "1e400", "123456789.125", "NaN", "-Infinity"]


def document(random, row_count=None, is_mixed=True):
    """Lines of records. `is_mixed`: some keys have values of several kinds."""
    keys = random.sample(KEYS, random.randint(1, 6))
    shapes = {key: _shape(random, 3, is_mixed) for key in keys}
    presence = {key: random.choice([1, 1, 0.8, 0.3, 0.05]) for key in keys}
    lines = []
    for _ in range(random.randint(0, 40) if row_count is None else row_count):
        present = [key for key in keys if random.random() < presence[key]]
        if random.random() < 0.2:
            random.shuffle(present)
        lines.append(_space(random) + _object(random, [(key, shapes[key]) for key in present]) + random.choice(["", " ", "\r"]))
        if random.random() < 0.05:
            lines.append(random.choice(["", " ", "\r"]))
    text = "\n".join(lines) + random.choice(["", "\n", "\n\n"])
    return (random.choice(["", "", "\ufeff"]) + text).encode()


def _shape(random, depth, is_mixed):
    """A function that makes the text of a value."""
    null_share = random.choice([0, 0, 0.2, 1] if random.random() < 0.5 else [0.1])
    make = _bare_shape(random, depth, is_mixed)
    return lambda: "null" if random.random() < null_share else make()


def _bare_shape(random, depth, is_mixed):
    kinds = ["number"] * 3 + ["string"] * 2 + ["bool"] + (["list", "object"] * 2 if depth else []) + (["mixed"] if is_mixed else [])
    kind = random.choice(kinds)
    if kind == "number":
        return _numbers(random, is_mixed)
    if kind == "string":
        return lambda: _string(random, random.choice(STRINGS))
    if kind == "bool":
        return lambda: random.choice(["true", "false"])
    if kind == "list":
        item, most = _shape(random, depth - 1, is_mixed), random.choice([0, 1, 3, 10])
        return lambda: _array(random, [item() for _ in range(random.randint(0, most))])
    if kind == "object":
        fields = [(key, _shape(random, depth - 1, is_mixed)) for key in random.sample(KEYS, random.randint(0, 3))]
        return lambda: _object(random, [field for field in fields if random.random() < 0.8])
    shapes = [_shape(random, max(0, depth - 1), is_mixed) for _ in range(2)]
    shares = random.choice([0.5, 0.95])
    return lambda: shapes[random.random() > shares]()


def _numbers(random, is_mixed):
    pools = [SMALL, SMALL, SMALL + LARGE, FLOATS, SMALL + FLOATS, SMALL[:4] + ABOVE, ABOVE]
    if is_mixed:
        pools += [SMALL + ABOVE, LARGE + FLOATS, ABOVE + FLOATS, SMALL + BEYOND]
    pool = random.choice(pools)
    return lambda: str(random.choice(pool))


def _string(random, text):
    style = random.random()
    if style < 0.2:
        return json.dumps(text)
    if style < 0.3:
        units = text.encode("utf-16-be")
        return '"' + "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2)) + '"'
    return json.dumps(text, ensure_ascii=False)


def _object(random, fields):
    members = [f"{_space(random)}{_string(random, key)}{_space(random)}:{_space(random)}{shape()}{_space(random)}" for key, shape in fields]
    return "{" + (",".join(members) or _space(random)) + "}"


def _array(random, items):
    return "[" + (",".join(_space(random) + item + _space(random) for item in items) or _space(random)) + "]"


def _space(random):
    return random.choice(["", "", "", " ", "\t", "  \r"])
