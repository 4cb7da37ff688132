import Testing
import VaultStorage
import VaultTestSupport

/// A service that syncs a folder between machines, as far as two machines can tell it from another.
struct SyncService: Sendable, CustomTestStringConvertible {
  /// Which of two versions stays in place.
  enum Winner { case cloud, machine, either }

  let name: String
  /// The mark in the name of the copy with this number.
  let mark: @Sendable (Int) -> String
  let winner: Winner
  /// Whether a file that one machine deleted and the other changed may go, and become a copy.
  let deletionMayWin: Bool
  /// Whether a copy stays on the machine that made it.
  let keepsCopiesLocal: Bool

  var testDescription: String { name }

  static let all = [
    SyncService(
      name: "Syncthing", mark: { ".sync-conflict-20261121-\(100_000 + $0)-ABCDEFG" }, winner: .either,
      deletionMayWin: true, keepsCopiesLocal: false),
    SyncService(
      name: "Dropbox", mark: { " (Ada's conflicted copy 2026-11-21 \($0))" }, winner: .cloud, deletionMayWin: false,
      keepsCopiesLocal: false),
    SyncService(
      name: "Nextcloud", mark: { " (conflicted copy 2026-11-21 \(100_000 + $0))" }, winner: .cloud,
      deletionMayWin: false, keepsCopiesLocal: true),
    SyncService(
      name: "iCloud", mark: { " \($0 + 2)" }, winner: .either, deletionMayWin: false, keepsCopiesLocal: false),
    SyncService(
      name: "OneDrive", mark: { "-DESKTOP-51AB-\($0)" }, winner: .cloud, deletionMayWin: false, keepsCopiesLocal: false),
    SyncService(
      name: "Google Drive", mark: { " (\($0))" }, winner: .machine, deletionMayWin: false, keepsCopiesLocal: false),
  ]
}

/// The service at work: the files in its cloud, and the last state in which it saw each machine.
private struct Cloud {
  let service: SyncService
  private var files: FolderState
  private var known: [String: FolderState] = [:]
  private var local: [String: Set<String>] = [:]
  private var copyCount = 0

  init(_ service: SyncService, _ bench: FolderBench) {
    self.service = service
    files = bench.a.files
    for machine in [bench.a, bench.b] { known[machine.name] = files }
  }

  /// Syncs a machine. Some files are late, and come another time.
  mutating func sync(_ machine: FolderBench.Machine, _ random: inout SeededGenerator, mayBeLate: Bool) {
    let here = machine.files
    var old = known[machine.name] ?? FolderState()
    let names = Set(here.keys).union(files.keys).union(old.keys).subtracting(local[machine.name] ?? [])
    for name in names.sorted() {
      if mayBeLate, Int.random(in: 0..<4, using: &random) == 0 { continue }
      let (own, remote, before) = (here[name], files[name], old[name])
      if own == remote {
        old[name] = own
      } else if own == before {
        machine.put(remote, at: name)
        old[name] = remote
      } else if remote == before {
        files[name] = own
        old[name] = own
      } else {
        let won = settle(name, own, remote, on: machine, &old, &random)
        old[name] = won
      }
    }
    known[machine.name] = old
  }

  /// Settles a conflict, and gives the version that stays.
  private mutating func settle(
    _ name: String, _ own: [UInt8]?, _ remote: [UInt8]?, on machine: FolderBench.Machine,
    _ old: inout FolderState, _ random: inout SeededGenerator
  ) -> [UInt8]? {
    var winsHere =
      switch service.winner {
      case .cloud: false
      case .machine: true
      case .either: Bool.random(using: &random)
      }
    if own == nil || remote == nil, !service.deletionMayWin { winsHere = own != nil }
    let (won, lost) = winsHere ? (own, remote) : (remote, own)
    if let lost {
      let copy = newName(beside: name)
      machine.put(lost, at: copy)
      if service.keepsCopiesLocal {
        local[machine.name, default: []].insert(copy)
      } else {
        files[copy] = lost
        old[copy] = lost
      }
    }
    machine.put(won, at: name)
    files[name] = won
    return won
  }

  private mutating func newName(beside name: String) -> String {
    copyCount += 1
    let dot = name.lastIndex(of: ".").flatMap { name[$0...].contains("/") ? nil : $0 } ?? name.endIndex
    return name[..<dot] + service.mark(copyCount) + name[dot...]
  }
}

/// Two machines that edit at random, and the values that the program has acknowledged.
private struct RandomEditors {
  private let bench: FolderBench
  private var cloud: Cloud
  private var random: SeededGenerator
  private var ids: [String]
  /// By record, in the order in which they were acknowledged.
  private(set) var acknowledged: [String: [String]]
  private var editCount = 0

  init(_ bench: FolderBench, _ service: SyncService, seed: UInt64) {
    (self.bench, cloud, random) = (bench, Cloud(service, bench), SeededGenerator(seed: seed))
    (ids, acknowledged) = ([bench.id], [bench.id: ["tigerlily"]])
  }

  mutating func edit() {
    let machine = Bool.random(using: &random) ? bench.a : bench.b
    editCount += 1
    var run = perform(machine, Int.random(in: 0..<20, using: &random))
    if [.unexpectedVault, .damaged].contains(run.status) {
      machine.vault("merge")
      run = perform(machine, 0)
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      cloud.sync(Bool.random(using: &random) ? bench.a : bench.b, &random, mayBeLate: true)
    }
    if Int.random(in: 0..<8, using: &random) == 0 { (Bool.random(using: &random) ? bench.a : bench.b).vault("merge") }
  }

  private mutating func perform(_ machine: FolderBench.Machine, _ kind: Int) -> ProcessOutcome {
    // A vault keeps so many former values.
    let open = ids.filter { acknowledged[$0, default: []].count < 20 }
    let isNew = ids.count < 5 || open.isEmpty
    let id = isNew ? bench.id : open[Int.random(in: 0..<open.count, using: &random)]
    let value = "value-\(editCount)-\(machine.name)"
    switch isNew ? .max : kind {
    case 0..<12:
      let run = machine.vault("set", id, "--secret-stdin", "password", input: value)
      if run.code == 0 { acknowledged[id, default: []].append(value) }
      return run
    case 12..<15: return machine.vault("set", id, "username=\(value)")
    case 15..<17: return machine.vault("set", id, "fields.\(machine.name)\(editCount % 3)=\(value)")
    case 17: return machine.vault("remove", id, "-y")
    default:
      let run = machine.vault(
        "add", "login", value, "username=u", "--secret-stdin", "password", "--json", input: value)
      if let id = JSON(run.stdout)["id"]?.text {
        ids.append(id)
        acknowledged[id] = [value]
      }
      return run
    }
  }

  /// Lets the service finish and both machines merge, until nothing changes.
  mutating func settle() -> Bool {
    for _ in 0..<12 {
      for machine in [bench.a, bench.b, bench.a] { cloud.sync(machine, &random, mayBeLate: false) }
      let runs = [bench.a, bench.b].map { $0.vault("merge") }
      for run in runs where run.code != 0 { Issue.record("merge: \(run.output)\(run.errors)") }
      for machine in [bench.a, bench.b, bench.a] { cloud.sync(machine, &random, mayBeLate: false) }
      let hasCopies = bench.a.files.keys.contains { ConflictCopy(relativePath: $0) != nil }
      if bench.a.files == bench.b.files, !hasCopies { return true }
    }
    return false
  }
}

@Suite("Random edits through a folder that a service syncs")
struct FolderSyncTests {
  @Test(
    "both machines come to the same files, which verify, and no acknowledged value is lost", arguments: SyncService.all)
  func converge(_ service: SyncService) throws {
    let bench = try FolderBench(former: 20)
    var editors = RandomEditors(bench, service, seed: TestSeed.current)
    // 1,020 edits in all six services.
    for _ in 0..<(Sweep.isWhole ? 170 : 40) { editors.edit() }
    let isSettled = editors.settle()
    #expect(isSettled, "\(service.name), seed \(TestSeed.current)")
    #expect(bench.a.files == bench.b.files)
    for machine in [bench.a, bench.b] {
      let verified = machine.vault("verify")
      #expect(verified.code == 0, "\(service.name), seed \(TestSeed.current): \(verified.errors)")
    }
    for (id, values) in editors.acknowledged.sorted(by: { $0.key < $1.key }) {
      if bench.a.bytes("trash/\(id).json") != nil { bench.a.vault("trash", "restore", id) }
      let kept = Self.values(of: id, on: bench.a)
      #expect(values.contains(bench.a.value("password", of: id)), "\(service.name): \(id)")
      let lost = values.filter { !kept.contains($0) }
      #expect(lost.isEmpty, "\(service.name), seed \(TestSeed.current): \(id) has \(kept)")
    }
  }

  /// The password of a record and its former values.
  private static func values(of id: String, on machine: FolderBench.Machine) -> Set<String> {
    var values: Set = [machine.vault("get", id, "password").output]
    for number in 1...20 {
      let former = machine.vault("get", id, "password", "--former", "\(number)")
      guard former.code == 0 else { break }
      values.insert(former.output)
    }
    return values
  }
}
