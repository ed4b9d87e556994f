"""What feeds have to give, worked out slowly in Python: where records lie, what each of them is, and what of a value is known so far."""

import itertools
import json
from typing import Any, NamedTuple

import ocior

SPACE = b" \t\r\n"
SEPARATOR = 0x1E  # of RFC 7464


class Told(NamedTuple):
    """All that a feed has given: values, and the message and place of the error at which it ended, if any."""

    values: list
    error: Any


def without_mark(data):
    return data[3:] if data.startswith(b"\xef\xbb\xbf") else data


def records_of_lines(data):
    """The text of each line that is not blank, without the white space before it."""
    return [line.lstrip(SPACE) for line in without_mark(data).split(b"\n") if line.strip(SPACE)]


def end_of_value(data, start):
    """Where the value that begins at `start` ends, byte by byte: by brackets and quotes, or before what ends a number or a word."""
    if data[start] not in b'{["':
        end = start
        while end < len(data) and data[end] not in b' \t\r\n\x1e"[]{},:':
            end += 1
        return max(end, start + 1)
    depth, place, in_string = 0, start, False
    while place < len(data) and data[place] != SEPARATOR:
        byte = data[place]
        place += 1
        if byte == 0x5C and data[place : place + 1] in (b'"', b"\\"):  # also where no string is: it is a mistake
            place += 1
        elif byte == 0x22:
            in_string = not in_string
        elif not in_string:
            depth += (byte in b"[{") - (byte in b"]}")
        if depth == 0 and not in_string:
            break
    return place


def records_of_values(data):
    data = without_mark(data)
    records, place = [], 0
    while True:
        while place < len(data) and (data[place] in SPACE or data[place] == SEPARATOR):
            place += 1
        if place == len(data):
            return records
        end = end_of_value(data, place)
        records.append(data[place:end])
        place = end


def expected(records, loads=ocior.loads):
    """What loads() makes of each record, up to the first that it refuses."""
    values = []
    for record in records:
        try:
            text = record.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            return Told(values, ("Invalid UTF-8, " + error.reason, len(record[: error.start].decode("utf-8", "replace"))))
        try:
            values.append(loads(text))
        except json.JSONDecodeError as error:
            # A mark is dropped before the first record only, and has no name elsewhere.
            return Told(values, ("Expecting value", 0) if text.startswith("\ufeff") else (error.msg, error.pos))
        except RecursionError:
            return Told(values, "too deep")
    return Told(values, None)


def feed_all(feed, chunks):
    """All that the feed gives for the chunks and at the end; an error that follows values comes with the next call."""
    values = []
    try:
        for chunk in chunks:
            values += feed.push(chunk)
        values += feed.close()
        values += feed.close()
    except ocior.RecordError as error:
        return Told(values, "too deep" if "nest" in error.msg or "depth" in error.msg else (error.msg, error.pos))
    return Told(values, None)


def pieces(data, cuts):
    """The data cut at each of these places."""
    places = [0, *sorted(cuts), len(data)]
    return [data[first:last] for first, last in itertools.pairwise(places)]


class Incomplete(Exception):
    """The text ends inside of what is read."""


def whole_text(prefix):
    """The longest beginning of an open string's text that is whole characters, read by json. Half a pair of surrogates at its end is none as
    long as the other half may follow."""
    for cut in range(len(prefix) + 1):
        kept, rest = prefix[: len(prefix) - cut], prefix[len(prefix) - cut :]
        try:
            text = json.loads(b'"' + kept + b'"', strict=False)
        except ValueError:
            continue
        ends_with_half = kept[-6:-4] == b"\\u" and text != "" and 0xD800 <= ord(text[-1]) < 0xDC00
        if not ends_with_half or (rest and (rest[:1] != b"\\" or len(rest) >= 6)):
            return text
    raise AssertionError(prefix)


class SlowSnapshot:
    """The value so far of a document that has come up to some place, read by recursive descent. The document itself is valid."""

    def __init__(self, data, strings):
        self.data = data
        self.strings = strings
        self.place = 0

    def skip_space(self):
        while self.place < len(self.data) and self.data[self.place] in SPACE:
            self.place += 1
        if self.place == len(self.data):
            raise Incomplete

    def string(self, is_key):
        """The string at the place, or what is there of it; then the place is the end."""
        end = end_of_value(self.data, self.place)
        raw = self.data[self.place : end]
        try:
            value = json.loads(raw)
        except ValueError:
            value = None
        if value is not None and len(raw) > 1:
            self.place = end
            return value
        self.place = len(self.data)
        if is_key or not self.strings:
            raise Incomplete
        return whole_text(raw[1:])

    def value(self):
        self.skip_space()
        byte = self.data[self.place : self.place + 1]
        if byte == b'"':
            return self.string(False)
        if byte == b"[":
            return self.container([], b"]", self.item)
        if byte == b"{":
            return self.container({}, b"}", self.member)
        end = end_of_value(self.data, self.place)
        if end == len(self.data):
            raise Incomplete
        raw = self.data[self.place : end]
        self.place = end
        return json.loads(raw)

    def item(self, items):
        items.append(self.value())

    def member(self, members):
        key = self.string(True)
        self.skip_space()
        self.place += 1
        members[key] = self.value()

    def container(self, container, closing, read_one):
        self.place += 1
        try:
            self.skip_space()
            while self.data[self.place : self.place + 1] != closing:
                if self.data[self.place : self.place + 1] == b",":
                    self.place += 1
                    self.skip_space()
                read_one(container)
                self.skip_space()
            self.place += 1
        except Incomplete:
            self.place = len(self.data)
        return container


def slow_snapshot(prefix, strings=True):
    """What snapshot() has to give when so much of a valid document has come; None where nothing is known."""
    try:
        return SlowSnapshot(prefix, strings).value()
    except Incomplete:
        return None


CHARACTERS = [
    "a",
    "\x7f",
    "\u00e9",
    "\u4e2d",
    "\u2028",
    "\ufeff",
    "\U0001f600",
    "\\n",
    "\\\\",
    '\\"',
    "\\/",
    "\\u00e9",
    "\\uD83D\\uDE00",
    "\\uD83D",
]


def random_text(source, depth):
    """JSON text of a random value."""
    space = lambda: source.choice(["", "", "", " ", "  ", "\t", "\r"])
    string = lambda: '"' + "".join(source.choices(CHARACTERS, k=source.choice((0, 1, 2, 5, 20)))) + '"'
    kind = source.randrange(7) if depth else source.randrange(5)
    if kind == 5:
        return "[" + ",".join(space() + random_text(source, depth - 1) + space() for _ in range(source.randrange(5))) + space() + "]"
    if kind == 6:
        members = (space() + string() + space() + ":" + space() + random_text(source, depth - 1) for _ in range(source.randrange(5)))
        return "{" + ",".join(members) + space() + "}"
    if kind < 2:
        return string()
    if kind == 2:
        return source.choice(["true", "false", "null", "NaN", "-Infinity"])
    return source.choice(
        [str(source.randint(-(10**20), 10**20)), str(source.randint(-99, 99)), repr(source.uniform(-1, 1) * 10 ** source.randint(-30, 30))]
    )
