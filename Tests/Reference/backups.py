"""Backups (docs/format-v1.md, section 14, Backups): `archive`, `backup_list`, `read_backup`, and the hostile ones of the vectors.

`read_backup` opens an age file and gives {path below the vault's folder: bytes} and the list, if there is one. It refuses
what the format refuses; the MAC of the list is checked by `check_list`, which needs the root key.
"""

import hmac
import re

import agefile
import attacks
import vaultdir
from attacks import FIRST, GONE, path
from samples import LATER_ROOT, NOW, ROOT, VAULT, identity
from vaultref import (
    ATTACHMENT_BYTE_LIMIT, FILE_BYTE_LIMIT, Number, Refused, Root, Seeded, SLOT_BYTE_LIMIT, a_date, a_root_id, an_id,
    an_integer, b64, b64url, bytes_of, check_members, check_record, compact, date_text, enc, id_text, mac, parse, pretty,
    stored_size, tree_bytes, unb64)

BLOCK = 512
LIST = "backup.jsonl"
REST = "-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
ID = "[0-9a-f]{8}" + REST
LIST_BYTE_LIMIT = 512 << 20
# The files of an archive in their order, each with its size limit.
MEMBERS = [
    (r"vault/vault\.json", FILE_BYTE_LIMIT), (rf"vault/slots/{ID}\.age", SLOT_BYTE_LIMIT),
    (r"vault/checkpoint\.jsonl", LIST_BYTE_LIMIT),
    (rf"vault/records/([0-9a-f]{{2}})/\1[0-9a-f]{{6}}{REST}\.json", FILE_BYTE_LIMIT),
    (rf"vault/trash/{ID}\.json", FILE_BYTE_LIMIT),
    (rf"vault/attachments/([0-9a-f]{{2}})/\1[0-9a-f]{{6}}{REST}", stored_size(ATTACHMENT_BYTE_LIMIT)),
    (r"vault/\.gitattributes", 1 << 20), (r"vault/\.gitignore", 1 << 20),
    (r"backup\.jsonl", LIST_BYTE_LIMIT)]
LIST_MEMBERS = {
    "format": an_integer, "vault": an_id, "root": a_root_id, "header_revision": an_integer, "created_at": a_date,
    "items": vaultdir.a_hash, "mac": bytes_of(32)}


def refuse(reason):
    raise Refused("archive", "malformed", reason)


def order(name):
    """(place among MEMBERS, name), or None for a name that does not belong into an archive."""
    for number, (pattern, _) in enumerate(MEMBERS):
        if re.fullmatch(pattern, name):
            return number, name
    return None


# Writing

def block(name, size, time=NOW, kind=b"0", mode=b"0000600", user=b"0000000", link=b"", prefix=b"", size_field=None):
    head = bytearray(BLOCK)
    fields = [(0, name.encode()), (100, mode), (108, user), (116, b"0000000"), (124, size_field or b"%011o" % size),
              (136, b"%011o" % time), (148, b" " * 8), (156, kind), (157, link), (257, b"ustar\0" + b"00"),
              (329, b"0000000"), (337, b"0000000"), (345, prefix)]
    for offset, data in fields:
        head[offset:offset + len(data)] = data
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head)


def entry(name, data, **changes):
    return block(name, len(data), **changes) + data + bytes(-len(data) % BLOCK)


def archive(entries, end=bytes(2 * BLOCK)):
    return b"".join(entries) + end


def list_mac(document, root):
    return vaultdir.document_mac(document, root, "ecv/1/backup", "backup")


def backup_list(tree, root=ROOT, header_revision=3, lines=None, **changes):
    lines = [[name, vaultdir.sha256_hex(tree[name]), Number(str(len(tree[name])))]
             for name in in_order(tree)] if lines is None else lines
    members = {"created_at": date_text(NOW), "format": Number("1"), "vault": id_text(root.vault),
               "header_revision": Number(str(header_revision)), **changes}
    return vaultdir.Listing.made(members, lines, root, list_mac)


def in_order(files):
    return sorted(files, key=lambda name: order("vault/" + name))


def entries_of(files, attested=None):
    made = [entry("vault/" + name, files[name]) for name in in_order(files)]
    return made + ([entry(LIST, attested.data)] if attested else [])


def seal(data, seed="backup"):
    return agefile.seal_x25519(data, identity().recipient, Seeded(seed))


# Reading

def files_of(data):
    """Yields (name, bytes) of an archive; anything else than the format's own spelling is refused."""
    offset, last, made = 0, (-1, ""), None
    while data[offset:offset + BLOCK] != bytes(BLOCK):
        head = data[offset:offset + BLOCK]
        name = head[:100].split(b"\0")[0].decode("ascii", "replace")
        try:
            size, time = int(head[124:135], 8), int(head[136:147], 8)
        except ValueError:
            refuse("a number of another form")
        if len(head) < BLOCK or head != block(name, size, time):
            refuse("a file header of another form, or no regular file")
        made = time if made is None else made
        if time != made:
            refuse("files of several times")
        here = order(name)
        if here is None or here <= last or last[0] < 0 and here[0] != 0:
            refuse("a foreign name, a file twice, or another order")
        if size > MEMBERS[here[0]][1] or offset + BLOCK + size > len(data):
            refuse("too large, or cut off")
        start, last = offset + BLOCK, here
        offset = start + size + -size % BLOCK
        if any(data[start + size:offset]):
            refuse("something between two files")
        yield name, data[start:start + size]
    if data[offset:] != bytes(2 * BLOCK) or last[0] < 0:
        refuse("another end")


def read_backup(file, identities=(), passphrase=None):
    found = dict(files_of(agefile.open_file(file, identities, passphrase)))
    listing = vaultdir.Listing.parsed(found.pop(LIST), "backup-list", LIST_BYTE_LIMIT) if LIST in found else None
    files = {name.removeprefix("vault/"): data for name, data in found.items()}
    header = parse(files["vault.json"])
    vaultdir.check_header(header)
    slots = {f"slots/{slot['id']}.age": slot["sha256"] for slot in header["slots"]}
    if slots != {name: vaultdir.sha256_hex(data) for name, data in files.items() if name.startswith("slots/")}:
        refuse("other slots than the header lists")
    check_attachments(files)
    if listing is not None:
        check_form(listing, header, files)
    return files, listing


def check_attachments(files):
    """Exactly those that records name, each as it is named; with a record that cannot be read there may be more."""
    named, all_read = {}, True
    for name in (name for name in files if name.startswith(("records/", "trash/"))):
        try:
            document = parse(files[name])
            check_record(document)
        except Refused:
            all_read = False
            continue
        for attachment, members in document["$vault"].get("attachments", {}).items():
            file = members["sha256"], stored_size(int(members["size"].literal))
            if named.setdefault(f"attachments/{attachment[:2]}/{attachment}", file) != file:
                refuse("an attachment that two records name differently")
    there = {name: (vaultdir.sha256_hex(data), len(data)) for name, data in files.items()
             if name.startswith("attachments/") and (all_read or name in named)}
    if there != named:
        refuse("other attachments than its records name")


def check_form(listing, header, files):
    head = listing.head
    check_members(head, LIST_MEMBERS, {}, "backup-list")
    if (listing.items != backup_list(files, ROOT).items or head["vault"] != header["id"]
            or head["root"] != header["root"]["id"] or head["header_revision"] != header["revision"]):
        raise Refused("backup-list", "malformed", "the list is of something else")


def check_list(listing, root):
    if not hmac.compare_digest(unb64(listing.head["mac"]), list_mac(listing.head, root)):
        raise Refused("backup-list", "authentication-failed", "the list was changed")


# The vectors: a small vault, and one fault each

def small(root=ROOT, revision=3, first=2, seed=""):
    """A vault with one slot, a record and a removed one: {path: bytes}."""
    files = [next(attacks.slot_files(root))]
    head = attacks.header(root, revision, [], files)
    records = [attacks.record(FIRST, root, first, seed=seed),
               attacks.record(GONE, root, 2, seed=seed, deleted_at=date_text(NOW))]
    return attacks.vault(head, records, attacks.checkpoint(records, 2, root, head), files)


class Hostile:
    def __init__(self, name, layer, description, data, code=13, sealed=None):
        self.name, self.layer, self.description, self.code = name, layer, description, code
        self.file = sealed or seal(data, name)


def changed_entry(name, description, **changes):
    """The record's file header with other fields."""
    files = small()
    made = [entry("vault/" + item, files[item], **(changes if item == path(FIRST) else {})) for item in in_order(files)]
    return Hostile(name, "archive", description, archive(made + [entry(LIST, backup_list(files).data)]))


def with_extra(name, description, extra_name, data=b"x", **changes):
    """One more file, where its name would stand."""
    files, made = small(), []
    names = sorted([("vault/" + item) for item in files] + [extra_name], key=lambda item: order(item) or (4, item))
    for item in names:
        made.append(entry(item, data, **changes) if item == extra_name else entry(item, files[item[6:]]))
    return Hostile(name, "archive", description, archive(made))


def kinds():
    for name, kind, what in (
            ("hard-link", b"1", "a hard link"), ("symbolic-link", b"2", "a symbolic link"), ("device", b"3", "a device"),
            ("block-device", b"4", "a block device"), ("directory", b"5", "a directory"), ("fifo", b"6", "a FIFO"),
            ("contiguous", b"7", "a contiguous file"), ("old-file", b"\0", "a file of the old form"),
            ("pax-header", b"x", "a pax header"), ("pax-global", b"g", "a global pax header"),
            ("gnu-long-name", b"L", "a long name of GNU tar"), ("gnu-sparse", b"S", "a sparse file of GNU tar")):
        link = b"/etc/passwd" if kind in b"12" else b""
        yield changed_entry(name, f"{what} in place of a record", kind=kind, link=link)


def headers():
    yield changed_entry("owner", "a file of another owner", user=b"0001750")
    yield changed_entry("mode", "a file that others may write to", mode=b"0000666")
    yield changed_entry("set-user-id", "a file with the set-user-ID bit", mode=b"0004755")
    yield changed_entry("prefix", "a name in two parts", prefix=b"vault")
    yield changed_entry("link-target", "a regular file with the target of a link", link=b"/etc/passwd")
    yield changed_entry("time", "a file of another time", time=NOW + 1)
    yield changed_entry("bomb", "a file that claims 8 GiB", size_field=b"7" * 11)
    yield changed_entry("bomb-base256", "a file that claims 2^63 bytes in the form of GNU tar",
                        size_field=b"\x80" + bytes(3) + b"\x7f" + b"\xff" * 7)
    yield changed_entry("negative-size", "a file of a negative size", size_field=b"-0000000001")
    files = small()
    good = archive(entries_of(files, backup_list(files)))
    yield Hostile("checksum", "archive", "a header with another sum", good[:150] + b"7" + good[151:])
    yield Hostile("not-ustar", "archive", "an archive of GNU tar's own form",
                  good.replace(b"ustar\x0000", b"ustar  \0"))


def names():
    root, upper = "vault/", path(FIRST).replace("0a/0a", "0A/0A")
    for name, description, extra in (
            ("absolute", "an absolute name", "/etc/passwd"), ("dot-dot", "a name that leads out", "../outside"),
            ("dot-dot-inside", "a name that leads out of the vault's folder", root + "../outside"),
            ("dot-dot-record", "a name with a detour", root + "records/../records/0a/x.json"),
            ("dot", "a name with a dot", root + "./vault.json"), ("double-slash", "a name with two slashes", root + "/vault.json"),
            ("backslash", "a name with backslashes", root + "records\\0a\\x.json"),
            ("no-folder", "a file outside the vault's folder", "vault.json"),
            ("other-folder", "a file of another folder", "Vault/vault.json"),
            ("case-twin-header", "a header that differs in case", root + "Vault.json"),
            ("case-twin-record", "a record that differs in case", root + upper),
            ("trailing-dot", "a name with a dot behind it", root + "vault.json."),
            ("stray", "a file that does not belong to a vault", root + "records/0a/notes.txt"),
            ("git-hook", "a hook of git", root + ".git/hooks/post-checkout"),
            ("lock", "the lock of a vault", root + ".lock"), ("journal", "a journal", root + ".journal.json"),
            ("staged", "a staged file", root + ".staging/x"),
            ("wrong-folder", "a record in another folder", root + path(FIRST).replace("records/0a", "records/0b"))):
        yield with_extra("name-" + name, description, extra)


def orders():
    files = small()
    made = {name: entry("vault/" + name, files[name]) for name in files}
    line = entry(LIST, backup_list(files).data)
    good = [made[name] for name in in_order(files)]
    first = made[path(FIRST)]
    index = good.index(first)
    yield Hostile("duplicate", "archive", "a record twice", archive(good[:index] + [first] + good[index:] + [line]))
    yield Hostile("duplicate-later", "archive", "a second header at the end", archive(good + [made["vault.json"], line]))
    yield Hostile("order", "archive", "the records before the slots",
                  archive([good[0], first, *good[1:index], *good[index + 1:], line]))
    yield Hostile("header-late", "archive", "something before the header", archive([good[1], good[0], *good[2:], line]))
    yield Hostile("list-early", "archive", "the list before a file", archive(good[:-1] + [line, good[-1]]))
    yield Hostile("no-header", "archive", "no header", archive(good[1:]))
    yield Hostile("empty", "archive", "nothing", archive([]))
    yield Hostile("end-missing", "archive", "no end", archive(good, b""))
    yield Hostile("end-short", "archive", "half an end", archive(good, bytes(BLOCK)))
    yield Hostile("end-long", "archive", "blocks behind the end", archive(good, bytes(3 * BLOCK)))
    yield Hostile("tail", "archive", "a file behind the end", archive(good) + first)
    yield Hostile("padding", "archive", "something between two files", archive(good).replace(b"\n\0\0", b"\n\0x", 1))
    yield Hostile("cut", "archive", "the archive ends in a file", archive(good)[:3000])


def streams():
    files = small()
    good = seal(archive(entries_of(files, backup_list(files))))
    yield Hostile("age-cut", "age", "the age file is cut", None, sealed=good[:-700])
    yield Hostile("age-cut-header", "age", "the age file is cut in its header", None, sealed=good[:120])
    yield Hostile("age-tail", "age", "something behind the age file", None, sealed=good + b"\n")
    yield Hostile("age-other-recipient", "age", "sealed to somebody else", None, 11,
                  agefile.seal_x25519(b"x", agefile.Identity(Seeded("mallory")(32)).recipient, Seeded("other")))
    large = bytes(3 * agefile.CHUNK_BYTE_COUNT)
    boxes, size = seal(large), agefile.CHUNK_BYTE_COUNT + 16
    start = len(boxes) - 3 * size
    yield Hostile("age-order", "age", "two chunks of the age file change places", None, sealed=(
        boxes[:start] + boxes[start + size:start + 2 * size] + boxes[start:start + size] + boxes[start + 2 * size:])[:start + 9 * 1024])


def lists():
    files = small()
    good = backup_list(files)
    forger = Root(Seeded("mallory")(32), VAULT)
    fewer = {name: data for name, data in files.items() if name != path(FIRST)}
    lines = good.items
    head = lambda **changes: vaultdir.Listing({**good.head, **changes}, lines)
    remade = lambda *lines: backup_list(files, lines=list(lines))
    path_of, hash_of, size = lines[0]
    for name, description, listing in (
            ("forged", "a list whose MAC somebody without the key made", head(mac=b64(list_mac(good.head, forger)))),
            ("mac-removed", "a list with an empty MAC", head(mac="")),
            ("time-changed", "a list whose time was changed", head(created_at="2030-01-01T00:00:00Z")),
            ("other-vault", "a list of another vault", backup_list(files, vault=id_text(Seeded("other")(16)))),
            ("other-root", "a list under a retired root", backup_list(files, LATER_ROOT)),
            ("other-revision", "a list of another header", backup_list(files, header_revision=2)),
            ("file-missing", "a list that leaves a file out", remade(*lines[1:])),
            ("file-added", "a list with a file that is not there", backup_list({**files, path(FIRST, True): b"{}"})),
            ("hash", "a list with another hash", remade([path_of, "00" * 32, size], *lines[1:])),
            ("size", "a list with another size", remade([path_of, hash_of, Number("1")], *lines[1:])),
            ("unsorted", "a list in another order", remade(*lines[::-1])),
            ("twice", "a list that names a file twice", remade(lines[0], *lines)),
            ("foreign-name", "a list with a foreign name", remade(["../" + path_of, hash_of, size], *lines[1:])),
            ("line", "a list without the line of a file", vaultdir.Listing(good.head, lines[1:])),
            ("member", "a list with an unknown member", backup_list(files, note="x")),
            ("format", "a list of a later format", backup_list(files, format=Number("2")))):
        yield Hostile("list-" + name, "backup-list", description, archive(entries_of(files, listing)))
    yield Hostile("list-cut", "backup-list", "a list that names a record which the archive lost",
                  archive(entries_of(fewer, good)))


def vaults():
    files = small()
    slot = next(name for name in files if name.startswith("slots/"))
    head = parse(files["vault.json"])
    first = parse(files[path(FIRST)])
    stolen = attacks.record(FIRST, Root(Seeded("mallory")(32), VAULT), 3, seed="stolen")
    point = vaultdir.Listing.parsed(files[vaultdir.CHECKPOINT_FILE], "checkpoint", 1 << 20)
    for name, layer, description, changes in (
            ("slot-missing", "slot", "without the file of a slot", {slot: None}),
            ("slot-added", "slot", "with a slot that the header does not list", {slot.replace(slot[6:10], "0000"): files[slot]}),
            ("slot-changed", "slot", "with another slot file", {slot: files[slot][:-1] + b"x"}),
            ("header-changed", "header", "with a header that was changed", {
                "vault.json": pretty({**head, "created_at": "2020-01-01T00:00:00Z"})}),
            ("record-changed", "record", "with a record that was changed", {
                path(FIRST): pretty({**first, "name": "Mallory"})}),
            ("record-forged", "record", "with a record under another root", {path(FIRST): pretty(stolen)}),
            ("record-in-trash", "directory", "with a live record in the trash", {
                path(FIRST): None, path(FIRST, True): files[path(FIRST)]}),
            ("record-twin", "directory", "with a record that is also in the trash, of the same revision", {
                path(FIRST, True): pretty(attacks.record(FIRST, ROOT, 2, deleted_at=date_text(NOW)))}),
            ("record-no-json", "json", "with a record that is none", {path(FIRST): b"{"}),
            ("record-lost", "checkpoint", "without a record that the checkpoint lists", {path(FIRST): None}),
            ("record-older", "checkpoint", "with a record older than the checkpoint lists", {
                path(FIRST): pretty(attacks.record(FIRST, ROOT, 1))}),
            ("checkpoint-changed", "checkpoint", "with a checkpoint that was changed", {
                vaultdir.CHECKPOINT_FILE: vaultdir.Listing({**point.head, "sequence": Number("9")}, point.items).data})):
        made = {item: data for item, data in {**files, **changes}.items() if data is not None}
        code = 16 if name in ("record-lost", "record-older") else 13
        yield Hostile("vault-" + name, layer, "a backup without a list " + description, archive(entries_of(made)), code)
    other = Root(Seeded("new vault")(32), Seeded("new vault id")(16))
    yield Hostile("other-vault", "pin", "another vault for the same recipient",
                  archive(entries_of(small(other), backup_list(small(other), other))), 16)
    rebuilt = Root(Seeded("rebuilt")(32), VAULT)
    yield Hostile("other-root", "pin", "the vault rebuilt under another root key",
                  archive(entries_of(small(rebuilt, 9), backup_list(small(rebuilt, 9), rebuilt, 9))), 16)
    for name, description, old in (
            ("older-header", "an older header", small(revision=2)), ("older-record", "an older record", small(first=1)),
            ("forked-record", "another version of a record", small(seed="forked"))):
        revision = 2 if name == "older-header" else 3
        yield Hostile(name, "pin", "a good backup with " + description,
                      archive(entries_of(old, backup_list(old, header_revision=revision))), 16)


def hostile():
    for made in (kinds(), headers(), names(), orders(), streams(), lists(), vaults()):
        yield from made


def good():
    files = small()
    yield "attested", "a backup with its list", seal(archive(entries_of(files, backup_list(files)))), files
    yield "unattested", "a backup without a list", seal(archive(entries_of(files))), files
