import Synchronization
import Testing
import VaultAge
import VaultBackup
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTestSupport

/// A vault that is changed, backed up and pruned day after day, by a clock that is set.
private final class Drill: Sendable {
  static let dayCount = 400
  let folder = TemporaryFolder()
  let identity: AgeIdentity
  private let clock = Mutex(time("2025-10-01T01:30:00Z"))

  var vaultPath: String { folder.path + "/team" }
  var backupPath: String { folder.path + "/backups" }
  var now: Timestamp { clock.withLock { $0 } }

  static let policy: RetentionPolicy = {
    var policy = RetentionPolicy()
    policy[.daily] = .limited(7)
    policy[.weekly] = .limited(5)
    policy[.monthly] = .limited(12)
    policy[.yearly] = .limited(3)
    return policy
  }()

  init() throws {
    identity = try AgeIdentity.generate()
    FileTree.makeFolder(backupPath)
  }

  /// About a day later: the timer has some slack, and now and then a night is slept through.
  func nextDay(using generator: inout SeededGenerator) {
    let days: Int64 = Int.random(in: 0..<40, using: &generator) == 0 ? 2 : 1
    let slack = Int64.random(in: -1200...1200, using: &generator)
    clock.withLock { clock in
      clock = (try? Timestamp(secondsSinceEpoch: clock.secondsSinceEpoch + days * 86_400 + slack)) ?? clock
    }
  }

  func create() async throws -> Vault {
    var options = Vault.Options(state: nil)
    options.now = { self.now }
    return try await Vault.create(
      at: vaultPath, slots: [NewSlot(.recipient(identity.recipient))], options: options)
  }

  /// Makes a backup and prunes, as the script does; gives the files of the vault by the name of the backup.
  func backUp(_ vault: Vault) async throws -> (name: BackupName, files: FolderState) {
    var options = Backup.Options(key: .recipients([try identity.recipient]))
    options.proof = [.identity(identity)]
    options.now = { self.now }
    let directory = try BackupDirectory(at: backupPath)
    let made = try await Backup.create(of: .unlocked(vault), in: directory, stem: "team", options: options)
    let plan = try directory.prune(Self.policy, now: now)
    #expect(!plan.hasFindings)
    return (made.name, BackupBench.files(of: vaultPath))
  }

  /// Restores a backup on a machine that knows nothing.
  func restored(_ name: BackupName) async throws -> FolderState {
    let target = folder.path + "/restored"
    let contents = try await BackupContents(
      of: BackupFile(at: backupPath + "/" + name.fileName), with: [.identity(identity)])
    let opened = try await contents.vault.unlock(with: .identity(identity), options: Vault.Options(state: nil))
    try contents.authenticate(with: opened)
    _ = try await contents.stage(with: opened, for: target, options: RestoreOptions()).putInPlace()
    defer { FileTree.remove(target) }
    return BackupBench.files(of: target)
  }
}

/// Writes into a small vault at random.
private struct Changes {
  private var notes: [RecordID] = []
  private var removed: [RecordID] = []

  mutating func make(in vault: Vault, day: Int, using generator: inout SeededGenerator) async throws {
    switch Int.random(in: 0..<8, using: &generator) {
    case _ where notes.isEmpty, 0 where notes.count < 4:
      let text = EncryptedCodableString("secret of day \(day)")
      notes.append(try await vault.add(SecureNote(title: "note of day \(day)", text: text)))
    case 1 where notes.count > 2:
      removed.append(notes.remove(at: Int.random(in: notes.indices, using: &generator)))
      try await vault.remove([removed[removed.count - 1]])
    case 2 where !removed.isEmpty:
      #expect(try await vault.deleteTrashed(removed).faults.isEmpty)
      removed = []
    case 3: break
    default:
      guard let id = notes.randomElement(using: &generator) else { return }
      _ = try await vault.update(id, as: SecureNote.self) { $0.text = EncryptedCodableString("changed on day \(day)") }
    }
  }
}

@Suite("A year and more of backups")
struct DrillTests {
  @Test("after 400 days of changes, backups and prunes, every backup that is left restores to the state of its day")
  func drill() async throws {
    var generator = SeededGenerator(seed: 400)
    let drill = try Drill()
    let vault = try await drill.create()
    var changes = Changes()
    var states: [BackupName: FolderState] = [:]
    for day in 0..<Drill.dayCount {
      try await changes.make(in: vault, day: day, using: &generator)
      let (name, files) = try await drill.backUp(vault)
      states[name] = files
      drill.nextDay(using: &generator)
    }
    let kept = try BackupDirectory(at: drill.backupPath).listing().rows
    #expect(kept.allSatisfy { $0.state == .recorded })
    #expect(FileTree.names(in: drill.backupPath).filter { $0.hasSuffix(".age") } == kept.map(\.name.fileName))
    try expectKept(kept.map(\.name), of: states.keys.map(\.time))
    for name in kept.map(\.name) {
      #expect(try await drill.restored(name) == states[name], "\(name.fileName)")
    }
    print("drill: \(Drill.dayCount) days, \(kept.count) backups kept and restored")
  }

  /// Pruned every day, it is the same as if it had been pruned once, but for the oldest: that one was there at each
  /// prune.
  private func expectKept(_ names: [BackupName], of times: [Timestamp]) throws {
    let times = times.sorted()
    let newest = try #require(times.last)
    let reasons = Drill.policy.reasons(toKeep: times, now: newest)
    let expected = zip(times, reasons).filter { !$1.isEmpty }.map(\.0)
    #expect(names.map(\.time) == expected)
  }
}
