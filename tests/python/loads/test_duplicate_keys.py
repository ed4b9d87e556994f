"""loads(duplicate_keys=...): keys that come twice, in small objects and large ones, with hooks, and in linear time."""

import json

import pytest
from growth import LARGE, SMALL, check_growth
from loads_values import WORDS, gives, refuses
from support import assert_same, call

import ocior

DUPLICATES = [  # a document, what "first" makes of it, the second key as it stands there
    ('{"a":1,"a":2}', {"a": 1}, '"a"'),
    ('{"a":1,"b":2,"a":3,"b":4}', {"a": 1, "b": 2}, '"a"'),
    ('{"a":{"a":1,"a":2},"b":0}', {"a": {"a": 1}, "b": 0}, '"a"'),
    ('{"x":[{"a":1},{"a":1, "b" : 2 , "a" : 3}]}', {"x": [{"a": 1}, {"a": 1, "b": 2}]}, '"a"'),
    ('{"":1,"a":2,"":3}', {"": 1, "a": 2}, '""'),
    ('{"a":1,"\\u0061":2}', {"a": 1}, '"\\u0061"'),
    ('{"\\u4e2d":1,"x":"}\\"{,","\u4e2d":2}', {"\u4e2d": 1, "x": '}"{,'}, '"\u4e2d"'),
    ('{"\xe9":1,"b":[{"c":[1,"a",{}]}],"\\u00e9":[]}', {"\xe9": 1, "b": [{"c": [1, "a", {}]}]}, '"\\u00e9"'),
    ('{"\\ud83d\\ude00":1,"\U0001f600":2}', {"\U0001f600": 1}, '"\U0001f600"'),
    ('{"\\"":1,"\\"":2}', {'"': 1}, '"\\""'),
    ('{"\\\\":1,"\\\\":2}', {"\\": 1}, '"\\\\"'),
    ('[{"a":1,"b":2},{"a":1,"a":2}]', [{"a": 1, "b": 2}, {"a": 1}], '"a"'),
]
ONCE = ["{}", '{"a":1}', '[{"a":1,"b":{"a":1}},{"a":1,"b":{"a":1}},{"b":{},"a":0}]', '{"a":{"a":{"a":["a","a"]}}}', '{"a":1,"A":2," a":3}']


@pytest.mark.parametrize("document, first, key", DUPLICATES)
def test_duplicate_keys(document, first, key):
    gives(document, json.loads(document), duplicate_keys="last")
    gives(document, first, duplicate_keys="first")
    refuses(document, "Duplicate key", document.rindex(key), duplicate_keys="error")


@pytest.mark.parametrize("document", ONCE)
@pytest.mark.parametrize("how", WORDS["duplicate_keys"])
def test_keys_that_come_once(document, how):
    gives(document, json.loads(document), duplicate_keys=how)


@pytest.mark.parametrize("name", ["key", "\xe9", "\u4e2d", "\U0001f600"])
@pytest.mark.parametrize("count", (5, 8, 60, 70, 1100, 5000))
def test_duplicate_keys_of_large_objects(name, count):
    keys = [f"{name} {index}" for index in range(count)]
    body = "{" + ",".join(f'"{key}":{index}' for index, key in enumerate(keys))
    for again in (0, count // 2, count - 1):
        document = body + f',"{keys[again]}":[]' + "}"
        for source in (document, document.encode()):
            value = ocior.loads(source, duplicate_keys="first")
            assert list(value.items()) == list(zip(keys, range(count), strict=True))
            error = call(ocior.loads, source, duplicate_keys="error").error
            assert (error.msg, error.pos) == ("Duplicate key", len(body) + 1), (count, again)
    assert ocior.loads(body + "}", duplicate_keys="error") == value


def test_duplicate_keys_and_hooks():
    document = '[{"a":1,"b":{"c":1,"c":2},"a":3}]'
    assert ocior.loads(document, duplicate_keys="first", object_hook=lambda value: sorted(value.items(), key=str)) == [
        [("a", 1), ("b", [("c", 1)])]
    ]
    for how in ("last", "first"):
        assert ocior.loads(document, duplicate_keys=how, object_pairs_hook=list) == [[("a", 1), ("b", [("c", 1), ("c", 2)]), ("a", 3)]]
    seen = []
    for hook in ("object_hook", "object_pairs_hook"):
        error = call(ocior.loads, document, duplicate_keys="error", **{hook: seen.append}).error
        assert (error.msg, error.pos, seen) == ("Duplicate key", 19, [])
        assert ocior.loads('{"a":{"b":1}}', duplicate_keys="error", **{hook: dict}) == {"a": {"b": 1}}
    assert ocior.loads(document, duplicate_keys="first", parse_int=str, array_hook=tuple) == ({"a": "1", "b": {"c": "1"}},)


@pytest.mark.parametrize("how", WORDS["duplicate_keys"])
def test_duplicate_keys_free_what_is_dropped(how):
    class Token:
        alive = 0

        def __init__(self, value):
            Token.alive += 1

        def __del__(self):
            Token.alive -= 1
            ocior.loads('{"a":{},"a":{}}', duplicate_keys="first")

    for document in ('{"a":{},"a":{},"b":{}}', '[{"a":{},"b":1,"a":{"x":{}}},{"a":{},"b":1,"a":{}}]', '{"a":{"b":1,"b":{}}}'):
        for hook in ("object_hook", "object_pairs_hook"):
            outcome = call(ocior.loads, document, duplicate_keys=how, **{hook: Token})
            del outcome
            assert Token.alive == 0


def test_duplicate_keys_name_the_first_mistake_of_the_grammar():
    """An object is looked at when it ends: what is wrong before that comes first."""
    for document in ('{"a":1,"a":x}', '{"a":1,"a":2', '{"a":1,"a":2]'):
        assert_same(call(ocior.loads, document, duplicate_keys="error"), call(json.loads, document), document)


def nested_objects(count):
    return "[" * (count // 64) + '{"a":' * (count // 2) + '{"b":1,"b":2}' + "}" * (count // 2) + "]" * (count // 64)


@pytest.mark.parametrize(
    "document_of",
    [
        lambda count: "{" + ",".join(['"k":1'] * count) + "}",
        lambda count: "{" + ",".join(f'"{index % 1000}":1' for index in range(count)) + "}",
        lambda count: "{" + ",".join(f'"{index}":1' for index in range(count)) + f',"{count - 1}":2}}',
        nested_objects,
        lambda count: '{"a":' + "[{}," * (count // 3) + "0" + "]" * (count // 3) + ',"a":1}',
    ],
    ids=["one key", "many keys", "last key", "objects in objects", "lists in lists"],
)
@pytest.mark.parametrize("how", WORDS["duplicate_keys"])
def test_duplicate_keys_in_linear_time(how, document_of):
    for convert in (str, str.encode):
        check_growth(
            lambda source: call(ocior.loads, source, duplicate_keys=how),
            lambda source: call(json.loads, source),
            convert(document_of(SMALL)),
            convert(document_of(LARGE)),
        )
