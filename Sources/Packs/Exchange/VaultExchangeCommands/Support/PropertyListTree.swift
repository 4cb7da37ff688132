import VaultDocument
import VaultSealing
import VaultTerminal

/// A record's members in the form of a property list, which has no null, no number beyond 64 bits, and in XML no
/// control characters.
struct PropertyListTree {
  let record: RecordID
  let isXML: Bool

  /// The tree without its null members.
  func tree(_ value: JSONValue, at path: MemberPath = .root) throws -> JSONValue {
    switch value {
    case .object(let members):
      var result = JSONObject()
      for (name, member) in members where !member.isNull {
        guard isWritable(name) else { throw refused(path, "has a member whose name is not possible in XML") }
        result[name] = try tree(member, at: path.appending(name))
      }
      return .object(result)
    case .array(let items):
      return .array(try items.enumerated().map { try tree($1, at: path.appending($0)) })
    case .null: throw refused(path, "the array contains null, which a property list cannot hold")
    case .number(let number) where !number.isMachineNumber:
      throw refused(path, "the number is not possible in a property list")
    case .string(let text) where !isWritable(text):
      throw refused(path, "the value has a control character, which XML cannot hold")
    default: return value
    }
  }

  /// XML 1.0 has no other control characters. A carriage return is allowed, but readers turn it into a line feed.
  private func isWritable(_ text: String) -> Bool {
    !isXML
      || text.unicodeScalars.allSatisfy { scalar in
        scalar.value >= 0x20 ? scalar != "\u{FFFE}" && scalar != "\u{FFFF}" : scalar == "\t" || scalar == "\n"
      }
  }

  private func refused(_ path: MemberPath, _ reason: String) -> CommandError {
    var error = CommandError.notExported(record.text, path: path.description, reason: reason)
    error.hints = [isXML ? "use --format plist-binary or --format json" : "use --format json"]
    return error
  }
}

extension CommandError {
  /// The error for a record that the format cannot hold. Nothing is exported then.
  static func notExported(_ record: String?, path: String?, reason: String) -> CommandError {
    let subject = [record, path].compactMap { $0 }.joined(separator: ": ")
    var error = CommandError(.inputRefused, "input_refused", subject: subject, reason)
    error.record = record
    error.field = path
    return error
  }
}

extension DocumentForm {
  var isXML: Bool { self == .propertyList }
}
