/// The textual header of an age file, parsed but not authenticated.
///
/// It can be looked at before any work is done: how many stanzas there are, of which type, at which cost. Only a file
/// key that fits the MAC makes it trustworthy. Source: c2sp.org/age, "Header".
public struct AgeHeader: Hashable, Sendable {
  /// The stanzas in the order of the file; at least one.
  public let stanzas: [AgeStanza]
  /// The 32 bytes of the MAC line.
  public let mac: [UInt8]
  /// How many bytes the header takes, its last line feed included; the payload follows.
  public let byteCount: Int

  /// The largest header that is read, 1 MiB.
  public static let maximumByteCount = 1 << 20
  /// The largest number of stanzas that is read.
  static let maximumStanzaCount = 1000

  static let versionLine: StaticString = "age-encryption.org/v1\n"
  static let macByteCount = 32
  // " ", 43 characters and LF follow the part that the MAC covers.
  private static let macLineRestCount = 45

  /// How many bytes from the start of the file the MAC covers: up to and including `---`.
  package var authenticatedByteCount: Int { byteCount - Self.macLineRestCount }

  /// Whether a stanza for a passphrase is present.
  var hasScryptStanza: Bool { stanzas.contains { $0.type == AgeStanza.scryptType } }

  /// The base-two logarithm of scrypt's N, when the file is sealed with a passphrase; nil otherwise.
  ///
  /// It costs nothing: no key is derived.
  /// - Throws: `.malformedHeader` when the scrypt stanza is malformed or not alone; `.workFactorOutOfRange` when the
  ///   number is beyond all use.
  public func scryptWorkFactor() throws(AgeError) -> Int? {
    guard hasScryptStanza else { return nil }
    return try ScryptStanza(onlyStanzaOf: self).workFactor
  }

  /// The header that `stanzas` make, up to and including `---`.
  package static func authenticatedBytes(_ stanzas: [AgeStanza]) -> [UInt8] {
    var bytes = [UInt8]("\(versionLine)".utf8)
    for stanza in stanzas { stanza.write(to: &bytes) }
    bytes.append(contentsOf: "---".utf8)
    return bytes
  }
}
