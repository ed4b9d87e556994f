"""Documents of rich types: Python objects that JSON has no form for, and their twins of plain types. A kind of document is made at any
size, the same on every machine.

What an encoder has to write of such a document is what `json` writes of its twin. Where libraries are of two minds (`Z` or `+00:00`, a
decimal as number or as text), the kind says so, and each of the forms counts as right.
"""

import hashlib
import io
import json
import pickle
import random
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from functools import cached_property, partial
from pathlib import Path
from uuid import UUID

from ocior.bench import rich_items, words
from ocior.bench.documents import Document
from ocior.bench.shapes import size_name

# As many items as make up the length that is asked for are told from this many.
_SAMPLE = 60


def field_names(value):
    """The names of the fields of a dataclass or a Struct of msgspec; of any other value None."""
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    return getattr(value, "__struct_fields__", None)


def _tag(value):
    """What a Struct writes before its fields, to be told apart from others."""
    config = getattr(value, "__struct_config__", None)
    return {config.tag_field: config.tag} if config and config.tag_field else {}


def plain(value, utc="+00:00", decimal=float, half="float16"):
    """The twin of plain types. `utc`: how that offset is written; `decimal`: what becomes of a Decimal; `half`: the type with whose
    shortest digits a float16 is written. Of floats a type's own shortest digits make the float of the twin."""
    again = partial(plain, utc=utc, decimal=decimal, half=half)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (str, int, float, type(None))):
        return value
    if isinstance(value, dict):
        return {str(again(key)): again(item) for key, item in value.items()}
    if isinstance(value, list):
        return [again(item) for item in value]
    if names := field_names(value):
        return {**_tag(value), **{name: again(getattr(value, name)) for name in names}}
    if isinstance(value, (date, time)):
        return value.isoformat().replace("+00:00", utc)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Decimal):
        return decimal(value)
    if value.ndim > 1:
        return [again(row) for row in value]
    if value.dtype.kind != "f":
        return value.tolist()
    return [float(str(number)) for number in (value.astype(half) if value.dtype == "float16" else value)]


def _sorted_plain(value):
    return [{name: item[name] for name in sorted(item)} for item in value]


@dataclass(frozen=True)
class Kind:
    """`needs` are the abilities that an encoder must have to write it: rich_calls.py says who has which."""

    name: str
    make: Callable[[random.Random, int], object]  # (rng, count): a value of so many items
    needs: frozenset[str]
    twins: tuple[Callable[[object], object], ...] = (plain,)  # the value in plain types, as ocior writes it, and as others may
    is_main: bool = False  # measured unless something else is asked for
    is_exact: bool = True  # whether ocior's text is that of its twin, and not its values alone


def _many(item):
    return lambda rng, count: [item(rng, index) for index in range(count)]


def _keyed(key):
    return lambda rng, count: {key(rng, index): {"n": index, "name": rng.choice(words.NAMES)} for index in range(count)}


def _kind(name, make, *needs, **more):
    return Kind(name, make, frozenset(needs), **more)


_WITH_Z = (plain, partial(plain, utc="Z"))
_HALF = (plain, partial(plain, half="float32"))
KINDS = (
    _kind("orders", _many(rich_items.order), "dataclass", "datetime", "uuid", "enum", twins=_WITH_Z, is_main=True),
    _kind("dataclasses", _many(partial(rich_items.record, rich_items.Record)), "dataclass", is_main=True),
    _kind("dataclasses_slots", _many(partial(rich_items.record, rich_items.SlotRecord)), "dataclass"),
    _kind("dataclasses_nested", _many(rich_items.basket), "dataclass"),
    _kind("datetimes_naive", _many(lambda rng, index: rich_items.moment(rng, None)), "datetime"),
    _kind("datetimes_utc", _many(lambda rng, index: rich_items.moment(rng, timezone.utc)), "datetime", twins=_WITH_Z, is_main=True),
    _kind("datetimes_zone", _many(rich_items.in_zones), "datetime", "zones"),
    _kind("dates_times", _many(rich_items.day_or_time), "datetime"),
    _kind("uuids", _many(rich_items.uuid), "uuid", is_main=True),
    _kind("enums", _many(rich_items.enum), "enum"),
    _kind("decimals", _many(rich_items.decimal), "decimal", is_exact=False),
    _kind("decimals_text", _many(rich_items.decimal), "decimal_text", twins=(partial(plain, decimal=str),)),
    _kind("keys_int", _keyed(lambda rng, index: 10**6 + 7 * index), "int_keys"),
    _kind("keys_uuid", _keyed(rich_items.uuid), "keys", is_main=True),
    _kind("keys_date", _keyed(lambda rng, index: date(1800, 1, 1) + timedelta(index)), "keys"),
    _kind("sorted_keys", _many(rich_items.unsorted), "sorted", twins=(_sorted_plain,)),
    *(
        _kind(
            f"numpy_{dtype}{'_nx3' if columns else ''}",
            partial(rich_items.array, dtype, columns),
            "numpy",
            twins=_HALF if dtype == "float16" else (plain,),
            is_main=dtype == "float64" and columns > 0,
        )
        for dtype in ("bool", "int32", "int64", "float16", "float32", "float64")
        for columns in (0, 3)
    ),
)
BY_NAME = {kind.name: kind for kind in KINDS}
_SOURCES = b"".join(Path(file).read_bytes() for file in (__file__, rich_items.__file__, words.__file__))
_GENERATOR = hashlib.sha256(_SOURCES).hexdigest()[:12]


class Freezer(pickle.Pickler):
    """Keeps dataclasses and Structs as calls of their constructor: an instance that got its attributes in another way lies in memory
    otherwise than those of programs do. UUIDs, which remember nothing of a call and are long in the making, and classes stay the objects
    that they are."""

    def __init__(self, file, kept):
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._kept = kept

    def persistent_id(self, obj):
        if type(obj) is UUID or isinstance(obj, type):
            self._kept.append(obj)
            return len(self._kept) - 1

    def reducer_override(self, obj):
        if names := field_names(obj):
            return type(obj), tuple(getattr(obj, name) for name in names)
        return NotImplemented


class Thawer(pickle.Unpickler):
    def __init__(self, file, kept):
        super().__init__(file)
        self.persistent_load = kept.__getitem__


class RichDocument(Document):
    """A value of rich types. It is made when it is first asked for, and never written to a file."""

    sort = "rich"

    def __init__(self, kind, name, nominal_len):
        super().__init__(name, None, nominal_len=nominal_len)
        self.kind = kind

    @cached_property
    def value(self):
        sample = self.kind.make(random.Random(self.kind.name), _SAMPLE)
        per_item = len(_text(self.kind.twins[0](sample))) / _SAMPLE
        columns = 3  # of arrays that have some
        count = max(1, round(self.nominal_len / per_item / columns)) * columns
        return self.kind.make(random.Random(self.kind.name), count)

    @cached_property
    def twins(self):
        """The forms in plain types that count as right, ocior's own first."""
        return [twin(self.value) for twin in self.kind.twins]

    @cached_property
    def _frozen(self):
        """The value pickled, and the objects that its copies share."""
        file, kept = io.BytesIO(), []
        Freezer(file, kept).dump(self.value)
        return file.getvalue(), kept

    @cached_property
    def _frozen_twin(self):
        return self.freeze_for_copies(json.loads(self.parts[0]))

    has_non_ascii = False

    @cached_property
    def parts(self):
        """The JSON text of its twin, one part as of every document that is no stream."""
        return [_text(self.twins[0]).encode()]

    @cached_property
    def byte_len(self):
        return len(self.parts[0])

    @property
    def identity(self):
        return f"generator {_GENERATOR}, {self.nominal_len}"

    def problem(self):
        """What this machine lacks for it, in words, or None."""
        try:
            self.kind.make(random.Random(0), 3)
        except (ImportError, LookupError) as error:  # zoneinfo's is a KeyError
            return f"{type(error).__name__}: {error}"

    def fresh_object(self, limit=None):
        if "numpy" in self.kind.needs:
            return [self.value.copy()]
        pickled, kept = self._frozen
        return [Thawer(io.BytesIO(pickled), kept).load()]

    def fresh_twin(self, limit=None):
        return [self.thaw(self._frozen_twin)]


def _text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def documents(names, sizes):
    """The documents of these kinds in these sizes."""
    return [RichDocument(BY_NAME[name], f"{name}-{size_name(size)}", size) for name in names for size in sizes]
