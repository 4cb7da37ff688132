"""A vault in git: merges, history and earlier states, beside git doing the same without looking into records."""

import json

from .limits import row
from .machine import Machine, note
from .pairs import in_turns, paired
from .vaults import BenchVault, source_of

# So many versions has the record whose history is asked for.
VERSIONS = 12
TEXT_DRIVER = "merge.vault.driver=true"


class Repository:
    """A vault of so many records, all of which two branches have changed since, each in another field."""

    def __init__(self, machine, count):
        self.vault = BenchVault(machine, count, "team")
        self.vault.fill(source_of(machine, count))
        self.here = Machine(machine.programs, machine.work)
        who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER")
               for part, value in (("NAME", "Bench"), ("EMAIL", "bench@example.com"))}
        self.here.environment = machine.environment | who | {
            "CVAULT_IDENTITY_FILE": str(self.vault.identity), "CVAULT_DIR": str(self.vault.folder),
            "GIT_MERGE_AUTOEDIT": "no", "PATH": f"{machine.programs}:{machine.path}"}
        self.git("init", "--quiet", "--initial-branch=base")
        self.here.output("vault", "git", "setup", "--quiet")
        self.commit("all")
        listed = json.loads(self.here.output("vault", "list", "--json"))["records"]
        self.ids = [record["id"] for record in listed]

    def git(self, *words):
        return self.here.output("git", "-C", str(self.vault.folder), *words)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", message)

    def part(self):
        """Both branches, each as another machine has made it."""
        for branch, change in (("theirs", "address.city=Oslo"), ("ours", "contact_info.email=o@example.com")):
            self.git("checkout", "--quiet", "-b", branch, "base")
            self.here.environment["CVAULT_STATE_DIR"] = str(self.vault.machine.work / f"state-{branch}")
            for record in self.ids:
                self.here.output("vault", "set", record, change, "--quiet")
            self.commit(branch)

    def reset(self, _):
        self.here.attempt(["git", "-C", str(self.vault.folder), "merge", "--abort"])
        self.git("reset", "--quiet", "--hard", "ours")

    def merging_text(self):
        """In a copy without a work tree, where git reads no attributes and calls no driver."""
        bare = self.vault.machine.work / "team.git"
        self.here.output("git", "clone", "--quiet", "--bare", str(self.vault.folder), str(bare))
        return lambda: self.here.attempt(["git", "-C", str(bare), "merge-tree", "--write-tree", "ours", "theirs"])

    def running(self, *words):
        """A run that may stop at conflicts, as git's do."""
        return lambda: self.here.attempt(["git", "-C", str(self.vault.folder), *words])


def measure_history(machine, options):
    if not machine.has("git"):
        return note("bench: git: left out, since git is not installed")
    count, rounds = options.merge_records, options.rounds or 5
    repository = Repository(machine, count)
    repository.part()
    tree = repository.merging_text()
    yield row("vault merge", count, "`git merge-tree --write-tree`, as text", in_turns(
        lambda: repository.here.run(["vault", "merge", "theirs", "--quiet"]), tree, rounds, 1, repository.reset))
    yield row("git merge", count, "the same, with `driver = true`", merging(repository, rounds))
    record = repository.ids[0]
    repository.reset(0)
    for number in range(VERSIONS):
        repository.here.output("vault", "set", record, f"address.city=City {number}", "--quiet")
        repository.commit(f"version {number}")
    path = f"records/{record[:2]}/{record}.json"
    yield row("log RECORD", count, "`git log --format=%H`", paired(
        repository.here, ["vault", "log", record], ["git", "-C", str(repository.vault.folder), "log", "--format=%H",
                                                    "--", path], options.rounds or 30))
    yield row("list --at", count, "`ls-tree`, then `cat-file --batch`", in_turns(
        lambda: repository.here.run(["vault", "list", "--at", "base"]), batch(repository), options.rounds or 15))


def merging(repository, rounds):
    """git merge with our driver, and with one that says that all is well; between them the work tree goes back."""

    def run(*options):
        repository.reset(0)
        return repository.running(*options, "merge", "--no-commit", "theirs")()

    return in_turns(run, lambda: run("-c", TEXT_DRIVER), rounds, 1)


def batch(repository):
    """All that a commit has of the records, by the quickest way that git has."""
    folder = repository.vault.folder
    script = (f"git -C '{folder}' ls-tree -r base -- records | cut -d' ' -f3 | cut -f1 | "
              f"git -C '{folder}' cat-file --batch >/dev/null")
    return lambda: repository.here.run(["sh", "-c", script])
