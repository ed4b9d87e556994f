"""`Schema`: the names and types of the columns of a table, which can be pickled, compared and joined, and given to others by Arrow's C
interface."""

from __future__ import annotations

from ocior import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ocior._tables.type_names import Form

__all__ = ["Schema", "schema_of"]

_NESTED_WITHOUT_NAMES = ("+l", "+L", "+w", "+m")  # their children are named by custom only: item, element, entries


class Schema:
    """The columns of a table: names and types. It cannot be changed.

    `declared`: what has `__arrow_c_schema__`, as a schema of pyarrow and another Schema; a dataclass, attrs class, `msgspec.Struct`,
    TypedDict or NamedTuple, by the names that typed decoding reads; or a dict of names to types, each a type of Python, the name of a type
    of Arrow, as "int32", "list<string>", "timestamp[us, UTC]" or "json", or what has `__arrow_c_schema__`.

    A type of Python is nullable if None is in its union or its field has a default; a column by the name of a type is, unless "not null"
    stands behind it. Schemas are equal if their columns have the same names, types and nullability in the same order. `a | b` is the
    schema of what both were inferred from: of two that `infer` gave it is the one that `infer` would have given for both together.

    Raises TypeError for a type that no column can have, with the name of the column or field, and ValueError for two columns of one name.

        >>> Schema({"id": int, "tags": "list<string>"})
        Schema of 2 columns
            id: int64 not null
            tags: list<string>
    """

    __slots__ = ("_form", "_mixed")
    _form: Form
    _mixed: str

    def __new__(cls, declared: Any) -> Any:
        if isinstance(declared, Schema):
            return declared
        from ocior._tables.declared import form_of

        return schema_of(form_of(declared))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a Schema cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Schema cannot be changed")

    @property
    def names(self) -> list[str]:
        """The names of the columns, in their order."""
        return [name for name, _, _ in self._form[2]]

    def __len__(self) -> int:
        return len(self._form[2])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return _shown_part(self._form) == _shown_part(other._form)

    def __hash__(self) -> int:
        return hash(_shown_part(self._form))

    def __or__(self, other: Any) -> Schema:
        if not isinstance(other, Schema):
            return NotImplemented
        if self._mixed != other._mixed:
            raise ValueError(f"the schemas were inferred with mixed={self._mixed!r} and mixed={other._mixed!r}")
        return schema_of(_core.join_forms(self._form, other._form, self._mixed), self._mixed)

    def __arrow_c_schema__(self) -> Any:
        """A capsule of Arrow's C interface, for pyarrow, polars and others."""
        return _core.export_schema(self._form)

    def __reduce__(self) -> Any:
        return schema_of, (self._form, self._mixed)

    def __repr__(self) -> str:
        from ocior._tables.type_names import column_lines

        count = len(self)
        return "\n".join([f"Schema of {count} column{'s' * (count != 1)}", *(f"    {line}" for line in column_lines(self._form))])


def schema_of(form: Form, mixed: str = "json") -> Schema:
    """The Schema of a form; the core calls this, too. `mixed`: how what is mixed was inferred, which `|` goes on with."""
    schema = object.__new__(Schema)
    object.__setattr__(schema, "_form", form)
    object.__setattr__(schema, "_mixed", mixed)
    return schema


def _shown_part(form: Form) -> Any:
    """A form without what has been seen, and without names that mean nothing."""
    kind, _, children = form
    has_names = not kind.startswith(_NESTED_WITHOUT_NAMES)
    return kind, tuple((name if has_names else "", is_nullable, _shown_part(child)) for name, is_nullable, child in children)
