public import VaultDocument
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// Which sealed fields are to be replaced at their source.
public enum DueRule: Sendable {
  /// Those that were sealed before this moment.
  case sealedBefore(Timestamp)
  /// Those that somebody could read who had the keys until the newest reseal; the trash included, since it was readable
  /// too.
  case sinceReseal
}

/// A sealed field that is to be replaced.
public struct DueField: Sendable {
  /// The record, as a list has it.
  public let record: RecordSummary
  /// The field.
  public let path: MemberPath
  /// When the value was sealed, to the second; sealing the same value again does not change it.
  public let sealedAt: Timestamp
  /// Whether the record is in the trash.
  public let isTrashed: Bool

  /// By name, then id, then path: the order in which somebody goes through them.
  static func isBefore(_ left: DueField, _ right: DueField) -> Bool {
    if !left.record.name.utf8.elementsEqual(right.record.name.utf8) {
      return left.record.name.utf8.lexicographicallyPrecedes(right.record.name.utf8)
    }
    if left.record.id != right.record.id { return left.record.id < right.record.id }
    return left.path.description.utf8.lexicographicallyPrecedes(right.path.description.utf8)
  }
}

/// What is due, without a key and so unverified.
public struct DueFields: Sendable {
  /// Sorted by the records' names.
  public fileprivate(set) var fields: [DueField] = []
  /// Fields sealed before this moment are due; nil when there was no reseal yet, so that none is.
  public let before: Timestamp?
  /// Files that could not be read.
  public fileprivate(set) var faults: [VaultError] = []
}

extension LockedVault {
  /// The sealed fields that are to be replaced, from sealing times and the keyring alone (format 1, section 11,
  /// Rotation).
  ///
  /// - Throws: ``VaultError`` when a folder cannot be read.
  public func due(_ rule: DueRule) throws(VaultError) -> DueFields {
    let (before, includesTrash) =
      switch rule {
      case .sealedBefore(let time): (Optional(time), false)
      case .sinceReseal: (header.newestReseal, true)
      }
    var due = DueFields(before: before)
    guard let before else { return due }
    try forEachFile { id, bytes in
      due.add(bytes, id, .record(id), before, kinds)
      return true
    }
    if includesTrash { try forEachTrashedFile { id, bytes in due.add(bytes, id, .trash(id), before, kinds) } }
    due.fields.sort(by: DueField.isBefore)
    return due
  }
}

extension VaultHeader {
  /// When the newest reseal was begun; nil without any.
  public var newestReseal: Timestamp? { keyring.filter { $0.reason == .reseal }.map(\.replacedAt).max() }
}

extension DueFields {
  fileprivate mutating func add(
    _ bytes: Result<[UInt8], VaultError>, _ id: RecordID, _ place: StoreLocation, _ before: Timestamp,
    _ kinds: KindCatalog
  ) {
    do throws(VaultError) {
      let isTrashed = place == .trash(id)
      let record = try StoredRecord(
        parsing: bytes.get(), file: place.relativePath, id: id, kinds: kinds, isTrashed: isTrashed)
      let summary = RecordSummary(record)
      try JSONValue.object(record.fields).forEachString { path, text throws(VaultError) in
        guard SealedToken.hasTokenShape(text) else { return }
        do throws(SealingError) {
          let sealedAt = try SealedToken(parsing: text).sealedAt
          guard sealedAt < before else { return }
          fields.append(DueField(record: summary, path: path, sealedAt: sealedAt, isTrashed: isTrashed))
        } catch {
          throw VaultError(sealing: error.at(path.description), file: place.relativePath, record: id)
        }
      }
    } catch {
      faults.append(error)
    }
  }
}
