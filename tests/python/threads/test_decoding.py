"""Threads and decoding: a decoder that all share, buffers that another thread changes or resizes meanwhile, and a look at what is being made."""

import json
import threading

import pytest
from support import HAS_GIL, call, check_python
from threads import DOCUMENTS, together

import ocior


def test_one_decoder_for_all():
    """Threads share a decoder and its scanner, and make them anew while others read."""
    decoder = ocior.JSONDecoder(object_hook=lambda value: value)
    expected = [call(json.loads, document) for document in DOCUMENTS]

    def work(number):
        for turn in range(60):
            index = (turn + number) % len(DOCUMENTS)
            if number == 0 and turn % 5 == 0:
                decoder.__init__(object_hook=lambda value: value)
            if number == 1 and turn % 5 == 0:
                decoder.scan_once = ocior.scanner.make_scanner(decoder)
            for outcome in (
                call(decoder.decode, DOCUMENTS[index]),
                call(lambda text: decoder.raw_decode(text)[0], DOCUMENTS[index]),
                call(ocior.loads, DOCUMENTS[index], cls=ocior.JSONDecoder),
            ):
                if expected[index].error is None:
                    assert outcome.value == expected[index].value
                else:
                    assert outcome.error.pos == expected[index].error.pos and outcome.error.path.startswith("$")

    together(work)


def test_bytearray_is_resized_by_another_thread():
    """While loads holds the export, resizing raises BufferError in the other thread; the result is that of the document."""
    raw = bytearray(b'[{"a": "' + b"x" * 2000 + b'"}, {"b": [1, 2, 3]}]')
    expected = json.loads(raw)
    inside, tried, seen = threading.Event(), threading.Event(), []

    def resize():
        inside.wait(20)
        for change in (raw.clear, lambda: raw.extend(b"x" * 100_000), raw.pop):
            seen.append(type(call(change).error))
        tried.set()

    def hook(value):
        inside.set()
        assert tried.wait(20)
        return value

    other = threading.Thread(target=resize)
    other.start()
    assert ocior.loads(raw, object_hook=hook) == expected
    other.join()
    assert seen == [BufferError] * 3
    raw.clear()


def test_bytearray_race():
    check_python(
        """
        import sys, threading, time, ocior, json
        sys.setswitchinterval(1e-6)
        raw = bytearray(b'[' + b'{"a": [1, 2, "xyz"]},' * 200 + b'1]')
        good = bytes(raw)
        stop = False
        def edit():
            while not stop:
                try:
                    raw.extend(b" " * 5000)
                    del raw[len(good):]
                    raw[:] = good
                except BufferError:
                    time.sleep(0)
        thread = threading.Thread(target=edit)
        thread.start()
        end = time.monotonic() + 1.0 * PATIENCE
        while time.monotonic() < end:
            for source in (raw, memoryview(raw)):
                try:
                    assert len(ocior.loads(source, object_hook=lambda value: value)) == 201
                except (ValueError, BufferError):
                    pass
            del source
        stop = True
        thread.join()
    """,
        timeout=60,
    )


@pytest.mark.skipif(HAS_GIL, reason="no two threads read and write at once")
@pytest.mark.parametrize(
    "mark, encoding, keywords", [("", "utf-8", ""), ("", "utf-8", "cls=ocior.JSONDecoder"), ("\ufeff", "utf-8", ""), ("", "utf-16-le", "")]
)
def test_buffer_is_written_meanwhile(mark, encoding, keywords):
    """A byte changes between ASCII and not while it is decoded: a str may have either, and says what it has."""
    check_python(
        f"""
        import threading, time, ocior
        raw = bytearray({mark!r}.encode() + ("[" + '"' + "a" * 300_000 + '"' + "]").encode({encoding!r}))
        place = len(raw) * 2 // 3 // 4 * 4 + (1 if {encoding!r} == "utf-16-le" else 0)
        stop = False
        def edit():
            while not stop:
                for turn in range(1000):
                    raw[place] ^= 0x88
        thread = threading.Thread(target=edit)
        thread.start()
        try:
            end = time.monotonic() + 2 * PATIENCE
            while time.monotonic() < end:
                try:
                    text = ocior.loads(raw, {keywords})[0]
                except UnicodeDecodeError:
                    continue
                data = text.encode("utf-8", "surrogatepass")
                assert text.isascii() == data.isascii() and data.decode("utf-8", "surrogatepass") == text
        finally:
            stop = True
            thread.join()
    """,
        timeout=120,
    )


def test_what_is_being_decoded_is_looked_at():
    """gc.get_objects() shows containers that decoding has just begun to make."""
    check_python(
        """
        import gc, json, threading, time, ocior
        text = json.dumps([{"id": i, "tags": ["a", i], "pos": {"x": i * 1.5}, f"k{i % 50}": i} for i in range(200)])
        expected = json.loads(text)
        stop = time.monotonic() + 1.5 * PATIENCE
        errors = []

        def load():
            while time.monotonic() < stop:
                value = ocior.loads(text)
                if value != expected:
                    return errors.append("another value")
                value[0]["more"] = 1
                del value[1]["id"]

        def look():
            while time.monotonic() < stop:
                for thing in gc.get_objects():
                    if type(thing) is dict:
                        thing.get("id")
                        try:
                            list(thing.items())
                        except RuntimeError:  # it grows meanwhile
                            pass
                    elif type(thing) is list:
                        thing[:2]

        threads = [threading.Thread(target=work) for work in (load, load, look)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors, errors
        """
    )
