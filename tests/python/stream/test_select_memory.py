"""at and view where memory runs out: each allocation of a call fails once, and then all from it on."""

import importlib.util

import pytest
from support import check_python


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.parametrize(
    "job",
    [
        'at(document, ("/a/1/b", "/c", "/a"), default=None)',
        "at(document.encode(), pointers, default=None)",
        'at(wide, ["/a/1/b", "/\\u4e2d", "/zz"], default=1)',
        'at(document, ["/a", "/a/1/b"], object_hook=hook)',
        'at(document, "/zz")',
        'at(document[:-1], "/a")',
        'at(document, ["", "/a/~x"])',
        "at(document, twenty, default=None)",
        'view(document)["a"][1]["b"]',
        'view(wide).at("/a/1/b")',
        "list(view(document.encode())) and view(bytearray(document.encode()))['a'].load()",
    ],
)
def test_every_allocation_may_fail(job):
    """Let the n-th allocation fail, and then all from it on, until the call succeeds: MemoryError, or what it returns."""
    check_python(
        r"""
        import gc, sys, _testcapi, ocior
        from ocior import PointerError, at, view
        document = '{"a":[1,{"b":2.5,"\\u0062":"x y"}],"c":{"d":"' + "z" * 80 + '"},"a key that is too long for one look":[],"c":[]}'
        wide = document.replace("z", "\u4e2d").replace('"c"', '"\u4e2d"')
        pointers = tuple("/a/" + str(number) for number in range(40))
        twenty = ["/k" + str(number) for number in range(20)] + ["/c"]
        hook = lambda value: value
        job = eval("lambda: " + sys.argv[1])
        mistakes = (ValueError, PointerError)
        try:
            expected = job()
        except mistakes:
            expected = None
        gc.disable()

        def attempt(first, last):
            try:
                _testcapi.set_nomemory(first, last)
                return job()
            except MemoryError:
                return MemoryError
            except mistakes:
                return None
            except (SystemError, ImportError) as error:  # the interpreter has no memory for a frame, or for an import
                return MemoryError
            finally:
                _testcapi.remove_mem_hooks()

        for forever in (False, True):
            clean = 0
            for n in range(1, 3000):
                result = attempt(n, 0 if forever else n + 1)
                failed = result is MemoryError
                if not failed and result is not None and expected is not None:
                    assert result == expected, n
                clean = 0 if failed else clean + 1
                if clean > 40:
                    break
            else:
                raise SystemExit("never succeeds")
        try:
            assert job() == expected
        except mistakes:
            assert expected is None
    """,
        job,
    )
