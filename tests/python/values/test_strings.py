"""Strings both ways: every control character, escape, width and length, with something special at every position."""

import ctypes
import json
import random

import pytest
from layouts import each_layout
from support import WIDTHS, facts, fresh, same_dumps, same_everywhere, same_loads

import ocior

compact = dict(ensure_ascii=False, separators=(",", ":"))


def check_both_ways(texts):
    """A list of strings out by all roads and in again: one call per road, compared string by string."""
    texts = fresh(texts)
    escaped, plain = json.dumps(texts), json.dumps(texts, **compact)
    assert ocior.dumps(texts) == escaped
    assert ocior.dumps(texts, **compact) == plain
    expected = facts(json.loads(escaped))  # not always `texts`: two escaped surrogates in a row become one character
    assert facts(ocior.loads(escaped)) == expected
    assert facts(ocior.loads(escaped.encode())) == expected
    expected = facts(texts)
    assert facts(ocior.loads(plain)) == expected
    try:
        raw = plain.encode()
    except UnicodeEncodeError:
        raw = plain.encode("utf-8", "surrogatepass")
    else:
        assert ocior.dumps_to_bytes(texts) == raw
    assert facts(ocior.loads(raw)) == expected


def check_alone(text):
    """One string as the whole document: what ends the text also ends the string."""
    escaped, plain = json.dumps(text), json.dumps(text, ensure_ascii=False)
    assert ocior.dumps(text) == escaped
    assert ocior.dumps(text, ensure_ascii=False) == plain
    for document in (escaped, plain, escaped.encode(), plain.encode("utf-8", "surrogatepass")):
        same_loads(document)


def test_every_code_point_of_the_basic_plane():
    for first in range(0, 0x10000, 0x400):
        texts = [chr(code) for code in range(first, first + 0x400)]
        check_both_ways(texts)
        check_both_ways(["".join(texts)])


def test_every_code_point_beyond():
    for first in range(0x10000, 0x110000, 0x4000):
        text = "".join(map(chr, range(first, first + 0x4000)))
        check_both_ways([text])
        check_alone(text[:100])


@pytest.mark.parametrize("width", WIDTHS)
def test_plain_text_of_every_length(width):
    texts = [WIDTHS[width] * length for length in range(0, 301)] + [WIDTHS[width] * length for length in (1000, 4095, 4096, 4097, 70_000)]
    check_both_ways(texts)
    for text in texts:
        check_alone(text)
    keyed = {text: text for text in texts}
    assert ocior.dumps(keyed) == json.dumps(keyed)
    assert ocior.dumps_to_bytes(keyed) == json.dumps(keyed, **compact).encode()
    assert facts(ocior.loads(json.dumps(keyed, **compact))) == facts(fresh(keyed))
    assert facts(ocior.loads(json.dumps(keyed, **compact).encode())) == facts(fresh(keyed))


SPECIALS = [
    '"',
    "\\",
    "\n",
    "\x00",
    "\x1f",
    "\x7f",
    "\x80",
    "\xff",
    "\u0100",
    "\u07ff",
    "\u0800",
    "\ud800",
    "\udfff",
    "\ue000",
    "\uffff",
    "\U00010000",
    "\U0010ffff",
]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("special", SPECIALS, ids=ascii)
def test_one_special_at_every_position(width, special):
    filler = WIDTHS[width]
    for length in [*range(0, 70), 95, 96, 97, 126, 127, 128, 129, 191, 192, 193, 254, 255, 256, 257, 300]:
        check_both_ways([filler * place + special + filler * (length - place) for place in range(length + 1)])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("special", ['"', "\\", "\x01", "\n", "\xe9", "\u4e2d", "\U0001f600", "\ud912"], ids=ascii)
def test_one_special_in_a_lone_string(width, special):
    filler = WIDTHS[width]
    for length in [*range(0, 36), 62, 63, 64, 65, 66, 127, 128, 129, 300]:
        for place in range(length + 1):
            check_alone(filler * place + special + filler * (length - place))


@pytest.mark.parametrize("density", [1, 2, 3, 5, 8, 16, 40])
def test_many_specials(density):
    source = random.Random(density)
    pool = SPECIALS + ["\t", "\r", "\b", "\f", "\x0b", "/", "'", "<", "&"]
    for filler in WIDTHS.values():
        texts = []
        for length in range(0, 301, 3):
            texts.append("".join(source.choice(pool) if source.randrange(density) == 0 else filler for _ in range(length)))
            texts.append("".join(source.choice('"\\\n\x02') if source.randrange(density) == 0 else filler for _ in range(length)))
        check_both_ways(texts)
        for text in texts[::5]:
            check_alone(text)


def test_all_special_text_grows_as_much_as_text_can():
    """The most that one unit can become: 6 bytes from a control character, 12 from an escaped astral one."""
    for unit in ("\x00", '"', "\x1f", "\xff", "\uffff", "\U0010ffff", "\ud800"):
        for length in (1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 1000, 4096, 65_537):
            check_both_ways([unit * length])
            check_both_ways(["a" * length + unit * length])
            same_dumps({unit * length: unit * length}, indent=3)
            check_alone(unit * length)


def test_escape_heavy_text():
    inner = json.dumps({"path": "C:\\Users\\name\\file.txt", "text": 'say "hi"\n' * 10, "nested": json.dumps({"a": "\\"})})
    text = inner
    for _ in range(5):
        check_both_ways([text])
        text = json.dumps(text)
    check_both_ways(["\\" * n for n in range(130)] + ['"' * n for n in range(130)])


ESCAPES = [rf'"\{mark}"' for mark in '"\\/bfnrt'] + [
    r'"\u0000"',
    r'"\u001f"',
    r'"\u0041"',
    r'"\u007f"',
    r'"\u0080"',
    r'"\u00e9"',
    r'"\u00FF"',
    r'"\u0100"',
    r'"\u4E2d"',
    r'"\uFFFF"',
    r'"\uffff"',
    r'"\uaBcD"',
    r'"\ud83d\ude00"',
    r'"\uD83D\uDE00"',
    r'"\ud800"',
    r'"\udc00"',
    r'"\udbff\udfff"',
    r'"\ud800\ud800"',
    r'"\ud800\ud800\udc00"',
    r'"\udc00\ud800"',
    r'"\ud800a"',
    r'"\ud800\n"',
    r'"\ud800\u0041"',
    r'"\ud800\udc00\ud800"',
    r'"a\u00e9b\u4e2dc\ud83d\ude00d"',
    r'"\ud83d" "\ude00"',
    r'"\u0022\u005c"',
    r'"\/\/"',
    r'"\u000a\n"',
    '"\ud800\\udc00"',
    '"\\ud800\udc00"',
    '"\ud800\udc00"',
    r'"\uD800\UDC00"',
    r'"\ud800\\udc00"',
    r'"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"',
    r'"' + r"\u4e2d" * 100 + '"',
    '"' + r"\ud83d\ude00" * 70 + '"',
    '"' + r"\n" * 200 + '"',
]


@pytest.mark.parametrize("index", range(len(ESCAPES)))
def test_escapes(index):
    same_everywhere(ESCAPES[index])
    same_everywhere("[" + ESCAPES[index] + "]")
    same_everywhere("{" + ESCAPES[index] + ":1}")


@pytest.mark.parametrize(
    "escape",
    [r"\n", r"\"", r"\\", r"\u0041", r"\u00e9", r"\u4e2d", r"\ud83d\ude00", r"\ud83d", r"\q", r"\u12g4", r"\ud83d\u12g4", "\x02"],
    ids=ascii,
)
@pytest.mark.parametrize("filler", WIDTHS.values(), ids=ascii)
def test_an_escape_at_every_position(escape, filler):
    for length in [*range(0, 67, 2), 127, 128, 129, 255, 300]:
        for place in {*range(0, length + 1, 1 if length < 40 else 3), length}:
            document = f'"{filler * place}{escape}{filler * (length - place)}"'
            same_loads(document)
            same_loads(document.encode())
            same_loads(f"[{document},{document}]".encode())


# What a string begins as, and what it meets on the way: every change of width, and from plain text to escapes and back.
MIXED_TEXTS = [
    ["a", "word ", "some plain text in between "],
    ["a", "\xe9", "\xff"],
    ["a", "\u4e2d\u6587", "\u2019", "\xe9"],
    ["\U0001f600", "a", "\u4e2d"],
    ["\ud83d", "\ude00", "a", "\uffff"],
    ["x" * 70, "y"],
]
MIXED_ESCAPES = [
    [r"\n", r"\"", r"\\", r"\/"],
    [r"\u00e9", r"\u0041", r"\n"],
    [r"\u4e2d", r"\u2019"],
    [r"\ud83d\ude00", r"\n"],
    [r"\ud83d", r"\ude00", r"\uDBFF\uDFFF", r"\u0000", r"\uFFFF"],
    [r"\u12", "\\", r"\u00g0", "\x01", '"'],
]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("texts", range(len(MIXED_TEXTS)))
@pytest.mark.parametrize("escapes", range(len(MIXED_ESCAPES)))
def test_mixtures_of_text_and_escapes(texts, escapes, strict):
    source = random.Random(f"{texts} {escapes}")
    for _ in range(150):
        density = source.random()
        pieces = [
            source.choice(MIXED_ESCAPES[escapes] if source.random() < density else MIXED_TEXTS[texts])
            for _ in range(source.choice((1, 2, 3, 5, 8, 13, 30, 60)))
        ]
        if source.random() < 0.2:
            pieces.append(source.choice(sum(MIXED_ESCAPES, [])))
        document = f'["{"".join(pieces)}"]'
        if source.random() < 0.1:
            document = document[: source.randrange(len(document))]
        same_loads(document, strict=strict)
        same_loads(document.encode("utf-8", "surrogatepass"), strict=strict)


def test_control_characters_when_not_strict():
    for code in range(0x20):
        for filler in WIDTHS.values():
            for length in (0, 1, 15, 16, 31, 32, 63, 64, 65, 130):
                document = f'["{filler * length}{chr(code)}{filler * length}"]'
                for strict in (True, False, 0, 1, None, ""):
                    same_loads(document, strict=strict)
                    same_loads(document.encode(), strict=strict)
    text = '{"\x00\x01\x1f\n": "\t\r\n\x0b\\n\\u0001"}'
    for cut in range(len(text)):
        same_loads(text[:cut], strict=False)
        same_loads(text[:cut].encode(), strict=False)


class Text(str):
    def __str__(self):
        return "oops"

    __repr__ = __format__ = __str__

    def __len__(self):
        return 1

    def __iter__(self):
        return iter("oops")

    def encode(self, *arguments):
        return b"oops"

    def __getitem__(self, index):
        return "o"


@each_layout("json", "unescaped", "indent 2", "sorted")
def test_str_subclasses_out(keywords):
    for sample in ["", "a", "abc\n", "\xe9" * 20, "\u4e2d" * 70, '\U0001f600"', "a" * 300]:
        text = Text(sample)
        for obj in (text, [text], {text: text}, {"a": {text: [text]}}, (text,)):
            same_dumps(obj, **keywords)


def test_str_enum():
    enum = pytest.importorskip("enum")
    base = getattr(enum, "StrEnum", None)
    members = base("Name", {"A": "al\xe9f", "B": "\u4e2d"}) if base else enum.Enum("Name", {"A": "al\xe9f", "B": "\u4e2d"}, type=str)
    for member in members:
        same_dumps([member, {member: member}])
        same_dumps(member, ensure_ascii=False)


def test_numpy_str_out():
    numpy = pytest.importorskip("numpy")
    for sample in ("", "abc", "\xe9\n", "\u4e2d" * 40, "\U0001f600"):
        same_dumps([numpy.str_(sample), {numpy.str_(sample): numpy.str_(sample)}])


@pytest.mark.parametrize("place", (0, 1, 7, 15, 16, 31, 32, 33, 63, 64, 65, 130))
def test_lone_surrogates_out(place):
    for filler in WIDTHS.values():
        for surrogate in ("\ud800", "\udbff", "\udc00", "\udfff", "\udc00\ud800", "\ud83d\ude00"):
            text = filler * place + surrogate + filler * 40
            assert ocior.dumps(text) == json.dumps(text)
            assert ocior.dumps([text], ensure_ascii=False) == json.dumps([text], ensure_ascii=False)
            assert ocior.dumps_to_bytes([text], ensure_ascii=True) == json.dumps([text], separators=(",", ":")).encode()
            for obj in (text, [text], {text: 1}, {"a": text}):
                with pytest.raises(ValueError) as caught:
                    ocior.dumps_to_bytes(obj)
                error = caught.value
                assert isinstance(error, UnicodeEncodeError)
                assert 0xD800 <= ord(error.object[error.start]) <= 0xDFFF
                assert f"position {error.start}" in str(error)


def test_roads_do_not_share_state():
    """A wide document after a narrow one, errors in between: nothing of the earlier call shows."""
    texts = ["a", "\U0001f600", "\x00", "\xe9", "\u4e2d" * 500, "", "\ud800", "a" * 5000]
    for _ in range(50):
        for text in texts:
            same_dumps([text, {text: text}])
            same_loads(json.dumps([text, {text: text}], ensure_ascii=False))
            same_loads(json.dumps([text, {text: text}], ensure_ascii=False)[:-1])


def test_utf8_forms_that_are_left():
    """is_write_cache leaves in a string what PyUnicode_AsUTF8AndSize would: of its size, ended by a NUL, freed with the string."""
    as_utf8 = ctypes.pythonapi.PyUnicode_AsUTF8AndSize
    as_utf8.restype, as_utf8.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_void_p]
    for unit in ("\xe9", "\u0416", "\u4e2d", "\U0001f600", 'q"\xe9', "\u4e2d\n", "\\\xe9", "\x00\xe9"):
        for length in (1, 2, 7, 31, 32, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 5000):
            text = (unit * length)[:length] + "\xe9"
            expected = text.encode()
            assert (
                ocior.dumps_to_bytes([text, {text: 1}], is_write_cache=True)
                == json.dumps([text, {text: 1}], ensure_ascii=False, separators=(",", ":")).encode()
            )
            size = ctypes.c_ssize_t()
            address = as_utf8(text, ctypes.byref(size))
            assert size.value == len(expected) and ctypes.string_at(address, size.value + 1) == expected + b"\0"
            assert ocior.dumps_to_bytes(text, is_write_cache=True) == ocior.dumps_to_bytes(text)

    class Text(str):
        pass

    assert ocior.dumps_to_bytes([Text("\xe9"), "\ud800"[:0] + "\xe9"], is_write_cache=True) == '["\xe9","\xe9"]'.encode()
