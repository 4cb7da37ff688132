"""The vault as one tool among the others."""

from ..vaults import BenchVault, filled_vault, source_of
from .tool import Tool, shell


class Vault(Tool):
    name, largest = "vault", 1_000_000

    def prepare(self, count):
        self.vault = filled_vault(self, count)
        self.record = self.vault.middle()
        self.source = source_of(self, count)

    def commands(self, count, number):
        vault = self.vault
        return {
            "get": vault.get(self.record["name"]),
            "set": ["vault", "set", self.record["name"], "--generate", "access_key", "--quiet", *vault.unlock],
            "list": ["vault", "list", *vault.here],
            "all": vault.export(),
            "import": self.importing(count, number),
            "rotate": self.resealing(count, number),
        }

    def new(self, count, number):
        return self.work / f"vault-new-{count}-{number}", self.work / f"vault-new-{count}-{number}.txt"

    def importing(self, count, number):
        """With the making of the vault, as the other tools make their files."""
        folder, identity = self.new(count, number)
        script = """"$1" init "$3" --generate-identity "$4" --quiet &&
            "$1" import jsonl "$2" --kind customer --quiet --vault "$3" --identity "$4\""""
        return shell(script, self.located("vault"), self.source, folder, identity)

    def resealing(self, count, number):
        """What this round's import made."""
        folder, identity = self.new(count, number)
        return ["vault", "rekey", "--reseal", "--quiet", "--vault", str(folder), "--identity", str(identity)]


class VaultByID(Tool):
    name, largest = "vault, by id", 1_000_000

    def prepare(self, count):
        self.vault = BenchVault(self, count)
        self.record = self.vault.middle()

    def commands(self, count, number):
        return {"get": self.vault.get(self.record["id"])}
