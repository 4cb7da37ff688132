package import VaultDocument

/// What the member `requires` of the header and of a record's envelope asks of a reader (format 1, section 6.1,
/// Extensions).
package enum Requirements {
  /// The name of the member.
  package static let memberName = "requires"
  /// The extension by which records have attachments (format 1, section 15, Attachments).
  package static let attachments = Attachment.memberName
  /// The extensions that this program knows.
  private static let known: Set<String> = [attachments]
  private static let maximumCount = 16

  /// The names in an object of the format; none where it has no such member.
  ///
  /// - Returns: nil for what is not of format 1: anything but 1 to 16 names, each greater than the one before it.
  package static func names(in members: JSONObject) -> [String]? {
    guard let value = members[memberName] else { return [] }
    guard case .array(let items) = value, (1...maximumCount).contains(items.count) else { return nil }
    // They have the form of a kind's name, so they can be shown as they are.
    let names = items.compactMap(\.string).filter(RecordKindName.isValid)
    guard names.count == items.count, zip(names, names.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    return names
  }

  /// Names with another one among them, or without it, ascending.
  package static func names(_ names: [String], naming name: String, _ isNeeded: Bool) -> [String] {
    (names.filter { $0 != name } + (isNeeded ? [name] : [])).sorted(by: precedesInBytes)
  }

  /// Why what requires these names cannot be read; nil where each of them is known.
  package static func refusal(of names: [String]) -> String? {
    let unknown = names.filter { !known.contains($0) }
    return unknown.isEmpty
      ? nil : "needs what only a newer version of this program has: \(unknown.joined(separator: ", "))"
  }
}
