"""`json_schema(type)`: the JSON Schema (2020-12) of a type, made of the nodes that the decoder reads.

The decoder accepts what the schema accepts, but for 1.0 as an integer, for what formats leave open (bounds of dates among it), and for
patterns that mean something else in Python.
"""

import sys
from collections.abc import Mapping
from typing import Any

from ocior._typed import resolve
from ocior._typed.hints import compile
from ocior._typed.markers import Convert, Rules
from ocior._typed.nodes import NOTHING, Array, Field, Node, Object
from ocior._typed.schema_parts import (
    NAIVE_STRINGS,
    STRINGS,
    any_of,
    base64,
    beside,
    bounds,
    default_of,
    description,
    forbid,
    full_name,
    of_called,
    prefix,
    present,
    safe,
    with_notes,
)

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(
    type: Any,
    *,
    mode: str = "decode",
    ref_template: str = "#/$defs/{name}",
    strict: bool = True,
    unknown: str = "ignore",
    rules: Mapping[Any, Rules] | None = None,
    convert: Mapping[Any, Convert] | None = None,
) -> dict[str, Any]:
    """The JSON Schema of a type, as a dict.

    `mode`: "decode" describes what a decoder reads, "encode" what an encoder writes. `ref_template`: how classes are referred to; they
    stand in "$defs" by their names, by their full names where two are alike. The others: as for a decoder. Raises TypeError for a type
    that ocior does not know, or could not read, where it is read; ValueError for another `mode` and for a template without `{name}`.
    """
    if mode not in ("decode", "encode"):
        raise ValueError(f"mode is 'decode' or 'encode', not {mode!r}")
    if "{name}" not in ref_template:
        raise ValueError("ref_template has no {name}")
    is_encoding = mode == "encode"
    node = compile(type, strict=strict or is_encoding, unknown=unknown, rules=rules, convert=convert, is_read=not is_encoding)
    return _Schemas(is_encoding, ref_template).document(node)


class _Definition:
    """A schema in "$defs". `short` and `full`: the names it may get."""

    def __init__(self, short: str, full: str) -> None:
        self.short = short
        self.full = full
        self.schema: dict[str, Any] = {}
        self.references: list[dict[str, Any]] = []


class _Schemas:
    def __init__(self, is_encoding: bool, ref_template: str) -> None:
        self.is_encoding = is_encoding
        self.ref_template = ref_template
        self.definitions: dict[Any, _Definition] = {}
        # What the keys of `definitions` are the ids of.
        self.kept: list[Any] = []
        # (mapping, key, definition): texts that become references, too.
        self.mapped: list[tuple[dict[str, Any], str, _Definition]] = []

    def document(self, node: Node) -> dict[str, Any]:
        root = self.of(node)
        names = self._names()
        for key, definition in self.definitions.items():
            for reference in definition.references:
                reference["$ref"] = self.ref_template.replace("{name}", names[key])
        by_definition = {id(definition): names[key] for key, definition in self.definitions.items()}
        for mapping, key, definition in self.mapped:
            mapping[key] = self.ref_template.replace("{name}", by_definition[id(definition)])
        made = {"$schema": _DIALECT, **root}
        if self.definitions:
            made["$defs"] = {names[key]: definition.schema for key, definition in self.definitions.items()}
        return made

    def _names(self) -> dict[Any, str]:
        short: dict[str, int] = {}
        for definition in self.definitions.values():
            short[definition.short] = short.get(definition.short, 0) + 1
        names: dict[Any, str] = {}
        taken: set[str] = set()
        for key, definition in self.definitions.items():
            wanted = definition.short if short[definition.short] == 1 else definition.full
            name, number = wanted, 1
            while name in taken:
                number += 1
                name = f"{wanted}_{number}"
            names[key] = name
            taken.add(name)
        return names

    def _defined(self, key: Any, owner: Any, short: str, full: str, make: Any) -> tuple[dict[str, Any], _Definition]:
        """A reference to what `make` returns, which is made once."""
        definition = self.definitions.get(key)
        if definition is None:
            definition = self.definitions[key] = _Definition(safe(short), safe(full))
            self.kept.append(owner)
            definition.schema = make()
        reference: dict[str, Any] = {"$ref": ""}
        definition.references.append(reference)
        return reference, definition

    # -- nodes

    def of(self, node: Node) -> dict[str, Any]:
        if resolve.is_type_alias(node.source) or resolve.is_type_alias(resolve.origin_of(node.source)):
            alias = node.source
            short = str(getattr(alias, "__name__", alias)) if resolve.origin_of(alias) is None else str(alias)
            bare = node.copy(source=None)
            schema, _ = self._defined(("alias", alias, node.is_open), alias, short, f"{alias.__module__}.{short}", lambda: self.of(bare))
        else:
            schema = self._of_leaf_or_union(node)
        return with_notes(schema, node.notes)

    def _of_leaf_or_union(self, node: Node) -> dict[str, Any]:
        if self.is_encoding and node.dump is not None:
            return {}
        if node.whole == "model" and node.source is not None:
            schema = self._model(node)
            return any_of([schema, {"type": "null"}]) if node.null else schema
        if node.whole:
            return {}
        if not node.members:
            return self._leaf(node)
        parts = []
        has_union = node.object is not None and node.object.kind == "union"
        for part in node.members:
            if has_union and part.object is not None:
                continue
            parts.append(self.of(part))
        if has_union:
            parts.append(self._object(node.object))
        return any_of(parts)

    def _leaf(self, node: Node) -> dict[str, Any]:
        choices = self._choices(node)
        if choices is not None:
            return choices
        parts: list[dict[str, Any]] = []
        if node.null:
            parts.append({"type": "null"})
        if node.boolean:
            parts.append({"type": "boolean"})
        parts += self._numbers(node)
        for form in node.string:
            if not (self.is_encoding and form == "decimal"):
                parts.append(self._string(node, form))
        if node.array is not None:
            parts.append(self._array(node.array))
        if node.object is not None:
            parts.append(self._object(node.object))
        return any_of(parts)

    def _choices(self, node: Node) -> dict[str, Any] | None:
        words = {"true": True, "false": False, "null": None}
        choices: list[tuple[Any, Any]] = []
        for found in (node.str_choices, node.int_choices, node.float_choices):
            choices += (found or {}).items()
        choices += [(words[word], value) for word, value in (node.word_choices or {}).items()]
        if node.source is not None:
            # In the order of the class; what lax reading takes besides is said by the same members.
            order = list(node.source)
            choices.sort(key=lambda choice: order.index(choice[1]))
        values = [value for value, _ in choices]
        if node.null and values:
            values.append(None)
        if not values:
            return None
        schema: dict[str, Any] = {"const": values[0]} if len(values) == 1 else {"enum": values}
        if node.source is None:
            return schema
        cls = node.source
        described = {"title": cls.__name__, **description(cls), **schema}
        return self._defined(("enum", cls, len(values)), cls, cls.__name__, full_name(cls), lambda: described)[0]

    def _numbers(self, node: Node) -> list[dict[str, Any]]:
        found = []
        if node.integer == "bool":
            found.append({"enum": [0, 1]})
        elif node.integer or node.real:
            is_integer = node.integer == "int" and node.real in ("", "int")
            found.append({"type": "integer" if is_integer else "number", **bounds(node.number_limits)})
        return found

    def _string(self, node: Node, form: str) -> dict[str, Any]:
        schema = {"type": "string", **(STRINGS[form] if form != "call" else of_called(node.string_class))}
        if form in NAIVE_STRINGS and node.tz is False:
            schema = {"type": "string", **NAIVE_STRINGS[form]}
        if form == "str" and node.string_limits:
            least, most, pattern = node.string_limits
            schema.update(present(minLength=least, maxLength=most, pattern=pattern and pattern.pattern))
        if form in ("bytes", "bytearray") and node.bytes_limits:
            schema["pattern"] = base64(*node.bytes_limits)
        return schema

    def _model(self, node: Node) -> dict[str, Any]:
        """pydantic knows the schema of its models; its definitions are put among the others."""
        cls = node.source
        mode = "serialization" if self.is_encoding else "validation"
        adapter = sys.modules["pydantic"].TypeAdapter(cls)
        schema = adapter.json_schema(mode=mode, ref_template="\0{model}")
        inner = schema.pop("$defs", {})
        for name, definition in inner.items():
            self._defined(("model", cls, name), cls, name, f"{cls.__module__}.{name}", lambda: {})
            self.definitions["model", cls, name].schema = self._relinked(definition, cls)
        if "$ref" in schema:
            return self._relinked(schema, cls)
        return self._defined(("model", cls), cls, cls.__name__, full_name(cls), lambda: self._relinked(schema, cls))[0]

    def _relinked(self, value: Any, cls: Any) -> Any:
        """A copy of a schema of pydantic's whose references lead to our definitions."""
        if isinstance(value, list):
            return [self._relinked(item, cls) for item in value]
        if not isinstance(value, dict):
            return value
        made = {key: self._relinked(item, cls) for key, item in value.items()}
        for key, item in value.items():
            if isinstance(item, str) and item.startswith("\0"):
                name = item[1:]
                reference, definition = self._defined(("model", cls, name), cls, name, f"{cls.__module__}.{name}", lambda: {})
                if key == "$ref":
                    made = {**made, "$ref": ""}
                    definition.references.append(made)
                else:
                    self.mapped.append((made, key, definition))
        return made

    # -- arrays

    def _array(self, array: Array) -> dict[str, Any]:
        if array.kind == "namedtuple":
            cls = array.type
            return self._defined(id(array.items), array.items, cls.__name__, full_name(cls), lambda: self._named_tuple(array))[0]
        if array.kind == "class":
            target = array.object
            return self._defined(id(target), target, target.name, full_name(target.type, target.name), lambda: self._class_array(target))[0]
        if array.kind == "fixed":
            return {"type": "array", **prefix([self.of(item) for item in array.items], len(array.items))}
        schema: dict[str, Any] = {"type": "array"}
        items = self.of(array.item)
        if items:
            schema["items"] = items
        schema.update(present(minItems=array.min_length, maxItems=array.max_length))
        # Doubles are dropped when a set is read, and a length is that of the set.
        if array.kind in ("set", "frozenset") and (self.is_encoding or array.min_length is not None):
            schema["uniqueItems"] = True
        return schema

    def _named_tuple(self, array: Array) -> dict[str, Any]:
        cls = array.type
        items = []
        for name, item in zip(cls._fields, array.items):
            schema = {"title": name, **self.of(item)}
            if name in getattr(cls, "_field_defaults", {}):
                schema.update(default_of(cls._field_defaults[name], None))
            items.append(schema)
        least = len(items) if self.is_encoding else len(items) - len(array.defaults)
        return {"title": cls.__name__, **description(cls), "type": "array", **prefix(items, least)}

    def _class_array(self, target: Object) -> dict[str, Any]:
        fields = [field for field in target.fields if field.init or self.is_encoding]
        items = [{"title": field.name, **self._field(field)} for field in fields]
        least = len(items) if self.is_encoding else sum(1 for field in fields if field.required)
        return {"title": target.name, **description(target.type), "type": "array", **prefix(items, least)}

    # -- objects

    def _object(self, target: Object) -> dict[str, Any]:
        if target.kind == "dict":
            return self._dict(target)
        if target.kind == "union":
            return self._union(target)
        return self._class_reference(target)[0]

    def _class_reference(self, target: Object) -> tuple[dict[str, Any], _Definition]:
        full = full_name(target.type, target.name)
        return self._defined(id(target), target, target.name, full, lambda: self._class(target))

    def _dict(self, target: Object) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object"}
        values = self.of(target.value)
        if values:
            schema["additionalProperties"] = values
        if target.key is not None:
            names = self.of(target.key)
            if names not in ({}, {"type": "string"}):
                schema["propertyNames"] = names
        schema.update(present(minProperties=target.min_length, maxProperties=target.max_length))
        return schema

    def _class(self, target: Object) -> dict[str, Any]:
        schema: dict[str, Any] = {"title": target.name, **description(target.type), "type": "object"}
        properties: dict[str, Any] = {}
        required: list[str] = []
        alternatives: list[dict[str, Any]] = []
        if target.tag_name is not None:
            properties[target.tag_name] = {"const": target.tag_value}
            if self.is_encoding:
                required.append(target.tag_name)
        for index, field in enumerate(target.fields):
            if index == target.rest or not (field.init or self.is_encoding):
                continue
            names = (field.written,) if self.is_encoding else field.alias_read
            for name in names:
                properties[name] = self._field(field)
            if not self._is_required(field):
                continue
            if len(names) == 1:
                required.append(names[0])
            else:
                alternatives.append({"anyOf": [{"required": [name]} for name in names]})
        schema["properties"] = properties
        if required:
            schema["required"] = required
        if len(alternatives) == 1:
            schema.update(alternatives[0])
        elif alternatives:
            schema["allOf"] = alternatives
        if target.rest >= 0:
            values = self.of(target.fields[target.rest].node)
            if values:
                schema["additionalProperties"] = values
        elif target.unknown == "forbid" and not self.is_encoding:
            schema["additionalProperties"] = False
        return schema

    def _is_required(self, field: Field) -> bool:
        if not self.is_encoding or field.missing:
            return field.required and not field.missing
        if field.omit == "none":
            return not field.node.null and not field.node.whole
        if field.omit == "defaults":
            return field.default is NOTHING and field.factory is None
        # A TypedDict may lack what is not required, and no attribute is made for a field without a value.
        return field.required or field.default is not NOTHING or field.factory is not None

    def _field(self, field: Field) -> dict[str, Any]:
        schema = {} if self.is_encoding and field.dump is not None else self.of(field.node)
        schema = with_notes(schema, field.notes)
        if not field.missing:
            schema = {**schema, **default_of(field.default, field.factory)} if "$ref" not in schema else beside(schema, field)
        return schema

    def _union(self, union: Object) -> dict[str, Any]:
        if union.tag is not None:
            return self._tagged_union(union)
        parts = []
        keys = union.keys or {}
        for index, member in enumerate(union.members):
            part, _ = self._class_reference(member)
            forbid(part, [key for key, of in keys.items() if of != index])
            parts.append(part)
        if union.rest is not None:
            rest = self._dict(union.rest)
            forbid(rest, list(keys))
            parts.append(rest)
        return any_of(parts)

    def _tagged_union(self, union: Object) -> dict[str, Any]:
        parts = []
        mapping: dict[str, Any] = {}
        for index, member in enumerate(union.members):
            part, definition = self._class_reference(member)
            part["required"] = [union.tag]
            parts.append(part)
            for value in [value for value, of in (union.tags or {}).items() if of == index]:
                mapping[str(value)] = ""
                self.mapped.append((mapping, str(value), definition))
        if union.rest is not None:
            rest = self._dict(union.rest)
            rest["not"] = {"properties": {union.tag: {"enum": list(union.tags or ())}}, "required": [union.tag]}
            return any_of([*parts, rest])
        return {"oneOf": parts, "discriminator": {"propertyName": union.tag, "mapping": mapping}}
