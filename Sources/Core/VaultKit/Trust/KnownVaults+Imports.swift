package import VaultDocument
internal import VaultFileStore
internal import VaultTrust

extension KnownVaults {
  /// The report of the last import into a vault; nil if this machine remembers no import.
  package func lastImport(into vault: VaultID) throws(VaultError) -> [UInt8]? { try read(.lastImport(into: vault)) }

  /// Remembers the report of an import into a vault, in place of the one before; nil forgets it.
  package func noteImport(_ report: [UInt8]?, into vault: VaultID) throws(VaultError) {
    try write([StateFolder.Change(.lastImport(into: vault), report)])
  }
}

extension StateName {
  /// The receipt of the last import into a vault.
  fileprivate static func lastImport(into id: VaultID) -> StateName { StateName("imports", id.text + ".json") }
}
