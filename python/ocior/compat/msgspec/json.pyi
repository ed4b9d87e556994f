"""The interface of `msgspec.json`: what ocior refuses, msgspec is asked again."""

import builtins
from collections.abc import Callable, Iterable
from decimal import Decimal
from types import GenericAlias
from typing import Any, Generic, Literal, TypeVar, final, overload

from msgspec.json import format as format
from msgspec.json import schema as schema
from msgspec.json import schema_components as schema_components
from typing_extensions import Buffer

__all__ = ["Decoder", "Encoder", "decode", "encode", "format", "schema", "schema_components"]

_T = TypeVar("_T")

@final
class Encoder:
    """As `msgspec.json.Encoder`. With `decimal_format`, `uuid_format` or `order`, msgspec writes.

    A hook is called again for a value that ocior refuses.
    """

    def __new__(
        cls,
        *,
        enc_hook: Callable[[Any], Any] | None = None,
        decimal_format: Callable[[Decimal], Any] | Literal["string", "number"] = "string",
        uuid_format: Literal["canonical", "hex"] = "canonical",
        order: Literal["deterministic", "sorted"] | None = None,
    ) -> Encoder: ...
    @property
    def enc_hook(self) -> Callable[[Any], Any] | None: ...
    @property
    def decimal_format(self) -> Callable[[Decimal], Any] | Literal["string", "number"]: ...
    @property
    def uuid_format(self) -> Literal["canonical", "hex"]: ...
    @property
    def order(self) -> Literal["deterministic", "sorted"] | None: ...
    def encode(self, obj: Any, /) -> bytes:
        """`obj` as JSON, in UTF-8. Raises what msgspec raises."""

    def encode_lines(self, items: Iterable[Any], /) -> bytes:
        """Each item as a line of JSON."""

    def encode_into(self, obj: Any, buffer: bytearray, offset: int = 0, /) -> None:
        """Writes `obj` as JSON into `buffer`, from byte `offset` on, or behind its end where that is -1; the buffer ends there."""

@final
class Decoder(Generic[_T]):
    """As `msgspec.json.Decoder`. With `float_hook`, msgspec reads.

    A hook is called again for a document that ocior refuses.
    """

    @overload
    def __new__(
        cls,
        type: builtins.type[_T],
        *,
        strict: bool = True,
        dec_hook: Callable[[builtins.type, Any], Any] | None = None,
        float_hook: Callable[[str], Any] | None = None,
    ) -> Decoder[_T]: ...
    @overload
    def __new__(
        cls,
        type: Any = ...,
        *,
        strict: bool = True,
        dec_hook: Callable[[builtins.type, Any], Any] | None = None,
        float_hook: Callable[[str], Any] | None = None,
    ) -> Decoder[Any]: ...
    @property
    def type(self) -> builtins.type[_T]: ...
    @property
    def strict(self) -> bool: ...
    @property
    def dec_hook(self) -> Callable[[builtins.type, Any], Any] | None: ...
    @property
    def float_hook(self) -> Callable[[str], Any] | None: ...
    def decode(self, buf: Buffer | str, /) -> _T:
        """The value of a document. Raises what msgspec raises; DecodeError, too, where msgspec skips what is no JSON."""

    def decode_lines(self, buf: Buffer | str, /) -> list[_T]:
        """The values of a text that has one in each line."""

    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@overload
def decode(
    buf: Buffer | str, /, *, type: builtins.type[_T], strict: bool = True, dec_hook: Callable[[builtins.type, Any], Any] | None = None
) -> _T:
    """The value of a document, as `Decoder(type).decode` gives it. The decoders of the last 64 types are kept."""

@overload
def decode(
    buf: Buffer | str, /, *, type: Any = ..., strict: bool = True, dec_hook: Callable[[builtins.type, Any], Any] | None = None
) -> Any: ...
def encode(obj: Any, /, *, enc_hook: Callable[[Any], Any] | None = None, order: Literal["deterministic", "sorted"] | None = None) -> bytes:
    """`obj` as JSON, in UTF-8. Raises what msgspec raises."""
