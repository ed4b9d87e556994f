"""What the tests of pointers and views share: an oracle that follows a JSON pointer through what loads gives, and documents and pointers at
random."""

import json

NOTHING = object()


def follow(value, pointer):
    """What the pointer leads to in a value; NOTHING where it leads nowhere."""
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if type(value) is dict and token in value:
            value = value[token]
        elif type(value) is list and token in map(str, range(len(value))):
            value = value[int(token)]
        else:
            return NOTHING
    return value


def pointer_to(*tokens):
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


KEYS = ["a", "b", "c", "", "0", "1", "2", "10", "01", "-", "a/b", "m~n", "~", "~1", "\xe9", "\u4e2d", "\U0001f600", 'q"', "\\", "\x01"]
KEYS += ["long" * 20, "\ud800", "\ufffd", "a key with spaces, which is long", *(f"k{number}" for number in range(12))]
SCALARS = ["1", "-2.5", "1e5", "null", "true", "false", '"x"', '"\\n\xe9"', '"\u4e2d"', "12345678901234567890", "NaN", "1e999"]
SCALARS += ['"\\ud800"', '""', f'"{"z" * 40}"', "[]", "{}"]


def random_string(random, text):
    """The JSON text of a string, in which any character may be escaped."""
    escaped = (json.dumps(char)[1:-1] if char in '"\\' or char < " " or random.random() < 0.1 else char for char in text)
    return f'"{"".join(escaped)}"'


def random_document(random, depth=4):
    def space():
        return random.choice(["", "", "", " ", "\n  ", "\t"])

    def items(make, count):
        return f"{space()},{space()}".join(make() for _ in range(count))

    kind, count = random.random(), random.choice([0, 1, 2, 3, 5, 12])
    if depth == 0 or kind < 0.35:
        return random.choice(SCALARS)
    if kind < 0.6:
        return f"[{space()}{items(lambda: random_document(random, depth - 1), count)}{space()}]"

    def member():
        return random_string(random, random.choice(KEYS)) + space() + ":" + space() + random_document(random, depth - 1)

    return f"{{{space()}{items(member, count)}{space()}}}"


def random_pointer(random):
    return pointer_to(*(random.choice(KEYS) for _ in range(random.choice([0, 1, 1, 1, 2, 2, 3]))))


def random_form(random, text):
    """The document as one of the inputs that loads takes."""
    form = random.random()
    if form < 0.4:
        return text
    if form < 0.5:
        return text.encode("utf-16", "surrogatepass")
    return (bytearray if form > 0.9 else bytes)(text.encode("utf-8", "surrogatepass"))


def random_policies(random):
    words = {
        "duplicate_keys": ["first", "last", "error"],
        "surrogates": ["keep", "replace", "error"],
        "non_finite": ["constant", "null", "error"],
        "big_integers": ["exact", "str", "float", "error"],
        "max_depth": [1, 2, 3, 4],
        "strict": [True, False],
    }
    return {name: random.choice(words[name]) for name in words if random.random() < 0.25}
