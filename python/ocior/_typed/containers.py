"""Nodes of arrays and of objects with any keys: lists, sets, tuples, named tuples, dicts, and classes derived from them."""

import collections
import collections.abc
import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from ocior._typed import resolve
from ocior._typed.compiler import At
from ocior._typed.hooks import NO_HOOKS, FromItems, takes
from ocior._typed.nodes import Array, Node, Object

_ARRAYS: dict[Any, str] = {
    list: "list",
    set: "set",
    frozenset: "frozenset",
    collections.deque: "deque",
    collections.abc.Sequence: "list",
    collections.abc.MutableSequence: "list",
    collections.abc.Collection: "list",
    collections.abc.Iterable: "list",
    collections.abc.Reversible: "list",
    collections.abc.Container: "list",
    collections.abc.Set: "set",
    collections.abc.MutableSet: "set",
}
_DICTS: dict[Any, Any] = {
    dict: dict,
    collections.abc.Mapping: dict,
    collections.abc.MutableMapping: dict,
    collections.OrderedDict: collections.OrderedDict,
    collections.defaultdict: collections.defaultdict,
    collections.Counter: collections.Counter,
    collections.ChainMap: collections.ChainMap,
    types.MappingProxyType: types.MappingProxyType,
}


def container_node(compiler: Any, cls: Any, args: tuple[Any, ...], at: At) -> Node | None:
    """The node of a container class with these arguments; None where `cls` is none."""
    if cls is tuple:
        return _tuple_node(compiler, args, at)
    if cls in _ARRAYS:
        return _array_node(compiler, _ARRAYS[cls], args[0] if args else Any, at)
    if cls in _DICTS:
        if cls is collections.Counter:
            args = (args[0] if args else Any, int)
        return _dict_node(compiler, _DICTS[cls], args or (Any, Any), at)
    if issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple):
        return _named_tuple_node(compiler, cls, args, at)
    for base in (list, set, frozenset, collections.deque, tuple, dict):
        if issubclass(cls, base):
            return _derived_node(compiler, cls, base, args, at)
    if issubclass(cls, collections.abc.Mapping) and not getattr(cls, "__abstractmethods__", None):
        return _derived_node(compiler, cls, collections.abc.Mapping, args, at)
    return None


def _array_node(compiler: Any, kind: str, item: Any, at: At) -> Node:
    node = compiler.node(item, at)
    if kind in ("set", "frozenset"):
        compiler.waiting.check(lambda: _refuse_unhashable(node, at))
    # What stands inside is named where that is short.
    has_name = not node.is_open and not node.whole and node.array is None and node.object is None
    expected = f"array of {node.expected}" if has_name else "array"
    return Node(array=Array(kind=kind, item=node, expected=expected), expected=expected)


def _refuse_unhashable(node: Node, at: At) -> None:
    for part in node.members or (node,):
        array, container = part.array, part.object
        if any((part.hooks or NO_HOOKS)[kind] for kind in (5, 6)):
            continue
        is_list = array is not None and array.kind in ("list", "set", "deque")
        is_dict = container is not None and container.kind in ("dict", "typeddict")
        of_class = (array.object or array if array is not None else container) if not is_list and not is_dict else None
        cls = getattr(of_class, "type", None)
        if is_list or is_dict or "bytearray" in part.string or (cls is not None and cls.__hash__ is None):
            name = cls.__name__ if cls is not None else part.expected
            raise at.refuse(f"the items of a set must be hashable, and {name} is not")


def _tuple_node(compiler: Any, args: tuple[Any, ...], at: At) -> Node:
    if args == ():
        return _array_node(compiler, "tuple", Any, at)
    if args == ((),):  # tuple[()], on Python 3.10 typing.Tuple[()]
        args = ()
    if len(args) == 2 and args[1] is ...:
        return _array_node(compiler, "tuple", args[0], at)
    if any(resolve.is_named(typing.get_origin(argument), "Unpack") or _is_unpacked(argument) for argument in args):
        raise at.refuse("a tuple with an unpacked part; tuple[T, ...] and tuple[A, B] are read")
    items = tuple(compiler.node(argument, at) for argument in args)
    expected = f"array of {len(items)} values" if len(items) != 1 else "array of one value"
    return Node(array=Array(kind="fixed", items=items, expected=expected), expected=expected)


def _is_unpacked(argument: Any) -> bool:
    return getattr(argument, "__unpacked__", False) is True or type(argument).__name__ == "TypeVarTuple"


def empty_tuple_node() -> Node:
    expected = "array of 0 values"
    return Node(array=Array(kind="fixed", items=(), expected=expected), expected=expected)


def _named_tuple_node(compiler: Any, cls: Any, args: tuple[Any, ...], at: At) -> Node:
    def make(node: Node) -> None:
        hints = compiler.hints(cls, args, cls._fields)
        items = []
        for name in cls._fields:
            items.append(compiler.node(hints.get(name, Any), at.inside(f"{cls.__name__}.{name}")))
        defaults = getattr(cls, "_field_defaults", {})
        array = node.array
        array.items = tuple(items)
        array.defaults = tuple(defaults[name] for name in cls._fields if name in defaults)
        if not _has_generated_new(cls):
            # A constructor of its own: it is called.
            array.kind, array.defaults = "fixed", ()
            node.hooks = (*NO_HOOKS[:5], FromItems(cls, spread=True), None)

    return compiler.once(
        ("namedtuple", cls, args, at.is_lax),
        lambda: Node(array=Array(kind="namedtuple", type=cls, expected=cls.__name__), expected=cls.__name__),
        make,
    )


def _has_generated_new(cls: Any) -> bool:
    owner = next(base for base in cls.__mro__ if "__new__" in vars(base))
    code = getattr(owner.__new__, "__code__", None)
    has_own_init = cls.__init__ is not object.__init__
    return code is not None and code.co_filename.startswith(("<string>", "<")) and "_fields" in vars(owner) and not has_own_init


def _dict_node(compiler: Any, cls: Any, args: tuple[Any, ...], at: At) -> Node:
    if len(args) != 2:
        raise at.refuse(f"{cls.__name__} takes two arguments, keys and values")
    key, value = args
    key_node = compiler.node(key, at.lax(True))
    node = compiler.node(value, at)
    container = Object(kind="dict", type=cls, key=key_node, value=node, expected="object")
    if cls is collections.defaultdict:
        container.factory = default_factory(value)
    compiler.waiting.check(lambda: _check_key(container, key_node, at))
    return Node(object=container, expected="object")


def _check_key(container: Object, node: Node, at: At) -> None:
    """A key is text. Of copies of `container`, which have lengths, the key is the same node: str as a key becomes None when it is read."""
    if node.whole == "any" and not node.hooks:
        return
    _, _, _, _, takes_strings, takes_arrays, takes_objects = takes(node)
    if node.whole or takes_arrays or takes_objects or not takes_strings:
        raise at.refuse(f"keys of an object are strings, of which no {node.expected} is made")
    if "bytearray" in node.string and not (node.hooks or NO_HOOKS)[4]:
        raise at.refuse("the keys of a dict must be hashable, and a bytearray is not")


def is_plain_key(node: Node) -> bool:
    """Whether a key is the str that stands there."""
    if node.whole == "any":
        return not node.hooks
    has_choices = node.str_choices or node.missing
    return node.string == ("str",) and not (node.string_limits or node.hooks or has_choices)


def default_factory(value: Any) -> Callable[[], Any] | None:
    """What a defaultdict of such values calls for a key that is missing; None where that would need an argument."""
    while hasattr(value, "__metadata__") and typing.get_origin(value) is not None:
        value = value.__origin__
    origin = typing.get_origin(value) or value
    if origin is collections.defaultdict and typing.get_args(value):
        return functools.partial(collections.defaultdict, default_factory(typing.get_args(value)[1]))
    if origin in (list, dict, set, frozenset, tuple, int, float, str, bool, bytes, bytearray, collections.deque, collections.OrderedDict):
        return origin
    if origin in _ARRAYS or origin in _DICTS:
        return {"list": list, "set": set}[_ARRAYS[origin]] if origin in _ARRAYS else _DICTS[origin]
    if origin in (collections.Counter, collections.defaultdict) or not resolve.is_class(origin):
        return None
    if not (hasattr(origin, "__dataclass_fields__") or hasattr(origin, "__attrs_attrs__") or hasattr(origin, "__struct_fields__")):
        return None
    try:
        inspect.signature(origin).bind()
    except (TypeError, ValueError):
        return None
    return origin


def _derived_node(compiler: Any, cls: Any, base: Any, args: tuple[Any, ...], at: At) -> Node:
    """A class of the user's that is a list, a dict, ...: it is called with what was read."""

    def fill(node: Node) -> None:
        given = _arguments_of(compiler, cls, base, resolve.bound_parameters(cls, args), at)
        if base is dict or base is collections.abc.Mapping:
            made = _dict_node(compiler, dict, given if len(given) == 2 else (Any, Any), at)
            made.object.type = cls
        else:
            if base is tuple:
                made = _tuple_node(compiler, given, at)
            else:
                made = _array_node(compiler, _ARRAYS[base], given[0] if given else Any, at)
            made.hooks = (*NO_HOOKS[:5], FromItems(cls), None)
        compiler.waiting.fill(node, made, None, at)

    return compiler.once(("derived", cls, args, at.is_lax), lambda: Node(is_open=True), fill)


def _arguments_of(compiler: Any, cls: Any, base: Any, bound: dict[Any, dict[Any, Any]], at: At) -> tuple[Any, ...]:
    """What a class, or the nearest of its bases, gives to the builtin container or to an abstract one that it is derived from."""
    for owner in cls.__mro__:
        for generic in vars(owner).get("__orig_bases__", ()):
            origin = typing.get_origin(generic)
            if isinstance(origin, type) and issubclass(origin, (base, collections.abc.Collection)) and origin in {*_ARRAYS, *_DICTS, tuple}:
                given = {str(index): argument for index, argument in enumerate(typing.get_args(generic))}
                try:
                    given = resolve.evaluate(given, *resolve.namespaces(owner))
                except resolve.Unresolved as error:
                    raise at.refuse(f"a base of {owner.__name__} cannot be looked up: {error.reason}") from error
                return tuple(resolve.substitute(argument, bound.get(owner, {})) for argument in given.values())
    return ()
