"""Random classes with random rules, in random documents: what an Encoder writes is what a few lines of Python say should be written."""

import dataclasses
import random
from typing import Annotated, Any, Union

import pytest
from support import some

import ocior
from ocior._typed.markers import MISSING, Alias, Convert, Missing, Rest, Rules

NAMES = ["a", "b_c", "dd_ee", "_p", "long_" + "x" * 40, "n1", "n2", "n3", "q", "z_z"]
ALIASES = ["A", "b-c", "\xe9", "\u4e2d", 'q"', "$t", "x" * 60, "a/b", "\x7f", "<"]


def double(value):
    return [value, value]


@dataclasses.dataclass
class Said:
    """What is said of one class, for the oracle."""

    names: dict
    omit: dict
    dumps: dict
    rest: Any
    tag: Any
    is_array: bool


def random_class(rng, index, slots):
    """A dataclass and what is said of it."""
    names = rng.sample(NAMES, rng.randrange(1, 7)) if rng.random() < 0.9 else [f"w_{i}" for i in range(rng.randrange(28, 40))]
    is_array = rng.random() < 0.15
    rules = {
        "omit": rng.choice([None, None, "none", "defaults"]),
        "rename": rng.choice([None, "camel", "upper", str.title]),
        "tag": rng.choice([None, None, ("kind!", f"c{index}"), ("t", index)]),
        "array": is_array,
    }
    said = Said({}, {}, {}, None, rules["tag"], is_array)
    fields = []
    rest_at = rng.randrange(len(names)) if rng.random() < 0.3 and not is_array else -1
    for place, name in enumerate(names):
        hint, written = Any, None
        if rng.random() < 0.2:
            written = ALIASES[place % len(ALIASES)] + str(place)
            hint = Annotated[hint, Alias(written)]
        if place == rest_at:
            said.rest = name
            fields.append((name, Annotated[dict[str, Any], Rest()], dataclasses.field(default_factory=dict)))
            said.omit[name], said.dumps[name], said.names[name] = (), None, name
            continue
        omit = []
        default = rng.choice([None, 5, "text", 1.5, [], MISSING])
        if default is MISSING:
            hint = Union[hint, Missing] if written is None else Annotated[Union[Any, Missing], Alias(written)]
            omit.append("missing")
        dump = None
        if rng.random() < 0.1 and default is not MISSING:
            dump = double
            hint = Annotated[hint, Convert(dump=double)]
        if rules["omit"]:
            omit.append((rules["omit"], default))
        fields.append((name, hint, dataclasses.field(default_factory=list) if default == [] else dataclasses.field(default=default)))
        rename = {"camel": camel, "upper": str.upper, None: str}.get(rules["rename"], rules["rename"])
        said.names[name], said.omit[name], said.dumps[name] = written or rename(name), tuple(omit), dump
    if len(set(said.names.values())) < len(said.names):
        return random_class(rng, index, slots)
    cls = dataclasses.make_dataclass(f"C{index}", fields, namespace={"__ocior__": Rules(**rules)}, **slots)
    return cls, said


def camel(name):
    bare = name.strip("_")
    head, *words = [word for word in bare.split("_") if word]
    return name[: name.index(bare)] + head + "".join(word[:1].upper() + word[1:] for word in words)


def is_left_out(value, omit):
    for one in omit:
        if one == "missing" and value is MISSING:
            return True
        if isinstance(one, tuple):
            kind, default = one
            if kind == "none" and value is None:
                return True
            if kind == "defaults" and type(value) is type(default) and value == default and str(value) == str(default):
                return True
    return False


def plain(value, said):
    """The value in json's own types."""
    if isinstance(value, list):
        return [plain(item, said) for item in value]
    if isinstance(value, dict):
        return {key: plain(item, said) for key, item in value.items()}
    known = said.get(type(value))
    if known is None:
        return value
    items = []
    for name, written in known.names.items():
        item = getattr(value, name)
        if name == known.rest:
            items += [(key, plain(one, said)) for key, one in (item or {}).items()]
            continue
        if known.is_array and item is MISSING and "missing" in known.omit[name]:
            items.append((None, MISSING))
            continue
        if not known.is_array and is_left_out(item, known.omit[name]):
            continue
        items.append((written, plain(known.dumps[name](item) if known.dumps[name] else item, said)))
    if known.is_array:
        while items and items[-1][1] is MISSING:
            items.pop()
        return ([known.tag[1]] if known.tag else []) + [None if item is MISSING else item for _, item in items]
    return {**({known.tag[0]: known.tag[1]} if known.tag else {}), **dict(items)}


def random_value(rng, classes, levels):
    kind = rng.randrange(12 if levels else 8)
    if kind < 8:
        return rng.choice([None, True, 5, "text", 1.5, -0.0, "\xe9\u4e2d", 2**70, rng.random(), "x" * rng.randrange(300), 0, "", [], {}])
    if kind == 8:
        return [random_value(rng, classes, levels - 1) for _ in range(rng.choice([0, 1, 3, 20]))]
    if kind == 9:
        return {f"k{n}": random_value(rng, classes, levels - 1) for n in range(rng.choice([0, 1, 3, 20]))}
    cls, said = rng.choice(classes)
    values = {}
    for name in said.names:
        if name == said.rest:
            values[name] = rng.choice([None, {}, {f"r{n}": random_value(rng, classes, levels - 1) for n in range(rng.choice([1, 2, 18]))}])
        elif rng.random() < 0.6:
            values[name] = random_value(rng, classes, levels - 1)
    made = cls(**values)
    if hasattr(made, "__dict__") and rng.random() < 0.1:
        rng.choice([lambda: made.__dict__, lambda: setattr(made, "more", 1), lambda: setattr(made, "__dict__", dict(made.__dict__))])()
    return made


@pytest.mark.parametrize("seed", some(range(12), 4))
def test_random_classes(seed):
    rng = random.Random(seed)
    for _ in range(12):
        classes = [random_class(rng, index, {"slots": True} if rng.random() < 0.3 else {}) for index in range(4)]
        said = dict(classes)
        for keywords in (
            {},
            {"indent": 1},
            {"sort_keys": True},
            {"ensure_ascii": True, "separators": (", ", ": ")},
            {"separators": ("; ", "=")},
        ):
            encoder = ocior.Encoder(Union[tuple(said)], **keywords)
            for _ in range(12):
                value = random_value(rng, classes, 4)
                value = [value] * rng.choice([1, 3]) if rng.random() < 0.5 else value
                twin = plain(value, said)
                expected = ocior.dumps_to_bytes(twin, **keywords)
                assert encoder.encode(value) == expected
                assert encoder.encode_str(value) == expected.decode()
