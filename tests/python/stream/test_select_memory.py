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
        import sys, ocior
        from failing import fail_each_allocation
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
        # The interpreter may have no memory for a frame, or for an import.
        fail_each_allocation(job, mistakes, expected, failures=(MemoryError, SystemError, ImportError))
        try:
            assert job() == expected
        except mistakes:
            assert expected is None
    """,
        job,
    )
