public import VaultDocument
public import VaultKit
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage
public import VaultTrust

/// The result of declaring a kind.
public enum KindDeclaration: String, Sendable {
  /// The kind is new.
  case added
  /// A kind with another schema was replaced.
  case replaced
  /// The kind was the same, and nothing was written.
  case unchanged
}

extension Vault {
  /// Declares a kind of record by a JSON Schema (2020-12), in the header, which the vault's MAC covers.
  ///
  /// The same schema again changes nothing. Another one replaces it, unless a sealed member would no longer be sealed,
  /// or its sealed values would be read as another type.
  ///
  /// - Throws: ``VaultError`` `.inputRefused` naming the keyword or member, `.alreadyExists` for the name of a kind
  ///   that is not declared, `.lockedByOther`, `.changedUnderneath`, `.diskFull`, `.permissionDenied`, `.ioFailed`.
  @discardableResult
  public func declareKind(_ name: String, as schema: JSONObject) async throws(VaultError) -> KindDeclaration {
    guard RecordKindName.isValid(name) else {
      throw VaultError(
        .inputRefused,
        "cannot be the name of a kind: use lower-case letters, digits and hyphens, and begin with a letter")
    }
    let new = try Self.kind(name, schema)
    return try await writing { lock throws(VaultError) in
      var declared = header.declaredKinds
      let old = declared[name]?.object
      if old == schema { return .unchanged }
      if let old { try Self.checkReplacing(old, by: new) } else { try checkIsFree(name) }
      declared[name] = .object(schema)
      let root = keyring.current
      try replaceHeader(by: header.changed(kinds: declared, root: root), root: root, lock)
      return old == nil ? .added : .replaced
    }
  }

  private static func kind(_ name: String, _ schema: JSONObject) throws(VaultError) -> RecordKind {
    do throws(RecordError) {
      return try RecordKind(declared: schema, name: name)
    } catch {
      throw VaultError(record: error, id: nil, input: true)
    }
  }

  private func checkIsFree(_ name: String) throws(VaultError) {
    guard kinds[name] == nil, !RecordKind.reservedNames.contains(name) else {
      throw VaultError(.alreadyExists, "is a built-in kind of the program")
    }
  }

  private static func checkReplacing(_ old: JSONObject, by new: RecordKind) throws(VaultError) {
    guard let old = try? RecordKind(declared: old, name: new.name) else {
      throw VaultError(
        .inputRefused, "was declared by a newer version of this program, so it is not replaced",
        remedies: ["update this program"])
    }
    guard new.schema >= old.schema else {
      throw VaultError(
        .inputRefused, "is lower than in the present declaration of the kind", field: "x-schema",
        remedies: ["otherwise records of schema \(old.schema) could no longer be read"])
    }
    if let change = old.sealReinterpreted(by: new) {
      throw VaultError(
        .inputRefused,
        "is sealed as \(change.old) in the present declaration of the kind, and would be read as \(change.new): values"
          + " that are sealed already would become other values",
        field: change.path,
        remedies: [
          .sentence("keep the type of this field, and declare a field of another name for the new type"),
          .sentence("or declare a kind of another name, and move the records to it"),
        ])
    }
    guard let path = old.sealDropped(by: new) else { return }
    throw VaultError(
      .inputRefused, "is sealed in the present declaration of the kind, and must stay sealed", field: path,
      remedies: [
        .sentence(
          "only a migration can make a secret readable: raise x-schema and add to x-migrations the step"
            + " {\"open\": \"\(path)\"}")
      ])
  }
}
