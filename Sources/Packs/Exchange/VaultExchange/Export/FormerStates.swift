internal import VaultDocument

extension ExportedRecord {
  /// The states of the record in which former values were present, the oldest first, each with the time at which one of
  /// these values was sealed. Readable members have their present values, because the vault does not keep others.
  ///
  /// A value whose place is not in the record any more, such as an item of a shorter list, is in no state.
  var formerStates: [(time: Timestamp, record: ExportedRecord)] {
    var states: [(time: Timestamp, record: ExportedRecord)] = []
    var current: [MemberPath: ExportedFormerValue] = [:]
    var changed: Set<MemberPath> = []
    func end(at time: Timestamp?) {
      if let time { states.append((time, state(at: time, with: current))) }
      changed = []
    }
    var last: Timestamp?
    for value in orderedFormer {
      // Two values of one member are never in one state.
      if last != value.sealedAt || changed.contains(value.path) { end(at: last) }
      last = value.sealedAt
      current[value.path] = value
      changed.insert(value.path)
    }
    end(at: last)
    return states
  }

  /// Whether a former value is in a state of the record: its place is there, and the value is not a file.
  func isPlaced(_ value: ExportedFormerValue) -> Bool {
    var tree = JSONValue.object(members)
    return !isBytes(value.path) && (try? tree.set(value.value, at: value.path)) != nil
  }

  /// The texts in all states that are not in the record.
  var formerLeaves: [(path: MemberPath, value: JSONValue)] {
    former.filter(isPlaced).flatMap { former in
      former.value.leaves().map { (MemberPath(former.path.components + $0.0.components), $0.1) }
    }
  }

  /// Former values, the oldest first. Values with the same sealing time are in the order in which they were replaced.
  private var orderedFormer: [ExportedFormerValue] {
    former.filter(isPlaced).reversed().enumerated().sorted { ($0.1.sealedAt, $0.0) < ($1.1.sealedAt, $1.0) }.map(\.1)
  }

  private func state(at time: Timestamp, with current: [MemberPath: ExportedFormerValue]) -> ExportedRecord {
    var tree = JSONValue.object(members)
    for path in Set(former.map(\.path)) {
      guard let value = current[path] else {
        // The other items of a list keep their places.
        if case .member? = path.components.last { try? tree.remove(at: path) }
        continue
      }
      let newest = former.first { $0.path == path }
      if let replaced = newest?.replacedAt, newest?.sealedAt == value.sealedAt, value.sealedAt < replaced,
        replaced <= time
      {
        continue
      }
      try? tree.set(value.value, at: path)
    }
    var state = self
    state.members = tree.object ?? members
    state.former = []
    state.attachments = []
    return state
  }
}
