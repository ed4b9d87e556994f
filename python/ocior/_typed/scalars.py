"""Nodes of what is one string, number or word: the types of the table in the documentation, enums and literals."""

import enum
import sys
from collections.abc import Callable
from typing import Any

from ocior._typed.nodes import NOTHING, Node
from ocior._typed.problems import Refusal

# By module and name: what nobody has imported is not imported for this.
_SCALARS: dict[tuple[str, str], dict[str, Any]] = {
    ("builtins", "NoneType"): dict(null=True, expected="null"),
    ("builtins", "bool"): dict(boolean=True, expected="bool"),
    ("builtins", "int"): dict(integer="int", expected="int"),
    ("builtins", "float"): dict(integer="float", real="float", expected="float"),
    ("builtins", "str"): dict(string=("str",), expected="str"),
    ("builtins", "bytes"): dict(string=("bytes",), expected="base64"),
    ("builtins", "bytearray"): dict(string=("bytearray",), expected="base64"),
    ("decimal", "Decimal"): dict(integer="decimal", real="decimal", string=("decimal",), expected="decimal"),
    ("datetime", "datetime"): dict(string=("datetime",), expected="datetime"),
    ("datetime", "date"): dict(string=("date",), expected="date"),
    ("datetime", "time"): dict(string=("time",), expected="time"),
    ("datetime", "timedelta"): dict(string=("timedelta",), expected="duration"),
    ("uuid", "UUID"): dict(string=("uuid",), expected="uuid"),
}

# What lax reading takes besides.
_LAX: dict[str, dict[str, Any]] = {
    "NoneType": dict(string=("null",)),
    "bool": dict(integer="bool", string=("bool",)),
    "int": dict(real="int", string=("int",)),
    "float": dict(string=("float",)),
    "datetime": dict(integer="datetime", real="datetime"),
    "timedelta": dict(integer="timedelta", real="timedelta"),
}

_ADDRESSES = ("IPv4Address", "IPv6Address", "IPv4Interface", "IPv6Interface", "IPv4Network", "IPv6Network")


def scalar_node(cls: type, lax: bool) -> Node | None:
    """The node of a class in the table, or None. Classes derived from them are not in it, but for paths."""
    # Where datetime is written in Python alone, its classes name another module.
    key = ("datetime" if cls.__module__ == "_pydatetime" else cls.__module__, cls.__name__)
    if key in (("_decimal", "Decimal"), ("_pydecimal", "Decimal")):
        key = ("decimal", "Decimal")
    values = _SCALARS.get(key)
    if values is not None and _is_real(cls, *key):
        return Node(**{**values, **(_LAX.get(cls.__name__, {}) if lax else {})})
    if cls.__module__ == "ipaddress" and cls.__name__ in _ADDRESSES:
        return Node(string=("call",), string_class=cls, expected=cls.__name__)
    if _is_path(cls):
        return Node(string=("call",), string_class=cls, expected="path")
    return None


def _is_real(cls: type, module: str, name: str) -> bool:
    """Whether `cls` is the class of this name, and not one that only calls itself so."""
    if name == "NoneType":
        return cls is type(None)
    return getattr(sys.modules.get(module), name, None) is cls


def _is_path(cls: type) -> bool:
    pathlib = sys.modules.get("pathlib")
    return pathlib is not None and issubclass(cls, pathlib.PurePath)


def same_addresses(first: Any, second: Any) -> Callable[[str], Any] | None:
    """The function of `ipaddress` that makes either of two classes which differ by the version of IP alone, or None."""
    if {getattr(first, "__module__", ""), getattr(second, "__module__", "")} != {"ipaddress"}:
        return None
    names = {first.__name__, second.__name__}
    ipaddress = sys.modules["ipaddress"]
    if names == {"IPv4Address", "IPv6Address"}:
        return ipaddress.ip_address
    if names == {"IPv4Interface", "IPv6Interface"}:
        return ipaddress.ip_interface
    return ipaddress.ip_network if names == {"IPv4Network", "IPv6Network"} else None


class AskMissing:
    """Asks the `_missing_` of an Enum for a value that is no choice, without the search by equality that the class itself begins with:
    there true is 1."""

    __slots__ = ("cls",)

    def __init__(self, cls: Any) -> None:
        self.cls = cls

    def __call__(self, value: Any) -> Any:
        member = self.cls._missing_(value)
        if isinstance(member, self.cls):
            return member
        if member is None:
            raise ValueError(f"no member of {self.cls.__name__}")
        raise TypeError(f"{self.cls.__name__}._missing_ returned a {type(member).__name__}")


class MakeFlag:
    """Calls a Flag with the value of any combination of its members."""

    __slots__ = ("cls",)

    def __init__(self, cls: Any) -> None:
        self.cls = cls

    def __call__(self, value: int) -> Any:
        try:
            return self.cls(value)
        except ValueError as error:
            raise Refusal("choice", self.cls.__name__) from error


def enum_node(cls: Any, lax: bool, refuse: Callable[[str], Exception]) -> Node:
    """The node of an Enum: its members by their values. `refuse` makes the TypeError for a value that is none of JSON's scalars."""
    if issubclass(cls, enum.Flag):
        make = MakeFlag(cls)
        node = Node(integer="int", expected=cls.__name__, source=cls, hooks=(None, None, make, None, None, None, None))
        if lax:
            node.string, node.real, node.hooks = ("int",), "int", (None, None, make, make, make, None, None)
        return node
    node = choices_node([(member.value, member) for member in cls.__members__.values()], lax, refuse, cls.__name__)
    node.expected, node.source = cls.__name__, cls
    if cls._missing_.__func__ is not enum.Enum._missing_.__func__:
        node.missing = (AskMissing(cls),)
    elif not cls.__members__:
        raise refuse("an Enum without members")
    return node


def literal_node(values: tuple[Any, ...], lax: bool, refuse: Callable[[str], Exception]) -> Node:
    """The node of a Literal."""
    pairs = [(value.value if isinstance(value, enum.Enum) else value, value) for value in values]
    node = choices_node([pair for pair in pairs if pair[1] is not None], lax, refuse, "Literal")
    node.null = any(value is None for value in values)
    if lax and node.null:
        node.string = ("null",)
    node.expected = " or ".join("null" if value is None else _shown(value) for value in values)
    return node


def _shown(value: Any) -> str:
    value = value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def choices_node(pairs: list[tuple[Any, Any]], lax: bool, refuse: Callable[[str], Exception], name: str) -> Node:
    """A node of values that stand for others. The first of equal ones counts, as among the aliases in an Enum."""
    strings: dict[str, Any] = {}
    integers: dict[int, Any] = {}
    floats: dict[float, Any] = {}
    words: dict[str, Any] = {}
    for value, result in pairs:
        if value is None or isinstance(value, bool):
            words.setdefault({None: "null", True: "true", False: "false"}[value], result)
        elif isinstance(value, str):
            strings.setdefault(str.__str__(value), result)
        elif isinstance(value, int):
            integers.setdefault(int(value), result)
        elif isinstance(value, float):
            floats.setdefault(float(value), result)
        else:
            raise refuse(f"{name} has a value of type {type(value).__name__}, which is no str, int, float, bool or None")
    if lax:
        for number, result in integers.items():
            strings.setdefault(str(number), result)
    return Node(str_choices=strings or None, int_choices=integers or None, float_choices=floats or None, word_choices=words or None)


# Classes of values made of each form; of "call" it is the class itself.
def made_by(form: str) -> Any:
    """The class of the values that a form of strings or numbers gives, or NOTHING where its module is not imported."""
    modules = {
        "decimal": "decimal",
        "datetime": "datetime",
        "date": "datetime",
        "time": "datetime",
        "timedelta": "datetime",
        "uuid": "uuid",
    }
    names = {"decimal": "Decimal", "uuid": "UUID"}
    if form in modules:
        return getattr(sys.modules.get(modules[form]), names.get(form, form), NOTHING)
    return {"int": int, "float": float, "bool": bool, "null": type(None), "str": str, "bytes": bytes, "bytearray": bytearray}.get(
        form, NOTHING
    )
