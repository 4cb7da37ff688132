import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing

/// The values of all measurements: a customer with two sealed fields, and the same with plain strings.
enum Sample {
  static let addedOn = Date(timeIntervalSince1970: 1_597_862_667)

  static let customer = Customer(
    name: "Shai Mishali", accessKey: "~7hgUh2a*4<%z#g4qM%Ekx9dl9Wg~", atmCode: "000522", addedOn: addedOn,
    street: "3828 Piermont Drive", city: "Albuquerque", zip: "87112", homePhone: "+1 212-555-1000",
    cellularPhone: "+44 7700 900100", email: "customer1@example.com", website: "https://example.com/customers/1")

  static let plain = PlainCustomer(
    name: "Shai Mishali", accessKey: "~7hgUh2a*4<%z#g4qM%Ekx9dl9Wg~", atmCode: "000522", addedOn: addedOn,
    address: .init(street: "3828 Piermont Drive", city: "Albuquerque", zip: "87112"),
    contactInfo: .init(
      homePhone: "+1 212-555-1000", cellularPhone: "+44 7700 900100", email: "customer1@example.com",
      website: "https://example.com/customers/1"))

  /// The same as clear input.
  static let clear = known {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return try JSONParser.parse([UInt8](encoder.encode(plain))).object ?? JSONObject()
  }

  static let vaultID = VaultID.random()
  static let recordID = RecordID.random()
  static let root = known { try RootKey.random(vaultID: vaultID) }
  static let dataKey = known { try root.makeDataKey(for: recordID) }
  static let draft = EnvelopeDraft(
    id: recordID, kind: "customer", schema: 2, now: .now(), wrappedKey: dataKey.wrapped)

  /// The record's own members, sealed fields as tokens.
  static let fields = known {
    let encoder = JSONEncoder.sealing(with: dataKey.keys.context())
    let members = try JSONParser.parse([UInt8](encoder.encode(customer))).object
    return members ?? JSONObject()
  }

  static let recordFile = known { try RecordSeal.seal(fields, draft, keys: dataKey.keys).prettyBytes() }
}

/// `Customer` with plain strings where that seals.
struct PlainCustomer: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, address
    case accessKey = "access_key"
    case atmCode = "atm_code"
    case addedOn = "added_on"
    case contactInfo = "contact_info"
  }

  struct Address: Codable {
    var street, city, zip: String
  }

  struct Contact: Codable {
    enum CodingKeys: String, CodingKey {
      case email, website
      case homePhone = "home_phone"
      case cellularPhone = "cellular_phone"
    }

    var homePhone, cellularPhone, email, website: String
  }

  var name, accessKey, atmCode: String
  var addedOn: Date
  var address: Address
  var contactInfo: Contact
}

/// A value without which nothing can be measured.
func known<Value>(_ make: () throws -> Value) -> Value {
  do { return try make() } catch { fatalError("the benchmark cannot be set up: \(error)") }
}
