#!/usr/bin/env python3
"""The work that profiles are recorded from: every road of ocior, over documents made here. Repeatable: a fixed seed, fixed counts.

    OCIOR_ISA=v3 PYTHONPATH=... python3 tools/train.py

What takes less than a hundredth of the training is compiled for size afterwards, so the roads share the work: each pair of a
call and a document gets about the same number of characters. The documents resemble what people send, not what we measure with.
"""

import io
import json
import random
from datetime import datetime, timedelta

import ocior

_SEEDS = range(4)
_CHARACTERS_PER_PAIR = 200_000
_TINY_CALLS = 1000

_ASCII_WORDS = (
    "the build has finished release of order for client request user service in and by with connection status retry after "
    "timeout queue worker cache memory index row page account invoice payment shipped pending warehouse north"
).split()
_LATIN_WORDS = "café déjà garçon Straße übermäßig señor mañana façade naïve Ærø smörgåsbord coração maçã forêt über 15 °C".split()
_CYRILLIC_WORDS = "новый заказ принят доставка завтра склад клиент ответил спасибо и по в не очень хорошо сегодня".split()
_GREEK_WORDS = "καλημέρα κόσμε η παραγγελία σας είναι έτοιμη και το".split()
_CJK_WORDS = "订单 已经 发货 今天 天气 很 好 東京 都 新しい 商品 が 届きました ありがとう 서울 날씨 가 좋아요 数据 库 更新 完成".split()
_EMOJI_WORDS = "😀 🎉🎉 👍🏽 🇫🇷 ok great 👩‍👩‍👧 see you 🚀 done ❤️ lol 😂😂😂".split()
_ESCAPED_WORDS = [
    '"quoted"',
    "C:\\Users\\anna\\file.txt",
    "line\nbreak",
    "tab\there",
    '{"a": "b"}',
    "a/b",
    "\r\n",
    "plain",
    "text",
    "\x1b[31m",
]


class _Maker:
    """Makes documents, all from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.below = self.random.randrange
        self.pick = self.random.choice

    def text(self, words, least, most):
        return " ".join(self.random.choices(words, k=self.random.randint(least, most)))

    def identifier(self, length=24):
        return "".join(self.random.choices("0123456789abcdef", k=length))

    def time(self):
        return (datetime(2021, 3, 1) + timedelta(seconds=self.below(10**8))).isoformat() + "Z"

    def message(self, words):
        """A post with its author, as the services of the web send them: always the same keys, now and then one more."""
        post = {
            "id": self.below(10**17, 10**18),
            "uuid": self.identifier(32),
            "created": self.time(),
            "text": self.text(words, 3, 30),
            "author": {
                "id": self.below(10**9),
                "name": self.text(words, 1, 2),
                "screen_name": self.pick(_ASCII_WORDS),
                "verified": self.below(2) == 0,
                "followers": self.below(100_000),
                "url": None,
                "image": f"https://images.example.org/{self.identifier()}/normal.jpg",
                "place": self.text(words, 0, 3),
            },
            "tags": [{"text": self.pick(words), "range": [self.below(100), self.below(100, 140)]} for _ in range(self.below(4))],
            "replies": self.below(50),
            "rating": round(self.random.uniform(0, 5), 2),
            "reply_to": None,
            "truncated": False,
        }
        if self.below(6) == 0:
            post["place"] = {
                "name": self.text(words, 1, 3),
                "box": [[round(self.random.uniform(-180, 180), 6) for _ in "xy"] for _ in range(4)],
            }
        return post

    def catalogue(self):
        """Tables of small objects under numbered keys, integers mostly."""
        return {
            "names": {str(self.below(10**8, 10**9)): self.text(_ASCII_WORDS, 1, 4).title() for _ in range(60)},
            "events": {
                str(number): {
                    "id": number,
                    "name": self.text(_ASCII_WORDS, 2, 5),
                    "topics": [self.below(10**8, 10**9) for _ in range(3)],
                    "logo": None,
                }
                for number in (self.below(10**8, 10**9) for _ in range(50))
            },
            "prices": [
                {
                    "event": self.below(10**8, 10**9),
                    "areas": [{"area": self.below(10**8), "seats": []} for _ in range(4)],
                    "amount": self.below(10**5),
                    "free": False,
                }
                for _ in range(60)
            ],
        }

    def irregular(self, depth=5):
        """Values whose shape cannot be foretold."""
        kind = self.below(9 if depth else 5)
        if kind == 0:
            return self.below(-1000, 100_000)
        if kind == 1:
            return round(self.random.gauss(0, 100), self.below(1, 8))
        if kind == 2:
            return self.pick((None, True, False, "", [], {}))
        if kind <= 4:
            return self.text(self.pick((_ASCII_WORDS, _ASCII_WORDS, _LATIN_WORDS, _CJK_WORDS)), 0, 6)
        if kind <= 6:
            return [self.irregular(depth - 1) for _ in range(self.below(7))]
        return {self.text(_ASCII_WORDS, 1, 2): self.irregular(depth - 1) for _ in range(self.below(9))}

    def integers(self):
        return [
            self.pick((1, 1, -1)) * self.random.getrandbits(self.pick((4, 7, 8, 12, 16, 24, 32, 40, 53, 62, 64, 100))) for _ in range(700)
        ]

    def floats(self):
        uniform = self.random.uniform
        return (
            [uniform(-1, 1) for _ in range(250)]
            + [round(uniform(0, 1000), 2) for _ in range(150)]
            + [float(self.below(10**6)) for _ in range(50)]
            + [uniform(1, 10) * 10.0 ** self.below(-300, 300) for _ in range(60)]
            + [0.0, -0.0, 1e16, 5e-324, 1.5e300]
        )

    def outline(self):
        """Coordinates of a map: lists of pairs."""
        x, y = self.random.uniform(-90, 90), self.random.uniform(-90, 90)
        line = []
        for _ in range(500):
            x, y = x + self.random.gauss(0, 0.01), y + self.random.gauss(0, 0.01)
            line.append([x, y] if self.below(3) else [round(x, 6), round(y, 5)])
        return {"type": "Collection", "shapes": [{"type": "Shape", "properties": {"name": "north"}, "coordinates": [line]}]}


def documents(maker):
    """Values of a few to some dozens of kilobytes each."""

    def of(words):
        return {"posts": [maker.message(words) for _ in range(25)], "next": maker.identifier()}

    nested = 1
    for _ in range(60):
        nested = {"next": [nested, "a"]}
    return [
        of(_ASCII_WORDS),
        of(_ASCII_WORDS + _LATIN_WORDS),
        of(_CYRILLIC_WORDS + _GREEK_WORDS),
        of(_CJK_WORDS),
        of(_ASCII_WORDS + _EMOJI_WORDS + _CJK_WORDS),
        of(_ASCII_WORDS + _ESCAPED_WORDS),
        maker.catalogue(),
        [maker.irregular() for _ in range(60)],
        maker.integers(),
        maker.floats(),
        maker.outline(),
        maker.random.choices([None, True, False], k=2000),
        [maker.pick(_ASCII_WORDS) for _ in range(1000)],
        [maker.pick(maker.pick((_LATIN_WORDS, _CYRILLIC_WORDS, _CJK_WORDS, _EMOJI_WORDS))) for _ in range(500)],
        [{maker.pick(words): number for words in (_LATIN_WORDS, _CYRILLIC_WORDS, _CJK_WORDS, _ASCII_WORDS)} for number in range(200)],
        [maker.text(_ASCII_WORDS, 100, 500) for _ in range(6)],
        [maker.text(_LATIN_WORDS, 100, 500) for _ in range(6)],
        [maker.text(_CYRILLIC_WORDS, 100, 500) for _ in range(6)],
        ["".join(maker.random.choices(_CJK_WORDS, k=400)) for _ in range(6)],
        [maker.text(_EMOJI_WORDS, 50, 200) for _ in range(6)],
        [maker.text(_ESCAPED_WORDS + _ASCII_WORDS, 50, 200) for _ in range(6)],
        nested,
    ]


def _repeat(size, call, *arguments, **keywords):
    for _ in range(max(2, _CHARACTERS_PER_PAIR // max(size, 1))):
        call(*arguments, **keywords)


def train_encoding(value):
    size = len(ocior.dumps_to_bytes(value))
    for escaped in (True, False):
        _repeat(size, ocior.dumps, value, ensure_ascii=escaped)
        _repeat(size, ocior.dumps, value, ensure_ascii=escaped, separators=(",", ":"))
        _repeat(size, ocior.dumps, value, ensure_ascii=escaped, indent=2)
        _repeat(size * 4, ocior.dumps_to_bytes, value, ensure_ascii=escaped, indent=4)
        _repeat(size * 4, ocior.dumps, value, ensure_ascii=escaped, sort_keys=True)
    _repeat(size, ocior.dumps_to_bytes, value)
    _repeat(size, ocior.dumps_to_bytes, value, indent=2)
    _repeat(size * 2, ocior.dumps_to_bytes, value, ensure_ascii=True)
    _repeat(size * 4, ocior.dumps, value, indent="\t")
    _repeat(size * 4, ocior.dump, value, io.StringIO(), ensure_ascii=False)
    _repeat(size * 4, ocior.JSONEncoder(ensure_ascii=False).encode, value)


def train_decoding(value):
    texts = {
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        json.dumps(value, ensure_ascii=False, separators=(",", ":")),
        json.dumps(value, ensure_ascii=False, indent=2),
    }
    for text in sorted(texts):
        data = text.encode()
        _repeat(len(text), ocior.loads, text)
        _repeat(len(text), ocior.loads, data)
    _repeat(len(text) * 4, ocior.loads, bytearray(data))
    _repeat(len(text) * 8, ocior.loads, text.encode("utf-16"))
    _repeat(len(text) * 4, ocior.loads, text, object_hook=lambda members: members)
    _repeat(len(text) * 4, ocior.loads, data, object_pairs_hook=dict)
    _repeat(len(text) * 8, ocior.loads, data, parse_float=str, parse_int=str)
    for damaged in (text[:-1], text[: len(text) // 2], text + "x"):
        try:
            ocior.loads(damaged)
        except ocior.JSONDecodeError:
            pass


def train_tiny():
    """Documents so small that the call itself is the work."""
    values = [
        1,
        -1.5,
        "x",
        "",
        True,
        None,
        [],
        {},
        [1, 2, 3],
        {"ok": True},
        {"id": 17, "name": "anna"},
        ["a", "b"],
        "中文",
        {"名": "値"},
        {"jsonrpc": "2.0", "method": "add", "params": [1, 2.5], "id": 3},
        {"error": {"code": -32600, "message": "café"}},
        "😀",
    ]
    for value in values:
        text = json.dumps(value, ensure_ascii=False)
        data = text.encode()
        for _ in range(_TINY_CALLS):
            ocior.loads(text)
            ocior.loads(data)
            ocior.dumps(value)
            ocior.dumps(value, ensure_ascii=False)
            ocior.dumps_to_bytes(value)


def train_hooks(maker):
    """Types that json does not know, and those derived from the ones it knows."""

    class Text(str):
        pass

    rows = [{"time": datetime(2021, 3, 1), "tags": {"a"}, "pair": (1, "b"), 5: Text("five"), "count": maker.below(100)} for _ in range(100)]
    for _ in range(10):
        ocior.dumps(rows, default=str)
        ocior.dumps_to_bytes(rows, default=str)
        ocior.dumps(rows, default=str, ensure_ascii=False, indent=2)


def main():
    for seed in _SEEDS:
        maker = _Maker(seed)
        values = list(documents(maker))
        for value in [*values, values]:
            train_encoding(value)
            train_decoding(value)
        train_tiny()
        train_hooks(maker)


if __name__ == "__main__":
    main()
