"""What the tests of the modules of ocior.compat share: the libraries themselves, where they are installed, and random values."""

import random

import pytest


def imitated(facade):
    """The library that a module of ocior.compat stands for. Skips the test where that is not installed, or has another minor version."""
    name = facade.__name__.rpartition(".")[2]
    library = pytest.importorskip(name)
    if not library.__version__.startswith(facade.__version__.rsplit(".", 1)[0]):
        pytest.skip(f"{name} {library.__version__}")
    return library


class RandomValues:
    """Texts of `characters`, or of letters that need no escapes, and integers, some of them out of `integers`."""

    characters = integers = ()

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.pick = self.rng.choice

    def text(self):
        letters = self.characters if self.rng.random() < 0.3 else "abcxyz_01"
        return "".join(self.pick(letters) for _ in range(self.pick([0, 1, 2, 3, 8, 15, 16, 17, 31, 33, 64, 100])))

    def integer(self):
        return self.pick([*self.integers, self.rng.randrange(-(10**18), 10**18)])
