"""Oracle helpers: run ocior and the running interpreter's `json` on the same input and compare all a caller can see."""

import builtins
import ctypes
import gc
import itertools
import json
import mmap
import os
import pickle
import subprocess
import sys
import sysconfig
import textwrap
from typing import Any, NamedTuple, Optional

import ocior

PAGE = mmap.PAGESIZE
HAS_GIL = not sysconfig.get_config_var("Py_GIL_DISABLED")
IS_QUICK = os.environ.get("OCIOR_HYPOTHESIS_PROFILE") == "quick"  # one of many runs, on one of many interpreters and levels
# By this is multiplied how many seconds threads race: in quick runs with a GIL, which most runs are, a quarter.
PATIENCE = 0.25 if IS_QUICK and HAS_GIL else 1

# One sample character per storage width of CPython: what decides which code path a string takes.
WIDTHS = {"ascii": "a", "latin1": "\xe9", "ucs2": "\u4e2d", "ucs4": "\U0001f600"}

frozen = getattr(builtins, "frozendict", dict)  # since Python 3.15


def some(cases, step):
    """All cases; in a quick run every `step`-th of them. From which one on depends on the version of CPython: quick runs on all of
    them try most of the cases, or all."""
    if not IS_QUICK:
        return list(cases)
    return list(cases)[(sys.version_info[1] + 3 * (not HAS_GIL)) % step :: step]


def collect(calls=itertools.count(1)):
    """Collects the youngest garbage; without a GIL, where each collection looks at all objects, one call in 100 does."""
    if next(calls) % (1 if HAS_GIL else 100) == 0:
        gc.collect(0)
    return 0


class Outcome(NamedTuple):
    value: Any
    error: Optional[BaseException]


def call(function, /, *args, **keywords):
    try:
        return Outcome(function(*args, **keywords), None)
    except Exception as error:
        return Outcome(None, error)


def error_facts(error):
    """All that a caller can see of an exception, except where json's own text differs from run to run."""
    if isinstance(error, json.JSONDecodeError):
        return ("JSONDecodeError", error.args, error.msg, error.doc, error.pos, error.lineno, error.colno)
    if isinstance(error, UnicodeError):
        return (type(error).__name__, error.encoding, error.object, error.start, error.end, error.reason)
    if isinstance(error, (RecursionError, MemoryError)):
        return (type(error).__name__,)
    if sys.version_info < (3, 12) and type(error) is ValueError and str(error).startswith("Out of range float"):
        return (type(error).__name__, str(error).split(":")[0])  # until 3.11 only json's Python encoder (indent) names the value
    return (type(error).__name__, error.args)


def json_notes(error):
    """The notes of an exception without those that help its reader; None where there are none."""
    helpful = ("dumps(..., default=ocior.", "Did you mean ", "at $")
    return [note for note in getattr(error, "__notes__", ()) if not note.startswith(helpful)] or None


def facts(value):
    """A value as nested tuples that tell apart 1, 1.0 and True, 0.0 and -0.0, key order, and string storage."""
    kind = type(value)
    if kind is str:
        return ("str", value, sys.getsizeof(value))
    if isinstance(value, dict):
        return (kind.__name__, [(facts(key), facts(item)) for key, item in value.items()])
    if isinstance(value, (list, tuple)):
        return (kind.__name__, [facts(item) for item in value])
    return (kind.__name__, repr(value))


def fresh(value):
    """The same of new strings. A constant of a test may have kept its UTF-8 form for somebody else, and be larger for it."""
    if type(value) is str:
        return (value + "x")[:-1]
    if type(value) in (list, tuple):
        return type(value)(map(fresh, value))
    return {fresh(key): fresh(item) for key, item in value.items()} if type(value) is dict else value


def show(argument):
    try:
        text = repr(argument)
    except ValueError:  # an integer beyond the digit limit
        return f"<{type(argument).__name__} without a repr>"
    return text if len(text) < 400 else f"{text[:200]} ... {text[-100:]} ({len(text)} characters)"


def check_pickled(facade, *names):
    """What has these names in a module of ocior.compat is pickled by reference; an error of its loads keeps what it tells."""
    for name in names:
        value = getattr(facade, name)
        assert pickle.loads(pickle.dumps(value)) is value
    error = call(facade.loads, "[1,\n").error
    assert type(error) is facade.JSONDecodeError
    told = [
        (type(one), str(one), vars(one).get("pos"), vars(one).get("lineno"), vars(one).get("doc"))
        for one in (error, pickle.loads(pickle.dumps(error)))
    ]
    assert told[0] == told[1]


def assert_same(ours, theirs, what, types_only=False):
    if theirs.error is not None or ours.error is not None:
        assert ours.error is not None, f"{what}\n json raised {theirs.error!r}\nocior returned {show(ours.value)}"
        assert theirs.error is not None, f"{what}\n json returned {show(theirs.value)}\nocior raised {ours.error!r}"
        expected, got = error_facts(theirs.error), error_facts(ours.error)
        if types_only:
            expected, got = expected[:1], got[:1]
        assert got == expected, f"{what}\n json {show(expected)}\nocior {show(got)}"
    else:
        expected, got = facts(theirs.value), facts(ours.value)
        assert got == expected, f"{what}\n json {show(expected)}\nocior {show(got)}"


def same_loads(document, types_only=False, **keywords):
    """loads agrees with json on `document` (buffers that json refuses are given to it as bytes)."""
    plain = document if isinstance(document, (str, bytes, bytearray)) else bytes(document)
    ours, theirs = call(ocior.loads, document, **keywords), call(json.loads, plain, **keywords)
    assert_same(ours, theirs, f"loads({show(document)}, {keywords})", types_only)
    return ours


def json_to_bytes(obj, **keywords):
    """What dumps_to_bytes promises, said in json: the same keywords, compact and unescaped unless told otherwise."""
    keywords.setdefault("ensure_ascii", False)
    if keywords.get("separators") is None and keywords.get("indent") is None:
        keywords["separators"] = (",", ":")
    return json.dumps(obj, **keywords).encode("utf-8")


def same_dumps(obj, types_only=False, **keywords):
    """dumps and dumps_to_bytes agree with json on `obj`. The value must give the same text each time it is dumped."""
    ours, theirs = call(ocior.dumps, obj, **keywords), call(json.dumps, obj, **keywords)
    assert_same(ours, theirs, f"dumps({show(obj)}, {keywords})", types_only)
    our_bytes, their_bytes = call(ocior.dumps_to_bytes, obj, **keywords), call(json_to_bytes, obj, **keywords)
    what = f"dumps_to_bytes({show(obj)}, {keywords})"
    if isinstance(our_bytes.error, UnicodeError):
        # json meets the surrogate last, in the finished text; ocior where it stands. Both must fail.
        assert their_bytes.error is not None, f"{what}\n json returned {show(their_bytes.value)}\nocior {our_bytes.error!r}"
        assert isinstance(our_bytes.error, ValueError)
    else:
        assert_same(our_bytes, their_bytes, what, types_only)
    return ours


def same_everywhere(document, types_only=False, **keywords):
    """The str `document`, and the same padded so that it is stored in each wider code unit, and as UTF-8."""
    same_loads(document, types_only, **keywords)
    same_loads(document.encode("utf-8", "surrogatepass"), types_only, **keywords)
    for sample in ("\xe9", "\u20ac", "\U0001f600"):
        same_loads(f'["{sample}",{document}]', types_only, **keywords)
        same_loads(f'[{document},"{sample}"]', types_only, **keywords)


class GuardedPages:
    """`pages` readable pages with an inaccessible one right behind: place(data) puts the last byte against the wall."""

    def __init__(self, pages=4):
        self.room = pages * PAGE
        self.map = mmap.mmap(-1, self.room + PAGE)
        holder = ctypes.c_char.from_buffer(self.map)
        self.address = ctypes.addressof(holder)
        del holder
        self._forbid(self.address + self.room)
        self.view = memoryview(self.map)

    @staticmethod
    def _forbid(page):
        """Has every access to the page that begins at this address fault."""
        if sys.platform == "win32":
            no_access, before = 0x01, ctypes.c_ulong()
            protect = ctypes.WinDLL("kernel32", use_last_error=True).VirtualProtect
            protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ulong, ctypes.c_void_p]
            if not protect(page, PAGE, no_access, ctypes.byref(before)):
                raise ctypes.WinError(ctypes.get_last_error())
            return
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        if libc.mprotect(page, PAGE, 0) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")

    def place(self, data):
        start = self.room - len(data)
        self.view[start : self.room] = data
        return self.view[start : self.room]

    def place_str(self, text):
        """A working str object whose terminator is the last unit before the wall: a byte copy of a compact string.

        The copy's reference count is raised so that it is never freed; it stays valid until the next place_str.
        Since 3.14 the interpreter keeps flags in the low bits of references: there the object is aligned, and up to 7
        bytes stay before the wall.
        """
        text = (text + " ")[:-1]  # never hashed, never interned, no UTF-8 copy
        size = sys.getsizeof(text)
        image = bytearray(ctypes.string_at(id(text), size))
        if HAS_GIL:
            count = int.from_bytes(image[:4], sys.byteorder) & 0xFFFF
            image[:4] = (count + (1 << 20)).to_bytes(4, sys.byteorder)
        else:
            image[12:16] = b"\xff" * 4  # the owning thread's count, behind its identity and flags: an immortal object
        start = self.room - size
        if sys.version_info >= (3, 14):
            start &= ~7
        self.view[start : start + size] = bytes(image)
        return ctypes.cast(self.address + start, ctypes.py_object).value


def run_python(code, *arguments, env=None, timeout=120, flags=()):
    """Run `code` in a fresh interpreter of the same kind, with PATIENCE; what crashes there fails only the one test."""
    environment = dict(os.environ, PYTHONFAULTHANDLER="1", PYTHONIOENCODING="utf-8", **(env or {}))
    package_root = os.path.dirname(os.path.dirname(ocior.__file__))
    here = os.path.dirname(os.path.abspath(__file__))
    environment["PYTHONPATH"] = os.pathsep.join([package_root, here] + [path for path in [environment.get("PYTHONPATH")] if path])
    return subprocess.run(
        [sys.executable, *flags, "-c", f"PATIENCE = {PATIENCE}\n" + textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        env=environment,
    )


def check_python(code, *arguments, **options):
    done = run_python(code, *arguments, **options)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
    return done.stdout


def nested_list(depth, inner=None):
    value = [] if inner is None else inner
    for _ in range(depth - 1):
        value = [value]
    return value


def nested_dict(depth, inner=None):
    value = {} if inner is None else inner
    for _ in range(depth - 1):
        value = {"a": value}
    return value
