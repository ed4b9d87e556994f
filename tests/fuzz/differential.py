#!/usr/bin/env python3
"""Differential fuzzing without end: random values, keywords and damaged documents, ocior against json.

usage: python tests/fuzz/differential.py [COUNT [SEED]] [--jobs N]     e.g. differential.py 1000000 7 --jobs 8

One round dumps one value with random keywords, loads what came out, and loads damaged forms of it. dumps, dumps_to_bytes and
loads are part of every round; of the other roads each round takes some by chance, and the count at the end says how often
each was compared. A failure prints the round's seed, and `differential.py 1 SEED` repeats it.
"""

import argparse
import faulthandler
import json
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "python", "shared"), HERE]

import roads  # noqa: E402
from generator import Generator  # noqa: E402
from support import call, json_to_bytes  # noqa: E402

import ocior  # noqa: E402

ENCODINGS = ("utf-16", "utf-32", "utf-8-sig", "utf-16-be", "utf-32-le")
MOST_FAILURES = 20  # enough to see what is wrong
BLOCK = 5_000  # rounds that a process of its own makes at a time


def write_round(generator):
    """One value written by all of dumps and dumps_to_bytes and some other roads; json's text of it, None if it has none."""
    value, keywords = generator.value(generator.below(5)), generator.encode_keywords()
    if generator.below(100) == 0 and keywords.get("check_circular", True):
        value = generator.circle(value)
    theirs = call(json.dumps, value, **keywords)
    roads.compare("dumps", call(ocior.dumps, value, **keywords), theirs, value, **keywords)
    ours, their_bytes = call(ocior.dumps_to_bytes, value, **keywords), call(json_to_bytes, value, **keywords)
    if isinstance(ours.error, UnicodeError):
        assert their_bytes.error is not None, f"dumps_to_bytes({value!r}, {keywords}) {ours.error!r}"
    else:
        roads.compare("dumps_to_bytes", ours, their_bytes, value, **keywords)
    other = generator.below(8)
    if other == 0:
        if generator.below(100) == 0 and theirs.value:  # more than is written at a time
            value = [value] * (1 + 100_000 // len(theirs.value))
        roads.same_dump(value, **keywords)
        roads.same_dump_bytes(value, **keywords)
    elif other == 1:
        roads.same_encoder(value, **keywords)
    elif other == 2:
        roads.same_encoder_class(generator.below(6), value, **keywords)
    elif other == 3:
        roads.same_basestring(generator.text() if generator.below(20) else generator.value(1))
    return theirs.value


def read_round(generator, document):
    """That document, and damaged forms of it, read by loads and some other roads."""
    keywords = generator.decode_keywords()
    raw = document.encode("utf-8", "surrogatepass")
    damaged = generator.damage(raw)
    try:
        damaged_text = damaged.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        damaged_text = damaged.decode("latin-1")
    inputs = [document, raw, damaged, damaged_text]
    if generator.below(20) == 0:
        inputs.append(document.encode(generator.pick(ENCODINGS), "surrogatepass"))
        inputs.append(generator.damage(inputs[-1]))
    for source in inputs:
        roads.compare_read("loads", call(ocior.loads, source, **keywords), call(json.loads, source, **keywords), source, **keywords)
    other, source = generator.below(8), generator.pick(inputs)
    text = source if isinstance(source, str) else damaged_text
    if other == 0:
        roads.same_load(source, **keywords)
        if not isinstance(source, str):
            roads.same_detect_encoding(source)
    elif other == 1:
        roads.same_decoder(text if generator.below(20) else source, **keywords)
    elif other == 2:
        roads.same_decoder_class(generator.below(5), source, **keywords)
    elif other == 3:
        roads.same_raw_decode(text, generator.place(len(text)) if generator.below(2) else 0, **keywords)
        roads.same_scanner(text, generator.place(len(text)) if generator.below(2) else 0, **keywords)
    elif other == 4:
        quote = text.find('"', generator.below(len(text) + 1))  # the start of a string, or its end
        index = quote + 1 if generator.below(8) else generator.place(len(text))
        roads.same_scanstring(text, index, *generator.pick(((), (True,), (False,))))


def one_round(seed):
    generator = Generator(seed)
    document = write_round(generator)
    if document is not None:
        read_round(generator, document)


def run_block(first, count):
    """Those rounds; what was compared, and the failures as text. It ends early when there is enough to see."""
    roads.counts.clear()
    failures = []
    for seed in range(first, first + count):
        try:
            one_round(seed)
        except AssertionError as error:
            failures.append(f"round {seed} failed:\n{str(error)[:3000]}")
            if len(failures) == MOST_FAILURES:
                break
    return seed + 1 - first, Counter(roads.counts), failures


def blocks(first, count, jobs):
    """The result of every block as it comes, from this process or from some others."""
    starts = {start: min(BLOCK, first + count - start) for start in range(first, first + count, BLOCK)}
    if jobs == 1:
        yield from (run_block(start, size) for start, size in starts.items())
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting = {pool.submit(run_block, start, size): start for start, size in starts.items()}
        try:
            for done in as_completed(waiting):
                yield done.result()
                del waiting[done]
        except BrokenProcessPool:
            crashed = sorted(waiting.values())[: jobs + 1]
            yield 0, Counter(), [f"a process crashed in one of the blocks of {BLOCK} rounds from {', '.join(map(str, crashed))}"]
        finally:
            pool.shutdown(cancel_futures=True)


def main():
    parser = argparse.ArgumentParser(description="Differential fuzzing, ocior against json")
    parser.add_argument("count", nargs="?", type=int, default=100_000, metavar="COUNT", help="how many rounds")
    parser.add_argument("seed", nargs="?", type=int, metavar="SEED", help="the first round's seed; the next ones count up")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes to share the rounds among")
    options = parser.parse_args()
    faulthandler.enable()
    first = random.SystemRandom().randrange(10**12) if options.seed is None else options.seed
    print(f"{options.count} rounds from seed {first}, {ocior.get_current_features()}", flush=True)
    start = shown = time.monotonic()
    rounds, counts, failed = 0, Counter(), 0
    for done, compared, failures in blocks(first, options.count, options.jobs):
        rounds, counts, failed = rounds + done, counts + compared, failed + len(failures)
        for failure in failures:
            print(f"\n{failure}", flush=True)
        if failed >= MOST_FAILURES:
            break
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print(f"{rounds} rounds, {rounds / (shown - start):.0f} a second, {failed} failures", flush=True)
    for kind, count in sorted(counts.items()):
        print(f"{count:12,}  {kind}")
    seconds = time.monotonic() - start
    print(
        f"done: {rounds:,} rounds, {sum(counts.values()):,} comparisons in {seconds:.0f} s, "
        f"{rounds / seconds:.0f} a second, {failed} failures"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
