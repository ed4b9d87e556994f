"""The items that documents of rich types are made of, and their classes: for a random generator and a number one object, the same on every
machine."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from uuid import UUID
from zoneinfo import ZoneInfo

from ocior.bench import words


@dataclass
class Record:
    id: int
    name: str
    email: str
    age: int
    active: bool
    balance: float
    city: str
    parent: int | None


@dataclass(slots=True)
class SlotRecord:
    id: int
    name: str
    email: str
    age: int
    active: bool
    balance: float
    city: str
    parent: int | None


@dataclass
class Address:
    street: str
    city: str


@dataclass(slots=True)
class Customer:
    name: str
    address: Address


@dataclass
class Line:
    sku: str
    quantity: int
    price: float


@dataclass
class Basket:
    id: int
    customer: Customer
    lines: list[Line]


class Status(Enum):
    OPEN = "open"
    PAID = "paid"
    SHIPPED = "shipped"


class Priority(IntEnum):
    LOW = 1
    HIGH = 2


class Weight(Enum):
    LIGHT = 0.5
    HEAVY = 20


@dataclass
class Order:
    id: UUID
    placed_at: datetime
    due: date
    status: Status
    priority: Priority
    customer: Customer
    lines: list[Line]
    note: str | None


def record(kind, rng, index):
    return kind(
        index,
        rng.choice(words.NAMES),
        f"user{rng.randrange(10**6)}@example.com",
        rng.randrange(18, 90),
        rng.random() < 0.7,
        round(rng.uniform(-1e3, 1e5), 2),
        rng.choice(words.CITIES),
        rng.choice((None, rng.randrange(10**5))),
    )


def _customer(rng):
    return Customer(rng.choice(words.NAMES), Address(f"{rng.choice(words.ENGLISH)} {rng.randrange(200)}", rng.choice(words.CITIES)))


def _lines(rng):
    return [Line(f"A-{rng.randrange(10**5):05}", rng.randrange(1, 9), round(rng.uniform(1, 300), 2)) for _ in range(rng.randrange(1, 5))]


def basket(rng, index):
    return Basket(index, _customer(rng), _lines(rng))


def order(rng, index):
    status, priority = rng.choice(tuple(Status)), rng.choice(tuple(Priority))
    note = rng.choice((None, "leave at the door"))
    return Order(uuid(rng, index), moment(rng, timezone.utc), day(rng, index), status, priority, _customer(rng), _lines(rng), note)


def uuid(rng, index):
    return UUID(int=rng.getrandbits(128))


def day(rng, index):
    return date(2010, 1, 1) + timedelta(rng.randrange(6000))


def moment(rng, zone):
    """Half of them with microseconds."""
    microsecond = rng.choice((0, rng.randrange(10**6)))
    return datetime(2010, 1, 1, tzinfo=zone) + timedelta(rng.randrange(6000), rng.randrange(86400), microsecond)


def in_zones(rng, index):
    return moment(rng, ZoneInfo(("Europe/Berlin", "America/New_York", "Asia/Kolkata")[index % 3]))


def day_or_time(rng, index):
    return day(rng, index) if index % 2 else time(rng.randrange(24), rng.randrange(60), rng.randrange(60), rng.choice((0, 250000)))


def enum(rng, index):
    return rng.choice((*Status, *Priority, *Weight))


def decimal(rng, index):
    return Decimal(rng.randrange(-(10**9), 10**9)).scaleb(-rng.randrange(1, 5))


def unsorted(rng, index):
    names = rng.sample(words.ENGLISH, 10)
    return {name: index + number for number, name in enumerate(names)}


def array(dtype, columns, rng, count):
    """Of one dimension, or of so many columns, as coordinates are."""
    import numpy

    if dtype == "bool":
        numbers = [rng.random() < 0.5 for _ in range(count)]
    elif dtype.startswith("int"):
        most = 10**6 if dtype == "int32" else 10**14
        numbers = [rng.randrange(-most, most) for _ in range(count)]
    else:
        numbers = [rng.uniform(-180, 180) for _ in range(count)]
    flat = numpy.array(numbers, dtype)
    return flat.reshape(-1, columns) if columns else flat
