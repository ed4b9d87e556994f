"""Equal keys of a document are one object, as json has it: in documents of any size, for keys of every width and length, from every input."""

import json
import sys

import pytest
from support import IS_QUICK, WIDTHS
from threads import together

import ocior

THOUSANDS = 2 if IS_QUICK else 20
# A key of that number, by what tells it apart from others.
KEYS = {
    **{width: (lambda number, sample=sample: f"{sample}{number}") for width, sample in WIDTHS.items()},
    "escaped": lambda number: f"/\n{number}",
    "long": lambda number: "k" * 65 + str(number),
    "long wide": lambda number: "\u4e2d" * 70 + str(number),
    "very long": lambda number: "k" * 600 + str(number),
    "short": lambda number: format(number, "x"),
    "hostile": lambda number: f"12345678{number:09d}12345678",
}
# How many maps of how many keys, and the first number of each map's keys.
SHAPES = {
    "maps that are equal": (4, 1000 * THOUSANDS, lambda index: 0),
    "maps that overlap": (8, 500 * THOUSANDS, lambda index: 100 * index),
    "maps of two kinds": (6, 1000 * THOUSANDS, lambda index: (index % 2) * 10**6),
    "records of many kinds": (1200, 5, lambda index: index % 300 * 5),
}


def document_of(shape, key):
    count, size, first = SHAPES[shape]
    return json.dumps([{key(first(index) + number): 1 for number in range(size)} for index in range(count)], ensure_ascii=False)


def assert_shared(maps):
    keys = [key for pairs in maps for key in pairs]
    assert len(set(map(id, keys))) == len(set(keys))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("shape", SHAPES)
def test_keys_are_shared(shape, key):
    document = document_of(shape, KEYS[key])
    for text in (document, document.encode()):
        value = ocior.loads(text)
        assert_shared(value)
        assert value == json.loads(text)


@pytest.mark.parametrize("shape", SHAPES)
def test_keys_are_shared_backwards(shape):
    count, size, first = SHAPES[shape]
    value = [{f"k{first(index) + number}": 1 for number in range(size)[:: -1 if index % 2 else 1]} for index in range(count)]
    assert_shared(ocior.loads(json.dumps(value)))


@pytest.mark.parametrize("shape", SHAPES)
def test_keys_that_hooks_are_given_are_shared(shape):
    document = document_of(shape, KEYS["ascii"])
    assert_shared([key for key, _ in pairs] for pairs in ocior.loads(document, object_pairs_hook=list))
    seen = []
    ocior.loads(document, object_hook=seen.append)
    assert_shared(seen)
    assert_shared(ocior.loads(document, object_hook=lambda value: dict(value)))
    assert_shared(ocior.JSONDecoder(object_pairs_hook=lambda pairs: dict(pairs)).decode(document))


def test_equal_keys_of_one_object_are_shared():
    pairs = ocior.loads("{" + ",".join(['"k%d":1' % (number % 6000) for number in range(18_000)]) + "}", object_pairs_hook=list)
    assert_shared([[key for key, _ in pairs]])


def test_keys_are_shared_whatever_came_before():
    """Keys of documents before, known to shapes or not, are the same objects wherever a document has them."""
    small = json.dumps([{"a1": 1, "b1": {"c1": 2}}, {"b1": 1, "a1": 2}])
    for turn in range(6):
        others = json.dumps([{f"turn{turn}_{number}": 1} for number in range(3000)])
        ocior.loads(others)
        value = ocior.loads(f"[{small}, {others}, {small}]")
        maps = [*value[0], value[0][0]["b1"], *value[1], *value[2], value[2][0]["b1"]]
        assert_shared(maps[:3] + maps[-3:])


@pytest.mark.parametrize("shape", SHAPES)
def test_keys_are_shared_after_many_that_were_not(shape):
    """What one document has been like says nothing of the next."""
    document = document_of(shape, lambda number: f"after{number}")
    for turn in range(2):
        ocior.loads(json.dumps([{f"once{turn}_{shape}_{number}": 1} for number in range(30_000)]))
        assert_shared(ocior.loads(document))


def test_dicts_that_hooks_drop_are_gone_at_once():
    class Witness:
        def __del__(self):
            gone.append(self)

    def hook(value):
        value["witness"] = Witness()
        if "inner" in value:
            counts.append(len(gone))
        return len(value)

    gone, counts = [], []
    unique = ",".join(f'"once {number}": 1' for number in range(9000))
    ocior.loads("[" + ",".join(f'{{"inner": {{"{number}": 1, {unique}}}}}' for number in range(3)) + "]", object_hook=hook)
    assert counts == [1, 3, 5]


def test_objects_within_objects_share_keys():
    names = [f"name{number}" for number in range(3000)]
    value = ocior.loads(json.dumps({name: dict.fromkeys(names[:200], 1) for name in names[:100]}))
    assert_shared([value, *value.values()])


def test_threads_share_keys_of_their_documents():
    document = document_of("maps that overlap", KEYS["ascii"])

    def work(number):
        for _ in range(2):
            assert_shared(ocior.loads(document))

    together(work, 4)


def test_no_key_is_kept_for_long():
    """What one document has needed is given back once others come."""
    document = json.dumps({f"never again {number}": 1 for number in range(50_000)})
    ocior.loads(document)
    before = sys.getallocatedblocks()
    for turn in range(3):
        ocior.loads(document.replace("never", f"never{turn}"))
    assert sys.getallocatedblocks() - before < 25_000
