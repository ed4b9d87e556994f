"""Declared types as pyarrow sees them: every type alone, and in lists, structs, maps and lists of fixed size, with nulls at every depth."""

import datetime
from decimal import Decimal

import pytest

import ocior

pa = pytest.importorskip("pyarrow")
UTC = datetime.timezone.utc

# JSON text and value, of each type.
TYPES = {
    "null": (pa.null(), [("null", None)]),
    "bool": (pa.bool_(), [("true", True), ("false", False), ("true", True)]),
    **{
        name: (getattr(pa, name)(), [(str(low), low), ("0", 0), (str(high), high)])
        for bits in (8, 16, 32, 64)
        for name, low, high in [(f"int{bits}", -(2 ** (bits - 1)), 2 ** (bits - 1) - 1), (f"uint{bits}", 0, 2**bits - 1)]
    },
    "float16": (pa.float16(), [("0.5", 0.5), ("-65504", -65504.0), ("6e-8", 2.0**-24)]),
    "float32": (pa.float32(), [("0.5", 0.5), ("16777217", 16777216.0), ("1e-45", 2.0**-149), ("-Infinity", float("-inf"))]),
    "float64": (pa.float64(), [("0.1", 0.1), ("7", 7.0)]),
    "decimal32": (pa.decimal32(5, 2), [("-999.99", Decimal("-999.99")), ("1e2", Decimal("100.00")), ("0.5e-1", Decimal("0.05"))]),
    "decimal64": (pa.decimal64(18, 0), [(str(10**18 - 1), Decimal(10**18 - 1)), ("-1", Decimal(-1)), ("0e99", Decimal(0))]),
    "decimal128": (pa.decimal128(38, 10), [("1.50", Decimal("1.5000000000")), (f"-{10**28 - 1}.5", Decimal(f"-{10**28 - 1}.5000000000"))]),
    "decimal256": (pa.decimal256(76, 75), [("-9." + "9" * 75, Decimal("-9." + "9" * 75)), ("100e-77", Decimal("1." + "0" * 75).scaleb(-75))]),
    "date32": (pa.date32(), [('"0001-01-01"', datetime.date.min), ('"9999-12-31"', datetime.date.max), ('"2000-02-29"', datetime.date(2000, 2, 29))]),
    "date64": (pa.date64(), [('"1969-12-31"', datetime.date(1969, 12, 31)), ('"2024-02-29"', datetime.date(2024, 2, 29))]),
    "time32": (pa.time32("ms"), [('"23:59:59.999"', datetime.time(23, 59, 59, 999000)), ('"00:00:00"', datetime.time())]),
    "time64": (pa.time64("us"), [('"23:59:59.999999000"', datetime.time.max), ('"00:00:00.000001"', datetime.time(microsecond=1))]),
    "timestamp[s]": (pa.timestamp("s"), [('"0001-01-01T00:00:00"', datetime.datetime.min), ('"9999-12-31 23:59:59"', datetime.datetime(9999, 12, 31, 23, 59, 59))]),
    "timestamp[us]": (pa.timestamp("us"), [('"0001-01-01T00:00:00.000001"', datetime.datetime(1, 1, 1, microsecond=1)), ('"9999-12-31T23:59:59.999999"', datetime.datetime.max)]),
    "timestamp[ms, UTC]": (
        pa.timestamp("ms", "UTC"),
        [('"2024-02-29T12:00:00.5Z"', datetime.datetime(2024, 2, 29, 12, 0, 0, 500000, UTC)), ('"1970-01-01T00:00:00+23:59"', datetime.datetime(1969, 12, 31, 0, 1, tzinfo=UTC))],
    ),
    "duration[ms]": (pa.duration("ms"), [('"-PT0.001S"', datetime.timedelta(milliseconds=-1)), ('"P1W"', datetime.timedelta(7)), ('"P1DT1H1M1S"', datetime.timedelta(1, 3661))]),
    "binary": (pa.binary(), [('""', b""), ('"AA=="', b"\0"), ('"/+8="', b"\xff\xef")]),
    "large_binary": (pa.large_binary(), [('""', b""), ('"AA=="', b"\0"), ('"/+8="', b"\xff\xef")]),
    "binary_view": (pa.binary_view(), [('""', b""), ('"AAAAAAAAAAAAAAAA"', bytes(12)), ('"AAAAAAAAAAAAAAAAAQ=="', bytes(12) + b"\1")]),
    "fixed binary": (pa.binary(3), [('"AAEC"', b"\0\1\2"), ('"////"', b"\xff\xff\xff")]),
    "string": (pa.string(), [('""', ""), ('"x\\n\\u00e9"', "x\n\xe9")]),
    "large_string": (pa.large_string(), [('""', ""), ('"x\\n\\u00e9"', "x\n\xe9")]),
    "string_view": (pa.string_view(), [('""', ""), ('"twelve bytes"', "twelve bytes"), ('"thirteen byte"', "thirteen byte"), ('"thirteen bite"', "thirteen bite")]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), [('"b"', "b"), ('""', ""), ('"a"', "a"), ('"b"', "b")]),
    "large dictionary": (pa.dictionary(pa.uint32(), pa.large_string()), [('"b"', "b"), ('""', ""), ('"b"', "b")]),
}  # fmt: skip

# How a type is put into another: the type, the JSON, the value.
NESTS = {
    "alone": (lambda type: type, "{}", lambda value: value),
    "list": (pa.list_, "[{0}, null, {0}]", lambda value: [value, None, value]),
    "large_list": (pa.large_list, "[{0}, null, {0}]", lambda value: [value, None, value]),
    "struct": (lambda type: pa.struct([("a", pa.int8()), ("b", type)]), '{{"b": {0}}}', lambda value: {"a": None, "b": value}),
    "fixed list": (lambda type: pa.list_(type, 3), "[{0}, null, {0}]", lambda value: [value, None, value]),
    "map": (lambda type: pa.map_(pa.string(), type), '{{"x": {0}, "": null, "y": {0}}}', lambda value: [("x", value), ("", None), ("y", value)]),
    "map by texts of a dictionary": (
        lambda type: pa.map_(pa.dictionary(pa.int8(), pa.string()), type),
        '{{"x": {0}, "y": {0}}}',
        lambda value: [("x", value), ("y", value)],
    ),
    "fixed list of structs of lists": (
        lambda type: pa.list_(pa.struct([("a", pa.list_(type)), ("b", type)]), 2),
        '[{{"a": [null, {0}]}}, null]',
        lambda value: [{"a": [None, value], "b": None}, None],
    ),
    "fixed list of fixed lists": (lambda type: pa.list_(pa.list_(type, 2), 2), "[null, [null, {0}]]", lambda value: [None, [None, value]]),
    "fixed list of maps": (lambda type: pa.list_(pa.map_(pa.string(), type), 1), '[{{"x": {0}}}]', lambda value: [[("x", value)]]),
    "struct of a fixed list": (lambda type: pa.struct([("a", pa.list_(type, 1))]), '{{"a": [{0}]}}', lambda value: {"a": [value]}),
    "list of fixed lists": (lambda type: pa.list_(pa.list_(type, 1)), "[[{0}], null, [{0}]]", lambda value: [[value], None, [value]]),
}  # fmt: skip


def read(type, texts, **keywords):
    """What a column has after it was read, as a ChunkedArray that has been checked."""
    data = "".join(f'{{"column": {text}}}\n' for text in texts).encode()
    table = pa.table(ocior.table(data, schema=pa.schema([("column", type)]), **keywords))
    table.validate(full=True)
    assert table.schema.field("column").type == type
    return table.column("column")


@pytest.mark.parametrize("nest", NESTS)
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("nulls", ["few nulls", "nulls between", "nulls alone", "no nulls", "nothing"])
def test_types_in_types(name, nest, nulls):
    inner, values = TYPES[name]
    make_type, json, make_value = NESTS[nest]
    texts, expected = [], []
    for i in range(0 if nulls == "nothing" else 70):
        text, value = values[i % len(values)]
        if nulls == "nulls alone" or (nulls == "nulls between" and i % 3 != 1) or (nulls == "few nulls" and i == 20):
            texts.append("null")
            expected.append(None)
        else:
            texts.append(json.format(text))
            expected.append(make_value(value))
    column = read(make_type(inner), texts)
    assert column.to_pylist() == expected
    assert column.null_count == expected.count(None)


@pytest.mark.parametrize("name", TYPES)
def test_many_batches(name):
    inner, values = TYPES[name]
    type = pa.struct([("a", inner), ("b", pa.list_(inner, 1))])
    count = 200_000
    texts = [f'{{"a": {text}, "b": [{text}]}}' if i % 5 else "null" for i, (text, _) in enumerate(values * (count // len(values) // 10))]
    expected = [{"a": value, "b": [value]} if i % 5 else None for i, (_, value) in enumerate(values * (count // len(values) // 10))]
    for workers in (1, 2):
        assert read(type, texts, workers=workers).to_pylist() == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ('{"a": 1, "a": 2}', [("a", 2)]),
        ('{"a": 1, "b": 2, "a": 3}', [("b", 2), ("a", 3)]),
        ('{"a": 1, "\\u0061": null}', [("a", None)]),
        ('{"a": null, "a": 1, "a": null}', [("a", None)]),
        ('{"": 1, "": 2, "a": 3}', [("", 2), ("a", 3)]),
        ('{"a": 1, "ab": 2, "b": 3}', [("a", 1), ("ab", 2), ("b", 3)]),
    ],
)
def test_equal_keys(text, expected):
    read_back = read(pa.map_(pa.string(), pa.int16()), ["{}", text, "null", '{"c": 7}', text])
    assert read_back.to_pylist() == [[], expected, None, [("c", 7)], expected]


@pytest.mark.parametrize(
    "type", [pa.map_(pa.string(), pa.int8()), pa.struct([("a", pa.map_(pa.string(), pa.int8()))])], ids=["map", "struct of a map"]
)
@pytest.mark.parametrize("bad", ['{"x": 1, "y": 2, "z": 1000}', '{"x": 1, "y": "2"}', '{"x": 1,'])
def test_a_map_that_is_refused_leaves_nothing(type, bad):
    is_struct = pa.types.is_struct(type)
    texts = ["null", bad, "null", '{"b": 1}', bad, bad, "{}", '{"c": 1}', bad]
    expected = [None, None, [("b", 1)], [], [("c", 1)]]
    if is_struct:
        texts = [f'{{"a": {text}}}' for text in texts]
        expected = [{"a": value} for value in expected]
    assert read(type, texts, on_error="skip").to_pylist() == expected


@pytest.mark.parametrize(
    "type", [pa.list_(pa.string()), pa.list_(pa.list_(pa.string())), pa.list_(pa.struct([("a", pa.list_(pa.string()))]))], ids=str
)
def test_a_list_that_is_refused_leaves_nothing(type):
    inner = type.value_type
    item = '"x"' if pa.types.is_string(inner) else '["x"]' if pa.types.is_list(inner) else '{"a": ["x"]}'
    value = "x" if pa.types.is_string(inner) else ["x"] if pa.types.is_list(inner) else {"a": ["x"]}
    bad = f"[{item}, {item}, 1]"
    assert read(type, ["null", bad, "null", bad], on_error="skip").to_pylist() == [None, None]
    assert read(type, [bad, "null", bad, f"[{item}]", bad, "[]", bad], on_error="skip").to_pylist() == [None, [value], []]


NOT_NULL = pa.field("item", pa.int8(), nullable=False)


@pytest.mark.parametrize(
    "type, good, bad",
    [
        (pa.list_(NOT_NULL), ["null", "[]", "[1, 2]"], ["[null]", "[1, null]", "[null, 1]"]),
        (pa.large_list(NOT_NULL), ["[1]"], ["[null, 1]"]),
        (pa.list_(NOT_NULL, 2), ["null", "[1, 2]", "null"], ["[1, null]", "[null, 1]", "[1]"]),
        (
            pa.map_(pa.string(), NOT_NULL),
            ["{}", '{"a": null, "a": 1}', "null"],
            ['{"a": null}', '{"a": null, "b": 1}', '{"a": 1, "a": null}'],
        ),
        (
            pa.struct([NOT_NULL]),
            ["null", '{"item": 1}', '{"item": null, "item": 1}'],
            ["{}", '{"item": null}', '{"item": 1, "item": null}'],
        ),
        (pa.list_(pa.struct([NOT_NULL])), ["[]", '[null, {"item": 1}]'], ["[{}]", '[{"item": 1}, {"item": null}]']),
    ],
    ids=str,
)
def test_what_is_not_nullable(type, good, bad):
    whole = read(type, good)
    mixed = [text for text in good for text in [*bad, text, *bad]]
    assert read(type, mixed, on_error="skip").to_pylist() == whole.to_pylist()
    for text in bad:
        with pytest.raises(ocior.RecordError) as caught:
            read(type, [*good, text])
        assert caught.value.lineno == len(good) + 1


@pytest.mark.parametrize("count", [2, 15, 16, 17, 40, 5000])
def test_many_equal_keys(count):
    """The last value of a key counts, whatever it is made of."""
    texts, expected = [], []
    for shift in (1, count // 2, count):
        pairs = [(f"key {i % shift}" if i % 3 else "k" * (i % shift), i) for i in range(count)]
        texts.append("{" + ", ".join(f'"{key}": {{"a": [{i}, null], "b": "{i}"}}' for key, i in pairs) + "}")
        last = {key: i for key, i in pairs}
        expected.append({key: {"a": [i, None], "b": str(i)} for key, i in last.items()})
    type = pa.map_(pa.string(), pa.struct([("a", pa.list_(pa.int16())), ("b", pa.dictionary(pa.int16(), pa.string()))]))
    assert [dict(value) for value in read(type, texts).to_pylist()] == expected


@pytest.mark.parametrize("index, most", [(pa.int8(), 128), (pa.uint8(), 256), (pa.int16(), 32768)], ids=str)
def test_as_many_texts_as_a_dictionary_holds(index, most):
    type = pa.dictionary(index, pa.string())
    texts = [f'"{i}"' for i in range(most)]
    assert read(type, texts * 2).to_pylist() == [str(i) for i in range(most)] * 2
    with pytest.raises(OverflowError, match="dictionary"):
        read(type, [*texts, '"more"'])


@pytest.mark.parametrize(
    "type",
    [
        pa.dictionary(pa.int32(), pa.int64()),
        pa.map_(pa.int32(), pa.string()),
        pa.list_view(pa.int8()),
        pa.month_day_nano_interval(),
        pa.sparse_union([pa.field("a", pa.int8())]),
        pa.run_end_encoded(pa.int32(), pa.string()),
        pa.timestamp("s", "Europe/" + "x" * 60),
    ],
    ids=str,
)
def test_types_that_json_cannot_fill(type):
    with pytest.raises(TypeError):
        ocior.table(b"", schema=pa.schema([("column", type)]))
    with pytest.raises(TypeError):
        ocior.table(b"", schema=pa.schema([("column", pa.list_(pa.struct([("a", type)])))]))
