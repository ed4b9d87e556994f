"""Random documents for random types: the core gives the values and the problems of the reference, whatever holds the document."""

import os
import random

import pytest
import typed_reference
from typed_random import facts, make_text, make_type

import ocior
from ocior._typed import hints

_COUNTS = {"quick": 60, "default": 300, "long": 20_000}
COUNT = _COUNTS.get(os.environ.get("OCIOR_HYPOTHESIS_PROFILE", "default"), 300)
FIRST = int(os.environ.get("OCIOR_TYPED_SEED", "0"))
BLOCK = 20  # seeds of one test


def placed(code, path, start, end):
    """A problem as text, so that paths can be sorted."""
    return repr(((start, end), path, code))


def told(error):
    return sorted(placed(problem.code, problem.path, problem.start, problem.end) for problem in error.errors)


def outcome(decode, document):
    try:
        return "value", facts(decode(document))
    except ocior.ValidationError as error:
        return "problems", told(error)
    except ocior.JSONDecodeError as error:
        return "no JSON", error.pos


def expected_of(node, text):
    found = typed_reference.decode(node, text)
    if isinstance(found, typed_reference.Problems):
        return "problems", sorted(placed(*problem) for problem in found)
    return "value", facts(found)


def documents_of(text):
    """The text in each kind of object and width that can hold it."""
    found = [text, text.encode("utf-8", "surrogatepass"), bytearray(text.encode()), memoryview(text.encode()), text.encode("utf-16")]
    # White space is all that may stand behind a document, so wider units come from a slice of a wider str: CPython narrows those.
    return found


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, BLOCK))
def test_random_documents(first):
    for seed in range(first, first + BLOCK):
        chance = random.Random(seed)
        found = make_type(chance)
        is_strict = chance.random() < 0.8
        node = hints.compile(found, strict=is_strict)
        decoder = ocior.Decoder(found, strict=is_strict, max_errors=10_000)
        for turn in range(12):
            text = make_text(chance, node, chance.choice([0, 0, 0.05, 0.2]))
            expected = expected_of(node, text)
            for document in documents_of(text):
                got = outcome(decoder.decode, document)
                assert got == expected, f"OCIOR_TYPED_SEED={seed}, turn {turn}, {type(document).__name__}, {found}:\n{text}"


def json_error(decode, document):
    try:
        decode(document)
    except ocior.ValidationError:
        return None
    except ocior.JSONDecodeError as error:
        return error.msg, error.pos, error.path, error.doc
    except UnicodeDecodeError as error:
        return error.start, error.end, error.reason
    return None


def damaged(chance, text):
    at = chance.randrange(len(text) + 1)
    what = chance.randrange(4)
    if what == 0:
        return text[:at]
    if what == 1:
        return text[:at] + text[at + 1 :]
    return text[:at] + chance.choice('"{}[],:\\0-.eE1 \ntnf\x01\x00\xe9\u4e2d\U0001f600') + text[at + (what == 2) :]


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, BLOCK))
def test_damaged_documents(first):
    """Whatever the type, what is no JSON is told as loads tells it, and nothing else is."""
    for seed in range(first, first + BLOCK):
        chance = random.Random(-seed - 1)
        found = make_type(chance)
        node = hints.compile(found)
        decoder = ocior.Decoder(found)
        for turn in range(25):
            text = damaged(chance, make_text(chance, node, chance.choice([0, 0.1])))
            raw = bytearray(text.encode())
            if raw and chance.random() < 0.2:
                raw[chance.randrange(len(raw))] = chance.randrange(256)
            for document in (text, bytes(raw)):
                got, expected = json_error(decoder.decode, document), json_error(ocior.loads, document)
                assert got == expected, f"OCIOR_TYPED_SEED={seed}, turn {turn}, {type(document).__name__}, {found}:\n{document!r}"
