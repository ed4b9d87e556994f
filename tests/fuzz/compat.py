#!/usr/bin/env python3
"""Differential fuzzing of ocior.compat: random values, options and documents, each module against the library whose name it has.

usage: python tests/fuzz/compat.py [COUNT [SEED]] [--library orjson|ujson|ssrjson]     e.g. compat.py 60000 7

One round dumps one value and loads a document, whole and damaged, for each library that is installed. What docs/migrating.md says of
another result is left out by name (`documented`), and so is what crashes the library or is no JSON. A failure prints the round's seed,
and `compat.py 1 SEED` repeats it.
"""

import argparse
import collections
import dataclasses
import datetime
import decimal
import enum
import faulthandler
import functools
import importlib
import json
import os
import random
import sys
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "python", "shared")]

from generator import Generator, Items, Members, Real, Text, Whole  # noqa: E402
from support import call  # noqa: E402

MOST_FAILURES = 20
UTC = datetime.timezone.utc
ZONES = [None, UTC, *(datetime.timezone(datetime.timedelta(minutes=minutes)) for minutes in (60, -330, 345))]


class Kind(enum.Enum):
    WORD = "x"
    HALF = 0.5
    NONE = None
    LIST = [1, "a"]  # noqa: RUF012, an enum may hold one
    NUMBER = 7


class Number(enum.IntEnum):
    ONE = 1


class Word(str, enum.Enum):
    HELLO = "hello"


class Shown:
    def __repr__(self):
        return f"{type(self).__name__}({getattr(self, '__dict__', '')}, {[getattr(self, name, '-') for name in ('b', 'a')]})"


@dataclasses.dataclass(repr=False)
class Point(Shown):
    x: object
    y: object = 2
    _hidden: object = 3


@dataclasses.dataclass(repr=False)
class Late(Shown):
    """A dataclass with fields that its __dict__ holds late, or never."""

    total: object = dataclasses.field(init=False)
    name: object = None
    size: object = dataclasses.field(default=4, init=False)


@dataclasses.dataclass(repr=False)
class Slots:
    __slots__ = ("b", "a")
    b: object
    a: object
    __repr__ = Shown.__repr__


@dataclasses.dataclass(repr=False)
class SlotsBelow(Slots):
    """Its __dict__ holds one field, and the other two lie in slots."""

    c: object = 1


@dataclasses.dataclass(frozen=True)
class Empty:
    pass


class Unknown:
    def __repr__(self):
        return "<unknown>"


class AsDict(Shown):
    def __init__(self, value):
        self.value = value

    def toDict(self):  # noqa: N802, ujson's name
        return self.value


Named = collections.namedtuple("Named", "a b")


def hook(value):
    if isinstance(value, (set, bytes, decimal.Decimal)):
        return repr(value)
    return {"/": "\xe9"} if isinstance(value, Unknown) else value


class Values(Generator):
    """Values of the types that a library knows, and some that it does not."""

    names = ("a", "b", "x", "y", "_private", "total", "\xe9", "new_name")

    def options(self):
        raise NotImplementedError

    def scalar(self):
        raise NotImplementedError

    def plain(self):
        return self.pick((self.number, self.text, self.text, lambda: self.pick((None, True, False))))()

    def value(self, depth):
        below = self.below
        if depth <= 0 or below(3) == 0:
            return self.scalar() if below(3) == 0 else self.plain()
        size = below(5) if below(8) else below(40)
        kind = below(5)
        if kind == 0:
            return self.container([self.value(depth - 1) for _ in range(size)])
        if kind == 1:
            return self.pick((list, list, tuple, Items))([self.value(depth - 1) for _ in range(size)])
        members = {self.key(): self.value(depth - 1) for _ in range(size)}
        return Members(members) if below(8) == 0 else members

    def container(self, items):
        return items

    def attributes(self, item):
        """The same object with other attributes, in another order."""
        for _ in range(self.below(3)):
            name = self.pick(self.names)
            if self.below(2) or name not in vars(item):
                setattr(item, name, self.plain())
            else:
                delattr(item, name)
        return item


class OrjsonValues(Values):
    def scalar(self):
        return self.pick((
            self.moment, lambda: self.moment().date(), lambda: self.moment().time(), lambda: uuid.UUID(int=self.random.getrandbits(128)),
            lambda: self.pick((*Kind, Number.ONE, Word.HELLO)), lambda: Text(self.text()), lambda: Whole(self.below(-9, 999)),
            lambda: self.pick((Real(1.5), datetime.timedelta(1), b"x", Unknown(), {1}, decimal.Decimal("1.5"))),
            lambda: self.attributes(Point(self.plain(), self.plain())), lambda: self.attributes(Late(self.plain())), Empty,
            lambda: Slots(self.plain(), self.plain()), lambda: self.attributes(SlotsBelow(self.plain(), self.plain(), self.plain())),
        ))()  # fmt: skip

    def container(self, items):
        return self.pick((
            lambda: self.attributes(Point(items)), lambda: self.attributes(Late(items)), lambda: Slots(items, {"k": items}),
            lambda: [self.attributes(Point(item)) for item in items], lambda: Named(1, items),
            lambda: {"k": [self.attributes(SlotsBelow(1, 2, item)) for item in items]},
        ))()  # fmt: skip

    def moment(self):
        below = self.below
        clock = below(24), below(60), below(60), self.pick((0, 1, 100, 123456, 999999))
        return datetime.datetime(self.pick((1, 999, 1970, 2024, 9998)), below(1, 13), below(1, 29), *clock, tzinfo=self.pick(ZONES))

    def key(self):
        if self.below(60):
            return self.text()
        return self.pick((self.number, self.moment, lambda: self.pick((None, True, Kind.WORD, Number.ONE, Text("x"), (1,), b"k"))))()

    def options(self):
        option = sum((self.below(5) == 0) << bit for bit in range(12))
        return {"option": option, **({"default": hook} if self.below(2) else {})}


class UjsonValues(Values):
    def scalar(self):
        return self.pick((
            lambda: Text(self.text()), lambda: Whole(self.below(-9, 999)),
            lambda: self.pick((Real(1.5), Number.ONE, Kind.WORD, Unknown(), {1}, decimal.Decimal("1.50"))),
            lambda: self.text().encode(errors="surrogatepass"), lambda: AsDict({self.text(): self.plain()}),
        ))()  # fmt: skip

    def container(self, items):
        return self.pick((lambda: Named(1, items), lambda: collections.OrderedDict(b=items, a=1), lambda: AsDict({"a": items})))()

    def key(self):
        if self.below(8):
            return self.text()
        return self.pick((self.number, lambda: self.pick((None, True, Kind.WORD, Number.ONE, Text("/"), (1, "/\x7f"), b"x/", Real(1.5)))))()

    def options(self):
        names = ("ensure_ascii", "encode_html_chars", "escape_forward_slashes", "sort_keys", "allow_nan", "reject_bytes")
        options = {name: self.pick((True, False)) for name in names if self.below(3) == 0}
        if self.below(3) == 0:
            options["indent"] = self.pick((0, 1, 2, 4, -1, 70))
        if self.below(2):
            options["default"] = hook
        if self.below(5) == 0:
            options["separators"] = self.pick(((",", ":"), (", ", ": "), ("/", "<"), ("\xe9", "\u20ac"), ("&" * 12, ":\n"), ("\x7f", '"')))
        return options


class SsrjsonValues(Values):
    def scalar(self):
        return self.pick((
            lambda: Text(self.text()), lambda: Whole(self.below(-9, 999)), lambda: self.pick((Real(1.5), Number.ONE, Kind.WORD, Unknown(), {1})),
        ))()  # fmt: skip

    def key(self):
        return self.text() if self.below(60) else self.pick((1, None, Text("k")))

    def options(self):
        return {"indent": self.pick((2, 4, None))} if self.below(2) else {}


def has(value, test):
    """Whether it holds of the value, or of one within it, keys included."""
    if test(value):
        return True
    if isinstance(value, dict):
        return any(has(key, test) or has(item, test) for key, item in value.items())
    if isinstance(value, AsDict):
        return has(value.value, test)
    return isinstance(value, (list, tuple)) and any(has(item, test) for item in value)


def documented(name, value, options, mine):
    """What docs/migrating.md says of a difference in what is dumped; None where it says nothing."""
    if name == "ujson" and "not supported between" in str(mine.error):
        return "keys that cannot be sorted, in a dict within another"
    if name == "ujson" and options.get("sort_keys") and "default" in options and has(value, lambda item: isinstance(item, Unknown)):
        return "a dict that `default` returns, with `sort_keys`"
    return None


LIBRARIES = {"orjson": OrjsonValues, "ujson": UjsonValues, "ssrjson": SsrjsonValues}
counts = collections.Counter()


def pair(name):
    """The module of ocior.compat and the library; None where that is not installed in the version that is meant."""
    ours = importlib.import_module(f"ocior.compat.{name}")
    try:
        library = importlib.import_module(name)
    except ImportError:
        return None
    return (ours, library) if library.__version__ == ours.__version__ else None


def outcome_facts(outcome):
    # (NaN is not equal to itself, and a str of one Latin-1 character may be the interpreter's own or not.)
    return ("error", type(outcome.error).__name__) if outcome.error else ("value", repr(outcome.value))


def compare(what, mine, other, shown, reason=lambda: None):
    counts[what] += 1
    if outcome_facts(mine) == outcome_facts(other):
        return
    if left_out := reason():
        counts[f"{what}, left out: {left_out}"] += 1
        return
    raise AssertionError(f"{what}({shown()})\nocior {mine}\nother {other}")


def one_round(name, ours, theirs, seed):
    generator = LIBRARIES[name](seed)
    value, options = generator.value(generator.below(4)), generator.options()
    for function in ("dumps", "dumps_to_bytes") if name == "ssrjson" else ("dumps",):
        mine, other = (call(getattr(module, function), value, **options) for module in (ours, theirs))
        reason = functools.partial(documented, name, value, options, mine)
        compare(f"{name}.{function}", mine, other, lambda: f"{value!r}, {options}", reason)
    text = json.dumps(Generator(seed).value(generator.below(4)), ensure_ascii=generator.below(2) == 0, skipkeys=True, default=str)
    raw = text.encode("utf-8", "surrogatepass")
    for document in (raw, generator.damage(raw)):
        for given in (document, bytearray(document), document.decode("utf-8", "surrogateescape")):
            mine, other = call(ours.loads, given), call(theirs.loads, given)
            compare(f"{name}.loads", mine, other, given.__repr__)


def run(name, count, first, show=print):
    """The seeds of rounds that failed."""
    found = pair(name)
    if not found:
        return show(f"{name}: not installed, or another version") or []
    failed = []
    start = time.monotonic()
    for seed in range(first, first + count):
        try:
            one_round(name, *found, seed)
        except AssertionError as error:
            failed.append(seed)
            show(f"\n{name}, round {seed} failed:\n{str(error)[:3000]}")
            if len(failed) == MOST_FAILURES:
                break
    show(f"{name}: {seed + 1 - first:,} rounds in {time.monotonic() - start:.0f} s, {len(failed)} failures")
    return failed


def main():
    parser = argparse.ArgumentParser(description="Differential fuzzing of ocior.compat")
    parser.add_argument("count", nargs="?", type=int, default=60_000, metavar="COUNT", help="how many rounds for each library")
    parser.add_argument("seed", nargs="?", type=int, metavar="SEED", help="the first round's seed; the next ones count up")
    parser.add_argument("--library", choices=LIBRARIES, action="append", help="only this one")
    options = parser.parse_args()
    faulthandler.enable()
    first = random.SystemRandom().randrange(10**12) if options.seed is None else options.seed
    print(f"{options.count} rounds from seed {first}", flush=True)
    failed = [name for name in options.library or LIBRARIES if run(name, options.count, first)]
    for kind, count in sorted(counts.items()):
        print(f"{count:12,}  {kind}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
