"""How each library is called for documents of declared types: by its own means, by code written by hand, or not at all.

What an adapter has for these groups is a function that returns the call for one kind of document (`typed_types.Kind`), or None where the
library cannot do it. `json` does everything, by hand, and is the yardstick; so does orjson, which reads no types.
"""

import json
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from ocior.bench import typed_hand
from ocior.bench.typed_classes import TAG

_COMPACT = (",", ":")


def _for_groups(decoder, encoder):
    """Group by group. `decoder(kind)` and `encoder(kind)` return a function that takes bytes or `str`, one that gives bytes, or None."""

    def to_str(kind):
        encode = encoder(kind)
        return encode and (lambda obj: encode(obj).decode())

    return {"typed_decode": decoder, "typed_decode_str": decoder, "typed_encode": encoder, "typed_encode_str": to_str}


def _by_hand(loads, kind):
    read = kind.shape.read(kind.classes)
    return lambda data: read(loads(data))


def json_decode(kind):
    return _by_hand(json.loads, kind)


def json_to_str(kind):
    default = typed_hand.default_of(kind.sort)
    return lambda obj: json.dumps(obj, ensure_ascii=False, separators=_COMPACT, default=default)


def json_to_bytes(kind):
    encode = json_to_str(kind)
    return lambda obj: encode(obj).encode()


def of_orjson():
    from orjson import dumps, loads

    def decoder(kind):
        return _by_hand(loads, kind)

    def encoder(kind):
        if kind.sort == "struct" or kind.shape.name == "orders":  # Structs and decimals are all that it asks for
            default = typed_hand.default_of(kind.sort)
            return lambda obj: dumps(obj, default=default)
        return lambda obj: dumps(obj)

    return _for_groups(decoder, encoder)


def of_msgspec():
    from msgspec.json import Decoder, Encoder

    encode = Encoder().encode

    def decoder(kind):
        if kind.is_tagged and kind.sort != "struct":
            return None
        return Decoder(kind.hint()).decode

    return _for_groups(decoder, lambda kind: lambda obj: encode(obj))


def of_pydantic():
    from pydantic import Field, TypeAdapter

    def adapter(kind):
        if kind.sort != "struct":
            return TypeAdapter(kind.hint(lambda union: Annotated[union, Field(discriminator=TAG)]))

    def decoder(kind):
        adapted = adapter(kind)
        return adapted and adapted.validate_json

    def encoder(kind):
        adapted = adapter(kind)
        return adapted and (lambda obj: adapted.dump_json(obj))

    return _for_groups(decoder, encoder)


def of_mashumaro():
    from mashumaro.codecs.orjson import ORJSONDecoder, ORJSONEncoder
    from mashumaro.types import Discriminator

    def mark(union):
        return Annotated[union, Discriminator(field=TAG, include_supertypes=True, variant_tagger_fn=lambda cls: cls.__name__.lower())]

    def able(kind):
        return kind.sort != "struct" and not (kind.is_tagged and kind.sort == "typeddict")

    def decoder(kind):
        return ORJSONDecoder(kind.hint(mark)).decode if able(kind) else None

    def encoder(kind):
        if able(kind):
            encode = ORJSONEncoder(kind.hint(mark)).encode
            return lambda obj: encode(obj)

    return _for_groups(decoder, encoder)


def of_cattrs():
    from cattrs.preconf.orjson import make_converter

    # It stops at the first error, which is quicker than what it does by default.
    converter = make_converter(detailed_validation=False)
    for scalar in (UUID, Decimal):
        converter.register_structure_hook(scalar, lambda text, cls: cls(text))
    converter.register_unstructure_hook(Decimal, str)

    def able(kind):
        if kind.sort == "typeddict":  # cattrs tells none of a union apart, and keeps the keys that are not declared
            return not kind.is_tagged and kind.shape.name != "partial"
        return kind.sort != "struct"

    def decoder(kind):
        if able(kind):
            hint, loads = kind.hint(), converter.loads
            return lambda data: loads(data, hint)

    def encoder(kind):
        if able(kind):
            hint, dumps = kind.hint(), converter.dumps
            return lambda obj: dumps(obj, unstructure_as=hint)

    return _for_groups(decoder, encoder)


def of_ocior(module=None):
    """`module`: what has the public names of ocior."""
    if module is None:
        import ocior as module
    Decoder, Encoder, Default = module.Decoder, module.Encoder, module.Default

    def encoder(kind):
        return Encoder(kind.hint(), default=Default(decimal="str"))

    def to_bytes(kind):
        encode = encoder(kind).encode
        return lambda obj: encode(obj)

    def to_str(kind):
        encode = encoder(kind).encode_str
        return lambda obj: encode(obj)

    return {**_for_groups(lambda kind: Decoder(kind.hint()).decode, to_bytes), "typed_encode_str": to_str}
