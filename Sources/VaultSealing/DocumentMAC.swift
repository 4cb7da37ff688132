internal import VaultCrypto
public import VaultDocument

/// A document of the vault that is authenticated under a key derived from the root (format 1, sections 4.5, MAC keys,
/// and 7, Header).
public enum AuthenticatedDocument: Sendable {
  case header, checkpoint, backupList

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
  /// HMAC-SHA-256 over the document without its top-level member `mac`; 32 bytes.
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

  /// Begins the same for a document whose tree is too large to be had at once.
  ///
  /// - Parameter treeByteCount: the size of all pieces of its canonical encoding, without the member `mac`.
  public func authenticator(
    as purpose: AuthenticatedDocument, treeByteCount: Int
  ) throws(SealingError) -> DocumentAuthenticator {
    // ENC with the bytes of its last item left out: they follow in pieces.
    var head = CanonicalEncoding.enc(purpose.messageLabel, [vaultID.bytes, []])
    head.removeLast(4)
    head += (0..<4).map { UInt8(truncatingIfNeeded: treeByteCount >> (24 - 8 * $0)) }
    let key = try derive(purpose.keyLabel, items: [id.bytes])
    do throws(CryptoError) {
      return try key.withBytes { key throws(CryptoError) in
        try DocumentAuthenticator(key: key, head: head, treeByteCount: treeByteCount)
      }
    } catch {
      throw SealingError(crypto: error)
    }
  }

  /// Whether the member `mac` of `document` is right; compared in constant time.
  public func authenticates(_ document: JSONObject, as purpose: AuthenticatedDocument) throws(SealingError) -> Bool {
    if let holder, purpose == .header { return try holder.hasAuthenticated(headerHash: Self.hash(of: document)) }
    guard case .string(let text)? = document["mac"], let mac = try? Base64.decode(text) else { return false }
    return constantTimeEqual(try self.mac(of: document, as: purpose), mac)
  }

  private static func hash(of document: JSONObject) throws(SealingError) -> [UInt8] {
    let canonical = JSONValue.object(document).canonicalBytes()
    do throws(CryptoError) {
      return try unsafe SHA256.hash(canonical.span.bytes)
    } catch {
      throw SealingError(crypto: error)
    }
  }
}

/// Makes the MAC of a document of pieces of its canonical encoding, which is too large to be had at once.
public final class DocumentAuthenticator {
  private let mac: HMACSHA256.Authenticator
  private let treeByteCount: Int
  private var count = 0

  fileprivate init(key: RawSpan, head: [UInt8], treeByteCount: Int) throws(CryptoError) {
    mac = try HMACSHA256.Authenticator(key: key)
    self.treeByteCount = treeByteCount
    try mac.update(RawSpan(_elements: head.span))
  }

  /// Takes the next piece.
  ///
  /// - Throws: ``SealingError`` `.cryptoFailed`.
  public func update(_ piece: [UInt8]) throws(SealingError) {
    count += piece.count
    do throws(CryptoError) {
      try mac.update(RawSpan(_elements: piece.span))
    } catch {
      throw SealingError(crypto: error)
    }
  }

  /// The MAC of all pieces, 32 bytes; to be asked for once, at the end.
  ///
  /// - Throws: ``SealingError`` `.cryptoFailed`.
  public func finish() throws(SealingError) -> [UInt8] {
    precondition(count == treeByteCount, "a tree has the size that was said before")
    do throws(CryptoError) { return try mac.finish() } catch { throw SealingError(crypto: error) }
  }
}

/// Whether two MACs or commitments are the same; takes the same time wherever they differ.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  unsafe VaultCrypto.constantTimeEqual(left.span.bytes, right.span.bytes)
}
