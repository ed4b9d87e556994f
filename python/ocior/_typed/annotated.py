"""What stands in `Annotated` beside a type: ocior's markers, and those of annotated-types, msgspec and pydantic, known by the module of
their class and by their attributes.
"""

import dataclasses
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any

from ocior._typed.hooks import Check, Hook
from ocior._typed.limits import BOUNDS
from ocior._typed.markers import Alias, Convert, Lax, Limits, Rest, Rules, Tag
from ocior._typed.nodes import NOTHING

_LIBRARIES = ("annotated_types", "msgspec", "pydantic", "pydantic_core")
_LIMITS = (*BOUNDS, "multiple_of", "min_length", "max_length", "pattern", "tz")
# What pydantic does to a value, or asks of it, that ocior does not know. Passing over it would accept what it refuses.
_UNKNOWN_RULES = ("strip_whitespace", "to_upper", "to_lower", "ascii_only", "max_digits", "decimal_places", "coerce_numbers_to_str")
_VALIDATORS = ("BeforeValidator", "PlainValidator", "WrapValidator")
_NOTES = ("title", "description", "examples", "deprecated")


@dataclasses.dataclass
class Annotations:
    """The metadata of one type, sorted by what they are for."""

    alias: tuple[str, ...] = ()  # names that are read
    written: str | None = None
    is_rest: bool = False
    is_lax: bool | None = None
    rules: Rules | None = None
    tag: Tag | None = None
    convert: Convert | None = None
    # Constraints (name, bound) and hooks, in the order of the metadata: the innermost first.
    steps: list[Any] = dataclasses.field(default_factory=list)
    notes: dict[str, Any] = dataclasses.field(default_factory=dict)


def read(metadata: tuple[Any, ...], refuse: Callable[[str], Exception], of: Any = NOTHING) -> Annotations:
    """Sorts the metadata, the innermost of which come first. Those that nobody here knows are passed over, as typing asks for. `of`: the
    type that they stand beside, where it is to be read."""
    found = Annotations()
    for marker in metadata:
        _add(found, marker, of, refuse)
    return found


def _add(found: Annotations, marker: Any, of: Any, refuse: Callable[[str], Exception]) -> None:
    if isinstance(marker, type) and issubclass(marker, (Alias, Convert, Lax, Limits, Rest, Rules, Tag)):
        raise refuse(f"{marker.__name__} stands in Annotated as a class; write {marker.__name__}(...)")
    if isinstance(marker, Limits):
        found.steps += _constraints(marker)
    elif isinstance(marker, Alias):
        found.alias, found.written = marker.names, marker.names[0]
    elif isinstance(marker, Rest):
        found.is_rest = True
    elif isinstance(marker, Lax):
        found.is_lax = True
    elif isinstance(marker, Rules):
        found.rules = marker.over(found.rules)
    elif isinstance(marker, Tag):
        found.tag = marker
    elif isinstance(marker, Convert):
        _add_convert(found, marker, of, refuse)
    elif not isinstance(marker, type) and _is_of_libraries(marker):
        _add_foreign(found, marker, of, refuse)
    else:
        _add_doc(found, marker)


def _add_convert(found: Annotations, marker: Convert, of: Any, refuse: Callable[[str], Exception]) -> None:
    """A Convert that takes another type stands in the place of what is annotated, before all that is asked of it. One that takes the type
    itself may stand anywhere: it gets what the markers before it have let pass."""
    if found.convert is None and not found.steps:
        found.convert = marker
        return
    if marker.load is not None:
        if of is not NOTHING and marker.takes is not of and marker.takes != of:
            raise refuse("a Convert that takes another type stands behind other markers; only the first may")
        found.steps.append(marker.load)
    if marker.dump is not None:
        found.convert = _with_dump(found.convert, marker.dump, refuse)


def _with_dump(convert: Convert | None, dump: Hook, refuse: Callable[[str], Exception]) -> Convert:
    if convert is None:
        return Convert(dump=dump)
    if convert.dump is not None:
        raise refuse("there are two Converts with dump")
    if convert.load is None:
        return Convert(dump=dump)
    return Convert(convert.load, takes=convert.takes, dump=dump)


def _constraints(marker: Any) -> Iterator[tuple[str, Any]]:
    for name in _LIMITS:
        bound = getattr(marker, name, None)
        if bound is not None:
            yield name, bound


def _is_of_libraries(marker: Any) -> bool:
    return any(base.__module__.split(".")[0] in _LIBRARIES for base in type(marker).__mro__)


def _add_doc(found: Annotations, marker: Any) -> None:
    """`Doc` of typing_extensions: the description of a field."""
    if type(marker).__name__ == "Doc" and isinstance(getattr(marker, "documentation", None), str):
        found.notes["description"] = marker.documentation


def _add_foreign(found: Annotations, marker: Any, of: Any, refuse: Callable[[str], Exception]) -> None:
    name = type(marker).__name__
    if name in _VALIDATORS:
        raise refuse(f"pydantic's {name}; ocior.Convert has a function called before a type is made, with the type that it takes")
    for rule in _UNKNOWN_RULES:
        if getattr(marker, rule, None):
            raise refuse(f"ocior does not know {rule}, which {name} asks for")
    if name == "FieldInfo":
        _add_field_info(found, marker, of, refuse)
        return
    if getattr(marker, "__is_annotated_types_grouped_metadata__", False):
        for inner in marker:
            _add(found, inner, of, refuse)
        return
    if isinstance(getattr(marker, "strict", None), bool):
        found.is_lax = not marker.strict
    if name == "Timezone":
        found.steps.append(("tz", _offset_of(marker.tz, refuse)))
    elif name == "AfterValidator":
        found.steps.append(marker.func)
    elif callable(getattr(marker, "func", None)) and name != "Unit":
        found.steps.append(Check(marker.func, getattr(marker.func, "__name__", name)))
    else:
        found.steps += [(limit, re.compile(bound) if limit == "pattern" else bound) for limit, bound in _constraints(marker)]
    if getattr(marker, "allow_inf_nan", None) is False:
        found.steps.append(Check(_is_finite, "a finite number"))
    _add_notes(found, marker)


def _is_finite(value: Any) -> bool:
    return value - value == 0


def _offset_of(tz: Any, refuse: Callable[[str], Exception]) -> bool:
    if tz is None:
        return False
    if tz is ...:
        return True
    raise refuse("a Timezone of one certain offset; ocior knows any (...) and none (None)")


def _add_notes(found: Annotations, marker: Any) -> None:
    for name in _NOTES:
        value = getattr(marker, name, None)
        if value is not None:
            found.notes[name] = value
    extra = getattr(marker, "extra_json_schema", None) or getattr(marker, "json_schema_extra", None)
    if isinstance(extra, dict):
        found.notes["extra"] = {**found.notes.get("extra", {}), **extra}


def _add_field_info(found: Annotations, marker: Any, of: Any, refuse: Callable[[str], Exception]) -> None:
    """pydantic's Field(...)."""
    for inner in getattr(marker, "metadata", ()):
        _add(found, inner, of, refuse)
    alias = getattr(marker, "alias", None)
    read_as = getattr(marker, "validation_alias", None)
    read_as = alias if read_as is None else read_as
    if read_as is not None:
        names = [read_as] if isinstance(read_as, str) else list(getattr(read_as, "choices", ()))
        if not names or not all(isinstance(name, str) for name in names):
            raise refuse("an AliasPath, which reads a value from inside another one")
        found.alias = tuple(names)
    written = getattr(marker, "serialization_alias", None) or alias
    if written is not None:
        found.written = written
    discriminator = getattr(marker, "discriminator", None)
    if discriminator is not None:
        if not isinstance(discriminator, str):
            raise refuse("a Discriminator that is called; ocior.Tag names a key")
        found.tag = Tag(discriminator)
    _add_notes(found, marker)


def peeled(value: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without the Annotated around it, and the metadata, the innermost first."""
    metadata: tuple[Any, ...] = ()
    while hasattr(value, "__metadata__") and typing.get_origin(value) is not None:
        metadata = value.__metadata__ + metadata
        value = value.__origin__
    return value, metadata
