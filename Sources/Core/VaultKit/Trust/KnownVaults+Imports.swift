package import VaultDocument
internal import VaultFileStore
internal import VaultTrust

extension KnownVaults {
  /// The report of the last import into a vault; nil if there is none.
  package func lastImport(into vault: VaultID) throws(VaultError) -> [UInt8]? { try read(.lastImport(into: vault)) }

  /// Remembers the report of an import into a vault, in place of the one before; nil forgets it.
  package func noteImport(_ report: [UInt8]?, into vault: VaultID) throws(VaultError) {
    try write([StateFolder.Change(.lastImport(into: vault), report)])
  }
}

extension StateName {
  /// What the last import into a vault has written.
  fileprivate static func lastImport(into id: VaultID) -> StateName { StateName("imports", id.text + ".json") }
}
