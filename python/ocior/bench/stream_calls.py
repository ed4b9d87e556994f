"""How each library is called for streams of records: what reads one by one gives an iterator, and `OneByOne` makes a call of it.

What a library lacks is done as its users do it: the lines are split, a file is read by lines or as a whole, chunks are kept until a line has
come. Of the ways that a library has the fastest is taken.
"""

import gzip
import json


class OneByOne:
    """Goes through the records that `read(argument)` gives, and keeps none of them. What it has to have given, `read` tells."""

    def __init__(self, read):
        self.read = read

    def __call__(self, argument):
        for _ in self.read(argument):
            pass


def _by_lines(loads, opened=open):
    def read(path):
        with opened(path, "rb") as file:
            yield from map(loads, file)

    return OneByOne(read)


def _buffered(loads_lines):
    """Chunks are kept until one has a newline. Asked for its code, bytes answer several times sooner than asked for `b"\\n"`."""
    newline = 10

    def read(chunks):
        kept = []
        for chunk in chunks:
            if newline in chunk:
                end = chunk.rfind(b"\n") + 1
                kept.append(chunk[:end])
                yield from loads_lines(b"".join(kept))
                kept = [chunk[end:]]
            else:
                kept.append(chunk)
        if rest := b"".join(kept):
            yield from loads_lines(rest)

    return OneByOne(read)


def _file_at_once(loads):
    def read(path):
        with open(path, "rb") as file:
            return iter(loads(file.read()))

    return OneByOne(read)


def _feeds(call):
    return {name: call for name in ("feed_1", "feed_64", "feed_4K", "feed_1M")}


def _at(value, pointer):
    for key in pointer.split("/")[1:]:
        value = value[key]
    return value


def _calls(loads, each=None, loads_lines=None, dumps_lines=None):
    """Of a library that reads documents, and maybe lines: `each` goes through the lines of bytes, `loads_lines` gives their list."""
    each = each or (lambda data: map(loads, data.splitlines()))
    loads_lines = loads_lines or (lambda data: list(each(data)))

    def fields(argument):
        data, pointers = argument
        return [tuple([_at(record, pointer) for pointer in pointers]) for record in each(data)]

    calls = {
        "lines_bytes": loads_lines,
        "lines_each": OneByOne(each),
        "lines_file": _by_lines(loads),
        "lines_gzip": _by_lines(loads, gzip.open),
        "lines_fields": fields,
        "items": _file_at_once(loads),
        **_feeds(_buffered(loads_lines)),
    }
    return {**calls, "lines_write": dumps_lines} if dumps_lines else calls


def of_json():
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    return _calls(json.loads, dumps_lines=lambda objects: "".join([encode(one) + "\n" for one in objects]).encode())


def of_orjson():
    from orjson import OPT_APPEND_NEWLINE, dumps, loads

    return _calls(loads, dumps_lines=lambda objects: b"".join([dumps(one, option=OPT_APPEND_NEWLINE) for one in objects]))


def of_msgspec():
    from msgspec.json import Decoder, Encoder

    decoder, encoder = Decoder(), Encoder()
    return _calls(decoder.decode, loads_lines=decoder.decode_lines, dumps_lines=lambda objects: encoder.encode_lines(objects))


def of_fastsimdjson():
    from fastsimdjson import dumpb_many, loads, loads_many

    return {
        **_calls(loads, loads_many, dumps_lines=lambda objects: dumpb_many(objects)),
        "lines_file": _file_at_once(loads_many),
        "lines_fields": lambda argument: list(loads_many(argument[0], fields=argument[1])),
    }


def of_jiter():
    from jiter import from_json

    def snapshots(argument):
        chunks, step = argument
        buffer, kept = bytearray(), []
        for number, chunk in enumerate(chunks, 1):
            buffer += chunk
            one = from_json(bytes(buffer), partial_mode="trailing-strings")
            if number % step == 0 or number == len(chunks):
                kept.append(one)
        return kept

    return {**_calls(from_json), "snapshot": snapshots}


def of_ijson():
    import ijson

    def read(prefix, **options):
        def records(path):
            with open(path, "rb") as file:
                yield from ijson.items(file, prefix, use_float=True, **options)

        return OneByOne(records)

    def feed(chunks):
        found = ijson.sendable_list()
        coroutine = ijson.items_coro(found, "", multiple_values=True, use_float=True)
        for chunk in chunks:
            coroutine.send(chunk)
            if found:
                yield from found
                found.clear()
        coroutine.close()
        yield from found

    return {"lines_file": read("", multiple_values=True), "items": read("item"), **_feeds(OneByOne(feed))}


def of_orjsonl():
    from orjsonl import stream

    return {"lines_file": OneByOne(stream), "lines_gzip": OneByOne(stream)}


def of_ocior(module=None):
    """`module`: what has the public names of ocior."""
    if module is None:
        import ocior as module
    lines, Feed = module.lines, module.Feed

    def feed(chunks):
        feed = lines.Feed()
        push = feed.push
        for chunk in chunks:
            if found := push(chunk):
                yield from found
        yield from feed.close()

    def snapshots(argument):
        chunks, step = argument
        feed, kept = Feed(), []
        for number, chunk in enumerate(chunks, 1):
            found = feed.push(chunk)
            one = found[-1] if found else feed.snapshot()
            if number % step == 0 or number == len(chunks):
                kept.append(one)
        return kept

    return {
        "lines_bytes": lines.loads,
        "lines_each": OneByOne(lines.read),
        "lines_file": OneByOne(lines.read),
        "lines_gzip": OneByOne(lines.read),
        "lines_fields": lambda argument: lines.loads(argument[0], fields=argument[1]),
        "lines_write": lambda objects: lines.dumps_to_bytes(objects),
        "items": OneByOne(module.items),
        **_feeds(OneByOne(feed)),
        "snapshot": snapshots,
    }
