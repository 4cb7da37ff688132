/// What importers know of the members of a kind.
struct KindShape: Sendable {
  /// Text members, with what their text must be.
  let texts: [String: @Sendable (String) -> Bool]
  /// Lists of text, with what an item must be.
  let lists: [String: @Sendable (String) -> Bool]
  /// Members without which there is no such record.
  var required: Set<String> = []
  /// The member that takes `notes`.
  var notes = "notes"
  /// Whether the kind has `fields` and `secrets`; else what it has no member for is sealed under `extra`.
  var hasCustomFields = false

  /// Where a readable value goes that the kind has no member for.
  var readableMap: String { hasCustomFields ? "fields" : "extra" }
  /// Where a secret one goes.
  var secretMap: String { hasCustomFields ? "secrets" : "extra" }
}

extension KindShape {
  /// The shape of a kind; nil for one that imports know nothing about.
  static func of(_ kind: String) -> KindShape? { shapes[kind] }

  private static let any: @Sendable (String) -> Bool = { _ in true }
  private static let tags = ["tags": any]

  private static let shapes: [String: KindShape] = [
    "login": KindShape(
      texts: ["title": any, "username": any, "password": any, "totp": any, "notes": any],
      lists: ["urls": Form.isURL, "tags": any], hasCustomFields: true),
    "secure-note": KindShape(texts: ["title": any, "text": any], lists: tags, required: ["text"], notes: "text"),
    "payment-card": KindShape(
      texts: [
        "title": any, "holder": any, "number": Form.isCardNumber, "expiry": Form.isExpiry,
        "security_code": { (3...4).contains($0.utf8.count) && Form.isDigits($0) }, "pin": Form.isDigits,
      ], lists: tags, required: ["holder", "number"]),
    "ssh-key": KindShape(
      texts: ["title": any, "public_key": any, "private_key": any, "passphrase": any, "fingerprint": any], lists: tags,
      required: ["public_key", "private_key"]),
    "api-key": KindShape(
      texts: ["title": any, "issuer": any, "key_id": any, "secret": any, "expires_at": any],
      lists: ["scopes": any, "tags": any], required: ["issuer", "secret"]),
    "database": KindShape(
      texts: ["title": any, "engine": any, "host": any, "database": any, "user": any, "password": any], lists: tags,
      required: ["engine", "host"]),
    "custom": KindShape(texts: ["title": any], lists: tags, hasCustomFields: true),
  ]
}

/// The forms of text that kinds want.
private enum Form {
  /// A scheme, a colon, and no character that no address has.
  static let isURL: @Sendable (String) -> Bool = { text in
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = text.utf8[..<colon]
    return scheme.first.map(isLetter) == true && scheme.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
      && text.utf8.index(after: colon) != text.utf8.endIndex
      && !text.unicodeScalars.contains {
        $0.properties.isWhitespace || $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
          || "<>\"\\^`{|}".unicodeScalars.contains($0)
      }
  }

  static let isDigits: @Sendable (String) -> Bool = { !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }

  /// Digits with single spaces or hyphens between them.
  static let isCardNumber: @Sendable (String) -> Bool = { text in
    let groups = text.split(omittingEmptySubsequences: false) { $0 == " " || $0 == "-" }
    return groups.allSatisfy { isDigits(String($0)) }
  }

  /// `MM/YY` or `YYYY-MM`.
  static let isExpiry: @Sendable (String) -> Bool = { CardExpiry.normal($0) == $0 }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
}
