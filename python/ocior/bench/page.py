"""The page of the report: one file of HTML with its style, script and charts in it, that asks no network for anything."""

from html import escape
from pathlib import Path

from ocior.bench import after, charts, compare, conditions, groups, shapes, summary
from ocior.bench.libraries import OWN
from ocior.bench.tables import LOST, PARTIAL_NOTE, after_cells

_ASSETS = Path(__file__).with_name("assets")

# Colours by their use. Against its page each has a contrast of 3 at least (marks) or 4.5 (text); neighbours among the
# libraries differ in lightness too, for eyes that do not tell their hues apart.
_LIGHT = {
    "page": "#ffffff",
    "panel": "#f7f8fa",
    "ink": "#1b1f24",
    "faint": "#57606a",
    "edge": "#d5dae0",
    "spread": "#1b1f24",
    "win": "#0a6640",
    "lose": "#b4231a",
    "lib-own": "#0b5cd6",
    "lib-base": "#7b838c",
    "lib-0": "#a05a00",
    "lib-1": "#008573",
    "lib-2": "#a8398f",
    "lib-3": "#c2570c",
    "lib-4": "#5b6b00",
    "lib-5": "#6a4fb3",
}
_DARK = {
    "page": "#0f1318",
    "panel": "#171c23",
    "ink": "#e8ecf1",
    "faint": "#a2acb8",
    "edge": "#333c47",
    "spread": "#ffffff",
    "win": "#58c98f",
    "lose": "#ff8f80",
    "lib-own": "#5b9dff",
    "lib-base": "#8b95a1",
    "lib-0": "#d9a441",
    "lib-1": "#2fb3a0",
    "lib-2": "#e07cc8",
    "lib-3": "#f28f4e",
    "lib-4": "#aebf3d",
    "lib-5": "#a58fee",
}


def make(results, tables, changes, heading, ending):
    """`tables`, `heading` and `ending` are those of the terminal."""
    names = results.library_names()
    palette = charts.Palette(names)
    legend = palette.legend(names)
    sections = [
        ("means", "Means", _means(results, names, palette, legend)),
        ("leads", "Ahead and behind", _leads(results)),
        ("change", "Against the earlier results", _change(changes)),
        ("documents", "Every document", _documents(results, names, palette, legend)),
        ("growth", "Cost per byte and size", _growth(results, names, palette, legend)),
        ("after", "After decoding", _after(results, names, palette, legend)),
        ("memory", "Memory", _memory(results, names, palette, legend)),
        ("threads", "Threads", _threads(results, palette, legend)),
        ("tables", "All tables", "".join(_table(table) for table in tables)),
        ("how", "How it was measured", _how(results, heading, ending)),
    ]
    sections = [section for section in sections if section[2]]
    links = "".join(f'<a href="#{anchor}">{title}</a>' for anchor, title, _ in sections)
    body = "".join(f'<section><h2 id="{anchor}">{title}</h2>{content}</section>' for anchor, title, content in sections)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        '<link rel="icon" href="data:,">'
        f"<title>ocior and its peers, measured</title><style>{_style()}</style></head><body>"
        f"<header><div><h1>ocior and its peers</h1><small>{escape(heading[0])}<br>{escape(heading[2])}</small></div>"
        '<button id="theme" type="button" hidden></button></header>'
        f'{_verdict(results)}<nav>{links}</nav>{body}<div id="tip" role="status"></div>'
        f"<script>{_asset('page.js')}</script></body></html>\n"
    )


def _asset(name):
    return (_ASSETS / name).read_text(encoding="utf-8")


def _style():
    def variables(colours):
        return "".join(f"--{name}:{value};" for name, value in colours.items())

    dark = variables(_DARK)
    kinds = "".join(f".{name}{{--c:var(--{name})}}" for name in _LIGHT if name.startswith("lib-"))
    return (
        f":root{{color-scheme:light;{variables(_LIGHT)}}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}{kinds}{_asset('page.css')}"
    )


def _verdict(results):
    found = summary.verdict(results.cells)
    if not found.compared:
        return '<p class="verdict">No peer was measured beside ocior: what follows is against <code>json</code> alone.</p>'
    lost = len(found.lost)
    said = f"ocior is the fastest in <b>{len(found.won)}</b> of {found.compared} timed cells"
    said += f', and <b class="lose">{LOST} not in {lost}</b>' if lost else ""
    said += f'; <b class="lose">{len(found.failed)} could not be measured</b>' if found.failed else ""
    tiles = []
    for name in groups.ROADS:
        totals = summary.summarize(_of_documents(results, name), results.library_names())
        value = totals["mean_of_leads"]
        if value is not None:
            behind = value < 1
            own = totals["mean"].get(OWN)
            tiles.append(
                f"<li{' class=behind' if behind else ''}>{escape(groups.BY_NAME[name].title)}<b>{LOST + ' ' if behind else ''}"
                f"{value:.2f}×</b><small>the fastest peer of each document"
                f"{f'; {own:.1f}× json' if own else ''}; behind in {totals['lost']} of {totals['compared']}</small></li>"
            )
    return f'<p class="verdict">{said}.</p><ul class="tiles">{"".join(tiles)}</ul>'


def _of_documents(results, group_name):
    """The usual cells of documents that were not generated; of all where there are no others."""
    cells = results.of("usual", group_name)
    return [cell for cell in cells if not cell.shape] or cells


def _means(results, names, palette, legend):
    figures, note = [], ""
    for group in groups.GROUPS:
        cells = _of_documents(results, group.name)
        if cells:
            total = summary.summarize(cells, names)
            figures.append(charts.mean_bars(group.title, total, names, palette))
            note = f"<p>{escape(PARTIAL_NOTE)}</p>" if total["partial"] else note
    if not figures:
        return ""
    return (
        "<p>Times faster than <code>json</code>, the geometric mean over the documents; longer is better. Each group has its own "
        f"scale. The mark compares ocior with the peer of the best mean.</p>{note}{legend}{_panels(figures)}"
    )


def _leads(results):
    rows = []
    for condition in dict.fromkeys(cell.condition for cell in results.cells if cell.unit == "ns"):
        if condition == "usual":
            rows += [(group.title, cells) for group in groups.GROUPS if (cells := results.of(condition, group.name))]
        else:
            rows.append((conditions.named(condition).title, results.of(condition)))
    strips = charts.lead_strips(rows)
    if not strips:
        return ""
    return (
        "<p>Speed of ocior over that of the fastest peer, cell by cell: right of the line at 1 ocior is ahead (●), left of it "
        f"behind ({LOST}). The thick band is the middle half, the bar in it the median. Point at a mark, or tap it.</p>{strips}"
    )


def _documents(results, names, palette, legend):
    parts = []
    for group in groups.GROUPS:
        cells = results.of("usual", group.name)
        if not cells:
            continue
        found = summary.verdict(cells)
        said = f'<b class="lose">{LOST} behind in {len(found.lost)} of {found.compared}</b>' if found.lost else ""
        figures = [charts.cell_bars(cell, names, palette) for cell in cells]
        is_open = " open" if not parts else ""
        parts.append(
            f'<details id="group-{group.name}"{is_open}><summary>{escape(group.title)} {said}</summary>{legend}{_panels(figures)}</details>'
        )
    if not parts:
        return ""
    return (
        "<p>Times faster than <code>json</code>; longer is better, each document has its own scale. A bar is the best round; the "
        "line across it runs over the middle half of all rounds, with a tick at their median.</p>" + "".join(parts)
    )


def _growth(results, names, palette, legend):
    parts = []
    for group in groups.GROUPS:
        by_shape = {}
        for cell in results.of("usual", group.name):
            if cell.shape and cell.byte_len and cell.values:
                by_shape.setdefault(cell.shape, []).append(cell)
        figures = [charts.growth(shapes.BY_NAME[shape].title, cells, names, palette) for shape, cells in by_shape.items() if len(cells) > 1]
        if figures:
            is_open = " open" if not parts else ""
            parts.append(f"<details{is_open}><summary>{escape(group.title)}</summary>{legend}{_panels(figures)}</details>")
    if not parts:
        return ""
    return (
        "<p>Nanoseconds per byte of text, both axes logarithmic; lower is better. Along a level line twice the text takes twice the "
        "time.</p>" + "".join(parts)
    )


def _after(results, names, palette, legend):
    cells = after_cells(results)
    figures = [
        charts.after_bars(cell, f"{cell.document}, {after.OPERATIONS[cell.condition.partition('=')[2]][0]}", names, palette)
        for cell in cells
    ]
    if not figures:
        return ""
    return (
        "<p>What others need for the objects that each library has made, against those of <code>json</code>: walks, encoders, copies, "
        f"a collection, freeing. Shorter is better.</p>{legend}{_panels(figures)}"
    )


def _memory(results, names, palette, legend):
    parts = []
    for name, said in (
        ("peak", "By how much the resident set rises during one call, above its input; the result is part of it."),
        ("left", "What stays in the resident set when every document was encoded and decoded once: results dropped, documents alive."),
    ):
        cells = results.of(name)
        if cells:
            figures = [charts.memory_bars(cell, f"{cell.document}, {groups.BY_NAME[cell.group].title}", names, palette) for cell in cells]
            title = conditions.BY_NAME[name].title
            parts.append(f"<details open><summary>{title}</summary><p>{said} Shorter is better.</p>{_panels(figures)}</details>")
    return legend + "".join(parts) if parts else ""


def _threads(results, palette, legend):
    figures = []
    for (group, document, objects), by_library in summary.scaling(results.cells).items():
        series = {
            name: [(count, speed, f"{name}, {count} threads: {speed:.2f} times the speed of one") for count, speed in speeds.items()]
            for name, speeds in by_library.items()
            if speeds
        }
        if series:
            counts = sorted({count for points in series.values() for count, *_ in points})
            title = f"{document}, {groups.BY_NAME[group].title}"
            title += f", {conditions.OBJECTS[objects]}" if objects != "own" else ""
            figures.append(charts.lines(title, series, palette, str, lambda speed: f"{speed:g}×", counts, is_log_y=False))
    notes = "".join(f"<p>{escape(note)}</p>" for note in results.notes if note.startswith("threads"))
    return f"<p>Speed in so many threads, against one with objects of its own.</p>{legend}{_panels(figures)}" if figures else notes


def _change(changes):
    if not changes:
        return "" if changes is None else "<p>The two have no cell in common.</p>"
    rows = "".join(
        f"<li{' class=behind' if mean < 1 else ''}>{escape(groups.BY_NAME[group].title)}, {escape(condition)}"
        f"<b>{LOST + ' ' if mean < 1 else ''}{mean:.3f}×</b>"
        f"<small>{worse} clearly slower, {better} clearly faster of {count}</small></li>"
        for (condition, group), (mean, worse, better, count) in compare.by_group(changes).items()
    )
    return (
        "<p>ocior's speed now over its speed then, geometric means, with what the unchanged libraries moved by taken off. "
        f'The cells are under <a href="#tables">All tables</a>.</p><ul class="tiles">{rows}</ul>'
    )


def _how(results, heading, ending):
    facts = "".join(f"<li>{escape(line)}</li>" for line in [*heading, *ending])
    settings = (
        f"{name.replace('_', ' ')}: {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in results.settings.items()
        if value
    )
    settings = escape("; ".join(settings))
    return (
        "<p>Every call gets an argument that no call had before, copied outside the timer; the libraries take turns in rotating order "
        "in one process per cell; freeing a result is outside the timer. Every result was compared with that of <code>json</code> "
        "before anything was timed. Warm figures are the best round, those of other conditions the median. Only ratios within one "
        f"run mean something.</p><ul>{facts}</ul><p class=faint>{settings}</p>"
    )


def _panels(figures):
    return f'<div class="panels">{"".join(figures)}</div>'


def _table(table):
    kinds = [" class=figure" if table.is_figures(number) else "" for number in range(len(table.columns))]
    head = "".join(f"<th{kind}>{escape(column)}</th>" for kind, column in zip(kinds, table.columns))
    rows = []
    for number, row in enumerate(table.rows):
        total = " class=total" if table.last_is_total and number == len(table.rows) - 1 else ""
        cells = (f'<td class="{entry.mark} {"figure" if kind else ""}">{escape(entry.text)}</td>' for kind, entry in zip(kinds, row))
        rows.append(f"<tr{total}>{''.join(cells)}</tr>")
    notes = "".join(f"<small>{escape(note)}</small><br>" for note in table.notes)
    return (
        f"<details><summary>{escape(table.title)}</summary><div class=scroll><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>{notes}</details>"
    )
