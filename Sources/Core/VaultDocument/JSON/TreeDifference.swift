/// One value that differs between two trees and is not an object or array on both sides.
package struct TreeDifference: Sendable, Equatable {
  package let path: MemberPath
  /// Nil if there was no value.
  package let before: JSONValue?
  /// Nil if there is no value any more.
  package let after: JSONValue?

  package init(path: MemberPath, before: JSONValue?, after: JSONValue?) {
    (self.path, self.before, self.after) = (path, before, after)
  }
}

extension TreeDifference {
  /// The difference split into single values if a side is an object or array.
  package var leaves: [TreeDifference] {
    let (left, right) = (before?.leaves(at: path) ?? [], after?.leaves(at: path) ?? [])
    if left.count == 1, right.count == 1, left[0].0 == right[0].0 { return [self] }
    return left.map { TreeDifference(path: $0, before: $1, after: nil) }
      + right.map { TreeDifference(path: $0, before: nil, after: $1) }
  }
}

extension JSONValue {
  /// The values in which this tree differs from an older one, members in the order of their names' bytes.
  ///
  /// If a list became longer or shorter, its common beginning and end have not changed. Removed items have their old
  /// path, added items their new path.
  package func differences(from old: JSONValue) -> [TreeDifference] {
    var found: [TreeDifference] = []
    Self.compare(old, new: self, at: .root, found: &found)
    return found
  }

  private static func compare(
    _ old: JSONValue?, new: JSONValue?, at path: MemberPath, found: inout [TreeDifference]
  ) {
    guard old != new else { return }
    switch (old, new) {
    case (.object(let left)?, .object(let right)?):
      // By bytes: two spellings of one text are two names.
      var last: String?
      for name in (left.names + right.names).sorted(by: precedesInBytes) {
        if let last, sameBytes(last, name) { continue }
        last = name
        compare(left[name], new: right[name], at: path.appending(name), found: &found)
      }
    case (.array(let left)?, .array(let right)?):
      let (start, end) = common(left, right)
      for index in start..<max(left.count, right.count) - end {
        let (one, other) = (index < left.count - end, index < right.count - end)
        compare(one ? left[index] : nil, new: other ? right[index] : nil, at: path.appending(index), found: &found)
      }
    default: found.append(TreeDifference(path: path, before: old, after: new))
    }
  }

  /// How many items two lists of different length share at their beginnings and at their ends.
  private static func common(_ left: [JSONValue], _ right: [JSONValue]) -> (start: Int, end: Int) {
    guard left.count != right.count else { return (0, 0) }
    let start = zip(left, right).prefix { $0 == $1 }.count
    let end = zip(left.dropFirst(start).reversed(), right.dropFirst(start).reversed()).prefix { $0 == $1 }.count
    return (start, end)
  }
}
