"""loads(surrogates=...): lone surrogates in strings and keys, escaped and not, kept, refused or replaced."""

import json
import re

import pytest
from loads_values import WORDS, gives, refuses
from support import assert_same, call

import ocior

LONE = [  # a document with one string, its value, where the first lone surrogate is
    ('"\\ud800"', "\ud800", 1),
    ('"\\uDFFF"', "\udfff", 1),
    ('"\ud800"', "\ud800", 1),
    ('"a\\udc00b"', "a\udc00b", 2),
    ('"\\\\\\"\\ud83d\\n"', '\\"\ud83d\n', 5),
    ('"\\ud83d\\ude00\\ud83d"', "\U0001f600\ud83d", 13),
    ('"\\ude00\\ud83d"', "\ude00\ud83d", 1),
    ('"\\ud83d\\u0041\\ude00"', "\ud83dA\ude00", 1),
    ('"\\ud83d\ude00"', "\ud83d\ude00", 1),
    ('"\ud83d\ude00"', "\ud83d\ude00", 1),
    ('"\xe9\\ud800"', "\xe9\ud800", 2),
    ('"\U0001f600\ud800"', "\U0001f600\ud800", 2),
    ('"' + "x" * 70 + '\\udfff"', "x" * 70 + "\udfff", 71),
    ('"' + "\u4e2d" * 70 + "\ud800" + '"', "\u4e2d" * 70 + "\ud800", 71),
    ('"' + "\\u4e2d" * 40 + '\\ud800"', "\u4e2d" * 40 + "\ud800", 241),
    ('"' + "\ud800" * 40 + '"', "\ud800" * 40, 1),
]
PAIRED = ['"\\ud83d\\ude00"', '"\U0001f600"', '"\\uFFFD\ufffd"', '"\\ud7ff\\ue000"', '"x"', '""', '"\\\\ud800"', '"\\n\xe9\u4e2d\\u00e9"']
SURROGATE = re.compile("[\ud800-\udfff]")


@pytest.mark.parametrize("document, value, place", LONE)
def test_lone_surrogates(document, value, place):
    plain = SURROGATE.sub("\ufffd", value)
    for text, wrap, at in (
        (document, lambda item: item, 0),
        (f'["x",{document}]', lambda item: ["x", item], 5),
        (f"{{{document}:1}}", lambda item: {item: 1}, 1),
        (f'[{{"k":{document},{document}:{document}}}]', lambda item: [{"k": item, item: item}], 6),
    ):
        # As text of another encoding, the halves of a pair that stand side by side would be one character.
        if "\ud83d\ude00" in document:
            assert ocior.loads(text, surrogates="replace") == wrap(plain)
            assert call(ocior.loads, text, surrogates="error").error.pos == at + place
            continue
        gives(text, wrap(value), surrogates="keep")
        gives(text, wrap(plain), surrogates="replace")
        refuses(text, "Lone surrogate", at + place, surrogates="error")
        gives(text, wrap(value))


@pytest.mark.parametrize("document", PAIRED)
@pytest.mark.parametrize("how", WORDS["surrogates"])
def test_other_text_stays(document, how):
    for text in (document, f"[{document},{document}]", f'{{{document}:{document},"x":{document}}}'):
        gives(text, json.loads(text), surrogates=how)


@pytest.mark.parametrize("key", ("\\ud800", "a\\udfffb", "\ud800", "\u4e2d\ud83d"), ids=ascii)
def test_what_one_call_has_learned_is_not_believed_by_another(key):
    """Keys are recognised by their text, and this text means another key to each policy."""
    kept = json.loads(f'"{key}"')
    for document in (f'{{"{key}":1}}', f'[{{"x":1,"{key}":2}},{{"x":1,"{key}":2}}]', f'[{{"{key}":1,"y":2}}]'):
        for source in (document, document.encode("utf-8", "surrogatepass")):
            for how in ("keep", "error", "replace") * 3 + ("replace", "keep", "error"):
                outcome = call(ocior.loads, source, surrogates=how)
                if how == "error":
                    assert outcome.error.msg == "Lone surrogate"
                else:
                    keys = re.findall("'([^']*)'", repr(outcome.value))
                    assert repr(kept if how == "keep" else SURROGATE.sub("\ufffd", kept))[1:-1] in keys


def test_replaced_keys_that_become_equal():
    document = '{"\\ud800":1,"x":2,"\\udfff":3}'
    gives(document, {"\ufffd": 3, "x": 2}, surrogates="replace")
    gives(document, {"\ufffd": 1, "x": 2}, surrogates="replace", duplicate_keys="first")
    refuses(document, "Duplicate key", 18, surrogates="replace", duplicate_keys="error")
    gives(document, {"\ud800": 1, "x": 2, "\udfff": 3}, duplicate_keys="error")


def test_surrogates_and_hooks():
    assert ocior.loads('{"\\ud800":"\\udfff"}', surrogates="replace", object_pairs_hook=list) == [("\ufffd", "\ufffd")]
    assert ocior.loads('["\u4e2d","\ud800"]', surrogates="replace", array_hook=tuple) == ("\u4e2d", "\ufffd")


def test_bytes_that_are_no_text_are_refused_as_ever():
    for document in (b'"\xff"', b'["\xed\xa0"]', b'{"\xed\xb0x":1}', b'"\xc0\x80\\ud800"'):
        for how in WORDS["surrogates"]:
            assert_same(call(ocior.loads, document, surrogates=how), call(json.loads, document), f"{document} {how}")
