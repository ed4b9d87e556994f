"""ocior.Raw with check=True: takes what loads takes and refuses the rest with the same errors, and makes no objects for it."""

import json
import tracemalloc

import pytest
from jsontestsuite_cases import CASES
from support import call

import ocior
from ocior import Raw

RAW_TEXTS = [
    *CASES.values(),
    *[b"[" + b"7" * digits + b"]" for digits in (639, 640, 641, 4300, 4301)],
    *[b"-" + b"7" * digits for digits in (640, 4300, 4301)],
    b"1." + b"7" * 5000,
    b"1" * 700 + b"e5",
    b"[" * 65536 + b"]" * 65536,
    b"[" * 65537 + b"]" * 65537,
    b'{"a":' * 65537 + b"1" + b"}" * 65537,
    b"NaN",
    b"[Infinity, -Infinity]",
    b" \t\r\n1 \t\r\n",
    b"1\x00",
    b'["\xed\x9f\xbf"]',
    b'["\xed\xa0\x80"]',
    b'["a", "\xed\xbf\xbf"]',
    b'["\xf4\x90\x80\x80"]',
    b'["\xc3"]',
    b'["\xc3',
    b"\xff[1]",
    b"[1]\xff",
    b"[1] \xed\xa0\x80",
    b"\xef\xbb\xbf[1]",
    b"x" * 5000,
]
RAW_TEXTS += [
    f'[{filler}, "{sample * 50}{ending}'
    for sample in "a\xe9\u4e2d\U0001f600\ud800"
    for filler in (1, '"\\ud800"')
    for ending in ('"]', "", '\\x"]', '\x1f"]')
]
RAW_TEXTS += ["\ufeff1", "[1]\ud800"]


def loads_decoded(text):
    return ocior.loads(text.decode() if isinstance(text, bytes) else text)


@pytest.mark.parametrize("text", RAW_TEXTS, ids=lambda text: ascii(text)[:40])
def test_raw_takes_what_loads_takes(text):
    """And refuses the rest with the same errors. Bytes are decoded first, as UTF-8 alone."""
    ours, theirs = call(Raw, text).error, call(loads_decoded, text).error
    assert type(ours) is type(theirs) and str(ours) == str(theirs)
    if isinstance(ours, json.JSONDecodeError):
        assert vars(ours) == vars(theirs)


@pytest.mark.parametrize("text", ('["abc", 1]', '{"a": "\xe9"}', '["\u4e2d"]', "123", '["a', "nul"), ids=repr)
def test_raw_at_page_edges(text):
    for length in range(4000, 4200):
        padded = " " * (length - len(text)) + text
        for content in (padded, padded.encode()):
            assert (call(Raw, content).error is None) == (call(json.loads, content).error is None)


@pytest.mark.parametrize("kind", [str, bytes])
def test_raw_makes_no_objects_to_check(kind):
    document = "[" + '{"a": [1.5, "text"]}, ' * 20_000 + "1]"
    content = document if kind is str else document.encode()
    tracemalloc.start()
    try:
        Raw(content)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
