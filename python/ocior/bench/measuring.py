"""Goes through a plan: takes each cell from earlier results or measures it, and keeps the results file up to date."""

import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

from ocior.bench import after, conditions, groups, isolation, machine, memory, peak, plan, runner
from ocior.bench.progress import Progress
from ocior.bench.results import Results, cell_key, is_of_same_place

# The results file is written after each cell, unless that would take more than this part of the time.
_SAVING_SHARE = 0.05
# In units of a job's weight: what the memory measurements take of the bar.
_MEMORY_WEIGHT, _PEAK_WEIGHT = 4.0, 0.5
_QUICK_DOCUMENTS = 100
# How often, and after how many seconds each, the machine is looked at before anything is measured.
_LOOKS_BEFORE, _BETWEEN_LOOKS = 10, 0.05


def measure_all(options, libraries, earlier=None):
    """Results of all that the options ask for. `earlier` are results to go on from."""
    _complain_before()
    bustle = machine.Bustle()
    results = Results(machine.describe(libraries), _settings(options))
    reusable = earlier.reusable() if earlier else {}
    with tempfile.TemporaryDirectory(prefix="ocior-bench-") as name:
        directory = Path(name)
        found, made = plan.make_documents(options, directory)
        found = _sift(found, results)
        kinds, missing = plan.make_documents_of_kinds(options, directory)
        results.notes += _lines_of_missing(missing)
        jobs = plan.jobs(options, found, made, directory, kinds)
        total = sum(job.weight or _PEAK_WEIGHT for job in jobs) + _MEMORY_WEIGHT * ("left" in options.conditions)
        file = _File(options.json, results, earlier)
        try:
            with Progress(total) as progress:
                _measure_jobs(options, libraries, results, reusable, file, jobs, directory, progress, bustle)
                if "left" in options.conditions:
                    _measure_left(options, libraries, results, reusable, file, directory, progress)
        except BaseException:
            if results.cells:
                file.save()
            raise
    if "threads" in options.conditions and (reason := conditions.why_no_threads()):
        results.notes.append(f"threads: not measured, {reason}")
    if complaint := bustle.complaint():
        results.notes.append(complaint)
    results.machine["load_average_at_end"] = machine.load_average()
    file.save()
    return results


def _complain_before():
    """Says at once that the machine is busy, and not only when all has been measured."""
    bustle = machine.Bustle()
    for _ in range(_LOOKS_BEFORE):
        bustle.look()
        sleep(_BETWEEN_LOOKS)
    if complaint := bustle.complaint():
        print(complaint, file=sys.stderr)


def _lines_of_missing(missing):
    """A line for each thing that is lacking, and not for each document that needs it."""
    return [
        f"{', '.join(name for name in missing if missing[name] == what)}: not measured, {what}" for what in dict.fromkeys(missing.values())
    ]


def _sift(found, results):
    """The documents that can be measured with. Looked at in children: a heap that has held them all is not the one to fork from."""
    usable = []
    for document in found:
        try:
            problem = isolation.run(document.problem)
        except RuntimeError as error:
            problem = str(error)
        if problem is None:
            usable.append(document)
        else:
            results.refused[document.name] = problem
    return usable


class _File:
    """The results file: what has been measured, and of earlier results what this run may yet take over, or does not ask for."""

    def __init__(self, path, results, earlier):
        self._path, self._results = path, results
        self._earlier = earlier.cells if earlier else []
        self._has_begun = False
        self._saved_at, self._took = 0.0, 0.0

    def add(self, cell, is_new=True):
        self._results.cells.append(cell)
        if not self._has_begun:
            self._begin(cell.key)
        if is_new and self._path and monotonic() - self._saved_at > self._took / _SAVING_SHARE:
            self.save()

    def _begin(self, key):
        self._has_begun = True
        kept = [cell for cell in self._earlier if is_of_same_place(cell.key, key)]
        if self._path and len(kept) < len(self._earlier):
            others = len(self._earlier) - len(kept)
            beside = f"{self._path}.before"
            shutil.copyfile(self._path, beside)
            print(
                f"{others} of {len(self._earlier)} earlier cells are of another build, interpreter, processor or set of libraries: "
                f"they stay in {beside}",
                file=sys.stderr,
            )
        self._earlier = kept

    def save(self):
        if not self._path:
            return
        start = monotonic()
        places = {_place(cell) for cell in self._results.cells}
        rest = [cell for cell in self._earlier if _place(cell) not in places]
        replace(self._results, cells=self._results.cells + rest).save(self._path)
        self._saved_at = monotonic()
        self._took = self._saved_at - start


def _place(cell):
    return cell.group, cell.document, cell.condition


def _settings(options):
    wanted = ("seconds", "cell_seconds", "rounds", "quick", "groups", "conditions", "shapes", "sizes")
    return {name: getattr(options, name) for name in wanted}


def _effort(options):
    """What makes one cell's figures firmer than another's, for its key."""
    if options.rounds:
        return f"{options.rounds} rounds"
    return f"{options.cell_seconds} s each" if options.cell_seconds else f"{options.seconds} s in all"


def _measure_jobs(options, libraries, results, reusable, file, jobs, directory, progress, bustle):
    shelf = plan.Shelf(jobs)
    todo = []  # the documents of cells that have to be measured are on disk by then
    keys = {}
    for job in jobs:
        keys[job] = cell_key(job.group, job.document, job.condition, libraries, results.machine, _effort(options))
        if keys[job] not in reusable:
            todo.append(job)
    if reusable:
        print(f"{len(jobs) - len(todo)} of {len(jobs)} cells are there already", file=sys.stderr)
    remaining = sum(job.weight for job in todo)
    deadline = monotonic() + options.seconds
    last = None
    for job in jobs:
        if last is not None and job.document is not last:
            progress.finished(last.name)
        last = job.document
        progress.now(f"{job.document.name}: {job.group.title}")
        if keys[job] in reusable:
            file.add(reusable[keys[job]], is_new=False)
        else:
            bustle.look()
            shelf.take(job.document)
            if job.group.needs_non_ascii and not _has_non_ascii(job.document):
                cell = None
            else:
                # What one cell took too long, all that follow make up for.
                share = max(0.0, deadline - monotonic()) * job.weight / remaining if remaining else 0.0
                cell = _measure(job, libraries, options.cell_seconds or share, options.rounds, directory)
            remaining -= job.weight
            if cell is not None:
                cell.key = keys[job]
                file.add(cell)
        shelf.give_back(job.document)
        progress.advance(job.weight or _PEAK_WEIGHT)
    if last is not None:
        progress.finished(last.name)


def _has_non_ascii(document):
    return isolation.run(lambda: document.has_non_ascii)


def _measure(job, libraries, seconds, rounds, directory):
    if job.condition.name == "peak":
        return _measure_frozen(job, libraries, directory, "bytes", _peaks)
    if job.condition.name.startswith("after="):
        return _measure_frozen(job, libraries, directory, after.UNIT, _after)
    return runner.measure(job.group, job.document, libraries, seconds, job.condition, rounds)


def _measure_frozen(job, libraries, directory, unit, measure_all):
    """A cell of programs, one per library, that start from the arguments in a file: measure_all(job, libraries, path) gives by library
    its figure and the number of rounds, or the error."""
    cell = runner.new_cell(job.group, job.document, job.condition, unit)
    if not runner.fits(job.document):
        cell.wrong["all"] = "not measured: too little memory on this machine"
        return cell
    path = directory / "arguments.marshal"
    try:
        isolation.run(peak.freeze, job.group, job.document, path)
    except RuntimeError as error:
        cell.wrong["all"] = str(error)
        return cell
    able = [library for library in libraries if job.group.name in library.calls]
    for name, (value, rounds, wrong) in measure_all(job, able, path).items():
        if wrong is None:
            cell.values[name] = value
            cell.rounds = max(cell.rounds, rounds)
        else:
            cell.wrong[name] = wrong
    path.unlink()
    return cell


def _peaks(job, libraries, path):
    found = {library.name: isolation.run_program("ocior.bench.peak", (library.spec, job.group.name, path)) for library in libraries}
    return {name: (result.get("peak"), 1, result.get("error")) for name, result in found.items()}


def _after(job, libraries, path):
    found = after.measure_all(libraries, job.group.name, job.condition.name.partition("=")[2], path)
    return {name: (result.get("ns"), result.get("rounds"), result.get("error")) for name, result in found.items()}


def _measure_left(options, libraries, results, reusable, file, directory, progress):
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
            for key in keys:
                file.add(reusable[key], is_new=False)
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
                file.add(cell)
        progress.advance(_MEMORY_WEIGHT / len(memory.ROADS))
    progress.finished("memory left behind")
