/// One recipient stanza of a header: the file key wrapped for one recipient.
///
/// Source: c2sp.org/age, "Recipient stanza".
public struct AgeStanza: Hashable, Sendable {
  /// The first argument: `X25519`, `scrypt`, or a type this module does not know. Visible ASCII.
  public let type: String
  /// The arguments after the type. Visible ASCII, each at least one character.
  public let arguments: [String]
  /// The decoded body.
  public let body: [UInt8]

  /// The type of a stanza for an `age1…` recipient.
  public static let x25519Type = "X25519"
  /// The type of a stanza for a passphrase.
  public static let scryptType = "scrypt"

  static let columnCount = 64

  /// Appends the stanza as the header holds it.
  func write(to header: inout [UInt8]) {
    header.append(contentsOf: "->".utf8)
    for argument in [type] + arguments {
      header.append(.space)
      header.append(contentsOf: argument.utf8)
    }
    header.append(.lineFeed)
    var text: [UInt8] = []
    AgeBase64.encode(RawSpan(_elements: body.span), to: &text)
    var start = 0
    // The last line must be a short one, so a body of whole lines ends with an empty line.
    while text.count - start >= Self.columnCount {
      header.append(contentsOf: text[start..<start + Self.columnCount])
      header.append(.lineFeed)
      start += Self.columnCount
    }
    header.append(contentsOf: text[start...])
    header.append(.lineFeed)
  }
}
