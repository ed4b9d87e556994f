"""Functions that a node calls with the values it has made: one after the other, or by the type of the value."""

from collections import deque
from collections.abc import Callable
from typing import Any

from ocior._typed.nodes import KINDS, Node
from ocior._typed.problems import Refusal
from ocior._typed.scalars import made_by

Hook = Callable[[Any], Any]
NO_HOOKS = (None,) * len(KINDS)

_ARRAYS = {"list": list, "tuple": tuple, "fixed": tuple, "set": set, "frozenset": frozenset, "deque": deque}


class Then:
    """Calls one function, and another one with its result."""

    __slots__ = ("first", "second")

    def __init__(self, first: Hook, second: Hook) -> None:
        self.first = first
        self.second = second

    def __call__(self, value: Any) -> Any:
        return self.second(self.first(value))


class Check:
    """Lets values pass for which a function says true; annotated_types.Predicate."""

    __slots__ = ("test", "name")

    def __init__(self, test: Callable[[Any], Any], name: str) -> None:
        self.test = test
        self.name = name

    def __call__(self, value: Any) -> Any:
        if not self.test(value):
            raise Refusal("value", self.name)
        return value


class ByType:
    """Calls the function that belongs to exactly the type of the value, if any. `free`: values that are left as they are, although
    others of their type are not."""

    __slots__ = ("hooks", "free")

    def __init__(self, hooks: dict[Any, Hook], free: tuple[Any, ...] = ()) -> None:
        self.hooks = hooks
        self.free = free

    def __call__(self, value: Any) -> Any:
        hook = self.hooks.get(type(value))
        if hook is None or any(type(value) is type(known) and value == known for known in self.free):
            return value
        return hook(value)


class DumpByType:
    """For encoding a union: calls the function of the class that the value is of, if any has one."""

    __slots__ = ("dumps",)

    def __init__(self, dumps: dict[Any, Hook]) -> None:
        self.dumps = dumps

    def __call__(self, value: Any) -> Any:
        for cls in type(value).__mro__:
            if cls in self.dumps:
                return self.dumps[cls](value)
        return value


class FromItems:
    """Makes an object of a class derived from a builtin container of what was read: list, set, tuple."""

    __slots__ = ("cls", "spread")

    def __init__(self, cls: Any, spread: bool = False) -> None:
        self.cls = cls
        self.spread = spread

    def __call__(self, value: Any) -> Any:
        return self.cls(*value) if self.spread else self.cls(value)


def takes(node: Node) -> tuple[bool, ...]:
    """For each of KINDS, whether the node takes any of it."""
    words = node.word_choices or {}
    whole = bool(node.whole)
    asks = bool(node.missing)
    return (
        node.null or "null" in words or whole,
        node.boolean or "true" in words or "false" in words or asks or whole,
        bool(node.integer or node.int_choices) or asks or whole,
        bool(node.real or node.float_choices) or asks or whole,
        bool(node.string or node.str_choices) or asks or whole,
        node.array is not None or whole,
        node.object is not None or whole,
    )


def hooked(node: Node, hook: Hook) -> Node:
    """`node`, which is no union, with one more hook for whatever it takes."""
    known = node.hooks or NO_HOOKS
    return node.copy(hooks=tuple((hook if old is None else Then(old, hook)) if taken else old for old, taken in zip(known, takes(node))))


def choice_values(node: Node, kind: int) -> list[Any]:
    words = node.word_choices or {}
    if kind == 0:
        return [value for word, value in words.items() if word == "null"]
    if kind == 1:
        return [value for word, value in words.items() if word != "null"]
    choices = (node.int_choices, node.float_choices, node.str_choices)[kind - 2] if kind in (2, 3, 4) else None
    return list((choices or {}).values())


def types_made(node: Node, kind: int) -> set[Any] | None:
    """The classes of the values that a node makes of one of KINDS, Literals and Enums left out; None where that is not known."""
    if node.whole or node.missing:
        return None
    if kind == 0:
        return {type(None)} if node.null else set()
    if kind == 1:
        return {bool} if node.boolean else set()
    if kind in (2, 3):
        form = node.integer if kind == 2 else node.real
        return {made_by(form)} if form else set()
    if kind == 4:
        return None if "call" in node.string else {made_by(form) for form in node.string}
    if kind == 5:
        array = node.array
        if array is None:
            return set()
        if array.kind in ("namedtuple", "class"):
            return {array.type if array.kind == "namedtuple" else array.object.type}
        return {_ARRAYS[array.kind]}
    container = node.object
    if container is None:
        return set()
    if container.kind == "union":
        return None
    return {dict if container.kind == "typeddict" else container.type}
