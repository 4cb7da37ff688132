public import VaultDocument

/// What a person can do about an error or a fault.
///
/// A library does not know what the program above it calls its commands and options. So whatever takes one of them is a
/// value with the facts that it needs, and the program has the words. New cases may be added in later versions.
public enum Remedy: Hashable, Sendable {
  /// Whatever holds in every program.
  case sentence(String)

  /// Looking at the removed records.
  case listTrash
  /// Bringing back a removed record, which is newer than the live one of its id.
  case restoreFromTrash(RecordID)
  /// Deleting a removed record, which is older than the live one of its id.
  case deleteOlder(RecordID)
  /// Taking away the live or the removed record of an id.
  case keepOne(RecordID)
  /// Giving the value of a sealed member, at this path, by a way that is no argument.
  case enterSecret(at: String)
  /// Bringing records of older schemas to the present one.
  case migrate

  /// Taking an edit of readable fields that was made past the program.
  case acceptEdits([RecordID])
  /// Taking the vault as it is for the one that this machine knows; with nil somebody has to name the fingerprint.
  case acceptVault(fingerprint: String?)
  /// Going back to the branch that this state was switched away from, and reading others without a switch.
  case leaveBranch
  /// Asking the administrator of a database why it has an older state.
  case askAboutDatabase
  /// Taking records as they are for what this machine has seen; the vault as a whole where there are none.
  case acceptRecords([RecordID], fingerprint: String?)
  /// Listing in a new checkpoint what went back, or is gone, since the last one.
  case acceptInCheckpoint(isLast: Bool)
  /// Comparing the vault with its checkpoint.
  case compareWithCheckpoint
  /// Bringing back the records that only the checkpoint knows, or listing that they were deleted on purpose.
  case findMissing

  /// Taking one side of each of these files, in which git left both.
  case chooseSide(files: [String])
  /// Running one of these commands of git, each of which takes a version that verifies, and repairing then.
  case chooseVersion(commands: [String])
  /// Taking over what a branch from before a rotation has brought.
  case adopt
  /// Restoring damaged files.
  case repair
  /// Finishing or dropping a batch whose journal is damaged.
  case repairJournal
  /// Reading with a newer version of the program what was written by one.
  case useNewerVersion

  /// Unlocking with the identity of a recipient.
  case useIdentity
  /// Allowing the cost of a passphrase slot.
  case allowWorkFactor(Int)
  /// Adding another slot first.
  case addSlot
  /// Giving a damaged slot up.
  case removeSlot(SlotID)
  /// Finishing a rotation.
  case finishRotation
  /// Adding the table of attachments to those that an earlier program made in a database.
  case addAttachmentTable
  /// Keeping what this machine remembers in another folder.
  case moveState

  /// Verifying the backups of a directory one by one.
  case verifyBackups
  /// Writing a backup to standard output.
  case useStandardOutput
  /// Restoring a backup that nobody vouches for.
  case restoreUnattested
  /// Restoring a backup that is older than what is known.
  case restoreOlder

  static let lastGoodVersion: Remedy =
    "restore the last good version of this file, from git (`git log -- FILE`, `git checkout COMMIT -- FILE`) or a backup"

  /// The words that hold in every program; nil for what takes one of its commands.
  public var sentence: String? { if case .sentence(let text) = self { text } else { nil } }
}

extension Remedy: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self = .sentence(value) }
}

extension [VaultFault] {
  /// What to do about them.
  ///
  /// - Parameter fingerprint: the vault's, 40 hex digits; nil where none is known for sure.
  public func remedies(fingerprint: String? = nil) -> [Remedy] {
    let conflicted = filter { $0.code == .conflicted }.map(\.file)
    var remedies: [Remedy] = conflicted.isEmpty ? [] : [.chooseSide(files: conflicted)]
    let edited = filter(\.isEdited).compactMap(\.record)
    if !edited.isEmpty { remedies.append(.acceptEdits(edited)) }
    if contains(where: { $0.code == .unknownRoot }) { remedies.append(.adopt) }
    if contains(where: { !$0.code.isRollback && ![.unreadable, .conflicted, .newerFormat, .misfit].contains($0.code) })
    {
      remedies.append(.repair)
    }
    if contains(where: { $0.code == .misfit }) {
      remedies.append("change the fields to what the kind takes, or declare the kind with rules that its records keep")
    }
    if contains(where: { $0.code == .newerFormat }) { remedies.append(.useNewerVersion) }
    guard contains(where: \.code.isRollback) else { return remedies }
    remedies.append("an older state was put back, or two branches changed the same: find out why before you go on")
    remedies.append(.leaveBranch)
    let seen = filter { $0.witnesses.contains(.machine) }
    if !seen.isEmpty {
      // What is no record is remembered with the vault.
      let isWhole = seen.contains { $0.record == nil }
      remedies.append(.acceptRecords(isWhole ? [] : seen.compactMap(\.record), fingerprint: fingerprint))
    }
    if contains(where: { $0.witnesses.contains(.checkpoint) }) {
      remedies.append(.acceptInCheckpoint(isLast: !seen.isEmpty))
    }
    return remedies
  }
}
