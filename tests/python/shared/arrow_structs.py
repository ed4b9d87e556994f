"""Arrow's C structures, made by hand: what a library would hand over, and what none should."""

import ctypes
import struct

_NEW = ctypes.pythonapi.PyCapsule_New
_NEW.restype, _NEW.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


_RELEASES = {kind: ctypes.CFUNCTYPE(None, ctypes.POINTER(kind)) for kind in (Schema, Array, Stream)}
_GETS = {kind: ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(kind)) for kind in (Schema, Array)}
_GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", _RELEASES[Schema]),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", _RELEASES[Array]),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", _GETS[Schema]),
    ("get_next", _GETS[Array]),
    ("get_last_error", _GET_ERROR),
    ("release", _RELEASES[Stream]),
    ("private_data", ctypes.c_void_p),
]

_kept = []  # what structures point to, which C frees later than Python would
released = []  # the kinds of all that were released


def _release(kind):
    def release(pointer):
        released.append(kind)
        pointer.contents.release = _RELEASES[kind]()

    function = _RELEASES[kind](release)
    _kept.append(function)
    return function


_RELEASE = {kind: _release(kind) for kind in (Schema, Array, Stream)}


def _pointers(kind, items):
    array = (ctypes.POINTER(kind) * max(len(items), 1))(*(ctypes.pointer(item) if item is not None else None for item in items))
    _kept.append((array, items))
    return ctypes.cast(array, ctypes.POINTER(ctypes.POINTER(kind)))


def schema(format, name="", children=(), dictionary=None, metadata=None, **fields):
    """With None in the place of the children it has a null pointer there."""
    made = Schema(None if format is None else format.encode(), name.encode("utf-8", "surrogatepass"), metadata, 2, len(children or ()))
    if children is not None:
        made.children = _pointers(Schema, list(children))
    if dictionary is not None:
        made.dictionary = ctypes.pointer(dictionary)
    made.release = _RELEASE[Schema]
    _kept.append((made, dictionary))
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def array(length, buffers=(), children=(), dictionary=None, **fields):
    """With None in the place of the buffers or children it has a null pointer there."""
    held = [None if buffer is None else ctypes.create_string_buffer(buffer, len(buffer) + 64) for buffer in buffers or ()]
    pointers = (ctypes.c_void_p * max(len(held), 1))(*(None if buffer is None else ctypes.addressof(buffer) for buffer in held))
    made = Array(length, -1, 0, len(held), len(children or ()))
    if buffers is not None:
        made.buffers = ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))
    if children is not None:
        made.children = _pointers(Array, list(children))
    if dictionary is not None:
        made.dictionary = ctypes.pointer(dictionary)
    made.release = _RELEASE[Array]
    _kept.append((made, held, pointers, dictionary))
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def ints(*values, width="i"):
    return struct.pack(f"<{len(values)}{width}", *values)


def metadata(**pairs):
    """Of a schema, with underscores in the places of colons."""
    parts = [struct.pack("<i", len(pairs))]
    for name, value in pairs.items():
        for text in (name.replace("_", ":").encode(), value.encode()):
            parts.append(struct.pack("<i", len(text)) + text)
    return b"".join(parts)


def capsule(structure, name):
    _kept.append(structure)
    return _NEW(ctypes.addressof(structure), name, None)


class OneArray:
    """Has __arrow_c_array__, for as often as it is asked."""

    def __init__(self, schema, array, names=(b"arrow_schema", b"arrow_array")):
        self.capsules = tuple(capsule(structure, name) for structure, name in zip((schema, array), names))

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


class Batches:
    """Has __arrow_c_stream__: gives the schema and the arrays, and then the end, or the error of this code. `meanwhile` is called
    for each batch."""

    def __init__(self, schema, arrays, code=0, text=b"of no use", schema_code=0, meanwhile=None):
        arrays = list(arrays)
        words = None if text is None else ctypes.create_string_buffer(text)

        def get_schema(stream, out):
            if not schema_code:
                ctypes.memmove(out, ctypes.byref(schema), ctypes.sizeof(Schema))
            return schema_code

        def get_next(stream, out):
            if meanwhile:
                meanwhile()
            if not arrays and code:
                return code
            made = arrays.pop(0) if arrays else Array()
            ctypes.memmove(out, ctypes.byref(made), ctypes.sizeof(Array))
            return 0

        self.stream = Stream(
            _GETS[Schema](get_schema),
            _GETS[Array](get_next),
            _GET_ERROR(lambda stream: words and ctypes.addressof(words)),
            _RELEASE[Stream],
        )
        _kept.append((self.stream, words))

    def __arrow_c_stream__(self, requested_schema=None):
        return capsule(self.stream, b"arrow_array_stream")
