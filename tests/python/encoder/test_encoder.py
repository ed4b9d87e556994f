"""JSONEncoder, alone and as `cls=`, and the names of ocior.encoder: texts, attributes, errors and copies as json's."""

import copy
import io
import json
import json.encoder
import pickle
import sys
import weakref

import pytest
from encoder_values import KEYWORDS, VALUES, Ours, Theirs
from layouts import each_layout
from support import assert_same, call, check_python, json_notes, json_to_bytes

import ocior
import ocior.encoder


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
@each_layout("json", "indent 1", "sorted")
def test_hooks_that_raise_stop_iteration(keywords, value, error):
    """It ends a generator, of which json's encoder in Python is made, and no text is to end for that."""

    def hook(value):
        if type(value) is Nested:
            return value.last if value.levels == 1 else Nested(value.last, value.levels - 1)
        raise type(error)(7)

    def facts_of(error):
        cause = error.__cause__
        notes = [json_notes(one) for one in (error, cause)] if sys.version_info >= (3, 14) else None
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


def test_deep_values_cost_no_more_than_others():
    """Looking for circles compares all open containers at once, now and then: not for each container at such a depth."""
    value = [[] for _ in range(20_000)]
    value = [[item] for item in value]
    for _ in range(2046):
        value = [value]
    assert len(ocior.dumps(value)) > 20_000


class Slotted(ocior.JSONEncoder):
    __slots__ = ("extra", "unset")


class SlottedToo(Slotted):
    __slots__ = ("more",)


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


def test_old_pickle_protocols():
    encoder = ocior.JSONEncoder(indent=1)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(encoder, protocol)).encode([1]) == "[\n 1\n]"


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
