"""orjson 3.13's interface: `import ocior.compat.orjson as orjson` is the whole migration.

The same names, options, text, values and exceptions. The functions are the core's own: no Python code lies between.
"""

from ocior import _core

__version__ = "3.13.0"

dumps = _core.orjson["dumps"]
loads = _core.orjson["loads"]
Fragment = _core.orjson["Fragment"]
JSONDecodeError = _core.orjson["JSONDecodeError"]
JSONEncodeError = _core.orjson["JSONEncodeError"]

OPT_APPEND_NEWLINE = _core.orjson["OPT_APPEND_NEWLINE"]
OPT_INDENT_2 = _core.orjson["OPT_INDENT_2"]
OPT_NAIVE_UTC = _core.orjson["OPT_NAIVE_UTC"]
OPT_NON_STR_KEYS = _core.orjson["OPT_NON_STR_KEYS"]
OPT_OMIT_MICROSECONDS = _core.orjson["OPT_OMIT_MICROSECONDS"]
OPT_PASSTHROUGH_DATACLASS = _core.orjson["OPT_PASSTHROUGH_DATACLASS"]
OPT_PASSTHROUGH_DATETIME = _core.orjson["OPT_PASSTHROUGH_DATETIME"]
OPT_PASSTHROUGH_SUBCLASS = _core.orjson["OPT_PASSTHROUGH_SUBCLASS"]
OPT_SERIALIZE_DATACLASS = _core.orjson["OPT_SERIALIZE_DATACLASS"]
OPT_SERIALIZE_NUMPY = _core.orjson["OPT_SERIALIZE_NUMPY"]
OPT_SERIALIZE_UUID = _core.orjson["OPT_SERIALIZE_UUID"]
OPT_SORT_KEYS = _core.orjson["OPT_SORT_KEYS"]
OPT_STRICT_INTEGER = _core.orjson["OPT_STRICT_INTEGER"]
OPT_UTC_Z = _core.orjson["OPT_UTC_Z"]

__all__ = (
    "Fragment",
    "JSONDecodeError",
    "JSONEncodeError",
    "OPT_APPEND_NEWLINE",
    "OPT_INDENT_2",
    "OPT_NAIVE_UTC",
    "OPT_NON_STR_KEYS",
    "OPT_OMIT_MICROSECONDS",
    "OPT_PASSTHROUGH_DATACLASS",
    "OPT_PASSTHROUGH_DATETIME",
    "OPT_PASSTHROUGH_SUBCLASS",
    "OPT_SERIALIZE_DATACLASS",
    "OPT_SERIALIZE_NUMPY",
    "OPT_SERIALIZE_UUID",
    "OPT_SORT_KEYS",
    "OPT_STRICT_INTEGER",
    "OPT_UTC_Z",
    "__version__",
    "dumps",
    "loads",
)
