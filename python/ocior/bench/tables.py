"""The tables of the report, printed with rich: cells and summaries in, lines on the terminal out."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ocior.bench.libraries import BASELINE, OWN
from ocior.bench.summary import fastest_peer, lead, ratio, summarize

_NARROWEST = 120


def make_console():
    console = Console()
    if not console.is_terminal:  # a log file has room
        console = Console(width=max(_NARROWEST, console.width))
    return console


def _time(ns):
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.0f} ns"


def _figure(value, style=""):
    return Text("-" if value is None else f"{value:.2f}", style=style if value is not None else "dim")


def _lead(value, peer):
    if value is None:
        return Text("-", style="dim")
    text = Text(f"{value:.2f}", style="bold green" if value >= 1 else "bold red")
    return text.append(f" {peer}", style="dim not bold")


def _new_table(title, caption=None):
    return Table(title=title, title_justify="left", title_style="bold", caption=caption, caption_justify="left")


def _add_columns(table, first, names):
    table.add_column(first, no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", style="bold" if name == OWN else "", no_wrap=True)


def print_group(console, group, cells, names):
    """A row per document: json's time, how many times faster each library is, and ocior's lead over the fastest peer."""
    names = [name for name in names if name != BASELINE and any(name in cell.ns or name in cell.wrong for cell in cells)]
    total = summarize(cells, names)
    table = _new_table(f"{group.title}: times faster than json")
    table.add_column("document", no_wrap=True)
    table.add_column("json", justify="right", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", style="bold" if name == OWN else "", no_wrap=True)
    table.add_column("ocior / fastest peer", no_wrap=True)
    for cell in cells:
        own_time = cell.ns.get(BASELINE)
        table.add_row(
            cell.document,
            "-" if own_time is None else _time(own_time),
            *(Text("wrong", style="bold red") if name in cell.wrong else _figure(ratio(cell, name)) for name in names),
            _lead(lead(cell), fastest_peer(cell)),
            end_section=cell is cells[-1],
        )
    table.add_row(
        "geometric mean",
        "",
        *(_figure(total["mean"][name]) for name in names),
        _lead(total["lead_of_means"], total["best_peer"]),
    )
    console.print(table)
    if total["mean_of_leads"] is not None:
        console.print(f"  against the fastest peer of each document: {total['mean_of_leads']:.2f}", highlight=False)
    console.print()


def print_cjk(console, rows, names):
    names = [name for name in names if name != BASELINE]
    table = _new_table("long CJK strings: times faster than json.dumps / json.loads with their defaults")
    _add_columns(table, "call", ["json", *names])
    table.add_column("ocior / fastest peer", no_wrap=True)
    for title, cell in rows:
        table.add_row(
            title,
            _time(cell.ns[BASELINE]) if BASELINE in cell.ns else "-",
            *(Text("wrong", style="bold red") if name in cell.wrong else _figure(ratio(cell, name)) for name in names),
            _lead(lead(cell), fastest_peer(cell)),
        )
    console.print(table)
    console.print()


def print_memory(console, results, names):
    count = max(result["documents"] for result in results)
    table = _new_table(f"memory left behind, MB, by {count} CJK documents of 0.4 MB")
    columns = [("bytes", "encode", "dumps to bytes"), ("bytes", "decode", "loads(bytes)")]
    columns += [("str", "encode", "dumps to str"), ("str", "decode", "loads(str)")]
    _add_columns(table, "library", [title for *_, title in columns])
    by_job = {(result["library"], result["road"]): result for result in results}
    for name in names:
        row = []
        for road, way, _ in columns:
            growth = by_job[name, road].get(f"{way}_growth")
            row.append("failed" if growth is None else f"{growth / 1e6:.1f}")
        table.add_row(name, *row, style="bold" if name == OWN else "")
    console.print(table)
    console.print()
