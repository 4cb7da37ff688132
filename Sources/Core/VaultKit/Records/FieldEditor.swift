internal import VaultCrypto
package import VaultDocument
internal import VaultRecords
internal import VaultSealing
internal import VaultTrust

/// Applies edits to the members of a verified record.
package struct FieldEditor {
  let record: OpenRecord
  let now: Timestamp

  package init(_ record: OpenRecord, now: Timestamp) {
    self.record = record
    self.now = now
  }

  private var kind: RecordKind? { record.kind }

  /// The members after the edits; an edit without effect keeps the old value.
  func edited(_ edits: [FieldEdit]) throws(VaultError) -> JSONObject {
    try requireKnownSchema(of: record)
    var tree = JSONValue.object(record.fields)
    for edit in edits {
      try apply(FieldEdit(path: kind?.pathInCurrentSchema(edit.path) ?? edit.path, change: edit.change), to: &tree)
    }
    guard case .object(let members) = tree else { preconditionFailure("edits below the top leave an object") }
    return try accepted(members)
  }

  /// The members, with those of another version of the record at some paths, or all of them if `paths` is empty.
  /// Members that the other version lacks are removed.
  package func taking(_ paths: [MemberPath], of other: OpenRecord) throws(VaultError) -> JSONObject {
    try requireKnownSchema(of: record)
    try requireKnownSchema(of: other)
    let members = try presentMembers(of: other)
    let then = JSONValue.object(
      try inSealing(record: record.id) { () throws(SealingError) in
        try record.verified.keys.taking(members, of: other.verified.keys)
      })
    var tree = JSONValue.object(record.fields)
    if paths.isEmpty { tree = tree.applying(differenceFrom: tree, to: then) }
    for path in paths.map({ kind?.pathInCurrentSchema($0) ?? $0 }) {
      if let value = try? then.value(at: path) {
        try put(value, at: path, into: &tree)
      } else {
        try remove(path, from: &tree)
      }
    }
    guard case .object(let taken) = tree else { preconditionFailure("members below the top leave an object") }
    return try accepted(taken)
  }

  /// The members with a former value of the record in its field.
  func restoring(_ secret: FormerSecret, at path: MemberPath) throws(VaultError) -> JSONObject {
    try requireKnownSchema(of: record)
    var tree = JSONValue.object(record.fields)
    try put(.string(secret.token), at: kind?.pathInCurrentSchema(path) ?? path, into: &tree)
    guard case .object(let members) = tree else { preconditionFailure("members below the top leave an object") }
    return try accepted(members)
  }

  /// In the form of the present schema, with the values opened that a migration opens.
  private func presentMembers(of other: OpenRecord) throws(VaultError) -> JSONObject {
    guard let kind else { return other.fields }
    return try inRecord { () throws(RecordError) in try RecordMigration.typed(other.verified, kind) }
  }

  private func requireKnownSchema(of version: OpenRecord) throws(VaultError) {
    guard let kind, version.envelope.schema > kind.schema else { return }
    throw VaultError(
      .newerFormat, "was written by a newer version of this program and is read-only here", file: version.file,
      record: version.id)
  }

  /// The members after the kind's checks, keeping the tokens of unchanged secrets.
  private func accepted(_ members: JSONObject) throws(VaultError) -> JSONObject {
    guard members != record.fields else { return members }
    let kept = try inSealing(record: record.id) { () throws(SealingError) in
      try record.verified.keys.keepingTokens(of: record.fields, in: members)
    }
    guard let kind else { return kept }
    return try inRecord { () throws(RecordError) in
      let completed = try kind.completed(kept, before: record.fields)
      let counted = try kind.counted(completed, before: record.fields) { value throws(RecordError) in
        try byteCount(ofSealed: value)
      }
      try kind.accept(counted, in: record.verified.context())
      return counted
    }
  }

  /// The number of bytes in the base64 of a token.
  private func byteCount(ofSealed value: JSONValue) throws(RecordError) -> Int? {
    guard case .string(let token) = value, SealedToken.hasTokenShape(token) else { return nil }
    do {
      return try record.verified.keys.withRevealed(token) { Base64.decodedCount(of: Span(_bytes: $0)) }
    } catch {
      throw RecordError(.sealing, "cannot be opened", underlying: error as? SealingError)
    }
  }

  private func apply(_ edit: FieldEdit, to tree: inout JSONValue) throws(VaultError) {
    guard edit.path.components.first != .member(RecordEnvelope.memberName) else {
      throw refused(edit.path, "is reserved for the vault")
    }
    switch edit.change {
    case .removal: try remove(edit.path, from: &tree)
    case .readable(let value): try put(try checked(value, at: edit.path, in: tree), at: edit.path, into: &tree)
    case .secret(let secret): try put(try sealed(secret, at: edit.path, in: tree), at: edit.path, into: &tree)
    }
  }

  private func remove(_ path: MemberPath, from tree: inout JSONValue) throws(VaultError) {
    _ = try record.value(at: path)
    do throws(DocumentError) {
      try tree.remove(at: path)
    } catch {
      throw refused(path, error.reason)
    }
  }

  private func put(_ value: JSONValue, at path: MemberPath, into tree: inout JSONValue) throws(VaultError) {
    do throws(DocumentError) {
      try tree.set(value, at: path)
    } catch {
      throw refused(path, error.reason)
    }
  }

  /// A readable value, with its sealed parts as tokens; throws if the member itself is sealed.
  private func checked(
    _ value: JSONValue, at path: MemberPath, in tree: JSONValue
  ) throws(VaultError) -> JSONValue {
    guard try !isSealed(path, in: tree) else {
      throw VaultError(
        .usage, "is a sealed field: its value must not be an argument", record: record.id, field: path.description,
        remedies: [.enterSecret(at: path.description)])
    }
    guard let kind else { return value }
    let new = try inRecord { () throws(RecordError) in
      try kind.sealed(value, at: path, in: record.verified.context(sealingAt: now))
    }
    // An equal moment in another spelling is not a change.
    guard kind.value(at: path)?.isMoment == true, case .string(let old)? = try? tree.value(at: path),
      case .string(let text) = new, let before = try? Timestamp(parsing: old), before == (try? Timestamp(parsing: text))
    else { return new }
    return .string(old)
  }

  /// A token of `secret`; the old one if the secret is unchanged.
  private func sealed(
    _ secret: SecretBytes, at path: MemberPath, in tree: JSONValue
  ) throws(VaultError) -> JSONValue {
    guard try isSealed(path, in: tree) else {
      throw VaultError(
        .usage, "is a readable field of the kind \(record.envelope.kind)", record: record.id,
        field: path.description, remedies: ["give it as \(path)=VALUE"])
    }
    let isText = secret.withBytes { unsafe $0.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) != nil } }
    guard isText else { throw refused(path, "is not UTF-8 text") }
    let plaintext = try plaintext(secret, at: path)
    return try inSealing(record: record.id) { () throws(SealingError) in
      if case .string(let old)? = try? tree.value(at: path), SealedToken.hasTokenShape(old),
        try record.verified.keys.opens(old, to: plaintext)
      {
        return .string(old)
      }
      return .string(try record.verified.keys.seal(plaintext, at: now))
    }
  }

  /// The bytes to seal. Only a value with rules is checked, and so leaves the secure heap.
  private func plaintext(_ secret: SecretBytes, at path: MemberPath) throws(VaultError) -> SecretBytes {
    guard let kind, let schema = kind.value(at: path), schema.hasRules else { return secret }
    guard !schema.isBytes || schema.allowed != nil else {
      let isBase64 = try inCrypto { () throws(CryptoError) in
        try secret.withBytes { text throws(CryptoError) in try SecretBytes.decoding(base64: text) != nil }
      }
      guard isBase64 else { throw refused(path, "is not base64") }
      return secret
    }
    let text = try inSealing(record: record.id) { () throws(SealingError) in
      try EncryptedCodableString(utf8: secret).reveal()
    }
    let checked = try inRecord { () throws(RecordError) in try kind.plaintext(of: schema.value(ofText: text), at: path)
    }
    return try inCrypto { () throws(CryptoError) in
      let bytes = Array(checked.utf8)
      return try unsafe SecretBytes(copying: bytes.span.bytes)
    }
  }

  /// Decided by the kind, or for an unknown kind by the present value. A member that neither of them knows is refused.
  private func isSealed(_ path: MemberPath, in tree: JSONValue) throws(VaultError) -> Bool {
    if let kind {
      guard let schema = kind.value(at: path) else { throw refused(path, "is not a field of the kind \(kind.name)") }
      return schema.isSealed
    }
    guard let value = try? tree.value(at: path) else {
      throw refused(
        path,
        "cannot be added: whether it is a secret is not known, as this program does not know the kind "
          + record.envelope.kind)
    }
    guard case .string(let text) = value else { return false }
    return SealedToken.hasTokenShape(text)
  }

  private func refused(_ path: MemberPath, _ reason: String) -> VaultError {
    VaultError(.inputRefused, reason, record: record.id, field: path.description)
  }

  private func inRecord<Result>(_ step: () throws(RecordError) -> Result) throws(VaultError) -> Result {
    do {
      return try step()
    } catch {
      var refusal = VaultError(record: error, id: record.id, input: true)
      if let kind, record.envelope.schema < kind.schema { refusal.remedies = [.migrate] }
      throw refusal
    }
  }
}
