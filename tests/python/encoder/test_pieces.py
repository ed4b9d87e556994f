"""Pieces of text that iterencode() gives: lazy, bounded and right up to an error, while the value changes, and when they are closed or
abandoned."""

import gc
import json
import sys
import weakref

import pytest
from support import call, check_python

import ocior


def test_pieces_are_lazy_and_bounded():
    seen = []

    def default(o):
        seen.append(o)
        return "x" * 1000

    pieces = ocior.JSONEncoder(default=default).iterencode([object() for _ in range(2000)])
    assert iter(pieces) is pieces and not seen
    first = next(pieces)
    assert 0 < len(seen) < 2000 and len(first) < 400_000
    rest = list(pieces)
    assert len(seen) == 2000 and json.loads(first + "".join(rest)) == ["x" * 1000] * 2000
    with pytest.raises(StopIteration):
        next(pieces)


def test_pieces_before_an_error():
    pieces = ocior.JSONEncoder().iterencode([1, {"a": object()}])
    assert next(pieces) == '[1, {"a": '
    with pytest.raises(TypeError, match="object is not JSON"):
        next(pieces)
    with pytest.raises(StopIteration):
        next(pieces)


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="every integer has a text here")
@pytest.mark.parametrize("keywords", [{}, {"indent": 1}, {"ensure_ascii": False}, {"separators": ("\u20ac", ":")}], ids=str)
def test_pieces_before_a_refused_number(keywords):
    """All that stands before it, be it an integer of too many digits, of int or of a class derived from it, or no finite number."""

    def before(encoder_class, value):
        pieces = []
        with pytest.raises(ValueError):
            pieces.extend(encoder_class(allow_nan=False, **keywords).iterencode(value))
        return "".join(pieces)

    class Integer(int):
        pass

    for refused in (10**5000, Integer(10**5000), float("nan")):
        for value in ({"a": refused}, {"a": ["x"], "b": refused}, [{"a": "x" * 200_000, "b": {"c": refused}}]):
            assert before(ocior.JSONEncoder, value) == before(json.JSONEncoder, value)
        for value in ([refused], ["x", refused], [{"a": ["x"]}, [refused]]):
            assert before(ocior.JSONEncoder, value).startswith(before(json.JSONEncoder, value))


def test_pieces_of_a_string_longer_than_memory_should_hold():
    for unit in ("a", "\n", "\xe9", "\u4e2d", "\U0001f600"):
        for ensure_ascii in (True, False):
            encoder = ocior.JSONEncoder(ensure_ascii=ensure_ascii, separators=("\u20ac", "=" * 20))
            value = ["x", {"k": unit * 200_000, "l": [unit * 1024, unit * 1025]}, unit * 70_000]
            pieces = list(encoder.iterencode(value))
            assert max(map(len, pieces)) < 200_000 and "".join(pieces) == json.JSONEncoder(
                ensure_ascii=ensure_ascii, separators=("\u20ac", "=" * 20)
            ).encode(value)
            assert all(sys.getsizeof(piece) == sys.getsizeof((piece + " ")[:-1]) for piece in pieces)


def test_pieces_while_the_value_changes():
    """Between two pieces anything may happen to what is being encoded."""
    value = [["x" * 100] * 100 for _ in range(300)]
    encoder = ocior.JSONEncoder()
    pieces = encoder.iterencode(value)
    next(pieces)
    value.clear()
    gc.collect()
    assert "".join(pieces).endswith("]")
    tree = {"a": {"b": ["y" * 2000] * 500}, "c": 1}
    pieces = encoder.iterencode(tree)
    next(pieces)
    del tree["a"]["b"]
    tree.clear()
    assert type(call("".join, pieces).error) is RuntimeError
    held = ["z" * 300_000]
    pieces = encoder.iterencode(held)
    next(pieces)
    held[0] = None
    assert "".join(pieces).endswith('zz"]')
    circle = []
    circle.append(["w" * 1000] * 1000)
    circle.append(circle)
    with pytest.raises(ValueError, match="Circular"):
        list(encoder.iterencode(circle))


def test_pieces_are_not_reentrant():
    box = []

    def default(o):
        next(box[0])

    box.append(ocior.JSONEncoder(default=default).iterencode([object()]))
    assert next(box[0]) == "["
    with pytest.raises(ValueError, match="already executing"):
        next(box[0])


def test_pieces_can_be_closed():
    pieces = ocior.JSONEncoder().iterencode(["x" * 1000] * 1000)
    next(pieces)
    pieces.close()
    assert list(pieces) == [] and pieces.close() is None


def test_abandoned_pieces_are_collected():
    class Node(list):
        pass

    node = Node(["x" * 1000] * 1000)
    pieces = ocior.JSONEncoder().iterencode(node)
    next(pieces)
    node.append(pieces)  # the iterator's frames refer to the list that refers to it
    gone = weakref.ref(node)
    del node, pieces
    gc.collect()
    assert gone() is None


def test_errors_of_abandoned_pieces_are_collected():
    class Value:
        pass

    class Node(list):
        pass

    def abandon():
        node = Node([["x" * 1000] * 300, Value()])
        pieces = ocior.JSONEncoder().iterencode(node)
        node.append(pieces)
        while True:
            if next(pieces).endswith("]], "):  # the error waits behind this piece
                return weakref.ref(node)

    try:
        gone = abandon()
    except TypeError:
        pytest.skip("the error came with the piece")
    gc.collect()
    assert gone() is None


def test_pieces_under_way_when_the_package_is_loaded_again():
    """They ask the encoder of before for JSONEncoder.default."""
    check_python("""
        import gc, importlib, ocior, ocior.encoder
        pieces = ocior.JSONEncoder().iterencode(["x" * 300_000, "y" * 300_000, object()])
        first = next(pieces)
        for _ in range(3):
            importlib.reload(ocior.encoder)
            ocior._default_encoder = None
            gc.collect()
        ballast = [ocior.JSONEncoder.__new__(ocior.JSONEncoder) for _ in range(100)], [bytes(40 + size % 32) for size in range(100_000)]
        try:
            list(pieces)
        except TypeError as error:
            assert str(error) == "Object of type object is not JSON serializable"
        else:
            raise SystemExit("no error")
        assert ocior.encoder.JSONEncoder(indent=1).encode([1]) == "[\\n 1\\n]"
    """)


def test_iterator_outlives_its_module():
    check_python("""
        import gc, sys, weakref
        def run():
            import ocior
            pieces = ocior.JSONEncoder().iterencode(["x" * 1000] * 1000)
            next(pieces)
            cycle = [pieces, sys.modules["ocior"], ocior._core]
            cycle.append(cycle)
            for name in [name for name in sys.modules if name.startswith("ocior")]:
                del sys.modules[name]
        run()
        gc.collect()
    """)
