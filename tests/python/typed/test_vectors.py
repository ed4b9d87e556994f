"""Strings that other projects hold to be right or wrong: the formats of JSON Schema, and the scalars of pydantic.

A table has the rows on which ocior agrees; the table DIFFERS beside it has those on which it does not, by its own documented rules, with
the reason. The value that is expected stands as the text that `str` makes of it.
"""

import datetime
import json
import sys
import uuid
from decimal import Decimal
from typing import Annotated

import pytest
from ocior import Decoder, JSONDecodeError, Limits, ValidationError

WRONG = None  # stands for a text that is refused
Datetime, Date, Time, Delta, UUID = datetime.datetime, datetime.date, datetime.time, datetime.timedelta, uuid.UUID

# The strings come from https://github.com/json-schema-org/JSON-Schema-Test-Suite, Copyright (c) 2012 Julian Berman, MIT licence:
# tests/draft2020-12/optional/format/{date-time,date,time,duration,uuid}.json, and what draft7 and v1 have beyond that.
RIGHT_FORMATS = {
    Datetime: (
        ("1963-06-19T08:30:06.283185Z", "1963-06-19 08:30:06.283185+00:00"),
        ("1963-06-19T08:30:06Z", "1963-06-19 08:30:06+00:00"),
        ("1937-01-01T12:00:27.87+00:20", "1937-01-01 12:00:27.870000+00:20"),
        ("1990-12-31T15:59:50.123-08:00", "1990-12-31 15:59:50.123000-08:00"),
        ("1963-06-19t08:30:06.283185z", "1963-06-19 08:30:06.283185+00:00"),
        ("1985-04-12T00:59:59.999999999999999Z", "1985-04-12 00:59:59.999999+00:00"),
        ("2021-02-28T00:00:00Z", "2021-02-28 00:00:00+00:00"),
        ("2020-02-29T00:00:00Z", "2020-02-29 00:00:00+00:00"),
        ("0400-02-29T00:00:00Z", "0400-02-29 00:00:00+00:00"),
    ),
    Date: tuple(
        (text, text)
        for text in (
            *("1963-06-19", "2020-01-31", "2021-02-28", "2020-03-31", "2020-04-30", "2020-05-31", "2020-06-30", "2020-07-31"),
            *("2020-08-31", "2020-09-30", "2020-10-31", "2020-11-30", "2020-12-31", "2020-02-29", "0400-02-29", "0001-01-01"),
        )
    ),
    Time: (
        ("08:30:06Z", "08:30:06+00:00"),
        ("23:20:50.52Z", "23:20:50.520000+00:00"),
        ("08:30:06.283185Z", "08:30:06.283185+00:00"),
        ("08:30:06+00:20", "08:30:06+00:20"),
        ("08:30:06-08:00", "08:30:06-08:00"),
        ("12:34:56-00:00", "12:34:56+00:00"),
        ("08:30:06z", "08:30:06+00:00"),
    ),
    Delta: (
        ("P4DT12H30M5S", "4 days, 12:30:05"),
        ("PT0S", "0:00:00"),
        ("P0D", "0:00:00"),
        ("PT1M", "0:01:00"),
        ("PT36H", "1 day, 12:00:00"),
        ("P1DT12H", "1 day, 12:00:00"),
        ("P2W", "14 days, 0:00:00"),
        ("PT1H2M3S", "1:02:03"),
        ("PT1H30M", "1:30:00"),
        ("PT1H2M", "1:02:00"),
        ("PT1M2S", "0:01:02"),
        ("P01D", "1 day, 0:00:00"),
    ),
    UUID: (
        ("2EB8AA08-AA98-11EA-B4AA-73B441D16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380"),
        ("2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380"),
        ("2eb8aa08-AA98-11ea-B4Aa-73B441D16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380"),
        ("00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"),
        ("98d80576-482e-427f-8434-7f86890ab222", "98d80576-482e-427f-8434-7f86890ab222"),
        ("99c17cbb-656f-564a-940f-1a4568f03487", "99c17cbb-656f-564a-940f-1a4568f03487"),
        ("99c17cbb-656f-664a-940f-1a4568f03487", "99c17cbb-656f-664a-940f-1a4568f03487"),
        ("99c17cbb-656f-f64a-940f-1a4568f03487", "99c17cbb-656f-f64a-940f-1a4568f03487"),
    ),
}

WRONG_FORMATS = {
    Datetime: (
        *("1998-12-31T23:59:61Z", "1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z", "1990-02-31T15:59:59.123-08:00"),
        *("1990-12-31T15:59:59-24:00", "1963-06-19T08:30:06.28123+01:00Z", "1990-12-31T24:00:00Z", "1990-12-31T15:60:00Z"),
        *("1990-12-31T10:00:00+10:60", "06/19/1963 08:30:06 PST", "2013-350T01:01:01", "1963-6-19T08:30:06.283185Z"),
        *("1963-06-1T08:30:06.283185Z", "1963-06-1\u09eaT00:00:00Z", "1963-06-11T0\u09ea:00:00Z", "+11963-06-19T08:30:06.283185Z"),
        *("1985-04-12T23:20:50+01", "2016-12-31T24:59:60+01:00", "1985-04-12T23:20:50Z\n", "1985-04-12T23:20Z"),
        *("1985-04-12T23:20:50Ztail", "1985-04-12T23:60:00+00:01", "2020-02-30T00:00:00Z", "2021-02-29T00:00:00Z"),
        *("0100-02-29T00:00:00Z", "2100-02-29T00:00:00Z"),
    ),
    Date: (
        *("2020-01-32", "2020-02-30", "2020-03-32", "2020-04-31", "2020-05-32", "2020-06-31", "2020-07-32", "2020-08-32"),
        *("2020-09-31", "2020-10-32", "2020-11-31", "2020-12-32", "06/19/1963", "2013-350", "1998-1-20", "1998-01-1"),
        *("1998-13-01", "2021-02-29", "1963-06-1\u09ea", "2020-0\u09ea-01", "20230328", "2023-W01", "2023-W13-2", "2022W527"),
        *("2020-11-28T23:55:45Z", "0100-02-29", "2100-02-29", " 2024-01-15", "2024-01-15 ", "2024-00-15", "2024-01-00", ""),
        *("2020 -01-01", "2020-01-01X", "2020-01-01Z", "2020-01-01 00:00:00Z", "20-01-01", "998-01-01", "12020-01-01"),
        *("+2020-01-01", "-2020-01-01", "\u09e8020-01-01", "YYYY-01-01", "2020-001-01", "2020-MM-01", "2020-01-001"),
        *("2020-01-DD", "2020:01:01", "2020.01.01", "2020 01 01", "2020-01/01", "2020--01-01", "2020-01--01"),
    ),
    Time: (
        *("008:030:006Z", "8:3:6Z", "8:0030:6Z", "22:59:60Z", "23:58:60Z", "22:59:60+00:00", "23:58:60+00:00", "23:59:60+01:00"),
        *("23:59:60+00:30", "23:59:60-01:00", "23:59:60-00:30", "08:30:06-8:000", "24:00:00Z", "00:60:00Z", "00:00:61Z"),
        *("01:02:03+24:00", "01:02:03+00:60", "01:02:03Z+00:30", "08:30:06 PST", "01:01:01,1111", "1\u09e8:00:00Z"),
        *("08:30:06#00:20", "ab:cd:ef", "2020-11-28T23:55:45Z", "08:30:06+01", "08:30:06Z\n", "24:59:00+01:00", "23:60:00+00:01"),
    ),
    Delta: (
        *("PT1D", "4DT12H30M5S", "P", "P1YT", "PT", "P2D1Y", "P1D2H", "P2S", "P1Y2W", "P\u09e8Y", "P1", " P1D", "P1D ", "", "P1Y2D"),
        *("P1D2T3H", "P1e2D", "P1D\n", "P1WT1H", "P0Y1W", "PT0,5S", "P-1D"),
    ),
    UUID: (
        *("2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-73b441d16380", "2eb8aa08-aa98-11ea-b4ga-73b441d16380"),
        *("2eb8aa08aa98-11ea-b4aa73b441d16380", "2eb8-aa08-aa98-11ea-b4aa73b44-1d16380", "2eb8aa08aa9811eab4aa73b441d16380----"),
        *("2eb8aa0-8aa98-11e-ab4aa7-3b441d16380", "urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380"),
        "2eb8aa08-aa98-11ea-b4aa-73b441d16380-",
    ),
}

LEAP = "Python has no second 60, so that a leap second is refused"
NAIVE = "a time without an offset is taken, and is naive"
YEARS = "a timedelta has no years and no months"
# type, text, whether the suite holds it to be valid, what ocior makes of it, why
FORMATS_DIFFERS = [
    (Datetime, "1998-12-31T23:59:60Z", True, WRONG, LEAP),
    (Datetime, "1998-12-31T15:59:60.123-08:00", True, WRONG, LEAP),
    (Time, "23:59:60Z", True, WRONG, LEAP),
    (Time, "23:59:60+00:00", True, WRONG, LEAP),
    (Time, "01:29:60+01:30", True, WRONG, LEAP),
    (Time, "23:29:60+23:30", True, WRONG, LEAP),
    (Time, "15:59:60-08:00", True, WRONG, LEAP),
    (Time, "00:29:60-23:30", True, WRONG, LEAP),
    (Time, "12:00:00", False, "12:00:00", NAIVE),
    (Time, "12:00:00.52", False, "12:00:00.520000", NAIVE),
    (Time, "08:30:06+0130", False, "08:30:06+01:30", "an offset may be without its colon"),
    (Delta, "P4Y", True, WRONG, YEARS),
    (Delta, "P1M", True, WRONG, YEARS),
    (Delta, "P1Y2M3DT4H5M6S", True, WRONG, YEARS),
    (Delta, "P1Y2M3D", True, WRONG, YEARS),
    (Delta, "P1M2D", True, WRONG, YEARS),
    (Delta, "P10Y10M10DT10H10M10S", True, WRONG, YEARS),
    (Delta, "P1Y2M", True, WRONG, YEARS),
    (Delta, f"P{'9' * 77}D", True, WRONG, "a timedelta has at most 999999999 days"),
    (Delta, "PT0.5S", False, "0:00:00.500000", "the last part may have a fraction"),
    (Delta, "PT1H2S", False, "1:00:02", "ISO 8601 allows a part to be left out, which the grammar of RFC 3339 does not"),
    (Delta, "-P1D", False, "-1 day, 0:00:00", "a sign may stand before the P, since a timedelta may be negative"),
    (UUID, "2eb8aa08aa9811eab4aa73b441d16380", False, "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "32 digits may be without dashes"),
]


def shown(decoder_type, document, **options):
    """What a decoder makes of a document: the text of the value, after a look at its type; WRONG, if it is refused with one problem."""
    kind = getattr(decoder_type, "__origin__", decoder_type)
    try:
        value = Decoder(decoder_type, **options).decode(document)
    except ValidationError as error:
        assert len(error.errors) == 1
        assert error.errors[0].path == ()
        return WRONG
    assert type(value) is kind
    if getattr(value, "tzinfo", None) is not None and str(value).endswith("+00:00"):
        assert value.tzinfo is datetime.timezone.utc
    return str(value)


def check_text(kind, text, expected):
    """The string is read alike as str and bytes, escaped, strictly and laxly, in an array beside a wide string, and as a key."""
    document = json.dumps(text, ensure_ascii=False)
    escaped = '"' + "".join(f"\\u{ord(letter):04x}" for letter in text) + '"'
    for form in (document, document.encode(), json.dumps(text), escaped):
        assert shown(kind, form) == expected
        assert shown(kind, form, strict=False) == expected
    pair = f'["\U0001f600", {document}]'
    key = f"{{{document}: 0}}"
    if expected is WRONG:
        with pytest.raises(ValidationError) as caught:
            Decoder(tuple[str, kind]).decode(pair)
        assert [(problem.path, problem.code) for problem in caught.value.errors] == [((1,), "value")]
        with pytest.raises(ValidationError) as caught:
            Decoder(dict[kind, int]).decode(key)
        assert [problem.code for problem in caught.value.errors] == ["key"]
    else:
        assert str(Decoder(tuple[str, kind]).decode(pair)[1]) == expected
        assert [str(one) for one in Decoder(dict[kind, int]).decode(key)] == [expected]


def named(rows):
    return [f"{getattr(row[0], '__name__', 'limited')} {row[1][:40]!a}" for row in rows]


RIGHT = [(kind, *row) for kind, rows in RIGHT_FORMATS.items() for row in rows]
REFUSED = [(kind, text) for kind, texts in WRONG_FORMATS.items() for text in texts]


@pytest.mark.parametrize(("kind", "text", "expected"), RIGHT, ids=named(RIGHT))
def test_a_string_of_the_format_is_read(kind, text, expected):
    check_text(kind, text, expected)


@pytest.mark.parametrize(("kind", "text"), REFUSED, ids=named(REFUSED))
def test_a_string_of_another_form_is_refused(kind, text):
    check_text(kind, text, WRONG)


@pytest.mark.parametrize(("kind", "text", "valid", "expected", "why"), FORMATS_DIFFERS, ids=named(FORMATS_DIFFERS))
def test_a_string_on_which_the_suite_differs(kind, text, valid, expected, why):
    assert valid is (expected is WRONG), why
    check_text(kind, text, expected)


# The suite holds values that are no strings to be valid, because a format says nothing about them; a declared type does.
@pytest.mark.parametrize("document", ["12", "13.7", "{}", "[]", "false", "null"])
@pytest.mark.parametrize("kind", list(RIGHT_FORMATS))
def test_a_value_that_is_no_string_is_refused(kind, document):
    with pytest.raises(ValidationError) as caught:
        Decoder(kind).decode(document)
    assert [(problem.path, problem.code) for problem in caught.value.errors] == [((), "type")]


# The documents below come from https://github.com/pydantic/pydantic, Copyright (c) 2017 to present Pydantic Services Inc. and individual
# contributors, and Copyright (c) 2022 Samuel Colvin, MIT licence: pydantic-core/tests/validators/test_{datetime,timedelta,uuid,decimal,
# int}.py. What is a string or a number of Python there is a JSON string or number here.
I64 = 2**63 - 1
BOTH, STRICT, LAX = (True, False), (True,), (False,)
UUIDS = (
    *("12345678-1234-1234-1234-567812345678", "550e8400-e29b-41d4-a716-446655440000", "f47ac10b-58cc-4372-a567-0e02b2c3d479"),
    *("123e4567-e89b-12d3-a456-426655440000", "de305d54-75b4-431b-adb2-eb6b9e546014", "00000000-0000-0000-0000-000000000000"),
    *("1b4e28ba-2fa1-11d2-883f-0016d3cca427", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "886313e1-3b8a-5372-9b90-0c9aee199e5d"),
    *("c0a8f9a8-aa5e-482b-a067-9cb3a51f5c11", "1efea93d-7bb8-6ea0-afdc-e76cbc0c8e05", "0194fdc2-5d6a-733c-97f9-2feeb9d2a609"),
    *("c0a8f9a8-aa5e-882b-a067-9cb3a51f5c11", "00000000-8000-4000-8000-000000000000", "00000000-0000-4000-0000-000000000000"),
    *("ebcdab58-6eb8-46fb-a190-d07a33e9eac8", "12345678-1234-5678-1234-567812345678", "a6cc5730-2261-11ee-9c43-2eb5a363657c"),
    *("04e4aeb3-8f20-30d0-8852-d295e1265eed", "0e7ac198-9acd-4c0c-b4b4-761974bf71d7", "00000000-7fff-4000-7fff-000000000000"),
    *("b34b6755-f49c-3bd2-6f06-131a708c2bf3", "08ed0736-fb95-5cc5-85ed-37e4f3df9b29"),
)
WRONG_UUIDS = (
    *('"not-a-valid-uuid"', '"12345678-1234-5678-1234-5678123456789"', '"12345678-1234-1234-1234-1234567890123"'),
    *('"550e8400-e29b-41d4-a716"', '"f47ac10b-58cc-4372-a567-0e02b2c3d47"', '"de305d54-75b4-431b-adb2-eb6b9e54601"'),
    *('"1b4e28ba-2fa1-11d2-883f-0016d3cca42"', '"6ba7b810-9dad-11d1-80b4-00c04fd430c"', '"886313e1-3b8a-5372-9b90-0c9aee199e5"'),
    *('"c0a8f9a8-aa5e-482b-a067-9cb3a51f5c1"', str(0xA1A2A3A4B1B2C1C2D1D2D3D4D5D6D7D8), "0", "10.0", "null", "true"),
    str(0x12345678123456781234567812345678),
)
WRONG_INTS = (
    *('"00_"', '"0:"', '"++4_2"', '"-+1"', '"+-1"', '"--0001"', '"-+0001"', '"-0-001"', '"-0+001"', '"  _042.0 "', '"42_"', '"42_.0"'),
    *('" "', '"1."', '"42."', '"123456789123456.00001"', "12.5", '"wrong"', "null", "[1, 2]", "1.00000000001", '"nan"', '"_1"'),
    *('"1__0"', '"1_0_"', '"1_0__0"', "NaN", "Infinity", "-Infinity"),
)
NUMBERS = ("0", "1", "42", str(10**10), str(I64), str(I64 + 1), str(2 * I64), str(1 - I64), str(-2 * I64), "9" * 30, "-1" + "1" * 399)
EXPONENTS = (
    *("1.0e-12", "1e-12", "12e-1", "1.0E-12", "1E-12", "12E-1", "1.0e+12", "1e+12", "12e+1"),
    *("1.0E+12", "1E+12", "12E+1", "1.0e12", "1e12", "12e1", "1.0E12", "1E12", "12E1"),
)
LONG_DECIMAL = "123456789123456789123456789.123456789123456789123456789"

# type, document, the ways that agree with pydantic, the value
PYDANTIC = [
    (Datetime, '"2022-06-08T12:13:14"', BOTH, "2022-06-08 12:13:14"),
    (Datetime, '"2022-06-08T12:13:14Z"', BOTH, "2022-06-08 12:13:14+00:00"),
    (Datetime, '"2022-06-08T12:13:14+12:15"', BOTH, "2022-06-08 12:13:14+12:15"),
    (Datetime, '"2022-06-08T12:13:14+23:59"', BOTH, "2022-06-08 12:13:14+23:59"),
    (Datetime, '"2022-06-08T12:13:14-12:15"', BOTH, "2022-06-08 12:13:14-12:15"),
    (Datetime, '"2022-01-01T16:00:00+01:00"', BOTH, "2022-01-01 16:00:00+01:00"),
    (Datetime, '"2023-02-15T16:23:44.037Z"', BOTH, "2023-02-15 16:23:44.037000+00:00"),
    (Datetime, '"2068-06-08T12:13:14"', BOTH, "2068-06-08 12:13:14"),
    (Datetime, '"0001-01-01T00:00:00.000000Z"', BOTH, "0001-01-01 00:00:00+00:00"),
    *((Datetime, f'"2022-06-{day:02}T12:13:14-12:15"', BOTH, f"2022-06-{day:02} 12:13:14-12:15") for day in range(1, 10)),
    (Datetime, '"0000-12-31T23:59:59.999999Z"', BOTH, WRONG),
    (Datetime, '"2022-06-08T12:13:14+24:00"', BOTH, WRONG),
    *((Datetime, document, BOTH, WRONG) for document in ('"-"', '"+"', '"2022-02-30"', '"bad_value"', "true", "null", "[1, 2, 3]")),
    *((Datetime, document, BOTH, WRONG) for document in ("253402300800000", "-80000000000000", "NaN", "Infinity", "-Infinity")),
    (Datetime, '"2022-01-01"', STRICT, WRONG),
    (Datetime, "123", STRICT, WRONG),
    (Datetime, "123.4", STRICT, WRONG),
    (Datetime, "1655205632", LAX, "2022-06-14 11:20:32+00:00"),
    (Datetime, "1655205632.331557", LAX, "2022-06-14 11:20:32.331557+00:00"),
    (Datetime, "1654646400.123456", LAX, "2022-06-08 00:00:00.123456+00:00"),
    (Datetime, "3105730800", LAX, "2068-05-31 23:00:00+00:00"),
    (Datetime, "8640000000.0", LAX, "2243-10-17 00:00:00+00:00"),
    (Delta, '"errordata"', BOTH, WRONG),
    (Delta, '"12345"', STRICT, WRONG),
    (Delta, "true", BOTH, WRONG),
    (Delta, "[-1]", BOTH, WRONG),
    (Delta, '"-1"', STRICT, WRONG),
    (Delta, '"02:03:04.05broken"', BOTH, WRONG),
    (Delta, '"1000000000days, 12:34"', BOTH, WRONG),
    *((Delta, document, LAX, WRONG) for document in ("NaN", "Infinity", "-Infinity")),
    (Delta, "3601", LAX, "1:00:01"),
    (Delta, "3601.123456", LAX, "1:00:01.123456"),
    (Delta, "-3601", LAX, "-1 day, 22:59:59"),
    (Delta, "-3601.222222", LAX, "-1 day, 22:59:58.777778"),
    (Delta, "-3601.2222222", LAX, "-1 day, 22:59:58.777778"),
    (Delta, "3600.999999", LAX, "1:00:00.999999"),
    (Delta, '"P2DT2H"', BOTH, "2 days, 2:00:00"),
    *((UUID, f'"{text}"', BOTH, text) for text in UUIDS),
    (UUID, '"12345678123456781234567812345678"', BOTH, "12345678-1234-5678-1234-567812345678"),
    *((UUID, document, BOTH, WRONG) for document in WRONG_UUIDS),
    *((int, document, BOTH, document) for document in NUMBERS),
    *((int, document, LAX, document.strip('"')) for document in ('"0"', '"1"', '"42"', '"-1"', f'"{I64}"', f'"{2 * I64}"')),
    *((int, f'"{text}"', LAX, text) for text in ("1" * 4300, "-" + "1" * 400)),
    *((int, document, LAX, str(int(float(document)))) for document in ("1.0", "42.0")),
    *((int, document, STRICT, WRONG) for document in ("42.0", "42.5", '"42"', "true")),
    *((int, document, BOTH, WRONG) for document in WRONG_INTS),
    *((int, f'"{"1" * 4301}"', BOTH, WRONG) for _ in range(hasattr(sys, "get_int_max_str_digits"))),
    *((Decimal, document, BOTH, document) for document in ("0", "1", "42", "42.0", "42.5", "10000000000.0", "0.1")),
    *((Decimal, document, BOTH, str(Decimal(document))) for document in EXPONENTS),
    *((Decimal, f'"{text}"', BOTH, text) for text in ("42", "42.123", "42.0", "42.5", "1E+10", "123.456", "0.7", "1.23", LONG_DECIMAL)),
    *((Decimal, document, BOTH, WRONG) for document in ("true", "false", '"wrong"', "[1, 2]", '"pika"', '"xxx"')),
]

NO_PADDING = "a string is an integer in JSON's form alone: no plus, no zeros before it, no point, no underscores, no spaces"
NO_COERCION = "true and false are no integers"
ONE_FORM = "a date alone, and a time without seconds, are no datetime"
NO_STRINGS = "the seconds since 1970 are taken as a number, not in a string"
SECONDS = "a number counts seconds, however large it is, and never milliseconds"
PARTS = "weeks stand alone, and years and months are refused"
CLOCK = "a duration has the form of ISO 8601"
SPELLING = "of what is not finite, a Decimal is read from the strings NaN, Infinity and -Infinity alone"
NO_WORD = "a Decimal is read from numbers and strings, and not from the words NaN and Infinity, which pydantic takes with allow_inf_nan"
TAKEN_INTS = {
    **{text: "0" for text in ("00", "000", "0_000", "+0", "+00", "+000", "+0_000", "0.0", "00.0", "00.00")},
    **{text: "42" for text in ("042", "42.0", "42.00", "+4_2", "+0_42", "+4_2.0", "+04_2.0", "4_2", "0_42", "4_2.0", "04_2.0")},
    **{text: "42" for text in ("  04_2.0 ", "  0_42.0 ")},
    **{text: "1" for text in ("  1  ", "01", "000001")},
    **{text: "-1" for text in ("-1.0", "-00001")},
    "09": "9",
    "-00042_000": "-42000",
    "123.000": "123",
    "123456789.0": "123456789",
    "1_000_000": "1000000",
}
# type, document, the ways that differ, the value of pydantic, the value of ocior, why
PYDANTIC_DIFFERS = [
    *((int, f'"{text}"', LAX, value, WRONG, NO_PADDING) for text, value in TAKEN_INTS.items()),
    (int, "false", LAX, "0", WRONG, NO_COERCION),
    (int, "true", LAX, "1", WRONG, NO_COERCION),
    (Datetime, '"2022-01-01"', LAX, "2022-01-01 00:00:00", WRONG, ONE_FORM),
    (Datetime, '"2022-01-02T00:00"', BOTH, "2022-01-02 00:00:00", WRONG, ONE_FORM),
    (Datetime, '"2000-01-01T00:00"', BOTH, "2000-01-01 00:00:00", WRONG, ONE_FORM),
    (Datetime, '"1654646400"', BOTH, "2022-06-08 00:00:00+00:00", WRONG, NO_STRINGS),
    (Datetime, '"1654646400.1234568"', BOTH, "2022-06-08 00:00:00.123457+00:00", WRONG, NO_STRINGS),
    (Datetime, '"1000000000000"', BOTH, "2001-09-09 01:46:40+00:00", WRONG, NO_STRINGS),
    (Datetime, '"1654646400123"', BOTH, "2022-06-08 00:00:00.123000+00:00", WRONG, NO_STRINGS),
    (Datetime, "1654646400123", LAX, "2022-06-08 00:00:00.123000+00:00", WRONG, SECONDS),
    (Datetime, "1654646400123.456", LAX, "2022-06-08 00:00:00.123456+00:00", WRONG, SECONDS),
    (Datetime, "92534400000.0", LAX, "1972-12-07 00:00:00+00:00", "4902-04-20 00:00:00+00:00", SECONDS),
    (Delta, '"P0Y0M3D2WT1H2M3.5S"', BOTH, "17 days, 1:02:03.500000", WRONG, PARTS),
    (Delta, '"P0Y0M3D2WT1H2M3S"', BOTH, "17 days, 1:02:03", WRONG, PARTS),
    (Delta, '"02:03:04.05"', BOTH, "2:03:04.050000", WRONG, CLOCK),
    (Delta, '"123days, 12:34"', BOTH, "123 days, 12:34:00", WRONG, CLOCK),
    (Delta, '"999999999days, 12:34"', BOTH, "999999999 days, 12:34:00", WRONG, CLOCK),
    *(
        (Decimal, f'"{text}"', BOTH, str(Decimal(text)), WRONG, SPELLING)
        for text in ("inf", "-inf", "+inf", "+infinity", "-infinity", "nan")
    ),
    *((Decimal, text, BOTH, str(Decimal(text)), WRONG, NO_WORD) for text in ("NaN", "Infinity", "-Infinity")),
    (Decimal, '"NaN"', BOTH, WRONG, "NaN", "the string NaN is a Decimal, which pydantic takes with allow_inf_nan alone"),
]


@pytest.mark.parametrize(("kind", "document", "ways", "expected"), PYDANTIC, ids=named(PYDANTIC))
def test_a_document_on_which_pydantic_agrees(kind, document, ways, expected):
    for strict in ways:
        assert shown(kind, document, strict=strict) == expected
        assert shown(kind, document.encode(), strict=strict) == expected


@pytest.mark.parametrize(("kind", "document", "ways", "theirs", "ours", "why"), PYDANTIC_DIFFERS, ids=named(PYDANTIC_DIFFERS))
def test_a_document_on_which_pydantic_differs(kind, document, ways, theirs, ours, why):
    assert theirs != ours, why
    for strict in ways:
        assert shown(kind, document, strict=strict) == ours
        assert shown(kind, document.encode(), strict=strict) == ours


def limited(kind, **limits):
    return Annotated[kind, Limits(**limits)]


THREE_DAYS = Delta(days=3)
BEFORE_DAY = Delta(seconds=-86400.123)
ZERO = Delta()
THREE_PM = Datetime(2022, 1, 1, 15, tzinfo=datetime.timezone.utc)
# type, document, the value or the code of the problem
LIMITED = [
    *(
        (limited(Delta, le=THREE_DAYS), f'"{text}"', value)
        for text, value in (("P2DT1H", "2 days, 1:00:00"), ("P3DT0H", "3 days, 0:00:00"))
    ),
    (limited(Delta, le=THREE_DAYS), '"P3DT1H"', "le"),
    (limited(Delta, lt=THREE_DAYS), '"P2DT1H"', "2 days, 1:00:00"),
    (limited(Delta, lt=THREE_DAYS), '"P3DT1H"', "lt"),
    (limited(Delta, ge=THREE_DAYS), '"P3DT1H"', "3 days, 1:00:00"),
    (limited(Delta, ge=THREE_DAYS), '"P3D"', "3 days, 0:00:00"),
    (limited(Delta, ge=THREE_DAYS), '"P2DT1H"', "ge"),
    (limited(Delta, gt=THREE_DAYS), '"P3DT1H"', "3 days, 1:00:00"),
    (limited(Delta, gt=THREE_DAYS), '"P2DT1H"', "gt"),
    (limited(Delta, le=BEFORE_DAY), '"-PT86400.123S"', "-2 days, 23:59:59.877000"),
    (limited(Delta, le=BEFORE_DAY), '"-PT86400.124S"', "-2 days, 23:59:59.876000"),
    (limited(Delta, le=BEFORE_DAY), '"-PT86400.122S"', "le"),
    (limited(Delta, gt=BEFORE_DAY), '"-PT86400.122S"', "-2 days, 23:59:59.878000"),
    (limited(Delta, gt=BEFORE_DAY), '"-PT86400.124S"', "gt"),
    (limited(Delta, gt=Delta(minutes=90)), '"PT180S"', "gt"),
    (limited(Delta, gt=ZERO), '"-P0DT0.1S"', "gt"),
    (limited(Delta, gt=ZERO), '"P0DT0.0S"', "gt"),
    (limited(Delta, ge=ZERO), '"P0DT0.0S"', "0:00:00"),
    # pydantic takes this one: a zero with a sign is less than zero to it, and is not to a timedelta.
    (limited(Delta, lt=ZERO), '"-PT0S"', "lt"),
    (limited(Datetime, gt=Datetime(2020, 1, 1)), '"2019-01-01T00:00:00"', "gt"),
    (limited(Datetime, le=THREE_PM), '"2022-01-01T16:00:00+01:00"', "2022-01-01 16:00:00+01:00"),
    (limited(Datetime, ge=THREE_PM), '"2022-01-01T16:00:00+01:00"', "2022-01-01 16:00:00+01:00"),
    (limited(Datetime, gt=THREE_PM), '"2022-01-01T16:00:00+01:00"', "gt"),
    (limited(Datetime, tz=True), '"2022-06-08T12:13:14Z"', "2022-06-08 12:13:14+00:00"),
    (limited(Datetime, tz=True), '"2022-06-08T12:13:14"', "tz"),
    (limited(Datetime, tz=False), '"2022-06-08T12:13:14"', "2022-06-08 12:13:14"),
    (limited(Datetime, tz=False), '"2022-06-08T12:13:14Z"', "tz"),
    *((limited(int, gt=0), str(value), str(value)) for value in (1, I64, I64 + 1, 2 * I64, 10**30, int("9" * 30))),
    *((limited(int, gt=0), str(value), "gt") for value in (0, -1, 1 - I64)),
    *((limited(int, lt=0), str(value), str(value)) for value in (-1, -I64, -I64 - 1, -2 * I64, -int("9" * 30))),
    *((limited(int, lt=0), str(value), "lt") for value in (0, 1)),
    (limited(int, gt=0), "[1, 2]", "type"),
    (limited(int, ge=0), "0", "0"),
    (limited(int, ge=0), "-1", "ge"),
    (limited(int, le=0), "0", "0"),
    (limited(int, le=0), "-1", "-1"),
    (limited(int, le=0), "1", "le"),
    (limited(int, multiple_of=5), "15", "15"),
    (limited(int, multiple_of=5), "6", "multiple_of"),
    (limited(Decimal, ge=0), "0", "0"),
    (limited(Decimal, ge=0), "-0.1", "ge"),
    (limited(Decimal, gt=0), "0.1", "0.1"),
    (limited(Decimal, gt=0), "0", "gt"),
    (limited(Decimal, gt=0), '"Infinity"', "Infinity"),
    (limited(Decimal, gt=0), '"-Infinity"', "gt"),
    (limited(Decimal, le=0), "-1", "-1"),
    (limited(Decimal, le=0), "0.1", "le"),
    (limited(Decimal, lt=0), "0", "lt"),
    (limited(Decimal, lt=0), '"NaN"', "lt"),
    (limited(Decimal, lt=Decimal("0.123456")), "1", "lt"),
    *((limited(Decimal, multiple_of=Decimal("0.5")), text, text) for text in ("0.5", "1", "1000000.5")),
    *((limited(Decimal, multiple_of=Decimal("0.5")), text, "multiple_of") for text in ("0.6", "0.51", "0.501", "1000000.49")),
    *(
        (limited(Decimal, multiple_of=Decimal("0.1")), text, text)
        for text in ("0", "0.0", "0.2", "0.3", "0.4", "0.5", "1", "1.0", "50000000000")
    ),
    (limited(Decimal, multiple_of=Decimal("0.1")), "0.5001", "multiple_of"),
    (limited(Decimal, multiple_of=Decimal(2)), "-2.0", "-2.0"),
]


@pytest.mark.parametrize(("kind", "document", "expected"), LIMITED)
def test_a_limited_document_of_pydantic(kind, document, expected):
    for strict in BOTH:
        for form in (document, document.encode()):
            try:
                value = str(Decoder(kind, strict=strict).decode(form))
            except ValidationError as error:
                (problem,) = error.errors
                value = problem.code
            assert value == expected


BIG = 1433352099889938534014333520998899385340
KEYED = [
    (int, '{"1": 1, "2": 2}', {1: 1, 2: 2}),
    (int, f'{{"{BIG}": 0}}', {BIG: 0}),
    (Decimal, '{"1": 1, "2": 2}', {Decimal(1): 1, Decimal(2): 2}),
    (Decimal, '{"1.5": 1, "2.4": 2}', {Decimal("1.5"): 1, Decimal("2.4"): 2}),
    (Delta, '{"P2DT1H": 2, "P2DT2H": 4}', {Delta(days=2, hours=1): 2, Delta(days=2, hours=2): 4}),
]


@pytest.mark.parametrize(("kind", "document", "expected"), KEYED)
def test_a_dict_of_pydantic_with_such_keys(kind, document, expected):
    for strict in BOTH:
        value = Decoder(dict[kind, int], strict=strict).decode(document)
        assert value == expected
        assert [type(key) for key in value] == [kind] * len(expected)
    with pytest.raises(ValidationError) as caught:
        Decoder(dict[kind, int]).decode('{"errordata": 2}')
    assert [problem.code for problem in caught.value.errors] == ["key"]


@pytest.mark.parametrize(("kind", "document"), [(int, "nan"), (Decimal, "abc")])
def test_what_pydantic_says_is_no_json_is_none(kind, document):
    for strict in BOTH:
        with pytest.raises(JSONDecodeError):
            Decoder(kind, strict=strict).decode(document)


def test_a_string_is_a_duration_beside_str_whatever_the_order():
    for union in (str | Delta, Delta | str):
        # pydantic takes the string as a str in both orders.
        assert Decoder(union).decode('"P2DT1H"') == Delta(days=2, hours=1)
        assert Decoder(union).decode('"P2DT1X"') == "P2DT1X"
