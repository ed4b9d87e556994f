"""default() and finalizers that attack what is being written: every container of the value, and the separators."""

import itertools
import json

import pytest
from attacks import ATTACKS, ROADS, Unknown, finish
from support import call, collect

import ocior


def tree():
    """Containers in containers, each also listed flat, with objects only `default` knows at several depths."""
    inner_list = [Unknown(), "a" * 40, Unknown(), [1], Unknown()]
    inner_dict = {"p": Unknown(), "q" * 30: inner_list, "r": Unknown(), "s": {"t": Unknown()}, "u": 1.5}
    middle = ["\u4e2d" * 3, inner_dict, Unknown(), inner_dict["s"]]
    root = {"m": middle, "n": Unknown(), "o": [middle, Unknown()], "z": "end"}
    return root, [root, middle, inner_dict, inner_list, inner_dict["s"], root["o"]]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
@pytest.mark.parametrize("road", range(len(ROADS)))
def test_default_attacks_any_container(attack, road):
    function, keywords = ROADS[road]
    for victims in [(index,) for index in range(6)] + [(0, 1), (2, 3), tuple(range(6))]:
        for when in range(5):
            for result in (0, "text", "\U0001f600", [1, 2], {"k": []}, None):
                root, containers = tree()
                calls = itertools.count()

                def default(obj):
                    number = next(calls)
                    if number > 5000:
                        raise ZeroDivisionError("endless")
                    if number >= when:
                        for victim in victims:
                            attack(containers[victim])
                    return result

                finish(call(function, root, default=default, **keywords))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_default_returns_what_it_then_attacks(attack):
    for function, keywords in ROADS:
        made = []

        def default(obj):
            for container in made:
                attack(container)
            if len(made) > 20:
                return 1
            made.append([Unknown(), "x" * 30, Unknown()] if len(made) % 2 else {"a": Unknown(), "b" * 30: Unknown()})
            return made[-1]

        finish(call(function, [Unknown(), Unknown()], default=default, **keywords))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_attack_and_raise(attack):
    """The error path too: the container is changed and then the hook raises."""
    for function, keywords in ROADS:
        for victim in range(6):
            root, containers = tree()

            def default(obj):
                attack(containers[victim])
                collect()
                raise ZeroDivisionError

            assert isinstance(call(function, root, default=default, **keywords).error, (ZeroDivisionError, RuntimeError))


class Dying:
    """Attacks when its last reference goes, which may be inside the library."""

    def __init__(self, container, attack):
        self.container, self.attack = container, attack

    def __del__(self):
        self.attack(self.container)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_del_attacks(attack):
    for function, keywords in ROADS:
        container = ["x" * 30, 1, "y"]
        mapping = {"a": 1, "b" * 30: container, "c": [container]}
        holder = []

        def default(obj):
            holder.clear()
            holder.append(Dying(container, attack))
            holder.append(Dying(mapping, attack))
            return Dying(container, attack) if len(container) > 200 else 5

        finish(call(function, [mapping, Unknown(), mapping, Unknown(), container], default=default, **keywords))

        def chained(obj):
            return 5 if isinstance(obj, Dying) else Dying(mapping, attack)

        finish(call(function, [mapping, Unknown(), mapping, Unknown(), container], default=chained, **keywords))


def test_only_reference_is_in_the_container():
    """The hook removes the very object being dumped from the only place that held it."""
    for function, keywords in ROADS:
        root = [["inner", Unknown(), "tail" * 20], {"k": Unknown(), "z": 1}]

        def default(obj):
            for item in list(root):
                item.clear()
            root.clear()
            del obj
            collect()
            return "x"

        finish(call(function, root, default=default, **keywords))
        mapping = {"k" * 20: {"v": [Unknown(), "w"]}, "l": 1}

        def default_again(obj):
            mapping.clear()
            collect()
            [[] for _ in range(100)]
            return "x"

        finish(call(function, mapping, default=default_again, **keywords))


@pytest.mark.parametrize("length", (9, 20, 1003))
def test_default_empties_the_list_of_separators(length):
    """separators may be a list, and then it is all that keeps the two texts alive."""
    for last in ("x", "\xe9", "\u4e2d"):
        for function in (ocior.dumps, ocior.dumps_to_bytes):
            separators = ["," + " " * length + last, ":" + " " * length + last]
            expected = json.dumps([0, 2, {"a": 3}], separators=list(separators), ensure_ascii=False)
            fill = []

            def default(obj):
                separators.clear()
                fill.extend("".join(["Z"] * (length + 2)) for _ in range(50))
                return 0

            text = function([Unknown(), 2, {"a": 3}], separators=separators, default=default)
            assert (text.decode() if isinstance(text, bytes) else text) == expected
