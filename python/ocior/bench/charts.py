"""The charts of the page, as inline SVG: figures in, markup out.

Nothing is laid out in script, and no drawing is scaled: positions along an axis are percentages of whatever width there is,
sizes of text and marks are pixels, so that a phone shows the same text as a desk. Whatever has a `data-tip` shows it when it
is pointed at or tapped. Colour is never alone: bars and lines carry names, marks have shapes.
"""

import math
from html import escape
from statistics import median

from ocior.bench import summary
from ocior.bench.groups import BY_NAME
from ocior.bench.libraries import BASELINE, OWN
from ocior.bench.runner import quantile
from ocior.bench.shapes import size_name
from ocior.bench.tables import DIFFERS, LOST, after_ratio, bytes_text, costs_more, mean_text, needs_more, time_text

_ROW = 20
_BAR = 12
_STRIP = 44
_PLOT = 190
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 4", "10 4", "4 2 1 2")


class Palette:
    """The place of each library in the colours of the style sheet, and its dashes where lines cross."""

    def __init__(self, names):
        others = [name for name in names if name not in (OWN, BASELINE)]
        self._places = {OWN: "own", BASELINE: "base", **{name: str(number % 6) for number, name in enumerate(others)}}
        self._dashes = {OWN: "", BASELINE: "3 3", **{name: _DASHES[(number + 1) % 7] for number, name in enumerate(others)}}

    def css_class(self, name):
        return f"lib-{self._places.get(name, '0')}"

    def dash(self, name):
        return self._dashes.get(name, "")

    def legend(self, names):
        keys = (
            f'<li class="{self.css_class(name)}"><svg width="26" height="12" aria-hidden="true"><rect y="2" width="8" height="8"/>'
            f'<line x1="9" x2="26" y1="6" y2="6" stroke-dasharray="{self.dash(name)}"/></svg>{escape(name)}</li>'
            for name in names
        )
        return f'<ul class="legend">{"".join(keys)}</ul>'


def badge(value, peer, is_close=False):
    """ocior against the fastest peer, in words and with a mark when it is behind."""
    if value is None:
        return ""
    kind, mark = ("win", "") if value >= 1 else ("lose", f"{LOST} ")
    near = " (overlapping)" if is_close else ""
    return f'<span class="badge {kind}">{mark}{value:.2f}× {escape(peer)}{near}</span>'


def bars(title, rows, palette, mark="", note="", is_behind=False):
    """One horizontal bar per library. `rows`: (name, length, text, tip, spread), lengths on one linear scale from 0; `spread`
    is (low, middle, high) on the same scale, or None."""
    longest = max((max(length, spread[2] if spread else 0) for _, length, _, _, spread in rows), default=0) or 1
    drawn, names, texts = [], [], []
    for number, (name, length, text, tip, spread) in enumerate(rows):
        top = number * _ROW + (_ROW - _BAR) / 2
        kind = palette.css_class(name)
        shapes = f'<rect class="bar" y="{top:g}" width="{_percent(length / longest)}" height="{_BAR}"/>'
        if spread:
            low, middle, high = (_percent(one / longest) for one in spread)
            centre = top + _BAR / 2
            shapes += f'<line class="spread" x1="{low}" x2="{high}" y1="{centre:g}" y2="{centre:g}"/>'
            shapes += f'<line class="spread" x1="{middle}" x2="{middle}" y1="{top + 2:g}" y2="{top + _BAR - 2:g}"/>'
        drawn.append(
            f'<g class="{kind}" data-tip="{escape(tip)}"><rect class="reach" y="{number * _ROW}" width="100%" height="{_ROW}"/>{shapes}</g>'
        )
        strong = ' class="own"' if name == OWN else ""
        names.append(f"<li{strong}>{escape(name)}</li>")
        texts.append(f"<li{strong}>{escape(text)}</li>")
    height = len(rows) * _ROW
    label = escape(f"{title}: " + ", ".join(f"{name} {text}" for name, _, text, _, _ in rows))
    return (
        f'<figure class="bars{" behind" if is_behind else ""}">{_caption(title, note, mark)}'
        f'<div class="grid"><ul>{"".join(names)}</ul>'
        f'<svg class="chart" role="img" aria-label="{label}" width="100%" height="{height}">{"".join(drawn)}</svg>'
        f'<ul class="figures">{"".join(texts)}</ul></div></figure>'
    )


def cell_bars(cell, names, palette):
    """A timed cell: how many times faster than json's best each library is at its best, and over the middle half of rounds."""
    base = cell.values.get(BASELINE)
    rows = []
    for name in names:
        if name in cell.wrong or "all" in cell.wrong:
            rows.append((name, 0, "wrong", cell.wrong.get(name) or cell.wrong["all"], None))
        elif name in cell.values and base:
            value, spread = cell.values[name], cell.spread.get(name)
            middle = tuple(base / spread[one] for one in ("p75", "p50", "p25")) if spread else None
            text = f"{base / value:.2f}" + (f" {DIFFERS}" if name in cell.differs else "")
            rows.append((name, base / value, text, _spread_tip(name, cell, spread), middle))
    peer = summary.fastest_peer(cell)
    value = summary.lead(cell)
    mark = badge(value, peer, summary.is_close(cell))
    note = f"{bytes_text(cell.byte_len)}, json {time_text(base)}" if base else bytes_text(cell.byte_len)
    return bars(cell.document, rows, palette, mark, note, OWN in cell.wrong or (value is not None and value < 1))


def _spread_tip(name, cell, spread):
    text = f"{name} on {cell.document}: {time_text(cell.values[name])}"
    if name in cell.differs:
        text += f", {cell.differs[name]}"
    if cell.byte_len:
        text += f", {cell.byte_len / cell.values[name]:.3g} GB/s"
    if spread:
        labels = {"min": "best", "p25": "quarter", "p50": "median", "p75": "three quarters", "max": "worst"}
        text += f". Rounds {spread['rounds']}: " + ", ".join(f"{label} {time_text(spread[key])}" for key, label in labels.items())
    return text


def memory_bars(cell, title, names, palette):
    rows = [
        (name, max(0, cell.values[name]), bytes_text(cell.values[name]), f"{name}: {cell.values[name]:,} bytes", None)
        for name in names
        if name in cell.values
    ]
    rows += [(name, 0, "failed", what, None) for name, what in cell.wrong.items()]
    mark = f'<span class="badge lose">{LOST} more than the least</span>' if needs_more(cell) else ""
    return bars(title, rows, palette, mark, f"text {bytes_text(cell.byte_len)}", bool(mark))


def after_bars(cell, title, names, palette):
    rows = [
        (name, ratio, f"{ratio:.2f}", f"{name}: {time_text(cell.values[name])}", None)
        for name in names
        if (ratio := after_ratio(cell, name)) is not None
    ]
    rows += [(name, 0, "failed", what, None) for name, what in cell.wrong.items()]
    is_behind = costs_more(cell)
    mark = f'<span class="badge lose">{LOST} more than json\'s</span>' if is_behind else ""
    return bars(title, rows, palette, mark, bytes_text(cell.byte_len), is_behind)


def _mean_tip(totals, name, value):
    some = " of the documents that it can do" if name in totals["partial"] else ""
    return f"{name}: {value:.2f} times faster than json, geometric mean{some}"


def mean_bars(title, totals, names, palette):
    """A group's geometric means."""
    rows = [
        (name, value, mean_text(totals, name), _mean_tip(totals, name, value), None)
        for name in names
        if (value := totals["mean"].get(name)) is not None
    ]
    value = totals["lead_of_means"]
    return bars(title, rows, palette, badge(value, totals["best_peer"]), is_behind=value is not None and value < 1)


_RATIO_TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50, 100)


def lead_strips(rows):
    """The distribution of ocior / fastest peer: a strip per row of (title, cells), a mark per cell, on one log axis."""
    leads = [one for _, cells in rows for cell in cells if (one := summary.lead(cell)) is not None]
    if not leads:
        return ""
    low, high = min(0.7, min(leads)) / 1.08, max(1.5, max(leads)) * 1.08

    def place(value):
        return _percent(math.log(value / low) / math.log(high / low))

    ticks = [tick for tick in _RATIO_TICKS if low <= tick <= high]
    shown = _spaced([math.log(tick / low) / math.log(high / low) for tick in ticks], 0.085, ticks.index(1))
    grid = "".join(f'<line class="{"even" if tick == 1 else "tick"}" x1="{place(tick)}" x2="{place(tick)}" y2="100%"/>' for tick in ticks)
    axis = _axis_texts([(place(ticks[number]), f"{ticks[number]:g}") for number in shown])
    strips = "".join(_strip(title, cells, place, grid) for title, cells in rows)
    return f'<div class="strips">{axis}{strips}{axis}</div>'


def _strip(title, cells, place, grid):
    led = [(one, cell) for cell in cells if (one := summary.lead(cell)) is not None]
    if not led:
        return ""
    ordered = sorted(one for one, _ in led)
    lost = sum(one < 1 for one in ordered)
    quarter, middle, three = (place(quantile(ordered, part)) for part in (0.25, 0.5, 0.75))
    box = (
        f'<line class="box" x1="{quarter}" x2="{three}" y1="{_STRIP / 2}" y2="{_STRIP / 2}"/>'
        f'<line class="median" x1="{middle}" x2="{middle}" y1="6" y2="{_STRIP - 6}"/>'
    )
    marks = []
    for number, (one, cell) in enumerate(led):
        tip = f"{cell.document}, {BY_NAME[cell.group].title}: {one:.2f} times {summary.fastest_peer(cell)}'s speed"
        height = 10 + (number * 7) % (_STRIP - 20)
        inner = '<path d="M-5-4H5L0 5Z"/>' if one < 1 else '<circle r="4.5"/>'
        marks.append(
            f'<svg class="mark {"lose" if one < 1 else "win"}" x="{place(one)}" y="{height}" overflow="visible" '
            f'data-tip="{escape(tip)}"><circle class="reach" r="10"/>{inner}</svg>'
        )
    said = f"median {median(ordered):.2f}, worst {ordered[0]:.2f}, "
    said += f'<b class="lose">{LOST} behind in {lost} of {len(led)}</b>' if lost else f"ahead in all {len(led)}"
    return (
        f'<figure class="strip"><figcaption><b>{escape(title)}</b> <small>{said}</small></figcaption>'
        f'<svg class="chart" role="img" aria-label="{escape(title)}: median {median(ordered):.2f}, behind in {lost} of {len(led)}" '
        f'width="100%" height="{_STRIP}">{grid}{box}{"".join(marks)}</svg></figure>'
    )


def lines(title, series, palette, x_text, y_text, x_ticks=None, note="", mark="", is_log_y=True):
    """Lines through points on a log x axis. `series`: {name: [(x, y, tip)]}; the axes' texts come from functions of a value."""
    points = [point for one in series.values() for point in one]
    x_low, x_high = min(x for x, *_ in points), max(x for x, *_ in points)
    y_low, y_high = min(y for _, y, _ in points), max(y for _, y, _ in points)
    x_ticks = x_ticks or _decades(x_low, x_high)
    y_ticks = _steps(y_low, y_high) if is_log_y else [one for one in (1, 2, 4, 8, 16, 32, 64) if one <= max(2, y_high * 1.2)]
    y_low, y_high = min([y_low, *y_ticks]), max([y_high, *y_ticks])

    def across(value):
        return 0.14 + 0.82 * (math.log(value / x_low) / math.log(x_high / x_low) if x_high > x_low else 0.5)

    def up(value):
        return 0.93 - 0.83 * (math.log(value / y_low) / math.log(y_high / y_low) if y_high > y_low else 0.5)

    drawn = [
        f'<line class="tick" x2="100%" y1="{_percent(up(tick))}" y2="{_percent(up(tick))}"/>'
        f'<text x="0" y="{_percent(up(tick))}" dy="-2">{y_text(tick)}</text>'
        for tick in y_ticks
    ]
    for name in sorted(series, key=lambda name: name == OWN):  # ocior above the rest
        ordered = sorted(series[name])
        kind, dash = palette.css_class(name), palette.dash(name)
        for (x, y, _), (next_x, next_y, _) in zip(ordered, ordered[1:]):
            ends = f'x1="{_percent(across(x))}" y1="{_percent(up(y))}" x2="{_percent(across(next_x))}" y2="{_percent(up(next_y))}"'
            drawn.append(f'<line class="line {kind}" {ends} stroke-dasharray="{dash}"/>')
        for x, y, tip in ordered:
            where = f'cx="{_percent(across(x))}" cy="{_percent(up(y))}"'
            circles = f'<circle class="reach" {where} r="10"/><circle class="point" {where} r="3.5"/>'
            drawn.append(f'<g class="{kind}" data-tip="{escape(tip)}">{circles}</g>')
    shown = _spaced([across(tick) for tick in x_ticks], 0.12)
    axis = _axis_texts([(_percent(across(x_ticks[one])), x_text(x_ticks[one])) for one in shown])
    return (
        f'<figure class="lines{" behind" if mark else ""}">{_caption(title, note, mark)}'
        f'<svg class="chart" role="img" aria-label="{escape(title)}" width="100%" height="{_PLOT}">{"".join(drawn)}</svg>'
        f"{axis}</figure>"
    )


def growth(title, cells, names, palette):
    """Nanoseconds per byte of text against its size, for the cells of one shape in one group."""
    series = {}
    for name in names:
        for cell in cells:
            if name in cell.values:
                value, cost = cell.values[name], cell.values[name] / cell.byte_len
                tip = f"{name}, {bytes_text(cell.byte_len)}: {cost:.3g} ns per byte, {time_text(value)}"
                series.setdefault(name, []).append((cell.byte_len, cost, tip))
    led = [(one, cell) for cell in cells if (one := summary.lead(cell)) is not None]
    behind = ", ".join(size_name(cell.nominal_len) for one, cell in led if one < 1)
    note = "ahead at every size" if led and not behind else ""
    mark = f'<span class="badge lose">{LOST} behind at {behind}</span>' if behind else ""
    return lines(title, series, palette, lambda size: size_name(round(size)), lambda cost: f"{cost:g} ns", note=note, mark=mark)


def _axis_texts(texts):
    drawn = "".join(f'<text x="{place}" y="12" text-anchor="middle">{text}</text>' for place, text in texts)
    return f'<svg class="axis" width="100%" height="16" aria-hidden="true">{drawn}</svg>'


def _caption(title, note, mark):
    return f"<figcaption><b>{escape(title)}</b> <small>{escape(note)}</small> {mark}</figcaption>"


def _percent(fraction):
    return f"{100 * fraction:.2f}%"


def _decades(low, high):
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    found = [10.0**power for power in range(first, last + 1) if low * 0.8 <= 10.0**power <= high * 1.2]
    return found or [low, high]


def _steps(low, high):
    """Ticks of a log axis around what it shows: powers of ten, and 2 and 5 between them where there is room."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    parts = (1, 2, 5) if high / low < 60 else (1,)
    every = sorted(part * 10.0**power for power in powers for part in parts)
    below = max((one for one in every if one <= low), default=every[0])
    return [one for one in every if below <= one <= high * 1.05] or [below]


def _spaced(places, least, always=0):
    """The numbers of those of increasing places that stand this far from each other, starting from one."""
    kept = [always]
    for number in range(always + 1, len(places)):
        if places[number] - places[kept[-1]] >= least:
            kept.append(number)
    for number in range(always - 1, -1, -1):
        if places[kept[0]] - places[number] >= least:
            kept.insert(0, number)
    return [number for number in kept if 0.02 <= places[number] <= 0.98]
