public import VaultDocument
public import VaultKit
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage
public import VaultTrust

/// The rule for sealed fields that should be replaced at their source.
public enum DueRule: Sendable {
  /// Fields that were sealed before this moment.
  case sealedBefore(Timestamp)
  /// Fields that a holder of the keys could read until the newest reseal, including the trash, which was readable too.
  case sinceReseal
}

/// A sealed field that should be replaced.
public struct DueField: Sendable {
  /// The record, as in a list.
  public let record: RecordSummary
  /// The field.
  public let path: MemberPath
  /// The sealing time, to the second; sealing the same value again does not change it.
  public let sealedAt: Timestamp
  /// Whether the record is in the trash.
  public let isTrashed: Bool

  /// By name, then id, then path, which is a good order for working through them.
  static func isBefore(_ left: DueField, _ right: DueField) -> Bool {
    if !left.record.name.utf8.elementsEqual(right.record.name.utf8) {
      return left.record.name.utf8.lexicographicallyPrecedes(right.record.name.utf8)
    }
    if left.record.id != right.record.id { return left.record.id < right.record.id }
    return left.path.description.utf8.lexicographicallyPrecedes(right.path.description.utf8)
  }
}

/// The due fields, read without a key and so unverified.
public struct DueFields: Sendable {
  /// Sorted by the records' names.
  public fileprivate(set) var fields: [DueField] = []
  /// Fields sealed before this moment are due; nil if there was no reseal yet, and then no field is due.
  public let before: Timestamp?
  /// The errors of unreadable files.
  public fileprivate(set) var faults: [VaultError] = []
}

extension LockedVault {
  /// The sealed fields that should be replaced, judged by sealing times and the keyring alone (format 1, section 11,
  /// Rotation).
  ///
  /// - Throws: ``VaultError`` if a folder cannot be read.
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

extension DueFields {
  /// Adds the due fields of one file. A fault ends that file, but the fields before it stay.
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
