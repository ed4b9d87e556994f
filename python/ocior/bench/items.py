"""The items that generated documents are made of: for a random generator and a number one value, the same on every machine."""

import base64
import json
from urllib.parse import quote

from ocior.bench import words

_TREE_LEVELS = 8
_WIDE_KEYS = 500
_RESET = "\x1b[0m"
_COLOURS = {"DEBUG": "\x1b[36m", "INFO": "\x1b[32m", "WARNING": "\x1b[33m", "ERROR": "\x1b[31m", "CRITICAL": "\x1b[1;31m"}


def record(rng, index):
    """A row of a table, 10 keys."""
    return {
        "id": index,
        "name": rng.choice(words.NAMES),
        "email": f"user{rng.randrange(10**6)}@example.com",
        "age": rng.randrange(18, 90),
        "active": rng.random() < 0.7,
        "balance": round(rng.uniform(-1e3, 1e5), 2),
        "created_at": _time(rng),
        "city": rng.choice(words.CITIES),
        "score": rng.random(),
        "parent": rng.choice((None, rng.randrange(10**5))),
    }


def tree(rng, index, level=1):
    """A tree exactly eight levels deep; most branches end earlier."""
    node = {"name": f"node-{index}-{level}", "size": rng.randrange(10**6), "kind": rng.choice(("dir", "file", "link"))}
    if level < _TREE_LEVELS:
        widest = 3 if level in (2, 4) else 1
        children = [tree(rng, index, level + 1)]
        children += [{"name": f"leaf-{rng.randrange(1000)}", "size": rng.randrange(10**4), "kind": "file"} for _ in range(widest)]
        node["children"] = children
    return node


def api(rng, index):
    """One resource of an API's answer: several shapes nested, some keys only now and then."""
    resource = {
        "id": f"{rng.getrandbits(64):016x}",
        "type": rng.choice(("order", "invoice", "refund")),
        "attributes": {
            "total": {"amount": rng.randrange(10**6), "currency": rng.choice(("EUR", "USD", "JPY"))},
            "placed_at": _time(rng),
            "note": rng.choice((None, "", _phrase(rng, words.ENGLISH, 12))),
            "paid": rng.random() < 0.5,
        },
        "items": [
            {"sku": f"A-{rng.randrange(10**5):05}", "quantity": rng.randrange(1, 9), "price": round(rng.uniform(1, 300), 2)}
            for _ in range(rng.randrange(1, 5))
        ],
        "links": {"self": f"https://api.example.com/v2/orders/{index}", "next": f"https://api.example.com/v2/orders/{index + 1}"},
    }
    if rng.random() < 0.3:
        resource["customer"] = {"name": rng.choice(words.NAMES), "city": rng.choice(words.CITIES), "tags": ["new", "eu"]}
    if rng.random() < 0.1:
        resource["errors"] = [{"code": rng.randrange(400, 500), "detail": _phrase(rng, words.ENGLISH, 6)}]
    return resource


def wide(rng, index):
    """A row of 500 columns, as data frames are sent."""
    kinds = (lambda: rng.randrange(1000), lambda: round(rng.uniform(0, 100), 3), lambda: rng.choice(words.ENGLISH), lambda: None)
    return {f"column_{number:03}": kinds[number % 4]() for number in range(_WIDE_KEYS)}


def log_line(rng, index):
    line = {
        "time": _time(rng),
        "level": rng.choice(("INFO", "INFO", "INFO", "WARNING", "ERROR")),
        "logger": "app.orders",
        "message": _phrase(rng, words.ENGLISH, rng.randrange(4, 20)),
        "request": f"{rng.getrandbits(128):032x}",
        "duration_ms": round(rng.expovariate(0.02), 3),
        "status": rng.choice((200, 200, 201, 304, 404, 500)),
    }
    if rng.random() < 0.2:
        line["user"] = {"id": rng.randrange(10**6), "roles": ["reader", "writer"]}
    return line


def prose(vocabulary):
    def item(rng, index):
        return {
            "id": index,
            "author": _phrase(rng, vocabulary, 2),
            "title": _phrase(rng, vocabulary, rng.randrange(2, 7)),
            "text": _phrase(rng, vocabulary, rng.randrange(8, 60)),
            "tags": [rng.choice(vocabulary) for _ in range(rng.randrange(4))],
        }

    return item


def cjk(rng, index):
    def run(least, most):
        return "".join(map(chr, (rng.randrange(0x4E00, 0x9FA5) for _ in range(rng.randrange(least, most)))))

    return {"id": index, "作者": run(2, 4), "标题": run(4, 20), "正文": run(20, 140) + "。", "标签": [run(2, 5) for _ in range(3)]}


def long_cjk(rng, index):
    """Long strings as keys and values, where UTF-8 copies show: the memory experiment's strings, made unlike each other."""
    character = chr(0x4E00 + index % 0x5000)
    return character * 2 ** (index % 16), "文" * 2 ** (index % 16 + 1)


def escapes(rng, index):
    """JSON inside JSON, Windows paths, quotations, lines of a traceback."""
    folder = "\\".join(rng.choice(words.ENGLISH) for _ in range(rng.randrange(2, 7)))
    return {
        "payload": json.dumps({"id": index, "inner": json.dumps(record(rng, index)), "quote": '"'}),
        "path": f"C:\\Users\\{rng.choice(words.NAMES)}\\{folder}.txt",
        "log": f'Traceback:\n\tFile "{rng.choice(words.ENGLISH)}.py", line {index}\n\t\traise "{_phrase(rng, words.ENGLISH, 4)}"\r\n',
    }


def lines(rng, index):
    """A message of a few lines with a quotation, in one of four scripts."""
    vocabulary = (words.LATIN1, words.CYRILLIC, words.EMOJI, words.CJK)[index % 4]
    lines = [_phrase(rng, vocabulary, rng.randrange(3, 12)) for _ in range(rng.randrange(1, 6))]
    return {"id": index, "quote": f'"{_phrase(rng, vocabulary, 3)}"', "message": "\n".join(lines)}


def integer(rng, index):
    kind = index % 5
    if kind < 2:
        return rng.randrange(-1000, 1000)
    return (rng.getrandbits(31), 1_700_000_000_000 + rng.randrange(10**10), rng.getrandbits(63) - (1 << 62))[kind - 2]


def floating(rng, index):
    kind = index % 4
    if kind == 0:
        return round(rng.uniform(0, 1000), 2)
    if kind == 1:
        return round(rng.uniform(-180, 180), 6)
    return rng.random() if kind == 2 else rng.uniform(1, 10) * 10.0 ** rng.randrange(-30, 30)


def literal(rng, index):
    return rng.choice((True, False, None))


def tiny(rng, index):
    """A request of under 200 bytes."""
    return (
        lambda: {"jsonrpc": "2.0", "method": "orders.get", "params": {"id": rng.randrange(10**6)}, "id": index},
        lambda: {"user": rng.choice(words.NAMES), "ok": True},
        lambda: [rng.randrange(1000), rng.random(), None],
        lambda: {"event": "click", "x": rng.randrange(2000), "y": rng.randrange(1200), "at": _time(rng), "target": "#buy"},
    )[rng.randrange(4)]()


def unique(rng, index):
    return f"{rng.getrandbits(64):016x}", {"n": index, f"k{rng.getrandbits(40):x}": rng.choice(words.ENGLISH)}


def log_text(rng, index):
    """A line as a terminal gets it, with colours: control characters that have no short escape, among text that needs none."""
    level = rng.choice(tuple(_COLOURS))
    where = f"\x1b[90mapp.{rng.choice(words.ENGLISH)}:{rng.randrange(1, 900)}{_RESET}"
    line = f"{_time(rng)} {_COLOURS[level]}{level:<8}{_RESET} {where} {_phrase(rng, words.ENGLISH, rng.randrange(3, 16))}"
    return {"line": line + (f" \x1b[1m{rng.randrange(1000)} ms{_RESET}\n" if index % 3 else "\n"), "stream": "stderr"}


def base64_text(rng, index):
    """A file in a string: 400 to 4000 characters, none of which is escaped."""
    return {"name": f"part-{index}.bin", "data": base64.b64encode(rng.randbytes(rng.randrange(300, 3000))).decode()}


def url(rng, index):
    """Addresses with long queries, slashes and percent signs in them."""
    path = "/".join(rng.choice(words.ENGLISH) for _ in range(rng.randrange(1, 6)))
    query = "&".join(
        f"{rng.choice(words.ENGLISH)}={quote(_phrase(rng, words.LATIN1, rng.randrange(1, 4)))}" for _ in range(rng.randrange(5))
    )
    return f"https://{rng.choice(('www', 'cdn', 'api'))}.example.com/{path}?{query}#{rng.getrandbits(32):x}"


def html(rng, index):
    """Fragments of a page: many quotation marks, some lines and tabs."""
    rows = [
        f'\t<li class="item {rng.choice(words.ENGLISH)}" data-id="{rng.randrange(10**5)}"><a href="/p/{rng.randrange(10**4)}">'
        f"{_phrase(rng, words.ENGLISH, rng.randrange(1, 8))}</a> &amp; <b>{rng.choice(words.NAMES)}</b></li>\n"
        for _ in range(rng.randrange(1, 7))
    ]
    return {"id": index, "html": f'<ul id="list-{index}" style="margin: 0">\n{"".join(rows)}</ul>\n'}


def sql(rng, index):
    """Statements over several lines, with quoted names and literals."""
    columns = ", ".join(f'"{rng.choice(words.ENGLISH)}_{number}"' for number in range(rng.randrange(1, 9)))
    where = f"name = '{rng.choice(words.NAMES)}''s' AND created_at >= '{_time(rng)}'"
    return {
        "query": f'SELECT {columns}\nFROM "{rng.choice(words.ENGLISH)}" AS t\nWHERE {where}\n\tAND id > {rng.randrange(10**6)}\nLIMIT 50;',
        "ms": round(rng.expovariate(0.1), 2),
    }


def _time(rng):
    day = f"20{rng.randrange(10, 27)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
    return f"{day}T{rng.randrange(24):02}:{rng.randrange(60):02}:00Z"


def _phrase(rng, vocabulary, count):
    return " ".join(rng.choices(vocabulary, k=count))
