"""How each library is called for documents of rich types: by its own means, with the options that it needs, or not at all.

What an adapter has for a group of rich types is a function that returns the call for one kind of document (`rich_types.Kind`), or None
where the library cannot write it. `json` writes everything, by a `default=` function in Python, and is the yardstick.
"""

import json
from dataclasses import asdict, is_dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from uuid import UUID

_COMPACT = (",", ":")


def json_to_str(kind):
    return _json(kind, lambda text: text)


def json_to_bytes(kind):
    return _json(kind, str.encode)


def _json(kind, finish):
    default = _with_decimals_as_text if "decimal_text" in kind.needs else _in_plain_types
    is_sorted = "sorted" in kind.needs
    if "keys" in kind.needs:  # `json` asks nobody about keys
        return lambda obj: finish(json.dumps({str(key): item for key, item in obj.items()}, ensure_ascii=False, separators=_COMPACT))
    return lambda obj: finish(json.dumps(obj, ensure_ascii=False, separators=_COMPACT, default=default, sort_keys=is_sorted))


def _in_plain_types(value):
    """A `default=` as people write it."""
    if is_dataclass(value):
        return asdict(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        return float(value)
    return value.tolist()  # of numpy


def _with_decimals_as_text(value):
    return str(value)


def _for_able(abilities, make):
    """Group by group what `make(kind)` returns, a function that encodes to bytes, for the kinds that need no other abilities."""

    def to_bytes(kind):
        return make(kind) if kind.needs <= abilities else None

    def to_str(kind):
        encode = to_bytes(kind)
        return encode and (lambda obj: encode(obj).decode())

    return {"rich_bytes": to_bytes, "rich_str": to_str}


def of_orjson(module=None):
    """`module`: what has orjson's interface."""
    if module is None:
        import orjson as module

    def make(kind):
        option = 0
        for need, name in (("numpy", "SERIALIZE_NUMPY"), ("keys", "NON_STR_KEYS"), ("int_keys", "NON_STR_KEYS"), ("sorted", "SORT_KEYS")):
            option |= getattr(module, f"OPT_{name}") if need in kind.needs else 0
        dumps = module.dumps
        return (lambda obj: dumps(obj, option=option)) if option else (lambda obj: dumps(obj))

    abilities = {"dataclass", "datetime", "zones", "uuid", "enum", "int_keys", "keys", "sorted", "numpy"}
    return _for_able(abilities, make)


def of_msgspec():
    from msgspec.json import Encoder

    def make(kind):
        encode = Encoder(
            decimal_format="number" if "decimal" in kind.needs else "string", order="sorted" if "sorted" in kind.needs else None
        ).encode
        return lambda obj: encode(obj)

    abilities = {"dataclass", "datetime", "zones", "uuid", "enum", "decimal", "decimal_text", "int_keys", "keys", "sorted"}
    return _for_able(abilities, make)


def of_ssrjson():
    from ssrjson import dumps, dumps_to_bytes, setup_numpy_types

    def to_bytes(kind):
        if kind.needs <= {"numpy"}:
            setup_numpy_types()
            return lambda obj: dumps_to_bytes(obj, is_write_cache=False)

    def to_str(kind):
        if kind.needs <= {"numpy"}:
            setup_numpy_types()
            return lambda obj: dumps(obj)

    return {"rich_bytes": to_bytes, "rich_str": to_str}


def of_ujson():
    from ujson import dumps

    def to_str(kind):
        if kind.needs <= {"decimal", "int_keys", "keys", "sorted"}:
            is_sorted = "sorted" in kind.needs
            return lambda obj: dumps(obj, ensure_ascii=False, escape_forward_slashes=False, sort_keys=is_sorted)

    def to_bytes(kind):
        encode = to_str(kind)
        return encode and (lambda obj: encode(obj).encode())

    return {"rich_bytes": to_bytes, "rich_str": to_str}


def of_fastsimdjson():
    import fastsimdjson

    def make(kind):
        option = fastsimdjson.OPT_SORT_KEYS if "sorted" in kind.needs else fastsimdjson.OPT_NON_STR_KEYS if "int_keys" in kind.needs else 0
        return lambda obj: fastsimdjson.dumpb(obj, option=option)

    return _for_able({"enum", "int_keys", "sorted"}, make)


def of_ocior(module=None, orjson=None):
    """`module` and `orjson`: what has the functions of ocior, and of its interface of orjson."""
    if module is None:
        import ocior as module
        from ocior.compat import orjson
    Default, dumps, dumps_to_bytes = module.Default, module.dumps, module.dumps_to_bytes

    def settings(kind):
        default = Default(keys="keys" in kind.needs, decimal="str" if "decimal_text" in kind.needs else "number")
        return default, "sorted" in kind.needs

    def to_bytes(kind):
        default, is_sorted = settings(kind)
        if is_sorted:
            return lambda obj: dumps_to_bytes(obj, default=default, sort_keys=True)
        return lambda obj: dumps_to_bytes(obj, default=default)

    def to_str(kind):
        default, is_sorted = settings(kind)
        if is_sorted:
            return lambda obj: dumps(obj, ensure_ascii=False, separators=_COMPACT, default=default, sort_keys=True)
        return lambda obj: dumps(obj, ensure_ascii=False, separators=_COMPACT, default=default)

    return {"rich_bytes": to_bytes, "rich_str": to_str, "rich_facade": of_orjson(orjson)["rich_bytes"]}
