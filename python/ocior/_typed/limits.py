"""Bounds on nodes: which of them fit a node, how two of them become one, and checks by hand where one node has bounds for different types.

A constraint is a pair (name, bound), the names those of the marker `Limits`.
"""

import datetime
import math
import re
from decimal import Decimal
from typing import Any

from ocior._typed.nodes import Node
from ocior._typed.problems import Refusal, multiple_of

NUMBERS = ("int", "float", "decimal")
TIMES = ("datetime", "date", "time", "timedelta")
BOUNDS = ("gt", "ge", "lt", "le")

_NO_NUMBER_LIMITS = (None,) * 5
_NO_TIME_LIMITS = (None,) * 4
_NO_STRING_LIMITS = (None,) * 3
_NO_LENGTHS = (None,) * 2


def number_forms(node: Node) -> set[str]:
    return {form for form in (node.integer, node.real, *node.string) if form in NUMBERS}


def time_forms(node: Node) -> set[str]:
    return {form for form in (node.integer, node.real, *node.string) if form in TIMES}


def constrained(node: Node, name: str, bound: Any) -> Node | None:
    """`node`, which is no union, with one more constraint; None where that does not fit it. Raises ValueError where two contradict, and
    TypeError where `bound` is nothing that bounds a value."""
    if name in BOUNDS:
        return _bounded(node, BOUNDS.index(name), bound)
    if name == "multiple_of":
        if not number_forms(node):
            return None
        limits = node.number_limits or _NO_NUMBER_LIMITS
        step = _decimal(bound)
        return node.copy(number_limits=limits[:4] + (step if limits[4] is None else _common_multiple(limits[4], step),))
    if name in ("min_length", "max_length"):
        return _with_length(node, name, bound)
    if name == "pattern":
        if "str" not in node.string:
            return None
        limits = node.string_limits or _NO_STRING_LIMITS
        pattern = re.compile(bound) if isinstance(bound, str) else bound
        if limits[2] is not None and limits[2] != pattern:
            raise ValueError("there are two patterns")
        return node.copy(string_limits=limits[:2] + (pattern,))
    assert name == "tz"
    if not time_forms(node) & {"datetime", "time"}:
        return None
    if node.tz is not None and node.tz != bound:
        raise ValueError("values must have an offset, and must not")
    return node.copy(tz=bound)


def _bounded(node: Node, index: int, bound: Any) -> Node | None:
    form = _time_form(bound)
    if form:
        if form not in time_forms(node):
            return None
        if form in ("datetime", "time"):
            is_aware = bound.tzinfo is not None
            if node.tz is not None and node.tz != is_aware:
                raise ValueError("a bound with an offset does not go with values without, or the other way round")
            node = node.copy(tz=is_aware)
        return node.copy(time_limits=_tighter(node.time_limits or _NO_TIME_LIMITS, index, bound))
    if isinstance(bound, bool) or not isinstance(bound, (int, float, Decimal)):
        raise TypeError(f"a bound of type {type(bound).__name__}")
    if not number_forms(node):
        return None
    return node.copy(number_limits=_tighter(node.number_limits or _NO_NUMBER_LIMITS, index, bound))


def _time_form(bound: Any) -> str:
    # A datetime is a date, too.
    for form in TIMES:
        if isinstance(bound, getattr(datetime, form)):
            return form
    return ""


def _tighter(limits: tuple[Any, ...], index: int, bound: Any) -> tuple[Any, ...]:
    known = limits[index]
    if known is not None:
        bound = max(known, bound) if index < 2 else min(known, bound)
    return limits[:index] + (bound,) + limits[index + 1 :]


def _decimal(number: Any) -> Decimal:
    """The number as it is written: 0.1 is a tenth."""
    value = number if isinstance(number, Decimal) else Decimal(repr(number) if isinstance(number, float) else int(number))
    if not value.is_finite() or value <= 0:
        raise ValueError("a multiple of nothing")
    return value


def _common_multiple(first: Decimal, second: Decimal) -> Decimal:
    (_, first_digits, first_power), (_, second_digits, second_power) = first.as_tuple(), second.as_tuple()
    power = min(int(first_power), int(second_power))
    whole = [
        int("".join(map(str, digits))) * 10 ** (int(own) - power)
        for digits, own in ((first_digits, first_power), (second_digits, second_power))
    ]
    return Decimal((0, tuple(map(int, str(math.lcm(*whole)))), power))


def _with_length(node: Node, name: str, length: int) -> Node | None:
    if not isinstance(length, int) or isinstance(length, bool):
        raise TypeError(f"a length of type {type(length).__name__}")
    if length < 0:
        raise ValueError("a negative length")
    index = 0 if name == "min_length" else 1

    def changed(limits: tuple[Any, ...]) -> tuple[Any, ...]:
        known = limits[index]
        new = length if known is None else (max, min)[index](known, length)
        return limits[:index] + (new,) + limits[index + 1 :]

    if "str" in node.string:
        return node.copy(string_limits=changed(node.string_limits or _NO_STRING_LIMITS))
    if "bytes" in node.string or "bytearray" in node.string:
        return node.copy(bytes_limits=changed(node.bytes_limits or _NO_LENGTHS))
    for attribute in ("array", "object"):
        container = getattr(node, attribute)
        if container is not None and container.kind in ("list", "tuple", "set", "frozenset", "deque", "dict"):
            least, most = changed((container.min_length, container.max_length))
            return node.copy(**{attribute: container.copy(min_length=least, max_length=most)})
    return None


class Bounds:
    """Bounds of one type, for a check of a value that is made."""

    __slots__ = ("limits", "tz", "lengths", "pattern")

    def __init__(self, limits: tuple[Any, ...] | None = None, tz: bool | None = None, strings: tuple[Any, ...] | None = None) -> None:
        self.limits = limits or ()
        self.tz = tz
        self.lengths = (strings or _NO_LENGTHS)[:2]
        self.pattern = strings[2] if strings and len(strings) > 2 else None

    def _values(self) -> tuple[Any, ...]:
        return self.limits, self.tz, self.lengths, self.pattern

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bounds) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.tz, self.lengths))

    def is_empty(self) -> bool:
        return not any(limit is not None for limit in (*self.limits, self.tz, *self.lengths, self.pattern))

    def broken(self, value: Any) -> Refusal | None:
        """The constraint that the value breaks, or None."""
        if self.tz is not None and (value.tzinfo is not None) != self.tz:
            return Refusal("tz", "an offset" if self.tz else "no offset")
        tests = (("gt", lambda v, b: v > b), ("ge", lambda v, b: v >= b), ("lt", lambda v, b: v < b), ("le", lambda v, b: v <= b))
        for (name, test), bound in zip(tests, self.limits):
            # No bound is kept by NaN, which Decimals do not even compare.
            if bound is not None and (value != value or not test(value, bound)):
                return Refusal(name, bound)
        if (
            len(self.limits) > 4
            and self.limits[4] is not None
            and not multiple_of(repr(value) if isinstance(value, float) else str(value), self.limits[4])
        ):
            return Refusal("multiple_of", self.limits[4])
        least, most = self.lengths
        if least is not None and len(value) < least:
            return Refusal("min_length", least)
        if most is not None and len(value) > most:
            return Refusal("max_length", most)
        if self.pattern is not None and not self.pattern.search(value):
            return Refusal("pattern", self.pattern)
        return None


class Alternatives:
    """A hook for values of several types, or with several sets of bounds for one of them, of which one must be kept: what the limits of a
    node cannot say. `free`: values of Literals and Enums, which have no bounds."""

    __slots__ = ("by_type", "free")

    def __init__(self, by_type: dict[Any, list[Bounds]], free: tuple[Any, ...] = ()) -> None:
        self.by_type = by_type
        self.free = free

    def __call__(self, value: Any) -> Any:
        alternatives = self.by_type.get(type(value))
        if not alternatives or any(type(value) is type(known) and value == known for known in self.free):
            return value
        refusals = [bounds.broken(value) for bounds in alternatives]
        if None in refusals:
            return value
        raise refusals[0]
