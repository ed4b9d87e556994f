"""Default(html_safe=..., escape_slashes=...): what JSON lets stand in strings is escaped there and nowhere else, on every road."""

import io
import itertools
import json
import random
import re

import pytest

import ocior
from ocior import Default

MARKUP = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
SLASH = {"/": "\\/"}
ROADS = {"html": ({"html_safe": True}, MARKUP), "slash": ({"escape_slashes": True}, SLASH), "both": ({"html_safe": True, "escape_slashes": True}, {**MARKUP, **SLASH})}  # fmt: skip

roads = pytest.mark.parametrize("options, escapes", ROADS.values(), ids=ROADS)


def escaped(text, escapes):
    """As str.translate, which takes quadratic time where realloc always moves, as it does under a sanitizer."""
    return re.sub(f"[{''.join(escapes)}]", lambda match: escapes[match[0]], text)


def written(value, escapes, **keywords):
    """The oracle: json's text, in which these characters stand in strings alone."""
    return escaped(json.dumps(value, **keywords), escapes)


def sample(rng, rare):
    letters = (
        "</>&\u2028\u2029" if rng.random() < rare else "abc \xe9" if rng.random() < 0.7 else '"\\\n\x01\u2027\u202a\u4e2d\U0001f600\u201c'
    )
    return rng.choice(letters)


def texts(rng, widest):
    for n in itertools.chain(range(40), (60, 63, 64, 65, 127, 128, 129, 300, 1000, 3000)):
        for rare in (0, 0.02, 0.3, 1):
            yield "".join(character for character in (sample(rng, rare) for _ in range(n)) if character <= widest)


@roads
@pytest.mark.parametrize("widest", ["\x7e", "\xff", "\uffff", "\U0010ffff"], ids=["ascii", "latin1", "ucs2", "ucs4"])
def test_texts_of_every_width(options, escapes, widest):
    default = Default(**options)
    for text in texts(random.Random(ord(widest)), widest):
        value = [text, {text: [1.5, text + "x", None]}]
        for keywords in ({}, {"ensure_ascii": False}, {"indent": 1}, {"ensure_ascii": False, "indent": "\t", "separators": (",", ":")}):
            assert ocior.dumps(value, default=default, **keywords) == written(value, escapes, **keywords)
            compact = {"separators": (",", ":"), "ensure_ascii": False, **keywords}
            assert ocior.dumps_to_bytes(value, default=default, **compact).decode() == written(value, escapes, **compact)
        assert json.loads(ocior.dumps(value, default=default)) == value


@roads
@pytest.mark.parametrize("separators", (("/", ":"), (",", "<>"), ("\u2028", "/"), ("&" * 20, "=" * 20), ("\xe9", ":")), ids=repr)
def test_text_between_values_stays(options, escapes, separators):
    default = Default(**options)
    value = {"/<": ["&", "x" * 500 + "</>" * 500, {"a": "\u2028/"}], "b": [1, 2.5, True, "</>\xe9"]}
    for ascii, indent in itertools.product((True, False), (None, "/", "//", "<a>", 2, "\u2029")):
        keywords = {"ensure_ascii": ascii, "separators": separators, "indent": indent}
        # Where strings hold none of these characters, the oracle can write the rest.
        strings = {}

        def mark(item):
            if isinstance(item, str):
                return (
                    strings.setdefault(item, f"\ue000{len(strings)}\ue001") if not ascii else strings.setdefault(item, f"@{len(strings)}@")
                )
            if isinstance(item, dict):
                return {mark(key): mark(below) for key, below in item.items()}
            return [mark(below) for below in item] if isinstance(item, list) else item

        expected = json.dumps(mark(value), **keywords)
        for text, name in strings.items():
            expected = expected.replace(f'"{name}"', written(text, escapes, ensure_ascii=ascii))
        assert ocior.dumps(value, default=default, **keywords) == expected
        assert ocior.dumps_to_bytes(value, default=default, **keywords).decode() == expected


@roads
def test_files_and_pieces(options, escapes):
    default = Default(**options)
    value = [["<" * 70000, "a" * 1021 + "\u2028/" * 70000, "\u2028" * 1025], {"</>" * n: "/" * n for n in range(200)}, ["x/y"] * 20000]
    for keywords in ({}, {"ensure_ascii": False}, {"ensure_ascii": False, "separators": ("/", ":")}, {"indent": 2}):
        plain = keywords.get("separators") is None
        expected = written(value, escapes, **keywords) if plain else ocior.dumps(value, default=default, **keywords)
        text, binary = io.StringIO(), io.BytesIO()
        ocior.dump(value, text, default=default, **keywords)
        ocior.dump(value, binary, default=default, **keywords)
        assert text.getvalue() == expected == binary.getvalue().decode()
        pieces = list(ocior.JSONEncoder(default=default, **keywords).iterencode(value))
        assert "".join(pieces) == expected and len(pieces) > 2
    text = io.StringIO()
    with pytest.raises(TypeError):
        ocior.dump(["</>", object()], text, default=default)
    assert text.getvalue() == '["' + escaped("</>", escapes) + '", '


@roads
def test_ready_json(options, escapes):
    default = Default(**options)
    value = ["/", ocior.Raw('{"</>": "\u2028&"}'), "&", {"k": ocior.Raw(b'"\xe2\x80\xa9/"')}]
    as_text = ["/", {"</>": "\u2028&"}, "&", {"k": "\u2029/"}]
    for separators in ((", ", ": "), ("\n, ", ": ")):
        keywords = {"ensure_ascii": False, "separators": separators}
        assert json.loads(ocior.dumps(value, default=default, **keywords)) == as_text
        assert not any(character in ocior.dumps(value, default=default, **keywords).replace("\\/", "") for character in escapes)
        assert not any(
            character in ocior.dumps_to_bytes(value, default=default, **keywords).decode().replace("\\/", "") for character in escapes
        )


def test_slashes_that_ready_json_has_escaped():
    default = Default(escape_slashes=True)
    bodies = ["", "/", "\\/", "\\\\/", "\\\\\\/", "//\\//", '\\"/', "\\u002f/", "</>&", "\\\\\\\\", "/" * 50, "\\/" * 50, "a\\/b" * 30]
    for body, wide in itertools.product(bodies, ["", "\xe9", "\u4e2d", "\U0001f600"]):
        for text in (f'"{body}{wide}"', f'{{"{wide}{body}": ["{body}"]}}', f'["{"x" * 70}{body}", "{body}{wide}"]'):
            value = json.loads(text)
            for raw in (ocior.Raw(text), ocior.Raw(text.encode())):
                for ours in (
                    ocior.dumps([raw], default=default),
                    ocior.dumps([raw], default=default, ensure_ascii=False),
                    ocior.dumps_to_bytes([raw], default=default).decode(),
                    "".join(ocior.JSONEncoder(default=default).iterencode([raw])),
                ):
                    assert json.loads(ours) == [value]
                    assert re.fullmatch(r"(?:[^\\/]|\\.)*", ours, re.S)


def test_the_width_of_what_is_left():
    """A text whose only wide character is escaped is as narrow as the rest."""
    default = Default(html_safe=True)
    for rest, narrow in (("a", "a"), ("\xe9", "\xe9"), ("\U0001f600", "\U0001f600")):
        for n in (1, 100, 5000, 100000):
            text = ocior.dumps([rest * n, "\u2028"], default=default, ensure_ascii=False)
            assert text == f'["{narrow * n}", "\\u2028"]'
            assert text.__sizeof__() <= (text + "x")[:-1].__sizeof__() + 20000 and max(text) == max(f'"{rest}u')
            assert hash(text) == hash(f'["{narrow * n}", "\\u2028"]') and text.isascii() == (rest == "a")


def test_what_a_malformed_raw_does():
    default = Default(html_safe=True, escape_slashes=True)
    for ending in (b"\xe2", b"\xe2\x80", b"\xe2\x80\xa8", b"\xe2/\x80\xa8", b"\xe2\xe2\x80\xa8"):
        text = ocior.dumps_to_bytes(ocior.Raw(b"/" + ending, check=False), default=default)
        assert text == b"\\/" + ending.replace(b"/", b"\\/").replace(b"\xe2\x80\xa8", b"\\u2028")


def test_names():
    assert repr(Default(html_safe=True, escape_slashes=True)) == "ocior.Default(html_safe=True, escape_slashes=True)"
    assert repr(Default(html_safe=False, escape_slashes=0)) == "ocior.Default()"
    assert json.dumps({"</>": {1}}, default=Default(html_safe=True)) == '{"</>": [1]}'
