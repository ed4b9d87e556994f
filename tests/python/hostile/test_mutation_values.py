"""Keys and values whose own methods, run while they are being written, attack what holds them; and the signals and collections that come
while a key or number becomes text."""

import json
import signal
import sys
import threading

import pytest
from attacks import ATTACKS, ROADS, Unknown, finish
from layouts import each_layout
from support import call, check_python, collect, json_notes

import ocior


class EvilKey(str):
    """A key whose every method runs code."""

    victims = ()
    attack = None

    def strike(self):
        for victim in EvilKey.victims:
            EvilKey.attack(victim)

    def __hash__(self):
        if EvilKey.attack:
            self.strike()
        return str.__hash__(self)

    def __eq__(self, other):
        if EvilKey.attack:
            self.strike()
        return str.__eq__(self, other)

    def __lt__(self, other):
        if EvilKey.attack:
            self.strike()
        return str.__lt__(self, other)

    def __str__(self):
        self.strike()
        return "evil"

    __repr__ = __str__


class EvilInt(int):
    def __repr__(self):
        for victim in EvilKey.victims:
            EvilKey.attack(victim)
        return "1"

    __str__ = __repr__


class EvilFloat(float):
    __repr__ = __str__ = EvilInt.__repr__


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_keys_and_numbers_with_code(attack):
    for function, keywords in ROADS:
        root = {EvilKey("b"): [EvilInt(3), EvilFloat(2.5), EvilFloat("nan")], EvilKey("a"): {"x": EvilKey("value")}, EvilKey("c"): 1}
        EvilKey.victims = (root, *[value for value in root.values() if isinstance(value, (list, dict))])
        EvilKey.attack = attack
        try:
            outcome = call(function, root, **keywords)
            if outcome.error is None:
                json.loads(outcome.value)
        finally:
            EvilKey.attack, EvilKey.victims = None, ()


class EvilItems(dict):
    def items(self):
        for victim in self.victims:
            self.attack(victim)
        return list(dict.items(self)) + [("extra", 1)]

    def keys(self):
        for victim in self.victims:
            self.attack(victim)
        return dict.keys(self)


class EvilIter(list):
    def __iter__(self):
        for victim in self.victims:
            self.attack(victim)
        return list.__iter__(self)

    def __len__(self):
        return list.__len__(self)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_subclass_methods_attack(attack):
    for function, keywords in ROADS:
        mapping, sequence = EvilItems(a=1, b=[2]), EvilIter([1, [2], "x" * 40])
        root = {"m": mapping, "l": [sequence, mapping, sequence], "e": "end"}
        mapping.victims = sequence.victims = (root, root["l"], mapping, sequence)
        mapping.attack = sequence.attack = attack
        outcome = call(function, root, **keywords)
        if outcome.error is None:
            json.loads(outcome.value)
    sys.getrefcount(None)


def test_values_that_leave_their_container_when_asked():
    """What json's encoder in Python asks of a value, its truth and its class, may drop the last reference to it."""
    check_python(
        r"""
        import io, json, ocior

        def empties(name):
            def method(self):
                parent.clear()
                return {"__bool__": True, "__len__": 2, "__class__": type(self), "claims": dict}[name]
            return method

        list_like = [type("L", (list,), {name: empties(name)}) for name in ("__bool__", "__len__")]
        odd = [
            type("C", (), {"__class__": property(empties(name)), "items": lambda self: [("a", [1])], "__len__": lambda self: 1})
            for name in ("__class__", "claims")
        ]

        def written(module, value, **keywords):
            file = io.StringIO()
            try:
                module.dump(value, file, **keywords)
            except RuntimeError as error:
                return str(error)
            return file.getvalue()

        def joined(module, value, **keywords):
            try:
                return "".join(module.JSONEncoder(**keywords).iterencode(value))
            except RuntimeError as error:
                return str(error)

        def dumped(module, value, **keywords):
            try:
                return module.dumps(value, **keywords)
            except RuntimeError as error:
                return str(error)

        for road in (written, joined, dumped):
            for keywords in ({}, {"indent": 1}, {"sort_keys": True}):
                for cls in list_like + odd:
                    make = (lambda: cls(["x" * 9, [2]])) if cls in list_like else cls
                    boxes = [
                        lambda: [make(), 3],
                        lambda: {"a": make(), "b": 3},
                        lambda: [3, make()],
                        lambda: {"a": make()},
                    ]
                    for box in boxes:
                        results = []
                        for module in (json, ocior):
                            parent = box()
                            results.append(road(module, parent, default=lambda o: [type(o).__name__], **keywords))
                        assert results[0] == results[1], (road, keywords, cls, results)
    """,
        env={"PYTHONMALLOC": "debug"},
    )


class Generator(dict):
    """items() that is a generator: code runs between one pair and the next."""

    def items(self):
        for index in range(10):
            if index == 5:
                self.victim.clear()
                dict.clear(self)
                collect()
            yield f"k{index}" * 10, [index]


def test_items_generator():
    for function, keywords in ROADS:
        mapping = Generator(a=1)
        root = [mapping, "x", {"y": mapping}]
        mapping.victim = root
        finish(call(function, root, **keywords))


class Temporary(dict):
    """items() whose pairs exist nowhere else: what is borrowed from them is soon gone."""

    def items(self):
        return [("temporary key %d" % index * 3, ["temporary value %d" % index * 3, {"z%d" % index: index}]) for index in range(20)]


def test_temporary_items():
    for function, keywords in ROADS:
        keywords = dict(keywords, default=lambda obj: collect())
        expected = dict(Temporary(a=1).items())
        assert json.loads(function([Temporary(a=1), Unknown()], **keywords)) == [expected, 0]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the text of large integers is made by Python code since 3.12")
@pytest.mark.parametrize(
    ("edit", "rest"),
    [
        ("pairs.clear()", {}),
        ("pairs.pop(0)", {"c": 3}),
        ("pairs[:] = [('x', 1), ('y', 2), ('z', 3)]", {"z": 3}),
        ("if len(pairs) == 4: pairs.insert(0, ('x', 1))", {"7": ["value", "\u4e2d"], "b": 2, "c": 3}),
        ("pairs[2:] = [('y' * 30, 'z' * 30)]", {"y" * 30: "z" * 30}),
    ],
)
def test_list_of_items_changes_while_a_key_becomes_text(edit, rest):
    """items() of a class derived from dict gives a list of the user's, not a new one: the pair being written is gone, the rest is read on."""
    check_python(
        f"""
        import io, json, sys, _pylong, ocior
        sys.set_int_max_str_digits(0)
        class Pairs(dict):
            def items(self): return pairs
        def edited(number):
            {edit}
            junk.extend([["junk"], ("j", "k")] for _ in range(50))
            return "7"
        _pylong.int_to_decimal_string = edited
        def dump(value, **keywords):
            file = io.StringIO()
            module.dump(value, file, **keywords)
            return file.getvalue()
        for module in (ocior, *([json] if sys.version_info >= (3, 14, 7) else [])):
            for function in (module.dumps, dump, ocior.dumps_to_bytes):
                for keywords in ({{}}, {{"ensure_ascii": False}}, {{"indent": 1}}, {{"default": str}}):
                    junk, pairs = [], [("a", 1), (10**20000, ["".join(["val", "ue"]), "\u4e2d"]), ("b", 2), ("c", 3)]
                    text = function([Pairs(a=1)], **keywords)
                    pairs = list({rest!r}.items())
                    assert json.loads(text, object_pairs_hook=list) == [[("a", 1), ("7", ["value", "\u4e2d"]), *pairs]], (module, text)
    """,
        env={"PYTHONMALLOC": "debug"},
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
@pytest.mark.parametrize("shape", ["list", "nested", "tuple", "dict", "keys"])
def test_signal_handler_attacks_during_big_integers(shape):
    """repr of a large int looks for signals, so a handler (or, since 3.12, the collector, or _pylong) runs inside the walk."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals go to the main thread")
    numbers = [10**4200 + index for index in range(4000)]
    target = {
        "list": lambda: list(numbers),
        "nested": lambda: [[list(numbers)]],
        "tuple": lambda: [tuple([number]) for number in numbers],
        "dict": lambda: {f"k{index}": 10**4200 + index for index in range(4000)},
        "keys": lambda: {10**4200 + index: [f"v{index}"] for index in range(4000)},
    }[shape]()
    numbers.clear()
    fill = []

    def attack(*_):
        target.clear()
        fill.extend([index + 0.5, "fill"] for index in range(20000))

    before = signal.signal(signal.SIGALRM, attack)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        outcome = call(ocior.dumps, target)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    finish(outcome)
    assert outcome.error or "fill" not in outcome.value


@each_layout("json", "indent 1", "sorted")
def test_error_path_after_python_code(keywords):
    """The repr or __class__ asked for an error message frees the containers that the notes on the error name."""

    class Number(float):
        def __repr__(self):
            wreck()
            return "number"

    class Nameless:
        @property
        def __class__(self):
            wreck()
            return int

    fill = []

    def wreck():
        outer.clear()
        for index in range(200):
            fill.append([None])
            fill.append({"f": index})

    for make in (lambda: Number("nan"), Nameless):
        for shape in (
            lambda value: {"a": value},
            lambda value: [value],
            lambda value: (value,),
            lambda value: {"a": [[value]]},
            lambda value: {value: 1},
        ):
            notes = []
            for function in (json.dumps, ocior.dumps):
                outer = [shape(make())]
                error = call(function, outer, allow_nan=False, **keywords).error
                assert isinstance(error, (TypeError, ValueError)), error
                notes.append(json_notes(error))
                fill.clear()
            assert notes[0] == notes[1] or sys.version_info < (3, 14)  # where json has none


@pytest.mark.parametrize("separators", [(", ", ": "), ("," * 1_000_000, ": ")], ids=["usual", "long"])
@pytest.mark.parametrize("edit", ["self.value.clear()", "self.value.clear(); self.value[()] = 1"])
def test_dict_loses_its_only_entry_when_it_needs_wider_text(edit, separators):
    """The entry is begun, is found to be too wide and is gone when it is begun again. A collection comes in the text of the key."""
    check_python(f"""
        import gc, io, sys, ocior
        class Edits:
            def __init__(self, value):
                self.value, self.me = value, self
            def __del__(self):
                {edit}
        keywords = dict(ensure_ascii=False, skipkeys=True, separators=({separators[0][:1]!r} * {len(separators[0])}, {separators[1]!r}))
        def dump(value, **keywords):
            file = io.StringIO()
            ocior.dump(value, file, **keywords)
            return file.getvalue()
        for function in (ocior.dumps, dump):
            for place in (0, 1, 2, 3):
                for threshold in (1, 2, 5):
                    inner = {{2**70: "\u4e2d"}}
                    value = [inner, ["ab", inner], {{"a": inner}}, ["ab" * 20_000, inner]][place]
                    gc.collect()
                    gc.disable()
                    Edits(inner)
                    gc.set_threshold(threshold)
                    gc.enable()
                    try:
                        text = function([value, [], [], [], [], []][0], **keywords)
                    except RuntimeError:  # changed size during iteration
                        continue
                    finally:
                        gc.disable()
                    short = text.replace(keywords["separators"][0], ",")
                    around = ["%s", '["ab",%s]', '{{"a": %s}}', f'["{{"ab" * 20_000}}",%s]'][place]
                    empty, full = around % "{{}}", around % '{{"1180591620717411303424": "\u4e2d"}}'
                    assert short in (empty, full), (place, threshold, short[:100])
    """)
