#!/usr/bin/env python3
"""Merges three versions of a record and makes cases of it, for others to agree with.

Made from docs/format-v1.md, sections 6.2, Revisions and merges, and 6.3, Former values, and the rules of
docs/decisions/0073.

    python3 merging.py SEED COUNT

Prints COUNT lines of JSON, each with a vault, its two root keys, a record, three versions and what they become with the
keys and without them: a text, or conflicts `reason` or `reason path`, sorted.
"""

import json
import random
import sys

import former
from vaultref import (
    Number, RecordKeys, Refused, Root, Seeded, b64, compact_time, date_text, id_bytes, id_text, is_token, json_copy,
    make_record, open_record, parse, parse_date, pretty, split_wrap, unb64)

START = 1_800_000_000


class Conflict(Exception):
    def __init__(self, *reasons):
        super().__init__(*reasons)
        self.reasons = sorted(reasons)


# Versions

class Version:
    def __init__(self, text):
        try:
            self.document = parse(text.encode())
            self.envelope = self.document["$vault"]
            self.fields = {name: item for name, item in self.document.items() if name != "$vault"}
        except (Refused, KeyError, TypeError):
            raise Conflict("unreadable") from None
        self.revision = int(self.envelope["revision"].literal)
        self.mac = unb64(self.envelope["mac"])
        self.time = parse_date(self.envelope["updated_at"])

    @property
    def former(self):
        return self.envelope.get("former", {})

    @property
    def removed(self):
        return "deleted_at" in self.envelope

    def without_key(self):
        return self.fields, {name: item for name, item in self.envelope.items() if name != "key"}

    def says_as(self, other):
        """All but the wrap, which no MAC covers."""
        return self.without_key() == other.without_key()

    def order(self):
        return self.revision, self.time, self.mac


class Keys:
    """`roots`: first 8 bytes of the id to a Root."""

    def __init__(self, roots, vault):
        self.roots, self.vault = roots, vault

    def of(self, version):
        """The keys of a version that verifies, else None."""
        try:
            return open_record(version.document, self.roots, self.vault)[0]
        except Refused:
            return None

    def same_text(self, one, other, version):
        keys = self.of(version)
        return keys is not None and same_text(keys, one, other)


def same_text(keys, one, other):
    try:
        return keys.fields.open(one) == keys.fields.open(other)
    except Refused:
        return False


# The rules

def merge(base, ours, theirs, record, trashed, newest_hint, keys=None):
    """The text of the merged version; `base` may be None, `keys` is None without any. Raises Conflict."""
    base, ours, theirs = (text and Version(text) for text in (base, ours, theirs))
    versions = [version for version in (base, ours, theirs) if version]
    if any(version.envelope["id"] != record for version in versions):
        raise Conflict("other_record")
    if any(one.mac == other.mac and not one.says_as(other) for one in versions for other in versions):
        raise Conflict("unauthenticated")
    merger = Merger(base, ours, theirs, trashed, newest_hint, keys)
    if (ours.fields == theirs.fields and ours.removed == theirs.removed and ours.former == theirs.former
            and merger.are_one_kind("schema")):
        return merger.equal()
    if base and base.says_as(ours):
        return merger.whole(theirs, ours)
    if base and base.says_as(theirs):
        return merger.whole(ours, theirs)
    return merger.joined()


class Merger:
    def __init__(self, base, ours, theirs, trashed, newest_hint, keys):
        self.base, self.ours, self.theirs, self.keys = base, ours, theirs, keys
        self.trashed, self.newest_hint = trashed, newest_hint
        self.conflicts, self.equal_tokens = [], set()

    def are_one_kind(self, *more):
        names = ("kind", "created_at", "requires") + more
        return all(self.ours.envelope.get(name) == self.theirs.envelope.get(name) for name in names)

    def refuse_older(self, version):
        if self.base and version.revision < self.base.revision:
            raise Conflict("older")

    def verifies(self, version):
        return self.keys.of(version) is not None

    # One of them

    def equal(self):
        """Both say the same: the later, of those that verify."""
        first, second = sorted((self.ours, self.theirs), key=Version.order)
        self.refuse_older(second)
        if self.keys:
            good = [version for version in (second, first) if self.verifies(version)]
            if not good:
                raise Conflict("unverified")
            if len(good) == 1:
                self.refuse_older(good[0])
                return self.written(good[0], None)
            if first.revision == second.revision and first.mac != second.mac:
                return self.sealed(second.fields, second.former)
        return self.written(second, first)

    def whole(self, changed, unchanged):
        self.refuse_older(changed)
        return self.written(changed, unchanged)

    def written(self, version, other):
        if version.removed != self.trashed:
            raise Conflict("misplaced")
        document = version.document
        if other:
            own, others = version.envelope["key"], other.envelope["key"]
            # Of one version either wrap would do. Of two, that under the newer root, since both wrap one data key here.
            if version.mac == other.mac or split_wrap(own)[0] != split_wrap(others)[0]:
                document = {**document, "$vault": {**version.envelope, "key": self.newer_wrap()}}
        text = pretty(document).decode()
        if self.keys and not self.verifies(Version(text)):
            raise Conflict("unverified")
        return text

    def newer_wrap(self):
        """The one that was changed since the base, else the one under the root that the header names."""
        wraps = [version.envelope["key"] for version in (self.ours, self.theirs)]
        hints = [split_wrap(wrap)[0] for wrap in wraps]
        if hints[0] == hints[1]:
            return min(wraps)
        if self.base:
            before = split_wrap(self.base.envelope["key"])[0]
            if before in hints:
                return wraps[1 - hints.index(before)]
        if self.newest_hint not in hints:
            raise Conflict("key")
        return wraps[hints.index(self.newest_hint)]

    # Both have changed it

    def joined(self):
        for version in (self.ours, self.theirs):
            self.refuse_older(version)
        if self.ours.removed != self.theirs.removed:
            raise Conflict("removed")
        if not self.are_one_kind():
            raise Conflict("envelope")
        if not self.are_one_kind("schema"):
            raise Conflict("schema")
        if self.keys and not all(self.verifies(version) for version in (self.base, self.ours, self.theirs) if version):
            raise Conflict("unverified")
        fields = self.tree(self.base.fields if self.base else {}, self.ours.fields, self.theirs.fields, ())
        if self.conflicts:
            raise Conflict(*self.conflicts)
        before = former.joined(
            self.base and self.base.former, self.ours.former, self.theirs.former,
            [self.ours.fields, self.theirs.fields], fields, self.equal_tokens, self.base and self.base.fields)
        for side, other in ((self.ours, self.theirs), (self.theirs, self.ours)):
            if (side.fields == fields and side.former == before and side.revision > other.revision
                    and side.time >= other.time):
                return self.written(side, other)
        if not self.keys:
            raise Conflict("needs_key")
        return self.sealed(fields, before)

    def sealed(self, fields, before):
        """The version after both."""
        both = [self.ours.envelope, self.theirs.envelope]
        newest = max(self.ours.time, self.theirs.time)
        envelope = {
            **both[0], "key": self.newer_wrap(),
            "revision": Number(str(1 + max(self.ours.revision, self.theirs.revision))),
            "updated_at": max(item["updated_at"] for item in both if parse_date(item["updated_at"]) == newest)}
        if self.ours.removed:
            envelope["deleted_at"] = max((item["deleted_at"] for item in both), key=parse_date)
        if self.ours.removed != self.trashed:
            raise Conflict("misplaced")
        root = self.keys.roots[split_wrap(envelope["key"])[0]]
        record = id_bytes(envelope["id"])
        record_keys = RecordKeys(root.unwrap(root.data_wrap(record), envelope["key"]), root.vault, record)
        envelope.pop("former", None)
        if kept := former.pruned(before, fields, lambda one, other: same_text(record_keys, one, other)):
            envelope["former"] = kept
        document = {**fields, "$vault": envelope}
        envelope["mac"] = b64(record_keys.mac_of(document))
        return pretty(document).decode()

    def tree(self, base, ours, theirs, path):
        merged = {}
        for name in {**base, **ours, **theirs}:
            value = self.member(base.get(name, NONE), ours.get(name, NONE), theirs.get(name, NONE), path + (name,))
            if value is not NONE:
                merged[name] = value
        return merged

    def member(self, base, ours, theirs, path):
        if ours == theirs or theirs == base:
            return ours
        if ours == base:
            return theirs
        if isinstance(ours, dict) and isinstance(theirs, dict):
            return self.tree(base if isinstance(base, dict) else {}, ours, theirs, path)
        if path == ("tags",) and (base is NONE or are_words(base)) and are_words(ours) and are_words(theirs):
            before = [] if base is NONE else base
            kept = [word for word in before if word in ours and word in theirs]
            return kept + sorted({*ours, *theirs} - {*before}, key=str.encode)
        if is_token(ours) and is_token(theirs) and self.keys:
            if self.keys.same_text(ours, theirs, self.ours):
                self.equal_tokens |= {ours, theirs}
                # The one that was sealed later, then the smaller.
                latest = max(token.split(":")[2] for token in (ours, theirs))
                return min(token for token in (ours, theirs) if token.split(":")[2] == latest)
            if is_token(base) and self.base:
                if self.keys.same_text(base, ours, self.base):
                    return theirs
                if self.keys.same_text(base, theirs, self.base):
                    return ours
        gone = ours is NONE or theirs is NONE
        reason = "removed_member" if gone else "sealed" if is_token(ours) and is_token(theirs) else "value"
        self.conflicts.append(f"{reason} {'.'.join(path)}")
        return ours


NONE = object()


def are_words(value):
    return isinstance(value, list) and all(isinstance(item, str) and not is_token(item) for item in value) \
        and len(value) == len(set(value))


# Cases

FORMER_PATHS = ("password", "pin", 'codes[0]', '["odd.name"].key')


class Case:
    def __init__(self, seed):
        self.draw, self.rand = random.Random(seed), Seeded(f"merging/{seed}")
        self.vault = self.rand(16)
        self.roots = [Root(self.rand(32), self.vault) for _ in range(2)]
        self.record, self.data_key = id_text(self.rand(16)), self.rand(32)
        self.secrets = RecordKeys(self.data_key, self.vault, id_bytes(self.record)).fields
        self.members = {
            "title": "A", "username": "ada", "tags": ["a", "b", "c"], "address": {"city": "Paris", "zip": "75001"},
            "count": Number("1.50")}
        self.sealed = {("password",): self.token("rose", 0), ("pin",): self.token("0815", 0)}
        self.former = {}
        for path in FORMER_PATHS:
            if self.draw.random() < 0.3:
                self.former[path] = [self.former_token() for _ in range(self.draw.randrange(1, 6))]

    def token(self, text, second):
        return self.secrets.seal(text, compact_time(START + second), self.rand)

    def former_token(self):
        return self.token(self.draw.choice(["rose", "lily", "tulip", "fern", "moss", "0815"]), self.draw.randrange(9))

    def former_of(self, changes):
        """The former values of a side, as a writer of any kind could leave them."""
        draw, lists = self.draw, {path: list(tokens) for path, tokens in self.former.items()}
        for path in changes:
            if path in self.sealed and draw.random() < 0.8:
                lists.setdefault(path[0], []).insert(0, self.sealed[path])
        for path in FORMER_PATHS:
            if draw.random() < 0.1:
                lists.setdefault(path, []).insert(draw.randrange(2), self.former_token())
            if draw.random() < 0.1 and path in lists:
                lists[path].pop(draw.randrange(len(lists[path])))
            if draw.random() < 0.05:
                lists.pop(path, None)
        return {path: tokens for path, tokens in lists.items() if tokens}

    def version(self, changes, revision, second, removed, before):
        """A version with some members changed; None takes one away. `before`: its former values."""
        tree = json_copy({**self.members, **{path[0]: token for path, token in self.sealed.items()}})
        for path, value in changes.items():
            holder = tree
            for name in path[:-1]:
                holder = holder[name]
            if value is None:
                holder.pop(path[-1], None)
            else:
                holder[path[-1]] = value
        thousandths = self.draw.choice([0, 500])
        envelope = {
            "id": self.record, "kind": "login", "schema": Number("1"), "revision": Number(str(revision)),
            "created_at": date_text(START), "updated_at": date_text(START + second, thousandths * 1_000_000)}
        if before:
            envelope["former"] = before
        if removed:
            envelope["deleted_at"] = date_text(START + second)
        return make_record(tree, {}, envelope, self.roots[0], Seeded("one wrap"), self.data_key)

    def change(self):
        draw = self.draw
        choices = [
            (("title",), ["B", "C"]), (("username",), ["eve", None]), (("address", "city"), ["Oslo", "Rome"]),
            (("address", "zip"), ["0150", None]), (("note",), ["new", "newer"]),
            (("count",), [Number("1.5"), Number("2")]),
            (("tags",), [["a", "b"], ["a", "b", "c", "z"], ["b", "x", "a", "c"], []]), (("list",), [["a"], ["b"]]),
            (("password",), "secret"), (("pin",), "secret")]
        path, values = draw.choice(choices)
        if values != "secret":
            return path, draw.choice(values)
        text = draw.choice(["rose", "0815", "lily", "tulip", None])
        return path, text and self.token(text, draw.randrange(9))

    def side(self):
        draw = self.draw
        changes = dict(self.change() for _ in range(draw.randrange(4)))
        removed = draw.random() < 0.08
        before = self.former_of(changes)
        if not changes and not removed and before == self.former:
            document = json_copy(self.base)
        else:
            revision = draw.choice([4, 4, 5, 6]) if draw.random() > 0.05 else 2
            document = self.version(changes, revision, draw.randrange(4, 9), removed, before)
        if draw.random() < 0.1:
            record = id_bytes(self.record)
            document["$vault"]["key"] = self.roots[1].wrap(self.roots[1].data_wrap(record), self.data_key, self.rand)
        if draw.random() < 0.06:
            document["title"] = draw.choice(["by hand", "B"])
        return document

    def made(self):
        self.base = self.version({}, 3, 3, False, self.former)
        sides = [pretty(self.side()).decode() for _ in range(2)]
        base = None if self.draw.random() < 0.08 else pretty(self.base).decode()
        trashed = all("deleted_at" in Version(text).envelope for text in sides)
        case = {
            "vault": id_text(self.vault), "roots": [root.key.hex() for root in self.roots], "record": self.record,
            "trashed": trashed, "base": base, "ours": sides[0], "theirs": sides[1]}
        for name, keys in (("keyed", Keys({root.id[:8]: root for root in self.roots}, self.vault)), ("keyless", None)):
            try:
                text = merge(base, *sides, self.record, trashed, self.roots[1].id[:8], keys)
                assert text == merge(base, *reversed(sides), self.record, trashed, self.roots[1].id[:8], keys)
                case[name] = text
            except Conflict as conflict:
                case[name + "_conflicts"] = conflict.reasons
        return case


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for number in range(int(sys.argv[2])):
        print(json.dumps(Case(f"{sys.argv[1]}/{number}").made()))


if __name__ == "__main__":
    main()
