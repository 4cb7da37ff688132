"""What works on all records of a vault: export, verify, lint, import, a reseal."""

import os
import shutil

from .limits import row
from .machine import note, stop
from .pairs import in_turns, paired
from .vaults import BenchVault, filled_vault, source_of

# About what a customer's file has, as the floors write them.
FILE_BYTES, RESEALED_BYTES = "1100", "1200"


def measure_export(machine, options):
    vault = filled_vault(machine, options.export_records)
    floor = ["export-floor", str(vault.folder)]
    decoded = machine.output(*floor).decode().split()[0]
    if int(decoded) < vault.count:
        stop(floor, 0, f"it decoded {decoded} records of {vault.count}")
    result = paired(machine, vault.export(), floor, options.rounds or 15)
    yield row("export --reveal", vault.count, "one pass of `JSONDecoder` over the same files", result)


def measure_verify(machine, options):
    vault = filled_vault(machine, options.export_records)
    result = paired(machine, ["vault", "verify", "--quiet", *vault.unlock], vault.export(), options.rounds or 15)
    yield row("verify", vault.count, "`export --reveal`", result)


def measure_lint(machine, options):
    vault = filled_vault(machine, options.export_records)
    result = paired(machine, ["vault", "lint", "--quiet", *vault.here], vault.export(), options.rounds or 15)
    yield row("lint", vault.count, "`export --reveal`", result)


class Imports:
    """Whole imports into new vaults, and as many files that are only written; nothing is deleted before the end."""

    def __init__(self, machine, count):
        self.machine, self.count = machine, count
        self.source = source_of(machine, count)
        self.number = None

    def before(self, number):
        self.number = number
        self.vault = BenchVault(self.machine, self.count, f"import-{number}")

    def ours(self):
        run = self.vault.fill(self.source)
        note(f"import {self.number}: {run.seconds:.2f} s")
        return run

    def floor(self):
        folder = self.machine.work / f"written-{self.number}"
        return self.machine.run(["write-floor", "many", str(folder), str(self.count), FILE_BYTES])


def measure_import(machine, options):
    imports = Imports(machine, options.export_records)
    result = in_turns(imports.ours, imports.floor, min(options.rounds or 10, 10), 1, imports.before)
    yield row("import", imports.count, "as many files, written and synced once", result)


class Reseals:
    """Reseals of copies of one vault, and as many files written into a new folder that is then exchanged."""

    def __init__(self, machine, count):
        self.machine, self.vault = machine, filled_vault(machine, count)

    def before(self, number):
        self.number = number
        self.copies = [self.machine.work / f"{side}-{number}" for side in ("resealed", "exchanged")]
        for copy in self.copies:
            shutil.copytree(self.vault.folder, copy)
        # What this machine has seen of one copy is not what the next one is.
        shutil.rmtree(self.machine.work / "state", ignore_errors=True)
        os.sync()

    def ours(self):
        copy = ["--vault", str(self.copies[0])]
        run = self.machine.run(["vault", "rekey", "--reseal", "--quiet", *copy, *self.vault.key])
        note(f"reseal {self.number}: {run.seconds:.2f} s")
        return run

    def floor(self):
        records = str(self.copies[1] / "records")
        return self.machine.run(["write-floor", "exchange", records, str(self.vault.count), RESEALED_BYTES])


def measure_reseal(machine, options):
    reseals = Reseals(machine, options.export_records)
    result = in_turns(reseals.ours, reseals.floor, min(options.rounds or 10, 10), 1, reseals.before)
    # The vault that the copies were taken from is known here again by what it is.
    shutil.rmtree(machine.work / "state", ignore_errors=True)
    yield row("rekey --reseal", reseals.vault.count, "as many files into a new folder, exchanged", result)
