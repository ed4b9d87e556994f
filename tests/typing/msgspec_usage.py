"""ocior.compat.msgspec as people use it: what usage.py says of the checkers holds here, too."""

from typing import TYPE_CHECKING, Any

import ocior.compat.msgspec as msgspec
from ocior.compat.msgspec import json
from typing_extensions import assert_type


class Point(msgspec.Struct):
    a: int


def main() -> None:
    assert_type(msgspec.json.decode(b'{"a":1}', type=Point), Point)
    assert_type(json.decode("1"), Any)
    decoder = json.Decoder(Point, strict=False)
    assert_type(decoder, json.Decoder[Point])
    assert_type(decoder.decode('{"a":"1"}'), Point)
    assert_type(decoder.decode_lines(bytearray()), list[Point])
    assert_type(decoder.strict, bool)
    encoder = json.Encoder(enc_hook=repr, order="sorted")
    assert_type(encoder.encode(Point(1)), bytes)
    assert_type(encoder.encode_lines([1, 2]), bytes)
    encoder.encode_into(Point(1), bytearray(), -1)
    assert_type(json.encode(Point(1), enc_hook=repr), bytes)
    if TYPE_CHECKING:
        json.encode(1, order="other")  # type: ignore[arg-type]
        json.Encoder(uuid_format="bytes")  # type: ignore[arg-type]
        json.Decoder(Point).decode(1)  # type: ignore[arg-type]
        decoder.strict = True  # type: ignore[misc]


if __name__ == "__main__":
    main()
