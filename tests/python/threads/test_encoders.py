"""Threads and settings of encoding: encoders that all share, change or make for each call, separators, and the setting of UTF-8 copies."""

import gc
import json
import sys
import threading
import time
import weakref

from support import check_python
from threads import together

import ocior


def test_settings_of_a_shared_encoder_are_those_of_its_attributes():
    """What a thread sets while others encode is what counts when they have ended."""
    encoder, expected = ocior.JSONEncoder(), {indent: json.dumps([1, 2], indent=indent) for indent in (None, 2, 4)}
    meet = threading.Barrier(3, timeout=60)
    is_set = is_over = False

    def encode():
        while not is_over:
            meet.wait()
            while not is_set:
                encoder.encode([1, 2])
            meet.wait()
            meet.wait()

    readers = [threading.Thread(target=encode) for _ in range(2)]
    for reader in readers:
        reader.start()
    end = time.monotonic() + 10  # without a GIL a turn takes long where there are fewer processors than threads
    for turn in range(200):
        meet.wait()
        for indent in (2, 4) * 20 + (None, 2, 4)[turn % 3 : turn % 3 + 1]:
            encoder.indent = indent
            if turn % 5 == 0:
                encoder.__dict__["item_separator"] = ", " if indent is None else ","
            encoder.item_separator = ", " if indent is None else ","
        is_set = True
        meet.wait()
        assert encoder.encode([1, 2]) == expected[indent]
        is_set = False
        is_over = turn == 199 or time.monotonic() > end
        meet.wait()
        if is_over:
            break
    for reader in readers:
        reader.join()


def test_dict_of_a_shared_encoder_is_replaced_meanwhile():
    """Its attributes are read without a lock, and whatever held them before is gone."""
    check_python(
        """
        import json, random, threading, time, ocior
        class Derived(ocior.JSONEncoder):
            pass
        made = [lambda: ocior.JSONEncoder(separators=(",", ":")), lambda: Derived(indent=2)]
        shared, stop, errors = [make() for make in made], time.monotonic() + 3 * PATIENCE, []
        expected = {json.dumps([1, {"a": "\xe9"}], **keywords) for keywords in
                    [dict(indent=i, separators=s, ensure_ascii=e) for i in (None, 2) for s in ((",", ":"), (", ", ": "), (",", ": "), (", ", ":")) for e in (True, False)]}

        def edit():
            rng = random.Random(1)
            while time.monotonic() < stop:
                encoder = rng.choice(shared)
                kind = rng.randrange(8)
                if kind == 0: encoder.__dict__ = dict(vars(encoder))
                elif kind == 1: encoder.__dict__ = {**vars(encoder), "indent": rng.choice((None, 2))}
                elif kind == 2: encoder.ensure_ascii = not encoder.ensure_ascii
                elif kind == 3:
                    for number in range(rng.randrange(20)): vars(encoder)[f"more{number}"] = [number]
                elif kind == 4:
                    for name in [name for name in vars(encoder) if name[:4] == "more"]: delattr(encoder, name)
                elif kind == 5: Derived.mark = rng.random()
                elif kind == 6:
                    number = rng.randrange(2)
                    shared[number] = made[number]()
                else:
                    before = dict(vars(encoder))
                    vars(encoder).clear()
                    vars(encoder).update(before)
                if rng.random() < 0.5: time.sleep(0.0001)

        def encode():
            while time.monotonic() < stop:
                for encoder in shared:
                    for _ in range(10):
                        try: text = encoder.encode([1, {"a": "\xe9"}])
                        except AttributeError: continue  # between clear() and update()
                        if text not in expected: return errors.append(text)

        threads = [threading.Thread(target=work) for work in (edit, encode, encode, encode)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert not errors, errors
    """,
        timeout=60,
        env={"PYTHONMALLOC": "debug"},
    )


def test_encoders_that_threads_have_shared_are_collected():
    class Derived(ocior.JSONEncoder):
        def default(self, o):
            return str(o)

    encoders = [ocior.JSONEncoder(), ocior.JSONEncoder(separators=(",", ":"), default=str), Derived(), Derived(indent=1)]
    encoders[0].itself = encoders[0]
    encoders[2].indent = 5

    def work(number):
        for turn in range(1500):
            for encoder in encoders:
                assert encoder.encode([1])
                if number == turn == 0:
                    encoder.encode([1])
                if number == 0 and turn % 100 == 0:
                    encoder.sort_keys = not encoder.sort_keys

    together(work, 3)
    seen = [weakref.ref(encoder) for encoder in encoders]
    del work
    encoders.clear()
    gc.collect()
    assert [ref() for ref in seen] == [None] * 4


def test_encoders_that_are_made_for_each_call():
    """Objects of two classes, made and used by all threads: one may have the compiled settings of the last one, of whichever thread."""

    class Lines(ocior.JSONEncoder):
        pass

    class Marked(ocior.JSONEncoder):
        def default(self, o):
            return self.mark

    def work(number):
        value = [1, {"a": number}]
        lines, compact = json.dumps(value, indent=2), json.dumps(value, separators=(",", ":"))
        for turn in range(400):
            assert Lines(indent=2).encode(value) == lines
            assert Lines(separators=(",", ":")).encode(value) == compact
            marked = Marked()
            marked.mark = turn
            assert marked.encode([object(), number]) == f"[{turn}, {number}]"
            if number == 0 and turn % 20 == 0:
                Lines.version = turn

    together(work, 4)


def test_keywords_are_kept_while_the_cache_setting_changes():
    """Calls with kept keywords never follow a setting of write_utf8_cache() from before: its strings have a UTF-8 copy, or have none."""
    before = ocior.get_current_features()["write_utf8_cache"]

    def work(number):
        for turn in range(2000):
            if number == 0:
                ocior.write_utf8_cache(turn % 2 == 0)
            else:
                text = f"\xe9\u4e2d{number}{turn}"
                assert ocior.dumps_to_bytes([text], separators=(",", ":")) == f'["{text}"]'.encode()

    try:
        together(work, 4)
        sizes = []
        for wanted in (True, False, True):
            ocior.write_utf8_cache(wanted)
            text = "".join(["\u4e2d"] * 100)
            size = sys.getsizeof(text)
            ocior.dumps_to_bytes([text], separators=(",", ":"))
            sizes.append(sys.getsizeof(text) > size)
        assert sizes == [True, False, True]
    finally:
        ocior.write_utf8_cache(before)


def test_list_of_separators_edited_by_another_thread():
    separators, stop, torn = [",", ":"], threading.Event(), []

    def edit():
        for round_ in range(1_000_000):
            if stop.is_set():
                return
            separators[0] = separators[1] = "".join(["abcdefgh"[round_ % 8]] * 40)

    def dump():
        while not stop.is_set():
            between = ocior.dumps([1, 2], separators=separators)[2:-2]
            if len(between) not in (1, 40) or len(set(between)) != 1:
                torn.append(between)

    threads = [threading.Thread(target=target) for target in (edit, dump, dump)]
    for thread in threads:
        thread.start()
    stop.wait(1.0)
    stop.set()
    for thread in threads:
        thread.join()
    assert not torn
