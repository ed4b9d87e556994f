"""tools/parent.py: the core of another tree beside ours, as a library of ocior.bench."""

import os

from command_line import NEEDS_POSIX
from pages import ROOT
from support import check_python

CODE = """
import os, sys
sys.path.append(sys.argv[2])
import ocior
from ocior.bench import groups, libraries, rich_types, typed_types

name = f"_core_{ocior.get_current_features()['level']}"
core = sys.modules[f"ocior.{name}"]
place = os.path.join(sys.argv[1], "python", "ocior")
os.makedirs(place)
os.symlink(core.__file__, os.path.join(place, os.path.basename(core.__file__)))
os.environ["OCIOR_PARENT"] = sys.argv[1]

ours, parent = (libraries.load(spec).calls for spec in ("ocior", "parent=parent:calls"))
assert parent["loads_str"] is not ours["loads_str"] and sys.modules[f"ocior.{name}"] is core
value = {"a": [1, 2.5, None, "caf\\u00e9"], "b": {}}
main = {group.name for group in groups.GROUPS if group.is_main and "cache" not in group.name and "write" not in group.name}
main |= {name for name in (*groups.RICH, *groups.TYPED) if name in ours}
assert set(parent) == main, main ^ set(parent)
(rich,) = rich_types.documents(["orders"], [1000])
(typed,) = typed_types.documents(["orders_dataclass"], [1000])
for group, call in parent.items():
    if group in groups.RICH:
        assert call(rich.kind)(rich.value) == ours[group](rich.kind)(rich.value), group
        continue
    if group in groups.TYPED:
        (argument,) = groups.BY_NAME[group].fresh(typed)
        assert call(typed.kind)(argument) == ours[group](typed.kind)(argument), group
        continue
    argument = value if group.startswith("dumps") else ours["dumps_bytes" if group == "loads_bytes" else "dumps_str"](value)
    assert call(argument) == ours[group](argument), group
"""


@NEEDS_POSIX
def test_calls_of_another_tree(tmp_path):
    check_python(CODE, tmp_path / "parent", os.path.join(ROOT, "tools"))
