"""load: what fp.read() returns, decoded as by loads with the same keywords; the same errors as json.load."""

import decimal
import io
import json
import sys

import pytest
from support import assert_same, call

import ocior


class File:
    def __init__(self, content):
        self.content = content

    def read(self, *arguments):
        assert not arguments
        if isinstance(self.content, BaseException):
            raise self.content
        return self.content


def same_load(content, types_only=False, **keywords):
    assert_same(
        call(ocior.load, File(content), **keywords),
        call(json.load, File(content), **keywords),
        f"load({content!r}, {keywords})",
        types_only,
    )


CONTENTS = [
    '{"a": [1, 2.5, NaN]}',
    "\u4e2d",
    '"\u4e2d"',
    '"\U0001f600"',
    "",
    "x",
    "[1,]",
    "\ufeff1",
    '"\n"',
    b"[1]",
    b"\xef\xbb\xbf[1]",
    '["\u4e2d"]'.encode("utf-16"),
    bytearray(b'{"a": 1}'),
    b"\xff",
    b'"\xed\xa0\x80"',
    b"[1] 2",
]
KEYWORDS = [
    {},
    {"strict": False},
    {"object_hook": len},
    {"object_pairs_hook": tuple},
    {"parse_float": decimal.Decimal, "parse_int": str},
    {"parse_constant": str},
    {"cls": None, "object_hook": None},
    {"cls": json.JSONDecoder},
    {"cls": json.JSONDecoder, "parse_int": str, "strict": False},
    {"foo": 1},
    {"cls": json.JSONDecoder, "foo": 1},
    {"cls": 5},
]


@pytest.mark.parametrize("content", CONTENTS, ids=ascii)
def test_same_as_json(content):
    for keywords in KEYWORDS:
        same_load(content, **keywords)


@pytest.mark.parametrize(
    "content", [None, 5, [], object, ZeroDivisionError("read"), StopIteration(1), KeyError("x"), MemoryError()], ids=repr
)
def test_odd_files(content):
    for keywords in KEYWORDS[:9]:
        same_load(content, types_only=not isinstance(content, BaseException), **keywords)


def test_arguments():
    rows = [
        ((), {}),
        ((File("1"), 2), {}),
        ((File("1"),), {"fp": 1}),
        ((), {"foo": 1}),
        ((5,), {}),
        ((None,), {}),
        ((File("1"),), {"s": "2"}),
        (("1",), {}),
    ]
    for arguments, keywords in rows:
        assert_same(
            call(ocior.load, *arguments, **keywords),
            call(json.load, *arguments, **keywords),
            f"{arguments} {keywords}",
            types_only="s" in keywords,
        )
    assert ocior.load(fp=File("[1]")) == [1]
    assert ocior.load(File("[[1]]"), array_hook=tuple) == ((1,),)
    assert ocior.load(File(memoryview(b"[1]"))) == [1]


def test_order_of_events():
    """The file is read, then its bytes decoded, before a keyword or a class is refused."""
    events = []

    class Noisy:
        def read(self):
            events.append("read")
            return b"\xff"

    def decoder(**keywords):
        events.append("cls")
        return json.JSONDecoder()

    for keywords in ({"foo": 1}, {"cls": decoder}):
        for function in (ocior.load, json.load):
            assert type(call(function, Noisy(), **keywords).error) is UnicodeDecodeError
    assert events == ["read"] * 4


def test_real_files(tmp_path):
    path = tmp_path / "document.json"
    value = {"name": "\u4e2d\u6587", "n": [1, 2.5, None], "\U0001f600": ["\n"] * 500}
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    with open(path, encoding="utf-8") as file:
        assert ocior.load(file) == value
    with open(path, "rb") as file:
        assert ocior.load(file) == value
    assert ocior.load(io.StringIO("[1]")) == ocior.load(io.BytesIO(b"[1]")) == [1]
    with open(path, encoding="utf-8") as file:
        file.close()
        assert_same(call(ocior.load, file), call(json.load, file), "closed")


def test_no_python_frame_in_between():
    frames = []

    class Asking:
        def read(self):
            frames.append(sys._getframe(1).f_code.co_name)
            return "{}"

    ocior.load(Asking(), object_hook=lambda value: frames.append(sys._getframe(1).f_code.co_name))
    assert frames == ["test_no_python_frame_in_between"] * 2


def test_reading_may_do_anything():
    class Recursive:
        def __init__(self, depth):
            self.depth = depth

        def read(self):
            return str(ocior.load(Recursive(self.depth - 1)) + 1) if self.depth else "0"

    assert ocior.load(Recursive(50)) == 50
