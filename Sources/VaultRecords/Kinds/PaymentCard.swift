public import VaultDocument
public import VaultSealing

/// A card to pay with.
public struct PaymentCard: VaultRecord, Equatable {
  public var title: String?
  public var holder: String
  /// Secret.
  public var number: EncryptedCodableString
  /// `MM/YY` or `YYYY-MM`.
  public var expiry: String?
  /// Secret.
  public var securityCode: EncryptedCodableString?
  /// Secret.
  public var pin: EncryptedCodableString?
  public var tags: [String]

  public init(
    title: String? = nil, holder: String, number: EncryptedCodableString, expiry: String? = nil,
    securityCode: EncryptedCodableString? = nil, pin: EncryptedCodableString? = nil, tags: [String] = []
  ) {
    self.title = title
    self.holder = holder
    self.number = number
    self.expiry = expiry
    self.securityCode = securityCode
    self.pin = pin
    self.tags = tags
  }
}

extension PaymentCard {
  public static var kindName: String { "payment-card" }
  public static var summary: String { "A card to pay with; the check digit of its number is looked at." }
  public static var titlePaths: [String] { ["title", "holder"] }
  public static var isDescribedByContent: Bool { true }
  public static var content: [MemberSchema] {
    [
      MemberSchema("title", .name, "Title"),
      MemberSchema("holder", .name, "Holder", required: true),
      MemberSchema("number", .text("^[0-9](?:[ -]?[0-9])*$").sealed, "Number", required: true),
      MemberSchema("expiry", .text("^(?:(?:0[1-9]|1[0-2])/[0-9]{2}|[0-9]{4}-(?:0[1-9]|1[0-2]))$"), "Expiry, MM/YY"),
      MemberSchema("security_code", .text("^[0-9]{3,4}$").sealed(as: .pin), "Security code"),
      MemberSchema("pin", .text("^[0-9]+$").sealed(as: .pin), "PIN"),
      .tags,
    ]
  }

  public static var watchedPaths: Set<String> { ["number"] }

  public static func warnings(about members: JSONObject) -> [(path: String, text: String)] {
    guard case .string(let number)? = members["number"], !hasCheckDigit(number) else { return [] }
    return [("number", "the check digit does not fit: look for a mistyped digit")]
  }

  /// Whether the last digit is the one that the others ask for (ISO/IEC 7812-1, annex B).
  static func hasCheckDigit(_ number: String) -> Bool {
    let digits = number.utf8.map { Int($0) - Int(UInt8(ascii: "0")) }.filter { (0...9).contains($0) }
    let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
      let doubled = digit.element * 2
      return sum + (digit.offset % 2 == 0 ? digit.element : doubled > 9 ? doubled - 9 : doubled)
    }
    return digits.count > 1 && sum % 10 == 0
  }

  private enum CodingKeys: String, CodingKey {
    case title, holder, number, expiry, pin, tags
    case securityCode = "security_code"
  }

  public init(from decoder: any Decoder) throws {
    let card = try decoder.container(keyedBy: CodingKeys.self)
    title = try card.decodeIfPresent(String.self, forKey: .title)
    holder = try card.decode(String.self, forKey: .holder)
    number = try card.decode(EncryptedCodableString.self, forKey: .number)
    expiry = try card.decodeIfPresent(String.self, forKey: .expiry)
    securityCode = try card.decodeIfPresent(EncryptedCodableString.self, forKey: .securityCode)
    pin = try card.decodeIfPresent(EncryptedCodableString.self, forKey: .pin)
    tags = try card.decodeList(forKey: .tags)
  }

  public func encode(to encoder: any Encoder) throws {
    var card = encoder.container(keyedBy: CodingKeys.self)
    try card.encodeIfPresent(title, forKey: .title)
    try card.encode(holder, forKey: .holder)
    try card.encode(number, forKey: .number)
    try card.encodeIfPresent(expiry, forKey: .expiry)
    try card.encodeIfPresent(securityCode, forKey: .securityCode)
    try card.encodeIfPresent(pin, forKey: .pin)
    try card.encodeUnlessEmpty(tags, forKey: .tags)
  }
}
