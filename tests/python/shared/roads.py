"""Every road through json's interface, taken by ocior and by json with the same arguments, with what came out compared.

`support` has loads and dumps; here are the files, the classes, the classes of callers and the functions below them. Each
`same_...` returns ocior's outcome and raises AssertionError if a caller could tell the two apart. `counts` says how many
comparisons of each kind were made.
"""

import functools
import io
import json
import json.decoder
import json.encoder
import json.scanner
import sys
from collections import Counter
from typing import NamedTuple

from places import check_place
from support import assert_same, call, json_notes, show

import ocior
import ocior.decoder
import ocior.encoder
import ocior.scanner

counts: Counter = Counter()


def looks_same(ours, theirs):
    """The cheap comparison: right whenever it says yes, but for how strings inside containers are stored."""
    if ours.error is not None or theirs.error is not None:
        return False
    if type(ours.value) is not type(theirs.value):
        return False
    if isinstance(ours.value, (str, bytes)):
        return ours.value == theirs.value and sys.getsizeof(ours.value) == sys.getsizeof(theirs.value)
    try:
        return repr(ours.value) == repr(theirs.value)
    except ValueError:  # an integer beyond the digit limit
        return False


class Called(NamedTuple):
    """A call, written out only where it is to be read: a value may be large."""

    kind: str
    arguments: tuple
    keywords: dict

    def __str__(self):
        return f"{self.kind}({', '.join(map(show, self.arguments))}, {self.keywords})"


def compare(kind, ours, theirs, *arguments, **keywords):
    """Counts every comparison; goes through the values piece by piece if they look different, and one time in eight."""
    counts[kind] += 1
    if counts[kind] % 8 and looks_same(ours, theirs):
        return ours
    what = Called(kind, arguments, keywords)
    assert_same(ours, theirs, what)
    if theirs.error is not None:
        assert type(ours.error) is type(theirs.error), f"{what}\n json {type(theirs.error)}\nocior {type(ours.error)}"
        # ocior explains its errors on earlier versions too, and where a document is wrong on all of them.
        if sys.version_info >= (3, 14) and not isinstance(theirs.error, json.JSONDecodeError):
            ours_notes, their_notes = json_notes(ours.error), json_notes(theirs.error)
            assert ours_notes == their_notes, f"{what}: notes\n json {their_notes}\nocior {ours_notes}"
    return ours


# --- writing -------------------------------------------------------------------------------------------------------


def dump_text(module, obj, **keywords):
    file = io.StringIO()
    return module.dump(obj, file, **keywords), file.getvalue()


def dump_bytes(module, obj, **keywords):
    """The UTF-8 of what json.dump writes: json itself has no binary files."""
    if module is json:
        result, text = dump_text(json, obj, **keywords)
        return result, text.encode()
    file = io.BytesIO()
    return module.dump(obj, file, **keywords), file.getvalue()


def same_dump(obj, **keywords):
    """To a text file; json's pure Python encoder makes the text and the messages there."""
    ours, theirs = call(dump_text, ocior, obj, **keywords), call(dump_text, json, obj, **keywords)
    return compare("dump to text", ours, theirs, obj, **keywords)


def same_dump_bytes(obj, **keywords):
    ours, theirs = call(dump_bytes, ocior, obj, **keywords), call(dump_bytes, json, obj, **keywords)
    if isinstance(ours.error, UnicodeError):
        # json meets the surrogate last, in the finished text; ocior where it stands. Both must fail.
        assert theirs.error is not None, f"dump to bytes({show(obj)}, {keywords})\nocior {ours.error!r}"
        return ours
    return compare("dump to bytes", ours, theirs, obj, **keywords)


def encode(encoder_class, obj, **keywords):
    return encoder_class(**keywords).encode(obj)


def iterencode(encoder_class, obj, **keywords):
    return "".join(encoder_class(**keywords).iterencode(obj))


def encode_changed(encoder_class, obj, **keywords):
    """An encoder whose attributes are set after it was made: what it reads when it is called decides."""
    encoder = encoder_class()
    encoder.item_separator, encoder.key_separator = keywords.pop("separators", None) or (", ", ": ")
    for name, value in keywords.items():
        if value is not None or name != "default":
            setattr(encoder, name, value)
    return encoder.encode(obj)


def same_encoder(obj, **keywords):
    """JSONEncoder, its two methods, and with attributes set late."""
    for function in (encode, iterencode, encode_changed):
        ours = call(function, ocior.JSONEncoder, obj, **keywords)
        compare(f"JSONEncoder {function.__name__}", ours, call(function, json.JSONEncoder, obj, **keywords), obj, **keywords)


@functools.lru_cache(maxsize=None)
def encoder_classes(base):
    """Classes that callers derive from an encoder, by what they override."""

    class Plain(base):
        pass

    class Default(base):
        def default(self, o):
            return [type(o).__name__, {"\u4e2d": None}] if type(o) is object else super().default(o)

    class Separators(base):
        item_separator = " ;"
        key_separator = "="

    class Settings(base):
        def __init__(self, **keywords):
            super().__init__(**{**keywords, "sort_keys": True, "ensure_ascii": False})

    class Encode(base):
        def encode(self, o):
            return f"<{super().encode(o)}>"

    class Iterencode(base):
        def iterencode(self, o, _one_shot=False):
            yield "<"
            yield from super().iterencode([o, "\xe9"], _one_shot)
            yield ">"

    return Plain, Default, Separators, Settings, Encode, Iterencode


def same_encoder_class(number, obj, **keywords):
    """cls=, in dumps and in dump, with a class derived from ocior's encoder and with one derived from json's."""
    theirs_class = encoder_classes(json.JSONEncoder)[number]
    for name, function in (("dumps", lambda module, obj, **keywords: module.dumps(obj, **keywords)), ("dump", dump_text)):
        theirs = call(function, json, obj, cls=theirs_class, **keywords)
        for ours_class in (encoder_classes(ocior.JSONEncoder)[number], theirs_class):
            ours = call(function, ocior, obj, cls=ours_class, **keywords)
            compare(f"{name} cls=", ours, theirs, obj, ours_class, **keywords)


def same_basestring(text):
    for name in ("encode_basestring", "encode_basestring_ascii", "c_encode_basestring", "c_encode_basestring_ascii"):
        compare(name, call(getattr(ocior.encoder, name), text), call(getattr(json.encoder, name), text), text)


# --- reading -------------------------------------------------------------------------------------------------------


def compare_read(kind, ours, theirs, *arguments, **keywords):
    """json decodes bytes before it looks at a digit: which of two errors comes first may differ there, and only there."""
    if isinstance(theirs.error, UnicodeDecodeError) and ours.error is not None and "digits" in str(ours.error):
        return ours
    compare(kind, ours, theirs, *arguments, **keywords)
    if isinstance(ours.error, json.JSONDecodeError) and (hasattr(ours.error, "snippet") or "cls=" not in kind):
        counts["path and snippet"] += 1
        check_place(ours.error)
    return ours


def same_load(document, **keywords):
    """load, from the kind of file that gives such a document."""
    kind, file = ("load text", io.StringIO) if isinstance(document, str) else ("load bytes", io.BytesIO)
    ours, theirs = call(ocior.load, file(document), **keywords), call(json.load, file(document), **keywords)
    return compare_read(kind, ours, theirs, document, **keywords)


def decode(decoder_class, document, **keywords):
    return decoder_class(**keywords).decode(document)


def decode_changed(decoder_class, document, **keywords):
    """A decoder whose attributes are set after it was made: the scanner that it made first no longer sees them."""
    decoder = decoder_class()
    for name, value in keywords.items():
        setattr(decoder, name, value)
    return decoder.decode(document)


def same_decoder(document, **keywords):
    """JSONDecoder.decode. It takes str; bytes are refused, each in its words."""
    for function in (decode, decode_changed):
        ours = call(function, ocior.JSONDecoder, document, **keywords)
        compare(f"JSONDecoder {function.__name__}", ours, call(function, json.JSONDecoder, document, **keywords), document, **keywords)


def same_raw_decode(document, index, **keywords):
    def raw_decode(decoder_class):
        return decoder_class(**keywords).raw_decode(document, index)

    return compare("raw_decode", call(raw_decode, ocior.JSONDecoder), call(raw_decode, json.JSONDecoder), document, index, **keywords)


def same_scanner(document, index, **keywords):
    """What c_make_scanner makes, called where it likes to be and elsewhere."""
    context = json.JSONDecoder(**keywords)
    ours, theirs = ocior.scanner.c_make_scanner(context), json.scanner.c_make_scanner(context)
    return compare("c_make_scanner", call(ours, document, index), call(theirs, document, index), document, index, **keywords)


def same_scanstring(text, index, *strict):
    for name in ("scanstring", "c_scanstring"):
        ours, theirs = getattr(ocior.decoder, name), getattr(json.decoder, name)
        compare(name, call(ours, text, index, *strict), call(theirs, text, index, *strict), text, index, *strict)


@functools.lru_cache(maxsize=None)
def decoder_classes(base):
    """Classes that callers derive from a decoder, by what they override."""

    class Plain(base):
        pass

    class Settings(base):
        def __init__(self, **keywords):
            super().__init__(**{**keywords, "parse_float": str, "strict": False})

    class Hook(base):
        def __init__(self, **keywords):
            super().__init__(**{**keywords, "object_hook": self.hook})

        def hook(self, obj):
            return list(obj.items())

    class Decode(base):
        def decode(self, s):
            return ["decoded", super().decode(s)]

    class RawDecode(base):
        def raw_decode(self, s, idx=0):
            value, end = super().raw_decode(s, idx)
            return {"raw": value}, end

    return Plain, Settings, Hook, Decode, RawDecode


def same_decoder_class(number, document, **keywords):
    """cls=, in loads and in load, with a class derived from ocior's decoder and with one derived from json's."""
    theirs_class = decoder_classes(json.JSONDecoder)[number]
    file = io.StringIO if isinstance(document, str) else io.BytesIO
    theirs = call(json.loads, document, cls=theirs_class, **keywords)
    for ours_class in (decoder_classes(ocior.JSONDecoder)[number], theirs_class):
        ours = call(ocior.loads, document, cls=ours_class, **keywords)
        compare_read("loads cls=", ours, theirs, document, ours_class, **keywords)
        ours = call(ocior.load, file(document), cls=ours_class, **keywords)
        compare_read("load cls=", ours, theirs, document, ours_class, **keywords)


def same_detect_encoding(document):
    return compare("detect_encoding", call(ocior.detect_encoding, document), call(json.detect_encoding, document), document)
