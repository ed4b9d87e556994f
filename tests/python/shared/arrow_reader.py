"""Reads what Arrow's C interface hands over, by ctypes alone, so that tables are tested where no pyarrow is installed.

`read(table)` gives the names and types of the columns, and the rows as dicts of Python values. It knows the types that are inferred, and
some others. The structures and the layout of buffers are those of
https://arrow.apache.org/docs/format/CDataInterface.html and https://arrow.apache.org/docs/format/Columnar.html.
"""

import ctypes
import struct
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import NamedTuple

NULLABLE = 2


class CSchema(Structure):
    pass


class CArray(Structure):
    pass


class CStream(Structure):
    pass


CSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(CSchema))),
    ("dictionary", POINTER(CSchema)),
    ("release", CFUNCTYPE(None, POINTER(CSchema))),
    ("private_data", c_void_p),
]
CArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(CArray))),
    ("dictionary", POINTER(CArray)),
    ("release", CFUNCTYPE(None, POINTER(CArray))),
    ("private_data", c_void_p),
]
CStream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(CStream), POINTER(CSchema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(CStream), POINTER(CArray))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(CStream))),
    ("release", CFUNCTYPE(None, POINTER(CStream))),
    ("private_data", c_void_p),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, [ctypes.py_object, c_char_p]

_FIXED = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "e": "e", "f": "f", "g": "d", "tdD": "i"}
_BY_FIRST = {"tdm": "q", "tts": "i", "ttm": "i", "ttu": "q", "ttn": "q", "ts": "q", "tD": "q"}


class Field(NamedTuple):
    """A type with its name. `extension`: that of its metadata, or None. `kind`: Arrow's format string."""

    name: str
    kind: str
    is_nullable: bool
    children: tuple
    extension: object = None


class Read(NamedTuple):
    fields: tuple
    rows: list
    batches: list  # how many rows each had

    @property
    def names(self):
        return [field.name for field in self.fields]

    @property
    def kinds(self):
        return [field.kind for field in self.fields]


class StreamError(Exception):
    """The stream gave an error number: `args` are the number and the text."""


def structure_of(capsule, name, kind):
    address = _pointer_of(capsule, name)
    return ctypes.cast(address, POINTER(kind)).contents


def read_schema(value):
    """The Field of what has __arrow_c_schema__."""
    capsule = value.__arrow_c_schema__()  # the structure lives as long as this does
    return _take_schema(structure_of(capsule, b"arrow_schema", CSchema))


def read(value):
    """All of what has __arrow_c_stream__."""
    capsule = value.__arrow_c_stream__()
    stream = structure_of(capsule, b"arrow_array_stream", CStream)
    schema = CSchema()
    _check(stream, stream.get_schema(stream, schema))
    root = _take_schema(schema)
    rows, batches = [], []
    while True:
        array = CArray()
        _check(stream, stream.get_next(stream, array))
        if not array.release:
            break
        batch = _values(root, array)
        array.release(array)
        rows += batch
        batches.append(len(batch))
    stream.release(stream)
    assert not stream.release, "a structure that is released says so"
    return Read(root.children, rows, batches)


def _check(stream, status):
    if status:
        text = stream.get_last_error(stream)
        raise StreamError(status, text and text.decode())


def _take_schema(schema):
    field = _field_of(schema)
    schema.release(schema)
    assert not schema.release
    return field


def _field_of(schema):
    kind, children = schema.format.decode(), [schema.children[index].contents for index in range(schema.n_children)]
    if schema.dictionary:
        kind, children = f"dictionary:{kind}", [schema.dictionary.contents]
    extension = _metadata(schema.metadata).get("ARROW:extension:name")
    return Field((schema.name or b"").decode(), kind, bool(schema.flags & NULLABLE), tuple(map(_field_of, children)), extension)


def _metadata(address):
    if not address:
        return {}

    def number():
        nonlocal address
        address += 4
        return struct.unpack("i", ctypes.string_at(address - 4, 4))[0]

    def text():
        nonlocal address
        length = number()
        address += length
        return ctypes.string_at(address - length, length).decode()

    return {text(): text() for _ in range(number())}


def _values(field, array):
    """The values of an array, as Python has them."""
    length, offset = array.length, array.offset
    if length == 0:
        return []
    found = _valid_values(field, array, offset, length)
    if field.kind == "n":
        return found
    validity = array.buffers[0]
    if not validity:
        assert array.null_count in (0, -1)
        return found
    valid = _bits(validity, offset, length)
    assert array.null_count in (valid.count(False), -1)
    return [value if is_valid else None for value, is_valid in zip(found, valid)]


def _valid_values(field, array, offset, length):
    kind = field.kind
    if kind == "n":
        return [None] * length
    if kind == "b":
        return _bits(array.buffers[1], offset, length)
    if kind.startswith("dictionary:"):
        values = _values(field.children[0], array.dictionary.contents)
        valid = _bits(array.buffers[0], offset, length) if array.buffers[0] else [True] * length
        indexes = _numbers(_FIXED[kind[-1]], array.buffers[1], offset, length)
        return [values[index] if is_valid else None for index, is_valid in zip(indexes, valid)]
    if kind in ("u", "U", "z"):
        ends = _numbers("q" if kind == "U" else "i", array.buffers[1], offset, length + 1)
        data = ctypes.string_at(array.buffers[2], ends[-1]) if ends[-1] else b""
        parts = [data[start:end] for start, end in zip(ends, ends[1:])]
        return parts if kind == "z" else [part.decode() for part in parts]
    if kind in ("+l", "+L", "+m"):
        ends = _numbers("q" if kind == "+L" else "i", array.buffers[1], offset, length + 1)
        items = _values(field.children[0], array.children[0].contents)
        parts = [items[start:end] for start, end in zip(ends, ends[1:])]
        return parts if kind != "+m" else [[(item["key"], item["value"]) for item in part] for part in parts]
    if kind == "+s":
        columns = [_values(child, array.children[index].contents)[offset:] for index, child in enumerate(field.children)]
        return [{child.name: column[row] for child, column in zip(field.children, columns)} for row in range(length)]
    return _numbers(
        _FIXED.get(kind) or next(code for first, code in _BY_FIRST.items() if kind.startswith(first)), array.buffers[1], offset, length
    )


def _numbers(code, address, offset, count):
    size = struct.calcsize(code)
    return list(struct.unpack(f"={count}{code}", ctypes.string_at(address + offset * size, count * size)))


def _bits(address, offset, count):
    data = ctypes.string_at(address, (offset + count + 7) // 8)
    return [bool(data[index >> 3] >> (index & 7) & 1) for index in range(offset, offset + count)]
