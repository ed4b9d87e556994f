"""What the core's encoder is told of types: how the objects of classes are written that say so themselves, or for which its caller does.

Objects are written by the class that they have, so nearly all is said of classes: the core asks `Plans.resolve` for each class once. What
a class cannot tell, the names in a TypedDict and functions for values of json's own types, is said of places, and done here, in Python,
before the core writes the value.

Reading has to know each type; writing has not, so that types are passed over here that `hints` refuses.
"""

import typing
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from weakref import ref

from ocior._typed import resolve
from ocior._typed.classes import is_missing_type
from ocior._typed.declared import Declared, DeclaredField
from ocior._typed.declared import declared as read_declared
from ocior._typed.markers import Convert, Rules
from ocior._typed.nodes import NOTHING
from ocior._typed.rules import renamed, rules_of
from ocior._typed.written import OMITS_MISSING, OMITS_NONE, Dump, Place, TypedDictForm, missing_values
from ocior._typed.written_classes import (
    by_base,
    check_names,
    class_in_values,
    dataclasses_missing,
    family_of,
    is_special_form,
    is_written_by_class,
    key_of,
    name_of,
    omission,
    plain_str,
    plain_tag,
    read_notes,
    without_missing,
)

__all__ = ["kept_plans", "new_plans"]

_UNSEEN = object()


class ByClass:
    """A value for each class, for as long as the class lives. Classes are told apart by what they are, not by their `__eq__`."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Any, Any]] = {}

    def get(self, cls: Any, otherwise: Any) -> Any:
        entry = self._kept.get(id(cls))
        return entry[1] if entry is not None and entry[0]() is cls else otherwise

    def keep(self, cls: Any, value: Any) -> Any:
        """Keeps a value, unless there is one, and returns that which is kept."""
        kept, key = self._kept, id(cls)

        def forget(life: Any) -> None:
            entry = kept.get(key)
            if entry is not None and entry[0] is life:
                del kept[key]

        entry = kept.setdefault(key, (ref(cls, forget), value))
        if entry[0]() is cls:
            return entry[1]
        kept[key] = (ref(cls, forget), value)  # the last one of this address has died, and is about to be forgotten
        return value


class Plans:
    """How the classes that are met are written, for one type at the root. `rules`, `convert`: as in `ocior.Encoder`."""

    def __init__(self, rules: Mapping[Any, Rules], convert: Mapping[Any, Convert]) -> None:
        self._rules = rules
        self._dumps = {cls: one.dump for cls, one in convert.items() if one.dump is not None}
        self._annotated = ByClass()  # Rules that stand beside a class in Annotated
        self._shapes = ByClass()
        self._missing = missing_values()

    def prepare(self, root: Any) -> Dump | None:
        """Reads the type at the root, and what it leads to. What is to be done to a whole value before it is written, if anything.

        Raises TypeError for what is no type, and for classes whose names cannot be.
        """
        reading = _Reading(self)
        place = reading.place(root, name_of(root), is_root=True)
        reading.finish()
        for cls, shape in reading.shapes:
            known = self._shapes.keep(cls, shape)
            if known is not shape and _differ(known, shape):
                raise _two_ways(cls)
        return place if place.is_changed else None

    def resolve(self, cls: Any) -> Any:
        """What the core asks of a class: None, a function for its objects, or the tuple that form_by_plans() reads."""
        known = self._shapes.get(cls, _UNSEEN)
        return self._shapes.keep(cls, self._look(cls)) if known is _UNSEEN else known

    def _look(self, cls: Any) -> Any:
        dump = self.dump_of(cls)
        if dump is not None:
            return dump
        if family_of(cls) is None:
            return None
        reading = _Reading(self, is_lenient=True)
        reading.add_class(cls, (), None)
        reading.finish()
        return next((shape for found, shape in reading.shapes if found is cls), None)

    def dump_of(self, cls: Any) -> Dump | None:
        return by_base(cls, self._dumps.get) if self._dumps else None

    def dump_of_type(self, type: Any) -> Dump | None:
        try:
            return self._dumps.get(type)
        except TypeError:  # cannot be hashed
            return None

    def annotate(self, cls: Any, rules: Rules) -> None:
        if self._annotated.keep(cls, rules) != rules:
            raise _two_ways(cls)

    def rules_of(self, cls: Any) -> Rules:
        annotated = by_base(cls, lambda base: self._annotated.get(base, None))
        return rules_of(cls, annotated, by_base(cls, self._rules.get) if self._rules else None)

    @property
    def missing(self) -> tuple[Any, ...]:
        return self._missing


class _Reading:
    """One walk over types. `is_lenient`: names in annotations that cannot be looked up are passed over."""

    def __init__(self, plans: Plans, is_lenient: bool = False) -> None:
        self.plans = plans
        self.is_lenient = is_lenient
        self.shapes: list[tuple[Any, Any]] = []  # of classes
        self._classes: dict[Any, list[tuple[DeclaredField, Any, Place, bool]]] = {}
        self._of_class: list[tuple[Any, Declared, Any]] = []
        self._places: dict[Any, Place] = {}
        self._all: list[Place] = []

    # -- places

    def place(self, type: Any, at: str, is_root: bool = False, metadata: tuple[Any, ...] = ()) -> Place:
        _, more, inner = resolve.qualifiers(type)
        metadata = more + metadata
        made = Place()
        self._all.append(made)
        notes = read_notes(metadata, at)
        dump = notes.convert.dump if notes.convert is not None else None
        if dump is None and not is_written_by_class(inner):
            dump = self.plans.dump_of_type(inner)
        if dump is not None:
            made.dump, made.dumped = dump, class_in_values(inner)
        if notes.rules is not None and notes.rules != Rules():
            cls = typing.get_origin(inner) or inner
            if family_of(cls) is None:
                raise TypeError(f"{at}: Rules stand beside a class with fields, not beside {name_of(inner)}")
            if not resolve.is_typed_dict(cls):
                self.plans.annotate(cls, notes.rules)
        self._fill(made, inner, at, is_root, notes.rules)
        return made

    def _fill(self, made: Place, type: Any, at: str, is_root: bool, rules: Rules | None) -> None:
        origin = typing.get_origin(type)
        if resolve.is_union(type):
            made.members = tuple(self.place(member, at) for member in type.__args__ if not is_missing_type(member))
        elif resolve.is_type_alias(type) or resolve.is_type_alias(origin):
            alias, args = (type, ()) if origin is None else (origin, typing.get_args(type))
            made.members = (self._once(("alias", alias, args), lambda: self._alias_value(alias, args, at), at),)
        elif resolve.is_class(type) or resolve.is_class(origin):
            cls, args = (type, ()) if origin is None else (origin, typing.get_args(type))
            self._fill_class(made, cls, args, at, rules)
        elif resolve.is_type_variable(type):
            bound = type.__bound__ or (typing.Union[type.__constraints__] if type.__constraints__ else None)
            if bound is not None and not isinstance(bound, (str, typing.ForwardRef)):
                made.members = (self.place(bound, at),)
        elif hasattr(type, "__supertype__"):
            made.members = (self.place(type.__supertype__, at),)
        elif is_root and type is not None and origin is None and not is_special_form(type):
            raise TypeError(f"{type!r} is no type")

    def _alias_value(self, alias: Any, args: tuple[Any, ...], at: str) -> Any:
        try:
            return resolve.alias_value(alias, args)
        except resolve.Unresolved as error:
            raise TypeError(f"{at}: {alias.__name__} cannot be looked up: {error.reason}") from error

    def _once(self, key: Any, type: Callable[[], Any], at: str) -> Place:
        """The place of what is met again on the way to itself."""
        known = self._places.get(key)
        if known is not None:
            return known
        made = self._places[key] = Place()
        self._all.append(made)
        made.members = (self.place(type(), at),)
        return made

    def _fill_class(self, made: Place, cls: Any, args: tuple[Any, ...], at: str, rules: Rules | None) -> None:
        if resolve.is_typed_dict(cls):
            made.fields = self._typed_dict(cls, args, rules)
        elif family_of(cls) is not None:
            self.add_class(cls, args, rules)
        elif issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple):
            hints = self._hints(cls, args, cls._fields)
            made.items = tuple(self.place(hints.get(name, Any), f"{name_of(cls)}.{name}") for name in cls._fields)
        elif issubclass(cls, tuple) and args and args[-1] is not Ellipsis:
            made.items = tuple(self.place(arg, at) for arg in args if arg != ())
        elif args and issubclass(cls, Mapping):
            made.value = self.place(args[-1], at)
        elif args and hasattr(cls, "__iter__"):
            made.item = self.place(args[0], at)

    def finish(self) -> None:
        """Finds where something changes, and makes the shapes of the classes that were met."""
        for place in self._all:
            place.is_changed = place.dump is not None or (place.fields is not None and place.fields.is_special())
        parents: dict[int, list[Place]] = {}
        for place in self._all:
            for child in place.children():
                parents.setdefault(id(child), []).append(place)
        changed = [place for place in self._all if place.is_changed]
        while changed:
            for parent in parents.get(id(changed.pop()), ()):
                if not parent.is_changed:
                    parent.is_changed = True
                    changed.append(parent)
        for cls, facts, key in self._of_class:
            self.shapes.append((cls, self._shape(cls, facts, self._classes[key])))

    # -- classes

    def _hints(self, cls: Any, args: tuple[Any, ...], names: Iterable[str]) -> dict[str, Any]:
        try:
            return resolve.field_hints(cls, args, names)
        except resolve.Unresolved as error:
            if self.is_lenient:
                return {}
            raise TypeError(f"{name_of(cls)}.{error.name}: its type cannot be looked up: {error.reason}") from error

    def add_class(self, cls: Any, args: tuple[Any, ...], rules: Rules | None) -> None:
        key = (id(cls), key_of(args))
        if key in self._classes or self.plans.dump_of(cls) is not None:
            return
        fields = self._classes[key] = []
        facts = self._declared(cls, args)
        for one in facts.fields:
            at = f"{name_of(cls)}.{one.name}"
            inner, metadata, is_missing = without_missing(one.type)
            notes = read_notes(metadata, at)
            place = self.place(inner, at, metadata=metadata)
            fields.append((one, notes, place, is_missing))
        self._of_class.append((cls, facts, key))

    def _declared(self, cls: Any, args: tuple[Any, ...]) -> Declared:
        """What counts for writing; that the class could not be made is none of it."""
        family = family_of(cls)
        if family == "struct":
            if self.is_lenient and not self._hints(cls, args, cls.__struct_fields__):
                return Declared(
                    "struct", [DeclaredField(name, Any) for name in cls.__struct_fields__], array=cls.__struct_config__.array_like
                )
            found = read_declared(cls, args, TypeError)
            assert found is not None
            return found
        fields = []
        if family == "attrs":
            hint_of = self._hints(cls, args, [attribute.name for attribute in cls.__attrs_attrs__])
            for attribute in cls.__attrs_attrs__:
                hint = hint_of.get(attribute.name, attribute.type if attribute.type is not None else Any)
                alias = getattr(attribute, "alias", None) or attribute.name.lstrip("_")
                one = DeclaredField(attribute.name, Any if isinstance(hint, str) else hint, written=alias)
                if type(attribute.default).__name__ != "Factory":
                    one.default = NOTHING if repr(attribute.default) == "NOTHING" else attribute.default
                elif not attribute.default.takes_self:
                    one.factory = attribute.default.factory
                fields.append(one)
            return Declared("store", fields)
        missing = dataclasses_missing()
        hint_of = self._hints(cls, args, cls.__dataclass_fields__)
        for name, field in cls.__dataclass_fields__.items():
            if field._field_type.name != "_FIELD":
                continue
            hint = hint_of.get(name, Any)
            one = DeclaredField(name, hint)
            if field.default is not missing:
                one.default = field.default
            if field.default_factory is not missing:
                one.factory = field.default_factory
            fields.append(one)
        return Declared("store", fields)

    def _shape(self, cls: Any, facts: Declared, fields: list[tuple[DeclaredField, Any, Place, bool]]) -> Any:
        rules = self.plans.rules_of(cls)
        is_array = facts.array if rules.array is None else rules.array
        omit = rules.omit or facts.omit
        tag = rules.tag if rules.tag is not None else facts.tag
        names, of, usuals, dumps = [], [], [], []
        rest = -1
        for index, (one, notes, place, is_missing) in enumerate(fields):
            if notes.is_rest:
                if rest >= 0 or is_array:
                    at = f"{name_of(cls)}.{one.name}"
                    raise TypeError(f"{at}: Rest stands once in a class, which is an object")
                rest = index
            written = one.written if one.written is not None and rules.rename is None else renamed(one.name, rules.rename)
            names.append(plain_str(notes.written if notes.written is not None else written))
            bits, usual = omission(one, omit)
            of.append(bits | (OMITS_MISSING if is_missing else 0))
            usuals.append(usual)
            dumps.append(place if place.is_changed and not notes.is_rest else None)
        check_names(cls, names, rest)
        if tag is not None and tag[0] in names and not is_array:
            tag = None  # a field with this name says it
        attributes = tuple(one.name for one, *_ in fields)
        has_own = rest >= 0 or any(dump is not None for dump in dumps)
        if facts.make == "struct" and not has_own and (rules == Rules() or (is_array, omit, tag) == (facts.array, facts.omit, facts.tag)):
            if tuple(names) == cls.__struct_encode_fields__:
                return None  # the core knows Structs by heart
        if tuple(names) == attributes and not has_own and not any(of) and tag is None and not is_array:
            return None
        dumps = [place.dump if place is not None and place.dump is not None and place.dumped is object else place for place in dumps]
        tag_name, tag_value = plain_tag(tag) or (None, None)
        return attributes, tuple(names), tuple(of), tuple(usuals), tuple(dumps), self.plans.missing, tag_name, tag_value, rest, is_array

    def _typed_dict(self, cls: Any, args: tuple[Any, ...], rules: Rules | None) -> TypedDictForm:
        key = ("typed dict", id(cls), key_of(args), None if rules is None else id(rules))
        known = self._typed_dicts.get(key)
        if known is not None:
            return known
        form = self._typed_dicts[key] = TypedDictForm()
        found = rules_of(cls, rules, self.plans._rules.get(cls) if self.plans._rules else None)
        if found.array:
            raise TypeError(f"{name_of(cls)}: a TypedDict is no array")
        form.tag = plain_tag(found.tag)
        try:
            hints = resolve.typed_dict_hints(cls, args)
        except resolve.Unresolved as error:
            raise TypeError(f"{name_of(cls)}.{error.name}: its type cannot be looked up: {error.reason}") from error
        required = set(getattr(cls, "__required_keys__", ()))
        for name, hint in hints.items():
            at = f"{name_of(cls)}.{name}"
            qualifiers, _, _ = resolve.qualifiers(hint)
            inner, metadata, is_missing = without_missing(hint)
            notes = read_notes(metadata, at)
            if notes.is_rest:
                raise TypeError(f"{at}: Rest stands in classes that are objects")
            if "NotRequired" in qualifiers:
                required.discard(name)
            form.names[name] = plain_str(notes.written if notes.written is not None else renamed(name, found.rename))
            form.omits[name] = (OMITS_NONE if found.omit == "none" else 0) | (OMITS_MISSING if is_missing else 0)
            form.places[name] = self.place(inner, at, metadata=metadata)
            if resolve.is_named(typing.get_origin(inner), "Literal"):
                form.literals[name] = inner.__args__
        form.required = frozenset(required)
        check_names(cls, list(form.names.values()), -1)
        if form.tag is not None and form.tag[0] in form.names.values():
            form.tag = None
        return form

    @property
    def _typed_dicts(self) -> dict[Any, Any]:
        return self._places


def _differ(one: Any, other: Any) -> bool:
    """Whether two shapes of one class say different things."""
    if one is None or other is None or callable(one):
        return not callable(one) and one is not other
    same = all(a == b for a, b in zip(one[:3] + one[6:], other[:3] + other[6:]))
    return not same or any((a is None) != (b is None) for a, b in zip(one[4], other[4]))


def _two_ways(cls: Any) -> TypeError:
    return TypeError(f"{name_of(cls)} would have to be written in two ways; rules= and convert= say one for all places")


# ---- plans, and those that are kept


def new_plans(plans_class: Any, type: Any, rules: Mapping[Any, Rules] | None = None, convert: Mapping[Any, Convert] | None = None) -> Any:
    """The plans for a type, of the core's class for them. Raises TypeError where the type, or one that it leads to, cannot be written so."""
    for name, given, kind in (("rules", rules, Rules), ("convert", convert, Convert)):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"{name} must be a dict by class, not {given.__class__.__name__}")
        for cls, one in (given or {}).items():
            if not isinstance(one, kind):
                raise TypeError(f"{name}: what stands for {name_of(cls)} must be an ocior.{kind.__name__}, not {one.__class__.__name__}")
    plans = Plans(dict(rules or {}), dict(convert or {}))
    return plans_class(plans.resolve, plans.prepare(type))


_MOST_OTHERS = 64


class Kept:
    """The plans that one core has been given by `kept_plans`."""

    __slots__ = ("of_classes", "of_others")

    def __init__(self) -> None:
        self.of_classes = ByClass()
        self.of_others: OrderedDict[Any, Any] = OrderedDict()


# By the core's class for plans: a process may have cores of several levels.
_kept: dict[Any, Kept] = {}


def kept_plans(plans_class: Any, type_: Any) -> Any:
    """The plans of `ocior.dumps(value, type=...)`. Those of a class live as long as the class; of other types the last 64 are kept."""
    kept = _kept.get(plans_class) or _kept.setdefault(plans_class, Kept())
    if resolve.is_class(type_):
        known = kept.of_classes.get(type_, None)
        return kept.of_classes.keep(type_, new_plans(plans_class, type_)) if known is None else known
    others, key = kept.of_others, (type(type_), type_)
    try:
        plans = others.get(key)
    except TypeError:  # cannot be hashed
        return new_plans(plans_class, type_)
    if plans is None:
        plans = others[key] = new_plans(plans_class, type_)
        while len(others) > _MOST_OTHERS:
            try:
                others.popitem(last=False)
            except KeyError:  # another thread was faster
                break
        return plans
    try:
        others.move_to_end(key)
    except KeyError:  # another thread has let go of it
        pass
    return plans
