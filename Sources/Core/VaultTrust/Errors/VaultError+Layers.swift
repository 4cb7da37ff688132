internal import VaultAge
package import VaultCrypto
package import VaultDocument
package import VaultRecords
package import VaultSealing
package import VaultStorage

extension VaultError {
  package static func cancelled() -> VaultError {
    VaultError(.cancelled, "the operation was cancelled; nothing was changed")
  }

  /// The error for a store, at `path`, that holds other records than were counted under its lock. A process that
  /// bypasses the lock may add and remove files, and a mistake that skips records must not go unnoticed.
  package static func otherRecords(than counted: Int, _ held: Int, at path: String) -> VaultError {
    VaultError(
      .changedUnderneath, "has \(held) records, but \(counted) were read",
      file: path,
      remedies: ["another program is changing the vault's folder: wait until it has finished, and try again"])
  }

  /// A document that is not JSON of this format.
  static func damaged(file: String, document error: DocumentError) -> VaultError {
    VaultError(.damaged, error.description, file: file, underlying: error)
  }

  /// The error for a removed record outside the trash (format 1, section 6, Records).
  package static func removed(file: String, _ id: RecordID) -> VaultError {
    VaultError(.damaged, "was removed, but it is among the live records", file: file, record: id)
  }

  package static func notRemoved(file: String, _ id: RecordID) -> VaultError {
    VaultError(.damaged, "is in the trash, but it was not removed", file: file, record: id)
  }

  package static func clearText(at path: MemberPath, file: String, _ id: RecordID) -> VaultError {
    VaultError(
      .damaged, "must be sealed, but it is clear text", file: file, record: id, field: path.description)
  }

  package init(crypto error: CryptoError) {
    switch error.code {
    case .secureMemoryExhausted, .secureMemoryUnavailable:
      self.init(.memoryUnavailable, "the locked memory for secrets is full", underlying: error)
    default: self.init(.internalFailure, "the cryptographic library failed", underlying: error)
    }
  }

  /// Translates a failed seal, key or MAC of `file`.
  package init(sealing error: SealingError, file: String? = nil, record: RecordID? = nil) {
    let code: Code =
      switch error.code {
      case .newerFormat: .newerFormat
      case .memoryUnavailable: .memoryUnavailable
      case .rootKeyElsewhere: .noKey
      case .cryptoFailed, .wrongByteCount: .internalFailure
      case .reservedMember, .tokenShapedText, .limitExceeded: .inputRefused
      default: .damaged
      }
    self.init(
      code, error.reason, file: file, record: record, field: error.path,
      remedies: error.code == .unknownRoot ? [.adopt, .lastGoodVersion] : nil, underlying: error)
  }

  /// Translates refused content of a record; `input` tells content from a caller from a file of the vault.
  package init(record error: RecordError, file: String? = nil, id: RecordID? = nil, input: Bool) {
    if let sealing = error.underlying as? SealingError,
      sealing.code == .memoryUnavailable || sealing.code == .cryptoFailed
    {
      self.init(sealing: sealing, file: file, record: id)
    } else if error.code == .unknownKind {
      self.init(.unknownKind, error.reason, file: file, record: id, underlying: error)
    } else if input {
      self.init(.inputRefused, error.reason, file: file, record: id, field: error.path, underlying: error)
    } else {
      self.init(.damaged, error.reason, file: file, record: id, field: error.path, underlying: error)
    }
  }

  package init(store error: StoreError, record: RecordID? = nil) {
    let code: Code =
      switch error.code {
      case .notAVault: .notAVault
      case .alreadyExists: .alreadyExists
      case .changedUnderneath: .changedUnderneath
      case .locked: .lockedByOther
      case .diskFull: .diskFull
      case .permissionDenied, .readOnly: .permissionDenied
      case .notARegularFile, .notADirectory, .symbolicLink, .tooLarge, .malformedJournal: .damaged
      case .newerLayout: .newerFormat
      case .mayBeLost: .mayBeLost
      case .outcomeUnknown: .outcomeUnknown
      default: .ioFailed
      }
    var reason = error.reason
    if let holder = error.holder { reason += " (process \(holder))" }
    let remedy: Remedy? =
      if error.code == .noLocks { Self.withoutLocks } else if error.underlying is any RemoteFault { nil } else {
        Self.remedy(for: code, at: error.path)
      }
    self.init(code, reason, file: error.path, record: record, remedies: remedy.map { [$0] }, underlying: error)
  }

  private static let withoutLocks: Remedy =
    "nothing was written: keep the vault on a disk that supports locks, and share it by git or in a database"

  private static func remedy(for code: Code, at path: String?) -> Remedy? {
    switch (code, path) {
    case (.diskFull, _): "free some space and try again: nothing was changed"
    case (.permissionDenied, _): "check who owns the vault's folder, its mode, and whether it is mounted read-only"
    case (.changedUnderneath, _): "look at the record again and repeat the change"
    // A file that is not a document of the vault is not in backups or version control either.
    case (.damaged, ".lock"), (.damaged, ".staging"): "remove it: it holds no record and is made again"
    case (.damaged, ".journal.json"): .repairJournal
    default: nil
    }
  }
}

// A vault operation crosses several layers; each of these functions runs one step and translates its errors.

package func inStore<Result: ~Copyable>(
  record: RecordID? = nil, _ step: () throws(StoreError) -> Result
) throws(VaultError) -> Result {
  do { return try step() } catch { throw VaultError(store: error, record: record) }
}

/// Runs a step that stores, and then `note`, even if the store is not sure that its new state will last. That doubt,
/// `.mayBeLost`, is thrown after `note`; any other error of the step is thrown without it.
package func storing(
  _ step: () throws(StoreError) -> Void, note: () throws(VaultError) -> Void
) throws(VaultError) {
  var doubt: StoreError?
  do throws(StoreError) {
    try step()
  } catch {
    guard error.code == .mayBeLost else { throw VaultError(store: error) }
    doubt = error
  }
  try note()
  if let doubt { throw VaultError(store: doubt) }
}

/// Runs a step that seals, opens or authenticates `file`.
package func inSealing<Result: ~Copyable>(
  file: String? = nil, record: RecordID? = nil, _ step: () throws(SealingError) -> Result
) throws(VaultError) -> Result {
  do { return try step() } catch { throw VaultError(sealing: error, file: file, record: record) }
}

package func inCrypto<Result: ~Copyable>(_ step: () throws(CryptoError) -> Result) throws(VaultError) -> Result {
  do { return try step() } catch { throw VaultError(crypto: error) }
}

/// Parses the bytes of a file of the vault.
package func parseDocument(
  _ bytes: [UInt8], limits: JSONLimits = .record, file: String, record: RecordID? = nil
) throws(VaultError) -> JSONValue {
  do throws(DocumentError) {
    return try JSONParser.parse(bytes, limits: limits)
  } catch {
    try VaultError.requireNoConflict(bytes, file: file, record: record)
    var damage = VaultError.damaged(file: file, document: error)
    damage.record = record
    throw damage
  }
}

extension VaultError {
  private static func conflicted(file: String, record: RecordID?) -> VaultError {
    VaultError(
      .damaged, "has both sides of a conflict that git left for you to resolve", file: file, record: record,
      remedies: [.chooseSide(files: [file])], underlying: ConflictMarkers())
  }

  /// Refuses a file in which git left both sides of a conflict, for callers that do not parse the file.
  package static func requireNoConflict(
    _ bytes: [UInt8], file: String, record: RecordID? = nil
  ) throws(VaultError) {
    if bytes.isConflicted { throw conflicted(file: file, record: record) }
  }
}

/// Git marked the sides of a conflict in a file, so that it is not a document.
struct ConflictMarkers: Error {}

extension [UInt8] {
  /// Whether a line begins like git's conflict markers.
  fileprivate var isConflicted: Bool {
    var rest = self[...]
    // Files of this program hardly ever contain this character.
    while let place = rest.firstIndex(of: UInt8(ascii: "<")) {
      let begins = place == startIndex || self[place - 1] == UInt8(ascii: "\n")
      if begins, self[place...].starts(with: "<<<<<<< ".utf8) { return true }
      rest = self[(place + 1)...]
    }
    return false
  }
}
