import CookbookSupport
import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing
import VaultFields

enum Interval: String, Codable, Sendable {
  case oneMinute = "1min"
  case quarterHour = "15min"
  /// The program says which one it asked for; the name of a member depends on it.
  static let asked = UserInfoKey<Interval>("Stocks.interval")
  var rowsKey: AnyCodingKey { AnyCodingKey("Time Series (\(rawValue))") }
}

/// Open, high, low, close and volume at a time.
struct Point: Codable, Equatable, Sendable {
  var time: Date
  var numbers: [DecimalText]
}

/// One series, restructured: points in the order of time, under plain names.
struct Series: ExampleRecord {
  var about: [String: String]
  var interval: Interval
  var points: [Point]
  /// The key of the request.
  var apiKey: EncryptedCodableString?

  static var kindName: String { "series" }
  static var title: String { "interval" }
  static var secrets: [String] { ["apiKey"] }
}

/// The same as Alpha Vantage answers it: names with spaces and numbers, one with the interval in it, and times as
/// names.
struct AlphaVantageAnswer: Codable, Equatable {
  private static let names: [AnyCodingKey] = ["1. open", "2. high", "3. low", "4. close", "5. volume"]
  private static func format() throws -> DateFormat { try DateFormat(pattern: "yyyy-MM-dd HH:mm:ss") }
  var series: Series

  init(from decoder: any Decoder) throws {
    let interval = try decoder.value(of: Interval.asked)
    let answer = try decoder.container(keyedBy: AnyCodingKey.self)
    let rows = try answer.nestedContainer(keyedBy: AnyCodingKey.self, forKey: interval.rowsKey)
    let points = try rows.allKeys.map { key in
      let row = try rows.nestedContainer(keyedBy: AnyCodingKey.self, forKey: key)
      let numbers = try Self.names.map { try row.decode(DecimalText.self, forKey: $0) }
      return Point(time: Date(try Self.format().timestamp(from: key.stringValue)), numbers: numbers)
    }
    series = Series(
      about: try answer.decode([String: String].self, forKey: "Meta Data"), interval: interval,
      points: points.sorted { $0.time < $1.time })
  }

  func encode(to encoder: any Encoder) throws {
    var answer = encoder.container(keyedBy: AnyCodingKey.self)
    try answer.encode(series.about, forKey: "Meta Data")
    var rows = answer.nestedContainer(keyedBy: AnyCodingKey.self, forKey: series.interval.rowsKey)
    for point in series.points {
      guard let time = Timestamp(point.time) else { throw DocumentError(code: .invalidDate) }
      let key = AnyCodingKey(try Self.format().text(of: time))
      var row = rows.nestedContainer(keyedBy: AnyCodingKey.self, forKey: key)
      for (name, number) in zip(Self.names, point.numbers) { try row.encode(number, forKey: name) }
    }
  }
}

@main
struct Stocks {
  static func main() async {
    await Example.run("Stocks", types: [Series.self]) { example in
      var counts: [Interval: Int] = [:]
      let files = try example.files(fixtures: "codable/alphavantage") { $0.hasPrefix("time-series") }
      for file in files {
        let tree = try JSONParser.parse([UInt8](file))
        guard let name = tree["Meta Data"]?["4. Interval"]?.string, let interval = Interval(rawValue: name) else {
          throw DocumentError(code: .wrongType, reason: "an answer names no interval that this program knows")
        }
        let decoder = JSONDecoder()
        decoder.userInfo[Interval.asked] = interval
        let answer = try decoder.decode(AlphaVantageAnswer.self, from: file)
        let written = try JSONParser.parse(DocumentForm.json.encode(answer))
        try example.check(written == tree, "an answer was not written as it was read")
        decoder.userInfo[Interval.asked] = interval == .oneMinute ? .quarterHour : .oneMinute
        let other = try? decoder.decode(AlphaVantageAnswer.self, from: file)
        try example.check(other == nil, "the interval was not heeded")
        var series = answer.series
        series.apiKey = "sample-api-key"
        try example.roundTrip(series)
        try await example.store(series, secret: "sample-api-key")
        counts[interval, default: 0] += series.points.count
      }
      return "\(files.count) series with \(counts[.oneMinute] ?? 0) points of a minute and "
        + "\(counts[.quarterHour] ?? 0) of 15 minutes, written back as they were, in every form and in a vault"
    }
  }
}
