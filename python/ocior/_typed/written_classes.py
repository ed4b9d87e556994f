"""What is known of single types, fields and names, as far as it counts for writing."""

import typing
from collections.abc import Callable
from typing import Any

from ocior._typed import annotated, resolve
from ocior._typed.classes import is_missing_type
from ocior._typed.declared import DeclaredField
from ocior._typed.nodes import NOTHING
from ocior._typed.written import HAS_FACTORY, OMITS_DEFAULT, OMITS_NONE

# What the core writes without a look at anything but the type.
_NATIVE = (str, int, float, bool, type(None), list, tuple, dict)


def family_of(cls: Any) -> str | None:
    """Which kind of class with fields it is, if any; classes that pydantic writes are none here."""
    if not resolve.is_class(cls):
        return None
    if resolve.is_typed_dict(cls):
        return "typeddict"
    names = set()
    for base in cls.__mro__:
        names.update(name for name in ("__dataclass_fields__", "__attrs_attrs__", "__pydantic_serializer__") if name in vars(base))
    if "__pydantic_serializer__" in names:
        return None
    if "__struct_config__" in dir(type(cls)) and isinstance(cls.__struct_fields__, tuple):
        return "struct"
    if "__attrs_attrs__" in names and isinstance(cls.__attrs_attrs__, tuple):
        return "attrs"
    return "dataclass" if "__dataclass_fields__" in names and isinstance(cls.__dataclass_fields__, dict) else None


def by_base(cls: Any, get: Callable[[Any], Any]) -> Any:
    """What `get` has for the class, or for the first one that it is derived from."""
    for base in type.mro(cls) if type(cls).__hash__ is None else cls.__mro__:
        try:
            found = get(base)
        except TypeError:  # cannot be hashed
            continue
        if found is not None:
            return found
    return None


def is_written_by_class(type: Any) -> bool:
    """Whether the core asks for the class of values of this type, so that nothing has to be done at their place."""
    return resolve.is_class(type) and type is not Any and type not in _NATIVE and not resolve.is_typed_dict(type)


def class_in_values(type: Any) -> Any:
    """The class that values of this type have; object where that may be any."""
    cls = typing.get_origin(type) or type
    if resolve.is_typed_dict(cls):
        return dict
    if cls is None:
        return cls.__class__
    return cls if resolve.is_class(cls) and cls is not Any else object


def is_special_form(type: Any) -> bool:
    return getattr(type.__class__, "__module__", "") in ("typing", "typing_extensions") and not isinstance(type, typing.ForwardRef)


def read_notes(metadata: tuple[Any, ...], at: str) -> annotated.Annotations:
    """The metadata; what of other libraries only reading knows is passed over."""
    if not metadata:
        return annotated.Annotations()
    try:
        return annotated.read(metadata, lambda message: TypeError(f"{at}: {message}"))
    except TypeError:
        own = tuple(one for one in metadata if type(one).__module__ == "ocior._typed.markers" or isinstance(one, type))
        return annotated.read(own, lambda message: TypeError(f"{at}: {message}"))


def without_missing(hint: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """The type of a field without Missing in its union, its metadata, and whether Missing was there."""
    _, metadata, inner = resolve.qualifiers(hint)
    if not resolve.is_union(inner):
        return inner, metadata, False
    kept = tuple(member for member in inner.__args__ if not is_missing_type(member))
    is_missing = len(kept) < len(inner.__args__)
    return (resolve.union_of(kept) if kept and is_missing else inner), metadata, is_missing


def omission(one: DeclaredField, omit: str | None) -> tuple[int, Any]:
    if omit == "none":
        return OMITS_NONE, None
    if omit != "defaults":
        return 0, None
    if one.default is not NOTHING:
        return OMITS_DEFAULT, one.default
    return (0, None) if one.factory is None else (OMITS_DEFAULT | HAS_FACTORY, one.factory)


def check_names(cls: Any, names: list[str], rest: int) -> None:
    seen = set()
    for index, name in enumerate(names):
        if index == rest:
            continue
        if name in seen:
            raise TypeError(f"{name_of(cls)}: two fields are {name!r} in JSON")
        seen.add(name)


def plain_str(name: str) -> str:
    """The name as exactly a str: that of an enum, say, is of a class derived from str."""
    return str.__str__(name)


def plain_tag(tag: tuple[str, str | int] | None) -> tuple[str, str | int] | None:
    if tag is None:
        return None
    name, value = tag
    return plain_str(name), plain_str(value) if isinstance(value, str) else int.__int__(value)


def key_of(args: tuple[Any, ...]) -> Any:
    try:
        hash(args)
    except TypeError:
        return repr(args)
    return args


def dataclasses_missing() -> Any:
    import dataclasses

    return dataclasses.MISSING


def name_of(type: Any) -> str:
    return type.__qualname__ if resolve.is_class(type) else repr(type).replace("typing.", "")
