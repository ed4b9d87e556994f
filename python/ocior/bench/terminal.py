"""Prints the tables: with rich where it is installed, as plain columns elsewhere."""

import sys

_NARROWEST = 120
# Below this width of a terminal, tables have no frames: what they say needs the room.
_FRAMED = 110
_WIDEST = 10_000
_STYLES = {"win": "bold green", "lose": "bold red", "wrong": "bold red", "faint": "dim", "strong": "bold", "": ""}


def print_all(tables, heading, ending, file=None):
    """`heading` and `ending` are lines of text around the tables."""
    try:
        printer = _Rich(file)
    except ImportError:
        printer = _Plain(file)
    for line in heading:
        printer.line(line)
    printer.line("")
    for table in tables:
        printer.table(table)
        for note in table.notes:
            printer.line(f"  {note}")
        printer.line("")
    for line in ending:
        printer.line(line)


class _Rich:
    def __init__(self, file):
        from rich.console import Console

        self._console = Console(file=file)
        if not self._console.is_terminal:  # a log file has room
            self._console = Console(file=file, width=max(_NARROWEST, self._console.width))

    def line(self, text):
        self._console.print(text, highlight=False, markup=False)

    def table(self, table):
        from rich.box import HEAVY_HEAD
        from rich.measure import Measurement
        from rich.table import Table as RichTable
        from rich.text import Text

        is_wide = self._console.width >= _FRAMED
        drawn = RichTable(title=table.title, title_justify="left", title_style="bold", pad_edge=is_wide)
        drawn.box, drawn.padding = (HEAVY_HEAD, (0, 1)) if is_wide else (None, (0, 1, 0, 0))
        for number, column in enumerate(table.columns):
            drawn.add_column(
                Text(column),
                justify="left" if not table.is_figures(number) else "right",
                no_wrap=is_wide,
                min_width=max((len(row[number].text) for row in table.rows), default=0),  # a title may fold, a figure never
                style="bold" if number in table.strong_columns else "",
            )
        for number, row in enumerate(table.rows):
            is_before_total = table.last_is_total and number == len(table.rows) - 2
            drawn.add_row(*(Text(entry.text, style=_STYLES[entry.mark]) for entry in row), end_section=is_before_total)
        # What is too wide for the terminal goes on in its next line; cut, it would lack the last columns.
        needed = Measurement.get(self._console, self._console.options.update(width=_WIDEST), drawn).minimum
        self._console.print(drawn, width=max(self._console.width, needed), crop=False)


class _Plain:
    def __init__(self, file):
        self._file = file or sys.stdout

    def line(self, text):
        print(text, file=self._file)

    def table(self, table):
        widths = [max(len(row[number].text) for row in [_header(table), *table.rows]) for number in range(len(table.columns))]
        self.line(table.title)
        for row in [_header(table), *table.rows]:
            cells = (
                entry.text.rjust(width) if table.is_figures(number) else entry.text.ljust(width)
                for number, (entry, width) in enumerate(zip(row, widths))
            )
            self.line("  " + "  ".join(cells).rstrip())


class _Title:
    def __init__(self, text):
        self.text = text


def _header(table):
    return [_Title(column) for column in table.columns]
