internal import VaultStorage

// What a program says of a vault that is in no folder.

extension VaultError {
  /// What the database said; nil where it was not asked. It may be anybody's words: they are escaped and cut.
  package var wordsOfDatabase: String? { (storeError?.underlying as? any RemoteFault)?.words }

  /// Whether the database has no tables for vaults.
  package var lacksTables: Bool { code == .notAVault && storeError?.underlying != nil }

  /// Whether a newer program made the tables.
  package var isOfNewerLayout: Bool { storeError?.code == .newerLayout }
}
