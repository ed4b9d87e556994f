"""Threads that parse and write at once: the same documents and others, in hooks that let others run, many threads and short ones, at exit and
after a fork."""

import json
import sys
import time

import pytest
from support import HAS_GIL, call, check_python
from threads import DOCUMENTS, together

import ocior


def test_parallel_loads_and_dumps():
    expected = [call(json.loads, document) for document in DOCUMENTS]

    def work(number):
        for turn in range(40):
            index = (turn + number) % len(DOCUMENTS)
            for source in (DOCUMENTS[index], DOCUMENTS[index].encode()):
                outcome = call(ocior.loads, source, object_hook=(lambda obj: obj) if turn % 3 == 0 else None)
                if expected[index].error is None:
                    assert outcome.value == expected[index].value
                    assert ocior.dumps(outcome.value) == json.dumps(expected[index].value)
                    assert (
                        ocior.dumps_to_bytes(outcome.value, indent=turn % 4)
                        == json.dumps(expected[index].value, indent=turn % 4, ensure_ascii=False).encode()
                    )
                else:
                    assert outcome.error.pos == expected[index].error.pos

    together(work)


def test_texts_that_are_shared_by_all_calls():
    """Those of empty values and words may be one object each: counted by many threads, kept, hashed, interned and let go of."""
    values = [None, True, False, "", [], (), {}]

    def work(number):
        kept = []
        for step in range(4000):
            for value in values:
                text, data = ocior.dumps(value), ocior.dumps_to_bytes(value)
                if step % 1000 == number:
                    kept += [text, data]
                if step % 100 == 0:
                    assert (text, data) == (json.dumps(value), json.dumps(value).encode())
                    assert type(text) is str and type(data) is bytes and text == data.decode()
                    assert hash(text) == hash(json.dumps(value)) and hash(data) == hash(bytes(bytearray(data)))
                    assert sys.intern(text) == text and data + b"!" == bytes(bytearray(data)) + b"!" and memoryview(data)[-1] == data[-1]
        del kept

    together(work)
    if not HAS_GIL and hasattr(sys, "_is_immortal"):
        for value in values:
            assert sys._is_immortal(ocior.dumps(value)) and sys._is_immortal(ocior.dumps_to_bytes(value))


def test_hooks_switch_threads_in_the_middle():
    """Hooks that let others run: the calls of several threads are open at the same time, at several depths."""

    class Unknown:
        pass

    def work(number):
        def hook(value):
            time.sleep(0)
            return {**value, "by": number}

        def default(obj):
            time.sleep(0)
            return [number]

        for turn in range(30):
            document = '[{"a":%d,"t":{"b":"\u4e2d%d"}},{"a":%d}]' % (turn, number, turn)
            assert ocior.loads(document, object_hook=hook) == [
                {"a": turn, "t": {"b": f"\u4e2d{number}", "by": number}, "by": number},
                {"a": turn, "by": number},
            ]
            assert ocior.dumps([Unknown(), {"x" * turn: Unknown()}], default=default) == json.dumps([[number], {"x" * turn: [number]}])

    together(work)


def test_many_short_threads():
    """Working memory that belongs to a thread or to a pool is given back: hundreds of threads come and go."""
    results = []
    for _ in range(30):

        def work(number):
            value = ocior.loads(DOCUMENTS[number % 4])
            results.append(len(ocior.dumps(value)))

        together(work, 8)
    assert len(results) == 240


def test_more_threads_than_a_pool_has_places_for():
    """Without a GIL a thread has a place of its own in a pool, as long as there are any."""
    value = {"number": 1, "items": [1.5, None, "\u4e2d"]}
    texts = [json.dumps(value, indent=indent, ensure_ascii=False) for indent in range(1, 4)]

    def work(number):
        for turn in range(30):
            indent = (number + turn) % 3 + 1
            assert ocior.dumps(value, indent=indent, ensure_ascii=False) == texts[indent - 1]
            assert ocior.dumps_to_bytes(value, indent=indent) == texts[indent - 1].encode()
            assert ocior.loads(texts[indent - 1]) == value

    together(work, 100)


def test_exit_while_threads_work():
    """The interpreter ends with daemon threads inside calls."""
    check_python(
        """
        import threading, time, ocior
        document = "[" + ",".join('{"a": "%s"}' % ("x" * 50) for _ in range(5000)) + "]"
        def work():
            while True:
                ocior.dumps(ocior.loads(document))
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
    """,
        timeout=60,
    )


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork")
def test_fork():
    """A child of a process with several threads can go on using the library."""
    check_python(
        """
        import os, threading, ocior, warnings
        warnings.simplefilter("ignore")
        stop = False
        def work():
            while not stop:
                ocior.loads(ocior.dumps([{"a": list(range(200))}] * 20))
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(5):
            child = os.fork()
            if child == 0:
                for _ in range(20):
                    assert ocior.loads(ocior.dumps({"a": [1, "x"]})) == {"a": [1, "x"]}
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        stop = True
        for thread in threads:
            thread.join()
    """,
        timeout=60,
    )
