"""The place of `json.scanner`: make_scanner is native, the rest is json's own."""

from json import scanner as _json_scanner

from ocior import _core
from ocior._remaining import remaining_names

make_scanner = c_make_scanner = _core.Scanner
py_make_scanner = _json_scanner.py_make_scanner
NUMBER_RE = _json_scanner.NUMBER_RE

__all__ = ["make_scanner"]

globals().update(remaining_names(_json_scanner, globals()))
del remaining_names
