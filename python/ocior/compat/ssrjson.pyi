"""ssrjson 0.0.24's interface: `import ocior.compat.ssrjson as ssrjson` is the whole migration."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

__version__: str

def dumps(obj: Any, *, indent: int | None = None, **ignored: Any) -> str:
    """Converts arbitrary object recursively into JSON. Raises JSONEncodeError.

    `indent` is 2, 4 or None. Other keywords of json.dumps are ignored with a line on the standard error, or refused with TypeError
    after strict_argparse(True).
    """

def dumps_to_bytes(obj: Any, *, indent: int | None = None, is_write_cache: bool = ...) -> bytes:
    """Converts arbitrary object recursively into JSON. Raises JSONEncodeError.

    `is_write_cache` says whether the UTF-8 form of a str that is not ASCII is kept in that str.
    """

def loads(
    s: str | bytes | bytearray,
    *,
    object_hook: Callable[[dict[str, Any]], Any] | None = None,
    array_hook: Callable[[list[Any]], Any] | None = None,
    **ignored: Any,
) -> Any:
    """Converts JSON as string to dict object structure. Raises JSONDecodeError."""

class JSONDecodeError(ValueError): ...
class JSONEncodeError(ValueError): ...

def get_current_features() -> dict[str, Any]:
    """Get current features."""

def setup_numpy_types(numpy_module: ModuleType = ..., /) -> None:
    """Setup numpy type support. Pass the numpy module or call without arguments to auto-import numpy."""

def strict_argparse(value: bool, /) -> None:
    """Set strict argument parsing mode. Default is False."""

def suppress_api_warning() -> None:
    """Suppress warning when invalid arguments received."""

def write_utf8_cache(value: bool, /) -> None:
    """Set whether to write UTF-8 cache when calling dumps_to_bytes(). Default is True."""

__all__ = [
    "JSONDecodeError",
    "JSONEncodeError",
    "__version__",
    "dumps",
    "dumps_to_bytes",
    "get_current_features",
    "loads",
    "setup_numpy_types",
    "strict_argparse",
    "suppress_api_warning",
    "write_utf8_cache",
]
