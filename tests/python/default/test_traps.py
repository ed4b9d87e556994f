"""What an ocior.Default must not be taken in by: mocks, instances that answer to every name, that have an attribute by which classes are known,
or that claim to be of another class."""

import array
import collections
import datetime
import pathlib
import re
import unittest.mock
import uuid
from decimal import Decimal

import pytest
from rich_values import ROADS, Color, OfItsOwn, Point, check, to_bytes
from support import call

import ocior
from ocior import Default


class Named(unittest.mock.MagicMock):
    pass


@pytest.mark.parametrize("name", ["Mock", "MagicMock", "NonCallableMock", "NonCallableMagicMock", "AsyncMock", "PropertyMock", "Named"])
@pytest.mark.parametrize("spec", [None, dict, str, Point, pathlib.Path, uuid.UUID, datetime.datetime, collections.UserDict, set, Color.RED])
def test_mocks(name, spec):
    """They answer to every name, and would pass for a path, an iterable, an object of any class."""
    make = Named if name == "Named" else getattr(unittest.mock, name)
    for default in (Default(), Default(iterable_as_array=True, keys=True, namedtuple_as_object=True, exceptions=True, bytes="base64")):
        mock = make(name="service", spec=spec)
        for road in (ocior.dumps, to_bytes):
            error = call(road, {"user": [mock]}, default=default).error
            assert type(error) is TypeError
            assert re.match(r"a mock has no form in JSON: write a value in the place of <.* name='service'", str(error))
            if make.__hash__ is not None and isinstance(hash(mock), int):
                assert type(call(road, {mock: 1}, default=default).error) is TypeError
        assert ocior.dumps([mock], default=Default(lambda value: "fallen")) == '["fallen"]'


def test_a_mock_that_says_how_it_is_written():
    class Written(unittest.mock.MagicMock):
        def __json__(self):
            return [1]

    check(Written(), [1], keywords=[{}])


class AnswersAll:
    """Whatever an instance is asked for, it has; its class has nothing."""

    def __getattr__(self, name):
        return lambda *arguments, **keywords: ["taken in"]


class OfItself:
    def __init__(self, **attributes):
        vars(self).update(attributes)


class Liar:
    """An instance that says that it is one of another class."""

    def __init__(self, kind):
        self.kind = kind

    @property
    def __class__(self):
        return self.kind


TRAPS = [
    "__json__",
    "__fspath__",
    "model_dump",
    "model_dump_json",
    "__pydantic_serializer__",
    "tolist",
    "to_list",
    "to_dict",
    "to_pylist",
    "as_py",
]
TRAPS += [
    "__dataclass_fields__",
    "__attrs_attrs__",
    "__struct_fields__",
    "_fields",
    "isoformat",
    "_value_",
    "value",
    "items",
    "keys",
    "__iter__",
]
TRAPS += ["__array_struct__", "__array_interface__", "__array__", "dtype", "toDict", "json", "dict"]


@pytest.mark.parametrize("value", [AnswersAll(), *(OfItself(**{name: lambda *_: ["taken in"]}) for name in TRAPS)])
def test_attributes_of_instances_alone(value):
    """What a type is looked up by is what its class has."""
    for default in (Default(), Default(iterable_as_array=True, namedtuple_as_object=True, keys=True)):
        for road in ROADS:
            error = call(road, [value], default=default).error
            assert type(error) is TypeError and re.match("Object of type .* is not JSON serializable", str(error))


KINDS = [
    datetime.date,
    datetime.datetime,
    uuid.UUID,
    Decimal,
    Point,
    Color,
    pathlib.Path,
    set,
    array.array,
    collections.deque,
    bytes,
    range,
]


@pytest.mark.parametrize("kind", KINDS)
def test_instances_that_claim_another_class(kind):
    for road in ROADS:
        error = call(road, [Liar(kind)], default=ocior.default).error
        assert type(error) is TypeError and str(error).endswith("is not JSON serializable")


def test_a_method_of_the_class_in_spite_of_one_of_the_instance():
    value = OfItsOwn("of the class")
    vars(value)["__json__"] = lambda: "of the instance"
    check(value, "of the class")
    check({"a": value}, {"a": "of the class"})
    assert ocior.dumps({value: 1}, default=Default(keys=True)) == '{"of the class": 1}'
