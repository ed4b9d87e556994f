"""Datetimes, dates and times that an ocior.Default writes: as isoformat() or by the options, of derived classes too, one after another, and
in zones of every kind."""

import contextlib
import datetime
import io
import itertools
import json
import random
import struct
import zoneinfo

import pytest
from rich_values import ROADS, UTC, Moment, check, to_bytes, zone
from support import call, check_python, run_python

import ocior
from ocior import Default


def test_datetimes_and_times_as_isoformat():
    rng = random.Random(5)
    least, most = datetime.datetime.min, datetime.datetime.max
    days, microseconds = (most - least).days, 86400 * 10**6

    def later(microsecond):
        return least + datetime.timedelta(rng.randrange(days), microseconds=rng.randrange(microseconds) // microsecond * microsecond)

    moments = [least, most, *(later(step) for step in (1, 10**3, 10**6, 3600 * 10**6) for _ in range(1000))]
    for values in (moments, [moment.time() for moment in moments]):
        check(values, [value.isoformat() for value in values])


def test_times_with_bytes_of_any_value():
    """As a pickle may make them: the last digits are written that there is room for."""
    text = "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}"
    rng = random.Random(5)
    for place in range(10):
        for byte in (99, 100, 127, 128, 199, 255):
            state = bytearray(datetime.datetime(2026, 1, 2, 3, 4, 5, 678901).__reduce__()[1][0])
            state[place] = byte
            for _ in range(2):
                if not 1 <= state[2] & 0x7F <= 12:
                    continue  # is refused
                value = datetime.datetime(bytes(state))
                parts = (value.year % 25600 % 10000, *(part % 100 for part in value.timetuple()[1:6]), value.microsecond % 10**6)
                check([value], [text.format(*parts)])
                state[rng.randrange(3, 10)] = byte
    value = datetime.time(b"\x17\x7f\x64\xff\xff\xff")
    check([value], ["23:27:00.777215"])
    check([datetime.date(b"\xff\xff\x0c\xff")], ["4335-12-55"])


@pytest.mark.parametrize("options", [{}, {"naive_utc": True}, {"utc_z": True}, {"microseconds": False}], ids=str)
def test_datetimes_that_follow_each_other(options):
    """Several are written at once: with another value at every place among them."""
    rng = random.Random(7)
    default = Default(**options)
    least = datetime.datetime.min
    moments = [least + datetime.timedelta(rng.randrange(3650000), microseconds=rng.choice((0, rng.randrange(10**9)))) for _ in range(19)]
    bytes_of_any_value = bytearray(moments[0].__reduce__()[1][0])
    bytes_of_any_value[5] = 200
    others = [datetime.datetime(bytes(bytes_of_any_value)), datetime.datetime.max, type("Moment", (datetime.datetime,), {})(2026, 1, 2)]
    others += [moments[1].replace(tzinfo=of) for of in (None, UTC, zone(hours=-3))] + [datetime.date(2026, 1, 2), "a", None]
    for of in (None, UTC, zone(hours=5)):
        same = [moment.replace(tzinfo=of) for moment in moments]
        for place in range(len(same) + 1):
            for other in [*others, same[0]]:
                items = [*same[:place], other, *same[place:]]
                text = ",".join(ocior.dumps(item, default=default) for item in items)
                for road in ROADS:
                    assert road(items, default=default, separators=(",", ":")) == f"[{text}]", road


def test_classes_derived_from_those_of_datetime():
    """They take the options, and what they have an isoformat() for is told by that."""

    class Loud(datetime.datetime):
        def isoformat(self, sep="T", timespec="auto"):
            return super().isoformat(sep, timespec) if self.year < 3000 else self.words

    class Hour(datetime.time):
        def isoformat(self, timespec="auto"):
            return super().isoformat(timespec)

    class Day(datetime.date):
        def isoformat(self):
            return super().isoformat().replace("-", "/")

    everything = [{}, {"naive_utc": True}, {"utc_z": True}, {"naive_utc": True, "utc_z": True}, {"microseconds": False}]
    everything += [{"naive_utc": True, "utc_z": True, "microseconds": False}]
    zones = [None, UTC, zone(hours=-3, minutes=-30), zone(seconds=29), zone(hours=5, seconds=31), zone(seconds=-30, microseconds=1)]
    for options, tzinfo, parts in itertools.product(everything, zones, [(), (0, 0, 0, 1), (23, 59, 59, 999999)]):
        default = Default(**options)
        for exact, kinds in (
            (datetime.datetime(2026, 1, 2, *parts, tzinfo=tzinfo), (Moment, Loud)),
            (datetime.time(*parts, tzinfo=tzinfo), (Hour,)),
        ):
            twin = json.loads(ocior.dumps(exact, default=default))
            for kind in kinds:
                moment = kind.fromisoformat(exact.isoformat())
                check([moment, {"a": moment}], [twin, {"a": twin}], default=default, keywords=[{}])
    check(Day(2026, 1, 2), "2026/01/02", default=Default(utc_z=True, naive_utc=True, microseconds=False))
    loud = Loud(3000, 1, 1)
    texts = [
        "",
        "T",
        "noon",
        "T12:00",
        "3000-01-01T00:00:00z",
        "3000-01-01T00:00:00+0",
        "3000-01-01T00:00:00+01:00 ",
        "3000-01-01 00:00:00",
    ]
    texts += [
        "3000-01-01T00:00:00+01:0",
        "3000-01-01T00:00:00+01:00:0",
        "3000-01-01T00:00:00+1:000",
        "T00:00:00+00:00:00.x",
        "\u4e2d",
        "x" * 200,
    ]
    texts += ["T00:00:00+01:00:00.", "T00:00:00.+01:00", "T00:00:00-00:00"]
    texts += ["3000-01-01T00-00-00+01:00", "3000-01-01T00:00:00Z", "T00:00:00.5Z"]
    texts += ["T??:??:??", "T24:00:00", "T12:60:00", "T12:00:61", "T12:00:00+24:00", "T12:00:00+12:60", "T12:00:00+12:00:60"]
    for loud.words in texts:
        check(loud, loud.words, default=Default(naive_utc=True, utc_z=True))
    loud.words = "2016-12-31T23:59:60.5+00:00"
    check(loud, "2016-12-31T23:59:60Z", default=Default(microseconds=False, utc_z=True))
    loud.words = "week 1T00:00:00.25+00:00:00.000001"
    check(loud, "week 1T00:00:00Z", default=Default(microseconds=False, utc_z=True))
    for loud.words in (b"x", None, 5):
        assert ocior.dumps([loud], default=Default(lambda value: 0)) == json.dumps([0 if loud.words == b"x" else loud.words])


def test_classes_in_the_place_of_those_of_datetime(monkeypatch):
    """As tests put them there: their objects have another layout."""

    class Other:
        __slots__ = ()

    class Derived(datetime.datetime):
        pass

    real = datetime.datetime(2026, 1, 2)
    for name in ("datetime", "date", "time", "timedelta"):
        with monkeypatch.context() as patch:
            patch.setattr(datetime, name, Other)
            for road in ROADS:
                assert type(call(road, [Other()] * 3, default=ocior.default).error) is TypeError
                assert json.loads(road([real, Derived(2026, 1, 2)], default=ocior.default)) == ["2026-01-02T00:00:00"] * 2


def test_offsets_of_nearly_a_day():
    check(datetime.datetime(2026, 1, 2, tzinfo=zone(days=-1, microseconds=1)), "2026-01-02T00:00:00-23:59")
    for seconds, text in ((30, "+00:01"), (29, "+00:00"), (-29, "+00:00"), (-30, "-00:01")):
        check(datetime.datetime(2026, 1, 2, tzinfo=zone(seconds=seconds)), f"2026-01-02T00:00:00{text}")
    check(datetime.datetime(2026, 1, 2, tzinfo=zone(seconds=-30, microseconds=1)), "2026-01-02T00:00:00+00:00")
    far = datetime.datetime(2026, 1, 2, tzinfo=zone(hours=23, minutes=59, seconds=59))
    check([far, far.replace(tzinfo=zone(hours=-23, minutes=-59, seconds=-59))], ["2026-01-02T00:00:00+23:59", "2026-01-02T00:00:00-23:59"])


def text_of_moment(moment):
    """With its offset as RFC 3339 has it: the nearest whole minutes."""
    seconds = int(moment.utcoffset().total_seconds())
    minutes = min((abs(seconds) + 30) // 60, 24 * 60 - 1)
    sign = "-" if seconds < 0 and minutes else "+"
    return f"{moment.replace(tzinfo=None).isoformat()}{sign}{minutes // 60:02}:{minutes % 60:02}"


def zone_file(rule, changes, offsets):
    """A file of RFC 8536: `changes` are pairs of a time and the index of the offset that begins then."""
    counts = (0, 0, 0, len(changes), len(offsets), 4)
    parts = [b"TZif2", bytes(15), bytes(24), b"TZif2", bytes(15), struct.pack(">6l", *counts)]
    parts += [struct.pack(">q", time) for time, _ in changes] + [bytes([period]) for _, period in changes]
    parts += [struct.pack(">lBB", offset, 0, 0) for offset in offsets] + [b"ABC\0", b"\n", rule.encode(), b"\n"]
    return io.BytesIO(b"".join(parts))


def zones_of_zoneinfo(rng):
    hour = 3600
    seasons = [(5**12 * n, n % 2) for n in range(-8, 8)]  # some eight years apart
    often = [(hour * n, n % 3) for n in range(200)]
    for rule in ("ABC-1", "ABC+23:59:59", "ABC-1DEF,M3.5.0,M10.5.0"):
        for changes in ([], seasons[:1], seasons[:4], seasons):
            yield zoneinfo.ZoneInfo.from_file(zone_file(rule, changes, (hour, -12345, 86399))), changes
        yield zoneinfo.ZoneInfo.from_file(zone_file(rule, often, (hour, 0, hour // 2))), often
    names = sorted(zoneinfo.available_timezones())
    for name in rng.sample(names, min(len(names), 40)):
        yield zoneinfo.ZoneInfo(name), [(rng.randrange(-(10**10), 10**10), 0) for _ in range(30)]


RULES = (
    "ABC-1DEF,M3.5.0,M10.5.0",
    "ABC5DEF,M3.2.0,M11.1.0",
    "ABC-10DEF,M10.1.0,M4.1.0/3",  # on the other side of the equator, the summer lasts into the next year
    "ABC-1DEF0,M10.5.0,M3.5.0/1",  # daylight saving time is behind the other one
    "ABC-1DEF-1,J60,J300",  # and the same
    "ABC3DEF,J60/0,300/23:59:59",
    "ABC-1DEF,0/0,J365/24",  # all year
    "ABC3DEF-20,J1/5,J365/20",
    "ABC-1DEF,J1/-30,M6.1.0",  # from the year before, which has it not; this and the next are not in all versions
    "ABC-1DEF,M3.1.0/-5,M12.5.6/100",
)


def zones_by_rule():
    """Zones whose tables end early, with the local times around changes in some years behind them."""
    utc, hour, last = datetime.datetime(1970, 1, 1), 3600, 600000000
    for rule, changes in itertools.product(RULES, ([], [(0, 0), (last, 1)])):
        with contextlib.suppress(ValueError):
            zone = zoneinfo.ZoneInfo.from_file(zone_file(rule, changes, (hour, -hour)))
            near = [utc + datetime.timedelta(seconds=last + distance) for distance in (-hour, -hour - 1, 0, hour, hour + 1, 2 * hour)]
            for year in (1989, 2052):
                begin = datetime.datetime(year, 1, 1, tzinfo=zone)
                hours = [begin + datetime.timedelta(hours=i) for i in range(-24, 368 * 24)]
                offsets = list(map(datetime.datetime.utcoffset, hours))
                near += [begin.replace(tzinfo=None)]
                near += [at.replace(tzinfo=None) for at, a, b in zip(hours, offsets, offsets[1:]) if a != b]
            yield zone, near


def test_zones_of_zoneinfo_by_rule():
    """Where a zone has no table, in a zone of a slim file or far in the future, around each change and of both times that are the same."""
    rng = random.Random(7)
    for zone, near in zones_by_rule():
        moments = []
        for time, quarter, second in itertools.product(near, range(-4, 9), (0, 1, 899)):
            at = time + datetime.timedelta(minutes=15 * quarter, seconds=second)
            moments += [at.replace(tzinfo=zone, fold=fold) for fold in (0, 0, 0, 0, 1)]  # often enough to be remembered
        for order in (moments, rng.sample(moments, len(moments))):
            texts = list(map(text_of_moment, order))
            for road in (ocior.dumps, to_bytes):
                assert json.loads(road(order, default=ocior.default)) == texts
                assert json.loads(road(dict(enumerate(order)), default=ocior.default)) == {str(i): text for i, text in enumerate(texts)}


def test_zones_of_zoneinfo():
    """Around each change and far from all, of both times that are the same."""
    rng = random.Random(5)
    utc = datetime.datetime(1970, 1, 1)
    least, most = datetime.datetime(1, 1, 2), datetime.datetime(9999, 12, 30)
    for zone, changes in zones_of_zoneinfo(rng):
        locals_ = [utc + datetime.timedelta(seconds=time + rng.randrange(-(10**5), 10**5)) for time, _ in changes for _ in range(20)]
        locals_ += [least + (most - least) * rng.random() for _ in range(50)] + [least, most]
        moments = [local.replace(microsecond=0, tzinfo=zone, fold=rng.randrange(2)) for local in locals_]
        texts = list(map(text_of_moment, moments))
        for road in (ocior.dumps, to_bytes):
            assert json.loads(road(moments, default=ocior.default)) == texts
            assert json.loads(road(dict(enumerate(moments)), default=ocior.default)) == {str(i): text for i, text in enumerate(texts)}


def test_offsets_that_are_remembered():
    """Many times between two changes, the seconds next to these among them, of one zone, of several in turn, and of one after the other."""
    rng = random.Random(6)
    utc = datetime.datetime(1970, 1, 1)
    moments_of = []
    for zone, changes in zones_of_zoneinfo(rng):
        moments = []
        for time, _ in sorted(rng.sample(changes, min(len(changes), 10))):
            for offset in (0, 3600, -12345, 86399, 1800):  # some of which the zone has
                near = [utc + datetime.timedelta(seconds=time + offset + distance) for distance in (-40, -3, -2, -1, 0, 1, 2, 40)]
                moments += [local.replace(tzinfo=zone, fold=rng.random() < 0.05) for local in near]
        far = datetime.datetime(rng.choice((1, 1700, 2030, 2300, 9999)), 1, 2, tzinfo=zone)
        moments_of.append([*moments, *[far + datetime.timedelta(minutes=i) for i in range(9)]])
    in_turn = [moment for moments in itertools.zip_longest(*moments_of) for moment in moments if moment]
    mixed = [moment if i % 5 else moment.replace(tzinfo=UTC) for i, moment in enumerate(in_turn)]
    for moments in (*moments_of, in_turn, mixed, [rng.choice(in_turn[:300]) for _ in range(1000)]):
        texts = list(map(text_of_moment, moments))
        for road in (ocior.dumps, to_bytes):
            assert json.loads(road(moments, default=ocior.default)) == texts
            records = [{"a": moment, "b": other} for moment, other in zip(moments, moments[1:])]
            assert json.loads(road(records, default=ocior.default)) == [{"a": a, "b": b} for a, b in zip(texts, texts[1:])]


def test_zones_that_die_between_values():
    """What is remembered of a zone is not taken for another one that is made in its place."""

    class Made:
        def __init__(self, number):
            self.hour = number % 5

        def moment(self):
            zone = zoneinfo.ZoneInfo.from_file(zone_file(f"ABC-{self.hour + 1}", [], (0,)))
            return datetime.datetime(2026, 1, 2, 3, tzinfo=zone)

    texts = [f"2026-01-02T03:00:00+{i // 4 % 5 + 1:02}:00" for i in range(400)]
    lists = [[text] * 5 for text in texts]
    for road in (ocior.dumps, to_bytes):
        assert json.loads(road([Made(i // 4) for i in range(400)], default=Default(Made.moment))) == texts
        assert json.loads(road([Made(i // 4) for i in range(400)], default=Default(lambda made: [made.moment()] * 5))) == lists


def test_zones_that_die_with_what_a_hook_gave():
    """The finalizer of what stood there before them makes the next zones, in the same places."""

    def moments(hour):
        zone = zoneinfo.ZoneInfo.from_file(zone_file(f"ABC-{hour}", [], (0,)))
        return [datetime.datetime(2026, 1, 2, 3, tzinfo=zone) for _ in range(5)]

    class Last:
        def __del__(self):
            outer[1:] = moments(5)

    def hook(value):
        return "last" if isinstance(value, Last) else [Last(), *moments(1)]

    for road in (ocior.dumps, to_bytes):
        outer = [object(), 0]
        first, *others = json.loads(road(outer, default=Default(hook)))
        assert first == ["last", *["2026-01-02T03:00:00+01:00"] * 5]
        assert others == ["2026-01-02T03:00:00+05:00"] * 5


def test_zones_that_calls_before_have_met():
    """What is remembered of UTC and of zoneinfo's class holds for these alone: not for derived classes, and not where the module is new."""
    done = run_python(
        """
        import datetime, gc, sys, weakref, zoneinfo
        import ocior

        class Shifted(zoneinfo.ZoneInfo):
            def utcoffset(self, moment):
                return datetime.timedelta(hours=5)

        def text(*zones):
            return ocior.dumps([datetime.datetime(2026, 7, 1, tzinfo=zone) for zone in zones], default=ocior.default).replace("2026-07-01T00:00:00", "")

        paris, shifted = zoneinfo.ZoneInfo("Europe/Paris"), Shifted("Europe/Paris")
        for _ in range(2):
            print(text(paris, datetime.timezone.utc, shifted, paris))
        print(sorted(value.utcoffset().seconds for value in [datetime.datetime(2026, 7, 1, tzinfo=shifted)]))
        for name in ("datetime", "_datetime", "zoneinfo", "_zoneinfo", "zoneinfo._common"):
            sys.modules.pop(name, None)
        import datetime, zoneinfo
        new = zoneinfo.ZoneInfo("Europe/Paris")
        print(text(new, datetime.timezone.utc, paris, shifted))
        old = weakref.ref(type(paris))
        del paris, shifted, Shifted
        for _ in range(4):
            gc.collect()
        print(old() is None or sys.version_info < (3, 12))  # before, the class is never freed
        """
    )
    if "ZoneInfoNotFoundError" in done.stderr:
        pytest.skip("there are no zones on this machine")
    assert done.returncode == 0, done.stderr
    *rows, new, is_freed = done.stdout.splitlines()
    assert is_freed == "True"
    assert rows == ['["+02:00", "+00:00", "+05:00", "+02:00"]'] * 2 + ["[18000]"] and new == '["+02:00", "+00:00", "+02:00", "+05:00"]'


def test_zones_that_drop_the_only_reference_to_themselves():
    check_python(
        """
        import datetime
        import ocior

        class Zone(datetime.tzinfo):
            def utcoffset(self, moment):
                container.clear()
                return datetime.timedelta(hours=1)

        def moment():
            return datetime.datetime(2024, 1, 1, tzinfo=Zone())

        def dumps():
            return ocior.dumps(container, default=ocior.Default(keys=True))

        for _ in range(50):
            for make, text in ((moment, "2024-01-01T00:00:00+01:00"), (lambda: datetime.time(1, tzinfo=Zone()), "01:00:00+01:00")):
                container = [make()]
                assert dumps() == f'["{text}"]', dumps()
                container = {"a": make()}
                assert dumps() == f'{{"a": "{text}"}}', dumps()
            container = {moment(): 1}
            assert dumps() == '{"2024-01-01T00:00:00+01:00": 1}', dumps()
        """,
        env={"PYTHONMALLOC": "debug"},
    )
