"""What users put into annotations, and into the class attribute `__ocior__`, to say how a type is read and written."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping

# `typing` takes longer to import than all of ocior, which imports these markers at once.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

__all__ = ["MISSING", "Alias", "Convert", "Lax", "Limits", "Missing", "Rest", "Rules", "Tag"]


class Missing(enum.Enum):
    """The type of `MISSING`, for annotations: `x: int | Missing = MISSING` is a field that may be absent.

    An enum of one member, which type checkers narrow by `is MISSING`.
    """

    MISSING = "MISSING"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing.MISSING
"""The value of a field that was absent; such a field is left out when it is written."""


class _Marker:
    """A base for what cannot be changed, and is equal by its values."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def _set(self, *values: Any) -> None:
        for name, value in zip(self.__slots__, values):
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._values() == self._values()

    def __hash__(self) -> int:
        # What cannot be hashed, a dict of tags for instance, counts by the names alone: equal markers have equal hashes.
        return hash((type(self), tuple(value if value.__hash__ else None for value in self._values())))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in zip(self.__slots__, self._values()) if value is not None)
        return f"{type(self).__name__}({given})"

    def __reduce__(self) -> Any:
        return _restore, (type(self), self._values())

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def _restore(cls: Any, values: tuple[Any, ...]) -> Any:
    marker = object.__new__(cls)
    marker._set(*values)
    return marker


class Alias(_Marker):
    """Names of a field in JSON: the first is written, each of them is read; the name in Python is not, unless it is one of them.

    `Annotated[str, Alias("firstName", "first_name")]`. TypeError where a name is no str, or none is given.
    """

    __slots__ = ("names",)
    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        if not names or not all(isinstance(name, str) for name in names):
            raise TypeError("Alias takes one str or more: the names that a field has in JSON")
        if len(set(names)) != len(names):
            raise TypeError(f"Alias has a name twice: {', '.join(names)}")
        self._set(names)

    def __repr__(self) -> str:
        return f"Alias({', '.join(map(repr, self.names))})"


class Limits(_Marker):
    """Bounds of a value. `Annotated[int, Limits(gt=0)]`, `Annotated[list[str], Limits(min_length=1)]`.

    `gt`, `ge`, `lt`, `le`: of numbers, or, where they are a datetime, date, time or timedelta, of such. `multiple_of`: a number, compared
    with the decimal text, so that 0.3 is a multiple of 0.1. `min_length`, `max_length`: code points of strings, bytes of bytes, items of
    arrays, different keys of dicts. `pattern`: a regular expression, searched in strings. `tz`: True: datetimes and times must have an
    offset; False: they must have none.

    Raises TypeError for bounds of a wrong type, ValueError for a negative length and a multiple of nothing, re.error for a wrong pattern.
    """

    __slots__ = ("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern", "tz")
    gt: Any
    ge: Any
    lt: Any
    le: Any
    multiple_of: Any
    min_length: int | None
    max_length: int | None
    pattern: re.Pattern[str] | None
    tz: bool | None

    def __init__(
        self,
        *,
        gt: Any = None,
        ge: Any = None,
        lt: Any = None,
        le: Any = None,
        multiple_of: Any = None,
        min_length: int | None = None,
        max_length: int | None = None,
        pattern: str | re.Pattern[str] | None = None,
        tz: bool | None = None,
    ) -> None:
        for name, length in (("min_length", min_length), ("max_length", max_length)):
            if length is not None and (not isinstance(length, int) or isinstance(length, bool)):
                raise TypeError(f"{name} must be an int, not {type(length).__name__}")
            if length is not None and length < 0:
                raise ValueError(f"{name} must not be negative")
        if isinstance(pattern, str):
            pattern = re.compile(pattern)
        elif pattern is not None and not (isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str)):
            raise TypeError(f"pattern must be a str or a compiled pattern of one, not {type(pattern).__name__}")
        if tz is not None and not isinstance(tz, bool):
            raise TypeError(f"tz must be a bool, not {type(tz).__name__}")
        if multiple_of is not None:
            if isinstance(multiple_of, bool) or not hasattr(multiple_of, "__mod__") or isinstance(multiple_of, str):
                raise TypeError(f"multiple_of must be a number, not {type(multiple_of).__name__}")
            if not multiple_of > 0:
                raise ValueError("multiple_of must be greater than zero")
        self._set(gt, ge, lt, le, multiple_of, min_length, max_length, pattern, tz)


class Lax(_Marker):
    """Reads what stands in it as `strict=False` does: numbers in strings, 1 as true, seconds as a datetime. `Annotated[int, Lax()]`."""

    __slots__ = ()


class Rest(_Marker):
    """A field of type `dict[str, T]` that keeps the keys which no other field takes. `Annotated[dict[str, Any], Rest()]`."""

    __slots__ = ()


class Convert(_Marker):
    """Functions for a type that ocior does not know, or a check of one that it knows.

    `load` gets the value decoded as `takes` (default: Any, what `loads` gives), and returns the value; its ValueErrors and TypeErrors are
    told as problems, with their place. With `takes=T` for a `T` it is a validator. `dump` gets the value, and returns what is written.

    `Annotated[Money, Convert(load=Money.parse, takes=str, dump=str)]`, or `convert={Money: Convert(...)}` of a decoder.
    """

    __slots__ = ("load", "takes", "dump")
    load: Callable[[Any], Any] | None
    takes: Any
    dump: Callable[[Any], Any] | None

    def __init__(self, load: Callable[[Any], Any] | None = None, *, takes: Any = ..., dump: Callable[[Any], Any] | None = None) -> None:
        for name, function in (("load", load), ("dump", dump)):
            if function is not None and not callable(function):
                raise TypeError(f"Convert: {name} must be callable, not {type(function).__name__}")
        if load is None and dump is None:
            raise TypeError("Convert needs load, dump or both")
        if load is None and takes is not ...:
            raise TypeError("Convert: takes says what load is given, and there is no load")
        if takes is ...:
            from typing import Any

            takes = Any
        self._set(load, takes, dump)


class Tag(_Marker):
    """The key that tells the classes of a union apart, and the class for each of its values.

    `Annotated[A | B, Tag("kind", {"a": A, "b": B})]`. Without the second the values are those of the Literal or Enum that each class has
    as its field of this name, or those of its `Rules(tag=...)`.
    """

    __slots__ = ("name", "types")
    name: str
    types: dict[str | int, Any] | None

    def __init__(self, name: str, types: Mapping[str | int, Any] | None = None) -> None:
        if not isinstance(name, str):
            raise TypeError(f"Tag: the key must be a str, not {type(name).__name__}")
        if types is not None:
            types = dict(types)
            for value in types:
                if not isinstance(value, (str, int)) or isinstance(value, bool):
                    raise TypeError(f"Tag: its values must be str or int, not {type(value).__name__}")
        self._set(name, types)


class Rules(_Marker):
    """How a class is read and written: as the class attribute `__ocior__`, in `Annotated`, or in `rules=` for classes of others.

    `rename`: names in JSON of fields without an Alias: "camel" (firstName), "pascal" (FirstName), "kebab" (first-name), "upper"
    (FIRST_NAME), a function of the name, or a mapping; names for which these give None, or nothing, stay.
    `unknown`: keys that are no field are ignored ("ignore") or a problem ("forbid").
    `omit`: "none" leaves out fields whose value is None, "defaults" those that have their default.
    `tag`: the key and the value of a member that is written first, and tells the class among others in a union: ("kind", "a").
    `array`: the class is an array of the values of its fields.

    What is not given is left to the rules that stand farther out, in the end to the decoder. TypeError and ValueError for other values.
    """

    __slots__ = ("rename", "unknown", "omit", "tag", "array")
    rename: Any
    unknown: str | None
    omit: str | None
    tag: tuple[str, str | int] | None
    array: bool | None

    def __init__(
        self,
        *,
        rename: Literal["camel", "pascal", "kebab", "upper"] | Callable[[str], str | None] | Mapping[str, str] | None = None,
        unknown: Literal["ignore", "forbid"] | None = None,
        omit: Literal["none", "defaults"] | None = None,
        tag: tuple[str, str | int] | None = None,
        array: bool | None = None,
    ) -> None:
        if isinstance(rename, str):
            if rename not in ("camel", "pascal", "kebab", "upper"):
                raise ValueError(f"Rules: rename is 'camel', 'pascal', 'kebab', 'upper', a function or a mapping, not {rename!r}")
        elif isinstance(rename, Mapping):
            rename = dict(rename)
        elif rename is not None and not callable(rename):
            raise TypeError(f"Rules: rename must be a str, a function or a mapping, not {type(rename).__name__}")
        if unknown not in (None, "ignore", "forbid"):
            raise ValueError(f"Rules: unknown is 'ignore' or 'forbid', not {unknown!r}")
        if omit not in (None, "none", "defaults"):
            raise ValueError(f"Rules: omit is 'none' or 'defaults', not {omit!r}")
        if tag is not None:
            is_pair = isinstance(tag, tuple) and len(tag) == 2
            if not is_pair or not isinstance(tag[0], str) or not isinstance(tag[1], (str, int)) or isinstance(tag[1], bool):
                raise TypeError("Rules: tag is a tuple of the key and its value, a str and a str or an int")
        if array is not None and not isinstance(array, bool):
            raise TypeError(f"Rules: array must be a bool, not {type(array).__name__}")
        self._set(rename, unknown, omit, tag, array)

    def over(self, other: Rules | None) -> Rules:
        """These rules, and for what they do not say those of `other`."""
        if other is None:
            return self
        return _restore(Rules, tuple(theirs if mine is None else mine for mine, theirs in zip(self._values(), other._values())))


NO_RULES = Rules()
