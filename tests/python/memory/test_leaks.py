"""Nothing leaks on any path, good or bad: blocks, references to the user's objects, the memory of the process; what is kept for later calls
is bounded."""

import decimal
import gc
import io
import json
import sys
import time
import tracemalloc

import pytest
from support import IS_QUICK, call, check_python, some

import ocior


class BadKey(str):
    def __repr__(self):
        raise RuntimeError


class Unknown:
    pass


def raiser(*arguments):
    raise ZeroDivisionError


class Failing(dict):
    def items(self):
        raise ZeroDivisionError


class Pairs(dict):
    """items() makes each pair when it is asked for."""

    def items(self):
        return ((key, value) for key, value in super(Pairs, self).items())


NO_PAIRS = type("NoPairs", (dict,), {"items": lambda self: iter([["a", 1], "ab", {3: 4, 5: 6}, (1, 2, 3)])})(b=1)


class BadEncoder(json.JSONEncoder):
    def default(self, obj):
        return "x"


class OurEncoder(ocior.JSONEncoder):
    def default(self, obj):
        return ["x"]


def changed_encoder():
    encoder = ocior.JSONEncoder(default=str)
    encoder.encode([])
    encoder.indent = 2
    vars(encoder)["item_separator"] = ";" * 20
    return encoder


def use_encoder():
    encoder = ocior.JSONEncoder()
    for _ in range(2):
        encoder.item_separator = "%d;" % next(COUNTER)
        for _ in range(6):
            encoder.encode([1, 2])


class FailingFile:
    def __init__(self, after):
        self.left = after

    def write(self, piece):
        self.left -= 1
        if self.left < 0:
            raise OSError("no space left")


class NoBool:
    def __bool__(self):
        raise ZeroDivisionError


DECODER = ocior.JSONDecoder()
PYTHON_DECODER = ocior.JSONDecoder()
PYTHON_DECODER.scan_once = ocior.scanner.py_make_scanner(PYTHON_DECODER)
JSON_SCANNER_DECODER = ocior.JSONDecoder()
JSON_SCANNER_DECODER.scan_once = json.JSONDecoder(parse_int=str).scan_once
RECORDS = json.dumps([{"id": index, "name": "\u4e2d" * 5, "tags": ["a", "b\n"], "sub": {"x": 1.5, "y": None}} for index in range(30)])
CIRCLE = [1, {"a": []}]
CIRCLE[1]["a"].append(CIRCLE)
DEEP = []
for _ in range(3000):
    DEEP = [DEEP]

LOADS = {
    "records": lambda: ocior.loads(RECORDS),
    "records bytes": lambda: ocior.loads(RECORDS.encode()),
    "plain text": lambda: ocior.loads('["\xe9", "\u4e2d", "\U0001f600", "a\\n", ""]'),
    "utf-8": lambda: ocior.loads('["\xe9", "\u4e2d", "\U0001f600", "a\\n", ""]'.encode()),
    "utf-16": lambda: ocior.loads('["\u4e2d", 1]'.encode("utf-16")),
    "bom": lambda: ocior.loads(b"\xef\xbb\xbf[1]"),
    "buffer": lambda: ocior.loads(memoryview(bytearray(b'[1, {"a": 2}]'))),
    "numbers": lambda: ocior.loads("[1, 1.5, 12345678901234567890, 1e400, -0.0, 123456789012345678901234567890.5]"),
    "hooks": lambda: ocior.loads(RECORDS, object_hook=lambda obj: len(obj), parse_float=str, parse_int=str),
    "pairs": lambda: ocior.loads(RECORDS, object_pairs_hook=lambda pairs: pairs),
    "array hook": lambda: ocior.loads(RECORDS, array_hook=tuple),
    "constants": lambda: ocior.loads("[NaN, Infinity]", parse_constant=str),
    "cls": lambda: ocior.loads("[1]", cls=json.JSONDecoder),
    "duplicates": lambda: ocior.loads('[{"a":1,"a":[2],"b":{}},{"a":1,"a":[2],"b":{}}]'),
    "first ones": lambda: ocior.loads('[{"a":1,"a":[2],"b":{}},{"a":1,"a":[2],"b":{}}]', duplicate_keys="first"),
    "duplicates refused": lambda: call(ocior.loads, '[{"a":1},{"a":[{}],"\u4e2d":2,"a":[3]}]', duplicate_keys="error"),
    "duplicate pairs refused": lambda: call(ocior.loads, '[{"a":1},{"a":[{}],"a":3}]', duplicate_keys="error", object_pairs_hook=len),
    "surrogates replaced": lambda: ocior.loads('["\\ud800",{"\ud800":"\u4e2d\ud800","\\udfff":1}]', surrogates="replace"),
    "surrogates refused": lambda: call(ocior.loads, '["\\ud83d\\ude00",{"\\udfff":1}]', surrogates="error"),
    "big integers": lambda: [ocior.loads(f"[{2**70}, {10**400}]", big_integers=how) for how in ("float", "str")],
    "big integers refused": lambda: call(ocior.loads, f"[1.5, {2**53}]", big_integers="error", integer_bits=53),
    "integers as floats": lambda: ocior.loads(f"[-0, 1, {2**70}]", parse_int=float),
    "non-finite": lambda: ocior.loads("[NaN, 1e400, -Infinity]", non_finite="null"),
    "non-finite refused": lambda: call(ocior.loads, '[{"a": [1.5, 1e400]}]', non_finite="error"),
    "decimals": lambda: ocior.loads("[1.50, -0.0, 1e300, 0.12345678901234567890123456789]", parse_float=decimal.Decimal),
    "decimals by a call": lambda: ocior.loads(f"[1.5, 0.{'9' * 80}, 1e2000000]", parse_float=decimal.Decimal),
    "no decimals": lambda: call(ocior.loads, "[1.5, 1e99999999999999999999]", parse_float=decimal.Decimal),
    "too deep for a call": lambda: call(ocior.loads, '[{"a": [[1]]}]', max_depth=3),
    "policies refused": lambda: call(ocior.loads, "[1]", surrogates=["keep"]),
    "own cls, policies": lambda: ocior.loads('{"a":1,"a":2}', cls=ocior.JSONDecoder, duplicate_keys="first", max_depth=9),
    "decoder, policies refused": lambda: call(ocior.JSONDecoder, duplicate_keys="first", max_depth=[]),
    "scanner, policies": lambda: ocior.scanner.make_scanner(ocior.JSONDecoder(surrogates="error")),
    "raising object_hook": lambda: call(ocior.loads, RECORDS, object_hook=raiser),
    "raising pairs hook": lambda: call(ocior.loads, RECORDS, object_pairs_hook=raiser),
    "raising parse_float": lambda: call(ocior.loads, RECORDS, parse_float=raiser),
    "raising parse_int": lambda: call(ocior.loads, '[{"a": [1', parse_int=raiser),
    "raising constant": lambda: call(ocior.loads, '[{"a": [NaN', parse_constant=raiser),
    "raising array hook": lambda: call(ocior.loads, RECORDS, array_hook=raiser),
    "unhashable hook": lambda: call(ocior.loads, RECORDS, object_hook=5),
    "empty": lambda: call(ocior.loads, ""),
    "bad start": lambda: call(ocior.loads, "x"),
    "extra": lambda: call(ocior.loads, RECORDS + "x"),
    "cut": lambda: call(ocior.loads, RECORDS[:-1]),
    "cut bytes": lambda: call(ocior.loads, RECORDS[:-1].encode()),
    "cut in string": lambda: call(ocior.loads, RECORDS[:-40]),
    "bad escape": lambda: call(ocior.loads, '[1, {"a": ["x", "\\q"]}]'),
    "bad key": lambda: call(ocior.loads, '[1, {"a": ["x"], 5: 1}]'),
    "bad key escape": lambda: call(ocior.loads, '[1, {"a": ["x"], "\\q": 1}]'),
    "no colon": lambda: call(ocior.loads, '[1, {"a" 1}]'),
    "no value": lambda: call(ocior.loads, '[1, {"a": }]'),
    "trailing comma": lambda: call(ocior.loads, '[1, {"a": [1.5, 2, ]}]'),
    "control": lambda: call(ocior.loads, '["a\x01"]'),
    "bad utf-8": lambda: call(ocior.loads, b'["abc", {"k": "\xff"}]'),
    "bad utf-8 key": lambda: call(ocior.loads, b'["abc", {"\xff": 1}]'),
    "bad utf-16": lambda: call(ocior.loads, b"\xff\xfe["),
    "bom str": lambda: call(ocior.loads, "\ufeff[]"),
    "too deep": lambda: call(ocior.loads, "[" * 200_000),
    "too deep dicts": lambda: call(ocior.loads, '{"a":' * 200_000),
    "digit limit": lambda: call(ocior.loads, "[1.5, " + "7" * 5000 + "]"),
    "wrong type": lambda: call(ocior.loads, 5),
    "wrong keyword": lambda: call(ocior.loads, "1", foo=[]),
    "wrong count": lambda: call(ocior.loads, "1", "2"),
    "bad cls": lambda: call(ocior.loads, "1", cls=5),
    "load": lambda: ocior.load(io.StringIO(RECORDS)),
    "load bytes": lambda: ocior.load(io.BytesIO(RECORDS.encode()), object_hook=len),
    "load fails": lambda: call(ocior.load, 5),
    "load wrong keyword": lambda: call(ocior.load, io.StringIO("1"), foo=[]),
    "own cls": lambda: ocior.loads(b"[1]", cls=ocior.JSONDecoder, parse_int=str, array_hook=tuple),
    "own cls, error": lambda: call(ocior.loads, RECORDS[:-1], cls=ocior.JSONDecoder),
    "json's cls, error": lambda: call(ocior.loads, RECORDS[:-1], cls=json.JSONDecoder),
    "decoder made": lambda: ocior.JSONDecoder(object_hook=len, parse_int=str, strict=False),
    "decoder made again": lambda: DECODER.__init__(parse_float=str),
    "decoder refused": lambda: call(ocior.JSONDecoder, [], foo=[]),
    "decoder without truth": lambda: call(ocior.JSONDecoder, parse_int=NoBool()),
    "decode": lambda: DECODER.decode(RECORDS),
    "decode bytes": lambda: call(DECODER.decode, RECORDS.encode()),
    "decode fails": lambda: call(DECODER.decode, RECORDS[:-1]),
    "decode extra": lambda: call(DECODER.decode, RECORDS + "x"),
    "raw_decode": lambda: DECODER.raw_decode(RECORDS + "x"),
    "raw_decode fails": lambda: call(DECODER.raw_decode, RECORDS, idx=len(RECORDS) - 3),
    "raw_decode odd": lambda: call(DECODER.raw_decode, RECORDS, -5),
    "python scanner": lambda: PYTHON_DECODER.decode('[1, {"a": 2}]'),
    "json's scanner": lambda: JSON_SCANNER_DECODER.decode('[1, {"a": 2}]'),
    "scanner made": lambda: ocior.scanner.make_scanner(DECODER),
    "scanner refused": lambda: call(ocior.scanner.make_scanner, 1),
    "scanner": lambda: DECODER.scan_once("[1, 2]", 0),
    "scanner stops": lambda: call(DECODER.scan_once, "[1, 2]", 99),
    "scanner fails": lambda: call(DECODER.scan_once, '[1, {"a" 2}]', 0),
    "scanner by name": lambda: DECODER.scan_once(string="[1, 2]", idx=0),
    "scanner, wrong": lambda: call(DECODER.scan_once, b"", foo=[]),
    "scanner, raising hook": lambda: call(ocior.JSONDecoder(object_hook=raiser).scan_once, '[{"a": {}}]', 0),
    "scanstring": lambda: ocior.decoder.scanstring('"\u4e2d\\n" ', 1),
    "scanstring fails": lambda: call(ocior.decoder.scanstring, '"\u4e2d\\q" ', 1),
    "scanstring, wrong": lambda: call(ocior.decoder.scanstring, "a", 5),
    "strided": lambda: call(ocior.loads, memoryview(b"[ 1 ]")[::2]),
    "strided, wrong": lambda: call(ocior.loads, memoryview(b"[1, 2]")[::2]),
    "deep path": lambda: call(ocior.loads, '[{"odd key": ' * 50 + "x"),
}

VALUE = [{"id": 1, "name": "\u4e2d" * 5, "tags": ["a", "b\n", 1.5, None, True, 10**30], "sub": {1: 2, None: 3, 1.5: 4, True: 5}}] * 10
DUMPS = {
    "plain": {},
    "unescaped": {"ensure_ascii": False},
    "indent": {"indent": 2},
    "text indent": {"indent": "\u4e2d"},
    "separators": {"separators": (";", "=")},
    "wide separators": {"separators": ("\u4e2d", "\xe9"), "ensure_ascii": False},
    "unchecked": {"check_circular": False},
    "skip": {"skipkeys": True},
    "cls": {"cls": BadEncoder},
    "bad cls": {"cls": 5},
    "unknown keyword": {"foo": []},
    "bad separators": {"separators": (1, 2)},
    "bad separators count": {"separators": "abc"},
    "bad indent": {"indent": 1.5},
    "sort fails": {"sort_keys": True},
    "huge indent": {"indent": 2**70},
}
FAILING = {
    "unknown": ([1, {"a": [Unknown()]}], {}),
    "unknown indent": ([1, {"a": [Unknown()]}], {"indent": 1}),
    "default": ([1, {"a": [Unknown()]}], {"default": lambda obj: ["\u4e2d", {"x": 1}]}),
    "raising default": ([1, {"a": [Unknown()]}], {"default": raiser}),
    "default circle": (Unknown(), {"default": lambda obj: obj}),
    "default for ever": (Unknown(), {"default": lambda obj: [Unknown()]}),
    "bad key": ([{"a": 1, (): 2}], {}),
    "bad key sorted": ([{"a": 1, (): 2}], {"sort_keys": True}),
    "skipped key": ([{"a": 1, (): 2}], {"skipkeys": True}),
    "sorted": ({"b": [1], "a": {"d": 1, "c": 2}}, {"sort_keys": True}),
    "nan": ([1.5, float("nan")], {"allow_nan": False}),
    "nan key": ({float("nan"): 1}, {"allow_nan": False}),
    "circle": (CIRCLE, {}),
    "unchecked circle": (CIRCLE, {"check_circular": False}),
    "too deep": (DEEP, {}),
    "too deep indent": (DEEP, {"indent": 0}),
    "digit limit": ([1, 10**5000], {}),
    "digit limit key": ({10**5000: 1}, {}),
    "surrogate": (["a", {"b": "\u4e2d\ud800"}], {}),
    "surrogate key": ([{"\ud800": 1}], {}),
    "failing items": ([Failing(a=1)], {}),
    "subclass items": ([type("D", (dict,), {"items": lambda self: [("a", [1])]})(b=1)], {}),
    "long text": (["\x00" * 10_000, "\u4e2d" * 10_000, "\U0001f600" * 10_000], {}),
    "big": ([["x" * 100] * 100] * 30, {"indent": 1}),
    "bool fails": ([1], {"default": 5}),
    "note fails": ([{BadKey("a"): [1j]}], {}),
    "unique keys": ([{1: [1], "a": {None: 2}}], {"default": ocior.Default(duplicate_keys="error")}),
    "duplicate keys": ([{1: [1], "1": 2}], {"default": ocior.Default(duplicate_keys="error")}),
    "bad unique key": ([{"a": 1, (): 2}], {"default": ocior.Default(canonical=True)}),
    "unique failing items": ([Failing(a=1)], {"default": ocior.Default(duplicate_keys="error")}),
    "canonical": (VALUE, {"default": ocior.Default(canonical=True, big_integers="str")}),
    "not canonical": ([VALUE, 2**53], {"default": ocior.Default(canonical=True)}),
    "replaced surrogates": (["\ud800" * 2000, {"\udfff": 1}], {"default": ocior.Default(surrogates="replace", duplicate_keys="error")}),
    "refused surrogate": ([{"\udfff": 1}], {"default": ocior.Default(surrogates="error")}),
    "big integers": ([2**70, 2**63, {2**53: 1}], {"default": ocior.Default(big_integers="str")}),
    "too deep by policy": ([[[1]], [[[]]]], {"default": ocior.Default(max_depth=3)}),
    "short arrays": ([VALUE, [1, 2]], {"default": ocior.Default(short_arrays=20), "indent": 1}),
}


def _counter():
    number = 0
    while True:
        number += 1
        yield number


COUNTER = _counter()
PATHS = dict(LOADS)
for _name, _keywords in DUMPS.items():
    PATHS[f"dumps {_name}"] = lambda keywords=_keywords: call(ocior.dumps, VALUE, **keywords)
    PATHS[f"bytes {_name}"] = lambda keywords=_keywords: call(ocior.dumps_to_bytes, VALUE, **keywords)
for _name, (_value, _keywords) in FAILING.items():
    PATHS[f"dumps {_name}"] = lambda value=_value, keywords=_keywords: call(ocior.dumps, value, **keywords)
    PATHS[f"bytes {_name}"] = lambda value=_value, keywords=_keywords: call(ocior.dumps_to_bytes, value, **keywords)
PATHS.update(
    {
        "dump text": lambda: ocior.dump(VALUE, io.StringIO(), indent=1),
        "dump bytes": lambda: ocior.dump(["\u4e2d" * 3000] * 100, io.BytesIO(), ensure_ascii=False),
        "dump pairs": lambda: call(
            ocior.dump,
            [Failing(a=1), Pairs({"\u4e2d": {(1, 2)}, 1: [object]})] * 3,
            io.StringIO(),
            default=lambda obj: Pairs({"x": "\U0001f600"}),
        ),
        "dump pairs, sorted": lambda: call(ocior.dump, Pairs({"b": 1, "a": "\u4e2d"}), io.BytesIO(), sort_keys=True, ensure_ascii=False),
        "dump pairs fails": lambda: call(ocior.dump, {"k": Pairs({"a": Pairs({"\xe9": object()})})}, io.StringIO(), ensure_ascii=False),
        "dump no pairs": lambda: call(ocior.dump, NO_PAIRS, io.StringIO()),
        "dump cls": lambda: call(ocior.dump, [1, {"a": object()}], io.BytesIO(), cls=BadEncoder),
        "dump fails in a write": lambda: call(ocior.dump, ["x" * 900] * 500, FailingFile(2), sort_keys=True),
        "dump fails in the value": lambda: call(ocior.dump, [["\u4e2d" * 900]] * 500 + [Unknown()], FailingFile(200), ensure_ascii=False),
        "dump to nothing": lambda: call(ocior.dump, [1], 5),
        "dump by policies": lambda: ocior.dump(
            [["\ud800" * 900]] * 200, io.BytesIO(), default=ocior.Default(surrogates="replace"), indent=1
        ),
        "default, policies refused": lambda: call(ocior.Default, len, max_depth=1, non_finite="zero"),
        "policies shown": lambda: repr(ocior.Default(len, max_depth=1, surrogates="error", canonical=True)),
        "pieces left": lambda: next(ocior.JSONEncoder().iterencode(["x" * 900] * 500)),
        "pieces fail": lambda: call(list, ocior.JSONEncoder().iterencode([{"k": "x" * 900}] * 500 + [{(): 1}])),
        "encoder": lambda: OurEncoder(indent=1, separators=(",", ":")).encode([Unknown(), VALUE]),
        "encoder changed": lambda: changed_encoder().encode(VALUE),
        "encoder used and changed": use_encoder,
        "encoder refused": lambda: call(ocior.JSONEncoder, foo=[]),
    }
)
PATHS["bytes cached"] = lambda: ocior.dumps_to_bytes(["\u4e2d%d" % next(COUNTER)], is_write_cache=True)
PATHS["features"] = ocior.get_current_features


def grown(path, rounds):
    """Blocks, traced bytes and (debug builds) references more than before, the least of a few tries."""
    total = getattr(sys, "gettotalrefcount", int)
    least = None
    for _ in range(4):
        gc.collect()
        before = (sys.getallocatedblocks(), tracemalloc.get_traced_memory()[0], total())
        for _ in range(rounds):
            path()
        gc.collect()
        after = (sys.getallocatedblocks(), tracemalloc.get_traced_memory()[0], total())
        growth = tuple(late - early for late, early in zip(after, before))
        least = growth if least is None else tuple(map(min, least, growth))
        if least[0] < rounds // 2 and least[1] < rounds * 8 and least[2] < rounds // 2:
            break
    return least


@pytest.mark.parametrize("name", some(PATHS, 4))
def test_nothing_leaks(name):
    """More than one block for every second call is a leak; a constant few are the interpreter's own."""
    path = PATHS[name]
    path()
    start = time.process_time()
    path()
    rounds = min(200, max(4, int((0.005 if IS_QUICK else 0.02) / (time.process_time() - start + 1e-9))))
    gc.collect()
    gc.freeze()
    gc.disable()
    tracemalloc.start()
    try:
        blocks, traced, references = grown(path, rounds)
    finally:
        tracemalloc.stop()
    noise = 50  # free lists that fill up
    assert blocks < rounds // 2 + noise, f"{blocks} blocks in {rounds} calls"
    # Without a GIL, CPython keeps some of what is freed until its threads have passed a safe point.
    per_call, per_block = (16, 100) if getattr(sys, "_is_gil_enabled", lambda: True)() else (100, 1000)
    assert traced < rounds * per_call + noise * per_block, f"{traced} bytes in {rounds} calls"
    assert references < rounds // 2 + noise, f"{references} references in {rounds} calls"


@pytest.mark.parametrize("name", ["pieces fail", "dumps unknown indent", "deep path"])
def test_errors_do_not_fill_the_method_cache(name):
    """CPython keeps the names that it looks attributes up by: they are the same few objects each time."""
    path = PATHS[name]
    for _ in range(3):
        path()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        path()
    gc.collect()
    assert sys.getallocatedblocks() - before < 100


def test_reference_counts_of_the_users_objects():
    """Every object that goes in comes out with the count it had, on good and bad paths."""
    for name, (value, keywords) in {**{key: (VALUE, keywords) for key, keywords in DUMPS.items()}, **FAILING}.items():
        if "deep" in name or "big" in name or "ever" in name or "unchecked circle" in name:
            continue
        things, stack = [], [value, *keywords.values()]
        while stack:
            item = stack.pop()
            if any(item is thing for thing in things):
                continue
            things.append(item)
            if isinstance(item, (list, tuple)):
                stack.extend(item)
            elif isinstance(item, dict):
                stack.extend(list(item) + list(dict.values(item)))
        for function in (ocior.dumps, ocior.dumps_to_bytes):
            call(function, value, **keywords)
            before = [sys.getrefcount(thing) for thing in things]
            for _ in range(50):
                call(function, value, **keywords)
            after = [sys.getrefcount(thing) for thing in things]
            changed = [(repr(thing)[:60], late - early) for thing, early, late in zip(things, before, after) if abs(late - early) >= 40]
            assert not changed, (name, function, changed)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="the constants are immortal since 3.12")
def test_reference_counts_of_the_constants():
    document = "[" + ",".join(["null", "true", "false", "0", "1", '""', '"a"', "256"] * 50) + "]"
    constants = [None, True, False, 0, 1, "", "a", 256]
    for path in (
        lambda: ocior.loads(document),
        lambda: ocior.loads(document.encode()),
        lambda: ocior.dumps([None, True, {}]),
        lambda: call(ocior.loads, document + "x"),
    ):
        path()
        before = list(map(sys.getrefcount, constants))
        for _ in range(20):
            path()
        after = list(map(sys.getrefcount, constants))
        assert all(abs(late - early) < 200 for late, early in zip(after, before)), (before, after)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_process_does_not_grow():
    """Memory that Python's counters do not see: the size of a process that repeats big calls and failing ones."""
    check_python("""
        import gc, json, ocior
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096
        big = json.dumps([{"k%d" % (i % 50): "\\u4e2d" * 20, "v": [1.5] * 5} for i in range(3000)], ensure_ascii=False)
        value = json.loads(big)
        raw = big.encode()
        def turn(number):
            ocior.loads(big)
            ocior.loads(raw)
            ocior.dumps(value)
            ocior.dumps_to_bytes(value)
            ocior.dumps(value, ensure_ascii=False)
            for bad in (big[:-1], raw[:-1], raw + b"\\xff"):
                try:
                    ocior.loads(bad)
                except ValueError:
                    pass
            try:
                ocior.dumps([value, object()])
            except TypeError:
                pass
            try:
                ocior.dumps_to_bytes([value, "\\ud800"])
            except ValueError:
                pass
            try:
                ocior.loads("[" * 200_000)
            except RecursionError:
                pass
        for number in range(6):
            turn(number)
        gc.collect()
        before = resident()
        for number in range(25):
            turn(number)
        gc.collect()
        growth = resident() - before
        assert growth < 6 << 20, growth
        ocior.loads("[" + ",".join('"%d"' % i for i in range(500_000)) + "]")
        for number in range(3):
            turn(number)
        gc.collect()
        after_giant = resident() - before
        assert after_giant < 60 << 20, after_giant
    """)


def test_caches_are_bounded():
    """Keys never seen before, for ever: what is remembered of them has a limit."""

    def turn(count):
        for _ in range(count):
            ocior.loads("[{" + ",".join(f'"unique key {next(COUNTER)}":1' for _ in range(20)) + "}]")
            ocior.loads(("[" + ",".join(f'{{"k{next(COUNTER)}":1,"l":{{}}}}' for _ in range(20)) + "]").encode())

    turn(3000)
    gc.collect()
    before = sys.getallocatedblocks()
    turn(3000)
    gc.collect()
    assert sys.getallocatedblocks() - before < 20_000  # 120 000 keys went by
