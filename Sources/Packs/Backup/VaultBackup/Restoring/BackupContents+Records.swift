package import VaultCare
package import VaultDocument
package import VaultKit
internal import VaultStorage

extension BackupContents {
  /// The records with these ids, live or removed, verified with the keys of the vault in the backup.
  ///
  /// - Parameters:
  ///   - names: full ids, or at least their first 4 characters.
  ///   - vault: the unlocked ``vault``, after ``authenticate(with:)``.
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

  /// Restores records into a vault as `Vault.bringBack(_:)`, after their attachments. Returns the written ids.
  ///
  /// - Parameter records: the result of ``records(named:with:)``.
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

  /// The location of the one record that a name means. A live record precedes a removed one.
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
        .noSuchRecord, "the backup has no record whose id begins with \(name)", file: file.path,
        remedies: ["use the id of a record, or at least 4 characters of it"])
    }
    guard places.count == 1 else {
      throw VaultError(
        .ambiguousRecord, "\(places.count) records match this beginning of an id: use one full id", file: file.path,
        remedies: places.keys.sorted().prefix(10).map { .sentence($0.text) })
    }
    return found
  }
}

extension String {
  fileprivate func isMeant(by name: String) -> Bool { name.utf8.count >= 4 && utf8.starts(with: name.utf8) }
}
