"""Every keyword of loads: hooks of all kinds, odd values, re-entry, order of calls, what a decoder class is given."""

import decimal
import json
from collections import OrderedDict

import pytest
from support import assert_same, call, facts, same_loads

import ocior

DOCUMENTS = [
    "1",
    "[]",
    "{}",
    '{"a":1,"b":[{"c":2.5},{"d":-1e5,"a":null}],"a":{"e":"f"}}',
    "[NaN,Infinity,-Infinity,1,1.0,-0,-0.0,1e400,123456789012345678901234567890]",
    '[[1,[2,[3,[{}]]]],{"x":{"y":{"z":[]}}}]',
    '{"\u4e2d":["\u6587",1.5,{"\U0001f600":0}]}',
    '"x"',
    "[1,x]",
    '{"a":1,}',
    '{"a":[{"b":1},',
    "1.5",
    "NaN",
    "-Infinity",
    '[{"k":1},{"k":2},{"k":3},{"k":4}]',
    "[1.5,2.5,3]",
    '{"a":{},"b":[]}',
]


class Recorder:
    """A hook that notes its calls; two runs are equal if they got the same arguments in the same order."""

    def __init__(self, answer=lambda value: value):
        self.calls, self.answer = [], answer

    def __call__(self, *arguments, **keywords):
        assert len(arguments) == 1 and not keywords
        self.calls.append(facts(arguments[0]))
        return self.answer(arguments[0])


HOOKS = {
    "object_hook": [
        None,
        Recorder,
        lambda: Recorder(lambda value: len(value)),
        lambda: Recorder(lambda value: None),
        lambda: Recorder(OrderedDict),
        lambda: Recorder(lambda value: value.clear() or value),
    ],
    "object_pairs_hook": [
        None,
        Recorder,
        lambda: Recorder(OrderedDict),
        lambda: Recorder(lambda pairs: pairs.clear() or 7),
        lambda: Recorder(tuple),
    ],
    "parse_float": [
        None,
        Recorder,
        lambda: Recorder(decimal.Decimal),
        lambda: decimal.Decimal,
        lambda: float,
        lambda: str,
        lambda: Recorder(lambda text: None),
    ],
    "parse_int": [None, Recorder, lambda: Recorder(float), lambda: int, lambda: float, lambda: str, lambda: Recorder(lambda text: [text])],
    "parse_constant": [None, Recorder, lambda: Recorder(lambda name: {"-Infinity": 1}.get(name)), lambda: str],
}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_hooks_alone_and_together(document):
    combinations = [{name: make} for name, makes in HOOKS.items() for make in makes]
    combinations += [
        {first: HOOKS[first][i], second: HOOKS[second][j]}
        for first in HOOKS
        for second in HOOKS
        if first < second
        for i in (1, 2)
        for j in (1, 2)
    ]
    combinations.append({name: makes[1] for name, makes in HOOKS.items()})
    for combination in combinations:
        for source in (document, document.encode(), document.encode("utf-16")):
            ours, theirs = ({name: make and make() for name, make in combination.items()} for _ in "ab")
            assert_same(call(ocior.loads, source, **ours), call(json.loads, source, **theirs), f"{source!r} {combination}")
            for name in combination:
                assert getattr(ours[name], "calls", None) == getattr(theirs[name], "calls", None), (source, name)


class Boom(BaseException):
    pass


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        KeyError("y"),
        RecursionError("z"),
        MemoryError(),
        IndexError(),
        Boom(),
        KeyboardInterrupt(),
        json.JSONDecodeError("m", "d", 0),
    ],
    ids=repr,
)
def test_raising_hooks_pass_through(name, error):
    document = '[{"a":1,"b":[1.5,NaN,2]},{"a":3}]'
    for countdown in range(4):
        outcomes = []
        for function in (ocior.loads, json.loads):
            left = [countdown]

            def hook(value):
                left[0] -= 1
                if left[0] < 0:
                    raise error
                return value

            try:
                outcomes.append(facts(function(document, **{name: hook})))
            except BaseException as caught:
                outcomes.append((type(caught), str(caught)))
                assert caught is error
        assert outcomes[0] == outcomes[1], countdown


@pytest.mark.parametrize("name", HOOKS)
def test_stop_iteration_ends_nothing_silently(name):
    """json takes it for its own end mark (a wrong position, or a TypeError); any exception will do, no result will."""

    def hook(value):
        raise StopIteration(3)

    for document in ('[{"a":1,"b":[1.5,NaN,2]},{"a":3}]', b'[{"a":1,"b":[1.5,NaN,2]},{"a":3}]'):
        assert call(ocior.loads, document, **{name: hook}).error is not None


@pytest.mark.parametrize("odd", [0, "", False, (), 1, "x", object(), [], True], ids=lambda odd: type(odd).__name__ + str(bool(odd)))
def test_odd_hooks(odd):
    for document in ("1", "1.5", "NaN", "{}", '{"a":1}', "[]", "[1]", '"x"'):
        for name in HOOKS:
            same_loads(document, types_only=True, **{name: odd})
        same_loads(document, strict=odd)
        same_loads('"\n"', strict=odd)


class NoBool:
    def __bool__(self):
        raise ZeroDivisionError


def test_strict_is_taken_for_its_truth():
    same_loads('"\t"', strict=NoBool())
    same_loads("[1]", strict=NoBool())


@pytest.mark.parametrize("name", ["strict", "parse_float", "parse_int", "parse_constant"])
def test_input_is_refused_before_options(name):
    class Undecided:
        def __bool__(self):
            raise ZeroDivisionError

        def __call__(self, text):
            return text

    for document in (b"\xff", "\ufeff1", 5, None, b"[1]", "[1.5]", "", b"\x00[\x001\x00]\x00"):
        keywords = {name: Undecided()}
        assert_same(call(ocior.loads, document, **keywords), call(json.loads, document, **keywords), f"{document!r}")


def test_reentry():
    """A hook may call back into the library; the outer call goes on where it was."""
    text = '[{"a": "\\u4e2d", "n": 1.5}, {"a": [1, {"b": 2}], "n": 2.5}, {"deep": {"deep": {"deep": {}}}}]'

    def hook(value):
        inner = ocior.dumps(value, default=str)
        again = ocior.loads(inner, object_hook=lambda item: ocior.loads(ocior.dumps_to_bytes(item)))
        call(ocior.loads, inner + "x")
        call(ocior.dumps, {"a": object()})
        return again

    assert facts(ocior.loads(text, object_hook=hook)) == facts(json.loads(text))
    assert ocior.loads(text, parse_float=lambda number: ocior.loads("[" + number + "]")[0]) == json.loads(text)

    def nest(level):
        return ocior.loads('{"x": {}}', object_hook=lambda value: nest(level - 1) if level and not value else value)

    assert facts(nest(20)) == facts(json_nest(20))


def json_nest(level):
    return json.loads('{"x": {}}', object_hook=lambda value: json_nest(level - 1) if level and not value else value)


def test_hook_may_keep_and_change_what_it_gets():
    kept = []

    def hook(value):
        kept.append(value)
        for earlier in kept:
            earlier["seen"] = len(kept)
        return value

    value = ocior.loads("[" + ",".join('{"a":%d,"b":{"c":1}}' % i for i in range(30)) + "]", object_hook=hook)
    assert len(kept) == 60 and all(item["seen"] == 60 for item in kept) and value[3]["a"] == 3
    pairs_kept = []
    ocior.loads('{"a": {"b": 1}, "c": [2]}', object_pairs_hook=lambda pairs: pairs_kept.append(pairs) or pairs.append("x"))
    assert pairs_kept == [[("b", 1), "x"], [("a", None), ("c", [2]), "x"]]


def test_hook_results_are_kept_alive_and_freed():
    class Token:
        alive = 0

        def __init__(self, value):
            Token.alive += 1

        def __del__(self):
            Token.alive -= 1

    for document, fails in (
        ('[{"a":{}},{"b":[{}]}]', False),
        ('[{"a":{}},{"b":[{}]},x]', True),
        ('{"a":{"a":{},"a":{}},"a":{}}', False),
        ('{"a":{},"b":{},', True),
    ):
        for source in (document, document.encode()):
            outcome = call(ocior.loads, source, object_hook=Token)
            assert (outcome.error is not None) == fails
            del outcome
            assert Token.alive == 0


# --- array_hook: as in 3.15, on every version -----------------------------------------------------------------------


def test_array_hook():
    assert ocior.loads('[1,[2,3],{"a":[4]}]', array_hook=tuple) == (1, (2, 3), {"a": (4,)})
    assert ocior.loads(b"[]", array_hook=tuple) == ()
    assert ocior.loads("[[],[[]]]", array_hook=len) == 2
    assert ocior.loads('{"a":[1,2]}', array_hook=sum, object_hook=lambda value: value["a"]) == 3
    assert ocior.loads("1", array_hook=tuple) == 1
    assert ocior.loads("[1]", array_hook=None) == [1]
    calls = []
    ocior.loads('[[1],[[2]],{"x":[3]},[]]', array_hook=lambda value: calls.append(list(value)) or value)
    assert calls == [[1], [2], [[2]], [3], [], [[1], [[2]], {"x": [3]}, []]]
    for error in (ValueError("x"), Boom()):

        def hook(value):
            raise error

        with pytest.raises(type(error)):
            ocior.loads("[1, 2]", array_hook=hook)
    with pytest.raises(TypeError):
        ocior.loads("[1]", array_hook=5)
    for bad in ("[1,", "[1]]", "[x]", "[[1],}"):
        assert_same(call(ocior.loads, bad, array_hook=tuple), call(json.loads, bad), bad)
    kept = []
    ocior.loads("[[1],[2]]", array_hook=lambda value: kept.append(value) or value.append(0) or value)
    assert kept == [[1, 0], [2, 0], [[1, 0], [2, 0], 0]]


# --- cls --------------------------------------------------------------------------------------------------------------


class Decoder(json.JSONDecoder):
    def __init__(self, **keywords):
        self.given = {name: value for name, value in keywords.items()}
        super().__init__(**keywords)

    def decode(self, text):
        return [type(text).__name__, text, sorted(self.given), super().decode(text)]


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"strict": False},
        {"strict": True},
        {"object_hook": len},
        {"object_pairs_hook": len},
        {"parse_float": str},
        {"parse_int": str, "parse_constant": str},
        {"object_hook": None},
        {"foo": 1},
        {"strict": None, "bar": 2},
    ],
    ids=repr,
)
def test_decoder_class(keywords):
    for document in ('{"a": [1, 2.5, NaN]}', '"\n"', b'["\xe4\xb8\xad"]', "[x]", "\ufeff1", '["a"]'.encode("utf-16"), 5):
        for kind in (Decoder, json.JSONDecoder):
            same_loads_cls(document, cls=kind, **keywords)


def same_loads_cls(document, **keywords):
    assert_same(
        call(ocior.loads, document, **keywords),
        call(json.loads, document, **keywords),
        f"{document!r} {keywords}",
        types_only=document == 5,
    )


def test_odd_classes():
    class NoDecode:
        def __init__(self, **keywords):
            pass

    class Any:
        def __init__(self, **keywords):
            self.keywords = keywords

        def decode(self, text):
            return (text, sorted(self.keywords))

    for kind in (NoDecode, Any, 5, int, lambda **keywords: Any(**keywords), json.JSONEncoder):
        same_loads_cls("[1]", cls=kind)
        same_loads_cls(b"[1]", cls=kind, parse_int=str)
    assert ocior.loads(memoryview(b"[1]"), cls=Any)[0] == "[1]"
    assert ocior.loads("[[1]]", cls=None) == [[1]]


# --- strict, from one call to the next ----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ("a\nb", "a\tb\u4e2d", "\x1f\xe9", "\U0001f600\r", "\x00"), ids=ascii)
def test_lax_keys_are_refused_again_by_strict_calls(key):
    """What a call with strict=False has learned about keys must not be believed by a strict one."""
    for document in (f'{{"{key}":1}}', f'[{{"x":1,"{key}":2}},{{"x":1,"{key}":2}}]', f'{{"{key}":1}}'.encode()):
        for _ in range(3):
            assert_same(call(ocior.loads, document), call(json.loads, document), f"strict {document!r}")
            assert_same(call(ocior.loads, document, strict=False), call(json.loads, document, strict=False), f"lax {document!r}")


def test_nul_in_a_lax_key_does_not_lead_past_the_end():
    """The bytes behind a short document are those of a longer one that lay there before: they must not complete its key."""
    ocior.loads(b'{"a\0bcdefgh":1}', strict=False)
    for _ in range(20):
        stale = [bytes(bytearray(b'{"a\0bcdefgh":1}')) for _ in range(64)]
        del stale
        for document in [bytes(bytearray(b'{"a')) for _ in range(64)]:
            outcome = call(ocior.loads, document)
            assert isinstance(outcome.error, json.JSONDecodeError) and outcome.error.pos == 1, outcome
