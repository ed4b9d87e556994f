"""The Rules that hold for a class, and names as they have them."""

from collections.abc import Callable
from typing import Any

from ocior._typed.markers import NO_RULES, Rules


def rules_of(cls: Any, annotated: Rules | None, given: Rules | None) -> Rules:
    """Those of the class attribute `__ocior__`, those in `Annotated`, those given to the decoder: what a later one says wins.

    Raises TypeError where `__ocior__` is something else.
    """
    own = getattr(cls, "__ocior__", None)
    if own is not None and not isinstance(own, Rules):
        raise TypeError(f"__ocior__ must be an ocior.Rules, not {type(own).__name__}")
    rules = own or NO_RULES
    for later in (annotated, given):
        if later is not None:
            rules = later.over(rules)
    return rules


def renamed(name: str, rename: Any) -> str:
    """The name in JSON of a field of this name. Raises TypeError where a function gives what is no str."""
    if rename is None:
        return name
    if isinstance(rename, str):
        return _STYLES[rename](name)
    new = rename.get(name) if isinstance(rename, dict) else rename(name)
    if new is None:
        return name
    if not isinstance(new, str):
        raise TypeError(f"rename gives {type(new).__name__}, and no str")
    return new


def _words(name: str) -> tuple[str, list[str], str]:
    """Underscores in front, the words between underscores, underscores behind."""
    bare = name.strip("_")
    if not bare:
        return name, [], ""
    front = name[: name.index(bare)]
    return front, [word for word in bare.split("_") if word], name[len(front) + len(bare) :]


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _camel(name: str) -> str:
    front, words, behind = _words(name)
    return front + "".join(words[:1] + [_capital(word) for word in words[1:]]) + behind


def _pascal(name: str) -> str:
    front, words, behind = _words(name)
    return front + "".join(map(_capital, words)) + behind


def _kebab(name: str) -> str:
    front, words, behind = _words(name)
    return front + "-".join(words) + behind


_STYLES: dict[str, Callable[[str], str]] = {"camel": _camel, "pascal": _pascal, "kebab": _kebab, "upper": str.upper}
