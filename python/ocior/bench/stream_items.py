"""The records that streams are made of: for a random generator and a number one value as JSON has it, the same on every machine."""

from ocior.bench import words

_BRANCHES = ("main", "release", "docs", "next")


def event(rng, index):
    """What a shop notes of a click: 12 fields, 240 bytes."""
    return {
        "id": 10_000_000 + index,
        "ts": f"2026-11-{rng.randrange(1, 29):02}T{rng.randrange(24):02}:{rng.randrange(60):02}:00.{rng.randrange(1000):03}Z",
        "user": f"u{rng.randrange(10**5)}",
        "session": f"{rng.getrandbits(128):032x}",
        "event": rng.choice(("click", "view", "purchase", "scroll")),
        "page": f"/products/{rng.choice(words.ENGLISH)}/{rng.randrange(5000)}",
        "price": round(rng.uniform(0, 1000), 2),
        "quantity": rng.randrange(1, 10),
        "ok": rng.random() < 0.9,
        "ref": rng.choice((None, "newsletter")),
        "lat": round(rng.uniform(-90, 90), 6),
        "lon": round(rng.uniform(-180, 180), 6),
    }


def push(rng, index):
    """What a code host tells of a push: objects in objects, and in a list; 1.2 KB."""
    owner, name = rng.choice(words.NAMES).lower(), rng.choice(words.ENGLISH)
    repository = f"https://api.example.com/repos/{owner}/{name}"
    return {
        "id": f"{30_000_000_000 + index}",
        "type": rng.choice(("PushEvent", "IssuesEvent", "WatchEvent")),
        "actor": {
            "id": rng.randrange(10**7),
            "login": owner,
            "gravatar_id": "",
            "url": f"https://api.example.com/users/{owner}",
            "avatar_url": f"https://avatars.example.com/u/{rng.randrange(10**6)}?",
        },
        "repo": {"id": rng.randrange(10**8), "name": f"{owner}/{name}", "url": repository},
        "payload": {
            "push_id": rng.randrange(10**10),
            "size": rng.randrange(1, 6),
            "distinct_size": 1,
            "ref": f"refs/heads/{rng.choice(_BRANCHES)}",
            "head": _hash(rng),
            "before": _hash(rng),
            "commits": [
                {
                    "sha": _hash(rng),
                    "author": {"email": f"a{rng.randrange(1000)}@example.com", "name": rng.choice(words.NAMES)},
                    "message": " ".join(rng.choices(words.ENGLISH, k=12)),
                    "distinct": True,
                    "url": f"{repository}/commits/{_hash(rng)}",
                }
                for _ in range(rng.randrange(1, 4))
            ],
        },
        "public": True,
        "created_at": f"2026-11-01T00:00:{rng.randrange(60):02}Z",
    }


def text(rng, index):
    """A page as models are trained on: one long string of 2.2 KB, with line ends, and in every third some quotation marks that are not
    ASCII."""
    sentences = [" ".join(rng.choices(words.ENGLISH, k=rng.randrange(8, 24))) for _ in range(rng.randrange(10, 33))]
    if index % 3 == 0:
        sentences[1] = f"“{sentences[1]}”"
    if index % 5 == 0:
        sentences[2] = f'"{sentences[2]}"'
    return {
        "id": f"doc-{index:08}",
        "text": ".\n\n".join([". ".join(sentences[:6]), ". ".join(sentences[6:])]),
        "meta": {"url": f"https://example.org/{index}", "lang": "en", "score": round(rng.random(), 4)},
    }


def _hash(rng):
    return f"{rng.getrandbits(160):040x}"
