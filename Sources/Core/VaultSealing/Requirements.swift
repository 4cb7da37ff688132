package import VaultDocument

/// The member `requires` of the header and of a record's envelope (format 1, section 6.1, Extensions).
package enum Requirements {
  package static let memberName = "requires"
  /// The extension for attachments of records (format 1, section 15, Attachments).
  package static let attachments = Attachment.memberName
  /// The extension for keys of post-quantum recipients (format 1, section 4.2, Slots).
  package static let postQuantum = "mlkem768x25519"
  /// The extensions that this program knows.
  private static let known: Set<String> = [attachments, postQuantum]
  private static let maximumCount = 16

  /// The names in an object of the format; empty if it does not have the member.
  ///
  /// - Returns: nil if the member is not of format 1, which wants 1 to 16 ascending names.
  package static func names(in members: JSONObject) -> [String]? {
    guard let value = members[memberName] else { return [] }
    guard case .array(let items) = value, (1...maximumCount).contains(items.count) else { return nil }
    // They have the form of a kind's name, so they are safe to print.
    let names = items.compactMap(\.string).filter(RecordKindName.isValid)
    guard names.count == items.count, zip(names, names.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    return names
  }

  /// These names with or without another one, ascending.
  package static func names(_ names: [String], naming name: String, _ isNeeded: Bool) -> [String] {
    (names.filter { $0 != name } + (isNeeded ? [name] : [])).sorted(by: precedesInBytes)
  }

  /// Why an object that requires these names cannot be read; nil if all of them are known.
  package static func refusal(of names: [String]) -> String? {
    let unknown = names.filter { !known.contains($0) }
    return unknown.isEmpty
      ? nil : "needs a feature that only a newer version of this program has: \(unknown.joined(separator: ", "))"
  }
}
