"""Tables slowly and in plain Python: a judge for the core. `json` reads each record, and the types are inferred of all values at once.

`read(data)` gives a SlowTable: the form of the table, as the core would give it, and its rows as dicts. A record that is bad is a SlowBad.
Values of mixed columns are compared by what their text means: `comparable(rows, form)` makes of rows, as `to_pylist()` of pyarrow gives
them, something that can be compared by ==, and tells apart 1, 1.0 and True; NaN is NaN.
"""

import json
from typing import NamedTuple

INTEGER, FLOAT, NEGATIVE, ABOVE, INEXACT, DECLARED = 1, 2, 4, 8, 16, 32


class SlowBad(ValueError):
    """A record that is bad: it is no JSON, no object, has half a pair of surrogates, or is mixed where that is an error."""

    def __init__(self, lineno, offset, why):
        super().__init__(f"line {lineno}, offset {offset}: {why}")
        self.lineno, self.offset = lineno, offset


class SlowTable(NamedTuple):
    form: tuple
    rows: list
    skipped: int

    def comparable(self):
        return comparable([filled(row, self.form) for row in self.rows], self.form, is_text=False)


class Written:
    """A JSON value in a mixed column; what it means can be compared.

    A column may turn out to be mixed after values of one kind, which are written anew then. So the order of members means nothing, nor
    does whether one is null or missing, and 1 is 1.0.
    """

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is Written and _meaning(self.value) == _meaning(other.value)

    def __repr__(self):
        return f"Written({self.value!r})"


def meant_as_text(value):
    """What a value means where strings and other values share a column of text (mixed="str"): whether 1 was a number or a string has been
    lost in lists that were mixed before the column itself was."""
    if isinstance(value, str):
        try:
            return meant_as_text(json.loads(value)) if value[:1] not in ("", '"') else value
        except ValueError:
            return value
    if isinstance(value, dict):
        return {key: meant_as_text(item) for key, item in value.items() if item is not None}
    return list(map(meant_as_text, value)) if isinstance(value, list) else repr(_meaning(float(value) if type(value) is int else value))


def _meaning(value):
    if isinstance(value, dict):
        return {key: _meaning(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return list(map(_meaning, value))
    return ("bool", value) if isinstance(value, bool) else "NaN" if value != value else value


def read(data, *, at=None, columns=None, mixed="json", on_error="raise"):
    """The table of lines of JSON, or of the array that a pointer leads to, which must be good then."""
    rows, places, skipped = [], [], 0
    for lineno, offset, text in items_of(data, at) if at is not None else lines_of(data):
        try:
            rows.append(row_of(text, lineno, offset, columns))
            places.append((lineno, offset))
        except SlowBad:
            if on_error == "raise":
                raise
            skipped += 1
    if mixed == "raise":
        for count in range(1, len(rows) + 1):
            if has_mixed(infer(rows[:count], columns, "json")):
                raise SlowBad(*places[count - 1], "mixed")
    return SlowTable(infer(rows, columns, mixed), rows, skipped)


def lines_of(data):
    """Lines that are not blank: number, offset of the record in bytes, and bytes."""
    data = data.encode() if isinstance(data, str) else bytes(data)
    offset = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for lineno, line in enumerate(data[offset:].split(b"\n"), 1):
        if line.strip(b" \t\r"):
            yield lineno, offset + len(line) - len(line.lstrip(b" \t\r")), line
        offset += len(line) + 1


def items_of(data, at):
    value = json.loads(data)
    for part in at.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        value = value[int(part)] if isinstance(value, list) else value[part]
    return [(1, -1, item) for item in value]


def row_of(text, lineno, offset, columns):
    try:
        row = json.loads(text.decode()) if isinstance(text, bytes) else text
    except (ValueError, RecursionError) as error:
        raise SlowBad(lineno, offset, str(error)) from error
    if not isinstance(row, dict):
        raise SlowBad(lineno, offset, "no object")
    if columns is not None:
        row = {name: row[name] for name in columns if name in row}
    if has_lone_surrogate(row):
        raise SlowBad(lineno, offset, "half a pair of surrogates")
    return row


def has_lone_surrogate(value):
    if isinstance(value, str):
        return any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, dict):
        return any(has_lone_surrogate(key) or has_lone_surrogate(item) for key, item in value.items())
    return isinstance(value, list) and any(map(has_lone_surrogate, value))


def infer(rows, columns=None, mixed="json"):
    kind, seen, children = struct_form(rows, mixed)
    if columns is not None:
        by_name = {child[0]: child for child in children}
        children = tuple(by_name.get(name, (name, True, ("n", 0, ()))) for name in columns)
    return kind, seen, children


def form_of(values, mixed):
    """The form of a column with these values."""
    values = [value for value in values if value is not None]
    kinds = {kind_of(value) for value in values}
    if not kinds:
        return "n", 0, ()
    if kinds == {"bool"}:
        return "b", 0, ()
    if kinds == {"number"}:
        seen = 0
        for value in values:
            seen |= seen_of(value)
        kind = number_format(seen)
        if kind is not None and all(is_in_range(value) for value in values):
            return kind, seen, ()
    if kinds == {"str"}:
        return "u", 0, ()
    if kinds == {"list"}:
        return "+l", 0, (("item", True, form_of([item for value in values for item in value], mixed)),)
    if kinds == {"dict"}:
        return struct_form(values, mixed)
    return "u" if mixed == "str" else "json", 0, ()


def struct_form(values, mixed):
    names = dict.fromkeys(name for value in values for name in value)
    return "+s", 0, tuple((name, True, form_of([value.get(name) for value in values], mixed)) for name in names)


def kind_of(value):
    kind = type(value).__name__
    return "number" if kind in ("int", "float") else kind


def seen_of(value):
    if isinstance(value, float):
        return FLOAT
    seen = INTEGER
    if value < 0:
        seen |= NEGATIVE
    if value > 2**63 - 1:
        seen |= ABOVE
    if int(float(value)) != value if abs(value) < 2**70 else True:
        seen |= INEXACT
    return seen


def is_in_range(value):
    return isinstance(value, float) or -(2**63) <= value < 2**64


def number_format(seen):
    """None for numbers that no type holds. Those stay mixed whatever else comes, so that the order of the values means nothing: hence
    negative integers beside ones above 2**63-1 are mixed also where a float comes, although all of them may be exact as doubles."""
    if seen & NEGATIVE and seen & ABOVE:
        return None
    if seen & FLOAT:
        return None if seen & INEXACT else "g"
    return "L" if seen & ABOVE else "l"


def has_mixed(form):
    return form[0] == "json" or any(has_mixed(child) for _, _, child in form[2])


def filled(value, form):
    """A value as a column of this form holds it: with null for what is missing, and floats where others are."""
    kind, _, children = form
    if value is None or kind == "json":
        return value
    if kind == "+s":
        return {name: filled(value.get(name), child) for name, _, child in children}
    if kind == "+l":
        return [filled(item, children[0][2]) for item in value]
    if kind == "g":
        return float(value)
    return value if kind != "u" or isinstance(value, str) else Written(value)


def comparable(rows, form, is_text=True):
    """Rows, as lists of dicts, by a form. `is_text`: values of mixed columns are text, and not yet what that means."""
    return [_comparable(row, form, is_text) for row in rows]


def _comparable(value, form, is_text):
    kind, _, children = form
    if value is None or isinstance(value, Written):
        return value
    if kind == "json":
        return Written(json.loads(value) if is_text else value)
    if kind == "+s":
        return [(name, _comparable(value[name], child, is_text)) for name, _, child in children]
    if kind.startswith("+l"):
        return [_comparable(item, children[0][2], is_text) for item in value]
    return type(value).__name__, repr(value)
