"""Threads that edit what others are writing: containers, instances and their classes, keys, strings and arrays."""

from support import check_python
from threads import check_race, check_together


def test_shared_containers_are_edited_meanwhile():
    """Lists and dicts that another thread grows, shrinks and refills while they are dumped (with hooks that let it)."""
    check_race(
        """
        class Unknown: pass
        shared_list = list(range(50)) + [Unknown()] + ["\\u4e2d"] * 20
        shared_dict = {f"k{i}": [i, Unknown()] for i in range(30)}
        nested_one, nested_two = {"l": shared_list}, [shared_dict]
        nested_one["two"] = nested_two
        def edit(turn):
            shared_list.append([turn])
            if turn % 7 == 0:
                del shared_list[turn % 11:]
                shared_list.extend([Unknown(), "x" * (turn % 90), {"y": turn}])
            shared_dict[f"n{turn % 50}"] = {"z": [turn]}
            shared_dict.pop(f"k{turn % 30}", None)
            if turn % 13 == 0:
                shared_dict.clear()
            if turn % 5 == 0:
                time.sleep(0)
        def default(obj):
            time.sleep(0)
            return "unknown"
        roads = [(ocior.dumps, {}), (ocior.dumps_to_bytes, {"indent": 1}), (ocior.dumps, {"sort_keys": True})]
        def write(turn):
            for obj in (nested_one, nested_two, shared_list, [shared_dict, shared_list]):
                for function, keywords in roads:
                    try:
                        json.loads(function(obj, default=default, **keywords))
                    except (RuntimeError, ValueError) as error:
                        assert not isinstance(error, json.JSONDecodeError), error
        """,
        seconds=1,
        writers=3,
    )


def test_nested_containers_are_written_as_they_were_at_one_moment():
    """Threads refill and exchange what lies deep in documents, made by a thread that writes them and by another one."""
    check_together(
        """
        import datetime, decimal
        def days(number):
            day = datetime.datetime(2000 + number % 90, 1, 1, tzinfo=datetime.timezone.utc)
            return [day, day.date(), day.replace(tzinfo=None), decimal.Decimal(day.year)]
        def record(number):
            return {"a": [number, number], "b": ([float(number), number], {"c": [str(number)] * 3}), "points": [[number, 0.5]] * 3,
                    "days": days(number)}
        def document():
            return {"records": [record(number) for number in range(40)], "by_name": {f"k{n}": record(n) for n in range(40)}}
        def is_whole(record):
            (low, high), (pair, inner), points = record["a"], record["b"], record["points"]
            return (low == high and pair[0] == pair[1] and len(set(inner["c"])) <= 1 and len({p[0] for p in points}) == 1
                    and len({str(day)[:4] for day in record["days"]}) <= 1)
        documents = []
        def edit(whole, turn):
            one, other = whole["records"][turn % 40], whole["by_name"][f"k{turn % 40}"]
            one["a"][:] = [turn, turn]
            one["b"][1]["c"][:] = [str(turn)] * (turn % 5)
            one["b"][0][:] = [float(turn), turn]
            other["days"][:] = days(turn)[turn % 4:]
            other["points"] = [[turn, 1.5]] * 3
            whole["records"][(turn + 7) % 40] = record(turn)
            other["b"] = ([float(turn), turn], {"c": [str(turn)] * 2})
        def write(whole):
            encode = ocior.JSONEncoder(default=ocior.default).iterencode
            for text in (ocior.dumps(whole, default=ocior.default), ocior.dumps_to_bytes(whole, default=ocior.default, indent=1),
                         "".join(encode(whole))):
                read = json.loads(text)
                for each in [*read["records"], *read["by_name"].values()]:
                    assert is_whole(each), each
        end = time.monotonic() + 2.0 * PATIENCE
        def work(number):
            turn = number
            if number >= 2:
                documents.append(document())
            while time.monotonic() < end:
                turn += 2
                for whole in list(documents):
                    edit(whole, turn) if number < 2 else write(whole)
    """
    )


def test_instances_are_edited_meanwhile():
    """Attributes that other threads set, delete and move to another dict while instances are written."""
    check_race(
        """
        import dataclasses
        @dataclasses.dataclass
        class Plain:
            a: object
            b: object
        @dataclasses.dataclass
        class Slots:
            __slots__ = ("a", "b")
            a: object
            b: object
        instances = [Plain([n], {"n": n}) for n in range(30)] + [Slots([n], str(n)) for n in range(30)]
        def edit(turn):
            one = instances[turn % 30]
            one.a = [turn] * (turn % 5)
            one.b = {"n": "x" * (turn % 40)}
            if turn % 2:
                one.a = Slots([Plain(turn / 3, {"k": [one.b]})], Plain(one.b, Slots({}, "z" * (turn % 50))))
            if turn % 3 == 0:
                one.__dict__["b"] = turn
            if turn % 7 == 0:
                one.__dict__ = {"a": turn, "b": [turn]}
            if turn % 11 == 0:
                instances[turn % 30] = Plain(turn, [turn])
            if turn % 13 == 0:
                del one.b
                one.b = "there again"
            other = instances[30 + turn % 30]
            other.a, other.b = [turn], "y" * (turn % 40)
            if isinstance(one.a, Slots):
                one.a.b.a = one.a.b.b = {"w": [turn] * (turn % 3)}
                one.a.a.append(other)
        def write(turn):
            try:
                read = json.loads(ocior.dumps(instances, default=ocior.default, sort_keys=turn % 4 == 0))
            except AttributeError:
                return
            assert all(list(each) == ["a", "b"] for each in read), read
        """,
        seconds=2,
    )


def test_classes_change_while_their_instances_are_written():
    """What is known of a class may be wrong a moment later. No instance stays locked."""
    check_together(
        """
        import dataclasses
        @dataclasses.dataclass
        class Plain:
            a: object
        @dataclasses.dataclass
        class Slots:
            __slots__ = ("a",)
            a: object
        classes = [(cls, cls.__dataclass_fields__) for cls in (Plain, Slots)]
        instances = [[cls([n])] for n in range(3) for cls in (Plain, Slots)]
        document = [instances, {"one": instances[0][0], "all": instances}]
        texts = {"{'a': [%d]}" % n for n in range(3)} | {"5"}
        def edit(turn):
            cls, fields = classes[turn % 4 // 2]
            if turn % 3:
                cls.__json__ = lambda self: 5
                del cls.__json__
            else:
                del cls.__dataclass_fields__
                cls.__dataclass_fields__ = fields
        def write():
            try:
                read = json.loads(ocior.dumps(document, default=ocior.default))
            except (TypeError, AttributeError):
                return
            for (each,) in read[0] + read[1]["all"] + [[read[1]["one"]]]:
                assert str(each) in texts, each
        end = time.monotonic() + 2.0 * PATIENCE
        def work(number):
            while time.monotonic() < end and number < 2:
                for turn in range(100):
                    edit(turn) if number else write()
            for (each,) in instances:
                each.a = each.a
        """
    )


def test_values_of_instances_are_replaced_meanwhile():
    """What stands in the place of UUIDs and members of enums, while other threads put new values there, and other dicts; zones go meanwhile."""
    check_race(
        """
        import datetime, enum, itertools, uuid, zoneinfo
        import ocior.compat.orjson
        class Word(enum.Enum):
            A, B, C = "a", "b", "c"
        class Number(enum.IntEnum):
            ONE, TWO = 1, 2
        class Text(str, enum.Enum):
            X, Y = "x", "y"
        members = [*Word, *Number, *Text]
        def made():
            return [uuid.UUID(int=2**127 + n) for n in range(20)]
        identities = made()
        lists = [made() for _ in range(4)]  # of which no UUID is anywhere else
        names = ["Europe/Berlin", "Asia/Tokyo", "America/New_York"]
        def moments():
            return [datetime.datetime(2024, month, 1, tzinfo=zoneinfo.ZoneInfo.no_cache(name)) for month in (1, 7) for name in names]
        try:
            times = moments()
        except zoneinfo.ZoneInfoNotFoundError:
            times = []
        expected = json.loads(ocior.dumps(times, default=ocior.default))
        texts = list(map(str, identities))
        allowed = set(texts)
        def edit(turn):
            for n in turn % 20, (turn + 7) % 20:
                for each in [identities, *lists]:
                    object.__setattr__(each[n], "int", 2**127 + n)
            member = members[turn % len(members)]
            member._value_ = 2**59 + turn if turn % 2 else "x" * (turn % 90)
            if turn % 5 == 0:
                member.__dict__["_value_"] = [turn]
            if turn % 7 == 0:
                member.__dict__ = {**member.__dict__, "_value_": turn / 2}
            if turn % 9 == 0 and times:
                times[:] = moments()
        def write(turn):
            keywords = {"default": ocior.default, "indent": turn % 3 or None}
            own = lists[2 + turn % 2] = made()
            for _ in range(20):
                assert json.loads(ocior.dumps(own, **keywords)) == texts
            compat = ocior.compat.orjson.dumps(members)
            read = json.loads(ocior.dumps([members * 5, identities * 3, times, {str(n): each for n, each in enumerate(identities)}], **keywords))
            assert all(isinstance(each, (int, str, float, list)) for each in read[0] + json.loads(compat)), read[0]
            assert set(read[1]) == allowed == set(read[3].values()), read[1]
            assert read[2] in ([], expected), read[2]
        """,
        seconds=2,
    )


def test_keys_of_many_types_are_edited_meanwhile():
    """Keys that are no str go, come back and get another number or value, while objects by them are written."""
    check_race(
        """
        import datetime, enum, uuid
        class Word(enum.Enum):
            A, B, C = "a", "b", 7
        identities = [uuid.UUID(int=2**127 + n) for n in range(20)]
        def made():
            by_time = {datetime.date(2024, 1, n + 1): [n] for n in range(20)}
            return {**{each: {"n": n} for n, each in enumerate(identities)}, **by_time, **dict.fromkeys(Word, "x"), **dict.fromkeys(range(300, 320), 5)}
        shared = made()
        texts = {str(key.value if isinstance(key, enum.Enum) else key) for key in shared}
        default = ocior.Default(keys=True)
        def edit(turn):
            for each in identities[turn % 20], *Word, datetime.date(2024, 1, turn % 20 + 1), 300 + turn % 20:
                shared.pop(each, None)
                if turn % 3:
                    shared[each] = [turn] if turn % 2 else {"n": turn}
            if turn % 50 == 0:
                shared.clear()
                shared.update(made())
            object.__setattr__(identities[turn % 20], "int", 2**127 + turn % 20)
        def write(turn):
            try:
                read = json.loads(ocior.dumps(shared, default=default, indent=turn % 3 or None))
            except RuntimeError as error:  # Python code has read a key, and others ran meanwhile
                assert str(error) == "dictionary changed size during iteration"
            else:
                assert set(read) <= texts, set(read) - texts
        """,
        seconds=2,
    )


def test_containers_that_hold_each_other_block_nobody():
    """Each of several threads has another of these open when it comes to the next."""
    check_together(
        """
        one, two, circle = {"n": [1] * 50}, ["x"] * 50, [[], {}]
        circle[0].append(circle[1])
        circle[1]["back"] = circle[0]
        documents = [[one, two, {"one": one}], {"two": two, "one": one, "list": [two]}, [[[two, (one, two)], one], two]]
        texts = [ocior.dumps(document) for document in documents]
        def work(number):
            for turn in range(400):
                index = (turn + number) % 3
                assert ocior.dumps(documents[index]) == texts[index]
                if turn % 20 == number:
                    try:
                        text = ocior.dumps_to_bytes(circle[turn % 2])
                    except ValueError as error:
                        assert str(error) == "Circular reference detected", error
                    else:
                        raise AssertionError(text)
    """
    )


def test_those_who_write_and_those_who_edit_get_their_turn():
    """Three threads write the same containers all the time, among them the one that made these, while a fourth replaces their items."""
    check_together(
        """
        documents, edits = [], [0]
        end = time.monotonic() + 2.0 * PATIENCE
        def work(number):
            if number == 0:
                flat, table = [0] * 300, {f"k{i}": 0 for i in range(300)}
                documents.extend((flat, table, [flat, (table, flat)]))
            while len(documents) < 3:
                time.sleep(0)
            flat, table, _ = documents
            while time.monotonic() < end or edits[0] <= 20:  # for ever where one of them does not get its turn
                if number == 3:
                    edits[0] += 1
                    flat[:] = [edits[0]] * (250 + edits[0] % 50)
                    table.update(dict.fromkeys(table, edits[0]))
                    continue
                read = [json.loads(ocior.dumps_to_bytes(document)) for document in documents]
                for each in (read[0], read[1].values(), read[2][0], read[2][1][0].values(), read[2][1][1]):
                    assert len(set(each)) == 1, each
        """
    )


def test_a_container_that_is_locked_by_its_own_thread():
    """list.extend() holds the list's lock while it asks an iterator, which may write the list, or what holds it."""
    check_python(
        """
        import json, ocior
        numbers = [3, 1, 2]
        holder = {"numbers": numbers, "more": [numbers]}
        def ask():
            for number in range(3):
                assert ocior.dumps(numbers) == json.dumps(numbers) and ocior.dumps(holder) == json.dumps(holder)
                yield number
        numbers.extend(ask())
        assert numbers == [3, 1, 2, 0, 1, 2]
    """,
        timeout=60,
    )


def test_list_of_items_is_edited_meanwhile():
    """The list that items() of a class derived from dict gives, when it gives the same one each time."""
    check_race(
        """
        pairs = []
        class Pairs(dict):
            def items(self): return pairs
        value = [Pairs(a=1), Pairs(b=2)]
        def edit(turn):
            pairs[:] = [("key %d" % turn * (key % 3), ["value %d" % turn, {"x": [turn]}]) for key in range(turn % 20)]
            pairs.append((turn << 80, turn << 90))
            if turn % 3 == 0: pairs.clear()
        def write(turn):
            for keywords in ({}, {"indent": 1}, {"ensure_ascii": False}):
                ocior.dumps(value, **keywords)
                ocior.dumps_to_bytes(value, **keywords)
        """,
        seconds=1.5,
        writers=1,
        switch_interval=1e-6,
        env={"PYTHONMALLOC": "debug"},
    )


def test_ordered_dict_loses_its_first_key_meanwhile():
    """CPython without a GIL makes the iterator over an OrderedDict from a key that it has not locked."""
    check_race(
        """
        import collections
        ordered = collections.OrderedDict()
        def edit(turn):
            ordered["key %d" % turn] = turn
            try: ordered.popitem(False)
            except KeyError: pass
        encoders = [ocior.JSONEncoder(sort_keys=sort) for sort in (False, True)]
        def write(turn):
            for work in (lambda: ocior.dumps(ordered), lambda: ocior.dumps(ordered, sort_keys=True),
                         *(lambda: list(encoder.iterencode(ordered)) for encoder in encoders)):
                try: work()
                except (KeyError, RuntimeError): pass  # mutated during iteration
        """,
        seconds=3,
        editors=3,
        writers=1,
        switch_interval=1e-6,
        env={"PYTHONMALLOC": "debug"},
    )


def test_dict_is_emptied_when_it_needs_wider_text():
    """Between two looks at its only entry."""
    check_race(
        """
        shared = {}
        def edit(turn):
            for _ in range(50):
                shared["k"] = "\u4e2d"
                shared.clear()
        def write(turn):
            for comma in ("," * 100_000, ","):
                assert ocior.dumps(shared, ensure_ascii=False, separators=(comma, ":")) in ("{}", '{"k":"\u4e2d"}')
                assert ocior.dumps([shared], ensure_ascii=False, separators=(comma, ":")) in ("[{}]", '[{"k":"\u4e2d"}]')
        """,
        seconds=1.5,
        editors=1,
        writers=1,
    )


def test_strings_are_given_utf8_copies_while_their_containers_are_edited():
    """Copies are made under each string's own lock; whoever waits for it loses that of the container."""
    check_race(
        """
        import random
        ocior.write_utf8_cache(True)
        texts, table = [], {}

        def edit(turn):
            random_of = random.Random(turn)
            texts[:] = [f"\xe9{turn}\u4e2d{i}" for i in range(random_of.randrange(60))] + [1.5, None, {f"\xfc{turn}": ["\xdf"]}]
            if turn % 3 == 0:
                del texts[3:]
            table[f"\u043a{random_of.randrange(30)}"] = f"\u0437{turn}" * random_of.randrange(1, 30)
            if turn % 50 == 0:
                table.clear()

        def write(turn):
            for value in (texts, table, [texts, table, texts]):
                try:
                    json.loads(ocior.dumps_to_bytes(value))
                except RuntimeError:  # the dict changed its size
                    pass
        """,
        seconds=1.5,
    )


def test_arrays_are_resized_meanwhile():
    """Without a GIL, CPython's array.array takes no lock: its length may change right after its memory has been exported."""
    check_race(
        """
        import array
        numbers, default = array.array("d", [1.5] * 20), ocior.Default()

        def edit(turn):
            for change in (lambda: numbers.append(2.5), numbers.pop) * 100:
                try:
                    change()
                except (BufferError, IndexError):
                    pass

        def write(turn):
            for _ in range(50):
                text = ocior.dumps_to_bytes([numbers], default=default, indent=1)
                assert text[:2] == b"[\\n" and text[-2:] == b"\\n]"
        """,
        seconds=2,
        editors=1,
    )
