import VaultCare
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage

// The parts of an open vault that a merge of record versions needs.

extension Vault {
  /// The newest version of a record that this machine has seen; nil for none.
  func seenVersion(of id: RecordID) throws(VaultError) -> (revision: Int, mac: [UInt8])? {
    guard let memory, let version = try memory.seen(of: id).versions[id] else { return nil }
    return (version.revision, version.version.mac)
  }

  /// Whether the newest version of a record that this machine has seen is on another branch than those that are joined.
  func hasSeenElsewhere(_ id: RecordID) -> Bool {
    guard let memory, let seen = try? memory.seen(of: id).versions[id] else { return false }
    return memory.isElsewhere(MissedState(seen, found: seen.version))
  }

  /// The resolution of a record whose file a merge has left with both sides in it.
  struct MergedRecord {
    let id: RecordID
    /// Nil if the record is deleted for good.
    let bytes: [UInt8]?
    /// The versions in the vault from which it was made, live first; nil to replace any.
    let before: [[UInt8]]?

    init(_ id: RecordID, _ bytes: [UInt8]?, before: [[UInt8]]? = nil) {
      (self.id, self.bytes, self.before) = (id, bytes, before)
    }
  }

  /// Puts merged records in their places, all or none: among the records or in the trash, emptying the other place.
  ///
  /// - Parameters:
  ///   - files: where missing files of their attachments are; nil if the files are in place.
  ///   - isFinal: whether they are remembered as seen. A merge of git can still be given up.
  /// - Returns: the filled places, and the emptied ones.
  func put(
    _ records: [MergedRecord], copying files: AttachmentFiles? = nil, isFinal: Bool = false
  ) async throws(VaultError) -> (filled: [StoreLocation], emptied: [StoreLocation]) {
    try await writing { lock throws(VaultError) in
      var changes: [StoreChange] = []
      var (filled, emptied): ([StoreLocation], [StoreLocation]) = ([], [])
      var merged: [OpenRecord] = []
      for record in records {
        let version = try record.bytes.map { bytes throws(VaultError) in try self.authentic(bytes, record.id) }
        let place = version?.place
        var found: [[UInt8]] = []
        if let version { merged.append(version) }
        for location in StoreLocation.places(of: record.id) {
          let old = try inStore { () throws(StoreError) in try store.read(location) }
          if let old { found.append(old) }
          let new = location == place ? record.bytes : nil
          if new != nil { filled.append(location) } else { emptied.append(location) }
          if old != new { changes.append(StoreChange(location, from: old, to: new)) }
        }
        guard record.before == nil || record.before == found else {
          throw VaultError(.changedUnderneath, "was changed during the merge", record: record.id)
        }
      }
      try addingAttachments(lock) { () throws(VaultError) in
        if let files { try copyAttachments(of: merged, from: files, lock) }
        try write(changes, lock, isFinal: isFinal)
      }
      return (filled, emptied)
    }
  }

  private func write(_ changes: [StoreChange], _ lock: any StoreLock, isFinal: Bool) throws(VaultError) {
    if isFinal { return try apply(changes, lock) }
    try inStore { () throws(StoreError) in try store.apply(changes, under: lock) }
    tell(changes)
  }

  /// Whether the bytes of a file are an authentic version of a record, live or removed.
  func verifies(_ bytes: [UInt8], of id: RecordID) -> Bool { (try? authentic(bytes, id)) != nil }

  /// Puts a joined header in the place of `old`. It is not remembered as seen, and this value does not continue with
  /// it.
  func put(header bytes: [UInt8], replacing old: [UInt8]) async throws(VaultError) {
    try await put(bytes, replacing: old, at: .header)
  }

  /// Puts a joined file in place, and remembers it.
  func put(_ change: StoreChange) async throws(VaultError) {
    try await writing { lock throws(VaultError) in try apply([change], lock) }
  }

  func put(_ bytes: [UInt8], replacing old: [UInt8]?, at place: StoreLocation) async throws(VaultError) {
    try await writing { lock throws(VaultError) in
      let change = StoreChange(place, from: old, to: bytes)
      try inStore { () throws(StoreError) in try store.apply([change], under: lock) }
    }
  }

  /// The verified version of a record, live or removed.
  func authentic(_ bytes: [UInt8], _ id: RecordID) throws(VaultError) -> OpenRecord {
    let isRemoved = SeenVersion(parsing: bytes, of: id)?.isTrashed == true
    let record = isRemoved ? try verifyTrashed(bytes, id).record : try verify(bytes, id)
    try record.check()
    return record
  }
}
