"""The groups of the report: one kind of work each, with the call of `json` that defines its result."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from ocior.bench.documents import Document

_COMPACT = (",", ":")


@dataclass(frozen=True)
class Group:
    name: str
    title: str
    fresh: Callable[[Document], object]  # the argument of one call
    reference: Callable[..., object]  # what `json` makes of it; ocior's text has to be the same
    decodes: bool  # whether the result is a value, not text

    def checker(self, document):
        """A function (result, is_ocior) that says what is wrong with a result, in words, or None."""
        expected = document.value if self.decodes else self.reference(document.value)

        def check(result, is_ocior):
            if self.decodes:
                return None if document.is_same(result) else "decodes to other values than json"
            if type(result) is not type(expected):
                return f"gives {type(result).__name__} instead of {type(expected).__name__}"
            if result == expected:
                return None
            if is_ocior:
                return "gives another text than json.dumps"
            return None if document.is_same(json.loads(result)) else "encodes to text of other values"

        return check


def dumps_compact(obj):
    return json.dumps(obj, ensure_ascii=False, separators=_COMPACT)


def dumps_indented(obj):
    return json.dumps(obj, ensure_ascii=False, indent=2)


def dumps_escaped(obj):
    return json.dumps(obj, separators=_COMPACT)


GROUPS = (
    Group("loads_bytes", "loads(bytes)", Document.fresh_bytes, json.loads, True),
    Group("loads_str", "loads(str)", Document.fresh_str, json.loads, True),
    Group("dumps_bytes", "dumps to bytes", Document.fresh_object, lambda obj: dumps_compact(obj).encode(), False),
    Group("dumps_str", "dumps to str", Document.fresh_object, dumps_compact, False),
    Group(
        "dumps_bytes_indent",
        "dumps to bytes, indent=2",
        Document.fresh_object,
        lambda obj: dumps_indented(obj).encode(),
        False,
    ),
    Group("dumps_str_indent", "dumps to str, indent=2", Document.fresh_object, dumps_indented, False),
    Group("dumps_ascii", "dumps to str, ensure_ascii", Document.fresh_object, dumps_escaped, False),
)
