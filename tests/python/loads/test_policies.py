"""The policies of loads: their words, defaults and errors, what decoders and scanners know of them, max_depth, and all together. Each of
the others has a file of its own, loads/test_duplicate_keys.py, loads/test_numbers.py or loads/test_surrogates.py."""

import decimal
import io
import json

import pytest
from loads_values import WORDS, gives, readers
from support import assert_same, call, check_python

import ocior
import ocior.scanner

DEFAULTS = {
    "duplicate_keys": "last",
    "non_finite": "constant",
    "big_integers": "exact",
    "integer_bits": 64,
    "surrogates": "keep",
    "max_depth": None,
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
