#!/usr/bin/env python3
"""Writes Tests/Vectors/vault-v1/ from the reference implementation. Shapes: Tests/Vectors/README.md.

    python3 makevectors.py [DIRECTORY]

All keys are published test values. The same bytes come out each time.
"""

import hashlib
import json
import os
import shutil
import sys

import agefile
import attachedbackups
import attacks
import backups
import deposits
import vaultdir
from badvectors import negatives
from samples import (
    APP_KEY, CUSTOMER, DATA_KEY, LATER_ROOT, NOW, OLD_ROOT, OTHER, PASSPHRASE, RECORD, ROOT, SEALED, SEALED_AT, VAULT,
    checkpoint, customer, customer_with_former, deposit_keys, envelope, former_tokens, header, hybrid_identity, hybrid_slot_file, identity,
    keyring, plugin_slot, slot_entry, slot_files)
from vaultref import (
    Number, RecordKeys, Root, Seeded, app_keys, b64, b64url, compact, compact_time, date_text, enc, fingerprint,
        id_text,
    kdf, make_record, open_record, opened_former, pad, padded_size, parse, parse_date, place_keys, pretty, seal_box,
    search_tag, split_wrap, tree_bytes)

HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = os.path.join(HERE, "..", "Vectors", "vault-v1")
def alphabet(count):
    return ("abcdefghijklmnopqrstuvwxyz" * (count // 26 + 1))[:count]


def text_members(text):
    """Long texts by rule, so that a vector stays readable."""
    count = len(text.encode())
    return {"text": text} if count <= 1024 else {"text_alphabet_count": count}


def enc_cases():
    for label, items in (("ecv/1/root", []), ("ecv/1/test", [b""]), ("ecv/1/test", [b"", b""]), ("ecv/1/test", [b"\0"]),
                         ("", []), ("ecv/1/test", [b"ab", b"c"]), ("ecv/1/test", [b"a", b"bc"]),
                         ("ecv/1/data-key-wrap-ad", [VAULT, RECORD, ROOT.id]), ("ecv/1/test", [bytes(300)])):
        yield {"label": label, "items_hex": [item.hex() for item in items], "output_hex": enc(label, *items).hex()}


TREES = [
    "null", "false", "true", "0", "-0", "1.50", "1.5", "15e-1", "1E+2", "12345678901234567890", "9" * 64,
    '""', '"a"', '"\\u00e9"', '"\u00e9"', '"e\u0301"', '"\\ud83d\\ude00"',
    '"\\u0000\\u001f\\b\\f\\n\\r\\t\\"\\\\\\/\\u007f"', '"/\x7f\u2028"', "[]", "{}",
    "[[],{}]", "[1,2]", '[[1],[2]]',
    '{"b":1,"a":2}', '{"a":{"a":{"a":null}}}', '{"aa":1,"a":2,"b":3}', '{"\\uffff":1,"\\ud800\\udc00":2}',
    '{"A":1,"a":2,"_":3,"":4}',
    ' { "a" : [ 1 , { } , [ ] , "x" ] }\r\n\t', "[" * 64 + "]" * 64,
    '{"name":"Zoë","list":[true,{"empty":{},"none":[]}]}']


def tree_cases():
    for text in TREES:
        value = parse(text.encode())
        yield {"json": text, "t_hex": tree_bytes(value).hex(), "pretty": pretty(value).decode(),
            "compact": compact(value).decode()}


def root_cases():
    for root in (ROOT, OLD_ROOT, LATER_ROOT, Root(bytes(32), bytes(16))):
        yield {
            "vault_id": id_text(root.vault), "root_key_hex": root.key.hex(), "root_id": b64url(root.id),
            "commitment": b64(root.commitment), "header_mac_key_hex": root.mac_key("header").hex(),
            "checkpoint_mac_key_hex": root.mac_key("checkpoint").hex(),
            "backup_mac_key_hex": root.mac_key("backup").hex(),
            "data_key_wrap_key_hex": root.data_wrap(RECORD)[0].hex(),
            "slot_payload": vaultdir.slot_payload(root).decode()}


def kdf_cases():
    for key, salt, label, items, count in (
            (bytes(32), b"", "ecv/1/test", [], 32), (bytes(32), VAULT, "ecv/1/test", [], 32),
            (ROOT.key, VAULT, "ecv/1/test", [b"a", b""], 1), (ROOT.key, VAULT, "ecv/1/test", [b"a"], 33),
            (ROOT.key, VAULT, "ecv/1/root", [], 48), (DATA_KEY, VAULT, "ecv/1/record", [RECORD], 72)):
        yield {"key_hex": key.hex(), "salt_hex": salt.hex(), "label": label, "items_hex": [item.hex()
            for item in items],
               "byte_count": count, "output_hex": kdf(key, salt, label, items, count).hex()}


def record_key_cases():
    for data_key, vault, record in ((DATA_KEY, VAULT, RECORD), (DATA_KEY, VAULT, OTHER), (bytes(32), bytes(16),
        bytes(16))):
        keys = RecordKeys(data_key, vault, record)
        yield {"data_key_hex": data_key.hex(), "vault_id": id_text(vault), "record_id": id_text(record),
               "field_key_hex": keys.field_key.hex(), "record_mac_key_hex": keys.mac_key.hex(),
               "hint": b64url(keys.hint)}


def attachment_cases():
    for name, size in (("empty", 0), ("one chunk", 65536), ("a byte more", 65537), ("three chunks", 150000)):
        rand = Seeded(f"attachment {name}")
        data_key, record, attachment = rand(32), rand(16), rand(16)
        key = RecordKeys(data_key, VAULT, record).attachment_key(attachment)
        content = (bytes(range(256)) * (size // 256 + 1))[:size]
        stored = agefile.seal_payload(content, key)
        yield {"name": name, "data_key_hex": data_key.hex(), "vault_id": id_text(VAULT), "record_id": id_text(record),
               "attachment_id": id_text(attachment), "key_hex": key.hex(), "content": b64(content),
               "stored_size": len(stored), "sha256": hashlib.sha256(stored).hexdigest()}


def wrap_case(root, pair, key, seed, **members):
    text = root.wrap(pair, key, Seeded(seed))
    return {"vault_id": id_text(root.vault), "root_key_hex": root.key.hex(), **members, "wrap_key_hex": pair[0].hex(),
            "associated_data_hex": pair[1].hex(), "nonce_hex": split_wrap(text)[1][:12].hex(), "wrap": text}


def data_key_wrap_cases():
    for root, record, data_key in ((ROOT, RECORD, DATA_KEY), (ROOT, OTHER, DATA_KEY), (OLD_ROOT, RECORD, bytes(32))):
        yield wrap_case(root, root.data_wrap(record), data_key, "wrap", record_id=id_text(record),
            data_key_hex=data_key.hex())


def keyring_wrap_cases():
    for older in (OLD_ROOT, LATER_ROOT):
        yield wrap_case(ROOT, ROOT.root_wrap(older.id), older.key, "keyring", older_root_id=b64url(older.id),
                        older_root_key_hex=older.key.hex(), older_commitment=b64(older.commitment))


def fingerprint_cases():
    for root in (ROOT, OLD_ROOT):
        yield {"vault_id": id_text(root.vault), "commitment": b64(root.commitment),
               "fingerprint": fingerprint(root.vault, root.commitment)}


EDGES = [0, 1, 30, 31, 32, 33, 62, 63, 64, 94, 95, 96, 127, 128, 223, 224, 254, 255, 256, 257, 286, 287, 288, 319, 320,
    511, 512, 575,
         576, 1000, 1023, 1024, 2047, 2048, 4095, 5000, 65535]


def padding_cases():
    for count in EDGES + [65536, 100_000, 1_000_000, 16_000_000]:
        yield {"byte_count": count, "padded_byte_count": padded_size(count + 1)}


def token_cases():
    keys = RecordKeys(DATA_KEY, VAULT, RECORD)
    texts = [alphabet(count) for count in EDGES] + [
        "pässwörd", "e\u0301", "é", "😀", "\0", "line\r\nbreak\n", " es1:looks:like a token ", '{"pin":"0522"}',
            "\ufeff"]
    for text in texts:
        token = keys.fields.seal(text, SEALED_AT, Seeded(f"token {text}"))
        yield {"field_key_hex": keys.field_key.hex(), "hint": b64url(keys.hint), "vault_id": id_text(VAULT),
               "record_id": id_text(RECORD), "sealed_at": SEALED_AT, **text_members(text),
               "nonce_hex": Seeded(f"token {text}")(12).hex(), "plaintext_byte_count": len(pad(text.encode())),
               "token": token}


def app_token_cases():
    for context, text in ((["app/customer"], "correct horse"), (["a", ""], ""), (["ab", "c"], "x"), (["a", "bc"], "x"),
                          (["größe"], alphabet(300))):
        keys = app_keys(APP_KEY, *context)
        seed = f"app {context}"
        yield {"application_key_hex": APP_KEY.hex(), "context": context, "field_key_hex": keys.key.hex(),
            "hint": b64url(keys.hint),
               "sealed_at": SEALED_AT, "text": text, "nonce_hex": Seeded(seed)(12).hex(),
               "token": keys.seal(text, SEALED_AT, Seeded(seed))}


def app_place_cases():
    for context, place in ((["accounts"], ["7", "email"]), (["accounts"], ["7email"]), (["accounts", "7"], ["email"])):
        keys = place_keys(APP_KEY, context, place)
        yield {"application_key_hex": APP_KEY.hex(), "context": context, "place": place, "text": "correct horse",
               "token": keys.seal("correct horse", SEALED_AT, Seeded(f"place {context} {place}"))}


def search_tag_cases():
    for name, value, bits in (("email", "ada@example.com", 256), ("email", "ada@example.com", 20), ("mail", "größe", 7),
                              ("", "", 63), ("a", "x", 1)):
        yield {"application_key_hex": APP_KEY.hex(), "context": ["accounts"], "name": name, "text": value, "bits": bits,
               "tag_hex": search_tag(APP_KEY, ["accounts"], name, value, bits).hex()}


def cryptokit_cases():
    for text, associated in (("correct horse", b""), ("", b""), ("pässwörd", b"customer 7")):
        box = seal_box(APP_KEY, text.encode(), associated, Seeded(f"cryptokit {text}"))
        yield {"key_hex": APP_KEY.hex(), "associated_data_hex": associated.hex(), "text": text,
            "nonce_hex": box[:12].hex(),
               "representation": b64(box)}


def time_cases():
    texts = ["2026-11-21T01:40:28Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:59.5Z", "0001-01-01T00:00:00Z",
             "9999-12-31T23:59:59.999999999Z", "2024-02-29T12:00:00+05:30", "2000-02-29T00:00:00Z",
             "2026-11-21T01:40:28.000Z",
             "2026-11-21T01:40:28.0009Z", "2026-11-21T01:40:28.001Z", "2026-11-21T01:40:28.120000001Z",
             "2026-11-21T01:40:28-00:00", "2026-11-21T01:40:28-23:59", "2026-01-01T00:00:00.1+00:01"]
    for text in texts:
        seconds, nanoseconds = parse_date(text)
        yield {"text": text, "valid": True, "seconds": seconds, "nanoseconds": nanoseconds,
               "written": date_text(seconds, nanoseconds), "compact": compact_time(seconds)}
    for text in ("", "2026-11-21", "2026-11-21 01:40:28Z", "2026-11-21t01:40:28Z", "2026-11-21T01:40:28z",
        "2026-11-21T01:40:28",
                 "2026-11-21T01:40Z", "2026-11-21T01:40:60Z", "2026-11-21T24:00:00Z", "2026-02-29T00:00:00Z",
                 "1900-02-29T00:00:00Z",
                 "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-31T00:00:00Z", "0000-01-01T00:00:00Z",
                 "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2026-11-21T01:40:28.Z",
                 "2026-11-21T01:40:28,5Z",
                 "2026-11-21T01:40:28.1234567890Z", "2026-11-21T01:40:28+0100", "2026-11-21T01:40:28+24:00",
                 "2026-11-21T01:40:28+01:60", "2026-11-21T01:40:28Z ", "+2026-11-21T01:40:28Z",
                 "2026-11-21T01:40:28Z\n",
                 "２026-11-21T01:40:28Z", "20261121T014028Z"):
        yield {"text": text, "valid": False}


def base64_cases():
    for data in (b"", b"\0", b"\xff", b"\xfb\xff", b"\xfb\xff\xbf", bytes(range(16))):
        yield {"valid": True, "bytes_hex": data.hex(), "base64": b64(data), "base64url": b64url(data)}
    for text in ("A", "AA", "AAA", "AB==", "AAB=", "AA=", "A===", "AA==\n", " AA==", "AA==AA==", "-_8=", "====",
        "AAAA=", "Á==="):
        yield {"valid": False, "base64": text}
    for text in ("A", "AB", "AAB", "AA==", "+/8", "AA\n", "AA AA"):
        yield {"valid": False, "base64url": text}


def record_cases():
    documents = {
        "customer": customer(),
        "removed customer": customer(seed="removed", revision=Number("2"), deleted_at="2026-11-21T01:40:28.5Z"),
        "foreign literals, nested tokens, an unknown kind": make_record(
            {"n": [Number("1.50"), Number("12345678901234567890"), Number("-0"), Number("1E+2")], "e\u0301": "e\u0301",
             "list": [{"secret": "pässwörd"}, None, True], "": "", "deep": {"$vault": "no envelope here"}},
            {}, envelope(kind="from-elsewhere", schema=Number("7"), revision=Number("999999999999999999")),
            ROOT, Seeded("foreign"), DATA_KEY),
        "under the older root": customer(seed="older", root=OLD_ROOT)}
    nested = documents["foreign literals, nested tokens, an unknown kind"]
    keys = RecordKeys(DATA_KEY, VAULT, RECORD)
    nested["list"][0]["secret"] = keys.fields.seal("pässwörd", SEALED_AT, Seeded("nested"))
    nested["list"].append(nested["list"][0]["secret"])
    nested["$vault"]["mac"] = b64(keys.mac_of(nested))
    yield from cases_of(documents)


def cases_of(documents):
    roots = {root.id[:8]: root for root in (ROOT, OLD_ROOT)}
    for name, document in documents.items():
        inner = {key: item for key, item in document["$vault"].items() if key not in ("mac", "key")}
        message = enc("ecv/1/record-mac", VAULT, RECORD, tree_bytes({**document, "$vault": inner}))
        yield {"name": name, "vault_id": id_text(VAULT), "root_key_hex": roots[split_wrap(
            document["$vault"]["key"])[0]].key.hex(),
               "data_key_hex": DATA_KEY.hex(), "file": pretty(document).decode(),
               "mac_message_sha256": hashlib.sha256(message).hexdigest(), "mac": document["$vault"]["mac"],
               "opened": pretty(open_record(document, roots, VAULT)[1]).decode()}


def former_value_cases():
    odd = [("notes[0].pin", "0000"), ('["a.b"]', "1111"), ('[""].x', "2222"), ('["\\u0007\\"\\\\"][12]', "3333"),
           ("größe.e\u0301", "pässwörd"), ("extra.note", '{"pin":"0522"}')]
    documents = {
        "two members": customer_with_former(),
        "as many as there can be": customer_with_former(former={
            "access_key": former_tokens(*(f"key {number}" for number in range(20)))}),
        "paths of many forms, none of a member that is still there": customer_with_former(former={
            path: former_tokens(text) for path, text in odd}),
        "removed": customer_with_former(revision=Number("5"), deleted_at=date_text(NOW)),
        "under the older root": customer_with_former(root=OLD_ROOT),
        "not as a writer leaves them: a text twice, the present token, one token under two paths": customer_with_former(
            former={"access_key": [*former_tokens("twice"), *former_tokens("once", "twice"), customer()["access_key"]],
                    "atm_code": former_tokens("twice")})}
    for case, document in zip(cases_of(documents), documents.values()):
        keys = RecordKeys(DATA_KEY, VAULT, RECORD)
        yield {**case, "former": pretty(opened_former(document, keys)).decode()}


def slot_cases():
    yield from slot_files()
    yield hybrid_slot_file()


def header_cases():
    for name, document in (("new vault", header()), ("with a keyring and a declared kind", header(
            keyring=keyring(), revision=Number("12"), kinds={"wifi": {"type": "object", "x-title": "ssid"}})),
            ("with a post-quantum slot", header(slots=[slot_entry(case) for case in slot_cases()])),
            ("with deposits", header(deposit=deposit_keys())),
            ("with post-quantum deposits", header(deposit=deposit_keys(hybrid_identity))),
            ("with the slot of a plugin", header(slots=header()["slots"] + [plugin_slot()]))):
        vaultdir.check_header(document)
        yield {"name": name, "root_key_hex": ROOT.key.hex(), "file": pretty(document).decode(), "mac": document["mac"],
               "header_hash": vaultdir.sha256_hex(tree_bytes(document))}


def checkpoint_cases():
    first = checkpoint()
    for listing in (first, checkpoint(2, first.hash)):
        vaultdir.check_checkpoint(listing, {ROOT.id[:8]: ROOT})
        yield {"vault_id": id_text(VAULT), "root_key_hex": ROOT.key.hex(), "file": listing.data.decode(),
               "mac": listing.head["mac"], "hash": listing.hash}


FILES = [
    ("enc", "ENC of a label and items.", enc_cases), ("tree", "JSON text, T of its tree, and its two written forms.",
     tree_cases),
    ("root", "What is derived from a root key, and the payload of its slots.", root_cases),
    ("kdf", "KDF with its salt, label, items and byte count.", kdf_cases),
    ("record-keys", "What is derived from a data key.", record_key_cases),
    ("attachments", "Contents and the files that they are sealed into.", attachment_cases),
    ("data-key-wrap", "Data keys wrapped under a root.", data_key_wrap_cases),
    ("keyring-wrap", "Older root keys wrapped under the current one.", keyring_wrap_cases),
    ("fingerprint", "Fingerprints.", fingerprint_cases), ("padding", "Padded size by byte count of the text.",
     padding_cases),
    ("tokens", "Tokens at the edges of every size, and texts of many kinds.", token_cases),
    ("app-tokens", "Tokens outside a vault.", app_token_cases),
    ("app-places", "Tokens outside a vault that are bound to a place.", app_place_cases),
    ("search-tags", "Search tags.", search_tag_cases), ("cryptokit", "CryptoKit representation.",
     cryptokit_cases),
    ("times", "Dates, valid and not.", time_cases), ("base64", "Both base64 forms, canonical and not.", base64_cases),
    ("records", "Whole records.", record_cases),
    ("former-values", "Whole records with former values.", former_value_cases),
    ("slots", "Slots of each kind.", slot_cases),
    ("headers", "Whole headers.", header_cases), ("checkpoints", "Checkpoints, the second following the first.",
     checkpoint_cases)]


def write_vault(folder):
    """A small vault with two slots, a removed record and a checkpoint; beside it its keys and what it holds."""
    vault = vaultdir.Vault.create(
        os.path.join(folder, "small"), Seeded("small vault"), NOW, [identity().recipient], PASSPHRASE, 10,
            ["test identity", "test passphrase"])
    for number in range(3):
        vault.put("customer", {**CUSTOMER, "name": f"Customer {number}", "access_key": f"key {number}"}, list(SEALED))
    vault.put("from-elsewhere", {"n": Number("1.50"), "secrets": {"one": alphabet(300), "two": ""}}, [
        ("secrets", "one"), ("secrets", "two")], schema=3)
    vault.remove(vault.put("customer", CUSTOMER, list(SEALED)))
    vault.write_checkpoint()
    write(os.path.join(folder, "small.identity.txt"), f"# test identity, published\n{identity().text}\n".encode())
    write(os.path.join(folder, "small.passphrase.txt"), PASSPHRASE + b"\n")
    write(os.path.join(folder, "small.opened.json"), pretty(vaultdir.Vault.open(vault.path, [identity()]).read_all()))


def write_vault_with_former(folder):
    """A vault that keeps three former values, with the keys of the small one; beside it what it holds."""
    vault = vaultdir.Vault.create(
        os.path.join(folder, "former"), Seeded("vault with former values"), NOW, [identity().recipient], PASSPHRASE, 10,
            ["test identity", "test passphrase"], 3)
    often = vault.put("customer", {**CUSTOMER, "name": "Often changed"}, list(SEALED))
    once = vault.put("customer", {**CUSTOMER, "name": "Changed once"}, list(SEALED))
    vault.put("customer", {**CUSTOMER, "name": "Never changed"}, list(SEALED))
    gone = vault.put("customer", {**CUSTOMER, "name": "Removed"}, list(SEALED))
    for number in range(1, 6):
        vault.now = NOW + number * 86400
        vault.change(often, {("access_key",): f"key {number}"})
    vault.change(often, {("access_key",): "key 3", ("atm_code",): None})
    vault.change(once, {("access_key",): "battery staple"})
    vault.change(gone, {("atm_code",): "0815"})
    vault.remove(gone)
    vault.write_checkpoint()
    write(os.path.join(folder, "former.opened.json"), pretty(vaultdir.Vault.open(vault.path, [identity()]).read_all()))


def write_vault_with_deposits(folder):
    """A vault with deposits to its present and its earlier recipient; beside it what they hold."""
    rand = Seeded("vault with deposits")
    vault = vaultdir.Vault.create(
        os.path.join(folder, "deposits"), rand, NOW, [identity().recipient], labels=["test identity"])
    record = vault.put("customer", CUSTOMER, list(SEALED))
    people = [agefile.Identity(rand(32)) for _ in range(2)]
    earlier, present = (deposits.make_key(vault.root, person, NOW + day, rand) for day, person in enumerate(people))
    vault.header["deposit"] = {**present, "earlier": [earlier], "signers": "ada@example.org ssh-ed25519 AAAA\n"}
    vault.write_header()
    for person, rest in (
            (people[1], {"from": "Ada Example", "kind": "customer", "record": {**CUSTOMER, "name": "Deposited"}}),
            (people[0], {"to": record, "field": "access_key", "value": "a newer key", "replaces": date_text(NOW)}),
            (people[1], {"to": CUSTOMER["name"], "field": "access_key", "value": "by name", "signature": "none"})):
        name = id_text(rand(16))
        payload = {"format": Number("1"), "vault": id_text(vault.root.vault), "id": name, "created_at": date_text(NOW), **rest}
        vault._write(f"inbox/{name}.age", deposits.seal(payload, person.recipient, rand))
    opened = vaultdir.Vault.open(vault.path, [identity()])
    write(os.path.join(folder, "deposits.opened.json"), pretty([
        {"deposit": payload, "signed": deposits.signed_bytes(payload).hex(), "data_key": key.hex()}
        for payload, key in opened.read_deposits()]))


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def write_document(folder, name, document):
    write(os.path.join(folder, f"{name}.json"), (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode())


def write_attacks(folder):
    """Good vaults, and what an attacker changes in them."""
    for name, tree in attacks.bases().items():
        write_document(folder, f"bases/{name}", {"files": attacks.in_json(tree)})
    for attack in attacks.attacks():
        write_document(folder, attack.name, {
            "description": attack.description, "base": attack.base, "layer": attack.layer, "known": attack.known,
            "fresh": attack.fresh, "changes": attacks.in_json(attack.changes)})


def write_backups(folder):
    """Good backups with what they hold, and hostile ones with the exit code of restoring them."""
    for name, description, file, files in [*backups.good(), *attachedbackups.good()]:
        write_document(folder, name, {
            "description": description, "backup": b64(file), "files": attacks.in_json(files)})
    for one in [*backups.hostile(), *attachedbackups.hostile()]:
        write_document(folder, f"hostile/{one.name}", {
            "description": one.description, "layer": one.layer, "code": one.code, "backup": b64(one.file)})


def main(folder=VECTORS):
    shutil.rmtree(folder, ignore_errors=True)
    for name, description, cases in FILES:
        write_document(folder, name, {"description": description, "cases": list(cases())})
    for name, document in negatives():
        write_document(folder, os.path.join("negative", name), document)
    write_vault(os.path.join(folder, "vaults"))
    write_vault_with_former(os.path.join(folder, "vaults"))
    write_vault_with_deposits(os.path.join(folder, "vaults"))
    write_attacks(os.path.join(folder, "attacks"))
    write_backups(os.path.join(folder, "backups"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
