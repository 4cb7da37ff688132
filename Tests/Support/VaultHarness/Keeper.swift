internal import VaultAge
internal import VaultBackup
internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultTestSupport

/// The process that changes a vault, backs it up, restores the backup in another place and prunes, round after round,
/// until it is killed. It logs each step before it begins and after it returned.
struct Keeper {
  /// The places of its files.
  struct Places: Sendable {
    let vault: String
    /// The directory of the backups.
    let backups: String
    /// The vault that is restored.
    let restored: String

    init(below path: String) {
      (vault, backups, restored) = (path + "/v", path + "/b", path + "/r")
    }
  }

  /// Records that always have one stamp.
  static let group = "keep.1x5"
  static let keptCount = 2

  private let places: Places
  private let identity: AgeIdentity
  private let log: AppendingFile
  private let clock: FastClock
  private var performer: Performer

  static func run(_ options: Options) async throws {
    let places = Places(below: try options.text("vault"))
    let identity = try options.identity()
    let store = try DirectoryStore(at: places.vault)
    var performer = try await Performer(store: store, identity: identity)
    performer.ids = try Inspection(store: store, reader: performer.reader).ids
    let newest = try BackupDirectory(at: places.backups).listing().rows.map(\.name.time.secondsSinceEpoch).max() ?? 0
    let clock = FastClock(start: max(newest + 1, Timestamp.now().secondsSinceEpoch))
    let keeper = Keeper(
      places: places, identity: identity, log: try AppendingFile(options.text("log")), clock: clock,
      performer: performer)
    let first = options.number("first", 2)
    for stamp in first..<(first + options.number("operations", 1_000_000)) { try await keeper.round(stamp) }
  }

  private func round(_ stamp: Int) async throws {
    try log.append("stamp \(stamp)", durably: false)
    try performer.restamp(Group.tags(of: Self.group).map { ($0, nil) }, stamp)
    try log.append("stamped \(stamp)", durably: true)
    try log.append("create \(stamp)", durably: false)
    let name = try await create()
    try log.append("created \(stamp) \(name)", durably: true)
    try log.append("restore \(stamp)", durably: false)
    _ = try await Self.restore(name, of: places, to: places.restored, identity, clock)
    try log.append("restored \(stamp)", durably: true)
    try log.append("prune", durably: false)
    var policy = RetentionPolicy()
    policy[.last] = .limited(Self.keptCount)
    _ = try BackupDirectory(at: places.backups).prune(policy, now: clock.now())
    try log.append("pruned", durably: true)
  }

  private func create() async throws -> String {
    var options = Backup.Options(key: .recipients([try identity.recipient]))
    options.now = clock.now
    options.proof = [.identity(identity)]
    return try await Backup.create(
      of: .unlocked(performer.vault), in: BackupDirectory(at: places.backups), stem: "v", options: options
    ).name.fileName
  }

  /// Verifies a backup and restores it.
  static func restore(
    _ name: String, of places: Places, to path: String, _ identity: AgeIdentity, _ clock: FastClock
  ) async throws -> RestoredVault {
    let contents = try await BackupContents(
      of: BackupFile(at: places.backups + "/" + name), with: [.identity(identity)])
    let vault = try await contents.vault.unlock(with: .identity(identity), options: Vault.Options(state: nil))
    try contents.authenticate(with: vault)
    var options = RestoreOptions()
    options.now = clock.now
    return try await contents.stage(with: vault, for: path, options: options).putInPlace()
  }
}
