"""The pages of large documents and texts: huge ones are asked for while they are needed, no more than needed, and all are given back."""

import json
import platform
import sys

import pytest
from support import HAS_GIL, check_python

import ocior

ARENAS = """
import ctypes, gc, importlib, json, ocior
class Arenas(ctypes.Structure):
    _fields_ = [("ctx", ctypes.c_void_p), ("alloc", ctypes.c_void_p), ("free", ctypes.c_void_p)]
def arenas():
    now = Arenas()
    ctypes.pythonapi.PyObject_GetArenaAllocator(ctypes.byref(now))
    return now.ctx, now.alloc, now.free
BIG = json.dumps([{"id": i, "name": f"name {i}"} for i in range(120_000)])
SMALL = BIG[:100_000].rpartition(",")[0].rpartition(",")[0] + "]"
HAS_HUGE = ocior.get_current_features()["tricks"]["huge_pages"]
OWN = arenas()
seen = set()
def look(record):
    seen.add(arenas())
    return record
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="huge pages are asked for on Linux only")
def test_arenas_are_huge_while_a_large_document_is_decoded():
    """And only then: whatever ends the call, the interpreter has its own arena allocator back, which frees what came from ours."""
    check_python(
        ARENAS
        + """
roads = [
    lambda: ocior.loads(BIG, object_hook=look),
    lambda: ocior.loads(BIG.encode(), object_hook=look),
    lambda: ocior.JSONDecoder(object_hook=look).decode(BIG),
    lambda: ocior.JSONDecoder(object_hook=look).raw_decode(BIG)[0],
]
for read in roads:
    assert read() == json.loads(BIG)
    assert arenas() == OWN and {free for _, _, free in seen} == {OWN[2]}
    assert (seen != {OWN}) == HAS_HUGE and len(seen) == 1, (seen, OWN)
seen.clear()
assert ocior.loads(SMALL, object_hook=look) == json.loads(SMALL)
assert seen == {OWN}

def nested(record):
    if record["id"] in (5, 119_999):
        seen.clear()
        ocior.loads(BIG, object_hook=look)
        assert (seen != {OWN}) == HAS_HUGE and seen == {arenas()}
    return record
assert len(ocior.loads(BIG, object_hook=nested)) == 120_000
assert arenas() == OWN

def fails(record):
    if record["id"] == 110_000:
        ocior.loads(BIG[:-1])
    return record
for text in (BIG[:-1], BIG + "x"):
    for hook in (None, fails):
        try:
            ocior.loads(text, object_hook=hook)
        except ValueError:
            pass
        else:
            raise AssertionError
        assert arenas() == OWN
"""
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="huge pages are asked for on Linux only")
def test_arenas_in_a_forked_process():
    """Calls of other threads do not come along and never end there; the one that forks, from a hook, goes on and ends."""
    check_python(
        ARENAS
        + """
import os, threading, warnings
warnings.simplefilter("ignore")  # of a fork beside threads
def in_child(act):
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        except BaseException as error:
            os.write(2, repr(error).encode())
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0

def own_arenas_are_back():
    assert arenas() == OWN
    assert ocior.loads(BIG, object_hook=look) == json.loads(BIG) and arenas() == OWN

inside, may_end = threading.Barrier(3), threading.Event()
def waits(record):
    if record["id"] == 60_000:
        inside.wait()
        may_end.wait()
    return record
threads = [threading.Thread(target=ocior.loads, args=(BIG,), kwargs={"object_hook": waits}, daemon=True) for _ in range(2)]
for thread in threads: thread.start()
inside.wait()
assert (arenas() != OWN) == HAS_HUGE
in_child(own_arenas_are_back)

children = []
def forks(record):
    if record["id"] == 60_000:
        children.append(os.fork())
        assert (arenas() != OWN) == HAS_HUGE
    return record
assert len(ocior.loads(BIG, object_hook=forks)) == 120_000
if children == [0]:
    os._exit(arenas() != OWN)
assert os.waitpid(children[0], 0)[1] == 0

assert (arenas() != OWN) == HAS_HUGE
may_end.set()
for thread in threads: thread.join()
assert arenas() == OWN
"""
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="huge pages are asked for on Linux only")
def test_huge_pages_can_be_refused():
    for name in ("OCIOR_HUGE_PAGES", "OCIOR_TRICKS"):
        check_python(
            ARENAS
            + """
assert not HAS_HUGE
assert ocior.loads(BIG, object_hook=look) == json.loads(BIG)
assert seen == {OWN} and len(ocior.dumps("x" * (40 << 20))) == (40 << 20) + 2
""",
            env={name: "0"},
        )


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not HAS_GIL,
    reason="reads /proc; the allocator of free-threaded builds keeps more, for json too",
)
def test_memory_of_large_documents_is_given_back():
    """Halves of huge pages are freed in any order, some much later than others, and outputs grow in huge pages."""
    check_python(
        ARENAS
        + """
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
gc.disable()
kept = []
def turn(number):
    first, second = ocior.loads(BIG), ocior.loads(BIG)
    assert first == second
    kept[:] = first[number::997]
    del first
    third = ocior.loads(BIG.encode())
    assert third == second and kept[0] == third[number]
    assert ocior.loads(ocior.dumps([third] * 8)) == [second] * 8
for number in range(2):
    turn(number)
before = resident()
for number in range(4):
    turn(number)
growth = resident() - before
assert growth < 24 << 20, growth
del kept[:]
"""
    )


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or not HAS_GIL, reason="about glibc's malloc")
@pytest.mark.parametrize("call", ["ocior.dumps_to_bytes(value)", "ocior.dumps(value)"])
def test_outputs_come_from_memory_that_is_there(call):
    """The memory of a text that is freed is there for the next one: glibc would map and clear new pages for each from 128 KB on."""
    check_python(f"""
import ocior, resource
for size in range(70_000, 400_000, 30_000):
    value = [123456789] * (size // 10)
    for _ in range(3):
        {call}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        {call}
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    assert faults < 100, (size, faults)
""")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or not HAS_GIL, reason="about glibc's malloc")
def test_large_lists_leave_no_hole_in_the_heap():
    """What the value stack of a large document outgrows would stay there, for this call's peak and afterwards: 1 MB."""
    check_python("""
import ocior, sys
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
text = "[" + "true, " * 1_000_000 + "true]"
while (id(text) + sys.getsizeof(text)) % 4096 > 3900:  # so near to the end of a page it would be copied: another hole
    text += " " * 200
ocior.loads("[true]")
before = resident()
value = ocior.loads(text)
growth = resident() - before - sys.getsizeof(value)
assert growth < 600_000, growth
""")


# What the value of the document in a file takes, decoded by a library: MEMORY_OF_VALUE LIBRARY PATH.
MEMORY_OF_VALUE = """
import gc, json, ocior, sys
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
with open(sys.argv[2], "rb") as file:
    data = file.read()
text = data.decode()
function = {"json": json, "ocior": ocior}[sys.argv[1]].loads
function("[{}]")
gc.collect()
gc.disable()
before = resident()
value = function(text)
print(resident() - before)
"""


def memory_of_value(library, path, value, **how):
    path.write_text(json.dumps(value, ensure_ascii=False, **how), encoding="utf-8")
    return int(check_python(MEMORY_OF_VALUE, library, path))


@pytest.mark.skipif(not sys.platform.startswith("linux") or not HAS_GIL, reason="reads /proc; arenas are those of builds with a GIL")
def test_large_documents_take_no_more_than_they_need(tmp_path):
    """Pages are got ahead, in large units, but hardly beyond what the rest of the text will fill: less than the half of one on average."""
    surplus = []
    for count in range(25_000, 131_000, 15_000):
        value = [{"id": i, "name": f"name {i}"} for i in range(count)]
        json_memory, memory = (memory_of_value(library, tmp_path / "document.json", value) for library in ("json", "ocior"))
        surplus.append(memory - json_memory)
    outgrown = 0 if ocior.get_current_features()["tricks"]["list_items"] else 1 << 20  # the value stack, where lists are copied from it
    assert sum(surplus) / len(surplus) < outgrown + (1 << 20), surplus


@pytest.mark.skipif(not sys.platform.startswith("linux") or not HAS_GIL, reason="reads /proc; arenas are those of builds with a GIL")
def test_one_wide_character_widens_a_text_and_not_its_value(tmp_path):
    """As many pages are got ahead for a text as its value will fill, and that has as many objects as in ASCII."""
    surplus = []
    for count in range(2000, 3600, 250):
        value = [{"id": i, "name": f"name {i}"} for i in range(count)]
        ascii_memory, memory = (
            memory_of_value("ocior", tmp_path / "document.json", value + [last], indent=40) for last in ("", "\U0001f600")
        )
        surplus.append(memory - ascii_memory)
    assert sum(surplus) / len(surplus) < 1 << 19, surplus
