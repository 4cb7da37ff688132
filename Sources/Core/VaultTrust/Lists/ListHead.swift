internal import VaultCrypto
package import VaultDocument
package import VaultSealing

/// The first line of a list (format 1, section 2.3, Lists): common data of all items, and a hash of them.
package struct ListHead: Sendable {
  package private(set) var document: JSONObject
  private let file: String
  /// Whether the items are a member of this object, instead of lines after it.
  package let isWhole: Bool

  private static let format = 1

  /// The most bytes of the line.
  static let byteLimit = 64 << 10

  /// Reads the line, without its end. The MAC is not checked.
  package init(parsing line: [UInt8], file: String) throws(VaultError) {
    guard case .object(let document) = try parseDocument(line, file: file) else {
      throw VaultError(.damaged, "does not begin with an object", file: file)
    }
    (self.document, self.file, isWhole) = (document, file, false)
    try requireFormat()
    guard (try? JSONValue.object(document).compactBytes()) == line else {
      throw VaultError(.damaged, "does not begin with a line of this format", file: file)
    }
  }

  /// A head that is not authenticated yet.
  ///
  /// - Parameters:
  ///   - members: the data of the list.
  ///   - itemHash: SHA-256 of all lines after it, 32 bytes.
  package init(_ members: JSONObject, itemHash: [UInt8], file: String) {
    (document, self.file, isWhole) = (members, file, false)
    document["format"] = .number(JSONNumber(Self.format))
    document["items"] = .string(Hex.encode(itemHash))
  }

  /// The whole list of the form before format 1 was final, in place of a head.
  init(whole document: JSONObject, file: String) throws(VaultError) {
    (self.document, self.file, isWhole) = (document, file, true)
    try requireFormat()
  }

  private func requireFormat() throws(VaultError) {
    guard try members.number("format") == JSONNumber(Self.format) else {
      throw VaultError(.newerFormat, "was written by a newer version of this program", file: file)
    }
  }

  /// Its members, to be checked by the owner of the list.
  package var members: MemberReader { MemberReader(document, file: file) }

  /// SHA-256 of all lines after it, 32 bytes.
  package func itemHash() throws(VaultError) -> [UInt8] { try members.hash("items") }

  package var line: [UInt8] {
    guard let bytes = try? JSONValue.object(document).compactBytes() else {
      preconditionFailure("a head is far below every limit")
    }
    return bytes + [UInt8(ascii: "\n")]
  }
}

extension ListHead {
  /// The same head under a root key, with its id and a MAC.
  package func authenticated(as purpose: AuthenticatedDocument, under root: RootKey) throws(VaultError) -> ListHead {
    var head = self
    head.document["root"] = .string(root.id.description)
    let document = head.document
    let mac = try inSealing(file: file) { () throws(SealingError) in try root.mac(of: document, as: purpose) }
    head.document["mac"] = .string(Base64.encode(mac))
    return head
  }

  /// Checks the MAC under `root`, which the head must name.
  package func authenticate(as purpose: AuthenticatedDocument, under root: RootKey) throws(VaultError) {
    let isAuthentic = try inSealing(file: file) { () throws(SealingError) in
      try root.authenticates(document, as: purpose)
    }
    guard isAuthentic, try members.rootID("root") == root.id else {
      throw VaultError(.damaged, "does not authenticate: it was changed or damaged", file: file)
    }
  }

  /// SHA-256 (32 bytes) of its canonical encoding without `root` and `mac`, which names the list under any root key. A
  /// whole list is hashed with both, like in the programs that wrote such lists.
  package func hash() throws(VaultError) -> [UInt8] {
    var members = document
    if !isWhole { (members["root"], members["mac"]) = (nil, nil) }
    let canonical = JSONValue.object(members).canonicalBytes()
    return try inCrypto { () throws(CryptoError) in try unsafe SHA256.hash(canonical.span.bytes) }
  }
}

extension MemberReader {
  func hash(_ name: String) throws(VaultError) -> [UInt8] {
    guard let hash = try? Hex.decode(text(name)), hash.count == 32 else { throw damaged(name) }
    return hash
  }
}

/// Hashes the items of a list while they are made or read.
package struct ItemHasher: ~Copyable {
  private var hasher: SHA256.Hasher

  package init() throws(VaultError) {
    do throws(CryptoError) { hasher = try SHA256.Hasher() } catch { throw VaultError(crypto: error) }
  }

  /// Adds whole lines, or parts of them.
  package mutating func take(_ bytes: [UInt8]) throws(VaultError) {
    do throws(CryptoError) { try hasher.update(RawSpan(_elements: bytes.span)) } catch {
      throw VaultError(crypto: error)
    }
  }

  /// 32 bytes.
  package consuming func finish() throws(VaultError) -> [UInt8] {
    do throws(CryptoError) { return try hasher.finish() } catch { throw VaultError(crypto: error) }
  }
}
