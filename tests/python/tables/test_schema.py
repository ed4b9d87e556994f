"""Schemas: what they tell, compare, join, pickle and hand over, and the names of types both ways."""

import copy
import pickle

import arrow_reader
import pytest

import ocior
from ocior import Schema
from ocior._tables.type_names import named_form, type_name

NAMES = [
    *("null", "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"),
    *("string", "large_string", "string_view", "binary", "fixed_size_binary[16]", "json"),
    *("date32", "date64", "time32[s]", "time32[ms]", "time64[us]", "time64[ns]"),
    *("timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]", "timestamp[us, UTC]", "timestamp[s, Europe/Paris]"),
    *("timestamp[ns, +05:30]", "duration[s]", "duration[ms]", "duration[us]", "duration[ns]"),
    *("decimal128(10, 2)", "decimal128(38, -3)", "decimal256(76, 18)", "dictionary<int32, string>", "dictionary<uint8, string>"),
    *("list<int64>", "list<int64 not null>", "large_list<list<json>>", "fixed_size_list<float32, 3>", "map<string, json>"),
    *("map<string, list<int8> not null>", "struct<>", "struct<a: int64>", "struct<a: int64 not null, b: list<struct<c: string>>>"),
    *('struct<"a b": int8, "\\"": int8, "a, b: int8>": int8>', 'struct<"": string>', "struct<caf\xe9: string>"),
]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_types(name):
    form, is_nullable = named_form(name)
    assert is_nullable and type_name(form) == name
    assert named_form(f"{name} not null") == (form, False)
    assert repr(Schema({"a": name})) == f"Schema of 1 column\n    a: {name}"


@pytest.mark.parametrize(
    "name, same",
    [
        ("boolean", "bool"),
        ("double", "float64"),
        ("float", "float32"),
        ("halffloat", "float16"),
        ("str", "string"),
        ("utf8", "string"),
        ("large_utf8", "large_string"),
        ("date32[day]", "date32"),
        ("date64[ms]", "date64"),
        ("decimal(4, 1)", "decimal128(4, 1)"),
        ("decimal128(4)", "decimal128(4, 0)"),
        ("timestamp[us, tz=UTC]", "timestamp[us, UTC]"),
        ("timestamp[us,UTC]", "timestamp[us, UTC]"),
        (" list< item : int64 > ", "list<int64>"),
        ("list<element: int64 not null>", "list<int64 not null>"),
        ("fixed_size_list<item: float>[3]", "fixed_size_list<float32, 3>"),
        ("map<string, int64>", "map<string, int64>"),
        ("dictionary<values=string, indices=int32, ordered=0>", "dictionary<int32, string>"),
        ("struct<a:int8,b:int8>", "struct<a: int8, b: int8>"),
        ("extension<arrow.json>", "json"),
        ("fixed_size_binary[3] not  null", "fixed_size_binary[3]"),
    ],
)
def test_other_names(name, same):
    assert named_form(name)[0] == named_form(same)[0]


@pytest.mark.parametrize(
    "name, hint",
    [
        ("", ""),
        ("int", "int64"),
        ("integer", "int64"),
        ("timestamp", "timestamp[us, UTC]"),
        ("datetime", "timestamp[us]"),
        ("time", "time64[us]"),
        ("date", "date32"),
        ("decimal", "decimal128(precision, scale)"),
        ("decimal128(39, 2)", "1 to 38"),
        ("decimal256(77, 2)", "1 to 76"),
        ("decimal128(0, 0)", "1 to 38"),
        ("decimal128(a, 2)", ""),
        ("timestamp[d]", "s, ms, us or ns"),
        ("time32[us]", ""),
        ("int64 null", ""),
        ("int64 not", ""),
        ("list", ""),
        ("list<>", ""),
        ("list<int64", "'>' is missing"),
        ("list<int64>>", ""),
        ("struct<a>", ""),
        ("struct<a int64>", ""),
        ("struct<a: int64,>", ""),
        ('struct<"a: int64>', ""),
        ("map<string>", "',' is missing"),
        ("map<int64, string>", "keys of a map are strings"),
        ("dictionary<string, string>", "indices"),
        ("dictionary<int32, int64>", "values"),
        ("fixed_size_list<int8, x>", ""),
        ("fixed_size_list<int8>", ""),
        ("uint65", ""),
        ("sparse_union<a: int8>", ""),
        ("timestamp[us", "']' is missing"),
    ],
)
def test_no_names(name, hint):
    with pytest.raises(TypeError) as caught:
        Schema({"some column": name})
    assert str(caught.value).startswith(f"some column: no type of a column is named {name!r}") and hint in str(caught.value)


DECLARED = {"id": "int64 not null", "tags": "list<string>", "at": "timestamp[us, UTC]", "in": 'struct<"x y": json>'}


def test_what_a_schema_tells():
    schema = Schema(DECLARED)
    assert schema.names == ["id", "tags", "at", "in"] and len(schema) == 4 and bool(schema)
    assert repr(schema) == (
        'Schema of 4 columns\n    id: int64 not null\n    tags: list<string>\n    at: timestamp[us, UTC]\n    in: struct<"x y": json>'
    )
    empty = Schema({})
    assert empty.names == [] and len(empty) == 0 and repr(empty) == "Schema of 0 columns"
    assert Schema({"a b": "int8", "\n": "int8"}).names == ["a b", "\n"]
    assert repr(Schema({"a b": "int8", "\n": "int8"})) == 'Schema of 2 columns\n    "a b": int8\n    "\\n": int8'


def test_schemas_compare():
    schema = Schema(DECLARED)
    others = [
        Schema({}),
        Schema(dict(reversed(DECLARED.items()))),
        Schema({**DECLARED, "id": "int64"}),
        Schema({**DECLARED, "tags": "list<string not null>"}),
        Schema({**DECLARED, "in": "struct<x: json>"}),
    ]
    assert schema == Schema(dict(DECLARED)) and hash(schema) == hash(Schema(DECLARED))
    assert Schema(schema) is schema
    for other in others:
        assert schema != other and other == other
    assert len({schema, Schema(DECLARED), *others}) == 1 + len(others)
    assert schema != DECLARED and schema != None and schema != "x"  # noqa: E711


def test_inferred_schemas_equal_declared_ones():
    assert ocior.infer(b'{"a": 1, "b": ["x"], "c": {"d": null}}') == Schema({"a": "int64", "b": "list<string>", "c": "struct<d: null>"})
    assert ocior.infer(b'{"a": 1}') == ocior.infer(b'{"a": -5}')


def test_a_schema_cannot_be_changed():
    schema = Schema(DECLARED)
    for change in (lambda: setattr(schema, "names", []), lambda: setattr(schema, "_form", None), lambda: delattr(schema, "_form")):
        with pytest.raises(AttributeError, match="cannot be changed"):
            change()
    with pytest.raises(AttributeError):
        schema.other = 1
    schema.names.clear()
    assert len(schema.names) == 4


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol):
    for schema in (Schema(DECLARED), Schema({}), ocior.infer(b'{"a": 1}\n{"a": 0.5, "b": [1, "x"]}')):
        pickled = pickle.dumps(schema, protocol)
        again = pickle.loads(pickled)
        assert again == schema and repr(again) == repr(schema) and b"_core" not in pickled
        assert copy.copy(schema) == copy.deepcopy(schema) == schema
    # What has been seen is kept, which later joins need: an integer that no double holds.
    again = pickle.loads(pickle.dumps(ocior.infer(b'{"a": 9007199254740993}')))
    assert again | ocior.infer(b'{"a": 0.5}') == Schema({"a": "json"})


@pytest.mark.parametrize(
    "first, second, both",
    [
        ("1", "2", "int64"),
        ("null", "1", "int64"),
        ("1", "null", "int64"),
        ("1", "0.5", "float64"),
        ("9007199254740992", "0.5", "float64"),
        ("9007199254740993", "0.5", "json"),
        ("0.5", "9007199254740993", "json"),
        ("1", "18446744073709551615", "uint64"),
        ("-1", "18446744073709551615", "json"),
        ("18446744073709551615", "-1", "json"),
        ("18446744073709551616", "1", "json"),
        ("9223372036854775808", "0.5", "float64"),
        ("18446744073709551615", "0.5", "json"),
        ("1", "true", "json"),
        ('"x"', "1", "json"),
        ("[]", "[1]", "list<int64>"),
        ("[null]", "[0.5]", "list<float64>"),
        ("[1]", '["x"]', "list<json>"),
        ("[1]", '{"x": 1}', "json"),
        ("{}", '{"x": 1}', "struct<x: int64>"),
        ('{"y": 1}', '{"x": 1, "y": 0.5}', "struct<y: float64, x: int64>"),
        ("[[1, 2]]", "[[0.5], null]", "list<list<float64>>"),
        ("null", "null", "null"),
    ],
)
def test_joins(first, second, both):
    a, b = (ocior.infer(b'{"a": %s}' % text.encode()) for text in (first, second))
    assert a | b == Schema({"a": both})
    assert a | b == ocior.infer(b'{"a": %s}\n{"a": %s}' % (first.encode(), second.encode()))
    assert (a | b) | a == (a | b) | b == a | b
    assert a | a == a


def test_joins_keep_the_order_of_columns():
    joined = ocior.infer(b'{"b": 1, "a": 1}') | ocior.infer(b'{"c": 1, "a": 1, "d": 1}')
    assert joined.names == ["b", "a", "c", "d"]
    assert Schema({}) | joined == joined == joined | ocior.infer(b"")


def test_joins_of_mixed_columns():
    one, two = (ocior.infer(data, mixed="str") for data in (b'{"a": 1}', b'{"a": "x"}'))
    assert one | two == Schema({"a": "string"})
    assert pickle.loads(pickle.dumps(one)) | two == Schema({"a": "string"})
    with pytest.raises(ValueError, match="mixed='str' and mixed='json'"):
        one | ocior.infer(b'{"a": "x"}')
    one, two = (ocior.infer(data, mixed="raise") for data in (b'{"a": 1}', b'{"a": "x"}'))
    with pytest.raises((TypeError, ValueError), match="a"):
        one | two
    for other in (1, None, {"a": int}):
        with pytest.raises(TypeError):
            one | other


@pytest.mark.parametrize("name", NAMES)
def test_handed_over_and_taken_back(name):
    schema = Schema({"a": name, "b c": "int8 not null"})
    root = arrow_reader.read_schema(schema)
    assert root.kind == "+s" and [field.name for field in root.children] == ["a", "b c"]
    assert [field.is_nullable for field in root.children] == [True, False]
    assert (root.children[0].extension == "arrow.json") == (name == "json")
    assert Schema(Only(schema)) == schema


class Only:
    """What has nothing but the method of Arrow's C interface."""

    def __init__(self, schema):
        self.__arrow_c_schema__ = schema.__arrow_c_schema__


@pytest.mark.parametrize("name", NAMES)
def test_to_pyarrow_and_back(name):
    pa = pytest.importorskip("pyarrow")
    if "decimal128(38, -3)" in name or not hasattr(pa, "json_"):
        pytest.skip("pyarrow cannot hold it")
    schema = Schema({"a": name})
    theirs = pa.schema(schema)
    assert theirs.names == ["a"] and Schema(theirs) == schema
    if not any(odd in name for odd in ("json", "map", '"')):  # of these pyarrow writes less than there is
        assert named_form(str(theirs.field("a").type))[0] == named_form(name)[0]


def test_a_capsule_may_be_dropped_and_taken_again():
    schema = Schema(DECLARED)
    for _ in range(100):
        schema.__arrow_c_schema__()
    assert arrow_reader.read_schema(schema) == arrow_reader.read_schema(schema)
