public import VaultDocument

/// The next step for a person after an error or a fault.
///
/// A library does not know the commands and options of the program above it. A step that needs a command is therefore a
/// case with its facts, and the program has the words. New cases may be added in later versions.
public enum Remedy: Hashable, Sendable {
  /// A sentence that applies to every program.
  case sentence(String)

  /// List the removed records.
  case listTrash
  /// Restore a removed record, which is newer than the live one of its id.
  case restoreFromTrash(RecordID)
  /// Delete a removed record, which is older than the live one of its id.
  case deleteOlder(RecordID)
  /// Delete the live or the removed record of an id.
  case keepOne(RecordID)
  /// Enter the value of the sealed member at this path, not as an argument.
  case enterSecret(at: String)
  /// Migrate records of older schemas to the present one.
  case migrate

  /// Accept an edit of readable fields that was made without the program.
  case acceptEdits([RecordID])
  /// Accept this vault as the one that this machine knows; with nil, a person must name the fingerprint.
  case acceptVault(fingerprint: String?)
  /// Switch back to the branch of the remembered state, and read other branches without a switch.
  case leaveBranch
  /// Ask the administrator of a database why it has an older state.
  case askAboutDatabase
  /// Accept records in their present state; the whole vault if the list is empty.
  case acceptRecords([RecordID], fingerprint: String?)
  /// List in a new checkpoint the records that went back or are gone since the last one.
  case acceptInCheckpoint(isLast: Bool)
  /// Compare the vault with its checkpoint.
  case compareWithCheckpoint
  /// Restore the records that only the checkpoint knows, or list that they were deleted on purpose.
  case findMissing

  /// Choose one side of each of these files, in which git left both.
  case chooseSide(files: [String])
  /// Join the conflict copies that a service for synced folders has put beside the documents of the vault.
  case mergeCopies
  /// Wait until the service that syncs the vault's folder has brought the newer version.
  case awaitSync
  /// Run one of these git commands, each of which takes a version that verifies, and then repair.
  case chooseVersion(commands: [String])
  /// Adopt the changes of a branch from before a rotation.
  case adopt
  /// Restore damaged files.
  case repair
  /// Finish or drop a batch whose journal is damaged.
  case repairJournal
  /// Read the file with the newer version of the program that wrote it.
  case useNewerVersion

  /// Unlock with the identity of a recipient.
  case useIdentity
  /// Allow the cost of a passphrase slot.
  case allowWorkFactor(Int)
  /// Add another slot first.
  case addSlot
  /// Remove a damaged slot.
  case removeSlot(SlotID)
  /// Let the vault take deposits.
  case enableDeposits
  /// Finish a rotation.
  case finishRotation
  /// Add the table of attachments to the tables that an earlier program made in a database.
  case addAttachmentTable
  /// Keep this machine's memory in another folder.
  case moveState

  /// Verify the backups of a directory one by one.
  case verifyBackups
  /// Write a backup to standard output.
  case useStandardOutput
  /// Restore a backup that nobody vouches for.
  case restoreUnattested
  /// Restore a backup that is older than the known state.
  case restoreOlder

  static let lastGoodVersion: Remedy =
    "restore the last good version of this file, from git (`git log -- FILE`, `git checkout COMMIT -- FILE`) or a backup"

  /// The sentence that applies to every program; nil for a step that needs a command.
  public var sentence: String? { if case .sentence(let text) = self { text } else { nil } }
}

extension Remedy: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self = .sentence(value) }
}

extension [VaultFault] {
  private static var unrepairable: [VaultError.Code] {
    [.unreadable, .conflicted, .newerFormat, .misfit, .unmergedCopy]
  }

  /// The steps for these faults.
  ///
  /// - Parameter fingerprint: the vault's, 40 hex digits; nil if it is not known for certain.
  public func remedies(fingerprint: String? = nil) -> [Remedy] {
    let conflicted = filter { $0.code == .conflicted }.map(\.file)
    var remedies: [Remedy] = contains { [.unmergedCopy, .equalRevisions].contains($0.code) } ? [.mergeCopies] : []
    if !conflicted.isEmpty { remedies.append(.chooseSide(files: conflicted)) }
    let edited = filter(\.isEdited).compactMap(\.record)
    if !edited.isEmpty { remedies.append(.acceptEdits(edited)) }
    if contains(where: { $0.code == .unknownRoot }) { remedies.append(.adopt) }
    if contains(where: { !$0.code.isRollback && !Self.unrepairable.contains($0.code) }) {
      remedies.append(.repair)
    }
    if contains(where: { $0.code == .misfit }) {
      remedies.append(
        "change the fields to values that the kind allows, or declare the kind with rules that its records meet")
    }
    if contains(where: { $0.code == .newerFormat }) { remedies.append(.useNewerVersion) }
    guard contains(where: \.code.isRollback) else { return remedies }
    remedies.append(
      "an older state was put back, or two branches changed the same record: find out why before you go on")
    remedies.append(.leaveBranch)
    let seen = filter { $0.witnesses.contains(.machine) }
    if !seen.isEmpty {
      // Everything except records is remembered with the vault.
      let isWhole = seen.contains { $0.record == nil }
      remedies.append(.acceptRecords(isWhole ? [] : seen.compactMap(\.record), fingerprint: fingerprint))
    }
    if contains(where: { $0.witnesses.contains(.checkpoint) }) {
      remedies.append(.acceptInCheckpoint(isLast: !seen.isEmpty))
    }
    return remedies
  }
}
