"""Which class of a union an object becomes: by tags wherever they stand, Literal fields, keys; and in linear time."""

import dataclasses
import enum
import gc
import itertools
import json
import time
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypedDict, Union

import pytest

from ocior import Alias, Decoder, Rules, Tag, ValidationError


@dataclass
class Cat:
    kind: Literal["cat", "kitten"]
    lives: int = 9
    inner: "Cat | Dog | None" = None


@dataclass
class Dog:
    kind: Literal["dog"]
    inner: "Cat | Dog | None" = None
    tags: list[str] = field(default_factory=list)


class Bird(TypedDict):
    kind: Literal["bird \xe9"]
    wings: int


@dataclass
class First:
    __ocior__ = Rules(tag=("type", "first"))
    a: int


@dataclass
class Second:
    __ocior__ = Rules(tag=("type", "second"))
    a: int


@dataclass
class One:
    n: Literal[1]
    x: int = 0


@dataclass
class Huge:
    n: Literal[2**70, -5]
    x: int = 0


class Shape(enum.Enum):
    ROUND = "round"
    FLAT = "flat"


@dataclass
class Round:
    shape: Literal[Shape.ROUND]


@dataclass
class Flat:
    shape: Literal[Shape.FLAT]


@dataclass
class User:
    name: str
    email: str = ""


@dataclass
class Nobody:
    name: str


@dataclass
class Group:
    name: str
    members: list[str]


@dataclass
class Renamed:
    members_of: Annotated[list[str], Alias("membersOf", "members_of")]
    name: str = ""


def orders(document):
    """The object with its members in every order, as text."""
    for items in itertools.islice(itertools.permutations(document.items()), 24):
        yield json.dumps(dict(items))
        yield json.dumps(dict(items), ensure_ascii=False, indent=1)


def both(text):
    return (text, text.encode())


ROWS = [
    (Union[Cat, Dog], {"kind": "cat", "lives": 3}, Cat("cat", 3)),
    (Union[Cat, Dog], {"kind": "kitten", "unknown": [1, {"kind": "dog"}]}, Cat("kitten")),
    (
        Union[Dog, Cat, None],
        {"kind": "dog", "tags": ["kind", "cat"], "inner": {"lives": 1, "kind": "cat"}},
        Dog("dog", Cat("cat", 1), ["kind", "cat"]),
    ),
    (Union[Cat, Bird], {"wings": 2, "kind": "bird \xe9"}, {"kind": "bird \xe9", "wings": 2}),
    (Union[First, Second], {"a": 1, "type": "second"}, Second(1)),
    (Union[First, Second], {"a": 1, "type": "first", "kind": "second"}, First(1)),
    (Union[One, Huge], {"n": 2**70, "x": 5}, Huge(2**70, 5)),
    (Union[One, Huge], {"n": -5}, Huge(-5)),
    (Union[One, Huge], {"x": 1, "n": 1}, One(1, 1)),
    (Union[Round, Flat], {"shape": "flat"}, Flat(Shape.FLAT)),
    (Union[User, Group], {"name": "a", "members": ["b"]}, Group("a", ["b"])),
    (Union[User, Group], {"name": "a", "email": "b"}, User("a", "b")),
    (Union[User, Renamed], {"name": "a", "members_of": []}, Renamed([], "a")),
    (Union[User, Renamed], {"membersOf": [], "name": "a"}, Renamed([], "a")),
    (Union[Group, dict[str, int]], {"members": [], "name": "a"}, Group("a", [])),
    (Union[Group, dict[str, int]], {"x": 1, "y": 2}, {"x": 1, "y": 2}),
    (Union[Cat, Dog, dict[str, Any]], {"x": 1, "kind": "cow"}, {"x": 1, "kind": "cow"}),
    (Union[Cat, Dog, dict[str, Any]], {"x": 1}, {"x": 1}),
    (Annotated[Union[User, Group], Tag("what", {"u": User, "g": Group})], {"name": "a", "members": [], "what": "g"}, Group("a", [])),
    (Annotated[Union[User, Group], Tag("what", {1: User, 2: Group})], {"name": "a", "members": [], "what": 1}, User("a")),
]


@pytest.mark.parametrize(
    "found, document, expected", ROWS, ids=[f"{row[0]} {row[1]}".replace("test_decode_unions.", "")[:90] for row in ROWS]
)
def test_members(found, document, expected):
    decoders = Decoder(found), Decoder(list[found]), Decoder(dict[str, Optional[found]])
    for text in orders(document):
        for source in both(text):
            assert decoders[0].decode(source) == expected
        for source in both(f"[{text}, {text}]"):
            assert decoders[1].decode(source) == [expected, expected]
        for source in both(f'{{"\xe9": {text}, "x": null}}'):
            assert decoders[2].decode(source) == {"\xe9": expected, "x": None}
    # Whatever stands before the deciding key: text that looks like it, long containers, escapes.
    others = [
        '"kind\\"": "cat"',
        '"unknown": {"kind": "dog", "type": "first", "n": 1, "members": []}',
        '"y": [%s]' % ",".join(['{"kind":"dog"}'] * 9),
        '"z\\n": "kind"',
    ]
    text = json.dumps(document)
    if not isinstance(expected, dict):
        for source in both("{" + ", ".join(others) + ", " + text[1:]):
            assert decoders[0].decode(source) == expected


def test_escapes_in_tags():
    decoder = Decoder(Union[Cat, Bird])
    for text in ('{"k\\u0069nd": "cat"}', '{"kind": "\\u0063at"}', '{"\\u006b\\u0069\\u006e\\u0064": "c\\u0061t"}'):
        for source in both(text):
            assert decoder.decode(source) == Cat("cat")
    for text in ('{"kind": "bird \\u00e9", "wings": 1}', '{"kind": "bird \xe9", "wings": 1}'):
        for source in both(text):
            assert decoder.decode(source)["wings"] == 1


@pytest.mark.parametrize("position", ["first", "last"])
@pytest.mark.parametrize(
    "pad", ["", '"pad":"%s",' % ("x" * 100), '"pad":[%s],' % ",".join(["1234567"] * 20), '"pad":{"a":[%s]},' % ",".join(["1"] * 60)]
)
def test_nested(position, pad):
    """Containers of more and of less than what is noted, around and before the tags."""
    text, expected = "null", None
    for depth in range(60):
        kind = ("cat", "dog")[depth % 2]
        inside = f'{pad}"inner":{text}'
        text = f'{{"kind":"{kind}",{inside}}}' if position == "first" else f'{{{inside},"kind":"{kind}"}}'
        expected = Cat(kind, inner=expected) if kind == "cat" else Dog(kind, expected)
    for source in both(text):
        assert Decoder(Union[Cat, Dog]).decode(source) == expected
    for source in both(f"[{text},{text}]"):
        assert Decoder(list[Union[Cat, Dog]]).decode(source) == [expected, expected]


def test_nests_in_lists_and_dicts():
    @dataclass
    class Branch:
        kind: Literal["branch"]
        parts: "list[Branch | Leaf]"
        named: "dict[str, Branch | Leaf]"

    @dataclass
    class Leaf:
        kind: Literal["leaf"]
        text: str = ""

    for name, found in {"parts": list[Union[Branch, Leaf]], "named": dict[str, Union[Branch, Leaf]]}.items():
        Branch.__annotations__[name] = Branch.__dataclass_fields__[name].type = found

    def make(depth):
        if depth == 0:
            return '{"text":"%s","kind":"leaf"}' % ("x" * 70), Leaf("leaf", "x" * 70)
        text, value = make(depth - 1)
        return (
            f'{{"parts":[{text},{text}],"named":{{"a":{text},"kind":{text}}},"kind":"branch"}}',
            Branch("branch", [value, value], {"a": value, "kind": value}),
        )

    text, expected = make(4)
    for source in both(text):
        assert Decoder(Union[Branch, Leaf]).decode(source) == expected


def best_time(function):
    """Without collections, each of which looks at all that is made of a large document."""
    gc.disable()
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    gc.enable()
    return best


def nested_text(depth, position):
    if position == "first":
        return '{"kind":"dog","inner":' * depth + "null" + "}" * depth
    if position == "last":
        return '{"inner":' * depth + "null" + ',"kind":"dog"}' * depth
    return (
        '{"tags":["aaaaaaaaaa","aaaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbbb","cccccccccc"],"inner":' * depth
        + "null"
        + ',"kind":"dog"}' * depth
    )


@pytest.mark.parametrize("position", ["first", "last", "last, behind long arrays"])
def test_nested_tags_take_linear_time(position):
    """Of msgspec's, those that come last are quadratic: 800 deep 38 ms."""
    decoder = Decoder(Union[Cat, Dog])
    kind = position.split(",")[0] if position != "last, behind long arrays" else "other"
    small, large = nested_text(600, kind), nested_text(30_000, kind)
    decoder.decode(large)
    for _ in range(3):
        growth = best_time(lambda: decoder.decode(large)) / 50 / best_time(lambda: decoder.decode(small))
        if growth < 16:
            return
    raise AssertionError(growth)


def test_10_000_deep():
    made = Decoder(Union[Cat, Dog]).decode(nested_text(10_000, "last"))
    depth = 0
    while made is not None:
        depth, made = depth + 1, made.inner
    assert depth == 10_000


def test_wide_unions_take_linear_time():
    decoder = Decoder(list[Union[Cat, Dog]])
    texts = {count: "[" + ",".join(['{"tags":["a","b"],"unknown":{"a":[1,2,3]},"kind":"dog"}'] * count) + "]" for count in (400, 20_000)}
    for _ in range(3):
        growth = best_time(lambda: decoder.decode(texts[20_000])) / 50 / best_time(lambda: decoder.decode(texts[400]))
        if growth < 16:
            return
    raise AssertionError(growth)


def test_an_object_of_many_keys_before_its_tag():
    keys = ",".join(f'"k{index}":[{index}]' for index in range(20_000))
    assert Decoder(Union[Cat, Dog]).decode(f'{{{keys},"kind":"dog"}}') == Dog("dog")


def test_many_members():
    classes = [dataclasses.make_dataclass(f"Class{index}", [("kind", Literal[f"tag {index}"]), ("a", int, 0)]) for index in range(300)]
    decoder = Decoder(list[Union[tuple(classes)]])
    document = "[" + ",".join(f'{{"a":{index},"kind":"tag {index}"}}' for index in range(300)) + "]"
    for source in both(document):
        assert decoder.decode(source) == [cls(f"tag {index}", index) for index, cls in enumerate(classes)]


def test_the_order_of_members_means_nothing():
    document = '{"name":"a","members":["b"]}'
    for members in itertools.permutations([User, Group, int, None]):
        assert Decoder(Union[members]).decode(document) == Group("a", ["b"])
        assert Decoder(Union[members]).decode("5") == 5


class Pair(NamedTuple):
    a: int
    b: str


MIXED = Union[Cat, Dog, Pair, int, str, bool, None]
MIXED_ROWS = [("1", 1), ('"x"', "x"), ("true", True), ("null", None), ('[1,"y"]', Pair(1, "y")), ('{"kind":"dog"}', Dog("dog"))]


@pytest.mark.parametrize("text, expected", MIXED_ROWS, ids=[row[0] for row in MIXED_ROWS])
def test_mixed_kinds(text, expected):
    for source in both(text):
        made = Decoder(MIXED).decode(source)
        assert made == expected and type(made) is type(expected)
    assert Decoder(list[MIXED]).decode(f"[{text},{text}]") == [expected, expected]


@pytest.mark.parametrize(
    "found, document, code, path",
    [
        (Union[Cat, Dog], '{"kind":"cow"}', "tag", ("kind",)),
        (Union[Cat, Dog], "{}", "tag", ()),
        (Union[Cat, Dog], '{"kind":["cat"]}', "tag", ("kind",)),
        (Union[Cat, Dog], '{"kind":null}', "tag", ("kind",)),
        (Union[One, Huge], '{"n":1.0}', "tag", ("n",)),
        (Union[One, Huge], '{"n":true}', "tag", ("n",)),
        (Union[One, Huge], '{"n":"1"}', "tag", ("n",)),
        (Union[One, Huge], '{"n":%s}' % ("1" * 5000), "tag", ("n",)),
        (Union[Cat, Dog], '{"kind":"dog","kind":"cat"}', "choice", ("kind",)),
        (Union[Cat, Dog], '{"kind":"dog","inner":{"kind":"cow"}}', "tag", ("inner", "kind")),
        (Union[Cat, Dog], '{"kind":"cat","lives":"x"}', "type", ("lives",)),
        (Union[First, Second], '{"type":"third","a":1}', "tag", ("type",)),
        (Union[First, Second], '{"type":"first","type":"second","a":1}', "tag", ("type",)),
        (First, '{"type":"second","a":1}', "tag", ("type",)),
        (Union[User, Group], '{"members":[]}', "missing", ()),
        (Union[Cat, Dog], "[]", "type", ()),
        (Union[Cat, Dog], "5", "type", ()),
    ],
)
def test_wrong_members(found, document, code, path):
    for source in both(document):
        with pytest.raises(ValidationError) as caught:
            Decoder(found).decode(source)
        assert [(problem.code, problem.path) for problem in caught.value.errors] == [(code, path)]


def test_a_tag_that_is_no_field_may_be_absent_outside_of_unions():
    assert Decoder(First).decode('{"a":1}') == First(1)
    assert Decoder(First, unknown="forbid").decode('{"type":"first","a":1}') == First(1)


def test_optional_fields_do_not_mislead():
    """cattrs took the class whose unique key was optional."""

    @dataclass
    class A:
        a: int
        x: Optional[int] = None

    @dataclass
    class B:
        b: int
        x: Optional[int] = None
        a: int = 0

    assert Decoder(Union[A, B]).decode('{"x":1,"a":2,"b":3}') == B(3, 1, 2)
    assert Decoder(Union[A, B]).decode('{"x":1,"a":2}') == A(2, 1)


@pytest.mark.parametrize(
    "found",
    [
        Union[list[int], list[str]],
        Union[dict[str, int], dict[str, str]],
        Union[User, Nobody],
        Union[bytes, str],
        Union[set[int], tuple[int]],
    ],
)
def test_what_cannot_be_told_apart_is_refused(found):
    with pytest.raises(TypeError, match="cannot be told apart"):
        Decoder(found)
