"""Backups: making one, verifying one, and all its records."""

import shutil
import tempfile
from pathlib import Path

from .limits import row
from .machine import note
from .pairs import in_turns
from .vaults import filled_vault


class Backups:
    """Backups of one vault, each into a directory of its own: one directory takes one backup a second."""

    def __init__(self, machine, vault):
        self.machine, self.vault, self.recipient = machine, vault, vault.recipient()

    def run(self, command):
        """A run of a command that is given a directory, which is taken away afterwards."""
        target = Path(tempfile.mkdtemp(dir=self.machine.work))
        measured = self.machine.run(command(target))
        shutil.rmtree(target)
        return measured

    def create(self, target):
        where = ["--to", str(target), "--recipient", self.recipient]
        return ["vault", "backup", "create", "--quiet", *where, *self.vault.unlock]

    def tar(self, target):
        folder = self.vault.folder
        places = [folder.parent, folder.name, self.recipient, target / "vault.tar.age"]
        return ["sh", "-c", 'tar -c -C "$1" "$2" | age -r "$3" >"$4"', "sh", *map(str, places)]

    def kept(self):
        """A backup that stays until the end."""
        folder = Path(tempfile.mkdtemp(dir=self.machine.work))
        self.machine.run(self.create(folder))
        return next(folder.glob("*.age"))

    def verify(self, file, *depth):
        return ["vault", "backup", "verify", *depth, "--quiet", str(file), *self.vault.key]


def measure_backup(machine, options):
    """A backup, attested and durable, beside `tar -c DIR | age -r RECIPIENT > FILE`, which syncs nothing."""
    if not machine.has("age"):
        return note("bench: backup: left out, since its floor age is not installed: apt-get install age")
    backups = Backups(machine, filled_vault(machine, options.export_records))
    result = in_turns(lambda: backups.run(backups.create), lambda: backups.run(backups.tar), options.rounds or 15)
    yield row("backup create", backups.vault.count, "`tar`, then `age`", result)


def measure_backup_verify(machine, options):
    yield from beside_create(machine, options, "backup verify")


def measure_backup_deep(machine, options):
    """All records of a backup verified, beside making it."""
    yield from beside_create(machine, options, "backup verify --deep", "--deep")


def beside_create(machine, options, name, *depth):
    backups = Backups(machine, filled_vault(machine, options.export_records))
    verify = backups.verify(backups.kept(), *depth)
    result = in_turns(lambda: machine.run(verify), lambda: backups.run(backups.create), options.rounds or 15)
    yield row(name, backups.vault.count, "`backup create`", result)
