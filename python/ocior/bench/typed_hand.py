"""What people write by hand where a library knows no types: from what `json.loads` gives to objects of a class, and from those to what
`json.dumps` takes. Nothing is checked but what the classes that are called check.

A reader is made of a family of classes and returns a function of the plain value. Where a TypedDict needs no conversion there is nothing to
write: the plain value is the result.
"""

import sys
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from uuid import UUID

from ocior.bench.typed_classes import TAG, Channel, Status

_moment = datetime.fromisoformat
if sys.version_info < (3, 11):  # which does not know the Z

    def _moment(text):
        return datetime.fromisoformat(text.replace("Z", "+00:00"))


def read_as_it_is(classes):
    return lambda value: value


def read_flat(classes):
    if classes.sort == "typeddict":
        return read_as_it_is(classes)
    Record = classes.Record
    return lambda items: [Record(**item) for item in items]


def read_orders(classes):
    return _orders_in_place if classes.sort == "typeddict" else _orders_as_objects(classes)


def _orders_in_place(items):
    for item in items:
        item["id"] = UUID(item["id"])
        item["placed_at"] = _moment(item["placed_at"])
        item["due"] = date.fromisoformat(item["due"])
        item["status"] = Status(item["status"])
        item["channel"] = Channel(item["channel"])
        item["total"] = Decimal(item["total"])
        item["customer"]["id"] = UUID(item["customer"]["id"])
        for line in item["lines"]:
            line["price"] = Decimal(line["price"])
    return items


def _orders_as_objects(classes):
    Order, Customer, Address, Line = classes.Order, classes.Customer, classes.Address, classes.Line

    def customer(item):
        return Customer(UUID(item["id"]), item["name"], Address(**item["address"]))

    def order(item):
        return Order(
            UUID(item["id"]),
            _moment(item["placed_at"]),
            date.fromisoformat(item["due"]),
            Status(item["status"]),
            Channel(item["channel"]),
            Decimal(item["total"]),
            customer(item["customer"]),
            [Line(line["sku"], line["quantity"], Decimal(line["price"])) for line in item["lines"]],
            item["note"],
        )

    return lambda items: [order(item) for item in items]


def read_events(classes):
    if classes.sort == "typeddict":
        return read_as_it_is(classes)
    Event, User, Repository, Commit = classes.Event, classes.User, classes.Repository, classes.Commit

    def event(item):
        item["actor"] = User(**item["actor"])
        item["repository"] = Repository(**item["repository"])
        item["commits"] = [Commit(**commit) for commit in item["commits"]]
        if item.get("assignee") is not None:
            item["assignee"] = User(**item["assignee"])
        return Event(**item)

    return lambda items: [event(item) for item in items]


def read_tagged(classes):
    if classes.sort == "typeddict":
        return read_as_it_is(classes)
    by_tag = {cls.__name__.lower(): cls for cls in classes.messages}
    if classes.sort == "struct":
        return lambda items: [by_tag[item.pop(TAG)](**item) for item in items]
    return lambda items: [by_tag[item[TAG]](**item) for item in items]


def read_wide(classes):
    if classes.sort == "typeddict":
        return read_as_it_is(classes)
    Wide = classes.Wide
    return lambda items: [Wide(**item) for item in items]


def read_partial(classes):
    Package = classes.Package  # of a TypedDict a call makes a dict
    return lambda items: [Package(name=x["name"], version=x["version"], downloads=x["downloads"], keywords=x["keywords"]) for x in items]


def read_tiny(classes):
    if classes.sort == "typeddict":
        return read_as_it_is(classes)
    Tiny = classes.Tiny
    return lambda item: Tiny(**item)


def default_of(sort):
    """A `default=` function for documents of that sort of classes."""
    to_dict = {"dataclass": vars, "slots": _of_slots, "typeddict": None, "struct": _of_struct}[sort]

    def default(value):
        if isinstance(value, date):  # or datetime
            return value.isoformat()
        if isinstance(value, (UUID, Decimal)):
            return str(value)
        if isinstance(value, Enum):
            return value.value
        return to_dict(value)

    return default


def _of_slots(value):
    return {name: getattr(value, name) for name in value.__slots__}


def _of_struct(value):
    config = value.__struct_config__
    found = {name: getattr(value, name) for name in value.__struct_fields__}
    return {config.tag_field: config.tag, **found} if config.tag_field else found
