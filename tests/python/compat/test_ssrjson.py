"""ocior.compat.ssrjson: the names, arguments, texts, values and errors of ssrjson 0.0.24."""

import collections
import enum
import inspect
import json
import math
import random
import subprocess
import sys
import types

import pytest
from support import check_pickled

from ocior.compat import ssrjson as ours

FUNCTIONS = (ours.dumps, ours.dumps_to_bytes)


@pytest.fixture(scope="module")
def theirs():
    return pytest.importorskip("ssrjson", minversion="0.0.24")


@pytest.fixture(autouse=True)
def usual_settings():
    yield
    ours.strict_argparse(False)
    ours.write_utf8_cache(True)


def outcome(function, *args, **keywords):
    """What comes of a call: its value's repr, which tells -0.0 and 0 apart, or the class and words of its error."""
    try:
        return repr(function(*args, **keywords))
    except Exception as error:
        return type(error).__name__, str(error)


def test_names(theirs):
    assert ours.__version__ == "0.0.24"
    for name in ours.__all__:
        own, other = getattr(ours, name), getattr(theirs, name)
        assert type(own) is type(other)
        if callable(own):
            assert (own.__name__, own.__doc__) == (other.__name__, other.__doc__)
            assert own.__module__ == "ocior.compat.ssrjson"
        if inspect.isbuiltin(own):
            assert inspect.signature(own) == inspect.signature(other)
    assert ours.get_current_features().keys() == theirs.get_current_features().keys()
    assert set(ours.__all__) >= {name for name in vars(theirs) if name[0] != "_"} - {"ssrjson"}


class Int(int):
    def __repr__(self):
        return "wrong"


class Dict(dict):
    def items(self):
        return [("wrong", 1)]


class List(list):
    def __iter__(self):
        return iter(["wrong"])


class Tuple(tuple):
    def __iter__(self):
        return iter(["wrong"])


class Str(str):
    def __str__(self):
        return "wrong"


class Number(enum.IntEnum):
    ONE = 1


class Letter(str, enum.Enum):
    A = "a"


class Other(enum.Enum):
    A = "a"


Point = collections.namedtuple("Point", "x y")

WRITTEN = [
    (None, "null"),
    ([True, False, 1, -1, 1.5, -0.0, 1e16, 1e-7, 5e-324], "[true,false,1,-1,1.5,-0.0,1e+16,1e-07,5e-324]"),
    ([math.nan, math.inf, -math.inf], "[NaN,Infinity,-Infinity]"),
    ([2**64 - 1, -(2**63)], "[18446744073709551615,-9223372036854775808]"),
    ({"é": ["ü", "中", "😀"], "\x00\x1f\x7f": '"\\/'}, '{"é":["ü","中","😀"],"\\u0000\\u001f\x7f":"\\"\\\\/"}'),
    ([[], {}, (), [[]], {"a": []}], '[[],{},[],[[]],{"a":[]}]'),
    ([Int(5), Dict(a=1), List([1]), Tuple((1, [2])), Str("a"), Point(1, 2)], '[5,{"a":1},[1],[1,[2]],"a",[1,2]]'),
    ({Str("k"): Number.ONE, Letter.A: Letter.A}, '{"k":1,"a":"a"}'),
    (collections.OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
]


@pytest.mark.parametrize("value, text", WRITTEN)
def test_texts(value, text):
    assert ours.dumps(value) == text == ours.dumps(obj=value)
    assert ours.dumps_to_bytes(value) == text.encode()
    for indent in (2, 4):
        lines = json.dumps(json.loads(text), indent=indent, ensure_ascii=False)
        assert ours.dumps(value, indent=indent) == lines
        assert ours.dumps_to_bytes(value, indent=indent, is_write_cache=False) == lines.encode()


def nested(make, depth):
    value = 1
    for _ in range(depth):
        value = make(value)
    return value


def cycle():
    value = []
    value.append({"a": value})
    return value


REFUSED = [
    (2**64, "convert value to unsigned long long failed"),
    (-(2**63) - 1, "convert value to long long failed"),
    (Int(2**70), "convert value to unsigned long long failed"),
    ({1: 2}, "Expected `str` as key"),
    ({None: 2}, "Expected `str` as key"),
    ({Number.ONE: 2}, "Expected `str` as key"),
    ([object()], "Unsupported type to encode"),
    ({"a": b"x"}, "Unsupported type to encode"),
    ([Other.A], "Unsupported type to encode"),
    (nested(lambda value: [value], 1025), "Too many nested structures"),
    (nested(lambda value: {"a": value}, 1025), "Too many nested structures"),
    (cycle(), "Too many nested structures"),
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("value, words", REFUSED)
def test_refused_values(function, value, words):
    assert outcome(function, value) == ("JSONEncodeError", words)
    assert function(nested(lambda value: (value,), 1024))


def test_surrogates():
    for text in ("\ud800", "a\udfffb"):
        assert ours.dumps({text: text}) == f'{{"{text}":"{text}"}}'
        words = "Cannot encode unicode character in range [0xd800, 0xdfff] to UTF-8"
        assert outcome(ours.dumps_to_bytes, [text]) == ("JSONEncodeError", words)
        assert ours.loads(f'"{text}"') == text
        assert outcome(ours.loads, json.dumps(text))[0] == "JSONDecodeError"
        assert outcome(ours.loads, f'"{text}"'.encode(errors="surrogatepass"))[0] == "JSONDecodeError"
    assert ours.loads('"\\ud83d\\ude00"') == "😀"


def test_a_replaced_default_of_json_is_not_asked(monkeypatch):
    monkeypatch.setattr(json.JSONEncoder, "default", lambda self, value: "wrong")
    assert outcome(ours.dumps, object()) == ("JSONEncodeError", "Unsupported type to encode")


ARGUMENTS = [
    (ours.dumps, [], {}, "dumps() missing 1 required positional argument: 'obj'"),
    (ours.dumps, [1, 2], {}, "dumps() takes 1 positional argument but 2 were given"),
    (ours.dumps, [1], {"obj": 1}, "dumps() got multiple values for argument 'obj'"),
    (ours.dumps, [1], {"indent": "  "}, "indent must be an integer or None"),
    (ours.dumps_to_bytes, [1], {"sort_keys": True}, "dumps_to_bytes() got an unexpected keyword argument ''sort_keys''"),
    (ours.dumps_to_bytes, [1], {"is_write_cache": 1}, "is_write_cache argument must be True or False"),
    (ours.loads, [], {}, "loads() missing 1 required positional argument: 's'"),
    (ours.loads, ["1", 2], {}, "loads() takes 1 positional argument but 2 were given"),
    (ours.loads, ["1"], {"object_hook": 1}, "object_hook must be callable"),
    (ours.loads, ["1"], {"array_hook": 1}, "array_hook must be callable"),
    (ours.loads, [1], {}, "the JSON object must be str, bytes or bytearray, not int"),
    (ours.loads, [memoryview(b"1")], {}, "the JSON object must be str, bytes or bytearray, not memoryview"),
    (ours.strict_argparse, [1], {}, "strict_argparse() argument must be True or False"),
    (ours.write_utf8_cache, [None], {}, "write_utf8_cache() argument must be True or False"),
    (ours.setup_numpy_types, [42], {}, "setup_numpy_types() argument must be a module"),
    (ours.setup_numpy_types, [1, 2], {}, "setup_numpy_types() takes at most 1 argument"),
]


@pytest.mark.parametrize("function, args, keywords, words", ARGUMENTS)
def test_wrong_arguments(function, args, keywords, words):
    assert outcome(function, *args, **keywords) == ("TypeError", words)


def test_wrong_arguments_as_ssrjson(theirs):
    for function, args, keywords, words in ARGUMENTS:
        assert outcome(getattr(theirs, function.__name__), *args, **keywords) == ("TypeError", words)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("indent", [0, 1, 3, -1, True, False, 2**70])
def test_other_indents(function, indent):
    assert outcome(function, [1], indent=indent) == ("ValueError", "integer indent must be 2 or 4")
    assert function([1], indent=None) == function([1])


def test_keywords_that_are_ignored():
    program = (
        "from ocior.compat import ssrjson\n"
        "silent = __import__('sys').argv[1:]\n"
        "if silent: ssrjson.suppress_api_warning()\n"
        "for _ in range(2):\n"
        "    assert ssrjson.dumps('é', sort_keys=True, default=str, whatever=1) == '\"é\"'\n"
        "    assert ssrjson.loads('1.5', parse_float=str) == 1.5\n"
    )
    line = "Warning: some options are not supported in this version of ssrjson\n"
    for arguments, said in (([], line), (["silent"], "")):
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
        assert done.stderr == said
    ours.strict_argparse(True)
    assert ours.get_current_features()["strict_arg_parse"] is True
    assert outcome(ours.dumps, 1, sort_keys=True) == ("TypeError", "dumps() got an unexpected keyword argument ''sort_keys''")
    assert outcome(ours.loads, "1", cls=None) == ("TypeError", "loads() got an unexpected keyword argument ''cls''")


def test_utf8_caches():
    text = "".join(["é"] * 1000)
    before = sys.getsizeof(text)
    ours.write_utf8_cache(False)
    assert ours.get_current_features()["write_utf8_cache"] is False
    ours.dumps_to_bytes([text])
    ours.dumps_to_bytes([text], indent=2, is_write_cache=False)
    assert sys.getsizeof(text) == before
    ours.dumps_to_bytes([text], is_write_cache=True)
    assert sys.getsizeof(text) == before + 2001


READ = [
    ("[nan, Nan, NAN, -nan]", [math.nan] * 4),
    ("[Infinity, -infinity, INFINITY]", [math.inf, -math.inf, math.inf]),
    ("[1E400, -1e400]", [math.inf, -math.inf]),
    ("1" * 400, math.inf),
    ("[18446744073709551615, 18446744073709551616]", [2**64 - 1, 2.0**64]),
    ("[-9223372036854775808, -9223372036854775809]", [-(2**63), -(2.0**63)]),
    ('{"a": 1, "é": "\\u00e9\\/", "a": 2}', {"a": 2, "é": "é/"}),
    (" [ ] ", []),
    ("-0", 0),
    ("[" * 1024 + "]" * 1024, nested(lambda value: [value], 1023) and None),
]


@pytest.mark.parametrize("text, value", READ)
def test_values(text, value):
    for document in (text, text.encode(), bytearray(text.encode())):
        read = ours.loads(document)
        if value is not None:
            assert repr(read) == repr(value)


WRONG = [
    ("", "input data is empty"),
    ("  ", "input data is empty"),
    ("inf", "unexpected character, expected a valid root value, at position 0"),
    ("+1", "unexpected character, expected a valid root value, at position 0"),
    ("  x", "unexpected character, expected a valid root value, at position 0"),
    ("\ufeff1", "unexpected character, expected a valid root value, at position 0"),
    ("[1, x]", "unexpected character, expected a valid JSON value, at position 4"),
    ("[", "unexpected character, expected a valid JSON value, at position 1"),
    ("[1, nul]", "invalid literal, expected a valid literal such as 'null', at position 4"),
    ("tru", "invalid literal, expected a valid literal such as 'true', at position 0"),
    ('{"a":fals}', "invalid literal, expected a valid literal such as 'false', at position 5"),
    ("[01]", "invalid number, at position 1"),
    ("-01", "invalid number, at position 0"),
    ("[12.]", "invalid number, at position 1"),
    (" 1.5e", "invalid number, at position 0"),
    ("-infinit", "invalid number, at position 0"),
    ('["ab\\x"]', "invalid string, at position 4"),
    ('["abc\n"]', "invalid string, at position 5"),
    ('["abc\\ud800x\\n"]', "invalid string, at position 5"),
    ('{"é\\q":1}', "invalid string, at position 3"),
    ("[1,]", "trailing comma is not allowed, at position 2"),
    ('{"a":1 ,  }', "trailing comma is not allowed, at position 11"),
    ("{1:2}", "unexpected character, expected a string for object key, at position 1"),
    ('{"a" 1}', "unexpected character, expected a colon after object key, at position 5"),
    ("[1 2]", "unexpected character, expected a comma or a closing bracket, at position 3"),
    ('[{"a":1 x', "unexpected character, expected a comma or a closing brace, at position 8"),
    ("[nanx]", "unexpected character, expected a comma or a closing bracket, at position 4"),
    (" 1 2", "unexpected content after document, at position 2"),
    ("[" * 1025, "max recursion exceeded, at position 1025"),
    ('{"a":' * 1025, "max recursion exceeded, at position 5121"),
]


@pytest.mark.parametrize("text, words", WRONG)
def test_wrong_documents(text, words):
    assert outcome(ours.loads, text) == ("JSONDecodeError", words)
    if text.isascii():
        assert outcome(ours.loads, text.encode()) == ("JSONDecodeError", words)


@pytest.mark.parametrize("data, place", [(b'"abc\xff"', 4), (b'["\xc3\xa9\\x"]', 4), (b'"\xed\xa0\x80"', 1), (b'"\xe4\xb8"', 1)])
def test_places_in_bytes(data, place):
    assert outcome(ours.loads, data) == ("JSONDecodeError", f"invalid string, at position {place}")


RIGHT = [
    '{"a": [1, -2.5e+7, "x\\u00e9y", null, true], "b": {"c": "\\n\\ud83d\\ude00", "d": []}}',
    '[{"é": ["ü€😀", NaN, false]}, infinity]',
]


# ssrjson reads on behind a document whose string does not end, counts bytes behind a number in a wide str, and is off by two behind a word.
PLACES_DIFFER = ("invalid string", "unexpected content after document", "trailing comma is not allowed")


def test_mutated_documents_as_ssrjson(theirs):
    generator = random.Random(9)
    for _ in range(4000):
        text = generator.choice(RIGHT)
        for _ in range(generator.randrange(1, 3)):
            at = generator.randrange(len(text) + 1)
            added = generator.choice('{}[],:"\\0123456789eE+-.tfnuN \n\x00é')
            text = generator.choice(
                [text[:at] + text[at + 1 :], text[:at] + added + text[at + 1 :], text[:at] + added + text[at:], text[:at]]
            )
        for document in (text, text.encode()):
            mine, other = outcome(ours.loads, document), outcome(theirs.loads, document)
            for words in PLACES_DIFFER:
                if words in str(mine) and words in str(other):
                    mine = other
            assert mine == other, document


def test_errors_of_hooks_pass_as_they_are():
    """Also a StopIteration, and where bytes that are no UTF-8 come later; places in long documents are those of short ones."""

    def fail(value):
        raise error

    for error in (StopIteration("end"), KeyError("mine"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "of the hook")):
        for document in ("[{}]", b"[{}]", b"[{}]\xff", b'[{}, "\xff"]', b"[{}" + b",1" * 5000 + b'"\xff"]'):
            with pytest.raises(type(error)) as raised:
                ours.loads(document, object_hook=fail)
            assert raised.value is error


@pytest.mark.parametrize(
    "end, words",
    [
        (b'"\xff"]', "invalid string, at position %d"),
        (b'"ab\xe4\xb8', "invalid string, at position %d"),
        (b"1]\xff", "unexpected content after document, at position %d"),
    ],
)
def test_the_end_of_bytes_is_not_looked_at_first(end, words):
    for count in (0, 1, 5000):
        document = b"[" + b"1," * count + end
        with pytest.raises(ours.JSONDecodeError) as raised:
            ours.loads(document)
        bad = next(i for i, byte in enumerate(document) if byte > 127)
        assert str(raised.value) == words % bad
    with pytest.raises(ours.JSONDecodeError, match="invalid number, at position 1$"):
        ours.loads(b"[-01," + b"1," * 5000 + end)


def test_pickle():
    check_pickled(ours, "dumps", "dumps_to_bytes", "loads", "JSONDecodeError", "JSONEncodeError")


def test_hooks():
    assert ours.loads('{"a": [{}, [1]]}', object_hook=lambda value: sorted(value), array_hook=tuple) == ["a"]
    assert ours.loads("[1, [2, []]]", array_hook=tuple, object_hook=None) == (1, (2, ()))

    def fail(value):
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "of the hook")

    with pytest.raises(UnicodeDecodeError, match="of the hook"):
        ours.loads(b"[1]", array_hook=fail)


NUMPY_NAMES = "ndarray float32 int64 int32 uint64 uint32 bool_ float16 int16 int8 uint16 uint8".split()


def module_like_numpy(names):
    module = types.ModuleType("like_numpy")
    for name in names:
        setattr(module, name, type(name, (), {}))
    return module


def test_modules_that_are_not_numpy():
    assert outcome(ours.setup_numpy_types, module_like_numpy(["ndarray", "float32"]))[0] == "AttributeError"
    module = module_like_numpy(NUMPY_NAMES)
    ours.setup_numpy_types(module)
    assert outcome(ours.dumps, module.ndarray()) == ("JSONEncodeError", "Unsupported type to encode")


def test_numpy():
    np = pytest.importorskip("numpy")
    ours.setup_numpy_types(module_like_numpy(NUMPY_NAMES))
    assert outcome(ours.dumps, np.arange(3)) == ("JSONEncodeError", "Unsupported type to encode")
    ours.setup_numpy_types(np)
    written = [
        (np.arange(6).reshape(2, 3), "[[0,1,2],[3,4,5]]"),
        (np.array([1.5, math.nan, math.inf]), "[1.5,NaN,Infinity]"),
        (np.zeros((2, 0)), "[[],[]]"),
        ([np.int8(-1), np.uint64(2**64 - 1), np.float32(0.1), np.bool_(True), np.float16(0.5)], "[-1,18446744073709551615,0.1,true,0.5]"),
        ({"a": np.array([True, False]), "b": np.float64(1.5)}, '{"a":[true,false],"b":1.5}'),
        (np.zeros((1,) * 32), "[" * 32 + "0.0" + "]" * 32),
    ]
    for value, text in written:
        assert (ours.dumps(value), ours.dumps_to_bytes(value)) == (text, text.encode())
    assert ours.dumps(np.array([1, 2]), indent=2) == "[\n  1,\n  2\n]"
    refused = [
        (np.array(5), "numpy 0-d array should not reach ndarray encoder"),
        (np.zeros((1,) * 33), "numpy array has too many dimensions"),
        (np.arange(6)[::2], "numpy array must be C-contiguous"),
        (np.array([1.5], dtype=">f8"), "numpy array must have native byte order"),
        (np.array([1j]), "unsupported numpy dtype"),
        (np.array(["a"]), "unsupported numpy dtype"),
        (np.datetime64("2020-01-01"), "Unsupported type to encode"),
        (np.longdouble(1), "Unsupported type to encode"),
        ({np.int64(1): 1}, "Expected `str` as key"),
    ]
    for value, words in refused:
        if getattr(value, "ndim", 0) <= 32 or int(np.__version__[0]) >= 2:
            assert outcome(ours.dumps, value) == ("JSONEncodeError", words)
