"""Types of columns as text, both ways: forms as people read them, and what people write for a type as a form.

    int64   timestamp[us, UTC]   decimal128(10, 2)   list<string>   struct<a: int64, b: string not null>   map<string, json>
    dictionary<int32, string>    fixed_size_list<float, 3>          fixed_size_binary[16]

A name that is no identifier stands in quotes, as JSON has it. Types are nullable unless "not null" stands behind them. What pyarrow writes
for a type is read, too: `list<item: int64>`, `timestamp[us, tz=UTC]`, `fixed_size_list<item: float>[3]`.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Form = tuple[str, int, tuple[tuple[str, bool, "Form"], ...]]

DECLARED = 32  # what `seen` says of a form that nobody has inferred

_SIMPLE = {
    "null": "n",
    "bool": "b",
    "int8": "c",
    "uint8": "C",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
    "float16": "e",
    "float32": "f",
    "float64": "g",
    "string": "u",
    "large_string": "U",
    "string_view": "vu",
    "binary": "z",
    "date32": "tdD",
    "date64": "tdm",
    "time32[s]": "tts",
    "time32[ms]": "ttm",
    "time64[us]": "ttu",
    "time64[ns]": "ttn",
    "duration[s]": "tDs",
    "duration[ms]": "tDm",
    "duration[us]": "tDu",
    "duration[ns]": "tDn",
    "json": "json",
}
_NAMES = {kind: name for name, kind in _SIMPLE.items()}
_OTHER_NAMES = {
    "boolean": "b",
    "halffloat": "e",
    "half_float": "e",
    "float": "f",
    "double": "g",
    "str": "u",
    "utf8": "u",
    "large_utf8": "U",
    "large_str": "U",
    "utf8_view": "vu",
    "bytes": "z",
    "date32[day]": "tdD",
    "date64[ms]": "tdm",
    "extension<arrow.json>": "json",
}
_UNITS = ("s", "ms", "us", "ns")
_UNIT_LETTERS = {"s": "s", "ms": "m", "us": "u", "ns": "n"}
_MAX_PRECISION = {128: 38, 256: 76}
_INDEXES = "cCsSiIlL"


def declared_form(kind: str, *children: tuple[str, bool, Form]) -> Form:
    """A form that is declared and not inferred."""
    return kind, DECLARED, children


def list_form(item: Form, is_nullable: bool, kind: str = "+l") -> Form:
    return declared_form(kind, ("item", is_nullable, item))


def map_form(value: Form, is_nullable: bool) -> Form:
    entries = declared_form("+s", ("key", False, declared_form("u")), ("value", is_nullable, value))
    return declared_form("+m", ("entries", False, entries))


def dictionary_form(values: Form, index: str = "i") -> Form:
    return declared_form(f"dictionary:{index}", ("", True, values))


def column_lines(form: Form) -> Iterator[str]:
    """A line for each column of a table."""
    return (_field_name(name, is_nullable, child) for name, is_nullable, child in form[2])


def type_name(form: Form) -> str:
    """The name of a type."""
    kind, _, children = form
    simple = _NAMES.get(kind)
    if simple is not None:
        return simple
    first, _, rest = kind.partition(":")
    if first.startswith("ts"):
        unit = next(unit for unit, letter in _UNIT_LETTERS.items() if letter == first[2])
        return f"timestamp[{unit}, {rest}]" if rest else f"timestamp[{unit}]"
    if first == "d":
        precision, scale, *bits = rest.split(",")
        return f"decimal{bits[0] if bits else 128}({precision}, {scale})"
    if first == "w":
        return f"fixed_size_binary[{rest}]"
    if first == "dictionary":
        return f"dictionary<{_NAMES[rest]}, {type_name(children[0][2])}>"
    if first == "+s":
        return f"struct<{', '.join(column_lines(form))}>"
    if first == "+m":
        (_, _, key), (_, is_nullable, value) = children[0][2][2]
        return f"map<{type_name(key)}, {_with_nulls(value, is_nullable)}>"
    inside = _with_nulls(children[0][2], children[0][1]) if children else ""
    return {"+l": f"list<{inside}>", "+L": f"large_list<{inside}>", "+w": f"fixed_size_list<{inside}, {rest}>"}.get(first, kind)


def _with_nulls(form: Form, is_nullable: bool) -> str:
    return type_name(form) if is_nullable else f"{type_name(form)} not null"


def _field_name(name: str, is_nullable: bool, form: Form) -> str:
    shown = name if name.isidentifier() else json.dumps(name, ensure_ascii=False)
    return f"{shown}: {_with_nulls(form, is_nullable)}"


def named_form(text: str) -> tuple[Form, bool]:
    """The form of a type by its name, and whether it is nullable. Raises TypeError for what names no type, or one that JSON cannot fill."""
    reader = _Reader(text)
    form, is_nullable = reader.type()
    if not reader.is_at_end():
        raise reader.refuse()
    return form, is_nullable


class _Reader:
    """Reads the name of a type from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def refuse(self, why: str = "") -> TypeError:
        return TypeError(f"no type of a column is named {self.text!r}" + (f": {why}" if why else ""))

    def is_at_end(self) -> bool:
        self._skip_space()
        return self.at == len(self.text)

    def type(self) -> tuple[Form, bool]:
        form = self._bare_type()
        is_nullable = not self._takes_words("not", "null")
        return form, is_nullable

    def _bare_type(self) -> Form:
        word = self._word()
        if self._takes("["):
            return self._with_brackets(word, self._until("]"))
        if self._takes("("):
            return self._decimal(word, self._until(")"))
        if self._takes("<"):
            form = self._with_parts(word)
            if not word.startswith("fixed_size_list"):
                self._expect(">")
            return form
        return self._simple(word)

    def _simple(self, name: str) -> Form:
        kind = _SIMPLE.get(name) or _OTHER_NAMES.get(name)
        if kind is None:
            raise self.refuse(_hint(name))
        return declared_form(kind)

    def _with_brackets(self, word: str, inside: str) -> Form:
        if word == "timestamp":
            unit, _, zone = (part.strip() for part in inside.partition(","))
            if unit not in _UNITS:
                raise self.refuse("a unit is s, ms, us or ns")
            return declared_form(f"ts{_UNIT_LETTERS[unit]}:{zone.removeprefix('tz=')}")
        if word in ("fixed_size_binary", "binary"):
            return declared_form(f"w:{self._number(inside)}")
        return self._simple(f"{word}[{inside.strip()}]")

    def _decimal(self, word: str, inside: str) -> Form:
        bits = {"decimal": 128, "decimal128": 128, "decimal256": 256}.get(word)
        precision, _, scale = inside.partition(",")
        if bits is None:
            raise self.refuse()
        digits, after = self._number(precision), self._number(scale, may_be_negative=True) if scale else 0
        if not 1 <= digits <= _MAX_PRECISION[bits]:
            raise self.refuse(f"of {word} there are 1 to {_MAX_PRECISION[bits]} digits")
        return declared_form(f"d:{digits},{after}" + (",256" if bits == 256 else ""))

    def _with_parts(self, word: str) -> Form:
        if word in ("list", "large_list"):
            self._skip_item_name()
            return list_form(*self.type(), kind="+l" if word == "list" else "+L")
        if word == "fixed_size_list":
            self._skip_item_name()
            form, is_nullable = self.type()
            if self._takes(","):
                size = self._until(">")
            else:
                self._expect(">")
                self._expect("[")
                size = self._until("]")
            return list_form(form, is_nullable, f"+w:{self._number(size)}")
        if word == "struct":
            return self._struct()
        if word == "map":
            key = self.type()[0]
            if key[0] not in ("u", "U", "vu"):
                raise self.refuse("the keys of a map are strings")
            self._expect(",")
            return map_form(*self.type())
        if word == "dictionary":
            return self._dictionary()
        if word == "extension":
            return self._simple(f"{word}<{self._word()}>")
        raise self.refuse()

    def _struct(self) -> Form:
        fields: list[tuple[str, bool, Form]] = []
        self._skip_space()
        while not self.text.startswith(">", self.at):
            if fields:
                self._expect(",")
            name = self._field_name()
            self._expect(":")
            form, is_nullable = self.type()
            fields.append((name, is_nullable, form))
            self._skip_space()
        return declared_form("+s", *fields)

    def _dictionary(self) -> Form:
        if self._takes_words("values"):  # as pyarrow has it: values=string, indices=int32, ordered=0
            self._expect("=")
            values = self.type()[0]
            self._expect(",")
            if not self._takes_words("indices"):
                raise self.refuse()
            self._expect("=")
            index = self.type()[0]
            if self._takes(","):
                self._until("=")
                self.at += 1
        else:
            index = self.type()[0]
            self._expect(",")
            values = self.type()[0]
        if index[0] not in _INDEXES:
            raise self.refuse("the indices of a dictionary are integers")
        if values[0] != "u":
            raise self.refuse("the values of a dictionary are strings")
        return dictionary_form(values, index[0])

    def _field_name(self) -> str:
        self._skip_space()
        if self.text.startswith('"', self.at):
            try:
                name, self.at = json.decoder.JSONDecoder().raw_decode(self.text, self.at)
            except ValueError:
                raise self.refuse() from None
            return str(name)
        end = self.text.find(":", self.at)
        if end <= self.at:
            raise self.refuse()
        name, self.at = self.text[self.at : end], end
        return name.strip()

    def _skip_item_name(self) -> None:
        """Passes over the "item:" that pyarrow has in the names of lists."""
        start = self.at
        self._word(needed=False)
        if not self._takes(":"):
            self.at = start

    def _word(self, needed: bool = True) -> str:
        self._skip_space()
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in "_."):
            self.at += 1
        if needed and self.at == start:
            raise self.refuse()
        return self.text[start : self.at]

    def _number(self, text: str, may_be_negative: bool = False) -> int:
        digits = text.strip()
        if not (digits.removeprefix("-") if may_be_negative else digits).isdecimal():
            raise self.refuse()
        return int(digits)

    def _until(self, closing: str) -> str:
        end = self.text.find(closing, self.at)
        if end < 0:
            raise self.refuse(f"{closing!r} is missing")
        inside, self.at = self.text[self.at : end], end + 1
        return inside

    def _takes(self, character: str) -> bool:
        self._skip_space()
        if not self.text.startswith(character, self.at):
            return False
        self.at += 1
        return True

    def _takes_words(self, *words: str) -> bool:
        start = self.at
        if all(self._word(needed=False) == word for word in words):
            return True
        self.at = start
        return False

    def _expect(self, character: str) -> None:
        if not self._takes(character):
            raise self.refuse(f"{character!r} is missing")

    def _skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1


def _hint(name: str) -> str:
    if name in ("timestamp", "datetime"):
        return "it is timestamp[us], or timestamp[us, UTC] where the text has an offset"
    if name in ("time", "time32", "time64", "duration"):
        return "its unit stands behind it, as in time64[us] and duration[us]"
    if name in ("int", "uint", "integer"):
        return "its width stands behind it, as in int64"
    if name == "date":
        return "it is date32"
    return "it is decimal128(precision, scale)" if name.startswith("decimal") else ""


def check_names(form: Form, place: str = "") -> None:
    """Raises ValueError where two columns, or two fields of a struct, have one name."""
    kind, _, children = form
    seen: set[Any] = set()
    for name, _, child in children:
        inside = f"{place}.{name}" if place else name
        if kind == "+s" and name in seen:
            raise ValueError(f"{inside}: two columns have this name" if not place else f"{inside}: two fields have this name")
        seen.add(name)
        check_names(child, inside if kind == "+s" else place)
