"""age v1 files (https://age-encryption.org/v1) in memory: X25519, mlkem768x25519 and scrypt stanzas, binary form.

Call `seal`, `seal_x25519`, `seal_scrypt`, `parse_header` and `open_file`. Written to be read beside the specification; slots and
backups of a vault never need more (docs/format-v1.md, sections 4.2, Slots, and 14, Backups).
"""

import base64
import hashlib
import hmac

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

import mlkem

CHUNK_BYTE_COUNT = 64 * 1024
CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


class AgeFault(Exception):
    """`kind` is one word for tests; the text says no secret."""

    def __init__(self, kind, reason):
        super().__init__(reason)
        self.kind = kind


# Bech32 (BIP 173, without its length limit): text of recipients and identities

def _polymod(values):
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= generator if top >> bit & 1 else 0
    return check


def _expand(prefix):
    return [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]


def bech32(prefix, data):
    bits = int.from_bytes(data, "big") << (-len(data) * 8 % 5)
    count = -(-len(data) * 8 // 5)
    words = [bits >> 5 * (count - 1 - i) & 31 for i in range(count)]
    check = _polymod(_expand(prefix) + words + [0] * 6) ^ 1
    return prefix + "1" + "".join(CHARSET[w] for w in words + [check >> 5 * (5 - i) & 31 for i in range(6)])


def unbech32(prefix, text):
    head, _, tail = text.rpartition("1")
    if head != prefix or len(tail) < 6 or any(c not in CHARSET for c in tail):
        raise AgeFault("malformed", f"not an {prefix}1… text")
    words = [CHARSET.index(c) for c in tail]
    if _polymod(_expand(prefix) + words) != 1:
        raise AgeFault("malformed", f"wrong check characters in an {prefix}1… text")
    bits, count = 0, (len(words) - 6) * 5
    for word in words[:-6]:
        bits = bits << 5 | word
    spare = count % 8
    if spare > 4 or bits & ((1 << spare) - 1):
        raise AgeFault("malformed", f"loose bits in an {prefix}1… text")
    return (bits >> spare).to_bytes(count // 8, "big")


class Identity:
    """An X25519 identity: `scalar` 32 bytes, `public` 32 bytes, `recipient` "age1…", `text` "AGE-SECRET-KEY-1…"."""

    def __init__(self, scalar):
        self.scalar = scalar
        self.key = X25519PrivateKey.from_private_bytes(scalar)
        self.public = _raw(self.key.public_key())
        self.recipient = bech32("age", self.public)
        self.text = bech32("age-secret-key-", scalar).upper()


class HybridIdentity:
    """A post-quantum identity: `kem` its keys, `recipient` "age1pq1…", `text` "AGE-SECRET-KEY-PQ-1…"."""

    def __init__(self, seed):
        self.kem = mlkem.Hybrid(seed)
        self.recipient = bech32("age1pq", self.kem.public)
        self.text = bech32("age-secret-key-pq-", seed).upper()


def parse_recipient(text):
    """(kind as a header names it, public key)"""
    kind, prefix, count = ("mlkem768x25519", "age1pq", 1216) if text.startswith("age1pq1") else ("x25519", "age", 32)
    public = unbech32(prefix, text)
    if len(public) != count:
        raise AgeFault("malformed", f"another size of key in an {prefix}1… text")
    return kind, public


def parse_identity_file(text):
    lines = [line.strip() for line in text.splitlines()]
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            if line != line.upper():
                raise AgeFault("malformed", "an identity is written in upper case")
            if line.startswith("AGE-SECRET-KEY-PQ-1"):
                found.append(HybridIdentity(unbech32("age-secret-key-pq-", line.lower())))
            else:
                found.append(Identity(unbech32("age-secret-key-", line.lower())))
    return found


# Pieces

def _raw(public_key):
    return public_key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def _hkdf(key, salt, info, byte_count=32):
    return HKDF(hashes.SHA256(), byte_count, salt, info).derive(key)


def _b64(data):
    return base64.b64encode(data).rstrip(b"=").decode()


def _unb64(text):
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        raise AgeFault("malformed", "bad base64 in an age header") from None
    if _b64(data) != text:
        raise AgeFault("malformed", "non-canonical base64 in an age header")
    return data


def _scrypt(passphrase, salt, log_n):
    return Scrypt(salt=b"age-encryption.org/v1/scrypt" + salt, length=32, n=1 << log_n, r=8, p=1).derive(passphrase)


def _x25519_key(shared, ephemeral, recipient):
    return _hkdf(shared, ephemeral + recipient, b"age-encryption.org/v1/X25519")


def _hybrid_key(shared):
    """Key and nonce of the one message of HPKE (RFC 9180) in its base mode, KEM 0x647a, HKDF 1, AEAD 3."""
    labelled = lambda label, data: b"HPKE-v1HPKE" + bytes.fromhex("647a00010003") + label + data
    hashed = lambda label, data: hmac.new(b"", labelled(label, data), hashlib.sha256).digest()
    context = b"\0" + hashed(b"psk_id_hash", b"") + hashed(b"info_hash", b"age-encryption.org/mlkem768x25519")
    return tuple(
        _hkdf(labelled(b"secret", b""), shared, count.to_bytes(2, "big") + labelled(label, context), count)
        for label, count in ((b"key", 32), (b"base_nonce", 12)))


# Writing

def _seal(stanza, file_key, plaintext, rand):
    head = f"age-encryption.org/v1\n{stanza}---".encode()
    mac = hmac.new(_hkdf(file_key, b"", b"header"), head, hashlib.sha256).digest()
    nonce = rand(16)
    return head + f" {_b64(mac)}\n".encode() + nonce + seal_payload(plaintext, _hkdf(file_key, nonce, b"payload"))


def seal_payload(plaintext, key):
    """The chunks alone, under a key that seals nothing else."""
    key = ChaCha20Poly1305(key)
    chunks = [plaintext[start:start + CHUNK_BYTE_COUNT] for start in range(0, len(plaintext), CHUNK_BYTE_COUNT)] or [b""]
    boxes = [key.encrypt(_nonce(index, len(chunks)), chunk, None) for index, chunk in enumerate(chunks)]
    return b"".join(boxes)


def _nonce(index, count):
    """Of a chunk of the payload: its number, and whether it is the last."""
    return index.to_bytes(11, "big") + bytes([index == count - 1])


def seal_x25519(plaintext, recipient, rand):
    public, file_key, ephemeral = unbech32("age", recipient), rand(16), Identity(rand(32))
    shared = ephemeral.key.exchange(X25519PublicKey.from_public_bytes(public))
    body = ChaCha20Poly1305(_x25519_key(shared, ephemeral.public, public)).encrypt(bytes(12), file_key, None)
    return _seal(f"-> X25519 {_b64(ephemeral.public)}\n{_b64(body)}\n", file_key, plaintext, rand)


def seal_hybrid(plaintext, recipient, rand):
    file_key = rand(16)
    enc, shared = mlkem.encapsulate(parse_recipient(recipient)[1], rand)
    key, nonce = _hybrid_key(shared)
    body = ChaCha20Poly1305(key).encrypt(nonce, file_key, None)
    return _seal(f"-> mlkem768x25519 {_b64(enc)}\n{_b64(body)}\n", file_key, plaintext, rand)


def seal(plaintext, recipient, rand):
    seal = seal_hybrid if parse_recipient(recipient)[0] == "mlkem768x25519" else seal_x25519
    return seal(plaintext, recipient, rand)


def seal_scrypt(plaintext, passphrase, log_n, rand):
    file_key, salt = rand(16), rand(16)
    body = ChaCha20Poly1305(_scrypt(passphrase, salt, log_n)).encrypt(bytes(12), file_key, None)
    return _seal(f"-> scrypt {_b64(salt)} {log_n}\n{_b64(body)}\n", file_key, plaintext, rand)


# Reading

def parse_header(file):
    """(stanzas as (arguments, body), the bytes under the MAC, MAC, payload offset)"""
    position, lines = 0, []
    while True:
        end = file.find(b"\n", position)
        if end < 0:
            raise AgeFault("malformed", "the age header has no end")
        try:
            lines.append(file[position:end].decode("ascii"))
        except UnicodeDecodeError:
            raise AgeFault("malformed", "the age header is not ASCII") from None
        if lines[-1].startswith("---"):
            break
        position = end + 1
    if lines[0] != "age-encryption.org/v1" or not lines[-1].startswith("--- "):
        raise AgeFault("malformed", "not an age v1 file")
    stanzas, rest = [], lines[1:-1]
    while rest:
        arguments, body = rest.pop(0).split(" "), []
        if arguments[0] != "->" or len(arguments) < 2 or "" in arguments:
            raise AgeFault("malformed", "a stanza has another form")
        while rest and not rest[0].startswith("->"):
            body.append(rest.pop(0))
        if not body or any(len(line) != 64 for line in body[:-1]) or len(body[-1]) >= 64:
            raise AgeFault("malformed", "a stanza body has another form")
        stanzas.append((arguments[1:], _unb64("".join(body))))
    return stanzas, file[:position + 3], _unb64(lines[-1][4:]), end + 1


def _unwrap(arguments, body, identities, passphrase):
    """The keys to try for a stanza, each with its nonce."""
    if arguments[0] == "X25519" and len(arguments) == 2 and len(body) == 32:
        ephemeral = _unb64(arguments[1])
        for identity in identities:
            if isinstance(identity, Identity):
                shared = identity.key.exchange(X25519PublicKey.from_public_bytes(ephemeral))
                yield _x25519_key(shared, ephemeral, identity.public), bytes(12)
    elif arguments[0] == "mlkem768x25519" and len(arguments) == 2 and len(body) == 32:
        enc = _unb64(arguments[1])
        for identity in identities:
            if isinstance(identity, HybridIdentity):
                try:
                    yield _hybrid_key(identity.kem.decapsulate(enc))
                except mlkem.KEMFault:
                    raise AgeFault("malformed", "a post-quantum stanza has another form") from None
    elif arguments[0] == "scrypt" and len(arguments) == 3 and len(body) == 32:
        if passphrase is not None:
            yield _scrypt(passphrase, _unb64(arguments[1]), int(arguments[2])), bytes(12)
    else:
        raise AgeFault("malformed", "a stanza that is not understood")


def open_file(file, identities=(), passphrase=None):
    """Opens a file of one stanza. Who calls has looked at the work factor."""
    stanzas, head, mac, offset = parse_header(file)
    for wrap_key, nonce in _unwrap(*stanzas[0], identities, passphrase):
        try:
            file_key = ChaCha20Poly1305(wrap_key).decrypt(nonce, stanzas[0][1], None)
            break
        except InvalidTag:
            continue
    else:
        raise AgeFault("cannot-open", "wrong passphrase or identity")
    if not hmac.compare_digest(hmac.new(_hkdf(file_key, b"", b"header"), head, hashlib.sha256).digest(), mac):
        raise AgeFault("authentication-failed", "the age header was changed")
    nonce, payload = file[offset:offset + 16], file[offset + 16:]
    return open_payload(payload, _hkdf(file_key, nonce, b"payload"))


def open_payload(payload, key):
    key, size = ChaCha20Poly1305(key), CHUNK_BYTE_COUNT + 16
    boxes = [payload[start:start + size] for start in range(0, len(payload), size)] or [b""]
    if len(boxes) > 1 and len(boxes[-1]) <= 16:
        raise AgeFault("authentication-failed", "the last chunk is empty")
    try:
        return b"".join(key.decrypt(_nonce(index, len(boxes)), box, None) for index, box in enumerate(boxes))
    except InvalidTag:
        raise AgeFault("authentication-failed", "the age payload was changed") from None
