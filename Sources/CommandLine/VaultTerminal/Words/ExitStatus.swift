package import VaultKit

/// The exit codes of the command line. Scripts depend on them, and docs/exit-codes.md lists them. A signal adds 128 to
/// its number.
package enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  /// Only for `vault credential ansible`: there is no such vault id.
  case unknownVaultID = 2
  case declined = 3
  case partlyDone = 4
  case alreadyExists = 5
  case noVault = 6
  case notFound = 10
  case cannotUnlock = 11
  case locked = 12
  case damaged = 13
  case findings = 14
  case changedUnderneath = 15
  case unexpectedVault = 16
  case inputRefused = 17
  case inputOutput = 18
  /// Only for a database: the change is stored, but may not survive the loss of the server.
  case mayBeLost = 19
  /// Only for a database: the connection was lost while a change was being stored.
  case outcomeUnknown = 20
  /// Only for `backup create`: the backup is good, but the command after it failed.
  case afterFailed = 21
  case usage = 64
  /// Only for `vault run`, as with `env` and `timeout`: a failure before the program runs.
  case notRun = 125
  case cannotExecute = 126
  case commandNotFound = 127

  package init(_ code: VaultError.Code) {
    self =
      switch code {
      case .notAVault: .noVault
      case .alreadyExists: .alreadyExists
      case .noSuchRecord, .noSuchMember, .ambiguousRecord, .noSuchSlot, .ambiguousSlot, .noCheckpoint: .notFound
      case .noKey, .noMatchingSlot, .wrongPassphrase, .pluginFailed: .cannotUnlock
      case .lockedByOther: .locked
      case .damaged, .newerFormat: .damaged
      case .changedUnderneath: .changedUnderneath
      case .rotationUnfinished: .findings
      case .unexpectedVault, .rolledBack, .forked, .damagedState: .unexpectedVault
      case .inputRefused, .unknownKind, .slotRefused: .inputRefused
      case .diskFull, .permissionDenied, .ioFailed: .inputOutput
      case .mayBeLost: .mayBeLost
      case .outcomeUnknown: .outcomeUnknown
      case .usage: .usage
      default: .failed
      }
  }
}
