public import VaultDocument
public import VaultSealing

/// A payment card.
public struct PaymentCard: DescribedRecord, Equatable {
  /// The title in lists; without it, the holder.
  public var title: String?
  /// The name on the card.
  public var holder: String
  /// Secret.
  public var number: EncryptedCodableString
  /// `MM/YY` or `YYYY-MM`.
  public var expiry: String?
  /// Secret.
  public var securityCode: EncryptedCodableString?
  /// Secret.
  public var pin: EncryptedCodableString?
  /// Words to find it by.
  public var tags: [String]

  /// A card; only number and holder are required.
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
  public static var summary: String { "A payment card; the check digit of its number is checked." }
  public static var titlePaths: [String] { ["title", "holder"] }
  public static let blank = PaymentCard(holder: "", number: "")
  public static let members: [Member<PaymentCard>] = [
    Member("title", \.title, "Title", as: .name),
    Member("holder", \.holder, "Holder", as: .name),
    Member(
      "number", \.number, "Number",
      as: .text("^[0-9](?:[ -]?[0-9])*$", otherwise: "must be digits, such as 4111 1111 1111 1111")),
    Member(
      "expiry", \.expiry, "Expiry, MM/YY",
      as: .text(
        "^(?:(?:0[1-9]|1[0-2])/[0-9]{2}|[0-9]{4}-(?:0[1-9]|1[0-2]))$",
        otherwise: "must be a month, such as 08/29 or 2029-08")),
    Member(
      "security_code", \.securityCode, "Security code", as: .text("^[0-9]{3,4}$", otherwise: "must be 3 or 4 digits"),
      secret: .pin),
    Member("pin", \.pin, "PIN", as: .text("^[0-9]+$", otherwise: "must be digits"), secret: .pin),
    .tags(\.tags),
  ]

  public static var watchedPaths: Set<String> { ["number"] }

  public static func warnings(about members: JSONObject) -> [(path: String, text: String)] {
    guard case .string(let number)? = members["number"], !hasCheckDigit(number) else { return [] }
    return [("number", "the check digit does not fit: look for a mistyped digit")]
  }

  /// Whether the check digit is right (ISO/IEC 7812-1, annex B).
  package static func hasCheckDigit(_ number: String) -> Bool {
    let digits = number.utf8.map { Int($0) - Int(UInt8(ascii: "0")) }.filter { (0...9).contains($0) }
    let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
      let doubled = digit.element * 2
      return sum + (digit.offset % 2 == 0 ? digit.element : doubled > 9 ? doubled - 9 : doubled)
    }
    return digits.count > 1 && sum % 10 == 0
  }
}
