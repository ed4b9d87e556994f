"""Classes of which CPython keeps no version any more: what is remembered of how their values are written is compared with the class itself.
They are written as others are, also when they are changed between two values, and not looked at anew for each."""

import dataclasses
import enum
import gc
import weakref

import pytest
from support import call
from threads import check_together

import ocior
import ocior.compat.orjson as orjson


class Reordering(type):
    """Before 3.12 CPython gives no version to classes whose metaclass has its own mro()."""

    def mro(cls):
        return super().mro()


class ReorderingEnum(Reordering, enum.EnumMeta):
    pass


def give_up(cls):
    """Since 3.13 a class has 1000 versions at most."""
    for turn in range(1100):
        cls.turn = turn
        assert cls.turn == turn  # a look-up takes a version


def keep(cls):
    """The control."""


WAYS = [(keep, type), (give_up, type), (keep, Reordering)]
ways = pytest.mark.parametrize(("prepare", "metaclass"), WAYS, ids=["versions", "given up", "own mro"])
ROADS = [
    (lambda value, hook: ocior.dumps(value, default=ocior.Default(hook), separators=(",", ":"), ensure_ascii=False)),
    (lambda value, hook: ocior.dumps_to_bytes(value, default=ocior.Default(hook)).decode()),
    (lambda value, hook: "".join(ocior.JSONEncoder(default=ocior.Default(hook), separators=(",", ":")).iterencode(value))),
    (lambda value, hook: orjson.dumps(value, default=hook).decode()),
]
roads = pytest.mark.parametrize("road", ROADS, ids=["dumps", "dumps_to_bytes", "iterencode", "orjson"])


def plain(prepare, metaclass):
    @dataclasses.dataclass
    class Order(metaclass=metaclass):
        number: object
        name: object = "n"

    prepare(Order)
    return Order


def slots(prepare, metaclass):
    @dataclasses.dataclass
    class Order(metaclass=metaclass):
        __slots__ = ("number", "name")
        number: object
        name: object

    prepare(Order)
    return lambda number, name="n": Order(number, name)


def derived(prepare, metaclass):
    @dataclasses.dataclass
    class Base(metaclass=metaclass):
        number: object

    @dataclasses.dataclass
    class Order(Base):
        name: object = "n"

    prepare(Base)
    return Order


MAKERS = [plain, slots, derived]


class Later:
    """A value whose turn comes between two others: the hook makes a change."""

    def __init__(self, change=lambda: None):
        self.change = change


def hook(value):
    value.change()
    return "changed"


@ways
@roads
@pytest.mark.parametrize("make", MAKERS)
def test_objects_of_fields(make, road, prepare, metaclass):
    order = make(prepare, metaclass)
    values = [order(1), [order("\xe9"), Later(), order(2.5)], {"k": order(None)}, [order([1, order({"a": order(2)})])], order(3)]
    expected = (
        '[{"number":1,"name":"n"},[{"number":"\xe9","name":"n"},"changed",{"number":2.5,"name":"n"}],{"k":{"number":null,"name":"n"}},'
        '[{"number":[1,{"number":{"a":{"number":2,"name":"n"}},"name":"n"}],"name":"n"}],{"number":3,"name":"n"}]'
    )
    for _ in range(3):
        assert road(values, hook).replace("\\u00e9", "\xe9") == expected
        assert road(order(7), hook) == '{"number":7,"name":"n"}'


def make_property(order):
    type(order).number = property(lambda self: "asked")
    return '{"number":"asked","name":"n"}'


def make_json(order):
    type(order).__json__ = lambda self: "own"
    return '"own"'


def reorder_fields(order):
    fields = type(order).__dataclass_fields__
    type(order).__dataclass_fields__ = dict(reversed(fields.items()))
    return '{"name":"n","number":1}'


def reorder_fields_at_the_same_place(order):
    fields = [*reversed(type(order).__dataclass_fields__.items())]
    del type(order).__dataclass_fields__
    type(order).__dataclass_fields__ = dict(fields)
    return '{"name":"n","number":1}'


def lose_a_field(order):
    fields = type(order).__dataclass_fields__
    type(order).__dataclass_fields__ = {"number": fields["number"]}
    return '{"number":1}'


def ask_attributes(order):
    type(order).__getattribute__ = lambda self, name: name if name in ("number", "name") else object.__getattribute__(self, name)
    return '{"number":"number","name":"name"}'


def exchange_members(order):
    cls = type(order)
    cls.number, cls.name = cls.name, cls.number
    return '{"number":"n","name":1}'


# (orjson's way with a dataclass that has a __dict__ is to write what that holds.)
CHANGES = [
    (plain, make_property), (plain, make_json), (plain, reorder_fields), (plain, reorder_fields_at_the_same_place), (plain, lose_a_field),
    (plain, ask_attributes), (slots, make_property), (slots, reorder_fields), (slots, ask_attributes), (slots, exchange_members),
    (derived, make_json), (derived, reorder_fields), (derived, lose_a_field),
]  # fmt: skip


@ways
@pytest.mark.parametrize("road", ROADS[:3], ids=["dumps", "dumps_to_bytes", "iterencode"])
@pytest.mark.parametrize(("make", "change"), CHANGES)
def test_classes_that_a_hook_changes_between_two_values(make, change, road, prepare, metaclass):
    order = make(prepare, metaclass)(1)
    before, expected = '{"number":1,"name":"n"}', []
    assert road([order, [order]], hook) == f"[{before},[{before}]]"
    written = road([order, [order, order], Later(lambda: expected.append(change(order))), order, {"k": [order, order]}], hook)
    after = expected[0]
    assert written == f'[{before},[{before},{before}],"changed",{after},{{"k":[{after},{after}]}}]'
    assert road([order, Later(), order], hook) == f'[{after},"changed",{after}]'


@ways
@pytest.mark.parametrize(("make", "change"), CHANGES)
def test_classes_that_change_between_two_calls(make, change, prepare, metaclass):
    order = make(prepare, metaclass)(1)
    for _ in range(2):
        assert ROADS[0](order, hook) == '{"number":1,"name":"n"}'
    after = change(order)
    for _ in range(2):
        assert ROADS[0](order, hook) == after


@ways
def test_classes_that_change_while_a_key_is_made(prepare, metaclass):
    order = plain(prepare, metaclass)(1)

    class Path:
        def __fspath__(self):
            make_property(order)
            return "path"

    written = ocior.dumps([order, {Path(): order}], default=ocior.Default(keys=True))
    assert written == '[{"number": 1, "name": "n"}, {"path": {"number": "asked", "name": "n"}}]'


@ways
def test_classes_that_change_while_a_value_is_freed(prepare, metaclass):
    order = plain(prepare, metaclass)(1)

    class Dying:
        def __del__(self):
            make_property(order)

    class Items(list):
        def __iter__(self):
            yield order
            yield Dying()
            yield order

    encoder = ocior.JSONEncoder(default=ocior.Default(lambda value: "dying"))
    written = "".join(encoder.iterencode([order, Items([1])]))
    before = '{"number": 1, "name": "n"}'
    assert written == f'[{before}, [{before}, "dying", {{"number": "asked", "name": "n"}}]]'


@ways
def test_bases_that_are_exchanged(prepare, metaclass):
    class One(metaclass=metaclass):
        pass

    class Other(metaclass=metaclass):
        __json__ = lambda self: "other"  # noqa: E731

    order = dataclasses.make_dataclass("Order", ["number"], bases=(One,))
    prepare(order)

    def change():
        order.__bases__ = (Other,)

    assert ROADS[0]([order(1), Later(change), order(1)], hook) == '[{"number":1},"changed","other"]'


@ways
@roads
def test_enums(road, prepare, metaclass):
    kind = (ReorderingEnum if metaclass is Reordering else enum.EnumMeta)("Kind", (enum.Enum,), members("Kind"))
    if prepare is give_up:
        for turn in range(1100):
            type.__setattr__(kind, "turn", turn)
            assert kind.turn == turn
    for _ in range(2):
        assert road([kind.WORD, kind.NUMBER, Later(), kind.WORD], hook) == '["x",7,"changed","x"]'
    if road is ROADS[3]:
        return

    def change():
        type.__setattr__(kind, "value", property(lambda self: "own"))

    assert road([kind.WORD, Later(change), kind.WORD], hook) == '["x","changed","own"]'


def members(name):
    namespace = enum.EnumMeta.__prepare__(name, (enum.Enum,))
    namespace["WORD"], namespace["NUMBER"] = "x", 7
    return namespace


@ways
@pytest.mark.parametrize("base", [dict, list, tuple, str, int])
def test_classes_derived_from_types_of_json(base, prepare, metaclass):
    """Without any default, as json writes them; where a class says how it is read, that counts from then on."""
    cls = metaclass("Derived", (base,), {})
    prepare(cls)
    content = {dict: {"a": 1}, list: [1], tuple: (1,), str: "text", int: 5}[base]
    plain_text = ocior.dumps(content)
    value = cls(content)

    def change():
        if base is dict:
            cls.items = lambda self: [("own", 2)]
        elif base in (list, tuple):
            cls.__iter__ = lambda self: iter(["own", 2])

    changed = {dict: '{"own": 2}', list: '["own", 2]', tuple: '["own", 2]'}.get(base, plain_text)
    written = ocior.dumps([value, value, Later(change), value, [value]], default=hook)
    assert written == f'[{plain_text}, {plain_text}, "changed", {changed}, [{changed}]]'


def counting_class(prepare, metaclass):
    """A class whose fields count how often they are looked at."""
    looks = []

    class Field:
        name = "number"

        @property
        def _field_type(self):
            looks.append(1)
            return dataclasses._FIELD

    cls = metaclass("Order", (), {"__dataclass_fields__": {"number": Field()}, "count": 0})
    prepare(cls)
    return cls, looks


@ways
def test_classes_are_not_looked_at_for_each_value(prepare, metaclass):
    """Neither in one call nor in another, and not where a hook runs between all values, which makes more of them and counts that."""
    cls, looks = counting_class(prepare, metaclass)

    def new(number=1):
        value = cls()
        value.number = number
        cls.count += 1
        cls._last = value
        return value

    def make(value):
        return new(2)

    values = [new() for _ in range(50)]
    for _ in range(20):
        ocior.dumps(values, default=ocior.Default())
        ocior.dumps(values[0], default=ocior.Default())
    assert len(looks) <= 2
    looks.clear()
    text = ocior.dumps([item for value in values for item in (value, Later())], default=ocior.Default(make))
    assert text == "[" + ", ".join(['{"number": 1}, {"number": 2}'] * 50) + "]"
    assert len(looks) <= 1


@ways
def test_classes_are_not_kept_alive(prepare, metaclass):
    for make in MAKERS:
        order = make(prepare, metaclass)(1)
        cls = type(order)
        ROADS[0]([order, Later(), order], hook)
        life = weakref.ref(cls)
        del order, cls
        gc.collect()
        assert life() is None


def test_classes_at_the_address_of_dead_ones():
    """Of another layout, and without a version, too."""
    last_at, reused = {}, 0
    for turn in range(300):
        names = [f"field{number}" for number in range(turn % 7)]
        cls = Reordering("Order", (), {"__slots__": names, "__dataclass_fields__": fields_of(names)})
        order = cls()
        for name in names:
            setattr(order, name, name.upper())
        reused += last_at.get(id(cls), turn % 7) != turn % 7
        last_at[id(cls)] = turn % 7
        expected = "{" + ",".join(f'"{name}":"{name.upper()}"' for name in names) + "}"
        assert ROADS[0]([order, [order]], hook) == f"[{expected},[{expected}]]"
        del cls, order
        gc.collect()


def fields_of(names):
    return dataclasses.make_dataclass("Fields", names).__dataclass_fields__


def test_what_is_no_name_in_a_class():
    cls = Reordering("Order", (), {"__dataclass_fields__": fields_of(["number"]), 5: 6})
    order = cls()
    order.number = 1
    assert call(ROADS[0], [order, order], hook).value == '[{"number":1},{"number":1}]'


def test_threads_change_classes():
    """Each value is written by one of the forms that its class has had."""
    check_together(
        """
        import dataclasses
        class Reordering(type):
            def mro(cls):
                return super().mro()
        @dataclasses.dataclass
        class Order(metaclass=Reordering):
            number: object
            name: object = "n"
        @dataclasses.dataclass
        class Slots(metaclass=Reordering):
            __slots__ = ("number", "name")
            number: object
            name: object
        member = Slots.__dict__["number"]
        fields = Order.__dataclass_fields__
        shared = [Order(1), Slots(1, "n"), [Order(1)], Slots(1, "n")] * 50
        class Unknown: pass
        mixed = [item for order in shared for item in (order, Unknown())]
        end = time.monotonic() + 1.5
        def work(number):
            turn = 0
            while time.monotonic() < end:
                turn += 1
                if number == 0:
                    Order.number = property(lambda self: "asked", lambda self, value: None)
                    Slots.number = property(lambda self: "asked")
                    Order.__dataclass_fields__ = dict(reversed(fields.items()))
                    Order.__json__ = lambda self: "own"
                    del Order.number, Order.__json__
                    Slots.number = member
                    Order.__dataclass_fields__ = fields
                    new = Reordering(f"New{turn % 5}", (), {"__slots__": [f"s{i}" for i in range(turn % 9)]})
                    shared[turn % 100] = new() if turn % 3 else Order(1)
                else:
                    try:
                        text = ocior.dumps(mixed if turn % 2 else shared, default=ocior.Default(lambda value: "unknown"))
                    except AttributeError:
                        continue  # __json__ was there, and is not any more
                    for item in json.loads(text):
                        item = item[0] if isinstance(item, list) else item
                        assert item in ("own", "unknown") or (item["number"] in (1, "asked") and item["name"] == "n"), item
        """
    )
