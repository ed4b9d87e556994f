"""The place of `json.encoder`: JSONEncoder at native speed, and json's own names for the rest."""

import json
from collections.abc import Callable, Iterator
from inspect import Signature
from typing import Any, ClassVar

__all__ = ["JSONEncoder", "encode_basestring", "encode_basestring_ascii"]

class _Encoder:
    def __init__(
        self,
        *,
        skipkeys: bool = False,
        ensure_ascii: bool = True,
        check_circular: bool = True,
        allow_nan: bool = True,
        sort_keys: bool = False,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        default: Callable[[Any], Any] | None = None,
    ) -> None: ...

class JSONEncoder(_Encoder, json.JSONEncoder):
    """Encodes Python values as JSON text; for those who keep their settings in an object, or who derive a class from it.

    The keywords, attributes and methods are those of `json.JSONEncoder`, from which it derives. The settings are compiled
    once per object, and again when an attribute changes. A class that overrides `default`, or nothing, encodes at the
    native speed; one that overrides `encode` or `iterencode` gets from `super()` what json gives, piece by piece.

    >>> class Encoder(JSONEncoder):
    ...     def default(self, o):
    ...         return sorted(o) if isinstance(o, set) else super().default(o)
    >>> Encoder(indent=None).encode({"odd": {3, 1}})
    '{"odd": [1, 3]}'
    """

    __signature__: ClassVar[Signature]

    def encode(self, o: Any) -> str:
        """`o` as JSON text. Raises what `ocior.dumps` raises.

        >>> JSONEncoder().encode({"a": [1, 2.5, None]})
        '{"a": [1, 2.5, null]}'
        """

    def iterencode(self, o: Any, _one_shot: bool = False) -> Iterator[str]:
        """The text of `o` in pieces of some 100 KB, each made when it is asked for. What fails, fails after the pieces before
        it.

        >>> "".join(JSONEncoder().iterencode([1, {"a": None}]))
        '[1, {"a": null}]'
        """

    def __getstate__(self) -> dict[str, Any]: ...

def encode_basestring(string: str, /) -> str:
    """The string as JSON text, characters beyond ASCII left as they are.

    >>> encode_basestring('say "é"')
    '"say \\\\"é\\\\""'
    """

def encode_basestring_ascii(string: str, /) -> str:
    """The string as JSON text in ASCII.

    >>> encode_basestring_ascii("é")
    '"\\\\u00e9"'
    """

c_encode_basestring = encode_basestring
c_encode_basestring_ascii = encode_basestring_ascii

def py_encode_basestring(s: str) -> str:
    """json's own `encode_basestring` in Python.

    >>> py_encode_basestring("a")
    '"a"'
    """

def py_encode_basestring_ascii(s: str) -> str:
    """json's own `encode_basestring_ascii` in Python.

    >>> py_encode_basestring_ascii("é")
    '"\\\\u00e9"'
    """

c_make_encoder: Callable[..., Any]

def __getattr__(name: str) -> Any: ...
