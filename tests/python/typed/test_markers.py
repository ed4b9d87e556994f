"""Markers: what they take, what they refuse, and that they behave as values."""

import copy
import pickle
import re
from decimal import Decimal
from typing import Annotated, Any

import pytest
from ocior._typed.markers import MISSING, NO_RULES, Alias, Convert, Lax, Limits, Missing, Rest, Rules, Tag


class A:
    pass


MARKERS = [
    Alias("a", "b"),
    Limits(gt=1, max_length=3, pattern="^a"),
    Lax(),
    Rest(),
    Convert(int, takes=str, dump=str),
    Tag("kind", {"a": A}),
    Rules(rename={"a": "b"}, unknown="forbid", omit="none", tag=("kind", 1), array=False),
]


@pytest.mark.parametrize("marker", MARKERS, ids=lambda marker: type(marker).__name__)
def test_markers_are_values(marker):
    for other in (copy.copy(marker), copy.deepcopy(marker), pickle.loads(pickle.dumps(marker))):
        assert other == marker and hash(other) == hash(marker)
    assert marker != object() and not any(marker == other for other in MARKERS if other is not marker)
    with pytest.raises(AttributeError, match=f"{type(marker).__name__} cannot be changed"):
        marker.gt = 5
    with pytest.raises(AttributeError, match="cannot be changed"):
        del marker.names
    assert not hasattr(marker, "__dict__")
    assert Annotated[int, marker] == Annotated[int, copy.copy(marker)]


@pytest.mark.parametrize(
    ("marker", "text"),
    [
        (Alias("a", "b"), "Alias('a', 'b')"),
        (Limits(gt=1), "Limits(gt=1)"),
        (Lax(), "Lax()"),
        (Rules(rename="camel"), "Rules(rename='camel')"),
        (Tag("kind"), "Tag(name='kind')"),
    ],
    ids=repr,
)
def test_what_they_look_like(marker, text):
    assert repr(marker) == text


def test_missing_is_an_enum_of_one_member():
    assert list(Missing) == [MISSING] and type(MISSING) is Missing
    assert not MISSING and repr(MISSING) == "MISSING"
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING and copy.deepcopy(MISSING) is MISSING


REFUSED = [
    (lambda: Alias(), TypeError, "Alias takes one str or more"),
    (lambda: Alias(1), TypeError, "Alias takes one str or more"),
    (lambda: Alias("a", "a"), TypeError, "Alias has a name twice"),
    (lambda: Limits(min_length=-1), ValueError, "min_length must not be negative"),
    (lambda: Limits(max_length=1.5), TypeError, "max_length must be an int, not float"),
    (lambda: Limits(min_length=True), TypeError, "min_length must be an int, not bool"),
    (lambda: Limits(pattern=5), TypeError, "pattern must be a str or a compiled pattern"),
    (lambda: Limits(pattern=re.compile(b"a")), TypeError, "pattern must be a str or a compiled pattern"),
    (lambda: Limits(pattern="("), re.error, "missing|unterminated"),
    (lambda: Limits(tz=1), TypeError, "tz must be a bool, not int"),
    (lambda: Limits(multiple_of=0), ValueError, "multiple_of must be greater than zero"),
    (lambda: Limits(multiple_of="2"), TypeError, "multiple_of must be a number, not str"),
    (lambda: Limits(1), TypeError, "positional"),
    (lambda: Convert(), TypeError, "Convert needs load, dump or both"),
    (lambda: Convert("int"), TypeError, "Convert: load must be callable, not str"),
    (lambda: Convert(dump=5), TypeError, "Convert: dump must be callable, not int"),
    (lambda: Convert(dump=str, takes=int), TypeError, "there is no load"),
    (lambda: Tag(1), TypeError, "Tag: the key must be a str, not int"),
    (lambda: Tag("a", {1.5: A}), TypeError, "Tag: its values must be str or int, not float"),
    (lambda: Tag("a", {True: A}), TypeError, "Tag: its values must be str or int, not bool"),
    (lambda: Rules(rename="snake"), ValueError, "rename is 'camel', 'pascal', 'kebab', 'upper'"),
    (lambda: Rules(rename=5), TypeError, "rename must be a str, a function or a mapping, not int"),
    (lambda: Rules(unknown="keep"), ValueError, "unknown is 'ignore' or 'forbid', not 'keep'"),
    (lambda: Rules(omit="all"), ValueError, "omit is 'none' or 'defaults', not 'all'"),
    (lambda: Rules(tag="a"), TypeError, "tag is a tuple of the key and its value"),
    (lambda: Rules(tag=("a", True)), TypeError, "tag is a tuple of the key and its value"),
    (lambda: Rules(array=1), TypeError, "array must be a bool, not int"),
]


@pytest.mark.parametrize(("make", "kind", "words"), REFUSED)
def test_what_they_refuse(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_a_pattern_is_compiled():
    assert Limits(pattern="^a").pattern == re.compile("^a")


def test_what_is_taken_where_nothing_is_said():
    assert Convert(int).takes is Any and Convert(dump=str).takes is Any
    assert Limits(multiple_of=Decimal("0.1")).multiple_of == Decimal("0.1")


def test_rules_over_others():
    later, earlier = Rules(rename="camel", array=False), Rules(rename="upper", array=True, unknown="forbid")
    assert later.over(earlier) == Rules(rename="camel", array=False, unknown="forbid")
    assert later.over(None) is later and NO_RULES.over(earlier) == earlier
