public import VaultDocument
package import VaultRecords
internal import VaultSealing
package import VaultStorage

/// A fault of a vault file that ``Vault/verify(_:progress:)`` or ``VaultLint`` found.
///
/// It never holds a field's value.
public struct VaultFault: Sendable, CustomStringConvertible {
  /// The kind of fault, for programs.
  public let code: VaultError.Code
  /// Path below the vault's directory.
  public let file: String
  /// The record in the file's name.
  public let record: RecordID?
  /// Member path.
  public let field: String?
  /// A fixed sentence, at most with names of members and ids.
  public let reason: String
  /// Whether only readable fields can have been changed: ``Vault/editReview(of:_:)``.
  package private(set) var isEdited = false
  package var witnesses: Witnesses = []

  /// The file, and the field in it.
  package var subject: String { field.map { "\(file): \($0)" } ?? file }

  public var description: String { Sentence.about(subject, reason) }

  package init(_ code: VaultError.Code, _ reason: String, file: String, record: RecordID? = nil, field: String? = nil) {
    self.code = code
    self.file = file
    self.record = record
    self.field = field
    self.reason = reason
  }

  /// The fault of a live record that does not fit its declared kind.
  package init(_ misfit: RecordError, of record: RecordID) {
    self.init(
      .misfit, misfit.reason, file: StoreLocation.record(record).relativePath, record: record, field: misfit.path)
  }

  /// The fault of a file. An error that cannot be about one file, such as a cancellation, is thrown again.
  package init(_ error: VaultError, code: VaultError.Code? = nil, file: String, record: RecordID? = nil)
    throws(VaultError)
  {
    switch error.code {
    case .damaged, .newerFormat, .ioFailed, .permissionDenied, .inputRefused:
      self.init(code ?? VaultError.Code(error), error.reason, file: file, record: record, field: error.field)
      isEdited = error.isEdited
    default: throw error
    }
  }
}

extension VaultFault {
  /// The witnesses of another version of a record, if that is the fault.
  package struct Witnesses: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    package static let machine = Witnesses(rawValue: 1)
    package static let checkpoint = Witnesses(rawValue: 2)
  }
}

extension VaultError {
  /// Whether a folder, a link or a device lies where a file should be.
  package var isAboutFileType: Bool { Code(self) == .wrongFileType }
}

extension VaultError.Code {
  fileprivate init(_ error: VaultError) {
    self =
      switch error.underlying {
      case let error as StoreError: Self(error)
      case is DocumentError: .malformedDocument
      case is ConflictMarkers: .conflicted
      case let error as SealingError: Self(error)
      case let error as RecordError: (error.underlying as? SealingError).map(Self.init) ?? .invalidContent
      default: .otherDamage
      }
  }

  package init(_ error: StoreError) {
    self =
      switch error.code {
      case .notARegularFile, .notADirectory, .symbolicLink: .wrongFileType
      case .tooLarge: .tooLarge
      case .malformedJournal: .malformedJournal
      default: .unreadable
      }
  }

  private init(_ error: SealingError) {
    self =
      switch error.code {
      case .malformedEnvelope, .malformedWrappedKey: .malformedEnvelope
      case .newerFormat: .newerFormat
      case .unknownRoot: .unknownRoot
      case .clearText: .clearText
      case .foreignToken: .foreignToken
      case .malformedToken, .unknownTokenVersion, .malformedPlaintext: .damagedToken
      // With a path it is a field's tag, else the record's MAC or its key.
      case .authenticationFailed: error.path == nil ? .notAuthentic : .damagedToken
      default: .otherDamage
      }
  }
}
