"""Keys that an ocior.Default is to write once each: dicts with such keys, dicts with two keys of one text, and hooks and keys that change
their dict, or fail, while it is looked at as a whole, as it is for canonical text, too."""

import enum
import itertools
import json
from decimal import Decimal

import pytest
from attacks import Changes
from layouts import each_layout
from policy_values import INF, KEYWORDS, NAN, Level, OddText, Plain, places
from rich_values import ROADS
from support import call

import ocior
from ocior import Default


class Listed(dict):
    def __init__(self, pairs):
        super().__init__(used=1)
        self.pairs = pairs

    def items(self):
        return self.pairs


UNIQUE = [
    {},
    {"a": 1, "b": [{}], "c": {"a": {}}},
    {9: 1, 10: 2, 1.5: None},
    {None: {True: 1}},
    {OddText("b"): 1, OddText("a"): 2},
    Listed([("b", 1), ("a", [Listed([(3, 4), (1, 2)])])]),
    Listed([]),
    Listed(()),
    {f"key {i}": {str(j): j for j in range(i)} for i in range(50)},
    {str(i): i for i in range(5000)},
    {i: {"\xe9\u4e2d\U0001f600": i} for i in range(300)},
    {Level.ONE: 1, 2: 3},
]
TWICE = [
    ({1: 1, "1": 2}, "1"),
    ({"1": 1, "a": 2, 1: 3}, "1"),
    ({None: 1, "null": 2}, "null"),
    ({"true": 1, True: 2}, "true"),
    ({1.5: 1, "1.5": 2}, "1.5"),
    ({OddText("a"): 1, "a": 2}, "a"),
    ({OddText("\u4e2d"): 1, OddText("\u4e2d"): 2}, "\u4e2d"),
    (Listed([("a", 1), ("b", 2), ("a", 3)]), "a"),
    ({NAN: 1, "NaN": 2}, "NaN"),
]


@pytest.mark.parametrize("value", UNIQUE, ids=lambda value: str(value)[:30])
def test_unique_keys(value):
    for keywords in KEYWORDS:
        for road in ROADS:
            ours = call(road, value, default=Default(duplicate_keys="error"), **keywords)
            theirs = call(json.dumps, value, **keywords)
            assert ours.value == theirs.value and type(ours.error) is type(theirs.error), (road, keywords)


@pytest.mark.parametrize("value, key", TWICE, ids=str)
@each_layout("json", "indent 1 unescaped", "skipping keys")
def test_duplicate_keys(value, key, keywords):
    for place, road in itertools.product(places(value), ROADS):
        error = call(road, place, default=Default(duplicate_keys="error"), **keywords).error
        assert type(error) is ValueError and str(error) == f"Duplicate key: {key!r}"
        if not isinstance(value, Listed):
            assert road(value, default=ocior.default, **keywords) == json.dumps(value, **keywords)


def test_duplicates_that_other_policies_make():
    default = Default(duplicate_keys="error", surrogates="replace")
    assert ocior.dumps({"\ud800": 1, "\ud800a": 2}, default=default, ensure_ascii=False) == '{"\ufffd": 1, "\ufffda": 2}'
    for value in ({"\ud800": 1, "\udfff": 2}, {"\ufffd": 1, "\ud800": 2}):
        with pytest.raises(ValueError, match="Duplicate key: '\ufffd'"):
            ocior.dumps(value, default=default)
    with pytest.raises(ValueError, match="Duplicate key: 'null'"):
        ocior.dumps({NAN: 1, INF: 2}, default=Default(duplicate_keys="error", non_finite="null"))
    keys = Default(duplicate_keys="error", keys=True)
    assert ocior.dumps({Plain.BIG: 1, "x": {Decimal("1.0"): 2, 3: 4}}, default=keys) == f'{{"{2**70}": 1, "x": {{"1.0": 2, "3": 4}}}}'
    with pytest.raises(ValueError, match="Duplicate key"):
        ocior.dumps({Plain.BIG: 1, 2**70: 2}, default=keys)


def test_keys_that_are_skipped_or_refused():
    default = Default(duplicate_keys="error")
    assert ocior.dumps({(1,): 1, (2,): 2, "a": 3}, default=default, skipkeys=True) == '{"a": 3}'
    for keywords in ({"skipkeys": True}, {"skipkeys": True, "indent": 1}):
        assert ocior.dumps([{(1,): 1}], default=default, **keywords) == json.dumps([{(1,): 1}], **keywords)
    with pytest.raises(TypeError, match="keys must be str, int, float, bool or None, not tuple"):
        ocior.dumps({"a": 3, (1,): 1}, default=default)
    with pytest.raises(ValueError, match="items must return 2-tuples"):
        ocior.dumps(Listed([("a", 1), ("b",)]), default=default)


@pytest.mark.parametrize(
    "options", ({"duplicate_keys": "error"}, {"canonical": True}, {"duplicate_keys": "error", "surrogates": "replace"}), ids=str
)
def test_hooks_that_change_dicts(options):
    """A dict whose keys are looked at first is written as it was then."""
    for first in ("a", 0, OddText("a"), "\ufffd"):
        for size in (3, 5000):
            victim = {}
            victim[first] = Changes(lambda: (victim.pop("0 last"), victim.update({i: i for i in range(50)}), victim.clear()))
            victim.update({f"k{i}": [i] for i in range(size)})
            victim["0 last"] = Changes(lambda: None)
            expected = {str(key): "changed" if isinstance(item, Changes) else item for key, item in victim.items()}
            written = ocior.dumps(victim, default=Default(Changes.fire, **options))
            assert json.loads(written) == expected and not victim


def test_keys_that_change_their_dict():
    class Key(int):
        def __repr__(self):
            victim.clear()
            return "key"

    class Items(dict):
        def items(self):
            victim.update(x=1, y=2)
            return [("a", victim), ("b", 1)]

    for options in ({"duplicate_keys": "error"}, {"canonical": True}):
        victim = {Key(1): [1], "b": [2], 3: [3]}
        assert json.loads(ocior.dumps(victim, default=Default(**options))) == {"1": [1], "b": [2], "3": [3]}
        victim = Items(c=1)
        with pytest.raises(ValueError, match="Circular reference detected"):
            ocior.dumps(victim, default=Default(**options))


def test_errors_from_keys():
    class Bad(dict):
        def items(self):
            raise KeyError("items")

    class Broken(enum.Enum):
        A = 1

        @property
        def value(self):
            raise LookupError("value")

    for options in ({"duplicate_keys": "error"}, {"canonical": True}):
        for road in ROADS:
            with pytest.raises(KeyError, match="items"):
                road([Bad(a=1)], default=Default(**options))
            with pytest.raises(LookupError, match="value"):
                road({"x": {Broken.A: 1}}, default=Default(keys=True, **options))
