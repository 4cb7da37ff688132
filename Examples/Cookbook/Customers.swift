import CookbookSupport
import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing
import VaultFields

/// A customer whose type is nested as its JSON is; ``VaultRecords/Customer`` is the flat one that the vault has.
///
/// Nothing here says how it is encoded: the nested structs are the nested objects, and a key strategy makes the names.
struct NestedCustomer: Codable, Equatable, Sendable {
  struct Address: Codable, Equatable, Sendable {
    var street: String?
    var city: String?
    var zip: String?
  }

  struct ContactInfo: Codable, Equatable, Sendable {
    var homePhone: String?
    var cellularPhone: String?
    var email: String?
  }

  var name: String
  var accessKey: EncryptedCodableString
  var atmCode: EncryptedCodableString?
  var addedOn: Date
  var address: Address?
  var contactInfo: ContactInfo?
  var website: String?
}

@main
struct Customers {
  static func main() async {
    await Example.run("Customers") { example in
      var customerCount = 0
      var skipped: [LossyArray<Customer>.Skipped] = []
      for file in try example.files(fixtures: "customers") {
        let read = try example.decode(LossyArray<Customer>.self, from: file)
        skipped += read.skipped
        customerCount += read.elements.count
        try example.roundTrip(read.elements, forms: Example.formsWithFractions)
        try compareStructures(read.elements, example)
        for customer in read.elements {
          try await example.store(customer, secret: customer.accessKey.reveal())
        }
      }
      for item in skipped { print("Customers: skipped \(item.path): \(item.reason)") }
      return
        "\(customerCount) customers flat and nested, as JSON and binary property lists and in a vault; \(skipped.count) skipped"
    }
  }

  /// Both structures read the same sealed JSON, and write the same bytes: unchanged members keep their tokens.
  private static func compareStructures(_ flat: [Customer], _ example: Example) throws {
    let encoder = JSONEncoder.sealing(with: example.context)
    encoder.outputFormatting = .sortedKeys
    let decoder = JSONDecoder.opening(with: example.context)
    let json = try encoder.encode(flat)
    let read = try decoder.decode([Customer].self, from: json)
    decoder.keyDecodingStrategy = .style(.camel)
    let nested = try decoder.decode([NestedCustomer].self, from: json)
    try example.check(read == flat, "a flat customer came back changed")
    try example.check(nested.map(\.contactInfo?.email) == flat.map(\.email), "the structures differ")
    encoder.keyEncodingStrategy = .style(.snake)
    try example.check(try encoder.encode(nested) == json, "the nested structure is written otherwise")
    try example.roundTrip(nested, forms: Example.formsWithFractions)
  }
}
