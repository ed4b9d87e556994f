"""Readers in threads, processes and subinterpreters: each record comes once, none is lost, and nobody waits for ever."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import PATIENCE, check_python
from threads import together

import ocior
from ocior import lines

COUNT = 4000
LINES = b"".join(b'{"number": %d, "text": ["%s"]}\n' % (number, b"x" * (number % 50)) for number in range(COUNT))


def chunks(data, size):
    for begin in range(0, len(data), size):
        yield data[begin : begin + size]


def shared(reader, count=4):
    """What each of some threads gets of a reader that they share."""
    got = [[] for _ in range(count)]

    def work(number):
        while True:
            try:
                got[number].append(next(reader))
            except StopIteration:
                return

    together(work, count)
    return got


SOURCES = {
    "bytes": lambda: LINES,
    "chunks": lambda: chunks(LINES, 1000),
    "small chunks": lambda: chunks(LINES, 7),
    "a list": lambda: list(chunks(LINES, 100)),
}
OPTIONS = {
    "plain": {},
    "fields": {"fields": "/number"},
    "hooks": {"object_hook": lambda value: value},
    "type": {"type": dict},
    "class": {"cls": ocior.JSONDecoder},
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("options", OPTIONS)
def test_each_record_once(source, options):
    got = shared(lines.read(SOURCES[source](), **OPTIONS[options]))
    numbers = [[record["number"] if type(record) is dict else record for record in part] for part in got]
    assert all(part == sorted(part) for part in numbers)
    assert sorted(number for part in numbers for number in part) == list(range(COUNT))


def test_each_value_and_item_once():
    values = shared(ocior.values(chunks(b"".join(b"%d " % number for number in range(COUNT)), 50)))
    items = shared(ocior.items(chunks(b"[" + b",".join(b"%d" % number for number in range(COUNT)) + b"]", 50)))
    for got in (values, items):
        assert sorted(number for part in got for number in part) == list(range(COUNT))


def test_bad_records_are_told_once():
    data = b"".join(b"%d\nx%d\n" % (number, number) for number in range(COUNT))
    told = []
    reader = lines.read(chunks(data, 64), on_error=lambda error: told.append(error.doc))
    got = shared(reader)
    assert sorted(number for part in got for number in part) == list(range(COUNT))
    assert told == [f"x{number}" for number in range(COUNT)]
    assert reader.skipped == COUNT


def test_one_thread_gets_the_error_and_the_others_the_end():
    for _ in range(20):
        reader = lines.read(chunks(b"1\n" * 50 + b"x\n" + b"2\n" * 50, 9))
        ends = []

        def work(number, reader=reader, ends=ends):
            got = []
            try:
                got.extend(reader)
            except ocior.RecordError:
                ends.append("error")
            else:
                ends.append("end")
            assert 2 not in got

        together(work, 4)
        assert sorted(ends) == ["end", "end", "end", "error"]


def test_attributes_and_close_meanwhile():
    for _ in range(10):
        reader = lines.read(chunks(LINES, 100))

        def work(number, reader=reader):
            if number == 0:
                last = (0, 0)
                for _ in range(300):
                    now = (reader.offset, reader.lineno)
                    assert now >= last
                    last = now
                reader.close()
            else:
                for record in reader:
                    assert len(record) == 2

        together(work, 4)
        assert list(reader) == [] and reader.offset <= len(LINES)


def test_who_asks_again_does_not_wait_while_others_do():
    """A hook that asks its own reader gets RuntimeError also where other threads wait for it."""
    refused = []

    def hook(value):
        try:
            next(reader)
        except RuntimeError:
            refused.append(True)
        return value

    reader = lines.read(chunks(b"{}\n" * 500, 64), object_hook=hook)
    got = shared(reader)
    assert sum(map(len, got)) == len(refused) == 500


def test_readers_that_read_each_other():
    """Two threads, each in a hook of its own reader, that ask a third one."""
    third = lines.read(chunks(b"1\n" * 2000, 50))

    def work(number):
        lines.loads(b"{}\n" * 500, object_hook=lambda value: next(third))

    together(work, 4)
    assert list(third) == []


def test_parts_in_threads(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_bytes(LINES)
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda part: list(lines.read(part)), lines.split(path, 10_000)))
    assert [record["number"] for part in got for record in part] == list(range(COUNT))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork():
    check_python("""
        import os, threading
        from ocior import lines
        reader = lines.read(b"1\\n2\\n3\\n4\\n")
        def hook(value):
            child = os.fork()
            if child == 0:
                return "child"
            assert os.waitpid(child, 0)[1] == 0
            return "parent"
        inside = lines.read(b"{}\\n1\\n2\\n", object_hook=hook)
        assert next(reader) == 1
        who = next(inside)
        assert list(inside) == [1, 2] and list(reader) == [2, 3, 4]
        os._exit(0)
    """)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="needs _interpreters as it is since 3.13")
def test_subinterpreters():
    check_python(
        """
        import _interpreters, sys, threading
        code = '''
        import sys
        sys.path[:] = PATH
        import ocior
        from ocior import lines
        for _ in range(20):
            assert lines.loads(b'{"a": 1}\\\\nx\\\\n[2]\\\\n', on_error="skip") == [{"a": 1}, [2]]
            assert list(ocior.items([b'{"r": [1, ', b'2]}'], "/r")) == [1, 2]
            half = ocior.values(iter([b"1 2 3", b"4"]))
            assert next(half) == 1
            try:
                lines.loads(b"x")
            except ocior.RecordError as error:
                assert error.record == 0
        '''
        import textwrap
        code = textwrap.dedent(code).replace("PATH", repr(sys.path))

        def visit():
            for _ in range(2):
                one = _interpreters.create()
                failed = _interpreters.exec(one, code)
                assert failed is None, failed
                _interpreters.destroy(one)

        threads = [threading.Thread(target=visit) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """
    )


def test_a_source_that_waits_holds_nobody_up_but_its_readers():
    gate = threading.Event()

    def waiting():
        yield b"1\n"
        assert gate.wait(30)
        yield b"2\n"

    reader = lines.read(waiting())
    assert next(reader) == 1
    got = []
    threads = [threading.Thread(target=lambda: got.extend(reader)) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert lines.loads(b"1\n") == [1] and list(lines.read(b"2\n")) == [2]
    gate.set()
    for thread in threads:
        thread.join(30 * max(1, PATIENCE))
        assert not thread.is_alive()
    assert got == [2]
