"""What tells the classes of a union apart: a tag, a Literal or an Enum, or the keys that one of them alone requires.

Asked when all of them are complete: classes may refer to each other.
"""

from collections import Counter
from typing import Any

from ocior._typed.hooks import takes
from ocior._typed.nodes import Object
from ocior._typed.unions import NotTold, joined


def decide(union: Object, refuse: Any) -> None:
    """Finds what tells the members of an Object of kind "union" apart. `refuse` makes the TypeError of a message."""
    if union.asked_tag is not None:
        _decide_by_asked_tag(union, refuse)
        return
    members = union.members
    if len(members) > 1 or (members and _tag_values(members[0], members[0].tag_name)):
        found = _common_tag(members)
        if found is not None:
            _set_tag(union, *found)
            return
    _decide_by_keys(union, refuse)


def _set_tag(union: Object, key: str, tags: dict[Any, int]) -> None:
    union.tag, union.tags = key, tags
    union.expected = joined([repr(value) for value in tags])


def _field_choices(member: Object, key: str) -> list[Any]:
    """The values that a Literal or an Enum allows for the field read as `key`; none where it is anything else."""
    index = (member.names or {}).get(key)
    if index is None:
        return []
    node = member.fields[index].node
    others = takes(node.copy(str_choices=None, int_choices=None))
    if any(others):
        return []
    return [*(node.str_choices or ()), *(node.int_choices or ())]


def _tag_values(member: Object, key: str | None) -> list[Any]:
    if key is None:
        return []
    return [member.tag_value] if member.tag_name == key else _field_choices(member, key)


def _common_tag(members: tuple[Object, ...]) -> tuple[str, dict[Any, int]] | None:
    keys = dict.fromkeys(key for member in members for key in ([member.tag_name] if member.tag_name is not None else []))
    keys.update(dict.fromkeys(members[0].names or ()))
    for key in keys:
        tags: dict[Any, int] = {}
        for index, member in enumerate(members):
            values = _tag_values(member, key)
            if not values or any(value in tags for value in values):
                break
            tags.update(dict.fromkeys(values, index))
        else:
            return key, tags
    return None


def _decide_by_asked_tag(union: Object, refuse: Any) -> None:
    tag = union.asked_tag
    members = list(union.members)
    if tag.types is None:
        tags: dict[Any, int] = {}
        for index, member in enumerate(members):
            values = _tag_values(member, tag.name)
            if not values:
                raise refuse(f"{member.name} has no Literal, Enum or tag {tag.name!r}, and the Tag does not say its value")
            for value in values:
                if value in tags:
                    raise refuse(
                        f"{members[tags[value]].name} and {member.name} cannot be told apart in a union: {value!r} is a tag of both"
                    )
                tags[value] = index
        _set_tag(union, tag.name, tags)
        return
    made: list[Object] = []
    named: set[int] = set()
    for value, member in tag.types.items():
        index = _index_of(member, members)
        if index is None:
            raise refuse(f"the Tag has a class that is no member of the union: {getattr(member, 'name', member)}")
        named.add(index)
        member = members[index]
        if tag.name in (member.names or {}):
            values = _field_choices(member, tag.name)
            if values and value not in values:
                raise refuse(f"the Tag says {value!r} for {member.name}, whose field {tag.name!r} is {joined([repr(v) for v in values])}")
            made.append(member)
        elif member.tag_name == tag.name and member.tag_value == value:
            made.append(member)
        else:
            made.append(member.copy(tag_name=tag.name, tag_value=value))
    for index, member in enumerate(members):
        if index not in named:
            raise refuse(f"the Tag has no value for {member.name}")
    union.members = tuple(made)
    _set_tag(union, tag.name, {value: index for index, value in enumerate(tag.types)})


def _index_of(member: Object, members: list[Object]) -> int | None:
    """The place of a class in the union; with Rules of its own there, it is known by the class alone."""
    of_class = [index for index, known in enumerate(members) if known.type is member.type]
    exact = [index for index in of_class if members[index] is member]
    if exact:
        return exact[0]
    return of_class[0] if len(of_class) == 1 else None


def _decide_by_keys(union: Object, refuse: Any) -> None:
    members = union.members
    union.keys = {}
    without: list[int] = []
    counts = Counter(name for member in members for name in _all_names(member))
    for index, member in enumerate(members):
        required = [field for field in member.fields if field.required and field.init]
        own = [name for field in required if all(counts[read] == 1 for read in field.alias_read) for name in field.alias_read]
        union.keys.update(dict.fromkeys(own, index))
        if not own:
            without.append(index)
    if union.rest is not None and without:
        why = "no key of the former is required" if len(members) == 1 else "no key is required by the former alone"
        raise refuse(str(NotTold(members[without[0]].name, union.rest.expected, why)))
    if len(without) > 1:
        names = [members[index].name for index in without[:2]]
        raise refuse(str(NotTold(*names, "no tag, no Literal and no required key of one of them alone says which it is")))
    union.default = without[0] if without else -1
    if not union.expected:
        union.expected = joined([member.name for member in members])


def _all_names(member: Object) -> set[str]:
    names = set(member.names or ())
    return names | {member.tag_name} if member.tag_name is not None else names
