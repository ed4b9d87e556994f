"""Random values, keywords and damaged documents for the fuzzer: much faster than a library's, and repeatable by the seed."""

import builtins
import random
import struct
import sys

ALPHABETS = [
    "abcdefghijklmnop",
    'ab"\\\n\t/\x00\x1f\x7f',
    "abc\xe9\xff\x80",
    "\u4e2d\u6587\u65e5\u0416\u07ff\u0800",
    "\U0001f600\U00010000\U0010ffff\u4e2da",
    '\xe9"\\\n',
    '\u4e2d\\"\x01',
    "a\u0416\u4e2d\U0001f600\xe9\n",
    "ab\ud800\udc00\udbff\udfff",
]
KEYS = [
    "id",
    "name",
    "value",
    "type",
    "x",
    "y",
    "",
    "created_at",
    "k" * 31,
    "k" * 32,
    "k" * 63,
    "k" * 64,
    "k" * 70,
    "\u4e2d\u6587",
    "\xe9t\xe9",
    "\U0001f600",
    "a\nb",
    'q"',
]
HOSTILE = [
    b'"',
    b"\\",
    b",",
    b"]",
    b"}",
    b"[",
    b"{",
    b":",
    b"\x00",
    b"\n",
    b"\x80",
    b"\xff",
    b"\xc3",
    b"\xe4\xb8",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\\u",
    b"\\ud83d",
    b"\\udc00",
    b"\\n",
    b"1",
    b"-",
    b".",
    b"e",
    b"E+",
    b"0",
    b"nul",
    b"true",
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b" ",
    b" " * 40,
    b"\t\r\n ",
    b"a" * 64,
    b"\xef\xbb\xbf",
    b"\xc3\xa9" * 20,
    b"\xe4\xb8\xad" * 20,
    b"\xf0\x9f\x98\x80" * 9,
    b"123456789012345678901234567890",
    b"0.1e-5",
    b"\x01",
    b"\x1f",
    b"/",
    b"'",
    b"\xc0\x80",
    b"\xf4\x90\x80\x80",
    b"9" * 4400,
]
NUMBERS = [0.0, -0.0, 1e16, 1e-5, 5e-324, 1.7976931348623157e308, 2**63, -(2**63), 2**64, float("nan"), float("inf"), -float("inf")]
INDENTS = [None, 0, 1, 2, 4, 9, -1, "", "\t", "\xe9", "\u4e2d", "\U0001f600", '"', "ab" * 20]
SEPARATORS = [None, (",", ":"), (", ", ": "), ("", ""), ("\n,", "\t"), ("\u4e2d", "\xe9"), ("\U0001f600", "="), (";" * 40, ":" * 33)]
DEFAULTS = [lambda obj: "\u4e2d", lambda obj: [1, {"a": None}], lambda obj: 5]
DECODE_CHOICES = {
    "object_hook": (len, lambda obj: obj, lambda obj: list(obj)),
    "object_pairs_hook": (len, list, tuple),
    "parse_float": (str, float, len),
    "parse_int": (str, int, float),
    "parse_constant": (str, len),
    "strict": (True, False),
}
if sys.version_info >= (3, 15):
    DECODE_CHOICES["array_hook"] = (len, tuple, lambda items: items)


class Text(str):
    """Subclasses of the plain types, with words of their own that json does not use."""

    def __str__(self):
        return "another text"


class Whole(int):
    def __repr__(self):
        return "another number"


class Real(float):
    def __repr__(self):
        return "another number"


class Items(list):
    pass


class Members(dict):
    pass


FROZEN_DICT = getattr(builtins, "frozendict", dict)  # since Python 3.15


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self.below = self.random.randrange

    def text(self):
        below = self.below
        length = below(12) if below(3) else below(40) if below(4) else below(300)
        if below(4) == 0:
            return self.pick(self.pick(ALPHABETS)) * length
        main = self.pick(ALPHABETS[0] if below(2) else self.pick(ALPHABETS))
        if below(3):
            units = [main] * length
            for _ in range(below(4)):
                if length:
                    units[below(length)] = self.pick(self.pick(ALPHABETS))
            return "".join(units)
        return "".join(self.random.choices(self.pick(ALPHABETS), k=length))

    def number(self):
        below = self.below
        kind = below(8)
        if kind < 3:
            return below(-300, 300)
        if kind == 3:
            return (self.random.getrandbits(below(1, 140))) * self.pick((1, -1))
        if kind == 4:
            return struct.unpack("<d", self.random.getrandbits(64).to_bytes(8, "little"))[0]
        if kind == 5:
            return round(self.random.uniform(-1000, 1000), below(8))
        if kind == 6:
            return float(self.random.getrandbits(below(1, 64))) * 10.0 ** below(-30, 30)
        return self.pick(NUMBERS) if below(4) == 0 else self.random.random()

    def key(self):
        below = self.below
        if below(12):
            return self.pick(KEYS) if below(3) else self.text()
        return self.pick((None, True, False, self.number(), below(100), (1,) if below(8) == 0 else "x", Text("key"), Whole(7)))

    def value(self, depth):
        below = self.below
        kind = below(10 if depth > 0 else 6)
        if kind < 2:
            return self.number()
        if kind < 4:
            return self.text()
        if kind < 5:
            return self.pick((None, True, False))
        if kind == 5:
            return self.pick((None, "", [], {}, (), object() if below(40) == 0 else 1, "x")) if below(8) else self.relative()
        if kind < 8:
            size = below(6) if below(8) else below(40)
            if below(3) == 0:
                names = [self.key() for _ in range(below(6))]
                return [{name: self.value(depth - 2) for name in names if below(12)} for _ in range(size)]
            items = [self.value(depth - 1) for _ in range(size)]
            return tuple(items) if below(8) == 0 else items
        members = {self.key(): self.value(depth - 1) for _ in range(below(6) if below(8) else below(40))}
        if below(20) == 0:
            return Members(members)
        return FROZEN_DICT(members) if below(20) == 0 else members

    def relative(self):
        """A value of a type derived from json's."""
        return self.pick((Text(self.text()), Whole(self.below(-9, 999)), Real(self.random.random()), Items([self.value(1)])))

    def circle(self, value):
        """A list that is its own grandchild."""
        circle = [value, {self.key(): None}]
        circle[1][self.key()] = circle
        return circle

    def encode_keywords(self):
        below, keywords = self.below, {}
        if below(3) == 0:
            return keywords
        if below(2):
            keywords["ensure_ascii"] = below(3) == 0
        if below(3) == 0:
            keywords["indent"] = self.pick(INDENTS)
        if below(4) == 0:
            keywords["separators"] = self.pick(SEPARATORS)
        for name in ("skipkeys", "sort_keys", "check_circular", "allow_nan"):
            if below(6) == 0:
                keywords[name] = self.pick((True, False))
        if below(8) == 0:
            keywords["default"] = self.pick(DEFAULTS)
        return keywords

    def decode_keywords(self):
        if self.below(3):
            return {}
        return {name: self.pick(choices) for name, choices in DECODE_CHOICES.items() if self.below(3) == 0}

    def place(self, size):
        """Mostly a place in a text of that size, sometimes one before or behind it."""
        return self.below(size + 1) if self.below(8) else self.below(-3, size + 4)

    def damage(self, raw):
        raw, below = bytearray(raw), self.below
        for _ in range(1 + (below(3) == 0) * below(5)):
            place = below(len(raw) + 1)
            kind = below(6)
            if kind == 0:
                del raw[place : place + 1 + (below(4) == 0) * below(40)]
            elif kind == 1:
                raw[place:place] = self.pick(HOSTILE)
            elif kind == 2:
                piece = self.pick(HOSTILE)
                raw[place : place + len(piece)] = piece
            elif kind == 3 and raw:
                raw[place % len(raw)] = below(256)
            elif kind == 4:
                del raw[place:]
            else:
                other = below(len(raw) + 1)
                raw[place:place] = raw[other : other + below(30)]
        return bytes(raw)
