"""The layouts of text that the tests go through: by name, the keywords of dumps that ask for one. What fails then has the layout's name."""

import pytest

LAYOUTS = {
    "json": {},  # its own: escaped, on one line, a space behind each comma and colon
    "compact": {"separators": (",", ":")},
    "spaced": {"separators": (" , ", " : ")},
    "unescaped": {"ensure_ascii": False},
    "compact unescaped": {"ensure_ascii": False, "separators": (",", ":")},
    "lines": {"indent": 0},
    "indent 1": {"indent": 1},
    "indent 2": {"indent": 2},
    "indent 1 unescaped": {"ensure_ascii": False, "indent": 1},
    "tabs": {"indent": "\t"},
    "sorted": {"sort_keys": True},
    # These leave the text as it is, and take other ways to it.
    "skipping keys": {"skipkeys": True},
    "no circles sought": {"check_circular": False},
    "finite": {"allow_nan": False},
}


def layouts(*names):
    """The keywords of these layouts."""
    return [LAYOUTS[name] for name in names]


def each_layout(*names, argument="keywords"):
    """A mark: the test is run once for each of these layouts, whose keywords it takes in this argument."""
    return pytest.mark.parametrize(argument, layouts(*names), ids=names)
