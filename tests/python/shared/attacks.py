"""What the tests share of Python code that runs inside a call and attacks what the call is working on: roads to write a value over, changes of
containers, and what may come of a call: any answer or exception, never a crash."""

import json

import ocior

ROADS = [
    (ocior.dumps, {}),
    (ocior.dumps, {"ensure_ascii": False}),
    (ocior.dumps, {"indent": 1}),
    (ocior.dumps_to_bytes, {}),
    (ocior.dumps, {"sort_keys": True}),
    (ocior.dumps_to_bytes, {"indent": 2, "skipkeys": True}),
    (ocior.dumps, {"check_circular": False}),
]


class Unknown:
    pass


def finish(outcome):
    """A result must be well-formed JSON; an error must be an ordinary one."""
    if outcome.error is None:
        json.loads(outcome.value)
    else:
        assert isinstance(outcome.error, (RuntimeError, TypeError, ValueError, LookupError, AttributeError, ZeroDivisionError)), (
            outcome.error
        )


def shrink(container):
    if isinstance(container, list):
        del container[1:]
    else:
        for key in list(container)[1:]:
            del container[key]


def grow(container):
    if isinstance(container, list):
        container.extend("\u4e2d" * 1 for _ in range(40)) if len(container) < 300 else None
    elif len(container) < 300:
        container.update({f"new{len(container)}{index}": index for index in range(40)})


def replace(container):
    for index in range(len(container)) if isinstance(container, list) else list(container):
        container[index] = "replaced"


def clear(container):
    container.clear()


def refill(container):
    size = len(container)
    container.clear()
    if isinstance(container, list):
        container.extend(["x" * 50] * size)
    else:
        container.update({f"{index}": "y" * 50 for index in range(size)})


def reverse(container):
    if isinstance(container, list):
        container.reverse()
    else:
        items = list(container.items())[::-1]
        container.clear()
        container.update(items)


ATTACKS = [clear, shrink, grow, replace, refill, reverse]


class Changes:
    """A value that json has no text for: where Changes.fire is default(), it changes something first."""

    def __init__(self, change):
        self.change = change

    def fire(self):
        self.change()
        return "changed"
