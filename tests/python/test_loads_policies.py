"""The policies of loads, one keyword each: keys that come twice, numbers beyond what others hold, lone surrogates, depth."""

import copy
import decimal
import functools
import gc
import importlib
import io
import json
import math
import pickle
import random
import re
import sys
import time

import pytest
from places import check_place
from support import assert_same, call, check_python, facts, fresh

import ocior
import ocior.decoder
import ocior.scanner

# What makes the units of a str wide, and what it becomes.
WIDE = ["", "\xe9", "\u4e2d", "\U0001f600"]


def readers(document, **keywords):
    """Each way to read the str `document`, as (how, a function of no argument): all entries, and text of all widths."""
    utf8 = document.encode("utf-8", "surrogatepass")
    yield "str", lambda: ocior.loads(document, **keywords)
    yield "bytes", lambda: ocior.loads(utf8, **keywords)
    yield "bytearray", lambda: ocior.loads(bytearray(utf8), **keywords)
    yield "utf-16", lambda: ocior.loads(document.encode("utf-16", "surrogatepass"), **keywords)
    yield "load", lambda: ocior.load(io.StringIO(document), **keywords)
    yield "load bytes", lambda: ocior.load(io.BytesIO(utf8), **keywords)
    yield "cls", lambda: ocior.loads(document, cls=ocior.JSONDecoder, **keywords)
    yield "json.loads", lambda: json.loads(document, cls=ocior.JSONDecoder, **keywords)
    yield "decode", lambda: ocior.JSONDecoder(**keywords).decode(document)
    yield "scanner", lambda: ocior.scanner.make_scanner(ocior.JSONDecoder(**keywords))(document, 0)[0]
    for text in WIDE:
        yield f"in {text!r}", lambda text=text: ocior.loads(f'["{text}",{document}]', **keywords)[1]
        yield f"in bytes {text!r}", lambda text=text: ocior.loads(f'["{text}",{document}]'.encode("utf-8", "surrogatepass"), **keywords)[1]
        yield f"raw {text!r}", lambda text=text: ocior.JSONDecoder(**keywords).raw_decode(f"{document}x{text}")[0]
        yield f"raw at 1 {text!r}", lambda text=text: ocior.JSONDecoder(**keywords).raw_decode(f"x{document}{text}", 1)[0]


def gives(document, value, **keywords):
    expected = facts(fresh(value))
    for how, read in readers(document, **keywords):
        for _ in range(3):  # shapes are learned, and used
            assert facts(read()) == expected, (how, document, keywords)


def refuses(document, message, place, **keywords):
    """`place`: the offset of what is to blame."""
    for how, read in readers(document, **keywords):
        for _ in range(2):
            error = call(read).error
            if how == "scanner" and message == "Expecting value":
                assert repr(error) == f"StopIteration({place})"  # as of any value that is none
                continue
            assert type(error) is json.JSONDecodeError, (how, document, keywords, error)
            skipped = error.doc.index(document) if document in error.doc else 0
            assert (error.msg, error.pos - skipped) == (message, place), (how, document, keywords, error, error.pos)
            if how.startswith("raw at"):
                continue
            check_place(error)


# --- the keywords ------------------------------------------------------------------------------------------------------

DEFAULTS = {
    "duplicate_keys": "last",
    "non_finite": "constant",
    "big_integers": "exact",
    "integer_bits": 64,
    "surrogates": "keep",
    "max_depth": None,
}
WORDS = {
    "duplicate_keys": ["last", "first", "error"],
    "non_finite": ["constant", "error", "null"],
    "big_integers": ["exact", "float", "str", "error"],
    "surrogates": ["keep", "error", "replace"],
}
CURIOUS = (
    '{"a":1,"a":[NaN,-Infinity,1e400,Infinity],"b":{"\\ud800":"\ud83d\\udc00","c":"\\ud83d\\ude00"},'
    '"n":[18446744073709551616,9007199254740992,-9223372036854775809,1.5],"a":[]}'
)


def test_defaults_are_what_json_does():
    for keywords in ({}, DEFAULTS, {"integer_bits": 53}, {"max_depth": 65536}, *({name: value} for name, value in DEFAULTS.items())):
        gives(CURIOUS, json.loads(CURIOUS), **keywords)
        for hook in ({"object_hook": len}, {"object_pairs_hook": list}, {"parse_int": str}, {"parse_float": decimal.Decimal}):
            gives(CURIOUS, json.loads(CURIOUS, **hook), **hook, **keywords)


@pytest.mark.parametrize("name", WORDS)
def test_wrong_words(name):
    *words, last = map(repr, WORDS[name])
    for wrong in ("x", "Last", "errors", "", None, True, 0, b"error", ("error",), "\ud800", "error\0"):
        message = f"{name} must be {', '.join(words)} or {last}, not {wrong!r}"
        for how, read in readers("1", **{name: wrong}):
            outcome = call(read)
            assert type(outcome.error) is ValueError and str(outcome.error) == message, (how, outcome)


@pytest.mark.parametrize(
    "name, must, wrong",
    [
        ("integer_bits", "64 or 53", [0, 63, -53, 53.0, "53", None, True, 2**70]),
        ("max_depth", "None or an int from 0 to 65536", [-1, 65537, 2**70, -(2**70), 1.0, "1", True, False]),
    ],
)
def test_wrong_numbers(name, must, wrong):
    for value in wrong:
        for how, read in readers("1", **{name: value}):
            outcome = call(read)
            assert type(outcome.error) is ValueError and str(outcome.error) == f"{name} must be {must}, not {value!r}", (how, outcome)


def test_words_of_any_kind_of_str():
    class Word(str):
        pass

    gives('{"a":1,"a":2}', {"a": 1}, duplicate_keys=Word("first"))
    gives("[9007199254740993]", ["9007199254740993"], big_integers="".join("str"), integer_bits=int("53"))


class BadRepr:
    def __repr__(self):
        raise ZeroDivisionError


def test_what_comes_first():
    """The input is refused before a policy, as before json's options; and an unknown keyword in json's words."""
    for document in (b"\xff", "\ufeff1", 5, None):
        ours, theirs = call(ocior.loads, document, duplicate_keys="x"), call(json.loads, document)
        assert_same(ours, theirs, repr(document), types_only=document == 5)
    # Python 3.10 sets the ValueError over what the text of the value has raised.
    assert isinstance(call(ocior.loads, "1", duplicate_keys=BadRepr()).error, (ZeroDivisionError, ValueError))
    for keywords in ({"foo": 1}, {"foo": 1, "duplicate_keys": "error"}, {"surrogates": "x", "foo": 1}):
        for function in (ocior.loads, lambda text, **more: ocior.load(io.StringIO(text), **more)):
            assert_same(call(function, "1", **keywords), call(json.loads, "1", foo=1), repr(keywords))
        with pytest.raises(TypeError, match="foo"):
            ocior.JSONDecoder(**keywords)


def test_other_classes_get_them_as_they_are():
    class Any:
        def __init__(self, **keywords):
            self.keywords = keywords

        def decode(self, text):
            return self.keywords

    assert ocior.loads("1", cls=Any, duplicate_keys=5, max_depth=None) == {"duplicate_keys": 5, "max_depth": None}
    with pytest.raises(TypeError, match="surrogates"):
        ocior.loads("1", cls=json.JSONDecoder, surrogates="error")


# --- decoders ----------------------------------------------------------------------------------------------------------


def test_decoders_keep_them():
    assert ocior.JSONDecoder().decode_policies is None
    decoder = ocior.JSONDecoder(duplicate_keys="error", integer_bits=64, parse_int=str)
    assert decoder.decode_policies == {"duplicate_keys": "error", "integer_bits": 64}
    decoder.decode_policies = None  # they are captured, as hooks are
    with pytest.raises(json.JSONDecodeError, match="Duplicate key"):
        decoder.decode('{"a":1,"a":1}')
    decoder.__init__()
    assert decoder.decode_policies is None and decoder.decode('{"a":1,"a":2}') == {"a": 2}


def test_attributes_of_these_names_are_their_owners():
    class Limited(ocior.JSONDecoder):
        max_depth, duplicate_keys, surrogates, integer_bits = -1, "mine", object(), None

    assert Limited().decode('[[{"a":1,"a":"\\ud800"}]]') == [[{"a": "\ud800"}]] and Limited().max_depth == -1
    assert ocior.scanner.make_scanner(Limited())("[[1]]", 0) == ([[1]], 5)


def test_overriding_classes_have_them_too():
    class Calls(ocior.JSONDecoder):
        def decode(self, text):
            return [super().decode(text)]

        def raw_decode(self, text, idx=0):
            return super().raw_decode(text, idx)

    class Own(ocior.JSONDecoder):
        def raw_decode(self, text, idx=0):
            return self.scan_once(text, idx)

    class Scans(ocior.JSONDecoder):
        def __init__(self, **keywords):
            super().__init__(**keywords)
            self.scan_once = ocior.scanner.make_scanner(self)

    class Scanner(ocior.scanner.c_make_scanner):
        pass

    class ScansByAnother(ocior.JSONDecoder):
        def __init__(self, **keywords):
            super().__init__(**keywords)
            self.scan_once = Scanner(self)

    document = '{"a":1,"b":{"x":NaN},"a":2}'
    for cls in (Calls, Own, Scans, ScansByAnother):
        expected = {"a": 1, "b": {"x": None}}
        decoder = cls(duplicate_keys="first", non_finite="null")
        assert decoder.decode(document) == (expected if cls is not Calls else [expected])
        assert decoder.raw_decode(document) == (expected, len(document))
        assert ocior.loads(document, cls=cls, duplicate_keys="first", non_finite="null") == decoder.decode(document)


@pytest.mark.parametrize("make", [json.scanner.c_make_scanner, json.scanner.py_make_scanner, lambda decoder: lambda text, index: (1, 1)])
def test_other_scanners_know_none(make):
    class Replaces(ocior.JSONDecoder):
        def __init__(self, **keywords):
            super().__init__(**keywords)
            self.scan_once = make(self)

    assert Replaces().decode("1") == 1
    for read in (
        lambda: Replaces(duplicate_keys="last").decode("1"),
        lambda: Replaces(max_depth=None).raw_decode("1"),
        lambda: ocior.loads("1", cls=Replaces, surrogates="error"),
    ):
        with pytest.raises(TypeError, match="decode_policies need"):
            read()


def test_scanners_ask_their_context():
    class Context:
        strict, object_hook, object_pairs_hook, parse_float, parse_int, parse_constant = True, None, None, float, int, str

        def __init__(self, policies):
            self.decode_policies = policies

    make = ocior.scanner.make_scanner
    assert make(Context(None))('{"a":1,"a":2}', 0) == ({"a": 2}, 13)
    assert make(Context({"duplicate_keys": "first", "x": 1}))('{"a":1,"a":2}', 0) == ({"a": 1}, 13)
    with pytest.raises(TypeError, match="decode_policies must be a dict or None, not str"):
        make(Context("first"))
    with pytest.raises(ValueError, match="surrogates must be"):
        make(Context({"surrogates": "x"}))


# --- duplicate_keys ----------------------------------------------------------------------------------------------------

DUPLICATES = [  # a document, what "first" makes of it, the second key as it stands there
    ('{"a":1,"a":2}', {"a": 1}, '"a"'),
    ('{"a":1,"b":2,"a":3,"b":4}', {"a": 1, "b": 2}, '"a"'),
    ('{"a":{"a":1,"a":2},"b":0}', {"a": {"a": 1}, "b": 0}, '"a"'),
    ('{"x":[{"a":1},{"a":1, "b" : 2 , "a" : 3}]}', {"x": [{"a": 1}, {"a": 1, "b": 2}]}, '"a"'),
    ('{"":1,"a":2,"":3}', {"": 1, "a": 2}, '""'),
    ('{"a":1,"\\u0061":2}', {"a": 1}, '"\\u0061"'),
    ('{"\\u4e2d":1,"x":"}\\"{,","\u4e2d":2}', {"\u4e2d": 1, "x": '}"{,'}, '"\u4e2d"'),
    ('{"\xe9":1,"b":[{"c":[1,"a",{}]}],"\\u00e9":[]}', {"\xe9": 1, "b": [{"c": [1, "a", {}]}]}, '"\\u00e9"'),
    ('{"\\ud83d\\ude00":1,"\U0001f600":2}', {"\U0001f600": 1}, '"\U0001f600"'),
    ('{"\\"":1,"\\"":2}', {'"': 1}, '"\\""'),
    ('{"\\\\":1,"\\\\":2}', {"\\": 1}, '"\\\\"'),
    ('[{"a":1,"b":2},{"a":1,"a":2}]', [{"a": 1, "b": 2}, {"a": 1}], '"a"'),
]
ONCE = ["{}", '{"a":1}', '[{"a":1,"b":{"a":1}},{"a":1,"b":{"a":1}},{"b":{},"a":0}]', '{"a":{"a":{"a":["a","a"]}}}', '{"a":1,"A":2," a":3}']


@pytest.mark.parametrize("document, first, key", DUPLICATES)
def test_duplicate_keys(document, first, key):
    gives(document, json.loads(document), duplicate_keys="last")
    gives(document, first, duplicate_keys="first")
    refuses(document, "Duplicate key", document.rindex(key), duplicate_keys="error")


@pytest.mark.parametrize("document", ONCE)
@pytest.mark.parametrize("how", WORDS["duplicate_keys"])
def test_keys_that_come_once(document, how):
    gives(document, json.loads(document), duplicate_keys=how)


@pytest.mark.parametrize("name", ["key", "\xe9", "\u4e2d", "\U0001f600"])
def test_duplicate_keys_of_large_objects(name):
    for count in (5, 8, 60, 70, 1100, 5000):
        keys = [f"{name} {index}" for index in range(count)]
        body = "{" + ",".join(f'"{key}":{index}' for index, key in enumerate(keys))
        for again in (0, count // 2, count - 1):
            document = body + f',"{keys[again]}":[]' + "}"
            for source in (document, document.encode()):
                value = ocior.loads(source, duplicate_keys="first")
                assert list(value.items()) == list(zip(keys, range(count), strict=True))
                error = call(ocior.loads, source, duplicate_keys="error").error
                assert (error.msg, error.pos) == ("Duplicate key", len(body) + 1), (count, again)
        assert ocior.loads(body + "}", duplicate_keys="error") == value


def test_duplicate_keys_and_hooks():
    document = '[{"a":1,"b":{"c":1,"c":2},"a":3}]'
    assert ocior.loads(document, duplicate_keys="first", object_hook=lambda value: sorted(value.items(), key=str)) == [
        [("a", 1), ("b", [("c", 1)])]
    ]
    for how in ("last", "first"):
        assert ocior.loads(document, duplicate_keys=how, object_pairs_hook=list) == [[("a", 1), ("b", [("c", 1), ("c", 2)]), ("a", 3)]]
    seen = []
    for hook in ("object_hook", "object_pairs_hook"):
        error = call(ocior.loads, document, duplicate_keys="error", **{hook: seen.append}).error
        assert (error.msg, error.pos, seen) == ("Duplicate key", 19, [])
        assert ocior.loads('{"a":{"b":1}}', duplicate_keys="error", **{hook: dict}) == {"a": {"b": 1}}
    assert ocior.loads(document, duplicate_keys="first", parse_int=str, array_hook=tuple) == ({"a": "1", "b": {"c": "1"}},)


def test_duplicate_keys_free_what_is_dropped():
    class Token:
        alive = 0

        def __init__(self, value):
            Token.alive += 1

        def __del__(self):
            Token.alive -= 1
            ocior.loads('{"a":{},"a":{}}', duplicate_keys="first")

    for how in WORDS["duplicate_keys"]:
        for document in ('{"a":{},"a":{},"b":{}}', '[{"a":{},"b":1,"a":{"x":{}}},{"a":{},"b":1,"a":{}}]', '{"a":{"b":1,"b":{}}}'):
            for hook in ("object_hook", "object_pairs_hook"):
                outcome = call(ocior.loads, document, duplicate_keys=how, **{hook: Token})
                del outcome
                assert Token.alive == 0


def test_duplicate_keys_name_the_first_mistake_of_the_grammar():
    """An object is looked at when it ends: what is wrong before that comes first."""
    for document in ('{"a":1,"a":x}', '{"a":1,"a":2', '{"a":1,"a":2]'):
        assert_same(call(ocior.loads, document, duplicate_keys="error"), call(json.loads, document), document)


@pytest.mark.parametrize("how", WORDS["duplicate_keys"])
def test_duplicate_keys_in_linear_time(how):
    start = time.perf_counter()
    for document in (
        "{" + ",".join(['"k":1'] * 300_000) + "}",
        "{" + ",".join(f'"{index % 1000}":1' for index in range(300_000)) + "}",
        "{" + ",".join(f'"{index}":1' for index in range(200_000)) + ',"199999":2}',
        "[" * 1000 + '{"a":' * 30_000 + '{"b":1,"b":2}' + "}" * 30_000 + "]" * 1000,
        '{"a":' + "[{}," * 20_000 + "0" + "]" * 20_000 + ',"a":1}',
    ):
        for source in (document, document.encode()):
            call(ocior.loads, source, duplicate_keys=how)
    assert time.perf_counter() - start < 20


# --- non_finite --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_words_that_are_no_json(word):
    for document, wrap in ((word, lambda value: value), (f"[1,{word}]", lambda value: [1, value]), (f'{{"a":{word}}}', lambda v: {"a": v})):
        gives(document, wrap(float(word)), non_finite="constant")
        gives(document, wrap(None), non_finite="null")
        refuses(document, "Expecting value", document.index(word), non_finite="error")
        for how in WORDS["non_finite"]:
            gives(document, wrap(word.lower()), non_finite=how, parse_constant=str.lower)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1.0e999999", "9" * 400 + ".0", "1.8e308", "-1" + "0" * 309 + "e0"])
def test_numbers_beyond_doubles(number):
    document = f'[0.5,{number},{{"a":1}}]'
    gives(document, json.loads(document), non_finite="constant")
    gives(document, [0.5, None, {"a": 1}], non_finite="null")
    refuses(document, "Number out of range", 5, non_finite="error")
    for how in WORDS["non_finite"]:
        gives(document, json.loads(document, parse_float=str), non_finite=how, parse_float=str)
        gives(document, json.loads(document, parse_float=decimal.Decimal), non_finite=how, parse_float=decimal.Decimal)


@pytest.mark.parametrize("how", WORDS["non_finite"])
def test_finite_numbers_stay(how):
    document = "[1.7976931348623157e308,-1.7976931348623157e308,5e-324,1e-400,0.0,-0.0,1e308,123456789.125,1E5]"
    gives(document, json.loads(document), non_finite=how)


# --- big_integers ------------------------------------------------------------------------------------------------------

FITTING = {
    64: [0, 1, -1, 2**31, 2**53, -(2**53), 2**62, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 10**19, 9999999999999999999],
    53: [0, 1, -1, 2**31, 10**15, 2**53 - 1, -(2**53) + 1],
}
BIG = {
    64: [2**64, 2**64 + 1, -(2**63) - 1, -(2**64), 10**20, -(10**25), 10**38, 10**39 + 7, 3**400, -(7**300)],
    53: [2**53, 2**53 + 1, -(2**53), -(2**53) - 1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1],
}


@pytest.mark.parametrize("bits", FITTING)
def test_big_integers(bits):
    for number in FITTING[bits]:
        for how in WORDS["big_integers"]:
            gives(f"[{number},{number} ]", [number, number], big_integers=how, integer_bits=bits)
    for number in BIG[bits] + (BIG[64] if bits == 53 else []):
        document = f'[1,{number},{{"a":{number}}},2]'
        for how, value in (("exact", number), ("float", float(number)), ("str", str(number))):
            gives(document, [1, value, {"a": value}, 2], big_integers=how, integer_bits=bits)
        refuses(document, "Integer out of range", 3, big_integers="error", integer_bits=bits)
        for how in WORDS["big_integers"]:
            gives(document, ["1", str(number), {"a": str(number)}, "2"], big_integers=how, integer_bits=bits, parse_int=str)


def test_integers_beyond_doubles():
    document = "[" + "9" * 400 + ",-" + "9" * 400 + "]"
    gives(document, [math.inf, -math.inf], big_integers="float")
    gives(document, [None, None], big_integers="float", non_finite="null")
    refuses(document, "Number out of range", 1, big_integers="float", non_finite="error")
    gives(document, json.loads(document, parse_int=str), big_integers="str", non_finite="error")


def test_integers_of_more_digits_than_python_takes():
    digits = "7" * 5000
    limit = getattr(sys, "get_int_max_str_digits", lambda: 0)()
    for how, value in (("float", math.inf), ("str", digits)):
        gives(f"[{digits}]", [value], big_integers=how)
    if limit:
        for keywords in ({}, {"big_integers": "exact", "integer_bits": 53}):
            assert_same(call(ocior.loads, f"[{digits}]", **keywords), call(json.loads, f"[{digits}]"), repr(keywords))


def test_integers_as_floats():
    numbers = [0, 1, -1, 7, 255, 256, 10**8, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 10**22 + 1, 3**400, 10**400]
    document = "[-0,0,1,12,123, 4," + ",".join(map(str, numbers)) + "]"
    for keywords in ({}, {"big_integers": "str"}, {"integer_bits": 53, "big_integers": "error"}):
        gives(document, json.loads(document, parse_int=float), parse_int=float, **keywords)
    gives('{"a":[1,2.5,-0]}', {"a": [1.0, 2.5, -0.0]}, parse_int=float)

    class Float(float):
        pass

    assert type(ocior.loads("1", parse_int=Float)) is Float
    gives("[1,2.5]", [1, 2.5], parse_int=int, parse_float=float)
    # int and float themselves are what json takes where none is given, and no choice against a policy.
    large = "1" * 400
    gives(f"[{2**64},1.5]", [str(2**64), 1.5], parse_int=int, parse_float=float, big_integers="str")
    gives(f"[1e400,{large}]", [None, int(large)], parse_int=int, parse_float=float, non_finite="null")
    gives(f"[{large}]", [None], parse_int=float, non_finite="null")


# --- surrogates --------------------------------------------------------------------------------------------------------

LONE = [  # a document with one string, its value, where the first lone surrogate is
    ('"\\ud800"', "\ud800", 1),
    ('"\\uDFFF"', "\udfff", 1),
    ('"\ud800"', "\ud800", 1),
    ('"a\\udc00b"', "a\udc00b", 2),
    ('"\\\\\\"\\ud83d\\n"', '\\"\ud83d\n', 5),
    ('"\\ud83d\\ude00\\ud83d"', "\U0001f600\ud83d", 13),
    ('"\\ude00\\ud83d"', "\ude00\ud83d", 1),
    ('"\\ud83d\\u0041\\ude00"', "\ud83dA\ude00", 1),
    ('"\\ud83d\ude00"', "\ud83d\ude00", 1),
    ('"\ud83d\ude00"', "\ud83d\ude00", 1),
    ('"\xe9\\ud800"', "\xe9\ud800", 2),
    ('"\U0001f600\ud800"', "\U0001f600\ud800", 2),
    ('"' + "x" * 70 + '\\udfff"', "x" * 70 + "\udfff", 71),
    ('"' + "\u4e2d" * 70 + "\ud800" + '"', "\u4e2d" * 70 + "\ud800", 71),
    ('"' + "\\u4e2d" * 40 + '\\ud800"', "\u4e2d" * 40 + "\ud800", 241),
    ('"' + "\ud800" * 40 + '"', "\ud800" * 40, 1),
]
PAIRED = ['"\\ud83d\\ude00"', '"\U0001f600"', '"\\uFFFD\ufffd"', '"\\ud7ff\\ue000"', '"x"', '""', '"\\\\ud800"', '"\\n\xe9\u4e2d\\u00e9"']
SURROGATE = re.compile("[\ud800-\udfff]")


@pytest.mark.parametrize("document, value, place", LONE)
def test_lone_surrogates(document, value, place):
    plain = SURROGATE.sub("\ufffd", value)
    for text, wrap, at in (
        (document, lambda item: item, 0),
        (f'["x",{document}]', lambda item: ["x", item], 5),
        (f"{{{document}:1}}", lambda item: {item: 1}, 1),
        (f'[{{"k":{document},{document}:{document}}}]', lambda item: [{"k": item, item: item}], 6),
    ):
        # As text of another encoding, the halves of a pair that stand side by side would be one character.
        if "\ud83d\ude00" in document:
            assert ocior.loads(text, surrogates="replace") == wrap(plain)
            assert call(ocior.loads, text, surrogates="error").error.pos == at + place
            continue
        gives(text, wrap(value), surrogates="keep")
        gives(text, wrap(plain), surrogates="replace")
        refuses(text, "Lone surrogate", at + place, surrogates="error")
        gives(text, wrap(value))


@pytest.mark.parametrize("document", PAIRED)
@pytest.mark.parametrize("how", WORDS["surrogates"])
def test_other_text_stays(document, how):
    for text in (document, f"[{document},{document}]", f'{{{document}:{document},"x":{document}}}'):
        gives(text, json.loads(text), surrogates=how)


def test_what_one_call_has_learned_is_not_believed_by_another():
    """Keys are recognised by their text, and this text means another key to each policy."""
    for key in ("\\ud800", "a\\udfffb", "\ud800", "\u4e2d\ud83d"):
        kept = json.loads(f'"{key}"')
        for document in (f'{{"{key}":1}}', f'[{{"x":1,"{key}":2}},{{"x":1,"{key}":2}}]', f'[{{"{key}":1,"y":2}}]'):
            for source in (document, document.encode("utf-8", "surrogatepass")):
                for how in ("keep", "error", "replace") * 3 + ("replace", "keep", "error"):
                    outcome = call(ocior.loads, source, surrogates=how)
                    if how == "error":
                        assert outcome.error.msg == "Lone surrogate"
                    else:
                        keys = re.findall("'([^']*)'", repr(outcome.value))
                        assert repr(kept if how == "keep" else SURROGATE.sub("\ufffd", kept))[1:-1] in keys


def test_replaced_keys_that_become_equal():
    document = '{"\\ud800":1,"x":2,"\\udfff":3}'
    gives(document, {"\ufffd": 3, "x": 2}, surrogates="replace")
    gives(document, {"\ufffd": 1, "x": 2}, surrogates="replace", duplicate_keys="first")
    refuses(document, "Duplicate key", 18, surrogates="replace", duplicate_keys="error")
    gives(document, {"\ud800": 1, "x": 2, "\udfff": 3}, duplicate_keys="error")


def test_surrogates_and_hooks():
    assert ocior.loads('{"\\ud800":"\\udfff"}', surrogates="replace", object_pairs_hook=list) == [("\ufffd", "\ufffd")]
    assert ocior.loads('["\u4e2d","\ud800"]', surrogates="replace", array_hook=tuple) == ("\u4e2d", "\ufffd")


def test_bytes_that_are_no_text_are_refused_as_ever():
    for document in (b'"\xff"', b'["\xed\xa0"]', b'{"\xed\xb0x":1}', b'"\xc0\x80\\ud800"'):
        for how in WORDS["surrogates"]:
            assert_same(call(ocior.loads, document, surrogates=how), call(json.loads, document), f"{document} {how}")


# --- max_depth ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [0, 1, 2, 17, 1000, 65535, 65536])
def test_max_depth(depth):
    for opening, inner, closing, kind in (("[", "1", "]", "array"), ('{"a":', "1", "}", "object")):
        fitting = opening * depth + inner + closing * depth
        message = f"maximum recursion depth exceeded while decoding a JSON {kind} from a unicode string"
        for read in (ocior.loads, lambda text, **more: ocior.JSONDecoder(**more).raw_decode(text)[0]):
            value = read(fitting, max_depth=depth)
            for _ in range(depth):
                value = value[0] if kind == "array" else value["a"]
            assert value == 1
            for hook in ({}, {"object_hook": lambda value: value}):
                with pytest.raises(RecursionError, match=message):
                    read(opening + fitting + closing, max_depth=depth, **hook)
    gives("[[],[[]]]", [[], [[]]], max_depth=4)  # in a list for some readers
    for document in ("[[],[[1]]]", '{"a":[[[]]]}'):
        for how, read in readers(document, max_depth=2):
            assert isinstance(call(read).error, RecursionError), how


# --- decimals ----------------------------------------------------------------------------------------------------------

Decimal = decimal.Decimal
MANTISSAS = [
    *("0.0", "0.00", "0.5", "1.0", "10.0", "1.50", "0.001", "0.0010", "12.345", "123456789.125", "100.0", "99999999.99"),
    *("0.9999999999999999999", "1.0000000000000000000", "9999999999999999999.9", "12345678901234567890.0", "0.12345678901234567890123"),
    *("0." + "0" * zeros + "1" for zeros in (16, 17, 18, 19, 29, 30, 31, 37, 38, 75, 76, 100)),
    *("1" * before + "." + "9" * behind for before in (1, 5, 18, 19, 20, 37, 38, 75, 76) for behind in (1, 2, 11, 18, 19, 38, 57, 75)),
    *("0." + "0" * 40 + digits for digits in ("5", "12345678901234567890", "9" * 76, "9" * 77)),
    "0." + "0" * 200,
]
EXPONENTS = ["", "e0", "E5", "e-5", "e+30", "e-400", "e400", "e000007", "e-999999", "e999999", "e1000000", "e-1000000", "e0000000000001"]


def same_decimals(texts):
    for text in (
        f"[{','.join(texts)}]",
        '["\xe9",' + ", ".join(texts) + "]",
        '["\u4e2d",' + ",".join(texts) + "]",
        f'[{",".join(texts)},"\U0001f600"]',
    ):
        for source in (text, text.encode()):
            ours, theirs = (module.loads(source, parse_float=Decimal) for module in (ocior, json))
            for one, other in zip(ours, theirs, strict=True):
                assert type(one) is type(other)
                if type(one) is Decimal:
                    assert (one.as_tuple(), str(one), hash(one)) == (other.as_tuple(), str(other), hash(other))
            assert ours == theirs


def test_decimals():
    same_decimals([sign + mantissa + exponent for mantissa in MANTISSAS for exponent in EXPONENTS for sign in ("", "-")])
    same_decimals(["-" * (index % 2) + f"{index}e{index - 50}" for index in range(100)])
    same_decimals(["1", "-0", "0", str(2**64), str(10**80)])  # integers are none
    for document in ("1.5", '{"a":-0.0,"b":[1e2]}', "[0.1,0.2,0.30]"):
        gives(document, json.loads(document, parse_float=Decimal), parse_float=Decimal)


def test_decimals_at_random():
    source = random.Random(7)
    for _ in range(200):
        texts = []
        for _ in range(60):
            whole = str(source.getrandbits(source.randrange(1, 130)))
            fraction = "." + "".join(source.choices("0123456789", k=source.randrange(1, 40))) if source.random() < 0.8 else ""
            exponent = f"e{source.randrange(-400, 400)}" if not fraction or source.random() < 0.2 else ""
            texts.append("-" * source.randrange(2) + whole + fraction + exponent)
        same_decimals(texts)


def test_decimals_are_ordinary_ones():
    numbers = ocior.loads("[1.10, -2.5e3, 0.0, 123456789012345678901234567890.5]", parse_float=Decimal)
    assert [pickle.loads(pickle.dumps(number)) for number in numbers] == numbers == copy.deepcopy(numbers)
    assert numbers[0] + numbers[1] == Decimal("-2498.90") and numbers[0].quantize(Decimal("0.1")) == Decimal("1.1")
    assert {numbers[0]: 1}[Decimal("1.1")] == 1 and sorted(numbers)[0] == Decimal("-2500") and not numbers[2]
    assert gc.is_tracked(numbers[0]) == gc.is_tracked(Decimal("1.10"))
    assert sys.getsizeof(numbers[0]) == sys.getsizeof(Decimal("1.10"))
    numbers[3] *= numbers[3] ** 3  # grows out of its room
    assert numbers[3] == Decimal("123456789012345678901234567890.5") * Decimal("123456789012345678901234567890.5") ** 3


@pytest.mark.parametrize(
    "text", ["1e99999999999999999999", "-1e-99999999999999999999", "1.5e1000000000000000000", "0e99999999999999999999"]
)
def test_decimals_that_there_are_not(text):
    """In words of decimal's, by the context of the thread, as in json."""
    for traps in ([], [decimal.InvalidOperation]):
        with decimal.localcontext() as context:
            context.traps = dict.fromkeys(context.traps, False) | dict.fromkeys(traps, True)
            ours, theirs = (call(module.loads, f"[{text}]", parse_float=Decimal) for module in (ocior, json))
            assert (type(ours.error), str(ours.error), repr(ours.value)) == (type(theirs.error), str(theirs.error), repr(theirs.value))
    with decimal.localcontext() as context:
        context.clear_flags()
        context.traps = dict.fromkeys(context.traps, True)
        context.prec = 1
        assert ocior.loads("[1.25, -0.000, 123456.7890e-500]", parse_float=Decimal) == [Decimal("1.25"), 0, Decimal("123456.7890e-500")]
        assert not any(context.flags.values())


def test_other_decimals_are_hooks():
    class Money(Decimal):
        pass

    class Slotted(Decimal):
        __slots__ = ()

    named = type("decimal.Decimal", (Decimal,), {"__slots__": ()})
    stored = type("decimal.Decimal", (), {"__slots__": tuple("abcdefghijk"), "__init__": lambda self, text: None})
    pure = importlib.import_module("_pydecimal").Decimal
    for cls in (Money, Slotted, named, stored, pure):
        number, integer = ocior.loads("[1.50, 3]", parse_float=cls)
        assert type(number) is cls and type(integer) is int
        assert type(ocior.JSONDecoder(parse_float=cls).decode("[1.50]")[0]) is cls
    for hook in (lambda text: Decimal(text), functools.partial(Decimal), str):
        assert repr(ocior.loads("1.50", parse_float=hook)) == repr(json.loads("1.50", parse_float=hook))


def test_decimal_that_a_program_has_replaced(monkeypatch):
    monkeypatch.setattr(decimal, "Decimal", lambda text: ("mine", text))
    assert ocior.loads("1.50", parse_float=decimal.Decimal) == ("mine", "1.50")
    assert ocior.loads("1.50", parse_float=Decimal) == Decimal("1.50")


def test_decimals_leave_no_references():
    def change_by(module):  # without a GIL, counts of classes move by the objects that have come and gone
        before = sys.getrefcount(Decimal)
        for _ in range(100):
            module.loads("[1.5, 2.5e10, 1e2000000, 0.1]", parse_float=Decimal)
        return sys.getrefcount(Decimal) - before

    ocior.loads("[1.5]", parse_float=Decimal)
    assert abs(change_by(ocior) - change_by(json)) < 20


@pytest.mark.parametrize("tricks", ["", "0", "-direct_scalars", "-pool_blocks"])
def test_decimals_without_knowledge_of_cpython(tricks):
    check_python(
        """
        import sys, json, ocior
        assert "decimal" not in sys.modules and "_decimal" not in sys.modules
        from decimal import Decimal
        for text in ("[1.50, -0.0, 1e400, 12345678901234567890.12345, 1e1000000]", "2.5"):
            assert repr(ocior.loads(text, parse_float=Decimal)) == repr(json.loads(text, parse_float=Decimal))
            assert repr(ocior.JSONDecoder(parse_float=Decimal).decode(text)) == repr(json.loads(text, parse_float=Decimal))
        """,
        env={"OCIOR_TRICKS": tricks},
    )


# --- together ----------------------------------------------------------------------------------------------------------


def test_together():
    keywords = {
        "duplicate_keys": "first",
        "non_finite": "null",
        "big_integers": "str",
        "integer_bits": 53,
        "surrogates": "replace",
        "max_depth": 3,
    }
    gives(
        CURIOUS,
        {
            "a": 1,
            "b": {"\ufffd": "\ufffd\ufffd", "c": "\U0001f600"},
            "n": ["18446744073709551616", "9007199254740992", "-9223372036854775809", 1.5],
        },
        **keywords,
    )


def test_threads_and_interpreters_have_them_each():
    """What is kept from one call to the next is not what a policy has made."""
    check_python(
        """
        import threading, ocior
        document = '[{"a":1,"\\\\ud800":"\\\\udfff","a":18446744073709551616},{"a":NaN}]'
        expected = {
            "keep": [{"a": 2**64, "\\ud800": "\\udfff"}],
            "replace": [{"a": 1, "\\ufffd": "\\ufffd"}],
        }
        wrong = []
        def work(how):
            more = {"duplicate_keys": "first"} if how == "replace" else {}
            for _ in range(2000):
                value = ocior.loads(document, surrogates=how, **more)
                if value[:1] != expected[how]: wrong.append(value)
        threads = [threading.Thread(target=work, args=(how,)) for how in ("keep", "replace") * 2]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert not wrong, wrong[0]
        """
    )
