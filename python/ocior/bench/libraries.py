"""One adapter per library: for each group the call that does its work, or nothing where the library cannot.

An adapter is a function without arguments that returns {group name: call}. Calls that encode are Python functions of
one line here, for every library: some need keywords, and what calling such a function costs would otherwise decide on
small values. Another library joins by one more here, by an entry point of the group `ocior.bench` (its name is the
library's), or by `--adapter [NAME=]module:function`.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, entry_points, version
from io import StringIO
from platform import python_version

from ocior.bench import groups, rich_calls, stream_calls, table_calls, typed_calls

BASELINE = "json"
OWN = "ocior"
ENTRY_POINTS = "ocior.bench"


@dataclass(frozen=True)
class Library:
    name: str
    version: str
    calls: dict[str, Callable[..., object]]  # by group name
    spec: str = ""  # what `load` makes it from, in another process too


def _json():
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    calls = {group.name: group.reference for group in groups.GROUPS if group.reference}
    return {**calls, "encoder": lambda obj: encode(obj)}


def _ocior():
    from ocior import JSONEncoder, dump, dumps, dumps_to_bytes, load, loads

    encode_with_object = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

    def dump_text(obj):
        file = StringIO()
        dump(obj, file, ensure_ascii=False, separators=(",", ":"))
        return file.getvalue()

    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": lambda obj: dumps_to_bytes(obj),
        "dumps_str": lambda obj: dumps(obj, ensure_ascii=False, separators=(",", ":")),
        "dumps_bytes_indent": lambda obj: dumps_to_bytes(obj, indent=2),
        "dumps_str_indent": lambda obj: dumps(obj, ensure_ascii=False, indent=2),
        "dumps_ascii": lambda obj: dumps(obj, separators=(",", ":")),
        "dumps_bytes_cached": lambda obj: dumps_to_bytes(obj),
        "dumps_bytes_write": lambda obj: dumps_to_bytes(obj, is_write_cache=True),
        "load_file": load,
        "dump_file": dump_text,
        "encoder": lambda obj: encode_with_object(obj),
        **rich_calls.of_ocior(),
        **typed_calls.of_ocior(),
        **stream_calls.of_ocior(),
        **table_calls.of_ocior(),
    }


def _ssrjson():
    from ssrjson import dumps, dumps_to_bytes, loads

    # Always unescaped: it takes ensure_ascii and ignores it. It writes UTF-8 forms unless told not to.
    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": lambda obj: dumps_to_bytes(obj, is_write_cache=False),
        "dumps_str": lambda obj: dumps(obj),
        "dumps_bytes_indent": lambda obj: dumps_to_bytes(obj, indent=2, is_write_cache=False),
        "dumps_str_indent": lambda obj: dumps(obj, indent=2),
        "dumps_bytes_cached": lambda obj: dumps_to_bytes(obj),
        "dumps_bytes_write": lambda obj: dumps_to_bytes(obj, is_write_cache=True),
        "dumps_bytes_by_default": dumps_to_bytes,
        **_files(loads, dumps),
        **rich_calls.of_ssrjson(),
    }


def _fastsimdjson():
    import fastsimdjson
    from fastsimdjson import OPT_INDENT_2, dumpb, dumps, loads

    # To bytes it has the arguments of orjson, to str those of json.
    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": lambda obj: dumpb(obj),
        "dumps_str": lambda obj: dumps(obj, ensure_ascii=False, separators=(",", ":")),
        "dumps_bytes_indent": lambda obj: dumpb(obj, option=OPT_INDENT_2),
        "dumps_str_indent": lambda obj: dumps(obj, ensure_ascii=False, indent=2),
        "dumps_ascii": lambda obj: dumps(obj, separators=(",", ":")),
        "dumps_bytes_cached": lambda obj: dumpb(obj),
        "dumps_bytes_write": lambda obj: dumpb(obj),
        **_files(loads, lambda obj: dumps(obj, ensure_ascii=False, separators=(",", ":"))),
        **rich_calls.of_fastsimdjson(),
        **stream_calls.of_fastsimdjson(),
        **table_calls.of_fastsimdjson(fastsimdjson),
    }


def _orjson():
    from orjson import OPT_INDENT_2, dumps, loads

    # It writes UTF-8 forms always.
    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": lambda obj: dumps(obj),
        "dumps_str": lambda obj: dumps(obj).decode(),
        "dumps_bytes_indent": lambda obj: dumps(obj, option=OPT_INDENT_2),
        "dumps_str_indent": lambda obj: dumps(obj, option=OPT_INDENT_2).decode(),
        "dumps_bytes_cached": lambda obj: dumps(obj),
        "dumps_bytes_write": lambda obj: dumps(obj),
        **_files(loads, lambda obj: dumps(obj).decode()),
        **rich_calls.of_orjson(),
        **typed_calls.of_orjson(),
        **stream_calls.of_orjson(),
    }


def _msgspec():
    from msgspec.json import Encoder, decode, encode, format

    encode_with_object = Encoder().encode
    # Indentation is a second pass over the text: msgspec offers no other way. It writes UTF-8 forms always.
    return {
        "loads_bytes": decode,
        "loads_str": decode,
        "dumps_bytes": lambda obj: encode(obj),
        "dumps_str": lambda obj: encode(obj).decode(),
        "dumps_bytes_indent": lambda obj: format(encode(obj), indent=2),
        "dumps_str_indent": lambda obj: format(encode(obj), indent=2).decode(),
        "dumps_bytes_cached": lambda obj: encode(obj),
        "dumps_bytes_write": lambda obj: encode(obj),
        "encoder": lambda obj: encode_with_object(obj).decode(),
        **_files(decode, lambda obj: encode(obj).decode()),
        **rich_calls.of_msgspec(),
        **typed_calls.of_msgspec(),
        **stream_calls.of_msgspec(),
    }


def _ujson():
    from ujson import dumps, loads

    def to_bytes(obj):
        return dumps(obj, ensure_ascii=False, escape_forward_slashes=False).encode()

    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": to_bytes,
        "dumps_str": lambda obj: dumps(obj, ensure_ascii=False, escape_forward_slashes=False),
        "dumps_bytes_indent": lambda obj: dumps(obj, ensure_ascii=False, escape_forward_slashes=False, indent=2).encode(),
        "dumps_str_indent": lambda obj: dumps(obj, ensure_ascii=False, escape_forward_slashes=False, indent=2),
        "dumps_ascii": lambda obj: dumps(obj, escape_forward_slashes=False),
        "dumps_bytes_cached": to_bytes,
        "dumps_bytes_write": to_bytes,
        **_files(loads, lambda obj: dumps(obj, ensure_ascii=False, escape_forward_slashes=False)),
        **rich_calls.of_ujson(),
    }


def _pydantic_core():
    from pydantic_core import from_json, to_json

    return {
        "loads_bytes": from_json,
        "loads_str": from_json,
        "dumps_bytes": lambda obj: to_json(obj),
        "dumps_str": lambda obj: to_json(obj).decode(),
        "dumps_bytes_indent": lambda obj: to_json(obj, indent=2),
        "dumps_str_indent": lambda obj: to_json(obj, indent=2).decode(),
        "dumps_bytes_cached": lambda obj: to_json(obj),
        "dumps_bytes_write": lambda obj: to_json(obj),
        **_files(from_json, lambda obj: to_json(obj).decode()),
    }


def _rapidjson():
    from rapidjson import dumps, loads

    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": lambda obj: dumps(obj, ensure_ascii=False).encode(),
        "dumps_str": lambda obj: dumps(obj, ensure_ascii=False),
        "dumps_bytes_indent": lambda obj: dumps(obj, ensure_ascii=False, indent=2).encode(),
        "dumps_str_indent": lambda obj: dumps(obj, ensure_ascii=False, indent=2),
        "dumps_ascii": lambda obj: dumps(obj),
        **_files(loads, lambda obj: dumps(obj, ensure_ascii=False)),
    }


def _files(loads, dumps):
    """For a library without load and dump, or with ones that are this: what its users write."""

    def dump_text(obj):
        file = StringIO()
        file.write(dumps(obj))
        return file.getvalue()

    return {"load_file": lambda file: loads(file.read()), "dump_file": dump_text}


# In the order of the report.
_ADAPTERS = {
    BASELINE: _json,
    "rapidjson": _rapidjson,
    "ujson": _ujson,
    "pydantic_core": _pydantic_core,
    "ijson": stream_calls.of_ijson,
    "jiter": stream_calls.of_jiter,
    "orjsonl": stream_calls.of_orjsonl,
    "pandas": table_calls.of_pandas,
    "pandas-pyarrow": table_calls.of_pandas_pyarrow,
    "duckdb": table_calls.of_duckdb,
    "duckdb-sample": table_calls.of_duckdb_sample,
    "polars": table_calls.of_polars,
    "polars-100": table_calls.of_polars_100,
    "pyarrow": table_calls.of_pyarrow,
    "cattrs": typed_calls.of_cattrs,
    "mashumaro": typed_calls.of_mashumaro,
    "pydantic": typed_calls.of_pydantic,
    "msgspec": _msgspec,
    "orjson": _orjson,
    "ssrjson": _ssrjson,
    "fastsimdjson": _fastsimdjson,
    OWN: _ocior,
}
# What an adapter may have besides groups: calls as most people write them, for the memory left behind.
_BY_DEFAULT = ("dumps_bytes_by_default", "dumps_str_by_default")
_DISTRIBUTIONS = {"rapidjson": "python-rapidjson", "pandas-pyarrow": "pandas", "duckdb-sample": "duckdb", "polars-100": "polars"}


def load(spec):
    """The library of a name, or of `[NAME=]module:function`. Raises ImportError where it is not installed, LookupError for
    a name that nobody brought."""
    if ":" in spec:
        name, _, place = spec.rpartition("=")
        module, _, attribute = place.partition(":")
        name = name or module.partition(".")[0]
        adapter = getattr(import_module(module), attribute)
    elif spec in _ADAPTERS:
        name, adapter = spec, _ADAPTERS[spec]
    else:
        name, adapter = spec, _entry_points()[spec].load()
    calls = adapter()
    unknown = [group for group in calls if group not in groups.BY_NAME and group not in _BY_DEFAULT]
    if unknown:
        raise ValueError(f"no groups: {', '.join(unknown)}; there are {', '.join(groups.BY_NAME)}")
    return Library(name, _version(name), calls, spec)


def known_names():
    """The names of all adapters but those of `--adapter`, in the order of the report."""
    others = [name for name in _entry_points() if name not in _ADAPTERS]
    return [name for name in _ADAPTERS if name != OWN] + others + [OWN]


def available(names=None, adapters=()):
    """All of these libraries that are installed, in the order of the report. `adapters` are `[NAME=]module:function`. One that
    is installed and cannot be used is told of; ocior and those of `adapters` have to work. Raises ValueError."""
    found = {}
    brought = [(spec, False) for spec in known_names() if names is None or spec in names]
    for spec, is_asked_for in [*brought, *((spec, True) for spec in adapters)]:
        try:
            if is_asked_for and ":" not in spec:
                raise ValueError("an adapter is given as [NAME=]MODULE:FUNCTION")
            library = load(spec)
        except Exception as error:  # others' code may fail in any way it likes
            what = f"{spec}: {type(error).__name__}: {error}"
            if is_asked_for or spec == OWN:
                raise ValueError(what) from None
            if getattr(error, "name", None) not in (spec, _DISTRIBUTIONS.get(spec)):
                print(f"left out: {what}", file=sys.stderr)
            continue
        found[library.name] = library
    own = found.pop(OWN, None)
    return [*found.values(), *([own] if own else [])]


def _entry_points():
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def _version(name):
    if name == BASELINE:
        return python_version()
    try:
        return version(_DISTRIBUTIONS.get(name, name))
    except PackageNotFoundError:  # on the path, but not installed: a development build
        try:
            return getattr(import_module(name), "__version__", "?")
        except ImportError:
            return "?"
