"""Reference of vault format 1: every construction of docs/format-v1.md, made from that page alone, by its sections.

Made to be read, not to be fast. Random bytes come from a function `rand(count)`, so that `Seeded` makes every output
repeatable. forms.py has encodings and JSON, agefile.py the age files of slots, vaultdir.py whole vaults.
"""

import hashlib
import hmac
import re

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from forms import (  # noqa: F401 (the others import all of it from here)
    CHECKPOINT_BYTE_LIMIT, FILE_BYTE_LIMIT, Number, Refused, SLOT_BYTE_LIMIT, Seeded, b64, b64url, compact,
    compact_time, date_text, enc, id_bytes, id_text, integer, lp, parse, parse_compact_time, parse_date, pretty,
    tree_bytes, u32, unb64, unb64url)
from paths import parse_path

KIND_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
EXTENSIONS = {"attachments", "mlkem768x25519"}  # 6.1: those that are known
BUILT_IN_KINDS = {"customer", "login", "api-key", "ssh-key", "payment-card", "secure-note", "database", "custom"}


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
        hint, sealed_at, box = split_token(token)
        if hint != self.hint:
            raise Refused("token", "wrong-hint", "belongs to another record or key")
        try:
            return unpad(open_box(self.key, box, self._associated(sealed_at), "token")).decode()
        except UnicodeDecodeError:
            raise Refused("token", "invalid-utf8", "the text is not UTF-8") from None


def split_token(token):
    """Hint, sealed-at and box of a token; every other text is refused."""
    match = re.fullmatch(r"es1:([^:]{11}):([^:]{16}):([^:]*)", token)
    if not match:
        raise Refused("token", "malformed", "not a token of this version")
    hint, box = unb64url(match[1], "token"), unb64(match[3], "token")
    try:
        parse_compact_time(match[2])
    except Refused:
        raise Refused("token", "invalid-date", "sealed at no real time") from None
    return hint, match[2], box


def app_keys(application_key, *context):
    """5.4: for use outside a vault."""
    items = [text.encode() for text in context]
    both = kdf(application_key, b"", "ecv/1/app", items, 40)
    return FieldKeys(both[:32], both[32:], "ecv/1/app-field", items)


def place_keys(application_key, context, place):
    """5.4: the same field key, for values that are bound to their place."""
    keys = app_keys(application_key, *context)
    return FieldKeys(keys.key, keys.hint, "ecv/1/app-place", [text.encode() for text in [*context, *place]])


def search_tag(application_key, context, name, value, bits):
    """5.4: the first bits of a keyed hash, what is left of the last byte 0."""
    key = kdf(application_key, b"", "ecv/1/app-search", [text.encode() for text in context], 32)
    tag = bytearray(mac(key, enc("ecv/1/app-tag", name.encode(), value.encode()))[:(bits + 7) // 8])
    if bits % 8:
        tag[-1] &= 0xFF << (8 - bits % 8) & 0xFF
    return bytes(tag)


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
        self.vault, self.record, self.data_key = vault, record, data_key
        all_three = kdf(data_key, vault, "ecv/1/record", [record], 72)
        self.field_key, self.mac_key, self.hint = all_three[:32], all_three[32:64], all_three[64:]
        self.fields = FieldKeys(self.field_key, self.hint, "ecv/1/field", [vault, record])

    def attachment_key(self, attachment):
        return kdf(self.data_key, self.vault, "ecv/1/attachment", [self.record, attachment], 32)

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
    if "requires" in optional and "requires" in value:
        check_requires(value["requires"], layer)
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


def check_requires(names, layer):
    """6.1: comes before all else of the object, which may have another form where an extension is required."""
    if not (isinstance(names, list) and 1 <= len(names) <= 16 and all(
            isinstance(name, str) and KIND_NAME.fullmatch(name) for name in names) and names == sorted(set(names))):
        raise Refused(layer, "malformed", "requires has another form")
    if unknown := [name for name in names if name not in EXTENSIONS]:
        raise Refused(layer, "unknown-extension", "needs what only a newer version has: " + ", ".join(unknown))


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


# Section 15, Attachments

ATTACHMENT_BYTE_LIMIT = 1 << 30
CHUNK_BYTE_COUNT, TAG_BYTE_COUNT = 64 << 10, 16


def a_name(value):
    expect(1 <= len(value.encode()) <= 255 and value not in (".", ".."))
    expect(all(character >= " " and character not in "/\x7f" for character in value))


def a_size(value):
    expect(re.fullmatch("0|[1-9][0-9]{0,17}", value.literal) and int(value.literal) <= ATTACHMENT_BYTE_LIMIT)


ATTACHMENT = {"name": a_name, "size": a_size, "sha256": lambda value: expect(re.fullmatch("[0-9a-f]{64}", value))}


def an_attachment_list(value):
    expect(isinstance(value, dict) and 1 <= len(value) <= 4096)
    for attachment, members in value.items():
        an_id(attachment)
        check_members(members, ATTACHMENT, {}, "record")


def stored_size(size):
    return size + TAG_BYTE_COUNT * max(1, -(-size // CHUNK_BYTE_COUNT))


# Section 6.3, Former values

FORMER_COUNT_LIMIT = 20


def a_former_list(value):
    expect(isinstance(value, dict) and value)
    for name, tokens in value.items():
        first = parse_path(name)[0]
        expect(isinstance(first, str) and first != "$vault")
        expect(isinstance(tokens, list) and 1 <= len(tokens) <= FORMER_COUNT_LIMIT)
        for token in tokens:
            expect(len(split_token(token)[2]) >= 28)
        expect(len(set(tokens)) == len(tokens))


def a_former_count(value):
    expect(re.fullmatch("0|[1-9][0-9]?", value.literal) and int(value.literal) <= FORMER_COUNT_LIMIT)


def opened_former(document, keys):
    """The former values of a verified record: written path to texts, newest first."""
    return map_strings(document["$vault"].get("former", {}), keys.fields.open)


ENVELOPE = {"format": an_integer, "id": an_id, "kind": a_kind, "schema": an_integer, "revision": an_integer,
            "created_at": a_date, "updated_at": a_date, "key": a_string, "mac": bytes_of(32)}


def check_record(document, stem=None, trashed=False):
    if not isinstance(document, dict) or "$vault" not in document:
        raise Refused("record", "malformed", "not a record")
    envelope = document["$vault"]
    check_members(
        envelope, ENVELOPE, {
            "attachments": an_attachment_list, "deleted_at": a_date, "former": a_former_list, "requires": list},
        "record")
    if ("attachments" in envelope) != ("attachments" in envelope.get("requires", [])):
        raise Refused("record", "malformed", "a record says exactly then that it has attachments when it has some")
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
    """`roots`: first 8 bytes of a root's id to a Root that may open. Returns keys and opened members."""
    envelope = document["$vault"]
    root = roots.get(split_wrap(envelope["key"])[0])
    if root is None:
        raise Refused("wrap", "unknown-root", "wrapped under an unknown or retired root")
    record = id_bytes(envelope["id"])
    keys = RecordKeys(root.unwrap(root.data_wrap(record), envelope["key"]), vault, record)
    if not hmac.compare_digest(unb64(envelope["mac"], "record"), keys.mac_of(document)):
        raise Refused("record", "authentication-failed", "the record was changed")
    members = {name: item for name, item in document.items() if name != "$vault"}
    opened_former(document, keys)
    return keys, map_strings(members, lambda text: keys.fields.open(text) if is_token(text) else text)
