"""Runs the vault beside its floors and prints medians and ratios. Scripts/bench builds the programs and calls it.

A pair is one run of the vault and one of the floor, directly after each other; which goes first alternates. The ratio
is the median over the pairs, so that a slow moment of the machine falls on both.
"""

import argparse
import json
import os
import platform
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

SEED = 20261121
WARM_UP = 3
# What the design allows at most, as a multiple of the floor.
LIMITS = {"get": 2.5, "encode": 1.6, "export": 1.6, "verify": 1.2, "lint": 0.5, "list": None, "add": 3.0, "import": 2.5,
          "reseal": 2.5, "backup": 2.0, "backup-deep": 3.0}
CITIES = ["Albuquerque", "Paris", "Düsseldorf", "東京", "Amsterdam", "Lagos", "Reykjavík", "Hà Nội", "Madrid", "Boston"]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&*+-./:;<=>?@^_~"


def customers(count):
    """The same customers for the same count, on every machine."""
    chance = random.Random(SEED)
    start = datetime(2020, 1, 1, tzinfo=timezone.utc)
    for number in range(count):
        yield {
            "name": f"Customer {number:07d}",
            "access_key": "".join(chance.choices(LETTERS, k=chance.randint(8, 48))),
            "atm_code": f"{chance.randrange(10**6):06d}",
            "added_on": (start + timedelta(seconds=chance.randrange(10**8))).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "address": {
                "street": f"{chance.randint(1, 9999)} Main Street",
                "city": chance.choice(CITIES),
                "zip": f"{chance.randrange(10**5):05d}",
            },
            "contact_info": {
                "home_phone": f"+1 212-555-{number % 10000:04d}",
                "cellular_phone": f"+44 7700 9{number % 100000:05d}",
                "email": f"customer{number}@example.com",
            },
            "website": f"https://example.com/customers/{number}?ref=a/b",
        }


class Machine:
    """Where the programs are and which environment they get: none of the user's own vault."""

    def __init__(self, programs, work):
        self.programs, self.work = programs, work
        self.path = os.environ.get("PATH", "/usr/bin:/bin")
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(work), "LC_ALL": "C.UTF-8",
            "CVAULT_STATE_DIR": str(work / "state"), "XDG_CONFIG_HOME": str(work / "config"),
            "XDG_CACHE_HOME": str(work / "cache"), "XDG_DATA_HOME": str(work / "data"),
        }

    def output(self, *command):
        program, *arguments = command
        done = subprocess.run([self.programs / program, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"bench: {program} {arguments[0]} ended with {done.returncode}")
        return done.stdout

    def run(self, command):
        """(seconds, peak bytes) of one process, from spawn to wait, its stdout thrown away."""
        program, *arguments = command
        path = str(self.programs / program) if (self.programs / program).exists() else shutil.which(program, path=self.path)
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
        start = time.perf_counter()
        pid = os.posix_spawn(path, [program, *arguments], self.environment, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        seconds = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"bench: {' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
        return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def paired(machine, ours, floor, rounds):
    return in_turns(lambda: machine.run(ours), lambda: machine.run(floor), rounds)


def in_turns(ours, floor, rounds):
    """Pairs of two functions that give (seconds, peak bytes)."""
    runs = []
    for number in range(-WARM_UP, rounds):
        order = [("vault", ours), ("floor", floor)]
        measured = {side: run() for side, run in (order if number % 2 == 0 else reversed(order))}
        if number >= 0:
            runs.append(measured)
    return {
        "rounds": rounds,
        **{f"{side}_seconds": statistics.median(run[side][0] for run in runs) for side in ("vault", "floor")},
        "ratio": statistics.median(run["vault"][0] / run["floor"][0] for run in runs),
        **{f"{side}_peak_bytes": max(run[side][1] for run in runs) for side in ("vault", "floor")},
    }


def make_vault(machine, count):
    """A vault of so many records, made once in a run."""
    folder = machine.work / f"vault-{count}"
    identity = machine.work / f"identity-{count}.txt"
    source = machine.work / f"customers-{count}.jsonl"
    unlock = ["--vault", str(folder), "--identity", str(identity)]
    if folder.exists():
        return folder, unlock
    with source.open("w", encoding="utf-8") as file:
        for customer in customers(count):
            file.write(json.dumps(customer, ensure_ascii=False) + "\n")
    machine.output("vault", "init", str(folder), "--generate-identity", str(identity))
    start = time.perf_counter()
    machine.output("vault", "import", "jsonl", str(source), "--kind", "customer", "--quiet", *unlock)
    print(f"imported {count:,} customers in {time.perf_counter() - start:.2f} s", file=sys.stderr)
    source.unlink()
    return folder, unlock


def measure_get(machine, count, rounds):
    folder, unlock = make_vault(machine, count)
    listed = json.loads(machine.output("vault", "list", "--json", "--vault", str(folder)))["records"]
    middle = listed[len(listed) // 2]
    for how, record in (("id", middle["id"]), ("name", middle["name"])):
        command = ["get", record, "access_key", *unlock]
        result = paired(machine, ["vault", *command], ["get-floor", *command], rounds)
        # Only the id is held to the limit: a name is looked up in every file as long as there is no index.
        yield {"workload": f"get by {how}", "records": count, "limit": LIMITS["get"] if how == "id" else None, **result}


def measure_export(machine, count, rounds):
    folder, unlock = make_vault(machine, count)
    decoded = machine.output("export-floor", str(folder)).decode().split()[0]
    if decoded != str(count):
        sys.exit(f"bench: export-floor decoded {decoded} records of {count}")
    ours = ["vault", "export", "--reveal", "--yes", "--format", "json", *unlock]
    result = paired(machine, ours, ["export-floor", str(folder)], rounds)
    yield {"workload": "export --reveal", "records": count, "limit": LIMITS["export"], **result}


def measure_beside_export(machine, count, rounds, name):
    """A check of the whole vault beside an export of all secrets by the same program."""
    folder, unlock = make_vault(machine, count)
    ours = ["vault", name, "--quiet", "--vault", str(folder)] if name == "lint" else ["vault", name, "--quiet", *unlock]
    export = ["vault", "export", "--reveal", "--yes", "--format", "json", *unlock]
    yield {"workload": name, "records": count, "limit": LIMITS[name], **paired(machine, ours, export, rounds)}


def measure_list(machine, count, rounds):
    folder, _ = make_vault(machine, count)
    result = paired(machine, ["vault", "list", "--vault", str(folder)], ["ls", "-R", str(folder)], rounds)
    yield {"workload": "list", "records": count, "limit": LIMITS["list"], **result}


def measure_encode(machine, rounds):
    result = json.loads(machine.output("encode-floor", str(rounds)))
    yield {
        "workload": "encode a customer", "records": 1, "limit": LIMITS["encode"], "rounds": result["rounds"],
        "vault_seconds": result["vault"] / 1e9, "floor_seconds": result["floor"] / 1e9, "ratio": result["ratio"],
    }


def measure_add(machine, count, rounds):
    """What a durable add takes beyond a get, against one durable replacement of a file in the same folder."""
    folder, unlock = make_vault(machine, count)
    record = json.loads(machine.output("vault", "list", "--json", "--limit", "1", "--vault", str(folder)))["records"][0]["id"]
    add = ["vault", "add", "customer", "--set", "name=Bench", "--generate", "access_key", *unlock]
    start = ["vault", "get", record, "access_key", *unlock]
    ours, starts, floors = [], [], []
    for number in range(-WARM_UP, rounds):
        seconds, begun = machine.run(add)[0], machine.run(start)[0]
        floor = int(machine.output("write-floor", "one", str(folder), "1100")) / 1e9
        if number >= 0:
            ours.append(seconds)
            starts.append(begun)
            floors.append(floor)
    beyond = [a - b for a, b in zip(ours, starts)]
    yield {
        "workload": "add, beyond get", "records": count, "limit": LIMITS["add"], "rounds": rounds,
        "vault_seconds": statistics.median(beyond), "floor_seconds": statistics.median(floors),
        "ratio": statistics.median(a / b for a, b in zip(beyond, floors)),
    }


def measure_import(machine, count, rounds):
    """Whole imports into new vaults, against a program that only writes as many files of the same size."""
    source = machine.work / "import.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for customer in customers(count):
            file.write(json.dumps(customer, ensure_ascii=False) + "\n")
    ours, floors = [], []
    for number in range(-1, rounds):
        folder, identity = machine.work / f"import-{number}", machine.work / f"import-{number}.txt"
        machine.output("vault", "init", str(folder), "--generate-identity", str(identity), "--quiet")
        writing = ["write-floor", "many", str(machine.work / f"written-{number}"), str(count), "1100"]
        importing = ["vault", "import", "jsonl", str(source), "--kind", "customer", "--quiet",
                     "--vault", str(folder), "--identity", str(identity)]
        # In turns: where new files land on the disk, the first of a pair may pay for both.
        if number % 2 == 0:
            floor, seconds = machine.run(writing)[0], machine.run(importing)[0]
        else:
            seconds, floor = machine.run(importing)[0], machine.run(writing)[0]
        if number >= 0:
            ours.append(seconds)
            floors.append(floor)
        print(f"import {number}: {seconds:.2f} s, floor {floor:.2f} s", file=sys.stderr)
    yield {
        "workload": "import", "records": count, "limit": LIMITS["import"], "rounds": rounds,
        "vault_seconds": statistics.median(ours), "floor_seconds": statistics.median(floors),
        "ratio": statistics.median(a / b for a, b in zip(ours, floors)),
    }


def measure_reseal(machine, count, rounds):
    """Reseals of copies of one vault, against a program that writes as many files into a new folder and exchanges it."""
    folder, unlock = make_vault(machine, count)
    ours, floors = [], []
    for number in range(-1, rounds):
        copies = [machine.work / f"{side}-{number}" for side in ("resealed", "exchanged")]
        for copy in copies:
            shutil.copytree(folder, copy)
        os.sync()
        resealing = ["vault", "rotate", "--reseal", "--quiet", "--vault", str(copies[0]), *unlock[2:]]
        writing = ["write-floor", "exchange", str(copies[1] / "records"), str(count), "1200"]
        if number % 2 == 0:
            floor, seconds = machine.run(writing), machine.run(resealing)
        else:
            seconds, floor = machine.run(resealing), machine.run(writing)
        # What this machine has seen of the copy is not what the next one is.
        shutil.rmtree(machine.work / "state", ignore_errors=True)
        if number >= 0:
            ours.append(seconds)
            floors.append(floor[0])
        print(f"reseal {number}: {seconds[0]:.2f} s, floor {floor[0]:.2f} s", file=sys.stderr)
    yield {
        "workload": "rotate --reseal", "records": count, "limit": LIMITS["reseal"], "rounds": rounds,
        "vault_seconds": statistics.median(a for a, _ in ours), "floor_seconds": statistics.median(floors),
        "ratio": statistics.median(a / b for (a, _), b in zip(ours, floors)),
        "vault_peak_bytes": max(peak for _, peak in ours),
    }


class Backups:
    """Backups of one vault, each into a directory of its own: one directory takes one backup a second."""

    def __init__(self, machine, count):
        self.machine = machine
        self.folder, self.unlock = make_vault(machine, count)
        identity = Path(self.unlock[-1]).read_text(encoding="utf-8")
        self.recipient = next(word for word in identity.split() if word.startswith("age1"))

    def run(self, command):
        """The time of a command that is given a directory, which is taken away afterwards."""
        target = Path(tempfile.mkdtemp(dir=self.machine.work))
        measured = self.machine.run(command(target))
        shutil.rmtree(target)
        return measured

    def create(self, target):
        return ["vault", "backup", "create", "--quiet", "--to", str(target), "--recipient", self.recipient, *self.unlock]

    def tar(self, target):
        places = [self.folder.parent, self.folder.name, self.recipient, target / "vault.tar.age"]
        return ["sh", "-c", 'tar -c -C "$1" "$2" | age -r "$3" >"$4"', "sh", *map(str, places)]

    def verify(self, file):
        return ["vault", "backup", "verify", "--deep", "--quiet", str(file), *self.unlock[2:]]


def measure_backup(machine, count, rounds):
    """A backup, attested and durable, beside `tar -c DIR | age -r RECIPIENT > FILE`, which syncs nothing."""
    if shutil.which("age", path=machine.path) is None:
        print("bench: backup: left out, since its floor age is not installed: apt-get install age", file=sys.stderr)
        return
    backups = Backups(machine, count)
    result = in_turns(lambda: backups.run(backups.create), lambda: backups.run(backups.tar), rounds)
    yield {"workload": "backup create", "records": count, "limit": LIMITS["backup"], **result}


def measure_backup_deep(machine, count, rounds):
    """All records of a backup verified, beside making it."""
    backups = Backups(machine, count)
    kept = Path(tempfile.mkdtemp(dir=machine.work))
    machine.run(backups.create(kept))
    verify = backups.verify(next(kept.glob("*.age")))
    result = in_turns(lambda: machine.run(verify), lambda: backups.run(backups.create), rounds)
    yield {"workload": "backup verify --deep", "records": count, "limit": LIMITS["backup-deep"], **result}


def duration(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def verdict(row):
    return "" if row["limit"] is None else "ok" if row["ratio"] <= row["limit"] else "OVER"


def peak_text(peak):
    # A spawned process starts with the peak of its parent: below that of this runner nothing can be told.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return f"{'≤ ' if peak <= own else ''}{peak / 1e6:.0f} MB"


def table(rows):
    lines = [("workload", "records", "ratio", "limit", "", "vault", "floor", "vault peak", "pairs")]
    for row in rows:
        peak = peak_text(row["vault_peak_bytes"]) if "vault_peak_bytes" in row else ""
        limit = f"{row['limit']:.1f}" if row["limit"] else ""
        lines.append((row["workload"], f"{row['records']:,}", f"{row['ratio']:.2f}", limit, verdict(row),
                      duration(row["vault_seconds"]), duration(row["floor_seconds"]), peak, str(row["rounds"])))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths)))
                     .rstrip() for line in lines)


def write_results(folder, rows):
    now = datetime.now(timezone.utc)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y%m%dT%H%M%SZ}.json"
    about = {"created_at": f"{now:%Y-%m-%dT%H:%M:%SZ}", "seed": SEED, "system": platform.platform(), "cores": os.cpu_count()}
    path.write_text(json.dumps({**about, "results": rows}, indent=2) + "\n", encoding="utf-8")
    return path


def read_arguments():
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=",".join(LIMITS), help="comma-separated: " + ", ".join(LIMITS))
    parser.add_argument("--get-records", type=int, default=1_000)
    parser.add_argument("--export-records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=0, help="pairs per workload (get and encode 200, export 15)")
    parser.add_argument("--folder", help="where the vaults are made, on the disk to measure (default: TMPDIR)")
    parser.add_argument("--check", action="store_true", help="exit 1 when a ratio is over its limit")
    return parser.parse_args()


def main():
    options = read_arguments()
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(LIMITS):
        sys.exit(f"bench: --only: no workload {', '.join(sorted(unknown))}")
    work = Path(tempfile.mkdtemp(prefix="vault-bench.", dir=options.folder))
    rows = []
    try:
        machine = Machine(options.programs, work)
        if "encode" in chosen:
            rows += measure_encode(machine, options.rounds or 200)
        if "get" in chosen:
            rows += measure_get(machine, options.get_records, options.rounds or 200)
        if "export" in chosen:
            rows += measure_export(machine, options.export_records, options.rounds or 15)
        for name in ("verify", "lint"):
            if name in chosen:
                rows += measure_beside_export(machine, options.export_records, options.rounds or 15, name)
        if "list" in chosen:
            rows += measure_list(machine, options.export_records, options.rounds or 15)
        if "add" in chosen:
            rows += measure_add(machine, options.get_records, options.rounds or 50)
        if "import" in chosen:
            rows += measure_import(machine, options.export_records, min(options.rounds or 10, 10))
        if "reseal" in chosen:
            rows += measure_reseal(machine, options.export_records, min(options.rounds or 10, 10))
        if "backup" in chosen:
            rows += measure_backup(machine, options.export_records, options.rounds or 15)
        if "backup-deep" in chosen:
            rows += measure_backup_deep(machine, options.export_records, options.rounds or 15)
        path = write_results(options.results, rows)
        print(f"Medians of paired runs; the floor is the same work without a vault.\n\n{table(rows)}\n\n{path}", flush=True)
    finally:
        # Last, since deleting many files slows some file systems down for minutes.
        shutil.rmtree(work, ignore_errors=True)
    return 1 if options.check and any(verdict(row) == "OVER" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
