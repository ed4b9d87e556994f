"""The files of the package do not import each other in a circle, neither at their head nor inside functions."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import ocior

PACKAGE = Path(ocior.__file__).parent


def name_of(file):
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree, modules):
    """Which of the modules a file imports. It may take a name out of a module (`from ocior.bench.libraries import load`), or a module out
    of a package (`from ocior.bench import libraries`)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: the imports of this package name their modules in full"
            for name in node.names:
                whole = f"{node.module}.{name.name}"
                yield whole if whole in modules else node.module


def test_no_circles():
    """`ocior` itself is left out: it takes the names of its parts, and these take the core that it has chosen before."""
    files = {name_of(file): file for file in sorted(PACKAGE.rglob("*.py"))}
    del files["ocior"]
    assert "ocior.bench.runner" in files
    graph = {name: set(imported(ast.parse(file.read_text(encoding="utf-8")), files)) & set(files) for name, file in files.items()}
    TopologicalSorter(graph).prepare()  # a CycleError has the names
