import Testing
import VaultDocument
import VaultFileStore
import VaultStorage
import VaultTestSupport

/// Random operations on a store beside a dictionary that does the same.
@Suite("Random operations against a model") struct StorePropertyTests {
  private static let ids = (0..<8).map { Identifier(bytes: [UInt8($0 % 3)] + Array(repeating: UInt8($0), count: 15)) }

  enum Operation: Sendable {
    case apply([StoreChange])
    case reopen
    /// An `apply` during which the process dies at the n-th call; then the store is opened again.
    case die([StoreChange], at: Int)
  }

  private struct Model {
    var documents: [StoreLocation: [UInt8]] = [.header: [0]]

    /// The state after `changes`; nil if an expectation does not hold.
    func applying(_ changes: [StoreChange]) -> [StoreLocation: [UInt8]]? {
      guard changes.allSatisfy({ documents[$0.location] == $0.expected }) else { return nil }
      return changes.reduce(into: documents) { $0[$1.location] = $1.replacement }
    }
  }

  /// A change of a random place; one in eight expects wrong bytes. The expectation is chosen against `model`.
  private func change(
    _ location: StoreLocation, _ model: Model, _ random: inout SeededGenerator
  ) -> StoreChange {
    let isWrong = Int.random(in: 0..<8, using: &random) == 0
    let expected = isWrong ? [9, 9, 9] : model.documents[location]
    let bytes = random.bytes(count: .random(in: 0..<2000, using: &random))
    // Without its header the directory would not be a vault any more.
    let isRemoved = location != .header && Bool.random(using: &random)
    return StoreChange(location, from: expected, to: isRemoved ? nil : bytes)
  }

  private func changes(_ model: Model, _ random: inout SeededGenerator) -> [StoreChange] {
    let places = Self.ids.flatMap { [StoreLocation.record($0), .trash($0)] }.shuffled(using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return [change([.header, .checkpoint].randomElement(using: &random) ?? .header, model, &random)]
    case 1, 2: return [change(places[0], model, &random)]
    default:
      return places.prefix(.random(in: 2...14, using: &random)).map { change($0, model, &random) }
    }
  }

  /// The sequence of one seed. Expectations are chosen as if every earlier operation had gone as planned.
  private func operations(seed: UInt64, mayDie: Bool) -> [Operation] {
    var random = SeededGenerator(seed: seed)
    var model = Model()
    return (0..<40).map { _ in
      let changes = changes(model, &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: return .reopen
      case 1...3 where mayDie: return .die(changes, at: .random(in: 1...120, using: &random))
      default:
        if let documents = model.applying(changes) { model.documents = documents }
        return .apply(changes)
      }
    }
  }

  /// Runs a sequence on a new directory; returns the first difference from the model.
  private func run(_ operations: [Operation]) throws -> String? {
    let vault = try StoreFolder()
    var (store, model) = (try vault.reopen(), Model())
    for (index, operation) in operations.enumerated() {
      switch operation {
      case .reopen: store = try vault.reopen()
      case .apply(let changes):
        let expected = model.applying(changes)
        let isApplied = (try? store.apply(changes)) != nil
        guard isApplied == (expected != nil) else { return "operation \(index): applied is \(isApplied)" }
        model.documents = expected ?? model.documents
      case .die(let changes, let number):
        let disk = SimulatedDisk()
        let dying = FaultyFileOperations(.dying, at: number, recorder: disk)
        let isApplied = (try? vault.reopen(dying).apply(changes)) != nil
        disk.cutPower(at: vault.path)
        store = try vault.reopen()
        let found = try documents(of: store)
        let expected = model.applying(changes)
        if isApplied, found != expected { return "operation \(index): an acknowledged write is lost" }
        if let expected, found == expected { model.documents = expected }
        guard found == model.documents else { return "operation \(index): a mix after dying at call \(number)" }
      }
      guard try documents(of: store) == model.documents else { return "operation \(index): another state" }
    }
    return nil
  }

  private func documents(of store: some RecordStore) throws -> [StoreLocation: [UInt8]] {
    var locations: [StoreLocation] = [.header, .checkpoint] + (try store.trashed().map { .trash($0) })
    for folder in UInt8(0)..<3 { locations += try store.records(inFolder: folder).map { .record($0) } }
    var documents: [StoreLocation: [UInt8]] = [:]
    for location in locations { documents[location] = try store.read(location) }
    return documents
  }

  /// Leaves out operations as long as the sequence still fails.
  private func shrunk(_ operations: [Operation]) throws -> [Operation] {
    var (operations, index) = (operations, 0)
    while index < operations.count {
      var fewer = operations
      fewer.remove(at: index)
      if try run(fewer) != nil { operations = fewer } else { index += 1 }
    }
    return operations
  }

  @Test("a directory does what a dictionary does, with deaths and power cuts in between", arguments: [false, true])
  func directory(mayDie: Bool) throws {
    var seeds = SeededGenerator.announced(for: "directory against model, \(mayDie ? "with" : "without") deaths")
    for round in 0..<30 {
      let operations = operations(seed: seeds.next(), mayDie: mayDie)
      guard let difference = try run(operations) else { continue }
      let shortest = try shrunk(operations)
      Issue.record("round \(round): \(difference); shortest sequence: \(shortest)")
      return
    }
  }

  @Test("the memory store does what a dictionary does")
  func memory() throws {
    var seeds = SeededGenerator.announced(for: "memory store against model")
    for round in 0..<50 {
      let (store, operations) = (MemoryStore(), operations(seed: seeds.next(), mayDie: false))
      var model = Model()
      try store.apply([.put(.header, [0])])
      for case .apply(let changes) in operations {
        let expected = model.applying(changes)
        #expect(((try? store.apply(changes)) != nil) == (expected != nil), "round \(round)")
        model.documents = expected ?? model.documents
        #expect(try documents(of: store) == model.documents, "round \(round)")
      }
    }
  }
}
