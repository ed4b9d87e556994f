"""Hooks, generators and threads that meddle with lines while they are written; memory that there is not, and memory that is let go of."""

import gc
import importlib.util
import sys
import threading
import tracemalloc
import weakref

import pytest
from line_writers import ALL, Encodes, Order, expected, lines_of_blocks
from support import PATIENCE, call, check_python
from threads import check_race, together

import ocior
from ocior import _core

# Edits of the list that is being written, by a hook that is called with its third object.
EDITS = {
    "clear": list.clear,
    "shorten": lambda objects: objects.__delitem__(slice(1, None)),
    "append": lambda objects: objects.append("new"),
    "insert": lambda objects: "new" in objects or objects.insert(0, "new"),  # the object comes once more
    "replace": lambda objects: objects.__setitem__(slice(None), ["new"] * 5),
    "extend": lambda objects: objects.extend(["new"] * 10_000),
}


@ALL
@pytest.mark.parametrize("edit", EDITS)
def test_hooks_that_edit_the_list(function, single, edit):
    class Unknown:
        pass

    def run(write):
        objects = [["a" * 10], {"b": "c"}, Unknown(), ["d"], "e"]

        def hook(obj):
            EDITS[edit](objects)
            gc.collect(0)
            return "hooked"

        return write(objects, hook)

    def each(objects, hook):  # what an iterator over the list gives
        return "".join(
            single(obj, default=hook) + "\n" if single is ocior.dumps else (single(obj, default=hook) + b"\n").decode() for obj in objects
        )

    text = run(lambda objects, hook: function(objects, default=hook))
    assert (text if single is ocior.dumps else text.decode()) == run(each)


@ALL
def test_hooks_that_write_lines(function, single):
    def hook(obj):
        return function([obj.real, {"nested": [1]}]) if single is ocior.dumps else function([obj.real]).decode()

    objects = [{"a": 1j}, 2j, "x"]
    assert function(objects, default=hook) == expected(single, objects, {"default": hook})


def test_a_hook_that_asks_for_the_next_block():
    encoder = _core.LineEncoder([1, 2j], default=lambda obj: next(encoder))
    assert next(encoder) == b"1\n"
    with pytest.raises(ValueError, match="in use"):
        next(encoder)


@ALL
def test_references_are_let_go_of(function, single):
    class Unknown:
        pass

    values = [Unknown() for _ in range(4)]
    references = [weakref.ref(value) for value in values]
    function(values, default=lambda obj: "known")
    with pytest.raises(TypeError):
        function([1, values])
    del values
    gc.collect()
    assert [reference() for reference in references] == [None] * 4


def test_cycles_through_an_encoder_are_collected():
    class Hook:
        def __call__(self, obj):
            return 1

    hook, objects = Hook(), []
    hook.encoder = _core.LineEncoder(objects, default=hook)
    objects.append(hook.encoder)
    dead = weakref.ref(hook)
    with pytest.raises(TypeError):
        list(_core.LineEncoder(objects))
    del hook, objects
    gc.collect()
    assert dead() is None


def test_an_error_that_waits_is_collected():
    class Cycle(Exception):
        pass

    error = Cycle()

    def objects(raised):
        yield "line"
        raise raised

    error.encoder = _core.LineEncoder(objects(error))
    assert next(error.encoder) == b'"line"\n'  # the error waits in the encoder that it refers to
    dead = weakref.ref(error)
    error.__traceback__ = None
    del error, objects
    gc.collect()
    assert dead() is None


def test_generators_may_write_lines():
    def objects():
        for number in range(300):
            yield {"inner": _core.dump_lines([number, "\u4e2d"]), "others": list(_core.LineEncoder([number, "x"]))[0].decode()}

    assert lines_of_blocks(objects()) == expected(ocior.dumps_to_bytes, objects(), {})


def test_threads_share_an_encoder():
    encoder = _core.LineEncoder((), default=lambda obj: [obj.real])
    objects = [{"id": number, "z": 1j * number} for number in range(300)]
    lines = [encoder.encode(obj) for obj in objects]

    def work(number):
        for _ in range(3):
            assert [encoder.encode(obj) for obj in objects] == lines
            assert b"".join(encoder.blocks(objects)) == b"".join(lines)

    together(work)


def test_threads_that_share_the_blocks_get_each_once():
    encoder = _core.LineEncoder(range(30_000), 100)
    blocks, lock = [], threading.Lock()

    def work(number):
        while True:
            try:
                block = next(encoder)
            except StopIteration:
                return
            except ValueError:  # another thread is at it
                continue
            with lock:
                blocks.append(block)

    together(work, 4)
    assert sorted(map(int, b"".join(blocks).split())) == list(range(30_000))


def test_lists_that_other_threads_edit():
    check_race(
        """
        from ocior import _core
        objects = [{"id": number, "list": [number] * 3} for number in range(50)]
        def edit(turn):
            match turn % 5:
                case 0: objects.append({"id": turn})
                case 1: objects[:] = [{"id": number, "list": [turn] * 3} for number in range(50)]
                case 2: objects and objects.pop()
                case 3: del objects[10:]
                case 4: objects.insert(0, [turn])
        def write(turn):
            for line in _core.dump_lines(objects).splitlines():
                json.loads(line)
            for block in _core.LineEncoder(objects, 50):
                assert block.endswith(b"}\\n") or block.endswith(b"]\\n")
        """,
        1.5 * PATIENCE,
    )


CALLS_THAT_ALLOCATE = {
    "str": "_core.dump_lines(objects)",
    "wide": 'dump(objects + ["\\U0001f600"] + objects, ensure_ascii=False)',
    "bytes": "_core.dump_lines_to_bytes(iter(objects))",
    "long": '_core.dump_lines_to_bytes(["x" * 5000, "\\u4e2d" * 5000] * 9)',
    "blocks": "list(_core.LineEncoder(objects, 50, sort_keys=True))",
    "other_blocks": "list(encoder.blocks(objects))",
    "encode": "encoder.encode(objects)",
    "hook": "_core.dump_lines([1j, 2j], default=repr)",
    "policies": 'list(_core.LineEncoder([[1.5], 2**70], default=ocior.Default(non_finite="null", big_integers="str")))',
    "cls": "_core.dump_lines([1, [2]], cls=Encodes)",
    "type": "_core.dump_lines([order], type=Order)",
    "raw": '_core.dump_lines([ocior.Raw("[1,\\n2]")])',
    "error": "_core.dump_lines([1, [object()]])",
    "error_of_blocks": "list(_core.LineEncoder([1, [object()]]))",
    "error_of_options": '_core.LineEncoder([], separators=("\\n", ":"))',
}


@pytest.mark.skipif(importlib.util.find_spec("_testcapi") is None, reason="needs _testcapi.set_nomemory")
@pytest.mark.parametrize("job", CALLS_THAT_ALLOCATE)
def test_every_allocation_may_fail(job):
    """Let the n-th allocation fail, and then all from the n-th on, for every n until the call succeeds."""
    if job == "cls" and sys.version_info[:2] == (3, 12):
        pytest.skip("CPython 3.12 crashes where memory fails in such a class, with json.dumps, too")
    check_python(
        """
        import dataclasses, json, sys, ocior
        from failing import fail_each_allocation
        from ocior import _core
        dump = _core.dump_lines
        objects = [{"id": 1, "name": "\\u4e2d\\u6587" * 3, "n": [1.5, None]}, ["x" * 100], 3, "\\xe9", ("\\n",)] * 3
        encoder = _core.LineEncoder((), default=repr)
        Order = dataclasses.make_dataclass("Order", [("id", int)])
        order = Order(1)
        class Encodes(json.JSONEncoder):
            def encode(self, o):
                return "[" + json.JSONEncoder.encode(self, o) + "]"
        mistakes = (ValueError, TypeError)
        job = eval("lambda: " + sys.argv[2])
        try:
            wanted = job()
        except mistakes:
            wanted = None
        fail_each_allocation(job, mistakes, wanted)
        try:
            assert job() == wanted
        except mistakes:
            assert wanted is None
        """,
        job,
        CALLS_THAT_ALLOCATE[job],
    )


def test_memory_stays_bounded():
    encoder = _core.LineEncoder({"id": number, "text": "x" * 200} for number in range(100_000))
    next(encoder)
    tracemalloc.start()
    try:
        assert sum(map(len, encoder)) > 15_000_000
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_no_leaks():
    objects = [{"id": 1, "name": "\u4e2d" * 9}, [1.5]] * 20

    def use():
        for options in ({}, {"cls": Encodes}, {"type": Order}, {"default": repr}, {"separators": ("\u4e2d", "x" * 20)}):
            _core.dump_lines(objects, **options)
            _core.dump_lines([ocior.Raw("[\n]")] * 3, **{**options, "cls": None})
            encoder = _core.LineEncoder(objects, 10, **options)
            next(encoder)
            list(encoder.blocks(objects))
            call(_core.dump_lines, [*objects, 1j, {"a": [object()]}], **{**options, "default": None})
            call(lambda: list(_core.LineEncoder([1, {1j}], **{**options, "default": None})))
        gc.collect()

    for _ in range(3):
        use()
    tracemalloc.start()
    try:
        use()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20):
            use()
        assert tracemalloc.get_traced_memory()[0] - before < 4000
    finally:
        tracemalloc.stop()
