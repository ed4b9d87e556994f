"""What ocior.compat.orjson writes of numpy's arrays and numbers, where numpy is installed; and against orjson itself, where that is, too."""

import random

import pytest
from orjson_values import theirs
from support import call

import ocior.compat.orjson as ours


@pytest.fixture(scope="module")
def np():
    return pytest.importorskip("numpy")


def test_numpy(np):
    """What needs no orjson to compare with."""
    numpy = ours.OPT_SERIALIZE_NUMPY
    assert ours.dumps(np.arange(6).reshape(2, 3), option=numpy) == b"[[0,1,2],[3,4,5]]"
    assert ours.dumps([np.float32(0.1), np.int8(-1), np.bool_(True), np.float64(2.5)], option=numpy) == b"[0.1,-1,true,2.5]"
    assert ours.dumps(np.datetime64("2020-01-02T03:04:05.000006"), option=numpy) == b'"2020-01-02T03:04:05.000006"'
    assert ours.dumps(np.array([np.nan, 1.5]), option=numpy) == b"[null,1.5]"
    for value, option, words in [
        (np.arange(2), 0, "Type is not JSON serializable: numpy.ndarray"),
        (np.float32(1), 0, "Type is not JSON serializable: numpy.float32"),
        (np.arange(4)[::2], numpy, "numpy array is not C contiguous; use ndarray.tolist() in default"),
        (np.array([1, "a"], object), numpy, "unsupported datatype in numpy array"),
        (np.array([1j]), numpy, "unsupported datatype in numpy array"),
        (np.longdouble(1.5), numpy, "Type is not JSON serializable: numpy.longdouble"),
        (np.longlong(1), numpy, "Type is not JSON serializable: numpy.longlong"),
        (type("Own", (np.float64,), {})(1.5), numpy, "Type is not JSON serializable: Own"),
        (type("Own", (np.float32,), {})(1.5), numpy, "Type is not JSON serializable: Own"),
        (np.array(5), numpy, "unsupported datatype in numpy array"),
    ]:
        error = call(ours.dumps, [value], option=option).error
        assert type(error) is TypeError and str(error) == words
    for value, words in [
        (np.arange(2).astype(np.dtype("i4").newbyteorder()), "numpy array is not native-endianness"),
        (np.array(5, np.dtype("i4").newbyteorder()), "numpy array is not native-endianness"),
        (np.array("a", np.dtype("U1").newbyteorder()), "numpy array is not native-endianness"),
        (np.array([1], "M8[ps]"), "unsupported numpy.datetime64 unit: picoseconds"),
        (np.datetime64("NaT"), "unsupported numpy.datetime64 unit: NaT"),
        (np.zeros(1, "M8"), "unsupported numpy.datetime64 unit: NaT"),
        (np.datetime64("NaT", "ms"), f"unrepresentable numpy.datetime64: {-(2**63)} milliseconds"),
        (np.datetime64(8030, "Y"), "unrepresentable numpy.datetime64: 8030 years"),
        (np.array([-1971], "M8[Y]"), "unrepresentable numpy.datetime64: -1971 years"),
        (np.array([0, 10**8], "M8[D]"), "unrepresentable numpy.datetime64: 100000000 days"),
    ]:
        for hook in ({}, {"default": lambda value: "not asked"}):
            error = call(ours.dumps, [value], option=numpy, **hook).error
            assert type(error) is TypeError and str(error) == words
    assert ours.dumps([np.zeros((0, 2), "M8[ps]"), np.zeros((2, 0), "M8")], option=numpy) == b"[[],[[],[]]]"
    assert ours.dumps(np.arange(4)[::2], option=numpy, default=lambda value: value.tolist()) == b"[0,2]"
    assert ours.dumps([np.array([1, "a"], object)], option=numpy, default=lambda value: value.tolist()) == b'[[1,"a"]]'


def test_numpy_as_orjson(theirs, np):
    rng = random.Random(9)
    kinds = [
        "?",
        "i1",
        "i2",
        "i4",
        "i8",
        "u1",
        "u2",
        "u4",
        "u8",
        "f2",
        "f4",
        "f8",
        "M8[s]",
        "M8[ms]",
        "M8[us]",
        "M8[ns]",
        "M8[D]",
        "M8[Y]",
        "M8[h]",
        "O",
        "c8",
        "U2",
    ]
    for _ in range(3000):
        kind = rng.choice(kinds)
        shape = rng.choice([(0,), (1,), (3,), (2, 2), (2, 0), (0, 2), (2, 1, 2)])
        count = int(np.prod(shape))
        if kind[0] == "M":
            values = np.array([rng.randrange(-400, 8000) for _ in range(count)], "i8").view(kind)
        elif kind[0] == "f":
            values = np.array([rng.choice([0.5, 1.5, -0.0, np.nan, np.inf, 1000.25]) for _ in range(count)]).astype(kind)
        elif kind == "U2":
            values = np.full(count, "ab")
        else:
            values = np.array([rng.randrange(100) for _ in range(count)]).astype(kind)
        value = values.reshape(shape)
        if value.size and kind not in ("U2", "O") and rng.random() < 0.3:
            value = value.flat[0]
        elif rng.random() < 0.1:
            value = value.T if value.ndim > 1 else value[::2]
        option = ours.OPT_SERIALIZE_NUMPY
        for bit in range(12):
            option |= (rng.random() < 0.2) << bit
        keywords = {"option": option, **({"default": lambda value: value.tolist()} if rng.random() < 0.3 else {})}
        mine, other = call(ours.dumps, [value], **keywords), call(theirs.dumps, [value], **keywords)
        assert (mine.value, type(mine.error)) == (other.value, type(other.error)), (value, keywords, mine, other)
