"""Python code that runs inside a call and attacks what the call is working on: any answer or exception, never a crash."""

import gc
import itertools
import json
import signal
import sys
import textwrap
import threading

import pytest
from support import HAS_GIL, call, check_python, collect

import ocior

ROADS = [
    (ocior.dumps, {}),
    (ocior.dumps, {"ensure_ascii": False}),
    (ocior.dumps, {"indent": 1}),
    (ocior.dumps_to_bytes, {}),
    (ocior.dumps, {"sort_keys": True}),
    (ocior.dumps_to_bytes, {"indent": 2, "skipkeys": True}),
    (ocior.dumps, {"check_circular": False}),
]


class Unknown:
    pass


def finish(outcome):
    """A result must be well-formed JSON; an error must be an ordinary one."""
    if outcome.error is None:
        json.loads(outcome.value)
    else:
        assert isinstance(outcome.error, (RuntimeError, TypeError, ValueError, LookupError, AttributeError, ZeroDivisionError)), (
            outcome.error
        )


def shrink(container):
    if isinstance(container, list):
        del container[1:]
    else:
        for key in list(container)[1:]:
            del container[key]


def grow(container):
    if isinstance(container, list):
        container.extend("\u4e2d" * 1 for _ in range(40)) if len(container) < 300 else None
    elif len(container) < 300:
        container.update({f"new{len(container)}{index}": index for index in range(40)})


def replace(container):
    for index in range(len(container)) if isinstance(container, list) else list(container):
        container[index] = "replaced"


def clear(container):
    container.clear()


def refill(container):
    size = len(container)
    container.clear()
    if isinstance(container, list):
        container.extend(["x" * 50] * size)
    else:
        container.update({f"{index}": "y" * 50 for index in range(size)})


def reverse(container):
    if isinstance(container, list):
        container.reverse()
    else:
        items = list(container.items())[::-1]
        container.clear()
        container.update(items)


ATTACKS = [clear, shrink, grow, replace, refill, reverse]


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


def test_object_hook_attacks_parsed_values():
    """During loads: hooks change, keep and drop the containers given earlier."""
    document = json.dumps([{"a": {"b": [1, 2, {"c": 3}]}, "d": [{}, {"e": "f"}]} for _ in range(20)])
    for attack in ATTACKS:
        for source in (document, document.encode()):
            seen = []

            def hook(value):
                seen.append(value)
                for earlier in seen[-5:]:
                    attack(earlier)
                if len(seen) % 7 == 0:
                    del seen[:3]
                    collect()
                return value

            assert len(ocior.loads(source, object_hook=hook)) == 20
            assert len(ocior.loads(source, object_pairs_hook=lambda pairs: attack(pairs) or pairs)) == 20
            assert len(ocior.loads(source, object_hook=hook, array_hook=lambda values: attack(values) or [1] * 20)) == 20


def test_collector_sees_nothing_half_made():
    """Walk the youngest tracked objects (without a GIL, all), touching each, when a hook runs: what is being built must not be visible."""
    gc.collect()
    gc.disable()  # so that all that is new stays in the youngest generation
    document = json.dumps([[index, {"k": [index, {"x": None}]}, "\u4e2d"] for index in range(20 if HAS_GIL else 3)])

    def look(value):
        for obj in gc.get_objects(generation=0):
            if type(obj) in (list, dict, tuple):
                for item in obj:
                    type(item)
        return value

    assert ocior.loads(document, object_hook=look) == json.loads(document)
    assert ocior.loads(document.encode(), object_pairs_hook=lambda pairs: look(dict(pairs))) == json.loads(document)


@pytest.mark.parametrize("keyword", ["object_pairs_hook", "object_hook", "array_hook"])
def test_collections_see_nothing_half_made(keyword):
    """The same from within the collections that new objects start, before 3.12 at any of them."""
    check_python(f"""
        import gc, json, ocior
        def look(phase, info):
            for obj in gc.get_objects():
                if type(obj) in (list, dict, tuple) and len(obj) in (3, 3000):
                    for item in obj:
                        type(item)
        expected = {{f"k{{i}}": [i, 1000 + i, {{}}] for i in range(3000)}}
        document = json.dumps(expected)
        gc.collect()
        gc.set_threshold(300)
        gc.callbacks.append(look)
        found = ocior.loads(document, {keyword}=lambda value: value)
        gc.callbacks.clear()
        assert json.dumps(dict(found), default=dict) in (json.dumps(expected), json.dumps(expected).replace("{{}}", "[]"))
    """)


def test_hook_takes_the_document_away():
    """functools.partial lends its arguments, and may be given others while it calls."""
    check_python("""
        import functools, ocior
        text = '[{"a":1}' + ",".join([""] + [f'"text{i}"' for i in range(200)]) + "]"
        junk = []
        def hook(value):
            part.__setstate__((int, (), {}, {}))
            junk.extend("".join(["Z"] * len(text)) for _ in range(2000))
            return value
        for method in ("decode", "raw_decode"):
            decoder = ocior.JSONDecoder(object_hook=hook)
            part = functools.partial(getattr(decoder, method), "".join([text[:5], text[5:]]))
            found = part()
            assert (found if method == "decode" else found[0]) == ocior.loads(text), found
    """)


needs_buffer = pytest.mark.skipif(sys.version_info < (3, 12), reason="__buffer__ is new in Python 3.12")

LENT = """
import functools, gc, json, operator, ocior
def drop():
    part.__setstate__((len, (), {}, None))
    gc.collect()
    global junk
    junk = [bytearray(b"Z" * n) for n in range(16, 3000, 7)]
class Hook:
    def __call__(self, value):
        drop()
        return value
class Switch(Hook):
    def __bool__(self):
        drop()
        return True
class Index:
    def __index__(self):
        drop()
        return 1
class Thing:
    pass
class File:
    def read(self):
        drop()
        return TEXT
    def write(self, text):
        drop()
class Exported:
    def __init__(self, text=b"[1, 2]"):
        self.text = text
    def __buffer__(self, flags):
        drop()
        return memoryview(self.text)
class Items(dict):
    def items(self):
        drop()
        return super().items()
class Context:
    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float, parse_int, parse_constant = float, int, str
class DroppingContext(Context):
    def __getattribute__(self, name):
        drop()
        return object.__getattribute__(self, name)
class ByProperty(ocior.JSONDecoder):
    @property
    def scan_once(self):
        drop()
        return SCANNER
    @scan_once.setter
    def scan_once(self, value):
        pass
class ByFunction(ocior.JSONDecoder):
    @property
    def raw_decode(self):
        drop()
        method = super().raw_decode
        return lambda text, idx=0: method(text, idx)
class Encoder(ocior.JSONEncoder):
    @property
    def indent(self):
        drop()
        return 1
    @indent.setter
    def indent(self, value):
        pass
def five(thing):
    drop()
    return 5
def lend(function, *arguments):
    return functools.partial(function, *arguments)
def lend_keywords(name, *arguments, **keywords):
    return functools.partial(operator.methodcaller(name, *arguments, **keywords), ocior)
SCANNER = ocior.JSONDecoder().scan_once
TEXT = '[{"a": 1}, {"b": 2.5}, "text", NaN]'
def text():
    return "".join([TEXT[:7], TEXT[7:]])
"""


@pytest.mark.parametrize(
    "call, result",
    [
        ('lend_keywords("loads", text(), object_hook=Hook())', "len(r) == 4"),
        ('lend_keywords("loads", text(), object_pairs_hook=Hook())', "len(r) == 4"),
        ('lend_keywords("loads", "[1.5, 2.5, 3.5]", parse_float=Hook())', "r == ['1.5', '2.5', '3.5']"),
        ('lend_keywords("loads", "[1, 2, 3]", parse_int=Hook())', "r == ['1', '2', '3']"),
        ('lend_keywords("loads", "[NaN, Infinity, NaN]", parse_constant=Hook())', "r == ['NaN', 'Infinity', 'NaN']"),
        ('lend_keywords("loads", text(), parse_float=Switch(), object_hook=Hook())', "len(r) == 4"),
        ('lend_keywords("loads", text(), object_hook=Hook(), cls=type("D", (ocior.JSONDecoder,), {}))', "len(r) == 4"),
        ('lend_keywords("load", File(), object_hook=Hook())', "len(r) == 4"),
        ('lend_keywords("load", File(), object_hook=Hook(), cls=type("D", (ocior.JSONDecoder,), {}))', "len(r) == 4"),
        ("lend(ByProperty.raw_decode, ByProperty(), text(), 0)", "len(r[0]) == 4"),
        ("lend(ByProperty.decode, ByProperty(), text())", "len(r) == 4"),
        ("lend(ByFunction.decode, ByFunction(), text())", "len(r) == 4"),
        ("lend(ocior.scanner.make_scanner, DroppingContext())", "len(r(TEXT, 0)[0]) == 4"),
        ('lend(ocior.scanner.make_scanner(Context()), " " + text(), Index())', "len(r[0]) == 4"),
        ('lend(ocior.decoder.scanstring, "".join([chr(34), "text", chr(34)]), Index())', "r == ('text', 6)"),
        ('lend_keywords("dumps", [[Thing(), Thing()], Thing()], default=five)', "r == '[[5, 5], 5]'"),
        (
            'lend_keywords("dumps", [Thing()] * 3, default=type("D", (), {"__call__": lambda self, thing: five(thing)})())',
            "r == '[5, 5, 5]'",
        ),
        (
            'lend_keywords("dumps", [[Thing()], 1], default=five, separators=("; " * 9, "= " * 9), indent=" -" * 9)',
            "r == ocior.dumps([[5], 1], separators=('; ' * 9, '= ' * 9), indent=' -' * 9)",
        ),
        ('lend_keywords("dump", [Thing(), [Thing()]], File(), default=five)', "r is None"),
        ('lend(ocior.dump, [["x" * 50_000] * 5, [1] * 5], File())', "r is None"),
        ("lend(Encoder.encode, Encoder(), [[1]])", "r == '[\\n [\\n  1\\n ]\\n]'"),
        ("lend(Encoder.iterencode, Encoder(), [[1]])", "''.join(r) == '[\\n [\\n  1\\n ]\\n]'"),
    ],
)
def test_lent_arguments_are_taken_away(call, result):
    """All arguments of a call, its object too, by whatever Python code runs meanwhile."""
    check_python(f"{LENT}\npart = {call}\nr = part()\nassert {result}, r", env={"PYTHONMALLOC": "debug"})


@pytest.mark.parametrize(
    "function, arguments",
    [
        ("lend(core.loads, text())", "object_hook=Hook()"),
        ("lend(core.loads, text())", "parse_float=Switch()"),
        ("lend(core.load, File())", ""),
        ("lend(core.dumps, [Thing()] * 2)", "default=five"),
        ("lend(core.scanstring, chr(34) + TEXT, Index())", ""),
        # Without keywords.
        pytest.param("lend(core.loads, Exported())", "", marks=needs_buffer),
        pytest.param("lend(core.loads, Exported(b'[1,'))", "", marks=needs_buffer),
        pytest.param("lend(core.loads, Exported(b'\\xef\\xbb\\xbf[1]'))", "", marks=needs_buffer),
        ("lend(core.loads, text() + ']')", ""),
        ("lend(core.loads, text().encode() + b']')", ""),
        ("lend(core.loads, chr(0xFEFF))", ""),
        ("lend(core.loads, [])", ""),
        ("lend(core.write_utf8_cache, Switch())", ""),
        ("lend(core.dumps, Items(a=1))", ""),
        ("lend(core.dumps_to_bytes, [Items(a=1), Items(b=2)])", ""),
    ],
)
def test_module_is_taken_away(function, arguments):
    """The functions of a core that nobody refers to any more go on to their end."""
    check_python(
        f"""{LENT}
import importlib.util, sys
name = next(name for name in sys.modules if name.startswith("ocior._core_"))
spec = importlib.util.spec_from_file_location(name, sys.modules[name].__file__)
core = importlib.util.module_from_spec(spec)
spec.loader.exec_module(core)
part = {function}
del core, spec
init = json.JSONDecodeError.__init__
json.JSONDecodeError.__init__ = lambda *arguments: (drop(), init(*arguments))[1]
try:
    part({arguments})
except (json.JSONDecodeError, TypeError):
    pass
""",
        env={"PYTHONMALLOC": "debug"},
    )


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


@pytest.mark.skipif(sys.version_info < (3, 12), reason="large integers are made by Python code since 3.12")
@pytest.mark.parametrize(
    "road",
    [
        "ocior.loads",
        "ocior.JSONDecoder().decode",
        "ocior.JSONDecoder().raw_decode",
        "functools.partial(ocior.JSONDecoder().scan_once, idx=0)",
    ],
)
def test_large_integer_takes_the_document_away(road):
    """As a hook may: without one, Python code runs all the same. The decoder goes, too."""
    check_python(f"""
        import functools, sys, _pylong, ocior
        sys.set_int_max_str_digits(0)
        original = _pylong.int_from_string
        def patched(text):
            part.__setstate__((int, (), {{}}, {{}}))
            junk.extend("".join(["Z"] * len(document)) for _ in range(20))
            return original(text)
        junk = []
        _pylong.int_from_string = patched
        for ending in ("]", ",]"):
            document = "[" + "7" * 10000 + "," + ",".join([f'"text{{i}}"' for i in range(20000)]) + ending
            for make in (lambda: "".join([document[:5], document[5:]]), lambda: document.encode()):
                if {road != "ocior.loads"} and type(make()) is bytes:
                    continue
                part = functools.partial({road}, make())
                try:
                    found = part()
                    found = found[0] if type(found) is tuple else found
                    assert len(found) == 20001 and found[-1] == "text19999" and ending == "]"
                except ValueError as error:
                    assert ending == ",]" and error.pos >= len(document) - 2 and error.doc == document, error.pos
                except StopIteration as error:  # what scan_once says of a missing value
                    assert ending == ",]" and error.value == len(document) - 1
    """)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="large integers are made by Python code since 3.12")
def test_exception_in_the_text_of_a_large_integer():
    """A document at the end of a page is first read for its extent; what is raised meanwhile is no mistake in it."""
    check_python("""
        import sys, _pylong, ocior
        sys.set_int_max_str_digits(0)
        original = _pylong.int_from_string
        class Interrupted(Exception): pass
        def interrupted(text):
            _pylong.int_from_string = original
            raise Interrupted
        for pad in range(5000):
            document = "[" + ",".join(["7" * 20000] * 3) + "]" + " " * pad
            if (id(document) + sys.getsizeof("") - 1 + len(document)) % 4096 > 4088:
                break
        for read in (ocior.JSONDecoder().raw_decode, lambda text: ocior.JSONDecoder().scan_once(text, 0)):
            _pylong.int_from_string = interrupted
            try:
                read(document)
            except Interrupted:
                pass
            else:
                raise AssertionError
            assert read(document)[0] == [int("7" * 20000)] * 3
    """)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the call comes from __release_buffer__")
@pytest.mark.parametrize(
    "late",
    [
        "loads(1, 2)",
        "loads('1', foo=2)",
        "load(1, 2)",
        "loads('1', cls=JSONDecoder)",
        "JSONDecoder(parse_int=str)",
        "make_scanner(decoder)",
        "decoder.decode('[1]')",
        "scanstring('\"abc', 1)",
        "dumps(1, 2)",
        "dumps({1})",
        "JSONEncoder(indent=1).encode([1])",
        "dump(1)",
    ],
)
def test_calls_after_the_module_was_cleared(late):
    """A module that is garbage may be cleared before what still calls it."""
    check_python(f"""
        import gc, sys, ocior
        class Late(tuple):
            def __buffer__(self, flags): return memoryview(b"abc")
            def __release_buffer__(self, view):
                try:
                    eval({late!r}, dict(zip("loads load dumps dump decoder JSONDecoder JSONEncoder make_scanner scanstring".split(), self)))
                except Exception as error:
                    print(type(error).__name__, error)
        gc.collect()
        core = ocior._core
        functions = ocior.loads, ocior.load, ocior.dumps, ocior.dump
        others = ocior._default_decoder, ocior.JSONDecoder, ocior.JSONEncoder, ocior.scanner.make_scanner, ocior.decoder.scanstring
        late = Late(functions + others)
        for name in [name for name in sys.modules if name.split(".")[0] == "ocior"]:
            del sys.modules[name]
        del ocior
        core.link = [memoryview(late), core]
        core.link.append(core.link)
        del functions, others, late, core
        gc.collect()
    """)


def test_default_empties_the_list_of_separators():
    """separators may be a list, and then it is all that keeps the two texts alive."""
    for length in (9, 20, 1003):
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


def test_error_path_after_python_code():
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
            for keywords in ({}, {"indent": 1}, {"sort_keys": True}):
                notes = []
                for function in (json.dumps, ocior.dumps):
                    outer = [shape(make())]
                    error = call(function, outer, allow_nan=False, **keywords).error
                    assert isinstance(error, (TypeError, ValueError)), error
                    notes.append(getattr(error, "__notes__", None))
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


STOPPING_TRACEMALLOC = {
    "hook": """
        def hook(value):
            tracemalloc.stop()
            return value
        tracemalloc.start()
        assert ocior.loads('[{}, 1.5, "abc", 1000000]', object_hook=hook) == [{}, 1.5, "abc", 1000000]
    """,
    "parse_int": """
        def hook(text):
            tracemalloc.stop()
            return int(text)
        tracemalloc.start()
        assert ocior.loads('[7, 1.5, "abc", {"k": "abc"}]', parse_int=hook) == [7, 1.5, "abc", {"k": "abc"}]
    """,
    "collected": """
        import gc
        class Stops:
            def __del__(self):
                tracemalloc.stop()
        gc.collect()
        gc.set_threshold(50)
        tracemalloc.start()
        knot = Stops()
        knot.knot = knot
        del knot
        for _ in range(20):
            ocior.loads("[" + ",".join(['[1.5, "abc", 1000000]'] * 200) + "]")
    """,
}


@pytest.mark.parametrize("name", STOPPING_TRACEMALLOC)
def test_tracemalloc_stops_during_loads(name):
    """The interpreter's allocator changes under the parser's feet."""
    check_python("import ocior, tracemalloc\n" + textwrap.dedent(STOPPING_TRACEMALLOC[name]))


def test_tracemalloc_comes_and_goes_between_loads():
    """Blocks are taken by turns from pools and from whatever else allocates; all of them are freed by what is in place then."""
    check_python("""
        import json, random, sys, tracemalloc
        import ocior
        random.seed(5)
        value = [[i * 10**random.randrange(19), i / 7, "x" * random.randrange(100), {"k": [None, -i]}, "ж" * (i % 40)] for i in range(300)]
        text = json.dumps(value, ensure_ascii=False)
        kept = []
        for turn in range(60):
            if turn % 7 == 3:
                tracemalloc.start()
            if turn % 7 == 5:
                tracemalloc.stop()
            kept.append(ocior.loads(text if turn % 2 else text.encode()))
            assert kept[-1] == value
            if turn > 10:
                del kept[random.randrange(len(kept))]
        tracemalloc.stop()
        assert all(one == value for one in kept)
        def blocks():
            before = sys.getallocatedblocks()
            for _ in range(20):
                ocior.loads(text)
            return sys.getallocatedblocks() - before
        kept.clear()
        blocks()
        assert blocks() < 100
    """)
