"""ocior.compat.msgspec: msgspec 0.22's names, values, texts and errors, and which of them ocior makes by itself."""

import datetime
import gc
import inspect
import sys
import threading
import weakref
from typing import Any, Union

import pytest
from support import IS_QUICK, run_python

pytest.importorskip("msgspec", minversion="0.22")

import msgspec  # noqa: E402
import msgspec_values as samples  # noqa: E402

import ocior.compat.msgspec as ours  # noqa: E402
from ocior import _core  # noqa: E402
from ocior.compat.msgspec import json  # noqa: E402
from ocior.compat.msgspec._nodes import node_of  # noqa: E402


def outcome(function, *args, **keywords):
    try:
        return function(*args, **keywords)
    except Exception as error:
        return type(error), str(error)


def is_error(found):
    return isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], type) and issubclass(found[0], Exception)


def name_of(value):
    return getattr(value, "__name__", str(value)).replace("typing.", "")[:50]


class Asked(Exception):
    pass


def refuse(*arguments):
    raise Asked


def read_alone(decoder, document):
    """What the core makes of a document, without msgspec."""
    try:
        return decoder._read(document)
    except Exception:
        return Asked


class TestNames:
    def test_everything_is_msgspecs_but_json(self):
        for name in ours.__all__:
            assert name == "json" or getattr(ours, name) is getattr(msgspec, name)
        public = {name for name in vars(msgspec) if not name.startswith("_")}
        assert public <= set(ours.__all__)
        assert ours.__version__ == msgspec.__version__
        assert ours._core is msgspec._core
        assert set(dir(ours)) >= public

    def test_modules_can_be_imported_by_either_name(self):
        import ocior.compat.msgspec.structs as structs

        assert structs is msgspec.structs

    def test_json_has_the_names_of_msgspec(self):
        assert set(json.__all__) == {name for name in vars(msgspec.json) if not name.startswith("_")}
        for name in ("format", "schema", "schema_components"):
            assert getattr(json, name) is getattr(msgspec.json, name)

    @pytest.mark.parametrize("name", ["decode", "encode"])
    def test_functions_say_where_they_are(self, name):
        function = getattr(json, name)
        assert (function.__name__, function.__module__) == (name, "ocior.compat.msgspec.json")
        assert function.__doc__
        assert inspect.signature(function)

    @pytest.mark.parametrize("name", ["Decoder", "Encoder"])
    def test_classes_have_the_members_of_msgspecs(self, name):
        public = {member for member in dir(getattr(msgspec.json, name)) if not member.startswith("_")}
        assert {member for member in dir(getattr(json, name)) if not member.startswith("_")} == public

    def test_without_msgspec_the_error_says_what_to_install(self):
        code = "import sys; sys.modules['msgspec'] = None; import ocior.compat.msgspec"
        result = run_python(code)
        assert result.returncode == 1
        assert "ImportError: ocior.compat.msgspec needs msgspec: install it, or `ocior[msgspec]`" in result.stderr


class TestDecode:
    @pytest.mark.parametrize("strict", [True, False])
    @pytest.mark.parametrize("type", [*samples.TYPES, *samples.LEFT_TYPES], ids=name_of)
    def test_gives_what_msgspec_gives(self, type, strict):
        theirs, decoder = msgspec.json.Decoder(type, strict=strict), json.Decoder(type, strict=strict)
        for document in [*samples.SCALARS, *samples.DOCUMENTS]:
            expected, found = outcome(theirs.decode, document), outcome(decoder.decode, document)
            if isinstance(document, bytes) and b"\xff" in document and not is_error(expected) and node_of(type, strict, None) is not None:
                assert found[0] is msgspec.DecodeError  # in what msgspec skips
            elif not samples.is_same(found, expected):
                pytest.fail(f"{document!r}: {found!r} in the place of {expected!r}")
            alone = read_alone(decoder, document)
            assert alone is Asked or samples.is_same(alone, expected), document

    @pytest.mark.parametrize("type", samples.TYPES, ids=name_of)
    def test_ocior_reads_these_types(self, type):
        """Not only msgspec: a part of the documents that it takes is read without it."""
        theirs, decoder = msgspec.json.Decoder(type), json.Decoder(type)
        taken = []
        for document in [*samples.SCALARS, *samples.DOCUMENTS]:
            try:
                theirs.decode(document)
                taken.append(document)
            except Exception:
                pass
        assert taken
        read = [document for document in taken if read_alone(decoder, document) is not Asked]
        assert len(read) >= len(taken) / 2

    @pytest.mark.parametrize("type", samples.LEFT_TYPES, ids=name_of)
    def test_other_types_are_left_to_msgspec(self, type):
        assert node_of(type, True, None) is None

    @pytest.mark.parametrize(
        "type, document, words",
        [
            (samples.Point, b'{"a":1,"more":"\xff"}', "can't decode byte 0xff"),
            (samples.Plain, '{"a":1,"more":"\x01"}', "Invalid control character"),
        ],
    )
    def test_what_is_skipped_has_to_be_json(self, type, document, words):
        if isinstance(outcome(msgspec.json.decode, document, type=type), type):
            with pytest.raises(msgspec.DecodeError, match=f"JSON is malformed: .*{words}"):
                json.decode(document, type=type)
        else:
            assert outcome(json.decode, document, type=type) == outcome(msgspec.json.decode, document, type=type)

    @pytest.mark.parametrize(
        "arguments, keywords",
        [
            ((), {}),
            (("[1]", list[int]), {}),
            (("[1]",), {"bad": 1}),
            (("[1]",), {"type": list[int], "more": 1}),
            (("[1]",), {"type": list[int]}),
            (("[1]",), {"type": list[str]}),
            (("[1]",), {"type": None}),
            (("null",), {"type": None}),
            (("1",), {"type": Any}),
            (("1",), {"type": 5}),
            (("1",), {"type": Union[samples.Point, samples.Plain]}),
            (('["1"]',), {"type": list[int], "strict": False}),
            (('["1"]',), {"type": list[int], "strict": True}),
            (('["1"]',), {"strict": False}),
            (('{"a":1}',), {"type": samples.Custom, "dec_hook": lambda cls, value: cls(value)}),
            (('{"a":1}',), {"type": samples.Custom, "dec_hook": lambda cls, value: value}),
            (('{"a":1}',), {"type": samples.Custom, "dec_hook": 3}),
            (('{"a":1}',), {"type": samples.Custom}),
            ((1,), {}),
            ((None,), {"type": int}),
            ((memoryview(b"[1,2]")[::2],), {}),
        ],
    )
    def test_arguments_are_those_of_msgspec(self, arguments, keywords):
        for _ in range(2):  # the second time by the decoder that was kept
            assert outcome(json.decode, *arguments, **keywords) == outcome(msgspec.json.decode, *arguments, **keywords)

    def test_a_type_that_cannot_be_hashed(self):
        from typing import Annotated

        type = Annotated[int, []]
        with pytest.raises(TypeError):
            hash(type)
        assert json.decode("3", type=type) == 3
        assert json.decode('"3"', type=type, strict=False) == 3

    def test_decoders_of_the_last_types_are_kept(self):
        class Local(msgspec.Struct):
            a: int

        assert json.decode('{"a":1}', type=Local) == Local(1)
        kept = json._decoders[Local]
        assert json.decode('{"a":2}', type=Local) == Local(2)
        assert json._decoders[Local] is kept
        for length in range(1, 100):
            assert json.decode(f"[{','.join('1' * length)}]", type=tuple[(int,) * length]) == (1,) * length
        assert Local not in json._decoders
        assert len(json._decoders) <= 64
        assert json.decode('{"a":1}', type=Local) == Local(1)


class TestDecoder:
    def test_attributes(self):
        decoder = json.Decoder(list[int], strict=False, dec_hook=samples.hook, float_hook=str)
        theirs = msgspec.json.Decoder(list[int], strict=False, dec_hook=samples.hook, float_hook=str)
        for name in ("type", "strict", "dec_hook", "float_hook"):
            assert getattr(decoder, name) == getattr(theirs, name)
            with pytest.raises(AttributeError):
                setattr(decoder, name, 1)
        assert repr(decoder) == repr(theirs)
        assert json.Decoder[int].__origin__ is json.Decoder

    @pytest.mark.parametrize("keywords", [{"strict": 1, "dec_hook": 3}, {"float_hook": 3}, {"type": 3}, {"type": list[object, int]}])
    def test_wrong_arguments(self, keywords):
        assert outcome(json.Decoder, **keywords) == outcome(msgspec.json.Decoder, **keywords)
        assert is_error(outcome(json.Decoder, **keywords))

    def test_a_hook_is_called_with_class_and_value(self):
        calls = []

        def dec_hook(cls, value):
            calls.append((cls, value))
            return cls(value)

        decoder = json.Decoder(dict[str, list[samples.Custom]], dec_hook=dec_hook)
        assert decoder._read('{"a":[1,{"b":[2.5]}]}') == {"a": [samples.Custom(1), samples.Custom({"b": [2.5]})]}
        assert calls == [(samples.Custom, 1), (samples.Custom, {"b": [2.5]})]

    def test_a_hook_beside_null(self):
        decoder = json.Decoder(list[Union[samples.Custom, None]], dec_hook=lambda cls, value: cls(value))
        assert decoder._read("[null,1]") == [None, samples.Custom(1)]

    @pytest.mark.parametrize("error", [ValueError("v"), TypeError("t"), KeyError("k"), ZeroDivisionError()])
    def test_errors_of_hooks(self, error):
        def dec_hook(cls, value):
            raise error

        arguments = {"type": list[samples.Custom], "dec_hook": dec_hook}
        found = outcome(json.Decoder(**arguments).decode, "[1]")
        assert found == outcome(msgspec.json.Decoder(**arguments).decode, "[1]")

    def test_what_ends_a_program_is_not_asked_again(self):
        calls = []

        def dec_hook(cls, value):
            calls.append(value)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            json.Decoder(samples.Custom, dec_hook=dec_hook).decode("1")
        assert calls == [1]

    def test_float_hook(self):
        import decimal

        for type in (Any, list[float], dict[str, decimal.Decimal]):
            ours, theirs = (module.Decoder(type, float_hook=decimal.Decimal) for module in (json, msgspec.json))
            for document in ("1.50", "[1.50,2]", '{"a":1.50}'):
                assert samples.is_same(outcome(ours.decode, document), outcome(theirs.decode, document))

    @pytest.mark.parametrize("type", [Any, int, dict[str, int], samples.Point])
    @pytest.mark.parametrize(
        "text",
        [
            *("", "\n \n", "1\n2\n", "1\n\n  2  \r\n3", "1 2 3", '{"a":1}\n{"a":2}', '{"a":\n1}\n{"a":2}', '1\n"x"\n2', "1\n2,", "[\n1\n]"),
            *("\x0c1", "1\x0c\n2", '{"a":1}{"a":2}', '"é"', '"\u2028"\n1', "1\u20282"),
        ],
    )
    def test_lines(self, type, text):
        for lines in (text, text.encode(), bytearray(text.encode()), memoryview(text.encode())):
            found = outcome(json.Decoder(type).decode_lines, lines)
            assert found == outcome(msgspec.json.Decoder(type).decode_lines, lines)

    @pytest.mark.parametrize("lines", [1, None, "\ud800", b"\xff", memoryview(b"1234")[::2]])
    def test_what_has_no_lines(self, lines):
        assert outcome(json.Decoder().decode_lines, lines) == outcome(msgspec.json.Decoder().decode_lines, lines)

    def test_a_default_of_a_class_stays_with_the_class(self):
        for document in ('{"a":1}', '{"a":1,"b":"x","_d":5}'):
            found, expected = (module.decode(document, type=samples.Plain) for module in (json, msgspec.json))
            assert vars(found) == vars(expected)

    def test_defaults_that_are_made_are_not_shared(self):
        decoder = json.Decoder(list[samples.Point])
        first, second = decoder.decode('[{"a":1},{"a":2}]')
        first.c.append(1)
        assert (second.c, samples.Point(1).c) == ([], [])

    def test_objects_die(self):
        point = json.decode('[{"a":1}]', type=list[samples.Odd])[0]
        alive = weakref.ref(point)
        assert hash(point) == hash(samples.Odd(a=1))
        del point
        assert alive() is None

    def test_threads_share_a_decoder(self):
        decoder = json.Decoder(list[samples.Point])
        document = b'[{"a":1,"b":"y"},{"a":2,"c":[1]}]'
        expected, wrong = decoder.decode(document), []

        def work():
            for _ in range(200 if IS_QUICK else 2000):
                if decoder.decode(document) != expected or outcome(decoder.decode, b'[{"a":""}]')[0] is not msgspec.ValidationError:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


def write_alone(value, hook=None):
    try:
        return _core.msgspec["Encoder"](refuse, hook, False).encode(value)
    except Asked:
        return Asked


class Circle:
    pass


def circular_list():
    value = []
    value.append(value)
    return value


ENCODED = [
    *(
        (value, True)
        for value in (None, True, 0, -1, 2**64 - 1, 2**200, 1.5, 1e16, 1e-5, 1e-7, float("nan"), "é", 'a"\\\n\x7f', "", [], {}, ())
    ),
    *((value, True) for value in ({"a": [1, {"b": None}]}, {1: 2}, {2**63: 1}, {1.5: 1}, samples.Dict(a=1), samples.Deceiver(a=1))),
    *(
        (value, True)
        for value in (samples.List([1]), {1, 2}, frozenset(["a"]), b"", b"a", b"ab", b"abc", bytearray(b"abcd"), memoryview(b"x"))
    ),
    *((value, True) for value in (samples.Word.A, samples.Number.ONE, *samples.Mixed, samples.Bits.ONE | samples.Bits.TWO)),
    *(
        (value, True)
        for value in ({samples.Word.A: 1}, {samples.Number.ONE: 1}, {samples.Mixed.A: 1}, {samples.Mixed.B: 1}, {samples.Str("k"): 1})
    ),
    *(
        (value, True)
        for value in (samples.Point(1), samples.Camel(1, items=[2]), samples.Row(1), samples.TaggedRow(1), samples.Numbered(1))
    ),
    *((value, True) for value in (samples.Plain(1), samples.Slotted(1, 2), samples.Partial(1), samples.Partial(1, 2), samples.Counted(1))),
    *((value, True) for value in (samples.Derived(1), samples.Undecorated(1), samples.Named(1), msgspec.Raw(b" [1] "))),
    *(
        (datetime.timedelta(*parts), True)
        for parts in [(0,), (1,), (0, 1), (-1,), (0, 0, -1), (1, 3600, 500000), (0, 0, 1), (-1, 86399, 999999)]
    ),
    *((value, True) for value in (datetime.datetime(2020, 1, 2, 3, 4, 5), datetime.date(1, 2, 3), datetime.time(3, 4, 5, 6))),
    (datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(seconds=3630))), False),
    ([{samples.Word.A: 1}, {datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(seconds=3630))): 1}], False),
    *(
        (value, False)
        for value in (samples.Str("x"), samples.Int(3), object(), 1j, Circle(), int, "\ud800", msgspec.UNSET, [msgspec.UNSET])
    ),
    *((value, False) for value in ({None: 1}, {True: 1}, {b"x": 1}, {samples.Int(4): 1}, {samples.Mixed.C: 1}, samples.Uuid(int=1))),
    *((value, False) for value in (samples.Point(msgspec.UNSET), samples.Plain(msgspec.UNSET), memoryview(b"abcd")[::2], circular_list())),
]


class TestEncode:
    @pytest.mark.parametrize("value, is_ours", ENCODED, ids=lambda value: repr(value)[:40])
    def test_gives_what_msgspec_gives(self, value, is_ours):
        expected = outcome(msgspec.json.encode, value)
        assert outcome(json.encode, value) == expected
        assert outcome(json.Encoder().encode, value) == expected
        alone = write_alone(value)
        assert alone == expected or (alone is Asked and not is_ours)

    @pytest.mark.parametrize(
        "arguments, keywords",
        [
            ((), {}),
            ((1, 2), {}),
            ((1,), {"bad": 1}),
            ((1,), {"bad": None}),
            ((1,), {"enc_hook": None, "order": None, "bad": None}),
            ((1,), {"enc_hook": samples.hook, "order": None}),
            ((1j,), {"enc_hook": samples.hook}),
            (([1j, samples.Custom([2j])],), {"enc_hook": samples.hook}),
            ((samples.Str("x"),), {"enc_hook": samples.hook}),
            ((object(),), {"enc_hook": samples.hook}),
            ((1j,), {"enc_hook": None}),
            ((1j,), {"enc_hook": 5}),
            (({"b": 1, "a": 2},), {"order": "deterministic"}),
            ((samples.Point(1),), {"order": "sorted"}),
            (({"b": 1, "a": 1j},), {"order": "sorted", "enc_hook": samples.hook}),
            (({"b": 1, "a": 2},), {"order": None}),
            (({"b": 1, "a": 2},), {"order": "other"}),
        ],
    )
    def test_arguments_are_those_of_msgspec(self, arguments, keywords):
        assert outcome(json.encode, *arguments, **keywords) == outcome(msgspec.json.encode, *arguments, **keywords)

    @pytest.mark.parametrize(
        "keywords",
        [
            {},
            {"enc_hook": samples.hook},
            {"decimal_format": "number"},
            {"decimal_format": float},
            {"uuid_format": "hex"},
            {"order": "deterministic"},
            {"order": "sorted"},
            {"decimal_format": "other"},
            {"uuid_format": "bytes"},
            {"order": "other"},
            {"enc_hook": 3},
        ],
    )
    def test_options(self, keywords):
        import decimal
        import uuid

        ours, theirs = outcome(json.Encoder, **keywords), outcome(msgspec.json.Encoder, **keywords)
        if is_error(theirs):
            assert ours == theirs
            return
        for name in ("enc_hook", "decimal_format", "uuid_format", "order"):
            assert getattr(ours, name) == getattr(theirs, name)
            with pytest.raises(AttributeError):
                setattr(ours, name, 1)
        for value in ({"b": decimal.Decimal("1.50"), "a": uuid.UUID(int=3), "c": {3, 1}}, samples.Point(1), 1j, {"é": [None]}):
            assert outcome(ours.encode, value) == outcome(theirs.encode, value)

    @pytest.mark.parametrize("items", [[], [1], [1, {"a": 2}], (1, 2), range(3), iter(["é", None]), [1, object()], 5, [1j]])
    def test_lines(self, items):
        twice = [list(items)] * 2 if hasattr(items, "__next__") else [items] * 2
        for hook in (None, samples.hook):
            ours, theirs = (module.Encoder(enc_hook=hook) for module in (json, msgspec.json))
            assert outcome(ours.encode_lines, twice[0]) == outcome(theirs.encode_lines, twice[1])

    def test_lines_of_an_iterator(self):
        assert json.Encoder().encode_lines(number for number in range(3)) == b"0\n1\n2\n"

    @pytest.mark.parametrize("offset", [(), (0,), (3,), (-1,), (10,), (-2,), (10**30,), ("x",), (1.5,), (1, 2), (True,)])
    @pytest.mark.parametrize("size", [0, 5, 10, 50])
    def test_into_a_buffer(self, offset, size):
        buffers = [bytearray(b"x" * size) for _ in range(2)]
        results = [
            outcome(module.Encoder().encode_into, {"a": [1]}, buffer, *offset) for module, buffer in zip((json, msgspec.json), buffers)
        ]
        if offset == (1, 2):
            assert results[0][0] is results[1][0] is TypeError
        else:
            assert results[0] == results[1]
        if results[1] is None and max(offset, default=0) <= size:
            assert buffers[0] == buffers[1]
        elif results[1] is None:
            assert buffers[0] == bytearray(b"x" * size) + bytes(offset[0] - size) + b'{"a":[1]}'

    @pytest.mark.parametrize("buffer", [b"", [], None, memoryview(bytearray(3))])
    def test_into_no_buffer(self, buffer):
        assert outcome(json.Encoder().encode_into, 1, buffer) == outcome(msgspec.json.Encoder().encode_into, 1, buffer)

    def test_a_hook_is_called_once_for_what_is_written(self):
        calls = []
        assert json.encode([1j, 2j], enc_hook=lambda value: calls.append(value) or 0) == b"[0,0]"
        assert calls == [1j, 2j]

    def test_what_ends_a_program_is_not_asked_again(self):
        calls = []

        def enc_hook(value):
            calls.append(value)
            raise SystemExit

        for encode in (lambda: json.encode(1j, enc_hook=enc_hook), lambda: json.Encoder(enc_hook=enc_hook).encode(1j)):
            calls.clear()
            with pytest.raises(SystemExit):
                encode()
            assert calls == [1j]

    @pytest.mark.parametrize("depth", [100, 199, 200, 500])
    def test_depth(self, depth):
        value = 1
        for _ in range(depth):
            value = [value]
        text = json.encode(value)
        assert text == msgspec.json.encode(value)
        assert json.decode(text) == value
        assert write_alone(value) == (text if depth <= 200 else Asked)


POINTS = json.Decoder(list[samples.Point])
HOOKED = json.Encoder(enc_hook=samples.hook)
PATHS = {
    "read": lambda: POINTS.decode(b'[{"a":1,"b":"y","c":[1,2]},{"a":1}]'),
    "read by the function": lambda: json.decode('{"a":1}', type=samples.Plain),
    "refused": lambda: outcome(POINTS.decode, b'[{"a":""}]'),
    "no JSON": lambda: outcome(POINTS.decode, b'[{"a":1}'),
    "no JSON where msgspec does not look": lambda: outcome(POINTS.decode, b'[{"a":1,"z":"\xff"}]'),
    "read by msgspec alone": lambda: json.Decoder(datetime.time).decode('"23:59:59\\u0000x"'),
    "lines": lambda: json.Decoder(int).decode_lines(b"1\n2\n"),
    "a decoder": lambda: json.Decoder(dict[str, list[samples.Camel]]),
    "a refused type": lambda: outcome(json.Decoder, 5),
    "written": lambda: json.encode([samples.Camel(1), samples.Plain(1), samples.Partial(1), {samples.Word.A: b"abc"}, {1, 2}]),
    "written from dicts": lambda: json.encode([samples.Counted(1), samples.Derived(1), samples.Deceiver(a=1), datetime.timedelta(1, 1, 1)]),
    "written by a hook": lambda: HOOKED.encode([1j, samples.Custom([2j])]),
    "refused by a hook": lambda: outcome(HOOKED.encode, [object()]),
    "refused in writing": lambda: outcome(json.encode, {None: [object()]}),
    "an encoder": lambda: json.Encoder(enc_hook=samples.hook),
}


@pytest.mark.parametrize("name", PATHS)
def test_nothing_leaks(name):
    if name == "a decoder" and not getattr(sys, "_is_gil_enabled", lambda: True)():
        pytest.skip("without a GIL, CPython 3.14 keeps blocks of every class that is made and dropped, as looking up annotations does")
    path = PATHS[name]
    for _ in range(20):
        path()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        path()
    gc.collect()
    assert sys.getallocatedblocks() - before < 100
