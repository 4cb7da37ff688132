#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `Customer` with plain strings where that seals: the same members in the same nested containers.
struct PlainCustomer: Encodable {
  private enum CodingKeys: String, CodingKey {
    case name, website, address
    case accessKey = "access_key"
    case atmCode = "atm_code"
    case addedOn = "added_on"
    case contactInfo = "contact_info"
  }

  private enum AddressKeys: String, CodingKey {
    case street, city, zip
  }

  private enum ContactInfoKeys: String, CodingKey {
    case email
    case homePhone = "home_phone"
    case cellularPhone = "cellular_phone"
  }

  var name: String
  var accessKey: String
  var atmCode: String?
  var addedOn: Date
  var street: String?
  var city: String?
  var zip: String?
  var homePhone: String?
  var cellularPhone: String?
  var email: String?
  var website: String?

  func encode(to encoder: any Encoder) throws {
    var customer = encoder.container(keyedBy: CodingKeys.self)
    try customer.encode(name, forKey: .name)
    try customer.encode(accessKey, forKey: .accessKey)
    try customer.encodeIfPresent(atmCode, forKey: .atmCode)
    try customer.encode(addedOn, forKey: .addedOn)
    try customer.encodeIfPresent(website, forKey: .website)
    var address = customer.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
    try address.encodeIfPresent(street, forKey: .street)
    try address.encodeIfPresent(city, forKey: .city)
    try address.encodeIfPresent(zip, forKey: .zip)
    var contact = customer.nestedContainer(keyedBy: ContactInfoKeys.self, forKey: .contactInfo)
    try contact.encodeIfPresent(homePhone, forKey: .homePhone)
    try contact.encodeIfPresent(cellularPhone, forKey: .cellularPhone)
    try contact.encodeIfPresent(email, forKey: .email)
  }
}
