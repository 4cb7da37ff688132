public import VaultDocument

/// Why an operation on a vault failed.
///
/// Two errors are equal if their codes are. No error holds a field's value, a key, a passphrase or imported text.
public struct VaultError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure. New codes may be added in later versions.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case notAVault, alreadyExists, noSuchRecord, noSuchMember, ambiguousRecord, noCheckpoint
      case noKey, noMatchingSlot, wrongPassphrase, slotRefused, noSuchSlot, ambiguousSlot
      case rotationUnfinished
      case lockedByOther, damaged, newerFormat, changedUnderneath, unexpectedVault
      case rolledBack, forked, damagedState
      case inputRefused, unknownKind, usage, diskFull, permissionDenied, ioFailed, memoryUnavailable, internalFailure
      case cancelled, mayBeLost, outcomeUnknown
      case unreadable, wrongFileType, tooLarge, malformedDocument, conflicted, malformedEnvelope, misplaced
      case unknownRoot, notAuthentic, foreignToken, damagedToken, clearText, invalidContent, misfit, wrongPlace
      case equalRevisions, strayEntry, missingSlot, damagedSlot, missingAttachment, damagedAttachment, malformedJournal,
        vanished, notCanonical, privateKey
      case repeatedToken, readableSecret, otherDamage
    }
    private let name: Name

    public var description: String { name.rawValue }

    /// The place has no `vault.json`.
    public static let notAVault = Code(name: .notAVault)
    /// The place already has a vault.
    public static let alreadyExists = Code(name: .alreadyExists)
    /// No record has this id or name.
    public static let noSuchRecord = Code(name: .noSuchRecord)
    /// The record has no such member.
    public static let noSuchMember = Code(name: .noSuchMember)
    /// Several records have this name.
    public static let ambiguousRecord = Code(name: .ambiguousRecord)
    /// The vault has no checkpoint.
    public static let noCheckpoint = Code(name: .noCheckpoint)
    /// Neither an identity nor a passphrase was given.
    public static let noKey = Code(name: .noKey)
    /// No slot is for this identity, or none takes a passphrase.
    public static let noMatchingSlot = Code(name: .noMatchingSlot)
    /// The passphrase opens no slot.
    public static let wrongPassphrase = Code(name: .wrongPassphrase)
    /// A new slot cannot be made this way.
    public static let slotRefused = Code(name: .slotRefused)
    /// No slot has this id or label.
    public static let noSuchSlot = Code(name: .noSuchSlot)
    /// Several slots have this label, or an id with this beginning.
    public static let ambiguousSlot = Code(name: .ambiguousSlot)
    /// The keys are being changed, and the operation must wait for that.
    public static let rotationUnfinished = Code(name: .rotationUnfinished)
    /// Another process holds the lock, or another task of this one.
    public static let lockedByOther = Code(name: .lockedByOther)
    /// A file of the vault was damaged or tampered with.
    public static let damaged = Code(name: .damaged)
    /// A file was written by a newer version of the program.
    public static let newerFormat = Code(name: .newerFormat)
    /// Somebody else changed the record meanwhile.
    public static let changedUnderneath = Code(name: .changedUnderneath)
    /// The vault is not the one that was expected.
    public static let unexpectedVault = Code(name: .unexpectedVault)
    /// The vault or a record is older than the version that this machine has seen or the checkpoint lists.
    public static let rolledBack = Code(name: .rolledBack)
    /// The vault or a record has the same revision as the version that this machine has seen or the checkpoint lists,
    /// but other content.
    public static let forked = Code(name: .forked)
    /// A file of this machine's memory is damaged, so that nothing can be compared with it.
    public static let damagedState = Code(name: .damagedState)
    /// The content of a record was refused.
    public static let inputRefused = Code(name: .inputRefused)
    /// No kind has this name.
    public static let unknownKind = Code(name: .unknownKind)
    /// The operation does not fit the kind of field.
    public static let usage = Code(name: .usage)
    /// There is no space left.
    public static let diskFull = Code(name: .diskFull)
    /// The system refused access.
    public static let permissionDenied = Code(name: .permissionDenied)
    /// Another system call failed.
    public static let ioFailed = Code(name: .ioFailed)
    /// The locked memory for secrets is full or not available.
    public static let memoryUnavailable = Code(name: .memoryUnavailable)
    /// The cryptographic library failed.
    public static let internalFailure = Code(name: .internalFailure)
    /// The task was cancelled before it was done; the reason says whether anything was changed.
    public static let cancelled = Code(name: .cancelled)
    /// The last change is stored in the database but may not survive the loss of its server, because the server stopped
    /// waiting for a standby. The change counts and must not be repeated.
    public static let mayBeLost = Code(name: .mayBeLost)
    /// The connection to the database ended while a change was being stored: either the whole change is stored, or
    /// nothing. Look before you repeat it.
    public static let outcomeUnknown = Code(name: .outcomeUnknown)

    // Faults that a check finds in one file.

    /// The system refused to read the file, or the disk failed.
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
    /// A member is missing or has another type than the kind demands.
    public static let invalidContent = Code(name: .invalidContent)
    /// A readable member of a record does not fit its declared kind: the kind was changed since the record was written,
    /// or another program wrote it.
    public static let misfit = Code(name: .misfit)
    /// A removed record outside the trash, or a live one in it.
    public static let wrongPlace = Code(name: .wrongPlace)
    /// A live and a removed record have the same id and revision.
    public static let equalRevisions = Code(name: .equalRevisions)
    /// An entry does not belong among the records.
    public static let strayEntry = Code(name: .strayEntry)
    /// The file of a slot is missing.
    public static let missingSlot = Code(name: .missingSlot)
    /// The file of a slot is not the one that the header names.
    public static let damagedSlot = Code(name: .damagedSlot)
    /// The file of an attachment that a record names is missing.
    public static let missingAttachment = Code(name: .missingAttachment)
    /// The file of an attachment is not the one that the record names.
    public static let damagedAttachment = Code(name: .damagedAttachment)
    /// `.journal.json` is not a journal, or files that it names are gone.
    public static let malformedJournal = Code(name: .malformedJournal)
    /// A record that the checkpoint lists is neither live nor in the trash.
    public static let vanished = Code(name: .vanished)
    /// The bytes differ from those that this program writes for the same document.
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

  /// The kind of failure, for programs.
  public let code: Code
  /// A fixed sentence, at most with names of members and ids.
  public let reason: String
  /// Path below the vault's directory, or of a given file.
  public var file: String?
  /// The record of the error, if it is about one record.
  public var record: RecordID?
  /// Member path.
  public var field: String?
  /// The next steps, if the code does not tell them all.
  public var remedies: [Remedy]
  /// The error of the layer below.
  public var underlying: (any Error)?
  /// With `.ambiguousRecord`: all records that the word may mean.
  public package(set) var candidates: [RecordID] = []
  /// With `.changedUnderneath` of a record: its present revision, if known.
  public package(set) var revision: Int?
  /// Whether it is about a record of which only readable fields can have been changed: ``Vault/editReview(of:_:)``.
  package var isEdited = false

  /// - Parameter remedies: nil for the default of the code: for damage its last good version, else none.
  public init(
    _ code: Code, _ reason: String, file: String? = nil, record: RecordID? = nil, field: String? = nil,
    remedies: [Remedy]? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.reason = reason
    self.file = file
    self.record = record
    self.field = field
    self.remedies = remedies ?? (code == .damaged ? [.lastGoodVersion] : [])
    self.underlying = underlying
  }

  /// The subject of the error: a file, a record or a field.
  public var subject: String? {
    if let file, let field { return "\(file): \(field)" }
    return file ?? field ?? record?.text
  }

  public var description: String { subject.map { "\($0): \(reason)" } ?? reason }

  public static func == (left: VaultError, right: VaultError) -> Bool { left.code == right.code }
}

extension VaultError.Code {
  /// Whether nothing is damaged but something is older than before, or gone.
  public var isRollback: Bool { self == .rolledBack || self == .forked || self == .vanished }
}
