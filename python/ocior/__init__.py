"""ocior: the standard `json` module's interface, several times faster, for `str` and for UTF-8 `bytes`.

    import ocior as json

    json.loads('{"a": [1, 2.5, null]}')          # str, bytes, bytearray, memoryview
    json.dumps({"a": [1, 2.5, None]}, indent=2)  # the very text that json.dumps gives
    json.dumps_to_bytes({"name": "中文"})         # compact UTF-8

The functions are those of the core module for this processor (see `get_current_features()`), not wrappers around them.
"""

import json as _json
from json import detect_encoding

from ocior._select import select

_core = select()

# These need _core.
from ocior import decoder, encoder, scanner  # noqa: E402
from ocior.decoder import JSONDecoder  # noqa: E402
from ocior.encoder import JSONEncoder, _default_encoder  # noqa: E402

load = _core.load
loads = _core.loads
dump = _core.dump
dumps = _core.dumps
dumps_to_bytes = _core.dumps_to_bytes
write_utf8_cache = _core.write_utf8_cache
get_current_features = _core.get_current_features
JSONDecodeError = _core.JSONDecodeError
Default = _core.Default
Raw = _core.Raw
default = Default()

# A pickle says where a function is to be found: here, and not in the core of this machine, which another may not have.
for _function in (load, loads, dump, dumps, dumps_to_bytes, write_utf8_cache, get_current_features):
    _function.__module__ = __name__
for _function in (encoder.encode_basestring, encoder.encode_basestring_ascii):
    _function.__module__ = encoder.__name__
decoder.scanstring.__module__ = decoder.__name__
del _function

__version__ = "0.1.0"

__all__ = [
    "Default",
    "JSONDecodeError",
    "JSONDecoder",
    "JSONEncoder",
    "Raw",
    "default",
    "detect_encoding",
    "dump",
    "dumps",
    "dumps_to_bytes",
    "get_current_features",
    "load",
    "loads",
    "write_utf8_cache",
]

_default_decoder = JSONDecoder()

del select


def __getattr__(name):
    # What json's package has besides, such as json.codecs; but json.tool, if someone has imported it, is not our `tool`.
    value = getattr(_json, name, None)
    if value is None or getattr(value, "__name__", None) == f"{_json.__name__}.{name}":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return value
