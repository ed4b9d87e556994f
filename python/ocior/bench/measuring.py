"""Goes through a plan: takes each cell from earlier results or measures it, and writes the results file after each."""

import tempfile
from pathlib import Path
from time import monotonic

from ocior.bench import conditions, groups, isolation, machine, memory, peak, plan, runner
from ocior.bench.progress import Progress
from ocior.bench.results import Results, cell_key

# In units of a job's weight: what the memory measurements take of the bar.
_MEMORY_WEIGHT, _PEAK_WEIGHT = 4.0, 0.5
_QUICK_DOCUMENTS = 100


def measure_all(options, libraries, earlier=None):
    """Results of all that the options ask for. `earlier` are results to go on from."""
    results = Results(machine.describe(libraries), _settings(options))
    reusable = earlier.by_key() if earlier else {}
    with tempfile.TemporaryDirectory(prefix="ocior-bench-") as name:
        directory = Path(name)
        found, made = plan.make_documents(options, directory)
        jobs = plan.jobs(options, found, made, directory)
        total = sum(job.weight or _PEAK_WEIGHT for job in jobs) + _MEMORY_WEIGHT * ("left" in options.conditions)
        with Progress(total) as progress:
            _measure_jobs(options, libraries, results, reusable, jobs, directory, progress)
            if "left" in options.conditions:
                _measure_left(options, libraries, results, reusable, directory, progress)
    if "threads" in options.conditions and conditions.has_gil():
        results.notes.append("threads: not measured, this interpreter has a GIL, so that threads take turns and cannot scale")
    results.machine["load_average_at_end"] = machine.load_average()
    _save(options, results)
    return results


def _settings(options):
    wanted = ("seconds", "cell_seconds", "rounds", "quick", "groups", "conditions", "shapes", "sizes")
    return {name: getattr(options, name) for name in wanted}


def _save(options, results):
    if options.json:
        results.save(options.json)


def _effort(options):
    """What makes one cell's figures firmer than another's, for its key."""
    if options.rounds:
        return f"{options.rounds} rounds"
    return f"{options.cell_seconds} s each" if options.cell_seconds else f"{options.seconds} s in all"


def _measure_jobs(options, libraries, results, reusable, jobs, directory, progress):
    shelf = plan.Shelf(jobs)
    todo = []  # the documents of cells that have to be measured are on disk by then
    keys = {}
    for job in jobs:
        keys[job] = cell_key(job.group, job.document, job.condition, libraries, results.machine, _effort(options))
        if keys[job] not in reusable:
            todo.append(job)
    remaining = sum(job.weight for job in todo)
    deadline = monotonic() + options.seconds
    last = None
    for job in jobs:
        if last is not None and job.document is not last:
            progress.finished(last.name)
        last = job.document
        progress.now(f"{job.document.name}: {job.group.title}")
        if keys[job] in reusable:
            results.cells.append(reusable[keys[job]])
        else:
            shelf.take(job.document)
            if job.group.needs_non_ascii and not isolation.run(lambda job=job: job.document.has_non_ascii):
                cell = None
            else:
                # What one cell took too long, all that follow make up for.
                share = max(0.0, deadline - monotonic()) * job.weight / remaining if remaining else 0.0
                cell = _measure(job, libraries, options.cell_seconds or share, options.rounds, directory)
            remaining -= job.weight
            if cell is not None:
                cell.key = keys[job]
                results.cells.append(cell)
                _save(options, results)
        shelf.give_back(job.document)
        progress.advance(job.weight or _PEAK_WEIGHT)
    if last is not None:
        progress.finished(last.name)


def _measure(job, libraries, seconds, rounds, directory):
    if job.condition.name == "peak":
        return _measure_peak(job, libraries, directory)
    return runner.measure(job.group, job.document, libraries, seconds, job.condition, rounds)


def _measure_peak(job, libraries, directory):
    cell = runner.new_cell(job.group, job.document, job.condition, "bytes")
    if not runner.fits(job.document):
        cell.wrong["all"] = "not measured: too little memory on this machine"
        return cell
    path = directory / "peak.marshal"
    isolation.run(peak.freeze, job.group, job.document, path)
    for library in libraries:
        if job.group.name not in library.calls:
            continue
        found = memory.run_program("ocior.bench.peak", (library.spec, job.group.name, path))
        if "error" in found:
            cell.wrong[library.name] = found["error"]
        else:
            cell.values[library.name] = found["peak"]
    path.unlink()
    cell.rounds = 1
    return cell


def _measure_left(options, libraries, results, reusable, directory, progress):
    """Two cells per road, encoding and decoding, on documents of their own."""
    count = memory.affordable_count(_QUICK_DOCUMENTS if options.quick else memory.FULL_COUNT)
    if not count:
        results.notes.append("left: not measured, too little memory on this machine, or it does not tell how much it has")
        return
    document = memory.described(count, directory)
    for road in memory.ROADS:
        pair = [(way, groups.BY_NAME[f"{verb}_{road}"]) for way, verb in (("encode", "dumps"), ("decode", "loads"))]
        condition = conditions.BY_NAME["left"]
        effort = f"{count} documents"
        keys = [cell_key(group, document, condition, libraries, results.machine, effort) for _, group in pair]
        if all(key in reusable for key in keys):
            results.cells += [reusable[key] for key in keys]
        else:
            progress.now(f"memory left behind: {road}")
            able = [one for one in libraries if all(group.name in one.calls for _, group in pair)]
            found = memory.measure_all(able, road, count)
            for key, (way, group) in zip(keys, pair):
                cell = runner.new_cell(group, document, condition, "bytes")
                cell.key, cell.rounds = key, 1
                for name, result in found.items():
                    if "error" in result:
                        cell.wrong[name] = result["error"]
                    else:
                        cell.values[name] = result[f"{way}_growth"]
                results.cells.append(cell)
            _save(options, results)
        progress.advance(_MEMORY_WEIGHT / len(memory.ROADS))
    progress.finished("memory left behind")
