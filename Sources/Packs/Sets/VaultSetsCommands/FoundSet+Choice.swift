import VaultCLI
import VaultDocument
import VaultKit
import VaultRecords
import VaultSets
import VaultTerminal

extension FoundSet: VaultNames {
  /// The set that decides where new records belong. Nil if the vault is known: by an option, by `CVAULT_DIR`, or by the
  /// working directory. The rules of the set decide, and the program never guesses.
  static func placing(_ vault: VaultOptions) throws -> FoundSet? {
    guard !vault.isGiven, vault.vaults != nil || System.environment("CVAULT_DIR") == nil,
      let found = try find(vault.vaults)
    else { return nil }
    if found.origin == .parent, let folder = System.nearestFolder(with: "vault.json"),
      folder.utf8.count > found.folder.utf8.count
    {
      return nil
    }
    return found
  }

  var names: [String] { self.set.members.map(\.name) }

  func parts(of word: String) -> (name: String?, record: String) {
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let isMeant = parts.count == 2 && !SecretReference.isMeant(by: word) && set[String(parts[0])] != nil
    return isMeant ? (String(parts[0]), String(parts[1])) : (nil, word)
  }

  func run(in names: [String], _ global: GlobalOptions, _ body: (String) async throws -> Void) async throws {
    try await VaultParts(names, global).run { name in
      try await body(name)
      return true
    }
  }

  func kinds(knowing name: String) -> KindCatalog {
    let catalogs = all.lazy.compactMap { try? $0.opened().kinds }
    return catalogs.first { $0[name] != nil } ?? .builtIn
  }

  func isDecided(by kind: String) -> Bool {
    !set.members.contains { member in
      member.takes.contains { rule in
        rule.conditions.contains { "\($0.path)" != "kind" }
          && !rule.conditions.contains { "\($0.path)" == "kind" && $0.value != kind }
      }
    }
  }

  func name(of kind: String, _ described: RecordKind?, _ fields: JSONObject) throws -> String {
    let takers = set.takers(of: kind, described, fields).map(\.name)
    guard let only = takers.first, takers.count == 1 else {
      throw CommandError(
        .inputRefused, "not_placed", subject: path,
        takers.isEmpty
          ? "has no rule for this \(kind)"
          : "has rules for this \(kind) in \(takers.joined(separator: " and "))",
        hints: ["choose the vault with --in NAME; nothing was stored"])
    }
    return only
  }
}
