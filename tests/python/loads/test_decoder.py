"""JSONDecoder: the same answers as json.JSONDecoder, whatever a subclass overrides or an instance is given."""

import copy
import decimal
import inspect
import io
import json
import json.decoder
import pickle
import re

import pytest
from support import assert_same, call, check_python, facts

import ocior
import ocior.decoder
import ocior.scanner

DOCUMENTS = [
    "1",
    "-0",
    "1.5",
    "1e400",
    "12345678901234567890",
    '"x"',
    '"\\n\u4e2d"',
    "[]",
    "{}",
    "null",
    "true",
    "false",
    "NaN",
    "-Infinity",
    "Infinity",
    '[1,[2,{"a":[NaN]}]]',
    '{"a":1,"b":[{"c":2.5},{"d":-1e5,"a":null}],"a":{"e":"f"}}',
    '{"\u4e2d":["\u6587",1.5,{"\U0001f600":0}]}',
    " [1] ",
    "\n\t\r 1 \r",
    '"\xe9"',
    "[1][2]",
    "1 2",
    '"a"b',
    "{}x",
    "nullx",
    "01",
    "1.",
    "-",
    "+1",
    "",
    " ",
    "x",
    "[",
    "[1",
    "[1,",
    "[1,]",
    "[1 2]",
    "[}",
    "{",
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{"a" 1}',
    "{1:2}",
    '{"a":x}',
    '"',
    '"a',
    '"\\',
    '"\\u12"',
    '"\\q"',
    '"\n"',
    '{"\t":1}',
    "\ufeff1",
    "tru",
    "nul",
    "Na",
    "]",
    "}",
    ",",
    ":",
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"\\u0000',
    '["\\ud800\\u12"]',
    "[[[[[[x",
]
HOOKS = [
    {},
    {"strict": False},
    {"object_hook": lambda value: sorted(value)},
    {"object_pairs_hook": tuple},
    {"parse_float": decimal.Decimal},
    {"parse_int": str, "parse_constant": str},
    {"parse_float": str, "object_hook": len, "strict": 0},
    {"object_hook": None, "parse_int": None, "parse_float": 0, "parse_constant": ""},
]


def same_decoding(ours, theirs, document, what):
    assert_same(call(ours.decode, document), call(theirs.decode, document), f"decode {document!r} {what}")
    for index in range(min(len(document), 12) + 2):
        assert_same(
            call(ours.raw_decode, document, index), call(theirs.raw_decode, document, index), f"raw_decode {document!r} {index} {what}"
        )


@pytest.mark.parametrize("keywords", HOOKS, ids=lambda keywords: ",".join(keywords))
def test_same_as_json(keywords):
    ours, theirs = ocior.JSONDecoder(**keywords), json.JSONDecoder(**keywords)
    for document in DOCUMENTS:
        same_decoding(ours, theirs, document, keywords)
        same_decoding(ours, theirs, f'["\u4e2d",{document}]', keywords)
        same_decoding(ours, theirs, f'["\U0001f600",{document}]', keywords)


def test_is_json_s_class():
    decoder = ocior.JSONDecoder()
    assert isinstance(decoder, json.JSONDecoder) and issubclass(ocior.JSONDecoder, json.JSONDecoder)
    assert (ocior.JSONDecoder.__module__, ocior.JSONDecoder.__qualname__) == ("ocior.decoder", "JSONDecoder")
    assert ocior.JSONDecoder.__doc__ and ocior.JSONDecoder.decode.__doc__ and ocior.JSONDecoder.raw_decode.__doc__
    wanted = inspect.signature(json.JSONDecoder).parameters
    parameters = inspect.signature(ocior.JSONDecoder).parameters
    assert {name: parameter.default for name, parameter in wanted.items()}.items() <= {
        name: parameter.default for name, parameter in parameters.items()
    }.items()
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters.values())


def test_attributes():
    def hook(value):
        return value

    ours, theirs = ocior.JSONDecoder(object_hook=hook, strict=5), json.JSONDecoder(object_hook=hook, strict=5)
    for name, value in vars(theirs).items():
        if name in ("parse_string", "scan_once"):
            assert callable(getattr(ours, name))
        else:
            assert getattr(ours, name) == value, name
    assert ours.array_hook is None and ours.memo == {} and ours.memo is not ocior.JSONDecoder().memo
    ours.object_hook = None  # as in json: captured when it was made
    assert ours.decode("{}") == {} and ours.scan_once.object_hook is hook
    del ours.scan_once
    assert_same(call(ours.decode, "1"), call(lambda: object.__getattribute__(ours, "scan_once")), "no scan_once", types_only=True)


@pytest.mark.parametrize(
    "arguments, keywords",
    [((1,), {}), ((), {"foo": 1}), ((None,), {"object_hook": len}), ((), {"foo": 1, "strict": False}), ((), {"cls": None})],
)
def test_wrong_arguments(arguments, keywords):
    assert_same(call(ocior.JSONDecoder, *arguments, **keywords), call(json.JSONDecoder, *arguments, **keywords), f"{arguments} {keywords}")
    with pytest.raises(TypeError, match="foo"):
        ocior.JSONDecoder(foo=1, array_hook=tuple)


class NoBool:
    def __bool__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize("name", ["strict", "parse_float", "parse_int", "parse_constant", "object_hook", "object_pairs_hook"])
def test_truth_is_asked_once_when_made(name):
    ours, theirs = call(ocior.JSONDecoder, **{name: NoBool()}), call(json.JSONDecoder, **{name: NoBool()})
    assert type(ours.error) is type(theirs.error)


def test_array_hook():
    assert ocior.JSONDecoder(array_hook=tuple).decode('[1,{"a":[2]}]') == (1, {"a": (2,)})
    assert ocior.JSONDecoder(array_hook=tuple).raw_decode("[1,[]]x") == ((1, ()), 6)
    assert ocior.loads("[[1]]", cls=ocior.JSONDecoder, array_hook=tuple) == ((1,),)


@pytest.mark.parametrize("document", [None, 1, b"1", bytearray(b"[]"), [], object()], ids=lambda value: type(value).__name__)
def test_not_a_str(document):
    ours, theirs = ocior.JSONDecoder(), json.JSONDecoder()
    for method in ("decode", "raw_decode"):
        assert_same(call(getattr(ours, method), document), call(getattr(theirs, method), document), f"{method}({document!r})")


def test_ways_of_calling():
    ours, theirs = ocior.JSONDecoder(), json.JSONDecoder()
    match = re.compile("[ x]*").match
    rows = [
        ("decode", (), {}),
        ("decode", ("1", 2, 3), {}),
        ("decode", (), {"s": " 1 "}),
        ("decode", ("xx 1 x",), {"_w": match}),
        ("decode", (" 1", match), {}),
        ("decode", ("1",), {"foo": 1}),
        ("raw_decode", (), {}),
        ("raw_decode", ("12", 1), {}),
        ("raw_decode", ("12",), {"idx": 1}),
        ("raw_decode", (), {"s": "12", "idx": 1}),
        ("raw_decode", (), {"idx": 1, "s": "12"}),
        ("raw_decode", ("1", 0, 0), {}),
        ("raw_decode", ("1",), {"foo": 0}),
        ("raw_decode", ("1", -1), {}),
        ("raw_decode", ("1", 1), {}),
        ("raw_decode", ("1", 100), {}),
        ("raw_decode", ("1", True), {}),
        ("raw_decode", ("1", 1.0), {}),
        ("raw_decode", ("1", "0"), {}),
        ("raw_decode", ("1", 2**70), {}),
        ("raw_decode", ("1", -(2**70)), {}),
        ("raw_decode", ("1", None), {}),
    ]
    for method, arguments, keywords in rows:
        assert_same(
            call(getattr(ours, method), *arguments, **keywords),
            call(getattr(theirs, method), *arguments, **keywords),
            f"{method} {arguments} {keywords}",
        )
    assert ocior.JSONDecoder.decode(ours, "1") == 1
    with pytest.raises(TypeError):
        ocior.JSONDecoder.decode(theirs, "1")


class Text(str):
    pass


def test_str_subclass():
    same_decoding(ocior.JSONDecoder(), json.JSONDecoder(), Text('{"a": [1]} x'), "subclass")


# --- subclasses and replaced parts --------------------------------------------------------------------------------------


def both(make):
    """The same class over ocior's decoder and over json's."""
    return make(ocior.JSONDecoder), make(json.JSONDecoder)


def with_own_hook(base):
    class Decoder(base):
        def __init__(self, *, prefix="p", **keywords):
            super().__init__(object_hook=self.hook, **keywords)
            self.prefix = prefix

        def hook(self, value):
            return {self.prefix + key: item for key, item in value.items()}

    return Decoder


def by_json_s_init(base):
    class Decoder(base):
        def __init__(self, **keywords):
            json.JSONDecoder.__init__(self, parse_int=str, **keywords)

    return Decoder


def with_own_decode(base):
    class Decoder(base):
        def decode(self, s):
            return ["decoded", super().decode(s.replace("'", '"'))]

    return Decoder


def with_own_raw_decode(base):
    class Decoder(base):
        def raw_decode(self, s, idx=0):
            value, end = super().raw_decode(s, idx)
            return ["raw", value], end

    return Decoder


def with_own_scan_once(base):
    class Decoder(base):
        def __init__(self, **keywords):
            super().__init__(**keywords)
            inner = self.scan_once
            self.scan_once = lambda string, idx: (("scanned", inner(string, idx)[0]), inner(string, idx)[1])

    return Decoder


def with_python_scanner(base):
    class Decoder(base):
        def __init__(self, **keywords):
            super().__init__(**keywords)
            self.parse_array = lambda *arguments: (lambda found: (tuple(found[0]), found[1]))(json.decoder.JSONArray(*arguments))
            self.parse_string = lambda string, end, strict: (lambda found: (found[0].upper(), found[1]))(
                json.decoder.scanstring(string, end, strict)
            )
            self.scan_once = ocior.scanner.py_make_scanner(self)

    return Decoder


def with_property(base):
    class Decoder(base):
        @property
        def scan_once(self):
            return lambda string, idx: (idx, len(string))

        @scan_once.setter
        def scan_once(self, value):
            self.kept = value

    return Decoder


def with_own_setattr(base):
    class Decoder(base):
        def __setattr__(self, name, value):
            super().__setattr__(name, int if name == "parse_int" else value)

    return Decoder


def with_stopping_scanner(base):
    class Decoder(base):
        def __init__(self, **keywords):
            super().__init__(**keywords)

            def scan_once(string, idx):
                raise StopIteration(idx)

            self.scan_once = scan_once

    return Decoder


@pytest.mark.parametrize(
    "make",
    [
        with_own_hook,
        by_json_s_init,
        with_own_decode,
        with_own_raw_decode,
        with_own_scan_once,
        with_python_scanner,
        with_property,
        with_own_setattr,
        with_stopping_scanner,
    ],
    ids=lambda make: make.__name__,
)
@pytest.mark.parametrize("document", ['{"a": [1, 2.5, {"b": "c"}]}', " [1] ", "[1] x", "[x]", "'a'", "", "{"], ids=repr)
def test_subclasses(make, document):
    ours, theirs = both(make)
    for keywords in ({}, {"parse_float": str}):
        assert_same(call(ours(**keywords).decode, document), call(theirs(**keywords).decode, document), f"{make.__name__} {document!r}")
        assert_same(
            call(ours(**keywords).raw_decode, document), call(theirs(**keywords).raw_decode, document), f"{make.__name__} {document!r}"
        )
        for cls in (ours, theirs):
            assert_same(
                call(ocior.loads, document, cls=cls, **keywords),
                call(json.loads, document, cls=theirs, **keywords),
                f"{make.__name__} {document!r} loads",
            )
            assert_same(
                call(ocior.load, io.BytesIO(document.encode()), cls=cls, **keywords),
                call(json.load, io.BytesIO(document.encode()), cls=theirs, **keywords),
                f"{make.__name__} {document!r} load",
            )


def test_parts_replaced_on_the_instance():
    for attribute, replacement in (
        ("raw_decode", lambda s, idx=0: ("mine", len(s))),
        ("decode", lambda s: "mine"),
        ("scan_once", lambda s, idx: ("mine", len(s))),
    ):
        ours, theirs = ocior.JSONDecoder(), json.JSONDecoder()
        for decoder in (ours, theirs):
            setattr(decoder, attribute, replacement)
        same_decoding(ours, theirs, "[1]", attribute)


def test_scanners_of_each_other():
    """Ours in json's decoder, json's in ours: each takes the other's for what it is."""
    ours, theirs = ocior.JSONDecoder(parse_int=str), json.JSONDecoder(parse_int=str)
    ours.scan_once, theirs.scan_once = theirs.scan_once, ours.scan_once
    for document in DOCUMENTS:
        same_decoding(ours, theirs, document, "exchanged")


def test_init_again_and_not_at_all():
    decoder = ocior.JSONDecoder(parse_int=str)
    decoder.__init__()
    assert decoder.decode("[1]") == [1]
    bare = ocior.JSONDecoder.__new__(ocior.JSONDecoder)
    with pytest.raises(AttributeError, match="scan_once"):
        bare.decode("1")
    with pytest.raises(AttributeError, match="scan_once"):
        bare.raw_decode("1")


def test_copies():
    decoder = ocior.JSONDecoder(parse_int=str)
    assert copy.copy(decoder).decode("[1]") == ["1"]
    for attempt in (lambda obj: pickle.dumps(obj), copy.deepcopy):
        assert type(call(attempt, decoder).error) is type(call(attempt, json.JSONDecoder(parse_int=str)).error)


# --- hostile hooks ------------------------------------------------------------------------------------------------------


def test_hook_replaces_what_is_running():
    """A hook that throws away its own decoder's scanner, hooks and attributes: the call goes on with what it began with."""

    def make(base):
        def hook(value):
            vars(decoder).clear()
            decoder.__init__()
            decoder.scan_once = None
            return sorted(value)

        decoder = base(object_hook=hook)
        return decoder

    document = '[{"b":1,"a":2},{"d":{"c":1}}]'
    for method in ("decode", "raw_decode"):
        assert_same(
            call(getattr(make(ocior.JSONDecoder), method), document), call(getattr(make(json.JSONDecoder), method), document), method
        )
    scanner = ocior.scanner.make_scanner(make(ocior.JSONDecoder))
    assert scanner(document, 0) == ([["a", "b"], ["d"]], len(document))


@pytest.mark.parametrize(
    "error",
    [StopIteration(3), StopIteration(), StopIteration("x"), StopIteration(10**30), ValueError("x"), MemoryError(), KeyboardInterrupt()],
    ids=repr,
)
@pytest.mark.parametrize("name", ("object_hook", "parse_int", "object_pairs_hook"))
def test_raising_hooks(error, name):
    def hook(value):
        raise error

    outcomes = []
    for base in (ocior.JSONDecoder, json.JSONDecoder):
        for run in (
            lambda decoder: decoder.decode(' {"a":1}'),
            lambda decoder: decoder.raw_decode(' {"a":1}', 1),
            lambda decoder: decoder.scan_once('{"a":1}', 0),
        ):
            try:
                run(base(**{name: hook}))
            except BaseException as caught:
                outcomes.append((type(caught), str(caught)))
    assert outcomes[:3] == outcomes[3:], name


def test_reentry():
    decoder = ocior.JSONDecoder(object_hook=lambda value: decoder.decode("[1, 2]") if value else decoder.raw_decode("[3] x")[0])
    assert decoder.decode('[{}, {"a": {}}]') == [[3], [1, 2]]


def test_hooks_run_once():
    calls = []
    decoder = ocior.JSONDecoder(
        parse_int=lambda text: calls.append(text) or int(text), object_hook=lambda value: calls.append(len(value)) or value
    )
    assert decoder.raw_decode('{"a": [1, 2], "b": {}} rest')[1] == 22
    assert calls == ["1", "2", 0, 2]


# --- detached from the name json ----------------------------------------------------------------------------------------


def test_never_looks_up_json_again():
    check_python("""
        import sys, io, ocior, ocior.decoder, ocior.scanner
        for name in [name for name in sys.modules if name == "json" or name.startswith("json.")]:
            sys.modules[name] = None
        roads = [
            lambda text: ocior.loads(text),
            lambda text: ocior.load(io.StringIO(text)),
            lambda text: ocior.JSONDecoder().decode(text),
            lambda text: ocior.loads(text, cls=ocior.JSONDecoder),
        ]
        for bad in ("[1,", '"\\\\u0000', "x", '{"a": tru}', "\\ufeff1"):
            for read in roads:
                try:
                    read(bad)
                except ocior.JSONDecodeError as error:
                    assert str(error)
                else:
                    raise AssertionError(bad)
        wrong_calls = [
            lambda: ocior.loads("1", foo=1),
            lambda: ocior.loads(),
            lambda: ocior.load(),
            lambda: ocior.loads("1", "2"),
            lambda: ocior.JSONDecoder(1),
            lambda: ocior.JSONDecoder().decode(b"1"),
        ]
        for wrong_call in wrong_calls:
            try:
                wrong_call()
            except TypeError:
                pass
            else:
                raise AssertionError
        assert ocior.loads("[1]", cls=ocior.JSONDecoder) == [1]
    """)


def test_facts_of_results():
    for document in DOCUMENTS:
        outcome = call(json.JSONDecoder().decode, document)
        if outcome.error is None:
            assert facts(ocior.JSONDecoder().decode(document)) == facts(outcome.value)


def test_methods_bound_by_hand():
    decoder = ocior.JSONDecoder()
    for name, arguments, expected in (("decode", ("[1]",), [1]), ("raw_decode", ("[1] x",), ([1], 3))):
        method = getattr(ocior.JSONDecoder, name)
        for bound in (method.__get__(decoder), method.__get__(decoder, None), method.__get__(decoder, type(decoder))):
            assert bound(*arguments) == expected


def test_expecting_value_hides_what_was_being_handled():
    """json raises it from None."""
    roads = [lambda module: module.loads("[x]"), lambda module: module.JSONDecoder().raw_decode("x"), lambda module: module.loads(b"")]
    for read in roads:
        errors = []
        for module in (ocior, json):
            try:
                raise KeyError
            except KeyError:
                errors.append(call(read, module).error)
        assert [error.__suppress_context__ for error in errors] == [True, True]
        assert [error.__cause__ for error in errors] == [None, None]
    ours, theirs = call(ocior.loads, "[1 2]").error, call(json.loads, "[1 2]").error
    assert ours.__suppress_context__ == theirs.__suppress_context__


def test_a_keyword_that_will_not_be_compared():
    class Name(str):
        def __hash__(self):
            return hash("array_hook")

        def __eq__(self, other):
            raise ZeroDivisionError

    for module in (ocior, json):
        with pytest.raises(ZeroDivisionError):
            module.JSONDecoder(**{Name("other"): 1})


def test_nan_and_infinities_are_those_of_json():
    """As objects: programs may compare by `is`."""
    for text, name in (("NaN", "NaN"), ("Infinity", "PosInf"), ("-Infinity", "NegInf")):
        number = getattr(json.decoder, name)
        assert ocior.loads(text) is number is getattr(ocior.decoder, name)
        assert ocior.loads(f'["\u4e2d", {text}]')[1] is ocior.JSONDecoder().decode(text) is number
