internal import VaultDocument

/// A writer of one format of another tool.
///
/// Every record is passed twice, in the same order: first to ``survey(_:)``, so that losses are known before anything
/// is written, then to ``bytes(of:)``. The writer keeps no record, so an export of any size needs little memory.
public protocol Exporter {
  /// The remarks for the user, after all records were surveyed and before anything is written.
  var notes: ExportNotes { get }

  /// Looks at a record that will be written.
  ///
  /// - Throws: ``ExportError`` if the whole export is impossible.
  mutating func survey(_ record: ExportedRecord) throws(ExportError)

  /// The bytes before the first record.
  ///
  /// - Throws: ``ExportError``.
  mutating func begin() throws(ExportError) -> [UInt8]

  /// The bytes of a record; empty if the format has no place for the record.
  ///
  /// - Throws: ``ExportError``, also for a record that was not surveyed.
  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8]

  /// The bytes after the last record.
  ///
  /// - Throws: ``ExportError``.
  mutating func end() throws(ExportError) -> [UInt8]
}

extension Exporter {
  public mutating func begin() throws(ExportError) -> [UInt8] { [] }
  public mutating func end() throws(ExportError) -> [UInt8] { [] }
}

/// Why an export stops. `reason` is a fixed sentence and never holds a value.
public struct ExportError: Error, Sendable {
  /// The id of the record; nil if the export as a whole failed.
  public let record: String?
  /// The path of the member, if the error is about a member.
  public let path: String?
  /// A fixed sentence without any value.
  public let reason: String
  /// Whether a record changed between the survey and the writing. Then another try may succeed.
  public let isChange: Bool
  /// The error of the layer below.
  public let underlying: (any Error)?

  // With `StaticString` a value cannot get into the sentence.
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

  static func nulInTable(in record: ExportedRecord, at path: MemberPath? = nil) -> ExportError {
    ExportError("has a NUL character, which csv cannot hold", in: record, at: path)
  }

  static func notJSON(in record: ExportedRecord? = nil, underlying: any Error) -> ExportError {
    ExportError("has a value that JSON cannot hold", in: record, underlying: underlying)
  }

  static func changed(_ record: ExportedRecord) -> ExportError {
    ExportError("was changed by another process while it was exported", in: record, isChange: true)
  }
}
