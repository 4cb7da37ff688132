internal import VaultCrypto
public import VaultDocument

/// A document of the vault that is authenticated under a key derived from the root (format 1, sections 4 and 7).
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

  /// The same for a document whose tree is too large to be had at once.
  ///
  /// - Parameters:
  ///   - treeByteCount: the size of all pieces together.
  ///   - tree: its canonical encoding, without the member `mac`, in pieces.
  public func mac(
    as purpose: AuthenticatedDocument, treeByteCount: Int, tree: some Sequence<[UInt8]>
  ) throws(SealingError) -> [UInt8] {
    var mac = try documentMAC(as: purpose, treeByteCount: treeByteCount)
    for piece in tree { try mac.update(piece) }
    return try mac.finish()
  }

  /// Begins the same, for pieces that come one after the other.
  ///
  /// - Parameter treeByteCount: the size of all pieces together.
  public func documentMAC(
    as purpose: AuthenticatedDocument, treeByteCount: Int
  ) throws(SealingError) -> DocumentMAC {
    // ENC with the bytes of its last item left out: they follow in pieces.
    var head = CanonicalEncoding.enc(purpose.messageLabel, [vaultID.bytes, []])
    head.removeLast(4)
    head += (0..<4).map { UInt8(truncatingIfNeeded: treeByteCount >> (24 - 8 * $0)) }
    let key = try derive(purpose.keyLabel, items: [id.bytes])
    do throws(CryptoError) {
      let authenticator = try key.withBytes { key throws(CryptoError) in try HMACSHA256.Authenticator(key: key) }
      try authenticator.update(RawSpan(_elements: head.span))
      return DocumentMAC(authenticator, treeByteCount)
    } catch {
      throw SealingError(crypto: error)
    }
  }

  /// Whether the member `mac` of `document` is right; compared in constant time.
  public func authenticates(_ document: JSONObject, as purpose: AuthenticatedDocument) throws(SealingError) -> Bool {
    guard case .string(let text)? = document["mac"], let mac = try? Base64.decode(text) else { return false }
    return constantTimeEqual(try self.mac(of: document, as: purpose), mac)
  }
}

/// The MAC of a document on its way, whose canonical encoding comes in pieces.
public struct DocumentMAC: ~Copyable {
  private let authenticator: HMACSHA256.Authenticator
  private let treeByteCount: Int
  private var byteCount = 0

  fileprivate init(_ authenticator: consuming HMACSHA256.Authenticator, _ treeByteCount: Int) {
    self.authenticator = authenticator
    self.treeByteCount = treeByteCount
  }

  /// Takes the next piece.
  public mutating func update(_ piece: [UInt8]) throws(SealingError) {
    byteCount += piece.count
    do throws(CryptoError) { try authenticator.update(RawSpan(_elements: piece.span)) } catch {
      throw SealingError(crypto: error)
    }
  }

  /// The MAC, 32 bytes.
  ///
  /// - Precondition: the pieces have the size together that was said before.
  public consuming func finish() throws(SealingError) -> [UInt8] {
    precondition(byteCount == treeByteCount, "a tree has the size that was said before")
    do throws(CryptoError) { return try authenticator.finish() } catch { throw SealingError(crypto: error) }
  }
}

/// Whether two MACs or commitments are the same; takes the same time wherever they differ.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  unsafe VaultCrypto.constantTimeEqual(left.span.bytes, right.span.bytes)
}
