public import VaultDocument

/// Why an operation on a vault failed.
///
/// Two errors are equal if their codes are. No error holds a field's value, a key, a passphrase or imported text.
public struct VaultError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure. New codes may be added in later versions.
  public typealias Code = FaultCode<VaultError>

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

  public var description: String { Sentence.about(subject, reason) }

  public static func == (left: VaultError, right: VaultError) -> Bool { left.code == right.code }
}

extension FaultCode<VaultError> {
  /// There is no `vault.json` here.
  public static var notAVault: Self { Self() }
  /// A vault is here already.
  public static var alreadyExists: Self { Self() }
  /// No record has this id or name.
  public static var noSuchRecord: Self { Self() }
  /// The record has no such member.
  public static var noSuchMember: Self { Self() }
  /// Several records have this name.
  public static var ambiguousRecord: Self { Self() }
  /// The vault has no checkpoint.
  public static var noCheckpoint: Self { Self() }
  /// Neither identity nor passphrase was given.
  public static var noKey: Self { Self() }
  /// No slot is for this identity, or no slot takes a passphrase.
  public static var noMatchingSlot: Self { Self() }
  /// The passphrase opens no slot.
  public static var wrongPassphrase: Self { Self() }
  /// A plugin that has the key of a slot is missing, refused, broke its protocol or took too long.
  public static var pluginFailed: Self { Self() }
  /// A new slot cannot be made this way.
  public static var slotRefused: Self { Self() }
  /// No slot has this id or label.
  public static var noSuchSlot: Self { Self() }
  /// Several slots have this label, or an id that begins so.
  public static var ambiguousSlot: Self { Self() }
  /// The keys are being changed, and the request must wait for that.
  public static var rotationUnfinished: Self { Self() }
  /// Another process holds the lock, or another task of this one.
  public static var lockedByOther: Self { Self() }
  /// A file of the vault was damaged or tampered with.
  public static var damaged: Self { Self() }
  /// A file was written by a newer version of the program.
  public static var newerFormat: Self { Self() }
  /// Somebody else changed the record meanwhile.
  public static var changedUnderneath: Self { Self() }
  /// The vault is not the one that was expected.
  public static var unexpectedVault: Self { Self() }
  /// The vault or a record is older than this machine has seen it, or the checkpoint lists it.
  public static var rolledBack: Self { Self() }
  /// The vault or a record has a revision that this machine has seen, or the checkpoint lists, but other content.
  public static var forked: Self { Self() }
  /// A file of this machine's state is damaged, so that nothing can be compared with it.
  public static var damagedState: Self { Self() }
  /// The content of a record was refused.
  public static var inputRefused: Self { Self() }
  /// No kind has this name.
  public static var unknownKind: Self { Self() }
  /// The request is wrong: for example, it does not fit the kind of field.
  public static var usage: Self { Self() }
  /// There is no space left.
  public static var diskFull: Self { Self() }
  /// The system refused access.
  public static var permissionDenied: Self { Self() }
  /// Another system call failed.
  public static var ioFailed: Self { Self() }
  /// The locked memory for secrets is full or unavailable.
  public static var memoryUnavailable: Self { Self() }
  /// The cryptographic library failed.
  public static var internalFailure: Self { Self() }
  /// The task was cancelled before it was done; the reason says whether anything was changed.
  public static var cancelled: Self { Self() }
  /// The last change is stored in the database, but may not survive the loss of its server: the server stopped waiting
  /// for a standby. The change counts, and must not be repeated.
  public static var mayBeLost: Self { Self() }
  /// The connection to the database ended while a change was being stored: the whole change is stored, or nothing of
  /// it. Look before you repeat it.
  public static var outcomeUnknown: Self { Self() }

  // The faults that a check finds in one file.
  /// The system refused to read it, or the disk failed.
  public static var unreadable: Self { Self() }
  /// A link, directory, FIFO or device stands where a file belongs, or a file where a directory does.
  public static var wrongFileType: Self { Self() }
  /// The file is over the limit of the format.
  public static var tooLarge: Self { Self() }
  /// The file is not JSON as the format requires it.
  public static var malformedDocument: Self { Self() }
  /// It holds both sides of a conflict, as git leaves them to a person.
  public static var conflicted: Self { Self() }
  /// The member `$vault` is missing or not of format 1.
  public static var malformedEnvelope: Self { Self() }
  /// The file holds a record of another id than its name says.
  public static var misplaced: Self { Self() }
  /// No root key of the vault wraps the record's data key.
  public static var unknownRoot: Self { Self() }
  /// The MAC does not match, or the data key does not open.
  public static var notAuthentic: Self { Self() }
  /// A sealed field belongs to another record or key.
  public static var foreignToken: Self { Self() }
  /// A sealed field does not open.
  public static var damagedToken: Self { Self() }
  /// A value is in clear, although its kind requires a sealed value.
  public static var clearText: Self { Self() }
  /// A member is missing or of another type than the kind says.
  public static var invalidContent: Self { Self() }
  /// A readable member of a record is not what its declared kind says: the kind was changed since the record was
  /// written, or another program wrote it.
  public static var misfit: Self { Self() }
  /// A removed record outside the trash, or a live one in it.
  public static var wrongPlace: Self { Self() }
  /// A live and a removed record have the same id and revision.
  public static var equalRevisions: Self { Self() }
  /// Something lies among the records that does not belong there.
  public static var strayEntry: Self { Self() }
  /// A service that syncs folders has put another version of a document beside it, which waits for a merge.
  public static var unmergedCopy: Self { Self() }
  /// The file of a slot is not there.
  public static var missingSlot: Self { Self() }
  /// The file of a slot is not the one that the header names.
  public static var damagedSlot: Self { Self() }
  /// The file of an attachment that a record names is not there.
  public static var missingAttachment: Self { Self() }
  /// The file of an attachment is not the one that the record names.
  public static var damagedAttachment: Self { Self() }
  /// A file among the deposits cannot be a sealed deposit.
  public static var malformedDeposit: Self { Self() }
  /// `.journal.json` is not a journal, or files that it names are gone.
  public static var malformedJournal: Self { Self() }
  /// A record that the checkpoint lists is neither live nor in the trash.
  public static var vanished: Self { Self() }
  /// The bytes differ from those that this program writes for the same document.
  public static var notCanonical: Self { Self() }
  /// A file beside the documents holds a private key in clear.
  public static var privateKey: Self { Self() }
  /// The same sealed value stands twice in a record.
  public static var repeatedToken: Self { Self() }
  /// A readable member holds an address with a password, key or token in it.
  public static var readableSecret: Self { Self() }
  /// Damage of another kind.
  public static var otherDamage: Self { Self() }

  /// Whether something is older than it was, or gone, although nothing is damaged.
  public var isRollback: Bool { self == .rolledBack || self == .forked || self == .vanished }
}
