"""Backups of a vault with attachments: a good one, and one fault each (docs/format-v1.md, section 14, Backups; section 15, Attachments)."""

import agefile
import attacks
from attacks import FIRST, GONE, SECOND
from backups import LIST, Hostile, archive, backup_list, entry, in_order, order, seal
from samples import NOW, ROOT, VAULT
from vaultdir import sha256_hex
from vaultref import Number, RecordKeys, Seeded, date_text, id_bytes, id_text

ONE, OTHER = (id_text(bytes([first]) + bytes(range(15))) for first in (0x3e, 0xd4))
STRANGER = id_text(bytes([0x3f]) + bytes(range(15)))
CONTENTS, LARGE = {ONE: bytes(range(256)) * 3, OTHER: b""}, bytes(range(256)) * 300


def path(attachment):
    return f"attachments/{attachment[:2]}/{attachment}"


def stored(attachment, record, content):
    keys = RecordKeys(Seeded(f"data key {record} ")(32), VAULT, id_bytes(record))
    return agefile.seal_payload(content, keys.attachment_key(id_bytes(attachment)))


def naming(record, revision, attachment, file, size, **envelope):
    members = {"name": "contract.pdf", "size": Number(str(size)), "sha256": sha256_hex(file)}
    return attacks.record(record, ROOT, revision, attachments={attachment: members}, requires=["attachments"], **envelope)


def attached(*more, contents=CONTENTS):
    """A vault with a record and a removed one, each of which has an attachment: {path: bytes}."""
    slots = [next(attacks.slot_files(ROOT))]
    head = attacks.header(ROOT, 3, [], slots, requires=["attachments"])
    files = {id_of: stored(id_of, record, contents[id_of]) for id_of, record in ((ONE, FIRST), (OTHER, GONE))}
    records = [naming(FIRST, 2, ONE, files[ONE], len(contents[ONE])),
               naming(GONE, 2, OTHER, files[OTHER], 0, deleted_at=date_text(NOW)), *more]
    tree = attacks.vault(head, records, attacks.checkpoint(records, 2, ROOT, head), slots)
    return {**tree, **{path(id_of): file for id_of, file in files.items()}}


def made(files, **changes):
    """All but the list, which would tell, too; `changes` are those of the header of the first attachment."""
    return [entry("vault/" + name, files[name], **(changes if name == path(ONE) else {})) for name in in_order(files)]


def changed(name, description, data=None, **changes):
    files = attached()
    if data is not None or not changes:
        files[path(ONE)] = data
    files = {item: content for item, content in files.items() if content is not None}
    return Hostile("attachment-" + name, "archive", description, archive(made(files, **changes)))


def hostile():
    files = attached()
    good = files[path(ONE)]
    yield changed("missing", "without an attachment that a record names")
    yield changed("changed", "with an attachment of which one byte is another", good[:300] + b"x" + good[301:])
    yield changed("exchanged", "with another attachment under its name", stored(ONE, SECOND, CONTENTS[ONE]))
    yield changed("shorter", "with an attachment that is cut", good[:300])
    yield changed("longer", "with an attachment with a byte behind it", good + b"x")
    yield changed("no-chunk", "with an attachment of no bytes", b"")
    yield changed("claims-less", "with an attachment that is larger than its header says", size_field=b"00000001000")
    yield changed("claims-more", "with an attachment that claims 1 GiB, and ends before", size_field=b"10000000000")
    yield changed("bomb", "with an attachment that claims 8 GiB", size_field=b"7" * 11)
    yield changed("link", "with a link in place of an attachment", kind=b"2", link=b"/etc/passwd")
    entries, names = made(files), in_order(files)
    place = names.index(path(ONE))
    yield Hostile("attachment-cut", "archive", "the archive ends in an attachment", archive(entries[:place + 1])[:-1800])
    yield Hostile("attachment-twice", "archive", "an attachment twice",
                  archive(entries[:place] + [entries[place]] + entries[place:]))
    yield Hostile("attachment-early", "archive", "an attachment before the records", archive(
        [entries[0], entries[place], *entries[1:place], *entries[place + 1:]]))
    for name, description, extra in (
            ("unnamed", "with an attachment that no record names", path(STRANGER)),
            ("dot-dot", "with an attachment whose name leads out", f"attachments/3e/../../../{STRANGER}"),
            ("folder", "with an attachment in another folder", f"attachments/3e/{STRANGER}"),
            ("case-twin", "with an attachment whose name differs in case", path(ONE).replace("3e", "3E")),
            ("suffix", "with an attachment that has a suffix", path(STRANGER) + ".age")):
        position = place + 1 if order("vault/" + extra) else place
        yield Hostile("attachment-" + name, "archive", description, archive(
            entries[:position] + [entry("vault/" + extra, good)] + entries[position:]))
    twin = attached(naming(SECOND, 1, ONE, b"x", 0))
    yield Hostile("attachment-of-two", "archive", "two records name two files by one id", archive(made(twin)))
    forged = attached()
    forged[path(ONE)] = good[:-1] + b"x"
    yield Hostile("attachment-list", "archive", "a list of an attachment that is not the one that its record names",
                  archive(made(forged) + [entry(LIST, backup_list(forged).data)]))


def good():
    files = attached(contents={**CONTENTS, ONE: LARGE})
    yield "attached", "a backup with attachments", seal(archive(made(files) + [entry(LIST, backup_list(files).data)])), files
