"""What people declare a table by, as a form: schemas of Arrow, dicts of names to types, classes with fields.

Classes are compiled as for typed decoding (`ocior._typed.hints`), so that names, aliases, generic classes and what is refused are the same.
The types become these columns:

    int, IntFlag: int64            float, int | float: float64     bool: bool                    str, UUID, paths, addresses: string
    bytes: binary, from base64     date: date32                    time: time64[us]              timedelta: duration[us]
    datetime: timestamp[us, UTC]   Decimal: decimal128(38, 18)     Any, object, Raw: json        None: null
    an Enum or Literal of str: dictionary<int32, string>, of int int64, of float float64, of bool bool
    list, set, tuple[T, ...]: list<T>      tuple[T, T]: fixed_size_list<T, 2>      dict[str, T]: map<string, T>
    a class, TypedDict or NamedTuple: struct

A datetime that is declared as such is text with an offset, as RFC 3339 has it, which is kept in UTC; without one it is a bad record. Typed
decoding, which makes objects, takes both; a column of Arrow is of one kind. With `Limits(tz=False)` it is timestamp[us], of text without
an offset.

`T | None` is nullable, and so is a field that may be missing: one with a default, NotRequired, or Missing in its union. Defaults are not
filled in. Limits are not checked, nor are the members of an Enum. A NamedTuple is an object, where typed decoding has an array. Functions
that would have to be called (Convert) are refused, and so are unions other than these.
"""

from __future__ import annotations

from collections.abc import Mapping

from ocior._tables.type_names import check_names, declared_form, dictionary_form, list_form, map_form, named_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ocior._tables.type_names import Form

_STRINGS = {"str": "u", "uuid": "u", "call": "u", "bytes": "z", "bytearray": "z", "date": "tdD", "time": "ttu", "timedelta": "tDu"}
_DECIMAL = "d:38,18"


def form_of(declared: Any) -> Form:
    """The form of a whole table. Raises TypeError for what declares none, and ValueError for two columns of one name."""
    form = _form_of(declared)
    check_names(form)
    return form


def _form_of(declared: Any) -> Form:
    if isinstance(declared, Mapping):
        return declared_form("+s", *(_column(name, type) for name, type in declared.items()))
    if _has_arrow_schema(declared):
        form = _imported(declared)
        if form[0] != "+s":
            raise TypeError("a table is declared by a schema, or a struct, and not by one type")
        return form
    if not isinstance(declared, type) and not hasattr(declared, "__origin__"):
        raise TypeError(
            "a schema must be declared by an Arrow schema, a class with fields, or a dict of names to types, "
            f"not by {_article(type(declared).__name__)}"
        )
    from ocior._typed.resolve import name_of

    form, _ = _of_type(declared, name_of(declared))
    if form[0] != "+s":
        raise TypeError(f"{name_of(declared)}: a schema is declared by a class with fields")
    return form


def _column(name: Any, type: Any) -> tuple[str, bool, Form]:
    if not isinstance(name, str):
        raise TypeError(f"the name of a column must be a str, not {_article(name.__class__.__name__)}")
    if isinstance(type, str):
        try:
            form, is_nullable = named_form(type)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    elif _has_arrow_schema(type):
        try:
            form, is_nullable = _imported(type), getattr(type, "nullable", True) is not False
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    elif isinstance(type, Mapping):
        form, is_nullable = declared_form("+s", *(_inside(name, one, inner) for one, inner in type.items())), True
    else:
        form, is_nullable = _of_type(type, name)
    return str(name), is_nullable, form


def _inside(place: str, name: Any, type: Any) -> tuple[str, bool, Form]:
    try:
        return _column(name, type)
    except TypeError as error:
        raise TypeError(f"{place}.{error}" if isinstance(name, str) else f"{place}: {error}") from None


def _has_arrow_schema(value: Any) -> bool:
    return hasattr(value, "__arrow_c_schema__") and not isinstance(value, type)


def _imported(value: Any) -> Form:
    from ocior import _core

    return _core.import_schema(value.__arrow_c_schema__())


def _article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _of_type(type: Any, place: str) -> tuple[Form, bool]:
    """The form of a type of Python, and whether it is nullable."""
    from ocior._typed import hints

    try:
        node = hints.compile(type)
    except TypeError as error:
        raise TypeError(
            str(error) if str(error).startswith(f"{place}:") or "." in str(error).split(":")[0] else f"{place}: {error}"
        ) from None
    return _Walk().of(node, place)


class _Walk:
    """Goes through compiled nodes, and knows those that it is inside of, so that recursive types are noticed."""

    def __init__(self) -> None:
        self.open: list[Any] = []

    def of(self, node: Any, place: str) -> tuple[Form, bool]:
        # A class is one Object, also where a union with None makes other nodes of it.
        entered = node.object or node.array or node
        if any(entered is outer for outer in self.open):
            raise TypeError(f"{place}: a type that is part of itself is no type of a column; Any keeps it as JSON text")
        self.open.append(entered)
        try:
            self._refuse_functions(node, place)
            return self._form(node, place), node.null or node.whole in ("any", "raw")
        finally:
            self.open.pop()

    @staticmethod
    def _refuse_functions(node: Any, place: str) -> None:
        from ocior._typed.hooks import FromItems
        from ocior._typed.scalars import MakeFlag

        for hook in node.hooks or ():
            # Those of ocior itself check, or make, the object that stands for a value. Others are the user's.
            if hook is not None and not isinstance(hook, (FromItems, MakeFlag)) and not type(hook).__module__.startswith("ocior._typed."):
                raise TypeError(f"{place}: the functions of a Convert are not called for columns")

    def _form(self, node: Any, place: str) -> Form:
        if node.whole in ("any", "raw"):
            return declared_form("json")
        if node.whole:
            raise TypeError(f"{place}: models of pydantic are no types of columns")
        kinds = [
            kind
            for kind, is_there in (
                ("bool", node.boolean or (node.word_choices and set(node.word_choices) - {"null"})),
                ("number", node.integer or node.real or node.int_choices or node.float_choices),
                ("string", node.string or node.str_choices),
                ("array", node.array is not None),
                ("object", node.object is not None),
            )
            if is_there
        ]
        if "decimal" in node.string and node.real == "decimal":
            kinds.remove("string")
        if len(kinds) > 1:
            raise TypeError(f"{place}: a column has one type, and not {node.expected}; Any keeps values of any kind as JSON text")
        if not kinds:
            return declared_form("n")
        return getattr(self, f"_of_{kinds[0]}")(node, place)

    def _of_bool(self, node: Any, place: str) -> Form:
        return declared_form("b")

    def _of_number(self, node: Any, place: str) -> Form:
        forms = {node.integer, node.real} - {""}
        if "decimal" in forms:
            if node.string not in ((), ("decimal",)) or len(node.members) > 2 or (len(node.members) == 2 and not node.null):
                raise TypeError(f"{place}: a column has one type, and not {node.expected}")
            return declared_form(_DECIMAL)
        return declared_form("g" if node.real == "float" or node.float_choices else "l")

    def _of_string(self, node: Any, place: str) -> Form:
        if node.str_choices:
            if node.string:
                return declared_form("u") if node.string == ("str",) else self._refuse_strings(node, place)
            return dictionary_form(declared_form("u"))
        kinds = {_STRINGS.get(form, form) for form in node.string}
        if len(kinds) != 1:
            return self._refuse_strings(node, place)
        (kind,) = kinds
        if kind == "datetime":
            return declared_form("tsu:" if node.tz is False else "tsu:UTC")
        return declared_form(kind)

    @staticmethod
    def _refuse_strings(node: Any, place: str) -> Form:
        raise TypeError(f"{place}: a column has one type, and not {node.expected}; str keeps all of them as they are")

    def _of_array(self, node: Any, place: str) -> Form:
        array = node.array
        if array.kind == "class":
            raise TypeError(f"{place}: a class that is an array is no type of a column")
        if array.kind == "namedtuple" or (array.items and self._named_tuple(node) is not None):
            return self._of_named_tuple(node, place)
        if array.kind != "fixed":
            return list_form(*self.of(array.item, f"{place}[]"))
        items = [self.of(item, f"{place}[{index}]") for index, item in enumerate(array.items)]
        if not items or any(item != items[0] for item in items):
            raise TypeError(f"{place}: the items of a list have one type; of a tuple with others a NamedTuple can be declared")
        return list_form(*items[0], kind=f"+w:{len(items)}")

    @staticmethod
    def _named_tuple(node: Any) -> Any:
        """The class of a NamedTuple with a constructor of its own."""
        for hook in node.hooks or ():
            cls = getattr(hook, "cls", None)
            if getattr(hook, "spread", False) and hasattr(cls, "_fields"):
                return cls
        return None

    def _of_named_tuple(self, node: Any, place: str) -> Form:
        cls = node.array.type if node.array.kind == "namedtuple" else self._named_tuple(node)
        defaults = getattr(cls, "_field_defaults", {})
        fields = []
        for name, item in zip(cls._fields, node.array.items):
            form, is_nullable = self.of(item, f"{place}.{name}")
            fields.append((name, is_nullable or name in defaults, form))
        return declared_form("+s", *fields)

    def _of_object(self, node: Any, place: str) -> Form:
        target = node.object
        if target.kind == "union":
            raise TypeError(f"{place}: a column has one type, and not {node.expected}; Any keeps values of any kind as JSON text")
        if target.kind == "dict":
            from ocior._typed.containers import is_plain_key

            if target.key is not None and not is_plain_key(target.key):
                raise TypeError(f"{place}: the keys of a map are of type str")
            return map_form(*self.of(target.value, f"{place}{{}}"))
        fields: list[tuple[str, bool, Form]] = []
        if target.tag_name is not None:
            fields.append((target.tag_name, True, declared_form("u" if isinstance(target.tag_value, str) else "l")))
        for index, field in enumerate(target.fields):
            inside = f"{place}.{field.name}"
            if index == target.rest:
                raise TypeError(f"{inside}: a Rest is no column, for its keys are not known")
            if not field.init:
                continue
            if len(field.alias_read) > 1:
                raise TypeError(f"{inside}: a column has one name, and this field is read by {len(field.alias_read)}")
            form, is_nullable = self.of(field.node, inside)
            fields.append((field.alias_read[0], is_nullable or not field.required, form))
        return declared_form("+s", *fields)
