"""The place of `json.decoder`: JSONDecoder at native speed, and json's own names for the rest."""

from json import decoder as _json_decoder

from ocior import _core
from ocior._remaining import remaining_names
from ocior._signature import SignatureOf

JSONDecodeError = _core.JSONDecodeError
scanstring = c_scanstring = _core.scanstring
py_scanstring = _json_decoder.py_scanstring
JSONObject = _json_decoder.JSONObject
JSONArray = _json_decoder.JSONArray

__all__ = ["JSONDecoder", "JSONDecodeError"]


class JSONDecoder(_core.Decoder, _json_decoder.JSONDecoder):
    """A decoder of JSON documents that can be derived from and used many times: `json.JSONDecoder`, several times faster.

        decoder = JSONDecoder(parse_float=Decimal)
        decoder.decode('[1.10]')             # [Decimal('1.10')]
        decoder.raw_decode('{"a": 1} rest')  # ({'a': 1}, 8)

    The keywords are those of `json.JSONDecoder`; `array_hook`, new there in Python 3.15, is called with every list and its
    result used instead; and the policies of `ocior.loads`, of which `decode_policies` keeps those given. As in json, all are captured
    when the decoder is made, and what a subclass overrides, or puts in the place of `scan_once`, is used. A scanner that is not ocior's
    knows no policies: where some are given, to decode by it is a TypeError.
    """

    __signature__ = SignatureOf(
        _json_decoder.JSONDecoder,
        {
            "array_hook": None,
            "duplicate_keys": "last",
            "non_finite": "constant",
            "big_integers": "exact",
            "integer_bits": 64,
            "surrogates": "keep",
            "max_depth": None,
        },
    )


globals().update(remaining_names(_json_decoder, globals()))
del remaining_names
