"""msgspec 0.22's interface, with ocior's reading and writing of JSON. Needs msgspec, which all other names are of."""

from msgspec import NODEFAULT as NODEFAULT
from msgspec import UNSET as UNSET
from msgspec import DecodeError as DecodeError
from msgspec import EncodeError as EncodeError
from msgspec import Meta as Meta
from msgspec import MsgspecError as MsgspecError
from msgspec import Raw as Raw
from msgspec import Struct as Struct
from msgspec import StructMeta as StructMeta
from msgspec import UnsetType as UnsetType
from msgspec import ValidationError as ValidationError
from msgspec import __version__ as __version__
from msgspec import convert as convert
from msgspec import defstruct as defstruct
from msgspec import field as field
from msgspec import inspect as inspect
from msgspec import msgpack as msgpack
from msgspec import structs as structs
from msgspec import to_builtins as to_builtins
from msgspec import toml as toml
from msgspec import yaml as yaml

from ocior.compat.msgspec import json as json

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
