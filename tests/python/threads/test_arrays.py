"""Threads that change arrays which others are writing: their shapes, and what they hold."""

import pytest
from support import HAS_GIL
from threads import check_race

pytest.importorskip("numpy")

PROGRAM = """
import numpy as np
import ocior.compat.orjson as orjson

shapes = [(12,), (3, 4), (4, 3), (2, 6), (2, 2, 3), (1, 12)]
arrays = [np.arange(12, dtype=kind) for kind in ("i8", "f4", "u2", "f8")]
default = ocior.Default()
roads = [
    lambda value: ocior.dumps(value, default=default),
    lambda value: ocior.dumps_to_bytes(value, default=default),
    lambda value: orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY),
]

def numbers(item):
    return [number for one in item for number in numbers(one)] if isinstance(item, list) else [item]

def edit(turn):
    for turn, array in enumerate(arrays, 4 * turn):
        %s
    if turn %% 100 < 4:
        arrays.append(arrays.pop(0))

def write(turn):
    for road in roads:
        for value in (arrays, {"a": arrays[0], "b": [arrays[1]] * 3}, [[array] for array in arrays]):
            read = json.loads(road(value))
            for number in numbers([*read.values()] if isinstance(read, dict) else read):
                assert 0 <= number < 1000, number
"""

EDITS = {
    "shape": "array.shape = shapes[turn % 6]",
    "values": "array[...] = turn % 1000",
    "other arrays": "arrays[turn % 4] = np.arange(12 + turn % 30, dtype='i4')",
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_arrays_are_edited_meanwhile(edit):
    check_race(PROGRAM % edit, seconds=3, editors=1 if HAS_GIL or "shape" in edit else 2, timeout=120)


@pytest.mark.parametrize("edit", ["array.resize(1 + turn % 16, refcheck=False)"])
def test_arrays_that_are_resized_without_a_look_at_who_reads_them(edit):
    """numpy frees the memory under whoever reads it then: with a GIL nobody does."""
    if not HAS_GIL:
        pytest.skip("numpy's own access to such arrays is not safe")
    check_race(PROGRAM % edit, seconds=3, editors=1, timeout=120)
