"""Bytes, trees and text forms of vault format 1: docs/format-v1.md, sections 1, Encodings, and 2, JSON.

A JSON tree is None, bool, str, list, dict or `Number` (a literal that keeps its text). What the format refuses raises
`Refused` with the layer that refuses and one word for the fault.
"""

import base64
import hashlib
import json
import re
import struct
import unicodedata
import uuid
from datetime import datetime, timedelta

FILE_BYTE_LIMIT, CHECKPOINT_BYTE_LIMIT, SLOT_BYTE_LIMIT = 16 << 20, 512 << 20, 4 << 10
DEPTH_LIMIT, NUMBER_BYTE_LIMIT = 64, 64


class Refused(Exception):
    """`layer`: json, encoding, token, wrap, record, slot, header, keyring, checkpoint or directory;
    `kind`: one word for the fault."""

    def __init__(self, layer, kind, reason):
        super().__init__(f"{layer}: {reason}")
        self.layer, self.kind = layer, kind


class Seeded:
    """Repeatable "random" bytes for vectors: SHA-256 of seed and counter. Never for a real vault."""

    def __init__(self, seed):
        self.seed, self.counter = seed.encode(), 0

    def __call__(self, count):
        out = b""
        while len(out) < count:
            out += hashlib.sha256(self.seed + b"/%d" % self.counter).digest()
            self.counter += 1
        return out[:count]


# 1.1 Bytes

def u32(number):
    return struct.pack(">I", number)


def lp(data):
    return u32(len(data)) + data


def enc(label, *items):
    return lp(label.encode()) + u32(len(items)) + b"".join(map(lp, items))


# 1.2 and 2: trees

class Number:
    """A JSON number by its literal: 1.5, 1.50 and 15e-1 differ."""

    def __init__(self, literal):
        self.literal = literal

    def __eq__(self, other):
        return isinstance(other, Number) and other.literal == self.literal

    def __hash__(self):
        return hash(self.literal)

    def __repr__(self):
        return f"Number({self.literal})"


def tree_bytes(value):
    """T(value)"""
    if value is None or isinstance(value, bool):
        return {None: b"\0", False: b"\1", True: b"\2"}[value]
    if isinstance(value, Number):
        return b"\3" + lp(value.literal.encode())
    if isinstance(value, str):
        return b"\4" + lp(value.encode())
    if isinstance(value, list):
        return b"\5" + u32(len(value)) + b"".join(map(tree_bytes, value))
    members = sorted((name.encode(), item) for name, item in value.items())
    return b"\6" + u32(len(members)) + b"".join(lp(name) + tree_bytes(item) for name, item in members)


def parse(data, byte_limit=FILE_BYTE_LIMIT):
    """Strict JSON. The standard module does the grammar; what it is too lenient about is checked here."""
    if len(data) > byte_limit:
        raise Refused("json", "too-large", "too many bytes")
    if data.startswith(b"\xef\xbb\xbf"):
        raise Refused("json", "byte-order-mark", "begins with a byte order mark")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("json", "invalid-utf8", "not UTF-8") from None
    try:
        value = json.loads(text, object_pairs_hook=_members, parse_int=_number, parse_float=_number,
            parse_constant=_constant)
    except RecursionError:
        raise Refused("json", "too-deep", "nested too deep") from None
    except json.JSONDecodeError as error:
        raise Refused("json", "invalid-json", f"line {error.lineno}, column {error.colno}") from None
    _check(value, 1)
    return value


def _number(literal):
    if len(literal) > NUMBER_BYTE_LIMIT:
        raise Refused("json", "number-too-long", "a number of too many digits")
    return Number(literal)


def _constant(_):
    raise Refused("json", "invalid-json", "a number that is none")


def _members(pairs):
    names = {}
    for name, _ in pairs:
        form = unicodedata.normalize("NFD", name)
        if form in names:
            kind = "duplicate-member" if names[form] == name else "equivalent-members"
            raise Refused("json", kind, "two members of one name")
        names[form] = name
    return dict(pairs)


def _check(value, depth):
    if depth > DEPTH_LIMIT:
        raise Refused("json", "too-deep", "nested too deep")
    if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        raise Refused("json", "lone-surrogate", "half of a surrogate pair")
    if isinstance(value, dict):
        for name, item in value.items():
            _check(name, depth)
            _check(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1)


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _quoted(text):
    return '"' + re.sub(r'["\\\x00-\x1f]', lambda m: _ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04x}", text) + '"'


def _write(value, line, step, colon):
    """`line` starts a line at this value's level, `step` is what one level adds; both are empty in the compact form."""
    if value is None or isinstance(value, bool):
        return {None: "null", False: "false", True: "true"}[value]
    if isinstance(value, Number):
        return value.literal
    if isinstance(value, str):
        return _quoted(value)
    inner = line + step
    if isinstance(value, list):
        parts, (left, right) = [_write(item, inner, step, colon) for item in value], "[]"
    else:
        ordered, (left, right) = sorted(value.items(), key=lambda member: member[0].encode()), "{}"
        parts = [_quoted(name) + colon + _write(item, inner, step, colon) for name, item in ordered]
    return left + (inner + ("," + inner).join(parts) if parts else line[:1]) + line + right


def pretty(value):
    return (_write(value, "\n", "  ", " : ") + "\n").encode()


def compact(value):
    return _write(value, "", "", ":").encode()


# 1.4 to 1.6 Text forms

def b64(data):
    return base64.b64encode(data).decode()


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _canonical(text, pattern, decode, encode, layer):
    try:
        data = decode(text) if re.fullmatch(pattern, text) else None
    except ValueError:
        data = None
    if data is None or encode(data) != text:
        raise Refused(layer, "not-canonical", "not canonical base64")
    return data


def unb64(text, layer="encoding"):
    return _canonical(text, r"[A-Za-z0-9+/]*={0,2}", lambda t: base64.b64decode(t, validate=True), b64, layer)


def unb64url(text, layer="encoding"):
    return _canonical(text, r"[A-Za-z0-9_-]*", lambda t: base64.urlsafe_b64decode(t + "=" * (-len(t) % 4)), b64url,
        layer)


def id_text(data):
    return str(uuid.UUID(bytes=data))


def id_bytes(text):
    if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text):
        raise Refused("encoding", "invalid-id", "not an id")
    return uuid.UUID(text).bytes


_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?"
                   r"(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))")


def parse_date(text):
    """A date as (seconds since 1970, nanoseconds)."""
    match = _DATE.fullmatch(text)
    try:
        moment = datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S") if match and match[1][17:19] < "60" else None
        if moment and match[3]:
            offset = timedelta(hours=int(match[4]), minutes=int(match[5]))
            moment = moment - offset if match[3] == "+" else moment + offset
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise Refused("encoding", "invalid-date", "not a date")
    seconds = (moment - datetime(1970, 1, 1)) // timedelta(seconds=1)
    return seconds, int((match[2] or "0").ljust(9, "0"))


def _utc(seconds):
    moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)
    return f"{moment.year:04}", moment


def date_text(seconds, nanoseconds=0):
    year, moment = _utc(seconds)
    thousandths = nanoseconds // 1_000_000
    return year + moment.strftime("-%m-%dT%H:%M:%S") + (f".{thousandths:03}" if thousandths else "") + "Z"


def compact_time(seconds):
    year, moment = _utc(seconds)
    return year + moment.strftime("%m%dT%H%M%SZ")


def parse_compact_time(text):
    if not re.fullmatch(r"[0-9]{8}T[0-9]{6}Z", text):
        raise Refused("encoding", "invalid-date", "not a compact time")
    t = text
    return parse_date(f"{t[:4]}-{t[4:6]}-{t[6:8]}T{t[9:11]}:{t[11:13]}:{t[13:15]}Z")[0]


def integer(value, layer):
    if not (isinstance(value, Number) and re.fullmatch(r"[1-9][0-9]{0,17}", value.literal)):
        raise Refused(layer, "malformed", "not a plain positive integer")
    return int(value.literal)
