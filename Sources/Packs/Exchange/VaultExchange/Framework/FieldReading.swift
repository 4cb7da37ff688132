internal import VaultDocument

/// How a field is read that is an object: one member has its name, one its value, others say what it is.
struct FieldReading {
  /// What the value is called, should it become a custom field.
  let name: String
  /// What to do with the value.
  let rule: LeafRule
  /// The paths of the members that make its name or its type.
  let understood: Set<String>

  /// Takes all leaves of the object; `isValue` says which paths are values.
  ///
  /// What is neither says how the other tool shows the field, and is not taken.
  func take(
    _ object: JSONValue, at place: SourcePlace, into builder: inout RecordBuilder, isValue: (String) -> Bool
  ) {
    let leaves = object.leafPaths(at: .root).map { ($0.path.description, $0.value.leafText, place.below($0.path)) }
    let hasValue = leaves.contains { isValue($0.0) && !$0.1.isEmpty }
    for (path, text, place) in leaves {
      if isValue(path) {
        builder.take(text, from: place, by: rule)
      } else if !hasValue || text.isEmpty {
        builder.note(place, .empty)
      } else {
        builder.note(place, understood.contains(path) ? .mapped(to: "secrets") : LeafRule.appearance)
      }
    }
  }
}

extension LeafRule {
  /// Why what a tool shows or computes is not taken.
  static let appearance = LedgerLine.Outcome.leftOut("how the other tool shows it is not kept")

  /// Not taken, for this reason.
  static func refused(_ reason: StaticString) -> LeafRule {
    LeafRule { builder, _, place in builder.note(place, .refused("\(reason)")) }
  }

  /// How the tool shows an entry, or what it has worked out of it: nothing that the person has entered.
  static let shown = LeafRule { builder, _, place in builder.note(place, appearance) }

  /// A word that is a tag but for the usual one, which says nothing.
  static func state(_ tags: [String: String], usual: String) -> LeafRule {
    LeafRule { builder, text, place in
      guard text != usual else { return builder.note(place, .mapped(to: "tags")) }
      builder.put(tags[text] ?? text, .list("tags"), from: place, converted: tags[text] != nil)
    }
  }
}

extension JSONObject {
  /// Lines for all its members but those that are read as entries.
  func lines(
    at path: MemberPath, without entries: Set<String>, _ outcome: (String) -> LedgerLine.Outcome
  ) -> [LedgerLine] {
    filter { !entries.contains($0.name) || $0.value.isLeaf }.flatMap { member in
      member.value.lines(at: path.appending(member.name), outcome(member.name))
    }
  }
}

extension LedgerLine.Outcome {
  /// What no reader of the format knows.
  static let unknown = LedgerLine.Outcome.refused("the format does not say what this is")
  /// What a vault, an account or a database says of itself rather than of an entry.
  static let container = LedgerLine.Outcome.leftOut("what a vault says of itself has no place")
}
