internal import VaultAge
internal import VaultDocument
internal import VaultTestSupport

/// Runs of the program `vault` that are killed, each followed by a check of the vault and by every command that reads
/// it.
///
/// The other lanes use the library; this one uses the program, as people do. It imports, changes and removes records
/// and rotates the key, with removed records in the trash. No run may end by a signal that nobody sent.
struct CommandLane {
  private let workshop: Workshop
  private let program: String
  private var random: SeededGenerator
  private var tally = Tally()
  private var model = Model()
  private var state: KnownVaults = [:]
  private var vaultNumber = 0
  private var number = 0
  private var resealsWithTrash = 0
  /// How long a whole run took, by action.
  private var spans: [Operation.Action: Duration] = [:]

  private static let killsPerVault = 40
  private static let owner = "command"
  /// Most runs do their work within this time from their start; a reseal then waits for the next second.
  private static let busyTime = Duration.milliseconds(60)
  private static let wideVault = 40

  init(_ workshop: Workshop, program: String, seed: UInt64) {
    (self.workshop, self.program) = (workshop, program)
    random = SeededGenerator(seed: seed)
  }

  private var vault: String { workshop.vault("\(Self.owner)-\(vaultNumber)") }
  /// The input of a run: clear text, which is searched for in the vault and not here.
  private var input: String { workshop.vault(Self.owner + ".input") }
  private var shown: String { workshop.vault(Self.owner + ".shown") }

  mutating func run(kills: Int) throws -> Tally {
    while tally.kills < kills {
      if vaultNumber == 0 || tally.kills >= vaultNumber * Self.killsPerVault { try beginVault() }
      try step()
    }
    try finish()
    note("commands: \(resealsWithTrash) reseals began with records in the trash")
    for path in [vault, input, shown] { FileTree.remove(path) }
    return tally
  }

  private mutating func beginVault() throws {
    try finish()
    FileTree.remove(vault)
    vaultNumber += 1
    (model, state) = (Model(), [:])
    report(model.replay(.begin(.create)))
    let made = try start(["init", vault, "--recipient", workshop.identity.recipient.description]).wait()
    guard made == .code(0) else { throw HarnessError("vault init ended with \(made): \(output)") }
    report(model.replay(.done))
    observe(recovering: false)
  }

  /// One operation, killed two times of three, and a look at what it left.
  private mutating func step() throws {
    number += 1
    let operation = choose()
    if operation.action == .reseal, state.values.contains(where: \.isTrashed) { resealsWithTrash += 1 }
    report(model.replay(.begin(operation)))
    let clock = ContinuousClock()
    let began = clock.now
    let child = try start(arguments(of: operation))
    if let span = spans[operation.action], Int.random(in: 0..<3, using: &random) > 0 {
      let longest = Bool.random(using: &random) ? min(span, Self.busyTime) : span
      sleep(longest * Double.random(in: 0...1, using: &random))
      child.send(Signal.kill)
    }
    let exit = child.wait()
    switch exit {
    case .killed:
      tally.kills += 1
      tally.inside += 1
      if operation.replacesAll { tally.insideReplacing += 1 }
    case .code(0):
      spans[operation.action] = clock.now - began
      report(model.replay(.done))
    default: report([Fault(.torn, "vault \(operation.action.rawValue) ended with \(exit): \(output)")])
    }
    let scene = Scene(path: vault, identity: workshop.identity)
    if scene.hasLeftovers { tally.withLeftovers += 1 }
    observe(recovering: false)
    try readEverything()
    if Bool.random(using: &random) { observe(recovering: true) }
  }

  private mutating func observe(recovering: Bool) {
    let found = Scene(path: vault, identity: workshop.identity).inspect(recovering: recovering)
    report(found.faults)
    guard let state = found.state else { return }
    report(model.observe(state))
    self.state = state
  }

  // MARK: Operations

  private mutating func choose() -> Operation {
    // Until it is finished, what an unfinished rotation has not reached is read and not changed.
    if state[Operation.vault]?.unfinished != nil { return .rotation(Bool.random(using: &random) ? .rewrap : .reseal) }
    let live = state.filter { !$0.value.isTrashed && $0.key != Operation.vault }
    let count = live.keys.reduce(0) { $0 + Group.size(of: $1) }
    let single = live.keys.filter { Group.size(of: $0) == 1 }.sorted().randomElement(using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0...1: return .rotation(.reseal)
    case 2: return .rotation(.rewrap)
    case 3...4 where live.count > 2:
      return Operation(action: .remove, group: live.keys.sorted()[0], stamp: number)
    case 5...7:
      if let single { return Operation(action: .stamp, group: single, stamp: number) }
      return add(size: 1)
    case 8 where count <= Self.wideVault: return add(size: Group.wideSize(count, using: &random))
    default: return live.count > 6 ? .rotation(.reseal) : add(size: Bool.random(using: &random) ? 1 : 3)
    }
  }

  private func add(size: Int) -> Operation {
    Operation(action: .add, group: Group.name(owner: Self.owner, number: number, size: size), stamp: number)
  }

  private func arguments(of operation: Operation) throws -> [String] {
    let tags = Group.tags(of: operation.group)
    switch operation.action {
    case .create: throw HarnessError("the vault is there already")
    case .add:
      let lines = try tags.map { tag in
        try JSONValue.object(
          JSONObject([
            ("name", .string(tag)), ("access_key", .string(Payload.secret(tag: tag, stamp: operation.stamp))),
            ("added_on", .string("2026-11-21T01:40:28Z")),
            ("contact_info", .object(JSONObject([("website", .string(Payload.website(stamp: operation.stamp)))]))),
          ]))
      }
      FileTree.write(try JSONValue.array(lines).prettyBytes(), to: input)
      return ["import", "json", input, "--kind", "customer"]
    case .stamp:
      FileTree.write(Array(Payload.secret(tag: tags[0], stamp: operation.stamp).utf8), to: input)
      let website = "contact_info.website=" + Payload.website(stamp: operation.stamp)
      return ["set", tags[0], website, "--secret-file", "access_key=" + input]
    case .remove: return ["remove"] + tags + ["--yes"]
    case .rewrap: return ["rekey", "--yes"]
    case .reseal: return ["rekey", "--reseal", "--yes"]
    }
  }

  // MARK: Checks

  /// Runs every command that reads, each of which must end by itself with the result for a vault that is whole.
  private mutating func readEverything() throws {
    let commands = [
      ["list"], ["find", "example"], ["verify"], ["trash", "list"], ["status"], ["doctor"], ["lint"], ["fingerprint"],
      ["pin", "show"], ["key", "list"], ["kinds", "list"], ["repair", "--dry-run"], ["rekey", "--dry-run"],
      ["export", "--format", "jsonl", "--reveal", "--yes"], ["due", "--older-than", "52w"],
    ]
    for command in commands {
      let exit = try look(command)
      // A lint or a doctor may report leftovers for recovery.
      var allowed: [Exit] = ["lint", "doctor"].contains(command[0]) ? [.code(0), .code(14)] : [.code(0)]
      // Of a vault without records nothing is found.
      if command[0] == "find" { allowed.append(.code(10)) }
      if !allowed.contains(exit) { report([Fault(.torn, "vault \(command.joined(separator: " ")): \(exit): \(text)")]) }
    }
    let live = state.filter { !$0.value.isTrashed && $0.key != Operation.vault }
    guard let group = live.keys.sorted().randomElement(using: &random), let stamp = live[group]?.stamp else { return }
    let tag = Group.tags(of: group)[0]
    guard try look(["get", tag, "access_key"]) == .code(0), text == Payload.secret(tag: tag, stamp: stamp) else {
      return report([Fault(.lost, "vault get \(tag): \(text)")])
    }
  }

  private func look(_ command: [String]) throws -> Exit {
    FileTree.remove(shown)
    return try start(command, output: shown).wait()
  }

  private var text: String { String(decoding: FileTree.contents(of: shown) ?? [], as: UTF8.self) }
  private var output: String {
    String(decoding: (FileTree.contents(of: workshop.output(Self.owner)) ?? []).suffix(400), as: UTF8.self)
  }

  /// Unfinished work is finished, and everything is verified once more.
  private mutating func finish() throws {
    guard vaultNumber > 0 else { return }
    let commands = [
      ["rekey", "--yes"], ["rekey", "--reseal", "--yes"], ["verify"], ["checkpoint"], ["repair", "--yes"],
      ["trash", "empty", "--yes"], ["checkpoint", "--accept-rollback"], ["rekey", "--yes"], ["verify"],
    ]
    for command in commands {
      let exit = try look(command)
      if exit != .code(0) { report([Fault(.torn, "vault \(command.joined(separator: " ")): \(exit): \(text)")]) }
    }
  }

  private func start(_ arguments: [String], output: String? = nil) throws -> Child {
    try Child.start(
      arguments, of: program, output: output ?? workshop.output(Self.owner), temporary: workshop.temporary,
      environment: [
        "CVAULT_DIR=\(vault)", "CVAULT_IDENTITY_FILE=\(workshop.identityPath)", "HOME=\(workshop.path)/home",
        "CVAULT_STATE_DIR=\(workshop.path)/home/state", "XDG_CACHE_HOME=\(workshop.path)/home/cache",
      ])
  }

  private mutating func report(_ faults: [Fault]) {
    let place = "commands, vault \(vaultNumber), kill \(tally.kills), operation \(number)"
    tally.add(faults, at: place)
  }
}
