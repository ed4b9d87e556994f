"""Settings of encoders, which are kept from call to call and shared by encoders that are made alike: whatever changes them, on the object, in
its dict or on its class, by any thread, is noticed at once."""

import collections
import functools
import gc
import json
import random
import threading
import weakref

import pytest
from encoder_values import VALUES, Ours
from support import call

import ocior


def test_settings_follow_the_attributes():
    for make in (ocior.JSONEncoder, Ours):
        encoder = make()
        assert encoder.encode([1, "\xe9"]) == '[1, "\\u00e9"]'
        encoder.ensure_ascii = False
        assert encoder.encode([1, "\xe9"]) == '[1, "\xe9"]'
        encoder.item_separator = ";"
        assert encoder.encode([1, 2]) == "[1;2]"
        del encoder.item_separator
        assert encoder.encode([1, 2]) == "[1, 2]"
        encoder.__dict__["indent"] = 0
        assert encoder.encode([1, 2]) == "[\n1, \n2\n]"
        vars(encoder).update(indent=None)
        assert encoder.encode([1, 2]) == "[1, 2]"
        encoder.__dict__ = dict(vars(encoder), item_separator="|")
        assert encoder.encode([1, 2]) == "[1|2]"
        encoder.default = lambda o: "set later"
        assert encoder.encode([object()]) == '["set later"]'
        del encoder.skipkeys
        with pytest.raises(AttributeError, match="skipkeys"):
            encoder.encode([])


def test_settings_follow_the_class():
    class Changing(ocior.JSONEncoder):
        item_separator = "/"

    encoder = Changing()
    assert encoder.encode([1, 2]) == "[1/2]"
    Changing.item_separator = "%"
    assert encoder.encode([1, 2]) == "[1%2]"
    Changing.default = lambda self, o: "class"
    assert encoder.encode([object()]) == '["class"]'
    del Changing.default, Changing.item_separator
    assert encoder.encode([1, 2]) == "[1, 2]"
    Changing.iterencode = lambda self, o, _one_shot=False: iter(["own"])
    assert encoder.encode([1, 2]) == "own" == ocior.dumps([], cls=Changing)
    del Changing.iterencode
    Changing.encode = lambda self, o: "other"
    assert encoder.encode([1, 2]) == "other" == ocior.dumps([], cls=Changing) and ocior.dumps_to_bytes([], cls=Changing) == b"other"
    Changing.skipkeys = property(lambda self: True, lambda self, value: None)
    assert "".join(Changing().iterencode({(): 1, "a": 1})) == '{"a": 1}'


def elsewhere(work):
    """What it returns, called by another thread."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]


def here(work):
    return work()


def set_again_and_again(encoder):
    """By bytecode that CPython specializes."""
    for turn in range(40):
        encoder.indent = turn % 4


def set_many(encoder):
    for number in range(40):
        setattr(encoder, f"more{number}", number)


def replace_dict(encoder, **more):
    encoder.__dict__ = {**vars(encoder), **more}


# Ways to change what an encoder does.
CHANGES = {
    "set": lambda encoder: setattr(encoder, "indent", 1),
    "set again and again": set_again_and_again,
    "set to an equal str": lambda encoder: setattr(encoder, "item_separator", "".join([",", " "])),
    "set to another type": lambda encoder: setattr(encoder, "ensure_ascii", []),
    "object.__setattr__": lambda encoder: object.__setattr__(encoder, "sort_keys", True),
    "delete": lambda encoder: delattr(encoder, "item_separator") if "item_separator" in vars(encoder) else None,
    "delete what is needed": lambda encoder: delattr(encoder, "skipkeys"),
    "delete and set": lambda encoder: (delattr(encoder, "allow_nan"), setattr(encoder, "allow_nan", False)),
    "dict: item": lambda encoder: vars(encoder).__setitem__("indent", 2),
    "dict: update": lambda encoder: vars(encoder).update(ensure_ascii=False, key_separator="="),
    "dict: pop": lambda encoder: vars(encoder).pop("indent"),
    "dict: popitem": lambda encoder: vars(encoder).popitem(),
    "dict: clear": lambda encoder: vars(encoder).clear(),
    "dict: clear and update": lambda encoder: (
        before := dict(vars(encoder)),
        vars(encoder).clear(),
        vars(encoder).update(before, item_separator=";"),
    ),
    "dict: a key that is no str": lambda encoder: vars(encoder).update({1: 2, "indent": 3}),
    "another dict": lambda encoder: replace_dict(encoder, item_separator="|"),
    "another dict, and that is changed": lambda encoder: (replace_dict(encoder), vars(encoder).update(indent=5)),
    "another dict, of a derived class": lambda encoder: setattr(
        encoder, "__dict__", collections.OrderedDict(vars(encoder), key_separator="~")
    ),
    "no dict": lambda encoder: delattr(encoder, "__dict__"),
    "more": lambda encoder: setattr(encoder, "more", 1),
    "many more": set_many,
    "many more, and one that matters": lambda encoder: (set_many(encoder), setattr(encoder, "indent", 4)),
    "own default": lambda encoder: setattr(encoder, "default", lambda o: "own"),
    "own iterencode": lambda encoder: setattr(encoder, "iterencode", lambda o, _one_shot=False: ["own pieces"]),
    "__init__": lambda encoder: encoder.__init__(separators=("<", ">")),
    "__init__ with all": lambda encoder: encoder.__init__(indent="\t", sort_keys=True, default=lambda o: "given"),
    "another class": lambda encoder: setattr(encoder, "__class__", encoder.other),
    "class: default": lambda encoder: setattr(type(encoder), "default", lambda self, o: ["class", self.indent]),
    "class: separator": lambda encoder: setattr(type(encoder), "item_separator", " / "),
    "class: property": lambda encoder: setattr(type(encoder), "indent", property(lambda self: 7, lambda self, value: None)),
    "class: iterencode": lambda encoder: setattr(type(encoder), "iterencode", lambda self, o, _one_shot=False: ["of class"]),
    "base class: default": lambda encoder: setattr(type(encoder).__mro__[1], "default", lambda self, o: "of base"),
}
KINDS = ["plain", "with separators", "with default", "with more attributes", "another dict", "own default", "with slots"]


def shared_encoder(kind, base):
    """One of a class of its own, so that this can be changed."""

    class Middle(base):
        pass

    class Other(Middle):
        def default(self, o):
            return "other"

    class Mine(Middle):
        other = Other
        if kind == "with default":

            def default(self, o):
                return ["mine", self.skipkeys]

        if kind == "with slots":
            __slots__ = ("slot",)

    encoder = Mine(separators=(",", ":")) if kind == "with separators" else Mine()
    if kind == "with more attributes":
        encoder.more_attributes = [1]
    if kind == "another dict":
        replace_dict(encoder)
    if kind == "own default":
        encoder.default = str
    return encoder


def encode_in(where, encoder):
    result = call(lambda: where(lambda: call(encoder.encode, [1, "\xe9", {"b": 1.5, "a": None}, float("nan"), {object}])).value)
    return result.value, type(result.error), str(result.error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("user, changer", [(here, here), (elsewhere, here), (here, elsewhere)])
def test_changes_of_an_encoder_that_has_been_used_are_noticed_at_once(kind, name, user, changer):
    ours, theirs = shared_encoder(kind, ocior.JSONEncoder), shared_encoder(kind, json.JSONEncoder)
    for _ in range(8):
        assert encode_in(user, ours) == encode_in(user, theirs)
    changed = [call(changer, lambda encoder=encoder: call(CHANGES[name], encoder)) for encoder in (ours, theirs)]
    assert type(changed[0].value.error) is type(changed[1].value.error)
    for where in (user, here, elsewhere):
        assert encode_in(where, ours) == encode_in(where, theirs)


@pytest.mark.parametrize("seed", range(6))
def test_an_encoder_is_used_and_changed_again_and_again(seed):
    rng = random.Random(seed)
    for _ in range(10):
        kind = rng.choice(KINDS)
        ours, theirs = shared_encoder(kind, ocior.JSONEncoder), shared_encoder(kind, json.JSONEncoder)
        for _ in range(25):
            name, changer = rng.choice([*CHANGES, *["set", "dict: item", "__init__"] * 8]), rng.choice([here, here, here, elsewhere])
            for encoder in (ours, theirs):
                changer(lambda encoder=encoder: call(CHANGES[name], encoder))
            for _ in range(rng.randrange(8)):
                where = rng.choice([here, here, elsewhere])
                assert encode_in(where, ours) == encode_in(where, theirs), name


def test_a_hook_changes_its_encoder():
    """What it changes holds for the calls that follow, one that it makes itself among them."""

    def made(base):
        class Changing(base):
            def default(self, o):
                self.indent = None if self.indent else 1
                return [self.encode([1]), "rest"]

        return Changing()

    ours, theirs = made(ocior.JSONEncoder), made(json.JSONEncoder)
    for _ in range(20):
        assert ours.encode([[], {1}]) == theirs.encode([[], {1}])
        for _ in range(5):
            assert ours.encode([[], {}]) == theirs.encode([[], {}])


@pytest.mark.parametrize("keywords", [{}, {"default": lambda o: o.run()}], ids=["values", "hook"])
def test_caller_lets_go_of_the_encoder_meanwhile(keywords):
    """A functools.partial owns what it calls, but does not hold it while it does."""

    class Letting(dict):
        def items(self):
            self.run()
            return [("a", 1)]

        def run(self):
            ocior.JSONEncoder(sort_keys=True).encode([])  # which other encoders may have the settings of
            partial.__setstate__((str, (), {}, {}))
            gc.collect()
            return "gone"

    for turn in range(8):
        encoder = ocior.JSONEncoder(indent=2, **keywords)
        value = [["x" * 100] * 20, Letting(a=1), ["y"] * 20, {"run": None}]
        if keywords:
            value[1] = type("Unknown", (), {"run": Letting().run})()
        for _ in range(turn):
            encoder.encode([1])
        partial = functools.partial(encoder.encode, value)
        seen = weakref.ref(encoder)
        del encoder, value
        text = partial()
        assert json.loads(text)[2:] == [["y"] * 20, {"run": None}] and "\n  [" in text
        assert seen() is None


def encoders_of(base):
    """Encoders that are made for one call each, of two classes, and are the same as others before them, or not quite."""

    class Plain(base):
        mark = "class"

        def default(self, o):
            return [self.mark, self.indent]

    class Marked(Plain):
        def __init__(self, mark, **keywords):
            super().__init__(**keywords)
            self.mark = mark

    def edited(edit):
        encoder = Plain()
        edit(encoder)
        return encoder

    def with_class(name, value):
        setattr(Plain, name, value)
        return Marked("m") if name == "mark" else Plain()

    return [
        lambda: Plain(),
        lambda: Plain(),
        lambda: Plain(indent=1),
        lambda: Plain(skipkeys=True),
        lambda: Plain(separators=("|", "=")),
        lambda: Plain(default=lambda o: "given"),
        lambda: Marked("x"),
        lambda: Marked("y", sort_keys=True),
        lambda: Marked("y"),
        lambda: edited(lambda encoder: setattr(encoder, "indent", 2)),
        lambda: edited(lambda encoder: setattr(encoder, "default", lambda o: "own")),
        lambda: edited(lambda encoder: setattr(encoder, "key_separator", "->")),
        lambda: edited(lambda encoder: setattr(encoder, "item_separator", "\u4e2d")),
        lambda: edited(lambda encoder: delattr(encoder, "skipkeys")),
        lambda: edited(lambda encoder: vars(encoder).update(ensure_ascii=False, more=1)),
        lambda: edited(lambda encoder: setattr(encoder, "__dict__", dict(reversed(vars(encoder).items())))),
        lambda: edited(lambda encoder: setattr(encoder, "iterencode", lambda o, _one_shot=False: ["iterated"])),
        lambda: with_class("item_separator", ";"),
        lambda: with_class("item_separator", ", "),
        lambda: with_class("mark", "late"),
        lambda: with_class("default", lambda self, o: "changed"),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_encoders_that_are_made_for_each_call(seed):
    """One may have the compiled settings of the last one, where these are its own."""
    rng = random.Random(seed)
    ours, theirs = encoders_of(ocior.JSONEncoder), encoders_of(json.JSONEncoder)
    value = {"b": [1, "\xe9"], "a": object(), "c": {}}
    for _ in range(400):
        turn = rng.randrange(len(ours)) if rng.random() < 0.5 else 0
        for road in (lambda encoder: encoder.encode(value), lambda encoder: "".join(encoder.iterencode(value))):
            mine, expected = (call(lambda make=encoders[turn]: road(make())) for encoders in (ours, theirs))
            assert mine.value == expected.value and type(mine.error) is type(expected.error), turn


@pytest.mark.parametrize("base", (ocior.JSONEncoder, json.JSONEncoder), ids=["ocior", "json"])
def test_what_a_class_shares_may_belong_to_an_object_or_change(base):

    class Lent(base):
        def default(self, o):
            return self.mark

    encoders = [Lent() for _ in range(4)]
    for mark, encoder in enumerate(encoders):
        encoder.mark = mark
    Lent.iterencode = encoders[2].iterencode
    assert [encoder.encode([object()]) for encoder in (encoders[2], *encoders)] == ["[2]"] * 5

    class Changing(base):
        skipkeys = []
        ensure_ascii = check_circular = allow_nan = True
        sort_keys, indent = False, None

        def __init__(self):
            pass

    encoder = Changing()
    for _ in range(2):
        for made in (encoder, Changing()):
            with pytest.raises(TypeError):
                made.encode({(): 1})
    Changing.skipkeys.append(1)
    assert encoder.encode({(): 1}) == Changing().encode({(): 1}) == "{}"


def test_encoder_changed_by_its_own_default():
    class Changing(ocior.JSONEncoder):
        def default(self, o):
            self.item_separator = ";" * 100
            self.indent = 2
            vars(self).clear()
            return "x"

    encoder = Changing(separators=("," * 50, ":"))
    value = [object(), 1, object(), 2]
    assert encoder.encode(value) == "[" + ("," * 50).join(['"x"', "1", '"x"', "2"]) + "]"


def test_threads_share_an_encoder():
    encoder = Ours()
    expected = encoder.encode(VALUES[-1])
    failures = []

    def work(index):
        for i in range(2000):
            if index == 0:
                encoder.item_separator = ", "
            if encoder.encode(VALUES[-1]) != expected:
                failures.append(index)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_attributes_set_behind_the_back():
    """What does not go through the class's own __setattr__ is seen all the same, where a class makes such things likely."""

    class Frozen(ocior.JSONEncoder):
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value)

    encoder = Frozen()
    assert encoder.encode([1, 2]) == "[1, 2]"
    encoder.item_separator = ";"
    assert encoder.encode([1, 2]) == "[1;2]"

    outside = {"separator": ", "}

    class Outside(ocior.JSONEncoder):
        @property
        def item_separator(self):
            return outside["separator"]

    encoder = Outside()
    assert encoder.encode([1, 2]) == "[1, 2]"
    outside["separator"] = "|"
    assert encoder.encode([1, 2]) == "[1|2]"

    class Slotted(ocior.JSONEncoder):
        __slots__ = ("indent",)

    encoder = Slotted()
    assert encoder.encode([1]) == "[1]"
    Slotted.indent.__set__(encoder, 1)
    assert encoder.encode([1]) == "[\n 1\n]"

    class Mixin:
        pass

    class Mixed(Mixin, ocior.JSONEncoder):
        pass

    encoder = ocior.JSONEncoder()
    assert encoder.encode([1, 2]) == "[1, 2]"
    encoder.__class__ = Mixed
    assert encoder.encode([1, 2]) == "[1, 2]"
    encoder.__dict__["item_separator"] = "/"
    assert encoder.encode([1, 2]) == "[1/2]"
    encoder.__init__(indent=None, separators=("~", "="))
    encoder.mine = 5
    encoder.__init__()
    assert encoder.mine == 5 and encoder.encode([1, 2]) == "[1~2]"


def test_methods_set_to_what_they_were():
    """A method in the object's dict, or made by a property, is the usual one at first, and then another."""

    def hooked(o):
        return "hooked"

    for made in (ocior.JSONEncoder, json.JSONEncoder):
        for first in ("default", "iterencode"):
            encoder = made()
            setattr(encoder, first, getattr(encoder, first))
            assert encoder.encode([1]) == "[1]"
            setattr(encoder, first, hooked if first == "default" else lambda o, _one_shot=False: ["hooked"])
            assert encoder.encode([1j]) == ('["hooked"]' if first == "default" else "hooked")
            setattr(encoder, first, getattr(made(), first))
            assert encoder.encode([1]) == "[1]"

        encoder = made(default=made().default)
        assert encoder.encode([1]) == "[1]"
        encoder.default = hooked
        assert encoder.encode([1j]) == "".join(encoder.iterencode([1j])) == '["hooked"]'
        encoder.default = made().default
        with pytest.raises(TypeError, match="complex"):
            encoder.encode([1j])

        class Switching(made):
            hook = pieces = None

            @property
            def default(self):
                return self.hook or super().default

            @property
            def iterencode(self):
                return self.pieces or super().iterencode

        encoder = Switching()
        encoder.hook = encoder.pieces = None
        assert encoder.encode([1]) == "[1]"
        encoder.hook = hooked
        assert encoder.encode([1j]) == '["hooked"]'
        encoder.hook, encoder.pieces = None, lambda o, _one_shot=False: ["pieces"]
        assert encoder.encode([1]) == "pieces"
        encoder.pieces = None
        with pytest.raises(TypeError, match="complex"):
            encoder.encode([1j])

        class Static(made):
            default = staticmethod(hooked)

        assert Static().encode([1j]) == '["hooked"]'
