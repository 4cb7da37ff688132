internal import VaultDocument
public import VaultStorage

/// The contract of `RecordStore` as code: a list of rules, each of which a store keeps or breaks.
///
/// No rule asks for the optional parts of the contract: a store without `RecordStore.replacement(under:)` keeps the
/// rules of replacements.
public struct StoreConformance: Sendable, CustomStringConvertible {
  /// The text of the rule.
  public let rule: String
  private let test: @Sendable (any RecordStore) throws -> Void

  public var description: String { rule }

  init(rule: String, test: @escaping @Sendable (any RecordStore) throws -> Void) {
    (self.rule, self.test) = (rule, test)
  }

  /// A rule that a store broke.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The text of the rule.
    public let rule: String
    /// The observation.
    public let finding: String

    public var description: String { "\(rule): \(finding)" }
  }

  /// Every rule, as arguments of a parameterised test.
  public static let all: [StoreConformance] =
    documents + comparisons + streams + attachments + batches + batchesInPieces + replacements + headers + locks

  /// Checks one store against this rule.
  ///
  /// - Parameter store: an empty store for this check alone.
  /// - Throws: ``Violation``, also if the store throws an unexpected error.
  public func check(_ store: any RecordStore) throws(Violation) {
    do {
      try test(store)
    } catch is CancellationError {
      // The store lacks what the rule is about, and may.
    } catch let finding as TextFault {
      throw Violation(rule: rule, finding: finding.reason)
    } catch {
      throw Violation(rule: rule, finding: "threw \(error)")
    }
  }

  /// Checks a kind of store against every rule.
  ///
  /// - Parameter makeStore: makes an empty store, once for each rule.
  /// - Returns: the broken rules; empty for a correct store.
  /// - Throws: errors of `makeStore`.
  public static func violations<Failure: Error>(
    by makeStore: () throws(Failure) -> any RecordStore
  ) throws(Failure) -> [Violation] {
    var violations: [Violation] = []
    for conformance in all {
      let store = try makeStore()
      do throws(Violation) { try conformance.check(store) } catch { violations.append(error) }
    }
    return violations
  }
}

/// Fails the case unless `condition` holds.
func require(_ condition: Bool, _ what: String, line: Int = #line) throws {
  guard condition else { throw TextFault("\(what) (line \(line))") }
}

func require(
  _ code: StoreError.Code, at path: String? = nil, line: Int = #line, _ body: () throws(StoreError) -> Void
) throws {
  do throws(StoreError) {
    try body()
  } catch {
    try require(error.code == code, "expected \(code), got \(error)", line: line)
    if let path { try require(error.path == path, "expected the place \(path), got \(error)", line: line) }
    return
  }
  throw TextFault("expected \(code), nothing was thrown (line \(line))")
}

extension StoreConformance {
  private static let documents: [StoreConformance] = [
    StoreConformance(rule: "an empty store has no documents") { store in
      for location in everyLocation() { try require(store.read(location) == nil, "\(location)") }
      for folder in UInt8.min ... .max { try require(store.records(inFolder: folder).isEmpty, "folder \(folder)") }
      try require(store.trashed().isEmpty && store.slots().isEmpty && store.strayEntries().isEmpty, "lists")
    },
    StoreConformance(rule: "a stored document is read back byte for byte, at every kind of place") { store in
      for (index, location) in everyLocation().enumerated() {
        let bytes = Array(repeating: UInt8(index), count: index * 10_000)
        try store.apply([.put(location, bytes)])
        try require(store.read(location) == bytes, "\(location)")
      }
    },
    StoreConformance(rule: "a place can be replaced and removed, and the others stay") { store in
      let (first, second) = (RecordID.random(), RecordID.random())
      try store.apply([.put(.record(first), [1])])
      try store.apply([.put(.record(second), [2])])
      try store.apply([StoreChange(.record(first), from: [1], to: [3, 3])])
      try require(store.read(.record(first)) == [3, 3], "replaced")
      try store.apply([StoreChange(.record(first), from: [3, 3], to: nil)])
      try require(store.read(.record(first)) == nil, "removed")
      try require(store.records(inFolder: first.folder).contains(first) == false, "listed though removed")
      try require(store.read(.record(second)) == [2], "the other one")
    },
    StoreConformance(rule: "lists are ascending and have exactly the existing items") { store in
      let ids = (0..<20).map { number in RecordID(bytes: [7] + (1..<16).map { UInt8(($0 * 37 + number * 91) % 256) }) }
      for id in ids { try store.apply([.put(.record(id), [1])]) }
      try store.apply([.put(.record(RecordID(bytes: [8] + Array(repeating: 1, count: 15))), [1])])
      for id in ids.prefix(5) { try store.apply([.put(.trash(id), [2])]) }
      for id in ids.prefix(3) { try store.apply([.put(.slot(id), [3])]) }
      try require(store.records(inFolder: 7) == ids.sorted(), "records")
      try require(store.trashed() == ids.prefix(5).sorted(), "trash")
      try require(store.slots() == ids.prefix(3).sorted(), "slots")
    },
    StoreConformance(rule: "a folder is read in the order of its list, and reading stops on request") { store in
      let ids = (0..<10).map { RecordID(bytes: [9, UInt8(255 - $0)] + Array(repeating: 0, count: 14)) }
      for id in ids { try store.apply([.put(.record(id), id.bytes)]) }
      var seen: [RecordID] = []
      try store.readRecords(inFolder: 9) { id, result in
        if (try? result.get()) == id.bytes { seen.append(id) }
        return true
      }
      try require(seen == ids.sorted(), "all of them, ascending")
      var count = 0
      try store.readRecords(inFolder: 9) { _, _ in
        count += 1
        return count < 4
      }
      try require(count == 4, "stopped after 4, not \(count)")
    },
    StoreConformance(rule: "a document over its limit is refused") { store in
      let tooLarge = [UInt8](repeating: 0, count: StoreLocation.header.byteLimit + 1)
      try require(.tooLarge, at: "vault.json") { () throws(StoreError) in try store.apply([.put(.header, tooLarge)]) }
      try require(store.read(.header) == nil, "nothing was written")
      try store.apply([.put(.header, tooLarge.dropLast())])
    },
  ]

  static func everyLocation() -> [StoreLocation] {
    let id = RecordID.random()
    return [.header, .checkpoint, .slot(id), .record(id), .trash(id)]
  }
}

extension StoreConformance {
  private static let comparisons: [StoreConformance] = [
    StoreConformance(rule: "a change that expects other bytes changes nothing and names the place") { store in
      for location in everyLocation() {
        let path = location.relativePath
        try require(.changedUnderneath, at: path) { () throws(StoreError) in
          try store.apply([StoreChange(location, from: [1], to: [2])])
        }
        try store.apply([.put(location, [1])])
        try require(.changedUnderneath, at: path) { () throws(StoreError) in try store.apply([.put(location, [1])]) }
        try require(.changedUnderneath, at: path) { () throws(StoreError) in
          try store.apply([StoreChange(location, from: [1, 0], to: nil)])
        }
        try require(store.read(location) == [1], "unchanged")
      }
    },
    StoreConformance(rule: "an empty document is not a missing document") { store in
      let location = StoreLocation.record(.random())
      try store.apply([.put(location, [])])
      try require(store.read(location) == [], "empty")
      try require(.changedUnderneath) { () throws(StoreError) in try store.apply([.put(location, [1])]) }
      try store.apply([StoreChange(location, from: [], to: [1])])
    },
    StoreConformance(rule: "a guard compares and writes nothing") { store in
      let (guarded, record) = (StoreLocation.header, StoreLocation.record(.random()))
      try store.apply([.put(guarded, [1])])
      try store.apply([StoreChange(guarded, from: [1], to: [1])])
      try store.apply([StoreChange(guarded, from: [1], to: [1]), .put(record, [2])])
      try require(.changedUnderneath, at: "vault.json") { () throws(StoreError) in
        try store.apply([StoreChange(guarded, from: [9], to: [9]), StoreChange(record, from: [2], to: [3])])
      }
      try require(store.read(record) == [2], "nothing was written")
      try require(.changedUnderneath) { () throws(StoreError) in
        try store.apply([StoreChange(record, from: nil, to: nil)])
      }
    },
    StoreConformance(rule: "an empty list of changes is no error") { store in try store.apply([]) },
  ]
}
