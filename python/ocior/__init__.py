"""ocior: the standard `json` module's interface, several times faster, for `str` and for UTF-8 `bytes`.

    import ocior as json

    json.loads('{"a": [1, 2.5, null]}')          # str, bytes, bytearray, memoryview
    json.dumps({"a": [1, 2.5, None]}, indent=2)  # the very text that json.dumps gives
    json.dumps_to_bytes({"name": "中文"})         # compact UTF-8

The functions are those of the core module for this processor (see `get_current_features()`), not wrappers around them.
"""

import json as _json
from json import detect_encoding

from ocior._remaining import remaining_names
from ocior._select import select

_core = select()

# These need _core.
from ocior import decoder, encoder, lines, scanner  # noqa: E402
from ocior._stream.errors import PointerError, RecordError  # noqa: E402
from ocior._stream.reading import items, values, view  # noqa: E402
from ocior._tables.reading import infer, scan, table  # noqa: E402
from ocior._tables.schema import Schema  # noqa: E402
from ocior._typed.markers import MISSING, Alias, Convert, Lax, Limits, Missing, Rest, Rules, Tag  # noqa: E402
from ocior._typed.problems import Problem, ValidationError  # noqa: E402
from ocior.decoder import JSONDecoder  # noqa: E402
from ocior.encoder import JSONEncoder, _default_encoder  # noqa: E402

load = _core.load
loads = _core.loads
dump = _core.dump
dumps = _core.dumps
dumps_to_bytes = _core.dumps_to_bytes
at = _core.at
write_utf8_cache = _core.write_utf8_cache
get_current_features = _core.get_current_features
Encoder = _core.TypedEncoder
JSONDecodeError = _core.JSONDecodeError
Default = _core.Default
Raw = _core.Raw
Decoder = _core.TypedDecoder
Feed = _core.ValueFeed
Scan = _core.Scan
Table = _core.Table
default = Default()

# A pickle says where a function is to be found: here, and not in the core of this machine, which another may not have.
for _function in (
    at,
    load,
    loads,
    dump,
    dumps,
    dumps_to_bytes,
    infer,
    items,
    scan,
    table,
    values,
    view,
    write_utf8_cache,
    get_current_features,
):
    _function.__module__ = __name__
for _function in (encoder.encode_basestring, encoder.encode_basestring_ascii):
    _function.__module__ = encoder.__name__
decoder.scanstring.__module__ = decoder.__name__
for _class in (Alias, Convert, Lax, Limits, Missing, PointerError, Problem, RecordError, Rest, Rules, Schema, Tag, ValidationError):
    _class.__module__ = __name__
del _class, _function

__version__ = "0.1.0"

__all__ = [
    "Alias",
    "Convert",
    "Decoder",
    "Default",
    "Encoder",
    "Feed",
    "JSONDecodeError",
    "JSONDecoder",
    "JSONEncoder",
    "Lax",
    "Limits",
    "MISSING",
    "Missing",
    "PointerError",
    "Problem",
    "Raw",
    "RecordError",
    "Rest",
    "Rules",
    "Scan",
    "Schema",
    "Table",
    "Tag",
    "ValidationError",
    "at",
    "default",
    "detect_encoding",
    "dump",
    "dumps",
    "dumps_to_bytes",
    "get_current_features",
    "infer",
    "items",
    "json_schema",
    "lines",
    "load",
    "loads",
    "scan",
    "table",
    "values",
    "view",
    "write_utf8_cache",
]

_default_decoder = JSONDecoder()


def json_schema(type, *, mode="decode", ref_template="#/$defs/{name}", strict=True, unknown="ignore", rules=None, convert=None):
    """The JSON Schema of a type (draft 2020-12), as a dict.

    `mode`: "decode" describes what a `Decoder` reads, "encode" what an `Encoder` writes. `ref_template`: how classes are referred to;
    they stand in "$defs" by their names, by their full names where two are alike. The others: as for a `Decoder`. Raises TypeError for a
    type that ocior does not know, ValueError for another `mode` and for a template without `{name}`.
    """
    from ocior._typed import schema  # which imports typing, as few programs need it

    return schema.json_schema(type, mode=mode, ref_template=ref_template, strict=strict, unknown=unknown, rules=rules, convert=convert)


# Such as json.codecs.
globals().update(remaining_names(_json, globals()))

del select, remaining_names
