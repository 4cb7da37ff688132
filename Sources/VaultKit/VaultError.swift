public import VaultDocument

/// Why an operation on a vault failed.
///
/// Two errors are equal when their codes are. No error holds a field's value, a key, a passphrase or imported text.
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
      case cancelled
    }
    private let name: Name

    public var description: String { name.rawValue }

    /// There is no `vault.json` here.
    public static let notAVault = Code(name: .notAVault)
    /// A vault is here already.
    public static let alreadyExists = Code(name: .alreadyExists)
    /// No record has this id or name.
    public static let noSuchRecord = Code(name: .noSuchRecord)
    /// The record has no such member.
    public static let noSuchMember = Code(name: .noSuchMember)
    /// Several records have this name.
    public static let ambiguousRecord = Code(name: .ambiguousRecord)
    /// The vault has no checkpoint.
    public static let noCheckpoint = Code(name: .noCheckpoint)
    /// Neither identity nor passphrase was given.
    public static let noKey = Code(name: .noKey)
    /// No slot is for this identity, or none takes a passphrase.
    public static let noMatchingSlot = Code(name: .noMatchingSlot)
    /// The passphrase opens no slot.
    public static let wrongPassphrase = Code(name: .wrongPassphrase)
    /// A new slot cannot be made this way.
    public static let slotRefused = Code(name: .slotRefused)
    /// No slot has this id or label.
    public static let noSuchSlot = Code(name: .noSuchSlot)
    /// Several slots have this label, or an id that begins so.
    public static let ambiguousSlot = Code(name: .ambiguousSlot)
    /// The keys are being changed, and what was asked for has to wait for that.
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
    /// The vault or a record is older than this machine has seen it.
    public static let rolledBack = Code(name: .rolledBack)
    /// The vault or a record has the revision that this machine has seen, and is not the same.
    public static let forked = Code(name: .forked)
    /// A file of what this machine remembers is damaged, so that nothing can be compared with it.
    public static let damagedState = Code(name: .damagedState)
    /// The content of a record was refused.
    public static let inputRefused = Code(name: .inputRefused)
    /// No kind has this name.
    public static let unknownKind = Code(name: .unknownKind)
    /// What was asked for does not fit the kind of field.
    public static let usage = Code(name: .usage)
    /// There is no space left.
    public static let diskFull = Code(name: .diskFull)
    /// The system refused access.
    public static let permissionDenied = Code(name: .permissionDenied)
    /// Another system call failed.
    public static let ioFailed = Code(name: .ioFailed)
    /// The locked memory for secrets is full or not to be had.
    public static let memoryUnavailable = Code(name: .memoryUnavailable)
    /// The cryptographic library failed.
    public static let internalFailure = Code(name: .internalFailure)
    /// The task was cancelled before it was done; the reason says whether anything was changed.
    public static let cancelled = Code(name: .cancelled)
  }

  public let code: Code
  /// A fixed sentence, at most with names of members and ids.
  public let reason: String
  /// Path below the vault's directory, or of a file that was passed in.
  public var file: String?
  public var record: RecordID?
  /// Member path.
  public var field: String?
  /// What to do next, a sentence each.
  public var hints: [String]
  public var underlying: (any Error)?
  /// Whether it is about a record of which only readable fields can have been changed: ``Vault/acceptance(of:_:)``.
  var isEdited = false

  public init(
    _ code: Code, _ reason: String, file: String? = nil, record: RecordID? = nil, field: String? = nil,
    hints: [String] = [], underlying: (any Error)? = nil
  ) {
    self.code = code
    self.reason = reason
    self.file = file
    self.record = record
    self.field = field
    self.hints = hints
    self.underlying = underlying
  }

  /// What the error is about: a file, a record or a field.
  public var subject: String? {
    if let file, let field { return "\(file): \(field)" }
    return file ?? field ?? record?.text
  }

  public var description: String { subject.map { "\($0): \(reason)" } ?? reason }

  public static func == (left: VaultError, right: VaultError) -> Bool { left.code == right.code }
}
