"""What a type is compiled to: `Node`, and the `Array`, `Object` and `Field` that hang on it.

`ocior._typed.hints` makes them, the core and `ocior._typed.schema` read them by the names of their attributes. A node says what may stand
at one place of a document; the members of a union are merged into one node, by what is written. Recursive types are circles of nodes.

What a node takes is found in this order:
    null:               `word_choices`, `null`
    true, false:        `word_choices`, `boolean`, `missing`
    integers, numbers:  `int_choices` or `float_choices`, `integer` or `real`, `missing`
    strings:            `str_choices`, the forms of `string` in their order, `missing`
    arrays, objects:    `array`, `object`
and what nothing of that takes goes to `whole`, where that is not empty. Limits are those of values before `hooks` get them: `number_limits`
and `time_limits` also of what strings give, lengths of sets of the items that are left.
"""

from typing import Any


class _Nothing:
    """The type of NOTHING."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Any = _Nothing()
"""Stands where a field has no default."""

KINDS = ("null", "boolean", "integer", "real", "string", "array", "object")
"""The kinds of what is written: the order of `Node.hooks`."""

# The forms that a string may have, in the order in which they are tried. The last four are those of lax reading, but for "str", which takes
# every string.
STRING_FORMS = (
    "uuid",
    "datetime",
    "date",
    "time",
    "timedelta",
    "decimal",
    "bytes",
    "bytearray",
    "call",
    "int",
    "float",
    "bool",
    "null",
    "str",
)


class _Record:
    """A base whose slots begin with the values in `DEFAULTS`."""

    __slots__ = ()
    DEFAULTS: dict[str, Any] = {}

    def __init__(self, **values: Any) -> None:
        for name, value in self.DEFAULTS.items():
            setattr(self, name, value)
        for name, value in values.items():
            setattr(self, name, value)

    def copy(self, **changes: Any) -> Any:
        """Another one with the values of this one, but for `changes`."""
        made = object.__new__(type(self))
        made.take(self)
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def take(self, other: Any) -> None:
        """Makes the values of `other` those of this one."""
        for name in self.DEFAULTS:
            setattr(self, name, getattr(other, name))


def _record(**defaults: Any) -> Any:
    """The base of a class with these slots."""
    return type("Record", (_Record,), {"__slots__": tuple(defaults), "DEFAULTS": defaults})


class Node(
    _record(
        null=False,  # null gives None
        boolean=False,  # true and false give bool
        integer="",  # what an integer becomes: "", "int", "float", "decimal"; lax: "bool", "datetime", "timedelta"
        real="",  # what any other number becomes: "", "float", "decimal"; lax: "int", "datetime", "timedelta"
        string=(),  # forms of STRING_FORMS
        string_class=None,  # for "call": is called with the str
        str_choices=None,  # dict: strings that stand for a value
        int_choices=None,  # dict: integers that stand for a value, none of them a bool
        float_choices=None,  # dict: numbers that stand for a value
        word_choices=None,  # dict of "true", "false", "null"
        missing=(),  # callables: asked for the value of what is no choice; ValueError means no
        array=None,
        object=None,
        whole="",  # "", "any", "raw", "model"
        model=None,  # for "model": is called with JSON text
        number_limits=None,  # (gt, ge, lt, le, multiple_of)
        time_limits=None,  # (gt, ge, lt, le)
        string_limits=None,  # (min_length, max_length, pattern) of "str"
        bytes_limits=None,  # (min_length, max_length)
        tz=None,  # True: datetimes and times must have an offset; False: must not
        hooks=None,  # a callable or None for each of KINDS
        expected="",  # for people
        dump=None,  # for encoding: is called with the value, its result is written
        notes=None,  # for the schema, a dict: title, description, examples, deprecated, extra
        members=(),  # the nodes of the union that this one merges, in its order
        source=None,  # for the schema: the Enum, the model or the alias (`type X = ...`) that the node is made of
        is_open=False,  # is still to be filled
    )
):
    """What may stand at one place."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Node {self.expected}>"


class Array(
    _record(
        kind="list",  # "list", "tuple", "set", "frozenset", "deque", "fixed", "namedtuple", "class"
        item=None,  # the Node of every item, in the first five
        items=(),  # the Nodes of "fixed" and "namedtuple"
        type=None,  # the class of "namedtuple"
        defaults=(),  # those of the last fields of "namedtuple"
        object=None,  # the Object of "class": the values of its fields, in order
        min_length=None,
        max_length=None,
        expected="",
    )
):
    """What an array becomes."""

    __slots__ = ()


class Object(
    _record(
        kind="dict",  # "dict", "class", "typeddict", "union"
        type=None,  # the class; of "dict": dict itself, a class that is made like it, or one that is called with the dict
        expected="",
        # "dict"
        key=None,  # a Node that takes strings, or None for str
        value=None,
        factory=None,  # that of a defaultdict
        min_length=None,
        max_length=None,
        # "class" and "typeddict"
        name="",
        make="",  # "store", "call", "struct", "typeddict"
        fields=(),
        names=None,  # dict: every name that is read -> index in fields
        unknown="ignore",
        rest=-1,  # index of the field that keeps unknown keys; of "union": the Object of kind "dict" for what is no member, or None
        post_init=None,  # is called with the instance
        tag_name=None,  # of a member that is no field
        tag_value=None,
        array=False,  # is written as an array
        notes=None,
        # "union"
        members=(),  # Objects
        default=-1,  # the member to take where nothing decides
        tag=None,  # the name of the deciding key
        tags=None,  # dict: its value -> index in members
        keys=None,  # dict: a key that one member alone requires -> index in members
        asked_tag=None,  # the Tag that decides, until the union is decided
    )
):
    """What an object becomes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Object {self.kind} {self.name or self.expected}>"


class Field(
    _record(
        name="",  # the attribute
        written="",  # the name in JSON
        node=None,
        required=True,
        default=NOTHING,  # a field that is not required and has neither this nor `factory`: nothing is stored, or given to the class
        factory=None,
        positional=True,
        keyword="",  # the name of its parameter
        init=True,  # False: is not read
        omit="",  # "", "none", "defaults"
        dump=None,
        alias_read=(),  # every name that is read
        missing=False,  # its default says that it is absent
        notes=None,
    )
):
    """A field of a class, or an item of a TypedDict."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Field {self.name}: {self.node.expected if self.node else '?'}>"
