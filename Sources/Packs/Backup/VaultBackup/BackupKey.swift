public import VaultAge
public import VaultCrypto
internal import VaultDocument
internal import VaultKit
internal import VaultStorage

/// The key that opens a backup.
public enum BackupKey: Sendable {
  /// The identities of these recipients, which may differ from the vault's. Post-quantum recipients cannot be combined
  /// with others.
  case recipients([AgeRecipient])
  /// The identities that open the vault's own slots, of any types: each of them has the whole vault anyway.
  case slots([AgeRecipient])
  /// A passphrase; `workFactor` is the binary logarithm of the scrypt cost, 10…20.
  case passphrase(SecretBytes, workFactor: Int = AgeFile.defaultWorkFactor)

  func writer(_ write: @escaping AgeWrite) throws(AgeError) -> AgeWriter {
    switch self {
    case .recipients(let recipients): try AgeWriter(to: recipients, write: write)
    case .slots(let recipients): try AgeWriter(to: recipients, mayMix: true, write: write)
    case .passphrase(let passphrase, let workFactor):
      try AgeWriter(passphrase: passphrase, workFactor: workFactor, write: write)
    }
  }
}

/// Runs a step of age and translates its error.
///
/// - Parameter file: the backup, for the error.
func inAge<Result>(
  file: String? = nil, _ step: () throws(AgeError) -> Result
) throws(VaultError) -> Result {
  do { return try step() } catch { throw VaultError(age: error, file: file) }
}

extension VaultError {
  init(age error: AgeError, file: String?) {
    switch error.underlying {
    case let error as VaultError: self = error
    case let error as StoreError: self.init(store: error)
    default:
      // While reading, the file is at fault. While writing, the recipient is.
      let isRead = error.code == .lowOrderShare && file != nil
      let code = isRead ? .damaged : Self.code(of: error)
      let reason = error.code == .noMatchingIdentity ? "no given key opens the backup" : error.reason
      self.init(code, reason, file: file, remedies: Self.remedies(for: code), underlying: error)
    }
  }

  private static func code(of error: AgeError) -> Code {
    switch error.code {
    case .noMatchingIdentity: .noMatchingSlot
    case .wrongPassphrase: .wrongPassphrase
    case .noRecipient, .emptyPassphrase, .lowOrderShare, .malformedRecipient, .unsupportedRecipient, .mixedRecipients:
      .inputRefused
    case .cryptoFailed: .memoryUnavailable
    case .readFailed, .writeFailed: .ioFailed
    default: .damaged
    }
  }

  private static func remedies(for code: Code) -> [Remedy] {
    switch code {
    case .damaged: ["it is damaged, incomplete or not a backup: use another copy, or another backup"]
    case .noMatchingSlot: [.useIdentity]
    default: []
    }
  }
}
