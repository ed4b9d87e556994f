"""Each allocation of a call fails once, and then all from it on: a MemoryError, or what the call returns, and the next call works."""

import importlib.util
import sys

import pytest
from support import check_python

# What is called; the names are those that the program of the test makes.
CALLS_THAT_ALLOCATE = {
    "loads_str": "ocior.loads(document)",
    "loads_bytes": "ocior.loads(raw)",
    "loads_wide": "ocior.loads(wide)",
    "loads_hooks": "ocior.loads(document, object_hook=hook, parse_float=str, parse_int=int)",
    "loads_nests": "ocior.loads(nests)",
    "loads_error": "ocior.loads(document[:-1])",
    "loads_utf16": "ocior.loads(sixteen)",
    "loads_policies": 'ocior.loads(odd, duplicate_keys="first", surrogates="replace", big_integers="str", integer_bits=53)',
    "loads_policies_hook": 'ocior.loads(odd, duplicate_keys="first", object_hook=hook, big_integers="float")',
    "loads_duplicate_error": 'ocior.loads(odd, duplicate_keys="error")',
    "loads_duplicate_pairs_error": 'ocior.loads(odd.encode("utf-8", "surrogatepass"), duplicate_keys="error", object_pairs_hook=len)',
    "loads_surrogate_error": 'ocior.loads(odd, surrogates="error")',
    "loads_decimals": "ocior.loads(fractions, parse_float=decimal.Decimal)",
    "first_decimals": "ocior.loads(fractions, parse_float=decimal.Decimal)",
    "dumps": "ocior.dumps(value)",
    "dumps_plain": "ocior.dumps(value, ensure_ascii=False)",
    "dumps_indent": "ocior.dumps(value, indent=2)",
    "dumps_bytes": "ocior.dumps_to_bytes(value)",
    "dumps_cache": r'ocior.dumps_to_bytes(["\u4e2d" * 10, "".join(["\u4e2d", "x" * 20])], is_write_cache=True)',
    "dumps_default": "ocior.dumps(unknown, default=str)",
    "dumps_sorted": "ocior.dumps(keyed, sort_keys=True)",
    "dumps_unique": 'ocior.dumps([keyed, value], default=ocior.Default(duplicate_keys="error"))',
    "dumps_unique_error": 'ocior.dumps([keyed, {1: 2, "1": 3}], default=ocior.Default(duplicate_keys="error"))',
    "dumps_canonical": 'ocior.dumps([keyed, value, long], default=ocior.Default(canonical=True, big_integers="str"))',
    "dumps_surrogates": r'ocior.dumps(["\ud800" * 20, {"\udfff": 1}], default=ocior.Default(surrogates="replace"))',
    "dumps_canonical_decimal": 'ocior.dumps([decimal.Decimal("1.5")], default=ocior.Default(canonical=True))',
    "dumps_fresh_class": "ocior.dumps(next(fresh), default=ocior.default)",
    "dumps_short_arrays": "ocior.dumps([value, [list(range(9))] * 500], default=ocior.Default(short_arrays=30), indent=1)",
    "policies": 'repr(ocior.Default(non_finite="null", big_integers="str", max_depth=5))',
    "policies_error": 'ocior.Default(non_finite="zero")',
    "dumps_error": 'ocior.dumps([value, {"a": unknown}])',
    "dumps_wide": r'ocior.dumps([value, "\U0001f600" * 100, value], ensure_ascii=False)',
    "dumps_long": "(ocior.dumps(long), ocior.dumps(long, ensure_ascii=False), ocior.dumps_to_bytes(long))",
    "first_loads": "ocior.loads(document)",
    "first_dumps": "ocior.dumps(value)",
    "keywords": r'ocior.dumps(keyed, indent="\u4e2d", separators=("\xe9", "\U0001f600"), ensure_ascii=False, skipkeys=True)',
    "decode": "decoder.decode(document)",
    "decode_error": "decoder.decode(document[:-1])",
    "raw_decode": "decoder.raw_decode(wide, 0)",
    "decoder_policies": 'ocior.JSONDecoder(duplicate_keys="first", max_depth=9).decode("[1]")',
    "decoder_made": 'ocior.JSONDecoder(parse_int=str).decode("[1]")',
    "cls": "ocior.loads(raw, cls=json.JSONDecoder)",
    "cls_hooks": "ocior.loads(document, cls=ocior.JSONDecoder, object_hook=hook, parse_float=str)",
    "load": 'ocior.load(io.StringIO("[1, 2.5]"), parse_int=str)',
    "scanner": 'ocior.scanner.make_scanner(decoder)("[1, 2]", 0)',
    "scanstring": r"""ocior.decoder.scanstring('"\\u4e2d" ', 1)""",
}


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.parametrize("job", CALLS_THAT_ALLOCATE)
def test_every_allocation_may_fail(job):
    """Let the n-th allocation fail (and then all from the n-th on), for every n until the call succeeds."""
    check_python(
        r"""
        import dataclasses, decimal, io, sys, json, ocior
        from failing import fail_each_allocation
        fresh = iter([dataclasses.make_dataclass("Fresh", ["a"])(1) for _ in range(400 if "fresh" in sys.argv[2] else 0)])
        decoder = ocior.JSONDecoder()
        records = [
            {"id": 1, "name": "\u4e2d\u6587" * 3, "n": [1.5, 2, 12345678901234567890, None]},
            {"id": 2, "name": "x" * 100, "n": []},
            {"id": 3, "name": "y\n", "n": [{}]},
        ]
        document = json.dumps(records * 3, ensure_ascii=False)
        wide = document.replace("x", "\U0001f600")
        nests = " " * 300_000 + json.dumps([{"a": {"b": [[1], [{"c": [[[]]] * n}]]}, "d": [[{"e": []}]] * n} for n in (1, 1, 5, 0, 1)])
        odd = '[{"a":1,"\u4e2d":[{}],"a":{"b":18446744073709551616,"b":2}},{"x":"\\ud800","\\udfff":"\ud800\u4e2d","x":3}]'
        decimal.getcontext()  # where CPython cannot make that, it ends itself
        fractions = "[1.50, -0.25e3, 0.12345678901234567890123, 1e2000000, {}]".format("0." + "9" * 80)
        raw = document.encode()
        sixteen = document.encode("utf-16")
        value = json.loads(document)
        keyed = {1: [1.5], 2: {"x": "\xe9" * 50}, 3: (1, 2)}
        long = ["a" * 3000, "\x00" * 3000, "\xe9" * 3000, "\u4e2d" * 3000, "\U0001f600" * 3000] * 3
        unknown = [1, object(), {"a": object()}]
        hook = lambda obj: obj
        mistakes = (ValueError, TypeError)  # a tuple made where allocations fail would fail, too
        job = eval("lambda: " + sys.argv[2])
        expected = None
        if not sys.argv[1].startswith("first"):
            try:
                expected = job()
            except mistakes:
                expected = None
        fail_each_allocation(job, mistakes, expected)
        for _ in range(3):
            try:
                again = job()
                assert expected is None or again == expected
            except mistakes:
                assert "error" in sys.argv[1]
    """,
        job,
        CALLS_THAT_ALLOCATE[job],
    )


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.skipif(hasattr(sys, "gettotalrefcount"), reason="a debug interpreter ends itself where it has no memory for a traceback")
def test_decode_errors_survive_what_cannot_be_made():
    """Each allocation fails in turn: either MemoryError, or json's error with as much of its place as there was memory for."""
    check_python("""
        import json, _testcapi, ocior
        document = '{"users": [1, 2, {"odd \\u4e2d name": {"x": [' + "[" * 30 + "tru"
        failures = MemoryError, SystemError  # the interpreter's own, when it has no memory for a traceback
        decoder = ocior.JSONDecoder()
        jobs = [
            lambda: ocior.loads(document),
            lambda: decoder.decode(document),
            lambda: decoder.raw_decode(document, 17),
            lambda: ocior.loads(document, cls=json.JSONDecoder),
        ]

        def attempt(job, *span):  # short, so that the interpreter itself need not allocate to handle an exception
            try:
                _testcapi.set_nomemory(*span)
                job()
            except failures:
                pass
            except ValueError as error:
                return error
            finally:
                _testcapi.remove_mem_hooks()

        for job in jobs:
            for forever in (False, True):
                whole = 0
                for n in range(1, 2000):
                    error = attempt(job, n) if forever else attempt(job, n, n + 1)
                    whole = whole + 1 if hasattr(error, "snippet") else 0
                    assert error is None or error.msg.startswith("Expecting value"), error
                    if whole > 60:
                        break
                else:
                    raise SystemExit("never whole")
    """)
