"""Classes derived from an encoder: whatever they override, given as `cls=` again and again, and changed or patched meanwhile; as json has it."""

import gc
import json
import sys
import weakref

import pytest
from encoder_values import Ours, Theirs
from support import assert_same, call, check_python, json_to_bytes

import ocior


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
