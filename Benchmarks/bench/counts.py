"""How many instructions fixed commands take, which says more about a change than time does on a busy machine.

callgrind counts them. What is random in a vault (ids, keys, nonces) stays so; the seeds of Swift's hash tables are
fixed.
"""

import json
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .backups import Backups
from .machine import note, stop
from .report import table
from .vaults import BenchVault, source_of

RECORDS = 1_000
# By how much a count may grow before `--check` fails.
ALLOWED = 1.10


class Counter:
    """Counts the instructions of one command."""

    def __init__(self, machine):
        self.machine = machine
        self.environment = machine.environment | {"SWIFT_DETERMINISTIC_HASHING": "1"}

    def count(self, command):
        log = self.machine.work / "callgrind.log"
        watched = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}",
                   self.machine.located(command[0]), *command[1:]]
        done = subprocess.run(watched, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
        said = log.read_text(encoding="utf-8", errors="replace")
        collected = re.search(r"Collected : (\d+)", said)
        if done.returncode != 0 or not collected:
            stop(watched, done.returncode, done.stderr.decode(errors="replace") + said)
        return int(collected[1])


def why_not(machine):
    """Why no counts can be taken here; None when they can."""
    if not machine.has("valgrind"):
        return "valgrind is not installed: apt-get install valgrind"
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "true"],
                          env=machine.environment, capture_output=True, check=False)
    said = done.stderr.decode(errors="replace")[-200:]
    return None if done.returncode == 0 else f"valgrind does not run here: {said}"


def take_counts(machine):
    """{command: instructions} of the fixed set."""
    counter = Counter(machine)
    counts = {}
    for name, command in fixed_commands(machine):
        counts[name] = counter.count(command)
        note(f"{name}: {counts[name]:,} instructions")
    return counts


def fixed_commands(machine):
    """The commands, each ready to run when it is its turn."""
    yield "start", ["vault", "--version"]
    yield "encode 1,000 customers", ["encode-floor", "once"]
    vault = BenchVault(machine, RECORDS, "counted")
    yield f"import of {RECORDS:,}", vault.importing(source_of(machine, RECORDS))
    record = vault.middle()
    machine.run(vault.get(record["id"]))  # the first unlocking pins the vault
    yield "get by id", vault.get(record["id"])
    shutil.rmtree(machine.cache, ignore_errors=True)
    yield "list, the first time", ["vault", "list", *vault.here]
    yield "list", ["vault", "list", *vault.here]
    yield "get by name", vault.get(record["name"])
    yield "find", ["vault", "find", vault.rare(), *vault.here]
    yield "find --no-index", ["vault", "find", "--no-index", vault.rare(), *vault.here]
    yield f"export of {RECORDS:,}", vault.export()
    yield f"verify of {RECORDS:,}", ["vault", "verify", "--quiet", *vault.unlock]
    yield f"lint of {RECORDS:,}", ["vault", "lint", "--quiet", *vault.here]
    yield f"backup create of {RECORDS:,}", Backups(machine, vault).create(Path(tempfile.mkdtemp(dir=machine.work)))
    yield "add", vault.adding()
    yield f"rekey --reseal of {RECORDS:,}", ["vault", "rekey", "--reseal", "--quiet", *vault.unlock]


def compared(counts, recorded):
    """Rows of (command, count, recorded count, factor); what was not recorded has no factor."""
    return [(name, count, recorded.get(name), count / recorded[name] if name in recorded else None)
            for name, count in counts.items()]


def counts_table(rows, is_markdown):
    lines = [["command", "instructions", "recorded", "change", "held"]]
    for name, count, before, factor in rows:
        change = "" if factor is None else f"{(factor - 1) * 100:+.1f} %"
        held = "" if factor is None else "GREW" if grew(factor) else "ok"
        lines.append([name, f"{count:,}", f"{before:,}" if before else "", change, held])
    return table(lines, is_markdown)


def grew(factor):
    return factor is not None and factor > ALLOWED


def read_recorded(path):
    return json.loads(path.read_text(encoding="utf-8"))["counts"] if path.exists() else {}


def version(*command):
    """The first line that a tool says of itself."""
    if not command[0] or not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or [""])[0]


def record_counts(path, counts, swift):
    about = {"records": RECORDS, "machine": platform.machine(), "swift": version(swift, "--version"),
             "valgrind": version("valgrind", "--version"), "openssl": version("openssl", "version")}
    path.write_text(json.dumps({**about, "counts": counts}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
