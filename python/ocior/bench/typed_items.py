"""The items that documents for typed decoding are made of: for a random generator and a number one value as JSON has it, the same on every
machine. Their classes are in typed_classes.py."""

from uuid import UUID

from ocior.bench import rich_items, words
from ocior.bench.rich_items import Record

_COLUMNS = 40
# Fields of an event that are often null or not there at all.
_OPTIONAL = (
    ("ref", lambda rng: f"refs/heads/{rng.choice(words.ENGLISH)}"),
    ("ref_type", lambda rng: rng.choice(("branch", "tag"))),
    ("title", lambda rng: " ".join(rng.choices(words.ENGLISH, k=6))),
    ("description", lambda rng: " ".join(rng.choices(words.ENGLISH, k=20))),
    ("number", lambda rng: rng.randrange(10**5)),
    ("size", lambda rng: rng.randrange(100)),
    ("score", lambda rng: round(rng.random(), 4)),
    ("draft", lambda rng: rng.random() < 0.5),
    ("closed_at", lambda rng: _time(rng)),
    ("merged_at", lambda rng: _time(rng)),
    ("assignee", lambda rng: _user(rng)),
    ("labels", lambda rng: [rng.choice(words.ENGLISH) for _ in range(rng.randrange(1, 5))]),
)


def flat(rng, index):
    """A row of a table, 8 fields."""
    return dict(vars(rich_items.record(Record, rng, index)))


def order(rng, index):
    """Strings that stand for a UUID, a time, decimals and members of enums; objects in objects, and in a list."""
    return {
        "id": str(UUID(int=rng.getrandbits(128))),
        "placed_at": _time(rng),
        "due": rich_items.day(rng, index).isoformat(),
        "status": rng.choice(("open", "paid", "shipped", "cancelled")),
        "channel": rng.choice(("web", "shop", "phone")),
        "total": _price(rng),
        "customer": {
            "id": str(UUID(int=rng.getrandbits(128))),
            "name": rng.choice(words.NAMES),
            "address": {"street": f"{rng.choice(words.ENGLISH)} {rng.randrange(200)}", "city": rng.choice(words.CITIES)},
        },
        "lines": [
            {"sku": f"A-{rng.randrange(10**5):05}", "quantity": rng.randrange(1, 9), "price": _price(rng)}
            for _ in range(rng.randrange(1, 6))
        ],
        "note": rng.choice((None, "leave at the door")),
    }


def event(rng, index):
    """What a code host's API tells of an event: of twelve optional fields some are given, some null, and some not there."""
    return {
        "id": f"{rng.getrandbits(40)}",
        "type": rng.choice(("PushEvent", "CreateEvent", "IssuesEvent", "PullRequestEvent")),
        "public": True,
        "created_at": _time(rng),
        "actor": _user(rng),
        "repository": {
            "id": rng.randrange(10**8),
            "name": f"{rng.choice(words.NAMES).lower()}/{rng.choice(words.ENGLISH)}",
            "homepage": rng.choice((None, f"https://{rng.choice(words.ENGLISH)}.example.com")),
            "language": rng.choice((None, "Python", "C++", "Rust")),
            "stars": rng.randrange(10**5),
        },
        **{name: value(rng) if given else None for name, value in _OPTIONAL if (given := rng.random() < 0.45) or rng.random() < 0.5},
        "commits": [
            {
                "sha": f"{rng.getrandbits(160):040x}",
                "message": " ".join(rng.choices(words.ENGLISH, k=8)),
                **({"author": rng.choice(words.NAMES)} if rng.random() < 0.6 else {}),
            }
            for _ in range(rng.randrange(6))
        ],
    }


def tagged(rng, index):
    """One of four messages, told apart by `kind`, which stands first."""
    return (
        lambda: {"kind": "click", "x": rng.randrange(2000), "y": rng.randrange(1200), "target": f"#{rng.choice(words.ENGLISH)}"},
        lambda: {"kind": "view", "page": f"/{rng.choice(words.ENGLISH)}/{index}", "seconds": round(rng.expovariate(0.1), 3)},
        lambda: {
            "kind": "purchase",
            "sku": f"A-{rng.randrange(10**5):05}",
            "quantity": rng.randrange(1, 9),
            "price": round(rng.uniform(1, 300), 2),
            "coupon": rng.choice((None, "SPRING")),
        },
        lambda: {"kind": "search", "text": " ".join(rng.choices(words.ENGLISH, k=3)), "results": rng.randrange(500)},
    )[rng.randrange(4)]()


def column_names():
    return [f"m{number:02}" for number in range(_COLUMNS)]


def wide(rng, index):
    """A row of 40 numbers, every fourth an integer."""
    return {name: round(rng.uniform(-1000, 1000), 3) if number % 4 else rng.randrange(10**6) for number, name in enumerate(column_names())}


def package(rng, index):
    """14 fields, of which `name`, `version`, `downloads` and `keywords` are wanted."""
    name = f"{rng.choice(words.ENGLISH)}-{rng.choice(words.ENGLISH)}-{index}"
    return {
        "name": name,
        "summary": " ".join(rng.choices(words.ENGLISH, k=10)),
        "version": f"{rng.randrange(9)}.{rng.randrange(30)}.{rng.randrange(10)}",
        "author": {"name": rng.choice(words.NAMES), "email": f"user{rng.randrange(10**6)}@example.com"},
        "license": rng.choice(("MIT", "Apache-2.0", "BSD-3-Clause")),
        "homepage": f"https://{name}.example.com",
        "requires": [f"{rng.choice(words.ENGLISH)}>={rng.randrange(9)}.{rng.randrange(9)}" for _ in range(rng.randrange(6))],
        "files": [
            {"name": f"{name}.{kind}", "size": rng.randrange(10**7), "sha256": f"{rng.getrandbits(128):032x}"} for kind in ("whl", "tar.gz")
        ],
        "downloads": rng.randrange(10**8),
        "uploaded_at": _time(rng),
        "yanked": rng.random() < 0.05,
        "keywords": [rng.choice(words.ENGLISH) for _ in range(rng.randrange(5))],
        "description": " ".join(rng.choices(words.ENGLISH, k=16)),
        "score": rng.random(),
    }


def tiny(rng, index):
    return {"id": rng.randrange(10**6), "name": rng.choice(words.NAMES), "active": True}


def word(rng, index):
    return f"{rng.choice(words.ENGLISH)}-{index}"


def _user(rng):
    return {
        "id": rng.randrange(10**7),
        "login": rng.choice(words.NAMES).lower(),
        "avatar": rng.choice((None, f"/u/{rng.getrandbits(24):x}")),
    }


def _time(rng):
    """In UTC, half of them with microseconds."""
    return rich_items.moment(rng, None).isoformat() + "Z"


def _price(rng):
    return f"{rng.randrange(1, 300)}.{rng.randrange(100):02}"
