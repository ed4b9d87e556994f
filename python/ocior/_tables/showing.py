"""How a table is shown to people: its size, its columns and their types, and some of its first rows, cut to the width of a terminal."""

from __future__ import annotations

from ocior import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROWS = 5
COLUMNS = 30
_WIDTH = 100
_VALUE_WIDTH = 24


def table_repr(table: Any) -> str:
    """The repr of a Table; the core calls this. The rows come as JSON lines from `table._head(count)`."""
    from ocior._tables.type_names import column_lines

    rows, count = table.num_rows, table.num_columns
    parts = [f"Table of {_counted(rows, 'row')} and {_counted(count, 'column')}"]
    lines = list(column_lines(table.schema._form))
    parts += [f"    {_cut(line, _WIDTH)}" for line in lines[:COLUMNS]]
    if count > COLUMNS:
        parts.append(f"    and {_counted(count - COLUMNS, 'more column')}")
    if rows and count:
        parts += _rows(table, rows)
    return "\n".join(parts)


def _rows(table: Any, row_count: int) -> list[str]:
    names = table.column_names
    head = [_core.loads(line, parse_int=_short_integer) for line in table._head(ROWS).split(b"\n") if line]
    cells = [[_cut(name if name.isprintable() else _core.dumps(name), _VALUE_WIDTH) for name in names]]
    cells += [[_cut(_core.dumps(row.get(name), ensure_ascii=False), _VALUE_WIDTH) for name in names] for row in head]
    widths = [max(len(row[index]) for row in cells) for index in range(len(names))]
    shown, room = 0, _WIDTH
    while shown < len(names) and (shown == 0 or widths[shown] + 2 <= room):
        room -= widths[shown] + 2
        shown += 1
    more = "  ..." if shown < len(names) else ""
    parts = ["    " + ("  ".join(cell.ljust(width) for cell, width in zip(row[:shown], widths)) + more).rstrip() for row in cells]
    if row_count > len(head):
        parts.append(f"    and {_counted(row_count - len(head), 'more row')}")
    return parts


def _short_integer(digits: str) -> Any:
    """An int, or the text of one that may be beyond the limit for conversions."""
    return int(digits) if len(digits) <= 2 * _VALUE_WIDTH else digits


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."
