"""What may stand at a place, as far as it counts for writing, and what is written there. `encoding` reads it from types."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ocior._typed.markers import MISSING

# The bits of FieldForm::Of in the core.
OMITS_NONE, OMITS_DEFAULT, OMITS_MISSING, HAS_FACTORY = 1, 2, 4, 8

_ARRAYS = (list, tuple, set, frozenset, deque)

Dump = Callable[[Any], Any]


class Place:
    """What may stand at one place, as far as it counts for writing: a function, what is in containers, TypedDicts, unions."""

    __slots__ = ("dump", "dumped", "fields", "is_changed", "item", "items", "members", "value")

    def __init__(self) -> None:
        self.dump: Dump | None = None
        self.dumped: Any = object  # for values of this class
        self.item: Place | None = None  # of every item of an array
        self.items: tuple[Place, ...] = ()  # of a tuple of so many
        self.value: Place | None = None  # of a dict
        self.fields: TypedDictForm | None = None
        self.members: tuple[Place, ...] = ()
        self.is_changed = False  # whether anything that stands here is written as something else

    def children(self) -> Iterator["Place"]:
        yield from self.items
        yield from self.members
        yield from (place for place in (self.item, self.value) if place is not None)
        if self.fields is not None:
            yield from self.fields.places.values()

    def __call__(self, value: Any) -> Any:
        """What is written in the place of a value."""
        if not self.is_changed:
            return value
        if self.dump is not None:
            return self.dump(value) if _is_of(value, self.dumped) else value
        for member in self.members:
            changed = member(value)
            if changed is not value:
                return changed
        if self.fields is not None:
            return self.fields.write(value) if self.fields.fits(value) else value
        if self.value is not None and isinstance(value, Mapping):
            place = self.value
            return {key: place(item) for key, item in value.items()}
        if (self.item is None and not self.items) or not isinstance(value, _ARRAYS):
            return value
        places = self.items or (self.item,) * len(value)
        made = [place(item) if place is not None else item for place, item in zip(places, value)] + list(value)[len(places) :]
        make = getattr(type(value), "_make", None)
        return made if make is None else make(made)


class TypedDictForm:
    """How a TypedDict is written that is not written as it stands."""

    __slots__ = ("literals", "names", "omits", "places", "required", "tag")

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.omits: dict[str, int] = {}
        self.places: dict[str, Place] = {}
        self.literals: dict[str, tuple[Any, ...]] = {}
        self.required: frozenset[str] = frozenset()
        self.tag: tuple[str, str | int] | None = None

    def is_special(self) -> bool:
        return self.tag is not None or any(self.omits.values()) or any(name != written for name, written in self.names.items())

    def fits(self, value: Any) -> bool:
        if not isinstance(value, Mapping) or not self.required <= value.keys():
            return False
        return all(value.get(name, allowed[0]) in allowed for name, allowed in self.literals.items())

    def write(self, value: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {self.tag[0]: self.tag[1]} if self.tag is not None else {}
        for name, item in value.items():
            omits = self.omits.get(name, 0)
            if (omits & OMITS_NONE and item is None) or (omits & OMITS_MISSING and any(item is one for one in missing_values())):
                continue
            place = self.places.get(name)
            made[self.names.get(name, name)] = item if place is None else place(item)
        return made


def _is_of(value: Any, cls: Any) -> bool:
    try:
        return isinstance(value, cls)
    except TypeError:  # a protocol, which says so of no value
        return True


def missing_values() -> tuple[Any, ...]:
    """MISSING, and what stands for it in libraries that have been imported."""
    import sys

    found = [MISSING]
    for module, name in (("msgspec", "UNSET"), ("pydantic_core", "MISSING")):
        value = getattr(sys.modules.get(module), name, None)
        if value is not None:
            found.append(value)
    return tuple(found)
