import VaultAge
import VaultBackup
import VaultDocument
import VaultFileStore
import VaultKit
import VaultRecords
import VaultSealing
import VaultTestSupport
import VaultSystem
import Synchronization

/// A clock that goes on by a second each time it is asked.
final class StepClock: Sendable {
  private let seconds = Mutex<Int64>(1_700_000_000)

  func next() -> Timestamp {
    let seconds = seconds.withLock { seconds in
      seconds += 1
      return seconds
    }
    guard let time = try? Timestamp(secondsSinceEpoch: seconds) else { preconditionFailure("a test has no such time") }
    return time
  }
}

/// A vault in a folder with a directory for its backups beside it, and a clock that goes by itself.
struct BackupBench {
  let folder = TemporaryFolder()
  let identity: AgeIdentity
  /// Lies in a safe.
  let backupIdentity: AgeIdentity
  private let backupRecipient: AgeRecipient
  let vault: Vault
  private let clock = StepClock()
  /// Writers that write without a pause go before a backup; on a busy machine that takes its time.
  private static let patience = Duration.seconds(120)
  var path: String { folder.path + "/v" }
  var target: String { folder.path + "/b" }

  init(records: Int = 3) async throws {
    identity = try AgeIdentity.generate()
    backupIdentity = try AgeIdentity.generate()
    backupRecipient = try backupIdentity.recipient
    FileTree.makeFolder(folder.path + "/b")
    var options = Vault.Options(state: nil)
    options.lockTimeout = Self.patience
    vault = try await Vault.create(
      at: folder.path + "/v", slots: [NewSlot(.recipient(identity.recipient))], options: options)
    for number in 0..<records { try await add("record \(number)") }
  }

  @discardableResult
  func add(_ name: String) async throws -> RecordID {
    try await vault.add(Login(title: name, password: EncryptedCodableString("secret \(name)")))
  }

  var options: Backup.Options {
    var options = Backup.Options(key: .recipients([backupRecipient]))
    options.now = { [clock] in clock.next() }
    options.lockTimeout = Self.patience
    return options
  }

  /// A new backup.
  @discardableResult
  func create(
    proven: Bool = false, locked: Bool = false, operations: any FileOperations = LiveFileOperations(),
    now: (@Sendable () -> Timestamp)? = nil
  ) async throws(VaultError) -> CreatedBackup {
    var options = options
    if let now { options.now = now }
    if proven { options.proof = [.identity(backupIdentity)] }
    let source: Backup.Source = locked ? .locked(try LockedVault(at: path)) : .unlocked(vault)
    let directory = try BackupDirectory(at: target, operations: operations)
    return try await Backup.create(of: source, in: directory, stem: "team", options: options)
  }

  /// The content of a backup, and its vault, unlocked.
  func open(_ made: CreatedBackup) async throws -> (contents: BackupContents, vault: Vault) {
    try await open(made.name)
  }

  func open(_ name: BackupName) async throws -> (contents: BackupContents, vault: Vault) {
    let contents = try await BackupContents(
      of: BackupFile(at: target + "/" + name.fileName), with: [.identity(backupIdentity)])
    let vault = try await contents.vault.unlock(with: .identity(identity), options: Vault.Options(state: nil))
    try contents.authenticate(with: vault)
    return (contents, vault)
  }

  /// Restores a backup.
  func restore(
    _ made: CreatedBackup, to path: String, _ change: (inout RestoreOptions) -> Void = { _ in }
  ) async throws -> RestoredVault {
    let (contents, vault) = try await open(made)
    var options = RestoreOptions()
    options.now = { [clock] in clock.next() }
    change(&options)
    return try await contents.stage(with: vault, for: path, options: options).putInPlace()
  }

  /// The documents of a vault's folder.
  static func files(of path: String) -> FolderState {
    FolderState(below: path) { !$0.hasPrefix(".lock") && !$0.hasPrefix(".staging") }
  }
}
