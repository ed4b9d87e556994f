"""orjson 3.13's interface: `import ocior.compat.orjson as orjson` is the whole migration."""

import json
from collections.abc import Callable
from typing import Any, Final, final

__version__: Final[str]

def dumps(obj: Any, /, default: Callable[[Any], Any] | None = None, option: int | None = None) -> bytes:
    """Serialize Python objects to JSON. Raises JSONEncodeError."""

def loads(obj: bytes | bytearray | memoryview | str, /) -> Any:
    """Deserialize JSON to Python objects. Raises JSONDecodeError."""

class JSONDecodeError(json.JSONDecodeError): ...

JSONEncodeError = TypeError

@final
class Fragment:
    """JSON that is ready, a str or bytes, and trusted."""

    def __new__(cls, contents: str | bytes, /) -> Fragment: ...
    @property
    def contents(self) -> str | bytes: ...

OPT_APPEND_NEWLINE: Final[int]
OPT_INDENT_2: Final[int]
OPT_NAIVE_UTC: Final[int]
OPT_NON_STR_KEYS: Final[int]
OPT_OMIT_MICROSECONDS: Final[int]
OPT_PASSTHROUGH_DATACLASS: Final[int]
OPT_PASSTHROUGH_DATETIME: Final[int]
OPT_PASSTHROUGH_SUBCLASS: Final[int]
OPT_SERIALIZE_DATACLASS: Final[int]
OPT_SERIALIZE_NUMPY: Final[int]
OPT_SERIALIZE_UUID: Final[int]
OPT_SORT_KEYS: Final[int]
OPT_STRICT_INTEGER: Final[int]
OPT_UTC_Z: Final[int]

__all__ = (
    "Fragment",
    "JSONDecodeError",
    "JSONEncodeError",
    "OPT_APPEND_NEWLINE",
    "OPT_INDENT_2",
    "OPT_NAIVE_UTC",
    "OPT_NON_STR_KEYS",
    "OPT_OMIT_MICROSECONDS",
    "OPT_PASSTHROUGH_DATACLASS",
    "OPT_PASSTHROUGH_DATETIME",
    "OPT_PASSTHROUGH_SUBCLASS",
    "OPT_SERIALIZE_DATACLASS",
    "OPT_SERIALIZE_NUMPY",
    "OPT_SERIALIZE_UUID",
    "OPT_SORT_KEYS",
    "OPT_STRICT_INTEGER",
    "OPT_UTC_Z",
    "__version__",
    "dumps",
    "loads",
)
