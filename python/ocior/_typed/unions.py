"""Unions: nodes merged into one by what is written.

Members are never tried. Two that cannot be told apart are a NotTold, which names both. What tells classes apart is found later, by `tags`.
"""

from typing import Any

from ocior._typed.hooks import NO_HOOKS, ByType, DumpByType, Then, choice_values, takes, types_made
from ocior._typed.limits import NUMBERS, TIMES, Alternatives, Bounds, number_forms, time_forms
from ocior._typed.nodes import KINDS, STRING_FORMS, Node, Object
from ocior._typed.scalars import made_by, same_addresses

# Of several members that take integers the first of these gets them; real numbers alike. The last ones are those of lax reading.
_INTEGERS = ("int", "float", "decimal", "bool", "datetime", "timedelta")
_REALS = ("float", "decimal", "int", "datetime", "timedelta")
_LAX_STRINGS = ("int", "float", "bool", "null")


class NotTold(Exception):
    """Two members of a union cannot be told apart."""

    def __init__(self, first: str, second: str, why: str) -> None:
        super().__init__(f"{first} and {second} cannot be told apart in a union: {why}")


def joined(words: list[str]) -> str:
    """Words as they stand in a sentence, as "a, b or c", each of them once."""
    words = list(dict.fromkeys(words))
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} or {words[-1]}"


def merged(nodes: list[Node]) -> Node:
    """The node of a union of these, none of them open. Raises NotTold. An object of kind "union" in it is still to be decided."""
    parts: list[Node] = []
    for node in nodes:
        for part in node.members or (node,):
            if not any(part is known for known in parts):
                parts.append(part)
    if len(parts) == 1:
        return parts[0]
    parts = [part for part in parts if not _is_plain_null(part)] + [part for part in parts if _is_plain_null(part)]
    node = Node(expected=joined([part.expected for part in parts]), members=tuple(parts))
    if any(part.whole for part in parts):
        return _merged_with_whole(node, parts)
    node.null = any(part.null for part in parts)
    node.boolean = any(part.boolean for part in parts)
    node.integer = _first_form(parts, "integer", _INTEGERS)
    node.real = _first_form(parts, "real", _REALS)
    _merge_strings(node, parts)
    for name in ("str_choices", "int_choices", "float_choices", "word_choices"):
        setattr(node, name, _merged_choices(parts, name))
    node.missing = tuple(ask for part in parts for ask in part.missing)
    arrays = [part for part in parts if part.array is not None]
    for part in arrays[1:]:
        if part.array is not arrays[0].array:
            raise NotTold(arrays[0].expected, part.expected, "both are arrays")
    node.array = arrays[0].array if arrays else None
    node.object = _merged_objects(parts)
    node.hooks = _merged_hooks(parts)
    _merge_limits(node, parts)
    node.dump = _merged_dumps(parts)
    return node


def _is_plain_null(node: Node) -> bool:
    return node.null and node.expected == "null" and not node.hooks


def _is_plain(node: Node) -> bool:
    """Whether loads gives what the node gives, for all that it takes."""
    if node.hooks or node.number_limits or node.string_limits or node.missing:
        return False
    if node.str_choices or node.int_choices or node.float_choices or node.word_choices:
        return False
    if node.array is not None or node.object is not None:
        return False
    return node.integer in ("", "int", "float") and node.real in ("", "float") and node.string in ((), ("str",))


def _merged_with_whole(node: Node, parts: list[Node]) -> Node:
    whole = [part for part in parts if part.whole]
    others = [part for part in parts if not part.whole]
    for part in whole[1:]:
        if part.whole != whole[0].whole or part.model is not whole[0].model or part.hooks != whole[0].hooks:
            raise NotTold(whole[0].expected, part.expected, "both take whatever is there")
    first = whole[0]
    node.whole, node.model, node.hooks, node.dump, node.source = first.whole, first.model, first.hooks, first.dump, first.source
    if first.whole == "any" and not first.hooks:
        for part in others:
            if not _is_plain(part):
                raise NotTold(first.expected, part.expected, "the former takes whatever is there")
        return node
    for part in others:
        if not _is_plain_null(part):
            raise NotTold(first.expected, part.expected, "the former takes whatever is there")
        node.null = True
        if node.hooks:
            node.hooks = (None, *node.hooks[1:])
    return node


def _first_form(parts: list[Node], attribute: str, order: tuple[str, ...]) -> str:
    named: dict[str, Node] = {}
    for part in parts:
        form = getattr(part, attribute)
        if form:
            named.setdefault(form, part)
    if set(named) == {"datetime", "timedelta"}:
        raise NotTold(named["datetime"].expected, named["timedelta"].expected, "both are numbers where reading is lax")
    return next((form for form in order if form in named), "")


def _merge_strings(node: Node, parts: list[Node]) -> None:
    named: dict[str, Node] = {}
    for part in parts:
        for form in part.string:
            known = named.setdefault(form, part)
            if form == "call" and known.string_class is not part.string_class:
                both = same_addresses(known.string_class, part.string_class)
                if both is None:
                    raise NotTold(known.expected, part.expected, "both are strings")
                node.string_class = both
    # Bytes and paths take strings of the form of others, and str takes all: what only lax reading has gives way.
    greedy = next((form for form in ("str", "bytes", "bytearray", "call") if form in named), None)
    if greedy:
        for form in _LAX_STRINGS:
            named.pop(form, None)
        if greedy == "str":
            named.pop("decimal", None)
        for form, part in named.items():
            other = next((taker for taker in ("bytes", "bytearray", "call") if taker in named and taker != form), None)
            if other and named[other] is not part:
                raise NotTold(named[other].expected, part.expected, "both are strings")
    node.string = tuple(form for form in STRING_FORMS if form in named)
    if "call" in named and node.string_class is None:
        node.string_class = named["call"].string_class


def _merged_choices(parts: list[Node], name: str) -> dict[Any, Any] | None:
    found: dict[Any, tuple[Any, Node]] = {}
    for part in parts:
        for key, value in (getattr(part, name) or {}).items():
            known, by = found.setdefault(key, (value, part))
            if known is not value and (type(known) is not type(value) or known != value):
                raise NotTold(by.expected, part.expected, f"{key!r} is a value of both")
    return {key: value for key, (value, _) in found.items()} or None


def _merged_objects(parts: list[Node]) -> Object | None:
    members: list[tuple[Object, str]] = []
    dicts: list[tuple[Object, str]] = []
    asked: tuple[Object, str] | None = None
    for part in parts:
        found = part.object
        if found is None:
            continue
        if found.kind == "union":
            if found.asked_tag is not None:
                asked = (found, part.expected)
            else:
                members += [(member, member.expected) for member in found.members]
                dicts += [(found.rest, found.rest.expected)] if found.rest else []
        else:
            (dicts if found.kind == "dict" else members).append((found, part.expected))
    members = list({id(member): (member, name) for member, name in members}.values())
    dicts = list({id(found): (found, name) for found, name in dicts}.values())
    if len(dicts) > 1:
        raise NotTold(dicts[0][1], dicts[1][1], "both are objects of any keys")
    if asked is not None:
        if members:
            raise NotTold(asked[1], members[0][1], "the tag is for the former alone")
        return asked[0] if not dicts else _union([*asked[0].members], dicts[0][0], asked[0].asked_tag)
    if not members:
        return dicts[0][0] if dicts else None
    if len(members) == 1 and not dicts:
        return members[0][0]
    return _union([member for member, _ in members], dicts[0][0] if dicts else None, None)


def _union(members: list[Object], rest: Object | None, asked_tag: Any) -> Object:
    return Object(kind="union", members=tuple(members), rest=rest, asked_tag=asked_tag, expected=joined([m.expected for m in members]))


def with_tag(node: Node, tag: Any) -> Node | None:
    """`node` with its classes told apart by this Tag; None where it has none."""
    parts = node.members or (node,)
    classes = [part for part in parts if part.object is not None and part.object.kind != "dict"]
    if not classes:
        return None
    members: list[Object] = []
    for part in classes:
        if part.object.asked_tag is not None:
            raise NotTold(part.expected, joined([other.expected for other in classes]), "there are two Tags")
        members += part.object.members if part.object.kind == "union" else [part.object]
    tagged = merged(classes).copy(members=(), object=_union(members, None, tag))
    return merged([part for part in parts if part not in classes] + [tagged])


def _merged_hooks(parts: list[Node]) -> tuple[Any, ...] | None:
    if not any(part.hooks for part in parts):
        return None
    taken = [takes(part) for part in parts]
    return tuple(_merged_hook([part for part, takes_it in zip(parts, taken) if takes_it[kind]], kind) for kind in range(len(KINDS)))


def _merged_hook(parts: list[Node], kind: int) -> Any:
    hooks = [(part.hooks or NO_HOOKS)[kind] for part in parts]
    if not parts or all(hook is hooks[0] for hook in hooks):
        return hooks[0] if hooks else None
    by_type: dict[Any, Any] = {}
    owners: dict[Any, Node] = {}
    free: list[Any] = []
    for part, hook in zip(parts, hooks):
        made = types_made(part, kind)
        if made is None:
            other = next(known for known in parts if known is not part)
            raise NotTold(part.expected, other.expected, "a function is called for one of them")
        if hook is not None:
            made = made | {type(value) for value in choice_values(part, kind)}
        else:
            free += choice_values(part, kind)
        for cls in made:
            owner = owners.setdefault(cls, part)
            if owner is not part and by_type.get(cls) is not hook:
                raise NotTold(owner.expected, part.expected, "a function is called for one of them")
            by_type[cls] = hook
    return ByType({cls: hook for cls, hook in by_type.items() if hook is not None}, tuple(free))


def _merge_limits(node: Node, parts: list[Node]) -> None:
    """Limits that hold for all members become those of the node, others a hook."""
    numbers = [part for part in parts if number_forms(part)]
    strings = [part for part in parts if "str" in part.string]
    times = [part for part in parts if time_forms(part)]
    by_type: dict[Any, list[Bounds]] = {}

    def share(found: list[Node], facts: Any) -> bool:
        return all(facts(part) == facts(found[0]) for part in found)

    def add(form: str, bounds: Bounds) -> None:
        by_type.setdefault(made_by(form), []).append(bounds)

    if numbers and share(numbers, lambda part: part.number_limits):
        node.number_limits = numbers[0].number_limits
    else:
        for part in numbers:
            for form in NUMBERS:
                if form in number_forms(part):
                    add(form, Bounds(part.number_limits))
    if times and len(set().union(*map(time_forms, times))) == 1 and share(times, lambda part: (part.time_limits, part.tz)):
        node.time_limits, node.tz = times[0].time_limits, times[0].tz
    elif times and not any(part.time_limits for part in times) and share(times, lambda part: part.tz):
        node.tz = times[0].tz
    else:
        for part in times:
            for form in TIMES:
                if form in time_forms(part):
                    add(form, Bounds(part.time_limits, part.tz if form in ("datetime", "time") else None))
    if strings and share(strings, lambda part: part.string_limits):
        node.string_limits = strings[0].string_limits
    else:
        for part in strings:
            add("str", Bounds(strings=part.string_limits))
    node.bytes_limits = next((part.bytes_limits for part in parts if part.bytes_limits), None)
    by_type = {cls: found for cls, found in by_type.items() if not any(bounds.is_empty() for bounds in found)}
    if by_type:
        free = tuple(value for part in parts for kind in (2, 3, 4) for value in choice_values(part, kind))
        check = Alternatives(by_type, free)
        hooks = node.hooks or NO_HOOKS
        # Bounds are those of the value before it is given to other functions.
        node.hooks = tuple(
            hook if kind not in (2, 3, 4) else check if hook is None else Then(check, hook) for kind, hook in enumerate(hooks)
        )


def _merged_dumps(parts: list[Node]) -> Any:
    dumps: dict[Any, Any] = {}
    for part in parts:
        if part.dump is not None:
            dumps.update(part.dump.dumps)
    return DumpByType(dumps) if dumps else None
