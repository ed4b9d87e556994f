"""A node as one line of text, for rows of tests: `shown(compile(int | None))` is "null integer=int"."""

from ocior._typed.hints import NOTHING, compile


def shown(node, depth=3):
    """What a node takes, and how; below `depth` only names."""
    words = [word for word in ("null", "boolean") if getattr(node, word)]
    for name in ("integer", "real"):
        if getattr(node, name):
            words.append(f"{name}={getattr(node, name)}")
    if node.string:
        words.append(f"string={','.join(node.string)}")
    for name in ("str_choices", "int_choices", "float_choices", "word_choices"):
        choices = getattr(node, name)
        if choices:
            words.append(f"{name.split('_')[0]}:{','.join(map(repr, choices))}")
    if node.missing:
        words.append("asks")
    if node.array is not None:
        words.append(shown_array(node.array, depth))
    if node.object is not None:
        words.append(shown_object(node.object, depth))
    if node.whole:
        words.append(node.whole)
    for name, kind in (("number_limits", "numbers"), ("time_limits", "times"), ("string_limits", "strings"), ("bytes_limits", "bytes")):
        limits = getattr(node, name)
        if limits and any(limit is not None for limit in limits):
            words.append(f"{kind}({','.join('' if limit is None else str(getattr(limit, 'pattern', limit)) for limit in limits)})")
    if node.tz is not None:
        words.append("aware" if node.tz else "naive")
    if node.hooks:
        words.append(f"hooks={''.join('01'[hook is not None] for hook in node.hooks)}")
    return " ".join(words)


def shown_array(array, depth):
    lengths = f"[{array.min_length}:{array.max_length}]".replace("None", "") if (array.min_length, array.max_length) != (None, None) else ""
    if depth == 0:
        return f"{array.kind}{lengths}"
    if array.kind == "class":
        return f"array of {shown_object(array.object, depth)}"
    inside = [array.item] if array.item is not None else array.items
    defaults = f"; {', '.join(map(repr, array.defaults))}" if array.defaults else ""
    return f"{array.kind}{lengths}<{', '.join(shown(item, depth - 1) for item in inside)}{defaults}>"


def shown_object(found, depth):
    if found.kind == "dict":
        lengths = f"[{found.min_length}:{found.max_length}]".replace("None", "")
        lengths = lengths if lengths != "[:]" else ""
        key = "" if found.key is None else f"{shown(found.key, 0)}: "
        return f"{found.type.__name__}{lengths}<{key}{shown(found.value, depth - 1) if depth else '...'}>"
    if found.kind == "union":
        how = f"{found.tag}={found.tags}" if found.tag is not None else f"{found.keys}"
        default = f" else {found.members[found.default].name}" if found.default >= 0 else ""
        rest = f" rest {shown_object(found.rest, 0)}" if found.rest else ""
        return f"union({', '.join(member.name for member in found.members)} by {how}{default}{rest})"
    return found.name


def shown_fields(found):
    """The fields of a class: `make: name=..., name=...`, with "?" behind what is not required."""
    return [shown_field(field) for field in found.fields]


def shown_field(field):
    text = field.name if field.written == field.name else f"{field.name}->{field.written}"
    if field.alias_read not in ((field.written,), ()):
        text += f"<-{','.join(field.alias_read)}"
    text += "" if field.required else "?"
    text += f" {shown(field.node, 1)}"
    if field.default is not NOTHING:
        text += f" = {field.default!r}"
    if field.factory is not None:
        text += f" = {getattr(field.factory, '__name__', 'function')}()"
    if not field.init:
        text += " unread"
    return text


def of(type, **keywords):
    return shown(compile(type, **keywords))


def object_of(type, **keywords):
    node = compile(type, **keywords)
    return node.object if node.object is not None else node.array.object


def fields_of(type, **keywords):
    return shown_fields(object_of(type, **keywords))


__all__ = ["fields_of", "object_of", "of", "shown", "shown_fields"]
