package import VaultDocument
package import VaultKit
package import VaultRecords
import VaultTerminal

extension CommandError {
  /// Runs a step, and adds the kind and similar members to errors about members.
  package static func naming<Result>(_ kind: RecordKind?, _ step: () async throws -> Result) async throws -> Result {
    do {
      return try await step()
    } catch let error as VaultError {
      guard let kind, error.code == .inputRefused, let field = error.field else { throw error }
      throw CommandError(error, field, of: kind)
    }
  }

  /// Runs a step, and adds similar paths of the record to an error about a missing member.
  package static func naming<Result>(membersOf record: OpenRecord, _ step: () async throws -> Result) async throws
    -> Result
  {
    do {
      return try await step()
    } catch let error as VaultError where error.code == .noSuchMember {
      let paths = JSONValue.object(record.fields).valuePaths(at: .root)
      throw CommandError(error).suggesting(error.field ?? "", among: paths)
    }
  }

  private init(_ error: VaultError, _ field: String, of kind: RecordKind) {
    self.init(error)
    let value = (try? MemberPath(parsing: field)).flatMap { kind.value(at: $0) }
    let date = value?.isMoment == true ? "; a date looks like 2026-11-21T01:40:28Z" : ""
    if error.remedies.isEmpty {
      hints = ["`vault kinds show \(Printable.text(kind.name))` lists the fields of the kind" + date]
    }
    if value == nil, let hint = Suggestion.hint(for: field, among: kind.fields.map(\.path.description)) {
      hints.insert(hint, at: 0)
    }
  }
}

extension [String] {
  /// Parses `FIELD=VALUE` words. For a new record, the first word may be its name alone.
  ///
  /// An invalid word is shown only if it names a field, because any other word may be a secret.
  ///
  /// - Parameters:
  ///   - kind: the kind of a new record.
  ///   - mayBeSecret: whether the user may have meant the first word as a secret.
  package func assignments(
    of kind: RecordKind?, mayBeSecret: Bool
  ) throws -> [(path: MemberPath, value: String)] {
    try map { word in
      guard !word.contains("=") else { return try MemberPath.assignment(word, of: "field=value") }
      let error = CommandError.usage(nil, "one argument is not of the form FIELD=VALUE")
      if let member = try? MemberPath(parsing: word), let isSealed = member.isSealedInAnyKind(or: kind) {
        throw error.hinting(isSealed ? "a secret must not be an argument: use --secret \(word)" : "write \(word)=VALUE")
      }
      guard let title = kind?.titlePaths.first, word == first, !word.isEmpty else { throw error }
      guard !mayBeSecret else {
        throw error.hinting(
          "a word after --secret may be the secret, so it is not read as the name: put the name before the option")
      }
      return (title, word)
    }
  }
}

extension JSONValue {
  /// The paths of all scalars.
  package func valuePaths(at path: MemberPath) -> [String] {
    switch self {
    case .object(let members): members.flatMap { $0.value.valuePaths(at: path.appending($0.name)) }
    case .array(let items): items.enumerated().flatMap { $0.element.valuePaths(at: path.appending($0.offset)) }
    default: [path.description]
    }
  }
}
