"""JSONTestSuite's parsing cases: accepted, refused and valued exactly as the running interpreter's json does."""
import json

import pytest
from jsontestsuite_cases import CASES
from support import same_loads

import ocior


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
        same_loads(document[:cut] + document[cut + 1:])
        same_loads(document[:cut].decode("latin-1"))


def test_the_suite_means_what_it_says():
    """The classification itself, as far as json follows it (json takes NaN, Infinity and -Infinity)."""
    for name, document in CASES.items():
        if name[0] == "y":
            ocior.loads(document)
        elif name[0] == "n" and name not in ("n_number_NaN", "n_number_infinity", "n_number_minus_infinity"):
            with pytest.raises((json.JSONDecodeError, UnicodeDecodeError, RecursionError)):
                ocior.loads(document)
