import Testing
import VaultCrypto
import VaultDocument
import VaultFileStore
import VaultKit
import VaultTestSupport
import VaultSystem
import VaultBackup

/// A directory of files that stand for backups: a prune never looks into one.
private struct Bench {
  static let now = time("2026-11-21T12:00:00Z")
  let folder = TemporaryFolder()
  var path: String { folder.path }

  func directory(_ operations: any FileOperations = LiveFileOperations()) throws -> BackupDirectory {
    try BackupDirectory(at: path, operations: operations)
  }

  /// One backup a day, the last one on the day of `now`.
  @discardableResult
  func fill(
    days: Int, stem: String = "team", vault: VaultID = Vaults.one, _ kind: BackupCatalog.Verification.Kind? = .deep,
    now: Timestamp = now
  ) throws -> [BackupName] {
    let times = try (0..<days).reversed().map { day in
      try Timestamp(secondsSinceEpoch: now.secondsSinceEpoch - Int64(day) * 86_400)
    }
    try directory().update { catalog throws(VaultError) in
      for time in times { catalog.record(entry(backupName(time, stem: stem), vault, kind)) }
    }
    return times.map { backupName($0, stem: stem) }
  }

  private func entry(
    _ name: BackupName, _ vault: VaultID, _ kind: BackupCatalog.Verification.Kind?
  ) -> BackupCatalog.Entry {
    let bytes = Array("sealed \(name.fileName)".utf8)
    FileTree.write(bytes, to: path + "/" + name.fileName)
    return BackupCatalog.Entry(
      name: name, byteCount: bytes.count, sha256: (try? unsafe SHA256.hash(bytes.span.bytes)) ?? [],
      createdAt: name.time, vaultID: vault, isAttested: true,
      verification: kind.map { .init(time: name.time, kind: $0) })
  }

  /// Changes a byte, and with `size` the size.
  func damage(_ name: BackupName, size: Bool = false) throws {
    var bytes = try #require(FileTree.contents(of: path + "/" + name.fileName))
    bytes[0] ^= 1
    FileTree.write(size ? bytes + [0] : bytes, to: path + "/" + name.fileName)
  }

  var names: [String] { FileTree.names(in: path).filter { $0.hasSuffix(".age") } }
  func recorded() throws -> [String] { try directory().catalog().entries.map(\.name.fileName) }

  func prune(last: Int, now: Timestamp = now) throws -> PrunePlan { try directory().prune(Self.last(last), now: now) }

  static func last(_ count: Int) -> RetentionPolicy {
    var policy = RetentionPolicy()
    policy[.last] = .limited(count)
    return policy
  }
}

extension PrunePlan {
  fileprivate func step(_ name: BackupName) -> Step? { steps.first { $0.row.name == name } }
}

@Suite("What a prune removes")
struct PruneTests {
  private let bench = Bench()

  @Test("what no rule keeps goes, and is not recorded any more; what no backup is, is not touched")
  func prune() throws {
    let names = try bench.fill(days: 10).map(\.fileName)
    for other in ["notes.txt", "team.cvault.age", "team-20261101T000000Z.cvault.age.part", ".hidden"] {
      FileTree.write([1], to: bench.path + "/" + other)
    }
    FileTree.makeFolder(bench.path + "/team-20260101T000000Z.cvault.age")
    let before = Set(FileTree.names(in: bench.path))
    let plan = try bench.prune(last: 3)
    #expect(plan.removals.map(\.fileName) == Array(names[..<7]))
    #expect(!plan.hasFindings)
    #expect(before.subtracting(FileTree.names(in: bench.path)) == Set(names[..<7]))
    #expect(try bench.recorded() == Array(names[7...]))
    let again = try bench.prune(last: 3)
    #expect(again.removals.isEmpty)
    #expect(again.steps.count == 3)
    #expect(!again.hasFindings)
  }

  @Test("backups of several vaults and names are looked at apart, and never remove each other")
  func groups() throws {
    let team = try bench.fill(days: 5)
    let other = try bench.fill(days: 5, stem: "team-2026", vault: Vaults.two)
    let plan = try bench.prune(last: 1)
    #expect(plan.removals.count == 8)
    #expect(plan.step(team[4])?.action == .keep)
    #expect(plan.step(other[4])?.action == .keep)
    // The same name, once for another vault.
    let before = time("2026-10-21T12:00:00Z")
    try bench.fill(days: 3, vault: Vaults.two, now: before)
    #expect(try bench.prune(last: 1).removals.count == 2)
    #expect(bench.names.count == 3)
  }

  @Test(
    "a backup that is not recorded, or not as recorded, stays and has no part in the rules", arguments: [true, false])
  func strangers(_ isRecorded: Bool) throws {
    let names = try bench.fill(days: 5)
    if isRecorded {
      try bench.damage(names[4], size: true)
    } else {
      try bench.directory().update { catalog throws(VaultError) in catalog.forget(names[4]) }
    }
    let plan = try bench.prune(last: 1)
    #expect(plan.removals == Array(names[..<3]))
    #expect(plan.step(names[4])?.action == .keep)
    #expect(plan.step(names[3])?.reasons == ["last"])
    #expect(plan.hasFindings == isRecorded)
  }

  @Test("a file that is gone is told, once, and then not recorded any more")
  func gone() throws {
    let names = try bench.fill(days: 3)
    FileTree.remove(bench.path + "/" + names[1].fileName)
    let plan = try bench.prune(last: 5)
    #expect(plan.step(names[1])?.action == .forget)
    #expect(plan.hasFindings)
    #expect(try bench.recorded() == [names[0].fileName, names[2].fileName])
    #expect(try !bench.prune(last: 5).hasFindings)
  }

  @Test("one verified backup stays, whatever the rules say; one that a key has opened goes before one without")
  func verified() throws {
    let old = try bench.fill(days: 3, now: time("2026-06-01T00:00:00Z"))
    let framed = try bench.fill(days: 2, .framing, now: time("2026-07-01T00:00:00Z"))
    let new = try bench.fill(days: 2, nil)
    let plan = try bench.prune(last: 1)
    #expect(plan.removals == [old[0], old[1]] + framed + [new[0]])
    #expect(plan.step(old[2])?.reasons == ["verified: one such backup always stays"])
    #expect(!plan.hasFindings)
    // The newest one was opened since: the old one may go.
    try bench.directory().update { catalog throws(VaultError) in
      catalog.note(.init(time: Bench.now, kind: .list), of: new[1])
    }
    #expect(try bench.prune(last: 1).removals == [old[2]])
  }

  @Test("where no key has opened any, one that was looked at without a key counts as verified")
  func framing() throws {
    let names = try bench.fill(days: 3, .framing)
    #expect(try bench.prune(last: 1).removals == Array(names[..<2]))
  }

  @Test("where none has been verified, nothing of that vault goes, and it is told")
  func unverified() throws {
    let names = try bench.fill(days: 3, nil)
    let other = try bench.fill(days: 3, stem: "other", vault: Vaults.two)
    let plan = try bench.prune(last: 1)
    #expect(plan.removals == Array(other[..<2]))
    #expect(plan.hasFindings)
    #expect(plan.step(names[0])?.reasons == ["no backup of this vault has been verified"])
    #expect(plan.step(names[2])?.reasons == ["last"])
    #expect(try !bench.prune(last: 5).hasFindings)
  }

  @Test("a verified backup whose bytes have changed is none: the rules begin again without it")
  func rotten() throws {
    let names = try bench.fill(days: 5)
    try bench.damage(names[4])
    try bench.damage(names[3])
    let plan = try bench.prune(last: 1)
    #expect(plan.removals == Array(names[..<2]))
    #expect(plan.hasFindings)
    #expect(plan.step(names[2])?.reasons == ["last"])
    #expect(plan.step(names[4])?.reasons == ["not as recorded: damaged or replaced"])
    // All of them: none of the remaining ones is worth more than a removed one.
    for name in names[..<3] where bench.names.contains(name.fileName) { try bench.damage(name) }
    #expect(try bench.prune(last: 1).removals.isEmpty)
  }

  @Test("a backup from the future stays")
  func future() throws {
    let names = try bench.fill(days: 3)
    let plan = try bench.prune(last: 1, now: names[1].time)
    #expect(plan.step(names[2])?.reasons == ["from the future"])
    #expect(plan.removals == [names[0]])
  }

  @Test("what was approved is done, and nothing else")
  func approved() throws {
    let names = try bench.fill(days: 3)
    let directory = try bench.directory()
    let approved = try directory.plan(Bench.last(2), now: Bench.now)
    try bench.fill(days: 1, now: time("2026-11-21T13:00:00Z"))
    let error = #expect(throws: VaultError.self) {
      try directory.prune(Bench.last(2), now: time("2026-11-21T14:00:00Z"), approved: approved)
    }
    #expect(error?.code == .changedUnderneath)
    #expect(bench.names.count == 4)
    #expect(try directory.prune(Bench.last(2), now: Bench.now, approved: approved).removals == [names[0]])
  }

  @Test(
    "killed at any call, or by a power cut there: every file is whole or gone, and nothing looks lost",
    arguments: [nil, 0, 1, 2] as [Int?])
  func death(_ kept: Int?) throws {
    for number in 1... {
      let bench = Bench()
      let names = try bench.fill(days: 4)
      let disk = SimulatedDisk()
      let operations = FaultyFileOperations(.dying, at: number, recorder: disk)
      let isDone = (try? bench.directory(operations).prune(Bench.last(2), now: Bench.now)) != nil
      if let kept { disk.cutPower(at: bench.path, keeping: kept) }
      let listing = try bench.directory().listing()
      #expect(listing.rows.allSatisfy { $0.state == .recorded }, "call \(number): \(listing.rows.map(\.state))")
      #expect(listing.rows.map(\.name).suffix(2) == names[2...], "call \(number)")
      #expect(!isDone || listing.rows.count == 2)
      let next = try bench.prune(last: 2)
      #expect(!next.hasFindings, "call \(number)")
      #expect(bench.names == names[2...].map(\.fileName), "call \(number)")
      #expect(try bench.recorded() == bench.names, "call \(number)")
      #expect(FileTree.names(in: bench.path).count == 4, "call \(number)")
      guard operations.reachedCall != nil else { return print("prune: \(number - 1) calls") }
    }
  }

  @Test("where a call fails, the error comes out, and the next prune does the rest")
  func failing() throws {
    for number in 1... {
      let bench = Bench()
      let names = try bench.fill(days: 4)
      let operations = FaultyFileOperations(.failingFromThereOn(5), at: number)
      let isDone = (try? bench.directory(operations).prune(Bench.last(2), now: Bench.now)) != nil
      #expect(isDone == (operations.reachedCall == nil))
      let plan = try bench.prune(last: 2)
      #expect(!plan.hasFindings, "call \(number)")
      #expect(bench.names == names[2...].map(\.fileName), "call \(number)")
      #expect(operations.openCount == 0)
      guard operations.reachedCall != nil else { return }
    }
  }

  @Test("a prune that was cut off and comes again with other rules removes what these say, not what was begun")
  func otherRules() throws {
    let names = try bench.fill(days: 4)
    try bench.directory().update { catalog throws(VaultError) in catalog.markRemovals(of: [names[0], names[1]]) }
    #expect(try bench.directory().listing().rows.count == 4)
    #expect(try bench.prune(last: 4).removals.isEmpty)
    #expect(bench.names.count == 4)
    #expect(try bench.directory().catalog().entries.allSatisfy { !$0.isBeingRemoved })
    // Now a missing file is a finding again.
    FileTree.remove(bench.path + "/" + names[0].fileName)
    #expect(try bench.directory().listing().rows.first?.state == .gone)
  }
}
