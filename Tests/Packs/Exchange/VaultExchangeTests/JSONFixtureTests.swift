import Testing
import VaultExchange
import VaultTestSupport

@Suite("Every JSON file that other tools have exported")
struct JSONFixtureTests {
  /// The format of each file, and its number of records.
  static let expected: [String: (format: String, records: Int)] = [
    "bitwarden-jslib/bitwarden-empty.json": ("bitwarden-json", 0), "buttercup/bitwarden.json": ("bitwarden-json", 5),
    "keepassxc/bitwarden_export.json": ("bitwarden-json", 4), "pass-import/bitwarden.json": ("bitwarden-json", 14),
    "pass-import/bitwarden-other.json": ("bitwarden-json", 6), "pass-import/enpass.json": ("enpass-json", 14),
    "keepassxc/protonpass_export.json": ("protonpass-json", 5),
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
      #expect(imported.refused.isEmpty, "\(path)")
      if want.format == "bitwarden-json" { #expect(imported.totals.refused == 0, "\(path)") }
      for record in imported.records { #expect(throws: Never.self, "\(path): \(record.place)") { try record.sealed() } }
      let leaves = try LeafCount.json(SharedData.bytes("\(Fixtures.folder)/\(path)"))
      #expect(imported.totals.leaves == leaves, "\(path)")
      #expect(Set(imported.lines.map(\.place)).count == leaves, "\(path)")
      tally.ran()
    }
    tally.report()
  }

  @Test("Enpass: folders, cards, deleted items and attachments have their places")
  func enpass() throws {
    let text = """
      {"folders": [{"uuid": "f", "title": "In", "parent_uuid": "g"}, {"uuid": "g", "title": "Out", "parent_uuid": "f"}],
       "items": [{"uuid": "1", "title": "card", "category": "creditcard", "template_type": "creditcard.default",
         "folders": ["f"], "trashed": 1, "archived": 0, "favorite": 1, "note": "", "updated_at": 1483228800,
         "fields": [{"label": "Name", "type": "ccName", "value": "Ann", "uid": 1, "order": 3},
           {"label": "Nr", "type": "ccNumber", "value": "4111111111111111"},
           {"label": "Until", "type": "ccExpiry", "value": "01/2030"},
           {"label": "Limit", "type": "text", "value": "9", "sensitive": 0}],
         "attachments": [{"name": "a.txt", "data": "YWJj", "kind": "text/plain"}]}]}
      """
    let imported = try Imported("enpass-json", text)
    let card = try imported.first("card")
    #expect(card.kind == "payment-card")
    #expect(try card.text("holder") == "Ann")
    #expect(try card.text("expiry") == "2030-01")
    #expect(Set(card.list("tags")) == ["Out/In", "deleted", "favorite"])
    #expect(try card.text("extra[\"attachment a.txt\"]") == "YWJj")
    #expect(try card.text("extra.Limit") == "9")
    #expect(imported.totals.leaves == (try LeafCount.json(Array(text.utf8))))
  }

  @Test("Proton Pass: vaults, the bin, pins and further codes have their places")
  func proton() throws {
    guard SharedData.isPresent(forCases: 1, of: "items of Proton Pass") else { return }
    let imported = try Imported(fixture: "keepassxc/protonpass_export.json")
    let login = try imported.first("Test Login")
    #expect(try login.text("username") == "Username")
    #expect(try login.text("fields.email") == "Email")
    #expect(try login.text("secrets[\"second 2fa secret\"]") == "TOTPCODE")
    #expect(Set(login.list("tags")) == ["Personal", "pinned"])
    #expect(try imported.first("My Deleted Note").list("tags") == ["Personal", "deleted"])
    #expect(try imported.first("Test Card").text("expiry") == "2025-01")
  }

  @Test("Proton Pass is read out of its zip file, and a sealed one is refused")
  func protonZip() throws {
    var writer = ZipWriter()
    writer.add("Proton Pass/data.json", Array(#"{"version": "1", "encrypted": false, "vaults": {}}"#.utf8))
    let source = ImportSource(name: "", bytes: writer.finished())
    #expect(try ImportFormats.detecting(source.sample()).format.name == "protonpass-json")
    #expect(try Imported(ImportFormats.named("protonpass-json"), source).totals.leaves == 3)
    var sealed = ZipWriter()
    sealed.add("Proton Pass/data.pgp", [1])
    let sealedSource = ImportSource(name: "", bytes: sealed.finished())
    #expect(throws: ExchangeError(.unsupported, "")) {
      _ = try Imported(ImportFormats.named("protonpass-json"), sealedSource)
    }
  }
}
