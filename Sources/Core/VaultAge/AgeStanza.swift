internal import VaultDocument

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

  package init(type: String, arguments: [String], body: [UInt8]) {
    (self.type, self.arguments, self.body) = (type, arguments, body)
  }

  /// The type of a stanza for an `age1…` recipient.
  static let x25519Type = "X25519"
  /// The type of a stanza for an `age1pq1…` recipient.
  static let hybridType = "mlkem768x25519"
  /// The type of a stanza for a passphrase.
  static let scryptType = "scrypt"

  static let columnCount = 64

  /// The base64 text of an argument.
  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    Base64.append(bytes.span, .unpadded, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of an argument, which must exist; nil if it is not canonical base64 of `count` bytes.
  func bytes(ofArgument index: Int, count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    let isCanonical = Base64.append(decoding: arguments[index].utf8Span.span, .unpadded, to: &bytes)
    return isCanonical && bytes.count == count ? bytes : nil
  }

  /// Appends the stanza in the form of the header.
  func write(to header: inout [UInt8]) {
    header.append(contentsOf: "->".utf8)
    for argument in [type] + arguments {
      header.append(.space)
      header.append(contentsOf: argument.utf8)
    }
    header.append(.lineFeed)
    var text: [UInt8] = []
    Base64.append(body.span, .unpadded, to: &text)
    var start = 0
    // The last line must be short, so a body of whole lines ends with an empty line.
    while text.count - start >= Self.columnCount {
      header.append(contentsOf: text[start..<start + Self.columnCount])
      header.append(.lineFeed)
      start += Self.columnCount
    }
    header.append(contentsOf: text[start...])
    header.append(.lineFeed)
  }
}
