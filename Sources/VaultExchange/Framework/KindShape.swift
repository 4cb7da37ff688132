extension KindShape {
  /// The shape of a kind; nil for one that imports know nothing about.
  static func of(_ kind: String) -> KindShape? { shapes[kind] }

  private static let shapes: [String: KindShape] = [
    "login": KindShape(
      texts: ["title", "username", "password", "totp", "notes"], lists: ["urls", "tags"], notes: "notes",
      hasCustomFields: true),
    "secure-note": KindShape(texts: ["title", "text"], lists: ["tags"], notes: "text", hasCustomFields: true),
    "payment-card": KindShape(
      texts: ["title", "holder", "number", "expiry", "security_code", "pin", "notes"], lists: ["tags"],
      notes: "notes", hasCustomFields: true),
    "custom": KindShape(texts: ["title"], lists: ["tags"], notes: "notes", hasCustomFields: true),
  ]
}
