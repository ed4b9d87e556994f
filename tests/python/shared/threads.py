"""What the tests of threads share: documents to read, work that many threads begin at the same time, and races between those who edit and
those who write, here or in a process of its own."""

import json
import sys
import textwrap
import threading
import time

from support import check_python

DOCUMENTS = [
    json.dumps(
        [{f"key{index % 17}": index, "name": "\u4e2d" * (index % 9), "sub": {"x": [1.5, None, "a\n"]}} for index in range(60)],
        ensure_ascii=escape,
    )
    for escape in (True, False)
]
DOCUMENTS += [
    json.dumps({f"other{index}": [index] for index in range(200)}),
    json.dumps(["\xe9" * index for index in range(80)], ensure_ascii=False),
    "[1,x]",
    '{"a":1,}',
]


def together(work, count=6, switch_interval=1e-5):
    """Run work(number) in `count` threads that start at the same time; the first error is raised here."""
    barrier, errors = threading.Barrier(count), []

    def body(number):
        try:
            barrier.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(switch_interval)
    try:
        threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if errors:
        raise errors[0]


def race(edit, write, seconds, editors=2, writers=2, switch_interval=1e-5):
    """For so many seconds some threads call edit(turn), others write(turn), each with turns of its own. The first error is raised here, and
    ends the race."""
    end, failed = time.monotonic() + seconds, threading.Event()

    def work(number):
        task, turn, step = (edit, number, editors) if number < editors else (write, number - editors, writers)
        try:
            while time.monotonic() < end and not failed.is_set():
                turn += step
                task(turn)
        except BaseException:
            failed.set()
            raise

    together(work, editors + writers, switch_interval)


IMPORTS = "import sys, threading, time, ocior, json\nfrom threads import race, together\n"


def check_together(code):
    """Runs work(number) of this program in four threads, in a process of its own."""
    check_python(f"{IMPORTS}{textwrap.dedent(code)}\ntogether(work, 4)", timeout=60)


def check_race(code, seconds, timeout=60, env=None, **keywords):
    """Runs edit(turn) and write(turn) of this program in a race, in a process of its own, for so many seconds, with PATIENCE. The keywords
    are those of race()."""
    check_python(f"{IMPORTS}{textwrap.dedent(code)}\nrace(edit, write, {seconds} * PATIENCE, **{keywords})", timeout=timeout, env=env)
