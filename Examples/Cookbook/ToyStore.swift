import CookbookSupport
import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing
import VaultFields

/// Somebody who works in the store. The gift is text in newer data, and a toy within a parcel in older data.
class Employee: Codable {
  let name: String
  let birthday: Date
  let gift: String
  let alarmCode: EncryptedCodableString

  // Names as they are after the key strategy; two of them are called otherwise here.
  private enum CodingKeys: String, CodingKey {
    case name, gift
    case birthday = "dateOfBirth"
    case alarmCode = "doorCode"
  }

  required init(from decoder: any Decoder) throws {
    let employee = try decoder.container(keyedBy: CodingKeys.self)
    name = try employee.decode(String.self, forKey: .name)
    birthday = try employee.decode(Date.self, forKey: .birthday)
    alarmCode = try employee.decode(EncryptedCodableString.self, forKey: .alarmCode)
    gift =
      try (try? employee.decode(String.self, forKey: .gift))
      ?? decoder.container(at: "gift", "parcel", "toy").decode(String.self, forKey: "name")
  }
}

/// The parent's members stand in an object of their own.
final class Manager: Employee {
  let reportCount: Int
  private enum CodingKeys: String, CodingKey { case reportCount, person }
  required init(from decoder: any Decoder) throws {
    let manager = try decoder.container(keyedBy: CodingKeys.self)
    reportCount = try manager.decode(Int.self, forKey: .reportCount)
    try super.init(from: manager.superDecoder(forKey: .person))
  }

  override func encode(to encoder: any Encoder) throws {
    var manager = encoder.container(keyedBy: CodingKeys.self)
    try manager.encode(reportCount, forKey: .reportCount)
    try super.encode(to: manager.superEncoder(forKey: .person))
  }
}

/// One of either, told apart by the keys that it has. Unchecked: all members of both classes are constants.
struct Staff: Codable, Equatable, @unchecked Sendable {
  let person: Employee

  init(from decoder: any Decoder) throws {
    let isManager = try decoder.container(keyedBy: AnyCodingKey.self).contains("reportCount")
    person = try isManager ? Manager(from: decoder) : Employee(from: decoder)
  }

  func encode(to encoder: any Encoder) throws { try person.encode(to: encoder) }

  static func == (left: Staff, right: Staff) -> Bool {
    let facts = [left.person, right.person].map { [$0.name, $0.gift, "\($0.birthday)"] }
    return facts[0] == facts[1] && left.person.alarmCode == right.person.alarmCode
      && (left.person as? Manager)?.reportCount == (right.person as? Manager)?.reportCount
  }
}

/// The label on a parcel: `["name", "toy"]`, or `["name", ["toy", "toy"]]` for several.
struct Label: Codable, Equatable, Sendable {
  let name: String
  let toys: [String]

  init(from decoder: any Decoder) throws {
    var label = try decoder.unkeyedContainer()
    name = try label.decode(String.self)
    var toys: [String] = []
    if let toy = try? label.decode(String.self) {
      toys = [toy]
    } else {
      var items = try label.nestedUnkeyedContainer()
      while !items.isAtEnd { toys.append(try items.decode(String.self)) }
    }
    self.toys = toys
  }

  func encode(to encoder: any Encoder) throws {
    var label = encoder.unkeyedContainer()
    try label.encode(name)
    if toys.count == 1 { try label.encode(toys[0]) } else { try label.encode(toys) }
  }
}

struct Store: ExampleRecord {
  var storeName: String, staff: [Staff], parcelLabels: [Label]

  static var kindName: String { "toy-store" }
  static var title: String { "storeName" }
  static var secrets: [String] { [] }  // those within `staff` seal themselves
}

@main
struct ToyStore {
  static func main() async {
    await Example.run("ToyStore", types: [Store.self]) { example in
      let decoder = JSONDecoder.opening(with: example.context.reading(.clearText))
      decoder.keyDecodingStrategy = .style(.camel)
      decoder.dateDecodingStrategy = .formats(try DateFormat(pattern: "dd/MM/yyyy"), .iso8601, .unixSeconds)
      let stores = try example.files().map { try decoder.decode(Store.self, from: $0) }
      for store in stores {
        try example.roundTrip(store, keys: .snake)
        try example.roundTrip(store)
        try await example.store(store, secret: "door-code")
      }
      let staff = stores.flatMap(\.staff)
      let managers = staff.filter { $0.person is Manager }
      return "\(stores.count) stores with \(staff.count) people, \(managers.count) of them managers"
        + " and \(stores.flatMap(\.parcelLabels).count) labels, in snake case, in every form and in a vault"
    }
  }
}
