import CookbookSupport
import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing
import VaultFields

/// The wrapper of services around any answer: `{"data": …, "meta": {"page": 1}}`.
struct Envelope<Content: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  struct Meta: Codable, Equatable { var page: Int }
  var data: Content
  var meta: Meta
}

/// The variants, identified by a member `type`. Variants of a newer service keep their content.
enum Block: VariantCases, Equatable {
  struct Note: Codable, Equatable { var text: String }
  struct Link: Codable, Equatable { var address: URL }
  case note(Note), link(Link)

  static let discriminator: AnyCodingKey = "type"
  var variantName: String { if case .note = self { "note" } else { "link" } }

  init?(variant name: String, from decoder: any Decoder) throws {
    switch name {
    case "note": self = .note(try Note(from: decoder))
    case "link": self = .link(try Link(from: decoder))
    default: return nil
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .note(let note): try note.encode(to: encoder)
    case .link(let link): try link.encode(to: encoder)
    }
  }
}

/// An enum with associated values, of which one member says the case: `{"toy": "…"}`, `{"book": {"pages": 3}}`. No
/// member is the default case, which is read and never written.
enum Gift: Codable, Equatable {
  case toy(String), book(pages: Int), surprise
  private enum Keys: String, CodingKey { case toy, book }
  private enum BookKeys: String, CodingKey { case pages }

  init(from decoder: any Decoder) throws {
    let gift = try decoder.container(keyedBy: Keys.self)
    let known = try decoder.container(keyedBy: AnyCodingKey.self).allKeys
    switch (gift.allKeys.first, known.count) {
    case (nil, 0): self = .surprise
    case (.toy, 1): self = .toy(try gift.decode(String.self, forKey: .toy))
    case (.book, 1):
      let book = try gift.nestedContainer(keyedBy: BookKeys.self, forKey: .book)
      self = .book(pages: try book.decode(Int.self, forKey: .pages))
    default:
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "has not exactly one of the members of a gift"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var gift = encoder.container(keyedBy: Keys.self)
    switch self {
    case .toy(let name): try gift.encode(name, forKey: .toy)
    case .book(let pages):
      var book = gift.nestedContainer(keyedBy: BookKeys.self, forKey: .book)
      try book.encode(pages, forKey: .pages)
    case .surprise:
      throw EncodingError.invalidValue(
        "<gift>", .init(codingPath: encoder.codingPath, debugDescription: "a surprise is not written"))
    }
  }
}

/// A number that may be `NaN` or infinite, which JSON has no numbers for: text then, in every encoder.
struct Measurement: Codable, Equatable {
  var value: Double

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Double.self) {
      value = number
      return
    }
    let names = ["NaN": Double.nan, "Infinity": .infinity, "-Infinity": -.infinity]
    guard let number = names[try container.decode(String.self)] else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "is no number")
    }
    value = number
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if value.isFinite { return try container.encode(value) }
    try container.encode(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
  }

  // Unlike for numbers, NaN equals itself, so that results can be compared.
  static func == (left: Self, right: Self) -> Bool {
    left.value == right.value || left.value.isNaN && right.value.isNaN
  }
}

/// A label that stands under three names: all are written, the last is read.
struct Label: Codable, Equatable {
  var text: String
  private enum Keys: String, CodingKey { case upper = "LABEL", lower = "label", plain = "Label" }

  init(from decoder: any Decoder) throws {
    text = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .plain)
  }

  func encode(to encoder: any Encoder) throws {
    var label = encoder.container(keyedBy: Keys.self)
    try label.encode(text.uppercased(), forKey: .upper)
    try label.encode(text.lowercased(), forKey: .lower)
    try label.encode(text, forKey: .plain)
  }
}

struct Parcel: ExampleRecord {
  var id: UUID
  var name: String
  var page: URL
  var sentOn: Date
  /// Null while it is unknown. The JSON uses another name.
  var arrived: Bool?
  var blocks: [Variant<Block>]
  var gift: Gift
  var weights: [Measurement]
  var label: Label
  var pin: EncryptedCodableString

  private enum CodingKeys: String, CodingKey {
    case id, name, page, sentOn, blocks, gift, weights, label, pin
    case arrived = "delivery_success"
  }
  static var kindName: String { "parcel" }
  static var title: String { "name" }
  static var secrets: [String] { ["pin"] }
}

@main
struct Shapes {
  static func main() async {
    await Example.run("Shapes", types: [Parcel.self]) { example in
      let decoder = JSONDecoder.opening(with: example.context.reading(.clearText))
      var dates: [Date] = []
      var answers: [Envelope<LossyArray<Parcel>>] = []
      for (file, format) in zip(
        try example.files(), [DateFormat.englishDay, .unixMilliseconds, .referenceSeconds])
      {
        decoder.dateDecodingStrategy = .formats(format)
        answers.append(try decoder.decode(Envelope<LossyArray<Parcel>>.self, from: file))
      }
      let parcels = answers.flatMap(\.data.elements)
      dates = parcels.map(\.sentOn)
      try example.check(Set(dates).count == 1, "one moment in three formats is not one")
      let skipped = answers.flatMap(\.data.skipped).map { "\($0.path): \($0.reason)" }
      try example.check(skipped.count == 1, "not one parcel was skipped: \(skipped)")
      for parcel in parcels {
        try example.roundTrip(Envelope(data: parcel, meta: .init(page: 1)))
        try await example.store(parcel, secret: "sample-pin-7")
      }
      let unknown = parcels.flatMap(\.blocks).count { $0.known == nil }
      return "\(answers.count) answers with \(parcels.count) parcels and \(unknown) block of a type that is not known,"
        + " skipped \(skipped[0]), in every form and in a vault"
    }
  }
}
