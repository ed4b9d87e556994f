"""ocior.compat.msgspec against msgspec: random documents for all types that ocior reads, and random values."""

import pytest
from support import IS_QUICK

msgspec = pytest.importorskip("msgspec", minversion="0.22")

import msgspec_values as samples  # noqa: E402

from ocior import _core  # noqa: E402
from ocior.compat.msgspec import json  # noqa: E402

ROUNDS = 30 if IS_QUICK else 150


class Asked(Exception):
    pass


def refuse(*arguments):
    raise Asked


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("type", samples.TYPES, ids=lambda type: getattr(type, "__name__", str(type))[:50])
def test_documents(type, strict):
    theirs, ours = (module.Decoder(type, strict=strict) for module in (msgspec.json, json))
    documents = samples.Documents(str(type))
    for _ in range(ROUNDS):
        document = documents.make()
        try:
            found = ours._read(document)
        except Exception:
            continue  # msgspec is asked
        try:
            expected = theirs.decode(document)
        except Exception as error:
            pytest.fail(f"{document}: {found!r} in the place of {error!r}")
        assert samples.is_same(found, expected), document


@pytest.mark.parametrize("hook", [None, samples.hook])
@pytest.mark.parametrize("seed", range(10))
def test_values(seed, hook):
    encoder = _core.msgspec["Encoder"](refuse, hook, False)
    values = samples.Values(seed)
    written = 0
    for _ in range(ROUNDS * 10):
        value = values.make()
        try:
            found = encoder.encode(value)
        except Asked:
            continue
        written += 1
        try:
            expected = msgspec.json.encode(value, enc_hook=hook)
        except Exception as error:
            pytest.fail(f"{found} in the place of {error!r}")
        assert found == expected
    assert written > ROUNDS * 4
