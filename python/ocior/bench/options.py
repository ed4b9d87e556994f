"""The command line of `python -m ocior.bench`: words in, a checked namespace of lists out."""

import argparse
import os

from ocior.bench import conditions, groups, libraries, rich_types, shapes, stream_records, table_records, typed_types

STANDARD_SIZE = "100K"
_FULL_CELL_SECONDS = 1.0
FULL_SIZES = "1K,10K,100K,1M,10M,100M,200M"
# One of each kind that the eleven documents lack.
FEW_SHAPES = ("records", "latin1", "emoji", "escapes", "integers", "tiny")
_CONDITIONS = [*conditions.BY_NAME][:1] + ["cold", "gc", "kept", "threads", "after", "defaults", "peak", "left"]
_BY_DEFAULT = "usual,defaults,peak,left"
# The sorts of documents that are known by their kinds, and the groups that are about them and bring them along.
_SORTS = {
    "rich": (rich_types, groups.RICH),
    "typed": (typed_types, groups.TYPED),
    "stream": (stream_records, groups.STREAM),
    "table": (table_records, groups.TABLE),
}
_BRINGING = {name for _, own in _SORTS.values() for name in own}

_EPILOG = """examples:
  python -m ocior.bench --quick --html bench.html
  python -m ocior.bench --documents none --shapes records,emoji --sizes 1K,100K,10M --groups loads_bytes
  python -m ocior.bench --documents twitter,my/folder,my.json --conditions usual,cold --rounds 50
  python -m ocior.bench --full --json all.json --resume
  python -m ocior.bench --json new.json --compare old.json
  python -m ocior.bench --show all.json --html all.html
  python -m ocior.bench --groups rich --json rich.json
  python -m ocior.bench --groups typed_decode,typed_encode --documents flat_slots,orders_struct
  python -m ocior.bench --groups lines_file,feed --documents stream_flat
  python -m ocior.bench --groups table_read,table_read_2 --documents table_flat,table_sparse
  python -m ocior.bench --adapter mine=my_module:calls
"""


def parse(argv=None):
    parser = argparse.ArgumentParser(
        prog="python -m ocior.bench",
        description="Decodes and encodes documents with ocior and its peers, checks every result against json, and shows how "
        "many times faster than json each library is, and where ocior is not the fastest.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group("what to measure (names separated by commas)")
    what.add_argument(
        "--documents",
        metavar="NAME|DIR|FILE,...",
        help="some of the standard eleven by name, *.json of directories, files (*.ndjson: a call per line), kinds of rich types "
        f"({', '.join(rich_types.BY_NAME)}), of typed documents ({', '.join(typed_types.BY_NAME)}), of streams "
        f"({', '.join(stream_records.BY_NAME)}) or tables ({', '.join(table_records.BY_NAME)}); all; none",
    )
    what.add_argument("--shapes", metavar="NAME,...", help=f"generated documents: {', '.join(shapes.BY_NAME)}; all; none")
    what.add_argument(
        "--sizes",
        metavar="SIZE,...",
        help=f"of generated documents, as 800, 1K, 10M (default: {STANDARD_SIZE}; typed ones, streams and tables have sizes of their own)",
    )
    what.add_argument("--groups", metavar="NAME,...", help=f"{', '.join(groups.BY_NAME)}; main; rich; typed; stream; feed; table; all")
    what.add_argument("--conditions", metavar="NAME,...", help=f"{', '.join(_CONDITIONS)}; all (default: {_BY_DEFAULT})")
    what.add_argument("--libraries", metavar="NAME,...", help="only some of: " + ", ".join(libraries.known_names()))
    what.add_argument(
        "--adapter",
        metavar="[NAME=]MODULE:FUNCTION",
        action="append",
        default=[],
        help="one more library: a function that returns {group: call}; may be given several times",
    )
    what.add_argument("--full", action="store_true", help="everything, at every size: hours; use --json and --resume")

    effort = parser.add_argument_group("how long")
    effort.add_argument("--seconds", type=float, help="time for all cells, about (default: 70; with --full one second for each)")
    effort.add_argument("--cell-seconds", type=float, metavar="SECONDS", help="time for each cell instead")
    effort.add_argument("--rounds", type=int, help="rounds for each cell instead")
    effort.add_argument("--quick", action="store_true", help="a quarter of the time and fewer documents for memory")

    out = parser.add_argument_group("results")
    out.add_argument("--json", metavar="FILE", help="every figure, written after each cell")
    out.add_argument("--html", metavar="FILE", help="one page with charts that needs nothing but itself")
    out.add_argument("--markdown", metavar="FILE", help="the tables")
    out.add_argument("--resume", action="store_true", help="take from --json's FILE what it has already, measure the rest")
    out.add_argument("--compare", metavar="FILE", help="hold against earlier results: two commits, two machines")
    out.add_argument("--show", metavar="FILE", help="measure nothing, show earlier results")
    out.add_argument("--no-tables", action="store_true", help="print no tables")
    return _checked(parser, parser.parse_args(argv))


def _checked(parser, options):
    try:
        options.sizes_given = options.sizes is not None
        sizes = options.sizes or (FULL_SIZES if options.full else STANDARD_SIZE)
        options.sizes = [shapes.parse_size(size) for size in _words(sizes)]
    except (ValueError, OverflowError) as error:
        parser.error(f"no size: {error}")
    if options.resume and not options.json:
        parser.error("--resume needs --json FILE")
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds has to be 1 or more")
    for name in ("seconds", "cell_seconds"):
        value = getattr(options, name)
        if value is not None and not 0 <= value < float("inf"):
            parser.error(f"--{name.replace('_', '-')} has to be a number from 0 on")
    options.groups_given = options.groups is not None
    main = [group.name for group in groups.GROUPS if group.is_main]
    aliases = {
        "main": main,
        "rich": list(groups.RICH),
        "typed": list(groups.TYPED),
        "stream": list(groups.STREAM),
        "feed": list(groups.FEED),
        "table": list(groups.TABLE),
    }
    options.groups = _names(parser, options.groups or ("all" if options.full else "main"), groups.BY_NAME, aliases)
    kinds = _kinds(options)
    options.rich, options.typed, options.stream, options.table = (kinds[sort] for sort in ("rich", "typed", "stream", "table"))
    if (options.typed or options.stream or options.table) and not options.groups_given and not options.full:
        of_others = options.groups if options.documents or options.rich else []
        of_typed = ["typed_decode", "typed_encode"] if options.typed else []
        of_rows = [*(groups.STREAM if options.stream else []), *(groups.TABLE if options.table else [])]
        options.groups = [*of_others, *of_typed, *of_rows]
    options.documents, options.shapes = _sources(parser, options)
    by_default = "all" if options.full else "usual" if set(options.groups) <= _BRINGING else _BY_DEFAULT
    if by_default == "usual" and any(groups.BY_NAME[name].has_peak for name in options.groups):
        by_default = "usual,peak"
    options.conditions = _names(parser, options.conditions or by_default, _CONDITIONS)
    names = None if options.libraries is None else _names(parser, options.libraries, libraries.known_names())
    options.libraries = names
    if not options.groups or not options.conditions or names == []:
        parser.error("no groups, no conditions or no libraries: nothing to measure")
    if options.full and options.seconds is None and options.cell_seconds is None:
        options.cell_seconds = _FULL_CELL_SECONDS / (4 if options.quick else 1)
    if options.seconds is None:
        options.seconds = 70.0
    if options.quick:
        options.seconds /= 4
    for path in (options.json, options.html, options.markdown):
        _check_output(parser, path)
    return options


def _check_output(parser, path):
    """Better now than after the measuring."""
    if path is None:
        return
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path) or not os.path.isdir(folder):
        parser.error(f"{path} is no place for a file")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        parser.error(f"{path} may not be written")


def _kinds(options):
    """By sort which kinds of documents: those that are named, or whatever the groups that are asked for need; of a run that asks for nothing
    some. The names are taken off the documents."""
    everything = {sort: list(known.BY_NAME) for sort, (known, _) in _SORTS.items()}
    nothing = {sort: [] for sort in _SORTS}
    if options.documents is not None:
        places = _places(options.documents)
        named = {sort: [place for place in places if place in names and not os.path.exists(place)] for sort, names in everything.items()}
        if any(named.values()):
            options.documents = [place for place in places if not any(place in names for names in named.values())]
            return named
    if options.groups_given and _BRINGING.intersection(options.groups):
        return {sort: everything[sort] if set(options.groups) & set(own) else [] for sort, (_, own) in _SORTS.items()}
    if options.full:
        return everything if options.documents in (None, "all") else nothing
    asks_for_others = options.documents not in (None, "all") or options.shapes not in (None, "none") or options.sizes_given
    if asks_for_others or options.groups_given:
        return nothing
    return {**nothing, "rich": [kind.name for kind in rich_types.KINDS if kind.is_main]}


def _sources(parser, options):
    """Which documents and which shapes. Whoever asks for the one kind alone, gets the other kind only by asking too."""
    if set(options.groups) <= _BRINGING:
        return [], []
    wants_shapes = options.shapes or ("all" if options.full else None)
    if options.documents is None:
        asks_for_shapes = options.shapes not in (None, "none") or options.sizes_given
        documents = "none" if asks_for_shapes and not options.full else "all"
    else:
        documents = options.documents
        wants_shapes = wants_shapes or ("none" if not options.sizes_given else None)
    few = ",".join(FEW_SHAPES)
    shape_names = _names(parser, wants_shapes or few, shapes.BY_NAME)
    if not isinstance(documents, list):
        documents = None if documents == "all" else [] if documents == "none" else _places(documents)
    return documents, shape_names


def _places(text):
    """Files and folders, whose names may have spaces and commas in them, and names of documents."""
    if os.path.exists(text):
        return [text]
    return [place for part in text.split(",") for place in ([part] if os.path.exists(part) else part.split())]


def _words(text):
    return text.replace(",", " ").split()


def _names(parser, given, known, aliases=None):
    aliases = {"all": list(known), "none": [], **(aliases or {})}
    chosen = []
    for name in _words(given):
        if name not in known and name not in aliases:
            parser.error(f"unknown name {name!r}; known: {', '.join([*known, *aliases])}")
        chosen += [one for one in aliases.get(name, [name]) if one not in chosen]
    return chosen
