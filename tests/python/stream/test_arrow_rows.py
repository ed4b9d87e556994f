"""Rows of tables as lines: what each type of Arrow becomes, in arrays that are cut and nested, by every function that writes lines. The
oracle is pyarrow's to_pylist(), and what ocior.dumps_to_bytes gives for that."""

import datetime as dt
import decimal
import io
import json
import uuid

import pytest
from support import call

import ocior
from ocior import lines

pa = pytest.importorskip("pyarrow", minversion="20")  # which has all of these types

UTC = dt.timezone.utc
D = decimal.Decimal
RICH = ocior.Default(bytes="base64")
# What a value of a type is written as, where that is not what dumps makes of it.
FLOATS = {"halffloat": "float16", "float": "float32"}


def ruled(value, kind):
    if value is None:
        return None
    name = str(kind)
    if name in FLOATS:
        return getattr(pytest.importorskip("numpy"), FLOATS[name])(value)
    if pa.types.is_timestamp(kind) and kind.tz:
        return value.astimezone(UTC)
    if pa.types.is_struct(kind):
        return {field.name: ruled(value[field.name], field.type) for field in kind}
    if pa.types.is_map(kind):
        pairs = [[ruled(key, kind.key_type), ruled(item, kind.item_type)] for key, item in value]
        return dict(pairs) if pa.types.is_string(kind.key_type) or pa.types.is_large_string(kind.key_type) else pairs
    if hasattr(kind, "value_type") and isinstance(value, list):
        return [ruled(item, kind.value_type) for item in value]
    if name == "extension<arrow.json>":
        return ocior.Raw(value.strip())
    return value


def expected(table):
    kinds = {field.name: field.type for field in table.schema}
    rows = ({name: ruled(value, kinds[name]) for name, value in row.items()} for row in table.to_pylist())
    return b"".join(ocior.dumps_to_bytes(row, default=RICH) + b"\n" for row in rows)


STRINGS = [
    "",
    "a",
    "é\u4e2d\U0001f600",
    'q"\\\n\x00\x1f\x7f/<',
    "x" * 63,
    "x" * 64,
    "y" * 65,
    "z" * 255 + '"',
    "é" * 300,
    "w" * 40000 + "\n",
]
DATES = [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2000, 2, 29), dt.date(9999, 12, 31)]
TIMES = [dt.time(), dt.time(23, 59, 59), dt.time(1, 2, 3)]
FINE = [dt.time(12, 0, 0, 1), dt.time(0, 0, 0, 999000)]
MOMENTS = [dt.datetime(1, 1, 1), dt.datetime(1969, 12, 31, 23, 59, 59), dt.datetime(2024, 2, 29, 12), dt.datetime(9999, 12, 31, 23, 59, 59)]
SPANS = [dt.timedelta(), dt.timedelta(seconds=1), dt.timedelta(-3, 7), dt.timedelta(100000), dt.timedelta(hours=25, minutes=1)]
FLOATING = [0.0, -0.0, 1.0, 0.1, -1.5, 1e16, 1e-7, 3.14, 65504.0]
FARTHEST = [1.7976931348623157e308, 5e-324, 123456789.123]
BINARY = [b"", b"a", b"ab", b"abc", bytes(range(256))]


def limits(bits, is_signed):
    return [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, -1] if is_signed else [2**bits - 1, 2 ** (bits - 1)]


CASES = {
    "null": (pa.null(), [None] * 4),
    "bool": (pa.bool_(), [True, False]),
    **{f"int{bits}": (getattr(pa, f"int{bits}")(), [0, 1, 100, *limits(bits, True)]) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (getattr(pa, f"uint{bits}")(), [0, 1, 100, *limits(bits, False)]) for bits in (8, 16, 32, 64)},
    "float32": (pa.float32(), FLOATING),
    "float64": (pa.float64(), FLOATING + FARTHEST),
    "string": (pa.string(), STRINGS),
    "large_string": (pa.large_string(), STRINGS),
    "string_view": (pa.string_view(), STRINGS),
    "binary": (pa.binary(), BINARY),
    "large_binary": (pa.large_binary(), BINARY),
    "binary_view": (pa.binary_view(), BINARY),
    "binary3": (pa.binary(3), [b"abc", b"\0\xff\x80"]),
    "uuid": (pa.uuid(), [uuid.UUID(int=7).bytes, uuid.UUID(int=2**128 - 1).bytes]),
    "decimal32": (pa.decimal32(9, 2), [D("0"), D("-0.01"), D("9999999.99"), D("1.5")]),
    "decimal64": (pa.decimal64(18, 0), [D("0"), D(10**18 - 1), D(1 - 10**18)]),
    "decimal128": (pa.decimal128(38, 10), [D("0"), D("-1E-10"), D("1234567890.0123456789"), D(10) ** 27]),
    "decimal256": (pa.decimal256(76, 38), [D("0"), D("-1E-38"), D(10) ** 37, D("-1.5")]),
    "decimal_of_thousands": (pa.decimal128(5, -3), [D("1E3"), D("-12345E3"), D("0E3")]),
    "decimal256_whole": (pa.decimal256(76, 0), [D(10) ** 75, -(D(10) ** 75) - 1, D(2) ** 128, D(2) ** 64 - 1]),
    "date32": (pa.date32(), DATES),
    "date64": (pa.date64(), DATES),
    "time32s": (pa.time32("s"), TIMES),
    "time32ms": (pa.time32("ms"), TIMES + FINE[1:]),
    "time64us": (pa.time64("us"), TIMES + FINE),
    "time64ns": (pa.time64("ns"), TIMES + FINE),
    **{f"timestamp_{unit}": (pa.timestamp(unit), MOMENTS) for unit in ("s", "ms", "us")},
    "timestamp_fine": (pa.timestamp("us"), [dt.datetime(2024, 1, 1, 0, 0, 0, 1), dt.datetime(1969, 1, 1, 0, 0, 0, 999999)]),
    "timestamp_ns": (pa.timestamp("ns"), MOMENTS[1:3]),
    "timestamp_utc": (pa.timestamp("us", "UTC"), MOMENTS),
    "timestamp_zone": (pa.timestamp("ms", "+05:30"), MOMENTS[1:3]),
    **{f"duration_{unit}": (pa.duration(unit), SPANS) for unit in ("s", "ms", "us", "ns")},
    "duration_fine": (pa.duration("us"), [dt.timedelta(microseconds=-1), dt.timedelta(days=1, microseconds=500000)]),
    "list": (pa.list_(pa.int64()), [[], [1], [1, None, 3]]),
    "large_list": (pa.large_list(pa.string()), [[], ["a", None, "é"]]),
    "fixed_list": (pa.list_(pa.float64(), 2), [[1.5, 2.5], [None, 0.0]]),
    "list_view": (pa.list_view(pa.int8()), [[], [1], [1, None, 3]]),
    "large_list_view": (pa.large_list_view(pa.string()), [[], ["a", None]]),
    "struct": (pa.struct({"a": pa.int64(), "é\n": pa.list_(pa.string())}), [{"a": 1, "é\n": ["x"]}, {"a": None, "é\n": None}]),
    "empty_struct": (pa.struct([]), [{}]),
    "map": (pa.map_(pa.string(), pa.int64()), [[], [("a", 1), ("é", None)]]),
    "map_of_ints": (pa.map_(pa.int64(), pa.list_(pa.bool_())), [[], [(1, [True]), (2, None)]]),
    "json": (pa.json_(), ['{"a": [1, "é"]}', " 1 ", "null", '"x"']),
    "deep": (
        pa.list_(pa.struct({"m": pa.map_(pa.string(), pa.list_(pa.struct({"x": pa.float32()})))})),
        [[{"m": [("k", [{"x": 0.1}, None])]}]],
    ),
}
EACH_TYPE = pytest.mark.parametrize("kind, values", CASES.values(), ids=CASES)


def with_nulls(values):
    return [None, *(part for value in values for part in (value, None)), *values]


def built(kind, values):
    return pa.array(values, kind.storage_type).cast(kind) if isinstance(kind, pa.BaseExtensionType) else pa.array(values, kind)


@EACH_TYPE
def test_types(kind, values):
    array = built(kind, with_nulls(values))
    table = pa.table({"x": array, "y": list(range(len(array)))})
    assert lines.dumps_to_bytes(table) == expected(table)
    for cut in (table.slice(1), table.slice(2, 3), table.slice(len(array)), pa.concat_tables([table, table.slice(3), table])):
        assert lines.dumps_to_bytes(cut) == expected(cut)
    alone = [line[len(b'{"x":') : -1] for line in expected(pa.table({"x": built(kind, values)})).splitlines()]
    assert lines.dumps_to_bytes(built(kind, values)).splitlines() == alone


@EACH_TYPE
def test_types_in_types(kind, values):
    """Children of arrays that are cut, and that are cut themselves."""
    array = built(kind, with_nulls(values) * 3).slice(1)
    n = len(array) // 2
    offsets = pa.array([i + i % 2 for i in range(n)] + [n], pa.int32())
    keys = pa.array([f"k{i}" for i in range(len(array))])
    nested = {
        "list": pa.ListArray.from_arrays(offsets, array),
        "fixed": pa.FixedSizeListArray.from_arrays(array.slice(0, 2 * n), 2),
        "struct": pa.StructArray.from_arrays([array, keys], ["v", "k"], mask=pa.array([i % 3 == 1 for i in range(len(array))])).slice(1, n),
        "map": pa.MapArray.from_arrays(offsets, keys, array),
    }
    for name, column in nested.items():
        for part in (column, column.slice(2), column.slice(3, 2)):
            table = pa.table({name: part})
            assert lines.dumps_to_bytes(table) == expected(table), name


@EACH_TYPE
def test_values_in_other_places(kind, values):
    """Dictionaries, runs and unions."""
    if kind in (pa.null(), pa.string_view(), pa.binary_view()) or isinstance(kind, pa.BaseExtensionType) or pa.types.is_map(kind):
        pytest.skip("pyarrow puts none of this type there")
    array = built(kind, [*values, None])
    n = len(array)
    dictionary = pa.DictionaryArray.from_arrays(pa.array([n - 1, 0, None, *range(n)], pa.int16()), array)
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2 * i + 1 for i in range(n)], pa.int32()), array)
    codes = pa.array([1, 0, 1, *[0] * n], pa.int8())
    dense = pa.UnionArray.from_dense(codes, pa.array([0, 0, 1, *range(n)], pa.int32()), [array, pa.array(["s", None])])
    plain = pa.array([None, values[0], None, *values, None], kind) if values[0] is not None else None
    if plain is not None:
        for part in (slice(None), slice(1, None), slice(2, 4)):
            rows = lines.dumps_to_bytes(pa.table({"x": plain[part]}))
            assert lines.dumps_to_bytes(pa.table({"x": dictionary[part]})) == rows
    for part in (slice(None), slice(1, None), slice(2, 5)):
        table = pa.table({"x": runs[part]})
        decoded = pa.table({"x": pa.array([runs[part][i].as_py() for i in range(len(runs[part]))], kind)})
        assert lines.dumps_to_bytes(table) == lines.dumps_to_bytes(decoded)
        rows = [value for value in ("s", array[0].as_py(), None, *array.to_pylist())]
        texts = [lines.dumps_to_bytes(pa.array([value], kind if i != 0 else pa.string())) for i, value in enumerate(rows)]
        texts[2] = b"null\n"
        assert lines.dumps_to_bytes(dense[part]) == b"".join(texts[part])
    sparse = pa.UnionArray.from_sparse(pa.array([0, 1] * n, pa.int8())[:n], [array, pa.array(["s"] * n)])
    texts = [lines.dumps_to_bytes(pa.array([array[i].as_py()], kind)) if i % 2 == 0 else b'"s"\n' for i in range(n)]
    assert lines.dumps_to_bytes(sparse) == b"".join(texts) and lines.dumps_to_bytes(sparse[1:]) == b"".join(texts[1:])


def test_times_of_nanoseconds():
    table = pa.table(
        {
            "at": pa.array([1, 1000, -1, 1_500_000_000], pa.timestamp("ns")),
            "utc": pa.array([1, 1000, -1, 1_500_000_000], pa.timestamp("ns", "Europe/Berlin")),
            "time": pa.array([1, 1000, 86399999999999, 0], pa.time64("ns")),
            "span": pa.array([1, 1000, -1, 1_500_000_000], pa.duration("ns")),
        }
    )
    assert lines.loads(lines.dumps(table)) == [
        {"at": at, "utc": at + "+00:00", "time": time, "span": span}
        for at, time, span in [
            ("1970-01-01T00:00:00.000000001", "00:00:00.000000001", "PT0.000000001S"),
            ("1970-01-01T00:00:00.000001", "00:00:00.000001", "PT0.000001S"),
            ("1969-12-31T23:59:59.999999999", "23:59:59.999999999", "-PT0.000000001S"),
            ("1970-01-01T00:00:01.500000", "00:00:00", "PT1.5S"),
        ]
    ]
    changed = ocior.Default(utc_z=True, naive_utc=True, microseconds=False)
    assert lines.loads(lines.dumps(table, default=changed))[3] == {
        "at": "1970-01-01T00:00:01Z",
        "utc": "1970-01-01T00:00:01Z",
        "time": "00:00:00",
        "span": "PT1S",
    }


@pytest.mark.parametrize("size", [1, 7, 8, 9, 63, 64, 65, 200])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_floats_in_batches(kind, size):
    """Those that come first and last, subnormals and zeros among others, and arrays that begin anywhere."""
    some = [1.5, 0.0, -0.0, None, 1e-40, 2.0**-1, 5e-324, 1 / 3, float("inf"), float("nan"), 1e22, -123.456]
    array = pa.array([some[(i * i + i // 7) % len(some)] for i in range(size + 20)], getattr(pa, kind)())
    for start in range(0, 20, 3):
        part = array.slice(start, size)
        rows = [None if value is None else ruled(value, part.type) for value in part.to_pylist()]
        assert lines.dumps(part) == "".join(ocior.dumps(row, default=RICH) + "\n" for row in rows)
        assert lines.dumps(pa.array([part.to_pylist()], pa.list_(part.type))) == ocior.dumps(rows, default=RICH) + "\n"


# ---- options ----

TABLE = pa.table(
    {
        "b": ["é", None, 'a"\U0001f600\x7f'],
        "a": [{"z": 1, "y": [1.5, None]}, None, {"z": None, "y": []}],
        "m": pa.array([[("q", 1), ("b", 2)], None, []], pa.map_(pa.string(), pa.int32())),
        "d": pa.array([D("1.50"), None, D("12345678901234567890.12")], pa.decimal128(38, 2)),
        "é\n": [1, 2, 2**53 - 1],
    }
)
PLAIN = TABLE.drop(["m", "d"])
OPTIONS = [
    {},
    {"ensure_ascii": False},
    {"ensure_ascii": True},
    {"separators": (",", ":")},
    {"separators": (" , ", " : ")},
    {"separators": ("", "")},
    {"separators": (" " * 40 + ",", ":")},
    {"separators": ("\U0001f600", "\xe9"), "ensure_ascii": False},
    {"sort_keys": True},
    {"sort_keys": True, "ensure_ascii": True, "separators": (",", ":")},
    {"default": str},
    {"allow_nan": False, "skipkeys": True, "check_circular": False},
    {"cls": json.JSONEncoder},
    {"cls": ocior.JSONEncoder, "sort_keys": True},
    {"default": ocior.Default(canonical=True)},
    {"default": ocior.Default(big_integers="str", integer_bits=53)},
    {"default": ocior.Default(html_safe=True, escape_slashes=True)},
    {"default": ocior.Default(duplicate_keys="error", max_depth=5)},
    {"type": dict},
]


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_options(options):
    for function in (lines.dumps, lines.dumps_to_bytes):
        assert function(PLAIN, **options) == function(PLAIN.to_pylist(), **options)
    file = io.BytesIO()
    assert lines.write(PLAIN, file, **options) == 3 and file.getvalue() == lines.dumps_to_bytes(PLAIN, **options)


@pytest.mark.parametrize("options", [{}, {"sort_keys": True}, {"separators": (" " * 9 + ",", ":")}, {"ensure_ascii": True}], ids=repr)
def test_decimals_keep_their_digits(options):
    text = lines.dumps(TABLE, **options)
    assert [json.loads(line, parse_float=D)["d"] for line in text.splitlines()] == [D("1.50"), None, D("12345678901234567890.12")]
    assert "1.50" in text and "12345678901234567890.12" in text
    assert [json.loads(line)["m"] for line in text.splitlines()] == [{"q": 1, "b": 2}, None, {}]


def test_decimals_as_strings_and_in_canonical_text():
    assert '"d": "1.50"' in lines.dumps(TABLE, default=ocior.Default(decimal="str"), sort_keys=True)
    assert b'"d":1.5,' in lines.dumps_to_bytes(TABLE.slice(0, 1), default=ocior.Default(canonical=True))
    with pytest.raises(ValueError, match="no double"):
        lines.dumps_to_bytes(TABLE.slice(2), default=ocior.Default(canonical=True))


@pytest.mark.parametrize("word, value", [("nan", float("nan")), ("inf", float("inf")), ("-inf", float("-inf"))])
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_non_finite(kind, word, value):
    numpy = pytest.importorskip("numpy")
    table = pa.table({"x": pa.array(numpy.array([1, value], kind))})
    assert lines.dumps(table) == f'{{"x": 1.0}}\n{{"x": {json.dumps(value)}}}\n'
    assert lines.dumps(table, default=ocior.Default(non_finite="null")) == '{"x": 1.0}\n{"x": null}\n'
    for options in ({"allow_nan": False}, {"default": ocior.Default(non_finite="error")}):
        with pytest.raises(ValueError, match=f"not JSON compliant: {word}"):
            lines.dumps(table, **options)
    blocks = ocior._core.LineEncoder(table, allow_nan=False)
    assert next(blocks) == b'{"x":1.0}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        next(blocks)
    assert list(blocks) == [] and blocks.count == 1


@pytest.mark.parametrize("text", ['{"a":\n [1,\r\n2]}', "\t1\n", '"é\\n"', '{"é": "\U0001f600"}', '"\\ud800"'])
def test_ready_json(text):
    table = pa.table({"x": pa.array([text, None], pa.string()).cast(pa.json_())})
    for options in ({}, {"ensure_ascii": False}, {"sort_keys": True}):
        line, null = lines.dumps(table, **options).split("\n")[:2]
        assert json.loads(line) == {"x": json.loads(text)} and null == '{"x": null}'
        assert options or line.isascii()


@pytest.mark.parametrize("text", ["", " ", "1 2", "{", '"\n"', "[1,]", "nul", "\0"])
def test_ready_json_that_is_none(text):
    with pytest.raises(ValueError, match="column 'x', value 0: a text that is not JSON"):
        lines.dumps_to_bytes(pa.table({"x": pa.array([text]).cast(pa.json_())}))


# ---- sources and targets ----


def test_other_libraries():
    rows = [{"a": 1, "b": "é"}, {"a": 2, "b": None}]
    text = b'{"a":1,"b":"\xc3\xa9"}\n{"a":2,"b":null}\n'
    table = pa.Table.from_pylist(rows)
    for source in (table, *table.to_batches(), pa.RecordBatchReader.from_batches(table.schema, table.to_batches())):
        assert lines.dumps_to_bytes(source) == text


@pytest.mark.parametrize("name", ["polars", "pandas", "duckdb"])
def test_frames(name):
    library = pytest.importorskip(name)
    rows = {"a": [1, 2], "b": ["\xe9", None], "c": [[1.5], [2.5]]}
    text = b'{"a":1,"b":"\xc3\xa9","c":[1.5]}\n{"a":2,"b":null,"c":[2.5]}\n'
    if name == "duckdb":
        source = library.sql("select 1::bigint a, '\xe9' b, [1.5::double] c union all select 2, null, [2.5]")
    else:
        source = library.DataFrame(rows)
        if not hasattr(source, "__arrow_c_stream__"):
            pytest.skip(f"this version of {name} has no __arrow_c_stream__")
    assert lines.dumps_to_bytes(source) == text
    file = io.BytesIO()
    assert lines.write(source, file) == 2 and file.getvalue() == text


class Rows:
    """What no library knows, with the interface of a table."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_writers(tmp_path):
    path = tmp_path / "rows.jsonl"
    with lines.Writer(path) as writer:
        writer.write({"first": 1})
        writer.write(PLAIN)
        writer.write_all(Rows(PLAIN))
        writer.write({"last": 1})
        assert writer.count == 8
    text = lines.dumps_to_bytes(PLAIN)
    assert path.read_bytes() == b'{"first":1}\n' + 2 * text + b'{"last":1}\n'
    file = io.BytesIO()
    with lines.Writer(file) as writer:
        writer.write(PLAIN)
        writer.write(1)
        assert writer.count == 4
    assert file.getvalue() == text + b"1\n"


SMALL = pa.schema({"x": pa.int64(), "s": pa.string()})


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_blocks(size):
    """Each ends with the line that makes it long enough."""
    batches = [pa.record_batch({"x": list(range(n)), "s": ["y" * n] * n}, SMALL) for n in (0, 1, 50, 0, 7)]
    table = pa.Table.from_batches(batches)
    blocks = list(ocior._core.LineEncoder(table, size))
    assert b"".join(blocks) == lines.dumps_to_bytes(table)
    assert all(len(block) - len(block.splitlines()[-1]) <= size <= len(block) for block in blocks[:-1])


@pytest.mark.parametrize(
    "table", [TABLE, TABLE.slice(0, 0), pa.table({}), pa.table({"x": pa.nulls(3)})], ids=["some", "none", "empty", "nulls"]
)
def test_dumps(table):
    """An array of the rows, where the Default writes types beyond json's."""
    rows = [json.loads(line) for line in lines.dumps(table).splitlines()]
    for options in ({}, {"indent": 1}, {"sort_keys": True}, {"ensure_ascii": False}, {"separators": (",", ":")}):
        for value, plain in ((Rows(table), rows), ([Rows(table)], [rows]), ({"a": Rows(table)}, {"a": rows})):
            text = ocior.dumps(value, default=ocior.default, **options)
            assert json.loads(text) == plain and len(text.splitlines()) == (
                len(json.dumps(plain, indent=1).splitlines()) if "indent" in options else 1
            )
            assert json.loads(ocior.dumps_to_bytes(value, default=ocior.default, **options)) == plain
    assert json.loads(json.dumps(Rows(table), default=ocior.default)) == rows
    assert ocior.dumps(Rows(PLAIN.slice(0, 1)), default=ocior.default) == ocior.dumps(PLAIN.slice(0, 1).to_pylist())
    file = io.StringIO()
    ocior.dump(Rows(table), file, default=ocior.default)
    assert json.loads(file.getvalue()) == rows


def test_dumps_without_a_default():
    """json's rule: what is no type of its own goes to the function that is given, if there is one."""
    assert call(ocior.dumps, Rows(TABLE)).error.args == ("Object of type Rows is not JSON serializable",)
    assert ocior.dumps(Rows(TABLE), default=lambda value: type(value).__name__) == '"Rows"'
