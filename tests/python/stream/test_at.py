"""at: what JSON pointers lead to, compared with an oracle that follows them through what loads gives."""

import decimal
import json
import os
import pickle
import random
import sys
import tracemalloc

import pytest
from growth import LARGE, SMALL, check_growth
from jsontestsuite_cases import CASES
from pointer_values import NOTHING, follow, pointer_to, random_document, random_form, random_pointer, random_policies
from support import WIDTHS, GuardedPages, assert_same, call, error_facts, facts, fresh, some
from threads import together

import ocior
from ocior import PointerError, at

# RFC 6901, section 5.
EXAMPLE = '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}'
EXAMPLES = {
    "": json.loads(EXAMPLE),
    "/foo": ["bar", "baz"],
    "/foo/0": "bar",
    "/": 0,
    "/a~1b": 1,
    "/c%d": 2,
    "/e^f": 3,
    "/g|h": 4,
    "/i\\j": 5,
    '/k"l': 6,
    "/ ": 7,
    "/m~0n": 8,
}


def in_all_widths(text):
    """The document in each kind of text that there is, with white space behind it."""
    yield text
    yield text.encode("utf-8", "surrogatepass")
    yield bytearray(text.encode("utf-8", "surrogatepass"))
    yield memoryview(text.encode("utf-8", "surrogatepass"))
    yield text.encode("utf-32", "surrogatepass")
    for sample in list(WIDTHS.values())[1:]:
        yield text[:1] + f'"wide":"{sample}",' + text[1:] if text[:1] == "{" and text[1:2] != "}" else text


@pytest.mark.parametrize("pointer", EXAMPLES)
def test_examples_of_the_rfc(pointer):
    for document in in_all_widths(EXAMPLE):
        expected = EXAMPLES[pointer] if pointer else ocior.loads(document)
        assert facts(at(document, pointer)) == facts(fresh(expected))
        assert facts(at(document, (pointer,))) == facts(fresh((expected,)))
    assert at(EXAMPLE, list(EXAMPLES)) == tuple(EXAMPLES.values())


@pytest.mark.parametrize(
    ("document", "pointer", "expected"),
    [
        ("[1,2,3]", "/1", 2),
        ("[1,2,3]", "/3", NOTHING),
        ("[1,2,3]", "/-", NOTHING),
        ("[1,2,3]", "/01", NOTHING),
        ("[1,2,3]", "/00", NOTHING),
        ("[1,2,3]", "/+1", NOTHING),
        ("[1,2,3]", "/-1", NOTHING),
        ("[1,2,3]", "/1.0", NOTHING),
        ("[1,2,3]", "/1e0", NOTHING),
        ("[1,2,3]", "/ 1", NOTHING),
        ("[1,2,3]", "/", NOTHING),
        ("[1,2,3]", "/\u0661", NOTHING),
        ("[1,2,3]", "/18446744073709551617", NOTHING),
        ("[1,2,3]", "/" + "9" * 5000, NOTHING),
        ("[[[[5]]]]", "/0/0/0/0", 5),
        ("[]", "/0", NOTHING),
        ("{}", "/a", NOTHING),
        ("5", "/a", NOTHING),
        ("5", "", 5),
        ('"x"', "/0", NOTHING),
        ('{"-":1,"01":2,"1":3,"+":4}', "/-", 1),
        ('{"-":1,"01":2,"1":3,"+":4}', "/01", 2),
        ('{"-":1,"01":2,"1":3,"+":4}', "/1", 3),
        ('{"~":1,"/":2,"~1":3,"~0":4,"":{"":5}}', "/~0", 1),
        ('{"~":1,"/":2,"~1":3,"~0":4,"":{"":5}}', "/~1", 2),
        ('{"~":1,"/":2,"~1":3,"~0":4,"":{"":5}}', "/~01", 3),
        ('{"~":1,"/":2,"~1":3,"~0":4,"":{"":5}}', "/~00", 4),
        ('{"~":1,"/":2,"~1":3,"~0":4,"":{"":5}}', "//", 5),
        ('{"a\\u0062":1}', "/ab", 1),
        ('{"\\u00e9":1,"\\ud83d\\ude00":2,"\\ud800":3}', "/\xe9", 1),
        ('{"\\u00e9":1,"\\ud83d\\ude00":2,"\\ud800":3}', "/\U0001f600", 2),
        ('{"\\u00e9":1,"\\ud83d\\ude00":2,"\\ud800":3}', "/\ud800", 3),
        ('{"\ud800":1,"\xe9":2}', "/\ud800", 1),
        ('{"a\\u0000b":1}', "/a\x00b", 1),
        ('{"' + "k" * 300 + '":1}', "/" + "k" * 300, 1),
        ('{"' + "\u4e2d" * 300 + '":1}', "/" + "\u4e2d" * 300, 1),
        ('{"' + "k" * 300 + '":1}', "/" + "k" * 299, NOTHING),
        (' \n{ "a" \t:\r\n[ 1 ,\n 2 ] }\n', "/a/1", 2),
        ('{"a":{"b":1},"b":2}', "/b", 2),
        ('{"a":1,"b":{"a":2}}', "/b/a", 2),
    ],
)
def test_tokens(document, pointer, expected):
    for form in in_all_widths(document):
        assert facts(at(form, pointer, default=NOTHING)) == facts(fresh(expected)), form
        assert facts(at(form, ["/nowhere", pointer, pointer], default=None)[1:]) == facts((None if expected is NOTHING else expected,) * 2)
        if expected is NOTHING:
            error = call(at, form, pointer).error
            assert type(error) is PointerError and str(error) == f"no value at {pointer!r}" and error.pointer == pointer
        else:
            assert at(form, pointer, check=False) == expected


@pytest.mark.parametrize("pointer", ["a", " ", "0", "#/a", "~", "/~", "/~2", "/a~", "/a/~x", "/~0~", "/\u0661~\u0661", "a/b"])
def test_what_is_no_pointer(pointer):
    for pointers in (pointer, ["", pointer], (pointer, "/a")):
        with pytest.raises(
            ValueError, match="^(a JSON pointer is empty or begins with '/'|in a JSON pointer '~' is followed by '0' or '1'): "
        ):
            at('{"a":1}', pointers)


@pytest.mark.parametrize("pointers", [None, 1, b"/a", [b"/a"], ["/a", None], object(), [["/a"]]])
def test_what_is_no_str(pointers):
    with pytest.raises(TypeError, match="must be a str"):
        at('{"a":1}', pointers)


def test_iterables_of_pointers():
    for make in (list, tuple, iter, dict.fromkeys, lambda pointers: (pointer for pointer in pointers)):
        assert at('{"a":1,"b":2}', make(["/b", "/a"])) == (2, 1)
    assert at("[1]", ()) == at("[1]", []) == ()
    text = type("Text", (str,), {"__eq__": None, "__hash__": None})
    assert at('{"a":1}', text("/a")) == 1 and at('{"a":1}', [text("/a")]) == (1,)

    def broken():
        yield "/a"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        at("[1]", broken())
    changing = ["/a"]
    for number in range(5):
        changing[0] = f"/{number}"
        assert at("[0,1,2,3,4]", changing) == (number,)


def test_arguments():
    for arguments, keywords, words in [
        ((), {}, "at() missing a required argument: 'data'"),
        (("1",), {}, "at() missing a required argument: 'pointers'"),
        ((), {"pointers": ""}, "at() missing a required argument: 'data'"),
        (("1", "", 3), {}, "at() takes 2 positional arguments but 3 were given"),
        (("1", ""), {"data": "2"}, "at() got multiple values for argument 'data'"),
        (("1", ""), {"cls": None}, "at() got an unexpected keyword argument 'cls'"),
        (("1", ""), {"defualt": None}, "at() got an unexpected keyword argument 'defualt'"),
    ]:
        with pytest.raises(TypeError) as caught:
            at(*arguments, **keywords)
        assert str(caught.value) == words
        if sys.version_info >= (3, 11) and "defualt" in keywords:
            assert caught.value.__notes__ == ["Did you mean 'default'?"]
    assert at(data="[5]", pointers="/0") == 5
    with pytest.raises(TypeError, match="^the JSON object must be str, bytes or bytearray, not list$"):
        at([], "")
    with pytest.raises(ValueError, match="max_depth"):
        at("[]", "", max_depth=-1)


def test_errors_are_pickled():
    error = call(at, "{}", "/a~1b/0").error
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, LookupError) and type(copy) is type(error)
    assert str(copy) == str(error) == "no value at '/a~1b/0'" and copy.pointer == error.pointer == "/a~1b/0"


@pytest.mark.parametrize("name", CASES)
def test_jsontestsuite(name):
    """The whole document is what loads gives, or its very error, whatever is asked for."""
    for document in (CASES[name], CASES[name].decode("latin-1")):
        expected = call(ocior.loads, document)
        assert_same(call(at, document, ""), expected, name)
        for pointers in ((), ("/a", "/0/0", "/a/b"), ("", "/0")):
            ours = call(at, document, pointers, default=NOTHING)
            if expected.error is not None:
                assert error_facts(ours.error) == error_facts(expected.error)
                assert vars(ours.error).get("path") == vars(expected.error).get("path")
            else:
                assert facts(ours.value) == facts(tuple(follow(expected.value, pointer) for pointer in pointers))


@pytest.mark.parametrize(
    "document",
    [
        '{"a":[1,{"b":2.5,"c":"x"}],"d":{"e":null,"\xe9":[true,false]}}',
        '[{"a":1},[2,"\\n\\u4e2d"],-3e5 , {"a":{"a":{}}}]',
        '{"a":1}x',
        "[1] 2",
    ],
)
def test_every_prefix_and_every_dropped_unit(document):
    pointers = ("/a/1/b", "/d/\xe9/0", "/1/1", "/3/a/a", "/a", "/zz")
    for cut in range(len(document) + 1):
        for text in (document[:cut], document[:cut] + document[cut + 1 :]):
            for form in (text, text.encode(), text.replace("x", "\u4e2d")):
                whole, ours = call(ocior.loads, form), call(at, form, pointers, default=NOTHING)
                if whole.error is not None:
                    assert error_facts(ours.error) == error_facts(whole.error), form
                else:
                    assert facts(ours.value) == facts(tuple(follow(whole.value, pointer) for pointer in pointers)), form


@pytest.mark.parametrize("seed", some(range(40), 8))
def test_random_documents(seed):
    """Also damaged ones. Where a policy is not kept by what nobody asked for, the values may be had all the same."""
    chance = random.Random(seed)
    for _ in range(100):
        text = random_document(chance)
        if chance.random() < 0.15:
            cut = chance.randrange(len(text) + 1)
            text = text[:cut] + chance.choice(["", ",", "}", "]", '"', "x", "\\"]) + text[cut + 1 :]
        document, policies = random_form(chance, text), random_policies(chance)
        pointers = [random_pointer(chance) for _ in range(chance.choice([0, 1, 2, 3, 5, 20, 60]))]
        what = (document, pointers, policies)
        whole, ours = call(ocior.loads, document, **policies), call(at, document, pointers, default=NOTHING, **policies)
        assert_same(call(at, document, "", **policies), whole, str(what))
        if whole.error is None:
            assert facts(ours.value) == facts(tuple(follow(whole.value, pointer) for pointer in pointers)), what
        elif ours.error is not None or not policies:
            assert error_facts(ours.error) == error_facts(whole.error), what


@pytest.mark.parametrize("seed", some(range(20), 5))
def test_random_documents_with_hooks(seed):
    """What a hook has made of an object does not hide what is in it from pointers that lead there."""

    def hooked(value):
        if type(value) is dict:
            return ("object", {key: hooked(item) for key, item in value.items()})
        return [hooked(item) for item in value] if type(value) is list else value

    chance = random.Random(seed)
    for _ in range(100):
        document = random_form(chance, random_document(chance))
        pointers = [random_pointer(chance) for _ in range(chance.choice([1, 2, 3, 20]))]
        plain = ocior.loads(document)
        expected = [NOTHING if (value := follow(plain, pointer)) is NOTHING else hooked(value) for pointer in pointers]
        ours = at(document, pointers, default=NOTHING, object_hook=lambda value: ("object", value))
        assert facts(ours) == facts(tuple(expected)), (document, pointers)


def test_hooks():
    document = '{"a":[1,2.5,{"b":3}],"skipped":[{"c":4}],"n":[NaN,12345678901234567890]}'
    assert at(document, "/a/2", object_hook=list) == ["b"]
    assert at(document, "/a/2", object_pairs_hook=list) == [("b", 3)]
    assert at(document, ("/a", "/a/2/b", "/a/1"), object_hook=len) == ([1, 2.5, 1], 3, 2.5)
    assert at(document, ("/a/0", "/a/1"), parse_int=str, parse_float=decimal.Decimal) == ("1", decimal.Decimal("2.5"))
    assert at(document, "/n", parse_constant=repr, parse_int=len) == ["'NaN'", 20]
    called = []
    at(document, "/a/0", object_hook=called.append, parse_int=lambda text: called.append(text))
    assert called == ["1"]
    with pytest.raises(ZeroDivisionError):
        at(document, "/a", parse_int=lambda text: 1 / 0)
    assert at(document, "/skipped/0/c", parse_int=lambda text: at(document, ["/skipped/0/c", "/a/0"])) == (4, 1)


def test_hooks_that_take_the_document_away():
    data = bytearray(b'{"a":1,"b":2,"c":[' + b"3," * 1000 + b"4]}")

    def clear(text):
        try:
            data.clear()
        except BufferError:
            pass
        return text

    assert at(data, ("/a", "/b", "/c/1000"), parse_int=clear) == ("1", "2", "4")


@pytest.mark.parametrize(
    ("document", "pointer", "last", "first"),
    [
        ('{"a":1,"a":2}', "/a", 2, 1),
        ('{"a":1,"\\u0061":2}', "/a", 2, 1),
        ('{"a":{"b":1},"a":{"c":2}}', "/a/b", NOTHING, 1),
        ('{"a":{"b":1},"a":{"c":2}}', "/a/c", 2, NOTHING),
        ('{"a":{"b":1},"a":3}', "/a/b", NOTHING, 1),
        ('{"a":3,"a":{"b":1}}', "/a/b", 1, NOTHING),
        ('{"a":{"b":{"c":1}},"a":{"b":{}},"a":{"b":{"c":2}}}', "/a/b/c", 2, 1),
        ('{"a":[1,2],"a":[3]}', "/a/1", NOTHING, 2),
        ('{"a":{"b":1,"b":2},"a":{"b":3,"b":4}}', "/a/b", 4, 1),
        ('{"x":{"a":1},"a":2,"y":{"a":3}}', "/a", 2, 2),
        ('[{"a":1},{"a":2}]', "/1/a", 2, 2),
    ],
)
def test_equal_keys(document, pointer, last, first):
    repeats = document != '{"x":{"a":1},"a":2,"y":{"a":3}}' and document[0] == "{"
    for form in in_all_widths(document):
        assert at(form, pointer, default=NOTHING) == last == at(form, pointer, default=NOTHING, duplicate_keys="last")
        assert at(form, pointer, default=NOTHING, duplicate_keys="first") == first
        assert at(form, pointer, default=NOTHING, check=False) == first
        error = call(at, form, pointer, default=NOTHING, duplicate_keys="error").error
        assert error_facts(error) == error_facts(call(ocior.loads, form, duplicate_keys="error").error) if repeats else error is None


def test_policies_of_what_is_skipped():
    """What costs nothing is checked there, too, and neither policy is taken for the other one."""
    for document, policy in [("[1,NaN]", "non_finite"), ("[1,-Infinity]", "non_finite"), ('[1,"\\ud800"]', "surrogates")]:
        for form in in_all_widths(document):
            error = call(at, form, "/0", **{policy: "error"}).error
            assert error_facts(error) == error_facts(call(ocior.loads, form, **{policy: "error"}).error)
            other = "surrogates" if policy == "non_finite" else "non_finite"
            assert at(form, "/0", **{other: "error"}) == at(form, "/0") == at(form, "/0", **{policy: "error"}, check=False) == 1
    assert at('{"\\ud800":1}', "/\ufffd", surrogates="replace") == 1
    assert at('{"\\ud800":1}', "/\ud800", default=2, surrogates="replace") == 2
    assert at("[1,18446744073709551616]", "/1", big_integers="str") == "18446744073709551616"
    assert at('["a\tb",{"a\tb":1}]', ("/0", "/1/a\tb"), strict=False) == ("a\tb", 1)


def test_what_is_not_checked():
    for document in ('{"a":1,"b":', '{"a":1,,,', '{"a":1} and more', '{"a":1,"a":', '{"b":[1,{}],"a":1]', b'{"a":1,"\xff'):
        assert at(document, "/a", check=False) == 1 and at(document, ["/a", "/a"], check=False) == (1, 1)
        assert call(at, document, "/a").error is not None
    for document in ('{"b":tru,"a":1}', '{"a"', "[", ""):
        for pointers in ("/a", ("/a", "/z")):
            assert error_facts(call(at, document, pointers, check=False).error) == error_facts(call(ocior.loads, document).error)
    assert at("[1,2,3", ("/0", "/1"), check=False) == (1, 2)
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-8-sig"):
        assert at("12".encode(encoding), "", check=False) == 12
        assert at("[34,5".encode(encoding), "/0", check=False) == 34


def test_depth():
    deep = "[" * 3000 + "]" * 3000
    for wanted in (0, 1, 2, 100, 2998, 2999):
        pointer = "/0" * wanted
        assert ocior.dumps(at(deep, pointer, max_depth=3000)) == "[" * (3000 - wanted) + "]" * (3000 - wanted)
        for limit in (1, 99, 2999):
            assert type(call(at, deep, pointer, max_depth=limit).error) is RecursionError
    objects = '{"a":' * 500 + "1" + "}" * 500
    assert at(objects, "/a" * 500) == 1
    assert at(objects, ["/a" * number for number in (500, 499, 3, 500)], max_depth=500)[3] == 1
    assert type(call(at, objects, "/a" * 500, max_depth=499).error) is RecursionError
    for bracket in ("[", '{"a":'):
        for pointer in ("", "/0", "/a", "/0/0/0", "/a/a/a", "/b"):
            assert error_facts(call(at, bracket * 100_000, pointer).error) == error_facts(call(ocior.loads, bracket * 100_000).error)
    assert at(deep, "/0" * 30_000, default=None) is None


def test_many_pointers():
    values = {f"key {number}": [number, {"x": number}] for number in range(3000)}
    document = json.dumps(values)
    pointers = [pointer for number in range(3000) for pointer in (f"/key {number}/1/x", f"/key {number}", f"/key {number}/0", f"/{number}")]
    random.Random(1).shuffle(pointers)
    for form in (document, document.encode(), document + "\n", document.replace("key 7", "key \u4e2d7")):
        whole = ocior.loads(form)
        assert at(form, pointers, default=NOTHING) == tuple(follow(whole, pointer) for pointer in pointers)
    array = json.dumps(list(range(5000)))
    indexes = random.Random(2).sample(range(6000), 2000)
    assert at(array, [f"/{index}" for index in indexes], default=-1) == tuple(index if index < 5000 else -1 for index in indexes)


def numbered(count):
    return json.dumps({f"k{number}": [number] for number in range(count)})


@pytest.mark.parametrize("ways", ["many pointers", "a chain", "repeated keys"])
def test_time_grows_as_the_input(ways):
    def inputs(count):
        if ways == "many pointers":
            return numbered(count), [f"/k{number}/0" for number in range(count)]
        if ways == "a chain":
            return '{"a":' * count + "1" + "}" * count, ["/a" * count, *("/a" * (count >> step) for step in range(1, 5))]
        return "{" + ",".join(['"a":{"x":1}'] * count) + "}", [f"/a/{number}" for number in range(50)]

    small, large = inputs(SMALL), inputs(LARGE)
    check_growth(lambda given: at(*given, default=None), lambda given: json.loads(numbered(given[0].count(":"))), small, large)


@pytest.mark.skipif("OCIOR_SANITIZED" in os.environ, reason="a sanitizer takes the wall for a mistake")
def test_text_that_ends_against_an_inaccessible_page():
    pages, texts = GuardedPages(), GuardedPages()
    for length in range(70):
        key = "k" * length
        document = json.dumps({"a": [1, {"b": "x" * length}], key: {"c": length}}).encode()
        pointers = ("/a/1/b", pointer_to(key, "c"), "/a/0", pointer_to(key + "k"))
        for cut in (len(document), len(document) - 1, len(document) - 2, len(document) // 2):
            view = pages.place(document[:cut])
            ours, whole = call(at, view, pointers, default=None), call(ocior.loads, document[:cut])
            view.release()
            assert ours.value == (None if whole.error else ("x" * length, length, 1, None))
            assert whole.error is None or error_facts(ours.error) == error_facts(whole.error)
        placed = texts.place_str(document.decode())
        result = at(placed, pointers, default=None)
        del placed
        assert result == ("x" * length, length, 1, None)


def test_nothing_leaks():
    marker = object()
    text = '{"a":[1,{"b":"x y z"}],"a":{"b":"' + "y" * 99 + '"},"c":"\xe9\u4e2d"}'

    def jobs():
        for document in (text, text.encode(), text[:-3], "[1,2", text * 2):
            for pointers in ("/a/b", ("/a/b", "/c", "/zz", "", "/a"), ["/zz"], "zz", ("", None)):
                for options in (
                    {"default": marker},
                    {},
                    {"check": False},
                    {"object_hook": lambda value: marker},
                    {"duplicate_keys": "error"},
                ):
                    call(at, document, pointers, **options)

    for _ in range(3):
        jobs()
    before = sys.getrefcount(marker)
    tracemalloc.start()
    jobs()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(20):
        jobs()
    assert tracemalloc.get_traced_memory()[0] - first < 20_000
    tracemalloc.stop()
    assert sys.getrefcount(marker) == before


def test_values_are_new():
    document = '{"a":{"b":[1]}}'
    one, two, three = at(document, ("/a", "/a", "/a/b"))
    assert one is two and one["b"] is three  # as in the value of the whole document, of which they are parts
    assert at(document, "/a") is not one


def test_threads():
    pointers = ("/1/sub/x", "/3/name", "/0")
    document = json.dumps([{"name": "\u4e2d" * number, "sub": {"x": [number]}} for number in range(9)])
    expected = at(document, pointers)

    def work(number):
        for turn in range(300):
            assert at(document, pointers) == expected
            assert at(document, f"/{(number + turn) % 9}/sub/x/0") == (number + turn) % 9

    together(work)
