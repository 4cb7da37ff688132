package import VaultDocument
import VaultKit
package import VaultRecords
import VaultTerminal

extension KindCatalog {
  /// The kind that an argument names.
  package func argument(_ name: String) throws -> RecordKind {
    do throws(RecordError) {
      return try kind(named: name)
    } catch {
      guard error.code != .unknownKind else {
        throw CommandError(.inputRefused, "unknown_kind", subject: Printable.withoutSecret(name), error.reason)
          .suggesting(name, among: names)
          .hinting("known kinds: \(names.joined(separator: ", "))", "`vault kinds show KIND` shows the fields of one")
      }
      throw CommandError(
        .inputRefused, "invalid_schema", subject: "vault.json: kinds.\(name).\(error.path ?? "")", error.reason,
        hints: ["a newer version of this program has declared the kind"])
    }
  }
}

extension RecordKind {
  /// What an argument stands for as the value at a path; a path that the kind does not have is for the check to refuse.
  package func argument(_ text: String, at path: MemberPath) -> JSONValue {
    value(at: path)?.value(ofText: text) ?? .string(text)
  }

  /// Refuses a secret as an argument, where every user of the machine and the shell's history would see it.
  ///
  /// An address with a secret in it is one as well, whatever the member.
  package func checkReadable(_ path: MemberPath, _ text: String, option: String) throws {
    guard let place = inputPaths(path).first(where: { value(at: $0)?.holdsSealed == true }) else {
      guard let secret = SecretAddress(in: text) else { return }
      let totp = secret == .oneTimeCode && content.inOrder.contains { $0.name == "totp" }
      var error = CommandError.usage(
        "\(path)", secret.reason, "use --secret \(totp ? "totp" : hasSecrets ? "secrets.NAME" : "extra.NAME")")
      error.field = path.description
      throw error
    }
    let isSealed = value(at: place)?.isSealed == true
    var error = CommandError.usage(
      "\(place)", isSealed ? "is sealed: its value must not be an argument" : "has sealed values in it",
      "use --secret \(place), --secret-stdin \(place), --secret-file \(place)=FILE or --generate \(place)")
    error.field = place.description
    throw error
  }

  /// Whether it has a place for secrets of any name.
  fileprivate var hasSecrets: Bool { content.inOrder.contains { $0.name == "secrets" } }
}

extension JSONObject {
  /// The one object of a text that was passed in.
  package static func parsed(_ bytes: [UInt8], file: String, limits: JSONLimits = .record) throws -> JSONObject {
    do throws(DocumentError) {
      guard let object = try JSONParser.parse(bytes, limits: limits).object else {
        throw DocumentError(code: .wrongType, reason: "must be one object", line: 1, column: 1)
      }
      return object
    } catch {
      throw CommandError(error, in: file)
    }
  }
}

extension JSONValue {
  /// Puts a value that an option gave.
  package mutating func put(_ value: JSONValue, at path: MemberPath, option: String) throws {
    do throws(DocumentError) {
      try set(value, at: path)
    } catch {
      throw CommandError.usage(option, "\(path): \(error.reason)")
    }
  }

  /// Gives required dates that are absent the present time.
  package mutating func fillDates(of kind: RecordKind) throws {
    for field in kind.fields where field.isRequired && field.isDate && !field.isSealed {
      if hasValue(at: field.path) { continue }
      try put(.string(Timestamp.now().text), at: field.path, option: "--set")
    }
  }
}
