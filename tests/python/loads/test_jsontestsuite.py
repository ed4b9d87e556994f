"""JSONTestSuite's parsing cases: accepted, refused and valued exactly as the running interpreter's json does."""

import io
import json

import pytest
import roads
from jsontestsuite_cases import CASES
from support import call, same_loads

import ocior


def as_text(document):
    """The document as str: where it is not UTF-8, every byte as a character of its own."""
    try:
        return document.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return document.decode("latin-1")


@pytest.mark.parametrize("name", CASES)
def test_bytes(name):
    same_loads(CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_str(name):
    for encoding in ("utf-8", "latin-1"):  # latin-1 always decodes: every byte becomes a character of its own
        try:
            document = CASES[name].decode(encoding, "surrogatepass")
        except UnicodeDecodeError:
            continue
        same_loads(document)


@pytest.mark.parametrize("name", CASES)
def test_files(name):
    roads.same_load(CASES[name])
    roads.same_load(as_text(CASES[name]))


@pytest.mark.parametrize("name", CASES)
def test_classes(name):
    text = as_text(CASES[name])
    roads.same_decoder(text)
    for start in (0, 1, len(text) // 2) if len(text) < 100_000 else (0,):  # how deep one may go is each one's own
        roads.same_raw_decode(text, start)
        roads.same_scanner(text, start)
    for number in range(len(roads.decoder_classes(json.JSONDecoder))):
        roads.same_decoder_class(number, text)
        roads.same_decoder_class(number, CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_every_string_that_seems_to_start(name):
    text = as_text(CASES[name])
    for place in [place for place, char in enumerate(text[:2000]) if char == '"'][:40]:
        roads.same_scanstring(text, place + 1)
        roads.same_scanstring(text, place + 1, False)


@pytest.mark.parametrize("name", [name for name in CASES if name[0] == "n"])
def test_one_class_of_errors(name):
    """Whoever catches json's error catches ocior's, and the other way round, on every road."""
    assert ocior.JSONDecodeError is ocior.decoder.JSONDecodeError is json.JSONDecodeError
    text = as_text(CASES[name])
    for road in (ocior.loads, ocior.JSONDecoder().decode, lambda text: ocior.load(io.StringIO(text))):
        error = call(road, text).error
        assert error is None or type(error) in (json.JSONDecodeError, RecursionError)


@pytest.mark.parametrize("name", [name for name in CASES if name[0] == "y"])
def test_valid_documents_in_other_encodings(name):
    text = CASES[name].decode()
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"):
        same_loads(text.encode(encoding))


@pytest.mark.parametrize("name", [name for name in CASES if len(CASES[name]) < 200])
def test_every_prefix_and_every_dropped_byte(name):
    """A document cut anywhere, or with one byte missing, fails (or not) where json says."""
    document = CASES[name]
    for cut in range(len(document)):
        same_loads(document[:cut])
        same_loads(document[:cut] + document[cut + 1 :])
        same_loads(document[:cut].decode("latin-1"))


def test_the_suite_means_what_it_says():
    """The classification itself, as far as json follows it (json takes NaN, Infinity and -Infinity)."""
    for name, document in CASES.items():
        if name[0] == "y":
            ocior.loads(document)
        elif name[0] == "n" and name not in ("n_number_NaN", "n_number_infinity", "n_number_minus_infinity"):
            with pytest.raises((json.JSONDecodeError, UnicodeDecodeError, RecursionError)):
                ocior.loads(document)
