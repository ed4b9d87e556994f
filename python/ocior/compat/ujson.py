"""ujson 6.1's interface: `import ocior.compat.ujson as ujson` is the whole migration.

The same names, arguments, text, values and exceptions. The functions are the core's own: no Python code lies between.
"""

from ocior import _core

__version__ = "6.1.0"

dumps = _core.ujson["dumps"]
encode = _core.ujson["encode"]
dump = _core.ujson["dump"]
loads = _core.ujson["loads"]
decode = _core.ujson["decode"]
load = _core.ujson["load"]
JSONDecodeError = _core.ujson["JSONDecodeError"]

__all__ = ("JSONDecodeError", "__version__", "decode", "dump", "dumps", "encode", "load", "loads")
