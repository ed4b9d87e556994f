"""One adapter per library: for each group the call that does its work, or nothing where the library cannot."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from platform import python_version

from ocior.bench import groups

BASELINE = "json"
OWN = "ocior"


@dataclass(frozen=True)
class Library:
    name: str
    version: str
    calls: dict[str, Callable[..., object]]  # by group name


def _json():
    return {group.name: group.reference for group in groups.GROUPS}


def _ocior():
    from ocior import dumps, dumps_to_bytes, loads

    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": dumps_to_bytes,
        "dumps_str": lambda obj: dumps(obj, ensure_ascii=False, separators=(",", ":")),
        "dumps_bytes_indent": lambda obj: dumps_to_bytes(obj, indent=2),
        "dumps_str_indent": lambda obj: dumps(obj, ensure_ascii=False, indent=2),
        "dumps_ascii": lambda obj: dumps(obj, separators=(",", ":")),
    }


def _ssrjson():
    from ssrjson import dumps, dumps_to_bytes, loads

    # Always unescaped: it takes ensure_ascii and ignores it.
    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": dumps_to_bytes,
        "dumps_str": dumps,
        "dumps_bytes_indent": lambda obj: dumps_to_bytes(obj, indent=2),
        "dumps_str_indent": lambda obj: dumps(obj, indent=2),
    }


def _orjson():
    from orjson import OPT_INDENT_2, dumps, loads

    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": dumps,
        "dumps_str": lambda obj: dumps(obj).decode(),
        "dumps_bytes_indent": lambda obj: dumps(obj, option=OPT_INDENT_2),
        "dumps_str_indent": lambda obj: dumps(obj, option=OPT_INDENT_2).decode(),
    }


def _msgspec():
    from msgspec.json import decode, encode, format

    # Indentation is a second pass over the text: msgspec offers no other way.
    return {
        "loads_bytes": decode,
        "loads_str": decode,
        "dumps_bytes": encode,
        "dumps_str": lambda obj: encode(obj).decode(),
        "dumps_bytes_indent": lambda obj: format(encode(obj), indent=2),
        "dumps_str_indent": lambda obj: format(encode(obj), indent=2).decode(),
    }


def _ujson():
    from ujson import dumps, loads

    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": lambda obj: dumps(obj, ensure_ascii=False, escape_forward_slashes=False).encode(),
        "dumps_str": lambda obj: dumps(obj, ensure_ascii=False, escape_forward_slashes=False),
        "dumps_bytes_indent": lambda obj: dumps(obj, ensure_ascii=False, escape_forward_slashes=False, indent=2).encode(),
        "dumps_str_indent": lambda obj: dumps(obj, ensure_ascii=False, escape_forward_slashes=False, indent=2),
        "dumps_ascii": lambda obj: dumps(obj, escape_forward_slashes=False),
    }


_ADAPTERS = {
    BASELINE: _json,
    "ujson": _ujson,
    "msgspec": _msgspec,
    "orjson": _orjson,
    "ssrjson": _ssrjson,
    OWN: _ocior,
}
NAMES = tuple(_ADAPTERS)


def load(name):
    """The adapter of one library. Raises ImportError where it is not installed."""
    return Library(name, _version(name), _ADAPTERS[name]())


def available(names=NAMES):
    """The adapters of all of these libraries that are installed, in the order of the report."""
    found = []
    for name in _ADAPTERS:
        if name in names:
            try:
                found.append(load(name))
            except ImportError:
                if name == OWN:
                    raise
    return found


def _version(name):
    if name == BASELINE:
        return python_version()
    try:
        return version(name)
    except PackageNotFoundError:  # on the path, but not installed: a development build
        return import_module(name).__version__
