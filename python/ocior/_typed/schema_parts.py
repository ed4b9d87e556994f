"""Pieces of JSON Schemas that are made of single facts: forms of strings, bounds, defaults, descriptions."""

import enum
import inspect
import json
from decimal import Decimal
from typing import Any

from ocior._typed.nodes import NOTHING, Field

_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_NAIVE = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?$"

STRINGS: dict[str, dict[str, Any]] = {
    "uuid": {"format": "uuid"},
    "datetime": {"format": "date-time"},
    "date": {"format": "date"},
    "time": {"format": "time"},
    "timedelta": {"format": "duration"},
    "decimal": {"pattern": f"^(?:{_NUMBER}|NaN|-?Infinity)$"},
    "bytes": {"contentEncoding": "base64", "pattern": _BASE64},
    "bytearray": {"contentEncoding": "base64", "pattern": _BASE64},
    "int": {"pattern": "^-?(?:0|[1-9][0-9]*)$"},
    "float": {"pattern": f"^(?:{_NUMBER}|[-+]?(?:[nN][aA][nN]|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?))$"},
    "bool": {"pattern": "^(?:[01]|[tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$"},
    "null": {"pattern": "^[nN][uU][lL][lL]$"},
    "str": {},
}
NAIVE_STRINGS = {"datetime": {"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ]" + _NAIVE}, "time": {"pattern": "^" + _NAIVE}}
_LAX_STRINGS = ("int", "float", "bool", "null")
_ADDRESSES = {"IPv4Address": "ipv4", "IPv6Address": "ipv6"}


def any_of(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The schema that allows what any of these does."""
    flat: list[dict[str, Any]] = []
    for part in parts:
        for one in part["anyOf"] if set(part) == {"anyOf"} else [part]:
            if one not in flat or "$ref" in one:
                flat.append(one)
    if {} in flat:
        return {}
    return flat[0] if len(flat) == 1 else {"anyOf": flat}


def forbid(schema: dict[str, Any], keys: list[str]) -> None:
    """What has one of these keys is another member of the union."""
    if len(keys) == 1:
        schema["not"] = {"required": keys}
    elif keys:
        schema["not"] = {"anyOf": [{"required": [key]} for key in keys]}


def present(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def prefix(items: list[dict[str, Any]], least: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"minItems": least, "maxItems": len(items)}
    if items:
        schema["prefixItems"] = items
    return schema


def base64(least: int | None, most: int | None) -> str:
    """The pattern of so many bytes: three are four characters, and the last two or one are filled up."""
    forms = []
    for count, end in ((0, ""), (2, "[A-Za-z0-9+/]{3}="), (1, "[A-Za-z0-9+/]{2}==")):
        first = max(0, -(-((least or 0) - count) // 3))
        last = "" if most is None else (most - count) // 3
        if last == "" or last >= first:
            forms.append(f"(?:[A-Za-z0-9+/]{{4}}){{{first},{last}}}{end}")
    return f"^(?:{'|'.join(forms)})$" if forms else "^(?!)"


def _number(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def bounds(limits: tuple[Any, ...] | None) -> dict[str, Any]:
    if limits is None:
        return {}
    names = ("exclusiveMinimum", "minimum", "exclusiveMaximum", "maximum", "multipleOf")
    return present(**{name: _number(limit) for name, limit in zip(names, limits)})


def of_called(cls: Any) -> dict[str, Any]:
    name = getattr(cls, "__name__", "")
    if getattr(cls, "__module__", "") == "ipaddress":
        if name in _ADDRESSES:
            return {"format": _ADDRESSES[name]}
        if name == "ip_address":
            return {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}
        return {"format": name.lower().replace("_", "")}
    return {"format": "path"}


def safe(name: str) -> str:
    """A name that may stand in a URI: Box[int] as Box_int_."""
    return "".join(character if character.isalnum() or character in "._-" else "_" for character in name)


def full_name(cls: Any, name: str | None = None) -> str:
    qualname = cls.__qualname__
    if name is not None and name != cls.__name__:
        qualname = qualname[: len(qualname) - len(cls.__name__)] + name
    return f"{cls.__module__}.{qualname}"


def description(cls: Any) -> dict[str, str]:
    """The docstring that somebody has written for the class."""
    text = vars(cls).get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{cls.__name__}(") or text == "An enumeration.":
        return {}
    return {"description": inspect.cleandoc(text)}


def with_notes(schema: dict[str, Any], notes: dict[str, Any] | None) -> dict[str, Any]:
    if not notes:
        return schema
    extra = notes.get("extra", {})
    words = {name: value for name, value in notes.items() if name != "extra"}
    for name in words:
        if name == "deprecated":
            words[name] = bool(words[name])
    schema.update(words)
    schema.update(extra)
    return schema


def default_of(default: Any, factory: Any) -> dict[str, Any]:
    """The default as JSON has it, where it can be told."""
    if factory in (list, dict, set, frozenset):
        return {"default": {} if factory is dict else []}
    if default is NOTHING:
        return {}
    value = default.value if isinstance(default, enum.Enum) else default
    try:
        return {"default": json.loads(json.dumps(value, allow_nan=False))}
    except (TypeError, ValueError):
        return {}


def beside(reference: dict[str, Any], field: Field) -> dict[str, Any]:
    """A reference is filled later, and stays the object that it is."""
    reference.update(default_of(field.default, field.factory))
    return reference
