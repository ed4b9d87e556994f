"""Depth: what json takes we take; beyond that a RecursionError or the right answer, never a dead process."""

import json
import sys
import textwrap

import pytest
from support import check_python, nested_dict, nested_list, same_loads

import ocior

# In the subprocesses: RecursionError or a correct result; anything else, and any crash, fails.
PRELUDE = """
    import sys, json, threading, ocior
    def attempt(function, *arguments, **keywords):
        try:
            return function(*arguments, **keywords)
        except RecursionError:
            return RecursionError
        except json.JSONDecodeError as error:
            return error.pos
    def deep_list(depth):
        value = []
        for _ in range(depth - 1):
            value = [value]
        return value
    def deep_dict(depth):
        value = {}
        for _ in range(depth - 1):
            value = {"a": value}
        return value
    def depth_of(value):
        depth = 0
        while isinstance(value, (list, dict)):
            depth += 1
            if not value:
                break
            value = value[0] if isinstance(value, list) else value["a"]
        return depth
"""


@pytest.mark.parametrize("depth", [1, 2, 10, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 500, 700])
def test_moderate_depth(depth):
    """Every depth that json reaches with the default recursion limit, from wherever a test runner calls."""
    for document, value in (
        ("[" * depth + "]" * depth, nested_list(depth)),
        ('{"a":' * (depth - 1) + "{}" + "}" * (depth - 1), nested_dict(depth)),
    ):
        for source in (document, document.encode(), document.replace("[]", '["\u4e2d"]')):
            if depth <= 257:  # beyond, comparing the values would recurse too deep for some versions
                same_loads(source)
            else:
                assert json.dumps(ocior.loads(source)) == json.dumps(json.loads(source))
        same_loads(document[:-1])
        same_loads(document + "]")
        assert json.dumps(ocior.loads(document, object_hook=lambda obj: obj)) == json.dumps(json.loads(document))
        assert ocior.dumps(value, separators=(",", ":")) == document
        assert ocior.dumps_to_bytes(value) == document.encode()
    if depth <= 257:
        value = nested_list(depth, [1, {"x": []}])
        assert ocior.dumps(value, indent=1) == json.dumps(value, indent=1)
        value = nested_dict(depth, {"y": [1, 2]})
        assert ocior.dumps(value, indent="\t") == json.dumps(value, indent="\t")


def test_depth_900_within_the_default_limit():
    check_python(
        PRELUDE
        + """
    for make, opener in ((deep_list, "["), (deep_dict, "{")):
        value = make(900)
        text = ocior.dumps(value)
        assert text == json.dumps(value)
        assert depth_of(ocior.loads(text)) == 900 == depth_of(ocior.loads(text.encode()))
    """
    )


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":', '[[1,2],{"b":3,"a":', " [ ", '{"\u4e2d":['])
@pytest.mark.parametrize("kind", ["str", "bytes"])
def test_openings_without_end(opening, kind):
    """200 000 levels, never closed: json itself gives up with RecursionError."""
    check_python(
        PRELUDE
        + """
    document = sys.argv[1] * 200_000
    if sys.argv[2] == "bytes":
        document = document.encode()
    result = attempt(ocior.loads, document)
    assert result is RecursionError, result
    for hooks in ({"object_hook": len}, {"object_pairs_hook": len}, {"parse_int": str}):
        assert attempt(ocior.loads, document, **hooks) is RecursionError
    """,
        opening,
        kind,
    )


def test_ten_million_brackets():
    check_python(
        PRELUDE
        + """
    for document in ("[" * 10_000_000, b"[" * 10_000_000):
        assert attempt(ocior.loads, document) is RecursionError
    for document in ("[" * 10_000_000 + "]" * 10_000_000,):
        assert attempt(ocior.loads, document) is RecursionError
    """
    )


def test_two_hundred_thousand_levels_closed():
    check_python(
        PRELUDE
        + """
    n = 200_000
    for document in ("[" * n + "]" * n, b"[" * n + b"]" * n, '{"a":' * n + "{}" + "}" * n, b'{"a":' * n + b"1" + b"}" * n):
        result = attempt(ocior.loads, document)
        assert result is RecursionError or depth_of(result) >= n
        del result
    """
    )


@pytest.mark.parametrize(
    "keywords",
    ["{}", "dict(indent=0)", "dict(check_circular=False)", "dict(sort_keys=True)", "dict(ensure_ascii=False)", "dict(default=str)"],
)
def test_dumps_of_two_hundred_thousand_levels(keywords):
    check_python(
        PRELUDE
        + """
    n = 200_000
    for make in (deep_list, deep_dict):
        value = make(n)
        for function in (ocior.dumps, ocior.dumps_to_bytes):
            result = attempt(function, value, **eval(sys.argv[1]))
            assert result is RecursionError or len(result) >= 2 * n, result[:100]
        while value:
            value = value.pop() if isinstance(value, list) else value.pop("a")
    """,
        keywords,
    )


def test_deep_results_of_default():
    check_python(
        PRELUDE
        + """
    class Next: pass
    answers = [
        lambda obj: Next(),
        lambda obj: [Next()],
        lambda obj: {"a": Next()},
        lambda obj: (Next(),),
        lambda obj: [[[[Next()]]]],
    ]
    for answer in answers:
        for function in (ocior.dumps, ocior.dumps_to_bytes):
            for keywords in ({}, {"indent": 0}, {"check_circular": False}):
                assert attempt(function, Next(), default=answer, **keywords) is RecursionError
    """
    )


def test_reentry_without_end():
    check_python(
        PRELUDE
        + """
    def again(obj):
        return ocior.dumps(obj, default=again)
    assert attempt(ocior.dumps, object(), default=again) is RecursionError
    def loads_again(obj):
        return ocior.loads('{"a": {}}', object_hook=loads_again)
    assert attempt(ocior.loads, "{}", object_hook=loads_again) is RecursionError
    def pairs_again(pairs):
        return ocior.loads(b'[[{}]]', object_pairs_hook=pairs_again)
    assert attempt(ocior.loads, "{}", object_pairs_hook=pairs_again) is RecursionError
    class Again(dict):
        def items(self):
            return [("x", ocior.dumps(self))]
    assert attempt(ocior.dumps, Again(a=1)) is RecursionError
    assert ocior.loads(ocior.dumps([1, {"a": "b"}])) == [1, {"a": "b"}]
    """
    )


@pytest.mark.parametrize(
    "road",
    [
        """
    decoder = ocior.JSONDecoder()
    decoder.__init__(parse_float=decoder.decode)
    return decoder.decode("1.5")
""",
        """
    decoder = ocior.JSONDecoder()
    decoder.__init__(parse_constant=decoder.decode)
    return decoder.decode("[NaN]")
""",
        """
    encoder = ocior.JSONEncoder()
    encoder.default = encoder.encode
    return encoder.encode(object())
""",
        """
    file = type("File", (), {})()
    file.write = functools.partial(ocior.dump, fp=file)
    return ocior.dump([1], file)
""",
        """
    class List(list): pass
    value = List([1])
    List.__iter__ = staticmethod(functools.partial(ocior.dumps, value))
    return ocior.dumps(value)
""",
        """
    class Dict(dict): pass
    value = Dict(a=1)
    Dict.items = staticmethod(functools.partial(ocior.dumps, value))
    return ocior.dumps(value)
""",
        """
    class Key: pass
    value = {Key(): 1}
    Key.__json__ = staticmethod(functools.partial(ocior.dumps, value, default=ocior.Default(keys=True)))
    return Key.__json__()
""",
        """
    class Array(array.array): pass
    value = [Array("u", "a")]
    Array.tolist = staticmethod(functools.partial(ocior.dumps, value, default=ocior.default))
    return Array.tolist()
""",
    ],
    ids=["parse_float", "parse_constant", "default", "write", "iter", "items", "key", "tolist"],
)
def test_reentry_without_frames_of_python(road):
    check_python(
        PRELUDE
        + f"""
    import array, functools, warnings
    warnings.simplefilter("ignore")
    def enter():
{textwrap.indent(road, "    ")}
    assert attempt(enter) is RecursionError
    """
    )


@pytest.mark.parametrize("keywords", [{}, {"cls": "ours"}, {"ensure_ascii": False, "indent": "\U0001f600"}], ids=repr)
def test_reentry_beside_calls_that_end(keywords):
    """Each level goes down and comes back before the next one is entered: what they used is idle then."""
    check_python(
        PRELUDE
        + f"""
    import functools, operator
    keywords = {keywords!r}
    if "cls" in keywords:
        keywords["cls"] = type("Ours", (ocior.JSONEncoder,), {{}})
    class Thing: pass
    run = operator.methodcaller("run")
    def nested(depth):
        thing = Thing()
        thing.run = functools.partial(ocior.dumps, [nested(depth - 1)] if depth else 1, default=run)
        return thing
    class List(list): pass
    endless = List([1])
    call = functools.partial(ocior.dumps, [nested(8), endless], default=run, **keywords)
    List.__iter__ = staticmethod(call)
    assert attempt(call) is RecursionError
    """
    )


def test_high_recursion_limit():
    """A user who raised the limit asked for depth, not for a crash."""
    check_python(
        PRELUDE
        + """
    sys.setrecursionlimit(10**6)
    for n in (2_000, 20_000, 100_000):
        for make in (deep_list, deep_dict):
            value = make(n)
            result = attempt(ocior.dumps, value)
            assert result is RecursionError or len(result) >= 2 * n
            document = ("[" * n + "]" * n) if make is deep_list else ('{"a":' * (n - 1) + "{}" + "}" * (n - 1))
            result = attempt(ocior.loads, document)
            assert result is RecursionError or depth_of(result) == n
            del result
            while value:
                value = value.pop() if isinstance(value, list) else value.pop("a")
    """
    )


@pytest.mark.parametrize("kibibytes", [128, 256])
def test_small_stacks(kibibytes):
    """A thread with a stack too small for json's recursion: depth 100 000 both ways, open and closed, and circles."""
    check_python(
        PRELUDE
        + """
    n = 100_000
    values = [deep_list(n), deep_dict(n)]
    circle = []
    circle.append({"a": circle})
    results = []
    def work():
        for document in ("[" * n, b"[" * n, '{"a":' * n, "[" * n + "]" * n, b'{"a":' * n + b"1" + b"}" * n):
            results.append(attempt(ocior.loads, document))
        for value in values:
            for function in (ocior.dumps, ocior.dumps_to_bytes):
                for keywords in ({}, {"indent": 0}):
                    results.append(attempt(function, value, **keywords) is not None)
        results.append(attempt(ocior.dumps, circle, check_circular=False))
        try:
            ocior.dumps(circle)
        except ValueError:
            results.append("circle")
        for size in (10, 1000, 100_000):
            text = ocior.dumps([{"k": "\\u4e2d" * 10, "v": [1.5, None]}] * size)
            results.append(len(ocior.loads(text)) == size)
        results.append("end")
    threading.stack_size(int(sys.argv[1]) * 1024)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results[-1] == "end", results
    assert "circle" in results
    for value in values:
        while value:
            value = value.pop() if isinstance(value, list) else value.pop("a")
    import os
    sys.stdout.flush()
    os._exit(0)  # results may be deep: their destruction is the interpreter's business, not the test's
    """,
        kibibytes,
    )


def test_error_after_depth():
    for depth in (100, 400):
        for tail in ("x", "]", "}", "", "1 1", '"', "[1,]", "nul"):
            same_loads("[" * depth + tail)
            same_loads('{"a":[' * (depth // 2) + tail)
            same_loads(("[" * depth + tail).encode())


def test_recursion_error_has_a_message():
    with pytest.raises(RecursionError) as caught:
        ocior.loads("[" * 1_000_000)
    assert str(caught.value)
    assert sys.getrecursionlimit() > 0


@pytest.mark.parametrize(
    "make, first",
    [
        ("ocior.Default", None),
        ("orjson.Fragment", "1"),
        ("lambda inner: orjson.Fragment([inner])", "1"),
        ("ocior.JSONEncoder().iterencode", 1),
        ("lambda inner: ocior.JSONEncoder(default=inner).iterencode(1)", None),
        ("lambda inner: ocior.JSONEncoder(default=inner)", None),
        ("lambda inner: ocior.JSONDecoder(object_hook=inner)", None),
        ("lambda inner: ocior.JSONDecoder(object_hook=inner).scan_once", None),
        ("lambda inner: Scanner(ocior.JSONDecoder(object_hook=inner))", None),
        ("lambda inner: Keeper(ocior.JSONDecoder(object_hook=inner))", None),
        ("lambda inner: [ocior.Default(ocior.JSONEncoder(default=inner).encode)]", None),
    ],
)
def test_nested_objects_are_freed(make, first):
    """100 000 objects of ours, each of which refers to the next one."""
    check_python(f"""
        import gc, sys, ocior
        from ocior.compat import orjson
        from ocior.scanner import make_scanner as Scanner
        class Keeper(Scanner):
            pass
        make, value = {make}, {first!r}
        for _ in range(100_000):
            value = make(value)
            value = value[0] if type(value) is list else value
        del value
        value = {first!r}
        for _ in range(100_000):
            value = make(value)
            value = value[0] if type(value) is list else value
        cycle = [value]
        cycle.append(cycle)
        del value, cycle
        gc.collect()
    """)


def test_nested_defaults_are_asked():
    """Each of them asks the next one. Too many are a RecursionError, not a crash."""
    check_python("""
        import ocior
        default = None
        for _ in range(100_000):
            default = ocior.Default(default)
        for call in (default, lambda value: ocior.dumps(value, default=default), repr):
            try:
                call(default)
            except RecursionError:
                pass
            else:
                raise AssertionError(call)
    """)
