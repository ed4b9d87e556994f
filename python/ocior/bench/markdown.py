"""The tables as Markdown, for a pull request or a page of figures."""

_MARKS = {"win": "{}", "lose": "**{}**", "wrong": "**{}**", "faint": "{}", "strong": "**{}**", "": "{}"}


def page(tables, heading, ending):
    lines = ["# ocior and its peers, measured", ""]
    lines += [f"- {_plain(line)}" for line in heading] + [""]
    for table in tables:
        lines += [f"## {table.title}", ""]
        lines.append(_row([_plain(column) for column in table.columns]))
        lines.append(_row(["---:" if table.is_figures(number) else "---" for number in range(len(table.columns))]))
        for row in table.rows:
            lines.append(_row([_cell(entry, number in table.strong_columns) for number, entry in enumerate(row)]))
        lines += ["", *(_plain(f"{note[:1].upper()}{note[1:]}.") + "  " for note in table.notes), ""]
    lines += [f"- {_plain(line)}" for line in ending]
    return "\n".join(lines).rstrip() + "\n"


def _cell(entry, is_strong):
    text = _plain(entry.text)
    mark = "strong" if is_strong and not entry.mark and text else entry.mark
    return _MARKS[mark].format(text)


def _plain(text):
    """Names and messages of others, as what they are: no columns, no lines, no HTML."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def _row(cells):
    return f"| {' | '.join(cells)} |"
