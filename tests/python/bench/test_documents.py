"""The documents that the measuring command measures: files, shapes of every size and rich types, new for each call, and told of where they
cannot be had."""

import gzip
import json
import sys
import types

import pytest
from bench_values import document, folder

from ocior.bench import (
    __main__ as command,
    documents,
    options,
    plan,
    results as results_file,
    rich_items,
    rich_types,
    shapes,
    stream_records,
    typed_classes,
    typed_types,
)
from ocior.bench.groups import BY_NAME


def strings(value):
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


def test_fresh_objects_share_no_string(document):
    (first,), (second,) = document.fresh_object(), document.fresh_object()
    assert first == second == document.value
    # CPython itself has one object for each one-character Latin-1 string.
    shared = {id(text) for text in strings(first)} & {id(text) for text in strings(second)}
    assert all(len(text) == 1 for text in strings(first) if id(text) in shared)
    assert document.fresh_str()[0] is not document.fresh_str()[0]
    assert document.fresh_bytes()[0] is not document.fresh_bytes()[0]


@pytest.mark.parametrize(
    "change", [{"a": 1}, {"a": True}, {"a": 1.0, "b": 0}, {"b": 0, "a": 1.0}, {"a": -0.0}, {"a": [1.0]}, {"a": (1.0,)}]
)
def test_sameness_is_exact(tmp_path, change):
    path = tmp_path / "one.json"
    path.write_text('{"a": 1.0}')
    one = documents.Document("one", path)
    assert one.is_same({"a": 1.0})
    assert not one.is_same(change)
    assert not one.is_same(object())


@pytest.mark.parametrize(
    "write, of_ocior, of_others",
    [
        (lambda value, text: text, None, None),
        (lambda value, text: text.replace("+00:00", "Z"), "another text", None),
        (lambda value, text: text.replace(",", ", "), "another text", None),
        (lambda value, text: text.replace("+00:00", "+01:00"), "another text", "other values"),
        (lambda value, text: text.encode(), "gives bytes", "gives bytes"),
    ],
)
def test_texts_of_rich_types_are_those_of_their_twins(write, of_ocior, of_others):
    (document,) = rich_types.documents(["datetimes_utc"], [500])
    check = BY_NAME["rich_str"].checker(document)
    text = json.dumps(document.twins[0], separators=(",", ":"))
    for is_ocior, problem in ((True, of_ocior), (False, of_others)):
        said = check(lambda value: write(value, text), is_ocior)
        assert said is None if problem is None else problem in said


def test_fresh_objects_of_rich_types_are_those_of_programs():
    """New ones each time, made by their constructors: attributes that come in another way lie elsewhere, and take another time."""
    (document,) = rich_types.documents(["dataclasses_nested"], [2000])
    (first,), (second,) = document.fresh_object(), document.fresh_object()
    assert first == second == document.value and first is not second
    for one, other in zip(first, second):
        assert one is not other and one.customer is not other.customer and one.customer.name is not other.customer.name
    made = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rich_items.Line, "__init__", lambda self, *values: made.append(values))
        document.fresh_object()
    assert len(made) == sum(len(one.lines) for one in document.value)


def without_nothing(value):
    """Of objects the members that are not null."""
    if isinstance(value, dict):
        return {key: without_nothing(item) for key, item in value.items() if item is not None}
    return [without_nothing(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("kind", typed_types.KINDS, ids=lambda kind: kind.name)
def test_objects_hold_what_their_document_says(kind):
    """The code by hand neither forgets nor invents, whatever sort of classes it fills."""
    (document,) = typed_types.documents([kind.name], [3000])
    if problem := document.problem():
        pytest.skip(problem)
    wanted = json.loads(document.parts[0])
    if kind.shape.name == "partial":
        wanted = [{name: item[name] for name in ("name", "version", "downloads", "keywords")} for item in wanted]
        assert len(json.loads(document.parts[0])[0]) == 14
    assert without_nothing(document.twins[1]) == without_nothing(wanted)
    if kind.sort in ("dataclass", "slots"):
        one = document.value if kind.shape.is_single else document.value[0]
        assert hasattr(one, "__dict__") == (kind.sort == "dataclass")


@pytest.mark.parametrize("name", ["orders_dataclass", "events_slots", "tagged_struct", "orders_typeddict"])
def test_fresh_objects_of_declared_types_are_new(name):
    (document,) = typed_types.documents([name], [3000])
    if problem := document.problem():
        pytest.skip(problem)
    (first,), (second,) = document.fresh_object(), document.fresh_object()
    assert first is not second and first[0] is not second[0] and type(first[0]) is type(document.value[0])
    assert typed_types.is_same(first, second) and typed_types.is_same(first, document.value)
    assert document.fresh_bytes()[0] is not document.fresh_bytes()[0] and document.fresh_bytes()[0] == document.parts[0]


def test_sizes_of_typed_documents():
    """The number of items that the shape has, unless a size is asked for; one object has one size."""
    found = typed_types.documents(["flat_slots", "tiny_slots"])
    assert [(one.name, len(json.loads(one.parts[0]))) for one in found] == [("flat_slots", 1000), ("tiny_slots", 3)]
    assert all(one.byte_len == pytest.approx(one.nominal_len, rel=0.1) for one in found)
    found = typed_types.documents(["flat_slots", "tiny_slots"], [2000, 20_000])
    assert [one.name for one in found] == ["flat_slots-2K", "flat_slots-20K", "tiny_slots"]
    assert [one.byte_len for one in found[:2]] == [pytest.approx(size, rel=0.2) for size in (2000, 20_000)]
    assert len({one.identity for one in found}) == 3


@pytest.mark.parametrize("kind", stream_records.KINDS, ids=lambda kind: kind.name)
def test_stream_documents(kind, tmp_path):
    """The same text each time, near the size that was asked for, in memory, in files and in chunks."""
    (document,), (again,) = (stream_records.documents([kind.name], tmp_path, [50_000]) for _ in range(2))
    assert document.data == again.data and document.identity == again.identity
    assert document.byte_len == pytest.approx(50_000, rel=0.1)
    assert all(all(map(lambda pointer: has(record, pointer), kind.fields)) for record in document.value)
    if kind.is_partial:
        ((chunks, step),) = document.fresh_snapshots()
        assert b"".join(chunks) == document.data and 4 * step >= len(chunks) and json.loads(document.data) == document.value
        return
    assert [json.loads(line) for line in document.data.splitlines()] == document.value
    for path, opened in ((document.fresh_lines_path()[0], open), (document.fresh_gzip_path()[0], gzip.open)):
        with opened(path, "rb") as file:
            assert file.read() == document.data
    with open(document.fresh_array_path()[0], "rb") as file:
        assert json.load(file) == document.value
    for size in (1, 64, 1 << 20):
        (chunks,) = stream_records.fresh_chunks(size)(document)
        assert b"".join(chunks) == document.data and {len(chunk) for chunk in chunks[:-1]} <= {size}
    assert document.data.isascii() == (kind.name != "stream_text")


def has(record, pointer):
    for key in pointer.split("/")[1:]:
        record = record[key]
    return record is not None


def test_few_chunks_are_enough(tmp_path):
    (document,) = stream_records.documents(["stream_flat"], tmp_path, [400_000])
    (chunks,) = stream_records.fresh_chunks(1)(document)
    assert 195_000 < len(chunks) <= 200_000 and b"".join(chunks).endswith(b"}\n") and document.data.startswith(b"".join(chunks))


def test_sizes_of_streams(tmp_path):
    found = stream_records.documents(["stream_flat", "snapshot_text"], tmp_path)
    assert [one.name for one in found] == ["stream_flat", "snapshot_text-16K", "snapshot_text-128K"]
    assert [one.byte_len for one in found] == [pytest.approx(size, rel=0.2) for size in (3_000_000, 16_000, 128_000)]
    assert [one.name for one in stream_records.documents(["stream_flat"], tmp_path, [2000])] == ["stream_flat-2K"]


def test_what_typed_documents_lack_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "msgspec", None)
    monkeypatch.setattr(typed_classes, "FAMILIES", types.SimpleNamespace())
    out = tmp_path / "out.json"
    words = ["--documents", "tiny_dataclass,tiny_struct", "--libraries", "json", "--rounds", "1", "--no-tables", "--json", str(out)]
    assert command.main(words) == 0
    found = results_file.load(out)
    assert [(cell.document, cell.group) for cell in found.cells] == [("tiny_dataclass", "typed_decode"), ("tiny_dataclass", "typed_encode")]
    assert [note.partition(":")[0] for note in found.notes if "msgspec" in note] == ["tiny_struct"]


def test_what_rich_types_lack_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    out = tmp_path / "out.json"
    words = [
        "--documents",
        "uuids,numpy_bool,numpy_int32",
        "--groups",
        "rich",
        "--libraries",
        "json,ocior",
        "--rounds",
        "1",
        "--sizes",
        "1K",
    ]
    assert command.main([*words, "--json", str(out), "--markdown", str(tmp_path / "out.md"), "--html", str(tmp_path / "out.html")]) == 0
    found = results_file.load(out)
    assert [cell.group for cell in found.cells] == ["rich_bytes", "rich_str", "rich_facade", "twin_bytes", "twin_str"]
    assert all(cell.document == "uuids-1K" and set(cell.values) == {"json", "ocior"} and not cell.wrong for cell in found.cells)
    (note,) = [note for note in found.notes if "numpy" in note]
    assert note.startswith("numpy_bool-1K, numpy_int32-1K: not measured, ")
    text = (tmp_path / "out.md").read_text()
    assert "## rich types to str: time against that of the plain twin" in text


def test_utf8_forms_are_kept(document):
    (value,) = document.fresh_object_with_utf8()
    (plain,) = document.fresh_object()
    grown = [text for text in strings(value) if not text.isascii()]
    assert grown and value == plain
    sizes = {text: sys.getsizeof(text) for text in strings(plain) if len(text) > 1 and not text.isascii()}
    assert all(sys.getsizeof(text) > sizes[text] for text in grown if len(text) > 1)


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.name)
def test_shapes(shape, tmp_path):
    """The same text each time, near the size that was asked for, and what its name says."""
    texts = []
    for nominal_len in (1000, 20_000, 20_000):
        document = shapes.document(shape.name, nominal_len, tmp_path)
        shapes.write(shape.name, nominal_len, document.path)
        texts.append(document.path.read_bytes())
    assert texts[1] == texts[2]
    if shape.name not in ("wide", "long_cjk", "base64"):  # whose items are larger than that
        assert len(texts[0]) == pytest.approx(1000, rel=0.3)
        assert len(texts[1]) == pytest.approx(20_000, rel=0.1)
    values = document.value if document.is_stream else [document.value]
    assert document.has_non_ascii == (not json.dumps(values, ensure_ascii=False).isascii())
    if shape.name == "tiny":
        assert all(len(part) < 200 for part in document.parts)
    if shape.name == "logs":
        assert all(text.count("\x1b[") >= 4 for text in strings(values) if text.startswith("20"))
    if shape.name == "latin1":
        assert max(map(max, filter(None, strings(values)))) <= "\xff"
    if shape.name == "tree":
        assert depth(values[0][0]["children"]) == 2 * 7  # a dict and a list per level below the first


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (1 if isinstance(value, (dict, list)) else 0) + max(map(depth, inner), default=0)


def test_unique_keys_are_unique(tmp_path):
    document = shapes.document("unique", 50_000, tmp_path)
    shapes.write("unique", 50_000, document.path)
    assert len(document.value) == document.data.count(b'"n":')


def test_sizes():
    assert [shapes.parse_size(text) for text in ("800", "1K", "1.5M", "200MB")] == [800, 1000, 1_500_000, 200_000_000]
    assert [shapes.size_name(size) for size in (800, 1000, 1_500_000)] == ["800B", "1K", "1.5M"]
    for wrong in ("", "K", "-1", "0", "1X"):
        with pytest.raises(ValueError):
            shapes.parse_size(wrong)


def test_documents_that_are_none_are_told_of(folder, capsys):
    for name, content in {
        "broken.json": b'{"a": [1,]}',
        "empty.json": b"",
        "latin1.json": b'["\xe9"]',
        "utf16.json": '["a"]'.encode("utf-16"),
        "deep.json": b"[" * 100_000 + b"]" * 100_000,
    }.items():
        (folder / name).write_bytes(content)
    (folder / "folder.json").mkdir()
    if sys.platform != "win32":
        (folder / "nowhere.json").symlink_to(folder / "no such file")
    (folder / "blank.ndjson").write_bytes(b"\n \n")
    (folder / "gaps.ndjson").write_bytes(b"[1]\n\n[2]\n")
    out = folder / "out.json"
    conditions = "usual,peak" if sys.platform.startswith("linux") else "usual"
    words = ["--conditions", conditions, "--rounds", "1", "--libraries", "json,ocior", "--groups", "loads_str", "--json", str(out)]
    chosen = f"{folder},{folder / 'blank.ndjson'},{folder / 'gaps.ndjson'}"
    assert command.main(["--documents", chosen, "--html", str(folder / "p.html"), *words]) == 1
    found = results_file.load(out)
    assert set(found.refused) == {"broken", "empty", "latin1", "utf16", "deep", "blank", *(["nowhere"] if sys.platform != "win32" else [])}
    assert {"ascii", "gaps"} <= {cell.document for cell in found.cells} and not any(cell.wrong for cell in found.cells)
    assert "broken was not measured: JSONDecodeError" in capsys.readouterr().out


def test_documents_of_one_name_and_of_odd_ones(folder):
    odd = folder / "some, odd"
    odd.mkdir()
    (odd / "ascii.json").write_text("[1]")
    chosen = options.parse(["--documents", f"{folder / 'ascii.json'},{folder / 'ascii.json'}"])
    assert [one.name for one in plan.make_documents(chosen, folder)[0]] == ["ascii"]
    chosen.documents = [str(folder / "ascii.json"), str(odd)]
    assert [one.name for one in plan.make_documents(chosen, folder)[0]] == [str(folder / "ascii.json"), str(odd / "ascii.json")]
    assert options.parse(["--documents", str(odd)]).documents == [str(odd)]
