"""Objects as lines: the text that dumps gives for each, whatever the options and the iterable, in blocks of any size."""

import collections
import itertools
import json

import pytest
from encoder_values import KEYWORDS, VALUES, Ours, Theirs
from line_writers import ALL, TO_BYTES, Encodes, Order, expected, lines_gathered, lines_one_by_one
from support import WIDTHS, call, error_facts

import ocior
from ocior import _core


class Point(collections.namedtuple("Point", "x y")):
    pass


LINE_KEYWORDS = [keywords for keywords in KEYWORDS if "indent" not in keywords] + [
    {"default": ocior.default},
    {"default": ocior.Default(canonical=True)},
    {"default": ocior.Default(non_finite="null", big_integers="str", surrogates="replace", max_depth=3)},
    {"default": ocior.Default(escape_markup=True)} if "escape_markup" in ocior.Default.__doc__ else {"default": ocior.Default(repr)},
    {"separators": ("\U0001f600", "\xe9"), "ensure_ascii": False},
    {"separators": ("", "")},
    {"separators": (" " * 40 + ",", ":" + "\t" * 40)},
    {"ensure_ascii": True, "sort_keys": True, "separators": (",", ":")},
    {"indent": None, "cls": None, "default": None},
    {"cls": json.JSONEncoder},
    {"cls": ocior.JSONEncoder},
    {"cls": Ours},
    {"cls": Theirs, "sort_keys": True},
    {"cls": Encodes},
    {"type": Order},
    {"type": list[Order]},
]
OBJECTS = [
    *VALUES,
    Order(7, "\u4e2d"),
    [Order(7, "x")],
    Point(1, 2),
    {"\ud800": "\udfff"},
    ocior.Raw('{"a": [1, "\u4e2d"]}'),
    {"raw": ocior.Raw(b'"\xc3\xa9"')},
    [[[[[]]]]],
    "/<&>\u2028\x7f",
    2**64,
    -0.0,
    *WIDTHS.values(),
]


@ALL
@pytest.mark.parametrize("options", LINE_KEYWORDS, ids=repr)
def test_options(function, single, options):
    outcomes = [(obj, call(single, obj, **options)) for obj in OBJECTS]
    good = [obj for obj, outcome in outcomes if not outcome.error]
    assert function(good, **options) == expected(single, good, options)
    for obj, outcome in outcomes:
        if outcome.error:
            error = call(function, [*good[:3], obj], **options).error
            assert error_facts(error) == error_facts(outcome.error)
            assert getattr(error, "__notes__", None) == getattr(outcome.error, "__notes__", None)
    for repeated in (good[5:6] * 3000, good * 20):
        assert function(repeated, **options) == expected(single, repeated, options)


@pytest.mark.parametrize("is_write_cache", [None, False, True, 0, 1])
@pytest.mark.parametrize("function, single", TO_BYTES, ids=lambda function: function.__name__)
def test_write_cache(function, single, is_write_cache):
    text = "\u4e2d" * 50
    size = text.__sizeof__()
    fresh = [(text + str(number)) for number in range(3)]
    assert function(fresh, is_write_cache=is_write_cache) == expected(single, fresh, {})
    kept = [(text + str(number)) for number in range(3)]
    single(kept[0], is_write_cache=is_write_cache)
    function(kept[1:], is_write_cache=is_write_cache)
    assert {one.__sizeof__() - kept[0].__sizeof__() for one in kept} == {0}
    assert (kept[0].__sizeof__() > size + 4) == bool(is_write_cache)


REFUSED = [
    ({"indent": 2}, TypeError, "takes no indent"),
    ({"indent": ""}, TypeError, "takes no indent"),
    ({"indent": 0}, TypeError, "takes no indent"),
    ({"separators": (",\n", ":")}, ValueError, "line end"),
    ({"separators": (",", "\n")}, ValueError, "line end"),
    ({"separators": ("\u4e2d\n", ":")}, ValueError, "line end"),
    ({"separators": (", " * 20 + "\n", ":")}, ValueError, "line end"),
    ({"separators": ("\U0001f600\n", ":"), "ensure_ascii": False}, ValueError, "line end"),
    (
        {"cls": type("Indents", (json.JSONEncoder,), {"__init__": lambda self, **kw: json.JSONEncoder.__init__(self, indent=1)})},
        TypeError,
        "indent",
    ),
    ({"separators": 5}, TypeError, None),
    ({"separator": (",", ":")}, TypeError, "unexpected keyword argument 'separator'"),
    ({"fp": 1}, TypeError, "unexpected keyword argument 'fp'"),
    ({"obj": 1}, TypeError, "unexpected keyword argument 'obj'"),
    ({"block_bytes": 1}, TypeError, "unexpected keyword argument 'block_bytes'"),
    ({"type": 5}, TypeError, None),
    ({"type": Order, "indent": 1}, TypeError, "takes no indent"),
]


@ALL
@pytest.mark.parametrize("options, error, words", REFUSED, ids=lambda value: repr(value)[:60])
def test_wrong_options(function, single, options, error, words):
    with pytest.raises(error, match=words):
        function([], **options)
    if error is TypeError and not {"indent", "obj", "cls"} & set(options):  # in the words of dumps
        assert error_facts(call(single, 1, **options).error) == error_facts(call(function, [1], **options).error)


@ALL
@pytest.mark.parametrize("option", ["skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys"])
def test_flags_whose_truth_fails(function, single, option):
    class Unknown:
        def __bool__(self):
            raise KeyError("unknown")

    error = call(function, [[1.5]], **{option: Unknown()}).error
    assert type(error) is KeyError and error_facts(error) == error_facts(call(single, [1.5], **{option: Unknown()}).error)


@ALL
@pytest.mark.parametrize("objects", [{}, {"a": 1}, collections.OrderedDict(), "text", b"[]", bytearray(), memoryview(b"")], ids=repr)
def test_a_single_object_is_refused(function, single, objects):
    if function in (lines_one_by_one, lines_gathered):
        function = _core.LineEncoder
    with pytest.raises(TypeError, match=rf"not of a single (collections\.)?{type(objects).__name__}: put it into a list"):
        function(objects)


@ALL
@pytest.mark.parametrize("objects", [None, 5, object(), len], ids=lambda value: type(value).__name__)
def test_what_is_no_iterable(function, single, objects):
    if function in (lines_one_by_one, lines_gathered):
        function = _core.LineEncoder
    with pytest.raises(TypeError, match=f"iterable of objects, not of {type(objects).__name__}"):
        function(objects)


@pytest.mark.parametrize("function", [_core.dump_lines, _core.dump_lines_to_bytes, _core.LineEncoder], ids=lambda f: f.__name__)
@pytest.mark.parametrize("arguments", [(), ([], 1, 2), ([], 1, 2, 3)], ids=len)
def test_wrong_counts_of_arguments(function, arguments):
    with pytest.raises(TypeError, match="positional argument"):
        function(*arguments)


class Indexed:
    """An iterable by its items alone."""

    def __getitem__(self, index):
        return list(range(5))[index]


class Reversed(list):
    def __iter__(self):
        return reversed(list(super().__iter__()))


ITERABLES = [
    ([1, "a", None], [1, "a", None]),
    ((1, "a", None), [1, "a", None]),
    ([], []),
    ((), []),
    (range(3), [0, 1, 2]),
    (Reversed([1, 2]), [2, 1]),
    (Point(1, 2), [1, 2]),
    (Indexed(), [0, 1, 2, 3, 4]),
    (collections.deque([[], {}]), [[], {}]),
    ({"a": 1}.items(), [("a", 1)]),
    ({"a": 1}.keys(), ["a"]),
    (frozenset([5]), [5]),
]


@ALL
@pytest.mark.parametrize("objects, values", ITERABLES, ids=lambda value: type(value).__name__)
def test_iterables(function, single, objects, values):
    assert function(objects) == expected(single, values, {})
    assert function(value for value in values) == expected(single, values, {})


@ALL
def test_an_iterable_that_cannot_be_begun(function, single):
    class Broken:
        def __iter__(self):
            raise KeyError("no")

    with pytest.raises(KeyError, match="no"):
        function(Broken())


@ALL
@pytest.mark.parametrize("count", [0, 1, 3, 5000])
@pytest.mark.parametrize("error", [KeyError("no"), KeyboardInterrupt(), MemoryError()], ids=repr)
def test_an_iterable_that_raises(function, single, count, error):
    def objects():
        yield from range(count)
        raise error

    with pytest.raises(type(error)) as raised:
        function(objects())
    assert raised.value is error


@pytest.mark.parametrize("block_bytes", [1, 2, 7, 100, 9000, 300_000, 10**15])
def test_blocks(block_bytes):
    objects = [{"id": number, "text": "\u4e2d" * (number % 50)} for number in range(2000)] + ["x" * 20_000, "y" * 600_000, 1, 2]
    lines = [ocior.dumps_to_bytes(obj) + b"\n" for obj in objects]
    blocks, block = [], b""
    for line in lines:
        block += line
        if len(block) >= block_bytes:
            blocks.append(block)
            block = b""
    encoder = _core.LineEncoder(objects, block_bytes)
    counts, made = [], []
    for made_block in encoder:
        made.append(made_block)
        counts.append(encoder.count)
    assert made == blocks + [block] * (block != b"")
    assert counts == list(itertools.accumulate(one.count(b"\n") for one in made))
    assert list(encoder) == [] and encoder.count == len(objects)


@pytest.mark.parametrize(
    "block_bytes, error", [(0, ValueError), (-1, ValueError), (2**70, OverflowError), ("5", TypeError), (1.5, TypeError), (None, TypeError)]
)
def test_wrong_block_bytes(block_bytes, error):
    with pytest.raises(error):
        _core.LineEncoder([], block_bytes)


@pytest.mark.parametrize("good", [0, 1, 3, 1000, 20_000])
@pytest.mark.parametrize(
    "bad", [object(), "\ud800", {(): 1}, float("nan"), ["x" * 100_000, {"a": [object()]}]], ids=lambda value: repr(value)[:9]
)
def test_lines_before_an_error_come_first(good, bad):
    lines = [{"id": number, "text": "\xe9" * 9} for number in range(good)]
    encoder = _core.LineEncoder([*lines, bad, "behind"], allow_nan=False)
    blocks = []
    with pytest.raises((TypeError, ValueError)) as raised:
        for block in encoder:
            blocks.append(block)
    assert error_facts(raised.value) == error_facts(call(ocior.dumps_to_bytes, bad, allow_nan=False).error)
    assert b"".join(blocks) == expected(ocior.dumps_to_bytes, lines, {}) and encoder.count == good
    assert list(encoder) == []


def test_encode_goes_on_after_an_error():
    encoder = _core.LineEncoder([])
    for _ in range(3):
        with pytest.raises(TypeError):
            encoder.encode({"a": [object()]})
        assert encoder.encode({"a": "\u4e2d"}) == '{"a":"\u4e2d"}\n'.encode()


def test_blocks_of_other_objects():
    first = _core.LineEncoder([1, 2, 3], 1, default=repr, separators=("\u4e2d", ":"))
    second = first.blocks([object, [4, 5]])
    assert next(first) == b"1\n" and next(second) == f'"{object!r}"\n'.encode() and next(first) == b"2\n"
    assert list(second) == ["[4\u4e2d5]\n".encode()] and second.count == 2 and list(first) == [b"3\n"]
    with pytest.raises(TypeError, match="not of a single dict"):
        first.blocks({})


@ALL
@pytest.mark.parametrize(
    "text, line", [('{\n  "a": [\r\n1]\n}', '{   "a": [  1] }'), (b"[1,\n2]\n", "[1, 2] "), ("\n\n1", "  1"), ('["\u4e2d",\n2]', None)]
)
def test_line_ends_in_ready_json_become_spaces(function, single, text, line):
    wanted = single(ocior.Raw(text.replace("\n", " "))) if line is None else line if single is ocior.dumps else line.encode()
    end = "\n" if single is ocior.dumps else b"\n"
    for obj in (ocior.Raw(text), [ocior.Raw(text), "\U0001f600"]):
        assert function([obj, obj, 1]).count(end) == 3
        assert [json.loads(one) for one in function([obj, 1]).splitlines()] == [json.loads(single(obj)), 1]
    assert function([ocior.Raw(text)]) == wanted + end
    wide = _core.dump_lines([ocior.Raw(text), "\U0001f600", ocior.Raw(text)], ensure_ascii=False)
    assert wide.count("\n") == 3


@ALL
def test_line_ends_of_a_class_become_spaces(function, single):
    class Pretty(json.JSONEncoder):
        def encode(self, o):
            return json.dumps(o, indent=1)

    assert [json.loads(line) for line in function([{"a": [1]}, 2], cls=Pretty).splitlines()] == [{"a": [1]}, 2]


@ALL
@pytest.mark.parametrize("returned", [None, 5, ["a"]], ids=repr)
def test_a_class_that_gives_no_text(function, single, returned):
    class Odd(json.JSONEncoder):
        def encode(self, o):
            return returned

    with pytest.raises(TypeError, match="encode\\(\\) returned"):
        function([1], cls=Odd)


@ALL
def test_a_class_is_made_once(function, single):
    made = []

    class Counts(json.JSONEncoder):
        def __init__(self, **keywords):
            made.append(keywords)
            super().__init__(**keywords)

        def default(self, o):
            return str(o)

    assert function([{1j}, 1j, 2], cls=Counts) == expected(ocior.dumps if single is ocior.dumps else single, ["{1j}", "1j", 2], {})
    assert len(made) == 1
