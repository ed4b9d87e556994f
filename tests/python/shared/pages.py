"""The code in the documentation: each fenced block of a page with its line, its name if it has one, and what it asks for."""

import importlib.util
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]

FENCED = re.compile(r"^(?:<!-- (?P<note>[^\n]*) -->\n)?```(?P<language>\w*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    page: str  # as README.md or docs/frameworks.md
    line: int  # of the first line of code, from 1
    note: str  # of the comment on the line above, invisible on the rendered page: "snippet: flask", "Python 3.11", "needs msgspec", ...
    language: str
    code: str

    @property
    def name(self):
        return self.note[len("snippet: ") :] if self.note.startswith("snippet: ") else None

    def fits(self):
        """Whether this interpreter is as new as the note asks, or has the packages that it names."""
        if self.note.startswith("needs "):
            return all(map(importlib.util.find_spec, self.note[len("needs ") :].split(", ")))
        wanted = re.fullmatch(r"Python (\d+)\.(\d+)", self.note)
        return wanted is None or sys.version_info >= tuple(map(int, wanted.groups()))

    def run(self, names):
        """Executes the block in `names`; a traceback shows the page and its line."""
        exec(compile("\n" * (self.line - 1) + self.code, str(ROOT / self.page), "exec"), names)
        return names


def blocks(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, found.start("code")) + 1, found["note"] or "", found["language"], found["code"])
        for found in FENCED.finditer(text)
    ]
