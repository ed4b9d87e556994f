"""The tables of the report as data: results in, titled rows of marked text out. terminal.py and markdown.py lay them out."""

from dataclasses import dataclass, field
from statistics import geometric_mean

from ocior.bench import after, compare, conditions, groups, summary
from ocior.bench.libraries import BASELINE, OWN

# Under a document's lead stands the mark of what is lost, not its colour alone.
LOST = "▼"
PARTIAL = "*"
# By a figure: what the library gives is other than what the rest give.
DIFFERS = "≠"
DIFFERS_NOTE = "≠ other columns, types or values, as told at the end: no peer"
PARTIAL_NOTE = "* over fewer documents: some this library cannot do, or fails at; ocior is held against it on the others"
_CHANCE_BYTES = 65536
_NO_FIGURE = ("wrong", "failed")


@dataclass(frozen=True)
class Entry:
    text: str
    mark: str = ""  # win, lose, wrong, faint, strong


@dataclass
class Table:
    title: str
    columns: list[str]
    rows: list[list[Entry]] = field(default_factory=list)
    last_is_total: bool = False
    strong_columns: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list)

    def is_figures(self, number):
        """Whether a column holds numbers, which stand on the right."""
        texts = [row[number].text for row in self.rows if row[number].text]
        return number > 0 and bool(texts) and all(text[0].isdigit() or text[0] == "-" or text in _NO_FIGURE for text in texts)

    def add(self, *entries):
        self.rows.append([entry if isinstance(entry, Entry) else Entry(entry) for entry in entries])


def time_text(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}" if ns < 1000 * size else f"{ns / size:.0f} {unit}"
    return f"{ns:.0f} ns"


def bytes_text(count):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if abs(count) >= 0.9995 * size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


def figure(value):
    return Entry("-", "faint") if value is None else Entry(f"{value:.2f}")


def mean_text(total, name):
    return f"{total['mean'][name]:.2f}" + (PARTIAL if name in total["partial"] else "")


def _means(total, names):
    return [figure(None) if total["mean"][name] is None else Entry(mean_text(total, name)) for name in names]


def lead_entry(value, peer, is_close=False):
    """ocior / fastest peer, with that peer's name; ~ where the rounds of both overlap."""
    if value is None:
        return Entry("-", "faint")
    return Entry(f"{value:.2f}{'~' if is_close else ''} {peer}" + (f" {LOST}" if value < 1 else ""), "win" if value >= 1 else "lose")


def all_tables(results, changes=None):
    found = [*_of_groups(results)]
    found += _of_twins(results)
    if results.of("defaults"):
        found.append(_defaults(results))
    found += _of_conditions(results)
    found += _of_after(results)
    found += _of_memory(results)
    found += _of_threads(results)
    if summary.verdict(results.cells).compared:
        found.append(_lost(results))
    if changes is not None:
        found += _changes(changes)
    return found


def _shown(results, cells):
    return [
        name for name in results.library_names() if name != BASELINE and any(name in cell.values or name in cell.wrong for cell in cells)
    ]


def _of_groups(results):
    for group in groups.GROUPS:
        cells = results.of("usual", group.name)
        for title, some in (("", [cell for cell in cells if not cell.shape]), (", generated", [cell for cell in cells if cell.shape])):
            if some:
                yield _group(results, f"{group.title}{title}: times faster than json", some)


def _document_row(cell, names, label=None):
    base = cell.values.get(BASELINE)
    return [
        label or cell.document,
        "-" if base is None else time_text(base),
        *(_ratio_entry(cell, name) for name in names),
        lead_entry(summary.lead(cell), summary.fastest_peer(cell), summary.is_close(cell)),
    ]


def _ratio_entry(cell, name):
    if name in cell.wrong or "all" in cell.wrong:
        return Entry("wrong", "wrong")
    entry = figure(summary.ratio(cell, name))
    return Entry(f"{entry.text} {DIFFERS}") if name in cell.differs else entry


def _group(results, title, cells):
    names = _shown(results, cells)
    total = summary.summarize(cells, names)
    own = (2 + names.index(OWN),) if OWN in names else ()
    table = Table(title, ["document", BASELINE, *names, "ocior / fastest peer"], last_is_total=True, strong_columns=own)
    for cell in cells:
        table.add(*_document_row(cell, names))
    table.add("geometric mean", "", *_means(total, names), lead_entry(total["lead_of_means"], total["best_peer"]))
    if total["partial"]:
        table.notes.append(PARTIAL_NOTE)
    if summary.differences(cells):
        table.notes.append(DIFFERS_NOTE)
    if total["mean_of_leads"] is not None:
        table.notes.append(f"against the fastest peer of each document: {total['mean_of_leads']:.2f}")
    if total["lost"]:
        table.notes.append(f"{LOST} ocior is not the fastest on {total['lost']} of {total['compared']}")
    return table


def _of_twins(results):
    for road in groups.TWINS:
        found = summary.over_twins(results.cells, road)
        if not found:
            continue
        names = [name for name in results.library_names() if any(name in ratios for _, ratios in found)]
        own = (1 + names.index(OWN),) if OWN in names else ()
        title = f"{groups.BY_NAME[road].title}: time against that of the plain twin"
        table = Table(title, ["document", *names], last_is_total=True, strong_columns=own)
        for document, ratios in found:
            table.add(document, *(figure(ratios.get(name)) for name in names))
        means = ([ratios[name] for _, ratios in found if name in ratios] for name in names)
        table.add("geometric mean", *(figure(geometric_mean(one)) for one in means))
        table.notes.append("less is better; the twin holds what the text says, made beforehand, as by asdict()")
        yield table


def _defaults(results):
    cells = results.of("defaults")
    names = _shown(results, cells)
    table = Table("long CJK strings: times faster than json with its defaults", ["call", BASELINE, *names, "ocior / fastest peer"])
    for cell in cells:
        table.add(*_document_row(cell, names, groups.BY_NAME[cell.group].title))
    return table


def _of_conditions(results):
    """A row per group: the means. Every figure is in the results file, the page has ocior's lead in each cell."""
    for condition in conditions.CONDITIONS:
        cells = results.of(condition.name)
        if not condition.is_timed or condition.name in ("usual", "defaults") or not cells:
            continue
        names = _shown(results, cells)
        table = Table(
            f"{condition.title}: times faster than json, geometric means", ["group", *names, "ocior / fastest peer", "worst", "lost"]
        )
        for group in groups.GROUPS:
            some = [cell for cell in cells if cell.group == group.name]
            if some:
                total = summary.summarize(some, names)
                worst = total["worst_lead"]
                table.add(
                    group.title,
                    *_means(total, names),
                    lead_entry(total["lead_of_means"], total["best_peer"]),
                    Entry(figure(worst).text, "" if worst is None else "lose" if worst < 1 else "win"),
                    Entry(f"{total['lost']} of {total['compared']}", "lose" if total["lost"] else ""),
                )
                if total["partial"] and PARTIAL_NOTE not in table.notes:
                    table.notes.append(PARTIAL_NOTE)
        yield table


def after_cells(results):
    return [cell for cell in results.cells if cell.unit == after.UNIT]


def after_ratio(cell, name):
    """The time that the objects of a library take, against those of json; None without either."""
    base = cell.values.get(BASELINE)
    return cell.values[name] / base if base and name in cell.values else None


def costs_more(cell):
    """Whether ocior's objects cost others clearly more than json's."""
    ratio = after_ratio(cell, OWN)
    return ratio is not None and ratio > after.MOST


def _of_after(results):
    cells = after_cells(results)
    if not cells:
        return
    names = _shown(results, cells)
    own = (3 + names.index(OWN),) if OWN in names else ()
    columns = ["document", "what others do", BASELINE, *names]
    table = Table("after decoding: time that others need, against the objects that json makes", columns, strong_columns=own)
    for cell in cells:
        base = cell.values.get(BASELINE)
        title = after.OPERATIONS[cell.condition.partition("=")[2]][0]
        table.add(cell.document, title, "-" if base is None else time_text(base), *(_after_entry(cell, name) for name in names))
    table.notes.append(f"less is better; {LOST} more than {after.MOST} times")
    yield table


def _after_entry(cell, name):
    if name in cell.wrong or "all" in cell.wrong:
        return Entry("failed", "wrong")
    ratio = after_ratio(cell, name)
    if name == OWN and costs_more(cell):
        return Entry(f"{ratio:.2f} {LOST}", "lose")
    return figure(ratio)


def _of_memory(results):
    for name in ("peak", "left"):
        cells = results.of(name)
        if not cells:
            continue
        names = [one for one in results.library_names() if any(one in cell.values or one in cell.wrong for cell in cells)]
        own = (2 + names.index(OWN),) if OWN in names else ()
        table = Table(conditions.BY_NAME[name].title, ["document", "call", *names], strong_columns=own)
        for cell in cells:
            table.add(cell.document, groups.BY_NAME[cell.group].title, *(_memory_entry(cell, one) for one in names))
        sizes = ", ".join(sorted({f"{cell.document} {bytes_text(cell.byte_len)}" for cell in cells}))
        table.notes.append(
            f"resident set; the text itself takes {sizes}" if name == "peak" else "growth of the resident set while the documents live"
        )
        yield table


def _memory_entry(cell, name):
    if name not in cell.values:
        return Entry("failed", "wrong") if name in cell.wrong or "all" in cell.wrong else Entry("-", "faint")
    loses = name == OWN and needs_more(cell)
    return Entry(bytes_text(cell.values[name]) + (f" {LOST}" if loses else ""), "lose" if loses else "")


def needs_more(cell):
    """Whether ocior needs more memory than some other library, `json` included. A few pages are chance."""
    others = [max(0, value) for name, value in cell.values.items() if name != OWN]
    return OWN in cell.values and bool(others) and cell.values[OWN] > 1.01 * min(others) + _CHANCE_BYTES


def _of_threads(results):
    by_place = summary.scaling(results.cells)
    if not by_place:
        return
    counts = sorted({count for by_library in by_place.values() for times in by_library.values() for count in times})
    columns = ["group", "document", "objects", "library", *map(str, counts)]
    table = Table("threads: times the speed of one with objects of its own", columns)
    for (group, document, objects), by_library in by_place.items():
        for name, speeds in by_library.items():
            cells = (figure(speeds.get(count)) for count in counts)
            place = (groups.BY_NAME[group].title, document, conditions.OBJECTS[objects])
            table.add(*place, Entry(name, "strong" if name == OWN else ""), *cells)
    yield table


def _lost(results):
    found = summary.verdict(results.cells)
    columns = ["group", "document", "condition", "ocior / fastest peer", "ocior", "the peer"]
    table = Table(f"where ocior is not the fastest: {len(found.lost)} of {found.compared} timed cells", columns)
    for cell in found.lost:
        peer = summary.fastest_peer(cell)
        table.add(
            groups.BY_NAME[cell.group].title,
            cell.document,
            cell.condition,
            lead_entry(summary.lead(cell), peer, summary.is_close(cell)),
            time_text(cell.values[OWN]),
            time_text(cell.values[peer]),
        )
    table.notes.append("~ the middle halves of both libraries' rounds overlap: another run may turn the order")
    return table


def _changes(changes):
    columns = ["condition", "group", "mean", "clearly slower", "clearly faster", "cells"]
    table = Table("against the earlier results: times faster now", columns)
    for (condition, group), (mean, worse, better, count) in compare.by_group(changes).items():
        table.add(
            condition,
            groups.BY_NAME[group].title,
            Entry(f"{mean:.3f}", "win" if mean >= 1 else "lose"),
            Entry(str(worse), "lose" if worse else ""),
            str(better),
            str(count),
        )
    table.notes.append("what the unchanged libraries moved by in the same cell is taken off")
    yield table
    clear = [change for change in changes if change.is_clear]
    if clear:
        table = Table("cells that changed clearly", ["condition", "group", "document", "change", "as measured", "unchanged libraries"])
        for change in clear:
            better = change.corrected > 1
            mark = Entry(f"{change.corrected:.2f}{'' if better else ' ' + LOST}", "win" if better else "lose")
            row = (f"{change.raw:.2f}", f"{change.drift:.2f}")
            table.add(change.condition, groups.BY_NAME[change.group].title, change.document, mark, *row)
        yield table
