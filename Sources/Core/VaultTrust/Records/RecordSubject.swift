package import VaultDocument
package import VaultRecords
internal import VaultSealing

/// The account or purpose of a record, which a list shows beside the name.
package enum RecordSubject {
  /// The members that tell it, the best first; the first readable one of a record is used.
  private static let paths: [[String]] =
    ["username", "user", "login", "email", "account"].map { [$0] } + [["contact_info", "email"]]
    + ["host", "hostname", "url", "urls", "website", "issuer", "holder", "service"].map { [$0] }
    + [["contact_info", "website"]]
  private static let maximumByteCount = 512

  /// Empty if no member tells it.
  package static func of(_ fields: JSONObject, _ kind: RecordKind?) -> String {
    for path in paths {
      guard let text = text(fields, path[...]), !text.isEmpty, text.utf8.count <= maximumByteCount,
        !SealedToken.hasTokenShape(text)
      else { continue }
      let member = MemberPath(path.map { .member($0) })
      // Clear text in place of a secret is never shown.
      guard kind?.value(at: member)?.isSealed != true, kind?.value(at: member.appending(0))?.isSealed != true,
        kind?.titlePaths.contains(member) != true
      else { continue }
      return WebAddress(parsing: text)?.host ?? text
    }
    return ""
  }

  private static func text(_ fields: JSONObject, _ path: ArraySlice<String>) -> String? {
    guard let name = path.first, let value = fields[name] else { return nil }
    switch value {
    case .string(let text): return path.count == 1 ? text : nil
    case .array(let items):
      guard path.count == 1, case .string(let text)? = items.first else { return nil }
      return text
    case .object(let members): return text(members, path.dropFirst())
    default: return nil
    }
  }
}
