#!/usr/bin/env python3
"""Threads that encode, decode and edit the same objects for a while: lists, dicts, instances, deques, encoders.

usage: python tests/long/stress_threads.py [SECONDS [THREADS]]        (60, 4)

It is meant for an interpreter without a GIL, at best one that is instrumented: CPython 3.14 configured with --disable-gil
--with-thread-sanitizer, ocior with -DOCIOR_SANITIZE=thread, and in the environment

    TSAN_OPTIONS="suppressions=Tools/tsan/suppressions_free_threading.txt log_path=report"

of CPython's source tree. Races that are reported there and are none: bytes behind a short string that are read, because whole vectors
are, and thrown away (Vec::load_upto in levels without masked loads), and the header of a new object in memory whose former object another
thread may still look at (init_header; CPython writes it by relaxed atomic stores, which are the same instructions). The lines
"race:ocior::simd::load_beyond" and "race:ocior::layout::init_header", added to the suppressions, hide these two where ocior has its debug
information; what is left is worth a look. Errors of Python about containers that have changed are counted and printed; anything else ends
the program.

An instrumented interpreter has pages of mimalloc of another layout, so page_blocks and container_headers are off there: run it under a
usual one, too.
"""

import collections
import dataclasses
import datetime
import enum
import json
import random
import sys
import threading
import time
import uuid

import ocior


class Color(enum.Enum):
    RED = 1
    NAMED = "b"


class Derived(dict):
    pass


@dataclasses.dataclass
class Point:
    x: object
    y: object


@dataclasses.dataclass
class Slots:
    __slots__ = ("a", "b")
    a: object
    b: object


class Encoder(ocior.JSONEncoder):
    pass


class DefaultingEncoder(ocior.JSONEncoder):
    def default(self, o):
        return [type(o).__name__, self.indent]


class Shared:
    """What all threads see."""

    def __init__(self):
        self.list = [1, 2.5, "a", "\u4e2d" * 5, None, True, {"k": [1, 2]}]
        self.dict = {f"k{i}": [i, {"n": i}] for i in range(20)}
        self.derived = Derived(a=1, b=[2])
        self.point = Point([1, 2], {"a": 1})
        self.slots = Slots("x", [1])
        self.deque = collections.deque(range(10))
        rest = (Color.NAMED, datetime.datetime.now(), uuid.uuid4())
        self.root = [self.list, self.dict, self.derived, self.point, self.slots, self.deque, *rest]
        rows = [{f"key{i % 17}": i, "name": "\u4e2d" * (i % 9), "sub": {"x": [1.5, None, "a\n"]}} for i in range(60)]
        self.documents = [json.dumps(rows), json.dumps(rows, ensure_ascii=False)]
        self.encoders = [Encoder(ensure_ascii=False), DefaultingEncoder(indent=1)]
        self.decoder = ocior.JSONDecoder()


def edit_encoder(encoder, rng):
    kind = rng.randrange(5)
    if kind == 0:
        encoder.sort_keys = rng.random() < 0.3
    elif kind == 1:
        encoder.__dict__ = dict(vars(encoder), indent=rng.choice((None, 2)))
    elif kind == 2:
        vars(encoder)[f"more{rng.randrange(20)}"] = [1]
    elif kind == 3:
        vars(encoder).pop(f"more{rng.randrange(20)}", None)
    else:
        type(encoder).mark = rng.random()


def edit(shared, rng):
    kind = rng.randrange(7)
    if kind == 0:
        shared.list.append(rng.random()) if len(shared.list) < 50 else shared.list.clear()
    elif kind == 1:
        shared.list[:] = ["x" * rng.randrange(40), rng.randrange(10**9), [1, "a"]]
    elif kind == 2:
        shared.dict[f"k{rng.randrange(40)}"] = [rng.random(), {"n": "\xe9"}]
    elif kind == 3:
        shared.dict.pop(f"k{rng.randrange(40)}", None)
    elif kind == 4:
        shared.point.x = [rng.random()]
        shared.slots.a = "y" * rng.randrange(30)
    elif kind == 5:
        edit_encoder(rng.choice(shared.encoders), rng)
    else:
        shared.derived[rng.choice("abcd")] = {"z": rng.random()}
        shared.deque.append(1)
        shared.deque.popleft()


def use(shared, rng):
    kind = rng.randrange(7)
    if kind < 2:
        ocior.dumps(shared.root, default=ocior.default, indent=rng.choice((None, 2)))
    elif kind == 2:
        ocior.dumps_to_bytes(shared.root, default=ocior.default, sort_keys=rng.random() < 0.3)
    elif kind == 3:
        text = rng.choice(shared.documents)
        ocior.loads(text if rng.random() < 0.5 else text.encode())
    elif kind == 4:
        rng.choice(shared.encoders).encode([shared.list, shared.dict])
        for encoder in shared.encoders:
            encoder.encode([1, 2])
        shared.decoder.decode(shared.documents[0])
    elif kind == 5:
        ocior.dumps(shared.dict)
        ocior.dumps_to_bytes(shared.list)
    else:
        "".join(rng.choice(shared.encoders).iterencode([shared.dict, shared.list]))


def main(seconds=60.0, threads=4):
    shared, end = Shared(), time.monotonic() + seconds
    counts, told, failures = [0] * threads, collections.Counter(), []

    def work(number):
        rng = random.Random(number)
        while time.monotonic() < end and not failures:
            counts[number] += 1
            try:
                (edit if rng.random() < 0.45 else use)(shared, rng)
            except (RuntimeError, IndexError) as error:
                told[str(error)] += 1
            except BaseException as error:
                failures.append(error)

    running = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    print(f"{sum(counts)} steps of {threads} threads; {dict(told)}")
    if failures:
        raise failures[0]


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]), *map(int, sys.argv[2:3]))
