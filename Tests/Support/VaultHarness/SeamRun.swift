internal import VaultAge
internal import VaultDocument
internal import VaultFileStore
internal import VaultStorage
internal import VaultTestSupport
internal import VaultSystem

/// Deaths and power cuts at every file operation of every operation of a vault, in this process.
struct SeamRun {
  private let workshop: Workshop
  private let step: Int
  private var random: SeededGenerator
  private var tally = Tally()

  /// A vault as it is before an operation, and what is needed to go on with it.
  private struct Template {
    let path: String
    var state: KnownVaults = [:]
    var reader: RecordReader?
    var ids: [String: RecordID] = [:]
  }

  /// On files one by one, and with journals.
  private static let narrow: [Operation] = [
    .create,
    Operation(action: .add, group: "seam.4x1", stamp: 4),
    Operation(action: .add, group: "seam.5x3", stamp: 5),
    Operation(action: .add, group: "seam.6x12", stamp: 6),
    Operation(action: .stamp, group: "seam.1x1", stamp: 7),
    Operation(action: .stamp, group: "seam.2x3", stamp: 8),
    Operation(action: .stamp, group: "seam.3x12", stamp: 9),
    Operation(action: .remove, group: "seam.1x1", stamp: 0),
    Operation(action: .remove, group: "seam.2x3", stamp: 0),
  ]
  /// With a new folder of all records, exchanged for the old one.
  private static let wide: [Operation] = [
    Operation(action: .add, group: "seam.7x20", stamp: 10), .rotation(.rewrap), .rotation(.reseal),
  ]

  /// Dies at every `step`-th call.
  init(_ workshop: Workshop, seed: UInt64, step: Int) {
    self.workshop = workshop
    self.step = max(1, step)
    random = SeededGenerator(seed: seed)
  }

  /// Every operation dies at every call, once as a process and once as a machine.
  mutating func run() async throws -> Tally {
    let template = try await makeTemplate()
    for operation in Self.narrow + Self.wide {
      for isPowerCut in [false, true] {
        var number = Int.random(in: 1...step, using: &random)
        while try await die(operation, at: number, template, isPowerCut: isPowerCut) { number += step }
      }
    }
    FileTree.remove(template.path)
    return tally
  }

  /// Fails when stores that do not sync pass: each must lose something in a power cut after all was acknowledged.
  mutating func provesItself() async throws {
    let template = try await makeTemplate()
    for defect in [MutantOperations.Defect.noSync, .noFileSync, .noDirectorySync] {
      var all = Tally()
      for operations in [Self.narrow] + Self.wide.map({ [$0] }) {
        tally = Tally()
        for operation in operations {
          _ = try await die(operation, at: .max, template, isPowerCut: true, defect)
        }
        guard !tally.faults.isEmpty else {
          throw HarnessError("a power cut under a store with the defect \(defect.rawValue) was not noticed")
        }
        all.add(tally)
      }
      note("mutant \(defect.rawValue): noticed, lost \(all.count(.lost)) torn \(all.count(.torn))")
    }
    FileTree.remove(template.path)
  }

  private func makeTemplate() async throws -> Template {
    var template = Template(path: workshop.vault("template"))
    let quiet = FaultyFileOperations(recorder: SimulatedDisk())
    try await Performer.create(at: template.path, identity: workshop.identity, operations: quiet)
    let store = try DirectoryStore(at: template.path, operations: quiet)
    var performer = try await Performer(store: store, identity: workshop.identity)
    for (number, group) in ["seam.1x1", "seam.2x3", "seam.3x12"].enumerated() {
      try await performer.perform(Operation(action: .add, group: group, stamp: number + 1))
    }
    template.state = try Inspection(store: store, reader: performer.reader).state
    (template.reader, template.ids) = (performer.reader, performer.ids)
    return template
  }

  /// Lets one operation die at its n-th call and checks the result; returns whether there was such a call.
  private mutating func die(
    _ operation: Operation, at number: Int, _ template: Template, isPowerCut: Bool,
    _ defect: MutantOperations.Defect? = nil
  ) async throws -> Bool {
    let path = workshop.vault("seam")
    var model = Model(operation.action == .create ? [:] : template.state)
    if operation.action != .create { try copy(template.path, to: path) }
    defer { FileTree.remove(path) }
    let disk = SimulatedDisk()
    // An operation on every record reads hundreds of folders, and a death between two changes leaves the same state.
    let dying = FaultyFileOperations(
      .dying, at: number, recorder: disk, countsChangesAlone: operation.replacesAll)
    let operations: any FileOperations = defect.map { MutantOperations($0, dying) } ?? dying
    _ = model.replay(.begin(operation))
    do {
      try await perform(operation, at: path, template, operations)
      _ = model.replay(.done)
    } catch {
      guard dying.reachedCall != nil else { throw error }
    }
    if isPowerCut {
      let kept = defect == nil ? Int.random(in: 0...disk.unsyncedChangeCount, using: &random) : 0
      disk.cutPower(at: path, keeping: kept)
    }
    if dying.reachedCall != nil { tally.kills += 1 }
    let call = dying.reachedCall ?? "none"
    let place = "\(operation), call \(number) \(call)\(isPowerCut ? ", power cut" : "")"
    try await look(at: path, &model, place)
    if operation.replacesAll, defect == nil { try await finish(at: path, &model, place) }
    return dying.reachedCall != nil
  }

  private func perform(
    _ operation: Operation, at path: String, _ template: Template, _ operations: any FileOperations
  ) async throws {
    guard operation.action != .create else {
      return try await Performer.create(at: path, identity: workshop.identity, operations: operations)
    }
    let store = try DirectoryStore(at: path, operations: operations)
    var performer = try await Performer(
      store: store, identity: workshop.identity, reader: template.reader, ids: template.ids)
    try await performer.perform(operation)
  }

  private mutating func look(at path: String, _ model: inout Model, _ place: String) async throws {
    let scene = Scene(path: path, identity: workshop.identity)
    // Writes of this process need not last.
    let quiet = FaultyFileOperations(recorder: SimulatedDisk())
    for recovering in [false, true] {
      let found = scene.inspect(recovering: recovering, by: quiet)
      tally.add(found.faults, at: place)
      if let state = found.state { tally.add(model.observe(state), at: place) }
    }
    // Leftovers of a vault that was being made are in nobody's way.
    guard !scene.hasVault else { return }
    do {
      try await Performer.create(at: path, identity: workshop.identity, operations: quiet)
      tally.add(scene.inspect(recovering: true, by: quiet).faults, at: place)
    } catch {
      tally.add([Fault(.torn, "the vault cannot be made again: \(error)")], at: place)
    }
  }

  /// The next rotation finishes an unfinished one; then all of it verifies, the checkpoint and the slots, too.
  private mutating func finish(at path: String, _ model: inout Model, _ place: String) async throws {
    let quiet = FaultyFileOperations(recorder: SimulatedDisk())
    do {
      let store = try DirectoryStore(at: path, operations: quiet)
      var performer = try await Performer(store: store, identity: workshop.identity)
      if performer.reader.vault.unfinished != nil {
        _ = model.replay(.begin(.rotation(.rewrap)))
        try await performer.perform(.rotation(.rewrap))
        tally.add(model.replay(.done), at: place)
      }
      tally.add(try await performer.faults(), at: place)
    } catch {
      tally.add([Fault(.lost, "what was begun cannot be finished: \(error)")], at: place)
    }
    let found = Scene(path: path, identity: workshop.identity).inspect(recovering: true, by: quiet)
    tally.add(found.faults, at: place)
    if let state = found.state { tally.add(model.observe(state), at: place) }
  }

  /// A copy whose files are all durable: the simulated disk of the next run knows nothing of them.
  private func copy(_ source: String, to target: String) throws {
    try workshop.makeFolder("vaults/seam")
    for folder in Set(FileTree.files(below: source).map { $0.split(separator: "/").dropLast() }) {
      for depth in 1..<(folder.count + 1) where !folder.isEmpty {
        let name = "vaults/seam/" + folder.prefix(depth).joined(separator: "/")
        if FileTree.kind(of: workshop.path + "/" + name) == nil { try workshop.makeFolder(name) }
      }
    }
    for name in FileTree.files(below: source) {
      FileTree.write(FileTree.contents(of: source + "/" + name) ?? [], to: target + "/" + name)
    }
  }
}
