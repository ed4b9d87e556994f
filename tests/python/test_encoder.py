"""JSONEncoder, `cls=`, and the names of ocior.encoder: as json's, at the native speed where nothing is overridden."""

import collections
import copy
import functools
import gc
import io
import json
import json.encoder
import pickle
import random
import sys
import threading
import weakref

import pytest
from support import assert_same, call, check_python, json_to_bytes

import ocior
import ocior.encoder

VALUES = [
    None,
    True,
    1,
    -5,
    2**70,
    1.5,
    1e300,
    float("nan"),
    "",
    'a"\n\x00\xe9\u4e2d\U0001f600',
    [],
    {},
    (),
    [[]],
    [{}],
    {"a": []},
    {"a": {}},
    [1, [2, [3]]],
    {"b": 1, "a": {"d": 2, "c": [None, True]}},
    {1: 2, None: 3, 1.5: 4, True: 5},
    collections.OrderedDict(b=1, a=2),
    ["x" * 5000, "\u4e2d" * 3000, "\xe9\n" * 2000],
    {"k" * 3000: "v" * 3000},
    list(range(2000)),
    [{"id": i, "t": (i, "\u4e2d")} for i in range(400)],
    object(),
    [object()],
    {"a": object()},
    {(): 1},
    {b"x": 1, "a": 2},
    [1, {"a": {1, 2}}],
]
KEYWORDS = [
    {},
    {"ensure_ascii": False},
    {"indent": 2},
    {"indent": "\t", "ensure_ascii": False},
    {"indent": 0},
    {"separators": (",", ":")},
    {"separators": ("\u4e2d", "\xe9")},
    {"indent": 1, "separators": (" ;", "=")},
    {"sort_keys": True},
    {"skipkeys": True},
    {"check_circular": False},
    {"allow_nan": False},
    {"default": repr},
    {"default": lambda o: [o.__class__.__name__]},
    {"separators": [",", ":"]},
]


class Defaulting:
    """What a user's subclass overrides most: default() alone."""

    def default(self, o):
        if isinstance(o, set):
            return sorted(o)
        if type(o) is object:
            return {"object": True}
        return super().default(o)


class Slotted(ocior.JSONEncoder):
    __slots__ = ("extra", "unset")


class SlottedToo(Slotted):
    __slots__ = ("more",)


class Ours(Defaulting, ocior.JSONEncoder):
    pass


class Theirs(Defaulting, json.JSONEncoder):
    pass


def text_of(encoder_class, keywords, value):
    return encoder_class(**keywords).encode(value)


def pieces_of(encoder_class, keywords, value):
    return "".join(encoder_class(**keywords).iterencode(value))


@pytest.mark.parametrize("keywords", KEYWORDS, ids=repr)
@pytest.mark.parametrize("road", [text_of, pieces_of])
def test_encoders_say_what_jsons_say(keywords, road):
    for value in VALUES:
        for ours, theirs in ((ocior.JSONEncoder, json.JSONEncoder), (Ours, Theirs)):
            what = f"{road.__name__} {ours.__name__}({keywords}) {type(value)}"
            assert_same(call(road, ours, keywords, value), call(road, theirs, keywords, value), what)


@pytest.mark.parametrize("keywords", KEYWORDS, ids=repr)
def test_cls(keywords):
    for value in VALUES:
        for cls in (Theirs, Ours, ocior.JSONEncoder, json.JSONEncoder):
            assert_same(
                call(ocior.dumps, value, cls=cls, **keywords),
                call(json.dumps, value, cls=cls, **keywords),
                f"dumps({type(value)}, cls={cls}, {keywords})",
            )
            assert_same(
                call(ocior.dumps_to_bytes, value, cls=cls, **keywords),
                call(json_to_bytes, value, cls=cls, **keywords),
                f"dumps_to_bytes({type(value)}, cls={cls})",
            )


def test_attributes_are_jsons():
    for keywords in KEYWORDS[:-1]:
        ours, theirs = ocior.JSONEncoder(**keywords), json.JSONEncoder(**keywords)
        assert vars(ours) == vars(theirs)
        assert (ours.item_separator, ours.key_separator) == (theirs.item_separator, theirs.key_separator)
    assert isinstance(ocior.JSONEncoder(), json.JSONEncoder) and ocior.JSONEncoder.item_separator == ", "


@pytest.mark.parametrize(
    "arguments, keywords",
    [
        ((1,), {}),
        ((), {"foo": 1}),
        ((), {"obj": 1}),
        ((), {"cls": None}),
        ((), {"separators": "abc"}),
        ((), {"separators": 5}),
        ((), {"separators": "ab"}),
    ],
)
def test_constructor_errors(arguments, keywords):
    ours, theirs = call(ocior.JSONEncoder, *arguments, **keywords), call(json.JSONEncoder, *arguments, **keywords)
    assert str(ours.error) == str(theirs.error) and type(ours.error) is type(theirs.error)


class Bad:
    def __bool__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    "keywords",
    [
        {"indent": 1.5},
        {"indent": b"x"},
        {"indent": True},
        {"indent": -3},
        {"separators": (1, 2)},
        {"separators": (",", None)},
        {"skipkeys": Bad()},
        {"ensure_ascii": Bad()},
        {"check_circular": Bad()},
        {"allow_nan": Bad()},
        {"sort_keys": Bad()},
        {"default": 5},
        {"indent": "\ud800"},
    ],
    ids=repr,
)
def test_odd_settings(keywords):
    for value in (1, "x", [], [1, [2]], {"a": {"b": [object()]}}):
        for road in (text_of, pieces_of):
            assert_same(
                call(road, ocior.JSONEncoder, keywords, value),
                call(road, json.JSONEncoder, keywords, value),
                f"{road.__name__} {keywords} {value}",
            )


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


class Stops(dict):
    def items(self):
        raise StopIteration("items")


class Nested:
    """What the hook makes one less of."""

    def __init__(self, last, levels=1):
        self.last, self.levels = last, levels


STOPPED = [{1}, [1, {2}, 3], {"a": [{3}]}, [[{"k": [4, ({5},)]}]], Stops(a=1), [Stops(a=1)]]
STOPPED += [Nested({6}), [Nested({7}, 3)], {"a": Nested([Nested({8})])}, Nested(Stops(a=1), 2)]


@pytest.mark.parametrize("error", [StopIteration(7), GeneratorExit(7)], ids=repr)
@pytest.mark.parametrize("value", STOPPED, ids=range(len(STOPPED)))
@pytest.mark.parametrize("keywords", [{}, {"indent": 1}, {"sort_keys": True}], ids=repr)
def test_hooks_that_raise_stop_iteration(keywords, value, error):
    """It ends a generator, of which json's encoder in Python is made, and no text is to end for that."""

    def hook(value):
        if type(value) is Nested:
            return value.last if value.levels == 1 else Nested(value.last, value.levels - 1)
        raise type(error)(7)

    def facts_of(error):
        cause = error.__cause__
        notes = [getattr(one, "__notes__", None) for one in (error, cause)] if sys.version_info >= (3, 14) else None
        return type(error), str(error), cause and (type(cause), str(cause), cause is error.__context__, cause.__traceback__ is None), notes

    for road in (
        lambda module: module.JSONEncoder(default=hook, **keywords).encode(value),
        lambda module: "".join(module.JSONEncoder(default=hook, **keywords).iterencode(value)),
        lambda module: module.dump(value, io.StringIO(), default=hook, **keywords),
        lambda module: module.dumps(value, default=hook, **keywords),
    ):
        caught = []
        for module in (ocior, json):
            try:
                caught.append(road(module))
            except BaseException as raised:
                caught.append(facts_of(raised))
        assert caught[0] == caught[1]


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


def test_what_a_class_shares_may_belong_to_an_object_or_change():
    for base in (ocior.JSONEncoder, json.JSONEncoder):

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


class OnlySet:
    def __set__(self, instance, value):
        instance.__dict__["item_separator"] = " <%s> " % value


def silent(self, name, value):
    pass


def negate(self, name, value):
    object.__setattr__(self, name, not value if name == "check_circular" else value)


def initialize_more(self, **keywords):
    json.JSONEncoder.__init__(self, **keywords)
    self.more = "more"


# What a class given as cls= may define, so that its objects are not made as json's are, or their settings are not the usual ones.
CLASS_BODIES = [
    {},
    {"default": lambda self, o: [self.skipkeys, self.indent, type(o).__name__]},
    {"default": lambda self, o: vars(self)},
    {"default": lambda self, o: vars(self).setdefault("seen", []).append(1) or len(self.seen)},
    {"default": lambda self, o: self.encode([1, 2])},
    {"default": lambda self, o: json.JSONEncoder.default(self, o)},
    {"default": staticmethod(lambda o: "static")},
    {"default": classmethod(lambda cls, o: cls.__name__)},
    {"default": str},
    {"default": property(lambda self: lambda o: "property")},
    {"item_separator": " / "},
    {"key_separator": " = ", "default": lambda self, o: "own"},
    {"item_separator": 5},
    {"indent": 3},
    {"skipkeys": OnlySet(), "default": lambda self, o: sorted(vars(self))},
    {"__slots__": ("x",)},
    {"__setattr__": silent},
    {"__setattr__": negate, "default": lambda self, o: vars(self)},
    {"__getattr__": lambda self, name: "got"},
    {"__new__": lambda cls, **keywords: next(c for c in cls.__mro__ if c.__name__ == "JSONEncoder").__new__(cls)},
    {"__init__": lambda self, **keywords: json.JSONEncoder.__init__(self, indent=1)},
    {"__init__": initialize_more, "default": lambda self, o: self.more},
    {"__call__": lambda self: None},
    {"encode": lambda self, o: "own encode"},
    {"iterencode": lambda self, o, _one_shot=False: ["own", " ", "pieces"]},
]


@pytest.mark.parametrize("index", range(len(CLASS_BODIES)))
def test_classes_given_again_and_again(index):
    """The first calls with a class compile its settings, and later ones know them: all do the same."""
    body = CLASS_BODIES[index]
    unknown = object()
    for base, their_base in [(ocior.JSONEncoder, json.JSONEncoder), (json.JSONEncoder, json.JSONEncoder)]:
        ours, theirs = type("E", (base,), dict(body)), type("E", (their_base,), dict(body))
        derived, theirs_derived = type("E", (ours,), {}), type("E", (theirs,), {})
        for cls, their_cls in [(ours, theirs), (derived, theirs_derived)]:
            for keywords in [{}, {"indent": 2}, {"skipkeys": True}, {"separators": ("; ", "=")}, {"separators": [",", ":"]}]:
                keywords["cls"] = cls
                for value in [[1, {"a": 2, "b": None}], unknown, [unknown, unknown], {(): unknown, "a": unknown}] * 2:
                    expected = call(json.dumps, value, **dict(keywords, cls=their_cls))
                    assert_same(call(ocior.dumps, value, **keywords), expected, f"dumps {body} {keywords}")
                    expected = call(json_to_bytes, value, **dict(keywords, cls=their_cls))
                    assert_same(call(ocior.dumps_to_bytes, value, **keywords), expected, f"dumps_to_bytes {body} {keywords}")


def test_objects_of_classes_given_again_and_again():
    """default() gets an object of its own in each call, made once, with the attributes that json sets."""
    seen = []

    class Seeing(ocior.JSONEncoder):
        def default(self, o):
            seen.append(self)
            return dict(vars(self))

    class Theirs(json.JSONEncoder):
        default = Seeing.default

    for keywords in [{}, {"indent": 2, "sort_keys": True}, {"separators": (",", ": ")}]:
        for _ in range(3):
            seen.clear()
            assert ocior.dumps([object(), object()], cls=Seeing, **keywords) == json.dumps([object(), object()], cls=Theirs, **keywords)
            assert seen[0] is seen[1] is not seen[2] and type(seen[0]) is Seeing
            assert list(vars(seen[0])) == list(vars(seen[2])) or sys.version_info < (3, 11)
    reference = weakref.ref(seen.pop(0))
    seen.clear()
    gc.collect()
    assert reference() is None


def test_classes_are_not_kept():
    class Kept(ocior.JSONEncoder):
        def default(self, o):
            return "own"

    for _ in range(3):
        assert ocior.dumps([object()], cls=Kept) == '["own"]'
    reference = weakref.ref(Kept)
    del Kept
    gc.collect()
    assert reference() is None
    for _ in range(20):  # one of these may lie where that one was

        class Other(ocior.JSONEncoder):
            item_separator = "/"

        assert ocior.dumps([1, 2], cls=Other) == "[1/2]"
        del Other
        gc.collect()


def test_classes_given_again_and_again_change():
    for base in (ocior.JSONEncoder, json.JSONEncoder):

        class Base(base):
            pass

        class Changing(Base):
            pass

        def both(value, Changing=Changing):
            return ocior.dumps(value, cls=Changing), ocior.dumps_to_bytes(value, cls=Changing)

        def texts(default):
            def default_of_class(self, o):
                return default

            return default_of_class

        assert [both([1, 2]) for _ in range(3)] == [("[1, 2]", b"[1,2]")] * 3
        Changing.default = texts("first")
        assert [both([object()]) for _ in range(3)] == [('["first"]', b'["first"]')] * 3
        Changing.default = texts("second")
        assert [both([object()]) for _ in range(3)] == [('["second"]', b'["second"]')] * 3
        del Changing.default
        Base.default = texts("inherited")
        assert [both([object()]) for _ in range(3)] == [('["inherited"]', b'["inherited"]')] * 3
        Changing.__init__ = lambda self, **keywords: Base.__init__(self, indent=1)
        assert [both([1])[0] for _ in range(3)] == ["[\n 1\n]"] * 3
        del Changing.__init__
        Base.iterencode = lambda self, o, _one_shot=False: iter(["pieces"])
        assert [both([1]) for _ in range(3)] == [("pieces", b"pieces")] * 3


def test_the_class_changes_while_it_is_used():
    """default() is that of the class when the call began."""

    def change(cls):
        cls.default = lambda self, o: "new"

    def remove(cls):
        del cls.default

    def make_otherwise(cls):
        cls.__new__ = cls.__setattr__ = None

    def text(dumps, act):
        class Changing(json.JSONEncoder):
            def default(self, o):
                return "old"

        class Acting(dict):
            def items(self):
                act(Changing)
                return super().items()

        for _ in range(3):
            dumps([object()], cls=Changing)
        return call(dumps, [Acting(a=1), object(), object()], cls=Changing)

    for act in (change, remove, make_otherwise):
        assert text(ocior.dumps, act).value == text(json.dumps, act).value == '[{"a": 1}, "old", "old"]', act


def test_attributes_of_a_class_given_again_and_again_run_code():
    log = []

    class Getting(json.JSONEncoder):
        @property
        def encode(self):
            log.append("encode")
            return super().encode

    class Kind:
        def __call__(self, o):
            return "called"

    class WithKinds(json.JSONEncoder):
        default = Kind()
        skipkeys = Kind()

    for _ in range(3):
        ocior.dumps([1], cls=Getting)
        ocior.dumps([1], cls=WithKinds)
    assert log == ["encode"] * 3
    Kind.__set__ = lambda self, instance, value: log.append("set")
    log.clear()
    for _ in range(3):
        ocior.dumps([1], cls=WithKinds)
    assert log == ["set"] * 3


def test_default_that_raises_in_a_class_given_again_and_again():
    class Raising(ocior.JSONEncoder):
        def default(self, o):
            raise LookupError(o)

    class Theirs(json.JSONEncoder):
        default = Raising.default

    for value in ["x", [{"a": {1}}], {1}] * 3:
        assert_same(call(ocior.dumps, value, cls=Raising), call(json.dumps, value, cls=Theirs), "raising default")


class Doubling:
    """Overrides that call super(), and see json's own pieces there."""

    def encode(self, o):
        return "<" + super().encode(o) + ">"

    def iterencode(self, o, _one_shot=False):
        for chunk in super().iterencode(o, _one_shot):
            yield chunk.replace("1", "one")


class Settling:
    def __init__(self, *args, **keywords):
        keywords["indent"] = 3
        super().__init__(*args, **keywords)
        self.item_separator = " ,"


@pytest.mark.parametrize("mixin", [Doubling, Settling])
def test_overriding_more(mixin):
    ours, theirs = type("E", (mixin, ocior.JSONEncoder), {}), type("E", (mixin, json.JSONEncoder), {})
    value = {"a": [1, 2.5, None], "1": "1\xe9"}
    assert ours().encode(value) == theirs().encode(value)
    if mixin is Doubling:
        assert list(ours().iterencode(value)) == list(theirs().iterencode(value))
    assert "".join(ours().iterencode(value)) == "".join(theirs().iterencode(value))
    for cls in (ours, theirs):
        assert ocior.dumps(value, cls=cls) == json.dumps(value, cls=theirs)
        assert ocior.dumps(value, cls=cls, sort_keys=True, ensure_ascii=False) == json.dumps(
            value, cls=theirs, sort_keys=True, ensure_ascii=False
        )


def test_without_super_init():
    class Bare(ocior.JSONEncoder):
        def __init__(self):
            pass

    with pytest.raises(AttributeError):
        Bare().encode([])


def test_own_setattr_and_getattribute():
    class Logging(ocior.JSONEncoder):
        log = []

        def __setattr__(self, name, value):
            self.log.append(name)
            super().__setattr__(name, value)

    assert Logging(indent=1).encode([1]) == "[\n 1\n]"
    assert Logging.log[:6] == ["skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys", "indent"]

    class Pretending(ocior.JSONEncoder):
        def __getattribute__(self, name):
            return "!" if name == "item_separator" else super().__getattribute__(name)

    assert Pretending().encode([1, 2]) == "[1!2]"


def test_replaced_default_of_the_class():
    """A known hack: a function put in the place of JSONEncoder.default serves dumps, too."""
    check_python("""
        import json, ocior
        def default(self, o):
            return getattr(o.__class__, "to_json", default.original)(o)
        default.original = ocior.JSONEncoder().default
        class Point:
            def to_json(self):
                return [1, 2]
        ocior.JSONEncoder.default = default
        assert ocior.dumps([Point()]) == "[[1, 2]]"
        assert ocior.dumps_to_bytes(Point()) == b"[1,2]"
        assert ocior.JSONEncoder().encode(Point()) == "[1, 2]"
        try:
            ocior.dumps([object()])
        except TypeError as error:
            assert str(error) == "Object of type object is not JSON serializable"
        else:
            raise SystemExit("no error")
        del ocior.JSONEncoder.default
        json.JSONEncoder.default = lambda self, o: "patched"
        assert ocior.dumps([object()]) == '["patched"]'
    """)


def test_pieces_are_lazy_and_bounded():
    seen = []

    def default(o):
        seen.append(o)
        return "x" * 1000

    pieces = ocior.JSONEncoder(default=default).iterencode([object() for _ in range(2000)])
    assert iter(pieces) is pieces and not seen
    first = next(pieces)
    assert 0 < len(seen) < 2000 and len(first) < 400_000
    rest = list(pieces)
    assert len(seen) == 2000 and json.loads(first + "".join(rest)) == ["x" * 1000] * 2000
    with pytest.raises(StopIteration):
        next(pieces)


def test_pieces_before_an_error():
    pieces = ocior.JSONEncoder().iterencode([1, {"a": object()}])
    assert next(pieces) == '[1, {"a": '
    with pytest.raises(TypeError, match="object is not JSON"):
        next(pieces)
    with pytest.raises(StopIteration):
        next(pieces)


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="every integer has a text here")
@pytest.mark.parametrize("keywords", [{}, {"indent": 1}, {"ensure_ascii": False}, {"separators": ("\u20ac", ":")}], ids=str)
def test_pieces_before_a_refused_number(keywords):
    """All that stands before it, be it an integer of too many digits, of int or of a class derived from it, or no finite number."""

    def before(encoder_class, value):
        pieces = []
        with pytest.raises(ValueError):
            pieces.extend(encoder_class(allow_nan=False, **keywords).iterencode(value))
        return "".join(pieces)

    class Integer(int):
        pass

    for refused in (10**5000, Integer(10**5000), float("nan")):
        for value in ({"a": refused}, {"a": ["x"], "b": refused}, [{"a": "x" * 200_000, "b": {"c": refused}}]):
            assert before(ocior.JSONEncoder, value) == before(json.JSONEncoder, value)
        for value in ([refused], ["x", refused], [{"a": ["x"]}, [refused]]):
            assert before(ocior.JSONEncoder, value).startswith(before(json.JSONEncoder, value))


def test_pieces_of_a_string_longer_than_memory_should_hold():
    for unit in ("a", "\n", "\xe9", "\u4e2d", "\U0001f600"):
        for ensure_ascii in (True, False):
            encoder = ocior.JSONEncoder(ensure_ascii=ensure_ascii, separators=("\u20ac", "=" * 20))
            value = ["x", {"k": unit * 200_000, "l": [unit * 1024, unit * 1025]}, unit * 70_000]
            pieces = list(encoder.iterencode(value))
            assert max(map(len, pieces)) < 200_000 and "".join(pieces) == json.JSONEncoder(
                ensure_ascii=ensure_ascii, separators=("\u20ac", "=" * 20)
            ).encode(value)
            assert all(sys.getsizeof(piece) == sys.getsizeof((piece + " ")[:-1]) for piece in pieces)


def test_pieces_while_the_value_changes():
    """Between two pieces anything may happen to what is being encoded."""
    value = [["x" * 100] * 100 for _ in range(300)]
    encoder = ocior.JSONEncoder()
    pieces = encoder.iterencode(value)
    next(pieces)
    value.clear()
    gc.collect()
    assert "".join(pieces).endswith("]")
    tree = {"a": {"b": ["y" * 2000] * 500}, "c": 1}
    pieces = encoder.iterencode(tree)
    next(pieces)
    del tree["a"]["b"]
    tree.clear()
    assert type(call("".join, pieces).error) is RuntimeError
    held = ["z" * 300_000]
    pieces = encoder.iterencode(held)
    next(pieces)
    held[0] = None
    assert "".join(pieces).endswith('zz"]')
    circle = []
    circle.append(["w" * 1000] * 1000)
    circle.append(circle)
    with pytest.raises(ValueError, match="Circular"):
        list(encoder.iterencode(circle))


def test_abandoned_pieces_are_collected():
    class Node(list):
        pass

    node = Node(["x" * 1000] * 1000)
    pieces = ocior.JSONEncoder().iterencode(node)
    next(pieces)
    node.append(pieces)  # the iterator's frames refer to the list that refers to it
    gone = weakref.ref(node)
    del node, pieces
    gc.collect()
    assert gone() is None


def test_pieces_are_not_reentrant():
    box = []

    def default(o):
        next(box[0])

    box.append(ocior.JSONEncoder(default=default).iterencode([object()]))
    assert next(box[0]) == "["
    with pytest.raises(ValueError, match="already executing"):
        next(box[0])


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


def test_copies():
    encoder = ocior.JSONEncoder(indent=1, separators=(",", " : "))
    for other in (copy.copy(encoder), copy.deepcopy(encoder), pickle.loads(pickle.dumps(encoder))):
        assert type(other) is ocior.JSONEncoder and vars(other) == vars(encoder) and other.encode({"a": 1}) == encoder.encode({"a": 1})
    reference = weakref.ref(encoder)
    del encoder
    assert reference() is None


def test_copies_of_slots():
    for made in (Slotted, SlottedToo):
        encoder = made(indent=1)
        encoder.extra = [5]
        for copied in (
            copy.copy(encoder),
            copy.deepcopy(encoder),
            *(pickle.loads(pickle.dumps(encoder, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)),
        ):
            assert type(copied) is made and copied.extra == [5] and not hasattr(copied, "unset") and copied.encode([1]) == "[\n 1\n]"


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


def test_pieces_under_way_when_the_package_is_loaded_again():
    """They ask the encoder of before for JSONEncoder.default."""
    check_python("""
        import gc, importlib, ocior, ocior.encoder
        pieces = ocior.JSONEncoder().iterencode(["x" * 300_000, "y" * 300_000, object()])
        first = next(pieces)
        for _ in range(3):
            importlib.reload(ocior.encoder)
            ocior._default_encoder = None
            gc.collect()
        ballast = [ocior.JSONEncoder.__new__(ocior.JSONEncoder) for _ in range(100)], [bytes(40 + size % 32) for size in range(100_000)]
        try:
            list(pieces)
        except TypeError as error:
            assert str(error) == "Object of type object is not JSON serializable"
        else:
            raise SystemExit("no error")
        assert ocior.encoder.JSONEncoder(indent=1).encode([1]) == "[\\n 1\\n]"
    """)


@pytest.mark.parametrize("name", ["encode_basestring", "encode_basestring_ascii"])
def test_string_functions(name):
    ours, theirs = getattr(ocior.encoder, name), getattr(json.encoder, name)
    assert getattr(ocior.encoder, "c_" + name) is ours
    for text in ("", "a", '"\\\n\x00\x7f', "\xe9", "\u4e2d", "\U0001f600", "\ud800", "x" * 1000 + "\u4e2d", type("S", (str,), {})("sub")):
        assert_same(call(ours, text), call(theirs, text), f"{name}({text!r})")
    for other in (None, 5, b"x", ["x"]):
        assert_same(call(ours, other), call(theirs, other), f"{name}({other!r})")


def test_every_name_of_jsons_module_is_there():
    for name in dir(json.encoder):
        assert hasattr(ocior.encoder, name), name
    assert ocior.encoder.py_encode_basestring is json.encoder.py_encode_basestring
    with pytest.raises(AttributeError):
        ocior.encoder.no_such_name


def test_without_json_in_its_place():
    """A program may put ocior in json's place, in sys.modules: nothing looks json up by its name any more."""
    check_python("""
        import sys, json
        import ocior, ocior.encoder
        class Encoder(ocior.JSONEncoder):
            def iterencode(self, o, _one_shot=False):
                return super().iterencode(o, _one_shot)
        original = json
        sys.modules["json"] = ocior
        sys.modules["json.encoder"] = ocior.encoder
        import json
        assert json is ocior
        for keywords in ({"cls": Encoder}, {"separators": [",", ":"]}, {"indent": True}, {"cls": original.JSONEncoder}):
            assert json.dumps([1, {"a": None}], **keywords) == original.dumps([1, {"a": None}], **keywords)
        for arguments, keywords in (((), {}), ((1, 2), {}), ((1,), {"foo": 1})):
            try:
                json.dumps(*arguments, **keywords)
            except TypeError as error:
                assert "dumps() " in str(error) or "unexpected keyword" in str(error), error
    """)


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


def test_patched_class_is_seen_by_new_and_old_objects():
    check_python("""
        import json, ocior
        old = ocior.JSONEncoder()
        assert old.encode([1, 2]) == "[1, 2]"
        ocior.JSONEncoder.item_separator = ";"
        assert old.encode([1, 2]) == "[1;2]" and ocior.JSONEncoder().encode([1, 2]) == "[1;2]"
        del ocior.JSONEncoder.item_separator
        original = json.JSONEncoder.iterencode
        json.JSONEncoder.iterencode = lambda self, o, _one_shot=False: iter(["patched"])
        for encoder in (old, ocior.JSONEncoder()):
            assert encoder.encode([1, 2]) == "[1, 2]"  # ocior's class has its own
        assert ocior.dumps([1], cls=json.JSONEncoder) == "patched"
        ocior.JSONEncoder.iterencode = json.JSONEncoder.iterencode
        for encoder in (old, ocior.JSONEncoder()):
            assert encoder.encode([1, 2]) == "patched"
    """)


def test_borrowed_methods():
    """Methods of another object than the encoder itself."""
    other = Ours(indent=1)
    for encoder, theirs in ((ocior.JSONEncoder(), json.JSONEncoder()),):
        encoder.iterencode, theirs.iterencode = other.iterencode, Theirs(indent=1).iterencode
        assert encoder.encode([{1}]) == theirs.encode([{1}]) == "[\n [\n  1\n ]\n]"


def test_abstract_classes_cannot_be_instantiated():
    import abc

    class Abstract(ocior.JSONEncoder, abc.ABC):
        @abc.abstractmethod
        def kind(self):
            pass

    with pytest.raises(TypeError, match="abstract"):
        Abstract()


def test_interrupts_are_not_swallowed():
    for error in (KeyboardInterrupt, SystemExit, MemoryError):

        class Interrupting(ocior.JSONEncoder):
            @property
            def item_separator(self):
                raise error

        with pytest.raises(error):
            Interrupting().encode([1])
        with pytest.raises(error):
            ocior.dumps([1], cls=Interrupting)


def test_pieces_can_be_closed():
    pieces = ocior.JSONEncoder().iterencode(["x" * 1000] * 1000)
    next(pieces)
    pieces.close()
    assert list(pieces) == [] and pieces.close() is None


def test_deep_values_cost_no_more_than_others():
    """Looking for circles compares all open containers at once, now and then: not for each container at such a depth."""
    value = [[] for _ in range(20_000)]
    value = [[item] for item in value]
    for _ in range(2046):
        value = [value]
    assert len(ocior.dumps(value)) > 20_000


def test_old_pickle_protocols():
    encoder = ocior.JSONEncoder(indent=1)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(encoder, protocol)).encode([1]) == "[\n 1\n]"


def test_errors_of_abandoned_pieces_are_collected():
    class Value:
        pass

    class Node(list):
        pass

    def abandon():
        node = Node([["x" * 1000] * 300, Value()])
        pieces = ocior.JSONEncoder().iterencode(node)
        node.append(pieces)
        while True:
            if next(pieces).endswith("]], "):  # the error waits behind this piece
                return weakref.ref(node)

    try:
        gone = abandon()
    except TypeError:
        pytest.skip("the error came with the piece")
    gc.collect()
    assert gone() is None


def test_iterator_outlives_its_module():
    check_python("""
        import gc, sys, weakref
        def run():
            import ocior
            pieces = ocior.JSONEncoder().iterencode(["x" * 1000] * 1000)
            next(pieces)
            cycle = [pieces, sys.modules["ocior"], ocior._core]
            cycle.append(cycle)
            for name in [name for name in sys.modules if name.startswith("ocior")]:
                del sys.modules[name]
        run()
        gc.collect()
    """)
