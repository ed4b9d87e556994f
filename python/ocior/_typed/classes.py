"""Nodes of classes with fields: dataclasses, attrs classes, Structs of msgspec, TypedDicts."""

import sys
from typing import Any

from ocior._typed import annotated, resolve
from ocior._typed.calls import DeclaredField
from ocior._typed.compiler import At
from ocior._typed.declared import Declared
from ocior._typed.markers import MISSING, Missing, Rules
from ocior._typed.nodes import NOTHING, Array, Field, Node, Object
from ocior._typed.rules import renamed


class DecidedTag:
    """A Tag with the Objects of its classes."""

    __slots__ = ("name", "types")

    def __init__(self, name: str, types: dict[Any, Object]) -> None:
        self.name = name
        self.types = types


def fill_class(compiler: Any, node: Node, cls: Any, declared: Declared, rules: Rules, at: At) -> None:
    """Gives the node of a class, made by `class_node`, its fields."""
    target = node.object if node.object is not None else node.array.object
    is_typed_dict = declared.make == "typeddict"
    target.make, target.post_init = declared.make, declared.post_init
    target.unknown = rules.unknown or declared.unknown or compiler.unknown
    if is_typed_dict and rules.array:
        raise at.refuse("a TypedDict is no array")
    fields: list[Field] = []
    for one in declared.fields:
        place = at.inside(f"{target.name}.{one.name}")
        field = _field(compiler, one, rules, declared, place)
        if field is None:
            continue
        if field.node is None:  # a Rest
            if is_typed_dict or rules.array or declared.array:
                raise place.refuse("Rest stands in classes that are objects")
            if target.rest >= 0:
                raise place.refuse(f"{fields[target.rest].name} is a Rest already")
            target.rest = len(fields)
            _fill_rest(compiler, field, one, place)
        fields.append(field)
    target.fields = tuple(fields)
    target.names = _names(target, at)
    tag = rules.tag if rules.tag is not None else declared.tag
    if tag is not None:
        _set_tag(compiler, target, tag, at)
        if target.array:
            raise at.refuse("a class with a tag is no array")


def class_node(cls: Any, name: str, declared: Declared, rules: Rules) -> Node:
    """The node of a class, its fields still to come, so that they may refer to it."""
    is_array = rules.array if rules.array is not None else declared.array
    kind = "typeddict" if declared.make == "typeddict" else "class"
    target = Object(kind=kind, type=cls, name=name, expected=name, array=is_array)
    if is_array:
        return Node(array=Array(kind="class", object=target, expected=name), expected=name)
    return Node(object=target, expected=name)


def _field(compiler: Any, one: DeclaredField, rules: Rules, declared: Declared, at: At) -> Field | None:
    found, metadata, inner = resolve.qualifiers(one.type)
    if "ClassVar" in found:
        return None
    notes = annotated.read(metadata, at.refuse, inner)
    try:
        written = one.written if one.written is not None and rules.rename is None else renamed(one.name, rules.rename)
    except TypeError as error:
        raise at.refuse(str(error)) from error
    read = notes.alias or (written,)
    field = Field(
        name=sys.intern(str(one.name)),
        written=notes.written if notes.written is not None else written,
        required=one.required,
        default=one.default,
        factory=one.factory,
        positional=one.positional,
        keyword=one.keyword,
        init=one.init,
        omit=rules.omit or declared.omit or "",
        alias_read=tuple(read),
    )
    if one.doc:
        notes.notes.setdefault("description", one.doc)
    field.notes = notes.notes or None
    if notes.is_rest:
        if notes.alias or notes.steps or notes.convert or notes.rules or notes.tag or notes.is_lax is not None:
            raise at.refuse("Rest goes with no other marker")
        return field
    inner, field.missing = _without_missing(inner, one, at)
    if one.takes is not NOTHING:
        inner, metadata = one.takes, ()
    field.node = _node_of(compiler, inner, metadata, one.init, at)
    compiler.waiting.check(lambda: setattr(field, "dump", field.node.dump))
    return field


def _node_of(compiler: Any, inner: Any, metadata: tuple[Any, ...], is_read: bool, at: At) -> Node:
    def make() -> Node:
        return compiler.annotated_node(inner, metadata, at, in_field=True)

    if is_read:
        return make()
    # A field that is not read may be of any type.
    made = compiler.attempt(make)
    return Node(whole="any", expected="anything") if made is None else made


def _without_missing(value: Any, one: DeclaredField, at: At) -> tuple[Any, bool]:
    """The type of a field without Missing in its union, and whether its default says that it is absent."""
    if is_missing_type(value):
        raise at.refuse("nothing but Missing: a field that can never be there")
    if not resolve.is_union(value):
        return value, False
    members = value.__args__
    kept = tuple(member for member in members if not is_missing_type(member))
    if len(kept) == len(members):
        return value, False
    if not kept:
        raise at.refuse("nothing but Missing: a field that can never be there")
    is_absent = one.default is not NOTHING and is_missing_value(one.default)
    return resolve.union_of(kept), is_absent


def is_missing_value(value: Any) -> bool:
    """Whether it is ocior.MISSING, msgspec.UNSET or pydantic.MISSING."""
    if value is MISSING:
        return True
    kind = type(value)
    if kind.__name__ == "UnsetType":
        return kind.__module__.startswith("msgspec")
    return kind.__name__.lower() == "sentinel" and repr(value).endswith("MISSING")


def is_missing_type(value: Any) -> bool:
    """Whether it is the type of one of these, or, as pydantic has it, one of these itself."""
    if resolve.is_class(value):
        return value is Missing or (value.__name__ == "UnsetType" and value.__module__ in ("msgspec", "msgspec._core"))
    if resolve.is_named(resolve.origin_of(value), "Literal"):
        return all(is_missing_value(one) for one in value.__args__)
    return is_missing_value(value)


def _fill_rest(compiler: Any, field: Field, one: DeclaredField, at: At) -> None:
    node = compiler.node(resolve.qualifiers(one.type)[2], at)
    container = node.object
    is_dict = not node.is_open and not node.members and container is not None and container.kind == "dict" and container.type is dict
    key = container.key if is_dict else None
    if not is_dict or not (key is None or (key.whole == "any" or key.string == ("str",))):
        raise at.refuse("Rest is for a field of type dict[str, T]")
    field.node = container.value
    field.required = False
    field.alias_read = ()
    if field.default is NOTHING and field.factory is None:
        field.factory = dict


def _names(target: Object, at: At) -> dict[str, int]:
    names: dict[str, int] = {}
    written: dict[str, str] = {}
    for index, field in enumerate(target.fields):
        if index == target.rest:
            continue
        if field.init:
            for name in field.alias_read:
                if name in names:
                    raise at.refuse(f"{target.fields[names[name]].name} and {field.name} are both {name!r} in JSON")
                names[name] = index
        if field.written in written:
            raise at.refuse(f"{written[field.written]} and {field.name} are both {field.written!r} in JSON")
        written[field.written] = field.name
    return names


def _set_tag(compiler: Any, target: Object, tag: tuple[str, str | int], at: At) -> None:
    """A tag is a member of its own, unless a field of this name is a Literal or an Enum with its value."""
    key, value = tag
    index = target.names.get(key)
    if index is None:
        if any(field.written == key for field in target.fields):
            raise at.refuse(f"the tag {key!r} has the name of a field")
        target.tag_name, target.tag_value = key, value
        return
    node = target.fields[index].node

    def check() -> None:
        choices = node.str_choices if isinstance(value, str) else node.int_choices
        if value not in (choices or ()):
            raise at.refuse(f"the tag {key!r} is a field, which does not allow {value!r}")

    compiler.waiting.check(check)
