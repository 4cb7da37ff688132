import Testing
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("What pass-import expects of its exports")
struct ReferenceTests {
  /// Which of the values each tool writes, beside title, user name and password.
  private static let files: [(path: String, has: Set<String>)] = [
    ("1password", ["url", "comments", "group"]), ("1password8", ["url", "comments"]),
    ("bitwarden", ["url", "comments", "group"]), ("buttercup", ["url", "comments", "group"]), ("chrome", ["url"]),
    ("dashlane", ["url", "comments"]), ("enpass", ["url", "comments"]), ("keepass", ["url", "comments"]),
    ("keepassx2", ["url", "comments", "group"]), ("keeper", ["url", "comments", "group"]),
    ("lastpass", ["url", "comments", "group"]), ("nordpass", ["url", "comments", "group"]),
    ("roboform", ["url", "comments", "group"]), ("safeincloud", ["url", "comments"]), ("zoho", ["url", "comments"]),
    ("bitwarden.json", ["url", "comments", "group"]), ("enpass.json", ["url", "comments", "group"]),
    ("keepass.xml", ["url", "comments", "group"]),
  ]

  @Test("title, password, user name, address, note and folder of every entry agree")
  func agrees() throws {
    guard SharedData.isPresent(forCases: Self.files.count + 1, of: "expectations of pass-import") else { return }
    var tally = CaseTally("expectations of pass-import")
    for (name, keys) in Self.files {
      let entries = try Self.entries("main")
      let records = try Imported(fixture: "pass-import/\(name.contains(".") ? name : name + ".csv")").records
      let have = Set(try records.map { try Self.values(of: $0, keys) })
      let want = Set(entries.map { entry in entry.filter { Self.always.contains($0.key) || keys.contains($0.key) } })
      #expect(have == want, "\(name): \(have.symmetricDifference(want).compactMap { $0["title"] })")
      tally.ran()
    }
    try checkFirefox()
    tally.ran()
    tally.report()
  }

  private static let always: Set<String> = ["title", "login", "password"]

  /// Firefox has no titles; that file has them in place of the addresses.
  private func checkFirefox() throws {
    let records = try Imported(fixture: "pass-import/firefox.csv").records
    let want = try Self.entries("main").map { "\($0["title"] ?? "")/\($0["login"] ?? "")/\($0["password"] ?? "")" }
    let have = try records.map { record in
      let name = try record.list("urls").first ?? record.text("fields.url") ?? ""
      return "\(name)/\(try record.text("username") ?? "")/\(try record.text("password") ?? "")"
    }
    #expect(have.sorted() == want.sorted())
  }

  private static func values(of record: ImportedRecord, _ keys: Set<String>) throws -> [String: String] {
    // If a file ends its lines with CRLF, so do its values.
    let note = (try record.text("notes") ?? record.text("text"))?.replacing("\r\n", with: "\n")
    let group = record.list("tags").first.map { $0.hasPrefix("Root/") ? String($0.dropFirst(5)) : $0 }
    let all = [
      "title": try record.text("title"), "login": try record.text("username"), "password": try record.text("password"),
      "url": record.list("urls").first, "comments": note, "group": group,
    ]
    return all.compactMapValues { $0 }.filter { always.contains($0.key) || keys.contains($0.key) }
  }

  /// Entries of such a file: `- KEY: VALUE` and `  KEY: VALUE`, plain, in either kind of quotes, or as a block.
  private static func entries(_ name: String) throws -> [[String: String]] {
    let text = try SharedData.text("\(Fixtures.folder)/pass-import/references/\(name).yml")
    var entries: [[String: String]] = []
    var block: String?
    for line in text.split(separator: "\n") where line != "---" {
      if let key = block, line.hasPrefix("    ") {
        let before = entries[entries.count - 1][key].map { $0 + "\n" } ?? ""
        entries[entries.count - 1][key] = before + line.dropFirst(4)
        continue
      }
      if line.hasPrefix("- ") { entries.append([:]) }
      let parts = line.dropFirst(2).split(separator: ":", maxSplits: 1).map(String.init)
      let (key, value) = (parts[0], String(parts[1].dropFirst()))
      block = value == "|-" ? key : nil
      if block == nil { entries[entries.count - 1][key] = try scalar(value) }
    }
    return entries
  }

  private static func scalar(_ text: String) throws -> String {
    if text.hasPrefix("\"") { return try #require(try JSONParser.parse(text).string) }
    guard text.hasPrefix("'") else { return text }
    return text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false).joined(separator: "'")
  }
}
