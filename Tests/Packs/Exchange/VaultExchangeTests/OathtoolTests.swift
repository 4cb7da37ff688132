import Testing
import VaultExchange
import VaultRecords
import VaultTestSupport

/// Every code of every backup that is there, against a program of others.
@Suite("One-time codes, against oathtool", .enabled(if: Need.command("oathtool").isMet(forCases: 1, of: "codes")))
struct OathtoolTests {
  /// A moment in each of the lengths that a counter has in bits: now, and beyond 2^32 seconds.
  private static let moments: [(seconds: Int64, text: String)] = [
    (59, "1970-01-01 00:00:59 UTC"), (1_700_000_000, "2023-11-14 22:13:20 UTC"),
    (20_000_000_000, "2603-10-11 11:33:20 UTC"),
  ]

  /// The parts of an address, read here without our code.
  private struct Address {
    let isCounted: Bool
    let isSteam: Bool
    private var members: [String: String] = [:]

    init(_ text: String) {
      isCounted = text.hasPrefix("otpauth://hotp/")
      isSteam = ["otpauth://steam/", "steam://"].contains(where: text.hasPrefix) || text.contains("encoder=steam")
      guard text.hasPrefix("otpauth:") else {
        members["secret"] = text
        return
      }
      let query = text.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
      for part in query.split(separator: "&") {
        let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
        if pair.count == 2 { members[pair[0].lowercased()] = pair[1] }
      }
    }

    var secret: String { (members["secret"] ?? "").filter { $0 != "=" && $0 != " " }.uppercased() }

    func arguments(at time: String) -> [String] {
      [
        "--totp=\((members["algorithm"] ?? "SHA1").lowercased())", "--digits=\(members["digits"] ?? "6")",
        "--time-step-size=\(members["period"] ?? "30")s", "--now=\(time)", "--base32", "-",
      ]
    }
  }

  private func code(of address: Address, at time: String) -> String {
    let path = ["/usr/bin/oathtool", "/bin/oathtool"].first { FileTree.contents(of: $0) != nil } ?? "/usr/bin/oathtool"
    let outcome = ProcessRun(
      path: path, arguments: address.arguments(at: time), environment: ["TZ": "UTC"],
      input: Array((address.secret + "\n").utf8)
    ).run()
    #expect(outcome.code == 0, "\(outcome.errors)")
    return outcome.output.filter { !$0.isNewline }
  }

  @Test("each code of each account of every backup that is imported is the same")
  func everyCode() throws {
    guard SharedData.isPresent(forCases: 40, of: "codes") else { return }
    var tally = CaseTally("codes of backups")
    for folder in ["aegis", "google-migration"] {
      for name in try SharedData.names(in: "fixtures/otp-apps/\(folder)") where name != "SOURCES.md" {
        let source = ImportSource(name: name, bytes: try SharedData.bytes("fixtures/otp-apps/\(folder)/\(name)"))
        guard let importer = try? ImportFormats.detecting(source.sample()),
          let imported = try? Imported(importer, source, options: KDBXTests.options("test"))
        else {
          tally.notApplicable("\(name) is not imported")
          continue
        }
        for record in imported.records {
          guard let text = try record.text("totp") else { continue }
          try compare(text, name, &tally)
        }
      }
    }
    tally.report()
    #expect(tally.runCount > 60)
  }

  @Test("so is that of a sealed backup of andOTP, and those of files that phones keep")
  func ofPhones() throws {
    var tally = CaseTally("codes of phones")
    for sample in PhoneCodes.all {
      for record in try sample.imported().records {
        try compare(try #require(try record.text("totp")), sample.format, &tally)
      }
    }
    tally.report()
    #expect(tally.runCount == 15)
  }

  private func compare(_ text: String, _ name: String, _ tally: inout CaseTally) throws {
    let address = Address(text)
    guard !address.isCounted, !address.isSteam else {
      return tally.notApplicable(address.isCounted ? "codes that count have no time" : "oathtool has no codes of Steam")
    }
    let key = try OneTimeKey(parsing: text)
    for moment in Self.moments {
      #expect(try key.code(at: moment.seconds) == code(of: address, at: moment.text), "\(name)")
      tally.ran()
    }
  }
}
