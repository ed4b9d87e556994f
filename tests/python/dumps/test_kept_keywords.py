"""The keywords of the last calls of dumps and dumps_to_bytes, which are kept in compiled form: each call has its own all the same, however
it is written and whatever is called meanwhile."""

import functools
import itertools
import json
import sys

import pytest
from dumps_values import SAMPLES
from support import assert_same, call, check_python, json_to_bytes, same_dumps

import ocior


# The keywords of the last call are kept in their compiled form, by the names that are one object with every run of the same
# call expression: what a call gets must be its own all the same.
@functools.cache
def written_out(*names):
    return eval("lambda function, obj, keywords: function(obj" + "".join(f", {name}=keywords[{name!r}]" for name in names) + ")")


def after(first, then, obj=SAMPLES):
    """What a call with the keywords `then` gives after calls with the keywords `first`, as json's."""
    for function in (ocior.dumps, ocior.dumps_to_bytes):
        for _ in range(3):
            call(written_out(*first), function, obj, first)
        for _ in range(2):
            ours = call(written_out(*then), function, obj, then)
            theirs = call(json.dumps if function is ocior.dumps else json_to_bytes, obj, **then)
            # (Since 3.15 the words of an overflow depend on how often json's own line has run.)
            assert_same(ours, theirs, (first, then), types_only=sys.version_info >= (3, 15) and isinstance(theirs.error, OverflowError))


@pytest.mark.parametrize(
    "keyword, values",
    [
        ("indent", [1, 2, None, 0, "  ", "\t", True, 2**70, [], -1]),
        ("ensure_ascii", [True, False, 0, 1, "", "x", None, []]),
        ("sort_keys", [True, False, [], [1]]),
        ("separators", [(",", ":"), (", ", ": "), None, [",", ":"], ("\u4e2d", "="), (";" * 50, ":"), (1, 2), ","]),
        ("allow_nan", [True, False]),
        ("skipkeys", [False, True]),
        ("default", [None, repr, str]),
        ("cls", [None, json.JSONEncoder]),
    ],
)
def test_the_last_calls_keywords_do_not_stay(keyword, values):
    obj = [{"b": "\xe9\u4e2d", "a": [1, {}, []]}, float("nan"), {1: 2, (1, 2): 3}, object]
    for first, then in itertools.permutations(values, 2):
        for things in (obj, obj[:1]):
            after({keyword: first}, {keyword: then}, things)
            after({keyword: first, "check_circular": False}, {keyword: then, "check_circular": False}, things)
        after({keyword: first}, {}, obj[:1])


def test_keywords_in_another_order_and_number():
    keywords = {"ensure_ascii": False, "separators": (",", ":"), "sort_keys": True, "indent": 1, "allow_nan": True}
    orders = [dict(order) for count in range(len(keywords) + 1) for order in itertools.permutations(keywords.items(), count)][::7]
    for first, then in zip(orders, orders[1:] + orders[:1]):
        after(first, then)
    swapped = {"ensure_ascii": True, "sort_keys": False}, {"sort_keys": True, "ensure_ascii": False}
    for first, then in itertools.permutations(swapped):
        after(first, then)


def test_keywords_are_kept_by_call_not_by_function():
    """Calls from a hook, and from one function within the other's, have their own keywords."""
    inside = []

    def default(obj):
        inside.append(ocior.dumps([1, {"a": 2}], indent=1))
        inside.append(ocior.dumps_to_bytes([1, {"a": 2}], indent=3))
        return [1, 2]

    for _ in range(3):
        for function, theirs in ((ocior.dumps, json.dumps), (ocior.dumps_to_bytes, json_to_bytes)):
            assert function([1, {"a": 2}], indent=2) == theirs([1, {"a": 2}], indent=2)
        assert ocior.dumps([object(), {"a": 2}], indent=2, default=default) == json.dumps([[1, 2], {"a": 2}], indent=2)
    assert inside == [json.dumps([1, {"a": 2}], indent=1), json_to_bytes([1, {"a": 2}], indent=3)] * 3


def test_kept_keywords_of_partials_and_unpacked_dicts():
    """Names in a new tuple for each call, interned or not."""
    for obj in SAMPLES:
        for keywords in ({"indent": 2}, {"indent": 3}, {"ensure_ascii": False, "indent": 2}, {"indent": 2, "ensure_ascii": True}):
            made = {"".join(list(name)): value for name, value in keywords.items()}
            for given in (keywords, made):
                same_dumps(obj, **given)
                for _ in range(2):
                    assert functools.partial(ocior.dumps, **given)(obj) == json.dumps(obj, **keywords)
                    assert functools.partial(ocior.dumps, obj, **given)() == json.dumps(obj, **keywords)
                    assert functools.partial(ocior.dumps_to_bytes, **given)(obj) == json_to_bytes(obj, **keywords)


def test_keywords_in_use_are_not_replaced():
    """Python code that runs during a call makes calls with more other keywords than are kept."""

    class Nosy(dict):
        def items(self):
            for indent in (1, 3, 5, 7, 9, 11):
                for function, theirs in ((ocior.dumps, json.dumps), (ocior.dumps_to_bytes, json_to_bytes)):
                    assert function([1, {"a": 2}], indent=indent) == theirs([1, {"a": 2}], indent=indent)
                    assert function([self.get(0), "\xe9"], ensure_ascii=True) == theirs([None, "\xe9"], ensure_ascii=True)
            ocior.write_utf8_cache(False)
            return dict.items(self)

    value = [{"a": [1, Nosy(b=2, c=[3])]}, Nosy(d=Nosy(e=4)), 5]
    for _ in range(3):
        for function, theirs in ((ocior.dumps, json.dumps), (ocior.dumps_to_bytes, json_to_bytes)):
            assert function(value, indent=2) == theirs(value, indent=2)
            assert function(value, indent=4, sort_keys=True) == theirs(value, indent=4, sort_keys=True)


def test_kept_keywords_of_positional_and_named_calls():
    for _ in range(3):
        assert ocior.dumps([1], indent=2) == "[\n  1\n]"
        assert ocior.dumps(obj=[1], indent=2) == "[\n  1\n]"
        assert ocior.dumps(indent=2, obj=[1]) == "[\n  1\n]"
        for arguments in (([1], 2), ()):
            with pytest.raises(TypeError):
                ocior.dumps(*arguments, indent=2)


def test_the_caches_default_may_change_between_calls():
    check_python("""
        import sys, ocior
        def grown(dumps):
            text = "".join(["\\u4e2d", "x" * 50])
            size = sys.getsizeof(text)
            dumps([text])
            return sys.getsizeof(text) > size
        bare = lambda obj: ocior.dumps_to_bytes(obj)
        indented = lambda obj: ocior.dumps_to_bytes(obj, indent=2)
        told = lambda obj: ocior.dumps_to_bytes(obj, is_write_cache=cache)
        for dumps in (bare, indented):
            for default in (True, False, True):
                ocior.write_utf8_cache(default)
                assert grown(dumps) is default
                for cache in (True, False):
                    assert grown(told) is cache
                    assert grown(dumps) is default
    """)
