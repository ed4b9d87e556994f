"""The groups of the report: one kind of work each, with the call of `json` that defines its result."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from time import perf_counter, process_time

from ocior.bench import rich_calls, stream_calls, table_calls, typed_calls
from ocior.bench.documents import Document
from ocior.bench.rich_types import RichDocument
from ocior.bench.stream_records import StreamDocument, fresh_chunks
from ocior.bench.table_records import TableDocument
from ocior.bench.table_same import Differs, difference
from ocior.bench.typed_types import TypedDocument, is_same

_COMPACT = (",", ":")
# Of a stream of many small documents so many results are checked.
_CHECKED_PARTS = 2000
# By how many processors a call may seem to be above its threads, and how long it has to last to tell.
_MORE_THREADS, _LEAST_SECONDS = 0.3, 0.1


@dataclass(frozen=True)
class Group:
    name: str
    title: str
    fresh: Callable[..., list]  # (document, limit): arguments of one call each, one per part of the document
    reference: Callable[..., object]  # what `json` makes of one; ocior's text has to be the same
    decodes: bool  # whether the result is a value, not text
    is_main: bool = True  # measured unless other groups are asked for
    needs_non_ascii: bool = False  # means something only where strings have a UTF-8 form of their own

    sort = "json"  # of the documents that it is about
    has_peak = False  # whether memory is measured on documents of kinds
    small = None  # of a group that has it: the bytes of a small document, by which a call is warmed up

    def suits(self, document):
        """Whether the group is about documents of this sort."""
        return document.sort == self.sort

    def call_of(self, calls, document):
        """The call by which a library does this work on that document, or None. `calls` are those of its adapter."""
        return calls.get(self.name)

    def checker(self, document):
        """A function (call, is_ocior) that says what is wrong with the call's results, in words, or None."""
        parts = document.parts[:_CHECKED_PARTS]
        values = [json.loads(part) for part in parts]
        expected = values if self.decodes else list(map(self.reference, values))
        frozen = [document.freeze_exactly(value) for value in values]

        def check_one(result, wanted, exact, is_ocior):
            if self.decodes:
                return None if document.is_same(result, exact) else "decodes to other values than json"
            if type(result) is not type(wanted):
                return f"gives {type(result).__name__} instead of {type(wanted).__name__}"
            if result == wanted:
                return None
            if is_ocior:
                return "gives another text than json.dumps"
            return None if document.is_same(json.loads(result), exact) else "encodes to text of other values"

        def check(call, is_ocior):
            for argument, wanted, exact in zip(self.fresh(document, _CHECKED_PARTS), expected, frozen):
                problem = check_one(call(argument), wanted, exact, is_ocior)
                if problem is not None:
                    return problem
            return None

        return check


@dataclass(frozen=True)
class RichGroup(Group):
    """Encodes documents of rich types. An adapter's calls, and the reference, are chosen by the kind of document."""

    without: frozenset = frozenset()  # kinds that need one of these are not for this group
    like: str = ""  # the group whose calls those take who have none of their own
    is_own_format: bool = True  # whether ocior has to write the first of the forms that count as right
    sort = "rich"

    def suits(self, document):
        return document.sort == self.sort and not self.without & document.kind.needs

    def call_of(self, calls, document):
        choose = calls.get(self.name) or calls.get(self.like)
        return choose and choose(document.kind)

    def checker(self, document):
        texts = [dumps_compact(twin) for twin in document.twins]
        frozen = [document.freeze_exactly(twin) for twin in document.twins]
        wanted = str if isinstance(self.reference(document.kind)(document.value), str) else bytes

        def check(call, is_ocior):
            (argument,) = self.fresh(document)
            result = call(argument)
            if type(result) is not wanted:
                return f"gives {type(result).__name__} instead of {wanted.__name__}"
            text = result.decode() if wanted is bytes else result
            if is_ocior and document.kind.is_exact and text not in (texts[:1] if self.is_own_format else texts):
                return "gives another text than json.dumps of the plain twin"
            value = json.loads(text)
            return None if any(document.is_same(value, one) for one in frozen) else "encodes to text of other values than the plain twin's"

        return check


@dataclass(frozen=True)
class TwinGroup(Group):
    """Encodes the plain twins of those documents, by the calls of another group: what the rich types cost is told by it."""

    like: str = ""
    sort = "rich"

    def call_of(self, calls, document):
        return calls.get(self.like)


@dataclass(frozen=True)
class TypedGroup(Group):
    """Decodes documents into the types that are declared for them, or encodes what they become. An adapter's calls, and the reference, are
    chosen by the kind of document."""

    sort = "typed"

    def suits(self, document):
        return document.sort == self.sort and (self.decodes or document.kind.encodes)

    def call_of(self, calls, document):
        choose = calls.get(self.name)
        return choose and choose(document.kind)

    def checker(self, document):
        return self._decoded_checker(document) if self.decodes else self._encoded_checker(document)

    def _decoded_checker(self, document):
        expected = document.value

        def check(call, is_ocior):
            (argument,) = self.fresh(document)
            return None if is_same(call(argument), expected) else "decodes to other values than code by hand"

        return check

    def _encoded_checker(self, document):
        texts = [dumps_compact(twin) for twin in document.twins]
        wanted = type(self.reference(document.kind)(document.value))

        def check(call, is_ocior):
            (argument,) = self.fresh(document)
            result = call(argument)
            if type(result) is not wanted:
                return f"gives {type(result).__name__} instead of {wanted.__name__}"
            text = result.decode() if wanted is bytes else result
            if is_ocior and text != texts[0]:
                return "gives another text than json.dumps of the plain twin"
            value = json.loads(text)
            if any(is_same(value, twin) for twin in document.twins):
                return None
            return "encodes to text of other values than the plain twin's"

        return check


@dataclass(frozen=True)
class StreamGroup(Group):
    """Goes through records, or writes them. What is right is what the reference makes of the document."""

    has_peak: bool = False
    sort = "stream"
    small = b"[1]\n"  # both an array of one item and a line

    def suits(self, document):
        return document.sort == self.sort and not document.kind.is_partial

    def checker(self, document):
        expected = document.freeze_exactly(self.result(self.reference, document))

        def check(call, is_ocior):
            return None if document.is_same(self.result(call, document), expected) else "gives other records than json"

        return check

    def result(self, call, document):
        """What a call makes of the document; where it goes through records, the list of them."""
        (argument,) = self.fresh(document)
        read = getattr(call, "read", None)
        return list(read(argument)) if read else call(argument)


@dataclass(frozen=True)
class SnapshotGroup(StreamGroup):
    """Reads an array while it comes. All elements but the last, which may be incomplete, are known."""

    def suits(self, document):
        return document.sort == self.sort and document.kind.is_partial

    def checker(self, document):
        values = document.value

        def check(call, is_ocior):
            *parts, last = self.result(call, document)
            if not document.is_same(last):
                return "gives another value than json at the end"
            exact = all(document.is_same(part[:-1], document.freeze_exactly(values[: len(part) - 1])) for part in parts)
            grows = all(map(lambda one, next_one: 0 < len(one) <= len(next_one), parts, [*parts[1:], last]))
            return None if exact and grows else "gives other elements than json while the array comes"

        return check


@dataclass(frozen=True)
class TableGroup(Group):
    """Makes a table of lines, or lines of a table. A peer that gives other columns is measured, and takes no part in who is the fastest; one
    that works with more threads than the group has is not."""

    has_peak: bool = False
    threads: int = 1
    sort = "table"
    small = b'{"a":1}\n'

    def checker(self, document):
        expected = self.reference(*self.fresh(document))

        def check(call, is_ocior):
            call(*self.fresh(document))  # imports, and starts threads
            cpu_start, start = process_time(), perf_counter()
            result = call(*self.fresh(document))
            processors = (process_time() - cpu_start) / (perf_counter() - start)
            if processors > self.threads + _MORE_THREADS and perf_counter() - start > _LEAST_SECONDS:
                return f"works on {processors:.1f} processors"
            other = (difference if self.decodes else _difference_of_lines)(result, expected, is_ocior)
            return other if other is None or is_ocior else Differs(other)

        return check


def _difference_of_lines(result, expected, is_exact):
    if type(result) is not bytes:
        return f"gives {type(result).__name__} instead of bytes"
    if is_exact:
        return None if result == expected else "gives another text than json"
    rows, wanted = (list(map(json.loads, text.splitlines())) for text in (result, expected))
    if Document.freeze_exactly(rows) == Document.freeze_exactly(wanted):
        return None
    return "writes numbers in other forms" if rows == wanted else "writes other values"


def dumps_compact(obj):
    return json.dumps(obj, ensure_ascii=False, separators=_COMPACT)


def dumps_compact_bytes(obj):
    return dumps_compact(obj).encode()


def dumps_indented(obj):
    return json.dumps(obj, ensure_ascii=False, indent=2)


def dumps_indented_bytes(obj):
    return dumps_indented(obj).encode()


def dumps_escaped(obj):
    return json.dumps(obj, separators=_COMPACT)


def dump_to_text_file(obj):
    file = StringIO()
    json.dump(obj, file, ensure_ascii=False, separators=_COMPACT)
    return file.getvalue()


def load_file(argument):
    """json.load takes files; the checker's reference is never given one."""
    return json.load(argument)


def _streams():
    calls = stream_calls.of_json()

    def group(name, title, fresh, **more):
        return StreamGroup(name, title, fresh, calls[name], name != "lines_write", is_main=False, **more)

    yield group("lines_bytes", "lines of bytes to a list", StreamDocument.fresh_bytes)
    yield group("lines_each", "lines of bytes, one by one", StreamDocument.fresh_bytes)
    yield group("lines_file", "lines of a file, one by one", StreamDocument.fresh_lines_path, has_peak=True)
    yield group("lines_gzip", "lines of a gzip file, one by one", StreamDocument.fresh_gzip_path)
    yield group("lines_fields", "three fields of each line", StreamDocument.fresh_and_fields)
    yield group("items", "items of an array in a file", StreamDocument.fresh_array_path, has_peak=True)
    yield group("feed_1", "lines in chunks of 1 byte", fresh_chunks(1))
    yield group("feed_64", "lines in chunks of 64 bytes", fresh_chunks(64))
    yield group("feed_4K", "lines in chunks of 4 KB", fresh_chunks(1 << 12))
    yield group("feed_1M", "lines in chunks of 1 MB", fresh_chunks(1 << 20))
    yield SnapshotGroup("snapshot", "an array after each 16 bytes", StreamDocument.fresh_snapshots, None, True, is_main=False)
    yield group("lines_write", "records to lines of bytes", StreamDocument.fresh_object)


def _tables():
    calls = table_calls.of_json()

    def group(name, title, fresh, **more):
        return TableGroup(name, title, fresh, calls[name], name != "table_write", is_main=False, **more)

    yield group("table_read", "lines of a file to a table", TableDocument.fresh_lines_path, has_peak=True)
    yield group("table_read_2", "lines of a file to a table, 2 threads", TableDocument.fresh_lines_path, has_peak=True, threads=2)
    yield group("table_columns", "three columns of the lines of a file", TableDocument.fresh_path_and_columns)
    yield group("table_write", "a table to lines of bytes", TableDocument.fresh_frames)


GROUPS = (
    Group("loads_bytes", "loads(bytes)", Document.fresh_bytes, json.loads, True),
    Group("loads_str", "loads(str)", Document.fresh_str, json.loads, True),
    Group("dumps_bytes", "dumps to bytes", Document.fresh_object, dumps_compact_bytes, False),
    Group("dumps_str", "dumps to str", Document.fresh_object, dumps_compact, False),
    Group("dumps_bytes_indent", "dumps to bytes, indent=2", Document.fresh_object, dumps_indented_bytes, False),
    Group("dumps_str_indent", "dumps to str, indent=2", Document.fresh_object, dumps_indented, False),
    Group("dumps_ascii", "dumps to str, ensure_ascii", Document.fresh_object, dumps_escaped, False),
    Group(
        "dumps_bytes_cached",
        "dumps to bytes, UTF-8 forms present",
        Document.fresh_object_with_utf8,
        dumps_compact_bytes,
        False,
        needs_non_ascii=True,
    ),
    Group(
        "dumps_bytes_write", "dumps to bytes, UTF-8 forms written", Document.fresh_object, dumps_compact_bytes, False, needs_non_ascii=True
    ),
    Group("load_file", "load from a binary file", Document.fresh_file, load_file, True, is_main=False),
    Group("dump_file", "dump to a text file", Document.fresh_object, dump_to_text_file, False, is_main=False),
    Group("encoder", "encode of an encoder object", Document.fresh_object, dumps_compact, False, is_main=False),
    RichGroup("rich_bytes", "rich types to bytes", RichDocument.fresh_object, rich_calls.json_to_bytes, False),
    RichGroup("rich_str", "rich types to str", RichDocument.fresh_object, rich_calls.json_to_str, False, is_main=False),
    RichGroup(
        "rich_facade",
        "rich types to bytes, ocior.compat.orjson",
        RichDocument.fresh_object,
        rich_calls.json_to_bytes,
        False,
        is_main=False,
        without=frozenset({"decimal", "decimal_text"}),
        like="rich_bytes",
        is_own_format=False,
    ),
    TwinGroup("twin_bytes", "plain twins to bytes", RichDocument.fresh_twin, dumps_compact_bytes, False, is_main=False, like="dumps_bytes"),
    TwinGroup("twin_str", "plain twins to str", RichDocument.fresh_twin, dumps_compact, False, is_main=False, like="dumps_str"),
    TypedGroup("typed_decode", "bytes to declared types", TypedDocument.fresh_bytes, typed_calls.json_decode, True, is_main=False),
    TypedGroup("typed_decode_str", "str to declared types", TypedDocument.fresh_str, typed_calls.json_decode, True, is_main=False),
    TypedGroup("typed_encode", "declared types to bytes", TypedDocument.fresh_object, typed_calls.json_to_bytes, False, is_main=False),
    TypedGroup("typed_encode_str", "declared types to str", TypedDocument.fresh_object, typed_calls.json_to_str, False, is_main=False),
    *_streams(),
    *_tables(),
)
BY_NAME = {group.name: group for group in GROUPS}
# The four roads: what generated documents are measured on, and memory.
ROADS = ("loads_bytes", "loads_str", "dumps_bytes", "dumps_str")
# Rich types, and what the plain twins of the documents take on the same road.
RICH = tuple(group.name for group in GROUPS if group.sort == "rich")
TWINS = {"rich_bytes": "twin_bytes", "rich_str": "twin_str"}
# Declared types, both ways, of bytes and of str.
TYPED = tuple(group.name for group in GROUPS if group.sort == "typed")
# Streams of records. `feed` is one name for all sizes of chunks.
STREAM = tuple(group.name for group in GROUPS if group.sort == "stream")
# Tables, both ways.
TABLE = tuple(group.name for group in GROUPS if group.sort == "table")
FEED = tuple(name for name in STREAM if name.startswith("feed_"))
