internal import VaultDocument
internal import VaultFileStore
public import VaultStorage

/// One `apply` with the state before it, for tests that let it go wrong at every step.
public struct StoreScenario: Sendable, CustomStringConvertible {
  public let description: String
  /// The documents that are there first.
  public let before: [StoreLocation: [UInt8]]
  public let changes: [StoreChange]
  /// How many changes are handed over at a time; nil: all in one `apply`.
  private let pieceSize: Int?
  /// Whether all live records are replaced at once, where the store can do that.
  public let isReplacement: Bool

  /// The documents that are there when the changes were made.
  public var after: [StoreLocation: [UInt8]] {
    var documents = before
    for change in changes { documents[change.location] = change.replacement }
    return documents
  }

  /// Whether a store holds the expected documents; it may also have slot files to which the header does not refer.
  public func isState(_ documents: [StoreLocation: [UInt8]], _ expected: [StoreLocation: [UInt8]]) -> Bool {
    let known = before.merging(after) { first, _ in first }
    return documents.filter { location, bytes in
      guard case .slot = location, expected[location] == nil else { return true }
      return known[location] != bytes
    } == expected
  }

  private init(
    _ description: String, _ before: [StoreLocation: [UInt8]], _ changes: [StoreChange], pieceSize: Int? = nil,
    isReplacement: Bool = false
  ) {
    (self.pieceSize, self.isReplacement) = (pieceSize, isReplacement)
    self.description = description
    self.before = before.merging([.header: [0]]) { header, _ in header }
    self.changes = changes
  }

  private static let ids = (0..<30).map { number in
    Identifier(bytes: [UInt8(number % 5)] + Array(repeating: UInt8(number), count: 15))
  }

  /// Every way to change a store.
  public static let all: [StoreScenario] = [
    StoreScenario("put a record in a new folder", [:], [.put(.record(ids[0]), [1, 2, 3])]),
    StoreScenario("put a record in a folder", [.record(ids[5]): [5]], [.put(.record(ids[0]), [1, 2, 3])]),
    StoreScenario("replace a record", [.record(ids[0]): [1]], [StoreChange(.record(ids[0]), from: [1], to: [2, 2])]),
    StoreScenario("remove a record", [.record(ids[0]): [1]], [StoreChange(.record(ids[0]), from: [1], to: nil)]),
    StoreScenario("replace the header", [.header: [1]], [StoreChange(.header, from: [1], to: [2])]),
    StoreScenario("put a checkpoint", [:], [.put(.checkpoint, [7])]),
    StoreScenario(
      "exchange a slot with the header", [.header: [1], .slot(ids[1]): [10], .slot(ids[2]): [12]],
      [
        StoreChange(.header, from: [1], to: [2]), .put(.slot(ids[3]), [13]),
        StoreChange(.slot(ids[1]), from: [10], to: nil),
      ]),
    StoreScenario(
      "a batch in pieces", [.record(ids[0]): [1], .record(ids[6]): [1]],
      [StoreChange(.record(ids[0]), from: [1], to: [2]), StoreChange(.record(ids[6]), from: [1], to: nil)]
        + ids[7..<17].map { .put(.record($0), [3]) }, pieceSize: 5),
    StoreScenario(
      "move a record to the trash", [.record(ids[0]): [1], .record(ids[5]): [5]],
      [StoreChange(.record(ids[0]), from: [1], to: nil), .put(.trash(ids[0]), [2])]),
    StoreScenario(
      "a batch of many", Dictionary(uniqueKeysWithValues: ids[0..<6].map { (.record($0), [1]) }),
      ids[0..<3].map { StoreChange(.record($0), from: [1], to: [2]) }
        + ids[3..<6].map { StoreChange(.record($0), from: [1], to: nil) }
        + ids[6..<12].map { .put(.record($0), [3]) }),
    StoreScenario(
      "replace all records",
      Dictionary(uniqueKeysWithValues: ids[0..<6].map { (.record($0), [1]) }).merging([.trash(ids[7]): [9]]) { $1 },
      [StoreChange(.record(ids[0]), from: [1], to: [2, 2]), StoreChange(.record(ids[1]), from: [1], to: nil)]
        + [6, 8].map { .put(.record(ids[$0]), [3]) }, isReplacement: true),
    StoreScenario(
      "fill an empty vault", [:], ids[0..<6].map { .put(.record($0), [1]) }, isReplacement: true),
  ]
}

extension StoreScenario {
  /// Makes the vault of this scenario in a new folder of `parent`, and returns its path.
  ///
  /// Nothing of it is synced: the disk of a test loses only what the test lets it lose.
  package func makeVault(in parent: TemporaryFolder) throws -> String {
    let path = parent.path + "/\(UInt64.random(in: .min ... .max))"
    let operations = FaultyFileOperations(recorder: SimulatedDisk())
    let store = try DirectoryStore.create(at: path, operations: operations)
    for (location, bytes) in before.sorted(by: { $0.key.relativePath < $1.key.relativePath }) {
      try store.apply([.put(location, bytes)])
    }
    return path
  }

  /// Makes the changes.
  public func apply(to store: some RecordStore) throws(StoreError) {
    guard !isReplacement else {
      return try store.withLock(.exclusive) { lock throws(StoreError) in try replace(in: store, under: lock) }
    }
    guard let pieceSize else { return try store.apply(changes) }
    try store.withLock(.exclusive) { lock throws(StoreError) in
      let batch = try store.batch(expecting: changes.count, under: lock)
      defer { batch.abandon() }
      for start in stride(from: 0, to: changes.count, by: pieceSize) {
        try batch.stage(Array(changes[start..<min(start + pieceSize, changes.count)]))
      }
      try batch.commit()
    }
  }

  private func replace(in store: some RecordStore, under lock: any StoreLock) throws(StoreError) {
    guard let replacement = try store.replacement(under: lock) else { return try store.apply(changes, under: lock) }
    defer { replacement.end() }
    for folder in UInt8(0)..<6 {
      var failure: StoreError?
      try replacement.read(store.records(inFolder: folder), inFolder: folder) { _, bytes in
        if case .failure(let error) = bytes { failure = error }
        return failure == nil
      }
      if let failure { throw failure }
    }
    let records = after.compactMap { place, bytes -> (id: RecordID, bytes: [UInt8])? in
      guard case .record(let id) = place else { return nil }
      return (id, bytes)
    }
    try replacement.stage(records.sorted { $0.id < $1.id })
    try replacement.commit()
    for folder in UInt8(0)..<3 { replacement.clear(folder: folder) }
  }

  /// Every document of a store that this scenario knows, and any other that a list of its folders shows.
  public func documents(of store: some RecordStore) throws -> [StoreLocation: [UInt8]] {
    var locations = Set(before.keys).union(after.keys).union([.header, .checkpoint])
    for folder in UInt8(0)..<6 { locations.formUnion(try store.records(inFolder: folder).map { .record($0) }) }
    locations.formUnion(try store.trashed().map { .trash($0) })
    locations.formUnion(try store.slots().map { .slot($0) })
    var documents: [StoreLocation: [UInt8]] = [:]
    for location in locations { documents[location] = try store.read(location) }
    return documents
  }
}
