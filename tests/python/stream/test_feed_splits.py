"""Feeds give the values of a text however it is cut: at each place, byte by byte, and at random, checked against loads() of each record."""

import json
import random

import pytest
from feed_oracles import Told, expected, feed_all, pieces, random_text, records_of_lines, records_of_values
from jsontestsuite_cases import CASES
from support import facts, fresh, some

import ocior
from ocior import lines

FEEDS = {"lines": (lines.Feed, records_of_lines), "values": (ocior.Feed, records_of_values)}
LONG = 400  # bytes; longer documents are cut at some places only


def same(told, wanted, what):
    assert told.error == wanted.error, (what, told, wanted)
    assert facts(told.values) == facts(wanted.values), (what, told, wanted)


def check_cuts(data, kind, places=None):
    make, records_of = FEEDS[kind]
    wanted = expected(records_of(data))
    same(feed_all(make(), [data]), wanted, data)
    if places is None:
        places = range(len(data) + 1)
        same(feed_all(make(), [data[i : i + 1] for i in range(len(data))]), wanted, ("byte by byte", data))
    for place in places:
        same(feed_all(make(), [data[:place], b"", data[place:]]), wanted, (place, data))


@pytest.mark.parametrize("kind", FEEDS)
@pytest.mark.parametrize("name", CASES)
def test_suite(name, kind):
    data = CASES[name]
    check_cuts(data, kind, None if len(data) < LONG else (1, 2, 3, len(data) // 2, len(data) - 1))


@pytest.mark.parametrize("kind", FEEDS)
@pytest.mark.parametrize("name", some(CASES, 3))
def test_suite_between_values(name, kind):
    """A document between others: what comes before it is given, and what comes behind it only where it is valid."""
    data = CASES[name]
    if len(data) < LONG:
        check_cuts(b'{"before": 1}\n' + data + b"\n[2]\n", kind)


BORDERS = {
    "integers": b"12345678901234567890 -1 0 1234 ",
    "numbers": b"[1e5,-1.5E-7,0.25,1e+300,-0.0,123456789012345678901234567890]",
    "number at the end": b"-12.5e-3",
    "words": b"true false null NaN Infinity -Infinity ",
    "words in a list": b"[true,false,null,NaN,Infinity,-Infinity]",
    "half words": b"[true, fals]",
    "word too long": b"truee ",
    "number and word": b"1true ",
    "minus alone": b"[-]",
    "zero before digits": b"[01]",
    "no digits behind the point": b"[1.]",
    "no digits behind the exponent": b"[1e]",
    "pair of surrogates": b'"\\uD83D\\uDE00" "\\ud83d\\ude00x"',
    "halves of pairs": b'["\\uD83D", "\\uDE00\\uD83D", "\\uD83D\\\\uDE00", "\\uD83Dx\\uDE00"]',
    "escapes": b'"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u4E2D" "\\\\" "\\\\\\"" ',
    "wrong escapes": b'["\\x"]',
    "escape cut by the quote": b'["\\u12"]',
    "backslashes before the end": b'["' + b"\\\\" * 70 + b'", "' + b"\\\\" * 40 + b'\\""]',
    "UTF-8": '["\u00e9\u4e2d\U0001f600\uffff\U0010ffff", "\ufeff"]'.encode(),
    "UTF-8 in keys": '{"\u00e9": {"\U0001f600": "\u4e2d"}}'.encode(),
    "halves of pairs in UTF-8": '"\ud83d\ude00"'.encode("utf-8", "surrogatepass"),
    "UTF-8 cut by a quote": b'["\xe4\xb8"]',
    "UTF-8 too long": b'["\xc0\xaf", 1]',
    "a byte that is no UTF-8": b"[1]\n\xff\n[2]",
    "control character": b'["a\x01b"]',
    "NUL": b'"a\x00b" \x00 1',
    "NUL between": b"[1\x00]",
    "newline in a string": b'["a\nb"]',
    "line separators in strings": '"\u2028" "\u2029\u0085"\n'.encode(),
    "CRLF": b'{"a": 1}\r\n[2]\r\n\r\n3\r\n"\\r\\n"\r\n',
    "CR alone": b"1\r2\r",
    "mark": b'\xef\xbb\xbf{"a": 1}\n2',
    "mark alone": b"\xef\xbb\xbf",
    "half a mark": b"\xef\xbb",
    "half a mark and a value": b"\xef\xbb[1]",
    "a mark on the second line": b"1\n\xef\xbb\xbf2\n",
    "two marks": b"\xef\xbb\xbf\xef\xbb\xbf1\n",
    "nothing": b"",
    "white space": b" \n\t\r\n  \n",
    "blank lines": b"\n\n1\n\n \n2\n\n",
    "values without space": b'{}{}[][]"a""b"{"a":"}"}[1]2[3]"4"5"6"',
    "values with space": b'{} {}\n[] [] "a" "b"\t1 2 true null\n',
    "record separators": b'\x1e{"a":1}\n\x1e[2]\n\x1e3\n\x1e"4"\n',
    "a record that a separator cuts": b'\x1e{"a":1\x1e[2]\n',
    "a string that a separator cuts": b'\x1e"abc\x1e"d"\n',
    "an escape that a separator cuts": b'\x1e"abc\\\x1e"d"\n',
    "separators alone": b"\x1e\x1e \x1e\n",
    "closing brackets": b"[1]] 2",
    "comma": b"[1], [2]",
    "colon": b"1:2",
    "wrong brackets": b'{"a": [1}} 2',
    "trailing comma": b"[1,]\n",
    "trailing comma in an object": b'{"a":1,}\n',
    "no value": b'{"a":}\n',
    "no colon": b'{"a" 1}\n',
    "no comma": b"[1 2]\n",
    "open list": b"[1, 2",
    "open object": b'{"a": {"b": 1}',
    "open string": b'"abc',
    "open escape": b'"abc\\',
    "a record of blocks of 64": b'{"' + b"k" * 59 + b'":"' + b"v" * 61 + b'\\"","' + b"[" * 64 + b'":[[[[' + b" " * 64 + b"]]]]}",
    "backslashes outside of strings": b'[\\] [\\"] 1 [\\\\"]"] {\\}',
    "separator behind a backslash": b"[1\\\x1e2 ",
    "brackets in strings": b'["[[[{{{", "]]]}}}", "\\"]", "\\\\"]',
}


@pytest.mark.parametrize("kind", FEEDS)
@pytest.mark.parametrize("name", BORDERS)
def test_borders(name, kind):
    check_cuts(BORDERS[name], kind)


@pytest.mark.parametrize("kind", FEEDS)
@pytest.mark.parametrize("name", BORDERS)
def test_borders_twice(name, kind):
    """Cut at two places, so that a chunk may begin and end inside of one token."""
    data = BORDERS[name]
    make, records_of = FEEDS[kind]
    wanted = expected(records_of(data))
    source = random.Random(name)
    for _ in range(60):
        cuts = [source.randint(0, len(data)) for _ in range(2)]
        same(feed_all(make(), pieces(data, cuts)), wanted, (cuts, data))


@pytest.mark.parametrize("name", [name for name in BORDERS if name != "halves of pairs in UTF-8"])
def test_str_chunks(name):
    """Chunks of str are as good as their UTF-8, and str and bytes may take turns."""
    data = BORDERS[name]
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    wanted = expected(records_of_values(text.encode()))
    for place in range(len(text) + 1):
        same(feed_all(ocior.Feed(), [text[:place], text[place:]]), wanted, (place, text))
        same(feed_all(ocior.Feed(), [text[:place], text[place:].encode()]), wanted, (place, text))
    same(feed_all(ocior.Feed(), text), wanted, text)


@pytest.mark.parametrize("kind", FEEDS)
@pytest.mark.parametrize("seed", some(range(40), 4))
def test_random_documents(seed, kind):
    source = random.Random(seed)
    make, records_of = FEEDS[kind]
    for _ in range(50):
        count = source.randint(1, 6)
        records = [random_text(source, 3) for _ in range(count)]
        ends = ["\n", "\r\n", "\n\n", " \n"] if kind == "lines" else ["\n", "\r\n", " ", "\x1e", "\n\x1e", "\n\n"]
        data = source.choice(["", "\ufeff", "\n", " "]) + "".join(record + source.choice(ends) for record in records)
        data = data.rstrip("\n") if source.random() < 0.3 else data
        raw = data.encode()
        if source.random() < 0.3:
            place = source.randrange(len(raw))
            raw = raw[:place] + bytes([source.randrange(256)]) + raw[place + source.randrange(2) :]
        wanted = expected(records_of(raw))
        for size in (1, 2, 3, 7, 64):
            same(feed_all(make(), [raw[i : i + size] for i in range(0, len(raw), size)]), wanted, (size, raw))
        for _ in range(4):
            cuts = [source.randint(0, len(raw)) for _ in range(source.randint(1, 8))]
            same(feed_all(make(), pieces(raw, cuts)), wanted, (cuts, raw))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 16, 63, 64, 65, 4095, 4096, 4097])
def test_sizes(size):
    """Records of all lengths up to some hundred bytes, so that their ends lie everywhere in chunks and in what is looked at at once."""
    values = [value for n in range(200) for value in ("x" * n, {"k" * n: "\\" * (n % 70) + '"'}, [n] * (n % 9), n, -n / 8, "\u4e2d" * n)]
    for kind, (make, _) in FEEDS.items():
        data = b"".join(json.dumps(value, ensure_ascii=bool(n % 2)).encode() + b"\n" for n, value in enumerate(values))
        same(feed_all(make(), [data[i : i + size] for i in range(0, len(data), size)]), Told(fresh(values), None), (kind, size))


def test_values_come_at_once():
    """Each value is given by the chunk that completes it: a line by its newline, a value by its last byte or, a number, by the next."""
    for text, index in ((b"[1]\n", 3), (b"12\n", 2), (b'"a" \n', 4)):
        feed = lines.Feed()
        assert [len(feed.push(text[i : i + 1])) for i in range(len(text))] == [0] * index + [1] + [0] * (len(text) - index - 1)
    for text, index in ((b"[1]\n", 2), (b"12\n", 2), (b'"a" \n', 2), (b"12[", 2), (b'{"a":{}}', 7), (b"true\x1e", 4)):
        feed = ocior.Feed()
        assert [len(feed.push(text[i : i + 1])) for i in range(len(text))] == [0] * index + [1] + [0] * (len(text) - index - 1)
