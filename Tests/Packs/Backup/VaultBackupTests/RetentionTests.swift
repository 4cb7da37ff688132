import Testing
import VaultDocument
import VaultTestSupport
import VaultBackup

@Suite("Which backups stay")
struct RetentionTests {
  private static let now = time("2030-01-01T00:00:00Z")

  private static func policy(
    _ counts: [RetentionPolicy.Period: RetentionPolicy.Count], within: String? = nil
  ) throws -> RetentionPolicy {
    var policy = RetentionPolicy()
    for (period, count) in counts { policy[period] = count }
    policy.within = try within.map { try #require(RetentionSpan($0)) }
    return policy
  }

  /// The days of a policy's kept backups, with their reasons.
  private func kept(_ policy: RetentionPolicy, _ times: [String], now: Timestamp = now) -> [String] {
    let reasons = policy.reasons(toKeep: times.map(time), now: now)
    return zip(times, reasons).filter { !$1.isEmpty }.map { text, reasons in
      text.prefix(10) + " " + reasons.map(\.description).joined(separator: ", ")
    }
  }

  private static let sundays = [1, 8, 15, 22, 29].map { "2019-09-\($0 < 10 ? "0" : "")\($0)T11:00:00Z" }

  @Test("a rule counts only periods that have a backup: four days can be four Sundays")
  func periods() throws {
    #expect(
      kept(try Self.policy([.daily: .limited(4)]), Self.sundays)
        == ["2019-09-08 daily", "2019-09-15 daily", "2019-09-22 daily", "2019-09-29 daily"])
  }

  @Test("of each period the newest stays, whatever the order they come in")
  func newest() throws {
    let times = ["2026-11-20T23:00:00Z", "2026-11-21T23:59:59Z", "2026-11-20T01:00:00Z", "2026-11-21T00:00:00Z"]
    let policy = try Self.policy([.daily: .limited(2)])
    let reasons = policy.reasons(toKeep: times.map(time), now: Self.now)
    #expect(reasons.map(\.count) == [1, 1, 0, 0])
  }

  @Test("while a rule has some count left, the oldest backup of all stays too, and no longer")
  func oldest() throws {
    let times = ["2026-11-20T01:00:00Z", "2026-11-20T23:00:00Z", "2026-11-21T01:00:00Z"]
    #expect(kept(try Self.policy([.daily: .limited(3)]), times).first == "2026-11-20 oldest daily")
    #expect(kept(try Self.policy([.daily: .unlimited]), times).count == 3)
    #expect(kept(try Self.policy([.daily: .limited(2)]), times) == ["2026-11-20 daily", "2026-11-21 daily"])
  }

  @Test("weeks are those of ISO 8601: they begin on Monday, and go across the year")
  func weeks() throws {
    // Week 53 of 2020 is from 28 December to 3 January.
    let times = ["2020-12-27T12:00:00Z", "2020-12-28T00:00:00Z", "2021-01-03T23:59:59Z", "2021-01-04T00:00:00Z"]
    #expect(
      kept(try Self.policy([.weekly: .limited(3)]), times)
        == ["2020-12-27 weekly", "2021-01-03 weekly", "2021-01-04 weekly"])
  }

  @Test("months and years are those of the calendar, with leap days")
  func leap() throws {
    let times = ["2024-02-28T12:00:00Z", "2024-02-29T12:00:00Z", "2024-03-01T00:00:00Z", "2025-01-01T00:00:00Z"]
    #expect(
      kept(try Self.policy([.monthly: .limited(3), .yearly: .limited(2)]), times)
        == ["2024-02-29 monthly", "2024-03-01 monthly, yearly", "2025-01-01 monthly, yearly"])
  }

  @Test(
    "a span goes back from the newest backup by the calendar; its end is not in it",
    arguments: [
      ("1m", ["2026-03-31T12:00:00Z", "2026-03-03T12:00:01Z"], ["2026-03-03T12:00:00Z"]),
      ("1y", ["2024-02-29T12:00:00Z", "2023-03-01T12:00:01Z"], ["2023-03-01T12:00:00Z"]),
      ("2h", ["2026-01-01T01:00:00Z", "2025-12-31T23:00:01Z"], ["2025-12-31T23:00:00Z"]),
      ("1y5m7d2h", ["2026-11-21T01:00:00Z", "2025-06-13T23:00:01Z"], ["2025-06-13T23:00:00Z"]),
      ("9999y", ["2026-11-21T01:00:00Z", "0001-01-01T00:00:00Z"], []),
    ])
  func within(_ span: String, _ inside: [String], _ outside: [String]) throws {
    let policy = try Self.policy([:], within: span)
    let reasons = policy.reasons(toKeep: (inside + outside).map(time), now: Self.now)
    #expect(reasons.map(\.count) == inside.map { _ in 1 } + outside.map { _ in 0 })
  }

  @Test(
    "a span is numbers with y, m, d and h, in this order",
    arguments: ["1y5m7d2h", "3d", "0012h", "9999y9999m9999d9999h"])
  func span(_ text: String) throws {
    let span = try #require(RetentionSpan(text))
    #expect(RetentionSpan(span.description) == span)
  }

  @Test(
    "any other span is refused",
    arguments: [
      "", "5", "d", "1w", "2h1d", "1d1d", "-1d", "+1d", " 1d", "1d ", "1.5d", "10000d", "1D", "1y5m7d2h1s", "١d",
    ])
  func noSpan(_ text: String) {
    #expect(RetentionSpan(text) == nil)
  }

  @Test("equal times are backups of their own")
  func equalTimes() throws {
    let times = ["2026-11-21T01:00:00Z", "2026-11-21T01:00:00Z", "2026-11-21T01:00:00Z"]
    let reasons = try Self.policy([.last: .limited(2), .hourly: .limited(1)]).reasons(
      toKeep: times.map(time), now: Self.now)
    #expect(reasons.map { $0.map(\.description) } == [["last", "hourly"], ["last"], []])
  }

  @Test("a backup from the future stays, and takes no part in the rules")
  func future() throws {
    let now = time("2026-11-21T12:00:00Z")
    let times = ["2038-01-19T03:14:07Z", "2026-11-21T12:00:00Z", "2026-11-20T12:00:00Z"]
    #expect(
      kept(try Self.policy([.last: .limited(1)], within: "1h"), times, now: now)
        == ["2038-01-19 from the future", "2026-11-21 last, within 1h"])
  }

  @Test("no rule, and rules that keep nothing, are an empty policy")
  func empty() throws {
    #expect(try Self.policy([:]).isEmpty)
    #expect(try Self.policy([.last: .limited(0), .daily: .limited(-1)], within: "0d").isEmpty)
    #expect(!(try Self.policy([.last: .limited(1)]).isEmpty))
    #expect(!(try Self.policy([:], within: "1h").isEmpty))
  }

  @Test("any policy that is not empty keeps something")
  func neverNothing() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      let history = RandomHistory(using: &generator)
      guard !history.policy.isEmpty, !history.times.isEmpty else { continue }
      #expect(history.policy.reasons(toKeep: history.times, now: history.now).contains { !$0.isEmpty })
    }
  }

  @Test("over years of dates, every decision and every reason is the reference implementation's")
  func reference() throws {
    guard let python = RetentionReference.python else { return Need.notRun("retention", "python3 is not installed") }
    var generator = SeededGenerator(seed: 7)
    let histories = (0..<600).map { _ in RandomHistory(using: &generator) }
    let answers = try RetentionReference(python: python).answers(to: histories)
    try #require(answers.count == histories.count)
    for (history, answer) in zip(histories, answers) {
      let reasons = history.policy.reasons(toKeep: history.times, now: history.now).map { reasons in
        reasons.map { reason in if case .within = reason { "within" } else { reason.description } }
      }
      #expect(reasons == answer, "\(history.line)")
    }
    print("retention: \(histories.map(\.times.count).reduce(0, +)) backups in \(histories.count) histories")
  }
}
