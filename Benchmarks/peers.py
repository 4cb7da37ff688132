"""Times the vault beside the tools a person would pick instead, as far as they are installed. Scripts/bench-peers calls it.

Each tool keeps the same customers in its own way: `pass` and `gopass` one file each under gpg, `age` and `ansible-vault` one
file each, `keepassxc-cli` and `sops` one file in all. One secret is fetched, all secrets are opened, all names listed, with
every tool in turn, round after round; medians, and the exponent by which the time grows with the number of records.
"""

import argparse
import base64
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from xml.sax.saxutils import escape

from bench import Machine, customers, duration, make_vault, write_results

WORKLOADS = {"get": "one secret", "all": "all secrets", "list": "all names"}


def run(command, environment, **options):
    done = subprocess.run(command, env=environment, stdin=options.pop("stdin", subprocess.DEVNULL), capture_output=True,
                          **options)
    if done.returncode != 0:
        sys.exit(f"bench-peers: {command[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
    return done.stdout


class Tool:
    """One tool: whether it is here, its store of so many customers, and its commands, None where it has no such work."""

    name = programs = None
    largest = 100_000

    def __init__(self, machine):
        self.machine = machine
        self.environment = dict(machine.environment)

    def is_installed(self):
        return all(shutil.which(program) for program in self.programs)

    def folder(self, count):
        folder = self.machine.work / f"{self.name}-{count}"
        folder.mkdir(exist_ok=True)
        return folder

    def prepare(self, count):
        raise NotImplementedError

    def commands(self, count):
        raise NotImplementedError


class Vault(Tool):
    name, programs = "vault", []

    def is_installed(self):
        return True

    def prepare(self, count):
        folder, self.unlock = make_vault(self.machine, count)
        listed = json.loads(self.machine.output("vault", "list", "--json", "--vault", str(folder)))["records"]
        self.middle = listed[len(listed) // 2]

    def commands(self, count):
        vault = str(self.machine.programs / "vault")
        return {
            "get": [vault, "get", self.middle["name"], "access_key", *self.unlock],
            "all": [vault, "export", "--reveal", "--yes", "--format", "json", *self.unlock],
            "list": [vault, "list", *self.unlock],
        }


class VaultByID(Vault):
    name = "vault, by id"

    def commands(self, count):
        vault = str(self.machine.programs / "vault")
        return {"get": [vault, "get", self.middle["id"], "access_key", *self.unlock]}


class Pass(Tool):
    """Its store holds the same sealed file again and again: what one costs does not depend on what the others say."""

    name, programs = "pass", ["pass", "gpg"]

    def prepare(self, count):
        home, store = self.machine.work / "gnupg", self.folder(count)
        self.environment |= {"GNUPGHOME": str(home), "PASSWORD_STORE_DIR": str(store)}
        if not home.exists():
            home.mkdir(mode=0o700)
            run(["gpg", "--batch", "--passphrase", "", "--quick-gen-key", "bench@example.com", "default", "default"],
                self.environment)
        (store / ".gpg-id").write_text("bench@example.com\n")
        one = run(["gpg", "-e", "-r", "bench@example.com", "--trust-model", "always", "-o", "-"], self.environment,
                  stdin=None, input=b"~7hgUh2a*4<%z#g4qM%Ekx9dl9Wg~\n")
        for customer in customers(count):
            (store / f"{customer['name']}.gpg").write_bytes(one)

    def commands(self, count):
        middle = f"Customer {count // 2:07d}"
        return {"get": [self.programs[0], "show", middle], "list": [self.programs[0], "ls"]}


class Gopass(Pass):
    name, programs = "gopass", ["gopass", "gpg"]


class Age(Tool):
    name, programs = "age", ["age", "age-keygen"]

    def prepare(self, count):
        folder, self.key = self.folder(count), self.machine.work / "age.txt"
        if not self.key.exists():
            run(["age-keygen", "-o", str(self.key)], self.environment)
        recipient = run(["age-keygen", "-y", str(self.key)], self.environment).decode().strip()
        one = run(["age", "-r", recipient], self.environment, stdin=None, input=b"~7hgUh2a*4<%z#g4qM%Ekx9dl9Wg~\n")
        for customer in customers(count):
            (folder / f"{customer['name']}.age").write_bytes(one)

    def commands(self, count):
        file = self.folder(count) / f"Customer {count // 2:07d}.age"
        return {"get": ["age", "-d", "-i", str(self.key), str(file)]}


class AnsibleVault(Tool):
    name, programs = "ansible-vault", ["ansible-vault"]

    def prepare(self, count):
        folder, self.key = self.folder(count), self.machine.work / "ansible.txt"
        self.key.write_text("correct horse battery staple\n")
        file = folder / "one.yml"
        file.write_text("access_key: ~7hgUh2a*4<%z#g4qM%Ekx9dl9Wg~\n")
        run(["ansible-vault", "encrypt", "--vault-password-file", str(self.key), str(file)], self.environment)

    def commands(self, count):
        file = self.folder(count) / "one.yml"
        return {"get": ["ansible-vault", "view", "--vault-password-file", str(self.key), str(file)]}


class KeePassXC(Tool):
    """Opened by a key file, so that no derivation of a passphrase is counted: one round of the cheapest kind is left."""

    name, programs, largest = "keepassxc-cli", ["keepassxc-cli"], 10_000

    def prepare(self, count):
        folder = self.folder(count)
        self.key, self.file = folder / "key", folder / "customers.kdbx"
        self.key.write_bytes(bytes(range(32)))
        xml = folder / "customers.xml"
        xml.write_text(self.document(count), encoding="utf-8")
        self.environment["QT_QPA_PLATFORM"] = "offscreen"
        run(["keepassxc-cli", "import", "-q", "--set-key-file", str(self.key), str(xml), str(self.file)], self.environment)

    @staticmethod
    def document(count):
        def identifier(number):
            return base64.b64encode(uuid.UUID(int=number + 1).bytes).decode()

        def entry(number, customer):
            fields = {"Title": customer["name"], "Password": customer["access_key"], "atm_code": customer["atm_code"],
                      "URL": customer["website"], "UserName": customer["contact_info"]["email"]}
            strings = "".join(f"<String><Key>{key}</Key><Value>{escape(value)}</Value></String>"
                              for key, value in fields.items())
            return f"<Entry><UUID>{identifier(number + 1)}</UUID>{strings}</Entry>"

        entries = "".join(entry(number, customer) for number, customer in enumerate(customers(count)))
        return ('<?xml version="1.0" encoding="utf-8"?><KeePassFile><Meta><Generator>bench</Generator></Meta><Root><Group>'
                f"<UUID>{identifier(0)}</UUID><Name>Root</Name>{entries}</Group></Root></KeePassFile>")

    def commands(self, count):
        unlock = ["-q", "--no-password", "-k", str(self.key), str(self.file)]
        return {
            "get": ["keepassxc-cli", "show", "-a", "Password", *unlock, f"Customer {count // 2:07d}"],
            "all": ["keepassxc-cli", "export", *unlock],
            "list": ["keepassxc-cli", "ls", *unlock],
        }


class Sops(Tool):
    name, programs, largest = "sops", ["sops", "age-keygen"], 10_000

    def prepare(self, count):
        folder = self.folder(count)
        key, clear, self.file = folder / "keys.txt", folder / "clear.json", folder / "customers.json"
        run(["age-keygen", "-o", str(key)], self.environment)
        recipient = run(["age-keygen", "-y", str(key)], self.environment).decode().strip()
        self.environment["SOPS_AGE_KEY_FILE"] = str(key)
        clear.write_text(json.dumps({customer["name"]: customer for customer in customers(count)}), encoding="utf-8")
        pattern = "^(access_key|atm_code)$"
        self.file.write_bytes(run(["sops", "-e", "--age", recipient, "--encrypted-regex", pattern, str(clear)],
                                  self.environment))

    def commands(self, count):
        extract = f'["Customer {count // 2:07d}"]["access_key"]'
        return {"get": ["sops", "-d", "--extract", extract, str(self.file)], "all": ["sops", "-d", str(self.file)]}


TOOLS = [Vault, VaultByID, Pass, Gopass, Age, AnsibleVault, KeePassXC, Sops]


def seconds_of(machine, tool, command):
    own = Machine(machine.programs, machine.work)
    own.environment = tool.environment
    return own.run([shutil.which(command[0]) or command[0], *command[1:]])[0]


def measure(machine, tools, count, rounds):
    """Medians of every tool at one size: {(tool, workload): seconds}."""
    times = {}
    for number in range(-1, rounds):
        for tool in tools if number % 2 == 0 else reversed(tools):
            for workload, command in tool.commands(count).items():
                seconds = seconds_of(machine, tool, command)
                if number >= 0:
                    times.setdefault((tool.name, workload), []).append(seconds)
    return {key: statistics.median(measured) for key, measured in times.items()}


def exponent(points):
    """The slope of log time over log count, by least squares; None for a single size."""
    if len(points) < 2:
        return None
    logs = [(math.log(count), math.log(seconds)) for count, seconds in points]
    x, y = (statistics.mean(axis) for axis in zip(*logs))
    return sum((a - x) * (b - y) for a, b in logs) / sum((a - x) ** 2 for a, _ in logs)


def table(rows, counts):
    lines = [["work", "tool", *(f"{count:,}" for count in counts), "exponent"]]
    for row in rows:
        cells = [duration(row["seconds"][str(count)]) if str(count) in row["seconds"] else "" for count in counts]
        slope = "" if row["exponent"] is None else f"{row['exponent']:.2f}"
        lines.append([WORKLOADS[row["workload"]], row["tool"], *cells, slope])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths)))
                     .rstrip() for line in lines)


def read_arguments():
    parser = argparse.ArgumentParser(prog="Scripts/bench-peers", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--records", default="100,1000,10000", help="how many, comma-separated; tools have limits of their own")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", help="where the stores are made, on the disk to measure (default: TMPDIR)")
    return parser.parse_args()


def main():
    options = read_arguments()
    counts = sorted(int(count) for count in options.records.split(","))
    work = Path(tempfile.mkdtemp(prefix="vault-bench.", dir=options.folder))
    try:
        machine = Machine(options.programs, work)
        tools = [tool(machine) for tool in TOOLS]
        for tool in tools:
            if not tool.is_installed():
                print(f"{tool.name}: not installed", file=sys.stderr)
        tools = [tool for tool in tools if tool.is_installed()]
        seconds = {}
        for count in counts:
            able = [tool for tool in tools if count <= tool.largest]
            for tool in able:
                tool.prepare(count)
            for key, median in measure(machine, able, count, options.rounds).items():
                seconds.setdefault(key, {})[str(count)] = median
        rows = [{"workload": workload, "tool": tool, "seconds": by_count,
                 "exponent": exponent([(int(count), value) for count, value in by_count.items()])}
                for workload in WORKLOADS for (tool, kind), by_count in seconds.items() if kind == workload]
        path = write_results(options.results, rows)
        print(f"Medians of {options.rounds} rounds by number of records.\n\n{table(rows, counts)}\n\n{path}", flush=True)
        subprocess.run(["gpgconf", "--kill", "all"], env=machine.environment | {"GNUPGHOME": str(work / "gnupg")},
                       capture_output=True, check=False)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
