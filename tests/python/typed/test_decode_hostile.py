"""Typed decoding under attack: allocations that fail, small stacks, code of the user that calls the decoder again or looks at what is not
finished, classes that are changed or collected, threads, interpreters; and nothing leaks."""

import dataclasses
import gc
import importlib.util
import os
import sys
import time
import tracemalloc
import weakref
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypedDict, Union

import pytest
from support import HAS_GIL, IS_QUICK, GuardedPages, call, check_python, some
from threads import check_race, together

import ocior
from ocior import Convert, Decoder, Limits, Rest, Rules, ValidationError

# ---- allocations that fail

SETUP = r"""
import collections, dataclasses, datetime, decimal, enum, gc, sys, typing, uuid, _testcapi, ocior
from typing import *
from ocior import *

class Color(enum.Enum):
    RED = "red"
    GREEN = "gr\xfcn"

@dataclasses.dataclass
class Plain:
    a: int
    b: str = "x"
    c: list = dataclasses.field(default_factory=list)

@dataclasses.dataclass(slots=True)
class Slots:
    a: int
    b: Optional["Slots"] = None

Wide = dataclasses.make_dataclass("Wide", [(f"field{i}", int, 0) for i in range(40)])

@dataclasses.dataclass
class Called:
    a: int
    b: dataclasses.InitVar[int] = 3
    c: int = 4
    def __post_init__(self, b):
        self.c += b

@dataclasses.dataclass
class Posted:
    a: int
    def __post_init__(self):
        self.a += 1

@dataclasses.dataclass
class Keeps:
    a: int
    rest: Annotated[dict[str, Any], Rest()]

@dataclasses.dataclass
class Row:
    __ocior__ = Rules(array=True)
    a: int
    b: int = 2
    c: list = dataclasses.field(default_factory=list)

@dataclasses.dataclass
class Cat:
    kind: Literal["cat"]
    inner: "Cat | Dog | None" = None

@dataclasses.dataclass
class Dog:
    kind: Literal["dog"]
    inner: "Cat | Dog | None" = None

class Pair(NamedTuple):
    a: int
    b: str = "x"

class Dict(TypedDict, total=False):
    a: int
    b: str

def refuse(value):
    raise ValueError("no")

long = '"' + "x" * 70 + '"'
nested = '{"inner":{"inner":{"inner":null,"pad":[%s],"kind":"cat"},"kind":"dog"},"kind":"cat"}' % long
JOBS = {
    "plain": (list[Plain], '[{"a":1},{"a":2,"b":"y","c":[1]},{"c":[],"a":123456789012}]'),
    "slots": (Slots, '{"a":1,"b":{"a":2,"b":{"a":3}}}'),
    "wide": (list[Wide], '[{"field3":4},{%s}]' % ",".join(f'"field{i}":{i}' for i in range(40))),
    "called": (list[Called], '[{"a":1},{"a":1,"b":2,"c":5}]'),
    "posted": (list[Posted], '[{"a":1},{"a":2}]'),
    "keeps": (Keeps, '{"a":1,"x":[1],"y":{"z":2},"x":3}'),
    "rows": (list[Row], '[[1],[1,2],[1,2,[3]]]'),
    "tags": (Union[Cat, Dog], nested),
    "tuples": (tuple[int, Pair, tuple[str, ...]], '[1,[2],["a","b"]]'),
    "dicts": (list[Dict], '[{"a":1,"b":"x"},{"b":"y"},{}]'),
    "sets": (tuple[set[str], frozenset[int], collections.deque[int]], '[["a","b","a"],[1,2],[3,4]]'),
    "maps": (tuple[dict[int, str], collections.defaultdict[str, list[int]], collections.OrderedDict[str, int]],
             '[{"1":"a","2":"b"},{"x":[1]},{"y":2}]'),
    "scalars": (tuple[uuid.UUID, datetime.datetime, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, decimal.Decimal, bytes,
                      bytearray, Color, Color],
                '["12345678123456781234567812345678","2024-02-29T23:59:59.5+01:00","2024-02-29","01:02:03Z","P1DT2S",1.50,"12345.678901234567890123456",'
                '"AAEC","AAEC","red","gr\xfcn"]'),
    "limits": (list[Annotated[int, Limits(ge=0, multiple_of=2)]], "[2,4,123456789012345678901234567890]"),
    "patterns": (list[Annotated[str, Limits(pattern="^a", max_length=9)]], '["a","ab"]'),
    "any": (tuple[Any, dict[str, Any]], '[[1,{"a":[2.5]}],{"x":{"y":[]}}]'),
    "raw": (tuple[Raw, Raw, Raw], '[{"a":1},"\u4e2d",1.5]'),
    "hooks": (list[Annotated[int, Convert(lambda value: [value], takes=int)]], "[1,2]"),
    "problems error": (list[Plain], '[{"a":"x"},{"b":1},5,{"a":1,"c":{"\u4e2d":1}}]'),
    "hooks error": (list[Annotated[int, Convert(refuse, takes=int)]], "[1,2]"),
    "limits error": (tuple[Annotated[str, Limits(min_length=5)], Annotated[int, Limits(gt=5)], Annotated[list[int], Limits(min_length=2)]],
                     '["\u4e2d",1,[]]'),
    "tags error": (Union[Cat, Dog], '{"inner":null,"kind":"cow"}'),
    "json error": (list[Plain], '[{"a":1},{"a":"x"},{"a":1,]'),
}
"""
JOBS = (
    "plain slots wide called posted keeps rows tags tuples dicts sets maps scalars limits patterns any raw hooks "
    "problems_error hooks_error limits_error tags_error json_error"
).split()


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.parametrize("source", ["str", "bytes", "first"])
@pytest.mark.parametrize("job", some(JOBS, 3))
def test_every_allocation_of_decode_may_fail(job, source):
    """The n-th allocation fails, or all from the n-th on, for every n until the call succeeds: MemoryError or the value, never a crash.
    "first": of a decoder that has read nothing yet, so that it makes its own memory."""
    check_python(
        SETUP
        + r"""
from failing import fail_each_allocation
name, source = sys.argv[1].replace("_error", " error"), sys.argv[2]
type_, text = JOBS[name]
document = text.encode() if source == "bytes" else text
decoder = ocior.Decoder(type_)
fresh = [ocior.Decoder(type_) for _ in range(500)] if source == "first" else None
mistakes = (ValueError,)
decimal.getcontext()
def read(by):
    made = by.decode(document)
    return [str(one) for one in made] if name == "raw" else made  # each Raw is equal to itself alone
def job():
    return read(fresh.pop() if fresh else decoder)
expected = None
try:
    expected = job()
except mistakes as error:
    assert "error" in name, error
# The interpreter may have no memory for the frame, or for the traceback of a function in Python.
system_errors = "error return without exception set", "<function "
compared, is_over = (None, lambda: not fresh) if source == "first" else (expected, lambda: False)
fail_each_allocation(job, mistakes, compared, system_errors=system_errors, is_over=is_over, most=2000)
for _ in range(3):
    try:
        assert expected is None or read(decoder) == expected
    except mistakes:
        assert "error" in name
""",
        job,
        source,
    )


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.parametrize("job", some(JOBS, 3))
def test_every_allocation_of_a_new_decoder_may_fail(job):
    """From where the type has been described in Python: CPython ends itself where it has no memory for some functions of that."""
    check_python(
        SETUP
        + r"""
from ocior._typed import hints
described, span = None, None
real = hints.compile
def compile(type_, **keywords):
    global described
    if described is None:
        described = real(type_, **keywords)
    if span:
        _testcapi.set_nomemory(*span)
    return described
hints.compile = compile
type_, text = JOBS[sys.argv[1].replace("_error", " error")]
ocior.Decoder(type_)
gc.disable()
def attempt():
    try:
        return ocior.Decoder(type_)
    except MemoryError:
        return None
    finally:
        _testcapi.remove_mem_hooks()
for forever in (False, True):
    clean = 0
    for n in range(1, 20000):
        span = (n, 0 if forever else n + 1)
        made = attempt()
        clean = 0 if made is None else clean + 1
        if clean > 40:
            break
    else:
        raise SystemExit("never succeeds")
    try:
        made.decode(text)
    except ValueError:
        assert "error" in sys.argv[1]
""",
        job,
        timeout=300,
    )


# ---- depth

DEEP_CLASS = """
import dataclasses, threading, sys
from typing import *
import ocior
from ocior import Rules

@dataclasses.dataclass
class Node:
    child: "Node | None" = None

@dataclasses.dataclass(slots=True)
class Slotted:
    child: "Slotted | None" = None

@dataclasses.dataclass
class Row:
    __ocior__ = Rules(array=True)
    child: "Row | None" = None

class Item(TypedDict, total=False):
    child: "Item"

@dataclasses.dataclass
class Left:
    kind: Literal["left"]
    child: "Left | Right | None" = None

@dataclasses.dataclass
class Right:
    kind: Literal["right"]
    child: "Left | Right | None" = None

@dataclasses.dataclass
class Posted:
    child: "Posted | None" = None
    def __post_init__(self):
        pass

@dataclasses.dataclass
class Lists:
    children: "list[Lists]"

depth = 60_000
OBJECTS = '{"child":' * depth + "null" + "}" * depth
FAMILIES = {
    "dataclass": (Node, OBJECTS),
    "slots": (Slotted, OBJECTS),
    "array": (Row, "[" * depth + "null" + "]" * depth),
    "typed dict": (Item, '{"child":' * depth + "{}" + "}" * depth),
    "tag first": (Union[Left, Right], '{"kind":"left","child":' * depth + "null" + "}" * depth),
    "tag last": (Union[Left, Right], '{"child":' * depth + "null" + ',"kind":"right"}' * depth),
    "post init": (Posted, OBJECTS),
    "lists": (Lists, '{"children":[' * (depth // 2) + "]}" * (depth // 2)),
    "any": (Any, '[{"a":' * (depth // 2) + "1" + "}]" * (depth // 2)),
    "raw": (ocior.Raw, '[{"a":' * (depth // 2) + "1" + "}]" * (depth // 2)),
}
"""


@pytest.mark.parametrize(
    "family", ["dataclass", "slots", "array", "typed dict", "tag first", "tag last", "post init", "lists", "any", "raw"]
)
def test_depth_in_a_thread_with_a_small_stack(family):
    """100 000 nested objects in a thread of 256 KB end msgspec."""
    check_python(
        DEEP_CLASS
        + """
type_, document = FAMILIES[sys.argv[1]]
decoder = ocior.Decoder(type_)
found, values = [], []
def work():
    for text in (document, document.encode()):
        value = decoder.decode(text)
        values.append(value)  # of what is deep the end is CPython's care, and a small stack is not enough for it
        for _ in range(100):
            if isinstance(value, list):
                value = value[0]
            if hasattr(value, "children"):
                value = value.children[0]
            elif hasattr(value, "child"):
                value = value.child
        found.append(value is not None)
    wrong = document.replace("null", "5").replace("left", "middle")
    for text in (document[: len(document) // 2], wrong, "[" * 200_000, '{"child":' * 200_000, "[" * 200_000 + "]" * 200_000):
        try:
            values.append(decoder.decode(text))
        except (ValueError, RecursionError) as error:
            found.append(type(error).__name__)
threading.stack_size(256 * 1024)
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert found[:2] == [True, True], found
assert "JSONDecodeError" in found, found
import os
sys.stdout.flush()
os._exit(0)
""",
        family,
        timeout=300,
    )


def test_depth_beyond_the_limit_is_a_recursion_error():
    @dataclasses.dataclass
    class Node:
        child: Any = None

    text = '{"child":' * 12 + "null" + "}" * 12
    assert Decoder(Node, max_depth=12).decode(text)
    for found in (Node, Any, dict, ocior.Raw, int):
        with pytest.raises(RecursionError):
            Decoder(found, max_depth=11).decode(text)


# ---- code of the user that runs inside a call


@dataclasses.dataclass
class Again:
    depth: int
    inner: Annotated[Any, Convert(lambda value: again(value))] = None


def again(value):
    return None if value is None else DECODERS[0].decode(ocior.dumps(value))


DECODERS = [Decoder(Again)]


def test_a_hook_calls_the_same_decoder():
    document = '{"depth":0}'
    for depth in range(1, 12):
        document = f'{{"depth":{depth},"inner":{document}}}'
    value, depths = DECODERS[0].decode(document), []
    while value is not None:
        depths.append(value.depth)
        value = value.inner
    assert depths == list(range(11, -1, -1))


@pytest.mark.skipif("OCIOR_SANITIZED" in os.environ, reason="what a sanitizer adds to each call does not fit into the stack")
def test_a_hook_calls_its_decoder_for_ever():
    decoders = []
    found = Annotated[Any, Convert(lambda value: decoders[0].decode("[1]"))]
    decoders.append(Decoder(found))
    with pytest.raises(RecursionError):
        decoders[0].decode("[1]")


def test_post_init_that_calls_the_decoder_and_fails():
    @dataclasses.dataclass
    class Order:
        count: int

        def __post_init__(self):
            if self.count > 0:
                Decoder(Order).decode(f'{{"count":{self.count - 1}}}')
            if self.count == 3:
                raise ValueError("three")

    with pytest.raises(ValidationError) as caught:
        Decoder(list[Order]).decode('[{"count":1},{"count":5}]')
    # The innermost error passes through all that is around it.
    assert caught.value.path == "$" and caught.value.errors[0].code == "hook"


def test_hooks_that_look_at_all_objects():
    """Nothing that is half made is to be found by gc.get_objects(), gc.get_referrers() or a collection."""
    check_python("""
        import dataclasses, gc, sys, collections
        from typing import *
        import ocior
        from ocior import Convert

        def look(value):
            gc.collect()
            for thing in gc.get_objects():
                if type(thing) in (list, dict, tuple, set) and len(thing) < 50:
                    list(thing)
                    if type(thing) is not set:
                        repr(len(thing))
                if type(thing).__name__ in ("Plain", "Slots", "Item", "Pair"):
                    repr(thing)
            gc.get_referrers(value)
            return value

        Seen = Annotated[Any, Convert(look)]

        @dataclasses.dataclass
        class Plain:
            a: int
            b: Seen
            c: list[int] = dataclasses.field(default_factory=list)

        @dataclasses.dataclass(slots=True)
        class Slots:
            a: Seen
            b: Seen
            c: "Slots | None" = None

        class Pair(NamedTuple):
            a: Seen
            b: Seen

        class Item(TypedDict):
            a: Seen
            b: Seen

        class Key(str):
            pass

        for type_, text in (
            (list[Plain], '[{"a":1,"b":[2]},{"b":{"x":[]},"a":300}]'),
            (list[Slots], '[{"a":1,"b":[2],"c":{"b":"x","a":[]}}]'),
            (list[Pair], '[[[1],[2]],[{"a":1},2]]'),
            (list[Item], '[{"a":[1],"b":[2]},{"b":{"c":1},"a":[]}]'),
            (dict[str, Seen], '{"a":[1],"b":{"c":[]}}'),
            (tuple[set[Annotated[int, Convert(look, takes=int)]], collections.deque[Seen]], '[[1,2,3],[[1],[2]]]'),
            (dict[Annotated[str, Convert(look, takes=str)], Seen], '{"a":[1],"b":2}'),
        ):
            decoder = ocior.Decoder(type_)
            for source in (text, text.encode()):
                for _ in range(3):
                    decoder.decode(source)
    """)


def test_hashes_and_comparisons_that_attack():
    """Items of a set and keys of a dict whose __hash__ and __eq__ run code: it decodes, collects, and edits what it finds."""
    check_python("""
        import dataclasses, gc
        from typing import *
        import ocior
        from ocior import Convert

        class Item:
            def __init__(self, value):
                self.value = value
            def __hash__(self):
                decoder.decode("[]")
                for thing in gc.get_objects():
                    if type(thing) in (set, dict) and any(type(one) is Item for one in list(thing)[:5]):
                        thing.clear()
                return 1
            def __eq__(self, other):
                gc.collect()
                return self.value == other.value

        for found, text in (
            (set[Annotated[Item, Convert(Item, takes=int)]], "[1,2,3,1,2]"),
            (frozenset[Annotated[Item, Convert(Item, takes=int)]], "[1,2,3,1,2]"),
            (dict[Annotated[Item, Convert(Item, takes=str)], int], '{"a":1,"b":2,"a":3}'),
        ):
            for policy in ("last", "first", "error"):
                decoder = ocior.Decoder(found, duplicate_keys=policy)
                for _ in range(3):
                    try:
                        decoder.decode(text)
                    except (RuntimeError, ValueError, SystemError):
                        pass
    """)


def test_unhashable_items_are_problems():
    found = set[Annotated[Any, Convert(lambda value: [value], takes=int)]]
    with pytest.raises(ValidationError) as caught:
        Decoder(tuple[int, found]).decode("[1,[1,2]]")
    assert [(problem.code, problem.path) for problem in caught.value.errors] == [("hook", (1,))]
    assert isinstance(caught.value.errors[0].cause, TypeError)


def test_a_document_that_a_hook_changes():
    """The bytes are copied before they are read, so a hook may write into them; the text that an error quotes may then be another."""
    data = bytearray(b'[1,"x",2]')

    def change(value):
        data[:] = b" " * len(data)
        return value

    assert Decoder(list[Annotated[Any, Convert(change)]]).decode(data) == [1, "x", 2]
    data[:] = b'[1,"x",2]'
    found = tuple[Annotated[Any, Convert(change)], int, int]
    with pytest.raises(ValidationError) as caught:
        Decoder(found).decode(data)
    assert (caught.value.errors[0].path, caught.value.errors[0].start) == ((1,), 3)
    str(caught.value), caught.value.snippet


# ---- classes that change, and end


def test_classes_that_are_edited_while_their_decoders_live():
    check_python("""
        import dataclasses, gc
        import ocior

        def make(**options):
            @dataclasses.dataclass(**options)
            class Order:
                a: int
                b: str = "x"
                c: list = dataclasses.field(default_factory=list)
            return Order

        def add_property(cls):
            cls.a = property(lambda self: 5, lambda self, value: None)

        def add_slot_of_another(cls):
            cls.b = type("Other", (), {"__slots__": ("b",)}).b

        edits = [
            add_property, add_slot_of_another,
            lambda cls: setattr(cls, "__init__", lambda self: None),
            lambda cls: setattr(cls, "__setattr__", lambda self, name, value: 1 / 0),
            lambda cls: setattr(cls, "__del__", lambda self: None),
            lambda cls: setattr(cls, "__new__", lambda cls: 5),
            lambda cls: setattr(cls, "__getattribute__", lambda self, name: 7),
            lambda cls: setattr(cls, "__post_init__", lambda self: 1 / 0),
            lambda cls: setattr(cls, "__bases__", (type("Base", (), {}),)),
            lambda cls: setattr(cls, "__class__", type("Meta", (type,), {})),
            lambda cls: delattr(cls, "a") if hasattr(cls, "a") else None,
            lambda cls: cls.__dataclass_fields__.clear(),
            lambda cls: cls.__annotations__.clear(),
            lambda cls: setattr(cls, "b", "changed"),
            lambda cls: [setattr(cls(1), f"more{i}", i) for i in range(60)] if hasattr(cls(1), "__dict__") else None,
        ]
        for options in ({}, {"slots": True}, {"frozen": True}, {"slots": True, "frozen": True}):
            for edit in edits:
                cls = make(**options)
                decoder = ocior.Decoder(list[cls])
                text = '[{"a":1},{"a":2,"b":"y","c":[1]}]'
                decoder.decode(text)
                try:
                    edit(cls)
                except (TypeError, AttributeError, ZeroDivisionError):
                    pass
                for _ in range(3):
                    try:
                        made = decoder.decode(text)
                        gc.collect()
                        del made
                    except (TypeError, AttributeError, ValueError, ZeroDivisionError):
                        pass
                del cls
                gc.collect()
                try:
                    decoder.decode(text)
                except (TypeError, AttributeError, ValueError, ZeroDivisionError):
                    pass
    """)


def test_classes_live_as_long_as_their_decoders():
    @dataclasses.dataclass
    class Order:
        a: int
        b: "list[Line]"

    @dataclasses.dataclass
    class Line:
        c: int = 3

    Order.__annotations__["b"] = list[Line]
    Order.__dataclass_fields__["b"].type = list[Line]
    seen = weakref.ref(Order), weakref.ref(Line)
    decoder = Decoder(Order)
    del Order, Line
    gc.collect()
    made = decoder.decode('{"a":1,"b":[{}]}')
    assert made.b[0].c == 3
    del decoder, made
    gc.collect()
    assert [one() for one in seen] == [None, None]


def test_a_decoder_in_a_class_is_collected_with_it():
    @dataclasses.dataclass
    class Order:
        a: int
        b: "Optional[Any]" = None

    Order.decoder = Decoder(Order)
    Order.decoder.decode('{"a":1,"b":[]}')
    seen = weakref.ref(Order)
    del Order
    gc.collect()
    assert seen() is None


def test_a_decoder_is_used_while_its_cycle_is_cleared():
    """The parts of a plan lie in a tuple, which no collection empties: whoever still finds the decoder then may use it."""
    check_python("""
        import dataclasses, gc
        import ocior

        class Late:
            __slots__ = ()  # unknown to the collector: it ends when what holds it is cleared
            def __del__(self):
                for thing in WATCHED:
                    try:
                        thing.decode('{"a":1,"b":"y"}')
                    except Exception:
                        pass

        WATCHED = []
        for turn in range(50):
            @dataclasses.dataclass
            class Order:
                a: int
                b: str = "x"
            decoder = ocior.Decoder(Order)
            class Holder:
                pass
            holder = Holder()
            holder.late, holder.decoder, holder.itself, holder.list = Late(), decoder, holder, [Late() for _ in range(3)]
            Order.holder = holder
            def __del__(self, decoder=decoder):
                decoder.decode('{"a":1,"b":"y"}')
            Eager = type("Eager", (), {"__slots__": (), "__del__": __del__})
            Order.eager = Eager()
            del Order, decoder, Holder, holder, Eager, __del__
            gc.collect()
    """)


def test_loads_keeps_few_types():
    """What loads has compiled is kept, but not for ever."""
    from ocior._typed import cache

    before = sys.getallocatedblocks()
    seen = []
    for _ in range(1500):
        cls = dataclasses.make_dataclass("Passing", [("a", int)])
        seen.append(weakref.ref(cls))
        ocior.loads('{"a":1}', type=cls)
        ocior.loads('[{"a":1}]', type=list[cls])
    del cls
    gc.collect()
    alive = sum(one() is not None for one in seen)
    assert alive < 600, alive
    assert cache, before


# ---- garbage and weak references


def test_instances_are_collected_with_their_cycles():
    @dataclasses.dataclass
    class Plain:
        a: int
        b: Any = None

    @dataclasses.dataclass
    class Slotted:
        __slots__ = ("a", "__weakref__")
        a: int

    @dataclasses.dataclass
    class Both:
        __slots__ = ("a", "__dict__", "__weakref__")
        a: int
        b: Any

    for cls, text in ((Plain, '{"a":1}'), (Slotted, '{"a":1}'), (Both, '{"a":1,"b":2}'), (Plain, '{"a":1,"b":[]}')):
        made = Decoder(cls).decode(text)
        seen = weakref.ref(made)
        made.a = made
        del made
        gc.collect()
        assert seen() is None, cls


class Watched:
    pass


@pytest.mark.parametrize(
    "found, document",
    [
        (dict[str, int], '{"a":1}'),
        (dict[str, Any], '{"a":1}'),
        (dict[str, list[int]], '{"a":[]}'),
        (TypedDict("Small", {"a": int}), '{"a":1}'),
        (TypedDict("Half", {"a": int, "b": str}, total=False), '{"b":"x"}'),
        (dict[int, str], '{"1":"a"}'),
        (list[int], "[1]"),
        (Any, '{"a":[1]}'),
    ],
)
def test_containers_are_collected_with_their_cycles(found, document):
    """Also those that hold nothing which the collector would have to know of, until something is put into them."""
    for source in (document, document.encode(), f"{' ' * 2000}{document}"):
        made = Decoder(list[found]).decode(f"[{source}]" if isinstance(source, str) else b"[%s]" % source)[0]
        watched = Watched()
        seen = weakref.ref(watched)
        if isinstance(made, dict):
            made["itself"], made["watched"] = made, watched
        else:
            made += [made, watched]
        del made, watched
        gc.collect()
        assert seen() is None


def test_finalizers_run_once():
    ended = []

    @dataclasses.dataclass
    class Ends:
        a: int

        def __del__(self):
            ended.append(self.a)

    decoder = Decoder(list[Ends])
    decoder.decode('[{"a":1},{"a":2}]')
    gc.collect()
    assert sorted(ended) == [1, 2]
    ended.clear()
    with pytest.raises(ValidationError):
        decoder.decode('[{"a":1},{"a":"x"},{"a":3}]')
    gc.collect()
    assert ended == [1]
    ended.clear()
    with pytest.raises(ocior.JSONDecodeError):
        decoder.decode('[{"a":1},{"a":2}')
    gc.collect()
    assert sorted(ended) == [1, 2]


def test_the_last_of_doubles_ends_the_first():
    """Code of the user runs where a value is dropped in the midst of a document."""
    ended = []

    @dataclasses.dataclass
    class Ends:
        a: int

        def __del__(self):
            ended.append(self.a)
            Decoder(dict).decode('{"x":[1]}')

    found = dataclasses.make_dataclass("Holds", [("x", Ends), ("y", int, 0)])
    assert Decoder(found).decode('{"x":{"a":1},"x":{"a":2},"y":1,"x":{"a":3}}').x.a == 3
    gc.collect()
    assert ended == [1, 2, 3]
    ended.clear()
    assert Decoder(found, duplicate_keys="first").decode('{"x":{"a":1},"x":{"a":2},"y":1,"x":{"a":3}}').x.a == 1
    gc.collect()
    assert ended == [2, 3, 1]


# ---- doubles, odd keys, odd numbers

ODD_KEYS = [
    "",
    " ",
    "\x00",
    "a\x00b",
    "\ud800",
    "\udfff\ud800",
    "caf\xe9",
    "\u4e2d",
    "\U0001f600",
    'q"q',
    "b\\b",
    "x" * 300,
    "\n",
    "__class__",
]


@pytest.mark.parametrize("key", ODD_KEYS)
def test_odd_keys(key):
    """As names of fields, by the raw text and by escapes; as keys of a dict; in the path of a problem."""
    import json

    fields = [("value", Annotated[int, ocior.Alias(key)]), ("other", int, 0)]
    decoder = Decoder(dataclasses.make_dataclass("Odd", fields))
    texts = {json.dumps({key: 1}, separators=(",", ":"), ensure_ascii=escape) for escape in (True, False)}
    texts.add('{"' + "".join(f"\\u{ord(unit):04x}" if ord(unit) < 0x10000 else unit for unit in key) + '":1}')
    texts |= {text.replace("{", '{"other":3,') for text in texts}
    for text in texts:
        for document in (text, text.encode("utf-8", "surrogatepass")):
            for _ in range(3):
                assert decoder.decode(document).value == 1
            assert Decoder(dict[str, int]).decode(document)[key] == 1
            with pytest.raises(ValidationError) as caught:
                decoder.decode(document.replace(b":1", b":[]") if isinstance(document, bytes) else document.replace(":1", ":[]"))
            assert caught.value.errors[0].path == (key,)
            assert caught.value.errors[0].where and caught.value.errors[0].pointer


@pytest.mark.parametrize("policy, expected", [("last", 2), ("first", 1), ("error", None)])
@pytest.mark.parametrize(
    "found, document, path",
    [
        (dict[str, int], '{"a":1,"a":2}', ()),
        (dict[str, int], '{"a":1,"\\u0061":2}', ()),
        (dict[Annotated[str, Limits(max_length=3)], int], '{"a":1,"a":2}', ()),
        (TypedDict("Doubles", {"a": int}), '{"a":1,"a":2}', ("a",)),
        (TypedDict("Doubles", {"a": int}), '{"a":1,"b":0,"\\u0061":2}', ("a",)),
        (dict[str, Any], '{"a":1,"a":2}', ()),
    ],
)
def test_doubles(found, document, path, policy, expected):
    decoder = Decoder(found, duplicate_keys=policy)
    for source in (document, document.encode()):
        if expected is not None:
            assert decoder.decode(source)["a"] == expected
            continue
        with pytest.raises(ValidationError) as caught:
            decoder.decode(source)
        assert [(problem.code, problem.path) for problem in caught.value.errors] == [("duplicate", path)]


def test_doubles_in_a_rest():
    found = dataclasses.make_dataclass("Keeps", [("a", int), ("rest", Annotated[dict[str, int], Rest()])])
    document = '{"x":1,"a":5,"x":2}'
    assert Decoder(found).decode(document).rest == {"x": 2}
    assert Decoder(found, duplicate_keys="first").decode(document).rest == {"x": 1}
    with pytest.raises(ValidationError) as caught:
        Decoder(found, duplicate_keys="error").decode(document)
    assert caught.value.errors[0].code == "duplicate"


INTEGERS = [
    0,
    1,
    -1,
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**63,
    -(2**63),
    -(2**63) - 1,
    2**64 - 1,
    2**64,
    10**19,
    10**38,
    10**39,
    -(10**400),
    10**4000,
]


@pytest.mark.parametrize("number", INTEGERS, ids=lambda number: f"{number.bit_length()} bits{' negative' if number < 0 else ''}")
def test_integers_of_any_size(number):
    from decimal import Decimal

    text = str(number)
    for document in (text, text.encode(), f" {text} "):
        assert Decoder(int).decode(document) == number
        assert Decoder(Optional[int]).decode(document) == number
        assert Decoder(Annotated[int, Limits(ge=-(10**4200))]).decode(document) == number
        assert Decoder(Decimal).decode(document) == number
        assert Decoder(int, strict=False).decode(f'"{text}"') == number
        assert Decoder(Literal[number] if abs(number) < 2**70 else int).decode(document) == number
        assert Decoder(Any).decode(document) == number
        assert repr(Decoder(float).decode(document)) == repr(float(text))
    if number >= 0:
        assert Decoder(dict[int, int]).decode(f'{{"{text}":1}}') == {number: 1}


@pytest.mark.parametrize(
    "text",
    [
        "1e308",
        "1.7976931348623157e308",
        "5e-324",
        "2.2250738585072011e-308",
        "0." + "3" * 800,
        "-0.0",
        "1e-400",
        "9007199254740993.0",
        "1" * 800 + ".5",
    ],
)
def test_floats_are_rounded_as_python_rounds_them(text):
    for document in (text, text.encode()):
        assert repr(Decoder(float).decode(document)) == repr(float(text))
        assert repr(Decoder(Annotated[float, Limits(ge=-1e308)]).decode(document)) == repr(float(text))
        assert repr(Decoder(float, strict=False).decode(f'"{text}"')) == repr(float(text))


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="this Python has no limit of digits")
def test_the_limit_of_digits_is_a_problem():
    text = "1" * 5000
    for found in (int, Annotated[int, Limits(gt=0)], Literal[1], Optional[int]):
        with pytest.raises(ValidationError) as caught:
            Decoder(found).decode(text)
        assert caught.value.errors[0].code == "range", found


# ---- text that ends where memory ends


@pytest.mark.parametrize("sample", ["a", "\xe9", "\u4e2d", "\U0001f600"])
@pytest.mark.skipif(sys.platform == "win32" or "OCIOR_SANITIZED" in os.environ, reason="the wall is not for these")
def test_documents_that_end_at_a_page_edge(sample):
    """Whole and cut everywhere, the last unit before an inaccessible page: nothing is read behind it."""
    pages = GuardedPages()
    record = f'{{"pad":"{sample * 30}","x":[1,{{"y":"{sample}"}}],"n":"{sample}","kind":"b"}}'
    documents = [
        (list[Union[TaggedA, TaggedB]], f"[{record}]"),
        (Shared, f'{{"{sample}":1,"a":12345678,"b":"{sample * 9}","c":{{"a":-1.5e3,"d":[1,2]}}}}'),
        (dict[int, ocior.Raw], f'{{"1":{{"{sample}":[true,null]}},"22":"{sample}"}}'),
        (tuple[Any, Literal["a", "bb", sample], Optional[int], float], f'[{{"{sample}":1}},"{sample}",17,NaN]'),
        (list[Annotated[str, Limits(max_length=3)]], f'["{sample}","\\u00e9","{sample * 2}"]'),
    ]
    for found, document in documents:
        decoder = Decoder(found)
        for end in range(1, len(document) + 1):
            placed = pages.place_str(document[:end])
            outcome = call(decoder.decode, placed)
            if outcome.error is not None:
                outcome.error.__traceback__ = None
            expected = call(decoder.decode, document[:end])
            assert type(outcome.error) is type(expected.error), document[:end]
            del placed, outcome, expected


# ---- threads


@dataclasses.dataclass
class Shared:
    a: int
    b: str = "x"
    c: "Shared | None" = None
    d: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class TaggedA:
    kind: Literal["a"]
    n: int


@dataclasses.dataclass
class TaggedB:
    kind: Literal["b"]
    n: str


def test_threads_share_a_decoder():
    decoder = Decoder(list[Union[TaggedA, TaggedB, int]])
    nested = Decoder(Shared)
    documents = [
        ('[{"kind":"a","n":1},{"n":"x","kind":"b"},3]', [TaggedA("a", 1), TaggedB("b", "x"), 3]),
        ('[{"n":1,"x":[1,2,{"y":"%s"}],"kind":"a"}]' % ("z" * 80), [TaggedA("a", 1)]),
    ]

    def work(number):
        for turn in range(150 if IS_QUICK else 600):
            text, expected = documents[(turn + number) % 2]
            assert decoder.decode(text.encode() if turn % 3 else text) == expected
            key = f"k{number}{turn % 50}"
            assert nested.decode(f'{{"{key}":1,"a":{turn},"c":{{"d":[1],"a":2}},"b":"y"}}') == Shared(turn, "y", Shared(2, d=[1]))
            with pytest.raises(ValidationError) as caught:
                nested.decode(f'{{"a":"{key}","c":{{"a":[]}}}}')
            assert [problem.path for problem in caught.value.errors] == [("a",), ("c", "a")]

    together(work)


def test_threads_make_decoders_at_the_same_time():
    def work(number):
        for turn in range(10):
            assert ocior.loads('{"a":1,"c":{"a":2}}', type=Shared).c.a == 2
            assert Decoder(dict[str, Shared]).decode('{"x":{"a":1}}')["x"].a == 1

    together(work)


def test_threads_write_into_what_is_read():
    check_race(
        """
        import dataclasses
        @dataclasses.dataclass
        class Order:
            a: int
            b: str = "x"
        data = bytearray(b'[{"a":1,"b":"yyyyyy"},{"a":2}]' * 1)
        decoder = ocior.Decoder(list[Order])
        def edit(turn):
            data[turn % len(data)] = 32 + turn % 90
            if turn % 7 == 0:
                data[:] = b'[{"a":1,"b":"yyyyyy"},{"a":2}]'
        def write(turn):
            try:
                decoder.decode(data)
            except ValueError as error:
                str(error)
        """,
        1,
    )


def test_interpreters():
    """Each interpreter has types and decoders of its own; they end in any order."""
    check_python("""
        import sys, textwrap
        try:
            import _interpreters as interpreters
        except ImportError:
            try:
                import _xxsubinterpreters as interpreters
            except ImportError:
                raise SystemExit
        # Before 3.13 the context of Decimal is one for all interpreters, and ends with one of them: floats stand for them then.
        code = textwrap.dedent('''
            import dataclasses, datetime, sys, uuid, ocior
            Decimal = float
            if sys.version_info >= (3, 13):
                from decimal import Decimal
            @dataclasses.dataclass
            class Order:
                a: int
                at: datetime.datetime
                id: uuid.UUID
                price: Decimal = Decimal(0)
            decoder = ocior.Decoder(list[Order])
            for _ in range(3):
                made = decoder.decode('[{"a":1,"at":"2024-02-29T00:00:00Z","id":"12345678123456781234567812345678","price":1.5}]')
            assert made[0].at.tzinfo is datetime.timezone.utc and made[0].price == Decimal("1.5")
            try:
                decoder.decode('[{"a":"x"}]')
            except ocior.ValidationError as error:
                assert len(error.errors) == 3
        ''')
        exec(code, {})
        made = []
        for turn in range(4):
            made.append(interpreters.create())
            if hasattr(interpreters, "run_string"):
                error = interpreters.run_string(made[-1], code)
                assert not error, error
            if turn % 2:
                interpreters.destroy(made.pop(0))
        exec(code, {})
        while made:
            interpreters.destroy(made.pop())
        exec(code, {})
    """)


# ---- nothing leaks


class Kept(NamedTuple):
    a: int
    b: str = "x"


class Half(TypedDict, total=False):
    a: int
    b: list[int]


@dataclasses.dataclass(slots=True)
class Slotted:
    a: int
    b: "Slotted | None" = None


@dataclasses.dataclass
class Initialized:
    a: int
    b: dataclasses.InitVar[int] = 3

    def __post_init__(self, b):
        if b == 4:
            raise ValueError("four")


@dataclasses.dataclass
class Line:
    __ocior__ = Rules(array=True)
    a: int
    b: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Rests:
    a: int
    rest: Annotated[dict[str, Any], Rest()]


def fail_with(error):
    def function(value):
        raise error("no")

    return function


def leak_paths():
    import collections
    import datetime
    import decimal
    import enum
    import uuid

    class Color(enum.Enum):
        RED = "red"

        @classmethod
        def _missing_(cls, value):
            return cls.RED if value == "again" else None

    wide = dataclasses.make_dataclass("Wide", [(f"field{index}", int, 0) for index in range(40)])
    rows = {
        "dataclass": (list[Shared], '[{"a":1},{"a":12345,"b":"yy","c":{"a":2,"d":[1,2]}}]'),
        "slots": (list[Slotted], '[{"a":1},{"a":2,"b":{"a":3000}}]'),
        "wide": (list[wide], '[{"field3":4},{%s}]' % ",".join(f'"field{i}":{i + 300}' for i in range(40))),
        "called": (list[Initialized], '[{"a":1},{"a":300,"b":2}]'),
        "called, refused": (list[Initialized], '[{"a":1},{"a":300,"b":4}]'),
        "array": (list[Line], "[[1],[2,[3000]]]"),
        "array, refused": (list[Line], '[[1],[2,["x"]],[],[1,[],3]]'),
        "rest": (list[Rests], '[{"a":1,"x":[1]},{"a":2,"x":1,"x":[2]}]'),
        "named tuple": (list[Kept], '[[1],[2,"y"]]'),
        "typed dict": (list[Half], '[{"a":1},{"a":2000,"b":[1]},{}]'),
        "tags": (list[Union[TaggedA, TaggedB]], '[{"kind":"a","n":1000},{"n":"x","pad":[%s],"kind":"b"}]' % ",".join(["1234567"] * 20)),
        "tags, refused": (list[Union[TaggedA, TaggedB]], '[{"kind":"c"},{},{"kind":5}]'),
        "containers": (
            tuple[set[str], frozenset[int], collections.deque[int], collections.defaultdict[str, list[int]], dict[int, str]],
            '[["a","bb","a"],[1,2000],[3],{"x":[1000]},{"1":"a","2000":"b","1":"c"}]',
        ),
        "scalars": (
            tuple[uuid.UUID, datetime.datetime, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, bytes, bytearray, Color],
            '["12345678123456781234567812345678","2024-02-29T23:59:59.5+01:00","2024-02-29","01:02:03Z","P1DT2S",1.50,"AAEC","AAEC","again"]',
        ),
        "scalars, refused": (
            tuple[uuid.UUID, datetime.datetime, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, bytes, bytearray, Color],
            '["x","\xe9","\u4e2d",[],{},"1e99999999999999999999","QQ=","a a a===","blue"]',
        ),
        "limits": (
            tuple[
                Annotated[int, Limits(gt=5, multiple_of=2)],
                Annotated[str, Limits(pattern="^a", max_length=3)],
                Annotated[list[int], Limits(min_length=2)],
            ],
            '[8000,"abc",[1,2]]',
        ),
        "limits, refused": (
            tuple[
                Annotated[int, Limits(gt=5, multiple_of=2)],
                Annotated[str, Limits(pattern="^a", max_length=3)],
                Annotated[list[int], Limits(min_length=2)],
            ],
            '[7001,"bcdef",[1]]',
        ),
        "any": (tuple[Any, dict[str, Any], ocior.Raw], '[[1,{"a":[2.5]}],{"x":{"y":[]}},{"z":1}]'),
        "problems": (list[Shared], '[{"a":"x"},5,{"b":[]},{"a":1,"c":{"a":"\u4e2d","d":[1,"z"]}}]'),
        "no JSON": (list[Shared], '[{"a":1,"c":{"a":2}},{"a":"x"},{"a":1,'),
        "extra data": (list[Shared], '[{"a":1,"c":{"a":2}}] x'),
        "invalid UTF-8": (list[Shared], b'[{"a":1},{"a":2,"b":"\xff"}]'),
        "hook": (list[Annotated[Any, Convert(lambda value: [value])]], '[1,"x",{"a":1}]'),
        "ValueError": (list[Annotated[Any, Convert(fail_with(ValueError))]], '[[1],"x"]'),
        "KeyError": (list[Annotated[Any, Convert(fail_with(KeyError))]], '[[1],"x"]'),
        "StopIteration": (list[Annotated[Any, Convert(fail_with(StopIteration))]], '[[1],"x"]'),
        "too deep": (list[Shared], "[" * 100_000),
        "deep": (Slotted, '{"a":1,"b":' * 200 + "null" + "}" * 200),
    }
    paths = {}
    for name, (found, document) in rows.items():
        decoder = Decoder(found)
        sources = [document] if isinstance(document, bytes) else [document, document.encode(), document.encode("utf-16")]
        paths[name] = lambda decoder=decoder, sources=sources: [told(call(decoder.decode, source)) for source in sources]
    doubles = Decoder(dict[str, Shared], duplicate_keys="error"), Decoder(Shared, duplicate_keys="error")
    paths["doubles"] = lambda: [call(decoder.decode, '{"a":{"a":1},"a":{"a":2}}') for decoder in doubles]
    paths["new decoder"] = lambda: Decoder(dict[str, list[Shared]]).decode('{"x":[{"a":1}]}')
    paths["no decoder"] = lambda: [call(Decoder, object()), call(Decoder, Union[list[int], list[str]]), call(Decoder, int, max_errors=0)]
    paths["loads"] = lambda: ocior.loads('{"x":[{"a":1}]}', type=dict[str, list[Shared]])
    return paths


def told(outcome):
    """Makes all that an error makes when it is asked for."""
    if isinstance(outcome.error, ValidationError):
        return str(outcome.error), outcome.error.snippet, [problem.message for problem in outcome.error.errors]
    return None


PATHS = leak_paths()


@pytest.mark.parametrize("name", some(PATHS, 3))
def test_nothing_leaks(name):
    if name == "new decoder" and not HAS_GIL:
        pytest.skip("without a GIL, CPython 3.14 keeps blocks of every class that is made and dropped, as looking up annotations does")
    path = PATHS[name]
    for _ in range(3):
        path()
    start = time.process_time()
    path()
    rounds = min(200, max(5, int(0.05 / (time.process_time() - start + 1e-9))))
    total = getattr(sys, "gettotalrefcount", int)
    gc.collect()
    gc.freeze()
    gc.disable()
    tracemalloc.start()
    try:
        least = None
        for _ in range(4):
            gc.collect()
            before = sys.getallocatedblocks(), tracemalloc.get_traced_memory()[0], total()
            for _ in range(rounds):
                path()
            gc.collect()
            after = sys.getallocatedblocks(), tracemalloc.get_traced_memory()[0], total()
            growth = tuple(late - early for late, early in zip(after, before))
            least = growth if least is None else tuple(map(min, least, growth))
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    blocks, traced, references = least
    noise = 50 if HAS_GIL else 300  # without a GIL, what is freed is given back when all threads have passed a safe point
    per_call, per_block = (16, 100) if HAS_GIL else (100, 1000)
    assert blocks < rounds // 2 + noise, f"{blocks} blocks in {rounds} calls"
    assert traced < rounds * per_call + noise * per_block, f"{traced} bytes in {rounds} calls"
    assert references < rounds // 2 + noise, f"{references} references in {rounds} calls"


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or "OCIOR_SANITIZED" in os.environ, reason="reads /proc, of a process without more"
)
def test_the_process_does_not_grow():
    """Memory that Python's counters do not see: decoders made and dropped, keys never seen before, big documents."""
    check_python("""
        import dataclasses, gc, ocior
        from typing import *
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        @dataclasses.dataclass
        class Order:
            a: int
            b: str = "x"
            kind: Literal["a"] = "a"

        @dataclasses.dataclass
        class Other:
            kind: Literal["b"]

        decoder = ocior.Decoder(list[Union[Order, Other]])
        count = 0
        def turn():
            global count
            for _ in range(60):
                ocior.Decoder(dict[str, list[Order]]).decode('{"x":[{"a":1}]}')
            text = "[" + ",".join('{"unknown%d":%d,"b":"%s","a":1,"kind":"a"}' % (count + i, i, "z" * 50) for i in range(3000)) + "]"
            count += 3000
            assert len(decoder.decode(text)) == 3000
            for wrong in (text.replace('"a":1', '"a":[]'), text[:-1], "[" * 100_000):
                try:
                    decoder.decode(wrong)
                except (ValueError, RecursionError):
                    pass
        for _ in range(8):
            turn()
        gc.collect()
        before = resident()
        for _ in range(20):
            turn()
        gc.collect()
        growth = resident() - before
        assert growth < 8 << 20, growth
    """)
