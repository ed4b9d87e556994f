"""The command `python -m ocior.bench`: measures, or takes earlier results; prints the tables, writes the files asked for."""

import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

from ocior.bench import groups, libraries, options, results as results_file


def main(argv=None):
    chosen = options.parse(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # an encoding that lacks our signs
    try:
        with _termination_as_exit():
            results = results_file.load(chosen.show) if chosen.show else _measured(chosen)
        earlier = results_file.load(chosen.compare) if chosen.compare else None
    except (OSError, ValueError, LookupError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        print("interrupted" + (f"; --resume goes on from {chosen.json}" if chosen.json else ""), file=sys.stderr)
        return 128 + signal.SIGINT
    return _report(chosen, results, earlier)


@contextmanager
def _termination_as_exit():
    """SIGTERM ends the run as Ctrl-C does: the measuring process goes with it, and what is on disk for it."""

    def leave(*_):
        raise SystemExit(128 + signal.SIGTERM)

    try:
        before = signal.signal(signal.SIGTERM, leave)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _measured(chosen):
    from ocior.bench import measuring

    earlier = None
    if chosen.resume and os.path.exists(chosen.json):
        earlier = results_file.load(chosen.json)
    if chosen.compare:
        results_file.load(chosen.compare)  # better now than after the measuring
    measured = libraries.available(chosen.libraries, chosen.adapter)
    return measuring.measure_all(chosen, measured, earlier)


def _report(chosen, results, earlier):
    from ocior.bench import compare, markdown, summary, tables, terminal

    changes = compare.compare(results, earlier) if earlier else None
    found = tables.all_tables(results, changes)
    refused = [f"{name} was not measured: {what}" for name, what in results.refused.items()]
    heading, ending = _heading(results.machine), [*results.notes, *refused, *_problem_lines(results)]
    if chosen.show and chosen.json:
        results.save(chosen.json)
    if not chosen.no_tables:
        terminal.print_all(found, heading, ending)
    if chosen.markdown:
        _write(chosen.markdown, markdown.page(found, heading, ending))
    if chosen.html:
        from ocior.bench import page

        _write(chosen.html, page.make(results, found, changes, heading, ending))
    return 1 if results.refused or any(name in (libraries.OWN, "all") for _, name, _ in summary.problems(results.cells)) else 0


def _write(path, text):
    Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")  # names of files may be no text


def _heading(facts):
    versions = ", ".join(f"{name} {version}" for name, version in facts["libraries"].items())
    build = "optimized" if facts["optimized"] else "without profile-guided optimization"
    build += ", free-threaded" if facts["free_threaded"] else ""
    governor = f"governor {facts['governor']}" if facts["governor"] else "governor unknown"
    load = facts["load_average"]
    busy = f"load average {load[0]} before, {(facts.get('load_average_at_end') or ['?'])[0]} after" if load else "load unknown"
    return [
        f"{facts['processor']}, {facts['processors']} processors, {governor}, {busy}",
        f"{facts['implementation']} {facts['python']} ({build}), {facts['compiler']}",
        f"{versions}; ocior's level: {facts['ocior'].get('level', '?')}",
        f"{facts['system']}; timer: {facts['timer']}; {facts['time']}",
    ]


def _problem_lines(results):
    from ocior.bench import summary

    return [
        f"{name} on {cell.document} ({groups.BY_NAME[cell.group].title}, {cell.condition}): {what}"
        for cell, name, what in [*summary.problems(results.cells), *summary.differences(results.cells)]
    ]


if __name__ == "__main__":
    sys.exit(main())
