"""What a call works with is taken away meanwhile: the document, every other argument, its object, and the module of the function."""

import sys

import pytest
from support import check_python


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


@pytest.mark.parametrize("key", ["7", "b'text' * 30", "1.5"])
@pytest.mark.parametrize(
    "function, arguments",
    [
        ("ocior.Default", "()"),
        ("ocior.Default", "(print,)"),
        ("ocior.Raw", "('1',)"),
        ("ocior.JSONEncoder", "()"),
        ("ocior.JSONDecoder", "()"),
        ("ocior.default", "(1,)"),
        ("ocior.dumps", "(1,)"),
        ("ocior.dumps_to_bytes", "(1,)"),
        ("ocior.dump", "(1, io.StringIO())"),
        ("ocior.loads", "('1',)"),
        ("ocior.load", "(io.StringIO('1'),)"),
        ("ocior.JSONEncoder().encode", "(1,)"),
        ("ocior.JSONEncoder().iterencode", "(1,)"),
        ("ocior.JSONDecoder().decode", "('1',)"),
        ("ocior.JSONDecoder().raw_decode", "('1',)"),
        ("ocior.JSONDecoder().scan_once", "('1', 0)"),
        ("ocior.compat.orjson.dumps", "(1,)"),
        ("ocior.compat.ujson.dumps", "(1,)"),
        ("ocior.compat.ujson.loads", "('1',)"),
        ("ocior.compat.ssrjson.dumps", "(1,)"),
        ("ocior.compat.ssrjson.loads", "('1',)"),
    ],
)
def test_keywords_that_are_no_str(function, arguments, key):
    """functools.partial hands over whatever keywords it was given as its state."""
    check_python(f"""
        import functools, io, ocior, ocior.compat.orjson, ocior.compat.ssrjson, ocior.compat.ujson
        part = functools.partial(len)
        part.__setstate__(({function}, {arguments}, {{{key}: 1}}, None))
        try:
            part()
        except TypeError as error:
            assert str(error) == "keywords must be strings", error
        else:
            raise AssertionError("no error")
    """)


@pytest.mark.parametrize(
    "function, keywords",
    [
        ("ocior.Default", "fallback=Hook(), keys=Switch()"),
        ("ocior.Default", "fallback=Hook(), keys=Switch(), utc_z=Switch(), canonical=Switch()"),
        ("Setting", "skipkeys=Switch(), indent=Hook(), default=Hook()"),
        ("Setting", "separators=Pair((Hook(), Hook())), sort_keys=Switch()"),
        ("ocior.JSONDecoder", "parse_int=Switch(), object_hook=Hook()"),
        ("Reading", "parse_float=Switch(), object_pairs_hook=Hook(), parse_constant=Hook()"),
    ],
)
def test_lent_dict_of_keywords_is_emptied(function, keywords):
    """A thread that is started with a dict of keywords calls its function with that very dict."""
    check_python(
        f"""
        import _thread, gc, sys, time, weakref, ocior
        lost, failures = [], []
        def drop():
            keywords.clear()
            gc.collect()
            lost.extend(ref for ref in references if ref() is None)
        class Hook:
            def __call__(self, value):
                return value
        class Switch(Hook):
            def __bool__(self):
                drop()
                return True
        class Pair(tuple):
            pass
        class Setting(ocior.JSONEncoder):
            def __setattr__(self, name, value):
                drop()
                super().__setattr__(name, value)
        class Reading(ocior.JSONDecoder):
            def __setattr__(self, name, value):
                drop()
                super().__setattr__(name, value)
        keywords = dict({keywords})
        references = [weakref.ref(value) for value in keywords.values() if not isinstance(value, tuple)]
        sys.unraisablehook = lambda info: failures.append(info.exc_value)
        _thread.start_new_thread({function}, (), keywords)
        while keywords or _thread._count():
            time.sleep(0.001)
        assert not lost and not failures, (lost, failures)
    """,
        env={"PYTHONMALLOC": "debug"},
    )
