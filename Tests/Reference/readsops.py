"""Opens a JSON document of sops 3 with an age identity: `python3 readsops.py FILE IDENTITY-FILE`.

Written from the description of the format, apart from the program that exports it. Prints the document in clear, or ends
with 1 and one word on stderr when a value or the MAC is not authentic.
"""

import base64
import decimal
import hashlib
import json
import re
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import agefile

SEALED = re.compile(r"ENC\[AES256_GCM,data:(.*),iv:(.+),tag:(.+),type:(\w+)\]")


class SopsFault(Exception):
    pass


def open_text(text, key, associated):
    match = SEALED.fullmatch(text)
    if not match:
        raise SopsFault("unsealed")
    data, nonce, tag = (base64.b64decode(part, validate=True) for part in match.groups()[:3])
    try:
        plain = AESGCM(key).decrypt(nonce, data + tag, associated.encode())
    except InvalidTag:
        raise SopsFault("value") from None
    return plain, match.group(4)


def typed(plain, kind):
    text = plain.decode()
    if kind == "str":
        return text
    if kind == "bool":
        return {"True": True, "False": False}[text]
    return json.loads(text)


def plain_bytes(value):
    """What the MAC takes of a value in clear: numbers without an exponent."""
    if isinstance(value, bool):
        return b"True" if value else b"False"
    if isinstance(value, str):
        return value.encode()
    return format(decimal.Decimal(repr(value)), "f").encode()


class Reading:
    def __init__(self, key, pattern):
        self.key = key
        self.pattern = re.compile(pattern) if pattern else None
        self.hash = hashlib.sha512()

    def walk(self, value, names):
        if isinstance(value, dict):
            return {name: self.walk(member, names + [name]) for name, member in value.items()}
        if isinstance(value, list):
            return [self.walk(item, names) for item in value]
        if value is None:
            return None
        # Without a pattern everything is sealed.
        if value != "" and (self.pattern is None or any(self.pattern.search(name) for name in names)):
            plain, kind = open_text(value, self.key, ":".join(names) + ":")
            self.hash.update(plain)
            return typed(plain, kind)
        self.hash.update(plain_bytes(value))
        return value


def data_key(entries, identities):
    for entry in entries:
        binary = base64.b64decode("".join(entry["enc"].strip().splitlines()[1:-1]), validate=True)
        for identity in identities:
            try:
                return agefile.open_file(binary, identities=[identity])
            except agefile.AgeFault:
                continue
    raise SopsFault("key")


def open_document(document, identities):
    metadata = document.pop("sops")
    key = data_key(metadata["age"], identities)
    reading = Reading(key, metadata.get("encrypted_regex"))
    clear = reading.walk(document, [])
    mac, _ = open_text(metadata["mac"], key, metadata["lastmodified"])
    if mac.decode() != reading.hash.hexdigest().upper():
        raise SopsFault("mac")
    return clear


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        identities = agefile.parse_identity_file(file.read())
    try:
        clear = open_document(document, identities)
    except SopsFault as fault:
        print(fault, file=sys.stderr)
        return 1
    json.dump(clear, sys.stdout, ensure_ascii=False, sort_keys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
