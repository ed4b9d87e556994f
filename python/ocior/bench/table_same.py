"""Whether a table has the columns, types and values of another, and if not in what it differs, in words. pyarrow looks into both."""

# So many columns are named.
_NAMED = 3


class Differs(str):
    """What is other in a result that is not wrong by itself: the library is measured, but takes no part in who is the fastest."""


def difference(result, expected, is_exact=False):
    """What is other in `result` than in a table of pyarrow's, in words, or None. Strings and lists may be of any layout, and columns in any
    order, unless `is_exact`."""
    import pyarrow

    try:
        result = pyarrow.table(result)
    except pyarrow.ArrowException as error:
        return f"gives no columns of Arrow: {error}"
    if result.num_rows != expected.num_rows:
        return f"gives {result.num_rows} rows instead of {expected.num_rows}"
    found, wanted = ({field.name: field.type for field in table.schema} for table in (result, expected))
    for what, names in (("lacks", wanted.keys() - found.keys()), ("adds", found.keys() - wanted.keys())):
        if names:
            return f"{what} {_listed([name for name in (*wanted, *found) if name in names])}"
    if is_exact:
        return None if result.equals(expected) else "gives another table than json and pyarrow"
    others = [f"{name} as {found[name]}" for name in wanted if _plain(found[name]) != _plain(wanted[name])]
    if others:
        return f"gives {_listed(others)}"
    others = [name for name in wanted if not _is_same(result[name], expected[name])]
    return f"gives other values in {_listed(others)}" if others else None


def _listed(names):
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _plain(type):
    """A type, with one layout for all strings and one for all lists."""
    import pyarrow
    from pyarrow import types

    if types.is_large_string(type) or types.is_string_view(type):
        return pyarrow.string()
    if types.is_list(type) or types.is_large_list(type):
        return pyarrow.list_(_plain(type.value_type))
    if types.is_struct(type):
        return pyarrow.struct(sorted(((field.name, _plain(field.type)) for field in type), key=lambda pair: pair[0]))
    return type


def _is_same(column, expected):
    import pyarrow

    try:
        return column.cast(expected.type).equals(expected)
    except (pyarrow.ArrowException, ValueError):
        return column.to_pylist() == expected.to_pylist()
