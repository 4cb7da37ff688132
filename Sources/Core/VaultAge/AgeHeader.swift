/// The textual header of an age file, parsed but not authenticated.
///
/// It can be inspected before any work is done: the number of stanzas, their types and costs. Only a file key that fits
/// the MAC makes it trustworthy. Source: c2sp.org/age, "Header".
public struct AgeHeader: Hashable, Sendable {
  /// The stanzas in the order of the file; at least one.
  public let stanzas: [AgeStanza]
  /// The 32 bytes of the MAC line.
  public let mac: [UInt8]
  /// The size of the header in bytes, including its last line feed; the payload follows.
  public let byteCount: Int

  /// The largest accepted header, 1 MiB.
  public static let maximumByteCount = 1 << 20
  /// The largest accepted number of stanzas.
  static let maximumStanzaCount = 1000

  static let versionLine: StaticString = "age-encryption.org/v1\n"
  static let macByteCount = 32
  // " ", 43 characters and LF follow the part that the MAC covers.
  private static let macLineRestCount = 45

  /// How many bytes from the start of the file the MAC covers: up to and including `---`.
  package var authenticatedByteCount: Int { byteCount - Self.macLineRestCount }

  /// Whether a stanza for a passphrase is present.
  var hasScryptStanza: Bool { stanzas.contains { $0.type == AgeStanza.scryptType } }

  /// The base-two logarithm of scrypt's N if the file is sealed with a passphrase; nil otherwise.
  ///
  /// No key is derived for it.
  /// - Throws: `.malformedHeader` if the scrypt stanza is malformed or not alone; `.workFactorOutOfRange` if the number
  ///   is absurdly high.
  public func scryptWorkFactor() throws(AgeError) -> Int? {
    guard hasScryptStanza else { return nil }
    return try ScryptStanza(onlyStanzaOf: self).workFactor
  }

  /// The header for `stanzas`, up to and including `---`.
  package static func authenticatedBytes(_ stanzas: [AgeStanza]) -> [UInt8] {
    var bytes = [UInt8]("\(versionLine)".utf8)
    for stanza in stanzas { stanza.write(to: &bytes) }
    bytes.append(contentsOf: "---".utf8)
    return bytes
  }
}
