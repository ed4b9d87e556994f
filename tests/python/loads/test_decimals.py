"""loads(parse_float=decimal.Decimal), which calls no hook: the same decimals as json's, of every length and exponent; and classes that are
hooks."""

import copy
import decimal
import functools
import gc
import importlib
import json
import pickle
import random
import sys

import pytest
from loads_values import gives
from support import call, check_python

import ocior

Decimal = decimal.Decimal
MANTISSAS = [
    *("0.0", "0.00", "0.5", "1.0", "10.0", "1.50", "0.001", "0.0010", "12.345", "123456789.125", "100.0", "99999999.99"),
    *("0.9999999999999999999", "1.0000000000000000000", "9999999999999999999.9", "12345678901234567890.0", "0.12345678901234567890123"),
    *("0." + "0" * zeros + "1" for zeros in (16, 17, 18, 19, 29, 30, 31, 37, 38, 75, 76, 100)),
    *("1" * before + "." + "9" * behind for before in (1, 5, 18, 19, 20, 37, 38, 75, 76) for behind in (1, 2, 11, 18, 19, 38, 57, 75)),
    *("0." + "0" * 40 + digits for digits in ("5", "12345678901234567890", "9" * 76, "9" * 77)),
    "0." + "0" * 200,
]
EXPONENTS = ["", "e0", "E5", "e-5", "e+30", "e-400", "e400", "e000007", "e-999999", "e999999", "e1000000", "e-1000000", "e0000000000001"]


def same_decimals(texts):
    for text in (
        f"[{','.join(texts)}]",
        '["\xe9",' + ", ".join(texts) + "]",
        '["\u4e2d",' + ",".join(texts) + "]",
        f'[{",".join(texts)},"\U0001f600"]',
    ):
        for source in (text, text.encode()):
            ours, theirs = (module.loads(source, parse_float=Decimal) for module in (ocior, json))
            for one, other in zip(ours, theirs, strict=True):
                assert type(one) is type(other)
                if type(one) is Decimal:
                    assert (one.as_tuple(), str(one), hash(one)) == (other.as_tuple(), str(other), hash(other))
            assert ours == theirs


def test_decimals():
    same_decimals([sign + mantissa + exponent for mantissa in MANTISSAS for exponent in EXPONENTS for sign in ("", "-")])
    same_decimals(["-" * (index % 2) + f"{index}e{index - 50}" for index in range(100)])
    same_decimals(["1", "-0", "0", str(2**64), str(10**80)])  # integers are none
    for document in ("1.5", '{"a":-0.0,"b":[1e2]}', "[0.1,0.2,0.30]"):
        gives(document, json.loads(document, parse_float=Decimal), parse_float=Decimal)


def test_decimals_at_random():
    source = random.Random(7)
    for _ in range(200):
        texts = []
        for _ in range(60):
            whole = str(source.getrandbits(source.randrange(1, 130)))
            fraction = "." + "".join(source.choices("0123456789", k=source.randrange(1, 40))) if source.random() < 0.8 else ""
            exponent = f"e{source.randrange(-400, 400)}" if not fraction or source.random() < 0.2 else ""
            texts.append("-" * source.randrange(2) + whole + fraction + exponent)
        same_decimals(texts)


def test_decimals_are_ordinary_ones():
    numbers = ocior.loads("[1.10, -2.5e3, 0.0, 123456789012345678901234567890.5]", parse_float=Decimal)
    assert [pickle.loads(pickle.dumps(number)) for number in numbers] == numbers == copy.deepcopy(numbers)
    assert numbers[0] + numbers[1] == Decimal("-2498.90") and numbers[0].quantize(Decimal("0.1")) == Decimal("1.1")
    assert {numbers[0]: 1}[Decimal("1.1")] == 1 and sorted(numbers)[0] == Decimal("-2500") and not numbers[2]
    assert gc.is_tracked(numbers[0]) == gc.is_tracked(Decimal("1.10"))
    assert sys.getsizeof(numbers[0]) == sys.getsizeof(Decimal("1.10"))
    numbers[3] *= numbers[3] ** 3  # grows out of its room
    assert numbers[3] == Decimal("123456789012345678901234567890.5") * Decimal("123456789012345678901234567890.5") ** 3


@pytest.mark.parametrize(
    "text", ["1e99999999999999999999", "-1e-99999999999999999999", "1.5e1000000000000000000", "0e99999999999999999999"]
)
def test_decimals_that_there_are_not(text):
    """In words of decimal's, by the context of the thread, as in json."""
    for traps in ([], [decimal.InvalidOperation]):
        with decimal.localcontext() as context:
            context.traps = dict.fromkeys(context.traps, False) | dict.fromkeys(traps, True)
            ours, theirs = (call(module.loads, f"[{text}]", parse_float=Decimal) for module in (ocior, json))
            assert (type(ours.error), str(ours.error), repr(ours.value)) == (type(theirs.error), str(theirs.error), repr(theirs.value))
    with decimal.localcontext() as context:
        context.clear_flags()
        context.traps = dict.fromkeys(context.traps, True)
        context.prec = 1
        assert ocior.loads("[1.25, -0.000, 123456.7890e-500]", parse_float=Decimal) == [Decimal("1.25"), 0, Decimal("123456.7890e-500")]
        assert not any(context.flags.values())


def test_other_decimals_are_hooks():
    class Money(Decimal):
        pass

    class Slotted(Decimal):
        __slots__ = ()

    named = type("decimal.Decimal", (Decimal,), {"__slots__": ()})
    stored = type("decimal.Decimal", (), {"__slots__": tuple("abcdefghijk"), "__init__": lambda self, text: None})
    pure = importlib.import_module("_pydecimal").Decimal
    for cls in (Money, Slotted, named, stored, pure):
        number, integer = ocior.loads("[1.50, 3]", parse_float=cls)
        assert type(number) is cls and type(integer) is int
        assert type(ocior.JSONDecoder(parse_float=cls).decode("[1.50]")[0]) is cls
    for hook in (lambda text: Decimal(text), functools.partial(Decimal), str):
        assert repr(ocior.loads("1.50", parse_float=hook)) == repr(json.loads("1.50", parse_float=hook))


def test_decimal_that_a_program_has_replaced(monkeypatch):
    monkeypatch.setattr(decimal, "Decimal", lambda text: ("mine", text))
    assert ocior.loads("1.50", parse_float=decimal.Decimal) == ("mine", "1.50")
    assert ocior.loads("1.50", parse_float=Decimal) == Decimal("1.50")


def test_decimals_leave_no_references():
    def change_by(module):  # without a GIL, counts of classes move by the objects that have come and gone
        before = sys.getrefcount(Decimal)
        for _ in range(100):
            module.loads("[1.5, 2.5e10, 1e2000000, 0.1]", parse_float=Decimal)
        return sys.getrefcount(Decimal) - before

    ocior.loads("[1.5]", parse_float=Decimal)
    assert abs(change_by(ocior) - change_by(json)) < 20


@pytest.mark.parametrize("tricks", ["", "0", "-direct_scalars", "-pool_blocks"])
def test_decimals_without_knowledge_of_cpython(tricks):
    check_python(
        """
        import sys, json, ocior
        assert "decimal" not in sys.modules and "_decimal" not in sys.modules
        from decimal import Decimal
        for text in ("[1.50, -0.0, 1e400, 12345678901234567890.12345, 1e1000000]", "2.5"):
            assert repr(ocior.loads(text, parse_float=Decimal)) == repr(json.loads(text, parse_float=Decimal))
            assert repr(ocior.JSONDecoder(parse_float=Decimal).decode(text)) == repr(json.loads(text, parse_float=Decimal))
        """,
        env={"OCIOR_TRICKS": tricks},
    )
