internal import VaultAge
internal import VaultBackup
internal import VaultDocument
internal import VaultFileStore
internal import VaultTestSupport
internal import VaultSystem

/// Keepers that are killed while they make, restore and prune backups, one after another, each followed by a look.
struct BackupLane {
  private let workshop: Workshop
  private let places: Keeper.Places
  private var random: SeededGenerator
  private var tally = Tally()
  private var starts = 0
  private var readLines = 0
  /// The possible states after the log: stamps of the vault, and of the restored one, 0 for a missing one.
  private var vaultStamps: Set<Int> = [1]
  private var restoredStamps: Set<Int> = [0]
  /// Stamps of acknowledged backups by the names of their files.
  private var acknowledged: [String: Int] = [:]
  private var openStep: String?
  /// How often each step was killed.
  private var killedSteps: [String: Int] = [:]

  private static let name = "keeper"

  init(_ workshop: Workshop, seed: UInt64) {
    self.workshop = workshop
    places = Keeper.Places(below: workshop.vault(Self.name))
    random = SeededGenerator(seed: seed)
  }

  mutating func run(kills: Int) async throws -> Tally {
    try await makeVault()
    let clock = ContinuousClock()
    let began = clock.now
    try await complete(rounds: 3)
    let span = clock.now - began
    while tally.kills < kills {
      let child = try start()
      sleep(span * Double.random(in: 0...1, using: &random))
      child.send(Signal.kill)
      try await follow(child.wait())
    }
    try await complete(rounds: 1)
    reportLeftovers()
    let steps = killedSteps.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    note("backups: killed inside \(steps.joined(separator: ", "))")
    FileTree.remove(workshop.vault(Self.name))
    return tally
  }

  private func makeVault() async throws {
    try workshop.makeFolder("vaults/" + Self.name)
    FileTree.makeFolder(places.backups)
    try await Performer.create(at: places.vault, identity: workshop.identity, operations: LiveFileOperations())
    var performer = try await Performer(store: DirectoryStore(at: places.vault), identity: workshop.identity)
    try await performer.perform(Operation(action: .add, group: Keeper.group, stamp: 1))
  }

  private mutating func start(_ more: [String] = []) throws -> Child {
    starts += 1
    return try workshop.start(
      "keeper", on: workshop.vault(Self.name), as: Self.name, ["--first", "\(starts * 1000)"] + more)
  }

  /// Lets a keeper end by itself.
  private mutating func complete(rounds: Int) async throws {
    try await follow(start(["--operations", "\(rounds)"]).wait())
  }

  private mutating func follow(_ exit: Exit) async throws {
    if exit == .killed {
      tally.kills += 1
    } else if exit != .code(0) {
      let output = FileTree.contents(of: workshop.output(Self.name)) ?? []
      report([Fault(.torn, "a keeper ended by itself (\(exit)): \(String(decoding: output, as: UTF8.self))")])
    }
    let log = String(decoding: FileTree.contents(of: workshop.log(Self.name)) ?? [], as: UTF8.self)
    let lines = log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in lines.dropFirst(readLines) { replay(line.split(separator: " ").map(String.init)) }
    readLines = lines.count
    if exit == .killed, let openStep {
      tally.inside += 1
      killedSteps[openStep, default: 0] += 1
    }
    await look()
  }

  /// Follows the log by one line.
  private mutating func replay(_ words: [String]) {
    let stamp = words.count > 1 ? Int(words[1]) ?? 0 : 0
    openStep = words[0].hasSuffix("d") ? nil : words[0]
    switch words[0] {
    case "stamp": vaultStamps.insert(stamp)
    case "stamped": vaultStamps = [stamp]
    case "created": acknowledged[words[2]] = stamp
    case "restore": restoredStamps.insert(stamp)
    case "restored": restoredStamps = [stamp]
    default: break
    }
  }

  private mutating func look() async {
    vaultStamps = [stamp(of: places.vault, among: vaultStamps)]
    restoredStamps = [stamp(of: places.restored, among: restoredStamps)]
    // Whichever of the two it was, it is whole.
    for name in FileTree.names(in: workshop.vault(Self.name)) where name.hasPrefix("r.before-restore-") {
      let path = workshop.vault(Self.name) + "/" + name
      _ = stamp(of: path, among: nil)
      FileTree.remove(path)
    }
    do {
      try await lookAtBackups()
    } catch {
      report([Fault(.lost, "the backups cannot be looked at: \(error)")])
    }
  }

  /// The one stamp of a vault, which must be a possible one; 0 if the vault is missing.
  private mutating func stamp(of path: String, among possible: Set<Int>?) -> Int {
    let found = Scene(path: path, identity: workshop.identity).inspect(recovering: false)
    report(found.faults)
    let stamp = found.state?[Keeper.group]?.stamp ?? 0
    if let possible, !possible.contains(stamp) {
      report([Fault(.lost, "\(path) has stamp \(stamp), and only \(possible.sorted()) can be")])
    }
    return stamp
  }

  /// Checks that every file with the name of a backup is a backup, and that the newest acknowledged ones exist and
  /// restore to their original state.
  private mutating func lookAtBackups() async throws {
    let rows = try BackupDirectory(at: places.backups).listing().rows
    for row in rows {
      let name = row.name.fileName
      switch row.state {
      case .gone: report([Fault(.lost, "\(name) is recorded and gone")])
      case .changed: report([Fault(.torn, "\(name) is not the recorded file")])
      case .recorded, .unrecorded: try await lookAtBackup(name)
      }
      report(Scene.clearText(in: places.backups + "/" + name))
      // Of no more interest: nothing prunes it.
      if row.state == .unrecorded { FileTree.remove(places.backups + "/" + name) }
    }
    let recorded = Set(rows.filter { $0.state == .recorded }.map(\.name.fileName))
    // A backup that was recorded and not acknowledged counts for the prune.
    let newest = Set(acknowledged.keys).union(recorded).sorted().suffix(Keeper.keptCount)
    for name in newest where !recorded.contains(name) { report([Fault(.lost, "\(name) was acknowledged and is gone")]) }
    acknowledged = acknowledged.filter { recorded.contains($0.key) }
  }

  private mutating func lookAtBackup(_ name: String) async throws {
    let path = workshop.vault(Self.name) + "/look"
    defer { FileTree.remove(path) }
    let clock = FastClock(start: Timestamp.now().secondsSinceEpoch)
    do {
      _ = try await Keeper.restore(name, of: places, to: path, workshop.identity, clock)
    } catch {
      return report([Fault(.torn, "\(name) cannot be restored: \(error)")])
    }
    _ = stamp(of: path, among: acknowledged[name].map { [$0] })
  }

  /// Leftovers of killed keepers are gone once a keeper has ended normally.
  private mutating func reportLeftovers() {
    let all = FileTree.names(in: workshop.vault(Self.name)) + FileTree.names(in: places.backups)
    for name in all where name.hasPrefix(".") && name != ".backups.lock" {
      report([Fault(.leaked, "\(name) was left behind")])
    }
  }

  private mutating func report(_ faults: [Fault]) {
    let place = "backups, kill \(tally.kills), log line \(readLines)"
    tally.add(faults, at: place)
  }
}
