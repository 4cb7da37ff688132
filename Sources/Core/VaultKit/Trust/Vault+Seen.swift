package import VaultDocument
internal import VaultStorage
internal import VaultTrust

extension Vault {
  /// Whether a record is as this machine has seen it, or newer; also if it is in the trash, or was deleted with a note.
  ///
  /// - Throws: ``VaultError`` if the vault cannot be read now, which says nothing about the record.
  package func isAsSeen(_ id: RecordID) throws(VaultError) -> Bool {
    if try accepted({ () throws(VaultError) in try verifiedRecord(id) }) != nil { return true }
    let live = try accepted { () throws(VaultError) in try locked.read(id) }
    if live ?? nil == nil, hasArrived(id) {
      return try accepted { () throws(VaultError) in try verifiedRecord(id) } != nil
    }
    guard let bytes = try accepted({ () throws(VaultError) in try readTrash(id) }) ?? nil else {
      return (try? memory?.seen(of: id).versions[id] == nil) ?? false
    }
    return try accepted { () throws(VaultError) in try compareWithSeen(verifyTrashed(bytes, id).record) } != nil
  }

  /// The result of a step; nil if it refuses the document.
  private func accepted<Result>(_ step: () throws(VaultError) -> Result) throws(VaultError) -> Result? {
    do throws(VaultError) {
      return try step()
    } catch {
      if error.isOfReading { throw error }
      return nil
    }
  }

  /// Compares a verified version with this machine's memory of its record, and notes it.
  func compareWithSeen(_ record: OpenRecord) throws(VaultError) {
    guard let memory else { return }
    let fault = try memory.take(SeenVersion(record))
    guard let fault, try !isSeenAtPresent(record.id) else { return }
    let error = VaultError(
      fault.code, fault.reason, file: record.file, record: record.id,
      remedies: locked.fitting(
        [.leaveBranch, .acceptRecords([record.id], fingerprint: try header.fingerprint())],
        at: StoreLocation.places(of: record.id)))
    throw present.map { $0.locked.setback(error) } ?? error
  }

  /// Whether a record that a replica lacked has come by now.
  private func hasArrived(_ id: RecordID) -> Bool {
    guard (try? readTrash(id)) ?? nil == nil, (try? memory?.seen(of: id).versions[id]) ?? nil != nil else {
      return false
    }
    let store = locked.store as? any RemoteStore
    return store?.catchUp(until: { (try? locked.read(id)) ?? nil != nil }) == .newer
  }
}

extension VaultError {
  /// Whether the store could not be read, which says nothing about the content.
  fileprivate var isOfReading: Bool {
    underlying is StoreError && (code == .ioFailed || code == .permissionDenied || code == .lockedByOther)
  }
}
