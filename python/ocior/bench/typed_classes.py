"""The classes that documents are decoded into: of the same fields as dataclasses, dataclasses with slots, TypedDicts and msgspec's Structs.

A family is a namespace of the classes of one sort. All are made of one table, so that no sort has a field more than another; to the libraries
they are what a program would have written down.
"""

import dataclasses
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import partial
from types import SimpleNamespace
from typing import Literal, Optional, Union
from uuid import UUID

from ocior.bench import typed_items

# The field by which the four messages are told apart. In a Struct it is no field, but a tag.
TAG = "kind"


class Status(Enum):
    OPEN = "open"
    PAID = "paid"
    SHIPPED = "shipped"
    CANCELLED = "cancelled"


class Channel(Enum):
    WEB = "web"
    SHOP = "shop"
    PHONE = "phone"


def _dataclass(name, required, optional, tag, slots):
    fields = [(TAG, Literal[tag])] if tag else []
    fields += [*required.items(), *((field, Optional[hint], dataclasses.field(default=None)) for field, hint in optional.items())]
    return dataclasses.make_dataclass(name, fields, namespace={"__module__": __name__}, slots=slots)


def _typeddict(name, required, optional, tag):
    try:
        from typing_extensions import NotRequired, TypedDict
    except ImportError:  # in typing since Python 3.11
        from typing import NotRequired, TypedDict
    fields = {TAG: Literal[tag]} if tag else {}
    return TypedDict(name, {**fields, **required, **{field: NotRequired[Optional[hint]] for field, hint in optional.items()}})


def _struct(name, required, optional, tag):
    from msgspec import defstruct

    fields = [*required.items(), *((field, Optional[hint], None) for field, hint in optional.items())]
    return defstruct(name, fields, module=__name__, **({"tag_field": TAG, "tag": tag} if tag else {}))


_MAKERS = {
    "dataclass": partial(_dataclass, slots=False),
    "slots": partial(_dataclass, slots=True),
    "typeddict": _typeddict,
    "struct": _struct,
}
SORTS = tuple(_MAKERS)
# The families that were asked for. Code that libraries generate reaches a class by its module and its qualified name.
FAMILIES = SimpleNamespace()


def family(sort):
    """The classes of one of the SORTS, always the same. Raises ImportError where what makes them is missing."""
    if not hasattr(FAMILIES, sort):
        setattr(FAMILIES, sort, _made(sort))
    return getattr(FAMILIES, sort)


def _made(sort):
    found = SimpleNamespace(sort=sort)

    def add(name, required, optional={}, tag=None):
        cls = _MAKERS[sort](name, required, optional, tag)
        cls.__qualname__ = f"FAMILIES.{sort}.{name}"
        setattr(found, name, cls)
        return cls

    add(
        "Record",
        {**{"id": int, "name": str, "email": str, "age": int, "active": bool, "balance": float}, **{"city": str, "parent": Optional[int]}},
    )
    address = add("Address", {"street": str, "city": str})
    customer = add("Customer", {"id": UUID, "name": str, "address": address})
    line = add("Line", {"sku": str, "quantity": int, "price": Decimal})
    add(
        "Order",
        {
            **{"id": UUID, "placed_at": datetime, "due": date, "status": Status, "channel": Channel, "total": Decimal},
            **{"customer": customer, "lines": list[line], "note": Optional[str]},
        },
    )
    user = add("User", {"id": int, "login": str, "avatar": Optional[str]})
    repository = add("Repository", {"id": int, "name": str, "homepage": Optional[str], "language": Optional[str], "stars": int})
    commit = add("Commit", {"sha": str, "message": str}, {"author": str})
    add(
        "Event",
        {**{"id": str, "type": str, "public": bool, "created_at": str, "actor": user, "repository": repository}, "commits": list[commit]},
        {
            **{"ref": str, "ref_type": str, "title": str, "description": str, "number": int, "size": int, "score": float},
            **{"draft": bool, "closed_at": str, "merged_at": str, "assignee": user, "labels": list[str]},
        },
    )
    messages = (
        add("Click", {"x": int, "y": int, "target": str}, tag="click"),
        add("View", {"page": str, "seconds": float}, tag="view"),
        add("Purchase", {"sku": str, "quantity": int, "price": float, "coupon": Optional[str]}, tag="purchase"),
        add("Search", {"text": str, "results": int}, tag="search"),
    )
    found.messages = messages
    found.Message = Union[messages]
    add("Wide", {name: float if number % 4 else int for number, name in enumerate(typed_items.column_names())})
    add("Package", {"name": str, "version": str, "downloads": int, "keywords": list[str]})
    add("Tiny", {"id": int, "name": str, "active": bool})
    return found
