"""What each command costs as a vault grows: time and peak at each size, and the power by which the time grows."""

import shutil
import statistics
import tempfile
from pathlib import Path

from .backups import Backups
from .limits import BULK, MB
from .machine import Machine, note
from .pairs import slope_of, spread
from .report import duration, power, table
from .vaults import BenchVault, source_of

# git keeps a copy of each file: beyond this it is left out.
LARGEST_FOR_GIT = 100_000


def measure_scaling(machine, sizes, rounds):
    """Every command at every size; nothing is deleted before the end. Rows of {size: {seconds, spread, peak, runs}}."""
    taken = {}
    for count in sorted(sizes):
        for command, run in measure_size(machine, count, rounds):
            taken.setdefault(command, {}).setdefault(count, []).append(run)
    rows = []
    for command, by_size in taken.items():
        told = {count: told_of(runs) for count, runs in by_size.items()}
        rows.append({"command": command, "sizes": told, "exponents": exponents(told)})
    return rows


def measure_size(machine, count, rounds):
    note(f"{count:,} records: import")
    made = filled(machine, f"vault-{count}", count)
    vault = BenchVault(machine, count)
    scaled = Scaled(machine, vault)
    for work in (scaled.on_one, scaled.change_one):
        for number in range(-1, repetitions("one", count, rounds)):
            yield from kept(number, work(number))
    note(f"{count:,} records: what reads all")
    for number in range(-1 if count <= 10_000 else 0, repetitions("all", count, rounds)):
        yield from kept(number, scaled.on_all())
    note(f"{count:,} records: what writes all")
    yield "`import` into a new vault", made
    for number in range(repetitions("new", count, rounds)):
        yield from anew(machine, f"new-{count}-{number}", count)
    if machine.has("git") and count <= LARGEST_FOR_GIT:
        for number in range(repetitions("new", count, rounds)):
            yield from with_git(machine, vault, number)


def repetitions(kind, count, rounds):
    """How often a command is measured that works on one record, reads all, or writes all."""
    small = count <= 100_000
    return min(rounds, {"one": rounds, "all": 5 if small else 3, "new": 3 if small else 1}[kind])


def kept(number, runs):
    """What is yielded, but for a round that only warms up."""
    for command, run in runs:
        if number >= 0:
            yield command, run


class Scaled:
    """The commands on one vault."""

    def __init__(self, machine, vault):
        self.machine, self.vault = machine, vault
        self.backups, self.record = Backups(machine, vault), vault.middle()

    def on_one(self, _):
        vault, run = self.vault, self.machine.run
        yield "`get` by id", run(vault.get(self.record["id"]))
        yield "`get` by name", run(vault.get(self.record["name"]))
        yield "`list --limit 20`", run(["vault", "list", "--limit", "20", *vault.here])
        yield "`find`", run(["vault", "find", vault.rare(), *vault.here])

    def change_one(self, number):
        """Apart from the others: after a change the next list brings the index up to date."""
        vault, run = self.vault, self.machine.run
        street = f"address.street={number + 2} Side Street"
        yield "`set`", run(["vault", "set", self.record["id"], street, *vault.unlock])
        yield "`add`", run(vault.adding())
        yield "`list --limit 20` after a change", run(["vault", "list", "--limit", "20", *vault.here])

    def on_all(self):
        vault, run = self.vault, self.machine.run
        quiet = ["--quiet", *vault.unlock]
        yield "`find --no-index`", run(["vault", "find", "--no-index", vault.rare(), *vault.here])
        yield "`list`", run(["vault", "list", *vault.here])
        shutil.rmtree(self.machine.cache, ignore_errors=True)
        yield "`list`, the first time", run(["vault", "list", *vault.here])
        yield "`export --reveal`", run(vault.export("jsonl"))
        yield "`verify`", run(["vault", "verify", *quiet])
        yield "`verify --subset 1/16`", run(["vault", "verify", "--subset", "1/16", *quiet])
        yield "`lint`", run(["vault", "lint", "--quiet", *vault.here])
        yield "`checkpoint`", run(["vault", "checkpoint", *quiet])
        yield from self.on_backup()

    def on_backup(self):
        target = Path(tempfile.mkdtemp(dir=self.machine.work))
        yield "`backup create`", self.machine.run(self.backups.create(target))
        file = next(target.glob("*.age"))
        yield "`backup verify`", self.machine.run(self.backups.verify(file))
        yield "`backup verify --deep`", self.machine.run(self.backups.verify(file, "--deep"))
        shutil.rmtree(target)


def filled(machine, name, count):
    return BenchVault(machine, count, name).fill(source_of(machine, count))


def anew(machine, name, count):
    """A vault made, and all of it written again, twice. A large import is measured once: that of the first vault."""
    made = filled(machine, name, count)
    if count <= 100_000:
        yield "`import` into a new vault", made
    vault = BenchVault(machine, count, name)
    yield "`rekey`", machine.run(["vault", "rekey", "--quiet", *vault.unlock])
    yield "`rekey --reseal`", machine.run(["vault", "rekey", "--reseal", "--quiet", *vault.unlock])


def with_git(machine, vault, number):
    """A repository beside the vault, so that the vault stays as it is."""
    own = Machine(machine.programs, machine.work)
    own.environment = machine.environment | {
        "GIT_DIR": str(machine.work / f"git-{vault.count}-{number}"), "GIT_WORK_TREE": str(vault.folder)}
    own.output("git", "init", "--quiet")
    yield "`git add -A`, all new", own.run(["git", "add", "-A"])
    yield "`git status`", own.run(["git", "status", "--short"])


def told_of(runs):
    seconds = [run.seconds for run in runs]
    return {"seconds": statistics.median(seconds), "spread": spread(seconds), "runs": len(runs),
            "peak_bytes": max(run.peak for run in runs)}


def exponents(told):
    """From each size to the next."""
    points = [(count, one["seconds"], one["spread"]) for count, one in sorted(told.items())]
    steps = []
    for few, many in zip(points, points[1:]):
        value, doubt = slope_of([few, many])
        steps.append({"from": few[0], "to": many[0], "exponent": value, "uncertainty": doubt})
    return steps


def over(row):
    """The sizes at which a command has more memory than any number of records may cost."""
    return [count for count, told in row["sizes"].items() if told["peak_bytes"] > BULK]


def scaling_table(rows, sizes, is_markdown):
    """Time at each size, the exponent of each step, and the peaks."""
    sizes = sorted(sizes)
    steps = list(zip(sizes, sizes[1:]))
    lines = [["command", *(f"{count:,}" for count in sizes), *(f"exponent, {few:,} to {many:,}" for few, many in steps),
              "peaks in MB", "held"]]
    for row in rows:
        told = row["sizes"]
        grown = {(step["from"], step["to"]): power((step["exponent"], step["uncertainty"]))
                 for step in row["exponents"]}
        lines.append([row["command"] if is_markdown else row["command"].replace("`", ""),
                      *(duration(told[count]["seconds"]) if count in told else "" for count in sizes),
                      *(grown.get(step, "") for step in steps),
                      ", ".join(f"{told[count]['peak_bytes'] / MB:.0f}" for count in sizes if count in told),
                      "OVER: peak" if over(row) else "ok"])
    return table(lines, is_markdown)
