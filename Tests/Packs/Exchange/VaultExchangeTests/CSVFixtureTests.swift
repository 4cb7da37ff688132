import Testing
import VaultExchange
import VaultTestSupport

@Suite("Every table that other tools have exported")
struct CSVFixtureTests {
  /// The format of each file, and its number of records.
  static let expected: [String: (format: String, records: Int)] = [
    "aliasvault/bitwarden.csv": ("bitwarden-csv", 12), "aliasvault/dropbox.csv": ("dropbox-csv", 5),
    "aliasvault/edge.csv": ("chrome-csv", 4), "aliasvault/firefox.csv": ("firefox-csv", 3),
    "aliasvault/keepass_special_chars.csv": ("keepass-csv", 3), "aliasvault/keepassxc.csv": ("keepassxc-csv", 3),
    "aliasvault/strongbox.csv": ("strongbox-csv", 6),
    "bitwarden-jslib/1password-creditCard.mac.csv": ("1password-mac-csv", 1),
    "bitwarden-jslib/1password-creditCard.windows.csv": ("1password-windows-csv", 1),
    "bitwarden-jslib/1password-multipleItems.mac.csv": ("1password-mac-csv", 4),
    "bitwarden-jslib/dashlane-credentials.csv": ("dashlane-csv", 1),
    "bitwarden-jslib/dashlane-id.csv": ("dashlane-id-csv", 5),
    "bitwarden-jslib/dashlane-payments.csv": ("dashlane-payment-csv", 2),
    "bitwarden-jslib/firefox-simple.csv": ("firefox-csv", 1),
    "bitwarden-jslib/lastpass-1-should-parse-expiration-date.csv": ("lastpass-csv", 1),
    "bitwarden-jslib/lastpass-3-should-parse-card-expiration-date-w-no-exp-year.csv": ("lastpass-csv", 1),
    "bitwarden-jslib/myki-UserAccount.csv": ("myki-csv", 1), "bitwarden-jslib/myki-UserNote.csv": ("myki-note-csv", 1),
    "bitwarden-jslib/myki-UserTwofa.csv": ("myki-2fa-csv", 1), "bitwarden-jslib/nordpass-card.csv": ("nordpass-csv", 1),
    "bitwarden-jslib/nordpass-login.csv": ("nordpass-csv", 1), "bitwarden-jslib/safari-simple.csv": ("safari-csv", 1),
    "buttercup/test.csv": ("csv", 1), "pass-import/1password.csv": ("1password-mac-csv", 14),
    "pass-import/1password8.csv": ("1password-csv", 14), "pass-import/bitwarden-other.csv": ("bitwarden-csv", 3),
    "pass-import/bitwarden.csv": ("bitwarden-csv", 14), "pass-import/buttercup.csv": ("buttercup-csv", 14),
    "pass-import/chrome.csv": ("chrome-csv", 14), "pass-import/dashlane.csv": ("dashlane-legacy-csv", 14),
    "pass-import/enpass.csv": ("enpass-csv", 14), "pass-import/firefox.csv": ("firefox-csv", 14),
    "pass-import/keepass.csv": ("keepass-csv", 14), "pass-import/keepassx2.csv": ("keepassxc-csv", 14),
    "pass-import/keeper.csv": ("keeper-csv", 14), "pass-import/lastpass.csv": ("lastpass-csv", 14),
    "pass-import/nordpass.csv": ("nordpass-csv", 14), "pass-import/roboform.csv": ("roboform-csv", 14),
    "pass-import/safeincloud.csv": ("safeincloud-csv", 14), "pass-import/zoho.csv": ("zoho-csv", 14),
    "proton-webclients/chrome.csv": ("chrome-csv", 4), "proton-webclients/keeper.csv": ("keeper-csv", 15),
    "proton-webclients/lastpass.csv": ("lastpass-csv", 12), "proton-webclients/protonpass.csv": ("protonpass-csv", 5),
  ]

  @Test("is told to be of its format, and its records and leaves are all there")
  func fixtures() throws {
    guard SharedData.isPresent(forCases: Self.expected.count, of: "tables of password managers") else { return }
    var tally = CaseTally("tables of password managers")
    // Tables that are not listed are read by another test.
    for (path, want) in Self.expected.sorted(by: { $0.key < $1.key }) {
      let source = try Fixtures.source(path)
      let importer = try ImportFormats.detecting(source.sample())
      #expect(importer.format.name == want.format, "\(path)")
      let imported = try Imported(importer, source)
      #expect(imported.records.count == want.records, "\(path)")
      #expect(imported.refused.isEmpty, "\(path)")
      #expect(imported.totals.refused == 0, "\(path)")
      for record in imported.records { #expect(throws: Never.self, "\(path): \(record.place)") { try record.sealed() } }
      let leaves = try LeafCount.csv(SharedData.bytes("\(Fixtures.folder)/\(path)"), of: want.format)
      #expect(imported.totals.leaves == leaves, "\(path)")
      #expect(imported.lines.count == leaves, "\(path)")
      tally.ran()
    }
    tally.report()
  }

  @Test("no file of another form is taken for a table")
  func otherForms() throws {
    guard SharedData.isPresent(forCases: 50, of: "files that are no tables") else { return }
    let tables = Set(Self.expected.values.map(\.format))
    var tally = CaseTally("files that are no tables")
    for path in try Fixtures.all("").filter({ !$0.hasSuffix(".csv") && $0.split(separator: ".").count > 1 }) {
      guard let source = try? Fixtures.source(path) else { continue }
      let detected = try? ImportFormats.detecting(source.sample()).format.name
      #expect(!tables.contains(detected ?? ""), "\(path)")
      tally.ran()
    }
    tally.report()
    #expect(tally.runCount > 0)
  }

  @Test("two exports of the same entry have the same external id, whatever its secrets are")
  func stableIDs() throws {
    let header = "name,url,username,password,note\n"
    let one = try Imported("chrome-csv", header + "shop,https://shop.example,ann,first,\n").records
    let two = try Imported("chrome-csv", header + "shop,https://shop.example,ann,second,changed\n").records
    let other = try Imported("chrome-csv", header + "shop,https://shop.example,bob,first,\n").records
    #expect(one[0].externalID == two[0].externalID)
    #expect(one[0].externalID != other[0].externalID)
  }
}
