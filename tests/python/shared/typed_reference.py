"""What typed decoding means, slowly and in plain Python: a judge for the core.

`decode(node, text)` reads the nodes that `ocior._typed.hints.compile` makes, as their tables say. It parses with a parser of its own, which
knows where each value stands, after `json` has seen that the text is JSON. What comes out is the value, or `Problems`: a list of tuples
(code, path, start, end) in the order of the document.

After the first problem no code of the user is called, as in the core: no hooks, no classes, no `_missing_`. So the later problems are those
that can be found without.
"""

import base64
import collections
import datetime
import json
import re
import uuid
from decimal import Decimal
from fractions import Fraction
from json.decoder import scanstring

from ocior._typed.nodes import NOTHING
from ocior._typed.problems import Refusal, multiple_of

KINDS = ("null", "boolean", "integer", "real", "string", "array", "object")

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = {"null": ("null", None), "true": ("boolean", True), "false": ("boolean", False)}
_CONSTANTS = ("NaN", "Infinity", "-Infinity")
_BARE = object()


class Problems(list):
    """What is returned in the place of a value."""


class Written:
    """A value as it stands in the text. `value`: a str, a list of Written, or a list of pairs of Written."""

    def __init__(self, kind, text, start, end, value=None):
        self.kind, self.text, self.start, self.end, self.value = kind, text, start, end, value


def parse(text):
    """The Written of a document, or json's JSONDecodeError."""
    json.loads(text)
    written, _ = _parse(text, _SPACE.match(text, 0).end())
    return written


def _parse(text, at):
    if text[at] == '"':
        value, end = scanstring(text, at + 1, True)
        return Written("string", text[at:end], at, end, value), end
    for word, (kind, value) in _WORDS.items():
        if text.startswith(word, at):
            return Written(kind, word, at, at + len(word), value), at + len(word)
    for word in _CONSTANTS:
        if text.startswith(word, at):
            return Written("real", word, at, at + len(word)), at + len(word)
    if text[at] == "[":
        return _parse_items(text, at, "array", "]")
    if text[at] == "{":
        return _parse_items(text, at, "object", "}")
    found = _NUMBER.match(text, at)
    kind = "real" if found[2] or found[3] else "integer"
    return Written(kind, found[0], at, found.end()), found.end()


def _parse_items(text, start, kind, closing):
    items = []
    at = _SPACE.match(text, start + 1).end()
    while text[at] != closing:
        if kind == "object":
            key, end = scanstring(text, at + 1, True)
            name = Written("string", text[at:end], at, end, key)
            at = _SPACE.match(text, _SPACE.match(text, end).end() + 1).end()
            value, at = _parse(text, at)
            items.append((name, value))
        else:
            value, at = _parse(text, at)
            items.append(value)
        at = _SPACE.match(text, at).end()
        if text[at] == ",":
            at = _SPACE.match(text, at + 1).end()
    return Written(kind, text[start : at + 1], start, at + 1, items), at + 1


def decode(node, text):
    """The value that `text`, a str, has for this node, or its Problems. Raises JSONDecodeError where it is no JSON."""
    reading = _Reading()
    value = reading.value(node, parse(text), ())
    return reading.problems if reading.problems else value


class _Failed(Exception):
    """A problem (code, path), to be told where it is caught."""

    def __init__(self, code, path=None, cause=None, written=None):
        super().__init__(code, path)
        self.code, self.path, self.cause, self.written = code, path, cause, written


class _Reading:
    def __init__(self):
        self.problems = Problems()

    def add(self, code, path, written):
        self.problems.append((code, path, written.start, written.end))

    def value(self, node, written, path):
        try:
            value = self.made(node, written, path)
            hook = node.hooks[KINDS.index(written.kind)] if node.hooks else None
            if hook is not None and not self.problems:
                value = self.called(hook, value)
        except _Failed as failed:
            self.add(failed.code, path if failed.path is None else failed.path, failed.written or written)
            return None
        return value

    def called(self, function, *args, **keywords):
        """What code of the user gives; ValueError and TypeError are problems."""
        if self.problems:
            return None
        try:
            return function(*args, **keywords)
        except Refusal as refusal:
            raise _Failed(refusal.code, None, refusal) from refusal
        except (ValueError, TypeError) as error:
            raise _Failed("hook", None, error) from error

    def made(self, node, written, path):
        """The value before hooks."""
        kind = written.kind
        if kind in ("null", "boolean"):
            word = written.text
            if word in (node.word_choices or {}):
                return node.word_choices[word]
            if node.null if kind == "null" else node.boolean:
                return written.value
            if kind == "boolean" and node.missing:
                return self.asked(node, written.value)
            has_choices = any(found in (("null",) if kind == "null" else ("true", "false")) for found in node.word_choices or ())
        elif kind in ("integer", "real"):
            number = self.number(node, kind, written.text)
            if number is not _BARE:
                return number
            has_choices = bool(node.int_choices if kind == "integer" else node.float_choices)
        elif kind == "string":
            string = self.string(node, written.value)
            if string is not _BARE:
                return string
            has_choices = bool(node.str_choices)
        elif kind == "array":
            if node.array is not None:
                return self.array(node.array, written, path)
            has_choices = False
        else:
            if node.object is not None:
                return self.object(node.object, written, path)
            has_choices = False
        if node.whole == "any":
            return json.loads(written.text)
        if node.whole == "raw":
            import ocior

            return ocior.Raw(written.text, check=False)
        if node.whole == "model":
            return self.called(node.model, written.text)
        raise _Failed("choice" if has_choices else "type")

    def asked(self, node, value):
        """What the `_missing_` of an Enum says."""
        if self.problems:
            return None
        for ask in node.missing:
            try:
                return ask(value)
            except ValueError:
                pass
            except TypeError as error:
                raise _Failed("hook", None, error) from error
        raise _Failed("choice")

    # -- numbers

    def number(self, node, kind, text):
        if kind == "integer":
            if node.int_choices and int(text) in node.int_choices:
                return node.int_choices[int(text)]
            form = node.integer
        else:
            if node.float_choices and float(text) in node.float_choices:
                return node.float_choices[float(text)]
            form = node.real
            if form == "decimal" and text in _CONSTANTS:
                raise _Failed("type")
        if form:
            return self.number_as(node, form, text)
        if node.missing:
            return self.asked(node, int(text) if kind == "integer" else float(text))
        return _BARE

    def number_as(self, node, form, text):
        """A number of JSON, or the text of one in a string, as `form` says."""
        if form == "int":
            value = _integral(text)
        elif form == "float":
            value = float(text)
        elif form == "decimal":
            value = Decimal(text)
        elif form == "bool":
            if text not in ("0", "1"):
                raise _Failed("value")
            return text == "1"
        else:
            value = _of_seconds(form, text)
            check_time(node, value)
            return value
        check_number(node, value, text)
        return value

    # -- strings

    def string(self, node, text):
        if text in (node.str_choices or {}):
            return node.str_choices[text]
        for form in node.string:
            if form == "str":
                check_string(node, text)
                return text
            if form == "call":
                if self.problems:
                    return None
                try:
                    return node.string_class(text)
                except ValueError as error:
                    raise _Failed("value", None, error) from error
            value = self.string_as(node, form, text)
            if value is not _BARE:
                return value
        if node.missing:
            return self.asked(node, text)
        if node.string:
            raise _Failed("choice" if node.str_choices else "value")
        return _BARE

    def string_as(self, node, form, text):
        """The value of a string of this form, _BARE if it is not of this form."""
        if form in ("decimal", "int", "float"):
            if not _is_number(form, text):
                return _BARE
            return self.number_as(node, form, text)
        if form == "bool":
            return {"0": False, "1": True, "false": False, "true": True}.get(text.lower(), _BARE)
        if form == "null":
            return None if text.lower() == "null" else _BARE
        value = _FORMS[form](text)
        if value is _BARE:
            return _BARE
        if form in ("bytes", "bytearray"):
            check_length(node.bytes_limits, len(value))
        elif form != "uuid":
            check_time(node, value)
        return value

    # -- arrays

    def array(self, array, written, path):
        items = written.value
        if array.kind in ("fixed", "namedtuple"):
            least = len(array.items) - len(array.defaults)
            values = [self.value(node, item, (*path, i)) for i, (node, item) in enumerate(zip(array.items, items))]
            if not least <= len(items) <= len(array.items):
                raise _Failed("length")
            if array.kind == "fixed":
                return tuple(values)
            values += array.defaults[len(values) - least :]
            return None if self.problems else tuple.__new__(array.type, values)
        if array.kind == "class":
            return self.class_array(array.object, items, path)
        values = [self.value(array.item, item, (*path, i)) for i, item in enumerate(items)]
        if self.problems and array.kind in ("set", "frozenset"):
            return None
        if array.kind in ("set", "frozenset"):
            try:
                values = set(values) if array.kind == "set" else frozenset(values)
            except TypeError as error:
                raise _Failed("hook", None, error) from error
        check_length((array.min_length, array.max_length), len(values))
        return values if array.kind in ("list", "set", "frozenset") else {"tuple": tuple, "deque": collections.deque}[array.kind](values)

    def class_array(self, target, items, path):
        fields = [field for field in target.fields if field.init]
        found = {field.name: self.value(field.node, item, (*path, i)) for i, (field, item) in enumerate(zip(fields, items))}
        if len(items) > len(fields) or any(field.required for field in fields[len(items) :]):
            raise _Failed("length")
        return self.instance(target, found)

    # -- objects

    def object(self, target, written, path):
        if target.kind == "dict":
            return self.dict(target, written, path)
        if target.kind == "union":
            target = self.member(target, written, path)
            if target.kind == "dict":
                return self.dict(target, written, path)
        found, rest = {}, {}
        for name, value in written.value:
            key = name.value
            index = target.names.get(key)
            if index is not None:
                field = target.fields[index]
                found[field.name] = self.value(field.node, value, (*path, key))
            elif key == target.tag_name:
                tag = target.tag_value
                is_same = value.kind == "string" and value.value == tag if isinstance(tag, str) else value.text == str(tag)
                if not is_same:
                    self.add("tag", (*path, key), value)
            elif target.rest >= 0:
                rest[key] = self.value(target.fields[target.rest].node, value, (*path, key))
            elif target.unknown == "forbid":
                self.add("unknown", (*path, key), value)
        for field in target.fields:
            if field.required and field.name not in found:
                self.add("missing", path, written)
        if target.rest >= 0:
            found[target.fields[target.rest].name] = rest
        return self.instance(target, found)

    def member(self, union, written, path):
        keys = written.value
        if union.tag is not None:
            value = next((value for key, value in keys if key.value == union.tag), None)
            found = None
            if value is not None and value.kind in ("string", "integer"):
                found = union.tags.get(value.value if value.kind == "string" else int(value.text))
            if found is not None:
                return union.members[found]
            if union.rest is not None:
                return union.rest
            raise _Failed("tag", path if value is None else (*path, union.tag), None, value)
        for key, _ in keys:
            if key.value in union.keys:
                return union.members[union.keys[key.value]]
        if union.rest is not None:
            return union.rest
        if union.default >= 0:
            return union.members[union.default]
        raise _Failed("tag")

    def dict(self, target, written, path):
        made = {}
        for name, value in written.value:
            inside = (*path, name.value)
            key = name.value if target.key is None else self.key(target.key, name, inside)
            made[key] = self.value(target.value, value, inside)
        check_length((target.min_length, target.max_length), len(made))
        if target.type is dict:
            return made
        if target.type is collections.defaultdict:
            return collections.defaultdict(target.factory, made)
        return self.called(target.type, made)

    def key(self, node, written, path):
        reading = _Reading()
        reading.problems = Problems(self.problems)
        known = len(reading.problems)
        made = reading.value(node, written, path)
        if len(reading.problems) > known:
            self.add("key", path, written)
        return made

    def instance(self, target, found):
        """An instance with these values by names of fields; nothing after a problem."""
        if self.problems:
            return None
        if target.make == "typeddict":
            return found
        for field in target.fields:
            if field.name not in found:
                if field.factory is not None:
                    found[field.name] = self.called(field.factory)
                elif field.default is not NOTHING:
                    found[field.name] = field.default
        if target.make == "call":
            positional = []
            for field in target.fields:
                if not field.positional:
                    break
                positional.append(found.pop(field.name))
            keywords = {field.keyword: found[field.name] for field in target.fields if field.name in found}
            return self.called(target.type, *positional, **keywords)
        if target.make == "struct":
            return self.called(target.type, **{field.keyword: found[field.name] for field in target.fields if field.name in found})
        instance = object.__new__(target.type)
        for field in target.fields:
            if field.name in found:
                object.__setattr__(instance, field.name, found[field.name])
        if target.post_init is not None:
            self.called(target.post_init, instance)
        return instance


# ---- forms


def _is_number(form, text):
    if form == "int":
        return re.fullmatch(r"-?(0|[1-9][0-9]*)", text) is not None
    if form == "float" and re.fullmatch(r"(?i)[-+]?(nan|inf|infinity)", text):
        return True
    if form == "decimal" and text in ("NaN", "Infinity", "-Infinity"):
        return True
    return _NUMBER.fullmatch(text) is not None


def _integral(text):
    if text in _CONSTANTS:
        raise _Failed("value")
    found = _NUMBER.fullmatch(text)
    if not found[2] and not found[3]:
        return int(text)
    value = Decimal(text)
    if value.is_zero():
        return 0
    if value.adjusted() > 4300:
        raise _Failed("range")
    if value.as_tuple().exponent < -10_000 or value != value.to_integral_value():
        raise _Failed("value")
    return int(value)


def _of_seconds(form, text):
    if text in _CONSTANTS:
        raise _Failed("value")
    value = Decimal(text)
    if not value.is_zero() and value.adjusted() > 20:
        raise _Failed("range")
    microseconds = round(Fraction(value) * 10**6) if value.is_zero() or value.adjusted() > -30 else 0
    try:
        duration = datetime.timedelta(microseconds=microseconds)
        return duration if form == "timedelta" else datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + duration
    except OverflowError as error:
        raise _Failed("range", None, error) from error


_CLOCK = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(Z|z|[+-][0-9]{2}:?[0-9]{2})?"


def _uuid(text):
    is_one = re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}", text)
    return uuid.UUID(text) if is_one else _BARE


def _clock(groups):
    hour, minute, second, fraction, offset = groups
    zone = None
    if offset is not None:
        zone = datetime.timezone.utc
        if offset not in ("Z", "z"):
            hours, minutes = int(offset[1:3]), int(offset[-2:])
            if hours > 23 or minutes > 59:
                return None
            shift = datetime.timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
            zone = datetime.timezone(shift) if shift else datetime.timezone.utc
    try:
        return datetime.time(int(hour), int(minute), int(second), int(((fraction or "") + "000000")[:6]), tzinfo=zone)
    except ValueError:
        return None


def _time(text):
    found = re.fullmatch(_CLOCK, text, re.ASCII)
    made = _clock(found.groups()) if found else None
    return _BARE if made is None else made


def _date(text):
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return _BARE
    try:
        return datetime.date(int(text[:4]), int(text[5:7]), int(text[8:]))
    except ValueError:
        return _BARE


def _datetime(text):
    found = re.fullmatch(r"([0-9-]{10})[Tt ]" + _CLOCK, text)
    if not found:
        return _BARE
    day, clock = _date(found[1]), _clock(found.groups()[1:])
    return _BARE if day is _BARE or clock is None else datetime.datetime.combine(day, clock)


def _timedelta(text):
    number = r"([0-9]+(?:\.[0-9]+)?)"
    found = re.fullmatch(rf"([+-]?)P(?:{number}W|(?:{number}D)?(?:T(?=[0-9])(?:{number}H)?(?:{number}M)?(?:{number}S)?)?)", text)
    if not found or not any(found.groups()[1:]):
        return _BARE
    parts = [(part, unit) for part, unit in zip(found.groups()[1:], (604800, 86400, 3600, 60, 1)) if part is not None]
    if any("." in part for part, _ in parts[:-1]):
        return _BARE
    seconds = sum(Fraction(part) * unit for part, unit in parts)
    microseconds = int(seconds * 10**6)
    try:
        return datetime.timedelta(microseconds=-microseconds if found[1] == "-" else microseconds)
    except OverflowError:
        return _BARE


def _bytes(text):
    if not re.fullmatch(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", text):
        return _BARE
    return base64.b64decode(text)


def _bytearray(text):
    value = _bytes(text)
    return value if value is _BARE else bytearray(value)


_FORMS = {
    "uuid": _uuid,
    "datetime": _datetime,
    "date": _date,
    "time": _time,
    "timedelta": _timedelta,
    "bytes": _bytes,
    "bytearray": _bytearray,
}


# ---- limits


def _check_bounds(limits, value):
    for name, bound in zip(("gt", "ge", "lt", "le"), limits):
        if bound is None:
            continue
        # NaN, which Decimals do not compare, keeps no bound.
        is_kept = value == value and {
            "gt": lambda v, b: v > b,
            "ge": lambda v, b: v >= b,
            "lt": lambda v, b: v < b,
            "le": lambda v, b: v <= b,
        }[name](value, bound)
        if not is_kept:
            raise _Failed(name)


def check_number(node, value, text):
    if node.number_limits is None:
        return
    _check_bounds(node.number_limits, value)
    step = node.number_limits[4]
    if step is not None and not multiple_of(text, step):
        raise _Failed("multiple_of")


def check_time(node, value):
    if node.tz is not None and isinstance(value, (datetime.datetime, datetime.time)) and (value.tzinfo is not None) != node.tz:
        raise _Failed("tz")
    if node.time_limits is not None:
        _check_bounds(node.time_limits, value)


def check_length(limits, length):
    least, most = limits or (None, None)
    if least is not None and length < least:
        raise _Failed("min_length")
    if most is not None and length > most:
        raise _Failed("max_length")


def check_string(node, text):
    if node.string_limits is None:
        return
    check_length(node.string_limits[:2], len(text))
    if node.string_limits[2] is not None and not node.string_limits[2].search(text):
        raise _Failed("pattern")
