"""The core of another commit as one more library of `python -m ocior.bench`: both in one process, in turns.

    git worktree add ../parent HEAD~1
    make -C ../parent build LEVELS=host PYTHON="$PWD/.venv-dev/bin/python"
    PYTHONPATH=python:tools OCIOR_PARENT=../parent .venv-dev/bin/python -m ocior.bench --libraries json,ocior \\
        --adapter parent=parent:calls --conditions usual --seconds 300

The column "ocior / fastest peer" is then the parent's time over that of this working tree: above 1 is faster.
"""

import os
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import SimpleNamespace

import ocior
from ocior.bench import rich_calls, typed_calls


def calls():
    """The calls of ocior's own adapter, made with the functions of the core in the tree OCIOR_PARENT: of this interpreter and level."""
    name = f"_core_{ocior.get_current_features()['level']}"
    path = os.path.join(os.environ["OCIOR_PARENT"], "python", "ocior", name + EXTENSION_SUFFIXES[0])
    loader = ExtensionFileLoader(f"ocior.{name}", path)
    core = module_from_spec(spec_from_file_location(f"ocior.{name}", path, loader=loader))
    loader.exec_module(core)
    loads, dumps, dumps_to_bytes = core.loads, core.dumps, core.dumps_to_bytes
    return {
        "loads_bytes": loads,
        "loads_str": loads,
        "dumps_bytes": lambda obj: dumps_to_bytes(obj),
        "dumps_str": lambda obj: dumps(obj, ensure_ascii=False, separators=(",", ":")),
        "dumps_bytes_indent": lambda obj: dumps_to_bytes(obj, indent=2),
        "dumps_str_indent": lambda obj: dumps(obj, ensure_ascii=False, indent=2),
        "dumps_ascii": lambda obj: dumps(obj, separators=(",", ":")),
        **(rich_calls.of_ocior(core, SimpleNamespace(**core.orjson)) if hasattr(core, "orjson") else {}),
        **_typed(core),
    }


def _typed(core):
    """The calls for declared types, of a core that knows some."""
    if not hasattr(core, "TypedDecoder"):
        return {}
    return typed_calls.of_ocior(SimpleNamespace(Decoder=core.TypedDecoder, Encoder=core.TypedEncoder, Default=core.Default))
