"""Subinterpreters: import and use in several, in turn and at once, with a shared and with an own GIL; reload; unload."""

import importlib.util
import sys
import textwrap

import pytest
from support import IS_QUICK, check_python

NAME = next((name for name in ("_interpreters", "_xxsubinterpreters") if importlib.util.find_spec(name)), None)
pytestmark = pytest.mark.skipif(NAME is None, reason="no subinterpreters here")

CODE = """
import sys
sys.path[:] = PATH
is_first = "ocior" not in sys.modules
import json, ocior
if is_first:
    assert ocior.loads("[" + '{"a": [1.5, "b"]}, ' * 250_000 + "1]") == [{"a": [1.5, "b"]}] * 250_000 + [1]
for turn in range(30):
    value = [{"a": turn, "b": ["\u4e2d", 1.5, None, {"c": turn}]}, "x" * turn, {"a": 1, "b": 2}] * 3
    assert ocior.loads(ocior.dumps(value)) == value
    assert ocior.loads(ocior.dumps_to_bytes(value)) == value
    try:
        ocior.loads("[1, x]")
    except json.JSONDecodeError as error:
        assert isinstance(error, ocior.JSONDecodeError) and error.pos == 4
    else:
        raise AssertionError
    try:
        ocior.dumps(object())
    except TypeError:
        pass
    assert ocior.loads('{"a": {}}', object_hook=len) == 1
    families = [(list, "ab"), (dict, {1: 2}), (str, "c"), (int, 3)]
    made = [type("T%d" % index, (base,), {})(value) for index in range(20) for base, value in families]
    assert ocior.dumps(made) == json.dumps(made) and ocior.dumps({made[-1]: made[-2]}) == '{"3": "c"}'
    decoder = ocior.JSONDecoder(parse_int=str)
    assert decoder.raw_decode("[1] x") == (["1"], 3) == ocior.scanner.make_scanner(decoder)("[1] x", 0)
    assert ocior.loads("[1]", cls=json.JSONDecoder) == ocior.loads("[1]", cls=ocior.JSONDecoder) == [1]
    try:
        ocior.JSONDecoder().decode('{"a": [x')
    except json.JSONDecodeError as error:
        assert error.path == "$.a[0]" and error.snippet
"""

# What one interpreter does between its making and its end, with the tricks that are expected to be proved in it.
VISIT = """
import sys
sys.path[:] = PATH
import ocior
tricks = ocior.get_current_features()["tricks"]
assert tricks == EXPECTED, tricks
value = [{"a": 1, "b": [1.5, "x", None]}] * 100
for _ in range(20):
    assert ocior.loads(ocior.dumps(value)) == value
"""

PRELUDE = f"""
import sys, threading
import {NAME} as interpreters
CODE = {CODE!r}.replace("PATH", repr(sys.path))
def create(own_gil):
    if hasattr(interpreters, "new_config"):
        return interpreters.create("isolated" if own_gil else "legacy")
    return interpreters.create(isolated=own_gil)
VISIT = {VISIT!r}.replace("PATH", repr(sys.path))
def run(identifier, code=CODE):
    failure = interpreters.run_string(identifier, code)  # 3.13 returns what older versions raise
    assert failure is None, getattr(failure, "formatted", failure)
"""


def check(body, *arguments):
    check_python(PRELUDE + textwrap.dedent(body), *arguments)


@pytest.mark.parametrize("own_gil", [False, True])
def test_one_after_the_other(own_gil):
    check(
        """
    import ocior
    before = ocior.loads('[{"a": 1, "b": "\\u4e2d"}]')
    for _ in range(5):
        identifier = create(sys.argv[1] == "True")
        run(identifier)
        assert ocior.loads(ocior.dumps(before)) == before
        run(identifier)
        interpreters.destroy(identifier)
        assert ocior.loads(ocior.dumps(before)) == before == [{"a": 1, "b": "\\u4e2d"}]
    """,
        own_gil,
    )


@pytest.mark.parametrize("own_gil", [False, True])
def test_two_at_once(own_gil):
    check(
        """
    import ocior
    failures = []
    identifiers = [create(sys.argv[1] == "True") for _ in range(3)]
    def work(identifier):
        try:
            for _ in range(5):
                run(identifier)
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=work, args=(identifier,)) for identifier in identifiers]
    for thread in threads:
        thread.start()
    for _ in range(200):
        value = [{"a": [1, "x", {"b": None}]}] * 5
        assert ocior.loads(ocior.dumps(value)) == value
    for thread in threads:
        thread.join()
    assert not failures, failures
    for identifier in identifiers:
        interpreters.destroy(identifier)
    assert ocior.loads("[1]") == [1]
    """,
        own_gil,
    )


@pytest.mark.parametrize("own_gil", [False, True])
def test_imported_and_ended_while_others_work(own_gil):
    """What the self-tests at import look at is their interpreter's own: others come and go, allocate, and change the process's arena
    allocator (large documents do, in the main interpreter), and yet in every interpreter the same tricks are proved."""
    check(
        """
    import json, time, ocior
    seconds = int(sys.argv[2])
    main_tricks = ocior.get_current_features()["tricks"]
    visit = VISIT.replace("EXPECTED", repr({**main_tricks, "huge_pages": False}))  # huge pages are for the main interpreter
    count, failures = 0, []
    deadline = time.monotonic() + seconds
    def come_and_go():
        global count
        try:
            while time.monotonic() < deadline and not failures:
                identifier = create(sys.argv[1] == "True")
                try:
                    run(identifier, visit)
                finally:
                    interpreters.destroy(identifier)
                count += 1
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=come_and_go) for _ in range(3)]
    for thread in threads: thread.start()
    large = json.dumps([{"id": number, "name": f"name {number}"} for number in range(60_000)])
    while time.monotonic() < deadline and not failures:
        assert len(ocior.loads(large)) == len(ocior.loads(large, object_hook=lambda record: record)) == 60_000
    for thread in threads: thread.join()
    assert not failures, failures
    assert count >= len(threads), count  # where all share one GIL, the large documents leave them little time
    """,
        own_gil,
        3 if IS_QUICK else 15,
    )


def test_only_in_a_subinterpreter():
    check("""
    identifier = create(True)
    run(identifier)
    interpreters.destroy(identifier)
    import ocior
    assert ocior.dumps([1]) == "[1]"
    """)


@pytest.mark.parametrize(
    "use",
    [
        "pass",
        "core.loads('[{}]'); core.loads(b'[1]'); core.loads(bytearray(b'[1]'))",
        "core.dumps([1]); core.dumps_to_bytes({'a': 1})",
        "nested(7)",
        "list(encoder().iterencode([1, 2]))",
        "core.link = encoder().iterencode(['x' * 100_000] * 9); next(core.link)",
        "core.link = encoder().iterencode([core, 'x' * 100_000] * 9)",
        "threads(lambda: core.dumps(core.loads('[[1], 2.5, null]')))",
    ],
)
def test_a_module_is_collected(use):
    """What a module keeps between calls, and an iterator that stands still, keep it alive no longer than its users do."""
    check_python(f"""
        import gc, importlib.util, json, sys, threading, weakref, ocior
        spec = importlib.util.spec_from_file_location(ocior._core.__name__, ocior._core.__file__)
        core = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(core)
        def encoder():
            return type("Encoder", (core.Encoder, json.JSONEncoder), {{}})()
        def nested(depth):  # more calls at once than contexts are kept
            hook = lambda value: core.dumps(value, default=lambda thing: nested(depth - 1) if depth else 1)
            return core.loads('[{{}}]', object_hook=lambda value: hook([thing]))
        def threads(act):
            all = [threading.Thread(target=lambda: [act() for _ in range(100)]) for _ in range(8)]
            for thread in all: thread.start()
            for thread in all: thread.join()
        thing = object()
        {use}
        death = weakref.ref(core)
        gc.collect()
        assert death() is core and core.loads('[1]') == [1] and core.dumps([1]) == '[1]'
        del core, spec, encoder, nested, threads
        gc.collect()
        assert death() is None
    """)


def test_imported_again():
    """Fresh copies of the core module: each with state of its own, the old one still working, both collected."""
    check_python("""
        import gc, sys, weakref, ocior
        old_loads, old_dumps, old_decoder = ocior.loads, ocior.dumps, ocior.JSONDecoder
        names = [name for name in sys.modules if name == "ocior" or name.startswith("ocior.")]
        for _ in range(4):
            for name in names:
                sys.modules.pop(name, None)
            import ocior as fresh
            assert fresh.JSONDecoder().decode("[1]") == [1] and fresh.JSONDecoder is not old_decoder
            assert fresh.loads('[{"a": 1}, {"a": 2}]') == old_loads('[{"a": 1}, {"a": 2}]')
            try:
                fresh.loads("x")
            except ValueError:
                pass
            del fresh
            gc.collect()
        assert old_decoder().decode("[1]") == [1]
        assert old_dumps(old_loads('{"a": [1.5]}')) == '{"a": [1.5]}'
    """)
    assert sys.modules["ocior"]
