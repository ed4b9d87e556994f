"""The place of `json.scanner`: make_scanner is native, the rest is json's own."""

from json import scanner as _json_scanner

from ocior import _core

make_scanner = c_make_scanner = _core.Scanner
py_make_scanner = _json_scanner.py_make_scanner
NUMBER_RE = _json_scanner.NUMBER_RE

__all__ = ["make_scanner"]


def __getattr__(name):
    return getattr(_json_scanner, name)
