"""`Schema`: the names and types of the columns of a table."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias, final, type_check_only

from typing_extensions import CapsuleType, Self

__all__ = ["Schema", "schema_of"]

@type_check_only
class _ArrowSchema(Protocol):
    def __arrow_c_schema__(self) -> CapsuleType: ...

_Declared: TypeAlias = _ArrowSchema | Mapping[str, Any] | type[Any]

@final
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

    def __new__(cls, declared: _Declared) -> Self: ...
    @property
    def names(self) -> list[str]:
        """The names of the columns, in their order."""

    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __or__(self, other: Schema) -> Schema: ...
    def __arrow_c_schema__(self) -> CapsuleType:
        """A capsule of Arrow's C interface, for pyarrow, polars and others."""

def schema_of(form: Any, mixed: str = "json") -> Schema: ...
