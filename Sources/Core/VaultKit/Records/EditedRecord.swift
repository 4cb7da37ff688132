internal import VaultDocument
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage

/// A record file that does not verify, with the keys that its envelope names.
struct EditedRecord {
  let vault: Vault
  let bytes: [UInt8]
  let stored: StoredRecord
  let file: String
  /// The members of `$vault`.
  let envelope: JSONObject
  let keys: RecordKeys

  init(_ bytes: [UInt8], _ id: RecordID, _ vault: Vault) throws(VaultError) {
    let file = StoreLocation.record(id).relativePath
    let document = try parseDocument(bytes, file: file, record: id)
    let stored = try StoredRecord(document, file: file, id: id, kinds: vault.kinds, isTrashed: false)
    let keyring = vault.keyring
    keys = try inSealing(file: file, record: id) { () throws(SealingError) in
      let wrapped = stored.envelope.wrappedKey
      return try keyring.root(hint: wrapped.rootHint).recordKeys(from: wrapped, record: id)
    }
    self.vault = vault
    self.bytes = bytes
    self.stored = stored
    self.file = file
    envelope = document.envelopeMembers
  }

  /// Nothing that the kind seals is in clear, every sealed value opens, and stands once: with its key alone nobody can
  /// tell where a copy belongs.
  func checkTokens() throws(VaultError) {
    if let kind = stored.kind, stored.envelope.schema <= kind.schema, let path = kind.clearTextPath(in: stored.fields) {
      throw .clearText(at: path, file: file, stored.id)
    }
    var seen: Set<String> = []
    for (path, token) in stored.stored.tokens {
      try inSealing(file: file, record: stored.id) { () throws(SealingError) in
        do throws(SealingError) { try keys.checkOpens(token) } catch { throw error.at(path.description) }
      }
      guard seen.insert(token).inserted else { throw refused("holds the same sealed value as another field", path) }
    }
  }

  /// Of a member of `$vault`.
  static func path(of name: String) -> MemberPath {
    MemberPath.root.appending(RecordEnvelope.memberName).appending(name)
  }

  func refused(_ reason: String, _ path: MemberPath) -> VaultError {
    Self.refused(reason, file: file, stored.id, path)
  }

  static func refused(_ reason: String, file: String, _ id: RecordID, _ path: MemberPath) -> VaultError {
    VaultError(
      .damaged, reason, file: file, record: id, field: path.description,
      remedies: ["put that back by hand", .repair])
  }
}

extension JSONValue {
  var envelopeMembers: JSONObject { self[RecordEnvelope.memberName]?.object ?? JSONObject() }

  var recordFields: JSONObject {
    var fields = object ?? JSONObject()
    fields[RecordEnvelope.memberName] = nil
    return fields
  }
}

extension JSONObject {
  /// Every sealed value with its path.
  var tokens: [(MemberPath, String)] {
    var tokens: [(MemberPath, String)] = []
    JSONValue.object(self).forEachString { path, text in
      if SealedToken.hasTokenShape(text) { tokens.append((path, text)) }
    }
    return tokens
  }
}
