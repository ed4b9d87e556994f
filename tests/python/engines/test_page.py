"""The examples in docs/engines.md."""

import pytest
from pages import blocks

import ocior

pytest.importorskip("pyarrow")
SNIPPETS = {block.name: block for block in blocks("docs/engines.md") if block.name}


@pytest.mark.parametrize("name", SNIPPETS)
def test_example(name, request, tmp_path, monkeypatch):
    request.getfixturevalue(f"on_{name}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "events").mkdir()
    for number in range(3):
        ocior.lines.write(({"user": f"u{row % 5}", "bytes": 2 * row, "at": None} for row in range(100)), f"events/{number}.jsonl")
    block = SNIPPETS[name]
    code = block.code
    for call in ('load("events")', 'save("paid")'):  # Spark itself stands where it was started
        code = code.replace(call, call.replace('("', f'("{tmp_path}/'))
    block._replace(code=code).run({})
    rows = [row for file in (tmp_path / "paid").iterdir() for row in ocior.lines.read(file)]
    assert len([row for row in rows if row["bytes"] > 100]) == 147 * (2 if name == "spark" else 1)
    assert set(rows[0]) >= {"user", "bytes"}
