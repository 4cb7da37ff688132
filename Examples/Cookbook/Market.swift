import CookbookSupport
import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing
import VaultFields

typealias Reader = KeyedDecodingContainer<AnyCodingKey>
typealias Writer = KeyedEncodingContainer<AnyCodingKey>

/// Facts about a company: one flat object of texts, in which `None` stands for nothing.
struct Overview: Codable, Equatable, Sendable {
  private static let none = "None"
  private static let numberNames = [
    "MarketCapitalization", "PERatio", "DividendPerShare", "ProfitMargin", "52WeekHigh", "52WeekLow",
    "50DayMovingAverage",
  ]
  private static let dayNames = ["DividendDate", "ExDividendDate"]
  /// The known numbers. A missing number is in `nothing` instead.
  var numbers: [String: DecimalText] = [:]
  var days: [String: Date] = [:]
  var texts: [String: String] = [:]
  var nothing: [String] = []

  init(service answer: Reader) throws {
    for key in answer.allKeys {
      let (name, text) = (key.stringValue, try answer.decode(String.self, forKey: key))
      if text == Self.none {
        nothing.append(name)
      } else if Self.numberNames.contains(name) {
        numbers[name] = try answer.decode(DecimalText.self, forKey: key)
      } else if Self.dayNames.contains(name) {
        days[name] = Date(try DateFormat.day.timestamp(from: text))
      } else {
        texts[name] = text
      }
    }
    nothing.sort()
  }

  func write(_ answer: inout Writer) throws {
    for (name, text) in texts { try answer.encode(text, forKey: AnyCodingKey(name)) }
    for (name, number) in numbers { try answer.encode(number, forKey: AnyCodingKey(name)) }
    for (name, day) in days { try answer.encode(DateFormat.day.text(of: day.timestamp), forKey: AnyCodingKey(name)) }
    for name in nothing { try answer.encode(Self.none, forKey: AnyCodingKey(name)) }
  }
}

/// The price of one currency in another; a dash means no price.
struct ExchangeRate: Codable, Equatable, Sendable {
  static let key: AnyCodingKey = "Realtime Currency Exchange Rate"
  private static let names: [AnyCodingKey] = [
    "1. From_Currency Code", "2. From_Currency Name", "3. To_Currency Code", "4. To_Currency Name",
  ]
  var currencies: [String]
  var rate: DecimalText
  var time: Date
  var zone: String
  var bid: DecimalText?
  var ask: DecimalText?

  init(service answer: Reader) throws {
    let row = try answer.nestedContainer(keyedBy: AnyCodingKey.self, forKey: Self.key)
    currencies = try Self.names.map { try row.decode(String.self, forKey: $0) }
    rate = try row.decode(DecimalText.self, forKey: "5. Exchange Rate")
    time = Date(try Times.seconds().timestamp(from: row.decode(String.self, forKey: "6. Last Refreshed")))
    zone = try row.decode(String.self, forKey: "7. Time Zone")
    (bid, ask) = (try Self.price("8. Bid Price", in: row), try Self.price("9. Ask Price", in: row))
  }

  private static func price(_ key: AnyCodingKey, in row: Reader) throws -> DecimalText? {
    try row.decode(String.self, forKey: key) == "-" ? nil : row.decode(DecimalText.self, forKey: key)
  }

  func write(_ answer: inout Writer) throws {
    var row = answer.nestedContainer(keyedBy: AnyCodingKey.self, forKey: Self.key)
    for (key, currency) in zip(Self.names, currencies) { try row.encode(currency, forKey: key) }
    try row.encode(rate, forKey: "5. Exchange Rate")
    try row.encode(Times.seconds().text(of: time.timestamp), forKey: "6. Last Refreshed")
    try row.encode(zone, forKey: "7. Time Zone")
    try row.encode(bid?.text ?? "-", forKey: "8. Bid Price")
    try row.encode(ask?.text ?? "-", forKey: "9. Ask Price")
  }
}

/// How sectors did: the span of time is in the name of a member, `Rank B: 1 Day Performance`.
struct Sectors: Codable, Equatable, Sendable {
  struct Rank: Codable, Equatable, Sendable {
    var letter: String
    var span: String
    /// In percent.
    var changes: [String: DecimalText]
  }
  var about: [String: String]
  var ranks: [Rank]

  static func parts(of name: String) -> (letter: String, span: String)? {
    let (begin, end) = ("Rank ", " Performance")
    let parts = name.dropFirst(begin.count).dropLast(end.count).split(separator: ": ")
    guard name.hasPrefix(begin), name.hasSuffix(end), parts.count == 2 else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  init(service answer: Reader) throws {
    about = try answer.decode([String: String].self, forKey: "Meta Data")
    ranks = try answer.allKeys.compactMap { key in
      guard let (letter, span) = Self.parts(of: key.stringValue) else { return nil }
      let changes = try answer.decode([String: String].self, forKey: key).mapValues { text in
        guard text.hasSuffix("%"), let number = DecimalText(text.dropLast()) else {
          throw DecodingError.dataCorruptedError(forKey: key, in: answer, debugDescription: "has no percentage")
        }
        return number
      }
      return Rank(letter: letter, span: span, changes: changes)
    }.sorted { $0.letter < $1.letter }
  }

  func write(_ answer: inout Writer) throws {
    try answer.encode(about, forKey: "Meta Data")
    for rank in ranks {
      let key = AnyCodingKey("Rank \(rank.letter): \(rank.span) Performance")
      try answer.encode(rank.changes.mapValues { $0.text + "%" }, forKey: key)
    }
  }
}

/// An indicator over time: another member says under which name its rows stand, and numbers stand beside texts.
struct Indicator: Codable, Equatable, Sendable {
  struct Row: Codable, Equatable, Sendable {
    var time: Date
    var values: [String: DecimalText]
  }
  var about: [String: JSONValue]
  var rows: [Row]

  /// `Moving Average (SMA)` stands for `Technical Analysis: SMA`.
  private static func key(_ about: [String: JSONValue]) -> AnyCodingKey? {
    guard let words = about["2: Indicator"]?.string, words.hasSuffix(")"), let open = words.lastIndex(of: "(") else {
      return nil
    }
    return AnyCodingKey("Technical Analysis: \(words[words.index(after: open)...].dropLast())")
  }

  init(service answer: Reader) throws {
    about = try answer.decode([String: JSONValue].self, forKey: "Meta Data")
    guard let key = Self.key(about) else {
      throw DecodingError.dataCorruptedError(forKey: "Meta Data", in: answer, debugDescription: "names no indicator")
    }
    let table = try answer.nestedContainer(keyedBy: AnyCodingKey.self, forKey: key)
    rows = try table.allKeys.map { key in
      Row(
        time: Date(try Times.minutes().timestamp(from: key.stringValue)),
        values: try table.decode([String: DecimalText].self, forKey: key))
    }.sorted { $0.time < $1.time }
  }

  func write(_ answer: inout Writer) throws {
    guard let key = Self.key(about) else { throw DocumentError(code: .wrongType) }
    try answer.encode(about, forKey: "Meta Data")
    var table = answer.nestedContainer(keyedBy: AnyCodingKey.self, forKey: key)
    for row in rows { try table.encode(row.values, forKey: AnyCodingKey(Times.minutes().text(of: row.time.timestamp))) }
  }
}

/// An answer, told apart by the members that it has; it is stored under plain names.
enum Answer: Codable, Equatable, Sendable {
  case overview(Overview), rate(ExchangeRate), sectors(Sectors), indicator(Indicator)
}

/// The same in the shape of the service.
struct ServiceAnswer: Codable {
  var answer: Answer

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: AnyCodingKey.self)
    answer =
      if members.contains(ExchangeRate.key) {
        .rate(try ExchangeRate(service: members))
      } else if members.allKeys.contains(where: { Sectors.parts(of: $0.stringValue) != nil }) {
        .sectors(try Sectors(service: members))
      } else if members.contains("Meta Data") {
        .indicator(try Indicator(service: members))
      } else {
        .overview(try Overview(service: members))
      }
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: AnyCodingKey.self)
    switch answer {
    case .overview(let overview): try overview.write(&members)
    case .rate(let rate): try rate.write(&members)
    case .sectors(let sectors): try sectors.write(&members)
    case .indicator(let indicator): try indicator.write(&members)
    }
  }
}

struct MarketRecord: ExampleRecord {
  var name: String
  var answer: Answer
  /// The key of the request.
  var apiKey: EncryptedCodableString

  static var kindName: String { "market-answer" }
  static var title: String { "name" }
  static var secrets: [String] { ["apiKey"] }
}

/// The service gives times without a zone; which one is meant stands beside them, and they are kept as they are.
enum Times {
  static func seconds() throws -> DateFormat { try DateFormat(pattern: "yyyy-MM-dd HH:mm:ss") }
  static func minutes() throws -> DateFormat { try DateFormat(pattern: "yyyy-MM-dd HH:mm") }
}

extension Date {
  /// The timestamp of a date that was read from a text, and so is valid.
  var timestamp: Timestamp { get throws { try Timestamp(self) ?? { throw DocumentError(code: .invalidDate) }() } }
}

@main
struct Market {
  static func main() async {
    await Example.run("Market", types: [MarketRecord.self]) { example in
      var names: [String] = []
      for file in try example.files() {
        let answer = try JSONDecoder().decode(ServiceAnswer.self, from: file)
        let written = try JSONParser.parse(DocumentForm.json.encode(answer))
        try example.check(written == JSONParser.parse([UInt8](file)), "an answer was not written as it was read")
        let name = "\(answer.answer)".prefix { $0 != "(" }
        let record = MarketRecord(name: String(name), answer: answer.answer, apiKey: "sample-api-key")
        try example.roundTrip(record)
        try await example.store(record, secret: "sample-api-key")
        names.append(String(name))
      }
      return "\(names.count) answers (\(names.sorted().joined(separator: ", "))), told apart by their members, "
        + "written back as they were, in every form and in a vault"
    }
  }
}
