"""What is done with the nodes of a type when all of them are filled: unions of classes are decided, keys that are plain str are marked."""

from ocior._typed import containers
from ocior._typed.compiler import At
from ocior._typed.nodes import Node, Object
from ocior._typed.tags import decide


def finish(root: Node, at: At, is_read: bool) -> None:
    """Completes all nodes below this one. Raises TypeError where the classes of a union that is read cannot be told apart."""
    for union, place in _unions_in(root, at):
        try:
            decide(union, place.refuse)
        except TypeError:
            if is_read:
                raise
            union.keys = {}
    _plain_keys(root)


def _children(node: Node) -> list[Node]:
    nodes = list(node.members)
    array = node.array
    if array is not None:
        nodes += [] if array.item is None else [array.item]
        nodes += array.items
        nodes += _children_of_object(array.object) if array.object is not None else []
    if node.object is not None:
        nodes += _children_of_object(node.object)
    return nodes


def _children_of_object(found: Object) -> list[Node]:
    if found.kind == "dict":
        return [child for child in (found.key, found.value) if child is not None]
    if found.kind == "union":
        nodes = [child for member in found.members for child in _children_of_object(member)]
        return nodes + (_children_of_object(found.rest) if found.rest is not None else [])
    return [field.node for field in found.fields]


def _unions_in(root: Node, at: At) -> list[tuple[Object, At]]:
    """Every Object of kind "union" below a node, with a place for its TypeErrors."""
    found: list[tuple[Object, At]] = []
    seen: set[int] = set()
    stack = [(root, at)]
    while stack:
        node, place = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        target = node.object
        if target is not None and target.kind == "union" and id(target) not in seen:
            seen.add(id(target))
            found.append((target, place))
        owners = [target] if target is not None and target.kind in ("class", "typeddict") else []
        if target is not None and target.kind == "union":
            owners = list(target.members)
        if node.array is not None and node.array.object is not None:
            owners = [node.array.object]
        placed = {id(field.node): place.inside(f"{owner.name}.{field.name}") for owner in owners for field in owner.fields}
        stack += [(child, placed.get(id(child), place)) for child in _children(node)]
    return found


def _plain_keys(root: Node) -> None:
    """Keys that are read as the str that stands there have no node."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        target = node.object
        for found in [target, target.rest] if target is not None and target.kind == "union" else [target]:
            if isinstance(found, Object) and found.kind == "dict" and found.key is not None and containers.is_plain_key(found.key):
                found.key = None
        stack += _children(node)
