"""Classes of other libraries that an ocior.Default writes: those of attrs, msgspec, pandas, polars and pyarrow, where they are installed, and
what stands in for those of pydantic; the real ones are in tests/frameworks/test_pydantic.py. Arrays of numpy are in default/test_arrays.py."""

import datetime
import importlib.util
import json
import sys
import types

import pytest
from rich_values import ROADS, check
from support import call, check_python

import ocior
from ocior import Default


def test_attrs():
    attr = pytest.importorskip("attr")
    value = attr.make_class("Value", ["x", "_y"], slots=False)(1, {2})
    slots = attr.make_class("Slotted", ["x", "z"], slots=True)(value, "\xe9")
    check(slots, {"x": {"x": 1, "_y": [2]}, "z": "\xe9"})
    check(value, {"x": 1}, Default(private_fields=False))


def test_msgspec():
    msgspec = pytest.importorskip("msgspec")
    value = msgspec.defstruct("Value", ["b", ("a", object, None)])
    check(value(value(1, {2}), "\xe9"), {"b": {"b": 1, "a": [2]}, "a": "\xe9"})


def test_msgspec_structs_of_other_forms():
    """Names, tags, arrays and what is left out, as msgspec has them."""
    msgspec = pytest.importorskip("msgspec")
    define, unset = msgspec.defstruct, msgspec.UNSET
    Renamed = define("Renamed", [("my_field", int), ("other_one", object, 3)], rename="camel")
    Tagged = define("Tagged", ["x", ("_y", object, None)], tag=True)
    Kind = define("Kind", ["x"], tag=5, tag_field="kind", rename={"x": "X"})
    Array = define("Array", ["x", ("y", object, "q")], array_like=True, tag="t")
    made = [(name, kind, msgspec.field(default_factory=kind)) for name, kind in (("a", list), ("b", dict), ("c", set))]
    Short = define("Short", [("x", int, 0), *made, ("z", str, "a")], omit_defaults=True)
    Some = define("Some", [("a", object, unset), ("b", int, 2)])
    values = [Renamed(1), Renamed(1, Renamed(2)), Tagged(2), Kind(2), Array(3), Short(), Short(1, [1], {"k": 0}, {5}, "b"), Short(x=True)]
    values += [Some(), Some(5), Some([Some(), Array(Some(1))])]
    for value in values:
        check(value, json.loads(msgspec.json.encode(value)))
    check(Tagged(2), {"type": "Tagged", "x": 2}, Default(private_fields=False))
    Usual = define("Usual", [("x", object, type("Factory", (), {"factory": list})())], omit_defaults=True)
    check(Usual([]), {"x": []})  # whose default is no factory of msgspec's
    check({"k": Short()}, {"k": {}}, keywords=[{}])
    del values[0].other_one
    with pytest.raises(AttributeError):
        ocior.dumps(values[0], default=ocior.default)


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
def test_a_struct_that_is_first_met_without_memory():
    """What could not be read of its class is read again."""
    pytest.importorskip("msgspec")
    check_python(
        """
        import _testcapi, msgspec, ocior
        def attempt(value, n):
            try:
                _testcapi.set_nomemory(n, n + 1)
                return ocior.dumps(value, default=ocior.default)
            except MemoryError:
                return None
            finally:
                _testcapi.remove_mem_hooks()
        for n in range(1, 90):
            fields = [("my_a", int, 1), ("b", list, msgspec.field(default_factory=list))]
            value = msgspec.defstruct("Fresh", fields, rename="camel", omit_defaults=True)(2)
            assert attempt(value, n) in (None, '{"myA": 2}'), n
            assert ocior.dumps(value, default=ocior.default) == '{"myA": 2}', n
        """
    )


def test_a_class_that_dies_while_it_is_asked():
    """What looks like a struct, whose class has no instance and no name any more in the middle of a look at it."""
    check_python(
        """
        import gc, types, ocior
        class Other: pass
        class Meta(type):
            @property
            def __struct_fields__(cls):
                if doomed:
                    doomed.pop().__class__ = Other
                    gc.collect()
                    fill.extend(bytearray(b"A" * 1700) for _ in range(3000))
                return ("a",)
            __struct_encode_fields__ = ("b",)
            __struct_defaults__ = ()
            __struct_config__ = types.SimpleNamespace(tag="x", tag_field="y", array_like=False, omit_defaults=False)
        doomed, fill = [], []
        for _ in range(3):
            values = [Meta("Struct", (), {"a": 1})()]
            assert ocior.dumps(values, default=ocior.default) == '[{"y": "x", "b": 1}]'
            doomed.append(values[0])
            try:
                ocior.dumps(values, default=ocior.default)
            except (AttributeError, TypeError):
                pass
        """
    )


class Serializer:
    """In the place of pydantic's, for a class of objects with one attribute."""

    def __init__(self, write):
        self.write = write

    def to_json(self, value, *, fallback=None, **keywords):
        return self.write(value.v, fallback, keywords)


def model_of(write, **names):
    return type(
        "Model", (), {"__init__": lambda self, v=None: setattr(self, "v", v), "__pydantic_serializer__": Serializer(write), **names}
    )


def test_a_class_with_a_serializer_of_pydantic():
    """What that writes is read, and written as the call wants it."""
    model = model_of(lambda v, fallback, keywords: v)
    for text, value in [
        (b'{"b":[1.0,1e22],"a":"\xc3\xa9\xe4\xb8\xad"}', {"b": [1.0, 1e22], "a": "\xe9\u4e2d"}),
        ('"\\u00e9"', "\xe9"),
        (b"null", None),
        (str(2**70), 2**70),
        (b"[]", []),
    ]:
        check(model(text), value)
        check(type("Derived", (model,), {})(text), value)
    assert ocior.dumps({model(b'"k"'): 1, model("1.5"): 2}, default=Default(keys=True)) == '{"k": 1, "1.5": 2}'
    assert ocior.dumps(model(b"[NaN]"), default=Default(non_finite="null")) == "[null]"
    assert ocior.dumps(model(b'{"b":1,"a":1.0}'), default=Default(canonical=True)) == '{"a":1,"b":1}'
    for default in (Default(canonical=True), Default(duplicate_keys="error")):
        with pytest.raises(ValueError, match="Duplicate key"):
            ocior.dumps([model(b'{"a":1,"a":2}')], default=default)


def test_what_a_serializer_of_pydantic_is_given(monkeypatch):
    """The Default, for what pydantic does not know."""
    monkeypatch.delitem(sys.modules, "pydantic.main", raising=False)
    model = model_of(lambda v, fallback, keywords: json.dumps([v, keywords], default=fallback))
    assert ocior.dumps(model({5}), default=ocior.default) == "[[5], {}]"
    assert ocior.dumps(model(1j), default=Default(lambda value: str(value))) == '["1j", {}]'


@pytest.mark.parametrize("usual, given", [(None, {}), (False, {"by_alias": False})])
def test_aliases_of_pydantic(usual, given, monkeypatch):
    """They count as in the model_dump_json() of the version that is there: before 2.11 the serializer has another default."""

    class BaseModel:
        def model_dump_json(self, *, indent=None, by_alias=usual):
            raise AssertionError

    monkeypatch.setitem(sys.modules, "pydantic.main", types.SimpleNamespace(BaseModel=BaseModel))
    model = model_of(lambda v, fallback, keywords: json.dumps(keywords))
    check(model(), given)
    own = type("Own", (BaseModel,), dict(vars(model)))
    check(own(), given)
    own.model_dump_json = lambda self: '{"own": 1}'
    check(own(), {"own": 1})


def test_a_model_of_pydantic_1(monkeypatch):
    class BaseModel:
        def json(self):
            return '{"a": 1}'

    monkeypatch.setitem(sys.modules, "pydantic.v1.main", types.SimpleNamespace(BaseModel=BaseModel))
    check(type("Model", (BaseModel,), {})(), {"a": 1})


@pytest.mark.parametrize(
    "written, error",
    [
        (b"[1,", json.JSONDecodeError),
        (None, TypeError),
        (5, TypeError),
        (b"\xff", UnicodeDecodeError),
        (ZeroDivisionError(), ZeroDivisionError),
    ],
)
def test_a_serializer_of_pydantic_that_fails(written, error):
    def write(v, fallback, keywords):
        if isinstance(written, Exception):
            raise written
        return written

    model = model_of(write)
    for road in ROADS:
        found = call(road, {"k": [0, model()]}, default=ocior.default).error
        assert type(found) is error
        if sys.version_info >= (3, 11):
            assert [note for note in found.__notes__ if note.startswith("when")][:1] == ["when serializing list item 1"]
    model.__pydantic_serializer__ = None
    with pytest.raises(AttributeError):
        ocior.dumps(model(), default=ocior.default)


def test_a_serializer_of_pydantic_that_changes_what_is_written():
    def write(v, fallback, keywords):
        outer.clear()
        inner[:] = ["x"] * 100
        del model.__pydantic_serializer__
        return "[1]"

    for road in ROADS:
        model = model_of(write)
        inner = [model(), 3]
        outer = {"a": inner}
        json.loads(call(road, [inner, outer, 5], default=ocior.default).value)


def test_pandas():
    pandas = pytest.importorskip("pandas")
    check(pandas.Series([1, 2]), [1, 2])
    check(pandas.Index(["a"]), ["a"])
    check(pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}), [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    check([pandas.NaT, pandas.NA], [None, None])
    for text in ("2020-01-02T03:04:05.123456789", "1969-12-31T23:59:59.000000001", "2020-01-02T00:00:00"):
        moment = pandas.Timestamp(text)
        check(moment, text)
        check(moment.tz_localize("UTC"), f"{text}Z", default=Default(utc_z=True))
        check(moment, f"{text[:19]}+00:00", default=Default(naive_utc=True, microseconds=False))
    for nanoseconds, text in ((1, "PT0.000000001S"), (-1, "-PT0.000000001S"), (86400 * 10**9 + 1001, "P1DT0.000001001S"), (10**9, "PT1S")):
        check(pandas.Timedelta(nanoseconds, "ns"), text)
    for seconds, text in ((10**14, "P1157407407DT9H46M40S"), (-(10**14), "-P1157407407DT9H46M40S")):
        check(pandas.Timedelta(importlib.import_module("numpy").timedelta64(seconds, "s")), text)


def test_a_timedelta_of_something_called_pandas(monkeypatch):
    """Which need not have what the real one has."""

    class Timedelta:
        __slots__ = ("days", "seconds", "microseconds", "nanoseconds")

    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(Timedelta=Timedelta))
    value = Timedelta()
    for road in ROADS:
        assert type(call(road, [value], default=ocior.default).error) is AttributeError
    value.days, value.seconds, value.microseconds, value.nanoseconds = -1, 86399, 999999, 999
    check(value, "-PT0.000000001S")
    value.days, value.nanoseconds = 2**63 - 1, 0
    check(value, f"P{2**63 - 1}DT23H59M59.999999S")
    for value.nanoseconds in (-1, 1000, 2**64, "x"):
        for road in ROADS:
            assert type(call(road, [value], default=ocior.default).error) in (ValueError, OverflowError, TypeError)


def test_arrays_of_pandas():
    pandas = pytest.importorskip("pandas")
    for values, kind, twin in [
        (["a", "b", "a"], "category", ["a", "b", "a"]),
        ([1, None], "Int64", [1, None]),
        ([True, None], "boolean", [True, None]),
        (["x", None], "string", ["x", None]),
        (["2020-01-02", None], "datetime64[ns]", ["2020-01-02T00:00:00", None]),
        ([1], "timedelta64[ns]", ["PT0.000000001S"]),
        ([0.5, 0.0], "Sparse[float]", [0.5, 0.0]),
    ]:
        array = pandas.array(values, dtype=kind)
        check([array, array[:0]], [twin, []])
        check(pandas.Series(array), twin)
    with pytest.raises(TypeError, match="Object of type Period is not JSON serializable"):
        ocior.dumps(pandas.period_range("2020-01", periods=2, freq="M").array, default=ocior.default)


def test_pyarrow():
    pyarrow = pytest.importorskip("pyarrow")
    scalar = pyarrow.scalar
    check([scalar(1), scalar(None), scalar("\xe9"), scalar(1.5), scalar(True)], [1, None, "\xe9", 1.5, True])
    check([scalar({"a": 1}), scalar([1, None]), scalar(datetime.date(2020, 1, 2))], [{"a": 1}, [1, None], "2020-01-02"])
    check([pyarrow.array([1, None]), pyarrow.array([["x"], []]), pyarrow.array([], "int8")], [[1, None], [["x"], []], []])
    check(pyarrow.array(["x", "x"]).dictionary_encode(), ["x", "x"])
    check(pyarrow.chunked_array([[1], [2, 3]]), [1, 2, 3])
    rows = [{"a": 1, "b": "x"}, {"a": None, "b": "\u4e2d"}]
    check([pyarrow.Table.from_pylist(rows), pyarrow.RecordBatch.from_pylist(rows)], [rows, rows])
    assert ocior.dumps({scalar("k"): 1, scalar(2): 2}, default=Default(keys=True)) == '{"k": 1, "2": 2}'
    with pytest.raises(TypeError, match="Object of type bytes is not JSON serializable"):
        ocior.dumps(pyarrow.array([b"x"]), default=ocior.default)


@pytest.mark.parametrize(
    "module, name, method",
    [
        ("pandas.api.extensions", "ExtensionArray", "tolist"),
        ("pyarrow", "Scalar", "as_py"),
        *(("pyarrow", name, "to_pylist") for name in ("Array", "ChunkedArray", "Table", "RecordBatch")),
    ],
)
def test_a_class_of_something_called(module, name, method, monkeypatch):
    """Known by module and name, its method by that of the class; nothing is imported."""
    base = type(name, (), {method: lambda self: self.made, "made": [{"a": [1]}]})
    monkeypatch.setitem(sys.modules, module, types.SimpleNamespace(**{name: base}))
    for kind in (base, type("Derived", (base,), {})):
        value = kind()
        setattr(value, method, 5)
        check(value, [{"a": [1]}])


def test_polars():
    polars = pytest.importorskip("polars")
    check(polars.Series([1, 2]), [1, 2])
    check(polars.DataFrame({"a": [1], "b": ["x"]}), [{"a": 1, "b": "x"}])
