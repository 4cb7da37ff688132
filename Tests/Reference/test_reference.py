"""Tests of the reference implementation: python3 -m unittest discover -s Tests/Reference"""

import filecmp
import json
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import agefile
import attachedbackups
import attacks
import backups
import badvectors
import former
import makevectors
import mlkem
import vaultdir
from paths import parse_path, path_text
from samples import CUSTOMER, DATA_KEY, NOW, OLD_ROOT, RECORD, ROOT, VAULT, customer, identity
from vaultref import (
    RecordKeys, Refused, Seeded, app_keys, check_record, compact, compact_time, enc, kdf, mac, open_record,
    opened_former, pad, padded_size, parse, pretty, tree_bytes, unpad)

DOCS = os.path.join(HERE, "..", "..", "docs")


class Primitives(unittest.TestCase):
    def test_hkdf_gives_the_values_of_rfc_5869(self):
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        for key, salt, info, count, output in (
                ("0b" * 22, "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9", 42,
                 "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
                ("0b" * 22, "", "", 42, "8da4e775a563c18f715f802a063c5a31"
                 "b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")):
            derived = HKDF(hashes.SHA256(), count, bytes.fromhex(salt), bytes.fromhex(info)).derive(bytes.fromhex(key))
            self.assertEqual(derived.hex(), output)

    def test_kdf_is_hkdf_written_with_hmac(self):
        pseudo_random = mac(b"salt", b"key")
        block = mac(pseudo_random, enc("label", b"item") + b"\1")
        self.assertEqual(kdf(b"key", b"salt", "label", [b"item"], 40), block + mac(pseudo_random, block + enc("label",
            b"item") + b"\2")[:8])

    def test_hmac_gives_the_values_of_rfc_4231(self):
        self.assertEqual(mac(b"Jefe", b"what do ya want for nothing?").hex(),
                         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")

    def test_aes_gcm_gives_the_values_of_the_gcm_specification(self):
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        box = AESGCM(bytes(32)).encrypt(bytes(12), bytes(16), b"")
        self.assertEqual(box.hex(), "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")

    def test_bech32_goes_both_ways_and_is_checked(self):
        recipient = identity().recipient
        self.assertEqual(agefile.bech32("age", agefile.unbech32("age", recipient)), recipient)
        with self.assertRaises(agefile.AgeFault):
            agefile.unbech32("age", recipient[:-1] + ("q" if recipient[-1] != "q" else "p"))


class Encodings(unittest.TestCase):
    def test_every_text_survives_padding(self):
        for count in list(range(1200)) + [4000, 65535, 100_000]:
            data = bytes([128]) * count
            self.assertEqual(unpad(pad(data)), data)
            self.assertEqual(len(pad(data)), padded_size(count + 1))
            self.assertEqual(len(pad(data)) % 32, 0)

    def test_padding_adds_at_most_an_eighth_to_long_texts(self):
        for count in range(512, 100_000, 37):
            self.assertLessEqual(padded_size(count), 1.125 * (count + 32))

    def test_both_written_forms_read_back_the_same(self):
        for text in makevectors.TREES:
            value = parse(text.encode())
            self.assertEqual(parse(pretty(value)), value)
            self.assertEqual(parse(compact(value)), value)
            self.assertEqual(tree_bytes(parse(pretty(value))), tree_bytes(value))

    def test_json_suite_of_others(self):
        folder = os.path.join(os.environ.get("CVAULT_TEST_SHARED", os.path.join(HERE, "..", "..", "..", "shared")),
            "fixtures", "json")
        names = [os.path.join(root, name) for root, _, files in os.walk(folder) for name in files
            if re.match(r"[yn]_.*\.json$", name)]
        refused = []
        for path in names:
            with open(path, "rb") as file:
                data = file.read()
            try:
                parse(data)
                self.assertFalse(os.path.basename(path).startswith("n_"), path)
            except Refused as error:
                if os.path.basename(path).startswith("y_"):
                    refused.append(error.kind)
        self.assertEqual(set(refused) - {"duplicate-member"}, set())
        print(f"\nJSON suite: {len(names)} run" if names else "\nJSON suite: absent, not run", end="", file=sys.stderr)


class Records(unittest.TestCase):
    def test_a_record_opens_to_what_was_sealed(self):
        _, opened = open_record(parse(pretty(customer())), {ROOT.id[:8]: ROOT}, VAULT)
        self.assertEqual(opened, CUSTOMER)

    def test_contexts_outside_a_vault_do_not_run_together(self):
        token = app_keys(bytes(32), "ab", "c").seal("x", "20261121T014028Z", Seeded("a"))
        with self.assertRaises(Refused):
            app_keys(bytes(32), "a", "bc").open(token)


class FormerValues(unittest.TestCase):
    keys = RecordKeys(DATA_KEY, VAULT, RECORD).fields

    def token(self, text, second=0, seed=""):
        return self.keys.seal(text, compact_time(NOW + second), Seeded(f"{text} {second} {seed}"))

    def same(self, one, other):
        return self.keys.open(one) == self.keys.open(other)

    def texts(self, lists):
        return {path: [self.keys.open(token) for token in tokens] for path, tokens in lists.items()}

    def test_a_written_path_reads_back_and_has_one_spelling(self):
        draw = random.Random("paths")
        for _ in range(2000):
            steps = tuple(draw.choice([
                draw.randrange(1000), "".join(draw.choice('ab.[]"\\\n\x7f\x85é') for _ in range(draw.randrange(4)))])
                for _ in range(draw.randrange(1, 5)))
            self.assertEqual(parse_path(path_text(steps)), steps)
        for text in badvectors.NO_PATHS:
            if not text.startswith(("$vault", "[0]")):
                self.assertRaises(Refused, parse_path, text)

    def test_a_replaced_or_removed_value_stays_and_a_moved_one_does_not(self):
        one, two, three = (self.token(text) for text in ("one", "two", "three"))
        after = lambda old, new, before={}: self.texts(former.following(before, old, new, self.same))
        self.assertEqual(after({"a": one}, {"a": two}), {"a": ["one"]})
        self.assertEqual(after({"a": {"b": [one]}}, {"a": {}}), {"a.b[0]": ["one"]})
        self.assertEqual(after({"a": one}, {"b": one}), {})
        self.assertEqual(after({"a": one}, {"a": "clear"}), {"a": ["one"]})
        self.assertEqual(after({"a": two}, {"a": three}, {"a": [one]}), {"a": ["two", "one"]})
        self.assertEqual(after({"a": three}, {"a": one}, {"a": [two, one]}), {"a": ["three", "two"]})

    def test_an_equal_text_stays_once(self):
        one, again, two, three = self.token("one"), self.token("one", 1), self.token("two"), self.token("three")
        self.assertEqual(former.following({}, {"a": one}, {"a": again}, self.same), {})
        kept = former.following({"a": [two, one]}, {"a": again}, {"a": three}, self.same)
        self.assertEqual(kept, {"a": [again, two]})

    def test_the_oldest_go_beyond_the_limits(self):
        tokens = [self.token(f"value {number}", number) for number in range(9, 0, -1)]
        for limit in (0, 1, 5, 20):
            kept = former.following({"a": tokens}, {"a": self.token("x")}, {}, self.same, limit)
            self.assertEqual(self.texts(kept).get("a", []), ["x", *(f"value {n}" for n in range(9, 0, -1))][:limit])
        sizes = {"a": tokens[:3], "b": tokens[3:6], "c": tokens[6:7]}
        room = sum(len(token) for tokens in sizes.values() for token in tokens) - 1
        self.assertEqual(former.pruned(sizes, {}, self.same, 5, room), {**sizes, "b": tokens[3:5]})

    def test_a_merge_keeps_what_either_side_added_in_one_order(self):
        draw = random.Random("histories")
        pool = [self.token(f"value {number}", draw.randrange(6), number) for number in range(12)]
        for _ in range(500):
            base = draw.sample(pool, draw.randrange(5))
            sides = [[token for token in base if draw.random() < 0.8] for _ in range(2)]
            for side in sides:
                side[0:0] = [token for token in draw.sample(pool, 3) if token not in base]
            one, other = ({"a": side} if side else {} for side in sides)
            both = former.joined({"a": base} if base else {}, one, other, [{}, {}], {})
            self.assertEqual(both, former.joined({"a": base} if base else {}, other, one, [{}, {}], {}))
            kept = {token for token in pool if (token in sides[0]) + (token in sides[1]) > (token in base)}
            self.assertEqual(set(both.get("a", [])), kept)
            self.assertEqual(len(both.get("a", [])), len(kept))

    def test_the_value_that_loses_a_merge_becomes_a_former_one(self):
        old, ours, theirs = self.token("old"), self.token("ours", 1), self.token("theirs", 2)
        both = former.joined({}, {"a": [old]}, {"a": [old]}, [{"a": ours}, {"a": theirs}], {"a": ours})
        self.assertEqual(self.texts(both), {"a": ["theirs", "old"]})


class Vectors(unittest.TestCase):
    def test_committed_vectors_are_what_makevectors_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            makevectors.main(folder)
            self.assertEqual(files_below(folder), files_below(makevectors.VECTORS))
            for name in files_below(folder):
                self.assertTrue(filecmp.cmp(os.path.join(folder, name), os.path.join(makevectors.VECTORS, name), False),
                    name)

    def test_each_negative_vector_is_refused_by_its_layer(self):
        count = 0
        for name, vector in badvectors.negatives():
            for index, case in enumerate(vector["cases"]):
                with self.subTest(name=name, case=index):
                    self.assertEqual(badvectors.refuse(vector["input"], case), (vector["layer"], vector["error"]))
                count += 1
        print(f"\nnegative vectors: {count} cases run", end="", file=sys.stderr)

    def test_a_hybrid_secret_is_learnt_by_its_owner_alone(self):
        key, other = mlkem.Hybrid(bytes(32)), mlkem.Hybrid(bytes(31) + b"\1")
        enc, shared = mlkem.encapsulate(key.public, Seeded("hybrid"))
        self.assertEqual((len(key.public), len(enc), len(shared)), (1216, 1120, 32))
        self.assertEqual(key.decapsulate(enc), shared)
        self.assertNotEqual(other.decapsulate(enc), shared)
        for offset in (0, 1087):
            self.assertNotEqual(key.decapsulate(enc[:offset] + bytes([enc[offset] ^ 1]) + enc[offset + 1:]), shared)
        for bad in (enc[:-1], enc + b"\0", enc[:-32] + bytes(32)):
            self.assertRaises(mlkem.KEMFault, key.decapsulate, bad)
        self.assertRaises(mlkem.KEMFault, mlkem.encapsulate, b"\xff" * 1184 + key.public[-32:], Seeded("hybrid"))

    def test_a_post_quantum_file_opens_with_its_identity_alone(self):
        for seed in (bytes(32), b"\1" * 32):
            key = agefile.parse_identity_file(agefile.HybridIdentity(seed).text)[0]
            file = agefile.seal(b"payload", key.recipient, Seeded("hybrid file"))
            self.assertEqual(agefile.open_file(file, [identity(), key]), b"payload")
            for others in ([identity()], [agefile.HybridIdentity(b"\2" * 32)]):
                self.assertRaises(agefile.AgeFault, agefile.open_file, file, others)

    def test_positive_vectors_are_taken(self):
        for case in makevectors.record_cases():
            roots = {root.id[:8]: root for root in (ROOT, OLD_ROOT)}
            self.assertEqual(pretty(open_record(parse(case["file"].encode()), roots, VAULT)[1]).decode(),
                case["opened"])
        for case in makevectors.former_value_cases():
            document = parse(case["file"].encode())
            check_record(document)
            keys, opened = open_record(document, {root.id[:8]: root for root in (ROOT, OLD_ROOT)}, VAULT)
            self.assertEqual(pretty(opened).decode(), case["opened"])
            self.assertEqual(pretty(opened_former(document, keys)).decode(), case["former"])
        for case in makevectors.header_cases():
            badvectors.read_header({"root_key_hex": case["root_key_hex"], "file": case["file"]})
        for case in makevectors.slot_cases():
            badvectors.read_slot(case)


def read_file(*parts):
    with open(os.path.join(*parts), "rb") as file:
        return file.read()


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(root, name), folder) for root, _, files in os.walk(folder)
        for name in files)


class SmallVault(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        makevectors.write_vault(self.folder)
        self.vault = os.path.join(self.folder, "small")

    def read(self, *options):
        return subprocess.run([sys.executable, os.path.join(HERE, "readvault.py"), self.vault, *options],
            capture_output=True, text=True)

    def by_identity(self, *options):
        return self.read("--identity", os.path.join(self.folder, "small.identity.txt"), *options)


class WholeVaults(SmallVault):
    def test_both_slots_open_the_same_records(self):
        one = self.by_identity("--json")
        other = self.read("--passphrase-file", os.path.join(self.folder, "small.passphrase.txt"), "--json")
        self.assertEqual((one.returncode, one.stderr), (0, ""))
        self.assertEqual(one.stdout, other.stdout)
        self.assertEqual(len(json.loads(one.stdout)), 4)

    def test_one_changed_byte_anywhere_is_refused_and_its_file_named(self):
        for name in files_below(self.vault):
            if name.startswith("."):
                continue
            path = os.path.join(self.vault, name)
            with open(path, "rb") as file:
                good = file.read()
            bad = bytearray(good)
            bad[len(bad) // 2] ^= 1
            with open(path, "wb") as file:
                file.write(bad)
            uses_passphrase = name.startswith("slots") and b"scrypt" in good
            result = self.read("--passphrase-file", os.path.join(self.folder,
                "small.passphrase.txt")) if uses_passphrase else self.by_identity()
            self.assertEqual(result.returncode, 1, name)
            self.assertIn("slots/" if name == "vault.json" else name, result.stderr)  # its middle is a slot's id
            with open(path, "wb") as file:
                file.write(good)

    def test_strangers_in_the_directory_are_refused(self):
        os.mkdir(os.path.join(self.vault, "records", "zz"))
        self.assertIn("records/zz", self.by_identity().stderr)
        os.rmdir(os.path.join(self.vault, "records", "zz"))
        for name in ("README", "x.json"):
            path = os.path.join(self.vault, "trash", name)
            open(path, "w").close()
            self.assertIn(f"trash/{name}", self.by_identity().stderr)
            os.remove(path)
        self.assertEqual(self.by_identity().returncode, 0)

    def test_links_are_not_followed(self):
        name = next(name for name in files_below(self.vault) if name.startswith("records"))
        path = os.path.join(self.vault, name)
        os.rename(path, os.path.join(self.folder, "elsewhere"))
        os.symlink(os.path.join(self.folder, "elsewhere"), path)
        self.assertIn(name, self.by_identity().stderr)
        os.remove(path)
        os.mkfifo(path)
        self.assertIn(name, self.by_identity().stderr)

    def test_an_older_version_of_a_record_is_refused_by_the_checkpoint(self):
        vault = vaultdir.Vault.open(self.vault, [identity()])
        vault.now = NOW + 1
        live = vault.read_all()[0]["id"]
        path = os.path.join(self.vault, "records", live[:2], f"{live}.json")
        with open(path, "rb") as file:
            old = file.read()
        vault.remove(live)
        vault.write_checkpoint()
        self.assertEqual(self.by_identity().returncode, 0)
        os.remove(os.path.join(self.vault, "trash", f"{live}.json"))
        with open(path, "wb") as file:
            file.write(old)
        self.assertIn("checkpoint", self.by_identity().stderr)

    def test_files_are_for_the_owner_only(self):
        for name in files_below(self.vault):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.vault, name)).st_mode), 0o600)


class Attacks(unittest.TestCase):
    """This reader remembers nothing and does not compare what vanished: it sees what the files alone show."""

    silent = {"slot-removed", "record-vanished", "planted-journal"}

    def refusal(self, tree):
        with tempfile.TemporaryDirectory() as folder:
            for name, data in tree.items():
                if data is not None:
                    makevectors.write(os.path.join(folder, name), data)
            try:
                vaultdir.Vault.open(folder, [identity()]).read_all()
            except Refused as refusal:
                return refusal
        return None

    def test_the_good_vaults_open(self):
        for tree in attacks.bases().values():
            self.assertIsNone(self.refusal(tree))

    def test_each_attack_that_the_files_show_is_refused(self):
        bases = attacks.bases()
        for attack in attacks.attacks():
            refusal = self.refusal({**bases[attack.base], **attack.changes})
            self.assertEqual(refusal is None, attack.fresh == 0 or attack.name in self.silent, attack.name)


class Backups(unittest.TestCase):
    """This reader opens, looks at the archive and at the list; records it verifies once they are unpacked."""

    by_itself = {"archive", "age", "backup-list"}

    def test_the_good_backups_open(self):
        for name, _, file, files in [*backups.good(), *attachedbackups.good()]:
            found, document = backups.read_backup(file, [identity()])
            self.assertEqual(found, files)
            self.assertEqual(document is None, name == "unattested")
            if document is not None:
                backups.check_list(document, ROOT)

    def test_each_hostile_backup_is_refused(self):
        for one in [*backups.hostile(), *attachedbackups.hostile()]:
            try:
                _, document = backups.read_backup(one.file, [identity()])
                if document is not None:
                    backups.check_list(document, ROOT)
                refused = False
            except (Refused, agefile.AgeFault):
                refused = True
            if one.layer in self.by_itself:
                self.assertTrue(refused, one.name)

    def test_large_files_have_several_chunks(self):
        for count in (0, 1, 65535, 65536, 65537, 131072, 200_000):
            data = bytes(count)
            self.assertEqual(agefile.open_file(backups.seal(data), [identity()]), data)


@unittest.skipUnless(shutil.which("age"), "age is not installed")
class BackupsWithAge(unittest.TestCase):
    def test_age_and_tar_recover_a_backup_and_the_recovery_page_reads_it(self):
        with tempfile.TemporaryDirectory() as folder:
            key = os.path.join(folder, "identity.txt")
            makevectors.write(key, identity().text.encode())
            _, _, file, files = next(attachedbackups.good())
            opened = subprocess.run(["age", "-d", "-i", key], input=file, capture_output=True, check=True).stdout
            subprocess.run(["tar", "xf", "-"], input=opened, cwd=folder, check=True)
            vault = os.path.join(folder, "vault")
            self.assertEqual({name: read_file(vault, name) for name in files_below(vault)}, files)
            slot = next(name for name in files if name.startswith("slots"))
            root = subprocess.run(["age", "-d", "-i", key, os.path.join(vault, slot)], capture_output=True).stdout
            record = os.path.join(vault, attacks.path(attacks.FIRST))
            shown = subprocess.run(
                [sys.executable, os.path.join(DOCS, "recovery.py"), record], input=root, cwd=vault, capture_output=True)
            self.assertEqual(shown.stderr, b"")
            self.assertEqual(json.loads(shown.stdout)["access_key"], attacks.CUSTOMER["access_key"])
            content = read_file(vault, "opened", attachedbackups.ONE, "contract.pdf")
            self.assertEqual(content, attachedbackups.LARGE)


@unittest.skipUnless(shutil.which("age"), "age is not installed")
class WithAge(SmallVault):
    """The same vault beside the age command."""

    def test_age_opens_a_slot(self):
        vault = vaultdir.Vault.open(self.vault, [identity()])
        slot = next(slot for slot in vault.header["slots"] if slot["kind"] == "x25519")
        result = subprocess.run(["age", "-d", "-i", os.path.join(self.folder, "small.identity.txt"), os.path.join(
            self.vault, "slots", slot["id"] + ".age")], capture_output=True)
        self.assertEqual(result.stdout, vaultdir.slot_payload(vault.root))

    def test_a_slot_made_by_age_opens(self):
        result = subprocess.run(["age", "-r", identity().recipient], input=b"payload", capture_output=True)
        self.assertEqual(agefile.open_file(result.stdout, [identity()]), b"payload")

    def test_the_recovery_page_works(self):
        listing, page = read_file(DOCS, "recovery.py"), read_file(DOCS, "recovery.md")
        self.assertIn(b"```python\n" + listing + b"```\n", page)
        slot = next(name for name in files_below(self.vault) if name.startswith("slots") and b"X25519" in read_file(
            self.vault, name))
        opened = subprocess.run(["age", "-d", "-i", os.path.join(self.folder, "small.identity.txt"), os.path.join(
            self.vault, slot)], capture_output=True).stdout
        records = [os.path.join(self.vault, name) for name in files_below(self.vault) if name.startswith("records")]
        result = subprocess.run([sys.executable, os.path.join(DOCS, "recovery.py"), *records], input=opened,
            capture_output=True)
        self.assertEqual(result.stderr, b"")
        shown = [json.loads(line) for line in result.stdout.decode().splitlines()]
        self.assertEqual([{key: item for key, item in record.items() if key != "$vault"} for record in shown], [
            record["record"] for record in json.loads(
                read_file(self.folder, "small.opened.json"), parse_int=str, parse_float=str)])
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            needing = parse(read_file(records[0]))
            needing["$vault"]["requires"] = ["later"]
            file.write(pretty(needing)), file.flush()
            result = subprocess.run([sys.executable, os.path.join(DOCS, "recovery.py"), file.name], input=opened,
                capture_output=True)
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(b"needs a newer version of vault", result.stderr)

    def test_the_recovery_page_shows_former_values(self):
        makevectors.write_vault_with_former(self.folder)
        vault = os.path.join(self.folder, "former")
        root = vaultdir.slot_payload(vaultdir.Vault.open(vault, [identity()]).root)
        records = [os.path.join(vault, name) for name in files_below(vault) if name.startswith("records")]
        result = subprocess.run([sys.executable, os.path.join(DOCS, "recovery.py"), *records], input=root,
            capture_output=True)
        self.assertEqual(result.stderr, b"")
        shown = [json.loads(line)["$vault"].get("former") for line in result.stdout.decode().splitlines()]
        self.assertEqual(shown, [record.get("former") for record in json.loads(read_file(self.folder,
            "former.opened.json"))])
        self.assertIn({"access_key": ["key 5", "key 4", "key 2"], "atm_code": ["0522"]}, shown)


if __name__ == "__main__":
    unittest.main()
