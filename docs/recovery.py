"""Shows records of a vault, opened. Standard input: what `age -d` gave for a slot. Arguments: record files."""
import base64, hashlib, hmac, json, os, struct, sys, uuid
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

lp = lambda data: struct.pack(">I", len(data)) + data
enc = lambda label, *items: lp(label.encode()) + struct.pack(">I", len(items)) + b"".join(map(lp, items))
kdf = lambda key, label, items, size: HKDF(hashes.SHA256(), size, VAULT, enc(label, *items)).derive(key)
unbox = lambda key, text, extra: AESGCM(key).decrypt((b := base64.b64decode(text))[:12], b[12:], extra)

class Literal(str):
    """A number as it stands in the file."""

def tree(value):
    if value is None or isinstance(value, bool): return bytes([0 if value is None else 1 + value])
    if isinstance(value, str): return (b"\3" if isinstance(value, Literal) else b"\4") + lp(value.encode())
    count = struct.pack(">I", len(value))
    if isinstance(value, list): return b"\5" + count + b"".join(map(tree, value))
    members = sorted((name.encode(), item) for name, item in value.items())
    return b"\6" + count + b"".join(lp(name) + tree(item) for name, item in members)

def reveal(value, key):
    if isinstance(value, list): return [reveal(item, key) for item in value]
    if isinstance(value, dict): return {name: reveal(item, key) for name, item in value.items()}
    if isinstance(value, Literal) or not isinstance(value, str) or not value.startswith("es1:"): return value
    hint, sealed_at, box = value.split(":")[1:]
    extra = enc("ecv/1/field", b"\1", base64.urlsafe_b64decode(hint + "="), sealed_at.encode(), VAULT, RECORD)
    return unbox(key, box, extra).rstrip(b"\0")[:-1].decode()

def write_attachment(name, attachment, data_key):
    """Opens `attachments/` below the working directory to opened/ID/NAME."""
    key = ChaCha20Poly1305(kdf(data_key, "ecv/1/attachment", [RECORD, uuid.UUID(name).bytes], 32))
    path, whole, number = f"attachments/{name[:2]}/{name}", hashlib.sha256(), 0
    os.makedirs(f"opened/{name}", 0o700, exist_ok=True)
    with open(path, "rb") as sealed, open(f"opened/{name}/{attachment['name']}", "wb") as content:
        box = sealed.read(65552)
        while box:
            after = sealed.read(65552)
            content.write(key.decrypt(number.to_bytes(11, "big") + bytes([not after]), box, None))
            whole.update(box)
            box, number = after, number + 1
    if whole.hexdigest() != attachment["sha256"]: sys.exit(f"{path}: was changed")

slot = dict(line.split(" ") for line in sys.stdin.read().splitlines())
VAULT, ROOT = uuid.UUID(slot["vault"]).bytes, base64.b64decode(slot["root"])
ROOT_ID = kdf(ROOT, "ecv/1/root", [], 48)[:16]
for path in sys.argv[1:]:
    record = json.load(open(path, encoding="utf-8"), parse_int=Literal, parse_float=Literal)
    envelope = record["$vault"]
    if envelope["format"] != "1" or envelope.get("requires", ["attachments"]) != ["attachments"]:
        sys.exit(f"{path}: needs a newer version of vault")
    RECORD = uuid.UUID(envelope["id"]).bytes
    extra = enc("ecv/1/data-key-wrap-ad", VAULT, RECORD, ROOT_ID)
    data_key = unbox(kdf(ROOT, "ecv/1/data-key-wrap", [ROOT_ID], 32), envelope.pop("key").split(":")[2], extra)
    keys = kdf(data_key, "ecv/1/record", [RECORD], 72)
    mac = base64.b64decode(envelope.pop("mac"))
    message = enc("ecv/1/record-mac", VAULT, RECORD, tree(record))
    if hmac.digest(keys[32:64], message, "sha256") != mac: sys.exit(f"{path}: was changed")
    for name, attachment in envelope.get("attachments", {}).items(): write_attachment(name, attachment, data_key)
    print(json.dumps(reveal(record, keys[:32]), ensure_ascii=False))
