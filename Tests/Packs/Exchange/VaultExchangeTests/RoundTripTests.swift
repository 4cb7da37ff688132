import Testing
import VaultAge
import VaultDocument
import VaultExchange
import VaultRecords
import VaultTestSupport

@Suite("Out and in again")
struct RoundTripTests {
  /// Logins whose values writers of quotes, lines, formulas, markup and text may get wrong.
  static let hostile = """
    [{"title":"Ada's \\"bank\\"","username":"ada@example.com","password":"p'w\\"d\\nline2\\r\\n$x `y` \\\\z,;",
      "urls":["https://bank.example/?a=1&b=2"],"totp":"JBSWY3DPEHPK3PXP","notes":"=1+1\\n<tag>&amp;]]>","tags":["money/bank"]},
     {"title":"\\u7530\\u4e2d \\ud83d\\ude00","username":" spaces ","password":"-@+=\\t","tags":["favorite"]},
     {"title":"e\\u0301 and \\u00e9","username":"\\u00e9","password":"\\u2028\\u2029\\u0085\\ufeff","notes":"\\n"},
     {"title":"long","password":"\(String(repeating: "x", count: 100_000))","notes":"'; rm -rf ~ #"},
     {"title":"NULL","username":"null","password":"true","notes":"0123"}]
    """

  @Test(
    "logins with hostile values come back from every format that has logins",
    arguments: [
      (ExportFormat.csv, "csv"), (.onePasswordCSV, "1password-csv"), (.bitwarden, "bitwarden-json"),
      (.keepassXML, "keepass-xml"),
    ])
  func logins(format: ExportFormat, importer: String) throws {
    let records = try ExportedRecord.list("login", Self.hostile)
    let exported = try Exported(format, records, isOfOneKind: true)
    #expect(exported.notes.isComplete, "\(exported.notes.sentences)")
    let imported = try exported.imported(as: importer).records
    #expect(imported.count == records.count)
    for (record, back) in zip(records, imported) {
      #expect(back.kind == "login")
      #expect(back.members == record.members)
    }
  }

  @Test(
    "a table brings back every kind that is named",
    arguments: [
      (
        "login",
        #"[{"title":"a","fields":{"x; y":"1","b\"c":"2"},"secrets":{"PIN":"0042"},"urls":["https://a.example","https://b.example"],"tags":["x,y","z"]}]"#
      ),
      (
        "payment-card",
        #"[{"holder":"Ada","number":"4111111111111111","expiry":"01/30","security_code":"123","pin":"0001"}]"#
      ),
      ("api-key", #"[{"issuer":"i","secret":"s","scopes":["read","write"],"expires_at":"2030-01-02T03:04:05Z"}]"#),
      ("database", #"[{"engine":"mysql","host":"h","port":3306,"password":"p"}]"#),
      ("secure-note", #"[{"title":"n","text":"a\nb"}]"#),
      ("file", #"[{"name":"n.bin","size":3,"content":"AAH/"}]"#),
      ("custom", #"[{"title":"n","fields":{"a":"b"},"secrets":{"c":"d"}}]"#),
      ("customer", #"[{"name":"Ada","access_key":"k","added_on":"2020-08-19T18:44:27Z","address":{"zip":"01234"}}]"#),
    ])
  func kinds(kind: String, json: String) throws {
    let records = try ExportedRecord.list(kind, json)
    let exported = try Exported(.csv, records, isOfOneKind: true)
    #expect(exported.notes.isComplete)
    var options = ImportOptions()
    options.kind = KindCatalog.builtIn[kind]
    let imported = try exported.imported(as: "csv", options: options).records
    #expect(imported.map(\.members) == records.map(\.members))
  }

  @Test("what Bitwarden has forms for comes back as the same kind")
  func bitwardenKinds() throws {
    let records =
      try ExportedRecord.list(
        "payment-card",
        #"[{"title":"c","holder":"Ada","number":"4111","expiry":"01/30","security_code":"123","pin":"0001","extra":{"brand":"Visa"}}]"#
      )
      + ExportedRecord.list("secure-note", #"[{"title":"n","text":"a\nb","tags":["t/u"]}]"#)
    let exported = try Exported(.bitwarden, records)
    #expect(exported.notes.sentences == [])
    let imported = try exported.imported(as: "bitwarden-json").records
    #expect(imported.map(\.kind) == ["payment-card", "secure-note"])
    #expect(imported[1].members == records[1].members)
    #expect(try imported[0].text("expiry") == "01/30")
    #expect(try imported[0].text("security_code") == "123")
    #expect(try imported[0].text("extra.brand") == "Visa")
  }

  @Test("sops' JSON brings back records of every kind")
  func sops() throws {
    let identity = try AgeIdentity.generate()
    let records =
      try ExportedRecord.list("login", Self.hostile)
      + ExportedRecord.list("database", #"[{"title":"d","engine":"mysql","host":"h","port":3306,"password":"p"}]"#)
      + ExportedRecord.list("custom", #"[{"title":"c","fields":{"password":"x"},"secrets":{"d":"e"}}]"#)
    var options = ImportOptions()
    options.identities = [identity]
    let exported = try Exported(.sops, records, recipients: [identity.recipient])
    let imported = try exported.imported(as: "sops-json", options: options).records
    #expect(imported.map(\.kind) == records.map(\.kind))
    #expect(imported.map(\.members) == records.map(\.members))
  }

  @Test(
    "files of the tools come back the same after an export",
    .enabled(if: SharedData.isPresent(forCases: 4, of: "round trips")),
    arguments: [
      ("bitwarden-jslib/", ".json", ExportFormat.bitwarden, "bitwarden-json"),
      ("keepassxc/", ".xml", .keepassXML, "keepass-xml"),
      ("bitwarden-jslib/", ".xml", .keepassXML, "keepass-xml"),
      ("pass-import/", ".csv", .onePasswordCSV, "1password-csv"),
    ])
  func fixtures(folder: String, suffix: String, format: ExportFormat, importer: String) throws {
    var count = 0
    for path in try Fixtures.all(suffix) where path.hasPrefix(folder) {
      let source = try Fixtures.source(path)
      guard let found = try? ImportFormats.detecting(source.sample()), found.format.name == importer else { continue }
      // Files broken on purpose are among them.
      guard let records = try? Imported(found, source).records else { continue }
      try Exported(format, records.outgoing).imported(as: importer).records.expectEqual(records)
      count += 1
    }
    print("round trips: \(count) files of \(importer) in \(folder)")
  }
}
