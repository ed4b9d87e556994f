"""Schemas for files of other kinds: what such a file cannot hold becomes JSON text. The command line writes them."""

from __future__ import annotations

from ocior._tables.schema import Schema, schema_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ocior._tables.type_names import Form


def fitting(schema: Schema, to: str) -> Schema:
    """A schema of the same columns for a file of this kind: in CSV nothing is nested, in Parquet no struct is without fields."""
    kind, seen, children = schema._form
    return schema_of((kind, seen, tuple((name, is_nullable, _fitting(child, to)) for name, is_nullable, child in children)))


def _fitting(form: Form, to: str) -> Form:
    kind, seen, children = form
    if (to == "csv" and kind.startswith("+")) or (to == "parquet" and kind == "+s" and not children):
        return "json", 0, ()
    return kind, seen, tuple((name, is_nullable, _fitting(child, to)) for name, is_nullable, child in children)
