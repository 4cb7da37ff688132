"""The keys and documents from which vectors are made. All keys are published test values."""

import functools

import agefile
import deposits
import vaultdir
from vaultref import (
    Number, RecordKeys, Root, Seeded, b64, b64url, compact_time, date_text, id_text, make_record, tree_bytes)

NOW = 1795225228  # 2026-11-21T01:40:28Z
VAULT, RECORD, OTHER = bytes(range(16)), bytes(range(16, 32)), bytes(range(32, 48))
ROOT, OLD_ROOT, LATER_ROOT = (Root(bytes([first] * 32), VAULT) for first in (0x11, 0x22, 0x33))
DATA_KEY = bytes(range(64, 96))
APP_KEY = bytes(range(96, 128))
SEALED_AT = compact_time(NOW)
PASSPHRASE = b"vectors only"
CUSTOMER = {
    "access_key": "correct horse", "added_on": "2020-08-19T18:50:26Z",
    "address": {"city": "Albuquerque", "street": "3828 Piermont Drive", "zip": "87112"}, "atm_code": "0522",
    "contact_info": {"cellular_phone": "+44 7700 900100", "email": "customer1@example.com",
    "home_phone": "+1 212-555-1000"},
    "name": "Shai Mishali"}
SEALED = {("access_key",): SEALED_AT, ("atm_code",): SEALED_AT}


def envelope(record=RECORD, **changes):
    at = date_text(NOW)
    return {"id": id_text(record), "kind": "customer", "schema": Number("1"), "revision": Number("1"), "created_at": at,
            "updated_at": at, **changes}


def customer(record=RECORD, seed="record", data_key=DATA_KEY, root=ROOT, **changes):
    return make_record(CUSTOMER, SEALED, envelope(record, **changes), root, Seeded(seed), data_key)


def former_tokens(*texts, data_key=DATA_KEY, record=RECORD):
    """Values that were sealed one day after another, the last of them yesterday, and so the newest first."""
    keys = RecordKeys(data_key, VAULT, record).fields
    return [keys.seal(text, compact_time(NOW - 86400 * age), Seeded(f"former {text}"))
            for age, text in enumerate(texts, 1)]


def customer_with_former(record=RECORD, seed="record with former values", data_key=DATA_KEY, root=ROOT, **changes):
    """Two values of one member, and one of a member that is gone."""
    return customer(record, seed, data_key, root, **{
        "revision": Number("4"), "former": {
            "access_key": former_tokens("battery staple", "horse battery", data_key=data_key, record=record),
            "contact_info.pin": former_tokens("0815", data_key=data_key, record=record)}, **changes})


def identity():
    return agefile.Identity(Seeded("identity")(32))


@functools.cache
def hybrid_identity():
    return agefile.HybridIdentity(Seeded("hybrid identity")(32))


def slot_case(kind, file, **key):
    return {"kind": kind, **key, "file_base64": b64(file), "sha256": vaultdir.sha256_hex(file),
            "payload": vaultdir.slot_payload(ROOT).decode(), "vault_id": id_text(VAULT), "root_id": b64url(ROOT.id),
            "root_key_hex": ROOT.key.hex()}


def recipient_slot(kind, identity):
    return slot_case(
        kind, agefile.seal(vaultdir.slot_payload(ROOT), identity.recipient, Seeded(f"slot {kind}")),
        identity=identity.text, recipient=identity.recipient)


def slot_files():
    yield recipient_slot("x25519", identity())
    yield slot_case("scrypt", agefile.seal_scrypt(vaultdir.slot_payload(ROOT), PASSPHRASE, 10, Seeded("slot scrypt")),
                    passphrase=PASSPHRASE.decode(), work_factor=10)


def hybrid_slot_file():
    return recipient_slot("mlkem768x25519", hybrid_identity())


def slot_entry(case):
    return {"id": id_text(Seeded(f"slot id {case['kind']}")(16)), "label": "", "kind": case["kind"],
            "created_at": date_text(NOW), "sha256": case["sha256"],
            **({"recipient": case["recipient"]} if "recipient" in case else {})}


def plugin_slot():
    """A slot of the plugin `sample-1`. Its file is sealed by nobody: no reader of a header opens it."""
    return {"id": id_text(Seeded("slot id plugin")(16)), "label": "key ring", "kind": "plugin",
            "created_at": date_text(NOW), "sha256": vaultdir.sha256_hex(b"plugin"),
            "recipient": agefile.bech32("age1sample-1", Seeded("plugin")(20))}


def deposit_keys(identity=identity):
    return deposits.make_key(ROOT, identity(), NOW, Seeded("deposits"))


def header(**changes):
    at = date_text(NOW)
    slots = [slot_entry(case) for case in slot_files()]
    document = {
        "format": Number("1"), "id": id_text(VAULT), "created_at": at, "revision": Number("1"), "keyring": [],
            "kinds": {},
        "root": {"id": b64url(ROOT.id), "commitment": b64(ROOT.commitment), "created_at": at}, "slots": slots,
        **changes}
    hybrid = document.get("deposit", {}).get("recipient", "").startswith("age1pq1")
    if hybrid or any(slot.get("kind") == "mlkem768x25519" for slot in document["slots"]):
        document.setdefault("requires", ["mlkem768x25519"])
    document["mac"] = b64(vaultdir.header_mac(document, ROOT))
    return document


def keyring():
    at = date_text(NOW)
    common = {"created_at": at, "replaced_at": at}
    return [{"id": b64url(LATER_ROOT.id), "commitment": b64(LATER_ROOT.commitment), **common, "reason": "reseal",
        "state": "retired"},
            {"id": b64url(OLD_ROOT.id), "commitment": b64(OLD_ROOT.commitment), **common, "reason": "rewrap",
             "state": "open-only",
             "wrap": ROOT.wrap(ROOT.root_wrap(OLD_ROOT.id), OLD_ROOT.key, Seeded("keyring"))}]


def checkpoint(sequence=1, previous=None, root=ROOT, items=None, **changes):
    members = {"format": Number("1"), "sequence": Number(str(sequence)), "created_at": date_text(NOW),
               "previous": previous, "header": vaultdir.sha256_hex(tree_bytes(header())), **changes}
    items = [[id_text(RECORD), Number("1"), customer()["$vault"]["mac"]]] if items is None else items
    return vaultdir.Listing.made(members, items, root, vaultdir.checkpoint_mac)
