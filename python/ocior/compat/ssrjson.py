"""ssrjson 0.0.24's interface: `import ocior.compat.ssrjson as ssrjson` is the whole migration.

The same names, arguments, text, values and exceptions. The functions are the core's own: no Python code lies between.
"""

from ocior import _core

__version__ = "0.0.24"

dumps = _core.ssrjson["dumps"]
dumps_to_bytes = _core.ssrjson["dumps_to_bytes"]
loads = _core.ssrjson["loads"]
JSONDecodeError = _core.ssrjson["JSONDecodeError"]
JSONEncodeError = _core.ssrjson["JSONEncodeError"]
get_current_features = _core.ssrjson["get_current_features"]
setup_numpy_types = _core.ssrjson["setup_numpy_types"]
strict_argparse = _core.ssrjson["strict_argparse"]
suppress_api_warning = _core.ssrjson["suppress_api_warning"]
write_utf8_cache = _core.ssrjson["write_utf8_cache"]

__all__ = [
    "JSONDecodeError",
    "JSONEncodeError",
    "__version__",
    "dumps",
    "dumps_to_bytes",
    "get_current_features",
    "loads",
    "setup_numpy_types",
    "strict_argparse",
    "suppress_api_warning",
    "write_utf8_cache",
]
