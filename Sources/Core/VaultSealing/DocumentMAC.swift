internal import VaultCrypto
public import VaultDocument

/// A document of the vault that is authenticated under a key derived from the root (format 1, sections 4.5, MAC keys,
/// and 7, Header).
public enum AuthenticatedDocument: Sendable {
  /// `vault.json`.
  case header
  /// The list of all records, `checkpoint.jsonl`.
  case checkpoint
  /// The list of the files of a backup.
  case backupList

  fileprivate var keyLabel: String {
    switch self {
    case .header: "ecv/1/header-mac"
    case .checkpoint: "ecv/1/checkpoint-mac"
    case .backupList: "ecv/1/backup-mac"
    }
  }

  fileprivate var messageLabel: String {
    switch self {
    case .header: "ecv/1/header"
    case .checkpoint: "ecv/1/checkpoint"
    case .backupList: "ecv/1/backup"
    }
  }
}

extension RootKey {
  /// HMAC-SHA-256 over the document without its top-level member `mac`; 32 bytes. The root key must be in this
  /// process.
  public func mac(
    of document: JSONObject, as purpose: AuthenticatedDocument
  ) throws(SealingError) -> [UInt8] {
    var members = document
    members["mac"] = nil
    let tree = JSONValue.object(members).canonicalBytes()
    let message = CanonicalEncoding.enc(purpose.messageLabel, [vaultID.bytes, tree])
    let key = try derive(purpose.keyLabel, items: [id.bytes])
    do throws(CryptoError) {
      return try key.withBytes { key throws(CryptoError) in
        try unsafe HMACSHA256.authenticate(message.span.bytes, key: key)
      }
    } catch {
      throw SealingError(crypto: error)
    }
  }

  /// Whether the member `mac` of `document` is valid; compared in constant time. A missing or malformed MAC is
  /// invalid.
  ///
  /// If another process has the root key, it answers for the header; other documents throw `.rootKeyElsewhere`.
  public func authenticates(_ document: JSONObject, as purpose: AuthenticatedDocument) throws(SealingError) -> Bool {
    if let holder, purpose == .header { return try holder.hasAuthenticated(headerHash: Self.hash(of: document)) }
    guard case .string(let text)? = document["mac"], let mac = try? Base64.decode(text) else { return false }
    return constantTimeEqual(try self.mac(of: document, as: purpose), mac)
  }

  /// The hash that ``RootKeyHolder`` asks for.
  private static func hash(of document: JSONObject) throws(SealingError) -> [UInt8] {
    let canonical = JSONValue.object(document).canonicalBytes()
    do throws(CryptoError) {
      return try unsafe SHA256.hash(canonical.span.bytes)
    } catch {
      throw SealingError(crypto: error)
    }
  }
}

/// Whether two MACs or commitments are the same; the time does not depend on where they differ.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  unsafe VaultCrypto.constantTimeEqual(left.span.bytes, right.span.bytes)
}
