"""What the core's encoder is told of types: how the objects of classes are written that say so themselves, or for which its caller does.

Objects are written by the class that they have, so nearly all is said of classes: the core asks `Plans.resolve` for each class once. What
a class cannot tell, the names in a TypedDict and functions for values of json's own types, is said of places, and done here, in Python,
before the core writes the value.

Reading has to know each type; writing has not, so that types are passed over here that `hints` refuses.
"""

import typing
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from weakref import ref

from ocior._typed import annotated, resolve
from ocior._typed.classes import is_missing_type
from ocior._typed.declared import Declared, DeclaredField
from ocior._typed.declared import declared as read_declared
from ocior._typed.markers import MISSING, Convert, Rules
from ocior._typed.nodes import NOTHING
from ocior._typed.rules import renamed, rules_of

__all__ = ["kept_plans", "new_plans"]

# The bits of FieldForm::Of in the core.
OMITS_NONE, OMITS_DEFAULT, OMITS_MISSING, HAS_FACTORY = 1, 2, 4, 8

# What the core writes without a look at anything but the type.
_NATIVE = (str, int, float, bool, type(None), list, tuple, dict)
_ARRAYS = (list, tuple, set, frozenset, deque)
_UNSEEN = object()

Dump = Callable[[Any], Any]


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
            if (omits & OMITS_NONE and item is None) or (omits & OMITS_MISSING and any(item is one for one in _missing_values())):
                continue
            place = self.places.get(name)
            made[self.names.get(name, name)] = item if place is None else place(item)
        return made


class Plans:
    """How the classes that are met are written, for one type at the root. `rules`, `convert`: as in `ocior.Encoder`."""

    def __init__(self, rules: Mapping[Any, Rules], convert: Mapping[Any, Convert]) -> None:
        self._rules = rules
        self._dumps = {cls: one.dump for cls, one in convert.items() if one.dump is not None}
        self._annotated = ByClass()  # Rules that stand beside a class in Annotated
        self._shapes = ByClass()
        self._missing = _missing_values()

    def prepare(self, root: Any) -> Dump | None:
        """Reads the type at the root, and what it leads to. What is to be done to a whole value before it is written, if anything.

        Raises TypeError for what is no type, and for classes whose names cannot be.
        """
        reading = _Reading(self)
        place = reading.place(root, _name_of(root), is_root=True)
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
        if _family_of(cls) is None:
            return None
        reading = _Reading(self, is_lenient=True)
        reading.add_class(cls, (), None)
        reading.finish()
        return next((shape for found, shape in reading.shapes if found is cls), None)

    def dump_of(self, cls: Any) -> Dump | None:
        return _by_base(cls, self._dumps.get) if self._dumps else None

    def dump_of_type(self, type: Any) -> Dump | None:
        try:
            return self._dumps.get(type)
        except TypeError:  # cannot be hashed
            return None

    def annotate(self, cls: Any, rules: Rules) -> None:
        if self._annotated.keep(cls, rules) != rules:
            raise _two_ways(cls)

    def rules_of(self, cls: Any) -> Rules:
        annotated = _by_base(cls, lambda base: self._annotated.get(base, None))
        return rules_of(cls, annotated, _by_base(cls, self._rules.get) if self._rules else None)

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
        notes = _read_notes(metadata, at)
        dump = notes.convert.dump if notes.convert is not None else None
        if dump is None and not _is_written_by_class(inner):
            dump = self.plans.dump_of_type(inner)
        if dump is not None:
            made.dump, made.dumped = dump, _class_in_values(inner)
        if notes.rules is not None and notes.rules != Rules():
            cls = typing.get_origin(inner) or inner
            if _family_of(cls) is None:
                raise TypeError(f"{at}: Rules stand beside a class with fields, not beside {_name_of(inner)}")
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
        elif is_root and type is not None and origin is None and not _is_special_form(type):
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
        elif _family_of(cls) is not None:
            self.add_class(cls, args, rules)
        elif issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple):
            hints = self._hints(cls, args, cls._fields)
            made.items = tuple(self.place(hints.get(name, Any), f"{_name_of(cls)}.{name}") for name in cls._fields)
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
            raise TypeError(f"{_name_of(cls)}.{error.name}: its type cannot be looked up: {error.reason}") from error

    def add_class(self, cls: Any, args: tuple[Any, ...], rules: Rules | None) -> None:
        key = (id(cls), _key_of(args))
        if key in self._classes or self.plans.dump_of(cls) is not None:
            return
        fields = self._classes[key] = []
        facts = self._declared(cls, args)
        for one in facts.fields:
            at = f"{_name_of(cls)}.{one.name}"
            inner, metadata, is_missing = _without_missing(one.type)
            notes = _read_notes(metadata, at)
            place = self.place(inner, at, metadata=metadata)
            fields.append((one, notes, place, is_missing))
        self._of_class.append((cls, facts, key))

    def _declared(self, cls: Any, args: tuple[Any, ...]) -> Declared:
        """What counts for writing; that the class could not be made is none of it."""
        family = _family_of(cls)
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
        missing = _dataclasses_missing()
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
                    at = f"{_name_of(cls)}.{one.name}"
                    raise TypeError(f"{at}: Rest stands once in a class, which is an object")
                rest = index
            written = one.written if one.written is not None and rules.rename is None else renamed(one.name, rules.rename)
            names.append(_plain_str(notes.written if notes.written is not None else written))
            bits, usual = _omission(one, omit)
            of.append(bits | (OMITS_MISSING if is_missing else 0))
            usuals.append(usual)
            dumps.append(place if place.is_changed and not notes.is_rest else None)
        _check_names(cls, names, rest)
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
        tag_name, tag_value = _plain_tag(tag) or (None, None)
        return attributes, tuple(names), tuple(of), tuple(usuals), tuple(dumps), self.plans.missing, tag_name, tag_value, rest, is_array

    def _typed_dict(self, cls: Any, args: tuple[Any, ...], rules: Rules | None) -> TypedDictForm:
        key = ("typed dict", id(cls), _key_of(args), None if rules is None else id(rules))
        known = self._typed_dicts.get(key)
        if known is not None:
            return known
        form = self._typed_dicts[key] = TypedDictForm()
        found = rules_of(cls, rules, self.plans._rules.get(cls) if self.plans._rules else None)
        if found.array:
            raise TypeError(f"{_name_of(cls)}: a TypedDict is no array")
        form.tag = _plain_tag(found.tag)
        try:
            hints = resolve.typed_dict_hints(cls, args)
        except resolve.Unresolved as error:
            raise TypeError(f"{_name_of(cls)}.{error.name}: its type cannot be looked up: {error.reason}") from error
        required = set(getattr(cls, "__required_keys__", ()))
        for name, hint in hints.items():
            at = f"{_name_of(cls)}.{name}"
            qualifiers, _, _ = resolve.qualifiers(hint)
            inner, metadata, is_missing = _without_missing(hint)
            notes = _read_notes(metadata, at)
            if notes.is_rest:
                raise TypeError(f"{at}: Rest stands in classes that are objects")
            if "NotRequired" in qualifiers:
                required.discard(name)
            form.names[name] = _plain_str(notes.written if notes.written is not None else renamed(name, found.rename))
            form.omits[name] = (OMITS_NONE if found.omit == "none" else 0) | (OMITS_MISSING if is_missing else 0)
            form.places[name] = self.place(inner, at, metadata=metadata)
            if resolve.is_named(typing.get_origin(inner), "Literal"):
                form.literals[name] = inner.__args__
        form.required = frozenset(required)
        _check_names(cls, list(form.names.values()), -1)
        if form.tag is not None and form.tag[0] in form.names.values():
            form.tag = None
        return form

    @property
    def _typed_dicts(self) -> dict[Any, Any]:
        return self._places


# ---- what is known of single types


def _family_of(cls: Any) -> str | None:
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


def _by_base(cls: Any, get: Callable[[Any], Any]) -> Any:
    """What `get` has for the class, or for the first one that it is derived from."""
    for base in type.mro(cls) if type(cls).__hash__ is None else cls.__mro__:
        try:
            found = get(base)
        except TypeError:  # cannot be hashed
            continue
        if found is not None:
            return found
    return None


def _is_written_by_class(type: Any) -> bool:
    """Whether the core asks for the class of values of this type, so that nothing has to be done at their place."""
    return resolve.is_class(type) and type is not Any and type not in _NATIVE and not resolve.is_typed_dict(type)


def _class_in_values(type: Any) -> Any:
    """The class that values of this type have; object where that may be any."""
    cls = typing.get_origin(type) or type
    if resolve.is_typed_dict(cls):
        return dict
    if cls is None:
        return cls.__class__
    return cls if resolve.is_class(cls) and cls is not Any else object


def _is_of(value: Any, cls: Any) -> bool:
    try:
        return isinstance(value, cls)
    except TypeError:  # a protocol, which says so of no value
        return True


def _is_special_form(type: Any) -> bool:
    return getattr(type.__class__, "__module__", "") in ("typing", "typing_extensions") and not isinstance(type, typing.ForwardRef)


def _read_notes(metadata: tuple[Any, ...], at: str) -> annotated.Annotations:
    """The metadata; what of other libraries only reading knows is passed over."""
    if not metadata:
        return annotated.Annotations()
    try:
        return annotated.read(metadata, lambda message: TypeError(f"{at}: {message}"))
    except TypeError:
        own = tuple(one for one in metadata if type(one).__module__ == "ocior._typed.markers" or isinstance(one, type))
        return annotated.read(own, lambda message: TypeError(f"{at}: {message}"))


def _without_missing(hint: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """The type of a field without Missing in its union, its metadata, and whether Missing was there."""
    _, metadata, inner = resolve.qualifiers(hint)
    if not resolve.is_union(inner):
        return inner, metadata, False
    kept = tuple(member for member in inner.__args__ if not is_missing_type(member))
    is_missing = len(kept) < len(inner.__args__)
    return (resolve.union_of(kept) if kept and is_missing else inner), metadata, is_missing


def _omission(one: DeclaredField, omit: str | None) -> tuple[int, Any]:
    if omit == "none":
        return OMITS_NONE, None
    if omit != "defaults":
        return 0, None
    if one.default is not NOTHING:
        return OMITS_DEFAULT, one.default
    return (0, None) if one.factory is None else (OMITS_DEFAULT | HAS_FACTORY, one.factory)


def _check_names(cls: Any, names: list[str], rest: int) -> None:
    seen = set()
    for index, name in enumerate(names):
        if index == rest:
            continue
        if name in seen:
            raise TypeError(f"{_name_of(cls)}: two fields are {name!r} in JSON")
        seen.add(name)


def _plain_str(name: str) -> str:
    """The name as exactly a str: that of an enum, say, is of a class derived from str."""
    return str.__str__(name)


def _plain_tag(tag: tuple[str, str | int] | None) -> tuple[str, str | int] | None:
    if tag is None:
        return None
    name, value = tag
    return _plain_str(name), _plain_str(value) if isinstance(value, str) else int.__int__(value)


def _differ(one: Any, other: Any) -> bool:
    """Whether two shapes of one class say different things."""
    if one is None or other is None or callable(one):
        return not callable(one) and one is not other
    same = all(a == b for a, b in zip(one[:3] + one[6:], other[:3] + other[6:]))
    return not same or any((a is None) != (b is None) for a, b in zip(one[4], other[4]))


def _two_ways(cls: Any) -> TypeError:
    return TypeError(f"{_name_of(cls)} would have to be written in two ways; rules= and convert= say one for all places")


def _key_of(args: tuple[Any, ...]) -> Any:
    try:
        hash(args)
    except TypeError:
        return repr(args)
    return args


def _missing_values() -> tuple[Any, ...]:
    """MISSING, and what stands for it in libraries that have been imported."""
    import sys

    found = [MISSING]
    for module, name in (("msgspec", "UNSET"), ("pydantic_core", "MISSING")):
        value = getattr(sys.modules.get(module), name, None)
        if value is not None:
            found.append(value)
    return tuple(found)


def _dataclasses_missing() -> Any:
    import dataclasses

    return dataclasses.MISSING


def _name_of(type: Any) -> str:
    return type.__qualname__ if resolve.is_class(type) else repr(type).replace("typing.", "")


# ---- plans, and those that are kept


def new_plans(plans_class: Any, type: Any, rules: Mapping[Any, Rules] | None = None, convert: Mapping[Any, Convert] | None = None) -> Any:
    """The plans for a type, of the core's class for them. Raises TypeError where the type, or one that it leads to, cannot be written so."""
    for name, given, kind in (("rules", rules, Rules), ("convert", convert, Convert)):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"{name} must be a dict by class, not {given.__class__.__name__}")
        for cls, one in (given or {}).items():
            if not isinstance(one, kind):
                raise TypeError(f"{name}: what stands for {_name_of(cls)} must be an ocior.{kind.__name__}, not {one.__class__.__name__}")
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
