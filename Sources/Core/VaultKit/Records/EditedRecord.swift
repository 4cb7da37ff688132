package import VaultDocument
internal import VaultRecords
package import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// A record file that does not verify, with the keys that its envelope names.
package struct EditedRecord {
  package let vault: Vault
  package let bytes: [UInt8]
  package let stored: StoredRecord
  package let file: String
  package let envelope: JSONObject
  package let keys: RecordKeys

  /// Reads a live record's file. Nothing is authenticated, except that a root key of the vault opens the data key; a
  /// root that waits for a reseal is refused.
  package init(_ bytes: [UInt8], id: RecordID, vault: Vault) throws(VaultError) {
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

  /// Checks that no value that the kind seals is in clear, and that every sealed value opens and occurs once. With the
  /// key alone, nobody can tell where a copy belongs.
  package func checkTokens() throws(VaultError) {
    if let kind = stored.kind, stored.envelope.schema <= kind.schema, let path = kind.clearTextPath(in: stored.fields) {
      throw .clearText(at: path, file: file, stored.id)
    }
    var seen: Set<String> = []
    for (path, token) in stored.stored.tokens {
      try requireOwn(token, at: path)
      guard seen.insert(token).inserted else { throw refused("has the same sealed value as another field", path) }
    }
    for (path, token) in stored.envelope.former.all {
      let place = FormerValues.place(of: path)
      try requireOwn(token, at: place)
      guard !seen.contains(token) else { throw refused("has the same sealed value as a field", place) }
    }
  }

  private func requireOwn(_ token: String, at path: MemberPath) throws(VaultError) {
    try inSealing(file: file, record: stored.id) { () throws(SealingError) in
      do throws(SealingError) { try keys.checkOpens(token) } catch { throw error.at(path.description) }
    }
  }

  package static func path(of name: String) -> MemberPath {
    MemberPath.root.appending(RecordEnvelope.memberName).appending(name)
  }

  package func refused(_ reason: String, _ path: MemberPath) -> VaultError {
    Self.refused(reason, file: file, id: stored.id, path: path)
  }

  package static func refused(_ reason: String, file: String, id: RecordID, path: MemberPath) -> VaultError {
    VaultError(
      .damaged, reason, file: file, record: id, field: path.description,
      remedies: ["undo that change by hand", .repair])
  }
}

extension JSONValue {
  package var envelopeMembers: JSONObject { self[RecordEnvelope.memberName]?.object ?? JSONObject() }

  package var recordFields: JSONObject {
    var fields = object ?? JSONObject()
    fields[RecordEnvelope.memberName] = nil
    return fields
  }
}
