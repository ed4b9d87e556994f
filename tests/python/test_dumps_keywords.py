"""Every keyword of dumps and dumps_to_bytes, with sensible, odd and wrong values, alone and together."""

import functools
import itertools
import json
import random
import sys

import pytest
from support import assert_same, call, check_python, frozen, json_to_bytes, same_dumps

import ocior

SAMPLES = [
    1,
    "a\u4e2d\n",
    [],
    {},
    [1],
    {"a": 1},
    [1, [2, {"b": [], "a": {}}], "\xe9"],
    {"b": [1, 2, {"x": "\U0001f600"}], "a": {"d": None, "c": 1.5}},
    [[], {}, [[]], {"": {}}],
]


class Text(str):
    def __str__(self):
        return "oops"


class Whole(int):
    pass


class Indexed:
    def __index__(self):
        return 2


INDENTS = [
    None,
    0,
    1,
    2,
    3,
    4,
    8,
    17,
    64,
    100,
    -1,
    -5,
    -(2**70),
    True,
    False,
    "",
    " ",
    "\t",
    "--",
    "\u4e2d",
    "\xe9",
    "\U0001f600 ",
    "\ud800",
    '"',
    "\n",
    "ab" * 40,
    Text("  "),
    Whole(2),
    Whole(0),
    1.5,
    0.0,
    b" ",
    bytearray(b" "),
    [],
    [" "],
    (),
    Indexed(),
    object(),
    2**64,
    -(2**64),
    1j,
    float("nan"),
]


@pytest.mark.parametrize("index", range(len(INDENTS)), ids=lambda index: repr(INDENTS[index])[:20])
def test_indent(index):
    indent = INDENTS[index]
    kinds_only = not isinstance(indent, (int, str, type(None)))
    for obj in SAMPLES:
        for more in ({}, {"ensure_ascii": False}, {"separators": (",", ":")}, {"separators": (" , ", "")}, {"sort_keys": True}):
            same_dumps(obj, kinds_only, indent=indent, **more)


def test_indent_at_depth():
    for depth in (1, 2, 10, 63, 64, 65, 200):
        for indent in (1, 4, "\t", "\u4e2d", "abc"):
            obj = {"k": 1}
            for level in range(depth):
                obj = [obj, level] if level % 2 else {"k": obj}
            same_dumps(obj, indent=indent, ensure_ascii=False)


def test_huge_indents_do_not_hang_or_crash():
    """A gigabyte of spaces is refused or not needed; nothing overflows. In a process that may not grow."""
    out = (
        check_python("""
        import resource, sys, json, ocior
        resource.setrlimit(resource.RLIMIT_AS, (1200 << 20, 1200 << 20))
        for indent in (2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64, 10**30):
            for obj in ([], {}, 1, "a", [1], {"a": 1}, [[1]], [[[[1]]]]):
                for function in (ocior.dumps, ocior.dumps_to_bytes):
                    try:
                        text = function(obj, indent=indent)
                        assert len(text) < 5 or len(text) > indent
                        del text
                    except (MemoryError, OverflowError):
                        pass
        for indent in (-2**31, -2**63, -2**64, -10**30):
            for obj in ([], 1, [1], {"a": [1]}):
                try:
                    assert ocior.dumps(obj, indent=indent) == ocior.dumps(obj, indent=-1)
                except OverflowError:
                    pass
        big = " " * (50 << 20)
        try:
            ocior.dumps([[1, 2, [3]]] * 30, indent=big)
        except (MemoryError, OverflowError):
            pass
        try:
            ocior.dumps([1] * 100, separators=(big, ":"))
        except (MemoryError, OverflowError):
            pass
        print("done")
    """)
        if sys.platform.startswith("linux")
        else "done"
    )
    assert out.strip() == "done"


SEPARATORS = [
    None,
    (",", ":"),
    (", ", ": "),
    ("", ""),
    (";", "="),
    (",\n", " : "),
    ("\u4e2d", "\xe9"),
    ("\U0001f600", "\ud800"),
    (",", "\ud800"),
    ("x" * 7, "y" * 8),
    ("x" * 63, "y" * 65),
    ("x" * 1000, "\u4e2d" * 1000),
    [",", ":"],
    ",:",
    {",": 1, ":": 2},
    (Text(","), Text(":")),
    ('"', "\\"),
    ("\n", "\t"),
    (),
    (",",),
    (",", ":", "x"),
    ",",
    "",
    5,
    (1, 2),
    (None, None),
    (b",", b":"),
    (",", None),
    (None, ":"),
    1.5,
    True,
    object(),
    (",", 1),
    [[], []],
]


@pytest.mark.parametrize("index", range(len(SEPARATORS)), ids=lambda index: ascii(SEPARATORS[index])[:24])
def test_separators(index):
    separators = SEPARATORS[index]
    for obj in SAMPLES:
        for more in ({}, {"ensure_ascii": False}, {"indent": 1}, {"indent": "", "sort_keys": True}):
            same_dumps(obj, True, separators=separators, **more)


def test_separators_from_an_iterator():
    for obj in SAMPLES:
        assert ocior.dumps(obj, separators=iter(";=")) == json.dumps(obj, separators=iter(";="))
        assert call(ocior.dumps, obj, separators=iter(";")).error is not None


class NoBool:
    def __bool__(self):
        raise ZeroDivisionError


TRUTHS = [None, 0, 1, "", "x", [], [0], 0.0, 1.5, object()]


@pytest.mark.parametrize("name", ["skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys"])
def test_switches_take_any_truth(name):
    for truth in TRUTHS:
        for obj in SAMPLES + [{"b": 1, "a": float("nan")}, {(): 1, "a": "\xe9"}]:
            same_dumps(obj, **{name: truth})
            same_dumps(obj, indent=1, **{name: truth})


@pytest.mark.parametrize("name", ["skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys"])
def test_switch_whose_truth_raises(name):
    for obj in SAMPLES:
        assert_same(call(ocior.dumps, obj, **{name: NoBool()}), call(json.dumps, obj, **{name: NoBool()}), f"{name} {obj!r}")


def test_all_combinations():
    mixed = {"b": ["\xe9", 1.5, {"z": [], "y": {}}], "a": {"\u4e2d": None}}
    keyed = {2: 1, 1: [True], 3: "\U0001f600"}
    for values in itertools.product(
        [False, True], [False, True], [False, True], [None, 0, 3, "\u2003"], [None, (",", ":"), ("\xe9", "==")], [None, str]
    ):
        keywords = dict(zip(("skipkeys", "ensure_ascii", "sort_keys", "indent", "separators", "default"), values))
        for obj in (mixed, keyed, [object] if values[-1] else []):
            same_dumps(obj, **keywords)


# --- keys -----------------------------------------------------------------------------------------------------------

KEYED = [
    {"b": 1, "a": 2},
    {2: 1, 10: 2, 1: 3},
    {1.5: 1, -1: 2},
    {True: 1, False: 2},
    {"a": 1, 2: 3},
    {None: 1, "a": 2},
    {None: 1},
    {1: 1, "1": 2},
    {1: 1, 1.5: 2, True: 3},
    {(): 1},
    {(1,): 1, "a": 2},
    {b"x": 1},
    {float("nan"): 1, float("nan"): 2},
    {float("inf"): 1, 1: 2},
    {"\ud800": 1, "\U0001f600": 2, "\uffff": 3, "\xe9": 4, "a": 5, "": 6},
    {"a" * n: n for n in range(40, 0, -1)},
    {object(): 1},
    {object(): 1, "a": 2, 3: 4},
    {"x": {(): 1, "b": {2: 3, "y": 4}}},
    {1: {2: {3: {}}}},
    {(): {(): 1}},
    {(): object()},
    {(): 1, (1,): 2},
    {"k": [{(): 1}, {"b": 1, "a": 2}]},
    {10**30: 1, -(10**30): 2},
    {0.0: 1},
    {-0.0: 1},
    {1e100: 1, 5e-324: 2},
]


@pytest.mark.parametrize("index", range(len(KEYED)))
def test_keys(index):
    for keywords in (
        {},
        {"sort_keys": True},
        {"skipkeys": True},
        {"sort_keys": True, "skipkeys": True},
        {"indent": 2},
        {"indent": 0, "skipkeys": True},
        {"ensure_ascii": False, "sort_keys": True, "indent": "x"},
        {"allow_nan": False},
        {"default": str},
        {"allow_nan": False, "skipkeys": True, "indent": 1},
    ):
        same_dumps(KEYED[index], **keywords)


class Lower(str):
    """Keys that sort their own way."""

    def __lt__(self, other):
        return self[::-1] < other[::-1]


class NoOrder(str):
    def __lt__(self, other):
        raise ZeroDivisionError


def test_sorting_asks_the_keys():
    for keys in (["ab", "ba", "cc", "ac"], ["x"], ["aa", "b", ""]):
        for kind in (Lower, NoOrder):
            same_dumps({kind(key): 1 for key in keys}, sort_keys=True)
            same_dumps({kind(key): 1 for key in keys}, sort_keys=True, indent=1)
    original = {"b": 1, "a": 2}
    ocior.dumps(original, sort_keys=True)
    assert list(original) == ["b", "a"]


def _key_sets(rng):
    """Sets of keys that begin with the same key and have as many, or the same first characters, or are wide, or many."""
    same = ["b", *(f"same text {index}" for index in range(20)), "", "\x00", "a", "same tex", "same text"]
    units = "a\xe9\u4e2d\ue000\ufffe\uffff\U00010000\U0001f600\U0010ffff"
    wide = ["b", "~", *units, *("".join(rng.choices(units, k=rng.randrange(2, 6))) for _ in range(30))]
    many = ["b", *(f"{rng.randrange(1000)}" for _ in range(600)), *same]
    starts = ("measurement_", "measurement_of_", "\xe9" * 9, "\u4e2d" * 5, "\U0001f600" * 3, "")
    long = ["b", *(start + "".join(rng.choices("a\x00\xe9", k=rng.randrange(4))) for start in starts for _ in range(5))]
    for words in (same, wide, many, long, list("bacdefgh")):
        for _ in range(4):
            rest = rng.sample(sorted({*words} - {"b"}), rng.choice((1, 3, 6, len({*words}) - 1)))
            yield ["b", *rest]
    yield ["b", *(f"k{rng.random()}" for _ in range(5000))]


@pytest.mark.parametrize("seed", range(4))
def test_sorted_objects_of_the_same_keys(seed):
    """Orders that are known from objects before, and such as look as if they were."""
    rng = random.Random(seed)
    sets = list(_key_sets(rng))
    for keys in sets[:-1]:
        sets.append(["b", *rng.sample(keys[1:], len(keys) - 1)])
    sets += [["".join(list(key)) for key in keys] for keys in sets]  # other objects with the same text
    few, lone = sets[:3], ("\ud800", "\udbff", "\udfff", "\uffff", "", "\U0001f600")
    for chosen in (few, few[:1], sets):
        rows = [dict.fromkeys(rng.choice(chosen), {"b": index, "a": 1}) for index in range(60)]
        same_dumps(rows, sort_keys=True)
        assert ocior.dumps(rows, sort_keys=True, default=ocior.Default(canonical=False)) == json.dumps(rows, sort_keys=True)
        surrogates = [{f"{rng.choice(lone)}{key}": 1 for key in row} for row in rows[:9]]
        same_dumps(surrogates, sort_keys=True)
        canonical = json.loads(ocior.dumps(rows, default=ocior.Default(canonical=True)))
        for ours, row in zip(canonical, rows):
            assert list(ours) == sorted(row, key=lambda key: key.encode("utf-16-be"))


def test_keys_that_die_while_objects_are_sorted():
    """What a hook puts in their place has the same addresses, perhaps, and another order."""

    class Item:
        pass

    def new_keys(order):
        return [f"key {number} {round}" for number in order]

    def hook(item):
        nonlocal calls
        calls += 1
        if calls == 1:
            rows[0].clear()
            rows[1].clear()
        else:
            keys = new_keys((1, 2, 3) if round % 2 else (3, 2, 1))
            rows.append(dict.fromkeys(["b", *keys[::-1]] if round % 4 < 2 else ["b", *keys], 1))

    for round in range(20):
        calls = 0
        keys = ["b", *new_keys((1, 2, 3))]
        rows = [dict.fromkeys(keys, 1), {**dict.fromkeys(keys, 1), keys[1]: Item()}, {"z": Item()}]
        del keys
        text = ocior.dumps(rows, sort_keys=True, default=hook)
        written = json.loads(text)
        assert calls == 2 and len(written) == 4
        assert list(written[3]) == sorted(written[3]) and len(written[3]) == 4


def test_sorting_leaves_no_references():
    key = "a key of its own"
    rows = [{key: 1, "z": 2, "b": [{key: 3, "a": 4}]} for _ in range(5)]
    before = sys.getrefcount(key)
    for _ in range(3):
        ocior.dumps(rows, sort_keys=True)
        with pytest.raises(TypeError):
            ocior.dumps([*rows, {"z": rows, key: object()}], sort_keys=True)
    assert sys.getrefcount(key) == before


def test_many_orders_are_remembered_and_forgotten():
    """More shapes than have a place, in pairs, the second of which is what an order is remembered for, and shapes that share a place."""
    names = [f"key {number}" for number in range(8)]
    rows = []
    for turn in range(3):
        for order in itertools.islice(itertools.permutations(names), 0, 4000, 13):
            rows += [dict.fromkeys(order, turn), dict.fromkeys(order, [turn])]
        for shift in range(200):  # the first key and the last one stay
            middle = names[1:-1][shift % 6 :] + names[1:-1][: shift % 6]
            rows.append(dict.fromkeys([names[0], *middle, names[-1]], turn))
    before = [sys.getrefcount(name) for name in names]
    for _ in range(3):
        assert ocior.dumps(rows, sort_keys=True) == json.dumps(rows, sort_keys=True)
    assert [sys.getrefcount(name) for name in names] == before


# --- default, circularity ---------------------------------------------------------------------------------------------


def raising(error):
    def hook(obj):
        raise error

    return hook


class Boom(BaseException):
    pass


def test_default():
    class Wrapped:
        def __init__(self, value):
            self.value = value

    unwrap = lambda obj: obj.value  # noqa: E731
    for value in (
        1,
        "\u4e2d",
        None,
        [Wrapped(1)],
        {"a": Wrapped([Wrapped({})])},
        Wrapped(Wrapped(Wrapped("x"))),
        (1, 2),
        {1: Wrapped(2)},
        1.5,
        True,
        10**30,
    ):
        for keywords in ({}, {"indent": 2}, {"sort_keys": True}, {"ensure_ascii": False}, {"check_circular": False}):
            same_dumps(Wrapped(value), default=unwrap, **keywords)
            same_dumps([Wrapped(value), {"k": Wrapped(value)}] * 2, default=unwrap, **keywords)
    seen = []
    thing = Wrapped(1)
    ocior.dumps([thing, thing, 1, "x"], default=lambda obj: seen.append(obj) or 0)
    assert seen == [thing, thing]
    for bad in (5, "x", [], object(), False):
        same_dumps([thing], default=bad)
        same_dumps([1], default=bad)
    same_dumps({thing: 1}, default=str)  # keys are not given to default


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        TypeError("y"),
        StopIteration(),
        RecursionError("z"),
        MemoryError(),
        KeyError(1),
        UnicodeError(),
        Boom(),
        KeyboardInterrupt(),
    ],
    ids=repr,
)
def test_raising_default_passes_through(error):
    for function in (ocior.dumps, ocior.dumps_to_bytes):
        for obj in (object(), [object()], {"a": [1, object()]}):
            for keywords in ({}, {"indent": 1}, {"check_circular": False}):
                kind = type(error)
                if kind is StopIteration:  # of which json makes a RuntimeError where it is made of generators
                    kind = type(call(json.dumps, obj, default=raising(error), **keywords).error)
                with pytest.raises(kind) as caught:
                    function(obj, default=raising(error), **keywords)
                assert type(caught.value) is kind
                if not isinstance(error, StopIteration):
                    assert caught.value is error


def circular():
    one = []
    one.append(one)
    two = {}
    two["a"] = two
    three = [1, {"x": [2]}]
    three[1]["x"].append(three)
    four = {"a": ({"b": []},)}
    four["a"][0]["b"].append(four)
    five = [[[[[[[[[[[]]]]]]]]]]]
    five[0][0][0][0].append(five[0])
    thing = object()
    six = frozen(a=[1])
    six["a"].append(six)
    return [one, two, three, four, five, [thing], [[1, thing]], six]


@pytest.mark.parametrize("index", range(8))
def test_circular(index):
    hooks = {5: lambda obj: obj, 6: lambda obj: [obj]}
    for keywords in ({}, {"indent": 1}, {"sort_keys": True}, {"ensure_ascii": False}):
        obj = circular()[index]
        same_dumps(obj, default=hooks.get(index), **keywords)
        assert type(call(ocior.dumps, obj, default=hooks.get(index), **keywords).error) is ValueError


def test_circles_below_other_containers():
    for above in (0, 1, 30, 31, 32, 62, 63, 64, 100, 126, 127, 128, 200):
        for round_trip in (1, 2, 3, 31, 64, 100, 129):
            first = last = []
            for i in range(round_trip - 1):
                last.append({"a": []} if i % 2 else [])
                last = last[0]["a"] if i % 2 else last[0]
            last.append(first)
            obj = first
            for i in range(above):
                obj = {"b": obj} if i % 2 else [1, obj]
            same_dumps(obj)


def test_circles_through_new_containers():
    class Items(dict):
        def items(self):
            return [("a", [[self]])]

    class Iterated(list):
        def __iter__(self):
            return iter([[{"b": self}]])

    for obj in (Items(a=1), Iterated([1]), [{"c": Items(a=1)}], {"c": [Iterated([1])]}):
        for keywords in ({}, {"indent": 1}, {"sort_keys": True}, {"default": str}):
            error = call(ocior.dumps, obj, **keywords).error
            assert (type(error), str(error)) == (ValueError, "Circular reference detected")


def test_shared_is_not_circular():
    shared = [1, {"a": 2}]
    obj = [shared, shared, {"x": shared, "y": {"z": shared}}, (shared,)]
    same_dumps(obj)
    for _ in range(12):
        obj = [obj, obj]
    same_dumps(obj)
    grown = lambda obj: shared  # noqa: E731
    same_dumps([object(), object(), [object()]], default=grown)


def test_unchecked_circles_end_in_recursion_error():
    check_python("""
        import ocior
        def circles():
            one, two = [], {}
            one.append(one)
            two["a"] = [two]
            return [(one, None), (two, None), (object(), lambda obj: obj), (object(), lambda obj: [obj])]
        for obj, hook in circles():
            for function in (ocior.dumps, ocior.dumps_to_bytes):
                for keywords in ({}, {"indent": 0}):
                    try:
                        function(obj, check_circular=False, default=hook, **keywords)
                    except RecursionError:
                        pass
                    else:
                        raise SystemExit(f"no RecursionError: {hook}")
    """)


# --- cls, unknown keywords ---------------------------------------------------------------------------------------------


class Encoder(json.JSONEncoder):
    def default(self, obj):
        return f"<{type(obj).__name__}>"


class Recorder(json.JSONEncoder):
    def __init__(self, **keywords):
        self.given = sorted((name, repr(value)) for name, value in keywords.items())
        keywords.pop("extra", None)
        super().__init__(**keywords)

    def encode(self, obj):
        return super().encode([self.given, obj])


class Iterates(json.JSONEncoder):
    def iterencode(self, obj, _one_shot=False):
        yield "<"
        yield from super().iterencode(obj, _one_shot)
        yield ">"


@pytest.mark.parametrize("kind", [None, json.JSONEncoder, Encoder, Recorder, Iterates], ids=repr)
def test_encoder_class(kind):
    for obj in (1, "\u4e2d", [1, object], {"b": [Encoder], "a": 1}, [float("nan")]):
        for keywords in (
            {},
            {"indent": 2},
            {"separators": (";", "=")},
            {"sort_keys": True},
            {"ensure_ascii": False},
            {"allow_nan": False},
            {"skipkeys": 1},
            {"check_circular": 0},
            {"extra": 1},
            {"foo": 2},
        ):
            if kind is Recorder:
                assert_same(call(ocior.dumps, obj, cls=kind, **keywords), call(json.dumps, obj, cls=kind, **keywords), f"{keywords}")
                assert (call(ocior.dumps_to_bytes, obj, cls=kind, **keywords).error is None) == (
                    call(json_to_bytes, obj, cls=kind, **keywords).error is None
                )
            else:
                same_dumps(obj, cls=kind, **keywords)


def test_odd_classes():
    class NotText:
        def __init__(self, **keywords):
            pass

        def encode(self, obj):
            return obj

    for obj in (1, [1], "x", None):
        assert ocior.dumps(obj, cls=NotText) is json.dumps(obj, cls=NotText)
    for kind in (5, int, object, json.JSONDecoder, lambda **keywords: Encoder(**keywords)):
        assert_same(call(ocior.dumps, [1], cls=kind), call(json.dumps, [1], cls=kind), repr(kind))
    assert call(ocior.dumps_to_bytes, [1], cls=NotText).error is not None
    assert ocior.dumps_to_bytes("x", cls=NotText) == b"x"


def test_wrong_arguments():
    for arguments, keywords in [
        ((), {}),
        ((1, 2), {}),
        ((1,), {"foo": 1}),
        ((1,), {"encoding": "utf-8"}),
        ((), {"foo": 1}),
        ((1,), {"obj": 2}),
        ((object(),), {"foo": 1}),
        (("x",), {"foo": 1, "indent": 1.5}),
    ]:
        assert_same(
            call(ocior.dumps, *arguments, **keywords), call(json.dumps, *arguments, **keywords), f"{arguments}{keywords}", types_only=True
        )
        assert type(call(ocior.dumps_to_bytes, *arguments, **keywords).error) is TypeError
    assert_same(call(ocior.dumps, 1, foo=1), call(json.dumps, 1, foo=1), "unknown keyword")
    assert ocior.dumps(obj=[1]) == "[1]" and ocior.dumps_to_bytes(obj=[1]) == b"[1]"
    assert call(ocior.dumps, 1, is_write_cache=True).error is not None  # dumps has json's keywords only


# --- bytes --------------------------------------------------------------------------------------------------------------


def test_bytes_defaults():
    obj = {"\u4e2d": ["\xe9", 1.5, None], "b": {}}
    assert ocior.dumps_to_bytes(obj) == '{"\u4e2d":["\xe9",1.5,null],"b":{}}'.encode()
    assert ocior.dumps_to_bytes(obj, ensure_ascii=True) == json.dumps(obj, separators=(",", ":")).encode()
    assert ocior.dumps_to_bytes(obj, indent=2) == json.dumps(obj, indent=2, ensure_ascii=False).encode()
    assert (
        ocior.dumps_to_bytes(obj, indent=2, separators=(",", ":"))
        == json.dumps(obj, indent=2, ensure_ascii=False, separators=(",", ":")).encode()
    )
    assert ocior.dumps_to_bytes(obj, separators=(", ", ": ")) == json.dumps(obj, ensure_ascii=False).encode()
    assert type(ocior.dumps_to_bytes(obj)) is bytes and type(ocior.dumps(obj)) is str


def test_surrogates_in_separators_and_indents():
    for keywords in ({"indent": "\ud800"}, {"separators": ("\udfff", ":")}, {"separators": (",", "a\ud800")}):
        assert isinstance(call(ocior.dumps_to_bytes, [{"a": 1}, {"b": 2}], **keywords).error, ValueError)
        assert ocior.dumps_to_bytes(1, **keywords) == b"1"
        same_dumps([{"a": 1}, {"b": 2}], ensure_ascii=False, **keywords)


# The keywords of the last call are kept in their compiled form, by the names that are one object with every run of the same
# call expression: what a call gets must be its own all the same.
@functools.cache
def written_out(*names):
    return eval("lambda function, obj, keywords: function(obj" + "".join(f", {name}=keywords[{name!r}]" for name in names) + ")")


def after(first, then, obj=SAMPLES):
    """What a call with the keywords `then` gives after calls with the keywords `first`, as json's."""
    for function in (ocior.dumps, ocior.dumps_to_bytes):
        for _ in range(3):
            call(written_out(*first), function, obj, first)
        for _ in range(2):
            ours = call(written_out(*then), function, obj, then)
            theirs = call(json.dumps if function is ocior.dumps else json_to_bytes, obj, **then)
            # (Since 3.15 the words of an overflow depend on how often json's own line has run.)
            assert_same(ours, theirs, (first, then), types_only=sys.version_info >= (3, 15) and isinstance(theirs.error, OverflowError))


@pytest.mark.parametrize(
    "keyword, values",
    [
        ("indent", [1, 2, None, 0, "  ", "\t", True, 2**70, [], -1]),
        ("ensure_ascii", [True, False, 0, 1, "", "x", None, []]),
        ("sort_keys", [True, False, [], [1]]),
        ("separators", [(",", ":"), (", ", ": "), None, [",", ":"], ("\u4e2d", "="), (";" * 50, ":"), (1, 2), ","]),
        ("allow_nan", [True, False]),
        ("skipkeys", [False, True]),
        ("default", [None, repr, str]),
        ("cls", [None, json.JSONEncoder]),
    ],
)
def test_the_last_calls_keywords_do_not_stay(keyword, values):
    obj = [{"b": "\xe9\u4e2d", "a": [1, {}, []]}, float("nan"), {1: 2, (1, 2): 3}, object]
    for first, then in itertools.permutations(values, 2):
        for things in (obj, obj[:1]):
            after({keyword: first}, {keyword: then}, things)
            after({keyword: first, "check_circular": False}, {keyword: then, "check_circular": False}, things)
        after({keyword: first}, {}, obj[:1])


def test_keywords_in_another_order_and_number():
    keywords = {"ensure_ascii": False, "separators": (",", ":"), "sort_keys": True, "indent": 1, "allow_nan": True}
    orders = [dict(order) for count in range(len(keywords) + 1) for order in itertools.permutations(keywords.items(), count)][::7]
    for first, then in zip(orders, orders[1:] + orders[:1]):
        after(first, then)
    swapped = {"ensure_ascii": True, "sort_keys": False}, {"sort_keys": True, "ensure_ascii": False}
    for first, then in itertools.permutations(swapped):
        after(first, then)


def test_separators_that_change_between_calls():
    separators = [",", ":"]
    for sign in ",;+":
        separators[0] = sign
        assert ocior.dumps([1, 2, {"a": 3}], separators=separators) == f'[1{sign}2{sign}{{"a":3}}]'
    for text in (Text(";"), Text("+")):
        assert ocior.dumps([1, 2], separators=(text, ":")) == json.dumps([1, 2], separators=(text, ":"))


def test_keywords_are_kept_by_call_not_by_function():
    """Calls from a hook, and from one function within the other's, have their own keywords."""
    inside = []

    def default(obj):
        inside.append(ocior.dumps([1, {"a": 2}], indent=1))
        inside.append(ocior.dumps_to_bytes([1, {"a": 2}], indent=3))
        return [1, 2]

    for _ in range(3):
        for function, theirs in ((ocior.dumps, json.dumps), (ocior.dumps_to_bytes, json_to_bytes)):
            assert function([1, {"a": 2}], indent=2) == theirs([1, {"a": 2}], indent=2)
        assert ocior.dumps([object(), {"a": 2}], indent=2, default=default) == json.dumps([[1, 2], {"a": 2}], indent=2)
    assert inside == [json.dumps([1, {"a": 2}], indent=1), json_to_bytes([1, {"a": 2}], indent=3)] * 3


def test_kept_keywords_of_partials_and_unpacked_dicts():
    """Names in a new tuple for each call, interned or not."""
    for obj in SAMPLES:
        for keywords in ({"indent": 2}, {"indent": 3}, {"ensure_ascii": False, "indent": 2}, {"indent": 2, "ensure_ascii": True}):
            made = {"".join(list(name)): value for name, value in keywords.items()}
            for given in (keywords, made):
                same_dumps(obj, **given)
                for _ in range(2):
                    assert functools.partial(ocior.dumps, **given)(obj) == json.dumps(obj, **keywords)
                    assert functools.partial(ocior.dumps, obj, **given)() == json.dumps(obj, **keywords)
                    assert functools.partial(ocior.dumps_to_bytes, **given)(obj) == json_to_bytes(obj, **keywords)


def test_keywords_in_use_are_not_replaced():
    """Python code that runs during a call makes calls with more other keywords than are kept."""

    class Nosy(dict):
        def items(self):
            for indent in (1, 3, 5, 7, 9, 11):
                for function, theirs in ((ocior.dumps, json.dumps), (ocior.dumps_to_bytes, json_to_bytes)):
                    assert function([1, {"a": 2}], indent=indent) == theirs([1, {"a": 2}], indent=indent)
                    assert function([self.get(0), "\xe9"], ensure_ascii=True) == theirs([None, "\xe9"], ensure_ascii=True)
            ocior.write_utf8_cache(False)
            return dict.items(self)

    value = [{"a": [1, Nosy(b=2, c=[3])]}, Nosy(d=Nosy(e=4)), 5]
    for _ in range(3):
        for function, theirs in ((ocior.dumps, json.dumps), (ocior.dumps_to_bytes, json_to_bytes)):
            assert function(value, indent=2) == theirs(value, indent=2)
            assert function(value, indent=4, sort_keys=True) == theirs(value, indent=4, sort_keys=True)


def test_kept_keywords_of_positional_and_named_calls():
    for _ in range(3):
        assert ocior.dumps([1], indent=2) == "[\n  1\n]"
        assert ocior.dumps(obj=[1], indent=2) == "[\n  1\n]"
        assert ocior.dumps(indent=2, obj=[1]) == "[\n  1\n]"
        for arguments in (([1], 2), ()):
            with pytest.raises(TypeError):
                ocior.dumps(*arguments, indent=2)


def test_the_caches_default_may_change_between_calls():
    check_python("""
        import sys, ocior
        def grown(dumps):
            text = "".join(["\\u4e2d", "x" * 50])
            size = sys.getsizeof(text)
            dumps([text])
            return sys.getsizeof(text) > size
        bare = lambda obj: ocior.dumps_to_bytes(obj)
        indented = lambda obj: ocior.dumps_to_bytes(obj, indent=2)
        told = lambda obj: ocior.dumps_to_bytes(obj, is_write_cache=cache)
        for dumps in (bare, indented):
            for default in (True, False, True):
                ocior.write_utf8_cache(default)
                assert grown(dumps) is default
                for cache in (True, False):
                    assert grown(told) is cache
                    assert grown(dumps) is default
    """)
