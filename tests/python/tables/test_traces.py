"""A record that is no JSON and is skipped leaves nothing behind: no column, and no part in the type of one."""

import json
import re

import arrow_reader
import pytest
from growth import LARGE, SMALL, check_growth

import ocior

BIG = 18446744073709551615
# What comes before the bad record, the bad record, and what comes after it: the bad one, had it its say, would give another type.
TRACES = {
    "a negative integer": (b'{"a":1}', b'{"a":-1,', b'{"a":%d}' % BIG, "uint64"),
    "a negative integer, real": (b'{"a":0.5}', b'{"a":-9007199254740993,', b'{"a":1}', "float64"),
    "an inexact integer": (b'{"a":1}', b'{"a":9007199254740993,', b'{"a":1.5}', "float64"),
    "above int64": (b'{"a":1}', b'{"a":9223372036854775808,"c":}', b'{"a":-5}', "int64"),
    "above int64 first": (b"{}", b'{"a":9223372036854775808,"c":}', b'{"a":-5}', "int64"),
    "beyond uint64": (b'{"a":1}', b'{"a":18446744073709551616 1}', b'{"a":2}', "int64"),
    "a float": (b'{"a":1}', b'{"a":0.5]', b'{"a":9007199254740993}', "int64"),
    "a string": (b'{"a":1}', b'{"a":"x" "y"}', b'{"a":2}', "int64"),
    "an item": (b'{"a":[1]}', b'{"a":[-1}', b'{"a":[%d]}' % BIG, "list<uint64>"),
    "a child": (b'{"a":{"b":1}}', b'{"a":{"b":-1,', b'{"a":{"b":%d}}' % BIG, "struct<b: uint64>"),
    "a key": (b'{"a":1}', b'{"a":1,"b":{"c":[1]},}', b'{"a":2}', "int64"),
    "a key inside": (b'{"a":{"b":1}}', b'{"a":{"c":1,"b":2', b'{"a":{"b":2}}', "struct<b: int64>"),
    "half a surrogate": (b'{"a":1}', b'{"a":-1,"b":"\\ud800"}', b'{"a":%d}' % BIG, "uint64"),
    "half a surrogate, mixed": (b'{"a":1}', b'{"a":["\\ud800"]}', b'{"a":2}', "int64"),
    "NaN and half a surrogate": (b'{"a":1}', b'{"a":[NaN,"\\ud800"]}', b'{"a":2}', "int64"),
    "NaN and half a surrogate later": (b'{"a":1}', b'{"n":NaN,"b":2,"c":"\\ud800"}', b'{"a":2}', "int64"),
    "Infinity and half a surrogate": (b'{"a":1}', b'{"a":{"b":-Infinity,"\\udc00":1}}', b'{"a":2}', "int64"),
}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("before, bad, after, name", TRACES.values(), ids=TRACES)
def test_a_bad_record_that_is_skipped(before, bad, after, name, workers):
    data = b"\n".join((before, bad, after, b""))
    table = ocior.table(data, on_error="skip", workers=workers)
    alone = ocior.table(before + b"\n" + after)
    assert table.schema._form == alone.schema._form, "also in what numbers have been seen"
    assert table.schema == ocior.Schema({"a": name}) == ocior.infer(data, on_error="skip", workers=workers)
    assert arrow_reader.read(table).rows == arrow_reader.read(alone).rows and table.skipped == 1
    with pytest.raises(ocior.RecordError) as caught:
        ocior.table(data, workers=workers)
    assert (caught.value.lineno, caught.value.offset) == (2, len(before) + 1)


MIXED = b'{"a":1}\n{"a":"x"}\n'


@pytest.mark.parametrize(
    "text", [b'[NaN,"\\ud800"]', b'{"b":Infinity,"c":"\\udfff"}', b'{"b":[NaN,{"\\ud800":1}]}'], ids=["item", "child", "key"]
)
def test_half_a_surrogate_beside_nan_in_a_mixed_column(text):
    """It is in no table, so no reader of a table meets it."""
    data = MIXED + b'{"a":%s}\n' % text
    with pytest.raises(ocior.RecordError, match="Lone surrogate") as caught:
        ocior.table(data)
    assert caught.value.lineno == 3
    table = ocior.table(data, on_error="skip")
    assert (len(table), table.skipped) == (2, 1)
    assert "a: json" in repr(table)
    paired = re.sub(rb"\\u(d800|dfff)", rb"\\ud83d\\ude00", text)
    rows = arrow_reader.read(ocior.table(MIXED + b'{"a":%s}\n' % paired)).rows
    assert repr(json.loads(rows[2]["a"])) == repr(json.loads(paired))


REPLACED = {
    "a string": (b'{"a":"x","a":1}', "json", "1"),
    "a float": (b'{"a":0.5,"a":1}', "float64", 1.0),
    "above int64": (b'{"a":18446744073709551615,"a":1}', "uint64", 1),
    "a key": (b'{"a":{"b":1},"a":{"c":1}}', "struct<b: int64, c: int64>", {"b": None, "c": 1}),
    "null": (b'{"a":null,"a":1}', "int64", 1),
    "by null": (b'{"a":0.5,"a":null}', "float64", None),
}


@pytest.mark.parametrize("line, name, value", REPLACED.values(), ids=REPLACED)
def test_a_value_that_an_equal_key_replaces_has_its_say(line, name, value):
    table = ocior.table(line)
    assert table.schema == ocior.Schema({"a": name}) and arrow_reader.read(table).rows == [{"a": value}]


# Rows in a unit of an input. Each takes back values of a column that has a null.
EQUAL_KEYS = b'{"a":1,"a":2,"a":3,"a":4}\n' * 10


def test_equal_keys_beside_a_null_take_linear_time():
    """One chunk is one block, so that all rows are of one batch."""

    def read(data):
        return ocior.infer([data])

    def read_by_json(data):
        return [line.startswith("{") for line in data.decode().splitlines()]

    check_growth(read, read_by_json, *(b'{"a":null}\n' + EQUAL_KEYS * count for count in (SMALL, LARGE)))
