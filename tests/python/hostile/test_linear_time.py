"""Inputs made to hurt: time must grow with size. Nothing is timed tightly; quadratic work would run for minutes."""

import gc
import json
import random

import pytest
from growth import LARGE, SMALL, check_growth
from support import GuardedPages

import ocior
import ocior.decoder


def hostile_keys(count):
    """Families of keys that agree wherever a quick hash might look: ends, lengths, first and last words."""
    yield [f"{index:020d}" for index in range(count)]
    yield ["a" * 30 + f"{index:08d}" + "b" * 30 for index in range(count)]
    yield [f"{index:08x}" + "c" * 56 for index in range(count)]
    yield ["d" * 56 + f"{index:08x}" for index in range(count)]
    yield [chr(97 + index % 26) * (index // 26 % 40) + str(index) for index in range(count)]
    yield ["k" * (index % 3000) + str(index) for index in range(count // 20)]
    yield ["\u4e2d" * 12 + chr(0x4E00 + index % 20000) + "\u4e2d" * 12 + str(index // 20000) for index in range(count)]
    yield [format(index, "017b").replace("0", "AaAaAaAa").replace("1", "BBBBBBBB")[:64] + str(index) for index in range(count)]


@pytest.mark.parametrize("family", range(8))
def test_many_keys(family):
    keys = list(hostile_keys(30_000))[family]
    one = {key: 0 for key in keys}
    records = [{key: 1} for key in keys]
    shifting = [{keys[(index + step) % len(keys)]: step for step in range(6)} for index in range(0, len(keys), 6)]
    backwards = [dict.fromkeys(keys[:9], 1), dict.fromkeys(keys[8::-1], 2)] * 1000
    for value in (one, records, shifting, backwards):
        text = json.dumps(value, ensure_ascii=False)
        assert ocior.loads(text) == value
        assert ocior.loads(text.encode()) == value
        assert ocior.dumps(value, ensure_ascii=False) == text


def test_shapes_that_never_repeat():
    source = random.Random(3)
    names = [f"n{index}" for index in range(12)]
    value = []
    for _ in range(6000):
        source.shuffle(names)
        value.append({name: 0 for name in names})
    text = json.dumps(value)
    assert ocior.loads(text) == value == ocior.loads(text.encode())


BIG = {
    "escapes": '"' + '\\n\\u4e2d\\"' * 400_000 + '"',
    "backslashes": json.dumps("\\" * 1_000_000),
    "quotes in lists": "[" + ",".join(['"\\""'] * 300_000) + "]",
    "surrogates": '"' + "\\ud83d\\ude00" * 200_000 + '"',
    "half surrogates": '"' + "\\ud83d" * 300_000 + '"',
    "spaces": " " * 5_000_000 + "1" + "\n" * 5_000_000,
    "spaces between": "[" + (" " * 500 + "1," + "\n" * 500) * 3000 + "1]",
    "digits": "0." + "1" * 2_000_000,
    "digits and exponent": "1" * 1_000_000 + "e-999999",
    "zeros": "0." + "0" * 2_000_000 + "1",
    "numbers": "[" + ",".join(["-1.5e-7"] * 300_000) + "]",
    "long numbers": "[" + ",".join(["0." + "123456789" * 30] * 20_000) + "]",
    "same key": "{" + ",".join(['"k":1'] * 300_000) + "}",
    "empty": "[" + ",".join(["[]", "{}", '""'] * 200_000) + "]",
    "widening late": '"' + "a" * 3_000_000 + "\\u4e2d" + "a" * 1_000_000 + '\\ud83d\\ude00"',
    "widening often": "[" + ",".join(['"a\\u00e9\\u4e2d\\ud83d\\ude00"'] * 100_000) + "]",
    "one wide at the end": "[" + ",".join(['"abc"'] * 300_000) + ',"\U0001f600"]',
    "deep and wide": "[" + ",".join(["[" * 200 + "]" * 200] * 3000) + "]",
}


@pytest.mark.parametrize("name", BIG)
def test_big_documents(name):
    document = BIG[name]
    value = json.loads(document)
    assert ocior.loads(document) == value
    assert ocior.loads(document.encode()) == value
    assert ocior.dumps(value) == json.dumps(value)
    assert (
        ocior.dumps_to_bytes(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        if name != "half surrogates"
        else True
    )


def test_errors_late_in_big_documents():
    """Lines and columns are counted once, when raising."""
    for body in ("1,\n" * 500_000, '"\u4e2d",' * 200_000, " " * 3_000_000):
        for source in ("[" + body + "x", ("[" + body + "x").encode()):
            with pytest.raises(json.JSONDecodeError) as caught:
                ocior.loads(source)
            assert caught.value.pos == len(body) + 1


@pytest.mark.parametrize(
    "unit",
    ['"\\n\\n\\n\\u4e2d"', '{"a":1,"b":[2]}', '"' + "x" * 50 + '"', "1.5", " [ ] ", '"\u4e2d\u6587"', "123456789012345678901234567890"],
)
def test_growth(unit):
    gc.disable()  # its full collections are the interpreter's own growth
    small, large = ("[" + ",".join([unit] * count) + "]" for count in (SMALL, LARGE))
    for convert in (str, str.encode):
        check_growth(ocior.loads, json.loads, convert(small), convert(large))
    for function in (ocior.dumps, ocior.dumps_to_bytes):
        check_growth(function, json.dumps, json.loads(small), json.loads(large))


def quadratic_work(text):
    """Some 100 milliseconds of it."""
    for position in range(0, len(text), 400):
        hash(text[:position])


def work_in_cold_memory(text):
    """Linear, but beyond the small text each unit takes 50 times as long, as it does where memory is dear."""
    for _ in range(len(text) // 50 if len(text) < 10_000 else len(text)):
        pass


def test_quadratic_work_is_noticed():
    small, large = ("[" + ",".join(["1234567"] * count) + "]" for count in (SMALL, LARGE))
    with pytest.raises(AssertionError, match="a unit of a small and of a large input"):
        check_growth(quadratic_work, json.loads, small, large)


def test_dear_memory_is_no_growth():
    small, large = ("[" + ",".join(["1234567"] * count) + "]" for count in (SMALL, LARGE))
    with pytest.raises(AssertionError, match="a unit of a small and of a large input"):
        check_growth(work_in_cold_memory, len, small, large)
    check_growth(work_in_cold_memory, work_in_cold_memory, small, large)


@pytest.mark.parametrize("keywords", [{}, {"object_hook": len}], ids=["plain", "hook"])
def test_values_one_by_one(keywords):
    """raw_decode, scanners and scanstring cost what they read, wherever in a text it lies, and whatever kind of text it is."""
    for width in ("", "\xe9", "\u4e2d", "\U0001f600"):
        document = f'{{"id": [1, "{width}\\n"]}}  ' * 100_000
        decoder = ocior.JSONDecoder(**keywords)
        for read in (decoder.raw_decode, decoder.scan_once):
            position = 0
            while position < len(document):
                _, position = read(document, position)
                position += 2
    document = '"abc\\n"' * 200_000
    position = 0
    while position < len(document):
        text, position = ocior.decoder.scanstring(document, position + 1)
    assert text == "abc\n"


def test_mistakes_one_by_one():
    """A scanner that is tried at every index: where no value starts, nothing of the rest is looked at."""
    document = ", :" * 100_000
    scan_once = ocior.JSONDecoder().scan_once
    for index in range(len(document)):
        with pytest.raises(StopIteration):
            scan_once(document, index)


EDGE = GuardedPages(pages=600)  # for ever: exceptions that are collected late refer to the document


def test_mistakes_in_a_document_at_a_page_edge():
    """The document's end lies near its page's end, so a part of it is copied: for a value with a mistake, up to the mistake."""
    document = EDGE.place_str(("[x" * 400_000).ljust(4096 * 400))
    for read in (ocior.JSONDecoder().scan_once, ocior.JSONDecoder(object_hook=len).scan_once):
        for index in range(0, 800_000, 100):
            with pytest.raises(StopIteration) as caught:
                read(document, index)
            assert caught.value.value == index + 1
    document = EDGE.place_str(('["a\n' * 200_000).ljust(4096 * 400))
    for index in range(0, 800_000, 160):
        with pytest.raises(json.JSONDecodeError, match="Invalid control"):
            ocior.JSONDecoder().scan_once(document, index)
