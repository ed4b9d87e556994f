"""The place of `json.decoder`: JSONDecoder at native speed, and json's own names for the rest."""

from json import decoder as _json_decoder

from ocior import _core
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
    result used instead. As in json, the hooks are captured when the decoder is made, and what a subclass overrides,
    or puts in the place of `scan_once`, is used.
    """

    __signature__ = SignatureOf(_json_decoder.JSONDecoder, ["array_hook"])


def __getattr__(name):
    return getattr(_json_decoder, name)
