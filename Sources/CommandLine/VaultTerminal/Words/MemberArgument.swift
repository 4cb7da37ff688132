package import VaultDocument
import VaultKit
package import VaultRecords

extension MemberPath {
  /// A path of the command line. A path with a value is refused without showing the value, which may be a secret.
  package static func argument(_ text: String, of option: String) throws -> MemberPath {
    guard equalsSign(in: text) == nil else {
      throw CommandError.usage(
        option, "\(verb(of: option)) a field alone, without =VALUE",
        "`vault set RECORD FIELD=VALUE` sets a readable field")
    }
    guard let path = try? MemberPath(parsing: text), !path.components.isEmpty else {
      throw CommandError.path(text, option: option)
    }
    return path
  }

  /// The words between an option, or the name of an argument, and what it stands for.
  fileprivate static func verb(of option: String) -> String { option.hasPrefix("-") ? "takes" : "must be" }

  /// The two parts of `FIELD=VALUE`.
  package static func assignment(
    _ text: String, of option: String, form: String = "FIELD=VALUE"
  ) throws -> (path: MemberPath, value: String) {
    guard let sign = equalsSign(in: text) else { throw CommandError.usage(option, "takes \(form)") }
    return (try argument(String(text[..<sign]), of: option), String(text[text.index(after: sign)...]))
  }

  /// The path of a `FIELD=VALUE` word; nil for any other word.
  package static func ofAssignment(_ word: String) -> MemberPath? {
    equalsSign(in: word).flatMap { try? MemberPath(parsing: String(word[..<$0])) }
  }

  /// The first `=` outside quotes, which ends the path.
  private static func equalsSign(in text: String) -> String.Index? {
    var (isQuoted, isEscaped) = (false, false)
    return text.indices.first { index in
      let character = text[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else {
        return character == "=" && !isQuoted
      }
      return false
    }
  }
}

extension CommandError {
  static func path(_ text: String, option: String) -> CommandError {
    .usage(
      option, "\(MemberPath.verb(of: option)) a field, such as contact_info.email or tags[0]",
      "`vault show RECORD` shows the paths")
  }
}

extension MemberPath {
  /// Whether a kind seals the member; nil if no kind has it.
  package func isSealedInAnyKind(or kind: RecordKind? = nil) -> Bool? {
    let kinds = [kind].compactMap { $0 } + KindCatalog.builtIn.names.compactMap { KindCatalog.builtIn[$0] }
    guard !components.isEmpty else { return nil }
    let values = kinds.compactMap { $0.value(at: self) }
    return values.isEmpty ? nil : values.contains(where: \.isSealed)
  }
}

extension Printable {
  /// A word of the command line that is not secret, in printable form.
  package static func argument(_ word: String) -> String {
    let word = text(withoutSecret(word))
    return word.count > 60 ? word.prefix(60) + "…" : word
  }

  /// A word where a name was expected. In `FIELD=VALUE` of a sealed field, the value is left out.
  package static func withoutSecret(_ word: String) -> String {
    guard let member = MemberPath.ofAssignment(word), member.isSealedInAnyKind() == true else { return word }
    return "\(member)=…"
  }
}
