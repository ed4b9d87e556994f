"""The place of `json.decoder`: JSONDecoder at native speed, and json's own names for the rest."""

import json
from collections.abc import Callable
from inspect import Signature
from typing import Any, ClassVar, Literal

from ocior import JSONDecodeError as JSONDecodeError

__all__ = ["JSONDecoder", "JSONDecodeError"]

class _Decoder:
    def __init__(
        self,
        *,
        object_hook: Callable[[dict[str, Any]], Any] | None = None,
        parse_float: Callable[[str], Any] | None = None,
        parse_int: Callable[[str], Any] | None = None,
        parse_constant: Callable[[str], Any] | None = None,
        strict: bool = True,
        object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
        array_hook: Callable[[list[Any]], Any] | None = None,
        duplicate_keys: Literal["last", "first", "error"] = "last",
        non_finite: Literal["constant", "error", "null"] = "constant",
        big_integers: Literal["exact", "float", "str", "error"] = "exact",
        integer_bits: Literal[64, 53] = 64,
        surrogates: Literal["keep", "error", "replace"] = "keep",
        max_depth: int | None = None,
    ) -> None: ...

class JSONDecoder(_Decoder, json.JSONDecoder):
    """A decoder of JSON documents that can be derived from and used many times: `json.JSONDecoder`, several times faster.

    The keywords are those of `json.JSONDecoder`; `array_hook`, new there in Python 3.15, is called with every list and its
    result used instead; and the policies of `ocior.loads`, of which `decode_policies` keeps those given. As in json, all are captured
    when the decoder is made, and what a subclass overrides, or puts in the place of `scan_once`, is used. A scanner that is not ocior's
    knows no policies: where some are given, to decode by it is a TypeError.

    >>> JSONDecoder(parse_int=str).decode("[1, 2.5]")
    ['1', 2.5]
    """

    __signature__: ClassVar[Signature]
    array_hook: Callable[[list[Any]], Any] | None
    decode_policies: dict[str, Any] | None

    def decode(self, s: str, _w: Any = None) -> Any:
        """The value of the JSON document in `s`, a `str`.

        Raises JSONDecodeError for text that is not JSON, RecursionError for a document nested too deeply.

        >>> JSONDecoder().decode("[1, 2.5]")
        [1, 2.5]
        """

    def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
        """The value that starts at `s[idx]`, whatever follows it, and the index behind it. Takes time in proportion to that
        value, not to `s`.

        Raises JSONDecodeError where no value starts or one has a mistake, ValueError for a negative `idx`.

        >>> JSONDecoder().raw_decode("[1] [2]", 4)
        ([2], 7)
        """

def scanstring(string: str, end: int, strict: bool = True, /) -> tuple[str, int]:
    """The JSON string whose opening quote is `string[end - 1]`: its text with the escapes resolved, and the index behind its
    closing quote.

    Raises JSONDecodeError for a string that does not end, for a wrong escape, and, unless `strict` is false, for a
    control character; ValueError if `end` is not in `string`.

    >>> scanstring('["a", 1]', 2)
    ('a', 4)
    """

c_scanstring = scanstring

def py_scanstring(s: str, end: int, strict: bool = True, _b: dict[str, str] = ..., _m: Callable[..., Any] = ...) -> tuple[str, int]:
    """json's own `scanstring` in Python.

    >>> py_scanstring('"a"', 1)
    ('a', 3)
    """

JSONObject: Callable[..., Any]
JSONArray: Callable[..., Any]

def __getattr__(name: str) -> Any: ...
