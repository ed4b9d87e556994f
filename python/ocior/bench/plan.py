"""What will be measured, in order: from the options to jobs, one per cell, each with a weight by which time is shared out."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ocior.bench import after, conditions, documents, groups, isolation, rich_types, shapes, stream_records, table_records, typed_types
from ocior.bench.conditions import BY_NAME, Condition
from ocior.bench.documents import Document
from ocior.bench.groups import Group

# Time is shared out by size: large documents need it for few rounds, small ones have many in little.
_SMALL_WEIGHT, _LARGE_WEIGHT, _LARGE_BYTES = 1.0, 3.0, 1_000_000
# Under other conditions than the usual one, and on memory, less is measured: the four roads.
_FEW_GROUPS = groups.ROADS
# Peak memory needs documents that stand out from an interpreter's own size.
_PEAK_BYTES = 100_000
# For the default run: a mixed document, one of floats, one of text.
_PEAK_DOCUMENTS = ("twitter", "canada", "simple_object_zh")
_DEFAULTS_GROUPS = ("dumps_str", "dumps_bytes", "loads_str", "loads_bytes", "dumps_ascii")
_DEFAULTS_BYTES = 400_000
# Documents of rich types, of declared ones and of streams are kept twice and made anew for every call, in Python: larger ones tell nothing more.
_MOST_BYTES = 10_000_000


@dataclass(frozen=True, eq=False)
class Job:
    group: Group
    document: Document
    condition: Condition
    weight: float


def make_documents(options, directory):
    """The documents to measure. Generated ones are written when their turn comes."""
    found = _standard(options) if options.documents is None else documents.chosen(options.documents)
    made = [shapes.document(shape, size, directory) for shape in options.shapes for size in options.sizes]
    return _of_different_names(found, [document.name for document in made]), made


def make_documents_of_kinds(options, directory):
    """The documents of rich and of declared types, streams and tables, and by name what the others would need that this machine lacks."""
    # numpy, which is imported here, would start threads of its own, and the measuring processes are forked from this one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sizes = [size for size in options.sizes if size <= _MOST_BYTES]
    asked = sizes if options.sizes_given else None
    made = rich_types.documents(options.rich, sizes) + typed_types.documents(options.typed, asked)
    made += stream_records.documents(options.stream, directory, asked)
    # Of these no call needs a copy.
    made += table_records.documents(options.table, directory, options.sizes if options.sizes_given else None)
    problems = {document.name: document.problem() for document in made}
    return [document for document in made if not problems[document.name]], {name: what for name, what in problems.items() if what}


def _standard(options):
    try:
        return documents.standard()
    except FileNotFoundError as error:
        if not options.shapes:
            raise
        print(f"generated documents only: {error}", file=sys.stderr)
        return []


def _of_different_names(found, taken):
    """Each document once; those of one name are told apart by their folders."""
    found = list({document.path.absolute(): document for document in found}.values())
    taken = [*taken, *(document.name for document in found)]
    for document in found:
        if taken.count(document.name) > 1 and not document.is_standard:
            document.name = str(document.path)
    return found


def jobs(options, found, made, directory, kinds=()):
    """All cells, document after document: a generated one exists only while its own are measured. `kinds` are documents of rich and of
    declared types, streams and tables, which have groups of their own."""
    planned = []
    wanted_groups = [group for group in groups.GROUPS if group.name in options.groups]
    chosen = [group for group in wanted_groups if group.sort == "json"]
    of_kinds = [group for group in wanted_groups if group.sort != "json"]
    few = [group for group in chosen if group.name in _FEW_GROUPS]
    for name in options.conditions:
        if name == "threads":
            if conditions.why_no_threads() is None:
                for condition in conditions.all_of_threads():
                    of_json, others = (
                        [group for group in some if not (group.decodes and condition.needs_values)] for some in (few or chosen, of_kinds)
                    )
                    planned += _cross(condition, found + made, of_json) + _cross(condition, kinds, others)
        elif name == "defaults":
            long_cjk = shapes.document("long_cjk", _DEFAULTS_BYTES, directory)
            planned += _cross(BY_NAME[name], [long_cjk], [group for group in chosen if group.name in _DEFAULTS_GROUPS])
        elif name == "after":
            wanted = [document for document in found + made if not document.is_stream]
            decoding = [group for group in chosen if group.name == "loads_bytes"] or [group for group in few if group.decodes]
            for operation in after.OPERATIONS:
                planned += _cross(conditions.of_after(operation), wanted, decoding)
        elif name == "peak":
            wanted = [document for document in found if options.full or options.documents or document.name in _PEAK_DOCUMENTS]
            wanted += [document for document in made if document.nominal_len >= _PEAK_BYTES and (options.full or not found)]
            planned += _cross(BY_NAME[name], wanted, few)
            planned += _cross(BY_NAME[name], kinds, [group for group in of_kinds if group.has_peak])
        elif name != "left":  # that one has its own documents
            every = chosen if name == "usual" else few or chosen
            planned += _cross(BY_NAME[name], found, every)
            planned += _cross(BY_NAME[name], made, every if options.groups_given or options.full else few)
            planned += _cross(BY_NAME[name], kinds, of_kinds)
    order = {document.name: place for place, document in enumerate([*found, *made, *kinds])}
    return sorted(planned, key=lambda job: order.get(job.document.name, len(order)))


def _cross(condition, sources, wanted):
    return [
        Job(group, document, condition, _weight(document, condition)) for document in sources for group in wanted if group.suits(document)
    ]


def _weight(document, condition):
    byte_len = document.nominal_len or document.byte_len
    weight = _SMALL_WEIGHT + (_LARGE_WEIGHT - _SMALL_WEIGHT) * min(1.0, byte_len / _LARGE_BYTES)
    return weight if condition.is_timed else 0.0


class Shelf:
    """The generated documents that are on disk: written before their first job, removed after their last."""

    def __init__(self, planned):
        self._uses = {}
        for job in planned:
            self._uses[job.document.name] = self._uses.get(job.document.name, 0) + 1

    def take(self, document):
        if document.shape and not Path(document.path).exists():
            # In a child: a heap that has made 200 MB of text is not the one to measure in.
            isolation.run(shapes.write, document.shape, document.nominal_len, document.path)

    def give_back(self, document):
        self._uses[document.name] -= 1
        if document.shape and not self._uses[document.name]:
            Path(document.path).unlink(missing_ok=True)
