"""The decoders that `ocior.loads(data, type=...)` uses: one for each type and each set of keywords, kept for later calls."""

from collections import OrderedDict
from typing import Any

# A decoder refers to the classes that it makes, and CPython has no dict whose values may refer to their weak keys. So classes that are made in
# functions, by tests for instance, live until others push them out.
_MOST = {True: 256, False: 64}

_of_classes: OrderedDict[Any, Any] = OrderedDict()
_of_others: OrderedDict[Any, Any] = OrderedDict()


def decoder_for(decoder_class: Any, type_: Any, **keywords: Any) -> Any:
    """The decoder of that class for a type. Those of the last 256 classes are kept, and of the last 64 other types, which are known by
    equality."""
    is_class = isinstance(type_, type) and not hasattr(type_, "__origin__")
    kept = _of_classes if is_class else _of_others
    try:
        key = (type(type_), id(type_) if is_class else type_, tuple(keywords.items()))
        decoder = kept[key]
    except TypeError:  # a type, or a keyword, that cannot be hashed
        return decoder_class(type_, **keywords)
    except KeyError:
        decoder = kept[key] = decoder_class(type_, **keywords)  # which keeps the class, and so its id, alive
        while len(kept) > _MOST[is_class]:
            try:
                kept.popitem(last=False)
            except KeyError:  # another thread was faster
                break
        return decoder
    try:
        kept.move_to_end(key)
    except KeyError:  # another thread has let go of it
        pass
    return decoder
