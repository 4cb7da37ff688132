/// A fault found by a check.
struct Fault: Hashable, Sendable {
  enum Kind: String {
    /// An acknowledged write is not there.
    case lost
    /// Something is there in part, or does not verify, or nobody wrote it.
    case torn
    /// Clear text, or a temporary file, that must not exist.
    case leaked
  }

  let kind: Kind
  let text: String

  init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }
}

/// The possible states of a vault, by a log of requests and acknowledgements, without knowledge of files.
///
/// An operation that was begun leaves two possible states, a rotation some more. Its acknowledgement, its refusal or a
/// check of the vault decides between them.
struct Model {
  private(set) var possible: Set<KnownVaults> = [[:]]
  private var before: Set<KnownVaults> = []
  private var after: Set<KnownVaults> = []

  init(_ state: KnownVaults = [:]) { possible = [state] }

  /// An operation that was begun and whose end is not known.
  private(set) var open: Operation?

  /// Follows the log by one line.
  mutating func replay(_ event: LogEvent) -> [Fault] {
    open = nil
    switch event {
    case .begin(let operation):
      open = operation
      before = possible
      let states = possible.map { operation.states(from: $0) }
      after = Set(states.compactMap(\.last))
      possible.formUnion(states.joined())
    case .done:
      guard !after.isEmpty else { return [Fault(.torn, "an operation was acknowledged that cannot be")] }
      possible = after
    case .failed: possible = before
    case .saw(let groups): return observe(live: groups)
    }
    return []
  }

  /// Compares with the present state, which is then the only possible one.
  mutating func observe(_ state: KnownVaults) -> [Fault] {
    defer { possible = [state] }
    guard !possible.contains(state) else { return [] }
    return possible.map { Self.differences(of: state, from: $0) }.min { $0.count < $1.count } ?? []
  }

  /// Like `observe`, with live groups alone: the trash must stay unchanged.
  private mutating func observe(live: [String: Int]) -> [Fault] {
    let matching = possible.filter { state in
      state.filter { !$0.value.isTrashed && $0.key != Operation.vault }.mapValues(\.stamp) == live
    }
    if !matching.isEmpty {
      possible = matching
      return []
    }
    let found = live.mapValues { GroupState(stamp: $0) }
    let trashed = (possible.first ?? [:]).filter { $0.value.isTrashed || $0.key == Operation.vault }
    return observe(found.merging(trashed) { live, _ in live })
  }

  private static func differences(of state: KnownVaults, from expected: KnownVaults) -> [Fault] {
    Set(state.keys).union(expected.keys).sorted().compactMap { group in
      switch (expected[group], state[group]) {
      case (let expected, let found) where expected == found: nil
      case (let expected?, nil): Fault(.lost, "\(group) with stamp \(expected.stamp) is gone")
      case (nil, _): Fault(.torn, "\(group) is there, which nobody wrote or which was refused")
      case (let expected?, let found?) where found.stamp < expected.stamp:
        Fault(.lost, "\(group) has stamp \(found.stamp), not \(expected.stamp)")
      case (let expected?, let found?) where expected.isTrashed && !found.isTrashed:
        Fault(.lost, "\(group) is back from the trash")
      default: Fault(.torn, "\(group) is in a state that nobody wrote")
      }
    }
  }
}

/// The counts of a run.
struct Tally: Sendable {
  var kills = 0
  /// Of those: inside an operation; inside one that replaces all records; with a journal or staged files left behind.
  var inside = 0
  var insideReplacing = 0
  var withLeftovers = 0
  private(set) var faults: [Fault] = []

  func count(_ kind: Fault.Kind) -> Int { faults.count { $0.kind == kind } }

  mutating func add(_ found: [Fault], at place: @autoclosure () -> String) {
    faults += found.map { Fault($0.kind, "\(place()): \($0.text)") }
  }

  mutating func add(_ other: Tally) {
    kills += other.kills
    inside += other.inside
    insideReplacing += other.insideReplacing
    withLeftovers += other.withLeftovers
    faults += other.faults
  }

  /// The last line of a run.
  var line: String {
    "kills \(kills) lost \(count(.lost)) torn \(count(.torn)) leaked \(count(.leaked))"
  }

  /// Prints the first faults to stderr.
  func explain(_ limit: Int = 20) {
    for fault in faults.prefix(limit) { note("\(fault.kind.rawValue): \(fault.text)") }
    if faults.count > limit { note("… and \(faults.count - limit) more") }
  }
}
