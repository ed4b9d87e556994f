"""What the tests of threads share: documents to read, and work that many threads begin at the same time, here or in a process of its own."""

import inspect
import json
import sys
import textwrap
import threading

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


def together(work, count=6):
    """Run work(number) in `count` threads that start at the same time; the first error is raised here."""
    barrier, errors = threading.Barrier(count), []

    def body(number):
        try:
            barrier.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
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


def check_together(code):
    """Runs work(number) of this program in four threads, in a process of its own."""
    imports = "import sys, threading, time, ocior, json"
    check_python("\n".join([imports, inspect.getsource(together), textwrap.dedent(code), "together(work, 4)"]), timeout=60)
