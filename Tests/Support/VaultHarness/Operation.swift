internal import VaultTestSupport

/// Records that are written together: one record by itself, several as one batch.
///
/// Its name says how many there are: `w3.17x12` has the twelve records `w3.17x12#0` to `w3.17x12#11`.
enum Group {
  static func name(owner: String, number: Int, size: Int) -> String { "\(owner).\(number)x\(size)" }

  static func size(of group: String) -> Int { group.split(separator: "x").last.flatMap { Int($0) } ?? 0 }

  /// As many that a vault of `recordCount` records takes them as a replacement of all.
  static func wideSize(_ recordCount: Int, using random: inout SeededGenerator) -> Int {
    max(16, recordCount) + Int.random(in: 0..<8, using: &random)
  }

  static func tags(of group: String) -> [String] { (0..<size(of: group)).map { "\(group)#\($0)" } }

  static func owner(of group: String) -> String { String(group.prefix { $0 != "." }) }
}

/// The state of a group at one moment.
struct GroupState: Hashable, Sendable {
  /// The value in every record of the group, in a readable and in a sealed member. It only rises.
  var stamp: Int
  var isTrashed = false
  /// Of the vault itself: which rotation was begun and not finished.
  var unfinished: Operation.Action?
}

/// The groups of a vault by name; `vault` itself stands for `vault.json`, and its stamp counts the root keys it has
/// had.
typealias KnownVaults = [String: GroupState]

/// One call of the library.
struct Operation: Hashable, Sendable {
  enum Action: String {
    /// Makes the vault.
    case create
    /// `Vault.add`, of one record or of many at once.
    case add
    /// Gives every record of a group a new stamp: `Vault.edit`, or one batch of the store.
    case stamp
    /// `Vault.remove`.
    case remove
    /// `Vault.rotate`, for the one reason and for the other; it finishes one that was begun before.
    case rewrap, reseal

    var isRotation: Bool { self == .rewrap || self == .reseal }
  }

  static let vault = "vault"

  let action: Action
  let group: String
  let stamp: Int

  static let create = Operation(action: .create, group: vault, stamp: 1)

  static func rotation(_ action: Action) -> Operation { Operation(action: action, group: vault, stamp: 0) }

  /// Whether all live records are written anew and exchanged for the old ones in one step, if the file system can.
  var replacesAll: Bool { action.isRotation || action == .add && Group.size(of: group) >= 16 }

  /// The states that it makes of a state: the possible ones after it was cut off, in order, and last the final one.
  /// Empty if it is not possible there.
  func states(from state: KnownVaults) -> [KnownVaults] {
    let changes: [GroupState] =
      switch (action, state[group]) {
      case (.create, nil), (.add, nil): [GroupState(stamp: stamp)]
      case (.stamp, let old?) where !old.isTrashed: [GroupState(stamp: stamp)]
      case (.remove, let old?) where !old.isTrashed: [GroupState(stamp: old.stamp, isTrashed: true)]
      case (.rewrap, let old?), (.reseal, let old?): rotations(of: old)
      default: []
      }
    return changes.map { change in state.merging([group: change]) { $1 } }
  }

  /// A reseal continues after it has finished a rewrap, because people who left may have the root key of the rewrap.
  private func rotations(of vault: GroupState) -> [GroupState] {
    let finished = vault.unfinished == nil ? [] : [GroupState(stamp: vault.stamp)]
    guard vault.unfinished == nil || (vault.unfinished == .rewrap && action == .reseal) else { return finished }
    let next = vault.stamp + 1
    let reseal = action == .reseal ? [GroupState(stamp: next, unfinished: .reseal)] : []
    // A reseal is a rewrap until the checkpoint lists what the old root still counts for.
    return finished + [GroupState(stamp: next, unfinished: .rewrap)] + reseal + [GroupState(stamp: next)]
  }
}

/// A line of a writer's log.
enum LogEvent: Hashable, Sendable {
  /// An operation is about to be asked for.
  case begin(Operation)
  /// The last one returned: it is acknowledged.
  case done
  /// The last one threw: nothing may have changed. With the error's code.
  case failed(String)
  /// The live groups that the writer found when it started, with their stamps.
  case saw([String: Int])

  var line: String {
    switch self {
    case .begin(let operation): "begin \(operation.action.rawValue) \(operation.group) \(operation.stamp)"
    case .done: "done"
    case .failed(let code): "failed \(code)"
    case .saw(let groups):
      (["saw"] + groups.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
    }
  }

  init?(_ line: Substring) {
    let words = line.split(separator: " ")
    switch (words.first, words.count) {
    case ("begin", 4):
      guard let action = Operation.Action(rawValue: String(words[1])), let stamp = Int(words[3]) else { return nil }
      self = .begin(Operation(action: action, group: String(words[2]), stamp: stamp))
    case ("done", 1): self = .done
    case ("failed", 2): self = .failed(String(words[1]))
    case ("saw", _):
      var groups: [String: Int] = [:]
      for word in words.dropFirst() {
        let parts = word.split(separator: "=")
        guard parts.count == 2, let stamp = Int(parts[1]) else { return nil }
        groups[String(parts[0])] = stamp
      }
      self = .saw(groups)
    default: return nil
    }
  }

  /// The events of a log. Text after the last newline was being written when the writer died, and is ignored.
  static func parse(_ log: [UInt8]) throws -> [LogEvent] {
    let text = String(decoding: log, as: UTF8.self)
    return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
      guard let event = LogEvent(line) else { throw HarnessError("a log has a line that is none: \(line)") }
      return event
    }
  }
}
