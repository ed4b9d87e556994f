"""Differential tests: whatever hypothesis thinks of, ocior answers as the running interpreter's json does."""

import decimal
import json
import math
import re

import roads
from hypothesis import assume, example, given
from hypothesis import strategies as st
from jsontestsuite_cases import CASES
from support import assert_same, call, facts, same_dumps, same_loads

import ocior

ODD_TEXT = 'ab"\\/\n\t\x00\x1f\x7f\x80\xff\u0100\u07ff\u0800\u2028\ud800\udfff\uffff\U00010000\U0010ffff'

text = st.one_of(
    st.text(),
    st.text(st.characters()),
    st.text(st.sampled_from(ODD_TEXT)),
    st.text("a", max_size=200),
    st.text("\xe9", max_size=100),
    st.text("\u4e2d", max_size=100),
)
decimals = st.builds(lambda a, b: a / 10**b, st.integers(-(10**6), 10**6), st.integers(0, 8))
integers = st.one_of(st.integers(), st.integers(-10, 300), st.integers(-(2**70), 2**70))
numbers = st.one_of(integers, st.floats(), st.floats(0, 1), decimals)
scalars = st.one_of(st.none(), st.booleans(), numbers, text)
keys = st.one_of(text, st.sampled_from(["id", "name", "value", "x", ""]), st.none(), st.booleans(), st.integers(), st.floats())


def containers(inner):
    records = st.dictionaries(st.sampled_from(["id", "name", "x"]), inner).flatmap(lambda one: st.lists(st.just(one), max_size=5))
    lists = st.one_of(st.lists(inner, max_size=8), st.lists(inner, max_size=4).map(tuple))
    return st.one_of(lists, st.dictionaries(keys, inner, max_size=8), records)


values = st.recursive(scalars, containers, max_leaves=25)
strangers = st.sampled_from([object, b"x", {1}, 1j, len])
values_with_strangers = st.one_of(
    values, st.lists(st.one_of(scalars, strangers), max_size=5), st.dictionaries(st.one_of(keys, st.sampled_from([(), b"k", 1j])), scalars)
)
documents = values.map(lambda value: json.dumps(value)) | st.builds(
    lambda value, **keywords: json.dumps(value, **keywords),
    values,
    ensure_ascii=st.booleans(),
    indent=st.sampled_from([None, 0, 1, 2, "\t"]),
    separators=st.sampled_from([None, (",", ":"), (" ,\n", "\t: ")]),
)

SEPARATORS = [(",", ":"), (", ", ": "), ("", ""), ("\u4e2d", "\U0001f600")]
encode_keywords = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.booleans() for name in ("skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys")},
        "indent": st.one_of(
            st.none(), st.integers(-2, 9), st.text(max_size=3), st.sampled_from(["", " ", "\t", "\xe9", "\u4e2d ", "\U0001f600", '"'])
        ),
        "separators": st.one_of(st.none(), st.tuples(st.text(max_size=4), st.text(max_size=4)), st.sampled_from(SEPARATORS)),
        "default": st.sampled_from([None, str, repr, lambda obj: None, lambda obj: [1, "\u4e2d"], len]),
    },
)
decode_keywords = st.fixed_dictionaries(
    {},
    optional={
        "object_hook": st.sampled_from([None, len, lambda obj: sorted(obj), lambda obj: obj]),
        "object_pairs_hook": st.sampled_from([None, list, tuple, len, dict]),
        "parse_float": st.sampled_from([None, float, str, len, decimal.Decimal]),
        "parse_int": st.sampled_from([None, int, float, str, len]),
        "parse_constant": st.sampled_from([None, str, len]),
        "strict": st.booleans(),
    },
)


@given(values, encode_keywords)
def test_dumps(value, keywords):
    same_dumps(value, **keywords)


@given(values_with_strangers, encode_keywords)
def test_dumps_with_strangers(value, keywords):
    same_dumps(value, **keywords)


@given(values)
def test_round_trip(value):
    expected = json.loads(json.dumps(value))
    same_loads(json.dumps(value))
    assert repr(ocior.loads(ocior.dumps(value))) == repr(expected)
    indented = ocior.dumps(value, ensure_ascii=False, indent=1)
    assert repr(ocior.loads(indented)) == repr(json.loads(json.dumps(value, ensure_ascii=False)))


@given(documents, decode_keywords, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be", None, None, "utf-8"]))
def test_loads(document, keywords, encoding):
    same_loads(document if encoding is None else document.encode(encoding, "surrogatepass"), **keywords)


json_text = st.text(st.sampled_from('[]{}:,"\\ntrufalse0123456789.eE+- \t\r\nNaInfiy\x00\x01bu\xe9\u4e2d\U0001f600\ud800'), max_size=60)


@given(json_text | st.text(), decode_keywords)
@example("", {})
def test_any_text(document, keywords):
    same_loads(document, **keywords)
    same_loads(document.encode("utf-8", "surrogatepass"), **keywords)


@given(st.binary(max_size=80))
def test_any_bytes(document):
    same_loads(document)
    same_loads(b'"' + document + b'"')
    same_loads(bytearray(document), strict=False)


policies = st.fixed_dictionaries(
    {},
    optional={
        "duplicate_keys": st.sampled_from(["last", "first", "error"]),
        "non_finite": st.sampled_from(["constant", "error", "null"]),
        "big_integers": st.sampled_from(["exact", "float", "str", "error"]),
        "integer_bits": st.sampled_from([64, 53]),
        "surrogates": st.sampled_from(["keep", "error", "replace"]),
        "max_depth": st.sampled_from([None, 0, 1, 2, 3, 100]),
    },
)


class Refused(Exception):
    pass


def loads_by_policies(
    document, duplicate_keys="last", non_finite="constant", big_integers="exact", integer_bits=64, surrogates="keep", max_depth=None
):
    """What ocior's policies make of a document, said by json and its hooks."""

    def decide(policy, **choices):
        if policy == "error":
            raise Refused
        return choices[policy]

    def parse_float(text):
        value = float(text)
        return value if math.isfinite(value) else decide(non_finite, constant=value, null=None)

    def parse_int(text):
        value = int(text)
        is_small = -(2**63) <= value < 2**64 if integer_bits == 64 else abs(value) < 2**53
        if is_small or big_integers == "exact":
            return value
        return parse_float(text) if big_integers == "float" else decide(big_integers, str=text)

    def build(value, depth):
        if isinstance(value, str):
            replaced = re.sub("[\ud800-\udfff]", "\ufffd", value)
            return value if replaced == value else decide(surrogates, keep=value, replace=replaced)
        if not isinstance(value, (list, tuple)):
            return value
        if max_depth is not None and depth == max_depth:
            raise Refused
        if isinstance(value, list):
            return [build(item, depth + 1) for item in value]
        pairs = [(build(key, depth), build(item, depth + 1)) for key, item in value]
        if len(dict(pairs)) < len(pairs):
            return decide(duplicate_keys, last=dict(pairs), first={key: dict(reversed(pairs))[key] for key in dict(pairs)})
        return dict(pairs)

    hooks = {"parse_float": parse_float, "parse_int": parse_int, "parse_constant": parse_float, "object_pairs_hook": tuple}
    return build(json.loads(document, **hooks), 0)


odd_words = st.sampled_from(['"a":1,', '"\\ud800":1,', '"\\udfff":"\\ud83d",', '"\\ud83d\\ude00":1e400,', '"a":18446744073709551616,'])
odd_documents = st.builds(
    lambda members, document: "[" + "{" + "".join(members) + '"b":' + document + "}," + document + "]",
    st.lists(odd_words, max_size=5),
    documents,
)


@given(odd_documents | documents | json_text, policies, st.sampled_from([None, "utf-8", "utf-16"]))
@example('{"a":1,"a":[NaN,18446744073709551616,"\ud800"]}', {"duplicate_keys": "first", "surrogates": "replace"}, None)
def test_policies(document, keywords, encoding):
    source = document if encoding is None else document.encode(encoding, "surrogatepass")
    ours, expected = call(ocior.loads, source, **keywords), call(loads_by_policies, source, **keywords)
    if expected.error is not None:
        assert isinstance(ours.error, (ValueError, RecursionError)), (source, keywords, ours)
    else:
        assert facts(ours.value) == facts(expected.value), (source, keywords)


HOSTILE = [
    b'"',
    b"\\",
    b",",
    b"]",
    b"}",
    b"[",
    b"{",
    b":",
    b"\x00",
    b"\n",
    b"\x80",
    b"\xff",
    b"\xc3",
    b"\xe4\xb8",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\\u",
    b"\\ud83d",
    b"1",
    b"-",
    b".",
    b"e",
    b"nul",
    b"NaN",
    b" " * 40,
    b"a" * 64,
]
pieces = st.one_of(st.binary(min_size=1, max_size=4), st.sampled_from(HOSTILE))
edits = st.lists(st.tuples(st.sampled_from("rid"), st.floats(0, 1), pieces, st.integers(1, 6)), min_size=1, max_size=4)


def mutate(document, changes):
    """Replace, insert or delete at places given as a fraction of the length."""
    raw = bytearray(document)
    for kind, where, piece, count in changes:
        place = int(where * len(raw))
        if kind == "i":
            raw[place:place] = piece
        elif kind == "d":
            del raw[place : place + count]
        else:
            raw[place : place + len(piece)] = piece
    return bytes(raw)


@given(documents, edits, decode_keywords)
def test_mutated_documents(document, changes, keywords):
    raw = mutate(document.encode("utf-8", "surrogatepass"), changes)
    same_loads(raw, **keywords)
    try:
        same_loads(raw.decode("utf-8", "surrogatepass"), **keywords)
    except UnicodeDecodeError:
        same_loads(raw.decode("latin-1"), **keywords)


@given(st.sampled_from([case for case in CASES.values() if len(case) < 2000]), edits)
def test_mutated_suite(document, changes):
    raw = mutate(document, changes)
    same_loads(raw)
    same_loads(raw.decode("latin-1"))


number_like = st.text("0123456789.eE+-", max_size=40)


@given(number_like, st.sampled_from(["", "[", "[1,", '{"a":', "\n ", '["\u4e2d",']), st.sampled_from(["", "]", "}", ",", " ", "x"]))
def test_number_like(token, before, behind):
    same_loads(before + token + behind)
    same_loads((before + token + behind).encode())


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats(value):
    assert ocior.dumps(value) == repr(value)
    assert repr(ocior.loads(repr(value))) == repr(value)
    assert repr(ocior.loads("%.25e" % value)) == repr(float("%.25e" % value))
    assert repr(ocior.loads("%.60f" % value)) == repr(float("%.60f" % value))


some_records = st.lists(st.dictionaries(st.text(max_size=70), scalars, max_size=7), min_size=1, max_size=4)


@given(some_records, st.integers(1, 6), st.randoms(use_true_random=False))
def test_repeated_records(records, times, source):
    """The same records in changing order, so that what is remembered of earlier keys is right or wrong by turns."""
    everything = records * times
    source.shuffle(everything)
    assume(everything)
    document = json.dumps(everything, ensure_ascii=source.random() < 0.5)
    same_loads(document)
    same_loads(document.encode("utf-8", "surrogatepass"))
    same_dumps(everything)


@given(st.text(), st.text(), st.integers(0, 70))
def test_long_strings(one, two, count):
    value = [one * count + two, {two * count + one: count}, "a" * count + one]
    same_dumps(value)
    same_dumps(value, ensure_ascii=False)
    for document in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        same_loads(document)
        assert_same(call(ocior.loads, document.encode("utf-8", "surrogatepass")), call(json.loads, document), "bytes and str")


# --- the other roads: files, classes, the classes of callers, the functions below ------------------------------------


@given(values_with_strangers, encode_keywords)
def test_dump(value, keywords):
    roads.same_dump(value, **keywords)
    roads.same_dump_bytes(value, **keywords)


@given(values_with_strangers, encode_keywords)
def test_encoder(value, keywords):
    roads.same_encoder(value, **keywords)


@given(st.integers(0, len(roads.encoder_classes(json.JSONEncoder)) - 1), values_with_strangers, encode_keywords)
def test_encoder_classes(number, value, keywords):
    roads.same_encoder_class(number, value, **keywords)


@given(st.one_of(text, scalars))
def test_basestring(value):
    roads.same_basestring(value)


def mutate_text(document, changes):
    return mutate(document.encode("utf-8", "surrogatepass"), changes).decode("latin-1")


anything = st.one_of(documents, json_text, st.builds(mutate_text, documents, edits))


@given(anything, decode_keywords, st.booleans())
def test_load(document, keywords, binary):
    roads.same_load(document.encode("utf-8", "surrogatepass") if binary else document, **keywords)


@given(anything, decode_keywords)
def test_decoder(document, keywords):
    roads.same_decoder(document, **keywords)


@given(st.integers(0, len(roads.decoder_classes(json.JSONDecoder)) - 1), anything, decode_keywords, st.booleans())
def test_decoder_classes(number, document, keywords, binary):
    roads.same_decoder_class(number, document.encode("utf-8", "surrogatepass") if binary else document, **keywords)


@given(anything, st.just(0) | st.integers(-3, 70), decode_keywords)
def test_raw_decode(document, index, keywords):
    roads.same_raw_decode(document, index, **keywords)
    roads.same_scanner(document, index, **keywords)


@given(st.one_of(text, documents, json_text), st.just(1) | st.integers(-3, 70), st.sampled_from([(), (True,), (False,)]))
def test_scanstring(document, index, strict):
    roads.same_scanstring(document, index, *strict)
    roads.same_scanstring(f'"{document}" behind', 1, *strict)
