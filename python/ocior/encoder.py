"""The encoder as an object: `json.encoder`'s interface over the native encoder.

What json's module has besides (the encoders written in Python, constants, ...) is there under the same names.
"""

import json.encoder as _json_encoder
from copyreg import _slotnames
from json.encoder import c_make_encoder, py_encode_basestring, py_encode_basestring_ascii

from ocior import _core
from ocior._remaining import remaining_names
from ocior._signature import SignatureOf

__all__ = ["JSONEncoder", "encode_basestring", "encode_basestring_ascii"]

encode_basestring = c_encode_basestring = _core.encode_basestring
encode_basestring_ascii = c_encode_basestring_ascii = _core.encode_basestring_ascii


class JSONEncoder(_core.Encoder, _json_encoder.JSONEncoder):
    """Encodes Python values as JSON text; for those who keep their settings in an object, or who derive a class from it.

    The keywords, attributes and methods are those of json.JSONEncoder, from which it derives. The settings are compiled
    once per object, and again when an attribute changes. A class that overrides `default`, or nothing, encodes at the
    native speed; one that overrides `encode` or `iterencode` gets from `super()` what json gives, piece by piece, or with
    an `ocior.Default` what that asks for.

    >>> class Encoder(JSONEncoder):
    ...     def default(self, o):
    ...         return sorted(o) if isinstance(o, set) else super().default(o)
    >>> Encoder(indent=None).encode({"odd": {3, 1}})
    '{"odd": [1, 3]}'
    """

    __signature__ = SignatureOf(_json_encoder.JSONEncoder)

    def __getstate__(self):
        # object's own refuses what has a native base.
        attributes = self.__dict__.copy()
        slots = {name: getattr(self, name) for name in _slotnames(type(self)) if hasattr(self, name)}
        return (attributes, slots) if slots else attributes

    def __reduce_ex__(self, protocol):
        return super().__reduce_ex__(max(protocol, 2))  # the older ones know no native base


_default_encoder = JSONEncoder()
_core.set_default_encoder(_default_encoder)

globals().update(remaining_names(_json_encoder, globals()))
del remaining_names
