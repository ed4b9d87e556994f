"""The interface of `msgspec.json`, with ocior's reading and writing.

What ocior refuses is given to msgspec's own decoder or encoder of the same arguments: its error is raised, or its value returned. A type
that ocior does not read as msgspec does is left to msgspec altogether. Hooks are called again by a document or value that is asked again.
"""

from json import JSONDecodeError
from sys import maxsize
from threading import Lock
from typing import Any

from msgspec import DecodeError
from msgspec.json import Decoder as _Decoder
from msgspec.json import Encoder as _Encoder
from msgspec.json import decode as _decode_of_msgspec
from msgspec.json import encode as _encode_of_msgspec
from msgspec.json import format, schema, schema_components

from ocior import _core, loads
from ocior.compat.msgspec._nodes import node_of

__all__ = ["Decoder", "Encoder", "decode", "encode", "format", "schema", "schema_components"]

decode = _core.msgspec["decode"]
encode = _core.msgspec["encode"]

_MOST_DECODERS = 64  # that decode() keeps

_decoders = {}  # by type
_lax_decoders = {}
_lock = Lock()


class Encoder(_core.msgspec["Encoder"]):
    """As `msgspec.json.Encoder`."""

    __slots__ = ("_other",)

    def __new__(cls, *, enc_hook=None, decimal_format="string", uuid_format="canonical", order=None):
        other = _Encoder(enc_hook=enc_hook, decimal_format=decimal_format, uuid_format=uuid_format, order=order)
        is_left = decimal_format != "string" or uuid_format != "canonical" or order is not None
        self = super().__new__(cls, other.encode, enc_hook, is_left)
        self._other = other
        return self

    enc_hook = property(lambda self: self._other.enc_hook)
    decimal_format = property(lambda self: self._other.decimal_format)
    uuid_format = property(lambda self: self._other.uuid_format)
    order = property(lambda self: self._other.order)

    def encode_lines(self, items, /):
        """As `msgspec.json.Encoder.encode_lines`."""
        encode = self.encode
        lines = [encode(item) for item in items]
        lines.append(b"")
        return b"\n".join(lines)

    def encode_into(self, obj, buffer, offset=0, /):
        """As `msgspec.json.Encoder.encode_into`; bytes between the old end and `offset` are zero."""
        if type(buffer) is not bytearray or not isinstance(offset, int) or not -1 <= offset <= maxsize:
            self._other.encode_into(obj, buffer, offset)  # whose error it is
            return
        text = self.encode(obj)
        if offset == -1:
            offset = len(buffer)
        if offset > len(buffer):
            buffer.extend(bytes(offset - len(buffer)))
        buffer[offset:] = text


class Decoder(_core.msgspec["Decoder"]):
    """As `msgspec.json.Decoder`."""

    __slots__ = ("_other",)

    def __new__(cls, type=Any, *, strict=True, dec_hook=None, float_hook=None):
        other = _Decoder(type, strict=strict, dec_hook=dec_hook, float_hook=float_hook)
        self = super().__new__(cls, other.decode, None if float_hook is not None else node_of(type, strict, dec_hook))
        self._other = other
        return self

    type = property(lambda self: self._other.type)
    strict = property(lambda self: self._other.strict)
    dec_hook = property(lambda self: self._other.dec_hook)
    float_hook = property(lambda self: self._other.float_hook)

    def decode_lines(self, buf, /):
        """As `msgspec.json.Decoder.decode_lines`."""
        read = self._read
        try:
            if isinstance(buf, str):
                return [read(line) for line in buf.split("\n") if line.strip(" \t\r")]
            view = memoryview(buf)
            if view.c_contiguous:
                return [read(line) for line in bytes(view).split(b"\n") if line.strip(b" \t\r")]
        except Exception:  # a value may have several lines, a line several values
            pass
        return self._other.decode_lines(buf)

    def _ask_again(self, buf, error):
        """The value of a document that ocior has refused with `error`."""
        value = self._other.decode(buf)
        # msgspec does not look into what it skips: there a document may be no JSON.
        if isinstance(error, (JSONDecodeError, UnicodeDecodeError)):
            try:
                loads(buf)
            except ValueError as no_json:
                raise DecodeError(f"JSON is malformed: {no_json}") from no_json
        return value

    def __repr__(self):
        return repr(self._other)


def _decode(*arguments, **keywords):
    """What `decode` is where the core has no decoder for its arguments."""
    if len(arguments) != 1 or not {"type"} <= keywords.keys() <= {"type", "strict"}:
        return _decode_of_msgspec(*arguments, **keywords)
    type, is_strict = keywords["type"], bool(keywords.get("strict", True))
    kept = _decoders if is_strict else _lax_decoders
    try:
        decoder = kept.get(type)
    except TypeError:  # it cannot be hashed
        return Decoder(type, strict=is_strict).decode(*arguments)
    if decoder is None:
        decoder = Decoder(type, strict=is_strict)
        with _lock:
            kept[type] = decoder
            if len(kept) > _MOST_DECODERS:
                del kept[next(iter(kept))]
    return decoder.decode(*arguments)


_core.msgspec["open"](_decoders, Decoder(), _decode, _encode_of_msgspec)
