"""What loads of ocior.compat.orjson reads and refuses, as rows, which need no orjson; and against orjson itself, where it is installed, over
documents made at random."""

import json
import random
import time

import pytest
from orjson_values import INTEGERS, READ, WRONG, theirs
from support import call

import ocior
import ocior.compat.orjson as ours


def facts(value):
    """What tells 1, 1.0 and True apart, 0.0 and -0.0, and the order of keys."""
    if isinstance(value, dict):
        return [(key, facts(item)) for key, item in value.items()]
    return [type(value), *map(facts, value)] if isinstance(value, list) else (type(value), repr(value))


@pytest.mark.parametrize("text", READ)
def test_loads(text):
    for document in (text, text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        assert facts(ours.loads(document)) == facts(json.loads(text))


def test_loads_of_numbers():
    for text, value in [
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", float(2**64)),
        ("1" * 30, float("1" * 30)),
        ("-" + "1" * 30, -float("1" * 30)),
        ("1e-400", 0.0),
        ("1.7976931348623157e308", 1.7976931348623157e308),
    ]:
        assert facts(ours.loads(text)) == facts(value) and facts(ours.loads(f"[{text}]".encode())) == facts([value])


@pytest.mark.parametrize("text, position, words", WRONG)
def test_wrong_documents(text, position, words):
    for document in (text, text.encode(errors="surrogatepass"), bytearray(text.encode(errors="surrogatepass"))):
        error = call(ours.loads, document).error
        assert type(error) is ours.JSONDecodeError
        if words:
            assert (error.msg, error.pos) == (words, position)
            assert str(error) == f"{words}: line {error.lineno} column {error.colno} (char {position})"


LONG = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300]
# What a string of that length is followed by, and what is said where in the document, counted from that on.
BEHIND_LONG = [
    ("", 0, "unexpected end of data"),
    ("\\", 1, "unexpected end of data"),
    ("\x01", 0, "unexpected control character in string"),
    ("\\x", 0, "invalid escaped sequence in string"),
    ("\\ud800x", 0, "no low surrogate in string"),
    ('", x', 3, "unexpected character, expected a JSON value"),
    ('" x', 2, "unexpected character, expected ',' or ']'"),
]


@pytest.mark.parametrize("filler", ["a", "\xe9", "\u4e2d", "\U0001f600", "\\n", '\\"'], ids=ascii)
@pytest.mark.parametrize("ending, position, words", BEHIND_LONG, ids=ascii)
@pytest.mark.parametrize("count", LONG)
def test_wrong_behind_a_long_string(filler, ending, position, words, count):
    for text in (f'["{filler * count}{ending}', f'[["]", "{{"], "{filler * count}{ending}'):
        for document in (text, text.encode()):
            error = call(ours.loads, document).error
            assert (error.msg, error.pos) == (words, len(text) - len(ending) + position), (count, text)


@pytest.mark.parametrize("ending", ["", "\x01"], ids=ascii)
@pytest.mark.parametrize("filler", ["a", "\xe9"], ids=ascii)
def test_text_cut_off_in_a_string_is_refused_fast(filler, ending):
    """Nearly as by loads of ocior itself: what is said takes no look at each character."""

    def seconds(loads):
        times = []
        for _ in range(7):
            start = time.perf_counter()
            assert call(loads, document).error
            times.append(time.perf_counter() - start)
        return min(times)

    document = '["' + filler * 8_000_000 + ending
    assert seconds(ours.loads) < 10 * seconds(ocior.loads) + 0.005


def test_what_loads_does_not_take():
    for document in (5, None, [], array_of_bytes(), memoryview(b"[ 1 ]")[::2]):
        error = call(ours.loads, document).error
        assert type(error) is ours.JSONDecodeError and error.msg == "Input must be bytes, bytearray, memoryview, or str"
    assert call(ours.loads, "\ud800").error.msg == "str is not valid UTF-8: surrogates not allowed"
    for document in (b"\xff", b'["\xc3"]'):
        assert call(ours.loads, document).error.msg == "str is not valid UTF-8: surrogates not allowed"
    assert type(call(ours.loads, "[1]".encode("utf-16")).error) is ours.JSONDecodeError
    assert len(json.dumps(ours.loads("[" * 1024 + "]" * 1024))) == 2048


def array_of_bytes():
    import array

    return array.array("B", b"1")


NUMBERS = [
    "0",
    "-0",
    "1",
    "0.0",
    "-0.0",
    "1e5",
    "1E+5",
    "1e-5",
    "1.5",
    "01",
    "-01",
    "1.",
    ".5",
    "-",
    "+1",
    "1e",
    "1e400",
    "1e309",
    "4.9e-324",
]
NUMBERS += [
    "1e-400",
    *map(str, INTEGERS[:-1]),
    "1" * 30,
    "1" * 310,
    "NaN",
    "-Infinity",
    "nan",
    "0x1",
    "1_0",
    "0." + "0" * 30 + "1",
    "00",
    "-0e1",
]
NUMBERS.remove(str(-(2**63) - 1))
STRINGS = [
    '""',
    '"a"',
    '"\xe9"',
    '"\u20ac"',
    '"\U0001f600"',
    '"\\u00e9"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\udc00"',
    '"\\x"',
    '"\\u12"',
    '"\\""',
]
STRINGS += ['"\x00"', '"\x1f"', '"\x7f"', f'"{"a" * 40}"', f'"{"a" * 20}\\u20ac{"b" * 20}"', '"\\u0000"', '"\\/"', '"\ufeff"', '"\\ud83dx"']


def document(rng, depth=0):
    def space():
        return rng.choice(["", "", " ", "\n", "\t", "\r\n", "\x0b", "\xa0"] if rng.random() < 0.05 else ["", "", " "])

    chance = rng.random()
    if depth < 5 and chance < 0.4:
        inner = [space() + document(rng, depth + 1) + space() for _ in range(rng.choice([0, 1, 2, 3, 6]))]
        if chance < 0.2:
            return "[" + space() + ",".join(inner) + "]"
        return "{" + space() + ",".join(f"{space()}{rng.choice(STRINGS[:7])}{space()}:{item}" for item in inner) + "}"
    if chance < 0.6:
        return rng.choice(STRINGS)
    if chance < 0.9:
        return (
            rng.choice(NUMBERS)
            if rng.random() < 0.6
            else repr(rng.choice([rng.random(), rng.getrandbits(60), rng.random() * 10.0 ** rng.randrange(-300, 300)]))
        )
    return rng.choice(
        ["true", "false", "null", "True", "nul", "{", "]", ",", ":", "//c"] if rng.random() < 0.1 else ["true", "false", "null"]
    )


def damaged(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            data[place : place + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del data[place : place + 1]
        elif kind == 2:
            data.insert(place, rng.choice(b'[]{},:"\\0-9eE. \xff\xc3\xed\xa0\x80ntf'))
        elif kind == 3:
            del data[place:]
        else:
            data[place:place] = data[place : place + rng.randrange(1, 8)]
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
def test_loads_as_orjson(theirs, seed):
    rng = random.Random(seed)
    for _ in range(8000):
        data = document(rng).encode(errors="surrogatepass")
        data = damaged(rng, data) if rng.random() < 0.7 else data
        if b"9223372036854775809" in data:
            continue
        for given in (data, data.decode(errors="surrogateescape") if rng.random() < 0.3 else bytearray(data)):
            mine, other = call(ours.loads, given), call(theirs.loads, given)
            if other.error is not None:
                assert type(mine.error) is ours.JSONDecodeError, (given, mine, other)
            else:
                assert mine.error is None and facts(mine.value) == facts(other.value), (given, mine, other)
