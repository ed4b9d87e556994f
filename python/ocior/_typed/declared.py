"""What classes of each family declare: `Declared`, a list of fields and facts of the class, not compiled yet.

Classes of other libraries are known by their attributes: attrs by `__attrs_attrs__`, msgspec by `__struct_fields__`. No module is imported
for them.
"""

import dataclasses
import inspect
import typing
from collections.abc import Callable
from typing import Any

from ocior._typed import resolve
from ocior._typed.calls import (
    DeclaredField,
    call_by_keyword,
    expects,
    is_generated_method,
    must_be_called,
    not_given,
    owner_of,
    refuse_abstract,
)
from ocior._typed.nodes import NOTHING


@dataclasses.dataclass
class Declared:
    """A class before its fields are compiled."""

    make: str  # as in nodes.Object
    fields: list[DeclaredField]
    post_init: Callable[[Any], Any] | None = None
    unknown: str | None = None
    omit: str | None = None
    tag: tuple[str, str | int] | None = None
    array: bool = False


def declared(cls: Any, args: tuple[Any, ...], refuse: Callable[[str], Exception]) -> Declared | None:
    """What `cls` declares; None where it is of no family that is known. Raises resolve.Unresolved, and what `refuse` makes."""
    if resolve.is_typed_dict(cls):
        return _of_typed_dict(cls, args, refuse)
    if isinstance(getattr(cls, "__struct_fields__", None), tuple) and hasattr(cls, "__struct_config__"):
        return _of_struct(cls, args)
    if isinstance(getattr(cls, "__attrs_attrs__", None), tuple):
        return _of_attrs(cls, args, refuse)
    if isinstance(getattr(cls, "__dataclass_fields__", None), dict):
        return _of_dataclass(cls, args, refuse)
    return None


def _of_dataclass(cls: Any, args: tuple[Any, ...], refuse: Callable[[str], Exception]) -> Declared:
    refuse_abstract(cls, refuse)
    known = {name: field for name, field in cls.__dataclass_fields__.items() if field._field_type.name != "_FIELD_CLASSVAR"}
    hints = resolve.field_hints(cls, args, known, "__dataclass_fields__")
    fields: list[DeclaredField] = []
    has_init_var = False
    for name, field in known.items():
        has_init_var |= field._field_type.name == "_FIELD_INITVAR"
        made = DeclaredField(
            name, hints.get(name, field.type), keyword=name, init=field.init, positional=not getattr(field, "kw_only", False)
        )
        if field.default is not dataclasses.MISSING:
            made.default = field.default
        if field.default_factory is not dataclasses.MISSING:
            made.factory = field.default_factory
        made.required = field.init and made.default is NOTHING and made.factory is None
        made.doc = getattr(field, "doc", None)
        fields.append(made)
    in_order = [field for field in fields if field.init]
    in_order.sort(key=lambda field: not field.positional)  # keyword-only ones last, each group in its order
    files = ("<string>",)
    if owner_of(cls, "__init__") is object:
        is_generated = cls.__new__ is object.__new__
    else:
        is_generated = is_generated_method(cls, "__init__", "__dataclass_fields__", files) and expects(cls, [f.keyword for f in in_order])
    if not is_generated:
        return Declared("call", call_by_keyword(cls, fields, refuse) + not_given(fields))
    if has_init_var or must_be_called(cls, fields) or not is_generated_method(cls, "__setattr__", "__dataclass_fields__", files):
        return Declared("call", in_order + not_given(fields))
    return Declared("store", fields, post_init=getattr(cls, "__post_init__", None))


def _of_attrs(cls: Any, args: tuple[Any, ...], refuse: Callable[[str], Exception]) -> Declared:
    refuse_abstract(cls, refuse)
    hints = resolve.field_hints(cls, args, [attribute.name for attribute in cls.__attrs_attrs__], "__attrs_attrs__")
    fields: list[DeclaredField] = []
    of_instance: set[str] = set()
    calls_code = any(hasattr(cls, name) for name in ("__attrs_pre_init__", "__attrs_post_init__"))
    for attribute in cls.__attrs_attrs__:
        name = attribute.name
        hint = hints.get(name)
        if hint is None:
            hint = attribute.type if attribute.type is not None else Any
        if isinstance(hint, str):
            hint = resolve.evaluate({name: hint}, *resolve.namespaces(cls))[name]
        alias = getattr(attribute, "alias", None) or name.lstrip("_")
        made = DeclaredField(name, hint, keyword=alias, init=attribute.init, positional=not attribute.kw_only, written=alias)
        default = attribute.default
        if type(default).__name__ == "Factory":
            if default.takes_self:
                of_instance.add(name)
                calls_code = True
            else:
                made.factory = default.factory
        elif not _is_attrs_nothing(default):
            made.default = default
        made.required = attribute.init and made.default is NOTHING and made.factory is None and name not in of_instance
        calls_code |= attribute.converter is not None or attribute.validator is not None
        if attribute.converter is not None:
            made.takes = _taken_by(attribute.converter)
        fields.append(made)
    in_order = [field for field in fields if field.init]
    in_order.sort(key=lambda field: not field.positional)
    files = ("<attrs generated",)
    if owner_of(cls, "__init__") is object or not (
        is_generated_method(cls, "__init__", "__attrs_attrs__", files) and expects(cls, [field.keyword for field in in_order])
    ):
        return Declared("call", call_by_keyword(cls, fields, refuse) + not_given(fields))
    sets_by_attrs = "__attrs_attrs__" in vars(owner_of(cls, "__setattr__")) and (
        getattr(cls, "__attrs_own_setattr__", False) or getattr(cls.__setattr__, "__module__", "") in ("attr._make", "attr")
    )
    if calls_code or must_be_called(cls, fields) or not (sets_by_attrs or cls.__setattr__ is object.__setattr__):
        # A default that is made of the instance is left to the constructor; what stands behind it is given by keyword.
        first = next((index for index, field in enumerate(in_order) if field.name in of_instance), len(in_order))
        for field in in_order[first:]:
            field.positional = False
        return Declared("call", in_order + not_given(fields))
    return Declared("store", fields)


def _is_attrs_nothing(value: Any) -> bool:
    return type(value).__module__ in ("attr._make", "attr") and repr(value) == "NOTHING"


def _taken_by(converter: Any) -> Any:
    """The type that the first parameter of a converter is declared as, or NOTHING."""
    function = getattr(converter, "converter", converter)
    if isinstance(function, type):
        return NOTHING
    try:
        parameter = next(iter(inspect.signature(function).parameters))
        return typing.get_type_hints(function, include_extras=True).get(parameter, NOTHING)
    except Exception:  # builtins have no signature, and names in annotations of others may lead nowhere
        return NOTHING


def _of_struct(cls: Any, args: tuple[Any, ...]) -> Declared:
    config = cls.__struct_config__
    hints = resolve.field_hints(cls, args, cls.__struct_fields__)
    names, written, defaults = cls.__struct_fields__, cls.__struct_encode_fields__, cls.__struct_defaults__
    fields: list[DeclaredField] = []
    for index, name in enumerate(names):
        made = DeclaredField(name, hints.get(name, Any), keyword=name, written=written[index], positional=False)
        at = index - (len(names) - len(defaults))
        if at >= 0 and repr(defaults[at]) != "NODEFAULT":
            made.required = False
            if type(defaults[at]).__name__ == "Factory" and type(defaults[at]).__module__.startswith("msgspec"):
                made.factory = defaults[at].factory
            else:
                made.default = defaults[at]
        fields.append(made)
    return Declared(
        "struct",
        fields,
        post_init=getattr(cls, "__post_init__", None),
        unknown="forbid" if config.forbid_unknown_fields else None,
        omit="defaults" if config.omit_defaults else None,
        tag=(config.tag_field, config.tag) if config.tag is not None else None,
        array=config.array_like,
    )


def _of_typed_dict(cls: Any, args: tuple[Any, ...], refuse: Callable[[str], Exception]) -> Declared:
    required: frozenset[str] = getattr(cls, "__required_keys__", frozenset())
    fields = []
    for name, hint in resolve.typed_dict_hints(cls, args).items():
        found, _, _ = resolve.qualifiers(hint)
        is_required = "Required" in found or (name in required and "NotRequired" not in found)
        fields.append(DeclaredField(name, hint, required=is_required, keyword=name, positional=False))
    extra = getattr(cls, "__extra_items__", None)
    is_closed = getattr(cls, "__closed__", None) is True or resolve.is_named(extra, "Never")
    is_open = extra is None or resolve.is_named(extra, "NoExtraItems") or repr(extra).endswith("NoExtraItems")
    if not is_closed and not is_open:
        raise refuse("a TypedDict with extra_items; a field with Rest() in a class keeps other keys")
    return Declared("typeddict", fields, unknown="forbid" if is_closed else None)
