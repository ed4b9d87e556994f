"""The UTF-8 copy that a str can keep inside: none is left behind in the user's strings, unless that is asked for."""

import json
import sys

import pytest
from support import call, check_python

import ocior


def fresh(text):
    return "".join(list(text))


UTF8_TEXTS = ["\xe9" * 40, "\u4e2d" * 40, "\U0001f600" * 40, "\u4e2d", "a\xe9\n"]
LONG_UTF8_TEXTS = ["\xe9" * 5000, "\u4e2d" * 5000, "\xe9\\\x01" * 400, '\u0434\u4e2d"\n' * 300, "\u0434" * 257]


@pytest.mark.parametrize("text", UTF8_TEXTS + LONG_UTF8_TEXTS, ids=lambda text: ascii(text[:4]) + f" {len(text)}")
def test_utf8_copies(text):
    expected = json.dumps([text], ensure_ascii=False).encode()
    roads = [
        lambda obj: ocior.dumps(obj),
        lambda obj: ocior.dumps(obj, ensure_ascii=False),
        lambda obj: ocior.dumps_to_bytes(obj),
        lambda obj: ocior.dumps_to_bytes(obj, indent=2),
        lambda obj: ocior.dumps_to_bytes(obj, is_write_cache=False),
        lambda obj: ocior.dumps_to_bytes(obj, ensure_ascii=True),
        lambda obj: ocior.loads(json.dumps(obj, ensure_ascii=False)),
        lambda obj: ocior.dumps_to_bytes(obj, sort_keys=True),
    ]
    for road in roads:
        value, key = fresh(text), fresh("k" + text)
        before = sys.getsizeof(value), sys.getsizeof(key)
        road([value])
        road({key: value})
        assert (sys.getsizeof(value), sys.getsizeof(key)) == before
    document = fresh(json.dumps([text], ensure_ascii=False))
    before = sys.getsizeof(document)
    for item in ocior.loads(document):
        assert sys.getsizeof(item) == sys.getsizeof(fresh(item))
    assert sys.getsizeof(document) == before
    if len(text) > 1:
        value = fresh(text)
        before = sys.getsizeof(value)
        assert ocior.dumps_to_bytes([value], is_write_cache=True) == expected
        assert sys.getsizeof(value) == before + len(text.encode()) + 1
        for keywords in (
            {},
            {"is_write_cache": True},
            {"is_write_cache": False},
            {"indent": 1},
            {"ensure_ascii": True},
        ):  # a copy that is there may be used
            again = ocior.dumps_to_bytes([value, "x", value], **keywords)
            assert again == ocior.dumps_to_bytes([fresh(text), "x", fresh(text)], **keywords)
        assert value == text and value.encode() == text.encode() and ocior.dumps(value) == json.dumps(text)


def test_global_cache_switch():
    text = "\u4e2d" * 30
    ocior.write_utf8_cache(True)
    try:
        value = fresh(text)
        before = sys.getsizeof(value)
        ocior.dumps_to_bytes([value], is_write_cache=False)
        assert sys.getsizeof(value) == before
        ocior.dumps_to_bytes([value])
        assert sys.getsizeof(value) > before
    finally:
        ocior.write_utf8_cache(False)
    value = fresh(text)
    ocior.dumps_to_bytes([value])
    assert sys.getsizeof(value) == before
    assert call(ocior.write_utf8_cache).error is not None
    lone = fresh("\u4e2d\ud800")
    for switch in (True, False):
        assert isinstance(call(ocior.dumps_to_bytes, lone, is_write_cache=switch).error, ValueError)


def test_thousand_documents_leave_nothing_behind():
    """1000 documents of Chinese keys and values, kept alive, each written and read once: under 2 MB in a fresh process."""
    check_python("""
        import gc, ocior
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096
        objects = [{"\\u4e2d" * 2**i: "\\u6587" * 2**(i + 1) for i in range(10)} for _ in range(1000)]
        texts = [ocior.dumps(obj, ensure_ascii=False) for obj in objects]
        gc.collect()
        before = resident()
        for obj in objects:
            ocior.dumps_to_bytes(obj)
        for obj in objects:
            ocior.dumps(obj, ensure_ascii=False)
        for text in texts:
            ocior.loads(text)
        gc.collect()
        growth = resident() - before
        assert growth < 2 << 20, growth
    """) if sys.platform.startswith("linux") else None
