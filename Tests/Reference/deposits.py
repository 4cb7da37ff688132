"""Deposits: docs/format-v1.md, section 16, Deposits."""

import hashlib

import agefile
from vaultref import (
    Number, RecordKeys, Refused, a_date, a_string, an_id, an_integer, check_members, compact, compact_time, date_text, enc, expect,
    id_bytes, id_text, mac, pad, parse, split_token, split_wrap, tree_bytes, unpad)

FILE_BYTE_LIMIT, PAYLOAD_BYTE_LIMIT = 264 << 10, 256 << 10
EARLIER_LIMIT, SIGNERS_BYTE_LIMIT = 16, 64 << 10


def a_recipient(value):
    try:
        expect(isinstance(value, str) and agefile.parse_recipient(value))
    except agefile.AgeFault:
        expect(False)


def a_token(value): expect(len(split_token(value)[2]) >= 28)
def a_text_of(limit, least=0): return lambda value: expect(isinstance(value, str) and least <= len(value.encode()) <= limit)
def a_dict(value): expect(isinstance(value, dict))


KEY = {"recipient": a_recipient, "id": an_id, "wrap": split_wrap, "key": a_token}


def an_earlier_list(value):
    expect(isinstance(value, list) and len(value) <= EARLIER_LIMIT)
    for key in value:
        check_members(key, KEY, {}, "header")


def check_keys(value):
    """The member `deposit` of a header."""
    check_members(value, KEY, {"earlier": an_earlier_list, "signers": a_text_of(SIGNERS_BYTE_LIMIT, 1)}, "header")


def recipient_kinds(header):
    """The types of the recipients of a header's deposits, such as mlkem768x25519."""
    keys = header.get("deposit", {})
    return {agefile.parse_recipient(key["recipient"])[0] for key in [keys, *keys.get("earlier", [])] if key}


def make_key(root, identity, at, rand):
    """A key of the member `deposit` for an identity."""
    name, data_key = rand(16), rand(32)
    keys = RecordKeys(data_key, root.vault, name)
    return {"recipient": identity.recipient, "id": id_text(name), "wrap": root.wrap(root.data_wrap(name), data_key, rand),
            "key": keys.fields.seal(identity.text, compact_time(at), rand)}


def identities(keys, root):
    """The identities of all keys, the present one first."""
    found = []
    for key in [keys, *keys.get("earlier", [])]:
        name = id_bytes(key["id"])
        text = RecordKeys(root.unwrap(root.data_wrap(name), key["wrap"]), root.vault, name).fields.open(key["key"])
        identity = agefile.parse_identity_file(text)[0]
        if identity.recipient != key["recipient"]:
            raise Refused("header", "other-recipient", "the identity belongs to another recipient")
        found.append(identity)
    return found


def seal(payload, recipient, rand):
    """The file of a deposit."""
    return agefile.seal(pad(compact(payload)), recipient, rand)


def signed_bytes(payload):
    signed = tree_bytes({name: item for name, item in payload.items() if name != "signature"})
    return enc("ecv/1/deposit", hashlib.sha256(signed).digest())


PAYLOAD = {"format": an_integer, "vault": an_id, "id": an_id, "created_at": a_date}
OPTIONAL = {"from": a_text_of(256), "signature": a_text_of(16 << 10)}
RECORD = {"kind": a_string, "record": a_dict}
VALUE = {"to": a_string, "field": a_string, "value": a_string}


def data_key(keys, name, file, root):
    """The data key of the record that the deposit with the id `name` becomes."""
    own = id_bytes(keys["id"])
    record = RecordKeys(root.unwrap(root.data_wrap(own), keys["wrap"]), root.vault, own)
    return mac(record.mac_key, enc("ecv/1/deposit-record", id_bytes(name), hashlib.sha256(file).digest()))


def open_deposit(file, name, vault, known):
    """The payload of the deposit with the id `name`, opened by one of the identities `known`."""
    try:
        expect(len(file) <= FILE_BYTE_LIMIT and len(agefile.parse_header(file)[0]) == 1)
        data = agefile.open_file(file, known)
    except agefile.AgeFault as error:
        raise Refused("deposit", "malformed", str(error)) from None
    expect(len(data) <= PAYLOAD_BYTE_LIMIT)
    payload = parse(unpad(data))
    expect(isinstance(payload, dict) and payload.get("format") == Number("1"))
    if "to" in payload:
        check_members(payload, {**PAYLOAD, **VALUE}, {**OPTIONAL, "replaces": a_date}, "deposit")
    else:
        check_members(payload, {**PAYLOAD, **RECORD}, OPTIONAL, "deposit")
    expect(id_bytes(payload["vault"]) == vault and payload["id"] == name)
    return payload
