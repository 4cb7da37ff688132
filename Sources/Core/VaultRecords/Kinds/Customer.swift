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
  /// The name in lists.
  public var name: String
  /// Secret.
  public var accessKey: EncryptedCodableString
  /// Secret.
  public var atmCode: EncryptedCodableString?
  /// The day on which the person became a customer, to the millisecond.
  public var addedOn: Date
  /// Street and number; `address.street` in the JSON.
  public var street: String?
  /// The town; `address.city` in the JSON.
  public var city: String?
  /// Text, so that leading zeros and letters stay; a number in the input becomes its digits.
  public var zip: String?
  /// The telephone at home; `contact_info.home_phone` in the JSON.
  public var homePhone: String?
  /// The mobile telephone; `contact_info.cellular_phone` in the JSON.
  public var cellularPhone: String?
  /// The mail address; `contact_info.email` in the JSON.
  public var email: String?
  /// The address of a page, with its scheme; `contact_info.website` in the JSON.
  public var website: String?
  /// Words to find it by.
  public var tags: [String]

  /// A customer; only the name, the access key and the date are required.
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

extension Customer: DescribedRecord {
  public static var kindName: String { "customer" }
  public static var schema: Int { 2 }
  /// Schema 2: the website moves to the other contact data.
  public static var migrations: [Migration] { [Migration(to: 2, [.move("website", to: "contact_info.website")])] }
  /// The default names of a Swift program, and the members of nested objects at the top level.
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
  public static let blank = Customer(name: "", accessKey: "", addedOn: .distantPast)
  public static let members: [Member<Customer>] = [
    Member("name", \.name, "Name"),
    Member("access_key", \.accessKey, "Access key", secret: .key),
    Member("atm_code", \.atmCode, "ATM code", as: .digits, secret: .pin),
    Member("added_on", \.addedOn, "Added on", as: .referenceMoment),
    .nested(
      "address",
      [
        Member("street", \.street, "Street"),
        Member("city", \.city, "City"),
        Member("zip", \.zip, "Zip", as: .digits),
      ]),
    .nested(
      "contact_info",
      [
        Member("home_phone", \.homePhone, "Home phone"),
        Member("cellular_phone", \.cellularPhone, "Cellular phone"),
        Member("email", \.email, "Email"),
        Member("website", \.website, "Website"),
      ]),
    .tags(\.tags),
  ]
}

extension ValueSchema {
  /// Text for which the input may have a whole number.
  fileprivate static var digits: ValueSchema {
    var rule = TextRule()
    rule.takesDigits = true
    return ValueSchema(.text(rule))
  }

  /// A moment that may be given as Swift's encoders write dates.
  fileprivate static var referenceMoment: ValueSchema {
    var rule = TextRule()
    rule.format = .dateTime
    rule.takesReferenceSeconds = true
    return ValueSchema(.text(rule))
  }
}
