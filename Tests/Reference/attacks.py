"""Attacks on whole vaults: what somebody who may write to the folder does to it, and who must notice.

`bases()` gives two good vaults as {path: bytes}; `attacks()` yields one `Attack` each. `known` is the exit code of a check
on a machine that has seen the base before, `fresh` the one on a machine that never saw the vault; `layer` is who refuses.
"""

import agefile
import vaultdir
from badvectors import flipped, next_letter
from samples import CUSTOMER, LATER_ROOT, NOW, OLD_ROOT, PASSPHRASE, ROOT, SEALED, VAULT, former_tokens, identity
from vaultdir import CHECKPOINT_FILE
from vaultref import (
    Number, RecordKeys, Root, Seeded, b64, b64url, compact_time, date_text, id_bytes, id_text, make_record, pretty,
    tree_bytes, unb64)

SAVED = ".gitattributes", b"*.json text eol=lf\n*.jsonl text eol=lf\nslots/*.age binary\n"
DAMAGED, UNEXPECTED = 13, 16
FIRST, SECOND, GADGET, GONE = (id_text(bytes([first]) + bytes(range(15))) for first in (0x0a, 0x0b, 0x1c, 0x2d))
EARLIER, LATER = NOW - 86400, NOW + 86400


class Attack:
    def __init__(self, name, layer, description, changes, known=DAMAGED, fresh=None, base="plain"):
        self.name, self.layer, self.description, self.base = name, layer, description, base
        self.known, self.fresh = known, known if fresh is None else fresh
        self.changes = {path: data if isinstance(data, bytes) or data is None else pretty(data)
                        for path, data in changes.items()}


def path(record, trashed=False):
    return f"trash/{record}.json" if trashed else f"records/{record[:2]}/{record}.json"


# Good vaults

def record(id_of, root, revision=1, kind="customer", members=None, sealed=None, seed="", **envelope):
    members, sealed = members or {**CUSTOMER, "name": f"Customer {id_of[:2]}"}, sealed or SEALED
    at = date_text(NOW)
    return make_record(
        members, sealed, {"id": id_of, "kind": kind, "schema": Number("1"), "revision": Number(str(revision)),
                          "created_at": at, "updated_at": at, **envelope},
        root, Seeded(f"attack {id_of} {revision} {seed}"), Seeded(f"data key {id_of} {seed}")(32))


def gadget(**changes):
    return record(GADGET, ROOT, kind="gadget", members={"count": Number("3"), "name": "Gadget", "pin": "0000", **changes},
                  sealed={("pin",): compact_time(NOW)})


def entry(root, reason, state):
    common = {"id": b64url(root.id), "commitment": b64(root.commitment), "created_at": date_text(EARLIER),
              "replaced_at": date_text(NOW), "reason": reason, "state": state}
    wrap = {"wrap": ROOT.wrap(ROOT.root_wrap(root.id), root.key, Seeded(f"keyring {reason}"))}
    return {**common, **(wrap if state == "open-only" else {})}


def slot_files(root=ROOT, recipient=None):
    payload = vaultdir.slot_payload(root)
    yield "identity", recipient or identity().recipient, agefile.seal_x25519(
        payload, recipient or identity().recipient, Seeded("attack slot"))
    yield "passphrase", None, agefile.seal_scrypt(payload, PASSPHRASE, 10, Seeded("attack slot"))


def slots(files):
    for label, recipient, file in files:
        yield {"id": id_text(Seeded(f"attack slot {label}")(16)), "label": label, "created_at": date_text(NOW),
               "kind": "x25519" if recipient else "scrypt", "sha256": vaultdir.sha256_hex(file),
               **({"recipient": recipient} if recipient else {})}


def header(root=ROOT, revision=3, keyring=None, files=None, **changes):
    at, document = date_text(NOW), {
        "format": Number("1"), "id": id_text(root.vault), "created_at": date_text(EARLIER), "kinds": {},
        "revision": Number(str(revision)), "slots": list(slots(files or list(slot_files(root)))),
        "root": {"id": b64url(root.id), "commitment": b64(root.commitment), "created_at": date_text(NOW)},
        "keyring": [entry(LATER_ROOT, "reseal", "retired"), entry(OLD_ROOT, "rewrap", "open-only")]
        if keyring is None else keyring, **changes}
    return authenticated(document, vaultdir.header_mac, root)


def authenticated(document, mac_of, root):
    return {**document, "mac": b64(mac_of({name: item for name, item in document.items() if name != "mac"}, root))}


def checkpoint(records, sequence=2, root=ROOT, of=None):
    listed = {item["$vault"]["id"]: [item["$vault"]["revision"], item["$vault"]["mac"]] for item in records}
    members = {"format": Number("1"), "sequence": Number(str(sequence)), "created_at": date_text(NOW),
               "previous": "ab" * 32 if sequence > 1 else None,
               "header": vaultdir.sha256_hex(tree_bytes(of or header()))}
    return vaultdir.make_checkpoint(members, listed, root)


def plain_records():
    removed = {"deleted_at": date_text(NOW)}
    return [record(FIRST, ROOT, 2), record(SECOND, OLD_ROOT, 1), gadget(), record(GONE, ROOT, 2, **removed)]


def vault(document, records, point, files=None):
    tree = {SAVED[0]: SAVED[1], "vault.json": pretty(document), CHECKPOINT_FILE: point.data}
    for slot, (_, _, file) in zip(document["slots"], files or list(slot_files())):
        tree[f"slots/{slot['id']}.age"] = file
    for item in records:
        envelope = item["$vault"]
        tree[path(envelope["id"], "deleted_at" in envelope)] = pretty(item)
    return tree


def resealing_header():
    return header(revision=4, keyring=[entry(OLD_ROOT, "reseal", "open-only")])


def resealing_records():
    """A reseal that was interrupted: the first record is done, the second waits under the older root."""
    return [record(FIRST, ROOT, 3, seed="resealed"), record(SECOND, OLD_ROOT, 1)]


def changed_record():
    """A record whose access key was replaced twice, and its ATM code once."""
    key = Seeded(f"data key {FIRST} ")(32)
    before = {"access_key": former_tokens("battery staple", "horse battery", data_key=key, record=id_bytes(FIRST)),
              "atm_code": former_tokens("0815", data_key=key, record=id_bytes(FIRST))}
    return record(FIRST, ROOT, 3, former=before)


def changed_records():
    return [changed_record(), *plain_records()[1:]]


def bases():
    resealing = resealing_header()
    return {
        "changed": vault(header(), changed_records(), checkpoint(changed_records())),
        "plain": vault(header(), plain_records(), checkpoint(plain_records())),
        "resealing": vault(resealing, resealing_records(), checkpoint(resealing_records(), of=resealing))}


# Attacks on records

def with_members(document, **members):
    return {**document, **members}


def with_envelope(document, **members):
    return {**document, "$vault": {**document["$vault"], **members}}


def without(document, name):
    return {key: item for key, item in document.items() if key != name}


def sealed_by(root, id_of, text, vault_id=VAULT):
    """A token made by somebody who has another record's data key."""
    return RecordKeys(Seeded("stolen")(32), vault_id, id_bytes(id_of)).fields.seal(
        text, compact_time(NOW), Seeded("stolen token"))


def token_attacks(first, second):
    token = first["access_key"]
    prefix, box = token.rsplit(":", 1)
    change = lambda text: {path(FIRST): with_members(first, access_key=text)}
    yield "tokens-swapped", "two tokens of one record change places", {
        path(FIRST): with_members(first, access_key=first["atm_code"], atm_code=first["access_key"])}
    yield "token-of-another-record", "a token is copied from another record", change(second["access_key"])
    yield "token-of-another-vault", "a token is copied from another vault", change(
        sealed_by(ROOT, FIRST, "mine", Seeded("other vault")(16)))
    yield "token-clear-text", "a token is replaced by clear text", change("correct horse")
    yield "token-unknown-prefix", "a token of a version that is not there", change("es2" + token[3:])
    yield "token-base64", "unused bits of the base64 are set", change(f"{prefix}:{next_letter(box.rstrip('='), -1)}" + "=" * (
        len(box) - len(box.rstrip("="))))
    yield "token-short-tag", "the tag is cut to 12 bytes", change(f"{prefix}:{b64(unb64(box)[:-4])}")
    yield "token-flipped", "one bit of the sealed text changes", change(f"{prefix}:{flipped(box, 12)}")
    yield "token-removed", "a token is taken out", {path(FIRST): without(first, "atm_code")}
    yield "token-sealed-at", "the time of sealing is changed", change(token.replace("T014028Z", "T014029Z"))


def member_attacks(first, gadget_record):
    yield "member-changed", "a readable field is changed", {path(FIRST): with_members(first, name="Mallory")}
    yield "member-renamed", "a member gets another name", {
        path(FIRST): with_members(without(first, "name"), nome=first["name"])}
    yield "member-moved", "a member moves into an object", {path(FIRST): with_members(
        without(first, "name"), address={**first["address"], "name": first["name"]})}
    yield "member-added", "a member is added", {path(FIRST): with_members(first, website="https://evil.example")}
    text = pretty(first).decode()
    yield "member-duplicated", "a member stands there twice", {
        path(FIRST): text.replace('  "name" : ', '  "name" : "Mallory",\n  "name" : ').encode()}
    yield "member-twins", "a member stands there in two spellings of Unicode", {
        path(FIRST): text.replace('  "name" : ', '  "caf\u00e9" : 1,\n  "cafe\u0301" : 2,\n  "name" : ').encode()}
    yield "number-literal", "a number is written in another way", {
        path(GADGET): with_members(gadget_record, count=Number("3.0"))}
    yield "number-type", "a number becomes text", {path(GADGET): with_members(gadget_record, count="3")}


def envelope_attacks(first, second):
    for name, description, members in (
            ("kind-changed", "the record gets another kind", {"kind": "secure-note"}),
            ("schema-changed", "the record gets another schema", {"schema": Number("2")}),
            ("revision-raised", "the revision is raised by hand", {"revision": Number("9")}),
            ("format-old", "a format before the first", {"format": Number("0")}),
            ("format-future", "a format of the future", {"format": Number("2")}),
            ("wrap-of-another-record", "the wrap of another record", {"key": second["$vault"]["key"]}),
            ("mac-of-another-record", "the MAC of another record", {"mac": second["$vault"]["mac"]}),
            ("mac-removed", "an empty MAC", {"mac": ""})):
        yield name, description, {path(FIRST): with_envelope(first, **members)}


def place_attacks(first, second):
    other = id_text(bytes([0x0a]) + bytes(range(100, 115)))
    yield "record-renamed", "a record takes another id's file name", {path(FIRST): None, path(other): first}
    yield "record-copied", "a record is copied to another id's file name", {path(other): first}
    yield "record-over-another", "a record is copied over another", {path(SECOND): first}
    yield "record-in-another-folder", "a record lies in another folder", {
        path(FIRST): None, f"records/ff/{FIRST}.json": first}
    yield "stray-file", "a file that does not belong there", {"records/0a/notes.txt": b"hello\n"}
    yield "live-into-trash", "a live record is moved to the trash", {path(FIRST): None, path(FIRST, True): first}
    yield "trashed-among-records", "a removed record is moved back as it is", {
        path(GONE, True): None, path(GONE): plain_records()[3]}
    yield "twins-of-one-revision", "a record and a removed one of the same revision", {
        path(FIRST, True): record(FIRST, ROOT, 2, deleted_at=date_text(NOW))}


def former_attacks():
    first = changed_record()
    before = first["$vault"]["former"]
    newer, older = before["access_key"]
    left = lambda **lists: {path(FIRST): with_envelope(first, former={**before, **lists})}
    yield "former-moved", "a former value is moved to another field", left(
        access_key=[newer], atm_code=[older, *before["atm_code"]])
    yield "former-reordered", "two former values change places", left(access_key=[older, newer])
    yield "former-dropped", "a former value is taken out", left(access_key=[older])
    yield "former-all-dropped", "all former values are taken out", {
        path(FIRST): {**first, "$vault": without(first["$vault"], "former")}}
    yield "former-repeated", "a former value stands under a second field", left(atm_code=[*before["atm_code"], older])
    yield "former-twice", "a former value stands twice in its list", left(access_key=[newer, older, newer])
    yield "former-brought-back", "a former value and the present one change places", {
        path(FIRST): with_members(with_envelope(first, former={**before, "access_key": [first["access_key"], older]}),
                                  access_key=newer)}
    yield "former-of-another-record", "a token of another record becomes a former value", left(
        access_key=[plain_records()[1]["access_key"]])


def retired_attacks():
    yield "retired-root", "a record under a root key that is retired, made by somebody who kept it", {
        path(FIRST): record(FIRST, LATER_ROOT, 9, seed="retired")}
    yield "unknown-root", "a record under a root key that the vault never had", {
        path(FIRST): record(FIRST, Root(Seeded("mallory")(32), VAULT), 9, seed="unknown")}


def record_attacks():
    first, second, third, _ = plain_records()
    for name, description, changes in (
            *token_attacks(first, second), *member_attacks(first, third), *envelope_attacks(first, second),
            *retired_attacks()):
        yield Attack(name, "record", description, changes)
    for name, description, changes in former_attacks():
        yield Attack(name, "record", description, changes, base="changed")
    for name, description, changes in place_attacks(first, second):
        yield Attack(name, "directory", description, changes)
    yield Attack("resealing-retired-record", "checkpoint",
                 "while a reseal is unfinished, a new record under the older root that its checkpoint does not list",
                 {path(SECOND): record(SECOND, OLD_ROOT, 9, seed="by who left")}, base="resealing")


# Attacks on history: everything in them is authentic

def history_attacks():
    older = record(FIRST, ROOT, 1)
    for name, layer, description, changes, fresh in (
            ("record-rolled-back", "seen", "an older state of a record", {path(FIRST): older}, UNEXPECTED),
            ("record-forked", "seen", "another version of the same revision",
             {path(FIRST): record(FIRST, ROOT, 2, members={**CUSTOMER, "name": "Forked"})}, UNEXPECTED),
            ("record-vanished", "seen", "a record is deleted", {path(FIRST): None}, UNEXPECTED),
            ("removed-record-brought-back", "seen", "a removed record comes back in its older state",
             {path(GONE): record(GONE, ROOT, 1), path(GONE, True): None}, UNEXPECTED),
            ("planted-journal", "seen", "a journal that removes a record",
             {".journal.json": {"entries": [{"path": path(FIRST), "staged": "remove"}]}}, UNEXPECTED),
            ("header-rolled-back", "pin", "an older header", {"vault.json": header(revision=2)}, 0),
            ("header-forked", "pin", "another header of the same revision",
             {"vault.json": header(created_at=date_text(NOW))}, 0),
            ("checkpoint-removed", "pin", "the checkpoint is deleted", {CHECKPOINT_FILE: None}, 0),
            ("checkpoint-rolled-back", "pin", "an older checkpoint",
             {CHECKPOINT_FILE: checkpoint(plain_records(), 1).data}, 0)):
        yield Attack(name, layer, description, changes, UNEXPECTED, fresh)
    yield Attack("former-rolled-back", "seen", "an older state of a record, with a former value less",
                 {path(FIRST): record(FIRST, ROOT, 2)}, UNEXPECTED, base="changed")


# Attacks on keys

def rebuilt(root, description, name):
    """A whole vault of somebody else, for the recipient of the user, at the same path."""
    new = header(root, revision=9, keyring=[])
    files = list(slot_files(root))
    changes = dict.fromkeys(bases()["plain"])
    records = [record(FIRST, root, 2, seed="rebuilt")]
    changes.update(vault(new, records, checkpoint(records, 9, root, new), files))
    return Attack(name, "pin", description, changes, UNEXPECTED, 0)


def key_attacks():
    mallory = agefile.Identity(Seeded("mallory")(32))
    other_root = Root(Seeded("other root")(32), VAULT)
    good, files = header(), list(slot_files())
    evil = agefile.seal_x25519(vaultdir.slot_payload(other_root), mallory.recipient, Seeded("evil slot"))
    evil_slot = {**good["slots"][0], "id": id_text(Seeded("evil slot")(16)), "label": "backup",
                 "recipient": mallory.recipient, "sha256": vaultdir.sha256_hex(evil)}
    slot_path = lambda number: f"slots/{good['slots'][number]['id']}.age"
    foreign = agefile.seal_x25519(
        vaultdir.slot_payload(Root(ROOT.key, Seeded("foreign")(16))), identity().recipient, Seeded("foreign slot"))
    changed = lambda **members: {"vault.json": {**good, **members}}
    named = lambda number, file: {**good["slots"][number], "sha256": vaultdir.sha256_hex(file)}
    yield "slot-recipient-added", "header", "a recipient of the attacker is put into the header", {
        **changed(slots=good["slots"] + [evil_slot]), f"slots/{evil_slot['id']}.age": evil}
    yield "slot-recipient-replaced", "header", "the recipient of a slot is replaced", changed(
        slots=[good["slots"][0], {**evil_slot, "id": good["slots"][1]["id"]}])
    yield "slot-list-cut", "header", "a slot is taken out of the list", changed(slots=good["slots"][:1])
    yield "slot-label-changed", "header", "a label is changed", changed(
        slots=[{**good["slots"][0], "label": "trust me"}, good["slots"][1]])
    yield "slot-of-another-vault", "slot", "the slot file of another vault", {slot_path(0): foreign}
    yield "slot-of-another-vault-named", "slot", "the same, and the header names it", {
        slot_path(0): foreign, **changed(slots=[named(0, foreign), good["slots"][1]])}
    yield "slot-removed", "slot", "the file of a slot is deleted", {slot_path(1): None}
    for factor in ("0", "1", "030", "23", "9" * 64):
        file = files[1][2].replace(b" 10\n", f" {factor}\n".encode(), 1)
        yield f"slot-work-factor-{factor[:3]}", "slot", "a slot that would cost nothing, or everything", {
            slot_path(1): file, **changed(slots=[good["slots"][0], named(1, file)])}
    yield "header-format-future", "header", "a header of the future", changed(format=Number("2"))
    yield "header-kind-declared", "header", "a declared kind is put into the header", changed(
        kinds={"wifi": {"type": "object", "properties": {}}})


def keyring_attacks():
    good = header()
    retired, open_only = good["keyring"]
    for name, description, entries in (
            ("keyring-cut", "the keyring loses its entries", []),
            ("keyring-revived", "a retired root is declared open-only",
             [{**retired, "state": "open-only", "wrap": open_only["wrap"]}, open_only]),
            ("keyring-reason", "a reseal is declared a rewrap", [{**retired, "reason": "rewrap"}, open_only]),
            ("keyring-commitment", "an entry commits to another root",
             [retired, {**open_only, "commitment": b64(ROOT.commitment)}])):
        yield Attack(name, "header", description, {"vault.json": {**good, "keyring": entries}})


def checkpoint_attacks():
    good = checkpoint(plain_records())
    fewer = [item for item in good.items if item[0] != FIRST]
    items = vaultdir.sha256_hex(vaultdir.lines_of(fewer))
    for name, description, listing in (
            ("checkpoint-line", "a record's line is taken out of the checkpoint", vaultdir.Listing(good.head, fewer)),
            ("checkpoint-edited", "the same, and the hash of the lines is made to fit",
             vaultdir.Listing({**good.head, "items": items}, fewer)),
            ("checkpoint-of-retired-root", "a checkpoint made under a retired root",
             checkpoint(plain_records(), 3, LATER_ROOT)),
            ("checkpoint-sequence", "the sequence is raised by hand",
             vaultdir.Listing({**good.head, "sequence": Number("9")}, good.items))):
        yield Attack(name, "checkpoint", description, {CHECKPOINT_FILE: listing.data})


    yield Attack("checkpoint-of-leaving-root", "checkpoint",
                 "while a reseal is unfinished, a checkpoint under the older root, made by somebody who left",
                 {CHECKPOINT_FILE: checkpoint(resealing_records(), 3, OLD_ROOT, resealing_header()).data}, base="resealing")


def attacks():
    yield from record_attacks()
    yield from history_attacks()
    for name, layer, description, changes in key_attacks():
        yield Attack(name, layer, description, changes)
    yield from keyring_attacks()
    yield from checkpoint_attacks()
    yield rebuilt(Root(Seeded("rebuilt")(32), VAULT), "the whole vault rebuilt for the user's recipient, same id",
                  "vault-rebuilt")
    yield rebuilt(Root(Seeded("new vault")(32), Seeded("new vault id")(16)), "another vault at the known path",
                  "vault-replaced")


def in_json(tree):
    """{path: text, or base64 of a slot or an attachment, or null}."""
    is_binary = lambda name: name.endswith(".age") or name.startswith("attachments/")
    return {name: data if data is None else {"base64": b64(data)} if is_binary(name) else data.decode()
            for name, data in sorted(tree.items())}
