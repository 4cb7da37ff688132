import Foundation
import VaultDocument
import VaultRecords
import VaultSealing
import VaultFields

/// Types of records that are recursive, mixed, generic, inherited, or look before they read; each with a value.
enum OddTypes {
  struct Case {
    let type: any VaultRecord.Type
    /// The member that is refused; nil for a type that is taken.
    var refusedAt: String?
    let value: any VaultRecord

    init(_ value: some VaultRecord, refusedAt path: String? = nil) {
      (self.value, type, refusedAt) = (value, Swift.type(of: value), path)
    }
  }

  // MARK: - Types that reach themselves

  struct Tree: VaultRecord { var name = "n", children: [Tree] = [] }
  struct SealedTree: VaultRecord { var name = "n", secret: EncryptedCodableString = "s", children: [SealedTree] = [] }
  final class Linked: VaultRecord {
    let name: String, next: Linked?
    init(_ name: String, _ next: Linked? = nil) { (self.name, self.next) = (name, next) }
  }
  struct Left: VaultRecord { var name = "n", right: Right? }
  struct Right: Codable, Sendable { var left: [Left] }
  struct Lock: VaultRecord { var name = "n", key: Key? }
  struct Key: Codable, Sendable { var secret: EncryptedCodableString = "s", locks: [String: Lock] = [:] }
  struct Folders: VaultRecord { var name = "n", folders: [String: Folders] = [:] }
  struct Crowd: VaultRecord, Hashable { var name = "n", others: Set<Crowd> = [] }
  indirect enum Sum: Codable, Sendable { case number(Int), plus(Sum, Sum) }
  struct Formula: VaultRecord { var name = "n", sum = Sum.plus(.number(1), .number(2)) }
  indirect enum Chain: Codable, Sendable { case end(secret: EncryptedCodableString), link(Chain) }
  struct Chained: VaultRecord { var name = "n", chain = Chain.link(.end(secret: "s")) }
  /// The generic type ends nowhere: its members are of a type that holds another one.
  struct Nest<Item: Codable & Sendable>: Codable, Sendable {
    var item: Item?
    init(_ item: Item?) { self.item = item }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyCodingKey.self)
      item = try container.decodeIfPresent(Item.self, forKey: "item")
      _ = try container.decodeIfPresent(Nest<[Item]>.self, forKey: "inner")
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      try container.encodeIfPresent(item, forKey: "item")
    }
  }
  struct Nested: VaultRecord { var name = "n", nest = Nest<Int>(1) }

  // MARK: - Any JSON

  struct Loose: VaultRecord { var name = "n", value: JSONValue = .array([.bool(true)]), more: [JSONValue] = [.null] }
  struct Closed: VaultRecord { var name = "n", value = Sealed<JSONValue>(.string("s")) }
  enum Block: VariantCases, Sendable {
    case text(String)
    static let discriminator: AnyCodingKey = "type"
    var variantName: String { "text" }
    init?(variant name: String, from decoder: any Decoder) throws {
      guard name == "text" else { return nil }
      self = .text(try decoder.container(keyedBy: AnyCodingKey.self).decode(String.self, forKey: "text"))
    }
    init(_ text: String) { self = .text(text) }
    func encode(to encoder: any Encoder) throws {
      guard case .text(let text) = self else { return }
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      try container.encode(text, forKey: "text")
    }
  }
  struct Page: VaultRecord { var name = "n", first = Variant.known(Block("a")), blocks = [Variant.known(Block("b"))] }

  // MARK: - Enums and dictionaries

  enum Rarity: String, Codable, Sendable { case common, rare = "very rare" }
  enum Level: Int, Codable, Sendable { case low = 3, high = 7 }
  enum Only: String, Codable, Sendable { case one }
  enum Plain: Codable, Sendable { case on, off }
  enum Way: Codable, Sendable { case key(secret: EncryptedCodableString), note(text: String), none }
  struct Ranked: VaultRecord {
    var name = "n", rarity = Rarity.rare, level = Level.high, only = Only.one, plain = Plain.off, maybe: Rarity?
    var list = [Level.low, .high], days: [Rarity: String] = [.rare: "r"], rows: [Int: String] = [3: "x"]
    var others: [UUID: String] = [UUID(): "y"], bools: [Bool] = [true]
  }
  struct Access: VaultRecord { var name = "n", way = Way.note(text: "t"), ways = [Way.key(secret: "s"), .none] }

  // MARK: - Types that look before they read

  enum Poly: Codable, Sendable {
    case text(String), number(Int)
    enum CodingKeys: String, CodingKey { case text, number }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if container.allKeys.contains(.number), container.allKeys.count < 9 {
        self = .number(try container.decode(Int.self, forKey: .number))
      } else {
        self = .text(try container.decode(String.self, forKey: .text))
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      switch self {
      case .text(let text): try container.encode(text, forKey: .text)
      case .number(let number): try container.encode(number, forKey: .number)
      }
    }
  }
  struct Mixed: VaultRecord { var name = "n", parts = [Poly.number(1), .text("t")] }
  struct Hiding: Codable, Sendable {
    var secret: EncryptedCodableString?, text = ""
    enum CodingKeys: String, CodingKey { case text, secret, other }
    init() {}
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if container.allKeys.contains(.secret) {
        secret = try container.decode(EncryptedCodableString.self, forKey: .secret)
      } else {
        text = try container.decode(String.self, forKey: .text)
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
    }
  }
  struct Hidden: VaultRecord { var name = "n", part = Hiding() }
  struct Told: VaultRecord {
    var name = "n", type = "b", count: Int? = 1
    init() {}
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      type = try container.decode(String.self, forKey: .type)
      switch type {
      case "b": count = try container.decode(Int.self, forKey: .count)
      default: _ = try container.decode(String.self, forKey: .other)
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(type, forKey: .type)
      try container.encode(count, forKey: .count)
    }
    enum CodingKeys: String, CodingKey { case name, type, count, other }
  }
  struct Zip: Codable, Sendable {
    var text: String
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      text = if let number = try? container.decode(Int.self) { "\(number)" } else { try container.decode(String.self) }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
  struct Street: VaultRecord { var name = "n", zip = Zip("0123"), zips = [Zip("1")] }
  struct Flexible: Codable, Sendable {
    var city: String
    init(_ city: String) { self.city = city }
    init(from decoder: any Decoder) throws {
      if let container = try? decoder.container(keyedBy: AnyCodingKey.self) {
        city = try container.decode(String.self, forKey: "city")
      } else {
        city = try decoder.singleValueContainer().decode(String.self)
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(city)
    }
  }
  struct Place: VaultRecord { var name = "n", city = Flexible("c") }

  // MARK: - All other

  struct UserID: Codable, Sendable {
    var number = 7
    init() {}
    init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }
  struct Point: Codable, Sendable {
    var x = 1.0, y = 2.0
    init() {}
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      (x, y) = (try container.decode(Double.self), try container.decode(Double.self))
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(x)
      try container.encode(y)
    }
  }
  struct Greedy: Codable, Sendable {
    var items: [String] = ["a"]
    init() {}
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      while let item = try? container.decode(String.self) { items.append(item) }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode("a")
    }
  }
  struct Assorted: VaultRecord {
    var name = "n", id = UserID(), point = Point(), greedy = Greedy(), twice: String?? = "t",
      date = Date(timeIntervalSince1970: 0)
    var data = Data([1]), price = Decimal(1.5), uuid = UUID(), small: UInt8 = 1, ratio: Float = 0.5
  }
  class Animal: Codable, @unchecked Sendable {
    var name = "n"
    init() {}
  }
  final class Dog: Animal, VaultRecord, @unchecked Sendable {
    var tag = "t"
    enum CodingKeys: String, CodingKey { case tag, animal }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      tag = try container.decode(String.self, forKey: .tag)
      try super.init(from: container.superDecoder(forKey: .animal))
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(tag, forKey: .tag)
      try super.encode(to: container.superEncoder(forKey: .animal))
    }
  }
  struct Box<Item: Codable & Sendable>: VaultRecord {
    static var kindName: String { "box" }
    var name: String
    var item: Item
    var items: [Item]
    var secret: Sealed<Item>

    init(_ item: Item) { (name, self.item, items, secret) = ("n", item, [item], Sealed(item)) }
  }
  struct Cost: Codable, Sendable {
    var text = "{3}"
    init() {}
    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      guard text.hasPrefix("{") else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "cost"))
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
  struct Card: VaultRecord { var cost = Cost(), name = "n" }
  struct GoodCard: VaultRecord {
    static let described: [String: ValueSchema] = ["cost": .text.example("{3}{W}")]
    var cost = Cost(), name = "n", rarity = Rarity.common
  }
  struct Tagged: VaultRecord {
    enum CodingKeys: String, CodingKey { case name = "Meta Data", open = "1. open", secret = "the secret" }
    var name = "n", open = "1", secret: EncryptedCodableString = "s"
  }
  actor Counter {
    struct Snapshot: VaultRecord { var name = "n", count = 1, token: EncryptedCodableString = "t" }
    func snapshot() -> Snapshot { Snapshot() }
  }
  struct Lossy: VaultRecord { var name = "n", items = LossyArray<Int>([1, 2]) }
  struct Many: VaultRecord {
    var name = "n", a = Rarity.rare, b = Rarity.rare, c = Rarity.rare, d = Rarity.rare, e = Rarity.rare, f = Rarity.rare
    var way = Way.none, ways = [Way.none], g = Level.low, h = Level.low, secret: EncryptedCodableString = "s"
  }

  static let all: [Case] = [
    Case(Tree(children: [Tree(name: "c", children: [Tree()])])), Case(SealedTree(), refusedAt: "children"),
    Case(Linked("a", Linked("b", Linked("c")))),
    Case(Left(right: Right(left: [Left(), Left(right: Right(left: []))]))),
    Case(Lock(key: Key()), refusedAt: "key.locks"), Case(Folders(folders: ["a": Folders(folders: ["b": Folders()])])),
    Case(Crowd(others: [Crowd(name: "m")])), Case(Formula()), Case(Chained(), refusedAt: "chain.link._0"),
    Case(Nested()), Case(Loose()), Case(Closed()), Case(Page()), Case(Ranked()), Case(Access()), Case(Mixed()),
    Case(Hidden(), refusedAt: "part"), Case(Told()), Case(Street()), Case(Place()), Case(Assorted()), Case(Dog()),
    Case(Box(1)), Case(Box(Rarity.rare)),
    Case(Box(Tree(children: [Tree()]))), Case(Card(), refusedAt: "cost"), Case(GoodCard()),
    Case(Tagged()), Case(Counter.Snapshot()), Case(Lossy()), Case(Many()),
    Case(Access(way: .key(secret: "s"), ways: [])), Case(Access(way: .none, ways: [.note(text: "t")])),
    Case(Mixed(parts: [])), Case(Mixed(parts: [.text("a"), .text("b")])), Case(Ranked(maybe: .common)),
    Case(Formula(sum: .number(3))), Case(Tree()), Case(Linked("a")), Case(Loose(value: .null, more: [])),
  ]
}
