"""Negative vectors: one fault each, with the layer that must refuse it and one word for the error.

`negatives()` yields (file name, document); `refuse(document)` runs one the way a reader would and returns
(layer, error).
"""

import base64

import agefile
import vaultdir
from samples import (
    DATA_KEY, LATER_ROOT, OLD_ROOT, OTHER, RECORD, ROOT, SEALED_AT, VAULT, checkpoint, customer, customer_with_former,
    deposit_keys, former_tokens, header, hybrid_slot_file, keyring, plugin_slot, slot_entry, slot_files)
from vaultref import (
    Number, RecordKeys, Refused, Root, Seeded, b64, b64url, check_record, id_bytes, id_text, is_token, open_record, pad,
        parse,
    pretty, seal_box, unb64)

KEYS = RecordKeys(DATA_KEY, VAULT, RECORD)


# What is no list of names as `requires` has it.
NO_LISTS = ([], ["later", "later"], ["later", "even-later"], ["Later"], [""], ["1st"], ["a" * 65], ["späte"], [["later"]],
            [Number("1")], ["later", None], "later", {}, {"later": True}, None, True, [f"x{i:02}" for i in range(17)])
# Lists that ask for what nobody knows yet.
LISTS = (["later"], ["even-later", "later"], ["a" * 64], [f"x{i:02}" for i in range(16)])


def document(input_name, layer, error, description, *cases):
    return {"description": description, "input": input_name, "layer": layer, "error": error, "cases": list(cases)}


def flipped(text, index=0):
    """The same bytes with one bit of byte `index` changed, as base64."""
    data = bytearray(unb64(text))
    data[index] ^= 1
    return b64(bytes(data))


def next_letter(text, index):
    """Changes unused bits of a base64 text: the next letter of the alphabet at `index`."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    index %= len(text)
    return text[:index] + alphabet[alphabet.index(text[index]) + 1] + text[index + 1:]


# JSON

def json_vectors():
    for name, error, description, *texts in (
            ("byte-order-mark", "byte-order-mark", "begins with a byte order mark", b"\xef\xbb\xbf{}"),
            ("invalid-utf8", "invalid-utf8", "bytes that are not UTF-8", b'"\xff"', b'"\xc0\xaf"', b'"\xed\xa0\x80"',
             b'"\xf4\x90\x80\x80"'),
            ("lone-surrogate", "lone-surrogate", "half of a surrogate pair", b'"\\ud800"', b'"\\udc00\\ud800"',
             b'{"\\ud800":1}'),
            ("duplicate-member", "duplicate-member", "one name twice", b'{"a":1,"a":1}', b'{"a":1,"\\u0061":2}',
             b'{"":{},"":{}}'),
            ("equivalent-members", "equivalent-members", "two spellings of one name",
             '{"é":1,"e\u0301":2}'.encode(), b'{"\\u00e9":1,"e\\u0301":2}', '{"\u212b":1,"\u00c5":2}'.encode()),
            ("too-deep", "too-deep", "depth 65", b"[" * 65 + b"]" * 65, b"[" * 64 + b"1" + b"]" * 64,
             b'{"a":' * 65 + b"1" + b"}" * 65),
            ("number-too-long", "number-too-long", "a number of 65 bytes", b"9" * 65, b"0." + b"1" * 63),
            ("grammar", "invalid-json", "not RFC 8259", b"", b" ", b"01", b"1.", b".5", b"+1", b"1e", b"NaN",
             b"-Infinity", b"tru", b"True",
             b"[1,]", b'{"a":1,}', b"[1 2]", b"{a:1}", b"'a'", b'"a', b'"\n"', b'"\\x"', b'"\\u12"', b"[] []", b"[]]",
             b"// a\n1",
             b"\x0b1", "\u00a01".encode(), b'"\x00"')):
        yield f"json-{name}", document("json", "json", error, description, *({"json_base64": b64(text)}
            for text in texts))


# Tokens

def token_case(token, record=RECORD):
    return {"field_key_hex": KEYS.field_key.hex(), "hint": b64url(KEYS.hint), "vault_id": id_text(VAULT),
        "record_id": id_text(record),
            "token": token}


def token_vectors():
    good = KEYS.fields.seal("correct horse", SEALED_AT, Seeded("bad token"))
    longer = KEYS.fields.seal("a" * 40, SEALED_AT, Seeded("bad token"))
    hint, _, box = good.split(":")[1:]
    other_record, other_vault = RecordKeys(DATA_KEY, VAULT, OTHER), RecordKeys(DATA_KEY, OTHER, RECORD)
    pasted = other_record.fields.seal("correct horse", SEALED_AT, Seeded("bad token"))
    sealed = lambda plaintext: token_case(KEYS.fields.seal_padded(plaintext, SEALED_AT, Seeded("bad token")))
    with_box = lambda text: token_case(f"es1:{hint}:{SEALED_AT}:{text}")
    at = lambda text: token_case(good.replace(SEALED_AT, text))
    tokens = lambda *texts: [token_case(text) for text in texts]
    for name, error, description, cases in (
            ("shape", "malformed", "not the form of a token", tokens(
                "", "es1:", good + ":", good.replace("es1", "ES1"), good.replace("es1", "es01"), " " + good,
                f"es1:{hint[:-1]}:{SEALED_AT}:{box}", f"es1:{hint}:2026-11-21T01:40:28Z:{box}")),
            ("version", "malformed", "another version", tokens(good.replace("es1", "es2"))),
            ("base64-not-canonical", "not-canonical", "unused bits set, wrong padding, wrong alphabet", [
                token_case(next_letter(longer, -2)), token_case(longer.rstrip("=")), token_case(longer + "="),
                    with_box(box[:-1]),
                with_box(box + "\n"), with_box("-" + box[1:]), with_box(" " + box)]),
            ("hint-not-canonical", "not-canonical", "unused bits set in the hint", tokens(good.replace(hint,
             next_letter(hint, -1)))),
            ("hint-wrong", "wrong-hint", "the hint of another key", tokens(good.replace(hint, b64url(bytes(8))))),
            ("sealed-at-impossible", "invalid-date", "sealed at no real time", [at(text) for text in (
                "20261321T014028Z", "20260230T014028Z", "20261121T244028Z", "20261121T014060Z", "00001121T014028Z",
                    "20261121t014028Z",
                "20261121T014028z", "2026-11-21T01402")]),
            ("sealed-at-changed", "authentication-failed", "another time than sealed", [at("20261121T014029Z")]),
            ("box-too-short", "too-short", "no room for nonce and tag", [with_box(b64(bytes(27))), with_box("")]),
            ("tag-short", "authentication-failed", "the tag cut to 15 bytes or to 1", [
                with_box(b64(unb64(box)[:-1])), with_box(b64(unb64(box)[:-15]))]),
            ("tag-flipped", "authentication-failed", "one bit of the tag", [with_box(flipped(box, -1))]),
            ("ciphertext-flipped", "authentication-failed", "one bit of the ciphertext", [with_box(flipped(box, 12))]),
            ("nonce-flipped", "authentication-failed", "one bit of the nonce", [with_box(flipped(box, 0))]),
            ("other-record", "authentication-failed", "sealed for another record under the same key and hint", [
                token_case(KEYS.fields.seal("x", SEALED_AT, Seeded("r")), OTHER)]),
            ("pasted", "wrong-hint", "a token of another record, or of another vault", [token_case(pasted), token_case(
                other_vault.fields.seal("correct horse", SEALED_AT, Seeded("bad token")))]),
            ("padding-byte", "bad-padding", "no 80 before the zeros, or something after it", [
                sealed(b"correct horse".ljust(32, b"\0")), sealed(b"correct horse\x81".ljust(32, b"\0")),
                sealed(b"correct horse\x80".ljust(31, b"\0") + b"\x01"), sealed(bytes(32)), sealed(b"")]),
            ("padding-size", "bad-padding", "another size than the text's own", [
                sealed(pad(b"correct horse") + bytes(32)), sealed(b"correct horse\x80"), sealed(b"a" * 30 + b"\x80"),
                sealed(pad(b"a" * 256) + bytes(32)), sealed((b"a" * 600 + b"\x80").ljust(640, b"\0") + bytes(32))]),
            ("not-utf8", "invalid-utf8", "the text is not UTF-8", [sealed(pad(b"\xff")), sealed(pad(b"\xed\xa0\x80")),
             sealed(pad(b"\xc3"))])):
        yield f"token-{name}", document("token", "token", error, description, *cases)


# Wraps

def wrap_vectors():
    good = ROOT.wrap(ROOT.data_wrap(RECORD), DATA_KEY, Seeded("bad wrap"))
    version, hint, box = good.split(":")
    other_vault = Root(ROOT.key, OTHER)
    case = lambda wrap: {"vault_id": id_text(VAULT), "record_id": id_text(RECORD), "root_key_hex": ROOT.key.hex(),
        "wrap": wrap}
    under = lambda box_text: f"{version}:{hint}:{box_text}"
    # The same AEAD key, another associated data, so that nothing but the associated data differs.
    key, associated = ROOT.data_wrap(RECORD)
    for name, error, description, *wraps in (
            ("shape", "malformed", "not the form of a wrap", "", "k2" + good[2:], good + "A", good[:-1], good + "\n",
             good.replace("k1:", "k1::")),
            ("root-hint", "unknown-root", "names another root", f"k1:{b64url(OLD_ROOT.id[:8])}:{box}"),
            ("hint-not-canonical", "not-canonical", "unused bits set in the hint", f"k1:{next_letter(hint, -1)}:{box}"),
            ("base64-not-canonical", "not-canonical", "the wrong alphabet, or padding that is too much",
             under("-" + box[1:]), under(box[:-1] + "=")),
            ("other-record", "authentication-failed", "the wrap of another record", ROOT.wrap(ROOT.data_wrap(OTHER),
             DATA_KEY, Seeded("w"))),
            ("other-vault", "authentication-failed", "associated data of another vault",
             under(b64(seal_box(key, DATA_KEY, other_vault.data_wrap(RECORD)[1], Seeded("w"))))),
            ("no-associated-data", "authentication-failed", "sealed without associated data",
             under(b64(seal_box(key, DATA_KEY, b"", Seeded("w"))))),
            ("tag-flipped", "authentication-failed", "one bit of the tag", under(flipped(box, -1)))):
        yield f"wrap-{name}", document("wrap", "wrap", error, description, *map(case, wraps))


# Records

def record_case(tree, path=None, sealed_paths=("access_key", "atm_code"), text=None):
    """`root_keys_hex`: the current root and one that is open-only; LATER_ROOT plays the retired one."""
    name = id_text(RECORD)
    return {"vault_id": id_text(VAULT), "root_keys_hex": [ROOT.key.hex(), OLD_ROOT.key.hex()], "path": path
        or f"records/{name[:2]}/{name}.json",
            "sealed_paths": list(sealed_paths), "file": text if text is not None else pretty(tree).decode()}


def changed(change, again=True):
    """A good record after `change(tree, envelope)`; `again`: with a MAC made after it."""
    tree = customer()
    change(tree, tree["$vault"])
    if again:
        tree["$vault"]["mac"] = b64(KEYS.mac_of(tree))
    return record_case(tree)


def setting(again=True, **members):
    return changed(lambda tree, envelope: envelope.update(members), again)


def record_vectors():
    def swap(tree, _): tree["access_key"], tree["atm_code"] = tree["atm_code"], tree["access_key"]
    def rename(tree, _): tree["nickname"] = tree.pop("name")
    def move(tree, _): tree["zip"] = tree["address"].pop("zip")
    def number(tree, _): tree["address"]["zip"] = Number("87112")
    def add(tree, _): tree["note"] = "new"
    def drop(tree, _): del tree["contact_info"]
    def edit(tree, _): tree["contact_info"]["email"] = "other@example.com"
    def clear(tree, _): tree["access_key"] = "correct horse"
    def flip_mac(_, envelope): envelope["mac"] = flipped(envelope["mac"])
    def loose_mac(_, envelope): envelope["mac"] = next_letter(envelope["mac"], -2)
    def newer_token(tree, _): tree["address"]["city"] = "es2:unknown"
    def pasted(tree, _): tree["access_key"] = RecordKeys(DATA_KEY, VAULT, OTHER).fields.seal("x", SEALED_AT,
        Seeded("paste"))
    def no_envelope(tree, _): del tree["$vault"]
    def without(name): return changed(lambda _, envelope: envelope.pop(name), again=False)

    n, name, other = Number, id_text(RECORD), id_text(OTHER)
    composed = changed(lambda tree, _: tree.update(name="Zoë"))
    decomposed = {**composed, "file": composed["file"].replace("Zoë", "Zoe\u0301")}
    literal = changed(lambda tree, _: tree.update(price=n("1.5")))
    retired = {**record_case(customer(root=LATER_ROOT))}
    trashed = customer(revision=n("2"), deleted_at="2026-11-21T01:40:28Z")
    text = pretty(customer()).decode()
    failed = "authentication-failed"
    for file, layer, error, description, *cases in (
            ("mac-flipped", "record", failed, "one bit of the MAC", changed(flip_mac, False)),
            ("mac-not-canonical", "record", "malformed", "unused bits set, or not 32 bytes", changed(loose_mac, False),
             setting(False, mac=b64(bytes(31)))),
            ("member-renamed", "record", failed, "a readable member under another name", changed(rename, False)),
            ("member-moved", "record", failed, "a readable member in another place", changed(move, False)),
            ("member-added", "record", failed, "a member more", changed(add, False)),
            ("member-removed", "record", failed, "a member less", changed(drop, False)),
            ("value-changed", "record", failed, "a readable value edited", changed(edit, False)),
            ("value-decomposed", "record", failed, "a value normalised to form D", decomposed),
            ("number-type", "record", failed, "text made a number", changed(number, False)),
            ("number-literal", "record", failed, "1.5 written 1.50", {**literal, "file": literal["file"].replace("1.5",
             "1.50")}),
            ("kind-changed", "record", failed, "another kind", setting(False, kind="login")),
            ("envelope-changed", "record", failed, "another schema, revision or time", setting(False, schema=n("2")),
             setting(False, revision=n("2")), setting(False, updated_at="2026-11-21T01:40:29Z"), setting(False,
             created_at="2026-11-21T01:40:28.000Z")),
            ("tokens-swapped", "record", failed, "two tokens of one record exchanged", changed(swap, False)),
            ("token-replaced-by-text", "record", failed, "clear text in place of a token, the old MAC", changed(clear,
             False)),
            ("clear-text", "record", "clear-text", "clear text where the kind wants a token, under a good MAC",
             changed(clear)),
            ("token-version", "token", "malformed", "a token of another version, under a good MAC",
             changed(newer_token)),
            ("token-pasted", "token", "wrong-hint", "a token of another record, under a good MAC", changed(pasted)),
            ("envelope-missing", "record", "malformed", "no $vault, or none that is an object",
             record_case({"name": "x"}),
             record_case([]), record_case({"$vault": "x"})),
            ("envelope-unknown-member", "record", "unknown-member", "a member that format 1 does not have",
             setting(note="x")),
            ("envelope-member-missing", "record", "missing-member", "a member of format 1 is not there", *map(without, (
                "format", "id", "key", "kind", "mac", "revision", "schema", "created_at", "updated_at"))),
            ("format-newer", "record", "unknown-format", "another format, whatever else is there",
             setting(format=n("2")),
             record_case({"$vault": {"format": n("2"), "other": None}}), setting(format=n("0"))),
            ("requires-unknown", "record", "unknown-extension", "requires an extension that is not known, whatever else is there",
             *(setting(requires=names) for names in LISTS), setting(requires=["later"], note="x", mac=None),
             record_case({"$vault": {"format": n("1"), "requires": ["later"]}})),
            ("requires-form", "record", "malformed", "requires something that is no list of names, in order, each once",
             *(setting(requires=names) for names in NO_LISTS)),
            ("requires-edited", "record", "unknown-extension", "requires an extension, the old MAC",
             setting(False, requires=["later"])),
            ("format-malformed", "record", "malformed", "format is no number", setting(format="1"),
             setting(format=None)),
            ("integer", "record", "malformed", "integers in another form", *(setting(revision=n(text)) for text in (
                "0", "-1", "1.0", "1e0", "1000000000000000000")), setting(revision="1"), setting(schema=n("0"))),
            ("date", "record", "malformed", "a date that does not exist", setting(updated_at="2026-02-30T00:00:00Z"),
             setting(created_at=n("1"))),
            ("kind-name", "record", "malformed", "not the name of a kind", *(setting(kind=text) for text in ("",
             "Customer", "1password", "a" * 65, "a\n"))),
            ("id-form", "record", "malformed", "an id in another form", setting(id=name.upper()),
             setting(id=name.replace("-", "")), setting(id="{" + name + "}")),
            ("duplicate-member", "json", "duplicate-member", "a member twice", record_case(None,
             text=text.replace('"name" :', '"atm_code" :'))),
            ("wrap-of-other-record", "wrap", failed, "the data key of another record", setting(
                False, key=ROOT.wrap(ROOT.data_wrap(OTHER), DATA_KEY, Seeded("w")))),
            ("wrap-of-other-key", "record", failed, "another data key, wrapped well", setting(
                False, key=ROOT.wrap(ROOT.data_wrap(RECORD), bytes(32), Seeded("w")))),
            ("wrap-form", "wrap", "malformed", "not the form of a wrap", setting(False, key="k1:")),
            ("root-retired", "wrap", "unknown-root", "under a retired or unknown root", retired),
            ("name-wrong", "directory", "wrong-name", "in the file of another record", record_case(customer(),
             f"records/{other[:2]}/{other}.json")),
            ("folder-wrong", "directory", "stray-entry", "in another folder", record_case(customer(),
             f"records/ff/{name}.json")),
            ("place-wrong", "directory", "wrong-place", "deleted_at among the records, none in the trash",
             record_case(trashed),
             record_case(customer(), f"trash/{name}.json"))):
        yield f"record-{file}", document("record", layer, error, description, *cases)


# Former values

# What is no path of a former value, or none in its written form.
NO_PATHS = (
    "", ".", "a.", ".a", "a..b", "a b.", "[", "a]", "a[", "a[]", "a[-1]", "a[01]", "a[1234567890]", "a[1].[2]", "a[1]b",
    'a"b', "a\\b", "a\tb", "a\x7fb", "a\x85b", '["a"]', '["a.b', '["a.b"', "['a.b']", '["a.b"]c', '["a.b"].',
    '["\\u0041."]', '["a\\.b"]', '["a\\nb"]', '["a\nb"]', '["a\\u007F"]', '["a\\u000a\\u000A"]', "$vault", "$vault.kind",
    "$vault[0]", "$vault.former.access_key", "[0]", "[0].pin")


def with_former(former, again=True):
    tree = customer_with_former()
    tree["$vault"]["former"] = former
    if again:
        tree["$vault"]["mac"] = b64(KEYS.mac_of(tree))
    return record_case(tree)


def moved_about(change):
    """A good record whose former values `change(lists, tree)` moves about, with its old MAC."""
    tree = customer_with_former()
    change(tree["$vault"]["former"], tree)
    return record_case(tree)


def former_value_vectors():
    one, two = former_tokens("battery staple", "horse battery")
    box = one.rsplit(":", 1)[1]
    other_key = former_tokens("battery staple", data_key=bytes(32))
    def to_other_path(lists, _): lists["atm_code"] = lists.pop("contact_info.pin")
    def to_other_list(lists, _): lists["contact_info.pin"].append(lists["access_key"].pop())
    def reverse(lists, _): lists["access_key"].reverse()
    def drop(lists, _): lists["access_key"].pop(0)
    def drop_path(lists, _): del lists["access_key"]
    def drop_all(_, tree): del tree["$vault"]["former"]
    def repeat(lists, _): lists["atm_code"] = [lists["access_key"][0]]
    def add(lists, tree): lists["access_key"].insert(0, tree["access_key"])
    def bring_back(lists, tree): tree["access_key"], lists["access_key"][0] = lists["access_key"][0], tree["access_key"]
    def keep(lists, tree): tree["access_key"] = lists["access_key"][0]
    malformed, failed = "malformed", "authentication-failed"
    for file, layer, error, description, *cases in (
            ("form", "record", malformed, "no object of lists, an empty one, an empty list, or more than 20 values",
             *map(with_former, (
                 {}, [], None, True, "x", Number("1"), [one], {"access_key": []}, {"access_key": one},
                 {"access_key": {"0": one}}, {"access_key": None}, {"access_key": [one], "atm_code": []},
                 {"access_key": former_tokens(*(f"key {number}" for number in range(21)))}))),
            ("path", "record", malformed, "a name that is no path in its written form, or one into $vault",
             *(with_former({path: [one]}) for path in NO_PATHS)),
            ("token", "record", malformed, "an element that is no token of this version",
             *(with_former({"access_key": [one, element]}) for element in (
                 "", "horse battery", "es2" + one[3:], two + "=", two + "\n", " " + two, two.replace(":2026", ":2O26"),
                 one.replace(box, b64(bytes(27))), [two], None, Number("1"), {"token": two}))),
            ("twice", "record", malformed, "one token twice in a list", with_former({"access_key": [one, one]}),
             with_former({"access_key": [one, two, one]})),
            ("edited", "record", failed,
             "values moved, reordered, dropped, repeated, added or brought back, the old MAC", *map(moved_about, (
                 to_other_path, to_other_list, reverse, drop, drop_path, drop_all, repeat, add, bring_back, keep)),
             with_former({"access_key": [one]}, False)),
            ("pasted", "token", "wrong-hint", "a token of another record, or of another data key, under a good MAC",
             with_former({"access_key": [one, *former_tokens("horse", record=OTHER)]}),
             with_former({"access_key": other_key}))):
        yield f"record-former-{file}", document("record", layer, error, description, *cases)


# Headers, slots, checkpoints

def header_case(tree):
    return {"root_key_hex": ROOT.key.hex(), "file": pretty(tree).decode()}


def header_vectors():
    good, entries = header(), keyring()
    slots, root, hybrid = good["slots"], good["root"], slot_entry(hybrid_slot_file())
    deposit = deposit_keys()
    slot = lambda index, **members: header(slots=[{**item, **(members if i == index else {})} for i,
        item in enumerate(slots)])
    entry = lambda index, **members: header(keyring=[{**item, **(members if i == index else {})} for i,
        item in enumerate(entries)])
    lacking = lambda item, name: {key: value for key, value in item.items() if key != name}
    edited = lambda **members: {**header(keyring=entries), **members}
    failed, attacker = "authentication-failed", agefile.Identity(Seeded("attacker")(32)).recipient
    swapped = ROOT.wrap(ROOT.root_wrap(LATER_ROOT.id), LATER_ROOT.key, Seeded("k"))
    misnamed = ROOT.wrap(ROOT.root_wrap(OLD_ROOT.id), LATER_ROOT.key, Seeded("k"))
    for name, layer, error, description, *trees in (
            ("mac-flipped", "header", failed, "one bit of the MAC", edited(mac=flipped(good["mac"]))),
            ("revision-changed", "header", failed, "another revision", edited(revision=Number("2"))),
            ("slots-edited", "header", failed, "a slot removed, another label, another recipient",
             edited(slots=slots[:1]),
             edited(slots=[{**slots[0], "label": "x"}, slots[1]]), edited(slots=[{**slots[0], "recipient": attacker},
             slots[1]])),
            ("keyring-edited", "header", failed, "an entry removed or of another state", edited(keyring=entries[1:]),
             edited(
                keyring=[entries[0], {**lacking(entries[1], "wrap"), "state": "retired"}])),
            ("kinds-edited", "header", failed, "a kind added", edited(kinds={"wifi": {}})),
            ("unknown-member", "header", "unknown-member", "a member that format 1 does not have", header(note="x"),
             header(root={**root, "note": "x"}), slot(0, note="x")),
            ("keyring-unknown-member", "keyring", "unknown-member", "a member that format 1 does not have", entry(0,
             note="x")),
            ("member-missing", "header", "missing-member", "a member of format 1 is not there", lacking(good,
             "keyring"), lacking(good, "kinds"),
             lacking(good, "mac"), header(root=lacking(root, "commitment")), header(slots=[lacking(slots[0],
             "sha256")])),
            ("format-newer", "header", "unknown-format", "another format", header(format=Number("2"), other=None)),
            ("requires-unknown", "header", "unknown-extension",
             "requires an extension that is not known, whatever else is there", *(
                header(requires=names) for names in LISTS), header(requires=["later"], note="x"),
             {"format": Number("1"), "requires": ["later"]}),
            ("requires-form", "header", "malformed", "requires something that is no list of names, in order, each once", *(
                header(requires=names) for names in NO_LISTS)),
            ("former-form", "header", "malformed", "a number of former values that is none from 0 to 20", *(
                header(former=count) for count in (
                    *map(Number, ("21", "-1", "-0", "5.0", "1e1", "100")), "5", None, True, [Number("5")], {}))),
            ("former-edited", "header", failed, "another number of former values", edited(former=Number("20")),
             edited(former=Number("5")), {**header(former=Number("20")), "former": Number("0")},
             lacking(header(former=Number("20")), "former")),
            ("deposit-form", "header", "malformed", "no keys of deposits: another recipient, too many, no token, no list of signers", *(
                header(deposit={**deposit, **members}) for members in (
                    {"recipient": plugin_slot()["recipient"]}, {"recipient": deposit["recipient"].upper()}, {"recipient": ""},
                    {"key": ""}, {"id": ""}, {"wrap": ""}, {"signers": ""}, {"signers": "x" * (64 << 10) + "x"},
                    {"earlier": {}}, {"earlier": [deposit] * 17}, {"earlier": [{**deposit, "recipient": ""}]}))),
            ("deposit-edited", "header", failed, "keys of deposits added, removed, of another recipient, other signers",
             {**good, "deposit": deposit}, lacking(header(deposit=deposit), "deposit"),
             {**header(deposit=deposit), "deposit": {**deposit, "recipient": attacker}},
             {**header(deposit=deposit), "deposit": {**deposit, "signers": "x"}}),
            ("no-slot", "header", "malformed", "no slot", header(slots=[])),
            ("slot-twice", "header", "malformed", "an id or a recipient twice", header(slots=[slots[0], slots[0]]),
             header(
                slots=[slots[0], {**slots[0], "id": id_text(OTHER)}])),
            ("slot-form", "header", "malformed", "another kind, a recipient too many, none, or a wrong one",
             slot(0, kind="ssh"),
             slot(1, recipient=slots[0]["recipient"]), header(slots=[lacking(slots[0], "recipient")]),
             slot(0, recipient=slots[0]["recipient"][:-1] + "x"), slot(0, recipient=slots[0]["recipient"].upper()),
             slot(0, recipient="age2" + slots[0]["recipient"][4:]), slot(0, recipient=slots[0]["recipient"][:-1]),
             slot(0, kind="plugin"), slot(0, recipient=plugin_slot()["recipient"]),
             slot(0, kind="plugin", recipient=agefile.bech32("age1a/b", bytes(20))),
             slot(0, recipient=""), slot(0, sha256=slots[0]["sha256"].upper()), slot(0, kind="mlkem768x25519"),
             slot(0, recipient=hybrid["recipient"]), header(slots=[lacking(hybrid, "recipient")]),
             header(slots=[{**hybrid, "kind": "scrypt"}]),
             header(slots=[{**hybrid, "recipient": agefile.bech32("age1pq", bytes(1215))}])),
            ("root-twice", "header", "malformed", "roots whose ids begin alike", header(keyring=[{
                **entries[0], "id": b64url(ROOT.id[:8] + bytes(8))}])),
            ("kind-name", "header", "malformed", "a kind that shadows a built-in one, or has no valid name",
             header(kinds={"customer": {}}),
             header(kinds={"Wifi": {}}), header(kinds={"wifi": True})),
            ("keyring-state", "keyring", "malformed", "a retired root with a wrap, one that opens without, other words",
             entry(0, wrap=entries[1]["wrap"]), header(keyring=[lacking(entries[1], "wrap")]), entry(0, state="open"),
             entry(0, reason="x")),
            ("keyring-wrap-of-other", "wrap", failed, "the wrap of another older root", entry(1, wrap=swapped)),
            ("keyring-wrong-key", "keyring", "wrong-root", "another root key than the entry names, wrapped well",
             entry(1, wrap=misnamed)),
            ("keyring-commitment", "keyring", "wrong-root", "another commitment than that of the root key", entry(1,
             commitment=b64(bytes(32)))),
            ("commitment", "header", "wrong-commitment", "another commitment, under a good MAC", header(root={**root,
             "commitment": b64(bytes(32))})),
            ("root-id", "slot", "wrong-root", "another root id, under a good MAC", header(root={**root,
             "id": b64url(bytes(16))})),
            ("other-vault", "slot", "wrong-vault", "the id of another vault, under a good MAC",
             header(id=id_text(OTHER)))):
        yield f"header-{name}", document("header", layer, error, description, *map(header_case, trees))


def slot_vectors():
    (x25519, scrypt), hybrid = slot_files(), hybrid_slot_file()
    payload = vaultdir.slot_payload(ROOT)
    def case(file, like=x25519, sha256=None, **members):
        return {**{key: value for key, value in like.items() if key in ("kind", "identity", "passphrase", "vault_id",
            "root_id")},
                "file_base64": b64(file), "sha256": sha256 or vaultdir.sha256_hex(file), **members}
    def holding(data): return case(agefile.seal_x25519(data, x25519["recipient"], Seeded("bad slot")))
    def stanzas(*texts, like=x25519): return case(agefile._seal("".join(texts), bytes(16), payload, Seeded("bad slot")),
        like)
    def lines_of(item): return base64.b64decode(item["file_base64"]).split(b"---")[0].decode().split("\n", 1)[1]
    def factor(text): return stanzas(lines_of(scrypt).replace(" 10\n", f" {text}\n"), like=scrypt)
    own, password, quantum = lines_of(x25519), lines_of(scrypt), lines_of(hybrid)
    grease = "-> x-grease abc\n" + agefile._b64(bytes(10)) + "\n"
    file, lines = base64.b64decode(x25519["file_base64"]), payload.split(b"\n")
    bent = bytearray(file)
    bent[-1] ^= 1
    mac_bent = bytearray(file)
    mac_bent[file.index(b"--- ") + 5] ^= 1
    armor = b"-----BEGIN AGE ENCRYPTED FILE-----\n" + base64.encodebytes(
        file)[:64] + b"\n-----END AGE ENCRYPTED FILE-----\n"
    other_root = payload.replace(lines[3], b"root " + b64(OLD_ROOT.key).encode())
    for name, error, description, *cases in (
            ("stanzas", "hidden-recipient", "two stanzas, a grease stanza, one of another type", stanzas(own, own),
             stanzas(own, grease),
             stanzas(grease, own), stanzas(password, own, like=scrypt), stanzas(grease),
             stanzas("-> ssh-ed25519 abcd AAAA\n" + agefile._b64(bytes(32)) + "\n"), stanzas(quantum),
             stanzas(own, like=hybrid), stanzas(quantum, own, like=hybrid),
             stanzas(quantum.replace("mlkem768x25519", "MLKEM768X25519"), like=hybrid)),
            ("work-factor", "work-factor", "a work factor out of range or in another form", *map(factor, (
                "0", "1", "9", "21", "23", "030", "+18", "1e1", "9" * 64))),
            ("hash", "wrong-hash", "another file than the header names", case(file, sha256="0" * 64), case(file + b"\0",
             sha256=x25519["sha256"])),
            ("too-large", "too-large", "above 4 KiB", case(file + bytes(4096))),
            ("armored", "malformed", "armored", case(armor)),
            ("header-not-age", "malformed", "not an age v1 header", case(b""), case(file.replace(b"/v1", b"/v2")),
             case(file.replace(b"\n", b"\r\n", 1))),
            ("passphrase", "cannot-open", "the wrong passphrase, the wrong identity", case(
                base64.b64decode(scrypt["file_base64"]), scrypt, passphrase="something else"), case(
                    file, identity=agefile.Identity(bytes(31) + b"\1").text)),
            ("payload-flipped", "authentication-failed", "one bit of the payload, one letter of the header's MAC",
             case(bytes(bent)), case(bytes(mac_bent))),
            ("payload-form", "malformed", "another payload: CRLF, a line more, the last LF missing, other words",
             holding(payload.replace(b"\n", b"\r\n")),
             holding(payload + b"\n"), holding(payload + b"note x\n"), holding(payload[:-1]),
             holding(payload.replace(b"ecv-root 1", b"ecv-root 2")),
             holding(b""), holding(b"\n".join([lines[0], lines[2], lines[1], lines[3], b""]))),
            ("wrong-vault", "wrong-vault", "of another vault", holding(vaultdir.slot_payload(Root(ROOT.key, OTHER)))),
            ("wrong-root", "wrong-root", "another root key than the payload names, another than the header names",
             holding(other_root),
             holding(vaultdir.slot_payload(OLD_ROOT)))):
        yield f"slot-{name}", document("slot", "slot", error, description, *cases)


def checkpoint_vectors():
    good, failed, mac_text = checkpoint(), "authentication-failed", customer()["$vault"]["mac"]
    one, later, first = id_text(RECORD), id_text(b"\xff" * 16), Number("1")

    def head(**members): return vaultdir.Listing({**good.head, **members}, good.items).data
    def items(*items): return checkpoint(items=items).data
    lines = good.data.split(b"\n")
    for name, error, description, *files in (
            ("mac-flipped", failed, "one bit of the MAC", head(mac=flipped(good.head["mac"]))),
            ("edited", failed, "another sequence, another predecessor", head(sequence=Number("2")), head(previous="ab" * 32)),
            ("unknown-member", "unknown-member", "a member that format 1 does not have", checkpoint(note="x").data),
            ("format-newer", "unknown-format", "another format", checkpoint(format=Number("2")).data,
             b'{"format" : 2}\n', b'{"format":2,"lines":true}\nnone of format 1\n', b'{"format":2}'+ b"\n" + good.data),
            ("root", "unknown-root", "under a retired or unknown root", checkpoint(root=LATER_ROOT).data),
            ("lines", "malformed", "other lines than the first one says: none, one twice, one cut", lines[0] + b"\n",
             good.data + lines[1] + b"\n", good.data[:-1]),
            ("form", "malformed", "a line or a member of another form", items(["x", first, mac_text]),
             items([one, Number("0"), mac_text]), items([one, first, mac_text, None]), items([one, first]),
             items({one: first}), checkpoint(0).data, checkpoint(previous="x").data,
             items([later, first, mac_text], [one, first, mac_text]), items(*[[one, first, mac_text]] * 2),
             b" " + good.data, good.data.replace(b",", b", ", 1), pretty(good.head), b"", b"[]\n")):
        yield f"checkpoint-{name}", document("checkpoint", "checkpoint", error, description, *(
            {"vault_id": id_text(VAULT), "root_keys_hex": [ROOT.key.hex()], "file": file.decode()} for file in files))


def negatives():
    for vectors in (json_vectors, token_vectors, wrap_vectors, record_vectors, former_value_vectors, header_vectors,
        slot_vectors, checkpoint_vectors):
        yield from vectors()


# Running one, as a reader would

def roots_of(case):
    made = (Root(bytes.fromhex(key), id_bytes(case["vault_id"])) for key in case["root_keys_hex"])
    return {root.id[:8]: root for root in made}


def read_json(case):
    parse(base64.b64decode(case["json_base64"]))


def read_token(case):
    keys = RecordKeys(DATA_KEY, VAULT, RECORD).fields
    keys.context = [id_bytes(case["vault_id"]), id_bytes(case["record_id"])]
    keys.open(case["token"])


def read_wrap(case):
    root = Root(bytes.fromhex(case["root_key_hex"]), id_bytes(case["vault_id"]))
    root.unwrap(root.data_wrap(id_bytes(case["record_id"])), case["wrap"])


def read_record(case):
    folder, _, name = case["path"].rpartition("/")
    stem = vaultdir.Vault()._stem(folder, name, folder[8:] if folder != "trash" else "")
    tree = parse(case["file"].encode())
    check_record(tree, stem, folder == "trash")
    open_record(tree, roots_of(case), id_bytes(case["vault_id"]))
    for path in case["sealed_paths"]:
        if not is_token(tree[path]):
            raise Refused("record", "clear-text", "clear text where a token belongs")


def read_header(case):
    """As a vault is unlocked, with ROOT as what its slot gave."""
    vault = vaultdir.Vault()
    vault.header = parse(case["file"].encode())
    vaultdir.check_header(vault.header)
    vault.authenticate(Root(bytes.fromhex(case["root_key_hex"]), VAULT))


def read_slot(case):
    identities = agefile.parse_identity_file(case.get("identity", ""))
    passphrase = case["passphrase"].encode() if "passphrase" in case else None
    root = vaultdir.open_slot(
        base64.b64decode(case["file_base64"]), case["sha256"], identities, passphrase, kind=case["kind"])
    vaultdir.match_header(root, case["vault_id"], case["root_id"])


def read_checkpoint(case):
    listing = vaultdir.Listing.parsed(case["file"].encode(), "checkpoint", 1 << 20)
    vaultdir.check_checkpoint(listing, roots_of(case))


READERS = {"json": read_json, "token": read_token, "wrap": read_wrap, "record": read_record, "header": read_header,
    "slot": read_slot,
           "checkpoint": read_checkpoint}


def refuse(input_name, case):
    """(layer, error), or None if the reader took it."""
    try:
        READERS[input_name](case)
    except Refused as error:
        return error.layer, error.kind
    return None
