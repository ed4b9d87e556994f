"""The standard `json` module's interface, several times faster, for `str` and for UTF-8 `bytes`."""

import builtins
import enum
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from json import detect_encoding as detect_encoding
from types import GenericAlias
from typing import Any, Final, Generic, Literal, TypeVar, final, overload

from _typeshed import SupportsRead, SupportsWrite
from typing_extensions import Buffer, Self, TypeForm, Unpack

from ocior import decoder as decoder
from ocior import encoder as encoder
from ocior import lines as lines
from ocior import scanner as scanner
from ocior._tables.reading import Scan as Scan
from ocior._tables.reading import Table as Table
from ocior._tables.reading import infer as infer
from ocior._tables.reading import scan as scan
from ocior._tables.reading import table as table
from ocior._tables.schema import Schema as Schema
from ocior.decoder import JSONDecoder as JSONDecoder
from ocior.encoder import JSONEncoder as JSONEncoder
from ocior.lines import Reader, _AnyOptions, _FieldOptions, _LoadsOptions, _RecordOptions, _Source

__all__ = [
    "Alias",
    "Convert",
    "Decoder",
    "Default",
    "Encoder",
    "Feed",
    "JSONDecodeError",
    "JSONDecoder",
    "JSONEncoder",
    "Lax",
    "Limits",
    "MISSING",
    "Missing",
    "PointerError",
    "Problem",
    "Raw",
    "RecordError",
    "Rest",
    "Rules",
    "Scan",
    "Schema",
    "Table",
    "Tag",
    "ValidationError",
    "at",
    "default",
    "detect_encoding",
    "dump",
    "dumps",
    "dumps_to_bytes",
    "get_current_features",
    "infer",
    "items",
    "json_schema",
    "lines",
    "load",
    "loads",
    "scan",
    "table",
    "values",
    "view",
    "write_utf8_cache",
]

__version__: Final[str]

_T = TypeVar("_T")

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

@overload
def load(
    fp: SupportsRead[str | Buffer],
    *,
    type: None = None,
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

    Takes the keywords of `loads`, `type` among them, raises what `loads` raises, and what `fp.read` raises.

    >>> import io
    >>> load(io.BytesIO(b'{"a": [1, 2.5, null]}'))
    {'a': [1, 2.5, None]}
    """

@overload
def load(
    fp: SupportsRead[str | Buffer],
    *,
    type: type[_T],
    strict: bool = True,
    duplicate_keys: Literal["last", "first", "error"] = "last",
    non_finite: Literal["constant", "error", "null"] = "constant",
    big_integers: Literal["exact", "float", "str", "error"] = "exact",
    integer_bits: Literal[64, 53] = 64,
    surrogates: Literal["keep", "error", "replace"] = "keep",
    max_depth: int | None = None,
) -> _T: ...
@overload
def load(
    fp: SupportsRead[str | Buffer],
    *,
    type: TypeForm[_T],
    strict: bool = True,
    duplicate_keys: Literal["last", "first", "error"] = "last",
    non_finite: Literal["constant", "error", "null"] = "constant",
    big_integers: Literal["exact", "float", "str", "error"] = "exact",
    integer_bits: Literal[64, 53] = 64,
    surrogates: Literal["keep", "error", "replace"] = "keep",
    max_depth: int | None = None,
) -> _T: ...
@overload
def load(fp: SupportsRead[str | Buffer], *, cls: type[json.JSONDecoder], type: Any, **kw: Any) -> Any: ...
@overload
def loads(
    s: str | Buffer,
    *,
    type: None = None,
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

    `type`: the type that the document is to become, a class, `list[Order]`, `int | None`, or any other that `docs/typed.md` tells of. The
    result is of that type, or a ValidationError is raised; `strict=False` then takes numbers in strings and the like; hooks and `parse_*`
    are a TypeError beside it, the policies go with it. What is compiled for a type is kept; a `Decoder` does not have to look for it.

    Without `type` the keywords up to `strict` mean what they mean in `json.loads`. `array_hook` (in `json` since Python 3.15) is called with the
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
    >>> import datetime
    >>> loads('{"due": "2026-01-02"}', type=dict[str, datetime.date])
    {'due': datetime.date(2026, 1, 2)}
    """

@overload
def loads(
    s: str | Buffer,
    *,
    type: type[_T],
    strict: bool = True,
    duplicate_keys: Literal["last", "first", "error"] = "last",
    non_finite: Literal["constant", "error", "null"] = "constant",
    big_integers: Literal["exact", "float", "str", "error"] = "exact",
    integer_bits: Literal[64, 53] = 64,
    surrogates: Literal["keep", "error", "replace"] = "keep",
    max_depth: int | None = None,
) -> _T: ...
@overload
def loads(
    s: str | Buffer,
    *,
    type: TypeForm[_T],
    strict: bool = True,
    duplicate_keys: Literal["last", "first", "error"] = "last",
    non_finite: Literal["constant", "error", "null"] = "constant",
    big_integers: Literal["exact", "float", "str", "error"] = "exact",
    integer_bits: Literal[64, 53] = 64,
    surrogates: Literal["keep", "error", "replace"] = "keep",
    max_depth: int | None = None,
) -> _T: ...
@overload
def loads(s: str | Buffer, *, cls: type[json.JSONDecoder], type: Any, **kw: Any) -> Any: ...

class ValidationError(ValueError):
    """What is JSON, but not of the type that was asked for. What is no JSON is a JSONDecodeError instead.

    `errors`: the problems, as many as `max_errors` allows, in the order of the document. The others are about the first of them:
    `path`: where it is in the document, as `$.lines[3].count`, written as in JSONDecodeError.
    `snippet`: two lines, the surroundings of the place and a caret under it.
    `pos`, `lineno`, `colno`: where its value begins, in code points, also where the document was bytes; counted as in JSONDecodeError.

    The text of the error quotes no value of the document. `snippet`, which from Python 3.11 on is also a note of the error, does.

    >>> try:
    ...     loads('{"a": [1, "x", 2.5]}', type=dict[str, list[int]])
    ... except ValidationError as error:
    ...     print(error)
    $.a[1]: expected int, got string (line 1 column 11), and 1 more
    """

    def __init__(self, document: str, problems: Sequence[Problem], type: Any = None, count: int | None = None) -> None: ...
    @property
    def errors(self) -> tuple[Problem, ...]: ...
    @property
    def path(self) -> str: ...
    @property
    def snippet(self) -> str: ...
    @property
    def pos(self) -> int: ...
    @property
    def lineno(self) -> int: ...
    @property
    def colno(self) -> int: ...

class Problem:
    """One value of a document that is not what its type wants, or one that is missing.

    `code`: what kind of problem: "type", "missing", "unknown", "value", "choice", "tag", "length", "gt", "ge", "lt", "le", "multiple_of",
    "min_length", "max_length", "pattern", "tz", "key", "duplicate", "range" or "hook".
    `path`: keys and indices that lead to it. `where`: the same as `$.lines[3].count`. `pointer`: the same as a JSON Pointer (RFC 6901).
    `message`: what is wrong, in words, without the place. It quotes no value; of a hook it has the words of the exception. `summary`:
    the same without those words, which may quote a value.
    `start`, `end`: the code points of the document that enclose the value, also where it was bytes. What is missing is told at its object.
    `expected`: what the type wants, in words, or the bound that does not hold. `got`: the kind of value that is there, or None.
    `cause`: the exception of a hook, or None.
    """

    code: str
    path: tuple[str | int, ...]
    start: int
    end: int
    expected: Any
    got: str | None
    cause: BaseException | None
    def __init__(
        self,
        code: str,
        path: tuple[str | int, ...],
        start: int,
        end: int,
        expected: Any = None,
        got: str | None = None,
        cause: BaseException | None = None,
    ) -> None: ...
    @property
    def where(self) -> str: ...
    @property
    def pointer(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def summary(self) -> str: ...
    def __hash__(self) -> int: ...

class Missing(enum.Enum):
    """The type of MISSING, an enum of one member, so that type checkers know what `x is MISSING` leaves. It is false."""

    MISSING = "MISSING"
    def __bool__(self) -> Literal[False]: ...

MISSING: Final = Missing.MISSING
"""The value of a field that was not in the document, where its type says so: `x: int | Missing = MISSING`. A field that has it is not
written."""

class _Marker:
    def __hash__(self) -> int: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any) -> Self: ...

class Alias(_Marker):
    """In an annotation: the names of a field in JSON. The first one is written, all are read; the field's own name only if it is among them.

    >>> from typing import Annotated
    >>> FirstName = Annotated[str, Alias("firstName", "first_name")]
    """

    names: tuple[str, ...]
    def __init__(self, *names: str) -> None: ...

class Limits(_Marker):
    """In an annotation: what a value has to keep to.

    `gt`, `ge`, `lt`, `le`: bounds of numbers, or of dates, times and durations, of their type. NaN keeps no bound.
    `multiple_of`: looks at the decimal text, so that 0.3 is a multiple of 0.1.
    `min_length`, `max_length`: of strings in code points, of bytes decoded, of arrays, of dicts in different keys.
    `pattern`: is searched for in a string.
    `tz`: whether a datetime or a time must have an offset, or must not.

    Raises TypeError for a bound of a wrong type, ValueError for a negative length and for a `multiple_of` that is not above zero.

    >>> from typing import Annotated
    >>> loads("[1, 2]", type=list[Annotated[int, Limits(gt=0)]])
    [1, 2]
    """

    gt: Any
    ge: Any
    lt: Any
    le: Any
    multiple_of: Any
    min_length: int | None
    max_length: int | None
    pattern: re.Pattern[str] | None
    tz: bool | None
    def __init__(
        self,
        *,
        gt: Any = None,
        ge: Any = None,
        lt: Any = None,
        le: Any = None,
        multiple_of: Any = None,
        min_length: int | None = None,
        max_length: int | None = None,
        pattern: str | re.Pattern[str] | None = None,
        tz: bool | None = None,
    ) -> None: ...

class Lax(_Marker):
    """In an annotation: this value may have the forms of `strict=False`.

    >>> from typing import Annotated
    >>> loads('["12", 7]', type=list[Annotated[int, Lax()]])
    [12, 7]
    """

class Rest(_Marker):
    """In the annotation of a field, a dict: it keeps what the document has beyond the other fields, and that is written among them.

    >>> from typing import Annotated
    >>> Others = Annotated[dict[str, Any], Rest()]
    """

class Convert(_Marker):
    """How a type is read and written that ocior does not know, or how one is checked that it knows. In an annotation, or by class in
    `convert=`.

    `load`: is called with the value, decoded as `takes`; its ValueErrors and TypeErrors become a Problem. With the type itself as `takes`
    it is a validator.
    `dump`: is called with the object; its result is written.

    Raises TypeError where there is neither.

    >>> from fractions import Fraction
    >>> loads('["1/3"]', type=list[Annotated[Fraction, Convert(load=Fraction, takes=str, dump=str)]])
    [Fraction(1, 3)]
    """

    load: Callable[[Any], Any] | None
    takes: Any
    dump: Callable[[Any], Any] | None
    def __init__(self, load: Callable[[Any], Any] | None = None, *, takes: Any = ..., dump: Callable[[Any], Any] | None = None) -> None: ...

class Tag(_Marker):
    """In the annotation of a union of classes: the key that decides, and the class for each of its values. Without the second the classes
    say it: by a field of that name that is a Literal or an Enum, or by their Rules.

    >>> from typing import Annotated, TypedDict
    >>> class Circle(TypedDict):
    ...     radius: float
    >>> class Square(TypedDict):
    ...     side: float
    >>> Shape = Annotated[Circle | Square, Tag("kind", {"circle": Circle, "square": Square})]
    """

    name: str
    types: dict[str | int, Any] | None
    def __init__(self, name: str, types: Mapping[str | int, Any] | None = None) -> None: ...

class Rules(_Marker):
    """How a class is read and written: as its attribute `__ocior__`, in an annotation, or by class in `rules=`. The later of these wins,
    each for what it says.

    `rename`: the names of fields in JSON, of those that have no Alias: in one of four styles, by a function, or by a mapping.
    `unknown`: keys that are no field are ignored, or a Problem.
    `omit`: fields that are None are not written, or those that have their default.
    `tag`: a key and a value, written first, by which a union tells the class.
    `array`: the class is an array of the values of its fields.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Person:
    ...     __ocior__ = Rules(rename="camel", omit="none")
    ...     first_name: str
    ...     nick_name: str | None = None
    >>> dumps_to_bytes(Person("Ada"), type=Person)
    b'{"firstName":"Ada"}'
    """

    rename: Literal["camel", "pascal", "kebab", "upper"] | Callable[[str], str | None] | Mapping[str, str] | None
    unknown: Literal["ignore", "forbid"] | None
    omit: Literal["none", "defaults"] | None
    tag: tuple[str, str | int] | None
    array: bool | None
    def __init__(
        self,
        *,
        rename: Literal["camel", "pascal", "kebab", "upper"] | Callable[[str], str | None] | Mapping[str, str] | None = None,
        unknown: Literal["ignore", "forbid"] | None = None,
        omit: Literal["none", "defaults"] | None = None,
        tag: tuple[str, str | int] | None = None,
        array: bool | None = None,
    ) -> None: ...

def json_schema(
    type: TypeForm[Any],
    *,
    mode: Literal["decode", "encode"] = "decode",
    ref_template: str = "#/$defs/{name}",
    strict: bool = True,
    unknown: Literal["ignore", "forbid"] = "ignore",
    rules: Mapping[Any, Rules] | None = None,
    convert: Mapping[Any, Convert] | None = None,
) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a type.

    `mode`: of what is read, or of what is written, where these differ.
    `ref_template`: how one definition refers to another.
    The others are those of a `Decoder`.

    Raises TypeError for a type that cannot be decoded, ValueError for another `mode` and for a template without `{name}`.

    >>> json_schema(list[int])["items"]
    {'type': 'integer'}
    """

@final
class Decoder(Generic[_T]):
    """Decodes documents of one type: what `loads` does with `type=`, compiled once. It cannot be changed, and threads may share it.

    `type`: a class (dataclass, attrs, TypedDict, NamedTuple, Enum, `msgspec.Struct`, ...), or a type made of others: `list[Order]`,
    `dict[str, int]`, `int | None`, `Annotated[...]`.
    `strict`: false takes more forms of a value, as numbers in strings.
    `unknown`: keys that are no field of a class are ignored, or a problem.
    `rules`: by class how it is read, for classes that do not say it themselves. `convert`: by class the functions that convert it.
    `max_errors`: so many problems of a document are collected, at least one.
    The others are the policies of `loads`.

    Raises TypeError for a type that cannot be decoded, or a union whose members cannot be told apart, which it names.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Decoder(list[Point]).decode('[{"x": 1}, {"x": 2, "y": 3}]')
    [Point(x=1, y=0), Point(x=2, y=3)]
    """

    @overload
    def __new__(
        cls,
        type: builtins.type[_T],
        *,
        strict: bool = True,
        unknown: Literal["ignore", "forbid"] = "ignore",
        rules: Mapping[Any, Rules] | None = None,
        convert: Mapping[Any, Convert] | None = None,
        max_errors: int = 100,
        duplicate_keys: Literal["last", "first", "error"] = "last",
        non_finite: Literal["constant", "error", "null"] = "constant",
        big_integers: Literal["exact", "float", "str", "error"] = "exact",
        integer_bits: Literal[64, 53] = 64,
        surrogates: Literal["keep", "error", "replace"] = "keep",
        max_depth: int | None = None,
    ) -> Decoder[_T]: ...
    @overload
    def __new__(
        cls,
        type: TypeForm[_T],
        *,
        strict: bool = True,
        unknown: Literal["ignore", "forbid"] = "ignore",
        rules: Mapping[Any, Rules] | None = None,
        convert: Mapping[Any, Convert] | None = None,
        max_errors: int = 100,
        duplicate_keys: Literal["last", "first", "error"] = "last",
        non_finite: Literal["constant", "error", "null"] = "constant",
        big_integers: Literal["exact", "float", "str", "error"] = "exact",
        integer_bits: Literal[64, 53] = 64,
        surrogates: Literal["keep", "error", "replace"] = "keep",
        max_depth: int | None = None,
    ) -> Decoder[_T]: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    @property
    def type(self) -> Any: ...
    def decode(self, data: str | Buffer, /) -> _T:
        """The value of a document: `str`, or a buffer of UTF-8, UTF-16 or UTF-32.

        Raises ValidationError where the document is JSON and its values are not of the type, and what `loads` raises.
        """

@final
class Encoder:
    """Encodes values of one type: what `dumps_to_bytes` does with `type=`, compiled once. It cannot be changed, and threads may share it.

    `type`: what the values are declared to be. It tells what is said in annotations: names, conversions, what is left out. Nothing is
    checked: a value that is something else is written as what it is.
    `rules`, `convert`: as of a `Decoder`. The others are the keywords of `dumps_to_bytes`.

    >>> from dataclasses import dataclass
    >>> from typing import Annotated
    >>> @dataclass
    ... class Person:
    ...     first_name: Annotated[str, Alias("firstName")]
    >>> Encoder(Person).encode(Person("Ada"))
    b'{"firstName":"Ada"}'
    """

    def __new__(
        cls,
        type: TypeForm[Any],
        /,
        *,
        rules: Mapping[Any, Rules] | None = None,
        convert: Mapping[Any, Convert] | None = None,
        skipkeys: bool = False,
        ensure_ascii: bool = False,
        check_circular: bool = True,
        allow_nan: bool = True,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        default: Callable[[Any], Any] | None = ...,
        sort_keys: bool = False,
        is_write_cache: bool | None = None,
    ) -> Encoder: ...
    def encode(self, obj: Any, /) -> bytes:
        """The JSON text of `obj` in UTF-8. Raises what `dumps_to_bytes` raises."""

    def encode_str(self, obj: Any, /) -> str:
        """The JSON text of `obj`, a `str` of the same characters. Raises what `dumps` raises."""

def dumps(
    obj: Any,
    *,
    type: TypeForm[Any] | None = None,
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

    `type`: what `obj` is declared to be. It stands for `default=ocior.default`, where no other is given, and tells what is said in
    annotations: names, conversions, what is left out. Nothing is checked: what stands in its place is written as what it is.

    Raises TypeError for a type (or a key's type) that JSON has not, ValueError for a circular reference, or for NaN
    and the infinities with `allow_nan=False`, RecursionError for too deep nesting.

    >>> dumps({"a": [1, 2.5, None], "b": "é"})
    '{"a": [1, 2.5, null], "b": "\\\\u00e9"}'
    """

def dump(
    obj: Any,
    fp: SupportsWrite[str] | SupportsWrite[bytes],
    *,
    type: TypeForm[Any] | None = None,
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
    type: TypeForm[Any] | None = None,
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
    """Encodes `obj` as UTF-8 JSON. Takes every keyword of `dumps`, `type` among them, but is compact and unescaped unless told otherwise:
    `ensure_ascii=False` and, without `indent`, `separators=(",", ":")` are its defaults.

    `is_write_cache` says, for this call, whether strings may keep the UTF-8 form that was made of them, for others who ask
    CPython for it; it costs memory as long as they live. None means the default that `write_utf8_cache` set. A form that
    is already there is read where that is quicker: in strings with characters beyond U+FFFF and, without AVX-512, in long
    ones.

    Raises what `dumps` raises, and a ValueError (UnicodeEncodeError) that names the position for a lone surrogate.

    >>> dumps_to_bytes({"a": [1, 2.5, None], "b": "é"}).decode()
    '{"a":[1,2.5,null],"b":"é"}'
    """

class RecordError(JSONDecodeError):
    """A record of a stream that is no JSON, or not what was asked for: a JSONDecodeError, and so a ValueError.

    `msg`: what is wrong. `doc`: the record as text. `pos`, `colno`: where in it, in characters from 0, and in its line from 1.
    `lineno`: the line of the source, or of the Part that was read, from 1.
    `offset`: how many uncompressed bytes of the source stand before the record. `record`: how many records do.
    `source`: the path or name of the source, None where it has none.
    `path`, `snippet`: as those of a JSONDecodeError, None where nothing is known.

    What is known of the reason otherwise, a ValidationError or a UnicodeDecodeError, is the `__cause__`. It can be pickled.

    >>> try:
    ...     lines.loads('{"id": 1}\\n{"id": x}\\n')
    ... except RecordError as error:
    ...     print(error)
    Expecting value: line 2 column 8 (char 7 of the record at byte 10)
    """

    offset: int
    record: int
    source: str | None
    path: str | None  # type: ignore[assignment]
    snippet: str | None  # type: ignore[assignment]
    def __init__(
        self,
        msg: str,
        doc: str,
        pos: int,
        lineno: int = 1,
        offset: int = 0,
        record: int = 0,
        source: str | None = None,
        path: str | None = None,
        snippet: str | None = None,
    ) -> None: ...

class PointerError(LookupError):
    """A JSON Pointer, `pointer`, that leads to nothing in a document, or not to what was asked for.

    >>> try:
    ...     at('{"a": 1}', "/b")
    ... except PointerError as error:
    ...     print(error, error.pointer)
    no value at '/b' /b
    """

    pointer: str
    def __init__(self, pointer: str, message: str | None = None) -> None: ...

@overload
def at(
    data: str | Buffer,
    pointers: str,
    *,
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
    default: Any = ...,
    check: bool = True,
) -> Any:
    """What a JSON Pointer (RFC 6901) leads to in the JSON document in `data`, of which nothing else is made.

    `data`: what `loads` takes.
    `pointers`: a `str`, which gives the value, or several of them, which give a tuple.
    `default`: stands for a value that is not there.
    `check`: false stops reading once all values are found; what follows may be anything, and the first of equal keys counts. Else the whole
    document is checked, and the last counts.
    The others are keywords of `loads`. Of what no pointer leads to only the grammar is checked, and what `non_finite` and `surrogates`
    forbid.

    Raises what `loads` raises, PointerError where there is neither a value nor a default, ValueError for what is no pointer.

    >>> at('{"a": [1, {"b": 2.5}]}', "/a/1/b")
    2.5
    >>> at('{"a": [1, {"b": 2.5}]}', ("/a/0", "/c"), default=None)
    (1, None)
    """

@overload
def at(
    data: str | Buffer,
    pointers: Iterable[str],
    *,
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
    default: Any = ...,
    check: bool = True,
) -> tuple[Any, ...]: ...
def view(data: str | Buffer, **options: Unpack[_LoadsOptions]) -> Any:
    """A view of the JSON document in `data`, which is what `loads` takes: of an object a `Mapping`, of an array a `Sequence`, of anything
    else the value itself.

    The document is checked as a whole at once, so that reading from the view raises nothing more; a buffer that others may write into is
    copied. The parts of an object or array are found when one of them is asked for first, and strings, numbers and words are read each time
    they are asked for: a view that is used again is worth keeping. The keywords are those of `loads`. Hooks are called when what they
    change is read, so those for objects and arrays only by `load()`.

    `view.at(pointer, default=...)` is what a JSON Pointer leads to from there, `view.load()` the plain object. A view is equal to what
    `load()` gives; copied or pickled it becomes that.

    Raises what `loads` raises for the document.

    >>> lazy = view('{"id": 7, "tags": ["a", "b"]}')
    >>> lazy["id"], lazy["tags"][-1], lazy.at("/tags/0"), len(lazy)
    (7, 'b', 'a', 2)
    """

@overload
def values(
    source: _Source,
    *,
    fields: None = None,
    type: None = None,
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_AnyOptions],
) -> Reader[Any]:
    """A Reader of the JSON values of a source, which may span lines, with white space, nothing, or record separators (RFC 7464) between
    them. Arguments and errors are those of `lines.read`.

    A value whose brackets do not close reaches to the next record separator, or to the end.

    >>> list(values([b'{"id": 1}{"id":', b' 2} [3] "x"']))
    [{'id': 1}, {'id': 2}, [3], 'x']
    """

@overload
def values(
    source: _Source,
    *,
    type: type[_T],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_RecordOptions],
) -> Reader[_T]: ...
@overload
def values(
    source: _Source,
    *,
    type: TypeForm[_T],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_RecordOptions],
) -> Reader[_T]: ...
@overload
def values(
    source: _Source,
    *,
    fields: str,
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_FieldOptions],
) -> Reader[Any]: ...
@overload
def values(
    source: _Source,
    *,
    fields: Sequence[str],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_FieldOptions],
) -> Reader[tuple[Any, ...]]: ...
@overload
def items(
    source: _Source,
    at: str = "",
    *,
    fields: Sequence[str] | None = None,
    type: None = None,
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_AnyOptions],
) -> Reader[Any]:
    """A Reader of the items of one array, or the pairs (key, value) of one object, in a document, which need not fit into memory.

    `at`: a JSON Pointer (RFC 6901) to it, the whole document if empty; of equal keys on the way the first counts. What stands before it is
    checked and passed over; the reading ends where the array or object does.
    `type`, `fields`: are about an item, or the value of a pair. Checkers take a type for that of what comes, which of an object is a pair.
    The others are those of `lines.read`.

    The Reader raises PointerError where the pointer leads to no array or object, and RecordError for what is wrong.

    >>> list(items([b'{"rows": [{"id": 1}, {"id"', b': 2}], "more": 0}'], "/rows"))
    [{'id': 1}, {'id': 2}]
    >>> list(items('{"rows": [], "more": 0}'.encode()))
    [('rows', []), ('more', 0)]
    """

@overload
def items(
    source: _Source,
    at: str = "",
    *,
    type: type[_T],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_RecordOptions],
) -> Reader[_T]: ...
@overload
def items(
    source: _Source,
    at: str = "",
    *,
    type: TypeForm[_T],
    compression: Literal["infer", "gzip", "bz2", "xz", "zstd"] | None = "infer",
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[_RecordOptions],
) -> Reader[_T]: ...

@final
class Feed(Generic[_T]):
    """Reads JSON values out of a text that comes in chunks: one behind the other, with white space, nothing, or record separators (RFC 7464)
    between them. The keywords are those of `lines.loads`.

    Takes time in proportion to the text, however small the chunks are.

    >>> feed = Feed()
    >>> feed.push('{"a": [1, 2, "thr')
    []
    >>> feed.snapshot()
    {'a': [1, 2, 'thr']}
    >>> feed.push('ee"]} 7'), feed.close()
    ([{'a': [1, 2, 'three']}], [7])
    """

    @overload
    def __new__(cls, /, *, fields: None = None, type: None = None, **options: Unpack[_AnyOptions]) -> Feed[Any]: ...
    @overload
    def __new__(cls, /, *, type: builtins.type[_T], **options: Unpack[_RecordOptions]) -> Feed[_T]: ...
    @overload
    def __new__(cls, /, *, type: TypeForm[_T], **options: Unpack[_RecordOptions]) -> Feed[_T]: ...
    @overload
    def __new__(cls, /, *, fields: str, **options: Unpack[_FieldOptions]) -> Feed[Any]: ...
    @overload
    def __new__(cls, /, *, fields: Sequence[str], **options: Unpack[_FieldOptions]) -> Feed[tuple[Any, ...]]: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    def push(self, chunk: str | Buffer, /) -> list[_T]:
        """The list of the values that have become complete by a chunk of text, cut anywhere.

        Raises RecordError for a value that is wrong; where others are complete before it in the chunk, these are returned, and the next
        call raises. Raises ValueError after `close()`, and after an error.
        """

    def close(self) -> list[_T]:
        """The list of the values that the end of the text completes, such as a number.

        Raises RecordError where the text ends inside of a value.
        """

    def snapshot(self, strings: bool = True) -> Any:
        """What has come so far of the value that is not complete: open lists and dicts with what is complete in them, and, unless `strings`
        is false, the beginning of an open string.

        No half number, word, key or surrogate pair; None where nothing can be told. Neither hooks nor the type count. Lists and dicts that
        are complete are the same objects in each snapshot. Takes time in proportion to what is open.

        Raises JSONDecodeError where the text is wrong.
        """

    @property
    def skipped(self) -> int:
        """How many bad values were passed over, with `on_error`."""

    @property
    def dropped(self) -> int:
        """How many bytes of a torn end were dropped, with `tail`."""

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
