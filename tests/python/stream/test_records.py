"""Bad records: their places, what on_error, tail and max_record do with them, and what errors tell; readers and how they end."""

import copy
import io
import json
import pickle
from dataclasses import dataclass

import pytest
from stream_sources import Trouble

import ocior
from ocior import lines

FACTS = ("msg", "doc", "pos", "lineno", "colno", "offset", "record", "source", "path", "snippet")


def facts_of(error):
    return {name: getattr(error, name) for name in FACTS}


def chunked(data, size):
    return [data[begin : begin + size] for begin in range(0, len(data), size)]


def raised_by(reader):
    """What comes before the error, and the error."""
    got = []
    with pytest.raises(ocior.RecordError) as caught:
        got.extend(reader)
    return got, caught.value


# Errors


def test_an_error_tells_its_place():
    data = '1\n\n{"\u4e2d": 2,\r\n3\n'.encode()
    for size in (1, 2, 3, 100):
        got, error = raised_by(lines.read(chunked(data, size)))
        assert got == [1]
        assert facts_of(error) == {
            "msg": "Expecting property name enclosed in double quotes",
            "doc": '{"\u4e2d": 2,\r',
            "pos": 9,
            "lineno": 3,
            "colno": 10,
            "offset": 3,
            "record": 1,
            "source": None,
            "path": error.path,
            "snippet": error.snippet,
        }
        assert str(error) == f"{error.msg}: line 3 column 10 (char 9 of the record at byte 3)"
        assert isinstance(error, json.JSONDecodeError) and isinstance(error, ValueError)


def test_an_error_tells_its_source(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_bytes(b"1\nx\n")
    for source in (path, str(path), path.open("rb")):
        got, error = raised_by(lines.read(source))
        assert got == [1] and error.source == str(path)
        assert str(error).endswith(f"(char 0 of the record at byte 2 of {path})")
    assert raised_by(lines.read(io.BytesIO(b"x")))[1].source is None


@dataclass
class Point:
    x: int


CAUSES = {
    "json": ({}, b"[1,\n", type(None)),
    "UTF-8": ({}, b'"\xff"\n', UnicodeDecodeError),
    "digits": ({}, b"1" * 5000 + b"\n", ValueError),
    "depth": ({"max_depth": 3}, b"[[[[1]]]]\n", RecursionError),
    "length": ({"max_record": 3}, b"12345\n", ValueError),
    "type": ({"type": Point}, b'{"x": "a"}\n', ocior.ValidationError),
    "fields": ({"fields": "/a"}, b'{"a": 1, }\n', type(None)),
    "fields, digits": ({"fields": "/a"}, b'{"a": ' + b"1" * 5000 + b"}\n", ValueError),
    "cls": ({"cls": json.JSONDecoder}, b"[1,\n", type(None)),
    "hooks": ({"object_hook": len}, b"[1,\n", type(None)),
    "policies": ({"duplicate_keys": "error"}, b'{"a": 1, "a": 2}\n', type(None)),
}


@pytest.mark.parametrize("name", CAUSES)
@pytest.mark.parametrize("framing", ["lines", "values", "items"])
def test_errors_of_all_causes(name, framing):
    keywords, bad, cause = CAUSES[name]
    if framing == "values":
        data, make = b"\x1e".join((b"2 ", bad, b"3 ")), ocior.values
    elif framing == "items":
        if name in ("json", "cls", "hooks"):
            bad = b"[1,]"
        data, make = b"[2, " + bad + b", 3]", ocior.items
    else:
        data, make = b"2 \n" + bad + b"3 \n", lines.read
    if name == "type":
        before, after = data.split(bad)
        data = before.replace(b"2", b'{"x": 2}') + bad + after.replace(b"3", b'{"x": 3}')
    for size in (1, 7, 1 << 20):
        errors = []
        reader = make(chunked(data, size), on_error=errors.append, **keywords)
        assert len(list(reader)) == 2 and reader.skipped == 1
        (error,) = errors
        assert type(error) is ocior.RecordError and error.record == 1
        assert type(error.__cause__) is cause
        assert error.offset == data.index(bad)
        reader = make(chunked(data, size), on_error="skip", **keywords)
        assert len(list(reader)) == 2 and reader.skipped == 1
        copied = pickle.loads(pickle.dumps(error))
        assert facts_of(copied) == facts_of(error) and str(copied) == str(error) and copied.args == error.args
        assert facts_of(copy.copy(error)) == facts_of(error)


def test_records_are_numbered_with_the_bad_ones():
    errors = []
    lines.loads(b"1\nx\n2\n\ny\n" + b"1" * 5000 + b"\nz\n", on_error=errors.append)
    assert [error.record for error in errors] == [1, 3, 4, 5]
    assert [error.lineno for error in errors] == [2, 5, 6, 7]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 4096, 4097, 1 << 18, (1 << 18) + 1])
def test_places_behind_borders_of_chunks(size):
    many = 3 if size < 4096 else 100_000
    data = b"".join(b"%d\n" % number + b"x\n" * (number % 5 == 4) for number in range(many * 5))
    errors = []
    assert len(list(lines.read(chunked(data, size), on_error=errors.append))) == many * 5
    places, offset = [], 0
    for number, line in enumerate(data.split(b"\n"), 1):
        if line == b"x":
            places.append((number, offset, number - 1))
        offset += len(line) + 1
    assert [(error.lineno, error.offset, error.record) for error in errors] == places


def test_parts_tell_the_places_of_the_file(tmp_path):
    path = tmp_path / "some.jsonl"
    data = b"".join(b'{"a": %d}\n' % number for number in range(50)) + b"\n x\r\n" + b"[1]\n" * 10
    path.write_bytes(data)
    for size in range(1, 70):
        good, errors = [], []
        for part in lines.split(path, size):
            good.extend(lines.read(part, on_error=errors.append))
        assert good == [{"a": number} for number in range(50)] + [[1]] * 10
        assert [(error.offset, error.source) for error in errors] == [(data.index(b"x"), str(path))]


# on_error


def test_a_callable_gets_the_errors_in_order():
    seen = []
    reader = lines.read(b"1\nx\n2\ny", on_error=lambda error: seen.append(error.doc))
    assert next(reader) == 1 and seen == []
    assert next(reader) == 2 and seen == ["x"]
    assert list(reader) == [] and seen == ["x", "y"] and reader.skipped == 2


def test_a_callable_may_raise():
    def refuse(error):
        raise Trouble from error

    reader, got = lines.read(b"1\nx\n2\n", on_error=refuse), []
    with pytest.raises(Trouble) as caught:
        got.extend(reader)
    assert got == [1] and isinstance(caught.value.__cause__, ocior.RecordError)
    assert list(reader) == []
    with pytest.raises(Trouble):
        lines.loads(b"1\nx\n2\n", on_error=refuse)


def test_after_an_error_the_reader_has_ended():
    for reader in (lines.read(b"1\nx\n2\n"), lines.read([b"1\nx\n", b"2\n"]), ocior.values(b"1 x 2"), ocior.items(b"[1, x, 2]")):
        assert raised_by(reader)[0] == [1]
        assert next(reader, "end") == "end"
        reader.close()


# Hooks and sources that raise


def raise_trouble(value):
    if value in ("2", {"a": 2}):
        raise Trouble
    return value


class Decoder(json.JSONDecoder):
    def decode(self, text):
        return raise_trouble(json.loads(text))


HOOKS = {
    "parse_int": ({"parse_int": raise_trouble}, b"1\n[2]\n3\n", ["1", "3"]),
    "object_hook": ({"object_hook": raise_trouble}, b'{"a": 1}\n{"a": 2}\n{"a": 3}\n', [{"a": 1}, {"a": 3}]),
    "fields": ({"parse_int": raise_trouble, "fields": "/a"}, b'{"a": 1}\n{"a": 2}\n{"a": 3}\n', ["1", "3"]),
    "cls": ({"cls": Decoder}, b'{"a": 1}\n{"a": 2}\n{"a": 3}\n', [{"a": 1}, {"a": 3}]),
}


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("on_error", ["raise", "skip", lambda error: pytest.fail("a hook's error is no bad record")])
def test_what_hooks_raise_passes_and_the_reading_may_go_on(name, on_error):
    keywords, data, wanted = HOOKS[name]
    for source in (data, chunked(data, 1)):
        reader, got = lines.read(source, on_error=on_error, **keywords), []
        with pytest.raises(Trouble):
            got.extend(reader)
        got.extend(reader)
        assert got == wanted and reader.skipped == 0
    with pytest.raises(Trouble):
        lines.loads(data, on_error=on_error, **keywords)


@pytest.mark.parametrize(
    "kind", [ValueError, json.JSONDecodeError, UnicodeDecodeError, RecursionError, StopIteration, MemoryError, KeyboardInterrupt]
)
def test_hooks_that_raise_what_texts_do(kind):
    arguments = {json.JSONDecodeError: ("a", "b", 0), UnicodeDecodeError: ("utf-8", b"a", 0, 1, "b")}.get(kind, ())

    def hook(text):
        raise kind(*arguments)

    for on_error in ("raise", "skip"):
        reader = lines.read(b"[1]\n", parse_int=hook, on_error=on_error)
        with pytest.raises(kind):
            next(reader)
        assert reader.skipped == 0 and list(reader) == []
        if kind is not StopIteration:
            with pytest.raises(kind):
                lines.loads(b"[1]\n", parse_int=hook, on_error=on_error)


def test_hooks_that_read():
    inner = lines.read(b"1\n2\n3\n4\n")
    assert list(lines.read(b"{}\n{}\n", object_hook=lambda value: next(inner))) == [1, 2]
    assert lines.loads(b"{}\n", object_hook=lambda value: lines.loads(b"[1]\nx\n2", on_error="skip")) == [[[1], 2]]
    assert lines.loads(b"x\n", on_error=lambda error: lines.loads(b"1\n")) == []


# `reader` as the hook sees it, each asked from inside of itself
ASKED_AGAIN = {
    "next": lambda reader: next(reader),
    "close": lambda reader: reader.close(),
    "exit": lambda reader: reader.__exit__(None, None, None),
    "offset": lambda reader: reader.offset,
    "skipped": lambda reader: reader.skipped,
}


@pytest.mark.parametrize("name", ASKED_AGAIN)
def test_a_reader_that_is_asked_by_what_it_calls(name):
    def ask(value):
        return ASKED_AGAIN[name](reader)

    def chunks():
        yield b"1\n"
        ask(None)

    reader = lines.read(b"{}\n1\n", object_hook=ask)
    with pytest.raises(RuntimeError, match="while it calls"):
        next(reader)
    assert list(reader) == [1]
    reader = lines.read(b"x\n1\n", on_error=ask)
    with pytest.raises(RuntimeError, match="while it calls"):
        next(reader)
    reader = lines.read(chunks())
    assert next(reader) == 1
    with pytest.raises(RuntimeError, match="while it calls"):
        next(reader)
    assert list(reader) == []


class File:
    def __init__(self, *reads):
        self.reads = list(reads)

    def read(self, size=-1):
        one = self.reads.pop(0) if self.reads else b""
        if isinstance(one, BaseException):
            raise one
        return one


@pytest.mark.parametrize("wrong", [7, 1.5, [b"1"], object()], ids=lambda value: type(value).__name__)
def test_sources_that_return_what_is_no_bytes(wrong):
    for source in (File(b"1\n", wrong), [b"1\n", wrong]):
        reader = lines.read(source)
        assert next(reader) == 1
        with pytest.raises(TypeError):
            next(reader)


def test_sources_that_raise():
    for framing, data in ((lines.read, b"1\n2"), (ocior.values, b"1 2"), (ocior.items, b"[1, 2")):
        reader, got = framing(File(data, Trouble(), b"3", b"" if framing is not ocior.items else b"]")), []
        with pytest.raises(Trouble):
            got.extend(reader)
        assert got == [1]
        assert list(reader) == [23]  # a file may have more to give later


# tail


@pytest.mark.parametrize("data", [b'1\n{"a": [1, "b', b"1\n-", b"1\ntru", b'1\n"\xe4\xb8', b"1\n  [2,"])
def test_torn_ends(data):
    torn = len(data.split(b"\n")[1].strip())
    for source in (data, chunked(data, 1)):
        reader = lines.read(source, tail="drop")
        assert (list(reader), reader.dropped, reader.skipped, reader.offset) == ([1], torn, 0, len(data))
    assert lines.loads(data, tail="drop") == [1]
    assert raised_by(lines.read(data))[0] == [1]


def test_what_is_not_torn():
    reader = lines.read(b"1\n2", tail="drop")
    assert (list(reader), reader.dropped) == ([1, 2], 0)
    assert raised_by(lines.read(b"x\n1\n", tail="drop"))[0] == []
    assert raised_by(lines.read(b"1\nx\n", tail="drop"))[0] == [1]
    reader = lines.read(b"x\n1\n[", tail="drop", on_error="skip")
    assert (list(reader), reader.dropped, reader.skipped) == ([1], 1, 1)


# max_record


LONG = {
    "lines": (lines.read, b"123456\n12\n1234567", [12], 2),
    "lines, white space": (lines.read, b"  12 \n" + b" " * 100 + b"\n3\n", [12, 3], 0),
    "values": (ocior.values, b"123456\n12\n[1234567] 5", [12, 5], 2),
    "values, separators": (ocior.values, b"\x1e[123456\x1e12\x1e34", [12, 34], 1),
}


@pytest.mark.parametrize("name", LONG)
def test_records_that_are_too_long(name):
    make, data, good, skipped = LONG[name]
    for size in (1, 2, 3, 5, 100):
        errors = []
        assert list(make(chunked(data, size), max_record=3, on_error=errors.append)) == good
        assert len(errors) == skipped
        assert all(error.msg == "Record of more than 3 bytes (max_record)" for error in errors)


def test_items_that_are_too_long():
    assert list(ocior.items(b"[123456, 12, [1234567]]", max_record=3, on_error="skip")) == [12]
    data = b'[1, [23, 45, "]"], 123456, "12345\\"6", 123456789,6, tru, 1234567]'
    for size in (1, 2, 3, 5, 100):
        errors = []
        assert list(ocior.items(chunked(data, size), max_record=5, on_error=errors.append)) == [1, 6]
        assert [error.msg.startswith("Record of more") for error in errors] == [True] * 4 + [False, True]
        assert [error.offset for error in errors] == [4, 19, 27, 39, 52, 57]
    got, error = raised_by(ocior.items(chunked(b'{"x": [1, 2, 3], "r": [4]}', 3), "/r", max_record=4))
    assert got == [] and "max_record" in str(error)  # on the way to the items, too


def test_the_limit_itself():
    for limit in (1, 2, 64, 1000):
        data = b"1" * limit + b"\n2\n"
        assert list(lines.read(data, max_record=limit)) == [int(b"1" * limit), 2]
        assert list(lines.read(chunked(data, 7), max_record=limit)) == [int(b"1" * limit), 2]
        assert list(lines.read(chunked(b"1" + data, 7), max_record=limit, on_error="skip")) == [2]


# The reader


def test_attributes():
    reader = lines.read([b"1\n\n2", b"\n3\nx\n4"], on_error="skip")
    seen = [(reader.offset, reader.lineno)]
    for _ in reader:
        seen.append((reader.offset, reader.lineno))
    assert seen == [(0, 0), (2, 1), (5, 3), (7, 4), (10, 5)]
    assert (reader.offset, reader.lineno, reader.skipped, reader.dropped) == (10, 5, 1, 0)
    reader.close()
    assert (reader.offset, reader.lineno, reader.skipped, reader.dropped) == (10, 5, 1, 0)
    with pytest.raises(AttributeError):
        reader.offset = 1


def test_context_manager_and_close():
    with lines.read(b"1\n2\n3\n") as reader:
        assert iter(reader) is reader
        assert next(reader) == 1
        reader.close()
        assert list(reader) == []
    reader.close()
    closed = []

    def chunks():
        try:
            yield b"1\n2\n"
            yield b"3\n"
        finally:
            closed.append(True)

    for _ in (reader := lines.read(chunks())):
        reader.close()
    assert closed == [True]
    with pytest.raises(Trouble), lines.read(chunks()) as reader:
        next(reader)
        raise Trouble
    assert closed == [True, True]


def test_a_source_that_cannot_be_closed():
    def chunks():
        try:
            yield b"1\n2\n"
        finally:
            raise Trouble

    reader = lines.read(chunks())
    assert next(reader) == 1
    with pytest.raises(Trouble):
        reader.close()
    reader.close()
    assert list(reader) == []
