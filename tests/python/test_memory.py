"""Memory: nothing leaks on any path, allocations that fail are a MemoryError, no UTF-8 copy stays in the user's strings."""

import decimal
import gc
import importlib.util
import io
import json
import platform
import random
import sys
import time
import tracemalloc

import pytest
from support import HAS_GIL, IS_QUICK, call, check_python, run_python, some

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
    "strided": lambda: call(ocior.loads, memoryview(b"[1, 2]")[::2]),
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
        "policies refused": lambda: call(ocior.Default, len, max_depth=1, non_finite="zero"),
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
    start = time.perf_counter()
    path()
    rounds = min(200, max(4, int((0.005 if IS_QUICK else 0.02) / (time.perf_counter() - start))))
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
    per_call = 16 if getattr(sys, "_is_gil_enabled", lambda: True)() else 100  # without a GIL, freeing is put off
    assert traced < rounds * per_call + noise * 100, f"{traced} bytes in {rounds} calls"
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


def test_small_texts_of_all_lengths_are_kept_and_freed_in_any_order():
    """They may be blocks of pymalloc's, taken by hand: from pools that others use, too, and that fill and empty meanwhile."""
    kept, randrange = {}, random.Random(5).randrange
    for number in range(60_000):
        if number % 20_000 == 15_000:
            for place in list(kept)[::3]:
                del kept[place]
        text = "a" * randrange(1, 500) if number % 3 else "\xe9\u4e2d\U0001f600"[number % 5 % 3] * randrange(1, 120)
        other = bytes(randrange(1, 500))  # and of others
        make = ocior.dumps_to_bytes if number % 2 else (lambda value: ocior.dumps(value, ensure_ascii=False))
        kept[randrange(6000)] = (number % 2, text, make(text), other)
    for is_bytes, text, result, other in kept.values():
        assert result == (f'"{text}"'.encode() if is_bytes else f'"{text}"')
        assert hash(result) == hash(f'"{text}"'.encode() if is_bytes else f'"{text}"')
        assert not any(other)


@pytest.mark.parametrize("allocator", ["debug", "malloc", "pymalloc", "pymalloc_debug"])
def test_every_block_comes_from_the_allocator_that_frees_it(allocator):
    """CPython's debug allocators end the process over a block that is freed as another kind than it was taken as."""
    if run_python("", env={"PYTHONMALLOC": allocator}).returncode != 0:
        pytest.skip("not in this interpreter")
    check_python(
        """
        import json, ocior
        wide = "\\u4e2d\\xe9"
        for keys in (1, 5, 6, 10, 11, 40, 200):
            record = {f"key {i}": [i, i * 1e9, i / 3, f"text {i}", wide + str(i), None] for i in range(keys)}
            document = json.dumps([record] * 20 + [{f"{i}": i, wide: wide} for i in range(keys)], ensure_ascii=False)
            for text in (document, document.encode()):
                for _ in range(3):
                    value = ocior.loads(text)
                    assert value == json.loads(text)
                    for made in value:  # growing a table frees the one that was made
                        made.update(dict.fromkeys(map(str, range(300))))
                        made.pop("1")
                        made.clear()
        for items in (8191, 8192, 30000):
            for text in (json.dumps(list(range(items))), json.dumps({"a": [1.5] * items, "b": [[None] * items, "x"]})):
                value = ocior.loads(text)
                assert value == json.loads(text)
                (value if type(value) is list else value["a"]).extend(range(items))
        for _ in range(3):
            text = [wide * n for n in range(1, 50)]
            assert ocior.dumps_to_bytes(text, is_write_cache=True) == json.dumps(text, ensure_ascii=False, separators=(",", ":")).encode()
            del text
    """,
        env={"PYTHONMALLOC": allocator},
    )


def test_everything_finds_room_wherever_it_stands():
    """CPython's debug allocator ends the process over a block that was written past."""
    if run_python("", env={"PYTHONMALLOC": "debug"}).returncode != 0:
        pytest.skip("not in this interpreter")
    check_python(
        r"""
        import json, sys, ocior
        for last in ("", "\xe9", "\u4e2d", "\U0001f600"):
            for filling in ("a", "\xe8", "\n", "\x01", "\u4e00"):
                for length in map(int, sys.argv[1:]):
                    text = filling * (length - 1) + (last or filling)
                    for before in (0, 1, 7, 50):
                        for total in (3000, 36000):
                            texts = ["x" * before, *[text] * (total // len(json.dumps(text, ensure_ascii=False)) + 1)]
                            for value in (texts, {text[i // 2:] + str(i): text for i in range(len(texts))}):
                                for options in ({"ensure_ascii": False}, {}, {"ensure_ascii": False, "indent": 1}):
                                    assert ocior.dumps(value, **options) == json.dumps(value, **options)
                                expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                                assert ocior.dumps_to_bytes(value) == expected.encode()
        for size in (1, 40, 333, 2000):
            for options in (
                {}, {"separators": ("," + " " * size, ":" + "\xa0" * size)}, {"separators": ("," + "\u3000" * size, ":")}, {"indent": size},
                {"indent": "\t" * size}, {"indent": "\xa0 " * size},
            ):
                for width in ("", "\xe9", "\u4e2d"):
                    for before in range(0, 400, 61):
                        value = ["x" * before, width, *[[1, {"a": [10 ** size] * 2, "b": None}, []]] * (12000 // size + 1)]
                        assert ocior.dumps(value, ensure_ascii=False, **options) == json.dumps(value, ensure_ascii=False, **options)
    """,
        *some([1, 5, 20, 40, 63, 64, 65, 100, 130, 255, 256, 257, 300, 1023, 1025], 5),
        env={"PYTHONMALLOC": "debug"},
    )


@pytest.mark.parametrize("allocator", some(["malloc", "pymalloc", "debug"], 3))
def test_outputs_that_turn_wider_when_they_are_large(allocator):
    """A large str gets the header of a wider one; its block is neither written past nor lost."""
    if run_python("", env={"PYTHONMALLOC": allocator}).returncode != 0:
        pytest.skip("not in this interpreter")
    check_python(
        r"""
        import gc, itertools, json, sys, ocior
        marks = ("\xe9", "\u4e2d", "\U0001f600")
        for items in map(int, sys.argv[1:]):
            for count in (1, 2, 3):
                for wider in itertools.permutations(marks, count):
                    value = []
                    for number, mark in enumerate(wider):
                        value += [f"some text {index}" for index in range(items // (number + 1))]
                        value.append(mark + "..." * number)
                    value += value[:items % 77]
                    expected = json.dumps(value, ensure_ascii=False)
                    for known in range(2):  # how long it gets
                        text = ocior.dumps(value, ensure_ascii=False)
                        assert text == expected and hash(text) == hash(expected) and {expected: known}[text] == known
                        assert sys.getsizeof(text) == sys.getsizeof(expected) and max(text) == max(expected)
                        assert text.encode() == expected.encode() and (text + "\U0001f601")[1:-1] == expected[1:]
                    del text, expected
                    ocior.dumps([])
            gc.collect()
    """,
        *some([10, 12_000, 350, 5000, 40_000], 2),
        env={"PYTHONMALLOC": allocator},
    )


def test_the_allocator_may_change_between_calls():
    """tracemalloc puts its own in place: it sees what is made from then on, and what was made before stays good."""
    document = json.dumps([[i * 1000, f"text {i}", {"key": i + 0.5}] for i in range(200)])
    expected = json.loads(document)
    for _ in range(3):
        early = ocior.loads(document)
        tracemalloc.start()
        try:
            start = tracemalloc.get_traced_memory()[0]
            theirs = json.loads(document)
            middle = tracemalloc.get_traced_memory()[0]
            traced = ocior.loads(document)
            # Of the same objects: no less, but for what makes a list grow, than json's.
            assert tracemalloc.get_traced_memory()[0] - middle > 0.85 * (middle - start)
            del theirs
        finally:
            tracemalloc.stop()
        assert early == traced == ocior.loads(document) == expected


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


ARENAS = """
import ctypes, gc, importlib, json, ocior
class Arenas(ctypes.Structure):
    _fields_ = [("ctx", ctypes.c_void_p), ("alloc", ctypes.c_void_p), ("free", ctypes.c_void_p)]
def arenas():
    now = Arenas()
    ctypes.pythonapi.PyObject_GetArenaAllocator(ctypes.byref(now))
    return now.ctx, now.alloc, now.free
BIG = json.dumps([{"id": i, "name": f"name {i}"} for i in range(120_000)])
SMALL = BIG[:100_000].rpartition(",")[0].rpartition(",")[0] + "]"
HAS_HUGE = ocior.get_current_features()["tricks"]["huge_pages"]
OWN = arenas()
seen = set()
def look(record):
    seen.add(arenas())
    return record
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="huge pages are asked for on Linux only")
def test_arenas_are_huge_while_a_large_document_is_decoded():
    """And only then: whatever ends the call, the interpreter has its own arena allocator back, which frees what came from ours."""
    check_python(
        ARENAS
        + """
roads = [
    lambda: ocior.loads(BIG, object_hook=look),
    lambda: ocior.loads(BIG.encode(), object_hook=look),
    lambda: ocior.JSONDecoder(object_hook=look).decode(BIG),
    lambda: ocior.JSONDecoder(object_hook=look).raw_decode(BIG)[0],
]
for read in roads:
    assert read() == json.loads(BIG)
    assert arenas() == OWN and {free for _, _, free in seen} == {OWN[2]}
    assert (seen != {OWN}) == HAS_HUGE and len(seen) == 1, (seen, OWN)
seen.clear()
assert ocior.loads(SMALL, object_hook=look) == json.loads(SMALL)
assert seen == {OWN}

def nested(record):
    if record["id"] in (5, 119_999):
        seen.clear()
        ocior.loads(BIG, object_hook=look)
        assert (seen != {OWN}) == HAS_HUGE and seen == {arenas()}
    return record
assert len(ocior.loads(BIG, object_hook=nested)) == 120_000
assert arenas() == OWN

def fails(record):
    if record["id"] == 110_000:
        ocior.loads(BIG[:-1])
    return record
for text in (BIG[:-1], BIG + "x"):
    for hook in (None, fails):
        try:
            ocior.loads(text, object_hook=hook)
        except ValueError:
            pass
        else:
            raise AssertionError
        assert arenas() == OWN
"""
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="huge pages are asked for on Linux only")
def test_arenas_in_a_forked_process():
    """Calls of other threads do not come along and never end there; the one that forks, from a hook, goes on and ends."""
    check_python(
        ARENAS
        + """
import os, threading, warnings
warnings.simplefilter("ignore")  # of a fork beside threads
def in_child(act):
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        except BaseException as error:
            os.write(2, repr(error).encode())
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0

def own_arenas_are_back():
    assert arenas() == OWN
    assert ocior.loads(BIG, object_hook=look) == json.loads(BIG) and arenas() == OWN

inside, may_end = threading.Barrier(3), threading.Event()
def waits(record):
    if record["id"] == 60_000:
        inside.wait()
        may_end.wait()
    return record
threads = [threading.Thread(target=ocior.loads, args=(BIG,), kwargs={"object_hook": waits}, daemon=True) for _ in range(2)]
for thread in threads: thread.start()
inside.wait()
assert (arenas() != OWN) == HAS_HUGE
in_child(own_arenas_are_back)

children = []
def forks(record):
    if record["id"] == 60_000:
        children.append(os.fork())
        assert (arenas() != OWN) == HAS_HUGE
    return record
assert len(ocior.loads(BIG, object_hook=forks)) == 120_000
if children == [0]:
    os._exit(arenas() != OWN)
assert os.waitpid(children[0], 0)[1] == 0

assert (arenas() != OWN) == HAS_HUGE
may_end.set()
for thread in threads: thread.join()
assert arenas() == OWN
"""
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="huge pages are asked for on Linux only")
def test_huge_pages_can_be_refused():
    for name in ("OCIOR_HUGE_PAGES", "OCIOR_TRICKS"):
        check_python(
            ARENAS
            + """
assert not HAS_HUGE
assert ocior.loads(BIG, object_hook=look) == json.loads(BIG)
assert seen == {OWN} and len(ocior.dumps("x" * (40 << 20))) == (40 << 20) + 2
""",
            env={name: "0"},
        )


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not HAS_GIL,
    reason="reads /proc; the allocator of free-threaded builds keeps more, for json too",
)
def test_memory_of_large_documents_is_given_back():
    """Halves of huge pages are freed in any order, some much later than others, and outputs grow in huge pages."""
    check_python(
        ARENAS
        + """
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
gc.disable()
kept = []
def turn(number):
    first, second = ocior.loads(BIG), ocior.loads(BIG)
    assert first == second
    kept[:] = first[number::997]
    del first
    third = ocior.loads(BIG.encode())
    assert third == second and kept[0] == third[number]
    assert ocior.loads(ocior.dumps([third] * 8)) == [second] * 8
for number in range(2):
    turn(number)
before = resident()
for number in range(4):
    turn(number)
growth = resident() - before
assert growth < 24 << 20, growth
del kept[:]
"""
    )


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or not HAS_GIL, reason="about glibc's malloc")
@pytest.mark.parametrize("call", ["ocior.dumps_to_bytes(value)", "ocior.dumps(value)"])
def test_outputs_come_from_memory_that_is_there(call):
    """The memory of a text that is freed is there for the next one: glibc would map and clear new pages for each from 128 KB on."""
    check_python(f"""
import ocior, resource
for size in range(70_000, 400_000, 30_000):
    value = [123456789] * (size // 10)
    for _ in range(3):
        {call}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        {call}
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    assert faults < 100, (size, faults)
""")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or not HAS_GIL, reason="about glibc's malloc")
def test_large_lists_leave_no_hole_in_the_heap():
    """What the value stack of a large document outgrows would stay there, for this call's peak and afterwards: 1 MB."""
    check_python("""
import ocior, sys
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
text = "[" + "true, " * 1_000_000 + "true]"
while (id(text) + sys.getsizeof(text)) % 4096 > 3900:  # so near to the end of a page it would be copied: another hole
    text += " " * 200
ocior.loads("[true]")
before = resident()
value = ocior.loads(text)
growth = resident() - before - sys.getsizeof(value)
assert growth < 600_000, growth
""")


# What the value of the document in a file takes, decoded by a library: MEMORY_OF_VALUE LIBRARY PATH.
MEMORY_OF_VALUE = """
import gc, json, ocior, sys
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
with open(sys.argv[2], "rb") as file:
    data = file.read()
text = data.decode()
function = {"json": json, "ocior": ocior}[sys.argv[1]].loads
function("[{}]")
gc.collect()
gc.disable()
before = resident()
value = function(text)
print(resident() - before)
"""


def memory_of_value(library, path, value, **how):
    path.write_text(json.dumps(value, ensure_ascii=False, **how), encoding="utf-8")
    return int(check_python(MEMORY_OF_VALUE, library, path))


@pytest.mark.skipif(not sys.platform.startswith("linux") or not HAS_GIL, reason="reads /proc; arenas are those of builds with a GIL")
def test_large_documents_take_no_more_than_they_need(tmp_path):
    """Pages are got ahead, in large units, but hardly beyond what the rest of the text will fill: less than the half of one on average."""
    surplus = []
    for count in range(25_000, 131_000, 15_000):
        value = [{"id": i, "name": f"name {i}"} for i in range(count)]
        json_memory, memory = (memory_of_value(library, tmp_path / "document.json", value) for library in ("json", "ocior"))
        surplus.append(memory - json_memory)
    outgrown = 0 if ocior.get_current_features()["tricks"]["list_items"] else 1 << 20  # the value stack, where lists are copied from it
    assert sum(surplus) / len(surplus) < outgrown + (1 << 20), surplus


@pytest.mark.skipif(not sys.platform.startswith("linux") or not HAS_GIL, reason="reads /proc; arenas are those of builds with a GIL")
def test_one_wide_character_widens_a_text_and_not_its_value(tmp_path):
    """As many pages are got ahead for a text as its value will fill, and that has as many objects as in ASCII."""
    surplus = []
    for count in range(2000, 3600, 250):
        value = [{"id": i, "name": f"name {i}"} for i in range(count)]
        ascii_memory, memory = (
            memory_of_value("ocior", tmp_path / "document.json", value + [last], indent=40) for last in ("", "\U0001f600")
        )
        surplus.append(memory - ascii_memory)
    assert sum(surplus) / len(surplus) < 1 << 19, surplus


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


# --- the UTF-8 copy inside str objects -----------------------------------------------------------------------------------


def fresh(text):
    return "".join(list(text))


UTF8_TEXTS = ["\xe9" * 40, "\u4e2d" * 40, "\U0001f600" * 40, "\u4e2d", "a\xe9\n"]
LONG_UTF8_TEXTS = ["\xe9" * 5000, "\u4e2d" * 5000, "\xe9\\\x01" * 400, '\u0434\u4e2d"\n' * 300, "\u0434" * 257]


@pytest.mark.parametrize("text", UTF8_TEXTS + LONG_UTF8_TEXTS, ids=lambda text: ascii(text[:4]) + f" {len(text)}")
def test_utf8_copies(text):
    expected = json.dumps([text], ensure_ascii=False).encode()
    roads = [
        lambda obj: ocior.dumps(obj),
        lambda obj: ocior.dumps(obj, ensure_ascii=False),
        lambda obj: ocior.dumps_to_bytes(obj),
        lambda obj: ocior.dumps_to_bytes(obj, indent=2),
        lambda obj: ocior.dumps_to_bytes(obj, is_write_cache=False),
        lambda obj: ocior.dumps_to_bytes(obj, ensure_ascii=True),
        lambda obj: ocior.loads(json.dumps(obj, ensure_ascii=False)),
        lambda obj: ocior.dumps_to_bytes(obj, sort_keys=True),
    ]
    for road in roads:
        value, key = fresh(text), fresh("k" + text)
        before = sys.getsizeof(value), sys.getsizeof(key)
        road([value])
        road({key: value})
        assert (sys.getsizeof(value), sys.getsizeof(key)) == before
    document = fresh(json.dumps([text], ensure_ascii=False))
    before = sys.getsizeof(document)
    for item in ocior.loads(document):
        assert sys.getsizeof(item) == sys.getsizeof(fresh(item))
    assert sys.getsizeof(document) == before
    if len(text) > 1:
        value = fresh(text)
        before = sys.getsizeof(value)
        assert ocior.dumps_to_bytes([value], is_write_cache=True) == expected
        assert sys.getsizeof(value) == before + len(text.encode()) + 1
        for keywords in (
            {},
            {"is_write_cache": True},
            {"is_write_cache": False},
            {"indent": 1},
            {"ensure_ascii": True},
        ):  # a copy that is there may be used
            again = ocior.dumps_to_bytes([value, "x", value], **keywords)
            assert again == ocior.dumps_to_bytes([fresh(text), "x", fresh(text)], **keywords)
        assert value == text and value.encode() == text.encode() and ocior.dumps(value) == json.dumps(text)


def test_global_cache_switch():
    text = "\u4e2d" * 30
    ocior.write_utf8_cache(True)
    try:
        value = fresh(text)
        before = sys.getsizeof(value)
        ocior.dumps_to_bytes([value], is_write_cache=False)
        assert sys.getsizeof(value) == before
        ocior.dumps_to_bytes([value])
        assert sys.getsizeof(value) > before
    finally:
        ocior.write_utf8_cache(False)
    value = fresh(text)
    ocior.dumps_to_bytes([value])
    assert sys.getsizeof(value) == before
    assert call(ocior.write_utf8_cache).error is not None
    lone = fresh("\u4e2d\ud800")
    for switch in (True, False):
        assert isinstance(call(ocior.dumps_to_bytes, lone, is_write_cache=switch).error, ValueError)


def test_thousand_documents_leave_nothing_behind():
    """1000 documents of Chinese keys and values, kept alive, each written and read once: under 2 MB in a fresh process."""
    check_python("""
        import gc, ocior
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096
        objects = [{"\\u4e2d" * 2**i: "\\u6587" * 2**(i + 1) for i in range(10)} for _ in range(1000)]
        texts = [ocior.dumps(obj, ensure_ascii=False) for obj in objects]
        gc.collect()
        before = resident()
        for obj in objects:
            ocior.dumps_to_bytes(obj)
        for obj in objects:
            ocior.dumps(obj, ensure_ascii=False)
        for text in texts:
            ocior.loads(text)
        gc.collect()
        growth = resident() - before
        assert growth < 2 << 20, growth
    """) if sys.platform.startswith("linux") else None


# --- allocations that fail --------------------------------------------------------------------------------------------------


# What is called; the names are those that the program of the test makes.
CALLS_THAT_ALLOCATE = {
    "loads_str": "ocior.loads(document)",
    "loads_bytes": "ocior.loads(raw)",
    "loads_wide": "ocior.loads(wide)",
    "loads_hooks": "ocior.loads(document, object_hook=hook, parse_float=str, parse_int=int)",
    "loads_nests": "ocior.loads(nests)",
    "loads_error": "ocior.loads(document[:-1])",
    "loads_utf16": "ocior.loads(sixteen)",
    "loads_policies": 'ocior.loads(odd, duplicate_keys="first", surrogates="replace", big_integers="str", integer_bits=53)',
    "loads_policies_hook": 'ocior.loads(odd, duplicate_keys="first", object_hook=hook, big_integers="float")',
    "loads_duplicate_error": 'ocior.loads(odd, duplicate_keys="error")',
    "loads_duplicate_pairs_error": 'ocior.loads(odd.encode("utf-8", "surrogatepass"), duplicate_keys="error", object_pairs_hook=len)',
    "loads_surrogate_error": 'ocior.loads(odd, surrogates="error")',
    "loads_decimals": "ocior.loads(fractions, parse_float=decimal.Decimal)",
    "first_decimals": "ocior.loads(fractions, parse_float=decimal.Decimal)",
    "dumps": "ocior.dumps(value)",
    "dumps_plain": "ocior.dumps(value, ensure_ascii=False)",
    "dumps_indent": "ocior.dumps(value, indent=2)",
    "dumps_bytes": "ocior.dumps_to_bytes(value)",
    "dumps_cache": r'ocior.dumps_to_bytes(["\u4e2d" * 10, "".join(["\u4e2d", "x" * 20])], is_write_cache=True)',
    "dumps_default": "ocior.dumps(unknown, default=str)",
    "dumps_sorted": "ocior.dumps(keyed, sort_keys=True)",
    "dumps_unique": 'ocior.dumps([keyed, value], default=ocior.Default(duplicate_keys="error"))',
    "dumps_unique_error": 'ocior.dumps([keyed, {1: 2, "1": 3}], default=ocior.Default(duplicate_keys="error"))',
    "dumps_canonical": 'ocior.dumps([keyed, value, long], default=ocior.Default(canonical=True, big_integers="str"))',
    "dumps_surrogates": r'ocior.dumps(["\ud800" * 20, {"\udfff": 1}], default=ocior.Default(surrogates="replace"))',
    "dumps_canonical_decimal": 'ocior.dumps([decimal.Decimal("1.5")], default=ocior.Default(canonical=True))',
    "dumps_fresh_class": "ocior.dumps(next(fresh), default=ocior.default)",
    "dumps_short_arrays": "ocior.dumps([value, [list(range(9))] * 500], default=ocior.Default(short_arrays=30), indent=1)",
    "policies": 'repr(ocior.Default(non_finite="null", big_integers="str", max_depth=5))',
    "policies_error": 'ocior.Default(non_finite="zero")',
    "dumps_error": 'ocior.dumps([value, {"a": unknown}])',
    "dumps_wide": r'ocior.dumps([value, "\U0001f600" * 100, value], ensure_ascii=False)',
    "dumps_long": "(ocior.dumps(long), ocior.dumps(long, ensure_ascii=False), ocior.dumps_to_bytes(long))",
    "first_loads": "ocior.loads(document)",
    "first_dumps": "ocior.dumps(value)",
    "keywords": r'ocior.dumps(keyed, indent="\u4e2d", separators=("\xe9", "\U0001f600"), ensure_ascii=False, skipkeys=True)',
    "decode": "decoder.decode(document)",
    "decode_error": "decoder.decode(document[:-1])",
    "raw_decode": "decoder.raw_decode(wide, 0)",
    "decoder_policies": 'ocior.JSONDecoder(duplicate_keys="first", max_depth=9).decode("[1]")',
    "decoder_made": 'ocior.JSONDecoder(parse_int=str).decode("[1]")',
    "cls": "ocior.loads(raw, cls=json.JSONDecoder)",
    "cls_hooks": "ocior.loads(document, cls=ocior.JSONDecoder, object_hook=hook, parse_float=str)",
    "load": 'ocior.load(io.StringIO("[1, 2.5]"), parse_int=str)',
    "scanner": 'ocior.scanner.make_scanner(decoder)("[1, 2]", 0)',
    "scanstring": r"""ocior.decoder.scanstring('"\\u4e2d" ', 1)""",
}


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.parametrize("job", CALLS_THAT_ALLOCATE)
def test_every_allocation_may_fail(job):
    """Let the n-th allocation fail (and then all from the n-th on), for every n until the call succeeds."""
    check_python(
        r"""
        import dataclasses, decimal, io, sys, gc, json, _testcapi, ocior
        fresh = iter([dataclasses.make_dataclass("Fresh", ["a"])(1) for _ in range(400 if "fresh" in sys.argv[2] else 0)])
        decoder = ocior.JSONDecoder()
        records = [
            {"id": 1, "name": "\u4e2d\u6587" * 3, "n": [1.5, 2, 12345678901234567890, None]},
            {"id": 2, "name": "x" * 100, "n": []},
            {"id": 3, "name": "y\n", "n": [{}]},
        ]
        document = json.dumps(records * 3, ensure_ascii=False)
        wide = document.replace("x", "\U0001f600")
        nests = " " * 300_000 + json.dumps([{"a": {"b": [[1], [{"c": [[[]]] * n}]]}, "d": [[{"e": []}]] * n} for n in (1, 1, 5, 0, 1)])
        odd = '[{"a":1,"\u4e2d":[{}],"a":{"b":18446744073709551616,"b":2}},{"x":"\\ud800","\\udfff":"\ud800\u4e2d","x":3}]'
        decimal.getcontext()  # where CPython cannot make that, it ends itself
        fractions = "[1.50, -0.25e3, 0.12345678901234567890123, 1e2000000, {}]".format("0." + "9" * 80)
        raw = document.encode()
        sixteen = document.encode("utf-16")
        value = json.loads(document)
        keyed = {1: [1.5], 2: {"x": "\xe9" * 50}, 3: (1, 2)}
        long = ["a" * 3000, "\x00" * 3000, "\xe9" * 3000, "\u4e2d" * 3000, "\U0001f600" * 3000] * 3
        unknown = [1, object(), {"a": object()}]
        hook = lambda obj: obj
        mistakes = (ValueError, TypeError)  # a tuple made where allocations fail would fail, too
        job = eval("lambda: " + sys.argv[2])
        expected = None
        if not sys.argv[1].startswith("first"):
            try:
                expected = job()
            except mistakes:
                expected = None
        gc.disable()

        # A short function: CPython 3.11.2 makes an int of where in the code an exception is handled, and where that fails it tries
        # again for ever; the first 256 places need no memory.
        def attempt(first, last):  # 0: all from the first on
            try:
                _testcapi.set_nomemory(first, last)
                return job()
            except MemoryError:
                return MemoryError
            except mistakes:
                return None
            except SystemError as error:  # the interpreter has no memory for the frame of `job`
                if str(error) != "error return without exception set":
                    raise
                return MemoryError
            finally:
                _testcapi.remove_mem_hooks()

        for forever in (False, True):
            clean = 0
            for n in range(1, 3000):
                result = attempt(n, 0 if forever else n + 1)
                failed = result is MemoryError
                if not failed and result is not None and expected is not None:
                    assert result == expected, n
                clean = 0 if failed else clean + 1
                if clean > 40:  # past the last allocation (one that fails without harm may come in between)
                    break
            else:
                raise SystemExit("never succeeds")
        for _ in range(3):
            try:
                again = job()
                assert expected is None or again == expected
            except mistakes:
                assert "error" in sys.argv[1]
    """,
        job,
        CALLS_THAT_ALLOCATE[job],
    )


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.skipif(hasattr(sys, "gettotalrefcount"), reason="a debug interpreter ends itself where it has no memory for a traceback")
def test_decode_errors_survive_what_cannot_be_made():
    """Each allocation fails in turn: either MemoryError, or json's error with as much of its place as there was memory for."""
    check_python("""
        import json, _testcapi, ocior
        document = '{"users": [1, 2, {"odd \\u4e2d name": {"x": [' + "[" * 30 + "tru"
        failures = MemoryError, SystemError  # the interpreter's own, when it has no memory for a traceback
        decoder = ocior.JSONDecoder()
        jobs = [
            lambda: ocior.loads(document),
            lambda: decoder.decode(document),
            lambda: decoder.raw_decode(document, 17),
            lambda: ocior.loads(document, cls=json.JSONDecoder),
        ]

        def attempt(job, *span):  # short, so that the interpreter itself need not allocate to handle an exception
            try:
                _testcapi.set_nomemory(*span)
                job()
            except failures:
                pass
            except ValueError as error:
                return error
            finally:
                _testcapi.remove_mem_hooks()

        for job in jobs:
            for forever in (False, True):
                whole = 0
                for n in range(1, 2000):
                    error = attempt(job, n) if forever else attempt(job, n, n + 1)
                    whole = whole + 1 if hasattr(error, "snippet") else 0
                    assert error is None or error.msg.startswith("Expecting value"), error
                    if whole > 60:
                        break
                else:
                    raise SystemExit("never whole")
    """)
