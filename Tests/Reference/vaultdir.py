"""Whole vaults in a directory: `Vault.create`, `Vault.open`, `put`, `change`, `remove`, `read_all`.

This is docs/format-v1.md, sections 3, Directory, 7, Header, 8, Checkpoint, 9, Reading, and 15, Attachments.

Reads everything and trusts nothing. Writes plainly, without locks and fsync: it makes test vaults, not real ones.
"""

import hashlib
import hmac
import os
import re
import stat

import agefile
import deposits
import former
from vaultref import (
    ATTACHMENT_BYTE_LIMIT, BUILT_IN_KINDS, CHECKPOINT_BYTE_LIMIT, FILE_BYTE_LIMIT, KIND_NAME, SLOT_BYTE_LIMIT, Number, Refused, Root, a_date,
    a_former_count, a_root_id, a_string, an_id, an_integer, b64, b64url, bytes_of, check_members, check_record, compact,
    compact_time, date_text, enc, expect, id_bytes, id_text, is_token, mac, make_record, open_record,
    opened_former, parse, pretty, split_wrap, stored_size, tree_bytes, unb64,
    unb64url)

CHECKPOINT_FILE = "checkpoint.jsonl"
SHA256_TEXT = re.compile(r"[0-9a-f]{64}")


def sha256_hex(data):
    return hashlib.sha256(data).hexdigest()


# Header and checkpoint: checks and MACs

def a_list(value): expect(isinstance(value, list))
def an_object(value): expect(isinstance(value, dict))
def a_hash(value): expect(SHA256_TEXT.fullmatch(value))


def recipient_kind(value):
    """The kind of slot that a recipient has (section 7, Header)."""
    try:
        prefix = value.rpartition("1")[0]
        data = agefile.unbech32(prefix, value)
    except agefile.AgeFault:
        return None
    sizes = {"age": ("x25519", 32), "age1pq": ("mlkem768x25519", 1216)}
    if prefix in sizes:
        kind, size = sizes[prefix]
        return kind if len(data) == size else None
    return "plugin" if re.fullmatch(r"age1[a-z0-9+._-]+", prefix) else None


def a_recipient(value): expect(isinstance(value, str) and recipient_kind(value))


def one_of(*words): return lambda value: expect(value in words)


HEADER = {"format": an_integer, "id": an_id, "created_at": a_date, "revision": an_integer, "root": an_object,
          "keyring": a_list, "slots": a_list, "kinds": an_object, "mac": bytes_of(32)}
ROOT = {"id": a_root_id, "commitment": bytes_of(32), "created_at": a_date}
ENTRY = {**ROOT, "replaced_at": a_date, "reason": one_of("rewrap", "reseal"), "state": one_of("open-only", "retired")}
# The type of stanza of each kind of slot; a plugin chooses its own.
KINDS = {"x25519": "X25519", "mlkem768x25519": "mlkem768x25519", "plugin": None, "scrypt": "scrypt"}
SLOT = {"id": an_id, "label": a_string, "kind": one_of(*KINDS), "created_at": a_date, "sha256": a_hash}
CHECKPOINT = {"format": an_integer, "sequence": an_integer, "created_at": a_date,
              "previous": lambda value: value is None or a_hash(value), "header": a_hash, "root": a_root_id,
              "items": a_hash, "mac": bytes_of(32)}


def check_header(header):
    check_members(header, HEADER, {"deposit": deposits.check_keys, "former": a_former_count, "requires": list}, "header")
    check_members(header["root"], ROOT, {}, "header")
    for entry in header["keyring"]:
        check_members(entry, ENTRY, {"wrap": split_wrap}, "keyring")
        if ("wrap" in entry) != (entry["state"] == "open-only"):
            raise Refused("keyring", "malformed", "an entry that opens has a wrap, a retired one has none")
    for slot in header["slots"]:
        check_members(slot, SLOT, {"recipient": a_recipient}, "header")
        if slot["kind"] != (recipient_kind(slot["recipient"]) if "recipient" in slot else "scrypt"):
            raise Refused("header", "malformed", "the recipient is not of the kind of the slot")
    hints = [unb64url(item["id"])[:8] for item in [header["root"]] + header["keyring"]]
    ids, recipients = ([slot[name] for slot in header["slots"] if name in slot] for name in ("id", "recipient"))
    if not ids or any(len(set(group)) != len(group) for group in (hints, ids, recipients)):
        raise Refused("header", "malformed", "no slot, or something twice")
    for name, schema in header["kinds"].items():
        if not KIND_NAME.fullmatch(name) or name in BUILT_IN_KINDS or not isinstance(schema, dict):
            raise Refused("header", "malformed", "a declared kind has another form")


def document_mac(document, root, label, key_name):
    tree = tree_bytes({name: item for name, item in document.items() if name != "mac"})
    return mac(root.mac_key(key_name), enc(label, root.vault, tree))


def header_mac(header, root): return document_mac(header, root, "ecv/1/header", "header")
def checkpoint_mac(head, root): return document_mac(head, root, "ecv/1/checkpoint", "checkpoint")


# Lists: a head and items, one a line

class Listing:
    """A list: `head` (dict), `items` (arrays); `data` is its file."""

    def __init__(self, head, items):
        self.head, self.items = head, items

    @classmethod
    def made(cls, members, items, root, mac_of):
        head = {**members, "items": sha256_hex(lines_of(items)), "root": b64url(root.id)}
        return cls({**head, "mac": b64(mac_of(head, root))}, items)

    @classmethod
    def parsed(cls, data, layer, limit):
        if len(data) > limit:
            raise Refused("json", "too-large", "over its limit")
        first, line_feed, rest = data.partition(b"\n")
        try:
            head = parse(first)
        except Refused:
            head = None
        if isinstance(head, dict) and isinstance(head.get("format"), Number) and head["format"] != Number("1"):
            raise Refused(layer, "unknown-format", "written by a newer version")
        if not isinstance(head, dict) or compact(head) != first or not line_feed or rest and not rest.endswith(b"\n"):
            raise Refused(layer, "malformed", "a line of another form")
        items = [parse(line) for line in rest.split(b"\n")[:-1]]
        if lines_of(items) != rest or head.get("items") != sha256_hex(rest):
            raise Refused(layer, "malformed", "other lines than the first one says")
        return cls(head, items)

    @property
    def data(self): return compact(self.head) + b"\n" + lines_of(self.items)

    @property
    def hash(self):
        return sha256_hex(tree_bytes({name: item for name, item in self.head.items() if name not in ("mac", "root")}))


def lines_of(items): return b"".join(compact(item) + b"\n" for item in items)


def make_checkpoint(members, versions, root):
    """`versions`: record id to [revision, mac]."""
    items = [[record, *versions[record]] for record in sorted(versions)]
    return Listing.made(members, items, root, checkpoint_mac)


def check_checkpoint(listing, roots):
    """`roots`: first 8 bytes of a root's id to a Root that may open."""
    head = listing.head
    check_members(head, CHECKPOINT, {}, "checkpoint")
    last = ""
    for item in listing.items:
        try:
            record, revision, mac_text = item
            id_bytes(record), an_integer(revision), bytes_of(32)(mac_text), expect(record > last)
        except (Refused, TypeError, ValueError):
            raise Refused("checkpoint", "malformed", "a line of the list has another form") from None
        last = record
    root_id = unb64url(head["root"])
    root = roots.get(root_id[:8])
    if root is None or root.id != root_id:
        raise Refused("checkpoint", "unknown-root", "made under an unknown or retired root")
    if not hmac.compare_digest(unb64(head["mac"]), checkpoint_mac(head, root)):
        raise Refused("checkpoint", "authentication-failed", "the checkpoint was changed")


def versions_of(checkpoint):
    """Record id to [revision, mac]."""
    return {item[0]: item[1:] for item in checkpoint.items} if checkpoint else {}


def check_rollback(record, revision, mac_text, known):
    if known and (revision < int(known[0].literal) or revision == int(known[0].literal) and mac_text != known[1]):
        raise Refused("checkpoint", "rolled-back", "older than the checkpoint, or another version of the same revision")


# Slots

def slot_payload(root):
    return (f"ecv-root 1\nvault {id_text(root.vault)}\nkey {b64url(root.id)}\nroot {b64(root.key)}\n").encode()


def parse_slot_payload(data):
    match = re.fullmatch(rb"ecv-root 1\nvault ([0-9a-f-]{36})\nkey (.{22})\nroot (.{44})\n", data)
    if not match:
        raise Refused("slot", "malformed", "the slot holds something else")
    vault, root_id, key = (part.decode("ascii", "replace") for part in match.groups())
    root = Root(unb64(key, "slot"), id_bytes(vault))
    if unb64url(root_id, "slot") != root.id:
        raise Refused("slot", "wrong-root", "the root key is not the one that the slot names")
    return root


def inspect_slot(file, sha256, kind=None, maximum_work_factor=20):
    """The checks of section 4.2, Slots, that need no key. Without a kind the stanza is of any kind but a plugin's."""
    if len(file) > SLOT_BYTE_LIMIT:
        raise Refused("slot", "too-large", "too large for a slot")
    stanzas = agefile.parse_header(file)[0]
    arguments = stanzas[0][0]
    if kind == "plugin":
        is_right = arguments[0] != "scrypt"
    else:
        is_right = arguments[0] in ([KINDS[kind]] if kind else KINDS.values())
    if len(stanzas) != 1 or not is_right:
        raise Refused("slot", "hidden-recipient", "more than one stanza, or one of another type")
    if arguments[0] == "scrypt":
        factor = arguments[2] if len(arguments) == 3 and re.fullmatch("[1-9][0-9]?", arguments[2]) else "0"
        if not 10 <= int(factor) <= maximum_work_factor:
            raise Refused("slot", "work-factor", "the work factor is out of range")
    if sha256_hex(file) != sha256:
        raise Refused("slot", "wrong-hash", "differs from what the header names")


def open_slot(file, sha256, identities=(), passphrase=None, maximum_work_factor=20, kind=None):
    """Section 4.2, Slots, in its order. Returns the Root."""
    try:
        inspect_slot(file, sha256, kind, maximum_work_factor)
        return parse_slot_payload(agefile.open_file(file, identities, passphrase))
    except agefile.AgeFault as fault:
        raise Refused("slot", fault.kind, str(fault)) from None


def match_header(root, vault_id, root_id):
    if root.vault != id_bytes(vault_id):
        raise Refused("slot", "wrong-vault", "the slot belongs to another vault")
    if root.id != unb64url(root_id):
        raise Refused("slot", "wrong-root", "the slot holds another root key than the header names")


# A vault

class Vault:
    """An open vault: `path`, `header` (tree), `root`, `roots` that may open, `checkpoint` (tree or None).

    `file` names what was read last; `resealing` holds the hints of roots under which only what the
    checkpoint lists counts.
    """

    file, resealing = "vault.json", frozenset()

    @classmethod
    def create(cls, path, rand, seconds, recipients=(), passphrase=None, work_factor=18, labels=(), former_count=None):
        self = cls()
        self.path, self.rand, self.checkpoint = str(path), rand, None
        self.root = Root(rand(32), rand(16))
        self.roots = {self.root.id[:8]: self.root}
        self.now = seconds
        os.makedirs(self._at("slots"), 0o700)
        for name in ("records", "trash"):
            os.mkdir(self._at(name), 0o700)
        at = date_text(seconds)
        self.header = {
            "format": Number("1"), "id": id_text(self.root.vault), "created_at": at, "revision": Number("1"),
            "root": {"id": b64url(self.root.id), "commitment": b64(self.root.commitment), "created_at": at},
            "keyring": [], "slots": [], "kinds": {}}
        if former_count is not None:
            self.header["former"] = Number(str(former_count))
        for index, recipient in enumerate(list(recipients) + ([None] if passphrase is not None else [])):
            self.add_slot(recipient, passphrase, work_factor, labels[index] if index < len(labels) else "")
        self.write_header()
        self._write(".gitattributes", b"*.json text eol=lf\n*.jsonl text eol=lf\nslots/*.age binary\n")
        self._write(".gitignore", b".lock\n.staging/\n.journal.json\n")
        return self

    def add_slot(self, recipient, passphrase, work_factor, label):
        payload = slot_payload(self.root)
        file = agefile.seal(payload, recipient, self.rand) if recipient else agefile.seal_scrypt(
            payload, passphrase, work_factor, self.rand)
        kind = agefile.parse_recipient(recipient)[0] if recipient else "scrypt"
        slot = {"id": id_text(self.rand(16)), "label": label, "kind": kind, "created_at": date_text(self.now), "sha256": sha256_hex(file)}
        self.header["slots"].append({**slot, "recipient": recipient} if recipient else slot)
        self._write(f"slots/{slot['id']}.age", file)

    def write_header(self):
        name = "mlkem768x25519"
        names = {*self.header.pop("requires", [])} - {name}
        names |= {slot["kind"] for slot in self.header["slots"]} & {name}
        names |= deposits.recipient_kinds(self.header) & {name}
        if names:
            self.header["requires"] = sorted(names)
        self.header["mac"] = b64(header_mac(self.header, self.root))
        check_header(self.header)
        self._write("vault.json", pretty(self.header))

    def put(self, kind, members, sealed_paths, record=None, schema=1):
        """Writes a new record; returns its id. `sealed_paths`: tuples of member names."""
        at, record = date_text(self.now), record or id_text(self.rand(16))
        envelope = {"id": record, "kind": kind, "schema": Number(str(schema)), "revision": Number("1"),
                    "created_at": at, "updated_at": at}
        sealed = {path: compact_time(self.now) for path in sealed_paths}
        self._write(f"records/{record[:2]}/{record}.json", pretty(make_record(members, sealed, envelope, self.root,
            self.rand)))
        return record

    def change(self, record, values):
        """Seals new texts in a live record. `values`: tuples of member names to texts; None removes a member."""
        path = f"records/{record[:2]}/{record}.json"
        document = parse(self._read(path))
        keys, _ = open_record(document, self.roots, self.root.vault)
        envelope = document.pop("$vault")
        old = parse(compact(document))
        for (*holders, name), text in values.items():
            holder = document
            for step in holders:
                holder = holder[step]
            holder.pop(name, None)
            if text is not None:
                holder[name] = keys.fields.seal(text, compact_time(self.now), self.rand)
        limit = int(self.header["former"].literal) if "former" in self.header else former.DEFAULT_COUNT
        same = lambda one, other: keys.fields.open(one) == keys.fields.open(other)
        kept = former.following(envelope.pop("former", {}), old, document, same, limit)
        document["$vault"] = {**envelope, **({"former": kept} if kept else {})}
        self._write_next(path, document, keys)

    def _write_next(self, path, document, keys):
        envelope = document["$vault"]
        envelope["revision"] = Number(str(int(envelope["revision"].literal) + 1))
        envelope["updated_at"] = date_text(self.now)
        envelope["mac"] = b64(keys.mac_of(document))
        self._write(path, pretty(document))

    def attach(self, record, name, content):
        """Attaches `content` (bytes) to a live record; returns the attachment's id."""
        path = f"records/{record[:2]}/{record}.json"
        document = parse(self._read(path))
        keys, _ = open_record(document, self.roots, self.root.vault)
        envelope, attachment = document["$vault"], id_text(self.rand(16))
        stored = agefile.seal_payload(content, keys.attachment_key(id_bytes(attachment)))
        self._write(f"attachments/{attachment[:2]}/{attachment}", stored)
        envelope["requires"] = ["attachments"]
        envelope.setdefault("attachments", {})[attachment] = {
            "name": name, "size": Number(str(len(content))), "sha256": sha256_hex(stored)}
        self._write_next(path, document, keys)
        if "attachments" not in self.header.get("requires", []):
            self.header["requires"] = sorted([*self.header.get("requires", []), "attachments"])
            self.header["revision"] = Number(str(int(self.header["revision"].literal) + 1))
            self.write_header()
        return attachment

    def read_attachments(self, keys, envelope):
        """Section 15, Attachments: content by id, of each that a verified record names."""
        contents, record_file = {}, self.file
        for attachment, members in envelope.get("attachments", {}).items():
            self.file = f"attachments/{attachment[:2]}/{attachment}"
            size = int(members["size"].literal)
            stored = self._read(self.file, stored_size(ATTACHMENT_BYTE_LIMIT))
            if len(stored) != stored_size(size) or sha256_hex(stored) != members["sha256"]:
                raise Refused("attachment", "wrong-hash", "is not the file that the record names")
            try:
                contents[attachment] = agefile.open_payload(stored, keys.attachment_key(id_bytes(attachment)))
            except agefile.AgeFault as fault:
                raise Refused("attachment", fault.kind, str(fault)) from None
            if len(contents[attachment]) != size:
                raise Refused("attachment", "wrong-size", "has another size than the record says")
        self.file = record_file
        return contents

    def remove(self, record):
        source = f"records/{record[:2]}/{record}.json"
        document = parse(self._read(source))
        keys, _ = open_record(document, self.roots, self.root.vault)
        document["$vault"]["deleted_at"] = date_text(self.now)
        self._write_next(f"trash/{record}.json", document, keys)
        os.remove(self._at(source))

    def write_checkpoint(self):
        previous = self.checkpoint
        records = {}
        for _, document, *_ in self._records():
            envelope = document["$vault"]
            records[envelope["id"]] = [envelope["revision"], envelope["mac"]]
        sequence = int(previous.head["sequence"].literal) + 1 if previous else 1
        self.checkpoint = make_checkpoint({
            "format": Number("1"), "sequence": Number(str(sequence)), "created_at": date_text(self.now),
            "previous": previous.hash if previous else None, "header": sha256_hex(tree_bytes(self.header))},
            records, self.root)
        self._write(CHECKPOINT_FILE, self.checkpoint.data)

    @classmethod
    def open(cls, path, identities=(), passphrase=None, maximum_work_factor=20):
        self = cls()
        self.unlock(path, identities, passphrase, maximum_work_factor)
        return self

    def unlock(self, path, identities=(), passphrase=None, maximum_work_factor=20):
        """Section 9, Reading. When it raises, `file` names the file at fault."""
        self.path, self.file = str(path), "vault.json"
        header = self.header = parse(self._read("vault.json"))
        check_header(header)
        recipients = [identity.recipient for identity in identities]
        slots = [slot for slot in header["slots"] if (
            slot["recipient"] in recipients if "recipient" in slot else passphrase is not None)]
        if not slots:
            raise Refused("slot", "no-slot", "the vault has no slot for this key")
        for slot in slots:  # several only for a passphrase: there is no telling which one it opens
            self.file = f"slots/{slot['id']}.age"
            try:
                root = open_slot(
                    self._read(self.file, SLOT_BYTE_LIMIT), slot["sha256"], identities, passphrase, maximum_work_factor,
                    slot["kind"])
                break
            except Refused:
                if slot is slots[-1]:
                    raise
        match_header(root, header["id"], header["root"]["id"])
        self.file, self.rand = "vault.json", os.urandom
        self.authenticate(root)
        self.checkpoint = None
        if os.path.lexists(self._at(CHECKPOINT_FILE)):
            self.file = CHECKPOINT_FILE
            data = self._read(self.file, CHECKPOINT_BYTE_LIMIT)
            self.checkpoint = Listing.parsed(data, "checkpoint", CHECKPOINT_BYTE_LIMIT)
            check_checkpoint(self.checkpoint, {
                hint: root for hint, root in self.roots.items() if hint not in self.resealing})

    def authenticate(self, root):
        """Believes the header, and opens its keyring, if `root` is the one that it commits to and MACed it."""
        match_header(root, self.header["id"], self.header["root"]["id"])
        if not hmac.compare_digest(root.commitment, unb64(self.header["root"]["commitment"])):
            raise Refused("header", "wrong-commitment", "the header names another root key")
        if not hmac.compare_digest(header_mac(self.header, root), unb64(self.header["mac"])):
            raise Refused("header", "authentication-failed", "the header was changed")
        self.root, self.roots, self.resealing = root, {root.id[:8]: root}, set()
        for entry in self.header["keyring"]:
            if entry["state"] == "open-only":
                older = unb64url(entry["id"])
                root = Root(self.root.unwrap(self.root.root_wrap(older), entry["wrap"]), self.root.vault)
                if root.id != older or not hmac.compare_digest(root.commitment, unb64(entry["commitment"])):
                    raise Refused("keyring", "wrong-root", "the entry holds another root key than it names")
                self.roots[older[:8]] = root
                if entry["reason"] == "reseal":
                    self.resealing.add(older[:8])

    def read_all(self):
        """Verifies every record, live and in the trash. Returns the live ones, opened, by id."""
        live, trashed = {}, {}
        for trash, document, opened, before in self._records():
            envelope = document["$vault"]
            revision = int(envelope["revision"].literal)
            (trashed if trash else live)[envelope["id"]] = (revision, {
                "id": envelope["id"], "kind": envelope["kind"], "revision": envelope["revision"], "record": opened,
                **({"former": before} if before else {})})
        for record in set(live) & set(trashed):
            self.file = f"trash/{record}.json"
            if live[record][0] == trashed[record][0]:
                raise Refused("directory", "twice", "the same revision is also among the records")
            if live[record][0] < trashed[record][0]:
                del live[record]
        return [live[record][1] for record in sorted(live)]

    def _records(self):
        """(in the trash?, tree, opened members, opened former values) of each record, verified; `file` names the one at
        work."""
        versions = versions_of(self.checkpoint)
        for trash, record, self.file in self._record_files():
            document = parse(self._read(self.file))
            check_record(document, record, trash)
            keys, opened = open_record(document, self.roots, self.root.vault)
            envelope = document["$vault"]
            hint = split_wrap(envelope["key"])[0]
            listed = versions.get(record)
            if hint in self.resealing and (
                    self.checkpoint is None or unb64url(self.checkpoint.head["root"]) != self.root.id
                    or listed != [envelope["revision"], envelope["mac"]]):
                raise Refused("checkpoint", "not-listed", "under an old root and not in the checkpoint of the reseal")
            check_rollback(record, int(envelope["revision"].literal), envelope["mac"], listed)
            self.read_attachments(keys, envelope)
            yield trash, document, opened, opened_former(document, keys)

    def _record_files(self):
        for folder in self._names("records"):
            if not re.fullmatch("[0-9a-f]{2}", folder):
                self.file = f"records/{folder}"
                raise Refused("directory", "stray-entry", "does not belong here")
            for name in self._names(f"records/{folder}"):
                yield False, self._stem(f"records/{folder}", name, folder), f"records/{folder}/{name}"
        for name in self._names("trash"):
            yield True, self._stem("trash", name, ""), f"trash/{name}"

    def _stem(self, folder, name, prefix):
        self.file = f"{folder}/{name}"
        try:
            expect(name.endswith(".json") and name.startswith(prefix)), id_bytes(name[:-5])
        except Refused:
            raise Refused("directory", "stray-entry", "does not belong here") from None
        return name[:-5]

    def read_deposits(self):
        """(payload, data key of its record) of each deposit, by id."""
        known, found = deposits.identities(self.header["deposit"], self.root), []
        for name in self._names("inbox"):
            self.file = f"inbox/{name}"
            file = self._read(self.file)
            found.append((deposits.open_deposit(file, name[:-4], self.root.vault, known),
                          deposits.data_key(self.header["deposit"], name[:-4], file, self.root)))
        return found

    def _names(self, folder):
        self.file, path = folder, self._at(folder)
        if not os.path.lexists(path):
            return []
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise Refused("directory", "stray-entry", "is no directory")
        return sorted(name for name in os.listdir(path) if not name.startswith("."))

    def _at(self, relative):
        return os.path.join(self.path, *relative.split("/"))

    def _write(self, relative, data):
        os.makedirs(os.path.dirname(self._at(relative)), 0o700, exist_ok=True)
        with open(os.open(self._at(relative), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)

    def _read(self, relative, limit=FILE_BYTE_LIMIT):
        """No link in any component below the vault, nothing but a regular file, at most `limit` bytes."""
        handle = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for index, name in enumerate(parts := relative.split("/")):
                flags = os.O_NONBLOCK if index == len(parts) - 1 else os.O_DIRECTORY
                inner = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | flags, dir_fd=handle)
                os.close(handle)
                handle = inner
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Refused("directory", "not-a-file", "is no regular file")
            with open(handle, "rb", closefd=False) as file:
                data = file.read(limit + 1)
        except OSError as error:
            raise Refused("directory", "unreadable", error.strerror) from None
        finally:
            os.close(handle)
        if len(data) > limit:
            raise Refused("directory", "too-large", "too many bytes")
        return data
