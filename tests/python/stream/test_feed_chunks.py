"""Feeds that get a line in many short chunks: nothing is lost at the borders, and every list that push() returns is the caller's own."""

import gc
import json

import pytest

import ocior
from ocior import lines

TEXT = '{"a": [1, 2.5, null], "b": "é\\n\\ud83d\\ude00"}\n\n[true]\r\n"中文"\n12'.encode()


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview], ids=lambda make: make.__name__)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "mark"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 2000])
def test_lines_in_chunks_of_any_size(size, mark, make):
    text = mark + TEXT.replace(b'"b"', b'"' + b"b" * 1500 + b'"')
    feed, found = lines.Feed(), []
    for start in range(0, len(text), size):
        found += feed.push(make(text[start : start + size]))
    found += feed.close()
    assert found == [json.loads(line) for line in text[len(mark) :].decode().splitlines() if line]


@pytest.mark.parametrize("feed_type", [lines.Feed, ocior.Feed], ids=["lines", "values"])
@pytest.mark.parametrize("hold", [0, 1, 2, 5])
def test_empty_lists_are_the_callers_own(hold, feed_type):
    """Whatever the caller keeps, and does to a list, the next one is empty and another."""
    feed, held = feed_type(), []
    for number in range(20):
        found = feed.push(b'["' if number == 0 else b"x")
        assert found == [] and type(found) is list and all(found is not one for one in held)
        found.append(number)
        held = [*held, found][-hold:] if hold else []
    assert [one[0] for one in held] == list(range(20 - hold, 20))
    assert feed.push(b'"]\n') == [["x" * 19]]


@pytest.mark.parametrize("feed_type", [lines.Feed, ocior.Feed], ids=["lines", "values"])
def test_a_feed_in_a_list_that_it_has_returned_is_collected(feed_type):
    gone = []

    class Value:
        def __init__(self, feed):
            self.feed = feed

        def __del__(self):
            gone.append(True)

    feed = feed_type()
    feed.push(b"[").append(Value(feed))
    del feed
    gc.collect()
    assert gone == [True]


@pytest.mark.parametrize("size", [1, 4, 9])
def test_a_line_that_grows_too_long_is_refused(size):
    feed, found = lines.Feed(max_record=20, on_error="skip"), []
    text = b'[1]\n["' + b"x" * 50 + b'"]\n[2]\n["' + b"y" * 16 + b'"]\n["' + b"z" * 17 + b'"]\n[3]'
    for start in range(0, len(text), size):
        found += feed.push(text[start : start + size])
    assert found + feed.close() == [[1], [2], ["y" * 16], [3]]
    assert feed.skipped == 2


def test_a_chunk_after_the_end_is_refused():
    feed = lines.Feed()
    feed.push(b'{"a"')
    with pytest.raises(ocior.RecordError):
        feed.close()
    with pytest.raises(ValueError, match="closed"):
        feed.push(b"x")
    feed = lines.Feed()
    feed.push(b"[1")
    with pytest.raises(ocior.RecordError):
        feed.push(b"}\n")
    with pytest.raises(ValueError, match="closed"):
        feed.push(b"x")
