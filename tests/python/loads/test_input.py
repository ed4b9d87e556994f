"""What loads takes: str of every width and make, bytes, any contiguous buffer (held while parsing), every encoding."""

import array
import collections
import ctypes
import decimal
import gc
import io
import itertools
import json
import mmap
import sys

import pytest
from support import call, error_facts, facts, same_loads

import ocior

TEXTS = [
    "null",
    "[]",
    "{}",
    '""',
    "0",
    "[1,2.5,-3e-7]",
    '{"a":[true,false,null],"b":"x\\ny"}',
    '["\xe9\xff"]',
    '{"\u4e2d":"\u6587"}',
    '["\U0001f600",{"\U0001f600":"a\xe9\u4e2d\U0001f600"}]',
    '"\ud800"',
    '["\\ud83d\\ude00"]',
    ' \n[ 1 , "a" ]\t\r\n',
    "[" + ",".join(map(str, range(1000))) + "]",
    '{"k":"' + "\u4e2d" * 3000 + '"}',
    '"' + "a" * 100_000 + '"',
]


class Text(str):
    def __str__(self):
        raise AssertionError("the text itself is the document, not what __str__ says")

    def __getitem__(self, index):
        return "x"

    def encode(self, *arguments):
        raise AssertionError


class Blob(bytes):
    def __bytes__(self):
        raise AssertionError


class Array(bytearray):
    pass


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:20])
def test_kinds_of_buffer(text):
    expected = facts(json.loads(text))
    raw = text.encode("utf-8", "surrogatepass")
    padded = b"xx" + raw + b"yy"
    view = memoryview(padded)[2:-2]
    words = array.array("B", raw)
    mapped = mmap.mmap(-1, len(raw))
    mapped[:] = raw
    block = (ctypes.c_ubyte * len(raw)).from_buffer_copy(raw)
    for source in (
        text,
        Text(text),
        raw,
        Blob(raw),
        bytearray(raw),
        Array(raw),
        memoryview(raw),
        memoryview(bytearray(raw)),
        view,
        words,
        memoryview(words),
        mapped,
        memoryview(mapped),
        block,
        view.cast("b"),
        view.cast("c"),
        array.array("b", raw),
    ):
        assert facts(ocior.loads(source)) == expected, type(source)
    mapped.close()  # would raise BufferError if an export were still held


def test_numpy_str():
    numpy = pytest.importorskip("numpy")
    for text in TEXTS:
        assert facts(ocior.loads(numpy.str_(text))) == facts(json.loads(text))
    assert ocior.loads(numpy.bytes_(b"[1]")) == [1]
    assert ocior.loads(numpy.frombuffer(b"[1, 2]", dtype="u1")) == [1, 2]


def test_wide_items_are_read_as_bytes():
    raw = b"[1, 2, 3]   "
    assert len(raw) % 4 == 0
    assert ocior.loads(memoryview(raw).cast("I")) == [1, 2, 3]
    assert ocior.loads(memoryview(raw).cast("B", (3, 4))) == [1, 2, 3]


@pytest.mark.parametrize("make", [lambda: memoryview(b"[1, 2, 3]")[::2], lambda: memoryview(b"[1, 2, 3]")[::-1]])
def test_strided_buffers_are_refused(make):
    assert error_facts(call(ocior.loads, make()).error) == error_facts(call(json.loads, make()).error)


def test_released_view():
    view = memoryview(b"[]")
    view.release()
    assert isinstance(call(ocior.loads, view).error, ValueError)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="every str is compact and ready since 3.12")
def test_non_compact_str():
    """The legacy representation: wchar_t storage that is converted only when someone asks."""
    new = ctypes.pythonapi.PyUnicode_FromUnicode
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_ssize_t]
    for text in TEXTS:
        units = text.encode("utf-32-le" if sys.byteorder == "little" else "utf-32-be", "surrogatepass")
        legacy = new(None, len(text))
        copy = ctypes.pythonapi.PyUnicode_AsUnicode
        copy.restype, copy.argtypes = ctypes.c_void_p, [ctypes.py_object]
        ctypes.memmove(copy(legacy), units, len(units))
        assert facts(ocior.loads(legacy)) == facts(json.loads(text))
        legacy_value = new(None, len(text))
        ctypes.memmove(copy(legacy_value), units, len(units))
        assert ocior.dumps([legacy_value]) == json.dumps([text])
        legacy_key = new(None, len(text))
        ctypes.memmove(copy(legacy_key), units, len(units))
        if "\ud800" not in text:
            assert (
                ocior.dumps_to_bytes({legacy_key: legacy_key})
                == json.dumps({text: text}, ensure_ascii=False, separators=(",", ":")).encode()
            )


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings(encoding):
    for text in TEXTS + [
        "1",
        "12",
        "123",
        "1234",
        "[1]",
        '"a"',
        '"\xe9"',
        "x",
        "[1,",
        '"a',
        "[1,x]",
        " 1",
        "\n",
        "",
        "\u4e2d",
        "\U0001f600",
        "1 \u4e2d",
    ]:
        raw = text.encode(encoding, "surrogatepass")
        same_loads(raw)
        same_loads(raw[:-1])
        same_loads(raw + b"\x00")
        same_loads(bytearray(raw))
        same_loads(memoryview(raw))


def test_detection_on_every_short_shape():
    """The first four bytes decide: all shapes of zero and non-zero, and of the marks, in documents of 0 to 5 bytes."""
    for size in range(6):
        for shape in range(3**size):
            raw = bytearray()
            for _ in range(size):
                raw.append((0, 0x31, 0x5B)[shape % 3])
                shape //= 3
            same_loads(bytes(raw))
    marks = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff", b"\xef\xbb", b"\xef", b"\xff", b"\xfe"]
    for mark in marks:
        for rest in (b"", b"1", b"\x00", b"1\x00", b"\x001", b"1\x00\x00\x00", b"\x00\x00\x001", b"[]", mark, mark + b"1", b"1" + mark):
            same_loads(mark + rest)


def test_every_short_document():
    """Those of a few bytes are known without being read: all of up to three characters, and all that differ little from a word."""
    texts = ["".join(some) for n in range(4) for some in itertools.product('[]{}"019-n \x00\xe9\u4e2d', repeat=n)]
    for word in ("null", "true", "false", '"ab"', "[1]", "{}[]", "12345"):
        texts += [
            word[:i] + other + word[i + cut :] for i in range(len(word) + 1) for cut in (0, 1) for other in ("", "x", "N", " ", "\x00")
        ]
    for text in texts:
        same_loads(text)
        same_loads(text.encode())
        same_loads(bytearray(text.encode()))
    assert ocior.loads("[]") is not ocior.loads("[]")
    assert ocior.loads(b"{}") is not ocior.loads(b"{}")


@pytest.mark.parametrize("sample", ("a", "\xe9", "\u4e2d", "\U0001f600"), ids=ascii)
def test_documents_about_as_long_as_short_ones(sample):
    """Up to 1024 units less is done before they are read; what is wrong with them is found out by the way of longer ones."""
    whole = f'{{"{sample}": [1.5, "{sample}\\n", null, {9**30}], "b": {{}}}}'
    for text in (whole, whole + "]", whole[:-1], whole.replace("null", "nul"), whole.replace("\\n", "\n"), whole.replace("9", "\ufeff", 1)):
        for padding in (0, *range(1020 - len(text), 1028 - len(text))):
            for document in (text + " " * padding, " " * padding + text, "[" * (padding // 2) + text + "]" * (padding - padding // 2)):
                same_loads(document)
                same_loads(document.encode())
                same_loads(document.encode()[:-3] + b"\xff" + document.encode()[-3:])
                same_loads(document.encode().replace(sample.encode(), b"\xe4\xb8", 1))


def test_bom_in_str():
    for text in ("\ufeff1", "\ufeff", "\ufeff[]", " \ufeff1", '"\ufeff"', '["\ufeff"]', "1\ufeff"):
        same_loads(text)


def test_what_is_no_document_is_named_by_its_class():
    class Proxy:
        __class__ = dict

    class Failing:
        @property
        def __class__(self):
            raise ZeroDivisionError

    for value in (
        io.StringIO("1"),
        decimal.Decimal(1),
        collections.OrderedDict(),
        None,
        5,
        [1],
        dict,
        Proxy(),
        Failing(),
        type("L" * 300, (), {})(),
    ):
        for keywords in ({}, {"strict": False}, {"cls": json.JSONDecoder}):
            ours, theirs = call(ocior.loads, value, **keywords), call(json.loads, value, **keywords)
            assert (type(ours.error), str(ours.error)) == (type(theirs.error), str(theirs.error))


def test_document_is_not_changed_or_kept():
    raw = bytearray(b'[1, {"a": "b"}, "\xe4\xb8\xad"]')
    before = bytes(raw)
    for _ in range(3):
        ocior.loads(raw)
    assert raw == before
    raw.append(32)
    text = "".join(['["', "a" * 1000, '"]'])
    count = sys.getrefcount(text)
    result = ocior.loads(text)
    assert sys.getrefcount(text) == count
    del text
    gc.collect()
    assert result == ["a" * 1000]


def test_buffer_is_held_during_the_call():
    """A hook may not resize what is being parsed; after the call, also one that failed, it may."""
    raw = bytearray(b'[{"a": 1}, {"b": "' + b"x" * 500 + b'"}]')
    seen = []

    def hook(value):
        seen.append(type(call(raw.extend, b" " * 10_000).error))
        return value

    assert ocior.loads(raw, object_hook=hook) == [{"a": 1}, {"b": "x" * 500}]
    assert seen == [BufferError, BufferError]
    raw.extend(b" " * 100)
    assert ocior.loads(raw) == [{"a": 1}, {"b": "x" * 500}]
    raw.extend(b"x")
    for failing in (raw, memoryview(raw)):
        assert isinstance(call(ocior.loads, failing).error, json.JSONDecodeError)
    del failing
    raw.extend(b"y")

    def boom(value):
        raise KeyError("boom")

    assert isinstance(call(ocior.loads, raw, object_hook=boom).error, KeyError)
    raw.extend(b"z")


def test_hook_may_drop_the_last_reference_to_the_document():
    box = ['[{"a": "\u4e2d"}, {"b": "' + "x" * 300 + '"}, 3]']

    def hook(value):
        box.clear()
        gc.collect()
        return value

    text = box[0]
    expected = json.loads(text)
    del text
    assert ocior.loads(box[0], object_hook=hook) == expected


def test_overwritten_while_parsing():
    """The bytes may change under a hook (the size may not): any answer or error, no crash."""
    raw = bytearray(b'[{"a": 1}, {"b": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}, [1, 2, 3], "\xe4\xb8\xad"]')
    for fill in (b"[", b"{", b'"', b"\\", b"\x00", b"\xff", b"\xf0", b" ", b"1", b"-"):
        copy = bytearray(raw)

        def hook(value):
            copy[:] = fill * len(copy)
            return value

        call(ocior.loads, copy, object_hook=hook)
        call(ocior.loads, memoryview(copy), object_hook=hook)
