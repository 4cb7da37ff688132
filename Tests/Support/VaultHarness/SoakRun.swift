internal import VaultFileStore
internal import VaultTestSupport
internal import VaultSystem

/// `soak`: many writers and readers on one vault, some of which are killed or stopped at random.
struct SoakRun {
  private struct Worker {
    let role: String
    let name: String
    var child: Child
    var isStopped = false
  }

  private let workshop: Workshop
  private let name: String
  private let mutant: MutantOperations.Defect?
  private var random: SeededGenerator
  private var workers: [Worker] = []
  private var starts = 0
  private var stops = 0
  private var tally = Tally()

  private static let sharedGroups = ["shared.0x1", "shared.1x1", "shared.2x4", "shared.3x12"]
  private static let mutantAttempts = 6

  static func run(_ options: Options) async throws -> Tally {
    let seed = UInt64(options.number("seed", 1))
    let (writers, readers) = (options.number("writers", 8), options.number("readers", 8))
    let workshop = try Workshop()
    try await provesItself(workshop, seed)
    var run = SoakRun(workshop, "soak", seed)
    return try await run.run(seconds: options.number("seconds", 60), writers, readers)
  }

  /// Fails when a store without its lock passes: eight writers must tear or lose something.
  private static func provesItself(_ workshop: Workshop, _ seed: UInt64) async throws {
    for attempt in 0..<mutantAttempts {
      var run = SoakRun(workshop, "mutant\(attempt)", seed &+ UInt64(attempt), .noLock)
      let tally = try await run.run(seconds: 2, 8, 2)
      let (lost, torn) = (tally.count(.lost), tally.count(.torn))
      guard lost + torn > 0 else { continue }
      return note("mutant no-lock: noticed, lost \(lost) torn \(torn)")
    }
    throw HarnessError("a store without the lock was not noticed")
  }

  private init(_ workshop: Workshop, _ name: String, _ seed: UInt64, _ mutant: MutantOperations.Defect? = nil) {
    (self.workshop, self.name, self.mutant) = (workshop, name, mutant)
    random = SeededGenerator(seed: seed)
  }

  private var vault: String { workshop.vault(name) }

  private mutating func run(seconds: Int, _ writers: Int, _ readers: Int) async throws -> Tally {
    try await makeVault()
    for number in 0..<writers { workers.append(try start("writer", "\(name)w\(number)")) }
    for number in 0..<readers { workers.append(try start("reader", "\(name)r\(number)")) }
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    while clock.now < end {
      sleep(.milliseconds(Int.random(in: 20...250, using: &random)))
      try replaceTheDead()
      if mutant == nil { try disturb() }
    }
    for worker in workers { worker.child.send(Signal.kill) }
    for worker in workers { checkEnd(of: worker, worker.child.wait()) }
    if mutant == nil { tally.kills += workers.count }
    try judge()
    FileTree.remove(vault)
    return tally
  }

  private func makeVault() async throws {
    try await Performer.create(at: vault, identity: workshop.identity, operations: LiveFileOperations())
    var performer = try await Performer(store: DirectoryStore(at: vault), identity: workshop.identity)
    for group in Self.sharedGroups { try await performer.perform(Operation(action: .add, group: group, stamp: 1)) }
  }

  private mutating func start(_ role: String, _ name: String) throws -> Worker {
    starts += 1
    let mutation = mutant.map { ["--mutant", $0.rawValue] } ?? []
    let more = ["--seed", "\(random.next() >> 2)", "--first", "\(starts * 100_000)"]
    return Worker(role: role, name: name, child: try workshop.start(role, on: vault, as: name, more + mutation))
  }

  /// A process that ended without being killed is a finding, except under a mutant.
  private mutating func checkEnd(of worker: Worker, _ exit: Exit) {
    guard exit != .killed, mutant == nil else { return }
    let said = String(decoding: FileTree.contents(of: workshop.output(worker.name)) ?? [], as: UTF8.self)
    tally.add([Fault(.torn, "\(worker.name) ended by itself (\(exit)): \(said)")], at: name)
  }

  private mutating func replaceTheDead() throws {
    for index in workers.indices {
      guard let exit = workers[index].child.poll() else { continue }
      checkEnd(of: workers[index], exit)
      workers[index] = try start(workers[index].role, workers[index].name)
    }
  }

  /// Kills one process, or stops one, or lets a stopped one go on.
  private mutating func disturb() throws {
    guard let index = workers.indices.randomElement(using: &random) else { return }
    let worker = workers[index]
    if worker.isStopped {
      worker.child.send(Signal.goOn)
      workers[index].isStopped = false
    } else if Int.random(in: 0..<3, using: &random) == 0 {
      worker.child.send(Signal.stop)
      workers[index].isStopped = true
      stops += 1
    } else {
      worker.child.send(Signal.kill)
      checkEnd(of: worker, worker.child.wait())
      tally.kills += 1
      workers[index] = try start(worker.role, worker.name)
    }
    // Nobody stays stopped for long: it may hold the lock.
    for index in workers.indices where workers[index].isStopped && Bool.random(using: &random) {
      workers[index].child.send(Signal.goOn)
      workers[index].isStopped = false
    }
  }
}

extension SoakRun {
  /// Reads everything and compares it with the logs.
  private mutating func judge() throws {
    let found = Scene(path: vault, identity: workshop.identity).inspect(recovering: true)
    tally.add(found.faults, at: "\(name), at the end")
    let writers = workers.filter { $0.role == "writer" }.map(\.name)
    var shared = SharedStamps()
    var operations = 0
    for writer in writers {
      let events = try LogEvent.parse(FileTree.contents(of: workshop.log(writer)) ?? [])
      operations += events.count { $0 == .done }
      let state = (found.state ?? [:]).filter { Group.owner(of: $0.key) == writer }
      tally.add(replay(events, &shared, state), at: writer)
    }
    tally.add(Self.sharedGroups.flatMap { shared.faults(of: $0, found.state?[$0]) }, at: "\(name), shared")
    let passes = try readPasses(of: workers.filter { $0.role == "reader" }.map(\.name))
    tally.add(workshop.leaks(), at: "\(name), afterwards")
    note("\(name): \(operations) operations, \(passes) passes of readers, \(stops) stops, \(tally.kills) kills")
  }

  /// Replays the log of one writer on the groups that nobody else writes.
  private func replay(_ events: [LogEvent], _ shared: inout SharedStamps, _ state: KnownVaults) -> [Fault] {
    var model = Model()
    var pending: Operation?
    var faults: [Fault] = []
    for event in events {
      if case .begin(let operation) = event { pending = operation }
      if let operation = pending, Group.owner(of: operation.group) == "shared" {
        faults += shared.replay(event, operation)
      } else {
        if case .failed(let code) = event { faults.append(Fault(.torn, "an operation was refused: \(code)")) }
        faults += model.replay(event)
      }
      if case .begin = event { continue }
      pending = nil
    }
    return faults + model.observe(state)
  }

  private mutating func readPasses(of readers: [String]) throws -> Int {
    var passes = 0
    for reader in readers {
      let text = String(decoding: FileTree.contents(of: workshop.log(reader)) ?? [], as: UTF8.self)
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if line.hasPrefix("pass") { passes += 1 } else { tally.add([Fault(.torn, String(line))], at: reader) }
      }
    }
    return passes
  }
}

/// The stamps of the shared groups in the logs of all writers; each stamp has one writer.
private struct SharedStamps {
  private var acknowledged: [String: [Int: Int]] = [:]
  private var open: [String: Set<Int>] = [:]

  mutating func replay(_ event: LogEvent, _ operation: Operation) -> [Fault] {
    switch event {
    case .begin: open[operation.group, default: []].insert(operation.stamp)
    case .done: acknowledged[operation.group, default: [:]][operation.stamp, default: 0] += 1
    case .failed("changedUnderneath"): break
    case .failed(let code): return [Fault(.torn, "an operation was refused: \(code)")]
    // The writer was killed: nobody knows, and the stamp stays open.
    case .saw: break
    }
    return []
  }

  /// The stamps 2 to the last were each written once, and none that was acknowledged is above the last.
  func faults(of group: String, _ state: GroupState?) -> [Fault] {
    guard let last = state?.stamp else { return [Fault(.lost, "\(group) is gone")] }
    let acknowledged = acknowledged[group] ?? [:]
    return acknowledged.sorted { $0.key < $1.key }.compactMap { stamp, count in
      if stamp > last { return Fault(.lost, "\(group): stamp \(stamp) was acknowledged, and \(last) is there") }
      return count > 1 ? Fault(.lost, "\(group): \(count) writers wrote stamp \(stamp), all but one are lost") : nil
    }
      + (last < 2 ? [] : Array(2...last)).filter { open[group]?.contains($0) != true }.map {
        Fault(.torn, "\(group): stamp \($0) was written by nobody")
      }
  }
}
