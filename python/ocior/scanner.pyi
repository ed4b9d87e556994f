"""The place of `json.scanner`: make_scanner is native, the rest is json's own."""

import re
from collections.abc import Callable
from typing import Any, Final

from typing_extensions import disjoint_base

__all__ = ["make_scanner"]

@disjoint_base
class c_make_scanner:
    """Reads one value at a time: `scanner(string, idx)` is `(value, end)`, the value that starts at `string[idx]` and the index
    behind it. `context`, a JSONDecoder as a rule, gives the attributes below, which are captured.

    Raises StopIteration with the index where there is no value, JSONDecodeError for other mistakes.

    >>> from ocior import JSONDecoder
    >>> make_scanner(JSONDecoder())("[1, 2] [3]", 0)
    ([1, 2], 6)
    """

    def __new__(cls, context: Any) -> c_make_scanner: ...
    def __call__(self, string: str, idx: int) -> tuple[Any, int]: ...
    @property
    def strict(self) -> bool: ...
    @property
    def object_hook(self) -> Callable[[dict[str, Any]], Any] | None: ...
    @property
    def object_pairs_hook(self) -> Callable[[list[tuple[str, Any]]], Any] | None: ...
    @property
    def parse_float(self) -> Callable[[str], Any]: ...
    @property
    def parse_int(self) -> Callable[[str], Any]: ...
    @property
    def parse_constant(self) -> Callable[[str], Any]: ...
    @property
    def array_hook(self) -> Callable[[list[Any]], Any] | None: ...

make_scanner = c_make_scanner

def py_make_scanner(context: Any) -> Callable[[str, int], tuple[Any, int]]:
    """json's own scanner in Python, which calls the context's parse_object, parse_array and parse_string.

    >>> from ocior import JSONDecoder
    >>> py_make_scanner(JSONDecoder())("[1] [2]", 0)
    ([1], 3)
    """

NUMBER_RE: Final[re.Pattern[str]]

def __getattr__(name: str) -> Any: ...
