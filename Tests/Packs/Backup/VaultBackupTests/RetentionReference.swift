import Testing
import VaultBackup
import VaultDocument
import VaultTestSupport

/// Backups over years, and rules for them.
struct RandomHistory {
  private(set) var times: [Timestamp] = []
  private(set) var now = time("2029-06-01T00:00:00Z")
  private(set) var policy = RetentionPolicy()
  private var rules: [(String, JSONValue)] = []

  private static let spans = ["1h", "13h", "6d", "1m", "3m", "1y", "1y5m7d2h", "2m30d", "31d23h", "5y", "9999y"]

  init(using generator: inout SeededGenerator) {
    let start = time("2019-12-20T00:00:00Z").secondsSinceEpoch
    let dayCount = [2, 20, 200, 4000].randomElement(using: &generator) ?? 1
    for _ in 0..<Int.random(in: 0...60, using: &generator) {
      // Edges of days and hours reveal more than the values between them.
      let edge: Int64 = [1, 3600, 86_400].randomElement(using: &generator) ?? 1
      let second = Int64.random(in: 0..<Int64(dayCount) * 86_400, using: &generator) / edge * edge
      let slip = Int64.random(in: -1...1, using: &generator)
      times.append(Self.moment(start + second + slip))
      if Int.random(in: 0..<8, using: &generator) == 0 { times.append(times.randomElement(using: &generator) ?? now) }
    }
    times += ["2020-02-29T12:00:00Z", "2020-12-31T23:59:59Z", "2021-01-03T23:59:59Z", "2021-01-04T00:00:00Z"].map(time)
    times.shuffle(using: &generator)
    if Bool.random(using: &generator) { now = times.randomElement(using: &generator) ?? now }
    addRules(using: &generator)
  }

  private mutating func addRules(using generator: inout SeededGenerator) {
    for period in RetentionPolicy.Period.allCases where Int.random(in: 0..<3, using: &generator) == 0 {
      let count = [-1, 0, 1, 2, 3, 5, 8, 13, 40].randomElement(using: &generator) ?? 1
      policy[period] = count < 0 ? .unlimited : .limited(count)
      rules.append((period.rawValue, .number(JSONNumber(literal: "\(count)") ?? JSONNumber(0))))
    }
    if Int.random(in: 0..<3, using: &generator) == 0, let span = Self.spans.randomElement(using: &generator) {
      policy.within = RetentionSpan(span)
      rules.append(("within", .string(span)))
    }
  }

  private static func moment(_ seconds: Int64) -> Timestamp {
    guard let time = try? Timestamp(secondsSinceEpoch: seconds) else { preconditionFailure("a date of this century") }
    return time
  }

  /// As the reference takes it.
  var line: String {
    let members: [(String, JSONValue)] = [
      ("now", .string(now.text)), ("rules", (try? JSONObject(rules)).map { .object($0) } ?? .null),
      ("times", .array(times.map { .string($0.text) })),
    ]
    let bytes = (try? JSONObject(members)).flatMap { try? JSONValue.object($0).compactBytes() }
    return String(decoding: bytes ?? [], as: UTF8.self)
  }
}

/// The rules once more, in Python.
struct RetentionReference {
  let python: String

  static let python: String? = {
    ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"].first { path in
      ProcessRun(path: path, arguments: ["-c", "pass"]).run().code == 0
    }
  }()

  /// The reasons of each backup of each history.
  func answers(to histories: [RandomHistory]) throws -> [[[String]]] {
    var run = ProcessRun(path: python, arguments: [OwnVectors.package + "/Tests/Reference/retention.py"])
    run.environment = ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"]
    run.input = Array((histories.map(\.line).joined(separator: "\n") + "\n").utf8)
    let outcome = run.run()
    try #require(outcome.code == 0, "\(outcome.errors)")
    return try outcome.output.split(separator: "\n").map { line in
      let items = try #require(try JSONParser.parse(Array(line.utf8)).array)
      return items.map { $0.array?.compactMap(\.string) ?? [] }
    }
  }
}
