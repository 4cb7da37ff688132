package import VaultDocument
import VaultKit
package import VaultRecords
import VaultTerminal

extension KindCatalog {
  /// The kind of a typed name. The error for an unknown name hides a value that may be secret.
  package func argument(_ name: String) throws -> RecordKind {
    do throws(RecordError) {
      return try kind(named: name)
    } catch {
      guard error.code != .unknownKind else {
        throw CommandError(.inputRefused, "unknown_kind", subject: Printable.withoutSecret(name), error.reason)
          .suggesting(name, among: names)
          .hinting(
            "the known kinds are \(names.joined(separator: ", "))", "`vault kinds show KIND` shows the fields of a kind"
          )
      }
      throw CommandError(
        .inputRefused, "invalid_schema", subject: "vault.json: kinds.\(name).\(error.path ?? "")", error.reason,
        hints: ["use a newer version of this program: it has declared the kind"])
    }
  }
}

extension RecordKind {
  /// The value that an argument stands for at a path. The check refuses a path that the kind does not have.
  package func argument(_ text: String, at path: MemberPath) -> JSONValue {
    value(at: path)?.value(ofText: text) ?? .string(text)
  }

  /// Refuses a secret as an argument, because other users of the machine and the shell's history would see it.
  ///
  /// An address with a secret is refused for every member.
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
      "\(place)", isSealed ? "is sealed: its value must not be an argument" : "has sealed values",
      "use --secret \(place), --secret-stdin \(place), --secret-file \(place)=FILE or --generate \(place)")
    error.field = place.description
    throw error
  }

  /// The readable values of `--set` and of other words, by paths of the kind. A secret among them is refused.
  package func readable(
    _ given: [(path: MemberPath, value: String)], and words: [String]
  ) throws -> [(path: MemberPath, value: String)] {
    let typed = try words.assignments(of: self, mayBeSecret: words.first.map(SecretOptions.mayHold) ?? false)
    let assignments = (given + typed).map { (path: inputPath($0.path), value: $0.value) }
    for (path, value) in assignments { try checkReadable(path, value, option: "--set") }
    return assignments
  }

  /// The field that a word names; nil if the kind does not have it.
  package func field(_ word: String) -> ValueSchema? {
    (try? MemberPath(parsing: word)).flatMap { value(at: inputPath($0)) }
  }

  /// Whether a word names a sealed field.
  package func seals(_ word: String) -> Bool { field(word)?.isSealed ?? false }

  fileprivate var hasSecrets: Bool { content.inOrder.contains { $0.name == "secrets" } }
}

extension JSONObject {
  /// Parses a document of the user. The errors name the file.
  package static func parsed(_ bytes: [UInt8], file: String, limits: JSONLimits = .record) throws -> JSONObject {
    do throws(DocumentError) {
      guard let object = try JSONParser.parse(bytes, limits: limits).object else {
        throw DocumentError(code: .wrongType, reason: "the file must hold one JSON object", line: 1, column: 1)
      }
      return object
    } catch {
      throw CommandError(error, in: file)
    }
  }
}

extension JSONValue {
  package mutating func put(_ value: JSONValue, at path: MemberPath, option: String) throws {
    do throws(DocumentError) {
      try set(value, at: path)
    } catch {
      throw CommandError.usage(option, "\(path): \(error.reason)")
    }
  }

  /// Puts the readable values of a command line into a record.
  package mutating func put(_ assignments: [(path: MemberPath, value: String)], of kind: RecordKind) throws {
    try assignments.map(\.path).checkDistinct()
    for (path, value) in assignments { try put(kind.argument(value, at: path), at: path, option: "--set") }
  }

  /// Puts sealed values into a record that already has the values at `assigned`.
  package mutating func put(
    _ sealed: [SecretAssignment], of kind: RecordKind, besides assigned: [MemberPath]
  ) throws {
    try (assigned + sealed.map(\.path)).checkDistinct()
    for assignment in sealed {
      guard let text = assignment.secret.string else {
        preconditionFailure("every source of a secret has refused what is not UTF-8")
      }
      try put(kind.argument(text, at: assignment.path), at: assignment.path, option: assignment.option)
    }
  }

  /// Sets required dates that are missing to the present time.
  package mutating func fillDates(of kind: RecordKind) throws {
    for field in kind.fields where field.isRequired && field.isDate && !field.isSealed {
      if hasValue(at: field.path) { continue }
      try put(.string(Timestamp.now().text), at: field.path, option: "--set")
    }
  }
}
