"""loads(non_finite=..., big_integers=..., integer_bits=...): numbers beyond what others hold; and integers as floats. Decimals are in
loads/test_decimals.py."""

import decimal
import json
import math
import sys

import pytest
from loads_values import WORDS, gives, refuses
from support import assert_same, call

import ocior


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
