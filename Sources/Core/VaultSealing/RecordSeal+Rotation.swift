internal import VaultCrypto
public import VaultDocument

// The rotation of one record (format 1, section 11, Rotation).

extension RootKey {
  /// The data key of a record, which `older` wraps, wrapped under this root.
  ///
  /// - Throws: ``SealingError`` `.unknownRoot` if another root wrapped it, `.authenticationFailed`.
  public func rewrapping(
    _ wrapped: WrappedKey, from older: RootKey, record: RecordID
  ) throws(SealingError) -> WrappedKey {
    try verifiedWrap(of: older.unwrapDataKey(wrapped, record: record), record: record)
  }
}

extension RecordSeal {
  /// A record with a new wrap of its data key and no other change; the MAC does not cover the wrap. Nobody checks here
  /// that `key` wraps the same data key.
  package static func rewrapped(_ record: VerifiedRecord, with key: WrappedKey) -> SealedRecord {
    guard case .object(var document) = record.document,
      case .object(var members)? = document[RecordEnvelope.memberName]
    else { preconditionFailure("what has an envelope is a record") }
    members["key"] = .string(key.text)
    document[RecordEnvelope.memberName] = .object(members)
    let envelope = record.envelope
    return SealedRecord(
      document: .object(document), id: envelope.id, revision: envelope.revision, mac: envelope.mac,
      deletedAt: envelope.deletedAt)
  }

  /// The next revision of a record under a new data key of `root`: every token is sealed again with its old sealing
  /// time.
  ///
  /// Each new token is opened and compared before it is used. A record with attachments is refused.
  package static func resealed(
    _ record: VerifiedRecord, under root: RootKey, now: Timestamp
  ) throws(SealingError) -> SealedRecord {
    var draft = EnvelopeDraft(next: record, now: now)
    draft.deletedAt = record.envelope.deletedAt
    return try resealed(record, under: root, as: draft)
  }

  /// Like `resealed(_:under:now:)`, as the revision in `draft`, whose key is replaced.
  ///
  /// - Parameter latest: the latest allowed sealing time of a token; nil for no limit.
  package static func resealed(
    _ record: VerifiedRecord, under root: RootKey, as draft: EnvelopeDraft, sealedUntil latest: Timestamp? = nil
  ) throws(SealingError) -> SealedRecord {
    guard draft.attachments.isEmpty else {
      throw SealingError(
        .limitExceeded, "has attachments, which cannot be sealed again here", path: "$vault.\(Attachment.memberName)")
    }
    return try resealed(record, root.makeDataKey(for: record.envelope.id), as: draft, sealedUntil: latest)
  }

  /// Like `resealed(_:under:as:sealedUntil:)`, under a data key that was just made.
  ///
  /// - Parameter draft: the caller has sealed its attachments again, under that key.
  package static func resealed(
    _ record: VerifiedRecord, _ dataKey: (wrapped: WrappedKey, keys: RecordKeys), as draft: EnvelopeDraft,
    sealedUntil latest: Timestamp? = nil
  ) throws(SealingError) -> SealedRecord {
    let keys = dataKey.keys
    var draft = draft
    draft.wrappedKey = dataKey.wrapped
    draft.former = try draft.former.mapTokens { token throws(SealingError) in
      try keys.resealing(token, of: record.keys, until: latest)
    }
    let fields = try keys.replacingTokens(of: record.fields) { token throws(SealingError) in
      try keys.resealing(token, of: record.keys, until: latest)
    }
    return try complete(fields, draft, keys: keys)
  }
}

extension RecordKeys {
  /// Members of another version of this record, with tokens of these keys. Tokens of another data key are sealed again
  /// with their old sealing times.
  ///
  /// - Parameter latest: the latest allowed sealing time of such a token; nil for no limit.
  /// - Throws: ``SealingError``, with the path of the field, like opening and sealing.
  public func taking(
    _ fields: JSONObject, of other: RecordKeys, sealedUntil latest: Timestamp? = nil
  ) throws(SealingError) -> JSONObject {
    try replacingTokens(of: fields) { token throws(SealingError) in try taking(token, of: other, until: latest) }
  }

  /// Former values of another version of this record, like the members of ``taking(_:of:sealedUntil:)``.
  package func taking(
    _ former: FormerValues, of other: RecordKeys, sealedUntil latest: Timestamp? = nil
  ) throws(SealingError) -> FormerValues {
    try former.mapTokens { token throws(SealingError) in try taking(token, of: other, until: latest) }
  }

  private func taking(_ token: String, of other: RecordKeys, until latest: Timestamp?) throws(SealingError) -> String {
    // These keys sealed every token that they open: the data key is the same.
    if (try? checkOpens(token)) != nil { return token }
    return try resealing(token, of: other, until: latest)
  }

  /// Errors of `replace` get the path of the field.
  fileprivate func replacingTokens(
    of fields: JSONObject, _ replace: (String) throws(SealingError) -> String
  ) throws(SealingError) -> JSONObject {
    var tree = JSONValue.object(fields)
    try tree.mapStrings { path, text throws(SealingError) in
      guard SealedToken.hasTokenShape(text) else { return text }
      do throws(SealingError) { return try replace(text) } catch { throw error.at(path.description) }
    }
    guard case .object(let replaced) = tree else { preconditionFailure("strings of an object were replaced") }
    return replaced
  }
}
