"""Every public name as people use it. mypy and pyright check the types that it claims, and that they notice what is
wrong (each `type: ignore` must be needed); then it is run."""

import array
import decimal
import io
import json
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import ocior
from typing_extensions import assert_type


class Point:
    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y


class PointEncoder(ocior.JSONEncoder):
    def default(self, o: Any) -> Any:
        if isinstance(o, Point):
            return {"x": o.x, "y": o.y}
        return super().default(o)


class StandardEncoder(json.JSONEncoder):
    def default(self, o: Any) -> Any:
        return str(o)


class PointDecoder(ocior.JSONDecoder):
    def __init__(self, **keywords: Any) -> None:
        super().__init__(object_hook=to_point, **keywords)


def to_point(found: dict[str, Any]) -> Point:
    return Point(found["x"], found["y"])


def to_text(obj: object) -> str:
    return str(obj)


def decoding() -> None:
    assert_type(ocior.loads("[1]"), Any)
    for buffer in (b"[1]", bytearray(b"[1]"), memoryview(b"[1]"), array.array("B", b"[1]")):
        assert_type(ocior.loads(buffer), Any)
    assert_type(
        ocior.loads(
            "[1.5, 2, NaN]",
            parse_float=decimal.Decimal,
            parse_int=float,
            parse_constant=to_text,
            object_pairs_hook=OrderedDict,
            array_hook=tuple,
            strict=False,
        ),
        Any,
    )
    assert_type(
        ocior.loads(
            "[1]", duplicate_keys="error", non_finite="null", big_integers="str", integer_bits=53, surrogates="replace", max_depth=100
        ),
        Any,
    )
    assert_type(ocior.load(io.StringIO("[1]"), duplicate_keys="first", max_depth=None), Any)
    assert_type(ocior.JSONDecoder(surrogates="error").decode_policies, dict[str, Any] | None)
    assert_type(ocior.loads('{"x": 1, "y": 2}', object_hook=to_point), Any)
    assert_type(ocior.loads('{"x": 1, "y": 2}', cls=PointDecoder), Any)
    assert_type(ocior.loads("[]", cls=json.JSONDecoder), Any)
    assert_type(ocior.load(io.StringIO("[1]")), Any)
    assert_type(ocior.load(io.BytesIO(b"[1]"), parse_int=str), Any)
    decoder = ocior.JSONDecoder(parse_float=decimal.Decimal, strict=False)
    assert_type(decoder.decode("[1]"), Any)
    assert_type(decoder.raw_decode("[1] rest"), tuple[Any, int])
    assert_type(decoder.raw_decode(" [1] rest", 1), tuple[Any, int])
    as_standard: json.JSONDecoder = decoder
    assert as_standard.decode("1") == 1
    name: str = ocior.detect_encoding(b"[1]")
    assert name == "utf-8"


def encoding() -> None:
    obj = {"a": [1, 2.5, None, "é", True, (1,)], 2: {"b": 0}}
    assert_type(ocior.dumps(obj), str)
    assert_type(
        ocior.dumps(
            obj,
            skipkeys=True,
            ensure_ascii=False,
            check_circular=False,
            allow_nan=False,
            indent="\t",
            separators=(",", ": "),
            default=to_text,
            sort_keys=False,
        ),
        str,
    )
    assert_type(ocior.dumps_to_bytes(obj), bytes)
    assert_type(ocior.dumps_to_bytes(obj, indent=2, is_write_cache=True, default=lambda o: repr(o)), bytes)
    assert_type(ocior.dumps(Point(1, 2), cls=PointEncoder), str)
    assert_type(ocior.dumps_to_bytes(Point(1, 2), cls=StandardEncoder), bytes)
    encoder = PointEncoder(indent=2, sort_keys=True, separators=(",", ":"), default=None)
    assert_type(encoder.encode(Point(1, 2)), str)
    assert_type(encoder.iterencode([Point(1, 2)]), Iterator[str])
    as_standard: json.JSONEncoder = encoder
    assert as_standard.encode(1) == "1"


def files() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "document.json")
        with open(path, "w", encoding="utf-8") as text_file:
            ocior.dump({"a": 1}, text_file, indent=2, cls=PointEncoder)
        with open(path, encoding="utf-8") as text_file:
            assert_type(ocior.load(text_file, object_hook=dict), Any)
        with open(path, "wb") as binary_file:
            ocior.dump({"a": 1}, binary_file, ensure_ascii=False)
        with open(path, "rb") as raw_file:
            assert_type(ocior.load(raw_file), Any)
        ocior.dump([1], io.StringIO())
        ocior.dump([1], io.BytesIO())


def errors() -> None:
    try:
        ocior.loads('{"a": [1, x]}')
    except ocior.JSONDecodeError as error:
        assert_type(error.path, str)
        assert_type(error.snippet, str)
        assert_type((error.msg, error.doc, error.pos, error.lineno, error.colno), tuple[str, str, int, int, int])
        assert error.path == "$.a[1]"
    try:
        ocior.loads("x")
    except json.JSONDecodeError as standard_error:
        assert_type(standard_error.pos, int)
    as_standard: type[json.JSONDecodeError] = ocior.JSONDecodeError
    assert issubclass(as_standard, ValueError)


def settings() -> None:
    assert_type(ocior.write_utf8_cache(False), None)
    assert_type(ocior.get_current_features(), dict[str, Any])
    assert_type(ocior.get_current_features()["level"], Any)
    assert_type(ocior.__version__, str)


if TYPE_CHECKING:  # what the checkers have to refuse
    ocior.loads(1)  # type: ignore
    ocior.loads("1", None)  # type: ignore
    ocior.loads("1", object_hook=1)  # type: ignore
    ocior.loads("1", cls=ocior.JSONEncoder)  # type: ignore
    ocior.load("path.json")  # type: ignore
    ocior.dumps([1], True)  # type: ignore
    ocior.dumps([1], indent=1.5)  # type: ignore
    ocior.dumps([1], separators=[",", ":"])  # type: ignore
    ocior.dumps([1], is_write_cache="yes", cls=1)  # type: ignore
    ocior.dumps_to_bytes([1], is_write_cache="yes")  # type: ignore
    ocior.dump([1], "path.json")  # type: ignore
    ocior.dump([1])  # type: ignore
    ocior.dumps([1]).decode()  # type: ignore
    ocior.write_utf8_cache()  # type: ignore
    ocior.JSONEncoder(True)  # type: ignore
    ocior.JSONDecoder().decode(b"[1]")  # type: ignore
    ocior.JSONDecodeError("msg", "doc", 0).nothing  # type: ignore


if __name__ == "__main__":
    for usage in (decoding, encoding, files, errors, settings):
        usage()
