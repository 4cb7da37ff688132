package import VaultDocument
import VaultKit
package import VaultRecords
package import VaultTerminal

/// The vault for new records if the user named none. The rules of a set decide, and the program never guesses.
package struct VaultChoice {
  package let set: FoundSet

  /// Nil if the vault is known: by an option, by `CVAULT_DIR`, or by the working directory.
  package init?(_ vault: VaultOptions) throws {
    guard !vault.isGiven, vault.vaults != nil || System.environment("CVAULT_DIR") == nil,
      let found = try FoundSet.find(vault.vaults)
    else { return nil }
    if found.origin == .parent, let folder = System.nearestFolder(with: "vault.json"),
      folder.utf8.count > found.folder.utf8.count
    {
      return nil
    }
    set = found
  }

  /// The kinds of the first vault that has the kind, or the built-in kinds.
  package func kinds(knowing name: String) -> KindCatalog {
    let catalogs = set.all.lazy.compactMap { try? $0.opened().kinds }
    return catalogs.first { $0[name] != nil } ?? .builtIn
  }

  package func isDecided(by kind: String) -> Bool {
    !set.set.members.contains { member in
      member.takes.contains { rule in
        rule.conditions.contains { "\($0.path)" != "kind" }
          && !rule.conditions.contains { "\($0.path)" == "kind" && $0.value != kind }
      }
    }
  }

  /// The one vault whose rule matches a record.
  package func name(of kind: String, _ described: RecordKind?, _ fields: JSONObject) throws -> String {
    let takers = set.set.takers(of: kind, described, fields).map(\.name)
    guard let only = takers.first, takers.count == 1 else {
      throw CommandError(
        .inputRefused, "not_placed", subject: set.path,
        takers.isEmpty
          ? "has no rule for this \(kind)"
          : "has rules for this \(kind) in \(takers.joined(separator: " and "))",
        hints: ["choose the vault with --in NAME; nothing was stored"])
    }
    return only
  }
}
