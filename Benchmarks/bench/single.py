"""What a person waits for: starting, get, add, list, find; and the single calls below, sealing and encoding."""

import json
import re
import subprocess

from .limits import row
from .machine import note, stop
from .pairs import WARM_UP, of_pairs, paired
from .vaults import filled_vault

TREE = "the same command tree, no vault code"


def measure_start(machine, options):
    """Nothing but starting, beside a program that does nothing and one with nothing behind its commands."""
    note_missing_commands(machine)
    ours, rounds = ["vault", "--version"], options.rounds or 200
    bare = ["get-floor", "--version"]
    yield row("start-up, beside /bin/true", 0, "`/bin/true`", paired(machine, ours, ["true"], rounds))
    yield row("start-up, beside the bare command tree", 0, TREE, paired(machine, ours, bare, rounds))


def note_missing_commands(machine):
    """The floor has to have the commands and options that the vault has."""
    ours, floor = (set(words_of(json.loads(machine.output(program, "--experimental-dump-help"))["command"]))
                   for program in ("vault", "get-floor"))
    if ours != floor:
        note("bench: Benchmarks/Sources/get-floor is not as the commands are: " + ", ".join(sorted(ours ^ floor)))


def words_of(command, path=""):
    """The commands below one, and their options, as `backup create --to`."""
    for argument in command.get("arguments", []):
        name = argument.get("preferredName")
        yield f"{path} --{name['name']}" if name else f"{path} {argument['kind']}"
    for below in command.get("subcommands", []):
        if below["commandName"] != "help":
            yield from words_of(below, f"{path} {below['commandName']}".lstrip())


def measure_encode(machine, options):
    result = json.loads(machine.output("encode-floor", str(options.rounds or 200)))
    yield row("encode a customer", 1, "`JSONEncoder` with plain strings", {
        "rounds": result["rounds"], "vault_seconds": result["vault"] / 1e9, "floor_seconds": result["floor"] / 1e9,
        "ratio": result["ratio"],
    })


def measure_seal(machine, options):
    """Processor time of both sides, for about a second each, in turns."""
    if not machine.has("openssl"):
        return note("bench: seal: left out, since its floor openssl is not installed")
    rounds = min(options.rounds or 7, 15)
    pairs = []
    for number in range(rounds):
        sides = (sealing_seconds, openssl_seconds)
        taken = {side: side(machine) for side in (sides if number % 2 == 0 else reversed(sides))}
        pairs.append((taken[sealing_seconds], taken[openssl_seconds]))
    yield row("seal 32 bytes", 1, "`openssl speed -evp aes-256-gcm -bytes 32`", of_pairs(pairs))


def sealing_seconds(machine):
    return float(machine.output("seal-floor", "1")) / 1e9


def openssl_seconds(machine):
    """It says how many it did, and in how much processor time."""
    command = ["openssl", "speed", "-mr", "-evp", "aes-256-gcm", "-bytes", "32", "-seconds", "1"]
    done = subprocess.run(command, env=machine.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    rate = re.search(r"^\+F:\d+:[^:]+:([0-9.]+)$", done.stdout + done.stderr, re.MULTILINE)
    if done.returncode != 0 or not rate:
        stop(command, done.returncode, done.stderr)
    return 32 / float(rate[1])


def measure_get(machine, options):
    """At the smallest number of records beside a program with the same commands; at the largest beside the smallest."""
    rounds = options.rounds or 200
    sizes = sorted(options.get_records)
    vaults = {count: filled_vault(machine, count) for count in sizes}
    middle = {count: vault.middle() for count, vault in vaults.items()}
    for count, vault in vaults.items():
        for how in ("id", "name"):
            words = vault.get(middle[count][how])[1:]
            yield row(f"get by {how}", count, TREE, paired(machine, ["vault", *words], ["get-floor", *words], rounds))
    opening = decrypting(machine)
    if opening:
        ours = vaults[sizes[0]].get(middle[sizes[0]]["id"])
        yield row("get by id, beside openssl", sizes[0], "`openssl cms -decrypt` of one file",
                  paired(machine, ours, opening, rounds))
    few = vaults[sizes[0]]
    get = few.get(middle[sizes[0]]["id"])
    for name, how in (("", "never"), (", staying beside it", "always")):
        yield row(f"run true{name}, beside get", sizes[0], "`get` by id",
                  paired(machine, few.running(middle[sizes[0]]["id"], how), get, rounds))
    if len(sizes) > 1:
        many, few = (vaults[count].get(middle[count]["id"]) for count in (sizes[-1], sizes[0]))
        result = paired(machine, many, few, rounds)
        yield row("get by id, largest beside smallest", sizes[-1], f"`get` of {sizes[0]:,}", result)


def decrypting(machine):
    """A command that opens one file of the size of a record with a key on a curve, made before."""
    if not machine.has("openssl"):
        return note("bench: get: not beside openssl, which is not installed")
    key, certificate, sealed = (str(machine.work / f"cms.{part}") for part in ("key", "pem", "sealed"))
    machine.output("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                   "-keyout", key, "-out", certificate, "-subj", "/CN=bench")
    machine.output("openssl", "cms", "-encrypt", "-aes-256-gcm", "-binary", "-outform", "DER", "-in", certificate,
                   "-out", sealed, certificate)
    return ["openssl", "cms", "-decrypt", "-inform", "DER", "-in", sealed, "-inkey", key]


def measure_add(machine, options):
    """What a durable add takes beyond a get, against one durable replacement of a file in the same folder."""
    vault = filled_vault(machine, min(options.get_records))
    add, get = vault.adding(), vault.get(vault.first())
    pairs, peak = [], 0
    for number in range(-WARM_UP, options.rounds or 50):
        run, begun = machine.run(add), machine.run(get)
        floor = int(machine.output("write-floor", "one", str(vault.folder), "1100")) / 1e9
        if number >= 0:
            pairs.append((run.seconds - begun.seconds, floor))
            peak = max(peak, run.peak)
    result = {**of_pairs(pairs), "vault_peak_bytes": peak}
    yield row("add, beyond get", vault.count, "create, write, fsync, rename, fsync", result)


def measure_list(machine, options):
    vault = filled_vault(machine, options.export_records)
    result = paired(machine, ["vault", "list", *vault.here], ["ls", "-R", str(vault.folder)], options.rounds or 15)
    yield row("list", vault.count, "`ls -R` of the same vault", result)
    vault = filled_vault(machine, options.find_records)
    get = vault.get(vault.first())
    result = paired(machine, ["vault", "list", "--limit", "20", *vault.here], get, options.rounds or 50)
    yield row("list --limit 20", vault.count, "`get` of the same vault", result)


def measure_find(machine, options):
    """A text that one record holds: with the index beside a get, without beside grep."""
    vault = filled_vault(machine, options.find_records)
    find = ["vault", "find", vault.rare(), *vault.here]
    result = paired(machine, find, vault.get(vault.first()), options.rounds or 50)
    yield row("find", vault.count, "`get` of the same vault", result)
    vault = filled_vault(machine, options.export_records)
    ours = ["vault", "find", "--no-index", vault.rare(), *vault.here]
    result = paired(machine, ours, ["grep", "-rl", "--", vault.rare(), str(vault.folder)], options.rounds or 15)
    yield row("find --no-index", vault.count, "`grep -rl` over the same tree", result)
