"""Prints the tables: with rich where it is installed, as plain columns elsewhere."""

import sys

try:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text
except ImportError:
    Console = None

_NARROWEST = 120
_STYLES = {"win": "bold green", "lose": "bold red", "wrong": "bold red", "faint": "dim", "strong": "bold", "": ""}


def print_all(tables, heading, ending, file=None):
    """`heading` and `ending` are lines of text around the tables."""
    printer = _Rich(file) if Console is not None else _Plain(file)
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
        self._console = Console(file=file)
        if not self._console.is_terminal:  # a log file has room
            self._console = Console(file=file, width=max(_NARROWEST, self._console.width))

    def line(self, text):
        self._console.print(text, highlight=False, markup=False)

    def table(self, table):
        drawn = RichTable(title=table.title, title_justify="left", title_style="bold")
        for number, column in enumerate(table.columns):
            drawn.add_column(
                column, justify="left" if not table.is_figures(number) else "right", no_wrap=True,
                style="bold" if number in table.strong_columns else "",
            )
        for number, row in enumerate(table.rows):
            is_before_total = table.last_is_total and number == len(table.rows) - 2
            drawn.add_row(*(Text(entry.text, style=_STYLES[entry.mark]) for entry in row), end_section=is_before_total)
        self._console.print(drawn)


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
