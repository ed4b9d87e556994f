"""The standard `json` module's interface, several times faster, for `str` and for UTF-8 `bytes`."""

import json
from collections.abc import Callable
from json import detect_encoding as detect_encoding
from typing import Any, Final, Literal, final

from _typeshed import SupportsRead, SupportsWrite
from typing_extensions import Buffer

from ocior import decoder as decoder
from ocior import encoder as encoder
from ocior import scanner as scanner
from ocior.decoder import JSONDecoder as JSONDecoder
from ocior.encoder import JSONEncoder as JSONEncoder

__all__ = [
    "Default",
    "JSONDecodeError",
    "JSONDecoder",
    "JSONEncoder",
    "Raw",
    "default",
    "detect_encoding",
    "dump",
    "dumps",
    "dumps_to_bytes",
    "get_current_features",
    "load",
    "loads",
    "write_utf8_cache",
]

__version__: Final[str]

class JSONDecodeError(json.JSONDecodeError):
    """What is no JSON document. At run time this is `json.JSONDecodeError` itself, so either name catches it; here it is a
    subclass, because what ocior raises tells more:

    `path`: where in the document, as `$.users[3].name` or `$["odd key"]`.
    `snippet`: two lines, the surroundings of the place and a caret under it; empty where the document is blank.

    >>> try:
    ...     loads('{"a": [1, x]}')
    ... except JSONDecodeError as error:
    ...     print(error.msg, error.pos, error.path)
    Expecting value 10 $.a[1]
    """

    path: str
    snippet: str

@final
class Default:
    """A `default=` function for what `json` has no form for. ocior knows it by heart and calls no Python code for it, wherever a
    `default=` is taken; in other hands (`json.dumps`, a framework) it is an ordinary function of one value, which returns what
    `json` can write.

    Written are dataclasses, attrs classes, `msgspec.Struct`, models of pydantic (what their `model_dump_json()` gives), `datetime`,
    `date`, `time` (RFC 3339), `timedelta` (ISO 8601), `UUID`, `Enum`, `Decimal` (all its digits), paths, sets, `deque`, `range` and
    other sequences, dict views, mappings, IP addresses, patterns, objects with a method `__json__`, arrays and scalars of numpy,
    `array.array`, memoryviews of numbers, arrays and frames of pandas, polars and pyarrow. What `json` writes already is written as
    `json` does.

    `fallback`: a `default=` function for all other types.
    `naive_utc`: a datetime without a time zone is one of UTC. `utc_z`: UTC is "Z", else "+00:00".
    `microseconds`: false leaves them out.
    `keys`: whatever is written as one string, number or word may be a key of a dict, too.
    `private_fields`: false leaves out fields whose name begins with an underscore.
    `namedtuple_as_object`: a named tuple is an object, else an array.
    `iterable_as_array`: whatever can be iterated over is an array.
    `exceptions`: an exception is an object of its `type` and `message`.
    `html_safe`: "<", ">", "&", U+2028 and U+2029 are escaped, so that the text may stand in HTML and in JavaScript.
    `escape_slashes`: "/" is written as "\\/".
    `enum`: whether enums are written by value or by name. `decimal`: as numbers or as strings. `bytes`: refused, or as base64.

    The others are about all that is written, whatever its type; in other hands they mean nothing.
    `non_finite`: NaN and infinities by name, or as `allow_nan` says; refused (ValueError); or as null.
    `big_integers`: integers beyond `integer_bits` (64: from -2**63 to 2**64-1; 53: what a double holds, up to 2**53-1) exact, as floats,
    as strings, or refused (ValueError). Keys are exact, or refused.
    `surrogates`: lone ones kept where the text can hold them, refused (UnicodeEncodeError), or replaced by U+FFFD.
    `duplicate_keys`: two keys of one dict that have the same text kept, or refused (ValueError).
    `max_depth`: so deep may arrays and objects be nested (RecursionError), at most 65536.
    `canonical`: the text of RFC 8785, JSON Canonicalization Scheme, whatever `separators`, `ensure_ascii` and `sort_keys` say; with
    `indent`, ValueError. Refused are NaN and infinities, integers beyond 53 bits, lone surrogates, unless the policies above say
    what is written for them; keys with the same text, decimals that are no double, `Raw`, and sets without a `fallback`.
    `short_arrays`: with `indent`, an array without arrays and objects in it stands on one line if that has at most so many characters
    (bytes of UTF-8, where that is written).

    Raises TypeError for other keywords, ValueError for other words.

    >>> import datetime
    >>> dumps({"at": datetime.date(2026, 1, 2)}, default=Default())
    '{"at": "2026-01-02"}'
    """

    def __new__(
        cls,
        fallback: Callable[[Any], Any] | None = None,
        *,
        naive_utc: bool = False,
        utc_z: bool = False,
        microseconds: bool = True,
        keys: bool = False,
        private_fields: bool = True,
        namedtuple_as_object: bool = False,
        iterable_as_array: bool = False,
        exceptions: bool = False,
        html_safe: bool = False,
        escape_slashes: bool = False,
        enum: Literal["value", "name"] = "value",
        decimal: Literal["number", "str"] = "number",
        bytes: Literal["error", "base64"] = "error",
        non_finite: Literal["name", "error", "null"] = "name",
        big_integers: Literal["exact", "float", "str", "error"] = "exact",
        surrogates: Literal["keep", "error", "replace"] = "keep",
        duplicate_keys: Literal["keep", "error"] = "keep",
        integer_bits: Literal[53, 64] = 64,
        max_depth: int | None = None,
        canonical: bool = False,
        short_arrays: int | None = None,
    ) -> Default: ...
    def __call__(self, value: Any, /) -> Any: ...
    @property
    def fallback(self) -> Callable[[Any], Any] | None: ...
    def __copy__(self) -> Default: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Default: ...

default: Final[Default]
"""`Default()`, the function to give as `default=` where none of its options is needed."""

@final
class Raw:
    """JSON that is ready: `dumps` writes `text`, a `str` or UTF-8 bytes, as it stands, wherever it is met.

    `check=False` trusts it; else what is no JSON raises what `loads` raises. TypeError for any other `text`.

    >>> dumps({"cached": Raw("[1,2]")})
    '{"cached": [1,2]}'
    """

    def __new__(cls, text: str | Buffer, /, *, check: bool = True) -> Raw: ...
    @property
    def text(self) -> str | bytes: ...
    def __copy__(self) -> Raw: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Raw: ...

def load(
    fp: SupportsRead[str | Buffer],
    *,
    cls: type[json.JSONDecoder] | None = None,
    object_hook: Callable[[dict[str, Any]], Any] | None = None,
    parse_float: Callable[[str], Any] | None = None,
    parse_int: Callable[[str], Any] | None = None,
    parse_constant: Callable[[str], Any] | None = None,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
    array_hook: Callable[[list[Any]], Any] | None = None,
    strict: bool = True,
    duplicate_keys: Literal["last", "first", "error"] = "last",
    non_finite: Literal["constant", "error", "null"] = "constant",
    big_integers: Literal["exact", "float", "str", "error"] = "exact",
    integer_bits: Literal[64, 53] = 64,
    surrogates: Literal["keep", "error", "replace"] = "keep",
    max_depth: int | None = None,
    **kw: Any,
) -> Any:
    """Decodes the JSON document that `fp.read()` gives, `str` or bytes: a file opened either way. A binary one saves a step.

    Takes the keywords of `loads`, raises what `loads` raises, and what `fp.read` raises.

    >>> import io
    >>> load(io.BytesIO(b'{"a": [1, 2.5, null]}'))
    {'a': [1, 2.5, None]}
    """

def loads(
    s: str | Buffer,
    *,
    cls: type[json.JSONDecoder] | None = None,
    object_hook: Callable[[dict[str, Any]], Any] | None = None,
    parse_float: Callable[[str], Any] | None = None,
    parse_int: Callable[[str], Any] | None = None,
    parse_constant: Callable[[str], Any] | None = None,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
    array_hook: Callable[[list[Any]], Any] | None = None,
    strict: bool = True,
    duplicate_keys: Literal["last", "first", "error"] = "last",
    non_finite: Literal["constant", "error", "null"] = "constant",
    big_integers: Literal["exact", "float", "str", "error"] = "exact",
    integer_bits: Literal[64, 53] = 64,
    surrogates: Literal["keep", "error", "replace"] = "keep",
    max_depth: int | None = None,
    **kw: Any,
) -> Any:
    """Decodes a JSON document.

    `s` is a `str`, or any contiguous buffer (`bytes`, `bytearray`, `memoryview`, ...) that holds UTF-8, UTF-16 or
    UTF-32, told apart as `json.loads` does. A `str` is parsed in its own code units; no UTF-8 copy is made of it or
    left in it.

    The keywords up to `strict` mean what they mean in `json.loads`. `array_hook` (in `json` since Python 3.15) is called with the
    list of every array, and its result is used instead. The others are policies, whose defaults are what `json` does:

    `duplicate_keys`: which value counts where an object has a key twice, or "error". `object_pairs_hook` sees all of them.
    `non_finite`: what NaN, infinities and numbers beyond the range of a float become. `parse_constant` gets the words all the same.
    `big_integers`: what integers beyond 64 bits become, with a sign or without; with `integer_bits=53` those that JavaScript does not hold.
    `parse_int` wins. `surrogates`: what those without a pair become, in values and keys; "replace" puts U+FFFD. `max_depth`: how deep
    arrays and objects may be nested, at most 65536.

    Raises JSONDecodeError if `s` is no JSON document: json's class, with two more attributes, `path` (where in the document,
    as `$.users[3].name`) and `snippet` (the piece of the line, and a caret under the place). Raises UnicodeDecodeError, with these too, if
    its bytes are no text, RecursionError if it is nested too deeply, ValueError for an integer of more digits than
    `sys.set_int_max_str_digits` allows and for a policy that there is not, TypeError if `s` is neither `str` nor a contiguous buffer.

    >>> loads('{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    """

def dumps(
    obj: Any,
    *,
    skipkeys: bool = False,
    ensure_ascii: bool = True,
    check_circular: bool = True,
    allow_nan: bool = True,
    cls: type[json.JSONEncoder] | None = None,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    default: Callable[[Any], Any] | None = None,
    sort_keys: bool = False,
    **kw: Any,
) -> str:
    """Encodes `obj` as JSON text: character for character what `json.dumps` gives for the same arguments.

    Raises TypeError for a type (or a key's type) that JSON has not, ValueError for a circular reference, or for NaN
    and the infinities with `allow_nan=False`, RecursionError for too deep nesting.

    >>> dumps({"a": [1, 2.5, None], "b": "é"})
    '{"a": [1, 2.5, null], "b": "\\\\u00e9"}'
    """

def dump(
    obj: Any,
    fp: SupportsWrite[str] | SupportsWrite[bytes],
    *,
    skipkeys: bool = False,
    ensure_ascii: bool = True,
    check_circular: bool = True,
    allow_nan: bool = True,
    cls: type[json.JSONEncoder] | None = None,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    default: Callable[[Any], Any] | None = None,
    sort_keys: bool = False,
    **kw: Any,
) -> None:
    """Writes to `fp` what `dumps` gives for the same arguments, in pieces of some 100 KB, without building the whole of it.
    A text file is given `str`, a binary file (which `json.dump` refuses) UTF-8 `bytes`. What a file of another class takes, one with a
    `write` in Python among them, is learnt from the first piece: `str`, as json gives it, and if that raises TypeError, `bytes`.

    Raises what `dumps` raises, and what `fp.write` raises; what was written before that stays written, as with `json.dump`.

    >>> import io
    >>> file = io.StringIO()
    >>> dump({"a": [1, 2.5, None]}, file)
    >>> file.getvalue()
    '{"a": [1, 2.5, null]}'
    """

def dumps_to_bytes(
    obj: Any,
    *,
    skipkeys: bool = False,
    ensure_ascii: bool = False,
    check_circular: bool = True,
    allow_nan: bool = True,
    cls: type[json.JSONEncoder] | None = None,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    default: Callable[[Any], Any] | None = None,
    sort_keys: bool = False,
    is_write_cache: bool | None = None,
    **kw: Any,
) -> bytes:
    """Encodes `obj` as UTF-8 JSON. Takes every keyword of `dumps`, but is compact and unescaped unless told otherwise:
    `ensure_ascii=False` and, without `indent`, `separators=(",", ":")` are its defaults.

    `is_write_cache` says, for this call, whether strings may keep the UTF-8 form that was made of them, for others who ask
    CPython for it; it costs memory as long as they live. None means the default that `write_utf8_cache` set. A form that
    is already there is read where that is quicker: in strings with characters beyond U+FFFF and, without AVX-512, in long
    ones.

    Raises what `dumps` raises, and a ValueError (UnicodeEncodeError) that names the position for a lone surrogate.

    >>> dumps_to_bytes({"a": [1, 2.5, None], "b": "é"}).decode()
    '{"a":[1,2.5,null],"b":"é"}'
    """

def write_utf8_cache(enabled: bool, /) -> None:
    """Sets whether `dumps_to_bytes` leaves UTF-8 forms in the strings it encodes, where `is_write_cache` does not say.
    Off at first.

    >>> write_utf8_cache(False)
    """

def get_current_features() -> dict[str, Any]:
    """What this ocior is made of and how it is set: instruction-set level, version, options, and which of the tricks
    that depend on this interpreter's internals passed their self-test and are on.

    >>> get_current_features()["level"] in ("v2", "v3", "v4", "neon")
    True
    """
