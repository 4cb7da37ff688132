internal import VaultDocument

/// How to read a field that is an object: one member is its name, one its value, and others describe it.
struct FieldReading {
  /// The name of the value as a custom field.
  let name: String
  let rule: LeafRule
  /// The paths of the members that make the name or the type.
  let understood: Set<String>

  /// Takes all leaves of the object; `isValue` tells which paths are values.
  ///
  /// The other leaves say how the tool shows the field, and are not taken.
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
  /// The outcome for a leaf that only says how the tool shows an entry.
  static let appearance = LedgerLine.Outcome.leftOut("display settings are not imported")

  static func refused(_ reason: StaticString) -> LeafRule {
    LeafRule { builder, _, place in builder.note(place, .refused("\(reason)")) }
  }

  /// A leaf that the tool shows or computes. The user did not enter it.
  static let shown = LeafRule { builder, _, place in builder.note(place, appearance) }

  /// A word that becomes a tag, except the usual word, which says nothing.
  static func state(_ tags: [String: String], usual: String) -> LeafRule {
    LeafRule { builder, text, place in
      guard text != usual else { return builder.note(place, .mapped(to: "tags")) }
      builder.put(tags[text] ?? text, .list("tags"), from: place, converted: tags[text] != nil)
    }
  }
}

extension JSONObject {
  /// Lines for all members except those that are read as entries.
  func lines(
    at path: MemberPath, without entries: Set<String>, _ outcome: (String) -> LedgerLine.Outcome
  ) -> [LedgerLine] {
    filter { !entries.contains($0.name) || $0.value.isLeaf }.flatMap { member in
      member.value.lines(at: path.appending(member.name), outcome(member.name))
    }
  }
}

extension LedgerLine.Outcome {
  /// The outcome for a leaf that the format does not define.
  static let unknown = LedgerLine.Outcome.refused("the format does not say what this value is")
  /// The outcome for a leaf that describes a vault, an account or a database rather than an entry.
  static let container = LedgerLine.Outcome.leftOut("settings of accounts and vaults are not imported")
}
