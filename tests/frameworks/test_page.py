"""The page and the tests belong together: no block of docs/frameworks.md is without a test that runs it."""

import re
from pathlib import Path

from pages import blocks


def test_every_block_is_run_by_a_test():
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    names = [block.name for block in blocks("docs/frameworks.md")]
    assert all(names) and set(re.findall(r'snippet\("([\w-]+)"', tests)) == set(names)
