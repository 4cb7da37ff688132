internal import VaultDocument

/// A writer of one format of another tool.
///
/// Every record is shown to it twice, in the same order: to ``survey(_:)``, so that what the format cannot carry is
/// known before anything is written, and to ``bytes(of:)``. It keeps no record, so that an export of any size takes
/// little memory.
public protocol Exporter {
  /// What is to be said before anything is written, once all records were surveyed.
  var notes: ExportNotes { get }

  /// Looks at a record that is going to be written.
  ///
  /// - Throws: ``ExportError`` for what makes the whole export impossible.
  mutating func survey(_ record: ExportedRecord) throws(ExportError)

  /// What stands before the first record.
  ///
  /// - Throws: ``ExportError``.
  mutating func begin() throws(ExportError) -> [UInt8]

  /// A record; nothing for one that has no place.
  ///
  /// - Throws: ``ExportError``, also for a record that was not surveyed.
  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8]

  /// What stands behind the last record.
  ///
  /// - Throws: ``ExportError``.
  mutating func end() throws(ExportError) -> [UInt8]
}

extension Exporter {
  public mutating func begin() throws(ExportError) -> [UInt8] { [] }
  public mutating func end() throws(ExportError) -> [UInt8] { [] }
}

/// Why an export stops; `reason` is a fixed sentence, never a value.
public struct ExportError: Error, Sendable {
  /// The record, nil for the export as a whole.
  public let record: String?
  /// The path of the member, where it is one.
  public let path: String?
  /// A fixed sentence, never a value.
  public let reason: String
  /// Whether records were not the same when they were written as when they were surveyed: another try may do.
  public let isChange: Bool
  /// The error of the layer below.
  public let underlying: (any Error)?

  // `StaticString` makes it impossible to put a value into the sentence.
  init(
    _ reason: StaticString, in record: ExportedRecord? = nil, at path: MemberPath? = nil,
    isChange: Bool = false, underlying: (any Error)? = nil
  ) {
    self.isChange = isChange
    self.record = record?.id
    self.path = path?.description
    self.reason = "\(reason)"
    self.underlying = underlying
  }

  /// A record that is not as it was surveyed.
  static func changed(_ record: ExportedRecord) -> ExportError {
    ExportError("was changed by another process while it was exported", in: record, isChange: true)
  }
}
