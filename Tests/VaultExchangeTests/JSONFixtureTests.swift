import Testing
import VaultExchange
import VaultTestSupport

@Suite("Every JSON file that other tools have exported")
struct JSONFixtureTests {
  /// What each file is, and how many records are in it.
  static let expected: [String: (format: String, records: Int)] = [
    "bitwarden-jslib/bitwarden-empty.json": ("bitwarden-json", 0), "buttercup/bitwarden.json": ("bitwarden-json", 5),
    "keepassxc/bitwarden_export.json": ("bitwarden-json", 4), "pass-import/bitwarden.json": ("bitwarden-json", 14),
    "pass-import/bitwarden-other.json": ("bitwarden-json", 6),
  ]

  @Test("is told to be of its format, and its records and leaves are all there")
  func fixtures() throws {
    guard SharedData.isPresent(forCases: Self.expected.count, of: "JSON of password managers") else { return }
    var tally = CaseTally("JSON of password managers")
    for (path, want) in Self.expected {
      let source = try Fixtures.source(path)
      let importer = try ImportFormats.detecting(source.sample())
      #expect(importer.format.name == want.format, "\(path)")
      let imported = try Imported(importer, source)
      #expect(imported.records.count == want.records, "\(path)")
      #expect(imported.refused.isEmpty && imported.totals.refused == 0, "\(path)")
      for record in imported.records { #expect(throws: Never.self, "\(path): \(record.place)") { try record.sealed() } }
      let leaves = try LeafCount.json(SharedData.bytes("\(Fixtures.folder)/\(path)"))
      #expect(imported.totals.leaves == leaves && Set(imported.lines.map(\.place)).count == leaves, "\(path)")
      tally.ran()
    }
    tally.report()
  }
}
