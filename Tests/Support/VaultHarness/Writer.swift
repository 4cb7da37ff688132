internal import VaultAge
internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage
internal import VaultTestSupport
internal import VaultSystem

/// The process that writes until it is killed.
///
/// It logs every operation before it asks for it, and once more after the library returned. It changes groups of its
/// own, and with others those of the owner `shared`, each of whose stamps is one more than the last. Alone in its vault
/// it also does what writes every record anew: imports of many, and rotations.
struct Writer {
  private var performer: Performer
  private let log: AppendingFile
  private let owner: String
  private var random: SeededGenerator
  private var number: Int
  private let isAlone: Bool
  private var live: [String: Int] = [:]
  private var shared: [String] = []

  static let sizes = [1, 1, 1, 3, 12]
  /// Larger vaults than that would take long to look at.
  private static let wideVault = 40

  static func run(_ options: Options) async throws {
    let identity = try options.identity()
    let log = try AppendingFile(options.text("log"))
    let operations: any FileOperations = try options.defect().map { MutantOperations($0) } ?? LiveFileOperations()
    let path = try options.text("vault")
    if FileTree.contents(of: path + "/vault.json") == nil {
      try log.append(LogEvent.begin(.create).line, durably: false)
      try await Performer.create(at: path, identity: identity, operations: operations)
      try log.append(LogEvent.done.line, durably: true)
    }
    let store = try DirectoryStore(at: path, operations: operations)
    var writer = Writer(
      performer: try await Performer(store: store, identity: identity), log: log, owner: try options.text("owner"),
      random: SeededGenerator(seed: UInt64(options.number("seed", 0))), number: options.number("first", 1),
      isAlone: options.number("alone", 0) > 0)
    try writer.lookAround()
    try await writer.finishRotation()
    for _ in 0..<options.number("operations", .max) { try await writer.step() }
  }

  private init(
    performer: Performer, log: AppendingFile, owner: String, random: SeededGenerator, number: Int, isAlone: Bool
  ) {
    (self.performer, self.log, self.owner, self.random) = (performer, log, owner, random)
    (self.number, self.isAlone) = (number, isAlone)
  }

  /// Finds its own groups, and tells the log what it found.
  private mutating func lookAround() throws {
    let lock = try performer.store.lock(.shared, timeout: Performer.lockTimeout, onWait: { _ in })
    defer { lock.release() }
    let seen = try Inspection(store: performer.store, reader: performer.reader, withTrash: false)
    performer.ids = seen.ids
    live = seen.state.filter { Group.owner(of: $0.key) == owner }.mapValues(\.stamp)
    shared = seen.state.keys.filter { Group.owner(of: $0) == "shared" }.sorted()
    try log.append(LogEvent.saw(live).line, durably: false)
  }

  private mutating func step() async throws {
    if let group = shared.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
      try await advance(group)
    } else {
      try await change()
    }
  }

  /// Until it is finished, what an unfinished rotation has not reached is read and not changed.
  private mutating func finishRotation() async throws {
    guard performer.reader.vault.unfinished != nil else { return }
    try await perform(.rotation(Bool.random(using: &random) ? .rewrap : .reseal))
  }

  private mutating func change() async throws {
    number += 1
    try await perform(isAlone ? chooseWide() ?? choose() : choose())
  }

  private mutating func perform(_ operation: Operation) async throws {
    try log.append(LogEvent.begin(operation).line, durably: false)
    let isDone = try await acknowledge { performer in try await performer.perform(operation) }
    guard isDone, !operation.action.isRotation else { return }
    live = live.merging([operation.group: operation.stamp]) { _, new in new }
    if operation.action == .remove { live[operation.group] = nil }
  }

  /// Sometimes chooses an operation that replaces all records, if there are not too many.
  private mutating func chooseWide() -> Operation? {
    let count = live.keys.reduce(0) { $0 + Group.size(of: $1) }
    switch Int.random(in: 0..<40, using: &random) {
    case 0...3 where count <= Self.wideVault:
      let size = Group.wideSize(count, using: &random)
      return Operation(action: .add, group: Group.name(owner: owner, number: number, size: size), stamp: number)
    case 4: return .rotation(.rewrap)
    case 5: return .rotation(.reseal)
    default: return nil
    }
  }

  private mutating func choose() -> Operation {
    let old = live.keys.sorted().randomElement(using: &random)
    let choice = Int.random(in: 0..<10, using: &random)
    if let old, live.count > 2, choice > 1 || live.count > 5 {
      return Operation(action: choice < 5 ? .remove : .stamp, group: old, stamp: number)
    }
    let size = Self.sizes.randomElement(using: &random) ?? 1
    return Operation(action: .add, group: Group.name(owner: owner, number: number, size: size), stamp: number)
  }

  /// Logs how an operation ended. After a refusal it continues, because others write, too.
  private mutating func acknowledge(_ body: (inout Performer) async throws -> Void) async throws -> Bool {
    do {
      try await body(&performer)
    } catch {
      try log.append(LogEvent.failed(Self.code(of: error)).line, durably: true)
      return false
    }
    try log.append(LogEvent.done.line, durably: true)
    return true
  }

  static func code(of error: any Error) -> String {
    switch error {
    case let error as VaultError: error.code.description
    case let error as StoreError: error.code.description
    default: "other"
    }
  }

  /// Raises the stamp of a group that all writers share by one, if nobody else did meanwhile.
  private mutating func advance(_ group: String) async throws {
    let tags = Group.tags(of: group)
    let members = try tags.map { tag -> (tag: String, bytes: [UInt8]?) in
      guard let id = performer.ids[tag] else { throw HarnessError("\(tag) has no id") }
      return (tag, try performer.store.read(.record(id)))
    }
    let stamps = Set(
      try members.map { member in
        guard let id = performer.ids[member.tag], let bytes = member.bytes else { return 0 }
        return try performer.reader.content(of: bytes, as: id, isTrashed: false).stamp
      })
    // Read without a lock, the group may be of two moments.
    guard let stamp = stamps.first, stamps.count == 1 else { return }
    let operation = Operation(action: .stamp, group: group, stamp: stamp + 1)
    try log.append(LogEvent.begin(operation).line, durably: false)
    _ = try await acknowledge { performer in
      guard tags.count == 1, let id = performer.ids[tags[0]] else {
        return try performer.restamp(members, operation.stamp)
      }
      let record = try await performer.vault.record(id)
      guard record.fields["contact_info"]?["website"] == .string(Payload.website(stamp: stamp)) else {
        throw VaultError(.changedUnderneath, "")
      }
      try await performer.edit(id, tags[0], operation.stamp, expecting: record)
    }
  }
}
