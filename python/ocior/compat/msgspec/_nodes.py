"""By which Node the core reads a type as msgspec reads it; None where that cannot be said, and msgspec reads it itself.

The core may refuse what msgspec takes, which is asked again then. It must not take what msgspec refuses, or give another value.
"""

import enum
import re
import types
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import inspect

from ocior._typed.nodes import NOTHING, STRING_FORMS, Array, Field, Node, Object

# An integer of JSON has no zero with a sign for msgspec, whatever becomes of it.
_ZERO_OF_FLOAT = {0: 0.0}
_ZERO_OF_DECIMAL = {0: Decimal(0)}


class _Left(Exception):
    """A type that is left to msgspec."""


def node_of(type, strict, dec_hook):
    """The Node of a type that msgspec knows; "any" where it is Any; None where msgspec is to read it.

    `strict`, `dec_hook`: as msgspec's decoders have them.
    """
    if type is Any:
        return "any"
    try:
        info = inspect.type_info(type)
        return _Nodes(not strict, dec_hook).node(info)
    except _Left:
        return None
    except Exception:  # msgspec's decoder takes the type, but its inspect does not
        return None


def _limits(info):
    limits = (info.gt, info.ge, info.lt, info.le, None if info.multiple_of is None else Decimal(info.multiple_of))
    return limits if any(limit is not None for limit in limits) else None


def _bare(info):
    while isinstance(info, inspect.Metadata):
        info = info.type
    return info


def _allows_zero(limits):
    gt, ge, lt, le, _ = limits or (None,) * 5
    return not ((gt is not None and gt >= 0) or (ge is not None and ge > 0) or (lt is not None and lt <= 0) or (le is not None and le < 0))


class _Nodes:
    """Makes them of what msgspec.inspect says: the method for each of its classes has the name of that class."""

    def __init__(self, is_lax, dec_hook):
        self.is_lax = is_lax
        self.dec_hook = dec_hook
        self.known = {}  # by the identity of what describes a class

    def node(self, info):
        info = _bare(info)
        make = getattr(self, f"_{info.__class__.__name__}", None)
        if make is None:
            raise _Left
        return make(info)

    # -- scalars

    def _AnyType(self, info):
        return Node(whole="any")

    def _NoneType(self, info):
        return Node(null=True, string=("null",) if self.is_lax else ())

    def _BoolType(self, info):
        return Node(boolean=True, integer="bool", string=("bool",)) if self.is_lax else Node(boolean=True)

    def _IntType(self, info):
        limits = _limits(info)
        if self.is_lax and limits is None:  # those are of what is written as a number
            return Node(integer="int", string=("int",))
        return Node(integer="int", number_limits=limits)

    def _FloatType(self, info):
        if info.multiple_of is not None:
            raise _Left  # ocior looks at the decimal digits
        limits = _limits(info)
        if self.is_lax and limits is None:
            return Node(integer="float", real="float", int_choices=_ZERO_OF_FLOAT, string=("float",), str_choices={"-0": 0.0})
        # Choices know no limits; and the zero with a sign is out of the same ones.
        return Node(integer="float", real="float", int_choices=_ZERO_OF_FLOAT if _allows_zero(limits) else None, number_limits=limits)

    def _DecimalType(self, info):
        choices = {"-0": Decimal(0)} if self.is_lax else None  # where this is an integer, too
        return Node(integer="decimal", real="decimal", int_choices=_ZERO_OF_DECIMAL, string=("decimal",), str_choices=choices)

    def _StrType(self, info):
        pattern = None if info.pattern is None else re.compile(info.pattern)
        limits = (info.min_length, info.max_length, pattern)
        return Node(string=("str",), string_limits=limits if limits != (None, None, None) else None)

    def _bytes(self, info, form):
        limits = (info.min_length, info.max_length)
        return Node(string=(form,), bytes_limits=limits if limits != (None, None) else None)

    def _BytesType(self, info):
        return self._bytes(info, "bytes")

    def _ByteArrayType(self, info):
        return self._bytes(info, "bytearray")

    def _DateTimeType(self, info):
        return Node(string=("datetime",), integer="datetime" if self.is_lax and info.tz is None else "", tz=info.tz)

    def _TimeType(self, info):
        return Node(string=("time",), tz=info.tz)

    def _DateType(self, info):
        return Node(string=("date",))

    def _TimeDeltaType(self, info):
        return Node(string=("timedelta",), integer="timedelta" if self.is_lax else "")

    def _UUIDType(self, info):
        return Node(string=("uuid",))

    def _RawType(self, info):
        return Node(whole="model", model=msgspec.Raw)

    def _choices(self, values):
        """`values`: what is written, and what it stands for."""
        strings = {value: meant for value, meant in values if value.__class__ is str}
        integers = {value: meant for value, meant in values if value.__class__ is int}
        if len(strings) + len(integers) != len(values):
            raise _Left
        return Node(str_choices=strings or None, int_choices=integers or None)

    def _EnumType(self, info):
        # What is no value is for msgspec, which asks _missing_.
        return self._choices([(member.value, member) for member in info.cls.__members__.values()])

    def _LiteralType(self, info):
        node = self._choices([(value, value) for value in info.values if value is not None])
        node.null = None in info.values
        return node

    def _CustomType(self, info):
        cls, hook = info.cls, self.dec_hook
        if hook is None or not isinstance(cls, type) or isinstance(cls, enum.EnumMeta) or hasattr(cls, "__class_getitem__"):
            raise _Left

        def load(value):
            made = hook(cls, value)
            if not isinstance(made, cls):
                raise TypeError
            return made

        return Node(whole="any", hooks=(load,) * 7)

    # -- unions

    def _UnionType(self, info):
        types = [_bare(one) for one in info.types]
        if any(isinstance(one, inspect.AnyType) for one in types):
            return Node(whole="any")
        others = [one for one in types if not isinstance(one, inspect.NoneType)]
        if len(others) == 1 and isinstance(others[0], inspect.CustomType):
            node = self.node(others[0])
            node.hooks = (None, *node.hooks[1:])  # null is None, and no hook is called
            return node
        if self.is_lax and len(others) > 1:
            raise _Left  # which of them a string becomes is another question
        merged = Node()
        for one in types:
            self._merge(merged, self.node(one))
        if merged.integer and not any(merged.int_choices is choices for choices in (None, _ZERO_OF_FLOAT, _ZERO_OF_DECIMAL)):
            raise _Left  # for msgspec no other integer is a number then
        return merged

    def _merge(self, to, node):
        """Has `to` take what `node` takes, if these are of different kinds. Numbers may be an int and a float."""
        if node.whole or node.hooks:
            raise _Left
        if to.integer and node.integer:
            if {to.integer, node.integer} != {"int", "float"} or to.number_limits or node.number_limits:
                raise _Left
            to.integer, to.real, to.int_choices = "int", "float", None
        else:
            for name in ("integer", "real", "int_choices", "number_limits"):
                self._take(to, node, name)
        if self.is_lax and to.string and node.string:  # one of these takes "null"
            both = (*to.string, *node.string)
            to.string = ("str",) if "str" in both else tuple(form for form in STRING_FORMS if form in both)
        else:
            self._take(to, node, "string")
        for name in ("null", "boolean", "str_choices", "string_limits", "bytes_limits", "tz", "array"):
            self._take(to, node, name)
        if to.str_choices and to.string:
            raise _Left
        if node.object is not None:
            to.object = node.object if to.object is None else _union(to.object, node.object)

    def _take(self, to, node, name):
        value, usual = getattr(node, name), Node.DEFAULTS[name]
        if value is usual or value == usual:
            return
        if getattr(to, name) != usual and value is not True:
            raise _Left
        setattr(to, name, value)

    # -- arrays

    def _array(self, info, kind):
        array = Array(kind=kind, item=self.node(info.item_type), min_length=info.min_length, max_length=info.max_length)
        return Node(array=array)

    def _ListType(self, info):
        return self._array(info, "list")

    def _VarTupleType(self, info):
        return self._array(info, "tuple")

    def _SetType(self, info):
        return self._array(info, "set")

    def _FrozenSetType(self, info):
        return self._array(info, "frozenset")

    def _TupleType(self, info):
        return Node(array=Array(kind="fixed", items=tuple(self.node(item) for item in info.item_types)))

    def _NamedTupleType(self, info):
        cls = _origin(info.cls)
        if "__new__" not in vars(cls) or not (cls.__new__.__module__ or "").startswith("namedtuple_"):
            raise _Left  # it may be made in another way
        known = self.known.get(id(info))
        if known is not None:
            return known
        array = Array(kind="namedtuple", type=cls)
        node = self.known[id(info)] = Node(array=array)
        array.items = tuple(self.node(field.type) for field in info.fields)
        array.defaults = tuple(field.default for field in info.fields if not field.required)
        return node

    # -- objects

    def _DictType(self, info):
        key = _bare(info.key_type)
        if isinstance(key, inspect.AnyType):
            key = None
        elif isinstance(key, inspect.StrType):
            key = self.node(key)
            key = key if key.string_limits else None
        elif isinstance(key, inspect.IntType) and _limits(key) is None:
            key = Node(string=("int",))
        elif isinstance(key, (inspect.UUIDType, inspect.DateType, inspect.DateTimeType, inspect.TimeType)):
            key = self.node(key)
        elif isinstance(key, (inspect.EnumType, inspect.LiteralType)):
            key = self.node(key)
            if key.int_choices or key.null:
                raise _Left
        else:
            raise _Left
        target = Object(kind="dict", key=key, value=self.node(info.value_type), type=dict)
        target.min_length, target.max_length = info.min_length, info.max_length
        return Node(object=target)

    def _class(self, info, **facts):
        cls = _origin(info.cls)
        target = Object(type=cls, name=cls.__name__, **facts)
        node = Node(array=Array(kind="class", object=target)) if target.array else Node(object=target)
        self.known[id(info)] = node
        target.fields = tuple(map(self._field, info.fields))
        target.names = {field.written: index for index, field in enumerate(target.fields)}
        return node

    def _field(self, info):
        field = Field(name=info.name, written=info.encode_name, keyword=info.name, alias_read=(info.encode_name,), required=info.required)
        field.node = self.node(info.type)
        if not info.required:
            if info.default_factory is not msgspec.NODEFAULT:
                field.factory = info.default_factory
            else:
                field.default = msgspec.UNSET if info.default is msgspec.NODEFAULT else info.default
        return field

    def _StructType(self, info):
        known = self.known.get(id(info))
        if known is not None:
            return known
        if info.array_like and info.tag is not None:
            raise _Left
        return self._class(
            info,
            kind="class",
            make="struct",
            unknown="forbid" if info.forbid_unknown_fields else "ignore",
            tag_name=info.tag_field if info.tag is not None else None,
            tag_value=info.tag,
            array=info.array_like,
            post_init=getattr(_origin(info.cls), "__post_init__", None),
        )

    def _TypedDictType(self, info):
        known = self.known.get(id(info))
        if known is not None:
            return known
        node = self._class(info, kind="typeddict", make="typeddict")
        for field in node.object.fields:
            field.default = NOTHING
        return node

    def _DataclassType(self, info):
        known = self.known.get(id(info))
        if known is not None:
            return known
        cls = _origin(info.cls)
        _, _, _, before, after = inspect._get_dataclass_info(info.cls)
        if before is not None or not _is_plain(cls, [field.name for field in info.fields]):
            raise _Left
        node = self._class(info, kind="class", make="store", post_init=after)
        for field in node.object.fields:
            # What the class has by that name stays with the class: nothing is stored in the instance then.
            found = _of_class(cls, field.name)
            if found is not NOTHING and not isinstance(found, types.MemberDescriptorType):
                field.default, field.factory = NOTHING, None
        return node


def _origin(cls):
    return getattr(cls, "__origin__", cls)


def _of_class(cls, name):
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), NOTHING)


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement, or as if by one


def _is_plain(cls, names):
    """Whether an instance is memory for its fields, and setting one runs no code."""
    if cls.__new__ is not object.__new__ or any(not base.__flags__ & _HEAP_TYPE for base in cls.__mro__ if base is not object):
        return False
    for name in names:
        found = _of_class(cls, name)
        if not isinstance(found, types.MemberDescriptorType) and hasattr(found.__class__, "__set__"):
            return False
    return not getattr(cls, "__abstractmethods__", None)


def _union(first, second):
    """Structs that a tag tells apart."""
    members = [*(first.members if first.kind == "union" else (first,)), second]
    tag = members[0].tag_name
    if any(member.make != "struct" or member.tag_name is None or member.tag_name != tag for member in members):
        raise _Left
    tags = {member.tag_value: index for index, member in enumerate(members)}
    if len(tags) != len(members):
        raise _Left
    return Object(kind="union", members=tuple(members), tag=tag, tags=tags)
