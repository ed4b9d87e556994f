"""Annotations of classes as types: names in strings looked up, type variables of generic bases put in.

`field_hints(cls, args, names)` gives what a class and its bases declare, whichever way the interpreter keeps it: values, strings
(`from __future__ import annotations`), or functions that are called late (Python 3.14).
"""

import sys
import types
import typing
from collections.abc import Iterable
from typing import Any, Union

if sys.version_info >= (3, 14):
    import annotationlib

UnionType = types.UnionType
GenericAlias = types.GenericAlias


class Unresolved(Exception):
    """A name in an annotation is not known. `name`: the field."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason


def is_named(value: Any, name: str) -> bool:
    """Whether `value` is the special form of this name, of `typing` or of `typing_extensions`, which must not be imported for this."""
    for module in ("typing", "typing_extensions"):
        known = getattr(sys.modules.get(module), name, None)
        if known is not None and value is known:
            return True
    return False


def is_class(value: Any) -> bool:
    """Whether `value` is a class, and not an alias such as list[int], which says on Python 3.10 that it is one."""
    return isinstance(value, type) and not isinstance(value, GenericAlias)


def is_type_alias(value: Any) -> bool:
    """Whether `type X = ...` has made `value`, or TypeAliasType of either module."""
    return type(value).__name__ == "TypeAliasType" and type(value).__module__ in ("typing", "typing_extensions")


def is_type_variable(value: Any) -> bool:
    return type(value).__name__ == "TypeVar" and type(value).__module__ in ("typing", "typing_extensions")


def is_typed_dict(value: Any) -> bool:
    return is_class(value) and type(value).__name__ == "_TypedDictMeta"


def is_union(value: Any) -> bool:
    return typing.get_origin(value) in (Union, UnionType)


def origin_of(value: Any) -> Any:
    return typing.get_origin(value)


def union_of(members: tuple[Any, ...]) -> Any:
    """The union of these types."""
    return members[0] if len(members) == 1 else Union[members]


def name_of(value: Any) -> str:
    """A type in words, without the modules of its parts: list[Item] | None."""
    if value is None or value is type(None):
        return "None"
    if is_class(value) or is_type_variable(value):
        return value.__name__
    if value is ...:
        return "..."
    origin = typing.get_origin(value)
    if origin is None or is_named(origin, "Literal"):
        return repr(value).replace("typing.", "")
    args = typing.get_args(value)
    if is_union(value):
        return " | ".join(map(name_of, args))
    if is_named(origin, "Annotated"):
        return name_of(args[0])
    inside = ", ".join(f"[{', '.join(map(name_of, argument))}]" if isinstance(argument, list) else name_of(argument) for argument in args)
    return f"{getattr(origin, '__name__', None) or repr(origin).replace('typing.', '')}[{inside}]"


def own_annotations(cls: Any) -> dict[str, Any]:
    """What the body of the class annotates, names in strings not looked up."""
    if sys.version_info >= (3, 14):
        try:
            return dict(annotationlib.get_annotations(cls))
        except NameError:
            return dict(annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF))
    return dict(vars(cls).get("__annotations__", {}))


def bound_parameters(cls: Any, args: tuple[Any, ...]) -> dict[Any, dict[Any, Any]]:
    """For `cls` with these arguments, and for each of its generic bases: its type variables and what stands for them."""
    found: dict[Any, dict[Any, Any]] = {}
    _add_bound(found, cls, args)
    return found


def _add_bound(found: dict[Any, dict[Any, Any]], origin: Any, arguments: tuple[Any, ...]) -> None:
    # A base that is met with arguments on one way and without on another has them.
    if origin in found and (found[origin] or not arguments):
        return
    parameters = getattr(origin, "__parameters__", ())
    if arguments and any(type(parameter).__name__ in ("TypeVarTuple", "ParamSpec") for parameter in parameters):
        raise TypeError(f"{origin.__name__}: a TypeVarTuple or a ParamSpec; ocior knows classes with TypeVars alone")
    found[origin] = dict(zip(parameters, arguments)) if arguments else {}
    for base in getattr(origin, "__orig_bases__", None) if "__orig_bases__" in vars(origin) else origin.__bases__:
        of = typing.get_origin(base)
        if of is None:
            if is_class(base):
                _add_bound(found, base, ())
        elif is_class(of) and of is not typing.Generic:
            _add_bound(found, of, tuple(substitute(argument, found[origin]) for argument in typing.get_args(base)))


def substitute(value: Any, by: dict[Any, Any]) -> Any:
    """The type `value` with its type variables replaced, as far as `by` has them."""
    if not by:
        return value
    if is_type_variable(value):
        return by.get(value, value)
    if is_class(value) or is_type_alias(value):
        return value  # no arguments were given: its own variables are meant
    if isinstance(value, dataclass_init_var()):
        return dataclass_init_var()(substitute(value.type, by))
    parameters = getattr(value, "__parameters__", None)
    if not isinstance(parameters, tuple) or not any(parameter in by for parameter in parameters):
        return value
    return value[tuple(by.get(parameter, parameter) for parameter in parameters)]


class _NoInitVar:
    type: Any = None


def dataclass_init_var() -> Any:
    """dataclasses.InitVar, or a class without instances where nobody has imported dataclasses."""
    return getattr(sys.modules.get("dataclasses"), "InitVar", _NoInitVar)


def namespaces(cls: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The globals and locals in which strings in the body of `cls` are looked up.

    What the body assigns to a field, a default, is no type: `date: "date" = None` means the class of the module.
    """
    outer = getattr(sys.modules.get(getattr(cls, "__module__", "")), "__dict__", {})
    annotated = own_annotations(cls)
    inner = {cls.__name__: cls}
    inner.update((name, value) for name, value in vars(cls).items() if name not in annotated)
    inner.update((parameter.__name__, parameter) for parameter in getattr(cls, "__type_params__", ()))
    return outer, inner


def evaluate(annotations: dict[str, Any], outer: dict[str, Any], inner: dict[str, Any]) -> dict[str, Any]:
    """These annotations with the names in them looked up. Raises Unresolved."""
    if not any(map(_has_names, annotations.values())):
        return annotations
    try:
        return _evaluate(annotations, outer, inner)
    except (RecursionError, MemoryError):
        raise
    except Exception:
        # One after the other, to tell which it is.
        for name, value in annotations.items():
            try:
                _evaluate({name: value}, outer, inner)
            except Exception as error:
                raise Unresolved(name, f"{type(error).__name__}: {error}") from error
        raise


def _evaluate(annotations: dict[str, Any], outer: dict[str, Any], inner: dict[str, Any]) -> dict[str, Any]:
    # ClassVar and Final may stand in the annotations of a class alone.
    holder = type("Annotations", (), {"__annotations__": dict(annotations), "__module__": "builtins"})
    return typing.get_type_hints(holder, outer, inner, include_extras=True)


def _has_names(value: Any, seen: tuple[Any, ...] = ()) -> bool:
    """Whether a string stands for a type in `value`."""
    if isinstance(value, (str, typing.ForwardRef)) or type(value).__name__ == "ForwardRef":
        return True
    if isinstance(value, dataclass_init_var()):
        return _has_names(value.type)
    origin = typing.get_origin(value)
    if origin is None or is_named(origin, "Literal"):
        return False
    if is_named(origin, "Annotated"):
        return _has_names(value.__origin__)
    return any(map(_has_names, typing.get_args(value)))


def field_hints(cls: Any, args: tuple[Any, ...], names: Iterable[str], marker: str | None = None) -> dict[str, Any]:
    """The types of these fields, each as the first class that annotates it says, among those that `cls` comes of. `marker`: an attribute
    that such a class has itself. Raises Unresolved.

    Other annotations are left alone: their names may be known to type checkers only.
    """
    bound = bound_parameters(cls, args)
    wanted = set(names)
    hints: dict[str, Any] = {}
    for base in cls.__mro__:
        if not wanted:
            break
        if base is object or base is typing.Generic or (marker is not None and marker not in vars(base)):
            continue
        own = {name: _without_init_var(base, name, value) for name, value in own_annotations(base).items() if name in wanted}
        if own:
            for name, value in evaluate(own, *namespaces(base)).items():
                hints[name] = substitute(_inside_init_var(value, base), bound.get(base, {}))
            wanted.difference_update(own)
    return hints


def _without_init_var(cls: Any, name: str, value: Any) -> Any:
    """What stands in "InitVar[...]", a string: Python 3.10 does not take that for a type."""
    if not isinstance(value, str) or "__dataclass_fields__" not in vars(cls):
        return value
    field = cls.__dataclass_fields__.get(name)
    if field is None or field._field_type.name != "_FIELD_INITVAR":
        return value
    return value[value.index("[") + 1 : value.rindex("]")] if "[" in value else Any


def _inside_init_var(value: Any, cls: Any) -> Any:
    """InitVar["int"] as InitVar[int]: get_type_hints does not look into it."""
    if isinstance(value, dataclass_init_var()) and _has_names(value.type):
        return dataclass_init_var()(evaluate({"type": value.type}, *namespaces(cls))["type"])
    return value


def typed_dict_hints(cls: Any, args: tuple[Any, ...] = ()) -> dict[str, Any]:
    """The items of a TypedDict, those of its bases included, as types with Required, NotRequired and ReadOnly around them."""
    by = dict(zip(getattr(cls, "__parameters__", ()), args)) if args else {}
    hints: dict[str, Any] = {}
    raw: dict[str, Any] = {}
    for base in getattr(cls, "__orig_bases__", ()):
        origin = typing.get_origin(base) or base
        if is_typed_dict(origin):
            hints.update(typed_dict_hints(origin, tuple(substitute(argument, by) for argument in typing.get_args(base))))
            raw.update(own_annotations(origin))
    declared = own_annotations(cls)
    own = {name: value for name, value in declared.items() if name not in raw or raw[name] != value or name not in hints}
    own = evaluate(own, *namespaces(cls))
    hints.update((name, substitute(value, by)) for name, value in own.items())
    return {name: hints[name] for name in declared}


def alias_value(alias: Any, args: tuple[Any, ...] = ()) -> Any:
    """What `type X[...] = ...` stands for, with these arguments. Raises Unresolved."""
    try:
        value = alias.__value__
    except NameError as error:
        raise Unresolved(alias.__name__, f"{type(error).__name__}: {error}") from error
    parameters = alias.__type_params__
    outer = getattr(sys.modules.get(getattr(alias, "__module__", "") or ""), "__dict__", {})
    inner = {alias.__name__: alias, **{parameter.__name__: parameter for parameter in parameters}}
    value = evaluate({alias.__name__: value}, outer, inner)[alias.__name__]
    return substitute(value, dict(zip(parameters, args))) if args else value


def qualifiers(value: Any) -> tuple[set[str], tuple[Any, ...], Any]:
    """Takes Required, NotRequired, ReadOnly, Final, ClassVar and Annotated off a type: their names, the metadata of all Annotated, the
    innermost first, and what is left."""
    found: set[str] = set()
    metadata: tuple[Any, ...] = ()
    while True:
        if isinstance(value, dataclass_init_var()):
            found.add("InitVar")
            value = value.type
            continue
        if value is dataclass_init_var():
            return found | {"InitVar"}, metadata, Any
        origin = typing.get_origin(value)
        if origin is not None and is_named(origin, "Annotated"):
            metadata = value.__metadata__ + metadata
            value = value.__origin__
            continue
        name = next((name for name in ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar") if is_named(origin, name)), None)
        if name is None:
            bare = next((name for name in ("Final", "ClassVar") if is_named(value, name)), None)
            return (found | {bare}, metadata, Any) if bare else (found, metadata, value)
        found.add(name)
        value = typing.get_args(value)[0]
