"""ujson 6.1's interface: `import ocior.compat.ujson as ujson` is the whole migration."""

from collections.abc import Callable
from typing import Any, Final, Protocol

class _Reader(Protocol):
    def read(self) -> str | bytes | bytearray: ...

class _Writer(Protocol):
    def write(self, text: str, /) -> object: ...

__version__: Final[str]

def dumps(
    obj: Any,
    ensure_ascii: bool = True,
    encode_html_chars: bool = False,
    escape_forward_slashes: bool = True,
    sort_keys: bool = False,
    indent: int = 0,
    allow_nan: bool = True,
    reject_bytes: bool = True,
    default: Callable[[Any], Any] | None = None,
    separators: tuple[str, str] | None = None,
) -> str:
    """The JSON text of obj. Raises TypeError, OverflowError."""

def encode(
    obj: Any,
    ensure_ascii: bool = True,
    encode_html_chars: bool = False,
    escape_forward_slashes: bool = True,
    sort_keys: bool = False,
    indent: int = 0,
    allow_nan: bool = True,
    reject_bytes: bool = True,
    default: Callable[[Any], Any] | None = None,
    separators: tuple[str, str] | None = None,
) -> str:
    """The same as dumps."""

def dump(
    obj: Any,
    fp: _Writer,
    /,
    *,
    ensure_ascii: bool = True,
    encode_html_chars: bool = False,
    escape_forward_slashes: bool = True,
    sort_keys: bool = False,
    indent: int = 0,
    allow_nan: bool = True,
    reject_bytes: bool = True,
    default: Callable[[Any], Any] | None = None,
    separators: tuple[str, str] | None = None,
) -> None:
    """Writes the JSON text of obj to a file, by one call of its write()."""

def loads(obj: str | bytes | bytearray) -> Any:
    """The value of the JSON document in obj. Raises JSONDecodeError."""

def decode(obj: str | bytes | bytearray) -> Any:
    """The same as loads."""

def load(fp: _Reader, /) -> Any:
    """The value of the JSON document that fp.read() gives."""

class JSONDecodeError(ValueError): ...

__all__ = ("JSONDecodeError", "__version__", "decode", "dump", "dumps", "encode", "load", "loads")
