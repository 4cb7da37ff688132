package import VaultDocument
internal import VaultFileStore
internal import VaultTrust

/// A document that commands keep about a vault in the memory of this machine (format 1, section 9.1, Pin and seen).
package enum KeptDocument: String, CaseIterable {
  /// The records that the last import has written.
  case imports
  /// The folders of its backups.
  case backups
  /// The recovery sheets that were made here, and their checks.
  case sheets
}

extension KnownVaults {
  /// A kept document of a vault; nil if this machine keeps none.
  package func document(_ kind: KeptDocument, of vault: VaultID) throws(VaultError) -> [UInt8]? {
    try read(kind.name(of: vault))
  }

  /// Keeps a document of a vault, in place of the one before; nil forgets it.
  package func keep(_ document: [UInt8]?, as kind: KeptDocument, of vault: VaultID) throws(VaultError) {
    try write([StateFolder.Change(kind.name(of: vault), document)])
  }
}

extension KeptDocument {
  func name(of vault: VaultID) -> StateName { StateName(rawValue, vault.text + ".json") }
}
