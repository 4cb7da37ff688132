"""Reference of vault format 1: every construction of docs/format-v1.md, made from that page alone. Section numbers are its.

Made to be read, not to be fast. A JSON tree is None, bool, str, list, dict or `Number` (a literal that keeps its text).
Whatever the format refuses raises `Refused` with the layer that refuses and one word for the fault. Random bytes come from a
function `rand(count)`, so that `Seeded` makes every output repeatable. Whole vaults are in vaultdir.py, slots' age files in
agefile.py.
"""

import base64
import hashlib
import hmac
import json
import re
import struct
import unicodedata
import uuid
from datetime import datetime, timedelta, timezone

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FILE_BYTE_LIMIT, CHECKPOINT_BYTE_LIMIT, SLOT_BYTE_LIMIT = 16 << 20, 512 << 20, 4 << 10
DEPTH_LIMIT, NUMBER_BYTE_LIMIT = 64, 64
KIND_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
BUILT_IN_KINDS = {"customer", "login", "api-key", "ssh-key", "payment-card", "secure-note", "database", "custom"}


class Refused(Exception):
    """`layer`: json, encoding, token, wrap, record, slot, header, keyring, checkpoint or directory; `kind`: one word."""

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
        value = json.loads(text, object_pairs_hook=_members, parse_int=_number, parse_float=_number, parse_constant=_constant)
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
    """`line` starts a new line at the level of this value, `step` is what one level adds; both empty in the compact form."""
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


# 1.3 Primitives

def kdf(key, salt, label, items, count):
    return HKDF(hashes.SHA256(), count, salt, enc(label, *items)).derive(key)


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def seal_box(key, plaintext, associated, rand):
    nonce = rand(12)
    return nonce + AESGCM(key).encrypt(nonce, plaintext, associated)


def open_box(key, box, associated, layer):
    if len(box) < 28:
        raise Refused(layer, "too-short", "shorter than nonce and tag")
    try:
        return AESGCM(key).decrypt(box[:12], box[12:], associated)
    except InvalidTag:
        raise Refused(layer, "authentication-failed", "the tag does not fit") from None


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
    return _canonical(text, r"[A-Za-z0-9_-]*", lambda t: base64.urlsafe_b64decode(t + "=" * (-len(t) % 4)), b64url, layer)


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


# 4 Keys

class Root:
    """A root key of a vault with all that is derived from it."""

    def __init__(self, key, vault):
        self.key, self.vault = key, vault
        both = kdf(key, vault, "ecv/1/root", [], 48)
        self.id, self.commitment = both[:16], both[16:]

    def mac_key(self, name):
        return kdf(self.key, self.vault, f"ecv/1/{name}-mac", [self.id], 32)

    def data_wrap(self, record):
        key = kdf(self.key, self.vault, "ecv/1/data-key-wrap", [self.id], 32)
        return key, enc("ecv/1/data-key-wrap-ad", self.vault, record, self.id)

    def root_wrap(self, older):
        key = kdf(self.key, self.vault, "ecv/1/keyring-wrap", [self.id, older], 32)
        return key, enc("ecv/1/keyring-wrap-ad", self.vault, older, self.id)

    def wrap(self, pair, key, rand):
        return f"k1:{b64url(self.id[:8])}:{b64(seal_box(pair[0], key, pair[1], rand))}"

    def unwrap(self, pair, text):
        hint, box = split_wrap(text)
        if hint != self.id[:8]:
            raise Refused("wrap", "unknown-root", "wrapped under another root")
        return open_box(pair[0], box, pair[1], "wrap")


def split_wrap(text):
    match = re.fullmatch(r"k1:([^:]{11}):([^:]{80})", text)
    if not match:
        raise Refused("wrap", "malformed", "not a wrap")
    return unb64url(match[1], "wrap"), unb64(match[2], "wrap")


def fingerprint(vault, commitment):
    return hashlib.sha256(enc("ecv/1/fingerprint", vault, commitment)).hexdigest()[:40]


# 5 Tokens

def padded_size(n):
    """n counts the plaintext and the byte 80."""
    m = -(-n // 32) * 32
    if n <= 256:
        return m
    e = m.bit_length() - 1
    unit = 1 << (e - e.bit_length())
    return -(-m // unit) * unit


def pad(data):
    return (data + b"\x80").ljust(padded_size(len(data) + 1), b"\0")


def unpad(data):
    text = data.rstrip(b"\0")
    if not text.endswith(b"\x80") or padded_size(len(text)) != len(data):
        raise Refused("token", "bad-padding", "the padding has another form")
    return text[:-1]


class FieldKeys:
    """Seals and opens tokens; `label` and `context` are what the associated data ends with."""

    def __init__(self, key, hint, label, context):
        self.key, self.hint, self.label, self.context = key, hint, label, context

    def _associated(self, sealed_at):
        return enc(self.label, b"\1", self.hint, sealed_at.encode(), *self.context)

    def seal(self, text, sealed_at, rand):
        return self.seal_padded(pad(text.encode()), sealed_at, rand)

    def seal_padded(self, plaintext, sealed_at, rand):
        box = seal_box(self.key, plaintext, self._associated(sealed_at), rand)
        return f"es1:{b64url(self.hint)}:{sealed_at}:{b64(box)}"

    def open(self, token):
        match = re.fullmatch(r"es1:([^:]{11}):([^:]{16}):([^:]*)", token)
        if not match:
            raise Refused("token", "malformed", "not a token of this version")
        hint, box = unb64url(match[1], "token"), unb64(match[3], "token")
        try:
            parse_compact_time(match[2])
        except Refused:
            raise Refused("token", "invalid-date", "sealed at no real time") from None
        if hint != self.hint:
            raise Refused("token", "wrong-hint", "belongs to another record or key")
        try:
            return unpad(open_box(self.key, box, self._associated(match[2]), "token")).decode()
        except UnicodeDecodeError:
            raise Refused("token", "invalid-utf8", "the text is not UTF-8") from None


def app_keys(application_key, *context):
    """5.4: for use outside a vault."""
    items = [text.encode() for text in context]
    both = kdf(application_key, b"", "ecv/1/app", items, 40)
    return FieldKeys(both[:32], both[32:], "ecv/1/app-field", items)


def is_token(value):
    return isinstance(value, str) and re.match(r"es[0-9]+:", value) is not None


def map_strings(value, change):
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_strings(item, change) for item in value]
    if isinstance(value, dict):
        return {name: map_strings(item, change) for name, item in value.items()}
    return value


# 6 Records

class RecordKeys:
    """What a data key gives: `fields` seals and opens, `mac_of` authenticates."""

    def __init__(self, data_key, vault, record):
        self.vault, self.record = vault, record
        all_three = kdf(data_key, vault, "ecv/1/record", [record], 72)
        self.field_key, self.mac_key, self.hint = all_three[:32], all_three[32:64], all_three[64:]
        self.fields = FieldKeys(self.field_key, self.hint, "ecv/1/field", [vault, record])

    def mac_of(self, document):
        envelope = {name: item for name, item in document["$vault"].items() if name not in ("mac", "key")}
        tree = tree_bytes({**document, "$vault": envelope})
        return mac(self.mac_key, enc("ecv/1/record-mac", self.vault, self.record, tree))


def check_members(value, required, optional, layer):
    """`required` and `optional`: member name to a function of its value that raises when it is wrong."""
    if not isinstance(value, dict):
        raise Refused(layer, "malformed", "not an object")
    if "format" in required and isinstance(value.get("format"), Number) and value["format"].literal != "1":
        raise Refused(layer, "unknown-format", "written by a newer version")
    for name in value:
        if name not in required and name not in optional:
            raise Refused(layer, "unknown-member", "a member that format 1 does not have")
    for name in required:
        if name not in value:
            raise Refused(layer, "missing-member", f"{name} is missing")
    for name, item in value.items():
        check = required.get(name) or optional[name]
        try:
            check(item)
        except (Refused, TypeError, AttributeError):
            raise Refused(layer, "malformed", f"{name} has another form") from None


def a_date(value): parse_date(value)
def an_id(value): id_bytes(value)
def an_integer(value): integer(value, "encoding")
def a_string(value): value.encode()


def expect(condition):
    if not condition:
        raise Refused("encoding", "malformed", "another form")


def bytes_of(count):
    return lambda value: expect(len(unb64(value)) == count)


def a_root_id(value): expect(len(unb64url(value)) == 16)
def a_kind(value): expect(KIND_NAME.fullmatch(value))


ENVELOPE = {"format": an_integer, "id": an_id, "kind": a_kind, "schema": an_integer, "revision": an_integer,
            "created_at": a_date, "updated_at": a_date, "key": a_string, "mac": bytes_of(32)}


def check_record(document, stem=None, trashed=False):
    if not isinstance(document, dict) or "$vault" not in document:
        raise Refused("record", "malformed", "not a record")
    envelope = document["$vault"]
    check_members(envelope, ENVELOPE, {"deleted_at": a_date}, "record")
    if stem is not None and envelope["id"] != stem:
        raise Refused("directory", "wrong-name", "the file has another record's name")
    if stem is not None and trashed != ("deleted_at" in envelope):
        raise Refused("directory", "wrong-place", "deleted_at belongs in the trash, and only there")


def make_record(members, sealed, envelope, root, rand, data_key=None):
    """A record's tree. `sealed`: path (tuple of names) to sealed-at; `envelope`: all but format, key and mac."""
    record = id_bytes(envelope["id"])
    data_key = data_key or rand(32)
    keys = RecordKeys(data_key, root.vault, record)
    wrap = root.wrap(root.data_wrap(record), data_key, rand)
    document = {**json_copy(members), "$vault": {"format": Number("1"), "key": wrap, **envelope}}
    for path, sealed_at in sealed.items():
        holder = document
        for name in path[:-1]:
            holder = holder[name]
        holder[path[-1]] = keys.fields.seal(holder[path[-1]], sealed_at, rand)
    document["$vault"]["mac"] = b64(keys.mac_of(document))
    return document


def json_copy(value):
    return parse(compact(value))


def open_record(document, roots, vault):
    """`roots`: first 8 bytes of a root's id to a Root that may open. Returns keys and the tree with every token opened."""
    envelope = document["$vault"]
    root = roots.get(split_wrap(envelope["key"])[0])
    if root is None:
        raise Refused("wrap", "unknown-root", "wrapped under an unknown or retired root")
    record = id_bytes(envelope["id"])
    keys = RecordKeys(root.unwrap(root.data_wrap(record), envelope["key"]), vault, record)
    if not hmac.compare_digest(unb64(envelope["mac"], "record"), keys.mac_of(document)):
        raise Refused("record", "authentication-failed", "the record was changed")
    members = {name: item for name, item in document.items() if name != "$vault"}
    return keys, map_strings(members, lambda text: keys.fields.open(text) if is_token(text) else text)
