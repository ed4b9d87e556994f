"""Types and documents by chance: types that ocior compiles, and for each of them documents that fit, or nearly do."""

import collections
import dataclasses
import datetime
import enum
import ipaddress
import json
import pathlib
import uuid
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypedDict, Union

from ocior import Alias, Convert, Lax, Limits, Rest, Rules

NAMES = ["a", "b", "id", "kind", "name", "value", "long_name_of_a_field", "caf\xe9", "\u4e2d", "\U0001f600", "x y", 'q"q', "tab\t"]
ATTRIBUTES = ["a", "b", "id", "kind", "name", "value", "long_name_of_a_field", "caf\xe9", "\u4e2d", "other"]


class Color(enum.Enum):
    RED = "red"
    GREEN = "gr\xfcn"
    ONE = 1
    HALF = 0.5
    YES = True


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2**70


class Asking(enum.Enum):
    A = "a"

    @classmethod
    def _missing_(cls, value):
        return cls.A if value == "again" else None


class Bits(enum.IntFlag):
    READ = 1
    WRITE = 2


class Pair(NamedTuple):
    first: int
    second: Optional[str] = None


def positive(value):
    if value <= 0:
        raise ValueError("not positive")
    return value


def shouted(value):
    return value.upper()


SCALARS = [
    int,
    float,
    str,
    bool,
    None,
    Decimal,
    bytes,
    bytearray,
    datetime.datetime,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    uuid.UUID,
    Color,
    Level,
    Asking,
    Bits,
    pathlib.PurePosixPath,
    ipaddress.IPv4Address,
    Literal["a", "bb", "caf\xe9", 1, None],
    Literal[True, "x"],
    Literal[0, -1, 2**65],
    Annotated[int, Limits(ge=0, lt=100)],
    Annotated[float, Limits(gt=-1.5, multiple_of=0.5)],
    Annotated[Decimal, Limits(le=10, multiple_of=Decimal("0.1"))],
    Annotated[str, Limits(min_length=2, max_length=5)],
    Annotated[str, Limits(pattern="^[a-z]+$")],
    Annotated[bytes, Limits(max_length=3)],
    Annotated[datetime.datetime, Limits(tz=True)],
    Annotated[datetime.date, Limits(ge=datetime.date(2000, 1, 1))],
    Annotated[int, Lax()],
    Annotated[float, Lax()],
    Annotated[bool, Lax()],
    Annotated[datetime.timedelta, Lax()],
    Annotated[int, Convert(positive, takes=int)],
    Annotated[str, Convert(shouted, takes=str)],
]
UNIONS = [
    Optional[int],
    Union[int, str],
    Union[bool, float, None],
    Union[uuid.UUID, datetime.datetime, datetime.date, str],
    Union[Decimal, str],
    Union[int, Decimal, None],
    Union[Literal["x", 3], float],
    Union[datetime.timedelta, datetime.time, bool],
    Union[bytes, int],
    Union[Color, None],
    Union[int, list[int], dict[str, int]],
    Union[str, tuple[int, str], None],
]
KEYS = [str, str, str, int, Literal["a", "b"], uuid.UUID, datetime.date, Level, Annotated[str, Limits(max_length=2)]]

_count = iter(range(10**9))


def make_type(random, depth=3):
    """A type. `depth`: so many containers at most stand in each other."""
    chance = random.random()
    if depth == 0 or chance < 0.3:
        return random.choice(SCALARS)
    if chance < 0.4:
        return random.choice(UNIONS)
    if chance < 0.45:
        return Any
    if chance < 0.6:
        item = make_type(random, depth - 1)
        made = random.choice(["list", "list", "tuple", "deque"])
        made = {"list": list, "tuple": tuple, "deque": collections.deque}[made][(item, ...) if made == "tuple" else item]
        return Annotated[made, Limits(min_length=1, max_length=3)] if random.random() < 0.2 else made
    if chance < 0.63:
        return random.choice([set, frozenset])[random.choice([int, str, uuid.UUID, Union[int, str, None]])]
    if chance < 0.7:
        return tuple[tuple(make_type(random, depth - 1) for _ in range(random.randint(1, 3)))]
    if chance < 0.73:
        return Pair
    if chance < 0.8:
        made, key = random.choice([dict, dict, collections.OrderedDict, collections.defaultdict]), random.choice(KEYS)
        made = made[key, make_type(random, depth - 1)]
        # How many different keys there are that are no str is not known once something is wrong: their hashes are code of others.
        return Annotated[made, Limits(max_length=2)] if key is str and random.random() < 0.2 else made
    if chance < 0.88:
        return make_union_of_classes(random, depth)
    made = make_class(random, depth)
    return Optional[made] if random.random() < 0.2 else made


def make_class(random, depth, tag=None):
    """A class with fields, of any family that needs no library. `tag`: (name, value) of a field that is a Literal."""
    name = f"Class{next(_count)}"
    names = random.sample(ATTRIBUTES, random.randint(1, 6))
    types = {name: make_type(random, depth - 1) for name in names}
    if tag is not None:
        types.pop(tag[0], None)
        items = list(types.items())
        items.insert(random.randint(0, len(items)), (tag[0], Literal[tag[1]]))
        types = dict(items)
    if random.random() < 0.25:
        return TypedDict(name, types, total=tag is not None or random.random() < 0.5)
    rules = {}
    if random.random() < 0.3:
        rules["unknown"] = "forbid"
    if random.random() < 0.2 and tag is None:
        rules["rename"] = random.choice(["camel", "pascal", "kebab", "upper"])
    is_array = tag is None and random.random() < 0.1
    if is_array:
        rules["array"] = True
    fields = []
    for at, (field_name, found) in enumerate(types.items()):
        options = {}
        is_tag = tag is not None and field_name == tag[0]
        if random.random() < 0.15 and not is_tag:
            found = Annotated[found, Alias(f"alias{at}", f"caf\xe9{at}")]
        if random.random() < 0.35 and not is_tag:
            options = random.choice([{"default": None}, {"default_factory": list}, {"default": 7, "kw_only": True}])
        if random.random() < 0.05 and not is_tag:
            options = {"init": False, "default": 5}
        fields.append((field_name, found, dataclasses.field(**options)))
    if random.random() < 0.1 and not is_array:
        fields.append(("the_rest", Annotated[dict[str, make_type(random, 0)], Rest()]))
    options = dict(slots=random.random() < 0.4, frozen=random.random() < 0.2, kw_only=True)
    namespace = {"__ocior__": Rules(**rules)} if rules else {}
    if random.random() < 0.1 and not options["frozen"]:
        namespace["__post_init__"] = lambda self: None
    return dataclasses.make_dataclass(name, fields, namespace=namespace, **options)


def make_union_of_classes(random, depth):
    tag = random.choice(ATTRIBUTES)
    values = random.sample(["a", "b", "caf\xe9", 1, 2, 2**65, "a longer tag than others"], random.randint(2, 3))
    members = [make_class(random, depth, (tag, value)) for value in values]
    if random.random() < 0.3:
        members.append(None)
    if random.random() < 0.3:
        members.append(random.choice([int, str, list[int]]))
    return Union[tuple(members)]


# ---- documents


def make_text(random, node, wild=0.06):
    """The text of a document for a Node of ocior._typed.nodes. `wild`: how often something else stands where a value belongs."""
    return _text(random, node, wild, 6)


def _text(random, node, wild, depth):
    if random.random() < wild:
        return _anything(random, 1)
    choices = []
    if node.whole:
        return _anything(random, 2)
    if node.null:
        choices.append(lambda: "null")
    if node.boolean:
        choices.append(lambda: random.choice(["true", "false"]))
    if node.integer:
        choices.append(lambda: _integer(random))
    if node.real:
        choices.append(lambda: _real(random))
    for found in (node.str_choices, node.int_choices, node.float_choices):
        if found:
            choices.append(lambda found=found: _quoted(random, random.choice(list(found))))
    if node.word_choices:
        choices.append(lambda: random.choice(list(node.word_choices)))
    for form in node.string:
        choices.append(lambda form=form: _quoted(random, _string(random, form)))
    if depth > 0:
        if node.array is not None:
            choices.append(lambda: _array(random, node.array, wild, depth - 1))
        if node.object is not None:
            choices.append(lambda: _object(random, node.object, wild, depth - 1))
    return random.choice(choices)() if choices else "null"


def _quoted(random, value):
    if not isinstance(value, str):
        return json.dumps(value)
    return json.dumps(value, ensure_ascii=random.random() < 0.3)


def _integer(random):
    magnitude = random.choice([0, 1, 7, 10, 99, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**19, 10**25, 10**40])
    return str(random.choice([1, 1, -1]) * magnitude) if magnitude else random.choice(["0", "-0"])


def _real(random):
    return random.choice(
        ["1.5", "-0.0", "0.25", "1e3", "1E-3", "2.0", "1e22", "12345.678901234567890123", "1e308", "5e-324", "0.30", "100.0", "-7.5e1"]
    )


STRINGS = {
    "uuid": ["12345678-1234-5678-1234-567812345678", "12345678123456781234567812345678", "12345678-1234-5678-1234-56781234567G"],
    "datetime": ["2024-02-29T23:59:59Z", "2024-02-29 23:59:59.123456789+01:30", "2024-02-30T00:00:00", "0001-01-01t00:00:00z"],
    "date": ["2024-02-29", "1999-12-31", "2023-02-29", "2024-2-9"],
    "time": ["23:59:59", "00:00:00.5-0000", "24:00:00", "12:30"],
    "timedelta": ["P1D", "-PT1.5S", "P2W", "PT0S", "P1Y", "1D", "P1DT"],
    "decimal": ["1.50", "-0", "NaN", "1e5", "+1", "0.3"],
    "bytes": ["", "AAEC", "QQ==", "QQ=", "AA EC", "AAECAwQF"],
    "int": ["1", "-5", "007", "1.0", "99999999999999999999"],
    "float": ["1.5", "nan", "-Infinity", "1", "x"],
    "bool": ["true", "FALSE", "1", "0", "yes"],
    "null": ["null", "NULL", "none"],
    "call": ["127.0.0.1", "/a/b", "::1", ""],
    "str": [
        "",
        "a",
        "abc",
        "caf\xe9",
        "\u4e2d\u6587",
        "\U0001f600\U0001f600",
        "\x00",
        'a"b\\c\n',
        "x" * 60,
        "again",
        "\xe9" * 40,
        "ab" * 70,
    ],
}
STRINGS["bytearray"] = STRINGS["bytes"]


def _string(random, form):
    return random.choice(STRINGS[form])


def _space(random):
    return random.choice(["", "", "", " ", "\n  "])


def _joined(random, opening, items, closing):
    space = _space(random)
    return opening + space + f"{_space(random)},{space}".join(items) + _space(random) + closing


def _array(random, array, wild, depth):
    if array.kind == "class":
        nodes = [field.node for field in array.object.fields if field.init]
    elif array.item is not None:
        nodes = [array.item] * random.choice([0, 1, 2, 3, 5])
    else:
        nodes = list(array.items)
    if random.random() < wild:
        nodes = nodes[:-1] if random.random() < 0.5 or not nodes else nodes + nodes[:1]
    return _joined(random, "[", [_text(random, node, wild, depth) for node in nodes], "]")


def _object(random, target, wild, depth):
    if target.kind == "union":
        target = random.choice([*target.members, *([target.rest] if target.rest is not None else [])])
    if target.kind == "dict":
        items = []
        for _ in range(random.choice([0, 1, 2, 4])):
            if target.key is None:
                key = _quoted(random, random.choice(NAMES))
            else:
                key = _text(random, target.key, wild, 0)
                key = key if key.startswith('"') else json.dumps(key)
            items.append((key, _text(random, target.value, wild, depth)))
    else:
        items = []
        for index, field in enumerate(target.fields):
            if index == target.rest or not field.init or (not field.required and random.random() < 0.4):
                continue
            if random.random() >= wild:
                items.append((_quoted(random, random.choice(field.alias_read)), _text(random, field.node, wild, depth)))
        if target.tag_name is not None and random.random() < 0.9:
            items.append((json.dumps(target.tag_name), json.dumps(target.tag_value)))
        while random.random() < (0.3 if target.unknown == "ignore" else 0.05):
            items.append((_quoted(random, random.choice(NAMES)), _anything(random, 1)))
        if random.random() < 0.5:
            random.shuffle(items)
    if items and random.random() < wild:
        items.append(random.choice(items))
    return _joined(random, "{", [f"{key}{_space(random)}:{_space(random)}{value}" for key, value in items], "}")


def _anything(random, depth):
    chance = random.randrange(10 if depth else 7)
    if chance == 0:
        return random.choice(["null", "true", "false"])
    if chance in (1, 2):
        return _integer(random)
    if chance == 3:
        return _real(random)
    if chance == 4:
        return random.choice(["NaN", "Infinity", "-Infinity", '"\\ud800"', '""'])
    if chance in (5, 6):
        return _quoted(random, _string(random, random.choice(list(STRINGS))))
    if chance in (7, 8):
        return _joined(random, "[", [_anything(random, depth - 1) for _ in range(random.randrange(4))], "]")
    items = [f"{_quoted(random, random.choice(NAMES))}:{_anything(random, depth - 1)}" for _ in range(random.randrange(4))]
    return _joined(random, "{", items, "}")


# ---- comparison


def facts(value):
    """A value as nested tuples that tell apart what == does not: classes, -0.0, zeros of a Decimal, which attributes an instance has of its
    own. The order of keys does not count: a TypedDict has them as they are declared."""
    kind = type(value)
    if isinstance(value, dict):
        return (kind, sorted(repr((facts(key), facts(item))) for key, item in value.items()), repr(getattr(value, "default_factory", None)))
    if isinstance(value, (list, tuple, collections.deque)):
        return (kind, [facts(item) for item in value])
    if isinstance(value, (set, frozenset)):
        return (kind, sorted(map(repr, map(facts, value))))
    if dataclasses.is_dataclass(value):
        own = [(field.name, facts(getattr(value, field.name))) for field in dataclasses.fields(value) if hasattr(value, field.name)]
        return (kind, own, sorted(vars(value)) if hasattr(value, "__dict__") else None)
    return (kind, repr(value))
