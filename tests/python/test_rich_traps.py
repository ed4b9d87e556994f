"""What an ocior.Default must not be taken in by: instances that have an attribute by which classes are known."""

from rich_values import OfItsOwn, check

import ocior
from ocior import Default


def test_a_method_of_the_class_in_spite_of_one_of_the_instance():
    value = OfItsOwn("of the class")
    vars(value)["__json__"] = lambda: "of the instance"
    check(value, "of the class")
    check({"a": value}, {"a": "of the class"})
    assert ocior.dumps({value: 1}, default=Default(keys=True)) == '{"of the class": 1}'
