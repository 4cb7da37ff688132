"""Vaults of so many records, each made once in a run."""

import json
from pathlib import Path

from .machine import Run, note
from .records import email, write_customers

# What one import takes at most, where it takes no more.
PIECE = 100_000


class BenchVault:
    """A vault of the first so many customers, and the words that name and unlock it."""

    def __init__(self, machine, count, name=None):
        self.machine, self.count = machine, count
        name = name or f"vault-{count}"
        self.folder, self.identity = machine.work / name, machine.work / f"{name}.txt"
        self.here = ["--vault", str(self.folder)]
        self.key = ["--identity", str(self.identity)]
        self.unlock = [*self.here, *self.key]
        if not self.folder.exists():
            machine.output("vault", "init", str(self.folder), "--generate-identity", str(self.identity), "--quiet")

    def fill(self, source):
        """Imports a file of customers: in one go, else, where that is refused, in pieces. Time and peak of all."""
        whole = self.machine.attempt(self.importing(source))
        if whole.status == 0 or self.count <= PIECE:
            return whole if whole.status == 0 else self.machine.run(self.importing(source))
        note(f"an import of {self.count:,} is refused: it is done in pieces of {PIECE:,}")
        runs = [self.machine.run(self.importing(piece)) for piece in pieces(source)]
        return Run(sum(run.seconds for run in runs), max(run.peak for run in runs))

    def importing(self, source):
        return ["vault", "import", "jsonl", str(source), "--kind", "customer", "--quiet", *self.unlock]

    def middle(self):
        """The id and name of the record in the middle of the list."""
        listed = json.loads(self.machine.output("vault", "list", "--json", *self.here))["records"]
        return listed[len(listed) // 2]

    def first(self):
        listed = json.loads(self.machine.output("vault", "list", "--json", "--limit", "1", *self.here))["records"]
        return listed[0]["id"]

    def rare(self):
        """A text that one record holds."""
        return email(self.count // 2)

    def recipient(self):
        words = Path(self.identity).read_text(encoding="utf-8").split()
        return next(word for word in words if word.startswith("age1"))

    def get(self, record):
        return ["vault", "get", record, "access_key", *self.unlock]

    def running(self, record, redaction):
        return ["vault", "run", *self.unlock, "--redact", redaction, "--env", f"SECRET=cvault://{record}/access_key",
                "--", "true"]

    def adding(self):
        return ["vault", "add", "customer", "--set", "name=Bench", "--generate", "access_key", *self.unlock]

    def export(self, form="json"):
        return ["vault", "export", "--reveal", "--yes", "--format", form, *self.unlock]


def pieces(source):
    """A file of lines as files of at most `PIECE` lines, one at a time; each is gone when the next one comes."""
    with source.open(encoding="utf-8") as lines:
        while True:
            part = source.with_suffix(".part")
            with part.open("w", encoding="utf-8") as file:
                written = sum(1 for _, line in zip(range(PIECE), lines) if file.write(line))
            if written:
                yield part
            part.unlink()
            if written < PIECE:
                return


def source_of(machine, count):
    """The file that an import of so many reads, made once."""
    path = machine.work / f"customers-{count}.jsonl"
    return path if path.exists() else write_customers(path, count)


def filled_vault(machine, count):
    """The vault of so many records that workloads share."""
    is_there = (machine.work / f"vault-{count}").exists()
    vault = BenchVault(machine, count)
    if not is_there:
        took = vault.fill(source_of(machine, count))
        note(f"imported {count:,} customers in {took.seconds:.2f} s")
    # As people have it, also where a command needs no key.
    machine.environment["CVAULT_IDENTITY_FILE"] = str(vault.identity)
    return vault
