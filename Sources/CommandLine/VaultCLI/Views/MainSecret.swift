import VaultCrypto
package import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTerminal

extension OpenRecord {
  /// The sealed value that is meant by default: the only password, token, key or PIN, or the only other one.
  package func mainSecret() throws -> MemberPath {
    let sealed = presentSecrets
    let chosen = sealed.filter { ![.otp, .text].contains($0.sort) }
    let candidates = chosen.isEmpty ? sealed.filter { $0.sort == .text } : chosen
    return try only(of: candidates.map(\.path), whatElse: "has no sealed value that can be chosen")
  }

  package func oneTimeKeyPath() throws -> MemberPath {
    try only(
      of: presentSecrets.filter { $0.sort == .otp }.map(\.path), whatElse: "has no key for one-time codes",
      hint: hintForOneTimeKey)
  }

  private var hintForOneTimeKey: String {
    let field = kind?.fields.first { $0.isSealed && $0.suffix.isEmpty && $0.value.secretSort == .otp }
    guard let field else {
      return "records of the kind \(envelope.kind) have no field for it; a login has the field totp"
    }
    return "`vault set \(shownName.shellQuoted) --secret \(field.path)` adds one"
  }

  /// The name, or the id of a record without a name.
  package var shownName: String { name.isEmpty ? id.text : name }

  /// Lends the bytes of a text value. A sealed value is in locked memory.
  package func withValue<Result>(at path: MemberPath, _ body: (RawSpan) throws -> Result) throws -> Result {
    if let bytes = try bytes(at: path) {
      guard bytes.string != nil else {
        throw CommandError.usage(
          "\(path)", "has bytes that are not text", "`vault get RECORD FIELD -o FILE` writes them")
      }
      return try bytes.withBytes(body)
    }
    if let result = try withSecret(at: path, body) { return result }
    let bytes = Array(try revealed(at: path).plainText().utf8)
    return try unsafe body(bytes.span.bytes)
  }

  private var presentSecrets: [(path: MemberPath, sort: SecretSort)] {
    let tree = JSONValue.object(fields)
    return (kind?.fields ?? []).compactMap { field in
      guard field.isSealed, field.suffix.isEmpty, case .string? = try? tree.value(at: field.path) else { return nil }
      return (field.path, field.value.secretSort)
    }
  }

  /// The only path. For no path the error has `reason`; for several it lists them.
  private func only(of paths: [MemberPath], whatElse reason: String, hint: String? = nil) throws -> MemberPath {
    if paths.count == 1 { return paths[0] }
    guard paths.isEmpty else {
      throw CommandError.usage(
        "path", "must be given, because the record has several: \(paths.map(\.description).joined(separator: ", "))")
    }
    var error = CommandError(.notFound, "no_such_member", subject: shownName, reason)
    error.record = id.text
    error.hints = hint.map { [$0] } ?? ["name the field; `vault show RECORD` shows the fields"]
    throw error
  }
}
