"""dump: json.dump's text into any file, in pieces, with every keyword; nothing lost and nothing leaked when a write fails."""

import bz2
import codecs
import collections
import gc
import gzip
import importlib.util
import io
import json
import sys
import tempfile
import tracemalloc

import pytest
from encoder_values import KEYWORDS, VALUES, Ours, Theirs
from layouts import each_layout, layouts
from support import assert_same, call, check_python, error_facts, frozen, json_notes

import ocior


def dumped(function, make_file, value, keywords):
    """What arrived in the file, and the error if there was one."""
    file = make_file()
    outcome = call(function, value, file, **keywords)
    assert outcome.value is None
    return file.getvalue(), outcome.error


@pytest.mark.parametrize("keywords", KEYWORDS, ids=repr)
def test_text_files(keywords):
    for value in VALUES:
        ours, our_error = dumped(ocior.dump, io.StringIO, value, keywords)
        theirs, their_error = dumped(json.dump, io.StringIO, value, keywords)
        what = f"dump({type(value)}, {keywords})"
        assert (our_error is None) == (their_error is None), f"{what} {our_error!r} {their_error!r}"
        if their_error is None:
            assert ours == theirs, what
        else:
            assert error_facts(our_error) == error_facts(their_error), what
            if sys.version_info >= (3, 14):
                assert json_notes(our_error) == json_notes(their_error), what
            assert theirs.startswith(ours) or ours.startswith(theirs), what


@pytest.mark.parametrize("keywords", KEYWORDS, ids=repr)
def test_binary_files(keywords):
    for value in VALUES:
        text, text_error = dumped(ocior.dump, io.StringIO, value, keywords)
        data, error = dumped(ocior.dump, io.BytesIO, value, keywords)
        assert data == text.encode() and (error is None) == (text_error is None)


@pytest.mark.parametrize("cls", [Theirs, Ours, json.JSONEncoder, ocior.JSONEncoder])
@each_layout("json", "indent 1", "sorted")
def test_cls(cls, keywords):
    for value in VALUES:
        ours, error = dumped(ocior.dump, io.StringIO, value, dict(keywords, cls=cls))
        theirs, their_error = dumped(json.dump, io.StringIO, value, dict(keywords, cls=cls))
        assert (error is None) == (their_error is None) and (error is not None or ours == theirs)


class Tokens(json.JSONEncoder):
    def iterencode(self, o, _one_shot=False):
        assert not _one_shot
        yield from ("[", "1", "\u4e2d", "]")


def test_cls_that_overrides_iterencode():
    written = []
    writer = type("Writer", (), {"write": staticmethod(written.append)})()
    ocior.dump(None, writer, cls=Tokens)
    assert written == ["[", "1", "\u4e2d", "]"]
    assert dumped(ocior.dump, io.BytesIO, None, {"cls": Tokens}) == ("[1\u4e2d]".encode(), None)
    encode_only = type("E", (json.JSONEncoder,), {"encode": lambda self, o: "no"})  # json.dump does not call it
    assert dumped(ocior.dump, io.StringIO, [1], {"cls": encode_only}) == ("[1]", None)


@pytest.mark.parametrize(
    "arguments, keywords",
    [
        ((), {}),
        (([],), {}),
        (([], io.StringIO(), 1), {}),
        (([],), {"obj": 1, "fp": 2}),
        (([], io.StringIO()), {"foo": 1}),
        (([], io.StringIO()), {"is_write_cache": True}),
        (([], io.StringIO()), {"separators": 5}),
        (([], io.StringIO()), {"cls": 5}),
        (([1], 5), {}),
        (([1], None), {}),
        (([1], object()), {"cls": json.JSONEncoder}),
        (([1], io.StringIO()), {"indent": 1.5}),
    ],
    ids=repr,
)
def test_argument_errors(arguments, keywords):
    assert_same(call(ocior.dump, *arguments, **keywords), call(json.dump, *arguments, **keywords), f"{arguments} {keywords}")


def test_arguments_by_name():
    file = io.StringIO()
    assert ocior.dump(obj=[1], fp=file) is None and ocior.dump([2], fp=file) is None
    assert file.getvalue() == "[1][2]"


def test_real_files(tmp_path):
    value = {"a": ["\u4e2d", 1.5, None], "long": "\u20ac" * 300_000}
    text = json.dumps(value, ensure_ascii=False)
    path = tmp_path / "file.json"
    for mode, options in (
        ("w", {"encoding": "utf-8"}),
        ("wb", {}),
        ("wb", {"buffering": 0}),
        ("w+", {"encoding": "utf-8", "buffering": 1}),
    ):
        with open(path, mode, **options) as file:
            ocior.dump(value, file, ensure_ascii=False)
        assert path.read_bytes() == text.encode()
    for module in (gzip, bz2):
        for mode in ("wb", "wt"):
            with module.open(path, mode, **({"encoding": "utf-8"} if mode == "wt" else {})) as file:
                ocior.dump(value, file, ensure_ascii=False)
            with module.open(path, "rb") as file:
                assert file.read() == text.encode()
    for mode in ("w+", "w+b"):
        for factory in (tempfile.NamedTemporaryFile, tempfile.TemporaryFile, tempfile.SpooledTemporaryFile):
            with factory(mode=mode, **({} if "b" in mode else {"encoding": "utf-8"})) as file:
                ocior.dump(value, file, ensure_ascii=False)
                file.seek(0)
                assert file.read() == (text.encode() if "b" in mode else text)
    with open(path, "wb") as binary, codecs.getwriter("utf-16")(binary) as file:
        ocior.dump(value, file, ensure_ascii=False)
    assert path.read_bytes().decode("utf-16") == text


class Picky:
    """A file that is no file of io's: it takes one type."""

    def __init__(self, kind):
        self.kind, self.calls, self.pieces = kind, 0, []

    def write(self, piece):
        self.calls += 1
        if not isinstance(piece, self.kind):
            raise TypeError(f"not {type(piece).__name__}")
        self.pieces.append(piece)


def test_what_a_file_takes_is_learnt_once():
    value = ["\u4e2d" * 1000] * 500
    text = json.dumps(value, ensure_ascii=False)
    for kind in (str, bytes):
        file = Picky(kind)
        ocior.dump(value, file, ensure_ascii=False)
        assert file.calls == len(file.pieces) + (kind is bytes)
        assert (kind().join(file.pieces)) == (text if kind is str else text.encode())
    with pytest.raises(TypeError, match="^not str$"):
        ocior.dump([1], Picky(int))
    with pytest.raises(UnicodeEncodeError):
        ocior.dump(["\ud800"], io.BytesIO(), ensure_ascii=False)


class Partial(io.RawIOBase):
    """An unbuffered file that takes a little at a time, as pipes and sockets do."""

    def __init__(self, counts):
        self.counts, self.data = list(counts), b""

    def writable(self):
        return True

    def write(self, data):
        data = memoryview(data)
        count = self.counts.pop(0) if self.counts else len(data)
        if isinstance(count, int) and count >= 0:
            self.data += bytes(data[:count])
        return count


def test_unbuffered_files():
    value = list(range(100))
    file = Partial([1, 0, 7, 100])
    ocior.dump(value, file)
    assert file.data == json.dumps(value).encode()
    for counts, error in (
        ([5, None], BlockingIOError),
        ([5, "x"], TypeError),
        ([10**9], ValueError),
        ([-1], ValueError),
        ([2**80], OverflowError),
    ):
        with pytest.raises(error):
            ocior.dump(value, Partial(counts))


class Failing:
    def __init__(self, after):
        self.left, self.pieces = after, []

    def write(self, piece):
        if not self.left:
            raise OSError(28, "No space left on device")
        self.left -= 1
        self.pieces.append(piece)


def test_failing_writes():
    value = ["x" * 900] * 2000
    text = json.dumps(value)
    for after in range(5):
        file = Failing(after)
        with pytest.raises(OSError, match="No space left"):
            ocior.dump(value, file)
        assert text.startswith("".join(file.pieces)) and len(file.pieces) == after


def test_writes_that_change_the_value():
    class Mutating:
        def __init__(self, value):
            self.value, self.size = value, 0

        def write(self, piece):
            self.size += len(piece)
            if isinstance(self.value, dict):
                self.value.clear()
            else:
                del self.value[1:]
            gc.collect()

    for value in (
        [["x" * 100] * 50 for _ in range(500)],
        {str(i): ["y" * 3000, {"z": [i]}] for i in range(500)},
        ["w" * 500_000, "v" * 500_000],
    ):
        error = call(ocior.dump, value, Mutating(value)).error
        assert type(error) is RuntimeError if isinstance(value, dict) else error is None


def test_recursive_dump():
    """A file that dumps while it is dumped to."""

    class Nested:
        def __init__(self):
            self.inner = []

        def write(self, piece):
            file = io.StringIO()
            ocior.dump([["z" * 50] * 3000, len(piece)], file)
            self.inner.append(ocior.loads(file.getvalue())[1])

    nested = Nested()
    ocior.dump(["x" * 100] * 5000, nested)
    assert sum(nested.inner) == len(json.dumps(["x" * 100] * 5000))


@each_layout("json", "indent 1 unescaped")
def test_memory_is_bounded(keywords):
    """Text of some 60 MB, from long strings and from many small values: a few hundred KB are enough."""

    class Null:
        def write(self, piece):
            pass

    row = [{"id": 1, "name": "abc\u4e2d", "x": [1.5, None]}] * 1000
    for value in ([row] * 800, ["x" * 30_000_000, "\u4e2d" * 5_000_000], {"k": "\x00" * 5_000_000}):
        gc.collect()
        tracemalloc.start()
        try:
            ocior.dump(value, Null(), **keywords)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 3_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_resident_memory_is_bounded(tmp_path):
    check_python(
        """
        import resource, sys
        import ocior
        value = [{"id": i, "text": "abcdefgh" * 10, "list": [i, i + 0.5]} for i in range(400_000)]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for mode in ("w", "wb"):
            with open(sys.argv[1], mode) as file:
                ocior.dump(value, file)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown < 8 * 1024, f"{grown} KB"
    """,
        tmp_path / "out.json",
    )


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
def test_allocation_failures():
    """In a process of its own: what CPython does then is its own affair."""
    check_python("""
        import json, _testcapi, ocior
        value = [{"a": ["x" * 2000] * 100, "b": "\u4e2d" * 5000, "c": [1.5, None]}] * 3
        expected = json.dumps(value, ensure_ascii=False)
        class Collect:
            def __init__(self):
                self.pieces = []
            def write(self, piece):
                self.pieces.append(piece)
        failures = 0
        for n in range(1, 120):
            file = Collect()
            _testcapi.set_nomemory(n, n + 1)
            try:
                ocior.dump(value, file, ensure_ascii=False)
            except MemoryError:
                failures += 1
            finally:
                _testcapi.remove_mem_hooks()
            assert expected.startswith("".join(file.pieces))
        assert failures > 3
    """)


class Proxy:
    """An object that claims to be what it stands for, as werkzeug's and wrapt's do."""

    def __init__(self, target):
        self.target = target

    @property
    def __class__(self):
        return type(self.target)

    def __iter__(self):
        return iter(self.target)

    def __len__(self):
        return len(self.target)

    def items(self):
        return self.target.items()


@pytest.mark.parametrize(
    "change",
    [
        lambda box: box.pop("b", 0),
        dict.clear,
        lambda box: box.update({str(len(box)): 1}),
        lambda box: box.update(b=7),
        lambda box: (box.clear(), box.update(a=1, b=2, c=3)),
    ],
)
@each_layout("json", "indent 1", "unescaped", "sorted", "no circles sought")
@pytest.mark.parametrize(
    "kind", [dict, collections.OrderedDict, lambda content: collections.defaultdict(int, content), type("Sub", (dict,), {})]
)
def test_dicts_that_change_meanwhile(keywords, change, kind):
    """json is an iterator over the items here, which a dict of another size ends."""

    def attempt(encode, module):
        box = kind({"a": object(), "b": 1, "c": [1, {"z": object()}]})
        outcome = call(encode, module, [[box, 2]], {"default": lambda obj: change(box) or 1, **keywords})
        return outcome.value, outcome.error and (
            error_facts(outcome.error),
            json_notes(outcome.error) if sys.version_info >= (3, 14) else None,
        )

    def dump(module, value, options):
        file = io.StringIO()
        module.dump(value, file, **options)
        return file.getvalue()

    roads = [dump, lambda module, value, options: "".join(module.JSONEncoder(**options).iterencode(value))]
    if sys.version_info >= (3, 12) and (kind is dict or keywords != {"indent": 1}):
        roads.append(lambda module, value, options: module.dumps(value, **options))
    for road in roads:
        assert attempt(road, ocior) == attempt(road, json)


@each_layout("json", "indent 1", "sorted")
def test_proxies(keywords):
    """json's encoder in Python, which dump is, asks isinstance(); the one in C looks at the type."""
    for target in ([1, [2]], (), (1, "x"), {}, {"b": 1, "a": {"c": None}}, frozen(b=1, a=frozen(c=None)), [Proxy({"k": Proxy([3])})]):
        for value in (Proxy(target), [Proxy(target), Proxy(target)], {"p": Proxy(target)}):
            ours, theirs = dumped(ocior.dump, io.StringIO, value, keywords), dumped(json.dump, io.StringIO, value, keywords)
            assert theirs[1] is None and ours == theirs
            assert "".join(ocior.JSONEncoder(**keywords).iterencode(value)) == theirs[0]
            assert_same(call(ocior.dumps, value, **keywords), call(json.dumps, value, **keywords), f"dumps of a proxy {target}")


def test_odd_chunks_into_an_unbuffered_file():
    for chunk in (bytearray(b"abc"), memoryview(b"abc"), 5, 1.5, None):

        class Odd(json.JSONEncoder):
            def iterencode(self, o, _one_shot=False):
                yield chunk

        file = Partial([])
        ours = call(ocior.dump, None, file, cls=Odd)
        if isinstance(chunk, (bytearray, memoryview)):
            assert ours.error is None and file.data == b"abc"
        else:
            assert isinstance(ours.error, TypeError)


class Generated(list):
    """The known way to make json stream: a list that iterates over something else."""

    def __init__(self, make):
        self.make = make

    def __iter__(self):
        return self.make()

    def __len__(self):
        return 1


@pytest.mark.parametrize(
    "keywords", [{}, {"indent": 1}, {"ensure_ascii": False}, {"ensure_ascii": False, "separators": (" ,", "=")}], ids=repr
)
def test_lists_that_iterate_over_something_else(keywords):
    items = [
        1,
        "a",
        "\xe9",
        {"k": ["\u4e2d" * 5000]},
        [],
        "\U0001f600",
        object,
        ["x" * 3000] * 200,
        None,
        ("\u4e2d", "\xe9"),
        "\u4e2d" * 3000,
    ]
    for count in range(1, len(items) + 1):
        for value in (
            Generated(lambda: iter(items[:count])),
            [Generated(lambda: iter(items[:count]))] * 2,
            {"g": Generated(lambda: (item for item in items[:count]))},
        ):
            ours, theirs = (dumped(module.dump, io.StringIO, value, dict(keywords, default=repr)) for module in (ocior, json))
            assert theirs[1] is None and ours == theirs

    def failing():
        yield from items[:3]
        raise ZeroDivisionError

    (text, error), (their_text, their_error) = (dumped(module.dump, io.StringIO, Generated(failing), {}) for module in (ocior, json))
    assert type(error) is type(their_error) is ZeroDivisionError and text.startswith(their_text)
    assert json_notes(error) == json_notes(their_error) or sys.version_info < (3, 14)


def test_an_endless_list():
    """Items are asked for as they are written, and none is held."""

    class Enough(Exception):
        pass

    class Limited:
        size = 0

        def write(self, piece):
            self.size += len(piece)
            if self.size > 3_000_000:
                raise Enough

    def endless():
        while True:
            yield {"row": ["\u4e2d", 1.5]}

    for keywords in layouts("json", "unescaped"):
        with pytest.raises(Enough):
            ocior.dump(Generated(endless), Limited(), **keywords)
    pieces = ocior.JSONEncoder().iterencode(Generated(endless))
    assert all(next(pieces) for _ in range(30))


class Stored(dict):
    """A dict that keeps its items elsewhere, as those of dotmap and json-stream do."""

    def __init__(self, make, truth=True):
        self.make, self.truth = make, truth

    def items(self):
        return self.make()

    def __bool__(self):
        return self.truth


def roads_of_python(keywords):
    """Where json's encoder is Python code, for both modules."""

    def dump(module, value):
        file = io.StringIO()
        module.dump(value, file, **keywords)
        return file.getvalue()

    roads = [dump, lambda module, value: "".join(module.JSONEncoder(**keywords).iterencode(value))]
    if "indent" in keywords and sys.version_info < (3, 13):
        roads += [lambda module, value: module.dumps(value, **keywords), lambda module, value: module.JSONEncoder(**keywords).encode(value)]
    return roads


def same_on_roads(make, keywords):
    for road in roads_of_python(keywords):
        ours, theirs = (call(road, module, make()) for module in (ocior, json))
        assert_same(ours, theirs, f"{keywords}")
        if sys.version_info >= (3, 14):
            assert json_notes(ours.error) == json_notes(theirs.error)


@pytest.mark.parametrize(
    "keywords", [{}, {"indent": 1}, {"ensure_ascii": False}, {"sort_keys": True}, {"skipkeys": True, "ensure_ascii": False}], ids=repr
)
def test_dicts_that_keep_their_items_elsewhere(keywords):
    pairs = [
        ("a", 1),
        ("\xe9", "\xe9"),
        ("b", ["\u4e2d" * 5000]),
        (1, "x"),
        ("c", Stored(lambda: iter([("k", "\U0001f600"), (2.5, [])]))),
        ("\u4e2d", {}),
        (None, "\U0001f600" * 3000),
    ]
    if "sort_keys" in keywords:
        pairs = [(str(key), value) for key, value in pairs]
    for count in range(len(pairs) + 1):
        for wrap in (lambda value: value, lambda value: [value, value], lambda value: {"in": value}):
            same_on_roads(lambda: wrap(Stored(lambda: iter(pairs[:count]))), keywords)
            same_on_roads(lambda: wrap(Stored(lambda: pairs[:count], truth=bool(count))), keywords)
            same_on_roads(lambda: wrap(Stored(lambda: dict(pairs[:count]).items())), keywords)


@each_layout("json", "indent 1", "sorted")
@pytest.mark.parametrize(
    "items",
    [
        lambda: [["a", 1]],
        lambda: ["ab"],
        lambda: [(letter for letter in "ab")],
        lambda: [{"a": 1, "b": 2}],
        lambda: [("a",)],
        lambda: [["a"]],
        lambda: [()],
        lambda: [("a", 1, 2)],
        lambda: [["a", 1, 2]],
        lambda: ["abc"],
        lambda: [{"a": 1, "b": 2, "c": 3}],
        lambda: [(letter for letter in "abc")],
        lambda: [type("T", (tuple,), {})(("a", 1))],
        lambda: [5],
        lambda: [None],
        lambda: [("a", 1), 5],
        lambda: 5,
        lambda: None,
        lambda: [((), 1)],
        lambda: [("a", {1: {2: ()}}), ((), 1)],
        lambda: [("a", 1), ("b", object())],
        lambda: [("a", Stored(lambda: [("b", object())]))],
        lambda: 1 / 0,
        lambda: (1 / 0 for _ in "a"),
        lambda: [(1 / 0 for _ in "a")],
    ],
)
def test_items_that_are_no_pairs(keywords, items):
    same_on_roads(lambda: {"k": [Stored(items)]}, keywords)
    same_on_roads(lambda: Stored(items), keywords)


def test_truth_that_fails():
    class Undecided(dict):
        def __bool__(self):
            raise ZeroDivisionError

    for value in (Undecided(), Undecided(a=1), [Undecided()], {"a": Undecided()}):
        same_on_roads(lambda: value, {})


def test_pairs_come_when_their_turn_is():
    """As from json-stream or itertools.groupby, where a value is gone when the next one has come."""

    def grouped():
        position = 0
        for key in ("a", "b"):
            position += 1
            yield key, Generated(lambda: (number for number in range(5) if number == position))

    file = io.StringIO()
    ocior.dump(Stored(grouped), file)
    assert file.getvalue() == '{"a": [1], "b": [2]}'


def test_an_endless_dict():
    def endless():
        number = 0
        while True:
            number += 1
            yield number, ["\u4e2d" * 100, 1.5]

    pieces = ocior.JSONEncoder(ensure_ascii=False).iterencode(Stored(endless))
    next(pieces)
    tracemalloc.start()
    try:
        for _ in range(30):
            next(pieces)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


class Encoding(io.BytesIO):
    def write(self, text):
        return super().write(text.encode())


class Lines(io.RawIOBase):
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def getvalue(self):
        return self.text


class Counting(io.BytesIO):
    """Of bytes only: what json has no use for."""

    def write(self, data):
        self.count = getattr(self, "count", 0) + memoryview(data).nbytes
        return super().write(data)


class Blobs(io.RawIOBase):
    def __init__(self):
        self.data = b""

    def write(self, data):
        self.data += data.tobytes() if isinstance(data, memoryview) else data.hex() and data
        return len(data)

    def getvalue(self):
        return self.data


@each_layout("json", "indent 1", "unescaped")
def test_binary_classes_with_a_write_of_their_own(keywords):
    value = [{"a": "\u4e2d" * 900, "b": [1.5, None]}] * 50
    text = json.dumps(value, **keywords)
    for make in (Encoding, Lines):
        ours, theirs = (dumped(module.dump, make, value, keywords) for module in (ocior, json))
        assert theirs[1] is None and ours == theirs
    for make in (Counting, Blobs):
        assert dumped(ocior.dump, make, value, keywords) == (text.encode(), None)
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb") as packed:
        ocior.dump(value, packed)
    assert gzip.decompress(file.getvalue()) == json.dumps(value).encode()


def test_the_first_refusal_is_told():
    class Wrong:
        def __init__(self, second):
            self.calls, self.second = [], second

        def write(self, piece):
            self.calls.append(type(piece))
            if len(self.calls) > 1:
                raise self.second
            raise TypeError("first")

    for second, told in (
        (AttributeError(), TypeError),
        (ValueError(), TypeError),
        (TypeError("second"), TypeError),
        (ZeroDivisionError(), TypeError),
        (OSError("disk full"), OSError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ):
        file = Wrong(second)
        with pytest.raises(told) as raised:
            ocior.dump(["x"], file)
        assert file.calls == [str, bytes] and (told is not TypeError or str(raised.value) == "first")
    with pytest.raises(UnicodeEncodeError):
        ocior.dump("\ud800", Counting(), ensure_ascii=False)
