"""Containers that hold themselves, by way of default() and items(), too, and such as only stand in several places: what dumps refuses of
them, and what it does where check_circular is false."""

import pytest
from layouts import each_layout
from support import call, check_python, frozen, same_dumps

import ocior


def circular():
    one = []
    one.append(one)
    two = {}
    two["a"] = two
    three = [1, {"x": [2]}]
    three[1]["x"].append(three)
    four = {"a": ({"b": []},)}
    four["a"][0]["b"].append(four)
    five = [[[[[[[[[[[]]]]]]]]]]]
    five[0][0][0][0].append(five[0])
    thing = object()
    six = frozen(a=[1])
    six["a"].append(six)
    return [one, two, three, four, five, [thing], [[1, thing]], six]


@pytest.mark.parametrize("index", range(8))
@each_layout("json", "indent 1", "sorted", "unescaped")
def test_circular(index, keywords):
    hooks = {5: lambda obj: obj, 6: lambda obj: [obj]}
    obj = circular()[index]
    same_dumps(obj, default=hooks.get(index), **keywords)
    assert type(call(ocior.dumps, obj, default=hooks.get(index), **keywords).error) is ValueError


@pytest.mark.parametrize("above", (0, 1, 30, 31, 32, 62, 63, 64, 100, 126, 127, 128, 200))
def test_circles_below_other_containers(above):
    for round_trip in (1, 2, 3, 31, 64, 100, 129):
        first = last = []
        for i in range(round_trip - 1):
            last.append({"a": []} if i % 2 else [])
            last = last[0]["a"] if i % 2 else last[0]
        last.append(first)
        obj = first
        for i in range(above):
            obj = {"b": obj} if i % 2 else [1, obj]
        same_dumps(obj)


def test_circles_through_new_containers():
    class Items(dict):
        def items(self):
            return [("a", [[self]])]

    class Iterated(list):
        def __iter__(self):
            return iter([[{"b": self}]])

    for obj in (Items(a=1), Iterated([1]), [{"c": Items(a=1)}], {"c": [Iterated([1])]}):
        for keywords in ({}, {"indent": 1}, {"sort_keys": True}, {"default": str}):
            error = call(ocior.dumps, obj, **keywords).error
            assert (type(error), str(error)) == (ValueError, "Circular reference detected")


def test_shared_is_not_circular():
    shared = [1, {"a": 2}]
    obj = [shared, shared, {"x": shared, "y": {"z": shared}}, (shared,)]
    same_dumps(obj)
    for _ in range(12):
        obj = [obj, obj]
    same_dumps(obj)
    grown = lambda obj: shared  # noqa: E731
    same_dumps([object(), object(), [object()]], default=grown)


def test_unchecked_circles_end_in_recursion_error():
    check_python("""
        import ocior
        def circles():
            one, two = [], {}
            one.append(one)
            two["a"] = [two]
            return [(one, None), (two, None), (object(), lambda obj: obj), (object(), lambda obj: [obj])]
        for obj, hook in circles():
            for function in (ocior.dumps, ocior.dumps_to_bytes):
                for keywords in ({}, {"indent": 0}):
                    try:
                        function(obj, check_circular=False, default=hook, **keywords)
                    except RecursionError:
                        pass
                    else:
                        raise SystemExit(f"no RecursionError: {hook}")
    """)
