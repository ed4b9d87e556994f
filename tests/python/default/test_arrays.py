"""Arrays of numbers, written out of their memory by an ocior.Default: array.array, memoryviews and numpy's arrays and scalars of every
type, layout and size, over every road, against what json writes of the lists that they hold."""

import array
import ctypes
import gc
import itertools
import json
import random
import struct
import sys
import types

import pytest
from rich_values import KEYWORDS, ROADS, check
from support import call

import ocior
from ocior import Default

FEW_KEYWORDS = [{}, {"indent": 1}, {"ensure_ascii": False, "separators": (" ,", " =")}]
LIMITS = {code: (-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1) for code, size in (("b", 1), ("h", 2), ("i", 4), ("l", 8), ("q", 8))}
LIMITS.update({code: (0, 2 ** (8 * size) - 1) for code, size in (("B", 1), ("H", 2), ("I", 4), ("L", 8), ("Q", 8))})
DOUBLES = [0.0, -0.0, 1.0, 0.1, 1e16, 1e-5, 5e-324, 1.7976931348623157e308, float("nan"), float("inf"), float("-inf"), 123456.789]


def numbers(code, count, rng):
    if code == "d":
        return [rng.choice([*DOUBLES, rng.random(), rng.uniform(-1e18, 1e18)]) for _ in range(count)]
    low, high = LIMITS[code]
    size = struct.calcsize(code)
    low, high = (low, high) if 2 ** (8 * size) > high else LIMITS["i" if low else "I"]
    return [rng.choice([low, high, 0, 1, 9, 10, low + 1, high - 1, rng.randint(low, high)]) for _ in range(count)]


# ---- without numpy ----


@pytest.mark.parametrize("code", "bBhHiIlLqQd")
def test_array_and_memoryview(code):
    rng = random.Random(code)
    for count in (0, 1, 2, 7, 300):
        values = numbers(code, count, rng)
        held = array.array(code, values)
        check(held, values, keywords=FEW_KEYWORDS)
        check(memoryview(held), values, keywords=FEW_KEYWORDS)
        check(memoryview(held)[::-1], values[::-1], keywords=[{}])
        check(memoryview(held)[1::3], values[1::3], keywords=[{}])


def test_floats_of_32_bits():
    """They have the digits of their own precision."""
    rng = random.Random(2)
    bits = [0, 1, 0x80000000, 0x7F7FFFFF, 0x00800000, 0x3DCCCCCD, *(rng.getrandbits(31) % 0x7F800000 for _ in range(2000))]
    values = array.array("f", struct.pack(f"{len(bits)}I", *bits))
    written = json.loads(ocior.dumps(values, default=ocior.default))
    assert array.array("f", written).tobytes() == values.tobytes()
    assert (
        ocior.dumps(array.array("f", [0.1, 1e10, 16777216.0, 3.4028235e38]), default=ocior.default)
        == "[0.1, 10000000000.0, 16777216.0, 3.4028235e+38]"
    )
    assert ocior.dumps(array.array("f", [float("nan"), float("inf")]), default=ocior.default) == "[NaN, Infinity]"


@pytest.mark.parametrize("code", "?bBhHiIlLqQnNfd")
def test_formats_of_memoryviews(code):
    size = struct.calcsize(code)
    data = bytes(range(1, 1 + 4 * size)) if code not in "?fd" else struct.pack(f"4{code}", 0, 1, 1, 0)
    view = memoryview(data).cast(code)
    check(view, view.tolist(), keywords=[{}])
    check(memoryview(data).cast(code, (2, 2)), memoryview(data).cast(code, (2, 2)).tolist(), keywords=FEW_KEYWORDS)


SHAPES = [(0 + 1,), (6,), (2, 3), (3, 2), (1, 1, 6), (2, 1, 3), (1,) * 10 + (6,)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes_of_memoryviews(shape):
    size = 1
    for length in shape:
        size *= length
    view = memoryview(bytes(range(size))).cast("B", shape)
    check(view, view.tolist(), keywords=KEYWORDS)
    check([view, "\u4e2d", {"k": view}], [view.tolist(), "\u4e2d", {"k": view.tolist()}], keywords=KEYWORDS)


def test_memoryviews_of_other_formats():
    check(memoryview(bytes(8)).cast("d", ()), 0.0)
    check(memoryview((ctypes.c_long * 3)(1, -2, 3)), [1, -2, 3])
    check(memoryview(((ctypes.c_double * 3) * 2)()), [[0.0] * 3] * 2)
    check(memoryview((ctypes.c_int32.__ctype_be__ * 2)(1, -2)), [1, -2])
    check(memoryview((ctypes.c_int32.__ctype_le__ * 2)(1, -2)), [1, -2])
    check(memoryview((ctypes.c_bool * 2)(True, False)), [True, False])
    check(memoryview(array.array("d", [0.5]).tobytes()), list(array.array("d", [0.5]).tobytes()))
    for road in ROADS:
        with pytest.raises(TypeError, match="^Object of type bytes is not JSON serializable"):
            road([memoryview(bytes(4)).cast("c")], default=ocior.default)
        # memoryview itself does not know what such elements are.
        with pytest.raises(TypeError, match="^Object of type memoryview is not JSON serializable"):
            road([memoryview((ctypes.c_char * 3)())], default=ocior.default)
    check([memoryview((ctypes.c_char * 3)())], ["memoryview"], Default(lambda value: type(value).__name__), [{}])
    check([memoryview(b"abcd")[::2], memoryview(b"abcd")[::-1]], ["YWM=", "ZGNiYQ=="], Default(bytes="base64"), [{}])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_arrays_of_text():
    for code in ("u", "w") if sys.version_info >= (3, 13) else ("u",):
        if code in array.typecodes:
            check(array.array(code, "a\u4e2d"), ["a", "\u4e2d"])


def test_released_memoryview():
    view = memoryview(b"abc")
    view.release()
    for road in ROADS:
        with pytest.raises(ValueError, match="released memoryview"):
            road([view], default=ocior.default)


def test_the_array_is_locked_while_it_is_written():
    """Nothing can resize it then, and it can be resized afterwards."""

    class Unknown:
        pass

    def fallback(value):
        answer = call(held.append, 9)
        return type(answer.error).__name__

    for road in ROADS:
        held = array.array("i", [1, 2])
        view = memoryview(held)
        assert json.loads(road([held, Unknown(), view], default=Default(fallback))) == [[1, 2], "BufferError", [1, 2]]
        view.release()
        assert json.loads(road([held, Unknown(), held], default=Default(fallback))) == [[1, 2], "NoneType", [1, 2, 9]]
        held.append(3)
        call(road, [held, object()], default=ocior.default)
        call(road, held, default=ocior.default, indent=2)
        held.append(4)


def test_long_arrays():
    """Longer than a piece, so that pieces end within them; nested, in lines, behind text that makes them wider."""
    rng = random.Random(5)
    doubles, bytes_ = array.array("d", [rng.random() for _ in range(30000)]), memoryview(rng.randbytes(60000)).cast("B", (200, 3, 100))
    for value, twin in ((doubles, list(doubles)), (bytes_, bytes_.tolist())):
        for options in ({}, {"indent": 1}, {"ensure_ascii": False}, {"separators": (" ,," * 9, "=")}):
            expected = json.dumps(["\u20ac\U0001f600", twin, {"k": twin}], **options)
            for road in ROADS:
                assert road(["\u20ac\U0001f600", value, {"k": value}], default=ocior.default, **options) == expected


def test_numbers_that_are_refused():
    for count in (0, 5, 20000):
        held = array.array("d", [1.5] * count + [float("nan")] + [2.5] * 3)
        for value, road, indent in itertools.product((held, [held], {"a": held}), ROADS, (None, 1)):
            with pytest.raises(ValueError, match="^Out of range float values are not JSON compliant"):
                road(value, default=ocior.default, allow_nan=False, indent=indent)
        held.append(1.0)  # nobody holds it any more


def check_leaks(values, times):
    """Each of the values is written, or refused, so many times by every road, without more blocks of memory each time."""

    def run(times):
        for _ in range(times):
            for value, road in itertools.product(values, ROADS):
                call(road, [value, value], default=ocior.default, allow_nan=False)
        gc.collect()
        return sys.getallocatedblocks()

    run(5)
    sizes = [run(times) for _ in range(4)]
    assert min(after - before for before, after in itertools.pairwise(sizes)) < 100, sizes


def test_no_leaks():
    held = array.array("d", range(20))
    values = [
        held,
        memoryview(held),
        memoryview(bytes(12)).cast("i", (3, 1)),
        memoryview(b"abc").cast("c"),
        array.array("d", [float("nan")]),
    ]

    check_leaks(values, 40)


# ---- numpy ----


@pytest.fixture(scope="module")
def np():
    return pytest.importorskip("numpy")


INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def layouts(np, values):
    """The same numbers in other orders in memory: what is written is what tolist() says."""
    yield values
    yield values[::2]
    yield values[::-1]
    yield np.asfortranarray(values)
    yield values.T
    yield values.reshape(-1)
    yield values.reshape(values.shape + (1,))
    yield values[..., None].swapaxes(0, -1)
    yield np.broadcast_to(values, (2, *values.shape))
    yield values[:0]
    yield values[..., :0]
    yield np.lib.stride_tricks.sliding_window_view(values, 2, axis=0)
    read_only = values.copy()
    read_only.flags.writeable = False
    yield read_only
    yield values.view(np.ndarray).copy()[1:, ::-1] if values.ndim == 2 else values[1:]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", ["?", *INTEGERS, "f8"])
def test_numpy_arrays(np, kind, order):
    rng = random.Random(kind)
    dtype = np.dtype(kind)
    if kind == "f8":
        numbers_ = [rng.choice(DOUBLES) for _ in range(24)]
    elif kind == "?":
        numbers_ = [rng.random() < 0.5 for _ in range(24)]
    else:
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        numbers_ = [rng.choice([low, high, 0, rng.randint(low, high)]) for _ in range(24)]
    values = np.array(numbers_, dtype=dtype).astype(dtype.newbyteorder(order))
    for shape in ((24,), (4, 6), (2, 3, 4)):
        for laid in layouts(np, values.reshape(shape)):
            expected = laid.tolist()
            for options in FEW_KEYWORDS:
                text = json.dumps([expected, {"k": expected}], **options)
                for road in ROADS[:3]:
                    assert road([laid, {"k": laid}], default=ocior.default, **options) == text
    check(values.reshape(4, 6), values.reshape(4, 6).tolist(), keywords=FEW_KEYWORDS)
    for scalar in values[:6]:
        check(scalar, scalar.item(), keywords=FEW_KEYWORDS)
        check(np.array(scalar), scalar.item(), keywords=[{}])
    check(np.zeros((0,), dtype), [])
    check(np.zeros((2, 0, 3), dtype), [[], []], keywords=KEYWORDS)
    check(np.zeros((1,) * 32, dtype), np.zeros((1,) * 32, dtype).tolist(), keywords=[{}, {"indent": 1}])


@pytest.mark.parametrize("kind", "? b B h H i I l L q Q e f d".split())
def test_small_numpy_arrays(np, kind):
    """They have the texts that their elements have in large ones, alone and among others."""
    rng = np.random.default_rng(5)
    flat = np.frombuffer(rng.bytes(16 * np.dtype(kind).itemsize), np.uint8)
    flat = (flat % 2).view("?") if kind == "?" else flat.view(kind).copy()
    flat[0] = 0
    for elements in (flat, np.where(np.isfinite(flat), flat, 1).astype(kind)):
        texts = ocior.dumps(np.tile(elements, 20), default=ocior.default)[1:-1].split(", ")

        def nested(places):
            return texts[places] if isinstance(places, int) else "[" + ", ".join(map(nested, places)) + "]"

        for shape in [(1,), (16,), (3,), (4, 4), (1, 1), (16, 1), (1, 16), (8, 2), (0,), (2, 0), (2, 2, 2), (1, 1, 1)]:
            count = int(np.prod(shape))
            places = np.arange(count).reshape(shape)
            whole = elements[:count].reshape(shape)
            others = [np.asfortranarray(whole), whole[::-1][::-1], np.repeat(whole, 2, 0)[::2]]
            for one in [whole, whole.astype(whole.dtype.newbyteorder()), *others]:
                for road in ROADS:
                    assert road(one, default=ocior.default) == nested(places.tolist())
                value = ["\u4e2d", one, {"k": one}, one, (one,), one]
                text = nested(places.tolist())
                expected = f'["\u4e2d", {text}, {{"k": {text}}}, {text}, [{text}], {text}]'
                for road in ROADS:
                    assert road(value, default=ocior.default, ensure_ascii=False) == expected
        assert ocior.dumps([elements[0]] * 2, default=ocior.default) == f"[{texts[0]}, {texts[0]}]"


@pytest.mark.parametrize("kind, unsigned", [("f4", "u4"), ("f2", "u2")])
def test_numpy_floats_of_their_own_precision(np, kind, unsigned):
    """Each has the shortest digits that read back as the same float of its own type; all of 16 bits are tried."""
    rng = random.Random(kind)
    bits = range(2**16) if kind == "f2" else [rng.getrandbits(32) for _ in range(20000)]
    values = np.array(bits, dtype=unsigned).view(kind)
    values = values[np.isfinite(values)]
    texts = ocior.dumps(values, default=ocior.default, separators=(" ", ":"))[1:-1].split(" ")
    assert np.array([float(text) for text in texts]).astype(kind).tobytes() == values.tobytes()
    shortest = [np.format_float_scientific(value, unique=True, trim="-") for value in values[:: len(values) // 3000]]
    for text, best in zip(texts[:: len(values) // 3000], shortest):
        assert len(text.split("e")[0].strip("-").replace(".", "").strip("0")) == len(
            best.split("e")[0].strip("-").replace(".", "").strip("0")
        ), (text, best)
    sample = values[:: len(values) // 300]
    assert texts[:: len(values) // 300] == [ocior.dumps(value, default=ocior.default) for value in sample]
    swapped = sample.astype(sample.dtype.newbyteorder())
    assert ocior.dumps(swapped, default=ocior.default) == ocior.dumps(sample, default=ocior.default)
    assert ocior.dumps(np.array([np.nan, np.inf, -np.inf], kind), default=ocior.default) == "[NaN, Infinity, -Infinity]"
    for value in (np.array([np.nan], kind), np.array([np.inf], kind)[0]):
        with pytest.raises(ValueError, match="^Out of range float values are not JSON compliant"):
            ocior.dumps([value], default=ocior.default, allow_nan=False)


def test_numpy_long_doubles(np):
    values = np.array([0.5, -0.0, 1e300], np.longdouble)
    check(values, values.astype("f8").tolist(), keywords=[{}])
    check(values[0], 0.5, keywords=[{}])


DATES = [
    ("2026-01-02", "D", "2026-01-02T00:00:00"),
    ("2026-01", "M", "2026-01-01T00:00:00"),
    ("2026", "Y", "2026-01-01T00:00:00"),
    ("2026-01-01", "W", "2026-01-01T00:00:00"),
    ("2026-01-02T03", "h", "2026-01-02T03:00:00"),
    ("2026-01-02T03:04", "m", "2026-01-02T03:04:00"),
    ("2026-01-02T03:04:05", "s", "2026-01-02T03:04:05"),
    ("2026-01-02T03:04:05.006", "ms", "2026-01-02T03:04:05.006000"),
    ("2026-01-02T03:04:05.000006", "us", "2026-01-02T03:04:05.000006"),
    ("2026-01-02T03:04:05.000000007", "ns", "2026-01-02T03:04:05.000000007"),
    ("2026-01-02T03:04:05.000006", "ns", "2026-01-02T03:04:05.000006"),
    ("1969-12-31T23:59:59.999", "ms", "1969-12-31T23:59:59.999000"),
    ("0001-01-01", "s", "0001-01-01T00:00:00"),
    ("0000-03-01", "D", "0000-03-01T00:00:00"),
    ("9999-12-31T23:59:59", "s", "9999-12-31T23:59:59"),
    ("2000-02-29", "D", "2000-02-29T00:00:00"),
    ("NaT", "s", None),
]


@pytest.mark.parametrize("given, unit, text", DATES)
def test_numpy_datetimes(np, given, unit, text):
    moment = np.datetime64(given, unit)
    check(moment, text)
    check(np.array([[moment, moment]]), [[text, text]], keywords=KEYWORDS)
    check(np.array([moment] * 5)[::-2], [text] * 3)
    check(np.array([moment] * 5).astype(f">M8[{unit}]"), [text] * 5, keywords=[{}])
    check(np.array([[moment, np.datetime64("NaT", unit)]] * 3).astype(f">M8[{unit}]").T[:, ::-2], [[text] * 2, [None] * 2], keywords=[{}])
    check(np.array([], f"M8[{unit}]"), [])
    check(np.array(given, f"M8[{unit}]"), text)
    if text:
        check({moment: 1}, {text: 1}, Default(keys=True))
        check([moment, np.array([moment])], [text + "Z", [text + "Z"]], Default(naive_utc=True, utc_z=True), [{}])
        check([moment, np.array([moment])], [text + "+00:00", [text + "+00:00"]], Default(naive_utc=True), [{}])
        check([moment, np.array([moment])], [text[:19], [text[:19]]], Default(microseconds=False), [{}])


def test_numpy_datetimes_of_derived_classes(np):
    """Only what numpy's own classes store is read without asking numpy."""
    moment_class, duration_class = type("Moment", (np.datetime64,), {}), type("Duration", (np.timedelta64,), {})
    for given, unit, text in DATES:
        check(moment_class(given, unit), text, keywords=[{}])
    for count, unit, text in DURATIONS:
        check(duration_class(count, unit), text, keywords=[{}])


def test_numpy_float16_scalars(np):
    numbers = np.arange(65536, dtype=np.uint16).view(np.float16)
    for road in ROADS:
        for policy in ("name", "null"):
            rich = Default(non_finite=policy)
            assert road(list(numbers), default=rich) == road(numbers, default=rich), policy


def test_numpy_datetimes_of_every_month(np):
    months = np.arange("0000-01", "10000-01", dtype="M8[M]")
    texts = json.loads(ocior.dumps(months, default=ocior.default))
    assert texts == [f"{year:04}-{month:02}-01T00:00:00" for year in range(10000) for month in range(1, 13)]
    assert json.loads(ocior.dumps(months.astype("M8[D]"), default=ocior.default)) == texts
    assert json.loads(ocior.dumps(months.astype("M8[us]"), default=ocior.default)) == texts


def test_numpy_datetimes_in_odd_units(np):
    check(np.array([1, 2]).astype("M8[7D]"), ["1970-01-08T00:00:00", "1970-01-15T00:00:00"], keywords=[{}])
    check(np.array([-1]).astype("M8[90m]"), ["1969-12-31T22:30:00"], keywords=[{}])
    # More nanoseconds than 64 bits hold.
    for ticks, text in ((2**62, "2992-12-19T23:15:28.991715328"), (-(2**61), "1458-07-08T00:22:15.504142336")):
        far = np.array([ticks, 0]).view("M8[7ns]")
        check([far, far[0]], [[text, "1970-01-01T00:00:00"], text], keywords=[{}])
    for kind in ("M8[ps]", "M8[fs]", "M8[as]"):
        words = {"p": "picoseconds", "f": "femtoseconds", "a": "attoseconds"}[kind[3]]
        for value in (np.array([1]).astype(kind), np.array([1]).astype(kind)[0]):
            for road in ROADS:
                with pytest.raises(TypeError, match=f"^unsupported numpy.datetime64 unit: {words}"):
                    road([value], default=ocior.default)
    most = 2**63 - 1
    for unit, ticks in itertools.product(["Y", "M", "W", "D", "h", "m", "s", "ms", "us"], (most, -most, 2**62, -(2**62))):
        far = np.array([0, ticks]).view(f"M8[{unit}]")
        for value in (far, far[1]):
            for road in ROADS:
                with pytest.raises(TypeError, match="^a numpy.datetime64 beyond the years 0 to 9999 has no form in JSON"):
                    road({"a": value}, default=ocior.default)


DURATIONS = [
    (5, "W", "P35D"),
    (1, "D", "P1D"),
    (25, "h", "P1DT1H"),
    (61, "m", "PT1H1M"),
    (0, "s", "PT0S"),
    (-1, "s", "-PT1S"),
    (5, "ms", "PT0.005S"),
    (86400 * 10**6 + 1, "us", "P1DT0.000001S"),
    (7, "ns", "PT0.000000007S"),
    (5, "Y", "P5Y"),
    (-5, "M", "-P5M"),
    (2**63 - 1, "ns", "P106751DT23H47M16.854775807S"),
    (2**62, "s", "P53375995583650DT7H45M4S"),
    (2**62, "W", "P32281802128991715328D"),
    (-(2**62), "100D", "-P461168601842738790400D"),
    (2**62, "7Y", "P32281802128991715328Y"),
    (-(2**63) + 1, "2147483647W", f"-P{(2**63 - 1) * (2**31 - 1) * 7}D"),
    (1 - 2**63, "1000h", f"-P{(2**63 - 1) * 1000 // 24}DT16H"),
    ("NaT", "s", None),
]


@pytest.mark.parametrize("count, unit, text", DURATIONS)
def test_numpy_durations(np, count, unit, text):
    duration = np.timedelta64(count, unit)
    check(duration, text)
    check(np.array(duration), text)
    check(np.array([[duration, np.timedelta64("NaT", unit)]] * 2), [[text, None]] * 2)
    check(np.array([duration] * 3).astype(f">m8[{unit}]")[::-2], [text] * 2, keywords=[{}])
    if text and unit in ("ms", "us", "ns"):
        whole = (text[: text.index(".")] + "S").replace("DT0S", "D")
        check([duration, np.array([duration])], [whole, [whole]], Default(microseconds=False), [{}])


@pytest.mark.parametrize("kind", ("m8[ps]", "m8[fs]", "m8[as]"))
def test_numpy_durations_without_a_unit_of_time(np, kind):
    for value in (np.array([1]).astype(kind), np.array([1]).astype(kind)[0]):
        for road in ROADS:
            with pytest.raises(TypeError, match="^unsupported numpy.datetime64 unit: "):
                road([value], default=ocior.default)


def test_numpy_arrays_without_dimensions(np):
    """What they hold is written as an element of an array is."""
    for value in (True, 5, -5, 0.1, None, "\xe9", {"k": [1]}):
        check(np.array(value), value, keywords=[{}])
    for kind in ("f4", ">f4", "f2", ">f2", "f8", ">f8", "g"):
        check(np.array(0.1).astype(kind), 0.1, keywords=[{}])
        check([np.array(0.1).astype(kind), None], [0.1, None], keywords=[{}])

    class Scalars(np.ndarray):
        """Whose scalars are arrays again."""

        def __getitem__(self, index):
            return super().__getitem__(index) if self.ndim else self

    check(np.array(0.5).view(Scalars), 0.5, keywords=[{}])


def test_numpy_arrays_of_objects(np):
    import datetime

    values = np.empty(4, object)
    values[:] = [1, "\u4e2d", None, {"k": datetime.date(2020, 1, 2)}]
    check(values, [1, "\u4e2d", None, {"k": "2020-01-02"}])
    check(np.array(["a", "\U0001f600"]), ["a", "\U0001f600"])
    check(np.str_("\xe9"), "\xe9")
    check(np.array([b"ab"]), ["YWI="], Default(bytes="base64"))
    check(np.bytes_(b"ab"), "YWI=", Default(bytes="base64"))
    values[1] = values
    for road, options in itertools.product(ROADS, KEYWORDS):
        error = call(road, [values], default=ocior.default, **options).error
        expected = (ValueError,) if options.get("check_circular", True) else (RecursionError, MemoryError)
        assert isinstance(error, expected)
    values[1] = None


def test_numpy_subclasses(np, tmp_path):
    check(np.array([[1, 2]]).view(np.recarray), [[1, 2]], keywords=[{}])
    mapped = np.memmap(tmp_path / "mapped", dtype="f4", mode="w+", shape=(3, 2))
    mapped[:] = 1.5
    check(mapped, [[1.5, 1.5]] * 3, keywords=FEW_KEYWORDS)
    check(np.zeros(2, [("a", "i1"), ("b", "f8")])["b"], [0.0, 0.0], keywords=[{}])
    check(np.zeros(2, [("a", "i1"), ("b", ">i4")])["b"], [0, 0], keywords=[{}])


def test_numpy_arrays_that_are_refused(np):
    masked = np.ma.array([1, 2], mask=[0, 1])
    for value, words in [
        (np.array([1j]), "complex numbers have no form in JSON: write their real and imag"),
        (np.zeros(1, [("a", "i4")]), "a structured array has no form in JSON: write its fields one by one"),
        (masked, "a masked array has no form in JSON: write its filled() or tolist()"),
        (np.complex128(1j), "Object of type complex128 is not JSON serializable"),
        (np.zeros(1, [("a", "i4")])[0], "Object of type void is not JSON serializable"),
        (np.array(1j), "complex numbers have no form in JSON: write their real and imag"),
        (np.array((1,), [("a", "i4")]), "a structured array has no form in JSON: write its fields one by one"),
        (np.array([b"a"]), "Object of type bytes is not JSON serializable"),
        (np.bytes_(b"a"), "Object of type bytes_ is not JSON serializable"),
        (np.dtype("f8"), None),
    ]:
        for road in ROADS:
            error = call(road, [{"k": value}], default=ocior.default).error
            assert type(error) is TypeError and (words is None or str(error) == words)
    check(masked.filled(), [1, int(masked.fill_value)], keywords=[{}])


def test_numpy_keys(np):
    keys = {np.int64(5): 1, np.float32(0.1): 2, np.bool_(True): 3, np.uint64(2**64 - 1): 5}
    check({np.str_("x"): 4, np.int8(1): 2}, {"x": 4, "1": 2}, Default(keys=True), [{}, {"indent": 1}])
    check(keys, {"5": 1, "0.1": 2, "true": 3, str(2**64 - 1): 5}, Default(keys=True))
    for key, road in itertools.product(keys, ROADS):
        with pytest.raises(TypeError, match="^keys must be str, int, float, bool or None, not "):
            road({key: 1}, default=ocior.default)
        assert json.loads(road({key: 1}, default=ocior.default, skipkeys=True)) == {}
    check({np.float64(1.5): 1}, {"1.5": 1})  # is a float


def test_numpy_arrays_that_change_meanwhile(np):
    class Unknown:
        pass

    for road in ROADS:
        values, objects = np.arange(5), np.empty(3, object)

        def fallback(value):
            values[:] = 7
            objects[:] = 0
            answer = call(values.resize, (10000,))
            return type(answer.error).__name__

        objects[:] = [Unknown(), 1, Unknown()]
        written = json.loads(road([values, Unknown(), values, objects], default=Default(fallback)))
        assert written[0] == [0, 1, 2, 3, 4] and written[3] == [0, 0, 0] and written[2][:5] == [7] * 5
        objects[:] = [Unknown(), 1, Unknown()]
        written = json.loads(road([objects, objects], default=Default(lambda value: objects.fill(0) or "fallen")))
        assert written == [["fallen", 1, "fallen"], [0, 0, 0]]


def test_numpy_classes_that_lie(np):
    """Methods and attributes are those of any class derived from numpy's: an answer, or an ordinary error."""

    class Viewed(np.ndarray):
        def view(self, *arguments):
            return memoryview(bytes(800)).cast("q")

    class Listed(np.ndarray):
        ndim = 1

        def astype(self, *arguments):
            return self

        def tolist(self):
            return self

    class Kind(np.ndarray):
        dtype = None

    class Order(np.ndarray):
        """Whose dtype is of no known order of bytes."""

        dtype = types.SimpleNamespace(kind="M", isnative=5, byteorder=object(), itemsize=8)

    class Index(np.int32):
        def __index__(self):
            return 10**30

    class Real(np.float32):
        def __float__(self):
            raise LookupError

    samples = [np.ndarray.view(np.array(["2020"], "M8[Y]"), Viewed), np.ndarray.view(np.array([1, "2"], object), Listed), Index(5), Real(5)]
    samples += [np.ndarray.__new__(Kind, (2,), np.int8), np.ndarray.__new__(Order, (2,), "M8[s]")]
    for value, road, options in itertools.product(samples, ROADS, FEW_KEYWORDS):
        found = call(road, [value, {"k": value}], default=ocior.default, **options)
        assert found.error is None or isinstance(found.error, (TypeError, ValueError, LookupError, AttributeError))


def test_numpy_in_pieces(np):
    values = np.random.RandomState(1).rand(300, 7, 9)
    moments = np.arange(20000).astype("M8[m]")
    for options in ({}, {"indent": 2}, {"ensure_ascii": False, "separators": (" , ", ": ")}):
        twin = [[values.tolist(), "\u4e2d\U0001f600"], [str(moment) + ":00" for moment in moments]]
        expected = json.dumps(twin, **options)
        for road in ROADS:
            assert road([[values, "\u4e2d\U0001f600"], moments], default=ocior.default, **options) == expected


def test_numpy_without_leaks(np):
    values = [
        np.arange(9.0),
        np.arange(12).reshape(3, 4).T,
        np.array(["2020", "NaT"], "M8[s]"),
        np.float32(1.5),
        np.datetime64("2020"),
        np.array([1j]),
    ]
    values += [np.array([1, None], object), np.timedelta64(5, "s"), np.ma.array([1]), np.array([np.nan])]

    check_leaks(values, 30)
