"""Refused documents: the exception json raises, with message, position, line and column counted as json counts them."""

import json
import pickle
import sys

import pytest
from support import assert_same, call, error_facts, same_everywhere, same_loads

import ocior

DOCUMENTS = [
    # nothing, or nothing yet
    "",
    " ",
    "\n",
    " \t\r\n ",
    "\n\n\n  ",
    "\x00",
    " \x00",
    "\x0b1",
    "\x0c1",
    "\xa01",
    "\u20281",
    "\ufeff",
    "\ufeff1",
    "1\ufeff",
    # literals
    "n",
    "nu",
    "nul",
    "nulL",
    "nulll",
    "null1",
    "nullnull",
    "Null",
    "NULL",
    "none",
    "None",
    "t",
    "tr",
    "tru",
    "truE",
    "truee",
    "True",
    "f",
    "fa",
    "fals",
    "falsE",
    "falsee",
    "False",
    "undefined",
    "nan",
    "NAN",
    "Nan",
    "Na",
    "N",
    "NaNN",
    "NaN1",
    "-NaN",
    "+NaN",
    "I",
    "Infinit",
    "Infinityy",
    "infinity",
    "INFINITY",
    "Inf",
    "inf",
    "-",
    "--",
    "-I",
    "-Inf",
    "-Infinit",
    "-infinity",
    "- Infinity",
    "+Infinity",
    "-Infinityx",
    "--Infinity",
    "tnull",
    "nulltrue",
    # numbers
    "01",
    "00",
    "-01",
    "-00",
    "1.",
    "1.e5",
    "1e",
    "1e+",
    "1e-",
    "1E",
    "1E+",
    ".5",
    "-.5",
    "+1",
    "--1",
    "- 1",
    "1 2",
    "1,2",
    "1.2.3",
    "1e5.5",
    "1e5e5",
    "0x10",
    "0b1",
    "0o7",
    "1_000",
    "1e1_0",
    "1f",
    "1L",
    "1j",
    "12a",
    "1.5a",
    "1e5a",
    "-a",
    "0a",
    "0.0.0",
    "0e",
    "0e+",
    "-0e",
    "-0.",
    "1..2",
    "1.+2",
    "1e++2",
    "1e+-2",
    "\uff11",
    "\u0661",
    "1\u0662",
    "1.\u0662",
    "1e\u0662",
    "-\u0661",
    "1\u00b2",
    # strings
    '"',
    '"a',
    '"a\\',
    '"\\',
    '"\\"',
    '"\\u',
    '"\\u"',
    '"\\u1',
    '"\\u12',
    '"\\u123',
    '"\\u123"',
    '"\\u123g"',
    '"\\u12 4"',
    '"\\u+123"',
    '"\\u-123"',
    '"\\u0x12"',
    '"\\u1_23"',
    '"\\U0041"',
    '"\\x41"',
    '"\\a"',
    '"\\v"',
    '"\\0"',
    '"\\1"',
    '"\\\'"',
    '"\\ "',
    '"\\\n"',
    '"\\\x00"',
    '"\x00"',
    '"\x01"',
    '"\x1f"',
    '"\t"',
    '"\n"',
    '"\r"',
    '"\r\n"',
    '"a\nb"',
    '"\ud800\\u"',
    '"\\ud800\\u"',
    '"\\ud800\\u1"',
    '"\\ud800\\udc0"',
    '"\\ud800\\udc0g"',
    '"\\ud800\\x"',
    '"\\ud800\\',
    '"\\ud800',
    '"\\ud800\\u12',
    '"\\\u00e9"',
    '"\\\u4e2d"',
    '"\\\U0001f600"',
    '"\\u\u00e9000"',
    '"\\u000\U0001f600"',
    '"\\u\uff11234"',
    '"\\u\u0661234"',
    "'a'",
    '"a"b',
    '"a" "b"',
    '"a""b"',
    '"a",',
    '"a"\x00',
    '"abc\x00',
    '"abc\x7f',
    '"\\u0041\\u',
    'u"a"',
    'b"a"',
    '"\u4e2d',
    '"\U0001f600',
    '"\xe9',
    '"\xe9\x01"',
    '"\u4e2d\x01"',
    '"\U0001f600\x01"',
    '"' + "a" * 31 + "\x01",
    '"' + "a" * 63 + '\x1f"',
    '"' + "a" * 64,
    '"' + "a" * 127 + "\\",
    '"' + "a" * 500 + "\n" + '"',
    # arrays
    "[",
    "[ ",
    "[\n",
    "[,",
    "[,]",
    "[,1]",
    "[1",
    "[1 ",
    "[1,",
    "[1, ",
    "[1,]",
    "[1,\n]",
    "[1 ,]",
    "[1,,2]",
    "[1 2]",
    "[1;2]",
    "[1:2]",
    "[1}",
    "]",
    "[]]",
    "[][]",
    "[[]",
    "[[],",
    "[[],]",
    "[{]",
    "[}",
    "[1]2",
    "[1],",
    "[1] x",
    "[x]",
    "[nul]",
    "[1, nul]",
    '["a"',
    '["a]',
    "['a']",
    "[1,x]",
    '[1,"',
    "[01]",
    "[1.]",
    "[-]",
    "[+1]",
    "[NaN,nan]",
    "[\x0b]",
    "[1\x0c]",
    "[1\xa0]",
    "[\u2028]",
    "[1,\ufeff2]",
    "[1\x00]",
    "[\x00]",
    "[/**/]",
    "[1 // a\n]",
    "[1#]",
    "[" * 30,
    "[" * 30 + "1",
    "[" * 30 + "1" + "]" * 29,
    "[" * 30 + "]" * 31,
    "[\n1,\n2,\n3\n4]",
    # objects
    "{",
    "{ ",
    "{\n",
    "{,",
    "{,}",
    "{]",
    "{1",
    "{1:2}",
    "{a:1}",
    "{'a':1}",
    "{null:1}",
    '{"a"',
    '{"a" ',
    '{"a":',
    '{"a": ',
    '{"a":}',
    '{"a" 1}',
    '{"a",1}',
    '{"a"=1}',
    '{"a":1',
    '{"a":1 ',
    '{"a":1,',
    '{"a":1, ',
    '{"a":1,}',
    '{"a":1,\n}',
    '{"a":1 ,}',
    '{"a":1 , }',
    '{"a":1,,}',
    '{"a":1 "b":2}',
    '{"a":1;"b":2}',
    '{"a":1,b}',
    '{"a":1,1:2}',
    '{"a":1,"b"}',
    '{"a":1,"b":}',
    '{"a":1]',
    "}",
    "{}}",
    "{}{}",
    "{},",
    "{} x",
    '{"a"::1}',
    "{:1}",
    '{"a":1}}',
    '{"a":x}',
    '{"a":nul}',
    '{"a":01}',
    '{"a":1.}',
    '{"a',
    '{"a\\',
    '{"a\x00":1}',
    '{"\\x":1}',
    '{"\\u12":1}',
    '{"a"\x00:1}',
    '{"a":\x00',
    '{"a":[}',
    '{"a":[1}',
    '{"a":{}',
    '{"a":{]',
    '{"a": "b',
    '{"a": tru',
    "{[]:1}",
    "{{}:1}",
    '{\n"a": 1,\n"b" 2\n}',
    '{"a" \x0b:1}',
    '{"a":\x0c1}',
    "{\x0b}",
    '{"a": 1, "a": 2, "a" 3}',
    '{"\u4e2d": 1, "\U0001f600" 2}',
    '{"\xe9": 1, }',
    '{"a": 1\xa0}',
    "{" + '"k":{' * 20,
    '{"a": [1, {"b": [2, {"c": [3, }]}]}',
    # characters before the error that count one each, whatever their width
    "\u4e2d",
    "\U0001f600",
    "\xe9",
    "[\u4e2d]",
    "[1, \u4e2d]",
    '["\u4e2d" "\u6587"]',
    '["\U0001f600"\n\n, x]',
    '["\xe9\xe9\xe9", }',
    '{"\U0001f600": \U0001f600}',
    '["\u4e2d\u6587\n"]',
    '["' + "\u4e2d" * 100 + '", x]',
    '["' + "\U0001f600" * 40 + '"\n x]',
    '["' + "\xe9" * 70 + '"\r\n\n x]',
    '["\r", x]',
    "\r\n\r\n x",
    "[\r1\r,\rx]",
]


@pytest.mark.parametrize("index", range(len(DOCUMENTS)))
def test_refused_as_json_does(index):
    same_everywhere(DOCUMENTS[index])
    same_everywhere(DOCUMENTS[index], strict=False)


@pytest.mark.parametrize("padding", [1, 7, 15, 16, 31, 32, 63, 64, 65, 127, 128, 300])
def test_at_every_distance_from_the_start(padding):
    """The same mistake further in: other vectors, other lines; columns counted from the last newline."""
    for before in (" " * padding, "\n" * padding, ("\n" + " " * 5) * padding, "\t \r\n" * padding):
        for mistake in ("", "x", "[1,]", '"a', '{"a" 1}', '["\x01"]', "[1 2]", "]", '["\\q"]', "[\u4e2d", '"\U0001f600'):
            same_loads(before + mistake)
            same_loads((before + mistake).encode())
            same_loads("[" + before + mistake)
            same_loads(('["\u4e2d",' + before + mistake).encode())
            same_loads("[1]" + before + mistake)


@pytest.mark.parametrize("sample", ["a", "\xe9", "\u4e2d", "\U0001f600"])
def test_mistake_after_strings_of_every_length(sample):
    for length in range(0, 140):
        same_loads(f'["{sample * length}" 1]')
        same_loads(f'["{sample * length}" 1]'.encode())
        same_loads(f'"{sample * length}')
        same_loads(f'"{sample * length}\n"'.encode())
        same_loads(f'{{"{sample * length}" 1}}'.encode())


INVALID_UTF8 = [
    b"\x80",
    b"\xbf",
    b"\xc0\x80",
    b"\xc1\xbf",
    b"\xc2",
    b"\xc2\x41",
    b"\xc2\xc2",
    b"\xdf",
    b"\xe0\x80\x80",
    b"\xe0\x9f\xbf",
    b"\xe0\xa0",
    b"\xe1",
    b"\xe1\x80",
    b"\xe1\x80\x41",
    b"\xe1\x41\x80",
    b"\xed\xa0",
    b"\xed\xa0\x41",
    b"\xed\xbf",
    b"\xef\xbf",
    b"\xf0\x80\x80\x80",
    b"\xf0\x8f\xbf\xbf",
    b"\xf0\x90",
    b"\xf0\x90\x80",
    b"\xf0\x90\x80\x41",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xfc\x84\x80\x80\x80\x80",
    b"\xfe",
    b"\xf9\x80\x80\x80",
    b"\xfb\xbf\xbf\xbf",
    b"\xfc\x80\x80\x80",
    b"\xff",
    b"\xc3\xa9\xa9",
    b"\xe4\xb8\xad\xad",
    b"\xf0\x9f\x98\x80\x80",
    b"\xe4\xb8",
    b"\xf0\x9f\x98",
    b"\xf0\x9f",
]


@pytest.mark.parametrize("bad", INVALID_UTF8, ids=lambda bad: bad.hex())
def test_invalid_utf8(bad):
    for length in (0, 1, 2, 3, 5, 13, 14, 15, 16, 17, 29, 30, 31, 32, 33, 61, 62, 63, 64, 65, 127, 128, 200):
        for filler in (b"a", b"\xc3\xa9", b"\xe4\xb8\xad", b"\xf0\x9f\x98\x80"):
            text = filler * length
            same_loads(b'"' + text + bad + b'"')
            same_loads(b'"' + text + bad + b"a" * 70 + b'"')
            same_loads(b'["' + text + b'"' + bad + b"]")
            same_loads(b'{"' + text + bad + b'": 1}')
    same_loads(bad)
    same_loads(b'"' + bad)
    same_loads(b'"\\' + bad + b'"')
    same_loads(b'"\\u00' + bad + b'"')
    same_loads(b"[1, 2, x" + bad)  # json decodes first: the encoding error wins over the earlier syntax error
    same_loads(b'{"a": nope}' + b" " * 100 + bad)
    same_loads(b"\xef\xbb\xbf" + b'"' + bad + b'"')


def test_invalid_utf8_at_the_end_of_long_documents():
    """The last bytes of these are looked at before anything is read: 64 of them from 4096 bytes on, more from 16 KB on."""
    calls = []
    for length in (4000, 4095, 4096, 4097, 16_384, 40_000):
        for filler in (b"a", b"\xc3\xa9", b"\xe4\xb8\xad", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80"):
            for shift in range(5):
                text = b'["' + b"x" * shift + filler * (length // len(filler)) + b'", 1]'
                same_loads(text)
                same_loads(text[: -7 - shift])
                if length != 4096:
                    continue
                for bad in INVALID_UTF8:
                    same_loads(text + bad)
                    same_loads(text[:-5] + bad + text[-5:])
                for at in range(60, 70):
                    same_loads(text[:-at] + b"\xff" + text[-at:])
                    same_loads(text[:-at])
    document = b"[{}, " + b" " * 5000 + b'"\xff"]'
    with pytest.raises(UnicodeDecodeError):
        ocior.loads(document, object_hook=calls.append)
    assert not calls


def test_invalid_utf8_wins_over_an_earlier_long_integer():
    for bad in INVALID_UTF8:
        same_loads(b"[" + b"9" * 5000 + b"]" + bad)


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="no digit limit in this version")
def test_invalid_utf8_wins_over_a_long_integer_of_a_short_document():
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        for bad in INVALID_UTF8:
            same_loads(b"[" + b"9" * 641 + b"]" + bad)
    finally:
        sys.set_int_max_str_digits(limit)


def test_surrogates_in_utf8_pass():
    for code in (0xD800, 0xDBFF, 0xDC00, 0xDFFF):
        raw = chr(code).encode("utf-8", "surrogatepass")
        for length in (0, 1, 15, 16, 31, 32, 63, 64, 100):
            for filler in ("a", "\xe9", "\u4e2d", "\U0001f600"):
                same_loads(b'"' + (filler * length).encode() + raw + b'"')
                same_loads(b'"' + raw + (filler * length).encode() + b'"')
    same_loads(b'"\xed\xa0\xbd\xed\xb8\x80"')  # a CESU-8 pair stays two surrogates
    same_loads('"\ud83d\ude00"')


def test_error_is_json_s_error():
    with pytest.raises(json.JSONDecodeError) as caught:
        ocior.loads("[1,\n x]")
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.lineno, error.colno, error.pos, error.doc) == (2, 2, 5, "[1,\n x]")
    copy = pickle.loads(pickle.dumps(error))
    assert error_facts(copy) == error_facts(error)
    assert issubclass(ocior.JSONDecodeError, json.JSONDecodeError)
    assert str(error) == str(call(json.loads, "[1,\n x]").error)


def test_document_of_the_error():
    """error.doc is the text json would have parsed: the caller's own str, or the decoded bytes without the BOM."""
    document = '["\u4e2d", x]'
    assert call(ocior.loads, document).error.doc == document
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32-be"):
        same_loads(document.encode(encoding))
        same_loads(bytearray(document.encode(encoding)))
        same_loads(memoryview(document.encode(encoding)))


class Text(str):
    pass


def test_document_of_a_subclass():
    document = Text("[1, x]")
    assert_same(call(ocior.loads, document), call(json.loads, document), "str subclass")


@pytest.mark.parametrize("value", [None, 1, 1.5, True, [], {}, object(), [b"1"], int, range(3)], ids=repr)
def test_wrong_types(value):
    ours, theirs = call(ocior.loads, value), call(json.loads, value)
    assert type(ours.error) is TypeError
    assert type(value).__name__ in str(ours.error)
    assert str(ours.error)[:24] == str(theirs.error)[:24]


def test_wrong_arguments():
    for arguments, keywords in [
        ((), {}),
        (("1", 2), {}),
        (("1",), {"foo": 1}),
        (("1",), {"encoding": "utf-8"}),
        (("x",), {"foo": 1}),
        (("1",), {"s": "1"}),
        ((), {"foo": 1}),
    ]:
        ours, theirs = call(ocior.loads, *arguments, **keywords), call(json.loads, *arguments, **keywords)
        assert_same(ours, theirs, f"loads{arguments}{keywords}", types_only=True)
    assert_same(call(ocior.loads, "1", foo=1), call(json.loads, "1", foo=1), "unknown keyword")
    assert ocior.loads(s="[1]") == [1]


def test_invalid_utf8_wins_over_a_failing_hook():
    def fails(text):
        raise KeyError(text)

    for hooks in ({"parse_int": fails}, {"parse_int": lambda text: int("x")}, {"object_hook": fails}):
        with pytest.raises(UnicodeDecodeError):
            ocior.loads(b'[1, {}, "\xff"]', **hooks)
