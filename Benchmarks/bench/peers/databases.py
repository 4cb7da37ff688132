"""The tools that keep all secrets in one file."""

import base64
import json
import uuid
from xml.sax.saxutils import escape

from ..records import customers, name
from .files import ready_sops, without_age
from .tool import Tool, copied, shell


class KeePassXC(Tool):
    """Opened by a key file, so that no derivation of a passphrase counts: one round of the cheapest kind is left."""

    name, needs, most_rounds = "keepassxc-cli", ("keepassxc-cli",), 3

    def prepare(self, count):
        store = self.store(count)
        self.key, self.file, self.xml = store / "key", store / "customers.kdbx", store / "customers.xml"
        self.key.write_bytes(bytes(range(32)))
        self.xml.write_text(document(count), encoding="utf-8")
        self.environment["QT_QPA_PLATFORM"] = "offscreen"
        self.feed(self.importing(self.file))

    def importing(self, file):
        return ["keepassxc-cli", "import", "-q", "--set-key-file", str(self.key), str(self.xml), str(file)]

    def commands(self, count, number):
        unlock = ["-q", "--no-password", "-k", str(self.key)]
        new = self.store(count) / f"new-{number}.kdbx"
        edited = copied(self.file, new.with_suffix(".edited"))
        return {
            "get": ["keepassxc-cli", "show", "-a", "Password", *unlock, str(self.file), name(count // 2)],
            "set": ["keepassxc-cli", "edit", "-g", *unlock, str(edited), name(count // 2)],
            "list": ["keepassxc-cli", "ls", *unlock, str(self.file)],
            "all": ["keepassxc-cli", "export", *unlock, str(self.file)],
            "import": self.importing(new),
            "rotate": ["keepassxc-cli", "db-edit", "--set-key-file", str(self.key), *unlock, str(new)],
        }


def document(count):
    """The XML that keepassxc-cli imports."""
    entries = "".join(entry(number, customer) for number, customer in enumerate(customers(count)))
    return ('<?xml version="1.0" encoding="utf-8"?><KeePassFile><Meta><Generator>bench</Generator></Meta><Root><Group>'
            f"<UUID>{identifier(0)}</UUID><Name>Root</Name>{entries}</Group></Root></KeePassFile>")


def entry(number, customer):
    fields = {"Title": customer["name"], "Password": customer["access_key"], "atm_code": customer["atm_code"],
              "URL": customer["website"], "UserName": customer["contact_info"]["email"]}
    strings = "".join(f"<String><Key>{key}</Key><Value>{escape(value)}</Value></String>"
                      for key, value in fields.items())
    return f"<Entry><UUID>{identifier(number + 1)}</UUID>{strings}</Entry>"


def identifier(number):
    return base64.b64encode(uuid.UUID(int=number + 1).bytes).decode()


class Sops(Tool):
    name, needs, most_rounds = "sops, one file", ("sops", "age-keygen"), 3

    def missing(self):
        return super().missing() or without_age(self)

    def prepare(self, count):
        self.arguments = ready_sops(self)
        self.clear, self.file = self.store(count) / "clear.json", self.store(count) / "customers.json"
        by_name = {customer["name"]: customer for customer in customers(count)}
        self.clear.write_text(json.dumps(by_name), encoding="utf-8")
        self.file.write_bytes(self.feed(["sops", "-e", *self.arguments, str(self.clear)]))

    def commands(self, count, number):
        place = f'["{name(count // 2)}"]["access_key"]'
        new = self.store(count) / f"new-{number}.json"
        edited = copied(self.file, new.with_suffix(".edited.json"))
        return {
            "get": ["sops", "-d", "--extract", place, str(self.file)],
            "set": ["sops", "set", str(edited), place, json.dumps(f"secret {number}")],
            "all": ["sops", "-d", str(self.file)],
            "import": shell('out=$1; shift; sops -e "$@" >"$out"', new, *self.arguments, self.clear),
            "rotate": ["sops", "rotate", "-i", str(new)],
        }
