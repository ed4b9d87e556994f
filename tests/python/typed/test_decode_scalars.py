"""What a string, number or word becomes for each type: strictly and laxly, right and wrong, from every kind and width of text."""

import datetime
import enum
import ipaddress
import json
import math
import pathlib
import uuid
from decimal import Decimal
from typing import Annotated, Any, Literal, Optional, TypeVar, Union

import pytest

import ocior
from ocior import Decoder, Lax, Limits, ValidationError

WRONG = object()
UTC = datetime.timezone.utc


def offset(minutes):
    return datetime.timezone(datetime.timedelta(minutes=minutes))


def at(*parts, tz=None, micro=0):
    return datetime.datetime(*parts, microsecond=micro, tzinfo=tz)


class Color(enum.Enum):
    RED = "red"
    GREEN = "gr\xfcn"
    CHINA = "\u4e2d"
    LONG = "x" * 300
    ONE = 1
    HALF = 0.5
    YES = True
    NOTHING = None


class Level(enum.IntEnum):
    LOW = 1
    HUGE = 2**70


class Name(str, enum.Enum):
    A = "a"


class Asks(enum.Enum):
    A = "a"

    @classmethod
    def _missing_(cls, value):
        return cls.A if value in ("again", 7) else None


class Bits(enum.IntFlag):
    READ = 1
    WRITE = 2


UUID = uuid.UUID("12345678-9abc-def0-1234-56789ABCDEF0")
delta = datetime.timedelta

# type, document, what it is strictly, what it is laxly
TABLE = [
    (None, "null", None, None),
    (None, '"null"', WRONG, None),
    (None, '"NULL"', WRONG, None),
    (None, '"none"', WRONG, WRONG),
    (None, "0", WRONG, WRONG),
    (bool, "true", True, True),
    (bool, "false", False, False),
    (bool, "0", WRONG, False),
    (bool, "1", WRONG, True),
    (bool, "2", WRONG, WRONG),
    (bool, "1.0", WRONG, WRONG),
    (bool, '"0"', WRONG, False),
    (bool, '"1"', WRONG, True),
    (bool, '"TrUe"', WRONG, True),
    (bool, '"FALSE"', WRONG, False),
    (bool, '"no"', WRONG, WRONG),
    (bool, '"yes"', WRONG, WRONG),
    (bool, '" true"', WRONG, WRONG),
    (bool, '"tru\\u0065"', WRONG, True),
    (bool, '"\u0442rue"', WRONG, WRONG),
    (bool, "null", WRONG, WRONG),
    (int, "0", 0, 0),
    (int, "-7", -7, -7),
    (int, "9223372036854775808", 2**63, 2**63),
    (int, "1.0", WRONG, 1),
    (int, "1e2", WRONG, 100),
    (int, "-0.0", WRONG, 0),
    (int, "12345678901234567890.0", WRONG, 12345678901234567890),
    (int, "1.2345e4", WRONG, 12345),
    (int, "120e-1", WRONG, 12),
    (int, "0e999999999999999999999", WRONG, 0),
    (int, "1.7", WRONG, WRONG),
    (int, "1e-1", WRONG, WRONG),
    (int, "1e5000", WRONG, WRONG),
    (int, "NaN", WRONG, WRONG),
    (int, "Infinity", WRONG, WRONG),
    (int, '"5"', WRONG, 5),
    (int, '"-5"', WRONG, -5),
    (int, '"+5"', WRONG, WRONG),
    (int, '"05"', WRONG, WRONG),
    (int, '" 5"', WRONG, WRONG),
    (int, '"5_0"', WRONG, WRONG),
    (int, '"1.0"', WRONG, WRONG),
    (int, '""', WRONG, WRONG),
    (int, '"-"', WRONG, WRONG),
    (int, '"\u0665"', WRONG, WRONG),
    (int, '"\\u0035"', WRONG, 5),
    (int, '"5\\u0000"', WRONG, WRONG),
    (int, "true", WRONG, WRONG),
    (int, f'"{"9" * 100}"', WRONG, int("9" * 100)),
    (float, "1", 1.0, 1.0),
    (float, "-0", -0.0, -0.0),
    (float, "0.1", 0.1, 0.1),
    (float, "1e400", math.inf, math.inf),
    (float, "-Infinity", -math.inf, -math.inf),
    (float, "18446744073709551615", 18446744073709551615.0, 18446744073709551615.0),
    (float, '"1.5"', WRONG, 1.5),
    (float, '"-inf"', WRONG, -math.inf),
    (float, '"InfiniTY"', WRONG, math.inf),
    (float, '"1e5"', WRONG, 1e5),
    (float, '"+1.5"', WRONG, WRONG),
    (float, '".5"', WRONG, WRONG),
    (float, '"5."', WRONG, WRONG),
    (float, '"1 "', WRONG, WRONG),
    (float, '"infinit"', WRONG, WRONG),
    (float, "true", WRONG, WRONG),
    (Decimal, "1.50", Decimal("1.50"), Decimal("1.50")),
    (Decimal, "-0.0e5", Decimal("-0.0e5"), Decimal("-0.0e5")),
    (Decimal, "3", Decimal(3), Decimal(3)),
    (Decimal, "-0", Decimal("-0"), Decimal("-0")),
    (Decimal, "0." + "123456789" * 20, Decimal("0." + "123456789" * 20), Decimal("0." + "123456789" * 20)),
    (Decimal, "1E+400", Decimal("1E+400"), Decimal("1E+400")),
    (Decimal, '"1.50"', Decimal("1.50"), Decimal("1.50")),
    (Decimal, '"Infinity"', Decimal("Infinity"), Decimal("Infinity")),
    (Decimal, '"-Infinity"', Decimal("-Infinity"), Decimal("-Infinity")),
    (Decimal, '"infinity"', WRONG, WRONG),
    (Decimal, '"sNaN"', WRONG, WRONG),
    (Decimal, '"1_0"', WRONG, WRONG),
    (Decimal, '"+1"', WRONG, WRONG),
    (Decimal, '" 1"', WRONG, WRONG),
    (Decimal, '""', WRONG, WRONG),
    (Decimal, "NaN", WRONG, WRONG),
    (Decimal, "true", WRONG, WRONG),
    (str, '"a\\u00e9\\n"', "a\xe9\n", "a\xe9\n"),
    (str, '""', "", ""),
    (str, "1", WRONG, WRONG),
    (str, "null", WRONG, WRONG),
    (bytes, '""', b"", b""),
    (bytes, '"AAEC"', b"\x00\x01\x02", b"\x00\x01\x02"),
    (bytes, '"QQ=="', b"A", b"A"),
    (bytes, '"QUI="', b"AB", b"AB"),
    (bytes, '"+/+/"', b"\xfb\xff\xbf", b"\xfb\xff\xbf"),
    (bytes, '"-_-_"', WRONG, WRONG),
    (bytes, '"QQ"', WRONG, WRONG),
    (bytes, '"QQ=A"', WRONG, WRONG),
    (bytes, '"====" ', WRONG, WRONG),
    (bytes, '"QQ==QQ=="', WRONG, WRONG),
    (bytes, '"QQ==\\n"', WRONG, WRONG),
    (bytes, '"QQ\\u003d="', b"A", b"A"),
    (bytes, '"\xc4AEC"', WRONG, WRONG),
    (bytes, f'"{"AAEC" * 100}"', b"\x00\x01\x02" * 100, b"\x00\x01\x02" * 100),
    (bytes, "[1]", WRONG, WRONG),
    (bytearray, '"AAEC"', bytearray(b"\x00\x01\x02"), bytearray(b"\x00\x01\x02")),
    (bytearray, '"AAE"', WRONG, WRONG),
    (pathlib.PurePosixPath, '"/a/\xe9"', pathlib.PurePosixPath("/a/\xe9"), pathlib.PurePosixPath("/a/\xe9")),
    (pathlib.Path, '"a"', pathlib.Path("a"), pathlib.Path("a")),
    (pathlib.Path, "1", WRONG, WRONG),
    (ipaddress.IPv4Address, '"127.0.0.1"', ipaddress.IPv4Address("127.0.0.1"), ipaddress.IPv4Address("127.0.0.1")),
    (ipaddress.IPv4Address, '"::1"', WRONG, WRONG),
    (ipaddress.IPv4Address, "1", WRONG, WRONG),
    (ipaddress.IPv6Network, '"::/64"', ipaddress.IPv6Network("::/64"), ipaddress.IPv6Network("::/64")),
    (datetime.datetime, '"2024-02-29T23:59:59"', at(2024, 2, 29, 23, 59, 59), at(2024, 2, 29, 23, 59, 59)),
    (datetime.datetime, '"2024-02-29t23:59:59z"', at(2024, 2, 29, 23, 59, 59, tz=UTC), at(2024, 2, 29, 23, 59, 59, tz=UTC)),
    (datetime.datetime, '"2024-02-29 00:00:00.1Z"', at(2024, 2, 29, micro=100000, tz=UTC), at(2024, 2, 29, micro=100000, tz=UTC)),
    (
        datetime.datetime,
        '"2024-02-29T00:00:00.1234569+01:30"',
        at(2024, 2, 29, micro=123456, tz=offset(90)),
        at(2024, 2, 29, micro=123456, tz=offset(90)),
    ),
    (datetime.datetime, '"2024-02-29T00:00:00-2359"', at(2024, 2, 29, tz=offset(-1439)), at(2024, 2, 29, tz=offset(-1439))),
    (datetime.datetime, '"0001-01-01T00:00:00+23:59"', at(1, 1, 1, tz=offset(1439)), at(1, 1, 1, tz=offset(1439))),
    (
        datetime.datetime,
        '"9999-12-31T23:59:59.999999Z"',
        at(9999, 12, 31, 23, 59, 59, micro=999999, tz=UTC),
        at(9999, 12, 31, 23, 59, 59, micro=999999, tz=UTC),
    ),
    (datetime.datetime, '"2024-02-30T00:00:00"', WRONG, WRONG),
    (datetime.datetime, '"1900-02-29T00:00:00"', WRONG, WRONG),
    (datetime.datetime, '"2024-00-01T00:00:00"', WRONG, WRONG),
    (datetime.datetime, '"0000-01-01T00:00:00"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T24:00:00"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T23:59:60Z"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T23:60:00Z"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T00:00:00+24:00"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T00:00:00+01:60"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T00:00:00+01"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T00:00:00."', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T00:00:00,5"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T00:00"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01"', WRONG, WRONG),
    (datetime.datetime, '"20240101T000000"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T00:00:00\\u0000"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T00:00:00Z\\u0000x"', WRONG, WRONG),
    (datetime.datetime, '" 2024-01-01T00:00:00"', WRONG, WRONG),
    (datetime.datetime, '"2024-01-01T00:00:00\\u005a"', at(2024, 1, 1, tz=UTC), at(2024, 1, 1, tz=UTC)),
    (datetime.datetime, '"\u0662024-01-01T00:00:00"', WRONG, WRONG),
    (datetime.datetime, f'"2024-01-01T00:00:00.{"0" * 120}Z"', at(2024, 1, 1, tz=UTC), at(2024, 1, 1, tz=UTC)),
    (datetime.datetime, "0", WRONG, at(1970, 1, 1, tz=UTC)),
    (datetime.datetime, "-1.5", WRONG, at(1969, 12, 31, 23, 59, 58, micro=500000, tz=UTC)),
    (datetime.datetime, "1700000000.25", WRONG, at(2023, 11, 14, 22, 13, 20, micro=250000, tz=UTC)),
    (datetime.datetime, "253402300799", WRONG, at(9999, 12, 31, 23, 59, 59, tz=UTC)),
    (datetime.datetime, "253402300800", WRONG, WRONG),
    (datetime.datetime, "-62135596800", WRONG, at(1, 1, 1, tz=UTC)),
    (datetime.datetime, "-62135596801", WRONG, WRONG),
    (datetime.datetime, "18446744073709551615", WRONG, WRONG),
    (datetime.datetime, "NaN", WRONG, WRONG),
    (datetime.datetime, '"1704067200"', WRONG, WRONG),
    (datetime.date, '"2024-02-29"', datetime.date(2024, 2, 29), datetime.date(2024, 2, 29)),
    (datetime.date, '"2023-02-29"', WRONG, WRONG),
    (datetime.date, '"2024-2-29"', WRONG, WRONG),
    (datetime.date, '"2024-02-29T00:00:00"', WRONG, WRONG),
    (datetime.date, '"2024-W01-1"', WRONG, WRONG),
    (datetime.date, '"2024-02-29\\u0000"', WRONG, WRONG),
    (datetime.date, "0", WRONG, WRONG),
    (datetime.time, '"23:59:59.999999999Z"', datetime.time(23, 59, 59, 999999, UTC), datetime.time(23, 59, 59, 999999, UTC)),
    (datetime.time, '"00:00:00"', datetime.time(), datetime.time()),
    (datetime.time, '"01:02:03-05:30"', datetime.time(1, 2, 3, tzinfo=offset(-330)), datetime.time(1, 2, 3, tzinfo=offset(-330))),
    (datetime.time, '"24:00:00"', WRONG, WRONG),
    (datetime.time, '"12:30"', WRONG, WRONG),
    (datetime.time, '"12:30:00\\u0000"', WRONG, WRONG),
    (datetime.time, '"T12:30:00"', WRONG, WRONG),
    (datetime.timedelta, '"P1DT2H3M4.5S"', delta(1, 4, 500000, 0, 3, 2), delta(1, 4, 500000, 0, 3, 2)),
    (datetime.timedelta, '"-PT1.5S"', delta(seconds=-1.5), delta(seconds=-1.5)),
    (datetime.timedelta, '"+P1D"', delta(1), delta(1)),
    (datetime.timedelta, '"P2W"', delta(14), delta(14)),
    (datetime.timedelta, '"P1.5D"', delta(1.5), delta(1.5)),
    (datetime.timedelta, '"PT0.0000019S"', delta(microseconds=1), delta(microseconds=1)),
    (datetime.timedelta, '"PT1.5H"', delta(hours=1.5), delta(hours=1.5)),
    (datetime.timedelta, '"PT100000S"', delta(seconds=100000), delta(seconds=100000)),
    (datetime.timedelta, '"P999999999DT23H59M59.999999S"', delta.max, delta.max),
    (datetime.timedelta, '"-P999999999D"', delta.min, delta.min),
    (datetime.timedelta, '"-P999999999DT1S"', WRONG, WRONG),
    (datetime.timedelta, '"P1000000000D"', WRONG, WRONG),
    (datetime.timedelta, f'"P{"9" * 30}D"', WRONG, WRONG),
    (datetime.timedelta, '"P1Y"', WRONG, WRONG),
    (datetime.timedelta, '"P1M"', WRONG, WRONG),
    (datetime.timedelta, '"1D"', WRONG, WRONG),
    (datetime.timedelta, '"P"', WRONG, WRONG),
    (datetime.timedelta, '"PT"', WRONG, WRONG),
    (datetime.timedelta, '"P1DT"', WRONG, WRONG),
    (datetime.timedelta, '"P1W1D"', WRONG, WRONG),
    (datetime.timedelta, '"P1D2H"', WRONG, WRONG),
    (datetime.timedelta, '"PT1.5H1M"', WRONG, WRONG),
    (datetime.timedelta, '"PT1S1M"', WRONG, WRONG),
    (datetime.timedelta, '"p1d"', WRONG, WRONG),
    (datetime.timedelta, '"PT1,5S"', WRONG, WRONG),
    (datetime.timedelta, '"PT-1S"', WRONG, WRONG),
    (datetime.timedelta, "1.5", WRONG, delta(seconds=1.5)),
    (datetime.timedelta, "-1", WRONG, delta(seconds=-1)),
    (datetime.timedelta, "1e20", WRONG, WRONG),
    (uuid.UUID, f'"{UUID}"', UUID, UUID),
    (uuid.UUID, f'"{str(UUID).upper()}"', UUID, UUID),
    (uuid.UUID, f'"{UUID.hex}"', UUID, UUID),
    (uuid.UUID, f'"{{{UUID}}}"', WRONG, WRONG),
    (uuid.UUID, f'"urn:uuid:{UUID}"', WRONG, WRONG),
    (uuid.UUID, '"12345678-9abc-def0-1234-56789ABCDEFG"', WRONG, WRONG),
    (uuid.UUID, '"123456789-abc-def0-1234-56789ABCDEF0"', WRONG, WRONG),
    (uuid.UUID, '"12345678-9abc-def0-1234-56789ABCDE\xe9"', WRONG, WRONG),
    (uuid.UUID, "1", WRONG, WRONG),
    (Color, '"red"', Color.RED, Color.RED),
    (Color, '"gr\xfcn"', Color.GREEN, Color.GREEN),
    (Color, '"gr\\u00fcn"', Color.GREEN, Color.GREEN),
    (Color, '"\u4e2d"', Color.CHINA, Color.CHINA),
    (Color, f'"{"x" * 300}"', Color.LONG, Color.LONG),
    (Color, f'"{"x" * 299}"', WRONG, WRONG),
    (Color, "1", Color.ONE, Color.ONE),
    (Color, "0.5", Color.HALF, Color.HALF),
    (Color, "5e-1", Color.HALF, Color.HALF),
    (Color, "null", Color.NOTHING, Color.NOTHING),
    (Color, "1.0", WRONG, WRONG),
    (Color, '"RED"', WRONG, WRONG),
    (Color, '"1"', WRONG, Color.ONE),
    (Level, "1", Level.LOW, Level.LOW),
    (Level, str(2**70), Level.HUGE, Level.HUGE),
    (Level, "true", WRONG, WRONG),
    (Level, '"1"', WRONG, Level.LOW),
    (Name, '"a"', Name.A, Name.A),
    (Asks, '"again"', Asks.A, Asks.A),
    (Asks, "7", Asks.A, Asks.A),
    (Asks, "8", WRONG, WRONG),
    (Bits, "3", Bits.READ | Bits.WRITE, Bits.READ | Bits.WRITE),
    (Bits, '"3"', WRONG, Bits.READ | Bits.WRITE),
    (Bits, "true", WRONG, WRONG),
    (Literal["a", "\xe9", 1, None], '"\xe9"', "\xe9", "\xe9"),
    (Literal["a", "\xe9", 1, None], "null", None, None),
    (Literal["a", "\xe9", 1, None], "1", 1, 1),
    (Literal["a", "\xe9", 1, None], "true", WRONG, WRONG),
    (Literal["a", "\xe9", 1, None], "1.0", WRONG, WRONG),
    (Literal["a", "\xe9", 1, None], '"1"', WRONG, 1),
    (Literal[True], "true", True, True),
    (Literal[True], "1", WRONG, WRONG),
    (Literal[1], "true", WRONG, WRONG),
    (Literal[0], "-0", 0, 0),
    (Literal[2**63, -(2**64)], str(2**63), 2**63, 2**63),
    (Literal[2**63, -(2**64)], str(-(2**64)), -(2**64), -(2**64)),
    (Literal[2**63], str(2**63 + 1), WRONG, WRONG),
    (Literal[2**63], str(2**64 + 2**63), WRONG, WRONG),
    (TypeVar("T", bound=int), "1", 1, 1),
    (TypeVar("T", bound=int), '"x"', WRONG, WRONG),
    (TypeVar("T"), '["x"]', ["x"], ["x"]),
    (object, '{"a":[1.5]}', {"a": [1.5]}, {"a": [1.5]}),
]


def names(rows):
    return [f"{getattr(row[0], '__name__', row[0])} {row[1][:40]!a}" for row in rows]


def facts(value):
    return type(value), repr(value), getattr(value, "tzinfo", None)


def documents_of(text):
    """The value in an array beside a text of each width, as str and in each encoding that loads takes."""
    for beside in ("", "a", "\xe9", "\u4e2d", "\U0001f600"):
        written = f'["{beside}", {text}]'
        yield written
        yield f'["{beside * 50}",\n{text} ]'
        for encoding in ("utf-8", "utf-16", "utf-32-be"):
            yield written.encode(encoding)
        yield bytearray(written.encode())
        yield memoryview(written.encode())


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lax"])
@pytest.mark.parametrize("row", TABLE, ids=names(TABLE))
def test_table(row, strict):
    found, text, of_strict, of_lax = row
    expected = of_strict if strict else of_lax
    decoders = [Decoder(tuple[Any, found], strict=strict)]
    if not strict:
        decoders.append(Decoder(tuple[Any, Annotated[found, Lax()]]))
    for decoder in decoders:
        for document in documents_of(text):
            if expected is WRONG:
                with pytest.raises(ValidationError) as caught:
                    decoder.decode(document)
                assert [problem.path for problem in caught.value.errors] == [(1,)]
            else:
                assert facts(decoder.decode(document)[1]) == facts(expected)
    if expected is not WRONG and found is not None:  # type=None is no type
        assert facts(ocior.loads(text, type=found, strict=strict)) == facts(expected)


@pytest.mark.parametrize(
    "row", [row for row in TABLE if row[1].startswith('"') and row[2] is not WRONG], ids=lambda row: f"{row[1][:40]!a}"
)
def test_keys_are_read_as_values_are(row):
    found, text, expected, _ = row
    if found in (bytearray, object) or isinstance(found, TypeVar):
        pytest.skip("no key, or any")
    for document in (f'{{{text}: 1, "x": 2}}', f'{{{text}: 1, "x": 2}}'.encode()):
        document = document.replace(b', "x": 2', b"") if isinstance(document, bytes) else document.replace(', "x": 2', "")
        assert list(map(facts, Decoder(dict[found, int]).decode(document))) == [facts(expected)]


def test_nan():
    for found, document in ((float, "NaN"), (Annotated[float, Lax()], '"nan"'), (Annotated[float, Lax()], '"-NaN"')):
        assert math.isnan(Decoder(found).decode(document))
    assert Decoder(Decimal).decode('"NaN"').is_nan()


@pytest.mark.parametrize(
    "policy, expected", [("constant", [math.inf, -math.inf, math.inf, math.inf]), ("null", [None, None, None, None]), ("error", None)]
)
def test_the_policy_for_numbers_that_are_not_finite(policy, expected):
    documents = ["1e400", "-1e999", "9" * 400, "1" + "0" * 310 + ".5"]
    for text, value in zip(documents, expected or documents):
        for found, document in ((float, text), (Optional[float], text), (Annotated[float, Lax()], f'"{text}"')):
            decoder = Decoder(found, non_finite=policy)
            if expected is None:
                with pytest.raises(ValidationError) as caught:
                    decoder.decode(document)
                assert caught.value.errors[0].code == "range"
            else:
                assert decoder.decode(document) == value


def test_words_that_are_no_json_where_they_are_refused():
    for word in ("NaN", "Infinity", "-Infinity"):
        for found in (float, Any, int, str, list[float]):
            with pytest.raises(ocior.JSONDecodeError):
                Decoder(found, non_finite="error").decode(word)
    with pytest.raises(ValidationError):
        Decoder(Annotated[float, Lax()], non_finite="error").decode('"nan"')
    assert Decoder(Annotated[float, Lax(), Limits(gt=0)], non_finite="null").decode('"nan"') is None
    assert Decoder(Annotated[float, Limits(gt=0)], non_finite="null").decode("NaN") is None


LIMITS = [
    (Annotated[float, Limits(multiple_of=0.1)], ["0.3", "0.30", "3e-1", "1e20", "0", "-0.7"], ["0.35", "1e-20", "NaN", "Infinity"]),
    (Annotated[int, Limits(multiple_of=7)], ["0", "-14", str(7 * 10**40)], ["1", str(7 * 10**40 + 1)]),
    (Annotated[int, Limits(ge=2**63)], [str(2**63), str(2**70)], ["0", str(2**63 - 1), "-1"]),
    (Annotated[Decimal, Limits(gt=Decimal("0.1"))], ["0.11", '"1"'], ["0.1", '"NaN"', '"0.1"']),
    (Annotated[Optional[int], Limits(gt=5)], ["6", "null"], ["5"]),
    (Annotated[Union[int, str, None], Limits(gt=5)], ["6", "null", '"a"'], ["5"]),
    (Annotated[Union[int, str], Limits(max_length=2)], ["600", '"ab"', '"\U0001f600\U0001f600"'], ['"abc"']),
    (Annotated[Union[int, list[int]], Limits(max_length=1)], ["600", "[1]"], ["[1,2]"]),
    (Union[Annotated[int, Limits(lt=0)], Annotated[int, Limits(gt=10)]], ["-1", "11"], ["0", "10"]),
    (Annotated[str, Limits(pattern="b")], ['"abc"'], ['"ac"']),
    (
        Annotated[datetime.datetime, Limits(gt=at(2000, 1, 1, tz=UTC))],
        ['"2000-01-01T00:00:01Z"'],
        ['"2000-01-01T00:00:00Z"', '"2024-01-01T00:00:00"'],
    ),
    (Annotated[datetime.datetime, Limits(gt=at(2000, 1, 1))], ['"2000-01-01T00:00:01"'], ['"2024-01-01T00:00:00Z"']),
    (Annotated[datetime.datetime, Limits(gt=at(2000, 1, 1, tz=UTC)), Lax()], ["1700000000"], ["0"]),
    (Annotated[datetime.datetime, Limits(tz=False), Lax()], ['"2000-01-01T00:00:01"'], ["0", "0.5"]),
    (Annotated[datetime.date, Limits(le=datetime.date(2000, 1, 1))], ['"2000-01-01"'], ['"2000-01-02"']),
    (Annotated[datetime.timedelta, Limits(ge=delta(0)), Lax()], ['"PT0S"', "0.5"], ['"-PT1S"', "-1"]),
    (Annotated[bytes, Limits(min_length=1, max_length=2)], ['"QQ=="', '"QUI="'], ['""', '"AAEC"']),
    (Annotated[set[int], Limits(min_length=2)], ["[1,2]"], ["[1]"]),
    (Annotated[int, Limits(multiple_of=2), Lax()], ['"4"', "4.0"], ['"5"', "5.0"]),
    (Annotated[float, Limits(multiple_of=0.5, le=2), Lax()], ['"1.5"'], ['"1.25"', '"2.5"', '"nan"']),
]


@pytest.mark.parametrize("found, good, bad", LIMITS, ids=[str(row[0])[:60] for row in LIMITS])
def test_limits(found, good, bad):
    decoder = Decoder(tuple[Any, found])
    for text in good:
        for document in documents_of(text):
            decoder.decode(document)
    for text in bad:
        for document in documents_of(text):
            with pytest.raises(ValidationError) as caught:
                decoder.decode(document)
            assert [problem.path for problem in caught.value.errors] == [(1,)]


UNIONS = [
    (Union[int, float], [("1", 1), ("1.0", 1.0), ("-0", 0)]),
    (Union[float, int], [("1", 1), ("1.0", 1.0)]),
    (Union[float, Decimal], [("1", 1.0), ("1.5", 1.5), ('"1.5"', Decimal("1.5"))]),
    (Union[int, Decimal], [("1", 1), ("1.50", Decimal("1.50")), ('"1.5"', Decimal("1.5"))]),
    (Union[str, Decimal], [("1.50", Decimal("1.50")), ('"1.5"', "1.5")]),
    (
        Union[str, uuid.UUID, datetime.date],
        [(f'"{UUID}"', UUID), ('"2024-02-29"', datetime.date(2024, 2, 29)), ('"2023-02-29"', "2023-02-29")],
    ),
    (Union[datetime.date, datetime.datetime], [('"2024-02-29"', datetime.date(2024, 2, 29)), ('"2024-02-29T00:00:00"', at(2024, 2, 29))]),
    (Union[Literal["2024-02-29"], datetime.date], [('"2024-02-29"', "2024-02-29"), ('"2024-02-28"', datetime.date(2024, 2, 28))]),
    (Union[Color, str], [('"red"', Color.RED), ('"blue"', "blue"), ("1", Color.ONE)]),
    (Union[Literal[1], float], [("1", 1), ("2", 2.0), ("1.0", 1.0)]),
    (Union[bool, int, None], [("true", True), ("1", 1), ("null", None)]),
    (
        Union[str, ipaddress.IPv4Address, None] if False else Union[ipaddress.IPv4Address, ipaddress.IPv6Address],
        [('"::1"', ipaddress.IPv6Address("::1"))],
    ),
    (Union[list[int], str, int], [("[1]", [1]), ('"x"', "x"), ("1", 1)]),
    (Union[Asks, uuid.UUID], [('"a"', Asks.A), ('"again"', Asks.A), (f'"{UUID}"', UUID)]),
]


@pytest.mark.parametrize("found, rows", UNIONS, ids=[str(row[0])[:60] for row in UNIONS])
def test_unions_of_scalars(found, rows):
    decoder = Decoder(tuple[Any, found])
    for text, expected in rows:
        for document in documents_of(text):
            assert facts(decoder.decode(document)[1]) == facts(expected)


def test_raw_is_the_text_as_it_stands():
    texts = ["1", "-0.0e5", '"a\\u00e9"', "true", "null", "NaN", '[ 1 , {"a" : 2} ]', '{"a":\n[]}', '"\xe9"', '"\u4e2d"', '"\U0001f600"']
    decoder = Decoder(list[ocior.Raw])
    for text in texts:
        document = f'[{text} , "x"]'
        for source in (document, document.encode(), document.encode("utf-16")):
            made = decoder.decode(source)
            assert [ocior.dumps(one, ensure_ascii=False) for one in made] == [ocior.dumps(ocior.Raw(text), ensure_ascii=False), '"x"']
    for text in ("[1,]", '{"a" 1}', '"\\x"', "01", '"\n"'):
        with pytest.raises(ocior.JSONDecodeError):
            decoder.decode(f"[{text}]")


DATETIMES = [
    f"{day}{sep}{clock}{zone}"
    for day in ("2024-02-29", "1969-12-31")
    for sep in "Tt "
    for clock in ("00:00:00", "23:59:59.5", "12:34:56.789012")
    for zone in ("", "Z", "z", "+01:00", "-0330", "+0000", "-00:00")
]


@pytest.mark.parametrize("text", DATETIMES)
def test_datetimes_agree_with_fromisoformat(text):
    """Where the version of Python reads that form at all."""
    made = Decoder(datetime.datetime).decode(json.dumps(text))
    try:
        expected = datetime.datetime.fromisoformat(text.upper().replace("T", " "))
    except ValueError:
        whole, _, fraction = text[:26].partition(".")
        assert made.strftime("%Y-%m-%d %H:%M:%S") == text[:19].upper().replace("T", " ")
        return
    assert made == expected and made.utcoffset() == expected.utcoffset()


@pytest.mark.parametrize("length", [*range(0, 40), 63, 64, 65, 95, 96, 97, 127, 128, 129, 255, 256, 257, 1000])
@pytest.mark.parametrize("sample", ["a", "\xe9", "\u4e2d", "\U0001f600"])
def test_strings_of_every_length(length, sample):
    """As plain strings, as choices, as what is called, as bytes of base64."""
    text = sample * length
    written = json.dumps(text, ensure_ascii=False)
    for document in (written, written.encode(), f" {written} ", json.dumps(text)):
        assert Decoder(str).decode(document) == text
        assert Decoder(Annotated[str, Limits(max_length=length)]).decode(document) == text
        assert Decoder(Literal[text, "other"]).decode(document) == text
        assert str(Decoder(pathlib.PurePosixPath).decode(document)) == (text or ".")
        assert Decoder(dict[str, int]).decode(b"{%s:1}" % document if isinstance(document, bytes) else "{%s:1}" % document) == {text: 1}
        if text != "a" * 32:
            with pytest.raises(ValidationError):
                Decoder(uuid.UUID).decode(document)


def test_a_str_subclass_and_numpy_like_strings():
    class Text(str):
        __slots__ = ()

        def __str__(self):
            raise AssertionError

        def __len__(self):
            return 1

    assert Decoder(list[int]).decode(Text("[1, 2, 3]")) == [1, 2, 3]
    assert Decoder(list[str]).decode(Text('["\u4e2d"]')) == ["\u4e2d"]


@pytest.mark.parametrize("wrong", [5, None, [1], object()])
def test_what_is_no_document(wrong):
    with pytest.raises(TypeError):
        Decoder(int).decode(wrong)
    with pytest.raises(TypeError):
        ocior.loads(wrong, type=int)


def test_the_policies_of_loads():
    assert Decoder(list[int], big_integers="str").decode("[1]") == [1]
    assert Decoder(Any, big_integers="str").decode(str(2**70)) == str(2**70)
    assert Decoder(Any, surrogates="replace").decode('"\\ud800"') == "\ufffd"
    assert Decoder(str, surrogates="replace").decode('"\\ud800"') == "\ufffd"
    for found in (str, Any, dict[str, int], Annotated[str, Limits(min_length=0)]):
        document = '{"\\ud800":1}' if found == dict[str, int] else '"\\ud800"'
        with pytest.raises(ocior.JSONDecodeError):
            Decoder(found, surrogates="error").decode(document)
    with pytest.raises(ValidationError) as caught:
        Decoder(Union[int, str], big_integers="error").decode(str(2**70))
    assert caught.value.errors[0].code == "range"
    with pytest.raises(ValueError):
        Decoder(int, surrogates="odd")
