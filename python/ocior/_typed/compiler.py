"""The state of one compilation: nodes known already, nodes that wait for others, and what is to be checked in the end.

Recursive types make circles: a node that is not filled yet is "open". What is derived of an open node, a union or a node with bounds, is
made once it is filled.
"""

from collections.abc import Callable
from typing import Any

from ocior._typed.nodes import Node


class At:
    """Where a type stands. `place`: for people; `is_lax`: whether it is read as with `strict=False`; `skipped`: types whose Convert is
    being compiled, and takes them."""

    __slots__ = ("place", "is_lax", "skipped")

    def __init__(self, place: str, is_lax: bool, skipped: tuple[Any, ...] = ()) -> None:
        self.place = place
        self.is_lax = is_lax
        self.skipped = skipped

    def refuse(self, message: str) -> TypeError:
        return TypeError(f"{self.place}: {message}")

    def lax(self, is_lax: bool) -> "At":
        return At(self.place, is_lax, self.skipped)

    def inside(self, place: str) -> "At":
        return At(place, self.is_lax)

    def skipping(self, type: Any) -> "At":
        return At(self.place, self.is_lax, (*self.skipped, type))


class Waiting:
    """The nodes of one compilation that others are derived of."""

    def __init__(self) -> None:
        self._derived: list[tuple[Node, tuple[Node, ...], Callable[[], Node], At]] = []
        self._checks: list[Callable[[], None]] = []

    def derive(self, of: tuple[Node, ...], make: Callable[[], Node], at: At) -> Node:
        """The node that `make` returns, now if all nodes of `of` are filled, else a node that becomes it."""
        if not any(node.is_open for node in of):
            return make()
        node = Node(is_open=True)
        self._derived.append((node, of, make, at))
        return node

    def fill(self, node: Node, of: Node, source: Any, at: At) -> None:
        """Gives `node` what `of` has, now or later, and `source`."""
        if of.is_open:
            self._derived.append((node, (of,), lambda: of.copy(source=source), at))
        else:
            node.take(of.copy(source=source))

    def check(self, function: Callable[[], None]) -> None:
        """Has it called when everything is filled."""
        self._checks.append(function)

    def state(self) -> tuple[list[Any], list[Any]]:
        return list(self._derived), list(self._checks)

    def restore(self, state: tuple[list[Any], list[Any]]) -> None:
        """Forgets what has come up since `state` was asked for."""
        self._derived, self._checks = state

    def settle(self) -> None:
        """Fills what is open. Raises TypeError for what is open for ever."""
        while self._derived:
            still = []
            for entry in self._derived:
                node, of, make, _ = entry
                if any(other.is_open for other in of):
                    still.append(entry)
                else:
                    node.take(make())
            if len(still) == len(self._derived):
                raise still[0][3].refuse("the type is a union with itself, or nothing but itself")
            self._derived = still
        for function in self._checks:
            function()
        self._checks = []
