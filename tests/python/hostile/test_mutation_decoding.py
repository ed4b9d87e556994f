"""Python code that runs while a document is decoded: hooks that attack what they were given, collections, exceptions in the midst of a number,
and another allocator put in place."""

import gc
import json
import sys
import textwrap

import pytest
from attacks import ATTACKS
from support import HAS_GIL, check_python, collect

import ocior


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_object_hook_attacks_parsed_values(attack):
    """During loads: hooks change, keep and drop the containers given earlier."""
    document = json.dumps([{"a": {"b": [1, 2, {"c": 3}]}, "d": [{}, {"e": "f"}]} for _ in range(20)])
    for source in (document, document.encode()):
        seen = []

        def hook(value):
            seen.append(value)
            for earlier in seen[-5:]:
                attack(earlier)
            if len(seen) % 7 == 0:
                del seen[:3]
                collect()
            return value

        assert len(ocior.loads(source, object_hook=hook)) == 20
        assert len(ocior.loads(source, object_pairs_hook=lambda pairs: attack(pairs) or pairs)) == 20
        assert len(ocior.loads(source, object_hook=hook, array_hook=lambda values: attack(values) or [1] * 20)) == 20


def test_collector_sees_nothing_half_made():
    """Walk the youngest tracked objects (without a GIL, all), touching each, when a hook runs: what is being built must not be visible."""
    gc.collect()
    gc.disable()  # so that all that is new stays in the youngest generation
    document = json.dumps([[index, {"k": [index, {"x": None}]}, "\u4e2d"] for index in range(20 if HAS_GIL else 3)])

    def look(value):
        for obj in gc.get_objects(generation=0):
            if type(obj) in (list, dict, tuple):
                for item in obj:
                    type(item)
        return value

    assert ocior.loads(document, object_hook=look) == json.loads(document)
    assert ocior.loads(document.encode(), object_pairs_hook=lambda pairs: look(dict(pairs))) == json.loads(document)


@pytest.mark.parametrize("keyword", ["object_pairs_hook", "object_hook", "array_hook"])
def test_collections_see_nothing_half_made(keyword):
    """The same from within the collections that new objects start, before 3.12 at any of them."""
    check_python(f"""
        import gc, json, ocior
        def look(phase, info):
            for obj in gc.get_objects():
                if type(obj) in (list, dict, tuple) and len(obj) in (3, 3000):
                    for item in obj:
                        type(item)
        expected = {{f"k{{i}}": [i, 1000 + i, {{}}] for i in range(3000)}}
        document = json.dumps(expected)
        gc.collect()
        gc.set_threshold(300)
        gc.callbacks.append(look)
        found = ocior.loads(document, {keyword}=lambda value: value)
        gc.callbacks.clear()
        assert json.dumps(dict(found), default=dict) in (json.dumps(expected), json.dumps(expected).replace("{{}}", "[]"))
    """)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="large integers are made by Python code since 3.12")
def test_exception_in_the_text_of_a_large_integer():
    """A document at the end of a page is first read for its extent; what is raised meanwhile is no mistake in it."""
    check_python("""
        import sys, _pylong, ocior
        sys.set_int_max_str_digits(0)
        original = _pylong.int_from_string
        class Interrupted(Exception): pass
        def interrupted(text):
            _pylong.int_from_string = original
            raise Interrupted
        for pad in range(5000):
            document = "[" + ",".join(["7" * 20000] * 3) + "]" + " " * pad
            if (id(document) + sys.getsizeof("") - 1 + len(document)) % 4096 > 4088:
                break
        for read in (ocior.JSONDecoder().raw_decode, lambda text: ocior.JSONDecoder().scan_once(text, 0)):
            _pylong.int_from_string = interrupted
            try:
                read(document)
            except Interrupted:
                pass
            else:
                raise AssertionError
            assert read(document)[0] == [int("7" * 20000)] * 3
    """)


STOPPING_TRACEMALLOC = {
    "hook": """
        def hook(value):
            tracemalloc.stop()
            return value
        tracemalloc.start()
        assert ocior.loads('[{}, 1.5, "abc", 1000000]', object_hook=hook) == [{}, 1.5, "abc", 1000000]
    """,
    "parse_int": """
        def hook(text):
            tracemalloc.stop()
            return int(text)
        tracemalloc.start()
        assert ocior.loads('[7, 1.5, "abc", {"k": "abc"}]', parse_int=hook) == [7, 1.5, "abc", {"k": "abc"}]
    """,
    "collected": """
        import gc
        class Stops:
            def __del__(self):
                tracemalloc.stop()
        gc.collect()
        gc.set_threshold(50)
        tracemalloc.start()
        knot = Stops()
        knot.knot = knot
        del knot
        for _ in range(20):
            ocior.loads("[" + ",".join(['[1.5, "abc", 1000000]'] * 200) + "]")
    """,
}


@pytest.mark.parametrize("name", STOPPING_TRACEMALLOC)
def test_tracemalloc_stops_during_loads(name):
    """The interpreter's allocator changes under the parser's feet."""
    check_python("import ocior, tracemalloc\n" + textwrap.dedent(STOPPING_TRACEMALLOC[name]))


def test_tracemalloc_comes_and_goes_between_loads():
    """Blocks are taken by turns from pools and from whatever else allocates; all of them are freed by what is in place then."""
    check_python("""
        import json, random, sys, tracemalloc
        import ocior
        random.seed(5)
        value = [[i * 10**random.randrange(19), i / 7, "x" * random.randrange(100), {"k": [None, -i]}, "ж" * (i % 40)] for i in range(300)]
        text = json.dumps(value, ensure_ascii=False)
        kept = []
        for turn in range(60):
            if turn % 7 == 3:
                tracemalloc.start()
            if turn % 7 == 5:
                tracemalloc.stop()
            kept.append(ocior.loads(text if turn % 2 else text.encode()))
            assert kept[-1] == value
            if turn > 10:
                del kept[random.randrange(len(kept))]
        tracemalloc.stop()
        assert all(one == value for one in kept)
        def blocks():
            before = sys.getallocatedblocks()
            for _ in range(20):
                ocior.loads(text)
            return sys.getallocatedblocks() - before
        kept.clear()
        blocks()
        assert blocks() < 100
    """)
