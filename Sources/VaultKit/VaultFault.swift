public import VaultDocument
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage

/// Something that ``Vault/verify(_:progress:)`` or ``VaultLint`` found wrong with a file of the vault.
///
/// It never holds a field's value.
public struct VaultFault: Sendable, CustomStringConvertible {
  /// What is wrong, for programs. New codes may be added in later versions.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case unreadable, wrongFileType, tooLarge, malformedDocument, malformedEnvelope, newerFormat, misplaced
      case unknownRoot, notAuthentic, foreignToken, damagedToken, clearText, invalidContent, wrongPlace
      case equalRevisions, strayEntry, missingSlot, damagedSlot, malformedJournal, otherDamage, conflicted
      case rolledBack, forked, vanished, notCanonical, repeatedToken, readableSecret, privateKey
    }
    private let name: Name

    public var description: String { name.rawValue }

    /// The system refused to read it, or the disk failed.
    public static let unreadable = Code(name: .unreadable)
    /// A link, directory, FIFO or device stands where a file belongs, or a file where a directory does.
    public static let wrongFileType = Code(name: .wrongFileType)
    /// The file is over the limit of the format.
    public static let tooLarge = Code(name: .tooLarge)
    /// It is no JSON as the format wants it.
    public static let malformedDocument = Code(name: .malformedDocument)
    /// It holds both sides of a conflict, as git leaves them to a person.
    public static let conflicted = Code(name: .conflicted)
    /// The member `$vault` is missing or not of format 1.
    public static let malformedEnvelope = Code(name: .malformedEnvelope)
    /// A newer version of the program wrote it.
    public static let newerFormat = Code(name: .newerFormat)
    /// The file holds a record of another id than its name says.
    public static let misplaced = Code(name: .misplaced)
    /// No root key of the vault wraps the record's data key.
    public static let unknownRoot = Code(name: .unknownRoot)
    /// The MAC does not match, or the data key does not open.
    public static let notAuthentic = Code(name: .notAuthentic)
    /// A sealed field belongs to another record or key.
    public static let foreignToken = Code(name: .foreignToken)
    /// A sealed field does not open.
    public static let damagedToken = Code(name: .damagedToken)
    /// A value stands in clear where the kind wants a sealed one.
    public static let clearText = Code(name: .clearText)
    /// A member is missing or of another type than the kind says.
    public static let invalidContent = Code(name: .invalidContent)
    /// A removed record outside the trash, or a live one in it.
    public static let wrongPlace = Code(name: .wrongPlace)
    /// A live and a removed record have the same id and revision.
    public static let equalRevisions = Code(name: .equalRevisions)
    /// Something lies among the records that does not belong there.
    public static let strayEntry = Code(name: .strayEntry)
    /// The file of a slot is not there.
    public static let missingSlot = Code(name: .missingSlot)
    /// The file of a slot is not the one that the header names.
    public static let damagedSlot = Code(name: .damagedSlot)
    /// `.journal.json` is no journal, or files that it names are gone.
    public static let malformedJournal = Code(name: .malformedJournal)
    /// A record verifies and is older than the checkpoint lists it.
    public static let rolledBack = Code(name: .rolledBack)
    /// A record verifies and is another version of the revision that the checkpoint lists.
    public static let forked = Code(name: .forked)
    /// A record that the checkpoint lists is neither live nor in the trash.
    public static let vanished = Code(name: .vanished)
    /// The bytes differ from what this program writes of the same document.
    public static let notCanonical = Code(name: .notCanonical)
    /// A file beside the documents holds a private key in clear.
    public static let privateKey = Code(name: .privateKey)
    /// The same sealed value stands twice in a record.
    public static let repeatedToken = Code(name: .repeatedToken)
    /// A readable member holds an address with a password, key or token in it.
    public static let readableSecret = Code(name: .readableSecret)
    /// Damage of another kind.
    public static let otherDamage = Code(name: .otherDamage)
  }

  public let code: Code
  /// Path below the vault's directory.
  public let file: String
  /// The record that the file's name says.
  public let record: RecordID?
  /// Member path.
  public let field: String?
  /// A fixed sentence, at most with names of members and ids.
  public let reason: String
  /// Whether only readable fields can have been changed: ``Vault/acceptance(of:_:)``.
  private(set) var isEdited = false
  /// Who knows of another version.
  var witnesses: Witnesses = []

  public var description: String { field.map { "\(file): \($0): \(reason)" } ?? "\(file): \(reason)" }

  init(_ code: Code, _ reason: String, file: String, record: RecordID? = nil, field: String? = nil) {
    self.code = code
    self.file = file
    self.record = record
    self.field = field
    self.reason = reason
  }

  /// What an error of reading or verifying `file` says about the file.
  ///
  /// - Throws: `error` itself, when it says nothing about the file: memory, the library, the lock.
  init(_ error: VaultError, code: Code? = nil, file: String, record: RecordID? = nil) throws(VaultError) {
    switch error.code {
    case .damaged, .newerFormat, .ioFailed, .permissionDenied, .inputRefused:
      self.init(code ?? Code(error), error.reason, file: file, record: record, field: error.field)
      isEdited = error.isEdited
    default: throw error
    }
  }
}

extension VaultFault {
  /// A folder of records that cannot be read as such.
  init(unreadable folder: UInt8, _ error: StoreError) {
    self.init(Code(error), error.reason, file: error.path ?? StoreLocation.folderPath(folder))
  }
}

extension VaultFault.Code {
  fileprivate init(_ error: VaultError) {
    self =
      switch error.underlying {
      case let error as StoreError: Self(error)
      case is DocumentError: .malformedDocument
      case is ConflictMarkers: .conflicted
      case let error as SealingError: Self(error)
      case let error as RecordError: error.underlying.map(Self.init) ?? .invalidContent
      default: .otherDamage
      }
  }

  init(_ error: StoreError) {
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
