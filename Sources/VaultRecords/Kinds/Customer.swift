public import VaultSealing

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A customer with an access key and an ATM code.
///
/// The struct is flat; its JSON groups the postal address and the ways to reach the customer in nested objects.
public struct Customer: Sendable, Equatable {
  public var name: String
  /// Secret.
  public var accessKey: EncryptedCodableString
  /// Secret.
  public var atmCode: EncryptedCodableString?
  public var addedOn: Date
  public var street: String?
  public var city: String?
  /// Text, so that leading zeros and letters stay; a number in the input becomes its digits.
  public var zip: String?
  public var homePhone: String?
  public var cellularPhone: String?
  public var email: String?
  public var website: String?
  public var tags: [String]

  public init(
    name: String, accessKey: EncryptedCodableString, atmCode: EncryptedCodableString? = nil, addedOn: Date,
    street: String? = nil, city: String? = nil, zip: String? = nil,
    homePhone: String? = nil, cellularPhone: String? = nil, email: String? = nil, website: String? = nil,
    tags: [String] = []
  ) {
    self.name = name
    self.accessKey = accessKey
    self.atmCode = atmCode
    self.addedOn = addedOn
    self.street = street
    self.city = city
    self.zip = zip
    self.homePhone = homePhone
    self.cellularPhone = cellularPhone
    self.email = email
    self.website = website
    self.tags = tags
  }
}

extension Customer: VaultRecord {
  public static var kindName: String { "customer" }
  public static var schema: Int { 2 }
  /// Schema 2: the website is a way to reach the customer like the others.
  public static var migrations: [Migration] { [Migration(to: 2, [.move("website", to: "contact_info.website")])] }
  /// The names that a Swift program writes by itself, and what stands in an object here at the top.
  public static var inputPaths: [(source: String, target: String)] {
    let tops = [
      ("accessKey", "access_key"), ("atmCode", "atm_code"), ("addedOn", "added_on"), ("contactInfo", "contact_info"),
    ]
    let contacts = [("homePhone", "home_phone"), ("cellularPhone", "cellular_phone")]
    return tops
      + contacts.flatMap { camel, snake in
        ["contact_info.\(camel)", camel, snake].map { (source: $0, target: "contact_info.\(snake)") }
      } + [("email", "contact_info.email")]
      + ["street", "city", "zip"].map { ($0, "address.\($0)") }
  }
  public static var summary: String { "A customer with an access key and an ATM code." }
  public static var titlePaths: [String] { ["name"] }
  public static var isDescribedByContent: Bool { true }
  public static var content: [MemberSchema] {
    var digits = TextRule()
    digits.takesDigits = true
    var moment = TextRule()
    moment.format = .dateTime
    moment.takesReferenceSeconds = true
    return [
      MemberSchema("name", .text, "Name", required: true),
      MemberSchema("access_key", .text.sealed(as: .key), "Access key", required: true),
      MemberSchema("atm_code", ValueSchema(.text(digits)).sealed(as: .pin), "ATM code"),
      MemberSchema("added_on", ValueSchema(.text(moment)), "Added on", required: true),
      MemberSchema(
        "address",
        .object([
          MemberSchema("street", .text, "Street"),
          MemberSchema("city", .text, "City"),
          MemberSchema("zip", ValueSchema(.text(digits)), "Zip"),
        ])),
      MemberSchema(
        "contact_info",
        .object([
          MemberSchema("home_phone", .text, "Home phone"),
          MemberSchema("cellular_phone", .text, "Cellular phone"),
          MemberSchema("email", .text, "Email"),
          MemberSchema("website", .text, "Website"),
        ])),
      .tags,
    ]
  }
}

extension Customer: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, address, tags
    case accessKey = "access_key"
    case atmCode = "atm_code"
    case addedOn = "added_on"
    case contactInfo = "contact_info"
  }

  private enum AddressKeys: String, CodingKey {
    case street, city, zip
  }

  private enum ContactInfoKeys: String, CodingKey {
    case email, website
    case homePhone = "home_phone"
    case cellularPhone = "cellular_phone"
  }

  public init(from decoder: any Decoder) throws {
    let customer = try decoder.container(keyedBy: CodingKeys.self)
    name = try customer.decode(String.self, forKey: .name)
    accessKey = try customer.decode(EncryptedCodableString.self, forKey: .accessKey)
    atmCode = try customer.decodeIfPresent(EncryptedCodableString.self, forKey: .atmCode)
    addedOn = try customer.decode(Date.self, forKey: .addedOn)
    tags = try customer.decodeList(forKey: .tags)
    if try customer.hasValue(forKey: .address) {
      let address = try customer.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
      street = try address.decodeIfPresent(String.self, forKey: .street)
      city = try address.decodeIfPresent(String.self, forKey: .city)
      zip = try address.decodeTextOrDigits(forKey: .zip)
    }
    if try customer.hasValue(forKey: .contactInfo) {
      let contact = try customer.nestedContainer(keyedBy: ContactInfoKeys.self, forKey: .contactInfo)
      homePhone = try contact.decodeIfPresent(String.self, forKey: .homePhone)
      cellularPhone = try contact.decodeIfPresent(String.self, forKey: .cellularPhone)
      email = try contact.decodeIfPresent(String.self, forKey: .email)
      website = try contact.decodeIfPresent(String.self, forKey: .website)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    let context = try SealingContext.of(encoder)
    var customer = encoder.container(keyedBy: CodingKeys.self)
    try customer.encode(name, forKey: .name)
    try customer.encode(accessKey, forKey: .accessKey, in: context)
    if let atmCode { try customer.encode(atmCode, forKey: .atmCode, in: context) }
    try customer.encode(addedOn, forKey: .addedOn)
    try customer.encodeUnlessEmpty(tags, forKey: .tags)
    if street != nil || city != nil || zip != nil {
      var address = customer.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
      try address.encodeIfPresent(street, forKey: .street)
      try address.encodeIfPresent(city, forKey: .city)
      try address.encodeIfPresent(zip, forKey: .zip)
    }
    if homePhone != nil || cellularPhone != nil || email != nil || website != nil {
      var contact = customer.nestedContainer(keyedBy: ContactInfoKeys.self, forKey: .contactInfo)
      try contact.encodeIfPresent(homePhone, forKey: .homePhone)
      try contact.encodeIfPresent(cellularPhone, forKey: .cellularPhone)
      try contact.encodeIfPresent(email, forKey: .email)
      try contact.encodeIfPresent(website, forKey: .website)
    }
  }
}

extension KeyedDecodingContainer {
  /// Whether the member is there and not null.
  fileprivate func hasValue(forKey key: Key) throws -> Bool { try contains(key) && !decodeNil(forKey: key) }

  /// Text, or a whole number as its digits.
  fileprivate func decodeTextOrDigits(forKey key: Key) throws -> String? {
    do {
      return try decodeIfPresent(String.self, forKey: key)
    } catch DecodingError.typeMismatch(let type, let context) {
      guard let number = try? decode(Int.self, forKey: key) else { throw DecodingError.typeMismatch(type, context) }
      return String(number)
    }
  }
}
