"""The door: `compile(type)` turns a type of Python into a Node, which the core and the schema read.

Whatever is wrong with a type is a TypeError here, which names the place in it: `Order.lines: ...`.
"""

import typing
from collections.abc import Callable, Mapping
from typing import Any

from ocior._typed import annotated, classes, containers, resolve
from ocior._typed.calls import refuse_abstract
from ocior._typed.compiler import At, Waiting
from ocior._typed.declared import declared
from ocior._typed.finish import finish
from ocior._typed.hooks import DumpByType, hooked
from ocior._typed.limits import constrained
from ocior._typed.markers import Convert, Rules
from ocior._typed.nodes import KINDS, NOTHING, STRING_FORMS, Array, Field, Node, Object
from ocior._typed.resolve import name_of
from ocior._typed.rules import rules_of
from ocior._typed.scalars import enum_node, literal_node, scalar_node
from ocior._typed.unions import NotTold, merged, with_tag

__all__ = ["KINDS", "NOTHING", "STRING_FORMS", "Array", "Field", "Node", "Object", "compile"]


def compile(
    type: Any,
    *,
    strict: bool = True,
    unknown: str = "ignore",
    rules: Mapping[Any, Rules] | None = None,
    convert: Mapping[Any, Convert] | None = None,
    is_read: bool = True,
) -> Node:
    """The Node of a type.

    `strict`: false takes numbers in strings and the like. `unknown`: "ignore" or "forbid", for classes whose Rules say nothing. `rules`:
    Rules by class. `convert`: Convert by type. `is_read`: false for what is written only, so that it does not matter how it would be read:
    types that ocior does not know are anything, and members of a union need not be told apart. Raises TypeError for a type that ocior does not know, or whose unions it cannot tell apart.
    """
    if unknown not in ("ignore", "forbid"):
        raise ValueError(f"unknown is 'ignore' or 'forbid', not {unknown!r}")
    for cls, value in (rules or {}).items():
        if not resolve.is_class(cls):
            raise TypeError(f"rules: {name_of(cls)} is no class; what holds for a generic class holds for all its arguments")
        if not isinstance(value, Rules):
            raise TypeError(f"rules: what stands for {name_of(cls)} must be an ocior.Rules, not {name_of(value.__class__)}")
    for cls, one in (convert or {}).items():
        if not isinstance(one, Convert):
            raise TypeError(f"convert: what stands for {name_of(cls)} must be an ocior.Convert, not {name_of(one.__class__)}")
    return Compiler(unknown, rules or {}, convert or {}, is_read).compile(type, At(name_of(type), not strict))


class Compiler:
    """One compilation. `unknown`, `rules`, `convert`, `is_read`: as in `compile`."""

    def __init__(self, unknown: str, rules: Mapping[Any, Rules], convert: Mapping[Any, Convert], is_read: bool) -> None:
        self.unknown = unknown
        self.is_read = is_read
        self.rules = rules
        self.convert = convert
        self.waiting = Waiting()
        self._known: dict[Any, Node] = {}
        self._unhashable: list[tuple[Any, Node]] = []

    def compile(self, type: Any, at: At) -> Node:
        found, metadata, inner = resolve.qualifiers(type)
        if "ClassVar" in found or "InitVar" in found:
            raise at.refuse("ClassVar and InitVar stand in classes only")
        node = self.annotated_node(inner, metadata, at)
        self.waiting.settle()
        finish(node, at, self.is_read)
        return node

    def node(self, type: Any, at: At) -> Node:
        """The node of a type; it may be open still."""
        convert = self._convert_of(type, at)
        if convert is not None:
            return self._converted(type, convert, at.skipping(type))
        if type is None:
            type = None.__class__
        if type is Any or type is object:
            return self.once("any", lambda: Node(whole="any", expected="anything"))
        if resolve.is_class(type):
            return self._class_node(type, (), at)
        if isinstance(type, str) or type.__class__.__name__ == "ForwardRef":
            return self.node(self._looked_up(type, at), at)
        if resolve.is_type_variable(type):
            return self._variable_node(type, at)
        if resolve.is_type_alias(type):
            return self._alias_node(type, (), at)
        if resolve.is_union(type):
            return self.union_node(type.__args__, at)
        origin = typing.get_origin(type)
        if origin is None:
            return self._bare_node(type, at)
        if resolve.is_named(origin, "Annotated"):
            inner, metadata = annotated.peeled(type)
            return self.annotated_node(inner, metadata, at)
        if resolve.is_named(origin, "Literal"):
            return literal_node(_literal_values(type), at.is_lax, at.refuse)
        if any(resolve.is_named(origin, name) for name in ("Required", "NotRequired", "ReadOnly", "Final")):
            return self.node(typing.get_args(type)[0], at)
        if resolve.is_type_alias(origin):
            return self._alias_node(origin, typing.get_args(type), at)
        if resolve.is_class(origin):
            return self._class_node(origin, typing.get_args(type), at, is_given=hasattr(type, "__args__"))
        raise at.refuse(f"ocior does not know the type {name_of(type)}")

    def _convert_of(self, type: Any, at: At) -> Convert | None:
        if not self.convert or any(type is known for known in at.skipped):
            return None
        try:
            return self.convert.get(type)
        except TypeError:  # cannot be hashed
            return None

    def _looked_up(self, type: Any, at: At) -> Any:
        """A name outside of a class, where nobody knows in which module it is meant."""
        try:
            return resolve.evaluate({"type": type}, {}, {})["type"]
        except resolve.Unresolved as error:
            raise at.refuse(f"the name {type!r} cannot be looked up: {error.reason}") from error

    def _bare_node(self, type: Any, at: At) -> Node:
        supertype = getattr(type, "__supertype__", None)
        if supertype is not None:
            return self.node(supertype, at)
        if classes.is_missing_value(type):
            raise at.refuse("Missing stands in the union of a field only")
        for name in ("Any", "Union", "Optional"):
            if resolve.is_named(type, name):
                return Node(whole="any", expected="anything")
        if resolve.is_named(type, "LiteralString"):
            return self.node(str, at)
        origin = getattr(type, "__origin__", None)  # typing.List without arguments, on Python 3.10
        if resolve.is_class(origin):
            return self._class_node(origin, (), at)
        raise at.refuse(f"ocior does not know the type {name_of(type)}")

    def _variable_node(self, type: Any, at: At) -> Node:
        """A type variable for which nothing is given: its bound, else its default, else Any."""
        bound = type.__bound__
        if bound is not None:
            return self.node(_in_module_of(type, bound, at), at)
        if type.__constraints__:
            return self.union_node(type.__constraints__, at)
        default = getattr(type, "__default__", None)
        if default is None or resolve.is_named(default, "NoDefault") or repr(default).endswith("NoDefault"):
            return self.node(Any, at)
        return self.node(_in_module_of(type, default, at), at)

    def _alias_node(self, alias: Any, args: tuple[Any, ...], at: At) -> Node:
        key = ("alias", alias, args, at.is_lax)
        known = self._found(key)
        if known is not None:
            return known
        node = Node(is_open=True)
        self._keep(key, node)
        try:
            value = resolve.alias_value(alias, args)
        except resolve.Unresolved as error:
            raise at.refuse(f"{alias.__name__} cannot be looked up: {error.reason}") from error
        made = self.node(value, at)
        if made is node:
            raise at.refuse(f"{alias.__name__} is nothing but itself")
        self.waiting.fill(node, made, alias if not args else alias[args], at)
        return node

    def union_node(self, members: tuple[Any, ...], at: At) -> Node:
        nodes = []
        for member in members:
            if classes.is_missing_type(member):
                raise at.refuse("Missing stands in the union of a field only")
            nodes.append(self.node(member, at))
        return self.waiting.derive(tuple(nodes), lambda: self._merged(nodes, at), at)

    def _merged(self, nodes: list[Node], at: At) -> Node:
        try:
            return merged(nodes)
        except NotTold as error:
            if self.is_read:
                raise at.refuse(str(error)) from None
            return Node(members=tuple(part for node in nodes for part in node.members or (node,)), expected="one of several")

    def annotated_node(self, type: Any, metadata: tuple[Any, ...], at: At, in_field: bool = False) -> Node:
        """The node of a type with metadata. `in_field`: Alias and Rest have been taken."""
        if not metadata:
            return self.node(type, at)
        notes = annotated.read(metadata, at.refuse, type)
        if not in_field and (notes.alias or notes.written or notes.is_rest):
            raise at.refuse(f"{'Rest' if notes.is_rest else 'Alias'} stands around the whole type of a field only")
        if notes.is_lax is not None:
            at = at.lax(notes.is_lax)
        if notes.convert is not None:
            node = self._converted(type, notes.convert, at, notes.rules)
        else:
            node = self._ruled(type, notes.rules, at)
        tag, steps, words = notes.tag, notes.steps, notes.notes

        def make() -> Node:
            made = node
            if tag is not None:
                made = self._tagged(made, tag, at)
            for step in steps:
                made = _constrained(made, *step, at) if isinstance(step, tuple) else _each_hooked(made, step, at)
            return made.copy(notes={**(made.notes or {}), **words}) if words else made

        if tag is None and not steps and not words:
            return node
        return self.waiting.derive((node,), make, at)

    def _converted(self, type: Any, convert: Convert, at: At, rules: Rules | None = None) -> Node:
        if convert.load is None:
            node = self._ruled(type, rules, at)
        elif convert.takes is type or convert.takes == type:
            node = self._ruled(type, rules, at.skipping(type))
        elif rules is not None:
            raise at.refuse("Rules stand beside a Convert that takes another type")
        else:
            node = self.node(convert.takes, at)

        def make() -> Node:
            made = node if convert.load is None else _each_hooked(node, convert.load, at)
            if convert.dump is None:
                return made
            cls = typing.get_origin(type) or type
            return made.copy(dump=DumpByType({cls if resolve.is_class(cls) else object: convert.dump}))

        return self.waiting.derive((node,), make, at)

    def _ruled(self, type: Any, rules: Rules | None, at: At) -> Node:
        if rules is None:
            return self.node(type, at)
        origin = typing.get_origin(type)
        cls = origin if origin is not None else type
        if not resolve.is_class(cls) or resolve.is_union(type):
            raise at.refuse(f"Rules stand beside a class, not beside {name_of(type)}")
        return self._class_node(cls, typing.get_args(type) if origin is not None else (), at, rules=rules)

    def _tagged(self, node: Node, tag: Any, at: At) -> Node:
        types = tag.types
        if types is not None:
            found = {}
            for value, type in types.items():
                made = self.node(type, at)
                if made.is_open or made.object is None or made.object.kind not in ("class", "typeddict"):
                    raise at.refuse(f"the Tag says {value!r} for {name_of(type)}, which is no class with fields")
                found[value] = made.object
            tag = classes.DecidedTag(tag.name, found)
        made = _told(lambda: with_tag(node, tag), at)
        if made is None:
            raise at.refuse("Tag stands beside a union of classes")
        return made

    def _class_node(self, cls: Any, args: tuple[Any, ...], at: At, is_given: bool = False, rules: Rules | None = None) -> Node:
        if rules is None or rules == Rules():
            node = self._leaf_node(cls, args, at, is_given)
            if node is not None:
                return node
        facts = self._declared(cls, args, at)
        if facts is None and not self.is_read:
            return Node(whole="any", expected="anything")
        if facts is None:
            raise at.refuse(_unknown_class(cls) if rules is None else f"Rules stand beside a class with fields, not beside {name_of(cls)}")
        try:
            effective = rules_of(cls, rules, self._rules_for(cls))
        except TypeError as error:
            raise at.refuse(str(error)) from error
        name = cls.__name__ if not args else f"{cls.__name__}[{', '.join(map(name_of, args))}]"
        return self.once(
            ("class", cls, args, effective, at.is_lax),
            lambda: classes.class_node(cls, name, facts, effective),
            lambda node: classes.fill_class(self, node, cls, facts, effective, At(cls.__name__, at.is_lax)),
        )

    def _leaf_node(self, cls: Any, args: tuple[Any, ...], at: At, is_given: bool) -> Node | None:
        node = self._found(("scalar", cls, at.is_lax)) or scalar_node(cls, at.is_lax)
        if node is not None:
            self._keep(("scalar", cls, at.is_lax), node)
            return node
        if classes.is_missing_type(cls):
            raise at.refuse("Missing stands in the union of a field only")
        if cls.__name__ == "Raw" and cls.__module__.split(".")[0] == "ocior":
            return Node(whole="raw", expected="anything")
        if cls.__name__ == "Raw" and cls.__module__ == "msgspec":
            return Node(whole="model", model=cls, expected="anything")
        model = _model_of(cls, at)
        if model is not None:
            return Node(whole="model", model=model, expected=cls.__name__, source=cls)
        if any(base.__name__ == "Enum" and base.__module__ == "enum" for base in cls.__mro__):
            return self._known.setdefault(("enum", cls, at.is_lax), enum_node(cls, at.is_lax, at.refuse))
        if cls is tuple and is_given and not args:
            return containers.empty_tuple_node()
        if resolve.is_typed_dict(cls) or hasattr(cls, "__dataclass_fields__") or hasattr(cls, "__attrs_attrs__"):
            return None
        return containers.container_node(self, cls, args, at)

    def _declared(self, cls: Any, args: tuple[Any, ...], at: At) -> Any:
        try:
            return declared(cls, args, At(cls.__name__, at.is_lax).refuse)
        except resolve.Unresolved as error:
            raise TypeError(f"{cls.__name__}.{error.name}: its type cannot be looked up: {error.reason}") from error

    def hints(self, cls: Any, args: tuple[Any, ...], names: tuple[str, ...]) -> dict[str, Any]:
        """resolve.field_hints, with a TypeError for what is not found."""
        try:
            return resolve.field_hints(cls, args, names)
        except resolve.Unresolved as error:
            raise TypeError(f"{cls.__name__}.{error.name}: its type cannot be looked up: {error.reason}") from error

    def _rules_for(self, cls: Any) -> Rules | None:
        return self.rules.get(cls)

    def once(self, key: Any, make: Callable[[], Node], fill: Callable[[Node], None] = lambda node: None) -> Node:
        """The node under this key; at first it is made, then filled, so that it may be met again on the way."""
        node = self._found(key)
        if node is None:
            node = make()
            self._keep(key, node)
            fill(node)
        return node

    def attempt(self, make: Callable[[], Node]) -> Node | None:
        """What `make` returns; None where that is a TypeError, and nothing is left of it."""
        kept = dict(self._known), list(self._unhashable), self.waiting.state()
        try:
            return make()
        except TypeError:
            self._known, self._unhashable = kept[:2]
            self.waiting.restore(kept[2])
            return None

    def _found(self, key: Any) -> Node | None:
        try:
            return self._known.get(key)
        except TypeError:  # metadata of an argument that cannot be hashed
            return next((node for known, node in self._unhashable if known == key), None)

    def _keep(self, key: Any, node: Node) -> None:
        try:
            self._known[key] = node
        except TypeError:
            self._unhashable.append((key, node))


def _told(make: Callable[[], Any], at: At) -> Any:
    try:
        return make()
    except NotTold as error:
        raise at.refuse(str(error)) from None


def _constrained(node: Node, name: str, bound: Any, at: At) -> Node:
    """`node` with a constraint; of a union, its members that it fits."""
    try:
        changed = [constrained(part, name, bound) for part in node.members or (node,)]
    except (TypeError, ValueError) as error:
        raise at.refuse(f"{name}: {error}") from error
    if all(part is None for part in changed):
        raise at.refuse(f"{name} fits nothing of {node.expected}")
    if not node.members:
        return changed[0]
    parts = [old if new is None else new for old, new in zip(node.members, changed)]
    return _remade(node, parts, at)


def _each_hooked(node: Node, hook: Any, at: At) -> Node:
    if not node.members:
        return hooked(node, hook)
    return _remade(node, [hooked(part, hook) for part in node.members], at)


def _remade(node: Node, parts: list[Node], at: At) -> Node:
    made = _told(lambda: merged(parts), at)
    return made.copy(notes=node.notes, dump=node.dump if made.dump is None else made.dump)


def _literal_values(type: Any) -> tuple[Any, ...]:
    values: list[Any] = []
    for value in type.__args__:
        # `type X = Literal[...]` inside of a Literal.
        if resolve.is_type_alias(value):
            value = resolve.alias_value(value)
        values += _literal_values(value) if resolve.is_named(typing.get_origin(value), "Literal") else [value]
    return tuple(values)


def _in_module_of(variable: Any, type: Any, at: At) -> Any:
    import sys

    try:
        return resolve.evaluate({"type": type}, getattr(sys.modules.get(variable.__module__), "__dict__", {}), {})["type"]
    except resolve.Unresolved as error:
        raise at.refuse(f"the bound of {variable.__name__} cannot be looked up: {error.reason}") from error


def _unknown_class(cls: Any) -> str:
    try:
        refuse_abstract(cls, TypeError)
    except TypeError as error:
        return str(error)
    return f"ocior does not know how to read {name_of(cls)}; convert={{{cls.__name__}: Convert(...)}} says it"


def _model_of(cls: Any, at: At) -> Callable[[Any], Any] | None:
    """What reads JSON text as a model of pydantic, or None."""
    if not hasattr(cls, "__pydantic_validator__") or not hasattr(cls, "__pydantic_core_schema__"):
        return None
    if getattr(cls, "__pydantic_complete__", True) is False and hasattr(cls, "model_rebuild"):
        try:
            cls.model_rebuild()
        except Exception as error:
            raise at.refuse(f"pydantic cannot complete {cls.__name__}: {error}") from error
    validate = getattr(cls.__pydantic_validator__, "validate_json", None)
    if validate is None:
        raise at.refuse(f"{cls.__name__} has no validator of pydantic's")
    return validate
