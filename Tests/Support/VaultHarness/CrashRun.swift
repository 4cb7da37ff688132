internal import VaultAge
internal import VaultTestSupport

/// `crash`: deaths at every file operation in this process, then real processes killed at random moments, runs of the
/// program `vault` among them when it is named.
struct CrashRun {
  private let seed: UInt64
  private let kills: Int
  private let laneCount: Int
  /// Of so many kills one is of a process that makes, restores and prunes backups.
  private static let backupShare = 6
  /// Every how many-th file operation is died at.
  private let step: Int
  /// The program vault whose runs are killed, too; nil when none is named.
  private let program: String?
  /// Of so many kills one is of a run of that program.
  private static let commandShare = 4

  init(_ options: Options) {
    seed = UInt64(options.number("seed", 1))
    kills = options.number("kills", 200)
    step = options.number("step", 1)
    laneCount = options.number("lanes", 2)
    program = try? options.text("program")
  }

  func run() async throws -> Tally {
    let workshop = try Workshop()
    var deaths = SeamRun(workshop, seed: seed, step: step)
    var seam = try await deaths.run()
    note("file seam: \(seam.line)")
    seam.kills = 0
    try await deaths.provesItself()
    try provesItself(workshop)
    let (backupKills, commandKills) = (kills / Self.backupShare, program == nil ? 0 : kills / Self.commandShare)
    var tally = try await withThrowingTaskGroup(of: Tally.self) { group in
      group.addTask {
        var lane = BackupLane(workshop, seed: seed)
        return try await lane.run(kills: backupKills)
      }
      if let program {
        group.addTask {
          var lane = CommandLane(workshop, program: program, seed: seed)
          return try lane.run(kills: commandKills)
        }
      }
      for number in 0..<laneCount {
        let rest = kills - backupKills - commandKills
        let share = rest / laneCount + (number < rest % laneCount ? 1 : 0)
        group.addTask {
          var lane = CrashLane("lane\(number)", workshop, seed: seed &+ UInt64(number) &* 7919)
          return try lane.run(kills: share)
        }
      }
      var all = Tally()
      for try await tally in group { all.add(tally) }
      return all
    }
    tally.add(workshop.leaks(), at: "afterwards")
    note(
      "\(tally.inside) kills inside an operation, \(tally.insideReplacing) of them inside one that replaces all records; "
        + "\(tally.withLeftovers) left something for recovery")
    tally.add(seam)
    return tally
  }

  /// Real kills must tear a store that puts files in place piece by piece.
  private func provesItself(_ workshop: Workshop) throws {
    var lane = CrashLane("mutant", workshop, seed: seed, mutant: .inPlace)
    let tally = try lane.run(kills: 1000, stopsAtFault: true)
    guard let fault = tally.faults.first else {
      throw HarnessError("\(tally.kills) kills did not notice a store that copies files into place")
    }
    note("mutant in-place: noticed after \(tally.kills) kills (\(fault.kind.rawValue))")
  }
}

/// One row of kills, one after another, each followed by a look at the vault.
struct CrashLane {
  private let name: String
  private let workshop: Workshop
  private let mutant: MutantOperations.Defect?
  private var random: SeededGenerator
  private var tally = Tally()
  private var model = Model()
  private var vaultNumber = 0
  private var starts = 0
  private var readEvents = 0
  /// How long a process takes that is not killed: kills fall anywhere in that time.
  private var span: Duration = .zero

  private static let killsPerVault = 40
  private static let operationsInSpan = 6

  init(_ name: String, _ workshop: Workshop, seed: UInt64, mutant: MutantOperations.Defect? = nil) {
    (self.name, self.workshop, self.mutant) = (name, workshop, mutant)
    random = SeededGenerator(seed: seed)
  }

  private var vault: String { workshop.vault("\(name)-\(vaultNumber)") }
  private var process: String { "\(name)-\(vaultNumber)" }

  mutating func run(kills: Int, stopsAtFault: Bool = false) throws -> Tally {
    while tally.kills < kills, !stopsAtFault || tally.faults.isEmpty {
      if tally.kills >= vaultNumber * Self.killsPerVault { try beginVault() }
      try kill()
    }
    FileTree.remove(vault)
    return tally
  }

  /// Measures a whole process on a vault of its own, and goes on with another that is not made yet.
  private mutating func beginVault() throws {
    FileTree.remove(vault)
    vaultNumber += 1
    let clock = ContinuousClock()
    let sample = process + "s"
    let began = clock.now
    let exit = try start(on: workshop.vault(sample), as: sample, ["--operations", "\(Self.operationsInSpan)"]).wait()
    span = clock.now - began
    guard exit == .code(0) || mutant != nil else { throw HarnessError("a writer ended by itself: \(output(sample))") }
    FileTree.remove(workshop.vault(sample))
    (model, readEvents) = (Model(), 0)
  }

  private mutating func start(on vault: String, as process: String, _ more: [String] = []) throws -> Child {
    starts += 1
    let mutation = mutant.map { ["--mutant", $0.rawValue] } ?? []
    return try workshop.start(
      "writer", on: vault, as: process,
      ["--seed", "\(random.next() >> 2)", "--first", "\(starts * 10_000)", "--alone", "1"] + mutation + more)
  }

  /// Starts a writer, kills it at a random moment, and checks the result.
  private mutating func kill() throws {
    let child = try start(on: vault, as: process)
    sleep(span * Double.random(in: 0...1, using: &random))
    child.send(Signal.kill)
    let exit = child.wait()
    if exit == .killed {
      tally.kills += 1
    } else {
      report([Fault(.torn, "a writer ended by itself (\(exit)): \(output(process))")])
    }
    let events = try LogEvent.parse(FileTree.contents(of: workshop.log(process)) ?? [])
    for event in events.dropFirst(readEvents) {
      if case .failed(let code) = event { report([Fault(.torn, "an operation was refused: \(code)")]) }
      report(model.replay(event))
    }
    readEvents = events.count
    if let open = model.open {
      tally.inside += 1
      if open.replacesAll { tally.insideReplacing += 1 }
    }
    look()
  }

  /// Checks first without writing, and then sometimes with recovery. So sometimes the next process finds the leftovers.
  private mutating func look() {
    let scene = Scene(path: vault, identity: workshop.identity)
    if scene.hasLeftovers { tally.withLeftovers += 1 }
    for recovering in [false, true] where !recovering || Int.random(in: 0..<5, using: &random) < 3 {
      let found = scene.inspect(recovering: recovering)
      report(found.faults)
      if let state = found.state { report(model.observe(state)) }
    }
  }

  private mutating func report(_ faults: [Fault]) {
    let place = "\(name), vault \(vaultNumber), kill \(tally.kills), log line \(readEvents)"
    tally.add(faults, at: place)
  }

  private func output(_ process: String) -> String {
    String(decoding: FileTree.contents(of: workshop.output(process)) ?? [], as: UTF8.self)
  }
}
