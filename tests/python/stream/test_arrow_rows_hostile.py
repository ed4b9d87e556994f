"""Tables that are not what they say: arrays, schemas and streams made by hand that lie, fail, or are used twice. They are refused, and
what was handed over is released. What no reader can see, how long a buffer is, is right here."""

import errno
import gc
import importlib.util
import io
import threading

import pytest
from arrow_structs import Array, Batches, OneArray, Schema, Stream, array, ints, metadata, released, schema
from support import check_python

import ocior
from ocior import lines


def numbers(*values, **fields):
    return array(fields.pop("length", len(values)), [None, ints(*values)], **fields)


def texts(*offsets, data=b"abcdef", **fields):
    return array(len(offsets) - 1, [None, ints(*offsets), data], **fields)


def table(*children, length=2, **fields):
    return array(length, [None], children, **fields)


INT, TEXT = schema("i", "x"), "u"


def columns(*formats):
    return schema("+s", "", [child if isinstance(child, Schema) else schema(child, f"c{i}") for i, child in enumerate(formats)])


def view(length, buffer, offset):
    return ints(length) + b"abcd" + ints(buffer, offset)


GOOD = {
    "table": (columns("i", "u"), table(numbers(1, 2), texts(0, 1, 3)), b'{"c0":1,"c1":"a"}\n{"c0":2,"c1":"bc"}\n'),
    "an offset": (columns("i"), table(numbers(0, 1, 2, length=2, offset=1)), b'{"c0":1}\n{"c0":2}\n'),
    "offsets in both": (columns("i"), table(numbers(9, 0, 1, 2, length=3, offset=1), offset=1), b'{"c0":1}\n{"c0":2}\n'),
    "no values": (schema("i"), array(0, [None, None]), b""),
    "no offsets of no strings": (schema("u"), array(0, [None, None, None]), b""),
    "no data of empty strings": (schema("u"), array(2, [None, ints(0, 0, 0), None]), b'""\n""\n'),
    "rubbish where a value is null": (schema("u"), array(2, [b"\x01", ints(0, 1, 3), b"a\xff\xfe"]), b'"a"\nnull\n'),
    "a name that is missing": (schema("+s", "", [schema("i")]), table(numbers(1, 2)), b'{"":1}\n{"":2}\n'),
    "a child that is longer": (columns("i"), table(numbers(1, 2, 3)), b'{"c0":1}\n{"c0":2}\n'),
    "view": (
        schema("vu"),
        array(2, [None, view(3, -9, -9)[:4] + b"abc\0" + ints(0, 0) + view(13, 0, 1), b"0123456789abcdef", ints(16, width="q")]),
        b'"abc"\n"123456789abcd"\n',
    ),
    "union": (
        schema("+ud:5,3", "", [schema("i"), schema("u")]),
        array(2, [b"\x05\x03", ints(1, 0)], [numbers(7, 8), texts(0, 1)]),
        b'8\n"a"\n',
    ),
    "extension": (schema("c", "", metadata=metadata(ARROW_extension_name="arrow.bool8")), array(2, [None, b"\x00\x02"]), b"false\ntrue\n"),
}


@pytest.mark.parametrize("shape, made, text", GOOD.values(), ids=GOOD)
def test_good(shape, made, text):
    assert lines.dumps_to_bytes(OneArray(shape, made)) == text


@pytest.mark.parametrize("shape, made, text", [GOOD["table"]], ids=["table"])
def test_what_is_released(shape, made, text):
    released.clear()
    shape, made = columns("i"), table(numbers(1, 2))
    source = Batches(shape, [made, table(numbers(3), length=1)])
    assert lines.dumps_to_bytes(source) == b'{"c0":1}\n{"c0":2}\n{"c0":3}\n'
    assert sorted(kind.__name__ for kind in released) == ["Array", "Array", "Schema", "Stream"]


BAD_ARRAYS = {
    "negative length": (schema("i"), numbers(1, length=-1)),
    "huge length": (schema("i"), numbers(1, length=2**62)),
    "negative offset": (schema("i"), numbers(1, offset=-1)),
    "huge offset": (schema("i"), numbers(1, offset=2**63 - 1)),
    "no values": (schema("i"), array(1, [None, None])),
    "no bits": (schema("b"), array(1, [None, None])),
    "no buffers": (schema("i"), array(1, [])),
    "a null pointer in the place of buffers": (schema("i"), array(1, None, n_buffers=2)),
    "one buffer": (schema("i"), array(1, [None])),
    "too many buffers": (schema("i"), array(1, [None, ints(1), b""])),
    "a child of a number": (schema("i"), array(1, [None, ints(1)], [numbers(1)])),
    "no child": (columns("i"), table()),
    "a child that is missing": (columns("i"), table(None)),
    "no children": (columns("i"), array(1, [None], None, n_children=1)),
    "negative children": (columns("i"), table(numbers(1, 2), n_children=-1)),
    "a child that is shorter": (columns("i"), table(numbers(1))),
    "a child that is shorter by the offset": (columns("i"), table(numbers(1, 2), offset=1)),
    "a child that was released": (columns("i"), table(numbers(1, 2, release=type(Array().release)()))),
    "an offset below zero": (schema("u"), texts(-1, 1)),
    "offsets that decrease": (schema("u"), texts(0, 3, 1)),
    "large offsets that decrease": (schema("U"), array(2, [None, ints(0, 3, 1, width="q"), b"abc"])),
    "offsets without data": (schema("u"), array(1, [None, ints(0, 3), None])),
    "no offsets": (schema("u"), array(1, [None, None, b"abc"])),
    "a list beyond its values": (schema("+l", "", [INT]), array(1, [None, ints(0, 3)], [numbers(1, 2)])),
    "a list below zero": (schema("+l", "", [INT]), array(1, [None, ints(-2, 1)], [numbers(1, 2)])),
    "a fixed list beyond its values": (schema("+w:2", "", [INT]), array(2, [None], [numbers(1, 2, 3)])),
    "a fixed list beyond all": (schema("+w:1000000", "", [INT]), array(2**50, [None], [numbers(1, 2, 3)])),
    "a list view beyond its values": (schema("+vl", "", [INT]), array(1, [None, ints(1), ints(2)], [numbers(1, 2)])),
    "a list view below zero": (schema("+vl", "", [INT]), array(1, [None, ints(-1), ints(1)], [numbers(1, 2)])),
    "a list view of fewer than none": (
        schema("+vL", "", [INT]),
        array(1, [None, ints(1, width="q"), ints(-1, width="q")], [numbers(1, 2)]),
    ),
    "a list view without sizes": (schema("+vl", "", [INT]), array(1, [None, ints(0), None], [numbers(1, 2)])),
    "no dictionary": (schema("i", dictionary=schema("u")), numbers(1)),
    "an index beyond the dictionary": (schema("i", dictionary=schema("u")), numbers(1, dictionary=texts(0, 1))),
    "an index below zero": (schema("i", dictionary=schema("u")), numbers(-1, dictionary=texts(0, 1))),
    "an unsigned index beyond all": (
        schema("L", dictionary=schema("u")),
        array(1, [None, ints(2**64 - 1, width="Q")], dictionary=texts(0, 1)),
    ),
    "runs that end early": (schema("+r", "", [INT, schema("u")]), array(3, [], [numbers(1, 2), texts(0, 1, 2)])),
    "fewer runs than ends": (schema("+r", "", [INT, schema("u")]), array(3, [], [numbers(1, 3), texts(0, 1)])),
    "no ends": (schema("+r", "", [INT, schema("u")]), array(3, [], [None, texts(0, 1)])),
    "an unknown code": (schema("+us:0", "", [INT]), array(1, [b"\x01"], [numbers(1)])),
    "a negative code": (schema("+us:0", "", [INT]), array(1, [b"\xff"], [numbers(1)])),
    "a union without codes": (schema("+us:0", "", [INT]), array(1, [None], [numbers(1)])),
    "a dense union beyond its child": (schema("+ud:0", "", [INT]), array(1, [b"\x00", ints(1)], [numbers(1)])),
    "a dense union below zero": (schema("+ud:0", "", [INT]), array(1, [b"\x00", ints(-1)], [numbers(1)])),
    "a dense union without offsets": (schema("+ud:0", "", [INT]), array(1, [b"\x00", None], [numbers(1)])),
    "a view below zero": (schema("vu"), array(1, [None, view(-1, 0, 0), b"x" * 20, ints(20, width="q")])),
    "a view beyond its buffer": (schema("vu"), array(1, [None, view(20, 0, 1), b"x" * 20, ints(20, width="q")])),
    "a view of an unknown buffer": (schema("vz"), array(1, [None, view(20, 1, 0), b"x" * 20, ints(20, width="q")])),
    "a view of a negative buffer": (schema("vu"), array(1, [None, view(20, -1, 0), b"x" * 20, ints(20, width="q")])),
    "a view from below zero": (schema("vu"), array(1, [None, view(20, 0, -1), b"x" * 20, ints(20, width="q")])),
    "a view of no buffer": (schema("vu"), array(1, [None, view(20, 0, 0), None, ints(20, width="q")])),
    "views without lengths": (schema("vu"), array(1, [None, view(20, 0, 0), b"x" * 20, None])),
    "views with two buffers": (schema("vu"), array(1, [None, view(3, 0, 0)])),
    "a key that is null": (
        schema("+m", "", [schema("+s", "e", [schema("u", "k"), INT])]),
        array(1, [None, ints(0, 1)], [table(array(1, [b"\0", ints(0, 0), b""]), numbers(1), length=1)]),
    ),
    **{
        f"text {data!r}": (schema("u"), texts(0, len(data), data=data))
        for data in (b"\xff", b"a\xc3", b"\xed\xa0\x80", b"x" * 70 + b"\x80", b"\xf5\x80\x80\x80")
    },
    "a cut character": (schema("u"), texts(0, 1, 2, data="é".encode())),
    "a date too late": (schema("tdD"), numbers(2932897)),
    "a date too early": (schema("tdm"), array(1, [None, ints(-(2**63), width="q")])),
    "a moment too late": (schema("tss:"), array(1, [None, ints(2**63 - 1, width="q")])),
    "no time of day": (schema("tts"), numbers(86400)),
    "a time below zero": (schema("ttu"), array(1, [None, ints(-1, width="q")])),
}


@pytest.mark.parametrize("shape, made", BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_bad_arrays(shape, made):
    with pytest.raises(ValueError):
        lines.dumps_to_bytes(OneArray(shape, made))


BAD_SCHEMAS = {
    **{
        f"format {text!r}": schema(text)
        for text in ("", "q", "tiM", "+", "+x", "w:", "w:-1", "w:1x", "w:99999999999", "d:", "d:5", "d:5,2,7", "d:5,2,128,", "tsx:", "ii")
    },
    "no format": schema(None),
    "negative children": schema("+s", n_children=-1),
    "too many children": schema("+s", n_children=2**62),
    "no children": schema("+s", children=None, n_children=1),
    "a child that is missing": schema("+s", "", [None]),
    "a list without a child": schema("+l"),
    "a child of a number": schema("i", "", [INT]),
    "a released child": schema("+s", "", [schema("i", release=type(Schema().release)())]),
    "a map of numbers": schema("+m", "", [INT]),
    "a map of one column": schema("+m", "", [columns("i")]),
    "indices that are text": schema("u", dictionary=schema("u")),
    "ends that are text": schema("+r", "", [schema("u"), INT]),
    "codes without children": schema("+us:0,1"),
    "a code too many": schema("+us:0,1", "", [INT]),
    "a code twice": schema("+us:0,0", "", [INT, INT]),
    "a code too high": schema("+us:128", "", [INT]),
    "no number as a code": schema("+us:x", "", [INT]),
    "a name that is no UTF-8": schema("+s", "", [schema("i", "\ud800")]),
}


@pytest.mark.parametrize("length", [1, 110, 111, 112, 113, 1000])
def test_long_names_in_messages(length):
    for name in ("é" * length, "x" + "é" * length):
        with pytest.raises(TypeError, match="^column 'x?é+"):
            lines.dumps(Batches(schema("+s", "", [schema("q", name)]), []))


def nested(depth):
    inner = schema("i")
    for _ in range(depth):
        inner = schema("+l", "", [inner])
    return inner


BAD_SCHEMAS["depth"] = nested(300)


@pytest.mark.parametrize("shape", BAD_SCHEMAS.values(), ids=BAD_SCHEMAS)
def test_bad_schemas(shape):
    for function in (
        lines.dumps,
        lambda table: list(ocior._core.LineEncoder(table)),
        lambda table: ocior.dumps(table, default=ocior.default),
    ):
        with pytest.raises((TypeError, ValueError)):
            function(Batches(shape, []))


def test_depth_that_is_taken():
    inner = numbers(7)
    for _ in range(100):
        inner = array(1, [None, ints(0, 1)], [inner])
    assert lines.dumps_to_bytes(OneArray(nested(100), inner)) == b"[" * 100 + b"7" + b"]" * 100 + b"\n"


# ---- streams and capsules ----


class Gives:
    def __init__(self, value, name="__arrow_c_stream__"):
        self.value = value
        self.__class__ = type("Gives", (Gives,), {name: lambda self, requested_schema=None: self.value})


CAPSULES = OneArray(schema("i"), numbers(1)).capsules


@pytest.mark.parametrize(
    "source",
    [
        Gives(None),
        Gives(7),
        Gives(CAPSULES[0]),
        Gives(None, "__arrow_c_array__"),
        Gives(CAPSULES[:1], "__arrow_c_array__"),
        Gives(CAPSULES[::-1], "__arrow_c_array__"),
        Gives([*CAPSULES], "__arrow_c_array__"),
    ],
    ids=["None", "int", "schema", "no pair", "one", "changed places", "list"],
)
def test_what_is_no_capsule(source):
    with pytest.raises(TypeError, match="capsule"):
        lines.dumps(source)


def test_what_a_method_raises():
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise LookupError("on its way")

    for function in (lines.dumps, lambda table: lines.write(table, io.BytesIO()), lambda table: ocior.dumps(table, default=ocior.default)):
        with pytest.raises(LookupError, match="on its way"):
            function(Broken())


def test_capsules_that_were_used():
    stream = Batches(columns("i"), [table(numbers(1, 2))])
    assert lines.dumps(stream) and stream
    with pytest.raises(ValueError, match="used already"):
        lines.dumps(stream)
    one = OneArray(schema("i"), numbers(1))
    assert lines.dumps(one) == "1\n"
    with pytest.raises(ValueError, match="used already"):
        lines.dumps(one)


@pytest.mark.parametrize(
    "code, error",
    [(errno.EIO, OSError), (errno.ENOMEM, MemoryError), (errno.EINVAL, ValueError), (errno.ENOSYS, NotImplementedError), (-1, OSError)],
    ids=repr,
)
def test_streams_that_fail(code, error):
    released.clear()
    with pytest.raises(error):
        lines.dumps(Batches(columns("i"), [], schema_code=code))
    blocks = ocior._core.LineEncoder(Batches(columns("i"), [table(numbers(1, 2))], code, b"disk \xff"))
    assert next(blocks) == b'{"c0":1}\n{"c0":2}\n'
    with pytest.raises(error, match="disk \ufffd" if error is not MemoryError else None):
        next(blocks)
    assert list(blocks) == []
    assert released.count(Stream) == 2 and released.count(Array) == 1
    with pytest.raises(error):
        ocior.dumps(Batches(columns("i"), [], code, None), default=ocior.default)


def test_a_batch_that_is_wrong():
    """The rows before it are written."""
    file = io.BytesIO()
    with pytest.raises(ValueError, match="column 'c0'"):
        lines.write(Batches(columns("u"), [table(texts(0, 1, 2)), table(texts(0, 1, 2, data=b"a\xff"))]), file)
    assert file.getvalue() == b'{"c0":"a"}\n{"c0":"b"}\n{"c0":"a"}\n'


def test_a_table_that_is_left_alone():
    """A Writer that nobody asks for blocks holds the stream no longer than it lives."""
    released.clear()
    blocks = ocior._core.LineEncoder(Batches(columns("i"), [table(numbers(1, 2))] * 3), 1)
    next(blocks)
    del blocks
    gc.collect()
    assert released.count(Stream) == 1 and released.count(Array) == 1


def test_threads_run_meanwhile():
    """A producer may wait for a thread that needs the interpreter."""
    waited = []

    def wait():
        event = threading.Event()
        thread = threading.Thread(target=event.set)
        thread.start()
        waited.append(event.wait(60))
        thread.join()

    assert lines.dumps(Batches(columns("i"), [table(numbers(1, 2))], meanwhile=wait)) == '{"c0": 1}\n{"c0": 2}\n'
    assert waited == [True, True]


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.parametrize("options", ["", ", sort_keys=True", ", default=ocior.Default(max_depth=9)"])
def test_allocations_that_fail(options):
    pytest.importorskip("pyarrow")
    check_python(
        f"""
        import pyarrow as pa
        import ocior
        from ocior import lines
        from failing import fail_each_allocation
        from decimal import Decimal as D
        maps = pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int8()))
        table = pa.table({{"x": [1, 2], "\xe9": ["a", None], "m": maps, "d": [D("1.50"), None]}})
        table = pa.concat_tables([table] * 3)
        class Rows:
            def __arrow_c_stream__(self, requested_schema=None):
                return table.__arrow_c_stream__()
        for job in (
            lambda: lines.dumps_to_bytes(table{options}),
            lambda: lines.dumps(table{options}),
            lambda: list(ocior._core.LineEncoder(table, 1{options})),
            lambda: ocior.dumps(Rows(){options if "default" in options else options + ", default=ocior.default"}),
        ):
            fail_each_allocation(job, (), job())
        """
    )
