"""What an ocior.Default writes as one text or number: decimals, UUIDs, paths, bytes, strings of derived classes and members of enums, alone
and in runs. Dates and times are in default/test_datetimes.py."""

import datetime
import enum
import io
import itertools
import json
import pathlib
import random
import sys
import uuid
from decimal import Decimal

import pytest
from layouts import layouts
from rich_values import IDENTITY, KEYWORDS, ROADS, UTC, Color, Point, Shifted, Unknown, check, zone
from support import call

import ocior
from ocior import Default

DECIMALS = [
    ("1.10", "1.10"),
    ("-0", "-0"),
    ("-12.05", "-12.05"),
    ("1234567890.01", "1234567890.01"),
    ("0.00", "0.00"),
    ("0.000000", "0.000000"),
    ("0.000001", "0.000001"),
    ("-9999999999999999999", "-9999999999999999999"),
    ("123.4567890123456789", "123.4567890123456789"),
    ("123.00000000000000001", "123.00000000000000001"),
    ("0E-7", "0E-7"),
    ("1E-7", "1E-7"),
    ("1E+5", "1E+5"),
    ("1E-400", "1E-400"),
    ("123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789"),
    ("9" * 300, "9" * 300),
    ("NaN", "NaN"),
    ("-NaN12", "NaN"),
    ("sNaN", "NaN"),
    ("Infinity", "Infinity"),
    ("-Infinity", "-Infinity"),
]


@pytest.mark.parametrize("number, text", DECIMALS)
def test_decimals(number, text):
    """All digits are written."""
    value = Decimal(number)
    for road in ROADS:
        assert road(value, default=ocior.default) == text
        assert (
            road([value, "\u4e2d\U0001f600", value], default=ocior.default, ensure_ascii=False) == f'[{text}, "\u4e2d\U0001f600", {text}]'
        )
        assert road({"k": value}, default=ocior.default, indent=1) == f'{{\n "k": {text}\n}}'
        if not value.is_finite():
            with pytest.raises(ValueError, match="^Out of range float values are not JSON compliant"):
                road([value], default=ocior.default, allow_nan=False)


def test_decimals_that_show_themselves_in_another_way():
    class Money(Decimal):
        def __str__(self):
            return "$1.5"

    check(Money("1.5"), 1.5, keywords=[{}])


@pytest.mark.parametrize("most_digits", [9, 15, 17, 21, 40, 80])
def test_decimals_at_random(most_digits):
    rng = random.Random(most_digits)

    def number():
        number = rng.randrange(10 ** rng.randrange(1, most_digits + 1))
        number = number // 10**19 * 10**19 if rng.randrange(4) == 0 else number  # a word of zeros
        return Decimal((0, tuple(map(int, str(number))), -rng.randrange(most_digits + 8)))

    numbers = [number() for _ in range(3000)]
    texts = [str(number) for number in numbers]
    assert ocior.dumps(numbers, default=ocior.default) == "[" + ", ".join(texts) + "]"
    assert ocior.dumps([number.copy_negate() for number in numbers if number], default=Default(decimal="str")) == json.dumps(
        ["-" + text for number, text in zip(numbers, texts) if number]
    )


def test_uuids_whose_int_was_replaced():
    for number, text in ((5, '"00000000-0000-0000-0000-000000000005"'), (-1, None), (2**128, None), ("x", None), (None, None)):
        value = uuid.UUID(int=1)
        object.__setattr__(value, "int", number)
        found = call(ocior.dumps, value, default=ocior.default)
        assert found.value == text and (text or type(found.error) is TypeError)


def test_paths_that_show_themselves_in_another_way():
    class Shown(pathlib.PurePosixPath):
        def __str__(self):
            return "shown " + super().__str__()

    class Found(pathlib.PurePosixPath):
        def __fspath__(self):
            return b"found"

    class Other:
        def __fspath__(self):
            return "other"

    values = [pathlib.PurePosixPath("a/b"), pathlib.PureWindowsPath("a/b"), Shown("a"), Found("a"), Other()]
    check(values, ["a/b", "a\\b", "shown a", "found", "other"])


def test_base64_that_is_none(monkeypatch):
    import binascii

    monkeypatch.setattr(binascii, "b2a_base64", lambda data, newline: 5)
    for road in ROADS:
        assert type(call(road, [b"x"], default=Default(bytes="base64")).error) is TypeError


def test_strings_of_derived_classes_in_a_row():
    """Written without leaving the row, but for long ones; escapes, every width, and rows that end anywhere."""

    class Text(str):
        pass

    texts = [
        "",
        "a",
        'a"b',
        "\n" * 40,
        "\x00",
        "\xe9" * 20,
        "\u4e2d",
        "\U0001f600" * 9,
        "x" * 1023,
        "x" * 1024,
        "x" * 1025,
        "\u4e2d" * 5000,
    ]
    rows = [[one] for one in texts] + [texts[: i + 1] * 3 for i in range(len(texts))] + [texts[::-1] * 40]
    for row in rows:
        value = [*map(Text, row), 1, {"k": [*map(Text, row)], "l": Text(row[0])}]
        for keywords in layouts("json", "unescaped", "indent 1", "compact unescaped"):
            expected = json.dumps(value, **keywords)
            assert ocior.dumps(value, default=ocior.default, **keywords) == expected
            file = io.StringIO()
            ocior.dump(value, file, default=ocior.default, **keywords)
            assert file.getvalue() == expected
        expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        assert ocior.dumps_to_bytes(value, default=ocior.default).decode() == expected
    value = [Text("a\ud800b"), Text("\udfff"), 2] * 20
    assert ocior.dumps(value, default=ocior.Default(surrogates="replace"), ensure_ascii=False) == json.dumps(
        ["a\ufffdb", "\ufffd", 2] * 20, ensure_ascii=False
    )
    with pytest.raises(UnicodeEncodeError):
        ocior.dumps(value, default=ocior.Default(surrogates="error"))


def test_wide_enums_behind_other_entries():
    """The text is written again from the key on, with wider units."""

    class Mark(enum.Enum):
        NARROW = "\xe9"
        WIDE = "\u20ac"
        WIDEST = "\U0001f600"
        LONG = "\u20ac" * 5000

    for mark in Mark:
        for values in ([0, mark], [{}, mark], [[], mark, mark], [Mark.NARROW, mark]):
            names = "abc"[: len(values)]
            twins = [value.value if isinstance(value, Mark) else value for value in values]
            check(dict(zip(names, values)), dict(zip(names, twins)), keywords=[{}, {"ensure_ascii": False}])
            check([Point(*values[:2])], [Point(*twins[:2]).__dict__], keywords=[{}, {"ensure_ascii": False}])


def test_enums_whose_value_was_replaced():
    class Kind(enum.Enum):
        A = 1

    Kind.A._value_ = [Kind.A]
    for road in ROADS:
        assert str(call(road, Kind.A, default=ocior.default).error) == "Circular reference detected"
    Kind.A._value_ = {"k": "\u20ac" * 100000}
    check(Kind.A, {"k": "\u20ac" * 100000}, keywords=[{}, {"ensure_ascii": False}])


def test_enums_whose_value_is_replaced_meanwhile():
    """Each member is written by the value that it has when its turn comes, once a hook has put another one there, or another dict."""

    class Kind(enum.Enum):
        A = "first"

    def set_value(_):
        if turn := next(turns):
            Kind.A.__dict__["_value_"] = ["of its dict", 5, None, 0.5][turn % 4]
        else:
            Kind.A._value_ = "second"
        if turn == 3:
            Kind.A.__dict__ = {**Kind.A.__dict__, "_value_": "of another dict"}
        return turn

    value = [Kind.A, Unknown()] * 5
    expected = ["first", 0, "second", 1, 5, 2, None, 3, "of another dict", 4]
    for road in ROADS:
        for keywords in KEYWORDS[:2]:
            Kind.A._value_, turns = "first", itertools.count()
            assert json.loads(road(value, default=Default(set_value), **keywords)) == expected


def test_more_members_than_are_remembered():
    """Each member has a value of its own, which nothing holds when all is written."""
    kinds = [enum.Enum(f"Kind{n}", {f"M{i}": f"a value {n} {i}" if i % 3 else (n + 1) * 10**6 + i for i in range(300)}) for n in range(3)]
    members = [member for kind in kinds for member in kind]
    values = [member.value for member in members]
    before = [sys.getrefcount(value) for value in values]
    for _ in range(2):
        check([members, members[::-1]], [values, values[::-1]])
        check(dict(zip(map(str, range(len(members))), members)), dict(zip(map(str, range(len(members))), values)))
    assert [sys.getrefcount(value) for value in values] == before


@pytest.mark.parametrize("count", (1, 2, 3, 10, 300))
def test_runs_of_scalars(count):
    """Values of one type that follow each other, what ends such a run, and what is in it that has to be asked for."""
    rng = random.Random(6)
    day, clock, number = datetime.date(2026, 1, 2), datetime.time(3, 4, 5, 6), Decimal("-12.50")
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5)
    odd = datetime.datetime(2026, 1, 2, tzinfo=Shifted(datetime.timedelta(minutes=5)))
    values = [
        *(moment, moment.replace(microsecond=7), moment.replace(tzinfo=UTC), moment.replace(tzinfo=zone(hours=-3)), odd),
        *(day, clock, clock.replace(tzinfo=UTC), IDENTITY, datetime.timedelta(seconds=5)),
        *(number, Decimal(0), Decimal("0.000"), Decimal("1e30"), Decimal("NaN"), Decimal("1" * 70), Color.RED, 1, "a", None),
    ]
    texts = {id(value): ocior.dumps(value, default=ocior.default) for value in values}
    for most in (1, 2, 9):
        items = [value for _ in range(count) for value in [rng.choice(values)] * rng.randrange(1, most + 1)]
        expected = [texts[id(value)] for value in items]
        for wide in ("", "\u4e2d"):
            for separators in ((", ", ": "), (",", ":")):
                text = separators[0].join([*expected, json.dumps(wide, ensure_ascii=False)])
                for road in ROADS:
                    found = road([*items, wide], default=ocior.default, ensure_ascii=False, separators=separators)
                    assert found == f"[{text}]", road
