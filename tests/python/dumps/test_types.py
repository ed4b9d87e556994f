"""Classes derived from JSON's own types, of which the encoder remembers how values are written: many at a time, changed while a document
is written, dead and followed by another at the same address, out of versions."""

import collections
import enum
import gc
import importlib.util
import json
import os
import random
import sys
from typing import NamedTuple

import pytest
from attacks import Changes
from layouts import each_layout, layouts
from roads import same_dump, same_encoder
from support import IS_QUICK, call, collect, error_facts, facts, same_dumps
from threads import together

import ocior


class Family(NamedTuple):
    base: type
    arguments: tuple  # of the value
    is_key: bool  # whether json takes such a value as a key


FAMILIES = [
    Family(str, ("text",), True),
    Family(str, ("\u4e2d\xe9\U0001f600",), True),
    Family(int, (7,), True),
    Family(int, (-(2**63),), True),
    Family(int, (10**70,), True),
    Family(float, (1.5,), True),
    Family(float, ("nan",), True),
    Family(list, ([1, "a", None],), False),
    Family(list, ([],), False),
    Family(tuple, ((1, [2]),), False),
    Family(dict, ({"a": 1, "b": [2]},), False),
    Family(dict, ({},), False),
    Family(object, (), False),
]
KEYWORDS = [{}, {"indent": 1}, {"ensure_ascii": False, "sort_keys": True}, {"skipkeys": True, "separators": (",", ":")}]


def make(family, number=0):
    return type(f"T{number}", (family.base,), {})(*family.arguments)


def document(families, first=0):
    """One value of a new class for each of these families, among others, and in their turn as keys."""
    values = [make(family, first + index) for index, family in enumerate(families)]
    keys = {make(family, index): index for index, family in enumerate(families) if family.is_key}
    return [*values, 5, keys, {"key": values[-1], "more": {"values": tuple(reversed(values))}}]


def hook(obj):
    return [type(obj).__name__, 10**70]


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
def test_many_classes(keywords):
    """More than are remembered, so that some drive others out; each value twice, in an order of its own."""
    rng = random.Random(1)
    families = [family for family in FAMILIES for _ in range(16)]
    rng.shuffle(families)
    value = document(families)
    if keywords.get("sort_keys"):
        value = [item for item in value if type(item) is not dict]  # str and float have no order
    for _ in range(2):
        same_dumps(value, default=hook, **keywords)
        same_dump(value, default=hook, **keywords)
        same_encoder(value, default=hook, **keywords)


def test_classes_at_the_address_of_dead_ones():
    """What was remembered of a class is not believed of another family's class that takes its place in memory."""
    last_at = {}
    reused = 0
    for turn in range(800):
        family = FAMILIES[turn * 7 % len(FAMILIES)]
        value = make(family)
        reused += last_at.get(id(type(value)), family) is not family
        last_at[id(type(value))] = family
        keys = {value: 1} if family.is_key else {}
        for keywords in layouts("json", "unescaped"):
            assert ocior.dumps([value, keys], default=hook, **keywords) == json.dumps([value, keys], default=hook, **keywords)
        assert "".join(ocior.JSONEncoder(default=hook).iterencode([value, keys])) == json.dumps([value, keys], default=hook)
        del value, keys
        collect()
    assert reused > 0 or os.environ.get("OCIOR_SANITIZED")  # which gives no memory out again that was freed a moment ago


def reversing(base):
    """A class of the layout of `base` whose items come in another order, or twice."""
    methods = {
        list: {"__iter__": lambda self: reversed([*list.__iter__(self), 0])},
        tuple: {"__iter__": lambda self: reversed([*tuple.__iter__(self), 0])},
        dict: {"items": lambda self: [("twice", 2), *dict.items(self), ("twice", 3)]},
    }
    return type("Reversing", (base,), methods.get(base, {"__str__": lambda self: "no", "__repr__": lambda self: "no"}))


def given_another_class(base, value):
    target = type("Before", (base,), {})(value)

    def change():
        target.__class__ = reversing(base)

    return target, change


def given_another_base(base, value):
    middle = type("Middle", (base,), {})
    target = type("Before", (middle,), {})(value)

    def change():
        type(target).__bases__ = (reversing(base),)

    return target, change


def given_methods(base, value):
    target = type("Before", (base,), {})(value)

    def change():
        for name, method in vars(reversing(base)).items():
            if name in ("__iter__", "items", "__str__", "__repr__"):
                setattr(type(target), name, method)

    return target, change


@pytest.mark.parametrize("changing", [given_another_class, given_another_base, given_methods])
@pytest.mark.parametrize(
    ("base", "value"), [(str, "\xe9text"), (int, 2**70), (float, 0.5), (list, [1, 2]), (tuple, (1, 2)), (dict, {"a": 1})]
)
@each_layout("json", "unescaped", "indent 1")
def test_class_changes_between_two_values(changing, base, value, keywords):
    """As item and as value, before and after, in one document: what counts is what the class is when the value's turn comes."""

    def outcome(function):
        target, change = changing(base, value)
        key = {target: 1} if base in (str, int, float) else {}
        return call(function, [target, key, {"v": target}, Changes(change), target, key, {"v": target}])

    def dumps(module):
        return outcome(lambda obj: module.dumps(obj, default=Changes.fire, **keywords))

    def iterencode(module):
        return outcome(lambda obj: "".join(module.JSONEncoder(default=Changes.fire, **keywords).iterencode(obj)))

    for road in (dumps, iterencode):
        ours, theirs = road(ocior), road(json)
        assert facts(ours.value) == facts(theirs.value)
        assert theirs.error is None or error_facts(ours.error) == error_facts(theirs.error)


class Claims:
    """By its __class__ one thing, and the next value of the same class another."""

    def __init__(self, claimed):
        self.claimed = claimed

    __class__ = property(lambda self: self.claimed)

    def __len__(self):
        return 2

    def __iter__(self):
        return iter((1, 2))

    def items(self):
        return {"a": 1}.items()


def test_values_that_claim_other_classes():
    """json's encoder in Python believes each, that in C none."""
    claims = [Claims(claimed) for claimed in (list, dict, object, tuple, list, set, dict)]
    value = [claims, {"a": claims[0], "b": claims[1], "c": claims[2]}, claims]
    for keywords in KEYWORDS:
        same_dump(value, default=lambda obj: "other", **keywords)
        same_dumps(value, default=lambda obj: "other", **keywords)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{family.base.__name__}{family.arguments}")
def test_classes_without_a_version_left(family):
    """Since 3.13 CPython gives a class 1000 versions at most; one that has none is written like the others."""
    value = make(family)
    for turn in range(1200):
        type(value).turn = turn
        assert value.turn == turn  # looks it up, which takes a version
        if turn % 100 == 0 or turn > 1195:
            same_dumps([value, {value: 1} if family.is_key else [], value], default=hook)


def test_texts_of_scalars():
    """Short and long, as items and as keys, in output of each width, where it ends anywhere in the memory that it has."""

    class Integer(int):
        __repr__ = __str__ = lambda self: "no"

    class Float(float):
        __repr__ = __str__ = lambda self: "no"

    numbers = [sign * 10**digits for digits in [*range(0, 75, 3), 300, 4000] for sign in (1, -1)]
    scalars = [Integer(number) for number in numbers] + [Float(f"{digit}.{'7' * digit}e-300") for digit in range(18)]
    scalars += [Float("inf"), Float("-inf"), 2**63, -(2**63) - 1, enum.IntEnum("Member", {"A": 2**64}).A]
    for filler in ("", "\xe9", "\u4e2d", "\U0001f600"):
        for keywords in ({"ensure_ascii": False}, {"ensure_ascii": False, "separators": (",\u2028", ":")}, {"indent": 2}):
            same_dumps([scalars, filler, dict.fromkeys([*scalars, True, None]), scalars], **keywords)
            same_dump([scalars, filler, dict.fromkeys([*scalars, True, None]), scalars], **keywords)
    for room in range(64_900, 65_600, 13):
        value = ["x" * room, Integer(10**60), {Integer(10**600): Integer(10**60)}, "\u4e2d", {Float(0.1): Integer(10**600)}]
        for ensure_ascii in (True, False):
            assert ocior.dumps(value, ensure_ascii=ensure_ascii) == json.dumps(value, ensure_ascii=ensure_ascii)


def test_threads_make_and_drop_classes():
    shared = [make(family, index) for index, family in enumerate(FAMILIES * 6)]
    expected = json.dumps(shared, default=hook)

    def work(number):
        for turn in range(60):
            family = FAMILIES[(turn + number) % len(FAMILIES)]
            for _ in range(3):
                value = [make(family), {make(family): 1} if family.is_key else None]
                assert ocior.dumps(value, default=hook) == json.dumps(value, default=hook)
            if turn % 6 == 0:
                assert ocior.dumps(shared, default=hook) == expected
                if number == 0:
                    collect()
            type(shared[(turn * 7) % len(shared)]).turn = turn  # new versions of classes that others write values of

    together(work, 4 if sys.version_info >= (3, 12) else 2)


# ---- how classes derived from list, tuple and dict are read ----


class PlainDict(dict):
    pass


class PlainList(list):
    pass


class PlainTuple(tuple):
    __slots__ = ()


class Slots(dict):
    __slots__ = ("own",)


class ByName(dict):
    """Its items are its attributes, too, as in many programs."""

    def __getattr__(self, name):
        return self[name]


class OwnDict(dict):
    """An instance's attributes are its items: a key `items` hides the method."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.__dict__ = self


def with_method(base, name, method):
    return type(f"{base.__name__}_{name}", (base,), {name: method, "__repr__": object.__repr__})


def refuse(*_):
    raise LookupError("refused")


CHANGES = {
    "items": [lambda self: [("own", 1)], lambda self: iter([("own", 1)]), lambda self: 5, refuse],
    "keys": [lambda self: ["own"], refuse],
    "values": [lambda self: [1], refuse],
    "__iter__": [lambda self: iter(["own"]), refuse],
    "__len__": [lambda self: 0, lambda self: 7, refuse],
    "__bool__": [lambda self: False, lambda self: True, refuse],
    "__getitem__": [lambda self, key: "own", refuse],
    "__getattribute__": [
        lambda self, name: (lambda: [("own", 2)]) if name == "items" else object.__getattribute__(self, name),
        lambda self, name: refuse() if name == "items" else object.__getattribute__(self, name),
    ],
    "__getattr__": [lambda self, name: "own", refuse],
    "__contains__": [refuse],
    "__length_hint__": [lambda self: 3, refuse],
}
KEYWORDS = [{}, {"indent": 1}, {"sort_keys": True}, {"sort_keys": True, "indent": 2}, {"skipkeys": True, "check_circular": False}]


def same_everyhow(value):
    for keywords in KEYWORDS:
        same_dumps(value, **keywords)
        same_encoder([value, {"k": value}], **keywords)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("base", [dict, list, tuple, collections.OrderedDict, PlainDict, PlainList], ids=lambda base: base.__name__)
def test_classes_that_say_how_they_are_read(base, name):
    for method in CHANGES[name]:
        for content in ([("b", 1), ("a", [2])], []):
            if not content and name in ("__bool__", "__len__"):
                continue  # json writes no JSON for a list that is true and has nothing in it
            cls = with_method(base, name, method)
            if base is tuple:
                value = tuple.__new__(cls, content)
            else:  # its constructor may ask its own methods
                value = with_method(base, "own", None)(content)
                value.__class__ = cls
            same_everyhow(value)


def test_classes_that_are_read_as_they_are_stored():
    """Every width, order and kind of key, long ones, and what is not read there after all."""
    contents = [
        {},
        {"b": 1, "a": 2},
        {"\u4e2d": "\U0001f600", "a": "\xe9"},
        {1: 2, None: 3, True: 4, 1.5: 5},
        {"a": 1, 2: 3},
        {(1,): 2, "a": 1},
    ]
    many = 1000 if IS_QUICK else 5000
    contents += [{str(i): i for i in range(n)} for n in (3, 9, 70, many)]
    for cls in (PlainDict, Slots, ByName, collections.OrderedDict, collections.Counter, lambda d: collections.defaultdict(list, d)):
        for content in contents:
            same_everyhow(cls(content))
            same_everyhow([cls(content)] * 3)
        few = cls({"b": 1, "a": 2, "c": 3})
        del few["a"]
        few["a"] = 4
        few.pop("b")
        same_everyhow(few)
    for content in ([], [1], ["\u4e2d", [1.5]], list(range(many)), [[1.5, 2.5]] * 40):
        for cls in (PlainList, PlainTuple):
            same_everyhow(cls(content))
            same_everyhow({"k": cls(content)})
    same_everyhow(OwnDict({"a": 1}))
    same_everyhow(OwnDict({"items": 1}))
    same_everyhow(OwnDict({"items": lambda: [("own", 1)]}))
    hidden = PlainDict({"a": 1})
    for value in (5, lambda: {"own": 2}.items(), PlainDict.items, hidden.items, PlainDict({"b": 2}).items, None):
        hidden.items = value
        same_everyhow(hidden)
    del hidden.items
    same_everyhow(hidden)


def test_ordered_dicts_in_an_order_of_their_own():
    ordered = collections.OrderedDict(zip("abcdef", range(6)))
    ordered.move_to_end("a")
    ordered.move_to_end("d", last=False)
    same_everyhow(ordered)
    dict.__setitem__(ordered, "behind", 1)
    same_everyhow(ordered)
    dict.__delitem__(ordered, "b")
    for keywords in KEYWORDS:
        ours, theirs = call(ocior.dumps, ordered, **keywords), call(json.dumps, ordered, **keywords)
        assert error_facts(ours.error) == error_facts(theirs.error) == ("KeyError", ("b",))
    ordered = collections.OrderedDict({"a": 1, "".join("bc"): 2, "d": 3})
    dict.__delitem__(ordered, "bc")
    dict.__setitem__(ordered, "".join("bc"), 4)  # an equal key, at another place
    dict.clear(behind := collections.OrderedDict({"a": 1, "".join("bc"): 2}))
    dict.update(behind, {"a": 1, "".join("bc"): 3})  # at the same one
    key = "".join("bc")
    same_key = collections.OrderedDict({"a": 1, key: 2})
    dict.__delitem__(same_key, key)
    dict.__setitem__(same_key, key, 3)
    dict.popitem(shorter := collections.OrderedDict(a=1, b=2))
    for keywords in KEYWORDS:
        for value in (ordered, behind, same_key, shorter):
            ours, theirs = call(ocior.dumps, value, **keywords), call(json.dumps, value, **keywords)
            assert (ours.value, ours.error and error_facts(ours.error)) == (theirs.value, theirs.error and error_facts(theirs.error))
    ordered = collections.OrderedDict(a=1)
    ordered.items = lambda: [("own", 1)]
    same_everyhow(ordered)


def test_classes_that_change_how_they_are_read():
    class Changing(dict):
        pass

    class ChangingList(list):
        pass

    value, row = Changing(a=1), ChangingList([1])
    for _ in range(3):
        same_everyhow([value, row])
        Changing.items = lambda self: [("own", 1)]
        ChangingList.__iter__ = lambda self: iter([7])
        same_everyhow([value, row])
        del Changing.items, ChangingList.__iter__
        Changing.__len__ = lambda self: 0
        ChangingList.__bool__ = lambda self: False
        same_everyhow([value, row])
        del Changing.__len__, ChangingList.__bool__


@each_layout("json", "indent 1", "sorted")
def test_derived_containers_in_themselves(keywords):
    value, row = PlainDict(a=1), PlainList([1])
    value["self"], row[0:0] = [value], [[row]]
    same_dumps(value, **keywords)
    same_dumps(row, **keywords)


@pytest.mark.parametrize("cls", [PlainDict, ByName, collections.OrderedDict, collections.Counter, PlainList], ids=lambda cls: cls.__name__)
def test_hooks_that_edit_derived_containers(cls):
    """json has taken the items before, or meets the change: in text without lines, with lines and in pieces."""
    edits = [lambda d: d.pop("c"), lambda d: d.__setitem__("c", 9), lambda d: d.__setitem__("z", 9), lambda d: d.clear()]
    edits += [lambda d: (d.pop("c"), d.__setitem__("e", 5)), lambda d: (d.clear(), d.update({str(i): i for i in range(99)}), gc.collect())]
    if cls is PlainList:
        edits = [
            lambda d: d.pop(),
            lambda d: d.__setitem__(2, 9),
            lambda d: d.append(7),
            lambda d: d.clear(),
            lambda d: d.extend(range(999)),
        ]
    for edit in edits:
        for keywords in KEYWORDS:
            outcomes = []
            for module in (json, ocior):
                value = cls([1, object(), "\u4e2d" * 30, [4]] if cls is PlainList else {"a": 1, "b": object(), "c": "x" * 30, "d": [1]})

                def hook(obj):
                    edit(value)
                    return ["H"]

                for function in (module.dumps, lambda obj, **keywords: "".join(module.JSONEncoder(**keywords).iterencode(obj))):
                    outcome = call(function, value, default=hook, **keywords)
                    outcomes.append((outcome.value, outcome.error and error_facts(outcome.error)))
                    if function is module.dumps:
                        value = cls(value) if cls is not collections.OrderedDict else value
            assert outcomes[: len(outcomes) // 2] == outcomes[len(outcomes) // 2 :]


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_hooks_that_edit_lists_around_them(depth):
    """Lists in a list are open when the hook is called: all of them were taken before, those behind are not yet."""
    for edit in (list.clear, list.pop, lambda row: row.extend([7] * 100), list.reverse):
        for keywords in KEYWORDS:
            outcomes = []
            for module in (json, ocior):
                rows = [PlainList([1.5, "\u4e2d"]) for _ in range(depth)]
                for row, inner in zip(rows, rows[1:]):
                    row += [inner, PlainList([inner]), 5]
                rows[-1] += [object(), PlainList([6]), object(), 8]

                def hook(obj):
                    for row in rows:
                        edit(row)
                    return PlainList(["H"])

                for function in (module.dumps, lambda obj, **keywords: "".join(module.JSONEncoder(**keywords).iterencode(obj))):
                    outcome = call(function, rows[0], default=hook, **keywords)
                    outcomes.append((outcome.value, outcome.error and error_facts(outcome.error)))
            assert outcomes[: len(outcomes) // 2] == outcomes[len(outcomes) // 2 :]


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
def test_lists_that_cannot_be_copied_before_a_hook():
    import _testcapi

    outcomes = set()
    for n in range(60):
        value = PlainList([1, {1}, 2])
        try:
            _testcapi.set_nomemory(n, n + 1)
            text = ocior.dumps(value, default=value.remove)
        except MemoryError:
            text = "refused"
        finally:
            _testcapi.remove_mem_hooks()
        outcomes.add(text)
    assert "[1, null, 2]" in outcomes and outcomes <= {"[1, null, 2]", "refused"}


class OddKey:
    """In the dict of an instance, it is compared with the name of every attribute that has its hash."""

    def __init__(self, action):
        self.action = action

    def __hash__(self):
        return hash("items")

    def __eq__(self, other):
        self.action()
        return False


def test_instances_that_die_when_their_attributes_are_asked():
    """json's own encoder reads freed memory then, where it does not look for cycles."""
    content = {f"k{i}": f"v{i}\xe9" for i in range(20)}
    for keywords in KEYWORDS:
        parent = [type("New", (dict,), {})(content)]  # no instance of which has had an attribute `items`
        parent[0].__dict__[OddKey(parent.clear)] = 1
        assert ocior.dumps(parent, **keywords) == json.dumps([content], **keywords)


def test_errors_of_odd_attributes_are_raised():
    def interrupt():
        raise KeyboardInterrupt

    for keywords in KEYWORDS:
        value = type("New", (dict,), {})(a=1)
        value.__dict__[OddKey(interrupt)] = 1
        before = sys.getrefcount(value)
        with pytest.raises(KeyboardInterrupt):
            ocior.dumps([value], **keywords)
        assert sys.getrefcount(value) == before


@pytest.mark.parametrize("kind", ["ordered", "derived", "sorted"])
def test_containers_that_die_in_a_garbage_collection(kind):
    """Until Python 3.12 whoever asks for memory may start one, and what that calls may edit everything."""
    few, many = [(f"k{i}", f"v{i}\xe9") for i in range(20)], {f"k{i}": f"v{i}\xe9" for i in range(5000)}
    keywords = {"sort_keys": True} if kind == "sorted" else {}
    make = {"ordered": lambda: collections.OrderedDict(few), "derived": lambda: PlainDict(many), "sorted": lambda: dict(many)}[kind]
    whole = json.dumps([make()], **keywords)

    def run(threshold, turn):
        parent, turns = [make()], []

        def callback(phase, info):
            turns.append(phase)
            if turns.count("start") == turn:
                parent.clear()

        gc.collect()
        gc.callbacks.append(callback)
        gc.set_threshold(threshold)
        try:
            return ocior.dumps(parent, **keywords)
        finally:
            gc.set_threshold(*usual)
            gc.callbacks.remove(callback)

    usual = gc.get_threshold()
    for threshold in range(1, 8):
        for turn in range(1, 4):
            assert run(threshold, turn) in (whole, "[]")
