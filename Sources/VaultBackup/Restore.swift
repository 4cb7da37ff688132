internal import VaultFileStore
public import VaultKit
internal import VaultStorage

extension BackupContents {
  /// Restores the vault into a directory that is not there yet, or empty; it appears whole or not at all, and durably.
  ///
  /// - Parameters:
  ///   - vault: what unlocking ``vault`` gave; ``authenticate(with:)`` comes first.
  ///   - progress: called after each record.
  /// - Returns: what was verified on the way.
  /// - Throws: ``VaultError`` `.damaged` with the first fault; `.alreadyExists`, `.diskFull`, `.permissionDenied`, `.ioFailed`.
  public func restore(
    with vault: Vault, to path: String, progress: @escaping () -> Void = {}
  ) async throws(VaultError) -> Verification {
    let staged = try inStore { () throws(StoreError) in
      let (parent, name) = NamedFolder.split(path)
      return try StagedVault(name, in: NamedFolder(at: parent))
    }
    defer { staged.discard() }
    var verification = StreamedVerification()
    try forEachFile { file throws(VaultError) in
      switch file.member {
      case .document(let place):
        if place.recordID != nil {
          let outcome = Result { () throws(VaultError) in try vault.checkedVersion(file.bytes, at: place) }
          try verification.take(outcome, at: place)
          progress()
        }
        try inStore { () throws(StoreError) in try staged.write(file.bytes, to: place) }
      case .gitFile(let name): try inStore { () throws(StoreError) in try staged.writeGitFile(file.bytes, to: name) }
      case .list: break
      }
    }
    let found = try verification.finish(vault, VerificationScope())
    guard found.isGood else { return found }
    try inStore { () throws(StoreError) in
      try staged.sync()
      try staged.putInPlace()
    }
    return found
  }
}
