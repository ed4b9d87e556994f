"""Views: a document whose parts become objects when they are asked for."""

from collections.abc import Mapping, Sequence
from itertools import islice
from operator import index as as_index

import ocior
from ocior._stream.errors import PointerError

__all__ = ["ArrayView", "ObjectView"]

_NOTHING = object()


class _View:
    """What the views of objects and arrays share. `_viewed`: the document. `_offset`: where this part of it begins."""

    __slots__ = ("__weakref__", "_index", "_offset", "_viewed")

    def __init__(self, viewed, offset):
        self._viewed = viewed
        self._offset = offset
        self._index = None  # where the children are, once one has been asked for; threads that ask at once find the same

    def load(self):
        """The plain object, as `loads` gives it."""
        return self._viewed.load(self._offset)

    def at(self, pointers, default=_NOTHING):
        """What a JSON pointer (RFC 6901) leads to from here: a value, or a view of an object or array; a tuple of these where `pointers`
        is an iterable of `str`. Raises `PointerError` where there is neither a value nor a `default`, ValueError for what is no pointer."""
        if isinstance(pointers, str):
            return self._follow(pointers, default)
        return tuple(self._follow(pointer, default) for pointer in pointers)

    def _follow(self, pointer, default):
        value = self
        for token in ocior._core.pointer_tokens(pointer):
            offset = value._find(token) if isinstance(value, _View) else None
            if offset is None:
                if default is _NOTHING:
                    raise PointerError(pointer)
                return default
            value = self._viewed.value(offset)
        return value

    def __eq__(self, other):
        if isinstance(other, _View):
            return self.load() == other.load()
        if isinstance(other, (dict, list)):
            return self.load() == other
        return NotImplemented

    def __reduce__(self):
        return _itself, (self.load(),)


class ObjectView(_View, Mapping):
    """A view of an object."""

    __slots__ = ()

    def _children(self):
        children = self._index
        if children is None:
            children = self._index = self._viewed.children(self._offset)
        return children

    def _find(self, token):
        return self._children().get(token)

    def __getitem__(self, key):
        return self._viewed.value(self._children()[key])

    def __contains__(self, key):
        return key in self._children()

    def __iter__(self):
        return iter(self._children())

    def __reversed__(self):
        return reversed(self._children())

    def __len__(self):
        return len(self._children())

    def __repr__(self):
        names = [name if len(name) < 40 else f"{name[:36]}..." for name in map(repr, islice(self, 5))]
        return f"<view of an object of {len(self)}{': ' * bool(names)}{', '.join(names)}{', ...' * (len(self) > 5)}>"


class ArrayView(_View, Sequence):
    """A view of an array."""

    __slots__ = ()

    def _children(self):
        children = self._index
        if children is None:
            children = self._index = memoryview(self._viewed.children(self._offset)).cast("Q")
        return children

    def _find(self, token):
        # A number of more digits is the index of nothing, and Python may refuse to convert it.
        if not (token.isascii() and token.isdigit() and len(token) < 19 and (token == "0" or token[0] != "0")):
            return None
        children = self._children()
        return children[int(token)] if int(token) < len(children) else None

    def __getitem__(self, index):
        if isinstance(index, slice):
            return list(map(self._viewed.value, self._children()[index]))
        try:
            offset = self._children()[as_index(index)]
        except IndexError:
            raise IndexError("array index out of range") from None
        return self._viewed.value(offset)

    def __iter__(self):
        return map(self._viewed.value, self._children())

    def __reversed__(self):
        return map(self._viewed.value, self._children()[::-1])

    def __len__(self):
        return len(self._children())

    def __repr__(self):
        return f"<view of an array of {len(self)}>"


def _itself(value):
    """What a view is pickled as."""
    return value
