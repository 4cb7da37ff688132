/// An X25519 public key to which age files can be sealed, written `age1…`.
///
/// Source: c2sp.org/age, "The X25519 recipient type".
public struct AgeRecipient: Hashable, Sendable {
  /// The 32 bytes of the public key.
  public let publicKey: [UInt8]

  static let publicKeyByteCount = 32

  package init(publicKey: [UInt8]) {
    precondition(publicKey.count == Self.publicKeyByteCount, "an X25519 public key has 32 bytes")
    self.publicKey = publicKey
  }

  /// Reads `age1…` text, strictly: lower case, no surrounding white space, valid checksum.
  ///
  /// - Throws: `.malformedRecipient`; `.unsupportedRecipient` for SSH keys, plugin, hybrid and tagged recipients.
  public init(parsing text: String) throws(AgeError) {
    let characters = [UInt8](text.utf8)
    try self.init(parsing: RawSpan(_elements: characters.span), line: nil)
  }

  init(parsing text: RawSpan, line: Int?) throws(AgeError) {
    try Self.refuseOtherTypes(text, line: line)
    do throws(Bech32.Fault) {
      let layout = try Bech32.check(text)
      guard layout.separator == 3, text.has("age1") else {
        throw Bech32.Fault(reason: "the text does not begin with age1")
      }
      guard layout.byteCount == Self.publicKeyByteCount else {
        throw Bech32.Fault(reason: "the key is not 32 bytes long")
      }
      var bytes = [UInt8](repeating: 0, count: layout.byteCount)
      var elements = bytes.mutableSpan
      var output = MutableRawSpan(_elements: &elements)
      Bech32.decode(text, layout, into: &output)
      publicKey = bytes
    } catch {
      throw AgeError(.malformedRecipient, error.reason, line: line)
    }
  }

  /// The `age1…` form, 62 characters.
  public var text: String {
    let count = Bech32.encodedCount(prefix: 3, data: publicKey.count)
    var characters = [UInt8](repeating: 0, count: count)
    var elements = characters.mutableSpan
    var output = MutableRawSpan(_elements: &elements)
    Bech32.encode(prefix: "age", RawSpan(_elements: publicKey.span), into: &output)
    return String(decoding: characters, as: UTF8.self)
  }

  // Unsupported types are refused by name, so that nobody takes the refusal for a typing error. Nothing is ever
  // executed.
  private static func refuseOtherTypes(_ text: RawSpan, line: Int?) throws(AgeError) {
    let reason: StaticString
    if text.has("ssh-") || text.has("ecdsa-sha2-") || text.has("sk-ssh-") || text.has("sk-ecdsa-") {
      reason = "SSH keys are not supported as recipients; use an age1 recipient"
    } else if text.has("age1pq1") {
      reason = "hybrid (post-quantum) recipients are not supported; use an X25519 age1 recipient"
    } else if text.has("age1tag1") || text.has("age1tagpq1") {
      reason = "tagged (hardware) recipients are not supported; use an X25519 age1 recipient"
    } else if text.has("age1"), text.firstOffset(of: UInt8(ascii: "1"), from: 4) != nil {
      // The Bech32 alphabet has no 1, so a second one means that the prefix continues with a plugin's name.
      reason = "plugin recipients are not supported; use an X25519 age1 recipient"
    } else {
      return
    }
    throw AgeError(.unsupportedRecipient, reason, line: line)
  }
}

extension AgeRecipient: CustomStringConvertible {
  public var description: String { text }
}
