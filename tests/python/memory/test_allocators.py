"""Blocks and the allocators that they come from: each is freed by its own, none is written past, and another may be put in place between
calls."""

import json
import random
import tracemalloc

import pytest
from support import check_python, run_python, some

import ocior


def test_small_texts_of_all_lengths_are_kept_and_freed_in_any_order():
    """They may be blocks of pymalloc's, taken by hand: from pools that others use, too, and that fill and empty meanwhile."""
    kept, randrange = {}, random.Random(5).randrange
    for number in range(60_000):
        if number % 20_000 == 15_000:
            for place in list(kept)[::3]:
                del kept[place]
        text = "a" * randrange(1, 500) if number % 3 else "\xe9\u4e2d\U0001f600"[number % 5 % 3] * randrange(1, 120)
        other = bytes(randrange(1, 500))  # and of others
        make = ocior.dumps_to_bytes if number % 2 else (lambda value: ocior.dumps(value, ensure_ascii=False))
        kept[randrange(6000)] = (number % 2, text, make(text), other)
    for is_bytes, text, result, other in kept.values():
        assert result == (f'"{text}"'.encode() if is_bytes else f'"{text}"')
        assert hash(result) == hash(f'"{text}"'.encode() if is_bytes else f'"{text}"')
        assert not any(other)


@pytest.mark.parametrize("allocator", ["debug", "malloc", "pymalloc", "pymalloc_debug"])
def test_every_block_comes_from_the_allocator_that_frees_it(allocator):
    """CPython's debug allocators end the process over a block that is freed as another kind than it was taken as."""
    if run_python("", env={"PYTHONMALLOC": allocator}).returncode != 0:
        pytest.skip("not in this interpreter")
    check_python(
        """
        import json, ocior
        wide = "\\u4e2d\\xe9"
        for keys in (1, 5, 6, 10, 11, 40, 200):
            record = {f"key {i}": [i, i * 1e9, i / 3, f"text {i}", wide + str(i), None] for i in range(keys)}
            document = json.dumps([record] * 20 + [{f"{i}": i, wide: wide} for i in range(keys)], ensure_ascii=False)
            for text in (document, document.encode()):
                for _ in range(3):
                    value = ocior.loads(text)
                    assert value == json.loads(text)
                    for made in value:  # growing a table frees the one that was made
                        made.update(dict.fromkeys(map(str, range(300))))
                        made.pop("1")
                        made.clear()
        for items in (8191, 8192, 30000):
            for text in (json.dumps(list(range(items))), json.dumps({"a": [1.5] * items, "b": [[None] * items, "x"]})):
                value = ocior.loads(text)
                assert value == json.loads(text)
                (value if type(value) is list else value["a"]).extend(range(items))
        for _ in range(3):
            text = [wide * n for n in range(1, 50)]
            assert ocior.dumps_to_bytes(text, is_write_cache=True) == json.dumps(text, ensure_ascii=False, separators=(",", ":")).encode()
            del text
    """,
        env={"PYTHONMALLOC": allocator},
    )


def test_everything_finds_room_wherever_it_stands():
    """CPython's debug allocator ends the process over a block that was written past."""
    if run_python("", env={"PYTHONMALLOC": "debug"}).returncode != 0:
        pytest.skip("not in this interpreter")
    check_python(
        r"""
        import json, sys, ocior
        for last in ("", "\xe9", "\u4e2d", "\U0001f600"):
            for filling in ("a", "\xe8", "\n", "\x01", "\u4e00"):
                for length in map(int, sys.argv[1:]):
                    text = filling * (length - 1) + (last or filling)
                    for before in (0, 1, 7, 50):
                        for total in (3000, 36000):
                            texts = ["x" * before, *[text] * (total // len(json.dumps(text, ensure_ascii=False)) + 1)]
                            for value in (texts, {text[i // 2:] + str(i): text for i in range(len(texts))}):
                                for options in ({"ensure_ascii": False}, {}, {"ensure_ascii": False, "indent": 1}):
                                    assert ocior.dumps(value, **options) == json.dumps(value, **options)
                                expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                                assert ocior.dumps_to_bytes(value) == expected.encode()
        for size in (1, 40, 333, 2000):
            for options in (
                {}, {"separators": ("," + " " * size, ":" + "\xa0" * size)}, {"separators": ("," + "\u3000" * size, ":")}, {"indent": size},
                {"indent": "\t" * size}, {"indent": "\xa0 " * size},
            ):
                for width in ("", "\xe9", "\u4e2d"):
                    for before in range(0, 400, 61):
                        value = ["x" * before, width, *[[1, {"a": [10 ** size] * 2, "b": None}, []]] * (12000 // size + 1)]
                        assert ocior.dumps(value, ensure_ascii=False, **options) == json.dumps(value, ensure_ascii=False, **options)
    """,
        *some([1, 5, 20, 40, 63, 64, 65, 100, 130, 255, 256, 257, 300, 1023, 1025], 5),
        env={"PYTHONMALLOC": "debug"},
    )


@pytest.mark.parametrize("allocator", some(["malloc", "pymalloc", "debug"], 3))
def test_outputs_that_turn_wider_when_they_are_large(allocator):
    """A large str gets the header of a wider one; its block is neither written past nor lost."""
    if run_python("", env={"PYTHONMALLOC": allocator}).returncode != 0:
        pytest.skip("not in this interpreter")
    check_python(
        r"""
        import gc, itertools, json, sys, ocior
        marks = ("\xe9", "\u4e2d", "\U0001f600")
        for items in map(int, sys.argv[1:]):
            for count in (1, 2, 3):
                for wider in itertools.permutations(marks, count):
                    value = []
                    for number, mark in enumerate(wider):
                        value += [f"some text {index}" for index in range(items // (number + 1))]
                        value.append(mark + "..." * number)
                    value += value[:items % 77]
                    expected = json.dumps(value, ensure_ascii=False)
                    for known in range(2):  # how long it gets
                        text = ocior.dumps(value, ensure_ascii=False)
                        assert text == expected and hash(text) == hash(expected) and {expected: known}[text] == known
                        assert sys.getsizeof(text) == sys.getsizeof(expected) and max(text) == max(expected)
                        assert text.encode() == expected.encode() and (text + "\U0001f601")[1:-1] == expected[1:]
                    del text, expected
                    ocior.dumps([])
            gc.collect()
    """,
        *some([10, 12_000, 350, 5000, 40_000], 2),
        env={"PYTHONMALLOC": allocator},
    )


def test_the_allocator_may_change_between_calls():
    """tracemalloc puts its own in place: it sees what is made from then on, and what was made before stays good."""
    document = json.dumps([[i * 1000, f"text {i}", {"key": i + 0.5}] for i in range(200)])
    expected = json.loads(document)
    for _ in range(3):
        early = ocior.loads(document)
        tracemalloc.start()
        try:
            start = tracemalloc.get_traced_memory()[0]
            theirs = json.loads(document)
            middle = tracemalloc.get_traced_memory()[0]
            traced = ocior.loads(document)
            # Of the same objects: no less, but for what makes a list grow, than json's.
            assert tracemalloc.get_traced_memory()[0] - middle > 0.85 * (middle - start)
            del theirs
        finally:
            tracemalloc.stop()
        assert early == traced == ocior.loads(document) == expected
