"""msgspec 0.22's interface: `import ocior.compat.msgspec as msgspec` is the whole migration.

All names are msgspec's own, which has to be installed, but for `json`: there ocior reads and writes, and msgspec is asked whatever ocior
refuses, so that values, exceptions and their words are msgspec's.
"""

import sys as _sys

try:
    import msgspec as _msgspec
except ModuleNotFoundError as _error:
    if _error.name != "msgspec":
        raise
    raise ImportError("ocior.compat.msgspec needs msgspec: install it, or `ocior[msgspec]`", name="msgspec") from _error

from msgspec import (
    NODEFAULT,
    UNSET,
    DecodeError,
    EncodeError,
    Meta,
    MsgspecError,
    Raw,
    Struct,
    StructMeta,
    UnsetType,
    ValidationError,
    convert,
    defstruct,
    field,
    inspect,
    msgpack,
    structs,
    to_builtins,
    toml,
    yaml,
)
from msgspec import __version__ as __version__

from ocior.compat.msgspec import json

for _name in ("inspect", "msgpack", "structs", "toml", "yaml"):
    _sys.modules[f"{__name__}.{_name}"] = globals()[_name]  # for `import ocior.compat.msgspec.structs`
del _name


def __getattr__(name):
    return getattr(_msgspec, name)


def __dir__():
    return sorted({*globals(), *dir(_msgspec)})


__all__ = [
    "NODEFAULT",
    "UNSET",
    "DecodeError",
    "EncodeError",
    "Meta",
    "MsgspecError",
    "Raw",
    "Struct",
    "StructMeta",
    "UnsetType",
    "ValidationError",
    "convert",
    "defstruct",
    "field",
    "inspect",
    "json",
    "msgpack",
    "structs",
    "to_builtins",
    "toml",
    "yaml",
]
