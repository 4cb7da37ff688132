import CookbookSupport
import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing
import VaultFields

/// The cost of a card: one text, such as `{X}{2}{U}`.
struct ManaCost: Codable, Equatable, Sendable {
  enum Symbol: Equatable, Sendable {
    case any(Int)
    case letter(Character)

    var text: String {
      switch self {
      case .any(let number): "{\(number)}"
      case .letter(let letter): "{\(letter)}"
      }
    }
  }
  var symbols: [Symbol]

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard text.isEmpty || (text.hasPrefix("{") && text.hasSuffix("}")) else { throw Self.unknown(decoder) }
    symbols = try text.dropFirst().dropLast().replacing("}{", with: " ").split(separator: " ").map { symbol in
      if let number = Int(symbol) { return .any(number) }
      guard symbol.count == 1, let letter = symbol.first, "WUBRGCX".contains(letter) else {
        throw Self.unknown(decoder)
      }
      return .letter(letter)
    }
  }

  private static func unknown(_ decoder: any Decoder) -> DecodingError {
    let reason = DocumentError(code: .wrongType, reason: "holds an unknown mana symbol")
    return .dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: reason.reason, underlyingError: reason))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(symbols.map(\.text).joined())
  }
}

enum Rarity: String, Codable, Sendable {
  case common = "Common"
  case uncommon = "Uncommon"
  case rare = "Rare"
  case mythicRare = "Mythic Rare"
  case special = "Special"
  case basicLand = "Basic Land"
}

struct Ruling: Codable, Equatable, Sendable { var date: Date, text: String }

/// A card of magicthegathering.io with its set and its attributes gathered; `power` may be `*`, so all are text.
struct Card: ExampleRecord {
  struct Edition: Codable, Equatable, Sendable { var code: String, name: String? }
  struct Attributes: Codable, Equatable, Sendable { var power: String?, toughness: String?, loyalty: Int? }

  var name: String
  var cost: ManaCost?
  var rarity: Rarity
  var edition: Edition
  var attributes: Attributes
  var rulings: [Ruling]
  /// Ours: in which drawer the card lies.
  var drawer: EncryptedCodableString?

  static var kindName: String { "card" }
  static var title: String { "name" }
  static var secrets: [String] { ["drawer"] }
}

/// An answer has one `card`, several `cards`, or none when it is about a set.
struct Answer: Decodable {
  var cards: [Card]

  init(from decoder: any Decoder) throws {
    let answer = try decoder.container(keyedBy: AnyCodingKey.self)
    cards = try answer.mapItems(forKey: "cards") { try Card(flat: $0.nestedContainer(keyedBy: AnyCodingKey.self)) }
    if let card = try answer.nestedContainerIfPresent(forKey: "card") { cards.append(try Card(flat: card)) }
  }
}

extension Card {
  fileprivate init(flat card: KeyedDecodingContainer<AnyCodingKey>) throws {
    name = try card.decode(String.self, forKey: "name")
    cost = try card.decodeIfPresent(ManaCost.self, forKey: "manaCost")
    rarity = try card.decode(Rarity.self, forKey: "rarity")
    edition = Edition(
      code: try card.decode(String.self, forKey: "set"), name: try card.decodeIfPresent(String.self, forKey: "setName"))
    attributes = Attributes(
      power: try card.decodeIfPresent(String.self, forKey: "power"),
      toughness: try card.decodeIfPresent(String.self, forKey: "toughness"),
      loyalty: try card.decodeIfPresent(Int.self, forKey: "loyalty"))
    rulings = try card.decode(forKey: "rulings", default: [])
  }
}

@main
struct Cards {
  static func main() async {
    await Example.run("Cards", types: [Card.self]) { example in
      let answers = try example.files(fixtures: "codable/mtg").map { try example.decode(Answer.self, from: $0) }
      var cards = answers.flatMap(\.cards)
      for index in cards.indices { cards[index].drawer = EncryptedCodableString("drawer-\(index)-of-the-left-chest") }
      try example.roundTrip(cards)
      for card in cards { try await example.store(card, secret: "-of-the-left-chest") }
      let costs = try example.decode(LossyArray<ManaCost>.self, from: Data(#"["{2}{U}", "{Q}"]"#.utf8))
      try example.check(costs.skipped.map(\.reason) == ["holds an unknown mana symbol"], "an unknown symbol was taken")
      return "\(cards.count) cards with \(cards.flatMap(\.rulings).count) rulings from \(answers.count) answers, "
        + "in every form and in a vault; an unknown mana symbol was refused"
    }
  }
}
