"""Documents for typed decoding and encoding: JSON, the type that it is to become, and the objects that it is to become. A kind of document is
a shape of JSON with one sort of classes; a document is made at any size, the same on every machine.

What a decoder has to give is what code written by hand makes of the document, in value and type. What an encoder has to write of that value
is what `json` writes of its twin in plain types.
"""

import hashlib
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property, partial
from pathlib import Path

from ocior.bench import items, rich_items, typed_classes, typed_hand, typed_items, words
from ocior.bench.documents import Document
from ocior.bench.rich_types import Freezer, Thawer, field_names, plain
from ocior.bench.shapes import size_name

# How long an item is, is told from this many.
_SAMPLE = 60


@dataclass(frozen=True)
class Shape:
    name: str
    make: Callable[[random.Random, int], object]  # (rng, count): the plain value of so many items
    count: int  # of items, unless a size is asked for
    hint: Callable[..., object]  # (family, union of the messages): the type of the document
    read: Callable[..., Callable]  # (family): the code by hand
    has_classes: bool = True
    is_single: bool = False  # one object, of one size


@dataclass(frozen=True)
class Kind:
    """A shape with one sort of classes; `sort` is "" where there are none."""

    name: str
    shape: Shape
    sort: str

    @property
    def classes(self):
        return typed_classes.family(self.sort) if self.sort else None

    @property
    def encodes(self):
        """Whether its type makes a difference when it is written."""
        return bool(self.sort)

    @property
    def is_tagged(self):
        return self.shape.name == "tagged"

    def hint(self, mark=lambda union: union):
        """The type to decode it as. `mark(union)` is how a library wants the union of the four messages."""
        return self.shape.hint(self.classes, mark(self.classes.Message) if self.sort else None)


def _many(item):
    return lambda rng, count: [item(rng, index) for index in range(count)]


def _dict_of(rng, count):
    return {typed_items.word(rng, index): rng.randrange(10**6) for index in range(count)}


SHAPES = (
    Shape("flat", _many(typed_items.flat), 1000, lambda c, union: list[c.Record], typed_hand.read_flat),
    Shape("orders", _many(typed_items.order), 300, lambda c, union: list[c.Order], typed_hand.read_orders),
    Shape("events", _many(typed_items.event), 250, lambda c, union: list[c.Event], typed_hand.read_events),
    Shape("tagged", _many(typed_items.tagged), 1500, lambda c, union: list[union], typed_hand.read_tagged),
    Shape("wide", _many(typed_items.wide), 200, lambda c, union: list[c.Wide], typed_hand.read_wide),
    Shape("partial", _many(typed_items.package), 1500, lambda c, union: list[c.Package], typed_hand.read_partial),
    Shape("tiny", lambda rng, count: typed_items.tiny(rng, 0), 1, lambda c, union: c.Tiny, typed_hand.read_tiny, is_single=True),
    Shape("list_int", _many(items.integer), 20_000, lambda c, union: list[int], typed_hand.read_as_it_is, has_classes=False),
    Shape("list_float", _many(items.floating), 10_000, lambda c, union: list[float], typed_hand.read_as_it_is, has_classes=False),
    Shape("dict_int", _dict_of, 3000, lambda c, union: dict[str, int], typed_hand.read_as_it_is, has_classes=False),
)
KINDS = tuple(
    Kind(f"{shape.name}_{sort}" if sort else shape.name, shape, sort)
    for shape in SHAPES
    for sort in (typed_classes.SORTS if shape.has_classes else ("",))
)
BY_NAME = {kind.name: kind for kind in KINDS}
_SOURCES = (__file__, items.__file__, rich_items.__file__, typed_classes.__file__, typed_items.__file__, words.__file__)
_GENERATOR = hashlib.sha256(b"".join(Path(file).read_bytes() for file in _SOURCES)).hexdigest()[:12]


def is_same(one, other):
    """Whether two values are equal in value and type, down to the last digit. The order of keys does not count: some libraries fill a
    TypedDict in the order of its fields."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if names := field_names(one):
        return all(is_same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, date):
        return one.isoformat() == other.isoformat()  # UTC is an object of its own in some libraries
    if isinstance(one, (float, Decimal)):
        return repr(one) == repr(other)
    return one == other


class TypedDocument(Document):
    """JSON that is to become objects, and the objects. It is made when it is first asked for, and never written to a file."""

    sort = "typed"
    has_non_ascii = False

    def __init__(self, kind, name, count, nominal_len):
        super().__init__(name, None, nominal_len=nominal_len)
        self.kind = kind
        self._count = count

    @cached_property
    def parts(self):
        return [_text(_made(self.kind.shape, self._count)).encode()]

    @cached_property
    def byte_len(self):
        return len(self.parts[0])

    @property
    def value(self):
        """The objects, new ones each time."""
        return self.kind.shape.read(self.kind.classes)(json.loads(self.parts[0]))

    @cached_property
    def twins(self):
        """The forms in plain types that count as right when it is written, ocior's own first."""
        return [plain(self.value, utc=utc, decimal=str) for utc in ("+00:00", "Z")]

    @cached_property
    def _frozen(self):
        """The value pickled, and the objects that its copies share."""
        file, kept = io.BytesIO(), []
        Freezer(file, kept).dump(self.value)
        return file.getvalue(), kept

    @property
    def identity(self):
        return f"generator {_GENERATOR}, {self._count}"

    def problem(self):
        """What this machine lacks for it, in words, or None."""
        try:
            self.kind.classes
        except ImportError as error:
            return f"{type(error).__name__}: {error}"

    def fresh_object(self, limit=None):
        pickled, kept = self._frozen
        return [Thawer(io.BytesIO(pickled), kept).load()]


def _made(shape, count):
    return shape.make(random.Random(shape.name), count)


def _text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def documents(names, sizes=None):
    """The documents of these kinds: of the number of items that the shape has, or in these sizes."""
    found = []
    for kind in map(BY_NAME.__getitem__, names):
        shape = kind.shape
        sample = min(shape.count, _SAMPLE)
        per_item = len(_text(_made(shape, sample))) / sample
        if sizes is None or shape.is_single:
            found.append(TypedDocument(kind, kind.name, shape.count, round(per_item * shape.count)))
            continue
        found += [TypedDocument(kind, f"{kind.name}-{size_name(size)}", max(1, round(size / per_item)), size) for size in sizes]
    return found
