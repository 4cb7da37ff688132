#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The members of a customer's file as plain values: the sealed ones stay the text that they are.
struct PlainCustomer: Decodable {
  struct Address: Decodable {
    var street: String?
    var city: String?
    var zip: String?
  }

  struct ContactInfo: Decodable {
    private enum CodingKeys: String, CodingKey {
      case email
      case homePhone = "home_phone"
      case cellularPhone = "cellular_phone"
    }

    var email: String?
    var homePhone: String?
    var cellularPhone: String?
  }

  private enum CodingKeys: String, CodingKey {
    case name, website, address
    case accessKey = "access_key"
    case atmCode = "atm_code"
    case addedOn = "added_on"
    case contactInfo = "contact_info"
  }

  var name: String
  var accessKey: String
  var atmCode: String?
  var addedOn: Date
  var website: String?
  var address: Address?
  var contactInfo: ContactInfo?

  var characterCount: Int {
    let texts = [
      name, accessKey, atmCode, website, address?.street, address?.city, address?.zip,
      contactInfo?.email, contactInfo?.homePhone, contactInfo?.cellularPhone,
    ]
    return texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}
