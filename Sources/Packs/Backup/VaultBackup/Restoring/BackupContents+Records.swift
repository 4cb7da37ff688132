package import VaultCare
package import VaultDocument
package import VaultKit
internal import VaultStorage

extension BackupContents {
  /// The records with these ids, live or removed, verified with the keys of the vault in the backup.
  ///
  /// - Parameters:
  ///   - names: full ids, or beginnings of one of at least 4 characters.
  ///   - vault: what unlocking ``vault`` gave; ``authenticate(with:)`` comes first.
  package func records(named names: [String], with vault: Vault) throws(VaultError) -> [RestorableRecord] {
    var candidates: [(place: StoreLocation, bytes: [UInt8])] = []
    try forEachFile { file throws(VaultError) in
      guard case .document(let place) = file.member, let id = place.recordID?.text else { return }
      if names.contains(where: { id.isMeant(by: $0) }) { candidates.append((place, file.bytes)) }
    }
    var wanted: Set<StoreLocation> = []
    for name in names { wanted.insert(try place(named: name, among: candidates.map(\.place))) }
    var records: [RestorableRecord] = []
    for (place, bytes) in candidates where wanted.contains(place) {
      records.append(try vault.restorableRecord(bytes, at: place))
    }
    return records
  }

  /// Brings records back into a vault with their attachments, as `Vault.bringBack(_:)`; the files come first.
  ///
  /// - Parameter records: what ``records(named:with:)`` gave.
  /// - Returns: the ids that were written.
  package func bringBack(
    _ records: [RestorableRecord], into vault: Vault
  ) async throws(VaultError) -> [RecordID] {
    try await vault.bringBack(records) { ids, take throws(VaultError) in
      try self.forEachFile(
        { _ in },
        piece: { piece throws(VaultError) in
          guard case .document(.attachment(let id)) = piece.member, ids.contains(id) else { return }
          try take(id, piece.bytes, piece.isLast)
        })
    }
  }

  /// Where the one record lies that a name means; of a live and a removed one the live one, which comes first, is
  /// meant.
  private func place(
    named name: String, among candidates: [StoreLocation]
  ) throws(VaultError) -> StoreLocation {
    var places: [RecordID: StoreLocation] = [:]
    for place in candidates {
      guard let id = place.recordID, id.text.isMeant(by: name) else { continue }
      if places[id] == nil { places[id] = place }
    }
    guard let found = places.values.first else {
      throw VaultError(
        .noSuchRecord, "no such record in the backup", file: file.path, remedies: ["name it by its id: \(name)"])
    }
    guard places.count == 1 else {
      throw VaultError(
        .ambiguousRecord, "means \(places.count) records: name one by its whole id", file: file.path,
        remedies: places.keys.sorted().prefix(10).map { .sentence($0.text) })
    }
    return found
  }
}

extension String {
  /// Whether a name means this id.
  fileprivate func isMeant(by name: String) -> Bool { name.utf8.count >= 4 && utf8.starts(with: name.utf8) }
}
