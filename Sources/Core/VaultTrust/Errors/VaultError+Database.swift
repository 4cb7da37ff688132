internal import VaultStorage

// Facts about errors of a vault that is not in a folder.

extension VaultError {
  /// The message of the database; nil if it was not asked. Anybody may have written it, so it is escaped and cut.
  package var wordsOfDatabase: String? { (storeError?.underlying as? any RemoteFault)?.words }

  package var lacksTables: Bool { code == .notAVault && storeError?.underlying != nil }

  /// Whether a newer program made the tables.
  package var isOfNewerLayout: Bool { storeError?.code == .newerLayout }
}
