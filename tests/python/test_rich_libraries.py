"""Classes of other libraries that an ocior.Default writes: those of attrs, msgspec, pydantic, pandas and polars, where they are installed.
Arrays of numpy are in test_rich_arrays.py."""

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


def test_pydantic():
    pydantic = pytest.importorskip("pydantic", minversion="2")
    model = pydantic.create_model("Model", x=(int, 1), at=(datetime.date, datetime.date(2020, 1, 2)))
    check([model(), model(x=5)], [{"x": 1, "at": "2020-01-02"}, {"x": 5, "at": "2020-01-02"}])


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


def test_polars():
    polars = pytest.importorskip("polars")
    check(polars.Series([1, 2]), [1, 2])
    check(polars.DataFrame({"a": [1], "b": ["x"]}), [{"a": 1, "b": "x"}])
